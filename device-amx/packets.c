/* SPDX-License-Identifier: Apache-2.0
 * Work-groups of kernels that run in packets and do not meet: whole rows of many groups at once, the rest packet by packet. */
#include <string.h>

#include "device-amx/cpu.h"

enum {
    /* A range that the device may cut as it likes: pieces that are worth a call, and enough of them for all threads. */
    MOST_ITEMS = 1024,
    PIECES = 256,
    LEAST_PACKETS = 4,
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void tsr__packets_cut(struct tsr_ndrange *range, uint32_t width)
{
    uint64_t total = range->global[0] * range->global[1] * range->global[2], items = least(total / PIECES, MOST_ITEMS);
    items -= items % width;
    if (items < (uint64_t)LEAST_PACKETS * width)
        items = (uint64_t)LEAST_PACKETS * width;
    range->local[0] = range->global[0] < width ? range->global[0] : least(range->global[0] - range->global[0] % width, items);
    for (int d = 1; d < 3; d++) {
        items /= range->local[d - 1];
        range->local[d] = items < 1 ? 1 : least(range->global[d], items);
    }
}

bool tsr__packets_in_rows(const struct tsr_group *group)
{
    uint32_t width = group->sub_group_size;
    return group->enqueued_local_size[0] % width == 0 && group->global_offset[0] % width == 0;
}

void tsr__packet_ids(const struct tsr_group *group, struct tsr_item *item, uint32_t (*ids)[TSR__MAX_SUB_GROUP], uint64_t id[3],
                     uint64_t column)
{
    const uint64_t *size = group->local_size;
    for (uint32_t lane = 0; lane < item->sub_group_size; lane++) {
        for (int d = 0; d < 3; d++)
            ids[d][lane] = (uint32_t)id[d];
        if (++id[0] < size[0])
            continue;
        id[0] = column;
        if (++id[1] < size[1])
            continue;
        id[1] = 0;
        id[2]++;
    }
    for (int d = 0; d < 3; d++)
        item->packet_ids[d] = ids[d];
}

/* The work-items of the group from this column on, densely packed in linear order. */
static void run_rest(struct tsr__run *run, uint64_t column)
{
    struct tsr_group *group = &run->group;
    uint32_t width = group->sub_group_size;
    uint64_t left = (group->local_size[0] - column) * group->local_size[1] * group->local_size[2], id[3] = {column};
    struct tsr_item *item = &run->items->item;
    *item = (struct tsr_item){.group = group};
    while (left) {
        item->sub_group_size = (uint32_t)least(left, width);
        memcpy(item->local_id, id, sizeof item->local_id);
        tsr__packet_ids(group, item, run->ids[0], id, column);
        run->launch->entry->run(item);
        item->linear_id += width;
        item->sub_group_id++;
        left -= item->sub_group_size;
    }
}

/* Runs these columns of `count` groups in one call. */
static void run_rows(struct tsr__run *run, uint64_t columns, uint64_t count)
{
    struct tsr_group *group = &run->group;
    run->items->item = (struct tsr_item){.group = group,
                                         .sub_group_size = group->sub_group_size,
                                         .whole_packet = true,
                                         .columns = columns,
                                         .groups = count,
                                         .contexts = run->contexts};
    run->launch->entry->run(&run->items->item);
}

/* Work-groups from this one on that follow each other in x and have the same size. */
static uint64_t alike(const struct tsr__run *run, uint64_t most)
{
    const struct tsr_group *group = &run->group;
    uint64_t full = group->global_size[0] / group->enqueued_local_size[0];
    return group->group_id[0] < full ? least(full - group->group_id[0], most) : 1;
}

uint64_t tsr__packets_whole(struct tsr__run *run, uint64_t most)
{
    if (!tsr__packets_in_rows(&run->group) || run->group.local_size[0] % run->group.sub_group_size)
        return 0;
    uint64_t count = alike(run, most);
    run->items->run = run;
    run_rows(run, run->group.local_size[0], count);
    return count;
}

void tsr__packets_run(struct tsr__run *run, uint64_t begin, uint64_t end)
{
    const struct tsr_group *group = &run->group;
    bool in_rows = tsr__packets_in_rows(group), is_free = run->launch->flags & TSR_KERNEL_FREE;
    run->items->run = run;
    tsr__group_set(run, begin);
    for (uint64_t count; begin < end; begin += count, tsr__group_next(run, count)) {
        count = tsr__packets_whole(run, end - begin);
        if (count)
            continue;
        count = 1;
        /* A sub-group goes on in the next row, unless nobody can tell. */
        uint64_t row = group->local_size[0], columns = in_rows && is_free ? row - row % group->sub_group_size : 0;
        if (columns)
            run_rows(run, columns, 1);
        run_rest(run, columns);
    }
}
