/* SPDX-License-Identifier: Apache-2.0
 * Packs blocks of A and B of products that are cut to fit the caches (gemm_blocks.c), in the order in which tiles read them. */
#include "tensor/llvm/gemm_blocks.h"

enum {
    WORDS_AHEAD = 16,  /* of A, or of a transposed B, are prefetched before they are packed */
    COLUMNS_AHEAD = 2, /* of B are */
};

/* ---- words of the matrices ---- */

/* A row of A, or a column of B. */
struct line {
    const struct tsr__te_memref *m;
    bool transposed, is_a;
    LLVMValueRef at;
};

static LLVMValueRef address(struct tsr__te *e, const struct line *l, LLVMValueRef k)
{
    return l->is_a ? tsr__te_element_address(e, l->m, l->transposed, l->at, k) : tsr__te_element_address(e, l->m, l->transposed, k, l->at);
}

/* Element `i` of a word, in as many bits as it has there. `partial`: K may end before it, and it is 0 then; of integers it may be any
 * number in A, as it is 0 in B. */
static LLVMValueRef element(struct tsr__te *e, const struct blocks *d, const struct line *l, LLVMValueRef k, uint32_t i, bool partial)
{
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, 8 * d->bytes / d->in_word);
    LLVMValueRef own = plus(e, k, i), last = minus(e, d->k, tsr__te_i64(e, 1));
    partial = partial && i;
    LLVMValueRef one = tsr__te_load_number(e, l->m, address(e, l, partial ? minimum(e, own, last) : own)).re;
    LLVMValueRef made = LLVMBuildSExt(e->builder, one, type, "");
    bool is_zero = partial && (!l->is_a || d->sum != TSR__T_I32);
    return is_zero ? choose(e, at_most(e, own, last), made, LLVMConstNull(type)) : made;
}

/* An element in the lowest bits of a word, moved to the place of element `i`. */
static LLVMValueRef in_place_of(struct tsr__te *e, const struct blocks *d, LLVMValueRef word, uint32_t i)
{
    uint32_t bits = 8 * d->bytes / d->in_word;
    if (i + 1 < d->in_word)
        word = LLVMBuildAnd(e->builder, word, tsr__te_i32(e, (1u << bits) - 1), "");
    return i ? LLVMBuildShl(e->builder, word, tsr__te_i32(e, bits * i), "") : word;
}

/* A word whose elements lie side by side; bytes become numbers of 16 bits if words have two elements. */
static LLVMValueRef load_elements(struct tsr__te *e, const struct blocks *d, const struct line *l, LLVMValueRef k)
{
    uint32_t bytes = tsr__t_numbers[l->m->type->number].bytes;
    bool are_words = d->in_word * bytes == d->bytes;
    LLVMTypeRef word = word_type(e, d);
    LLVMValueRef made = LLVMBuildLoad2(e->builder, are_words ? word : LLVMInt16TypeInContext(e->context), address(e, l, k), "");
    LLVMSetAlignment(made, bytes);
    if (are_words)
        return made;
    LLVMValueRef low = LLVMBuildSExt(e->builder, LLVMBuildTrunc(e->builder, made, LLVMInt8TypeInContext(e->context), ""), word, "");
    LLVMValueRef high = LLVMBuildAShr(e->builder, LLVMBuildSExt(e->builder, made, word, ""), tsr__te_i32(e, 8), "");
    return LLVMBuildOr(e->builder, in_place_of(e, d, low, 0), in_place_of(e, d, high, 1), "");
}

/* Word `word` of a line; `partial`: it may be the last one, of which K fills a part. */
static LLVMValueRef word_of(struct tsr__te *e, const struct blocks *d, const struct line *l, LLVMValueRef word, bool partial)
{
    LLVMValueRef k = times(e, word, d->in_word), parts[4];
    if (!d->dot)
        return tsr__te_convert(e, tsr__te_load_number(e, l->m, address(e, l, k)), l->m->type->number, d->sum).re;
    partial = partial && has_ragged_words(d);
    if (!partial && tsr__te_known(l->m->stride[l->transposed == l->is_a ? 0 : 1]) == 1)
        return load_elements(e, d, l, k);
    for (uint32_t i = 0; i < d->in_word; i++)
        parts[i] = element(e, d, l, k, i, partial);
    return tsr__te_word(e, parts, d->in_word);
}

/* Prefetches `rows` rows of the matrix in each column that has an element of the word: every element of a word of A, or of a transposed B,
 * is in a column of its own. */
static void prefetch_word(struct tsr__te *e, const struct blocks *d, const struct tsr__te_memref *m, LLVMValueRef row, LLVMValueRef word,
                          uint32_t rows)
{
    LLVMValueRef k = times(e, plus(e, word, WORDS_AHEAD), d->in_word);
    for (uint32_t i = 0; i < d->in_word; i++)
        tsr__te_prefetch_rows(e, m, row, plus(e, k, i), rows);
}

/* ---- copies ---- */

/* The word of the block up to which whole words fill vectors; NULL: all of them do. */
static LLVMValueRef vectors_of_words(struct tsr__te *e, const struct blocks *d)
{
    if (tsr__te_divisor(d->k) % (d->width * d->in_word) == 0)
        return NULL;
    return has_ragged_words(d) ? minimum(e, d->some_words, minus(e, divided(e, d->k, d->in_word), d->word)) : d->some_words;
}

static bool has_vectors_of_columns(const struct blocks *d)
{
    int64_t known = tsr__te_known(d->n);
    return known >= 0 && known % d->width == 0 && d->group % d->width == 0;
}

void tsr__tb_side_by_side(struct tsr__te *e, const struct blocks *d, const struct span *s, each *one, const void *context)
{
    LLVMValueRef wide = tsr__te_i64(e, s->wide);
    struct tsr__te_loop loop;
    if (s->some)
        tsr__te_sure_loop(e, &loop, s->from, s->to, wide);
    else
        tsr__te_loop(e, &loop, s->from, s->to, wide, NULL, 0);
    LLVMValueRef enough = s->vectors ? at_most(e, plus(e, loop.index, s->wide), s->vectors) : NULL;
    if (enough)
        loop.step = choose(e, enough, wide, tsr__te_i64(e, 1));
    LLVMBasicBlockRef end = tsr__te_if(e, enough);
    one(e, d, context, loop.index, false);
    if (enough) {
        end = tsr__te_else(e, end);
        one(e, d, context, loop.index, true);
    }
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &loop, NULL);
}

/* Where the packed A has word `word` of row `row` of the block: the rows of a tile are side by side. */
static LLVMValueRef place_in_a(struct tsr__te *e, const struct blocks *d, LLVMValueRef row, LLVMValueRef word)
{
    LLVMValueRef in_tile = both(e, row, tsr__te_i64(e, tile_rows(d) - 1)), tile = minus(e, row, in_tile);
    return add(e, add(e, times(e, tile, d->words), times(e, word, tile_rows(d))), in_tile);
}

static void store_in_a(struct tsr__te *e, const struct blocks *d, LLVMValueRef word, LLVMValueRef at)
{
    store(e, d, d->dot == TSR__TE_DOT_BYTES ? tsr__te_make_unsigned(e, word) : word, d->a, at);
}

/* Word `context` of a vector of rows, or of all rows of a tile if rows fill tiles. */
static void pack_row(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const LLVMValueRef *in_block = context;
    LLVMValueRef word = add(e, d->word, *in_block), to = own(e, place_in_a(e, d, first, *in_block), alone);
    uint32_t vectors = has_ragged_tiles(d) ? 1 : d->vectors;
    if (!alone)
        prefetch_word(e, d, &d->o->a, add(e, d->row, first), word, vectors * d->width);
    for (uint32_t v = 0; v < vectors; v++) {
        struct line line = {.m = &d->o->a, .transposed = d->ta, .is_a = true};
        line.at = add(e, d->row, own(e, plus(e, first, v * d->width), alone));
        store_in_a(e, d, word_of(e, d, &line, word, true), plus(e, to, v * d->width));
    }
}

/* An A that is not transposed: lanes have rows, which lie side by side in memory. The last tile is 0 behind the last row: other numbers
 * might be such that CPUs take long to multiply them. */
static void pack_rows(struct tsr__te *e, const struct blocks *d)
{
    LLVMValueRef last = minus(e, d->some_rows, tsr__te_i64(e, 1)), tile = both(e, last, tsr__te_i64(e, -(int64_t)tile_rows(d)));
    bool ragged = has_ragged_tiles(d);
    struct tsr__te_loop words;
    tsr__te_loop(e, &words, tsr__te_i64(e, 0), d->some_words, tsr__te_i64(e, 1), NULL, 0);
    for (uint32_t v = 0; ragged && v < d->vectors; v++)
        store(e, d, LLVMConstNull(word_type(e, d)), d->a, plus(e, add(e, place_in_a(e, d, tile, words.index), e->item[0]), v * d->width));
    struct span own = {d->first_row, d->some_rows, ragged ? d->some_rows : NULL, false, ragged ? d->width : tile_rows(d)};
    tsr__tb_side_by_side(e, d, &own, pack_row, &words.index);
    tsr__te_end_rolled_loop(e, &words, NULL);
}

/* A vector of words of each row of the tile that begins with row `context`: one row after the other, so that lines of the cache are written
 * as a whole. */
static void pack_tile(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const LLVMValueRef *tile = context;
    LLVMValueRef word = own(e, first, alone);
    struct tsr__te_loop rows;
    tsr__te_sure_loop(e, &rows, *tile, minimum(e, d->some_rows, plus(e, *tile, tile_rows(d))), tsr__te_i64(e, 1));
    struct line line = {.m = &d->o->a, .transposed = true, .is_a = true, .at = add(e, d->row, rows.index)};
    store_in_a(e, d, word_of(e, d, &line, add(e, d->word, word), alone), place_in_a(e, d, rows.index, word));
    tsr__te_end_rolled_loop(e, &rows, NULL);
}

/* A transposed A: lanes have words of a row, which lie side by side in memory. */
static void pack_lines(struct tsr__te *e, const struct blocks *d)
{
    struct tsr__te_loop tiles;
    tsr__te_loop(e, &tiles, d->first_row, d->some_rows, tsr__te_i64(e, tile_rows(d)), NULL, 0);
    tsr__tb_side_by_side(e, d, &(struct span){tsr__te_i64(e, 0), d->some_words, vectors_of_words(e, d), false, d->width}, pack_tile,
                         &tiles.index);
    tsr__te_end_rolled_loop(e, &tiles, NULL);
}

void tsr__tb_pack_a(struct tsr__te *e, const struct blocks *d)
{
    if (d->ta)
        pack_lines(e, d);
    else
        pack_rows(e, d);
}

static void pack_word(struct tsr__te *e, const struct blocks *d, LLVMValueRef first, LLVMValueRef col, LLVMValueRef word, bool partial)
{
    struct line line = {.m = &d->o->b, .transposed = d->tb, .at = add(e, first, col)};
    LLVMValueRef made = word_of(e, d, &line, add(e, d->word, word), partial);
    store(e, d, made, d->b, d->tb ? add(e, times(e, word, d->column), col) : add(e, times(e, col, d->column), word));
}

/* What is packed of these columns of B: column `at`, or word `at` of all columns of a transposed B. */
struct part {
    const struct columns *columns;
    LLVMValueRef at;
};

static void pack_words(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const struct part *p = context;
    LLVMValueRef ahead = add(e, p->columns->first, plus(e, p->at, COLUMNS_AHEAD));
    if (!alone)
        tsr__te_prefetch(e, &d->o->b, times(e, add(e, d->word, first), d->in_word), ahead);
    pack_word(e, d, p->columns->first, p->at, own(e, first, alone), alone);
}

static void pack_columns(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const struct part *p = context;
    if (!alone)
        prefetch_word(e, d, &d->o->b, add(e, p->columns->first, first), add(e, d->word, p->at), d->width);
    pack_word(e, d, p->columns->first, own(e, first, alone), p->at, true);
}

void tsr__tb_pack_b(struct tsr__te *e, const struct blocks *d, const struct columns *c)
{
    LLVMValueRef zero = tsr__te_i64(e, 0);
    struct tsr__te_loop parts;
    tsr__te_loop(e, &parts, zero, d->tb ? d->some_words : c->some, tsr__te_i64(e, 1), NULL, 0);
    struct part part = {c, parts.index};
    if (d->tb)
        tsr__tb_side_by_side(e, d, &(struct span){zero, c->some, has_vectors_of_columns(d) ? NULL : c->some, true, d->width}, pack_columns,
                             &part);
    else
        tsr__tb_side_by_side(e, d, &(struct span){zero, d->some_words, vectors_of_words(e, d), false, d->width}, pack_words, &part);
    tsr__te_end_rolled_loop(e, &parts, NULL);
}
