/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices whose sizes are arguments, or so large that they are cut to fit the caches. A block of rows of A and of K is copied
 * to local memory once for all columns of C, and a group of columns of B for each block of rows; a tile of C is a sum in registers for as
 * much of K. The copies lie in the order in which they are read, as numbers of the sum or as words for dot products, and without the
 * distances of the matrices, which put columns into the same lines of a cache where they are powers of two. Small matrices are read in
 * their places by the same code, but for rows and columns that do not fill a tile. */
#include "tensor/llvm/emit.h"

enum {
    MOST_SUMS = 24,           /* vectors of a tile of C */
    MOST_VECTORS = 2,         /* of rows of a tile */
    DEPTH_BYTES = 1024,       /* of a row of a block of A; the first level should hold a tile's rows of A and columns of B */
    LEAST_COLUMNS = 24,       /* of B that are copied at a time: lines of a transposed B should be of use as a whole */
    MOST_COLUMNS = 64,        /* of a transposed B */
    PAD_BYTES = 64,           /* between columns of the copy of B: they may not lie in the same lines of a cache */
    LEAST_PRODUCTS = 1 << 16, /* else copies take more than they save */
    LEAST_PAIRS = 8,          /* the same where two elements are a word, for which there is no other code */
    LEAST_PAIR_PRODUCTS = 1 << 13,
    MOST_IN_PLACE = 1 << 20, /* bytes of A, B and C that the second level of the caches holds, so that copies would only take time */
    FIRST_LEVEL = 32 << 10,  /* bytes of the first level */
    LINE_BYTES = 64,         /* of the caches */
    FEW_ROWS = 96,           /* too few for copies of B to pay; its columns may all be in the same lines of the first level, */
    COLUMNS_IN_PLACE = 8,    /* which holds so many there */
    FEW_PRODUCTS = 1 << 12,  /* where words or a transposed A would be read one by one instead */
    FEW_BYTES = 48 << 10,    /* of the matrices, or that other code copies as a whole */
    WORDS_AHEAD = 16,        /* so much of A and */
    COLUMNS_AHEAD = 2,       /* of B is fetched before it is copied */
    SIGN = 0x80,
};

struct blocks {
    const struct tsr__te_blas *o;
    bool ta, tb;
    bool dots, is_unsigned; /* words of several elements; B's are made unsigned */
    enum tsr__t_number sum;
    uint32_t in_word, bytes;        /* elements of K in a word; bytes of a word */
    uint32_t width, vectors, cols;  /* lanes; vectors of rows and columns of a tile */
    uint32_t rows, words, group;    /* of a block: rows of A, words of K; columns of B that are copied at a time */
    uint32_t column;                /* of the copy of B: words from a column (of a transposed B, from a word of K) to the next */
    LLVMValueRef a, b, tile, extra; /* in local memory */
    LLVMValueRef m, n, k, lane;     /* sizes; the lane's number (i32) */
    LLVMValueRef in_place;          /* whether A is read in its place; NULL: no */
    LLVMValueRef b_in_place;        /* the same of B */
    LLVMValueRef row, word, some_rows, some_words; /* of the block: where it begins, and how much is left */
    LLVMValueRef first_row;                        /* of the block that is copied: those before are read in their places */
    int64_t least_size, least_products;            /* that are cut, if all are known */
    bool one_block;                                /* of K */
    bool otherwise;                                /* dot products of a known K can be made without copies of A */
};

/* Columns of B and C that have their tiles together. */
struct columns {
    LLVMValueRef first, some; /* where they begin, and how many */
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

static LLVMValueRef both(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(e->builder, a, b, "");
}

static LLVMValueRef at_most(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->builder, LLVMIntSLE, a, b, "");
}

static LLVMValueRef choose(struct tsr__te *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}

static LLVMValueRef left(struct tsr__te *e, LLVMValueRef all, LLVMValueRef done)
{
    return LLVMBuildNSWSub(e->builder, all, done, "");
}

static LLVMValueRef least(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return choose(e, less(e, a, b), a, b);
}

static LLVMValueRef over(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b == 1 ? a : LLVMBuildUDiv(e->builder, a, tsr__te_i64(e, b), "");
}

/* Surely so. */
static bool is_true(LLVMValueRef condition)
{
    return condition && LLVMIsAConstantInt(condition) && !LLVMIsNull(condition);
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

/* A row of A, or a column of B. */
struct line {
    const struct tsr__te_memref *m;
    bool turned, is_a;
    LLVMValueRef at;
};

static LLVMValueRef address(struct tsr__te *e, const struct line *l, LLVMValueRef k)
{
    return l->is_a ? tsr__te_element_address(e, l->m, l->turned, l->at, k) : tsr__te_element_address(e, l->m, l->turned, k, l->at);
}

/* Whether there may be words whose elements are not all in K. */
static bool has_ragged_words(const struct blocks *d)
{
    return tsr__te_divisor(d->k) % d->in_word;
}

/* Element `i` of a word, sign-extended to 32 bits. `partial`: behind the last one of K it is 0; of whole numbers it is enough that it is so
 * in B. */
static LLVMValueRef element(struct tsr__te *e, const struct blocks *d, const struct line *l, LLVMValueRef k, uint32_t i, bool partial)
{
    LLVMTypeRef word = word_type(e, d);
    LLVMValueRef own = plus(e, k, i), last = left(e, d->k, tsr__te_i64(e, 1));
    partial = partial && i;
    LLVMValueRef one = tsr__te_load_number(e, l->m, address(e, l, partial ? least(e, own, last) : own)).re;
    LLVMValueRef made = LLVMBuildSExt(e->builder, one, word, "");
    bool is_zero = partial && (!l->is_a || d->sum != TSR__T_I32);
    return is_zero ? choose(e, at_most(e, own, last), made, LLVMConstNull(word)) : made;
}

/* The lowest bits of a word, moved to where element `i` is. */
static LLVMValueRef in_place_of(struct tsr__te *e, const struct blocks *d, LLVMValueRef word, uint32_t i)
{
    uint32_t bits = 8 * d->bytes / d->in_word;
    if (i + 1 < d->in_word)
        word = LLVMBuildAnd(e->builder, word, tsr__te_i32(e, (1u << bits) - 1), "");
    return i ? LLVMBuildShl(e->builder, word, tsr__te_i32(e, bits * i), "") : word;
}

/* Elements that lie side by side: a word, or bytes whose words have room for 16 bits of each. */
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

/* Word `word` of a line; `partial`: it may be the last one. */
static LLVMValueRef word_of(struct tsr__te *e, const struct blocks *d, const struct line *l, LLVMValueRef word, bool partial)
{
    LLVMValueRef k = times(e, word, d->in_word), made = NULL;
    if (!d->dots)
        return tsr__te_convert(e, tsr__te_load_number(e, l->m, address(e, l, k)), l->m->type->number, d->sum).re;
    partial = partial && has_ragged_words(d);
    if (!partial && tsr__te_known(l->m->stride[l->turned == l->is_a ? 0 : 1]) == 1)
        return load_elements(e, d, l, k);
    for (uint32_t i = 0; i < d->in_word; i++) {
        LLVMValueRef one = in_place_of(e, d, element(e, d, l, k, i, partial), i);
        made = made ? LLVMBuildOr(e->builder, made, one, "") : one;
    }
    return made;
}

static void fetch(struct tsr__te *e, const struct tsr__te_memref *m, bool turned, LLVMValueRef i, LLVMValueRef j)
{
    LLVMValueRef index[] = {turned ? j : i, turned ? i : j};
    if (!m->type->local)
        tsr__te_fetch(e, m, index);
}

/* Of a word of A, or of a transposed B, every element is in a column of its own: lines of `rows` rows of each. */
static void fetch_word(struct tsr__te *e, const struct blocks *d, const struct tsr__te_memref *m, LLVMValueRef row, LLVMValueRef word,
                       uint32_t rows)
{
    uint32_t in_line = LINE_BYTES / tsr__t_numbers[m->type->number].bytes;
    LLVMValueRef k = times(e, plus(e, word, WORDS_AHEAD), d->in_word);
    for (uint32_t i = 0; i < d->in_word; i++)
        for (uint32_t line = 0; line < rows; line += in_line)
            fetch(e, m, false, plus(e, row, line), plus(e, k, i));
}

/* ---- copies
 * ------------------------------------------------------------------------------------------------------------------------------ */

/* Up to where there are vectors of whole words in the block; NULL: to its end. */
static LLVMValueRef vectors_of_words(struct tsr__te *e, const struct blocks *d)
{
    if (tsr__te_divisor(d->k) % (d->width * d->in_word) == 0)
        return NULL;
    return has_ragged_words(d) ? least(e, d->some_words, left(e, over(e, d->k, d->in_word), d->word)) : d->some_words;
}

static bool has_ragged_tiles(const struct blocks *d)
{
    int64_t rows = tsr__te_known(d->m);
    return rows < 0 || rows % tile_rows(d);
}

static bool has_vectors_of_columns(const struct blocks *d)
{
    int64_t known = tsr__te_known(d->n);
    return known >= 0 && known % d->width == 0 && d->group % d->width == 0;
}

/* Makes code for the element of each lane from `first` on, or, `alone`, for that element in all of them. */
typedef void each(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone);

static LLVMValueRef own(struct tsr__te *e, LLVMValueRef first, bool alone)
{
    return alone ? first : add(e, first, e->item[0]);
}

/* Elements that follow each other in memory. */
struct span {
    LLVMValueRef from, to, vectors; /* vectors: to where there may be some; NULL: they fill vectors */
    bool some;                      /* there surely is one */
    uint32_t wide;                  /* elements of a round where there are vectors */
};

/* Vectors as long as there are enough for one, then single ones. So nothing is masked, which would be more code. */
static void side_by_side(struct tsr__te *e, const struct blocks *d, const struct span *s, each *one, const void *context)
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
    end_loop(e, &loop, NULL);
}

/* Where the copy of A has a word of a row of the block: the rows of a tile are side by side. */
static LLVMValueRef place_in_a(struct tsr__te *e, const struct blocks *d, LLVMValueRef row, LLVMValueRef word)
{
    LLVMValueRef in_tile = both(e, row, tsr__te_i64(e, tile_rows(d) - 1)), tile = left(e, row, in_tile);
    return add(e, add(e, times(e, tile, d->words), times(e, word, tile_rows(d))), in_tile);
}

/* A vector of rows, or all of a tile, if rows fill tiles. */
static void copy_row(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const LLVMValueRef *in_block = context;
    LLVMValueRef word = add(e, d->word, *in_block), to = own(e, place_in_a(e, d, first, *in_block), alone);
    uint32_t vectors = has_ragged_tiles(d) ? 1 : d->vectors;
    if (!alone)
        fetch_word(e, d, &d->o->a, add(e, d->row, first), word, vectors * d->width);
    for (uint32_t v = 0; v < vectors; v++) {
        struct line line = {.m = &d->o->a, .turned = d->ta, .is_a = true};
        line.at = add(e, d->row, own(e, plus(e, first, v * d->width), alone));
        store(e, d, word_of(e, d, &line, word, true), d->a, plus(e, to, v * d->width));
    }
}

/* Columns of A follow each other in memory. What a tile has behind the last row is 0, as any number might be one with which CPUs take
 * long. */
static void copy_rows(struct tsr__te *e, const struct blocks *d)
{
    LLVMValueRef last = left(e, d->some_rows, tsr__te_i64(e, 1)), tile = both(e, last, tsr__te_i64(e, -(int64_t)tile_rows(d)));
    bool ragged = has_ragged_tiles(d);
    struct tsr__te_loop words;
    tsr__te_loop(e, &words, tsr__te_i64(e, 0), d->some_words, tsr__te_i64(e, 1), NULL, 0);
    for (uint32_t v = 0; ragged && v < d->vectors; v++)
        store(e, d, LLVMConstNull(word_type(e, d)), d->a, plus(e, add(e, place_in_a(e, d, tile, words.index), e->item[0]), v * d->width));
    struct span own = {d->first_row, d->some_rows, ragged ? d->some_rows : NULL, false, ragged ? d->width : tile_rows(d)};
    side_by_side(e, d, &own, copy_row, &words.index);
    end_loop(e, &words, NULL);
}

/* Words of the rows of a tile, which begin with row `context`, in turn, so that lines of the copy are written as a whole. */
static void copy_tile(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const LLVMValueRef *tile = context;
    LLVMValueRef word = own(e, first, alone);
    struct tsr__te_loop rows;
    tsr__te_sure_loop(e, &rows, *tile, least(e, d->some_rows, plus(e, *tile, tile_rows(d))), tsr__te_i64(e, 1));
    struct line line = {.m = &d->o->a, .turned = true, .is_a = true, .at = add(e, d->row, rows.index)};
    store(e, d, word_of(e, d, &line, add(e, d->word, word), alone), d->a, place_in_a(e, d, rows.index, word));
    end_loop(e, &rows, NULL);
}

/* Rows of a transposed A do. */
static void copy_lines(struct tsr__te *e, const struct blocks *d)
{
    struct tsr__te_loop tiles;
    tsr__te_loop(e, &tiles, d->first_row, d->some_rows, tsr__te_i64(e, tile_rows(d)), NULL, 0);
    side_by_side(e, d, &(struct span){tsr__te_i64(e, 0), d->some_words, vectors_of_words(e, d), false, d->width}, copy_tile, &tiles.index);
    end_loop(e, &tiles, NULL);
}

/* What makes bytes of B unsigned, times the rows of A: tiles begin with less by that. */
static void sum_rows(struct tsr__te *e, const struct blocks *d)
{
    LLVMTypeRef type = word_type(e, d);
    LLVMValueRef sums[MOST_VECTORS], zero = tsr__te_i64(e, 0), one = tsr__te_i64(e, 1);
    struct tsr__te_loop tiles, words;
    tsr__te_sure_loop(e, &tiles, zero, d->some_rows, tsr__te_i64(e, tile_rows(d)));
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

static void copy_word(struct tsr__te *e, const struct blocks *d, LLVMValueRef first, LLVMValueRef col, LLVMValueRef word, bool partial)
{
    struct line line = {.m = &d->o->b, .turned = d->tb, .at = add(e, first, col)};
    LLVMValueRef made = word_of(e, d, &line, add(e, d->word, word), partial);
    if (d->is_unsigned)
        made = LLVMBuildXor(e->builder, made, tsr__te_i32(e, SIGN * 0x01010101u), "");
    store(e, d, made, d->b, d->tb ? add(e, times(e, word, d->column), col) : add(e, times(e, col, d->column), word));
}

/* Of columns `columns`: one of them, or a word of a transposed B. */
struct part {
    const struct columns *columns;
    LLVMValueRef at;
};

static void copy_words(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const struct part *p = context;
    LLVMValueRef ahead = add(e, p->columns->first, plus(e, p->at, COLUMNS_AHEAD));
    if (!alone)
        fetch(e, &d->o->b, false, times(e, add(e, d->word, first), d->in_word), ahead);
    copy_word(e, d, p->columns->first, p->at, own(e, first, alone), alone);
}

static void copy_columns(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const struct part *p = context;
    if (!alone)
        fetch_word(e, d, &d->o->b, add(e, p->columns->first, first), add(e, d->word, p->at), d->width);
    copy_word(e, d, p->columns->first, own(e, first, alone), p->at, true);
}

/* Lanes take what follows each other in memory: words of a column, or columns of a transposed B. */
static void copy_b(struct tsr__te *e, const struct blocks *d, const struct columns *c)
{
    LLVMValueRef zero = tsr__te_i64(e, 0);
    struct tsr__te_loop parts;
    tsr__te_loop(e, &parts, zero, d->tb ? d->some_words : c->some, tsr__te_i64(e, 1), NULL, 0);
    struct part part = {c, parts.index};
    if (d->tb)
        side_by_side(e, d, &(struct span){zero, c->some, has_vectors_of_columns(d) ? NULL : c->some, true, d->width}, copy_columns, &part);
    else
        side_by_side(e, d, &(struct span){zero, d->some_words, vectors_of_words(e, d), false, d->width}, copy_words, &part);
    end_loop(e, &parts, NULL);
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
    if (d->is_unsigned)
        return tsr__te_call(e, "tessera_dot_add_us", "jji", LLVMTypeOf(sum), bytes, 3);
    return d->sum == TSR__T_I32 ? tsr__te_call(e, "tessera_dot_add_i16", "jji", LLVMTypeOf(sum), halves, 3)
                                : tsr__te_call(e, "tessera_dot_add_bf16", "jjf", LLVMTypeOf(sum), halves, 3);
}

/* Where rows of A or columns of B of a tile are: in their place, or the copy. */
struct source {
    LLVMValueRef at, step; /* address; from a column to the next: of A in words, of B in bytes */
};

static struct source either(struct tsr__te *e, LLVMValueRef condition, struct source a, struct source b)
{
    enum { GENERIC = 4 };
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, GENERIC);
    LLVMValueRef at =
        choose(e, condition, LLVMBuildAddrSpaceCast(e->builder, a.at, pointer, ""), LLVMBuildAddrSpaceCast(e->builder, b.at, pointer, ""));
    return (struct source){at, choose(e, condition, a.step, b.step)};
}

static struct source rows_of(struct tsr__te *e, const struct blocks *d, LLVMValueRef tile)
{
    const struct tsr__te_memref *a = &d->o->a;
    struct source copy = {place(e, d, d->a, times(e, tile, d->words)), tsr__te_i64(e, tile_rows(d))};
    if (!d->in_place)
        return copy;
    struct source own = {tsr__te_element_address(e, a, false, add(e, d->row, tile), d->word), a->stride[1]};
    return either(e, less(e, tile, d->first_row), own, copy);
}

/* Where the columns of B of a tile are, of which column `col` of some is the first; of a transposed one the copy's words of K. */
static struct source columns_of(struct tsr__te *e, const struct blocks *d, const struct columns *some, LLVMValueRef col)
{
    const struct tsr__te_memref *b = &d->o->b;
    struct source copy = {place(e, d, d->b, times(e, col, d->tb ? 1 : d->column)), tsr__te_i64(e, (int64_t)d->column * d->bytes)};
    if (!d->b_in_place)
        return copy;
    struct source own = {tsr__te_element_address(e, b, false, times(e, d->word, d->in_word), add(e, some->first, col)),
                         times(e, b->stride[1], tsr__t_numbers[b->type->number].bytes)};
    return is_true(d->b_in_place) ? own : either(e, d->b_in_place, own, copy);
}

/* Word `k` of the block and of column `col` of a tile. */
static LLVMValueRef word_of_b(struct tsr__te *e, const struct blocks *d, const struct source *columns, LLVMValueRef k, uint32_t col)
{
    LLVMValueRef along = d->tb ? tsr__te_i64(e, col) : k, step = d->tb ? k : tsr__te_i64(e, col);
    LLVMValueRef at = add(e, times(e, along, d->bytes), LLVMBuildNSWMul(e->builder, columns->step, step, ""));
    at = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), columns->at, &at, 1, "");
    LLVMValueRef word = LLVMBuildLoad2(e->builder, word_type(e, d), at, "");
    LLVMSetAlignment(word, d->b_in_place ? tsr__t_numbers[d->o->b.type->number].bytes : d->bytes);
    return word;
}

/* The sums of a tile whose columns begin with column `col` of some, `tile`: its first row of the block. */
static void multiply(struct tsr__te *e, const struct blocks *d, LLVMValueRef tile, const struct source *rows, const struct columns *some,
                     LLVMValueRef col, LLVMValueRef *sums)
{
    LLVMValueRef a[MOST_VECTORS];
    struct source columns = columns_of(e, d, some, col);
    LLVMTypeRef word = word_type(e, d), sum = tsr__te_type(e, d->sum);
    uint32_t count = d->vectors * d->cols;
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef lane = plus(e, add(e, tile, e->item[0]), i % d->vectors * d->width);
        sums[i] = d->extra ? i < d->vectors ? load(e, d, sum, d->extra, lane) : sums[i % d->vectors] : LLVMConstNull(sum);
    }
    tsr__te_loop(e, &k, tsr__te_i64(e, 0), d->some_words, tsr__te_i64(e, 1), sums, count);
    LLVMValueRef at = place(e, d, rows->at, LLVMBuildNSWMul(e->builder, k.index, rows->step, ""));
    for (uint32_t v = 0; v < d->vectors; v++)
        a[v] = load(e, d, word, at, plus(e, e->item[0], v * d->width));
    for (uint32_t c = 0; c < d->cols; c++) {
        LLVMValueRef b = word_of_b(e, d, &columns, k.index, c);
        for (uint32_t v = 0; v < d->vectors; v++)
            sums[c * d->vectors + v] = product(e, d, a[v], b, k.carried[c * d->vectors + v]);
    }
    end_loop(e, &k, sums);
    for (uint32_t i = 0; i < count; i++)
        sums[i] = k.carried[i];
}

/* What C becomes: what comes from further blocks of K is added to what the first one made. */
static struct tsr__te_blas update_of(struct tsr__te *e, const struct blocks *d)
{
    struct tsr__te_blas made = *d->o;
    if (d->one_block || made.beta_one)
        return made;
    LLVMValueRef is_first = LLVMBuildICmp(e->builder, LLVMIntEQ, d->word, tsr__te_i64(e, 0), "");
    if (made.beta_zero) {
        made.beta_zero = false;
        made.beta_one = true;
        made.adds = LLVMBuildNot(e->builder, is_first, "");
    } else {
        LLVMTypeRef type = tsr__te_type(e, d->sum);
        bool whole = tsr__t_numbers[d->sum].class == TSR__T_INTEGER;
        LLVMValueRef one = whole ? LLVMConstInt(type, 1, false) : LLVMConstReal(type, 1);
        made.beta.re = choose(e, is_first, tsr__te_convert(e, made.beta, made.beta_type, d->sum).re, one);
        made.beta_type = d->sum;
    }
    return made;
}

/* A tile of C whose first column is `first`, and of these column `col`. */
struct tile {
    const struct tsr__te_blas *o;
    LLVMValueRef row, first, col;
};

static void update_rows(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone)
{
    const struct tile *t = context;
    LLVMValueRef row = own(e, first, alone), index[] = {add(e, t->row, row), add(e, t->first, t->col)};
    LLVMBasicBlockRef end = tsr__te_if(e, alone ? e->first_item : NULL);
    struct tsr__te_number sum = {load(e, d, tsr__te_type(e, d->sum), d->tile, add(e, times(e, t->col, tile_rows(d)), row)), NULL};
    tsr__te_update(e, t->o, tsr__te_address(e, &d->o->c, index), sum, d->sum);
    tsr__te_end_if(e, end);
}

/* By way of local memory, so that a short loop is code for all columns; and rows that fill no vector are written by one lane. Meanwhile
 * the tile beside this one is fetched. */
static void put_sums(struct tsr__te *e, const struct blocks *d, const struct tsr__te_blas *o, LLVMValueRef tile, LLVMValueRef first,
                     LLVMValueRef some, LLVMValueRef *sums)
{
    uint32_t in_line = LINE_BYTES / tsr__t_numbers[d->o->c.type->number].bytes;
    bool ragged = has_ragged_tiles(d);
    LLVMValueRef rows = tsr__te_i64(e, tile_rows(d));
    rows = ragged ? least(e, left(e, d->some_rows, tile), rows) : rows;
    struct tile t = {.o = o, .row = add(e, d->row, tile), .first = first};
    struct tsr__te_loop cols;
    for (uint32_t i = 0; i < d->vectors * d->cols; i++)
        store(e, d, sums[i], d->tile, plus(e, e->item[0], i * d->width));
    if (ragged)
        tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
    tsr__te_sure_loop(e, &cols, tsr__te_i64(e, 0), some, tsr__te_i64(e, 1));
    t.col = cols.index;
    for (uint32_t row = 0; row < tile_rows(d); row += in_line)
        fetch(e, &d->o->c, false, plus(e, t.row, row), plus(e, add(e, first, cols.index), d->cols));
    side_by_side(e, d, &(struct span){tsr__te_i64(e, 0), rows, ragged ? rows : NULL, true, d->width}, update_rows, &t);
    end_loop(e, &cols, NULL);
    if (ragged)
        tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
}

/* ---- blocks
 * ------------------------------------------------------------------------------------------------------------------------------ */

/* All tiles of some columns. */
static void tiles_of(struct tsr__te *e, const struct blocks *d, const struct tsr__te_blas *o, const struct columns *c)
{
    LLVMValueRef sums[MOST_SUMS], zero = tsr__te_i64(e, 0);
    struct tsr__te_loop rows, cols;
    tsr__te_sure_loop(e, &rows, zero, d->some_rows, tsr__te_i64(e, tile_rows(d)));
    struct source a = rows_of(e, d, rows.index);
    tsr__te_sure_loop(e, &cols, zero, c->some, tsr__te_i64(e, d->cols));
    LLVMValueRef first = add(e, c->first, cols.index), some = least(e, left(e, c->some, cols.index), tsr__te_i64(e, d->cols));
    multiply(e, d, rows.index, &a, c, cols.index, sums);
    put_sums(e, d, o, rows.index, first, some, sums);
    end_loop(e, &cols, NULL);
    end_loop(e, &rows, NULL);
}

/* Where rows begin that are copied: all, or those that fill no tile. */
static LLVMValueRef first_copied(struct tsr__te *e, const struct blocks *d)
{
    LLVMValueRef zero = tsr__te_i64(e, 0);
    return d->in_place ? choose(e, d->in_place, times(e, over(e, d->some_rows, tile_rows(d)), tile_rows(d)), zero) : zero;
}

static void all_blocks(struct tsr__te *e, struct blocks *d)
{
    LLVMValueRef zero = tsr__te_i64(e, 0), words = over(e, plus(e, d->k, d->in_word - 1), d->in_word);
    struct tsr__te_touched before = e->touched;
    struct tsr__te_loop depth, rows, cols;
    struct columns c;
    tsr__te_loop(e, &rows, zero, d->m, tsr__te_i64(e, d->rows), NULL, 0);
    d->row = rows.index;
    d->some_rows = least(e, left(e, d->m, d->row), tsr__te_i64(e, d->rows));
    d->first_row = first_copied(e, d);
    LLVMValueRef last = choose(e, less(e, zero, words), words, tsr__te_i64(e, 1)); /* without K there are still alpha and beta */
    tsr__te_sure_loop(e, &depth, zero, last, tsr__te_i64(e, d->words));
    d->word = depth.index;
    d->some_words = least(e, left(e, words, d->word), tsr__te_i64(e, d->words));
    struct tsr__te_blas o = update_of(e, d);
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* behind the tiles of the block before */
    if (d->ta)
        copy_lines(e, d);
    else
        copy_rows(e, d);
    if (d->extra) {
        tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* other lanes have copied words of the rows */
        sum_rows(e, d);
    }
    tsr__te_loop(e, &cols, zero, d->n, tsr__te_i64(e, d->group), NULL, 0);
    c.first = cols.index;
    c.some = least(e, left(e, d->n, c.first), tsr__te_i64(e, d->group));
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* behind the tiles of the columns before */
    if (!is_true(d->b_in_place)) {
        LLVMBasicBlockRef end = tsr__te_if(e, d->b_in_place ? LLVMBuildNot(e->builder, d->b_in_place, "") : NULL);
        copy_b(e, d, &c);
        tsr__te_end_if(e, end);
    }
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
    tiles_of(e, d, &o, &c);
    end_loop(e, &cols, NULL);
    end_loop(e, &depth, NULL);
    end_loop(e, &rows, NULL);
    e->touched = before;
}

/* The parts of local memory; false: there is not enough. */
static bool take_memory(struct tsr__te *e, struct blocks *d)
{
    uint32_t b = is_true(d->b_in_place) ? 0 : (d->tb ? d->words : d->group) * d->column, tile = d->cols * tile_rows(d);
    int64_t known = tsr__te_known(d->m);
    uint32_t most = known >= 0 && known < e->unit.block_rows ? (uint32_t)known + tile_rows(d) - 1 : e->unit.block_rows;
    for (d->rows = most / tile_rows(d) * tile_rows(d); d->rows; d->rows -= tile_rows(d)) {
        uint32_t a = d->rows * d->words, extra = d->is_unsigned ? d->rows : 0;
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

/* As many columns as fill the registers; fewer, if less of the last tile is in vain then than its further loads of A take. */
static uint32_t columns_of_tile(const struct tsr__te *e, const struct blocks *d, uint32_t registers)
{
    uint32_t best = tsr__te_columns(e, d->vectors * registers);
    int64_t known = tsr__te_known(d->n), least_cost = INT64_MAX;
    for (uint32_t fewer = best, most = best; known > 0 && fewer * 3 >= most * 2; fewer--) {
        int64_t cost = (known + fewer - 1) / fewer * (2 * fewer + 1);
        best = cost < least_cost ? fewer : best;
        least_cost = cost < least_cost ? cost : least_cost;
    }
    return best;
}

/* Tiles as a whole, and vectors of a transposed B. */
static uint32_t columns_at_a_time(const struct blocks *d)
{
    uint32_t least_columns = (LEAST_COLUMNS + d->cols - 1) / d->cols * d->cols;
    for (uint32_t more = least_columns; d->tb && more <= MOST_COLUMNS; more += d->cols)
        if (more % d->width == 0)
            return more;
    return least_columns;
}

static LLVMValueRef bytes_of(struct tsr__te *e, const struct tsr__te_memref *m)
{
    return times(e, LLVMBuildNSWMul(e->builder, m->shape[0], m->shape[1], ""), tsr__t_numbers[m->type->number].bytes);
}

static LLVMValueRef all_bytes(struct tsr__te *e, const struct blocks *d)
{
    return add(e, add(e, bytes_of(e, &d->o->a), bytes_of(e, &d->o->b)), bytes_of(e, &d->o->c));
}

/* Whether A is read in its place: a constant, if all sizes are known; NULL: its elements do not lie there in the order or type in which
 * they are multiplied. The first level of the caches has to hold a number of each column: a power of two that divides their distance leaves
 * few places for them. */
static LLVMValueRef is_in_place(struct tsr__te *e, const struct blocks *d)
{
    const struct tsr__te_memref *a = &d->o->a;
    if (d->dots || d->ta || a->type->number != d->sum || tsr__te_known(a->stride[0]) != 1)
        return NULL;
    LLVMValueRef power = both(e, a->stride[1], LLVMBuildNeg(e->builder, a->stride[1], ""));
    LLVMValueRef apart = at_most(e, times(e, LLVMBuildNSWMul(e->builder, power, d->k, ""), d->bytes), tsr__te_i64(e, FIRST_LEVEL));
    return both(e, apart, at_most(e, all_bytes(e, d), tsr__te_i64(e, MOST_IN_PLACE)));
}

/* Whether words of B lie there as they are multiplied, all columns of a tile are there, and few rows use them: a constant, or NULL for no,
 * but for words that K may not fill. */
static LLVMValueRef is_b_in_place(struct tsr__te *e, const struct blocks *d)
{
    const struct tsr__te_memref *b = &d->o->b;
    int64_t rows = tsr__te_known(d->m), cols = tsr__te_known(d->n);
    bool are_words = d->dots ? !d->is_unsigned : b->type->number == d->sum;
    if (!are_words || d->in_word * tsr__t_numbers[b->type->number].bytes != d->bytes || d->tb || tsr__te_known(b->stride[0]) != 1 ||
        rows < 0 || rows > FEW_ROWS || cols < 0 || cols % d->cols || d->cols > COLUMNS_IN_PLACE)
        return NULL;
    if (!has_ragged_words(d))
        return LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
    LLVMValueRef over = both(e, d->k, tsr__te_i64(e, d->in_word - 1));
    return LLVMBuildICmp(e->builder, LLVMIntEQ, over, tsr__te_i64(e, 0), "");
}

/* Bytes of what the other code copies as a whole, where all sizes are known: a transposed A, and what is of another type than the sum. */
static uint64_t bytes_of_copies(const struct blocks *d)
{
    const struct tsr__te_blas *o = d->o;
    uint64_t k = (uint64_t)tsr__te_known(d->k), a = d->ta ? (uint64_t)tsr__te_known(d->m) * k : 0;
    return (a + (o->b.type->number != d->sum ? (uint64_t)tsr__te_known(d->n) * k : 0)) * d->bytes;
}

static LLVMValueRef products_of(struct tsr__te *e, const struct blocks *d)
{
    return LLVMBuildNSWMul(e->builder, LLVMBuildNSWMul(e->builder, d->m, d->n, ""), d->k, "");
}

/* Whether this is the code to take: a constant, if that is known. `most_k`: as many elements of K as there may be. */
static LLVMValueRef is_worthwhile(struct tsr__te *e, const struct blocks *d, int64_t most_k)
{
    const LLVMValueRef sizes[] = {d->m, d->n, d->k};
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
    bool open = false, few = tsr__te_known(d->m) < 0 && tsr__te_known(d->n) < 0;
    for (int i = 0; i < 3; i++)
        open |= tsr__te_known(sizes[i]) < 0;
    if (few && !d->otherwise) { /* copies, and tiles that are not filled, take longer than small products */
        LLVMValueRef small = d->dots || d->ta ? at_most(e, products_of(e, d), tsr__te_i64(e, FEW_PRODUCTS))
                                              : at_most(e, all_bytes(e, d), tsr__te_i64(e, FEW_BYTES));
        all = LLVMBuildNot(e->builder, small, "");
    }
    if (d->otherwise || !open) { /* there is other code, which is short */
        all = LLVMBuildNot(e->builder, at_most(e, products_of(e, d), tsr__te_i64(e, d->least_products - 1)), "");
        if (d->otherwise)
            all = LLVMBuildNot(e->builder, at_most(e, all_bytes(e, d), tsr__te_i64(e, MOST_IN_PLACE)), "");
        for (int i = 0; i < 3; i++)
            all = both(e, all, LLVMBuildNot(e->builder, at_most(e, sizes[i], tsr__te_i64(e, d->least_size - 1)), ""));
        if ((!d->tb && is_true(d->in_place)) || (!open && !d->dots && bytes_of_copies(d) <= FEW_BYTES))
            all = LLVMConstNull(LLVMTypeOf(all));
    }
    return most_k < INT64_MAX ? both(e, all, at_most(e, d->k, tsr__te_i64(e, most_k))) : all;
}

static struct blocks plan(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    struct blocks d = {.o = o, .ta = inst->transpose[0], .tb = inst->transpose[1], .sum = tsr__t_sum_type(o->c.type->number)};
    enum tsr__t_number number = o->a.type->number;
    d.m = o->c.shape[0];
    d.n = o->c.shape[1];
    d.k = o->a.shape[d.ta ? 0 : 1];
    d.lane = tsr__te_call(e, "get_sub_group_local_id", "v", LLVMInt32TypeInContext(e->context), NULL, 0);
    bool dots = tsr__te_has_dots(e, number, o->b.type->number, d.sum);
    d.otherwise = dots && tsr__te_known(d.k) >= 0;
    d.is_unsigned = dots && number == TSR__T_I8;
    bool pairs = tsr__te_has_pairs(e, number, o->b.type->number, d.sum);
    d.dots = dots || pairs;
    d.bytes = d.dots ? 4 : tsr__t_numbers[d.sum].bytes;
    d.in_word = d.is_unsigned ? 4 : d.dots ? 2 : 1;
    d.width = e->func->info.work_group_size[0];
    uint32_t registers = (d.width * d.bytes + e->unit.register_bytes - 1) / e->unit.register_bytes;
    d.vectors = registers < MOST_VECTORS ? MOST_VECTORS / registers : 1;
    d.cols = columns_of_tile(e, &d, registers);
    d.group = columns_at_a_time(&d);
    d.words = DEPTH_BYTES / d.bytes;
    d.column = d.tb ? (d.group + d.width - 1) / d.width * d.width : d.words + PAD_BYTES / d.bytes;
    int64_t known = tsr__te_known(d.k);
    d.one_block = known >= 0 && known <= (int64_t)d.words * d.in_word;
    d.in_place = is_in_place(e, &d);
    d.b_in_place = is_b_in_place(e, &d);
    d.least_size = pairs ? LEAST_PAIRS : TSR__TE_LEAST_SIZE;
    d.least_products = pairs ? LEAST_PAIR_PRODUCTS : LEAST_PRODUCTS;
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
    if (is_less(d.m, d.least_size) || is_less(d.n, d.least_size) || is_less(d.k, d.least_size) || tsr__te_known(d.k) > most_k)
        return false;
    LLVMValueRef chosen = is_worthwhile(e, &d, most_k);
    bool always = is_true(chosen);
    if (LLVMIsNull(chosen) || !take_memory(e, &d))
        return false;
    LLVMBasicBlockRef end = tsr__te_if(e, always ? NULL : chosen);
    all_blocks(e, &d);
    tsr__te_end_if(e, end);
    if (!always)
        *otherwise = tsr__te_if(e, LLVMBuildNot(e->builder, chosen, ""));
    return always;
}
