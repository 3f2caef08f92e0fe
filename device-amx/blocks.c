/* SPDX-License-Identifier: Apache-2.0
 * Launches of kernels whose loops over K may wait for each other: a unit of the launch is a block of work-groups, whose loops are done
 * together (tiles_share.c). The more rows and columns of C a block has, the more often is what was packed used; but there are to be blocks
 * for all threads. */
#include "device-amx/costs.h"
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

/* Rows of C of a work-group, or columns: as earlier launches had them. */
static uint64_t of_group(const struct tsr_launch *launch, int dim)
{
    const struct tsr_group *group = &launch->group;
    uint64_t packets = dim ? group->enqueued_local_size[1] : group->enqueued_local_size[0] / group->sub_group_size;
    uint64_t known = atomic_load_explicit(&launch->entry->loop_size[dim], memory_order_relaxed);
    return packets * (known && known != TSR__LOOPS_DO_NOT_WAIT ? known : TSR_TILE_ROWS);
}

static bool are_full_groups(const struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    for (int d = 0; d < 3; d++)
        if (group->global_size[d] % group->enqueued_local_size[d])
            return false;
    return tsr__packets_in_rows(launch);
}

void tsr__blocks_cut(struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    struct tsr__blocks *blocks = &launch->blocks;
    unsigned threads = tsr__cpu_caps()->compute_units;
    uint64_t wanted = threads > 1 ? threads * TSR__GROUPS_PER_WORKER : 1, in_group[2];
    if (atomic_load_explicit(&launch->entry->loop_size[0], memory_order_relaxed) == TSR__LOOPS_DO_NOT_WAIT)
        return;
    if (!(launch->flags & TSR_KERNEL_SHARES_OPERANDS) || launch->form != TSR_FORM_ROWS || !launch->groups || !are_full_groups(launch))
        return;
    for (int d = 0; d < 2; d++) {
        in_group[d] = of_group(launch, d);
        blocks->size[d] = tsr__divide_up(group->num_groups[d], tsr__divide_up(group->num_groups[d] * in_group[d], TSR__BLOCK_MOST));
    }
    for (;;) {
        for (int d = 0; d < 2; d++)
            blocks->count[d] = tsr__divide_up(group->num_groups[d], blocks->size[d]);
        bool halves[2];
        for (int d = 0; d < 2; d++)
            halves[d] = blocks->size[d] > 1 && blocks->size[d] * in_group[d] > TSR__BLOCK_LEAST;
        int longer = blocks->size[1] * in_group[1] >= blocks->size[0] * in_group[0], d = halves[longer] ? longer : !longer;
        if (blocks->count[0] * blocks->count[1] * group->num_groups[2] >= wanted || !halves[d])
            break;
        blocks->size[d] = tsr__divide_up(blocks->size[d], 2);
    }
    uint64_t items = launch->groups * launch->group_items;
    launch->groups = blocks->count[0] * blocks->count[1] * group->num_groups[2];
    launch->group_items = tsr__divide_up(items, launch->groups);
}

/* One pass over the packets of a block, whose groups begin at these ids. */
static void run_block(struct tsr__run *run, const uint64_t at[2], const uint64_t groups[3], enum tsr__pass pass)
{
    static const uint64_t first_id[3];
    run->pass = pass;
    run->group.group_id[0] = at[0];
    run->group.group_id[1] = at[1];
    tsr__packets_rows(run, first_id, run->group.local_size[0], groups);
    run->pass = TSR__ONLY_PASS;
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
        uint64_t at[2] = {begin % blocks->count[0], begin / blocks->count[0] % blocks->count[1]}, groups[3] = {1, 1, 1};
        group->group_id[2] = begin / (blocks->count[0] * blocks->count[1]);
        for (int d = 0; d < 2; d++) {
            at[d] *= blocks->size[d];
            uint64_t left = group->num_groups[d] - at[d];
            groups[d] = left < blocks->size[d] ? left : blocks->size[d];
        }
        bool twice = run->launch->flags & TSR_KERNEL_RUNS_TWICE && run->shares &&
                     !atomic_load_explicit(&run->launch->shares_nothing, memory_order_relaxed);
        if (twice) {
            tsr__tile_twice_begin(run);
            run_block(run, at, groups, TSR__FIRST_PASS);
            tsr__tile_twice_multiply(run);
        }
        run_block(run, at, groups, twice ? TSR__SECOND_PASS : TSR__ONLY_PASS);
    }
    tsr__tile_loops_end(run);
}
