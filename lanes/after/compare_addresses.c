/* SPDX-License-Identifier: Apache-2.0
 * Comparisons and differences of addresses in lanes whose bases are, or may be, offsets from scalar addresses become those of numbers, of
 * which one has an unknown zero added: InstCombine would look for a common base, and replaces scalar addresses on the way to it by vectors
 * (vector_addresses in llvm_bugs.def). */
#include "lanes/ir/ir.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

#include <string.h>

/* The addresses in lanes that stand behind a number or that are compared themselves; NULL: none. */
static LLVMValueRef addresses_of(LLVMValueRef v)
{
    if (LLVMIsAPtrToIntInst(v))
        v = LLVMGetOperand(v, 0);
    return tsr__is_vector(v) && LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == LLVMPointerTypeKind ? v : NULL;
}

enum { MAX_DEPTH = 6 };

/* Also of an address that is chosen: InstCombine compares with both. */
static bool has_scalar_offset(LLVMValueRef v, unsigned depth)
{
    if (LLVMIsASelectInst(v))
        return depth && (has_scalar_offset(LLVMGetOperand(v, 1), depth - 1) || has_scalar_offset(LLVMGetOperand(v, 2), depth - 1));
    while (LLVMIsAGetElementPtrInst(v) && tsr__is_vector(v))
        v = LLVMGetOperand(v, 0);
    return LLVMIsAGetElementPtrInst(v);
}

static bool may_be_rewritten(LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    if ((opcode != LLVMICmp && opcode != LLVMSub) || !tsr__is_vector(inst))
        return false;
    LLVMValueRef x = addresses_of(LLVMGetOperand(inst, 0)), y = addresses_of(LLVMGetOperand(inst, 1));
    return x && y && (has_scalar_offset(x, MAX_DEPTH) || has_scalar_offset(y, MAX_DEPTH));
}

/* A zero of which LLVM does not know that it is one. */
static LLVMValueRef unknown_zero(struct tsr__compilation *l, LLVMValueRef function)
{
    static const char tied[] = "=r,0";
    LLVMTypeRef type = LLVMInt64TypeInContext(l->context), asm_type = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef zero = tsr__i64(l, 0),
                 assembly = LLVMGetInlineAsm(asm_type, "", 0, tied, strlen(tied), false, false, LLVMInlineAsmDialectATT, false);
    LLVMBuilderRef b = tsr__builder_before(l, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef made = LLVMBuildCall2(b, asm_type, assembly, &zero, 1, "");
    LLVMDisposeBuilder(b);
    return made;
}

static LLVMValueRef number_of(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type)
{
    return LLVMTypeOf(v) == type ? v : LLVMBuildPtrToInt(b, v, type, "");
}

static void compare_numbers(struct tsr__compilation *l, LLVMValueRef inst, LLVMValueRef zero)
{
    LLVMBuilderRef b = tsr__builder_before(l, inst);
    LLVMValueRef x = LLVMGetOperand(inst, 0), y = LLVMGetOperand(inst, 1);
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
    LLVMTypeRef type = LLVMIsAPtrToIntInst(x) ? LLVMTypeOf(x) : LLVMVectorType(LLVMInt64TypeInContext(l->context), lanes);
    LLVMValueRef nothing = LLVMBuildIntCast2(b, zero, LLVMGetElementType(type), false, "");
    nothing = tsr__splat_scalar(l, b, nothing, lanes);
    x = number_of(b, x, type);
    y = LLVMBuildAdd(b, number_of(b, y, type), nothing, "");
    LLVMValueRef made = LLVMIsAICmpInst(inst) ? LLVMBuildICmp(b, LLVMGetICmpPredicate(inst), x, y, "") : LLVMBuildSub(b, x, y, "");
    LLVMReplaceAllUsesWith(inst, made);
    LLVMInstructionEraseFromParent(inst);
    LLVMDisposeBuilder(b);
}

bool tsr__pass_compare_addresses(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count), zero = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!may_be_rewritten(code[i]))
            continue;
        zero = zero ? zero : unknown_zero(l, function);
        compare_numbers(l, code[i], zero);
    }
    return true;
}
