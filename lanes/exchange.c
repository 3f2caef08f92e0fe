/* SPDX-License-Identifier: Apache-2.0
 * Exchanges of a work-group in packets with regions: each puts its values down, waits at a barrier, and finds those of all. */
#include "rows.h"
#include "tessera/item.h"

enum { ALIGN = 64 };

static bool is(LLVMValueRef v, uint64_t wanted)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == wanted;
}

bool tsr__exchange_can_be_cut(LLVMValueRef call)
{
    return is(LLVMGetOperand(call, 0), TSR_SCOPE_WORK_GROUP) && is(LLVMGetOperand(call, 1), TSR_EXCHANGE_ALL) &&
           LLVMIsAConstantInt(LLVMGetOperand(call, 3));
}

uint64_t tsr__exchange_cut(struct tsr__lanes *l, LLVMValueRef call)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context), ptr = tsr__ptr(l);
    LLVMTypeRef place = LLVMFunctionType(ptr, &i32, 1, false), list = LLVMFunctionType(ptr, NULL, 0, false);
    LLVMTypeRef barrier = LLVMFunctionType(LLVMVoidTypeInContext(l->context), (LLVMTypeRef[]){i32, i32}, 2, false);
    LLVMTypeRef fill = LLVMFunctionType(LLVMInt64TypeInContext(l->context), NULL, 0, false);
    LLVMValueRef value = LLVMGetOperand(call, 2), size = LLVMGetOperand(call, 3), mask = LLVMGetOperand(call, 4);
    LLVMBuilderRef b = tsr__builder_before(l, call);
    LLVMValueRef own = tsr__call(l, b, tsr__declare(l, "__tsr_own_slot", place), &size, 1);
    LLVMBuildMemCpy(b, own, 1, value, 1, LLVMBuildZExt(b, size, LLVMInt64TypeInContext(l->context), ""));
    LLVMValueRef wait[2] = {tsr__i32(l, TSR_SCOPE_WORK_GROUP), tsr__i32(l, TSR__EXCHANGE_FENCE)};
    tsr__call(l, b, tsr__declare(l, "__tsr_barrier", barrier), wait, 2);
    LLVMBuildStore(b, tsr__call(l, b, tsr__declare(l, "__tsr_all_present", fill), NULL, 0), mask);
    LLVMValueRef all = tsr__call(l, b, tsr__declare(l, "__tsr_all_slots", list), NULL, 0);
    LLVMReplaceAllUsesWith(call, LLVMBuildAddrSpaceCast(b, all, LLVMTypeOf(call), ""));
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
    return (LLVMConstIntGetZExtValue(size) + ALIGN - 1) / ALIGN * ALIGN;
}
