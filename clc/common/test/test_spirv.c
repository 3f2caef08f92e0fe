/* SPDX-License-Identifier: Apache-2.0
 * What the driver itself finds in a SPIR-V module: whether it is one, and the sizes of its specialisation constants. */
#include "tessera/spirv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OP(number, words) ((words) << 16 | (number))

/* Constants of each scalar type, one that no constant has, one of a vector; behind them a function, then what must not count. */
static const uint32_t sample[] = {TSR_SPIRV_MAGIC, 0x00010000, 0, 30, 0,
                                  /* OpDecorate %n SpecId m */
                                  OP(71, 4), 1, 1, 10, OP(71, 4), 2, 1, 11, OP(71, 4), 3, 1, 12, OP(71, 4), 4, 1, 13, OP(71, 4), 5, 1, 14,
                                  OP(71, 4), 6, 1, 15, OP(71, 4), 7, 1, 16, OP(71, 3), 1, 17, OP(71, 4), 8, 1, 18, OP(71, 4), 9, 44, 19,
                                  /* types */
                                  OP(20, 2), 20, OP(21, 4), 21, 8, 0, OP(21, 4), 22, 32, 0, OP(22, 3), 23, 16, OP(22, 3), 24, 64, OP(23, 4),
                                  25, 22, 2,
                                  /* constants: OpSpecConstantTrue, …False, OpSpecConstant, …Composite */
                                  OP(48, 3), 20, 1, OP(49, 3), 20, 2, OP(50, 4), 21, 3, 7, OP(50, 4), 22, 4, 7, OP(50, 4), 23, 5, 7,
                                  OP(50, 5), 24, 6, 7, 7, OP(51, 5), 25, 8, 4, 4,
                                  /* OpFunction */
                                  OP(54, 5), 26, 27, 0, 28, OP(50, 4), 22, 7, 1};

static void sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t id, size;
    } cases[] = {{10, 1}, {11, 1}, {12, 1}, {13, 4}, {14, 2}, {15, 8}, {16, 0}, {17, 0}, {18, 0}, {19, 0}, {0, 0}, {UINT32_MAX, 0}};
    uint32_t swapped[TSR_ARRAY_LEN(sample)];
    for (size_t i = 0; i < TSR_ARRAY_LEN(sample); i++)
        swapped[i] = __builtin_bswap32(sample[i]);
    assert_null(tsr_spirv_check(sample, sizeof sample));
    assert_null(tsr_spirv_check(swapped, sizeof swapped));
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        assert_int_equal(tsr_spirv_constant_size(sample, sizeof sample, cases[i].id), cases[i].size);
        assert_int_equal(tsr_spirv_constant_size(swapped, sizeof swapped, cases[i].id), cases[i].size);
    }
}

/* A copy that begins at an odd address and ends with its memory. */
static const char *check_copy(const void *module, size_t size)
{
    unsigned char *room = malloc(size + 1);
    assert_non_null(room);
    memcpy(room + 1, module, size);
    const char *wrong = tsr_spirv_check(room + 1, size);
    for (uint32_t id = 0; !wrong && id < 20; id++)
        tsr_spirv_constant_size(room + 1, size, id);
    free(room);
    return wrong;
}

static void damage(void **state)
{
    (void)state;
    static const struct {
        size_t index;
        uint32_t word;
    } cases[] = {{0, 0x07230204}, {1, 0x00010700}, {1, 0x00020000}, {1, 0x01010000}, {1, 0x00010001}, {1, 0}, {4, 1}, {5, 71}};
    uint32_t module[TSR_ARRAY_LEN(sample)];
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        memcpy(module, sample, sizeof sample);
        module[cases[i].index] = cases[i].word;
        if (!check_copy(module, sizeof module))
            fail_msg("word %zu may be 0x%x", cases[i].index, cases[i].word);
    }
    memcpy(module, sample, sizeof sample);
    module[1] = 0x00010600;
    assert_null(check_copy(module, sizeof module));
    assert_null(check_copy(module, TSR_SPIRV_HEADER));
    assert_non_null(check_copy(module, TSR_SPIRV_HEADER - 4));
    assert_non_null(check_copy(module, 0));
    assert_non_null(check_copy(module, sizeof module - 1));
    assert_non_null(check_copy(module, sizeof module - 4)); /* in the last instruction */
    for (size_t bit = 0; bit < 8 * sizeof sample; bit++) {  /* whatever passes is read without harm */
        memcpy(module, sample, sizeof sample);
        module[bit / 32] ^= 1u << bit % 32;
        check_copy(module, sizeof module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
