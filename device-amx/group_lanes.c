/* SPDX-License-Identifier: Apache-2.0
 * Launches of small work-groups with barriers or local memory: whether they run with several groups as lanes of a packet. */
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
static bool fits(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range, uint64_t local_argument_bytes)
{
    uint64_t size = range->local[0], width = kernel->sub_group_size;
    return power_of_two(size) && size <= width && range->local[1] == 1 && range->local[2] == 1 && range->offset[0] % size == 0 &&
           packet_bytes(tsr_local_round(kernel->local_bytes) + local_argument_bytes, width / size) <= TSR__GROUP_LANES_LOCAL;
}

/* Whether to take the code of `lanes`: it has had the faster launch. Other processes make a launch slow now and then, so each of the two
 * gets a few launches at first, and later one now and then. Where one takes several times as long, two and very few tell enough. */
static bool is_faster(const struct tsr__entry *lanes, const struct tsr__entry *usual)
{
    if (!lanes)
        return false;
    uint64_t of_lanes = atomic_load_explicit(&lanes->launches, memory_order_relaxed);
    uint64_t of_usual = atomic_load_explicit(&usual->launches, memory_order_relaxed), fewer = of_lanes < of_usual ? of_lanes : of_usual;
    uint64_t lanes_ps = atomic_load_explicit(&lanes->least_ps, memory_order_relaxed);
    uint64_t usual_ps = atomic_load_explicit(&usual->least_ps, memory_order_relaxed);
    bool faster = lanes_ps <= usual_ps;
    bool clear = (faster ? usual_ps : lanes_ps) / TSR__GROUP_LANES_CLEAR >= (faster ? lanes_ps : usual_ps);
    if (fewer < (clear ? TSR__GROUP_LANES_CLEAR_TRIES : TSR__GROUP_LANES_TRIES))
        return of_lanes == fewer;
    uint64_t again = clear ? TSR__GROUP_LANES_CLEAR_AGAIN : TSR__GROUP_LANES_AGAIN;
    return (of_lanes + of_usual) % again ? faster : !faster;
}

bool tsr__wants_group_lanes(const struct tsr_loaded_kernel *kernel, const struct tsr_loaded_kernel *lanes, const struct tsr_ndrange *range,
                            uint64_t local_argument_bytes)
{
    const enum tsr__group_code wanted = kernel->module->group_code;
    if (wanted == TSR__GROUPS_IN_REGIONS || !fits(kernel->info, range, local_argument_bytes))
        return false;
    if (wanted == TSR__GROUPS_AS_LANES)
        return true;
    struct tsr__entry *entry = tsr__module_entry(kernel->module, kernel->info);
    if (!entry)
        return false;
    if (lanes)
        return is_faster(tsr__module_entry(lanes->module, lanes->info), entry);
    uint64_t items = range->global[0] * range->global[1] * range->global[2];
    uint64_t ns = (uint64_t)((double)atomic_load_explicit(&entry->item_ps, memory_order_relaxed) * (double)items / 1000);
    return atomic_fetch_add_explicit(&entry->small_groups_ns, ns, memory_order_relaxed) + ns > TSR__GROUP_LANES_NS;
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
