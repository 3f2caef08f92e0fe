/* SPDX-License-Identifier: Apache-2.0
 * Pieces of math functions in packets, as instructions of AVX-512; the rough root's reciprocal also as one of AVX. */
#include "lanes/widen/memory/access.h"
#include "lanes/widen/reduce_scan.h"
#include "lanes/widen/widen_math.h"

#include <stdio.h>
#include <string.h>

/* The intervals of VGETMANT's operand: 3/4 to 3/2, and no number for the negative. */
enum { SIGNIFICAND_INTERVAL = 3 | 2 << 2 };

/* The direction of rounding is that of the thread. */
enum { CURRENT_ROUNDING = 4 };

/* How an instruction is called: its intrinsic's name before the type, and whether the 512-bit form takes a rounding mode. */
static const struct instruction {
    const char *name;
    bool rounds;
} scalef = {"llvm.x86.avx512.mask.scalef", true}, getmant = {"llvm.x86.avx512.mask.getmant", true},
  getexp = {"llvm.x86.avx512.mask.getexp", true}, rsqrt14 = {"llvm.x86.avx512.rsqrt14", false}, rcp14 = {"llvm.x86.avx512.rcp14", false},
  truncation = {"llvm.x86.avx512.mask.cvtt", true};

/* One register of the result. y: the second operand, or NULL. */
static LLVMValueRef on_register(struct tsr__widener *s, const struct instruction *with, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    bool single = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMFloatTypeKind;
    unsigned lanes = LLVMGetVectorSize(type), size = lanes * (single ? 32 : 64), count = 0;
    if (!tsr__has(s->l, TSR_CPU_AVX512VL))
        return tsr__build_intrinsic(s->l, s->b, "llvm.x86.avx.rsqrt.ps.256", NULL, 0, &x, 1);
    if (with == &truncation && size == 256)
        return tsr__build_intrinsic(s->l, s->b, "llvm.x86.avx.cvtt.ps2dq.256", NULL, 0, &x, 1);
    if (with == &truncation)
        type = LLVMVectorType(LLVMIntTypeInContext(s->l->context, single ? 32 : 64), lanes);
    const char *between = with != &truncation ? single ? ".ps" : ".pd" : single ? "ps2dq" : "pd2qq";
    char name[64];
    snprintf(name, sizeof name, "%s%s.%u", with->name, between, size);
    LLVMValueRef args[5] = {NULL};
    args[count++] = x;
    if (y)
        args[count++] = y;
    if (with == &getmant)
        args[count++] = tsr__i32(s->l, SIGNIFICAND_INTERVAL);
    args[count++] = LLVMConstNull(type);
    args[count++] = LLVMConstAllOnes(LLVMIntTypeInContext(s->l->context, lanes < 8 ? 8 : lanes));
    if (with->rounds && size == 512)
        args[count++] = tsr__i32(s->l, CURRENT_ROUNDING);
    return tsr__build_intrinsic(s->l, s->b, name, NULL, 0, args, count);
}

/* The whole packet's, register by register. */
static LLVMValueRef on_packet(struct tsr__widener *s, const struct instruction *with, LLVMValueRef x, LLVMValueRef y)
{
    bool single = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(x))) == LLVMFloatTypeKind;
    unsigned most = single && tsr__has(s->l, TSR_CPU_AVX512VL) ? 16 : 8;
    unsigned lanes = s->width < most ? s->width : most, count = s->width / lanes;
    LLVMValueRef made[TSR__MAX_ELEMENTS];
    if (count == 1)
        return on_register(s, with, x, y);
    for (unsigned i = 0; i < count; i++)
        made[i] = on_register(s, with, tsr__take_lanes(s->l, s->b, x, NULL, i * lanes, lanes),
                              y ? tsr__take_lanes(s->l, s->b, y, NULL, i * lanes, lanes) : NULL);
    return tsr__join_lanes(s->l, s->b, made, count);
}

static LLVMValueRef constant(LLVMValueRef like, double value)
{
    return tsr__splat_constant(LLVMTypeOf(like), LLVMConstReal(LLVMGetElementType(LLVMTypeOf(like)), value));
}

static LLVMValueRef fma(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return tsr__build_intrinsic(s->l, s->b, "llvm.fma", &type, 1, (LLVMValueRef[]){x, y, z}, 3);
}

static LLVMValueRef minus(struct tsr__widener *s, LLVMValueRef x)
{
    return LLVMBuildFNeg(s->b, x, "");
}

/* The power of two below is one less than the exponent of what the significand leaves below 1. */
static LLVMValueRef exponent(struct tsr__widener *s, LLVMValueRef x)
{
    LLVMValueRef power = on_packet(s, &getexp, x, NULL), significand = on_packet(s, &getmant, x, NULL), one = constant(x, 1);
    LLVMValueRef below = LLVMBuildFCmp(s->b, LLVMRealOLT, significand, one, "");
    return LLVMBuildSelect(s->b, below, LLVMBuildFAdd(s->b, power, one, ""), power, "");
}

/* The lowest bit of x as an integer, as the sign. Of numbers that no integer can hold, which are even, the conversion makes one that is
 * even. */
static LLVMValueRef odd(struct tsr__widener *s, LLVMValueRef x, bool single)
{
    LLVMValueRef whole = on_packet(s, &truncation, x, NULL);
    LLVMTypeRef type = LLVMTypeOf(whole);
    return LLVMBuildShl(s->b, whole, tsr__splat_constant(type, LLVMConstInt(LLVMGetElementType(type), single ? 31 : 63, false)), "");
}

/* From the estimate y with e = 1 - x·y², which is below 2^-13: y·(1 - e)^(-1/2), as a series up to e or e³. The estimate of zero and
 * infinity is the result. */
static LLVMValueRef rsqrt(struct tsr__widener *s, LLVMValueRef x, bool single)
{
    LLVMValueRef y = on_packet(s, &rsqrt14, x, NULL), series = constant(x, 0.5);
    LLVMValueRef e = fma(s, minus(s, LLVMBuildFMul(s->b, x, y, "")), y, constant(x, 1));
    if (!single)
        series = fma(s, fma(s, constant(x, 0.3125), e, constant(x, 0.375)), e, series);
    LLVMValueRef better = fma(s, LLVMBuildFMul(s->b, y, e, ""), series, y);
    return LLVMBuildSelect(s->b, LLVMBuildFCmp(s->b, LLVMRealORD, better, better, ""), better, y, "");
}

/* Goldschmidt's steps: g nears the root, h half of its reciprocal; the last step takes what g² lacks. Of zero g is zero. */
static LLVMValueRef root(struct tsr__widener *s, LLVMValueRef x, bool single)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef least = constant(x, single ? 0x1p-126 : 0x1p-1022), half = constant(x, 0.5);
    LLVMValueRef bounded = tsr__build_intrinsic(s->l, s->b, "llvm.maxnum", &type, 1, (LLVMValueRef[]){x, least}, 2);
    LLVMValueRef y = on_packet(s, &rsqrt14, bounded, NULL), g = LLVMBuildFMul(s->b, x, y, ""), h = LLVMBuildFMul(s->b, y, half, "");
    if (!single) {
        LLVMValueRef e = fma(s, minus(s, g), h, half);
        g = fma(s, g, e, g);
        h = fma(s, h, e, h);
    }
    return fma(s, fma(s, minus(s, g), g, x), h, g);
}

bool tsr__widen_math(struct tsr__widener *s, LLVMValueRef inst, const struct tsr__math_op *op)
{
    if (s->width * op->bits < 256)
        return false;
    bool single = op->bits == 32;
    LLVMValueRef x = tsr__component_of(s, LLVMGetOperand(inst, 0), 0), y, made = NULL;
    switch (op->operation) {
    case TSR__MATH_SCALE:
        y = LLVMBuildFSub(s->b, tsr__component_of(s, LLVMGetOperand(inst, 1), 0), constant(x, single ? 0x1.8p23 : 0x1.8p52), "");
        made = on_packet(s, &scalef, x, y);
        break;
    case TSR__MATH_LDEXP:
        y = LLVMBuildSIToFP(s->b, tsr__component_of(s, LLVMGetOperand(inst, 1), 0), LLVMTypeOf(x), "");
        made = on_packet(s, &scalef, x, y);
        break;
    case TSR__MATH_SIGNIFICAND:
        made = on_packet(s, &getmant, x, NULL);
        break;
    case TSR__MATH_EXPONENT:
        made = exponent(s, x);
        break;
    case TSR__MATH_NEVER:
        made = LLVMConstNull(tsr__vector_of(s, LLVMTypeOf(inst)));
        break;
    case TSR__MATH_POWER:
        made = on_packet(s, &getexp, x, NULL);
        break;
    case TSR__MATH_ODD:
        made = odd(s, x, single);
        break;
    case TSR__MATH_RSQRT:
        made = rsqrt(s, x, single);
        break;
    case TSR__MATH_ROOT:
        made = root(s, x, single);
        break;
    case TSR__MATH_ROUGH_RSQRT:
        made = on_packet(s, &rsqrt14, x, NULL);
        break;
    case TSR__MATH_ROUGH_RECIP:
        made = on_packet(s, &rcp14, x, NULL);
        break;
    }
    tsr__set_component(s, inst, 0, made);
    return true;
}
