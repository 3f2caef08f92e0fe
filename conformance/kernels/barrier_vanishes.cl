// SPDX-License-Identifier: Apache-2.0
// kernel: barrier_vanishes
// global: 64
// local: 64
// buffer: int 64 = 0
// buffer: uint 1 = 3
// local-buffer: 256
// expect: 0 = i+3

/* A barrier that the compiler finds to be out of reach, but not at once. */
kernel void barrier_vanishes(global int *out, global const uint *n, local int *s)
{
    int l = get_local_id(0);
    short v = 1;
    uint c = 0, last = n[0];
    do {
        if (c > 7) {
            if (c > 4) {
                barrier(CLK_LOCAL_MEM_FENCE);
                s[l] = l;
                barrier(CLK_LOCAL_MEM_FENCE);
                v = s[63 - l];
            }
        }
    } while (++c < (last & 3) + 1);
    out[l] = l + v + 2;
}
