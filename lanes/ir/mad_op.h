/* SPDX-License-Identifier: Apache-2.0
 * The matrix operation of a packet, between the pass that makes it (widen_full, widen_partial) and those that choose instructions for it
 * (tiles, lower_mad).
 *
 * A call of a matrix function becomes one call of
 *
 *     { <lanes x c>, … } tsr.mad<lanes>.<f>.<called>.<name>(<lanes x a>, …, <lanes x i32> × 8, <lanes x c>, …)
 *
 * with one vector for each scalar of a lane's arguments a, b and c. <f> and <called> are indices into the table of overloads: <f> is the
 * function that is computed, <called> the one that the program called, whose <name> it bears. The operation has no side effects, so LLVM
 * moves it as it would an addition. A function of 4-bit numbers becomes two operations of bytes, whose operands are calls of
 *
 *     <lanes x t> tsr.nibbles.<lower or upper>.<element>.<type>(<lanes x t>)
 *
 * each the lower or the upper halves of all bytes of a vector, as bytes. A split function becomes the operation
 * of a sub-group of 16 with the same matrices. */
#ifndef TESSERA_LANES_IR_MAD_OP_H
#define TESSERA_LANES_IR_MAD_OP_H

#include "lanes/ir/ir.h"
#include "tessera/matrix.h"

enum { TSR__MAX_M = 8, TSR__WORDS = 8 }; /* rows of D; 32-bit words in a row of A, and rows of packed B */

struct tsr__mad {
    LLVMValueRef call;
    const struct tsr_matrix_builtin *f;
    const struct tsr_matrix_builtin *called; /* by the program: f; a split one; or one of 4-bit numbers, of which this is a half */
    unsigned lanes, a_count;                 /* vectors of A; of B there are TSR__WORDS, of C and D f->m */
};

/* The overload that a function of the built-in library is, if the engine has instructions for it on this CPU; else NULL, and kernels that
 * call it run as in the reference engine. */
const struct tsr_matrix_builtin *tsr__mad_overload(struct tsr__compilation *l, LLVMValueRef function);
/* Builds the operation. `operands`: the vectors of a, b and c. */
LLVMValueRef tsr__mad_build(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr_matrix_builtin *f, unsigned lanes,
                            LLVMValueRef *operands, unsigned count);
/* Is the instruction a matrix operation? Fills `mad`. */
bool tsr__mad_read(LLVMValueRef instruction, struct tsr__mad *mad);
/* The extractvalues of the rows of its result; false: a row has none or several, or something else uses the result. */
bool tsr__mad_results(const struct tsr__mad *mad, LLVMValueRef *rows);
/* Have both operations the same operands from number `first` on, `count` of them? */
bool tsr__mads_share(const struct tsr__mad *a, const struct tsr__mad *b, unsigned first, unsigned count);
static inline LLVMValueRef tsr__mad_a(const struct tsr__mad *mad, unsigned i)
{
    return LLVMGetOperand(mad->call, i);
}
static inline LLVMValueRef tsr__mad_b(const struct tsr__mad *mad, unsigned i)
{
    return LLVMGetOperand(mad->call, mad->a_count + i);
}
static inline LLVMValueRef tsr__mad_c(const struct tsr__mad *mad, unsigned i)
{
    return LLVMGetOperand(mad->call, mad->a_count + TSR__WORDS + i);
}
/* The vector of which the value is the lower or the upper halves of bytes, or NULL: it is no such call. `upper`: which, or NULL. */
#define TSR__NIBBLES "tsr.nibbles."
LLVMValueRef tsr__nibbles_of(LLVMValueRef v, bool *upper);
/* Makes instructions of these calls. */
void tsr__nibbles_lower(struct tsr__compilation *l, LLVMValueRef function);
/* Are there matrix operations in the function? */
bool tsr__has_mads(LLVMValueRef function);
/* For reports: what became of the function that the program calls. */
const char *tsr__mad_origin(const struct tsr__mad *mad);
/* Puts the rows of D in the operation's place and drops it. */
void tsr__mad_replace(struct tsr__compilation *l, const struct tsr__mad *mad, LLVMValueRef *rows);

/* Calls, without effect, that stand where a packet with matrix operations begins or ends: from the passes `packet_loop` and
 * `barrier_regions` to the pass `tiles`, which wants to know what comes before and after a product. */
enum tsr__packet_mark {
    TSR__PACKET_ENDS = 1,    /* in the loop over packets: nothing comes after it */
    TSR__PACKET_RETURNS = 2, /* the same in a function with barrier regions */
    TSR__PACKET_PAUSES = 4,  /* at a barrier; other packets go on */
    TSR__PACKET_RESUMES = 8, /* behind it */
    TSR__PACKET_STOPS = TSR__PACKET_ENDS | TSR__PACKET_RETURNS | TSR__PACKET_PAUSES,
};
/* The first call of one of these kinds in the block, or NULL. */
LLVMValueRef tsr__packet_mark_in(LLVMBasicBlockRef block, unsigned kinds);
void tsr__packet_mark_build(struct tsr__compilation *l, LLVMBuilderRef b, enum tsr__packet_mark kind);
bool tsr__is_packet_mark(LLVMValueRef function);
/* Drops all of them. */
void tsr__packet_marks_drop(struct tsr__compilation *l);

/* Why it is not made in tiles: noted by the pass `tiles`, told by the pass `lower_mad`; NULL: nothing was noted. */
void tsr__mad_note(struct tsr__compilation *l, LLVMValueRef call, const char *why);
const char *tsr__mad_why(struct tsr__compilation *l, LLVMValueRef call);

#endif
