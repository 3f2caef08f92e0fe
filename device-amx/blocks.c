/* SPDX-License-Identifier: Apache-2.0
 * Launches of kernels whose loops over K may wait for each other: a unit of the launch is a block of work-groups, whose loops are done
 * together (tiles_share.c). The more rows and columns of C a block has, the more often is what was packed used; but there are to be blocks
 * for all threads. */
#include "device-amx/costs.h"
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

/* An odd number, so that numbers of launches come again only after 2^64 of them; and no numbers that memory may have held before. */
#define NUMBERS_APART UINT64_C(0x9e3779b97f4a7c15)

static uint64_t packets_in_row(const struct tsr_launch *launch)
{
    return launch->group.enqueued_local_size[0] / launch->group.sub_group_size;
}

/* What earlier launches had, if it divides the number. */
static uint64_t known_part(const struct tsr_launch *launch, int what, uint64_t of)
{
    const uint64_t known = atomic_load_explicit(&launch->entry->loop_size[what], memory_order_relaxed);
    return known && of % known == 0 ? known : 1;
}

/* The number of parts into which the packets of a row of work-items cut K; each part has operands of its own. */
static uint64_t parts_of_k(const struct tsr_launch *launch)
{
    return known_part(launch, 4, packets_in_row(launch));
}

/* Packets of a work-group whose parts of C lie under each other, or beside each other. */
static uint64_t packets_of(const struct tsr_launch *launch, int dim)
{
    const uint64_t in_row = packets_in_row(launch) / parts_of_k(launch), under = known_part(launch, 3, in_row);
    return dim ? launch->group.enqueued_local_size[1] * under : in_row / under;
}

/* Rows of C of a work-group, or columns. */
static uint64_t of_group(const struct tsr_launch *launch, int dim)
{
    uint64_t known = atomic_load_explicit(&launch->entry->loop_size[dim], memory_order_relaxed);
    return packets_of(launch, dim) * (known && known != TSR__LOOPS_DO_NOT_WAIT ? known : TSR_TILE_ROWS);
}

/* `groups` of a dimension rounded up until their C has whole panels: loops of 8 columns need a neighbour for a tile. */
static uint64_t in_panels(const struct tsr_launch *launch, int dim, uint64_t groups)
{
    const uint64_t in_group = of_group(launch, dim), step = in_group < TSR__BLOCK_PANEL ? TSR__BLOCK_PANEL / in_group : 1;
    return tsr__divide_up(groups, step) * step;
}

/* Are all work-groups in a row? Their numbers may stand for rows and columns of tiles of C (a program's own order of tiles), so which of
 * them lie beside each other is not known. */
static bool are_in_a_row(const struct tsr_launch *launch)
{
    return launch->group.num_groups[1] == 1;
}

/* Sums of the loop, each of which has a C of its own. */
static uint64_t sums_of_loop(const struct tsr_launch *launch)
{
    const uint32_t known = atomic_load_explicit(&launch->entry->loop_size[5], memory_order_relaxed);
    return known > 1 ? known : 1;
}

/* Bytes of C, or of one of its sums, of packets that run twice, which are to stay in the second cache beside B and what the packets read
 * and write. */
static uint64_t best_c(const struct tsr_launch *launch)
{
    const uint64_t sums = sums_of_loop(launch);
    return sums > 1 ? tsr__tile_grid_best_b() / sums : tsr__tile_grid_best_b() / 4;
}

/* The most grids of operands that a work-group may have: those of parts of K, and of products that follow each other in z. */
static uint64_t grids_of_group(const struct tsr_launch *launch)
{
    return parts_of_k(launch) * launch->group.enqueued_local_size[2];
}

/* Rows of C of such packets, at least. */
static uint64_t least_rows(const struct tsr_launch *launch)
{
    if (sums_of_loop(launch) > 1)
        return TSR__TWICE_ROWS_OF_SUMS;
    return grids_of_group(launch) > 1 ? TSR__TWICE_ROWS_OF_GRIDS : TSR__TWICE_ROWS;
}

static bool has_two_passes(const struct tsr_launch *launch)
{
    return launch->flags & TSR_KERNEL_RUNS_TWICE && !tsr__tile_twice_is_idle(launch);
}

/* Columns of C of groups with several grids each: as many as there is room for C, and for the packed B of all grids. A is packed again for
 * each part beside another one. */
static uint64_t columns_of_grids(const struct tsr_launch *launch, uint64_t grids)
{
    const uint64_t known = atomic_load_explicit(&launch->entry->loop_size[6], memory_order_relaxed),
                   by_b = tsr__tile_grid_best_b() / ((known ? known : TSR__TWICE_DEPTH) * grids),
                   by_c = 2 * best_c(launch) / (4 * least_rows(launch) * grids);
    const uint64_t best = tsr__least(by_b, by_c) / TSR__BLOCK_PANEL * TSR__BLOCK_PANEL;
    return best > TSR__BLOCK_PANEL ? best : TSR__BLOCK_PANEL;
}

/* Columns of C whose B is packed at a time, and for packets that run twice leaves room for C. */
static uint64_t best_columns(const struct tsr_launch *launch)
{
    const bool twice = has_two_passes(launch);
    if (twice && grids_of_group(launch) > 1)
        return columns_of_grids(launch, grids_of_group(launch));
    const uint64_t known = atomic_load_explicit(&launch->entry->loop_size[2], memory_order_relaxed),
                   by_b = tsr__tile_grid_best_b() / (twice ? 2 : 1) / (known ? known : TSR__TWICE_DEPTH),
                   by_c = twice ? best_c(launch) / (4 * least_rows(launch)) : UINT64_MAX, best = tsr__least(by_b, by_c);
    const uint64_t least = twice && sums_of_loop(launch) > 1 ? TSR__BLOCK_PANEL : TSR__BLOCK_LEAST;
    return best > least ? best : least;
}

static bool are_full_groups(const struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    for (int d = 0; d < 3; d++)
        if (group->global_size[d] % group->enqueued_local_size[d])
            return false;
    return tsr__packets_in_rows(launch);
}

/* The dimension in which blocks are to be halved, or less than 0. Columns are until their B is packed at a time, then rows, since B stays
 * packed for the block below, and at last both, until there are enough blocks. */
static int dimension_to_halve(const struct tsr_launch *launch, const uint64_t in_group[2], bool enough)
{
    const uint64_t *groups = launch->blocks.size, columns = groups[0] * in_group[0], rows = groups[1] * in_group[1];
    const uint64_t enough_rows = launch->flags & TSR_KERNEL_AMX_TILES ? TSR__BLOCK_LEAST : TSR__BLOCK_ROWS;
    const bool wide = columns > best_columns(launch), narrows = groups[0] > 1 && columns > TSR__BLOCK_LEAST,
               shortens = groups[1] > 1 && rows > TSR__BLOCK_LEAST;
    if (wide && narrows && !are_in_a_row(launch))
        return 0;
    if (enough || (!narrows && !shortens))
        return -1;
    return shortens && (rows > enough_rows || rows >= columns || !narrows);
}

static uint64_t count_blocks(struct tsr_launch *launch)
{
    struct tsr__blocks *blocks = &launch->blocks;
    for (int d = 0; d < 3; d++)
        blocks->count[d] = tsr__divide_up(launch->group.num_groups[d], blocks->size[d]);
    return blocks->count[0] * blocks->count[1] * blocks->count[2];
}

/* Work-groups in z have products of their own, unless all are there, in which case their numbers may stand for tiles of C. */
static void cut_depth(struct tsr_launch *launch, uint64_t wanted)
{
    const uint64_t *groups = launch->group.num_groups;
    launch->blocks.size[2] = groups[0] == 1 && groups[1] == 1 ? tsr__divide_up(groups[2], wanted) : 1;
}

/* Work-groups that go through tiles of C in loops: which these are, only they know. */
static void cut_evenly(struct tsr_launch *launch, uint64_t wanted)
{
    struct tsr__blocks *blocks = &launch->blocks;
    for (int d = 0; d < 2; d++)
        blocks->size[d] = launch->group.num_groups[d];
    while (count_blocks(launch) < wanted && (blocks->size[0] > 1 || blocks->size[1] > 1)) {
        const int halved = blocks->size[1] > 1;
        blocks->size[halved] = tsr__divide_up(blocks->size[halved], 2);
    }
}

static void cut_into_panels(struct tsr_launch *launch, uint64_t wanted)
{
    const struct tsr_group *group = &launch->group;
    struct tsr__blocks *blocks = &launch->blocks;
    uint64_t in_group[2];
    for (int d = 0; d < 2; d++) {
        in_group[d] = of_group(launch, d);
        const uint64_t parts = are_in_a_row(launch) ? 1 : tsr__divide_up(group->num_groups[d] * in_group[d], TSR__BLOCK_MOST);
        blocks->size[d] = in_panels(launch, d, tsr__divide_up(group->num_groups[d], parts));
    }
    for (int halved = 0; halved >= 0;) {
        halved = dimension_to_halve(launch, in_group, count_blocks(launch) >= wanted);
        if (halved >= 0)
            blocks->size[halved] = in_panels(launch, halved, tsr__divide_up(blocks->size[halved], 2));
    }
}

void tsr__blocks_cut(struct tsr_launch *launch)
{
    struct tsr__blocks *blocks = &launch->blocks;
    unsigned threads = tsr__cpu_caps()->compute_units;
    static _Atomic uint64_t last_launch;
    if (!(launch->flags & (TSR_KERNEL_SHARES_OPERANDS | TSR_KERNEL_AMX_TILES)))
        return;
    /* Also of launches without blocks, whose loops may wait all the same: what is packed for one is not for another. */
    blocks->launch = atomic_fetch_add_explicit(&last_launch, NUMBERS_APART, memory_order_relaxed) + NUMBERS_APART;
    if (!(launch->flags & TSR_KERNEL_SHARES_OPERANDS))
        return;
    if (atomic_load_explicit(&launch->entry->loop_size[0], memory_order_relaxed) == TSR__LOOPS_DO_NOT_WAIT)
        return;
    if ((launch->form != TSR_FORM_ROWS && launch->form != TSR_FORM_REGIONS) || !launch->groups || !are_full_groups(launch))
        return;
    const uint64_t per_worker = has_two_passes(launch) && grids_of_group(launch) > 1 ? TSR__GRID_BLOCKS_PER_WORKER : TSR__BLOCKS_PER_WORKER;
    cut_depth(launch, threads > 1 ? threads * per_worker : 1);
    if (atomic_load_explicit(&launch->entry->repeats_loops, memory_order_relaxed))
        cut_evenly(launch, threads > 1 ? threads * TSR__LARGE_BLOCKS_PER_WORKER : 1);
    else
        cut_into_panels(launch, threads > 1 ? threads * per_worker : 1);
    uint64_t items = launch->groups * launch->group_items;
    launch->groups = count_blocks(launch);
    launch->group_items = tsr__divide_up(items, launch->groups);
}

/* One pass over the packets of a block, whose groups begin at these ids. */
static void run_block(struct tsr__run *run, const uint64_t at[2], const uint64_t groups[3], enum tsr__pass pass)
{
    static const uint64_t first_id[3];
    run->pass = pass;
    /* Functions with barrier regions run work-groups that follow each other in x. */
    const uint64_t rows = run->launch->form == TSR_FORM_REGIONS ? groups[1] : 1,
                   columns = pass != TSR__ONLY_PASS && tsr__goes_down_columns(run->launch) ? groups[0] : 1,
                   count[3] = {groups[0] / columns, groups[1] / rows, groups[2]};
    for (uint64_t i = 0; i < rows * columns; i++) {
        run->group.group_id[0] = at[0] + i / rows;
        run->group.group_id[1] = at[1] + i % rows;
        tsr__packets_rows(run, first_id, run->group.local_size[0], count);
    }
    run->pass = TSR__ONLY_PASS;
}

static bool runs_twice(const struct tsr__run *run)
{
    return has_two_passes(run->launch) && run->shares && !atomic_load_explicit(&run->launch->shares_nothing, memory_order_relaxed);
}

/* The number of parts into which to cut `groups` of this dimension, each of which has not much less than `best` rows of C, or columns. */
static uint64_t parts_of(const struct tsr__run *run, int dim, uint64_t groups, uint64_t best)
{
    const uint64_t all = groups * of_group(run->launch, dim), parts = dim ? all / best : tsr__divide_up(all, best);
    return parts < 1 ? 1 : parts < groups ? parts : groups;
}

/* Columns of C of a part of a block. Work-groups in a row have no others below, so there may be as many as there is room for C. */
static uint64_t columns_of_part(const struct tsr_launch *launch)
{
    const uint64_t best = best_columns(launch), row_bytes = 4 * of_group(launch, 1) * grids_of_group(launch),
                   room = tsr__least(best_c(launch) / row_bytes, TSR__BLOCK_MOST);
    return are_in_a_row(launch) && room > best ? room : best;
}

/* The first pass over a part of `groups` work-groups, which has `packets` packets in x and in y. */
static void run_first_pass(struct tsr__run *run, const uint64_t at[2], const uint64_t groups[3], const uint64_t packets[2])
{
    const uint64_t row[3] = {groups[0], 1, groups[2]}, below[2] = {at[0], at[1] + 1}, column[3] = {1, groups[1] - 1, groups[2]};
    tsr__tile_twice_begin(run, packets[0], packets[1]);
    bool known = groups[2] == 1 && tsr__tile_twice_may_sample(run, groups[0], groups[1]);
    if (known) {
        run_block(run, at, row, TSR__FIRST_PASS);
        tsr__tile_twice_end_row(run);
        run_block(run, below, column, TSR__FIRST_PASS);
        known = tsr__tile_twice_expect(run, groups[0], groups[1]);
        if (!known)
            tsr__tile_twice_begin(run, packets[0], packets[1]);
    }
    if (!known)
        run_block(run, at, groups, TSR__FIRST_PASS);
}

/* Packets that run twice take the block part by part, so that C is in the second cache from the first time to the second. Parts under each
 * other come in a row, as they have the same B. */
static void run_in_parts(struct tsr__run *run, const uint64_t at[2], const uint64_t groups[3])
{
    const uint64_t best = columns_of_part(run->launch), parts = grids_of_group(run->launch), least = least_rows(run->launch),
                   in_group[2] = {packets_of(run->launch, 0) * parts, packets_of(run->launch, 1) * parts};
    uint64_t from[2], count[3] = {1, 1, 1};
    for (uint64_t x = 0; x < groups[0]; x += count[0]) {
        const uint64_t left = groups[0] - x, beside = parts_of(run, 0, left, best);
        count[0] = tsr__least(left, in_panels(run->launch, 0, tsr__divide_up(left, beside)));
        for (uint64_t y = 0; y < groups[1]; y += count[1]) {
            const uint64_t columns = count[0] * of_group(run->launch, 0), rows = best_c(run->launch) / (4 * columns * parts);
            const uint64_t under = parts_of(run, 1, groups[1] - y, rows > least ? rows : least);
            count[1] = tsr__least(groups[1] - y, in_panels(run->launch, 1, (groups[1] - y) / under));
            from[0] = at[0] + x;
            from[1] = at[1] + y;
            if (runs_twice(run)) {
                run_first_pass(run, from, count, (const uint64_t[]){count[0] * in_group[0], count[1] * in_group[1]});
                tsr__tile_twice_multiply(run);
                run_block(run, from, count, TSR__SECOND_PASS);
            } else
                run_block(run, from, count, TSR__ONLY_PASS);
        }
    }
}

void tsr__blocks_run(struct tsr__run *run, uint64_t begin, uint64_t end)
{
    const struct tsr__blocks *blocks = &run->launch->blocks;
    struct tsr_group *group = &run->group;
    run->items->run = run;
    run->shares = true;
    for (int d = 0; d < 3; d++)
        group->local_size[d] = group->enqueued_local_size[d];
    group->num_sub_groups = group->enqueued_num_sub_groups;
    for (; begin < end; begin++) {
        uint64_t at[2] = {begin / blocks->count[1] % blocks->count[0], begin % blocks->count[1]}, groups[3] = {1, 1, 1};
        const uint64_t first = begin / (blocks->count[0] * blocks->count[1]) * blocks->size[2];
        for (int d = 0; d < 2; d++) {
            at[d] *= blocks->size[d];
            groups[d] = tsr__least(group->num_groups[d] - at[d], blocks->size[d]);
        }
        for (uint64_t z = first; z < first + blocks->size[2] && z < group->num_groups[2]; z++) {
            group->group_id[2] = z;
            if (runs_twice(run))
                run_in_parts(run, at, groups);
            else
                run_block(run, at, groups, TSR__ONLY_PASS);
            if (group->local_size[2] > 1) /* none of the next block's operands is among those that wait */
                tsr__tile_loops_end(run);
        }
    }
    tsr__tile_loops_end(run);
}
