// SPDX-License-Identifier: Apache-2.0
// kernel: scan_overflow
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-opt-disable
// global: 64
// local: 32
// buffer: int 64 = -1
// buffer: int 64 = 201326592
// expect: 0 = ((i%32+1)*3>>5&1) + 2*(i%32*3>>5&1 | i%32 == 0) + 4*((i%32+1)*3>>5&1) + 8*(i%32*3>>5&1 | i%32 == 0) + 16

/* Sums of signed integers go around, so that a comparison of one may not use flags of the addition. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void scan_overflow(global int *out, global const int *in)
{
    int x = in[get_global_id(0)];
    long y = (long)x << 32;
    int r = work_group_scan_inclusive_add(x) <= 0;
    r += work_group_scan_exclusive_add(x) <= 0 ? 2 : 0;
    r += work_group_scan_inclusive_add(y) <= 0 ? 4 : 0;
    r += work_group_scan_exclusive_add(y) <= 0 ? 8 : 0;
    r += work_group_reduce_add(x) <= 0 ? 16 : 0;
    out[get_global_id(0)] = r;
}
