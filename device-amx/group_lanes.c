/* SPDX-License-Identifier: Apache-2.0
 * Launches of small work-groups with barriers or local memory: whether they run with several groups as lanes of a packet, with each group
 * as a packet, or with the usual code. */
#include "device-amx/costs.h"
#include "device-amx/cpu.h"

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

static uint64_t packet_bytes(uint64_t local_bytes, uint64_t groups)
{
    return tsr_local_round(local_bytes) * groups;
}

/* Each packet has whole groups: these are in one row and begin at multiples of their size. */
unsigned tsr__group_codes(const struct tsr_loaded_kernel *loaded, const struct tsr_ndrange *range, uint64_t local_argument_bytes)
{
    const struct tsr_kernel_info *kernel = loaded->info;
    enum tsr__group_way way = loaded->module->group_way;
    uint64_t size = range->local[0], width = kernel->sub_group_size;
    if (way == TSR__GROUPS_IN_REGIONS || !power_of_two(size) || size > width || range->local[1] != 1 || range->local[2] != 1 ||
        range->offset[0] % size != 0)
        return 0;
    uint64_t bytes = packet_bytes(tsr_local_round(kernel->local_bytes) + local_argument_bytes, width / size);
    bool lanes = bytes <= TSR__GROUP_LANES_LOCAL && way != TSR__GROUPS_AS_PACKETS;
    bool packets = range->global[0] % size == 0 && size <= TSR__GROUP_PACKETS_MOST && way != TSR__GROUPS_AS_LANES;
    return (unsigned)lanes << TSR_GROUPS_AS_LANES | (unsigned)packets << TSR_GROUPS_AS_PACKETS;
}

bool tsr__wants_group_codes(const struct tsr_loaded_kernel *kernel, const struct tsr_ndrange *range)
{
    if (kernel->module->group_way != TSR__GROUPS_BY_TIME)
        return true;
    struct tsr__entry *entry = tsr__module_entry(kernel->module, kernel->info);
    if (!entry)
        return false;
    uint64_t items = range->global[0] * range->global[1] * range->global[2];
    uint64_t ns = (uint64_t)((double)atomic_load_explicit(&entry->item_ps, memory_order_relaxed) * (double)items / 1000);
    return atomic_fetch_add_explicit(&entry->small_groups_ns, ns, memory_order_relaxed) + ns > TSR__GROUP_LANES_NS;
}

/* What launches with each code have taken. */
struct record {
    uint64_t launches, ps;
};

static bool is_clear(struct record code, struct record best)
{
    return code.ps / TSR__GROUP_LANES_CLEAR >= best.ps;
}

/* The code that has had the fastest launch. Other processes make a launch slow now and then, so each gets a few launches at first, and
 * later one now and then. One that takes several times as long as the best gets fewer. */
enum tsr_group_code tsr__choose_group_code(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES])
{
    struct record records[TSR_GROUP_CODES] = {0}, best = {0};
    unsigned fastest = TSR_GROUP_CODES, count = 0;
    uint64_t launches = 0;
    const enum tsr__group_way way = codes[TSR_GROUPS_USUAL]->module->group_way;
    for (unsigned c = 0; c < TSR_GROUP_CODES; c++) {
        struct tsr__entry *entry = codes[c] ? tsr__module_entry(codes[c]->module, codes[c]->info) : NULL;
        if (!entry)
            continue;
        if (c != TSR_GROUPS_USUAL && way != TSR__GROUPS_BY_TIME)
            return (enum tsr_group_code)c;
        records[c] = (struct record){atomic_load_explicit(&entry->launches, memory_order_relaxed),
                                     atomic_load_explicit(&entry->least_ps, memory_order_relaxed)};
        launches += records[c].launches;
        if (!records[c].launches)
            return (enum tsr_group_code)c;
        if (!count++ || records[c].ps < best.ps) {
            fastest = c;
            best = records[c];
        }
    }
    if (!count)
        return TSR_GROUPS_USUAL;
    for (unsigned c = 0; c < TSR_GROUP_CODES; c++) {
        if (!records[c].launches || (c == fastest && count == 1))
            continue;
        bool clear = c != fastest && is_clear(records[c], best);
        if (records[c].launches < (clear ? TSR__GROUP_LANES_CLEAR_TRIES : TSR__GROUP_LANES_TRIES))
            return (enum tsr_group_code)c;
        if (c != fastest && launches % (clear ? TSR__GROUP_LANES_CLEAR_AGAIN : TSR__GROUP_LANES_AGAIN) == c)
            return (enum tsr_group_code)c;
    }
    return (enum tsr_group_code)fastest;
}

void tsr__group_lanes_learn(struct tsr__entry *entry, uint64_t item_ps)
{
    uint64_t least = atomic_load_explicit(&entry->least_ps, memory_order_relaxed);
    if (!least || item_ps < least)
        atomic_store_explicit(&entry->least_ps, item_ps, memory_order_relaxed);
    atomic_fetch_add_explicit(&entry->launches, 1, memory_order_relaxed);
}

void tsr__group_lanes_lay_out(struct tsr_launch *launch)
{
    struct tsr_group *group = &launch->group;
    uint64_t groups = group->sub_group_size / group->enqueued_local_size[0];
    assert(groups && group->enqueued_local_size[1] == 1 && group->enqueued_local_size[2] == 1);
    group->local_pitch = tsr_local_round(launch->local_bytes);
    launch->local_bytes = packet_bytes(launch->local_bytes, groups);
}
