/* SPDX-License-Identifier: Apache-2.0
 * The device's clock in that of the host. (clock.c) */
#ifndef TESSERA_DEVICE_XMX_CLOCK_H
#define TESSERA_DEVICE_XMX_CLOCK_H

#include "device-xmx/xmx.h"

/* A moment in ticks of the device and in nanoseconds of tsr_now_ns(). */
struct tsr__xmx_moment {
    uint64_t ticks, ns;
};
/* Now. False: the device does not tell. */
bool tsr__xmx_now(const struct tsr__xmx_device *device, struct tsr__xmx_moment *now);
/* When it was `ticks` on the clock of kernels, which has kernel_clock_bits and may have begun anew once since then: nanoseconds of
 * tsr_now_ns(). */
uint64_t tsr__xmx_when(const struct tsr__xmx_device *device, const struct tsr__xmx_moment *now, uint64_t ticks);

#endif
