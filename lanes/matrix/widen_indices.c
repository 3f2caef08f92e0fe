/* SPDX-License-Identifier: Apache-2.0
 * Widens index arithmetic to 64 bits, as LLVM's indvars does for induction variables.
 *
 * Extensions of 32-bit sums and products that do not wrap become 64-bit sums and products of extended operands. LLVM reassociates sums
 * to hoist parts of them out of loops, and drops the no-wrap flags of 32-bit sums when it does. The distance of two rows would be
 * unknown then. 64-bit sums need no flags. */
#include "lanes/matrix/matrix.h"
#include "lanes/analysis/index_parts.h"

enum { MAX_DEPTH = 12 };

struct extensions {
    struct tsr__compilation *l;
    struct tsr__map known[2]; /* number → itself in 64 bits; with zeros, and with its sign */
};

/* What is no sum is extended once, behind its definition: where LLVM knows more of it, as in a loop whose end it is, it would make another
 * extension for one user, and the two are not seen to be one number. */
static LLVMValueRef extend_leaf(struct extensions *x, LLVMBuilderRef here, LLVMValueRef v, bool is_signed)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(x->l->context);
    if (LLVMIsAConstant(v))
        return is_signed ? LLVMBuildSExt(here, v, i64, "") : LLVMBuildZExt(here, v, i64, "");
    LLVMValueRef wide = (LLVMValueRef)tsr__map_get(&x->known[is_signed], v);
    if (!wide) {
        LLVMBuilderRef b = LLVMIsAArgument(v) ? tsr__builder_at_entry(x->l, LLVMGetParamParent(v))
                                              : tsr__builder_before(x->l, tsr__after_phis(LLVMGetNextInstruction(v)));
        wide = is_signed ? LLVMBuildSExt(b, v, i64, "") : LLVMBuildZExt(b, v, i64, "");
        LLVMDisposeBuilder(b);
        tsr__map_set(&x->known[is_signed], v, (uintptr_t)wide);
    }
    return wide;
}

static LLVMValueRef extend_value(struct extensions *e, LLVMBuilderRef b, LLVMValueRef v, enum tsr__extension extension, int depth)
{
    if (!depth || !tsr__is_split(v, extension))
        return extend_leaf(e, b, v, extension == TSR__EXT_SIGNED);
    LLVMValueRef x = extend_value(e, b, LLVMGetOperand(v, 0), extension, depth - 1);
    LLVMValueRef y = extend_value(e, b, LLVMGetOperand(v, 1), extension, depth - 1);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return LLVMBuildBinOp(b, op == LLVMOr && LLVMGetIsDisjoint(v) ? LLVMAdd : op, x, y, ""); /* of disjoint bits it is a sum */
}

static bool is_extension(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v)) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
}

static void extend_in(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    struct extensions e = {.l = l, .known = {{.arena = &l->scratch}, {.arena = &l->scratch}}};
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_extension(code[i]))
            continue;
        LLVMValueRef v = LLVMGetOperand(code[i], 0);
        enum tsr__extension extension = LLVMIsASExtInst(code[i]) || LLVMGetNNeg(code[i]) ? TSR__EXT_SIGNED : TSR__EXT_ZERO;
        LLVMBuilderRef b = tsr__builder_before(l, code[i]);
        LLVMReplaceAllUsesWith(code[i], extend_value(&e, b, v, extension, MAX_DEPTH));
        LLVMInstructionEraseFromParent(code[i]);
        LLVMDisposeBuilder(b);
    }
}

bool tsr__pass_widen_indices(struct tsr__compilation *l, LLVMValueRef function)
{
    if (tsr__tile_unit_of(l, function) != TSR__TILES_NONE && tsr__has_mads(function))
        extend_in(l, function);
    return true;
}
