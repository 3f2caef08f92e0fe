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
    uint32_t in_word, bytes;         /* elements of K in a word; bytes of a word */
    uint32_t width, vectors, cols;   /* lanes; vectors of rows and columns of a tile */
    uint32_t rows, words, group;     /* of a block: rows of A, words of K; columns of B that are packed at a time */
    uint32_t column;                 /* of the packed B: words from a column (of a transposed B, from a word of K) to the next */
    LLVMValueRef a, b, tile, excess; /* in local memory: packed A and B; a tile of C; what sums of a column begin with, as bytes of A are
                                      * unsigned */
    LLVMValueRef m, n, k;            /* sizes */
    LLVMValueRef in_place;           /* whether A is read in its place, not packed; NULL: no */
    LLVMValueRef b_in_place;         /* whether B is */
    LLVMValueRef row, word, some_rows, some_words; /* of the block: where it begins, and how much is left */
    LLVMValueRef first_row;                        /* of the block that is packed: the rows before it are read in their places */
    int64_t least_size, least_products;            /* of a product that is cut, if all sizes are known */
    bool one_block;                                /* all of K is one block */
    bool fetches;                                  /* rows of A are packed for few columns: what is packed next is prefetched meanwhile */
    bool otherwise;                                /* gemm_dot.c has code for the product, which packs no A */
};

/* Columns of B that are packed together, and those of C. */
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

/* Makes code for a vector of elements, of which lane 0 has element `first`, or, `alone`, for the one element `first` in all lanes. */
typedef void each(struct tsr__te *e, const struct blocks *d, const void *context, LLVMValueRef first, bool alone);

static inline LLVMValueRef own(struct tsr__te *e, LLVMValueRef first, bool alone)
{
    return alone ? first : add(e, first, e->item[0]);
}

/* Elements that lie side by side in memory. */
struct span {
    LLVMValueRef from, to, vectors; /* `vectors`: the element up to which there are vectors; NULL: all elements are in vectors */
    bool some;                      /* there is an element for sure */
    uint32_t wide;                  /* elements of a round with vectors */
};

/* ---- gemm_blocks_pack.c ---- */
/* A loop over vectors of elements while there are enough elements for one, then over single elements. So there are no masks, which would be
 * more code. */
void tsr__tb_side_by_side(struct tsr__te *e, const struct blocks *d, const struct span *s, each *one, const void *context);
/* Bytes become unsigned (tsr__te_make_unsigned). */
void tsr__tb_pack_a(struct tsr__te *e, const struct blocks *d);
/* Lanes have what lies side by side in memory: words of a column, or columns of a transposed B. */
void tsr__tb_pack_b(struct tsr__te *e, const struct blocks *d, const struct columns *c);

#endif
