/* SPDX-License-Identifier: Apache-2.0
 * Kernels with split matrix functions: a packet is a pair of sub-groups, one in each half.
 *
 * Split matrix functions join the sub-groups 2j and 2j + 1. In one packet the two need not wait for each other, and what they compute
 * together is one operation as wide as the packet (mad_op.c). Sub-group functions act on each half by itself. */
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/ir/calls.h"

#include <string.h>

#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/mad_op.h"

bool tsr__uses_sub_group_pairs(struct tsr__compilation *l, LLVMValueRef kernel)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, kernel, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        const struct tsr_matrix_builtin *f = callee ? tsr__mad_overload(l, callee) : NULL;
        if (f && f->form == TSR_MATRIX_SPLIT)
            return true;
    }
    return false;
}

/* ---- ids: what a work-item knows of its sub-group follows from its linear id ---- */

struct ids {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    uint32_t size; /* of a sub-group, a power of two */
};

static LLVMValueRef linear_id(struct ids *q)
{
    return tsr__build_query(q->l, q->b, TSR__CALL_LINEAR_ID, -1);
}

static LLVMValueRef work_items(struct ids *q, enum tsr__engine_call size)
{
    LLVMValueRef all = tsr__build_query(q->l, q->b, size, 0);
    for (int d = 1; d < 3; d++)
        all = LLVMBuildMul(q->b, all, tsr__build_query(q->l, q->b, size, d), "");
    return LLVMBuildTrunc(q->b, all, LLVMInt32TypeInContext(q->l->context), "");
}

static LLVMValueRef divide_by_size(struct ids *q, LLVMValueRef x)
{
    return LLVMBuildLShr(q->b, x, tsr__i32(q->l, (uint32_t)__builtin_ctz(q->size)), "");
}

static LLVMValueRef lane_id(struct ids *q)
{
    return LLVMBuildAnd(q->b, linear_id(q), tsr__i32(q->l, q->size - 1), "");
}

static LLVMValueRef sub_group_id(struct ids *q)
{
    return divide_by_size(q, linear_id(q));
}

/* The last one may be smaller. */
static LLVMValueRef sub_group_size(struct ids *q)
{
    LLVMValueRef first = LLVMBuildAnd(q->b, linear_id(q), tsr__i32(q->l, ~(q->size - 1)), "");
    LLVMValueRef left = LLVMBuildSub(q->b, work_items(q, TSR__CALL_LOCAL_SIZE), first, ""), most = tsr__i32(q->l, q->size);
    return LLVMBuildSelect(q->b, LLVMBuildICmp(q->b, LLVMIntULT, left, most, ""), left, most, "");
}

static LLVMValueRef sub_groups_of(struct ids *q, enum tsr__engine_call size)
{
    return divide_by_size(q, LLVMBuildAdd(q->b, work_items(q, size), tsr__i32(q->l, q->size - 1), ""));
}

/* What stands for a primitive, or NULL: the device's answer holds. */
static LLVMValueRef id_in_pair(struct ids *q, enum tsr__engine_call call)
{
    switch (call) {
    case TSR__CALL_LANE:
        return lane_id(q);
    case TSR__CALL_SUB_GROUP_ID:
        return sub_group_id(q);
    case TSR__CALL_SUB_GROUP_SIZE:
        return sub_group_size(q);
    case TSR__CALL_NUM_SUB_GROUPS:
        return sub_groups_of(q, TSR__CALL_LOCAL_SIZE);
    case TSR__CALL_ENQUEUED_NUM_SUB_GROUPS:
        return sub_groups_of(q, TSR__CALL_ENQUEUED_LOCAL_SIZE);
    default:
        return NULL;
    }
}

void tsr__lower_pair_ids(struct tsr__compilation *l, LLVMValueRef kernel, uint32_t sub_group_size_of_kernel)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, kernel, &n);
    struct ids q = {.l = l, .size = sub_group_size_of_kernel, .b = LLVMCreateBuilderInContext(l->context)};
    for (size_t i = 0; i < n; i++) {
        enum tsr__engine_call call = tsr__call_of(code[i]);
        if (call == TSR__CALL_NONE)
            continue;
        LLVMPositionBuilderBefore(q.b, code[i]);
        LLVMValueRef made = id_in_pair(&q, call);
        if (!made)
            continue;
        LLVMReplaceAllUsesWith(code[i], made);
        LLVMInstructionEraseFromParent(code[i]);
    }
    LLVMDisposeBuilder(q.b);
}

/* ---- addresses ---- */

/* The vectors hold what differs between the two sub-groups, and addresses need two of their lanes. LLVM would take them out of the vector
 * at the end. Computed as scalars, two addresses can be seen to lie at a constant distance, as rows of a tile do. */

static bool is_address(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
           (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 32);
}

static void make_scalars(struct tsr__compilation *l, LLVMValueRef function)
{
    struct tsr__lane_scalars c;
    tsr__lane_scalars_begin(&c, l);
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++) {
        if (!LLVMIsAExtractElementInst(code[i]) || !is_address(LLVMTypeOf(code[i])))
            continue;
        LLVMValueRef v = LLVMGetOperand(code[i], 0), at = LLVMGetOperand(code[i], 1);
        if (!LLVMIsAInstruction(v) || !LLVMIsAConstantInt(at))
            continue;
        LLVMReplaceAllUsesWith(code[i], tsr__lane_scalar(&c, v, (unsigned)LLVMConstIntGetZExtValue(at)));
        LLVMInstructionEraseFromParent(code[i]);
    }
    tsr__lane_scalars_end(&c);
}

/* After everything else: lanes of vectors of addresses are computed by themselves, so that one sees how they hang together. */
bool tsr__pass_scalarise_addresses(struct tsr__compilation *l)
{
    bool any = false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++)
        any = any || tsr__has_text_attr(tsr__kernel(l, &l->info->kernels[i]), TSR__IN_PAIRS);
    if (!any)
        return true;
    if (!tsr__run_llvm(l, "function(mem2reg)"))
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            make_scalars(l, f);
    return true;
}
