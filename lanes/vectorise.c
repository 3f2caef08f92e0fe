/* SPDX-License-Identifier: Apache-2.0
 * Makes of each kernel a function that runs a packet: one sub-group or a pair of them, with a work-item in each lane of a vector register.
 *
 * Each kernel gets two bodies: one for packets of which every lane is there and all lie in one row of the work-group, and one for the rest.
 */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/prepare/versioning.h"
#include "lanes/widen/widen_dot.h"
#include "lanes/ir/explain.h"
#include "lanes/prepare/hoist_loads.h"
#include "lanes/widen/widen_madw.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/groups/packet_loop.h"
#include "lanes/widen/widener.h"
#include "tessera/item.h"
#include "lanes/prepare/transpose_local.h"
#include "lanes/prepare/unroll.h"
#include "lanes/analysis/width_choice.h"
#include "lanes/ir/calls.h"
#include "lanes/analysis/group_visibility.h"
#include "lanes/prepare/dot_idiom.h"
#include "lanes/prepare/soa_arrays.h"

/* What the vectoriser relies on: one return, no switches, reducible loops with one latch. */
static const char canonical[] = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,early-cse,simplifycfg)";
static const char no_switches[] = "function(lower-switch)";
static const char loops_in_form[] = "function(mergereturn,loop-simplify,loop(loop-rotate),loop-simplify,instcombine<no-verify-fixpoint>,"
                                    "simplifycfg<no-switch-range-to-icmp>,lower-switch,mergereturn,loop-simplify,early-cse,adce)";
/* Between the two, where a loop has several entries. LLVM 22 loses what a block hands on to one entry if it has an edge to another, too; so
 * each edge gets a block of its own. */
static const char one_entry[] = "lower-switch,break-crit-edges,fix-irreducible";

/* Before it: what is left of private arrays tells which loops to unroll. */
static const char first_look[] = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify)";
/* Unrolls what is marked, and short loops. */
static const char unroll[] = "function(loop(loop-rotate,loop-unroll-full),early-cse,sroa,simplifycfg)";

/* What the body of a collective is called while a declaration stands in its place. */
#define BODY ".__tsr_body"

/* A collective's body is how a work-item would do it; a packet has instructions for the call. */
static void keep_call(struct tsr__compilation *l, LLVMValueRef function)
{
    static const char *const promises[] = {"convergent", "nounwind", "willreturn"};
    const char *name = tsr_arena_format(&l->scratch, "%s", tsr__name(function));
    const char *aside = tsr_arena_format(&l->scratch, "%s" BODY, name);
    LLVMSetValueName2(function, aside, strlen(aside));
    LLVMValueRef made = LLVMAddFunction(l->module, name, LLVMGlobalGetValueType(function));
    for (size_t i = 0; i < TSR_ARRAY_LEN(promises); i++)
        tsr__add_fn_attr(l, made, promises[i]);
    LLVMReplaceAllUsesWith(function, made);
    LLVMSetLinkage(function, LLVMExternalLinkage); /* so that it stays */
}

/* Kernels that do not run as packets need the bodies. */
static void inline_bodies(struct tsr__compilation *l)
{
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = tsr_arena_format(&l->scratch, "%s", tsr__name(functions[i])), *dot = strrchr(name, '.');
        if (!dot || strcmp(dot, BODY) != 0)
            continue;
        char *plain = tsr_arena_format(&l->scratch, "%.*s", (int)(dot - name), name);
        LLVMValueRef declared = LLVMGetNamedFunction(l->module, plain);
        if (declared) {
            LLVMReplaceAllUsesWith(declared, functions[i]);
            LLVMDeleteFunction(declared);
        }
        LLVMSetValueName2(functions[i], plain, strlen(plain));
        LLVMSetLinkage(functions[i], LLVMInternalLinkage);
    }
}

/* Matrix functions and dot products stay calls where the packet has an operation for them. (A loop with calls that might be inlined is not
 * unrolled.) */
static void inline_all(struct tsr__compilation *l)
{
    size_t count;
    struct tsr__map inlined = tsr__inlined_functions(l);
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++) {
        if (tsr__collective(functions[i])) {
            keep_call(l, functions[i]);
            continue;
        }
        if (tsr_matrix_find(tsr__name(functions[i])) || tsr__is_dot(l, functions[i]) || tsr__is_madw(functions[i])) {
            tsr__add_fn_attr(l, functions[i], "noinline");
            continue;
        }
        tsr__drop_fn_attr(functions[i], "noinline");
        tsr__drop_fn_attr(functions[i], "optnone");
        if (!tsr__is_kernel(functions[i]) && tsr__map_get(&inlined, functions[i]))
            tsr__add_fn_attr(l, functions[i], "alwaysinline");
    }
}

/* Moves the body of `f` into a new function. */
static LLVMValueRef body_of(struct tsr__compilation *l, LLVMValueRef f)
{
    LLVMValueRef made = LLVMAddFunction(l->module, tsr_arena_format(&l->scratch, "%s.item", tsr__name(f)), LLVMGlobalGetValueType(f));
    LLVMSetLinkage(made, LLVMInternalLinkage);
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        LLVMReplaceAllUsesWith(LLVMGetParam(f, i), LLVMGetParam(made, i));
    for (LLVMBasicBlockRef bb; (bb = LLVMGetFirstBasicBlock(f)) != NULL;) {
        LLVMRemoveBasicBlockFromParent(bb);
        LLVMAppendExistingBasicBlock(made, bb);
    }
    return made;
}

static LLVMValueRef packet_function(struct tsr__compilation *l, LLVMValueRef kernel, const char *suffix)
{
    LLVMValueRef made =
        LLVMAddFunction(l->module, tsr_arena_format(&l->scratch, "%s.%s", tsr__name(kernel), suffix), LLVMGlobalGetValueType(kernel));
    LLVMSetLinkage(made, LLVMInternalLinkage);
    for (LLVMAttributeIndex p = 1; p <= LLVMCountParams(kernel); p++) { /* restrict, alignments */
        LLVMAttributeRef *attributes = tsr_arena_alloc(&l->scratch, (LLVMGetAttributeCountAtIndex(kernel, p) + 1) * sizeof *attributes);
        LLVMGetAttributesAtIndex(kernel, p, attributes);
        for (unsigned i = 0; i < LLVMGetAttributeCountAtIndex(kernel, p); i++)
            LLVMAddAttributeAtIndex(made, p, attributes[i]);
        /* A store of all lanes, some as they were, may meet what another argument points to (masked_emulate.c). */
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, p - 1));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE &&
            !tsr__has(l, TSR_CPU_AVX512F))
            LLVMRemoveEnumAttributeAtIndex(made, p, tsr__attr_kind("noalias"));
    }
    tsr__debug_info_begin(l, kernel, made);
    return made;
}

/* The bodies of a kernel. */
struct bodies {
    LLVMValueRef whole, partial;
    LLVMValueRef fits, wrapping; /* where indices do not fit, the body for whole packets is another one; or NULL */
};

/* A new block with a call of a body. */
static LLVMBasicBlockRef way_to(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef kernel, LLVMValueRef body)
{
    unsigned n = LLVMCountParams(kernel);
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof *args);
    LLVMBasicBlockRef made = LLVMAppendBasicBlockInContext(l->context, kernel, "");
    LLVMGetParams(kernel, args);
    LLVMPositionBuilderAtEnd(b, made);
    LLVMBuildCall2(b, LLVMGlobalGetValueType(kernel), body, args, n, "");
    LLVMBuildRetVoid(b);
    return made;
}

/* The kernel itself only chooses. */
static void build_dispatcher(struct tsr__compilation *l, LLVMValueRef kernel, const struct bodies *bodies)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMBasicBlockRef start = bodies->fits ? LLVMGetEntryBasicBlock(kernel) : LLVMAppendBasicBlockInContext(l->context, kernel, "");
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context), query = LLVMFunctionType(i32, NULL, 0, false);
    LLVMPositionBuilderAtEnd(b, start);
    LLVMValueRef is_whole = LLVMBuildCall2(b, query, tsr__declare(l, "__tsr_whole_packet", query), NULL, 0, "");
    is_whole = LLVMBuildICmp(b, LLVMIntNE, is_whole, LLVMConstNull(i32), "");
    LLVMMetadataRef subprogram = LLVMGetSubprogram(kernel);
    if (subprogram) /* what will be inlined here keeps its lines only if the call has one */
        LLVMSetCurrentDebugLocation2(
            b, LLVMDIBuilderCreateDebugLocation(l->context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, NULL));
    LLVMBasicBlockRef whole = way_to(l, b, kernel, bodies->whole), partial = way_to(l, b, kernel, bodies->partial);
    if (bodies->fits) {
        LLVMBasicBlockRef fast = whole, slow = way_to(l, b, kernel, bodies->wrapping);
        whole = LLVMAppendBasicBlockInContext(l->context, kernel, "");
        LLVMPositionBuilderAtEnd(b, whole);
        LLVMBuildCondBr(b, bodies->fits, fast, slow);
    }
    LLVMPositionBuilderAtEnd(b, start);
    LLVMBuildCondBr(b, is_whole, whole, partial);
    LLVMDisposeBuilder(b);
}

/* The width is a constant from here on. */
static void set_width(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        if (callee && strcmp(tsr__name(callee), "__tsr_max_sub_group_size") == 0) {
            LLVMReplaceAllUsesWith(code[i], tsr__i32(l, width));
            LLVMInstructionEraseFromParent(code[i]);
        }
    }
}

/* Not with matrix functions that the packet has no operation for. Totals need regions, which other exchanges may stand in the way of. */
static bool can_run_as_packet(struct tsr__compilation *l, LLVMValueRef body)
{
    bool totals = false, others = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = tsr__callee(i);
            if (callee && tsr_matrix_find(tsr__name(callee)) && !tsr__mad_overload(l, callee))
                return false;
            const char *name = tsr__primitive_called(i);
            totals = totals || (name && tsr__starts_with(name, "total_"));
            others = others || (name && !strcmp(name, "exchange") && !LLVMIsAConstantInt(LLVMGetOperand(i, 0)));
        }
    return !totals || !others;
}

/* What the optimiser cannot know of the primitives: no device has work-groups of 65536 work-items. */
static void promise_ranges(struct tsr__compilation *l)
{
    static const char *const small[] = {
        "local_id",     "local_size",     "enqueued_local_size", "linear_id",      "lane",
        "sub_group_id", "sub_group_size", "max_sub_group_size",  "num_sub_groups", "enqueued_num_sub_groups"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(small); i++) {
        LLVMValueRef f = LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "__tsr_%s", small[i]));
        if (!f)
            continue;
        unsigned bits = LLVMGetIntTypeWidth(LLVMGetReturnType(LLVMGlobalGetValueType(f)));
        uint64_t from = 0, to = 65536;
        LLVMAddAttributeAtIndex(f, LLVMAttributeReturnIndex,
                                LLVMCreateConstantRangeAttribute(l->context, tsr__attr_kind("range"), bits, &from, &to));
    }
}

/* … and what a kernel says of its own. */
static void promise_required_size(struct tsr__compilation *l, const struct tsr_kernel_info *info, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count && info->reqd_local_size[0]; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        if (!callee || strcmp(tsr__name(callee), "__tsr_local_id") != 0 || !LLVMIsAConstantInt(LLVMGetOperand(code[i], 0)))
            continue;
        uint64_t dim = LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0)), from = 0, to = dim < 3 ? info->reqd_local_size[dim] : 1;
        LLVMAddCallSiteAttribute(code[i], LLVMAttributeReturnIndex,
                                 LLVMCreateConstantRangeAttribute(l->context, tsr__attr_kind("range"), 64, &from, &to));
    }
}

static struct tsr__packet packet_of(struct tsr__compilation *l, const struct tsr_kernel_info *info)
{
    unsigned size = tsr__sub_group_size(l, info);
    return (struct tsr__packet){.width = tsr__uses_sub_group_pairs(l, tsr__kernel(l, info)) ? 2 * size : size, .sub_group = size};
}

static void use_wide_packets(struct tsr__compilation *l, uint32_t number, const char *why)
{
    if (!l->variants)
        l->variants = tsr_arena_alloc(&l->scratch, (l->info->kernel_count + 1) * sizeof *l->variants);
    l->variants[number] = TSR__VARIANT_WIDE;
    tsr__explain(l, tsr__kernel(l, &l->info->kernels[number]), "sub-group", "wider", "%d lanes, since %s", TSR__WIDE_LANES, why);
}

/* LLVM compares each branch of a lowered switch with all that dominate it, as often as it combines instructions. A large switch stays one
 * until that is behind it. */
static bool has_large_switch(struct tsr__compilation *l)
{
    enum { LARGE = 128 };
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++)
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(functions[i]); bb; bb = LLVMGetNextBasicBlock(bb))
            if (LLVMIsASwitchInst(LLVMGetBasicBlockTerminator(bb)) && LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(bb)) > LARGE)
                return true;
    return false;
}

static bool make_reducible(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr__cfg cfg;
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (!tsr__cfg_make(&cfg, kernel, &l->scratch) && !tsr__run_llvm_on(l, kernel, one_entry))
            return false;
    }
    return true;
}

static bool prepare_module(struct tsr__compilation *l)
{
    promise_ranges(l);
    if (!tsr__run_llvm(l, "always-inline,globaldce"))
        return false;
    tsr__explain_arrays(l);
    bool *may_widen = tsr_arena_alloc(&l->scratch, l->info->kernel_count + 1);
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        may_widen[i] = tsr__may_use_wide_packets(l, i);
        unsigned size = tsr__sub_group_size(l, &l->info->kernels[i]);
        set_width(l, kernel, size);
        promise_required_size(l, &l->info->kernels[i], kernel);
        if (tsr__uses_sub_group_pairs(l, kernel))
            tsr__lower_pair_ids(l, kernel, size);
    }
    if (!tsr__run_llvm(l, first_look))
        return false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++)
        if (may_widen[i] && tsr__has_small_data(l, tsr__kernel(l, &l->info->kernels[i])))
            use_wide_packets(l, i, "all data have 8 or 16 bits");
    bool loops = false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++)
        loops |= tsr__mark_array_unroll(l, tsr__kernel(l, &l->info->kernels[i]));
    if ((loops && !tsr__run_llvm(l, unroll)) || !tsr__run_llvm(l, canonical) || (!has_large_switch(l) && !tsr__run_llvm(l, no_switches)) ||
        !make_reducible(l) || !tsr__run_llvm(l, loops_in_form))
        return false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++)
        if (may_widen[i] && tsr__sub_group_size(l, &l->info->kernels[i]) < TSR__WIDE_LANES &&
            tsr__is_latency_bound(l, tsr__kernel(l, &l->info->kernels[i])))
            use_wide_packets(l, i, "a register alone would wait for its own results");
    for (uint32_t i = 0; i < l->info->kernel_count; i++)
        if (can_run_as_packet(l, tsr__kernel(l, &l->info->kernels[i])))
            tsr__transpose_local_arrays(l, tsr__kernel(l, &l->info->kernels[i]), &l->info->kernels[i]);
    tsr__lower_local_arrays(l);
    return tsr__dump_stage(l, "canonical");
}

bool tsr__packet_shapes(struct tsr__compilation *l, struct tsr_buf *out)
{
    inline_all(l);
    if (!prepare_module(l))
        return false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr__cfg cfg;
        struct tsr__shapes shapes;
        struct tsr__packet packet = packet_of(l, &l->info->kernels[i]);
        packet.whole_rows = true;
        tsr__make_soa_arrays(l, tsr__kernel(l, &l->info->kernels[i]), packet.width);
        if (!tsr__cfg_make(&cfg, tsr__kernel(l, &l->info->kernels[i]), &l->scratch))
            return tsr__fail(l, "kernel %s: irreducible control flow", l->info->kernels[i].name);
        tsr__shapes_find(&shapes, &cfg, packet, &l->scratch);
        tsr__shapes_print(&shapes, out);
    }
    return true;
}

/* `restrict` is a promise about one work-item. A packet function with regions runs all of a work-group, and where a barrier lets work-items
 * see what others wrote, it may have been written through another pointer. Without a fence for global memory they see none of it. */
static void restrict_ends_at_barriers(struct tsr__compilation *l, LLVMValueRef packet)
{
    enum { GLOBAL_FENCE = 2 };
    bool global = false;
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, packet, &n);
    for (size_t i = 0; i < n && !global; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        if (!callee || strcmp(tsr__name(callee), "__tsr_barrier") != 0)
            continue;
        LLVMValueRef flags = LLVMGetOperand(code[i], 1);
        global = !LLVMIsAConstantInt(flags) || (LLVMConstIntGetZExtValue(flags) & GLOBAL_FENCE);
    }
    for (unsigned p = 0; p < LLVMCountParams(packet); p++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(packet, p));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && (global || LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE))
            LLVMRemoveEnumAttributeAtIndex(packet, p + 1, tsr__attr_kind("noalias"));
    }
}

/* The body for packets that are not whole. */
static bool build_partial(struct tsr__compilation *l, struct tsr_kernel_info *info, LLVMValueRef item, LLVMValueRef partial,
                          struct tsr__packet packet, bool alone)
{
    enum tsr__visibility sees = tsr__group_visibility(l, item);
    packet.whole_rows = sees < TSR__SEES_SUB_GROUPS;
    packet.mixed = packet.whole_rows && alone;
    packet.in_group = packet.whole_rows && !alone;
    packet.same_sizes = info->flags & TSR_KERNEL_UNIFORM_GROUPS;
    packet.required_x = info->reqd_local_size[0];
    if (packet.whole_rows)
        info->flags |= TSR_KERNEL_IGNORES_SUB_GROUPS;
    if (packet.mixed)
        info->flags |=
            (sees <= TSR__SEES_NUMBERS ? TSR_KERNEL_MIXED_GROUPS : 0) | (sees == TSR__SEES_RANGE ? TSR_KERNEL_GLOBAL_IDS_ONLY : 0);
    if (!tsr__widen_function(l, item, partial, packet, true))
        return false;
    if (packet.mixed)
        tsr__build_mixed_loop(l, partial, packet.width);
    return true;
}

/* False: what is possible for the one body is not for the other. */
static bool split_bodies(struct tsr__compilation *l, struct tsr_kernel_info *info, unsigned width, const struct bodies *bodies)
{
    restrict_ends_at_barriers(l, bodies->whole);
    restrict_ends_at_barriers(l, bodies->partial);
    if (bodies->wrapping)
        restrict_ends_at_barriers(l, bodies->wrapping);
    if (!tsr__split_at_barriers(l, bodies->whole, width, TSR__PACKETS_FULL, &info->context_bytes))
        return true;
    info->flags |= TSR_KERNEL_BARRIER_REGIONS;
    enum tsr__region_packets packets = info->flags & TSR_KERNEL_IGNORES_SUB_GROUPS ? TSR__PACKETS_OF_ROWS : TSR__PACKETS_DENSE;
    return (!bodies->wrapping || tsr__split_at_barriers(l, bodies->wrapping, width, TSR__PACKETS_FULL, &info->context_bytes)) &&
           tsr__split_at_barriers(l, bodies->partial, width, packets, &info->context_bytes);
}

static void explain_alone(struct tsr__compilation *l, LLVMValueRef kernel, bool too_much)
{
    tsr__explain(l, kernel, "engine", "reference", "a work-item at a time: packets %s",
                 too_much ? "would be too much code" : "have no operation for a matrix function on this CPU");
}

bool tsr__pass_vectorise(struct tsr__compilation *l)
{
    if (!l->options->packets)
        return true;
    inline_all(l);
    if (tsr__all_run_as_reference(l)) { /* as in the reference engine from here on */
        for (uint32_t i = 0; i < l->info->kernel_count; i++)
            explain_alone(l, tsr__kernel(l, &l->info->kernels[i]), true);
        inline_bodies(l);
        return true;
    }
    if (!prepare_module(l))
        return false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr_kernel_info *info = &l->info->kernels[i];
        LLVMValueRef kernel = tsr__kernel(l, info);
        struct tsr__packet packet = packet_of(l, info);
        bool too_much = l->variants && l->variants[i] == TSR__VARIANT_REFERENCE;
        if (too_much || !can_run_as_packet(l, kernel)) {
            explain_alone(l, kernel, too_much);
            continue;
        }
        if (packet.width > packet.sub_group)
            tsr__explain(l, kernel, "packets", "pairs", "%u lanes, a sub-group in each half, since split matrix functions join them",
                         packet.width);
        info->flags |= TSR_KERNEL_PACKETS | (packet.width > packet.sub_group ? TSR_KERNEL_SUB_GROUP_PAIRS : 0);
        LLVMValueRef item = body_of(l, kernel);
        tsr__hoist_loads(l, item);
        tsr__make_soa_arrays(l, item, packet.width);
        struct bodies bodies = {.whole = packet_function(l, kernel, "whole"), .partial = packet_function(l, kernel, "partial")};
        struct tsr__packet rows = packet;
        struct tsr__no_wrap_mark *assumed = NULL;
        rows.whole_rows = true;
        if (!tsr__form_dot_calls(l, item, rows))
            return false;
        if (!l->variants || l->variants[i] != TSR__VARIANT_UNVERSIONED)
            bodies.fits = tsr__version_no_wrap(l, item, kernel, &assumed);
        bool built = tsr__widen_function(l, item, bodies.whole, rows, false), meets = built && tsr__has_barrier(l, bodies.whole);
        if (bodies.fits) {
            size_t notes = tsr__explain_count(l);
            tsr__drop_no_wrap_marks(assumed);
            bodies.wrapping = packet_function(l, kernel, TSR__WRAPPING);
            tsr__add_fn_attr(l, bodies.wrapping, "noinline");
            built = built && tsr__widen_function(l, item, bodies.wrapping, rows, false);
            tsr__explain_forget(l, notes);
        }
        if (!built || !build_partial(l, info, item, bodies.partial, packet, !meets))
            return tsr__fail(l, "kernel %s: irreducible control flow", info->name);
        tsr__add_fn_attr(l, bodies.partial, "noinline"); /* for the edges: small is better */
        build_dispatcher(l, kernel, &bodies);
        if (!tsr__dump_stage(l, tsr_arena_format(&l->scratch, "%s.packets", info->name)))
            return false;
        if (!meets) {
            info->flags |= TSR_KERNEL_PACKET_LOOP;
            tsr__build_packet_loop(l, bodies.whole, packet.width);
            if (bodies.wrapping)
                tsr__build_packet_loop(l, bodies.wrapping, packet.width);
        } else if (!split_bodies(l, info, packet.width, &bodies)) {
            return tsr__fail(l, "kernel %s: packets that are not whole cannot be cut", info->name);
        }
        tsr__explain_barriers(l, info, item);
        LLVMDeleteFunction(item);
        if (!tsr__dump_stage(l, tsr_arena_format(&l->scratch, "%s.loops", info->name)))
            return false;
    }
    inline_bodies(l);
    tsr__debug_info_end(l);
    return tsr__scalarise_addresses(l);
}
