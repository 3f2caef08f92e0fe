// SPDX-License-Identifier: Apache-2.0
// Barriers in loops and branches, and what lives across them: arrays, structs, values of large alignment, loads that may not be made again.
#define K(name) kernel void name(global const int *in, global int *out, int n)
#define ID int i = get_global_id(0), l = get_local_id(0), L = get_local_size(0); int x = in[i], y = in[i ^ 1]; local int t[64]
#define B barrier(CLK_LOCAL_MEM_FENCE)
K(plain) { ID; t[l] = x; B; out[i] = t[L - 1 - l]; }
K(loop) { ID; int s = 0; for (int k = 0; k < L; k++) { t[l] = x + k; B; s += t[(l + k) % L]; B; } out[i] = s; }
K(uniform_if) { ID; t[l] = x; if (n & 1) { B; out[i] = t[(l + 1) % L]; } else { B; out[i] = t[(l + 2) % L]; B; } }
K(group_if) { ID; t[l] = x; out[i] = 0; if (get_group_id(0) & 1) { B; out[i] = t[(l + 1) % L]; } }
K(group_loop) { ID; int s = 0; for (int k = 0; k < get_group_id(0) % 5; k++) { t[l] = x * k; B; s += t[(l + 1) % L]; B; } out[i] = s; }
K(cond_in_for) { ID; int s = 0; for (int k = 0; k < 6; k++) { if (k & 1) { t[l] = s + x; B; s += t[0]; B; } s += k; } out[i] = s; }
K(in_infinite) { ID; int s = 0, k = 0; for (;;) { t[l] = x + s; B; s += t[(l + 1) % L]; B; if (++k == 4) break; } out[i] = s; }
K(divergent_return_after) { ID; t[l] = x; B; if (l & 1) { out[i] = 3; return; } out[i] = t[L - 1 - l]; }
K(divergent_around) { ID; int s = 0; for (int k = 0; k < 3; k++) { if (x & 1) for (int j = 0; j < (x & 7); j++) s += j; t[l] = s; B; s += t[(l + 1) % L]; B; } out[i] = s; }
K(private_across) { ID; int a[8]; for (int k = 0; k < 8; k++) a[k] = x + k * y; t[l] = a[x & 7]; B; a[y & 7] += t[0]; B; int s = 0; for (int k = 0; k < 8; k++) s = s * 3 + a[k]; out[i] = s; }
K(sw_barrier) { ID; int s = 0; switch (n & 3) { case 0: t[l] = x; B; s = t[0]; break; case 1: t[l] = y; B; s = t[L - 1]; case 2: B; s += 5; break; default: t[l] = x * y; B; s = t[(l + 1) % L]; } out[i] = s; }
K(two_latches) { ID; int s = 0; for (int k = 0; k < 8; k++) { t[l] = x + s; B; if (k % 3 == n % 3) { B; continue; } s += t[(l + 3) % L]; B; } out[i] = s; }
K(struct_across) { ID; struct { int a; float4 v; long b; char c[3]; } q; q.a = x; q.v = (float4)(x, y, 1, 2); q.b = x * 1000000007l; q.c[0] = x; q.c[1] = y; q.c[2] = 3; t[l] = x; B; q.v.y += t[0]; q.c[2] += t[L-1]; B; out[i] = q.a + (int)q.v.x + (int)q.v.y + (int)q.b + q.c[0] * 3 + q.c[2]; }
K(big_align) { ID; double16 d = (double16)(x, y, 1,2,3,4,5,6,7,8,9,10,11,12,13,14); t[l] = x; B; d *= t[0]; B; out[i] = (int)(d.s0 + d.s1 + d.sf); }
K(reload) { ID; t[l] = x; B; int a = t[(l + 1) % L]; B; t[l] = 7; B; out[i] = a + t[0]; }
K(global_bar) { ID; out[i] = x; barrier(CLK_GLOBAL_MEM_FENCE); int g0 = i - l; int v = out[g0 + (l + 1) % L]; barrier(CLK_GLOBAL_MEM_FENCE); out[i] = v * 3; }
K(wg_coll) { ID; out[i] = work_group_reduce_add(x) + work_group_scan_inclusive_max(y) * 3 + work_group_broadcast(x, L / 2) + work_group_any(x == 5) + work_group_all(x >= 0); }
K(wg_coll_loop) { ID; int s = x; for (int k = 0; k < 4; k++) s = work_group_scan_exclusive_add(s & 255) + k; out[i] = s; }
K(sub_bar) { ID; t[l] = x; sub_group_barrier(CLK_LOCAL_MEM_FENCE); int b = l / get_max_sub_group_size() * get_max_sub_group_size(); int v = t[b + (get_sub_group_local_id() + 1) % get_sub_group_size()]; out[i] = v; }
