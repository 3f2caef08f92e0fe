/* SPDX-License-Identifier: Apache-2.0
 * Events as the host sees them, and the clocks. */
#include <signal.h>
#include <string.h>

#include "device-xmx/standin/test/client.h"

enum { HOST = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, TIMED = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP };

static void host(void)
{
    struct client client = client_open();
    ze_event_pool_handle_t pool = client_pool(&client, HOST, 2);
    ze_event_handle_t event = client_event(pool, 1);
    RESULT(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    RESULT(zeEventHostSynchronize(event, 0), ZE_RESULT_NOT_READY);
    RESULT(zeEventHostSynchronize(event, 1000000), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(event));
    OK(zeEventQueryStatus(event));
    OK(zeEventHostSynchronize(event, UINT64_MAX));
    OK(zeEventHostReset(event));
    RESULT(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    OK(zeEventDestroy(event));
    event = client_event(pool, 1);
    RESULT(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
    client_close(&client);
}

static void refused(void)
{
    struct client client = client_open();
    ze_event_pool_handle_t pool = client_pool(&client, HOST, 2), hidden = client_pool(&client, 0, 1);
    ze_event_handle_t event = client_event(pool, 1), of_device = client_event(hidden, 0), other;
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 2};
    ze_kernel_timestamp_result_t times;
    RESULT(zeEventCreate(pool, &desc, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.index = 1;
    RESULT(zeEventCreate(pool, &desc, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeEventQueryKernelTimestamp(event, &times), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeEventDestroy(event));
    OK(zeEventDestroy(of_device));
    OK(zeEventPoolDestroy(pool));
    OK(zeEventPoolDestroy(hidden));
    client_close(&client);
}

/* A wait of the host for an event that is not for it. */
static void not_for_the_host(void)
{
    struct client client = client_open();
    ze_event_pool_handle_t pool = client_pool(&client, 0, 1);
    ze_event_handle_t event = client_event(pool, 0);
    RESULT(zeEventHostSynchronize(event, 0), ZE_RESULT_NOT_READY);
    OK(zeCommandListAppendBarrier(client.list, event, 0, NULL));
    OK(zeEventHostSynchronize(event, 0));
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
    client_close(&client);
}

static void test_host(void **state)
{
    (void)state;
    client_run(host, NULL);
    client_run(refused, (const char *[]){"STANDIN_STRICT=0", NULL});
    client_run(not_for_the_host, (const char *[]){"STANDIN_STRICT=0", NULL});
    client_run(not_for_the_host, (const char *[]){"STANDIN_STRICT=drivers", NULL});
    client_run_dies(not_for_the_host, (const char *[]){"STANDIN_STRICT=1", NULL}, SIGABRT);
}

/* ---- timestamps ---- */

struct timed {
    struct client client;
    ze_module_handle_t module;
    ze_kernel_handle_t busy;
    uint32_t *out;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_device_properties_t device;
};

static struct timed timed_open(void)
{
    struct timed timed = {.client = client_open(), .device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2}};
    timed.module = client_module(&timed.client, "kernels");
    timed.busy = client_kernel(timed.module, "busy");
    timed.out = client_shared_memory(&timed.client, sizeof *timed.out);
    timed.pool = client_pool(&timed.client, TIMED, 2);
    timed.event = client_event(timed.pool, 0);
    client_set_pointer(timed.busy, 0, timed.out);
    OK(zeDeviceGetProperties(timed.client.device, &timed.device));
    return timed;
}

static void timed_close(struct timed *timed)
{
    OK(zeEventDestroy(timed->event));
    OK(zeEventPoolDestroy(timed->pool));
    OK(zeKernelDestroy(timed->busy));
    OK(zeModuleDestroy(timed->module));
    OK(zeMemFree(timed->client.context, timed->out));
    client_close(&timed->client);
}

/* Runs the kernel for so many thousand rounds; its times by its event. */
static ze_kernel_timestamp_data_t run_timed(const struct timed *timed, uint32_t rounds)
{
    ze_group_count_t one = {1, 1, 1};
    ze_kernel_timestamp_result_t times;
    OK(zeKernelSetArgumentValue(timed->busy, 1, sizeof rounds, &rounds));
    OK(zeEventHostReset(timed->event));
    RESULT(zeEventQueryKernelTimestamp(timed->event, &times), ZE_RESULT_NOT_READY);
    OK(zeCommandListAppendLaunchKernel(timed->client.list, timed->busy, &one, timed->event, 0, NULL));
    OK(zeEventQueryKernelTimestamp(timed->event, &times));
    CHECK(times.global.kernelStart == times.context.kernelStart && times.global.kernelEnd == times.context.kernelEnd);
    return times.global;
}

static uint64_t mask_of(uint32_t bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static void timestamps(void)
{
    struct timed timed = timed_open();
    uint64_t mask = mask_of(timed.device.kernelTimestampValidBits), host[2], device[2];
    CHECK(timed.device.kernelTimestampValidBits == 32 && timed.device.timerResolution > 10000000);
    OK(zeDeviceGetGlobalTimestamps(timed.client.device, &host[0], &device[0]));
    ze_kernel_timestamp_data_t times = run_timed(&timed, 1000);
    OK(zeDeviceGetGlobalTimestamps(timed.client.device, &host[1], &device[1]));
    uint64_t before = (times.kernelStart - device[0]) & mask, took = (times.kernelEnd - times.kernelStart) & mask;
    uint64_t all = (device[1] - device[0]) & mask, host_ticks = (host[1] - host[0]) / 1000 * (timed.device.timerResolution / 1000) / 1000;
    CHECK(took && before + took <= all);
    CHECK(all <= host_ticks + host_ticks / 8 + 100 && host_ticks <= all + all / 8 + 100);
    ze_device_properties_t old = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_kernel_timestamp_result_t empty;
    OK(zeEventHostReset(timed.event));
    OK(zeCommandListAppendBarrier(timed.client.list, timed.event, 0, NULL));
    OK(zeEventQueryKernelTimestamp(timed.event, &empty));
    CHECK(empty.global.kernelEnd != empty.global.kernelStart); /* every command takes time */
    OK(zeDeviceGetProperties(timed.client.device, &old));
    CHECK(old.timerResolution == 1000000000 / timed.device.timerResolution);
    timed_close(&timed);
}

/* The clock begins 100 microseconds before the kernels' part of it wraps. */
static void wrap(void)
{
    struct timed timed = timed_open();
    uint64_t host_ns, device, mask = mask_of(32);
    bool wrapped = false;
    OK(zeDeviceGetGlobalTimestamps(timed.client.device, &host_ns, &device));
    CHECK(device == mask + 1 - 1920);
    uint64_t previous = device & mask;
    for (int i = 0; i < 1000 && !wrapped; i++) {
        ze_kernel_timestamp_data_t times = run_timed(&timed, 100);
        CHECK(times.kernelStart <= mask && times.kernelEnd <= mask);
        wrapped = times.kernelEnd < previous;
        CHECK(((times.kernelEnd - times.kernelStart) & mask) < mask / 2);
        previous = times.kernelEnd;
    }
    CHECK(wrapped);
    OK(zeDeviceGetGlobalTimestamps(timed.client.device, &host_ns, &device));
    CHECK(device > mask); /* has more bits than the kernels' clock */
    timed_close(&timed);
}

static void timestamps_in_memory(void)
{
    struct timed timed = timed_open();
    ze_event_handle_t late = client_event(timed.pool, 1), both[] = {timed.event, late};
    ze_kernel_timestamp_data_t times = run_timed(&timed, 100);
    ze_kernel_timestamp_result_t *in_memory = client_host_memory(&timed.client, 4 * sizeof *in_memory);
    uint64_t *clock = client_host_memory(&timed.client, 64), host_ns, device;
    size_t offsets[] = {3 * sizeof *in_memory, 0};
    memset(in_memory, 0xff, 4 * sizeof *in_memory);
    OK(zeCommandListAppendQueryKernelTimestamps(timed.client.list, 2, both, in_memory, NULL, NULL, 0, NULL));
    CHECK(in_memory[0].global.kernelStart == times.kernelStart && in_memory[0].global.kernelEnd == times.kernelEnd);
    CHECK(in_memory[1].global.kernelEnd == 0);
    OK(zeCommandListAppendQueryKernelTimestamps(timed.client.list, 2, both, in_memory, offsets, NULL, 0, NULL));
    CHECK(in_memory[3].global.kernelEnd == times.kernelEnd && in_memory[0].global.kernelEnd == 0);
    OK(zeCommandListAppendWriteGlobalTimestamp(timed.client.list, clock, NULL, 0, NULL));
    OK(zeDeviceGetGlobalTimestamps(timed.client.device, &host_ns, &device));
    CHECK(*clock <= device && device - *clock < timed.device.timerResolution);
    OK(zeEventDestroy(late));
    OK(zeMemFree(timed.client.context, in_memory));
    OK(zeMemFree(timed.client.context, clock));
    timed_close(&timed);
}

static void test_timestamps(void **state)
{
    (void)state;
    client_run(timestamps, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(timestamps, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
    client_run(timestamps_in_memory, NULL);
}

static void test_wrap(void **state)
{
    (void)state;
    client_run(wrap, (const char *[]){"STANDIN_DEVICES=dg2", "STANDIN_FAULT=timestamp=1920", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
