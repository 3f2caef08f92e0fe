/* SPDX-License-Identifier: Apache-2.0
 * The facts of the CPU device. Private to device-amx/. */
#ifndef TESSERA_CPU_CAPS_H
#define TESSERA_CPU_CAPS_H

#include "tessera/device.h"

/* Found out at the first call, in well under a millisecond; no thread, no hwloc. Static storage. */
const struct tsr_device_caps *tsr__cpu_caps(void);

#endif
