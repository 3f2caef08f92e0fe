// SPDX-License-Identifier: Apache-2.0
// kernel: grouped
// options: -cl-std=CL1.2
// options: -cl-std=CL3.0
// global: 126 3
// local: 7 1
// local: 6 3
// local: 63 1
// local: 126 1
// edge-buffer: int 378 = i*3
// edge-buffer: int 378 = 0
// edge-buffer: long 378 = 5
// expect: 1 = i*3+1
// expect: 2 = (i%126%3>0)*(i%126)+(i%126%3==0)*5

/* The global id from the group's number; with lanes of several groups in a sub-group, too. */
#if __OPENCL_C_VERSION__ < 200
#define SIZE get_local_size(0)
#else
#define SIZE get_enqueued_local_size(0)
#endif

kernel void grouped(global const int *in, global int *out, global long *some)
{
    int x = get_group_id(0) * SIZE + get_local_id(0);
    size_t wide = get_group_id(0) * SIZE + get_local_id(0), y = get_global_id(1) * 126;
    out[y + x] = in[y + wide] + 1;
    if (wide % 3)
        some[y + wide] = x;
}
