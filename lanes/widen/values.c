/* SPDX-License-Identifier: Apache-2.0
 * Values of the packet function: a scalar for lane 0, or a vector for each component; and the stack slots through which blocks pass them
 * on. */
#include "lanes/widen/widener.h"
#include "lanes/ir/layout.h"

/* ---- types ---- */

LLVMValueRef tsr__extract_component(struct tsr__widener *s, LLVMValueRef whole, int component)
{
    LLVMTypeRef type = LLVMTypeOf(whole);
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMBuildExtractElement(s->b, whole, tsr__i32(s->l, (uint32_t)component), "");
    case LLVMArrayTypeKind:
    case LLVMStructTypeKind: {
        unsigned index = tsr__member_of(type, &component);
        return tsr__extract_component(s, LLVMBuildExtractValue(s->b, whole, index, ""), component);
    }
    default:
        return whole;
    }
}

LLVMValueRef tsr__insert_component(struct tsr__widener *s, LLVMValueRef whole, int component, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMTypeOf(whole);
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMBuildInsertElement(s->b, whole, scalar, tsr__i32(s->l, (uint32_t)component), "");
    case LLVMArrayTypeKind:
    case LLVMStructTypeKind: {
        unsigned index = tsr__member_of(type, &component);
        LLVMValueRef inner = tsr__insert_component(s, LLVMBuildExtractValue(s->b, whole, index, ""), component, scalar);
        return LLVMBuildInsertValue(s->b, whole, inner, index, "");
    }
    default:
        return scalar;
    }
}

/* ---- vectors of constants ---- */

LLVMValueRef tsr__stack_slot(struct tsr__widener *s, LLVMTypeRef type, const char *name)
{
    return LLVMBuildAlloca(s->allocas, type, name);
}

/* ---- the table of values ---- */

struct tsr__value *tsr__value(struct tsr__widener *s, LLVMValueRef v)
{
    return (struct tsr__value *)tsr__map_get(&s->values, v);
}

static void reserve_scalar_slot(struct tsr__widener *s, struct tsr__value *value)
{
    if (!value->scalar_slot)
        value->scalar_slot = tsr__stack_slot(s, value->type, "");
}

/* Lanes that left a loop earlier keep what they had, so the slots start defined. */
static void reserve_component_slots(struct tsr__widener *s, struct tsr__value *value)
{
    if (value->component_slots)
        return;
    value->component_slots = tsr_arena_alloc(s->arena, (size_t)value->component_count * sizeof *value->component_slots);
    for (int i = 0; i < value->component_count; i++)
        value->component_slots[i] = tsr__stack_slot(s, tsr__vector_of(s, tsr__component_type(value->type, i)), "");
}

static void make_phi_slots(struct tsr__widener *s, struct tsr__value *value)
{
    if (!tsr__is_varying(value->shape)) {
        value->scalar_in = tsr__stack_slot(s, value->type, "");
        return;
    }
    value->components_in = tsr_arena_alloc(s->arena, (size_t)value->component_count * sizeof *value->components_in);
    for (int i = 0; i < value->component_count; i++)
        value->components_in[i] = tsr__stack_slot(s, tsr__vector_of(s, tsr__component_type(value->type, i)), "");
}

static void reserve_slots_in(struct tsr__widener *s, struct tsr__value *value, int at)
{
    if (at == value->block || at == TSR__NONE)
        return;
    bool leaves = tsr__leaves_divergent_loop(&s->shapes, value->block, at);
    value->live_out_of_loop = value->live_out_of_loop || leaves;
    if (tsr__is_varying(value->shape) || leaves)
        reserve_component_slots(s, value);
    else
        reserve_scalar_slot(s, value);
}

/* Where `use` reads its operand: at the end of the predecessor for a phi. */
static void reserve_slots(struct tsr__widener *s, struct tsr__value *value, LLVMUseRef use)
{
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user))
        return;
    int in = tsr__cfg_number(&s->cfg, LLVMGetInstructionParent(user));
    if (in == TSR__NONE)
        return;
    bool is_phi = LLVMGetInstructionOpcode(user) == LLVMPHI;
    for (unsigned k = 0; k < (is_phi ? LLVMCountIncoming(user) : 1); k++) {
        int at = in;
        if (is_phi) {
            if (LLVMGetIncomingValue(user, k) != value->from)
                continue;
            at = tsr__cfg_number(&s->cfg, LLVMGetIncomingBlock(user, k));
        }
        reserve_slots_in(s, value, at);
    }
}

void tsr__note_use_in_block(struct tsr__widener *s, LLVMValueRef v)
{
    struct tsr__value *value = tsr__value(s, v);
    if (value && value->block != TSR__NONE)
        reserve_slots_in(s, value, s->block);
}

void tsr__values_prepare(struct tsr__widener *s)
{
    for (unsigned p = 0; p < LLVMCountParams(s->from); p++) {
        LLVMValueRef v = LLVMGetParam(s->from, p);
        struct tsr__value *value = tsr_arena_alloc(s->arena, sizeof *value);
        *value = (struct tsr__value){.from = v,
                                     .type = LLVMTypeOf(v),
                                     .shape = tsr__shape_of(&s->shapes, v),
                                     .block = TSR__NONE,
                                     .component_count = tsr__component_count(LLVMTypeOf(v)),
                                     .current = TSR__NONE,
                                     .scalar = LLVMGetParam(s->to, p)};
        tsr__map_set(&s->values, v, (uintptr_t)value);
    }
    for (int b = 0; b < s->cfg.block_count; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(s->cfg.blocks[b].ref); v; v = LLVMGetNextInstruction(v)) {
            struct tsr__value *value = tsr_arena_alloc(s->arena, sizeof *value);
            *value = (struct tsr__value){.from = v,
                                         .type = LLVMTypeOf(v),
                                         .shape = tsr__shape_of(&s->shapes, v),
                                         .block = b,
                                         .component_count = tsr__component_count(LLVMTypeOf(v)),
                                         .current = TSR__NONE};
            value->components = tsr_arena_alloc(s->arena, ((size_t)value->component_count + 1) * sizeof *value->components);
            tsr__map_set(&s->values, v, (uintptr_t)value);
            if (LLVMGetInstructionOpcode(v) == LLVMPHI)
                make_phi_slots(s, value);
            for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
                reserve_slots(s, value, use);
        }
}

/* ---- reading ---- */

/* Drops what an earlier block left in the record. */
static void drop_stale_value(struct tsr__widener *s, struct tsr__value *value)
{
    if (value->current == s->block || value->block == TSR__NONE)
        return;
    value->current = s->block;
    value->scalar = NULL;
    for (int i = 0; i < value->component_count; i++)
        value->components[i] = NULL;
}

struct tsr__shape tsr__shape_here(struct tsr__widener *s, LLVMValueRef v)
{
    struct tsr__value *value = tsr__value(s, v);
    if (!value || value->block == TSR__NONE)
        return tsr__shape_of(&s->shapes, v);
    if (tsr__leaves_divergent_loop(&s->shapes, value->block, s->block))
        return (struct tsr__shape){.kind = TSR__SHAPE_VARYING};
    return value->shape;
}

LLVMValueRef tsr__scalar_of(struct tsr__widener *s, LLVMValueRef v)
{
    struct tsr__value *value = tsr__value(s, v);
    if (!value)
        return v; /* constant, global */
    drop_stale_value(s, value);
    if (!value->scalar)
        value->scalar = LLVMBuildLoad2(s->b, value->type, value->scalar_slot, "");
    return value->scalar;
}

/* One lane's scalar as a vector over all lanes. */
static LLVMValueRef spread_lanes(struct tsr__widener *s, LLVMValueRef scalar, struct tsr__shape shape)
{
    LLVMTypeRef type = LLVMTypeOf(scalar);
    if (tsr__is_uniform(shape))
        return tsr__splat(s, scalar);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef offsets = tsr__iota(s, LLVMInt64TypeInContext(s->l->context), shape.stride);
        return tsr__plus_bytes(s->l, s->b, scalar, offsets);
    }
    return LLVMBuildAdd(s->b, tsr__splat(s, scalar), tsr__iota(s, type, shape.stride), "");
}

LLVMValueRef tsr__component_of(struct tsr__widener *s, LLVMValueRef v, int component)
{
    struct tsr__value *value = tsr__value(s, v);
    if (!value) {
        if (LLVMIsAConstant(v) && tsr__component_count(LLVMTypeOf(v)) > 1 && (LLVMIsPoison(v) || LLVMIsUndef(v)))
            return LLVMGetPoison(tsr__vector_of(s, tsr__component_type(LLVMTypeOf(v), component)));
        return tsr__splat(s, tsr__extract_component(s, v, component));
    }
    if (value->block == TSR__NONE)
        return tsr__splat(s, tsr__extract_component(s, value->scalar, component));
    drop_stale_value(s, value);
    if (value->components[component])
        return value->components[component];
    if (tsr__is_varying(tsr__shape_here(s, v)))
        value->components[component] =
            LLVMBuildLoad2(s->b, tsr__vector_of(s, tsr__component_type(value->type, component)), value->component_slots[component], "");
    else
        value->components[component] = spread_lanes(s, tsr__extract_component(s, tsr__scalar_of(s, v), component), value->shape);
    return value->components[component];
}

/* ---- writing ---- */

void tsr__set_scalar(struct tsr__widener *s, LLVMValueRef v, LLVMValueRef made)
{
    struct tsr__value *value = tsr__value(s, v);
    drop_stale_value(s, value);
    value->scalar = made;
}

void tsr__set_component(struct tsr__widener *s, LLVMValueRef v, int component, LLVMValueRef made)
{
    struct tsr__value *value = tsr__value(s, v);
    drop_stale_value(s, value);
    value->components[component] = made;
}

void tsr__store_to_slots(struct tsr__widener *s, LLVMValueRef v)
{
    struct tsr__value *value = tsr__value(s, v);
    if (value->scalar_slot)
        LLVMBuildStore(s->b, tsr__scalar_of(s, v), value->scalar_slot);
    if (!value->component_slots)
        return;
    for (int i = 0; i < value->component_count; i++) {
        LLVMValueRef made = tsr__component_of(s, v, i);
        if (value->live_out_of_loop && s->mask) {
            LLVMValueRef old = LLVMBuildLoad2(s->b, LLVMTypeOf(made), value->component_slots[i], "");
            made = tsr__blend(s, s->mask, made, old);
        }
        LLVMBuildStore(s->b, made, value->component_slots[i]);
    }
}
