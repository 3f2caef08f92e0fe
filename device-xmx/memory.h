/* SPDX-License-Identifier: Apache-2.0
 * The memory functions of struct tsr_device_ops. (memory.c) */
#ifndef TESSERA_DEVICE_XMX_MEMORY_H
#define TESSERA_DEVICE_XMX_MEMORY_H

#include "device-xmx/xmx.h"

enum tsr_status tsr__xmx_memory_allocate(const struct tsr_device *device, uint64_t size, uint64_t *address);
void tsr__xmx_memory_free(const struct tsr_device *device, uint64_t address);
enum tsr_status tsr__xmx_usm_allocate(const struct tsr_device *device, const struct tsr_usm_request *request, void **pointer);
enum tsr_status tsr__xmx_usm_prefetch(const struct tsr_device *device, const void *pointer, uint64_t size);
enum tsr_status tsr__xmx_memory_write(const struct tsr_device *device, uint64_t to, const void *from, uint64_t size);
enum tsr_status tsr__xmx_memory_read(const struct tsr_device *device, void *to, uint64_t from, uint64_t size);
enum tsr_status tsr__xmx_memory_copy(const struct tsr_device *device, uint64_t to, uint64_t from, uint64_t size);
enum tsr_status tsr__xmx_memory_fill(const struct tsr_device *device, uint64_t to, uint64_t size, const void *pattern,
                                     uint64_t pattern_size);

/* A command list and its event, for a command that has ended when its function returns. */
struct tsr__xmx_mover {
    ze_command_list_handle_t list;
    struct tsr__xmx_event *event;
    enum tsr__xmx_moved moved;
    struct tsr__xmx_mover *next; /* of those that are free */
};
/* NULL: none can be had; *status says why. */
struct tsr__xmx_mover *tsr__xmx_mover_take(struct tsr__xmx_device *device, enum tsr__xmx_moved moved, enum tsr_status *status);
/* Waits for what has been appended with the result, and gives the mover back. */
enum tsr_status tsr__xmx_mover_end(struct tsr__xmx_device *device, struct tsr__xmx_mover *mover, ze_result_t result, const char *what);

#endif
