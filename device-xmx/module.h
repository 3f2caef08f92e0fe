/* SPDX-License-Identifier: Apache-2.0
 * Modules: code of programs on the device. (module.c) */
#ifndef TESSERA_DEVICE_XMX_MODULE_H
#define TESSERA_DEVICE_XMX_MODULE_H

#include "device-xmx/xmx.h"

/* A kernel of a loaded module. Its arguments and sizes are state of the handle, so a launch sets them and is appended under the lock. */
struct tsr__xmx_kernel {
    pthread_mutex_t lock;
    ze_kernel_handle_t handle;                /* made at the first launch, under the lock */
    bool offset;                              /* the handle's global offset is not zero */
    ze_kernel_indirect_access_flags_t access; /* the handle's; 0: not set yet */
};

struct tsr_module {
    struct tsr__xmx_device *device;
    ze_module_handle_t handle;
    const struct tsr_program_info *info; /* outlives the module */
    struct tsr__xmx_kernel kernels[];    /* as info->kernels */
};

/* As struct tsr_device_ops says. */
enum tsr_status tsr__xmx_finish(const struct tsr_device *device, struct tsr_program_info *info, struct tsr_buf *code, char **log);
char *tsr__xmx_finish_key(const struct tsr_device *device);
enum tsr_status tsr__xmx_module_load(const struct tsr_device *device, const struct tsr_program_info *info, struct tsr_module **module,
                                     char **why);
void tsr__xmx_module_unload(struct tsr_module *module);

#endif
