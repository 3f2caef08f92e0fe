/* SPDX-License-Identifier: Apache-2.0
 * Loops that copy to local memory. Those of async_work_group_copy, for one, ask in front of them whether there is a round, and at the end
 * of each whether there is another one. And where a row is shorter than the work-group, only some work-items copy: that is a loop of one
 * round, as LLVM writes it, whose counter begins with the id.
 *
 *     if (id < 32)                          for (j = id; j < 32; j = id + 32)
 *         to[id] = from[id];                    to[j] = from[j];
 *
 * Where each round copies a vector, the counter counts these.
 *
 *     for (i = 8 * id; i < 1024; i += 512)  for (j = id; j < 128; j += 64)
 *         i …                                   8 * j …
 */
#include "lanes/prepare/staged_loops.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

struct copy_loop {
    LLVMBasicBlockRef before, body, behind;
    LLVMValueRef first; /* what `before` compares with the bound */
    int64_t bound;
    LLVMValueRef counter; /* the phi of a loop; NULL: the block runs once */
};

static bool starts_with_phi(LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    return first && LLVMIsAPHINode(first);
}

/* The one block that leads to this one, itself aside; NULL: there are several. */
static LLVMBasicBlockRef only_way_to(LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef from = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef at = LLVMGetInstructionParent(LLVMGetUser(use));
        if (at == block)
            continue;
        if (from && from != at)
            return NULL;
        from = at;
    }
    return from;
}

bool tsr__asks_below(LLVMValueRef branch, LLVMBasicBlockRef to, struct tsr__below *below)
{
    if (!LLVMIsABranchInst(branch) || LLVMGetNumSuccessors(branch) != 2 || !LLVMIsAICmpInst(LLVMGetCondition(branch)))
        return false;
    LLVMValueRef asked = LLVMGetCondition(branch);
    const LLVMIntPredicate how = LLVMGetICmpPredicate(asked);
    const bool is_first = LLVMGetSuccessor(branch, 0) == to;
    *below = (struct tsr__below){.number = LLVMGetOperand(asked, 0),
                                 .otherwise = LLVMGetSuccessor(branch, is_first),
                                 .is_signed = how == LLVMIntSLT || how == LLVMIntSGT};
    if (below->otherwise == to || LLVMGetSuccessor(branch, !is_first) != to || !tsr__constant_int(LLVMGetOperand(asked, 1), &below->bound))
        return false;
    below->bound += !is_first;
    return below->bound > 0 && (is_first ? how == LLVMIntULT || how == LLVMIntSLT : how == LLVMIntUGT || how == LLVMIntSGT);
}

static bool stores_to_local(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i) && tsr__space_of(LLVMGetOperand(i, 1)) == TSR__LOCAL_SPACE)
            return true;
    return false;
}

static bool is_used_elsewhere(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
            if (LLVMGetInstructionParent(LLVMGetUser(use)) != block)
                return true;
    return false;
}

/* The phi of a loop that ends as its next value reaches the bound, and begins with what was compared in front of it. */
static LLVMValueRef counter_of(const struct copy_loop *c, LLVMValueRef next)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->body); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        if (tsr__incoming_from(phi, c->body) == next &&
            tsr__without_extension(tsr__incoming_from(phi, c->before)) == tsr__without_extension(c->first))
            return phi;
    return NULL;
}

/* An id is not negative, so that the header compares it without a sign whatever the branch did; the next values of a counter may be. */
static bool find_copy_loop(const struct tsr__unstage *u, LLVMBasicBlockRef body, struct copy_loop *c)
{
    *c = (struct copy_loop){.before = only_way_to(body), .body = body};
    LLVMValueRef end = LLVMGetBasicBlockTerminator(body);
    struct tsr__below first, next;
    struct tsr__id_base base;
    if (!c->before || !tsr__asks_below(LLVMGetBasicBlockTerminator(c->before), body, &first) || !stores_to_local(body) ||
        starts_with_phi(first.otherwise) || is_used_elsewhere(body) ||
        !tsr__find_id_base(&u->code, tsr__without_extension(first.number), &base) || base.counter)
        return false;
    c->first = first.number;
    c->bound = first.bound;
    c->behind = first.otherwise;
    if (tsr__asks_below(end, body, &next))
        return !next.is_signed && next.bound == c->bound && next.otherwise == c->behind &&
               (c->counter = counter_of(c, next.number)) != NULL;
    return LLVMIsABranchInst(end) && LLVMGetNumSuccessors(end) == 1 && LLVMGetSuccessor(end, 0) == c->behind && !starts_with_phi(body);
}

/* Moves the phis of a loop to its header. */
static void move_phis(const struct copy_loop *c, LLVMBuilderRef header)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->body); LLVMIsAPHINode(phi); phi = LLVMGetFirstInstruction(c->body)) {
        LLVMInstructionRemoveFromParent(phi);
        LLVMInsertIntoBuilder(header, phi);
    }
}

/* Is it the id, or the same query of it? */
static bool is_id(LLVMValueRef v, LLVMValueRef id)
{
    return v == id || (tsr__call_of(id) != TSR__CALL_NONE && tsr__call_of(v) == tsr__call_of(id) &&
                       (LLVMGetNumArgOperands(id) == 0 || LLVMGetOperand(v, 0) == LLVMGetOperand(id, 0)));
}

/* The counter of a loop for a block that has none: in the block it takes the place of the id. */
static LLVMValueRef make_counter(const struct copy_loop *c, LLVMBuilderRef header)
{
    LLVMValueRef id = tsr__without_extension(c->first), first = LLVMGetFirstInstruction(c->body);
    LLVMTypeRef type = LLVMTypeOf(id);
    LLVMValueRef counter = LLVMBuildPhi(header, type, ""), next, incoming[2] = {id};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
    LLVMPositionBuilderBefore(b, first);
    for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
            if (!LLVMIsAInstruction(v) || LLVMIsATerminatorInst(i))
                continue;
            if (is_id(v, id))
                LLVMSetOperand(i, (unsigned)k, counter);
            else if (LLVMGetInstructionParent(v) != c->body && is_id(tsr__without_extension(v), id))
                LLVMSetOperand(i, (unsigned)k, LLVMBuildIntCast2(b, counter, LLVMTypeOf(v), !!LLVMIsASExtInst(v), ""));
        }
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(c->body));
    incoming[1] = next = LLVMBuildNUWAdd(b, id, LLVMConstInt(type, (uint64_t)c->bound, false), "");
    LLVMAddIncoming(counter, incoming, (LLVMBasicBlockRef[]){c->before, c->body}, 2);
    LLVMDisposeBuilder(b);
    return counter;
}

static void branch_to(LLVMBuilderRef b, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(from));
    LLVMPositionBuilderAtEnd(b, from);
    LLVMBuildBr(b, to);
}

static void make_copy_loop(struct tsr__compilation *l, const struct copy_loop *c)
{
    LLVMBasicBlockRef header = LLVMInsertBasicBlockInContext(l->context, c->body, "copies");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, header);
    if (c->counter)
        move_phis(c, b);
    LLVMValueRef counter = c->counter ? c->counter : make_counter(c, b);
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntULT, counter, LLVMConstInt(LLVMTypeOf(counter), (uint64_t)c->bound, false), "");
    LLVMBuildCondBr(b, below, c->body, c->behind);
    branch_to(b, c->before, header);
    branch_to(b, c->body, header);
    LLVMDisposeBuilder(b);
}

static void count_multiples(struct tsr__compilation *l, const struct tsr__multiples *m)
{
    LLVMTypeRef type = LLVMTypeOf(m->phi);
    LLVMBasicBlockRef header = LLVMGetInstructionParent(m->phi);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(header), condition = LLVMGetCondition(end), incoming[2],
                 bits = LLVMConstInt(type, m->bits, false);
    const unsigned back = LLVMGetIncomingBlock(m->phi, 0) == m->before;
    LLVMBasicBlockRef from[2] = {m->before, LLVMGetIncomingBlock(m->phi, back)};
    LLVMValueRef next = LLVMGetIncomingValue(m->phi, back);
    struct tsr__form first;
    tsr__form_divide(&m->begin, INT64_C(1) << m->bits, &first);
    LLVMBuilderRef b = tsr__builder_before(l, LLVMGetBasicBlockTerminator(m->before));
    incoming[0] = tsr__form_build(l, b, &first, type);
    LLVMPositionBuilderBefore(b, m->phi);
    LLVMValueRef count = LLVMBuildPhi(b, type, "");
    LLVMPositionBuilderBefore(b, next);
    incoming[1] = LLVMBuildNSWAdd(b, count, LLVMBuildLShr(b, m->step, bits, ""), "");
    LLVMAddIncoming(count, incoming, from, 2);
    LLVMPositionBuilderBefore(b, tsr__after_phis(LLVMGetFirstInstruction(header)));
    LLVMValueRef multiple = LLVMBuildShl(b, count, bits, "");
    LLVMSetNSW(multiple, true);
    LLVMSetNUW(multiple, true);
    LLVMReplaceAllUsesWith(m->phi, multiple);
    LLVMPositionBuilderBefore(b, end);
    const uint64_t bound = (uint64_t)(m->bound + (INT64_C(1) << m->bits) - 1) >> m->bits;
    LLVMSetCondition(end, LLVMBuildICmp(b, LLVMGetICmpPredicate(condition), count, LLVMConstInt(type, bound, false), ""));
    LLVMInstructionEraseFromParent(m->phi);
    LLVMDisposeBuilder(b);
}

void tsr__count_multiples(const struct tsr__unstage *u)
{
    for (int loop = 0; loop < u->cfg.loop_count; loop++) {
        struct tsr__multiples m;
        if (tsr__find_multiples(&u->code, loop, &m))
            count_multiples(u->code.l, &m);
    }
}

bool tsr__make_copy_loops(const struct tsr__unstage *u, LLVMValueRef kernel)
{
    bool any = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block)) {
        struct copy_loop c;
        if (!find_copy_loop(u, block, &c))
            continue;
        make_copy_loop(u->code.l, &c);
        any = true;
    }
    return any;
}
