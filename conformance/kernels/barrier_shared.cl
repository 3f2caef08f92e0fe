// SPDX-License-Identifier: Apache-2.0
// kernel: shared
// options: -cl-std=CL3.0
// global: 192 4
// local: 48 2
// needs: __opencl_c_work_group_collective_functions
// buffer: int 768 = 0
// buffer: int 4 = 6
// expect: 0 = 63

/* Values that all work-items of a group have in common in loops of barriers, and others that look like these: each function once with barriers
 * and once without, the same result. `n` is a number of the launch, `m` is one that each work-item has read. */
#define FUNCTIONS(M, BARRIER)                                                                                                               \
    int M##_turns(int l, int n)                                                                                                             \
    {                                                                                                                                       \
        int a = 1, b = 2, c = n, sum = 0;                                                                                                   \
        for (int i = 0; i < n; i++) {                                                                                                       \
            int t = a;                                                                                                                      \
            BARRIER;                                                                                                                        \
            a = b, b = c, c = t + i;                                                                                                        \
            sum += a * l;                                                                                                                   \
            if (i & 1) {                                                                                                                    \
                BARRIER;                                                                                                                    \
                t = b, b = a, a = t;                                                                                                        \
            }                                                                                                                               \
        }                                                                                                                                   \
        return sum + a + 3 * b + 5 * c;                                                                                                     \
    }                                                                                                                                       \
    /* Packets take different ways to the same barrier. */                                                                                  \
    int M##_ways(int l, int n)                                                                                                              \
    {                                                                                                                                       \
        int a = 0, b = 0, c = 0;                                                                                                            \
        for (int i = 0; i < n; i++) {                                                                                                       \
            c = i * 3;                                                                                                                      \
            if (l >= 32)                                                                                                                    \
                a += i;                                                                                                                     \
            else                                                                                                                            \
                b = i;                                                                                                                      \
            BARRIER;                                                                                                                        \
            for (int k = 0; k < l / 16; k++)                                                                                                \
                a ^= c + k;                                                                                                                 \
            BARRIER;                                                                                                                        \
            b += c;                                                                                                                         \
        }                                                                                                                                   \
        return a + 31 * b + c;                                                                                                              \
    }                                                                                                                                       \
    /* The counter of the first loop is what is left of it in the second, and packets leave a loop without barriers in different rounds. */ \
    int M##_left(int l, int n, int m)                                                                                                       \
    {                                                                                                                                       \
        int i = 0, k = 0, sum = 0;                                                                                                          \
        while (i * i < n * m) {                                                                                                             \
            BARRIER;                                                                                                                        \
            i++;                                                                                                                            \
        }                                                                                                                                   \
        while (k < l)                                                                                                                       \
            k += 5;                                                                                                                         \
        for (; i > 0; i -= 2) {                                                                                                             \
            sum = sum * 3 + i;                                                                                                              \
            BARRIER;                                                                                                                        \
            sum += k;                                                                                                                       \
        }                                                                                                                                   \
        return sum - i;                                                                                                                     \
    }                                                                                                                                       \
    float M##_floats(int l, int n)                                                                                                          \
    {                                                                                                                                       \
        float x = 1, y = 0.5f;                                                                                                              \
        float4 v = (float4)(1, 2, 3, n);                                                                                                    \
        for (int i = 1; i < n; i++) {                                                                                                       \
            BARRIER;                                                                                                                        \
            x = fma(x, y, (float)i);                                                                                                        \
            y = -y;                                                                                                                         \
            v = v.yzwx + x;                                                                                                                 \
            if (i == 3)                                                                                                                     \
                continue;                                                                                                                   \
            BARRIER;                                                                                                                        \
            x += v.x;                                                                                                                       \
        }                                                                                                                                   \
        return x + y + v.x * 3 + v.w + l;                                                                                                   \
    }
FUNCTIONS(with, barrier(CLK_LOCAL_MEM_FENCE))
FUNCTIONS(without, )

/* Sums of the group decide how often its work-items meet; work-items of a group of 48 x 2 have the numbers 0 to 95. */
int meetings(int l, int n)
{
    int rounds = 0, limit = 8 * n;
    while (work_group_any(l + 10 * rounds < limit)) /* 0 + 10 * rounds < limit */
        rounds++;
    int largest = work_group_reduce_max(l), sum = 0;
    long wide = 0;
    for (int i = 0; i < work_group_reduce_min(l + n); i++) {
        sum += work_group_reduce_add(l + i);
        wide += work_group_reduce_add((long)l << 33);
        sum += (int)work_group_scan_inclusive_add((float)l) - l * (l + 1) / 2;
        sum += work_group_broadcast(l, 47, 1) == 95 ? 0 : 1;
    }
    return rounds == (limit + 9) / 10 && largest == 95 && sum == n * 95 * 48 + 96 * n * (n - 1) / 2 && wide == ((long)(n * 95 * 48) << 33);
}

kernel void shared(global int *ok, global const int *read)
{
    int l = (int)get_local_linear_id(), n = (int)get_num_groups(0) + 3, m = read[0];
    int good = with_turns(l, n) == without_turns(l, n);
    good |= (with_ways(l, n) == without_ways(l, n)) << 1;
    good |= (with_left(l, n, m) == without_left(l, n, m)) << 2;
    good |= (with_left(l, n, n) == without_left(l, n, n)) << 3;
    good |= (with_floats(l, n) == without_floats(l, n)) << 4;
    good |= meetings(l, n) << 5;
    ok[get_global_linear_id()] = good;
}
