/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/after/lane_access.h"
#include "lanes/after/lane_offsets.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

static bool takes_own_lanes(LLVMValueRef shuffle, unsigned lanes)
{
    unsigned operand, element;
    bool own = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(shuffle, 0))) == lanes;
    for (unsigned i = 0; own && i < lanes; i++)
        own = tsr__shuffle_source(shuffle, i, &operand, &element) && (operand || element == i);
    return own;
}

/* Lanes that have been sent nowhere. */
static void drop_absent_lanes(struct tsr__lane_access *a)
{
    int64_t lane;
    unsigned operand, element;
    for (LLVMValueRef p = a->pointers;; p = a->pointers = LLVMGetOperand(p, 0)) {
        if (LLVMIsAInsertElementInst(p) && tsr__is_nowhere(LLVMGetOperand(p, 1)) && tsr__constant_int(LLVMGetOperand(p, 2), &lane)) {
            a->active[lane] = false;
        } else if (LLVMIsAShuffleVectorInst(p) && tsr__is_nowhere(LLVMGetOperand(p, 1)) && takes_own_lanes(p, a->lanes)) {
            for (unsigned i = 0; i < a->lanes; i++)
                a->active[i] = a->active[i] && tsr__shuffle_source(p, i, &operand, &element) && !operand;
        } else {
            return;
        }
    }
}

static bool is_constant_mask(struct tsr__lane_access *a, LLVMValueRef mask)
{
    for (unsigned i = 0; i < a->lanes; i++) {
        LLVMValueRef bit = LLVMIsAConstant(mask) ? LLVMGetAggregateElement(mask, i) : NULL;
        if (!bit || !LLVMIsAConstantInt(bit))
            return false;
        a->active[i] = LLVMConstIntGetZExtValue(bit);
    }
    return true;
}

bool tsr__read_lane_access(LLVMTargetDataRef layout, LLVMValueRef call, struct tsr__lane_access *a)
{
    const bool side_by_side = tsr__calls(call, "llvm.masked.load.") || tsr__calls(call, "llvm.masked.store.");
    const bool load = tsr__calls(call, "llvm.masked.gather.") || tsr__calls(call, "llvm.masked.load.");
    if (!side_by_side && !load && !tsr__calls(call, "llvm.masked.scatter."))
        return false;
    *a = (struct tsr__lane_access){.call = call, .load = load, .side_by_side = side_by_side};
    LLVMTypeRef values = load ? LLVMTypeOf(call) : LLVMTypeOf(LLVMGetOperand(call, 0));
    LLVMValueRef mask = LLVMGetOperand(call, load ? 1 : 2);
    a->pointers = LLVMGetOperand(call, load ? 0 : 1);
    a->element = LLVMGetElementType(values);
    a->lanes = LLVMGetVectorSize(values);
    a->bytes = (int64_t)LLVMABISizeOfType(layout, a->element);
    if (a->lanes > TSR__MAX_ELEMENTS || !tsr__fills_its_bytes(layout, a->element))
        return false;
    if (!is_constant_mask(a, mask)) {
        a->mask = mask;
        for (unsigned i = 0; i < a->lanes; i++)
            a->active[i] = true;
    }
    if (!side_by_side)
        drop_absent_lanes(a);
    return true;
}
