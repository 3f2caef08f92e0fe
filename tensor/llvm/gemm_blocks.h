/* SPDX-License-Identifier: Apache-2.0
 * What the two files share that cut products to fit the caches: gemm_blocks.c, which plans them, and gemm_blocks_pack.c. */
#ifndef TESSERA_TENSOR_LLVM_GEMM_BLOCKS_H
#define TESSERA_TENSOR_LLVM_GEMM_BLOCKS_H

#include "tensor/llvm/index.h"

enum { MOST_VECTORS = 2 }; /* of rows of a tile */

struct blocks {
    const struct tsr__te_blas *o;
    bool ta, tb;
    enum tsr__te_dot dot; /* of words of several elements; TSR__TE_NO_DOT: a word is one number of the sum */
    enum tsr__t_number sum;
    uint32_t in_word, bytes;        /* elements of K in a word; bytes of a word */
    uint32_t width, vectors, cols;  /* lanes; vectors of rows and columns of a tile */
    uint32_t rows, words, group;    /* of a block: rows of A, words of K; columns of B that are copied at a time */
    uint32_t column;                /* of the copy of B: words from a column (of a transposed B, from a word of K) to the next */
    LLVMValueRef a, b, tile, extra; /* in local memory */
    LLVMValueRef m, n, k;           /* sizes */
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

/* Surely so. */
static inline bool is_true(LLVMValueRef condition)
{
    return condition && LLVMIsAConstantInt(condition) && !LLVMIsNull(condition);
}

static inline uint32_t tile_rows(const struct blocks *d)
{
    return d->vectors * d->width;
}

static inline LLVMTypeRef word_type(struct tsr__te *e, const struct blocks *d)
{
    return d->dot ? LLVMInt32TypeInContext(e->context) : tsr__te_type(e, d->sum);
}

static inline LLVMValueRef place(struct tsr__te *e, const struct blocks *d, LLVMValueRef array, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(e->builder, word_type(e, d), array, &at, 1, "");
}

static inline LLVMValueRef load(struct tsr__te *e, const struct blocks *d, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef at)
{
    LLVMValueRef made = LLVMBuildLoad2(e->builder, type, place(e, d, array, at), "");
    LLVMSetAlignment(made, d->bytes);
    return made;
}

static inline void store(struct tsr__te *e, const struct blocks *d, LLVMValueRef value, LLVMValueRef array, LLVMValueRef at)
{
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, place(e, d, array, at)), d->bytes);
}

/* Whether there may be words whose elements are not all in K. */
static inline bool has_ragged_words(const struct blocks *d)
{
    return tsr__te_divisor(d->k) % d->in_word;
}

static inline bool has_ragged_tiles(const struct blocks *d)
{
    int64_t rows = tsr__te_known(d->m);
    return rows < 0 || rows % tile_rows(d);
}

/* Makes code for the element of each lane from `first` on, or, `alone`, for that element in all of them. */
typedef void each(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone);

static inline LLVMValueRef own(struct tsr__te *e, LLVMValueRef first, bool alone)
{
    return alone ? first : add(e, first, e->item[0]);
}

/* Elements that follow each other in memory. */
struct span {
    LLVMValueRef from, to, vectors; /* vectors: to where there may be some; NULL: they fill vectors */
    bool some;                      /* there surely is one */
    uint32_t wide;                  /* elements of a round where there are vectors */
};

/* ---- gemm_blocks_pack.c ---- */
/* Vectors as long as there are enough for one, then single ones. So nothing is masked, which would be more code. */
void tsr__tb_side_by_side(struct tsr__te *e, const struct blocks *d, const struct span *s, each *one, const void *context);
void tsr__tb_pack_a(struct tsr__te *e, const struct blocks *d);
/* What makes bytes of B unsigned, times the rows of A: tiles begin with less by that. */
void tsr__tb_sum_rows(struct tsr__te *e, const struct blocks *d);
void tsr__tb_pack_b(struct tsr__te *e, const struct blocks *d, const struct columns *c);

#endif
