/* SPDX-License-Identifier: Apache-2.0
 * Makes of each kernel a function that runs a packet: one sub-group or a pair of them, with a work-item in each lane of a vector register.
 *
 * Each kernel gets two bodies: one for packets of which every lane is there and all lie in one row of the work-group, and one for the rest.
 */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/prepare/versioning.h"
#include "lanes/ir/explain.h"
#include "lanes/prepare/hoist_loads.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/groups/packet_loop.h"
#include "lanes/widen/widener.h"
#include "tessera/item.h"
#include "lanes/ir/calls.h"
#include "lanes/analysis/group_visibility.h"
#include "lanes/prepare/dot_idiom.h"
#include "lanes/prepare/soa_arrays.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/analysis/width_choice.h"

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

static struct tsr__packet packet_of(struct tsr__compilation *l, const struct tsr_kernel_info *info)
{
    unsigned size = tsr__sub_group_size(l, info);
    return (struct tsr__packet){.width = tsr__uses_sub_group_pairs(l, tsr__kernel(l, info)) ? 2 * size : size, .sub_group = size};
}

bool tsr__packet_shapes(struct tsr__compilation *l, struct tsr_buf *out)
{
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

bool tsr__pass_vectorise(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr_kernel_info *info = &l->info->kernels[i];
        LLVMValueRef kernel = tsr__kernel(l, info);
        struct tsr__packet packet = packet_of(l, info);
        if (l->variants && l->variants[i] == TSR__VARIANT_REFERENCE)
            continue;
        if (!tsr__can_run_as_packet(l, kernel)) {
            tsr__explain(l, kernel, "engine", "reference",
                         "a work-item at a time: packets have no operation for a matrix function on this CPU");
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
    tsr__debug_info_end(l);
    return true;
}
