/* SPDX-License-Identifier: Apache-2.0
 * Extension functions that are other names of core ones. */
#include "icd/entry.h"

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
