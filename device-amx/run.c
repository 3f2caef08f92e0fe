/* SPDX-License-Identifier: Apache-2.0
 * What all kinds of launches use: the order of work-groups, the packets and work-items of a group, the text of a failure. */
#include <string.h>

#include "device-amx/cpu.h"

int tsr__launch_fail(struct tsr_launch *launch, char *why)
{
    char *none = NULL;
    if (!why)
        why = tsr_strdup("out of memory");
    if (!atomic_compare_exchange_strong(&launch->why, &none, why))
        tsr_free(why);
    return TSR__OUT_OF_RESOURCES;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t was = *a;
    *a = *b;
    *b = was;
}

struct tsr_ndrange tsr__range_of_lanes(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range)
{
    struct tsr_ndrange exchanged = *range;
    unsigned dimension = tsr_lane_dimension(kernel->flags);
    swap(&exchanged.offset[0], &exchanged.offset[dimension]);
    swap(&exchanged.global[0], &exchanged.global[dimension]);
    swap(&exchanged.local[0], &exchanged.local[dimension]);
    return exchanged;
}

bool tsr__groups_have_threads(const struct tsr_launch *launch)
{
    return launch->flags & TSR_KERNEL_WAITS_FOR_GROUPS && launch->groups <= tsr__cpu_caps()->compute_units;
}

bool tsr__packets_in_rows(const struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    uint32_t width = group->sub_group_size;
    bool rows = launch->flags & TSR_KERNEL_GROUP_SIZE || group->enqueued_local_size[0] % width == 0;
    return rows && (launch->flags & (TSR_KERNEL_FULL_PACKETS | TSR_KERNEL_GROUP_SIZE) || group->global_offset[0] % width == 0);
}

uint32_t tsr__packets_of(uint32_t flags, uint32_t width, const uint64_t size[3])
{
    uint64_t items = size[0] * size[1] * size[2];
    return (uint32_t)(flags & TSR_KERNEL_IGNORES_SUB_GROUPS ? tsr_sub_group_count(size[0], width) * size[1] * size[2]
                                                            : tsr_sub_group_count(items, width));
}

uint32_t tsr__packet_lanes(const struct tsr__run *run, uint32_t packet)
{
    uint32_t width = run->group.sub_group_size, columns = (uint32_t)run->group.local_size[0];
    bool loose = run->launch->flags & TSR_KERNEL_IGNORES_SUB_GROUPS;
    uint32_t left = loose ? columns - packet % (uint32_t)tsr_sub_group_count(columns, width) * width : run->count - packet * width;
    return left < width ? left : width;
}

void tsr__packets_write_ids(struct tsr__run *run)
{
    const uint64_t *size = run->group.local_size;
    if (!memcmp(run->ids_size, size, sizeof run->ids_size))
        return;
    memcpy(run->ids_size, size, sizeof run->ids_size);
    uint32_t (*ids)[TSR_MAX_LANES] = run->ids[0], lane = 0;
    for (uint32_t z = 0; z < size[2]; z++)
        for (uint32_t y = 0; y < size[1]; y++)
            for (uint32_t x = 0; x < size[0]; x++) {
                ids[0][lane] = x, ids[1][lane] = y, ids[2][lane] = z;
                if (++lane == run->group.sub_group_size) {
                    ids += 3;
                    lane = 0;
                }
            }
}

void tsr__packets_rows(struct tsr__run *run, const uint64_t local_id[3], uint64_t columns, const uint64_t groups[3])
{
    struct tsr_group *group = &run->group;
    assert(columns && columns % group->sub_group_size == 0 && group->group_id[0] + groups[0] <= group->num_groups[0]);
    struct tsr_item *item = &run->items->item;
    *item = (struct tsr_item){
        .group = group, .sub_group_size = group->sub_group_size, .whole_packet = true, .columns = columns, .contexts = run->contexts};
    /* One by one: a vector load of numbers that have just been stored singly would wait for what the group before has stored. */
    for (int d = 0; d < 3; d++) {
        item->local_id[d] = local_id[d];
        item->groups[d] = groups[d];
    }
    run->launch->entry->run(item);
}

static void item_set(struct tsr__run *run, struct tsr_item *item, uint32_t linear_id, const uint64_t id[3])
{
    uint32_t size = run->group.sub_group_size;
    item->group = &run->group;
    memcpy(item->local_id, id, sizeof item->local_id);
    item->linear_id = linear_id;
    item->sub_group_id = linear_id / size;
    item->lane = linear_id % size;
    uint32_t left = run->count - item->sub_group_id * size;
    item->sub_group_size = left < size ? left : size;
    item->site = 0;
}

/* Moves the ids to the next work-item in linear order. */
static void next_id(const struct tsr_group *group, uint64_t id[3])
{
    if (++id[0] < group->local_size[0])
        return;
    id[0] = 0;
    if (++id[1] < group->local_size[1])
        return;
    id[1] = 0;
    id[2]++;
}

void tsr__visit_runners(struct tsr__run *run, bool one, void (*visit)(struct tsr__work_item *))
{
    const struct tsr_group *group = &run->group;
    uint32_t step = group->sub_group_size / run->unit; /* work-items of each runner */
    bool whole = run->ids && tsr__packets_in_rows(run->launch) && group->local_size[0] % group->sub_group_size == 0;
    uint64_t id[3] = {0};
    run->runners = (run->count + step - 1) / step;
    if (run->ids && !whole)
        tsr__packets_write_ids(run);
    for (uint32_t i = 0; i < run->runners; i++) {
        uint32_t at = one ? 0 : i;
        struct tsr__work_item *w = &run->items[at];
        item_set(run, &w->item, i * step, id);
        w->item.whole_packet = whole;
        w->run = run;
        if (run->ids && !whole) {
            for (int d = 0; d < 3; d++) {
                w->item.packet_ids[d] = run->ids[i][d];
                w->item.local_id[d] = run->ids[i][d][0];
            }
        } else {
            id[0] += step - 1;
            next_id(group, id);
        }
        visit(w);
    }
}

/* After a change of group_id. */
static void group_size(struct tsr__run *run)
{
    struct tsr_group *group = &run->group;
    uint64_t items = 1;
    for (int d = 0; d < 3; d++) {
        assert(group->group_id[d] < group->num_groups[d]);
        uint64_t left = group->global_size[d] - group->group_id[d] * group->enqueued_local_size[d];
        group->local_size[d] = left < group->enqueued_local_size[d] ? left : group->enqueued_local_size[d];
        items *= group->local_size[d];
    }
    assert(items && items <= run->launch->group_items);
    run->count = (uint32_t)items;
    group->num_sub_groups = (uint32_t)tsr_sub_group_count(run->count, group->sub_group_size);
}

void tsr__group_set(struct tsr__run *run, uint64_t number)
{
    struct tsr_group *group = &run->group;
    assert(number < group->num_groups[0] * group->num_groups[1] * group->num_groups[2]);
    run->number = number;
    if (run->launch->flags & TSR_KERNEL_AMX_TILES) {
        tsr__group_order_find(group->num_groups, number, group->group_id, &run->in_row);
        group_size(run);
        return;
    }
    for (int d = 0; d < 3; d++) {
        group->group_id[d] = number % group->num_groups[d];
        number /= group->num_groups[d];
    }
    run->in_row = group->num_groups[0] - group->group_id[0];
    group_size(run);
}

void tsr__group_next(struct tsr__run *run, uint64_t count)
{
    struct tsr_group *group = &run->group;
    uint64_t next = run->number + count;
    if (count < run->in_row) { /* the usual way, without divisions */
        run->number = next;
        run->in_row -= count;
        group->group_id[0] += count;
        group_size(run);
    } else if (next < group->num_groups[0] * group->num_groups[1] * group->num_groups[2]) {
        tsr__group_set(run, next);
    }
}
