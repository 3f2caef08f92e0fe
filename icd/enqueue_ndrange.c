/* SPDX-License-Identifier: Apache-2.0
 * Launching kernels: the checks of clEnqueueNDRangeKernel and the command that runs the work-groups. */
#include <string.h>

#include "icd/device_queue.h"
#include "icd/image.h"
#include "icd/program.h"

/* ---- the command ---- */

struct launch_payload {
    struct _cl_kernel *kernel; /* held; it holds the program and with it the code */
    const struct tsr_device_ops *ops;
    struct tsr_launch *launch;
    atomic_bool failed;
    cl_uint object_count;
    void *objects[]; /* held: memory objects, samplers and queues among the arguments, which the kernel may drop before the launch ends;
                        and the default queue */
};

static cl_int launch_execute(struct _cl_event *event, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    struct launch_payload *payload = (struct launch_payload *)(void *)event->payload;
    if (payload->ops->launch_run(payload->launch, worker, begin, end) == 0)
        return CL_SUCCESS;
    atomic_store_explicit(&payload->failed, true, memory_order_relaxed);
    return CL_OUT_OF_RESOURCES;
}

/* The device's times of the launch; its clock and ours are compared a little late or early, so they may seem to be before the submission.
 */
static void take_times(struct _cl_event *event, const struct launch_payload *payload)
{
    uint64_t start, end;
    if (!payload->ops->launch_times(payload->launch, &start, &end))
        return;
    event->device_start_ns = start > event->task.submit_ns ? start : event->task.submit_ns;
    event->device_end_ns = end > event->device_start_ns ? end : event->device_start_ns;
}

static void launch_ended(void *data, int status)
{
    struct _cl_event *event = data;
    struct launch_payload *payload = (struct launch_payload *)(void *)event->payload;
    if (status < 0)
        atomic_store_explicit(&payload->failed, true, memory_order_relaxed);
    else if (event->task.timed && payload->ops->launch_times)
        take_times(event, payload);
    tsr_task_finish(&event->task, status < 0 ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
}

/* On a device with a queue of its own. */
static cl_int launch_submit(struct _cl_event *event, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    struct launch_payload *payload = (struct launch_payload *)(void *)event->payload;
    for (cl_uint i = 0; event->uses && i < event->uses->count; i++)
        if (event->uses->list[i].argument != TSR__NO_ARGUMENT)
            payload->ops->launch_bind(payload->launch, event->uses->list[i].argument, event->uses->list[i].address);
    if (payload->ops->launch_submit(payload->launch, launch_ended, event) == 0)
        return CL_SUCCESS;
    atomic_store_explicit(&payload->failed, true, memory_order_relaxed);
    return CL_OUT_OF_RESOURCES;
}

static void launch_cleanup(struct _cl_event *event)
{
    struct launch_payload *payload = (struct launch_payload *)(void *)event->payload;
    if (payload->launch) {
        char *why = NULL;
        payload->ops->launch_end(payload->launch, &why);
        /* The application may never ask the event for its status: the context's callback is told as well. */
        if (why || atomic_load_explicit(&payload->failed, memory_order_relaxed))
            tsr__error(event->context, CL_OUT_OF_RESOURCES, __func__, "launch_run", "kernel %s: %s", payload->kernel->info->name,
                       why ? why : "it failed, and the device gives no reason");
        tsr_free(why);
    }
    for (cl_uint i = 0; i < payload->object_count; i++)
        tsr__drop(payload->objects[i]);
    if (payload->kernel)
        tsr__drop(payload->kernel);
}

/* ---- the range ---- */

/* The checks of offset and global size, and a range without local size. *empty: nothing is to run. */
static cl_int read_range(struct _cl_context *context, cl_uint dim, const size_t *offset, const size_t *global, struct tsr_ndrange *range,
                         bool *empty)
{
    /* "CL_INVALID_WORK_DIMENSION if work_dim is not a valid value (i.e. a value between 1 and CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)." */
    RETURN_IF(context, dim < 1 || dim > 3, CL_INVALID_WORK_DIMENSION, "a range has 1 to 3 dimensions, not %u", dim);
    *range = (struct tsr_ndrange){.dim = dim, .global = {1, 1, 1}, .local = {1, 1, 1}};
    /* Since OpenCL 2.1: "If global_work_size is NULL, or the value in any passed dimension is 0 then the kernel command will trivially
     * succeed." */
    *empty = !global;
    for (cl_uint i = 0; i < dim && global; i++)
        *empty |= !global[i];
    uint64_t total = 1;
    for (cl_uint i = 0; i < dim && global; i++) {
        range->global[i] = global[i];
        range->offset[i] = offset ? offset[i] : 0;
        /* "CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size + the corresponding values in global_work_offset for any
         * dimensions is greater than the maximum value representable by size_t on the device." */
        uint64_t sum;
        RETURN_IF(context, __builtin_add_overflow(range->global[i], range->offset[i], &sum), CL_INVALID_GLOBAL_OFFSET,
                  "dimension %u: global size and offset together pass the largest size_t", i);
        RETURN_IF(context, !*empty && __builtin_mul_overflow(total, range->global[i], &total), CL_INVALID_GLOBAL_WORK_SIZE,
                  "the range has more work-items than a size_t can count");
    }
    return CL_SUCCESS;
}

static cl_int check_local_memory(const struct _cl_kernel *kernel, const struct _cl_device_id *device, const struct tsr_kernel_info *info)
{
    uint64_t bytes = info->local_bytes, has = device->caps->local_memory;
    if (bytes <= has) /* else the sum might wrap */
        bytes += kernel->local_sizes;
    RETURN_IF(kernel->program->context, bytes > has, CL_OUT_OF_RESOURCES, "kernel %s needs %llu bytes of local memory, the device has %llu",
              info->name, (unsigned long long)bytes, (unsigned long long)has);
    return CL_SUCCESS;
}

/* The checks of the local size; NULL takes the kernel's required size or the device's choice. */
static cl_int read_local(struct _cl_kernel *kernel, struct _cl_device_id *device, const struct tsr_kernel_info *info, const size_t *local,
                         struct tsr_ndrange *range)
{
    struct _cl_context *context = kernel->program->context;
    const uint64_t *required = info->reqd_local_size;
    uint64_t most = device->ops->max_work_group(device->impl, info, kernel->local_sizes);
    RETURN_IF(context, !most, CL_OUT_OF_RESOURCES, "the device cannot run a single work-item of kernel %s", info->name);
    if (!local && !required[0]) {
        device->ops->suggest_local_size(device->impl, info, range);
        return CL_SUCCESS;
    }
    uint64_t items = 1;
    for (cl_uint i = 0; i < 3; i++) {
        uint64_t size = i >= range->dim ? 1 : local ? local[i] : required[i];
        /* "CL_INVALID_WORK_GROUP_SIZE if local_work_size is specified and does not match the required work-group size for kernel in the
         * program source." */
        RETURN_IF(context, required[0] && size != required[i], CL_INVALID_WORK_GROUP_SIZE,
                  "kernel %s requires work-groups of %llu x %llu x %llu, dimension %u has %llu", info->name,
                  (unsigned long long)required[0], (unsigned long long)required[1], (unsigned long long)required[2], i,
                  (unsigned long long)size);
        RETURN_IF(context, !size, CL_INVALID_WORK_GROUP_SIZE, "dimension %u of the local size is 0", i);
        /* "CL_INVALID_WORK_GROUP_SIZE if the program was compiled with -cl-uniform-work-group-size and the number of work-items specified
         * by global_work_size is not evenly divisible by the size of work-group." */
        RETURN_IF(context, info->flags & TSR_KERNEL_UNIFORM_GROUPS && range->global[i] % size, CL_INVALID_WORK_GROUP_SIZE,
                  "dimension %u: %llu work-items do not divide into groups of %llu, and the program was built for uniform groups only", i,
                  (unsigned long long)range->global[i], (unsigned long long)size);
        /* "CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any of local_work_size[0], … is greater than the
         * corresponding values specified by CL_DEVICE_MAX_WORK_ITEM_SIZES." Asked first, as it keeps the product small. */
        RETURN_IF(context, size > device->caps->max_work_item_sizes[i], CL_INVALID_WORK_ITEM_SIZE,
                  "dimension %u of the local size: %llu, most %llu", i, (unsigned long long)size,
                  (unsigned long long)device->caps->max_work_item_sizes[i]);
        range->local[i] = size;
        RETURN_IF(context, __builtin_mul_overflow(items, size, &items), CL_INVALID_WORK_GROUP_SIZE, "the local size is too large");
    }
    RETURN_IF(context, items > most, CL_INVALID_WORK_GROUP_SIZE, "a work-group of %llu is too large: kernel %s can have %llu",
              (unsigned long long)items, info->name, (unsigned long long)most);
    return CL_SUCCESS;
}

/* The kernel's code on the device. "CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for
 * device associated with command_queue." */
static cl_int find_code(struct _cl_kernel *kernel, struct _cl_device_id *device, struct tsr_code **code,
                        const struct tsr_kernel_info **info)
{
    struct _cl_program *program = kernel->program;
    for (cl_uint i = 0; i < kernel->build_count; i++)
        if (program->builds[i].device == device && kernel->on[i].declared) {
            cl_int err = tsr__kernel_coded(kernel, i, info);
            *code = kernel->on[i].code;
            return err;
        }
    return tsr__error(program->context, CL_INVALID_PROGRAM_EXECUTABLE, __func__, "device", "kernel %s was not built for the queue's device",
                      kernel->info->name);
}

static cl_int check_queue_and_kernel(struct _cl_command_queue *queue, struct _cl_kernel *kernel)
{
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "the queue is not valid");
    RETURN_IF(queue->context, !tsr__valid(kernel, TSR_TAG_KERNEL), CL_INVALID_KERNEL, "the kernel is not valid");
    RETURN_IF(queue->context, kernel->program->context != queue->context, CL_INVALID_CONTEXT, "kernel and queue are of two contexts");
    return CL_SUCCESS;
}

/* "CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified." */
static cl_int unset_argument(struct _cl_kernel *kernel)
{
    const struct tsr_kernel_info *info = kernel->info;
    uint32_t i = 0;
    tsr_table_lock(&tsr__kernel_locks, kernel);
    while (i < info->arg_count && kernel->states[i].set)
        i++;
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    const char *name = i < info->arg_count && info->args[i].name ? info->args[i].name : "";
    return tsr__error(kernel->program->context, CL_INVALID_KERNEL_ARGS, __func__, "unset_count",
                      "argument %u%s%s of kernel %s has not been set", i, *name ? " " : "", name, info->name);
}

/* What each argument may reach. The kernel's lock is held. */
static void find_memory(const struct _cl_kernel *kernel, const struct tsr_kernel_info *info,
                        struct tsr_arg_memory memory[TSR_SIZED_ARGUMENTS])
{
    for (uint32_t i = 0; i < info->arg_count && i < TSR_SIZED_ARGUMENTS; i++) {
        const struct _cl_mem *mem = kernel->states[i].object;
        struct tsr__allocation allocation;
        void *pointer;
        memory[i] = (struct tsr_arg_memory){0};
        if (info->args[i].kind != TSR_ARG_POINTER)
            continue;
        memcpy(&pointer, kernel->args + info->args[i].offset, sizeof pointer);
        if (mem)
            memory[i] = (struct tsr_arg_memory){(uintptr_t)pointer, mem->size};
        else if (pointer && tsr__allocation_find(kernel->program->context, pointer, TSR__SVM | TSR__USM, &allocation))
            memory[i] = (struct tsr_arg_memory){(uintptr_t)allocation.base, allocation.size};
    }
}

/* Loads those that are there. */
static bool load_group_codes(struct _cl_kernel *kernel, const struct _cl_device_id *device, struct tsr_code *others[TSR_GROUP_CODES],
                             struct tsr_loaded_kernel made[TSR_GROUP_CODES], const struct tsr_loaded_kernel *codes[TSR_GROUP_CODES])
{
    bool any = false;
    for (unsigned c = 1; c < TSR_GROUP_CODES; c++)
        if (others[c] && tsr__code_load(kernel->program, device, others[c], &made[c].module) == CL_SUCCESS) {
            made[c].info = others[c]->info.kernels;
            codes[c] = &made[c];
            any = true;
        }
    return any;
}

/* The one of these codes that the device prefers. */
static enum tsr_group_code prefer_code(const struct _cl_kernel *kernel, const struct tsr_device_ops *ops, const struct tsr_ndrange *range,
                                       const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES])
{
    struct tsr_arg_memory memory[TSR_SIZED_ARGUMENTS];
    bool asks = false;
    for (unsigned c = 1; c < TSR_GROUP_CODES; c++)
        asks = asks || (codes[c] && codes[c]->info->alone_arguments);
    if (!asks)
        return ops->choose_group_code(codes, range, NULL, NULL);
    tsr_table_lock(&tsr__kernel_locks, kernel);
    find_memory(kernel, codes[TSR_GROUPS_USUAL]->info, memory);
    enum tsr_group_code chosen = ops->choose_group_code(codes, range, kernel->args, memory);
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    return chosen;
}

/* Takes code for such work-groups, where the device prefers it. */
static void choose_group_code(struct _cl_kernel *kernel, const struct _cl_device_id *device, const struct tsr_ndrange *range,
                              struct tsr_code **code, struct tsr_loaded_kernel *loaded)
{
    const struct tsr_device_ops *ops = device->ops;
    if (!ops->group_codes || !tsr_has_group_codes(loaded->info->flags))
        return;
    unsigned possible = ops->group_codes(loaded, range, kernel->local_bytes), missing = 0;
    struct tsr_code *others[TSR_GROUP_CODES] = {0};
    if (!possible)
        return;
    for (unsigned c = 1; c < TSR_GROUP_CODES; c++) {
        bool never = true;
        if (possible >> c & 1)
            others[c] = tsr__code_of_groups(kernel->program, device, loaded->info, (enum tsr_group_code)c, range->local, false, &never);
        missing |= others[c] || never ? 0 : 1U << c;
    }
    struct tsr_loaded_kernel made[TSR_GROUP_CODES];
    const struct tsr_loaded_kernel *codes[TSR_GROUP_CODES] = {loaded};
    bool any = load_group_codes(kernel, device, others, made, codes);
    unsigned wanted = missing ? ops->wanted_group_codes(codes, range, missing) : 0;
    for (unsigned c = 1; c < TSR_GROUP_CODES; c++)
        if (wanted >> c & 1)
            others[c] =
                tsr__code_of_groups(kernel->program, device, loaded->info, (enum tsr_group_code)c, range->local, true, &(bool){false});
    if (wanted)
        any = load_group_codes(kernel, device, others, made, codes);
    enum tsr_group_code chosen = any ? prefer_code(kernel, ops, range, codes) : TSR_GROUPS_USUAL;
    if (chosen == TSR_GROUPS_USUAL)
        return;
    *code = others[chosen];
    *loaded = made[chosen];
}

/* Makes the kernel's code for packets that are not full if the range has some and no launch had any before. */
static cl_int add_partial(struct _cl_kernel *kernel, const struct _cl_device_id *device, const struct tsr_ndrange *range,
                          const struct tsr_loaded_kernel *loaded)
{
    struct _cl_program *program = kernel->program;
    struct tsr_code *code = NULL;
    if (!(loaded->info->flags & TSR_KERNEL_PARTIAL_LATER) || !device->ops->needs_partial(loaded, range))
        return CL_SUCCESS;
    pthread_mutex_lock(&program->lock);
    cl_int err = tsr__code_of_partial(program, tsr__program_build_for(program, device), loaded->info, &code);
    pthread_mutex_unlock(&program->lock);
    struct tsr_loaded_kernel partial = {NULL, err == CL_SUCCESS ? code->info.kernels : NULL};
    if (err == CL_SUCCESS)
        err = tsr__code_load(program, device, code, &partial.module);
    if (err == CL_SUCCESS)
        device->ops->join_partial(loaded, &partial);
    return err;
}

/* ---- entry points ---- */

/* Adds the addressed buffer that has this byte, if any does, to the command's uses: all of it, as a kernel may go on from there. */
static bool use_address(struct _cl_event *command, uint64_t address)
{
    struct _cl_mem *mem = tsr__mem_at(command->context, command->queue->device, address);
    if (!mem)
        return true;
    bool added = tsr__command_uses(command, mem, 0, mem->size, TSR__READS | (mem->flags & CL_MEM_READ_ONLY ? 0 : TSR__WRITES));
    tsr__drop(mem);
    return added;
}

/* Where a device has memory of its own, it has an image of its own, too. */
static bool use_image(struct _cl_event *command, struct _cl_mem *image, const struct tsr_kernel_info *info, uint32_t index)
{
    unsigned access = info->args[index].access_qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY ? TSR__READS : TSR__READS | TSR__WRITES;
    if (!tsr__command_uses(command, image, 0, image->size, access))
        return false;
    if (command->queue->device->caps->own_memory)
        command->uses->list[command->uses->count - 1].argument = index;
    return true;
}

/* In contexts with devices that have memory of their own: adds to the command's uses the buffers that are arguments, the buffers whose
 * addresses are arguments, and those of clSetKernelExecInfo. False: out of memory. */
static bool use_buffers(struct _cl_event *command, const struct _cl_kernel *kernel, const struct tsr_kernel_info *info)
{
    for (size_t i = 0; i < kernel->device_pointer_count; i++)
        if (!use_address(command, kernel->device_pointers[i]))
            return false;
    for (uint32_t i = 0; i < info->arg_count; i++) {
        const struct tsr_arg_info *arg = &info->args[i];
        struct _cl_mem *mem = kernel->states[i].object;
        if (arg->kind == TSR_ARG_IMAGE && !use_image(command, mem, info, i))
            return false;
        if (arg->kind != TSR_ARG_POINTER)
            continue;
        if (!mem) {
            uint64_t address;
            memcpy(&address, kernel->args + arg->offset, sizeof address);
            if (!use_address(command, address))
                return false;
            continue;
        }
        bool reads_only = arg->address_qualifier == CL_KERNEL_ARG_ADDRESS_CONSTANT || arg->type_qualifier & CL_KERNEL_ARG_TYPE_CONST ||
                          mem->flags & CL_MEM_READ_ONLY;
        if (!tsr__command_uses(command, mem, 0, mem->size, TSR__READS | (reads_only ? 0 : TSR__WRITES)))
            return false;
        command->uses->list[command->uses->count - 1].argument = i;
    }
    return true;
}

/* Of a kernel that enqueues others. False: out of memory. */
static bool prepare_enqueue(struct _cl_event *command, struct launch_payload *payload)
{
    const struct _cl_device_id *device = command->queue->device;
    struct tsr__device_queue *queue = tsr__default_queue(command->context, device);
    if (queue)
        payload->objects[payload->object_count++] = queue;
    return payload->ops->launch_enqueues(payload->launch, device->impl, queue ? queue->impl : NULL);
}

/* Copies arguments and objects of the kernel into the command. The kernel's lock is held, so the caller reports errors. */
static cl_int snapshot(struct _cl_event *command, struct _cl_kernel *kernel, const struct tsr_kernel_info *info, struct tsr_module *module,
                       const struct tsr_ndrange *range)
{
    const struct tsr_device_ops *ops = command->queue->device->ops;
    struct launch_payload *payload = (struct launch_payload *)(void *)command->payload;
    command->cleanup = launch_cleanup;
    for (uint32_t i = 0; payload->object_count < kernel->object_count; i++) {
        void *object = kernel->states[i].object;
        if (!object)
            continue;
        if (!tsr__hold_alive(object))
            return CL_INVALID_KERNEL_ARGS;
        payload->objects[payload->object_count++] = object;
    }
    /* Local arguments lie behind the local variables, which may differ between the builds of two devices. */
    uint64_t local_begin = tsr_local_round(info->local_bytes);
    if (kernel->local_bytes && kernel->local_begin != local_begin)
        tsr__kernel_place_locals(kernel, local_begin);
    struct tsr_arg_memory memory[TSR_SIZED_ARGUMENTS];
    bool asks = info->flags & TSR_KERNEL_NONTEMPORAL || info->asked_arguments;
    if (asks)
        find_memory(kernel, info, memory);
    payload->ops = ops;
    payload->launch = ops->launch_make(module, info, range, kernel->args, kernel->local_bytes, asks ? memory : NULL);
    if (!payload->launch)
        return CL_OUT_OF_HOST_MEMORY;
    unsigned reached = kernel->indirect | kernel->svm_listed | kernel->usm_listed;
    if (reached && ops->launch_reaches)
        ops->launch_reaches(payload->launch, reached);
    tsr__hold(kernel);
    payload->kernel = kernel;
    command->execute = launch_execute;
    bool enqueues = info->flags & TSR_KERNEL_ENQUEUES && ops->launch_enqueues;
    if (enqueues && !prepare_enqueue(command, payload))
        return CL_OUT_OF_HOST_MEMORY;
    if (enqueues || !ops->launch_run) {
        command->execute = launch_submit;
        command->task.external = true;
        command->task.units = 1;
    } else {
        command->task.units = ops->launch_units(payload->launch, &command->task.unit_cost);
    }
    return command->context->own_memory && !use_buffers(command, kernel, info) ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

/* What the checks of a launch find out. */
struct checked {
    struct tsr_code *code;
    const struct tsr_kernel_info *info;
    struct tsr_ndrange range;
    bool empty; /* nothing is to run */
};

/* The images among the arguments may be made for another device of the context. */
static cl_int check_images(struct _cl_command_queue *queue, struct _cl_kernel *kernel, const struct tsr_kernel_info *info)
{
    cl_int err = CL_SUCCESS;
    for (uint32_t i = 0; i < info->arg_count && err == CL_SUCCESS; i++) {
        if (info->args[i].kind != TSR_ARG_IMAGE)
            continue;
        tsr_table_lock(&tsr__kernel_locks, kernel);
        struct _cl_mem *image = kernel->states[i].object;
        bool held = image && tsr__hold_alive(image); /* else the launch is refused later */
        tsr_table_unlock(&tsr__kernel_locks, kernel);
        if (!held)
            continue;
        err = tsr__check_image_on("clEnqueueNDRangeKernel", image, queue->device);
        tsr__drop(image);
    }
    return err;
}

/* `incomplete`: arguments may be missing. */
static cl_int check(struct _cl_command_queue *queue, struct _cl_kernel *kernel, cl_uint dim, const size_t *offset, const size_t *global,
                    const size_t *local, bool incomplete, struct checked *checked)
{
    struct _cl_context *context = queue->context;
    cl_int err = find_code(kernel, queue->device, &checked->code, &checked->info);
    if (err != CL_SUCCESS)
        return err;
    const struct tsr_kernel_info *info = checked->info;
    if (kernel->unset_count && !incomplete)
        return unset_argument(kernel);
    /* "CL_INVALID_OPERATION if SVM pointers are passed as arguments to a kernel and the device does not support SVM." */
    RETURN_IF(context, kernel->svm_count && !queue->device->caps->svm, CL_INVALID_OPERATION,
              "kernel %s has pointers of SVM or USM as arguments, and the device has neither (CL_DEVICE_SVM_CAPABILITIES is 0)",
              info->name);
    err = context->own_memory ? check_images(queue, kernel, info) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = read_range(context, dim, offset, global, &checked->range, &checked->empty);
    if (err == CL_SUCCESS)
        err = check_local_memory(kernel, queue->device, info);
    if (err == CL_SUCCESS && !checked->empty)
        err = read_local(kernel, queue->device, info, local, &checked->range);
    return err;
}

cl_int tsr__check_launch(struct _cl_command_queue *queue, struct _cl_kernel *kernel, cl_uint dim, const size_t *offset,
                         const size_t *global, const size_t *local, bool incomplete)
{
    struct checked checked;
    return check(queue, kernel, dim, offset, global, local, incomplete, &checked);
}

static cl_int enqueue(struct _cl_command_queue *queue, struct _cl_kernel *kernel, cl_command_type type, cl_uint dim, const size_t *offset,
                      const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    struct checked checked;
    struct tsr_loaded_kernel loaded;
    struct _cl_context *context = queue->context;
    cl_int err = check(queue, kernel, dim, offset, global, local, false, &checked);
    if (err == CL_SUCCESS)
        err = tsr__check_wait_list(context, wait_count, wait_list);
    if (err == CL_SUCCESS)
        err = tsr__code_load(kernel->program, queue->device, checked.code, &loaded.module);
    if (err != CL_SUCCESS)
        return err;
    const struct tsr_kernel_info *info = loaded.info = checked.info;
    struct tsr_ndrange range = checked.range;
    bool empty = checked.empty;
    if (!empty)
        choose_group_code(kernel, queue->device, &range, &checked.code, &loaded);
    err = empty ? CL_SUCCESS : add_partial(kernel, queue->device, &range, &loaded);
    RETURN_IF(context, err != CL_SUCCESS, err, "no code for packets of kernel %s that are not full", info->name);

    struct _cl_event *command =
        tsr__command_new(queue, type, sizeof(struct launch_payload) + (kernel->info->arg_count + 1) * sizeof(void *));
    RETURN_IF(context, !command, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    command->task.units = 0;
    if (!empty) {
        tsr_table_lock(&tsr__kernel_locks, kernel);
        err = snapshot(command, kernel, loaded.info, loaded.module, &range);
        tsr_table_unlock(&tsr__kernel_locks, kernel);
        if (err != CL_SUCCESS)
            tsr__command_abandon(command);
        RETURN_IF(context, err == CL_INVALID_KERNEL_ARGS, err, "a memory object that is an argument of kernel %s has been released",
                  info->name);
        RETURN_IF(context, err != CL_SUCCESS, err, "no memory for a launch");
    }
    if (tsr_log_on(TSR_LOG_LAUNCH))
        tsr_log(TSR_LOG_LAUNCH, "%s: global %llu x %llu x %llu, local %llu x %llu x %llu, %llu units", info->name,
                (unsigned long long)range.global[0], (unsigned long long)range.global[1], (unsigned long long)range.global[2],
                (unsigned long long)range.local[0], (unsigned long long)range.local[1], (unsigned long long)range.local[2],
                (unsigned long long)command->task.units);
    return tsr__command_submit(command, wait_count, wait_list, event, false);
}

TSR_API cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                                  const size_t *global_work_offset, const size_t *global_work_size,
                                                  const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    cl_int err = check_queue_and_kernel(command_queue, kernel);
    if (err != CL_SUCCESS)
        return err;
    return enqueue(command_queue, kernel, CL_COMMAND_NDRANGE_KERNEL, work_dim, global_work_offset, global_work_size, local_work_size,
                   num_events_in_wait_list, event_wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
                                         const cl_event *event_wait_list, cl_event *event)
{
    cl_int err = check_queue_and_kernel(command_queue, kernel);
    if (err != CL_SUCCESS)
        return err;
    size_t one = 1;
    return enqueue(command_queue, kernel, CL_COMMAND_TASK, 1, NULL, &one, &one, num_events_in_wait_list, event_wait_list, event);
}

TSR_API cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                                             const size_t *global_work_offset, const size_t *global_work_size,
                                                             size_t *suggested_local_work_size)
{
    cl_int err = check_queue_and_kernel(command_queue, kernel);
    struct tsr_code *code;
    const struct tsr_kernel_info *info;
    struct tsr_ndrange range;
    bool empty;
    if (err == CL_SUCCESS)
        err = find_code(kernel, command_queue->device, &code, &info);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_context *context = command_queue->context;
    if (kernel->unset_count)
        return unset_argument(kernel);
    err = read_range(context, work_dim, global_work_offset, global_work_size, &range, &empty);
    if (err != CL_SUCCESS)
        return err;
    /* Not trivial here: "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in global_work_size are
     * 0." */
    RETURN_IF(context, empty, CL_INVALID_GLOBAL_WORK_SIZE, "the global size is NULL or 0");
    RETURN_IF(context, !suggested_local_work_size, CL_INVALID_VALUE, "no place for the answer");
    err = check_local_memory(kernel, command_queue->device, info);
    if (err == CL_SUCCESS)
        err = read_local(kernel, command_queue->device, info, NULL, &range);
    for (cl_uint i = 0; i < work_dim && err == CL_SUCCESS; i++)
        suggested_local_work_size[i] = range.local[i];
    return err;
}
