/* SPDX-License-Identifier: Apache-2.0
 * Gathers of 16 bytes, parts of a vector of each lane, become a load for each lane, and shuffles that put its scalars in the order of
 * lanes. Gathers of 16 bits or less beside them, by the same indices, are loads of the lanes, too.
 *
 * Functions with matrix operations keep them until tiles are made: what lanes read as columns of B is seen by the gathers. */
#include <limits.h>

#include "lanes/after/lane_offsets.h"
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/lane_registers.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"
#include "lanes/ir/record_network.h"
#include "lanes/ir/shuffles.h"

enum { MOST_SCALARS = TSR__REGISTER_BYTES / 4 };

/* A gather, with one vector of scalars of 4 or 8 bytes for each of those that the values have. */
struct gathered {
    struct tsr__lane_pointers *c;
    LLVMValueRef call;
    LLVMTypeRef scalar;
    unsigned width, scalar_bits;
    struct tsr__lane_registers registers;
    LLVMValueRef scalars[MOST_SCALARS];
};

static unsigned element_bits(struct tsr__compilation *l, LLVMTypeRef vector)
{
    return (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(l->module), LLVMGetElementType(vector));
}

/* ---- what is taken out of the values ---- */

/* A user that has the values, too. */
static bool passes_on(LLVMValueRef user)
{
    return LLVMIsAFreezeInst(user) || (LLVMIsABitCastInst(user) && tsr__is_vector(user));
}

/* The number of the scalar that the user takes out of each value of `v`, these as vectors of scalars of its size; -1: it does something
 * else. */
static int taken_scalar(LLVMValueRef user, LLVMValueRef v, unsigned width)
{
    if (LLVMIsATruncInst(user))
        return 0;
    if (!LLVMIsAShuffleVectorInst(user) || LLVMGetOperand(user, 0) != v || LLVMGetNumMaskElements(user) != width)
        return -1;
    return tsr__taken_member(user, LLVMGetVectorSize(LLVMTypeOf(v)) / width);
}

/* The bits of the longest scalar that users take, at least 32; UINT_MAX: some user does something else. */
static unsigned taken_bits(struct tsr__compilation *l, LLVMValueRef v, unsigned width)
{
    unsigned most = 32;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const unsigned bits = passes_on(user)                     ? taken_bits(l, user, width)
                              : taken_scalar(user, v, width) >= 0 ? element_bits(l, LLVMTypeOf(user))
                                                                  : UINT_MAX;
        most = bits > most ? bits : most;
    }
    return most;
}

/* Scalar `number` of this type of all values. */
static LLVMValueRef scalar_of_values(struct gathered *g, unsigned number, LLVMTypeRef type)
{
    const unsigned bits = element_bits(g->c->l, type);
    LLVMValueRef of = g->scalars[number * bits / g->scalar_bits];
    if (bits == g->scalar_bits)
        return LLVMBuildBitCast(g->c->b, of, type, "");
    const unsigned each = g->scalar_bits / bits;
    LLVMValueRef parts = LLVMBuildBitCast(g->c->b, of, LLVMVectorType(LLVMGetElementType(type), each * g->width), "");
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < g->width; i++)
        from[i] = i * each + number % each;
    return tsr__pick_elements(g->c->l, g->c->b, parts, NULL, from, g->width);
}

/* Gives users of `v`, which has all values, what they take out of them; they and `v` go. */
static void replace_takers(struct gathered *g, LLVMValueRef v)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(v)) != NULL;) {
        LLVMValueRef user = LLVMGetUser(use);
        if (passes_on(user)) {
            replace_takers(g, user);
            continue;
        }
        LLVMReplaceAllUsesWith(user, scalar_of_values(g, (unsigned)taken_scalar(user, v, g->width), LLVMTypeOf(user)));
        LLVMInstructionEraseFromParent(user);
    }
    LLVMInstructionEraseFromParent(v);
}

/* ---- the loads ---- */

/* The address of each lane: a constant distance from the first one's, where that is known. */
static void find_addresses(struct gathered *g, LLVMValueRef *at)
{
    LLVMValueRef pointers = LLVMGetOperand(g->call, 0);
    struct tsr__lane_offsets offsets = {.lanes = g->width, .in_row = g->width};
    const bool known = tsr__find_lane_offsets(pointers, &offsets);
    for (unsigned lane = 0; lane < g->width; lane++) {
        LLVMValueRef distance = tsr__i64(g->c->l, (uint64_t)offsets.at[lane]);
        at[lane] = known && lane ? tsr__plus_bytes(g->c->l, g->c->b, at[0], distance) : tsr__pointer_of_lane(g->c, pointers, lane);
    }
}

static void load_lanes(struct gathered *g)
{
    const struct tsr__lane_registers *r = &g->registers;
    LLVMTypeRef type = LLVMVectorType(g->scalar, r->count);
    LLVMValueRef pieces[MOST_SCALARS][TSR__MAX_ELEMENTS], at[TSR__MAX_ELEMENTS];
    find_addresses(g, at);
    for (unsigned turn = 0; turn < g->width / r->lanes; turn++) {
        LLVMValueRef registers[MOST_SCALARS], parts[MOST_SCALARS];
        for (unsigned i = 0; i < r->count; i++) {
            for (unsigned p = 0; p < r->parts; p++) {
                parts[p] = LLVMBuildLoad2(g->c->b, type, at[tsr__lane_of_part(r, turn, i, p)], "");
                tsr__copy_memory_notes(g->call, parts[p], tsr__argument_align(g->call, 0));
            }
            registers[i] = tsr__join_lanes(g->c->l, g->c->b, parts, r->parts);
        }
        tsr__transpose_registers(g->c->l, r, g->c->b, registers);
        for (unsigned i = 0; i < r->count; i++)
            pieces[i][turn] = registers[i];
    }
    for (unsigned i = 0; i < r->count; i++)
        g->scalars[i] = LLVMBuildFreeze(g->c->b, tsr__join_lanes(g->c->l, g->c->b, pieces[i], g->width / r->lanes), "");
}

static bool is_gather_of_all_lanes(LLVMValueRef v)
{
    int64_t bit;
    return tsr__calls(v, "llvm.masked.gather.") && tsr__same_number(LLVMGetOperand(v, 1), &bit) && bit;
}

/* Is it one of 16 bytes, which users take apart? Others are left to LLVM. */
static bool find_gathered(struct gathered *g, struct tsr__lane_pointers *c, LLVMValueRef v)
{
    if (!is_gather_of_all_lanes(v) || element_bits(c->l, LLVMTypeOf(v)) != 8 * TSR__REGISTER_BYTES)
        return false;
    *g = (struct gathered){.c = c, .call = v, .width = LLVMGetVectorSize(LLVMTypeOf(v))};
    g->scalar_bits = taken_bits(c->l, v, g->width);
    if (g->scalar_bits > 64)
        return false;
    g->scalar = LLVMIntTypeInContext(c->l->context, g->scalar_bits);
    g->registers = tsr__lane_registers(c->l, g->scalar_bits / 8, g->width);
    return g->width >= g->registers.lanes;
}

/* A gather of 16 bits or less from addresses whose lanes have been taken out of their vector for another gather: LLVM would do so again, in
 * each round of a loop. */
static void load_small(struct tsr__lane_pointers *c, LLVMValueRef call)
{
    if (!is_gather_of_all_lanes(call) || element_bits(c->l, LLVMTypeOf(call)) > 16 ||
        !tsr__has_pointers_of_lanes(c, LLVMGetOperand(call, 0)))
        return;
    LLVMValueRef all = LLVMGetPoison(LLVMTypeOf(call));
    LLVMPositionBuilderBefore(c->b, call);
    for (unsigned lane = 0; lane < LLVMGetVectorSize(LLVMTypeOf(call)); lane++) {
        LLVMValueRef pointer = tsr__pointer_of_lane(c, LLVMGetOperand(call, 0), lane);
        LLVMValueRef element = LLVMBuildLoad2(c->b, LLVMGetElementType(LLVMTypeOf(call)), pointer, "");
        tsr__copy_memory_notes(call, element, tsr__argument_align(call, 0));
        all = LLVMBuildInsertElement(c->b, all, element, tsr__i32(c->l, lane), "");
    }
    LLVMReplaceAllUsesWith(call, all);
    LLVMInstructionEraseFromParent(call);
}

bool tsr__pass_register_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count, gathers = 0;
    if (tsr__has_mads(function))
        return true;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct gathered **all = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *all), next;
    struct tsr__lane_pointers c;
    tsr__lane_pointers_begin(&c, l, LLVMCreateBuilderInContext(l->context));
    for (size_t i = 0; i < count; i++) {
        if (!find_gathered(&next, &c, code[i]))
            continue;
        all[gathers] = tsr_arena_alloc(&l->scratch, sizeof next);
        *all[gathers] = next;
        LLVMPositionBuilderBefore(c.b, code[i]);
        load_lanes(all[gathers++]);
    }
    for (size_t i = 0; i < count; i++)
        load_small(&c, code[i]);
    for (size_t i = 0; i < gathers; i++) { /* addresses of lanes are not taken out of vectors that have gone */
        LLVMPositionBuilderBefore(c.b, all[i]->call);
        replace_takers(all[i], all[i]->call);
    }
    LLVMDisposeBuilder(c.b);
    return true;
}
