// SPDX-License-Identifier: Apache-2.0
// kernel: uneven
// global: 125
// local: 7
// edge-buffer: int 125 = i*3
// edge-buffer: int 125 = 0
// edge-buffer: int 125 = 0
// expect: 1 = i*3+1
// expect: 2 = (i<119)*i+(i>118)*(102+i-119)

/* The last work-group is smaller, and its number times its size is not where it begins. */
kernel void uneven(global const int *in, global int *out, global int *numbers)
{
    size_t x = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
    size_t number = get_group_id(0) * get_local_size(0) + get_local_id(0);
    out[x] = in[x] + 1;
    numbers[x] = number;
}
