// SPDX-License-Identifier: Apache-2.0
// kernel: required
// options: -cl-std=CL1.2
// options: -cl-std=CL3.0
// global: 32 63
// offset: 1 7
// local: 16 3
// edge-buffer: int 2016 = i*5
// edge-buffer: int 2016 = 0
// expect: 1 = (i%3+1)*1000+i/63%16*3+i%3+i*5+2

/* Lanes may follow y in groups whose size is required: the size in x is not that in y, of which ids have their range. */
kernel __attribute__((reqd_work_group_size(16, 3, 1))) void required(global const int *in, global int *out)
{
    int l = get_local_id(1), own = get_local_id(0) * 3 + l;
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 3 + l;
    bool range = get_local_id(0) < 16 && l < 3;
    out[x * 63 + y] = (l + 1) * 1000 + own + in[x * 63 + y] + range + (get_local_size(1) == 3);
}
