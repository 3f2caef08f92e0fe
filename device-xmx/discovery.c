/* SPDX-License-Identifier: Apache-2.0
 * Lists drivers and their GPUs, once. Starts no thread of ours and makes no context; a context is made when a program first needs one. */
#include <stdlib.h>
#include <string.h>

#include "device-xmx/xmx.h"
#include "tessera/floats.h"

static struct tsr__xmx_driver drivers[TSR__XMX_MOST_DRIVERS];
static struct tsr__xmx_device devices[TSR__XMX_MOST_DEVICES];
static struct tsr_device *device_list[TSR__XMX_MOST_DEVICES];
static unsigned device_count;

/* What a driver calls the extensions that make a difference. */
static const char *const ext_names[TSR__XMX_DRIVER_EXT_COUNT] = {
    [TSR__XMX_FLOAT_ATOMICS] = ZE_FLOAT_ATOMICS_EXT_NAME,
    [TSR__XMX_GLOBAL_OFFSET] = ZE_GLOBAL_OFFSET_EXP_NAME,
    [TSR__XMX_IP_VERSION] = TSR_ZE_DEVICE_IP_VERSION_EXT_NAME,
    [TSR__XMX_DOT_PRODUCTS] = TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_NAME,
};

static void note_extensions(struct tsr__xmx_driver *driver)
{
    uint32_t count = 0;
    if (tsr__ze.DriverGetExtensionProperties(driver->handle, &count, NULL) || !count)
        return;
    ze_driver_extension_properties_t *list = tsr_calloc(count, sizeof *list);
    if (!list || tsr__ze.DriverGetExtensionProperties(driver->handle, &count, list))
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t e = 0; e < TSR_ARRAY_LEN(ext_names); e++)
            driver->has[e] |= !strncmp(list[i].name, ext_names[e], sizeof list[i].name);
    tsr_free(list);
}

static void add_device(struct tsr__xmx_driver *driver, ze_device_handle_t handle)
{
    struct tsr__xmx_facts facts;
    if (!tsr__xmx_ask(driver, handle, &facts) || facts.properties.type != ZE_DEVICE_TYPE_GPU)
        return;
    struct tsr__xmx_device *device = &devices[device_count];
    device->driver = driver;
    device->handle = handle;
    device->units = tsr__xmx_units_of(driver, &facts);
    pthread_mutex_init(&device->lock, NULL);
    tsr__xmx_caps_fill(device, &facts);
    tsr_log(TSR_LOG_DEVICE, "xmx: %s, driver %u, API %u.%u: %s%s, as %s say", device->name, driver->version, ZE_MAJOR_VERSION(driver->api),
            ZE_MINOR_VERSION(driver->api),
            !device->units.simd       ? "no matrix units"
            : device->units.simd == 8 ? "matrix units for sub-groups of 8"
                                      : "matrix units for sub-groups of 16",
            device->units.pairs ? " and pairs of them" : "", device->units.from);
    if (!device->caps.spirv) {
        tsr_log(TSR_LOG_WARN, "xmx: %s takes no SPIR-V, so no program can be made for it", device->name);
        return;
    }
    device_list[device_count++] = &device->base;
}

static void add_driver(ze_driver_handle_t handle, struct tsr__xmx_driver *driver)
{
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    *driver = (struct tsr__xmx_driver){.handle = handle};
    pthread_mutex_init(&driver->lock, NULL);
    if (tsr__ze.DriverGetApiVersion(handle, &driver->api) || tsr__ze.DriverGetProperties(handle, &properties))
        return;
    driver->version = properties.driverVersion;
    note_extensions(driver);
    ze_device_handle_t handles[TSR__XMX_MOST_DEVICES] = {0};
    uint32_t count = 0;
    if (tsr__ze.DeviceGet(handle, &count, NULL))
        return;
    count = count < TSR__XMX_MOST_DEVICES ? count : TSR__XMX_MOST_DEVICES;
    if (!count || tsr__ze.DeviceGet(handle, &count, handles))
        return;
    for (uint32_t i = 0; i < count && device_count < TSR__XMX_MOST_DEVICES; i++)
        add_device(driver, handles[i]);
}

/* The drivers of GPUs: by the newer function if the loader has it and its drivers know it, else by the older ones. */
static uint32_t list_drivers(ze_driver_handle_t handles[TSR__XMX_MOST_DRIVERS])
{
    uint32_t count = TSR__XMX_MOST_DRIVERS;
    struct tsr_ze_init_driver_type type = {.stype = TSR_ZE_INIT_DRIVER_TYPE_DESC, .flags = TSR_ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    if (tsr__ze.InitDrivers && !tsr__ze.InitDrivers(&count, handles, &type))
        return count;
    ze_result_t result = tsr__ze.Init(ZE_INIT_FLAG_GPU_ONLY);
    count = TSR__XMX_MOST_DRIVERS;
    if (!result)
        result = tsr__ze.DriverGet(&count, handles);
    if (!result)
        return count;
    tsr_log(TSR_LOG_DEVICE, "xmx: no driver: 0x%x, %s", (unsigned)result, tsr__ze_text(result));
    return 0;
}

/* Whether the loader may give out wrapped handles: it does so beside a second driver, and for its layers. */
static bool may_wrap(uint32_t driver_count)
{
    static const char *const variables[] = {"ZE_ENABLE_LOADER_INTERCEPT", "ZE_ENABLE_VALIDATION_LAYER", "ZE_ENABLE_TRACING_LAYER"};
    bool layers = false;
    for (size_t i = 0; i < TSR_ARRAY_LEN(variables); i++)
        layers |= getenv(variables[i]) != NULL;
    return layers || driver_count > 1;
}

static bool no_failure_logs;

bool tsr__xmx_has_failure_logs(void)
{
    return !no_failure_logs;
}

/* ---- fork ---- */

static atomic_bool used; /* a context has been made */

/* Drivers do not work in a child of fork(), and the threads that wait for commands stay with the parent. */
static void lose_all(void)
{
    for (unsigned i = 0; i < device_count && atomic_load(&used); i++)
        tsr__xmx_lose(&devices[i], "this process is a child of fork(), and the device was used before; start another program instead");
}

/* Early, as the first context is made under the lock of a program, for which fork() waits. */
static void watch_fork(void)
{
    static struct tsr_fork_hooks hooks = {.in_child = lose_all};
    tsr_fork_watch(&hooks);
}

static void find(void)
{
    if (!tsr__ze_open())
        return;
    ze_driver_handle_t handles[TSR__XMX_MOST_DRIVERS] = {0};
    uint64_t begin = tsr_now_ns();
    uint32_t count = list_drivers(handles);
    uint64_t listed = tsr_now_ns();
    no_failure_logs = !tsr__ze.InitDrivers && may_wrap(count);
    for (uint32_t i = 0; i < count && i < TSR__XMX_MOST_DRIVERS; i++)
        add_driver(handles[i], &drivers[i]);
    if (device_count)
        watch_fork();
    tsr_log(TSR_LOG_DEVICE, "xmx: %u drivers in %.2f ms, %u GPUs in %.2f ms", count, (double)(listed - begin) / 1e6, device_count,
            (double)(tsr_now_ns() - listed) / 1e6);
}

unsigned tsr__xmx_find(struct tsr_device ***list)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned begun = tsr_floats_begin();
    pthread_once(&once, find);
    tsr_floats_end(begun);
    *list = device_list;
    return device_count;
}

/* ---- contexts ---- */

ze_context_handle_t tsr__xmx_context(struct tsr__xmx_device *device, enum tsr_status *status)
{
    struct tsr__xmx_driver *driver = device->driver;
    *status = TSR_IO;
    if (atomic_load_explicit(&device->lost, memory_order_relaxed))
        return NULL;
    atomic_store(&used, true);
    pthread_mutex_lock(&driver->lock);
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!driver->context) {
        ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
        result = tsr__ze.ContextCreate(driver->handle, &desc, &driver->context);
        if (result)
            driver->context = NULL;
    }
    ze_context_handle_t context = driver->context;
    pthread_mutex_unlock(&driver->lock);
    *status = tsr__xmx_judge(device, result, "zeContextCreate");
    return context;
}
