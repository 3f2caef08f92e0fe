/* SPDX-License-Identifier: Apache-2.0
 * Kernels that run in packets. A packet is one sub-group, or a pair of them, with a work-item in each lane of a vector register.
 *
 * The kernel's code moves to <kernel>.item. The kernel itself only calls one of two packet functions: <kernel>.whole for full packets,
 * in which every lane is there and all lie in one row of the work-group, and <kernel>.partial for all others. */
#include "lanes/prepare/packet_kernel.h"
#include "lanes/ir/calls.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/explain.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "tessera/item.h"

#define ITEM "item"
#define FULL "whole"
#define PARTIAL "partial"
/* Attributes of the work-item function: lanes of its packets, and of a sub-group. */
#define PACKET_LANES "tsr-packet"
#define SUB_GROUP_LANES "tsr-sub-group"

static LLVMValueRef function_of(struct tsr__compilation *l, const struct tsr_kernel_info *info, const char *suffix)
{
    return LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "%s.%s", info->name, suffix));
}

LLVMValueRef tsr__whole_function(struct tsr__compilation *l, const struct tsr_kernel_info *info)
{
    return function_of(l, info, FULL);
}

LLVMValueRef tsr__partial_function(struct tsr__compilation *l, const struct tsr_kernel_info *info)
{
    return function_of(l, info, PARTIAL);
}

static void set_lanes(struct tsr__compilation *l, LLVMValueRef item, const char *attribute, unsigned lanes)
{
    tsr__set_fn_text(l, item, attribute, tsr_arena_format(&l->scratch, "%u", lanes));
}

static unsigned lanes_of(struct tsr__compilation *l, LLVMValueRef item, const char *name)
{
    const char *text = tsr__fn_text(l, item, name);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* What is known of packets of a work-group of known size. */
static void note_group(struct tsr__packet_kernel *k)
{
    bool rows = k->group.packets == TSR__ROW_PACKETS;
    k->packet.is_group = k->group.items <= k->packet.width;
    k->packet.in_group = rows;
    k->packet.present = k->packet.is_group ? k->group.items : rows ? k->group.size[0] : 0;
    k->lacks_lanes = (rows ? k->group.size[0] : k->group.items) % k->packet.width;
}

bool tsr__packet_kernel_find(struct tsr__compilation *l, struct tsr_kernel_info *info, struct tsr__packet_kernel *k)
{
    *k = (struct tsr__packet_kernel){.info = info, .item = function_of(l, info, ITEM)};
    if (!k->item)
        return false;
    k->kernel = tsr__kernel(l, info);
    k->whole = tsr__whole_function(l, info);
    k->partial = tsr__partial_function(l, info);
    k->wrapping = function_of(l, info, TSR__WRAPPING);
    k->lone = function_of(l, info, TSR__LONE);
    k->lone_partial = function_of(l, info, TSR__LONE_PARTIAL);
    k->packet = (struct tsr__packet){
        .width = lanes_of(l, k->item, PACKET_LANES), .sub_group = lanes_of(l, k->item, SUB_GROUP_LANES), .whole_rows = true};
    k->group = tsr__group_size_of(l, k->kernel);
    if (k->group.items)
        note_group(k);
    return true;
}

/* ---- the pass "split_kernels" ---- */

/* Moves the body of `f` into a new function. */
static LLVMValueRef move_body(struct tsr__compilation *l, LLVMValueRef f)
{
    LLVMValueRef made = LLVMAddFunction(l->module, tsr_arena_format(&l->scratch, "%s." ITEM, tsr__name(f)), LLVMGlobalGetValueType(f));
    LLVMSetLinkage(made, LLVMInternalLinkage);
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        LLVMReplaceAllUsesWith(LLVMGetParam(f, i), LLVMGetParam(made, i));
    for (LLVMBasicBlockRef bb; (bb = LLVMGetFirstBasicBlock(f)) != NULL;) {
        LLVMRemoveBasicBlockFromParent(bb);
        LLVMAppendExistingBasicBlock(made, bb);
    }
    return made;
}

LLVMValueRef tsr__declare_packet_function(struct tsr__compilation *l, LLVMValueRef kernel, const char *suffix)
{
    LLVMValueRef made =
        LLVMAddFunction(l->module, tsr_arena_format(&l->scratch, "%s.%s", tsr__name(kernel), suffix), LLVMGlobalGetValueType(kernel));
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
    return made;
}

void tsr__forget_restrict(LLVMValueRef packet_function)
{
    for (LLVMAttributeIndex p = 1; p <= LLVMCountParams(packet_function); p++)
        LLVMRemoveEnumAttributeAtIndex(packet_function, p, tsr__attr_kind("noalias"));
}

LLVMBasicBlockRef tsr__packet_call_block(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef packet_function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    unsigned n = LLVMCountParams(from);
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof *args);
    LLVMBasicBlockRef made = LLVMAppendBasicBlockInContext(l->context, from, "");
    LLVMGetParams(from, args);
    LLVMPositionBuilderAtEnd(b, made);
    LLVMMetadataRef subprogram = LLVMGetSubprogram(from);
    if (subprogram) /* what will be inlined here keeps its lines only if the call has one */
        LLVMSetCurrentDebugLocation2(
            b, LLVMDIBuilderCreateDebugLocation(l->context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, NULL));
    LLVMBuildCall2(b, LLVMGlobalGetValueType(from), packet_function, args, n, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return made;
}

/* The kernel itself only chooses. */
static void build_dispatcher(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    if (!k->partial || !k->whole) {
        tsr__packet_call_block(l, k->kernel, k->whole ? k->whole : k->partial);
        return;
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(l->context, k->kernel, ""));
    LLVMValueRef is_full = tsr__build_query(l, b, TSR__CALL_WHOLE_PACKET, -1);
    is_full = LLVMBuildICmp(b, LLVMIntNE, is_full, tsr__i32(l, 0), "");
    LLVMBasicBlockRef full = tsr__packet_call_block(l, k->kernel, k->whole), partial = tsr__packet_call_block(l, k->kernel, k->partial);
    LLVMBuildCondBr(b, is_full, full, partial);
    LLVMDisposeBuilder(b);
}

/* Whether the code is made for work-groups of one size, of which each may be a packet. */
static bool mark_group(struct tsr__compilation *l, struct tsr__packet_kernel *k, unsigned width)
{
    uint32_t items = tsr__group_size_of(l, k->kernel).items;
    k->info->flags |= items ? TSR_KERNEL_GROUP_SIZE : 0;
    k->info->flags |= items && items <= width ? TSR_KERNEL_GROUP_PACKETS : 0;
    return items;
}

/* Whether every packet is full in any launch: then there is no function for other packets. Global ids would tell where the range begins,
 * which need not be a multiple of the width. */
static bool mark_full_packets(struct tsr__compilation *l, struct tsr__packet_kernel *k, unsigned width)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    if (!(k->info->flags & TSR_KERNEL_UNIFORM_GROUPS) || !tsr_required_size(k->info, 0) || tsr_required_size(k->info, 0) % width)
        return false;
    for (size_t i = 0; i < count; i++)
        if (tsr__call_of(code[i]) == TSR__CALL_GLOBAL_ID)
            return false;
    k->info->flags |= TSR_KERNEL_FULL_PACKETS;
    return true;
}

/* Every packet of one work-item is full. */
static void split_into_items(struct tsr__compilation *l, struct tsr_kernel_info *info)
{
    struct tsr__packet_kernel k = {.info = info, .kernel = tsr__kernel(l, info)};
    const uint64_t *size = info->reqd_local_size;
    info->flags |= TSR_KERNEL_PACKETS | TSR_KERNEL_ONE_LANE;
    if (size[0] == 1 && size[1] == 1 && size[2] == 1 && tsr__group_visibility(l, k.kernel) == TSR__SEES_GROUPS)
        tsr__note_lone_groups(l, k.kernel);
    mark_group(l, &k, 1);
    k.item = move_body(l, k.kernel);
    set_lanes(l, k.item, PACKET_LANES, 1);
    set_lanes(l, k.item, SUB_GROUP_LANES, 1);
    k.whole = tsr__declare_packet_function(l, k.kernel, FULL);
    build_dispatcher(l, &k);
}

static void split_kernel(struct tsr__compilation *l, struct tsr_kernel_info *info, bool versioned)
{
    struct tsr__packet_kernel k = {.info = info, .kernel = tsr__kernel(l, info)};
    unsigned size = tsr__sub_group_size(l, info), width = tsr__uses_sub_group_pairs(l, k.kernel) ? 2 * size : size;
    info->flags |= TSR_KERNEL_PACKETS;
    if (width > size) {
        tsr__explain(l, k.kernel, "packets", "pairs", "%u lanes, a sub-group in each half, since split matrix functions join them", width);
        info->flags |= TSR_KERNEL_SUB_GROUP_PAIRS;
        tsr__set_fn_text(l, k.kernel, TSR__IN_PAIRS, "");
    }
    bool groups = l->options->group_lanes && width == size && tsr__group_visibility(l, k.kernel) == TSR__SEES_GROUPS;
    k.item = move_body(l, k.kernel);
    set_lanes(l, k.item, PACKET_LANES, width);
    set_lanes(l, k.item, SUB_GROUP_LANES, size);
    if (groups)
        info->flags |= TSR_KERNEL_GROUP_LANES;
    else
        k.whole = tsr__declare_packet_function(l, k.kernel, FULL);
    if (groups || (!mark_group(l, &k, width) && !mark_full_packets(l, &k, width))) {
        k.partial = tsr__declare_packet_function(l, k.kernel, PARTIAL);
        tsr__add_fn_attr(l, k.partial, "noinline"); /* for the edges: small is better */
    }
    if (versioned && tsr__multiplies_tiles(l, k.item)) {
        k.wrapping = tsr__declare_packet_function(l, k.kernel, TSR__WRAPPING);
        tsr__add_fn_attr(l, k.wrapping, "noinline");
    }
    build_dispatcher(l, &k);
}

bool tsr__pass_split_kernels(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        enum tsr__variant variant = l->variants ? l->variants[i] : TSR__VARIANT_AS_ASKED;
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (variant == TSR__VARIANT_REFERENCE)
            continue;
        if (tsr__has_text_attr(kernel, TSR__ONE_LANE))
            split_into_items(l, &l->info->kernels[i]);
        else if (tsr__can_run_as_packet(l, kernel))
            split_kernel(l, &l->info->kernels[i], variant != TSR__VARIANT_UNVERSIONED);
        else
            tsr__explain(l, kernel, "engine", "reference",
                         "a work-item at a time: packets have no operation for a matrix function on this CPU");
    }
    return true;
}

bool tsr__packet_shapes(struct tsr__compilation *l, struct tsr_buf *out)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr__packet_kernel k;
        struct tsr__cfg cfg;
        struct tsr__shapes shapes;
        if (!tsr__packet_kernel_find(l, &l->info->kernels[i], &k))
            continue;
        if (!tsr__cfg_make(&cfg, k.item, &l->scratch))
            return tsr__fail(l, "kernel %s: irreducible control flow", k.info->name);
        tsr__shapes_find(&shapes, &cfg, k.packet, &l->scratch);
        tsr__shapes_print(&shapes, out);
    }
    return true;
}
