/* SPDX-License-Identifier: Apache-2.0
 * Kernel arguments: every clSetKernelArg leaves the argument block ready, so that a launch only copies it. */
#include <string.h>

#include "icd/device_queue.h"
#include "icd/image.h"
#include "icd/program.h"

/* Puts a value into the argument block. `object`, if not NULL, is watched from here on. The kernel's lock is held. Answers the object that
 * was watched before. "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments" (clSetKernelArg):
 * only a launch holds them. */
static void *store(struct _cl_kernel *kernel, cl_uint index, const void *value, void *object, bool svm)
{
    struct tsr__arg_state *state = &kernel->states[index];
    const struct tsr_arg_info *arg = &kernel->info->args[index];
    memcpy(kernel->args + arg->offset, value, arg->size);
    void *before = state->object;
    kernel->object_count += (cl_uint)(object != NULL) - (cl_uint)(before != NULL);
    state->object = object;
    kernel->svm_count += (cl_uint)svm - (cl_uint)state->svm;
    state->svm = svm;
    kernel->unset_count -= !state->set;
    state->set = true;
    return before;
}

/* Many applications create every kernel of a program and launch a few: code is made for those that get arguments. */
static void expect_launch(struct _cl_kernel *kernel)
{
    if (!atomic_load_explicit(&kernel->wanted, memory_order_relaxed))
        tsr__kernel_want(kernel);
}

static void set(struct _cl_kernel *kernel, cl_uint index, const void *value, void *object, bool svm)
{
    if (object)
        tsr__watch(object);
    tsr_table_lock(&tsr__kernel_locks, kernel);
    void *before = store(kernel, index, value, object, svm);
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    if (before)
        tsr__unwatch(before);
    expect_launch(kernel);
}

void tsr__kernel_place_locals(struct _cl_kernel *kernel, uint64_t begin)
{
    const struct tsr_kernel_info *info = kernel->info;
    uint64_t at = begin;
    kernel->local_sizes = 0;
    for (uint32_t i = 0; i < info->arg_count; i++) {
        if (info->args[i].kind != TSR_ARG_LOCAL)
            continue;
        kernel->local_sizes += kernel->states[i].local_size;
        memcpy(kernel->args + info->args[i].offset, &at, sizeof(at));
        at += tsr_local_round(kernel->states[i].local_size);
    }
    kernel->local_begin = begin;
    kernel->local_bytes = at - begin;
}

static void set_local(struct _cl_kernel *kernel, cl_uint index, uint64_t size)
{
    uint64_t zero = 0;
    tsr_table_lock(&tsr__kernel_locks, kernel);
    store(kernel, index, &zero, NULL, false);
    kernel->states[index].local_size = size;
    tsr__kernel_place_locals(kernel, tsr_local_round(kernel->info->local_bytes));
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    expect_launch(kernel);
}

static cl_int set_pointer(struct _cl_kernel *kernel, cl_uint index, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    /* "CL_INVALID_ARG_SIZE if … the argument is a memory object and arg_size != sizeof(cl_mem)": checked before the value is read. */
    RETURN_IF(context, size != sizeof(cl_mem), CL_INVALID_ARG_SIZE, "argument %u is a memory object: its size is %zu, not %zu", index,
              sizeof(cl_mem), size);
    cl_mem mem = value ? *(const cl_mem *)value : NULL;
    RETURN_IF(context, mem && !tsr__valid(mem, TSR_TAG_MEM), CL_INVALID_MEM_OBJECT, "argument %u is no memory object", index);
    RETURN_IF(context, mem && mem->context != context, CL_INVALID_MEM_OBJECT, "argument %u is a memory object of another context", index);
    RETURN_IF(context, mem && mem->type != CL_MEM_OBJECT_BUFFER, CL_INVALID_ARG_VALUE, "argument %u takes a buffer", index);
    const struct tsr_arg_info *arg = &kernel->info->args[index];
    bool reads_only = arg->address_qualifier == CL_KERNEL_ARG_ADDRESS_CONSTANT || arg->type_qualifier & CL_KERNEL_ARG_TYPE_CONST;
    RETURN_IF(context, mem && mem->flags & CL_MEM_IMMUTABLE_EXT && !reads_only, CL_INVALID_ARG_VALUE,
              "argument %u is neither constant nor const, but the buffer is CL_MEM_IMMUTABLE_EXT", index);
    uint64_t address = mem ? (uint64_t)(uintptr_t)mem->data : 0;
    set(kernel, index, &address, mem, false);
    return CL_SUCCESS;
}

static cl_int set_image(struct _cl_kernel *kernel, cl_uint index, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    RETURN_IF(context, size != sizeof(cl_mem), CL_INVALID_ARG_SIZE, "argument %u is an image: its size is %zu, not %zu", index,
              sizeof(cl_mem), size);
    cl_mem mem = value ? *(const cl_mem *)value : NULL;
    RETURN_IF(context, !tsr__valid(mem, TSR_TAG_MEM) || mem->context != context || !mem->image, CL_INVALID_MEM_OBJECT,
              "argument %u takes an image of the kernel's context", index);
    const struct tsr_arg_info *arg = &kernel->info->args[index];
    RETURN_IF(context, arg->image_type && (arg->image_type != mem->type || arg->image_depth != mem->image->format->depth),
              CL_INVALID_MEM_OBJECT, "argument %u takes a %s%s, not a %s of %s", index, tsr__image_kind(arg->image_type)->name,
              arg->image_depth ? " of CL_DEPTH" : "", mem->image->kind->name, mem->image->format->name);
    /* "CL_INVALID_ARG_VALUE if the argument is an image declared with the read_only qualifier and arg_value refers to an image object
     * created with cl_mem_flags of CL_MEM_WRITE_ONLY", and likewise for write_only; read_write needs both. */
    cl_uint access = arg->access_qualifier;
    RETURN_IF(context, mem->flags & CL_MEM_WRITE_ONLY && access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_INVALID_ARG_VALUE,
              "argument %u is read, but the image is CL_MEM_WRITE_ONLY", index);
    RETURN_IF(context, mem->flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT) && access != CL_KERNEL_ARG_ACCESS_READ_ONLY,
              CL_INVALID_ARG_VALUE, "argument %u is written, but the image is CL_MEM_READ_ONLY or CL_MEM_IMMUTABLE_EXT", index);
    uint64_t address = (uint64_t)(uintptr_t)&mem->image->desc;
    set(kernel, index, &address, mem, false);
    return CL_SUCCESS;
}

static cl_int set_pipe(struct _cl_kernel *kernel, cl_uint index, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    RETURN_IF(context, size != sizeof(cl_mem), CL_INVALID_ARG_SIZE, "argument %u is a pipe: its size is %zu, not %zu", index,
              sizeof(cl_mem), size);
    cl_mem mem = value ? *(const cl_mem *)value : NULL;
    RETURN_IF(context, !tsr__valid(mem, TSR_TAG_MEM) || mem->context != context || mem->type != CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT,
              "argument %u takes a pipe of the kernel's context", index);
    uint64_t address = (uint64_t)(uintptr_t)mem->data;
    set(kernel, index, &address, mem, false);
    return CL_SUCCESS;
}

static cl_int set_sampler(struct _cl_kernel *kernel, cl_uint index, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    RETURN_IF(context, size != sizeof(cl_sampler), CL_INVALID_ARG_SIZE, "argument %u is a sampler: its size is %zu, not %zu", index,
              sizeof(cl_sampler), size);
    cl_sampler sampler = value ? *(const cl_sampler *)value : NULL;
    RETURN_IF(context, !tsr__valid(sampler, TSR_TAG_SAMPLER) || sampler->context != context, CL_INVALID_SAMPLER,
              "argument %u takes a sampler of the kernel's context", index);
    uint32_t bits = tsr__sampler_word(sampler);
    set(kernel, index, &bits, sampler, false);
    return CL_SUCCESS;
}

/* The queue counts as one of the kernel's objects, so a launch holds it. */
static cl_int set_queue(struct _cl_kernel *kernel, cl_uint index, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    RETURN_IF(context, size != sizeof(cl_command_queue), CL_INVALID_ARG_SIZE, "argument %u is a queue: its size is %zu, not %zu", index,
              sizeof(cl_command_queue), size);
    struct tsr__device_queue *queue = value ? tsr__device_queue_of(*(const cl_command_queue *)value) : NULL;
    RETURN_IF(context, !queue || queue->context != context, CL_INVALID_DEVICE_QUEUE,
              "argument %u takes an on-device queue of the kernel's context", index);
    uint64_t address = (uint64_t)(uintptr_t)queue->impl;
    set(kernel, index, &address, queue, false);
    return CL_SUCCESS;
}

cl_int tsr__find_arg(const char *function, cl_kernel kernel, cl_uint index, const struct tsr_arg_info **arg)
{
    if (!tsr__valid(kernel, TSR_TAG_KERNEL))
        return tsr__error(NULL, CL_INVALID_KERNEL, function, "kernel", "the kernel is not valid");
    const struct tsr_kernel_info *info = kernel->info;
    if (index >= info->arg_count)
        return tsr__error(kernel->program->context, CL_INVALID_ARG_INDEX, function, "arg_index",
                          "kernel %s has %u arguments, none with index %u", info->name, info->arg_count, index);
    *arg = &info->args[index];
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    const struct tsr_arg_info *arg;
    cl_int err = tsr__find_arg(__func__, kernel, arg_index, &arg);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_context *context = kernel->program->context;
    const struct tsr_kernel_info *info = kernel->info;
    switch (arg->kind) {
    case TSR_ARG_VALUE:
        RETURN_IF(context, !arg_value, CL_INVALID_ARG_VALUE, "argument %u is a value, not NULL", arg_index);
        RETURN_IF(context, arg_size != arg->size, CL_INVALID_ARG_SIZE, "argument %u of kernel %s has %u bytes, not %zu", arg_index,
                  info->name, arg->size, arg_size);
        set(kernel, arg_index, arg_value, NULL, false);
        return CL_SUCCESS;
    case TSR_ARG_POINTER:
        return set_pointer(kernel, arg_index, arg_size, arg_value);
    case TSR_ARG_LOCAL:
        RETURN_IF(context, arg_value, CL_INVALID_ARG_VALUE, "argument %u is local memory: the value must be NULL", arg_index);
        /* The sum of such sizes cannot overflow; too much for the device is an error of the launch. */
        RETURN_IF(context, arg_size > UINT32_MAX, CL_INVALID_ARG_SIZE, "argument %u: no device has %zu bytes of local memory", arg_index,
                  arg_size);
        set_local(kernel, arg_index, arg_size);
        return CL_SUCCESS;
    case TSR_ARG_SAMPLER:
        return set_sampler(kernel, arg_index, arg_size, arg_value);
    case TSR_ARG_IMAGE:
        return set_image(kernel, arg_index, arg_size, arg_value);
    case TSR_ARG_PIPE:
        return set_pipe(kernel, arg_index, arg_size, arg_value);
    case TSR_ARG_QUEUE:
        return set_queue(kernel, arg_index, arg_size, arg_value);
    default:
        return tsr__error(context, CL_INVALID_ARG_VALUE, __func__, "kind", "argument %u is of a kind that no device has", arg_index);
    }
}

/* ---- pointers ---- */

/* The entry points that set pointers; with SVM or USM any memory of the process will do, not only an allocation of the context. */
static cl_int set_raw_pointer(const char *function, cl_kernel kernel, cl_uint arg_index, const void *arg_value, const char *what)
{
    const struct tsr_arg_info *arg;
    cl_int err = tsr__find_arg(function, kernel, arg_index, &arg);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_context *context = kernel->program->context;
    /* "CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM." */
    if (!context->svm_caps)
        return tsr__error(context, CL_INVALID_OPERATION, function, "svm_caps", "no device of the context has %s", what);
    if (arg->kind != TSR_ARG_POINTER)
        return tsr__error(context, CL_INVALID_ARG_VALUE, function, "kind", "argument %u is no global or constant pointer", arg_index);
    uint64_t address = (uint64_t)(uintptr_t)arg_value;
    set(kernel, arg_index, &address, NULL, arg_value != NULL);
    return CL_SUCCESS;
}

/* clSetKernelArgSVMPointer: OpenCL 3.0, 5.9.2. */
TSR_API cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return set_raw_pointer(__func__, kernel, arg_index, arg_value, "SVM");
}

/* cl_intel_unified_shared_memory */
TSR_API cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return set_raw_pointer(__func__, kernel, arg_index, arg_value, "unified shared memory");
}

/* cl_ext_buffer_device_address. "Passing illegal pointers is legal as long as they are not referenced", and every device has addresses. */
TSR_API cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index, cl_mem_device_address_ext arg_value)
{
    const struct tsr_arg_info *arg;
    cl_int err = tsr__find_arg(__func__, kernel, arg_index, &arg);
    if (err != CL_SUCCESS)
        return err;
    RETURN_IF(kernel->program->context, arg->kind != TSR_ARG_POINTER || arg->address_qualifier != CL_KERNEL_ARG_ADDRESS_GLOBAL,
              CL_INVALID_ARG_INDEX, "argument %u is no global pointer", arg_index);
    set(kernel, arg_index, &arg_value, NULL, false);
    return CL_SUCCESS;
}

/* ---- execution information ---- */

static cl_int check_flag(struct _cl_context *context, size_t size, const void *value)
{
    RETURN_IF(context, !value || size != sizeof(cl_bool), CL_INVALID_VALUE, "%zu bytes for a cl_bool", size);
    cl_bool flag = *(const cl_bool *)value;
    RETURN_IF(context, flag != CL_TRUE && flag != CL_FALSE, CL_INVALID_VALUE, "%u is neither CL_TRUE nor CL_FALSE", flag);
    return CL_SUCCESS;
}

static cl_int check_list(struct _cl_context *context, size_t size, const void *value)
{
    RETURN_IF(context, !value != !size || size % sizeof(uint64_t), CL_INVALID_VALUE, "%zu bytes of pointers at %p", size, value);
    return CL_SUCCESS;
}

/* What the kernel reaches besides its arguments; only devices with memory of their own ask. */
static cl_int set_indirect(struct _cl_kernel *kernel, enum tsr_usm kind, size_t size, const void *value)
{
    cl_int err = check_flag(kernel->program->context, size, value);
    if (err != CL_SUCCESS)
        return err;
    tsr_table_lock(&tsr__kernel_locks, kernel);
    kernel->indirect &= ~(1u << kind);
    kernel->indirect |= (unsigned)(*(const cl_bool *)value == CL_TRUE) << kind;
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    return CL_SUCCESS;
}

static cl_int set_listed(struct _cl_kernel *kernel, unsigned *listed, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    cl_int err = check_list(context, size, value);
    if (err != CL_SUCCESS)
        return err;
    unsigned kinds = tsr__memory_kinds(context, value, size / sizeof(void *));
    tsr_table_lock(&tsr__kernel_locks, kernel);
    *listed = kinds;
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    return CL_SUCCESS;
}

/* Addresses in buffers that the kernel uses besides its arguments. */
static cl_int set_device_pointers(struct _cl_kernel *kernel, size_t size, const void *value)
{
    struct _cl_context *context = kernel->program->context;
    cl_int err = check_list(context, size, value);
    if (err != CL_SUCCESS)
        return err;
    cl_mem_device_address_ext *pointers = size ? tsr_malloc(size) : NULL;
    RETURN_IF(context, size && !pointers, CL_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of pointers", size);
    if (pointers)
        memcpy(pointers, value, size);
    tsr_table_lock(&tsr__kernel_locks, kernel);
    void *before = kernel->device_pointers;
    kernel->device_pointers = pointers;
    kernel->device_pointer_count = size / sizeof *pointers;
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    tsr_free(before);
    return CL_SUCCESS;
}

/* clSetKernelExecInfo: OpenCL 3.0, 5.9.3, cl_ext_buffer_device_address, and cl_intel_unified_shared_memory. */
TSR_API cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                                               const void *param_value)
{
    RETURN_IF(NULL, !tsr__valid(kernel, TSR_TAG_KERNEL), CL_INVALID_KERNEL, "the kernel is not valid");
    struct _cl_context *context = kernel->program->context;
    if (param_name == CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT)
        return set_device_pointers(kernel, param_value_size, param_value);
    cl_int err;
    /* "CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM", and likewise for unified shared memory. */
    RETURN_IF(context, !context->svm_caps, CL_INVALID_OPERATION, "no device of the context has SVM or unified shared memory");
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        err = check_flag(context, param_value_size, param_value);
        RETURN_IF(context, err == CL_SUCCESS && *(const cl_bool *)param_value && !(context->svm_caps & TSR_SVM_FINE_GRAIN_SYSTEM),
                  CL_INVALID_OPERATION, "no device of the context has fine-grain system SVM");
        return err;
    case CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR: /* only devices with memory of their own want to know, and have no such SVM */
        RETURN_IF(context, !tsr__context_has_unified_svm(context), CL_INVALID_OPERATION,
                  "not all devices of the context have cl_khr_unified_svm");
        return check_flag(context, param_value_size, param_value);
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
        return set_indirect(kernel, TSR_USM_HOST, param_value_size, param_value);
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
        return set_indirect(kernel, TSR_USM_DEVICE, param_value_size, param_value);
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        return set_indirect(kernel, TSR_USM_SHARED, param_value_size, param_value);
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        return set_listed(kernel, &kernel->svm_listed, param_value_size, param_value);
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        return set_listed(kernel, &kernel->usm_listed, param_value_size, param_value);
    default:
        return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of kernel execution information", param_name);
    }
}
