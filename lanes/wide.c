/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose data have 8 or 16 bits run in wider packets, unless they can tell: sixteen bytes fill a quarter of a register. */
#include "wide.h"

#include <string.h>

#include "rows.h"

static unsigned data_bits(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
        return 16;
    default:
        return 64;
    }
}

static bool is_small(LLVMTypeRef type)
{
    return data_bits(type) <= 16;
}

/* Numbers that are made of ids and constants may be large: they are addresses and counters mostly. */
static bool keeps_small(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return is_small(LLVMTypeOf(inst));
    case LLVMStore:
        return is_small(LLVMTypeOf(LLVMGetOperand(inst, 0)));
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPExt:
    case LLVMUIToFP:
    case LLVMSIToFP: {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
        return !is_small(from) || data_bits(from) == 1 || is_small(LLVMTypeOf(inst));
    }
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMFPTrunc:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return false;
    default:
        return true;
    }
}

bool tsr__may_widen(struct tsr__lanes *l, uint32_t number)
{
    const struct tsr_kernel_info *info = &l->info->kernels[number];
    LLVMValueRef kernel = tsr__kernel(l, info);
    if (info->reqd_sub_group_size || (l->ways && l->ways[number] != TSR__AS_ASKED) || tsr__sub_group_size(l, info) >= TSR__WIDE_LANES ||
        tsr__sees_groups(l, kernel) != TSR__SEES_RANGE)
        return false;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = tsr__primitive_name(code[i]);
        if (name && !strcmp(name, "max_sub_group_size"))
            return false;
    }
    return true;
}

bool tsr__has_small_data(struct tsr__lanes *l, LLVMValueRef kernel)
{
    bool stores = false;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        if (!keeps_small(code[i]))
            return false;
        stores = stores || LLVMIsAStoreInst(code[i]);
    }
    return stores;
}
