/* SPDX-License-Identifier: Apache-2.0
 * Numbers that alternate from round to round of a loop.
 *
 * An expression is computed twice, with the values that phis and counters of the loop have in even and in odd rounds. A phi alternates if
 * its next value, computed from its first one, leads back to the first one. Of a counter only some lower bits are known: those below the
 * bit that twice its step changes. */
#include "lanes/analysis/alternation.h"

#include "lanes/ir/match.h"

enum {
    DEPTH = 16,     /* instructions from a number to phis and constants */
    MAX_STEPS = 256 /* that are looked at: an expression may use its parts again and again */
};

struct search {
    const struct tsr__cfg *cfg;
    int loop;
    bool of_next, of_this; /* what has been found is of the round that would have followed, or of the last one */
    LLVMValueRef phi;      /* is taken to have this value in all rounds, to find its next one; or NULL */
    uint64_t assumed;
    unsigned *steps;
};

/* A value in even and in odd rounds, the bits above its width zero. */
struct pair {
    uint64_t in[2];
};

static bool find_pair(struct search *s, LLVMValueRef v, int depth, struct pair *p);

static unsigned width_of(LLVMValueRef v)
{
    const LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64 ? LLVMGetIntTypeWidth(type) : 0;
}

static uint64_t low_bits(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static int64_t with_sign(uint64_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* The first and the next value of a phi at the head of a loop with one latch. False: it is none, or of another loop than others. */
static bool is_of_loop(struct search *s, LLVMValueRef phi, LLVMValueRef *first, LLVMValueRef *next)
{
    const int block = tsr__cfg_number(s->cfg, LLVMGetInstructionParent(phi));
    const int loop = block == TSR__NONE ? TSR__NONE : s->cfg->blocks[block].loop;
    if (loop == TSR__NONE || s->cfg->loops[loop].header != block || s->cfg->loops[loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2 ||
        (s->loop != TSR__NONE && s->loop != loop))
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == s->cfg->blocks[s->cfg->loops[loop].latch].ref;
    *first = LLVMGetIncomingValue(phi, !back);
    *next = LLVMGetIncomingValue(phi, back);
    s->loop = loop;
    s->of_this = true;
    return true;
}

/* The value of the phi behind one in which it is `value`. */
static bool next_value(struct search *s, LLVMValueRef phi, LLVMValueRef next, uint64_t value, int depth, uint64_t *found)
{
    struct search assuming = {.cfg = s->cfg, .loop = s->loop, .phi = phi, .assumed = value, .steps = s->steps};
    struct pair p;
    const bool known = !s->phi && find_pair(&assuming, next, depth, &p) && p.in[0] == p.in[1];
    *found = known ? p.in[0] : 0;
    return known;
}

/* A phi behind a loop that is left at its latch: what the next round would have begun with, or round 0 where the loop is passed by. */
static bool pair_behind(struct search *s, LLVMValueRef phi, int depth, struct pair *p)
{
    struct search latch = {.cfg = s->cfg, .loop = TSR__NONE, .steps = s->steps};
    struct pair begin;
    const int block = tsr__cfg_number(s->cfg, LLVMGetInstructionParent(phi));
    if (s->phi || block == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const int from = tsr__cfg_number(s->cfg, LLVMGetIncomingBlock(phi, i));
        LLVMValueRef first = LLVMGetIncomingValue(phi, 1 - i);
        if (from == TSR__NONE || s->cfg->blocks[from].loop == TSR__NONE || !find_pair(&latch, LLVMGetIncomingValue(phi, i), depth, p) ||
            latch.loop == TSR__NONE || latch.of_next || from != s->cfg->loops[latch.loop].latch ||
            tsr__in_loop(s->cfg, block, latch.loop) || (s->loop != TSR__NONE && s->loop != latch.loop) || !LLVMIsAConstantInt(first) ||
            !find_pair(s, first, depth, &begin))
            continue;
        *p = (struct pair){{p->in[1], p->in[0]}};
        s->loop = latch.loop;
        s->of_next = true;
        return begin.in[0] == p->in[0];
    }
    return false;
}

static bool pair_of_phi(struct search *s, LLVMValueRef phi, int depth, struct pair *p)
{
    LLVMValueRef first, next, first_of_other, next_of_other;
    struct pair begin;
    if (phi == s->phi) {
        *p = (struct pair){{s->assumed, s->assumed}};
        return true;
    }
    if (LLVMCountIncoming(phi) == 1)
        return find_pair(s, LLVMGetIncomingValue(phi, 0), depth, p);
    if (pair_behind(s, phi, depth, p))
        return true;
    if (!is_of_loop(s, phi, &first, &next) || !LLVMIsAConstantInt(first) || !find_pair(s, first, depth, &begin))
        return false;
    p->in[0] = begin.in[0];
    if (LLVMIsAPHINode(next) && next != phi && LLVMGetInstructionParent(next) == LLVMGetInstructionParent(phi)) { /* two are exchanged */
        if (!is_of_loop(s, next, &first_of_other, &next_of_other) || next_of_other != phi || !LLVMIsAConstantInt(first_of_other) ||
            !find_pair(s, first_of_other, depth, &begin))
            return false;
        p->in[1] = begin.in[0];
        return true;
    }
    uint64_t again;
    return next_value(s, phi, next, p->in[0], depth, &p->in[1]) && next_value(s, phi, next, p->in[1], depth, &again) && again == p->in[0];
}

/* (v & mask), where v is a counter and a constant, as far as twice the counter's step leaves these bits alone. */
static bool bits_of_counter(struct search *s, LLVMValueRef v, uint64_t mask, struct pair *p)
{
    int64_t begin, step, constant;
    uint64_t added = 0;
    LLVMValueRef first, next;
    for (;;) {
        if ((LLVMIsATruncInst(v) || LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)) && width_of(LLVMGetOperand(v, 0)) &&
            !(mask & ~low_bits(width_of(LLVMGetOperand(v, 0)))))
            v = LLVMGetOperand(v, 0);
        else if (tsr__is_sum(v) && tsr__constant_int(LLVMGetOperand(v, 1), &constant)) {
            added += (uint64_t)constant;
            v = LLVMGetOperand(v, 0);
        } else
            break;
    }
    if (!mask || !LLVMIsAPHINode(v) || !is_of_loop(s, v, &first, &next) || !tsr__is_sum(next) || LLVMGetOperand(next, 0) != v ||
        !tsr__constant_int(first, &begin) || !tsr__constant_int(LLVMGetOperand(next, 1), &step))
        return false;
    uint64_t below = mask; /* all bits up to the highest of the mask */
    for (unsigned shift = 1; shift < 64; shift *= 2)
        below |= below >> shift;
    p->in[0] = ((uint64_t)begin + added) & mask;
    p->in[1] = ((uint64_t)begin + added + (uint64_t)step) & mask;
    return !((2 * (uint64_t)step) & below);
}

/* Bits of a counter, shifted or not. */
static bool pair_of_bits(struct search *s, LLVMValueRef v, struct pair *p)
{
    int64_t mask = (int64_t)low_bits(width_of(v)), by = 0;
    const bool masks = LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAnd && tsr__constant_int(LLVMGetOperand(v, 1), &mask);
    if (!masks && !LLVMIsATruncInst(v))
        return false;
    LLVMValueRef from = LLVMGetOperand(v, 0);
    const uint64_t bits = (uint64_t)mask & low_bits(width_of(v));
    const LLVMOpcode op = LLVMIsABinaryOperator(from) ? LLVMGetInstructionOpcode(from) : LLVMCall;
    if ((op != LLVMLShr && op != LLVMAShr && op != LLVMShl) || !tsr__constant_int(LLVMGetOperand(from, 1), &by) || by < 0 ||
        by >= (int64_t)width_of(from))
        return bits_of_counter(s, from, bits, p);
    const bool left = op == LLVMShl;
    const uint64_t before = left ? bits >> by : (bits << by) & low_bits(width_of(from));
    if ((left ? before << by : before >> by) != bits || !bits_of_counter(s, LLVMGetOperand(from, 0), before, p))
        return false;
    for (int i = 0; i < 2; i++)
        p->in[i] = left ? p->in[i] << by : p->in[i] >> by;
    return true;
}

/* False: the operation is not known. */
static bool compute(LLVMOpcode op, unsigned width, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (op) {
    case LLVMAdd:
        *result = a + b;
        break;
    case LLVMSub:
        *result = a - b;
        break;
    case LLVMMul:
        *result = a * b;
        break;
    case LLVMAnd:
        *result = a & b;
        break;
    case LLVMOr:
        *result = a | b;
        break;
    case LLVMXor:
        *result = a ^ b;
        break;
    case LLVMShl:
        *result = b < width ? a << b : 0;
        return b < width;
    case LLVMLShr:
        *result = b < width ? a >> b : 0;
        return b < width;
    case LLVMURem:
        *result = b ? a % b : 0;
        return b;
    case LLVMSRem: /* of numbers without a sign */
        *result = b ? a % b : 0;
        return b && with_sign(a, width) >= 0 && with_sign(b, width) > 0;
    default:
        return false;
    }
    return true;
}

static bool pair_of_operation(struct search *s, LLVMValueRef v, int depth, struct pair *p)
{
    struct pair x[3];
    const int count = LLVMGetNumOperands(v);
    const unsigned width = width_of(v);
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAICmpInst(v) && !LLVMIsASelectInst(v))
        return false;
    for (int i = 0; i < count; i++)
        if (!width_of(LLVMGetOperand(v, (unsigned)i)) || !find_pair(s, LLVMGetOperand(v, (unsigned)i), depth - 1, &x[i]))
            return false;
    for (int i = 0; i < 2; i++) {
        if (LLVMIsASelectInst(v))
            p->in[i] = x[0].in[i] ? x[1].in[i] : x[2].in[i];
        else if (LLVMIsASExtInst(v))
            p->in[i] = (uint64_t)with_sign(x[0].in[i], width_of(LLVMGetOperand(v, 0)));
        else if (LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
            p->in[i] = x[0].in[i];
        else if (LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntEQ)
            p->in[i] = x[0].in[i] == x[1].in[i];
        else if (LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntNE)
            p->in[i] = x[0].in[i] != x[1].in[i];
        else if (!LLVMIsABinaryOperator(v) || !compute(LLVMGetInstructionOpcode(v), width, x[0].in[i], x[1].in[i], &p->in[i]))
            return false;
        p->in[i] &= low_bits(width);
    }
    return true;
}

static bool find_pair(struct search *s, LLVMValueRef v, int depth, struct pair *p)
{
    int64_t constant;
    if (!depth || !width_of(v) || ++*s->steps > MAX_STEPS)
        return false;
    if (tsr__constant_int(v, &constant)) {
        p->in[0] = p->in[1] = (uint64_t)constant & low_bits(width_of(v));
        return true;
    }
    if (LLVMIsAPHINode(v))
        return pair_of_phi(s, v, depth - 1, p);
    return LLVMIsAInstruction(v) && !LLVMIsACallInst(v) && (pair_of_bits(s, v, p) || pair_of_operation(s, v, depth, p));
}

bool tsr__find_alternation(const struct tsr__cfg *cfg, LLVMValueRef v, struct tsr__alternation *a)
{
    unsigned steps = 0;
    struct search s = {.cfg = cfg, .loop = TSR__NONE, .steps = &steps};
    struct pair p;
    *a = (struct tsr__alternation){.loop = TSR__NONE};
    if (!find_pair(&s, v, DEPTH, &p) || (s.of_next && s.of_this))
        return false;
    a->of_next = s.of_next;
    for (int i = 0; i < 2; i++)
        a->values[i] = with_sign(p.in[i], width_of(v));
    if (a->values[0] != a->values[1])
        a->loop = s.loop;
    return true;
}
