// SPDX-License-Identifier: Apache-2.0
// kernel: groups_of_one
// global: 37 3
// local: 1 1
// local: 37 1
// buffer: int 111 = 0
// buffer: uint 256 = 0
// local-buffer: 256
// options: -cl-std=CL3.0
// expect: 0 = 1
// expect: 1 = (i<1)*111

/* Work-groups of one have code in which several run side by side, where each is a chain of operations: every one has its own local memory, and what it
 * finds there decides how long its loops go on. Other groups do the same in a part of their local memory for each work-item. */
float step(float sum, uint x)
{
    return fma(sum, 0.5f, (float)(x & 255));
}

kernel void groups_of_one(global int *ok, global uint *count, local uint *own)
{
    local uint table[64 * 8], rounds[64];
    uint id = get_global_id(1) * 37 + get_global_id(0), l = get_local_id(0);
    local uint *mine = table + l * 8;
    own[l] = id % 11;
    rounds[l] = 0;
    for (uint e = 0; e < 8; e++)
        mine[e] = id * (e + 3) >> 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = id;
    for (uint k = 0; k < 50 + own[l]; k++) {
        sum = step(sum, mine[k & 7]);
        mine[k + 3 & 7] ^= (uint)sum;
        rounds[l]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine[id & 7] & 1)
        own[l] += 100;
    while (own[l] > 40) {
        sum = step(sum, own[l]);
        own[l] -= 40;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint again[8], end = id % 11, number = 50 + end;
    for (uint e = 0; e < 8; e++)
        again[e] = id * (e + 3) >> 1;
    float expected = id;
    for (uint k = 0; k < number; k++) {
        expected = step(expected, again[k & 7]);
        again[k + 3 & 7] ^= (uint)expected;
    }
    if (again[id & 7] & 1)
        end += 100;
    for (; end > 40; end -= 40)
        expected = step(expected, end);
    bool good = sum == expected && own[l] == end && rounds[l] == number;
    for (uint e = 0; e < 8; e++)
        good = good && mine[e] == again[e];
    ok[id] = good;
    atomic_inc(count);
}
