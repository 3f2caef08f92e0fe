/* SPDX-License-Identifier: Apache-2.0
 * Which launches write past the caches: those that touch enough and write a good part of it, to memory that nothing else of the launch
 * meets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device-amx/cpu.h"

enum { KIB = 1024 };

static struct tsr_arg_info infos[3] = {
    {.kind = TSR_ARG_POINTER, .size = 8, .align = 8, .offset = 0, .nontemporal_bytes = 4},
    {.kind = TSR_ARG_POINTER, .size = 8, .align = 8, .offset = 8},
    {.kind = TSR_ARG_VALUE, .size = 8, .align = 8, .offset = 16},
};
static const struct tsr_kernel_info kernel = {.arg_count = 3, .args = infos, .args_size = 24, .flags = TSR_KERNEL_NONTEMPORAL};

/* A write of `items` words to memory at `to`, and something read from `from`. */
static uint64_t choose(uint64_t items, uint64_t local, uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes)
{
    struct tsr_ndrange range = {.dim = 1, .global = {items, 1, 1}, .local = {local, 1, 1}};
    uint64_t args[3] = {to, from, 12}, bytes[TSR_SIZED_ARGUMENTS] = {to_bytes, from_bytes, 0};
    return tsr__nontemporal_choose(&kernel, &range, args, bytes);
}

static void much_is_written_past(void **state)
{
    (void)state;
    assert_int_equal(choose(16 * KIB, 64, 1 << 20, 64 * KIB, 1 << 24, 64), 1);
    assert_int_equal(choose(4 * KIB, 64, 1 << 20, 16 * KIB, 1 << 24, 49 * KIB), 1);
}

static void little_is_not(void **state)
{
    (void)state;
    assert_int_equal(choose(4 * KIB, 64, 1 << 20, 16 * KIB, 1 << 24, 47 * KIB), 0); /* touches less */
    assert_int_equal(choose(2 * KIB, 64, 1 << 20, 1 << 19, 1 << 24, 1 << 20), 0);   /* part of a large buffer */
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 8 * KIB, 1 << 24, 1 << 20), 0);   /* again and again */
    assert_int_equal(choose(1 << 20, 8, 1 << 20, 1 << 22, 1 << 24, 64), 0);         /* half lines */
}

static void what_meets_is_not(void **state)
{
    (void)state;
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 1 << 22, 1 << 20, 1 << 22), 0);
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 1 << 22, (1 << 20) + (1 << 22) - 1, 1 << 22), 0);
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 1 << 22, (1 << 20) + (1 << 22), 1 << 22), 1);
}

static void nobody_knows(void **state)
{
    (void)state;
    struct tsr_ndrange range = {.dim = 1, .global = {1 << 20, 1, 1}, .local = {64, 1, 1}};
    uint64_t args[3] = {1 << 20, 0, 0};
    assert_int_equal(tsr__nontemporal_choose(&kernel, &range, args, NULL), 0);
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 0, 1 << 24, 1 << 20), 0);
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 1 << 22, 0, 0), 1); /* a null pointer meets nothing */
}

int main(void)
{
    setenv("TESSERA_STREAM", "64K", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(much_is_written_past), cmocka_unit_test(little_is_not),
                                       cmocka_unit_test(what_meets_is_not), cmocka_unit_test(nobody_knows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
