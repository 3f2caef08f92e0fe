/* SPDX-License-Identifier: Apache-2.0
 * Grids of a few rows, as a vector times a matrix: B is read where it lies, as packing it takes longer than what it saves. Several columns
 * of tiles go along K side by side, so that a row of B is read in one piece: one column alone would read a line of each page. Of more than
 * eight rows the next ones find these columns in the second cache. */
#include "device-amx/cpu.h"
#include "device-amx/tiles_dot.h"

enum {
    MOST_ROWS = 24,
    ROWS = 8,    /* at once */
    COLUMNS = 8, /* of tiles, at once */
    AHEAD = 16,  /* rows of B that are fetched before they are needed */
};

bool tsr__tile_is_thin(const struct tsr__tile_grid *g)
{
    const struct tsr_tile_loop *x = g->loop;
    const uint64_t other = TSR_TILE_B_UNPACKED | TSR_TILE_NIBBLES | TSR_TILE_A_EDGES | TSR_TILE_B_EDGES | TSR_TILE_A_COMPUTED |
                           TSR_TILE_B_COMPUTED | TSR_TILE_HALF_N;
    return g->rows * tsr__loop_rows(x) <= MOST_ROWS && x->rows == 1 && x->zero && !x->apart && !g->b_right && !(x->how & other) &&
           !tsr__is_in_tiles(x) && !tsr__tile_is_wide(x->how & TSR_TILE_PRODUCT);
}

/* Rows of A, columns of tiles of B, and where the rows of C lie in these columns. */
struct thin {
    const char *a[MOST_ROWS], *b[COLUMNS];
    char *to[MOST_ROWS][COLUMNS];
};

/* Multiplies `rows` rows from `row` on by `columns` columns of tiles from `column` on. */
AVX512 INLINE void multiply(const struct tsr_tile_loop *x, const struct thin *t, unsigned row, unsigned column, unsigned rows,
                            unsigned columns, enum tsr_tile_product product)
{
    const char *a[ROWS], *b[COLUMNS];
    const bool same_signs = has_same_signs(product);
    const __m512i flip = flip_of(product);
    const unsigned words = tsr__loop_words(x);
    __m512i sum[ROWS][COLUMNS], of_column[COLUMNS];
    for (unsigned r = 0; r < rows; r++)
        a[r] = t->a[row + r];
    for (unsigned c = 0; c < columns; c++) {
        b[c] = t->b[column + c];
        of_column[c] = _mm512_setzero_si512();
        for (unsigned r = 0; r < rows; r++)
            sum[r][c] = _mm512_setzero_si512();
    }
    for (int64_t step = 0; step < x->steps; step++)
        _Pragma("GCC unroll 1") for (unsigned k = 0; k < words; k++)
        {
            const int64_t of_a = step * x->a_step + 4 * k, of_b = step * x->b_step + k * x->b_stride;
            __m512i y[COLUMNS];
            for (unsigned c = 0; c < columns; c++) {
                y[c] = _mm512_loadu_si512(b[c] + of_b);
                _mm_prefetch(b[c] + of_b + AHEAD * x->b_stride, _MM_HINT_T0);
                if (same_signs)
                    of_column[c] = add_to_column(of_column[c], y[c], product);
            }
            for (unsigned r = 0; r < rows; r++) {
                const __m512i word = spread(a[r] + of_a), of_row = same_signs ? _mm512_xor_si512(word, flip) : word;
                for (unsigned c = 0; c < columns; c++)
                    sum[r][c] = dot(sum[r][c], of_row, y[c], product);
            }
        }
    for (unsigned c = 0; c < columns; c++) {
        const __m512i correction = correction_of(of_column[c], product);
        for (unsigned r = 0; r < rows; r++)
            _mm512_storeu_si512(t->to[row + r][column + c], same_signs ? _mm512_add_epi32(sum[r][c], correction) : sum[r][c]);
    }
}

/* The number of columns of tiles for which there are registers if `rows` rows are multiplied at once. */
static unsigned columns_at_once(unsigned rows)
{
    return rows == 8 ? COLUMNS / 4 : rows == 4 ? COLUMNS / 2 : COLUMNS;
}

#define THIN(name, product)                                                                                                                \
    AVX512 static void name(const struct tsr_tile_loop *x, const struct thin *t, unsigned row, unsigned column, unsigned rows,             \
                            unsigned columns)                                                                                              \
    {                                                                                                                                      \
        if (rows == 8)                                                                                                                     \
            columns > 1 ? multiply(x, t, row, column, 8, COLUMNS / 4, product) : multiply(x, t, row, column, 8, 1, product);               \
        else if (rows == 4)                                                                                                                \
            columns > 1 ? multiply(x, t, row, column, 4, COLUMNS / 2, product) : multiply(x, t, row, column, 4, 1, product);               \
        else if (rows == 2)                                                                                                                \
            columns > 1 ? multiply(x, t, row, column, 2, COLUMNS, product) : multiply(x, t, row, column, 2, 1, product);                   \
        else                                                                                                                               \
            columns > 1 ? multiply(x, t, row, column, 1, COLUMNS, product) : multiply(x, t, row, column, 1, 1, product);                   \
    }
THIN(s8s8, TSR_TILE_S8S8)
THIN(s8u8, TSR_TILE_S8U8)
THIN(u8s8, TSR_TILE_U8S8)
THIN(u8u8, TSR_TILE_U8U8)
THIN(bf16_pairs, TSR_TILE_BF16_PAIRS)

static void (*const products[])(const struct tsr_tile_loop *, const struct thin *, unsigned row, unsigned column, unsigned rows,
                                unsigned columns) = {
    [TSR_TILE_S8S8] = s8s8, [TSR_TILE_S8U8] = s8u8, [TSR_TILE_U8S8] = u8s8, [TSR_TILE_U8U8] = u8u8, [TSR_TILE_BF16_PAIRS] = bf16_pairs};

static unsigned rows_at_once(unsigned left)
{
    return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* All rows of some columns, as many as go at once, or one. */
static void multiply_columns(const struct tsr_tile_loop *x, const struct thin *t, unsigned all, unsigned columns)
{
    for (unsigned row = 0, rows; row < all; row += rows) {
        rows = rows_at_once(all - row);
        const unsigned most = columns_at_once(rows);
        for (unsigned column = 0, count; column < columns; column += count) {
            count = columns - column >= most ? most : 1;
            products[x->how & TSR_TILE_PRODUCT](x, t, row, column, rows, count);
        }
    }
}

/* Rows from `row` on. Columns in which some of them has no loop are left out. */
static void multiply_rows(const struct tsr__tile_grid *g, unsigned row, unsigned rows)
{
    const struct tsr_tile_loop *x = g->loop;
    const unsigned most = columns_at_once(rows_at_once(rows));
    struct thin t;
    unsigned columns = 0;
    for (unsigned r = 0; r < rows; r++)
        t.a[r] = g->a[(row + r) / x->tile_rows] + (row + r) % x->tile_rows * x->a_stride;
    for (int64_t i = 0; i < g->columns * x->columns; i++) {
        const int64_t column = i / x->columns, tile = i % x->columns;
        bool all = true;
        for (unsigned r = 0; r < rows; r++) {
            char *to = g->to[(row + r) / x->tile_rows * g->columns + column];
            all = all && to;
            t.to[r][columns] = to ? to + (row + r) % x->tile_rows * x->to_stride + tile * TSR_TILE_ROW_BYTES : NULL;
        }
        t.b[columns] = g->b[column] + tile * x->b_next;
        columns += all;
        if (columns == most) {
            multiply_columns(x, &t, rows, columns);
            columns = 0;
        }
    }
    multiply_columns(x, &t, rows, columns);
}

/* Rows of which one has no loop in some columns, where another one has, go one by one. */
static bool has_gaps(const struct tsr__tile_grid *g)
{
    for (int64_t i = 0; i < g->rows * g->columns; i++)
        if (!g->to[i])
            return true;
    return false;
}

void tsr__tile_thin_multiply(const struct tsr__tile_grid *g)
{
    const unsigned all = (unsigned)(g->rows * g->loop->tile_rows), rows = has_gaps(g) ? 1 : all;
    for (unsigned row = 0; row < all; row += rows)
        multiply_rows(g, row, rows);
}
