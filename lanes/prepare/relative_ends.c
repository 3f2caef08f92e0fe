/* SPDX-License-Identifier: Apache-2.0
 * Loops that end relative to where they begin, `for (k = i * n; k < (i + 1) * n; k++)` or `for (p = a + i * n, e = p + n; p < e; p++)`.
 *
 * Counter and end differ from lane to lane, so each lane would seem to have an end of its own. Their distance is the same for all lanes. So
 * the test compares it with a counter that begins at nought, and lanes stay together. Mostly, nothing on the way can wrap, and both sides
 * of the test count as signed numbers of 64 bits. Unsigned numbers may: a loop that is entered only below its end, and goes on by ones,
 * meets the end after as many rounds as their difference says, which is right though its parts wrap.
 *
 * Loops that load from where other loads say stay as they are: they mostly are faster lane by lane, which loops that lanes leave together
 * are not (widen/serial_cost.c). */
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/match.h"

enum {
    MOST_TERMS = 4,
    DEPTH = 3,
};

/* A sum: operands of the program that count extended, `times` times: once or minus once, or by that many bytes if they are indices of
 * pointers. */
struct distance {
    struct tsr__compilation *l;
    enum tsr__extension extension;
    bool may_wrap; /* parts of it */
    struct {
        LLVMValueRef v;
        enum tsr__extension extension;
        int64_t times;
    } terms[MOST_TERMS];
    unsigned count;
    int64_t constant;
};

/* A loop of one block that compares its counter with something from before it. */
struct counted {
    LLVMBasicBlockRef block;
    LLVMValueRef phi, start, end;
    bool counts_next; /* it is compared after a step, not before */
    unsigned side;    /* of the comparison, on which the counter is */
    int64_t step;
};

/* ---- the distance ---- */

static bool add_term(struct distance *d, LLVMValueRef v, enum tsr__extension extension, int64_t times)
{
    if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64) {
        d->constant += times * (extension == TSR__EXT_ZERO ? (int64_t)LLVMConstIntGetZExtValue(v) : LLVMConstIntGetSExtValue(v));
        return true;
    }
    if (d->count == MOST_TERMS)
        return false;
    d->terms[d->count].v = v;
    d->terms[d->count].extension = extension;
    d->terms[d->count++].times = times;
    return true;
}

static bool is_sum(const struct distance *d, LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && (d->may_wrap || tsr__is_exact(v, d->extension));
}

/* Adds the indices of a GEP that stays in its object. */
static bool add_indices(struct distance *d, LLVMValueRef gep, int64_t sign)
{
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(LLVMGetModuleDataLayout(d->l->module), gep); tsr__gep_next(&walk, &index);)
        if (index.is_constant)
            d->constant += sign * index.offset;
        else if (!add_term(d, index.value, index.extension, sign * index.bytes))
            return false;
    return true;
}

static bool find_distance(struct distance *d, LLVMValueRef from, LLVMValueRef to, int depth);

/* One side is something else and one more term. */
static bool find_without(struct distance *d, LLVMValueRef sum, LLVMValueRef other, bool is_to, int depth)
{
    int64_t sign = is_to ? 1 : -1;
    struct distance before = *d;
    if (LLVMIsAGetElementPtrInst(sum) && LLVMIsInBounds(sum)) {
        LLVMValueRef base = LLVMGetOperand(sum, 0);
        return find_distance(d, is_to ? other : base, is_to ? base : other, depth) && add_indices(d, sum, sign);
    }
    for (unsigned k = 0; is_sum(d, sum) && k < 2; k++) {
        LLVMValueRef rest = LLVMGetOperand(sum, !k), term = LLVMGetOperand(sum, k);
        *d = before;
        if (find_distance(d, is_to ? other : rest, is_to ? rest : other, depth) && add_term(d, term, d->extension, sign))
            return true;
    }
    return false;
}

/* (i + 1) · n behind i · n. */
static bool find_next_product(struct distance *d, LLVMValueRef from, LLVMValueRef to, int depth)
{
    LLVMValueRef products[2] = {from, to};
    for (unsigned k = 0; k < 2; k++)
        if (!LLVMIsABinaryOperator(products[k]) || LLVMGetInstructionOpcode(products[k]) != LLVMMul ||
            (!d->may_wrap && !tsr__is_exact(products[k], d->extension)))
            return false;
    for (unsigned x = 0; x < 2; x++)
        for (unsigned y = 0; y < 2; y++) {
            struct distance factor = {.l = d->l, .extension = d->extension, .may_wrap = d->may_wrap};
            LLVMValueRef by = LLVMGetOperand(from, x);
            if (by == LLVMGetOperand(to, y) && find_distance(&factor, LLVMGetOperand(from, !x), LLVMGetOperand(to, !y), depth) &&
                !factor.count && factor.constant == 1)
                return add_term(d, by, d->extension, 1);
        }
    return false;
}

static bool find_distance(struct distance *d, LLVMValueRef from, LLVMValueRef to, int depth)
{
    if (from == to)
        return true;
    if (!depth)
        return false;
    struct distance before = *d;
    if (find_without(d, to, from, true, depth - 1))
        return true;
    *d = before;
    if (find_without(d, from, to, false, depth - 1))
        return true;
    *d = before;
    return find_next_product(d, from, to, depth - 1);
}

static LLVMValueRef build_distance(const struct distance *d, LLVMBuilderRef b, LLVMTypeRef type)
{
    LLVMValueRef sum = LLVMConstInt(type, (uint64_t)d->constant, true);
    for (unsigned i = 0; i < d->count; i++) {
        LLVMValueRef v = LLVMBuildIntCast2(b, d->terms[i].v, type, d->terms[i].extension != TSR__EXT_ZERO, "");
        sum = LLVMBuildAdd(b, sum, LLVMBuildMul(b, v, LLVMConstInt(type, (uint64_t)d->terms[i].times, true), ""), "");
    }
    return sum;
}

/* ---- the loops ---- */

static bool find_step(struct tsr__compilation *l, LLVMValueRef next, enum tsr__extension extension, bool may_wrap, int64_t *step)
{
    struct distance d = {.l = l, .extension = extension, .may_wrap = may_wrap};
    bool found = find_without(&d, next, LLVMGetOperand(next, 0), true, 1) && !d.count;
    *step = d.constant;
    return found && d.constant;
}

static bool find_counter(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMValueRef test, const struct distance *d,
                         struct counted *c)
{
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef x = LLVMGetOperand(test, side), end = LLVMGetOperand(test, !side);
        if (!LLVMIsAInstruction(x) || LLVMGetInstructionParent(x) != block || !LLVMIsAInstruction(end) ||
            LLVMGetInstructionParent(end) == block)
            continue;
        LLVMValueRef phi = LLVMIsAPHINode(x) ? x : LLVMGetOperand(x, 0);
        if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != block || LLVMCountIncoming(phi) != 2)
            continue;
        LLVMValueRef next = tsr__incoming_from(phi, block);
        bool own = LLVMIsAInstruction(next) && LLVMGetInstructionParent(next) == block && LLVMGetOperand(next, 0) == phi;
        *c = (struct counted){.block = block, .phi = phi, .end = end, .counts_next = x == next, .side = side};
        c->start = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == block);
        if (own && (x == phi || x == next) && LLVMIsAInstruction(c->start) && find_step(l, next, d->extension, d->may_wrap, &c->step))
            return true;
    }
    return false;
}

/* Is the loop entered only where it begins below its end, and does it go on while the next number is below it? */
static bool runs_up_to_end(const struct counted *c, LLVMValueRef branch)
{
    LLVMBasicBlockRef before = LLVMGetIncomingBlock(c->phi, LLVMGetIncomingBlock(c->phi, 0) == c->block);
    LLVMUseRef edge = LLVMGetFirstUse(LLVMBasicBlockAsValue(before));
    LLVMValueRef guard = edge && !LLVMGetNextUse(edge) ? LLVMGetUser(edge) : NULL;
    if (c->step != 1 || !c->counts_next || tsr__holds_on_way(branch, c->block, c->side) != LLVMIntULT || !guard ||
        !LLVMIsABranchInst(guard) || !LLVMIsConditional(guard) || !LLVMIsAICmpInst(LLVMGetCondition(guard)))
        return false;
    LLVMValueRef entered = LLVMGetCondition(guard);
    unsigned side = LLVMGetOperand(entered, 0) != c->start;
    return LLVMGetOperand(entered, side) == c->start && LLVMGetOperand(entered, !side) == c->end &&
           tsr__holds_on_way(guard, before, side) == LLVMIntULT;
}

static LLVMIntPredicate as_signed(LLVMIntPredicate how)
{
    switch (how) {
    case LLVMIntULT:
        return LLVMIntSLT;
    case LLVMIntULE:
        return LLVMIntSLE;
    case LLVMIntUGT:
        return LLVMIntSGT;
    case LLVMIntUGE:
        return LLVMIntSGE;
    default:
        return how;
    }
}

static void count_from_nought(struct tsr__compilation *l, LLVMValueRef branch, LLVMValueRef test, const struct counted *c,
                              const struct distance *d)
{
    LLVMBasicBlockRef before = LLVMGetIncomingBlock(c->phi, LLVMGetIncomingBlock(c->phi, 0) == c->block);
    LLVMBuilderRef b = tsr__builder_before(l, LLVMGetBasicBlockTerminator(before));
    LLVMTypeRef type = d->may_wrap ? LLVMTypeOf(c->phi) : LLVMInt64TypeInContext(l->context);
    LLVMValueRef distance = build_distance(d, b, type), nought = LLVMConstNull(type);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(c->block));
    LLVMValueRef counter = LLVMBuildPhi(b, LLVMTypeOf(nought), "");
    LLVMPositionBuilderBefore(b, branch);
    LLVMValueRef next = LLVMBuildAdd(b, counter, LLVMConstInt(type, (uint64_t)c->step, true), ""), sides[2];
    LLVMAddIncoming(counter, (LLVMValueRef[]){nought, next}, (LLVMBasicBlockRef[]){before, c->block}, 2);
    sides[c->side] = c->counts_next ? next : counter;
    sides[!c->side] = distance;
    LLVMIntPredicate how = LLVMGetICmpPredicate(test);
    LLVMSetCondition(branch, LLVMBuildICmp(b, d->may_wrap ? how : as_signed(how), sides[0], sides[1], ""));
    LLVMDisposeBuilder(b);
}

static bool depends_on_load(LLVMBasicBlockRef block, LLVMValueRef v, int depth)
{
    if (!depth || !LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != block || LLVMIsAPHINode(v))
        return false;
    if (LLVMIsALoadInst(v))
        return true;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (depends_on_load(block, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return true;
    return false;
}

/* Does the loop load from where other loads say? */
static bool loads_by_list(LLVMBasicBlockRef block)
{
    enum { DEPTH_OF_ADDRESS = 6 };
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsALoadInst(i) && depends_on_load(block, LLVMGetOperand(i, 0), DEPTH_OF_ADDRESS))
            return true;
    return false;
}

static void count_if_relative(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMValueRef branch, LLVMValueRef test)
{
    LLVMIntPredicate how = LLVMGetICmpPredicate(test);
    bool is_unsigned = how >= LLVMIntUGT && how <= LLVMIntULE;
    for (unsigned may_wrap = 0; may_wrap <= is_unsigned; may_wrap++) {
        struct distance d = {.l = l, .extension = is_unsigned ? TSR__EXT_ZERO : TSR__EXT_SIGNED, .may_wrap = may_wrap};
        struct counted c;
        if (!find_counter(l, block, test, &d, &c) || !find_distance(&d, c.start, c.end, DEPTH) ||
            (may_wrap && (LLVMGetTypeKind(LLVMTypeOf(c.phi)) != LLVMIntegerTypeKind || !runs_up_to_end(&c, branch))))
            continue;
        count_from_nought(l, branch, test, &c, &d);
        return;
    }
}

bool tsr__pass_relative_ends(struct tsr__compilation *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
        bool loops = LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
                     (LLVMGetSuccessor(branch, 0) == block || LLVMGetSuccessor(branch, 1) == block);
        LLVMValueRef test = loops ? LLVMGetCondition(branch) : NULL;
        if (!test || !LLVMIsAICmpInst(test) || LLVMGetInstructionParent(test) != block || loads_by_list(block))
            continue;
        count_if_relative(l, block, branch, test);
    }
    return true;
}
