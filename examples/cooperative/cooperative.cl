/* SPDX-License-Identifier: Apache-2.0
 * C = max(A·B + bias, 0) with cooperative matrices: the last step of a layer of a network, done on elements of the product before they are
 * stored.
 *
 * A lies row after row. B is packed: panels of 16 columns, one after the other; in a panel, row after row, 16 words of 32 bits, each with
 * the elements of a column in that row and the next ones (four int8 or two bfloat16). `bias` has a number for each column.
 *
 * Each sub-group makes a block of 32 × 32 of C, and keeps it in four matrices throughout. */
#ifdef BF16
typedef ushort number;
typedef float sum;
typedef tessera_matrix_a_bfloat16 matrix_a;
typedef tessera_matrix_b_bfloat16 matrix_b;
typedef tessera_matrix_float matrix_c;
#else
typedef char number;
typedef int sum;
typedef tessera_matrix_a_char matrix_a;
typedef tessera_matrix_b_char matrix_b;
typedef tessera_matrix_int matrix_c;
#endif

enum { ROWS = 2, COLUMNS = 2, SIDE = 16, STEP = 64 / sizeof(number) /* elements of K in a product */, WORD = 4 / sizeof(number) };

__attribute__((intel_reqd_sub_group_size(16)))
kernel void layer(global const number *restrict a, global const number *restrict b, global const sum *restrict bias, global sum *restrict c,
                  int depth, int width)
{
    size_t row = get_global_id(1) * ROWS * SIDE, panel = get_global_id(0) / SIDE * COLUMNS;
    matrix_c product[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            tessera_matrix_fill(&product[i][j], 0);

    for (int k = 0; k < depth; k += STEP) {
        matrix_a x[ROWS];
        matrix_b y[COLUMNS];
        for (int i = 0; i < ROWS; i++)
            tessera_matrix_load(&x[i], a + (row + i * SIDE) * depth + k, TESSERA_MATRIX_ROW_MAJOR, depth);
        for (int j = 0; j < COLUMNS; j++)
            tessera_matrix_load(&y[j], b + ((panel + j) * depth + k) * SIDE, TESSERA_MATRIX_PACKED, SIDE * WORD);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                product[i][j] = tessera_matrix_multiply_add(x[i], y[j], product[i][j]);
    }

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            for (uint e = 0; e < tessera_matrix_length(product[i][j]); e++) {
                size_t column = (panel + j) * SIDE + tessera_matrix_coordinate(product[i][j], e).y;
                tessera_matrix_set(&product[i][j], e, max(tessera_matrix_get(product[i][j], e) + bias[column], (sum)0));
            }
            tessera_matrix_store(product[i][j], c + (row + i * SIDE) * width + (panel + j) * SIDE, TESSERA_MATRIX_ROW_MAJOR, width);
        }
}
