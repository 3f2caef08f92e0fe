/* SPDX-License-Identifier: Apache-2.0
 * Commands on shared virtual memory. */
#include <string.h>

#include "icd/mem.h"

cl_int tsr__check_svm_queue(const char *function, cl_command_queue queue)
{
    cl_int err = tsr__check_queue(function, queue);
    if (err == CL_SUCCESS && !queue->device->caps->svm)
        err = tsr__error(queue->context, CL_INVALID_OPERATION, function, "CL_DEVICE_SVM_CAPABILITIES",
                         "the queue's device has neither SVM nor USM");
    return err;
}

/* ---- free ---- */

struct free_payload {
    void(CL_CALLBACK *call)(cl_command_queue queue, cl_uint count, void **pointers, void *user_data);
    void *user_data;
    cl_uint count;
    void *pointers[];
};

static cl_int free_execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    struct free_payload *payload = (struct free_payload *)command->payload;
    if (payload->call)
        payload->call(command->queue, payload->count, payload->pointers, payload->user_data);
    else
        for (cl_uint i = 0; i < payload->count; i++)
            tsr__svm_free(command->context, payload->pointers[i]);
    return CL_SUCCESS;
}

/* clEnqueueSVMFree: OpenCL 3.0, 5.6.1. */
TSR_API cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                                            void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void **, void *), void *user_data,
                                            cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err = tsr__check_svm_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(queue->context, !count != !pointers, CL_INVALID_VALUE, "%u pointers at %p: both or neither must be zero", count,
              (void *)pointers);
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = tsr__command_new(queue, CL_COMMAND_SVM_FREE, sizeof(struct free_payload) + count * sizeof *pointers);
    if (command) {
        struct free_payload *payload = (struct free_payload *)command->payload;
        payload->call = call;
        payload->user_data = user_data;
        payload->count = count;
        if (count)
            memcpy(payload->pointers, pointers, count * sizeof *pointers);
        command->execute = free_execute;
    }
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}

/* ---- copy and fill ---- */

/* Since cl_khr_unified_svm nothing can be copied from nowhere to nowhere. */
static bool may_be_null(const struct _cl_command_queue *queue, cl_command_type type, size_t size)
{
    bool svm = type == CL_COMMAND_SVM_MEMCPY || type == CL_COMMAND_SVM_MEMFILL;
    return svm && !size && tsr__has_unified_svm(queue->device);
}

/* A range that begins in an allocation must end in it, and none passes the end of the address space. How much other memory of the process
 * there is behind a pointer, nobody knows. */
static cl_int check_end(const char *function, struct _cl_context *context, const void *pointer, size_t size)
{
    struct tsr__allocation found;
    size_t most = UINTPTR_MAX - (uintptr_t)pointer;
    if (size && tsr__allocation_find(context, pointer, TSR__SVM | TSR__USM, &found))
        most = tsr__allocation_left(&found, pointer);
    if (size > most)
        return tsr__error(context, CL_INVALID_VALUE, function, "size", "%zu bytes from %p on, where there are only %zu", size, pointer,
                          most);
    return CL_SUCCESS;
}

cl_int tsr__enqueue_memcpy(const char *function, cl_command_queue queue, cl_command_type type, cl_bool blocking, void *to, const void *from,
                           size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err = tsr__check_svm_queue(function, queue);
    if (err != CL_SUCCESS)
        return err;
    if ((!to || !from) && !may_be_null(queue, type, size))
        return tsr__error(queue->context, CL_INVALID_VALUE, function, "pointers", "NULL pointer: to %p, from %p", to, from);
    if ((err = check_end(function, queue->context, to, size)) || (err = check_end(function, queue->context, from, size)) ||
        (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    uintptr_t a = (uintptr_t)from, b = (uintptr_t)to;
    if (a < b ? b - a < size : a - b < size)
        return tsr__error(queue->context, CL_MEM_COPY_OVERLAP, function, "size", "%zu bytes from %p on overlap those from %p on", size,
                          from, to);
    struct _cl_event *command = queue->context->usm_device ? tsr__address_copy_command(queue, type, to, from, size)
                                                           : tsr__copy_command(queue, type, NULL, to, NULL, from, size);
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, blocking);
}

cl_int tsr__enqueue_memfill(const char *function, cl_command_queue queue, cl_command_type type, void *pointer, const void *pattern,
                            size_t pattern_size, size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err = tsr__check_svm_queue(function, queue);
    if (err != CL_SUCCESS)
        return err;
    if (!pointer && !may_be_null(queue, type, size))
        return tsr__error(queue->context, CL_INVALID_VALUE, function, "pointer", "the pointer to fill from is NULL");
    if ((err = tsr__check_pattern(function, queue->context, pattern, pattern_size, (uintptr_t)pointer, size)) ||
        (err = check_end(function, queue->context, pointer, size)) || (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = queue->context->usm_device ? tsr__address_fill_command(queue, type, pointer, size, pattern, pattern_size)
                                                           : tsr__fill_command(queue, type, NULL, pointer, size, pattern, pattern_size);
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, false);
}

/* clEnqueueSVMMemcpy, clEnqueueSVMMemFill: OpenCL 3.0, 5.6.1. */
TSR_API cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
                                              cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return tsr__enqueue_memcpy(__func__, queue, CL_COMMAND_SVM_MEMCPY, blocking, to, from, size, wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *pointer, const void *pattern, size_t pattern_size, size_t size,
                                               cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return tsr__enqueue_memfill(__func__, queue, CL_COMMAND_SVM_MEMFILL, pointer, pattern, pattern_size, size, wait_count, wait_list,
                                event);
}

/* ---- map, unmap, migrate ---- */

/* The host reaches the memory as it is, and the commands have their place in the order. */

/* clEnqueueSVMMap, clEnqueueSVMUnmap: OpenCL 3.0, 5.6.1. */
TSR_API cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer, size_t size,
                                           cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err = tsr__check_svm_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(queue->context, !pointer, CL_INVALID_VALUE, "svm_ptr is NULL");
    RETURN_IF(queue->context, size == 0, CL_INVALID_VALUE, "a region of 0 bytes");
    RETURN_IF(queue->context, !tsr__map_flags_valid(flags), CL_INVALID_VALUE, "map_flags 0x%llx: unknown, or some that exclude each other",
              (unsigned long long)flags);
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = tsr__empty_command(queue, CL_COMMAND_SVM_MAP, NULL);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, blocking);
}

TSR_API cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint wait_count, const cl_event *wait_list,
                                             cl_event *event)
{
    cl_int err = tsr__check_svm_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(queue->context, !pointer, CL_INVALID_VALUE, "svm_ptr is NULL");
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = tsr__empty_command(queue, CL_COMMAND_SVM_UNMAP, NULL);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}

/* clEnqueueSVMMigrateMem: OpenCL 3.0, 5.6.1. A size of 0, or no sizes, means the whole allocation. */
TSR_API cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void **pointers, const size_t *sizes,
                                                  cl_mem_migration_flags flags, cl_uint wait_count, const cl_event *wait_list,
                                                  cl_event *event)
{
    cl_int err = tsr__check_svm_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(queue->context, count == 0 || !pointers, CL_INVALID_VALUE, "an empty list: %u pointers at %p", count, (const void *)pointers);
    RETURN_IF(queue->context, flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED),
              CL_INVALID_VALUE, "unknown bits in 0x%llx", (unsigned long long)flags);
    for (cl_uint i = 0; i < count; i++) {
        struct tsr__allocation allocation;
        if (!pointers[i] && !(sizes && sizes[i]) && tsr__has_unified_svm(queue->device))
            continue;
        bool found = tsr__allocation_find(queue->context, pointers[i], TSR__SVM, &allocation);
        RETURN_IF(queue->context, !found || (sizes && sizes[i] > tsr__allocation_left(&allocation, pointers[i])), CL_INVALID_VALUE,
                  "entry %u, %p with %zu bytes, lies in no allocation of clSVMAlloc", i, pointers[i], sizes ? sizes[i] : 0);
    }
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = tsr__prefetch_command(queue, CL_COMMAND_SVM_MIGRATE_MEM, flags, count, pointers, sizes);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
