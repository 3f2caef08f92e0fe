/* SPDX-License-Identifier: Apache-2.0
 * Modules, native binaries, and build logs. */
#include <stdio.h>
#include <string.h>

#include "device-xmx/standin/standin.h"

/* ---- native binaries: this head, and the image of the program ---- */

struct native_head {
    char magic[8];
    uint32_t driver_version, ip_version;
};

static struct native_head head_of(const struct tsr__device *device)
{
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    zeDriverGetProperties(HANDLE(ze_driver_handle_t, tsr__standin_driver()), &properties);
    return (struct native_head){.magic = "TSRZNAT", .driver_version = properties.driverVersion, .ip_version = device->persona->ip_version};
}

/* Of another driver version or device: ZE_RESULT_ERROR_INVALID_NATIVE_BINARY. */
static ze_result_t load_native(struct tsr__device *device, const ze_module_desc_t *desc, struct tsr__code **code, char **log)
{
    struct native_head head = head_of(device);
    *log = NULL;
    REFUSE_IF(tsr__standin_settings()->faulty[TSR__FAULT_native] || desc->inputSize <= sizeof head ||
                  memcmp(desc->pInputModule, &head, sizeof head),
              ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "the %zu bytes are no binary of this driver for %s", desc->inputSize,
              device->persona->word);
    size_t size = desc->inputSize - sizeof head;
    unsigned char *image = tsr_malloc(size);
    if (!image)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(image, desc->pInputModule + sizeof head, size);
    *code = tsr__standin_code_new(device, image, size, log);
    return *code ? ZE_RESULT_SUCCESS : *log ? ZE_RESULT_ERROR_INVALID_NATIVE_BINARY : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* With NULL, only the size. */
ze_result_t ZE_APICALL zeModuleGetNativeBinary(ze_module_handle_t hModule, size_t *pSize, uint8_t *pModuleNativeBinary)
{
    FIND(MODULE, tsr__module, module, hModule);
    NEED_POINTER(pSize);
    const struct tsr__code *code = module->code;
    struct native_head head = head_of(module->device);
    if (pModuleNativeBinary) {
        MISUSE_IF(*pSize < sizeof head + code->image_size, ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes are not enough", *pSize);
        memcpy(pModuleNativeBinary, &head, sizeof head);
        memcpy(pModuleNativeBinary + sizeof head, code->image, code->image_size);
    }
    *pSize = sizeof head + code->image_size;
    return ZE_RESULT_SUCCESS;
}

/* ---- build logs ---- */

struct tsr__build_log {
    struct tsr__object base; /* owner: the context */
    char *text;
};

/* Takes the text. False: out of memory. */
static bool log_new(struct tsr__context *context, char *text, ze_module_build_log_handle_t *handle)
{
    struct tsr__build_log *log = tsr_calloc(1, sizeof *log);
    if (!log || !tsr__standin_add(log, TSR__KIND_BUILD_LOG, context)) {
        tsr_free(log);
        tsr_free(text);
        return false;
    }
    log->text = text;
    *handle = HANDLE(ze_module_build_log_handle_t, log);
    return true;
}

ze_result_t ZE_APICALL zeModuleBuildLogDestroy(ze_module_build_log_handle_t hModuleBuildLog)
{
    FIND(BUILD_LOG, tsr__build_log, log, hModuleBuildLog);
    tsr__standin_remove(log);
    tsr_free(log->text);
    tsr_free(log);
    return ZE_RESULT_SUCCESS;
}

/* The size counts the final zero. */
ze_result_t ZE_APICALL zeModuleBuildLogGetString(ze_module_build_log_handle_t hModuleBuildLog, size_t *pSize, char *pBuildLog)
{
    FIND(BUILD_LOG, tsr__build_log, log, hModuleBuildLog);
    NEED_POINTER(pSize);
    const char *text = log->text ? log->text : "";
    size_t size = strlen(text) + 1;
    if (pBuildLog) {
        MISUSE_IF(*pSize < size, ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes are not enough", *pSize);
        memcpy(pBuildLog, text, size);
    }
    *pSize = size;
    return ZE_RESULT_SUCCESS;
}

/* ---- modules ---- */

static ze_result_t module_new(struct tsr__context *context, struct tsr__device *device, struct tsr__code *code, ze_module_handle_t *handle)
{
    struct tsr__module *module = tsr_calloc(1, sizeof *module);
    if (!module || !tsr__standin_add(module, TSR__KIND_MODULE, context)) {
        tsr_free(module);
        tsr__standin_code_drop(code);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    module->device = device;
    module->code = code;
    *handle = HANDLE(ze_module_handle_t, module);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_module_desc_t *desc,
                                      ze_module_handle_t *phModule, ze_module_build_log_handle_t *phBuildLog)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_MODULE_DESC);
    NEED_POINTER(phModule);
    MISUSE_IF(!tsr__standin_context_has(context, device), ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not of the context");
    bool several = tsr__standin_chained(desc->pNext, ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC);
    MISUSE_IF(!several && !desc->pInputModule, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "no module");
    MISUSE_IF(!several && !desc->inputSize, ZE_RESULT_ERROR_INVALID_SIZE, "a module of no bytes");
    MISUSE_IF(desc->format > ZE_MODULE_FORMAT_NATIVE, ZE_RESULT_ERROR_INVALID_ENUMERATION, "format %u", desc->format);
    CHECK_LOST(device);
    struct tsr__code *code = NULL;
    char *log = NULL;
    ze_result_t result =
        desc->format == ZE_MODULE_FORMAT_NATIVE ? load_native(device, desc, &code, &log) : tsr__standin_build(device, desc, &code, &log);
    if (result)
        tsr__standin_refuse(__func__, result, "%s", log ? log : "no log");
    if (!result)
        result = module_new(context, device, code, phModule);
    if (!phBuildLog)
        tsr_free(log);
    else if (!log_new(context, log, phBuildLog)) {
        if (!result)
            zeModuleDestroy(*phModule);
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

ze_result_t ZE_APICALL zeModuleDestroy(ze_module_handle_t hModule)
{
    FIND(MODULE, tsr__module, module, hModule);
    CHECK_NO_CHILDREN(module);
    tsr__standin_remove(module);
    tsr__standin_code_drop(module->code);
    tsr_free(module);
    return ZE_RESULT_SUCCESS;
}

/* All modules become one program, whose code they share from then on. */
ze_result_t ZE_APICALL zeModuleDynamicLink(uint32_t numModules, ze_module_handle_t *phModules, ze_module_build_log_handle_t *phLinkLog)
{
    enum { MOST = 64 };
    struct tsr__module *modules[MOST];
    struct tsr__code *codes[MOST], *code = NULL;
    NEED_POINTER(phModules);
    MISUSE_IF(!numModules || numModules > MOST, ZE_RESULT_ERROR_INVALID_SIZE, "%u modules", numModules);
    for (uint32_t i = 0; i < numModules; i++) {
        FIND(MODULE, tsr__module, module, phModules[i]);
        MISUSE_IF(i && module->device != modules[0]->device, ZE_RESULT_ERROR_INVALID_ARGUMENT, "modules of different devices");
        REFUSE_IF(module->code->module, ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                  "module %u is linked already; build what is to be linked with -library-compilation", i);
        modules[i] = module;
        codes[i] = module->code;
    }
    char *log = NULL;
    ze_result_t result = tsr__standin_link(modules[0]->device, numModules, codes, &code, &log);
    if (!phLinkLog)
        tsr_free(log);
    else if (!log_new((struct tsr__context *)modules[0]->base.owner, log, phLinkLog) && !result)
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY; /* then the modules stay as they are */
    for (uint32_t i = 0; i < numModules && !result; i++) {
        tsr__standin_code_drop(modules[i]->code);
        atomic_fetch_add(&code->holds, 1);
        modules[i]->code = code;
    }
    tsr__standin_code_drop(code);
    return result;
}

ze_result_t ZE_APICALL zeModuleGetKernelNames(ze_module_handle_t hModule, uint32_t *pCount, const char **pNames)
{
    FIND(MODULE, tsr__module, module, hModule);
    NEED_POINTER(pCount);
    const struct tsr_program_info *info = &module->code->info;
    GIVE_LIST(pCount, info->kernel_count);
    for (uint32_t i = 0; pNames && i < *pCount; i++)
        pNames[i] = info->kernels[i].name;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleGetProperties(ze_module_handle_t hModule, ze_module_properties_t *pModuleProperties)
{
    FIND(MODULE, tsr__module, module, hModule);
    CHECK_TYPE(pModuleProperties, ZE_STRUCTURE_TYPE_MODULE_PROPERTIES);
    pModuleProperties->flags = module->code->module ? 0 : ZE_MODULE_PROPERTY_FLAG_IMPORTS;
    return ZE_RESULT_SUCCESS;
}
