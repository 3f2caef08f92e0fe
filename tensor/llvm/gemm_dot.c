/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices of bytes, of i16 and of bf16 by dot products of words: four bytes, or two numbers of 16 bits, that follow each other
 * in K, which is known. A lane has a row of A, whose words it makes of single elements; a word of B is the same for all lanes. Words of B
 * are read in their place where its elements lie as words. Otherwise, and for bytes, of which those of B have to be unsigned, a block of
 * columns is copied to local memory first. */
#include "tensor/llvm/index.h"

#include "tessera/abi.h"

enum {
    SUMS = 24,                /* vectors of a block of C */
    OPEN_COLUMNS = 16,        /* of a block, if their number is an argument */
    FEW_COLUMNS = 4,          /* of a block, if its updates are much code */
    MOST_ROWS = 4,            /* vectors of rows of a block */
    MOST_COPIED_DEPTH = 1024, /* elements of K, if B is copied */
    MOST_COPIED = 4096,       /* words of B that are copied as a whole */
    COPIED_TOGETHER = 4,      /* vectors of words in a round of the loop that copies them */
    MOST_STRAIGHT = 48,       /* products of vectors of a block without a loop over K */
    MOST_STEPS = 4,           /* words of K in a round of that loop */
    LEAST_BLOCKS = 2,         /* of columns, for which words of A are packed */
    MOST_PACKED = 1 << 12,    /* words of A that are packed */
    ENOUGH = 8,               /* columns that keep the unit of dot products busy */
    WORD_BYTES = 4,
};

struct dots {
    const struct tsr__te_blas *o;
    bool ta, tb;
    enum tsr__t_number number, sum;
    enum tsr__te_dot dot;
    uint32_t in_word, depth, words; /* elements of a word; of K; words of K, the last of which may have fewer elements */
    uint32_t width;                 /* rows of a vector */
    LLVMValueRef copy;              /* of columns of B; NULL: B is read in its place */
    uint32_t copied;                /* columns of the copy if it is one of all columns; 0: it is one of each block's */
    LLVMValueRef transposed;        /* words of A by columns; NULL: A is read in its place */
    uint32_t transposed_rows;
    LLVMValueRef excess; /* of each row, where words of A are packed, in i32; or NULL */
};

/* A block of C: `rows` vectors of rows and `cols` columns. */
struct block {
    LLVMValueRef row, col;
    LLVMValueRef end; /* of the rows, where not all lanes have the last row of several; otherwise NULL */
    bool masked;      /* not all lanes have the last row */
    uint32_t rows, cols;
};

static LLVMTypeRef i32(struct tsr__te *e)
{
    return LLVMInt32TypeInContext(e->context);
}

/* ---- words ---- */

/* The word of `count` elements, the first of which is (at[0], at[1]); the others follow in mode `along`, which is K. The rest of the word
 * is 0; all of it is where `good` does not hold (NULL: always). */
static LLVMValueRef word_of(struct tsr__te *e, const struct dots *d, const struct tsr__te_memref *m, bool transposed, uint32_t along,
                            LLVMValueRef at[2], uint32_t count, LLVMValueRef good)
{
    uint32_t bytes = tsr__t_numbers[d->number].bytes;
    LLVMValueRef word = NULL, first = at[along], parts[WORD_BYTES];
    if (!good && count == d->in_word && tsr__te_known(m->stride[transposed ? 1 - along : along]) == 1)
        return tsr__te_load_word(e, tsr__te_element_address(e, m, transposed, at[0], at[1]), bytes);
    for (uint32_t i = 0; i < count; i++) {
        at[along] = plus(e, first, i);
        LLVMValueRef one = tsr__te_load_element(e, m, transposed, at[0], at[1], good, d->number).re;
        parts[i] = one;
        if (!good && count == d->in_word)
            continue;
        one = LLVMBuildZExt(e->builder, one, i32(e), "");
        if (i)
            one = LLVMBuildShl(e->builder, one, tsr__te_i32(e, 8 * bytes * i), "");
        word = word ? LLVMBuildOr(e->builder, word, one, "") : one;
    }
    at[along] = first;
    return word ? word : tsr__te_word(e, parts, count);
}

static LLVMValueRef transposed_address(struct tsr__te *e, const struct dots *d, LLVMValueRef row, LLVMValueRef word)
{
    LLVMValueRef at = add(e, times(e, word, d->transposed_rows), row);
    return LLVMBuildInBoundsGEP2(e->builder, i32(e), d->transposed, &at, 1, "");
}

static LLVMValueRef word_of_a(struct tsr__te *e, const struct dots *d, LLVMValueRef row, LLVMValueRef k, uint32_t count, LLVMValueRef good)
{
    LLVMValueRef at[] = {row, k};
    return word_of(e, d, &d->o->a, d->ta, 1, at, count, good);
}

/* Word `word` of column `col` of B. */
static LLVMValueRef word_of_b(struct tsr__te *e, const struct dots *d, LLVMValueRef word, LLVMValueRef col, uint32_t count)
{
    LLVMValueRef at[] = {times(e, word, d->in_word), col};
    return word_of(e, d, &d->o->b, d->tb, 0, at, count, NULL);
}

/* ---- copies of B ---- */

static uint32_t elements_of(const struct dots *d, uint32_t word)
{
    uint32_t left = d->depth - word * d->in_word;
    return left < d->in_word ? left : d->in_word;
}

/* The address of a word in a copy of `cols` columns. If B is transposed, columns lie side by side, as lanes have columns when they copy. */
static LLVMValueRef copied_address(struct tsr__te *e, const struct dots *d, LLVMValueRef word, LLVMValueRef col, uint32_t cols)
{
    LLVMValueRef at = d->tb ? add(e, times(e, word, cols), col) : add(e, times(e, col, d->words), word);
    return LLVMBuildInBoundsGEP2(e->builder, i32(e), d->copy, &at, 1, "");
}

static void copy_word(struct tsr__te *e, const struct dots *d, LLVMValueRef word, LLVMValueRef address)
{
    if (d->dot == TSR__TE_DOT_BYTES)
        word = tsr__te_make_unsigned(e, word);
    LLVMSetAlignment(LLVMBuildStore(e->builder, word, address), WORD_BYTES);
}

/* The copy has room for the columns of a block, or for all of them if they are few: what has just been written is slow to read. */
static uint32_t words_of_copy(const struct dots *d)
{
    return (d->copied > SUMS ? d->copied : SUMS) * d->words;
}

static void copy_run_at(struct tsr__te *e, const struct dots *d, LLVMValueRef first, LLVMValueRef index)
{
    LLVMValueRef from = LLVMBuildInBoundsGEP2(e->builder, i32(e), first, &index, 1, "");
    LLVMValueRef to = LLVMBuildInBoundsGEP2(e->builder, i32(e), d->copy, &index, 1, "");
    copy_word(e, d, tsr__te_load_word(e, from, tsr__t_numbers[d->number].bytes), to);
}

/* Copies the columns of the block where they are one run of memory. Its last words are copied twice rather than with a mask: loads of what
 * has been stored with a mask wait for all stores before. */
static void copy_run(struct tsr__te *e, const struct dots *d, const struct block *b)
{
    LLVMValueRef first = tsr__te_element_address(e, &d->o->b, false, tsr__te_i64(e, 0), b->col);
    uint32_t words = b->cols * d->words, whole = words < d->width ? words : words / d->width * d->width;
    struct tsr__te_loop loop;
    tsr__te_loop(e, &loop, e->item[0], tsr__te_i64(e, whole), tsr__te_i64(e, d->width), NULL, 0);
    copy_run_at(e, d, first, loop.index);
    tsr__te_end_loop(e, &loop, NULL);
    tsr__te_hint(e, &loop, "llvm.loop.unroll.count", COPIED_TOGETHER);
    if (whole < words)
        copy_run_at(e, d, first, plus(e, e->item[0], words - d->width));
}

/* Lanes have columns of a transposed B, and words of another B. The last word may have fewer elements; all lanes write it then. */
static void copy_words(struct tsr__te *e, const struct dots *d, const struct block *b)
{
    uint32_t whole = d->depth / d->in_word, rest = d->depth % d->in_word;
    LLVMValueRef lane = e->item[0], cols = tsr__te_i64(e, b->cols), zero = tsr__te_i64(e, 0), one = tsr__te_i64(e, 1);
    LLVMValueRef words = tsr__te_i64(e, whole), wide = tsr__te_i64(e, d->width);
    struct tsr__te_loop outer, inner;
    tsr__te_loop(e, &outer, d->tb ? lane : zero, cols, d->tb ? wide : one, NULL, 0);
    LLVMValueRef col = add(e, b->col, outer.index);
    tsr__te_loop(e, &inner, d->tb ? zero : lane, words, d->tb ? one : wide, NULL, 0);
    copy_word(e, d, word_of_b(e, d, inner.index, col, d->in_word), copied_address(e, d, inner.index, outer.index, b->cols));
    tsr__te_end_loop(e, &inner, NULL);
    if (rest)
        copy_word(e, d, word_of_b(e, d, words, col, rest), copied_address(e, d, words, outer.index, b->cols));
    tsr__te_end_loop(e, &outer, NULL);
}

static void copy_columns(struct tsr__te *e, const struct dots *d, const struct block *b)
{
    const struct tsr__te_memref *m = &d->o->b;
    tsr__te_scratch_barrier(e); /* the block before has been read */
    if (!d->tb && tsr__te_known(m->stride[0]) == 1 && tsr__te_known(m->stride[1]) == d->depth && d->depth % d->in_word == 0)
        copy_run(e, d, b);
    else
        copy_words(e, d, b);
    tsr__te_scratch_barrier(e);
}

/* ---- products ---- */

/* Whether the lane has a row of the block; NULL: all have. */
static LLVMValueRef has_row(struct tsr__te *e, const struct dots *d, const struct block *b, uint32_t r)
{
    return b->end && r + 1 == b->rows ? less(e, plus(e, b->row, r * d->width), b->end) : NULL;
}

/* Bytes of B are unsigned, so that each row has sums that are too much by the same number. */
static bool carries_excess(const struct dots *d)
{
    return d->dot == TSR__TE_DOT_BYTES && !d->excess;
}

static LLVMValueRef excess_address(struct tsr__te *e, const struct dots *d, LLVMValueRef row)
{
    return LLVMBuildInBoundsGEP2(e->builder, i32(e), d->excess, &row, 1, "");
}

/* Adds the products of word `word` of all rows and columns of the block to the sums. For bytes, sums for each vector of rows follow, of
 * what is too much in the others as bytes of B are unsigned. */
static void step(struct tsr__te *e, const struct dots *d, const struct block *b, LLVMValueRef word, uint32_t count, LLVMValueRef *sums)
{
    LLVMValueRef a[MOST_ROWS], k = times(e, word, d->in_word);
    for (uint32_t r = 0; r < b->rows; r++) {
        LLVMValueRef row = plus(e, b->row, r * d->width);
        a[r] = d->transposed ? tsr__te_load_word(e, transposed_address(e, d, row, word), WORD_BYTES)
                             : word_of_a(e, d, row, k, count, has_row(e, d, b, r));
        LLVMValueRef *excess = &sums[b->rows * b->cols + r];
        if (carries_excess(d))
            *excess = tsr__te_add_excess(e, a[r], *excess);
    }
    for (uint32_t c = 0; c < b->cols; c++) {
        LLVMValueRef col = plus(e, b->col, c), own;
        if (d->copied)
            own = tsr__te_load_word(e, copied_address(e, d, word, col, d->copied), WORD_BYTES);
        else
            own = d->copy ? tsr__te_load_word(e, copied_address(e, d, word, tsr__te_i64(e, c), b->cols), WORD_BYTES)
                          : word_of_b(e, d, word, col, count);
        for (uint32_t r = 0; r < b->rows; r++)
            sums[c * b->rows + r] = tsr__te_dot_add(e, d->dot, a[r], own, sums[c * b->rows + r]);
    }
}

static void multiply(struct tsr__te *e, const struct dots *d, const struct block *b)
{
    uint32_t count = b->rows * b->cols, all = count + (carries_excess(d) ? b->rows : 0), whole = d->depth / d->in_word;
    LLVMValueRef *sums = tsr__te_room(e, count + b->rows), zero = tsr__te_i64(e, 0);
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < all; i++)
        sums[i] = LLVMConstNull(tsr__te_type(e, d->sum));
    if (d->words * count <= MOST_STRAIGHT) {
        for (uint32_t w = 0; w < whole; w++)
            step(e, d, b, tsr__te_i64(e, w), d->in_word, sums);
    } else {
        tsr__te_loop(e, &k, zero, tsr__te_i64(e, whole), tsr__te_i64(e, 1), sums, all);
        for (uint32_t i = 0; i < all; i++)
            sums[i] = k.carried[i];
        step(e, d, b, k.index, d->in_word, sums);
        tsr__te_end_loop(e, &k, sums);
        uint32_t steps =
            d->dot == TSR__TE_DOT_BYTES && e->unit.half_registers ? MOST_STEPS : 1; /* K has half as many words of bytes as of others */
        while (whole % steps)
            steps /= 2;
        if (steps > 1)
            tsr__te_unroll_late(e, &k, steps);
        else
            tsr__te_hint(e, &k, "llvm.loop.unroll.disable", 0);
        for (uint32_t i = 0; i < all; i++)
            sums[i] = k.carried[i];
    }
    if (whole < d->words)
        step(e, d, b, tsr__te_i64(e, whole), elements_of(d, whole), sums);
    for (uint32_t r = 0; d->excess && r < b->rows; r++)
        sums[count + r] = tsr__te_load_word(e, excess_address(e, d, plus(e, b->row, r * d->width)), WORD_BYTES);
    struct tsr__te_target *targets = tsr_arena_alloc(e->arena, count * sizeof *targets);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef index[] = {plus(e, b->row, i % b->rows * d->width), plus(e, b->col, i / b->rows)};
        targets[i] = (struct tsr__te_target){tsr__te_address(e, &d->o->c, index), has_row(e, d, b, i % b->rows)};
        if (d->dot == TSR__TE_DOT_BYTES)
            sums[i] = LLVMBuildSub(e->builder, sums[i], sums[count + i % b->rows], "");
    }
    bool apart = b->masked && tsr__te_update_apart(e, d->o, targets, sums, count, d->sum);
    for (uint32_t i = 0; i < count; i++)
        tsr__te_finish_update(e, d->o, &targets[i], (struct tsr__te_number){sums[i], NULL}, d->sum, apart);
}

/* ---- blocks of C ---- */

/* Rows `from` … `to` in blocks. Not `whole`: not all lanes have the last row of a block. */
static void rows_between(struct tsr__te *e, const struct dots *d, struct block b, LLVMValueRef from, LLVMValueRef to, bool whole)
{
    struct tsr__te_loop loop;
    LLVMValueRef step = tsr__te_i64(e, b.rows * d->width);
    tsr__te_loop_or_once(e, &loop, from, to, step); /* LLVM would hoist all words of B out of a loop, more than there are registers */
    b.row = add(e, loop.index, e->item[0]);
    bool single = !whole && b.rows == 1;
    b.masked = !whole;
    b.end = whole || single ? NULL : to;
    LLVMBasicBlockRef end = tsr__te_if(e, single ? less(e, b.row, to) : NULL);
    multiply(e, d, &b);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &loop, NULL);
}

/* A known number of rows that do not fill vectors, in blocks of several vectors; false: such blocks would leave some vectors over, or rows
 * fill vectors, and nothing was made. */
static bool ragged_rows(struct tsr__te *e, const struct dots *d, struct block b, int64_t rows)
{
    int64_t vectors = (rows + d->width - 1) / d->width;
    while (b.rows > 1 && vectors % b.rows)
        b.rows--;
    if (b.rows < 2 || rows % d->width == 0)
        return false;
    /* The last block by itself: its masks are constants then. */
    int64_t whole = rows / (b.rows * d->width) * (b.rows * d->width);
    if (whole)
        rows_between(e, d, b, tsr__te_i64(e, 0), tsr__te_i64(e, whole), true);
    rows_between(e, d, b, tsr__te_i64(e, whole), tsr__te_i64(e, rows), false);
    return true;
}

/* A block of columns: blocks of as many vectors of rows as there are registers for, then single vectors, then rows that fill no vector. */
static void columns(struct tsr__te *e, struct dots *d, LLVMValueRef col, uint32_t cols)
{
    struct block b = {.col = col, .cols = cols, .rows = SUMS / cols < MOST_ROWS ? SUMS / cols : MOST_ROWS};
    if (tsr__te_updates_lanes(d->o))
        b.rows = 1;
    LLVMValueRef rows = d->o->c.shape[0], from = tsr__te_i64(e, 0);
    int64_t known = tsr__te_known(rows);
    if (d->copy && !d->copied)
        copy_columns(e, d, &b);
    if (known >= 0 && ragged_rows(e, d, b, known))
        return;
    /* With enough columns all whole vectors of rows are one loop, which is less code and as fast. */
    while (known >= 0 && b.rows > 1 && (known < (int64_t)b.rows * d->width || (cols >= ENOUGH && known / d->width % b.rows)))
        b.rows--;
    for (; b.rows; b.rows = b.rows > 1 ? 1 : 0) {
        uint32_t wide = b.rows * d->width;
        LLVMValueRef whole = round_down(e, rows, wide);
        if (known < 0 || tsr__te_known(whole) > tsr__te_known(from))
            rows_between(e, d, b, from, whole, true);
        from = whole;
    }
    b.rows = 1;
    if (known < 0 || known > tsr__te_known(from))
        rows_between(e, d, b, from, rows, false);
}

static void loop_over_columns(struct tsr__te *e, struct dots *d, LLVMValueRef from, LLVMValueRef to, uint32_t cols)
{
    struct tsr__te_loop loop;
    tsr__te_loop_or_once(e, &loop, from, to, tsr__te_i64(e, cols));
    columns(e, d, loop.index, cols);
    tsr__te_end_loop(e, &loop, NULL);
}

/* Half of the columns, so that blocks have two vectors of rows: a word of B is loaded for two products then, and loads take no longer than
 * these. Blocks of one size are less code, but words of A are made for each block. */
static int64_t columns_of_block(const struct tsr__te *e, const struct dots *d, int64_t known)
{
    int64_t rows = tsr__te_known(d->o->c.shape[0]), most = e->unit.half_registers || (rows >= 0 && rows < 2 * d->width) ? SUMS : SUMS / 2;
    if (tsr__te_updates_lanes(d->o))
        return known < FEW_COLUMNS ? known : FEW_COLUMNS;
    int64_t blocks = (known + most - 1) / most;
    for (int64_t fewer = most; !e->unit.half_registers && fewer >= ENOUGH; fewer--)
        if (known % fewer == 0 && known / fewer <= blocks + 1)
            return fewer;
    return (known + blocks - 1) / blocks;
}

static void all_columns(struct tsr__te *e, struct dots *d)
{
    LLVMValueRef cols = d->o->c.shape[1], zero = tsr__te_i64(e, 0);
    int64_t known = tsr__te_known(cols);
    if (known < 0) {
        uint32_t wide = tsr__te_updates_lanes(d->o) ? FEW_COLUMNS : OPEN_COLUMNS;
        LLVMValueRef whole = round_down(e, cols, wide);
        loop_over_columns(e, d, zero, whole, wide);
        loop_over_columns(e, d, whole, cols, 1);
    } else if (known) {
        int64_t wide = columns_of_block(e, d, known), whole = known / wide * wide;
        if (d->copied)
            copy_columns(e, d, &(struct block){.col = zero, .cols = d->copied});
        loop_over_columns(e, d, zero, tsr__te_i64(e, whole), (uint32_t)wide);
        if (whole < known)
            columns(e, d, tsr__te_i64(e, whole), (uint32_t)(known - whole));
    }
}

static LLVMValueRef load_transposed(struct tsr__te *e, const void *context, LLVMValueRef row, LLVMValueRef word)
{
    const struct dots *d = context;
    return tsr__te_load_word(e, tsr__te_element_address(e, &d->o->a, true, row, times(e, word, d->in_word)),
                             tsr__t_numbers[d->number].bytes);
}

static void prefetch_word(struct tsr__te *e, const void *context, LLVMValueRef row, LLVMValueRef word)
{
    const struct dots *d = context;
    tsr__te_prefetch(e, &d->o->a, times(e, word, d->in_word), row);
}

static void store_transposed(struct tsr__te *e, const void *context, LLVMValueRef row, LLVMValueRef at, LLVMValueRef word)
{
    const struct dots *d = context;
    LLVMSetAlignment(LLVMBuildStore(e->builder, word, transposed_address(e, d, row, at)), WORD_BYTES);
}

/* Copies a transposed A, whose rows lie in memory as words. In their place lanes would gather these words for each block of columns of C.
 */
static void transpose_words(struct tsr__te *e, struct dots *d)
{
    int64_t rows = tsr__te_known(d->o->c.shape[0]), cols = tsr__te_known(d->o->c.shape[1]);
    uint32_t side = tsr__te_square_side(e), own = d->copy ? words_of_copy(d) : 0;
    if (!d->ta || !side || rows < side / 2 || rows > INT16_MAX || cols < ENOUGH / 2 || d->words * 4 < side * 3 || d->depth % d->in_word ||
        tsr__te_known(d->o->a.stride[0]) != 1)
        return;
    d->transposed_rows = round_up((uint32_t)rows, side);
    uint32_t square = side * side, count = own + square + d->transposed_rows * d->words;
    LLVMValueRef room = count <= TSR_CPU_LOCAL_MEMORY / WORD_BYTES ? tsr__te_scratch(e, count * WORD_BYTES) : NULL;
    if (!room)
        return;
    LLVMValueRef behind = tsr__te_i64(e, own), after = tsr__te_i64(e, own + square);
    struct tsr__te_transposition t = {
        .type = i32(e), .bytes = WORD_BYTES, .load = load_transposed, .prefetch = prefetch_word, .context = d};
    t.local = LLVMBuildInBoundsGEP2(e->builder, t.type, room, &behind, 1, "");
    d->transposed = LLVMBuildInBoundsGEP2(e->builder, t.type, room, &after, 1, "");
    tsr__te_transpose_all(e, t, (uint32_t)rows, d->words, store_transposed);
    tsr__te_scratch_barrier(e);
}

/* Packs words of the rows `from` … `to`, and what the sums of bytes have too much. */
static void pack_rows(struct tsr__te *e, const struct dots *d, uint32_t from, uint32_t to, bool masked)
{
    struct tsr__te_loop rows, words;
    uint32_t whole = d->depth / d->in_word, parts = d->excess ? 1 : 0;
    LLVMValueRef excess = tsr__te_i32(e, 0);
    tsr__te_loop_or_once(e, &rows, tsr__te_i64(e, from), tsr__te_i64(e, to), tsr__te_i64(e, d->width));
    LLVMValueRef row = add(e, rows.index, e->item[0]), good = masked ? less(e, row, d->o->c.shape[0]) : NULL;
    tsr__te_loop(e, &words, tsr__te_i64(e, 0), tsr__te_i64(e, whole), tsr__te_i64(e, 1), &excess, parts);
    LLVMValueRef word = word_of_a(e, d, row, times(e, words.index, d->in_word), d->in_word, good);
    store_transposed(e, d, row, words.index, word);
    if (parts)
        excess = tsr__te_add_excess(e, word, words.carried[0]);
    tsr__te_end_rolled_loop(e, &words, &excess);
    excess = parts ? words.carried[0] : excess;
    if (whole < d->words) {
        word = word_of_a(e, d, row, tsr__te_i64(e, (int64_t)whole * d->in_word), elements_of(d, whole), good);
        store_transposed(e, d, row, tsr__te_i64(e, whole), word);
        excess = parts ? tsr__te_add_excess(e, word, excess) : excess;
    }
    if (parts)
        LLVMSetAlignment(LLVMBuildStore(e->builder, excess, excess_address(e, d, row)), WORD_BYTES);
    tsr__te_end_loop(e, &rows, NULL);
}

/* Words of A, for each of which several instructions compete with products for the ports of the CPU, are made once for several blocks of
 * columns. */
static void pack_words(struct tsr__te *e, struct dots *d)
{
    int64_t rows = tsr__te_known(d->o->c.shape[0]), cols = tsr__te_known(d->o->c.shape[1]);
    if (d->transposed || d->ta || e->unit.half_registers || tsr__te_updates_lanes(d->o) || rows < d->width || rows > INT16_MAX ||
        cols < LEAST_BLOCKS * SUMS / 2)
        return;
    uint32_t own = d->copy ? words_of_copy(d) : 0, all = round_up((uint32_t)rows, d->width), whole = (uint32_t)rows / d->width * d->width;
    uint64_t count = (uint64_t)all * (d->words + 1);
    LLVMValueRef room = count <= MOST_PACKED ? tsr__te_scratch(e, (own + (uint32_t)count) * WORD_BYTES) : NULL;
    if (!room)
        return;
    LLVMValueRef behind = tsr__te_i64(e, own), after = tsr__te_i64(e, own + (int64_t)all * d->words);
    d->transposed_rows = all;
    LLVMValueRef words = LLVMBuildInBoundsGEP2(e->builder, i32(e), room, &behind, 1, "");
    if (d->dot == TSR__TE_DOT_BYTES)
        d->excess = LLVMBuildInBoundsGEP2(e->builder, i32(e), room, &after, 1, "");
    struct dots packing = *d;
    packing.transposed = words;
    tsr__te_scratch_barrier(e); /* another product has been read */
    pack_rows(e, &packing, 0, whole, false);
    if (whole < all)
        pack_rows(e, &packing, whole, all, true);
    tsr__te_scratch_barrier(e);
    d->transposed = words;
}

bool tsr__te_gemm_by_dots(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    struct dots d = {.o = o, .ta = inst->transpose[0], .tb = inst->transpose[1], .number = o->a.type->number};
    int64_t depth = tsr__te_known(o->a.shape[d.ta ? 0 : 1]);
    d.sum = tsr__t_sum_type(o->c.type->number);
    d.dot = tsr__te_dot_of(e, d.number, o->b.type->number, d.sum);
    if (!d.dot || depth < 1 || depth > INT32_MAX)
        return false;
    d.in_word = WORD_BYTES / tsr__t_numbers[d.number].bytes;
    d.depth = (uint32_t)depth;
    d.words = (d.depth + d.in_word - 1) / d.in_word;
    d.width = e->func->info.work_group_size[0];
    if (d.dot == TSR__TE_DOT_BYTES || d.tb || tsr__te_known(o->b.stride[0]) != 1) {
        int64_t cols = tsr__te_known(o->c.shape[1]);
        d.copied = cols > SUMS / 2 && cols <= MOST_COPIED / d.words ? (uint32_t)cols : 0;
        d.copy = depth <= MOST_COPIED_DEPTH ? tsr__te_scratch(e, words_of_copy(&d) * WORD_BYTES) : NULL;
        if (!d.copy)
            return false;
    }
    transpose_words(e, &d);
    pack_words(e, &d);
    all_columns(e, &d);
    return true;
}
