/* SPDX-License-Identifier: Apache-2.0
 * The device's clock in that of the host. Kernels' time stamps have few bits, 32 on most GPUs, which is some minutes: the distance to now
 * is taken in that many bits, so that a clock that has begun anew since then does no harm. */
#include "device-xmx/clock.h"
#include "tessera/floats.h"

static uint64_t valid(uint64_t ticks, uint32_t bits)
{
    return bits && bits < 64 ? ticks & ((UINT64_C(1) << bits) - 1) : ticks;
}

bool tsr__xmx_now(const struct tsr__xmx_device *device, struct tsr__xmx_moment *now)
{
    uint64_t host, ticks; /* the driver's host clock need not be ours */
    uint64_t before = tsr_now_ns();
    if (tsr__ze.DeviceGetGlobalTimestamps(device->handle, &host, &ticks))
        return false;
    now->ns = before + (tsr_now_ns() - before) / 2;
    now->ticks = valid(ticks, device->clock_bits);
    return true;
}

uint64_t tsr__xmx_when(const struct tsr__xmx_device *device, const struct tsr__xmx_moment *now, uint64_t ticks)
{
    uint64_t ago = valid(now->ticks - ticks, device->kernel_clock_bits);
    /* The two clocks are read one after the other: what has ended may seem to end in a moment. */
    if (device->kernel_clock_bits && device->kernel_clock_bits < 64 && ago >> (device->kernel_clock_bits - 1))
        return now->ns;
    const unsigned begun = tsr_floats_begin();
    uint64_t ns = (uint64_t)((double)ago * device->ns_per_tick);
    tsr_floats_end(begun);
    return ns < now->ns ? now->ns - ns : 0;
}
