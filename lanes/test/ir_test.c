/* SPDX-License-Identifier: Apache-2.0
 * Maps of numbers, and what happens if something does not hold that the engine relies on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/ErrorHandling.h>

#include "lanes/ir/ir.h"

static jmp_buf way_out;
static char said[256];

static void fatal(const char *reason)
{
    snprintf(said, sizeof said, "%s", reason);
    longjmp(way_out, 1);
}

/* A key that is not there would count as a number far beside any array: the compiler says so, and goes no further. */
static void test_numbers(void **state)
{
    struct tsr_arena arena = {0};
    struct tsr__map map = {.arena = &arena};
    int keys[100], absent;
    (void)state;
    for (uintptr_t i = 0; i < TSR_ARRAY_LEN(keys); i++)
        tsr__map_set(&map, &keys[i], i + 1);
    for (size_t i = 0; i < TSR_ARRAY_LEN(keys); i++)
        assert_int_equal(tsr__map_number(&map, &keys[i]), i);
    LLVMInstallFatalErrorHandler(fatal);
    if (!setjmp(way_out)) {
        tsr__map_number(&map, &absent);
        fail_msg("a number for a key that is not there");
    }
    LLVMResetFatalErrorHandler();
    assert_non_null(strstr(said, "ir.c: number != 0"));
    tsr_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
