/* SPDX-License-Identifier: Apache-2.0
 * Launches: the kernel's arguments are copied when the launch is appended; the groups run on the pool of the CPU device. */
#include <string.h>

#include "device-xmx/standin/standin.h"

struct launch {
    struct tsr__command base;
    struct tsr__code *code; /* held */
    const struct tsr_kernel_info *info;
    uint32_t group[3], offset[3];
    ze_group_count_t count;
    const ze_group_count_t *count_at; /* of an indirect launch: read when it runs */
    uint64_t local_bytes;
    unsigned char *args;
};

/* ---- running ---- */

struct running {
    struct tsr_task task;
    const struct tsr_device_ops *ops;
    struct tsr_launch *launch;
};

static int run_units(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    struct running *running = TSR_CONTAINER_OF(task, struct running, task);
    return running->ops->launch_run(running->launch, worker, begin, end);
}

/* The number of dimensions is not said; what is 1 in the last ones does not count. */
static struct tsr_ndrange range_of(const struct launch *launch, const ze_group_count_t *count)
{
    const uint32_t groups[3] = {count->groupCountX, count->groupCountY, count->groupCountZ};
    struct tsr_ndrange range = {.dim = 1};
    for (uint32_t d = 0; d < 3; d++) {
        range.local[d] = launch->group[d];
        range.global[d] = (uint64_t)groups[d] * launch->group[d];
        range.offset[d] = launch->offset[d];
        if (range.global[d] > 1)
            range.dim = d + 1;
    }
    return range;
}

static bool run_launch(struct tsr__command *command, struct tsr__device *device)
{
    struct launch *launch = (struct launch *)command;
    const struct tsr_device_ops *ops = device->cpu->ops;
    const ze_group_count_t *count = launch->count_at ? launch->count_at : &launch->count;
    if (!count->groupCountX || !count->groupCountY || !count->groupCountZ)
        return true;
    struct tsr_ndrange range = range_of(launch, count);
    struct running running = {
        .ops = ops, .launch = ops->launch_make(launch->code->module, launch->info, &range, launch->args, launch->local_bytes, NULL)};
    if (!running.launch)
        return false;
    running.task.run = run_units;
    running.task.units = ops->launch_units(running.launch, &running.task.unit_cost);
    tsr_task_init(&running.task, ops->pool(device->cpu));
    tsr_task_submit(&running.task);
    int status = 0;
    tsr_task_wait(&running.task, &status);
    char *why = NULL;
    ops->launch_end(running.launch, &why);
    if (status || why)
        tsr_log(TSR_LOG_ERR, "stand-in: kernel %s: %s", launch->info->name, why ? why : "it failed");
    bool good = !status && !why;
    tsr_free(why);
    return good;
}

static void free_launch(struct tsr__command *command)
{
    struct launch *launch = (struct launch *)command;
    tsr_free(launch->args);
    tsr__standin_code_drop(launch->code);
}

/* ---- appending ---- */

/* Lays the local arguments out behind the local variables. Bytes of all of them. */
static uint64_t place_locals(const struct tsr__kernel *kernel, unsigned char *args)
{
    uint64_t begin = tsr_local_round(kernel->info->local_bytes), at = begin;
    for (uint32_t i = 0; i < kernel->info->arg_count; i++) {
        if (kernel->info->args[i].kind != TSR_ARG_LOCAL)
            continue;
        memcpy(args + kernel->info->args[i].offset, &at, sizeof at);
        at += tsr_local_round(kernel->local_sizes[i]);
    }
    return at - begin;
}

static ze_result_t check_kernel(const char *function, const struct tsr__list *list, const struct tsr__kernel *kernel)
{
    const struct tsr_kernel_info *info = kernel->info;
    if (!tsr__standin_computes(list))
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                                   "the list is of a group of queues that only copies");
    if (kernel->module->device != list->device || kernel->module->base.owner != &list->context->base)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "kernel and list are of two devices or contexts");
    for (uint32_t i = 0; i < info->arg_count; i++)
        if (!kernel->set[i])
            return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "argument %u of kernel %s has not been set", i,
                                       info->name);
    return ZE_RESULT_SUCCESS;
}

/* Puts what the engine's kernels get in place of images into the arguments. */
static ze_result_t place_images(const char *function, const struct tsr__kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->info->arg_count; i++) {
        if (kernel->info->args[i].kind != TSR_ARG_IMAGE)
            continue;
        const struct tsr__image *image = tsr__standin_find(TSR__KIND_IMAGE, kernel->images[i], function);
        if (!image)
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        const struct tsr_image_desc *desc = &image->desc;
        memcpy(kernel->args + kernel->info->args[i].offset, &desc, sizeof desc);
    }
    return ZE_RESULT_SUCCESS;
}

/* The pointers and images among the arguments, and `more` if it is not NULL. */
static uint32_t find_uses(const struct tsr__kernel *kernel, const ze_group_count_t *more, struct tsr__use *uses)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->info->arg_count; i++) {
        const void *pointer;
        if (kernel->info->args[i].kind == TSR_ARG_IMAGE) {
            const struct tsr__image *image = tsr__standin_look(TSR__KIND_IMAGE, kernel->images[i]);
            uses[count++] = (struct tsr__use){image->pixels, image->size, true};
        }
        if (kernel->info->args[i].kind != TSR_ARG_POINTER)
            continue;
        memcpy(&pointer, kernel->args + kernel->info->args[i].offset, sizeof pointer);
        if (pointer)
            uses[count++] = (struct tsr__use){pointer, 0, true};
    }
    if (more)
        uses[count++] = (struct tsr__use){more, sizeof *more, true};
    return count;
}

/* Memory of the host and shared memory cannot be closed, as the host may use it at any time; so a test has to read what was said of it. */
static void tell_access(const struct tsr__kernel *kernel)
{
    ze_kernel_indirect_access_flags_t access = kernel->indirect;
    tsr_log(TSR_LOG_DEVICE, "stand-in: kernel %s, indirect access:%s%s%s", kernel->info->name,
            access & ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST ? " host" : "", access & ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE ? " device" : "",
            access & ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED ? " shared" : "");
}

static ze_result_t append(const char *function, ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
                          const ze_group_count_t *count, bool indirect, ze_event_handle_t signal, uint32_t wait_count,
                          ze_event_handle_t *waits)
{
    struct tsr__list *list = tsr__standin_find(TSR__KIND_LIST, hCommandList, function);
    struct tsr__kernel *kernel = list ? tsr__standin_find(TSR__KIND_KERNEL, hKernel, function) : NULL;
    if (!kernel)
        return hCommandList && hKernel ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "the number of groups is NULL");
    ze_result_t result = check_kernel(function, list, kernel);
    if (!result)
        result = place_images(function, kernel);
    if (result)
        return result;
    tell_access(kernel);
    struct tsr__use *uses = tsr_calloc(kernel->info->arg_count + 1, sizeof *uses);
    unsigned char *args = tsr_malloc(kernel->info->args_size + 1);
    struct launch *launch = NULL;
    result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (uses && args)
        launch = tsr__standin_command_new(sizeof *launch, function, list->context, signal, wait_count, waits,
                                          find_uses(kernel, indirect ? count : NULL, uses), uses, &result);
    tsr_free(uses);
    if (!launch) {
        tsr_free(args);
        return result;
    }
    memcpy(args, kernel->args, kernel->info->args_size);
    launch->args = args;
    launch->local_bytes = place_locals(kernel, args);
    launch->code = kernel->module->code;
    atomic_fetch_add(&launch->code->holds, 1);
    launch->info = kernel->info;
    memcpy(launch->group, kernel->group, sizeof launch->group);
    memcpy(launch->offset, kernel->offset, sizeof launch->offset);
    if (indirect)
        launch->count_at = count;
    else
        launch->count = *count;
    launch->base.launch = true;
    launch->base.kernel = hKernel;
    launch->base.indirect = kernel->indirect;
    launch->base.run = run_launch;
    launch->base.free = free_launch;
    if (tsr_local_round(kernel->info->local_bytes) + launch->local_bytes > list->device->persona->local_memory) {
        tsr__standin_command_drop(&launch->base);
        return tsr__standin_refuse(function, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "kernel %s needs more local memory than the device has",
                                   kernel->info->name);
    }
    return tsr__standin_append(list, &launch->base);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchKernel(ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
                                                       const ze_group_count_t *pLaunchFuncArgs, ze_event_handle_t hSignalEvent,
                                                       uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    return append(__func__, hCommandList, hKernel, pLaunchFuncArgs, false, hSignalEvent, numWaitEvents, phWaitEvents);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchKernelIndirect(ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
                                                               const ze_group_count_t *pLaunchArgumentsBuffer,
                                                               ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                               ze_event_handle_t *phWaitEvents)
{
    return append(__func__, hCommandList, hKernel, pLaunchArgumentsBuffer, true, hSignalEvent, numWaitEvents, phWaitEvents);
}
