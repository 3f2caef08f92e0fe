/* SPDX-License-Identifier: Apache-2.0
 * The clocks. Host and device have the same one, in nanoseconds, which profiling uses as well. */
#include "icd/icd.h"

/* clGetDeviceAndHostTimer, clGetHostTimer: OpenCL 3.0, 4.3. */
TSR_API cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
    RETURN_IF(NULL, !tsr__valid(device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "not a device: %p", (void *)device);
    RETURN_IF(NULL, !device_time || !host_time, CL_INVALID_VALUE, "a place for a time is NULL");
    *device_time = *host_time = tsr_now_ns();
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
    RETURN_IF(NULL, !tsr__valid(device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "not a device: %p", (void *)device);
    RETURN_IF(NULL, !host_time, CL_INVALID_VALUE, "host_timestamp is NULL");
    *host_time = tsr_now_ns();
    return CL_SUCCESS;
}
