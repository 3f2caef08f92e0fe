/* SPDX-License-Identifier: Apache-2.0
 * oneDNN (2.x, C API), which is looked for when the program runs. DNNL_FUNCTIONS(F) lists the functions that the file calls, as `lib.NAME`.
 */
#include <dlfcn.h>
#include <dnnl.h>
#include <stdbool.h>

static struct {
#define F(name) __typeof__(dnnl_##name) *name;
    DNNL_FUNCTIONS(F)
#undef F
} lib;

static bool find_library(void)
{
    void *handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
    bool all = handle != NULL;
#define F(function)                                                                                                                        \
    if (all)                                                                                                                               \
        *(void **)&lib.function = dlsym(handle, "dnnl_" #function);                                                                        \
    all = all && lib.function;
    DNNL_FUNCTIONS(F)
#undef F
    return all;
}
