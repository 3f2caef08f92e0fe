/* SPDX-License-Identifier: Apache-2.0
 * The order of work-groups for kernels that multiply matrices: neighbours in both directions run one after the other, so that the rows of
 * one operand and the columns of the other are still in the cache.
 *
 * A plane of groups is halved along its longer side until few are left. So every stretch of the order is compact, for caches of any size
 * and for the parts of the range that other threads take. */
#include "device-amx/costs.h"
#include "device-amx/cpu.h"

void tsr__group_order_find(const uint64_t num_groups[3], uint64_t number, uint64_t id[3], uint64_t *in_row)
{
    uint64_t width = num_groups[0], height = num_groups[1];
    id[0] = id[1] = 0;
    id[2] = number / (width * height);
    number %= width * height;
    while (width > TSR__ORDER_LEAF || height > TSR__ORDER_LEAF) {
        int d = width < height;
        uint64_t *side = d ? &height : &width, half = *side / 2, in_half = half * (d ? width : height);
        if (number < in_half) {
            *side = half;
            continue;
        }
        number -= in_half;
        *side -= half;
        id[d] += half;
    }
    assert(number < width * height);
    id[0] += number % width;
    id[1] += number / width;
    *in_row = width - number % width;
}
