/* SPDX-License-Identifier: Apache-2.0
 * Floating-point control. The application's threads may have exceptions that trap, another rounding, and denormals that count as zeros.
 * Between these two calls the driver computes with its own control: to nearest, and nothing traps. */
#ifndef TESSERA_FLOATS_H
#define TESSERA_FLOATS_H

#include <xmmintrin.h>

static inline unsigned tsr_floats_begin(void)
{
    enum { ALL_MASKED_TO_NEAREST = 0x1f80 };
    unsigned begun = _mm_getcsr();
    _mm_setcsr(ALL_MASKED_TO_NEAREST);
    return begun;
}

/* `begun`: what the former returned. */
static inline void tsr_floats_end(unsigned begun)
{
    _mm_setcsr(begun);
}

#endif
