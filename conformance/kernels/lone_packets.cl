// SPDX-License-Identifier: Apache-2.0
// kernel: lone_packets
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D INDEX=int
// options: -cl-std=CL3.0 -cl-uniform-work-group-size
// global: 480 4 2
// local: 1 1 1
// local: 8 2 1
// local: 15 1 1
// local: 16 1 1
// local: 16 2 1
// local: 32 1 1
// local: 4 2 2
// buffer: int 3840 = 0
// buffer: uint 256 = i*i+3
// buffer: uint 3840 = 0
// local-buffer: 256
// expect: 0 = 15

/* Work-groups of one packet, in which barriers are nothing, and of fewer or more work-items: each function once with barriers and once computed
 * by the work-item alone. */
#ifndef INDEX
#define INDEX size_t
#endif

kernel void lone_packets(global int *ok, global const uint *restrict in, global uint *restrict out, local uint *t)
{
    INDEX l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    INDEX id = get_global_linear_id(), group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    INDEX first = group * n;

    /* A tree of sums, for any number of work-items, and what it left. */
    t[l] = in[(first + l) & 255];
    for (INDEX count = n; count > 1; count = (count + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < count / 2)
            t[l] += t[l + (count + 1) / 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (INDEX i = 0; i < n; i++)
        sum += in[(first + i) & 255];
    int good = t[0] == sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Each group goes round as often as its number says, and the order of its work-items turns. */
    t[l] = (uint)l;
    for (INDEX round = 0; round < group % 5; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint from = t[n - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = from + 3;
    }
    uint expected = (uint)l, other = (uint)(n - 1 - l);
    for (INDEX round = 0; round < group % 5; round++) {
        uint next = other + 3;
        other = expected + 3;
        expected = next;
    }
    good |= (t[l] == expected) << 1;

    /* What others have written to global memory, through another pointer than that which is read. */
    global uint *mine = out + first;
    mine[l] = (uint)id;
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint before = out[first + (l + 1) % n];
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    mine[(l + n - 1) % n] = before + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    t[l] = (uint)id;
    barrier(CLK_LOCAL_MEM_FENCE);
    good |= (before == t[(l + 1) % n]) << 2;
    good |= (out[first + l] == t[(l + 2) % n] + 1) << 3;
    ok[id] = good;
}
