/* SPDX-License-Identifier: Apache-2.0
 * The platform: enumeration through the loader (cl_khr_icd 1.0 and 2.0), functions by name, and its queries. */
#include <time.h>

#include "icd/entry.h"
#include "tessera/clc.h"

TSR_API cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    /* "CL_INVALID_VALUE if num_entries is equal to zero and platforms is not NULL or if both num_platforms and platforms are NULL." */
    RETURN_IF(NULL, !num_entries && platforms, CL_INVALID_VALUE, "num_entries is 0, but platforms is not NULL");
    RETURN_IF(NULL, !num_platforms && !platforms, CL_INVALID_VALUE, "platforms and num_platforms are both NULL");
    if (platforms)
        platforms[0] = tsr__platform();
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

/* cl_khr_icd 2.0: "the loader will, for each ICD 2 compatible platform, query dispatchable entry points using …" */
TSR_API void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id of, const char *func_name)
{
    return of == tsr__platform() ? tsr__function_by_name(func_name, true) : NULL;
}

TSR_API void *CL_API_CALL clGetExtensionFunctionAddress(const char *func_name)
{
    return tsr__function_by_name(func_name, false);
}

TSR_API void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id of, const char *func_name)
{
    return of == tsr__platform() ? tsr__function_by_name(func_name, false) : NULL;
}

/* "… and then set the platform dispatch data": from here on every object carries it. The loader calls this before anything else. */
TSR_API cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id of, void *dispatch_data)
{
    RETURN_IF(NULL, of != tsr__platform(), CL_INVALID_PLATFORM, "the platform is none of Tessera's");
    tsr__platform()->base.dispatch_data = dispatch_data;
    struct _cl_device_id **devices;
    unsigned count = tsr__root_devices(&devices);
    for (unsigned i = 0; i < count; i++)
        devices[i]->base.dispatch_data = dispatch_data;
    return CL_SUCCESS;
}

static struct tsr__extensions common;

static void find_common(void)
{
    struct _cl_device_id **devices;
    unsigned count = tsr__root_devices(&devices);
    struct tsr_ext_set set;
    for (unsigned e = 0; e < TSR_EXT_COUNT; e++) {
        set.has[e] = true;
        for (unsigned i = 0; i < count; i++)
            set.has[e] &= devices[i]->caps->extensions.has[e];
    }
    tsr__extensions_fill(&set, &common);
}

/* "Each extension that is supported by all devices associated with this platform must be reported here." */
static const struct tsr__extensions *common_extensions(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_common);
    return &common;
}

/* "Each SVM type must be supported by at least one device in the platform." */
static cl_int svm_types(struct tsr_info_out out)
{
    struct _cl_device_id **devices;
    unsigned count = tsr__root_devices(&devices);
    for (unsigned i = 0; i < count; i++)
        if (devices[i]->caps->extensions.has[TSR_HAS_cl_khr_unified_svm])
            return tsr__svm_types(out);
    return tsr__info_bytes(out, NULL, 0);
}

/* cl_khr_external_memory: "handle types supported by all devices in platform". */
static cl_int import_types(struct tsr_info_out out)
{
    static const cl_external_memory_handle_type_khr type = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
    struct _cl_device_id **devices;
    unsigned count = tsr__root_devices(&devices);
    bool all = true;
    for (unsigned i = 0; i < count; i++)
        all &= devices[i]->caps->extensions.has[TSR_HAS_cl_khr_external_memory_dma_buf];
    return tsr__info_bytes(out, &type, all * sizeof type);
}

static cl_ulong host_timer_resolution(void)
{
    struct timespec step;
    return clock_getres(CLOCK_MONOTONIC, &step) ? 1 : (cl_ulong)step.tv_sec * 1000000000u + (cl_ulong)step.tv_nsec;
}

TSR_API cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of, cl_platform_info param_name, size_t param_value_size, void *param_value,
                                             size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    /* "CL_INVALID_PLATFORM if platform is not a valid platform." A NULL platform means the only one. */
    RETURN_IF(NULL, of && of != tsr__platform(), CL_INVALID_PLATFORM, "the platform is none of Tessera's");

    switch (param_name) {
    case CL_PLATFORM_PROFILE:
        return tsr__info_str(out, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return tsr__info_str(out, "OpenCL 3.1 Tessera");
    case CL_PLATFORM_NUMERIC_VERSION:
        return tsr__info_value(out, cl_version, CL_MAKE_VERSION(3, 1, 0));
    case CL_PLATFORM_NAME:
        return tsr__info_str(out, tsr_env_text(TSR_ENV_PLATFORM_NAME));
    case CL_PLATFORM_VENDOR:
        return tsr__info_str(out, "The Tessera project");
    case CL_PLATFORM_EXTENSIONS:
        return tsr__info_str(out, common_extensions()->names);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return tsr__info_bytes(out, common_extensions()->list, common_extensions()->count * sizeof(cl_name_version));
    case CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR:
        return svm_types(out);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return tsr__info_value(out, cl_ulong, host_timer_resolution());
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return tsr__info_str(out, "TSR");
    case CL_PLATFORM_UNLOADABLE_KHR: /* threads of the driver may be running, and code of kernels is loaded */
        return tsr__info_value(out, cl_bool, CL_FALSE);
    case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
        return import_types(out);
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR:
        return tsr__info_value(out, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    default:
        return tsr__error(NULL, CL_INVALID_VALUE, __func__, "param_name", "no platform query 0x%x", param_name);
    }
}

TSR_API cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id of)
{
    RETURN_IF(NULL, of != tsr__platform(), CL_INVALID_PLATFORM, "the platform is none of Tessera's");
    tsr_clc_unload();
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clUnloadCompiler(void)
{
    tsr_clc_unload();
    return CL_SUCCESS;
}
