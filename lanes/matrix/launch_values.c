/* SPDX-License-Identifier: Apache-2.0
 * Which values are the same for all work-items of a launch: arguments of the kernel, and what is computed from these. */
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/matrix.h"

struct tsr_kernel_info *tsr__kernel_of_function(struct tsr__compilation *l, LLVMValueRef function)
{
    uint32_t kernel;
    return tsr__kernel_of_code(l, tsr__name(function), &kernel) ? &l->info->kernels[kernel] : NULL;
}

/* Is it a load of what no store of the program changes, at a constant offset from `base`? */
static bool is_loaded_from(struct tsr__compilation *l, LLVMValueRef v, LLVMValueRef *base, uint64_t *offset)
{
    if (!tsr__is_fixed_load(l, v))
        return false;
    *base = LLVMGetOperand(v, 0);
    *offset = 0;
    if (LLVMIsAGetElementPtrInst(*base)) {
        struct tsr__gep_index index;
        struct tsr__gep_walk walk = tsr__gep_walk(LLVMGetModuleDataLayout(l->module), *base);
        while (tsr__gep_next(&walk, &index)) {
            if (!index.is_constant)
                return false;
            *offset += (uint64_t)index.offset;
        }
        *base = LLVMGetOperand(*base, 0);
    }
    return true;
}

/* A parameter of a packet function, or what an entry loads from the argument block. */
int tsr__kernel_argument_of(struct tsr__compilation *l, LLVMValueRef v)
{
    LLVMValueRef block, group, item;
    uint64_t at, in_group, in_item;
    if (LLVMIsAArgument(v)) {
        const struct tsr_kernel_info *kernel = tsr__kernel_of_function(l, LLVMGetParamParent(v));
        for (uint32_t i = 0; kernel && i < kernel->arg_count && LLVMCountParams(LLVMGetParamParent(v)) > kernel->arg_count; i++)
            if (LLVMGetParam(LLVMGetParamParent(v), i) == v)
                return (int)i;
        return -1;
    }
    if (!is_loaded_from(l, v, &block, &at) || !is_loaded_from(l, block, &group, &in_group) || !is_loaded_from(l, group, &item, &in_item) ||
        in_group != offsetof(struct tsr_group, args) || in_item != offsetof(struct tsr_item, group) || !LLVMIsAArgument(item))
        return -1;
    const struct tsr_kernel_info *kernel = tsr__kernel_of_function(l, LLVMGetParamParent(item));
    for (uint32_t i = 0; kernel && i < kernel->arg_count; i++)
        if (kernel->args[i].offset == at)
            return (int)i;
    return -1;
}

/* Is it a size of the launch, or of its full work-groups? */
static bool is_size(struct tsr__compilation *l, LLVMValueRef v)
{
    LLVMValueRef group, item;
    uint64_t at, in_item;
    if (!is_loaded_from(l, v, &group, &at) || !is_loaded_from(l, group, &item, &in_item) || in_item != offsetof(struct tsr_item, group) ||
        !LLVMIsAArgument(item))
        return false;
    return at < offsetof(struct tsr_group, group_id) ||
           (at >= offsetof(struct tsr_group, enqueued_local_size) && at < offsetof(struct tsr_group, sub_group_size));
}

bool tsr__is_of_launch(struct tsr__compilation *l, const struct tsr__map *round, struct tsr__map *seen, LLVMValueRef v)
{
    if (LLVMIsAConstant(v) || tsr__map_get(seen, v) || tsr__kernel_argument_of(l, v) >= 0 || is_size(l, v))
        return true;
    if (!LLVMIsAInstruction(v))
        return false;
    tsr__map_set(seen, v, 1);
    const bool counts = LLVMIsAPHINode(v) && tsr__map_get(round, LLVMGetInstructionParent(v));
    bool is = counts || (tsr__is_pure(v) && !LLVMIsAPHINode(v));
    for (unsigned i = 0; counts && is && i < LLVMCountIncoming(v); i++)
        is = tsr__is_of_launch(l, round, seen, LLVMGetIncomingValue(v, i));
    for (int i = 0; !counts && is && i < (LLVMIsACallInst(v) ? (int)LLVMGetNumArgOperands(v) : LLVMGetNumOperands(v)); i++)
        is = tsr__is_of_launch(l, round, seen, LLVMGetOperand(v, (unsigned)i));
    return is;
}
