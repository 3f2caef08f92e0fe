// SPDX-License-Identifier: Apache-2.0
// kernel: checked_barrier
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-opt-disable
// global: 72
// local: 24
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: int 72 = -1
// buffer: int 144 = i
// local-buffer: 96
// expect: 0 = (i%24+1)%24*6 + 24*15

/* Checks of ranges, which all hold, around barriers, in groups of a packet that is full and one that is not: all of a group have to meet at the
 * same barriers, so both packets go without the checks, or both with them. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void checked_barrier(global int *out, global const int *a, local int *staged)
{
    int l = get_local_id(0), sum = 0, n = get_global_size(0) * 2;
    int8 c = 0;
    for (int k = 0; k < n; k += 24) {
        staged[l] = k + l < n ? a[k + l] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += staged[(l + 1) % 24];
        c = intel_sub_group_i8_i8_matrix_mad_k32((short8)0, (int8)0, c);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum + c[0];
}
