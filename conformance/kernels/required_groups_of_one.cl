// SPDX-License-Identifier: Apache-2.0
// kernel: required_groups_of_one
// global: 7 3
// offset: 5 2
// local: 1 1
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D TABLE=64
// options: -cl-std=CL3.0 -D EARLY
// buffer: uint 21 = 0
// buffer: uint 256 = i*2654435761%4294967296
// local-buffer: 1024
// expect: 0 = i*0+1

/* Work-groups that must have one work-item, each a chain of look-ups in tables of its own in local memory, as in ciphers: several may run side by
 * side. In loops that take different numbers of rounds, with a barrier, as an argument and as variables, by group ids and offsets. Each group
 * computes the chain once more from global memory alone. */
#ifndef TABLE
#define TABLE 256
#endif

uint mix(uint word, uint last)
{
    return word * 1664525u + 1013904223u + last;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void required_groups_of_one(global uint *ok, global const uint *in, local uint *own)
{
    local uint table[TABLE];
    local ushort turns;
    uint group = get_group_id(0) + 7 * get_group_id(1), rounds = 20 + group * 3 % 11, a = group * 77 + 1, b = ~a, x, y;
    if (get_global_id(0) != get_group_id(0) + 5 || get_global_id(1) != get_group_id(1) + 2 || get_local_linear_id())
        return;
#ifdef EARLY
    if (group % 5 == 3) {
        ok[group] = 1;
        return;
    }
#endif
    for (uint i = 0; i < TABLE; i++)
        table[i] = mix(in[i], group);
    own[group % 16] = group;
    turns = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = a;
    y = b;
    for (uint r = 0; r < rounds; r++) {
        x ^= ((table[y >> 24 & (TABLE - 1)] + table[y >> 16 & (TABLE - 1)]) ^ table[y >> 8 & (TABLE - 1)]) + table[y & (TABLE - 1)];
        y ^= ((table[x >> 24 & (TABLE - 1)] + table[x >> 16 & (TABLE - 1)]) ^ table[x >> 8 & (TABLE - 1)]) + table[x & (TABLE - 1)];
        table[r & (TABLE - 1)] = x; /* what follows reads it */
        turns++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    private uint again[TABLE];
    for (uint i = 0; i < TABLE; i++)
        again[i] = mix(in[i], group);
    for (uint r = 0; r < rounds; r++) {
        a ^= ((again[b >> 24 & (TABLE - 1)] + again[b >> 16 & (TABLE - 1)]) ^ again[b >> 8 & (TABLE - 1)]) + again[b & (TABLE - 1)];
        b ^= ((again[a >> 24 & (TABLE - 1)] + again[a >> 16 & (TABLE - 1)]) ^ again[a >> 8 & (TABLE - 1)]) + again[a & (TABLE - 1)];
        again[r & (TABLE - 1)] = a;
    }
    ok[group] = x == a && y == b && own[group % 16] == group && turns == rounds;
}
