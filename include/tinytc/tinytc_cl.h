/* SPDX-License-Identifier: Apache-2.0
 * Programs of the tensor language in OpenCL. On Tessera's devices they are built from their text, on others from SPIR-V. */
#ifndef TINYTC_TINYTC_CL_H
#define TINYTC_TINYTC_CL_H

#include "tinytc/types.h"

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

TINYTC_EXPORT tinytc_status_t tinytc_cl_get_support_level(cl_device_id device, tinytc_support_level_t *level);
TINYTC_EXPORT tinytc_status_t tinytc_cl_core_info_create(tinytc_core_info_t *info, cl_device_id device);
/* The program is built. */
TINYTC_EXPORT tinytc_status_t tinytc_cl_kernel_bundle_create_with_program(cl_program *bundle, cl_context context, cl_device_id device,
                                                                          tinytc_prog_t prg, tinytc_core_feature_flags_t core_features);
TINYTC_EXPORT tinytc_status_t tinytc_cl_kernel_bundle_create_with_binary(cl_program *bundle, cl_context context, cl_device_id device,
                                                                         const_tinytc_binary_t bin);
/* The work-group size that the kernel requires: three numbers. */
TINYTC_EXPORT tinytc_status_t tinytc_cl_get_group_size(cl_kernel kernel, size_t *local_size);
TINYTC_EXPORT void tinytc_cl_get_global_size(const size_t *num_groups, const size_t *local_size, size_t *global_size);
/* Arguments are set by the functions of the recipe; each submission takes those that were set last. */
TINYTC_EXPORT tinytc_status_t tinytc_cl_recipe_handler_create(tinytc_recipe_handler_t *handler, cl_context context, cl_device_id device,
                                                              tinytc_recipe_t recipe);
TINYTC_EXPORT tinytc_status_t tinytc_cl_recipe_handler_submit(tinytc_recipe_handler_t handler, cl_command_queue queue,
                                                              cl_uint num_wait_events, const cl_event *wait_events, cl_event *event);

#ifdef __cplusplus
}
#endif

#endif
