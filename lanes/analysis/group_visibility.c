/* SPDX-License-Identifier: Apache-2.0
 * What a kernel can tell about the work-groups and sub-groups that it runs in, and whether its packets wait for each other. */
#include "lanes/analysis/group_visibility.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "tessera/item.h"

static enum tsr__visibility visibility_of(LLVMValueRef inst)
{
    enum tsr__engine_call call = tsr__call_of(inst); /* NONE: a matrix function, which the lanes of a sub-group compute together */
    if (call == TSR__CALL_BARRIER && tsr__is_constant(LLVMGetOperand(inst, 0), TSR_SCOPE_WORK_GROUP))
        return TSR__SEES_GROUPS;
    return tsr__call_info(call)->sees;
}

enum tsr__visibility tsr__group_visibility(struct tsr__compilation *l, LLVMValueRef item)
{
    enum tsr__visibility seen = TSR__SEES_RANGE;
    for (unsigned p = 0; p < LLVMCountParams(item); p++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(item, p));
        if (LLVMGetFirstUse(LLVMGetParam(item, p)) && LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
            LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE)
            seen = TSR__SEES_GROUPS;
    }
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, item, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        bool own = !callee || LLVMGetIntrinsicID(callee) || tsr__is_madw(callee) || tsr__is_dot(l, callee) || tsr__is_image(callee) ||
                   tsr__is_marked_outlined(callee) || tsr__math_op(callee) || tsr__is_soa_array(code[i]); /* each lane's business */
        enum tsr__visibility more = own ? TSR__SEES_RANGE : visibility_of(code[i]);
        seen = more > seen ? more : seen;
    }
    return seen;
}

bool tsr__has_barrier(struct tsr__compilation *l, LLVMValueRef packet)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, packet, &n);
    for (size_t i = 0; i < n; i++) {
        enum tsr__engine_call call = tsr__call_of(code[i]);
        if (call == TSR__CALL_BARRIER || call == TSR__CALL_EXCHANGE)
            return true;
    }
    return false;
}
