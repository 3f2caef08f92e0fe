/* SPDX-License-Identifier: Apache-2.0
 * Masked accesses whose mask is a constant run of lanes become accesses of these lanes alone: CPUs do not forward what a masked store wrote
 * to a load behind it, and trees in local memory are just that. A load of no lanes, of which any frozen value is left, is zero:
 * the code generator would take whatever a register holds, and arithmetic on denormal numbers takes a hundred times as long. */
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/shuffles.h"

enum { POINTER_OF_LOAD = 0, MASK_OF_LOAD = 1, ELSE_OF_LOAD = 2, VALUE_OF_STORE = 0, POINTER_OF_STORE = 1, MASK_OF_STORE = 2 };

struct run {
    unsigned first, count, lanes;
};

/* The lanes of a constant mask, if they lie side by side. */
static bool find_run(LLVMValueRef mask, struct run *run)
{
    *run = (struct run){.lanes = LLVMGetVectorSize(LLVMTypeOf(mask))};
    if (!LLVMIsConstant(mask) || LLVMIsUndef(mask) || LLVMIsAConstantExpr(mask))
        return false;
    for (unsigned i = 0; i < run->lanes; i++) {
        LLVMValueRef bit = LLVMGetAggregateElement(mask, i);
        if (!bit || !LLVMIsAConstantInt(bit))
            return false;
        if (!LLVMConstIntGetZExtValue(bit))
            continue;
        if (!run->count)
            run->first = i;
        else if (run->first + run->count != i)
            return false;
        run->count++;
    }
    /* Others would be several accesses. */
    return run->count && !(run->count & (run->count - 1)) && run->count < run->lanes;
}

/* Lanes from..from+count-1 of `x` where a lane of the result is one, and poison elsewhere: lane `to` is the first. */
static LLVMValueRef take(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, unsigned from, unsigned to, unsigned count,
                         unsigned lanes)
{
    unsigned lane[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = i >= to && i < to + count ? from + i - to : TSR__NO_ELEMENT;
    return tsr__pick_elements(l, b, x, NULL, lane, lanes);
}

static LLVMValueRef pointer_to(LLVMBuilderRef b, LLVMTypeRef element, LLVMValueRef pointer, unsigned lane)
{
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(element)), lane, false);
    return lane ? LLVMBuildGEP2(b, element, pointer, &index, 1, "") : pointer;
}

static unsigned align_of(LLVMValueRef call, unsigned argument, struct run run, uint64_t bytes)
{
    uint64_t align = tsr__argument_align(call, argument), offset = run.first * bytes;
    while (offset % align)
        align /= 2;
    return (unsigned)align;
}

static void narrow_load(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef call, LLVMTypeRef element, uint64_t bytes,
                        struct run run)
{
    LLVMValueRef pointer = pointer_to(b, element, LLVMGetOperand(call, POINTER_OF_LOAD), run.first),
                 other = LLVMGetOperand(call, ELSE_OF_LOAD);
    LLVMValueRef few = LLVMBuildLoad2(b, LLVMVectorType(element, run.count), pointer, "");
    tsr__copy_memory_notes(call, few, align_of(call, POINTER_OF_LOAD, run, bytes));
    LLVMValueRef made = take(l, b, few, 0, run.first, run.count, run.lanes);
    if (!LLVMIsPoison(other))
        made = LLVMBuildSelect(b, LLVMGetOperand(call, MASK_OF_LOAD), made, other, "");
    LLVMReplaceAllUsesWith(call, made);
}

static void narrow_store(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef call, LLVMTypeRef element, uint64_t bytes,
                         struct run run)
{
    LLVMValueRef pointer = pointer_to(b, element, LLVMGetOperand(call, POINTER_OF_STORE), run.first);
    LLVMValueRef few = take(l, b, LLVMGetOperand(call, VALUE_OF_STORE), run.first, 0, run.count, run.count);
    tsr__copy_memory_notes(call, LLVMBuildStore(b, few, pointer), align_of(call, POINTER_OF_STORE, run, bytes));
}

/* Is this any value, but the same for all who look? */
static bool is_any_value(LLVMValueRef v)
{
    return LLVMIsAFreezeInst(v) && LLVMIsUndef(LLVMGetOperand(v, 0));
}

bool tsr__pass_narrow_masks(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < count; i++) {
        bool load = tsr__calls(code[i], "llvm.masked.load."), store = tsr__calls(code[i], "llvm.masked.store.");
        struct run run;
        if (is_any_value(code[i])) {
            LLVMReplaceAllUsesWith(code[i], LLVMConstNull(LLVMTypeOf(code[i])));
            LLVMInstructionEraseFromParent(code[i]);
            continue;
        }
        if ((!load && !store) || !find_run(LLVMGetOperand(code[i], load ? MASK_OF_LOAD : MASK_OF_STORE), &run))
            continue;
        LLVMTypeRef element = LLVMGetElementType(load ? LLVMTypeOf(code[i]) : LLVMTypeOf(LLVMGetOperand(code[i], VALUE_OF_STORE)));
        uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), element);
        if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) % 8)
            continue;
        LLVMPositionBuilderBefore(b, code[i]);
        (load ? narrow_load : narrow_store)(l, b, code[i], element, bytes, run);
        LLVMInstructionEraseFromParent(code[i]);
    }
    LLVMDisposeBuilder(b);
    return true;
}
