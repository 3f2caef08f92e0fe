// SPDX-License-Identifier: Apache-2.0
// kernel: small_groups
// global: 203
// offset: 16
// local: 1
// local: 4
// local: 7
// local: 16
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D EACH=2
// buffer: int 203 = 0
// buffer: uint 64 = 0
// buffer: uint 256 = i*i+3
// local-buffer: 256
// expect: 0 = 127
// expect: 1 = i*0+(i<1)*203

/* Small work-groups of scalars with barriers, local memory and divergent loops: the engine may run several of them in a packet, where each must
 * have its own local memory, and groups may go round their loops with barriers a different number of times. */
#ifndef EACH
#define EACH 1
#endif

typedef struct {
    uint sum, least;
    ushort bytes[3];
} record;

kernel void small_groups(global int *ok, global uint *counts, global const uint *in, local uint *shared)
{
    local uint total, table[2][17];
    local record mine;
    local uchar small[16];
    uint id = get_global_id(0) - get_global_offset(0), l = get_local_id(0), n = get_local_size(0), group = get_group_id(0);
    bool numbers = n == (group + 1 < get_num_groups(0) ? get_enqueued_local_size(0) : 203 - group * get_enqueued_local_size(0)) &&
                   id == group * get_enqueued_local_size(0) + l && get_local_linear_id() == l && get_num_groups(0) * get_enqueued_local_size(0) >= 203;
    int good = numbers;

    /* A tree in local memory. */
    shared[l] = id;
    for (uint step = 1; step < n; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = l + step < n ? shared[l + step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] += other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = id - l, sum = 0;
    for (uint i = l; i < n; i++)
        sum += first + i;
    good |= (shared[l] == sum) << 1;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Each group goes round as often as its number says. */
    uint value = id;
    for (uint round = 0; round < group % 5 * EACH; round++) {
        shared[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = shared[n - 1 - l] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group % 7 == 3 && round == 2)
            break;
    }
    uint expected[2] = {id, first + n - 1 - l};
    for (uint round = 0; round < group % 5 * EACH; round++) {
        uint old = expected[0];
        expected[0] = expected[1] + round, expected[1] = old + round;
        if (group % 7 == 3 && round == 2)
            break;
    }
    good |= (value == expected[0]) << 2;

    /* Barriers that only some groups reach, and a table that each group fills for itself. */
    if (l == 0)
        total = 0, mine.sum = 0, mine.least = UINT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group & 1) {
        atomic_add(&total, in[id & 255] & 15);
        atomic_min(&mine.least, id);
        barrier(CLK_LOCAL_MEM_FENCE);
        uint seen = 0;
        for (uint i = 0; i < n; i++)
            seen += in[(first + i) & 255] & 15;
        good |= (total == seen && mine.least == first) << 3;
    } else {
        good |= (total == 0 && mine.least == UINT_MAX) << 3;
    }
    table[l & 1][l] = in[id & 255];
    small[l] = (uchar)(id * 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = (l + 1) % n;
    good |= (table[other & 1][other] == in[(first + other) & 255] && small[other] == (uchar)((first + other) * 3)) << 4;

    /* Generic pointers, and a copy by the whole group. */
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done = async_work_group_copy(shared, in + group % 9, 5, 0);
    wait_group_events(1, &done);
    uint own[2] = {id, id + 1};
    const uint *either = id % 3 ? (uint *)&shared[id % 5] : &own[id & 1];
    good |= (*either == (id % 3 ? in[group % 9 + id % 5] : own[id & 1])) << 5;
    good |= (to_local((uint *)either) == (id % 3 ? &shared[id % 5] : 0)) << 6;
    atomic_inc(counts);
    ok[id] = good;
}
