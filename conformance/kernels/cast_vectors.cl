// SPDX-License-Identifier: Apache-2.0
// kernel: cast_vectors
// global: 32
// local: 32
// buffer: uint 164 = i*9
// buffer: uint 289 = 0
// local-buffer: 528
// expect: 1 = (i>0)*(i<129)*(i+2)*9 + (i>128)*(i<161)*9*(290+(i-129)%4*2) + (i>160)*((31-(i-161)/4)*4+(i-161)%4 + 1000*(1+(i-161)/4%2+(i-161)%4))

/* Pointers to vectors that are aligned as elements are: read and written side by side, by one work-item in a loop, and in local and private memory.
 * OpenCL C leaves it open, GPUs allow it. */
kernel void cast_vectors(global const uint *in, global uint *out, local uint *near)
{
    int i = get_global_id(0);
    global const uint4 *from = (global const uint4 *)(in + 3);
    global uint4 *to = (global uint4 *)(out + 1);
    uint own[8];

    to[i] = from[i];
    if (i == 0)
        for (int k = 0; k < 8; k++)
            to[32 + k] = from[32 + k] + from[39 - k];
    for (int c = 0; c < 4; c++)
        near[1 + 4 * i + c] = 4 * i + c;
    for (int k = 0; k < 8; k++)
        own[k] = 1000 * k;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[40 + i] = ((local const uint4 *)(near + 1))[31 - i] + *(const uint4 *)(own + 1 + i % 2);
}
