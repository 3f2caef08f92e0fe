/* SPDX-License-Identifier: Apache-2.0
 * What a value of a loop was in the round before, as code of this round.
 *
 * A counter's next value was the counter itself; what was computed from it is computed anew. In the first round there is no round before,
 * so the same computation on the values that phis begin with has to give something that is there already: a constant, or a value before
 * the loop, found as global value numbering would. */
#include "lanes/prepare/rounds.h"
#include "lanes/analysis/packet_support.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum { MAX_OPERANDS = 8 };

bool tsr__rounds_of(struct tsr__compilation *l, const struct tsr__cfg *cfg, int loop, struct tsr_arena *arena, struct tsr__rounds *r)
{
    const struct tsr__loop *at = &cfg->loops[loop];
    const struct tsr__block *header = &cfg->blocks[at->header];
    if (at->latch == TSR__NONE || header->pred_count != 2)
        return false;
    *r = (struct tsr__rounds){.l = l, .cfg = cfg, .loop = loop, .header = header->ref, .arena = arena};
    r->known.arena = r->before_known.arena = arena;
    r->latch = cfg->blocks[at->latch].ref;
    r->before = cfg->blocks[header->pred[header->pred[0] == at->latch ? 1 : 0]].ref;
    for (int b = at->begin; b < at->end; b++)
        for (int i = 0; i < cfg->blocks[b].succ_count; i++) {
            const struct tsr__block *block = &cfg->blocks[b];
            if (tsr__in_loop(cfg, block->succ[i], loop))
                continue;
            if (r->exiting || block->succ_count != 2 || !LLVMIsABranchInst(block->terminator) || !tsr__dominates(cfg, b, at->latch))
                return false;
            r->exiting = block->ref;
            r->behind = cfg->blocks[block->succ[i]].ref;
            r->goes_on = LLVMGetCondition(block->terminator);
            r->goes_on_if = LLVMGetSuccessor(block->terminator, 1) == r->behind;
        }
    if (!r->exiting)
        return false;
    r->b = tsr__builder_before(l, tsr__after_phis(LLVMGetFirstInstruction(header->ref)));
    return true;
}

/* The next loop of the kernel that has not been looked at. False: there is none. */
static bool change_next(struct tsr__compilation *l, LLVMValueRef kernel, tsr__change_loop *change, void *context, struct tsr__map *seen,
                        bool *changed)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    struct tsr__rounds r;
    bool found = false;
    *changed = false;
    if (tsr__cfg_make(&cfg, kernel, &arena))
        for (int k = 0; k < cfg.loop_count && !found; k++) {
            LLVMBasicBlockRef header = cfg.blocks[cfg.loops[k].header].ref;
            if (tsr__map_get(seen, header))
                continue;
            tsr__map_set(seen, header, 1);
            found = true;
            if (tsr__rounds_of(l, &cfg, k, &arena, &r)) {
                *changed = change(context, &r);
                LLVMDisposeBuilder(r.b);
            }
        }
    tsr_arena_free(&arena);
    return found;
}

bool tsr__change_loops(struct tsr__compilation *l, LLVMValueRef kernel, tsr__change_loop *change, void *context)
{
    struct tsr__map seen = {.arena = &l->scratch};
    bool any = false, changed;
    while (change_next(l, kernel, change, context, &seen, &changed))
        any = any || changed;
    return any;
}

void tsr__change_product_loops(struct tsr__compilation *l, tsr__change_loop *change)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        while (tsr__multiplies_tiles(l, kernel) && tsr__change_loops(l, kernel, change, NULL))
            ;
    }
}

/* ---- where another round follows ---- */

/* The part of a sum that does not wrap which is no constant, or NULL; adds its constants to `sum`. */
static LLVMValueRef without_constants(LLVMValueRef v, bool is_signed, int64_t *sum)
{
    int64_t c;
    while (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && (is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v)) &&
           tsr__constant_int(LLVMGetOperand(v, 1), &c) && (is_signed || c >= 0)) {
        *sum += c;
        v = LLVMGetOperand(v, 0);
    }
    if (!tsr__constant_int(v, &c) || (!is_signed && c < 0))
        return v;
    *sum += c;
    return NULL;
}

/* The comparison of x and y as an inequality. */
static bool find_inequality(LLVMIntPredicate how, LLVMValueRef x, LLVMValueRef y, struct tsr__inequality *q)
{
    if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(x)) > 64)
        return false;
    const bool less = how == LLVMIntSLT || how == LLVMIntSLE || how == LLVMIntULT || how == LLVMIntULE,
               more = how == LLVMIntSGT || how == LLVMIntSGE || how == LLVMIntUGT || how == LLVMIntUGE,
               or_equal = how == LLVMIntSLE || how == LLVMIntSGE || how == LLVMIntULE || how == LLVMIntUGE;
    int64_t a = 0, b = 0;
    q->is_signed = how == LLVMIntSLT || how == LLVMIntSLE || how == LLVMIntSGT || how == LLVMIntSGE;
    q->a = without_constants(less ? x : y, q->is_signed, &a);
    q->b = without_constants(less ? y : x, q->is_signed, &b);
    q->distance = a - b - (or_equal ? 1 : 0);
    return less || more;
}

bool tsr__inequality_of(LLVMValueRef comparison, struct tsr__inequality *q)
{
    return LLVMIsAICmpInst(comparison) &&
           find_inequality(LLVMGetICmpPredicate(comparison), LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1), q);
}

int tsr__holds_where_it_goes_on(const struct tsr__rounds *r, LLVMValueRef condition)
{
    struct tsr__inequality x, y;
    const int way = r->goes_on_if ? 1 : -1;
    if (condition == r->goes_on)
        return way;
    if (!tsr__inequality_of(condition, &x) || !tsr__inequality_of(r->goes_on, &y) || x.is_signed != y.is_signed)
        return 0;
    if (x.a == y.a && x.b == y.b && x.distance == y.distance)
        return way;
    return x.a == y.b && x.b == y.a && x.distance == -y.distance - 1 ? -way : 0;
}

/* Is the minimum its first operand where the loop goes on? There a + distance < b, so a + x <= b + y if x - y <= distance + 1. */
static bool is_first_where_it_goes_on(const struct tsr__rounds *r, LLVMValueRef call)
{
    const char *name = tsr__name(tsr__callee(call));
    const bool is_signed = tsr__starts_with(name, "llvm.smin");
    struct tsr__inequality end;
    int64_t first = 0, second = 0;
    if ((!is_signed && !tsr__starts_with(name, "llvm.umin")) || !r->goes_on_if || !tsr__inequality_of(r->goes_on, &end) ||
        end.is_signed != is_signed || LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind)
        return false;
    return without_constants(LLVMGetOperand(call, 0), is_signed, &first) == end.a &&
           without_constants(LLVMGetOperand(call, 1), is_signed, &second) == end.b && first - second <= end.distance + 1;
}

LLVMValueRef tsr__where_it_goes_on(const struct tsr__rounds *r, LLVMValueRef v)
{
    if (LLVMIsACallInst(v) && tsr__callee(v) && is_first_where_it_goes_on(r, v))
        return LLVMGetOperand(v, 0);
    if (LLVMIsASelectInst(v)) {
        const int holds = tsr__holds_where_it_goes_on(r, LLVMGetOperand(v, 0));
        return holds ? LLVMGetOperand(v, holds > 0 ? 1 : 2) : v;
    }
    if (!LLVMIsAPHINode(v) || LLVMGetInstructionParent(v) == r->header)
        return v;
    LLVMValueRef found = NULL;
    for (unsigned e = 0; e < LLVMCountIncoming(v); e++) {
        LLVMValueRef way = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(v, e)), value = LLVMGetIncomingValue(v, e);
        const int holds = LLVMIsABranchInst(way) && LLVMIsConditional(way) ? tsr__holds_where_it_goes_on(r, LLVMGetCondition(way)) : 0;
        if (holds && LLVMGetSuccessor(way, holds > 0 ? 0 : 1) != LLVMGetInstructionParent(v))
            continue; /* from here another round follows on another way */
        if (found && found != value)
            return v;
        found = value;
    }
    return found ? found : v;
}

int64_t tsr__counter_step(const struct tsr__rounds *r, LLVMValueRef phi, bool is_signed)
{
    int64_t step;
    LLVMValueRef next = phi && LLVMIsAPHINode(phi) && LLVMGetInstructionParent(phi) == r->header ? tsr__incoming_from(phi, r->latch) : NULL;
    const bool sum = next && LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
                     (is_signed ? LLVMGetNSW(next) : LLVMGetNUW(next));
    return sum && tsr__constant_int(LLVMGetOperand(next, 1), &step) && step > 0 ? step : 0;
}

/* The inequality that holds where the loop goes on. False: that is another condition. */
static bool find_end(const struct tsr__rounds *r, struct tsr__inequality *end)
{
    if (!tsr__inequality_of(r->goes_on, end))
        return false;
    if (!r->goes_on_if) /* not a + distance < b */
        *end = (struct tsr__inequality){end->b, end->a, -end->distance - 1, end->is_signed};
    return true;
}

/* What holds, of numbers of the round, in each round that at least `rounds` others follow. */
static bool find_end_of_next(const struct tsr__rounds *r, unsigned rounds, struct tsr__inequality *end)
{
    if (!find_end(r, end) || (end->b && tsr__is_in_loop(r->cfg, end->b, r->loop)))
        return false;
    const unsigned steps = r->exiting == r->header ? rounds : rounds - 1; /* by which a has grown where the last of them is entered */
    if (!steps)
        return true;
    const int64_t step = tsr__counter_step(r, end->a, end->is_signed);
    end->distance += steps * step;
    return step;
}

/* Of a sum that may wrap. */
static LLVMValueRef without_constants_modulo(LLVMValueRef v, int64_t *sum)
{
    int64_t c;
    while (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && tsr__constant_int(LLVMGetOperand(v, 1), &c) &&
           c > INT16_MIN && c < INT16_MAX) {
        *sum += c;
        v = LLVMGetOperand(v, 0);
    }
    if (!tsr__constant_int(v, &c) || c <= INT32_MIN || c >= INT32_MAX)
        return v;
    *sum += c;
    return NULL;
}

/* What the number of this round will be in the next one; NULL: that is not known. */
static LLVMValueRef in_next_round(const struct tsr__rounds *r, LLVMValueRef v)
{
    if (!tsr__is_in_loop(r->cfg, v, r->loop))
        return v;
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == r->header ? tsr__incoming_from(v, r->latch) : NULL;
}

/* Does this round ask what the next one will begin with? Then numbers may wrap. */
static bool is_test_of_next(const struct tsr__rounds *r, LLVMValueRef condition)
{
    if (r->exiting != r->header || !LLVMIsAICmpInst(condition) || !LLVMIsAICmpInst(r->goes_on))
        return false;
    LLVMValueRef a = in_next_round(r, LLVMGetOperand(r->goes_on, 0)), b = in_next_round(r, LLVMGetOperand(r->goes_on, 1));
    return a && b && LLVMGetICmpPredicate(condition) == LLVMGetICmpPredicate(r->goes_on) && LLVMGetOperand(condition, 0) == a &&
           LLVMGetOperand(condition, 1) == b;
}

bool tsr__is_taken_if_follow(const struct tsr__rounds *r, unsigned rounds, LLVMValueRef condition, bool way)
{
    struct tsr__inequality x, y;
    const int holds = tsr__holds_where_it_goes_on(r, condition);
    if (r->exiting != r->header && holds)
        return (holds > 0) == way;
    if (rounds && is_test_of_next(r, condition))
        return r->goes_on_if == way;
    if (!find_end_of_next(r, rounds, &y))
        return false;
    if (tsr__inequality_of(condition, &x)) {
        if (x.is_signed != y.is_signed)
            return false;
        return way ? x.a == y.a && x.b == y.b && x.distance <= y.distance : x.a == y.b && x.b == y.a && -x.distance - 1 <= y.distance;
    }
    if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != (way ? LLVMIntNE : LLVMIntEQ))
        return false;
    int64_t of_a = 0, of_b = 0, first = 0, second = 0;
    LLVMValueRef a = y.a ? without_constants_modulo(y.a, &of_a) : NULL, b = y.b ? without_constants_modulo(y.b, &of_b) : NULL;
    LLVMValueRef left = without_constants_modulo(LLVMGetOperand(condition, 0), &first),
                 right = without_constants_modulo(LLVMGetOperand(condition, 1), &second);
    if (!((left == a && right == b) || (left == b && right == a)))
        return false;
    /* y.b - y.a is greater than the distance, and less than this plus what wraps; also if that is negative, where y.b is zero. */
    const int64_t difference = (left == a && right == b ? first - second : second - first) + of_b - of_a;
    return difference <= y.distance && (difference >= 0 || !y.b);
}

/* The least that a number is if the bound that the rounds are compared with is at least this; 0: that is not known. */
static int64_t least_of(LLVMValueRef v, LLVMValueRef bound, int64_t least, bool is_signed)
{
    int64_t by;
    if (v == bound)
        return least;
    if (!LLVMIsABinaryOperator(bound) || LLVMGetOperand(bound, 0) != v || !tsr__constant_int(LLVMGetOperand(bound, 1), &by) || by <= 0 ||
        by > INT16_MAX || least > INT32_MAX)
        return 0;
    switch (LLVMGetInstructionOpcode(bound)) {
    case LLVMLShr: /* of what may be negative as a number with a sign */
        return by < 16 && !is_signed ? least << by : 0;
    case LLVMAShr:
        return by < 16 ? least << by : 0;
    case LLVMUDiv:
        return is_signed ? 0 : least * by;
    case LLVMSDiv:
        return least * by;
    default:
        return 0;
    }
}

bool tsr__is_taken_if_reached(const struct tsr__rounds *r, unsigned round, LLVMValueRef condition, bool way)
{
    struct tsr__inequality end, x;
    int64_t first, n;
    if (r->exiting != r->header || !find_end(r, &end) || !end.b || tsr__is_in_loop(r->cfg, end.b, r->loop) || !end.a ||
        !LLVMIsAPHINode(end.a) || LLVMGetInstructionParent(end.a) != r->header ||
        !tsr__constant_int(tsr__incoming_from(end.a, r->before), &first) || first < 0)
        return false;
    const int64_t step = tsr__counter_step(r, end.a, end.is_signed), least = first + round * step + end.distance + 1;
    if ((round && !step) || least <= 0 || !LLVMIsAICmpInst(condition))
        return false;
    if (tsr__constant_int(LLVMGetOperand(condition, 1), &n) && n == 0 && LLVMGetICmpPredicate(condition) == (way ? LLVMIntNE : LLVMIntEQ))
        return least_of(LLVMGetOperand(condition, 0), end.b, least, false) > 0;
    if (!tsr__inequality_of(condition, &x) || (x.is_signed && !end.is_signed))
        return false;
    /* c < v, or not v < c */
    LLVMValueRef v = way ? x.b : x.a;
    const int64_t least_v = v && !(way ? x.a : x.b) ? least_of(v, end.b, least, x.is_signed) : 0;
    return least_v && (way ? x.distance < least_v : -x.distance <= least_v);
}

/* The one of a minimum's operands that is never the greater one in such a round, or NULL. */
static LLVMValueRef lesser_if_follow(const struct tsr__rounds *r, unsigned rounds, LLVMValueRef call)
{
    const char *name = tsr__callee(call) ? tsr__name(tsr__callee(call)) : "";
    const bool is_signed = tsr__starts_with(name, "llvm.smin");
    struct tsr__inequality end;
    if ((!is_signed && !tsr__starts_with(name, "llvm.umin")) || LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind ||
        !find_end_of_next(r, rounds, &end) || end.is_signed != is_signed)
        return NULL;
    for (unsigned i = 0; i < 2; i++) { /* a + distance < b, so a + x <= b + y if x - y <= distance + 1 */
        int64_t x = 0, y = 0;
        if (without_constants(LLVMGetOperand(call, i), is_signed, &x) == end.a &&
            without_constants(LLVMGetOperand(call, 1 - i), is_signed, &y) == end.b && x - y <= end.distance + 1)
            return LLVMGetOperand(call, i);
    }
    return NULL;
}

LLVMValueRef tsr__if_follow(const struct tsr__rounds *r, unsigned rounds, LLVMValueRef v)
{
    LLVMValueRef lesser = LLVMIsACallInst(v) ? lesser_if_follow(r, rounds, v) : NULL;
    if (LLVMIsASelectInst(v) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind)
        for (unsigned way = 0; way < 2; way++)
            if (tsr__is_taken_if_follow(r, rounds, LLVMGetOperand(v, 0), way))
                return LLVMGetOperand(v, way ? 1 : 2);
    return lesser ? lesser : v;
}

/* ---- the same computation elsewhere ---- */

static bool commutes(LLVMOpcode op)
{
    return op == LLVMAdd || op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

/* Does it compare as `inst` does, but these operands? LLVM writes 32 < n as n > 32. */
static bool is_like_comparison(LLVMValueRef a, LLVMValueRef inst, LLVMValueRef const *operands)
{
    struct tsr__inequality x, y;
    return tsr__inequality_of(a, &x) && find_inequality(LLVMGetICmpPredicate(inst), operands[0], operands[1], &y) && x.a == y.a &&
           x.b == y.b && x.distance == y.distance && x.is_signed == y.is_signed;
}

static bool is_like(LLVMValueRef a, LLVMValueRef inst, LLVMValueRef const *operands)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    const int count = LLVMGetNumOperands(inst);
    if (!LLVMIsAInstruction(a) || LLVMGetInstructionOpcode(a) != op || LLVMTypeOf(a) != LLVMTypeOf(inst) || LLVMGetNumOperands(a) != count)
        return false;
    if (op == LLVMICmp && is_like_comparison(a, inst, operands))
        return true;
    if (op == LLVMICmp && LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(inst))
        return false;
    if (op == LLVMGetElementPtr && LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(inst))
        return false;
    bool same = true;
    for (int i = 0; i < count; i++)
        same = same && LLVMGetOperand(a, (unsigned)i) == operands[i];
    return same || (commutes(op) && LLVMGetOperand(a, 0) == operands[1] && LLVMGetOperand(a, 1) == operands[0]);
}

LLVMValueRef tsr__instruction_like(const struct tsr__rounds *r, LLVMValueRef inst, LLVMValueRef const *operands,
                                   bool (*accepts)(const struct tsr__rounds *r, LLVMValueRef found))
{
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        if (LLVMIsAConstant(operands[i]) && !LLVMIsAFunction(operands[i]))
            continue; /* which has users elsewhere */
        for (LLVMUseRef use = LLVMGetFirstUse(operands[i]); use; use = LLVMGetNextUse(use))
            if (is_like(LLVMGetUser(use), inst, operands) && accepts(r, LLVMGetUser(use)))
                return LLVMGetUser(use);
        return NULL;
    }
    return NULL;
}

static bool is_before(const struct tsr__rounds *r, LLVMValueRef found)
{
    if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(found)) != r->cfg->function)
        return false;
    const int block = tsr__cfg_number(r->cfg, LLVMGetInstructionParent(found));
    return block != TSR__NONE && tsr__dominates(r->cfg, block, tsr__cfg_number(r->cfg, r->before));
}

/* ---- flags ---- */

static bool has_wrap_flags(LLVMOpcode op)
{
    return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
}

static bool is_exactable(LLVMOpcode op)
{
    return op == LLVMLShr || op == LLVMAShr || op == LLVMUDiv || op == LLVMSDiv;
}

static void drop_wrap_flags(LLVMValueRef made)
{
    if (has_wrap_flags(LLVMGetInstructionOpcode(made))) {
        LLVMSetNUW(made, false);
        LLVMSetNSW(made, false);
    } else if (LLVMIsAGetElementPtrInst(made))
        LLVMGEPSetNoWrapFlags(made, 0);
}

void tsr__common_flags(LLVMValueRef made, LLVMValueRef other)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(made);
    if (has_wrap_flags(op)) {
        LLVMSetNUW(made, LLVMGetNUW(made) && LLVMGetNUW(other));
        LLVMSetNSW(made, LLVMGetNSW(made) && LLVMGetNSW(other));
    } else if (is_exactable(op))
        LLVMSetExact(made, LLVMGetExact(made) && LLVMGetExact(other));
    else if (op == LLVMOr)
        LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(made) && LLVMGetIsDisjoint(other));
    else if (op == LLVMZExt)
        LLVMSetNNeg(made, LLVMGetNNeg(made) && LLVMGetNNeg(other));
    else if (op == LLVMGetElementPtr)
        LLVMGEPSetNoWrapFlags(made, LLVMGEPGetNoWrapFlags(made) & LLVMGEPGetNoWrapFlags(other));
}

unsigned tsr__flags_of_constants(LLVMOpcode op, LLVMTypeRef type, LLVMValueRef const *operands)
{
    int64_t a = 0, b = 0;
    const unsigned width = LLVMGetIntTypeWidth(type);
    if (!tsr__constant_int(operands[0], &a) || (op != LLVMZExt && !tsr__constant_int(operands[1], &b)) || a < 0 || a >= INT32_MAX ||
        b < 0 || b >= INT32_MAX)
        return 0;
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl: {
        const __int128 exact = op == LLVMAdd    ? a + b
                               : op == LLVMSub  ? a - b
                               : op == LLVMMul  ? (__int128)a * b
                               : b < (int)width ? (__int128)a << b
                                                : -1;
        return exact >= 0 && exact < (__int128)1 << (width - 1) ? TSR__SIGNED_FITS | TSR__UNSIGNED_FITS : 0;
    }
    case LLVMLShr:
    case LLVMAShr:
        return b < (int)width && a % ((__int128)1 << b) == 0 ? TSR__LEAVES_NO_REST : 0;
    case LLVMUDiv:
    case LLVMSDiv:
        return b && a % b == 0 ? TSR__LEAVES_NO_REST : 0;
    case LLVMOr:
        return a & b ? 0 : TSR__BITS_ARE_APART;
    case LLVMZExt:
        return TSR__NOT_NEGATIVE;
    default:
        return 0;
    }
}

/* Flags that do not hold of the computation on these constants go. */
static void keep_flags_of_constants(LLVMValueRef made, LLVMValueRef const *operands)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(made);
    if (LLVMGetTypeKind(LLVMTypeOf(made)) != LLVMIntegerTypeKind || (!LLVMIsABinaryOperator(made) && op != LLVMZExt))
        return;
    const unsigned hold = tsr__flags_of_constants(op, LLVMTypeOf(made), operands);
    if (has_wrap_flags(op)) {
        LLVMSetNUW(made, LLVMGetNUW(made) && hold & TSR__UNSIGNED_FITS);
        LLVMSetNSW(made, LLVMGetNSW(made) && hold & TSR__SIGNED_FITS);
    } else if (is_exactable(op))
        LLVMSetExact(made, LLVMGetExact(made) && hold & TSR__LEAVES_NO_REST);
    else if (op == LLVMOr)
        LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(made) && hold & TSR__BITS_ARE_APART);
    else if (op == LLVMZExt)
        LLVMSetNNeg(made, LLVMGetNNeg(made) && hold & TSR__NOT_NEGATIVE);
}

/* ---- the first round ---- */

LLVMValueRef tsr__simplified(LLVMValueRef inst, LLVMValueRef const *x)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMOr:
    case LLVMXor:
        return tsr__is_constant(x[0], 0) ? x[1] : tsr__is_constant(x[1], 0) ? x[0] : NULL;
    case LLVMSub:
        return tsr__is_constant(x[1], 0) ? x[0] : NULL;
    case LLVMMul:
        if (tsr__is_constant(x[0], 0) || tsr__is_constant(x[1], 1))
            return x[0];
        return tsr__is_constant(x[1], 0) || tsr__is_constant(x[0], 1) ? x[1] : NULL;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        return tsr__is_constant(x[1], 0) || tsr__is_constant(x[0], 0) ? x[0] : NULL;
    case LLVMAnd:
        return tsr__is_constant(x[0], 0) ? x[0] : tsr__is_constant(x[1], 0) ? x[1] : NULL;
    case LLVMGetElementPtr:
        return LLVMGetNumIndices(inst) == 1 && tsr__is_constant(x[1], 0) ? x[0] : NULL;
    default:
        return NULL;
    }
}

static LLVMValueRef folded(struct tsr__rounds *r, LLVMValueRef inst, LLVMValueRef const *x)
{
    LLVMValueRef made = NULL;
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        if (!LLVMIsAConstantInt(x[i]))
            return NULL;
    if (LLVMIsABinaryOperator(inst))
        made = LLVMBuildBinOp(r->b, LLVMGetInstructionOpcode(inst), x[0], x[1], "");
    else if (LLVMIsACastInst(inst))
        made = LLVMBuildCast(r->b, LLVMGetInstructionOpcode(inst), x[0], LLVMTypeOf(inst), "");
    else if (LLVMIsAICmpInst(inst))
        made = LLVMBuildICmp(r->b, LLVMGetICmpPredicate(inst), x[0], x[1], "");
    return made && LLVMIsAConstantInt(made) ? made : NULL;
}

/* What the instruction gives on operands of the first round; flags of `made`, which stands for it in all rounds, that do not hold there
 * go. */
static LLVMValueRef in_first_round(struct tsr__rounds *r, LLVMValueRef inst, LLVMValueRef made, LLVMValueRef const *operands)
{
    LLVMValueRef found = tsr__simplified(inst, operands);
    if (found)
        return found;
    if ((found = folded(r, inst, operands)) != NULL) {
        keep_flags_of_constants(made, operands);
        return found;
    }
    if ((found = tsr__instruction_like(r, inst, operands, is_before)) != NULL)
        tsr__common_flags(made, found);
    return found;
}

/* ---- the round before ---- */

bool tsr__is_computed(LLVMValueRef v)
{
    if (LLVMIsABinaryOperator(v)) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(v);
        return (op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem) || LLVMIsAConstantInt(LLVMGetOperand(v, 1));
    }
    return LLVMIsACastInst(v) || LLVMIsAICmpInst(v) || LLVMIsASelectInst(v) || LLVMIsAGetElementPtrInst(v) ||
           LLVMIsAExtractElementInst(v) || tsr__is_query(tsr__call_of(v)) || tsr__call_of(v) == TSR__CALL_SAME ||
           (tsr__callee(v) && tsr__is_extreme(tsr__callee(v)));
}

static bool is_sum(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd;
}

/* Of a phi of the header to which each round adds a constant: a counter that is a step behind, of which the phi becomes the next value.
 * The loop begins with a constant, or with such a sum. */
static struct tsr__earlier counter_before(struct tsr__rounds *r, LLVMValueRef phi)
{
    LLVMValueRef next = tsr__incoming_from(phi, r->latch), first = tsr__incoming_from(phi, r->before);
    if (!is_sum(next) || LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return (struct tsr__earlier){0};
    LLVMValueRef step = LLVMGetOperand(next, 1);
    const bool sum = is_sum(first) && LLVMGetOperand(first, 1) == step;
    if (!sum && !LLVMIsAConstantInt(first))
        return (struct tsr__earlier){0};
    LLVMBuilderRef b = tsr__builder_before(r->l, LLVMGetFirstInstruction(r->header));
    LLVMValueRef behind = LLVMBuildPhi(b, LLVMTypeOf(phi), ""), sums[2], from = sum ? LLVMGetOperand(first, 0) : LLVMConstSub(first, step);
    sums[0] = from;
    sums[1] = LLVMInstructionClone(next);
    LLVMReplaceAllUsesWith(phi, sums[1]);
    LLVMSetOperand(sums[1], 0, behind);
    LLVMPositionBuilderBefore(b, tsr__after_phis(behind)); /* in front of what is computed of the phi already */
    LLVMInsertIntoBuilder(b, sums[1]);
    LLVMDisposeBuilder(b);
    if (sum)
        tsr__common_flags(sums[1], first);
    else
        keep_flags_of_constants(sums[1], (LLVMValueRef[]){from, step});
    LLVMAddIncoming(behind, sums, (LLVMBasicBlockRef[]){r->before, r->latch}, 2);
    return (struct tsr__earlier){behind, from};
}

/* The phi of which the value is the next one, or NULL. */
static LLVMValueRef phi_that_becomes(const struct tsr__rounds *r, LLVMValueRef v)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(r->header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        if (tsr__incoming_from(phi, r->latch) == v)
            return phi;
    return NULL;
}

LLVMValueRef tsr__clone_on(struct tsr__rounds *r, LLVMValueRef inst, LLVMValueRef const *operands)
{
    if (LLVMIsATruncInst(inst)) /* without flags, which cannot be asked for */
        return LLVMBuildTrunc(r->b, operands[0], LLVMTypeOf(inst), "");
    LLVMValueRef made = LLVMInstructionClone(inst);
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        LLVMSetOperand(made, (unsigned)i, operands[i]);
    if (LLVMIsAICmpInst(made))
        LLVMSetICmpSameSign(made, false);
    LLVMInsertIntoBuilder(r->b, made);
    return made;
}

static struct tsr__earlier value_of_round(struct tsr__rounds *r, LLVMValueRef v, bool before);

/* The operation, of operands of the round before, or of this one. `flags`: those of the original hold. */
static struct tsr__earlier operation_of_round(struct tsr__rounds *r, LLVMValueRef v, bool before, bool flags)
{
    LLVMValueRef now[MAX_OPERANDS], first[MAX_OPERANDS];
    const struct tsr__earlier none = {0};
    const int count = LLVMGetNumOperands(v);
    if (!tsr__is_computed(v) || count > MAX_OPERANDS)
        return none;
    for (int i = 0; i < count; i++) {
        const struct tsr__earlier x = value_of_round(r, LLVMGetOperand(v, (unsigned)i), before);
        if (!x.now)
            return none;
        now[i] = x.now;
        first[i] = x.first;
    }
    LLVMValueRef made = tsr__clone_on(r, v, now);
    if (!flags)
        drop_wrap_flags(made);
    LLVMValueRef begins = in_first_round(r, v, made, first);
    return begins ? (struct tsr__earlier){made, begins} : none;
}

/* Does the value grow by its step, of numbers with signs or without, and never wrap? So it grows once it is extended, or divided. */
static bool grows_exactly(const struct tsr__rounds *r, LLVMValueRef v, bool is_signed)
{
    if (!tsr__is_in_loop(r->cfg, v, r->loop) || LLVMIsAPHINode(v)) /* step_of asks for both flags of its next value */
        return true;
    return (is_sum(v) || LLVMGetInstructionOpcode(v) == LLVMShl) && (is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v));
}

/* By how much the value grows from round to round. False: not by a constant. */
static bool step_of(const struct tsr__rounds *r, LLVMValueRef v, int64_t *step)
{
    int64_t a, b;
    *step = 0;
    if (!tsr__is_in_loop(r->cfg, v, r->loop))
        return true;
    if (LLVMIsAPHINode(v)) {
        LLVMValueRef next = LLVMGetInstructionParent(v) == r->header ? tsr__incoming_from(v, r->latch) : NULL;
        return next && is_sum(next) && LLVMGetOperand(next, 0) == v && LLVMGetNSW(next) && LLVMGetNUW(next) &&
               tsr__constant_int(LLVMGetOperand(next, 1), step);
    }
    if (LLVMIsAGetElementPtrInst(v)) {
        const LLVMTargetDataRef layout = LLVMGetModuleDataLayout(r->l->module);
        if (LLVMGetNumIndices(v) != 1 || !step_of(r, LLVMGetOperand(v, 0), &a) || !step_of(r, LLVMGetOperand(v, 1), &b))
            return false;
        *step = a + b * (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(v));
        return true;
    }
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        return grows_exactly(r, LLVMGetOperand(v, 0), LLVMIsASExtInst(v)) && step_of(r, LLVMGetOperand(v, 0), step);
    if (!LLVMIsABinaryOperator(v) || !step_of(r, LLVMGetOperand(v, 0), &a))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
        *step = a;
        return step_of(r, LLVMGetOperand(v, 1), &b) && (*step = a + b, true);
    case LLVMShl:
        return tsr__constant_int(LLVMGetOperand(v, 1), &b) && b >= 0 && b < 32 && (*step = a * (INT64_C(1) << b), true);
    case LLVMLShr:
        return LLVMGetExact(v) && grows_exactly(r, LLVMGetOperand(v, 0), false) && tsr__constant_int(LLVMGetOperand(v, 1), &b) && b >= 0 &&
               b < 32 && a % (INT64_C(1) << b) == 0 && (*step = a >> b, true);
    default:
        return false;
    }
}

/* A sum with the constant by which its other operand grows in a round: in the round before it was what that operand is now. NULL: it is
 * none. */
static LLVMValueRef sum_with_step(const struct tsr__rounds *r, LLVMValueRef v)
{
    int64_t add, step, size = 1;
    const bool gep = LLVMIsAGetElementPtrInst(v) && LLVMGetNumIndices(v) == 1;
    if ((!gep && !is_sum(v)) || !tsr__constant_int(LLVMGetOperand(v, 1), &add))
        return NULL;
    if (gep)
        size = (int64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(r->l->module), LLVMGetGEPSourceElementType(v));
    return step_of(r, LLVMGetOperand(v, 0), &step) && step == add * size && step ? LLVMGetOperand(v, 0) : NULL;
}

static struct tsr__earlier find_value(struct tsr__rounds *r, LLVMValueRef v, bool before)
{
    LLVMValueRef phi = before ? phi_that_becomes(r, v) : LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == r->header ? v : NULL, sum;
    if (phi)
        return (struct tsr__earlier){phi, tsr__incoming_from(phi, r->before)};
    if (!before)
        return operation_of_round(r, v, before, false);
    if ((sum = sum_with_step(r, v)) != NULL) { /* which is then what `v` was, and so wraps as little */
        const struct tsr__earlier x = LLVMIsAPHINode(sum) ? value_of_round(r, sum, false) : operation_of_round(r, sum, false, true);
        if (x.now)
            return x;
    }
    if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == r->header)
        return counter_before(r, v);
    LLVMValueRef only = tsr__where_it_goes_on(r, v);
    return only != v ? value_of_round(r, only, before) : operation_of_round(r, v, before, true);
}

static struct tsr__earlier value_of_round(struct tsr__rounds *r, LLVMValueRef v, bool before)
{
    struct tsr__map *map = before ? &r->before_known : &r->known;
    if (!tsr__is_in_loop(r->cfg, v, r->loop))
        return (struct tsr__earlier){v, v};
    struct tsr__earlier *known = (struct tsr__earlier *)tsr__map_get(map, v);
    if (!known) {
        known = tsr_arena_alloc(map->arena, sizeof *known);
        *known = (struct tsr__earlier){0};
        tsr__map_set(map, v, (uintptr_t)known); /* a value that depends on itself has none */
        *known = find_value(r, v, before);
    }
    return *known;
}

struct tsr__earlier tsr__round_before(struct tsr__rounds *r, LLVMValueRef v)
{
    return value_of_round(r, v, true);
}
