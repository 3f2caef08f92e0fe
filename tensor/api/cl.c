/* SPDX-License-Identifier: Apache-2.0
 * Programs and recipes in OpenCL. */
#define CL_TARGET_OPENCL_VERSION 300
#include <stdlib.h>
#include <string.h>

#include "tensor/api/object.h"
#include "tinytc/tinytc_cl.h"

enum { KERNELS = 2, DEFAULT_REGISTER_SPACE = 2048, SUB_GROUP_SIZES = 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */, MOST_SIZES = 8 };
typedef cl_int(CL_API_CALL *set_usm_pointer)(cl_kernel kernel, cl_uint index, const void *value);

static const char *const kernel_names[KERNELS] = {"gemm", "gemm_beta0"};

/* ---- devices ---- */

static cl_platform_id platform_of(cl_device_id device)
{
    cl_platform_id platform = NULL;
    return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ? NULL : platform;
}

/* Programs are built from their text. */
static bool takes_text(cl_device_id device)
{
    char name[64] = "";
    cl_platform_id platform = platform_of(device);
    return platform && !clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) && !strcmp(name, "Tessera");
}

tinytc_status_t tinytc_cl_get_support_level(cl_device_id device, tinytc_support_level_t *level)
{
    char il[256] = "";
    cl_uint sub_groups = 0;
    if (!device || !level)
        return tinytc_status_invalid_arguments;
    clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof il, il, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof sub_groups, &sub_groups, NULL);
    *level = takes_text(device)                       ? tinytc_support_level_tuned
             : strstr(il, "SPIR-V") && sub_groups > 0 ? tinytc_support_level_basic
                                                      : tinytc_support_level_none;
    return tinytc_status_success;
}

tinytc_status_t tinytc_cl_core_info_create(tinytc_core_info_t *info, cl_device_id device)
{
    size_t most = 0, sizes[MOST_SIZES], bytes = 0;
    int32_t list[MOST_SIZES];
    if (!info || !device)
        return tinytc_status_invalid_arguments;
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL))
        return tinytc_status_compute_runtime_error;
    if (clGetDeviceInfo(device, SUB_GROUP_SIZES, sizeof sizes, sizes, &bytes))
        return tinytc_status_unsupported_device;
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        list[i] = (int32_t)sizes[i];
    return tinytc_core_info_generic_create(info, DEFAULT_REGISTER_SPACE, most > INT32_MAX ? INT32_MAX : (int32_t)most,
                                           bytes / sizeof *sizes, list);
}

/* ---- programs ---- */

static tinytc_status_t status_of(cl_int error)
{
    return error == CL_SUCCESS                 ? tinytc_status_success
           : error == CL_OUT_OF_HOST_MEMORY    ? tinytc_status_bad_alloc
           : error == CL_BUILD_PROGRAM_FAILURE ? tinytc_status_compilation_error
                                               : tinytc_status_compute_runtime_error;
}

static void report_log(cl_program program, cl_device_id device, struct tinytc_compiler_context *context)
{
    static const tinytc_location_t nowhere;
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = malloc(size + 1);
    if (log && !clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
        log[size] = 0;
        tsr__ta_report(context, log, &nowhere);
    }
    free(log);
}

/* Builds the program, which is released if that fails. */
static tinytc_status_t build(cl_program program, cl_device_id device, struct tinytc_compiler_context *context, cl_program *bundle)
{
    cl_int error = clBuildProgram(program, 1, &device, context->level ? "" : "-cl-opt-disable", NULL, NULL);
    if (error) {
        report_log(program, device, context);
        clReleaseProgram(program);
        return status_of(error);
    }
    *bundle = program;
    return tinytc_status_success;
}

tinytc_status_t tinytc_cl_kernel_bundle_create_with_binary(cl_program *bundle, cl_context context, cl_device_id device,
                                                           const_tinytc_binary_t bin)
{
    cl_int error;
    if (!bundle || !context || !device || !bin)
        return tinytc_status_invalid_arguments;
    const unsigned char *data = bin->data;
    cl_program program = bin->format == tinytc_bundle_format_spirv
                             ? clCreateProgramWithIL(context, data, bin->size, &error)
                             : clCreateProgramWithBinary(context, 1, &device, &bin->size, &data, NULL, &error);
    return program ? build(program, device, bin->context, bundle) : status_of(error);
}

tinytc_status_t tinytc_cl_kernel_bundle_create_with_program(cl_program *bundle, cl_context context, cl_device_id device, tinytc_prog_t prg,
                                                            tinytc_core_feature_flags_t core_features)
{
    tinytc_core_info_t info;
    tinytc_binary_t binary = NULL;
    cl_int error;
    if (!bundle || !context || !device || !prg)
        return tinytc_status_invalid_arguments;
    tinytc_status_t status = tinytc_cl_core_info_create(&info, device);
    if (status)
        return status;
    status = tinytc_core_info_set_core_features(info, core_features);
    if (!status)
        status = tsr__ta_check(prg, info);
    if (!status && takes_text(device)) {
        const char *text = prg->parsed->text;
        cl_program program = clCreateProgramWithSource(context, 1, &text, &prg->parsed->size, &error);
        status = program ? build(program, device, prg->context, bundle) : status_of(error);
    } else if (!status) {
        status = tinytc_prog_compile_to_spirv_and_assemble(&binary, prg, info);
        if (!status)
            status = tinytc_cl_kernel_bundle_create_with_binary(bundle, context, device, binary);
        if (binary)
            tinytc_binary_release(binary);
    }
    tinytc_core_info_release(info);
    return status;
}

tinytc_status_t tinytc_cl_get_group_size(cl_kernel kernel, size_t *local_size)
{
    cl_context context;
    cl_device_id *devices;
    size_t bytes = 0;
    if (!kernel || !local_size)
        return tinytc_status_invalid_arguments;
    if (clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL) ||
        clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes) || !(devices = malloc(bytes + 1)))
        return tinytc_status_compute_runtime_error;
    cl_int error = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    if (!error) /* a device that the program was built for: another one knows nothing of the kernel */
        error = CL_INVALID_DEVICE;
    for (size_t i = 0; error && i < bytes / sizeof *devices; i++)
        error = clGetKernelWorkGroupInfo(kernel, devices[i], CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 3 * sizeof *local_size, local_size, NULL);
    free(devices);
    return status_of(error);
}

void tinytc_cl_get_global_size(const size_t *num_groups, const size_t *local_size, size_t *global_size)
{
    for (int i = 0; num_groups && local_size && global_size && i < 3; i++)
        global_size[i] = num_groups[i] * local_size[i];
}

/* ---- recipes ---- */

struct tinytc_recipe_handler {
    atomic_uint references;
    struct tinytc_recipe *recipe;
    cl_kernel kernels[KERNELS];
    set_usm_pointer set_usm; /* NULL: the platform has none */
    size_t local[3], groups;
    int chosen; /* -1: no arguments yet */
};

tinytc_status_t tinytc_recipe_handler_retain(tinytc_recipe_handler_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    atomic_fetch_add(&object->references, 1);
    return tinytc_status_success;
}

tinytc_status_t tinytc_recipe_handler_release(tinytc_recipe_handler_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    if (atomic_fetch_sub(&object->references, 1) > 1)
        return tinytc_status_success;
    for (int i = 0; i < KERNELS; i++)
        if (object->kernels[i])
            clReleaseKernel(object->kernels[i]);
    tinytc_recipe_release(object->recipe);
    free(object);
    return tinytc_status_success;
}

tinytc_status_t tinytc_recipe_handler_get_recipe(const_tinytc_recipe_handler_t handler, tinytc_recipe_t *recipe)
{
    if (!handler || !recipe)
        return tinytc_status_invalid_arguments;
    *recipe = handler->recipe;
    return tinytc_recipe_retain(*recipe);
}

tinytc_status_t tinytc_cl_recipe_handler_create(tinytc_recipe_handler_t *handler, cl_context context, cl_device_id device,
                                                tinytc_recipe_t recipe)
{
    cl_program program;
    cl_int error = CL_SUCCESS;
    if (!handler || !context || !device || !recipe)
        return tinytc_status_invalid_arguments;
    tinytc_status_t status = tinytc_cl_kernel_bundle_create_with_program(&program, context, device, recipe->program, recipe->info.features);
    if (status)
        return status;
    struct tinytc_recipe_handler *made = calloc(1, sizeof *made);
    if (!made) {
        clReleaseProgram(program);
        return tinytc_status_bad_alloc;
    }
    made->references = 1;
    made->recipe = recipe;
    made->chosen = -1;
    tinytc_recipe_retain(recipe);
    made->set_usm =
        (set_usm_pointer)(uintptr_t)clGetExtensionFunctionAddressForPlatform(platform_of(device), "clSetKernelArgMemPointerINTEL");
    for (int i = 0; i < KERNELS && !error; i++)
        made->kernels[i] = clCreateKernel(program, kernel_names[i], &error);
    clReleaseProgram(program);
    if (!error)
        error =
            clGetKernelWorkGroupInfo(made->kernels[0], device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof made->local, made->local, NULL);
    if (error)
        tinytc_recipe_handler_release(made);
    else
        *handler = made;
    return status_of(error);
}

tinytc_status_t tinytc_cl_recipe_handler_submit(tinytc_recipe_handler_t handler, cl_command_queue queue, cl_uint num_wait_events,
                                                const cl_event *wait_events, cl_event *event)
{
    if (!handler || !queue)
        return tinytc_status_invalid_arguments;
    if (handler->chosen < 0)
        return tinytc_status_invalid_kernel_arguments;
    if (!handler->groups)
        return status_of(clEnqueueMarkerWithWaitList(queue, num_wait_events, wait_events, event));
    size_t groups[] = {handler->groups, 1, 1}, global[3];
    tinytc_cl_get_global_size(groups, handler->local, global);
    return status_of(clEnqueueNDRangeKernel(queue, handler->kernels[handler->chosen], 3, NULL, global, handler->local, num_wait_events,
                                            wait_events, event));
}

/* ---- arguments of recipes ---- */

struct arguments {
    const struct tinytc_recipe_handler *handler;
    cl_kernel kernel;
    cl_uint next;
    tinytc_status_t status; /* of the first that failed */
};

static void put(struct arguments *a, size_t size, const void *value)
{
    if (!a->status && clSetKernelArg(a->kernel, a->next++, size, value))
        a->status = tinytc_status_invalid_kernel_arguments;
}

static void put_size(struct arguments *a, int64_t size)
{
    put(a, sizeof size, &size);
}

static void put_number(struct arguments *a, size_t size, const void *value)
{
    if (!value || size != tsr__t_numbers[a->handler->recipe->number].bytes)
        a->status = a->status ? a->status : tinytc_status_invalid_arguments;
    else
        put(a, size, value);
}

static void put_memory(struct arguments *a, tinytc_mem_type_t type, const void *value)
{
    cl_int error = CL_INVALID_VALUE;
    if (a->status)
        return;
    if (type == tinytc_mem_type_buffer)
        error = clSetKernelArg(a->kernel, a->next, sizeof(cl_mem), &value);
    else if (type == tinytc_mem_type_svm_pointer)
        error = clSetKernelArgSVMPointer(a->kernel, a->next, value);
    else if (type == tinytc_mem_type_usm_pointer && a->handler->set_usm)
        error = a->handler->set_usm(a->kernel, a->next, value);
    a->status = error ? tinytc_status_invalid_kernel_arguments : tinytc_status_success;
    a->next++;
}

static bool is_zero(size_t size, const void *value)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)value)[i])
            return false;
    return true;
}

static tinytc_status_t begin(struct arguments *a, tinytc_recipe_handler_t handler, enum tsr__ta_recipe kind, size_t beta_size,
                             const void *beta_value)
{
    if (!handler || handler->recipe->kind != kind || !beta_value)
        return tinytc_status_invalid_arguments;
    handler->chosen = -1;
    *a = (struct arguments){.handler = handler, .kernel = handler->kernels[is_zero(beta_size, beta_value)]};
    return tinytc_status_success;
}

static tinytc_status_t end(struct arguments *a, tinytc_recipe_handler_t handler, uint64_t groups)
{
    if (!a->status) {
        handler->chosen = a->kernel == handler->kernels[1];
        handler->groups = groups;
    }
    return a->status;
}

tinytc_status_t tinytc_recipe_small_gemm_batched_set_args(tinytc_recipe_handler_t handler, int64_t howmany, size_t alpha_size,
                                                          const void *alpha_value, tinytc_mem_type_t A_type, const void *A_value,
                                                          tinytc_mem_type_t B_type, const void *B_value, size_t beta_size,
                                                          const void *beta_value, tinytc_mem_type_t C_type, const void *C_value)
{
    struct arguments a;
    tinytc_status_t status = howmany < 0 ? tinytc_status_invalid_arguments : begin(&a, handler, TSR__TA_BATCHED, beta_size, beta_value);
    if (status)
        return status;
    put_number(&a, alpha_size, alpha_value);
    put_memory(&a, A_type, A_value);
    put_size(&a, howmany);
    put_memory(&a, B_type, B_value);
    put_size(&a, howmany);
    put_number(&a, beta_size, beta_value);
    put_memory(&a, C_type, C_value);
    put_size(&a, howmany);
    return end(&a, handler, (uint64_t)howmany);
}

tinytc_status_t tinytc_recipe_tall_and_skinny_set_args(tinytc_recipe_handler_t handler, int64_t M, size_t alpha_size,
                                                       const void *alpha_value, tinytc_mem_type_t A_type, const void *A_value, int64_t ldA,
                                                       tinytc_mem_type_t B_type, const void *B_value, int64_t ldB, size_t beta_size,
                                                       const void *beta_value, tinytc_mem_type_t C_type, const void *C_value, int64_t ldC)
{
    struct arguments a;
    tinytc_status_t status = begin(&a, handler, TSR__TA_TALL, beta_size, beta_value);
    if (status)
        return status;
    const struct tinytc_recipe *recipe = handler->recipe;
    const int64_t given[] = {ldA, ldB, ldC}, block = recipe->block_rows;
    bool fits = M >= 0 && (recipe->rows == TINYTC_DYNAMIC || recipe->rows == M);
    for (int i = 0; i < 3; i++)
        fits = fits && (recipe->ld[i] == TINYTC_DYNAMIC ? given[i] > 0 && (i == 1 || given[i] >= M) : recipe->ld[i] == given[i]);
    if (!fits)
        return tinytc_status_invalid_arguments;
    const struct {
        tinytc_mem_type_t type;
        const void *value;
    } memory[] = {{A_type, A_value}, {B_type, B_value}, {C_type, C_value}};
    put_number(&a, alpha_size, alpha_value);
    for (int i = 0; i < 3; i++) {
        if (i == 2)
            put_number(&a, beta_size, beta_value);
        put_memory(&a, memory[i].type, memory[i].value);
        if (i != 1 && recipe->rows == TINYTC_DYNAMIC)
            put_size(&a, M);
        if (recipe->ld[i] == TINYTC_DYNAMIC)
            put_size(&a, given[i]);
    }
    return end(&a, handler, ((uint64_t)M + (uint64_t)block - 1) / (uint64_t)block);
}

tinytc_status_t tessera_recipe_gemm_set_args(tinytc_recipe_handler_t handler, int64_t M, int64_t N, int64_t K, size_t alpha_size,
                                             const void *alpha_value, tinytc_mem_type_t A_type, const void *A_value, int64_t ldA,
                                             tinytc_mem_type_t B_type, const void *B_value, int64_t ldB, size_t beta_size,
                                             const void *beta_value, tinytc_mem_type_t C_type, const void *C_value, int64_t ldC)
{
    struct arguments a;
    tinytc_status_t status = begin(&a, handler, TSR__TA_GEMM, beta_size, beta_value);
    if (status)
        return status;
    const struct tinytc_recipe *recipe = handler->recipe;
    const struct {
        tinytc_mem_type_t type;
        const void *value;
        int64_t rows, cols, ld;
    } memory[] = {{A_type, A_value, recipe->transposed[0] ? K : M, recipe->transposed[0] ? M : K, ldA},
                  {B_type, B_value, recipe->transposed[1] ? N : K, recipe->transposed[1] ? K : N, ldB},
                  {C_type, C_value, M, N, ldC}};
    for (int i = 0; i < 3; i++)
        if (memory[i].rows < 0 || memory[i].cols < 0 || memory[i].ld < memory[i].rows || memory[i].ld < 1)
            return tinytc_status_invalid_arguments;
    put_number(&a, alpha_size, alpha_value);
    for (int i = 0; i < 3; i++) {
        if (i == 2)
            put_number(&a, beta_size, beta_value);
        put_memory(&a, memory[i].type, memory[i].value);
        put_size(&a, memory[i].rows);
        put_size(&a, memory[i].cols);
        put_size(&a, memory[i].ld);
    }
    uint64_t down = ((uint64_t)M + (uint64_t)recipe->block_rows - 1) / (uint64_t)recipe->block_rows;
    uint64_t across = ((uint64_t)N + (uint64_t)recipe->block_cols - 1) / (uint64_t)recipe->block_cols;
    return end(&a, handler, down * across);
}
