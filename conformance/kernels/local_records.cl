// SPDX-License-Identifier: Apache-2.0
// kernel: local_records
// global: 96
// local: 48
// local: 32
// local: 16
// buffer: int 96 = i*7
// buffer: int 384 = i
// buffer: int 96 = 0
// expect: 1 = i+(i%4==0)*3*(i/4+1)+(i%4==1)*3*7*(i/4)+(i%4==2)*3*2-(i%4==3)*3
// expect: 2 = i*7+1

/* Records in local memory of which each field is read and written, in a loop that changes records in global memory: what a field is in one
 * round it is in the next, and what is written to local memory in a loop is read again. */
struct four {
    int a, b, c, d;
};

kernel void local_records(global const int *in, global struct four *sums, global int *out)
{
    local struct four own[48];
    local int last[48];
    int l = get_local_id(0), i = get_global_id(0);
    own[l].a = i + 1;
    own[l].b = in[i];
    own[l].c = 2;
    own[l].d = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; k++) {
        sums[i].a += own[l].a;
        sums[i].b += own[l].b;
        sums[i].c += own[l].c;
        sums[i].d += own[l].d;
    }
    last[l] = 0;
    for (int k = 0; k < own[l].b; k++)
        last[l] = k + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 1; k++)
        last[l] += own[l].c - 1;
    out[i] = last[l];
}
