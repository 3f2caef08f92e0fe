/* SPDX-License-Identifier: Apache-2.0
 * The CPU device as icd/ sees it, and its advice on the size of work-groups. */
#include <stdlib.h>

#include "device-amx/cpu.h"

enum {
    LOCAL_ALIGN = 128,
    /* Enough work in a group that its own cost does not show; beyond it, groups only get fewer. */
    GOOD_GROUP_LOOP = 256,
    GOOD_GROUP_FIBERS = 64,
    GROUPS_PER_WORKER = 4,
};

/* Half of the memory may go to stacks, or what packets keep at barriers, if every compute unit runs a group. */
static uint64_t max_work_group(const struct tsr_kernel_info *kernel, uint64_t local_argument_bytes)
{
    const struct tsr_device_caps *caps = tsr__cpu_caps();
    uint64_t local = (kernel->local_bytes + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
    if (local > caps->local_memory || local_argument_bytes > caps->local_memory - local)
        return 0;
    uint64_t most = caps->max_work_group_size;
    if (kernel->flags & TSR_KERNEL_MEETS) {
        bool regions = kernel->flags & TSR_KERNEL_REGIONS;
        uint32_t packet = kernel->flags & TSR_KERNEL_LOOSE ? 1 : kernel->sub_group_size; /* work-items at least */
        uint64_t each = regions ? kernel->context_bytes / packet + 1 : tsr__stack_bytes(kernel->private_bytes);
        uint64_t fit = tsr_memory_limit() / 2 / caps->compute_units / each;
        if (fit < most)
            most = fit < 1 ? 1 : fit;
        if (most > kernel->sub_group_size)
            most -= most % kernel->sub_group_size;
    }
    return most;
}

/* The largest divisor of n that is at most `most`; a multiple of `step` if there is one. */
static uint64_t good_divisor(uint64_t n, uint64_t most, uint64_t step)
{
    uint64_t best = 1;
    for (uint64_t d = most < n ? most : n; d > best; d--) {
        if (n % d)
            continue;
        if (d % step == 0)
            return d;
        if (best == 1)
            best = d;
        if (d < step)
            break;
    }
    return best;
}

static void suggest_local_size(const struct tsr_kernel_info *kernel, struct tsr_ndrange *range, unsigned width)
{
    const uint64_t *reqd = kernel->reqd_local_size, *hint = kernel->local_size_hint;
    uint64_t most = max_work_group(kernel, 0), total = 1;
    for (uint32_t d = 0; d < 3; d++)
        range->local[d] = 1;
    if (reqd[0]) {
        for (uint32_t d = 0; d < range->dim; d++)
            range->local[d] = reqd[d];
        return;
    }
    uint64_t hinted = 1; /* work-items */
    bool hint_fits = true;
    for (int d = 0; d < 3 && hint_fits; d++) {
        hint_fits = hint[d] && hint[d] <= most / hinted;
        hinted *= hint[d];
    }
    for (uint32_t d = 0; d < range->dim; d++) {
        hint_fits = hint_fits && range->global[d] % hint[d] == 0;
        total *= range->global[d];
    }
    if (hint_fits) {
        for (uint32_t d = 0; d < range->dim; d++)
            range->local[d] = hint[d];
        return;
    }
    bool packets = kernel->flags & TSR_KERNEL_PACKETS;
    uint64_t good = kernel->flags & TSR_KERNEL_MEETS && !packets ? GOOD_GROUP_FIBERS : GOOD_GROUP_LOOP;
    uint64_t share = total / ((uint64_t)width * GROUPS_PER_WORKER);
    if (good > share)
        good = share;
    if (good > most)
        good = most;
    for (uint32_t d = 0; d < range->dim && good > 1; d++) {
        uint64_t step = d == 0 ? tsr__packet_width(kernel) : 1, most_here = good < range->global[d] ? good : range->global[d];
        range->local[d] = good_divisor(range->global[d], good, step);
        /* Whole packets and a smaller group at the end, rather than packets with gaps everywhere. */
        if (packets && !(kernel->flags & TSR_KERNEL_UNIFORM) && range->local[d] % step && most_here > step)
            range->local[d] = most_here - most_here % step;
        good /= range->local[d];
    }
}

const struct tsr_device_ops tsr_cpu_device = {
    .name = "cpu",
    .caps = tsr__cpu_caps,
    .module_load = tsr__module_load,
    .module_unload = tsr__module_unload,
    .max_work_group = max_work_group,
    .suggest_local_size = suggest_local_size,
    .launch_make = tsr__launch_make,
    .launch_units = tsr__launch_units,
    .launch_run = tsr__launch_run,
    .launch_end = tsr__launch_end,
};
