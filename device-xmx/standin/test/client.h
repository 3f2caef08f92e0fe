/* SPDX-License-Identifier: Apache-2.0
 * A client of Level Zero for the tests. The stand-in reads its settings once in a process, so each case runs in a child with settings of
 * its own; what fails there ends the child. */
#ifndef TESSERA_DEVICE_XMX_STANDIN_TEST_CLIENT_H
#define TESSERA_DEVICE_XMX_STANDIN_TEST_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <level_zero/ze_api.h>
#include <stdbool.h>

void client_check(bool good, const char *text, const char *file, int line);
void client_result(ze_result_t result, ze_result_t wanted, const char *text, const char *file, int line);
#define CHECK(condition) client_check(condition, #condition, __FILE__, __LINE__)
#define RESULT(call, wanted) client_result(call, wanted, #call, __FILE__, __LINE__)
#define OK(call) RESULT(call, ZE_RESULT_SUCCESS)

/* Runs the case in a child with these variables more (NAME=value, ended by NULL). Fails the test if the child does not end well: with 0,
 * with this code, or by this signal. */
void client_run(void (*function)(void), const char *const *settings);
void client_run_exits(void (*function)(void), const char *const *settings, int code);
void client_run_dies(void (*function)(void), const char *const *settings, int number);

/* Whether the loader hands out objects of its own: with layers, or several drivers. Loader 1.8 then gives the build log of a module that
 * does not build as the driver's own handle, on which its own functions crash, and zeModuleDynamicLink finds no driver. */
bool client_is_wrapped(void);
/* Whether the validation layer refuses what API 1.4 does not know. */
bool client_is_validated(void);

struct client {
    ze_driver_handle_t driver;
    ze_device_handle_t device; /* the first */
    ze_context_handle_t context;
    ze_command_list_handle_t list; /* immediate, synchronous */
};
/* Everything up to a list; and the end of it. */
struct client client_open(void);
void client_close(struct client *client);

/* A module of the tests' folder: "kernels". */
ze_module_handle_t client_module(const struct client *client, const char *name);
ze_kernel_handle_t client_kernel(ze_module_handle_t module, const char *name);
ze_module_desc_t client_module_desc(const char *name); /* the bytes live on */
void *client_device_memory(const struct client *client, size_t size);
void *client_shared_memory(const struct client *client, size_t size);
void *client_host_memory(const struct client *client, size_t size);
void client_copy(const struct client *client, void *to, const void *from, size_t size);
void client_set_pointer(ze_kernel_handle_t kernel, uint32_t index, const void *pointer);
void client_launch(const struct client *client, ze_kernel_handle_t kernel, uint32_t group, uint32_t groups);
ze_command_list_handle_t client_list(const struct client *client, ze_command_queue_mode_t mode, ze_command_queue_flags_t flags);
ze_event_pool_handle_t client_pool(const struct client *client, ze_event_pool_flags_t flags, uint32_t count);
ze_event_handle_t client_event(ze_event_pool_handle_t pool, uint32_t index);
/* Waits until all commands of the immediate lists have ended. */
void client_idle(const struct client *client, const ze_command_list_handle_t *lists, uint32_t count);

#endif
