/* SPDX-License-Identifier: Apache-2.0
 * Loops over lanes: an instruction that has no vector form is executed once for each active lane. */
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/layout.h"
#include "lanes/prepare/unroll.h"
#include "lanes/widen/widener.h"

static bool is_data(LLVMValueRef operand)
{
    return !LLVMIsAFunction(operand) && !LLVMValueIsBasicBlock(operand) && LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMMetadataTypeKind;
}

/* What an element of the vector is in memory, where lanes find it: a vector of masks, or of numbers of 24 bits, is not laid out by lanes.
 */
static LLVMTypeRef type_in_slot(struct tsr__widener *s, LLVMTypeRef scalar)
{
    if (LLVMGetTypeKind(scalar) != LLVMIntegerTypeKind || tsr__fills_its_bytes(s->layout, scalar))
        return scalar;
    return LLVMIntTypeInContext(s->l->context, 8 * (unsigned)LLVMABISizeOfType(s->layout, scalar));
}

LLVMValueRef tsr__spill_vector(struct tsr__widener *s, LLVMValueRef vector)
{
    LLVMTypeRef scalar = LLVMGetElementType(LLVMTypeOf(vector)), stored = type_in_slot(s, scalar);
    if (stored != scalar)
        vector = LLVMBuildZExt(s->b, vector, tsr__vector_of(s, stored), "");
    LLVMValueRef slot = tsr__stack_slot(s, LLVMTypeOf(vector), "");
    LLVMBuildStore(s->b, vector, slot);
    return slot;
}

LLVMValueRef tsr__load_lane(struct tsr__widener *s, LLVMTypeRef scalar, LLVMValueRef slot, LLVMValueRef lane)
{
    LLVMTypeRef stored = type_in_slot(s, scalar);
    LLVMValueRef x = LLVMBuildLoad2(s->b, stored, LLVMBuildGEP2(s->b, stored, slot, &lane, 1, ""), "");
    return stored == scalar ? x : LLVMBuildTrunc(s->b, x, scalar, "");
}

void tsr__store_lane(struct tsr__widener *s, LLVMValueRef scalar, LLVMValueRef slot, LLVMValueRef lane)
{
    LLVMTypeRef stored = type_in_slot(s, LLVMTypeOf(scalar));
    if (stored != LLVMTypeOf(scalar))
        scalar = LLVMBuildZExt(s->b, scalar, stored, "");
    LLVMBuildStore(s->b, scalar, LLVMBuildGEP2(s->b, stored, slot, &lane, 1, ""));
}

LLVMValueRef tsr__reload_vector(struct tsr__widener *s, LLVMTypeRef vector, LLVMValueRef slot)
{
    LLVMTypeRef scalar = LLVMGetElementType(vector), stored = type_in_slot(s, scalar);
    LLVMValueRef all = LLVMBuildLoad2(s->b, stored == scalar ? vector : tsr__vector_of(s, stored), slot, "");
    return stored == scalar ? all : LLVMBuildTrunc(s->b, all, vector, "");
}

/* An operand of which each lane takes its own scalars. */
struct taken {
    LLVMValueRef v;
    bool uniform;
    LLVMValueRef *slots; /* where its vectors lie for a loop over lanes */
};

static void take_operand(struct tsr__widener *s, struct taken *t, LLVMValueRef v, bool in_memory)
{
    int components = tsr__component_count(LLVMTypeOf(v));
    *t = (struct taken){.v = v, .uniform = tsr__is_uniform(tsr__shape_here(s, v))};
    if (t->uniform) {
        tsr__scalar_of(s, v);
        return;
    }
    if (in_memory)
        t->slots = tsr_arena_alloc(s->arena, (size_t)components * sizeof *t->slots);
    for (int k = 0; k < components; k++) {
        LLVMValueRef vector = tsr__component_of(s, v, k);
        if (in_memory)
            t->slots[k] = tsr__spill_vector(s, vector);
    }
}

/* The operand's value for one lane, in its own type; `lane` is an i32. */
static LLVMValueRef lane_value(struct tsr__widener *s, const struct taken *t, LLVMValueRef lane)
{
    if (t->uniform)
        return tsr__scalar_of(s, t->v);
    LLVMTypeRef type = LLVMTypeOf(t->v);
    LLVMValueRef made = LLVMGetPoison(type);
    for (int k = 0; k < tsr__component_count(type); k++) {
        LLVMValueRef x = t->slots ? tsr__load_lane(s, tsr__component_type(type, k), t->slots[k], lane)
                                  : LLVMBuildExtractElement(s->b, tsr__component_of(s, t->v, k), lane, "");
        made = tsr__insert_component(s, made, k, x);
    }
    return made;
}

static LLVMValueRef copy_for_lane(struct tsr__widener *s, LLVMValueRef inst, const struct taken *operands, LLVMValueRef lane)
{
    LLVMValueRef copy = LLVMInstructionClone(inst);
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        if (operands[i].v)
            LLVMSetOperand(copy, (unsigned)i, lane_value(s, &operands[i], lane));
    LLVMInsertIntoBuilder(s->b, copy);
    return copy;
}

/* One after the other, without a loop. */
static void all_lanes(struct tsr__widener *s, LLVMValueRef inst, const struct taken *operands, LLVMValueRef *made, int components)
{
    for (unsigned i = 0; i < s->width; i++) {
        LLVMValueRef lane = tsr__i32(s->l, i), copy = copy_for_lane(s, inst, operands, lane);
        for (int k = 0; k < components; k++)
            made[k] = LLVMBuildInsertElement(s->b, made[k], tsr__extract_component(s, copy, k), lane, "");
    }
}

/* One after the other, in a loop. Results come together in memory: an element of a vector in a register cannot be written at an index that
 * varies without going through memory with the whole vector. */
static void emit_active_lanes(struct tsr__widener *s, LLVMValueRef inst, const struct taken *operands, LLVMValueRef *made, int components)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef bits_type = LLVMIntTypeInContext(c, s->width);
    LLVMValueRef all = tsr__mask_bits(s, s->mask);
    LLVMValueRef *slots = tsr_arena_alloc(s->arena, ((size_t)components + 1) * sizeof *slots);
    for (int k = 0; k < components; k++)
        slots[k] = tsr__spill_vector(s, made[k]);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(c, s->to, "lane");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(c, s->to, "lanes.done");
    LLVMBuildBr(s->b, loop); /* a block runs only if a lane is in it */
    LLVMPositionBuilderAtEnd(s->b, loop);
    LLVMValueRef left = LLVMBuildPhi(s->b, bits_type, "left");
    LLVMValueRef lane = tsr__first_lane(s, left), copy = copy_for_lane(s, inst, operands, lane);
    LLVMValueRef rest = LLVMBuildAnd(s->b, left, LLVMBuildSub(s->b, left, LLVMConstInt(bits_type, 1, false), ""), "");
    LLVMValueRef none_left = LLVMBuildICmp(s->b, LLVMIntEQ, rest, LLVMConstNull(bits_type), "");
    for (int k = 0; k < components; k++)
        tsr__store_lane(s, tsr__extract_component(s, copy, k), slots[k], lane);
    LLVMValueRef again = LLVMBuildCondBr(s->b, none_left, after, loop);
    if (!components && LLVMIsACallInst(inst)) /* printf: where all lanes are active, LLVM would make a copy of the call for each */
        tsr__set_loop_hint(s->l, again, "llvm.loop.unroll.disable", 0);
    LLVMAddIncoming(left, &all, &before, 1);
    LLVMAddIncoming(left, &rest, &loop, 1);
    LLVMPositionBuilderAtEnd(s->b, after);
    for (int k = 0; k < components; k++)
        made[k] = tsr__reload_vector(s, LLVMTypeOf(made[k]), slots[k]);
}

void tsr__emit_lane_loop(struct tsr__widener *s, LLVMValueRef inst)
{
    int components = tsr__component_count(LLVMTypeOf(inst)), count = LLVMGetNumOperands(inst);
    bool loop = s->mask || LLVMIsACallInst(inst) || s->atomics > TSR__ROW_ATOMICS; /* calls are large */
    tsr__explain_serialised(s->l, inst);
    struct taken *operands = tsr_arena_alloc(s->arena, ((size_t)count + 1) * sizeof *operands);
    for (int i = 0; i < count; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
        operands[i].v = NULL;
        if (is_data(v))
            take_operand(s, &operands[i], v, loop);
    }
    LLVMValueRef *made = tsr_arena_alloc(s->arena, ((size_t)components + 1) * sizeof *made);
    for (int k = 0; k < components; k++)
        made[k] = LLVMGetPoison(tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), k)));
    (loop ? emit_active_lanes : all_lanes)(s, inst, operands, made, components);
    for (int k = 0; k < components; k++)
        tsr__set_component(s, inst, k, made[k]);
}
