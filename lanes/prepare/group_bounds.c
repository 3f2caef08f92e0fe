/* SPDX-License-Identifier: Apache-2.0
 * A check compares what grows from round to round, or over the work-items, with a bound that is the same for all. So it holds in all rounds
 * up to one if it holds there with the largest ids of the work-group. Code finds that out with 64 bits, so that nothing wraps. All
 * work-items of a group come to the same result. */
#include "lanes/prepare/group_bounds.h"

#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum { MAX_DEPTH = 24 };

/* Numbers of 64 bits are taken to be below this, so that sums and small multiples of them do not wrap. */
#define MOST_OF_64_BITS (UINT64_C(1) << 40)

static LLVMTypeRef i64(const struct tsr__group_bounds *g)
{
    return LLVMInt64TypeInContext(g->l->context);
}

/* ---- values that are the same for a work-group ---- */

/* What the group, or all of the launch, has one of. */
static bool is_same_query(enum tsr__engine_call call)
{
    const enum tsr__call_how how = tsr__call_info(call)->how;
    return tsr__is_query(call) && (how == TSR__HOW_GROUP_DIM || how == TSR__HOW_GROUP) && tsr__call_info(call)->type != TSR__CALL_PTR;
}

static bool is_same(const struct tsr__group_bounds *g, LLVMValueRef v, int depth)
{
    if (!LLVMIsAInstruction(v))
        return LLVMIsAConstant(v) || LLVMIsAArgument(v);
    const enum tsr__engine_call call = tsr__call_of(v);
    if (call != TSR__CALL_NONE)
        return is_same_query(call);
    bool same = depth && (tsr__is_computed(v) || tsr__is_part_of_argument(v));
    for (int i = 0; same && i < LLVMGetNumOperands(v); i++)
        same = is_same(g, LLVMGetOperand(v, (unsigned)i), depth - 1);
    return same;
}

bool tsr__is_same(const struct tsr__group_bounds *g, LLVMValueRef v)
{
    return is_same(g, v, MAX_DEPTH);
}

bool tsr__is_rest(const struct tsr__group_bounds *g, LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMSub && LLVMGetNSW(v) && tsr__is_same(g, LLVMGetOperand(v, 0)) &&
           !tsr__is_same(g, LLVMGetOperand(v, 1));
}

LLVMValueRef tsr__same_there(struct tsr__group_bounds *g, LLVMValueRef v)
{
    if (g->cfg ? !tsr__is_in_loop(g->cfg, v, g->loop) : !LLVMIsAInstruction(v))
        return v;
    LLVMValueRef made = (LLVMValueRef)tsr__map_get(&g->copies, v);
    if (made)
        return made;
    made = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(made, (unsigned)i, tsr__same_there(g, LLVMGetOperand(v, (unsigned)i)));
    LLVMInsertIntoBuilder(g->b, made);
    tsr__map_set(&g->copies, v, (uintptr_t)made);
    return made;
}

static bool meets(struct tsr__compilation *l, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (tsr__call_of(code[i]) == TSR__CALL_EXCHANGE_UNIFORM || tsr__call_of(code[i]) == TSR__CALL_TOTAL)
            return true;
    return tsr__has_barrier(l, kernel) || tsr__group_visibility(l, kernel) == TSR__SEES_GROUPS;
}

struct tsr__group_bounds tsr__group_bounds_in(struct tsr__compilation *l, const struct tsr_kernel_info *info, LLVMBuilderRef b,
                                              struct tsr_arena *arena)
{
    struct tsr__group_bounds g = {.l = l, .b = b, .sub_group_size = tsr__sub_group_size(l, info), .copies.arena = arena};
    g.meets = meets(l, tsr__kernel(l, info));
    tsr__begin_sound(&g);
    return g;
}

LLVMValueRef tsr__in_full_packet(struct tsr__group_bounds *g)
{
    if (g->meets)
        return LLVMConstInt(LLVMInt1TypeInContext(g->l->context), 1, false);
    return LLVMBuildICmp(g->b, LLVMIntNE, tsr__build_query(g->l, g->b, TSR__CALL_WHOLE_PACKET, -1), tsr__i32(g->l, 0), "");
}

void tsr__begin_sound(struct tsr__group_bounds *g)
{
    g->sound = LLVMConstInt(LLVMInt1TypeInContext(g->l->context), 1, false);
}

static void require_sound(struct tsr__group_bounds *g, LLVMValueRef condition)
{
    g->sound = LLVMBuildAnd(g->b, g->sound, condition, "");
}

/* A value that is the same for all, as a number of 64 bits. */
static LLVMValueRef wide_same(struct tsr__group_bounds *g, LLVMValueRef v, bool is_signed)
{
    LLVMValueRef made = tsr__same_there(g, v);
    if (LLVMTypeOf(made) != i64(g))
        return is_signed ? LLVMBuildSExt(g->b, made, i64(g), "") : LLVMBuildZExt(g->b, made, i64(g), "");
    require_sound(g, LLVMBuildICmp(g->b, LLVMIntULT, made, tsr__i64(g->l, MOST_OF_64_BITS), ""));
    return made;
}

/* ---- the largest value of a work-group ---- */

static LLVMValueRef query(struct tsr__group_bounds *g, enum tsr__engine_call call, int dim)
{
    LLVMValueRef made = tsr__build_query(g->l, g->b, call, dim);
    return LLVMTypeOf(made) == i64(g) ? made : LLVMBuildZExt(g->b, made, i64(g), "");
}

static LLVMValueRef most_of_query(struct tsr__group_bounds *g, LLVMValueRef call)
{
    LLVMValueRef one = tsr__i64(g->l, 1), most;
    int64_t dim = -1;
    if (LLVMGetNumArgOperands(call) && (!tsr__constant_int(LLVMGetOperand(call, 0), &dim) || dim < 0 || dim > 2))
        return NULL;
    switch (tsr__call_of(call)) {
    case TSR__CALL_LANE:
        return tsr__i64(g->l, g->sub_group_size - 1);
    case TSR__CALL_SUB_GROUP_ID:
        return LLVMBuildSub(g->b, query(g, TSR__CALL_NUM_SUB_GROUPS, -1), one, "");
    case TSR__CALL_LOCAL_ID:
        return LLVMBuildSub(g->b, query(g, TSR__CALL_LOCAL_SIZE, (int)dim), one, "");
    case TSR__CALL_LINEAR_ID:
        most = query(g, TSR__CALL_LOCAL_SIZE, 0);
        for (int d = 1; d < 3; d++)
            most = LLVMBuildMul(g->b, most, query(g, TSR__CALL_LOCAL_SIZE, d), "");
        return LLVMBuildSub(g->b, most, one, "");
    case TSR__CALL_GLOBAL_ID:
        most = LLVMBuildMul(g->b, query(g, TSR__CALL_GROUP_ID, (int)dim), query(g, TSR__CALL_ENQUEUED_LOCAL_SIZE, (int)dim), "");
        most = LLVMBuildAdd(g->b, most, query(g, TSR__CALL_LOCAL_SIZE, (int)dim), "");
        most = LLVMBuildAdd(g->b, most, query(g, TSR__CALL_GLOBAL_OFFSET, (int)dim), "");
        require_sound(g, LLVMBuildICmp(g->b, LLVMIntULE, most, tsr__i64(g->l, MOST_OF_64_BITS), ""));
        return LLVMBuildSub(g->b, most, one, "");
    default:
        return NULL;
    }
}

static LLVMValueRef most_of(struct tsr__group_bounds *g, LLVMValueRef v, bool is_signed, int depth);

/* The counter that the value is, or becomes; or NULL. */
static const struct tsr__counter *counter_of(const struct tsr__group_bounds *g, LLVMValueRef v)
{
    for (unsigned i = 0; i < g->counter_count; i++)
        if (v == g->counters[i].phi || v == g->counters[i].next)
            return &g->counters[i];
    return NULL;
}

/* Is a signed number not negative, if it is as `most_of` requires? */
static bool is_natural(const struct tsr__group_bounds *g, LLVMValueRef v, int depth)
{
    int64_t c;
    const struct tsr__counter *counter = counter_of(g, v);
    if (counter && v == counter->phi)
        return depth-- && is_natural(g, counter->begin, depth) &&
               (counter->step ? LLVMGetNSW(counter->next) : is_natural(g, counter->next, depth));
    if (tsr__constant_int(v, &c))
        return c >= 0;
    if (tsr__is_query(tsr__call_of(v)))
        return true;
    if (!depth-- || (!LLVMIsATruncInst(v) && !LLVMIsABinaryOperator(v)))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMTrunc:
    case LLVMAnd:
    case LLVMLShr:
    case LLVMUDiv:
        return is_natural(g, LLVMGetOperand(v, 0), depth);
    case LLVMAdd:
    case LLVMOr:
    case LLVMMul:
    case LLVMShl:
        return is_natural(g, LLVMGetOperand(v, 0), depth) && is_natural(g, LLVMGetOperand(v, 1), depth);
    default:
        return false;
    }
}

static LLVMValueRef checked_sum(struct tsr__group_bounds *g, LLVMValueRef sum, bool may_wrap)
{
    if (may_wrap)
        require_sound(g, LLVMBuildICmp(g->b, LLVMIntSLE, sum, tsr__i64(g->l, INT32_MAX), ""));
    return sum;
}

static LLVMValueRef most_of_operation(struct tsr__group_bounds *g, LLVMValueRef v, bool is_signed, int depth)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef first = LLVMGetOperand(v, 0), second = LLVMGetOperand(v, 1), a, b;
    int64_t c = 0;
    const bool by_constant = tsr__constant_int(second, &c) && c >= 0 && c < 1 << 16;
    /* A signed sum of 32 bits that may wrap is right if it is not too large, as one part is not negative. */
    const bool may_wrap = is_signed && LLVMTypeOf(v) != i64(g) && (op == LLVMAdd || op == LLVMMul || op == LLVMShl) && !LLVMGetNSW(v);
    if (may_wrap && !is_natural(g, first, depth) && (op != LLVMAdd || !is_natural(g, second, depth)))
        return NULL;
    switch (op) {
    case LLVMAdd:
    case LLVMOr:
        if (op == LLVMOr && !LLVMGetIsDisjoint(v))
            return NULL;
        a = most_of(g, first, is_signed, depth);
        b = a ? most_of(g, second, is_signed, depth) : NULL;
        return b ? checked_sum(g, LLVMBuildAdd(g->b, a, b, ""), may_wrap) : NULL;
    case LLVMMul:
    case LLVMShl:
        if (!by_constant || (op == LLVMShl && c > 16) || !(a = most_of(g, first, is_signed, depth)))
            return NULL;
        return checked_sum(g, LLVMBuildMul(g->b, a, tsr__i64(g->l, op == LLVMShl ? UINT64_C(1) << c : (uint64_t)c), ""), may_wrap);
    case LLVMLShr:
    case LLVMUDiv:
    case LLVMSDiv:
        if (!by_constant || !c || (op == LLVMLShr && c > 16) || (op == LLVMSDiv ? !is_signed : is_signed && !is_natural(g, first, depth)) ||
            !(a = most_of(g, first, is_signed, depth)))
            return NULL;
        return LLVMBuildSDiv(g->b, a, tsr__i64(g->l, op == LLVMLShr ? UINT64_C(1) << c : (uint64_t)c), "");
    case LLVMAnd: /* a mask of the upper bits leaves no more than there is */
        if (c < 0)
            return most_of(g, first, is_signed, depth);
        return by_constant ? tsr__i64(g->l, (uint64_t)c) : NULL;
    case LLVMURem:
        return by_constant && c ? tsr__i64(g->l, (uint64_t)c - 1) : NULL;
    default:
        return NULL;
    }
}

/* At least what the value is for any work-item of the group, in the rounds where the counters are `at`, as a number of 64 bits; of an
 * unsigned number, before anything wraps. NULL: not known. */
static LLVMValueRef most_of(struct tsr__group_bounds *g, LLVMValueRef v, bool is_signed, int depth)
{
    const struct tsr__counter *counter = counter_of(g, v);
    LLVMValueRef a;
    if (tsr__is_same(g, v))
        return wide_same(g, v, is_signed);
    if (!depth--)
        return NULL;
    if (counter && (!counter->at || (!counter->step && v == counter->next)))
        return NULL;
    if (counter) {
        if (!is_signed) /* a counter that begins below zero is large there at first */
            require_sound(g, LLVMBuildICmp(g->b, LLVMIntSGE, counter->first, tsr__i64(g->l, 0), ""));
        return v == counter->phi ? counter->at : LLVMBuildAdd(g->b, counter->at, tsr__i64(g->l, counter->step), "");
    }
    if (tsr__call_of(v) != TSR__CALL_NONE)
        return most_of_query(g, v);
    if (tsr__callee(v) && tsr__starts_with(tsr__name(tsr__callee(v)), is_signed ? "llvm.smin." : "llvm.umin."))
        return most_of(g, LLVMGetOperand(v, tsr__is_same(g, LLVMGetOperand(v, 1))), is_signed, depth);
    if (LLVMIsABinaryOperator(v))
        return most_of_operation(g, v, is_signed, depth);
    if (LLVMIsASExtInst(v))
        return is_signed ? most_of(g, LLVMGetOperand(v, 0), true, depth) : NULL;
    if (LLVMIsAZExtInst(v))
        return most_of(g, LLVMGetOperand(v, 0), false, depth);
    if (!LLVMIsATruncInst(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 32 || !(a = most_of(g, LLVMGetOperand(v, 0), false, depth)))
        return NULL;
    require_sound(g, LLVMBuildICmp(g->b, LLVMIntULE, a, tsr__i64(g->l, is_signed ? INT32_MAX : UINT32_MAX), ""));
    return a;
}

/* ---- counters ---- */

bool tsr__find_counter(const struct tsr__group_bounds *g, const struct tsr__rounds *r, struct tsr__counter *c, struct tsr__inequality *end)
{
    int64_t step;
    if (!r->goes_on_if || !tsr__inequality_of(r->goes_on, end) || !end->a || (end->b && !tsr__is_same(g, end->b)))
        return false;
    const bool of_next = LLVMIsABinaryOperator(end->a) && !end->is_signed && end->b && !end->distance;
    c->phi = of_next ? LLVMGetOperand(end->a, 0) : end->a;
    if (!LLVMIsAPHINode(c->phi) || LLVMGetInstructionParent(c->phi) != r->header)
        return false;
    c->begin = tsr__incoming_from(c->phi, r->before);
    c->first = c->at = tsr__i64(g->l, 0);
    c->next = tsr__incoming_from(c->phi, r->latch);
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(c->phi));
    if ((width != 32 && width != 64) || !LLVMIsABinaryOperator(c->next) || LLVMGetInstructionOpcode(c->next) != LLVMAdd ||
        LLVMGetOperand(c->next, 0) != c->phi || !tsr__constant_int(LLVMGetOperand(c->next, 1), &step) || step <= 0 || step > 1 << 16 ||
        (of_next && c->next != end->a))
        return false;
    c->step = (uint64_t)step;
    if (of_next) {
        end->a = c->phi;
        end->distance = step;
    }
    return !end->is_signed || LLVMGetNSW(c->next);
}

/* An inequality's bound of its left side, plus one. */
static LLVMValueRef bound_of(struct tsr__group_bounds *g, const struct tsr__inequality *end, bool wide)
{
    LLVMValueRef bound = tsr__i64(g->l, (uint64_t)-end->distance);
    if (end->b)
        bound = LLVMBuildAdd(g->b, bound, wide_same(g, end->b, end->is_signed), "");
    if (!end->is_signed)
        require_sound(g, LLVMBuildICmp(g->b, LLVMIntULT, bound, tsr__i64(g->l, wide ? MOST_OF_64_BITS : UINT32_MAX - (1 << 17)), ""));
    return bound;
}

LLVMValueRef tsr__find_limited(struct tsr__group_bounds *g, const struct tsr__rounds *r, struct tsr__counter *c,
                               struct tsr__inequality *end)
{
    if (!r->goes_on_if || !tsr__inequality_of(r->goes_on, end) || !end->a || !LLVMIsAPHINode(end->a) ||
        LLVMGetInstructionParent(end->a) != r->header || (end->b && !tsr__is_same(g, end->b)))
        return NULL;
    *c = (struct tsr__counter){.phi = end->a,
                               .begin = tsr__incoming_from(end->a, r->before),
                               .next = tsr__incoming_from(end->a, r->latch),
                               .first = tsr__i64(g->l, 0)};
    if (!is_natural(g, c->begin, MAX_DEPTH) || !is_natural(g, c->next, MAX_DEPTH))
        return NULL;
    return LLVMBuildSub(g->b, bound_of(g, end, LLVMTypeOf(c->phi) == i64(g)), tsr__i64(g->l, 1), "");
}

LLVMValueRef tsr__last_of_counter(struct tsr__group_bounds *g, struct tsr__counter *c, const struct tsr__inequality *end)
{
    LLVMValueRef zero = tsr__i64(g->l, 0), step = tsr__i64(g->l, c->step);
    const bool same = tsr__is_same(g, c->begin);
    if (!same && !is_natural(g, c->begin, MAX_DEPTH))
        return NULL;
    if (same)
        c->first = wide_same(g, c->begin, end->is_signed);
    LLVMValueRef bound = bound_of(g, end, LLVMTypeOf(c->phi) == i64(g));
    if (!same) /* it has been less than the bound in the round before */
        return LLVMBuildAdd(g->b, bound, LLVMBuildSub(g->b, step, tsr__i64(g->l, 1), ""), "");
    LLVMValueRef way = LLVMBuildSub(g->b, bound, c->first, ""); /* to go, after the first round */
    way = LLVMBuildAdd(g->b, way, LLVMBuildSub(g->b, step, tsr__i64(g->l, 1), ""), "");
    way = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, way, zero, ""), way, zero, "");
    way = LLVMBuildMul(g->b, LLVMBuildUDiv(g->b, way, step, ""), step, "");
    return LLVMBuildAdd(g->b, c->first, way, "");
}

/* ---- checks ---- */

LLVMValueRef tsr__check_holds(struct tsr__group_bounds *g, const struct tsr__check *check)
{
    LLVMValueRef c = check->comparison;
    if (tsr__is_same(g, c)) {
        LLVMValueRef made = tsr__same_there(g, c);
        return check->holds_if ? made : LLVMBuildNot(g->b, made, "");
    }
    LLVMIntPredicate how = LLVMGetICmpPredicate(c);
    how = check->holds_if ? how : tsr__opposite_of(how);
    const bool turned = how == LLVMIntSGT || how == LLVMIntSGE || how == LLVMIntUGT || how == LLVMIntUGE;
    LLVMValueRef left = LLVMGetOperand(c, turned), right = LLVMGetOperand(c, !turned), taken = NULL, most;
    how = turned ? tsr__swapped(how) : how;
    const bool is_signed = how == LLVMIntSLT || how == LLVMIntSLE, less = how == LLVMIntSLT || how == LLVMIntULT;
    if (is_signed && tsr__is_rest(g, right)) { /* x < bound - y */
        taken = LLVMGetOperand(right, 1);
        right = LLVMGetOperand(right, 0);
    }
    if ((!is_signed && !less && how != LLVMIntULE) || !tsr__is_same(g, right) || !(most = most_of(g, left, is_signed, MAX_DEPTH)))
        return NULL;
    if (taken) {
        LLVMValueRef more = most_of(g, taken, true, MAX_DEPTH);
        if (!more)
            return NULL;
        most = LLVMBuildAdd(g->b, most, more, "");
    }
    return LLVMBuildICmp(g->b, less ? LLVMIntSLT : LLVMIntSLE, most, wide_same(g, right, is_signed), "");
}

static bool add_checks(struct tsr__checks *x, LLVMValueRef condition, bool way, int depth)
{
    LLVMValueRef a, b;
    if (LLVMIsAConstantInt(condition))
        return tsr__is_constant(condition, 0) != way;
    if (LLVMIsAICmpInst(condition)) {
        for (unsigned i = 0; i < x->count; i++)
            if (x->at[i].comparison == condition && x->at[i].holds_if == way)
                return true;
        if (x->count == TSR__MAX_CHECKS || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(condition, 0))) != LLVMIntegerTypeKind)
            return false;
        x->at[x->count++] = (struct tsr__check){condition, way};
        return true;
    }
    if (!depth--)
        return false;
    if (LLVMIsAFreezeInst(condition))
        return add_checks(x, LLVMGetOperand(condition, 0), way, depth);
    const LLVMOpcode op = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : LLVMUnreachable;
    const bool select = op == LLVMSelect;
    if (op == LLVMXor && tsr__is_constant(LLVMGetOperand(condition, 1), 1))
        return add_checks(x, LLVMGetOperand(condition, 0), !way, depth);
    if (!select && op != LLVMAnd && op != LLVMOr)
        return false;
    a = LLVMGetOperand(condition, 0);
    b = LLVMGetOperand(condition, 1);
    if (select && way) { /* a and b */
        if (!tsr__is_constant(LLVMGetOperand(condition, 2), 0))
            return false;
    } else if (select) { /* not (a or b) */
        if (!tsr__is_constant(b, 1))
            return false;
        b = LLVMGetOperand(condition, 2);
    } else if ((op == LLVMAnd) != way)
        return false;
    return add_checks(x, a, way, depth) && add_checks(x, b, way, depth);
}

bool tsr__add_checks(struct tsr__checks *checks, LLVMValueRef condition, bool way)
{
    return add_checks(checks, condition, way, MAX_DEPTH);
}
