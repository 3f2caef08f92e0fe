/* SPDX-License-Identifier: Apache-2.0
 * Buffers and sub-buffers: their creation. */
#include "icd/mem.h"

struct _cl_mem *tsr__mem_at(struct _cl_context *context, const struct _cl_device_id *device, uint64_t address)
{
    struct _cl_mem *found = NULL;
    pthread_mutex_lock(&context->lock);
    for (struct tsr__link *link = context->addressed; link && !found; link = link->next) {
        struct _cl_mem *mem = TSR_CONTAINER_OF(link, struct _cl_mem, link);
        if (address - tsr__mem_address(mem, device) < mem->size && tsr__hold_alive(mem))
            found = mem;
    }
    pthread_mutex_unlock(&context->lock);
    return found;
}

/* clCreateBufferWithProperties, clCreateBuffer: OpenCL 3.0, 5.2.1. */
TSR_API cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                                        size_t size, void *host_ptr, cl_int *errcode_ret)
{
    struct _cl_mem *mem = NULL;
    cl_int err = CL_SUCCESS;
    cl_mem_flags copied = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    struct tsr__allocation inside;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    struct tsr__mem_properties p;
    if ((err = tsr__read_mem_properties(__func__, context, properties, true, &p)))
        goto fail;
    FAIL_IF(context, !tsr__mem_flags_valid(flags), CL_INVALID_VALUE, "flags 0x%llx: unknown, or some that exclude each other",
            (unsigned long long)flags);
    FAIL_IF(context, !tsr__mem_flags_give_contents(flags, p.imports), CL_INVALID_VALUE,
            "CL_MEM_IMMUTABLE_EXT needs CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR");
    if ((err = tsr__check_import_flags(__func__, context, flags, p.imports)))
        goto fail;
    FAIL_IF(context, size == 0, CL_INVALID_BUFFER_SIZE, "a buffer of 0 bytes");
    FAIL_IF(context, tsr__mem_too_large(context, size), CL_INVALID_BUFFER_SIZE,
            "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of any device", size);
    bool listed = copied && host_ptr && tsr__allocation_find(context, host_ptr, TSR__SVM | TSR__USM, &inside);
    FAIL_IF(context, listed && size > tsr__allocation_left(&inside, host_ptr), CL_INVALID_BUFFER_SIZE,
            "%zu bytes from %p on, but the allocation that begins at %p has only %zu there", size, host_ptr, (void *)inside.base,
            tsr__allocation_left(&inside, host_ptr));
    if ((err = tsr__check_host_pointer(__func__, context, flags, host_ptr)))
        goto fail;

    mem = tsr__mem_new(context, CL_MEM_OBJECT_BUFFER, tsr__mem_flags_of_root(flags), size);
    FAIL_IF(context, !mem || !tsr__keep_properties(properties, p.words, &mem->properties, &mem->property_count), CL_OUT_OF_HOST_MEMORY,
            "no memory for a buffer object");
    if (flags & CL_MEM_USE_HOST_PTR) {
        mem->data = mem->host_ptr = host_ptr;
        mem->uses_svm = listed && inside.kind == TSR__SVM;
    } else if (p.imports) {
        if ((err = tsr__mem_import(__func__, mem, &p)))
            goto fail;
    } else {
        mem->data = tsr__mem_allocate(size);
        FAIL_IF(context, !mem->data, CL_MEM_OBJECT_ALLOCATION_FAILURE, "the system has no %zu bytes", size);
        mem->owns_data = true;
        if (host_ptr)
            tsr__take_contents(context, mem->data, host_ptr, size);
    }
    if (context->own_memory) {
        bool shared = listed && flags & CL_MEM_USE_HOST_PTR && inside.maker && !inside.device;
        mem->residence = tsr__residence_new(context, size, host_ptr != NULL, shared ? host_ptr : NULL);
        FAIL_IF(context, !mem->residence, CL_OUT_OF_HOST_MEMORY, "no memory for a buffer object");
        cl_int allocated = p.addressed ? tsr__residence_allocate(mem->residence) : CL_SUCCESS;
        FAIL_IF(context, allocated != CL_SUCCESS, allocated, "a device has no memory of %zu bytes", size);
    }
    if (p.addressed) {
        mem->addressed = true;
        pthread_mutex_lock(&context->lock);
        tsr__link_enter(&context->addressed, &mem->link);
        pthread_mutex_unlock(&context->lock);
    }
fail:
    return tsr__created(mem, err, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    return clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

/* clCreateSubBuffer: OpenCL 3.0, 5.2.1. What `flags` leaves open is inherited. */
TSR_API cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                                             cl_int *errcode_ret)
{
    struct _cl_mem *mem = NULL;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(buffer, TSR_TAG_MEM) || buffer->type != CL_MEM_OBJECT_BUFFER, CL_INVALID_MEM_OBJECT, "not a buffer: %p",
            (void *)buffer);
    struct _cl_context *context = buffer->context;
    FAIL_IF(context, buffer->parent, CL_INVALID_MEM_OBJECT, "a sub-buffer of a sub-buffer; take the one of the buffer itself");
    cl_mem_flags all;
    if ((err = tsr__mem_flags_of_part(__func__, buffer, flags, &all)))
        goto fail;
    FAIL_IF(context, type != CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE, "type 0x%x is not CL_BUFFER_CREATE_TYPE_REGION", type);
    FAIL_IF(context, !info, CL_INVALID_VALUE, "buffer_create_info is NULL");
    const cl_buffer_region *region = info;
    FAIL_IF(context, region->origin > buffer->size || region->size > buffer->size - region->origin, CL_INVALID_VALUE,
            "%zu bytes from %zu on go past the buffer's %zu", region->size, region->origin, buffer->size);
    FAIL_IF(context, region->size == 0, CL_INVALID_BUFFER_SIZE, "a sub-buffer of 0 bytes");
    FAIL_IF(context, region->origin % TSR_MAX_ALIGN, CL_MISALIGNED_SUB_BUFFER_OFFSET,
            "origin %zu is no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN, %d bytes", region->origin, TSR_MAX_ALIGN);

    mem = tsr__mem_new(context, CL_MEM_OBJECT_BUFFER, all, region->size);
    FAIL_IF(context, !mem, CL_OUT_OF_HOST_MEMORY, "no memory for a buffer object");
    tsr__mem_become_part(mem, buffer, region->origin);
    mem->origin = region->origin;
fail:
    return tsr__created(mem, err, errcode_ret);
}
