// SPDX-License-Identifier: Apache-2.0
// Matrix functions by the names that Intel's compilers give them. Compiled with M_SIZE, the sub-group size of the device.

#if M_SIZE == 8
typedef int8 rows_of_a;
#else
typedef short8 rows_of_a;
#endif

int8 __attribute__((overloadable)) intel_sub_group_i8_i8_matrix_mad_k32(rows_of_a a, int8 b, int8 acc);
float8 __attribute__((overloadable)) intel_sub_group_bf16_bf16_matrix_mad_k16(rows_of_a a, int8 b, float8 acc);

__attribute__((intel_reqd_sub_group_size(M_SIZE))) kernel void mad_i8(global const rows_of_a *a, global const int8 *b, global int8 *c)
{
    size_t i = get_global_id(0);
    c[i] = intel_sub_group_i8_i8_matrix_mad_k32(a[i], b[i], c[i]);
}

__attribute__((intel_reqd_sub_group_size(M_SIZE))) kernel void mad_bf16(global const rows_of_a *a, global const int8 *b, global float8 *c)
{
    size_t i = get_global_id(0);
    c[i] = intel_sub_group_bf16_bf16_matrix_mad_k16(a[i], b[i], c[i]);
}

#if M_SIZE == 8
int8 __attribute__((overloadable)) intel_sub_group_i8_i8_split_matrix_mad_k32(int4 a, int8 b, int8 acc);

__attribute__((intel_reqd_sub_group_size(8))) kernel void split_i8(global const int4 *a, global const int8 *b, global int8 *c)
{
    size_t i = get_global_id(0);
    c[i] = intel_sub_group_i8_i8_split_matrix_mad_k32(a[i], b[i], c[i]);
}
#endif
