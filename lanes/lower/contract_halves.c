/* SPDX-License-Identifier: Apache-2.0
 * Products of halves to which something is added, where the program allows to round once: the CPU without instructions for halves computes
 * in float and rounds each result to half. One multiply-add of floats then takes the place of a product, its rounding and a sum. */
#include "lanes/ir/ir.h"
#include "lanes/ir/match.h"

static bool may_contract(LLVMValueRef inst)
{
    return LLVMGetFastMathFlags(inst) & LLVMFastMathAllowContract;
}

static bool is_single_product(LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMFMul && may_contract(value) && tsr__only_user(value);
}

/* a·b + c, or with signs. */
struct multiply_add {
    LLVMValueRef a, b, c;
    bool minus_product, minus_c;
};

static bool find_multiply_add(LLVMValueRef inst, struct multiply_add *m)
{
    if (tsr__calls(inst, "llvm.fmuladd.")) {
        *m = (struct multiply_add){LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), LLVMGetOperand(inst, 2), false, false};
        return true;
    }
    const LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if ((op != LLVMFAdd && op != LLVMFSub) || !may_contract(inst))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef product = LLVMGetOperand(inst, i);
        if (!is_single_product(product))
            continue;
        *m = (struct multiply_add){LLVMGetOperand(product, 0), LLVMGetOperand(product, 1), LLVMGetOperand(inst, 1 - i),
                                   op == LLVMFSub && i == 1, op == LLVMFSub && i == 0};
        return true;
    }
    return false;
}

bool tsr__pass_contract_halves(struct tsr__compilation *l, LLVMValueRef function)
{
    if (tsr__has(l, TSR_CPU_AVX512FP16))
        return true;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < count; i++) {
        struct multiply_add m;
        LLVMTypeRef type = tsr__floats_of_halves(LLVMTypeOf(code[i]));
        if (!type || !find_multiply_add(code[i], &m))
            continue;
        LLVMPositionBuilderBefore(b, code[i]);
        LLVMValueRef args[] = {LLVMBuildFPExt(b, m.a, type, ""), LLVMBuildFPExt(b, m.b, type, ""), LLVMBuildFPExt(b, m.c, type, "")};
        args[0] = m.minus_product ? LLVMBuildFNeg(b, args[0], "") : args[0];
        args[2] = m.minus_c ? LLVMBuildFNeg(b, args[2], "") : args[2];
        LLVMValueRef sum = tsr__build_intrinsic(l, b, "llvm.fma", &type, 1, args, 3);
        LLVMReplaceAllUsesWith(code[i], LLVMBuildFPTrunc(b, sum, LLVMTypeOf(code[i]), ""));
        LLVMInstructionEraseFromParent(code[i]);
    }
    LLVMDisposeBuilder(b);
    return true;
}
