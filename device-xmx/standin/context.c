/* SPDX-License-Identifier: Apache-2.0
 * Contexts, and which memory stays at the device. */
#include "device-xmx/standin/standin.h"

/* API 1.1: devices that the context is limited to; none: all. */
ze_result_t ZE_APICALL zeContextCreateEx(ze_driver_handle_t hDriver, const ze_context_desc_t *desc, uint32_t numDevices,
                                         ze_device_handle_t *phDevices, ze_context_handle_t *phContext)
{
    FIND(DRIVER, tsr__driver, driver, hDriver);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
    NEED_POINTER(phContext);
    MISUSE_IF(numDevices && !phDevices, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "%u devices at NULL", numDevices);
    struct tsr__context made = {.device_count = numDevices ? numDevices : driver->device_count};
    MISUSE_IF(made.device_count > driver->device_count, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%u devices, the driver has %u", numDevices,
              driver->device_count);
    for (uint32_t i = 0; i < made.device_count; i++) {
        FIND(DEVICE, tsr__device, device, numDevices ? phDevices[i] : HANDLE(ze_device_handle_t, driver->devices[i]));
        made.devices[i] = device;
    }
    struct tsr__context *context = tsr_malloc(sizeof *context);
    REFUSE_IF(!context, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a context");
    *context = made;
    if (!tsr__standin_add(context, TSR__KIND_CONTEXT, driver)) {
        tsr_free(context);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *phContext = HANDLE(ze_context_handle_t, context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextCreate(ze_driver_handle_t hDriver, const ze_context_desc_t *desc, ze_context_handle_t *phContext)
{
    return zeContextCreateEx(hDriver, desc, 0, NULL, phContext);
}

/* What lives on in the context goes on to have one. */
ze_result_t ZE_APICALL zeContextDestroy(ze_context_handle_t hContext)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    bool leaks = tsr__standin_report_leaks(context);
    tsr__standin_remove(context);
    if (!leaks)
        tsr_free(context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextGetStatus(ze_context_handle_t hContext)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    return tsr__standin_context_lost(context) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextSystemBarrier(ze_context_handle_t hContext, ze_device_handle_t hDevice)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    (void)context, (void)device;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_resident(const char *function, ze_context_handle_t hContext, ze_device_handle_t hDevice, void *ptr, bool resident)
{
    struct tsr__context *context = tsr__standin_find(TSR__KIND_CONTEXT, hContext, function);
    struct tsr__device *device = tsr__standin_find(TSR__KIND_DEVICE, hDevice, function);
    if (!context || !device)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&tsr__standin_lock);
    struct tsr__allocation *allocation = tsr__standin_allocation_at(ptr);
    bool known = allocation && allocation->base.owner == &context->base && tsr__standin_reaches(device, allocation);
    bool was = known && allocation->resident;
    if (known)
        allocation->resident += resident ? 1u : was ? -1u : 0;
    pthread_mutex_unlock(&tsr__standin_lock);
    if (!known || (!resident && !was))
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is in no %s of the context that the device reaches", ptr,
                                   resident ? "allocation" : "resident allocation");
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextMakeMemoryResident(ze_context_handle_t hContext, ze_device_handle_t hDevice, void *ptr, size_t size)
{
    (void)size; /* allocations are resident as a whole */
    return set_resident(__func__, hContext, hDevice, ptr, true);
}

ze_result_t ZE_APICALL zeContextEvictMemory(ze_context_handle_t hContext, ze_device_handle_t hDevice, void *ptr, size_t size)
{
    (void)size;
    return set_resident(__func__, hContext, hDevice, ptr, false);
}
