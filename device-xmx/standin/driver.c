/* SPDX-License-Identifier: Apache-2.0
 * The driver: initialisation, versions, the list of devices. */
#include <stdio.h>
#include <string.h>

#include "device-xmx/standin/standin.h"

static struct tsr__driver *driver;

/* Changes when a native binary of an earlier version can no longer be taken. */
enum { DRIVER_VERSION = 1 << 24 | 1 };

static void start(void)
{
    const struct tsr__settings *settings = tsr__standin_settings();
    struct tsr__driver *made = tsr_calloc(1, sizeof *made);
    bool good = made && tsr__standin_add(made, TSR__KIND_DRIVER, NULL);
    for (unsigned i = 0; i < settings->device_count && good; i++) {
        made->devices[i] = tsr__standin_device_new(made, settings->devices[i]);
        good = made->devices[i] != NULL;
        made->device_count++;
    }
    if (good)
        driver = made;
}

struct tsr__driver *tsr__standin_driver(void)
{
    return driver;
}

ze_result_t ZE_APICALL zeInit(ze_init_flags_t flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    REFUSE_IF(flags & ~(ze_init_flags_t)(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x",
              flags);
    REFUSE_IF(flags == ZE_INIT_FLAG_VPU_ONLY, ZE_RESULT_ERROR_UNINITIALIZED, "there are GPUs only");
    pthread_once(&once, start);
    return driver ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t ZE_APICALL zeDriverGet(uint32_t *pCount, ze_driver_handle_t *phDrivers)
{
    REFUSE_IF(!driver, ZE_RESULT_ERROR_UNINITIALIZED, "zeInit comes first");
    NEED_POINTER(pCount);
    GIVE_LIST(pCount, 1);
    if (phDrivers)
        phDrivers[0] = HANDLE(ze_driver_handle_t, driver);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetApiVersion(ze_driver_handle_t hDriver, ze_api_version_t *version)
{
    FIND(DRIVER, tsr__driver, found, hDriver);
    NEED_POINTER(version);
    (void)found;
    *version = (ze_api_version_t)tsr__standin_settings()->api;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetProperties(ze_driver_handle_t hDriver, ze_driver_properties_t *pDriverProperties)
{
    FIND(DRIVER, tsr__driver, found, hDriver);
    NEED_POINTER(pDriverProperties);
    pDriverProperties->driverVersion = DRIVER_VERSION;
    memset(pDriverProperties->uuid.id, 0, sizeof pDriverProperties->uuid.id);
    snprintf((char *)pDriverProperties->uuid.id, sizeof pDriverProperties->uuid.id, "tsr stand-in %u", found->device_count);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetIpcProperties(ze_driver_handle_t hDriver, ze_driver_ipc_properties_t *pIpcProperties)
{
    FIND(DRIVER, tsr__driver, found, hDriver);
    NEED_POINTER(pIpcProperties);
    (void)found;
    pIpcProperties->flags = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGet(ze_driver_handle_t hDriver, uint32_t *pCount, ze_device_handle_t *phDevices)
{
    FIND(DRIVER, tsr__driver, found, hDriver);
    NEED_POINTER(pCount);
    GIVE_LIST(pCount, found->device_count);
    for (uint32_t i = 0; phDevices && i < *pCount; i++)
        phDevices[i] = HANDLE(ze_device_handle_t, found->devices[i]);
    return ZE_RESULT_SUCCESS;
}
