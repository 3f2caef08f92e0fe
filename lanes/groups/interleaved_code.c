/* SPDX-License-Identifier: Apache-2.0
 * Several work-items in one: makes the code. Values that another block needs go through stack slots, which mem2reg takes away. */
#include "lanes/groups/interleaved_code.h"
#include "lanes/ir/match.h"

/* The stack slots of one value, by work-item: of the value itself, and of what comes to it if it is a phi. */
struct slots {
    LLVMValueRef own[TSR_MOST_INTERLEAVED], in[TSR_MOST_INTERLEAVED];
};

struct code {
    struct tsr__interleaving *i;
    struct tsr__map slots;                      /* instruction of the work-item → struct slots */
    struct tsr__map here[TSR_MOST_INTERLEAVED]; /* by work-item: instruction → its value in the block that is being made */
    LLVMBasicBlockRef *together, *apart;        /* by block: its code for all work-items, and for the one that goes on alone */
    int meet;                                   /* the block where that one meets the others again, or TSR__NONE */
    LLVMBasicBlockRef next;                     /* where it goes from there */
};

static LLVMBasicBlockRef new_block(struct code *c, const char *name)
{
    return LLVMAppendBasicBlockInContext(c->i->l->context, c->i->plan->cfg.function, name);
}

/* ---- values ---- */

static bool is_used_elsewhere(LLVMValueRef inst)
{
    LLVMBasicBlockRef at = LLVMGetInstructionParent(inst);
    for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) != at)
            return true;
        for (unsigned k = 0; LLVMIsAPHINode(user) && k < LLVMCountIncoming(user); k++)
            if (LLVMGetIncomingValue(user, k) == inst && LLVMGetIncomingBlock(user, k) != at)
                return true;
    }
    return false;
}

static LLVMValueRef new_array(struct code *c, LLVMValueRef array)
{
    LLVMValueRef copy = LLVMInstructionClone(array);
    LLVMInsertIntoBuilder(c->i->allocas, copy);
    return copy;
}

static void make_slots(struct code *c, LLVMValueRef inst)
{
    bool phi = LLVMIsAPHINode(inst), array = LLVMIsAAllocaInst(inst), elsewhere = !array && is_used_elsewhere(inst);
    if (!phi && !array && !elsewhere)
        return;
    struct slots *slots = tsr_arena_alloc(&c->i->l->scratch, sizeof *slots);
    *slots = (struct slots){0};
    for (unsigned k = 0; k < c->i->plan->count; k++) {
        if (array)
            slots->own[k] = new_array(c, inst);
        if (elsewhere)
            slots->own[k] = LLVMBuildAlloca(c->i->allocas, LLVMTypeOf(inst), "");
        if (phi)
            slots->in[k] = LLVMBuildAlloca(c->i->allocas, LLVMTypeOf(inst), "");
    }
    tsr__map_set(&c->slots, inst, (uintptr_t)slots);
}

static struct slots *slots_of(struct code *c, LLVMValueRef inst)
{
    return (struct slots *)tsr__map_get(&c->slots, inst);
}

/* A value of work-item `k`. */
static LLVMValueRef value_of(struct code *c, unsigned k, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return v;
    LLVMValueRef here = (LLVMValueRef)tsr__map_get(&c->here[k], v);
    if (!here) {
        here = slots_of(c, v)->own[k];
        if (!LLVMIsAAllocaInst(v))
            here = LLVMBuildLoad2(c->i->b, LLVMTypeOf(v), here, "");
        tsr__map_set(&c->here[k], v, (uintptr_t)here);
    }
    return here;
}

static void set_value(struct code *c, unsigned k, LLVMValueRef inst, LLVMValueRef value)
{
    struct slots *slots = slots_of(c, inst);
    tsr__map_set(&c->here[k], inst, (uintptr_t)value);
    if (slots && slots->own[k])
        LLVMBuildStore(c->i->b, value, slots->own[k]);
}

/* The instruction for one work-item; NULL: it is nothing. */
static LLVMValueRef copy_for(struct code *c, unsigned k, LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    if (tsr__call_of(inst) == TSR__CALL_SITE || (callee && tsr__starts_with(tsr__name(callee), "llvm.experimental.noalias.scope")))
        return NULL;
    LLVMValueRef copy = LLVMInstructionClone(inst);
    int count = LLVMGetNumOperands(inst);
    for (int o = 0; o < count; o++) /* loads from slots come before the copy */
        LLVMSetOperand(copy, (unsigned)o, value_of(c, k, LLVMGetOperand(inst, (unsigned)o)));
    LLVMInsertIntoBuilder(c->i->b, copy);
    if (tsr__call_of(copy) == TSR__CALL_NONE)
        return copy;
    struct tsr__packet_loop ids = c->i->of[k];
    ids.b = c->i->b;
    LLVMPositionBuilderBefore(ids.b, copy);
    LLVMValueRef known = tsr__packet_loop_known(&ids, copy);
    LLVMPositionBuilderAtEnd(c->i->b, LLVMGetInstructionParent(copy));
    if (!known)
        return copy;
    LLVMInstructionEraseFromParent(copy);
    return known;
}

/* The block's instructions, for `count` work-items from the first on. */
static void make_instructions(struct code *c, int block, unsigned first, unsigned count)
{
    for (unsigned k = first; k < first + count; k++)
        c->here[k] = (struct tsr__map){.arena = &c->i->l->scratch};
    for (LLVMValueRef inst = LLVMGetFirstInstruction(c->i->plan->cfg.blocks[block].ref); !LLVMIsATerminatorInst(inst);
         inst = LLVMGetNextInstruction(inst)) {
        bool shared = count > 1 && tsr__map_get(&c->i->plan->shared, inst), phi = LLVMIsAPHINode(inst);
        for (unsigned k = first; k < first + count; k++) {
            LLVMValueRef value = shared && k > first ? (LLVMValueRef)tsr__map_get(&c->here[first], inst)
                                 : phi               ? LLVMBuildLoad2(c->i->b, LLVMTypeOf(inst), slots_of(c, inst)->in[k], "")
                                                     : copy_for(c, k, inst);
            if (value)
                set_value(c, k, inst, value);
        }
    }
}

/* What the phis of a block get from another one. */
static void leave(struct code *c, int from, int to, unsigned first, unsigned count)
{
    const struct tsr__block *blocks = c->i->plan->cfg.blocks;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(blocks[to].ref); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        for (unsigned k = first; k < first + count; k++)
            LLVMBuildStore(c->i->b, value_of(c, k, tsr__incoming_from(phi, blocks[from].ref)), slots_of(c, phi)->in[k]);
}

/* ---- work-items that go on alone ---- */

static LLVMBasicBlockRef way_apart(struct code *c, int to)
{
    if (to == c->meet)
        return c->next;
    if (!c->apart[to])
        c->apart[to] = new_block(c, "apart");
    return c->apart[to];
}

static int number_of(const struct code *c, LLVMValueRef terminator, unsigned way)
{
    return tsr__cfg_number(&c->i->plan->cfg, LLVMGetSuccessor(terminator, way));
}

static void make_block_apart(struct code *c, int block, unsigned k)
{
    LLVMValueRef t = c->i->plan->cfg.blocks[block].terminator;
    LLVMPositionBuilderAtEnd(c->i->b, c->apart[block]);
    make_instructions(c, block, k, 1);
    unsigned ways = LLVMGetNumSuccessors(t);
    for (unsigned way = 0; way < ways; way++)
        leave(c, block, number_of(c, t, way), k, 1);
    if (ways == 2)
        LLVMBuildCondBr(c->i->b, value_of(c, k, LLVMGetCondition(t)), way_apart(c, number_of(c, t, 0)), way_apart(c, number_of(c, t, 1)));
    else if (ways == 1)
        LLVMBuildBr(c->i->b, way_apart(c, number_of(c, t, 0)));
    else if (LLVMIsAReturnInst(t))
        LLVMBuildBr(c->i->b, c->next);
    else
        LLVMBuildUnreachable(c->i->b);
}

static LLVMBasicBlockRef way_together(struct code *c, int to)
{
    if (!c->together[to])
        c->together[to] = new_block(c, "together");
    return c->together[to];
}

/* From a branch on, one after the other to where they meet. Returns where that begins. */
static LLVMBasicBlockRef make_apart(struct code *c, int branch, LLVMValueRef const *conditions)
{
    const struct tsr__interleave_plan *plan = c->i->plan;
    LLVMValueRef t = plan->cfg.blocks[branch].terminator;
    LLVMBasicBlockRef begin = new_block(c, "part"), at = begin;
    c->meet = plan->cfg.blocks[branch].ipdom;
    for (unsigned k = 0; k < plan->count; k++) {
        bool last = k + 1 == plan->count;
        c->next = !last ? new_block(c, "part") : c->meet == TSR__NONE ? c->i->end : way_together(c, c->meet);
        for (int b = 0; b < plan->cfg.block_count; b++)
            c->apart[b] = NULL;
        LLVMPositionBuilderAtEnd(c->i->b, at);
        LLVMBuildCondBr(c->i->b, conditions[k], way_apart(c, number_of(c, t, 0)), way_apart(c, number_of(c, t, 1)));
        for (bool more = true; more;) { /* a block is made once another one leads there */
            more = false;
            for (int b = 0; b < plan->cfg.block_count; b++)
                if (c->apart[b] && !LLVMGetFirstInstruction(c->apart[b])) {
                    make_block_apart(c, b, k);
                    more = true;
                }
        }
        at = c->next;
    }
    return begin;
}

/* ---- together ---- */

static LLVMValueRef join(struct code *c, LLVMOpcode how, LLVMValueRef const *conditions)
{
    LLVMValueRef all = conditions[0];
    for (unsigned k = 1; k < c->i->plan->count; k++)
        all = LLVMBuildBinOp(c->i->b, how, all, conditions[k], "");
    return all;
}

/* The branch, where work-items may part. */
static void make_parting(struct code *c, int block)
{
    const struct tsr__interleave_plan *plan = c->i->plan;
    LLVMValueRef t = plan->cfg.blocks[block].terminator, conditions[TSR_MOST_INTERLEAVED];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->i->b);
    bool restart = plan->parting[block] == TSR__PART_RESTART;
    int cold = plan->cold[block];
    for (unsigned k = 0; k < plan->count; k++)
        conditions[k] = value_of(c, k, LLVMGetCondition(t));
    for (int way = 0; way < 2; way++)
        if (way != cold || !restart)
            leave(c, block, number_of(c, t, (unsigned)way), 0, plan->count);
    LLVMValueRef all = cold == 0 ? NULL : join(c, LLVMAnd, conditions), any = cold == 1 ? NULL : join(c, LLVMOr, conditions);
    LLVMBasicBlockRef part = restart ? c->i->alone : make_apart(c, block, conditions);
    LLVMPositionBuilderAtEnd(c->i->b, from);
    if (cold == 0) {
        LLVMBuildCondBr(c->i->b, any, part, way_together(c, number_of(c, t, 1)));
    } else if (cold == 1) {
        LLVMBuildCondBr(c->i->b, all, way_together(c, number_of(c, t, 0)), part);
    } else {
        LLVMBasicBlockRef others = new_block(c, "");
        LLVMBuildCondBr(c->i->b, all, way_together(c, number_of(c, t, 0)), others);
        LLVMPositionBuilderAtEnd(c->i->b, others);
        LLVMBuildCondBr(c->i->b, any, part, way_together(c, number_of(c, t, 1)));
    }
}

static void make_block_together(struct code *c, int block)
{
    const struct tsr__interleave_plan *plan = c->i->plan;
    LLVMValueRef t = plan->cfg.blocks[block].terminator;
    LLVMPositionBuilderAtEnd(c->i->b, way_together(c, block));
    make_instructions(c, block, 0, plan->count);
    if (plan->parting[block] != TSR__PART_NEVER) {
        make_parting(c, block);
        return;
    }
    unsigned ways = LLVMGetNumSuccessors(t);
    for (unsigned way = 0; way < ways; way++)
        leave(c, block, number_of(c, t, way), 0, plan->count);
    if (ways == 2)
        LLVMBuildCondBr(c->i->b, value_of(c, 0, LLVMGetCondition(t)), way_together(c, number_of(c, t, 0)),
                        way_together(c, number_of(c, t, 1)));
    else if (ways == 1)
        LLVMBuildBr(c->i->b, way_together(c, number_of(c, t, 0)));
    else if (LLVMIsAReturnInst(t))
        LLVMBuildBr(c->i->b, c->i->end);
    else
        LLVMBuildUnreachable(c->i->b);
}

LLVMBasicBlockRef tsr__interleaved_code(struct tsr__interleaving *i)
{
    const struct tsr__cfg *cfg = &i->plan->cfg;
    size_t room = (size_t)cfg->block_count * sizeof(LLVMBasicBlockRef);
    struct code c = {.i = i,
                     .slots = {.arena = &i->l->scratch},
                     .together = tsr_arena_alloc(&i->l->scratch, room),
                     .apart = tsr_arena_alloc(&i->l->scratch, room)};
    for (int b = 0; b < cfg->block_count; b++) {
        c.together[b] = NULL;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg->blocks[b].ref); inst; inst = LLVMGetNextInstruction(inst))
            make_slots(&c, inst);
    }
    for (int b = 1; b < cfg->block_count; b++) /* not what stands before the loops */
        if (i->plan->together[b])
            make_block_together(&c, b);
    return c.together[1];
}
