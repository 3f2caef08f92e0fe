/* SPDX-License-Identifier: Apache-2.0
 * The dimension that lanes follow. They are work-items that follow each other in x. Where memory goes on from one work-item to the next in
 * y, `a[n * x + y]`, such lanes would gather. Then x and y are exchanged in all that the kernel asks, and the device exchanges them in the
 * range: each work-item gets the answers that it would have got. So it is with z. */
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/hoped_stride.h"
#include "lanes/prepare/lane_dimension.h"

bool tsr__asks_for_dimension(LLVMValueRef inst)
{
    enum tsr__engine_call call = tsr__call_of(inst);
    enum tsr__call_how how = tsr__call_info(call)->how;
    return call != TSR__CALL_NONE && (how == TSR__HOW_GROUP_DIM || how == TSR__HOW_ITEM_DIM || how == TSR__HOW_GLOBAL_DIM);
}

/* Whether nothing but the answers to questions of known dimensions tells which of them the lanes follow. Lines are printed in the order of
 * work-items, and images keep neighbours in x together. Work-groups that are columns have the same sub-groups and linear ids either way. */
static bool may_exchange(struct tsr__compilation *l, LLVMValueRef kernel, bool columns)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    if (!tsr__can_run_as_packet(l, kernel) || (!columns && tsr__group_visibility(l, kernel) > TSR__SEES_NUMBERS))
        return false;
    for (size_t i = 0; i < count; i++) {
        enum tsr__engine_call call = tsr__call_of(code[i]);
        int64_t dim;
        if (call == TSR__CALL_PRINT || call == TSR__CALL_ENQUEUE)
            return false;
        if (!columns && (call == TSR__CALL_LINEAR_ID || (tsr__callee(code[i]) && tsr__is_image(tsr__callee(code[i])))))
            return false;
        if (tsr__asks_for_dimension(code[i]) && (!tsr__constant_int(LLVMGetOperand(code[i], 0), &dim) || dim < 0 || dim > 2))
            return false;
    }
    return true;
}

void tsr__exchange_dimensions(struct tsr__compilation *l, LLVMValueRef kernel, unsigned dimension)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (tsr__asks_for_dimension(code[i])) {
            unsigned dim = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0));
            LLVMSetOperand(code[i], 0, tsr__i32(l, tsr_exchanged_dimension(dimension, dim)));
        }
}

static LLVMValueRef pointer_of(LLVMValueRef inst)
{
    if (LLVMIsAStoreInst(inst))
        return LLVMGetOperand(inst, 1);
    return LLVMIsALoadInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst) ? LLVMGetOperand(inst, 0) : NULL;
}

/* Where the lanes of an access have their places. */
enum places { ONE_PLACE, SIDE_BY_SIDE, SCATTERED };

static struct tsr__shape shape_of(void *shapes, LLVMValueRef v)
{
    return tsr__shape_of(shapes, v);
}

/* What an access will find out at run time: bytes from lane to lane, if nothing wraps and no limits are met; 0: the lanes lie anywhere. */
static int64_t hoped_distance(struct tsr__shapes *shapes, LLVMTargetDataRef layout, LLVMValueRef pointer)
{
    const struct tsr__hope hope = {shape_of, shapes, shapes->cfg->function};
    struct tsr__shape shape = tsr__shape_of(shapes, pointer);
    struct tsr__gep_index index;
    int64_t sum = 0, bytes;
    if (shape.kind == TSR__SHAPE_AFFINE)
        return shape.stride;
    if (!LLVMIsAGetElementPtrInst(pointer))
        return 0;
    for (struct tsr__gep_walk walk = tsr__gep_walk(layout, pointer); tsr__gep_next(&walk, &index);)
        if (!index.is_constant && (__builtin_mul_overflow(tsr__hoped_stride(&hope, index.value), index.bytes, &bytes) ||
                                   __builtin_add_overflow(sum, bytes, &sum)))
            return 0;
    return tsr__is_varying(tsr__shape_of(shapes, LLVMGetOperand(pointer, 0))) ? 0 : sum;
}

static enum places places_of(struct tsr__shapes *shapes, LLVMTargetDataRef layout, LLVMValueRef inst)
{
    LLVMValueRef pointer = pointer_of(inst);
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(inst) ? inst : LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 0 : 1));
    LLVMTypeRef scalar = tsr__element_type(type);
    int64_t whole = (int64_t)LLVMABISizeOfType(layout, type), near = TSR__SHORT_STRIDE * (int64_t)LLVMABISizeOfType(layout, scalar);
    int64_t distance = hoped_distance(shapes, layout, pointer);
    near = near > whole ? near : whole;
    if (!distance)
        return tsr__is_varying(tsr__shape_of(shapes, pointer)) ? SCATTERED : ONE_PLACE;
    return distance <= near && distance >= -near ? SIDE_BY_SIDE : SCATTERED;
}

/* What another dimension would make of accesses, by how often they run: of those that are scattered, and of others. */
struct change {
    uint64_t gained, lost, gained_stores, lost_stores; /* stores are among the others */
    uint64_t side_by_side; /* bytes of the smallest element of those that are gained and would be so; 0: there is none */
    uint64_t no_longer;    /* the same of those that are lost and were so */
};

static struct change compare_accesses(struct tsr__shapes *before, struct tsr__shapes *after, LLVMTargetDataRef layout)
{
    const struct tsr__cfg *cfg = before->cfg;
    struct change change = {0};
    for (int b = 0; b < cfg->block_count; b++) {
        int depth = cfg->blocks[b].loop == TSR__NONE ? 0 : cfg->loops[cfg->blocks[b].loop].depth;
        uint64_t rounds = UINT64_C(1) << TSR__LOOP_ROUNDS_LOG2 * (unsigned)(depth < 8 ? depth : 8);
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            if (!pointer_of(i) || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer_of(i))) == TSR__PRIVATE_SPACE)
                continue;
            enum places was = places_of(before, layout, i), is = places_of(after, layout, i);
            const bool gained = was == SCATTERED && is != SCATTERED, lost = is == SCATTERED && was != SCATTERED;
            change.gained += gained ? rounds : 0;
            change.lost += lost ? rounds : 0;
            change.gained_stores += gained && LLVMIsAStoreInst(i) ? rounds : 0;
            change.lost_stores += lost && !LLVMIsALoadInst(i) ? rounds : 0;
            uint64_t bytes = LLVMABISizeOfType(layout, tsr__accessed_type(i));
            if (was == SCATTERED && is == SIDE_BY_SIDE && (!change.side_by_side || bytes < change.side_by_side))
                change.side_by_side = bytes;
            if (was == SIDE_BY_SIDE && is == SCATTERED && (!change.no_longer || bytes < change.no_longer))
                change.no_longer = bytes;
        }
    }
    return change;
}

static bool parts_more_loops(const struct tsr__shapes *before, const struct tsr__shapes *after)
{
    for (int i = 0; i < before->cfg->loop_count; i++)
        if (after->divergent_loop[i] && !before->divergent_loop[i])
            return true;
    return false;
}

/* Whether lanes that follow this dimension access memory side by side where those in x do not, and hardly the other way round. Of a
 * transposition the stores are side by side where gathers are fast: they take less time than scatters, and whole cache lines are written.
 */
static bool is_better(struct tsr__compilation *l, LLVMValueRef kernel, struct tsr__shapes *in_x, unsigned dimension, struct change *change)
{
    struct tsr__shapes shapes;
    tsr__exchange_dimensions(l, kernel, dimension);
    tsr__shapes_find(&shapes, in_x->cfg, in_x->packet, &l->scratch);
    tsr__exchange_dimensions(l, kernel, dimension);
    *change = compare_accesses(in_x, &shapes, LLVMGetModuleDataLayout(l->module));
    const bool gathers = tsr__has(l, TSR_CPU_AVX512F) && !tsr__has(l, TSR_CPU_SLOW_GATHERS),
               mostly = change->gained >= TSR__DIMENSION_GAIN * change->lost,
               stores = gathers && !change->lost_stores && change->gained_stores == change->gained && change->gained >= change->lost;
    return change->side_by_side && (mostly || stores) && !parts_more_loops(in_x, &shapes);
}

/* Lanes of a transposition read from, or write to, as many cache lines as there are lanes. The next rows go to the same ones, so that these
 * should come next. `bytes`: what lies side by side in the dimension that lanes do not follow. */
static uint32_t rows_of_line(uint64_t bytes)
{
    return bytes && bytes < TSR_CACHE_LINE ? (uint32_t)(TSR_CACHE_LINE / bytes) : 0;
}

static unsigned choose_dimension(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width, uint32_t *column_rows)
{
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    if (!tsr__cfg_make(&cfg, kernel, &l->scratch))
        return 0;
    tsr__shapes_find(&shapes, &cfg, (struct tsr__packet){.width = width, .sub_group = width, .whole_rows = true}, &l->scratch);
    struct change in_y, in_z;
    const bool y = is_better(l, kernel, &shapes, 1, &in_y), z = !y && is_better(l, kernel, &shapes, 2, &in_z);
    *column_rows = z ? 0 : rows_of_line(y ? in_y.no_longer : in_y.side_by_side);
    return y ? 1 : z ? 2 : 0;
}

/* A code whose lanes follow a dimension is asked for where the range is narrow elsewhere, of kernels that see no sub-groups, and where
 * work-groups are columns, of those that do. */
static unsigned dimension_of(struct tsr__compilation *l, LLVMValueRef kernel, struct tsr_kernel_info *info)
{
    const unsigned required = tsr_column_dimension(info->reqd_local_size), wanted = l->options->lanes_in;
    const bool columns = required || (wanted && tsr__group_visibility(l, kernel) > TSR__SEES_NUMBERS);
    if (l->options->group_size[0] || !may_exchange(l, kernel, columns))
        return 0;
    return required ? required : wanted ? wanted - 1 : choose_dimension(l, kernel, tsr__sub_group_size(l, info), &info->column_rows);
}

bool tsr__pass_lane_dimension(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr_kernel_info *info = &l->info->kernels[i];
        LLVMValueRef kernel = tsr__kernel(l, info);
        const unsigned dimension = dimension_of(l, kernel, info);
        if (!dimension)
            continue;
        tsr__exchange_dimensions(l, kernel, dimension);
        info->flags |= dimension == 1 ? TSR_KERNEL_LANES_IN_Y : TSR_KERNEL_LANES_IN_Z;
        tsr__explain(l, kernel, "packets", dimension == 1 ? "along y" : "along z", "%s",
                     tsr_column_dimension(info->reqd_local_size) ? "work-groups are columns"
                     : l->options->lanes_in                      ? "for ranges that are narrow elsewhere, and work-groups that are columns"
                                                                 : "memory goes on from one work-item to the next there, not in x");
    }
    return true;
}
