/* SPDX-License-Identifier: Apache-2.0
 * What the driver must leave alone: signal handlers, the signal mask, the floating-point environment. And no kernel may raise SIGFPE. */
#include <signal.h>
#include <xmmintrin.h>

#include "host.h"

#define SIGNALS 64

static void read_handlers(struct sigaction *handlers)
{
    for (int i = 1; i < SIGNALS; i++)
        if (sigaction(i, NULL, &handlers[i]) != 0)
            memset(&handlers[i], 0, sizeof handlers[i]);
}

int main(void)
{
    struct sigaction before[SIGNALS], after[SIGNALS];
    sigset_t mask_before = {0}, mask_after = {0}; /* the kernel writes a part of them */
    read_handlers(before);
    sigprocmask(SIG_BLOCK, NULL, &mask_before);
    /* Round down, flush denormals, trap invalid, division by zero and overflow: the affair of the host alone. */
    unsigned const control = 0x2000u | 0x8000u | 0x1900u; /* invalid, division and overflow would trap */
    _mm_setcsr(control);

    struct session s = open_session();
    cl_int data[256];
    for (int i = 0; i < 256; i++)
        data[i] = i - 128;
    run_on_ints(&s,
                "int v = out[i]; int zero = v & 0; int min = INT_MIN | zero; int m1 = -1 | zero;"
                " volatile int q = v / zero; volatile int r = v % zero; volatile int o = min / m1; volatile int p = min % m1;"
                " volatile uint u = (uint)v / (uint)zero; volatile long l = (long)v / (long)zero; volatile long w = LONG_MIN / (long)m1;"
                " volatile short h = (short)v / (short)zero; int4 iv = (int4)(v) / (int4)(zero);"
                /* 1/3 rounded to nearest and a denormal kept, whatever the host's control word says */
                " float third = 1.0f / (float)(3 | zero); float tiny = as_float(1 | zero) * 4.0f;"
                " out[i] = as_int(third) == 0x3eaaaaab && as_int(tiny) == 4 ? v + (iv.x & 0) : 12345;",
                data, 256);
    for (int i = 0; i < 256; i++)
        REQUIRE(data[i] == i - 128, "element %d is %d", i, data[i]);
    REQUIRE((_mm_getcsr() & ~0x3fu) == (control & ~0x3fu), "MXCSR was %x and is %x", control, _mm_getcsr());
    _mm_setcsr(0x1f80);
    close_session(&s);

    read_handlers(after);
    sigprocmask(SIG_BLOCK, NULL, &mask_after);
    for (int i = 1; i < SIGNALS; i++)
        REQUIRE(before[i].sa_handler == after[i].sa_handler && before[i].sa_flags == after[i].sa_flags, "handler of signal %d changed", i);
    REQUIRE(memcmp(&mask_before, &mask_after, sizeof mask_before) == 0, "signal mask changed");
    puts("signals and floating-point environment untouched");
    return 0;
}
