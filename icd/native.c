/* SPDX-License-Identifier: Apache-2.0
 * Native kernels: functions of the host program as commands. */
#include <string.h>

#include "icd/mem.h"

struct native_payload {
    void(CL_CALLBACK *function)(void *args);
    cl_uint mem_count;
    size_t args_size;
    struct _cl_mem **mems; /* held; behind the arguments */
    _Alignas(16) unsigned char args[];
};

static cl_int native_execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    struct native_payload *payload = (struct native_payload *)command->payload;
    payload->function(payload->args_size ? payload->args : NULL);
    return CL_SUCCESS;
}

static void native_cleanup(struct _cl_event *command)
{
    struct native_payload *payload = (struct native_payload *)command->payload;
    for (cl_uint i = 0; i < payload->mem_count; i++)
        if (payload->mems[i])
            tsr__drop(payload->mems[i]);
}

/* clEnqueueNativeKernel: OpenCL 3.0, 5.10. The function gets a copy of `args`, in which the handles of buffers are replaced by their
 * addresses; a NULL handle becomes a NULL address. It may not make blocking calls. */
TSR_API cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *args, size_t args_size,
                                                 cl_uint mem_count, const cl_mem *mems, const void **locations, cl_uint wait_count,
                                                 const cl_event *wait_list, cl_event *event)
{
    cl_int err = tsr__check_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_context *context = queue->context;
    /* "CL_INVALID_OPERATION if the device associated with command_queue cannot execute the native kernel." */
    RETURN_IF(context, !queue->device->caps->native_kernels, CL_INVALID_OPERATION,
              "the device runs no functions of the host (CL_DEVICE_EXECUTION_CAPABILITIES)");
    RETURN_IF(context, !function, CL_INVALID_VALUE, "user_func is NULL");
    RETURN_IF(context, !args && (args_size || mem_count), CL_INVALID_VALUE,
              "args is NULL, but %zu bytes and %u memory objects are announced", args_size, mem_count);
    RETURN_IF(context, args && !args_size, CL_INVALID_VALUE, "args is given, but its size is 0");
    RETURN_IF(context, mem_count ? !mems || !locations : mems || locations, CL_INVALID_VALUE,
              "%u memory objects, but their list is at %p and their places at %p", mem_count, (const void *)mems, (const void *)locations);
    for (cl_uint i = 0; i < mem_count; i++) {
        if (mems[i] && (err = tsr__check_buffer(__func__, queue, mems[i])))
            return err;
        size_t place = (uintptr_t)locations[i] - (uintptr_t)args;
        RETURN_IF(context, args_size < sizeof(void *) || place > args_size - sizeof(void *), CL_INVALID_VALUE,
                  "the place of memory object %u, %p, is not within args", i, locations[i]);
    }
    if ((err = tsr__check_wait_list(context, wait_count, wait_list)))
        return err;

    /* No block of memory is so large, and the sums below cannot overflow from half of a size_t on. */
    RETURN_IF(context, args_size > SIZE_MAX / 2, CL_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of arguments", args_size);
    size_t mems_at = sizeof(struct native_payload) + ((args_size + 15) & ~(size_t)15);
    struct _cl_event *command = tsr__command_new(queue, CL_COMMAND_NATIVE_KERNEL, mems_at + mem_count * sizeof *mems);
    bool good = true;
    if (command) {
        struct native_payload *payload = (struct native_payload *)command->payload;
        payload->function = function;
        payload->args_size = args_size;
        if (args_size)
            memcpy(payload->args, args, args_size);
        payload->mems = (struct _cl_mem **)(command->payload + mems_at);
        payload->mem_count = mem_count;
        for (cl_uint i = 0; i < mem_count; i++) {
            const void *address = mems[i] ? mems[i]->data : NULL;
            memcpy(payload->args + ((uintptr_t)locations[i] - (uintptr_t)args), &address, sizeof address);
            payload->mems[i] = mems[i];
            if (mems[i]) {
                tsr__hold(mems[i]);
                good &= tsr__command_uses(command, mems[i], 0, mems[i]->size, TSR__READS | TSR__WRITES | TSR__ON_HOST);
            }
        }
        command->execute = native_execute;
        command->cleanup = native_cleanup;
    }
    if (!good) {
        tsr__command_abandon(command);
        command = NULL;
    }
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
