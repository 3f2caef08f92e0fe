/* SPDX-License-Identifier: Apache-2.0
 * The calls that the engine knows by name: primitives, dot products, MADW; and the placeholders that later passes lower. */
#ifndef TESSERA_LANES_IR_CALLS_H
#define TESSERA_LANES_IR_CALLS_H

#include "lanes/ir/ir.h"

/* Name of a primitive that an instruction calls, without its prefix, or NULL. */
const char *tsr__primitive_called(LLVMValueRef inst);
/* Is it a dot product of the built-in library that the packet has an instruction for? Then it is not inlined. */
bool tsr__is_dot(struct tsr__compilation *l, LLVMValueRef function);
/* The function of two vectors of four bytes, or of two words of them, that does not accumulate. */
const char *tsr__dot_name(bool a_signed, bool b_signed, bool packed);

struct tsr__dot {
    const char *name;
    bool a_signed, b_signed, packed, accumulates;
};
/* The dot product of the built-in library called so, or NULL. */
const struct tsr__dot *tsr__dot_named(const char *name);

#define TSR__MADW_LOW "tessera_madw_low_word"

#define TSR__MADW_HIGH "tessera_madw_high_word"

/* Is it one of them? Then it is not inlined. */
bool tsr__is_madw(LLVMValueRef function);

/* The flags of a barrier that is the middle of an exchange. */
enum { TSR__EXCHANGE_FENCE = 1 << 30 };

/* Where a packet puts so many bytes (a constant i32) for the others; those of the packet before lie right before that. */
LLVMValueRef tsr__exchange_own_slot(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size);
/* Waits for all of them; then, where what the first packet has put down is. */
LLVMValueRef tsr__exchange_all_slots(struct tsr__compilation *l, LLVMBuilderRef b);

/* What the name of an operation on 2D blocks begins with. */
#define TSR__BLOCK2D_PREFIX "tsr.block2d_"

/* An operation on a 2D block.
 *
 * The vectoriser leaves each call of __tsr_block2d_<action> (builtins/block2d.h) as one operation of the packet, a call of
 *
 *     { <lanes x T>, … } tsr.block2d_<action>(the same arguments, where those that are no numbers are <lanes x T>, …)
 *
 * with a vector for each value of a work-item.
 *
 * Builds the operation that stands for the function called `name`. `args`: what is the same for all lanes, then the vectors that it takes.
 * `result`: the vectors that it gives. */
LLVMValueRef tsr__block2d_build(struct tsr__compilation *l, LLVMBuilderRef b, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                                unsigned count);

/* What stands for the address of an array in local memory, until its layout is decided. */
#define TSR__LOCAL_ARRAY "__tsr_local_array"

/* The placeholder for the address of such an array, from the pass `local_memory` until the pass `transpose_local` has settled the layouts:
 * (offset in local memory, rows, columns, bytes of an element). NULL: `type` is no such array. */
LLVMValueRef tsr__local_array_placeholder(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, uint64_t offset);

#endif
