// SPDX-License-Identifier: Apache-2.0
// kernel: sums
// global: 64
// local: 16
// buffer: int 64 = 0
// buffer: int 256 = i
// buffer: int 4 = 0 1 7 40
// expect: 0 = 31

#define EACH 20

/* One of the sums below, alone in its loop. */
uint alone(local const uint *x, int k, int rounds, uint start)
{
    uint sum = start + k;
    for (int r = 0; r < rounds; r++)
        sum = sum * 3 + x[r + k];
    return sum;
}

/* Loops with more sums than registers: independent ones, some that are made of others, some that change places. */
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void sums(global int *ok, global const int *in, global const int *counts)
{
    local uint x[64];
    int i = get_global_id(0), l = get_local_id(0);
    for (int e = l; e < 64; e += 16)
        x[e] = in[e] * 0x9e3779b9u;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint start = in[i] * 7, bits = 0x1f;
    for (int c = 0; c < 4; c++) {
        int rounds = counts[c];
        uint s[EACH];
        for (int k = 0; k < EACH; k++)
            s[k] = start + k;
        for (int r = 0; r < rounds; r++)
            for (int k = 0; k < EACH; k++)
                s[k] = s[k] * 3 + x[r + k];
        for (int k = 0; k < EACH; k++)
            if (s[k] != alone(x, k, rounds, start))
                bits &= ~1;

        /* The last depends on all, and is what counts behind the loop. */
        uint t[EACH], total = 0, want = 0;
        for (int k = 0; k < EACH; k++)
            t[k] = start + k;
        for (int r = 0; r < rounds; r++) {
            for (int k = 0; k < EACH; k++)
                t[k] = t[k] * 3 + x[r + k];
            for (int k = 0; k < EACH; k++)
                total += t[k] >> (k & 7);
        }
        for (int k = 0; k < EACH; k++)
            for (int r = 1; r <= rounds; r++)
                want += alone(x, k, r, start) >> (k & 7);
        if (total != want)
            bits &= ~2;

        /* Neighbours in pairs change places each round. */
        uint u[EACH];
        for (int k = 0; k < EACH; k++)
            u[k] = start + k;
        for (int r = 0; r < rounds; r++)
            for (int k = 0; k < EACH; k += 2) {
                uint old = u[k];
                u[k] = u[k + 1] + x[r];
                u[k + 1] = old ^ x[r + 1];
            }
        for (int k = 0; k < EACH; k += 2) {
            uint a = start + k, b = a + 1;
            for (int r = 0; r < rounds; r++) {
                uint old = a;
                a = b + x[r];
                b = old ^ x[r + 1];
            }
            if (u[k] != a || u[k + 1] != b)
                bits &= ~4;
        }

        /* A place in memory that moves with a counter of its own, and a sum of all lanes' counters. */
        uint v[EACH], at = 0;
        for (int k = 0; k < EACH; k++)
            v[k] = k;
        for (int r = 0; r < rounds; r++, at = (at * 5 + 3) & 31)
            for (int k = 0; k < EACH; k++)
                v[k] += (x[at] ^ start) + k;
        for (int k = 0; k < EACH; k++) {
            uint sum = k, from = 0;
            for (int r = 0; r < rounds; r++, from = (from * 5 + 3) & 31)
                sum += (x[from] ^ start) + k;
            if (v[k] != sum)
                bits &= ~8;
        }

        /* Floats in their order: each sum is exact in its own loop, too. */
        float f[EACH];
        for (int k = 0; k < EACH; k++)
            f[k] = (float)(i + k);
        for (int r = 0; r < rounds; r++) {
            float y = (float)(x[r] >> 8), z = (float)(x[r + 1] >> 9);
            for (int k = 0; k < EACH; k++)
                f[k] = fma(f[k], 0.75f, k & 1 ? y : z);
        }
        for (int k = 0; k < EACH; k++) {
            float sum = (float)(i + k);
            for (int r = 0; r < rounds; r++)
                sum = fma(sum, 0.75f, (float)(k & 1 ? x[r] >> 8 : x[r + 1] >> 9));
            if (f[k] != sum)
                bits &= ~16;
        }
    }
    ok[i] = bits;
}
