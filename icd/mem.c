/* SPDX-License-Identifier: Apache-2.0
 * What all memory objects have: counts, queries, destructor callbacks, migration. */
#include "icd/image.h"

/* clRetainMemObject, clReleaseMemObject: OpenCL 3.0, 5.5. */
TSR_API cl_int CL_API_CALL clRetainMemObject(cl_mem mem)
{
    return tsr__api_retain(mem, TSR_TAG_MEM, CL_INVALID_MEM_OBJECT);
}

TSR_API cl_int CL_API_CALL clReleaseMemObject(cl_mem mem)
{
    return tsr__api_release(mem, TSR_TAG_MEM, CL_INVALID_MEM_OBJECT);
}

/* clSetMemObjectDestructorCallback: OpenCL 3.0, 5.5.1. May be called from a worker, when the last command that uses the object ends. */
TSR_API cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *call)(cl_mem, void *), void *user_data)
{
    RETURN_IF(NULL, !tsr__valid(mem, TSR_TAG_MEM), CL_INVALID_MEM_OBJECT, "not a memory object: %p", (void *)mem);
    RETURN_IF(mem->context, !call, CL_INVALID_VALUE, "the callback is NULL");
    return tsr__add_destructor(mem->context, &mem->destructors, (struct tsr_destructor){.mem_ends = call, .user_data = user_data});
}

/* The address on each device of the context. */
static cl_int addresses(struct _cl_mem *mem, struct tsr_info_out out)
{
    const struct _cl_context *context = mem->context;
    const struct _cl_mem *root = tsr__mem_root(mem);
    RETURN_IF(mem->context, !root->addressed, CL_INVALID_OPERATION, "the buffer was made without CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
    cl_mem_device_address_ext list[context->device_count];
    for (cl_uint i = 0; i < context->device_count; i++)
        list[i] = tsr__mem_address(root, context->devices[i]) + (uint64_t)(mem->data - root->data);
    return tsr__info_bytes(out, list, sizeof list);
}

/* clGetMemObjectInfo: OpenCL 3.0, 5.5.6. */
TSR_API cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(mem, TSR_TAG_MEM), CL_INVALID_MEM_OBJECT, "not a memory object: %p", (void *)mem);
    struct tsr_info_out out = {size, value, size_ret};
    switch (name) {
    case CL_MEM_TYPE:
        return tsr__info_value(out, cl_mem_object_type, mem->type);
    case CL_MEM_FLAGS:
        return tsr__info_value(out, cl_mem_flags, mem->flags);
    case CL_MEM_SIZE:
        return tsr__info_value(out, size_t, mem->size);
    case CL_MEM_HOST_PTR:
        return tsr__info_value(out, void *, mem->host_ptr);
    case CL_MEM_MAP_COUNT: {
        const struct _cl_mem *root = tsr__mem_root(mem);
        tsr_table_lock(&tsr__mem_locks, root);
        cl_uint count = mem->map_count;
        tsr_table_unlock(&tsr__mem_locks, root);
        return tsr__info_value(out, cl_uint, count);
    }
    case CL_MEM_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&mem->base.api));
    case CL_MEM_CONTEXT:
        return tsr__info_value(out, cl_context, mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return tsr__info_value(out, cl_mem, mem->parent);
    case CL_MEM_OFFSET:
        return tsr__info_value(out, size_t, mem->origin);
    case CL_MEM_USES_SVM_POINTER:
        return tsr__info_value(out, cl_bool, mem->uses_svm);
    case CL_MEM_DEVICE_ADDRESS_EXT:
        return addresses(mem, out);
    case CL_MEM_PROPERTIES:
        return tsr__info_bytes(out, mem->properties, mem->property_count * sizeof *mem->properties);
    default:
        return tsr__error(mem->context, CL_INVALID_VALUE, __func__, "param_name", "no memory object has the property 0x%x", name);
    }
}

/* Whether no command on the device could use the object: an image of another device of the context. */
static bool stays(const struct _cl_mem *mem, const struct _cl_device_id *device)
{
    return mem->image && tsr__image_fits(mem, device) != CL_SUCCESS;
}

/* clEnqueueMigrateMemObjects: OpenCL 3.0, 5.5.5. Where all devices use the host's memory, only the command's place in the order matters. */
TSR_API cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem *mems,
                                                      cl_mem_migration_flags flags, cl_uint wait_count, const cl_event *wait_list,
                                                      cl_event *event)
{
    cl_int err = tsr__check_queue(__func__, queue);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(queue->context, count == 0 || !mems, CL_INVALID_VALUE, "an empty list: %u objects at %p", count, (const void *)mems);
    for (cl_uint i = 0; i < count; i++) {
        RETURN_IF(queue->context, !tsr__valid(mems[i], TSR_TAG_MEM), CL_INVALID_MEM_OBJECT, "entry %u is not a memory object: %p", i,
                  (void *)mems[i]);
        RETURN_IF(queue->context, mems[i]->context != queue->context, CL_INVALID_CONTEXT, "entry %u belongs to another context", i);
    }
    RETURN_IF(queue->context, flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED),
              CL_INVALID_VALUE, "unknown bits in 0x%llx", (unsigned long long)flags);
    err = tsr__check_wait_list(queue->context, wait_count, wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__empty_command(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL);
    unsigned access = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? TSR__WRITES : TSR__READS;
    if (flags & CL_MIGRATE_MEM_OBJECT_HOST)
        access |= TSR__ON_HOST;
    for (cl_uint i = 0; i < count && command; i++)
        if (!stays(mems[i], queue->device) && !tsr__command_uses(command, mems[i], 0, mems[i]->size, access)) {
            tsr__command_abandon(command);
            command = NULL;
        }
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
