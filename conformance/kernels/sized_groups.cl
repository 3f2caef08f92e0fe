// SPDX-License-Identifier: Apache-2.0
// kernel: sized_groups
// options: -cl-std=CL3.0 -D TYPE=float
// options: -cl-std=CL3.0 -D TYPE=uchar -D ARRAY
// options: -cl-std=CL3.0 -D TYPE=uchar
// options: -cl-std=CL3.0 -D TYPE=ushort -D LOOP
// options: -cl-std=CL3.0 -D TYPE=ulong -D SUB_GROUPS
// global: 120 8 4
// offset: 5 2 1
// local: 1 1 1
// local: 2 2 2
// local: 3 4 1
// local: 15 1 1
// local: 1 8 4
// local: 3 4 2
// local: 8 8 1
// local: 40 1 1
// local: 60 1 1
// local: 3 8 4
// local: 4 8 4
// local: 30 4 1
// local: 40 2 1
// local: 10 4 2
// local: 120 1 1
// local: 24 8 1
// local: 7 1 1
// local: 5 3 1
// buffer: int 3840 = 0
// buffer: uint 3840 = i*7%61+i%13*3
// local-buffer: 7680
// expect: 0 = 127

/* Work-groups of all shapes, with code of their own where all of a launch have this shape: one packet, packets that go on from one row to the
 * next, and rows of full packets. The last two local sizes leave smaller groups at the end. */
enum { MOST = 960 };

kernel void sized_groups(global int *ok, global const uint *in, local TYPE *shared)
{
    local TYPE rows[32][65];
    local uint sums[MOST];
    local uchar bytes[MOST + 1];
    uint x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), lx = get_local_size(0), ly = get_local_size(1);
    uint n = lx * ly * get_local_size(2), l = (z * ly + y) * lx + x, row = z * ly + y, last = ly * get_local_size(2) - 1;
    uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    global const uint *own = in + group % 3;
    int good = 0;

    bool ids = get_local_linear_id() == l;
#ifdef LOOP /* a dimension that is not a constant before the loop is unrolled */
    for (uint d = 0; d < 3; d++)
        ids = ids && get_global_id(d) == get_global_offset(d) + get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d);
#endif
    ids = ids && get_global_id(0) == get_global_offset(0) + get_group_id(0) * get_enqueued_local_size(0) + x;
    ids = ids && get_global_id(1) == get_global_offset(1) + get_group_id(1) * get_enqueued_local_size(1) + y;
    ids = ids && get_global_id(2) == get_global_offset(2) + get_group_id(2) * get_enqueued_local_size(2) + z;
    good |= ids;

    /* Values go round in a ring. */
    TYPE v = own[l];
    for (uint k = 0; k < 5; k++) {
        shared[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = shared[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    good |= (v == (TYPE)own[(l + 5) % n]) << 1;

    /* Neighbours in a tile with gaps, in four directions; groups of longer rows use its beginning. */
    uint left = x ? x - 1 : 0, right = min(x + 1, lx - 1), up = row ? row - 1 : 0, down = min(row + 1, last);
    if (x < 65)
        rows[row % 32][x] = own[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    bool same = true;
    if (lx <= 65 && last < 32) {
        same = rows[row][left] == (TYPE)own[row * lx + left] && rows[row][right] == (TYPE)own[row * lx + right] &&
               rows[up][x] == (TYPE)own[up * lx + x] && rows[down][x] == (TYPE)own[down * lx + x];
        same = same && rows[last - row][lx - 1 - x] == (TYPE)own[n - 1 - l];
    }
    good |= same << 2;

    /* A tree of sums. */
    sums[l] = own[l];
    for (uint count = n; count > 1; count = (count + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < count / 2)
            sums[l] += sums[l + (count + 1) / 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < n; i++)
        sum += own[i];
    good |= (sums[0] == sum) << 3;

    /* Lanes part before the barrier, in branches and loops. */
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((l ^ 3) % 5 < 2) {
        TYPE t = 1;
        for (uint i = 0; i < l % 4; i++)
            t += i;
        shared[l] = t;
    } else if (x == lx / 2) {
        shared[l] = 77;
    } else {
        shared[l] = 5;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint m = n - 1 - l, steps = m % 4;
    TYPE wanted = (m ^ 3) % 5 < 2 ? 1 + steps * (steps ? steps - 1 : 0) / 2 : m % lx == lx / 2 ? 77 : 5;
    good |= (shared[m] == wanted) << 4;

    /* Every third place, of bytes, by one work-item of three; others stay. */
    bytes[l] = l % 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 3 == 1)
        bytes[l - 1] += 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    good |= (bytes[l] == l % 7 + (l % 3 == 0 && l + 1 < n ? 100 : 0)) << 5;

    /* Values that live over a loop of barriers, some of them in an array. */
    uint expected = 0, got = 0;
#ifdef ARRAY
    uint array[4] = {l, l + 1, l + 2, l + 3};
#define OWN(k) array[(k) % 4]
#else
#define OWN(k) (l + (k) % 4)
#endif
    for (uint k = 0; k < 4; k++) {
        shared[n - 1 - l] = OWN(l + k);
        barrier(CLK_LOCAL_MEM_FENCE);
        got += (uint)(TYPE)shared[l] * (k + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        expected += (uint)(TYPE)(m + (m + k) % 4) * (k + 1);
    }
#ifdef SUB_GROUPS
    got += sub_group_reduce_add(1u) - get_sub_group_size();
#endif
    good |= (got == expected) << 6;
    ok[get_global_linear_id()] = good;
}
