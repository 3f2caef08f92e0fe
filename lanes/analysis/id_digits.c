/* SPDX-License-Identifier: Apache-2.0
 * Ids and counters, and bits of these. */
#include "lanes/analysis/id_digits.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

/* Ids that a number is made of, a bit each. Those of different rows of this list say the same in another way. */
enum {
    LOCAL_IDS = 7, /* dimensions 0 to 2 */
    LINEAR_ID = 8,
    SUB_GROUP_IDS = 16 | 32, /* the place in the sub-group, its number */
};

static int block_of(const struct tsr__item_code *u, LLVMValueRef inst)
{
    return tsr__cfg_number(u->cfg, LLVMGetInstructionParent(inst));
}

static int64_t items_of_group(const struct tsr__item_code *u)
{
    int64_t items = 1;
    for (unsigned d = 0; d < 3; d++)
        items *= (int64_t)tsr_required_size(u->info, d);
    return items;
}

static bool find_id(const struct tsr__item_code *u, LLVMValueRef v, struct tsr__id_base *base)
{
    const int64_t size = tsr__sub_group_size(u->l, u->info), items = items_of_group(u);
    const bool is_row = (int64_t)tsr_required_size(u->info, 0) == size; /* the sub-group: its ids are those of x and y */
    int64_t dimension;
    *base = (struct tsr__id_base){0};
    switch (tsr__call_of(v)) {
    case TSR__CALL_LOCAL_ID:
        if (!tsr__constant_int(LLVMGetOperand(v, 0), &dimension) || dimension < 0 || dimension > 2)
            return false;
        base->ids = 1U << dimension;
        base->count = (int64_t)tsr_required_size(u->info, (unsigned)dimension);
        break;
    case TSR__CALL_LINEAR_ID:
        base->ids = LINEAR_ID;
        base->count = items;
        break;
    case TSR__CALL_LANE:
        base->ids = is_row ? 1 : SUB_GROUP_IDS & 16;
        base->count = items % size ? 0 : size;
        break;
    case TSR__CALL_SUB_GROUP_ID:
        base->ids = is_row && tsr_required_size(u->info, 2) == 1 ? 1 << 1 : SUB_GROUP_IDS & 32;
        base->count = items % size ? 0 : items / size;
        break;
    default:
        break;
    }
    return base->count > 0;
}

/* Do numbers of these ids not depend on each other? */
bool tsr__ids_are_independent(unsigned ids, unsigned others)
{
    const unsigned both = ids | others;
    const int ways = !!(both & LOCAL_IDS) + !!(both & LINEAR_ID) + !!(both & SUB_GROUP_IDS);
    return !(ids & others) && ways <= 1;
}

static bool leaf_of_id(void *context, LLVMValueRef v, struct tsr__form *form)
{
    struct tsr__id_base base;
    if (!find_id(context, v, &base))
        return false;
    *form = tsr__form_of_value(v, base.count - 1);
    return true;
}

/* Do the terms take each value below the answer, in units of `unit`, once? 0: no. */
static int64_t values_of_ids(const struct tsr__item_code *u, const struct tsr__form *form, unsigned *ids)
{
    int64_t next = 1;
    *ids = 0;
    for (unsigned found = 0; found < form->count; found++) {
        unsigned i = 0;
        struct tsr__id_base base;
        while (i < form->count && form->terms[i].factor != next)
            i++;
        if (i == form->count || !find_id(u, form->terms[i].value, &base) || !tsr__ids_are_independent(*ids, base.ids))
            return 0;
        *ids |= base.ids;
        next *= base.count;
    }
    return form->constant ? 0 : next;
}

/* Does the loop end by its header's branch alone, and is that on `phi < bound`? */
static bool find_bound(const struct tsr__item_code *u, LLVMValueRef phi, int loop, int64_t *bound)
{
    const struct tsr__loop *of = &u->cfg->loops[loop];
    LLVMValueRef end = u->cfg->blocks[of->header].terminator, condition;
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2 || !LLVMIsAICmpInst(condition = LLVMGetCondition(end)))
        return false;
    for (int b = of->begin; b < of->end; b++)
        for (int s = 0; s < u->cfg->blocks[b].succ_count; s++)
            if (b != of->header && !tsr__in_loop(u->cfg, u->cfg->blocks[b].succ[s], loop))
                return false;
    const LLVMIntPredicate how = LLVMGetICmpPredicate(condition);
    return tsr__in_loop(u->cfg, tsr__cfg_number(u->cfg, LLVMGetSuccessor(end, 0)), loop) && (how == LLVMIntULT || how == LLVMIntSLT) &&
           LLVMGetOperand(condition, 0) == phi && tsr__constant_int(LLVMGetOperand(condition, 1), bound) && *bound > 0;
}

LLVMValueRef tsr__without_extension(LLVMValueRef v)
{
    enum { WIDE_ENOUGH = 32 };
    while (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || (LLVMIsATruncInst(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= WIDE_ENOUGH))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* A number that is constant in work-groups of the required size: of sizes in one or more dimensions. */
static bool find_step(const struct tsr__item_code *u, LLVMValueRef v, int64_t *step)
{
    int64_t dimension, other;
    const enum tsr__engine_call call = tsr__call_of(v = tsr__without_extension(v));
    if (tsr__constant_int(v, step))
        return true;
    if (call == TSR__CALL_LOCAL_SIZE || call == TSR__CALL_ENQUEUED_LOCAL_SIZE) {
        *step = tsr__constant_int(LLVMGetOperand(v, 0), &dimension) && dimension >= 0 && dimension <= 2
                    ? (int64_t)tsr_required_size(u->info, (unsigned)dimension)
                    : 0;
        return *step > 0;
    }
    if (call == TSR__CALL_NUM_SUB_GROUPS || call == TSR__CALL_ENQUEUED_NUM_SUB_GROUPS) {
        const int64_t items = items_of_group(u), size = tsr__sub_group_size(u->l, u->info);
        *step = items % size ? 0 : items / size;
        return *step > 0;
    }
    const LLVMOpcode op = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    if ((op != LLVMMul && op != LLVMShl && op != LLVMLShr) || !find_step(u, LLVMGetOperand(v, 0), step) ||
        !find_step(u, LLVMGetOperand(v, 1), &other))
        return false;
    if (op != LLVMMul)
        other = other >= 0 && other < 32 ? INT64_C(1) << other : 0;
    if (op == LLVMLShr)
        return other && *step >= 0 && (*step /= other) > 0;
    return !__builtin_mul_overflow(*step, other, step);
}

/* What a sum adds to the value; NULL: it is none, or of other values. */
static LLVMValueRef added_to(LLVMValueRef sum, LLVMValueRef v)
{
    const bool of_it = tsr__is_sum(sum) && (LLVMGetOperand(sum, 0) == v || LLVMGetOperand(sum, 1) == v);
    return of_it ? LLVMGetOperand(sum, LLVMGetOperand(sum, 0) == v) : NULL;
}

/* A counter from ids on, all of which together take each value below the step, to a constant. In the loop's body it is below that. */
static bool find_counter(const struct tsr__item_code *u, LLVMValueRef phi, struct tsr__id_base *base)
{
    struct tsr__form first;
    const int block = LLVMIsAPHINode(phi) ? block_of(u, phi) : TSR__NONE,
              loop = block == TSR__NONE ? TSR__NONE : u->cfg->blocks[block].loop;
    if (loop == TSR__NONE || u->cfg->loops[loop].header != block || u->cfg->loops[loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg->blocks[u->cfg->loops[loop].latch].ref;
    LLVMValueRef next = LLVMGetIncomingValue(phi, back), begin = LLVMGetIncomingValue(phi, !back);
    int64_t by, bound;
    *base = (struct tsr__id_base){.counter = phi};
    LLVMValueRef step = added_to(next, phi);
    const bool goes_on = step;
    step = step ? step : added_to(next, begin); /* as LLVM writes a loop of one round */
    if (!step || !find_step(u, step, &by) || by <= 0 || !find_bound(u, phi, loop, &bound) ||
        !tsr__form_of(begin, leaf_of_id, (void *)(uintptr_t)u, &first))
        return false;
    const int64_t begins = first.count || first.constant ? values_of_ids(u, &first, &base->ids) : 1;
    base->count = begins < bound ? begins : bound;
    if (!goes_on)
        return by >= bound && begins;
    base->count = bound;
    return begins == by;
}

static unsigned bits_of_multiples(int64_t n, unsigned bits)
{
    while (bits && n % (INT64_C(1) << bits))
        bits--;
    return bits;
}

/* Is the step such a multiple in groups at the end of the range, too, which may have fewer work-items than the kernel requires? */
static bool is_multiple_of(LLVMValueRef step, unsigned bits)
{
    int64_t n;
    LLVMValueRef v = tsr__without_extension(step);
    if (tsr__constant_int(v, &n))
        return n % (INT64_C(1) << bits) == 0;
    const LLVMOpcode op = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    if ((op != LLVMShl && op != LLVMMul) || !tsr__constant_int(LLVMGetOperand(v, 1), &n) || n < 0)
        return false;
    return op == LLVMShl ? n >= bits : n % (INT64_C(1) << bits) == 0;
}

bool tsr__find_multiples(const struct tsr__item_code *u, int loop, struct tsr__multiples *m)
{
    enum { MOST_BITS = 6, MOST = 1 << 24 };
    const struct tsr__loop *of = &u->cfg->loops[loop];
    LLVMValueRef end = u->cfg->blocks[of->header].terminator, phi;
    int64_t by;
    if (of->latch == TSR__NONE || !LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2 || !LLVMIsAICmpInst(LLVMGetCondition(end)))
        return false;
    *m = (struct tsr__multiples){.phi = phi = LLVMGetOperand(LLVMGetCondition(end), 0)};
    if (!LLVMIsAPHINode(phi) || block_of(u, phi) != of->header || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg->blocks[of->latch].ref;
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    if (!(m->step = added_to(next, phi)) || !find_step(u, m->step, &by) || by <= 0 || by > MOST || !find_bound(u, phi, loop, &m->bound) ||
        m->bound > MOST || !tsr__form_of(LLVMGetIncomingValue(phi, !back), leaf_of_id, (void *)(uintptr_t)u, &m->begin) ||
        !m->begin.count || tsr__form_most(&m->begin) > MOST)
        return false;
    m->bits = bits_of_multiples(by, bits_of_multiples(m->begin.constant, MOST_BITS));
    for (unsigned i = 0; i < m->begin.count; i++)
        m->bits = bits_of_multiples(m->begin.terms[i].factor, m->bits);
    m->before = LLVMGetIncomingBlock(phi, !back);
    return m->bits && is_multiple_of(m->step, m->bits);
}

/* Of a counter: from where on, by how much, and what it stays below. */
struct steps {
    int64_t begin, by, bound;
};

static bool find_steps(const struct tsr__item_code *u, LLVMValueRef phi, struct steps *s)
{
    const int block = LLVMIsAPHINode(phi) ? block_of(u, phi) : TSR__NONE,
              loop = block == TSR__NONE ? TSR__NONE : u->cfg->blocks[block].loop;
    if (loop == TSR__NONE || u->cfg->loops[loop].header != block || u->cfg->loops[loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg->blocks[u->cfg->loops[loop].latch].ref;
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    return tsr__constant_int(LLVMGetIncomingValue(phi, !back), &s->begin) && s->begin >= 0 && tsr__is_sum(next) &&
           LLVMGetOperand(next, 0) == phi && tsr__constant_int(LLVMGetOperand(next, 1), &s->by) && s->by > 0 &&
           find_bound(u, phi, loop, &s->bound) && s->begin < s->bound;
}

bool tsr__find_stepped(const struct tsr__item_code *u, LLVMValueRef v, LLVMValueRef *counter, int64_t *most)
{
    struct steps s;
    int64_t bits = 0;
    v = tsr__without_extension(v);
    const bool shifted = LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMLShr;
    if (shifted && (!tsr__constant_int(LLVMGetOperand(v, 1), &bits) || bits < 0 || bits >= 32))
        return false;
    *counter = shifted ? tsr__without_extension(LLVMGetOperand(v, 0)) : v;
    if (!find_steps(u, *counter, &s))
        return false;
    *most = (s.begin + (s.bound - 1 - s.begin) / s.by * s.by) >> bits;
    return true;
}

bool tsr__find_id_base(const struct tsr__item_code *u, LLVMValueRef v, struct tsr__id_base *base)
{
    return find_id(u, v, base) || find_counter(u, v, base);
}

static bool drop_low_bits(struct tsr__id_digit *d, int64_t bits)
{
    const bool can = bits < 32 && d->count % (INT64_C(1) << bits) == 0;
    d->shift += (unsigned)bits;
    d->count >>= bits;
    return can;
}

bool tsr__find_id_digit(const struct tsr__item_code *u, LLVMValueRef v, struct tsr__id_digit *d)
{
    int64_t n, low = 0;
    v = tsr__without_extension(v);
    *d = (struct tsr__id_digit){.scale = 1};
    if (tsr__find_id_base(u, v, &d->base)) {
        d->count = d->base.count;
        return true;
    }
    const LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    if ((op != LLVMLShr && op != LLVMAnd) || !tsr__constant_int(LLVMGetOperand(v, 1), &n) || n <= 0)
        return false;
    LLVMValueRef from = tsr__without_extension(LLVMGetOperand(v, 0));
    if (op == LLVMLShr)
        return tsr__find_id_digit(u, from, d) && d->scale == 1 && drop_low_bits(d, n);
    while (!(n >> low & 1))
        low++;
    const int64_t values = (n >> low) + 1;
    int64_t shift = 0;
    const bool shifted = LLVMIsAInstruction(from) && LLVMGetInstructionOpcode(from) == LLVMShl;
    if (shifted && (!tsr__constant_int(LLVMGetOperand(from, 1), &shift) || shift > low))
        return false;
    if (!tsr__find_id_digit(u, shifted ? LLVMGetOperand(from, 0) : from, d) || d->scale != 1 || !drop_low_bits(d, low - shift) ||
        values & (values - 1) || (d->count > values && d->count % values))
        return false;
    d->count = d->count < values ? d->count : values;
    d->scale = INT64_C(1) << low;
    return true;
}

int tsr__loop_of_counter(const struct tsr__item_code *u, LLVMValueRef counter)
{
    return u->cfg->blocks[block_of(u, counter)].loop;
}
