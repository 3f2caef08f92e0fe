/* SPDX-License-Identifier: Apache-2.0
 * The functions of struct tsr_device_ops for launches. (launch.c) */
#ifndef TESSERA_DEVICE_XMX_LAUNCH_H
#define TESSERA_DEVICE_XMX_LAUNCH_H

#include "device-xmx/xmx.h"

uint64_t tsr__xmx_max_work_group(const struct tsr_device *device, const struct tsr_kernel_info *kernel, uint64_t local_argument_bytes);
void tsr__xmx_suggest_local_size(const struct tsr_device *device, const struct tsr_kernel_info *kernel, struct tsr_ndrange *range);
struct tsr_launch *tsr__xmx_launch_make(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                        const void *args, uint64_t local_argument_bytes, const struct tsr_arg_memory *memory);
void tsr__xmx_launch_bind(struct tsr_launch *launch, uint32_t argument, uint64_t address);
void tsr__xmx_launch_reaches(struct tsr_launch *launch, unsigned kinds);
int tsr__xmx_launch_submit(struct tsr_launch *launch, void (*ended)(void *data, int status), void *data);
bool tsr__xmx_launch_times(const struct tsr_launch *launch, uint64_t *start_ns, uint64_t *end_ns);
void tsr__xmx_launch_end(struct tsr_launch *launch, char **why);

#endif
