/* SPDX-License-Identifier: Apache-2.0
 * Launches: a kernel's arguments are set and it is appended to a queue, under the kernel's lock; the queue's thread reports its end. */
#include <string.h>

#include "device-xmx/clock.h"
#include "device-xmx/images.h"
#include "device-xmx/launch.h"
#include "device-xmx/module.h"
#include "device-xmx/queues.h"
#include "device-xmx/regions.h"
#include "tessera/il_code.h"

enum { FAILED = -5 };

struct tsr_launch {
    struct tsr_module *module;
    const struct tsr_kernel_info *info;
    struct tsr__xmx_kernel *kernel;
    struct tsr_ndrange range;
    uint64_t local_bytes;
    ze_kernel_indirect_access_flags_t access;
    char *why;
    void (*ended)(void *data, int status);
    void *data;
    struct tsr__xmx_job job;
    struct tsr__xmx_event *events[TSR__XMX_MOST_REGIONS]; /* one for each region */
    bool complete;                                        /* all events are signalled; they go back when the launch ends */
    _Alignas(TSR_MAX_ALIGN) unsigned char args[];
};

/* ---- sizes of work-groups ---- */

uint64_t tsr__xmx_max_work_group(const struct tsr_device *device, const struct tsr_kernel_info *kernel, uint64_t local_argument_bytes)
{
    const struct tsr_device_caps *caps = device->caps;
    uint64_t local = tsr_local_round(kernel->local_bytes);
    if (local > caps->local_memory || local_argument_bytes > caps->local_memory - local)
        return 0;
    return caps->max_work_group_size;
}

/* The largest divisor of n up to `most`. */
static uint64_t divisor(uint64_t n, uint64_t most)
{
    for (uint64_t d = most < n ? most : n; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

void tsr__xmx_suggest_local_size(const struct tsr_device *device, const struct tsr_kernel_info *kernel, struct tsr_ndrange *range)
{
    enum { GOOD_GROUP = 256 };
    uint64_t left = tsr__xmx_max_work_group(device, kernel, 0);
    if (left > GOOD_GROUP)
        left = GOOD_GROUP;
    for (uint32_t d = 0; d < 3; d++) {
        range->local[d] = d < range->dim && d < 2 ? divisor(range->global[d], left) : 1;
        left /= range->local[d];
    }
}

/* ---- making ---- */

struct tsr_launch *tsr__xmx_launch_make(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                        const void *args, uint64_t local_argument_bytes, const struct tsr_arg_memory *memory)
{
    (void)memory;
    struct tsr_launch *launch = tsr_aligned(_Alignof(struct tsr_launch), sizeof *launch + kernel->args_size);
    if (!launch)
        return NULL;
    memset(launch, 0, sizeof *launch);
    launch->module = module;
    launch->info = kernel;
    uint32_t index = tsr_find_kernel(module->info, kernel->name);
    launch->kernel = index < module->info->kernel_count ? &module->kernels[index] : NULL;
    launch->range = *range;
    launch->local_bytes = local_argument_bytes;
    launch->access = ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE; /* buffers may hold addresses of others (cl_ext_buffer_device_address) */
    memcpy(launch->args, args, kernel->args_size);
    return launch;
}

void tsr__xmx_launch_bind(struct tsr_launch *launch, uint32_t argument, uint64_t address)
{
    memcpy(launch->args + launch->info->args[argument].offset, &address, sizeof address);
}

void tsr__xmx_launch_reaches(struct tsr_launch *launch, unsigned kinds)
{
    static const ze_kernel_indirect_access_flags_t flags[TSR_USM_COUNT] = {
        [TSR_USM_HOST] = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST,
        [TSR_USM_DEVICE] = ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE,
        [TSR_USM_SHARED] = ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED,
    };
    for (unsigned kind = 0; kind < TSR_USM_COUNT; kind++)
        if (kinds & 1u << kind)
            launch->access |= flags[kind];
}

/* ---- arguments ---- */

static uint64_t word_at(const struct tsr_launch *launch, uint32_t argument)
{
    uint64_t word;
    memcpy(&word, launch->args + launch->info->args[argument].offset, sizeof word);
    return word;
}

/* The local arguments lie one behind the other: each ends where the next one begins. */
static uint64_t local_size(const struct tsr_launch *launch, uint32_t argument)
{
    const struct tsr_kernel_info *info = launch->info;
    uint64_t begin = word_at(launch, argument), first = 0;
    bool found = false;
    for (uint32_t i = 0; i < info->arg_count; i++) {
        if (info->args[i].kind != TSR_ARG_LOCAL)
            continue;
        if (i > argument)
            return word_at(launch, i) - begin;
        if (!found)
            first = word_at(launch, i);
        found = true;
    }
    return first + launch->local_bytes - begin;
}

/* What a failure that has been judged is told as. */
static ze_result_t result_of(enum tsr_status status)
{
    return status == TSR_NO_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNKNOWN;
}

static ze_result_t set_sampler(const struct tsr_launch *launch, uint32_t i, const void *value)
{
    uint32_t word;
    enum tsr_status status;
    memcpy(&word, value, sizeof word);
    ze_sampler_handle_t sampler = tsr__xmx_sampler(launch->module->device, word, &status);
    return sampler ? tsr__ze.KernelSetArgumentValue(launch->kernel->handle, i, sizeof sampler, &sampler) : result_of(status);
}

static ze_result_t set_argument(const struct tsr_launch *launch, uint32_t i)
{
    const struct tsr_arg_info *arg = &launch->info->args[i];
    ze_kernel_handle_t kernel = launch->kernel->handle;
    const void *value = launch->args + arg->offset;
    switch (arg->kind) {
    case TSR_ARG_LOCAL: {
        uint64_t size = local_size(launch, i);
        return tsr__ze.KernelSetArgumentValue(kernel, i, size ? size : 1, NULL); /* drivers refuse 0 bytes */
    }
    case TSR_ARG_POINTER:
        return tsr__ze.KernelSetArgumentValue(kernel, i, sizeof(void *), word_at(launch, i) ? value : NULL);
    case TSR_ARG_IMAGE:
        return tsr__ze.KernelSetArgumentValue(kernel, i, sizeof(ze_image_handle_t), tsr__xmx_image_argument(word_at(launch, i)));
    case TSR_ARG_SAMPLER:
        return set_sampler(launch, i, value);
    default:
        return tsr__ze.KernelSetArgumentValue(kernel, i, arg->size, value);
    }
}

/* Makes the kernel's handle. Its lock is held. */
static ze_result_t open_kernel(const struct tsr_launch *launch)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = launch->info->name};
    ze_kernel_handle_t handle;
    ze_result_t result = tsr__ze.KernelCreate(launch->module->handle, &desc, &handle);
    if (!result)
        launch->kernel->handle = handle;
    return result;
}

static ze_result_t set_access(const struct tsr_launch *launch)
{
    struct tsr__xmx_kernel *kernel = launch->kernel;
    if (kernel->access == launch->access)
        return ZE_RESULT_SUCCESS;
    ze_result_t result = tsr__ze.KernelSetIndirectAccess(kernel->handle, launch->access);
    if (!result)
        kernel->access = launch->access;
    return result;
}

/* ---- appending ---- */

/* What went wrong, for launch_end. */
static int fail(struct tsr_launch *launch, const char *what, ze_result_t result)
{
    struct tsr__xmx_device *device = launch->module->device;
    tsr__xmx_judge(device, result, what);
    const char *lost = atomic_load(&device->lost);
    launch->why = lost ? tsr_format("%s: %s", device->name, lost)
                       : tsr_format("%s: %s: %s (0x%x)", device->name, what, tsr__ze_text(result), (unsigned)result);
    return FAILED;
}

static ze_result_t set_offset(const struct tsr_launch *launch, const uint64_t offset[3])
{
    struct tsr__xmx_kernel *kernel = launch->kernel;
    bool wanted = offset[0] || offset[1] || offset[2];
    if (!wanted && !kernel->offset)
        return ZE_RESULT_SUCCESS;
    for (unsigned d = 0; d < 3; d++)
        if (offset[d] > UINT32_MAX)
            return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (!tsr__ze.KernelSetGlobalOffsetExp || !launch->module->device->driver->has[TSR__XMX_GLOBAL_OFFSET])
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    ze_result_t result = tsr__ze.KernelSetGlobalOffsetExp(kernel->handle, (uint32_t)offset[0], (uint32_t)offset[1], (uint32_t)offset[2]);
    if (!result)
        kernel->offset = wanted;
    return result;
}

/* Where the region is in the range, for kernels that ask. */
static ze_result_t set_range(const struct tsr_launch *launch, const struct tsr__xmx_region *region)
{
    const struct tsr_ndrange *range = &launch->range;
    _Alignas(sizeof(struct tsr_il_range)) struct tsr_il_range value = {0};
    if (!(launch->info->flags & TSR_KERNEL_RANGE_ARGUMENT))
        return ZE_RESULT_SUCCESS;
    for (unsigned d = 0; d < 3; d++) {
        value.global_size[d] = range->global[d];
        value.global_offset[d] = range->offset[d];
        value.num_groups[d] = (range->global[d] + range->local[d] - 1) / range->local[d];
        value.first_group[d] = (region->offset[d] - range->offset[d]) / range->local[d];
        value.local_size[d] = range->local[d];
    }
    return tsr__ze.KernelSetArgumentValue(launch->kernel->handle, launch->info->arg_count, sizeof value, &value);
}

static ze_result_t append(struct tsr_launch *launch, ze_command_list_handle_t list, const struct tsr__xmx_region *region,
                          struct tsr__xmx_event *event)
{
    ze_kernel_handle_t kernel = launch->kernel->handle;
    for (unsigned d = 0; d < 3; d++)
        if (region->groups[d] > UINT32_MAX)
            return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    ze_group_count_t groups = {(uint32_t)region->groups[0], (uint32_t)region->groups[1], (uint32_t)region->groups[2]};
    ze_result_t result = set_offset(launch, region->offset);
    if (!result)
        result = set_range(launch, region);
    if (!result)
        result = tsr__ze.KernelSetGroupSize(kernel, region->local[0], region->local[1], region->local[2]);
    if (!result)
        result = tsr__ze.CommandListAppendLaunchKernel(list, kernel, &groups, event->handle, 0, NULL);
    return result;
}

/* Sets the arguments and appends all regions. *appended: how many were, also if one fails. The kernel's lock is held. */
static ze_result_t append_all(struct tsr_launch *launch, ze_command_list_handle_t list, const struct tsr__xmx_region *regions,
                              unsigned count, unsigned *appended)
{
    ze_result_t result = launch->kernel->handle ? ZE_RESULT_SUCCESS : open_kernel(launch);
    if (!result)
        result = set_access(launch);
    for (uint32_t i = 0; i < launch->info->arg_count && !result; i++)
        result = set_argument(launch, i);
    for (*appended = 0; *appended < count && !result; *appended += !result)
        result = append(launch, list, &regions[*appended], launch->events[*appended]);
    return result;
}

static void give_events(struct tsr_launch *launch, unsigned first, unsigned count)
{
    for (unsigned i = first; i < count; i++)
        tsr__xmx_event_give(launch->module->device, launch->events[i]);
}

static enum tsr_status take_events(struct tsr_launch *launch, unsigned count)
{
    enum tsr_status status;
    for (unsigned i = 0; i < count; i++) {
        launch->events[i] = tsr__xmx_event_take(launch->module->device, &status);
        if (!launch->events[i]) {
            give_events(launch, 0, i);
            return status;
        }
    }
    return TSR_OK;
}

/* ---- the end ---- */

static void job_ended(struct tsr__xmx_job *job, enum tsr_status status)
{
    struct tsr_launch *launch = TSR_CONTAINER_OF(job, struct tsr_launch, job);
    struct tsr__xmx_device *device = launch->module->device;
    launch->complete = status == TSR_OK;
    if (status != TSR_OK && !launch->why) {
        const char *lost = atomic_load(&device->lost);
        launch->why = tsr_format("%s: %s", device->name, lost ? lost : tsr_status_text(status));
    }
    launch->ended(launch->data, status == TSR_OK && !launch->why ? 0 : FAILED);
}

int tsr__xmx_launch_submit(struct tsr_launch *launch, void (*ended)(void *data, int status), void *data)
{
    struct tsr__xmx_device *device = launch->module->device;
    struct tsr__xmx_region regions[TSR__XMX_MOST_REGIONS];
    unsigned count = tsr__xmx_regions(&launch->range, regions), appended = 0;
    enum tsr_status status;
    if (!launch->kernel)
        return fail(launch, "zeKernelCreate", ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    if (atomic_load(&device->lost))
        return fail(launch, "submit", ZE_RESULT_ERROR_DEVICE_LOST);
    status = take_events(launch, count);
    if (status != TSR_OK)
        return fail(launch, "zeEventPoolCreate", result_of(status));
    struct tsr__xmx_queue *queue = tsr__xmx_queue_enter(device, &status);
    if (!queue) {
        give_events(launch, 0, count);
        return fail(launch, "zeCommandListCreateImmediate", result_of(status));
    }
    launch->ended = ended;
    launch->data = data;
    pthread_mutex_lock(&launch->kernel->lock);
    ze_result_t result = append_all(launch, tsr__xmx_queue_list(queue), regions, count, &appended);
    pthread_mutex_unlock(&launch->kernel->lock);
    if (result) {
        give_events(launch, appended, count);
        fail(launch, "zeCommandListAppendLaunchKernel", result);
    }
    launch->job = (struct tsr__xmx_job){.events = launch->events, .event_count = appended, .ended = job_ended};
    tsr__xmx_queue_leave(queue, appended ? &launch->job : NULL); /* what has been appended runs, also if the rest could not be */
    return appended ? 0 : FAILED;
}

/* From the first region's begin to the last one's end. Asked for profiled commands alone: reading the clocks takes as long as a launch. */
bool tsr__xmx_launch_times(const struct tsr_launch *launch, uint64_t *start_ns, uint64_t *end_ns)
{
    const struct tsr__xmx_device *device = launch->module->device;
    struct tsr__xmx_moment now;
    if (!launch->complete || atomic_load(&device->lost) || !tsr__xmx_now(device, &now))
        return false;
    for (unsigned i = 0; i < launch->job.event_count; i++) {
        ze_kernel_timestamp_result_t stamp;
        ze_result_t result = tsr__ze.EventQueryKernelTimestamp(launch->events[i]->handle, &stamp);
        if (result || !stamp.global.kernelStart || !stamp.global.kernelEnd) /* drivers have been seen to leave them out */
            return false;
        uint64_t start = tsr__xmx_when(device, &now, stamp.global.kernelStart);
        uint64_t end = tsr__xmx_when(device, &now, stamp.global.kernelEnd);
        *start_ns = i && *start_ns < start ? *start_ns : start;
        *end_ns = i && *end_ns > end ? *end_ns : end;
    }
    return true;
}

void tsr__xmx_launch_end(struct tsr_launch *launch, char **why)
{
    if (launch->complete)
        give_events(launch, 0, launch->job.event_count);
    if (why)
        *why = launch->why;
    else
        tsr_free(launch->why);
    tsr_free(launch);
}
