// SPDX-License-Identifier: Apache-2.0
// kernel: collectives
// global: 192
// local: 64
// needs: __opencl_c_work_group_collective_functions
// buffer: int 192 = 0
// expect: 0 = 1

/* A group of several sub-groups of which each is full, and nothing but a collective that makes them meet. */
kernel void collectives(global int *ok)
{
    int l = (int)get_local_linear_id();
    ok[get_global_id(0)] = work_group_scan_inclusive_add(l) == l * (l + 1) / 2;
}
