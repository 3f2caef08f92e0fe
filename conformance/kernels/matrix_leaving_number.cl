// SPDX-License-Identifier: Apache-2.0
// kernel: leaving_number
// global: 64
// local: 64
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: int 64 = 0
// buffer: int 256 = i*5%7
// buffer: int 256 = 1065369472
// buffer: float 64 = 0
// expect: 0 = (i>=40)*((i-40)*5%7)+(i<40)*5
// expect: 3 = 64

/* A number that is consecutive over the work-items is made in a loop that they leave at different times, and is compared behind it. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void leaving_number(global int *out, global const int *in, global const int8 *ones,
                                                                         global float *sums)
{
    const uint lane = get_sub_group_local_id(), first = (uint)get_global_size(0) - 24;
    float sum = 0;
    for (uint i = 0; i < (in[255 - (int)(uint)get_local_id(0) * 2] & 7); i++) {
    }
    for (int k = 0; k < 4; k++)
        sum = intel_sub_group_bf16_bf16_matrix_mad_k16(((global const int *)ones)[k * 8 + lane], ones[k * 8 + lane], sum);
    sums[get_global_id(0)] = sum;
    out[get_global_id(0)] = (uint)get_local_id(0) >= first ? in[(uint)get_local_id(0) - first] : 5;
}
