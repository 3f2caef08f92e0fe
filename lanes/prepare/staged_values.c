/* SPDX-License-Identifier: Apache-2.0
 * What a load of local memory would have read, if it reads what was copied there: the address of the original.
 *
 * The copy's place in local memory tells which work-item made it, and in which round of its own loops, so the address that it has loaded is
 * computed anew with their numbers. If the round before has made the copy, also with the counters of then. */
#include "lanes/prepare/staged_values.h"

#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/polynomial.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum { NOT_NARROW = 32 /* bits of a number that counts elements */ };
enum { DEPTH = 24 /* instructions of an address */, MAX_NODES = 64 /* operations of an address that are looked at */ };

enum { ALL_HOLD = TSR__SIGNED_FITS | TSR__UNSIGNED_FITS | TSR__LEAVES_NO_REST, FLAG_BITS = 8 };

/* ---- numbers of the store that wrote what the load reads ---- */

/* Bytes of the place that the load reads below those of digit `end`, in units of `bytes` bytes. */
static bool units_of_place(const struct tsr__reading *r, unsigned end, int64_t bytes, int64_t count, struct tsr__form *units)
{
    struct tsr__form below = r->at;
    return (end == r->copy->digit_count || tsr__form_modulo(&r->at, r->copy->digits[end].bytes, &below)) &&
           tsr__form_divide(&below, bytes, units) && tsr__form_most(units) < count;
}

/* The digit's value in the store that wrote what the load reads. */
static bool form_of_digit(const struct tsr__reading *r, unsigned i, struct tsr__form *form)
{
    const struct tsr__id_digit *d = &r->copy->digits[i];
    int64_t count = d->count;
    struct tsr__form units;
    unsigned end = i + 1;
    for (; r->merged[end]; end++)
        count *= r->copy->digits[end].count;
    *form = (struct tsr__form){0};
    return r->merged[i] || (i == 0 && r->from_first) ||
           (units_of_place(r, end, d->bytes, count, &units) && tsr__form_add(form, &units, d->scale));
}

/* The base's value there. */
static bool form_of_base(const struct tsr__reading *r, const struct tsr__id_base *base, struct tsr__form *form)
{
    int64_t known = 1;
    *form = (struct tsr__form){0};
    for (unsigned found = 0; known < base->count; found++) {
        unsigned i = 0;
        struct tsr__form units;
        while (i < r->copy->digit_count &&
               !(tsr__same_base(&r->copy->digits[i].base, base) && INT64_C(1) << r->copy->digits[i].shift == known))
            i++;
        const struct tsr__id_digit *d = &r->copy->digits[i];
        if (found == TSR__PLACE_DIGITS || i == r->copy->digit_count || r->merges || !units_of_place(r, i + 1, d->bytes, d->count, &units) ||
            !tsr__form_add(form, &units, known))
            return false;
        known *= d->count;
    }
    return true;
}

static bool leaf_of_reading(void *context, LLVMValueRef v, struct tsr__form *form)
{
    const struct tsr__reading *r = context;
    struct tsr__id_base base;
    return tsr__find_id_base(&r->u->code, tsr__in_store(r->copy, v), &base) && form_of_base(r, &base, form);
}

/* A query of the work-group, or of the range. */
static bool asks_group(LLVMValueRef v)
{
    static const enum tsr__engine_call of_group[] = {TSR__CALL_GLOBAL_SIZE, TSR__CALL_GLOBAL_OFFSET, TSR__CALL_NUM_GROUPS,
                                                     TSR__CALL_GROUP_ID,    TSR__CALL_LOCAL_SIZE,    TSR__CALL_ENQUEUED_LOCAL_SIZE,
                                                     TSR__CALL_WORK_DIM};
    for (size_t i = 0; i < TSR_ARRAY_LEN(of_group); i++)
        if (tsr__call_of(v) == of_group[i])
            return LLVMIsAConstant(LLVMGetOperand(v, 0));
    return false;
}

/* An id in a dimension in which a group has one work-item. */
static bool is_id_of_group(const struct tsr__reading *r, LLVMValueRef v)
{
    int64_t dimension;
    const bool id =
        tsr__call_of(v) == TSR__CALL_GLOBAL_ID && tsr__constant_int(LLVMGetOperand(v, 0), &dimension) && dimension >= 0 && dimension < 3;
    return id && tsr_required_size(r->u->code.info, (unsigned)dimension) == 1;
}

/* Is it the same for all work-items of a group that make the same round? */
static bool is_uniform(struct tsr__reading *r, LLVMValueRef v, int depth)
{
    if (LLVMIsAConstant(v) || LLVMIsAArgument(v) || tsr__map_get(&r->uniform, v))
        return true;
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    if (asks_group(v) || is_id_of_group(r, v) || tsr__is_part_of_argument(v))
        return true;
    if (LLVMIsAPHINode(v)) {
        const int block = tsr__block_of(r->u, v);
        int loop = r->loop;
        while (loop != TSR__NONE && r->u->cfg.loops[loop].header != block)
            loop = r->u->cfg.loops[loop].parent;
        if (loop == TSR__NONE)
            return false;
        tsr__map_set(&r->uniform, v, 1); /* if the others are, which may be made of it */
        bool uniform = true;
        for (unsigned i = 0; i < LLVMCountIncoming(v) && uniform; i++)
            uniform = is_uniform(r, LLVMGetIncomingValue(v, i), depth - 1);
        if (!uniform) /* nor may be what was made of it */
            r->uniform = (struct tsr__map){.arena = r->u->arena};
        return uniform;
    }
    const bool extreme = tsr__callee(v) && tsr__is_extreme(tsr__callee(v));
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAGetElementPtrInst(v) && !LLVMIsAFreezeInst(v) && !extreme)
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v) - extreme; i++)
        if (!is_uniform(r, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

static bool is_there(const struct tsr__reading *r, LLVMValueRef v)
{
    return !LLVMIsAInstruction(v) || tsr__dominates(&r->u->cfg, tsr__block_of(r->u, v), tsr__block_of(r->u, r->load->access));
}

/* Is the value the digit, by the same query of the id or another one? */
static bool is_digit(const struct tsr__reading *r, LLVMValueRef v, const struct tsr__id_digit *digit)
{
    struct tsr__id_digit d;
    v = tsr__in_store(r->copy, tsr__without_extension(v));
    return v == digit->value || (LLVMIsAInstruction(v) && tsr__find_id_digit(&r->u->code, v, &d) && tsr__same_base(&d.base, &digit->base) &&
                                 d.shift == digit->shift && d.count == digit->count && d.scale == digit->scale);
}

static unsigned digit_of_value(const struct tsr__reading *r, LLVMValueRef v)
{
    unsigned i = 0;
    while (i < r->copy->digit_count && !is_digit(r, v, &r->copy->digits[i]))
        i++;
    return i;
}

/* How much a value grows with a digit: by `by` times `unit`, a product of a sum with the digit in it and of another number, or by `by`
 * where `unit` is NULL. */
struct growth {
    int64_t by; /* 0: it does not depend on the digit; -1: it does otherwise */
    LLVMValueRef unit;
};

static struct growth times(struct growth g, int64_t factor)
{
    g.by = g.by > 0 && factor > 0 ? g.by * factor : g.by ? -1 : 0;
    return g;
}

static struct growth sum_of(struct growth a, struct growth b)
{
    if (!a.by || !b.by)
        return a.by ? a : b;
    return a.by > 0 && b.by > 0 && a.unit == b.unit ? (struct growth){a.by + b.by, a.unit} : (struct growth){.by = -1};
}

static struct growth find_growth(const struct tsr__reading *r, LLVMValueRef v, const struct tsr__id_digit *digit, int depth)
{
    struct growth sum = {0};
    if (is_digit(r, v, digit))
        return (struct growth){.by = 1};
    if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v) || LLVMIsACallInst(v))
        return sum;
    if (!depth)
        return (struct growth){.by = -1};
    if (LLVMIsAGetElementPtrInst(v)) {
        struct tsr__gep_index index;
        sum = find_growth(r, LLVMGetOperand(v, 0), digit, depth - 1);
        for (struct tsr__gep_walk walk = tsr__gep_walk(r->u->layout, v); tsr__gep_next(&walk, &index);)
            if (!index.is_constant)
                sum = sum_of(sum, times(find_growth(r, index.value, digit, depth - 1), index.bytes));
        return sum;
    }
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    struct growth of[2] = {{0}};
    int64_t factor;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        const struct growth x = find_growth(r, LLVMGetOperand(v, (unsigned)i), digit, depth - 1);
        if (x.by && i > 1)
            return (struct growth){.by = -1};
        of[i & 1] = i < 2 ? x : of[i & 1];
    }
    if (!of[0].by && !of[1].by)
        return sum;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) < NOT_NARROW)
        return (struct growth){.by = -1}; /* where there is room for the digit, perhaps not for all that it stands for */
    if (tsr__is_sum(v))
        return sum_of(of[0], of[1]);
    if (op == LLVMZExt || op == LLVMSExt || op == LLVMTrunc || op == LLVMAddrSpaceCast)
        return of[0];
    if ((op == LLVMMul || op == LLVMShl) && tsr__constant_int(LLVMGetOperand(v, 1), &factor) && factor > 0 &&
        (op == LLVMMul || factor < 32))
        return times(of[0], op == LLVMMul ? factor : INT64_C(1) << factor);
    const struct growth *x = of[0].by ? &of[0] : &of[1];
    const bool product = op == LLVMMul && x->by > 0 && !x->unit && !(of[0].by && of[1].by);
    return product ? (struct growth){x->by, v} : (struct growth){.by = -1};
}

/* What the load begins in, and where: what one store has written, or several that go on where the one before ends. */
static bool bytes_in_vector(const struct tsr__reading *r, struct tsr__form *within, int64_t *size)
{
    const struct tsr__id_digit *d = r->copy->digits;
    unsigned end = 0;
    *size = r->copy->to.size;
    *within = r->at;
    while (r->from_first && (!end || r->merged[end]))
        *size *= d[end++].count;
    return end == r->copy->digit_count || tsr__form_modulo(&r->at, d[end].bytes, within);
}

/* Finds the digits that one number can stand for. */
static void merge_digits(struct tsr__reading *r)
{
    const struct tsr__id_digit *d = r->copy->digits;
    struct growth grows[TSR__PLACE_DIGITS];
    for (unsigned i = 0; i < r->copy->digit_count; i++) {
        grows[i] = times(find_growth(r, tsr__source_of(r->copy), &d[i], DEPTH), d[i].scale);
        r->merged[i] = i && grows[i].by > 0 && grows[i - 1].by > 0 && grows[i].unit == grows[i - 1].unit &&
                       d[i].bytes == d[i - 1].bytes * d[i - 1].count && grows[i].by == grows[i - 1].by * d[i - 1].count;
    }
    r->from_first = r->copy->digit_count && d[0].bytes == r->copy->to.size && grows[0].by == d[0].bytes && !grows[0].unit;
    r->merges = true;
}

/* Is the value another one where a digit stands for others? Not if it is made of all of these, too. */
static bool changes_if_merged(const struct tsr__reading *r, LLVMValueRef v)
{
    const struct tsr__id_digit *d = r->copy->digits;
    for (unsigned i = 0; i < r->copy->digit_count; i++) {
        if (r->merged[i] || !r->merged[i + 1] || (r->from_first && !i))
            continue;
        const struct growth low = find_growth(r, v, &d[i], DEPTH);
        for (unsigned k = i + 1; r->merged[k]; k++) {
            const struct growth high = find_growth(r, v, &d[k], DEPTH);
            if (high.unit != low.unit || high.by * d[k].scale * d[i].bytes != low.by * d[i].scale * d[k].bytes)
                return true;
        }
    }
    return false;
}

/* Is it a sum of which such a digit changes an operand? */
static bool has_changed_part(const struct tsr__reading *r, LLVMValueRef v)
{
    return changes_if_merged(r, LLVMGetOperand(v, 0)) || changes_if_merged(r, LLVMGetOperand(v, 1));
}

/* Of the operands of a value: are sums of theirs that change so parts of a sum that does not, and does not wrap either? */
static bool parts_fit(const struct tsr__reading *r, LLVMValueRef v)
{
    const bool fits = tsr__is_sum(v) && (LLVMGetInstructionOpcode(v) == LLVMOr || (LLVMGetNSW(v) && LLVMGetNUW(v)));
    return fits && (r->parts_fit || !changes_if_merged(r, v));
}

/* A sum for an OR of bits that are disjoint, but need not be where one number stands for several digits. */
static LLVMValueRef sum_of_bits(const struct tsr__reading *r, LLVMValueRef v, LLVMValueRef const *operands)
{
    LLVMValueRef made = LLVMBuildAdd(r->u->b, operands[0], operands[1], "");
    const bool fits = r->parts_fit || !changes_if_merged(r, v);
    if (LLVMIsAInstruction(made)) {
        LLVMSetNSW(made, fits);
        LLVMSetNUW(made, fits);
    }
    return made;
}

static LLVMValueRef insert_copy(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMValueRef made = LLVMInstructionClone(v);
    LLVMInsertIntoBuilder(b, made);
    return made;
}

static bool same_form(const struct tsr__form *a, const struct tsr__form *b)
{
    bool same = a->constant == b->constant && a->count == b->count;
    for (unsigned i = 0; i < a->count && same; i++)
        same = a->terms[i].value == b->terms[i].value && a->terms[i].factor == b->terms[i].factor;
    return same;
}

static LLVMValueRef build_form(struct tsr__reading *r, const struct tsr__form *form, LLVMTypeRef type)
{
    for (struct tsr__built_form *f = r->built ? *r->built : NULL; f; f = f->next)
        if (same_form(&f->form, form) && LLVMTypeOf(f->value) == type)
            return f->value;
    LLVMValueRef made = tsr__form_build(r->u->code.l, r->u->b, form, type);
    if (r->built) {
        struct tsr__built_form *f = tsr_arena_alloc(r->u->arena, sizeof *f);
        *f = (struct tsr__built_form){*r->built, *form, made};
        *r->built = f;
    }
    return made;
}

/* Is it the value of a form, which is not negative? */
static bool is_built_form(const struct tsr__reading *r, LLVMValueRef v)
{
    for (struct tsr__built_form *f = r->built ? *r->built : NULL; f; f = f->next)
        if (f->value == v && f->form.constant >= 0)
            return true;
    return false;
}

/* A query of the group where the load is; each is asked once there, if forms are built once. */
static LLVMValueRef insert_query(struct tsr__reading *r, LLVMValueRef query)
{
    for (struct tsr__built_form *f = r->built ? *r->built : NULL; f; f = f->next)
        if (tsr__call_of(f->value) == tsr__call_of(query) && LLVMGetOperand(f->value, 0) == LLVMGetOperand(query, 0))
            return f->value;
    LLVMValueRef made = insert_copy(r->u->b, query);
    if (r->built) {
        struct tsr__built_form *f = tsr_arena_alloc(r->u->arena, sizeof *f);
        *f = (struct tsr__built_form){.next = *r->built, .form.constant = -1, .value = made};
        *r->built = f;
    }
    return made;
}

/* ---- values of the round before ---- */

static LLVMValueRef extended(struct tsr__unstage *u, LLVMValueRef v, bool is_signed)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(u->code.l->context);
    return LLVMTypeOf(v) == i64 ? v : is_signed ? LLVMBuildSExt(u->b, v, i64, "") : LLVMBuildZExt(u->b, v, i64, "");
}

/* Is one of the operations that `v` is made of a number with this value? */
static bool has_operation(struct tsr__unstage *u, LLVMValueRef v, const struct tsr__polynomial *value, bool is_signed, unsigned *nodes)
{
    if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v) || LLVMIsACallInst(v) || LLVMIsALoadInst(v) || ++*nodes > MAX_NODES)
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64) {
        const struct tsr__polynomial of = tsr__polynomial_of(u->code.l, extended(u, v, is_signed));
        if (of.valid && tsr__polynomial_is_multiple(&of, value, 1))
            return true;
    }
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (has_operation(u, LLVMGetOperand(v, (unsigned)i), value, is_signed, nodes))
            return true;
    return false;
}

/* Notes which flags of the operation hold in this one of the first rounds. */
static void note_flags(struct tsr__reading *r, LLVMValueRef v, unsigned flags)
{
    const uintptr_t before = r->first_round ? tsr__map_get(&r->flags, v) : (uintptr_t)-1;
    const bool throughout = !r->first_round || before >> FLAG_BITS == (unsigned)r->first_round;
    if (throughout)
        tsr__map_set(&r->flags, v, (uintptr_t)(r->first_round + 1) << FLAG_BITS | (flags & before));
}

/* Do the flags hold in all of the first rounds? */
static bool flags_hold(const struct tsr__reading *r, LLVMValueRef v, unsigned flags)
{
    const uintptr_t noted = tsr__map_get(&r->flags, v);
    const unsigned rounds = r->first_round == TSR__NONE ? r->ahead : (unsigned)r->first_round + 1;
    return noted >> FLAG_BITS == rounds && (noted & flags) == flags;
}

/* The greatest number that it may be, of sums and multiples of forms; less than 0: that is not known. */
static int64_t most_of_forms(const struct tsr__reading *r, LLVMValueRef v, int depth)
{
    int64_t a, b;
    if (tsr__constant_int(v, &a))
        return a;
    for (struct tsr__built_form *f = r->built ? *r->built : NULL; f; f = f->next)
        if (f->value == v && f->form.constant >= 0)
            return tsr__form_most(&f->form);
    if (!depth || !LLVMIsABinaryOperator(v) || (a = most_of_forms(r, LLVMGetOperand(v, 0), depth - 1)) < 0 || a > INT32_MAX ||
        (b = most_of_forms(r, LLVMGetOperand(v, 1), depth - 1)) < 0 || b > INT32_MAX)
        return -1;
    if (tsr__is_sum(v))
        return a + b;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMMul ? a * b : op == LLVMShl && b < 31 ? a << b : -1;
}

static bool is_small(const struct tsr__reading *r, LLVMValueRef v)
{
    const int64_t most = most_of_forms(r, v, DEPTH);
    return most >= 0 && most <= INT32_MAX && LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= NOT_NARROW;
}

/* In the first rounds the operation wraps as little as one of the copy before the loop that gives the same number. */
static unsigned flags_in_first(struct tsr__reading *r, LLVMValueRef made)
{
    unsigned flags = 0;
    if (is_small(r, made))
        return TSR__SIGNED_FITS | TSR__UNSIGNED_FITS;
    for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
        if (!(is_signed ? LLVMGetNSW(made) : LLVMGetNUW(made)))
            continue;
        const struct tsr__polynomial value = tsr__polynomial_of(r->u->code.l, extended(r->u, made, is_signed));
        unsigned nodes = 0;
        if (value.valid && (!value.count || has_operation(r->u, r->first_address, &value, is_signed, &nodes)))
            flags |= is_signed ? TSR__SIGNED_FITS : TSR__UNSIGNED_FITS;
    }
    return flags;
}

/* The value that a counter had `rounds` rounds before. Not as tsr__round_before has it, whose code in the head of the loop would become
 * phis when the loop is rotated. */
static LLVMValueRef counter_ahead(struct tsr__reading *r, LLVMValueRef phi, int64_t rounds)
{
    const LLVMBuilderRef b = r->u->b;
    const int64_t signed_step = tsr__counter_step(r->rounds, phi, true),
                  step = signed_step ? signed_step : tsr__counter_step(r->rounds, phi, false);
    int64_t begin;
    if (!step || !b)
        return step ? phi : NULL;
    const int64_t distance = step * ((r->first_round == TSR__NONE ? 0 : r->first_round) - rounds);
    LLVMValueRef back = LLVMConstInt(LLVMTypeOf(phi), (uint64_t)distance, true), first = tsr__incoming_from(phi, r->rounds->before);
    if (r->first_round != TSR__NONE)
        return LLVMBuildAdd(b, first, back, "");
    return signed_step && tsr__constant_int(first, &begin) && begin >= 0 ? LLVMBuildNSWAdd(b, phi, back, "")
                                                                         : LLVMBuildAdd(b, phi, back, "");
}

/* A counter divided by a number that divides its step. Before the first round the counter may be negative, where the quotient is not the
 * one of the division. */
static LLVMValueRef quotient_ahead(struct tsr__reading *r, LLVMValueRef v)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const bool shifts = op == LLVMLShr || op == LLVMAShr;
    int64_t first, by, step = tsr__counter_step(r->rounds, LLVMGetOperand(v, 0), true);
    if ((!shifts && op != LLVMUDiv && op != LLVMSDiv) || !step || !tsr__constant_int(LLVMGetOperand(v, 1), &by) || by < 0 ||
        (shifts && by >= NOT_NARROW) || !tsr__constant_int(tsr__incoming_from(LLVMGetOperand(v, 0), r->rounds->before), &first) ||
        first < 0)
        return NULL;
    by = shifts ? INT64_C(1) << by : by;
    if (!by || step % by)
        return NULL;
    const int64_t back = step / by * r->ahead;
    if (!r->u->b)
        return v;
    if (r->first_round != TSR__NONE)
        return LLVMConstInt(LLVMTypeOf(v), (uint64_t)(first / by + step / by * r->first_round - back), true);
    LLVMValueRef quotient = LLVMInstructionClone(v);
    LLVMInsertIntoBuilder(r->u->b, quotient);
    return LLVMBuildNSWAdd(r->u->b, quotient, LLVMConstInt(LLVMTypeOf(v), (uint64_t)-back, true), "");
}

static LLVMValueRef phi_ahead(struct tsr__reading *r, LLVMValueRef v)
{
    if (LLVMIsAPHINode(v))
        return counter_ahead(r, v, r->ahead);
    LLVMValueRef quotient = LLVMIsABinaryOperator(v) ? quotient_ahead(r, v) : NULL;
    if (quotient)
        return quotient;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(r->rounds->header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        if (tsr__incoming_from(phi, r->rounds->latch) != v)
            continue;
        if (r->ahead > 1)
            return counter_ahead(r, phi, r->ahead - 1);
        return r->first_round == TSR__NONE ? phi : tsr__incoming_from(phi, r->rounds->before);
    }
    return NULL;
}

/* The sum of a constant and a multiple of a number less another constant, if the constants are the same: that multiple. So (k - 1) * 16 +
 * 16, of a counter in the round before, is k * 16, whose numbers are not negative. NULL: it is another sum. */
static LLVMValueRef sum_without_constants(const struct tsr__reading *r, LLVMValueRef multiple, LLVMValueRef constant)
{
    int64_t add, less, factor = 1;
    LLVMValueRef of = multiple;
    const bool is_multiple =
        LLVMIsABinaryOperator(of) && (LLVMGetInstructionOpcode(of) == LLVMMul || LLVMGetInstructionOpcode(of) == LLVMShl);
    if (is_multiple) {
        if (!tsr__constant_int(LLVMGetOperand(of, 1), &factor) || factor <= 0 || factor > INT16_MAX)
            return NULL;
        factor = LLVMGetInstructionOpcode(of) == LLVMMul ? factor : factor < 16 ? INT64_C(1) << factor : 0;
        of = LLVMGetOperand(of, 0);
    }
    if (!LLVMIsABinaryOperator(of) || LLVMGetInstructionOpcode(of) != LLVMAdd || !tsr__constant_int(LLVMGetOperand(of, 1), &less) ||
        !tsr__constant_int(constant, &add) || add < 0 || add > INT32_MAX || less < -INT16_MAX || less * factor != -add)
        return NULL;
    of = LLVMGetOperand(of, 0);
    return is_multiple ? LLVMBuildBinOp(r->u->b, LLVMGetInstructionOpcode(multiple), of, LLVMGetOperand(multiple, 1), "") : of;
}

static LLVMValueRef operation_ahead(struct tsr__reading *r, LLVMValueRef v, LLVMValueRef const *operands)
{
    const LLVMBuilderRef b = r->u->b;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const bool in_first = r->first_round != TSR__NONE;
    LLVMValueRef made;
    if (in_first && LLVMIsABinaryOperator(v) && LLVMIsAConstantInt(operands[0]) && LLVMIsAConstantInt(operands[1])) {
        note_flags(r, v, tsr__flags_of_constants(op, LLVMTypeOf(v), operands));
        return LLVMBuildBinOp(b, op, operands[0], operands[1], "");
    }
    if (in_first && LLVMIsACastInst(v) && LLVMIsAConstantInt(operands[0]))
        return LLVMBuildCast(b, op, operands[0], LLVMTypeOf(v), "");
    if (in_first && LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 && LLVMIsNull(operands[1]))
        return operands[0];
    if (in_first && (made = tsr__simplified(v, operands)) != NULL) {
        note_flags(r, v, ALL_HOLD);
        return made;
    }
    if (tsr__is_sum(v) && (made = sum_without_constants(r, operands[0], operands[1])) != NULL)
        return made;
    if (op == LLVMSExt && is_built_form(r, operands[0])) /* as where the kernel computes round 0 without signs */
        return LLVMBuildZExt(b, operands[0], LLVMTypeOf(v), "");
    if (op == LLVMZExt && LLVMGetNNeg(v) && LLVMIsAPHINode(LLVMGetOperand(v, 0))) /* before the first round a counter may be negative */
        return LLVMBuildSExt(b, operands[0], LLVMTypeOf(v), "");
    if (op == LLVMTrunc) /* without flags, which cannot be asked for */
        return LLVMBuildTrunc(b, operands[0], LLVMTypeOf(v), "");
    if (op == LLVMOr && tsr__is_sum(v)) { /* also if the bits are not disjoint in round 0 */
        if (!LLVMIsAInstruction(made = sum_of_bits(r, v, operands)))
            return made;
    } else {
        made = LLVMInstructionClone(v);
        LLVMInsertIntoBuilder(b, made);
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            LLVMSetOperand(made, (unsigned)i, operands[i]);
    }
    switch (LLVMGetInstructionOpcode(made)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        if (in_first)
            note_flags(r, v, flags_in_first(r, made));
        const bool small = in_first && is_small(r, made);
        LLVMSetNSW(made, small || (LLVMGetNSW(made) && flags_hold(r, v, TSR__SIGNED_FITS)));
        LLVMSetNUW(made, small || (LLVMGetNUW(made) && flags_hold(r, v, TSR__UNSIGNED_FITS)));
        break;
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
        LLVMSetExact(made, LLVMGetExact(made) && flags_hold(r, v, TSR__LEAVES_NO_REST));
        break;
    case LLVMZExt:
        LLVMSetNNeg(made, false);
        break;
    case LLVMGetElementPtr:
        LLVMGEPSetNoWrapFlags(made, 0);
        break;
    default:
        break;
    }
    return made;
}

/* ---- addresses ---- */

/* What is the same for all work-items, as it was when they copied. NULL: it cannot be had, but perhaps what it is made of. */
static LLVMValueRef uniform_value(struct tsr__reading *r, LLVMValueRef v)
{
    if (!r->rounds || !tsr__is_in_loop(&r->u->cfg, v, r->rounds->loop))
        return is_there(r, v) ? v : NULL;
    return phi_ahead(r, v);
}

static LLVMValueRef value_of_store(struct tsr__reading *r, LLVMValueRef v, int depth);

/* Of a copy that is computed: by the same instruction, or a load of the same memory. */
static LLVMValueRef computed_value(struct tsr__reading *r, LLVMValueRef v, int depth)
{
    enum { MOST_OPERANDS = 4 };
    LLVMValueRef operands[MOST_OPERANDS], made = (LLVMValueRef)tsr__map_get(&r->made, v);
    const int count = LLVMGetNumOperands(v) - (LLVMIsACallInst(v) ? 1 : 0);
    if (made)
        return made;
    if (!depth || count > MOST_OPERANDS || (!tsr__is_source(v) && (!LLVMIsAInstruction(v) || !tsr__is_pure(v))))
        return NULL;
    for (int i = 0; i < count; i++)
        if (!(operands[i] = value_of_store(r, LLVMGetOperand(v, (unsigned)i), depth - 1)))
            return NULL;
    if (!r->u->b)
        return v;
    made = insert_copy(r->u->b, v);
    for (int i = 0; i < count; i++)
        LLVMSetOperand(made, (unsigned)i, operands[i]);
    tsr__map_set(&r->made, v, (uintptr_t)made);
    return made;
}

/* The value as it was in the store that wrote what the load reads; NULL: that cannot be told. While nothing is built, any value stands for
 * what there will be. */
static LLVMValueRef value_of_store(struct tsr__reading *r, LLVMValueRef v, int depth)
{
    struct tsr__form form;
    LLVMValueRef operands[4];
    const LLVMBuilderRef b = r->u->b;
    while (tsr__call_of(v) == TSR__CALL_SAME) /* in the sub-group that copied */
        v = LLVMGetOperand(v, 0);
    while (r->others_follow && tsr__is_in_loop(&r->u->cfg, v, r->rounds->loop)) {
        LLVMValueRef only = tsr__if_follow(r->rounds, r->ahead, v);
        if (only == v)
            break;
        v = only;
    }
    LLVMValueRef same = is_uniform(r, v, DEPTH) ? uniform_value(r, v) : NULL;
    if (same)
        return same;
    if (asks_group(v))
        return b ? insert_query(r, v) : v;
    const unsigned digit = digit_of_value(r, v);
    const bool number = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind;
    if (digit < r->copy->digit_count ? form_of_digit(r, digit, &form) : number && tsr__form_of(v, leaf_of_reading, r, &form))
        return b ? build_form(r, &form, LLVMTypeOf(v)) : v;
    if (r->copy->source_count)
        return computed_value(r, v, depth);
    if (!depth || (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAGetElementPtrInst(v)) ||
        LLVMGetNumOperands(v) > (int)TSR_ARRAY_LEN(operands))
        return NULL;
    const bool fits = r->parts_fit;
    r->parts_fit = r->merges && parts_fit(r, v);
    bool known = true;
    for (int i = 0; i < LLVMGetNumOperands(v) && known; i++)
        known = (operands[i] = value_of_store(r, LLVMGetOperand(v, (unsigned)i), depth - 1)) != NULL;
    r->parts_fit = fits;
    if (!known)
        return NULL;
    if (!b)
        return v;
    if (r->rounds)
        return operation_ahead(r, v, operands);
    LLVMValueRef made = tsr__simplified(v, operands); /* digits that others stand for are zero */
    if (made)
        return made;
    if (LLVMGetInstructionOpcode(v) == LLVMOr && tsr__is_sum(v) && has_changed_part(r, v))
        return sum_of_bits(r, v, operands);
    if (LLVMIsASExtInst(v) && is_built_form(r, operands[0]))
        return LLVMBuildZExt(b, operands[0], LLVMTypeOf(v), "");
    made = insert_copy(b, v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(made, (unsigned)i, operands[i]);
    if (r->built && LLVMIsAZExtInst(made)) /* as operation_ahead has it, with which it is compared */
        LLVMSetNNeg(made, false);
    return made;
}

static bool reads_one_store(const struct tsr__reading *r)
{
    struct tsr__form within;
    int64_t size;
    return bytes_in_vector(r, &within, &size) && tsr__form_most(&within) + r->load->size <= size;
}

/* Does the load read all that one store has written? */
static bool reads_whole_store(const struct tsr__reading *r)
{
    struct tsr__form within;
    int64_t size;
    return bytes_in_vector(r, &within, &size) && !within.count && !within.constant && r->load->size == r->copy->to.size;
}

bool tsr__can_read_original(struct tsr__reading *r)
{
    if (r->copy->source_count)
        return reads_whole_store(r) && value_of_store(r, tsr__source_of(r->copy), DEPTH);
    if (reads_one_store(r) && value_of_store(r, tsr__source_of(r->copy), DEPTH))
        return true;
    merge_digits(r);
    return reads_one_store(r) && value_of_store(r, tsr__source_of(r->copy), DEPTH);
}

LLVMValueRef tsr__original_address(struct tsr__reading *r)
{
    const struct tsr__unstage *u = r->u;
    struct tsr__form within = {0};
    int64_t size;
    LLVMValueRef pointer = value_of_store(r, tsr__source_of(r->copy), DEPTH);
    bytes_in_vector(r, &within, &size);
    if (!within.count && !within.constant)
        return pointer;
    LLVMValueRef bytes = build_form(r, &within, LLVMInt64TypeInContext(u->code.l->context));
    return LLVMBuildInBoundsGEP2(u->b, LLVMInt8TypeInContext(u->code.l->context), pointer, &bytes, 1, "");
}

static LLVMValueRef load_original(struct tsr__reading *r)
{
    struct tsr__unstage *u = r->u;
    LLVMValueRef load = r->load->access, from = r->copy->from.load;
    unsigned align = LLVMGetAlignment(from);
    const unsigned size = (unsigned)r->load->size;
    for (unsigned i = 0; i < r->ahead; i++) {
        const unsigned of_first = LLVMGetAlignment(r->first[i]->from.load);
        align = align < of_first ? align : of_first;
    }
    LLVMValueRef made = LLVMBuildLoad2(u->b, LLVMTypeOf(load), tsr__original_address(r), "");
    LLVMSetAlignment(made, align < (size & -size) || r->load->size == r->copy->to.size ? align : size & -size);
    const unsigned tbaa = LLVMGetMDKindIDInContext(u->code.l->context, "tbaa", 4);
    LLVMSetMetadata(made, tbaa, LLVMGetMetadata(from, tbaa));
    return made;
}

void tsr__read_original(struct tsr__reading *r)
{
    struct tsr__unstage *u = r->u;
    LLVMValueRef load = r->load->access, made;
    u->b = tsr__builder_before(u->code.l, load);
    r->made = (struct tsr__map){.arena = u->arena};
    if (r->copy->source_count)
        made = LLVMBuildBitCast(u->b, value_of_store(r, tsr__source_of(r->copy), DEPTH), LLVMTypeOf(load), "");
    else
        made = load_original(r);
    LLVMReplaceAllUsesWith(load, made);
    LLVMInstructionEraseFromParent(load);
    LLVMDisposeBuilder(u->b);
    u->b = NULL;
}
