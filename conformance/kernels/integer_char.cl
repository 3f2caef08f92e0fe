// SPDX-License-Identifier: Apache-2.0
// kernel: pairs
// global: 65536
// buffer: uint 1 = 0
// expect: 0 = 0

/* Every pair of 8-bit values through the integer functions, against arithmetic in int. */
#define CHECK(condition) bad += !(condition)
kernel void pairs(global uint *failures)
{
    uint id = (uint)get_global_id(0), bad = 0;
    char a = (char)id, b = (char)(id >> 8);
    uchar ua = (uchar)id, ub = (uchar)(id >> 8);
    int x = a, y = b, ux = ua, uy = ub;
    int sum = x + y, difference = x - y, product = x * y;
    CHECK(add_sat(a, b) == (sum > 127 ? 127 : sum < -128 ? -128 : sum));
    CHECK(add_sat(ua, ub) == (ux + uy > 255 ? 255 : ux + uy));
    CHECK(sub_sat(a, b) == (difference > 127 ? 127 : difference < -128 ? -128 : difference));
    CHECK(sub_sat(ua, ub) == (ux - uy < 0 ? 0 : ux - uy));
    CHECK(hadd(a, b) == (sum >> 1) && hadd(ua, ub) == (ux + uy) >> 1);
    CHECK(rhadd(a, b) == ((sum + 1) >> 1) && rhadd(ua, ub) == (ux + uy + 1) >> 1);
    CHECK(abs_diff(a, b) == (difference < 0 ? -difference : difference));
    CHECK(abs_diff(ua, ub) == (ux < uy ? uy - ux : ux - uy));
    CHECK(abs(a) == (uchar)(x < 0 ? -x : x) && abs(ua) == ua);
    CHECK(mul_hi(a, b) == product >> 8 && mul_hi(ua, ub) == (ux * uy) >> 8);
    CHECK(mad_hi(a, b, a) == (char)((product >> 8) + x));
    int mad = product + x;
    CHECK(mad_sat(a, b, a) == (mad > 127 ? 127 : mad < -128 ? -128 : mad));
    mad = ux * uy + uy;
    CHECK(mad_sat(ua, ub, ub) == (mad > 255 ? 255 : mad));
    CHECK(min(a, b) == (x < y ? x : y) && max(ua, ub) == (ux > uy ? ux : uy));
    CHECK(clamp(a, (char)-10, (char)20) == (x < -10 ? -10 : x > 20 ? 20 : x));
    int n = uy & 7;
    CHECK(rotate(ua, ub) == (uchar)(ux << n | ux >> (8 - n)) && rotate(a, b) == (char)rotate(ua, ub));
    int zeros = 0, ones = 0, trailing = 0;
    for (int bit = 7; bit >= 0 && !(ux >> bit & 1); bit--)
        zeros++;
    for (int bit = 0; bit < 8; bit++)
        ones += ux >> bit & 1;
    for (int bit = 0; bit < 8 && !(ux >> bit & 1); bit++)
        trailing++;
    CHECK(clz(ua) == zeros && clz(a) == zeros && popcount(ua) == ones && popcount(a) == ones && ctz(ua) == trailing);
    CHECK(upsample(a, ub) == (short)(x << 8 | uy) && upsample(ua, ub) == (ushort)(ux << 8 | uy));
    CHECK(all(add_sat((char3)(a, b, a), (char3)(b)) == (char3)(add_sat(a, b), add_sat(b, b), add_sat(a, b))));
    if (bad)
        atomic_add((volatile global uint *)failures, bad);
}
