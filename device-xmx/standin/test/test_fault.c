/* SPDX-License-Identifier: Apache-2.0
 * Faults on demand, misuses and leaks. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device-xmx/standin/test/client.h"

struct work {
    struct client client;
    ze_module_handle_t module;
    ze_kernel_handle_t count;
    int *counter;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_command_list_handle_t list; /* asynchronous */
};

static struct work work_open(void)
{
    struct work work = {.client = client_open()};
    work.module = client_module(&work.client, "kernels");
    work.count = client_kernel(work.module, "count");
    work.counter = client_shared_memory(&work.client, sizeof *work.counter);
    *work.counter = 0;
    client_set_pointer(work.count, 0, work.counter);
    work.pool = client_pool(&work.client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    work.event = client_event(work.pool, 0);
    work.list = client_list(&work.client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    return work;
}

static void work_close(struct work *work)
{
    OK(zeCommandListDestroy(work->list));
    OK(zeEventDestroy(work->event));
    OK(zeEventPoolDestroy(work->pool));
    OK(zeKernelDestroy(work->count));
    OK(zeModuleDestroy(work->module));
    OK(zeMemFree(work->client.context, work->counter));
    client_close(&work->client);
}

static ze_result_t append_count(const struct work *work, ze_event_handle_t signal)
{
    ze_group_count_t one = {1, 1, 1};
    return zeCommandListAppendLaunchKernel(work->list, work->count, &one, signal, 0, NULL);
}

/* ---- faults ---- */

/* The second launch loses the device: all that comes later fails, and everything can be destroyed. */
static void lost(void)
{
    struct work work = work_open();
    void *memory;
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    OK(append_count(&work, work.event));
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    OK(zeEventHostReset(work.event));
    OK(append_count(&work, work.event));
    RESULT(zeEventHostSynchronize(work.event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    RESULT(zeEventQueryStatus(work.event), ZE_RESULT_ERROR_DEVICE_LOST);
    RESULT(zeDeviceGetStatus(work.client.device), ZE_RESULT_ERROR_DEVICE_LOST);
    RESULT(zeContextGetStatus(work.client.context), ZE_RESULT_ERROR_DEVICE_LOST);
    RESULT(append_count(&work, NULL), ZE_RESULT_ERROR_DEVICE_LOST);
    RESULT(zeMemAllocDevice(work.client.context, &on_device, 8, 0, work.client.device, &memory), ZE_RESULT_ERROR_DEVICE_LOST);
    CHECK(*work.counter == 1);
    work_close(&work);
}

static void slow_event(void)
{
    struct work work = work_open();
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    OK(append_count(&work, work.event));
    RESULT(zeEventQueryStatus(work.event), ZE_RESULT_NOT_READY);
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec >= 20000000);
    work_close(&work);
}

static void build(void)
{
    struct client client = client_open();
    ze_module_desc_t desc = client_module_desc("kernels");
    ze_module_handle_t module;
    RESULT(zeModuleCreate(client.context, client.device, &desc, &module, NULL), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    client_close(&client);
}

static void submit(void)
{
    struct work work = work_open();
    OK(append_count(&work, NULL));
    OK(append_count(&work, NULL));
    RESULT(append_count(&work, work.event), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    OK(append_count(&work, work.event));
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    client_idle(&work.client, &work.list, 1);
    CHECK(*work.counter == 3);
    work_close(&work);
}

static void test_faults(void **state)
{
    (void)state;
    client_run(lost, (const char *[]){"STANDIN_FAULT=lost=2", NULL});
    client_run(lost, (const char *[]){"STANDIN_FAULT=hang=2", NULL});
    client_run(slow_event, (const char *[]){"STANDIN_FAULT=event=20", NULL});
    client_run(build, (const char *[]){"STANDIN_FAULT=build", NULL});
    client_run(submit, (const char *[]){"STANDIN_FAULT=submit=3", NULL});
    static const char *const wrong[] = {
        "STANDIN_FAULT=biuld",           "STANDIN_FAULT=lost", "STANDIN_FAULT=lost=", "STANDIN_FAULT=lost=2x", "STANDIN_FAULT=build=1",
        "STANDIN_FAULT=missing=ZE_none", "STANDIN_API=1.6x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        client_run_dies(build, (const char *[]){wrong[i], NULL}, SIGABRT);
    client_run_dies(build, (const char *[]){"STANDIN_DEVICES=dg2,abc", NULL}, SIGABRT);
}

/* In a child of fork the device is lost, and everything can be destroyed; the parent goes on. */
static void fork_after(long ms)
{
    struct work work = work_open();
    OK(append_count(&work, work.event));
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
    pid_t child = fork();
    if (child == 0) {
        RESULT(zeDeviceGetStatus(work.client.device), ZE_RESULT_ERROR_DEVICE_LOST);
        RESULT(append_count(&work, NULL), ZE_RESULT_ERROR_DEVICE_LOST);
        work_close(&work);
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    OK(zeEventHostReset(work.event));
    OK(append_count(&work, work.event));
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    CHECK(*work.counter == 2);
    work_close(&work);
}

static void forked(void)
{
    fork_after(0);
}

/* The event that is slow: the command has its memory open. */
static void forked_in_command(void)
{
    fork_after(20);
}

static void fork_in_handler(int number)
{
    (void)number;
    pid_t child = fork();
    if (!child)
        _exit(0);
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* The handler may run in a call of the driver, under its locks. */
static void forked_in_handler(void)
{
    enum { SIGNALS = 20 };
    struct work work = work_open();
    struct sigaction action = {.sa_handler = fork_in_handler, .sa_flags = SA_RESTART};
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    OK(append_count(&work, work.event));
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    CHECK(!sigaction(SIGUSR1, &action, NULL));
    pid_t parent = getpid(), sender = fork();
    if (!sender) {
        for (int i = 0; i < SIGNALS; i++) {
            kill(parent, SIGUSR1);
            usleep(1000);
        }
        _exit(0);
    }
    alarm(60);
    int status = -1;
    do
        for (int i = 0; i < 1000; i++) {
            zeEventQueryStatus(work.event);
            zeEventHostReset(work.event);
        }
    while (waitpid(sender, &status, WNOHANG) == 0);
    CHECK(status == 0);
    OK(append_count(&work, work.event));
    OK(zeEventHostSynchronize(work.event, UINT64_MAX));
    CHECK(*work.counter == 2);
    work_close(&work);
}

static void test_fork(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        client_run(forked, NULL);
    client_run(forked_in_handler, NULL);
    client_run(forked_in_command, (const char *[]){"STANDIN_FAULT=event=60", NULL});
}

/* ---- misuses: an error, or with STANDIN_STRICT the end ---- */

static void freed_handle(void)
{
    struct client client = client_open();
    ze_event_pool_handle_t pool = client_pool(&client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    ze_event_handle_t event = client_event(pool, 0);
    OK(zeEventDestroy(event));
    ze_event_handle_t other = client_event(pool, 0);
    CHECK(other != event); /* although it has the same place */
    RESULT(zeEventQueryStatus(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeEventDestroy(other));
    OK(zeEventPoolDestroy(pool));
    client_close(&client);
}

static void wrong_handle(void)
{
    struct client client = client_open();
    RESULT(zeEventQueryStatus((ze_event_handle_t)client.context), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeEventQueryStatus((ze_event_handle_t)&client), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    client_close(&client);
}

static void event_destroyed_before_execution(void)
{
    struct work work = work_open();
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    OK(zeCommandQueueCreate(work.client.context, work.client.device, &queue_desc, &queue));
    OK(zeCommandListCreate(work.client.context, work.client.device, &list_desc, &list));
    OK(zeCommandListAppendBarrier(list, work.event, 0, NULL));
    OK(zeCommandListClose(list));
    OK(zeEventDestroy(work.event));
    RESULT(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    work.event = client_event(work.pool, 0);
    OK(zeCommandListDestroy(list));
    OK(zeCommandQueueDestroy(queue));
    work_close(&work);
}

static void memory_freed_before_launch(void)
{
    struct work work = work_open();
    OK(zeMemFree(work.client.context, work.counter));
    RESULT(append_count(&work, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    work.counter = client_shared_memory(&work.client, 8);
    work_close(&work);
}

static void wrong_type_of_struct(void)
{
    struct client client = client_open();
    ze_device_properties_t properties = {0};
    RESULT(zeDeviceGetProperties(client.device, &properties), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    client_close(&client);
}

static void null_pointer(void)
{
    struct client client = client_open();
    RESULT(zeDeviceGetProperties(client.device, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    RESULT(zeDeviceGetProperties(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    client_close(&client);
}

static void test_misuses(void **state)
{
    static void (*const cases[])(void) = {freed_handle,         wrong_handle, event_destroyed_before_execution, memory_freed_before_launch,
                                          wrong_type_of_struct, null_pointer};
    (void)state;
    if (client_is_wrapped()) /* the loader follows the handles itself */
        return;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        client_run(cases[i], (const char *[]){"STANDIN_STRICT=0", NULL});
        client_run_dies(cases[i], (const char *[]){"STANDIN_STRICT=1", NULL}, SIGABRT);
    }
}

/* ---- leaks ---- */

static void leak_event(void)
{
    struct client client = client_open();
    client_event(client_pool(&client, 0, 1), 0);
    client_close(&client);
}

static void leak_memory(void)
{
    struct client client = client_open();
    client_device_memory(&client, 8);
    client_close(&client);
}

static void leak_log(void)
{
    struct client client = client_open();
    ze_module_desc_t desc = client_module_desc("constants");
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    OK(zeModuleCreate(client.context, client.device, &desc, &module, &log));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_leaks(void **state)
{
    static void (*const cases[])(void) = {leak_event, leak_memory, leak_log};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        client_run(cases[i], (const char *[]){"STANDIN_LEAKS=no", NULL});
        client_run(cases[i], (const char *[]){"STANDIN_LEAKS=report", NULL});
        client_run_dies(cases[i], (const char *[]){"STANDIN_LEAKS=abort", NULL}, SIGABRT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_misuses),
        cmocka_unit_test(test_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
