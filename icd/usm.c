/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_unified_shared_memory, revision 1.2.0: allocations of the host, of a device, and shared ones. To devices that use the memory
 * of the process the three kinds differ in name only, and nothing migrates; of others the driver makes them. */
#include <string.h>

#include "icd/mem.h"

static bool has_usm(const struct _cl_device_id *device)
{
    return device->caps->extensions.has[TSR_HAS_cl_intel_unified_shared_memory];
}

/* ---- allocation ---- */

static cl_int read_properties(struct _cl_context *context, const cl_mem_properties_intel *properties, struct tsr__allocation *wanted)
{
    const cl_mem_alloc_flags_intel placements = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    for (const cl_mem_properties_intel *p = properties; p && p[0]; p += 2) {
        RETURN_IF(context, p[0] != CL_MEM_ALLOC_FLAGS_INTEL, CL_INVALID_PROPERTY, "no allocation has the property 0x%llx",
                  (unsigned long long)p[0]);
        RETURN_IF(context, p != properties, CL_INVALID_PROPERTY, "CL_MEM_ALLOC_FLAGS_INTEL stands twice in the list");
        wanted->flags = p[1];
        RETURN_IF(context, wanted->flags & ~(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | placements), CL_INVALID_PROPERTY,
                  "unknown flags in 0x%llx", (unsigned long long)wanted->flags);
        RETURN_IF(context, wanted->flags & placements && wanted->kind != TSR__USM_SHARED, CL_INVALID_PROPERTY,
                  "only shared allocations have an initial placement");
        RETURN_IF(context, (wanted->flags & placements) == placements, CL_INVALID_PROPERTY,
                  "the two initial placements exclude each other");
    }
    return CL_SUCCESS;
}

/* The checks in the order of the specification's lists, which are alike for the three functions. Of an allocation without a device, all
 * devices of the context that have USM are asked. */
static cl_int check(struct _cl_context *context, const cl_mem_properties_intel *properties, cl_uint alignment,
                    struct tsr__allocation *wanted)
{
    uint64_t most = UINT64_MAX;
    bool any = false;
    for (cl_uint i = 0; i < context->device_count; i++) {
        const struct _cl_device_id *device = context->devices[i];
        if ((wanted->device && device != wanted->device) || !has_usm(device))
            continue;
        any = true;
        most = device->caps->max_allocation < most ? device->caps->max_allocation : most;
    }
    RETURN_IF(context, !any, CL_INVALID_OPERATION, "%s unified shared memory", wanted->device ? "the device has no" : "no device has");
    RETURN_IF(context, context->usm_split && !(wanted->device && wanted->device->caps->own_memory) && wanted->kind != TSR__USM_DEVICE,
              CL_INVALID_OPERATION,
              "devices of the context have drivers that share no memory: take a context for each, or memory of a device");
    RETURN_IF(context, alignment & (alignment - 1) || alignment > TSR_MAX_ALIGN, CL_INVALID_VALUE,
              "alignment %u: powers of two up to %d are possible", alignment, TSR_MAX_ALIGN);
    cl_int err = read_properties(context, properties, wanted);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(context, !wanted->size, CL_INVALID_BUFFER_SIZE, "an allocation of 0 bytes");
    RETURN_IF(context, wanted->size > most, CL_INVALID_BUFFER_SIZE, "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE, %llu",
              wanted->size, (unsigned long long)most);
    return CL_SUCCESS;
}

static void *allocate(struct _cl_context *context, struct tsr__allocation wanted, const cl_mem_properties_intel *properties,
                      cl_uint alignment, cl_int *errcode_ret)
{
    void *memory = NULL;
    cl_int err = check(context, properties, alignment, &wanted);
    if (err != CL_SUCCESS)
        goto fail;
    memory = tsr__allocate(context, wanted);
    FAIL_IF(context, !memory, wanted.kind == TSR__USM_HOST ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES, "the system has no %zu bytes",
            wanted.size);
fail:
    if (errcode_ret)
        *errcode_ret = err;
    return memory;
}

static void *refuse(cl_int err, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}

static cl_int check_context(const char *function, cl_context context)
{
    if (tsr__valid(context, TSR_TAG_CONTEXT))
        return CL_SUCCESS;
    return tsr__error(NULL, CL_INVALID_CONTEXT, function, "context", "not a context: %p", (void *)context);
}

static cl_int check_device(const char *function, cl_context context, cl_device_id device)
{
    cl_int err = check_context(function, context);
    if (err == CL_SUCCESS && (!tsr__valid(device, TSR_TAG_DEVICE) || !tsr__context_has(context, device)))
        err = tsr__error(context, CL_INVALID_DEVICE, function, "device", "not a device of the context: %p", (void *)device);
    return err;
}

TSR_API void *CL_API_CALL clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
                                              cl_int *errcode_ret)
{
    cl_int err = check_context(__func__, context);
    if (err != CL_SUCCESS)
        return refuse(err, errcode_ret);
    return allocate(context, (struct tsr__allocation){.size = size, .kind = TSR__USM_HOST}, properties, alignment, errcode_ret);
}

TSR_API void *CL_API_CALL clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties,
                                                size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    cl_int err = check_device(__func__, context, device);
    if (err != CL_SUCCESS)
        return refuse(err, errcode_ret);
    return allocate(context, (struct tsr__allocation){.size = size, .kind = TSR__USM_DEVICE, .device = device}, properties, alignment,
                    errcode_ret);
}

/* The device may be NULL: of no device. */
TSR_API void *CL_API_CALL clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties,
                                                size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    cl_int err = device ? check_device(__func__, context, device) : check_context(__func__, context);
    if (err != CL_SUCCESS)
        return refuse(err, errcode_ret);
    return allocate(context, (struct tsr__allocation){.size = size, .kind = TSR__USM_SHARED, .device = device}, properties, alignment,
                    errcode_ret);
}

TSR_API cl_int CL_API_CALL clMemFreeINTEL(cl_context context, void *pointer)
{
    cl_int err = check_context(__func__, context);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(context, pointer && !tsr__allocation_free(context, pointer, TSR__USM), CL_INVALID_VALUE,
              "%p begins no allocation of unified shared memory, or was freed before", pointer);
    return CL_SUCCESS;
}

/* A command that uses the memory may do so through pointers that nobody sees, so all commands of the context count. */
TSR_API cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context context, void *pointer)
{
    struct tsr__allocation allocation;
    cl_int err = check_context(__func__, context);
    if (err != CL_SUCCESS || !pointer)
        return err;
    RETURN_IF(context, !tsr__allocation_find(context, pointer, TSR__USM, &allocation) || allocation.base != pointer, CL_INVALID_VALUE,
              "%p begins no allocation of unified shared memory, or was freed before", pointer);
    err = tsr__context_finish(context);
    return err == CL_SUCCESS ? clMemFreeINTEL(context, pointer) : err;
}

/* ---- queries ---- */

static cl_unified_shared_memory_type_intel type_of(enum tsr__allocation_kind kind)
{
    switch (kind) {
    case TSR__USM_HOST:
        return CL_MEM_TYPE_HOST_INTEL;
    case TSR__USM_DEVICE:
        return CL_MEM_TYPE_DEVICE_INTEL;
    case TSR__USM_SHARED:
        return CL_MEM_TYPE_SHARED_INTEL;
    default:
        return CL_MEM_TYPE_UNKNOWN_INTEL;
    }
}

TSR_API cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context context, const void *pointer, cl_mem_info_intel name, size_t size, void *value,
                                                  size_t *size_ret)
{
    struct tsr__allocation allocation;
    cl_int err = check_context(__func__, context);
    if (err != CL_SUCCESS)
        return err;
    if (!tsr__allocation_find(context, pointer, TSR__USM, &allocation))
        allocation = (struct tsr__allocation){0};
    struct tsr_info_out out = {size, value, size_ret};
    switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL:
        return tsr__info_value(out, cl_unified_shared_memory_type_intel, type_of(allocation.kind));
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
        return tsr__info_value(out, void *, allocation.base);
    case CL_MEM_ALLOC_SIZE_INTEL:
        return tsr__info_value(out, size_t, allocation.size);
    case CL_MEM_ALLOC_DEVICE_INTEL:
        return tsr__info_value(out, cl_device_id, allocation.device);
    case CL_MEM_ALLOC_FLAGS_INTEL:
        return tsr__info_value(out, cl_mem_alloc_flags_intel, allocation.flags);
    default:
        return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "no allocation has the property 0x%x", name);
    }
}

/* ---- commands ---- */

TSR_API cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void *pointer, const void *pattern, size_t pattern_size,
                                                 size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return tsr__enqueue_memfill(__func__, queue, CL_COMMAND_MEMFILL_INTEL, pointer, pattern, pattern_size, size, wait_count, wait_list,
                                event);
}

/* Deprecated since the draft of the extension, yet programs look it up. */
TSR_API cl_int CL_API_CALL clEnqueueMemsetINTEL(cl_command_queue queue, void *pointer, cl_int value, size_t size, cl_uint wait_count,
                                                const cl_event *wait_list, cl_event *event)
{
    return tsr__enqueue_memfill(__func__, queue, CL_COMMAND_MEMFILL_INTEL, pointer, &(unsigned char){(unsigned char)value}, 1, size,
                                wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
                                                cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return tsr__enqueue_memcpy(__func__, queue, CL_COMMAND_MEMCPY_INTEL, blocking, to, from, size, wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue queue, const void *pointer, size_t size, cl_mem_migration_flags flags,
                                                    cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err = tsr__check_svm_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(queue->context, flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED),
              CL_INVALID_VALUE, "unknown bits in 0x%llx", (unsigned long long)flags);
    err = tsr__check_wait_list(queue->context, wait_count, wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__prefetch_command(queue, CL_COMMAND_MIGRATEMEM_INTEL, flags, 1, &pointer, &size);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}

/* No advice has a name so far: "If a memory advice hint is not supported by the device it will be ignored." */
TSR_API cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *pointer, size_t size, cl_mem_advice_intel advice,
                                                   cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    (void)pointer, (void)size, (void)advice;
    cl_int err = tsr__check_svm_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    err = tsr__check_wait_list(queue->context, wait_count, wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__empty_command(queue, CL_COMMAND_MEMADVISE_INTEL, NULL);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
