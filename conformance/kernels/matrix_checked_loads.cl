// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 48 2
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_tessera_cooperative_matrix
// needs: 16
// edge-buffer: char 1440 = i/72%3+1
// edge-buffer: char 2880 = i%40%5-2
// buffer: int 900 = 7
// expect: 2 = (i<800)*72*(i/40%3+1)*(i%40%5-2)+(i>=800)*7

/* Matrices of 20 x 72 and 72 x 40, whose sizes are multiples of no cooperative matrix: one sub-group for each of C. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const char *a, global const char *b, global int *c)
{
    const int rows = get_global_size(1) * 10, columns = get_global_size(0) - 8, depth = columns + 32, row = get_group_id(1) * 16, column = get_group_id(0) * 16;
    tessera_matrix_int sum;
    tessera_matrix_fill(&sum, 0);
    for (int k = 0; k < depth; k += 64) {
        tessera_matrix_a_char x;
        tessera_matrix_b_char y;
        tessera_matrix_load_checked(&x, a, row, k, TESSERA_MATRIX_ROW_MAJOR, rows, depth, depth);
        tessera_matrix_load_checked(&y, b, k, column, TESSERA_MATRIX_ROW_MAJOR, depth, columns, columns);
        sum = tessera_matrix_multiply_add(x, y, sum);
    }
    tessera_matrix_store_checked(sum, c, row, column, TESSERA_MATRIX_ROW_MAJOR, rows, columns, columns);
}
