/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic on numbers. bf16 is computed in f32 and rounded. */
#include "tensor/llvm/emit.h"

#include <stdio.h>

static bool is_float(enum tsr__t_number number)
{
    return tsr__t_numbers[tsr__t_numbers[number].component].class == TSR__T_FLOATING;
}

struct tsr__te_number tsr__te_zero(struct tsr__te *e, enum tsr__t_number type)
{
    LLVMValueRef zero = LLVMConstNull(tsr__te_type(e, type));
    return (struct tsr__te_number){zero, tsr__te_is_complex(type) ? zero : NULL};
}

/* ---- conversions ---- */

static LLVMValueRef widen_bf16(struct tsr__te *e, LLVMValueRef a)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef bits = LLVMBuildShl(e->builder, LLVMBuildZExt(e->builder, a, i32, ""), tsr__te_i32(e, 16), "");
    return LLVMBuildBitCast(e->builder, bits, LLVMFloatTypeInContext(e->context), "");
}

/* To nearest even; a NaN stays one. */
static LLVMValueRef round_to_bf16(struct tsr__te *e, LLVMValueRef a)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bits = LLVMBuildBitCast(b, a, LLVMInt32TypeInContext(e->context), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, tsr__te_i32(e, 16), ""), tsr__te_i32(e, 1), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, LLVMBuildAdd(b, bits, tsr__te_i32(e, 0x7fff), ""), odd, "");
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, a, a, "");
    LLVMValueRef quiet = LLVMBuildOr(b, bits, tsr__te_i32(e, 0x400000), "");
    LLVMValueRef chosen = LLVMBuildSelect(b, nan, quiet, rounded, "");
    return LLVMBuildTrunc(b, LLVMBuildLShr(b, chosen, tsr__te_i32(e, 16), ""), LLVMInt16TypeInContext(e->context), "");
}

/* f64 to f32 so that rounding the result once more is as rounding once: towards odd. */
static LLVMValueRef narrow_to_odd(struct tsr__te *e, LLVMValueRef a)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context), f64 = LLVMDoubleTypeInContext(e->context);
    LLVMValueRef near = LLVMBuildFPTrunc(b, a, f32, ""), back = LLVMBuildFPExt(b, near, f64, "");
    LLVMValueRef bits = LLVMBuildBitCast(b, near, LLVMInt32TypeInContext(e->context), "");
    LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, back, a, "");
    LLVMValueRef size = tsr__te_intrinsic(e, "llvm.fabs", f64, &a, 1), back_size = tsr__te_intrinsic(e, "llvm.fabs", f64, &back, 1);
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, back_size, size, "");
    LLVMValueRef down = LLVMBuildSub(b, bits, LLVMBuildZExt(b, above, LLVMTypeOf(bits), ""), "");
    LLVMValueRef odd = LLVMBuildOr(b, down, LLVMBuildZExt(b, inexact, LLVMTypeOf(bits), ""), "");
    return LLVMBuildBitCast(b, odd, f32, "");
}

static LLVMValueRef convert_part(struct tsr__te *e, LLVMValueRef a, enum tsr__t_number from, enum tsr__t_number to)
{
    from = tsr__t_numbers[from].component;
    to = tsr__t_numbers[to].component;
    LLVMTypeRef type = tsr__te_type(e, to);
    if (from == to)
        return a;
    if (!is_float(from) && !is_float(to))
        return LLVMBuildIntCast2(e->builder, a, type, true, "");
    if (to == TSR__T_BF16) {
        if (from == TSR__T_F64)
            return round_to_bf16(e, narrow_to_odd(e, a));
        return round_to_bf16(e, convert_part(e, a, from, TSR__T_F32));
    }
    if (from == TSR__T_BF16)
        return convert_part(e, widen_bf16(e, a), TSR__T_F32, to);
    if (!is_float(from))
        return LLVMBuildSIToFP(e->builder, a, type, "");
    if (!is_float(to))
        return LLVMBuildFPToSI(e->builder, a, type, "");
    return LLVMBuildFPCast(e->builder, a, type, "");
}

struct tsr__te_number tsr__te_convert(struct tsr__te *e, struct tsr__te_number a, enum tsr__t_number from, enum tsr__t_number to)
{
    struct tsr__te_number made = {convert_part(e, a.re, from, to), NULL};
    if (tsr__te_is_complex(to))
        made.im = a.im ? convert_part(e, a.im, from, to) : LLVMConstNull(tsr__te_type(e, to));
    return made;
}

/* ---- real numbers ---- */

static LLVMValueRef arith_int(struct tsr__te *e, enum tsr__t_op op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef bu = e->builder;
    LLVMTypeRef type = LLVMTypeOf(a);
    switch (op) {
    case TSR__T_ADD:
        return LLVMBuildAdd(bu, a, b, "");
    case TSR__T_SUB:
        return LLVMBuildSub(bu, a, b, "");
    case TSR__T_MUL:
        return LLVMBuildMul(bu, a, b, "");
    case TSR__T_DIV:
        return LLVMBuildSDiv(bu, a, b, "");
    case TSR__T_REM:
        return LLVMBuildSRem(bu, a, b, "");
    case TSR__T_AND:
        return LLVMBuildAnd(bu, a, b, "");
    case TSR__T_OR:
        return LLVMBuildOr(bu, a, b, "");
    case TSR__T_XOR:
        return LLVMBuildXor(bu, a, b, "");
    case TSR__T_MIN:
    case TSR__T_MAX:
        return LLVMBuildSelect(bu, LLVMBuildICmp(bu, op == TSR__T_MIN ? LLVMIntSLT : LLVMIntSGT, a, b, ""), a, b, "");
    default: { /* shifts, by the bits that count */
        LLVMValueRef by = LLVMBuildAnd(bu, b, LLVMConstInt(type, LLVMGetIntTypeWidth(type) - 1, false), "");
        return op == TSR__T_SHL ? LLVMBuildShl(bu, a, by, "") : LLVMBuildAShr(bu, a, by, "");
    }
    }
}

static LLVMValueRef call_same(struct tsr__te *e, const char *name, enum tsr__t_number type, LLVMValueRef *args, unsigned count)
{
    char codes[8];
    const char *code = tsr__te_code(type);
    snprintf(codes, sizeof codes, "%s%s", code, count > 1 ? code : "");
    return tsr__te_call(e, name, codes, LLVMTypeOf(args[0]), args, count);
}

static LLVMValueRef arith_float(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef bu = e->builder;
    LLVMValueRef args[] = {a, b};
    if (type == TSR__T_BF16)
        return round_to_bf16(e, arith_float(e, op, TSR__T_F32, widen_bf16(e, a), widen_bf16(e, b)));
    switch (op) {
    case TSR__T_ADD:
        return LLVMBuildFAdd(bu, a, b, "");
    case TSR__T_SUB:
        return LLVMBuildFSub(bu, a, b, "");
    case TSR__T_MUL:
        return LLVMBuildFMul(bu, a, b, "");
    case TSR__T_DIV:
        return LLVMBuildFDiv(bu, a, b, "");
    case TSR__T_REM:
        return call_same(e, "fmod", type, args, 2);
    default:
        return call_same(e, op == TSR__T_MIN ? "fmin" : "fmax", type, args, 2);
    }
}

static LLVMValueRef arith_part(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, LLVMValueRef a, LLVMValueRef b)
{
    type = tsr__t_numbers[type].component;
    return is_float(type) ? arith_float(e, op, type, a, b) : arith_int(e, op, a, b);
}

static LLVMValueRef negate(struct tsr__te *e, enum tsr__t_number type, LLVMValueRef a)
{
    type = tsr__t_numbers[type].component;
    if (type == TSR__T_BF16)
        return LLVMBuildXor(e->builder, a, LLVMConstInt(LLVMTypeOf(a), 0x8000, false), "");
    return is_float(type) ? LLVMBuildFNeg(e->builder, a, "") : LLVMBuildNeg(e->builder, a, "");
}

static LLVMValueRef fma_part(struct tsr__te *e, enum tsr__t_number type, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[] = {a, b, c};
    type = tsr__t_numbers[type].component;
    if (!is_float(type))
        return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), c, "");
    if (e->unit.multiplies_apart)
        return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), c, "");
    return tsr__te_intrinsic(e, "llvm.fma", LLVMTypeOf(a), args, 3);
}

/* ---- complex numbers ---- */

struct tsr__te_number tsr__te_fma(struct tsr__te *e, enum tsr__t_number type, struct tsr__te_number a, struct tsr__te_number b,
                                  struct tsr__te_number c)
{
    struct tsr__te_number made = {fma_part(e, type, a.re, b.re, c.re), NULL};
    if (!c.im)
        return made;
    made.re = fma_part(e, type, negate(e, type, a.im), b.im, made.re);
    made.im = fma_part(e, type, a.im, b.re, fma_part(e, type, a.re, b.im, c.im));
    return made;
}

/* a.re b.re - a.im b.im and so on: the first product rounded, the second not. */
static struct tsr__te_number multiply_complex(struct tsr__te *e, enum tsr__t_number type, struct tsr__te_number a, struct tsr__te_number b)
{
    LLVMValueRef re = arith_part(e, TSR__T_MUL, type, a.re, b.re), im = arith_part(e, TSR__T_MUL, type, a.re, b.im);
    return (struct tsr__te_number){fma_part(e, type, negate(e, type, a.im), b.im, re), fma_part(e, type, a.im, b.re, im)};
}

struct tsr__te_number tsr__te_arith(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a,
                                    struct tsr__te_number b)
{
    if (!tsr__te_is_complex(type))
        return (struct tsr__te_number){arith_part(e, op, type, a.re, b.re), NULL};
    if (op == TSR__T_MUL)
        return multiply_complex(e, type, a, b);
    if (op == TSR__T_DIV) {
        struct tsr__te_number conjugate = {b.re, negate(e, type, b.im)}, top = multiply_complex(e, type, a, conjugate);
        LLVMValueRef size = fma_part(e, type, b.im, b.im, arith_part(e, TSR__T_MUL, type, b.re, b.re));
        return (struct tsr__te_number){arith_part(e, TSR__T_DIV, type, top.re, size), arith_part(e, TSR__T_DIV, type, top.im, size)};
    }
    return (struct tsr__te_number){arith_part(e, op, type, a.re, b.re), arith_part(e, op, type, a.im, b.im)};
}

static LLVMValueRef absolute(struct tsr__te *e, enum tsr__t_number type, struct tsr__te_number a)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a.re));
    if (tsr__te_is_complex(type)) {
        LLVMValueRef square = fma_part(e, type, a.im, a.im, arith_part(e, TSR__T_MUL, type, a.re, a.re));
        return tsr__te_intrinsic(e, "llvm.sqrt", LLVMTypeOf(square), &square, 1);
    }
    if (type == TSR__T_BF16)
        return LLVMBuildAnd(e->builder, a.re, LLVMConstInt(LLVMTypeOf(a.re), 0x7fff, false), "");
    if (is_float(type))
        return tsr__te_intrinsic(e, "llvm.fabs", LLVMTypeOf(a.re), &a.re, 1);
    LLVMValueRef negative = LLVMBuildICmp(e->builder, LLVMIntSLT, a.re, zero, "");
    return LLVMBuildSelect(e->builder, negative, LLVMBuildNeg(e->builder, a.re, ""), a.re, "");
}

struct tsr__te_number tsr__te_unary(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a)
{
    switch (op) {
    case TSR__T_NEG:
        return (struct tsr__te_number){negate(e, type, a.re), a.im ? negate(e, type, a.im) : NULL};
    case TSR__T_CONJ:
        return (struct tsr__te_number){a.re, negate(e, type, a.im)};
    case TSR__T_IM:
        return (struct tsr__te_number){a.im, NULL};
    case TSR__T_RE:
        return (struct tsr__te_number){a.re, NULL};
    case TSR__T_NOT:
        return (struct tsr__te_number){LLVMBuildNot(e->builder, a.re, ""), NULL};
    default:
        return (struct tsr__te_number){absolute(e, type, a), NULL};
    }
}

LLVMValueRef tsr__te_compare(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a,
                             struct tsr__te_number b)
{
    static const LLVMRealPredicate reals[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOGT, LLVMRealOGE, LLVMRealOLT, LLVMRealOLE};
    static const LLVMIntPredicate ints[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSGT, LLVMIntSGE, LLVMIntSLT, LLVMIntSLE};
    unsigned which = op - TSR__T_EQ;
    enum tsr__t_number part = tsr__t_numbers[type].component;
    if (part == TSR__T_BF16)
        return LLVMBuildFCmp(e->builder, reals[which], widen_bf16(e, a.re), widen_bf16(e, b.re), "");
    if (!is_float(part))
        return LLVMBuildICmp(e->builder, ints[which], a.re, b.re, "");
    LLVMValueRef re = LLVMBuildFCmp(e->builder, reals[which], a.re, b.re, "");
    if (!a.im)
        return re;
    LLVMValueRef im = LLVMBuildFCmp(e->builder, reals[which], a.im, b.im, "");
    return op == TSR__T_EQ ? LLVMBuildAnd(e->builder, re, im, "") : LLVMBuildOr(e->builder, re, im, "");
}

/* ---- functions ---- */

static const struct {
    const char *name;
    bool native;
} functions[] = {
    [TSR__T_EXP] = {"exp", false},   [TSR__T_NATIVE_EXP] = {"native_exp", true},
    [TSR__T_EXP2] = {"exp2", false}, [TSR__T_NATIVE_EXP2] = {"native_exp2", true},
    [TSR__T_LOG] = {"log", false},   [TSR__T_NATIVE_LOG] = {"native_log", true},
    [TSR__T_LOG2] = {"log2", false}, [TSR__T_NATIVE_LOG2] = {"native_log2", true},
    [TSR__T_SIN] = {"sin", false},   [TSR__T_NATIVE_SIN] = {"native_sin", true},
    [TSR__T_COS] = {"cos", false},   [TSR__T_NATIVE_COS] = {"native_cos", true},
};

/* The native functions of OpenCL C are those of f32; in other types the exact ones are called. */
static LLVMValueRef math_part(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, LLVMValueRef a)
{
    type = tsr__t_numbers[type].component;
    if (type == TSR__T_BF16)
        return round_to_bf16(e, math_part(e, op, TSR__T_F32, widen_bf16(e, a)));
    const char *name = functions[op].name;
    if (functions[op].native && type != TSR__T_F32)
        name += sizeof "native_" - 1;
    return call_same(e, name, type, &a, 1);
}

struct tsr__te_number tsr__te_math(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a)
{
    struct tsr__te_number made = {math_part(e, op, type, a.re), NULL};
    if (!a.im)
        return made;
    LLVMValueRef angle = a.im, size = made.re;
    if (op == TSR__T_EXP2 || op == TSR__T_NATIVE_EXP2)
        angle = LLVMBuildFMul(e->builder, a.im, LLVMConstReal(LLVMTypeOf(a.im), 0.693147180559945309417232121458), "");
    bool native = functions[op].native;
    made.re = LLVMBuildFMul(e->builder, size, math_part(e, native ? TSR__T_NATIVE_COS : TSR__T_COS, type, angle), "");
    made.im = LLVMBuildFMul(e->builder, size, math_part(e, native ? TSR__T_NATIVE_SIN : TSR__T_SIN, type, angle), "");
    return made;
}
