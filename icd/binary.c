/* SPDX-License-Identifier: Apache-2.0
 * Programs made from binaries. */
#include <string.h>

#include "icd/program.h"

/* Copies and checks one binary. CL_SUCCESS, CL_INVALID_BINARY or CL_OUT_OF_HOST_MEMORY. */
static cl_int take_binary(struct _cl_context *context, struct tsr_build *build, const unsigned char *binary, size_t length, cl_uint index)
{
    unsigned char *image = tsr_malloc(length);
    RETURN_IF(context, !image, CL_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of binary", length);
    memcpy(image, binary, length);
    enum tsr_status status = tsr__build_take_binary(build, image, length);
    if (status == TSR_OK)
        return CL_SUCCESS;
    tsr_free(image);
    RETURN_IF(context, status == TSR_NO_MEMORY, CL_OUT_OF_HOST_MEMORY, "no memory for the tables of a program");
    return tsr__error(context, CL_INVALID_BINARY, __func__, "tsr_image_read", "binary %u: %s; build the program from its source", index,
                      tsr_status_text(status));
}

TSR_API cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                                         const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                                         cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct _cl_program *program = NULL;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    FAIL_IF(context, !device_list || !num_devices, CL_INVALID_VALUE, "no devices given");
    for (cl_uint i = 0; i < num_devices; i++)
        FAIL_IF(context, !tsr__context_has(context, device_list[i]), CL_INVALID_DEVICE, "device %u is not of the context", i);
    FAIL_IF(context, !lengths || !binaries, CL_INVALID_VALUE, "no binaries given");
    for (cl_uint i = 0; i < num_devices; i++) {
        bool missing = !lengths[i] || !binaries[i];
        if (binary_status)
            binary_status[i] = missing ? CL_INVALID_VALUE : CL_SUCCESS;
        if (missing)
            err = CL_INVALID_VALUE;
    }
    FAIL_IF(context, err, CL_INVALID_VALUE, "a binary is NULL or has no length");

    program = tsr__program_new(context, num_devices, device_list, TSR_FROM_BINARY);
    FAIL_IF(context, !program, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
    /* All binaries are tried, so that binary_status has a status for each. */
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_int code = take_binary(context, &program->builds[i], binaries[i], lengths[i], i);
        if (binary_status)
            binary_status[i] = code;
        if (code != CL_SUCCESS && err != CL_OUT_OF_HOST_MEMORY)
            err = code;
    }
    if (err != CL_SUCCESS)
        goto fail;
fail:
    return tsr__created(program, err, errcode_ret);
}
