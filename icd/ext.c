/* SPDX-License-Identifier: Apache-2.0
 * Extensions and OpenCL C features of a device as the queries give them, and the extension functions that are other names of
 * core ones. */
#include <string.h>

#include "icd/entry.h"

/* Where a line of the table is told: QUIET extensions are for kernels only. */
enum { BY_CLANG = 1, BY_MACRO = 1, BY_HOST = 1, BY_QUIET = 0 };

static const struct {
    cl_name_version line;
    bool feature, named;
} lines[] = {
#define TSR_EXT(name, major, minor, patch, by) {{CL_MAKE_VERSION(major, minor, patch), #name}, false, BY_##by},
/* "Optional features report the OpenCL C version that they belong to." */
#define TSR_FEATURE(name, by) {{CL_MAKE_VERSION(3, 0, 0), #name}, true, true},
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
};

void tsr__extensions_fill(const struct tsr_ext_set *set, struct tsr__extensions *all)
{
    char *end = all->names;
    for (unsigned i = 0; i < TSR_EXT_COUNT; i++) {
        if (!set->has[i] || !lines[i].named)
            continue;
        if (lines[i].feature) {
            all->features[all->feature_count++] = lines[i].line;
            continue;
        }
        all->list[all->count++] = lines[i].line;
        if (end != all->names)
            *end++ = ' ';
        end = stpcpy(end, lines[i].line.name);
    }
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
