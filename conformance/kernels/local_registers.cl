// SPDX-License-Identifier: Apache-2.0
// kernel: local_registers
// global: 240
// local: 8
// local: 16
// local: 6
// local: 40
// local: 60
// local: 5 1 1
// buffer: int 240 = i*37%101-50
// buffer: int 240 = 0
// buffer: int 1 = 3
// local-buffer: 256
// expect: 1 = 63

/* Local memory of which all places are known once the size of work-groups is: neighbours in a loop of unknown length, stores that data
 * decide, an order turned around, elements between others, members of pairs, a tree, an argument's local memory. */
kernel void local_registers(global const int *in, global int *ok, global const int *length, local int *t)
{
    local int u[62], s[62];
    local short narrow[64];
    local float2 pairs[60];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), first = i - l, rounds = *length, good = 0;
    u[l + 1] = in[i];
    if (l == 0)
        u[0] = u[n + 1] = 0;
    t[l] = in[i];
    narrow[l] = in[i];
    pairs[l] = (float2)(in[i], -in[i]);
    s[n - 1 - l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Neighbours. */
    for (int r = 0; r < rounds; r++) {
        int x = u[l] + 2 * u[l + 1] - u[l + 2];
        barrier(CLK_LOCAL_MEM_FENCE);
        u[l + 1] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int row[62], next[62];
    row[0] = row[n + 1] = next[0] = next[n + 1] = 0;
    for (int k = 0; k < n; k++)
        row[k + 1] = in[first + k];
    for (int r = 0; r < rounds; r++) {
        for (int k = 1; k <= n; k++)
            next[k] = row[k - 1] + 2 * row[k] - row[k + 1];
        for (int k = 1; k <= n; k++)
            row[k] = next[k];
    }
    good |= u[l + 1] == row[l + 1];

    /* The other way round. */
    good |= (s[l] == in[first + n - 1 - l]) << 1;

    /* Where the data say so. */
    if (in[i] & 1)
        t[l] = 1000 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = (l + 3) % n;
    int want = in[first + other] & 1 ? 1000 + other : in[first + other];
    int got = t[other];
    barrier(CLK_LOCAL_MEM_FENCE);
    good |= (got == want) << 2;

    /* Every second element, of 16 bits. */
    if (l % 2 == 0)
        narrow[l] += 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = l ? l - 1 : n - 1;
    good |= (narrow[k] == (short)(in[first + k] + (k % 2 ? 0 : 5))) << 3;

    /* Halves of pairs. */
    float2 p = pairs[n - 1 - l];
    good |= (p.x == in[first + n - 1 - l] && p.y == -p.x) << 4;

    /* A tree whose sizes need not be powers of two, and all read its root. */
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = n; m > 1; m = (m + 1) / 2) {
        if (l < m / 2)
            s[l] += s[l + (m + 1) / 2];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int total = 0;
    for (int j = first; j < first + n; j++)
        total += in[j];
    good |= (s[0] == total) << 5;
    ok[i] = good;
}
