/* SPDX-License-Identifier: Apache-2.0
 * Opens the Level Zero loader. Without it, or without a graphics device of the system, there is no such device. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device-xmx/xmx.h"

struct tsr__ze tsr__ze;

static const struct {
    const char *name;
    size_t offset; /* in struct tsr__ze */
    bool newer;
} functions[] = {
#define TSR_ZE(Name) {"ze" #Name, offsetof(struct tsr__ze, Name), false},
#define TSR_ZE_NEWER(Name, type) {"ze" #Name, offsetof(struct tsr__ze, Name), true},
#include "device-xmx/level_zero.def"
#undef TSR_ZE
#undef TSR_ZE_NEWER
};

static bool find_functions(void *library, const char *path)
{
    bool good = true;
    for (size_t i = 0; i < TSR_ARRAY_LEN(functions); i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy((char *)&tsr__ze + functions[i].offset, &function, sizeof function);
        if (!function && !functions[i].newer)
            tsr_log(TSR_LOG_WARN, "xmx: %s has no %s: its devices cannot be used", path, functions[i].name);
        good &= function || functions[i].newer;
    }
    return good;
}

/* A look into the dynamic linker's cache takes a tenth of a millisecond, and what the loader does without a GPU most of one: a machine that
 * has no graphics device need not pay for it. Drivers that are named by a variable may do without one. */
static bool may_have_gpu(void)
{
    return tsr_env(TSR_ENV_LEVEL_ZERO) || getenv("ZE_ENABLE_ALT_DRIVERS") || !access("/dev/dri", F_OK) || !access("/dev/dxg", F_OK);
}

static bool opened;

static void open_loader(void)
{
    const char *path = tsr_env_text(TSR_ENV_LEVEL_ZERO);
    if (!may_have_gpu())
        return;
    if (tsr_is_privileged()) { /* the loader takes drivers from variables of whoever started the process */
        tsr_log(TSR_LOG_DEVICE, "xmx: the process has more rights than who started it: no GPUs");
        return;
    }
    tsr_no_fork_begin();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    tsr_no_fork_end();
    if (!library) {
        const char *error = dlerror();
        tsr_log(TSR_LOG_DEVICE, "xmx: no Level Zero loader: %s", error ? error : path);
        return;
    }
    opened = find_functions(library, path); /* never closed: drivers have threads and destructors of their own */
}

bool tsr__ze_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_loader);
    return opened;
}

const char *tsr__ze_text(ze_result_t result)
{
    static const struct {
        ze_result_t result;
        const char *text;
    } texts[] = {
        {ZE_RESULT_SUCCESS, "success"},
        {ZE_RESULT_NOT_READY, "not ready"},
        {ZE_RESULT_ERROR_DEVICE_LOST, "the device was lost: it hung, was reset or removed"},
        {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "the driver has no host memory left"},
        {ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "the device has no memory left"},
        {ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "the driver could not build the module"},
        {ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "the driver could not link the module"},
        {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "this user may not use the device"},
        {ZE_RESULT_ERROR_NOT_AVAILABLE, "the device is in use by others"},
        {ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, "the driver lacks a library, such as its compiler"},
        {ZE_RESULT_ERROR_UNINITIALIZED, "the driver has not been initialised"},
        {ZE_RESULT_ERROR_UNSUPPORTED_VERSION, "the driver does not support this version"},
        {ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the driver does not support it"},
        {ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "the size is not supported"},
        {ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "the driver does not take this binary"},
        {ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "the module has no such kernel"},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(texts); i++)
        if (texts[i].result == result)
            return texts[i].text;
    return "an unexpected error";
}
