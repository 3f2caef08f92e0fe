/* SPDX-License-Identifier: Apache-2.0
 * Phis before casts: where values that are stored as integers leave a loop of floats, LLVM has cast them on each way by itself. */
#include "tiles.h"

/* The type from which all that flows into the phi is cast, constants aside; NULL: there is none. */
static LLVMTypeRef cast_from(LLVMValueRef phi)
{
    LLVMTypeRef type = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (LLVMIsAConstant(v) && (LLVMIsNull(v) || LLVMIsUndef(v)))
            continue;
        if (!LLVMIsABitCastInst(v) || (type && LLVMTypeOf(LLVMGetOperand(v, 0)) != type))
            return NULL;
        type = LLVMTypeOf(LLVMGetOperand(v, 0));
    }
    return type && LLVMGetTypeKind(type) == LLVMVectorTypeKind ? type : NULL;
}

static LLVMValueRef uncast(LLVMValueRef v, LLVMTypeRef type)
{
    if (!LLVMIsAConstant(v))
        return LLVMGetOperand(v, 0);
    return LLVMIsPoison(v) ? LLVMGetPoison(type) : LLVMIsUndef(v) ? LLVMGetUndef(type) : LLVMConstNull(type);
}

static void turn(struct tsr__lanes *l, LLVMValueRef phi, LLVMTypeRef type)
{
    LLVMBuilderRef b = tsr__builder_before(l, phi);
    LLVMValueRef made = LLVMBuildPhi(b, type, ""), at = phi;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = uncast(LLVMGetIncomingValue(phi, i), type);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMAddIncoming(made, &v, &from, 1);
    }
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(b, at);
    LLVMReplaceAllUsesWith(phi, LLVMBuildBitCast(b, made, LLVMTypeOf(phi), ""));
    for (unsigned i = LLVMCountIncoming(phi); i-- > 0;) {
        LLVMValueRef cast = LLVMGetIncomingValue(phi, i);
        LLVMSetOperand(phi, i, LLVMGetPoison(LLVMTypeOf(phi)));
        if (LLVMIsABitCastInst(cast) && !LLVMGetFirstUse(cast))
            LLVMInstructionEraseFromParent(cast);
    }
    LLVMInstructionEraseFromParent(phi);
    LLVMDisposeBuilder(b);
}

void tsr__phis_before_casts(struct tsr__lanes *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i && LLVMIsAPHINode(i); i = next) {
            LLVMTypeRef type = cast_from(i);
            next = LLVMGetNextInstruction(i);
            if (type)
                turn(l, i, type);
        }
}
