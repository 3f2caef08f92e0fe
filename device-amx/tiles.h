/* SPDX-License-Identifier: Apache-2.0
 * Tiles where no matrix unit is used: what generated code calls in place of AMX's instructions. */
#ifndef TESSERA_CPU_TILES_H
#define TESSERA_CPU_TILES_H

#include <stdbool.h>

#include "tessera/base.h"
#include "tessera/item.h"

#define INLINE __attribute__((always_inline)) static inline
/* A loop over registers, which the compiler takes apart. */
#define EACH(i, count) _Pragma("GCC unroll 16") for (unsigned i = 0; i < (count); i++)

enum { TSR__TILE_WORDS = TSR_TILE_ROW_BYTES / 4 }; /* of a row */

/* The functions of struct tsr_rt (tiles_model.c). */
void tsr__tile_move(struct tsr_item *item, void *to, int64_t to_stride, const void *from, int64_t from_stride);
void tsr__tile_operand(struct tsr_item *item, void *operand, const void *from, int64_t stride, uint32_t how);
void tsr__tile_multiply(struct tsr_item *item, void *accumulator, const void *a, const void *b, uint32_t how);
/* (tiles_call.c) */
uint32_t tsr__tile_loop(struct tsr_item *item, const struct tsr_tile_loop *loop);
struct tsr__run;
struct tsr_launch;
/* (tiles_product.c) */
void tsr__matrix_product(struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride, int64_t b_stride, int64_t c_stride,
                         int64_t rows, int64_t columns, int64_t depth, uint32_t how);
/* Tells the accumulators of a loop whose sums are apart where the first row of the first one is, how far the next sum, and the next row;
 * NULL: there are none. (tiles_twice.c) */
void tsr__tile_sums_apart(const struct tsr_tile_loop *loop, const char *at, int64_t far, int64_t row);
/* True: the loop will be done with those of other work-groups. False: it is to be done now. (tiles_share.c) */
bool tsr__tile_loop_waits(struct tsr__run *run, const struct tsr_tile_loop *loop);
/* Its `to`, or NULL if that is not apart from A and B. (tiles_share.c) */
char *tsr__tile_goal(const struct tsr_tile_loop *loop);
/* The same at once, where `to` is NULL or apart from A and B; with few rows in a tile it is NULL. (tiles_loop.c) */
void tsr__tile_loop_now(struct tsr_item *item, const struct tsr_tile_loop *loop);

/* (tiles_kept.c) */
const void *tsr__tile_pack(struct tsr_item *item, void *to, const void *from, int64_t stride, uint32_t how);
/* Packs a tile so, with rows of it at a distance, a multiple of 64. (tiles_pack.c) */
void tsr__tile_pack_rows(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how);
/* The same where so many rows, and bytes of each, are there, or fewer; the rest is zero. */
void tsr__tile_pack_within(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, int64_t bytes, uint32_t how);
/* Numbers of 4 bits become bytes: 32 bytes of each of some rows of A, and a step of B, 8 rows of words, with TSR_TILE_B_ROWS 32 of
 * elements or with TSR_TILE_B_COLUMNS 16 columns, become those of whole tiles, the lower halves of all bytes before the upper ones. `how`:
 * of the loop, with TSR_TILE_NIBBLES. */
void tsr__tile_unpack_a(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, uint32_t how);
void tsr__tile_unpack_b(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how);

/* Rows of a tile in memory. */
struct tsr__tile_rows {
    char *at;
    int64_t stride;
};
/* Two tiles by two of C, or two of one row of tiles: `to` = A·B, or `from` + A·B. */
struct tsr__tile_square {
    const char *a, *b;                /* the first tiles of the first step; the second one of B lies beside it */
    int64_t a_stride, a_next, a_step; /* of A: to the next row, to the tile below, and to the next step's tile */
    int64_t b_stride;                 /* of B: to the next row, through all steps */
    int64_t steps;
    unsigned rows;   /* of tiles: 1 or 2 */
    bool zero;       /* `from` is not read */
    bool one_column; /* there is no second tile of B */
    struct tsr__tile_rows from[2][2], to[2][2];
};
/* By AMX's instructions, whose registers these functions have for themselves (tiles_amx.c): a square, and one product, added to a tile in
 * one piece. */
void tsr__tile_square_amx(const struct tsr__tile_square *square, enum tsr_tile_product product);
void tsr__tile_multiply_amx(void *accumulator, const void *a, const void *b, enum tsr_tile_product product);
/* A square by them, or in the model of them. (tiles_squares.c) */
void tsr__tile_square(const struct tsr__tile_square *square, enum tsr_tile_product product, bool in_amx);
/* A loop whose operands are tiles where they lie: C goes to `to`, or into the accumulators if that is NULL. */
void tsr__tile_loop_amx(const struct tsr_tile_loop *loop);

/* Of numbers of rows or bytes that are left: below 0 behind the last one. */
static inline int64_t tsr__tile_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Elements of K in a word, in products of bytes or of two elements of two bytes. */
static inline unsigned tsr__tile_in_word(uint32_t how)
{
    return (how & TSR_TILE_PRODUCT) < TSR_TILE_BF16 ? 4 : 2;
}

/* A product of whole matrices, as matrix_product of tessera/tiles.h makes it: small if A and B have room on the stack. (tiles_small.c) */
bool tsr__product_is_small(int64_t columns, int64_t depth, uint32_t how);
void tsr__product_small(struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride, int64_t b_stride, int64_t c_stride,
                        int64_t rows, int64_t columns, int64_t depth, uint32_t how);

/* Of products of bytes. */
static inline bool tsr__a_is_signed(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8S8 || product == TSR_TILE_S8U8;
}

static inline bool tsr__b_is_signed(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8S8 || product == TSR_TILE_U8S8;
}

/* The product of the operands once they are packed: numbers of 4 bits without a sign are signed bytes as well, of which VNNI makes the
 * product with others without a sign. */
static inline enum tsr_tile_product tsr__packed_product(const struct tsr_tile_loop *x)
{
    const enum tsr_tile_product product = x->how & TSR_TILE_PRODUCT;
    return x->how & TSR_TILE_NIBBLES && product == TSR_TILE_U8U8 ? TSR_TILE_U8S8 : product;
}

/* Sums that a loop makes. */
static inline int64_t tsr__loop_sums(const struct tsr_tile_loop *x)
{
    return x->apart ? x->steps / x->apart : 1;
}

/* Rows of A and of C in a loop. */
static inline int64_t tsr__loop_rows(const struct tsr_tile_loop *x)
{
    return x->rows * x->tile_rows;
}

/* From a sum of a loop in a grid to the next one, if they are apart. */
static inline int64_t tsr__loop_sum_bytes(const struct tsr_tile_loop *x)
{
    return tsr__loop_rows(x) * x->to_stride;
}

static inline bool tsr__is_in_tiles(const struct tsr_tile_loop *x)
{
    return x->how & (TSR_TILE_IN_AMX | TSR_TILE_IN_MODEL);
}

/* Can AMX load the operands where they lie? */
static inline bool tsr__loads_tiles_in_place(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_IN_AMX && x->tile_rows == TSR_TILE_ROWS && !(x->how & (TSR_TILE_B_UNPACKED | TSR_TILE_HALF_K));
}

/* ---- loops of many work-groups ---- */

/* Loops of one shape, which make a block of C together: those in a row of the grid have the same A, those in a column the same B. They
 * begin with zeros, or with what is at `to`; and what they store overlaps no operand. */
struct tsr__tile_grid {
    const struct tsr_tile_loop *loop; /* one of them */
    int64_t rows, columns;
    const char *const *a;                      /* for each row of the grid */
    const char *const *b;                      /* for each column */
    const char *const *b_right;                /* for each column that is two of 8: where the second one is; NULL: right behind the first */
    const struct tsr_tile_matrix *a_at, *b_at; /* with edges: where these lie in their matrices; else NULL */
    char *const *to;                           /* row after row; NULL: there is no such loop */
    int64_t sum;                               /* bytes from the start of C to that of the sum that is made, if sums are apart */
    const int64_t *segment_steps;              /* of `segments` that follow each other in K; `a` and `b` are for each segment then */
    uint32_t segments;                         /* 0: A and B go on through all steps */
    int64_t first;                             /* step, of those of the loop that gave A and B; 0 for who asks for a grid */
    int64_t c_rows, c_bytes;                   /* of C, all of whose loops are one, and bytes of a row: others are not there; 0: all are */
    char *memory;                              /* TSR__GRID_BYTES, aligned to 64 */
    int64_t packed_at;                         /* where packed B begins in it, behind those of other grids; a multiple of 64 */
    bool has_packed_b;                         /* … with the operands B, as the last grid in it had the same, in loops of the same shape */
    bool b_in_place;                           /* B is not packed: tiles are loaded from where it lies */
};
enum {
    TSR__GRID_MOST_SEGMENTS = 64,
    TSR__GRID_PANEL_BYTES = 1 << 20,
    TSR__GRID_STRIP_BYTES = 1 << 19,
    TSR__GRID_EDGE_BYTES = 1 << 15, /* a row of A with zeros outside of its matrix */
    TSR__GRID_TILE_BYTES = TSR__GRID_STRIP_BYTES + (2 * TSR_TILE_ROWS + 1) * TSR_TILE_ROW_BYTES, /* a tile's rows of A that is computed */
    TSR__GRID_BYTES = TSR__GRID_PANEL_BYTES + TSR__GRID_STRIP_BYTES + TSR__GRID_EDGE_BYTES + TSR__GRID_TILE_BYTES
};
/* Is there memory enough for the operands of such loops? If not, their product is made in chunks of K, each of which adds to what is at
 * `to`; so no two loops may store to one place. */
bool tsr__tile_grid_fits(const struct tsr_tile_loop *loop);
/* (tiles_grid.c) */
void tsr__tile_grid_multiply(const struct tsr__tile_grid *grid);

/* Does a loop with operands that are computed at once, as tsr__tile_loop_now() does others: some steps of them at a time. (tiles_loop.c) */
void tsr__tile_loop_computed(struct tsr_item *item, const struct tsr_tile_loop *loop);

/* Does the loops of the run that wait, if there are any. (tiles_share.c) */
void tsr__tile_loops_end(struct tsr__run *run);
/* What blocks and launches to come are to know of loops. NULL: that they do not wait. (tiles_share.c) */
void tsr__tile_loops_learn(struct tsr__run *run, const struct tsr_tile_loop *loop);
/* Learns from the first `loops` loops, which are those of a row of work-items: those with the same B have their parts of C under each
 * other, and those with neither the same A nor the same B have parts of K. `operand_of`: A or B of a loop. */
void tsr__tile_loops_learn_row(struct tsr__run *run, uint32_t loops, const char *(*operand_of)(const void *notes, uint32_t loop, bool is_b),
                               const void *notes);
/* Bytes of `columns` packed operands B. (tiles_grid.c) */
int64_t tsr__tile_grid_packed_bytes(const struct tsr_tile_loop *loop, int64_t columns);
/* Bytes of packed B that are best worked on at a time. (tiles_grid.c) */
uint64_t tsr__tile_grid_best_b(void);

/* Packets that run twice (tiles_twice.c). Before the first time: nothing is noted, and `across` by `down` packets will come in x and y. */
void tsr__tile_twice_begin(struct tsr__run *run, uint64_t across, uint64_t down);
/* May the first pass run the groups of the first row and then those of the first column alone? */
bool tsr__tile_twice_may_sample(const struct tsr__run *run, uint64_t across, uint64_t down);
/* Groups of the first row have run. */
void tsr__tile_twice_end_row(struct tsr__run *run);
/* Other groups of the first column have run, too: notes for all groups the loops that these lead to expect. False: they do not. */
bool tsr__tile_twice_expect(struct tsr__run *run, uint64_t across, uint64_t down);
/* The first time: a loop is noted. */
void tsr__tile_twice_note(struct tsr__run *run, const struct tsr_tile_loop *loop);
/* In between: does all the loops that were noted. */
void tsr__tile_twice_multiply(struct tsr__run *run);
/* The second time, for the same packets in the same order: true: the results are in the accumulators of the loop. */
bool tsr__tile_twice_take(struct tsr__run *run, const struct tsr_tile_loop *loop);
/* Have packets of the last launch of this size had nothing to note? Then one pass does. */
bool tsr__tile_twice_is_idle(const struct tsr_launch *launch);
/* A loop that a first pass would have noted. */
void tsr__tile_twice_missed(struct tsr__run *run);
/* A function of struct tsr_rt. */
uint32_t tsr__tile_first(struct tsr_item *item);

/* As AMX does it; BF16_PAIRS: as VDPBF16PS does. */
void tsr__tile_multiply_model(void *accumulator, const void *a, const void *b, uint32_t how);

/* With AVX-512 VNNI and BF16; products that these lack are made by the functions below (tiles_vectors.c). */
void tsr__tile_operand_vectors(void *operand, const void *from, int64_t stride, uint32_t how);
void tsr__tile_multiply_vectors(void *accumulator, const void *a, const void *b, enum tsr_tile_product product);

/* Products of elements that are widened first, with AVX-512 or AVX2: floating point in the strict order, and bytes without AVX-512 VNNI.
 * There is at least one tile, operands have the layout of tiles, and C does not overlap A and B (tiles_wide.c). */
void tsr__tile_loop_wide(const struct tsr_tile_loop *loop);
void tsr__tile_multiply_wide(void *accumulator, const void *a, const void *b, enum tsr_tile_product product);

/* Clears the bits that do not count in `rows` lines of 64 bytes of TF32. A loop whose A and B have none has this bit in `how` beside
 * TSR_TILE_TF32. */
void tsr__tile_cut_lines(char *to, int64_t stride, int64_t rows);
enum { TSR__TILE_IS_CUT = TSR_TILE_OF_DEVICE };

/* Make floats, in lines of 64 bytes, of `rows` rows: of 16 halves each; or of 16 words of two halves, the first ones in a line, the second
 * ones in the next. */
void tsr__tile_widen_halves(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows);
void tsr__tile_widen_words(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows);

/* Has the grid so few rows, in tiles, that packing B would not serve a second strip of A, and may tiles of B be loaded where they lie? */
bool tsr__tile_may_load_b(const struct tsr__tile_grid *g);
/* Has it so few rows that columns of B, where they lie, may be rows of tiles, of the product turned round? (tiles_turned.c) */
bool tsr__tile_may_turn(const struct tsr__tile_grid *g);
/* Has the grid so few rows that packing B takes longer than the product? It is one of vectors then, of words of B where they lie. */
bool tsr__tile_is_thin(const struct tsr__tile_grid *g);
/* Of such a grid; needs no memory of it. (tiles_thin.c) */
void tsr__tile_thin_multiply(const struct tsr__tile_grid *g);

static inline bool tsr__tile_is_wide(enum tsr_tile_product product)
{
    return product < TSR_TILE_BF16 ? !tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512VNNI) : product != TSR_TILE_BF16_PAIRS;
}

/* ---- operands that cross edges of their matrices (tiles_edges.c) ---- */

/* Copies `rows` rows of `bytes` bytes that lie `stride` apart from `from` on, which is at `at` in its matrix; zeros where that is not. */
void tsr__tile_copy_within(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, int64_t bytes,
                           const struct tsr_tile_matrix *at);
/* Do so many rows of `bytes` bytes lie in the matrix? */
static inline bool tsr__is_within(const struct tsr_tile_matrix *at, int64_t rows, int64_t bytes)
{
    return at->x >= 0 && at->y >= 0 && at->x + bytes <= at->width && at->y + rows <= at->height;
}
/* Does all of A, or of B, through all steps, lie in its matrix? */
bool tsr__loop_a_is_within(const struct tsr_tile_loop *x, const struct tsr_tile_matrix *at);
bool tsr__loop_b_is_within(const struct tsr_tile_loop *x, const struct tsr_tile_matrix *at);
/* The loop, whose operands cross edges, or with TSR_TILE_HALF_N, at once. C goes into the accumulators. */
void tsr__tile_loop_at_edges(struct tsr_item *item, const struct tsr_tile_loop *loop);

static inline bool tsr__is_computed(const struct tsr_tile_loop *x)
{
    return x->how & (TSR_TILE_A_COMPUTED | TSR_TILE_B_COMPUTED);
}

/* Words of K in a step of the loop: those of a row of A, and rows of B. */
static inline unsigned tsr__loop_words(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_HALF_K ? TSR__TILE_WORDS / 2 : TSR__TILE_WORDS;
}

/* Rows of B in a word of K, in a loop with TSR_TILE_B_ROWS. */
static inline unsigned tsr__loop_in_word(const struct tsr_tile_loop *x)
{
    return tsr__tile_in_word((uint32_t)x->how);
}

/* Rows of B in memory in a step, and bytes in each that belong to one tile. */
static inline int64_t tsr__loop_b_rows(const struct tsr_tile_loop *x)
{
    if (x->how & TSR_TILE_B_COLUMNS)
        return TSR_TILE_ROW_BYTES / 4 / (x->how & TSR_TILE_HALF_N ? 2 : 1);
    return (int64_t)tsr__loop_words(x) * (x->how & TSR_TILE_B_ROWS ? tsr__loop_in_word(x) : 1);
}

static inline int64_t tsr__loop_b_bytes(const struct tsr_tile_loop *x)
{
    if (x->how & TSR_TILE_B_COLUMNS)
        return 4 * (int64_t)tsr__loop_words(x);
    return TSR_TILE_ROW_BYTES / (x->how & TSR_TILE_HALF_N ? 2 : 1) / (x->how & TSR_TILE_B_ROWS ? tsr__loop_in_word(x) : 1);
}

/* How far behind B of a loop of 8 columns that of its neighbour to the right lies. */
static inline int64_t tsr__loop_b_beside(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_B_COLUMNS ? tsr__loop_b_rows(x) * x->b_stride : tsr__loop_b_bytes(x);
}

/* Bytes of a row of C. */
static inline int64_t tsr__loop_c_bytes(const struct tsr_tile_loop *x)
{
    return x->columns * TSR_TILE_ROW_BYTES / (x->how & TSR_TILE_HALF_N ? 2 : 1);
}

/* A row of A in the first step. */
static inline const char *tsr__loop_a(const struct tsr_tile_loop *x, int64_t row)
{
    return x->a + row / TSR_TILE_ROWS * x->a_next + row % TSR_TILE_ROWS * x->a_stride;
}

/* Could rows of C go past the caches? */
static inline bool tsr__fills_lines(const struct tsr_tile_loop *x)
{
    return !(((uintptr_t)x->to | (uint64_t)x->to_stride) % TSR_TILE_ROW_BYTES);
}

/* A row of C in a tile of the loop, and where it goes. */
static inline char *tsr__loop_row(const struct tsr_tile_loop *x, int64_t row, int64_t column)
{
    return (char *)x->c[row / TSR_TILE_ROWS * x->columns + column] + row % TSR_TILE_ROWS * TSR_TILE_ROW_BYTES;
}

static inline char *tsr__loop_goal(const struct tsr_tile_loop *x, int64_t row, int64_t column)
{
    return x->to ? x->to + row * x->to_stride + column * TSR_TILE_ROW_BYTES : tsr__loop_row(x, row, column);
}

#endif
