/* SPDX-License-Identifier: Apache-2.0
 * Program images: what a build has of one, and programs made from them. */
#include <string.h>

#include "icd/program.h"

void tsr__build_clear(struct tsr_build *build)
{
    for (uint32_t i = 0; build->kernels && i < build->code.info.kernel_count; i++)
        tsr__code_clear(build->device, &build->kernels[i]);
    tsr_free(build->kernels);
    build->kernels = NULL;
    tsr__code_clear(build->device, &build->whole);
    tsr__code_clear(build->device, &build->code);
    tsr_free(build->options);
    tsr_free(build->log);
    build->options = build->log = NULL;
    build->kind = CL_PROGRAM_BINARY_TYPE_NONE;
}

static cl_program_binary_type kind_of(enum tsr_image_kind kind)
{
    switch (kind) {
    case TSR_IMAGE_OBJECT:
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case TSR_IMAGE_LIBRARY:
        return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    default:
        return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
}

enum tsr_status tsr__build_take_image(struct tsr_build *build, unsigned char *image, size_t size)
{
    enum tsr_status status = tsr__code_take(build->device, &build->code, image, size);
    if (status != TSR_OK)
        return status;
    if (build->code.info.kind == TSR_IMAGE_PROGRAM) {
        build->kernels = tsr_calloc(build->code.info.kernel_count + 1, sizeof(*build->kernels));
        if (!build->kernels) {
            build->code.image = NULL; /* stays the caller's */
            tsr__code_clear(build->device, &build->code);
            return TSR_NO_MEMORY;
        }
    }
    build->kind = kind_of(build->code.info.kind);
    return TSR_OK;
}

/* Copies and checks one binary. CL_SUCCESS, CL_INVALID_BINARY or CL_OUT_OF_HOST_MEMORY. */
static cl_int take_binary(struct _cl_context *context, struct tsr_build *build, const unsigned char *binary, size_t length, cl_uint index)
{
    unsigned char *image = tsr_malloc(length);
    RETURN_IF(context, !image, CL_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of binary", length);
    memcpy(image, binary, length);
    enum tsr_status status = tsr__build_take_image(build, image, length);
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
    /* All are tried, so that binary_status tells of each. */
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_int code = take_binary(context, &program->builds[i], binaries[i], lengths[i], i);
        if (binary_status)
            binary_status[i] = code;
        if (code != CL_SUCCESS && err != CL_OUT_OF_HOST_MEMORY)
            err = code;
    }
    if (err != CL_SUCCESS)
        goto fail;
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return program;
fail:
    if (program)
        tsr__drop(program);
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}
