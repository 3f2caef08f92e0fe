/* SPDX-License-Identifier: Apache-2.0
 * Contexts: creation from a list or a type, properties, destructor callbacks, queries. */
#include <string.h>

#include "icd/icd.h"
#include "tessera/clc.h"

bool tsr__context_has(const struct _cl_context *context, const struct _cl_device_id *device)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return true;
    return false;
}

static void destroy(struct tsr_object *object)
{
    struct _cl_context *context = TSR_CONTAINER_OF(object, struct _cl_context, base);
    if (!tsr__run_destructors(&context->destructors, object))
        return;
    context->base.tag = 0;
    tsr__allocations_free_all(context); /* some are the devices' */
    for (cl_uint i = 0; i < context->device_count; i++)
        tsr__drop(context->devices[i]);
    tsr_free(context->devices);
    tsr_free(context->properties);
    tsr_fork_mutex_remove(&context->fork_waits);
    pthread_mutex_destroy(&context->lock);
    tsr_free(context);
}

/* Checks a zero-terminated list of names and values; *count gets its words, the final zero included, or 0 for NULL. */
static cl_int check_properties(const cl_context_properties *properties, size_t *count, const char *function)
{
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    bool platform_seen = false, sync_seen = false;
    const cl_context_properties *p = properties;
    for (; p[0]; p += 2) {
        switch (p[0]) {
        case CL_CONTEXT_PLATFORM:
            /* "CL_INVALID_PLATFORM … if platform value specified in properties is not a valid platform." */
            RETURN_IF(NULL, (cl_platform_id)p[1] != tsr__platform(), CL_INVALID_PLATFORM, "%s: the platform is none of Tessera's",
                      function);
            RETURN_IF(NULL, platform_seen, CL_INVALID_PROPERTY, "%s: CL_CONTEXT_PLATFORM stands twice in the list", function);
            platform_seen = true;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            RETURN_IF(NULL, p[1] != CL_TRUE && p[1] != CL_FALSE, CL_INVALID_PROPERTY,
                      "%s: CL_CONTEXT_INTEROP_USER_SYNC is CL_TRUE or CL_FALSE", function);
            RETURN_IF(NULL, sync_seen, CL_INVALID_PROPERTY, "%s: CL_CONTEXT_INTEROP_USER_SYNC stands twice in the list", function);
            sync_seen = true;
            break;
        default:
            return tsr__error(NULL, CL_INVALID_PROPERTY, function, "property", "no context property 0x%llx", (long long)p[0]);
        }
    }
    *count = (size_t)(p - properties) + 1;
    return CL_SUCCESS;
}

/* The arguments of a call that creates a context, checked. */
struct request {
    const cl_context_properties *properties;
    size_t property_count;
    cl_uint device_count;
    const cl_device_id *devices;
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_data;
};

/* CL_OUT_OF_HOST_MEMORY, CL_DEVICE_NOT_AVAILABLE: the caller drops *made, if that is not NULL. */
static cl_int make_context(const struct request *request, const char *function, struct _cl_context **made)
{
    struct _cl_context *context = *made = tsr_calloc(1, sizeof(*context));
    if (!context)
        return tsr__error(NULL, CL_OUT_OF_HOST_MEMORY, function, "context", "no memory for a context");
    tsr__object_init(&context->base, TSR_TAG_CONTEXT, destroy);
    pthread_mutex_init(&context->lock, NULL);
    context->fork_waits.mutex = &context->lock;
    tsr_fork_mutex_add(&context->fork_waits);
    tsr__lock_tables_ready();
    context->devices = tsr_calloc(request->device_count, sizeof(*context->devices));
    if (!context->devices)
        return tsr__error(NULL, CL_OUT_OF_HOST_MEMORY, function, "devices", "no memory for a list of %u devices", request->device_count);
    for (cl_uint i = 0; i < request->device_count; i++) {
        struct _cl_device_id *device = request->devices[i];
        if (tsr__context_has(context, device))
            continue; /* "duplicate devices specified in devices are ignored" */
        if (!tsr__available(device))
            return tsr__error(NULL, CL_DEVICE_NOT_AVAILABLE, function, "available",
                              "%s is lost for this process: it failed, or a parent of this process used it", device->caps->name);
        tsr__hold(device);
        context->devices[context->device_count++] = device;
        context->own_memory |= device->caps->own_memory;
        context->svm_caps |= device->caps->svm;
        if (device->caps->own_memory && device->caps->svm && !context->usm_device)
            context->usm_device = device;
        else if (device->caps->own_memory && device->caps->svm)
            context->usm_split |= device->caps->usm_domain != context->usm_device->caps->usm_domain;
    }
    if (request->property_count) {
        size_t bytes = request->property_count * sizeof(*context->properties);
        context->properties = tsr_malloc(bytes);
        if (!context->properties)
            return tsr__error(NULL, CL_OUT_OF_HOST_MEMORY, function, "properties", "no memory for %zu bytes of properties", bytes);
        memcpy(context->properties, request->properties, bytes);
        context->property_count = request->property_count;
    }
    context->notify = request->notify;
    context->notify_data = request->notify_data;
    tsr_clc_warm_up();
    return CL_SUCCESS;
}

TSR_API cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                                               void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *), void *user_data,
                                               cl_int *errcode_ret)
{
    struct _cl_context *context = NULL;
    struct request request = {properties, 0, num_devices, devices, pfn_notify, user_data};
    cl_int err = check_properties(properties, &request.property_count, __func__);
    if (err)
        goto fail;
    FAIL_IF(NULL, !devices, CL_INVALID_VALUE, "devices is NULL");
    FAIL_IF(NULL, !num_devices, CL_INVALID_VALUE, "num_devices is 0");
    FAIL_IF(NULL, !pfn_notify && user_data, CL_INVALID_VALUE, "user_data without pfn_notify");
    for (cl_uint i = 0; i < num_devices; i++)
        FAIL_IF(NULL, !tsr__valid(devices[i], TSR_TAG_DEVICE), CL_INVALID_DEVICE, "device %u is not valid", i);
    err = make_context(&request, __func__, &context);
fail:
    return tsr__created(context, err, errcode_ret);
}

TSR_API cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
                                                       void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
                                                       void *user_data, cl_int *errcode_ret)
{
    struct _cl_context *context = NULL;
    struct _cl_device_id *devices[TSR__MOST_ROOTS];
    struct request request = {properties, 0, 0, devices, pfn_notify, user_data};
    cl_int err = check_properties(properties, &request.property_count, __func__);
    if (err)
        goto fail;
    FAIL_IF(NULL, !pfn_notify && user_data, CL_INVALID_VALUE, "user_data without pfn_notify");
    err = tsr__check_device_type(device_type, __func__);
    if (err)
        goto fail;
    request.device_count = tsr__devices_of_type(device_type, devices);
    FAIL_IF(NULL, !request.device_count, CL_DEVICE_NOT_FOUND, "no device of this type");
    err = make_context(&request, __func__, &context);
fail:
    return tsr__created(context, err, errcode_ret);
}

TSR_API cl_int CL_API_CALL clRetainContext(cl_context context)
{
    return tsr__api_retain(context, TSR_TAG_CONTEXT, CL_INVALID_CONTEXT);
}

TSR_API cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    return tsr__api_release(context, TSR_TAG_CONTEXT, CL_INVALID_CONTEXT);
}

TSR_API cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                          void(CL_CALLBACK *pfn_notify)(cl_context context, void *user_data),
                                                          void *user_data)
{
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    RETURN_IF(context, !pfn_notify, CL_INVALID_VALUE, "pfn_notify is NULL");
    return tsr__add_destructor(context, &context->destructors, (struct tsr_destructor){.context_ends = pfn_notify, .user_data = user_data});
}

TSR_API cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)context->base.api);
    case CL_CONTEXT_NUM_DEVICES:
        return tsr__info_value(out, cl_uint, context->device_count);
    case CL_CONTEXT_DEVICES:
        return tsr__info_bytes(out, context->devices, context->device_count * sizeof(*context->devices));
    case CL_CONTEXT_PROPERTIES:
        return tsr__info_bytes(out, context->properties, context->property_count * sizeof(*context->properties));
    default:
        return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "no context query 0x%x", param_name);
    }
}
