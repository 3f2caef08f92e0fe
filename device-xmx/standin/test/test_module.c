/* SPDX-License-Identifier: Apache-2.0
 * Modules: logs, what is refused, specialisation constants, links, native binaries. */
#include <stdlib.h>
#include <string.h>

#include "device-xmx/standin/test/client.h"

/* Creates a module; the log goes to `text`, if it can be read. */
static ze_result_t create(const struct client *client, const ze_module_desc_t *desc, ze_module_handle_t *module, char text[4096])
{
    ze_module_build_log_handle_t log = NULL;
    *text = 0;
    if (client_is_wrapped())
        return zeModuleCreate(client->context, client->device, desc, module, NULL);
    ze_result_t result = zeModuleCreate(client->context, client->device, desc, module, &log);
    size_t size = 0;
    CHECK(log != NULL);
    OK(zeModuleBuildLogGetString(log, &size, NULL));
    CHECK(size >= 1 && size <= 4096);
    OK(zeModuleBuildLogGetString(log, &size, text));
    CHECK(strlen(text) + 1 == size);
    OK(zeModuleBuildLogDestroy(log));
    return result;
}

/* A build that fails, and says why. */
static void expect_failure(const struct client *client, const ze_module_desc_t *desc, const char *why)
{
    char text[4096];
    ze_module_handle_t module;
    RESULT(create(client, desc, &module, text), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(client_is_wrapped() || strstr(text, why) != NULL);
    RESULT(zeModuleCreate(client->context, client->device, desc, &module, NULL), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
}

static void run_use(const struct client *client, ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = client_kernel(module, "use");
    int *data = client_shared_memory(client, sizeof *data);
    *data = 21;
    client_set_pointer(kernel, 0, data);
    client_launch(client, kernel, 1, 1);
    CHECK(*data == 42);
    OK(zeMemFree(client->context, data));
    OK(zeKernelDestroy(kernel));
}

/* ---- builds ---- */

static void names_and_logs(void)
{
    struct client client = client_open();
    ze_module_desc_t desc = client_module_desc("kernels");
    ze_module_handle_t module;
    char text[4096];
    OK(create(&client, &desc, &module, text));
    uint32_t count = 0;
    OK(zeModuleGetKernelNames(module, &count, NULL));
    CHECK(count > 4);
    const char **names = calloc(count, sizeof *names);
    OK(zeModuleGetKernelNames(module, &count, names));
    bool found = false;
    for (uint32_t i = 0; i < count; i++)
        found |= !strcmp(names[i], "fixed_group");
    CHECK(found);
    ze_kernel_desc_t unknown = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "unknown"};
    ze_kernel_handle_t kernel;
    RESULT(zeKernelCreate(module, &unknown, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    OK(zeModuleDestroy(module));
    desc.pBuildFlags = "-ze-opt-level=0 -ze-opt-large-register-file";
    OK(create(&client, &desc, &module, text));
    OK(zeModuleDestroy(module));
    free(names);
    client_close(&client);
}

static void test_names_and_logs(void **state)
{
    (void)state;
    client_run(names_and_logs, NULL);
}

static void refused_modules(void)
{
    struct client client = client_open();
    ze_module_desc_t kernels = client_module_desc("kernels"), user = client_module_desc("user"), bad = kernels;
    kernels.pBuildFlags = "-ze-opt-level=2 -ze-nonsense";
    expect_failure(&client, &kernels, "-ze-nonsense");
    bad.inputSize -= 4;
    bad.pBuildFlags = NULL;
    expect_failure(&client, &bad, "");
    expect_failure(&client, &user, "twice");
    bad.pInputModule = (const uint8_t *)"no module at all";
    bad.inputSize = 16;
    expect_failure(&client, &bad, "");
    client_close(&client);
}

static void test_refused_modules(void **state)
{
    (void)state;
    client_run(refused_modules, NULL);
}

/* Each device refuses what it has no unit for. */
static void refused_on(const char *name, const char *why)
{
    struct client client = client_open();
    ze_module_desc_t desc = client_module_desc(name);
    expect_failure(&client, &desc, why);
    client_close(&client);
}

static void matrix_8_without_unit(void)
{
    refused_on("matrix_8", "no matrix unit");
}

static void matrix_8_on_pvc(void)
{
    refused_on("matrix_8", "sub-groups of 8");
}

static void double_on_dg2(void)
{
    refused_on("double", "double precision");
}

static void double_on_pvc(void)
{
    struct client client = client_open();
    OK(zeModuleDestroy(client_module(&client, "double")));
    client_close(&client);
}

static void test_refused_on_devices(void **state)
{
    (void)state;
    client_run(matrix_8_without_unit, (const char *[]){"STANDIN_DEVICES=tgl", NULL});
    client_run(matrix_8_on_pvc, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
    client_run(double_on_dg2, (const char *[]){"STANDIN_DEVICES=dg2", NULL});
    client_run(double_on_pvc, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
}

/* ---- specialisation constants ---- */

static void expect_constants(const struct client *client, const ze_module_constants_t *values, uint32_t small, uint32_t large)
{
    ze_module_desc_t desc = client_module_desc("constants");
    ze_module_handle_t module;
    char text[4096];
    desc.pConstants = values;
    OK(create(client, &desc, &module, text));
    ze_kernel_handle_t kernel = client_kernel(module, "constants");
    uint32_t *out = client_shared_memory(client, 2 * sizeof *out);
    client_set_pointer(kernel, 0, out);
    client_launch(client, kernel, 1, 1);
    CHECK(out[0] == small && out[1] == large);
    OK(zeMemFree(client->context, out));
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
}

static void constants(void)
{
    struct client client = client_open();
    uint32_t small = 70;
    uint64_t large = 90;
    const uint32_t ids[] = {5, 3}, unknown = 4;
    const void *values[] = {&small, &large};
    expect_constants(&client, NULL, 7, 9);
    expect_constants(&client, &(ze_module_constants_t){1, ids, values}, 70, 9);
    expect_constants(&client, &(ze_module_constants_t){2, ids, values}, 70, 90);
    ze_module_desc_t desc = client_module_desc("constants");
    ze_module_constants_t wrong = {1, &unknown, values};
    desc.pConstants = &wrong;
    expect_failure(&client, &desc, "4");
    client_close(&client);
}

static void test_constants(void **state)
{
    (void)state;
    client_run(constants, NULL);
}

/* ---- links ---- */

static void dynamic_link(void)
{
    struct client client = client_open();
    ze_module_desc_t descs[] = {client_module_desc("user"), client_module_desc("library")};
    ze_module_handle_t modules[2];
    ze_module_build_log_handle_t log = NULL;
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    ze_kernel_desc_t use = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "use"};
    ze_kernel_handle_t kernel;
    char text[4096];
    for (int i = 0; i < 2; i++) {
        descs[i].pBuildFlags = "-library-compilation";
        OK(create(&client, &descs[i], &modules[i], text));
    }
    OK(zeModuleGetProperties(modules[0], &properties));
    CHECK(properties.flags & ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    RESULT(zeKernelCreate(modules[0], &use, &kernel), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    RESULT(zeModuleDynamicLink(1, modules, &log), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    size_t size = sizeof text;
    OK(zeModuleBuildLogGetString(log, &size, text));
    CHECK(strstr(text, "twice") != NULL);
    OK(zeModuleBuildLogDestroy(log));
    OK(zeModuleDynamicLink(2, modules, NULL));
    OK(zeModuleGetProperties(modules[0], &properties));
    CHECK(!properties.flags);
    run_use(&client, modules[0]);
    OK(zeModuleDestroy(modules[1]));
    run_use(&client, modules[0]);
    OK(zeModuleDestroy(modules[0]));
    client_close(&client);
}

static void module_program(void)
{
    struct client client = client_open();
    ze_module_desc_t user = client_module_desc("user"), library = client_module_desc("library");
    size_t sizes[] = {user.inputSize, library.inputSize};
    const uint8_t *inputs[] = {user.pInputModule, library.pInputModule};
    ze_module_program_exp_desc_t several = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, .count = 2, .inputSizes = sizes, .pInputModules = inputs};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .pNext = &several, .format = ZE_MODULE_FORMAT_IL_SPIRV};
    /* The layers insist on a module here as well. */
    desc.pInputModule = inputs[0];
    desc.inputSize = sizes[0];
    ze_module_handle_t module;
    char text[4096];
    OK(create(&client, &desc, &module, text));
    run_use(&client, module);
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_links(void **state)
{
    (void)state;
    if (!client_is_wrapped())
        client_run(dynamic_link, NULL);
    client_run(module_program, NULL);
}

/* ---- native binaries ---- */

/* The binary of one module at a time. */
static ze_module_desc_t native_of(ze_module_handle_t module)
{
    static uint8_t *bytes;
    size_t size = 0;
    OK(zeModuleGetNativeBinary(module, &size, NULL));
    bytes = malloc(size);
    OK(zeModuleGetNativeBinary(module, &size, bytes));
    return (ze_module_desc_t){
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_NATIVE, .inputSize = size, .pInputModule = bytes};
}

static void native(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "constants"), again;
    ze_module_desc_t desc = native_of(module);
    char text[4096];
    OK(zeModuleDestroy(module));
    OK(create(&client, &desc, &again, text));
    ze_kernel_handle_t kernel = client_kernel(again, "constants");
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(again));
    ((uint8_t *)(uintptr_t)desc.pInputModule)[8] ^= 1; /* the driver's version */
    RESULT(create(&client, &desc, &again, text), ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    ((uint8_t *)(uintptr_t)desc.pInputModule)[8] ^= 1;
    ((uint8_t *)(uintptr_t)desc.pInputModule)[desc.inputSize / 2] ^= 1;
    RESULT(create(&client, &desc, &again, text), ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    desc.inputSize = 10;
    RESULT(create(&client, &desc, &again, text), ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    client_close(&client);
}

/* A binary is for one kind of device. */
static void native_of_another_device(void)
{
    struct client client = client_open();
    ze_device_handle_t devices[2];
    uint32_t count = 2;
    OK(zeDeviceGet(client.driver, &count, devices));
    ze_module_handle_t module = client_module(&client, "constants"), other;
    ze_module_desc_t desc = native_of(module);
    RESULT(zeModuleCreate(client.context, devices[1], &desc, &other, NULL), ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_native(void **state)
{
    (void)state;
    client_run(native, NULL);
    client_run(native_of_another_device, (const char *[]){"STANDIN_DEVICES=dg2,pvc", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_logs), cmocka_unit_test(test_refused_modules), cmocka_unit_test(test_refused_on_devices),
        cmocka_unit_test(test_constants),      cmocka_unit_test(test_links),           cmocka_unit_test(test_native),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
