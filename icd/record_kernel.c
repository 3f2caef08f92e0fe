/* SPDX-License-Identifier: Apache-2.0
 * Launches of kernels in command buffers, and their updates. A recorded launch has a clone of the kernel, whose arguments stay as they were
 * when it was recorded; an update makes a new clone, so that it can be given up, and so that launches under way keep theirs. */
#include <string.h>

#include "icd/command_buffer.h"

/* ---- a recorded launch ---- */

/* Args of the recording. */
struct dispatch {
    struct _cl_kernel *kernel;   /* held: the application's */
    struct _cl_kernel *launched; /* its clone with the arguments of the recording or of an update */
    cl_uint dim;
    bool has_offset, has_global, has_local;
    size_t offset[3], global[3], local[3];
    cl_mutable_dispatch_fields_khr fields; /* that may be updated */
    struct dispatch *update;               /* while clUpdateMutableCommandsKHR collects changes */
};

static cl_int launch(struct _cl_command_queue *queue, const void *args)
{
    const struct dispatch *d = args;
    return clEnqueueNDRangeKernel(queue, d->launched, d->dim, d->has_offset ? d->offset : NULL, d->has_global ? d->global : NULL,
                                  d->has_local ? d->local : NULL, 0, NULL, NULL);
}

/* The checks of the launch. */
static cl_int check(struct _cl_command_queue *queue, const struct dispatch *d, bool incomplete)
{
    return tsr__check_launch(queue, d->launched, d->dim, d->has_offset ? d->offset : NULL, d->has_global ? d->global : NULL,
                             d->has_local ? d->local : NULL, incomplete);
}

static bool lacks_arguments(const void *args)
{
    const struct dispatch *d = args;
    return d->launched->unset_count;
}

static void clear(void *args)
{
    struct dispatch *d = args;
    if (d->launched)
        tsr__drop(d->launched);
}

/* The launch of a command; NULL: it is another command. */
static struct dispatch *dispatch_of(const struct _cl_mutable_command_khr *command)
{
    return command->recording.enqueue == launch ? (struct dispatch *)(uintptr_t)command->recording.args : NULL;
}

/* Copies offset, global or local sizes. If the number of dimensions is wrong, which the checks of the launch report, nobody knows how long
 * the array is, so nothing is read. */
static void take_sizes(cl_uint dim, const size_t *given, bool *has, size_t sizes[3])
{
    *has |= given != NULL;
    for (cl_uint i = 0; given && dim <= 3 && i < dim; i++)
        sizes[i] = given[i];
}

/* ---- recording ---- */

struct read_properties {
    cl_mutable_dispatch_fields_khr fields;
    cl_mutable_dispatch_asserts_khr asserts;
    bool has_fields, has_asserts;
};

static cl_int read_properties(const struct tsr__record_call *call, struct read_properties *read)
{
    struct _cl_context *context = call->buffer->queue->context;
    *read = (struct read_properties){.fields = TSR__MUTABLE_FIELDS};
    for (const cl_command_properties_khr *p = call->properties; p && *p; p += 2) {
        bool is_fields = p[0] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
        if (!is_fields && p[0] != CL_MUTABLE_DISPATCH_ASSERTS_KHR)
            return tsr__error(context, CL_INVALID_VALUE, call->function, "properties", "no launch has the property 0x%llx",
                              (unsigned long long)p[0]);
        if (is_fields ? read->has_fields : read->has_asserts)
            return tsr__error(context, CL_INVALID_VALUE, call->function, "properties", "property 0x%llx is given twice",
                              (unsigned long long)p[0]);
        /* All fields that exist can be updated, so CL_INVALID_OPERATION is for none. */
        cl_bitfield known = is_fields ? TSR__MUTABLE_FIELDS : CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
        if (p[1] & ~known)
            return tsr__error(context, CL_INVALID_VALUE, call->function, "properties", "property 0x%llx: unknown bits in 0x%llx",
                              (unsigned long long)p[0], (unsigned long long)p[1]);
        *(is_fields ? &read->has_fields : &read->has_asserts) = true;
        *(is_fields ? &read->fields : &read->asserts) = p[1];
    }
    return CL_SUCCESS;
}

static cl_int check_kernel(const struct tsr__record_call *call, cl_kernel kernel, const size_t *local, const struct read_properties *read)
{
    struct _cl_context *context = call->buffer->queue->context;
    if (!tsr__valid(kernel, TSR_TAG_KERNEL))
        return tsr__error(context, CL_INVALID_KERNEL, call->function, "kernel", "the kernel is not valid");
    if (kernel->program->context != context)
        return tsr__error(context, CL_INVALID_CONTEXT, call->function, "kernel", "kernel and command buffer are of two contexts");
    if (!local && (read->asserts | call->buffer->asserts) & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)
        return tsr__error(context, CL_INVALID_VALUE, call->function, "local_work_size",
                          "the number of work-groups is asserted, so the local size must be given");
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clCommandNDRangeKernelKHR(TSR_RECORD_HEAD, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
                                                     const size_t *global_work_size, const size_t *local_work_size, TSR_RECORD_TAIL)
{
    const struct tsr__record_call call = {
        __func__,   command_buffer, command_queue, properties, num_sync_points_in_wait_list, sync_point_wait_list,
        sync_point, mutable_handle};
    struct read_properties read;
    cl_int err = tsr__record_check(&call, true);
    if (err == CL_SUCCESS)
        err = read_properties(&call, &read);
    if (err == CL_SUCCESS)
        err = check_kernel(&call, kernel, local_work_size, &read);
    if (err != CL_SUCCESS)
        return err;
    struct dispatch args = {.kernel = kernel, .launched = tsr__kernel_clone(kernel), .dim = work_dim, .fields = read.fields};
    RETURN_IF(command_buffer->queue->context, !args.launched, CL_OUT_OF_HOST_MEMORY, "no memory for the kernel's arguments");
    take_sizes(work_dim, global_work_offset, &args.has_offset, args.offset);
    take_sizes(work_dim, global_work_size, &args.has_global, args.global);
    take_sizes(work_dim, local_work_size, &args.has_local, args.local);
    /* "CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified and the CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was not
     * set in the properties parameter." */
    bool later =
        command_buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR && read.has_fields && read.fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    err = check(command_buffer->recorder, &args, later);
    if (err == CL_SUCCESS)
        err = tsr__record_add(
            &call, &(struct tsr__recording){CL_COMMAND_NDRANGE_KERNEL, launch, clear, &args, sizeof args, lacks_arguments, {kernel}});
    if (err != CL_SUCCESS)
        clear(&args);
    return err;
}

/* ---- updates ---- */

static cl_int check_lists(struct _cl_context *context, const cl_mutable_dispatch_config_khr *c)
{
    RETURN_IF(context, !c->arg_list != !c->num_args, CL_INVALID_VALUE, "%u arguments at %p", c->num_args, (const void *)c->arg_list);
    RETURN_IF(context, !c->arg_svm_list != !c->num_svm_args, CL_INVALID_VALUE, "%u SVM arguments at %p", c->num_svm_args,
              (const void *)c->arg_svm_list);
    RETURN_IF(context, !c->exec_info_list != !c->num_exec_infos, CL_INVALID_VALUE, "%u pieces of execution information at %p",
              c->num_exec_infos, (const void *)c->exec_info_list);
    return CL_SUCCESS;
}

static cl_int check_config(struct _cl_command_buffer_khr *buffer, const cl_mutable_dispatch_config_khr *c)
{
    struct _cl_context *context = buffer->queue->context;
    RETURN_IF(context, !tsr__valid(c->command, TSR_TAG_RECORDED_COMMAND) || c->command->buffer != buffer || !dispatch_of(c->command),
              CL_INVALID_MUTABLE_COMMAND_KHR, "no launch of the command buffer: %p", (void *)c->command);
    const struct dispatch *d = dispatch_of(c->command);
    RETURN_IF(context, c->work_dim && c->work_dim != d->dim, CL_INVALID_OPERATION, "the launch was recorded with %u dimensions, not %u",
              d->dim, c->work_dim);
    const struct {
        cl_mutable_dispatch_fields_khr field;
        bool changes;
        const char *what;
    } changes[] = {
        {CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, c->global_work_offset, "global offset"},
        {CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, c->global_work_size, "global size"},
        {CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, c->local_work_size, "local size"},
        {CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, c->num_args || c->num_svm_args, "arguments"},
        {CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, c->num_exec_infos, "execution information"},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(changes); i++)
        RETURN_IF(context, changes[i].changes && !(d->fields & changes[i].field), CL_INVALID_OPERATION,
                  "the launch was recorded without permission to change its %s", changes[i].what);
    return check_lists(context, c);
}

/* The launch as the updates of this call have left it so far. NULL: out of memory. */
static struct dispatch *open_update(struct dispatch *d)
{
    if (d->update)
        return d->update;
    struct dispatch *update = tsr_malloc(sizeof *update);
    struct _cl_kernel *clone = update ? tsr__kernel_clone(d->launched) : NULL;
    if (!clone) {
        tsr_free(update);
        return NULL;
    }
    *update = *d;
    update->launched = clone;
    d->update = update;
    return update;
}

static cl_int set_arguments(struct _cl_kernel *kernel, const cl_mutable_dispatch_config_khr *c)
{
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < c->num_args && err == CL_SUCCESS; i++)
        err = clSetKernelArg(kernel, c->arg_list[i].arg_index, c->arg_list[i].arg_size, c->arg_list[i].arg_value);
    for (cl_uint i = 0; i < c->num_svm_args && err == CL_SUCCESS; i++)
        err = clSetKernelArgSVMPointer(kernel, c->arg_svm_list[i].arg_index, c->arg_svm_list[i].arg_value);
    for (cl_uint i = 0; i < c->num_exec_infos && err == CL_SUCCESS; i++)
        err = clSetKernelExecInfo(kernel, c->exec_info_list[i].param_name, c->exec_info_list[i].param_value_size,
                                  c->exec_info_list[i].param_value);
    return err;
}

/* Whether all work-groups have the same size. */
static bool is_uniform(const struct dispatch *d)
{
    for (cl_uint i = 0; i < d->dim; i++)
        if (d->local[i] && d->global[i] % d->local[i])
            return false;
    return true;
}

/* After check_config. */
static cl_int update(struct _cl_command_buffer_khr *buffer, const cl_mutable_dispatch_config_khr *c)
{
    struct _cl_context *context = buffer->queue->context;
    const struct dispatch *before = dispatch_of(c->command);
    struct dispatch *d = open_update(dispatch_of(c->command));
    RETURN_IF(context, !d, CL_OUT_OF_HOST_MEMORY, "no memory for the kernel's arguments");
    take_sizes(d->dim, c->global_work_offset, &d->has_offset, d->offset);
    take_sizes(d->dim, c->global_work_size, &d->has_global, d->global);
    take_sizes(d->dim, c->local_work_size, &d->has_local, d->local);
    cl_int err = set_arguments(d->launched, c);
    if (err == CL_SUCCESS)
        err = check(buffer->recorder, d, true);
    if (err != CL_SUCCESS)
        return err;
    /* "CL_INVALID_OPERATION if the values of local_work_size and/or global_work_size result in a change to work-group uniformity." */
    RETURN_IF(context, before->has_local && is_uniform(before) != is_uniform(d), CL_INVALID_OPERATION, "before the update %s, after it %s",
              is_uniform(before) ? "all work-groups had one size" : "some work-groups were smaller",
              is_uniform(d) ? "all have" : "some are");
    return CL_SUCCESS;
}

/* Ends the updates: they count, or are forgotten. */
static void close_updates(const void *const *configs, cl_uint count, bool good)
{
    for (cl_uint i = 0; i < count; i++) {
        const cl_mutable_dispatch_config_khr *c = configs[i];
        struct dispatch *d = dispatch_of(c->command), *u = d->update;
        if (!u) /* there was no memory, or the command has another update in the list */
            continue;
        struct dispatch unused = good ? *d : *u;
        if (good)
            *d = *u;
        d->update = NULL;
        clear(&unused);
        tsr_free(u);
    }
}

static cl_int check_update(struct _cl_command_buffer_khr *buffer, cl_uint count, const cl_command_buffer_update_type_khr *types,
                           const void **configs)
{
    struct _cl_context *context = buffer->queue->context;
    tsr__command_buffer_lock(buffer);
    bool finalized = buffer->finalized;
    tsr__command_buffer_unlock(buffer);
    RETURN_IF(context, !finalized, CL_INVALID_OPERATION, "the command buffer has not been finalized");
    RETURN_IF(context, !(buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR), CL_INVALID_OPERATION,
              "the command buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR");
    RETURN_IF(context, !types != !count || !configs != !count, CL_INVALID_VALUE, "%u updates at %p, their types at %p", count,
              (const void *)configs, (const void *)types);
    for (cl_uint i = 0; i < count; i++) {
        RETURN_IF(context, types[i] != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, CL_INVALID_VALUE, "update %u: no update has type %u",
                  i, types[i]);
        RETURN_IF(context, !configs[i], CL_INVALID_VALUE, "update %u is NULL", i);
    }
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clUpdateMutableCommandsKHR(cl_command_buffer_khr command_buffer, cl_uint num_configs,
                                                      const cl_command_buffer_update_type_khr *config_types, const void **configs)
{
    RETURN_IF(NULL, !tsr__valid(command_buffer, TSR_TAG_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR, "not a command buffer: %p",
              (void *)command_buffer);
    cl_int err = check_update(command_buffer, num_configs, config_types, configs);
    if (err != CL_SUCCESS)
        return err;
    tsr__command_buffer_lock(command_buffer);
    cl_uint opened = 0;
    while (opened < num_configs && err == CL_SUCCESS) {
        err = check_config(command_buffer, configs[opened]);
        if (err == CL_SUCCESS)
            err = update(command_buffer, configs[opened++]);
    }
    close_updates(configs, opened, err == CL_SUCCESS);
    tsr__command_buffer_unlock(command_buffer);
    return err;
}

/* ---- queries ---- */

/* Numbers of a range, 0 where they are not given. */
static cl_int give_sizes(const struct dispatch *d, const size_t sizes[3], struct tsr_info_out out)
{
    return tsr__info_bytes(out, sizes, d->dim * sizeof *sizes);
}

static cl_int command_info(cl_mutable_command_khr command, cl_mutable_command_info_khr name, struct tsr_info_out out)
{
    struct _cl_command_queue *queue = command->buffer->queue;
    const struct dispatch *d = dispatch_of(command);
    switch (name) {
    case CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR:
        return tsr__info_value(out, cl_command_queue, queue);
    case CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR:
        return tsr__info_value(out, cl_command_buffer_khr, command->buffer);
    case CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR:
        return tsr__info_value(out, cl_command_type, command->recording.type);
    case CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR:
        return tsr__info_bytes(out, command->properties, command->property_count * sizeof *command->properties);
    case CL_MUTABLE_DISPATCH_KERNEL_KHR:
        return tsr__info_value(out, cl_kernel, d->kernel);
    case CL_MUTABLE_DISPATCH_DIMENSIONS_KHR:
        return tsr__info_value(out, cl_uint, d->dim);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR:
        return give_sizes(d, d->offset, out);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR:
        return give_sizes(d, d->global, out);
    case CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR:
        return give_sizes(d, d->local, out);
    default:
        return tsr__error(queue->context, CL_INVALID_VALUE, __func__, "param_name", "no command has the property 0x%x", name);
    }
}

TSR_API cl_int CL_API_CALL clGetMutableCommandInfoKHR(cl_mutable_command_khr command, cl_mutable_command_info_khr param_name,
                                                      size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    /* Only launches hand out handles. */
    RETURN_IF(NULL, !tsr__valid(command, TSR_TAG_RECORDED_COMMAND), CL_INVALID_MUTABLE_COMMAND_KHR, "no handle of a command: %p",
              (void *)command);
    tsr__command_buffer_lock(command->buffer);
    cl_int err = command_info(command, param_name, (struct tsr_info_out){param_value_size, param_value, param_value_size_ret});
    tsr__command_buffer_unlock(command->buffer);
    return err;
}
