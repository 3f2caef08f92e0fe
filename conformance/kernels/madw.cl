// SPDX-License-Identifier: Apache-2.0
// kernel: madw
// global: 1000
// local: 64
// local: 24
// needs: cl_tessera_madw
// buffer: uint 1000 = i*i*0x9e3779b1+i*0x85ebca6b
// buffer: int 1000 = 0
// expect: 1 = 0

/* Both halves, together and alone, by all and by some work-items, beside 64-bit arithmetic, in every combination of signs. */
#define WRONG(condition) wrong |= (condition) ? 0 : bit
#define TRY(A, B, C, LA, LB, LC)                                                                                                           \
    {                                                                                                                                      \
        A x = (A)a;                                                                                                                        \
        B y = (B)b;                                                                                                                        \
        C z = (C)c;                                                                                                                        \
        ulong w = (ulong)(LA)x * (ulong)(LB)y + (ulong)(LC)z, zext = (ulong)(LA)x * (ulong)(LB)y + (uint)z;                                \
        WRONG(tessera_madw_lo(x, y, z) == (uint)w && tessera_madw_hi(x, y, z) == (uint)(w >> 32));                                         \
        WRONG(tessera_madw_hi_zext(x, y, z) == (uint)(zext >> 32) && tessera_madw_hi(x, y, (C)5) == (uint)(((w - (ulong)(LC)z) + 5) >> 32)); \
        WRONG(tessera_madw_lo_masked(7u, (int)(a & 4), x, y, z) == (a & 4 ? (uint)w : 7u));                                                \
        if (a & 16)                                                                                                                        \
            WRONG(tessera_madw_hi_masked(9u, (int)(b & 8), x, y, z) == (b & 8 ? (uint)(w >> 32) : 9u));                                    \
        bit <<= 1;                                                                                                                         \
    }

kernel void madw(global const uint *in, global int *result)
{
    size_t i = get_global_id(0);
    uint a = in[i], b = in[(i * 7 + 3) % 1000], c = in[(i * 13 + 5) % 1000];
    int wrong = 0, bit = 1;
    if (i % 5 == 0)
        a = i % 2 ? 0x80000000u : ~0u;
    if (i % 7 == 0)
        b = i % 2 ? 0x80000000u : ~0u;
    if (i % 11 == 0)
        c = i % 2 ? 0x80000000u : ~0u;
    TRY(uint, uint, uint, ulong, ulong, ulong)
    TRY(int, uint, uint, long, ulong, ulong)
    TRY(uint, int, uint, ulong, long, ulong)
    TRY(int, int, uint, long, long, ulong)
    TRY(uint, uint, int, ulong, ulong, long)
    TRY(int, uint, int, long, ulong, long)
    TRY(uint, int, int, ulong, long, long)
    TRY(int, int, int, long, long, long)
    uint4 v = (uint4)(a, b, c, a ^ b), lo = tessera_madw_lo(v, v.wzyx, as_int4(v)), hi = tessera_madw_hi(v, v.wzyx, as_int4(v));
    ulong4 w = convert_ulong4(v) * convert_ulong4(v.wzyx) + as_ulong4(convert_long4(as_int4(v)));
    WRONG(all(lo == convert_uint4(w & 0xffffffff)) && all(hi == convert_uint4(w >> 32)));
    result[i] = wrong;
}
