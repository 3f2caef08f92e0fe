/* SPDX-License-Identifier: Apache-2.0
 * Devices: what the queries answer, and the device's clock. */
#include <stdio.h>
#include <string.h>

#include "device-xmx/ze_newer.h"
#include "device-xmx/standin/standin.h"

extern const struct tsr_device_ops tsr_cpu_device;

struct tsr__device *tsr__standin_device_new(struct tsr__driver *driver, const struct tsr__persona *persona)
{
    struct tsr__device *device = tsr_calloc(1, sizeof *device);
    if (!device || !tsr__standin_add(device, TSR__KIND_DEVICE, driver)) {
        tsr_free(device);
        return NULL;
    }
    struct tsr_device **cpus;
    tsr_cpu_device.roots(&cpus);
    device->persona = persona;
    device->cpu = cpus[0];
    tsr_clc_macros(&device->cpu->caps->extensions, device->macros);
    tsr_list_init(&device->streams);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&device->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return device;
}

uint64_t tsr__standin_memory_size(const struct tsr__device *device)
{
    uint64_t most = tsr_memory_limit() / 2;
    return device->persona->memory < most ? device->persona->memory : most;
}

/* ---- the clock ---- */

static uint64_t mask(uint32_t bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* With the fault `timestamp`, the clock began at zeInit so many cycles before the kernels' part of it wraps. */
static uint64_t first_tick(const struct tsr__device *device)
{
    const struct tsr__settings *settings = tsr__standin_settings();
    return settings->faulty[TSR__FAULT_timestamp] ? mask(device->persona->kernel_timestamp_bits) + 1 - settings->fault[TSR__FAULT_timestamp]
                                                  : 0;
}

uint64_t tsr__standin_ticks(const struct tsr__device *device, uint64_t ns)
{
    static _Atomic uint64_t begin;
    uint64_t first = first_tick(device), unset = 0;
    if (first) {
        atomic_compare_exchange_strong(&begin, &unset, ns);
        ns -= atomic_load(&begin);
    }
    return first + (uint64_t)((unsigned __int128)ns * device->persona->timer_hz / 1000000000);
}

ze_result_t ZE_APICALL zeDeviceGetGlobalTimestamps(ze_device_handle_t hDevice, uint64_t *hostTimestamp, uint64_t *deviceTimestamp)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(hostTimestamp);
    NEED_POINTER(deviceTimestamp);
    CHECK_LOST(device);
    *hostTimestamp = tsr_now_ns();
    *deviceTimestamp = tsr__standin_ticks(device, *hostTimestamp) & mask(device->persona->timestamp_bits);
    return ZE_RESULT_SUCCESS;
}

/* ---- properties ---- */

ze_result_t ZE_APICALL zeDeviceGetProperties(ze_device_handle_t hDevice, ze_device_properties_t *pDeviceProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(pDeviceProperties);
    const struct tsr__persona *persona = device->persona;
    bool cycles = pDeviceProperties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    if (!cycles)
        CHECK_TYPE(pDeviceProperties, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
    uint64_t memory = tsr__standin_memory_size(device);
    ze_device_properties_t answer = {
        .stype = pDeviceProperties->stype,
        .pNext = pDeviceProperties->pNext,
        .type = ZE_DEVICE_TYPE_GPU,
        .vendorId = 0x8086,
        .deviceId = persona->device_id,
        .flags = persona->integrated ? ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0,
        .coreClockRate = persona->clock_mhz,
        .maxMemAllocSize = persona->most_allocation < memory ? persona->most_allocation : memory,
        .maxHardwareContexts = 1024 * 64,
        .numThreadsPerEU = persona->threads,
        .physicalEUSimdWidth = persona->unit_width,
        .numEUsPerSubslice = persona->units,
        .numSubslicesPerSlice = persona->sub_slices,
        .numSlices = persona->slices,
        .timerResolution = cycles ? persona->timer_hz : 1000000000 / persona->timer_hz,
        .timestampValidBits = persona->timestamp_bits,
        .kernelTimestampValidBits = persona->kernel_timestamp_bits,
    };
    snprintf(answer.name, sizeof answer.name, "%s", persona->name);
    snprintf((char *)answer.uuid.id, sizeof answer.uuid.id, "tsr %s %x", persona->word, (unsigned)(device->base.handle >> 8 & 0xff));
    *pDeviceProperties = answer;
    struct tsr_ze_device_ip_version *ip = tsr__standin_chained(answer.pNext, TSR_ZE_DEVICE_IP_VERSION_EXT);
    if (ip && tsr__standin_has_extension(TSR_ZE_DEVICE_IP_VERSION_EXT_NAME))
        ip->ipVersion = persona->ip_version;
    ze_eu_count_ext_t *units = tsr__standin_chained(answer.pNext, ZE_STRUCTURE_TYPE_EU_COUNT_EXT);
    if (units && tsr__standin_has_extension(ZE_EU_COUNT_EXT_NAME))
        units->numTotalEUs = persona->slices * persona->sub_slices * persona->units;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetComputeProperties(ze_device_handle_t hDevice, ze_device_compute_properties_t *pComputeProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pComputeProperties, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
    const struct tsr__persona *persona = device->persona;
    ze_device_compute_properties_t answer = {
        .stype = pComputeProperties->stype,
        .pNext = pComputeProperties->pNext,
        .maxTotalGroupSize = persona->most_group,
        .maxGroupSizeX = persona->most_group,
        .maxGroupSizeY = persona->most_group,
        .maxGroupSizeZ = persona->most_group,
        .maxGroupCountX = UINT32_MAX,
        .maxGroupCountY = UINT32_MAX,
        .maxGroupCountZ = UINT32_MAX,
        .maxSharedLocalMemory = persona->local_memory,
    };
    while (answer.numSubGroupSizes < TSR_ARRAY_LEN(persona->sub_group_sizes) && persona->sub_group_sizes[answer.numSubGroupSizes]) {
        answer.subGroupSizes[answer.numSubGroupSizes] = persona->sub_group_sizes[answer.numSubGroupSizes];
        answer.numSubGroupSizes++;
    }
    *pComputeProperties = answer;
    struct tsr_ze_device_compute_dotproduct *dp = tsr__standin_chained(answer.pNext, TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES);
    if (dp && tsr__standin_has_extension(TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_NAME)) {
        dp->dp_caps = persona->dp_caps;
        dp->dp4a_input_types = TSR_ZE_DP_INPUT_INT8;
        dp->dp4a_output_types = TSR_ZE_DP_OUTPUT_INT32;
        dp->dpas_input_types = persona->dpas_inputs ? persona->dpas_inputs : TSR_ZE_DP_INPUT_NONE;
        dp->dpas_output_types = persona->dpas_outputs;
        dp->bdpas_input_types = TSR_ZE_DP_INPUT_NONE;
        dp->bdpas_output_types = 0;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetModuleProperties(ze_device_handle_t hDevice, ze_device_module_properties_t *pModuleProperties)
{
    enum {
        FLOAT = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST |
                ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO | ZE_DEVICE_FP_FLAG_ROUND_TO_INF | ZE_DEVICE_FP_FLAG_FMA,
        ATOMICS = ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD |
                  ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE |
                  ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX,
    };
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pModuleProperties, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
    bool fp64 = device->persona->fp64;
    *pModuleProperties = (ze_device_module_properties_t){
        .stype = pModuleProperties->stype,
        .pNext = pModuleProperties->pNext,
        .spirvVersionSupported = ZE_MAKE_VERSION(1, 4),
        .flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS | ZE_DEVICE_MODULE_FLAG_DP4A |
                 (fp64 ? ZE_DEVICE_MODULE_FLAG_FP64 : 0),
        .fp16flags = FLOAT,
        .fp32flags = FLOAT | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT,
        .fp64flags = fp64 ? FLOAT | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT : 0,
        .maxArgumentsSize = 2048,
        .printfBufferSize = 4 << 20,
        .nativeKernelSupported.id = "tsr stand-in",
    };
    ze_float_atomic_ext_properties_t *atomics =
        tsr__standin_chained(pModuleProperties->pNext, ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES);
    if (atomics && tsr__standin_has_extension(ZE_FLOAT_ATOMICS_EXT_NAME)) {
        atomics->fp16Flags = atomics->fp32Flags = ATOMICS;
        atomics->fp64Flags = fp64 ? ATOMICS : 0;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                                              ze_command_queue_group_properties_t *pCommandQueueGroupProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(pCount);
    uint32_t have = 0;
    while (have < TSR_ARRAY_LEN(device->persona->groups) && device->persona->groups[have].queues)
        have++;
    GIVE_LIST(pCount, have);
    for (uint32_t i = 0; pCommandQueueGroupProperties && i < *pCount; i++) {
        ze_command_queue_group_properties_t *to = &pCommandQueueGroupProperties[i];
        CHECK_TYPE(to, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
        to->flags = device->persona->groups[i].flags;
        to->maxMemoryFillPatternSize = device->persona->groups[i].fill_pattern;
        to->numQueues = device->persona->groups[i].queues;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetMemoryProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                                   ze_device_memory_properties_t *pMemProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(pCount);
    GIVE_LIST(pCount, 1);
    if (!pMemProperties)
        return ZE_RESULT_SUCCESS;
    CHECK_TYPE(pMemProperties, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
    *pMemProperties = (ze_device_memory_properties_t){
        .stype = pMemProperties->stype,
        .pNext = pMemProperties->pNext,
        .maxClockRate = device->persona->clock_mhz,
        .maxBusWidth = 64,
        .totalSize = tsr__standin_memory_size(device),
        .name = "memory of the host",
    };
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetMemoryAccessProperties(ze_device_handle_t hDevice,
                                                         ze_device_memory_access_properties_t *pMemAccessProperties)
{
    enum {
        RW = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC,
        AT_ONCE = ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC,
    };
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pMemAccessProperties, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES);
    unsigned with_host = device->persona->integrated ? RW | AT_ONCE : RW;
    pMemAccessProperties->hostAllocCapabilities = with_host;
    pMemAccessProperties->deviceAllocCapabilities = RW;
    pMemAccessProperties->sharedSingleDeviceAllocCapabilities = with_host;
    pMemAccessProperties->sharedCrossDeviceAllocCapabilities = RW;
    pMemAccessProperties->sharedSystemAllocCapabilities = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetCacheProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                                  ze_device_cache_properties_t *pCacheProperties)
{
    enum { CACHE_BYTES = 4 << 20 };
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(pCount);
    (void)device;
    GIVE_LIST(pCount, 1);
    if (!pCacheProperties)
        return ZE_RESULT_SUCCESS;
    CHECK_TYPE(pCacheProperties, ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES);
    pCacheProperties->flags = 0;
    pCacheProperties->cacheSize = CACHE_BYTES;
    return ZE_RESULT_SUCCESS;
}

ze_device_image_properties_t tsr__standin_image_limits(const struct tsr__device *device)
{
    enum { SIDE_2D = 16384, SIDE_3D = 2048, LAYERS = 2048, ARGS = 128, SAMPLERS = 16, BUFFER_BYTES = 1 << 30 };
    ze_device_image_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    if (!device->persona->images || tsr__standin_settings()->faulty[TSR__FAULT_images])
        return limits;
    limits.maxImageDims1D = limits.maxImageDims2D = SIDE_2D;
    limits.maxImageDims3D = SIDE_3D;
    limits.maxImageBufferSize = BUFFER_BYTES;
    limits.maxImageArraySlices = LAYERS;
    limits.maxSamplers = SAMPLERS;
    limits.maxReadImageArgs = limits.maxWriteImageArgs = ARGS;
    return limits;
}

ze_result_t ZE_APICALL zeDeviceGetImageProperties(ze_device_handle_t hDevice, ze_device_image_properties_t *pImageProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pImageProperties, ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES);
    void *next = pImageProperties->pNext;
    *pImageProperties = tsr__standin_image_limits(device);
    pImageProperties->pNext = next;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetExternalMemoryProperties(ze_device_handle_t hDevice,
                                                           ze_device_external_memory_properties_t *pExternalMemoryProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pExternalMemoryProperties, ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES);
    (void)device;
    *pExternalMemoryProperties =
        (ze_device_external_memory_properties_t){.stype = pExternalMemoryProperties->stype, .pNext = pExternalMemoryProperties->pNext};
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDevicePciGetPropertiesExt(ze_device_handle_t hDevice, ze_pci_ext_properties_t *pPciProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pPciProperties, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
    pPciProperties->address = (ze_pci_address_ext_t){.bus = 3 + (uint32_t)(device->base.handle >> 8 & 0xff)};
    pPciProperties->maxSpeed = (ze_pci_speed_ext_t){.genVersion = 4, .width = 16, .maxBandwidth = -1};
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetSubDevices(ze_device_handle_t hDevice, uint32_t *pCount, ze_device_handle_t *phSubdevices)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(pCount);
    (void)device, (void)phSubdevices;
    *pCount = 0;
    return ZE_RESULT_SUCCESS;
}

/* ---- other devices: none reaches another's memory ---- */

ze_result_t ZE_APICALL zeDeviceGetP2PProperties(ze_device_handle_t hDevice, ze_device_handle_t hPeerDevice,
                                                ze_device_p2p_properties_t *pP2PProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    FIND(DEVICE, tsr__device, peer, hPeerDevice);
    CHECK_TYPE(pP2PProperties, ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES);
    pP2PProperties->flags = device == peer ? ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceCanAccessPeer(ze_device_handle_t hDevice, ze_device_handle_t hPeerDevice, ze_bool_t *value)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    FIND(DEVICE, tsr__device, peer, hPeerDevice);
    NEED_POINTER(value);
    *value = device == peer;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetStatus(ze_device_handle_t hDevice)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_LOST(device);
    return ZE_RESULT_SUCCESS;
}
