/* SPDX-License-Identifier: Apache-2.0
 * Numbers of work-items that a kernel computes from the number of its group: get_group_id(0) * get_local_size(0) + get_local_id(0). */
#include "lanes/analysis/shape.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

/* A query of dimension x, or what is left of it in fewer bits. */
static bool is_query_of_x(LLVMValueRef v, enum tsr__engine_call query)
{
    if (LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    if (tsr__call_of(v) != query || LLVMGetNumArgOperands(v) != 1)
        return false;
    LLVMValueRef dim = LLVMGetArgOperand(v, 0);
    return tsr__is_constant(dim, 0);
}

/* The size that all groups have of which a packet may have lanes. */
static bool is_size(const struct tsr__packet *packet, LLVMValueRef v)
{
    if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64)
        return packet->required_x && LLVMConstIntGetZExtValue(v) == packet->required_x;
    return is_query_of_x(v, TSR__CALL_ENQUEUED_LOCAL_SIZE) || (packet->same_sizes && is_query_of_x(v, TSR__CALL_LOCAL_SIZE));
}

/* Lane 0 may stand before the first group, where unsigned numbers wrap. */
static bool sum_may_wrap(LLVMValueRef v)
{
    return LLVMGetInstructionOpcode(v) == LLVMOr || !LLVMGetNUW(v);
}

/* What stands before the group's first work-item. */
static bool is_first(const struct tsr__packet *packet, LLVMValueRef v)
{
    if (LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMValueRef a = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 0) : NULL, b = a ? LLVMGetOperand(v, 1) : NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMMul:
        return sum_may_wrap(v) && ((is_query_of_x(a, TSR__CALL_GROUP_ID) && is_size(packet, b)) ||
                                   (is_query_of_x(b, TSR__CALL_GROUP_ID) && is_size(packet, a)));
    case LLVMShl:
        return sum_may_wrap(v) && is_query_of_x(a, TSR__CALL_GROUP_ID) && packet->required_x && LLVMIsAConstantInt(b) &&
               LLVMConstIntGetZExtValue(b) < 32 && packet->required_x == UINT64_C(1) << LLVMConstIntGetZExtValue(b);
    default:
        return false;
    }
}

bool tsr__is_global_id_sum(const struct tsr__packet *packet, LLVMValueRef sum)
{
    LLVMValueRef a = LLVMGetOperand(sum, 0), b = LLVMGetOperand(sum, 1);
    return sum_may_wrap(sum) &&
           ((is_first(packet, a) && is_query_of_x(b, TSR__CALL_LOCAL_ID)) || (is_first(packet, b) && is_query_of_x(a, TSR__CALL_LOCAL_ID)));
}
