/* SPDX-License-Identifier: Apache-2.0
 * Heap functions: edge sizes and injected failures, from the environment and from a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tessera/base.h"

/* Sanitizers end the program at a size that malloc refuses, unless told otherwise. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void from_environment(void **state)
{
    (void)state;
    void *a = tsr_malloc(1), *b = tsr_calloc(1, 1);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(tsr_malloc(1)); /* TESSERA_FAIL_ALLOC=3 */
    assert_null(tsr_calloc(1, 1));
    assert_null(tsr_realloc(a, 50));
    assert_null(tsr_aligned(64, 1));
    assert_null(tsr_strdup("x"));
    assert_null(tsr_strndup("x", 1));
    assert_null(tsr_format("%d", 1));
    tsr_fail_alloc(0);
    tsr_free(a);
    tsr_free(b);
}

static void edge_sizes(void **state)
{
    (void)state;
    void *a = tsr_malloc(0), *b = tsr_malloc(0), *c = tsr_calloc(0, 5), *d = tsr_realloc(NULL, 0);
    assert_true(a && b && c && d && a != b);
    d = tsr_realloc(d, 0);
    assert_non_null(d);
    volatile size_t huge = SIZE_MAX / 2; /* hidden from the compiler, which warns about such sizes */
    assert_null(tsr_calloc(huge, 3));
    assert_null(tsr_malloc(huge + 2));
    assert_null(tsr_aligned(128, huge + 2));
    tsr_free(a);
    tsr_free(b);
    tsr_free(c);
    tsr_free(d);
    tsr_free(NULL);
    for (size_t align = 1; align <= 65536; align *= 2) {
        void *p = tsr_aligned(align, 3);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % align, 0);
        tsr_free(p);
    }
}

static void text(void **state)
{
    (void)state;
    char *a = tsr_strdup("hello"), *b = tsr_strndup("hello", 2), *c = tsr_strndup("hi", 9), *d = tsr_format("%s %05d", "n", 42);
    assert_string_equal(a, "hello");
    assert_string_equal(b, "he");
    assert_string_equal(c, "hi");
    assert_string_equal(d, "n 00042");
    tsr_free(a);
    tsr_free(b);
    tsr_free(c);
    tsr_free(d);
}

static void counted(void **state)
{
    (void)state;
    for (int n = 1; n < 5; n++) {
        tsr_fail_alloc(n);
        for (int i = 1; i < 8; i++) {
            void *p = tsr_malloc(8);
            assert_int_equal(p != NULL, i < n);
            tsr_free(p);
        }
    }
    tsr_fail_alloc(0);
    void *p = tsr_malloc(8);
    assert_non_null(p);
    tsr_free(p);
}

int main(void)
{
    setenv("TESSERA_FAIL_ALLOC", "3", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_environment), cmocka_unit_test(edge_sizes), cmocka_unit_test(text),
                                       cmocka_unit_test(counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
