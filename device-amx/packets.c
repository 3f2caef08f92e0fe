/* SPDX-License-Identifier: Apache-2.0
 * Runs work-groups of kernels that have packets and no barriers: full rows of many groups in one call, other groups packet by packet. */
#include <string.h>

#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

/* Runs the packets of a group one by one, with work-items in linear order and no lane unused but in the last. */
static void run_densely(struct tsr__run *run)
{
    const struct tsr_group *group = &run->group;
    struct tsr_item *item = &run->items->item;
    tsr__packets_write_ids(run);
    *item = (struct tsr_item){.group = group, .sub_group_size = group->sub_group_size};
    for (uint32_t i = 0; i < group->num_sub_groups; i++) {
        if (item->linear_id + item->sub_group_size > run->count)
            item->sub_group_size = run->count - item->linear_id;
        for (int d = 0; d < 3; d++) {
            item->packet_ids[d] = run->ids[i][d];
            item->local_id[d] = run->ids[i][d][0];
        }
        item->sub_group_id = i;
        run->launch->entry->run(item);
        item->linear_id += group->sub_group_size;
    }
}

/* How many work-groups from this one on follow each other in x and have the same size. */
static uint64_t alike(const struct tsr__run *run, uint64_t most)
{
    const struct tsr_group *group = &run->group;
    uint64_t full = group->global_size[0] / group->enqueued_local_size[0];
    uint64_t left = group->group_id[0] < full ? full - group->group_id[0] : 1;
    left = left < run->in_row ? left : run->in_row;
    return left < most ? left : most;
}

/* Finds a box of groups of the same size that begins at this group and comes next in the order of groups: part of a row, rows, or planes.
 * */
static void find_box(const struct tsr__run *run, uint64_t most, uint64_t count[3])
{
    const struct tsr_group *group = &run->group;
    uint64_t before = 1; /* groups of a full row, then of a full plane */
    count[0] = alike(run, most);
    count[1] = count[2] = 1;
    for (int d = 1; d < 3; d++) {
        before *= group->num_groups[d - 1];
        bool whole = group->group_id[d - 1] == 0 && count[d - 1] == group->num_groups[d - 1];
        uint64_t full = group->global_size[d] / group->enqueued_local_size[d], in_most = most / before;
        if (!whole || group->group_id[d] >= full || !in_most)
            return;
        uint64_t left = full - group->group_id[d];
        count[d] = left < in_most ? left : in_most;
    }
}

/* Whether the group consists of full packets, or of those that the code is made for. */
static bool is_whole(const struct tsr__run *run)
{
    const struct tsr_group *group = &run->group;
    return tsr__packets_in_rows(run->launch) &&
           (run->launch->flags & TSR_KERNEL_GROUP_SIZE || group->local_size[0] % group->sub_group_size == 0);
}

/* A row of the group in full packets. Code that is made for its size knows better. */
static uint64_t columns_of(const struct tsr__run *run)
{
    return tsr_sub_group_count(run->group.local_size[0], run->group.sub_group_size) * run->group.sub_group_size;
}

static const uint64_t first_id[3];

static uint64_t run_whole(struct tsr__run *run, uint64_t most)
{
    uint64_t count[3];
    if (!is_whole(run))
        return 0;
    find_box(run, most, count);
    tsr__packets_rows(run, first_id, columns_of(run), count);
    return count[0] * count[1] * count[2];
}

uint64_t tsr__packets_in_regions(struct tsr__run *run, uint64_t most)
{
    uint64_t count[3] = {alike(run, most), 1, 1};
    run->items->run = run;
    if (is_whole(run)) {
        tsr__packets_rows(run, first_id, columns_of(run), count);
        return count[0];
    }
    struct tsr_item *item = &run->items->item;
    *item = (struct tsr_item){
        .group = &run->group, .sub_group_size = run->group.sub_group_size, .groups = {count[0], 1, 1}, .contexts = run->contexts};
    if (!(run->launch->flags & TSR_KERNEL_IGNORES_SUB_GROUPS)) {
        tsr__packets_write_ids(run);
        for (int d = 0; d < 3; d++)
            item->packet_ids[d] = run->ids[0][d];
    }
    run->launch->entry->run(item);
    return count[0];
}

void tsr__packets_run(struct tsr__run *run, uint64_t begin, uint64_t end)
{
    run->items->run = run;
    run->shares = true;
    tsr__group_set(run, begin);
    for (uint64_t count; begin < end; begin += count, tsr__group_next(run, count)) {
        count = run_whole(run, end - begin);
        if (count)
            continue;
        count = 1;
        if (run->launch->flags & TSR_KERNEL_IGNORES_SUB_GROUPS)
            tsr__boxes_group(run);
        else
            run_densely(run);
    }
    tsr__tile_loops_end(run);
}
