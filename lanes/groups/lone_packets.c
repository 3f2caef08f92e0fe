/* SPDX-License-Identifier: Apache-2.0
 * A work-group that is one packet needs no barrier, as its lanes move in step. Short kernels get further functions in which barriers are
 * nothing: <kernel>.lone for full packets, in which the local size is a constant, which the kernel chooses where a work-group has one
 * sub-group; and <kernel>.lone_partial for other packets of one row, to which the function for partial packets goes on. */
#include "lanes/analysis/group_visibility.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/groups/lone_packets.h"
#include "lanes/groups/packet_loop.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/widen/widener.h"

static bool calls(LLVMValueRef f, enum tsr__engine_call call)
{
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i))
        if (tsr__call_of(i) == call)
            return true;
    return false;
}

/* Private arrays that are still there lie in the contexts of packets at barriers; without those they would take the stack. Where lanes may
 * have parted before a barrier, it is not nothing. */
static bool is_worth_it(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    if (!k->whole || k->wrapping || k->packet.is_group || k->packet.width == 1)
        return false;
    if (!calls(k->whole, TSR__CALL_BARRIER) || calls(k->whole, TSR__CALL_DIVERGENT_BARRIER) ||
        tsr__group_visibility(l, k->item) != TSR__SEES_GROUPS)
        return false;
    const uint64_t *required = k->info->reqd_local_size;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    if (required[0] * required[1] * required[2] > k->packet.width)
        return false;
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAAllocaInst(code[i]))
            return false;
    return count <= TSR__LONE_MAX_CODE;
}

/* The packet is a row of its own. */
static void fix_local_size(struct tsr__compilation *l, LLVMValueRef lone, unsigned width)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, lone, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t dim;
        if (tsr__call_of(code[i]) != TSR__CALL_LOCAL_SIZE || !tsr__constant_int(LLVMGetOperand(code[i], 0), &dim))
            continue;
        LLVMReplaceAllUsesWith(code[i], tsr__i64(l, dim ? 1 : width));
        LLVMInstructionEraseFromParent(code[i]);
    }
}

/* What calls the function for full packets asks before it whether the packet is alone. */
static void choose_by_count(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    LLVMBasicBlockRef usual = LLVMGetInstructionParent(LLVMGetUser(LLVMGetFirstUse(k->whole)));
    LLVMBasicBlockRef alone = tsr__packet_call_block(l, k->kernel, k->lone);
    LLVMBasicBlockRef choice = LLVMInsertBasicBlockInContext(l->context, usual, "");
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(k->kernel); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        for (unsigned i = 0; t && i < LLVMGetNumSuccessors(t); i++)
            if (LLVMGetSuccessor(t, i) == usual)
                LLVMSetSuccessor(t, i, choice);
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, choice);
    LLVMValueRef packets = tsr__build_query(l, b, TSR__CALL_NUM_SUB_GROUPS, -1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, packets, tsr__i32(l, 1), ""), alone, usual);
    LLVMDisposeBuilder(b);
}

/* A loop over the work-groups of a row, which have a packet each. */
static void build_row(struct tsr__compilation *l, LLVMValueRef f, unsigned width)
{
    struct tsr__packet_loop r = {.l = l, .f = f, .width = width, .b = LLVMCreateBuilderInContext(l->context)};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(f), end = LLVMAppendBasicBlockInContext(l->context, f, "end"),
                      begin = tsr__packet_loop_begin(&r);
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count), zero = tsr__i64(l, 0);
    LLVMValueRef groups = tsr__packet_loop_query(&r, TSR__CALL_ROW_GROUPS, 0);
    LLVMValueRef pitch = tsr__packet_loop_query(&r, TSR__CALL_ENQUEUED_LOCAL_SIZE, 0);
    r.lanes = LLVMBuildTrunc(r.b, tsr__packet_loop_query(&r, TSR__CALL_LOCAL_SIZE, 0), i32, "");
    r.linear = tsr__i32(l, 0);
    for (int d = 0; d < 3; d++) {
        r.local[d] = zero;
        r.global[d] = tsr__packet_loop_query(&r, TSR__CALL_GLOBAL_ID, d);
        r.group[d] = tsr__packet_loop_query(&r, TSR__CALL_GROUP_ID, d);
    }
    struct tsr__counted_loop group = tsr__counted_loop_open(&r, "group", zero);
    r.group[0] = LLVMBuildNUWAdd(r.b, r.group[0], group.phi, "");
    r.global[0] = LLVMBuildNUWAdd(r.b, r.global[0], LLVMBuildNUWMul(r.b, pitch, group.phi, ""), "");
    tsr__packet_loop_reset_slots(&r, start);
    LLVMBuildBr(r.b, begin);
    LLVMPositionBuilderAtEnd(r.b, end);
    tsr__counted_loop_close(&r, group, tsr__i64(l, 1), groups);
    LLVMBuildRetVoid(r.b);
    for (size_t i = 0; i < count; i++)
        tsr__packet_loop_rewrite(&r, code[i], end);
    LLVMDisposeBuilder(r.b);
}

/* Another function of the kernel for packets that are work-groups. */
static LLVMValueRef widen_lone(struct tsr__compilation *l, struct tsr__packet_kernel *k, const char *suffix, struct tsr__packet packet,
                               bool masked)
{
    size_t notes = tsr__explain_count(l); /* they are those of the other function */
    LLVMValueRef made = tsr__declare_packet_function(l, k->kernel, suffix);
    packet.is_group = true;
    tsr__add_fn_attr(l, made, "noinline");
    if (!tsr__widen_packet_function(l, k, made, packet, masked))
        return NULL;
    tsr__explain_forget(l, notes);
    tsr__forget_restrict(made);
    return made;
}

bool tsr__pass_lone_packets(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr__packet packet = k->packet;
    if (!is_worth_it(l, k))
        return true;
    tsr__explain(l, k->item, "packets", "alone", "a work-group of one packet has code without barriers");
    if (l->options->bodies != TSR_BODIES_PARTIAL) {
        k->lone = widen_lone(l, k, TSR__LONE, packet, false);
        if (!k->lone)
            return false;
        fix_local_size(l, k->lone, packet.width);
        choose_by_count(l, k);
    }
    if (l->options->bodies == TSR_BODIES_FULL || !k->partial)
        return true;
    packet.in_group = true;
    packet.same_sizes = k->info->flags & TSR_KERNEL_UNIFORM_GROUPS;
    packet.required_x = tsr_required_size(k->info, 0);
    k->lone_partial = widen_lone(l, k, TSR__LONE_PARTIAL, packet, true);
    if (!k->lone_partial)
        return false;
    build_row(l, k->lone_partial, packet.width);
    return true;
}

void tsr__lone_packets_join(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(k->partial), alone = tsr__packet_call_block(l, k->partial, k->lone_partial);
    LLVMValueRef into = LLVMGetBasicBlockTerminator(start);
    LLVMBuilderRef b = tsr__builder_before(l, into);
    LLVMValueRef packets = tsr__build_query(l, b, TSR__CALL_NUM_SUB_GROUPS, -1);
    LLVMValueRef rows =
        LLVMBuildMul(b, tsr__build_query(l, b, TSR__CALL_LOCAL_SIZE, 1), tsr__build_query(l, b, TSR__CALL_LOCAL_SIZE, 2), "");
    LLVMValueRef one_packet = LLVMBuildICmp(b, LLVMIntEQ, packets, tsr__i32(l, 1), "");
    LLVMValueRef one_row = LLVMBuildICmp(b, LLVMIntEQ, rows, tsr__i64(l, 1), "");
    LLVMBuildCondBr(b, LLVMBuildAnd(b, one_packet, one_row, ""), alone, LLVMGetSuccessor(into, 0));
    LLVMInstructionEraseFromParent(into);
    LLVMDisposeBuilder(b);
}
