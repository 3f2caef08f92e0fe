/* SPDX-License-Identifier: Apache-2.0
 * The extensions that the driver has, less those that STANDIN_FAULT takes away. */
#include <stdio.h>
#include <string.h>

#include "device-xmx/standin/standin.h"
#include "device-xmx/ze_newer.h"

static const struct {
    const char *name;
    uint32_t version;
} extensions[] = {
    {ZE_FLOAT_ATOMICS_EXT_NAME, ZE_FLOAT_ATOMICS_EXT_VERSION_1_0},
    {ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, ZE_RELAXED_ALLOCATION_LIMITS_EXP_VERSION_1_0},
    {ZE_MODULE_PROGRAM_EXP_NAME, ZE_MODULE_PROGRAM_EXP_VERSION_1_0},
    {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_GLOBAL_OFFSET_EXP_VERSION_1_0},
    {ZE_SUBGROUPS_EXT_NAME, ZE_SUBGROUP_EXT_VERSION_1_0},
    {ZE_LINKONCE_ODR_EXT_NAME, ZE_LINKONCE_ODR_EXT_VERSION_1_0},
    {ZE_EU_COUNT_EXT_NAME, ZE_EU_COUNT_EXT_VERSION_1_0},
    {ZE_PCI_PROPERTIES_EXT_NAME, ZE_PCI_PROPERTIES_EXT_VERSION_1_0},
    {ZE_MEMORY_FREE_POLICIES_EXT_NAME, ZE_MEMORY_FREE_POLICIES_EXT_VERSION_1_0},
    {TSR_ZE_DEVICE_IP_VERSION_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
    {TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
};

static bool is_missing(const char *name)
{
    const struct tsr__settings *settings = tsr__standin_settings();
    for (unsigned i = 0; i < settings->missing_count; i++)
        if (!strcmp(settings->missing[i], name))
            return true;
    return false;
}

bool tsr__standin_has_extension(const char *name)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(extensions); i++)
        if (!strcmp(extensions[i].name, name))
            return !is_missing(name);
    return false;
}

ze_result_t ZE_APICALL zeDriverGetExtensionProperties(ze_driver_handle_t hDriver, uint32_t *pCount,
                                                      ze_driver_extension_properties_t *pExtensionProperties)
{
    FIND(DRIVER, tsr__driver, found, hDriver);
    NEED_POINTER(pCount);
    (void)found;
    uint32_t have = 0, room = pExtensionProperties ? *pCount : 0;
    for (size_t i = 0; i < TSR_ARRAY_LEN(extensions); i++) {
        if (is_missing(extensions[i].name))
            continue;
        if (have < room) {
            ze_driver_extension_properties_t *to = &pExtensionProperties[have];
            snprintf(to->name, sizeof to->name, "%s", extensions[i].name);
            to->version = extensions[i].version;
        }
        have++;
    }
    GIVE_LIST(pCount, have);
    return ZE_RESULT_SUCCESS;
}
