/* SPDX-License-Identifier: Apache-2.0
 * Shuffles of vectors by constant numbers, and vectors with the same in each element. An element's number counts through the first operand,
 * then through the second. */
#ifndef TESSERA_LANES_IR_SHUFFLES_H
#define TESSERA_LANES_IR_SHUFFLES_H

#include <limits.h>

#include "lanes/ir/ir.h"

/* ---- made ---- */

/* The number of an element that nobody reads: it becomes poison. */
#define TSR__NO_ELEMENT UINT_MAX

/* A constant of the type, a vector of at most TSR__MAX_ELEMENTS or a scalar, with every element this one, or this number. */
LLVMValueRef tsr__splat_constant(LLVMTypeRef type, LLVMValueRef element);
LLVMValueRef tsr__splat_number(LLVMTypeRef type, uint64_t number);
/* A vector of `count` elements, each of which is the scalar. */
LLVMValueRef tsr__splat_scalar(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef scalar, unsigned count);
/* The vector whose element i is number from[i] of `x`, or of `x` and `y`. `y` may be NULL. */
LLVMValueRef tsr__pick_elements(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                                unsigned count);
/* `count` elements of these from number `first` on. */
LLVMValueRef tsr__take_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned count);
/* All of `x`, then all of `y`, which is as long. */
LLVMValueRef tsr__concat_pair(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y);
/* `count` vectors, a power of two, one after the other. The array is written over. */
LLVMValueRef tsr__join_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef *parts, unsigned count);

/* ---- read ---- */

/* The number that element `i` of a shuffle is taken by; TSR__NO_ELEMENT: it is poison. */
unsigned tsr__shuffle_number(LLVMValueRef shuffle, unsigned i);
/* Where element `i` of a shuffle comes from: element `element` of operand `operand`. False: it is poison. */
bool tsr__shuffle_source(LLVMValueRef shuffle, unsigned i, unsigned *operand, unsigned *element);
/* Is it a shuffle whose element i is number first + i * step, for each i? */
bool tsr__picks_every(LLVMValueRef v, unsigned first, unsigned step);
/* Is it what tsr__concat_pair makes? */
bool tsr__is_concat_pair(LLVMValueRef v);

#endif
