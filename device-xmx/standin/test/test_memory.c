/* SPDX-License-Identifier: Apache-2.0
 * Allocations: their kinds, limits and edges; who may touch them; copies, boxes and fills. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device-xmx/standin/test/client.h"

enum { PAGE = 4096 };

static const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static void kinds(void)
{
    struct client client = client_open();
    void *memory[] = {client_host_memory(&client, 1000), client_device_memory(&client, 1000), client_shared_memory(&client, 1000)};
    static const ze_memory_type_t types[] = {ZE_MEMORY_TYPE_HOST, ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_SHARED};
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t device;
    uint64_t id = 0;
    for (int i = 0; i < 3; i++) {
        unsigned char *inside = (unsigned char *)memory[i] + 999;
        OK(zeMemGetAllocProperties(client.context, inside, &properties, &device));
        CHECK(properties.type == types[i] && properties.id != id && properties.pageSize);
        CHECK(device == (i ? client.device : NULL));
        id = properties.id;
        void *base;
        size_t size;
        OK(zeMemGetAddressRange(client.context, inside, &base, &size));
        CHECK(base == memory[i] && size == 1000);
        OK(zeMemGetAllocProperties(client.context, inside + 1, &properties, NULL));
        CHECK(properties.type == ZE_MEMORY_TYPE_UNKNOWN);
    }
    int on_stack = 0;
    OK(zeMemGetAllocProperties(client.context, &on_stack, &properties, NULL));
    CHECK(properties.type == ZE_MEMORY_TYPE_UNKNOWN);
    for (int i = 0; i < 3; i++)
        OK(zeMemFree(client.context, memory[i]));
    OK(zeMemGetAllocProperties(client.context, memory[1], &properties, NULL));
    CHECK(properties.type == ZE_MEMORY_TYPE_UNKNOWN);
    client_close(&client);
}

static void test_kinds(void **state)
{
    (void)state;
    client_run(kinds, NULL);
}

static void limits(void)
{
    struct client client = client_open();
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    OK(zeDeviceGetProperties(client.device, &properties));
    void *memory;
    ze_relaxed_allocation_limits_exp_desc_t relaxed = {.stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
                                                       .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    ze_device_mem_alloc_desc_t large = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &relaxed};
    size_t too_large = ((size_t)4 << 30) + 1; /* more than DG2 gives without the extension */
    RESULT(zeMemAllocDevice(client.context, &on_device, too_large, 0, client.device, &memory), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    ze_result_t result = zeMemAllocDevice(client.context, &large, too_large, 0, client.device, &memory);
    CHECK(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY); /* as much as this machine has */
    if (result == ZE_RESULT_SUCCESS)
        OK(zeMemFree(client.context, memory));
    RESULT(zeMemAllocDevice(client.context, &large, (size_t)1 << 46, 0, client.device, &memory), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    RESULT(zeMemAllocDevice(client.context, &on_device, 0, 0, client.device, &memory), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    RESULT(zeMemAllocHost(client.context, &on_host, 8, (size_t)1 << 22, &memory), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    for (size_t alignment = 1; alignment <= (size_t)1 << 21; alignment *= 2) {
        OK(zeMemAllocShared(client.context, &on_device, &on_host, 3 * PAGE + 1, alignment, client.device, &memory));
        CHECK((uintptr_t)memory % alignment == 0);
        memset(memory, 1, 3 * PAGE + 1);
        OK(zeMemFree(client.context, memory));
    }
    client_close(&client);
}

static void test_limits(void **state)
{
    (void)state;
    client_run(limits, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
}

static void no_memory(void)
{
    struct client client = client_open();
    void *first = client_device_memory(&client, 600), *second;
    RESULT(zeMemAllocDevice(client.context, &on_device, 500, 0, client.device, &second), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    RESULT(zeMemAllocShared(client.context, &on_device, &on_host, 500, 0, client.device, &second), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    RESULT(zeMemAllocHost(client.context, &on_host, 500, 0, &second), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    OK(zeMemAllocHost(client.context, &on_host, 400, 0, &second));
    OK(zeMemFree(client.context, first));
    OK(zeMemFree(client.context, second));
    second = client_device_memory(&client, 1000);
    OK(zeMemFree(client.context, second));
    client_close(&client);
}

static void test_no_memory(void **state)
{
    (void)state;
    client_run(no_memory, (const char *[]){"STANDIN_FAULT=memory=1000", NULL});
}

/* ---- who may touch it ---- */

static void on_fault(int number)
{
    (void)number;
    _exit(77);
}

/* Ends the process well only if the next access faults. */
static void expect_fault(void)
{
    signal(SIGSEGV, on_fault);
}

static volatile unsigned char sink;

static void host_reads_device_memory(void)
{
    struct client client = client_open();
    volatile unsigned char *memory = client_device_memory(&client, 8);
    expect_fault();
    sink = memory[0];
    CHECK(!"the host read device memory");
}

static void host_reads_device_memory_after_a_copy(void)
{
    struct client client = client_open();
    unsigned char *memory = client_device_memory(&client, 8), bytes[8] = {1, 2, 3};
    client_copy(&client, memory, bytes, sizeof bytes);
    memset(bytes, 0, sizeof bytes);
    client_copy(&client, bytes, memory, sizeof bytes);
    CHECK(bytes[2] == 3);
    expect_fault();
    sink = *(volatile unsigned char *)memory;
    CHECK(!"the host read device memory");
}

static void host_passes_the_end(void)
{
    struct client client = client_open();
    volatile unsigned char *memory = client_shared_memory(&client, PAGE);
    memory[PAGE - 1] = 1;
    expect_fault();
    memory[PAGE] = 1;
    CHECK(!"the host wrote behind an allocation");
}

static void host_uses_freed_memory(void)
{
    struct client client = client_open();
    volatile unsigned char *memory = client_shared_memory(&client, PAGE);
    OK(zeMemFree(client.context, (void *)(uintptr_t)memory));
    expect_fault();
    memory[0] = 1;
    CHECK(!"the host wrote to freed memory");
}

/* follow() of kernels.cl reaches the second node only through the first. */
static void kernel_uses_what_it_has_not_said(void)
{
    struct client client = client_open();
    ze_kernel_handle_t kernel = client_kernel(client_module(&client, "kernels"), "follow");
    struct node {
        struct node *next;
        int64_t value;
    } node = {NULL, 20}, *first = client_device_memory(&client, sizeof node), *second = client_device_memory(&client, sizeof node);
    int *sum = client_shared_memory(&client, sizeof *sum);
    client_copy(&client, second, &node, sizeof node);
    node = (struct node){second, 22};
    client_copy(&client, first, &node, sizeof node);
    client_set_pointer(kernel, 0, first);
    client_set_pointer(kernel, 1, sum);
    OK(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE));
    client_launch(&client, kernel, 1, 1);
    CHECK(*sum == 42);
    *sum = 0;
    OK(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST));
    OK(zeContextMakeMemoryResident(client.context, client.device, second, sizeof node));
    client_launch(&client, kernel, 1, 1);
    CHECK(*sum == 42);
    OK(zeContextEvictMemory(client.context, client.device, second, sizeof node));
    client_launch(&client, kernel, 1, 1);
    CHECK(!"the kernel used memory that it has not said that it uses");
}

static void host_may_read_open_memory(void)
{
    struct client client = client_open();
    volatile unsigned char *memory = client_device_memory(&client, 8);
    sink = memory[0];
    OK(zeMemFree(client.context, (void *)(uintptr_t)memory));
    client_close(&client);
}

static void test_faults(void **state)
{
    (void)state;
    client_run_exits(host_reads_device_memory, NULL, 77);
    client_run_exits(host_reads_device_memory_after_a_copy, NULL, 77);
    client_run_exits(host_passes_the_end, NULL, 77);
    client_run_exits(host_uses_freed_memory, NULL, 77);
    client_run_dies(kernel_uses_what_it_has_not_said, NULL, SIGSEGV); /* threads of the device block signals */
    client_run(host_may_read_open_memory, (const char *[]){"STANDIN_MEMORY=open", NULL});
}

/* ---- copies ---- */

static void copies(void)
{
    enum { BYTES = 10000 };
    struct client client = client_open();
    unsigned char *from = client_host_memory(&client, BYTES), *on = client_device_memory(&client, BYTES), bytes[BYTES];
    unsigned char *another = client_device_memory(&client, BYTES);
    for (int i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i * 7);
    client_copy(&client, on + 1, from, BYTES - 1);
    client_copy(&client, another, on + 1, BYTES - 1);
    client_copy(&client, bytes, another, BYTES - 1);
    CHECK(!memcmp(bytes, from, BYTES - 1));
    OK(zeCommandListAppendMemoryFill(client.list, on, "\1\2\3\4", 4, 4002, NULL, 0, NULL));
    client_copy(&client, bytes, on, 4006);
    for (int i = 0; i < 4002; i++)
        CHECK(bytes[i] == i % 4 + 1);
    CHECK(bytes[4002] == from[4001] && bytes[4003] == from[4002]);
    OK(zeCommandListAppendMemoryPrefetch(client.list, on, BYTES));
    OK(zeCommandListAppendMemAdvise(client.list, client.device, on, BYTES, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    OK(zeMemFree(client.context, from));
    OK(zeMemFree(client.context, on));
    OK(zeMemFree(client.context, another));
    client_close(&client);
}

static void test_copies(void **state)
{
    (void)state;
    client_run(copies, NULL);
}

static void boxes(void)
{
    enum { TO_ROW = 13, TO_SLICE = TO_ROW * 7, FROM_ROW = 10, FROM_SLICE = FROM_ROW * 6, SLICES = 5 };
    struct client client = client_open();
    unsigned char from[FROM_SLICE * SLICES], want[TO_SLICE * SLICES], bytes[TO_SLICE * SLICES];
    unsigned char *on = client_device_memory(&client, sizeof want);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 5 + 1);
    memset(want, 0, sizeof want);
    client_copy(&client, on, want, sizeof want);
    ze_copy_region_t to = {2, 1, 1, 6, 4, 3}, at = {3, 2, 0, 6, 4, 3};
    OK(zeCommandListAppendMemoryCopyRegion(client.list, on, &to, TO_ROW, TO_SLICE, from, &at, FROM_ROW, FROM_SLICE, NULL, 0, NULL));
    for (unsigned z = 0; z < 3; z++)
        for (unsigned y = 0; y < 4; y++)
            for (unsigned x = 0; x < 6; x++)
                want[(z + 1) * TO_SLICE + (y + 1) * TO_ROW + x + 2] = from[z * FROM_SLICE + (y + 2) * FROM_ROW + x + 3];
    client_copy(&client, bytes, on, sizeof bytes);
    CHECK(!memcmp(bytes, want, sizeof want));
    ze_copy_region_t flat = {0, 0, 0, 4, 2, 0}; /* two dimensions: no depth, no slice pitch */
    OK(zeCommandListAppendMemoryCopyRegion(client.list, on, &flat, TO_ROW, 0, from, &flat, FROM_ROW, 0, NULL, 0, NULL));
    for (unsigned y = 0; y < 2; y++)
        memcpy(want + y * TO_ROW, from + y * FROM_ROW, 4);
    client_copy(&client, bytes, on, sizeof bytes);
    CHECK(!memcmp(bytes, want, sizeof want));
    OK(zeMemFree(client.context, on));
    client_close(&client);
}

static void test_boxes(void **state)
{
    (void)state;
    client_run(boxes, NULL);
}

static void refused_transfers(void)
{
    struct client client = client_open();
    unsigned char *on = client_device_memory(&client, 64), bytes[128] = {0};
    ze_copy_region_t box = {0, 0, 0, 8, 8, 1}, other = {0, 0, 0, 8, 7, 1};
    RESULT(zeCommandListAppendMemoryCopy(client.list, on + 1, bytes, 64, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeCommandListAppendMemoryFill(client.list, bytes, bytes, 1, 8, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeCommandListAppendMemoryFill(client.list, on, bytes, 3, 9, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    RESULT(zeCommandListAppendMemoryFill(client.list, on, bytes, 4, 68, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeCommandListAppendMemoryCopyRegion(client.list, on, &box, 8, 64, bytes, &other, 8, 64, NULL, 0, NULL),
           ZE_RESULT_ERROR_INVALID_SIZE);
    RESULT(zeCommandListAppendMemoryCopyRegion(client.list, on, &box, 7, 64, bytes, &box, 8, 64, NULL, 0, NULL),
           ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeCommandListAppendMemoryCopyRegion(client.list, on, &box, 8, 64, bytes, &box, 8, 64, NULL, 0, NULL));
    box.originX = 1;
    RESULT(zeCommandListAppendMemoryCopyRegion(client.list, on, &box, 8, 64, bytes, &box, 8, 64, NULL, 0, NULL),
           ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemFree(client.context, on));
    RESULT(zeCommandListAppendMemoryFill(client.list, on, bytes, 1, 8, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    client_close(&client);
}

static void test_refused_transfers(void **state)
{
    (void)state;
    client_run(refused_transfers, (const char *[]){"STANDIN_STRICT=0", NULL});
}

/* ---- frees ---- */

/* A list with a fill that waits for `go`. */
struct held {
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t go;
    unsigned char *memory;
};

static struct held held_open(const struct client *client)
{
    struct held held = {.list = client_list(client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0),
                        .pool = client_pool(client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2),
                        .memory = client_device_memory(client, 64)};
    held.go = client_event(held.pool, 0);
    OK(zeCommandListAppendMemoryFill(held.list, held.memory, "", 1, 64, NULL, 1, &held.go));
    return held;
}

static void held_close(const struct held *held)
{
    ze_event_handle_t end = client_event(held->pool, 1);
    OK(zeEventHostSignal(held->go));
    OK(zeCommandListAppendBarrier(held->list, end, 0, NULL));
    OK(zeEventHostSynchronize(end, UINT64_MAX));
    OK(zeCommandListDestroy(held->list));
    OK(zeEventDestroy(held->go));
    OK(zeEventDestroy(end));
    OK(zeEventPoolDestroy(held->pool));
}

static void frees(void)
{
    struct client client = client_open();
    struct held held = held_open(&client);
    ze_memory_free_ext_desc_t later = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                       .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    RESULT(zeMemFree(client.context, held.memory), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    OK(zeMemFreeExt(client.context, &later, held.memory));
    RESULT(zeMemFree(client.context, held.memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    held_close(&held);
    struct held again = held_open(&client);
    held_close(&again);
    later.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    OK(zeMemFreeExt(client.context, &later, again.memory));
    unsigned char *memory = client_shared_memory(&client, 64);
    RESULT(zeMemFree(client.context, memory + 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemFree(client.context, memory));
    RESULT(zeMemFree(client.context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    client_close(&client);
}

/* A kernel that may use any memory runs while memory that it does not use is freed. */
static void free_beside_a_kernel(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "busy");
    ze_command_list_handle_t list = client_list(&client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    uint32_t rounds = 2000, *out = client_shared_memory(&client, sizeof *out);
    ze_group_count_t one = {1, 1, 1};
    client_set_pointer(kernel, 0, out);
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof rounds, &rounds));
    OK(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
    for (int i = 0; i < 20; i++) {
        void *others[] = {client_device_memory(&client, 64), client_shared_memory(&client, 64)};
        OK(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
        usleep(100);
        OK(zeMemFree(client.context, others[0]));
        OK(zeMemFree(client.context, others[1]));
    }
    client_idle(&client, &list, 1);
    OK(zeCommandListDestroy(list));
    OK(zeMemFree(client.context, out));
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void something_writes_behind_the_end(void)
{
    struct client client = client_open();
    unsigned char *memory = client_shared_memory(&client, 100);
    memory[100] = 1;
    zeMemFree(client.context, memory);
}

static void test_frees(void **state)
{
    (void)state;
    client_run(frees, (const char *[]){"STANDIN_STRICT=0", NULL});
    client_run(free_beside_a_kernel, NULL);
    client_run_dies(something_writes_behind_the_end, NULL, SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_refused_transfers),
        cmocka_unit_test(test_frees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
