/* SPDX-License-Identifier: Apache-2.0
 * Calls that the engine knows by name (engine_calls.def, dot products, MADW), and the placeholder calls that one pass makes and a later
 * pass lowers. */
#ifndef TESSERA_LANES_IR_CALLS_H
#define TESSERA_LANES_IR_CALLS_H

#include "lanes/ir/ir.h"

/* ---- functions of engine_calls.def ---- */

/* What the names of all of them begin with. */
#define TSR__CALL_PREFIX "__tsr_"

enum tsr__engine_call {
    TSR__CALL_NONE,
#define TSR_PRIMITIVE(NAME, name, type, how, field, size, sees) TSR__CALL_##NAME,
#define TSR_PLACEHOLDER(NAME, name, type, how) TSR__CALL_##NAME,
#define TSR_COLLECTIVE(NAME, name, result) TSR__CALL_##NAME,
#include "lanes/ir/engine_calls.def"
    TSR__CALL_COUNT
};

enum tsr__call_how {
    TSR__HOW_GROUP_DIM,
    TSR__HOW_ITEM_DIM,
    TSR__HOW_GLOBAL_DIM,
    TSR__HOW_GROUP,
    TSR__HOW_ITEM,
    TSR__HOW_SITE,
    TSR__HOW_RT,
    TSR__HOW_LOOP,
    TSR__HOW_EXCHANGE,
    TSR__HOW_LAYOUT,
    TSR__HOW_COLLECTIVE
};

enum tsr__call_type { TSR__CALL_VOID, TSR__CALL_U32, TSR__CALL_U64, TSR__CALL_PTR };

/* What the work-items of a kernel know: their global ids only, so that they do the same whatever their work-groups are; the ids in groups
 * and of groups, too; local memory and barriers; or sub-groups. */
enum tsr__visibility { TSR__SEES_RANGE, TSR__SEES_NUMBERS, TSR__SEES_GROUPS, TSR__SEES_SUB_GROUPS };

enum tsr__collective_result {
    TSR__RESULT_UNIFORM,
    TSR__RESULT_GROUP,
    TSR__RESULT_BY_VALUE,
    TSR__RESULT_VARYING,
    TSR__RESULT_BY_LANE,
    TSR__RESULT_BY_CLUSTER
};

struct tsr__call_info {
    const char *name; /* without the prefix */
    size_t length;    /* of the name */
    enum tsr__call_how how;
    enum tsr__call_type type;           /* of the result; not of a collective */
    size_t offset;                      /* of the field: in struct tsr_group, tsr_item or tsr_rt */
    bool small;                         /* the result is less than TSR_WORK_GROUP_BOUND */
    enum tsr__visibility sees;          /* of a primitive as the table says; GROUPS of an array in local memory; else SUB_GROUPS */
    enum tsr__collective_result result; /* of a collective */
};

/* The function that an instruction calls; NONE: it calls none of them, or nothing. */
enum tsr__engine_call tsr__call_of(LLVMValueRef instruction);
enum tsr__engine_call tsr__call_of_function(LLVMValueRef function);
/* What the table says; of NONE the name is "". */
const struct tsr__call_info *tsr__call_info(enum tsr__engine_call call);
static inline bool tsr__is_collective(enum tsr__engine_call call)
{
    return tsr__call_info(call)->how == TSR__HOW_COLLECTIVE;
}
/* Does it lower to code that needs the work-item? */
static inline bool tsr__is_primitive(enum tsr__engine_call call)
{
    return call != TSR__CALL_NONE && tsr__call_info(call)->how <= TSR__HOW_RT;
}
/* Is it a number that can be asked for anywhere, any number of times? */
static inline bool tsr__is_query(enum tsr__engine_call call)
{
    enum tsr__call_how how = tsr__call_info(call)->how;
    return call != TSR__CALL_NONE && (how < TSR__HOW_SITE || how == TSR__HOW_LOOP);
}
static inline bool tsr__is_block2d(enum tsr__engine_call call)
{
    return call == TSR__CALL_BLOCK2D_READ || call == TSR__CALL_BLOCK2D_WRITE || call == TSR__CALL_BLOCK2D_PREFETCH;
}
/* The function, if the module has it; or NULL. */
LLVMValueRef tsr__find_call(struct tsr__compilation *l, enum tsr__engine_call call);
/* Declares or finds the function, of this type. */
LLVMValueRef tsr__declare_call(struct tsr__compilation *l, enum tsr__engine_call call, LLVMTypeRef type);
/* Asks for the result of a primitive or placeholder. dim: -1 for one without dimensions. */
LLVMValueRef tsr__build_query(struct tsr__compilation *l, LLVMBuilderRef b, enum tsr__engine_call call, int dim);

/* ---- other functions, and operations of a packet ---- */

/* Is it a dot product of the built-in library that the packet has an instruction for? Then it is not inlined. */
bool tsr__is_dot(struct tsr__compilation *l, LLVMValueRef function);
/* The function of two vectors of four bytes, or of two words of them, that does not accumulate. */
const char *tsr__dot_name(bool a_signed, bool b_signed, bool packed);

enum tsr__dot_sum { TSR__DOT_NONE, TSR__DOT_CLAMPED, TSR__DOT_WRAPPED, TSR__DOT_HALVES, TSR__DOT_BFLOAT16, TSR__DOT_SUMS }; /* dot.def */
struct tsr__dot {
    const char *name;
    bool a_signed, b_signed, packed;
    enum tsr__dot_sum sum;
};
/* The dot product of the built-in library called so, or NULL. */
const struct tsr__dot *tsr__dot_named(const char *name);

enum tsr__math_operation {
    TSR__MATH_SCALE,
    TSR__MATH_LDEXP,
    TSR__MATH_SIGNIFICAND,
    TSR__MATH_EXPONENT,
    TSR__MATH_NEVER,
    TSR__MATH_POWER,
    TSR__MATH_ODD,
    TSR__MATH_RSQRT,
    TSR__MATH_ROOT,
    TSR__MATH_ROUGH_RSQRT,
    TSR__MATH_ROUGH_RECIP
};

/* A piece of math functions of the built-in library: lanes/ir/math_op.def. */
struct tsr__math_op {
    const char *name;
    enum tsr__math_operation operation;
    unsigned bits; /* of a number */
};
/* Marks the function, if it is a piece for which the CPU has instructions: then it is not inlined. */
bool tsr__keep_math_op(struct tsr__compilation *l, LLVMValueRef function);
/* The piece that a function with that mark is, or NULL. */
const struct tsr__math_op *tsr__math_op(LLVMValueRef function);

#define TSR__MADW_LOW "tessera_madw_low_word"

#define TSR__MADW_HIGH "tessera_madw_high_word"

/* Is it one of them? Then it is not inlined. */
bool tsr__is_madw(LLVMValueRef function);

/* Whether the instruction does more than compute a number or read memory. Queries of the engine and intrinsics without memory do not. */
bool tsr__has_effect(LLVMValueRef inst);
/* Is it a function of LLVM that only tells passes something? */
bool tsr__is_hint(LLVMValueRef callee);
/* May the function, or the instruction, write to memory, or order what others write? */
bool tsr__may_change_memory(LLVMValueRef function);
bool tsr__may_write(LLVMValueRef inst);

/* Is it LLVM's minimum or maximum of integers? */
bool tsr__is_extreme(LLVMValueRef function);

/* Is it a function of the built-in library that reads or writes an image (builtins/image.cl)? Then it is not inlined. */
bool tsr__is_image(LLVMValueRef function);

/* Is it a function of the built-in library that hardly ever runs (COLD in builtins/library.h)? Then it is not inlined. */
bool tsr__is_cold(LLVMValueRef function);

/* Is it a function of the built-in library that makes a number of numbers and is large? If it is called many times it is not inlined
 * either. */
bool tsr__may_outline(LLVMValueRef function);

/* Marks cold functions and those of many calls, which stay calls (lanes/prepare/outlined.h). */
void tsr__mark_outlined(struct tsr__compilation *l, LLVMValueRef function);
bool tsr__is_marked_outlined(LLVMValueRef function);

/* The flags of a barrier that is the middle of an exchange. */
enum { TSR__EXCHANGE_FENCE = 1 << 30 };

/* Where a packet puts `size` bytes (a constant i32) for the others. */
LLVMValueRef tsr__exchange_own_slot(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size);
/* `size` bytes (a constant i32), in which each packet finds what the packet before has put there since the last barrier: a register. */
LLVMValueRef tsr__exchange_so_far(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size);
/* Waits for all of them; then, where what the first packet has put down is. */
LLVMValueRef tsr__exchange_all_slots(struct tsr__compilation *l, LLVMBuilderRef b);

/* The global variable of zeros from which loads read that the program does not do (guarded_loads.c). */
#define TSR__ZEROS "tsr.zeros"
/* What the name of an operation on 2D blocks begins with. */
#define TSR__BLOCK2D_PREFIX "tsr.block2d_"

/* The first call in the function of the one with this name, or NULL. */
LLVMValueRef tsr__call_in(LLVMValueRef function, const char *name);

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

/* Placeholders in the way through a loop that is for the device alone (block2d_loops.c), up to the pass `tiles`.
 *
 *     ptr tsr.block2d.place(ptr address, ptr base, i64 width, i64 height, i64 pitch, i64 x, i64 y)
 *
 * is the address: of row y, from byte x on, in a matrix of which elements outside read as zero. Loads behind it may lie outside, so no
 * code may run them.
 *
 *     i1 tsr.block2d.shares(i32 number)
 *
 * Is that way taken? */
#define TSR__BLOCK2D_PLACE "tsr.block2d.place"
#define TSR__BLOCK2D_SHARES "tsr.block2d.shares"
#define TSR__BLOCK2D_PLACEHOLDER "tsr.block2d." /* what names of both begin with */
enum { TSR__PLACE_ADDRESS, TSR__PLACE_BASE, TSR__PLACE_WIDTH, TSR__PLACE_HEIGHT, TSR__PLACE_PITCH, TSR__PLACE_X, TSR__PLACE_Y };

/* The placeholder for the address of an array in local memory, from the pass `local_memory` until the pass `place_local_arrays`:
 * (offset in local memory, rows, columns, bytes of an element). NULL: `type` is no such array. */
LLVMValueRef tsr__local_array_placeholder(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, uint64_t offset);

#endif
