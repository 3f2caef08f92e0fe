/* SPDX-License-Identifier: Apache-2.0
 * Numbers that repeat after some rounds of a loop.
 *
 * An expression is computed for each round of a cycle, with the values that phis and counters of the loop have in that round. A phi repeats
 * if its next values, computed one from the other, lead back to the first one. Of a counter only these are known: lower bits, below the bit
 * that a cycle's rounds change, and the rest of a division, if the counter does not wrap. */
#include "lanes/analysis/round_cycle.h"

#include <string.h>

#include "lanes/ir/match.h"

enum {
    ROUNDS = TSR__CYCLE_ROUNDS,
    DEPTH = 16,     /* instructions from a number to phis and constants */
    MAX_STEPS = 512 /* that are looked at: an expression may use its parts again and again */
};

struct search {
    const struct tsr__cfg *cfg;
    int loop;
    bool of_next, of_this; /* what has been found is of the round that would have followed, or of the last one */
    LLVMValueRef phi;      /* is taken to have this value in all rounds, to find its next one; or NULL */
    uint64_t assumed;
    unsigned *steps;
};

/* A value in each round, the bits above its width zero. */
struct cycle {
    uint64_t in[ROUNDS];
};

static bool find_cycle(struct search *s, LLVMValueRef v, int depth, struct cycle *c);

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

static void fill(struct cycle *c, uint64_t value)
{
    for (int i = 0; i < ROUNDS; i++)
        c->in[i] = value;
}

static bool is_constant(const struct cycle *c)
{
    return !memcmp(c->in, c->in + 1, (ROUNDS - 1) * sizeof c->in[0]);
}

/* The value of the phi behind one in which it is `value`. */
static bool next_value(struct search *s, LLVMValueRef next, LLVMValueRef phi, uint64_t value, int depth, uint64_t *found)
{
    struct search assuming = {.cfg = s->cfg, .loop = s->loop, .phi = phi, .assumed = value, .steps = s->steps};
    struct cycle c;
    const bool known = !s->phi && find_cycle(&assuming, next, depth, &c) && is_constant(&c);
    *found = known ? c.in[0] : 0;
    return known;
}

/* A phi behind a loop that is left at its latch: what the next round would have begun with, or round 0 where the loop is passed by. */
static bool cycle_behind(struct search *s, LLVMValueRef phi, int depth, struct cycle *c)
{
    struct search latch = {.cfg = s->cfg, .loop = TSR__NONE, .steps = s->steps};
    struct cycle begin, next;
    const int block = tsr__cfg_number(s->cfg, LLVMGetInstructionParent(phi));
    if (s->phi || block == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const int from = tsr__cfg_number(s->cfg, LLVMGetIncomingBlock(phi, i));
        const int loop = from == TSR__NONE ? TSR__NONE : s->cfg->blocks[from].loop;
        LLVMValueRef first = LLVMGetIncomingValue(phi, 1 - i);
        if (loop == TSR__NONE || from != s->cfg->loops[loop].latch || tsr__in_loop(s->cfg, block, loop) ||
            (s->loop != TSR__NONE && s->loop != loop) || !LLVMIsAConstantInt(first) ||
            !find_cycle(&latch, LLVMGetIncomingValue(phi, i), depth, &next) || latch.loop != loop || latch.of_next ||
            !find_cycle(s, first, depth, &begin))
            continue;
        for (int k = 0; k < ROUNDS; k++)
            c->in[(k + 1) % ROUNDS] = next.in[k];
        s->loop = loop;
        s->of_next = true;
        return begin.in[0] == c->in[0];
    }
    return false;
}

/* Phis that hand their values on to each other, round about. */
static bool cycle_of_rotation(struct search *s, LLVMValueRef phi, int depth, struct cycle *c)
{
    LLVMValueRef at = phi, first, next;
    for (int k = 0; k < ROUNDS; k++, at = next) {
        struct cycle begin;
        if (!LLVMIsAPHINode(at) || LLVMGetInstructionParent(at) != LLVMGetInstructionParent(phi) || !is_of_loop(s, at, &first, &next) ||
            !LLVMIsAConstantInt(first) || !find_cycle(s, first, depth, &begin))
            return false;
        c->in[k] = begin.in[0];
    }
    return at == phi;
}

static bool cycle_of_phi(struct search *s, LLVMValueRef phi, int depth, struct cycle *c)
{
    LLVMValueRef first, next;
    struct cycle begin;
    if (phi == s->phi) {
        fill(c, s->assumed);
        return true;
    }
    if (LLVMCountIncoming(phi) == 1)
        return find_cycle(s, LLVMGetIncomingValue(phi, 0), depth, c);
    if (cycle_behind(s, phi, depth, c))
        return true;
    if (!is_of_loop(s, phi, &first, &next) || !LLVMIsAConstantInt(first) || !find_cycle(s, first, depth, &begin))
        return false;
    if (LLVMIsAPHINode(next) && next != phi && LLVMGetInstructionParent(next) == LLVMGetInstructionParent(phi))
        return cycle_of_rotation(s, phi, depth, c);
    int period = 0;
    uint64_t value = begin.in[0];
    do {
        c->in[period++] = value;
        if (!next_value(s, next, phi, value, depth, &value))
            return false;
    } while (period < ROUNDS && value != begin.in[0]);
    for (int k = period; k < ROUNDS; k++)
        c->in[k] = c->in[k - period];
    return value == begin.in[0] && ROUNDS % period == 0;
}

/* (v & mask), where v is a counter and a constant, as far as the steps of ROUNDS_OF_BITS rounds leave these bits alone. */
static bool bits_of_counter(struct search *s, LLVMValueRef v, uint64_t mask, struct cycle *c)
{
    enum { ROUNDS_OF_BITS = 4 };
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
    for (uint64_t k = 0; k < ROUNDS; k++)
        c->in[k] = ((uint64_t)begin + added + k * (uint64_t)step) & mask;
    return !((ROUNDS_OF_BITS * (uint64_t)step) & below);
}

/* Bits of a counter, shifted or not. */
static bool cycle_of_bits(struct search *s, LLVMValueRef v, struct cycle *c)
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
        return bits_of_counter(s, from, bits, c);
    const bool left = op == LLVMShl;
    const uint64_t before = left ? bits >> by : (bits << by) & low_bits(width_of(from));
    if ((left ? before << by : before >> by) != bits || !bits_of_counter(s, LLVMGetOperand(from, 0), before, c))
        return false;
    for (int i = 0; i < ROUNDS; i++)
        c->in[i] = left ? c->in[i] << by : c->in[i] >> by;
    return true;
}

/* begin + k * step in round k, neither of which is negative; it does not wrap as a number without a sign, nor, if `is_signed`, as one with.
 */
struct counter {
    int64_t begin, step;
    bool is_signed;
};

static bool counter_of_phi(struct search *s, LLVMValueRef phi, struct counter *c)
{
    LLVMValueRef first, next;
    if (!is_of_loop(s, phi, &first, &next) || !LLVMIsABinaryOperator(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
        LLVMGetOperand(next, 0) != phi || !tsr__constant_int(first, &c->begin) || !tsr__constant_int(LLVMGetOperand(next, 1), &c->step))
        return false;
    c->is_signed = LLVMGetNSW(next);
    return (c->is_signed || LLVMGetNUW(next)) && c->begin >= 0 && c->step > 0 && c->begin < INT32_MAX && c->step < INT32_MAX;
}

static bool add_to_counter(LLVMValueRef sum, int64_t constant, struct counter *c)
{
    c->is_signed = c->is_signed && LLVMGetNSW(sum);
    c->begin += constant;
    return (c->is_signed || (LLVMGetNUW(sum) && constant >= 0)) && c->begin >= 0 && constant < INT32_MAX;
}

static bool divide_counter(int64_t by, struct counter *c)
{
    const bool exact = by > 0 && c->step % by == 0;
    c->begin = exact ? c->begin / by : 0;
    c->step = exact ? c->step / by : 0;
    return exact;
}

/* A phi, a sum with a constant, or a quotient by one that divides the step. */
static bool find_counter(struct search *s, LLVMValueRef v, int depth, struct counter *c)
{
    int64_t constant;
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    if (LLVMIsAPHINode(v))
        return counter_of_phi(s, v, c);
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMZExt || op == LLVMSExt)
        return find_counter(s, LLVMGetOperand(v, 0), depth - 1, c) && (op == LLVMZExt || c->is_signed);
    if (!LLVMIsABinaryOperator(v) || !tsr__constant_int(LLVMGetOperand(v, 1), &constant) ||
        !find_counter(s, LLVMGetOperand(v, 0), depth - 1, c))
        return false;
    switch (op) {
    case LLVMAdd:
        return add_to_counter(v, constant, c);
    case LLVMAShr:
    case LLVMLShr:
        return (op == LLVMLShr || c->is_signed) && constant >= 0 && constant < 32 && divide_counter(INT64_C(1) << constant, c);
    case LLVMSDiv:
    case LLVMUDiv:
        return (op == LLVMUDiv || c->is_signed) && divide_counter(constant, c);
    default:
        return false;
    }
}

/* The rest of a counter. */
static bool cycle_of_rest(struct search *s, LLVMValueRef v, int depth, struct cycle *c)
{
    struct counter counter;
    int64_t by;
    const LLVMOpcode op = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    if ((op != LLVMURem && op != LLVMSRem) || !tsr__constant_int(LLVMGetOperand(v, 1), &by) || by <= 0 || by > ROUNDS ||
        !find_counter(s, LLVMGetOperand(v, 0), depth, &counter) || (op == LLVMSRem && !counter.is_signed))
        return false;
    for (int64_t k = 0; k < ROUNDS; k++)
        c->in[k] = (uint64_t)((counter.begin + k * counter.step) % by);
    return ROUNDS * counter.step % by == 0;
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

static bool compare(LLVMIntPredicate how, unsigned width, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (how) {
    case LLVMIntEQ:
        *result = a == b;
        return true;
    case LLVMIntNE:
        *result = a != b;
        return true;
    case LLVMIntULT:
        *result = a < b;
        return true;
    case LLVMIntUGT:
        *result = a > b;
        return true;
    case LLVMIntSLT:
        *result = with_sign(a, width) < with_sign(b, width);
        return true;
    case LLVMIntSGT:
        *result = with_sign(a, width) > with_sign(b, width);
        return true;
    default:
        return false;
    }
}

static bool cycle_of_operation(struct search *s, LLVMValueRef v, int depth, struct cycle *c)
{
    struct cycle x[3];
    const int count = LLVMGetNumOperands(v);
    const unsigned width = width_of(v);
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAICmpInst(v) && !LLVMIsASelectInst(v))
        return false;
    for (int i = 0; i < count; i++)
        if (!width_of(LLVMGetOperand(v, (unsigned)i)) || !find_cycle(s, LLVMGetOperand(v, (unsigned)i), depth - 1, &x[i]))
            return false;
    for (int i = 0; i < ROUNDS; i++) {
        if (LLVMIsASelectInst(v))
            c->in[i] = x[0].in[i] ? x[1].in[i] : x[2].in[i];
        else if (LLVMIsASExtInst(v))
            c->in[i] = (uint64_t)with_sign(x[0].in[i], width_of(LLVMGetOperand(v, 0)));
        else if (LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
            c->in[i] = x[0].in[i];
        else if (LLVMIsAICmpInst(v)) {
            if (!compare(LLVMGetICmpPredicate(v), width_of(LLVMGetOperand(v, 0)), x[0].in[i], x[1].in[i], &c->in[i]))
                return false;
        } else if (!LLVMIsABinaryOperator(v) || !compute(LLVMGetInstructionOpcode(v), width, x[0].in[i], x[1].in[i], &c->in[i]))
            return false;
        c->in[i] &= low_bits(width);
    }
    return true;
}

static bool find_cycle(struct search *s, LLVMValueRef v, int depth, struct cycle *c)
{
    int64_t constant;
    if (!depth || !width_of(v) || ++*s->steps > MAX_STEPS)
        return false;
    if (tsr__constant_int(v, &constant)) {
        fill(c, (uint64_t)constant & low_bits(width_of(v)));
        return true;
    }
    if (LLVMIsAPHINode(v))
        return cycle_of_phi(s, v, depth - 1, c);
    return LLVMIsAInstruction(v) && !LLVMIsACallInst(v) &&
           (cycle_of_bits(s, v, c) || cycle_of_rest(s, v, depth - 1, c) || cycle_of_operation(s, v, depth, c));
}

unsigned tsr__period_of_rounds(const int64_t values[TSR__CYCLE_ROUNDS])
{
    unsigned period = 1;
    while (ROUNDS % period || memcmp(values, values + period, (ROUNDS - period) * sizeof *values) != 0)
        period++;
    return period;
}

bool tsr__find_round_cycle(const struct tsr__cfg *cfg, LLVMValueRef v, struct tsr__round_cycle *c)
{
    unsigned steps = 0;
    struct search s = {.cfg = cfg, .loop = TSR__NONE, .steps = &steps};
    struct cycle found;
    *c = (struct tsr__round_cycle){.loop = TSR__NONE};
    if (!find_cycle(&s, v, DEPTH, &found) || (s.of_next && s.of_this))
        return false;
    c->of_next = s.of_next;
    for (int i = 0; i < ROUNDS; i++)
        c->values[i] = with_sign(found.in[i], width_of(v));
    if (!is_constant(&found))
        c->loop = s.loop;
    return true;
}
