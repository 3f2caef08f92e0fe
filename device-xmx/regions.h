/* SPDX-License-Identifier: Apache-2.0
 * Ranges as the device runs them: each launch has work-groups of one size. (regions.c) */
#ifndef TESSERA_DEVICE_XMX_REGIONS_H
#define TESSERA_DEVICE_XMX_REGIONS_H

#include "tessera/device.h"

enum { TSR__XMX_MOST_REGIONS = 8 }; /* two in each dimension: whole groups, and the rest */

struct tsr__xmx_region {
    uint64_t offset[3]; /* the first global id */
    uint64_t groups[3];
    uint32_t local[3];
};

/* Cuts a range into regions of uniform groups; their number. */
unsigned tsr__xmx_regions(const struct tsr_ndrange *range, struct tsr__xmx_region regions[TSR__XMX_MOST_REGIONS]);

#endif
