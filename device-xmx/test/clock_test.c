/* SPDX-License-Identifier: Apache-2.0
 * The device's time stamps in the host's clock, before and after their clock has begun anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device-xmx/clock.h"

static void stamps(void **state)
{
    (void)state;
    struct tsr__xmx_device device = {.ns_per_tick = 10, .clock_bits = 36, .kernel_clock_bits = 32};
    const uint64_t now_ns = 1000000000000;
    static const struct {
        uint64_t now, stamp, ago; /* in ticks */
    } cases[] = {
        {5000, 5000, 0},
        {5000, 4000, 1000},
        {UINT64_C(0x100001000), 0x800, 0x800},       /* the wide clock is past 32 bits, the stamp has none of these */
        {0x800, 0xfffff800, 0x1000},                 /* begun anew since then */
        {UINT64_C(0xf00000800), 0xfffff800, 0x1000}, /* the same */
        {5000, 5001, 0},                             /* read a little late: now, not six minutes ago */
        {0, 1, 0},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct tsr__xmx_moment now = {cases[i].now, now_ns};
        assert_int_equal(tsr__xmx_when(&device, &now, cases[i].stamp), now_ns - 10 * cases[i].ago);
    }
    device.kernel_clock_bits = 64;
    struct tsr__xmx_moment now = {UINT64_C(1) << 40, now_ns};
    assert_int_equal(tsr__xmx_when(&device, &now, (UINT64_C(1) << 40) - 7), now_ns - 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stamps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
