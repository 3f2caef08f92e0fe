/* SPDX-License-Identifier: Apache-2.0
 * Integer division and remainder by zero, and of the smallest number by -1, have undefined results in OpenCL C but must not raise SIGFPE.
 */
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

static bool guard_divisor(struct tsr__compilation *l, LLVMValueRef division, bool is_signed)
{
    LLVMValueRef value = LLVMGetOperand(division, 0), divisor = LLVMGetOperand(division, 1);
    LLVMTypeRef type = LLVMTypeOf(divisor);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (vector && LLVMGetVectorSize(type) > TSR__MAX_ELEMENTS)
        return tsr__fail(l, "integer division of a vector with %u elements", LLVMGetVectorSize(type));
    LLVMTypeRef element = vector ? LLVMGetElementType(type) : type;
    LLVMBuilderRef b = tsr__builder_before(l, division);
    /* A poisonous operand would make the guards worthless. */
    value = LLVMBuildFreeze(b, value, "");
    divisor = LLVMBuildFreeze(b, divisor, "");
    LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, divisor, LLVMConstNull(type), "");
    if (is_signed) {
        unsigned bits = LLVMGetIntTypeWidth(element);
        uint64_t words[2] = {0};
        if (bits > 128)
            return tsr__fail(l, "integer division of %u bits", bits);
        words[(bits - 1) / 64] = (uint64_t)1 << ((bits - 1) % 64);
        LLVMValueRef lowest = tsr__splat_constant(type, LLVMConstIntOfArbitraryPrecision(element, (bits + 63) / 64, words));
        LLVMValueRef is_lowest = LLVMBuildICmp(b, LLVMIntEQ, value, lowest, "");
        LLVMValueRef is_minus_one = LLVMBuildICmp(b, LLVMIntEQ, divisor, LLVMConstAllOnes(type), "");
        bad = LLVMBuildOr(b, bad, LLVMBuildAnd(b, is_lowest, is_minus_one, ""), "");
    }
    LLVMValueRef one = tsr__splat_number(type, 1);
    LLVMSetOperand(division, 0, value);
    LLVMSetOperand(division, 1, LLVMBuildSelect(b, bad, one, divisor, ""));
    LLVMDisposeBuilder(b);
    return true;
}

bool tsr__pass_guard_division(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMOpcode op = LLVMGetInstructionOpcode(code[i]);
        if (tsr__may_trap(code[i]) && !guard_divisor(l, code[i], op == LLVMSDiv || op == LLVMSRem))
            return false;
    }
    return true;
}
