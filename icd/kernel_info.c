/* SPDX-License-Identifier: Apache-2.0
 * Queries about kernels, their arguments, work-groups and sub-groups. */
#include <string.h>

#include "icd/program.h"

#ifndef CL_KERNEL_SPILL_MEM_SIZE_INTEL
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#define CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL 0x410A
#endif

TSR_API cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void *param_value,
                                           size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    RETURN_IF(NULL, !tsr__valid(kernel, TSR_TAG_KERNEL), CL_INVALID_KERNEL, "the kernel is not valid");
    switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME:
        return tsr__info_str(out, kernel->info->name);
    case CL_KERNEL_NUM_ARGS:
        return tsr__info_value(out, cl_uint, kernel->info->arg_count);
    case CL_KERNEL_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&kernel->base.api));
    case CL_KERNEL_CONTEXT:
        return tsr__info_value(out, cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return tsr__info_value(out, cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return tsr__info_str(out, kernel->info->attributes);
    default:
        return tsr__error(kernel->program->context, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of a kernel query",
                          param_name);
    }
}

TSR_API cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name, size_t param_value_size,
                                              void *param_value, size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    const struct tsr_arg_info *arg;
    cl_int err = tsr__find_arg(__func__, kernel, arg_index, &arg);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_context *context = kernel->program->context;
    const struct tsr_kernel_info *info = kernel->info;
    /* "CL_KERNEL_ARG_INFO_NOT_AVAILABLE if the argument information is not available for kernel." */
    RETURN_IF(context, !(info->flags & TSR_KERNEL_HAS_ARG_NAMES), CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
              "the program does not tell the names of its arguments");
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return tsr__info_value(out, cl_kernel_arg_address_qualifier, arg->address_qualifier);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return tsr__info_value(out, cl_kernel_arg_access_qualifier, arg->access_qualifier);
    case CL_KERNEL_ARG_TYPE_NAME:
        return tsr__info_str(out, arg->type_name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return tsr__info_value(out, cl_kernel_arg_type_qualifier, arg->type_qualifier);
    case CL_KERNEL_ARG_NAME:
        return tsr__info_str(out, arg->name);
    default:
        return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of an argument query", param_name);
    }
}

/* ---- on a device ---- */

/* The kernel as compiled for the device, which may be NULL if there is only one. "CL_INVALID_DEVICE if device is not in the list of devices
 * associated with kernel or if device is NULL but there is more than one device associated with kernel." */
static cl_int on_device(struct _cl_kernel *kernel, cl_device_id *device, const struct tsr_kernel_info **info)
{
    cl_uint found = 0, count = 0;
    for (cl_uint i = 0; i < kernel->build_count; i++) {
        if (!kernel->on[i].declared || (*device && *device != kernel->program->builds[i].device))
            continue;
        found = i;
        count++;
    }
    RETURN_IF(kernel->program->context, count != 1, CL_INVALID_DEVICE, "the device is none of the kernel's, or NULL though it has several");
    *device = kernel->program->builds[found].device;
    return tsr__kernel_coded(kernel, found, info);
}

static uint64_t dynamic_local_sizes(struct _cl_kernel *kernel)
{
    tsr_table_lock(&tsr__kernel_locks, kernel);
    uint64_t bytes = kernel->local_sizes;
    tsr_table_unlock(&tsr__kernel_locks, kernel);
    return bytes;
}

TSR_API cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
                                                    size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    RETURN_IF(NULL, !tsr__valid(kernel, TSR_TAG_KERNEL), CL_INVALID_KERNEL, "the kernel is not valid");
    struct _cl_context *context = kernel->program->context;
    const struct tsr_kernel_info *info;
    cl_int err = on_device(kernel, &device, &info);
    if (err != CL_SUCCESS)
        return err;
    switch (param_name) {
    case CL_KERNEL_GLOBAL_WORK_SIZE:
        /* "CL_INVALID_VALUE if param_name is CL_KERNEL_GLOBAL_WORK_SIZE and device is not a custom device and kernel is not a built-in
         * kernel." */
        return tsr__error(context, CL_INVALID_VALUE, __func__, "CL_KERNEL_GLOBAL_WORK_SIZE",
                          "only built-in kernels have a global work size");
    case CL_KERNEL_WORK_GROUP_SIZE:
        return tsr__info_value(out, size_t, device->ops->max_work_group(device->impl, info, dynamic_local_sizes(kernel)));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        size_t sizes[3] = {info->reqd_local_size[0], info->reqd_local_size[1], info->reqd_local_size[2]};
        return tsr__info_bytes(out, sizes, sizeof(sizes));
    }
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return tsr__info_value(out, cl_ulong, info->local_bytes + dynamic_local_sizes(kernel));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return tsr__info_value(out, size_t, info->sub_group_size);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        /* A packet keeps the values of its work-items across barriers, and common values once. */
        return tsr__info_value(out, cl_ulong, info->private_bytes + info->context_bytes / tsr_packet_width(info));
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL:
        /* Registers are spilled to the stack, which is private memory; there is no other. */
        if (device->caps->extensions.has[TSR_HAS_cl_intel_required_subgroup_size])
            return tsr__info_value(out, cl_ulong, 0);
        break;
    default:
        break;
    }
    return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of a work-group query", param_name);
}

/* ---- sub-groups ---- */

/* Work-group of one to three dimensions from the query's input. */
static bool read_local_size(const void *input, size_t size, uint64_t local[3])
{
    if (!input || !size || size % sizeof(size_t) || size > 3 * sizeof(size_t))
        return false;
    local[0] = local[1] = local[2] = 1;
    for (size_t i = 0; i < size / sizeof(size_t); i++)
        local[i] = ((const size_t *)input)[i];
    return true;
}

/* The local size with this number of sub-groups, or zeros if there is none. */
static void local_size_for(const struct tsr_kernel_info *info, uint64_t most, size_t count, size_t sizes[3])
{
    uint64_t items = count <= most ? count * info->sub_group_size : 0;
    const uint64_t *required = info->reqd_local_size;
    sizes[0] = sizes[1] = sizes[2] = 0;
    if (!count)
        return;
    if (required[0]) {
        if (tsr__sub_group_count(info, required) == count)
            for (int i = 0; i < 3; i++)
                sizes[i] = required[i];
    } else if (items && items <= most) {
        sizes[0] = items;
        sizes[1] = sizes[2] = 1;
    }
}

static cl_int sub_group_info(struct _cl_kernel *kernel, cl_device_id device, const struct tsr_kernel_info *info,
                             cl_kernel_sub_group_info name, size_t input_size, const void *input, struct tsr_info_out out)
{
    struct _cl_context *context = kernel->program->context;
    uint64_t most = device->ops->max_work_group(device->impl, info, dynamic_local_sizes(kernel)), local[3];
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        RETURN_IF(context, !read_local_size(input, input_size, local), CL_INVALID_VALUE, "the input is no local size: %zu bytes at %p",
                  input_size, input);
        if (name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)
            return tsr__info_value(out, size_t, info->sub_group_size);
        return tsr__info_value(out, size_t, tsr__sub_group_count(info, local));
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
        RETURN_IF(context, !input || input_size != sizeof(size_t), CL_INVALID_VALUE, "the input is no count: %zu bytes at %p", input_size,
                  input);
        /* The size of the caller's buffer says how many dimensions are wanted. */
        RETURN_IF(context, out.value && (!out.room || out.room % sizeof(size_t) || out.room > 3 * sizeof(size_t)), CL_INVALID_VALUE,
                  "room of %zu bytes for one to three sizes", out.room);
        size_t sizes[3];
        local_size_for(info, most, *(const size_t *)input, sizes);
        size_t wanted = out.value ? out.room : sizeof(sizes);
        if (sizes[0] && wanted < sizeof(sizes) && (sizes[2] > 1 || (wanted < 2 * sizeof(size_t) && sizes[1] > 1)))
            memset(sizes, 0, sizeof(sizes)); /* required sizes that do not fit into so few dimensions */
        return tsr__info_bytes(out, sizes, wanted);
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return tsr__info_value(out, size_t, tsr_sub_group_count(most, info->sub_group_size));
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return tsr__info_value(out, size_t, 0); /* OpenCL C has no attribute that asks for a number of sub-groups */
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        if (device->caps->extensions.has[TSR_HAS_cl_intel_required_subgroup_size])
            return tsr__info_value(out, size_t, info->reqd_sub_group_size);
        break;
    default:
        break;
    }
    return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "0x%x is no name of a sub-group query", name);
}

TSR_API cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
                                                   size_t input_value_size, const void *input_value, size_t param_value_size,
                                                   void *param_value, size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    RETURN_IF(NULL, !tsr__valid(kernel, TSR_TAG_KERNEL), CL_INVALID_KERNEL, "the kernel is not valid");
    struct _cl_context *context = kernel->program->context;
    const struct tsr_kernel_info *info;
    cl_int err = on_device(kernel, &device, &info);
    if (err != CL_SUCCESS)
        return err;
    /* "CL_INVALID_OPERATION if device does not support subgroups." */
    RETURN_IF(context, !device->caps->max_sub_groups, CL_INVALID_OPERATION, "the device has no sub-groups");
    return sub_group_info(kernel, device, info, param_name, input_value_size, input_value, out);
}
