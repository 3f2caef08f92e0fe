// SPDX-License-Identifier: Apache-2.0
// kernel: corners
// global: 16
// buffer: ulong 16 = 0
// expect: 0 = 0xfffffffffffffffe 0x3fffffffffffffff 0x7fffffffffffffff 0x8000000000000000 0xffffffffffffffff 0x7fffffff 0x80000000 0 64 63 0xc000000000000000 31 0x123456789abcdef0 0x00fffffe 0xfffffffffffffff1 1

/* 64-bit products and saturation at their corners, 24-bit forms, rotation. */
kernel void corners(global ulong *r)
{
    ulong top = 0xffffffffffffffffUL;
    long low = LONG_MIN, high = LONG_MAX;
    switch (get_global_id(0)) {
    case 0: r[0] = mul_hi(top, top); break;
    case 1: r[1] = (ulong)mul_hi(high, high); break;
    case 2: r[2] = (ulong)mad_sat(high, 2L, 0L); break;
    case 3: r[3] = (ulong)mad_sat(low, 2L, -1L); break;
    case 4: r[4] = mad_sat(top, 2UL, 0UL); break;
    case 5: r[5] = (uint)add_sat(INT_MAX, 1); break;
    case 6: r[6] = (uint)sub_sat(INT_MIN, 1); break;
    case 7: r[7] = sub_sat(1u, 2u); break;
    case 8: r[8] = clz(0UL); break;
    case 9: r[9] = (ulong)ctz(1UL << 63); break;
    case 10: r[10] = (ulong)mul_hi(low, high) ; break;
    case 11: r[11] = (ulong)clz(1); break;
    case 12: r[12] = rotate(0xdef0123456789abcUL, 16UL) == 0x123456789abcdef0UL ? 0x123456789abcdef0UL : 0; break;
    case 13: r[13] = mul24(0x7fffffu, 2u); break;
    case 14: r[14] = (ulong)(long)mad24(-4, 4, 1); break;
    case 15: r[15] = (ulong)(mad_sat(low, -1L, -1L) == LONG_MAX && mad_sat(low, 1L, 5L) == low + 5); break;
    }
}
