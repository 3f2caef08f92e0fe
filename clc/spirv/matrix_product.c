/* SPDX-License-Identifier: Apache-2.0
 * D = A·B + C of matrices: by Intel's matrix functions where there is one for the types, else element by element.
 *
 * Integers are taken by their own signs, multiplied and added modulo 2^width of the result; with saturation the product, modulo 2^width, is
 * added to C and the sum saturates. Numbers with a fraction are added in float, or in double where a matrix has it, in the order of k, and
 * the result is rounded once, at the end. */
#include "clc/spirv/matrix.h"

/* A product that is being made. */
struct product {
    struct tsr__reader *r;
    const struct tsr__matrix *a, *b, *c, *d;
    bool a_signed, b_signed, c_signed, d_signed, saturate, bfloat, tf32, c_bfloat, d_bfloat;
    unsigned a_parts, b_parts; /* numbers in a component: 1, or 2-bit and 4-bit integers in one of 8 bits or more */
    uint32_t k;                /* numbers in the direction of K */
    LLVMTypeRef work;          /* type of sums */
    LLVMValueRef av, bv, cv;
    LLVMValueRef lane;
};

static bool is_integer(const struct tsr__matrix *m)
{
    return m->component->kind == TSR__INT;
}

static LLVMTypeRef like(LLVMTypeRef scalar, LLVMValueRef value)
{
    return tsr__with_scalar(LLVMTypeOf(value), scalar);
}

/* ---- conversions between components and sums ---- */

/* A matrix of integers of 4 bits as one of bytes. */
static LLVMValueRef as_bytes(struct product *p, const struct tsr__matrix *m, LLVMValueRef value, bool is_signed)
{
    LLVMValueRef made = value;
    for (uint32_t v = 0; m->int4 && v < m->vector_count; v++) {
        LLVMValueRef numbers = tsr__int4_extend(p->r, LLVMBuildExtractValue(p->r->builder, value, v, ""), is_signed);
        made = LLVMBuildInsertValue(p->r->builder, made, numbers, v, "");
    }
    return made;
}

/* A value of A, B or C in the type of sums. */
static LLVMValueRef widen(struct product *p, LLVMValueRef value, bool is_signed, bool bfloat)
{
    struct tsr__reader *r = p->r;
    LLVMTypeRef to = like(p->work, value);
    if (tsr__is_int(to))
        return LLVMBuildIntCast2(r->builder, value, to, is_signed, "");
    if (bfloat)
        value = tsr__spirv_bfloat16_to_float(r, value);
    return LLVMTypeOf(value) == to ? value : LLVMBuildFPExt(r->builder, value, to, "");
}

static LLVMValueRef narrow(struct product *p, LLVMValueRef value)
{
    struct tsr__reader *r = p->r;
    LLVMTypeRef to = like(p->d->component->llvm, value);
    if (LLVMTypeOf(value) == to)
        return value;
    if (tsr__is_int(LLVMTypeOf(value)))
        return LLVMBuildTrunc(r->builder, value, to, "");
    if (!p->d_bfloat)
        return LLVMBuildFPTrunc(r->builder, value, to, "");
    if (LLVMTypeOf(value) != like(LLVMFloatTypeInContext(r->context), value))
        value = LLVMBuildFPTrunc(r->builder, value, like(LLVMFloatTypeInContext(r->context), value), "");
    return tsr__spirv_float_to_bfloat16(r, value);
}

/* The product, in the type of sums, and C: the result. */
static LLVMValueRef add_saturated(struct product *p, LLVMValueRef product, LLVMValueRef c)
{
    LLVMTypeRef type = like(p->d->component->llvm, c);
    LLVMValueRef args[] = {LLVMBuildIntCast2(p->r->builder, product, type, true, ""),
                           LLVMBuildIntCast2(p->r->builder, c, type, p->c_signed, "")};
    LLVMValueRef sum = tsr__spirv_call_intrinsic(p->r, p->d_signed ? "llvm.sadd.sat" : "llvm.uadd.sat", type, args, 2);
    return p->d->int4 ? tsr__int4_clamp(p->r, sum, p->d_signed) : sum;
}

/* ---- by matrix functions ---- */

/* The element of a matrix function that a component of A or B is; -1: none is. */
static int element_of(const struct product *p, const struct tsr__matrix *m, bool is_signed, unsigned parts)
{
    if (is_integer(m) && !p->bfloat) {
        unsigned bits = m->bits / parts;
        if (m->bits != 8 || (bits != 8 && bits != 4))
            return -1;
        return bits == 8 ? (is_signed ? TSR_ELEMENT_S8 : TSR_ELEMENT_U8) : is_signed ? TSR_ELEMENT_S4 : TSR_ELEMENT_U4;
    }
    if (p->bfloat)
        return TSR_ELEMENT_BF16;
    return m->bits == 16 ? TSR_ELEMENT_F16 : m->bits == 32 && p->tf32 ? TSR_ELEMENT_TF32 : -1;
}

static const struct tsr_matrix_builtin *find_builtin(const struct product *p, uint32_t rows)
{
    int ea = element_of(p, p->a, p->a_signed, p->a_parts), eb = element_of(p, p->b, p->b_signed, p->b_parts);
    if (ea < 0 || eb < 0 || p->a->order != TSR__ROWS || p->work == LLVMDoubleTypeInContext(p->r->context))
        return NULL;
    for (size_t i = 0; i < tsr_matrix_builtin_count; i++) {
        const struct tsr_matrix_builtin *f = &tsr_matrix_builtins[i];
        if (f->form != TSR_MATRIX_SPLIT && f->n == p->a->lanes && f->m == rows && (int)f->ea == ea && (int)f->eb == eb &&
            (f->ec == TSR_ELEMENT_S32 || f->ec == TSR_ELEMENT_F32))
            return f;
    }
    return NULL;
}

static enum tsr__sign sign_of(const char *type)
{
    return *type == 'u' ? TSR__UNSIGNED : TSR__SIGNED;
}

/* The block of A as the function takes it; work-items without elements of it bring zeros. */
static LLVMValueRef operand_a(struct product *p, const struct tsr__matrix_block *b, const struct tsr_matrix_builtin *f)
{
    struct tsr__reader *r = p->r;
    LLVMValueRef value = tsr__matrix_get(r, p->a, p->av, b->slot, b->slots);
    unsigned words = f->form == TSR_MATRIX_TF32 ? b->slots : b->rows;
    LLVMTypeRef word = f->form == TSR_MATRIX_TF32 ? LLVMFloatTypeInContext(r->context)
                       : f->form == TSR_MATRIX_N8 ? tsr__i32(r)
                                                  : LLVMInt16TypeInContext(r->context);
    value = LLVMBuildBitCast(r->builder, value, words > 1 ? LLVMVectorType(word, words) : word, "");
    LLVMValueRef there = tsr__matrix_in_block(r, p->a, b, p->lane);
    return there ? LLVMBuildSelect(r->builder, there, value, LLVMConstNull(LLVMTypeOf(value)), "") : value;
}

/* The block of B as eight words; rows behind the last are zero. */
static LLVMValueRef operand_b(struct product *p, const struct tsr__matrix_block *b, const struct tsr_matrix_builtin *f)
{
    struct tsr__reader *r = p->r;
    LLVMTypeRef word = f->form == TSR_MATRIX_TF32 ? LLVMFloatTypeInContext(r->context) : tsr__i32(r);
    LLVMValueRef value;
    if (b->rows == p->b->deep) {
        value = tsr__matrix_get(r, p->b, p->bv, b->slot, b->slots);
    } else {
        value = LLVMConstNull(LLVMVectorType(p->b->component->llvm, p->b->deep));
        for (uint32_t i = 0; i < b->rows; i++)
            value = LLVMBuildInsertElement(r->builder, value, tsr__matrix_get(r, p->b, p->bv, b->slot + i, 1), tsr__u32(r, i), "");
    }
    return LLVMBuildBitCast(r->builder, value, LLVMVectorType(word, 8), "");
}

static const struct tsr__matrix_block *block_at(const struct tsr__matrix *m, uint32_t row, uint32_t column)
{
    const struct tsr__matrix_block *b = m->blocks;
    while (b->row != row || b->column != column)
        b++;
    return b;
}

/* One block of the result. */
static LLVMValueRef multiply_block(struct product *p, const struct tsr__matrix_block *block, const struct tsr_matrix_builtin *f)
{
    struct tsr__reader *r = p->r;
    LLVMTypeRef scalar = f->ec == TSR_ELEMENT_S32 ? tsr__i32(r) : LLVMFloatTypeInContext(r->context);
    LLVMTypeRef sums = block->rows > 1 ? LLVMVectorType(scalar, block->rows) : scalar;
    LLVMValueRef c = tsr__matrix_get(r, p->c, p->cv, block->slot, block->slots);
    bool later = p->saturate || LLVMTypeOf(c) != sums || (f->ec == TSR_ELEMENT_S32 && p->work != scalar);
    bool integer = f->ec == TSR_ELEMENT_S32;
    LLVMValueRef sum = integer && later ? LLVMConstNull(sums) : widen(p, c, p->c_signed, p->c_bfloat);
    for (uint32_t k = 0; k < p->a->columns; k += p->a->deep) {
        struct tsr__arg args[] = {
            {.value = operand_a(p, block_at(p->a, block->row, k), f), .sign = sign_of(f->a)},
            {.value = operand_b(p, block_at(p->b, k, block->column), f), .sign = sign_of(f->b)},
            {.value = sum, .sign = TSR__SIGNED},
        };
        sum = tsr__spirv_call(r, f->name, sums, args, 3, TSR__MEETS);
    }
    if (integer && p->saturate)
        return add_saturated(p, sum, c);
    if (integer && later) { /* the sum of at most 1024 products of bytes is exact */
        sum = LLVMBuildIntCast2(r->builder, sum, like(p->work, sum), true, "");
        sum = LLVMBuildAdd(r->builder, sum, widen(p, c, p->c_signed, false), "");
    }
    return narrow(p, sum);
}

/* ---- element by element ---- */

static LLVMValueRef index_times(struct product *p, LLVMValueRef index, uint64_t factor, LLVMValueRef plus)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->r->context);
    index = LLVMBuildMul(p->r->builder, index, LLVMConstInt(i64, factor, false), "");
    return LLVMBuildAdd(p->r->builder, index, plus, "");
}

static LLVMValueRef load_slot(struct product *p, const struct tsr__matrix *m, LLVMValueRef place, LLVMValueRef slot)
{
    return LLVMBuildLoad2(p->r->builder, m->component->llvm, tsr__matrix_element(p->r, m, place, slot), "");
}

/* Number k of a line of A or B, of which `component` holds number k / parts, in the type of sums. */
static LLVMValueRef number_of(struct product *p, LLVMValueRef component, const struct tsr__matrix *m, unsigned parts, LLVMValueRef k,
                              bool is_signed)
{
    LLVMBuilderRef b = p->r->builder;
    LLVMTypeRef type = LLVMTypeOf(component);
    if (parts > 1) {
        unsigned size = m->bits / parts;
        LLVMValueRef part = LLVMBuildIntCast2(b, LLVMBuildURem(b, k, LLVMConstInt(LLVMTypeOf(k), parts, false), ""), type, false, "");
        LLVMValueRef down = LLVMConstInt(type, m->bits - size, false);
        LLVMValueRef up = LLVMBuildSub(b, down, LLVMBuildMul(b, part, LLVMConstInt(type, size, false), ""), "");
        component = LLVMBuildShl(b, component, up, "");
        component = is_signed ? LLVMBuildAShr(b, component, down, "") : LLVMBuildLShr(b, component, down, "");
    }
    if (p->tf32) { /* the low 13 bits do not count */
        LLVMTypeRef word = tsr__i32(p->r);
        LLVMValueRef whole = LLVMBuildAnd(b, LLVMBuildBitCast(b, component, word, ""), tsr__u32(p->r, 0xffffe000), "");
        LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, component, component, "");
        component = LLVMBuildSelect(b, is_nan, component, LLVMBuildBitCast(b, whole, type, ""), "");
    }
    return widen(p, component, is_signed, p->bfloat);
}

/* Work-items, or slots, of the components of A in row-major order, as a table in constant memory. */
static LLVMValueRef position_table(struct product *p, const char *name, bool slots)
{
    struct tsr__reader *r = p->r;
    LLVMTypeRef i32 = tsr__i32(r);
    const struct tsr__matrix *a = p->a;
    name = tsr_arena_format(&r->arena, "%s%u.%s.%s", TSR_CLC_SPIRV_MATRIX, a->lanes, a->name, name);
    LLVMValueRef table = LLVMGetNamedGlobal(r->module, name), *numbers;
    if (table)
        return table;
    numbers = tsr_arena_alloc(&r->arena, (size_t)a->rows * a->columns * sizeof(LLVMValueRef));
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t column = 0, lane, slot; column < a->columns; column++) {
            tsr__matrix_find(a, row, column, &lane, &slot);
            numbers[row * a->columns + column] = tsr__u32(r, slots ? slot : lane);
        }
    return tsr__constant_table(r, name, i32, numbers, a->rows * a->columns);
}

/* Number k of a row of A, in all work-items. */
static LLVMValueRef share_a(struct product *p, LLVMValueRef place, LLVMValueRef row, LLVMValueRef k)
{
    LLVMBuilderRef b = p->r->builder;
    LLVMTypeRef i32 = tsr__i32(p->r), i64 = LLVMInt64TypeInContext(p->r->context);
    LLVMValueRef column = LLVMBuildUDiv(b, k, LLVMConstInt(i64, p->a_parts, false), "");
    LLVMValueRef at = index_times(p, row, p->a->columns, column);
    LLVMValueRef lane = LLVMBuildLoad2(b, i32, LLVMBuildGEP2(b, i32, position_table(p, "lanes", false), &at, 1, ""), "");
    LLVMValueRef slot = LLVMBuildLoad2(b, i32, LLVMBuildGEP2(b, i32, position_table(p, "slots", true), &at, 1, ""), "");
    LLVMValueRef own = number_of(p, load_slot(p, p->a, place, slot), p->a, p->a_parts, k, p->a_signed);
    struct tsr__arg args[] = {{.value = own, .sign = TSR__SIGNED}, {.value = lane, .sign = TSR__UNSIGNED}};
    return tsr__spirv_call(p->r, "sub_group_broadcast", p->work, args, 2, TSR__MEETS);
}

static LLVMValueRef multiply_add(struct product *p, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    struct tsr__arg args[] = {{.value = a}, {.value = b}, {.value = sum}};
    if (!tsr__is_int(p->work))
        return tsr__spirv_call(p->r, "fma", p->work, args, 3, TSR__PURE);
    return LLVMBuildAdd(p->r->builder, LLVMBuildMul(p->r->builder, a, b, ""), sum, "");
}

static LLVMValueRef place_of(struct product *p, LLVMValueRef value)
{
    LLVMValueRef place = LLVMBuildAlloca(p->r->builder, LLVMTypeOf(value), "");
    LLVMBuildStore(p->r->builder, value, place);
    return place;
}

/* Loops over rows, over blocks of as many columns as there are work-items, and over K. Slots of B and of accumulators go down their
 * columns, block by block. */
static LLVMValueRef multiply_elements(struct product *p)
{
    struct tsr__reader *r = p->r;
    struct tsr__matrix_loop rows, blocks, numbers;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef a = place_of(p, p->av), b = place_of(p, p->bv), c = place_of(p, p->cv), d = LLVMBuildAlloca(r->builder, p->d->llvm, "");
    LLVMValueRef row = tsr__loop_begin(r, &rows, p->d->rows, NULL);
    LLVMValueRef block = tsr__loop_begin(r, &blocks, (p->d->columns + p->d->lanes - 1) / p->d->lanes, NULL);
    LLVMValueRef slot = index_times(p, block, p->d->rows, row), own = load_slot(p, p->c, c, slot);
    LLVMValueRef first = p->saturate ? LLVMConstNull(p->work) : widen(p, own, p->c_signed, p->c_bfloat);
    LLVMValueRef k = tsr__loop_begin(r, &numbers, p->k, first);
    LLVMValueRef in_column = LLVMBuildUDiv(r->builder, k, LLVMConstInt(i64, p->b_parts, false), "");
    LLVMValueRef from_b = load_slot(p, p->b, b, index_times(p, block, p->b->rows, in_column));
    LLVMValueRef sum = multiply_add(p, share_a(p, a, row, k), number_of(p, from_b, p->b, p->b_parts, k, p->b_signed), numbers.sum);
    tsr__loop_end(r, &numbers, sum);
    LLVMValueRef made = p->saturate ? add_saturated(p, sum, own) : narrow(p, sum);
    LLVMBuildStore(r->builder, made, tsr__matrix_element(r, p->d, d, slot));
    tsr__loop_end(r, &blocks, NULL);
    tsr__loop_end(r, &rows, NULL);
    return LLVMBuildLoad2(r->builder, p->d->llvm, d, "");
}

/* ---- instructions ---- */

/* Bits of the operands of OpCooperativeMatrixMulAddKHR. */
enum {
    A_SIGNED = 1,
    B_SIGNED = 2,
    C_SIGNED = 4,
    RESULT_SIGNED = 8,
    SATURATING = 0x10,
    A_AND_B_TF32 = 0x20,
    A_AND_B_BFLOAT16 = 0x40,
    C_BFLOAT16 = 0x80,
    RESULT_BFLOAT16 = 0x100,
    KNOWN = 0x1ff,
};

static bool is_bfloat(const struct tsr__matrix *m)
{
    return m->component->is_bfloat16 || m->meaning == TSR__MEANS_BFLOAT16;
}

static unsigned parts_of(const struct tsr__matrix *m)
{
    return m->meaning == TSR__MEANS_INT2 ? m->bits / 2 : m->meaning == TSR__MEANS_INT4 ? m->bits / 4 : 1;
}

static void read_signs(const struct tsr__inst *in, struct product *p)
{
    uint32_t mask = 0;
    switch (in->op->number) {
    case TSR__OpCooperativeMatrixMulAddKHR:
        mask = in->count > 3 ? in->operand[3] : 0;
        if (mask & ~(uint32_t)KNOWN)
            tsr__spirv_fail(p->r, in, "operands 0x%x: this driver knows those of 0x%x", mask, KNOWN);
        break;
    case TSR__OpJointMatrixMadINTEL:
        mask = A_SIGNED | B_SIGNED | C_SIGNED | RESULT_SIGNED;
        break;
    case TSR__OpJointMatrixSUMadINTEL:
        mask = A_SIGNED | C_SIGNED | RESULT_SIGNED;
        break;
    case TSR__OpJointMatrixUSMadINTEL:
        mask = B_SIGNED | C_SIGNED | RESULT_SIGNED;
        break;
    default: /* both without a sign */
        break;
    }
    p->a_signed = mask & A_SIGNED;
    p->b_signed = mask & B_SIGNED;
    p->c_signed = mask & C_SIGNED;
    p->d_signed = mask & RESULT_SIGNED;
    p->saturate = mask & SATURATING;
    p->tf32 = mask & A_AND_B_TF32 || p->a->meaning == TSR__MEANS_TF32;
    /* In joint matrices integers of 16 bits whose products are no integers are bfloat16. */
    bool joint = in->op->number != TSR__OpCooperativeMatrixMulAddKHR;
    p->bfloat = mask & A_AND_B_BFLOAT16 || is_bfloat(p->a) || (joint && is_integer(p->a) && p->a->bits == 16 && !is_integer(p->d));
    p->c_bfloat = mask & C_BFLOAT16 || is_bfloat(p->c);
    p->d_bfloat = mask & RESULT_BFLOAT16 || is_bfloat(p->d);
    p->a_parts = parts_of(p->a);
    p->b_parts = parts_of(p->b);
    p->k = p->a->columns * p->a_parts;
}

static bool numbers_with_fraction(const struct tsr__matrix *m, bool bfloat)
{
    return bfloat || !is_integer(m);
}

static void check(struct tsr__reader *r, const struct tsr__inst *in, const struct product *p)
{
    const struct tsr__matrix *a = p->a, *b = p->b, *c = p->c, *d = p->d;
    if (a->use != TSR__MATRIX_A || b->use != TSR__MATRIX_B || c->use != TSR__MATRIX_ACCUMULATOR || d->use != TSR__MATRIX_ACCUMULATOR)
        tsr__spirv_fail(r, in, "its operands have to be a matrix of use A, one of use B and an accumulator, its result an accumulator");
    if (a->rows != d->rows || b->columns != d->columns || c->rows != d->rows || c->columns != d->columns || p->k != b->rows * p->b_parts)
        tsr__spirv_fail(r, in, "the shapes of the matrices do not fit: %ux%u times %ux%u plus %ux%u is %ux%u", a->rows, a->columns, b->rows,
                        b->columns, c->rows, c->columns, d->rows, d->columns);
    bool fraction = numbers_with_fraction(d, p->d_bfloat);
    if (numbers_with_fraction(a, p->bfloat) != fraction || numbers_with_fraction(b, p->bfloat) != fraction ||
        numbers_with_fraction(c, p->c_bfloat) != fraction || (fraction && p->saturate))
        tsr__spirv_fail(r, in, "its matrices are to have integers all, or numbers with a fraction all; integers alone saturate");
    if ((p->bfloat && (a->bits != 16 || b->bits != 16)) || (p->c_bfloat && c->bits != 16) || (p->d_bfloat && d->bits != 16) ||
        (p->tf32 && (a->bits != 32 || b->bits != 32 || is_integer(a) || is_integer(b))))
        tsr__spirv_fail(r, in, "the components of its matrices cannot be what its operands say");
}

/* float is wide enough for half and bfloat16. Integers are added modulo 2^width of the result. */
static LLVMTypeRef sum_type(const struct product *p)
{
    LLVMContextRef context = p->r->context;
    if (!numbers_with_fraction(p->d, p->d_bfloat))
        return LLVMIntTypeInContext(context, p->d->bits > 32 ? p->d->bits : 32);
    LLVMTypeRef wide = LLVMDoubleTypeInContext(context);
    const struct tsr__matrix *all[] = {p->a, p->b, p->c, p->d};
    for (size_t i = 0; i < TSR_ARRAY_LEN(all); i++)
        if (all[i]->component->llvm == wide)
            return wide;
    return LLVMFloatTypeInContext(context);
}

static LLVMValueRef make_product(struct product *p)
{
    LLVMValueRef result = LLVMGetPoison(p->d->llvm);
    bool by_functions = find_builtin(p, 1) != NULL;
    p->lane = tsr__matrix_lane(p->r);
    if (!by_functions)
        return multiply_elements(p);
    for (uint32_t i = 0; i < p->d->block_count; i++) {
        const struct tsr__matrix_block *block = &p->d->blocks[i];
        result = tsr__matrix_put(p->r, p->d, result, block->slot, multiply_block(p, block, find_builtin(p, block->rows)));
    }
    return result;
}

LLVMValueRef tsr__emit_matrix_product(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct product p = {.r = r,
                        .a = tsr__matrix_operand(r, in, 0),
                        .b = tsr__matrix_operand(r, in, 1),
                        .c = tsr__matrix_operand(r, in, 2),
                        .d = tsr__matrix_result(r, in)};
    LLVMValueRef args[] = {tsr__spirv_value(r, in, 0), tsr__spirv_value(r, in, 1), tsr__spirv_value(r, in, 2)};
    LLVMTypeRef types[] = {p.a->llvm, p.b->llvm, p.c->llvm};
    read_signs(in, &p);
    check(r, in, &p);
    p.work = sum_type(&p);
    struct tsr__helper h;
    const char *name = tsr_arena_format(&r->arena, "%s.times.%s.plus.%s.to.%s.%d%d%d%d%d%d%d%d%d.%u.%u", p.a->name, p.b->name, p.c->name,
                                        p.d->name, p.a_signed, p.b_signed, p.c_signed, p.d_signed, p.saturate, p.bfloat, p.tf32, p.c_bfloat,
                                        p.d_bfloat, p.a_parts, p.b_parts);
    if (tsr__helper_begin(r, &h, name, p.d->llvm, types, 3)) {
        p.av = as_bytes(&p, p.a, LLVMGetParam(h.function, 0), p.a_signed);
        p.bv = as_bytes(&p, p.b, LLVMGetParam(h.function, 1), p.b_signed);
        p.cv = as_bytes(&p, p.c, LLVMGetParam(h.function, 2), p.c_signed);
        tsr__helper_end(r, &h, as_bytes(&p, p.d, make_product(&p), false));
    }
    return tsr__helper_call(r, &h, args, 3);
}
