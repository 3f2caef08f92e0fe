/* SPDX-License-Identifier: Apache-2.0
 * Grids of a few rows, as a vector times a matrix: B is read once, where it lies, and so is not packed. Several columns of tiles go along K
 * side by side, so that a row of B is read in one piece: one column alone would read a line of each page. */
#include "device-amx/cpu.h"
#include "device-amx/tiles_dot.h"

enum { MOST_ROWS = 4, MOST_COLUMNS = 8 /* of tiles, at once */, AHEAD = 16 /* rows of B that are fetched before they are needed */ };

bool tsr__tile_is_thin(const struct tsr__tile_grid *g)
{
    const struct tsr_tile_loop *x = g->loop;
    const uint64_t other = TSR_TILE_B_UNPACKED | TSR_TILE_NIBBLES | TSR_TILE_A_EDGES | TSR_TILE_B_EDGES | TSR_TILE_A_COMPUTED |
                           TSR_TILE_B_COMPUTED | TSR_TILE_HALF_N;
    return g->rows * x->rows * x->tile_rows <= MOST_ROWS && x->rows == 1 && x->zero && !(x->how & other) && !tsr__is_in_tiles(x) &&
           !tsr__tile_is_wide(x->how & TSR_TILE_PRODUCT);
}

/* Rows of A, columns of tiles of B, and where the rows of C lie in these columns. */
struct thin {
    const char *a[MOST_ROWS], *b[MOST_COLUMNS];
    char *to[MOST_ROWS][MOST_COLUMNS];
};

AVX512 INLINE void multiply(const struct tsr_tile_loop *x, const struct thin *t, unsigned rows, unsigned columns,
                            enum tsr_tile_product product)
{
    const bool same_signs = has_same_signs(product);
    const __m512i one = _mm512_set1_epi8(1), flip = _mm512_set1_epi8(same_signs ? -128 : 0);
    const unsigned words = tsr__loop_words(x);
    __m512i sum[MOST_ROWS][MOST_COLUMNS], of_column[MOST_COLUMNS];
    for (unsigned c = 0; c < columns; c++) {
        of_column[c] = _mm512_setzero_si512();
        for (unsigned r = 0; r < rows; r++)
            sum[r][c] = _mm512_setzero_si512();
    }
    for (int64_t step = 0; step < x->steps; step++)
        _Pragma("GCC unroll 1") for (unsigned k = 0; k < words; k++)
        {
            const int64_t of_a = step * x->a_step + 4 * k, of_b = step * x->b_step + k * x->b_stride;
            for (unsigned c = 0; c < columns; c++) {
                const __m512i y = _mm512_loadu_si512(t->b[c] + of_b);
                _mm_prefetch(t->b[c] + of_b + AHEAD * x->b_stride, _MM_HINT_T0);
                if (same_signs)
                    of_column[c] = dot(of_column[c], one, y, product);
                for (unsigned r = 0; r < rows; r++)
                    sum[r][c] = dot(sum[r][c], _mm512_xor_si512(spread(t->a[r] + of_a), flip), y, product);
            }
        }
    for (unsigned c = 0; c < columns; c++) {
        const __m512i large = _mm512_slli_epi32(of_column[c], 7),
                      correction = product == TSR_TILE_U8U8 ? large : _mm512_sub_epi32(_mm512_setzero_si512(), large);
        for (unsigned r = 0; r < rows; r++)
            _mm512_storeu_si512(t->to[r][c], same_signs ? _mm512_add_epi32(sum[r][c], correction) : sum[r][c]);
    }
}

/* Rows at once: 1, 2 or 4, of as many columns of tiles as there are registers for; or of one column. */
static unsigned columns_at_once(unsigned rows)
{
    return rows == 4 ? MOST_COLUMNS / 2 : MOST_COLUMNS;
}

#define THIN(name, product)                                                                                                                \
    AVX512 static void name(const struct tsr_tile_loop *x, const struct thin *t, unsigned rows, unsigned columns)                          \
    {                                                                                                                                      \
        if (rows == 4)                                                                                                                     \
            columns > 1 ? multiply(x, t, 4, MOST_COLUMNS / 2, product) : multiply(x, t, 4, 1, product);                                    \
        else if (rows == 2)                                                                                                                \
            columns > 1 ? multiply(x, t, 2, MOST_COLUMNS, product) : multiply(x, t, 2, 1, product);                                        \
        else                                                                                                                               \
            columns > 1 ? multiply(x, t, 1, MOST_COLUMNS, product) : multiply(x, t, 1, 1, product);                                        \
    }
THIN(s8s8, TSR_TILE_S8S8)
THIN(s8u8, TSR_TILE_S8U8)
THIN(u8s8, TSR_TILE_U8S8)
THIN(u8u8, TSR_TILE_U8U8)
THIN(bf16_pairs, TSR_TILE_BF16_PAIRS)

static void (*const products[])(const struct tsr_tile_loop *, const struct thin *, unsigned rows, unsigned columns) = {
    [TSR_TILE_S8S8] = s8s8, [TSR_TILE_S8U8] = s8u8, [TSR_TILE_U8S8] = u8s8, [TSR_TILE_U8U8] = u8u8, [TSR_TILE_BF16_PAIRS] = bf16_pairs};

/* All columns of tiles of so many rows of A and of C. */
static void multiply_rows(const struct tsr__tile_grid *g, int64_t row, unsigned rows)
{
    const struct tsr_tile_loop *x = g->loop;
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
        if (columns == columns_at_once(rows)) {
            products[x->how & TSR_TILE_PRODUCT](x, &t, rows, columns);
            columns = 0;
        }
    }
    for (unsigned c = 0; c < columns; c++) {
        struct thin last = {.b = {t.b[c]}};
        for (unsigned r = 0; r < rows; r++) {
            last.a[r] = t.a[r];
            last.to[r][0] = t.to[r][c];
        }
        products[x->how & TSR_TILE_PRODUCT](x, &last, rows, 1);
    }
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
    const unsigned all = (unsigned)(g->rows * g->loop->tile_rows);
    const bool one_by_one = has_gaps(g);
    for (unsigned row = 0, rows; row < all; row += rows) {
        const unsigned left = all - row;
        rows = one_by_one || left == 1 ? 1 : left == 4 ? 4 : 2;
        multiply_rows(g, row, rows);
    }
}
