// SPDX-License-Identifier: Apache-2.0
// kernel: regions
// global: 64 8
// local: 32 4
// buffer: int 512 = 0
// buffer: int 8 = 5 3 7 2
// expect: 0 = 255

/* What work-items keep across barriers, in every kind of control flow: each function once with barriers and once without, the same result. */
struct pair {
    int x;
    float y[3];
};

#define FUNCTIONS(M, BARRIER)                                                                                                               \
    int M##_rotate(int l, int n)                                                                                                            \
    {                                                                                                                                       \
        int a = l, b = 2 * l + 1, c = 7 - l, d = 0;                                                                                         \
        for (int i = 0; i < n; i++) {                                                                                                       \
            int t = a;                                                                                                                      \
            BARRIER;                                                                                                                        \
            a = b, b = c, c = t + i;                                                                                                        \
            if (i & 1) {                                                                                                                    \
                BARRIER;                                                                                                                    \
                d ^= a, t = b, b = a, a = t;                                                                                                \
            }                                                                                                                               \
        }                                                                                                                                   \
        return a + 3 * b + 5 * c + 7 * d;                                                                                                   \
    }                                                                                                                                       \
    int M##_nested(int l, int n, int m)                                                                                                     \
    {                                                                                                                                       \
        int sum = 0, last = l, kept = l * 3;                                                                                                \
        for (int i = 0; i < n; i++) {                                                                                                       \
            int inner = i + l;                                                                                                              \
            for (int j = 0; j < m; j++) {                                                                                                   \
                BARRIER;                                                                                                                    \
                inner = inner * 3 + j;                                                                                                      \
                for (int k = 0; k < j; k++)                                                                                                 \
                    sum += inner >> k;                                                                                                      \
                BARRIER;                                                                                                                    \
            }                                                                                                                               \
            last = inner - last;                                                                                                            \
            if (i == 1)                                                                                                                     \
                sum -= kept;                                                                                                                \
            BARRIER;                                                                                                                        \
        }                                                                                                                                   \
        return sum + last + kept;                                                                                                           \
    }                                                                                                                                       \
    int M##_leaves(int l, int n)                                                                                                            \
    {                                                                                                                                       \
        int a = l, b = 0;                                                                                                                   \
        for (int i = 0;; i++) {                                                                                                             \
            if (i == n)                                                                                                                     \
                return a * 31 + b;                                                                                                          \
            if (i == 2) {                                                                                                                   \
                a += 5;                                                                                                                     \
                continue;                                                                                                                   \
            }                                                                                                                               \
            BARRIER;                                                                                                                        \
            b += a;                                                                                                                         \
            if (i > 5)                                                                                                                      \
                break;                                                                                                                      \
            BARRIER;                                                                                                                        \
            a ^= i;                                                                                                                         \
        }                                                                                                                                   \
        return a - b;                                                                                                                       \
    }                                                                                                                                       \
    int M##_arrays(int l, int n)                                                                                                            \
    {                                                                                                                                       \
        int all[9];                                                                                                                         \
        struct pair p = {l, {1, 2, 3}};                                                                                                     \
        int4 v = (int4)(l, 1, 2, 3);                                                                                                        \
        for (int i = 0; i < 9; i++)                                                                                                         \
            all[i] = l ^ i;                                                                                                                 \
        for (int i = 0; i < n; i++) {                                                                                                       \
            BARRIER;                                                                                                                        \
            all[(l + i) % 9] += all[(l * i) % 9];                                                                                           \
            p.y[i % 3] += p.x;                                                                                                              \
            BARRIER;                                                                                                                        \
            p.x += all[i % 9];                                                                                                              \
            v = v.yzwx + i;                                                                                                                 \
        }                                                                                                                                   \
        return p.x + (int)(p.y[0] + 3 * p.y[1] + p.y[2]) + all[l % 9] + v.x - v.z;                                                          \
    }                                                                                                                                       \
    int M##_parts(int l, int n)                                                                                                             \
    {                                                                                                                                       \
        int a = 0, b = l;                                                                                                                   \
        for (int i = 0; i < n; i++) {                                                                                                       \
            if (l % 3 == i % 3)                                                                                                             \
                a += b;                                                                                                                     \
            BARRIER;                                                                                                                        \
            for (int k = 0; k < l % 5; k++)                                                                                                 \
                b = b * 5 + a;                                                                                                              \
            if (l > 70)                                                                                                                     \
                b = a;                                                                                                                      \
            BARRIER;                                                                                                                        \
        }                                                                                                                                   \
        return a ^ b;                                                                                                                       \
    }

FUNCTIONS(met, barrier(CLK_LOCAL_MEM_FENCE))
FUNCTIONS(alone, )

/* Loops over a tile: all lanes of a packet leave together, or do not. */
bool fills(int l, int n, local int *tile)
{
    bool good = true;
    for (int round = 0; round < n; round++) {
        for (int e = l; e < 512; e += 128)
            tile[e] = e * round;
        for (int e = l; e < 100 + 40; e += 128)
            tile[512 + e] = e - round;
        for (uint e = 639 - l; e >= 128; e -= 128)
            tile[640 + e - 128] = (int)e + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = 0; e < 1152; e += 1 + round) {
            int want = e < 512 ? e * round : e < 652 ? e - 512 - round : e - 640 + 128 + round;
            good = good && (tile[e] == want || (e >= 640 && e < 652));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return good;
}

kernel __attribute__((reqd_work_group_size(32, 4, 1))) void regions(global int *ok, global const int *n)
{
    local int tile[1152], turned[16][33];
    int lx = get_local_id(0), ly = get_local_id(1), l = ly * 32 + lx, bits = 0;
    bits |= met_rotate(l, n[0]) == alone_rotate(l, n[0]);
    bits |= (met_nested(l, n[0], n[1]) == alone_nested(l, n[0], n[1])) << 1;
    bits |= (met_leaves(l, n[2]) == alone_leaves(l, n[2])) << 2;
    bits |= (met_leaves(l, 1000) == alone_leaves(l, 1000)) << 3;
    bits |= (met_arrays(l, n[2]) == alone_arrays(l, n[2])) << 4;
    bits |= (met_parts(l, n[0]) == alone_parts(l, n[0])) << 5;
    bits |= fills(l, n[1], tile) << 6;
    /* A tile stored across and read along. */
    for (int e = l; e < 512; e += 128)
        turned[e % 16][e / 16] = e;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool good = true;
    for (int i = 0; i < 16; i++)
        good = good && turned[i][lx] == lx * 16 + i && turned[(l + i) % 16][ly + i] == (ly + i) * 16 + (l + i) % 16;
    ok[get_global_id(1) * 64 + get_global_id(0)] = bits | good << 7;
}
