/* SPDX-License-Identifier: Apache-2.0
 * Classifies an access by its address over the lanes (uniform, consecutive, reversed, interleaved, gathered), and takes its value apart
 * into components. access.c may still make less than a gather of what is classified as one: an interleaved group, or a stride that is
 * checked at run time. */
#include "lanes/widen/memory/access.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

struct tsr__access tsr__classify_as(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type,
                                    struct tsr__shape shape)
{
    unsigned align = LLVMGetAlignment(inst);
    struct tsr__access a = {.inst = inst,
                            .class = TSR__ACCESS_GATHERED,
                            .pointer = pointer,
                            .type = type,
                            .component_count = (unsigned)tsr__component_count(type),
                            .align = align};
    a.scalar = tsr__component_type(type, 0);
    a.scalar_bytes = (unsigned)LLVMABISizeOfType(s->layout, a.scalar);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    a.simple = kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && tsr__fills_its_bytes(s->layout, a.scalar);
    a.each = 1;
    if (shape.kind == TSR__SHAPE_AFFINE && shape.stride == 0) {
        a.class = TSR__ACCESS_UNIFORM;
        return a;
    }
    unsigned bytes = a.component_count * a.scalar_bytes;
    if (a.simple && a.component_count > 1 && (bytes == 2 || bytes == 4 || bytes == 8)) {
        a.each = a.component_count;
        a.component_count = 1;
        a.scalar = LLVMIntTypeInContext(s->l->context, 8 * bytes);
        a.scalar_bytes = bytes;
    }
    if (shape.kind != TSR__SHAPE_AFFINE)
        return a;
    /* The instruction's alignment is that of the lanes which the program runs; lane 0 need not be one. */
    uint64_t stride = (uint64_t)shape.stride, even = stride & (~stride + 1);
    if (a.align > even)
        a.align = (unsigned)even;
    if (!a.simple)
        return a;
    int64_t step = shape.stride / a.scalar_bytes;
    if (shape.stride % a.scalar_bytes || step < -1 || step > TSR__MAX_STRIDE || (step < a.component_count && step != -1) ||
        (step < 0 && a.component_count > 1))
        return a;
    a.step = step < 0 ? 1 : (unsigned)step;
    a.members = (UINT32_C(1) << a.component_count) - 1;
    if (a.step == 1)
        a.class = step < 0 ? TSR__ACCESS_REVERSED : TSR__ACCESS_CONSECUTIVE;
    else if (a.step <= TSR__SHORT_STRIDE || 2 * a.component_count >= a.step)
        a.class = TSR__ACCESS_INTERLEAVED;
    return a;
}

struct tsr__access tsr__classify_access(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type)
{
    return tsr__classify_as(s, inst, pointer, type, tsr__shape_here(s, pointer));
}

bool tsr__may_interleave(struct tsr__widener *s, LLVMValueRef inst, struct tsr__access *a)
{
    bool load = LLVMIsALoadInst(inst) != NULL;
    if (!tsr__is_plain_access(inst))
        return false;
    *a = tsr__classify_access(s, inst, LLVMGetOperand(inst, load ? 0 : 1), LLVMTypeOf(load ? inst : LLVMGetOperand(inst, 0)));
    return a->step > a->component_count;
}

void tsr__set_loaded_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    if (a->each > 1)
        tsr__unpack(s, components[0], tsr__component_type(a->type, 0), a->each, components);
    for (unsigned i = 0; i < a->component_count * a->each; i++)
        tsr__set_component(s, a->inst, (int)i, components[i]);
}

/* `components` has room for the scalars that travel together. */
void tsr__stored_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    for (unsigned i = 0; i < a->component_count * a->each; i++)
        components[i] = tsr__component_of(s, LLVMGetOperand(a->inst, 0), (int)i);
    if (a->each > 1)
        components[0] = tsr__pack(s, components, a->each);
}
