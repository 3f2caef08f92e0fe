/* SPDX-License-Identifier: Apache-2.0
 * The tables that a loader asks for: each slot gets a function that answers ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, then the ones that are
 * there get theirs. */
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>
#include <string.h>

#include "device-xmx/standin/standin.h"

typedef void (*function)(void);

/* Every function of Level Zero answers a result. */
static ze_result_t unsupported(void)
{
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

enum table {
#define TSR_TABLE(name, type) TABLE_##type,
#include "device-xmx/standin/tables.def"
#undef TSR_TABLE
};

#define TSR_ENTRY(type, slot, name)                                                                                                        \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(((type *)0)->slot)), #name " has the type of its slot");
#include "device-xmx/standin/entries.def"
#undef TSR_ENTRY

static const struct {
    enum table table;
    unsigned slot;
    function function;
    const char *name;
} entries[] = {
#define TSR_ENTRY(type, slot, name) {TABLE_##type, offsetof(type, slot) / sizeof(function), (function)name, #name},
#include "device-xmx/standin/entries.def"
#undef TSR_ENTRY
};

/* Functions of later versions: their slots stand behind those that the headers know, in tables of loaders that know them. */
static const struct {
    enum table table;
    uint32_t since; /* minor version of the API */
    unsigned slot;
    function function;
} later_entries[] = {
    {TABLE_ze_command_list_dditable_t, 6, sizeof(ze_command_list_dditable_t) / sizeof(function), (function)zeCommandListHostSynchronize},
};

static ze_result_t fill(ze_api_version_t version, enum table table, void *slots, size_t size)
{
    if (!slots)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (ZE_MAJOR_VERSION(version) != 1 || ZE_MINOR_VERSION(version) < ZE_MINOR_VERSION(ZE_API_VERSION_1_4)) /* whose tables are shorter */
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    function *slot = slots;
    for (size_t i = 0; i < size / sizeof *slot; i++)
        slot[i] = (function)unsupported;
    for (size_t i = 0; i < TSR_ARRAY_LEN(entries); i++)
        if (entries[i].table == table)
            slot[entries[i].slot] = entries[i].function;
    for (size_t i = 0; i < TSR_ARRAY_LEN(later_entries); i++)
        if (later_entries[i].table == table && ZE_MINOR_VERSION(version) >= later_entries[i].since)
            slot[later_entries[i].slot] = later_entries[i].function;
    return ZE_RESULT_SUCCESS;
}

#define TSR_TABLE(name, type)                                                                                                              \
    ZE_DLLEXPORT ze_result_t ZE_APICALL name(ze_api_version_t version, type *table)                                                        \
    {                                                                                                                                      \
        return fill(version, TABLE_##type, table, sizeof *table);                                                                          \
    }
#include "device-xmx/standin/tables.def"
#undef TSR_TABLE

ze_result_t ZE_APICALL zeDriverGetExtensionFunctionAddress(ze_driver_handle_t hDriver, const char *name, void **ppFunctionAddress)
{
    FIND(DRIVER, tsr__driver, driver, hDriver);
    NEED_POINTER(name);
    NEED_POINTER(ppFunctionAddress);
    for (size_t i = 0; i < TSR_ARRAY_LEN(entries); i++) {
        if (strcmp(entries[i].name, name))
            continue;
        memcpy(ppFunctionAddress, &entries[i].function, sizeof *ppFunctionAddress);
        return ZE_RESULT_SUCCESS;
    }
    REFUSE_IF(true, ZE_RESULT_ERROR_INVALID_ARGUMENT, "driver %p has no function %s", (void *)driver->base.handle, name);
}
