/* SPDX-License-Identifier: Apache-2.0
 * Kernel objects: arguments, sizes of groups, properties. */
#include <string.h>

#include "device-xmx/standin/standin.h"

enum { ACCESS_READ_ONLY = 0x11A0 /* CL_KERNEL_ARG_ACCESS_READ_ONLY */ };

static const struct tsr_kernel_info *find_info(const struct tsr__code *code, const char *name)
{
    for (uint32_t i = 0; i < code->info.kernel_count; i++)
        if (!strcmp(code->info.kernels[i].name, name))
            return &code->info.kernels[i];
    return NULL;
}

static void kernel_free(struct tsr__kernel *kernel)
{
    if (!kernel)
        return;
    tsr_free(kernel->args);
    tsr_free(kernel->local_sizes);
    tsr_free(kernel->images);
    tsr_free(kernel->set);
    tsr_free(kernel);
}

static struct tsr__kernel *kernel_new(struct tsr__module *module, const struct tsr_kernel_info *info)
{
    struct tsr__kernel *kernel = tsr_calloc(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->module = module;
    kernel->info = info;
    kernel->args = tsr_calloc(1, info->args_size + 1);
    kernel->local_sizes = tsr_calloc(info->arg_count + 1, sizeof *kernel->local_sizes);
    kernel->images = tsr_calloc(info->arg_count + 1, sizeof *kernel->images);
    kernel->set = tsr_calloc(info->arg_count + 1, sizeof *kernel->set);
    for (int d = 0; d < 3; d++)
        kernel->group[d] = info->reqd_local_size[0] ? (uint32_t)info->reqd_local_size[d] : 1;
    if (kernel->args && kernel->local_sizes && kernel->images && kernel->set && tsr__standin_add(kernel, TSR__KIND_KERNEL, module))
        return kernel;
    kernel_free(kernel);
    return NULL;
}

ze_result_t ZE_APICALL zeKernelCreate(ze_module_handle_t hModule, const ze_kernel_desc_t *desc, ze_kernel_handle_t *phKernel)
{
    FIND(MODULE, tsr__module, module, hModule);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_KERNEL_DESC);
    NEED_POINTER(desc->pKernelName);
    NEED_POINTER(phKernel);
    MISUSE_IF(desc->flags & ~(ze_kernel_flags_t)(ZE_KERNEL_FLAG_FORCE_RESIDENCY | ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY),
              ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x", desc->flags);
    REFUSE_IF(!module->code->module, ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, "the module has imports: link it first");
    const struct tsr_kernel_info *info = find_info(module->code, desc->pKernelName);
    REFUSE_IF(!info, ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "the module has no kernel %s", desc->pKernelName);
    struct tsr__kernel *kernel = kernel_new(module, info);
    REFUSE_IF(!kernel, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a kernel");
    *phKernel = HANDLE(ze_kernel_handle_t, kernel);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelDestroy(ze_kernel_handle_t hKernel)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    tsr__standin_remove(kernel);
    kernel_free(kernel);
    return ZE_RESULT_SUCCESS;
}

/* ---- arguments: what is set stays until it is set again ---- */

/* NULL, or memory that the device reaches. */
static ze_result_t check_address(const struct tsr__kernel *kernel, uint32_t index, const void *address)
{
    pthread_mutex_lock(&tsr__standin_lock);
    const struct tsr__allocation *allocation = address ? tsr__standin_allocation_at(address) : NULL;
    bool reached =
        allocation && allocation->base.owner == kernel->module->base.owner && tsr__standin_reaches(kernel->module->device, allocation);
    pthread_mutex_unlock(&tsr__standin_lock);
    if (address && !reached)
        return tsr__standin_misuse("zeKernelSetArgumentValue", ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                   "argument %u of %s: %p is in no allocation that the device reaches", index, kernel->info->name, address);
    return ZE_RESULT_SUCCESS;
}

static const char argument_function[] = "zeKernelSetArgumentValue";

/* The image is looked up again when the kernel is launched. */
static ze_result_t set_image(struct tsr__kernel *kernel, uint32_t index, size_t size, const void *value)
{
    const struct tsr_arg_info *arg = &kernel->info->args[index];
    ze_image_handle_t handle = NULL;
    if (size != sizeof handle || !value)
        return tsr__standin_misuse(argument_function, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                                   "argument %u of %s is an image, not %zu bytes at %p", index, kernel->info->name, size, value);
    memcpy(&handle, value, sizeof handle);
    const struct tsr__image *image = tsr__standin_find(TSR__KIND_IMAGE, handle, argument_function);
    if (!image)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (image->device != kernel->module->device || &image->context->base != kernel->module->base.owner)
        return tsr__standin_misuse(argument_function, ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                   "argument %u of %s is an image of another device or context", index, kernel->info->name);
    static const uint32_t types[] = {[ZE_IMAGE_TYPE_1D] = TSR_OBJECT_IMAGE1D, [ZE_IMAGE_TYPE_1DARRAY] = TSR_OBJECT_IMAGE1D_ARRAY,
                                     [ZE_IMAGE_TYPE_2D] = TSR_OBJECT_IMAGE2D, [ZE_IMAGE_TYPE_2DARRAY] = TSR_OBJECT_IMAGE2D_ARRAY,
                                     [ZE_IMAGE_TYPE_3D] = TSR_OBJECT_IMAGE3D, [ZE_IMAGE_TYPE_BUFFER] = TSR_OBJECT_IMAGE1D_BUFFER};
    bool line = arg->image_type == TSR_OBJECT_IMAGE1D_BUFFER && image->type == ZE_IMAGE_TYPE_1D &&
                tsr__standin_settings()->faulty[TSR__FAULT_lines];
    if (arg->image_type && arg->image_type != types[image->type] && !line)
        return tsr__standin_misuse(argument_function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "argument %u of %s is an image of another type",
                                   index, kernel->info->name);
    if (arg->access_qualifier != ACCESS_READ_ONLY && !image->written)
        return tsr__standin_misuse(argument_function, ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                   "argument %u of %s is written, but the image lacks ZE_IMAGE_FLAG_KERNEL_WRITE", index,
                                   kernel->info->name);
    kernel->images[index] = handle;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_sampler(struct tsr__kernel *kernel, uint32_t index, size_t size, const void *value)
{
    ze_sampler_handle_t handle = NULL;
    if (size != sizeof handle || !value)
        return tsr__standin_misuse(argument_function, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                                   "argument %u of %s is a sampler, not %zu bytes at %p", index, kernel->info->name, size, value);
    memcpy(&handle, value, sizeof handle);
    const struct tsr__sampler *sampler = tsr__standin_find(TSR__KIND_SAMPLER, handle, argument_function);
    if (!sampler)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (sampler->device != kernel->module->device)
        return tsr__standin_misuse(argument_function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "argument %u of %s is a sampler of another device",
                                   index, kernel->info->name);
    memcpy(kernel->args + kernel->info->args[index].offset, &sampler->word, sizeof sampler->word);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetArgumentValue(ze_kernel_handle_t hKernel, uint32_t argIndex, size_t argSize, const void *pArgValue)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    MISUSE_IF(argIndex >= kernel->info->arg_count, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
              "kernel %s has %u arguments, none with index %u", kernel->info->name, kernel->info->arg_count, argIndex);
    const struct tsr_arg_info *arg = &kernel->info->args[argIndex];
    const void *address = NULL;
    ze_result_t result = ZE_RESULT_SUCCESS;
    switch (arg->kind) {
    case TSR_ARG_VALUE:
        MISUSE_IF(argSize != arg->size, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "argument %u of %s has %u bytes, not %zu", argIndex,
                  kernel->info->name, arg->size, argSize);
        if (pArgValue)
            memcpy(kernel->args + arg->offset, pArgValue, argSize);
        else /* "If null then argument value is considered null." */
            memset(kernel->args + arg->offset, 0, argSize);
        break;
    case TSR_ARG_POINTER:
        MISUSE_IF(argSize != sizeof address, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "argument %u of %s is a pointer, not %zu bytes",
                  argIndex, kernel->info->name, argSize);
        if (pArgValue)
            memcpy(&address, pArgValue, sizeof address);
        result = check_address(kernel, argIndex, address);
        if (result)
            return result;
        memcpy(kernel->args + arg->offset, &address, sizeof address);
        break;
    case TSR_ARG_LOCAL:
        MISUSE_IF(pArgValue || !argSize, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                  "argument %u of %s is local memory: a size, and NULL", argIndex, kernel->info->name);
        kernel->local_sizes[argIndex] = argSize;
        break;
    case TSR_ARG_IMAGE:
        result = set_image(kernel, argIndex, argSize, pArgValue);
        break;
    case TSR_ARG_SAMPLER:
        result = set_sampler(kernel, argIndex, argSize, pArgValue);
        break;
    default:
        REFUSE_IF(true, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "argument %u is of a kind that the device has not", argIndex);
    }
    kernel->set[argIndex] |= !result;
    return result;
}

ze_result_t ZE_APICALL zeKernelSetIndirectAccess(ze_kernel_handle_t hKernel, ze_kernel_indirect_access_flags_t flags)
{
    const ze_kernel_indirect_access_flags_t known =
        ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    MISUSE_IF(flags & ~known, ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x", flags);
    kernel->indirect = flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetIndirectAccess(ze_kernel_handle_t hKernel, ze_kernel_indirect_access_flags_t *pFlags)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    NEED_POINTER(pFlags);
    *pFlags = kernel->indirect;
    return ZE_RESULT_SUCCESS;
}

/* ---- sizes of groups ---- */

/* The largest group that the kernel can have. */
static uint64_t most_items(const struct tsr__kernel *kernel)
{
    const struct tsr__device *device = kernel->module->device;
    uint64_t most = device->cpu->ops->max_work_group(device->cpu, kernel->info, 0);
    return most < device->persona->most_group ? most : device->persona->most_group;
}

ze_result_t ZE_APICALL zeKernelSetGroupSize(ze_kernel_handle_t hKernel, uint32_t groupSizeX, uint32_t groupSizeY, uint32_t groupSizeZ)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    const uint32_t size[3] = {groupSizeX, groupSizeY, groupSizeZ};
    const uint64_t *required = kernel->info->reqd_local_size;
    uint64_t items = 1, most = most_items(kernel);
    for (int d = 0; d < 3; d++) {
        MISUSE_IF(!size[d], ZE_RESULT_ERROR_INVALID_ARGUMENT, "a group of 0 work-items");
        REFUSE_IF(required[0] && required[d] != size[d], ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "kernel %s requires another size",
                  kernel->info->name);
        REFUSE_IF(size[d] > most / items, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "kernel %s can have groups of %llu work-items",
                  kernel->info->name, (unsigned long long)most);
        items *= size[d];
    }
    memcpy(kernel->group, size, sizeof size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSuggestGroupSize(ze_kernel_handle_t hKernel, uint32_t globalSizeX, uint32_t globalSizeY,
                                                uint32_t globalSizeZ, uint32_t *groupSizeX, uint32_t *groupSizeY, uint32_t *groupSizeZ)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    NEED_POINTER(groupSizeX);
    NEED_POINTER(groupSizeY);
    NEED_POINTER(groupSizeZ);
    const uint32_t global[3] = {globalSizeX, globalSizeY, globalSizeZ};
    uint32_t *const size[3] = {groupSizeX, groupSizeY, groupSizeZ};
    uint64_t left = most_items(kernel);
    for (int d = 0; d < 3; d++) {
        REFUSE_IF(!global[d], ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, "a range of 0 work-items");
        uint32_t best = left < global[d] ? (uint32_t)left : global[d];
        while (global[d] % best)
            best--;
        *size[d] = kernel->info->reqd_local_size[0] ? (uint32_t)kernel->info->reqd_local_size[d] : best;
        left /= best;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetGlobalOffsetExp(ze_kernel_handle_t hKernel, uint32_t offsetX, uint32_t offsetY, uint32_t offsetZ)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    REFUSE_IF(!tsr__standin_has_extension(ZE_GLOBAL_OFFSET_EXP_NAME), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "there are no global offsets");
    const uint32_t offset[3] = {offsetX, offsetY, offsetZ};
    memcpy(kernel->offset, offset, sizeof offset);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetCacheConfig(ze_kernel_handle_t hKernel, ze_cache_config_flags_t flags)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    MISUSE_IF(flags & ~(ze_cache_config_flags_t)(ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA),
              ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x", flags);
    (void)kernel;
    return ZE_RESULT_SUCCESS;
}

/* ---- queries ---- */

static uint32_t at_most_32_bits(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

ze_result_t ZE_APICALL zeKernelGetProperties(ze_kernel_handle_t hKernel, ze_kernel_properties_t *pKernelProperties)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    CHECK_TYPE(pKernelProperties, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES);
    const struct tsr_kernel_info *info = kernel->info;
    *pKernelProperties = (ze_kernel_properties_t){
        .stype = pKernelProperties->stype,
        .pNext = pKernelProperties->pNext,
        .numKernelArgs = info->arg_count,
        .requiredGroupSizeX = (uint32_t)info->reqd_local_size[0],
        .requiredGroupSizeY = (uint32_t)info->reqd_local_size[1],
        .requiredGroupSizeZ = (uint32_t)info->reqd_local_size[2],
        .requiredSubgroupSize = info->reqd_sub_group_size,
        .maxSubgroupSize = info->sub_group_size,
        .maxNumSubgroups = (uint32_t)tsr_sub_group_count(most_items(kernel), info->sub_group_size),
        .localMemSize = at_most_32_bits(info->local_bytes),
        .privateMemSize = at_most_32_bits(info->private_bytes),
    };
    struct tsr_hash hash = tsr_hash_bytes(info->name, strlen(info->name));
    memcpy(pKernelProperties->uuid.kid, &hash, sizeof hash);
    ze_kernel_preferred_group_size_properties_t *preferred =
        tsr__standin_chained(pKernelProperties->pNext, ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES);
    if (preferred)
        preferred->preferredMultiple = info->sub_group_size;
    return ZE_RESULT_SUCCESS;
}

/* Copies a text, or answers its size with the final zero. */
static ze_result_t give_text(const char *function, const char *text, size_t *size, char *to)
{
    size_t need = strlen(text) + 1;
    if (to && *size < need)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes are not enough", *size);
    if (to)
        memcpy(to, text, need);
    *size = need;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetName(ze_kernel_handle_t hKernel, size_t *pSize, char *pName)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    NEED_POINTER(pSize);
    return give_text(__func__, kernel->info->name, pSize, pName);
}

/* Level Zero gives the text in memory that the caller has made, *pString. */
ze_result_t ZE_APICALL zeKernelGetSourceAttributes(ze_kernel_handle_t hKernel, uint32_t *pSize, char **pString)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    NEED_POINTER(pSize);
    size_t size = *pSize;
    ze_result_t result = give_text(__func__, kernel->info->attributes, &size, pString ? *pString : NULL);
    *pSize = (uint32_t)size;
    return result;
}

ze_result_t ZE_APICALL zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t hKernel, uint32_t *totalGroupCount)
{
    FIND(KERNEL, tsr__kernel, kernel, hKernel);
    NEED_POINTER(totalGroupCount);
    (void)kernel;
    *totalGroupCount = 1;
    return ZE_RESULT_SUCCESS;
}
