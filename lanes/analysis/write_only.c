/* SPDX-License-Identifier: Apache-2.0
 * Arguments through which a kernel only writes, in a kernel that does not communicate while it runs: candidates for non-temporal stores. */
#include "lanes/analysis/write_only.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

/* A pointer that the sub-group has agreed on: it is its argument. */
static bool is_agreed(LLVMValueRef v)
{
    return tsr__call_of(v) == TSR__CALL_SAME;
}

int tsr__parameter_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || is_agreed(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (!LLVMIsAArgument(pointer))
        return -1;
    LLVMValueRef function = LLVMGetParamParent(pointer);
    int number = 0;
    while (LLVMGetParam(function, (unsigned)number) != pointer)
        number++;
    return number;
}

/* May the function speak with others while it runs, itself or in what it calls? `seen`: functions that were looked at. */
static bool communicates(struct tsr__compilation *l, LLVMValueRef function, struct tsr__map *seen)
{
    size_t n;
    if (tsr__map_get(seen, function))
        return false;
    tsr__map_set(seen, function, 1);
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef inst = code[i], callee = tsr__callee(inst);
        if (LLVMIsAFenceInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst))
            return true;
        bool access = LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst);
        if (access && !tsr__is_plain_access(inst))
            return true;
        if (LLVMIsACallInst(inst) && (!callee || (!LLVMIsDeclaration(callee) && communicates(l, callee, seen))))
            return true;
    }
    return false;
}

/* The parameters that an instruction may read from. */
static uint32_t params_read(LLVMValueRef inst)
{
    uint32_t found = 0;
    unsigned count = LLVMIsALoadInst(inst) ? 1 : LLVMIsACallInst(inst) && !is_agreed(inst) ? LLVMGetNumArgOperands(inst) : 0;
    for (unsigned i = 0; i < count; i++) {
        int from = tsr__parameter_of(LLVMGetOperand(inst, i));
        found |= from >= 0 && from < TSR_SIZED_ARGUMENTS ? UINT32_C(1) << from : 0;
    }
    return found;
}

uint32_t tsr__write_only_params(struct tsr__compilation *l, LLVMValueRef item)
{
    struct tsr__map seen = {.arena = &l->scratch};
    uint32_t found = 0;
    size_t n;
    for (unsigned p = 0; p < LLVMCountParams(item) && p < TSR_SIZED_ARGUMENTS; p++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(item, p));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == TSR__GLOBAL_SPACE)
            found |= UINT32_C(1) << p;
    }
    if (!found || communicates(l, item, &seen))
        return 0;
    LLVMValueRef *code = tsr__instructions(l, item, &n);
    for (size_t i = 0; i < n; i++)
        found &= ~params_read(code[i]);
    return found;
}
