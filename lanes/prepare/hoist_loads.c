/* SPDX-License-Identifier: Apache-2.0
 * Loop-invariant code motion of loads.
 *
 * A load that is the same in each round of a loop moves before the loop. In a loop that lanes leave in different rounds the load would
 * be masked, and no later pass could hoist it. LLVM's own pass drops flags and metadata that the address analysis needs. */
#include "lanes/prepare/packet_kernel.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/cfg.h"

struct loop_of {
    const struct tsr__cfg *cfg;
    int loop;
};

/* Whether the value can be had before the loop, by moving at most so many instructions on each way to it. */
static bool can_hoist(const struct loop_of *l, LLVMValueRef v, int depth)
{
    if (!tsr__is_in_loop(l->cfg, v, l->loop))
        return true;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        break;
    default:
        return false;
    }
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!depth || !can_hoist(l, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

static void hoist(const struct loop_of *l, LLVMBuilderRef b, LLVMValueRef v)
{
    if (!tsr__is_in_loop(l->cfg, v, l->loop))
        return;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        hoist(l, b, LLVMGetOperand(v, (unsigned)i));
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(b, v);
}

enum { ALL_SPACES = ~0u };

/* Stores through a generic pointer may go anywhere, others to the memory that their address space names. */
static unsigned space_bit(LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space <= TSR__LOCAL_SPACE ? 1u << space : ALL_SPACES;
}

static bool may_call_write(LLVMValueRef call)
{
    LLVMValueRef callee = tsr__callee(call);
    if (callee && tsr__math_op(callee))
        return false;
    if (callee && LLVMGetIntrinsicID(callee))
        return tsr__starts_with(tsr__name(callee), "llvm.mem");
    LLVMAttributeRef memory =
        callee ? LLVMGetEnumAttributeAtIndex(callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("memory")) : NULL;
    return !memory || LLVMGetEnumAttributeValue(memory) != 0;
}

static unsigned spaces_written(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMStore:
        return LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic ? space_bit(LLVMGetOperand(inst, 1)) : ALL_SPACES;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return ALL_SPACES;
    case LLVMCall:
        return may_call_write(inst) ? ALL_SPACES : 0;
    default:
        return 0;
    }
}

static unsigned spaces_written_in(const struct tsr__cfg *cfg, const struct tsr__loop *loop)
{
    unsigned spaces = 0;
    for (int i = loop->begin; i < loop->end; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg->blocks[i].ref); inst; inst = LLVMGetNextInstruction(inst))
            spaces |= spaces_written(inst);
    return spaces;
}

/* The one block before the loop that leads nowhere else, or TSR__NONE. */
static int preheader_of(const struct tsr__cfg *cfg, const struct tsr__loop *loop)
{
    const struct tsr__block *header = &cfg->blocks[loop->header];
    int found = TSR__NONE;
    for (int i = 0; i < header->pred_count; i++) {
        if (header->pred[i] >= loop->header)
            continue;
        if (found != TSR__NONE)
            return TSR__NONE;
        found = header->pred[i];
    }
    return found != TSR__NONE && cfg->blocks[found].succ_count == 1 ? found : TSR__NONE;
}

bool tsr__pass_hoist_loads(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    int loops = tsr__cfg_make(&cfg, k->item, &arena) ? cfg.loop_count : 0;
    for (int i = loops - 1; i >= 0; i--) { /* inner loops first */
        const struct tsr__loop *loop = &cfg.loops[i];
        int before = preheader_of(&cfg, loop);
        unsigned written = before == TSR__NONE ? ALL_SPACES : spaces_written_in(&cfg, loop);
        if (written == ALL_SPACES)
            continue;
        LLVMPositionBuilderBefore(b, cfg.blocks[before].terminator);
        struct loop_of where = {&cfg, i};
        /* Every round makes the loads of the header, the first one, too. */
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg.blocks[loop->header].ref), next; inst; inst = next) {
            next = LLVMGetNextInstruction(inst);
            bool plain = LLVMGetInstructionOpcode(inst) == LLVMLoad && !LLVMGetVolatile(inst) &&
                         LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
            enum { DEPTH = 4 };
            if (plain && !(space_bit(LLVMGetOperand(inst, 0)) & written) && can_hoist(&where, LLVMGetOperand(inst, 0), DEPTH))
                hoist(&where, b, inst);
        }
    }
    LLVMDisposeBuilder(b);
    tsr_arena_free(&arena);
    return true;
}
