/* SPDX-License-Identifier: Apache-2.0
 * OpCooperativeMatrixApplyFunctionINTEL: a matrix of what a function of the module makes of each element of another one.
 *
 * The instruction names the function, or as revision 16 of SPV_INTEL_joint_matrix has it, a function object: a pointer to a struct. What
 * belongs to the object is the one function whose first parameter has the type of that pointer. The function gets the element, alone or
 * with row and column behind or before it, then the further operands of the instruction. It returns an element of the result; where it gets
 * a pointer to the element, it may return nothing and change that. */
#include "clc/spirv/matrix.h"

enum { NO_PARAMETER = UINT32_MAX, MOST_PARAMETERS = 14, MOST_UNROLLED = 64 };

struct apply {
    struct tsr__reader *r;
    const struct tsr__inst *in;
    const struct tsr__matrix *from, *result, *made; /* made: the result in the slots of `from` */
    LLVMValueRef function;
    const struct tsr__type *type; /* of the function */
    uint32_t object;              /* 1: the function has the object before everything else */
    uint32_t element, row;        /* parameters; column stands behind row */
    LLVMValueRef lane, argument[MOST_PARAMETERS];
    LLVMValueRef place;         /* memory of an element that the function gets a pointer to */
    LLVMValueRef all, all_made; /* memory of both matrices, where a loop goes over slots */
};

/* ---- the function ---- */

static bool is_component(const struct tsr__type *type, const struct tsr__matrix *m)
{
    return (type->kind == TSR__INT || type->kind == TSR__FLOAT) && type->llvm == m->component->llvm &&
           type->is_bfloat16 == m->component->is_bfloat16 && type->is_int4 == m->component->is_int4;
}

/* Whether the parameter can point to an element: what it points to is no larger. SYCL's writers have a struct around the number, and LLVM's
 * writer a pointer to bytes for any. */
static bool by_pointer(const struct apply *a, const struct tsr__type *parameter)
{
    const struct tsr__type *to = parameter->element;
    return parameter->kind == TSR__POINTER && (parameter->storage == TSR__StorageFunction || parameter->storage == TSR__StorageGeneric) &&
           (!to || (to->llvm && LLVMTypeIsSized(to->llvm) &&
                    LLVMABISizeOfType(a->r->layout, to->llvm) <= LLVMABISizeOfType(a->r->layout, a->from->component->llvm)));
}

/* Whether the function can be called with element and coordinates in these parameters. */
static bool fits(const struct apply *a, uint32_t element, uint32_t row)
{
    const struct tsr__type *own = a->type->members[element], *returned = a->type->element;
    bool updates = by_pointer(a, own) && returned->kind == TSR__VOID && is_component(a->result->component, a->from);
    for (uint32_t i = row; row != NO_PARAMETER && i < row + 2; i++)
        if (a->type->members[i]->kind != TSR__INT || a->type->members[i]->is_int4)
            return false;
    return (by_pointer(a, own) || is_component(own, a->from)) && (updates || is_component(returned, a->result));
}

/* Which parameters have the element and its coordinates. */
static bool find_parameters(struct apply *a, uint32_t extra)
{
    uint32_t first = a->object, own = a->type->count - extra - first;
    if (a->type->count < extra + first || a->type->count > MOST_PARAMETERS || (own != 1 && own != 3))
        return false;
    a->element = first;
    a->row = own == 3 ? first + 1 : NO_PARAMETER;
    if (fits(a, a->element, a->row))
        return true;
    a->element = first + 2;
    a->row = first;
    return own == 3 && fits(a, a->element, a->row);
}

/* The function of a function object. */
static const struct tsr__id *find_function(struct apply *a, const struct tsr__type *object)
{
    struct tsr__reader *r = a->r;
    const struct tsr__id *found = NULL;
    for (uint32_t i = 0; i < r->inst_count; i++) {
        const struct tsr__id *id = r->insts[i].op->number == TSR__OpFunction ? &r->ids[r->insts[i].result] : NULL;
        if (!id || !id->type || !id->type->count || id->type->members[0] != object)
            continue;
        a->type = id->type;
        if (!find_parameters(a, a->in->count - 2))
            continue;
        if (found)
            tsr__spirv_fail(r, a->in, "ids %u and %u are both functions of such an object", found->inst->result, id->inst->result);
        found = id;
    }
    if (!found)
        tsr__spirv_fail(r, a->in,
                        "the module has no function for the object: its first parameter would be such a pointer, the next an element");
    return found;
}

static void choose_function(struct apply *a)
{
    struct tsr__reader *r = a->r;
    const struct tsr__id *id = tsr__spirv_id(r, a->in, 0);
    bool is_function = id->inst && id->inst->op->number == TSR__OpFunction;
    if (!is_function) {
        const struct tsr__type *type = tsr__spirv_type_of(r, a->in, 0);
        if (type->kind != TSR__POINTER || !type->element || type->element->kind != TSR__STRUCT)
            tsr__spirv_fail(r, a->in, "operand 1 has to be a function, or a pointer to a struct");
        a->object = 1;
        id = find_function(a, type);
    }
    a->function = id->value;
    a->type = id->type;
    if (!id->value || !find_parameters(a, a->in->count - 2))
        tsr__spirv_fail(r, a->in,
                        "id %u does not take an element, or an element with its row and column, and %u operands, and give an element",
                        id->inst->result, a->in->count - 2);
    uint32_t behind = a->type->count - (a->in->count - 2);
    for (uint32_t i = 2; i < a->in->count; i++)
        if (LLVMTypeOf(tsr__spirv_value(r, a->in, i)) != a->type->members[behind + i - 2]->llvm)
            tsr__spirv_fail(r, a->in, "operand %u does not have the type of the function's parameter", i + 1);
}

/* ---- calls ---- */

static LLVMValueRef call(struct apply *a, LLVMValueRef element, LLVMValueRef row, LLVMValueRef column)
{
    LLVMBuilderRef b = a->r->builder;
    LLVMTypeRef own = a->type->members[a->element]->llvm;
    a->argument[a->element] = element;
    if (a->place) {
        LLVMBuildStore(b, element, a->place);
        a->argument[a->element] = LLVMTypeOf(a->place) == own ? a->place : LLVMBuildAddrSpaceCast(b, a->place, own, "");
    }
    if (a->row != NO_PARAMETER) {
        a->argument[a->row] = LLVMBuildIntCast2(b, row, a->type->members[a->row]->llvm, false, "");
        a->argument[a->row + 1] = LLVMBuildIntCast2(b, column, a->type->members[a->row + 1]->llvm, false, "");
    }
    LLVMValueRef made = tsr__spirv_call_function(a->r, a->function, a->argument, a->type->count);
    return a->type->element->kind == TSR__VOID ? LLVMBuildLoad2(b, a->made->component->llvm, a->place, "") : made;
}

/* Slot by slot. */
static LLVMValueRef apply_unrolled(struct apply *a, LLVMValueRef value)
{
    struct tsr__reader *r = a->r;
    LLVMValueRef made = LLVMConstNull(a->made->llvm);
    for (uint32_t slot = 0; slot < a->from->slots; slot++) {
        LLVMValueRef row, column, there;
        struct tsr__guard guard;
        tsr__matrix_position(r, a->from, slot, a->lane, &row, &column, &there);
        tsr__guard_begin(r, &guard, there);
        LLVMValueRef one = call(a, tsr__matrix_get(r, a->from, value, slot, 1), row, column);
        one = tsr__guard_end(r, &guard, one, LLVMConstNull(a->made->component->llvm));
        made = tsr__matrix_put(r, a->made, made, slot, one);
    }
    return made;
}

/* In a loop over slots, on the stack: for large matrices. */
static LLVMValueRef apply_in_loop(struct apply *a, LLVMValueRef value)
{
    struct tsr__reader *r = a->r;
    struct tsr__matrix_loop slots;
    struct tsr__guard guard;
    LLVMValueRef row, column;
    LLVMBuildStore(r->builder, value, a->all);
    LLVMBuildStore(r->builder, LLVMConstNull(a->made->llvm), a->all_made);
    LLVMValueRef length = tsr__matrix_length(r, a->from), slot = tsr__loop_begin(r, &slots, a->from->slots, NULL);
    tsr__guard_begin(r, &guard, LLVMBuildICmp(r->builder, LLVMIntULT, slot, length, ""));
    tsr__matrix_coordinates(r, a->from, slot, &row, &column);
    LLVMValueRef own = LLVMBuildLoad2(r->builder, a->from->component->llvm, tsr__matrix_element(r, a->from, a->all, slot), "");
    LLVMBuildStore(r->builder, call(a, own, row, column), tsr__matrix_element(r, a->made, a->all_made, slot));
    tsr__guard_end(r, &guard, NULL, NULL);
    tsr__loop_end(r, &slots, NULL);
    return LLVMBuildLoad2(r->builder, a->made->llvm, a->all_made, "");
}

/* The helper's parameters are the matrix and those of the function that all elements share. */
static LLVMValueRef make_body(struct apply *a, LLVMValueRef function)
{
    struct tsr__reader *r = a->r;
    struct tsr__guard holder;
    LLVMValueRef value = LLVMGetParam(function, 0);
    uint32_t behind = a->type->count - (a->in->count - 2), parameter = 1;
    for (uint32_t i = 0; i < a->type->count; i++)
        if (i < a->object || i >= behind)
            a->argument[i] = LLVMGetParam(function, parameter++);
    bool loops = a->from->slots > MOST_UNROLLED;
    a->place = by_pointer(a, a->type->members[a->element]) ? LLVMBuildAlloca(r->builder, a->from->component->llvm, "") : NULL;
    a->all = loops ? LLVMBuildAlloca(r->builder, a->from->llvm, "") : NULL;
    a->all_made = loops ? LLVMBuildAlloca(r->builder, a->made->llvm, "") : NULL;
    a->lane = tsr__matrix_lane(r);
    tsr__guard_begin(r, &holder, tsr__matrix_holder(r, a->from));
    LLVMValueRef made = loops ? apply_in_loop(a, value) : apply_unrolled(a, value);
    return tsr__guard_end(r, &holder, made, LLVMConstNull(a->made->llvm));
}

LLVMValueRef tsr__emit_matrix_apply(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct apply a = {.r = r, .in = in, .from = tsr__matrix_operand(r, in, 1), .result = tsr__matrix_result(r, in)};
    if (a.from->rows != a.result->rows || a.from->columns != a.result->columns || a.from->scope != a.result->scope)
        tsr__spirv_fail(r, in, "its result has to be a matrix of the same shape and scope");
    choose_function(&a);
    a.made = tsr__matrix_of(r, a.from, a.result->component);
    LLVMValueRef values[MOST_PARAMETERS + 2] = {tsr__spirv_value(r, in, 1)};
    LLVMTypeRef types[MOST_PARAMETERS + 2];
    uint32_t count = 1;
    if (a.object)
        values[count++] = tsr__spirv_value(r, in, 0);
    for (uint32_t i = 2; i < in->count; i++)
        values[count++] = tsr__spirv_value(r, in, i);
    for (uint32_t i = 0; i < count; i++)
        types[i] = LLVMTypeOf(values[i]);
    struct tsr__helper h;
    const char *name = tsr_arena_format(&r->arena, "%s.to.%s.by.%u.scope%u", a.from->name, a.result->name, in->at, a.from->scope);
    if (tsr__helper_begin(r, &h, name, a.made->llvm, types, count))
        tsr__helper_end(r, &h, make_body(&a, h.function));
    return tsr__matrix_move(r, a.made, a.result, tsr__helper_call(r, &h, values, count));
}
