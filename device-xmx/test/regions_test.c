/* SPDX-License-Identifier: Apache-2.0
 * Ranges cut into launches of uniform groups: every work-item is in one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device-xmx/regions.h"

static void each_work_item_is_in_one(void **state)
{
    (void)state;
    static const struct {
        uint64_t global[3], local[3];
        unsigned regions;
    } cases[] = {
        {{1, 1, 1}, {1, 1, 1}, 1},    {{64, 1, 1}, {64, 1, 1}, 1}, {{63, 1, 1}, {64, 1, 1}, 1}, {{65, 1, 1}, {64, 1, 1}, 2},
        {{128, 3, 1}, {64, 2, 1}, 2}, {{9, 9, 1}, {4, 4, 1}, 4},   {{9, 9, 9}, {4, 4, 4}, 8},   {{3, 9, 9}, {4, 4, 4}, 4},
    };
    for (size_t c = 0; c < TSR_ARRAY_LEN(cases); c++) {
        struct tsr_ndrange range = {.dim = 3, .offset = {5, 6, 7}};
        unsigned char seen[16][16][128] = {{{0}}};
        for (unsigned d = 0; d < 3; d++) {
            range.global[d] = cases[c].global[d];
            range.local[d] = cases[c].local[d];
        }
        struct tsr__xmx_region regions[TSR__XMX_MOST_REGIONS];
        unsigned count = tsr__xmx_regions(&range, regions);
        assert_int_equal(count, cases[c].regions);
        for (unsigned i = 0; i < count; i++)
            for (uint64_t z = 0; z < regions[i].groups[2] * regions[i].local[2]; z++)
                for (uint64_t y = 0; y < regions[i].groups[1] * regions[i].local[1]; y++)
                    for (uint64_t x = 0; x < regions[i].groups[0] * regions[i].local[0]; x++)
                        seen[regions[i].offset[2] - 7 + z][regions[i].offset[1] - 6 + y][regions[i].offset[0] - 5 + x]++;
        for (unsigned z = 0; z < 16; z++)
            for (unsigned y = 0; y < 16; y++)
                for (unsigned x = 0; x < 128; x++)
                    assert_int_equal(seen[z][y][x], z < cases[c].global[2] && y < cases[c].global[1] && x < cases[c].global[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_work_item_is_in_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
