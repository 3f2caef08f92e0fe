/* SPDX-License-Identifier: Apache-2.0
 * Gathers of 16 bytes, parts of a vector of each lane, become a load for each lane, and shuffles that put its scalars in the order of
 * lanes.
 *
 * Functions with matrix operations keep them until tiles are made: what lanes read as columns of B is seen by the gathers. */
#include "lanes/after/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/lane_registers.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"

enum { MOST_SCALARS = TSR__REGISTER_BYTES / 4 };

/* Elements that were taken out of vectors of indices and pointers. */
struct lanes {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    struct tsr__map made[TSR__MAX_ELEMENTS]; /* by lane: vector → its element */
};

/* A gather, with one vector of scalars of 4 or 8 bytes for each of those that the values have. */
struct gathered {
    struct lanes *c;
    LLVMValueRef call;
    LLVMTypeRef scalar;
    unsigned width, scalar_bits;
    struct tsr__lane_registers registers;
    LLVMValueRef scalars[MOST_SCALARS];
};

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static unsigned element_bits(struct tsr__compilation *l, LLVMTypeRef vector)
{
    return (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(l->module), LLVMGetElementType(vector));
}

/* The number of the scalar that a shuffle takes out of each value, where these are vectors of scalars of any size; -1: it does something
 * else. */
static int taken_scalar(LLVMValueRef shuffle, unsigned width)
{
    LLVMValueRef from = LLVMGetOperand(shuffle, 0);
    const unsigned each = LLVMGetVectorSize(LLVMTypeOf(from)) / width;
    int taken = -1;
    if (LLVMGetNumMaskElements(shuffle) != width)
        return -1;
    for (unsigned i = 0; i < width; i++) {
        const int at = LLVMGetMaskValue(shuffle, i), its = at - (int)(i * each);
        if (at == LLVMGetUndefMaskElem())
            continue;
        if (its < 0 || its >= (int)each || (taken >= 0 && its != taken))
            return -1;
        taken = its;
    }
    return taken;
}

/* ---- what is taken out of the values ---------------------------------------------------------------------------------------------------
 */

/* Do some users take scalars of 8 bytes? */
static bool has_long_scalars(struct tsr__compilation *l, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAFreezeInst(user) ? has_long_scalars(l, user)
                                    : LLVMIsABitCastInst(user) && is_vector(user) && element_bits(l, LLVMTypeOf(user)) == 64)
            return true;
    }
    return false;
}

/* Scalar `number` of so many bits of all values. */
static LLVMValueRef scalar_of_values(struct gathered *g, unsigned number, LLVMTypeRef type)
{
    const unsigned bits = element_bits(g->c->l, type);
    if (bits > g->scalar_bits)
        return NULL;
    LLVMValueRef of = g->scalars[number * bits / g->scalar_bits];
    if (bits == g->scalar_bits)
        return LLVMBuildBitCast(g->c->b, of, type, "");
    const unsigned each = g->scalar_bits / bits;
    LLVMValueRef parts = LLVMBuildBitCast(g->c->b, of, LLVMVectorType(LLVMGetElementType(type), each * g->width), ""),
                 from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < g->width; i++)
        from[i] = tsr__i32(g->c->l, i * each + number % each);
    return LLVMBuildShuffleVector(g->c->b, parts, LLVMGetPoison(LLVMTypeOf(parts)), LLVMConstVector(from, g->width), "");
}

/* Gives users of `v`, which has all values, what they take out of them. */
static void replace_takers(struct gathered *g, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use), taken = NULL;
        next = LLVMGetNextUse(use);
        if (LLVMIsAFreezeInst(user) || (LLVMIsABitCastInst(user) && is_vector(user)))
            replace_takers(g, user);
        else if (LLVMIsATruncInst(user))
            taken = scalar_of_values(g, 0, LLVMTypeOf(user));
        else if (LLVMIsAShuffleVectorInst(user) && LLVMGetOperand(user, 0) == v && taken_scalar(user, g->width) >= 0)
            taken = scalar_of_values(g, (unsigned)taken_scalar(user, g->width), LLVMTypeOf(user));
        if (taken)
            LLVMReplaceAllUsesWith(user, taken);
        if (!LLVMGetFirstUse(user) && LLVMIsAInstruction(user) && (taken || LLVMIsAFreezeInst(user) || LLVMIsABitCastInst(user)))
            LLVMInstructionEraseFromParent(user);
    }
}

/* ---- the loads -------------------------------------------------------------------------------------------------------------------------
 */

static LLVMValueRef join_vectors(struct gathered *g, const LLVMValueRef *parts, unsigned count)
{
    LLVMValueRef joined[TSR__MAX_ELEMENTS];
    if (count == 1)
        return parts[0];
    for (unsigned i = 0; i < count / 2; i++)
        joined[i] = tsr__take_lanes(g->c->l, g->c->b, parts[2 * i], parts[2 * i + 1], 0, 2 * LLVMGetVectorSize(LLVMTypeOf(parts[0])));
    return join_vectors(g, joined, count / 2);
}

/* Behind the vector's definition, so in front of loops that do not change it. */
static LLVMValueRef element_of(struct lanes *c, LLVMValueRef v, unsigned lane)
{
    LLVMValueRef made = (LLVMValueRef)tsr__map_get(&c->made[lane], v);
    if (!made) {
        LLVMBuilderRef b = !LLVMIsAInstruction(v) ? NULL : tsr__builder_before(c->l, tsr__after_phis(LLVMGetNextInstruction(v)));
        made = LLVMBuildExtractElement(b ? b : c->b, v, tsr__i32(c->l, lane), "");
        if (b) {
            LLVMDisposeBuilder(b);
            tsr__map_set(&c->made[lane], v, (uintptr_t)made);
        }
    }
    return made;
}

/* Sums of a uniform base, an index of the lanes and constants stay such sums. */
static LLVMValueRef pointer_of_lane(struct lanes *c, LLVMValueRef pointers, unsigned lane)
{
    if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2)
        return element_of(c, pointers, lane);
    LLVMValueRef base = LLVMGetOperand(pointers, 0), index = LLVMGetOperand(pointers, 1);
    base = is_vector(base) ? pointer_of_lane(c, base, lane) : base;
    index = is_vector(index) ? element_of(c, index, lane) : index;
    return LLVMBuildGEP2(c->b, LLVMGetGEPSourceElementType(pointers), base, &index, 1, "");
}

static LLVMValueRef load_lane(struct lanes *c, LLVMValueRef call, LLVMTypeRef type, unsigned lane)
{
    LLVMValueRef load = LLVMBuildLoad2(c->b, type, pointer_of_lane(c, LLVMGetOperand(call, 0), lane), "");
    tsr__copy_memory_notes(call, load, tsr__argument_align(call, 0));
    return load;
}

static void load_lanes(struct gathered *g)
{
    const struct tsr__lane_registers *r = &g->registers;
    LLVMTypeRef type = LLVMVectorType(g->scalar, r->count);
    LLVMValueRef pieces[MOST_SCALARS][TSR__MAX_ELEMENTS];
    for (unsigned turn = 0; turn < g->width / r->lanes; turn++) {
        LLVMValueRef registers[MOST_SCALARS], parts[MOST_SCALARS];
        for (unsigned i = 0; i < r->count; i++) {
            for (unsigned p = 0; p < r->parts; p++)
                parts[p] = load_lane(g->c, g->call, type, tsr__lane_of_part(r, turn, i, p));
            registers[i] = join_vectors(g, parts, r->parts);
        }
        tsr__transpose_registers(r, g->c->b, registers);
        for (unsigned i = 0; i < r->count; i++)
            pieces[i][turn] = registers[i];
    }
    for (unsigned i = 0; i < r->count; i++)
        g->scalars[i] = LLVMBuildFreeze(g->c->b, join_vectors(g, pieces[i], g->width / r->lanes), "");
}

/* The values again, one behind the other, for users that take them as a whole. */
static LLVMValueRef join_scalars(struct gathered *g)
{
    const unsigned count = g->registers.count;
    LLVMValueRef all = join_vectors(g, g->scalars, count), from[4 * TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < count * g->width; i++)
        from[i] = tsr__i32(g->c->l, i % count * g->width + i / count);
    all = LLVMBuildShuffleVector(g->c->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(from, count * g->width), "");
    return LLVMBuildBitCast(g->c->b, all, LLVMTypeOf(g->call), "");
}

static void replace_gather(struct lanes *c, LLVMValueRef call)
{
    struct gathered g = {.c = c, .call = call, .width = LLVMGetVectorSize(LLVMTypeOf(call))};
    g.scalar_bits = has_long_scalars(c->l, call) ? 64 : 32;
    g.scalar = LLVMIntTypeInContext(c->l->context, g.scalar_bits);
    g.registers = tsr__lane_registers(c->l, g.scalar_bits / 8, g.width);
    if (g.width < g.registers.lanes)
        return;
    load_lanes(&g);
    replace_takers(&g, call);
    if (LLVMGetFirstUse(call))
        LLVMReplaceAllUsesWith(call, join_scalars(&g));
    LLVMInstructionEraseFromParent(call);
}

static bool is_register_gather(struct tsr__compilation *l, LLVMValueRef v)
{
    LLVMValueRef callee = tsr__callee(v);
    int64_t all;
    return callee && tsr__starts_with(tsr__name(callee), "llvm.masked.gather.") &&
           element_bits(l, LLVMTypeOf(v)) == 8 * TSR__REGISTER_BYTES && tsr__same_number(LLVMGetOperand(v, 1), &all) && all;
}

bool tsr__pass_register_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count, gathers = 0;
    if (tsr__has_mads(function))
        return true;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct lanes c = {.l = l, .b = LLVMCreateBuilderInContext(l->context)};
    for (size_t i = 0; i < TSR_ARRAY_LEN(c.made); i++)
        c.made[i] = (struct tsr__map){.arena = &l->scratch};
    for (size_t i = 0; i < count; i++)
        if (is_register_gather(l, code[i]))
            code[gathers++] = code[i];
    for (size_t i = 0; i < gathers; i++) {
        LLVMPositionBuilderBefore(c.b, code[i]);
        replace_gather(&c, code[i]);
    }
    LLVMDisposeBuilder(c.b);
    return true;
}
