/* SPDX-License-Identifier: Apache-2.0
 * LLVM's intrinsics in the packet function: each becomes one vector intrinsic, or instruction, for every scalar in its result. */
#include <string.h>

#include "lanes/widen/widener.h"
#include "lanes/ir/layout.h"

static bool is_named(unsigned id, const char *name)
{
    return LLVMLookupIntrinsicID(name, strlen(name)) == id;
}

/* Intrinsics whose result type is their one overloaded type and whose operands have it too, but for scalar flags at the end. */
static const struct {
    const char *name;
    unsigned operands, flags;
} plain_intrinsics[] = {
    {"llvm.fma", 3, 0},          {"llvm.fmuladd", 3, 0},
    {"llvm.sqrt", 1, 0},         {"llvm.fabs", 1, 0},
    {"llvm.floor", 1, 0},        {"llvm.ceil", 1, 0},
    {"llvm.trunc", 1, 0},        {"llvm.rint", 1, 0},
    {"llvm.nearbyint", 1, 0},    {"llvm.round", 1, 0},
    {"llvm.roundeven", 1, 0},    {"llvm.copysign", 2, 0},
    {"llvm.minnum", 2, 0},       {"llvm.maxnum", 2, 0},
    {"llvm.minimum", 2, 0},      {"llvm.maximum", 2, 0},
    {"llvm.minimumnum", 2, 0},   {"llvm.maximumnum", 2, 0},
    {"llvm.canonicalize", 1, 0}, {"llvm.ctpop", 1, 0},
    {"llvm.bswap", 1, 0},        {"llvm.bitreverse", 1, 0},
    {"llvm.fshl", 3, 0},         {"llvm.fshr", 3, 0},
    {"llvm.sadd.sat", 2, 0},     {"llvm.uadd.sat", 2, 0},
    {"llvm.ssub.sat", 2, 0},     {"llvm.usub.sat", 2, 0},
    {"llvm.sshl.sat", 2, 0},     {"llvm.ushl.sat", 2, 0},
    {"llvm.smax", 2, 0},         {"llvm.smin", 2, 0},
    {"llvm.umax", 2, 0},         {"llvm.umin", 2, 0},
    {"llvm.abs", 1, 1},          {"llvm.ctlz", 1, 1},
    {"llvm.cttz", 1, 1},         {"llvm.arithmetic.fence", 1, 0},
};

static bool plain_intrinsic(struct tsr__widener *s, LLVMValueRef inst, unsigned id)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(plain_intrinsics); i++) {
        if (!is_named(id, plain_intrinsics[i].name))
            continue;
        unsigned operands = plain_intrinsics[i].operands, count = operands + plain_intrinsics[i].flags;
        LLVMTypeRef type = tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), 0));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, id, &type, 1);
        for (int component = 0; component < tsr__component_count(LLVMTypeOf(inst)); component++) {
            LLVMValueRef args[4];
            for (unsigned k = 0; k < count; k++)
                args[k] = k < operands ? tsr__component_of(s, LLVMGetOperand(inst, k), component) : LLVMGetOperand(inst, k);
            LLVMValueRef made = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, count, "");
            if (LLVMCanValueUseFastMathFlags(made) && LLVMCanValueUseFastMathFlags(inst))
                LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst));
            tsr__set_component(s, inst, component, made);
        }
        return true;
    }
    return false;
}

/* Intrinsics of one operand whose type, and the result's where it is not i1, is overloaded; constant flags follow. */
static const struct {
    const char *name;
    bool result_type;
} changing_intrinsics[] = {
    {"llvm.is.fpclass", false}, {"llvm.fptosi.sat", true}, {"llvm.fptoui.sat", true}, {"llvm.lrint", true}, {"llvm.llrint", true},
};

static bool changing_intrinsic(struct tsr__widener *s, LLVMValueRef inst, unsigned id)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(changing_intrinsics); i++) {
        if (!is_named(id, changing_intrinsics[i].name))
            continue;
        LLVMValueRef x = LLVMGetOperand(inst, 0), args[2] = {NULL, LLVMGetOperand(inst, 1)};
        LLVMTypeRef types[2] = {tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), 0)),
                                tsr__vector_of(s, tsr__component_type(LLVMTypeOf(x), 0))};
        bool both = changing_intrinsics[i].result_type;
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, id, both ? types : types + 1, both ? 2 : 1);
        for (int component = 0; component < tsr__component_count(LLVMTypeOf(inst)); component++) {
            args[0] = tsr__component_of(s, x, component);
            tsr__set_component(s, inst, component, LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, LLVMCountParams(f), ""));
        }
        return true;
    }
    return false;
}

/* Arithmetic of scalars with an overflow bit: the result has two parts. */
static bool overflow_intrinsic(struct tsr__widener *s, LLVMValueRef inst, unsigned id)
{
    static const char *const names[] = {"llvm.sadd.with.overflow", "llvm.uadd.with.overflow", "llvm.ssub.with.overflow",
                                        "llvm.usub.with.overflow", "llvm.smul.with.overflow", "llvm.umul.with.overflow"};
    LLVMTypeRef scalar = LLVMTypeOf(LLVMGetOperand(inst, 0));
    for (size_t i = 0; i < TSR_ARRAY_LEN(names) && LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind; i++) {
        if (!is_named(id, names[i]))
            continue;
        LLVMTypeRef type = tsr__vector_of(s, scalar);
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, id, &type, 1);
        LLVMValueRef args[2] = {tsr__component_of(s, LLVMGetOperand(inst, 0), 0), tsr__component_of(s, LLVMGetOperand(inst, 1), 0)};
        LLVMValueRef both = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, 2, "");
        for (unsigned component = 0; component < 2; component++)
            tsr__set_component(s, inst, (int)component, LLVMBuildExtractValue(s->b, both, component, ""));
        return true;
    }
    return false;
}

/* What combines the elements of a vector that a work-item has: an instruction or an intrinsic of two operands. */
static const struct {
    const char *name, *intrinsic;
    LLVMOpcode op;
} reductions[] = {
    {"llvm.vector.reduce.add", NULL, LLVMAdd},     {"llvm.vector.reduce.mul", NULL, LLVMMul},
    {"llvm.vector.reduce.and", NULL, LLVMAnd},     {"llvm.vector.reduce.or", NULL, LLVMOr},
    {"llvm.vector.reduce.xor", NULL, LLVMXor},     {"llvm.vector.reduce.fadd", NULL, LLVMFAdd},
    {"llvm.vector.reduce.fmul", NULL, LLVMFMul},   {"llvm.vector.reduce.smax", "llvm.smax", 0},
    {"llvm.vector.reduce.smin", "llvm.smin", 0},   {"llvm.vector.reduce.umax", "llvm.umax", 0},
    {"llvm.vector.reduce.umin", "llvm.umin", 0},   {"llvm.vector.reduce.fmax", "llvm.maxnum", 0},
    {"llvm.vector.reduce.fmin", "llvm.minnum", 0},
};

static bool widen_reduction_intrinsic(struct tsr__widener *s, LLVMValueRef inst, unsigned id)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(reductions); i++) {
        if (!is_named(id, reductions[i].name))
            continue;
        bool starts = LLVMGetNumArgOperands(inst) == 2; /* the floating-point sums begin with a value */
        LLVMValueRef elements = LLVMGetOperand(inst, starts ? 1 : 0), f = NULL;
        LLVMTypeRef type = tsr__vector_of(s, LLVMTypeOf(inst));
        if (reductions[i].intrinsic)
            f = tsr__intrinsic(s->l, reductions[i].intrinsic, &type, 1);
        LLVMValueRef made = tsr__component_of(s, starts ? LLVMGetOperand(inst, 0) : elements, 0);
        for (int component = starts ? 0 : 1; component < tsr__component_count(LLVMTypeOf(elements)); component++) {
            LLVMValueRef args[2] = {made, tsr__component_of(s, elements, component)};
            made = f ? LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, 2, "")
                     : LLVMBuildBinOp(s->b, reductions[i].op, args[0], args[1], "");
            if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(made) && LLVMCanValueUseFastMathFlags(inst))
                LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst));
        }
        tsr__set_component(s, inst, 0, made);
        return true;
    }
    return false;
}

bool tsr__widen_intrinsic(struct tsr__widener *s, LLVMValueRef inst, unsigned id)
{
    return plain_intrinsic(s, inst, id) || changing_intrinsic(s, inst, id) || overflow_intrinsic(s, inst, id) ||
           widen_reduction_intrinsic(s, inst, id);
}
