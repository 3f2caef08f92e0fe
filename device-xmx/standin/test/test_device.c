/* SPDX-License-Identifier: Apache-2.0
 * What driver and devices say of themselves, and functions that are not there. */
#include <string.h>

#include "device-xmx/standin/test/client.h"
#include "device-xmx/ze_newer.h"

static bool has_extension(ze_driver_handle_t driver, const char *name)
{
    ze_driver_extension_properties_t list[64];
    uint32_t count = 0;
    OK(zeDriverGetExtensionProperties(driver, &count, NULL));
    CHECK(count > 4 && count <= 64);
    OK(zeDriverGetExtensionProperties(driver, &count, list));
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name))
            return true;
    return false;
}

static void driver(void)
{
    struct client client = client_open();
    ze_api_version_t version;
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    OK(zeDriverGetApiVersion(client.driver, &version));
    CHECK(version == (ze_api_version_t)ZE_MAKE_VERSION(1, 6));
    OK(zeDriverGetProperties(client.driver, &properties));
    CHECK(properties.driverVersion);
    CHECK(has_extension(client.driver, ZE_GLOBAL_OFFSET_EXP_NAME) && has_extension(client.driver, ZE_MODULE_PROGRAM_EXP_NAME));
    void *function;
    OK(zeDriverGetExtensionFunctionAddress(client.driver, "zeKernelSetGlobalOffsetExp", &function));
    RESULT(zeDriverGetExtensionFunctionAddress(client.driver, "zeNothing", &function), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    client_close(&client);
}

static void old_and_missing(void)
{
    struct client client = client_open();
    ze_api_version_t version;
    OK(zeDriverGetApiVersion(client.driver, &version));
    CHECK(version == ZE_API_VERSION_1_3);
    CHECK(!has_extension(client.driver, TSR_ZE_DEVICE_IP_VERSION_EXT_NAME) && has_extension(client.driver, ZE_GLOBAL_OFFSET_EXP_NAME));
    struct tsr_ze_device_ip_version ip = {.stype = TSR_ZE_DEVICE_IP_VERSION_EXT, .ipVersion = 77};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &ip};
    OK(zeDeviceGetProperties(client.device, &properties));
    CHECK(ip.ipVersion == 77);
    client_close(&client);
}

static void test_driver(void **state)
{
    (void)state;
    client_run(driver, NULL);
    client_run(old_and_missing, (const char *[]){"STANDIN_API=1.3", "STANDIN_FAULT=missing=ZE_extension_device_ip_version", NULL});
}

static const struct {
    const char *part_of_name;
    uint32_t ip, smallest, sizes, simd;
    bool fp64, integrated, tf32;
} personas[] = {
    {"A770", 12 << 22 | 55 << 14 | 8, 8, 3, TSR_ZE_DP_DPAS_SIMD8, false, false, false},
    {"Max 1550", 12 << 22 | 60 << 14 | 7, 16, 2, TSR_ZE_DP_DPAS_SIMD16, true, false, true},
    {"B580", 20 << 22 | 1 << 14, 16, 2, TSR_ZE_DP_DPAS_SIMD16, true, false, true},
    {"Iris", 12 << 22, 8, 3, 0, false, true, false},
};

enum { PERSONAS = sizeof personas / sizeof personas[0] };

static void check_persona(ze_device_handle_t device, unsigned i)
{
    struct tsr_ze_device_ip_version ip = {.stype = TSR_ZE_DEVICE_IP_VERSION_EXT};
    struct tsr_ze_device_compute_dotproduct dp = {.stype = TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES};
    ze_eu_count_ext_t units = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT, .pNext = &ip};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2, .pNext = &units};
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES, .pNext = &dp};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    OK(zeDeviceGetProperties(device, &properties));
    CHECK(properties.type == ZE_DEVICE_TYPE_GPU && properties.vendorId == 0x8086 && properties.deviceId);
    CHECK(strstr(properties.name, personas[i].part_of_name) && !strncmp(properties.name, "Stand-in", 8));
    CHECK(ip.ipVersion == personas[i].ip);
    CHECK(!!(properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) == personas[i].integrated);
    CHECK(units.numTotalEUs == properties.numSlices * properties.numSubslicesPerSlice * properties.numEUsPerSubslice);
    OK(zeDeviceGetComputeProperties(device, &compute));
    CHECK(compute.numSubGroupSizes == personas[i].sizes && compute.subGroupSizes[0] == personas[i].smallest);
    CHECK((dp.dp_caps & (TSR_ZE_DP_DPAS_SIMD8 | TSR_ZE_DP_DPAS_SIMD16)) == personas[i].simd && dp.dp_caps & TSR_ZE_DP_DP4A);
    CHECK(!!(dp.dpas_input_types & TSR_ZE_DP_INPUT_TF32) == personas[i].tf32);
    CHECK(!!(dp.dpas_input_types & TSR_ZE_DP_INPUT_BF16) == (personas[i].simd != 0));
    OK(zeDeviceGetModuleProperties(device, &module));
    CHECK(!!(module.flags & ZE_DEVICE_MODULE_FLAG_FP64) == personas[i].fp64);
}

static void check_queues(ze_device_handle_t device)
{
    ze_command_queue_group_properties_t groups[8];
    uint32_t count = 0;
    OK(zeDeviceGetCommandQueueGroupProperties(device, &count, NULL));
    CHECK(count && count <= 8);
    for (uint32_t i = 0; i < count; i++)
        groups[i] = (ze_command_queue_group_properties_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    OK(zeDeviceGetCommandQueueGroupProperties(device, &count, groups));
    CHECK(groups[0].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    for (uint32_t i = 0; i < count; i++)
        CHECK(groups[i].numQueues && groups[i].maxMemoryFillPatternSize && groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
}

static void check_others(ze_device_handle_t device)
{
    uint32_t count = 0;
    OK(zeDeviceGetMemoryProperties(device, &count, NULL));
    CHECK(count == 1);
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    OK(zeDeviceGetMemoryProperties(device, &count, &memory));
    CHECK(memory.totalSize > 1 << 20);
    ze_device_cache_properties_t cache = {.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES};
    OK(zeDeviceGetCacheProperties(device, &count, &cache));
    CHECK(cache.cacheSize);
    ze_device_memory_access_properties_t access = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    OK(zeDeviceGetMemoryAccessProperties(device, &access));
    CHECK(access.deviceAllocCapabilities && !access.sharedSystemAllocCapabilities);
    ze_device_external_memory_properties_t external = {.stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    OK(zeDeviceGetExternalMemoryProperties(device, &external));
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    OK(zeDevicePciGetPropertiesExt(device, &pci));
    OK(zeDeviceGetSubDevices(device, &count, NULL));
    CHECK(count == 0);
    OK(zeDeviceGetStatus(device));
}

static void all_devices(void)
{
    struct client client = client_open();
    ze_device_handle_t devices[PERSONAS];
    uint32_t count = 0;
    OK(zeDeviceGet(client.driver, &count, NULL));
    CHECK(count == PERSONAS);
    OK(zeDeviceGet(client.driver, &count, devices));
    for (unsigned i = 0; i < PERSONAS; i++) {
        check_persona(devices[i], i);
        check_queues(devices[i]);
        check_others(devices[i]);
    }
    ze_bool_t reaches;
    ze_device_p2p_properties_t peers = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    OK(zeDeviceCanAccessPeer(devices[0], devices[1], &reaches));
    CHECK(!reaches);
    OK(zeDeviceGetP2PProperties(devices[0], devices[1], &peers));
    CHECK(!peers.flags);
    client_close(&client);
}

static void test_devices(void **state)
{
    (void)state;
    client_run(all_devices, (const char *[]){"STANDIN_DEVICES=dg2,pvc,bmg,tgl", NULL});
}

/* A context for one of two devices, and memory of another device. */
static void two_devices(void)
{
    struct client client = client_open();
    ze_device_handle_t devices[2];
    uint32_t count = 2;
    OK(zeDeviceGet(client.driver, &count, devices));
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_context_handle_t one;
    void *memory;
    OK(zeContextCreateEx(client.driver, &desc, 1, &devices[1], &one));
    RESULT(zeMemAllocDevice(one, &on_device, 8, 0, devices[0], &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeContextDestroy(one));
    OK(zeMemAllocDevice(client.context, &on_device, 8, 0, devices[1], &memory));
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "count");
    RESULT(zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeCommandListAppendMemoryFill(client.list, memory, "", 1, 8, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeMemFree(client.context, memory));
    client_close(&client);
}

static void test_two_devices(void **state)
{
    (void)state;
    client_run(two_devices, (const char *[]){"STANDIN_DEVICES=dg2,pvc", "STANDIN_STRICT=0", NULL});
}

static void unsupported(void)
{
    struct client client = client_open();
    size_t page;
    OK(zeInit(ZE_INIT_FLAG_GPU_ONLY));
    RESULT(zeVirtualMemQueryPageSize(client.context, client.device, 4096, &page), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    client_close(&client);
}

static void test_unsupported(void **state)
{
    (void)state;
    client_run(unsupported, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driver),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
