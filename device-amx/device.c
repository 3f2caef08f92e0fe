/* SPDX-License-Identifier: Apache-2.0
 * The CPU device as icd/ sees it: the one of the process, and its advice on the size of work-groups. */
#include <pthread.h>
#include <stdlib.h>

#include "device-amx/costs.h"
#include "device-amx/cpu.h"

/* If every compute unit runs a group, stacks, or what packets keep at barriers, may take half of the memory. */
static uint64_t max_work_group(const struct tsr_device *device, const struct tsr_kernel_info *kernel, uint64_t local_argument_sizes)
{
    const struct tsr_device_caps *caps = device->caps;
    uint64_t local = kernel->local_bytes;
    if (local > caps->local_memory || local_argument_sizes > caps->local_memory - local)
        return 0;
    uint64_t most = caps->max_work_group_size;
    if (kernel->flags & TSR_KERNEL_FIBERS) {
        bool regions = tsr_form_of(kernel->flags) == TSR_FORM_REGIONS;
        uint32_t packet = kernel->flags & TSR_KERNEL_IGNORES_SUB_GROUPS ? 1 : kernel->sub_group_size; /* least work-items of a packet */
        uint64_t each = regions ? kernel->context_bytes / packet + 1 : tsr__stack_bytes(kernel->private_bytes + kernel->device_stack_bytes);
        uint64_t fit = tsr_memory_limit() / 2 / caps->compute_units / each;
        if (fit < most)
            most = fit < 1 ? 1 : fit;
        if (most > kernel->sub_group_size)
            most -= most % kernel->sub_group_size;
    }
    return most;
}

/* The largest divisor of n that is at most `most`: of the multiples of `step`, or of all if no multiple divides n. */
static uint64_t good_divisor(uint64_t n, uint64_t most, uint64_t step)
{
    for (uint64_t d = most - most % step; d; d -= step)
        if (n % d == 0)
            return d;
    return step > 1 ? good_divisor(n, most, 1) : 1;
}

static void suggest_local_size(const struct tsr_device *device, const struct tsr_kernel_info *kernel, struct tsr_ndrange *range)
{
    const uint64_t *reqd = kernel->reqd_local_size, *hint = kernel->local_size_hint;
    uint64_t most = max_work_group(device, kernel, 0), total = 1;
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
    uint64_t good = kernel->flags & TSR_KERNEL_FIBERS && !packets ? TSR__GOOD_GROUP_FIBERS : TSR__GOOD_GROUP_LOOP;
    uint64_t share = total / ((uint64_t)device->compute_units * TSR__GROUPS_PER_WORKER);
    if (good > share)
        good = share;
    if (good > most)
        good = most;
    unsigned lanes = tsr_lane_dimension(kernel->flags);
    for (uint32_t i = 0; i < 3; i++) {
        unsigned d = tsr_exchanged_dimension(lanes, i);
        uint64_t step = i == 0 ? tsr_packet_width(kernel) : 1;
        uint64_t most_here = good > step ? good : step; /* a packet takes as long with fewer work-items */
        most_here = most_here < most ? most_here : most;
        most_here = most_here < range->global[d] ? most_here : range->global[d];
        range->local[d] = good_divisor(range->global[d], most_here, step);
        /* Full packets and a smaller group at the end are better than packets with unused lanes in every group. */
        if (packets && !(kernel->flags & TSR_KERNEL_UNIFORM_GROUPS) && range->local[d] % step && most_here >= step)
            range->local[d] = most_here - most_here % step;
        good /= range->local[d];
    }
}

/* ---- compilation ---- */

static const uint64_t amx = 1ull << TSR_CPU_AMX_TILE | 1ull << TSR_CPU_AMX_INT8 | 1ull << TSR_CPU_AMX_BF16 | 1ull << TSR_CPU_AMX_FP16;

static void target(const struct tsr_device *device, struct tsr_target *target)
{
    const struct tsr_device_caps *caps = device->caps;
    *target = (struct tsr_target){
        .triple = TSR_TRIPLE_X86_64,
        .features = tsr_cpu()->features,
        .doubtful = tsr_cpu()->features & amx,
        .default_sub_group_size = caps->sub_group_sizes[caps->sub_group_size_count > 2], /* 16, if it is among them: 8, 16, 32 */
    };
}

/* AMX's tiles are asked of the operating system only after a program has come out that uses them: a process that has asked saves their
 * registers at every switch of threads. */
static bool compile_again(const struct tsr_device *device, const struct tsr_program_info *info, struct tsr_target *target)
{
    (void)device;
    if (!tsr_uses_tiles(info) || tsr_cpu_request_amx())
        return false;
    tsr_log(TSR_LOG_COMPILE, "compiled again without tiles: the operating system does not grant them");
    target->features &= ~amx;
    target->doubtful = 0;
    return true;
}

static enum tsr_status module_load(const struct tsr_device *device, const struct tsr_program_info *info, struct tsr_module **module,
                                   char **why)
{
    (void)device; /* loaded code serves the device and all its sub-devices */
    return tsr__module_load(info, module, why);
}

/* ---- the device of the process ---- */

static struct tsr__cpu_device root;

static void find_root(void)
{
    tsr__cpu_set(&root, &tsr_cpu_device, tsr_cpus_allowed());
}

static unsigned roots(struct tsr_device ***devices)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static struct tsr_device *all[] = {&root.base};
    pthread_once(&once, find_root);
    *devices = all;
    return TSR_ARRAY_LEN(all);
}

const struct tsr_device_ops tsr_cpu_device = {
    .name = "cpu",
    .roots = roots,
    .identity = tsr__cpu_identity,
    .pool = tsr__cpu_pool,
    .splits = tsr__cpu_splits,
    .split_by_counts = tsr__cpu_split_by_counts,
    .split_by_domain = tsr__cpu_split_by_domain,
    .part_free = tsr__cpu_part_free,
    .target = target,
    .compile_again = compile_again,
    .module_load = module_load,
    .module_unload = tsr__module_unload,
    .max_work_group = max_work_group,
    .suggest_local_size = suggest_local_size,
    .group_codes = tsr__group_codes,
    .wanted_group_codes = tsr__wanted_group_codes,
    .choose_group_code = tsr__choose_group_code,
    .needs_partial = tsr__needs_partial,
    .join_partial = tsr__join_partial,
    .launch_make = tsr__launch_make,
    .launch_units = tsr__launch_units,
    .launch_run = tsr__launch_run,
    .launch_enqueues = tsr__launch_enqueues,
    .launch_submit = tsr__launch_submit,
    .launch_times = tsr__launch_times,
    .launch_end = tsr__launch_end,
    .device_queue_make = tsr__device_queue_make,
    .device_queue_free = tsr__device_queue_free,
};
