/* SPDX-License-Identifier: Apache-2.0
 * Tiles where no matrix unit is used: the contract between generated code (lanes/), which calls the tile functions of struct tsr_rt, and
 * the device (device-amx/tiles_*.c), which has them.
 *
 * Shapes. A tile is 16 rows of 64 bytes. C is a tile of 16 x 16 words: i32, or f32 where elements have a fraction. A is a tile of 16 rows
 * with 64 bytes of K; B is packed as AMX packs it: a row holds one word of K (four bytes, or two elements of two bytes) for 16 columns, so
 * its 16 rows are 64 bytes of K, too. With TSR_TILE_HALF_K, A has 32 bytes of K in a row and B has 8 rows.
 *
 * With TSR_TILE_NIBBLES the product names the signs of numbers of 4 bits, of which bytes hold two: the lower halves of the bytes of A meet
 * those of B, and the upper ones likewise. So a step has 64 products, as one of whole tiles of bytes.
 *
 * Layout. A tile in one piece has its rows next to each other, 1024 bytes. In memory, rows lie at a stride: any number of bytes, also a
 * negative one. Strides, steps and distances are in bytes. Nothing outside the rows is read or written, so operands may end where memory
 * does.
 *
 * Alignment. Accumulators, operands and tiles in one piece: 64 bytes. A and B in memory: none. What goes past the caches must fill lines;
 * the device looks and writes the usual way otherwise.
 *
 * Rounding. With TSR_TILE_IN_MODEL and for integers and TSR_TILE_BF16_PAIRS: the bits of AMX's instruction, or of VDPBF16PS. Otherwise
 * elements with a fraction are multiplied and added in the order of the sources of the matrix functions: one fused operation for each
 * element of K, in ascending order.
 *
 * Who may call: code of a packet, on its own stack, with the item that it runs. Several at once, on memory of their own. The functions call
 * nobody and do not fail. A product may be asked for only where the target's features have what it needs; without TSR_TILE_IN_MODEL these
 * are TSR_CPU_TILES_VECTORS, and TSR_CPU_AVX512BF16 for TSR_TILE_BF16_PAIRS.
 *
 * device-amx/test/tileloop_test.c and tiles_test.c hold each implementation to this. */
#ifndef TESSERA_TILES_H
#define TESSERA_TILES_H

#include <stdint.h>

#include "tessera/abi.h"

/* Products of a row of A with columns of B packed in words, as AMX's instructions make them; BF16_PAIRS is BF16 by VDPBF16PS. A word of
 * TF32 is one number, of whose bits the low 13 do not count; it is made by vectors alone. */
enum tsr_tile_product {
    TSR_TILE_S8S8,
    TSR_TILE_S8U8,
    TSR_TILE_U8S8,
    TSR_TILE_U8U8,
    TSR_TILE_BF16,
    TSR_TILE_F16,
    TSR_TILE_BF16_PAIRS,
    TSR_TILE_TF32
};

/* The parameter `how`: an enum tsr_tile_product, and bits. */
enum {
    TSR_TILE_PRODUCT = 7, /* mask */
    TSR_TILE_IS_B = 8,
    TSR_TILE_IN_MODEL = 16,      /* plain C */
    TSR_TILE_HALF_K = 32,        /* 32 bytes of K, 8 rows of packed B; not of single products by vectors */
    TSR_TILE_B_ROWS = 64,        /* of a loop, but not of TF32: B is not packed */
    TSR_TILE_IN_AMX = 256,       /* by AMX's instructions; of a loop */
    TSR_TILE_MAY_WAIT = 128,     /* of a loop: may be done after its packet, with the loops of other work-groups */
    TSR_TILE_A_EDGES = 512,      /* of a loop: A lies in the matrix `a_matrix`, elements outside of which are zero */
    TSR_TILE_B_EDGES = 1024,     /* the same of B and `b_matrix` */
    TSR_TILE_TWICE = 2048,       /* of a loop: its packet may run twice */
    TSR_TILE_GOES_ON = 4096,     /* with TWICE: the same packet may ask for more products for the same accumulators */
    TSR_TILE_FROM_ZERO = 8192,   /* with GOES_ON: these are zero when a packet asks for the first time */
    TSR_TILE_HALF_N = 16384,     /* of a loop of one tile: B and C have 8 columns */
    TSR_TILE_NIBBLES = 32768,    /* of a loop with HALF_K, of bytes: each byte of A and B holds two numbers of 4 bits */
    TSR_TILE_B_COLUMNS = 65536,  /* of a loop, without B_EDGES: B is not packed, its columns lie side by side */
    TSR_TILE_IN_ORDER = 1 << 17, /* with MAY_WAIT: its packet comes to it again, and may store to the same places then */
    TSR_TILE_B_UNPACKED = TSR_TILE_B_ROWS | TSR_TILE_B_COLUMNS, /* mask */
    TSR_TILE_A_COMPUTED = 1 << 18,  /* of a loop, without NIBBLES and A_EDGES: `a_code` computes A from the values at `a` */
    TSR_TILE_B_COMPUTED = 1 << 19,  /* the same of B, without B_UNPACKED, HALF_N, NIBBLES and B_EDGES */
    TSR_TILE_SAME_PARTS = 1 << 20,  /* with GOES_ON: packets that ask at all ask as often as others, each time for as many steps as these */
    TSR_TILE_A_COLUMNS = 1 << 21,   /* of a product of matrices: rows of A do not lie side by side, its columns do */
    TSR_TILE_ADDS = 1 << 22,        /* of a product of matrices: it is added to C */
    TSR_TILE_EIGHT_ROWS = 1 << 23,  /* of A of a single product in the model: it has 8 rows; so has what is added to C */
    TSR_TILE_LOOP_NUMBER = 3 << 24, /* mask, of a loop with TWICE: its number among those of the packet's rounds */
    TSR_TILE_KEEPS = 1 << 26,       /* of a tile that is packed: nothing writes to its rows while the launch runs */
    TSR_TILE_OF_DEVICE = 1 << 28,   /* never asked for: the device's own */
};
enum {
    TSR_TILE_LOOP_SHIFT = 24,
    TSR_TILE_LOOPS = 4, /* that rounds of a packet have, at most */
    TSR_TILE_OPERAND_BYTES =
        2 * TSR_TILE_BYTES + 64, /* of A or B made ready for one kind of product: what is in it is the device's affair */
    TSR_TILE_LOOP_MAX = 16,      /* accumulators */
    TSR_TILE_KEPT = 256,         /* tiles that stay where tile_pack has answered that they are */
    TSR_TILE_VALUE_BYTES = 2048, /* that an operand is computed from, at most */
    TSR_TILE_PACKED_BYTES = TSR_TILE_LOOP_MAX * TSR_TILE_BYTES,
    TSR_TILE_STACK_BYTES = 40960, /* most stack that the device's functions for tiles take */
};

/* Shapes of AMX's tile registers, one for all that a kernel runs: whole tiles; two registers for the operands of half a step of K beside
 * six whole ones; or accumulators and A of eight rows. */
enum tsr_tile_shapes { TSR_TILE_SHAPES_WHOLE, TSR_TILE_SHAPES_HALVES, TSR_TILE_SHAPES_EIGHT_ROWS, TSR_TILE_SHAPES };
struct tsr_tile_shape {
    uint8_t rows, bytes; /* bytes of a row */
};
/* The shape of a register. */
static inline struct tsr_tile_shape tsr_tile_shape(enum tsr_tile_shapes shapes, unsigned number)
{
    enum { B = TSR_TILE_ROW_BYTES, R = TSR_TILE_ROWS };
    static const struct tsr_tile_shape table[TSR_TILE_SHAPES][TSR_TILE_COUNT] = {
        [TSR_TILE_SHAPES_WHOLE] = {{R, B}, {R, B}, {R, B}, {R, B}, {R, B}, {R, B}, {R, B}, {R, B}},
        [TSR_TILE_SHAPES_HALVES] = {{R, B}, {R, B}, {R, B}, {R, B}, {R, B}, {R, B}, {R, B / 2}, {R / 2, B}},
        [TSR_TILE_SHAPES_EIGHT_ROWS] = {{R / 2, B}, {R / 2, B}, {R / 2, B}, {R / 2, B}, {R / 2, B}, {R / 2, B / 2}, {R, B}, {R, B}},
    };
    return table[shapes][number];
}

/* The functions of struct tsr_rt:
 *
 * tile_move     copies a tile, row after row; a row may go where it comes from.
 * tile_operand  makes an operand of a tile of A, or with TSR_TILE_IS_B of B, for the product in `how`.
 * tile_multiply adds the product of two operands, made with the same `how`, to an accumulator: a tile of C in one piece.
 * tile_loop     does a whole loop over K, as struct tsr_tile_loop says. Answers 0: the results are in the accumulators, `c`; or not 0: they
 *               have been stored at `to`, and the accumulators' contents are undefined. With TSR_TILE_MAY_WAIT they may also be stored
 *               there later, before the launch ends: A, B and `to` are in global memory, nothing in the packet looks at memory after the
 *               loop, and the kernel does nothing by which work-groups could wait for each other. With TSR_TILE_IN_ORDER the packet calls
 *               it again, in a loop around this one in which nothing else looks at memory: results that are not stored at once are
 *               stored in the order of the calls, where that matters, and before A and B of a later call are read, if they overlap these.
 *
 *               With TSR_TILE_TWICE a packet may run twice: up to the loop, and with the loop's results from its beginning to its end. Up
 *               to the loop it does nothing that others see, and calls this function for nothing else. If the answer is not 0, this is
 *               the first time, which some packets do without, and the packet ends at once; the accumulators' contents are undefined.
 *               `to` is not used. With TSR_TILE_GOES_ON the packet ends where tile_first says so, and the answer is not looked at. The
 *               calls of a packet are then parts of one loop; accumulators keep what the last call left in them. If the rounds of a
 *               packet are those of several loops, which have no operand in common, it asks for all of them in the order of their
 *               numbers, each time, and ends behind the last one.
 * tile_first    is asked where a packet leaves the code that leads to such a loop, but for the loop's own end without TSR_TILE_GOES_ON. Not
 *               0: the packet ends at once.
 * tile_pack     packs a tile of B, in one piece, from rows of 16 elements with the same K, a stride apart. Leaves AMX's registers alone.
 *               Answers where the tile is: at `to`, or with TSR_TILE_KEEPS maybe in memory of the device, where it stays until the packet
 *               has asked for TSR_TILE_KEPT others.
 * matrix_product  multiplies whole matrices, C = A B or with TSR_TILE_ADDS C + A B: A has `rows` rows and `depth` columns, B `depth` rows
 * and `columns` columns. All are by rows, which lie a stride of bytes apart, but with TSR_TILE_A_COLUMNS A is by columns, and with
 *               TSR_TILE_B_COLUMNS B is; no size has to fill anything. `how` names a product in AMX's registers, or in the model of them.
 *               With TSR_TILE_MAY_WAIT C may be stored later, as that of a loop; A, B and C are in global memory then. Called by one
 *               work-item; what AMX's registers hold is lost. C overlaps neither A nor B. */

/* A matrix in memory, for an operand that may lie outside in part: `width` bytes and `height` rows, 0 of them if negative. The operand's
 * first row begins at byte x of row y. */
struct tsr_tile_matrix {
    int64_t x, y, width, height;
};

/* Generated code that computes an operand of a loop: of steps first to first + steps - 1 the tile with this number, row r of step s to
 * to + (s - first) * next + r * stride. It reads global memory, and `values`: those of the packet that it depends on, the same bytes for
 * the same operand. It may be called by any thread while the launch runs, also once the packet has ended. */
typedef void tsr_tile_code(const void *values, int64_t first, int64_t steps, uint32_t tile, char *to, int64_t stride, int64_t next);

/* A loop over K: rows x columns tiles of C get the products of rows tiles of A, which lie under each other, and columns tiles of B.
 * In step s, row r of row i's A is at a + s * a_step + i * a_next + r * a_stride, and row r of column j's B is at
 * b + s * b_step + j * b_next + r * b_stride. With TSR_TILE_B_ROWS, a row of B is 16 elements with the same K, as matrices by rows have
 * them, and there are as many as K has elements. With TSR_TILE_B_COLUMNS, it is a column: the step's words of K, and there are 16, or 8.
 * Else it is 16 words. A, B, accumulators and operands do not overlap; `to` may overlap A and B, then the device does not use it. rows,
 * columns and steps are at least 1, rows * columns at most TSR_TILE_LOOP_MAX.
 *
 * The tiles of A and C may have fewer rows, 1, 2, 4, or 8 (`tile_rows`), if `rows` is 1. The tiles in `c` have room for 16 rows all the
 * same; what is in the others afterwards is undefined.
 *
 * With TSR_TILE_HALF_N rows of packed B, and of C at `to`, have 32 bytes. Those of the tile in `c` are 64 bytes apart, and what is in their
 * other halves afterwards is undefined. There is one tile.
 *
 * With TSR_TILE_A_COMPUTED, `a_code` makes the tiles of A; `a` are its `a_bytes` bytes of values, which need not be there once the function
 * answers, and a_stride, a_step and a_next are 0. A, whatever the code reads for it, is not written before the loop is done, unless
 * by the packet itself, behind a loop that does not wait. B likewise.
 *
 * If sums are `apart`, steps is a multiple of that, and each begins with zero. The accumulators get no sums, but in each 32 bytes of each
 * row of a tile four words of 64 bits: where this part of the row of the first sum is; how far behind it that of the next sum; and how far
 * the next row is. The fourth one is 0, and so is the first one if the device does not make the sums.
 *
 * With TSR_TILE_A_EDGES, rows of A are rows of `a_matrix`: a_stride is the distance of these, tiles under each other are 16 rows apart, and
 * steps go to the right. With TSR_TILE_B_EDGES, rows of B are rows of `b_matrix`, and steps go down by the rows of a step. Nothing outside
 * of the matrix is read. */
struct tsr_tile_loop {
    const char *a, *b;          /* of the first step */
    int64_t a_stride, b_stride; /* from row to row */
    int64_t a_step, b_step;     /* to the next 64 bytes of K, or 32 */
    int64_t a_next, b_next;     /* from a tile of A to the one under it, and from a tile of B to the one beside it */
    int64_t steps, rows, columns;
    int64_t apart;     /* not 0: so many steps are a sum of their own; with TSR_TILE_TWICE, without GOES_ON and NIBBLES, and only of what is
                        * multiplied by VPDPBUSD or VDPBF16PS */
    int64_t tile_rows; /* of a tile of A and of C */
    uint64_t how;      /* an enum tsr_tile_product, and bits */
    uint64_t zero;     /* not 0: C counts as zero before the loop, whatever it holds */
    void *operands;    /* memory for rows + columns operands, in the model */
    void *packed;      /* memory of TSR_TILE_PACKED_BYTES, with TSR_TILE_B_UNPACKED */
    char *to;          /* where the tiles are to lie at last, side by side and under each other; they may go there at once. Or NULL */
    int64_t to_stride;
    uint64_t past; /* not 0: past the caches, if the rows fill lines */
    struct tsr_tile_matrix a_matrix, b_matrix;
    tsr_tile_code *a_code, *b_code;
    uint64_t a_bytes, b_bytes;  /* of values, at most TSR_TILE_VALUE_BYTES, a multiple of 8 */
    void *c[TSR_TILE_LOOP_MAX]; /* row after row, each a tile in one piece, aligned to 64 */
};

#endif
