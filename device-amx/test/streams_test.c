/* SPDX-License-Identifier: Apache-2.0
 * Which launches write past the caches: those that touch enough and write a good part of it, to memory that nothing else of the launch
 * meets. And what a launch knows of its arguments' memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device-amx/costs.h"
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
    struct tsr_arg_memory memory[TSR_SIZED_ARGUMENTS] = {{to, to_bytes}, {from, from_bytes}};
    return tsr__nontemporal_choose(&kernel, &range, memory);
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

/* A cache that no more cores can see than use it is theirs; of another one they have more than a share, and less than all. */
static void caches_are_shared(void **state)
{
    (void)state;
    enum { MIB = 1024 * KIB };
    const uint64_t few = 2, share = few * TSR__CACHE_OF_A_CORE, all = 48 * share;
    assert_int_equal(tsr__nontemporal_cache(32 * MIB, 16), 32 * MIB);
    assert_int_equal(tsr__nontemporal_cache(32 * MIB, 0), 32 * MIB);
    assert_int_equal(tsr__nontemporal_cache(share, few), share);
    assert_int_equal(tsr__nontemporal_cache(4 * share, few), 2 * share);
    assert_in_range(tsr__nontemporal_cache(all, few), 6 * share, 7 * share);
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
    assert_int_equal(tsr__nontemporal_choose(&kernel, &range, NULL), 0);
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 0, 1 << 24, 1 << 20), 0);
    assert_int_equal(choose(1 << 20, 64, 1 << 20, 1 << 22, 0, 0), 1); /* a null pointer meets nothing */
}

/* What is noted of two pointers; the kernel's code asks for those of `asks`. */
static struct tsr_group note(uint32_t asks, struct tsr_arg_memory x, struct tsr_arg_memory y)
{
    struct tsr_kernel_info asking = kernel;
    struct tsr_group group = {0};
    uint64_t args[3] = {x.begin, y.begin, 12};
    struct tsr_arg_memory memory[TSR_SIZED_ARGUMENTS] = {x, y};
    asking.asked_arguments = asks;
    tsr__note_memory(&group, &asking, args, memory);
    return group;
}

static const struct tsr_arg_memory some = {4096, 64}, nothing = {0, 0};

static void neighbours_are_alone(void **state)
{
    (void)state;
    assert_int_equal(note(1, some, (struct tsr_arg_memory){4096 + 64, 64}).alone, 3);
    assert_int_equal(note(1, some, (struct tsr_arg_memory){4096 - 64, 64}).alone, 3);
    assert_int_equal(note(1, some, (struct tsr_arg_memory){4096 + 63, 64}).alone, 0);
    assert_int_equal(note(1, some, (struct tsr_arg_memory){4096 - 63, 64}).alone, 0);
    assert_int_equal(note(1, some, some).alone, 0);
    assert_int_equal(note(1, some, nothing).alone, 1);                             /* a null pointer reaches nothing */
    assert_int_equal(note(1, some, (struct tsr_arg_memory){1 << 20, 0}).alone, 0); /* nobody knows what it reaches */
    assert_int_equal(note(0, some, nothing).alone, 0);                             /* nobody asks */
}

static void large_memory_is_not_small(void **state)
{
    (void)state;
    const struct tsr_arg_memory large = {1 << 20, TSR_SMALL_MEMORY}, less = {1 << 20, TSR_SMALL_MEMORY - 1};
    assert_int_equal(note(1, some, large).small, 1);
    assert_int_equal(note(1, some, less).small, 3);
    assert_int_equal(note(1, less, nothing).small, 1);
    assert_int_equal(note(1, some, (struct tsr_arg_memory){1 << 20, 0}).small, 1);
    assert_int_equal(note(0, some, less).small, 0);
}

/* Of more arguments than are looked at. */
static void arguments_behind_the_last_may_reach_anything(void **state)
{
    (void)state;
    enum { COUNT = TSR_SIZED_ARGUMENTS + 1 };
    struct tsr_arg_info many[COUNT];
    uint64_t args[COUNT];
    struct tsr_arg_memory memory[TSR_SIZED_ARGUMENTS];
    for (uint32_t i = 0; i < COUNT; i++) {
        many[i] = (struct tsr_arg_info){.kind = TSR_ARG_POINTER, .size = 8, .align = 8, .offset = 8 * i};
        args[i] = 4096 * (i + 1);
        if (i < TSR_SIZED_ARGUMENTS)
            memory[i] = (struct tsr_arg_memory){args[i], 4096};
    }
    for (uint32_t count = COUNT - 1; count <= COUNT; count++) {
        struct tsr_kernel_info asking = {.arg_count = count, .args = many, .asked_arguments = 1};
        struct tsr_group group = {0};
        tsr__note_memory(&group, &asking, args, memory);
        assert_int_equal(group.alone, count == COUNT ? 0 : UINT32_MAX);
        assert_int_equal(group.small, UINT32_MAX);
    }
}

int main(void)
{
    setenv("TESSERA_STREAM", "64K", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(much_is_written_past),
                                       cmocka_unit_test(little_is_not),
                                       cmocka_unit_test(caches_are_shared),
                                       cmocka_unit_test(what_meets_is_not),
                                       cmocka_unit_test(nobody_knows),
                                       cmocka_unit_test(neighbours_are_alone),
                                       cmocka_unit_test(large_memory_is_not_small),
                                       cmocka_unit_test(arguments_behind_the_last_may_reach_anything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
