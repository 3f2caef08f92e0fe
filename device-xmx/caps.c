/* SPDX-License-Identifier: Apache-2.0
 * What a GPU reports of itself, made of what its driver says. */
#include <stdio.h>
#include <string.h>

#include "device-xmx/images.h"
#include "tessera/program.h"

enum {
    KIB = 1024,
    MAX_GLOBAL_VARIABLE = 64 * KIB, /* what OpenCL asks for: drivers do not tell */
    CACHE_LINE = 64,
    DEFAULT_TIMER_HZ = 1000000000,
};

/* Chains `more` to the struct whose pNext is `link`. */
#define CHAIN(link, more, type)                                                                                                            \
    do {                                                                                                                                   \
        (more)->stype = (type);                                                                                                            \
        (link) = (more);                                                                                                                   \
    } while (0)

static uint64_t memory_of(ze_device_handle_t handle)
{
    enum { MOST = 8 };
    ze_device_memory_properties_t memories[MOST];
    uint32_t count = MOST;
    uint64_t sum = 0;
    for (unsigned i = 0; i < MOST; i++)
        memories[i] = (ze_device_memory_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    if (tsr__ze.DeviceGetMemoryProperties(handle, &count, memories))
        count = 0;
    for (uint32_t i = 0; i < count && i < MOST; i++)
        sum += memories[i].totalSize;
    return sum;
}

static uint64_t cache_of(ze_device_handle_t handle)
{
    enum { MOST = 8 };
    ze_device_cache_properties_t caches[MOST];
    uint32_t count = MOST;
    uint64_t largest = 0;
    for (unsigned i = 0; i < MOST; i++)
        caches[i] = (ze_device_cache_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES};
    if (tsr__ze.DeviceGetCacheProperties(handle, &count, caches))
        count = 0;
    for (uint32_t i = 0; i < count && i < MOST; i++)
        largest = caches[i].cacheSize > largest ? caches[i].cacheSize : largest;
    return largest;
}

bool tsr__xmx_ask(const struct tsr__xmx_driver *driver, ze_device_handle_t handle, struct tsr__xmx_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    /* With this type the clock's resolution is in ticks per second. */
    facts->properties.stype =
        driver->api >= ZE_API_VERSION_1_2 ? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    facts->compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    facts->module.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
    if (driver->has[TSR__XMX_IP_VERSION])
        CHAIN(facts->properties.pNext, &facts->ip, TSR_ZE_DEVICE_IP_VERSION_EXT);
    if (driver->has[TSR__XMX_DOT_PRODUCTS])
        CHAIN(facts->compute.pNext, &facts->dot, TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES);
    if (driver->has[TSR__XMX_FLOAT_ATOMICS])
        CHAIN(facts->module.pNext, &facts->atomics, ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES);
    if (tsr__ze.DeviceGetProperties(handle, &facts->properties) || tsr__ze.DeviceGetComputeProperties(handle, &facts->compute) ||
        tsr__ze.DeviceGetModuleProperties(handle, &facts->module))
        return false;
    facts->access.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
    if (tsr__ze.DeviceGetMemoryAccessProperties(handle, &facts->access)) /* then nothing is known to be shared */
        facts->access = (ze_device_memory_access_properties_t){0};
    facts->memory = memory_of(handle);
    facts->cache = cache_of(handle);
    return true;
}

/* ---- command queue groups ---- */

/* The first group that computes, and the first that only copies; without one the first copies as well. False: none computes. */
static bool choose_groups(struct tsr__xmx_device *device)
{
    ze_command_queue_group_properties_t groups[TSR__XMX_MOST_GROUPS];
    uint32_t count = TSR__XMX_MOST_GROUPS;
    bool computes = false, copies = false;
    size_t compute_fill = 0;
    for (unsigned i = 0; i < TSR__XMX_MOST_GROUPS; i++)
        groups[i] = (ze_command_queue_group_properties_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    if (tsr__ze.DeviceGetCommandQueueGroupProperties(device->handle, &count, groups))
        return false;
    for (uint32_t i = 0; i < count && i < TSR__XMX_MOST_GROUPS; i++) {
        bool can_compute = groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        if (can_compute && !computes) {
            computes = true;
            device->compute_group = i;
            compute_fill = groups[i].maxMemoryFillPatternSize;
        } else if (!can_compute && !copies && groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) {
            copies = true;
            device->copy_group = i;
            device->copy_fill = groups[i].maxMemoryFillPatternSize;
        }
    }
    if (computes && !copies) {
        device->copy_group = device->compute_group;
        device->copy_fill = compute_fill;
    }
    return computes;
}

/* ---- caps ---- */

/* Level Zero's flags have OpenCL's order but for the last two. */
static uint64_t fp_config(ze_device_fp_flags_t flags)
{
    enum { CL_FP_SOFT_FLOAT = 1 << 6, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7, SAME = (1 << 6) - 1 };
    return (flags & SAME) | (flags & ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT ? CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT : 0) |
           (flags & ZE_DEVICE_FP_FLAG_SOFT_FLOAT ? CL_FP_SOFT_FLOAT : 0);
}

static void fill_sub_groups(struct tsr_device_caps *caps, const ze_device_compute_properties_t *compute)
{
    static const uint32_t sizes[] = {8, 16, 32}; /* what the compiler knows, smallest first */
    for (size_t s = 0; s < TSR_ARRAY_LEN(sizes); s++)
        for (uint32_t i = 0; i < compute->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++)
            if (compute->subGroupSizes[i] == sizes[s]) {
                caps->sub_group_sizes[caps->sub_group_size_count++] = sizes[s];
                break;
            }
    if (!caps->sub_group_size_count)
        caps->sub_group_sizes[caps->sub_group_size_count++] = 16;
    caps->max_sub_groups = caps->max_work_group_size / caps->sub_group_sizes[0];
}

_Static_assert(TSR_USM_ACCESS == (int)ZE_MEMORY_ACCESS_CAP_FLAG_RW && TSR_USM_ATOMIC == (int)ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC &&
                   TSR_USM_CONCURRENT == (int)ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT &&
                   TSR_USM_CONCURRENT_ATOMIC == (int)ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC,
               "Level Zero has OpenCL's bits");

/* Memory that kernels and the program know by the same address. OpenCL has no bits for a part of it: all three kinds are there, or none. */
static void fill_usm(struct tsr_device_caps *caps, const ze_device_memory_access_properties_t *access, const void *domain)
{
    unsigned host = access->hostAllocCapabilities & TSR_USM_ALL, device = access->deviceAllocCapabilities & TSR_USM_ALL;
    unsigned shared = access->sharedSingleDeviceAllocCapabilities & TSR_USM_ALL, both = host | shared;
    if (!(host & device & shared & TSR_USM_ACCESS))
        return;
    caps->usm[TSR_USM_HOST] = host;
    caps->usm[TSR_USM_DEVICE] = device;
    caps->usm[TSR_USM_SHARED] = shared;
    caps->usm_cross = access->sharedCrossDeviceAllocCapabilities & TSR_USM_ALL;
    caps->usm_system = access->sharedSystemAllocCapabilities & TSR_USM_ALL;
    caps->usm_domain = domain;
    caps->svm = TSR_SVM_COARSE_GRAIN_BUFFER;
    if (!(both & TSR_USM_CONCURRENT))
        return;
    caps->svm |= TSR_SVM_FINE_GRAIN_BUFFER;
    if (caps->usm_system & TSR_USM_CONCURRENT)
        caps->svm |= TSR_SVM_FINE_GRAIN_SYSTEM;
    unsigned fine = host & TSR_USM_CONCURRENT ? host : shared; /* where fine allocations are: icd/allocation.c */
    if (fine & TSR_USM_CONCURRENT_ATOMIC)
        caps->svm |= TSR_SVM_ATOMICS;
}

static void fill_clock(struct tsr__xmx_device *device, const struct tsr__xmx_facts *facts)
{
    uint64_t resolution = facts->properties.timerResolution;
    if (facts->properties.stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES) /* nanoseconds of a tick */
        device->ns_per_tick = resolution ? (double)resolution : 1;
    else
        device->ns_per_tick = 1e9 / (double)(resolution ? resolution : DEFAULT_TIMER_HZ);
    device->clock_bits = facts->properties.timestampValidBits;
    device->kernel_clock_bits = facts->properties.kernelTimestampValidBits;
}

void tsr__xmx_caps_fill(struct tsr__xmx_device *device, const struct tsr__xmx_facts *facts)
{
    const ze_device_properties_t *p = &facts->properties;
    const ze_device_compute_properties_t *c = &facts->compute;
    const ze_device_module_properties_t *m = &facts->module;
    struct tsr_device_caps *caps = &device->caps;
    snprintf(device->name, sizeof device->name, "%.*s", ZE_MAX_DEVICE_NAME, p->name);
    device->uuid = p->uuid;
    uint64_t arguments = m->maxArgumentsSize;
    *caps = (struct tsr_device_caps){
        .type = TSR_DEVICE_GPU,
        .name = device->name,
        .vendor = p->vendorId == TSR__PCI_INTEL ? "Intel(R) Corporation" : "unknown",
        .vendor_id = p->vendorId,
        .device_id = p->deviceId,
        .ip_version = facts->ip.ipVersion,
        .slices = p->numSlices ? p->numSlices : 1,
        .sub_slices = p->numSubslicesPerSlice ? p->numSubslicesPerSlice : 1,
        .eus = p->numEUsPerSubslice ? p->numEUsPerSubslice : 1,
        .eu_threads = p->numThreadsPerEU ? p->numThreadsPerEU : 1,
        .dp4a = m->flags & ZE_DEVICE_MODULE_FLAG_DP4A,
        .dpas = device->units.simd,
        .clock_mhz = p->coreClockRate,
        .global_memory = facts->memory > p->maxMemAllocSize ? facts->memory : p->maxMemAllocSize,
        .max_allocation = p->maxMemAllocSize,
        .local_memory = c->maxSharedLocalMemory,
        .own_local_memory = true,
        .constant_buffer = p->maxMemAllocSize,
        .global_cache = facts->cache,
        .global_cache_line = CACHE_LINE,
        .max_work_group_size = c->maxTotalGroupSize,
        .max_work_item_sizes = {c->maxGroupSizeX, c->maxGroupSizeY, c->maxGroupSizeZ},
        .max_parameter_bytes = arguments && arguments < TSR_MAX_PARAMETER_BYTES ? arguments : TSR_MAX_PARAMETER_BYTES,
        .printf_buffer = m->printfBufferSize,
        .max_global_variable = MAX_GLOBAL_VARIABLE,
        .half_config = fp_config(m->fp16flags),
        .single_config = fp_config(m->fp32flags),
        .double_config = fp_config(m->fp64flags),
        .half_atomics = facts->atomics.fp16Flags,
        .single_atomics = facts->atomics.fp32Flags,
        .double_atomics = facts->atomics.fp64Flags,
        .fast_dot_products = m->flags & ZE_DEVICE_MODULE_FLAG_DP4A,
        .own_memory = true,
    };
    caps->compute_units = caps->slices * caps->sub_slices * caps->eus;
    fill_sub_groups(caps, c);
    fill_clock(device, facts);
    fill_usm(caps, &facts->access, device->driver);
    caps->spirv = m->spirvVersionSupported && choose_groups(device);
    tsr__xmx_images_fill(device);
    tsr__xmx_extensions(device, facts, &caps->extensions);
    device->base = (struct tsr_device){.caps = caps, .compute_units = caps->compute_units};
}
