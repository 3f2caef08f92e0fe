// SPDX-License-Identifier: Apache-2.0
// kernel: dots
// options: -cl-std=CL3.0
// global: 1000
// buffer: uint 1000 = (i*2654435761+12345)^(i<<29)
// buffer: uint 1000 = (i*40503*65537+99)^(i<<23)
// buffer: uint 1 = 0
// expect: 2 = 0
// needs: cl_khr_integer_dot_product

/* Every dot product of bytes against its definition, with extremes, and the saturation of sums at both ends. */
#define CHECK(condition) bad += !(condition)
long sum(uint a, uint b, bool a_signed, bool b_signed)
{
    long r = 0;
    for (int i = 0; i < 32; i += 8) {
        int x = (int)(a >> i & 255), y = (int)(b >> i & 255);
        r += (a_signed ? (char)x : x) * (b_signed ? (char)y : y);
    }
    return r;
}
long clamped(long r)
{
    return clamp(r, (long)INT_MIN, (long)INT_MAX);
}

kernel void dots(global const uint *as, global const uint *bs, global uint *failures)
{
    size_t i = get_global_id(0);
    uint a = i % 7 == 0 ? 0x80808080u : i % 7 == 1 ? 0xffffffffu : as[i], b = i % 5 == 0 ? 0x80808080u : i % 5 == 1 ? 0xffu << 8 : bs[i];
    uint bad = 0;
    char4 sa = as_char4(a), sb = as_char4(b);
    uchar4 ua = as_uchar4(a), ub = as_uchar4(b);
    long uu = sum(a, b, false, false), ss = sum(a, b, true, true), su = sum(a, b, true, false), us = sum(a, b, false, true);
    CHECK(dot(ua, ub) == uu && dot(sa, sb) == ss && dot(sa, ub) == su && dot(ua, sb) == us);
    CHECK(dot_4x8packed_uu_uint(a, b) == uu && dot_4x8packed_ss_int(a, b) == ss);
    CHECK(dot_4x8packed_su_int(a, b) == su && dot_4x8packed_us_int(a, b) == us);
    int more[] = {0, 1000, INT_MAX, INT_MIN, INT_MAX - 3000, INT_MIN + 3000};
    for (int k = 0; k < 6; k++) {
        int c = more[k];
        uint u = (uint)c + 0x80000000u;
        CHECK(dot_acc_sat(ua, ub, u) == min(uu + u, (long)UINT_MAX) && dot_acc_sat(sa, sb, c) == clamped(ss + c));
        CHECK(dot_acc_sat(sa, ub, c) == clamped(su + c) && dot_acc_sat(ua, sb, c) == clamped(us + c));
        CHECK(dot_acc_sat_4x8packed_uu_uint(a, b, u) == min(uu + u, (long)UINT_MAX));
        CHECK(dot_acc_sat_4x8packed_ss_int(a, b, c) == clamped(ss + c));
        CHECK(dot_acc_sat_4x8packed_su_int(a, b, c) == clamped(su + c));
        CHECK(dot_acc_sat_4x8packed_us_int(a, b, c) == clamped(us + c));
    }
    CHECK(dot((char4)(1, -2, 3, -128), sb) == (int)sb.x - 2 * sb.y + 3 * sb.z - 128 * sb.w);
    int x = (int)a, y = (int)b; /* words that are taken for bytes in a loop */
    for (int k = 0; k < 6; k++) {
        long want = sum((uint)x, (uint)y, true, true);
        CHECK(dot(as_char4(x), as_char4(y)) == want && dot(as_char4(x), sb) == sum((uint)x, b, true, true));
        x += (int)want;
        y ^= x << 3;
    }
    if (i % 3 == 0)
        CHECK(dot(ub, sa) == sum(b, a, false, true));
    if (bad)
        atomic_add(failures, bad);
}
