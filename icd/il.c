/* SPDX-License-Identifier: Apache-2.0
 * Programs in SPIR-V, and the values of their specialisation constants. */
#include <string.h>

#include "icd/entry.h"
#include "icd/program.h"
#include "tessera/spirv.h"

static bool any_takes_spirv(struct _cl_device_id *const *devices, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (devices[i]->caps->spirv)
            return true;
    return false;
}

TSR_API cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct _cl_program *program = NULL;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    /* "CL_INVALID_OPERATION if no devices in context support intermediate language programs." */
    FAIL_IF(context, !any_takes_spirv(context->devices, context->device_count), CL_INVALID_OPERATION,
            "no device takes an intermediate language (CL_DEVICE_IL_VERSION is empty)");
    FAIL_IF(context, !il || !length, CL_INVALID_VALUE, "%zu bytes of SPIR-V at %p", length, il);
    const char *wrong = tsr_spirv_check(il, length);
    FAIL_IF(context, wrong, CL_INVALID_VALUE, "the %zu bytes are no SPIR-V module: %s", length, wrong);
    program = tsr__program_new(context, context->device_count, context->devices, TSR_FROM_IL);
    FAIL_IF(context, !program, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
    program->il = tsr_malloc(length);
    FAIL_IF(context, !program->il, CL_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of SPIR-V", length);
    memcpy(program->il, il, length);
    program->il_size = length;
fail:
    return tsr__created(program, err, errcode_ret);
}

/* cl_khr_il_program */
TSR_API cl_program CL_API_CALL clCreateProgramWithILKHR(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    return clCreateProgramWithIL(context, il, length, errcode_ret);
}

/* Stores a value in its place by id. False: out of memory. The program's lock is held. */
static bool store_value(struct _cl_program *program, const struct tsr__spec_value *value)
{
    uint32_t at = 0;
    while (at < program->spec_count && program->spec_values[at].id < value->id)
        at++;
    if (at == program->spec_count || program->spec_values[at].id != value->id) {
        struct tsr__spec_value *larger = tsr_realloc(program->spec_values, (program->spec_count + 1) * sizeof *larger);
        if (!larger)
            return false;
        memmove(larger + at + 1, larger + at, (program->spec_count - at) * sizeof *larger);
        program->spec_values = larger;
        program->spec_count++;
    }
    program->spec_values[at] = *value;
    return true;
}

/* OpenCL 3.0, 5.8.3: the value counts for builds and compilations that begin later. */
TSR_API cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size, const void *spec_value)
{
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    struct _cl_context *context = program->context;
    RETURN_IF(context, !any_takes_spirv(context->devices, context->device_count), CL_INVALID_OPERATION,
              "no device takes an intermediate language (CL_DEVICE_IL_VERSION is empty)");
    RETURN_IF(context, !program->il, CL_INVALID_PROGRAM, "the program was not made by clCreateProgramWithIL");
    uint32_t size = tsr_spirv_constant_size(program->il, program->il_size, spec_id);
    RETURN_IF(context, !size, CL_INVALID_SPEC_ID, "the module has no specialisation constant %u", spec_id);
    RETURN_IF(context, spec_size != size || !spec_value, CL_INVALID_VALUE, "constant %u has %u bytes, not %zu at %p", spec_id, size,
              spec_size, spec_value);
    struct tsr__spec_value value = {.id = spec_id, .size = size};
    memcpy(value.bytes, spec_value, size);
    pthread_mutex_lock(&program->lock);
    bool stored = store_value(program, &value);
    pthread_mutex_unlock(&program->lock);
    RETURN_IF(context, !stored, CL_OUT_OF_HOST_MEMORY, "no memory for the value of a constant");
    return CL_SUCCESS;
}
