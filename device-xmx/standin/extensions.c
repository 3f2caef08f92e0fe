/* SPDX-License-Identifier: Apache-2.0
 * The extensions that the driver has, less those that STANDIN_FAULT takes away. */
#include <string.h>

#include "device-xmx/standin/standin.h"
#include "device-xmx/ze_newer.h"

static const ze_driver_extension_properties_t extensions[] = {
#define TSR_EXTENSION(name, version) {name, version},
#include "device-xmx/standin/extensions.def"
#undef TSR_EXTENSION
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
        if (have < room)
            pExtensionProperties[have] = extensions[i];
        have++;
    }
    GIVE_LIST(pCount, have);
    return ZE_RESULT_SUCCESS;
}
