/* SPDX-License-Identifier: Apache-2.0
 * Several work-items in one: how many. Of the code where a work-item spends its time, the longest chain of operations is compared with what
 * the CPU could do meanwhile. More than one side by side take more registers, of which further ones lie in memory. */
#include "lanes/groups/interleave_plan.h"
#include "lanes/analysis/pressure.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/match.h"

/* Quarters of a cycle. */
struct cost {
    uint64_t busy;  /* for which an operation keeps the CPU's units from others */
    uint64_t ready; /* after which its result is there */
};

static bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        return is_float(LLVMGetElementType(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

/* Of a number that an operation broadcasts from memory. */
static bool is_broadcast(LLVMValueRef inst)
{
    return (LLVMIsAInsertElementInst(inst) && LLVMIsALoadInst(LLVMGetOperand(inst, 1))) ||
           (LLVMIsAShuffleVectorInst(inst) && LLVMIsAInsertElementInst(LLVMGetOperand(inst, 0)) && is_broadcast(LLVMGetOperand(inst, 0)));
}

/* Of bits, where another one such is all that uses it: the two are one instruction of three operands. (after/ternary_logic.c) */
static bool is_joined(const struct tsr__compilation *l, LLVMValueRef inst)
{
    LLVMUseRef use = LLVMGetFirstUse(inst);
    return tsr__has(l, TSR_CPU_AVX512F) && tsr__is_vector_type(LLVMTypeOf(inst)) && tsr__is_logic(inst) && use && !LLVMGetNextUse(use) &&
           tsr__is_logic(LLVMGetUser(use)) && LLVMGetInstructionParent(LLVMGetUser(use)) == LLVMGetInstructionParent(inst);
}

static bool is_free(LLVMValueRef inst)
{
    return LLVMIsAPHINode(inst) || LLVMIsABitCastInst(inst) || LLVMIsAFreezeInst(inst) || LLVMIsAGetElementPtrInst(inst) ||
           LLVMIsATerminatorInst(inst) || is_broadcast(inst) || tsr__call_of(inst) != TSR__CALL_NONE;
}

static struct cost cost_of(const struct tsr__compilation *l, LLVMValueRef inst)
{
    bool four_units = tsr__has(l, TSR_CPU_FOUR_VECTOR_UNITS);
    if (is_free(inst) || is_joined(l, inst))
        return (struct cost){0, 0};
    LLVMTypeRef type = LLVMTypeOf(inst);
    bool compares = LLVMIsACmpInst(inst), vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    uint64_t registers = vector ? tsr__vector_registers(l, compares ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : type) : 1;
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (op == LLVMLoad)
        return (struct cost){registers * TSR__INTERLEAVE_BUSY, TSR__INTERLEAVE_LOAD};
    if (op == LLVMFDiv || op == LLVMSDiv || op == LLVMUDiv || op == LLVMSRem || op == LLVMURem)
        return (struct cost){registers * TSR__INTERLEAVE_DIVISION, TSR__INTERLEAVE_DIVISION};
    if (is_float(type))
        return (struct cost){registers * TSR__INTERLEAVE_BUSY, TSR__INTERLEAVE_FLOAT};
    uint64_t ready = four_units && vector ? TSR__INTERLEAVE_LATE : TSR__INTERLEAVE_READY;
    return (struct cost){registers * (four_units || !vector ? TSR__INTERLEAVE_BUSY_LESS : TSR__INTERLEAVE_BUSY), ready};
}

/* Of the blocks of a loop, but not of loops in it; or of what is in no loop. */
struct chain {
    uint64_t busy, length, instructions;
    uint64_t shared; /* what several work-items are busy with once */
};

/* The code is in compact order. A round of few instructions overlaps with the next one but for what that waits for. */
static struct chain find_chain(struct tsr__compilation *l, const struct tsr__interleave_plan *plan, int loop, bool carried)
{
    struct chain chain = {0};
    struct tsr__map ready = {.arena = &l->scratch}; /* instruction → quarters of a cycle + 1 */
    for (int b = 0; b < plan->cfg.block_count; b++) {
        if (!plan->together[b] || plan->cfg.blocks[b].loop != loop)
            continue;
        bool header = loop != TSR__NONE && plan->cfg.loops[loop].header == b;
        for (LLVMValueRef i = LLVMGetFirstInstruction(plan->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i), chain.instructions++) {
            uintptr_t from = !carried || (header && LLVMIsAPHINode(i)); /* 0: no round waits for it */
            struct cost cost = cost_of(l, i);
            for (int o = 0; !(header && LLVMIsAPHINode(i)) && o < LLVMGetNumOperands(i); o++) {
                uintptr_t operand = tsr__map_get(&ready, LLVMGetOperand(i, (unsigned)o));
                from = operand > from ? operand : from;
            }
            *(tsr__map_get(&plan->shared, i) ? &chain.shared : &chain.busy) += cost.busy;
            if (!from)
                continue;
            tsr__map_set(&ready, i, from + cost.ready);
            chain.length = !carried && from + cost.ready > chain.length ? from + cost.ready : chain.length;
        }
    }
    if (!carried || loop == TSR__NONE)
        return chain;
    LLVMBasicBlockRef header = plan->cfg.blocks[plan->cfg.loops[loop].header].ref;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            uintptr_t length = tsr__map_get(&ready, LLVMGetIncomingValue(phi, k));
            chain.length = length > chain.length ? length : chain.length;
        }
    return chain;
}

/* Of where a work-item spends most of its time. */
static struct chain find_hottest(struct tsr__compilation *l, const struct tsr__interleave_plan *plan)
{
    struct chain hottest = {0};
    uint64_t most = 0;
    for (int loop = TSR__NONE; loop < plan->cfg.loop_count; loop++) {
        int depth = loop == TSR__NONE ? 0 : plan->cfg.loops[loop].depth;
        struct chain chain = find_chain(l, plan, loop, false);
        uint64_t busy = chain.busy + chain.shared;
        uint64_t time = (busy > chain.length ? busy : chain.length) << TSR__LOOP_ROUNDS_LOG2 * (unsigned)(depth < 8 ? depth : 8);
        if (time <= most)
            continue;
        most = time;
        hottest = chain.instructions < TSR__CHAIN_CODE ? find_chain(l, plan, loop, true) : chain;
    }
    return hottest;
}

/* What a round takes for each of so many. */
static uint64_t time_of(const struct chain *chain, uint64_t count)
{
    uint64_t busy = chain->shared + count * chain->busy;
    return (chain->length > busy ? chain->length : busy) * TSR_MOST_INTERLEAVED / count;
}

unsigned tsr__interleave_count(struct tsr__compilation *l, const struct tsr__interleave_plan *plan)
{
    struct chain chain = find_hottest(l, plan);
    uint64_t registers = tsr__item_registers_in_use(l, &plan->shapes, &l->scratch),
             room = tsr__cpu_registers(l) * TSR__INTERLEAVE_REGISTERS;
    if (plan->size > TSR__INTERLEAVE_MAX_CODE)
        return 1;
    unsigned count = 1;
    while (count < TSR_MOST_INTERLEAVED &&
           time_of(&chain, count) * TSR__INTERLEAVE_LEAST > time_of(&chain, 2 * count) * (TSR__INTERLEAVE_LEAST + 1) &&
           2 * count * registers <= room)
        count *= 2;
    return count;
}

/* Bytes that each of several work-items reads in rounds of loops, by how often they are taken for running. */
static uint64_t bytes_read(const struct tsr__compilation *l, const struct tsr__interleave_plan *plan)
{
    uint64_t bytes = 0;
    for (int b = 0; b < plan->cfg.block_count; b++) {
        int depth = plan->cfg.blocks[b].loop == TSR__NONE ? 0 : plan->cfg.loops[plan->cfg.blocks[b].loop].depth;
        for (LLVMValueRef i = LLVMGetFirstInstruction(plan->cfg.blocks[b].ref); depth && plan->together[b] && i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) && !tsr__map_get(&plan->shared, i))
                bytes += LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), LLVMTypeOf(i))
                         << TSR__LOOP_ROUNDS_LOG2 * (unsigned)(depth < 8 ? depth : 8);
    }
    return bytes;
}

bool tsr__interleave_reads_less(struct tsr__compilation *l, const struct tsr__interleave_plan *plan,
                                const struct tsr__interleave_plan *other)
{
    return bytes_read(l, plan) * TSR__INTERLEAVE_READS <= bytes_read(l, other) && bytes_read(l, other);
}
