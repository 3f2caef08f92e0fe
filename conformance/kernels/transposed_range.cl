// SPDX-License-Identifier: Apache-2.0
// kernel: transposed_range
// options: -cl-std=CL3.0 -D T=int
// options: -cl-std=CL3.0 -D T=uchar
// options: -cl-std=CL3.0 -D T=int -D GROUPS
// global: 70 45 3
// offset: 5 3 0
// local: 5 9 1
// local: 1 1 1
// local: 7 5 3
// local: 32 4 1
// edge-buffer: int 9450 = i
// edge-buffer: int 9450 = 0
// expect: 1 = i%45+i/45%70*45+i/3150*3150+1

/* A transposition: lanes follow x, and the rows that write to the same cache lines are run one after the other. Every work-item is run once. */
kernel void transposed_range(global const int *from, global int *to)
{
#ifdef GROUPS
    size_t x = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
#else
    size_t x = get_global_id(0) - get_global_offset(0);
#endif
    size_t y = get_global_id(1) - get_global_offset(1), z = get_global_id(2);
    size_t at = (z * 70 + x) * 45 + y;
    T low = from[(z * 45 + y) * 70 + x];
    to[at] += (int)at + 1 + (T)(low - (T)((z * 45 + y) * 70 + x));
}
