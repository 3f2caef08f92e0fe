/* SPDX-License-Identifier: Apache-2.0
 * cl_khr_unified_svm, version 0.9.0: types of SVM with their capabilities, and memory of such a type. To devices that use the memory of the
 * process the types differ in who owns the memory, and nothing migrates. Other devices do not have the extension. */
#include <string.h>

#include "icd/mem.h"

enum {
    EVERY_TYPE = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR | CL_SVM_CAPABILITY_HOST_READ_KHR |
                 CL_SVM_CAPABILITY_HOST_WRITE_KHR | CL_SVM_CAPABILITY_HOST_MAP_KHR | CL_SVM_CAPABILITY_DEVICE_READ_KHR |
                 CL_SVM_CAPABILITY_DEVICE_WRITE_KHR | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR |
                 CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR,
    ACCESS_FLAGS = CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR |
                   CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR,
};

/* The first is that of clSVMAlloc: .type of its allocations is 0. */
static const cl_svm_capabilities_khr types[] = {
    EVERY_TYPE | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR,
    EVERY_TYPE | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_HOST_OWNED_KHR,
    EVERY_TYPE | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR,
    EVERY_TYPE | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR,
};
enum { SYSTEM_TYPE = TSR_ARRAY_LEN(types) - 1 };

cl_int tsr__svm_types(struct tsr_info_out out)
{
    return tsr__info_bytes(out, types, sizeof types);
}

bool tsr__has_unified_svm(const struct _cl_device_id *device)
{
    return device->caps->extensions.has[TSR_HAS_cl_khr_unified_svm];
}

bool tsr__context_has_unified_svm(const struct _cl_context *context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (!tsr__has_unified_svm(context->devices[i]))
            return false;
    return true;
}

/* ---- properties ---- */

struct wanted {
    struct _cl_device_id *device; /* NULL: none */
    cl_svm_alloc_access_flags_khr access;
    size_t words; /* of the list, its final zero included; 0: there is no list */
};

static cl_int take_property(const char *function, struct _cl_context *context, cl_svm_alloc_properties_khr name,
                            cl_svm_alloc_properties_khr value, struct wanted *wanted)
{
    switch (name) {
    case CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR:
        wanted->device = (struct _cl_device_id *)(uintptr_t)value;
        if (wanted->device && (!tsr__valid(wanted->device, TSR_TAG_DEVICE) || !tsr__context_has(context, wanted->device)))
            return tsr__error(context, CL_INVALID_PROPERTY, function, "device", "not a device of the context: %p", (void *)wanted->device);
        return CL_SUCCESS;
    case CL_SVM_ALLOC_ACCESS_FLAGS_KHR:
        wanted->access = value;
        if (value & ~(cl_svm_alloc_access_flags_khr)ACCESS_FLAGS)
            return tsr__error(context, CL_INVALID_PROPERTY, function, "access", "unknown flags in 0x%llx", (unsigned long long)value);
        return CL_SUCCESS;
    case CL_SVM_ALLOC_ALIGNMENT_KHR:
        if (value & (value - 1) || value > TSR_MAX_ALIGN)
            return tsr__error(context, CL_INVALID_PROPERTY, function, "alignment", "alignment %llu: powers of two up to %d are possible",
                              (unsigned long long)value, TSR_MAX_ALIGN);
        return CL_SUCCESS;
    default:
        return tsr__error(context, CL_INVALID_PROPERTY, function, "properties", "no allocation has the property 0x%llx",
                          (unsigned long long)name);
    }
}

static cl_int read_properties(const char *function, struct _cl_context *context, const cl_svm_alloc_properties_khr *list,
                              struct wanted *wanted)
{
    *wanted = (struct wanted){0};
    size_t at = 0;
    for (; list && list[at]; at += 2) {
        for (size_t before = 0; before < at; before += 2)
            if (list[before] == list[at])
                return tsr__error(context, CL_INVALID_PROPERTY, function, "properties", "0x%llx stands twice in the list",
                                  (unsigned long long)list[at]);
        cl_int err = take_property(function, context, list[at], list[at + 1], wanted);
        if (err != CL_SUCCESS)
            return err;
    }
    wanted->words = list ? at + 1 : 0;
    return CL_SUCCESS;
}

/* Whether memory of the type can be had with these properties. */
static bool fits(cl_uint type, const struct wanted *wanted)
{
    return wanted->device || types[type] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR;
}

/* ---- allocation ---- */

TSR_API void *CL_API_CALL clSVMAllocWithPropertiesKHR(cl_context context, const cl_svm_alloc_properties_khr *properties, cl_uint type,
                                                      size_t size, cl_int *errcode_ret)
{
    void *memory = NULL;
    cl_svm_alloc_properties_khr *copy = NULL;
    struct wanted wanted;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    if ((err = read_properties(__func__, context, properties, &wanted)))
        goto fail;
    FAIL_IF(context, !tsr__context_has_unified_svm(context), CL_INVALID_OPERATION,
            "not all devices of the context have cl_khr_unified_svm");
    FAIL_IF(context, type >= TSR_ARRAY_LEN(types), CL_INVALID_VALUE, "type %u of SVM: there are %zu", type, TSR_ARRAY_LEN(types));
    FAIL_IF(context, !fits(type, &wanted), CL_INVALID_PROPERTY,
            "memory of this type belongs to a device: CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR is missing");
    if (!size)
        goto fail;
    copy = wanted.words ? tsr_malloc(wanted.words * sizeof *copy) : NULL;
    FAIL_IF(context, wanted.words && !copy, CL_OUT_OF_HOST_MEMORY, "no memory for %zu properties", wanted.words);
    if (copy)
        memcpy(copy, properties, wanted.words * sizeof *copy);
    memory = tsr__allocate(context, (struct tsr__allocation){.size = size,
                                                             .kind = TSR__SVM,
                                                             .device = wanted.device,
                                                             .fine = true,
                                                             .type = type,
                                                             .access = wanted.access,
                                                             .properties = copy,
                                                             .property_count = wanted.words});
    FAIL_IF(context, !memory, CL_OUT_OF_RESOURCES, "the system has no %zu bytes", size);
    copy = NULL;
fail:
    tsr_free(copy);
    if (errcode_ret)
        *errcode_ret = err;
    return memory;
}

/* There are neither properties nor flags. */
TSR_API cl_int CL_API_CALL clSVMFreeWithPropertiesKHR(cl_context context, const cl_svm_free_properties_khr *properties,
                                                      cl_svm_free_flags_khr flags, void *pointer)
{
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    RETURN_IF(context, properties && properties[0], CL_INVALID_PROPERTY, "no property of frees is 0x%llx",
              (unsigned long long)properties[0]);
    RETURN_IF(context, flags, CL_INVALID_VALUE, "flags 0x%llx: there are none", (unsigned long long)flags);
    RETURN_IF(context, pointer && !tsr__allocation_free(context, pointer, TSR__SVM), CL_INVALID_VALUE,
              "%p begins no allocation of SVM, or was freed before", pointer);
    return CL_SUCCESS;
}

/* ---- queries ---- */

TSR_API cl_int CL_API_CALL clGetSVMPointerInfoKHR(cl_context context, cl_device_id device, const void *pointer,
                                                  cl_svm_pointer_info_khr name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    RETURN_IF(context, device && (!tsr__valid(device, TSR_TAG_DEVICE) || !tsr__context_has(context, device)), CL_INVALID_DEVICE,
              "not a device of the context: %p", (void *)device);
    struct tsr_info_out out = {size, value, size_ret};
    struct tsr__allocation found;
    bool known = tsr__allocation_find(context, pointer, TSR__SVM, &found);
    if (!known)
        found = (struct tsr__allocation){0};
    bool has = device ? tsr__has_unified_svm(device) : tsr__context_has_unified_svm(context);
    switch (name) {
    case CL_SVM_INFO_TYPE_INDEX_KHR:
        return tsr__info_value(out, cl_uint, known ? found.type : UINT32_MAX);
    case CL_SVM_INFO_CAPABILITIES_KHR:
        return tsr__info_value(out, cl_svm_capabilities_khr, known && has ? types[found.type] : 0);
    case CL_SVM_INFO_PROPERTIES_KHR:
        return tsr__info_bytes(out, found.properties, found.property_count * sizeof *found.properties);
    case CL_SVM_INFO_ACCESS_FLAGS_KHR:
        return tsr__info_value(out, cl_svm_alloc_access_flags_khr, found.access);
    case CL_SVM_INFO_BASE_PTR_KHR:
        return tsr__info_value(out, void *, found.base);
    case CL_SVM_INFO_SIZE_KHR:
        return tsr__info_value(out, size_t, found.size);
    case CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR:
        return tsr__info_value(out, cl_device_id, found.device);
    default:
        return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "no allocation has the property 0x%x", name);
    }
}

/* Of the types that have what is required, the first of those with the most that is desired. Memory that the system allocates is suggested
 * to those alone who ask for it, as clSVMAllocWithPropertiesKHR is not meant for it. */
TSR_API cl_int CL_API_CALL clGetSVMSuggestedTypeIndexKHR(cl_context context, cl_svm_capabilities_khr required,
                                                         cl_svm_capabilities_khr desired, const cl_svm_alloc_properties_khr *properties,
                                                         size_t size, cl_uint *suggested)
{
    (void)size; /* none is too large for one type and not for another */
    struct wanted wanted;
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    cl_int err = read_properties(__func__, context, properties, &wanted);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(context, !suggested, CL_INVALID_VALUE, "suggested_svm_type_index is NULL");
    *suggested = UINT32_MAX;
    int most = -1;
    for (cl_uint i = 0; i < TSR_ARRAY_LEN(types) && tsr__context_has_unified_svm(context); i++) {
        int met = __builtin_popcountll(types[i] & desired);
        bool system = i == SYSTEM_TYPE && !((required | desired) & CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR);
        if ((required & ~types[i]) || !fits(i, &wanted) || system || met <= most)
            continue;
        *suggested = i;
        most = met;
    }
    return CL_SUCCESS;
}
