/* SPDX-License-Identifier: Apache-2.0
 * What results of Level Zero mean for the driver: some errors concern a call, others the device for good. */
#include "device-xmx/xmx.h"

void tsr__xmx_lose(struct tsr__xmx_device *device, const char *why)
{
    const char *before = NULL;
    atomic_compare_exchange_strong(&device->lost, &before, why);
}

enum tsr_status tsr__xmx_judge(struct tsr__xmx_device *device, ze_result_t result, const char *what)
{
    switch (result) {
    case ZE_RESULT_SUCCESS:
        return TSR_OK;
    case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
    case ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY:
    case ZE_RESULT_ERROR_UNSUPPORTED_SIZE:
        return TSR_NO_MEMORY;
    case ZE_RESULT_ERROR_MODULE_BUILD_FAILURE:
    case ZE_RESULT_ERROR_MODULE_LINK_FAILURE:
    case ZE_RESULT_ERROR_INVALID_NATIVE_BINARY:
        return TSR_INVALID;
    case ZE_RESULT_ERROR_DEVICE_LOST:
    case ZE_RESULT_ERROR_UNINITIALIZED:
        tsr__xmx_lose(device, tsr__ze_text(result));
        break;
    default:
        break;
    }
    tsr_log(TSR_LOG_ERR, "xmx: %s: %s answers 0x%x, %s", device->name, what, (unsigned)result, tsr__ze_text(result));
    return TSR_IO;
}
