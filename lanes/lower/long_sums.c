/* SPDX-License-Identifier: Apache-2.0
 * Sums of many scalar numbers are cut into parts that LLVM's analysis of loops does not look through.
 *
 * Its strength reduction takes such a sum apart in every way that three of its numbers can be chosen, also where the sum is computed before
 * the loop: 250 arguments that are added to an index of the packet loop took a minute. It takes a frozen number as it is. */
#include "lanes/ir/match.h"

enum { MOST = 16 /* numbers of a part */ };

static bool is_scalar(LLVMValueRef v)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
}

static bool is_sum(LLVMValueRef v)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAdd || op == LLVMSub || op == LLVMGetElementPtr || (op == LLVMOr && LLVMGetIsDisjoint(v));
}

/* A sum behind it is still seen as one. */
static bool keeps_sums(LLVMValueRef v)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMTrunc || op == LLVMZExt || op == LLVMSExt ||
           ((op == LLVMMul || op == LLVMShl) && LLVMIsConstant(LLVMGetOperand(v, 1)));
}

static uintptr_t numbers_in(const struct tsr__map *numbers, LLVMValueRef v)
{
    const uintptr_t known = tsr__map_get(numbers, v);
    return known ? known : !LLVMIsConstant(v);
}

static LLVMValueRef frozen(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(v));
    return LLVMBuildFreeze(b, v, "");
}

/* Freezes operands until few enough numbers are left, those of the most numbers first; returns how many are. */
static uintptr_t cut(LLVMBuilderRef b, const struct tsr__map *numbers, LLVMValueRef sum)
{
    for (;;) {
        uintptr_t all = 0, most = 1;
        unsigned longest = 0;
        for (int i = 0; i < LLVMGetNumOperands(sum); i++) {
            const uintptr_t n = numbers_in(numbers, LLVMGetOperand(sum, (unsigned)i));
            all += n;
            longest = n > most ? (unsigned)i : longest;
            most = n > most ? n : most;
        }
        if (all <= MOST || most == 1)
            return all;
        LLVMSetOperand(sum, longest, frozen(b, LLVMGetOperand(sum, longest)));
    }
}

bool tsr__pass_long_sums(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct tsr_arena arena = {0};
    struct tsr__map numbers = {.arena = &arena};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < count; i++) {
        if (!is_scalar(code[i]))
            continue;
        if (is_sum(code[i]))
            tsr__map_set(&numbers, code[i], cut(b, &numbers, code[i]));
        else if (keeps_sums(code[i]))
            tsr__map_set(&numbers, code[i], numbers_in(&numbers, LLVMGetOperand(code[i], 0)));
    }
    LLVMDisposeBuilder(b);
    tsr_arena_free(&arena);
    return true;
}
