/* SPDX-License-Identifier: Apache-2.0
 * Modules: the driver's compiler makes machine code of SPIR-V when a program is built (tsr__xmx_finish); what it made is loaded when a
 * kernel is first launched. Machine code is of use to the same driver and device alone; another one takes the SPIR-V beside it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device-xmx/module.h"
#include "tessera/il_code.h"

/* From this size of an allocation on, code needs 64-bit offsets into buffers. */
#define LARGE_BUFFER (UINT64_C(4) << 30)

/* ---- zeModuleCreate ---- */

static const char *flags_of(const struct tsr__xmx_device *device, const struct tsr_il_code *code, char text[128])
{
    char *end = stpcpy(text, code->unoptimised ? "-ze-opt-disable" : "-ze-opt-level=2");
    if (device->caps.max_allocation > LARGE_BUFFER)
        end = stpcpy(end, " -ze-opt-greater-than-4GB-buffer-required");
    if (code->debug)
        stpcpy(end, " -g");
    return text;
}

/* The driver's words; NULL: it has none. malloc'd */
static char *take_log(ze_module_build_log_handle_t log)
{
    size_t size = 0;
    char *text = NULL;
    if (!tsr__ze.ModuleBuildLogGetString(log, &size, NULL) && size > 1) /* with the final zero */
        text = tsr_calloc(size + 1, 1);
    if (text && tsr__ze.ModuleBuildLogGetString(log, &size, text))
        *text = 0;
    tsr__ze.ModuleBuildLogDestroy(log);
    if (text && !*text) {
        tsr_free(text);
        text = NULL;
    }
    return text;
}

/* Makes a module of the SPIR-V, or of the native code. *log gets malloc'd text or NULL. */
static ze_result_t create(struct tsr__xmx_device *device, ze_context_handle_t context, const struct tsr_il_code *code, bool native,
                          ze_module_handle_t *module, char **log)
{
    char flags[128];
    struct tsr_arena arena = {0};
    uint32_t *ids = tsr_arena_alloc(&arena, (code->constant_count + 1) * sizeof *ids);
    const void **values = tsr_arena_alloc(&arena, (code->constant_count + 1) * sizeof *values);
    *log = NULL;
    if (!ids || !values) {
        tsr_arena_free(&arena);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < code->constant_count; i++) {
        ids[i] = code->constants[i].id;
        values[i] = code->constants[i].data;
    }
    ze_module_constants_t constants = {code->constant_count, ids, values};
    ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = native ? ZE_MODULE_FORMAT_NATIVE : ZE_MODULE_FORMAT_IL_SPIRV,
        .inputSize = native ? code->native_size : code->spirv_size,
        .pInputModule = native ? code->native : code->spirv,
        .pBuildFlags = flags_of(device, code, flags),
        .pConstants = !native && code->constant_count ? &constants : NULL,
    };
    ze_module_build_log_handle_t words = NULL;
    ze_result_t result = tsr__ze.ModuleCreate(context, device->handle, &desc, module, &words);
    if (words && result && !tsr__xmx_has_failure_logs())
        *log = tsr_strdup(
            "error: the driver could not build the module; this Level Zero loader loses its words beside layers or other drivers");
    else if (words)
        *log = take_log(words);
    tsr_arena_free(&arena);
    return result;
}

/* ---- the end of a build ---- */

/* The driver's version, and the variables by which its compiler makes other code. */
char *tsr__xmx_finish_key(const struct tsr_device *base)
{
    const struct tsr__xmx_device *device = tsr__xmx(base);
    struct tsr_hasher *variables = tsr_hasher_new();
    for (char **line = environ; line && *line; line++)
        if (!strncmp(*line, "IGC_", 4))
            tsr_hasher_add_str(variables, *line);
    char hex[33];
    tsr_hash_hex(tsr_hasher_end(variables), hex);
    return tsr_format("Level Zero driver %u, device %04x:%04x %x, variables %s", device->driver->version, device->caps.vendor_id,
                      device->caps.device_id, device->caps.ip_version, hex);
}

/* What only the driver's compiler knows of a kernel. */
static void read_kernel(ze_module_handle_t module, struct tsr_kernel_info *info)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = info->name};
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_kernel_handle_t kernel;
    if (tsr__ze.KernelCreate(module, &desc, &kernel))
        return;
    if (!tsr__ze.KernelGetProperties(kernel, &properties)) {
        uint32_t size = properties.requiredSubgroupSize ? properties.requiredSubgroupSize : properties.maxSubgroupSize;
        if (size && size <= TSR_MAX_LANES && !(size & (size - 1)))
            info->sub_group_size = size;
        if (properties.localMemSize > info->local_bytes)
            info->local_bytes = properties.localMemSize;
        info->private_bytes = properties.privateMemSize;
    }
    tsr__ze.KernelDestroy(kernel);
}

/* The module's machine code; NULL: the driver gives none, and the SPIR-V has to do. malloc'd */
static uint8_t *take_native(ze_module_handle_t module, size_t *size)
{
    *size = 0;
    if (tsr__ze.ModuleGetNativeBinary(module, size, NULL) || !*size)
        return NULL;
    uint8_t *native = tsr_malloc(*size);
    if (native && !tsr__ze.ModuleGetNativeBinary(module, size, native))
        return native;
    tsr_free(native);
    return NULL;
}

/* Writes the code with the machine code of the module. */
static enum tsr_status complete(const struct tsr_device *base, ze_module_handle_t module, struct tsr_program_info *info,
                                struct tsr_il_code code, struct tsr_buf *out)
{
    size_t size = 0;
    uint8_t *native = take_native(module, &size);
    char *key = native ? tsr__xmx_finish_key(base) : NULL;
    if (key) {
        code.native_key = key;
        code.native = native;
        code.native_size = size;
    }
    for (uint32_t i = 0; i < info->kernel_count; i++)
        read_kernel(module, &info->kernels[i]);
    tsr_il_code_write(&code, out);
    tsr_free(key);
    tsr_free(native);
    return out->failed ? TSR_NO_MEMORY : TSR_OK;
}

enum tsr_status tsr__xmx_finish(const struct tsr_device *base, struct tsr_program_info *info, struct tsr_buf *code, char **log)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    struct tsr_arena arena = {0};
    struct tsr_il_code il;
    ze_module_handle_t module = NULL;
    *log = NULL;
    enum tsr_status status = tsr_il_code_read(info->code, info->code_size, &arena, &il);
    ze_context_handle_t context = status == TSR_OK ? tsr__xmx_context(device, &status) : NULL;
    if (context) {
        ze_result_t result = create(device, context, &il, false, &module, log);
        status = tsr__xmx_judge(device, result, "zeModuleCreate");
        if (status == TSR_OK)
            status = complete(base, module, info, il, code);
        else if (!*log)
            *log = tsr_format("error: %s, and it gives no reason (0x%x)", tsr__ze_text(result), (unsigned)result);
    }
    if (module)
        tsr__ze.ModuleDestroy(module);
    tsr_arena_free(&arena);
    return status;
}

/* ---- modules that run ---- */

static enum tsr_status load(struct tsr_module *m, const struct tsr_il_code *code, char **why)
{
    struct tsr__xmx_device *device = m->device;
    enum tsr_status status;
    ze_context_handle_t context = tsr__xmx_context(device, &status);
    if (!context)
        return status;
    char *key = code->native ? tsr__xmx_finish_key(&device->base) : NULL;
    bool native = key && !strcmp(key, code->native_key);
    tsr_free(key);
    ze_result_t result = create(device, context, code, native, &m->handle, why);
    if (native && result == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY) {
        tsr_free(*why);
        result = create(device, context, code, false, &m->handle, why);
    }
    if (result && !*why)
        *why = tsr_strdup(tsr__ze_text(result));
    return tsr__xmx_judge(device, result, "zeModuleCreate");
}

enum tsr_status tsr__xmx_module_load(const struct tsr_device *base, const struct tsr_program_info *info, struct tsr_module **module,
                                     char **why)
{
    struct tsr_arena arena = {0};
    struct tsr_il_code code;
    enum tsr_status status = tsr_il_code_read(info->code, info->code_size, &arena, &code);
    struct tsr_module *m = NULL;
    if (status == TSR_OK && !(m = tsr_calloc(1, sizeof *m + info->kernel_count * sizeof m->kernels[0])))
        status = TSR_NO_MEMORY;
    if (m) {
        m->device = tsr__xmx(base);
        m->info = info;
        for (uint32_t i = 0; i < info->kernel_count; i++)
            pthread_mutex_init(&m->kernels[i].lock, NULL);
        status = load(m, &code, why);
    }
    if (status == TSR_OK) { /* words about a module that works are of no interest */
        tsr_free(*why);
        *why = NULL;
        *module = m;
    } else {
        tsr_free(m);
    }
    tsr_arena_free(&arena);
    return status;
}

void tsr__xmx_module_unload(struct tsr_module *m)
{
    bool lost = atomic_load(&m->device->lost);
    for (uint32_t i = 0; i < m->info->kernel_count; i++) {
        if (m->kernels[i].handle && !lost)
            tsr__ze.KernelDestroy(m->kernels[i].handle);
        pthread_mutex_destroy(&m->kernels[i].lock);
    }
    if (m->handle && !lost)
        tsr__ze.ModuleDestroy(m->handle);
    tsr_free(m);
}
