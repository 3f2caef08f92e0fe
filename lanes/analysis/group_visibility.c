/* SPDX-License-Identifier: Apache-2.0
 * What a kernel can tell about the work-groups and sub-groups that it runs in, and whether its packets wait for each other. */
#include "lanes/analysis/group_visibility.h"

#include <string.h>

#include "lanes/ir/calls.h"
#include "tessera/item.h"

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static enum tsr__visibility visibility_of(LLVMValueRef call)
{
    static const char *const harmless[] = {"global_id",          "global_size", "global_offset", "work_dim",
                                           "max_sub_group_size", "print",       "site",          "address_space"};
    static const char *const numbers[] = {"local_id", "group_id", "local_size", "enqueued_local_size", "num_groups", "linear_id"};
    const char *name = tsr__primitive_called(call);
    if (!name) /* a matrix function, which the lanes of a sub-group compute together */
        return TSR__SEES_SUB_GROUPS;
    if (is_one_of(name, harmless, TSR_ARRAY_LEN(harmless)))
        return TSR__SEES_RANGE;
    if (is_one_of(name, numbers, TSR_ARRAY_LEN(numbers)))
        return TSR__SEES_NUMBERS;
    bool barrier = !strcmp(name, "barrier") && LLVMIsAConstantInt(LLVMGetOperand(call, 0)) &&
                   LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)) == TSR_SCOPE_WORK_GROUP;
    return barrier || !strcmp(name, "local_base") ? TSR__SEES_GROUPS : TSR__SEES_SUB_GROUPS;
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
        bool own = !callee || LLVMGetIntrinsicID(callee) || tsr__is_madw(callee) || tsr__is_dot(l, callee); /* each lane's business */
        enum tsr__visibility more = own ? TSR__SEES_RANGE : visibility_of(code[i]);
        seen = more > seen ? more : seen;
    }
    return seen;
}

bool tsr__has_barrier(struct tsr__compilation *l, LLVMValueRef packet)
{
    static const char *const meeting[] = {"barrier", "exchange"};
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, packet, &n);
    for (size_t i = 0; i < n; i++) {
        const char *name = tsr__primitive_called(code[i]);
        if (name && is_one_of(name, meeting, TSR_ARRAY_LEN(meeting)))
            return true;
    }
    return false;
}
