/* SPDX-License-Identifier: Apache-2.0
 * Samplers. No device has images (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE), so none can be made. */
#include "icd/icd.h"

/* clCreateSamplerWithProperties, clCreateSampler: OpenCL 3.0, 5.7.1. "CL_INVALID_OPERATION if images are not supported by any device." */
TSR_API cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                                             cl_int *errcode_ret)
{
    (void)properties;
    cl_int err;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    err = tsr__error(context, CL_INVALID_OPERATION, __func__, "CL_DEVICE_IMAGE_SUPPORT", "the devices have no images, so no samplers");
fail:
    return tsr__created(NULL, err, errcode_ret);
}

TSR_API cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                                               cl_int *errcode_ret)
{
    (void)normalized, (void)addressing, (void)filter;
    return clCreateSamplerWithProperties(context, NULL, errcode_ret);
}

/* clRetainSampler, clReleaseSampler, clGetSamplerInfo: OpenCL 3.0, 5.7. */
TSR_API cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return tsr__api_retain(sampler, TSR_TAG_SAMPLER, CL_INVALID_SAMPLER);
}

TSR_API cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return tsr__api_release(sampler, TSR_TAG_SAMPLER, CL_INVALID_SAMPLER);
}

TSR_API cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret)
{
    (void)name, (void)size, (void)value, (void)size_ret;
    return tsr__error(NULL, CL_INVALID_SAMPLER, __func__, "sampler", "not a sampler: %p", (void *)sampler);
}
