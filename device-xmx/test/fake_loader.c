/* SPDX-License-Identifier: Apache-2.0
 * A Level Zero loader with one driver and one GPU, for tests of what the device reports: the variable FAKE_GPU names a line of `personas`.
 * Numbers are those that real drivers give for such GPUs. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device-xmx/ze_newer.h"

enum { INTEL = 0x8086, SPIRV_1_2 = ZE_MAKE_VERSION(1, 2), SPIRV_1_4 = ZE_MAKE_VERSION(1, 4) };

static const struct gpu {
    const char *name;
    uint32_t vendor, device_id, ip;
    uint32_t sub_groups[4], local_memory;
    uint32_t slices, sub_slices, eus, threads;
    uint64_t memory, ticks;
    bool fp64;
    uint32_t dp_caps, dp_inputs;
} gpus[] = {
    {"dg2", INTEL, 0x56a0, 0x030dc008, {8, 16, 32}, 65536, 8, 4, 16, 8, 16ull << 30, 19200000, false, 0x22, 0x66},
    {"pvc", INTEL, 0x0bd5, 0x030f0007, {16, 32}, 131072, 1, 64, 8, 8, 64ull << 30, 12500000, true, 0x24, 0x76},
    {"bmg", INTEL, 0xe20b, 0x05004000, {16, 32}, 131072, 5, 4, 8, 8, 12ull << 30, 19200000, true, 0x24, 0x76},
    {"mtl", INTEL, 0x7d55, 0x03118004, {8, 16, 32}, 65536, 2, 4, 16, 8, 16ull << 30, 19200000, true, 0x1, 0},
    {"arl_h", INTEL, 0x7d51, 0x03128004, {8, 16, 32}, 65536, 2, 4, 16, 8, 16ull << 30, 19200000, true, 0x22, 0x66},
    {"tgl", INTEL, 0x9a49, 0x03000000, {8, 16, 32}, 65536, 1, 6, 16, 7, 16ull << 30, 12000000, false, 0x1, 0},
    {"future", INTEL, 0xffff, 0x0a000000, {16, 32}, 131072, 1, 1, 8, 8, 8ull << 30, 19200000, true, 0x24, 0x76},
    {"foreign", 0x1234, 0x1234, 0, {16, 32}, 131072, 1, 1, 8, 8, 8ull << 30, 19200000, true, 0, 0},
};

/* A GPU with a driver of some age. */
static const struct persona {
    const char *name, *gpu;
    uint32_t api; /* 1.x */
    bool tells_ip, tells_dot_products, float_atomics;
    uint32_t spirv;
    ze_device_type_t type;
} personas[] = {
    {"dg2", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"dg2_2022", "dg2", 3, false, false, true, SPIRV_1_2, ZE_DEVICE_TYPE_GPU},
    {"dg2_dot", "dg2", 17, true, true, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"pvc", "pvc", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"pvc_2022", "pvc", 3, false, false, true, SPIRV_1_2, ZE_DEVICE_TYPE_GPU},
    {"bmg", "bmg", 17, true, true, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"bmg_no_dot", "bmg", 10, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"mtl", "mtl", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"mtl_dot", "mtl", 17, true, true, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"arl_h", "arl_h", 10, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"tgl_2022", "tgl", 3, false, false, true, SPIRV_1_2, ZE_DEVICE_TYPE_GPU},
    {"api_1_0", "tgl", 0, false, false, false, SPIRV_1_2, ZE_DEVICE_TYPE_GPU},
    {"future", "future", 10, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"future_dot", "future", 17, true, true, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"foreign", "foreign", 10, false, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"npu", "foreign", 10, false, false, false, SPIRV_1_4, ZE_DEVICE_TYPE_VPU},
    {"images_width", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_read_args", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_write_args", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_samplers", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_buffer", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_bgra", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_halves", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_filters", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"images_lines", "dg2", 6, true, false, true, SPIRV_1_4, ZE_DEVICE_TYPE_GPU},
    {"no_spirv", "dg2", 10, true, false, true, 0, ZE_DEVICE_TYPE_GPU},
};

/* GPUs with images, and what each lacks of the full profile. */
enum lack { NOTHING, LINES, WIDTH, READ_ARGS, WRITE_ARGS, SAMPLERS, BUFFER, BGRA, HALVES, FILTERS };
static const struct {
    const char *name;
    enum lack lack;
} with_images[] = {{"dg2", NOTHING},
                   {"images_width", WIDTH},
                   {"images_read_args", READ_ARGS},
                   {"images_write_args", WRITE_ARGS},
                   {"images_samplers", SAMPLERS},
                   {"images_buffer", BUFFER},
                   {"images_bgra", BGRA},
                   {"images_halves", HALVES},
                   {"images_filters", FILTERS},
                   {"images_lines", LINES}};

static const struct persona *persona(void)
{
    const char *name = getenv("FAKE_GPU");
    for (size_t i = 0; name && i < sizeof personas / sizeof personas[0]; i++)
        if (!strcmp(personas[i].name, name))
            return &personas[i];
    return NULL;
}

static const struct gpu *gpu(void)
{
    size_t i = 0;
    while (strcmp(gpus[i].name, persona()->gpu) != 0)
        i++;
    return &gpus[i];
}

static int driver, device;

ze_result_t zeInit(ze_init_flags_t flags)
{
    (void)flags;
    return persona() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED;
}

ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
    if (*count && drivers)
        drivers[0] = (ze_driver_handle_t)&driver;
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetApiVersion(ze_driver_handle_t handle, ze_api_version_t *version)
{
    (void)handle;
    *version = (ze_api_version_t)ZE_MAKE_VERSION(1, persona()->api);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetProperties(ze_driver_handle_t handle, ze_driver_properties_t *properties)
{
    (void)handle;
    if (properties->stype != ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES || properties->pNext)
        abort();
    properties->driverVersion = 16801234;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionProperties(ze_driver_handle_t handle, uint32_t *count, ze_driver_extension_properties_t *list)
{
    (void)handle;
    const struct persona *p = persona();
    const struct {
        bool has;
        const char *name;
    } all[] = {
        {true, "ZE_extension_something"},
        {p->float_atomics, ZE_FLOAT_ATOMICS_EXT_NAME},
        {true, ZE_GLOBAL_OFFSET_EXP_NAME},
        {p->tells_ip, TSR_ZE_DEVICE_IP_VERSION_EXT_NAME},
        {p->tells_dot_products, TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_NAME},
    };
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!all[i].has)
            continue;
        if (list && found < *count)
            snprintf(list[found].name, sizeof list[found].name, "%s", all[i].name);
        found++;
    }
    if (!list || *count > found)
        *count = found;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGet(ze_driver_handle_t handle, uint32_t *count, ze_device_handle_t *devices)
{
    (void)handle;
    if (!devices)
        *count = 1;
    else if (*count) /* a count that is too large stays, as with Intel's driver of 2022 */
        devices[0] = (ze_device_handle_t)&device;
    return ZE_RESULT_SUCCESS;
}

/* Fills what is chained. A struct that the driver has not listed must not be there. */
static void fill_chain(void *next)
{
    const struct persona *p = persona();
    while (next) {
        ze_base_properties_t *base = next;
        switch ((uint32_t)base->stype) {
        case TSR_ZE_DEVICE_IP_VERSION_EXT:
            if (!p->tells_ip)
                abort();
            ((struct tsr_ze_device_ip_version *)next)->ipVersion = gpu()->ip;
            break;
        case TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES:
            if (!p->tells_dot_products)
                abort();
            ((struct tsr_ze_device_compute_dotproduct *)next)->dp_caps = gpu()->dp_caps;
            ((struct tsr_ze_device_compute_dotproduct *)next)->dpas_input_types = gpu()->dp_inputs;
            break;
        case ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES:
            if (!p->float_atomics)
                abort();
            ((ze_float_atomic_ext_properties_t *)next)->fp32Flags = 0x70007;
            ((ze_float_atomic_ext_properties_t *)next)->fp16Flags = 0x50005;
            break;
        default:
            abort();
        }
        next = base->pNext;
    }
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t handle, ze_device_properties_t *out)
{
    if (handle != (ze_device_handle_t)&device)
        abort();
    const struct persona *p = persona();
    const struct gpu *g = gpu();
    if (out->stype != (p->api >= 2 ? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES))
        abort();
    out->type = p->type;
    out->vendorId = g->vendor;
    out->deviceId = g->device_id;
    out->coreClockRate = 2400;
    out->maxMemAllocSize = g->memory / 4;
    out->numThreadsPerEU = g->threads;
    out->numEUsPerSubslice = g->eus;
    out->numSubslicesPerSlice = g->sub_slices;
    out->numSlices = g->slices;
    out->timerResolution = p->api >= 2 ? g->ticks : 1000000000 / g->ticks;
    out->timestampValidBits = 36;
    out->kernelTimestampValidBits = 32;
    memset(out->uuid.id, 0x5a, sizeof out->uuid.id);
    snprintf(out->name, sizeof out->name, "Fake %s", p->name);
    fill_chain(out->pNext);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t handle, ze_device_compute_properties_t *out)
{
    (void)handle;
    const struct gpu *g = gpu();
    out->maxTotalGroupSize = out->maxGroupSizeX = out->maxGroupSizeY = out->maxGroupSizeZ = 1024;
    out->maxGroupCountX = out->maxGroupCountY = out->maxGroupCountZ = UINT32_MAX;
    out->maxSharedLocalMemory = g->local_memory;
    for (unsigned i = 0; i < 4 && g->sub_groups[i]; i++)
        out->subGroupSizes[out->numSubGroupSizes++] = g->sub_groups[i];
    fill_chain(out->pNext);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t handle, ze_device_module_properties_t *out)
{
    (void)handle;
    const struct persona *p = persona();
    const struct gpu *g = gpu();
    out->spirvVersionSupported = p->spirv;
    out->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS | ZE_DEVICE_MODULE_FLAG_DP4A |
                 (g->fp64 ? ZE_DEVICE_MODULE_FLAG_FP64 : 0);
    out->fp16flags = 0x27;
    out->fp32flags = 0x7f;
    out->fp64flags = g->fp64 ? 0x3f : 0;
    out->maxArgumentsSize = 2048;
    out->printfBufferSize = 4 << 20;
    fill_chain(out->pNext);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryProperties(ze_device_handle_t handle, uint32_t *count, ze_device_memory_properties_t *out)
{
    (void)handle;
    if (*count && out)
        out[0].totalSize = gpu()->memory;
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCacheProperties(ze_device_handle_t handle, uint32_t *count, ze_device_cache_properties_t *out)
{
    (void)handle;
    if (*count && out)
        out[0].cacheSize = 8 << 20;
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

/* Host, device, shared, shared by several devices, of the system. */
ze_result_t zeDeviceGetMemoryAccessProperties(ze_device_handle_t handle, ze_device_memory_access_properties_t *out)
{
    (void)handle;
    static const struct {
        const char *gpu;
        ze_memory_access_cap_flags_t flags[5];
    } others[] = {{"pvc", {3, 3, 7, 3, 5}}, {"tgl_2022", {15, 3, 3, 3, 0}}, {"foreign", {3, 3, 0, 0, 0}}};
    ze_memory_access_cap_flags_t flags[5] = {3, 3, 3, 1, 0};
    if (!strcmp(persona()->name, "api_1_0"))
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(persona()->name, others[i].gpu))
            memcpy(flags, others[i].flags, sizeof flags);
    out->hostAllocCapabilities = flags[0];
    out->deviceAllocCapabilities = flags[1];
    out->sharedSingleDeviceAllocCapabilities = flags[2];
    out->sharedCrossDeviceAllocCapabilities = flags[3];
    out->sharedSystemAllocCapabilities = flags[4];
    return ZE_RESULT_SUCCESS;
}

/* Compute first, then an engine that only copies. */
ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t handle, uint32_t *count, ze_command_queue_group_properties_t *out)
{
    (void)handle;
    if (*count > 1 && out) {
        out[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        out[0].maxMemoryFillPatternSize = 128;
        out[1].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        out[1].maxMemoryFillPatternSize = 1;
    }
    *count = 2;
    return ZE_RESULT_SUCCESS;
}

/* ---- images ---- */

/* -1: the GPU has no images. */
static int lack_of_images(void)
{
    for (size_t i = 0; i < sizeof with_images / sizeof with_images[0]; i++)
        if (!strcmp(persona()->name, with_images[i].name))
            return (int)with_images[i].lack;
    return -1;
}

/* The least that the full profile asks for. */
ze_result_t zeDeviceGetImageProperties(ze_device_handle_t handle, ze_device_image_properties_t *out)
{
    (void)handle;
    int lack = lack_of_images();
    if (out->stype != ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES || out->pNext)
        abort();
    if (lack < 0)
        return ZE_RESULT_SUCCESS;
    out->maxImageDims1D = 16384;
    out->maxImageDims2D = lack == WIDTH ? 16383 : 16384;
    out->maxImageDims3D = out->maxImageArraySlices = 2048;
    out->maxImageBufferSize = lack == BUFFER ? 65535 * 16 : 65536 * 16;
    out->maxSamplers = lack == SAMPLERS ? 15 : 16;
    out->maxReadImageArgs = lack == READ_ARGS ? 127 : 128;
    out->maxWriteImageArgs = lack == WRITE_ARGS ? 63 : 64;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageGetProperties(ze_device_handle_t handle, const ze_image_desc_t *desc, ze_image_properties_t *out)
{
    (void)handle;
    int lack = lack_of_images();
    bool halves = desc->format.type == ZE_IMAGE_FORMAT_TYPE_FLOAT && desc->format.layout == ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16;
    if (lack < 0 || desc->stype != ZE_STRUCTURE_TYPE_IMAGE_DESC)
        abort();
    if ((lack == BGRA && desc->format.x == ZE_IMAGE_FORMAT_SWIZZLE_B) || (lack == HALVES && halves) ||
        (desc->format.type == ZE_IMAGE_FORMAT_TYPE_SNORM && desc->format.layout == ZE_IMAGE_FORMAT_LAYOUT_16))
        return ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT;
    out->samplerFilterFlags = lack == FILTERS ? ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT : ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR;
    return ZE_RESULT_SUCCESS;
}

/* One context and one image at a time, and both are given back. */
static int contexts, images;

ze_result_t zeContextCreate(ze_driver_handle_t handle, const ze_context_desc_t *desc, ze_context_handle_t *out)
{
    if (handle != (ze_driver_handle_t)&driver || desc->stype != ZE_STRUCTURE_TYPE_CONTEXT_DESC || contexts++)
        abort();
    *out = (ze_context_handle_t)&contexts;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextDestroy(ze_context_handle_t handle)
{
    if (handle != (ze_context_handle_t)&contexts || images || --contexts)
        abort();
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageCreate(ze_context_handle_t context, ze_device_handle_t handle, const ze_image_desc_t *desc, ze_image_handle_t *out)
{
    if (context != (ze_context_handle_t)&contexts || handle != (ze_device_handle_t)&device || desc->type != ZE_IMAGE_TYPE_BUFFER || images)
        abort();
    if (lack_of_images() == LINES)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    images++;
    *out = (ze_image_handle_t)&images;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageDestroy(ze_image_handle_t image)
{
    if (image != (ze_image_handle_t)&images || --images)
        abort();
    return ZE_RESULT_SUCCESS;
}
