/* SPDX-License-Identifier: Apache-2.0
 * Every overload of the matrix functions, imported by its mangled name and found in our library, against the oracle of conformance/matrix.
 */
#include <stdio.h>
#include <string.h>

#include "conformance/matrix/oracle.h"
#include "device-xmx/standin/test/client.h"
#include "tessera/base.h"

enum { TEAMS = 4, MOST_LANES = 16, ITEMS = TEAMS * MOST_LANES };

/* Memory for the arguments of all work-items. */
struct arguments {
    unsigned char *a, *b, *c, *d;
};

/* Two work-groups of two teams each, every lane in place. */
static void check_function(const struct client *client, ze_kernel_handle_t kernel, const struct oracle_function *f, enum oracle_data data,
                           const struct arguments *args)
{
    static struct oracle_case cases[TEAMS];
    for (unsigned i = 0; i < TEAMS * f->team; i++) {
        if (i % f->team == 0)
            oracle_fill(&cases[i / f->team], f, data, 10 + i);
        oracle_pack(&cases[i / f->team], i % f->team, args->a + i * f->a_size, args->b + i * ORACLE_ARGUMENT, args->c + i * f->c_size);
    }
    client_set_pointer(kernel, 0, args->a);
    client_set_pointer(kernel, 1, args->b);
    client_set_pointer(kernel, 2, args->c);
    client_set_pointer(kernel, 3, args->d);
    client_launch(client, kernel, TEAMS / 2 * f->team, 2);
    for (unsigned i = 0; i < TEAMS * f->team; i++) {
        bool right = oracle_check(&cases[i / f->team], f->team, i % f->team, args->d + i * f->c_size);
        if (!right)
            fprintf(stderr, "%s in work-item %u\n", f->name, i);
        CHECK(right);
    }
}

/* All functions for sub-groups of this size. */
static void check_all(const char *name, unsigned size, unsigned wanted)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, name);
    struct arguments args = {client_shared_memory(&client, ITEMS * ORACLE_ARGUMENT), client_shared_memory(&client, ITEMS * ORACLE_ARGUMENT),
                             client_shared_memory(&client, ITEMS * ORACLE_ARGUMENT),
                             client_shared_memory(&client, ITEMS * ORACLE_ARGUMENT)};
    unsigned found = 0;
    oracle_bf16_pairs = tsr_cpu_has(tsr_cpu(), TSR_CPU_BF16_PAIRS);
    for (size_t i = 0; i < oracle_function_count(); i++) {
        const struct oracle_function *f = &oracle_functions[i];
        char kernel_name[24];
        if (f->n != size)
            continue;
        snprintf(kernel_name, sizeof kernel_name, "k%zu", i);
        ze_kernel_handle_t kernel = client_kernel(module, kernel_name);
        for (unsigned data = 0; data < ORACLE_DATA_KINDS; data++)
            check_function(&client, kernel, f, (enum oracle_data)data, &args);
        OK(zeKernelDestroy(kernel));
        found++;
    }
    CHECK(found == wanted);
    OK(zeMemFree(client.context, args.a));
    OK(zeMemFree(client.context, args.b));
    OK(zeMemFree(client.context, args.c));
    OK(zeMemFree(client.context, args.d));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void all_of_8(void)
{
    check_all("matrix_all_8", 8, 58);
}

static void all_of_16(void)
{
    check_all("matrix_all_16", 16, 52);
}

static void test_all(void **state)
{
    (void)state;
    client_run(all_of_8, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(all_of_16, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
