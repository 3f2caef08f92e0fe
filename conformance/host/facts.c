/* SPDX-License-Identifier: Apache-2.0
 * Prints what the device says of its size, for tests that change the surroundings (affinity, control groups). */
#include "host.h"

int main(void)
{
    cl_platform_id platform;
    cl_device_id device = find_device(&platform);
    cl_uint units = 0;
    cl_ulong memory = 0, allocation = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation, &allocation, NULL);
    printf("compute_units=%u global_memory=%llu max_allocation=%llu\n", units, (unsigned long long)memory, (unsigned long long)allocation);
    return 0;
}
