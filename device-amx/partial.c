/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose packets that are not full have code of their own, made for the first launch that has some. */
#include "device-amx/cpu.h"

/* As packets.c, boxes.c and run.c cut the range. */
static bool has_full_packets_alone(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range)
{
    unsigned dimension = tsr_lane_dimension(kernel->flags);
    uint64_t width = tsr_packet_width(kernel), size = range->global[dimension], local = range->local[dimension];
    if (range->offset[dimension] % width)
        return false;
    if (kernel->flags & TSR_KERNEL_GLOBAL_IDS_ONLY)
        return size % width == 0;
    return local % width == 0 && size % local % width == 0;
}

bool tsr__needs_partial(const struct tsr_loaded_kernel *kernel, const struct tsr_ndrange *range)
{
    struct tsr__entry *entry = tsr__module_entry(kernel->module, kernel->info);
    return entry && !atomic_load_explicit(&entry->partial, memory_order_relaxed) && !has_full_packets_alone(kernel->info, range);
}

void tsr__join_partial(const struct tsr_loaded_kernel *kernel, const struct tsr_loaded_kernel *partial)
{
    struct tsr__entry *entry = tsr__module_entry(kernel->module, kernel->info);
    atomic_store_explicit(&entry->partial, partial->module, memory_order_release);
}

void tsr__partial_take(struct tsr_launch *launch)
{
    const struct tsr_module *partial = atomic_load_explicit(&launch->entry->partial, memory_order_acquire);
    if (!partial)
        return;
    launch->flags |= partial->kernels[0].flags;
    launch->private_bytes += partial->kernels[0].private_bytes;
    if (partial->kernels[0].device_stack_bytes > launch->device_stack_bytes)
        launch->device_stack_bytes = partial->kernels[0].device_stack_bytes;
    launch->group.partial = (const void *)(uintptr_t)partial->entries[0].run;
}
