/* SPDX-License-Identifier: Apache-2.0
 * The functions of cl_intel_unified_shared_memory, which a program gets by name. */
#ifndef TESSERA_ICD_USM_H
#define TESSERA_ICD_USM_H

#include "icd/test/cl_test.h"

#define USM_FUNCTIONS(F)                                                                                                                   \
    F(clHostMemAllocINTEL)                                                                                                                 \
    F(clDeviceMemAllocINTEL)                                                                                                               \
    F(clSharedMemAllocINTEL)                                                                                                               \
    F(clMemFreeINTEL)                                                                                                                      \
    F(clMemBlockingFreeINTEL)                                                                                                              \
    F(clGetMemAllocInfoINTEL)                                                                                                              \
    F(clSetKernelArgMemPointerINTEL)                                                                                                       \
    F(clEnqueueMemFillINTEL)                                                                                                               \
    F(clEnqueueMemsetINTEL)                                                                                                                \
    F(clEnqueueMemcpyINTEL)                                                                                                                \
    F(clEnqueueMigrateMemINTEL)                                                                                                            \
    F(clEnqueueMemAdviseINTEL)

/* usm_<function> */
#define USM_DECLARE(name) static CL_TEST_UNUSED name##_fn usm_##name;
USM_FUNCTIONS(USM_DECLARE)

static CL_TEST_UNUSED void usm_load(void)
{
    cl_platform_id platform = test_platform();
#define USM_LOAD(name) CHECK_THAT((usm_##name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)));
    USM_FUNCTIONS(USM_LOAD)
}

#endif
