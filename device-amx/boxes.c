/* SPDX-License-Identifier: Apache-2.0
 * Runs kernels whose work-items do not depend on which others share their packet: the range is cut into boxes of work-items, which may
 * reach across work-groups. */
#include <string.h>

#include "device-amx/cpu.h"
#include "device-amx/costs.h"

enum {
    MOST_JOINED = 65536, /* boxes in one call: columns are counted in 32 bits */
};

/* The columns of boxes are counted from the last multiple of the sub-group size at or before the first global id. */
static uint64_t shift(const struct tsr_group *group, int dim)
{
    return dim == 0 ? group->global_offset[0] % group->sub_group_size : 0;
}

/* The same from the first global id of the part that is cut. */
static uint64_t shift_of_part(const struct tsr_launch *launch, int dim)
{
    return dim == 0 ? (launch->group.global_offset[0] + launch->boxes.begin[0]) % launch->group.sub_group_size : 0;
}

/* Where the smaller work-groups at the end of the dimension begin; the end of the part if there are none. */
static uint64_t end_of_full(const struct tsr_launch *launch, int dim)
{
    uint64_t end = launch->boxes.end[dim], local = launch->group.enqueued_local_size[dim];
    return launch->flags & TSR_KERNEL_GLOBAL_IDS_ONLY || local == 1 ? end : end - end % local;
}

/* Asks the kernel. Packets are cut as in the whole range: a launch that has code for full ones alone needs no other. */
static void find_busy(struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    struct tsr__boxes *boxes = &launch->boxes;
    struct tsr_box busy;
    for (int d = 0; d < 3; d++) {
        if (!tsr__ids_are_ints(group->global_offset[d], group->global_size[d]))
            return;
        busy.from[d] = (int64_t)group->global_offset[d];
        busy.to[d] = busy.from[d] + (int64_t)group->global_size[d];
    }
    struct tsr_item item = {.group = group, .busy = &busy};
    launch->entry->run(&item);
    for (int d = 0; d < 3; d++) {
        if (busy.from[d] >= busy.to[d]) {
            boxes->end[d] = 0;
            continue;
        }
        uint64_t width = d == 0 ? group->sub_group_size : 1, first = group->global_offset[d];
        uint64_t from = (uint64_t)busy.from[d] / width * width, to = tsr__divide_up((uint64_t)busy.to[d], width) * width;
        boxes->begin[d] = from > first ? from - first : 0;
        boxes->end[d] = tsr__least(to - first, boxes->end[d]);
    }
}

/* Boxes are columns of one packet in each row, and are not joined. */
static bool has_columns(const struct tsr_launch *launch)
{
    return launch->column_rows > 1 && launch->boxes.end[1] - launch->boxes.begin[1] > 1;
}

bool tsr__boxes_cut(struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    struct tsr__boxes *boxes = &launch->boxes;
    uint32_t width = group->sub_group_size, step = launch->flags & TSR_KERNEL_ONE_LANE ? TSR_MOST_INTERLEAVED : width;
    for (int d = 0; d < 3; d++) {
        boxes->begin[d] = 0;
        boxes->end[d] = group->global_size[d];
    }
    bool rows = !(launch->flags & (TSR_KERNEL_GLOBAL_IDS_ONLY | TSR_KERNEL_GROUP_LANES)) && tsr__packets_in_rows(launch);
    if (!(launch->flags & TSR_KERNEL_MIXED_GROUPS) || rows || tsr__groups_have_threads(launch))
        return false;
    if (launch->flags & TSR_KERNEL_BUSY_BOX && !(launch->flags & TSR_KERNEL_ENQUEUES) && launch->private_bytes <= TSR__WORKER_STACK_BYTES)
        find_busy(launch);
    uint64_t part[3];
    for (int d = 0; d < 3; d++)
        part[d] = boxes->end[d] - boxes->begin[d];
    uint64_t total = part[0] * part[1] * part[2];
    launch->groups = 0;
    if (!total)
        return true;
    uint64_t items = tsr__least(total / TSR__BOXES, TSR__BOX_MOST_ITEMS), row = shift_of_part(launch, 0) + part[0];
    if (items < (uint64_t)TSR__BOX_LEAST_PACKETS * width)
        items = (uint64_t)TSR__BOX_LEAST_PACKETS * width;
    boxes->size[0] = tsr__divide_up(tsr__divide_up(row, tsr__divide_up(row, items)), step) * step;
    for (int d = 1; d < 3; d++) {
        items /= boxes->size[d - 1];
        boxes->size[d] = items <= 1 ? 1 : tsr__least(part[d], items);
    }
    if (has_columns(launch)) {
        boxes->size[0] = step;
        boxes->size[1] = tsr__least(part[1], launch->column_rows);
    }
    launch->groups = 1;
    for (int d = 0; d < 3; d++) {
        uint64_t full = end_of_full(launch, d), columns = full - boxes->begin[d];
        boxes->count[d] = (columns ? tsr__divide_up(columns + shift_of_part(launch, d), boxes->size[d]) : 0) + (full < boxes->end[d]);
        launch->groups *= boxes->count[d];
    }
    launch->group_items = launch->groups ? tsr__divide_up(total, launch->groups) : 0;
    return true;
}

/* Part of a box, from one column to another. */
struct part {
    uint64_t from[3], size[3];
};

static void run_whole(struct tsr__run *run, const struct part *part)
{
    for (int d = 0; d < 3; d++)
        run->group.local_size[d] = part->size[d];
    static const uint64_t one[3] = {1, 1, 1};
    tsr__packets_rows(run, part->from, part->size[0], one);
}

static void run_mixed(struct tsr__run *run, const struct part *part)
{
    struct tsr_group *group = &run->group;
    uint64_t head = (shift(group, 0) + part->from[0]) % group->sub_group_size, local_id[3];
    for (int d = 0; d < 3; d++) {
        uint64_t size = group->enqueued_local_size[d], full = end_of_full(run->launch, d);
        int64_t first = (int64_t)(part->from[d] - (d == 0 ? head : 0)), number = 0;
        if (!(run->launch->flags & TSR_KERNEL_GLOBAL_IDS_ONLY)) { /* a kernel that does not ask for its work-group may be in any */
            number = first < 0 ? -1 - (-1 - first) / (int64_t)size : first / (int64_t)size;
            group->local_size[d] = part->from[d] < full ? size : group->global_size[d] - full;
        }
        group->group_id[d] = (uint64_t)number;
        local_id[d] = (uint64_t)first - (uint64_t)number * size;
    }
    assert(head < group->sub_group_size && part->size[0] && part->size[1] && part->size[2]);
    run->items->item = (struct tsr_item){.group = group,
                                         .local_id = {local_id[0], local_id[1], local_id[2]},
                                         .sub_group_size = group->sub_group_size,
                                         .columns = part->size[0] + head,
                                         .rows = part->size[1],
                                         .planes = part->size[2],
                                         .head = head};
    run->launch->entry->run(&run->items->item);
}

void tsr__boxes_group(struct tsr__run *run)
{
    struct part part;
    uint64_t group_id[3];
    memcpy(group_id, run->group.group_id, sizeof group_id);
    for (int d = 0; d < 3; d++) {
        part.from[d] = group_id[d] * run->group.enqueued_local_size[d];
        part.size[d] = run->group.local_size[d];
    }
    run_mixed(run, &part);
    memcpy(run->group.group_id, group_id, sizeof group_id);
}

static void run_box(struct tsr__run *run, const struct part *box)
{
    uint64_t width = run->group.sub_group_size, before = shift(&run->group, 0);
    uint64_t begin = box->from[0], end = begin + box->size[0];
    uint64_t first = tsr__divide_up(begin + before, width) * width, last = (end + before) / width * width;
    if (!(run->launch->flags & TSR_KERNEL_GLOBAL_IDS_ONLY) || first >= last) {
        run_mixed(run, box);
        return;
    }
    uint64_t cuts[4] = {begin, first - before, last - before, end};
    for (int i = 0; i < 3; i++) {
        struct part part = *box;
        part.from[0] = cuts[i];
        part.size[0] = cuts[i + 1] - cuts[i];
        if (part.size[0])
            (i == 1 ? run_whole : run_mixed)(run, &part);
    }
}

/* The box with this number, joined with as many of the next ones, `most` in all, as make one larger box with it. Answers how many boxes
 * these are. */
static uint64_t find_box(const struct tsr_launch *launch, uint64_t number, uint64_t most, struct part *box)
{
    const struct tsr__boxes *boxes = &launch->boxes;
    uint64_t joined = 1;
    bool can_join = true; /* boxes join along the first dimension that is cut */
    for (int d = 0; d < 3; d++) {
        uint64_t count = boxes->count[d], index = 0, together = 1, end = boxes->end[d], full = end_of_full(launch, d);
        uint64_t first = boxes->begin[d], before = shift_of_part(launch, d);
        if (count > 1) {
            index = number % count;
            number /= count;
        }
        uint64_t in_full = full < end ? count - 1 : count;
        if (index == in_full) {
            box->from[d] = full;
        } else {
            if (can_join && count > 1 && !has_columns(launch))
                joined = together = tsr__least(tsr__least(most, MOST_JOINED), in_full - index);
            box->from[d] = first + index * boxes->size[d] - (index ? before : 0);
            /* The last box ends where the part ends: its number times its size might not fit into 64 bits. */
            end = index + together == in_full ? full : first + (index + together) * boxes->size[d] - before;
        }
        can_join = can_join && count == 1;
        assert(box->from[d] < end && end <= boxes->end[d]);
        box->size[d] = end - box->from[d];
    }
    return joined;
}

void tsr__boxes_run(struct tsr__run *run, uint64_t begin, uint64_t end)
{
    run->items->run = run;
    for (int d = 0; d < 3; d++)
        run->group.group_id[d] = 0;
    while (begin < end) {
        struct part box;
        begin += find_box(run->launch, begin, end - begin, &box);
        run_box(run, &box);
    }
}
