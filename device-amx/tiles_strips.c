/* SPDX-License-Identifier: Apache-2.0
 * Products of a block in registers, by the instructions that multiply bytes or bfloat16: strip after strip of rows of A, packed into the
 * first cache, by panel after panel of B. */
#include "device-amx/tiles_block.h"

enum {
    STRIP = 8,          /* rows, with a panel's columns in registers */
    FEW_PANELS = 2,     /* for so many, at most, packing A takes longer than what it saves */
    FETCH_BYTES = 2048, /* of a row of A, at most, that are fetched ahead: those of a strip are half of the first cache */
};

/* ---- a strip of A ---- */

/* Fetches a row, if it is in memory as it is. */
static void fetch_row(const struct tsr__block *b, int64_t row)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t bytes = x->steps * 4 * (int64_t)tsr__loop_words(x);
    if (b->grid->a_at || x->how & TSR_TILE_A_COMPUTED || row >= rows_of_grid(b->grid) || bytes > FETCH_BYTES)
        return;
    const char *from = row_of_a(b, row);
    for (int64_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch(from + at);
}

/* Packs `rows` rows, of which each has 64 bytes of K in turn, and fetches those of the next strip. Two halves of a step lie beside each
 * other. Bytes of A are flipped (tiles_dot.h). */
AVX512 INLINE void pack_strip(const struct tsr__block *b, int64_t first, unsigned rows, enum tsr_tile_product product)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t end = rows_of_grid(b->grid), pitch = rows * LINE;
    const unsigned words = tsr__loop_words(x), in_line = TSR__TILE_WORDS / (unsigned)packed_words(x);
    const __mmask16 all = (__mmask16)((1u << packed_words(x)) - 1);
    const __m512i flip = flip_of(product);
    for (unsigned r = 0; r < rows; r++) {
        char *to = b->strip + r * LINE;
        int64_t far;
        const char *from = tsr__block_steps_of_a(b, first + r < end ? first + r : end - 1, 0, x->steps, &far);
        fetch_row(b, first + r + rows);
        if (is_of_nibbles(x)) {
            tsr__tile_unpack_a(to, pitch, from, far, x->steps, (uint32_t)x->how);
            from = to;
            far = pitch;
        }
        const int64_t lines = in_line == 1 || far == 4 * words ? x->steps / in_line : 0;
        for (int64_t i = 0; i < lines; i++, from += in_line * far)
            _mm512_store_si512(to + i * pitch, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
        for (int64_t step = lines * in_line; step < x->steps; step++, from += far) {
            __m512i row = _mm512_xor_si512(_mm512_maskz_loadu_epi32(all, from), flip);
            _mm512_mask_storeu_epi32(to + step / in_line * pitch + step % in_line * words * 4, all, row);
        }
    }
}

/* ---- products ---- */

/* Where the sums of a strip and a panel go. */
struct goals {
    char *at[STRIP][PANEL];
    int64_t far; /* behind these places */
    bool some;   /* rows or columns are not there */
    bool zero, past, fetch;
};

/* Rows of A for a strip: in memory as they are, or packed. */
struct strip {
    const char *at[STRIP]; /* as they are */
    const char *packed;    /* NULL: they are not */
};

AVX512 INLINE void begin_sums(__m512i (*sum)[PANEL], const struct goals *to, const __m512i *correction, unsigned rows, unsigned columns,
                              enum tsr_tile_product product)
{
    EACH(r, rows)
    {
        EACH(c, columns) sum[r][c] = has_same_signs(product) ? correction[c] : _mm512_setzero_si512();
    }
    if (!to->zero)
        EACH(r, rows)
        {
            EACH(c, columns) sum[r][c] = _mm512_add_epi32(sum[r][c], _mm512_loadu_si512(to->at[r][c] + to->far));
        }
    if (to->fetch)
        EACH(r, rows)
        {
            EACH(c, columns) __builtin_prefetch(to->at[r][c], 1);
        }
}

AVX512 INLINE void store_sums(const __m512i (*sum)[PANEL], const struct goals *to, unsigned rows, unsigned columns)
{
    const int64_t far = to->far; /* which a store might change, to the compiler */
    if (to->past)
        EACH(r, rows)
        {
            EACH(c, columns) put(to->at[r][c] + far, sum[r][c], true);
        }
    else
        EACH(r, rows)
        {
            EACH(c, columns) put(to->at[r][c] + far, sum[r][c], false);
        }
}

/* A word of K, at this offset in each row of A and at `b` in the panel. `packed`: where the first row is, and the others a line apart;
 * NULL: they are at row[]. */
AVX512 INLINE void add_word(__m512i (*sum)[PANEL], const char *const *row, const char *packed, int64_t offset, const char *b, unsigned rows,
                            unsigned columns, enum tsr_tile_product product)
{
    __m512i y[PANEL];
    EACH(c, columns) y[c] = _mm512_load_si512(b + c * LINE);
    EACH(r, rows)
    {
        __m512i x = spread(packed ? packed + r * LINE + offset : row[r] + offset);
        EACH(c, columns) sum[r][c] = dot(sum[r][c], x, y[c], product);
    }
}

/* From a word of K on. */
AVX512 INLINE void multiply_packed(__m512i (*sum)[PANEL], const char *a, const char *b, int64_t first, int64_t words, unsigned rows,
                                   unsigned columns, enum tsr_tile_product product)
{
    a += first / TSR__TILE_WORDS * rows * LINE;
    for (int64_t in_line = first % TSR__TILE_WORDS; words > 0; words -= TSR__TILE_WORDS - in_line, a += rows * LINE, in_line = 0) {
        const char *at = a + 4 * in_line;
        const int64_t count = words < TSR__TILE_WORDS - in_line ? words : TSR__TILE_WORDS - in_line;
        /* Not unrolled: the compiler would load ahead of the registers that it has. */
        _Pragma("GCC unroll 1") for (int64_t k = 0; k < count; k += 2, b += 2 * PANEL_LINE, at += 8)
        {
            _Pragma("GCC unroll 2") for (unsigned odd = 0; odd < 2; odd++)
                add_word(sum, NULL, at, 4 * odd, b + odd * PANEL_LINE, rows, columns, product);
        }
    }
}

AVX512 INLINE void multiply_in_place(__m512i (*sum)[PANEL], const char *const *row, const char *b, int64_t first, int64_t words,
                                     unsigned rows, unsigned columns, enum tsr_tile_product product)
{
    _Pragma("GCC unroll 1") for (int64_t at = 4 * first; at < 4 * (first + words); at += 8, b += 2 * PANEL_LINE)
    {
        _Pragma("GCC unroll 2") for (unsigned odd = 0; odd < 2; odd++)
            add_word(sum, row, NULL, at + 4 * odd, b + odd * PANEL_LINE, rows, columns, product);
    }
}

/* Words of K from `first` on, the first of which is at `b` in the panel. */
AVX512 INLINE void multiply_strip(const struct goals *to, const struct strip *a, const char *b, int64_t first, int64_t words,
                                  const __m512i *correction, unsigned rows, unsigned columns, enum tsr_tile_product product)
{
    __m512i sum[STRIP][PANEL];
    begin_sums(sum, to, correction, rows, columns, product);
    if (a->packed)
        multiply_packed(sum, a->packed, b, first, words, rows, columns, product);
    else
        multiply_in_place(sum, a->at, b, first, words, rows, columns, product);
    store_sums(sum, to, rows, columns);
}

/* What flipping A's highest bits has added, for each sum of each column. */
AVX512 INLINE void find_corrections(const struct tsr__block *b, enum tsr_tile_product product)
{
    const int64_t words = b->words / b->sums;
    const char *at = b->panels;
    for (int64_t i = 0; i < b->columns / PANEL * b->sums; i++) {
        __m512i sum[PANEL] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
        for (int64_t w = 0; w < words; w++, at += PANEL_LINE)
            EACH(c, PANEL) sum[c] = add_to_column(sum[c], _mm512_load_si512(at + c * LINE), product);
        EACH(c, PANEL) b->corrections[i][c] = correction_of(sum[c], product);
    }
}

/* Where rows of two columns of C go, from their places on; the number of columns that are there. Rows that are not there go nowhere. */
AVX512 INLINE unsigned find_goals(const struct tsr__block *b, const struct place *of_rows, int64_t column, unsigned rows, char *nowhere,
                                  struct goals *goals)
{
    unsigned columns = 0;
    char *(*to)[PANEL] = goals->at;
    goals->far = 0;
    goals->some = false;
    for (unsigned c = 0; c < PANEL; c++) {
        const struct place of_column = place_of_column(b, column + c);
        for (unsigned r = 0; r < rows; r++) {
            to[r][c] = at_places(b->grid, of_rows[r], of_column);
            columns = to[r][c] ? c + 1 : columns;
            goals->some = goals->some || !to[r][c];
            to[r][c] = to[r][c] ? to[r][c] : nowhere;
        }
    }
    return columns;
}

/* May all rows up to `end` be read where they are? */
static bool may_stay_in_place(const struct tsr__block *b, int64_t end, enum tsr_tile_product product)
{
    return b->columns <= FEW_PANELS * PANEL && end <= rows_of_grid(b->grid) && !has_same_signs(product) && has_plain_rows_of_a(b);
}

/* Goals of the next sum. */
static inline void go_on(struct goals *to, const char *nowhere, int64_t far, unsigned rows)
{
    for (unsigned i = 0; i < rows * PANEL && to->some; i++)
        if (to->at[i / PANEL][i % PANEL] != nowhere)
            to->at[i / PANEL][i % PANEL] += far;
    to->far += to->some ? 0 : far;
}

/* All panels of the block with `rows` rows from `row` on, of which some at the end may not be there. The last column may stand alone. */
AVX512 INLINE void strip_by_panels(const struct tsr__block *b, int64_t row, unsigned rows, enum tsr_tile_product product)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    char nowhere[LINE] __attribute__((aligned(LINE))) = {0};
    struct place of_rows[STRIP];
    struct strip a = {.packed = NULL};
    struct goals to = {.zero = x->zero, .past = x->past, .fetch = !x->past && b->sums == 1};
    const int64_t words = b->words / b->sums;
    if (may_stay_in_place(b, row + rows, product)) {
        for (unsigned r = 0; r < rows; r++)
            a.at[r] = row_of_a(b, row + r);
    } else {
        pack_strip(b, row, rows, product);
        a.packed = b->strip;
    }
    for (unsigned r = 0; r < rows; r++)
        of_rows[r] = place_of_row(b, row + r);
    for (int64_t p = 0; p < b->columns / PANEL; p++) {
        const char *panel = b->panels + p * b->words * PANEL_LINE;
        const unsigned columns = find_goals(b, of_rows, b->column + p * PANEL, rows, nowhere, &to);
        for (int64_t i = 0; i < b->sums; i++) {
            const char *from = panel + i * words * PANEL_LINE;
            const __m512i *correction = b->corrections[p * b->sums + i];
            if (columns == PANEL)
                multiply_strip(&to, &a, from, i * words, words, correction, rows, PANEL, product);
            else if (columns)
                multiply_strip(&to, &a, from, i * words, words, correction, rows, 1, product);
            if (b->sums > 1)
                go_on(&to, nowhere, tsr__loop_sum_bytes(x), rows);
        }
    }
}

AVX512 INLINE void strips(const struct tsr__block *b, enum tsr_tile_product product)
{
    if (has_same_signs(product))
        find_corrections(b, product);
    for (int64_t row = 0, left = rows_of_grid(b->grid); left > 0; row += STRIP, left -= STRIP) {
        if (left > STRIP / 2)
            strip_by_panels(b, row, STRIP, product);
        else if (left > STRIP / 4)
            strip_by_panels(b, row, STRIP / 2, product);
        else if (left > 1)
            strip_by_panels(b, row, STRIP / 4, product);
        else
            strip_by_panels(b, row, 1, product);
    }
}

#define STRIPS(name, product)                                                                                                              \
    AVX512 static void name(const struct tsr__block *b)                                                                                    \
    {                                                                                                                                      \
        strips(b, product);                                                                                                                \
    }
STRIPS(s8s8, TSR_TILE_S8S8)
STRIPS(s8u8, TSR_TILE_S8U8)
STRIPS(u8s8, TSR_TILE_U8S8)
STRIPS(u8u8, TSR_TILE_U8U8)
STRIPS(bf16_pairs, TSR_TILE_BF16_PAIRS)

void tsr__block_multiply_strips(const struct tsr__block *b, enum tsr_tile_product product)
{
    static void (*const of_product[])(const struct tsr__block *) = {
        [TSR_TILE_S8S8] = s8s8, [TSR_TILE_S8U8] = s8u8, [TSR_TILE_U8S8] = u8s8, [TSR_TILE_U8U8] = u8u8, [TSR_TILE_BF16_PAIRS] = bf16_pairs};
    of_product[product](b);
}
