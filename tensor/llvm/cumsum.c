/* SPDX-License-Identifier: Apache-2.0
 * Cumulative sums. A line is what follows each other in the mode that they go along. Lines along the first mode lie one behind the other:
 * a sub-group scans a block of a line at a time, or a work-item adds up all of it. Lines along other modes lie side by side: a work-item
 * takes lines, from the first element to the last. */
#include "tensor/llvm/index.h"

enum { LINES_AT_ONCE = 4 }; /* that one work-item adds up */

/* So many lines of each work-item together: what they read of the lines lies side by side. */
struct lines {
    const struct tsr__te_blas *o;
    uint32_t mode, count, parts; /* of lines; of a number */
    LLVMValueRef block;          /* first line of those that the work-group takes together */
    LLVMValueRef slices;         /* that the modes make which lines neither go along nor lie side by side in */
    LLVMValueRef *index[TSR__TE_MOST_TOGETHER];
};

/* Whether it is the mode that lines go along, or, if that is not the first one, the first one, in which they lie side by side. */
static bool is_in_slice(const struct lines *lines, uint32_t mode)
{
    return mode == lines->mode || mode == 0;
}

/* Indices of a slice. What the other modes leave is the last one's own. */
static void find_slice(struct tsr__te *e, const struct lines *lines, LLVMValueRef slice, LLVMValueRef *index)
{
    uint32_t last = lines->o->a.type->order;
    while (last && is_in_slice(lines, last - 1))
        last--;
    for (uint32_t i = 0; i < last; i++) {
        if (is_in_slice(lines, i))
            continue;
        LLVMValueRef size = lines->o->a.shape[i];
        index[i] = i + 1 < last ? LLVMBuildURem(e->builder, slice, size, "") : slice;
        slice = i + 1 < last ? LLVMBuildUDiv(e->builder, slice, size, "") : slice;
    }
}

/* ---- along the first mode ---- */

/* The elements from `first` on, one for each lane, on top of the sum of those before. `inside` NULL: each lane has one. Returns the sum of
 * all up to here. */
static struct tsr__te_number scan_block(struct tsr__te *e, const struct lines *lines, LLVMValueRef first, LLVMValueRef inside,
                                        struct tsr__te_number before)
{
    const struct tsr__te_blas *o = lines->o;
    LLVMValueRef *index = lines->index[0];
    index[0] = first;
    struct tsr__te_number scan =
        tsr__te_sub_group(e, "sub_group_scan_inclusive_add", o->sum, tsr__te_load_as(e, &o->a, index, inside, o->sum));
    struct tsr__te_number all = tsr__te_broadcast(e, o->sum, scan, tsr__te_i32(e, e->func->info.sub_group_size - 1));
    LLVMBasicBlockRef end = tsr__te_if(e, inside);
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), tsr__te_arith(e, TSR__T_ADD, o->sum, before, scan), o->sum);
    tsr__te_end_if(e, end);
    return tsr__te_arith(e, TSR__T_ADD, o->sum, before, all);
}

static void scan_line(struct tsr__te *e, const struct lines *lines, LLVMValueRef lane)
{
    const struct tsr__te_blas *o = lines->o;
    uint32_t lanes = e->func->info.sub_group_size;
    LLVMValueRef size = o->a.shape[0], whole = round_down(e, size, lanes), last = add(e, whole, lane);
    int64_t known = tsr__te_known(size);
    struct tsr__te_loop loop;
    struct tsr__te_number sum = tsr__te_number_loop(e, &loop, tsr__te_i64(e, 0), whole, tsr__te_i64(e, lanes), tsr__te_zero(e, o->sum));
    sum = tsr__te_end_number_loop(e, &loop, scan_block(e, lines, add(e, loop.index, lane), NULL, sum));
    if (known < 0 || known % lanes)
        scan_block(e, lines, last, less(e, last, size), sum);
}

/* Lines that are shorter than a sub-group, a few of them together: all are read before one is written. */
static void scan_short_lines(struct tsr__te *e, struct lines *lines, LLVMValueRef lane, struct tsr__te_together *together)
{
    const struct tsr__te_blas *o = lines->o;
    LLVMValueRef inside = less(e, lane, o->a.shape[0]), *index = lines->index[0];
    struct tsr__te_loop loop;
    LLVMValueRef step = tsr__te_i64(e, together->count);
    tsr__te_loop_or_once(e, &loop, tsr__te_i64(e, 0), lines->slices, step);
    for (uint32_t i = 0; i < together->count; i++) {
        index[0] = lane;
        find_slice(e, lines, tsr__te_one_together(e, together, loop.index, i), index);
        struct tsr__te_number own = tsr__te_load_as(e, &o->a, index, inside, o->sum);
        tsr__te_put_together(e, together, i, index, tsr__te_sub_group(e, "sub_group_scan_inclusive_add", o->sum, own));
    }
    LLVMBasicBlockRef end = tsr__te_if(e, inside);
    tsr__te_update_together(e, together, loop.index);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &loop, NULL);
}

/* The lines from `from` to `to`, so many at a time, as each addition waits for the one before it in the line. */
static void add_up_between(struct tsr__te *e, struct lines *lines, LLVMValueRef from, LLVMValueRef to, uint32_t count)
{
    const struct tsr__te_blas *o = lines->o;
    LLVMValueRef sums[2 * LINES_AT_ONCE], zero = tsr__te_zero(e, o->sum).re;
    struct tsr__te_loop slices, along;
    tsr__te_loop(e, &slices, from, to, tsr__te_i64(e, count), NULL, 0);
    for (uint32_t i = 0; i < count; i++)
        find_slice(e, lines, plus(e, slices.index, i), lines->index[i]);
    for (uint32_t i = 0; i < count * lines->parts; i++)
        sums[i] = zero;
    tsr__te_loop(e, &along, tsr__te_i64(e, 0), o->a.shape[0], tsr__te_i64(e, 1), sums, count * lines->parts);
    for (uint32_t i = 0; i < count; i++) {
        lines->index[i][0] = along.index;
        struct tsr__te_number sum = tsr__te_carried(&along, lines->parts, i);
        sum = tsr__te_arith(e, TSR__T_ADD, o->sum, sum, tsr__te_load_as(e, &o->a, lines->index[i], NULL, o->sum));
        tsr__te_update(e, o, tsr__te_address(e, &o->c, lines->index[i]), sum, o->sum);
        tsr__te_put_number(sums, lines->parts, i, sum);
    }
    tsr__te_end_loop(e, &along, sums);
    tsr__te_end_rolled_loop(e, &slices, NULL);
}

/* In numbers of two f64 one work-item adds up a line in less time than a sub-group scans it, as each step of a scan is four vectors. */
static void add_up_lines(struct tsr__te *e, struct lines *lines)
{
    LLVMValueRef whole = round_down(e, lines->slices, LINES_AT_ONCE);
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    if (tsr__te_known(whole))
        add_up_between(e, lines, tsr__te_i64(e, 0), whole, LINES_AT_ONCE);
    if (tsr__te_known(whole) < 0 || tsr__te_known(whole) != tsr__te_known(lines->slices))
        add_up_between(e, lines, whole, lines->slices, 1);
    tsr__te_end_if(e, end);
}

/* Sub-groups take the lines in turn. */
static void scan_first_mode(struct tsr__te *e, struct lines *lines)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    LLVMValueRef groups = tsr__te_i64(e, sizes[0] * sizes[1] / e->func->info.sub_group_size), size = lines->o->a.shape[0];
    LLVMValueRef lane = e->one_sub_group ? e->item[0] : tsr__te_lane(e);
    LLVMBasicBlockRef end = NULL;
    int64_t known = tsr__te_known(size);
    struct tsr__te_loop loop;
    struct tsr__te_together together;
    if (lines->o->sum == TSR__T_C64 && e->one_sub_group && e->unit.blocks) {
        add_up_lines(e, lines);
        return;
    }
    if (known < e->func->info.sub_group_size && e->one_sub_group &&
        tsr__te_begin_together(e, lines->o, lines->slices, TSR__TE_MOST_COLUMNS_TOGETHER, &together)) {
        end = tsr__te_if(e, known < 0 ? less(e, size, tsr__te_i64(e, e->func->info.sub_group_size)) : NULL);
        scan_short_lines(e, lines, lane, &together);
        if (known >= 0)
            return;
        end = tsr__te_else(e, end);
    }
    tsr__te_loop_or_once(e, &loop, tsr__te_sub_group_id(e), lines->slices, groups);
    find_slice(e, lines, loop.index, lines->index[0]);
    scan_line(e, lines, lane);
    tsr__te_end_loop(e, &loop, NULL);
    tsr__te_end_if(e, end);
}

/* ---- along other modes ---- */

static void scan_together(struct tsr__te *e, const struct lines *lines)
{
    const struct tsr__te_blas *o = lines->o;
    LLVMValueRef sums[2 * TSR__TE_MOST_TOGETHER], zero = tsr__te_zero(e, o->sum).re;
    struct tsr__te_loop along;
    for (uint32_t i = 0; i < lines->count * lines->parts; i++)
        sums[i] = zero;
    tsr__te_loop(e, &along, tsr__te_i64(e, 0), o->a.shape[lines->mode], tsr__te_i64(e, 1), sums, lines->count * lines->parts);
    if (o->a.type->order == 2) {
        tsr__te_prefetch_piece(e, &o->a, lines->block, along.index, lines->count);
        tsr__te_prefetch_piece(e, &o->c, lines->block, along.index, lines->count);
    }
    for (uint32_t i = 0; i < lines->count; i++) {
        struct tsr__te_number sum = tsr__te_carried(&along, lines->parts, i);
        lines->index[i][lines->mode] = along.index;
        sum = tsr__te_arith(e, TSR__T_ADD, o->sum, sum, tsr__te_load_as(e, &o->a, lines->index[i], NULL, o->sum));
        tsr__te_update(e, o, tsr__te_address(e, &o->c, lines->index[i]), sum, o->sum);
        tsr__te_put_number(sums, lines->parts, i, sum);
    }
    tsr__te_end_loop(e, &along, sums);
}

/* One line of each work-item that has one, a few elements of it together: all are read before one is written. */
static void scan_few(struct tsr__te *e, const struct lines *lines, struct tsr__te_together *together)
{
    const struct tsr__te_blas *o = lines->o;
    LLVMValueRef *index = lines->index[0];
    struct tsr__te_loop along;
    struct tsr__te_number sum =
        tsr__te_number_loop(e, &along, tsr__te_i64(e, 0), together->end, tsr__te_i64(e, together->count), tsr__te_zero(e, o->sum));
    for (uint32_t i = 0; i < together->count; i++) {
        index[lines->mode] = tsr__te_one_together(e, together, along.index, i);
        sum = tsr__te_arith(e, TSR__T_ADD, o->sum, sum, tsr__te_load_as(e, &o->a, index, NULL, o->sum));
        tsr__te_put_together(e, together, i, index, sum);
    }
    tsr__te_update_together(e, together, along.index);
    tsr__te_end_number_loop(e, &along, sum);
}

/* The lines from `from` to `to` of a slice; if they are known, there are some. `last`: no more than one of each work-item, which not all
 * have. */
static void scan_between(struct tsr__te *e, struct lines *lines, LLVMValueRef from, LLVMValueRef to, bool last,
                         struct tsr__te_together *few)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    uint32_t items = sizes[0] * sizes[1];
    struct tsr__te_loop blocks = {.index = from};
    LLVMBasicBlockRef any = tsr__te_if(e, tsr__te_known(to) < 0 ? less(e, from, to) : NULL);
    if (!last)
        tsr__te_sure_loop(e, &blocks, from, to, tsr__te_i64(e, (int64_t)items * lines->count));
    lines->block = blocks.index;
    LLVMValueRef first = add(e, blocks.index, add(e, e->item[0], times(e, e->item[1], sizes[0])));
    LLVMBasicBlockRef end = tsr__te_if(e, last ? less(e, first, to) : NULL);
    for (uint32_t i = 0; i < lines->count; i++)
        lines->index[i][0] = plus(e, first, i * items);
    if (few)
        scan_few(e, lines, few);
    else
        scan_together(e, lines);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &blocks, NULL);
    tsr__te_end_if(e, any);
}

/* The lines from `from` on, so many of each work-item together as fill blocks; returns where the others begin. */
static LLVMValueRef scan_whole(struct tsr__te *e, struct lines *lines, LLVMValueRef from, uint32_t count)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    LLVMValueRef all = lines->o->a.shape[0], whole = round_down(e, all, count * sizes[0] * sizes[1]);
    lines->count = count;
    if (tsr__te_known(all) < 0 || tsr__te_known(whole) != tsr__te_known(from))
        scan_between(e, lines, from, whole, false, NULL);
    return whole;
}

/* The last lines, or all if they are few: elements of so few lines that follow each other lie so close together that what is read would
 * wait for the masked store before it. */
static void scan_last(struct tsr__te *e, struct lines *lines, LLVMValueRef from)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    LLVMValueRef all = lines->o->a.shape[0], items = tsr__te_i64(e, sizes[0] * sizes[1]);
    int64_t known = tsr__te_known(all);
    struct tsr__te_together together;
    LLVMBasicBlockRef end = NULL;
    if (known < tsr__te_known(items) &&
        tsr__te_begin_together(e, lines->o, lines->o->a.shape[lines->mode], TSR__TE_MOST_COLUMNS_TOGETHER, &together)) {
        end = tsr__te_if(e, known < 0 ? less(e, all, items) : NULL);
        scan_between(e, lines, from, all, true, &together);
        if (known >= 0)
            return;
        end = tsr__te_else(e, end);
    }
    scan_between(e, lines, from, all, true, NULL);
    tsr__te_end_if(e, end);
}

static void scan_other_mode(struct tsr__te *e, struct lines *lines)
{
    LLVMValueRef from = tsr__te_i64(e, 0), all = lines->o->a.shape[0];
    uint32_t count = e->unit.blocks ? tsr__te_rows_together(e, lines->o) : 1;
    struct tsr__te_loop loop;
    tsr__te_loop_or_once(e, &loop, from, lines->slices, tsr__te_i64(e, 1));
    for (uint32_t i = 0; i < count; i++)
        find_slice(e, lines, loop.index, lines->index[i]);
    if (count > 1)
        from = scan_whole(e, lines, from, count);
    from = scan_whole(e, lines, from, 1);
    if (tsr__te_known(all) < 0 || tsr__te_known(all) != tsr__te_known(from))
        scan_last(e, lines, from);
    tsr__te_end_loop(e, &loop, NULL);
}

TSR_TE_FUNCTION(cumsum)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    struct lines lines = {.o = &o, .mode = (uint32_t)inst->mode[0], .parts = tsr__te_parts(o.sum), .slices = tsr__te_i64(e, 1)};
    for (uint32_t i = 0; i < o.a.type->order; i++)
        if (!is_in_slice(&lines, i))
            lines.slices = mul(e, lines.slices, o.a.shape[i]);
    for (uint32_t i = 0; i < TSR__TE_MOST_TOGETHER; i++)
        lines.index[i] = tsr__te_room(e, o.a.type->order);
    if (lines.mode == 0)
        scan_first_mode(e, &lines);
    else
        scan_other_mode(e, &lines);
}
