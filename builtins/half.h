/* SPDX-License-Identifier: Apache-2.0
 * Rounding to half precision in every direction. Only rounding to nearest even from float has an instruction. */
#ifndef TESSERA_BUILTINS_HALF_H
#define TESSERA_BUILTINS_HALF_H

#include "library.h"

enum rounding { RTE, RTZ, RTP, RTN };

/* In integers: a double rounded to float first would be rounded twice. `mode` is a constant wherever this is inlined. */
INLINE ushort half_bits(double x, enum rounding mode)
{
    ulong u = __builtin_astype(x, ulong), magnitude = u & 0x7fffffffffffffffUL;
    ushort sign = (ushort)(u >> 48 & 0x8000);
    bool away = mode == RTP ? !sign : mode == RTN && sign; /* a directed mode that rounds this sign away from zero */
    if (magnitude > 0x7ff0000000000000UL)
        return (ushort)(sign | 0x7e00 | (magnitude >> 42 & 0x1ff));
    int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent > 15)
        return (ushort)(sign | (magnitude == 0x7ff0000000000000UL || mode == RTE || away ? 0x7c00 : 0x7bff));
    ulong mantissa = magnitude & 0xfffffffffffffUL;
    if (exponent > -1023)
        mantissa |= 0x10000000000000UL;
    int shift = exponent >= -14 ? 42 : exponent < -35 ? 63 : 28 - exponent;
    uint kept = (uint)(mantissa >> shift);
    ulong rest = mantissa & ((1UL << shift) - 1), middle = 1UL << (shift - 1);
    bool up = mode == RTE ? rest > middle || (rest == middle && (kept & 1)) : away && rest != 0;
    uint base = exponent < -14 ? 0 : (uint)(exponent + 14) << 10;
    return (ushort)(sign | (base + kept + up)); /* a carry runs into the exponent, and past the largest value gives infinity */
}

INLINE OVER half half_from(double x, enum rounding mode)
{
    return __builtin_astype(half_bits(x, mode), half);
}

/* The nearest half, or its neighbour if the nearest lies on the wrong side of x. */
INLINE OVER half half_from(float x, enum rounding mode)
{
    half nearest = (half)x;
    float back = (float)nearest;
    bool wrong = mode == RTZ ? __builtin_elementwise_abs(back) > __builtin_elementwise_abs(x)
                             : mode == RTP ? back < x : mode == RTN && back > x;
    bool outward = mode == RTP ? x > 0 : mode == RTN && x < 0;
    ushort bits = __builtin_astype(nearest, ushort);
    return __builtin_astype((ushort)(wrong ? outward ? bits + 1 : bits - 1 : bits), half);
}

#endif
