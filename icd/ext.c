/* SPDX-License-Identifier: Apache-2.0
 * Extensions and OpenCL C features as the queries give them, from tessera/ext.def, and the extension functions that are other names of
 * core ones. */
#include <string.h>

#include "icd/entry.h"

/* QUIET extensions are for kernels only. */
#define NAMED_CLANG(...) __VA_ARGS__
#define NAMED_MACRO(...) __VA_ARGS__
#define NAMED_HOST(...) __VA_ARGS__
#define NAMED_QUIET(...)

/* Each name is preceded by a space; the first is skipped. */
static const char names[] = ""
#define TSR_EXT(name, major, minor, patch, by) NAMED_##by(" " #name)
#define TSR_FEATURE(name, by)
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
    ;

static const cl_name_version list[] = {
#define TSR_EXT(name, major, minor, patch, by) NAMED_##by({CL_MAKE_VERSION(major, minor, patch), #name}, )
#define TSR_FEATURE(name, by)
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
};

/* "Optional features report the OpenCL C version that they belong to." The last entry only ends the table: C has no empty arrays. */
static const cl_name_version features[] = {
#define TSR_EXT(name, major, minor, patch, by)
#define TSR_FEATURE(name, by) {CL_MAKE_VERSION(3, 0, 0), #name},
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
    {0, ""},
};

static const struct tsr__extensions all = {
    .names = names + 1,
    .list = list,
    .count = TSR_ARRAY_LEN(list),
    .features = features,
    .feature_count = TSR_ARRAY_LEN(features) - 1,
};

const struct tsr__extensions *tsr__extensions(void)
{
    return &all;
}

static bool listed(const cl_name_version *entries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(entries[i].name, name))
            return true;
    return false;
}

bool tsr__has_feature(const char *name)
{
    return listed(features, TSR_ARRAY_LEN(features) - 1, name);
}

bool tsr__has_extension(const char *name)
{
    return listed(list, TSR_ARRAY_LEN(list), name);
}

/* cl_khr_create_command_queue */
TSR_API cl_command_queue CL_API_CALL clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                                           const cl_queue_properties_khr *properties, cl_int *errcode_ret)
{
    return clCreateCommandQueueWithProperties(context, device, (const cl_queue_properties *)properties, errcode_ret);
}

/* cl_khr_subgroups */
TSR_API cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
                                                      size_t input_value_size, const void *input_value, size_t param_value_size,
                                                      void *param_value, size_t *param_value_size_ret)
{
    return clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value, param_value_size, param_value,
                                   param_value_size_ret);
}

/* cl_khr_suggested_local_work_size */
TSR_API cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                                                const size_t *global_work_offset, const size_t *global_work_size,
                                                                size_t *suggested_local_work_size)
{
    return clGetKernelSuggestedLocalWorkSize(queue, kernel, work_dim, global_work_offset, global_work_size, suggested_local_work_size);
}
