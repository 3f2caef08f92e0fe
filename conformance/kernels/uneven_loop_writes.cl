// SPDX-License-Identifier: Apache-2.0
// kernel: writes
// global: 512
// local: 64
// buffer: int 512 = (i*7+3)&511
// buffer: int 512 = ((i*37)&127)*((i%5)+1)/4
// buffer: int 16384 = 0
// buffer: int 512 = 0
// expect: 3 = 1

/* Every walk leaves traces, in places of its own. */
kernel void writes(global const int *next, global const int *steps, global int *traces, global int *ok)
{
    int i = get_global_id(0), at = i;
    for (int k = 0; k < steps[i]; k++) {
        at = next[at];
        traces[((at + k) & 31) * 512 + i] += at;
    }
    int sum = 0, a = i;
    for (int k = 0; k < ((i * 37) & 127) * ((i % 5) + 1) / 4; k++)
        sum += a = (a * 7 + 3) & 511;
    for (int k = 0; k < 32; k++)
        sum -= traces[k * 512 + i];
    ok[i] = sum == 0;
}
