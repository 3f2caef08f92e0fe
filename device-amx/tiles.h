/* SPDX-License-Identifier: Apache-2.0
 * Tiles where no matrix unit is used: what generated code calls in place of AMX's instructions. */
#ifndef TESSERA_CPU_TILES_H
#define TESSERA_CPU_TILES_H

#include <stdbool.h>

#include "tessera/item.h"

enum { TSR__TILE_ROWS = 16, TSR__TILE_BYTES = 64, TSR__TILE_WORDS = 16 };

/* The functions of struct tsr_rt (tiles_model.c). */
void tsr__tile_move(struct tsr_item *item, void *to, uint64_t to_stride, const void *from, uint64_t from_stride);
void tsr__tile_operand(struct tsr_item *item, void *operand, const void *from, uint64_t stride, uint32_t how);
void tsr__tile_multiply(struct tsr_item *item, void *accumulator, const void *a, const void *b, uint32_t how);
/* (tiles_loop.c) */
uint32_t tsr__tile_loop(struct tsr_item *item, const struct tsr_tile_loop *loop);

/* As AMX does it; BF16_PAIRS: as VDPBF16PS does. */
void tsr__tile_multiply_model(void *accumulator, const void *a, const void *b, enum tsr_tile_product product);

/* With AVX-512 VNNI, and its BF16 for that product; other numbers with a fraction as below (tiles_vectors.c). */
void tsr__tile_operand_vectors(void *operand, const void *from, uint64_t stride, uint32_t how);
void tsr__tile_multiply_vectors(void *accumulator, const void *a, const void *b, enum tsr_tile_product product);

/* Numbers with a fraction in the strict order, with AVX-512 or AVX2; there is at least one tile. Operands are tiles as they are, and A and
 * B are where C does not go (tiles_numbers.c). */
void tsr__tile_loop_numbers(const struct tsr_tile_loop *loop);
void tsr__tile_multiply_numbers(void *accumulator, const void *a, const void *b, enum tsr_tile_product product);

/* A row of C in a tile of the loop, and where it goes. */
static inline char *tsr__loop_row(const struct tsr_tile_loop *x, uint64_t row, uint64_t column)
{
    return (char *)x->c[row / TSR__TILE_ROWS * x->columns + column] + row % TSR__TILE_ROWS * TSR__TILE_BYTES;
}

static inline char *tsr__loop_goal(const struct tsr_tile_loop *x, uint64_t row, uint64_t column)
{
    return x->to ? x->to + row * x->to_stride + column * TSR__TILE_BYTES : tsr__loop_row(x, row, column);
}

#endif
