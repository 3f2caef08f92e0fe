/* SPDX-License-Identifier: Apache-2.0
 * What loops that wait (tiles_share.c) and loops whose packets run twice (tiles_twice.c) share. */
#ifndef TESSERA_CPU_TILES_SHARE_H
#define TESSERA_CPU_TILES_SHARE_H

#include <string.h>

#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

enum {
    TSR__MOST_SIDE = 2048, /* different operands of a side */
    TSR__SIDE_HASH = 2 * TSR__MOST_SIDE,
    TSR__MOST_ALONE = 4, /* times in a row that nothing was shared: it will not be later either */
};

/* The different operands of one side, in the order in which they came. */
struct tsr__side {
    uint32_t count, last;
    bool has_right; /* some pairs do not lie beside each other */
    const char *at[TSR__MOST_SIDE];
    struct tsr_tile_matrix in[TSR__MOST_SIDE]; /* with edges: where it is in its matrix */
    const char *right[TSR__MOST_SIDE];         /* of two columns of 8 that make a tile: the second one, if `has_right` */
    uint16_t number[TSR__SIDE_HASH];           /* + 1; 0: free */
    uint16_t *slot[TSR__MOST_SIDE];            /* where the number is */
};

/* Its number, or that of the next new one. */
uint32_t tsr__side_find(struct tsr__side *s, const char *at);
/* `number`: what tsr__side_find() answered, less than TSR__MOST_SIDE. */
void tsr__side_add(struct tsr__side *s, uint32_t number, const char *at, const struct tsr_tile_matrix *in);
void tsr__side_forget(struct tsr__side *s);
/* Pairs of operands, the second of which lies `bytes` bytes behind the first one: numbers in which pairs come first, one behind the other.
 * Answers how many pairs there are. */
uint32_t tsr__side_pair(struct tsr__side *s, int64_t bytes, uint16_t *number);
/* Of loops of 8 columns, two that lie beside each other make a tile. */
static inline uint32_t tsr__columns_in_tile(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_HALF_N ? 2 : 1;
}
/* For memory with any contents. */
static inline void tsr__side_clear(struct tsr__side *s)
{
    s->count = s->last = 0;
    s->has_right = false;
    memset(s->number, 0, sizeof s->number);
}

/* Values from which operands are computed, each once: operands of a side are the same if these are at one address (tiles_values.c). */
enum { TSR__VALUES_BYTES = 1 << 20, TSR__MOST_VALUES = 2 * TSR__MOST_SIDE, TSR__VALUES_HASH = 2 * TSR__MOST_VALUES };
struct tsr__values {
    uint64_t launch; /* for which they are kept */
    uint32_t count, used, last[2];
    struct {
        uint32_t at, bytes;
    } entries[TSR__MOST_VALUES];
    uint16_t number[TSR__VALUES_HASH]; /* + 1; 0: free */
    _Alignas(TSR_TILE_ROW_BYTES) char memory[TSR__VALUES_BYTES];
};
/* For memory with any contents: values of other launches are forgotten. */
void tsr__values_begin(struct tsr__values *v, uint64_t launch);
void tsr__values_clear(struct tsr__values *v);
/* Where the values of an operand are kept; of one that is not computed, its address. NULL: there is no room. */
const char *tsr__values_of_operand(struct tsr__values *v, const struct tsr_tile_loop *x, bool is_b);
/* Where these bytes are kept, a multiple of 8. NULL: there is no room. */
const char *tsr__values_keep(struct tsr__values *v, bool is_b, const void *bytes, uint64_t count);
/* Is the loop's operand the one that is there? `at`: of an operand that is not computed, its address. */
static inline bool tsr__is_operand(const struct tsr_tile_loop *x, bool is_b, const char *at)
{
    const char *own = is_b ? x->b : x->a;
    if (!(x->how & (is_b ? TSR_TILE_B_COMPUTED : TSR_TILE_A_COMPUTED)))
        return own == at;
    return !memcmp(own, at, is_b ? x->b_bytes : x->a_bytes);
}

/* Where C of loops of one shape lies that are stored in any order (tiles_places.c). */
struct tsr__places {
    const char *first;
    int64_t rows[TSR__MOST_SIDE], columns[TSR__MOST_SIDE]; /* distances of rows and columns of the grid */
    int64_t left, right;                                   /* the least and the greatest of columns */
};
/* An operand's number on its side, and how many there are; as many: it is a new one. */
struct tsr__spot {
    uint32_t number, count;
};
/* With the first loop of all, whose row and column are the first ones. */
void tsr__places_begin(struct tsr__places *p, const struct tsr_tile_loop *x);
/* With another one. False: it may overlap others, and is not there. */
bool tsr__places_add(struct tsr__places *p, const struct tsr_tile_loop *x, struct tsr__spot row, struct tsr__spot column);

/* Into which grids loops fall that have operands in common (tiles_grids.c). */
enum { TSR__MOST_GRIDS = 64 };
struct tsr__grids {
    uint32_t rows, columns, count;
    uint16_t parent[2 * TSR__MOST_SIDE], grid_of[2 * TSR__MOST_SIDE];
    uint32_t row_begin[TSR__MOST_GRIDS + 1], column_begin[TSR__MOST_GRIDS + 1]; /* of each grid, in the new numbers */
    uint16_t row[TSR__MOST_SIDE], column[TSR__MOST_SIDE];                       /* new numbers */
    const char *at[TSR__MOST_SIDE];
    struct tsr_tile_matrix in[TSR__MOST_SIDE];
};
/* Grids of `rows` operands A and `columns` operands B: at first without loops, then each loop is added. The end gives rows and columns
 * their new numbers, and answers if there are several grids; more than MOST_GRIDS make one. A row without a loop is a grid of its own. */
void tsr__grids_begin(struct tsr__grids *g, uint32_t rows, uint32_t columns);
void tsr__grids_add(struct tsr__grids *g, uint32_t row, uint32_t column);
bool tsr__grids_end(struct tsr__grids *g);
/* Puts the first operands of a side in the order of their new numbers; they are not to be found any more. */
void tsr__grids_order(struct tsr__grids *g, struct tsr__side *side, uint32_t count, const uint16_t *number);

/* Which operands B lie packed in the memory of a worker's last grid (struct tsr__tile_grid). Work-groups under each other have the same
 * ones, which others of their launch do not write. */
struct tsr__packed_b {
    uint64_t launch; /* 0: none; of memory with any contents it is the number of no launch */
    struct tsr_tile_loop loop;
    int64_t count, packed_at;
    uint32_t segments; /* as those of the grid */
    int64_t segment_steps[TSR__GRID_MOST_SEGMENTS];
    bool is_of_pairs; /* `right` counts */
    const char *at[TSR__MOST_SIDE], *right[TSR__MOST_SIDE];
    struct tsr_tile_matrix in[TSR__MOST_SIDE];
};
/* Multiplies the grid, with what is packed from an earlier one where that is the same; packs nothing of a thin one. */
void tsr__packed_b_multiply(struct tsr__packed_b *packed, const struct tsr__run *run, struct tsr__tile_grid *grid);

/* Do they differ in nothing but where A, B and C lie, and in the number of steps? */
bool tsr__tile_same_shape(const struct tsr_tile_loop *x, const struct tsr_tile_loop *y);
/* Are the operands of the loop, with these numbers, in the same matrices as the others, if they are in matrices with edges? */
bool tsr__tile_same_matrices(const struct tsr__side *a, const struct tsr__side *b, const struct tsr_tile_loop *x, uint32_t row,
                             uint32_t column);
/* Not if the loop is better run alone, or if others of the launch had nothing in common. */
bool tsr__tile_loop_may_share(struct tsr__run *run, const struct tsr_tile_loop *x);
/* Are A and B multiplied from where they lie, if the loop runs alone? */
bool tsr__tile_lies_ready(const struct tsr_tile_loop *x);
/* Have `rows` loops under each other too few rows to pack a B that lies ready? */
bool tsr__tile_few_rows(const struct tsr_tile_loop *x, uint32_t rows);
/* Has a grid of `rows` by `columns` with `loops` loops more than one loop for each row and column? */
static inline bool tsr__tile_is_dense(uint32_t loops, uint32_t rows, uint32_t columns)
{
    return loops > 1 && loops >= 2 * (rows < columns ? rows : columns) - 1;
}
/* Loops of this launch, and of later ones, run alone. */
void tsr__tile_shares_nothing(struct tsr__run *run);

#endif
