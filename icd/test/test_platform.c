/* SPDX-License-Identifier: Apache-2.0
 * The platform through the loader: enumeration and its queries. */
#include "icd/test/cl_test.h"

static void every_query_keeps_the_size_rules(void **state)
{
    (void)state;
    cl_platform_id platform = test_platform();
    static const cl_platform_info queries[] = {
        CL_PLATFORM_PROFILE,
        CL_PLATFORM_VERSION,
        CL_PLATFORM_NUMERIC_VERSION,
        CL_PLATFORM_NAME,
        CL_PLATFORM_VENDOR,
        CL_PLATFORM_EXTENSIONS,
        CL_PLATFORM_EXTENSIONS_WITH_VERSION,
        CL_PLATFORM_HOST_TIMER_RESOLUTION,
        CL_PLATFORM_ICD_SUFFIX_KHR,
        CL_PLATFORM_SEMAPHORE_TYPES_KHR,
        CL_PLATFORM_UNLOADABLE_KHR,
    };
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        size_t size = 0;
        unsigned char value[16384];
        CHECK(clGetPlatformInfo(platform, queries[i], 0, NULL, &size));
        CHECK_THAT(size > 0 && size <= sizeof(value));
        CHECK_CODE(clGetPlatformInfo(platform, queries[i], size - 1, value, NULL), CL_INVALID_VALUE);
        memset(value, 0xa5, sizeof(value));
        CHECK(clGetPlatformInfo(platform, queries[i], size, value, NULL));
        CHECK_THAT(value[size] == 0xa5);
        CHECK(clGetPlatformInfo(platform, queries[i], sizeof(value), value, &size));
        CHECK(clGetPlatformInfo(platform, queries[i], 0, NULL, NULL));
    }
    CHECK_CODE(clGetPlatformInfo(platform, 0x1234, 0, NULL, NULL), CL_INVALID_VALUE);
}

static void text(cl_platform_info query, char *out, size_t size)
{
    CHECK(clGetPlatformInfo(test_platform(), query, size, out, NULL));
}

static void it_says_what_it_is(void **state)
{
    (void)state;
    char value[16384];
    text(CL_PLATFORM_NAME, value, sizeof(value));
    assert_string_equal(value, "Tessera");
    text(CL_PLATFORM_PROFILE, value, sizeof(value));
    assert_string_equal(value, "FULL_PROFILE");
    text(CL_PLATFORM_VERSION, value, sizeof(value));
    assert_string_equal(value, "OpenCL 3.1 Tessera");
    cl_version version;
    CHECK(clGetPlatformInfo(test_platform(), CL_PLATFORM_NUMERIC_VERSION, sizeof(version), &version, NULL));
    assert_int_equal(CL_VERSION_MAJOR(version), 3);
    assert_int_equal(CL_VERSION_MINOR(version), 1);

    /* Both forms of the extension list say the same. */
    cl_name_version list[256];
    size_t size;
    CHECK(clGetPlatformInfo(test_platform(), CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof(list), list, &size));
    text(CL_PLATFORM_EXTENSIONS, value, sizeof(value));
    size_t count = size / sizeof(*list), at = 0;
    char *save, *name = strtok_r(value, " ", &save);
    bool icd = false;
    for (; name; name = strtok_r(NULL, " ", &save), at++) {
        CHECK_THAT(at < count);
        assert_string_equal(name, list[at].name);
        icd |= !strcmp(name, "cl_khr_icd");
    }
    assert_int_equal(at, count);
    CHECK_THAT(icd);
}

static void the_compiler_can_be_unloaded(void **state)
{
    (void)state;
    CHECK(clUnloadPlatformCompiler(test_platform()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_query_keeps_the_size_rules),
        cmocka_unit_test(it_says_what_it_is),
        cmocka_unit_test(the_compiler_can_be_unloaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
