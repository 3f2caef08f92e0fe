/* SPDX-License-Identifier: Apache-2.0
 * The widener: makes the function of a packet of lanes from the function of one work-item.
 *
 * The packet function is built anew, block by block in compact order. A value that is uniform or affine is computed once, for lane 0
 * (its *scalar*). A varying value has a vector with one element per lane for each scalar in its type (its *components*). Values that
 * another block needs live in stack slots, from which LLVM's mem2reg makes SSA again; so no code here repairs dominance. */
#ifndef TESSERA_LANES_WIDEN_WIDENER_H
#define TESSERA_LANES_WIDEN_WIDENER_H

#include "lanes/analysis/shape.h"
#include "lanes/ir/block_list.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/shuffles.h"

struct tsr__packet_kernel;

struct tsr__value {
    LLVMValueRef from; /* in the work-item function */
    LLVMTypeRef type;
    struct tsr__shape shape;
    int block;             /* that defines it */
    int component_count;   /* scalars in its type */
    bool live_out_of_loop; /* is used outside of a loop that lanes leave at different times: each lane keeps its last value */
    int current;           /* number of the block in which `scalar` and `components` may be used, or TSR__NONE */
    LLVMValueRef scalar, *components;
    LLVMValueRef scalar_slot, *component_slots; /* for other blocks; NULL where none needs it */
    LLVMValueRef scalar_in, *components_in;     /* phis: assigned at the edges, read at the start of the block */
};

struct tsr__widened_block {
    LLVMBasicBlockRef entry; /* where edges go: the test whether any lane is here, or the body */
    LLVMBasicBlockRef body;
    LLVMValueRef mask_slot;                /* lanes on their way here; NULL if the block always runs with the function's lanes */
    LLVMValueRef any_slot;                 /* whether any lane is, as the branch knows it; NULL: the mask says it (extreme_lane.c) */
    const struct tsr__block_list *pending; /* blocks that still have to run after this one, whichever way it is left */
};

/* When and why lanes of a divergent loop are serialised (serial_loop.c). */
struct tsr__serial_choice {
    unsigned lanes;        /* serialise when at most this many lanes remain: the width means from the first round on, 0 never */
    unsigned gathers;      /* in a round */
    unsigned packet, lane; /* estimated cycles of a round: of the packet, of a serialised lane */
};

struct tsr__widener {
    struct tsr__compilation *l;
    struct tsr_arena *arena;
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    LLVMTargetDataRef layout;
    LLVMValueRef from, to;
    LLVMBuilderRef b;           /* where code goes now */
    LLVMBuilderRef allocas;     /* allocas at the start of the function */
    unsigned width, sub_group;  /* lanes of the packet; of a sub-group: as many, or half */
    LLVMValueRef function_mask; /* NULL: all lanes */
    uint32_t written_only;      /* parameters (nontemporal.c); of a packet without a mask */
    int block;                  /* being built */
    LLVMValueRef mask;          /* of the lanes in it; NULL: all */
    struct tsr__map values;     /* LLVMValueRef → struct tsr__value * */
    struct tsr__map records;    /* loads and stores that are made together: instruction → struct tsr__interleave_group * (interleave.c) */
    struct tsr__interleave_group *waiting; /* … stores of the block whose last one is still to come */
    struct tsr__map locations;             /* of the source: in the work-item function → in the packet function (debug_info.c) */
    struct tsr__widened_block *blocks;
    struct tsr__serial_choice *serial; /* per loop */
    unsigned atomics;                  /* atomic updates in the function */
};

/* Fills `to`, which has the type of `from` and no body, with the code for a packet. False: irreducible control flow. (linearise.c) */
bool tsr__widen_function(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef to, struct tsr__packet packet, bool masked);

/* The same for a function of a kernel. False: that has been reported. (packet_functions.c) */
bool tsr__widen_packet_function(struct tsr__compilation *l, const struct tsr__packet_kernel *k, LLVMValueRef to, struct tsr__packet packet,
                                bool masked);

/* ---- values (values.c) ---- */

void tsr__values_prepare(struct tsr__widener *s);
/* What an operand is for lane 0; for uniform and affine values only. */
LLVMValueRef tsr__scalar_of(struct tsr__widener *s, LLVMValueRef v);
/* Vector of one scalar of an operand. */
LLVMValueRef tsr__component_of(struct tsr__widener *s, LLVMValueRef v, int component);
/* Shape of an operand as the block being built sees it. */
struct tsr__shape tsr__shape_here(struct tsr__widener *s, LLVMValueRef v);
void tsr__set_scalar(struct tsr__widener *s, LLVMValueRef v, LLVMValueRef made);
void tsr__set_component(struct tsr__widener *s, LLVMValueRef v, int component, LLVMValueRef made);
/* While stack slots are prepared: the block `s->block` will read a value that none of its instructions has as an operand. */
void tsr__note_use_in_block(struct tsr__widener *s, LLVMValueRef v);
/* After an instruction: stores the value to its stack slots. */
void tsr__store_to_slots(struct tsr__widener *s, LLVMValueRef v);
/* The record of a value. That of a phi: scalar or components are assigned at the edges and read at the start of its block. */
struct tsr__value *tsr__value(struct tsr__widener *s, LLVMValueRef v);

LLVMTypeRef tsr__vector_of(struct tsr__widener *s, LLVMTypeRef scalar);
/* Scalar number `component` of a value of any type, and a value with one scalar replaced. */
LLVMValueRef tsr__extract_component(struct tsr__widener *s, LLVMValueRef whole, int component);
LLVMValueRef tsr__insert_component(struct tsr__widener *s, LLVMValueRef whole, int component, LLVMValueRef scalar);
LLVMValueRef tsr__splat(struct tsr__widener *s, LLVMValueRef scalar);
LLVMValueRef tsr__iota(struct tsr__widener *s, LLVMTypeRef integer, int64_t step); /* 0, step, 2·step … */
LLVMValueRef tsr__stack_slot(struct tsr__widener *s, LLVMTypeRef type, const char *name);

/* ---- source lines (debug_info.c): nothing happens without debug information ---- */

/* Gives a packet function a subprogram like the kernel's. */
void tsr__debug_info_begin(struct tsr__compilation *l, LLVMValueRef kernel, LLVMValueRef packet);
/* The code of the work-item function, which has moved to the packet function, stands in that now. */
void tsr__debug_info_move(struct tsr__compilation *l, LLVMValueRef packet);
/* What is built from now on stands where the instruction of the work-item function stands. */
void tsr__debug_info_at(struct tsr__widener *s, LLVMValueRef inst);
/* After the last packet function, before code is made; nothing happens the second time. */
void tsr__debug_info_end(struct tsr__compilation *l);

/* ---- masks (masks.c) ---- */

LLVMTypeRef tsr__mask_type(struct tsr__widener *s);
LLVMValueRef tsr__first_lanes(struct tsr__widener *s, unsigned count); /* a constant */
LLVMValueRef tsr__mask_and(struct tsr__widener *s, LLVMValueRef mask,
                           LLVMValueRef condition);                       /* a poison condition in an absent lane is harmless */
LLVMValueRef tsr__mask_or_all(struct tsr__widener *s, LLVMValueRef mask); /* all ones for NULL */
LLVMValueRef tsr__mask_bits(struct tsr__widener *s, LLVMValueRef mask);   /* integer with a bit per lane */
LLVMValueRef tsr__any_lane(struct tsr__widener *s, LLVMValueRef mask);
LLVMValueRef tsr__all_lanes(struct tsr__widener *s, LLVMValueRef mask);
/* Number of the lowest bit of tsr__mask_bits, of which one must be set, as i32. */
LLVMValueRef tsr__first_lane(struct tsr__widener *s, LLVMValueRef bits);
LLVMValueRef tsr__blend(struct tsr__widener *s, LLVMValueRef mask, LLVMValueRef new_value, LLVMValueRef old_value);
/* Puts a vector into memory for a loop over lanes, and takes a lane's own from there: to take a lane of a register by number costs more. */
LLVMValueRef tsr__spill_vector(struct tsr__widener *s, LLVMValueRef vector);
LLVMValueRef tsr__load_lane(struct tsr__widener *s, LLVMTypeRef scalar, LLVMValueRef slot, LLVMValueRef lane);
/* Puts a lane's own into such memory, and takes the vector back. */
void tsr__store_lane(struct tsr__widener *s, LLVMValueRef scalar, LLVMValueRef slot, LLVMValueRef lane);
LLVMValueRef tsr__reload_vector(struct tsr__widener *s, LLVMTypeRef vector, LLVMValueRef slot);
/* Runs `inst` once for each active lane, in lane order. */
void tsr__emit_lane_loop(struct tsr__widener *s, LLVMValueRef inst);

/* ---- comparisons of consecutive numbers (extreme_lane.c) ---- */

/* A comparison of a uniform number with consecutive ones, as of `local id < n`, holds in any lane if it holds in the lane with the smallest
 * or the largest: no vector is needed to ask. If `opposite`, that of the opposite comparison. Both only in code that all lanes reach. */
bool tsr__can_compare_extreme_lane(struct tsr__widener *s, LLVMValueRef comparison, bool opposite);
LLVMValueRef tsr__compare_extreme_lane(struct tsr__widener *s, LLVMValueRef comparison, bool opposite);

/* ---- instructions: false if the instruction is not theirs ---- */

bool tsr__widen_arith(struct tsr__widener *s, LLVMValueRef inst); /* widen_arith.c: arithmetic, comparisons, casts, vectors, structs */
/* Behind tsr__values_prepare: the values of all addresses will be read where the accesses stand. */
void tsr__prepare_accesses(struct tsr__widener *s);
bool tsr__widen_memory(struct tsr__widener *s, LLVMValueRef inst);                 /* access.c: loads, stores, addresses, stack variables */
bool tsr__widen_call(struct tsr__widener *s, LLVMValueRef inst);                   /* widen_calls.c: primitives and the rest */
bool tsr__widen_intrinsic(struct tsr__widener *s, LLVMValueRef inst, unsigned id); /* widen_intrinsics.c: LLVM's intrinsic number `id` */
/* What lanes do together; false: `call`, which the instruction calls, is no collective. (widen_collectives.c) */
bool tsr__widen_collective(struct tsr__widener *s, LLVMValueRef inst, enum tsr__engine_call call);
bool tsr__widen_atomic(struct tsr__widener *s, LLVMValueRef inst); /* widen_atomics.c: updates of one place by all lanes */
/* False: the places are not side by side in global memory, or it can be done lane by lane only. (widen_atomic_rows.c) */
bool tsr__widen_atomic_row(struct tsr__widener *s, LLVMValueRef inst);

/* Loops and divergent branches. */
void tsr__explain_control_flow(struct tsr__widener *s);

static inline bool tsr__is_pair(const struct tsr__widener *s)
{
    return s->sub_group < s->width;
}

/* scalars[0] in all lanes of the first half, scalars[1] in those of the second. */
LLVMValueRef tsr__splat_halves(struct tsr__widener *s, const LLVMValueRef *scalars);
/* Half of a packet's vector: tsr__concat_pair puts two together. */
LLVMValueRef tsr__half_of(struct tsr__widener *s, LLVMValueRef x, unsigned half);

#endif
