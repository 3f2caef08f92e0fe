/* SPDX-License-Identifier: Apache-2.0
 * Sums and products of 32 bits that do not wrap and are extended become sums and products of 64 bits, which never do for an address. LLVM
 * reorders sums to move parts of them out of loops; of the narrow ones it then no longer knows that they do not wrap, so that the distance
 * of two rows could not be told any more. */
#include "tiles.h"

enum { MAX_DEPTH = 12 };

static LLVMValueRef extended(struct tsr__lanes *l, LLVMBuilderRef b, LLVMValueRef v, enum tsr__extension extension, int depth)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef x, y;
    if (depth && tsr__linear_splits(v, extension)) {
        x = extended(l, b, LLVMGetOperand(v, 0), extension, depth - 1);
        y = extended(l, b, LLVMGetOperand(v, 1), extension, depth - 1);
        switch (LLVMGetInstructionOpcode(v)) {
        case LLVMSub:
            return LLVMBuildSub(b, x, y, "");
        case LLVMMul:
            return LLVMBuildMul(b, x, y, "");
        case LLVMShl:
            return LLVMBuildShl(b, x, y, "");
        case LLVMAnd:
            return LLVMBuildAnd(b, x, y, "");
        case LLVMOr: /* of disjoint bits it is a sum */
            if (!LLVMGetIsDisjoint(v))
                return LLVMBuildOr(b, x, y, "");
            /* fall through */
        default:
            return LLVMBuildAdd(b, x, y, "");
        }
    }
    return extension == TSR__EXT_SIGNED ? LLVMBuildSExt(b, v, i64, "") : LLVMBuildZExt(b, v, i64, "");
}

static bool is_extension(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v)) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
}

static void extend_in(struct tsr__lanes *l, LLVMValueRef function)
{
    struct tsr__mad mad;
    size_t count;
    bool any = false;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count && !any; i++)
        any = tsr__mad_read(code[i], &mad);
    for (size_t i = 0; i < count && any; i++) {
        if (!is_extension(code[i]))
            continue;
        LLVMValueRef v = LLVMGetOperand(code[i], 0);
        enum tsr__extension extension = LLVMIsASExtInst(code[i]) || LLVMGetNNeg(code[i]) ? TSR__EXT_SIGNED : TSR__EXT_ZERO;
        if (!tsr__linear_splits(v, extension))
            continue;
        LLVMBuilderRef b = tsr__builder_before(l, code[i]);
        LLVMReplaceAllUsesWith(code[i], extended(l, b, v, extension, MAX_DEPTH));
        LLVMInstructionEraseFromParent(code[i]);
        LLVMDisposeBuilder(b);
    }
}

void tsr__extend_indices(struct tsr__lanes *l, LLVMValueRef *functions, size_t count)
{
    for (size_t i = 0; i < count && tsr__tile_unit(l) != TSR__TILES_NONE; i++)
        extend_in(l, functions[i]);
}
