/* SPDX-License-Identifier: Apache-2.0
 * Programs: creation from source, release, queries. */
#include <string.h>

#include "icd/program.h"
#include "tessera/clc.h"

/* ---- life ---- */

static void program_destroy(struct tsr_object *object)
{
    struct _cl_program *program = (struct _cl_program *)object;
    for (cl_uint i = 0; i < program->build_count; i++)
        tsr__build_clear(&program->builds[i]);
    tsr_free(program->builds);
    tsr_free(program->source);
    tsr_free(program->il);
    tsr_free(program->spec_values);
    tsr_fork_mutex_remove(&program->fork_waits);
    pthread_mutex_destroy(&program->lock);
    pthread_cond_destroy(&program->coded);
    tsr__drop(program->context);
    program->base.tag = 0;
    tsr_free(program);
}

struct _cl_program *tsr__program_new(struct _cl_context *context, cl_uint device_count, struct _cl_device_id *const *devices, int origin)
{
    struct _cl_program *program = tsr_calloc(1, sizeof(*program));
    struct tsr_build *builds = tsr_calloc(device_count, sizeof(*builds));
    if (!program || !builds) {
        tsr_free(program);
        tsr_free(builds);
        return NULL;
    }
    tsr__object_init(&program->base, TSR_TAG_PROGRAM, program_destroy);
    tsr__hold(context);
    program->context = context;
    program->builds = builds;
    program->build_count = device_count;
    program->origin = origin;
    pthread_mutex_init(&program->lock, NULL);
    pthread_cond_init(&program->coded, NULL);
    program->fork_waits = (struct tsr_fork_mutex){.mutex = &program->lock, .in_child = tsr__code_forget};
    tsr_fork_mutex_add(&program->fork_waits);
    for (cl_uint i = 0; i < device_count; i++) {
        builds[i].device = devices[i];
        builds[i].status = CL_BUILD_NONE;
        builds[i].kind = CL_PROGRAM_BINARY_TYPE_NONE;
    }
    return program;
}

struct tsr_build *tsr__program_build_of(const struct _cl_program *program, const struct _cl_device_id *device)
{
    for (cl_uint i = 0; i < program->build_count; i++)
        if (program->builds[i].device == device)
            return &program->builds[i];
    return NULL;
}

struct tsr_build *tsr__program_build_for(const struct _cl_program *program, const struct _cl_device_id *device)
{
    struct tsr_build *own = tsr__program_build_of(program, device), *build = own;
    while (device && (!build || (build->status == CL_BUILD_NONE && !build->code.image))) {
        device = device->parent;
        build = tsr__program_build_of(program, device);
    }
    return own && build ? build : own;
}

bool tsr__build_is_executable(const struct tsr_build *build)
{
    return build->status == CL_BUILD_SUCCESS && build->kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

TSR_API cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    return tsr__api_retain(program, TSR_TAG_PROGRAM, CL_INVALID_PROGRAM);
}

TSR_API cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    return tsr__api_release(program, TSR_TAG_PROGRAM, CL_INVALID_PROGRAM);
}

/* ---- making ---- */

/* Joins the strings by the rules of clCreateProgramWithSource: no lengths, or a length of 0, mean a string that ends in zero. */
static char *join_source(cl_uint count, const char **strings, const size_t *lengths, size_t *size)
{
    size_t total = 0;
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        if (length > SIZE_MAX - 1 - total)
            return NULL;
        total += length;
    }
    char *source = tsr_malloc(total + 1), *at = source;
    if (!source)
        return NULL;
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(at, strings[i], length);
        at += length;
    }
    *at = 0;
    *size = total;
    return source;
}

TSR_API cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                                                         cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct _cl_program *program = NULL;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    /* "CL_INVALID_VALUE if count is zero or if strings or any entry in strings is NULL." */
    FAIL_IF(context, !count || !strings, CL_INVALID_VALUE, "%u strings at %p", count, (void *)strings);
    for (cl_uint i = 0; i < count; i++)
        FAIL_IF(context, !strings[i], CL_INVALID_VALUE, "string %u is NULL", i);
    program = tsr__program_new(context, context->device_count, context->devices, TSR_FROM_SOURCE);
    FAIL_IF(context, !program, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
    program->source = join_source(count, strings, lengths, &program->source_size);
    FAIL_IF(context, !program->source, CL_OUT_OF_HOST_MEMORY, "no memory for the source");
fail:
    return tsr__created(program, err, errcode_ret);
}

TSR_API cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                                                 const char *kernel_names, cl_int *errcode_ret)
{
    cl_int err;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    FAIL_IF(context, !device_list || !num_devices, CL_INVALID_VALUE, "no devices given");
    FAIL_IF(context, !kernel_names, CL_INVALID_VALUE, "no names given");
    for (cl_uint i = 0; i < num_devices; i++)
        FAIL_IF(context, !tsr__context_has(context, device_list[i]), CL_INVALID_DEVICE, "device %u is not of the context", i);
    /* "CL_INVALID_VALUE if kernel_names is NULL or contains a kernel name that is not supported by any of the devices in device_list." */
    FAIL_IF(context, true, CL_INVALID_VALUE, "the devices have no built-in kernels (CL_DEVICE_BUILT_IN_KERNELS is empty): \"%s\"",
            kernel_names);
fail:
    return tsr__created(NULL, err, errcode_ret);
}

TSR_API cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                                       void *user_data)
{
    (void)pfn_notify, (void)user_data;
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    /* "CL_INVALID_OPERATION if no devices associated with program support destructors for program scope global variables." */
    return tsr__error(program->context, CL_INVALID_OPERATION, __func__, "no destructors",
                      "no device has destructors of program-scope variables (OpenCL 3.0 has none)");
}

/* ---- queries ---- */

/* Any build with kernels: queries of their names and number name no device. The lock is held. */
static const struct tsr_build *first_executable(const struct _cl_program *program)
{
    for (cl_uint i = 0; i < program->build_count; i++)
        if (tsr__build_is_executable(&program->builds[i]))
            return &program->builds[i];
    return NULL;
}

static cl_int kernel_names(const struct tsr_build *build, struct tsr_info_out out)
{
    struct tsr_buf buf = {0};
    for (uint32_t i = 0; i < build->code.info.kernel_count; i++)
        if (tsr__is_visible(&build->code.info.kernels[i]))
            tsr_buf_printf(&buf, "%s%s", buf.size ? ";" : "", build->code.info.kernels[i].name);
    tsr_buf_bytes(&buf, "", 1);
    cl_int err = buf.failed ? CL_OUT_OF_HOST_MEMORY : tsr__info_bytes(out, buf.data, buf.size);
    tsr_buf_free(&buf);
    return err;
}

/* "param_value points to an array of n pointers allocated by the caller": a NULL among them skips that device. */
static cl_int copy_binaries(struct _cl_program *program, struct tsr_info_out out)
{
    size_t size = program->build_count * sizeof(unsigned char *);
    if (out.size_ret)
        *out.size_ret = size;
    if (!out.value)
        return CL_SUCCESS;
    RETURN_IF(NULL, out.room < size, CL_INVALID_VALUE, "%zu bytes of pointers are needed, there is room for %zu", size, out.room);
    unsigned char **binaries = out.value;
    for (cl_uint i = 0; i < program->build_count; i++) {
        struct tsr_code *code;
        cl_int err = tsr__code_of_binary(program, tsr__program_build_for(program, program->builds[i].device), &code);
        if (err != CL_SUCCESS)
            return err;
        if (binaries[i] && code->image)
            memcpy(binaries[i], code->image, code->image_size);
    }
    return CL_SUCCESS;
}

static cl_int device_list(const struct _cl_program *program, struct tsr_info_out out)
{
    struct tsr_buf buf = {0};
    for (cl_uint i = 0; i < program->build_count; i++)
        tsr_buf_bytes(&buf, &program->builds[i].device, sizeof(cl_device_id));
    cl_int err = buf.failed ? CL_OUT_OF_HOST_MEMORY : tsr__info_bytes(out, buf.data, buf.size);
    tsr_buf_free(&buf);
    return err;
}

static cl_int binary_sizes(struct _cl_program *program, struct tsr_info_out out)
{
    struct tsr_buf buf = {0};
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < program->build_count && err == CL_SUCCESS; i++) {
        struct tsr_code *code;
        err = tsr__code_of_binary(program, tsr__program_build_for(program, program->builds[i].device), &code);
        tsr_buf_bytes(&buf, &code->image_size, sizeof(code->image_size));
    }
    if (err == CL_SUCCESS)
        err = buf.failed ? CL_OUT_OF_HOST_MEMORY : tsr__info_bytes(out, buf.data, buf.size);
    tsr_buf_free(&buf);
    return err;
}

/* The lock is held, so the context's callback is not called here. */
static cl_int program_info(struct _cl_program *program, cl_program_info name, struct tsr_info_out out)
{
    const struct tsr_build *executable = first_executable(program);
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&program->base.api));
    case CL_PROGRAM_CONTEXT:
        return tsr__info_value(out, cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return tsr__info_value(out, cl_uint, program->build_count);
    case CL_PROGRAM_DEVICES:
        return device_list(program, out);
    case CL_PROGRAM_SOURCE:
        /* Bytes, not a string: the source may contain zeros. A program not made from source has "the empty string". */
        return tsr__info_bytes(out, program->source ? program->source : "", program->source_size + 1);
    case CL_PROGRAM_IL:
        return tsr__info_bytes(out, program->il, program->il_size);
    case CL_PROGRAM_BINARY_SIZES:
        return binary_sizes(program, out);
    case CL_PROGRAM_BINARIES:
        return copy_binaries(program, out);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
        /* "CL_INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS, … and a successful program executable has not been built
         * for at least one device in the list of devices associated with program." */
        RETURN_IF(NULL, !executable, CL_INVALID_PROGRAM_EXECUTABLE, "no executable has been built for any device yet");
        if (name == CL_PROGRAM_KERNEL_NAMES)
            return kernel_names(executable, out);
        return tsr__info_value(out, size_t, tsr__visible_kernels(&executable->code.info));
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        RETURN_IF(NULL, !executable, CL_INVALID_PROGRAM_EXECUTABLE, "no executable has been built for any device yet");
        return tsr__info_value(out, cl_bool, CL_FALSE);
    default:
        return tsr__error(NULL, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of a program query", name);
    }
}

TSR_API cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret)
{
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    pthread_mutex_lock(&program->lock);
    cl_int err = program_info(program, param_name, (struct tsr_info_out){param_value_size, param_value, param_value_size_ret});
    pthread_mutex_unlock(&program->lock);
    return err;
}
