// SPDX-License-Identifier: Apache-2.0
// Accesses at the ends of memory: nothing may be touched that the source does not name. (Numbers in the names: run_traps.c.)
#define K(name) kernel void name(global const int *words, global int *result, int n)
#define BYTES global const uchar *in = (global const uchar *)words; global uchar *out = (global uchar *)result
#define ID BYTES; int i = get_global_id(0); if (i >= n) return
#define I(T) ((global const T *)in)
#define O(T) ((global T *)out)
typedef struct { int a; short b; char c; long d; } S;
typedef struct { char c; short s; int i; } P;
typedef struct { float x, y, z; } V3;
typedef struct { uchar r, g, b; } RGB;
typedef struct { int a, b, c, d, e; } F5;
typedef struct { short a, b, c; } H3;
typedef struct { double a, b, c; } D3;
K(int_4_4) { ID; O(int)[i] = I(int)[i] + 1; }
K(byte_1_1) { ID; out[i] = in[i] + 1; }
K(short_2_2) { ID; O(short)[i] = I(short)[i] + 1; }
K(long_8_8) { ID; O(long)[i] = I(long)[i] + 1; }
K(rev_4_4) { ID; O(int)[n - 1 - i] = I(int)[n - 1 - i] + 1; }
K(revb_1_1) { ID; out[n - 1 - i] = in[n - 1 - i] + 1; }
K(revl_8_8) { ID; O(long)[n - 1 - i] = I(long)[n - 1 - i] + 1; }
K(s2a_8_4_4) { ID; O(int)[i] = I(int)[2 * i]; }
K(s2b_8_4) { ID; O(int)[i] = I(int)[2 * i + 1]; }
K(s3a_12_4) { ID; O(int)[i] = I(int)[3 * i + 2]; }
K(s3b_12_4_8) { ID; O(int)[i] = I(int)[3 * i]; }
K(s3c_12_4_4) { ID; O(int)[i] = I(int)[3 * i] + I(int)[3 * i + 1]; }
K(s3d_12_4) { ID; O(int)[i] = I(int)[3 * i] + I(int)[3 * i + 1] - I(int)[3 * i + 2]; }
K(s7_28_4_24) { ID; O(int)[i] = I(int)[7 * i]; }
K(s8_32_4_12) { ID; O(int)[i] = I(int)[8 * i + 2] + I(int)[8 * i + 4]; }
K(s4b_4_1_3) { ID; out[i] = in[4 * i]; }
K(s3bb_3_1) { ID; out[i] = in[3 * i] + in[3 * i + 2]; }
K(s2s_4_2_2) { ID; O(short)[i] = I(short)[2 * i]; }
K(s2l_16_8_8) { ID; O(long)[i] = I(long)[2 * i]; }
K(f4_16_4) { ID; float4 v = I(float4)[i]; O(float)[i] = v.x; }
K(f4y_16_4) { ID; O(int)[i] = I(int4)[i].y; }
K(f4w_16_4) { ID; O(int)[i] = I(int4)[i].w + I(int4)[i].x; }
K(f4s_4_16) { ID; O(int4)[i] = (int4)(I(int)[i], 1, 2, 3); }
K(f4sc_4_16) { ID; if (in[4 * i] & 1) { O(int4)[i].y = 3; O(int4)[i].w = 9; } }
K(v3_12_12) { ID; V3 v = ((global const V3 *)in)[i]; int t = as_int(v.x) + 1; O(int)[3 * i + 2] = t; O(int)[3 * i] = as_int(v.z); }
K(v3w_12_12) { ID; O(V3)[i] = ((global const V3 *)in)[i]; }
K(v3c_12_12) { ID; if (in[i] & 1) O(V3)[i] = ((global const V3 *)in)[i]; }
K(v3l_12_12) { ID; vstore3(vload3(i, I(int)) + 1, i, O(int)); }
K(rgb_3_3) { ID; RGB v = I(RGB)[i]; v.r += v.b; O(RGB)[i] = v; }
K(rgbc_3_3) { ID; if (in[i] & 1) { RGB v = I(RGB)[i]; v.r += v.b; O(RGB)[i] = v; } }
K(rgb1_3_1_1) { ID; out[i] = I(RGB)[i].r + I(RGB)[i].g; }
K(rgbgray_3_1) { ID; out[i] = (I(RGB)[i].r * 3 + I(RGB)[i].g * 5 + I(RGB)[i].b) >> 4; }
K(h3_6_6) { ID; H3 v = I(H3)[i]; v.a += v.c; O(H3)[i] = v; }
K(h3f_6_2_2) { ID; O(short)[i] = I(H3)[i].a + I(H3)[i].b; }
K(d3_24_24) { ID; D3 v = I(D3)[i]; O(D3)[i] = v; }
K(d3f_24_8_8) { ID; O(long)[i] = as_long(I(D3)[i].a) ^ as_long(I(D3)[i].b); }
K(f5_20_20) { ID; F5 v = I(F5)[i]; v.e += v.a; O(F5)[i] = v; }
K(f5f_20_4_16) { ID; O(int)[i] = I(F5)[i].a; }
K(f5g_20_4_8) { ID; O(int)[i] = I(F5)[i].a + I(F5)[i].c; }
K(f5s_4_20) { ID; O(F5)[i].a = I(int)[i]; O(F5)[i].c = 3; O(F5)[i].e = 4; }
K(f5sc_4_20) { ID; if (in[4 * i] & 1) { O(F5)[i].a = I(int)[i]; O(F5)[i].b = 3; O(F5)[i].e = 4; } }
K(mix_16_16) { ID; S s = I(S)[i]; s.a += s.b; O(S)[i].a = s.a; O(S)[i].c = s.c; O(S)[i].d = s.d; }
K(mixp_8_8) { ID; P s = I(P)[i]; s.i += s.c; O(P)[i] = s; }
K(mixf_16_4_8) { ID; O(int)[i] = I(S)[i].a + I(S)[i].b + I(S)[i].c; }
K(mixg_8_4) { ID; O(int)[i] = I(P)[i].i + I(P)[i].c; }
K(uc4_4_4) { ID; uchar4 v = I(uchar4)[i]; O(uchar4)[i] = v.wzyx; }
K(uc3_4_4_1) { ID; uchar3 v = vload3(0, in + 4 * i); vstore3(v.zyx, 0, out + 4 * i); }
K(f2_8_8) { ID; O(float2)[i] = I(float2)[i].yx; }
K(f2c_8_8) { ID; if (in[i] & 1) O(int2)[i] = I(int2)[i].yx; }
K(f8_32_32) { ID; O(int8)[i] = I(int8)[i].odd.xyzwxyzw; }
K(f16_64_64) { ID; O(int16)[i] = I(int16)[n - 1 - i]; }
K(g_4_4) { ID; O(int)[i] = I(int)[(i * 7) % n]; O(int)[i] += I(int)[(in[i] * 3) % n]; }
K(gb_1_1) { ID; out[i] = in[(i * 7) % n] + in[(in[i] * 3) % n]; }
K(gs_2_2) { ID; O(short)[i] = I(short)[(i * 7) % n] + I(short)[(in[i] * 3) % n]; }
K(gl_8_8) { ID; O(long)[i] = I(long)[(i * 7) % n]; }
K(neigh_4_4) { ID; int s = I(int)[i]; if (i > 0) s += I(int)[i - 1]; if (i < n - 1) s += I(int)[i + 1]; O(int)[i] = s; }
K(neighb_1_1) { ID; int s = in[i]; if (i > 0) s += in[i - 1]; if (i < n - 1) s += in[i + 1]; out[i] = s; }
K(clampd_4_4) { ID; O(int)[i] = I(int)[max(i - 3, 0)] + I(int)[min(i + 3, n - 1)] + I(int)[clamp(i + 1, 0, n - 1)]; }
K(clampdb_1_1) { ID; out[i] = in[max(i - 3, 0)] + in[min(i + 3, n - 1)] + in[clamp(i + 1, 0, n - 1)]; }
K(tern_4_4) { ID; O(int)[i] = (i > 2 ? I(int)[i - 3] : 7) + (i + 2 < n ? I(int)[i + 2] : 9); }
K(half_4_4) { ID; if (i & 1) O(int)[i] = I(int)[i]; }
K(halfb_1_1) { ID; if (i & 1) out[i] = in[i]; }
K(loopk_4_4) { ID; int s = 0; for (int k = i; k < n; k++) s += I(int)[k]; O(int)[i] = s; }
K(loopr_4_4) { ID; int s = 0; for (int k = i; k >= 0; k--) s += I(int)[k]; O(int)[i] = s; }
K(loopu_4_4) { ID; int s = 0; for (int k = 0; k < n; k++) { if (I(int)[k] == 0x12345) break; s += I(int)[k]; } O(int)[i] = s; }
K(loopw_4_4) { ID; int s = 0; for (int k = 0; k + 3 < n; k += 4) s += I(int)[k] + I(int)[k + 1] + I(int)[k + 2] + I(int)[k + 3]; O(int)[i] = s; }
K(nullu_4_4) { ID; int s = 0; if (n < 0) s = I(int)[0]; O(int)[i] = s; }
K(nullv_4_4) { ID; int s = 0; if (i < -5) s = I(int)[0]; O(int)[i] = s; }
K(nullvc_4_4) { ID; int s = 0; if (i > n) s = I(int)[i]; O(int)[i] = s; }
K(nullloop_4_4) { ID; int s = 0; for (int k = 0; k < n - n; k++) s += I(int)[0]; O(int)[i] = s; }
K(nullloopv_4_4) { ID; int s = 0; for (int k = i; k < 0; k++) s += I(int)[0] + I(int)[3]; O(int)[i] = s; }
K(nullhoist_4_4) { ID; int s = 0; for (int k = 0; k < 5; k++) { if (k + n < 0) s += I(int)[0]; s += k; } O(int)[i] = s; }
K(nullhoistv_4_4) { ID; int s = 0; for (int k = 0; k < 5; k++) { if (k + i < 0) s += I(int)[0]; s += k; } O(int)[i] = s; }
K(nullgather_4_4) { ID; int s = 0; if (i * 3 < 0) s += I(int)[(i * i) % 77]; O(int)[i] = s; }
K(nullgb_4_4) { ID; int s = 0; if (i * 3 < 0) s += in[(i * i) % 77]; O(int)[i] = s; }
K(nullst_4_4) { ID; if (i < 0) ((global int *)in)[0] = 3; if (i < -1) ((global int *)in)[i] = 3;  if (i < -1) ((global int *)in)[i * i] = 3; O(int)[i] = 1; }
K(nullat_4_4) { ID; if (i < 0) atomic_add((volatile global int *)in, 3); if (i < -1) atomic_or((volatile global int *)in + i, 3); O(int)[i] = 1; }
K(nullstb_4_4) { ID; if (i < 0) ((global uchar *)in)[0] = 3; if (i < -1) ((global uchar *)in)[i] = 3;  if (i < -1) ((global short *)in)[i * i] = 3; O(int)[i] = 1; }
K(nullf4_4_4) { ID; int s = 0; if (i < 0) { int4 v = I(int4)[i]; s = v.x + v.w; } O(int)[i] = s; }
K(nullbar_4_4) { BYTES; int i = get_global_id(0); local int t[64]; int s = 0; t[get_local_id(0)] = i; barrier(CLK_LOCAL_MEM_FENCE); for (int k = 0; k < n - n; k++) { s += I(int)[k]; t[get_local_id(0)] = s; barrier(CLK_LOCAL_MEM_FENCE); s += t[0]; barrier(CLK_LOCAL_MEM_FENCE); } if (i < n) O(int)[i] = s + t[0]; }
K(bar_4_4) { BYTES; int i = get_global_id(0), l = get_local_id(0), L = get_local_size(0); local int t[64]; t[l] = i < n ? I(int)[i] : 0; barrier(CLK_LOCAL_MEM_FENCE); if (i < n) O(int)[i] = t[(l + 1) % L]; }
K(barb_1_1) { BYTES; int i = get_global_id(0), l = get_local_id(0), L = get_local_size(0); local uchar t[64]; if (i < n) t[l] = in[i]; else t[l] = 4; barrier(CLK_LOCAL_MEM_FENCE); if (i < n) out[i] = t[(l + 1) % L]; }
K(tilek_4_4) { BYTES; int i = get_global_id(0), l = get_local_id(0), L = get_local_size(0); local int t[64]; int s = 0; for (int k = 0; k < n; k += L) { t[l] = k + l < n ? I(int)[k + l] : 0; barrier(CLK_LOCAL_MEM_FENCE); for (int j = 0; j < L; j++) s += t[j]; barrier(CLK_LOCAL_MEM_FENCE); } if (i < n) O(int)[i] = s; }
K(dbl_8_8) { ID; double v = I(double)[i]; O(long)[i] = as_long(v) + (i & 1 ? as_long(I(double)[i ^ (i + 1 < n)]) : 0); }
K(rest_4_4) { ID; global const int *restrict a = I(int); int s = 0; for (int k = 0; k < 3; k++) if (i + k < n) s += a[i + k]; O(int)[i] = s; }
K(ext_2_4) { ID; O(int)[i] = I(short)[i]; }
K(ext1_1_8) { ID; O(long)[i] = in[i]; }
K(tr_8_1) { ID; out[i] = I(long)[i]; }
K(hf_2_4) { ID; O(float)[i] = vload_half(i, I(half)) > 1; }
K(hs_4_2) { ID; vstore_half(convert_float(I(int)[i]), i, O(half)); }
K(h4_8_16) { ID; O(float4)[i] = convert_float4(vload_half4(i, I(half)) > 0.5f); }
