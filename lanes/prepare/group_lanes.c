/* SPDX-License-Identifier: Apache-2.0
 * Small work-groups as lanes: a packet has several whole work-groups, whose lanes move in step, so that a barrier is nothing. Each group
 * has its own local memory; those of a packet lie one behind the other. The number of work-items of a group is a power of two, which the
 * launch sees to. */
#include "lanes/ir/calls.h"
#include "lanes/prepare/group_lanes.h"
#include "lanes/prepare/packet_kernel.h"

/* Bytes from the local memory of the packet's first group to that of the lane's group. */
static LLVMValueRef find_offset(struct tsr__compilation *l, LLVMBuilderRef b)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef lane = LLVMBuildZExt(b, tsr__build_query(l, b, TSR__CALL_LANE, -1), i64, "");
    LLVMValueRef size = tsr__build_query(l, b, TSR__CALL_ENQUEUED_LOCAL_SIZE, 0);
    LLVMValueRef args[2] = {size, LLVMConstInt(LLVMInt1TypeInContext(l->context), 1, false)};
    LLVMValueRef group = LLVMBuildLShr(b, lane, tsr__build_intrinsic(l, b, "llvm.cttz", &i64, 1, args, 2), "");
    return LLVMBuildNUWMul(b, group, tsr__build_query(l, b, TSR__CALL_LOCAL_PITCH, -1), "");
}

/* The address in the lane's own local memory takes the place of the one in that of the first group. */
static void move_address(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef offset)
{
    LLVMValueRef made = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(l->context), address, &offset, 1, "");
    LLVMReplaceAllUsesWith(address, made);
    LLVMSetOperand(made, 0, address);
}

static void restrict_ends(LLVMValueRef packet, LLVMValueRef *code, size_t count)
{
    bool meets = false;
    for (size_t i = 0; i < count; i++)
        meets = meets || tsr__call_of(code[i]) == TSR__CALL_BARRIER;
    if (meets)
        tsr__forget_restrict(packet);
}

void tsr__move_local_memory(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef item, LLVMValueRef offset)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, item, &count);
    for (unsigned p = 0; p < LLVMCountParams(item); p++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(item, p));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE)
            move_address(l, b, LLVMGetParam(item, p), offset);
    }
    for (size_t i = 0; i < count; i++)
        if (tsr__call_of(code[i]) == TSR__CALL_LOCAL_BASE) {
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(code[i]));
            move_address(l, b, code[i], offset);
        }
}

bool tsr__pass_group_lanes(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    if (k->packet.is_group)
        restrict_ends(k->whole, code, count);
    if (k->whole)
        return true;
    LLVMBuilderRef b = tsr__builder_at_entry(l, k->item);
    tsr__move_local_memory(l, b, k->item, find_offset(l, b));
    LLVMDisposeBuilder(b);
    restrict_ends(k->partial, code, count);
    return true;
}
