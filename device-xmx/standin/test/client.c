/* SPDX-License-Identifier: Apache-2.0 */
#include "device-xmx/standin/test/client.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void client_check(bool good, const char *text, const char *file, int line)
{
    if (good)
        return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
    _exit(1);
}

void client_result(ze_result_t result, ze_result_t wanted, const char *text, const char *file, int line)
{
    if (result == wanted)
        return;
    fprintf(stderr, "%s:%d: 0x%x, not 0x%x: %s\n", file, line, (unsigned)result, (unsigned)wanted, text);
    _exit(1);
}

static int run_child(void (*function)(void), const char *const *settings)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        static const int caught[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}; /* by cmocka */
        for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
            signal(caught[i], SIG_DFL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        for (; settings && *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        function();
        exit(0); /* not _exit: for sanitizers that look for leaks */
    }
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

void client_run_exits(void (*function)(void), const char *const *settings, int code)
{
    int status = run_child(function, settings);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

void client_run(void (*function)(void), const char *const *settings)
{
    client_run_exits(function, settings, 0);
}

void client_run_dies(void (*function)(void), const char *const *settings, int number)
{
    int status = run_child(function, settings);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
}

bool client_is_wrapped(void)
{
    const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");
    return getenv("ZE_ENABLE_LOADER_INTERCEPT") || (drivers && strchr(drivers, ','));
}

bool client_is_validated(void)
{
    return getenv("ZE_ENABLE_PARAMETER_VALIDATION");
}

struct client client_open(void)
{
    struct client client = {0};
    uint32_t count = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    OK(zeInit(0));
    OK(zeDriverGet(&count, &client.driver));
    count = 1;
    OK(zeDeviceGet(client.driver, &count, &client.device));
    OK(zeContextCreate(client.driver, &desc, &client.context));
    client.list = client_list(&client, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
    return client;
}

void client_close(struct client *client)
{
    OK(zeCommandListDestroy(client->list));
    OK(zeContextDestroy(client->context));
}

/* A file's bytes, read once. */
static const uint8_t *module_bytes(const char *name, size_t *size)
{
    enum { MOST_BYTES = 1 << 20, MOST_MODULES = 16 };
    static struct {
        char name[32];
        uint8_t *bytes;
        size_t size;
    } modules[MOST_MODULES], *at;
    for (at = modules; at->bytes && strcmp(at->name, name); at++)
        CHECK(at + 1 < modules + MOST_MODULES);
    if (!at->bytes) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.spv", MODULES, name);
        FILE *file = fopen(path, "rb");
        CHECK(file != NULL);
        at->bytes = malloc(MOST_BYTES);
        at->size = at->bytes ? fread(at->bytes, 1, MOST_BYTES, file) : 0;
        CHECK(at->size != 0);
        fclose(file);
        snprintf(at->name, sizeof at->name, "%s", name);
    }
    *size = at->size;
    return at->bytes;
}

ze_module_desc_t client_module_desc(const char *name)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV};
    desc.pInputModule = module_bytes(name, &desc.inputSize);
    return desc;
}

ze_module_handle_t client_module(const struct client *client, const char *name)
{
    ze_module_desc_t desc = client_module_desc(name);
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(client->context, client->device, &desc, &module, &log);
    if (result && !client_is_wrapped()) {
        char text[4096] = "";
        size_t size = sizeof text;
        zeModuleBuildLogGetString(log, &size, text);
        fprintf(stderr, "%s: %s\n", name, text);
    }
    CHECK(result == ZE_RESULT_SUCCESS);
    OK(zeModuleBuildLogDestroy(log));
    return module;
}

ze_kernel_handle_t client_kernel(ze_module_handle_t module, const char *name)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    OK(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

static const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

void *client_device_memory(const struct client *client, size_t size)
{
    void *memory;
    OK(zeMemAllocDevice(client->context, &on_device, size, 0, client->device, &memory));
    return memory;
}

void *client_shared_memory(const struct client *client, size_t size)
{
    void *memory;
    OK(zeMemAllocShared(client->context, &on_device, &on_host, size, 0, client->device, &memory));
    return memory;
}

void *client_host_memory(const struct client *client, size_t size)
{
    void *memory;
    OK(zeMemAllocHost(client->context, &on_host, size, 0, &memory));
    return memory;
}

void client_copy(const struct client *client, void *to, const void *from, size_t size)
{
    OK(zeCommandListAppendMemoryCopy(client->list, to, from, size, NULL, 0, NULL));
}

void client_set_pointer(ze_kernel_handle_t kernel, uint32_t index, const void *pointer)
{
    OK(zeKernelSetArgumentValue(kernel, index, sizeof pointer, &pointer));
}

void client_launch(const struct client *client, ze_kernel_handle_t kernel, uint32_t group, uint32_t groups)
{
    ze_group_count_t count = {groups, 1, 1};
    OK(zeKernelSetGroupSize(kernel, group, 1, 1));
    OK(zeCommandListAppendLaunchKernel(client->list, kernel, &count, NULL, 0, NULL));
}

ze_command_list_handle_t client_list(const struct client *client, ze_command_queue_mode_t mode, ze_command_queue_flags_t flags)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode, .flags = flags};
    ze_command_list_handle_t list;
    OK(zeCommandListCreateImmediate(client->context, client->device, &desc, &list));
    return list;
}

ze_event_pool_handle_t client_pool(const struct client *client, ze_event_pool_flags_t flags, uint32_t count)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = count};
    ze_event_pool_handle_t pool;
    OK(zeEventPoolCreate(client->context, &desc, 0, NULL, &pool));
    return pool;
}

ze_event_handle_t client_event(ze_event_pool_handle_t pool, uint32_t index)
{
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index};
    ze_event_handle_t event;
    OK(zeEventCreate(pool, &desc, &event));
    return event;
}

void client_idle(const struct client *client, const ze_command_list_handle_t *lists, uint32_t count)
{
    ze_event_pool_handle_t pool = client_pool(client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, count);
    for (uint32_t i = 0; i < count; i++) {
        ze_event_handle_t event = client_event(pool, i);
        OK(zeCommandListAppendBarrier(lists[i], event, 0, NULL));
        OK(zeEventHostSynchronize(event, UINT64_MAX));
        OK(zeEventDestroy(event));
    }
    OK(zeEventPoolDestroy(pool));
}
