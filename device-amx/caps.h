/* SPDX-License-Identifier: Apache-2.0
 * The facts of the CPU device. Private to device-amx/. */
#ifndef TESSERA_CPU_CAPS_H
#define TESSERA_CPU_CAPS_H

#include "tessera/device.h"

/* Found out at the first call, in well under a millisecond; no thread, no hwloc. Static storage. */
const struct tsr_device_caps *tsr__cpu_caps(void);

/* What the device says of itself in place of the CPU's facts (personas.c). */
struct tsr__cpu_persona {
    const char *name;
    uint32_t device_id, ip_version, smallest_sub_group;
    uint32_t most_work_items; /* in a work-group */
    bool dpas;                /* matrix units */
    const enum tsr_ext *lacks;
    size_t lack_count;
};
/* TESSERA_PERSONA; NULL: none. */
const struct tsr__cpu_persona *tsr__cpu_find_persona(void);

#endif
