/* SPDX-License-Identifier: Apache-2.0
 * The order of work-groups with tiles: each group once, rows as long as it says, and short stretches of it compact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device-amx/cpu.h"

static const uint64_t sizes[][3] = {{1, 1, 1}, {7, 1, 1}, {1, 9, 1}, {8, 8, 1}, {5, 13, 3}, {64, 3, 2}, {31, 33, 1}};

static void every_group_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const uint64_t *n = sizes[i], count = n[0] * n[1] * n[2];
        unsigned char *seen = calloc(count, 1);
        uint64_t before[3] = {0}, left = 0;
        assert_non_null(seen);
        for (uint64_t number = 0; number < count; number++) {
            uint64_t id[3], in_row;
            tsr__group_order_find(n, number, id, &in_row);
            assert_true(id[0] < n[0] && id[1] < n[1] && id[2] < n[2] && in_row >= 1);
            assert_int_equal(seen[(id[2] * n[1] + id[1]) * n[0] + id[0]]++, 0);
            if (left > 1) {
                assert_int_equal(id[0], before[0] + 1);
                assert_int_equal(id[1], before[1]);
                assert_int_equal(in_row, left - 1);
            }
            memcpy(before, id, sizeof(before));
            left = in_row;
        }
        free(seen);
    }
}

/* Sixteen neighbours of a plane of 32 x 32 see four rows and four columns, not one and sixteen. */
static void stretches_are_compact(void **state)
{
    static const uint64_t n[3] = {32, 32, 1};
    (void)state;
    for (uint64_t start = 0; start < 1024; start += 16) {
        uint32_t rows = 0, columns = 0;
        for (uint64_t number = start; number < start + 16; number++) {
            uint64_t id[3], in_row;
            tsr__group_order_find(n, number, id, &in_row);
            columns |= 1u << id[0];
            rows |= 1u << id[1];
        }
        assert_int_equal(__builtin_popcount(rows), 4);
        assert_int_equal(__builtin_popcount(columns), 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_group_once), cmocka_unit_test(stretches_are_compact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
