// SPDX-License-Identifier: Apache-2.0
// kernel: dots
// options: -cl-std=CL3.0 -DWIDTH=8
// options: -cl-std=CL3.0 -DWIDTH=16
// options: -cl-std=CL3.0 -DWIDTH=32
// global: 1003
// local: 59
// local: 16
// needs: 8
// buffer: uint 1003 = (i%7>1)*((i*2654435761+12345)^(i<<29)) + (i%7==0)*0x80808080 + (i%7==1)*0xffffffff
// buffer: uint 1003 = (i%5>1)*((i*40503*65537+99)^(i<<23)) + (i%5==0)*0x80808080 + (i%5==1)*0xff00
// buffer: uint 2 = 4 20
// buffer: uint 1 = 0
// expect: 3 = 0

/* Sums of four products of bytes that are written out, of which the packet makes dot products, and those that only look so. Each stands in
 * a block of its own, so that none shares products with another. */
#define SUM(p, q) (p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w)

uint byte(uint word, uint k, bool is_signed)
{
    uint b = word >> 8 * k & 255;
    return is_signed ? (b ^ 128) - 128 : b;
}

/* Nobody knows here that n is 4. */
uint sum(uint a, uint b, bool a_signed, bool b_signed, uint n)
{
    uint r = 0;
    for (uint k = 0; k < n; k++)
        r += byte(a, k, a_signed) * byte(b, k, b_signed);
    return r;
}

__attribute__((intel_reqd_sub_group_size(WIDTH)))
kernel void dots(global const uint *as, global const uint *bs, global const uint *counts, global uint *failures)
{
    size_t i = get_global_id(0), g = get_group_id(0);
    global const char4 *sas = (global const char4 *)as, *sbs = (global const char4 *)bs;
    global const uchar4 *uas = (global const uchar4 *)as, *ubs = (global const uchar4 *)bs;
    uint a = as[i], b = bs[i], n = counts[0], bad = 0;
    uint ss = sum(a, b, true, true, n), uu = sum(a, b, false, false, n), su = sum(a, b, true, false, n), us = sum(a, b, false, true, n);
    char4 sa = sas[i], sb = sbs[i];
    uchar4 ua = uas[i], ub = ubs[i];
    for (uint c = 0; c < counts[1]; c++) {
        uint got = c, want = c;
        switch (c) {
        case 0:
            got = SUM(sa, sb);
            want = ss;
            break;
        case 1:
            got = SUM(ua, ub);
            want = uu;
            break;
        case 2:
            got = SUM(sa, ub);
            want = su;
            break;
        case 3:
            got = SUM(ua, sb);
            want = us;
            break;
        case 4:
            got = SUM(sa, sa);
            want = sum(a, a, true, true, n);
            break;
        case 5: /* in any order */
            got = sb.z * ua.z + (ua.w * sb.w + sb.x * ua.x) + sb.y * ua.y;
            want = us;
            break;
        case 6: { /* products of vectors, and other terms */
            int4 products = convert_int4(sa) * convert_int4(ub);
            got = c + products.x + products.y + a + products.z + products.w;
            want = c + su + a;
            break;
        }
        case 7: /* two in a sum that wraps */
            got = 0xfffffff0u + SUM(ua, ub) + (7 * b + SUM(sa, ub));
            want = 0xfffffff0u + uu + 7 * b + su;
            break;
        case 8: /* words */
            got = (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) + (a >> 16 & 255) * (b >> 16 & 255) + (a >> 24) * (b >> 24);
            want = uu;
            break;
        case 9:
            got = (char)a * (char)b + (char)(a >> 8) * (char)(b >> 8) + (char)(a >> 16) * (char)(b >> 16) + (char)(a >> 24) * (char)(b >> 24);
            want = ss;
            break;
        case 10: {
            uchar4 made = as_uchar4(3 * a + b);
            got = SUM(made, sb);
            want = sum(3 * a + b, b, false, true, n);
            break;
        }
        case 11: /* none: an element twice */
            got = sa.x * sb.x + sa.y * sb.y + sa.y * sb.y + sa.w * sb.w;
            want = ss + byte(a, 1, true) * byte(b, 1, true) - byte(a, 2, true) * byte(b, 2, true);
            break;
        case 12: /* other elements side by side */
            got = sa.y * sb.x + sa.x * sb.y + sa.w * sb.z + sa.z * sb.w;
            want = sum(a, b >> 8 & 0xff00ff | b << 8 & 0xff00ff00, true, true, n);
            break;
        case 13: /* one with another sign */
            got = sa.x * sb.x + ua.y * sb.y + sa.z * sb.z + sa.w * sb.w;
            want = ss + (byte(a, 1, false) - byte(a, 1, true)) * byte(b, 1, true);
            break;
        case 14: { /* one side the same in all lanes, and both */
            char4 first = sas[g], second = sbs[g];
            got = SUM(first, sb) + 3 * SUM(first, second);
            want = sum(as[g], b, true, true, n) + 3 * sum(as[g], bs[g], true, true, n);
            break;
        }
        case 15: /* one side the same in all rounds */
            for (uint k = 0; k < n; k++) {
                got += SUM(sa, sbs[1000 - k]) + SUM(sas[1000 - k], sb) + SUM(ua, ubs[1000 - k]) + SUM(uas[1000 - k], ub);
                want += sum(a, bs[1000 - k], true, true, n) + sum(as[1000 - k], b, true, true, n);
                want += sum(a, bs[1000 - k], false, false, n) + sum(as[1000 - k], b, false, false, n);
            }
            break;
        case 16: /* in rounds that not all lanes make */
            for (uint k = 0; k < i % 4; k++) {
                got += SUM(ua, ubs[i - k]);
                want += sum(a, bs[i - k], false, false, n);
            }
            break;
        case 17: /* no products */
            got = sa.x + sa.y + sa.z + sa.w + 5 * (ub.x + ub.y + ub.z + ub.w);
            want = sum(a, 0x01010101, true, false, n) + 5 * sum(b, 0x01010101, false, false, n);
            break;
        case 18: /* one byte twice */
            got = ua.x + ua.y + ua.z + ua.y;
            want = sum(a, 0x00010201, false, false, n);
            break;
        case 19: /* with products of the same bytes */
            got = sa.x + sa.y + sa.z + sa.w + SUM(sa, sb);
            want = sum(a, 0x01010101, true, false, n) + ss;
        }
        bad += got != want;
    }
    if (i % 3 == 0)
        bad += (uint)SUM(ub, sa) != su;
    if (bad)
        atomic_add(failures, bad);
}
