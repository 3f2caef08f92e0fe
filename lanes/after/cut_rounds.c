/* SPDX-License-Identifier: Apache-2.0
 * Rounds of packets between barriers that end behind the last packet with something to do.
 *
 * In a tree of sums fewer and fewer packets add, and behind the last barrier often one work-item stores. Each packet compares its local id
 * to find that out. A comparison of an id with a number that is the same for all packets has the same result for all ids above the number:
 * if a packet with such an id has nothing to do, nor have those behind it. The first of these still runs, so that what is known behind the
 * loop is as before. In a work-group of several rows local ids begin anew, so it must be a comparison of the linear id, or be made in a
 * work-group of one row. */
#include "lanes/after/unswitch_rounds.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/cfg.h"
#include "lanes/ir/match.h"

enum { MOST_TESTS = 4, ID_BITS = TSR_WORK_GROUP_BOUND - 1 };

struct rounds {
    struct tsr__compilation *l;
    struct tsr__cfg cfg;
    int loop, latch;
    LLVMValueRef more;            /* the latch's comparison: packets that have begun, how many there are */
    LLVMValueRef packet;          /* phi: number of the packet */
    LLVMValueRef id, size, width; /* phi: local id in x of its first lane, or NULL; the size in x; lanes */
    struct {
        LLVMValueRef number; /* with which an id is compared */
        unsigned shift;      /* by which it becomes the number of a packet */
        bool in_row;         /* the id is the local id in x */
    } tests[MOST_TESTS];
    unsigned test_count;
    bool *idle; /* per block: a packet with nothing to do comes there */
};

/* ---- the loop ---- */

static bool is_add_of(LLVMValueRef v, LLVMValueRef phi)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetOperand(v, 0) == phi &&
           LLVMIsAConstantInt(LLVMGetOperand(v, 1));
}

/* select(id + width >= size, 0, id + width) */
static bool is_next_id(struct rounds *r, LLVMValueRef v, LLVMValueRef phi)
{
    if (!LLVMIsASelectInst(v) || !LLVMIsAICmpInst(LLVMGetOperand(v, 0)))
        return false;
    LLVMValueRef wraps = LLVMGetOperand(v, 0), next = LLVMGetOperand(wraps, 0);
    bool above = LLVMGetICmpPredicate(wraps) == LLVMIntUGE, below = LLVMGetICmpPredicate(wraps) == LLVMIntULT;
    if (!is_add_of(next, phi) || (!above && !below) || LLVMGetOperand(v, above ? 2 : 1) != next ||
        !tsr__is_constant(LLVMGetOperand(v, above ? 1 : 2), 0) || tsr__is_in_loop(&r->cfg, LLVMGetOperand(wraps, 1), r->loop))
        return false;
    r->size = LLVMGetOperand(wraps, 1);
    r->width = LLVMGetOperand(next, 1);
    return true;
}

/* Reads the counters of the loop around the latch. */
static bool read_loop(struct rounds *r)
{
    const struct tsr__block *latch = &r->cfg.blocks[r->latch];
    r->loop = latch->loop;
    r->more = LLVMGetCondition(latch->terminator);
    if (r->loop == TSR__NONE || r->cfg.loops[r->loop].latch == TSR__NONE || !LLVMIsAICmpInst(r->more) ||
        LLVMGetICmpPredicate(r->more) != LLVMIntULT || tsr__is_in_loop(&r->cfg, LLVMGetOperand(r->more, 1), r->loop))
        return false;
    LLVMBasicBlockRef from = r->cfg.blocks[r->cfg.loops[r->loop].latch].ref;
    LLVMValueRef phi = LLVMGetFirstInstruction(r->cfg.blocks[r->cfg.loops[r->loop].header].ref);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef next = tsr__incoming_from(phi, from);
        if (next == LLVMGetOperand(r->more, 0) && is_add_of(next, phi))
            r->packet = phi;
        else if (next && is_next_id(r, next, phi))
            r->id = phi;
    }
    return r->packet != NULL;
}

/* ---- packets with nothing to do ---- */

/* The counter of which an id is made, and how far it was shifted. */
static LLVMValueRef counter_of(LLVMValueRef v, unsigned *shift)
{
    int64_t by;
    for (*shift = 0; LLVMIsAInstruction(v);) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
        if (opcode == LLVMShl && tsr__constant_int(LLVMGetOperand(v, 1), &by) && by < 16)
            *shift += (unsigned)by;
        else if (opcode == LLVMAnd && tsr__constant_int(LLVMGetOperand(v, 1), &by) && (by & ID_BITS) == ID_BITS)
            by = 0; /* the bits that an id has */
        else if ((opcode != LLVMTrunc && opcode != LLVMZExt) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ||
                 LLVMGetIntTypeWidth(LLVMTypeOf(v)) < 32)
            return v;
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

/* The way that the branch takes for all ids above a number, or -1: it is no such comparison. Notes it. */
static int way_above(struct rounds *r, LLVMValueRef condition)
{
    unsigned shift;
    if (!LLVMIsAICmpInst(condition) || r->test_count == MOST_TESTS)
        return -1;
    LLVMIntPredicate how = LLVMGetICmpPredicate(condition);
    LLVMValueRef id = LLVMGetOperand(condition, 0), number = LLVMGetOperand(condition, 1);
    bool swapped = tsr__is_in_loop(&r->cfg, number, r->loop);
    if (swapped) {
        id = number;
        number = LLVMGetOperand(condition, 0);
    }
    LLVMValueRef counter = counter_of(id, &shift);
    bool in_row = r->id && counter == r->id && !shift;
    if (tsr__is_in_loop(&r->cfg, number, r->loop) || (!in_row && counter != r->packet))
        return -1;
    bool above = how == LLVMIntUGT || how == LLVMIntUGE || how == LLVMIntSGT || how == LLVMIntSGE;
    r->tests[r->test_count].number = number;
    r->tests[r->test_count].shift = in_row ? (unsigned)__builtin_ctzll(LLVMConstIntGetZExtValue(r->width)) : shift;
    r->tests[r->test_count++].in_row = in_row;
    bool holds = how == LLVMIntNE || (how != LLVMIntEQ && above != swapped);
    return holds ? 0 : 1;
}

/* Follows a packet with ids above all numbers from the block to the end of its round. All such packets must go the same way. */
static bool does_nothing(struct rounds *r, int block)
{
    const struct tsr__block *b = &r->cfg.blocks[block];
    if (!tsr__in_loop(&r->cfg, block, r->loop))
        return false;
    if (r->idle[block])
        return true;
    r->idle[block] = true;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b->ref); i != b->terminator; i = LLVMGetNextInstruction(i))
        if (tsr__has_effect(i))
            return false;
    if (block == r->latch)
        return true;
    if (b->succ_count == 2 && LLVMIsABranchInst(b->terminator)) {
        LLVMValueRef condition = LLVMGetCondition(b->terminator);
        int way = way_above(r, condition);
        if (way >= 0)
            return does_nothing(r, b->succ[way]);
        if (tsr__is_in_loop(&r->cfg, condition, r->loop))
            return false;
    } else if (b->succ_count != 1) {
        return false;
    }
    for (int k = 0; k < b->succ_count; k++)
        if (!does_nothing(r, b->succ[k]))
            return false;
    return true;
}

/* Whether code behind the loop knows nothing that depends on which packet was the last, if that had nothing to do. */
static bool leaves_same(struct rounds *r)
{
    const struct tsr__loop *loop = &r->cfg.loops[r->loop];
    for (int k = loop->begin; k < loop->end; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(r->cfg.blocks[k].ref); i; i = LLVMGetNextInstruction(i)) {
            bool outside = false, same = LLVMIsAPHINode(i) && r->idle[k];
            for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
                outside = outside || !tsr__is_in_loop(&r->cfg, LLVMGetUser(use), r->loop);
            for (unsigned n = 0; outside && same && n < LLVMCountIncoming(i); n++)
                same = !r->idle[tsr__cfg_number(&r->cfg, LLVMGetIncomingBlock(i, n))] ||
                       !tsr__is_in_loop(&r->cfg, LLVMGetIncomingValue(i, n), r->loop);
            if (outside && !same)
                return false;
        }
    return true;
}

/* ---- the end ---- */

static LLVMValueRef select_larger(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, x, y, ""), x, y, "");
}

/* Packets up to the first one above all numbers; not in a work-group of several rows if a number is compared with a local id in x. */
static void end_sooner(struct rounds *r)
{
    LLVMValueRef t = r->cfg.blocks[r->latch].terminator, packets = LLVMGetOperand(r->more, 1), last = NULL;
    LLVMBuilderRef b = tsr__builder_before(r->l, t);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->l->context);
    bool in_row = false;
    for (unsigned i = 0; i < r->test_count; i++) {
        LLVMValueRef number = LLVMBuildIntCast2(b, r->tests[i].number, i64, false, "");
        LLVMValueRef at = LLVMBuildLShr(b, number, tsr__i64(r->l, r->tests[i].shift), "");
        last = last ? select_larger(b, last, at) : at;
        in_row = in_row || r->tests[i].in_row;
    }
    LLVMValueRef begun = LLVMGetOperand(r->more, 0), busy = LLVMBuildICmp(b, LLVMIntULE, r->packet, last, "");
    if (in_row) {
        LLVMValueRef before = LLVMBuildMul(b, LLVMBuildSub(b, packets, tsr__i64(r->l, 1), ""), r->width, "");
        LLVMValueRef rows = LLVMBuildICmp(b, LLVMIntUGE, before, r->size, "several_rows");
        busy = LLVMBuildOr(b, busy, rows, "");
    }
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, begun, packets, "");
    LLVMSetCondition(t, LLVMBuildAnd(b, more, busy, ""));
    LLVMDisposeBuilder(b);
}

bool tsr__pass_cut_rounds(struct tsr__compilation *l, LLVMValueRef function)
{
    struct tsr__cfg cfg = {0};
    bool changed = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        if (!tsr__ends_in_rounds(l, bb))
            continue;
        if (!cfg.blocks && !tsr__cfg_make(&cfg, function, &l->scratch))
            return true;
        struct rounds r = {.l = l, .cfg = cfg, .latch = tsr__cfg_number(&cfg, bb)};
        r.idle = tsr_arena_alloc(&l->scratch, (size_t)cfg.block_count * sizeof *r.idle);
        if (!read_loop(&r) || !does_nothing(&r, cfg.loops[r.loop].header) || !r.test_count || !leaves_same(&r))
            continue;
        end_sooner(&r);
        changed = true;
    }
    return !changed || tsr__run_llvm_on(l, function, "loop-simplify,lcssa,loop-mssa(licm),simplifycfg");
}
