// SPDX-License-Identifier: Apache-2.0
// kernel: local_neighbours
// global: 240
// local: 8
// local: 16
// local: 6
// local: 40
// local: 60
// local: 5 1 1
// buffer: int 240 = i*37%101-50
// buffer: int 240 = 0
// expect: 1 = 15

/* What the lanes next to a lane have put into local memory, in the round before, with arrays on both sides that must stay as they are: sums
 * over all before by doubling steps, neighbours on either side, a tree of any size. */
kernel void local_neighbours(global const int *in, global int *ok)
{
    local int below[3], t[60], above[3], u[62];
    local short s[61];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), first = i - l, good = 0;
    if (l < 3)
        below[l] = above[l] = 77 + l;
    t[l] = in[i];
    u[l + 1] = in[i];
    s[l] = in[i];
    if (l == 0)
        u[0] = u[n + 1] = -1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d *= 2) {
        int x = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= d)
            t[l] += x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int sum = 0, most = -1000, up = in[i], total = 0;
    for (int k = first; k <= i; k++)
        sum += in[k];
    good |= t[l] == sum;
    for (int round = 0; round < 3; round++) {
        int m = max(max(u[l], u[l + 2]), u[l + 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        u[l + 1] = m;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = max(first, i - 3); k <= min(first + n - 1, i + 3); k++)
        most = max(most, in[k]);
    good |= (u[l + 1] == most) << 1;
    for (int m = n; m > 1; m = (m + 1) / 2) {
        int half_of = (m + 1) / 2;
        if (l < m / 2)
            s[l] += s[l + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = first; k < first + n; k++)
        total += in[k];
    good |= (s[0] == (short)total) << 2;
    good |= (below[i % 3] == 77 + i % 3 && above[i % 3] == 77 + i % 3) << 3;
    ok[i] = up == in[i] ? good : 0;
}
