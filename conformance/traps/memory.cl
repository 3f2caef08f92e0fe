// SPDX-License-Identifier: Apache-2.0
// Every kind of access: strides, fields, masks, indices that wrap, private arrays that are cast, compared or escape; masked swaps.
#define K(name) kernel void name(global const int *in, global int *out, int n)
#define ID int i = get_global_id(0), l = get_local_id(0); int x = in[i], y = in[i ^ 1]
typedef struct { int a; short b; char c; long d; } S; 
typedef struct { char c; short s; int i; } P;
typedef struct __attribute__((packed)) { char c; int i; short s; } Q;
typedef struct { float x, y, z; } V3;
typedef struct { int id; union { float f; uchar b[4]; } u; ushort h[3]; } U;
typedef struct { S s; P p[2]; } N2;
K(uniform_load) { ID; out[i] = in[n & 7] + x; }
K(uniform_store) { ID; out[i] = x; if (i >= 0) { out[get_group_id(0) * get_local_size(0)] = 3; } }
K(reversed) { ID; out[n + 4 - i] = in[n + 4 - i] * 2; }
K(stride2) { ID; if (i * 2 < 4096) out[i] = in[(i * 2) & 4095] + in[(i * 2 + 1) & 4095]; }
K(stride3) { ID; int s = 0; if (i < 1300) { s = in[i * 3] + in[i * 3 + 1] * 3 - in[i * 3 + 2]; out[i] = s; } }
K(stride5) { ID; if (i < 800) out[i] = in[i * 5 + 3]; }
K(store3) { ID; if (i < 1300) { out[i * 3] = x; out[i * 3 + 2] = y; } }
K(f4) { ID; global const int4 *v = (global const int4 *)in; if (i < 1000) { int4 q = v[i]; out[i] = q.x + q.y * 3 + q.z * 5 + q.w; } }
K(f4s) { ID; global int4 *v = (global int4 *)out; if (i < 1000) v[i] = (int4)(x, y, x + y, x * y); }
K(f4c) { ID; global int4 *v = (global int4 *)out; if (i < 1000 && x & 1) { v[i].y = 7; v[i].w = y; } }
K(i3) { ID; global const int *v = in; if (i < 1300) { int3 q = vload3(i, v); vstore3(q.zxy, i, out); } }
K(chars) { ID; global const uchar *c = (global const uchar *)in; global uchar *o = (global uchar *)out; o[i] = c[i] * 3 + c[4000 - i]; o[5000 + i] = c[x]; }
K(shorts) { ID; global const short *c = (global const short *)in; global short *o = (global short *)out; o[i] = c[i + 1]; if (x & 1) o[i] -= c[i * 2]; if (y & 2) o[i + 4096] = c[x * 2]; }
K(longs) { ID; global const long *c = (global const long *)in; global long *o = (global long *)out; o[i] = c[i] * 3 + c[2047 - i / 2]; if (x & 1) o[i] += c[x]; }
K(gather8) { ID; global const uchar *c = (global const uchar *)in; out[i] = c[x] + c[y * 3] + (x & 1 ? c[x + y] : 0); }
K(gatherd) { ID; global const double *c = (global const double *)in; out[i] = as_int2(c[x]).x ^ as_int2(c[y]).y; }
K(structs) { ID; global const S *s = (global const S *)in; if (i < 600) out[i] = s[i].a + s[i].b + s[i].c + (int)s[i].d; }
K(structs_store) { ID; global S *s = (global S *)out; if (i < 600) { s[i].a = x; s[i].c = y; if (x & 1) s[i].d = -1; s[i].b = 4; } }
K(mixed) { ID; global const P *s = (global const P *)in; global P *o = (global P *)out; if (i < 2000) { P p = s[i]; p.c += p.s; p.i ^= p.c; o[i] = p; } }
K(packed) { ID; global const Q *s = (global const Q *)in; global Q *o = (global Q *)out; if (i < 2000) { Q p = s[i]; p.c += p.s; p.i ^= p.c; o[i] = p; } }
K(unions) { ID; global const U *s = (global const U *)in; if (i < 1000) { U u = s[i]; u.u.b[1] ^= 3; out[i] = as_int(u.u.f) ^ u.h[2] ^ u.id ^ u.h[i % 3]; } }
K(nested) { ID; global const N2 *s = (global const N2 *)in; if (i < 250) out[i] = s[i].p[x & 1].i + s[i].s.d + s[i].p[1].c; }
K(nested_store) { ID; global N2 *s = (global N2 *)out; if (i < 250) { N2 q; q.s.a = x; q.s.b = y; q.s.c = 2; q.s.d = x * (long)y; q.p[0].c = 1; q.p[0].s = 2; q.p[0].i = 3; q.p[1] = q.p[0]; q.p[x & 1].i = 99; s[i].s.a = q.s.a; s[i].s.d = q.s.d; s[i].p[1].i = q.p[1].i; s[i].p[0].s = q.p[0].s; } }
K(wrap_u) { ID; uint j = (uint)i + 0xfffffff0u; out[i] = in[j & 4095]; uint k = (uint)i - 8u; if (k < 4096u) out[i] += in[k]; }
K(wrap_uc) { ID; uchar j = i + 250; out[i] = in[j]; ushort k = i * 40; out[i] += in[k & 4095]; char c = i; out[i] += in[c + 128]; }
K(sext_wrap) { ID; int j = (int)((uint)i * 0x10000001u); out[i] = in[j & 4095]; short h = i * 100; out[i] ^= in[(h & 4095)]; }
K(clamped) { ID; out[i] = in[clamp(i - 3, 0, n)] + in[min(i + 5, n)] + in[(i + 7) % 4096] + in[max(i, 100)]; }
K(selptr) { ID; global const int *p = x & 1 ? in : in + 100; out[i] = p[i & 1023]; global int *q = y & 1 ? out : out + 0; q[i] += 3; }
K(privarr) { ID; int a[16]; for (int k = 0; k < 16; k++) a[k] = x + k; a[y & 15] = 5; out[i] = a[x & 15] + a[n & 15]; }
K(privarr_dyn) { ID; int a[37]; for (int k = 0; k < 37; k++) a[k] = (x * k) & 255; for (int k = 0; k < (y & 31); k++) { int t = a[k]; a[k] = a[(x + k) % 37]; a[(x + k) % 37] = t; } int s = 0; for (int k = 0; k < 37; k++) s = s * 7 + a[k]; out[i] = s; }
K(privbytes) { ID; uchar a[64]; for (int k = 0; k < 64; k++) a[k] = x + k * y; int s = 0; for (int k = 0; k < 64; k++) s = s * 3 + a[a[k] & 63]; out[i] = s; }
K(privlong) { ID; long a[9]; for (int k = 0; k < 9; k++) a[k] = (long)x << k; a[x % 9] ^= y; long s = 0; for (int k = 0; k < 9; k++) s += a[(k * x) % 9]; out[i] = (int)(s ^ s >> 32); }
K(privvec) { ID; int4 a[5]; for (int k = 0; k < 5; k++) a[k] = (int4)(x, y, k, x * k); a[x % 5].z = 9; int4 r = a[y % 5] + a[n % 5]; out[i] = r.x + r.y * 3 + r.z * 5 + r.w; }
K(privstruct) { ID; P a[6]; for (int k = 0; k < 6; k++) { a[k].c = x; a[k].s = y; a[k].i = k; } a[x % 6].i = 100; P p = a[y % 6]; out[i] = p.c + p.s + p.i; }
K(priv2d) { ID; int a[4][5]; for (int r = 0; r < 4; r++) for (int c = 0; c < 5; c++) a[r][c] = x * r + c; a[x & 3][y % 5] = 77; int s = 0; for (int c = 0; c < 5; c++) s += a[n & 3][c] * c; out[i] = s + a[y & 3][x % 5]; }
K(privcast) { ID; int a[8]; for (int k = 0; k < 8; k++) a[k] = x * k + y; uchar *b = (uchar *)a; b[x & 31] ^= 0x55; int s = 0; for (int k = 0; k < 32; k++) s = s * 5 + b[k]; out[i] = s + a[y & 7]; }
int *pick(int *a, int *b, int c) { return c ? a : b; }
K(privescape) { ID; int a = x, b = y; int *p = pick(&a, &b, x & 1); *p += 5; int **pp = &p; **pp *= 3; out[i] = a * 10 + b; }
K(privcmp) { ID; int a[4]; int *p = a + (x & 3), *q = a + (y & 3); for (int k = 0; k < 4; k++) a[k] = k; *p = 9; out[i] = (p < q) + (p == q) * 2 + (int)(p - q) * 10 + *q; }
K(localm) { ID; local int t[64]; local uchar b[64]; t[l] = x; b[l] = y; barrier(CLK_LOCAL_MEM_FENCE); int L = get_local_size(0); out[i] = t[(x & 63) % L] + b[(l * 3) % L]; }
constant int tab[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant uchar tb[256] = {1, 2, 3, [100] = 7, [255] = 9};
K(tables) { ID; out[i] = tab[x & 7] + tab[n & 7] + tb[x & 255] * 100; }
K(generic_p) { ID; local int t[64]; int pv = y; t[l] = x; const int *p = x & 1 ? (const int *)&t[l] : (x & 2 ? (const int *)&pv : (const int *)&in[i]); out[i] = *p; }
K(vol) { ID; volatile global int *v = out; v[i] = x; v[i] += y; if (x & 1) v[i] = v[i] + 1; }
K(halfmem) { ID; global const half *h = (global const half *)in; float f = vload_half(i, h); out[i] = as_int(f) & 0x7fffffff; global half *o = (global half *)out; if (i < 100) vstore_half((float)x, 8000 + i, o); }
K(vloadn) { ID; if (i < 200) { int16 v = vload16(i, in); int8 w = v.even + v.odd; vstore8(w, i, out); } }
K(unaligned) { ID; global const uchar *c = (global const uchar *)in + 1; uint4 q; q.x = c[0]; int2 w = vload2(i, (global const int *)in); out[i] = w.x - w.y; }
K(maskedvec) { ID; if (x & 1) { int4 v = vload4(i & 511, in); vstore4(v * 2, i & 511, out + 2048); } }
K(swap_masked) { ID; out[i] = x; out[i + 1 < 4096 ? i : i] = x; if (x & 1) { int a = out[i]; out[i] = y; out[i] += a; } }
K(insertion) { int i = get_global_id(0); if (i >= 500) return; global int *a = out + i * 8; for (int k = 0; k < 8; k++) a[k] = in[i * 8 + k]; for (int k = 1; k < 8; k++) { int v = a[k], j = k; while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; j--; } a[j] = v; } }
K(insertion_col) { int i = get_global_id(0); if (i >= 500) return; global int *a = out + i; for (int k = 0; k < 8; k++) a[k * 500] = in[i * 8 + k]; for (int k = 1; k < 8; k++) { int v = a[k * 500], j = k; while (j > 0 && a[(j - 1) * 500] > v) { a[j * 500] = a[(j - 1) * 500]; j--; } a[j * 500] = v; } }
K(swap_el) { int i = get_global_id(0); if (i >= 2000) return; out[i] = in[i]; out[i + 2000] = in[i + 1]; if (out[i] > out[i + 2000]) { int t = out[i]; out[i] = out[i + 2000]; out[i + 2000] = t; } }
