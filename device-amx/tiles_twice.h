/* SPDX-License-Identifier: Apache-2.0
 * What is noted of packets that run twice (tiles_twice.c, tiles_samples.c). */
#ifndef TESSERA_CPU_TILES_TWICE_H
#define TESSERA_CPU_TILES_TWICE_H

#include "device-amx/tiles_share.h"

enum {
    TSR__TWICE_MOST_ROWS = 1024,    /* of C */
    TSR__TWICE_MOST_COLUMNS = 4096, /* words, of all grids */
    TSR__TWICE_MOST_TILES = TSR__TWICE_MOST_COLUMNS / TSR__TILE_WORDS,
    TSR__TWICE_MOST_PACKETS = 1 << 15,
    TSR__TWICE_MOST_PACKED = 8, /* grids whose B stay packed beside each other */
    TSR__TWICE_C_BYTES = 1 << 23,
};

/* A or B in a segment. */
struct tsr__segment {
    const char *at;
    int64_t steps;
};

/* The loops of all packets that have one number. */
struct tsr__twice_loops {
    struct tsr_tile_loop loop; /* the first one */
    struct tsr__side a, b;
    struct tsr__packed_b packed[TSR__TWICE_MOST_PACKED]; /* in `memory`, one grid's behind the other's; of one grid the first */
    uint32_t packed_count;                               /* grids, as of the last product */
    struct tsr__values values;                           /* of operands that are computed, of `packed`, too */
    uint64_t across, down;                               /* packets that are to come */
    int64_t pitch;                                       /* rows of C in `c` that there is room for in a column of the grid */
    uint32_t count, alone;
    uint32_t columns;    /* of the grid: operands B, or pairs of them */
    bool is_open;        /* the current packet may go on with its loop */
    bool values_full;    /* first time: there was no room for more values */
    bool is_noted;       /* first time: it is the last one of `packets` */
    uint32_t next;       /* second time: the packet that comes next */
    uint32_t parts_left; /* … and parts of the current one, whose results it has */
    struct part_end {
        const char *a, *b;
        struct tsr_tile_matrix in_a, in_b;
    } end; /* first time: where the next part of the current packet has to begin */
    struct {
        bool is_kept; /* its segments are noted until the packet ends */
        uint32_t count;
        struct tsr__segment a[TSR__GRID_MOST_SEGMENTS], b[TSR__GRID_MOST_SEGMENTS];
        struct tsr_tile_loop loop; /* of the first one */
    } now;                         /* first time: of the current packet */
    uint32_t segment_count;        /* of each of those that are done together */
    int64_t segment_steps[TSR__GRID_MOST_SEGMENTS];
    const char *of_segment[2][TSR__MOST_SIDE]; /* A and B while one of them is multiplied */
    bool is_expected;                          /* `packets` are those that its first row and column lead to expect (tiles_samples.c) */
    uint32_t in_row;                           /* of the samples: packets of the first row of groups */
    uint32_t unexpected;                       /* loops that were none of those */
    struct {
        struct tsr_tile_loop shape;
        struct tsr_tile_matrix a[TSR__MOST_SIDE], b[TSR__MOST_SIDE]; /* with edges */
    } asked;                                                         /* what those that are expected ask for */
    struct tsr__packet_note {
        const char *a, *b; /* of the first part */
        int64_t steps;
        uint32_t parts;
        uint16_t row, column; /* of the grid */
        uint16_t of_a, of_b;  /* of loops that are expected: their places in `asked` */
        bool together;        /* the others' product has its results */
    } packets[TSR__TWICE_MOST_PACKETS];
    bool taken[TSR__TWICE_MOST_ROWS][2 * TSR__TWICE_MOST_TILES]; /* rows and columns of the grid */
    char *to[TSR__TWICE_MOST_ROWS * TSR__TWICE_MOST_TILES];
    _Alignas(TSR_TILE_ROW_BYTES) char memory[TSR__GRID_BYTES];
    _Alignas(TSR_TILE_ROW_BYTES) char c[TSR__TWICE_C_BYTES];
};

struct tsr__tile_twice {
    struct tsr__twice_loops loops[TSR_TILE_LOOPS];
    struct tsr__grids grids;
};

/* May the first pass over `across` by `down` packets be tried with a few work-groups (tiles_samples.c)? */
bool tsr__tile_samples_may_do(const struct tsr__run *run, uint64_t across, uint64_t down);
/* The first row and then the rest of the first column are noted: notes for all groups what these lead to expect. False: they do not. */
bool tsr__tile_samples_expect(struct tsr__run *run, uint64_t across, uint64_t down);
/* The note of the loop that a packet comes to the second time, of those that are expected. NULL: it is none of them. */
const struct tsr__packet_note *tsr__tile_samples_expected(struct tsr__run *run, struct tsr__twice_loops *loops,
                                                          const struct tsr_tile_loop *x);

#endif
