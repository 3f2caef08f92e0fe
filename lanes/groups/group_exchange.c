/* SPDX-License-Identifier: Apache-2.0
 * Exchanges between the packets of a work-group in kernels with barrier regions: each packet stores its values, waits at a barrier, and
 * reads the values of all. Reductions and scans of a work-group are made of these exchanges in builtins/workgroup.cl, and their steps
 * within a packet in widen/widen_collectives.c. */
#include "lanes/groups/group_exchange.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

#include "tessera/item.h"

bool tsr__is_lowerable_exchange(LLVMValueRef call)
{
    return tsr__is_constant(LLVMGetOperand(call, 0), TSR_SCOPE_WORK_GROUP) && tsr__is_constant(LLVMGetOperand(call, 1), TSR_EXCHANGE_ALL) &&
           LLVMIsAConstantInt(LLVMGetOperand(call, 3));
}

void tsr__lower_group_exchange(struct tsr__compilation *l, LLVMValueRef call)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context), bits = LLVMFunctionType(i64, NULL, 0, false);
    LLVMValueRef value = LLVMGetOperand(call, 2), size = LLVMGetOperand(call, 3), mask = LLVMGetOperand(call, 4);
    LLVMBuilderRef b = tsr__builder_before(l, call);
    LLVMBuildMemCpy(b, tsr__exchange_own_slot(l, b, size), 1, value, 1, LLVMBuildZExt(b, size, i64, ""));
    LLVMValueRef all = tsr__exchange_all_slots(l, b);
    LLVMBuildStore(b, tsr__call(l, b, tsr__declare_call(l, TSR__CALL_ALL_PRESENT, bits), NULL, 0), mask);
    LLVMReplaceAllUsesWith(call, LLVMBuildAddrSpaceCast(b, all, LLVMTypeOf(call), ""));
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
}
