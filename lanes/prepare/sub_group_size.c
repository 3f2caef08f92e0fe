/* SPDX-License-Identifier: Apache-2.0
 * Replaces the size of sub-groups by a constant, and ids that follow from it by arithmetic. A required local size gives local ids a
 * range. */
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/analysis/width_choice.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/group_size.h"
#include "lanes/prepare/sub_group_pairs.h"

#include <string.h>

/* The first simplification: the private arrays that are left tell which loops to unroll. */
static const char first_look[] =
    "function(lower-expect,sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify)";

/* The width is a constant from here on. */
static void set_width(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        if (tsr__call_of(code[i]) == TSR__CALL_MAX_SUB_GROUP_SIZE) {
            LLVMReplaceAllUsesWith(code[i], tsr__i32(l, width));
            LLVMInstructionEraseFromParent(code[i]);
        }
    }
}

static void give_range(struct tsr__compilation *l, LLVMValueRef call, uint64_t from, uint64_t to)
{
    LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex,
                             LLVMCreateConstantRangeAttribute(l->context, tsr__attr_kind("range"), 64, &from, &to));
}

/* The ranges of local ids and sizes in a kernel that requires a local size; groups at the end of the range may be smaller. */
static void promise_required_size(struct tsr__compilation *l, const struct tsr_kernel_info *info, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count && info->reqd_local_size[0]; i++) {
        const enum tsr__engine_call call = tsr__call_of(code[i]);
        if ((call != TSR__CALL_LOCAL_ID && call != TSR__CALL_LOCAL_SIZE) || !LLVMIsAConstantInt(LLVMGetOperand(code[i], 0)))
            continue;
        const uint64_t dim = LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0)), size = dim < 3 ? info->reqd_local_size[dim] : 1,
                       from = call == TSR__CALL_LOCAL_SIZE;
        give_range(l, code[i], from, size + from);
    }
}

bool tsr__pass_sub_group_size(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (!tsr__promise_group_size(l, &l->info->kernels[i], kernel))
            return tsr__fail(l, "kernel %s: no code for one size of work-groups", l->info->kernels[i].name);
        if (tsr__may_choose_width(l, i))
            tsr__set_fn_text(l, kernel, TSR__ANY_WIDTH, "");
        unsigned size = tsr__sub_group_size(l, &l->info->kernels[i]);
        set_width(l, kernel, size);
        promise_required_size(l, &l->info->kernels[i], kernel);
        if (tsr__uses_sub_group_pairs(l, kernel))
            tsr__lower_pair_ids(l, kernel, size);
    }
    return tsr__run_llvm(l, first_look);
}
