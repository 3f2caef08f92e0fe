/* SPDX-License-Identifier: Apache-2.0
 * The passes widen_full and widen_partial: build the bodies of a kernel's packet functions. */
#include "lanes/analysis/group_visibility.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/prepare/outlined.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/prepare/versioning.h"
#include "lanes/widen/widener.h"
#include "tessera/item.h"

bool tsr__widen_packet_function(struct tsr__compilation *l, const struct tsr__packet_kernel *k, LLVMValueRef to, struct tsr__packet packet,
                                bool masked)
{
    LLVMSetLinkage(to, LLVMInternalLinkage);
    tsr__debug_info_begin(l, k->kernel, to);
    return tsr__widen_function(l, k->item, to, packet, masked) || tsr__fail(l, "kernel %s: irreducible control flow", k->info->name);
}

/* A packet of one work-item is the work-item's own code. What the kernel sees of its groups decides how the range may be cut. */
static bool take_item(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(l->context, k->whole, "start");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    if (tsr__group_visibility(l, k->item) == TSR__SEES_RANGE)
        k->info->flags |= TSR_KERNEL_MIXED_GROUPS | TSR_KERNEL_GLOBAL_IDS_ONLY;
    LLVMSetLinkage(k->whole, LLVMInternalLinkage);
    tsr__debug_info_begin(l, k->kernel, k->whole);
    LLVMPositionBuilderAtEnd(b, start);
    LLVMBuildBr(b, LLVMGetEntryBasicBlock(k->item));
    for (unsigned i = 0; i < LLVMCountParams(k->item); i++)
        LLVMReplaceAllUsesWith(LLVMGetParam(k->item, i), LLVMGetParam(k->whole, i));
    for (LLVMBasicBlockRef bb; (bb = LLVMGetFirstBasicBlock(k->item)) != NULL;) {
        LLVMRemoveBasicBlockFromParent(bb);
        LLVMAppendExistingBasicBlock(k->whole, bb);
    }
    LLVMSetLinkage(k->item, LLVMExternalLinkage); /* a declaration */
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, k->whole, &count);
    for (size_t i = 0; i < count; i++) {
        if (k->packet.is_group && tsr__call_of(code[i]) == TSR__CALL_BARRIER) {
            LLVMInstructionEraseFromParent(code[i]); /* nobody else is there */
        } else if (LLVMIsAAllocaInst(code[i])) {     /* the loop over packets begins behind them */
            LLVMInstructionRemoveFromParent(code[i]);
            LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(start));
            LLVMInsertIntoBuilderWithName(b, code[i], LLVMGetValueName(code[i]));
        } else if (tsr__callee(code[i]) && tsr__starts_with(tsr__name(tsr__callee(code[i])), "llvm.lifetime.")) {
            LLVMInstructionEraseFromParent(code[i]); /* a variable that lives across a barrier moves to the context */
        }
    }
    LLVMDisposeBuilder(b);
    tsr__debug_info_move(l, k->whole);
    return true;
}

/* What the device gets to know of a kernel that has no sub-groups, or whose packets wait for each other (`meets`). */
static void note_visibility(struct tsr_kernel_info *info, enum tsr__visibility sees, bool meets)
{
    if (sees >= TSR__SEES_SUB_GROUPS)
        return;
    info->flags |= TSR_KERNEL_IGNORES_SUB_GROUPS;
    if (meets)
        return;
    info->flags |= sees <= TSR__SEES_NUMBERS ? TSR_KERNEL_MIXED_GROUPS : 0;
    if (sees == TSR__SEES_RANGE && !(info->flags & TSR_KERNEL_FULL_PACKETS)) /* a range that is cut has packets that are not full */
        info->flags |= TSR_KERNEL_GLOBAL_IDS_ONLY;
}

/* Code that only full packets run is kept in the function for these, and left out of what other functions are made of (group_bounds.c). */
static bool settle_full_packets(struct tsr__compilation *l, LLVMValueRef function, bool full)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (tsr__call_of(code[i]) == TSR__CALL_WHOLE_PACKET) {
            LLVMReplaceAllUsesWith(code[i], LLVMConstInt(LLVMTypeOf(code[i]), full, false));
            LLVMInstructionEraseFromParent(code[i]);
            any = true;
        }
    return full || !any || tsr__run_llvm_on(l, function, "sccp");
}

bool tsr__pass_widen_full(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    bool full = k->info->flags & TSR_KERNEL_FULL_PACKETS;
    if (!k->partial && !full)
        k->info->flags |= TSR_KERNEL_IGNORES_SUB_GROUPS;
    if (k->packet.width == 1)
        return take_item(l, k);
    if (!k->whole)
        return true;
    if (!tsr__widen_packet_function(l, k, k->whole, k->packet, k->lacks_lanes))
        return false;
    settle_full_packets(l, k->whole, true);
    if (full)
        note_visibility(k->info, tsr__group_visibility(l, k->item), tsr__has_barrier(l, k->whole));
    if (!settle_full_packets(l, k->item, false))
        return false;
    if (!k->wrapping)
        return true;
    tsr__forget_no_wrap_marks(l, k->whole);
    tsr__drop_no_wrap_marks(l, k->item);
    size_t notes = tsr__explain_count(l); /* they are those of the other function */
    bool good = tsr__widen_packet_function(l, k, k->wrapping, k->packet, false);
    tsr__explain_forget(l, notes);
    return good;
}

bool tsr__pass_widen_partial(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_kernel_info *info = k->info;
    struct tsr__packet packet = k->packet;
    if (!k->partial)
        return true;
    enum tsr__visibility sees = tsr__group_visibility(l, k->item);
    bool groups = !k->whole, meets = !groups && tsr__has_barrier(l, k->whole);
    if (groups)
        sees = TSR__SEES_NUMBERS; /* but for local memory, of which each has its own, and barriers, to which they come together */
    packet.whole_rows = sees < TSR__SEES_SUB_GROUPS;
    packet.mixed = packet.whole_rows && !meets;
    packet.in_group = packet.whole_rows && meets;
    packet.same_sizes = info->flags & TSR_KERNEL_UNIFORM_GROUPS;
    packet.required_x = tsr_required_size(info, 0);
    note_visibility(info, sees, meets);
    return tsr__widen_packet_function(l, k, k->partial, packet, true);
}

bool tsr__pass_drop_items(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr__packet_kernel k;
        if (!tsr__packet_kernel_find(l, &l->info->kernels[i], &k))
            continue;
        tsr__explain_barriers(l, k.info, k.item);
        LLVMDeleteFunction(k.item);
    }
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++)
        if (tsr__has_text_attr(functions[i], TSR__OUTLINED_ITEM))
            LLVMDeleteFunction(functions[i]);
    tsr__debug_info_end(l);
    return true;
}
