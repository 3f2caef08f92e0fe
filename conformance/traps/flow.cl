// SPDX-License-Identifier: Apache-2.0
// Control flow: loops without an end or with several, gotos into loops, switches, what nobody comes to, divisors of absent lanes.
#define K(name) kernel void name(global const int *in, global int *out, int n)
#define ID int i = get_global_id(0); int x = in[i], y = in[i ^ 1]
K(infinite_break) { ID; int s = 0; for (;;) { s += x; x = (x * 5 + 1) & 1023; if (x % 7 == 0) break; if (s > 5000) { s = -s; break; } } out[i] = s; }
K(infinite_return) { ID; int s = 0; while (1) { s++; x = (x * 5 + 1) & 1023; if (x % 11 == 3) { out[i] = s; return; } if (s > 40) return; } }
K(infinite_goto) { ID; int s = 0; again: s += 3; x = (x * 13 + 7) & 255; if (x > 30) goto again; out[i] = s; }
K(infinite_dead) { ID; if (n < 0) for (;;) { out[i] = x; x++; } out[i] = x + 1; }
K(infinite_dead_varying) { ID; if (x < 0) for (;;) ; out[i] = x + 1; }
K(infinite_dead_barrier) { ID; local int l[64]; if (n < 0) for (;;) { barrier(CLK_LOCAL_MEM_FENCE); } l[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); out[i] = l[0]; }
K(nested_exits) { ID; int s = 0; for (int a = 0; a < 20; a++) { for (int b = 0; b < x % 13; b++) { if ((a * b + x) % 17 == 5) goto out; if ((a + b) % 5 == y % 5) continue; if (b > (y & 7)) break; s += a * b; } if (s > 300) goto out2; } s ^= 1; goto end; out: s ^= 2; out2: s += 100; end: out[i] = s; }
K(loop_exits3) { ID; int s = 0, k; for (k = 0; k < 50; k++) { if (x == k * 3) { s = 1; break; } if (y == k * 5) { s = 2; goto c; } s += k; if (s > (x & 255)) return; } out[i] = s; return; c: out[i] = -s + k; }
K(sw) { ID; int s = 0; switch (x & 15) { case 0: s = 1; break; case 1: s = 2; case 2: s += 3; break; case 7: case 8: case 9: s = y; break; default: s = -1; case 12: s += 5; break; case 13: return; } out[i] = s; }
K(sw_uniform) { ID; int s = 0; switch (n & 7) { case 0: s = 1; break; case 1: s = x; case 2: s += 3; break; case 3: case 4: case 5: s = y; break; default: s = -1;  } out[i] = s; }
K(sw_loop) { ID; int s = 0, st = x & 3; for (int k = 0; k < 30; k++) switch (st) { case 0: s += 1; st = 1 + (x & 1); break; case 1: s ^= k; st = (s & 3); continue; case 2: s += y; st = 3; break; case 3: if (s > 1000) goto done; st = 0; s *= 3; } done: out[i] = s; }
K(sw_long) { ID; int s = 0; switch ((long)x << 32 | 5) { case 5: s = 1; break; case (1l << 32) | 5: s = 2; break; case (300l << 32) | 5: s = 3; break; default: s = 4; } out[i] = s; }
K(sw_range) { ID; int s; switch (x) { case 0 ... 99: s = 1; break; case 100 ... 500: s = 2; break; default: s = 9; } out[i] = s; }
K(duff) { ID; int c = (x & 15) + 1, s = 0, r = (c + 3) / 4; switch (c & 3) { case 0: do { s += 1; case 3: s += 10; case 2: s += 100; case 1: s += 1000; } while (--r > 0); } out[i] = s; }
K(irreducible3) { ID; int s = 0, t = 0; switch (x % 3) { case 0: goto a; case 1: goto b; default: goto c; } a: s += 1; if (++t > 20) goto e; if (s & y & 1) goto c; b: s += 7; if (++t > 20) goto e; if (s & 4) goto a; c: s ^= x; if (++t > 20) goto e; if (s & 2) goto b; goto a; e: out[i] = s; }
K(irreducible_nested) { ID; int s = 0, t = 0; for (int k = 0; k < (y & 3) + 1; k++) { if (x & 1) goto in; top: s += k; t++; in: s ^= y; if (t < (s & 7)) { t++; goto top; } if (t > 30) break; } out[i] = s * 100 + t; }
K(early) { int i = get_global_id(0); if (i >= n) return; int x = in[i]; if (x & 1) { if (x & 2) return; out[i] = 1; if (x & 4) return; } out[i] += x; if (x % 3) return; out[i] ^= 77; }
K(uniform_in_div) { ID; int s = 0; if (x & 1) { for (int k = 0; k < n % 13; k++) { s += in[k]; if (s > n) break; } } else { for (int k = 0; k < n % 7; k++) s -= in[k * 3]; } out[i] = s; }
K(uniform_loop_div_entry) { ID; int s = 0; if (x > 2000) { int k = 0; do { s += in[k]; k++; } while (in[k] != n - n + in[40]); } out[i] = s; }
K(temporal) { ID; int k = 0, u = 0; while (k < (x & 31)) { k++; u = k * 3; } out[i] = u + in[u]; }
K(ternary_logic) { ID; int s = (x > 5 && in[x] > 3) || (y & 1 && in[y & 1023] < 900) ? x / (y + 1) : y % (x | 1); out[i] = s; }
K(div_guard) { ID; int s = 0; if (x & 7) s = y / (x & 7); if ((x & 15) != 0) s += y % (x & 15); out[i] = s + (x ? 10000 / x : 1); }
K(div_zero) { ID; int d = x & 3; out[i] = (d ? 100 / d : 0) ; int q = y / d; if (d) out[i] += q; long m = d == 3 ? LONG_MIN : 8; long w = m / (d == 3 ? -1 : 2); if (d != 3) out[i] += (int)w; }
K(rec_do) { ID; int s = 0; do { int t = x & 7; do { s += t; if (s % 9 == 0) goto n2; } while (t-- > 0); n2: x >>= 1; } while (x); out[i] = s; }
K(unreachable) { ID; if (x == 5000) __builtin_unreachable(); out[i] = x; }
K(unreachable_sw) { ID; int s; switch (x & 3) { case 0: s = 3; break; case 1: s = 4; break; case 2: s = 9; break; case 3: s = 1; break; default: __builtin_unreachable(); } out[i] = s; }
K(trap_guard) { ID; if (x == 5000) __builtin_trap(); out[i] = x; }
K(trap_barrier) { ID; local int t[64]; int l = get_local_id(0), L = get_local_size(0); if (x > 5000) __builtin_trap(); t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); if (t[0] > 5000) __builtin_trap(); out[i] = t[(l + 1) % L] + y; }
K(trap_loop) { ID; int s = 0; for (int k = 0; k < n % 13; k++) { if (in[k] > 5000) __builtin_trap(); s += in[k]; if (x % 13 == k) { if (y > 5000) __builtin_trap(); s += 7; } } out[i] = s; }
K(trap_loop_leaves) { ID; int s = 0; for (int k = 0; k < 40; k++) { if (s > 100000) __builtin_trap(); s += in[(x + k) & 1023]; if (s % 11 == 3) break; if (s % 7 == y % 7) continue; s ^= 5; if (y > 5000) { s++; __builtin_trap(); } } out[i] = s; }
K(trap_arms) { ID; int s; if (x & 1) { if (y > 5000) __builtin_trap(); s = y * 3; } else { if (y > 6000) __builtin_trap(); s = y + 4; if (s > 9000) { out[i] = 1; __builtin_trap(); } } int v; if (x > 5000) { v = 1; __builtin_trap(); } else if (x & 2) v = 2; else v = s; out[i] = s + v; }
K(trap_last) { ID; out[i] = x; if (x > 5000) { out[i] = 3; __builtin_trap(); } }
