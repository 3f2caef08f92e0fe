/* SPDX-License-Identifier: Apache-2.0
 * Large products of matrices, in blocks that fit the caches. A block of rows of A and of K is copied to local memory once for all columns
 * of C, and a few columns of B for each block of rows; a tile of C is a sum in registers for as much of K. The copies lie in the order in
 * which they are read, as numbers of the sum or as words for dot products, and without the distances of the matrices, which put columns
 * into the same lines of a cache where they are powers of two. */
#include "tensor/llvm/emit.h"

enum {
    MOST_SUMS = 24,           /* vectors of a tile of C */
    MOST_VECTORS = 2,         /* of rows of a tile */
    MOST_ROWS = 192,          /* of a block of A; the second level of the caches should hold it */
    WORDS = 128,              /* of K of a block; the first level should hold a tile's columns of B */
    PAD_BYTES = 64,           /* between columns of the copy of B: they may not lie in the same lines of a cache */
    LEAST_SIZE = 24,          /* rows, columns, and elements of K */
    LEAST_PRODUCTS = 1 << 16, /* else copies take more than they save */
    MOST_IN_PLACE = 1 << 20,  /* bytes of A, B and C that the second level of the caches holds, so that copies would only take time */
    LINE_BYTES = 64,          /* of the caches */
    SIGN = 0x80,
};

struct blocks {
    const struct tsr__te_blas *o;
    bool ta, tb, dots;
    enum tsr__t_number sum;
    uint32_t in_word, bytes;        /* elements of K in a word; bytes of a word */
    uint32_t width, vectors, cols;  /* lanes; vectors of rows and columns of a tile */
    uint32_t rows, words;           /* of a block: rows of A, words of K */
    uint32_t column;                /* of the copy of B: words from a column (of a transposed B, from a word of K) to the next */
    LLVMValueRef a, b, tile, extra; /* in local memory */
    LLVMValueRef m, n, k;
    LLVMValueRef row, word, some_rows, some_words; /* of the block: where it begins, and how much is left */
    bool one_block;                                /* of K */
};

static LLVMValueRef add(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWAdd(e->builder, a, b, "");
}

static LLVMValueRef plus(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b ? add(e, a, tsr__te_i64(e, b)) : a;
}

static LLVMValueRef times(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b == 1 ? a : LLVMBuildNSWMul(e->builder, a, tsr__te_i64(e, b), "");
}

static LLVMValueRef less(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->builder, LLVMIntSLT, a, b, "");
}

static LLVMValueRef least(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, less(e, a, b), a, b, "");
}

static LLVMValueRef over(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b == 1 ? a : LLVMBuildUDiv(e->builder, a, tsr__te_i64(e, b), "");
}

static bool is_less(LLVMValueRef size, int64_t least_size)
{
    return tsr__te_known(size) >= 0 && tsr__te_known(size) < least_size;
}

/* Loops are not unrolled: they would take longer to compile, and no less to run. */
static void end_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef *next)
{
    tsr__te_end_loop(e, loop, next);
    tsr__te_hint(e, loop, "llvm.loop.unroll.disable", 0);
}

/* How many steps a size takes. */
static LLVMValueRef number_of(struct tsr__te *e, LLVMValueRef size, uint32_t step)
{
    return over(e, plus(e, size, step - 1), step);
}

static uint32_t tile_rows(const struct blocks *d)
{
    return d->vectors * d->width;
}

static LLVMTypeRef word_type(struct tsr__te *e, const struct blocks *d)
{
    return d->dots ? LLVMInt32TypeInContext(e->context) : tsr__te_type(e, d->sum);
}

static LLVMValueRef place(struct tsr__te *e, const struct blocks *d, LLVMValueRef array, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(e->builder, word_type(e, d), array, &at, 1, "");
}

static LLVMValueRef load(struct tsr__te *e, const struct blocks *d, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef at)
{
    LLVMValueRef made = LLVMBuildLoad2(e->builder, type, place(e, d, array, at), "");
    LLVMSetAlignment(made, d->bytes);
    return made;
}

static void store(struct tsr__te *e, const struct blocks *d, LLVMValueRef value, LLVMValueRef array, LLVMValueRef at)
{
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, place(e, d, array, at)), d->bytes);
}

/* ---- words of the matrices
 * --------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef element_address(struct tsr__te *e, const struct tsr__te_memref *m, bool turned, LLVMValueRef i, LLVMValueRef j)
{
    LLVMValueRef index[] = {turned ? j : i, turned ? i : j};
    return tsr__te_address(e, m, index);
}

/* A row of A, or a column of B. */
struct line {
    const struct tsr__te_memref *m;
    bool turned, is_a;
    LLVMValueRef at;
};

static LLVMValueRef address(struct tsr__te *e, const struct line *l, LLVMValueRef k)
{
    return l->is_a ? element_address(e, l->m, l->turned, l->at, k) : element_address(e, l->m, l->turned, k, l->at);
}

/* An element as a word's lowest bits; 0 where `good` does not hold. */
static LLVMValueRef element(struct tsr__te *e, const struct line *l, LLVMValueRef k, LLVMValueRef good)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMBasicBlockRef blocks[2] = {LLVMGetInsertBlock(e->builder)}, end = tsr__te_if(e, good);
    LLVMValueRef one = LLVMBuildZExt(e->builder, tsr__te_load_number(e, l->m, address(e, l, k)).re, i32, ""), none = LLVMConstNull(i32);
    if (!good)
        return one;
    blocks[1] = LLVMGetInsertBlock(e->builder);
    tsr__te_end_if(e, end);
    LLVMValueRef from[] = {none, one}, made = LLVMBuildPhi(e->builder, i32, "");
    LLVMAddIncoming(made, from, blocks, 2);
    return made;
}

/* Word `word` of a line; of a partial one the elements behind the last of K are 0. */
static LLVMValueRef word_of(struct tsr__te *e, const struct blocks *d, const struct line *l, LLVMValueRef word, bool partial)
{
    LLVMValueRef k = times(e, word, d->in_word), made = NULL;
    uint32_t bytes = tsr__t_numbers[l->m->type->number].bytes;
    if (!d->dots)
        return tsr__te_convert(e, tsr__te_load_number(e, l->m, address(e, l, k)), l->m->type->number, d->sum).re;
    if (!partial && tsr__te_known(l->m->stride[l->turned == l->is_a ? 0 : 1]) == 1) {
        made = LLVMBuildLoad2(e->builder, word_type(e, d), address(e, l, k), "");
        LLVMSetAlignment(made, bytes);
        return made;
    }
    for (uint32_t i = 0; i < d->in_word; i++) {
        LLVMValueRef own = plus(e, k, i), one = element(e, l, own, partial && i ? less(e, own, d->k) : NULL);
        one = i ? LLVMBuildShl(e->builder, one, tsr__te_i32(e, 8 * bytes * i), "") : one;
        made = made ? LLVMBuildOr(e->builder, made, one, "") : one;
    }
    return made;
}

/* ---- copies
 * ------------------------------------------------------------------------------------------------------------------------------ */

/* What a loop over words of the block does with each. */
typedef void copy_word(struct tsr__te *e, const struct blocks *d, LLVMValueRef word, bool partial, void *data);

/* Words of the block from `first` on, each `step`th: all that are whole, and then the one that is not. */
static void for_words(struct tsr__te *e, const struct blocks *d, LLVMValueRef first, uint32_t step, copy_word *copy, void *data)
{
    int64_t known = tsr__te_known(d->k);
    bool ragged = d->in_word > 1 && (known < 0 || known % d->in_word);
    LLVMValueRef whole = d->some_words;
    struct tsr__te_loop loop;
    if (ragged)
        whole = least(e, whole, LLVMBuildNSWSub(e->builder, over(e, d->k, d->in_word), d->word, ""));
    tsr__te_loop(e, &loop, first, whole, tsr__te_i64(e, step), NULL, 0);
    copy(e, d, loop.index, false, data);
    end_loop(e, &loop, NULL);
    if (!ragged)
        return;
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, whole, d->some_words));
    copy(e, d, whole, true, data);
    tsr__te_end_if(e, end);
}

/* A word of the rows of a tile, `ragged`: of those that there are. */
static void copy_tile(struct tsr__te *e, const struct blocks *d, LLVMValueRef tile_row, LLVMValueRef word, bool partial, bool ragged)
{
    LLVMValueRef first = add(e, add(e, times(e, tile_row, d->words), times(e, word, tile_rows(d))), e->item[0]);
    for (uint32_t v = 0; v < d->vectors; v++) {
        LLVMValueRef row = plus(e, add(e, tile_row, e->item[0]), v * d->width);
        LLVMBasicBlockRef end = tsr__te_if(e, ragged ? less(e, row, d->some_rows) : NULL);
        struct line line = {.m = &d->o->a, .turned = d->ta, .is_a = true, .at = add(e, d->row, row)};
        store(e, d, word_of(e, d, &line, add(e, d->word, word), partial), d->a, plus(e, first, v * d->width));
        tsr__te_end_if(e, end);
    }
}

static bool has_ragged_tiles(const struct blocks *d)
{
    int64_t rows = tsr__te_known(d->m);
    return rows < 0 || rows % tile_rows(d);
}

/* All rows for a word: columns of A follow each other in memory. */
static void copy_rows(struct tsr__te *e, const struct blocks *d, LLVMValueRef word, bool partial, void *data)
{
    LLVMValueRef whole = times(e, over(e, d->some_rows, tile_rows(d)), tile_rows(d));
    struct tsr__te_loop tiles;
    (void)data;
    tsr__te_loop(e, &tiles, tsr__te_i64(e, 0), whole, tsr__te_i64(e, tile_rows(d)), NULL, 0);
    copy_tile(e, d, tiles.index, word, partial, false);
    end_loop(e, &tiles, NULL);
    if (!has_ragged_tiles(d))
        return;
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, whole, d->some_rows));
    copy_tile(e, d, whole, word, partial, true);
    tsr__te_end_if(e, end);
}

/* What makes bytes of B unsigned, times the rows of A: tiles begin with less by that. */
static void sum_rows(struct tsr__te *e, const struct blocks *d)
{
    LLVMTypeRef type = word_type(e, d);
    LLVMValueRef sums[MOST_VECTORS], zero = tsr__te_i64(e, 0), one = tsr__te_i64(e, 1);
    struct tsr__te_loop tiles, words;
    tsr__te_loop(e, &tiles, zero, d->some_rows, tsr__te_i64(e, tile_rows(d)), NULL, 0);
    for (uint32_t v = 0; v < d->vectors; v++)
        sums[v] = LLVMConstNull(type);
    tsr__te_loop(e, &words, zero, d->some_words, one, sums, d->vectors);
    LLVMValueRef first = add(e, add(e, times(e, tiles.index, d->words), times(e, words.index, tile_rows(d))), e->item[0]);
    for (uint32_t v = 0; v < d->vectors; v++) {
        LLVMValueRef own = load(e, d, type, d->a, plus(e, first, v * d->width));
        LLVMValueRef args[] = {tsr__te_i32(e, SIGN * 0x01010101u), own, words.carried[v]};
        sums[v] = tsr__te_call(e, "tessera_dot_add_us", "jji", type, args, 3);
    }
    end_loop(e, &words, sums);
    for (uint32_t v = 0; v < d->vectors; v++)
        store(e, d, LLVMBuildNeg(e->builder, words.carried[v], ""), d->extra, plus(e, add(e, tiles.index, e->item[0]), v * d->width));
    end_loop(e, &tiles, NULL);
}

struct columns {
    LLVMValueRef first, own, some; /* of C: where they begin, the one that is copied, how many */
};

static void copy_column_word(struct tsr__te *e, const struct blocks *d, LLVMValueRef word, bool partial, void *data)
{
    const struct columns *c = data;
    struct line line = {.m = &d->o->b, .turned = d->tb, .at = add(e, c->first, c->own)};
    LLVMValueRef made = word_of(e, d, &line, add(e, d->word, word), partial);
    LLVMValueRef outer = d->tb ? word : c->own, inner = d->tb ? c->own : word;
    if (d->dots && d->sum == TSR__T_I32)
        made = LLVMBuildXor(e->builder, made, tsr__te_i32(e, SIGN * 0x01010101u), "");
    store(e, d, made, d->b, add(e, times(e, outer, d->column), inner));
}

/* Lanes take what follows each other in memory: words of a column, or columns of a transposed B. */
static void copy_columns(struct tsr__te *e, const struct blocks *d, struct columns *c)
{
    struct tsr__te_loop loop;
    tsr__te_loop(e, &loop, d->tb ? e->item[0] : tsr__te_i64(e, 0), c->some, tsr__te_i64(e, d->tb ? d->width : 1), NULL, 0);
    c->own = loop.index;
    for_words(e, d, d->tb ? tsr__te_i64(e, 0) : e->item[0], d->tb ? 1 : d->width, copy_column_word, c);
    end_loop(e, &loop, NULL);
}

/* ---- tiles
 * ------------------------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef product(struct tsr__te *e, const struct blocks *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    LLVMValueRef bytes[] = {b, a, sum}, halves[] = {a, b, sum};
    if (!d->dots)
        return tsr__te_fma(e, d->sum, (struct tsr__te_number){a, NULL}, (struct tsr__te_number){b, NULL},
                           (struct tsr__te_number){sum, NULL})
            .re;
    return d->sum == TSR__T_I32 ? tsr__te_call(e, "tessera_dot_add_us", "jji", LLVMTypeOf(sum), bytes, 3)
                                : tsr__te_call(e, "tessera_dot_add_bf16", "jjf", LLVMTypeOf(sum), halves, 3);
}

/* The sums of a tile whose rows begin with row `row` of the block. */
static void multiply(struct tsr__te *e, const struct blocks *d, LLVMValueRef row, LLVMValueRef *sums)
{
    LLVMValueRef zero = tsr__te_i64(e, 0), a[MOST_VECTORS], first = times(e, row, d->words);
    LLVMTypeRef word = word_type(e, d), sum = tsr__te_type(e, d->sum);
    uint32_t count = d->vectors * d->cols;
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef lane = plus(e, add(e, row, e->item[0]), i % d->vectors * d->width);
        sums[i] = d->extra ? i < d->vectors ? load(e, d, sum, d->extra, lane) : sums[i % d->vectors] : LLVMConstNull(sum);
    }
    tsr__te_loop(e, &k, zero, d->some_words, tsr__te_i64(e, 1), sums, count);
    for (uint32_t v = 0; v < d->vectors; v++)
        a[v] = load(e, d, word, d->a, plus(e, add(e, add(e, first, times(e, k.index, tile_rows(d))), e->item[0]), v * d->width));
    for (uint32_t c = 0; c < d->cols; c++) {
        LLVMValueRef at = d->tb ? plus(e, times(e, k.index, d->column), c) : plus(e, k.index, c * d->column);
        LLVMValueRef b = load(e, d, word, d->b, at);
        for (uint32_t v = 0; v < d->vectors; v++)
            sums[c * d->vectors + v] = product(e, d, a[v], b, k.carried[c * d->vectors + v]);
    }
    end_loop(e, &k, sums);
    for (uint32_t i = 0; i < count; i++)
        sums[i] = k.carried[i];
}

/* A sum goes to C; what comes from further blocks of K is added to what the first one made. */
static void update(struct tsr__te *e, const struct blocks *d, LLVMValueRef is_first, LLVMValueRef row, LLVMValueRef col, LLVMValueRef sum)
{
    struct tsr__te_blas further = *d->o;
    struct tsr__te_number made = {sum, NULL};
    LLVMValueRef index[] = {row, col}, at = tsr__te_address(e, &d->o->c, index);
    LLVMBasicBlockRef end = tsr__te_if(e, is_first);
    tsr__te_update(e, d->o, at, made, d->sum);
    tsr__te_end_if(e, end);
    if (!is_first)
        return;
    further.beta_zero = false;
    further.beta_one = true;
    end = tsr__te_if(e, LLVMBuildNot(e->builder, is_first, ""));
    tsr__te_update(e, &further, at, made, d->sum);
    tsr__te_end_if(e, end);
}

/* By way of local memory, so that a short loop is code for all columns. */
static void put_sums(struct tsr__te *e, const struct blocks *d, LLVMValueRef tile_row, const struct columns *c, LLVMValueRef *sums)
{
    LLVMTypeRef type = tsr__te_type(e, d->sum);
    LLVMValueRef zero = tsr__te_i64(e, 0), rows[MOST_VECTORS], inside[MOST_VECTORS];
    bool one_kind = d->one_block || d->o->beta_one;
    LLVMValueRef is_first = one_kind ? NULL : LLVMBuildICmp(e->builder, LLVMIntEQ, d->word, zero, "");
    struct tsr__te_loop cols;
    for (uint32_t i = 0; i < d->vectors * d->cols; i++)
        store(e, d, sums[i], d->tile, plus(e, e->item[0], i * d->width));
    for (uint32_t v = 0; v < d->vectors; v++) {
        rows[v] = plus(e, add(e, tile_row, e->item[0]), v * d->width);
        inside[v] = has_ragged_tiles(d) ? less(e, rows[v], d->some_rows) : NULL;
    }
    tsr__te_loop(e, &cols, zero, c->some, tsr__te_i64(e, 1), NULL, 0);
    for (uint32_t v = 0; v < d->vectors; v++) {
        LLVMBasicBlockRef end = tsr__te_if(e, inside[v]);
        LLVMValueRef at = plus(e, add(e, times(e, cols.index, tile_rows(d)), e->item[0]), v * d->width);
        update(e, d, is_first, add(e, d->row, rows[v]), add(e, c->first, cols.index), load(e, d, type, d->tile, at));
        tsr__te_end_if(e, end);
    }
    end_loop(e, &cols, NULL);
}

/* ---- what comes next
 * ----------------------------------------------------------------------------------------------------------------------- */

/* Part of a matrix by its modes in memory: where it begins, and elements. */
struct area {
    const struct tsr__te_memref *m;
    LLVMValueRef first[2];
    uint32_t size[2];
};

/* Fetches a part of an area, one of `parts`; each lane takes a line. What would be behind the end of the matrix is its last line. */
static void fetch(struct tsr__te *e, const struct blocks *d, const struct area *a, LLVMValueRef part, LLVMValueRef parts)
{
    uint32_t in_line = LINE_BYTES / tsr__t_numbers[a->m->type->number].bytes, lines = (a->size[0] + in_line - 1) / in_line;
    struct tsr__te_loop loop;
    if (a->m->type->local)
        return;
    tsr__te_loop(e, &loop, times(e, part, d->width), tsr__te_i64(e, (int64_t)lines * a->size[1]), times(e, parts, d->width), NULL, 0);
    LLVMValueRef line = add(e, loop.index, e->item[0]), outer = over(e, line, lines), index[2];
    index[0] = add(e, a->first[0], times(e, LLVMBuildNSWSub(e->builder, line, times(e, outer, lines), ""), in_line));
    index[1] = add(e, a->first[1], outer);
    for (int i = 0; i < 2; i++)
        index[i] = least(e, index[i], LLVMBuildNSWSub(e->builder, a->m->shape[i], tsr__te_i64(e, 1), ""));
    LLVMValueRef args[] = {tsr__te_address(e, a->m, index), tsr__te_i64(e, 1)};
    tsr__te_call(e, "prefetch", "PU3AS1Kcm", LLVMVoidTypeInContext(e->context), args, 2);
    end_loop(e, &loop, NULL);
}

/* Before a tile: its part of C, and some of the columns of B behind these. The copy would wait for each of their lines. */
static void fetch_for_tile(struct tsr__te *e, const struct blocks *d, LLVMValueRef col, LLVMValueRef tile_row)
{
    uint32_t depth = d->words * d->in_word;
    LLVMValueRef next = plus(e, col, d->cols), k = times(e, d->word, d->in_word), row = add(e, d->row, tile_row);
    struct area c = {&d->o->c, {row, col}, {tile_rows(d), d->cols}};
    struct area b = {&d->o->b, {d->tb ? next : k, d->tb ? k : next}, {d->tb ? d->cols : depth, d->tb ? depth : d->cols}};
    fetch(e, d, &c, tsr__te_i64(e, 0), tsr__te_i64(e, 1));
    fetch(e, d, &b, over(e, tile_row, tile_rows(d)), number_of(e, d->some_rows, tile_rows(d)));
}

/* Before some columns: a part of the next block of A. */
static void fetch_for_columns(struct tsr__te *e, const struct blocks *d, LLVMValueRef col)
{
    uint32_t depth = d->words * d->in_word;
    LLVMValueRef k = plus(e, times(e, d->word, d->in_word), depth);
    struct area a = {&d->o->a, {d->ta ? k : d->row, d->ta ? d->row : k}, {d->ta ? depth : d->rows, d->ta ? d->rows : depth}};
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, k, d->k));
    fetch(e, d, &a, over(e, col, d->cols), number_of(e, d->n, d->cols));
    tsr__te_end_if(e, end);
}

/* ---- blocks
 * ------------------------------------------------------------------------------------------------------------------------------ */

static void tiles_of_columns(struct tsr__te *e, const struct blocks *d, LLVMValueRef col)
{
    struct columns c = {.first = col, .some = least(e, LLVMBuildNSWSub(e->builder, d->n, col, ""), tsr__te_i64(e, d->cols))};
    LLVMValueRef sums[MOST_SUMS];
    struct tsr__te_loop rows;
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* behind the tiles of the columns before */
    copy_columns(e, d, &c);
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
    if (!d->one_block)
        fetch_for_columns(e, d, col);
    tsr__te_loop(e, &rows, tsr__te_i64(e, 0), d->some_rows, tsr__te_i64(e, tile_rows(d)), NULL, 0);
    fetch_for_tile(e, d, col, rows.index);
    multiply(e, d, rows.index, sums);
    put_sums(e, d, rows.index, &c, sums);
    end_loop(e, &rows, NULL);
}

static void all_blocks(struct tsr__te *e, struct blocks *d)
{
    LLVMValueRef zero = tsr__te_i64(e, 0), words = number_of(e, d->k, d->in_word);
    struct tsr__te_touched before = e->touched;
    struct tsr__te_loop rows, depth, cols;
    tsr__te_loop(e, &rows, zero, d->m, tsr__te_i64(e, d->rows), NULL, 0);
    tsr__te_loop(e, &depth, zero, words, tsr__te_i64(e, d->words), NULL, 0);
    d->row = rows.index;
    d->word = depth.index;
    d->some_rows = least(e, LLVMBuildNSWSub(e->builder, d->m, d->row, ""), tsr__te_i64(e, d->rows));
    d->some_words = least(e, LLVMBuildNSWSub(e->builder, words, d->word, ""), tsr__te_i64(e, d->words));
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* behind the tiles of the block before */
    for_words(e, d, zero, 1, copy_rows, NULL);
    if (d->extra)
        sum_rows(e, d);
    tsr__te_loop(e, &cols, zero, d->n, tsr__te_i64(e, d->cols), NULL, 0);
    tiles_of_columns(e, d, cols.index);
    end_loop(e, &cols, NULL);
    end_loop(e, &depth, NULL);
    end_loop(e, &rows, NULL);
    e->touched = before;
}

/* The parts of local memory; false: there is not enough. */
static bool take_memory(struct tsr__te *e, struct blocks *d)
{
    uint32_t b = d->tb ? d->words * d->column : d->cols * d->column, tile = d->cols * tile_rows(d);
    int64_t known = tsr__te_known(d->m);
    uint32_t most = known >= 0 && known < MOST_ROWS ? (uint32_t)known + tile_rows(d) - 1 : MOST_ROWS;
    for (d->rows = most / tile_rows(d) * tile_rows(d); d->rows; d->rows -= tile_rows(d)) {
        uint32_t a = d->rows * d->words, extra = d->dots && d->sum == TSR__T_I32 ? d->rows : 0;
        d->a = tsr__te_scratch(e, (a + b + tile + extra) * d->bytes);
        if (!d->a)
            continue;
        d->b = place(e, d, d->a, tsr__te_i64(e, a));
        d->tile = place(e, d, d->a, tsr__te_i64(e, a + b));
        d->extra = extra ? place(e, d, d->a, tsr__te_i64(e, a + b + tile)) : NULL;
        return true;
    }
    return false;
}

/* As many columns as fill the registers; fewer, if they divide all columns then. */
static uint32_t columns_of_tile(const struct tsr__te *e, const struct blocks *d, uint32_t registers)
{
    uint32_t most = tsr__te_columns(e, d->vectors * registers);
    int64_t known = tsr__te_known(d->n);
    for (uint32_t fewer = most; known > 0 && fewer * 3 > most * 2; fewer--)
        if (known % fewer == 0)
            return fewer;
    return most;
}

/* Whether there is other code that reads A and B in their places, and in the order in which they lie there. */
static bool has_code_in_place(const struct blocks *d)
{
    return d->dots ? tsr__te_known(d->k) >= 0 : !d->ta && d->o->a.type->number == d->sum && d->o->b.type->number == d->sum;
}

static LLVMValueRef bytes_of(struct tsr__te *e, const struct tsr__te_memref *m)
{
    return times(e, LLVMBuildNSWMul(e->builder, m->shape[0], m->shape[1], ""), tsr__t_numbers[m->type->number].bytes);
}

/* Whether blocks are worth while: a constant, if all sizes are known. `most_k`: as many elements of K as there may be. */
static LLVMValueRef is_large(struct tsr__te *e, const struct blocks *d, int64_t most_k)
{
    const LLVMValueRef sizes[] = {d->m, d->n, d->k};
    LLVMValueRef enough = LLVMBuildNSWMul(e->builder, LLVMBuildNSWMul(e->builder, d->m, d->n, ""), d->k, "");
    LLVMValueRef least_needed = tsr__te_i64(e, LEAST_PRODUCTS);
    if (has_code_in_place(d)) {
        enough = add(e, add(e, bytes_of(e, &d->o->a), bytes_of(e, &d->o->b)), bytes_of(e, &d->o->c));
        least_needed = tsr__te_i64(e, MOST_IN_PLACE + 1);
    }
    LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntSGE, enough, least_needed, "");
    for (int i = 0; i < 3; i++)
        all = LLVMBuildAnd(e->builder, all, LLVMBuildICmp(e->builder, LLVMIntSGE, sizes[i], tsr__te_i64(e, LEAST_SIZE), ""), "");
    if (most_k < INT64_MAX)
        all = LLVMBuildAnd(e->builder, all, LLVMBuildICmp(e->builder, LLVMIntSLE, d->k, tsr__te_i64(e, most_k), ""), "");
    return all;
}

static struct blocks plan(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    struct blocks d = {.o = o, .ta = inst->transpose[0], .tb = inst->transpose[1], .sum = tsr__t_sum_type(o->c.type->number)};
    enum tsr__t_number number = o->a.type->number;
    d.m = o->c.shape[0];
    d.n = o->c.shape[1];
    d.k = o->a.shape[d.ta ? 0 : 1];
    d.dots = tsr__te_has_dots(e, number, o->b.type->number, d.sum);
    d.bytes = d.dots ? 4 : tsr__t_numbers[d.sum].bytes;
    d.in_word = d.dots ? d.bytes / tsr__t_numbers[number].bytes : 1;
    d.width = e->func->info.work_group_size[0];
    uint32_t registers = (d.width * d.bytes + e->unit.register_bytes - 1) / e->unit.register_bytes;
    d.vectors = registers < MOST_VECTORS ? MOST_VECTORS / registers : 1;
    d.cols = columns_of_tile(e, &d, registers);
    d.words = (is_less(d.m, MOST_ROWS / 2 + 1) ? 2 : 1) * WORDS;
    d.column = d.tb ? (d.cols + d.width - 1) / d.width * d.width : d.words + PAD_BYTES / d.bytes;
    int64_t known = tsr__te_known(d.k);
    d.one_block = known >= 0 && known <= (int64_t)d.words * d.in_word;
    return d;
}

bool tsr__te_gemm_by_blocks(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMBasicBlockRef *otherwise)
{
    enum tsr__t_number sum = tsr__t_sum_type(o->c.type->number);
    *otherwise = NULL;
    if (!e->unit.blocks || !e->one_sub_group || tsr__te_is_complex(sum) || o->atomic != TSR__T_PLAIN)
        return false;
    struct blocks d = plan(e, inst, o);
    /* Only a sum in C can be continued in the next block of K. */
    int64_t most_k = sum == o->c.type->number ? INT64_MAX : (int64_t)d.words * d.in_word;
    if (is_less(d.m, LEAST_SIZE) || is_less(d.n, LEAST_SIZE) || is_less(d.k, LEAST_SIZE) || tsr__te_known(d.k) > most_k)
        return false;
    LLVMValueRef large = is_large(e, &d, most_k);
    bool always = LLVMIsAConstantInt(large) && !LLVMIsNull(large);
    if (LLVMIsNull(large) || !take_memory(e, &d))
        return false;
    LLVMBasicBlockRef end = tsr__te_if(e, always ? NULL : large);
    all_blocks(e, &d);
    tsr__te_end_if(e, end);
    if (!always)
        *otherwise = tsr__te_if(e, LLVMBuildNot(e->builder, large, ""));
    return always;
}
