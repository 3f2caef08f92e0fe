// SPDX-License-Identifier: Apache-2.0
// kernel: rows
// global: 150
// local: 50
// local: 75
// local: 6
// buffer: int 4096 = (i*37+11)%97 - 48
// buffer: int 150 = 99
// buffer: int 150 = 99
// expect: 1 = 0
// expect: 2 = 0

// Reductions of several values by a sub-group, whose results meet in one vector, against sums over memory. Values are integers, of which the
// order of operations makes no difference. Each macro is for the work-item's row `r`; its values are `of(r, work-item)`.
#define SERIAL(type, name, start, combine)                                                                                                 \
    type name(global const int *in, int row, int first)                                                                                    \
    {                                                                                                                                      \
        type all = start;                                                                                                                  \
        for (int k = 0; k < get_sub_group_size(); k++) {                                                                                   \
            type a = all, b = (type)in[row * 160 + first + k];                                                                             \
            all = combine;                                                                                                                 \
        }                                                                                                                                  \
        return all;                                                                                                                        \
    }
SERIAL(float, sum_f, 0, a + b)
SERIAL(float, most_f, -INFINITY, max(a, b))
SERIAL(double, sum_d, 0, a + b)
SERIAL(double, least_d, INFINITY, min(a, b))
SERIAL(int, sum_i, 0, a + b)
SERIAL(int, least_i, INT_MAX, min(a, b))
SERIAL(ulong, most_l, 0, max(a, b))
SERIAL(long, sum_l, 0, a + b)

kernel void rows(global const int *in, global int *one, global int *other)
{
    const int g = get_global_id(0), first = g - get_sub_group_local_id();
    int wrong = 0;
    float8 f, m;
    for (int r = 0; r < 8; r++)
        ((float *)&f)[r] = in[r * 160 + g];
    for (int r = 0; r < 8; r++)
        ((float *)&m)[r] = sub_group_reduce_max(((float *)&f)[r]);
    f -= m; // the next ones need these
    for (int r = 0; r < 8; r++)
        wrong |= (((float *)&m)[r] != most_f(in, r, first)) << r;
    for (int r = 0; r < 7; r++)
        wrong |= (sub_group_reduce_add(((float *)&f)[r]) != sum_f(in, r, first) - get_sub_group_size() * ((float *)&m)[r]) << (r + 8);
    double d[5], s[5];
    for (int r = 0; r < 5; r++)
        d[r] = in[r * 160 + g];
    for (int r = 0; r < 5; r++)
        s[r] = sub_group_reduce_add(d[r]) + sub_group_reduce_min(d[r]);
    for (int r = 0; r < 5; r++)
        wrong |= (s[r] != sum_d(in, r, first) + least_d(in, r, first)) << (r + 15);
    one[g] = wrong;

    int v[16], w[16];
    for (int r = 0; r < 16; r++)
        v[r] = in[r * 160 + g];
    for (int r = 0; r < 16; r++)
        w[r] = sub_group_reduce_add(v[r]);
    wrong = 0;
    for (int r = 0; r < 16; r++)
        wrong |= (w[r] != sum_i(in, r, first)) << r;
    int3 low = {v[0], v[1], v[2]};
    low = (int3)(sub_group_reduce_min(low.x), sub_group_reduce_min(low.y), sub_group_reduce_min(low.z));
    wrong |= (low.x != least_i(in, 0, first) || low.y != least_i(in, 1, first) || low.z != least_i(in, 2, first)) << 16;
    ulong2 far = {v[3], v[4]};
    far = (ulong2)(sub_group_reduce_max(far.x), sub_group_reduce_max(far.y));
    wrong |= (far.x != most_l(in, 3, first) || far.y != most_l(in, 4, first)) << 17;
    long a = sub_group_reduce_add((long)v[5]), b = sub_group_reduce_add((long)v[6] * a), c = sub_group_reduce_add((long)v[7]);
    wrong |= (a != sum_l(in, 5, first) || b != sum_l(in, 6, first) * a || c != sum_l(in, 7, first)) << 18;
    other[g] = wrong;
}
