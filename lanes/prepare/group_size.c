/* SPDX-License-Identifier: Apache-2.0
 * Kernels that are compiled for launches of work-groups of one size. Lanes need not lie in one row then: packets may take the work-items of
 * a group in linear order, and the ids in x, y and z follow from the linear one by divisions by constants. A group that fits into one
 * packet is one, in which all of this is constant; in larger ones short rows are packets, in which all is constant that depends on x. Of
 * kernels without local memory and barriers, which gain nothing by packets that are groups, each row is a packet; so is a range of one
 * work-item. */
#include "lanes/prepare/group_size.h"

#include <stdio.h>

#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

#define GROUP_SIZE "tsr-group-size"

struct tsr__group_size tsr__group_size_of(struct tsr__compilation *l, LLVMValueRef kernel)
{
    struct tsr__group_size g = {0};
    unsigned packets = 0;
    const char *text = tsr__fn_text(l, kernel, GROUP_SIZE);
    if (!text || sscanf(text, "%u,%u,%u,%u", &g.size[0], &g.size[1], &g.size[2], &packets) != 4)
        return (struct tsr__group_size){0};
    g.items = g.size[0] * g.size[1] * g.size[2];
    g.packets = packets;
    return g;
}

static void note_size(struct tsr__compilation *l, LLVMValueRef kernel, const struct tsr__group_size *g)
{
    tsr__set_fn_text(l, kernel, GROUP_SIZE,
                     tsr_arena_format(&l->scratch, "%u,%u,%u,%u", g->size[0], g->size[1], g->size[2], (unsigned)g->packets));
}

void tsr__note_lone_groups(struct tsr__compilation *l, LLVMValueRef kernel)
{
    note_size(l, kernel, &(struct tsr__group_size){{1, 1, 1}, 1, TSR__LINEAR_PACKETS});
}

static bool is_id(enum tsr__engine_call call)
{
    return call == TSR__CALL_LOCAL_ID || call == TSR__CALL_GLOBAL_ID;
}

static bool is_size(enum tsr__engine_call call)
{
    return call == TSR__CALL_LOCAL_SIZE || call == TSR__CALL_ENQUEUED_LOCAL_SIZE;
}

/* Of ids in a dimension that is not known, nothing is. */
static bool knows_dimensions(LLVMValueRef *code, size_t count)
{
    int64_t dim;
    for (size_t i = 0; i < count; i++) {
        enum tsr__engine_call call = tsr__call_of(code[i]);
        if ((is_id(call) || is_size(call)) && (!tsr__constant_int(LLVMGetOperand(code[i], 0), &dim) || dim < 0 || dim > 2))
            return false;
    }
    return true;
}

/* The arguments of functions on images lie in arrays for TSR_MAX_LANES. */
static bool calls_images(LLVMValueRef *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tsr__callee(code[i]) && tsr__is_image(tsr__callee(code[i])))
            return true;
    return false;
}

static LLVMValueRef linear_id(struct tsr__compilation *l, LLVMBuilderRef b, uint64_t items)
{
    uint64_t from = 0;
    LLVMValueRef id = tsr__build_query(l, b, TSR__CALL_LINEAR_ID, -1);
    LLVMAddCallSiteAttribute(id, LLVMAttributeReturnIndex,
                             LLVMCreateConstantRangeAttribute(l->context, tsr__attr_kind("range"), 32, &from, &items));
    return id;
}

static LLVMValueRef local_id(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__group_size *g, int dim)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    uint32_t before = 1;
    for (int d = 0; d < dim; d++)
        before *= g->size[d];
    if (g->size[dim] == 1)
        return tsr__i64(l, 0);
    if (g->packets != TSR__LINEAR_PACKETS)
        return tsr__build_query(l, b, TSR__CALL_LOCAL_ID, dim);
    LLVMValueRef id = linear_id(l, b, g->items);
    if (before > 1)
        id = LLVMBuildUDiv(b, id, tsr__i32(l, before), "");
    if (before * g->size[dim] < g->items)
        id = LLVMBuildURem(b, id, tsr__i32(l, g->size[dim]), "");
    return LLVMBuildZExt(b, id, i64, "");
}

/* A sum of numbers of 32 bits, as the device promises: what a kernel computes from it as `int` does not wrap from lane to lane, either.
 * Where the range begins need not be a multiple of anything. */
static LLVMValueRef global_id(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__group_size *g, int dim)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef group = tsr__build_query(l, b, TSR__CALL_GROUP_ID, dim), offset = tsr__build_query(l, b, TSR__CALL_GLOBAL_OFFSET, dim);
    LLVMValueRef first = LLVMBuildAdd(b, offset, LLVMBuildNUWMul(b, group, tsr__i64(l, g->size[dim]), ""), "");
    LLVMValueRef local = LLVMBuildTrunc(b, local_id(l, b, g, dim), i32, "");
    LLVMValueRef id = LLVMBuildAdd(b, LLVMBuildTrunc(b, first, i32, ""), local, "");
    if (LLVMIsAInstruction(id)) {
        LLVMSetNSW(id, true);
        LLVMSetNUW(id, true);
    }
    id = LLVMBuildZExt(b, id, LLVMInt64TypeInContext(l->context), "");
    if (LLVMIsAZExtInst(id))
        LLVMSetNNeg(id, true);
    return id;
}

static enum tsr__group_packets choose_packets(const struct tsr__group_size *g, unsigned width)
{
    if (g->items <= width)
        return TSR__LINEAR_PACKETS;
    if (g->size[0] % width == 0)
        return TSR__ROW_PARTS;
    return g->size[0] <= width && 2 * g->size[0] > width ? TSR__ROW_PACKETS : TSR__LINEAR_PACKETS;
}

static void set_sizes(struct tsr__compilation *l, struct tsr_kernel_info *info, LLVMValueRef kernel)
{
    const uint32_t *size = l->options->group_size;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (int d = 0; d < 3; d++)
        info->reqd_local_size[d] = size[d];
    for (size_t i = 0; i < count; i++)
        if (is_size(tsr__call_of(code[i]))) {
            LLVMReplaceAllUsesWith(code[i], tsr__i64(l, size[LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0))]));
            LLVMInstructionEraseFromParent(code[i]);
        }
}

/* Kernels that multiply copies in local memory are what they would be if they required the size. */
static bool require_size(struct tsr__compilation *l, struct tsr_kernel_info *info, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    const uint32_t size = info->reqd_sub_group_size ? info->reqd_sub_group_size : l->options->default_sub_group_size;
    if (l->options->group_size[0] % size || !knows_dimensions(code, count))
        return false;
    info->reqd_sub_group_size = size;
    set_sizes(l, info, kernel);
    return true;
}

bool tsr__promise_group_size(struct tsr__compilation *l, struct tsr_kernel_info *info, LLVMValueRef kernel)
{
    const uint32_t *size = l->options->group_size;
    struct tsr__group_size g = {{size[0], size[1], size[2]}, size[0] * size[1] * size[2], TSR__LINEAR_PACKETS};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    if (!g.items)
        return true;
    enum tsr__visibility sees = tsr__group_visibility(l, kernel);
    if (sees > TSR__SEES_GROUPS && tsr__multiplies_tiles(l, kernel))
        return require_size(l, info, kernel);
    bool alone = sees < TSR__SEES_GROUPS; /* packets have nothing in common: each is a row */
    if (info->reqd_sub_group_size || !tsr__can_run_as_packet(l, kernel) || sees > TSR__SEES_GROUPS || !knows_dimensions(code, count) ||
        (alone && g.items > 1 && (g.size[0] < TSR__LEAST_ROW || g.size[0] > TSR_MAX_LANES)))
        return false;
    if (alone)
        info->reqd_sub_group_size = tsr__power_of_two_above(g.size[0]);
    unsigned width = tsr__sub_group_size(l, info);
    if (width > TSR_MAX_LANES && calls_images(code, count))
        return false;
    g.packets = choose_packets(&g, width);
    note_size(l, kernel, &g);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < count; i++) {
        enum tsr__engine_call call = tsr__call_of(code[i]);
        if (!is_id(call))
            continue;
        int dim = (int)LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0));
        LLVMPositionBuilderBefore(b, code[i]);
        LLVMReplaceAllUsesWith(code[i], call == TSR__CALL_GLOBAL_ID ? global_id(l, b, &g, dim) : local_id(l, b, &g, dim));
        LLVMInstructionEraseFromParent(code[i]);
    }
    LLVMDisposeBuilder(b);
    set_sizes(l, info, kernel);
    return true;
}
