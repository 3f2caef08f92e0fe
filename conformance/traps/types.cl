// SPDX-License-Identifier: Apache-2.0
// Types of all widths, vectors and conversions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define K(name) kernel void name(global const int *in, global int *out, int n)
#define ID int i = get_global_id(0), l = get_local_id(0); int x = in[i], y = in[i ^ 1]
K(i8) { ID; char a = x, b = y; a += b; a = a * b - 3; a >>= 2; uchar c = a; c = c / (uchar)(b | 1); a ^= c % 7; out[i] = a + rotate(c, (uchar)3) + abs_diff(a, b) + mul_hi(a, b) + add_sat(a, b) + clz(a) + popcount(c); }
K(i16) { ID; short a = x * 37, b = y * 99; ushort c = a; out[i] = mul_hi(a, b) + add_sat(a, b) + sub_sat(a, b) + rhadd(a, b) + c / (ushort)(b | 1) + mad_sat(a, b, a) + clz(a) + (a >> 3) + (c >> 5); }
K(i64) { ID; long a = x * 0x123456789abcl, b = y - 500; ulong c = a; long r = a / (b ? b : 3) + c % (ulong)(b | 1) + mul_hi(a, b) + (a >> 7) + (c >> 9) + rotate(a, b) + clz(c) + abs_diff(a, b) + mad_sat(a, b, a); out[i] = (int)(r ^ r >> 32); }
K(f16) { ID; half a = x / 3.0h, b = y; half c = a * b + a; c = fma(a, b, c); c = sqrt(fabs(c)); c = c > b ? c : -b; half4 v = (half4)(a, b, c, 1); out[i] = as_ushort(c) + as_ushort(v.y) + convert_int(dot(v, v) > 3) + isnan(c); }
K(f64) { ID; double a = x / 3.0, b = y; double c = a / (b + 0.5) - fma(a, b, a); c += sqrt(a) + floor(a) + rint(b / 7); long r = as_long(c); out[i] = (int)(r ^ r >> 32); }
K(f32) { ID; float a = x / 3.0f, b = y; float c = a / (b + 0.5f) - fma(a, b, a); c += sqrt(a) + floor(a) + rint(b / 7) + fmin(a, b) + ldexp(a, 3) ; out[i] = as_int(c); }
K(denorm) { ID; float a = as_float(x), b = a * 0.5f, c = as_float(0x00800000 + x) - as_float(0x00800000); out[i] = as_int(b) + as_int(c); double d = as_double((ulong)x) * 0.5; out[i] += as_int2(d).x; half h = as_half((ushort)x) * 0.5h; out[i] += as_ushort(h); }
K(bools) { ID; bool a = x & 1, b = y & 2; bool c[4] = {a, b, a && b, a || b}; int4 v = (int4)(x, y, 1, 2) > 5; out[i] = a + b * 2 + c[x & 3] * 4 + any(v) * 8 + all(v) * 16 + select(x, y, v.x); }
K(vec3) { ID; int3 a = (int3)(x, y, 3); a.zy = a.xx + a.yz; uchar3 c = convert_uchar3_sat(a); out[i] = a.x + a.y + a.z * 3 + c.x + c.z; }
K(vec16) { ID; int16 a = (int16)(x); a.s3 = y; a.sabcd = a.s0123 * 2; a = shuffle(a, (uint16)(15, 3, 2, 1, 0, x & 15, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)); int16 b = a > 30; a = select(a, -a, b); int8 s = a.lo + a.hi; int4 t = s.lo - s.hi; out[i] = t.x * 3 + t.y + t.z + t.w; }
K(vecdyn) { ID; int8 a = (int8)(x, y, 1, 2, 3, 4, 5, 6); int *p = (int *)&a; p[x & 7] = 99; out[i] = p[y & 7] + a.s2; }
K(conv) { ID; float f = (x - 500) * 1.7f; out[i] = convert_uchar_sat(f) + convert_short_rte(f) + convert_int_rtn(f) + (int)convert_ulong_sat(f) + convert_char_sat_rtp(f) + as_int(convert_float_rtz(x * 16777259l)); }
K(i128ish) { ID; ulong a = (ulong)x * 0x9e3779b97f4a7c15ul; ulong hi = mul_hi(a, a | 1); out[i] = (int)(hi ^ hi >> 31); }
K(bf) { ID; float f = x * 1.37f; ushort b = as_uint(f) >> 16; out[i] = b; float g = as_float((uint)b << 16); out[i] += as_int(g); }
K(shifts) { ID; out[i] = (x << (y & 31)) + (x >> (y & 40)) + ((uint)x >> y) + (int)((long)x << (y & 63)); }
K(idivs) { ID; int z = y - 400; out[i] = z ? x / z + x % z : 0; char c = x, d = y; if (d) out[i] += c / d + c % d; short s = x * 7, t = y - 300; if (t) out[i] += s / t; }
