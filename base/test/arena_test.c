/* SPDX-License-Identifier: Apache-2.0
 * Arena: alignment, zeroing, sizes around the block size, failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tessera/base.h"

static void many_sizes(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static unsigned char *p[COUNT];
    struct tsr_arena arena = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        size_t size = i * 7 % 5000;
        p[i] = tsr_arena_alloc(&arena, size);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(p[i][k], 0);
        memset(p[i], (int)(i & 255), size);
    }
    for (unsigned i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i * 7 % 5000; k++)
            assert_int_equal(p[i][k], i & 255);
    tsr_arena_free(&arena);
    assert_null(arena.head);
}

static void text(void **state)
{
    (void)state;
    struct tsr_arena arena = {0};
    assert_string_equal(tsr_arena_format(&arena, "%d-%s", 42, "x"), "42-x");
    assert_string_equal(tsr_arena_format(&arena, "%s", ""), "");
    tsr_arena_free(&arena);
}

static void failure(void **state)
{
    (void)state;
    struct tsr_arena arena = {0};
    assert_null(tsr_arena_alloc(&arena, SIZE_MAX - 3));
    tsr_fail_alloc(1);
    assert_null(tsr_arena_alloc(&arena, 10));
    assert_null(tsr_arena_format(&arena, "%d", 1));
    tsr_fail_alloc(0);
    assert_non_null(tsr_arena_alloc(&arena, 10));
    tsr_arena_free(&arena);
}

static size_t missed;

static void note(size_t size)
{
    missed = size;
}

static void handler(void **state)
{
    (void)state;
    struct tsr_arena arena = {0};
    tsr_arena_on_failure(note);
    assert_non_null(tsr_arena_alloc(&arena, 10));
    assert_int_equal(missed, 0);
    tsr_fail_alloc(1);
    assert_null(tsr_arena_alloc(&arena, 1 << 20));
    assert_int_equal(missed, 1 << 20);
    tsr_arena_on_failure(NULL);
    assert_null(tsr_arena_alloc(&arena, 2 << 20));
    assert_int_equal(missed, 1 << 20);
    tsr_fail_alloc(0);
    tsr_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_sizes), cmocka_unit_test(text), cmocka_unit_test(failure),
                                       cmocka_unit_test(handler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
