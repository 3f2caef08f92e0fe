/* SPDX-License-Identifier: Apache-2.0
 * Kernels: creation, cloning, release. */
#include <string.h>

#include "icd/program.h"

/* ---- life ---- */

/* Adds to the numbers of kernel objects and of wanted kernel objects that the program keeps for this kernel. True: code has to be made now.
 * The program's lock is held. */
static bool count_objects(const struct _cl_kernel *kernel, int objects, int wanted)
{
    bool missing = false;
    for (cl_uint i = 0; i < kernel->build_count; i++) {
        struct tsr_build *build = tsr__program_build_for(kernel->program, kernel->program->builds[i].device);
        if (kernel->on[i].declared && build->kernels)
            missing |= tsr__code_count(build, (uint32_t)(kernel->on[i].declared - build->code.info.kernels), objects, wanted);
    }
    return missing;
}

static void kernel_destroy(struct tsr_object *object)
{
    struct _cl_kernel *kernel = (struct _cl_kernel *)object;
    for (uint32_t i = 0; i < kernel->info->arg_count; i++)
        if (kernel->states[i].object)
            tsr__unwatch(kernel->states[i].object);
    struct _cl_program *program = kernel->program;
    pthread_mutex_lock(&program->lock);
    count_objects(kernel, -1, kernel->wanted ? -1 : 0);
    program->kernel_count--;
    pthread_mutex_unlock(&program->lock);
    tsr_free(kernel->device_pointers);
    tsr_free(kernel->states);
    tsr_free(kernel->args);
    tsr_free(kernel->on);
    kernel->base.tag = 0;
    tsr_free(kernel);
    tsr__drop(program);
}

/* Takes over `on`. The program's lock is held, as the kernel gets attached. NULL: out of memory, and `on` freed. */
static struct _cl_kernel *kernel_new(struct _cl_program *program, struct tsr__kernel_on *on)
{
    const struct tsr_kernel_info *info = NULL;
    for (cl_uint i = 0; i < program->build_count && !info; i++)
        info = on[i].declared;
    struct _cl_kernel *kernel = tsr_calloc(1, sizeof(*kernel));
    struct tsr__arg_state *states = tsr_calloc(info->arg_count ? info->arg_count : 1, sizeof(*states));
    size_t args_size = info->args_size ? info->args_size : 8;
    unsigned char *args = tsr_aligned(TSR_MAX_ALIGN, (args_size + TSR_MAX_ALIGN - 1) & ~(size_t)(TSR_MAX_ALIGN - 1));
    if (!kernel || !states || !args) {
        tsr_free(args);
        tsr_free(states);
        tsr_free(kernel);
        tsr_free(on);
        return NULL;
    }
    memset(args, 0, args_size);
    tsr__object_init(&kernel->base, TSR_TAG_KERNEL, kernel_destroy);
    tsr__hold(program);
    program->kernel_count++;
    kernel->program = program;
    kernel->build_count = program->build_count;
    kernel->on = on;
    kernel->info = info;
    kernel->args = args;
    kernel->states = states;
    kernel->unset_count = info->arg_count;
    count_objects(kernel, 1, 0);
    return kernel;
}

void tsr__kernel_want(struct _cl_kernel *kernel)
{
    struct _cl_program *program = kernel->program;
    pthread_mutex_lock(&program->lock);
    const bool missing = !kernel->wanted && count_objects(kernel, 0, 1);
    kernel->wanted = true;
    pthread_mutex_unlock(&program->lock);
    if (missing)
        tsr__code_begin(program);
}

TSR_API cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
    return tsr__api_retain(kernel, TSR_TAG_KERNEL, CL_INVALID_KERNEL);
}

TSR_API cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    return tsr__api_release(kernel, TSR_TAG_KERNEL, CL_INVALID_KERNEL);
}

/* ---- finding ---- */

/* The kernel of this name on one device, if the build has it. The program's lock is held. */
static void find_on_device(struct tsr_build *build, const char *name, struct tsr__kernel_on *on)
{
    const uint32_t index = tsr_find_kernel(&build->code.info, name);
    if (index == build->code.info.kernel_count || !tsr__is_visible(&build->code.info.kernels[index]))
        return;
    on->declared = &build->code.info.kernels[index];
    if (build->code.info.kind == TSR_IMAGE_PROGRAM)
        return;
    on->code = &build->code;
    atomic_store_explicit(&on->coded, on->declared, memory_order_relaxed);
}

/* "the number of arguments and argument types" */
static bool same_definition(const struct tsr_kernel_info *a, const struct tsr_kernel_info *b)
{
    bool same = a->arg_count == b->arg_count;
    for (uint32_t i = 0; i < a->arg_count && same; i++) {
        const struct tsr_arg_info *x = &a->args[i], *y = &b->args[i];
        same = x->kind == y->kind && x->size == y->size && x->address_qualifier == y->address_qualifier && x->offset == y->offset;
    }
    return same;
}

cl_int tsr__kernel_coded(struct _cl_kernel *kernel, cl_uint at, const struct tsr_kernel_info **info)
{
    struct tsr__kernel_on *on = &kernel->on[at];
    *info = atomic_load_explicit(&on->coded, memory_order_acquire);
    if (*info)
        return CL_SUCCESS;
    struct _cl_program *program = kernel->program;
    struct tsr_code *code;
    pthread_mutex_lock(&program->lock);
    struct tsr_build *build = tsr__program_build_for(program, program->builds[at].device);
    cl_int err = tsr__code_of_kernel(program, build, (uint32_t)(on->declared - build->code.info.kernels), &code);
    if (err == CL_SUCCESS) {
        const uint32_t index = tsr_find_kernel(&code->info, on->declared->name);
        *info = index < code->info.kernel_count ? &code->info.kernels[index] : NULL;
        if (!*info || !same_definition(*info, on->declared) || (*info)->args_size != on->declared->args_size)
            err = CL_OUT_OF_RESOURCES; /* the compiler has answered with another kernel */
    }
    const struct tsr_kernel_info *first = atomic_load_explicit(&on->coded, memory_order_relaxed);
    if (first) { /* another thread has stored its code meanwhile, and launches may use that already */
        *info = first;
        err = CL_SUCCESS;
    } else if (err == CL_SUCCESS) {
        on->code = code;
        atomic_store_explicit(&on->coded, *info, memory_order_release);
    }
    pthread_mutex_unlock(&program->lock);
    RETURN_IF(program->context, err != CL_SUCCESS, err, "no code for kernel \"%s\"", on->declared->name);
    return CL_SUCCESS;
}

/* Makes the kernel of this name. The program's lock is held. CL_INVALID_PROGRAM_EXECUTABLE, _KERNEL_NAME, _KERNEL_DEFINITION,
 * CL_OUT_OF_HOST_MEMORY. */
static cl_int make_kernel(struct _cl_program *program, const char *name, struct _cl_kernel **kernel)
{
    struct tsr__kernel_on *on = tsr_calloc(program->build_count, sizeof(*on));
    const struct tsr_kernel_info *first = NULL;
    bool executable = false, differs = false;
    for (cl_uint i = 0; on && i < program->build_count; i++) {
        struct tsr_build *build = tsr__program_build_for(program, program->builds[i].device);
        if (!tsr__build_is_executable(build))
            continue;
        executable = true;
        find_on_device(build, name, &on[i]);
        differs |= first && on[i].declared && !same_definition(first, on[i].declared);
        first = first ? first : on[i].declared;
    }
    cl_int err = !on           ? CL_OUT_OF_HOST_MEMORY
                 : !executable ? CL_INVALID_PROGRAM_EXECUTABLE
                 : !first      ? CL_INVALID_KERNEL_NAME
                 : differs     ? CL_INVALID_KERNEL_DEFINITION
                               : CL_SUCCESS;
    if (err != CL_SUCCESS) {
        tsr_free(on);
        return err;
    }
    *kernel = kernel_new(program, on);
    return *kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Loads code that is there with the kernel, so that the first launch need not and a failure is reported here. */
static cl_int load_existing_code(struct _cl_kernel *kernel)
{
    struct _cl_program *program = kernel->program;
    struct tsr_module *module;
    cl_uint i = 0;
    while (!kernel->on[i].declared)
        i++;
    if (kernel->on[i].code)
        return tsr__code_load(program, program->builds[i].device, kernel->on[i].code, &module);
    if (tsr_clc_is_library())
        return tsr__kernel_coded(kernel, i, &(const struct tsr_kernel_info *){NULL});
    if (!kernel->info->arg_count)
        tsr__kernel_want(kernel);
    return CL_SUCCESS;
}

/* ---- entry points ---- */

TSR_API cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct _cl_kernel *kernel = NULL;
    FAIL_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    struct _cl_context *context = program->context;
    FAIL_IF(context, !kernel_name, CL_INVALID_VALUE, "the name is NULL");
    pthread_mutex_lock(&program->lock);
    cl_int made = make_kernel(program, kernel_name, &kernel);
    pthread_mutex_unlock(&program->lock);
    FAIL_IF(context, made == CL_INVALID_PROGRAM_EXECUTABLE, made, "the program has not been built for any device");
    FAIL_IF(context, made == CL_INVALID_KERNEL_NAME, made, "the program has no kernel \"%s\"", kernel_name);
    FAIL_IF(context, made == CL_INVALID_KERNEL_DEFINITION, made, "\"%s\" has other arguments on another device", kernel_name);
    FAIL_IF(context, made != CL_SUCCESS, made, "no memory for kernel \"%s\"", kernel_name);
    err = load_existing_code(kernel);
    if (err != CL_SUCCESS)
        goto fail;
fail:
    return tsr__created(kernel, err, errcode_ret);
}

TSR_API cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *num_kernels_ret)
{
    RETURN_IF(NULL, !tsr__valid(program, TSR_TAG_PROGRAM), CL_INVALID_PROGRAM, "the program is not valid");
    struct _cl_context *context = program->context;
    pthread_mutex_lock(&program->lock);
    struct tsr_build *build = NULL;
    for (cl_uint i = 0; i < program->build_count && !build; i++)
        if (tsr__build_is_executable(&program->builds[i]))
            build = &program->builds[i];
    uint32_t count = build ? tsr__visible_kernels(&build->code.info) : 0, done = 0;
    cl_int err = CL_SUCCESS;
    for (uint32_t i = 0; kernels && num_kernels >= count && done < count && err == CL_SUCCESS; i++) {
        const struct tsr_kernel_info *info = &build->code.info.kernels[i];
        if (!tsr__is_visible(info))
            continue;
        err = make_kernel(program, info->name, &kernels[done]);
        done += err == CL_SUCCESS;
    }
    pthread_mutex_unlock(&program->lock);
    RETURN_IF(context, !build, CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built for any device");
    RETURN_IF(context, kernels && num_kernels < count, CL_INVALID_VALUE, "the program has %u kernels, there is room for %u", count,
              num_kernels);
    for (uint32_t i = 0; i < done && err == CL_SUCCESS; i++)
        err = load_existing_code(kernels[i]);
    if (err != CL_SUCCESS) {
        while (done)
            tsr__drop(kernels[--done]);
        return tsr__error(context, err, __func__, "make", "the kernels cannot be made");
    }
    if (num_kernels_ret)
        *num_kernels_ret = count;
    return CL_SUCCESS;
}

struct _cl_kernel *tsr__kernel_clone(struct _cl_kernel *source)
{
    struct _cl_program *program = source->program;
    struct tsr__kernel_on *on = tsr_calloc(source->build_count, sizeof(*on));
    if (!on)
        return NULL;
    pthread_mutex_lock(&program->lock);
    memcpy(on, source->on, source->build_count * sizeof(*on));
    struct _cl_kernel *kernel = kernel_new(program, on);
    pthread_mutex_unlock(&program->lock);
    if (!kernel)
        return NULL;

    tsr_table_lock(&tsr__kernel_locks, source);
    size_t pointer_bytes = source->device_pointer_count * sizeof *kernel->device_pointers;
    kernel->device_pointers = pointer_bytes ? tsr_malloc(pointer_bytes) : NULL;
    if (kernel->device_pointers) {
        memcpy(kernel->device_pointers, source->device_pointers, pointer_bytes);
        kernel->device_pointer_count = source->device_pointer_count;
    }
    memcpy(kernel->args, source->args, kernel->info->args_size);
    memcpy(kernel->states, source->states, kernel->info->arg_count * sizeof(*kernel->states));
    for (uint32_t i = 0; i < kernel->info->arg_count; i++)
        if (kernel->states[i].object)
            tsr__watch(kernel->states[i].object);
    kernel->unset_count = source->unset_count;
    kernel->object_count = source->object_count;
    kernel->local_begin = source->local_begin;
    kernel->svm_count = source->svm_count;
    kernel->indirect = source->indirect;
    kernel->svm_listed = source->svm_listed;
    kernel->usm_listed = source->usm_listed;
    kernel->local_bytes = source->local_bytes;
    kernel->local_sizes = source->local_sizes;
    tsr_table_unlock(&tsr__kernel_locks, source);
    if (source->wanted)
        tsr__kernel_want(kernel);
    if (!pointer_bytes || kernel->device_pointers)
        return kernel;
    tsr__drop(kernel);
    return NULL;
}

TSR_API cl_kernel CL_API_CALL clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct _cl_kernel *kernel = NULL;
    FAIL_IF(NULL, !tsr__valid(source_kernel, TSR_TAG_KERNEL), CL_INVALID_KERNEL, "the kernel is not valid");
    kernel = tsr__kernel_clone(source_kernel);
    FAIL_IF(source_kernel->program->context, !kernel, CL_OUT_OF_HOST_MEMORY, "no memory for a kernel");
fail:
    return tsr__created(kernel, err, errcode_ret);
}
