/* SPDX-License-Identifier: Apache-2.0
 * Level Zero has work-groups of one size only. A range whose size they do not divide becomes up to eight launches, which differ in size and
 * global offset: a kernel finds its global and local ids in them, but numbers and sizes of groups of its region. */
#include "device-xmx/regions.h"

/* Whole groups, or with `rest` the smaller group behind them. False: there are none. */
static bool take_side(const struct tsr_ndrange *range, unsigned d, bool rest, struct tsr__xmx_region *region)
{
    uint64_t whole = range->global[d] / range->local[d], left = range->global[d] % range->local[d];
    region->offset[d] = range->offset[d] + (rest ? whole * range->local[d] : 0);
    region->groups[d] = rest ? 1 : whole;
    region->local[d] = (uint32_t)(rest ? left : range->local[d]);
    return rest ? left : whole;
}

unsigned tsr__xmx_regions(const struct tsr_ndrange *range, struct tsr__xmx_region regions[TSR__XMX_MOST_REGIONS])
{
    unsigned count = 0;
    for (unsigned corner = 0; corner < TSR__XMX_MOST_REGIONS; corner++) {
        struct tsr__xmx_region region;
        bool there = true;
        for (unsigned d = 0; d < 3; d++)
            there &= take_side(range, d, corner >> d & 1, &region);
        if (there)
            regions[count++] = region;
    }
    return count;
}
