/* SPDX-License-Identifier: Apache-2.0
 * Command lists of both kinds, queues, fences, and the order in which commands run. */
#include <signal.h>
#include <string.h>

#include "device-xmx/standin/test/client.h"

enum { COPY_GROUP = 1 };

/* What most cases have. */
struct work {
    struct client client;
    ze_module_handle_t module;
    ze_kernel_handle_t count; /* adds one to *counter */
    int *counter;
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[4];
};

static struct work work_open(void)
{
    struct work work = {.client = client_open()};
    work.module = client_module(&work.client, "kernels");
    work.count = client_kernel(work.module, "count");
    work.counter = client_shared_memory(&work.client, sizeof *work.counter);
    *work.counter = 0;
    client_set_pointer(work.count, 0, work.counter);
    work.pool = client_pool(&work.client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 4);
    for (uint32_t i = 0; i < 4; i++)
        work.events[i] = client_event(work.pool, i);
    return work;
}

static void work_close(struct work *work)
{
    for (uint32_t i = 0; i < 4; i++)
        OK(zeEventDestroy(work->events[i]));
    OK(zeEventPoolDestroy(work->pool));
    OK(zeKernelDestroy(work->count));
    OK(zeModuleDestroy(work->module));
    OK(zeMemFree(work->client.context, work->counter));
    client_close(&work->client);
}

static void append_count(const struct work *work, ze_command_list_handle_t list, ze_event_handle_t signal, ze_event_handle_t wait)
{
    ze_group_count_t one = {1, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, work->count, &one, signal, wait != NULL, wait ? &wait : NULL));
}

static ze_command_queue_handle_t queue_of(const struct work *work, uint32_t ordinal, ze_command_queue_mode_t mode)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .mode = mode};
    ze_command_queue_handle_t queue;
    OK(zeCommandQueueCreate(work->client.context, work->client.device, &desc, &queue));
    return queue;
}

static ze_command_list_handle_t list_of(const struct work *work, uint32_t ordinal)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = ordinal};
    ze_command_list_handle_t list;
    OK(zeCommandListCreate(work->client.context, work->client.device, &desc, &list));
    return list;
}

/* ---- regular lists ---- */

static void regular(void)
{
    struct work work = work_open();
    ze_command_queue_handle_t queue = queue_of(&work, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = list_of(&work, 0);
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    OK(zeFenceCreate(queue, &fence_desc, &fence));
    append_count(&work, list, NULL, NULL);
    append_count(&work, list, NULL, work.events[0]);
    OK(zeCommandListClose(list));
    CHECK(*work.counter == 0);
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    RESULT(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    RESULT(zeFenceHostSynchronize(fence, 1000000), ZE_RESULT_NOT_READY);
    RESULT(zeCommandQueueSynchronize(queue, 0), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(work.events[0]));
    OK(zeFenceHostSynchronize(fence, UINT64_MAX));
    OK(zeFenceQueryStatus(fence));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    CHECK(*work.counter == 2);
    ze_command_list_handle_t twice[] = {list, list};
    OK(zeFenceReset(fence));
    OK(zeCommandQueueExecuteCommandLists(queue, 2, twice, fence));
    OK(zeFenceHostSynchronize(fence, UINT64_MAX));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    CHECK(*work.counter == 6);
    OK(zeCommandListReset(list));
    OK(zeFenceReset(fence));
    append_count(&work, list, NULL, NULL);
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    CHECK(*work.counter == 7);
    /* What ends a list is no later than its last event. */
    OK(zeCommandListReset(list));
    append_count(&work, list, work.events[1], NULL);
    OK(zeCommandListClose(list));
    for (int i = 0; i < 200; i++) {
        OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
        OK(zeEventHostSynchronize(work.events[1], UINT64_MAX));
        OK(zeFenceQueryStatus(fence));
        OK(zeFenceReset(fence));
        OK(zeEventHostReset(work.events[1]));
    }
    /* An execution from before a reset does not signal the fence. */
    OK(zeCommandListReset(list));
    append_count(&work, list, NULL, work.events[1]);
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    OK(zeFenceReset(fence));
    OK(zeEventHostSignal(work.events[1]));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    RESULT(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    OK(zeFenceDestroy(fence));
    OK(zeCommandListDestroy(list));
    OK(zeCommandQueueDestroy(queue));
    work_close(&work);
}

static void synchronous_queue(void)
{
    struct work work = work_open();
    ze_command_queue_handle_t queue = queue_of(&work, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t list = list_of(&work, 0);
    append_count(&work, list, NULL, NULL);
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    CHECK(*work.counter == 1);
    OK(zeCommandListDestroy(list));
    OK(zeCommandQueueDestroy(queue));
    work_close(&work);
}

static void test_regular(void **state)
{
    (void)state;
    client_run(regular, NULL);
    client_run(synchronous_queue, NULL);
}

static void refused_lists(void)
{
    struct work work = work_open();
    ze_command_queue_handle_t queue = queue_of(&work, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                              copies = queue_of(&work, COPY_GROUP, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = list_of(&work, 0), copy_list = list_of(&work, COPY_GROUP);
    ze_group_count_t one = {1, 1, 1};
    RESULT(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* not closed */
    OK(zeCommandListClose(list));
    RESULT(zeCommandListAppendBarrier(list, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeCommandQueueExecuteCommandLists(copies, 1, &list, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    RESULT(zeCommandQueueExecuteCommandLists(queue, 1, &work.client.list, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    RESULT(zeCommandListClose(work.client.list), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeCommandListAppendLaunchKernel(copy_list, work.count, &one, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    RESULT(zeCommandListAppendLaunchCooperativeKernel(list, work.count, &one, NULL, 0, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = 9};
    ze_command_queue_handle_t other;
    RESULT(zeCommandQueueCreate(work.client.context, work.client.device, &desc, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.ordinal = 0;
    desc.index = 1;
    RESULT(zeCommandQueueCreate(work.client.context, work.client.device, &desc, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    unsigned char pattern[8] = {0};
    RESULT(zeCommandListAppendMemoryFill(copy_list, work.counter, pattern, 8, 8, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeCommandListAppendMemoryFill(copy_list, work.counter, pattern, 4, 4, NULL, 0, NULL));
    ze_command_list_handle_t held = client_list(&work.client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    append_count(&work, held, work.events[1], work.events[0]);
    RESULT(zeCommandListDestroy(held), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    RESULT(zeEventDestroy(work.events[0]), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    RESULT(zeEventPoolDestroy(work.pool), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    RESULT(zeModuleDestroy(work.module), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    OK(zeEventHostSignal(work.events[0]));
    OK(zeEventHostSynchronize(work.events[1], UINT64_MAX));
    OK(zeCommandListDestroy(held));
    OK(zeCommandListDestroy(list));
    OK(zeCommandListDestroy(copy_list));
    OK(zeCommandQueueDestroy(queue));
    OK(zeCommandQueueDestroy(copies));
    work_close(&work);
}

static void test_refused_lists(void **state)
{
    (void)state;
    client_run(refused_lists, (const char *[]){"STANDIN_STRICT=0", "STANDIN_DEVICES=dg2", NULL});
}

/* ---- order ---- */

/* Two fills of the same byte, with a barrier between them if `ordered`; *value is what remains. */
static int last_of_two(const struct work *work, ze_command_queue_flags_t flags, bool barrier)
{
    ze_command_list_handle_t list = client_list(&work->client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, flags);
    unsigned char *byte = client_shared_memory(&work->client, 1);
    for (int i = 0; i < 3; i++)
        OK(zeEventHostReset(work->events[i]));
    OK(zeCommandListAppendMemoryFill(list, byte, "\1", 1, 1, NULL, 1, (ze_event_handle_t *)(uintptr_t)&work->events[0]));
    if (barrier)
        OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(list, byte, "\2", 1, 1, work->events[1], 1, (ze_event_handle_t *)(uintptr_t)&work->events[0]));
    OK(zeEventHostSignal(work->events[0]));
    OK(zeCommandListAppendBarrier(list, work->events[2], 0, NULL));
    OK(zeEventHostSynchronize(work->events[2], UINT64_MAX));
    OK(zeEventHostSynchronize(work->events[1], 0));
    int value = *byte;
    OK(zeCommandListDestroy(list));
    OK(zeMemFree(work->client.context, byte));
    return value;
}

static void in_order(void)
{
    enum { IN_ORDER = 1 << 1 }; /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER, API 1.6 */
    struct work work = work_open();
    CHECK(last_of_two(&work, IN_ORDER, false) == 2);
    CHECK(last_of_two(&work, 0, true) == 2);
    work_close(&work);
}

static void appended(void)
{
    struct work work = work_open();
    CHECK(last_of_two(&work, 0, false) == 2);
    work_close(&work);
}

static void reversed(void)
{
    struct work work = work_open();
    CHECK(last_of_two(&work, 0, false) == 1);
    work_close(&work);
}

static void old_api(void)
{
    enum { IN_ORDER = 1 << 1 };
    struct client client = client_open();
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .flags = IN_ORDER};
    ze_command_list_handle_t list;
    RESULT(zeCommandListCreateImmediate(client.context, client.device, &desc, &list), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    client_close(&client);
}

static void test_order(void **state)
{
    (void)state;
    if (!client_is_validated()) { /* the layers of this version know no such flag */
        client_run(in_order, NULL);
        client_run(in_order, (const char *[]){"STANDIN_ORDER=reversed", NULL});
    }
    client_run(appended, NULL);
    client_run(reversed, (const char *[]){"STANDIN_ORDER=reversed", NULL});
    client_run(old_api, (const char *[]){"STANDIN_API=1.5", "STANDIN_STRICT=0", NULL});
}

/* Events order commands of several lists, whatever order they were appended in. */
static void events_between_lists(void)
{
    struct work work = work_open();
    ze_command_list_handle_t lists[3];
    for (int i = 0; i < 3; i++)
        lists[i] = client_list(&work.client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    int values[3] = {0}, *from = client_device_memory(&work.client, sizeof *from), one = 1;
    /* list 2: copies what list 1 has copied, which is what list 0 has counted */
    OK(zeCommandListAppendMemoryCopy(lists[2], &values[1], &values[0], sizeof one, work.events[3], 1, &work.events[2]));
    OK(zeCommandListAppendMemoryCopy(lists[1], &values[0], work.counter, sizeof one, work.events[2], 1, &work.events[1]));
    append_count(&work, lists[0], NULL, NULL);
    OK(zeCommandListAppendWaitOnEvents(lists[0], 1, &work.events[0]));
    append_count(&work, lists[0], work.events[1], NULL);
    RESULT(zeEventHostSynchronize(work.events[3], 2000000), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(work.events[0]));
    OK(zeEventHostSynchronize(work.events[3], UINT64_MAX));
    CHECK(values[1] == 2);
    OK(zeCommandListAppendEventReset(lists[0], work.events[3]));
    OK(zeCommandListAppendSignalEvent(lists[0], work.events[2]));
    OK(zeEventHostReset(work.events[2]));
    OK(zeCommandListAppendBarrier(lists[0], work.events[2], 0, NULL));
    OK(zeEventHostSynchronize(work.events[2], UINT64_MAX));
    RESULT(zeEventQueryStatus(work.events[3]), ZE_RESULT_NOT_READY);
    client_idle(&work.client, lists, 3);
    for (int i = 0; i < 3; i++)
        OK(zeCommandListDestroy(lists[i]));
    OK(zeMemFree(work.client.context, from));
    work_close(&work);
}

static void test_events_between_lists(void **state)
{
    (void)state;
    client_run(events_between_lists, NULL);
    client_run(events_between_lists, (const char *[]){"STANDIN_ORDER=reversed", NULL});
}

/* The number of groups is read when the launch runs. */
static void indirect(void)
{
    struct work work = work_open();
    ze_command_list_handle_t list = client_list(&work.client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    ze_group_count_t *groups = client_shared_memory(&work.client, sizeof *groups), three = {3, 1, 1};
    *groups = (ze_group_count_t){1, 1, 1};
    OK(zeCommandListAppendMemoryCopy(list, groups, &three, sizeof three, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendLaunchKernelIndirect(list, work.count, groups, work.events[0], 0, NULL));
    OK(zeEventHostSynchronize(work.events[0], UINT64_MAX));
    CHECK(*work.counter == 3);
    *groups = (ze_group_count_t){0, 1, 1}; /* nothing runs, and the event is signalled */
    OK(zeEventHostReset(work.events[0]));
    OK(zeCommandListAppendLaunchKernelIndirect(list, work.count, groups, work.events[0], 0, NULL));
    OK(zeEventHostSynchronize(work.events[0], UINT64_MAX));
    CHECK(*work.counter == 3);
    client_idle(&work.client, &list, 1);
    OK(zeCommandListDestroy(list));
    OK(zeMemFree(work.client.context, groups));
    work_close(&work);
}

static void test_indirect(void **state)
{
    (void)state;
    client_run(indirect, NULL);
}

/* Many launches from several lists at once. */
static void many(void)
{
    enum { LISTS = 8, LAUNCHES = 200 };
    struct work work = work_open();
    ze_command_list_handle_t lists[LISTS];
    for (int i = 0; i < LISTS; i++)
        lists[i] = client_list(&work.client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    for (int i = 0; i < LAUNCHES; i++)
        append_count(&work, lists[i % LISTS], NULL, NULL);
    client_idle(&work.client, lists, LISTS);
    CHECK(*work.counter == LAUNCHES);
    for (int i = 0; i < LISTS; i++)
        OK(zeCommandListDestroy(lists[i]));
    work_close(&work);
}

static void test_many(void **state)
{
    (void)state;
    client_run(many, NULL);
    client_run(many, (const char *[]){"STANDIN_ORDER=reversed", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular),  cmocka_unit_test(test_refused_lists),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_events_between_lists),
        cmocka_unit_test(test_indirect), cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
