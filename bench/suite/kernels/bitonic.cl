// SPDX-License-Identifier: Apache-2.0
// Bitonic sort: short distances in local memory, long ones a launch each.
void order(local uint *keys, int at, int distance, bool up)
{
    uint a = keys[at], b = keys[at + distance];
    if ((a > b) == up) {
        keys[at] = b;
        keys[at + distance] = a;
    }
}

// Sorts blocks of 512 keys, upwards and downwards in turn.
kernel void sort_blocks(global uint *data)
{
    local uint keys[512];
    int l = get_local_id(0), base = get_group_id(0) * 512;
    keys[l] = data[base + l];
    keys[l + 256] = data[base + l + 256];
    for (int size = 2; size <= 512; size <<= 1) {
        bool up = ((base + 2 * l) & size) == 0;
        for (int distance = size >> 1; distance > 0; distance >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            order(keys, 2 * l - (l & (distance - 1)), distance, up);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = keys[l];
    data[base + l + 256] = keys[l + 256];
}

kernel void merge_far(global uint *data, int size, int distance)
{
    int i = get_global_id(0), at = 2 * i - (i & (distance - 1));
    bool up = (at & size) == 0;
    uint a = data[at], b = data[at + distance];
    if ((a > b) == up) {
        data[at] = b;
        data[at + distance] = a;
    }
}

kernel void merge_near(global uint *data, int size)
{
    local uint keys[512];
    int l = get_local_id(0), base = get_group_id(0) * 512;
    keys[l] = data[base + l];
    keys[l + 256] = data[base + l + 256];
    bool up = (base & size) == 0;
    for (int distance = 256; distance > 0; distance >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        order(keys, 2 * l - (l & (distance - 1)), distance, up);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = keys[l];
    data[base + l + 256] = keys[l + 256];
}
