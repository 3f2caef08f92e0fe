/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices whose sizes are arguments, or so large that they are cut to fit the caches. A block of rows of A and of K is packed
 * in local memory once for all columns of C, and a group of columns of B for each block of rows; a tile of C is a sum in registers for as
 * much of K. Packed numbers lie in the order in which they are read, as numbers of the sum or as words for dot products, and without the
 * distances of the matrices, which put columns into the same lines of a cache where they are powers of two. Small matrices are read in
 * their places by the same code, but for rows and columns that do not fill a tile. */
#include "tensor/llvm/gemm_blocks.h"

enum {
    MOST_SUMS = 24,           /* vectors of a tile of C */
    DEPTH_BYTES = 1024,       /* of a row of a block of A; the first level should hold a tile's rows of A and columns of B */
    LEAST_COLUMNS = 24,       /* of B that are copied at a time: lines of a transposed B should be of use as a whole */
    MOST_COLUMNS = 64,        /* of a transposed B */
    PAD_BYTES = 64,           /* between columns of the copy of B: they may not lie in the same lines of a cache */
    LEAST_PRODUCTS = 1 << 16, /* of numbers: for fewer, packing takes more time than it saves */
    LEAST_PAIRS = 8,          /* rows, columns and K of products of pairs, for which there is no other code */
    LEAST_PAIR_PRODUCTS = 1 << 13,
    MOST_IN_PLACE = 1 << 20, /* bytes of A, B and C that the second level of the caches holds, so that copies would only take time */
    LEAST_ALONE = 1 << 20,   /* bytes of an A that is packed for many columns alone, not as its numbers have to change */
    MANY_COLUMNS = 96,
    FEW_ROWS = 96,          /* too few for packing B to pay */
    COLUMNS_IN_PLACE = 8,   /* of a tile, if B is read in its place: all may fall into one set of the first level, which has so many ways */
    FEW_PRODUCTS = 1 << 12, /* so few are not cut, though other code reads words, or a transposed A, one by one */
    FEW_BYTES = 48 << 10,   /* products of matrices of so many bytes are not cut, nor those of which gemm_pack.c packs so many */
};

/* ---- tiles ---- */

static LLVMValueRef product(struct tsr__te *e, const struct blocks *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    if (d->dot) /* which takes its second operand as unsigned bytes */
        return d->dot == TSR__TE_DOT_BYTES ? tsr__te_dot_add(e, d->dot, b, a, sum) : tsr__te_dot_add(e, d->dot, a, b, sum);
    return tsr__te_fma(e, d->sum, (struct tsr__te_number){a, NULL}, (struct tsr__te_number){b, NULL}, (struct tsr__te_number){sum, NULL})
        .re;
}

/* Where a tile reads rows of A or columns of B: in their place, or packed. */
struct source {
    LLVMValueRef at, step; /* the address, and the distance of columns, of A in words, of B in bytes */
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

/* Where a tile reads the columns of B from column `col` of `some` on. The distance is that of words of K if B is transposed. */
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
    LLVMValueRef at = add(e, times(e, along, d->bytes), mul(e, columns->step, step));
    at = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), columns->at, &at, 1, "");
    LLVMValueRef word = LLVMBuildLoad2(e->builder, word_type(e, d), at, "");
    LLVMSetAlignment(word, d->b_in_place ? tsr__t_numbers[d->o->b.type->number].bytes : d->bytes);
    return word;
}

/* What is prefetched of A while the tile with this first row and, of its columns, the first column `col` is computed: in each step of K a
 * line of what is packed next. NULL: nothing, as all columns of C are in reach of one copy of A. There are as many tiles in a row as a
 * word has columns of A, and lines. */
static LLVMValueRef next_lines(struct tsr__te *e, const struct blocks *d, LLVMValueRef tile, LLVMValueRef col)
{
    enum { LINE_BYTES = 64 };
    const struct tsr__te_memref *a = &d->o->a;
    uint32_t bytes = tsr__t_numbers[a->type->number].bytes, lines = (tile_rows(d) * bytes + LINE_BYTES - 1) / LINE_BYTES;
    if (!d->fetches)
        return NULL;
    LLVMValueRef part = minimum(e, divided(e, col, d->cols), tsr__te_i64(e, d->in_word * lines - 1));
    LLVMValueRef element = both(e, part, tsr__te_i64(e, d->in_word - 1)), line = divided(e, part, d->in_word);
    LLVMValueRef word = plus(e, d->word, d->words), more = less(e, times(e, word, d->in_word), d->k);
    LLVMValueRef row = add(e, add(e, d->row, tile), times(e, line, LINE_BYTES / bytes));
    LLVMValueRef k = choose(e, more, times(e, word, d->in_word), tsr__te_i64(e, 0));
    return tsr__te_element_address(e, a, false, choose(e, more, row, add(e, row, d->m)), add(e, k, element));
}

/* The sums of the tile with these rows, whose first column is column `col` of `some`. */
static void multiply(struct tsr__te *e, const struct blocks *d, const struct source *rows, const struct columns *some, LLVMValueRef col,
                     LLVMValueRef ahead, LLVMValueRef *sums)
{
    LLVMValueRef a[MOST_VECTORS];
    struct source columns = columns_of(e, d, some, col);
    LLVMTypeRef word = word_type(e, d), sum = tsr__te_type(e, d->sum);
    uint32_t count = d->vectors * d->cols;
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < count; i++)
        sums[i] = d->excess ? load(e, d, sum, d->excess, plus(e, col, i / d->vectors)) : LLVMConstNull(sum);
    tsr__te_loop(e, &k, tsr__te_i64(e, 0), d->some_words, tsr__te_i64(e, 1), sums, count);
    LLVMValueRef at = place(e, d, rows->at, mul(e, k.index, rows->step));
    for (uint32_t v = 0; v < d->vectors; v++)
        a[v] = load(e, d, word, at, plus(e, e->item[0], v * d->width));
    for (uint32_t c = 0; c < d->cols; c++) {
        LLVMValueRef b = word_of_b(e, d, &columns, k.index, c);
        for (uint32_t v = 0; v < d->vectors; v++)
            sums[c * d->vectors + v] = product(e, d, a[v], b, k.carried[c * d->vectors + v]);
    }
    if (ahead)
        tsr__te_prefetch_at(
            e, LLVMBuildInBoundsGEP2(
                   e->builder, LLVMInt8TypeInContext(e->context), ahead,
                   (LLVMValueRef[]){mul(e, k.index, times(e, d->o->a.stride[1], d->in_word * tsr__t_numbers[d->o->a.type->number].bytes))},
                   1, ""));
    tsr__te_end_rolled_loop(e, &k, sums);
    for (uint32_t i = 0; i < count; i++)
        sums[i] = k.carried[i];
}

/* Adds to `sum` what the words `from` … `to` of a column make too much. Lanes have words; `alone`: the first lane has each of them. Of a
 * transposed B each lane has a column. */
static LLVMValueRef add_excess(struct tsr__te *e, const struct blocks *d, const struct source *column, LLVMValueRef from, LLVMValueRef to,
                               bool alone, LLVMValueRef sum)
{
    struct tsr__te_loop words;
    tsr__te_loop(e, &words, from, to, tsr__te_i64(e, d->tb || alone ? 1 : d->width), &sum, 1);
    LLVMValueRef word = word_of_b(e, d, column, d->tb || alone ? words.index : add(e, words.index, e->item[0]), 0);
    if (alone)
        word = choose(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->item[0], tsr__te_i64(e, 0), ""), word, LLVMConstNull(LLVMTypeOf(word)));
    sum = tsr__te_add_excess(e, word, words.carried[0]);
    tsr__te_end_rolled_loop(e, &words, &sum);
    return words.carried[0];
}

/* Puts into `excess` what the sums of each of the columns begin with, as the bytes of A are unsigned: minus what is too much. */
static void sum_columns(struct tsr__te *e, const struct blocks *d, const struct columns *some)
{
    bool ragged = !d->tb && tsr__te_divisor(d->k) % (d->width * d->in_word);
    LLVMValueRef zero = tsr__te_i64(e, 0), whole = ragged ? round_down(e, d->some_words, d->width) : d->some_words;
    struct tsr__te_loop cols;
    tsr__te_sure_loop(e, &cols, zero, some->some, tsr__te_i64(e, d->tb ? d->width : 1));
    LLVMValueRef col = d->tb ? add(e, cols.index, e->item[0]) : cols.index;
    struct source column = columns_of(e, d, some, col);
    struct tsr__te_number sum = tsr__te_zero(e, d->sum);
    sum.re = add_excess(e, d, &column, zero, whole, false, sum.re);
    if (ragged)
        sum.re = add_excess(e, d, &column, whole, d->some_words, true, sum.re);
    if (!d->tb)
        sum = tsr__te_sub_group(e, "sub_group_reduce_add", d->sum, sum);
    store(e, d, LLVMBuildNeg(e->builder, sum.re, ""), d->excess, col);
    tsr__te_end_rolled_loop(e, &cols, NULL);
}

/* How sums are put into C: alpha and beta hold for the first block of K, the others add to what the first one has put there. */
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

/* Column `col` of a tile of C, whose first row and column in C are `row` and `first`. */
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

/* Puts the sums of a tile into C by way of local memory, so that a loop over its columns is all the code, and one lane writes the rows that
 * fill no vector. Meanwhile the tile to the right is prefetched. */
static void put_sums(struct tsr__te *e, const struct blocks *d, const struct tsr__te_blas *o, LLVMValueRef tile, LLVMValueRef first,
                     LLVMValueRef some, LLVMValueRef *sums)
{
    bool ragged = has_ragged_tiles(d);
    LLVMValueRef rows = tsr__te_i64(e, tile_rows(d));
    rows = ragged ? minimum(e, minus(e, d->some_rows, tile), rows) : rows;
    struct tile t = {.o = o, .row = add(e, d->row, tile), .first = first};
    struct tsr__te_loop cols;
    for (uint32_t i = 0; i < d->vectors * d->cols; i++)
        store(e, d, sums[i], d->tile, plus(e, e->item[0], i * d->width));
    if (ragged)
        tsr__te_scratch_barrier(e);
    tsr__te_sure_loop(e, &cols, tsr__te_i64(e, 0), some, tsr__te_i64(e, 1));
    t.col = cols.index;
    tsr__te_prefetch_rows(e, &d->o->c, t.row, plus(e, add(e, first, cols.index), d->cols), tile_rows(d));
    tsr__tb_side_by_side(e, d, &(struct span){tsr__te_i64(e, 0), rows, ragged ? rows : NULL, true, d->width}, update_rows, &t);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    if (ragged)
        tsr__te_scratch_barrier(e);
}

/* ---- blocks ---- */

/* All tiles of the block in these columns. */
static void tiles_of(struct tsr__te *e, const struct blocks *d, const struct tsr__te_blas *o, const struct columns *c)
{
    LLVMValueRef sums[MOST_SUMS], zero = tsr__te_i64(e, 0);
    struct tsr__te_loop rows, cols;
    tsr__te_sure_loop(e, &rows, zero, d->some_rows, tsr__te_i64(e, tile_rows(d)));
    struct source a = rows_of(e, d, rows.index);
    tsr__te_sure_loop(e, &cols, zero, c->some, tsr__te_i64(e, d->cols));
    LLVMValueRef first = add(e, c->first, cols.index), some = minimum(e, minus(e, c->some, cols.index), tsr__te_i64(e, d->cols));
    multiply(e, d, &a, c, cols.index, next_lines(e, d, rows.index, cols.index), sums);
    put_sums(e, d, o, rows.index, first, some, sums);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    tsr__te_end_rolled_loop(e, &rows, NULL);
}

/* The first row that is packed: the first one, or, if A is read in its place, the first one behind the last whole tile. */
static LLVMValueRef first_copied(struct tsr__te *e, const struct blocks *d)
{
    LLVMValueRef zero = tsr__te_i64(e, 0);
    return d->in_place ? choose(e, d->in_place, times(e, divided(e, d->some_rows, tile_rows(d)), tile_rows(d)), zero) : zero;
}

static void all_blocks(struct tsr__te *e, struct blocks *d)
{
    LLVMValueRef zero = tsr__te_i64(e, 0), words = divided(e, plus(e, d->k, d->in_word - 1), d->in_word);
    struct tsr__te_loop depth, rows, cols;
    struct columns c;
    tsr__te_loop(e, &rows, zero, d->m, tsr__te_i64(e, d->rows), NULL, 0);
    d->row = rows.index;
    d->some_rows = minimum(e, minus(e, d->m, d->row), tsr__te_i64(e, d->rows));
    d->first_row = first_copied(e, d);
    LLVMValueRef last = choose(e, less(e, zero, words), words, tsr__te_i64(e, 1)); /* if K is 0, C is still multiplied by beta */
    tsr__te_sure_loop(e, &depth, zero, last, tsr__te_i64(e, d->words));
    d->word = depth.index;
    d->some_words = minimum(e, minus(e, words, d->word), tsr__te_i64(e, d->words));
    struct tsr__te_blas o = update_of(e, d);
    tsr__te_scratch_barrier(e); /* the block before has been read */
    tsr__tb_pack_a(e, d);
    tsr__te_loop(e, &cols, zero, d->n, tsr__te_i64(e, d->group), NULL, 0);
    c.first = cols.index;
    c.some = minimum(e, minus(e, d->n, c.first), tsr__te_i64(e, d->group));
    tsr__te_scratch_barrier(e); /* the columns before have been read */
    if (!is_true(d->b_in_place)) {
        LLVMBasicBlockRef end = tsr__te_if(e, d->b_in_place ? LLVMBuildNot(e->builder, d->b_in_place, "") : NULL);
        tsr__tb_pack_b(e, d, &c);
        tsr__te_end_if(e, end);
    }
    tsr__te_scratch_barrier(e);
    if (d->excess) {
        sum_columns(e, d, &c);
        tsr__te_scratch_barrier(e);
    }
    tiles_of(e, d, &o, &c);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    tsr__te_end_rolled_loop(e, &depth, NULL);
    tsr__te_end_rolled_loop(e, &rows, NULL);
}

/* The parts of local memory; false: there is not enough. */
static bool take_memory(struct tsr__te *e, struct blocks *d)
{
    uint32_t b = is_true(d->b_in_place) ? 0 : (d->tb ? d->words : d->group) * d->column, tile = d->cols * tile_rows(d);
    uint32_t excess = d->dot == TSR__TE_DOT_BYTES ? round_up(d->group, d->width) : 0;
    int64_t known = tsr__te_known(d->m);
    uint32_t most = known >= 0 && known < e->unit.block_rows ? (uint32_t)known + tile_rows(d) - 1 : e->unit.block_rows;
    for (d->rows = most / tile_rows(d) * tile_rows(d); d->rows; d->rows -= tile_rows(d)) {
        uint32_t a = d->rows * d->words;
        d->a = tsr__te_scratch(e, (a + b + tile + excess) * d->bytes);
        if (!d->a)
            continue;
        d->b = place(e, d, d->a, tsr__te_i64(e, a));
        d->tile = place(e, d, d->a, tsr__te_i64(e, a + b));
        d->excess = excess ? place(e, d, d->a, tsr__te_i64(e, a + b + tile)) : NULL;
        return true;
    }
    return false;
}

/* As many columns as fill the registers, or fewer if a known number of columns takes less time so: for each tile, two units for a column,
 * and one for the loads of A. */
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

/* Columns of B that are packed at a time: they fill tiles, and, if B is transposed, vectors. */
static uint32_t columns_at_a_time(const struct blocks *d)
{
    uint32_t least_columns = round_up(LEAST_COLUMNS, d->cols);
    for (uint32_t more = least_columns; d->tb && more <= MOST_COLUMNS; more += d->cols)
        if (more % d->width == 0)
            return more;
    return least_columns;
}

static LLVMValueRef bytes_of(struct tsr__te *e, const struct tsr__te_memref *m)
{
    return times(e, mul(e, m->shape[0], m->shape[1]), tsr__t_numbers[m->type->number].bytes);
}

static LLVMValueRef all_bytes(struct tsr__te *e, const struct blocks *d)
{
    return add(e, add(e, bytes_of(e, &d->o->a), bytes_of(e, &d->o->b)), bytes_of(e, &d->o->c));
}

/* Whether A is read in its place: a constant, if all sizes are known; NULL: its elements do not lie in the order, or are not of the type,
 * in which they are multiplied. The first level of the caches has to hold a line of each column; if a power of two divides the distance of
 * columns, the larger it is, the fewer sets of the cache there are for them. */
static LLVMValueRef is_in_place(struct tsr__te *e, const struct blocks *d)
{
    const struct tsr__te_memref *a = &d->o->a;
    if (d->dot || d->ta || a->type->number != d->sum || tsr__te_known(a->stride[0]) != 1)
        return NULL;
    LLVMValueRef power = both(e, a->stride[1], LLVMBuildNeg(e->builder, a->stride[1], ""));
    LLVMValueRef apart = at_most(e, times(e, mul(e, power, d->k), d->bytes), tsr__te_i64(e, TSR__TE_FIRST_LEVEL));
    return both(e, apart, at_most(e, all_bytes(e, d), tsr__te_i64(e, MOST_IN_PLACE)));
}

/* Whether B is read in its place: a constant, or NULL for no, unless that depends on K filling words. Its elements lie as words, columns
 * fill tiles, and there are few rows. */
static LLVMValueRef is_b_in_place(struct tsr__te *e, const struct blocks *d)
{
    const struct tsr__te_memref *b = &d->o->b;
    int64_t rows = tsr__te_known(d->m), cols = tsr__te_known(d->n);
    bool are_words = d->dot || b->type->number == d->sum;
    if (!are_words || d->in_word * tsr__t_numbers[b->type->number].bytes != d->bytes || d->tb || tsr__te_known(b->stride[0]) != 1 ||
        rows < 0 || rows > FEW_ROWS || cols < 0 || cols % d->cols || d->cols > COLUMNS_IN_PLACE)
        return NULL;
    if (!has_ragged_words(d))
        return LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
    LLVMValueRef over = both(e, d->k, tsr__te_i64(e, d->in_word - 1));
    return LLVMBuildICmp(e->builder, LLVMIntEQ, over, tsr__te_i64(e, 0), "");
}

/* Bytes that gemm_pack.c would pack where all sizes are known: of a transposed A, and of a B of another type than the sum. */
static uint64_t packed_bytes(const struct blocks *d)
{
    const struct tsr__te_blas *o = d->o;
    uint64_t k = (uint64_t)tsr__te_known(d->k), a = d->ta ? (uint64_t)tsr__te_known(d->m) * k : 0;
    return (a + (o->b.type->number != d->sum ? (uint64_t)tsr__te_known(d->n) * k : 0)) * d->bytes;
}

/* Whether an A of which the second cache or the table of pages does not hold enough is read for many blocks of columns, if it is not
 * packed. */
static bool is_read_often(struct tsr__te *e, const struct blocks *d)
{
    return tsr__te_known(bytes_of(e, &d->o->a)) >= LEAST_ALONE && tsr__te_known(d->n) >= MANY_COLUMNS;
}

static LLVMValueRef products_of(struct tsr__te *e, const struct blocks *d)
{
    return mul(e, mul(e, d->m, d->n), d->k);
}

/* Whether a product is cut: a constant, if that is known. `most_k`: of more elements of K it must not be. */
static LLVMValueRef is_worthwhile(struct tsr__te *e, const struct blocks *d, int64_t most_k)
{
    const LLVMValueRef sizes[] = {d->m, d->n, d->k};
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
    bool open = false, few = tsr__te_known(d->m) < 0 && tsr__te_known(d->n) < 0;
    for (int i = 0; i < 3; i++)
        open |= tsr__te_known(sizes[i]) < 0;
    if (few && !d->otherwise) { /* packing takes longer than small products, and tiles are not filled */
        LLVMValueRef small = d->dot || d->ta ? at_most(e, products_of(e, d), tsr__te_i64(e, FEW_PRODUCTS))
                                             : at_most(e, all_bytes(e, d), tsr__te_i64(e, FEW_BYTES));
        all = LLVMBuildNot(e->builder, small, "");
    }
    if (d->otherwise || !open) { /* there is other code, and it is short */
        all = LLVMBuildNot(e->builder, at_most(e, products_of(e, d), tsr__te_i64(e, d->least_products - 1)), "");
        if (d->otherwise)
            all = LLVMBuildNot(e->builder, at_most(e, all_bytes(e, d), tsr__te_i64(e, MOST_IN_PLACE)), "");
        for (int i = 0; i < 3; i++)
            all = both(e, all, LLVMBuildNot(e->builder, at_most(e, sizes[i], tsr__te_i64(e, d->least_size - 1)), ""));
        if ((!d->tb && is_true(d->in_place)) || (!open && !d->dot && packed_bytes(d) <= FEW_BYTES && !is_read_often(e, d)))
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
    d.dot = tsr__te_dot_of(e, number, o->b.type->number, d.sum);
    d.otherwise = d.dot && tsr__te_known(d.k) >= 0;
    bool pairs = tsr__te_has_pairs(e, number, o->b.type->number, d.sum);
    if (pairs && !d.dot)
        d.dot = TSR__TE_DOT_I16;
    d.bytes = d.dot ? 4 : tsr__t_numbers[d.sum].bytes;
    d.in_word = d.dot == TSR__TE_DOT_BYTES ? 4 : d.dot ? 2 : 1;
    d.width = e->func->info.work_group_size[0];
    uint32_t registers = tsr__te_registers(e, d.width * d.bytes);
    d.vectors = registers < MOST_VECTORS ? MOST_VECTORS / registers : 1;
    d.cols = columns_of_tile(e, &d, registers);
    d.group = columns_at_a_time(&d);
    d.words = DEPTH_BYTES / d.bytes;
    d.column = d.tb ? round_up(d.group, d.width) : d.words + PAD_BYTES / d.bytes;
    int64_t known = tsr__te_known(d.k);
    d.one_block = known >= 0 && known <= (int64_t)d.words * d.in_word;
    d.in_place = is_in_place(e, &d);
    d.fetches =
        !d.ta && tsr__te_known(o->a.stride[0]) == 1 && !o->a.type->local && tsr__te_known(d.m) >= 0 && tsr__te_known(d.m) <= FEW_ROWS;
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
    /* The sum is rounded to the type of C between blocks of K, so there may be several only if it is of that type. */
    int64_t most_k = sum == o->c.type->number ? INT64_MAX : (int64_t)d.words * d.in_word;
    if (is_known_below(d.m, d.least_size) || is_known_below(d.n, d.least_size) || is_known_below(d.k, d.least_size) ||
        tsr__te_known(d.k) > most_k)
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
