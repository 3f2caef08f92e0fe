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

/* ---- vector addition in each kind of memory --------------------------------------------------------------------------------------------
 */

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

/* ---- matrix functions ------------------------------------------------------------------------------------------------------------------
 */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
