/* SPDX-License-Identifier: Apache-2.0
 * The table of functions by which icd/ uses GPUs, and what it asks of them as a whole. */
#include "device-xmx/images.h"
#include "device-xmx/launch.h"
#include "device-xmx/memory.h"
#include "device-xmx/module.h"

static void find(void)
{
    struct tsr_device **devices;
    unsigned count = tsr__xmx_find(&devices);
    for (unsigned i = 0; i < count; i++)
        devices[i]->ops = &tsr_xmx_device;
}

static unsigned roots(struct tsr_device ***devices)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return tsr__xmx_find(devices);
}

static const void *identity(const struct tsr_device *device, size_t *size)
{
    *size = sizeof tsr__xmx(device)->uuid;
    return &tsr__xmx(device)->uuid;
}

static struct tsr_pool *pool(const struct tsr_device *device)
{
    (void)device;
    return tsr_pool_get(tsr_cpus_allowed());
}

/* The bits of enum tsr_il_units. */
static uint64_t units(const struct tsr__xmx_units *units)
{
    static const struct {
        unsigned input, bit;
    } inputs[] = {{TSR_ZE_DP_INPUT_INT4, TSR_IL_INT4},
                  {TSR_ZE_DP_INPUT_INT8, TSR_IL_INT8},
                  {TSR_ZE_DP_INPUT_FP16, TSR_IL_FP16},
                  {TSR_ZE_DP_INPUT_BF16, TSR_IL_BF16},
                  {TSR_ZE_DP_INPUT_TF32, TSR_IL_TF32}};
    uint64_t bits = units->simd | (units->pairs ? TSR_IL_PAIRS : 0);
    for (size_t i = 0; i < TSR_ARRAY_LEN(inputs); i++)
        bits |= units->inputs & inputs[i].input ? inputs[i].bit : 0;
    return bits;
}

static void target(const struct tsr_device *device, struct tsr_target *target)
{
    const struct tsr_device_caps *caps = device->caps;
    *target = (struct tsr_target){
        .triple = TSR_TRIPLE_SPIRV64,
        .features = units(&tsr__xmx(device)->units),
        .default_sub_group_size = caps->sub_group_sizes[caps->sub_group_size_count - 1],
    };
    for (uint32_t i = 0; i < caps->sub_group_size_count; i++)
        target->sub_group_sizes |= caps->sub_group_sizes[i];
}

static bool available(const struct tsr_device *device)
{
    return !atomic_load_explicit(&tsr__xmx(device)->lost, memory_order_relaxed);
}

const struct tsr_device_ops tsr_xmx_device = {
    .name = "xmx",
    .roots = roots,
    .identity = identity,
    .pool = pool,
    .available = available,
    .target = target,
    .finish = tsr__xmx_finish,
    .finish_key = tsr__xmx_finish_key,
    .module_load = tsr__xmx_module_load,
    .module_unload = tsr__xmx_module_unload,
    .memory_allocate = tsr__xmx_memory_allocate,
    .memory_free = tsr__xmx_memory_free,
    .memory_write = tsr__xmx_memory_write,
    .memory_read = tsr__xmx_memory_read,
    .memory_copy = tsr__xmx_memory_copy,
    .memory_fill = tsr__xmx_memory_fill,
    .usm_allocate = tsr__xmx_usm_allocate,
    .usm_prefetch = tsr__xmx_usm_prefetch,
    .image_format = tsr__xmx_image_format,
    .image_make = tsr__xmx_image_make,
    .image_free = tsr__xmx_image_free,
    .image_write = tsr__xmx_image_write,
    .image_read = tsr__xmx_image_read,
    .image_copy = tsr__xmx_image_copy,
    .max_work_group = tsr__xmx_max_work_group,
    .suggest_local_size = tsr__xmx_suggest_local_size,
    .launch_make = tsr__xmx_launch_make,
    .launch_bind = tsr__xmx_launch_bind,
    .launch_reaches = tsr__xmx_launch_reaches,
    .launch_submit = tsr__xmx_launch_submit,
    .launch_times = tsr__xmx_launch_times,
    .launch_end = tsr__xmx_launch_end,
};
