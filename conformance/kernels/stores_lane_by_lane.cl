// SPDX-License-Identifier: Apache-2.0
// kernel: stores_lane_by_lane
// options: -cl-std=CL3.0
// global: 96
// local: 32
// local: 3
// local: 1
// edge-buffer: int 97 = i*(i-1)/2
// edge-buffer: int 4560 = (i*7+3)%64
// edge-buffer: int 64 = 0
// edge-buffer: int 64 = -1
// edge-buffer: int 96 = 0
// expect: 4 = 1

/* Lists of different lengths whose entries are places in memory to which other work-items write as well: by atomic operations, the result of which
 * is needed or not, by compare and exchange, and the same number by plain stores. Only the order among work-items is open. */
kernel void stores_lane_by_lane(global const int *first, global const int *list, global int *counts, global int *owners, global int *good)
{
    int id = get_global_id(0), before = 0, mine = 0, theirs = 0, right = 1;
    for (int k = first[id]; k < first[id + 1]; k++)
        before += atomic_inc(&counts[list[k]]) >= 0;
    for (int k = first[id]; k < first[id + 1]; k++) {
        int old = atomic_cmpxchg(&owners[list[k]], -1, id);
        if (old == -1 || old == id)
            mine++;
        else
            theirs++;
    }
    for (int k = first[id]; k < first[id + 1]; k++)
        if (owners[list[k]] < 0)
            right = 0;
    good[id] = right & (before == id) & (mine + theirs == id);
}
