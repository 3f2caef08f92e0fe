/* SPDX-License-Identifier: Apache-2.0
 * Checks of instructions on numbers, truth values and cooperative matrices as wholes, and of those of sub-groups. */
#include "tensor/check.h"

#include <math.h>

bool tsr__t_fault(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *a, const struct tsr__t_value *b,
                  const char *text)
{
    struct tsr_tensor_diagnostic *d = tsr__t_error(p, inst->at, "%s", text);
    tsr__t_note_value(p, d, a);
    tsr__t_note_value(p, d, b);
    return false;
}

bool tsr__t_check_atomic(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *memory)
{
    enum tsr__t_number number = memory->type->number;
    if (inst->atomic != TSR__T_PLAIN && (number == TSR__T_I8 || number == TSR__T_I16 || number == TSR__T_BF16))
        return tsr__t_fault(p, inst, memory, NULL, "Atomic data type unsupported: there are no atomic operations on i8, i16 and bf16");
    if (inst->atomic >= TSR__T_ATOMIC_MAX && tsr__t_numbers[number].class == TSR__T_COMPLEX)
        return tsr__t_fault(p, inst, memory, NULL, "complex type unsupported by instruction");
    bool loads = inst->result_count, updates = inst->atomic >= TSR__T_ATOMIC_ADD;
    enum tsr__t_memory_order order = inst->order;
    if (!updates && (order == TSR__T_ACQUIRE_RELEASE || order == (loads ? TSR__T_RELEASE : TSR__T_ACQUIRE)))
        return tsr__t_fault(p, inst, NULL, NULL,
                            loads ? "Memory semantics unsupported by instruction: a load does not release"
                                  : "Memory semantics unsupported by instruction: a store does not acquire");
    return true;
}

static const char operand_type[] = "Type of operand must match return type";

static enum tsr__t_class class_of(const struct tsr__t_type *type)
{
    return tsr__t_numbers[type->number].class;
}

/* Numbers, and matrices of them. */
static bool has_number(const struct tsr__t_type *type)
{
    return type->kind == TSR__T_NUMBER || type->kind == TSR__T_COOP;
}

/* What kinds of types an instruction takes. */
enum { BOOLEAN = 1, INTEGERS = 2, FLOATS = 4, COMPLEXES = 8, COOPS = 16, NUMBERS = INTEGERS | FLOATS | COMPLEXES };

static const uint8_t takes[TSR__T_OPS] = {
    [TSR__T_ADD] = NUMBERS | COOPS,
    [TSR__T_SUB] = NUMBERS | COOPS,
    [TSR__T_MUL] = NUMBERS | COOPS,
    [TSR__T_DIV] = NUMBERS | COOPS,
    [TSR__T_REM] = INTEGERS | FLOATS,
    [TSR__T_SHL] = INTEGERS,
    [TSR__T_SHR] = INTEGERS,
    [TSR__T_AND] = BOOLEAN | INTEGERS,
    [TSR__T_OR] = BOOLEAN | INTEGERS,
    [TSR__T_XOR] = BOOLEAN | INTEGERS,
    [TSR__T_MIN] = INTEGERS | FLOATS,
    [TSR__T_MAX] = INTEGERS | FLOATS,
    [TSR__T_ABS] = NUMBERS,
    [TSR__T_NEG] = NUMBERS | COOPS,
    [TSR__T_NOT] = BOOLEAN | INTEGERS,
    [TSR__T_CONJ] = COMPLEXES,
    [TSR__T_IM] = COMPLEXES,
    [TSR__T_RE] = COMPLEXES,
    [TSR__T_EQ] = NUMBERS,
    [TSR__T_NE] = NUMBERS,
    [TSR__T_GT] = INTEGERS | FLOATS,
    [TSR__T_GE] = INTEGERS | FLOATS,
    [TSR__T_LT] = INTEGERS | FLOATS,
    [TSR__T_LE] = INTEGERS | FLOATS,
    [TSR__T_EXP] = FLOATS | COMPLEXES,
    [TSR__T_NATIVE_EXP] = FLOATS | COMPLEXES,
    [TSR__T_EXP2] = FLOATS | COMPLEXES,
    [TSR__T_NATIVE_EXP2] = FLOATS | COMPLEXES,
    [TSR__T_LOG] = FLOATS,
    [TSR__T_NATIVE_LOG] = FLOATS,
    [TSR__T_LOG2] = FLOATS,
    [TSR__T_NATIVE_LOG2] = FLOATS,
    [TSR__T_SIN] = FLOATS,
    [TSR__T_NATIVE_SIN] = FLOATS,
    [TSR__T_COS] = FLOATS,
    [TSR__T_NATIVE_COS] = FLOATS,
};

/* The type of an operand is one that the instruction takes. */
static bool check_class(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *operand)
{
    static const char *const unsupported[] = {
        [TSR__T_INTEGER] = "int type unsupported by instruction",
        [TSR__T_FLOATING] = "Floating point type unsupported by instruction",
        [TSR__T_COMPLEX] = "complex type unsupported by instruction",
    };
    const struct tsr__t_type *type = operand->type;
    unsigned mask = takes[inst->op];
    switch (type->kind) {
    case TSR__T_BOOL:
        return mask & BOOLEAN || tsr__t_fault(p, inst, operand, NULL, "boolean type unsupported by instruction");
    case TSR__T_COOP:
        if (!(mask & COOPS) && !inst->later)
            return tsr__t_fault(p, inst, operand, NULL, "coopmatrix type unsupported by instruction");
        if (inst->op == TSR__T_ABS || inst->op == TSR__T_IM || inst->op == TSR__T_RE) /* no component becomes a part of it */
            mask &= (unsigned)~COMPLEXES;
        return mask & (unsigned)INTEGERS << class_of(type) || tsr__t_fault(p, inst, operand, NULL, unsupported[class_of(type)]);
    case TSR__T_NUMBER:
        return mask & (unsigned)INTEGERS << class_of(type) || tsr__t_fault(p, inst, operand, NULL, unsupported[class_of(type)]);
    default:
        return tsr__t_fault(p, inst, operand, NULL, "Expected boolean type, scalar type, or coopmatrix type");
    }
}

TSR_CHECK_FUNCTION(arith)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (!check_class(p, inst, inst->operands[i]))
            return false;
        if (!tsr__t_same_type(inst->operands[i]->type, inst->results[0]->type))
            return tsr__t_fault(p, inst, inst->operands[i], NULL, operand_type);
    }
    return true;
}

TSR_CHECK_FUNCTION(unary)
{
    const struct tsr__t_value *a = inst->operands[0];
    const struct tsr__t_type *result = inst->results[0]->type;
    if (!check_class(p, inst, a))
        return false;
    bool part = inst->op == TSR__T_ABS || inst->op == TSR__T_IM || inst->op == TSR__T_RE;
    if (part && tsr__t_is_number(a->type, TSR__T_COMPLEX))
        return (result->kind == TSR__T_NUMBER && result->number == tsr__t_numbers[a->type->number].component) ||
               tsr__t_fault(p, inst, a, NULL, "Type of result must be the component type of the operand");
    return tsr__t_same_type(a->type, result) || tsr__t_fault(p, inst, a, NULL, operand_type);
}

TSR_CHECK_FUNCTION(compare)
{
    const struct tsr__t_value *a = inst->operands[0], *b = inst->operands[1];
    if (inst->results[0]->type->kind != TSR__T_BOOL)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected boolean type");
    for (uint32_t i = 0; i < 2; i++)
        if (inst->operands[i]->type->kind != TSR__T_NUMBER)
            return tsr__t_fault(p, inst, inst->operands[i], NULL, "Expected scalar type");
    if (a->type->number != b->type->number)
        return tsr__t_fault(p, inst, a, b, "Scalar type mismatch");
    return check_class(p, inst, a);
}

TSR_CHECK_FUNCTION(cast)
{
    const struct tsr__t_value *a = inst->operands[0];
    const struct tsr__t_type *from = a->type, *to = inst->results[0]->type;
    bool fits = from->kind == to->kind && has_number(to);
    if (fits && from->kind == TSR__T_COOP)
        fits = from->rows == to->rows && from->cols == to->cols && (from->use == to->use || from->use == TSR__T_MATRIX_ACC);
    if (fits && class_of(from) == TSR__T_COMPLEX)
        fits = class_of(to) == TSR__T_COMPLEX;
    return fits || tsr__t_fault(p, inst, a, NULL, "Forbidden cast");
}

TSR_CHECK_FUNCTION(math)
{
    const struct tsr__t_value *a = inst->operands[0];
    if (a->type->kind != TSR__T_NUMBER)
        return tsr__t_fault(p, inst, a, NULL, "Expected scalar type");
    if (!check_class(p, inst, a))
        return false;
    return tsr__t_same_type(a->type, inst->results[0]->type) || tsr__t_fault(p, inst, a, NULL, operand_type);
}

/* The type of hidden constants is that of the place where they stand. */
TSR_CHECK_FUNCTION(constant)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    bool fits;
    if (inst->constant_is_bool)
        fits = type->kind == TSR__T_BOOL;
    else if (inst->constant_is_complex)
        fits = has_number(type) && class_of(type) == TSR__T_COMPLEX;
    else
        fits = has_number(type) && class_of(type) == (inst->constant_is_integer ? TSR__T_INTEGER : TSR__T_FLOATING);
    if (!fits)
        return tsr__t_fault(p, inst, NULL, NULL, "Type of constant does not match type of returned value");
    unsigned bits = 8 * tsr__t_numbers[type->number].bytes;
    if (inst->constant_is_integer && bits < 64 &&
        (inst->integer < -((int64_t)1 << (bits - 1)) || inst->integer >= (int64_t)1 << (bits - 1)))
        return tsr__t_fault(p, inst, NULL, NULL, "Constant is out of the range of its type");
    return true;
}

TSR_CHECK_FUNCTION(builtin)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    bool is_index = inst->op == TSR__T_GROUP_ID || inst->op == TSR__T_GROUP_SIZE;
    bool has_component = is_index || inst->op == TSR__T_NUM_SUBGROUPS || inst->op == TSR__T_SUBGROUP_ID;
    if (inst->component && (!has_component || (!is_index && inst->component == 'z')))
        return tsr__t_fault(p, inst, NULL, NULL, "This value has no such component");
    if (type->kind != TSR__T_NUMBER || type->number != (is_index ? TSR__T_INDEX : TSR__T_I32))
        return tsr__t_fault(p, inst, NULL, NULL, is_index ? "Expected index type" : "Expected i32 type");
    return true;
}

TSR_CHECK_FUNCTION(broadcast)
{
    const struct tsr__t_value *a = inst->operands[0], *lane = inst->operands[1];
    if (a->type->kind != TSR__T_NUMBER)
        return tsr__t_fault(p, inst, a, NULL, "Expected scalar type");
    if (!tsr__t_same_type(a->type, inst->results[0]->type))
        return tsr__t_fault(p, inst, a, NULL, operand_type);
    if (lane->type->kind != TSR__T_NUMBER || lane->type->number != TSR__T_I32)
        return tsr__t_fault(p, inst, lane, NULL, "Expected i32 type");
    return true;
}

TSR_CHECK_FUNCTION(subgroup)
{
    const struct tsr__t_value *a = inst->operands[0];
    if (a->type->kind != TSR__T_NUMBER)
        return tsr__t_fault(p, inst, a, NULL, "Expected scalar type");
    if (!tsr__t_same_type(a->type, inst->results[0]->type))
        return tsr__t_fault(p, inst, a, NULL, operand_type);
    bool is_sum = inst->op >= TSR__T_SUBGROUP_ADD_EXCLUSIVE && inst->op <= TSR__T_SUBGROUP_ADD_REDUCE;
    if (!is_sum && class_of(a->type) == TSR__T_COMPLEX)
        return tsr__t_fault(p, inst, a, NULL, "complex type unsupported by instruction");
    return true;
}

/* ---- cooperative matrices as wholes ---- */

TSR_CHECK_FUNCTION(coop_mul_add)
{
    const struct tsr__t_value *va = inst->operands[0], *vb = inst->operands[1], *vc = inst->operands[2];
    const struct tsr__t_type *a = va->type, *b = vb->type, *c = vc->type, *d = inst->results[0]->type;
    for (uint32_t i = 0; i < 3; i++)
        if (inst->operands[i]->type->kind != TSR__T_COOP)
            return tsr__t_fault(p, inst, inst->operands[i], NULL, "Expected coopmatrix type");
    if (d->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected coopmatrix type");
    if (a->use != TSR__T_MATRIX_A || b->use != TSR__T_MATRIX_B || c->use != TSR__T_MATRIX_ACC || d->use != TSR__T_MATRIX_ACC)
        return tsr__t_fault(p, inst, va, vb, "Operands have invalid matrix use");
    if (a->cols != b->rows || c->rows != a->rows || c->cols != b->cols || d->rows != c->rows || d->cols != c->cols) {
        struct tsr_tensor_diagnostic *e =
            tsr__t_error(p, inst->at, "Incompatible tensor shapes (Got A=%lldx%lld, B=%lldx%lld, C=%lldx%lld, D=%lldx%lld)",
                         (long long)a->rows, (long long)a->cols, (long long)b->rows, (long long)b->cols, (long long)c->rows,
                         (long long)c->cols, (long long)d->rows, (long long)d->cols);
        for (uint32_t i = 0; i < 3; i++)
            tsr__t_note_value(p, e, inst->operands[i]);
        return false;
    }
    enum tsr__t_number product;
    if (!tsr__t_promote(a->number, b->number, &product) || !tsr__t_promotable(product, c->number))
        return tsr__t_fault(p, inst, va, vb, "Scalar type promotion is forbidden");
    if (class_of(c) == TSR__T_COMPLEX && class_of(d) != TSR__T_COMPLEX)
        return tsr__t_fault(p, inst, vc, NULL, "Forbidden cast");
    return true;
}

TSR_CHECK_FUNCTION(coop_construct)
{
    const struct tsr__t_value *number = inst->operands[0];
    const struct tsr__t_type *made = inst->results[0]->type;
    if (number->type->kind != TSR__T_NUMBER)
        return tsr__t_fault(p, inst, number, NULL, "Expected scalar type");
    if (made->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected coopmatrix type");
    return number->type->number == made->number || tsr__t_fault(p, inst, number, NULL, operand_type);
}

TSR_CHECK_FUNCTION(coop_scale)
{
    const struct tsr__t_value *s = inst->operands[0], *m = inst->operands[1];
    if (s->type->kind != TSR__T_NUMBER)
        return tsr__t_fault(p, inst, s, NULL, "Expected scalar type");
    if (m->type->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, m, NULL, "Expected coopmatrix type");
    if (s->type->number != m->type->number)
        return tsr__t_fault(p, inst, s, m, "Scalar type mismatch");
    return tsr__t_same_type(m->type, inst->results[0]->type) || tsr__t_fault(p, inst, m, NULL, operand_type);
}

/* What the region yields is compared with the component by tsr__t_check_returns. */
TSR_CHECK_FUNCTION(coop_apply)
{
    const struct tsr__t_value *m = inst->operands[0];
    if (m->type->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, m, NULL, "Expected coopmatrix type");
    return tsr__t_same_type(m->type, inst->results[0]->type) || tsr__t_fault(p, inst, m, NULL, operand_type);
}

TSR_CHECK_FUNCTION(coop_reduce)
{
    const struct tsr__t_value *m = inst->operands[0];
    const struct tsr__t_type *from = m->type, *to = inst->results[0]->type;
    if (from->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, m, NULL, "Expected coopmatrix type");
    if (to->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected coopmatrix type");
    if (from->number != to->number || from->use != to->use)
        return tsr__t_fault(p, inst, m, NULL, "Component type and use of operand must match those of return type");
    if (inst->op != TSR__T_COOP_REDUCE_ADD && class_of(from) == TSR__T_COMPLEX)
        return tsr__t_fault(p, inst, m, NULL, "complex type unsupported by instruction");
    int64_t rows = inst->mode[0] ? 1 : from->rows, cols = inst->mode[0] ? from->cols : 1;
    if (to->rows == rows && to->cols == cols)
        return true;
    struct tsr_tensor_diagnostic *e =
        tsr__t_error(p, inst->at, "Invalid shape (a reduction of %s has the shape %lldx%lld, not %lldx%lld)",
                     inst->mode[0] ? "columns" : "rows", (long long)rows, (long long)cols, (long long)to->rows, (long long)to->cols);
    tsr__t_note_value(p, e, m);
    return false;
}

/* A matrix, and the number of a component that each work-item has. */
static bool check_component(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *m)
{
    if (m->type->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, m, NULL, "Expected coopmatrix type");
    uint32_t count = tsr__t_components(m->type, p->reading->info.sub_group_size);
    return (inst->mode[0] >= 0 && inst->mode[0] < count) || tsr__t_fault(p, inst, m, NULL, "Argument is out of bounds");
}

TSR_CHECK_FUNCTION(coop_extract)
{
    const struct tsr__t_value *m = inst->operands[0];
    const struct tsr__t_type *made = inst->results[0]->type;
    if (!check_component(p, inst, m))
        return false;
    return (made->kind == TSR__T_NUMBER && made->number == m->type->number) || tsr__t_fault(p, inst, m, NULL, operand_type);
}

TSR_CHECK_FUNCTION(coop_insert)
{
    const struct tsr__t_value *s = inst->operands[0], *m = inst->operands[1];
    if (s->type->kind != TSR__T_NUMBER)
        return tsr__t_fault(p, inst, s, NULL, "Expected scalar type");
    if (!check_component(p, inst, m))
        return false;
    if (s->type->number != m->type->number)
        return tsr__t_fault(p, inst, s, m, "Scalar type mismatch");
    return tsr__t_same_type(m->type, inst->results[0]->type) || tsr__t_fault(p, inst, m, NULL, operand_type);
}
