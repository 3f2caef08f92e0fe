/* SPDX-License-Identifier: Apache-2.0
 * Modules, kernels, arguments of every class, ranges, sub-groups, matrix functions. */
#include <stdlib.h>
#include <string.h>

#include "device-xmx/standin/test/client.h"

enum { ITEMS = 256 };

static void free_all(const struct client *client, void *const *memory, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        OK(zeMemFree(client->context, memory[i]));
}

/* ---- vector addition in each kind of memory ---- */

static void add(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "add");
    void *memory[] = {client_device_memory(&client, ITEMS * sizeof(int)), client_host_memory(&client, ITEMS * sizeof(int)),
                      client_shared_memory(&client, ITEMS * sizeof(int))};
    int values[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        values[i] = i;
    client_copy(&client, memory[0], values, sizeof values);
    for (int i = 0; i < ITEMS; i++)
        ((int *)memory[1])[i] = 1000 * i;
    for (uint32_t i = 0; i < 3; i++)
        client_set_pointer(kernel, i, memory[i]);
    client_launch(&client, kernel, 64, ITEMS / 64);
    for (int i = 0; i < ITEMS; i++)
        CHECK(((int *)memory[2])[i] == 1001 * i);
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    free_all(&client, memory, 3);
    client_close(&client);
}

static void test_add(void **state)
{
    (void)state;
    client_run(add, NULL);
}

/* ---- matrix functions ---- */

/* One sub-group: 8 rows of A, K x N of B, with the layout of the extension: each work-item has a column of B and of C, and of A, for each
 * row, a part of the row. */
static void mad_i8(const char *name, uint32_t size)
{
    enum { ROWS = 8, K = 32, MOST = 16 };
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, name);
    ze_kernel_handle_t kernel = client_kernel(module, "mad_i8");
    size_t a_bytes = ROWS * K, b_bytes = (size_t)K * size, c_bytes = ROWS * size * sizeof(int);
    signed char *a = client_shared_memory(&client, a_bytes), *b = client_shared_memory(&client, b_bytes);
    int *c = client_shared_memory(&client, c_bytes), want[ROWS][MOST];
    signed char rows[ROWS][K], columns[K][MOST];
    srand(1);
    for (int m = 0; m < ROWS; m++)
        for (int k = 0; k < K; k++)
            rows[m][k] = (signed char)(rand() % 256 - 128);
    for (int k = 0; k < K; k++)
        for (uint32_t n = 0; n < size; n++)
            columns[k][n] = (signed char)(rand() % 256 - 128);
    uint32_t part = K / size;
    for (uint32_t n = 0; n < size; n++)
        for (int m = 0; m < ROWS; m++) {
            memcpy(a + (n * ROWS + (uint32_t)m) * part, &rows[m][n * part], part);
            c[n * ROWS + (uint32_t)m] = want[m][n] = m * 100 + (int)n;
            for (int k = 0; k < K; k++)
                want[m][n] += rows[m][k] * columns[k][n];
        }
    for (uint32_t n = 0; n < size; n++)
        for (int k = 0; k < K; k++)
            b[n * K + (uint32_t)k] = columns[k][n];
    client_set_pointer(kernel, 0, a);
    client_set_pointer(kernel, 1, b);
    client_set_pointer(kernel, 2, c);
    client_launch(&client, kernel, size, 1);
    for (uint32_t n = 0; n < size; n++)
        for (int m = 0; m < ROWS; m++)
            CHECK(c[n * ROWS + (uint32_t)m] == want[m][n]);
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    free_all(&client, (void *[]){a, b, c}, 3);
    client_close(&client);
}

static void mad_i8_of_8(void)
{
    mad_i8("matrix_8", 8);
}

static void mad_i8_of_16(void)
{
    mad_i8("matrix_16", 16);
}

static void test_matrix(void **state)
{
    (void)state;
    client_run(mad_i8_of_8, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(mad_i8_of_16, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
    client_run(mad_i8_of_16, (const char *[]){"STANDIN_DEVICES=bmg", NULL});
}

static float float_of(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Small whole numbers, of which bf16 and sums in any order are exact. */
static void mad_bf16(const char *name, uint32_t size)
{
    enum { ROWS = 8, K = 16, MOST = 16 };
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, name);
    ze_kernel_handle_t kernel = client_kernel(module, "mad_bf16");
    uint16_t *a = client_shared_memory(&client, ROWS * K * sizeof *a), *b = client_shared_memory(&client, K * size * sizeof *b);
    float *c = client_shared_memory(&client, ROWS * size * sizeof *c);
    static const uint16_t numbers[] = {0x0000, 0x3f80, 0x4000, 0x4040, 0xbf80, 0xc000}; /* 0 1 2 3 -1 -2 */
    uint32_t part = K / size;
    for (uint32_t i = 0; i < ROWS * K; i++)
        a[i] = numbers[i % 5];
    for (uint32_t i = 0; i < K * size; i++)
        b[i] = numbers[i % 6];
    for (uint32_t i = 0; i < ROWS * size; i++)
        c[i] = (float)i;
    client_set_pointer(kernel, 0, a);
    client_set_pointer(kernel, 1, b);
    client_set_pointer(kernel, 2, c);
    client_launch(&client, kernel, size, 1);
    for (uint32_t n = 0; n < size; n++)
        for (uint32_t m = 0; m < ROWS; m++) {
            float want = (float)(n * ROWS + m);
            for (uint32_t k = 0; k < K; k++)
                want += float_of(a[(k / part * ROWS + m) * part + k % part]) * float_of(b[n * K + k]);
            CHECK(c[n * ROWS + m] == want);
        }
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    free_all(&client, (void *[]){a, b, c}, 3);
    client_close(&client);
}

static void mad_bf16_of_8(void)
{
    mad_bf16("matrix_8", 8);
}

static void mad_bf16_of_16(void)
{
    mad_bf16("matrix_16", 16);
}

static void test_matrix_bf16(void **state)
{
    (void)state;
    client_run(mad_bf16_of_8, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(mad_bf16_of_16, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
}

/* Two sub-groups have a half of A each, four rows, and both work with all eight. */
static void split_i8(void)
{
    enum { ROWS = 8, K = 32, SIZE = 8, PART = K / SIZE, GROUPS = 2 };
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "matrix_8");
    ze_kernel_handle_t kernel = client_kernel(module, "split_i8");
    signed char *a = client_shared_memory(&client, ROWS * K), *b = client_shared_memory(&client, GROUPS * SIZE * K);
    int *c = client_shared_memory(&client, GROUPS * SIZE * ROWS * sizeof *c);
    for (int i = 0; i < ROWS * K; i++)
        a[i] = (signed char)(i * 37);
    for (int i = 0; i < GROUPS * SIZE * K; i++)
        b[i] = (signed char)(i * 11);
    memset(c, 0, GROUPS * SIZE * ROWS * sizeof *c);
    client_set_pointer(kernel, 0, a);
    client_set_pointer(kernel, 1, b);
    client_set_pointer(kernel, 2, c);
    client_launch(&client, kernel, GROUPS * SIZE, 1);
    for (int item = 0; item < GROUPS * SIZE; item++)
        for (int m = 0; m < ROWS; m++) {
            int want = 0;
            for (int k = 0; k < K; k++) /* half m / 4, work-item k / PART of it, its row m % 4 */
                want += a[((m / 4 * SIZE + k / PART) * 4 + m % 4) * PART + k % PART] * b[item * K + k];
            CHECK(c[item * ROWS + m] == want);
        }
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    free_all(&client, (void *[]){a, b, c}, 3);
    client_close(&client);
}

static void test_split(void **state)
{
    (void)state;
    client_run(split_i8, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
}

/* ---- arguments ---- */

/* As struct pair of kernels.cl. */
struct pair {
    int a;
    int64_t b;
    float c[3];
};

static void values(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "values");
    float *out = client_shared_memory(&client, ITEMS * sizeof *out), vector[4] = {0, 0, 0, 0.5f};
    struct pair pair = {3, 40, {100, 200, 300}};
    unsigned char byte = 7;
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof pair, &pair));
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof vector, vector));
    OK(zeKernelSetArgumentValue(kernel, 2, sizeof byte, &byte));
    OK(zeKernelSetArgumentValue(kernel, 3, sizeof(void *), NULL));
    client_set_pointer(kernel, 4, out);
    client_launch(&client, kernel, 32, ITEMS / 32);
    for (int i = 0; i < ITEMS; i++)
        CHECK(out[i] == 50.5f + pair.c[i % 3]);
    client_set_pointer(kernel, 3, out); /* the others stay */
    client_launch(&client, kernel, 32, ITEMS / 32);
    for (int i = 0; i < ITEMS; i++)
        CHECK(out[i] == 1050.5f + pair.c[i % 3]);
    client_set_pointer(kernel, 3, NULL);
    OK(zeKernelSetArgumentValue(kernel, 2, sizeof byte, NULL)); /* a value of NULL is 0 */
    client_launch(&client, kernel, 32, 1);
    CHECK(out[0] == 143.5f && out[32] == 1050.5f + pair.c[32 % 3]);
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeMemFree(client.context, out));
    client_close(&client);
}

static void test_values(void **state)
{
    (void)state;
    client_run(values, NULL);
}

/* Arguments are copied when the launch is appended. */
static void values_are_copied(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "add");
    ze_event_pool_handle_t pool = client_pool(&client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_handle_t go = client_event(pool, 0);
    ze_command_list_handle_t list = client_list(&client, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
    int *data = client_shared_memory(&client, 4 * sizeof *data);
    data[0] = 1, data[1] = 10, data[2] = 0, data[3] = 0;
    ze_group_count_t one = {1, 1, 1};
    client_set_pointer(kernel, 0, &data[0]);
    client_set_pointer(kernel, 1, &data[1]);
    client_set_pointer(kernel, 2, &data[2]);
    OK(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 1, &go));
    client_set_pointer(kernel, 0, &data[1]);
    client_set_pointer(kernel, 2, &data[3]);
    OK(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 1, &go));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    CHECK(data[2] == 0 && data[3] == 0);
    OK(zeEventHostSignal(go));
    ze_event_pool_handle_t last_pool = client_pool(&client, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_handle_t last = client_event(last_pool, 0);
    OK(zeCommandListAppendBarrier(list, last, 0, NULL));
    OK(zeEventHostSynchronize(last, UINT64_MAX));
    CHECK(data[2] == 11 && data[3] == 20);
    OK(zeCommandListDestroy(list));
    OK(zeEventDestroy(go));
    OK(zeEventDestroy(last));
    OK(zeEventPoolDestroy(pool));
    OK(zeEventPoolDestroy(last_pool));
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeMemFree(client.context, data));
    client_close(&client);
}

static void test_values_are_copied(void **state)
{
    (void)state;
    client_run(values_are_copied, NULL);
}

static void local_arguments(void)
{
    enum { GROUP = 32 };
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "reverse");
    int *data = client_shared_memory(&client, ITEMS * sizeof *data);
    for (int i = 0; i < ITEMS; i++)
        data[i] = i;
    client_set_pointer(kernel, 0, data);
    OK(zeKernelSetArgumentValue(kernel, 1, GROUP * sizeof(int), NULL));
    OK(zeKernelSetArgumentValue(kernel, 2, GROUP, NULL));
    client_launch(&client, kernel, GROUP, ITEMS / GROUP);
    for (int i = 0; i < ITEMS; i++)
        CHECK(data[i] == 2 * (i / GROUP * GROUP + GROUP - 1 - i % GROUP) + 1);
    ze_device_compute_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    OK(zeDeviceGetComputeProperties(client.device, &limits));
    ze_group_count_t one = {1, 1, 1};
    OK(zeKernelSetArgumentValue(kernel, 1, limits.maxSharedLocalMemory, NULL));
    RESULT(zeCommandListAppendLaunchKernel(client.list, kernel, &one, NULL, 0, NULL), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    OK(zeKernelSetArgumentValue(kernel, 1, limits.maxSharedLocalMemory - 128, NULL));
    OK(zeCommandListAppendLaunchKernel(client.list, kernel, &one, NULL, 0, NULL));
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeMemFree(client.context, data));
    client_close(&client);
}

static void test_local_arguments(void **state)
{
    (void)state;
    client_run(local_arguments, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(local_arguments, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
}

static void refused_arguments(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "values"), local = client_kernel(module, "reverse");
    unsigned char bytes[64] = {0};
    int on_stack;
    void *pointer = &on_stack;
    ze_group_count_t one = {1, 1, 1};
    RESULT(zeKernelSetArgumentValue(kernel, 5, 8, bytes), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    RESULT(zeKernelSetArgumentValue(kernel, 0, 4, bytes), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    RESULT(zeKernelSetArgumentValue(kernel, 1, 12, bytes), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    RESULT(zeKernelSetArgumentValue(kernel, 3, 4, bytes), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    RESULT(zeKernelSetArgumentValue(kernel, 3, 8, &pointer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    RESULT(zeKernelSetArgumentValue(local, 1, 8, bytes), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    RESULT(zeKernelSetArgumentValue(local, 1, 0, NULL), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    RESULT(zeCommandListAppendLaunchKernel(client.list, kernel, &one, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeKernelDestroy(kernel));
    OK(zeKernelDestroy(local));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_refused_arguments(void **state)
{
    (void)state;
    client_run(refused_arguments, (const char *[]){"STANDIN_STRICT=0", NULL});
}

/* ---- ranges ---- */

static void ids(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "ids");
    uint32_t *out = client_shared_memory(&client, ITEMS * sizeof *out);
    static const struct {
        uint32_t group[3], count[3], offset[3], dim;
    } ranges[] = {
        {{8, 1, 1}, {4, 1, 1}, {0, 0, 0}, 1},
        {{4, 2, 1}, {2, 3, 1}, {1, 2, 0}, 2},
        {{2, 2, 2}, {3, 2, 2}, {5, 6, 7}, 3},
    };
    union {
        void *raw;
        ze_result_t (*call)(ze_kernel_handle_t, uint32_t, uint32_t, uint32_t);
    } set_offset;
    OK(zeDriverGetExtensionFunctionAddress(client.driver, "zeKernelSetGlobalOffsetExp", &set_offset.raw));
    client_set_pointer(kernel, 0, out);
    for (unsigned r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        const uint32_t *group = ranges[r].group, *offset = ranges[r].offset;
        ze_group_count_t count = {ranges[r].count[0], ranges[r].count[1], ranges[r].count[2]};
        OK(zeKernelSetGroupSize(kernel, group[0], group[1], group[2]));
        OK(zeKernelSetGlobalOffsetExp(kernel, offset[0], offset[1], offset[2]));
        OK(zeCommandListAppendLaunchKernel(client.list, kernel, &count, NULL, 0, NULL));
        uint32_t x = group[0] * count.groupCountX, y = group[1] * count.groupCountY, z = group[2] * count.groupCountZ;
        for (uint32_t i = 0; i < x * y * z; i++)
            CHECK(out[i] == ((i % x + offset[0]) | (i / x % y + offset[1]) << 8 | (i / x / y + offset[2]) << 16 | ranges[r].dim << 24));
    }
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeMemFree(client.context, out));
    client_close(&client);
}

static void test_ids(void **state)
{
    (void)state;
    client_run(ids, NULL);
}

static void no_global_offset(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "ids");
    RESULT(zeKernelSetGlobalOffsetExp(kernel, 0, 0, 0), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_no_global_offset(void **state)
{
    (void)state;
    client_run(no_global_offset, (const char *[]){"STANDIN_FAULT=missing=ZE_experimental_global_offset", NULL});
}

static void group_sizes(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "add"), fixed = client_kernel(module, "fixed_group");
    ze_device_compute_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    OK(zeDeviceGetComputeProperties(client.device, &limits));
    uint32_t most = limits.maxTotalGroupSize, x, y, z;
    OK(zeKernelSetGroupSize(kernel, most, 1, 1));
    OK(zeKernelSetGroupSize(kernel, most / 4, 2, 2));
    RESULT(zeKernelSetGroupSize(kernel, most + 1, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    RESULT(zeKernelSetGroupSize(kernel, most, 1, 2), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    RESULT(zeKernelSetGroupSize(kernel, 0, 1, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeKernelSetGroupSize(fixed, 4, 2, 1));
    RESULT(zeKernelSetGroupSize(fixed, 2, 4, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    OK(zeKernelSuggestGroupSize(kernel, 3 * most, 7, 1, &x, &y, &z));
    CHECK(x && y && z == 1 && 3 * most % x == 0 && 7 % y == 0 && x * y <= most);
    OK(zeKernelSuggestGroupSize(fixed, 8, 8, 1, &x, &y, &z));
    CHECK(x == 4 && y == 2 && z == 1);
    OK(zeKernelDestroy(kernel));
    OK(zeKernelDestroy(fixed));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_group_sizes(void **state)
{
    (void)state;
    client_run(group_sizes, (const char *[]){"STANDIN_STRICT=0", "STANDIN_DEVICES=dg2", NULL});
    client_run(group_sizes, (const char *[]){"STANDIN_STRICT=0", "STANDIN_DEVICES=tgl", NULL});
}

static void sub_groups(uint32_t size)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "sub_groups");
    uint32_t *out = client_shared_memory(&client, 2 * ITEMS * sizeof *out);
    client_set_pointer(kernel, 0, out);
    client_launch(&client, kernel, 64, ITEMS / 64);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(out[2 * i] == size && out[2 * i + 1] == i / size * size + 1);
    ze_kernel_preferred_group_size_properties_t preferred = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES};
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, .pNext = &preferred};
    OK(zeKernelGetProperties(kernel, &properties));
    CHECK(properties.maxSubgroupSize == size && properties.requiredSubgroupSize == 0 && preferred.preferredMultiple == size);
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeMemFree(client.context, out));
    client_close(&client);
}

static void sub_groups_of_8(void)
{
    sub_groups(8);
}

static void sub_groups_of_16(void)
{
    sub_groups(16);
}

static void test_sub_groups(void **state)
{
    (void)state;
    client_run(sub_groups_of_8, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(sub_groups_of_16, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
    client_run(sub_groups_of_16, (const char *[]){"STANDIN_DEVICES=bmg", NULL});
    client_run(sub_groups_of_8, (const char *[]){"STANDIN_DEVICES=tgl", NULL});
}

static void kernel_properties(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "matrix_8"), kernels = client_module(&client, "kernels");
    ze_kernel_handle_t kernel = client_kernel(module, "mad_i8"), fixed = client_kernel(kernels, "fixed_group");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    OK(zeKernelGetProperties(kernel, &properties));
    CHECK(properties.numKernelArgs == 3 && properties.requiredSubgroupSize == 8 && properties.requiredGroupSizeX == 0);
    OK(zeKernelGetProperties(fixed, &properties));
    CHECK(properties.requiredGroupSizeX == 4 && properties.requiredGroupSizeY == 2 && properties.requiredGroupSizeZ == 1);
    char name[32];
    size_t size = 0;
    OK(zeKernelGetName(fixed, &size, NULL));
    CHECK(size == sizeof "fixed_group");
    OK(zeKernelGetName(fixed, &size, name));
    CHECK(!strcmp(name, "fixed_group"));
    uint32_t bytes = 0;
    char attributes[256] = "?", *to = NULL;
    OK(zeKernelGetSourceAttributes(fixed, &bytes, &to));
    CHECK(bytes && bytes <= sizeof attributes);
    to = attributes;
    OK(zeKernelGetSourceAttributes(fixed, &bytes, &to));
    CHECK(strlen(attributes) + 1 == bytes);
    OK(zeKernelDestroy(kernel));
    OK(zeKernelDestroy(fixed));
    OK(zeModuleDestroy(module));
    OK(zeModuleDestroy(kernels));
    client_close(&client);
}

static void test_kernel_properties(void **state)
{
    (void)state;
    client_run(kernel_properties, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_matrix_bf16),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_values_are_copied),
        cmocka_unit_test(test_local_arguments),
        cmocka_unit_test(test_refused_arguments),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_no_global_offset),
        cmocka_unit_test(test_group_sizes),
        cmocka_unit_test(test_sub_groups),
        cmocka_unit_test(test_kernel_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
