/* SPDX-License-Identifier: Apache-2.0
 * Data structures of the pass `tiles`, which keeps accumulators of matrix operations in AMX's tile registers.
 *
 * A *fragment* is the accumulator of one operation: its m vectors of C or D. A *web* is a set of fragments that become each other,
 * through matrix operations and through the phis of loops: it needs one register, as in register allocation. Webs with the same B are
 * the rows of one tile, webs with the same A its columns. Such a *block* of webs has one tile for each fragment of its first web.
 * Several operations in a row on one web are joined to one with a longer K. */
#ifndef TESSERA_LANES_MATRIX_TILES_TILES_H
#define TESSERA_LANES_MATRIX_TILES_TILES_H

#include "lanes/analysis/polynomial.h"
#include "lanes/ir/match.h"
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
    struct tsr__fragment *next_phi; /* in the list of all PHI fragments */
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

/* Where the operand of a tile multiplication comes from. */
enum tsr__operand_place {
    TSR__FROM_VECTORS,   /* by way of the stack */
    TSR__IN_PLACE,       /* by a tile load */
    TSR__PACKED,         /* B that lies row after row: the device packs it */
    TSR__PACKED_COLUMNS, /* … column after column, in a loop that the device runs as a whole */
    TSR__COMPUTED,       /* by a function that the device calls, in such a loop */
};

struct tsr__tile_mad {
    struct tsr__mad mad;
    LLVMBasicBlockRef block;
    size_t order; /* in the function */
    struct tsr__fragment *c, *d;
    unsigned number; /* in its web */
    bool joins_next; /* is done together with the next operation of the web, which adds to its result */
    enum tsr__operand_place a, b;
    bool in_loop;         /* it is in a loop that the device runs as a whole */
    const char *runs_now; /* why that loop does not wait for those of other work-groups; NULL: it does */
    bool twice;           /* the loop waits since its packet runs twice */
    bool in_memory;       /* the accumulator is in no register */
};

struct tsr__web {
    struct tsr__fragment **fragments;
    struct tsr__tile_mad **mads; /* in order */
    unsigned fragment_count, mad_count, m, lanes;
    bool loops, in_block;
    const char *why; /* it stays in vectors; NULL: it is in tiles */
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
    enum tsr__tile_unit unit;
    bool loops_only;
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

/* ---- registers (tile_regalloc.c) ---- */

/* Accumulators beyond TSR__MAX_ACCUMULATORS lie in memory and are numbered behind the registers. If there are any, the scratch tile is the
 * register through which operations on them go. */
enum { TSR__MAX_ACCUMULATORS = 6, TSR__ALL_TILES = 32, TSR__SCRATCH_TILE = TSR__MAX_ACCUMULATORS - 1 };
/* The last register of an accumulator where not all registers are whole tiles: one is left then for each operand of a product. */
enum { TSR__LAST_SHAPED_ACCUMULATOR = 3 };

/* A block of code. */
struct tsr__alloc_block {
    LLVMBasicBlockRef ref;
    int *next, *before; /* successors, predecessors */
    unsigned next_count, before_count;
    uint32_t taken;            /* bit per register, or tile in memory, that holds an accumulator somewhere in it */
    uint32_t taken_throughout; /* the bits of those that one accumulator holds in all of the block */
};

/* A place where users outside of the webs need a fragment as vectors: the start of block number `place`, or behind the operation that makes
 * the fragment, if that is in this block. */
struct tsr__unpacking {
    struct tsr__fragment *f;
    int place;
    LLVMValueRef *stores; /* the store of each vector, row after row, if a tile store replaces them and there is no other use; else NULL */
};

/* The live range of one block of webs, in terms of its first web. */
struct tsr__live_range {
    struct tsr__tile_block *block;
    struct tsr__unpacking *unpackings;
    size_t unpacking_count;
    int accumulator; /* register, or tile in memory; negative: the webs stay vectors */
    bool is_part;    /* it fills a part of a tile only, which pays in loops that the device runs, without AMX in those that wait alone */
    bool to_memory;  /* it is to lie in memory even if a register is free */
    const char *why; /* the webs stay vectors */
    const char *runs_alone; /* why the loop of its products does not run with those of other work-groups; NULL: the device was not asked */
    int turn;               /* number of its basic block + 1, if it needs the register only between two operations of that block; else 0 */
    size_t turn_begin, turn_end;
};

struct tsr__tile_allocation {
    struct tsr__alloc_blocks {
        struct tsr__alloc_block *at;
        int count;
        struct tsr__map number; /* LLVMBasicBlockRef → number + 1 */
    } places;
    struct tsr__live_range *live_ranges; /* of the blocks of webs */
    bool in_memory;                      /* are there accumulators in memory? Then TSR__SCRATCH_TILE holds no accumulator */
    bool two_values;                     /* does a block of webs stay in vectors as two of its values are needed at the same time? */
};

/* A phi whose incoming vectors are all cast from one type becomes a phi of that type. Of phis that differ by poison only one is left.
 * (phi_casts.c) */
void tsr__fold_phi_casts(struct tsr__compilation *l, LLVMValueRef function);

/* Finds the webs of a function, and joins those with common operands to blocks. `loops_only`: products behind loops that add to the loops'
 * accumulators are left out of webs. (tile_webs.c) */
void tsr__webs_find(struct tsr__webs *w, struct tsr__compilation *l, LLVMValueRef function, bool loops_only);
/* Moves casts of values in webs down to the users of the casts. (phi_casts.c) */
void tsr__sink_phi_casts(struct tsr__webs *w);
/* The web of a block that `user` is part of, as an operation or as a phi; or NULL. */
const struct tsr__web *tsr__web_of_user(const struct tsr__webs *w, LLVMValueRef user);
/* Gives each block of webs a register for its accumulator, if one register can hold it: never two of its fragments at a time. */
void tsr__allocate_tiles(struct tsr__tile_allocation *r, struct tsr__webs *w);
/* Moves the accumulators with `to_memory` to memory, unless others would have to give up their registers for that. */
void tsr__tiles_to_memory(struct tsr__tile_allocation *r, struct tsr__webs *w);
/* The operation of the web at (row, column) of a block that corresponds to `mad` of the first web. */
static inline struct tsr__tile_mad *tsr__operation_of_web(const struct tsr__tile_block *block, const struct tsr__tile_mad *mad,
                                                          unsigned row, unsigned column)
{
    return block->webs[row][column]->mads[mad->number];
}
static inline bool tsr__is_in_block_of_webs(const struct tsr__tile_block *block, const struct tsr__web *web)
{
    for (unsigned i = 0; i < block->rows * block->columns; i++)
        if (block->webs[i / block->columns][i % block->columns] == web)
            return true;
    return false;
}
/* Rows of the tile that the webs of a block fill together. */
static inline unsigned tsr__rows_of_block(const struct tsr__tile_block *block)
{
    return block->rows * block->webs[0][0]->m;
}
/* Bytes of a row of that tile: 64, or 32 of one column of sub-groups of 8. */
static inline unsigned tsr__row_of_block(const struct tsr__tile_block *block)
{
    return 4 * block->webs[0][0]->lanes * block->columns;
}
/* Does the block fill a part of a tile only, which vectors multiply faster than tiles whose operands go by way of the stack? AMX makes good
 * use of such blocks, but for those of bytes with eight rows and fewer. */
bool tsr__is_part_of_tile(const struct tsr__webs *w, const struct tsr__tile_block *block);
/* Lets the webs of a live range stay vectors after all, for this reason. */
void tsr__reject_tile(struct tsr__live_range *life, const char *why);
/* Frees the registers of rejected live ranges where they were taken. */
void tsr__free_rejected_registers(struct tsr__tile_allocation *r, struct tsr__webs *w);
unsigned tsr__web_index(const struct tsr__fragment *f);
/* `to`, of the first web, gets a value from outside of the webs: as operand of its operation, or on edge `edge` of its phi. Answers the
 * corresponding external value of web (row, column). */
const struct tsr__fragment *tsr__external_value(const struct tsr__tile_block *block, const struct tsr__fragment *to, unsigned edge,
                                                unsigned row, unsigned column);
/* Several phis may get the same external values from one block. True: this is the first of them. False: `phi` and `edge` become the first
 * one and its edge. */
bool tsr__is_first_receiver(const struct tsr__tile_block *block, const struct tsr__fragment **phi, unsigned *edge);
/* The last operation of the block of webs that corresponds to `mad`: the tile multiplication stands there. */
const struct tsr__tile_mad *tsr__last_operation(const struct tsr__tile_block *block, const struct tsr__tile_mad *mad);

/* ---- code (tile_isel.c) ---- */

/* An operand in a register. */
struct tsr__loaded {
    unsigned count; /* 0: nothing */
    LLVMValueRef from[TSR_TILE_ROWS * TSR__MAX_CHAIN];
    unsigned used; /* the clock at its last use: the register that was used longest ago is overwritten first */
    const struct tsr__tile_product *product;
    bool is_b;
    enum tsr__operand_place place;
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
    struct tsr_tile_shape shape; /* of its register */
    bool is_b, half;             /* half: of half a step of K */
    bool any_part;               /* it may be in place although A has fewer rows than the register, or B 8 columns */
};

/* One tile multiplication: the operations from `first` to `last` of the first web of a block, and those that correspond in other webs. */
struct tsr__multiply {
    struct tsr__live_range *life;
    const struct tsr__tile_mad *first, *last, *latest;
};

/* A function while its code with tiles is made. */
struct tsr__tiles {
    struct tsr__compilation *l;
    LLVMBuilderRef b, entry;
    enum tsr__tile_unit unit;
    struct tsr__map whole_stores;       /* blocks where none but whole tiles get a tile store → 1 */
    enum tsr_tile_shapes shapes;        /* of AMX's registers */
    bool may_have_eight_rows;           /* may they be TSR_TILE_SHAPES_EIGHT_ROWS? */
    LLVMValueRef slots[TSR__ALL_TILES]; /* on the stack: tiles in memory, and without AMX all */
    struct tsr__map buffers;            /* stack buffers of this pass → 1 */
    struct tsr__webs webs;
    struct tsr__tile_allocation registers;
    struct tsr__live_range *life;
    unsigned rows, chunk; /* of the accumulator of `life`: its rows, and the bytes of a row that one web has */
    LLVMBasicBlockRef block;
    LLVMValueRef last; /* instruction up to which `loaded` holds */
    struct tsr__loaded loaded[TSR_TILE_COUNT];
    unsigned clock;
    struct tsr__tiles *same_kernel;                 /* another function of a kernel that reaches this one, too; or NULL */
    struct tsr__pending_tile_store *pending_stores; /* tile_stores.c */
    struct tsr__k_loop *rounds;                     /* tile_loops.c */
    struct tsr__map twice;                          /* the loops in `rounds` for which packets run twice → 1 */
    struct tsr__moved *early;                       /* tile_early.c */
    struct tsr__map packed;                         /* calls that pack and have their place → 1 */
    bool may_keep;                                  /* tile_keeps.c: the device may keep what it packs … */
    uint32_t written;                               /* … unless it lies in memory of these arguments, which have to be alone there */
    LLVMValueRef keeps;                             /* TSR_TILE_KEEPS, or 0 in launches in which one of them is not; NULL: not asked yet */
    struct tsr__map columns;                        /* vectors of pointers → struct columns * (tile_operands.c) */
    bool once;                                      /* no packet is to run twice: those of the kernel's other function cannot */
    const char *rejected;                           /* why a block of webs that needs a loop of the device stays in vectors, or NULL */
};

/* Makes each vector of A with two rows a concatenation of the two, which tile_operands.c looks for. Before webs are found. */
void tsr__tile_operands_prepare(struct tsr__tiles *t, LLVMValueRef function);
/* The operands of a multiplication; those of a single operation are half a step of K where registers of these shapes are for that.
 * (tile_operands.c) */
void tsr__tile_sources(struct tsr__tiles *t, const struct tsr__multiply *x, enum tsr_tile_shapes shapes, struct tsr__source *a,
                       struct tsr__source *b);
/* The operands of a product of 4-bit numbers, each as its lower and its upper halves of bytes: makes them half a step of K of the bytes
 * themselves. False: they are no such halves. (tile_operands.c) */
bool tsr__tile_pack_nibbles(struct tsr__source *a, struct tsr__source *b);
/* Does the operand fill its register? (tile_operands.c) */
bool tsr__tile_is_full(const struct tsr__source *s);
/* Are the vectors the rows of a whole tile in memory, which is unchanged at `point`? Then the tile begins at the address of the first
 * vector's load. (tile_operands.c) */
bool tsr__tile_in_place(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, struct tsr__polynomial *stride);
/* Are the words of B made of rows of elements in memory, which is unchanged at `point`? Then `address` is where the first row begins, and
 * `stride` the distance of rows in bytes. (tile_operands.c) */
bool tsr__tile_by_rows(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, LLVMValueRef *address,
                       struct tsr__polynomial *stride);
/* Does each lane read its column of B, whose words lie side by side in memory, which is unchanged at `point`? Then `address` is where the
 * first column begins, and `stride` the distance of columns in bytes. Makes code that computes addresses. (tile_operands.c) */
bool tsr__tile_by_columns(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, LLVMValueRef *address,
                          struct tsr__polynomial *stride);
/* The placeholder call that tells which matrix with edges the address lies in, or NULL. (tile_operands.c) */
LLVMValueRef tsr__tile_place(LLVMValueRef address);
/* Do both addresses lie in the same matrix with edges, or in none? (tile_operands.c) */
bool tsr__tile_same_matrix(LLVMValueRef a, LLVMValueRef b);
/* May the instruction write to memory other than this pass's buffers? (tile_operands.c) */
bool tsr__tile_may_write(const struct tsr__tiles *t, LLVMValueRef inst);
/* Are all values that flow to `to` from outside of the webs zero? (tile_operands.c) */
bool tsr__tile_starts_zero(const struct tsr__tiles *t, const struct tsr__fragment *to, unsigned edge);

/* Makes `life` the current live range. */
void tsr__tiles_select(struct tsr__tiles *t, struct tsr__live_range *life);
/* The stack slot of a tile that is in no AMX register. */
LLVMValueRef tsr__tile_slot(struct tsr__tiles *t, int number);
/* The bits that tell a function of the device which product to compute: its last argument. */
unsigned tsr__tile_product_bits(const struct tsr__tiles *t, const struct tsr__tile_product *product);
/* A call of a function of the device; `args[0]` is left for the work-item. */
LLVMValueRef tsr__tile_call(struct tsr__tiles *t, LLVMTypeRef result, const char *name, LLVMValueRef *args, unsigned count);
/* A tile on the stack; `zero`: filled with zeros when the function starts. */
LLVMValueRef tsr__tile_buffer(struct tsr__tiles *t, bool zero);
void tsr__tile_zero(struct tsr__tiles *t, int number);
/* An operand, or an accumulator if `operand` has no product. */
void tsr__tile_load(struct tsr__tiles *t, int to, LLVMValueRef from, LLVMValueRef stride, const struct tsr__source *operand);
/* `operand`: A or B. */
void tsr__tile_multiply(struct tsr__tiles *t, const struct tsr__source *operand, int to, int a, int b);
void tsr__tile_store(struct tsr__tiles *t, int from, LLVMValueRef to, LLVMValueRef stride);
/* An accumulator from memory where it lies in one piece, and to such memory. */
void tsr__tile_fetch(struct tsr__tiles *t, int to, LLVMValueRef from);
void tsr__tile_put(struct tsr__tiles *t, int from, LLVMValueRef to);
/* The stack address of the accumulator, row after row. With AMX the accumulator is stored there first. */
LLVMValueRef tsr__tile_on_stack(struct tsr__tiles *t, int number);
/* An i1: does the launch want non-temporal stores through this argument? */
LLVMValueRef tsr__tile_nontemporal_flag(struct tsr__tiles *t, int argument);
/* The accumulator as vectors, by way of a buffer. */
void tsr__tile_vectors(struct tsr__tiles *t, LLVMTypeRef type, struct tsr__unpacked *made);
/* Is it a placeholder, whose calls have no effect and are dropped before code is generated? */
bool tsr__is_marker(LLVMValueRef function);
/* Is the instruction a call of unknown code, after which tile registers and memory may have changed? */
bool tsr__clobbers_tiles(LLVMValueRef instruction);

/* Finds what the function, of so many multiplications, writes to, before these change its code. */
void tsr__tile_keeps_find(struct tsr__tiles *t, size_t multiplies);
/* TSR_TILE_KEEPS or 0, a number of the launch: does nothing write to the rows of B from this address on? */
LLVMValueRef tsr__tile_keeps(struct tsr__tiles *t, LLVMValueRef from);
/* Notes the store of a vector to a buffer that has one tile load, or the call that packs B into it. Once all other code is there, they are
 * moved to where they are done early. (tile_early.c) */
void tsr__tile_note_early(struct tsr__tiles *t, LLVMValueRef inst);
void tsr__tile_move_early(struct tsr__tiles *t);

/* Finds the stores that tile stores replace; and makes the code of the tile stores, last of all. (tile_stores.c) */
void tsr__tile_stores_find(struct tsr__tiles *t);
void tsr__tile_stores_make(struct tsr__tiles *t);
/* Drops the tile stores of fewer than 16 rows that are not made by a loop that waits. True: there were some. */
bool tsr__tile_stores_refuse(struct tsr__tiles *t);
/* The tile store at the start of `block`, if it stores exactly these accumulators, in rows and columns as given, which have no other
 * use there, and if its address can be computed behind the phis of `from` (`block` or a block before it). Else NULL. */
struct tsr__pending_tile_store *tsr__tile_store_at(struct tsr__tiles *t, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
                                                   struct tsr__live_range *const *live_ranges, unsigned rows, unsigned columns);
/* Makes code in `from` that computes the destination, the distance of rows, and whether the launch wants non-temporal stores. The
 * destination is null at run time if rows overlap, so that the tiles must not be stored. */
LLVMValueRef tsr__tile_store_destination(struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef *stride,
                                         LLVMValueRef *past);
/* Does the instruction read or write memory, or call what may? */
bool tsr__accesses_memory(LLVMValueRef instruction);
/* Is it one of the stores? Do they go to global memory? Where do they stand? */
bool tsr__tile_store_has(const struct tsr__pending_tile_store *x, LLVMValueRef store);
bool tsr__tile_store_is_global(const struct tsr__pending_tile_store *x);
LLVMBasicBlockRef tsr__tile_store_block(const struct tsr__pending_tile_store *x);
/* The address of one of these stores. */
LLVMValueRef tsr__tile_store_address(const struct tsr__pending_tile_store *x);
/* Notes that a loop that waits makes the store. */
void tsr__tile_store_waits(struct tsr__pending_tile_store *x);
/* Sets the value, computed in `from`, that is not 0 at run time if the tiles have been stored already. */
void tsr__tile_store_done(struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef done);

/* May the packet end before its loop over K, of one block, has run? So it is if behind the loop the packet only makes these stores. `all`:
 * does the loop multiply nothing else? Sets `again`: the packet may come to the loop once more. (tile_waits.c) */
bool tsr__tile_loop_can_wait(struct tsr__compilation *l, LLVMBasicBlockRef loop, const struct tsr__pending_tile_store *stores, bool all,
                             bool *again);

/* Adds to `found` the blocks from which `to` can be reached without passing `past`, which may be NULL. (tile_waits.c) */
void tsr__find_ways_to(LLVMBasicBlockRef to, LLVMBasicBlockRef past, struct tsr__map *found);

/* Does the pointer lead to global or constant memory, which outlives the packet? */
static inline bool tsr__is_global_memory(LLVMValueRef pointer)
{
    return tsr__points_into(pointer, TSR__GLOBAL_SPACE) || tsr__points_into(pointer, TSR__CONSTANT_SPACE);
}

/* ---- loops that the device runs as a whole (tile_loops.c), in the order of use ---- */

/* Gives loops the blocks in front and behind that the calls need. */
void tsr__tile_loops_prepare(struct tsr__compilation *l, LLVMValueRef function);
/* Finds the loops among these multiplications. */
void tsr__tile_loops_find(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count);
/* Adds the blocks of loops that wait for those of other work-groups to the set. */
void tsr__tile_loops_that_wait(const struct tsr__tiles *t, struct tsr__map *blocks);
/* Are all products of the block in loops that wait? */
bool tsr__tile_loops_make_all(const struct tsr__tiles *t, LLVMBasicBlockRef block);
/* Rejects the live ranges that pay in loops that the device runs alone (`is_part`), and are in none. True: there were some. */
bool tsr__tile_loops_reject(struct tsr__tiles *t);
/* Is the multiplication in such a loop? Then sets where A and B lie, why the loop does not wait (NULL: it does), and whether it waits since
 * its packet runs twice. */
bool tsr__in_tile_loop(const struct tsr__tiles *t, const struct tsr__multiply *x, enum tsr__operand_place *a, enum tsr__operand_place *b,
                       const char **runs_now, bool *twice);
/* Does such a loop begin with zeros in the accumulator of `phi`, so that nothing else need clear it? */
bool tsr__tile_loop_fills(const struct tsr__tiles *t, const struct tsr__live_range *life, const struct tsr__fragment *phi);
/* Makes the calls of the device. */
void tsr__tile_loops_make(struct tsr__tiles *t);
/* Marks accumulators that loops that wait alone compute: they lie in memory rather than in AMX's registers, as the function mostly ends
 * before the loop has run, or takes results that the device has made. */
void tsr__tile_loops_use_memory(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count);
/* Once all other code is there: lets packets that run twice end where the first run has to. */
void tsr__tile_loops_leave(struct tsr__tiles *t);

/* ---- packets that run twice for a loop (tile_twice.c) ---- */

/* Gives the ends of packets blocks of their own. */
void tsr__tile_twice_prepare(struct tsr__compilation *l, LLVMValueRef function);
/* Can packets run twice for this loop, which makes these accumulators? NULL: no, and why. Changes no code. */
struct tsr__twice *tsr__tile_runs_twice(struct tsr__tiles *t, LLVMBasicBlockRef loop, struct tsr__live_range *const *lives, unsigned count,
                                        const char **why);
/* The bits of the call of the device that tell it so: TSR_TILE_TWICE and others (tessera/tiles.h). */
unsigned tsr__tile_twice_bits(const struct tsr__twice *x);
/* Notes the device's answer to a call of the loop: is this the first run? Of several calls the last one is noted first; its answer counts,
 * and is returned for all. */
LLVMValueRef tsr__tile_twice_called(struct tsr__twice *x, LLVMValueRef answer);
/* Makes the branches by which the first run ends. */
void tsr__tile_twice_make(const struct tsr__twice *x);
/* Makes a function whose packets run once return at once in the first run of a launch whose packets run twice. */
void tsr__tile_skip_first(struct tsr__compilation *l, LLVMValueRef function);

/* ---- loops that are made twice: for the device and for the packet (tile_ways.c) ---- */

/* Is there such a loop in the function? */
bool tsr__has_two_ways(LLVMValueRef function);
/* Has the function addresses that only the device may read from? */
bool tsr__has_places(LLVMValueRef function);
/* Once all loops are found: do those for the device wait, so that they are the ones to keep? */
bool tsr__takes_device_way(const struct tsr__tiles *t);
/* Keeps the loops for the device or those for the packet, and drops the others. */
bool tsr__choose_way(struct tsr__compilation *l, LLVMValueRef function, bool of_device);
/* Replaces placeholders by the addresses in them. False: code that would run reads from such an address. */
bool tsr__drop_places(struct tsr__compilation *l);

#endif
