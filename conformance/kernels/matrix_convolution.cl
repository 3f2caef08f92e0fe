// SPDX-License-Identifier: Apache-2.0
// kernel: convolution
// options: -cl-std=CL3.0 -DWORD(k)=((k)/2)
// options: -cl-std=CL3.0 -DWORD(k)=((uint)(k)>>1)
// options: -cl-std=CL3.0 -DWORD(k)=((k)/2) -DSTARTS_WITH=(row+lane)
// global: 32 8
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: ushort 3200 = 16256 + i/320%2*128
// buffer: uint 4608 = (16256 + i%2*128 + (i/32/48==0)*128)*65537
// buffer: float 2048 = 0
// expect: 2 = 96*(5+i/256%2*2)*(1+i%2)

/* A window of 3 x 3 over an image of bfloat16 with a border, as a product of matrices: loops around the one over K jump in A, and in B by an
 * index whose half is taken. */
#ifndef STARTS_WITH
#define STARTS_WITH 0
#endif
__attribute__((intel_reqd_sub_group_size(16))) kernel void convolution(global const short *image, global const int *weights, global float *out)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1), column = get_group_id(0) * 16, channels = get_global_size(0), width = 8;
    float8 sum = STARTS_WITH;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            for (int k = 0; k < channels; k += 16) {
                short8 a;
                int8 b;
                for (int r = 0; r < 8; r++)
                    a[r] = image[((row + y) * (width + 2) + x + r) * channels + k + lane];
                for (int w = 0; w < 8; w++)
                    b[w] = weights[(WORD((y * 3 + x) * channels + k) + w) * 32 + column + lane];
                sum = intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, sum);
            }
    for (int r = 0; r < 8; r++)
        out[(row * 8 + r) * 32 + column + lane] = sum[r] - (STARTS_WITH);
}
