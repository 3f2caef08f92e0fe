/* SPDX-License-Identifier: Apache-2.0
 * Accumulators of matrix operations as webs, which the pass `tiles` keeps in AMX's tile registers.
 *
 * A *fragment* is what one operation adds to: the m vectors of C or D. A *web* is a set of fragments that become each other: by matrix
 * operations, and by phis where loops go round. Webs that run side by side with the same B are the rows of one tile, those with the same A
 * its columns: such a *block* of webs has one tile for each fragment of its first web. Operations in a row on one web are one that is
 * longer in K. */
#ifndef TESSERA_LANES_MATRIX_TILES_TILES_H
#define TESSERA_LANES_MATRIX_TILES_TILES_H

#include "lanes/ir/polynomial.h"
#include "lanes/matrix/matrix.h"
#include "tessera/item.h"

enum {
    TSR__ROW_BYTES = 32, /* of a row of A in one operation */
    TSR__MAX_ROW_WEBS = 8,
    TSR__MAX_COLUMN_WEBS = 2,
    TSR__MAX_CHAIN = TSR_TILE_ROW_BYTES / TSR__ROW_BYTES,
};

enum tsr__fragment_kind {
    TSR__FRAGMENT_OTHER, /* any vectors */
    TSR__FRAGMENT_ZERO,
    TSR__FRAGMENT_PHI,
    TSR__FRAGMENT_RESULT, /* of an operation */
};

struct tsr__fragment {
    struct tsr__fragment *next;     /* with the same first vector */
    struct tsr__fragment *next_phi; /* of all */
    enum tsr__fragment_kind kind;
    unsigned m;
    LLVMValueRef v[TSR__MAX_M];
    LLVMBasicBlockRef block;   /* PHI, RESULT */
    struct tsr__tile_mad *mad; /* RESULT */
    struct tsr__fragment **in; /* PHI: by incoming edge of v[0] */
    unsigned in_count;
    struct tsr__web *web;          /* PHI, RESULT */
    struct tsr__fragment *partner; /* while two webs are compared: in the other one */
};

struct tsr__tile_mad {
    struct tsr__mad mad;
    LLVMBasicBlockRef block;
    size_t order; /* in the function */
    struct tsr__fragment *c, *d;
    unsigned number;             /* in its web */
    bool joins_next;             /* is done together with the next operation of the web, which adds to its result */
    bool a_in_place, b_in_place; /* loaded by tile loads, not by way of a buffer */
    bool in_loop;                /* which the device runs as a whole */
    bool in_memory;              /* the accumulator is in no register */
};

struct tsr__web {
    struct tsr__fragment **fragments;
    struct tsr__tile_mad **mads; /* in order */
    unsigned fragment_count, mad_count, m, lanes;
    bool loops, in_block;
    const char *why; /* not in tiles, or NULL */
};

struct tsr__tile_block {
    unsigned rows, columns; /* webs */
    struct tsr__web *webs[TSR__MAX_ROW_WEBS][TSR__MAX_COLUMN_WEBS];
    /* The fragments that correspond to those of the first web. */
    struct tsr__fragment **fragments[TSR__MAX_ROW_WEBS][TSR__MAX_COLUMN_WEBS];
};

struct tsr__webs {
    struct tsr__compilation *l;
    LLVMValueRef function;
    struct tsr__map order;    /* instruction → number + 1 */
    struct tsr__map by_first; /* first vector → struct tsr__fragment * */
    struct tsr__fragment *phis;
    size_t fragment_count;
    struct tsr__tile_mad *mads;
    size_t mad_count;
    struct tsr__web **webs;
    size_t web_count;
    struct tsr__tile_block *blocks;
    size_t block_count;
};

/* ---- registers (tile_regalloc.c)
 * --------------------------------------------------------------------------------------------------------- */

/* Further accumulators lie in memory, and are numbered behind the registers. A register is kept free for what is done to these. */
enum { TSR__TILE_REGISTERS = 8, TSR__MAX_ACCUMULATORS = 6, TSR__ALL_TILES = 32, TSR__SCRATCH_TILE = TSR__MAX_ACCUMULATORS - 1 };
/* In a kernel with halves: A of one operation, 16 rows of 32 bytes, and B, 8 rows of 64 bytes. */
enum { TSR__HALF_A = 6, TSR__HALF_B = 7 };

/* A block of code. */
struct tsr__alloc_block {
    LLVMBasicBlockRef ref;
    int *next, *before; /* successors, predecessors */
    unsigned next_count, before_count;
    uint32_t taken;            /* bit per register, or tile in memory, that holds an accumulator somewhere in it */
    uint32_t taken_throughout; /* … other than in turn with others */
};

/* Where users outside of the webs need a fragment as vectors: at the start of the place, or behind the operation if that stands there. */
struct tsr__unpacking {
    struct tsr__fragment *f;
    int place;
    LLVMValueRef *stores; /* if all that is done there is to store it as a tile: the store of each vector, row after row; else NULL */
};

/* What one block of webs does, in terms of its first web. */
struct tsr__live_range {
    struct tsr__tile_block *block;
    struct tsr__unpacking *unpackings;
    size_t unpacking_count;
    int accumulator; /* register, or tile in memory; negative: the webs stay vectors */
    const char *why; /* if they do */
    int turn;        /* its place + 1, if it needs the register only from one operation to another; else 0 */
    size_t turn_begin, turn_end;
};

struct tsr__tile_allocation {
    struct tsr__alloc_blocks {
        struct tsr__alloc_block *at;
        int count;
        struct tsr__map number; /* LLVMBasicBlockRef → number + 1 */
    } places;
    struct tsr__live_range *live_ranges; /* of the blocks of webs */
    bool in_memory;                      /* are there accumulators in memory? Then no other is in the register TSR__SCRATCH_TILE */
};

/* Makes phis of vectors that are all cast from one type phis of that type, and one of those that differ by poison only. (phi_casts.c) */
void tsr__fold_phi_casts(struct tsr__compilation *l, LLVMValueRef function);

/* Finds the webs of a function that go round in loops, and joins them to blocks. (webs.c) */
void tsr__webs_find(struct tsr__webs *w, struct tsr__compilation *l, LLVMValueRef function);
/* Casts of what is in webs go to their users. (phi_casts.c) */
void tsr__sink_phi_casts(struct tsr__webs *w);
/* Is `user` part of a web in a block, as an operation or as a phi? */
bool tsr__is_in_web(const struct tsr__webs *w, LLVMValueRef user);
/* Gives each block of webs a register for its accumulator, if one register can hold it: never two of its fragments at a time. */
void tsr__allocate_tiles(struct tsr__tile_allocation *r, struct tsr__webs *w);
/* The operation of the web at (row, column) of a block that corresponds to `lower_mad` of the first web. */
static inline struct tsr__tile_mad *tsr__operation_of_web(const struct tsr__tile_block *block, const struct tsr__tile_mad *mad,
                                                          unsigned row, unsigned column)
{
    return block->webs[row][column]->mads[mad->number];
}
unsigned tsr__web_index(const struct tsr__fragment *f);
/* Of a stranger that flows to `to`, an operation's result or by edge `edge` a phi, of the first web: what flows to the counterpart. */
const struct tsr__fragment *tsr__external_value(const struct tsr__tile_block *block, const struct tsr__fragment *to, unsigned edge,
                                                unsigned row, unsigned column);
/* Two phis may get the same strangers from one place. True: this is the first of them; else they become that one and its edge. */
bool tsr__is_first_receiver(const struct tsr__tile_block *block, const struct tsr__fragment **phi, unsigned *edge);
/* The last of the operations that correspond to `lower_mad`: there the whole instruction stands. */
const struct tsr__tile_mad *tsr__last_operation(const struct tsr__tile_block *block, const struct tsr__tile_mad *mad);

/* ---- code (tile_isel.c) ---------------------------------------------------------------------------------------------------------------
 */

/* An operand in a register. */
struct tsr__loaded {
    unsigned count; /* 0: nothing */
    LLVMValueRef from[TSR_TILE_ROWS * TSR__MAX_CHAIN];
    unsigned used; /* when, for the choice of what to overwrite */
    const struct tsr__tile_product *product;
    bool is_b, in_place;
};

/* Vectors made from an accumulator. */
struct tsr__unpacked {
    LLVMValueRef rows[TSR_TILE_ROWS][TSR__MAX_COLUMN_WEBS];
};

/* Vectors that make a tile: `chunks` in each of its rows, an accumulator (`product` is NULL) or an operand. */
struct tsr__source {
    LLVMValueRef from[TSR_TILE_ROWS * TSR__MAX_CHAIN];
    unsigned rows, chunks, chunk_bytes;
    const struct tsr__tile_product *product;
    bool is_b, half; /* half: it goes to a register of half a step of K */
};

/* One instruction to be: operations from `first` to `last` of the first web of a block, and all that go with them. */
struct tsr__multiply {
    struct tsr__live_range *life;
    const struct tsr__tile_mad *first, *last, *latest;
};

/* A function while its code with tiles is made. */
struct tsr__tiles {
    struct tsr__compilation *l;
    LLVMBuilderRef b, entry;
    enum tsr__tile_unit unit;
    bool halves;                        /* two registers are for single operations of 32 bytes of K */
    LLVMValueRef slots[TSR__ALL_TILES]; /* on the stack: tiles in memory, and without AMX all */
    struct tsr__map buffers;            /* on the stack, by this pass → 1 */
    struct tsr__webs webs;
    struct tsr__tile_allocation registers;
    struct tsr__live_range *life;
    unsigned rows, chunk; /* of its accumulator; `chunk` is what one web has of a row, in bytes */
    LLVMBasicBlockRef block;
    LLVMValueRef last; /* instruction up to which `loaded` holds */
    struct tsr__loaded loaded[TSR__TILE_REGISTERS];
    unsigned clock;
    struct tsr__tiles *same_kernel;                 /* another function that a kernel reaches that reaches this one, or NULL */
    struct tsr__pending_tile_store *pending_stores; /* tile_stores.c */
    struct tsr__k_loop *rounds;                     /* tile_loops.c */
};

/* The operands of a multiplication; with `halves` those of a single operation are half a step. (tile_operands.c) */
void tsr__tile_sources(struct tsr__tiles *t, const struct tsr__multiply *x, bool halves, struct tsr__source *a, struct tsr__source *b);
/* Does it fill its register? (tile_operands.c) */
bool tsr__tile_is_full(const struct tsr__source *s);
/* Are they the rows of a whole tile in memory, as they still are at `point`? Then the first lies where its load says. (tile_operands.c) */
bool tsr__tile_in_place(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, struct tsr__polynomial *stride);
/* Might it write to memory that is not of this pass? (tile_operands.c) */
bool tsr__tile_may_write(const struct tsr__tiles *t, LLVMValueRef inst);
/* Is all that flows to `to` zero? (tile_operands.c) */
bool tsr__tile_starts_zero(const struct tsr__tiles *t, const struct tsr__fragment *to, unsigned edge);

/* Makes `life` the one that is meant. */
void tsr__tiles_select(struct tsr__tiles *t, struct tsr__live_range *life);
/* Where a tile lies that is in no register of AMX. */
LLVMValueRef tsr__tile_slot(struct tsr__tiles *t, int number);
/* The last argument of the device's functions. */
unsigned tsr__tile_product_bits(const struct tsr__tiles *t, const struct tsr__tile_product *product);
/* A call of one of them; `args[0]` is left for the work-item. */
LLVMValueRef tsr__tile_call(struct tsr__tiles *t, LLVMTypeRef result, const char *name, LLVMValueRef *args, unsigned count);
/* A tile on the stack; `zero`: filled with zeros when the function starts. */
LLVMValueRef tsr__tile_buffer(struct tsr__tiles *t, bool zero);
void tsr__tile_zero(struct tsr__tiles *t, int number);
/* An operand, or an accumulator if `operand` has no product. */
void tsr__tile_load(struct tsr__tiles *t, int to, LLVMValueRef from, LLVMValueRef stride, const struct tsr__source *operand);
/* `operand`: A or B. */
void tsr__tile_multiply(struct tsr__tiles *t, const struct tsr__source *operand, int to, int a, int b);
void tsr__tile_store(struct tsr__tiles *t, int from, LLVMValueRef to, LLVMValueRef stride);
/* Where the accumulator lies on the stack, row after row: without AMX always, else it is stored there. */
LLVMValueRef tsr__tile_on_stack(struct tsr__tiles *t, int number);
/* Does the launch store this argument past the caches? */
LLVMValueRef tsr__tile_nontemporal_flag(struct tsr__tiles *t, int argument);
/* The accumulator as vectors, by way of a buffer. */
void tsr__tile_vectors(struct tsr__tiles *t, LLVMTypeRef type, struct tsr__unpacked *made);
/* Calls that are no instructions: whatever they do, tile registers and memory may be others afterwards. */
bool tsr__clobbers_tiles(LLVMValueRef instruction);

/* Accumulators that go to memory as they are: finds them, and in the end makes their code. (tile_stores.c) */
void tsr__tile_stores_find(struct tsr__tiles *t);
void tsr__tile_stores_make(struct tsr__tiles *t);
/* What leaves at the start of `block`, if that is just these accumulators, in rows and columns as given, and they are used for nothing
 * else, and if it can be told behind the phis of `from`, which is in front of the block or the block, where they go. Or NULL. */
struct tsr__pending_tile_store *tsr__tile_store_at(struct tsr__tiles *t, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
                                                   struct tsr__live_range *const *live_ranges, unsigned rows, unsigned columns);
/* Code there: where to, the distance of rows, and whether past the caches. A null pointer: they must not go there as tiles. */
LLVMValueRef tsr__tile_store_destination(struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef *stride,
                                         LLVMValueRef *past);
/* `done`, of `from`: not 0 if they are there. */
void tsr__tile_store_done(struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef done);

/* Loops that a function of the device runs as a whole: prepares their surroundings; finds them; is the multiplication
 * in one, is the accumulator filled by one; and makes the calls. (tile_loops.c) */
void tsr__tile_loops_prepare(struct tsr__compilation *l, LLVMValueRef function);
void tsr__tile_loops_find(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count);
bool tsr__in_tile_loop(const struct tsr__tiles *t, const struct tsr__multiply *x);
bool tsr__tile_loop_fills(const struct tsr__tiles *t, const struct tsr__live_range *life, const struct tsr__fragment *phi);
void tsr__tile_loops_make(struct tsr__tiles *t);

#endif
