/* SPDX-License-Identifier: Apache-2.0
 * Loops with matrix functions that check ranges run most of their rounds without checks.
 *
 * A kernel for matrices of any size loads what is inside of them, and zeros else: `row + r < m && k + lane < n ? a[…] : 0`. Such loads are
 * none of a tile. But in most rounds of most work-groups all checks hold. So the loop is split, as inductive range check elimination
 * does: rounds in which every check of each work-item of the group holds run in a copy without checks, and what is left, the last round or
 * all of them, in the loop as it was.
 *
 * A check compares what grows from round to round, or over the work-items, with a bound that is the same for all. So it holds in all rounds
 * up to one if it holds there with the largest ids of the work-group; code before the loop finds that out, with 64 bits, so that
 * nothing wraps. If the last round fails, the one before it is tried. All work-items of a group come to the same result, so they
 * meet in matrix functions and at barriers as before. */
#include "lanes/prepare/rounds.h"

#include "lanes/analysis/packet_support.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"

enum { MAX_CHECKS = 256, MAX_DEPTH = 24 };

/* Numbers of 64 bits are taken to be below this, so that sums and small multiples of them do not wrap. */
#define MOST_OF_64_BITS (UINT64_C(1) << 40)

struct check {
    LLVMValueRef comparison;
    bool holds_if; /* what it gives where the check holds */
};

/* A branch or select in the loop that goes one way where all is inside, or a minimum that is its first operand there. */
struct choice {
    LLVMValueRef inst;
    bool way; /* its condition there */
};

struct range_checks {
    struct tsr__rounds r;
    unsigned sub_group_size;
    LLVMBuilderRef b;                 /* before the loop */
    LLVMValueRef counter, next, step; /* a phi of the loop, what it becomes, and by how much it grows */
    struct check checks[MAX_CHECKS];
    struct choice choices[MAX_CHECKS];
    unsigned check_count, choice_count;
    struct tsr__map copies;
    LLVMValueRef first; /* the counter, as a number of 64 bits, in the first round */
    LLVMValueRef at;    /* … where `most_of` looks */
    LLVMValueRef sound; /* a condition under which its numbers are right */
};

static LLVMTypeRef i64(const struct range_checks *x)
{
    return LLVMInt64TypeInContext(x->r.l->context);
}

static LLVMValueRef both(struct range_checks *x, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(x->b, a, b, "");
}

/* ---- values that are the same for a work-group ----------------------------------------------------------------------------------------
 */

/* What the group, or all of the launch, has one of. */
static bool is_same_query(enum tsr__engine_call call)
{
    const enum tsr__call_how how = tsr__call_info(call)->how;
    return tsr__is_query(call) && (how == TSR__HOW_GROUP_DIM || how == TSR__HOW_GROUP) && tsr__call_info(call)->type != TSR__CALL_PTR;
}

/* Is the value the same for all work-items of a work-group and in all rounds, and can it be computed before the loop? */
static bool is_same(const struct range_checks *x, LLVMValueRef v, int depth)
{
    if (!LLVMIsAInstruction(v))
        return LLVMIsAConstant(v) || LLVMIsAArgument(v);
    const enum tsr__engine_call call = tsr__call_of(v);
    if (call != TSR__CALL_NONE)
        return is_same_query(call);
    bool same = depth && tsr__is_computed(v);
    for (int i = 0; same && i < LLVMGetNumOperands(v); i++)
        same = is_same(x, LLVMGetOperand(v, (unsigned)i), depth - 1);
    return same;
}

/* Such a value, before the loop. */
static LLVMValueRef before_loop(struct range_checks *x, LLVMValueRef v)
{
    if (!tsr__is_in_loop(x->r.cfg, v, x->r.loop))
        return v;
    LLVMValueRef made = (LLVMValueRef)tsr__map_get(&x->copies, v);
    if (made)
        return made;
    made = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(made, (unsigned)i, before_loop(x, LLVMGetOperand(v, (unsigned)i)));
    LLVMInsertIntoBuilder(x->b, made);
    tsr__map_set(&x->copies, v, (uintptr_t)made);
    return made;
}

static void require(struct range_checks *x, LLVMValueRef condition)
{
    x->sound = both(x, x->sound, condition);
}

/* A value that is the same for all, as a number of 64 bits. */
static LLVMValueRef wide_same(struct range_checks *x, LLVMValueRef v, bool is_signed)
{
    LLVMValueRef made = before_loop(x, v);
    if (LLVMTypeOf(made) != i64(x))
        return is_signed ? LLVMBuildSExt(x->b, made, i64(x), "") : LLVMBuildZExt(x->b, made, i64(x), "");
    require(x, LLVMBuildICmp(x->b, LLVMIntULT, made, tsr__i64(x->r.l, MOST_OF_64_BITS), ""));
    return made;
}

/* ---- the largest value of a work-group
 * ---------------------------------------------------------------------------------------------------
 */

static LLVMValueRef query(struct range_checks *x, enum tsr__engine_call call, int dim)
{
    LLVMValueRef made = tsr__build_query(x->r.l, x->b, call, dim);
    return LLVMTypeOf(made) == i64(x) ? made : LLVMBuildZExt(x->b, made, i64(x), "");
}

static LLVMValueRef most_of_query(struct range_checks *x, LLVMValueRef call)
{
    LLVMValueRef one = tsr__i64(x->r.l, 1), most;
    int64_t dim = -1;
    if (LLVMGetNumArgOperands(call) && (!tsr__constant_int(LLVMGetOperand(call, 0), &dim) || dim < 0 || dim > 2))
        return NULL;
    switch (tsr__call_of(call)) {
    case TSR__CALL_LANE:
        return tsr__i64(x->r.l, x->sub_group_size - 1);
    case TSR__CALL_SUB_GROUP_ID:
        return LLVMBuildSub(x->b, query(x, TSR__CALL_NUM_SUB_GROUPS, -1), one, "");
    case TSR__CALL_LOCAL_ID:
        return LLVMBuildSub(x->b, query(x, TSR__CALL_LOCAL_SIZE, (int)dim), one, "");
    case TSR__CALL_LINEAR_ID:
        most = query(x, TSR__CALL_LOCAL_SIZE, 0);
        for (int d = 1; d < 3; d++)
            most = LLVMBuildMul(x->b, most, query(x, TSR__CALL_LOCAL_SIZE, d), "");
        return LLVMBuildSub(x->b, most, one, "");
    case TSR__CALL_GLOBAL_ID:
        most = LLVMBuildMul(x->b, query(x, TSR__CALL_GROUP_ID, (int)dim), query(x, TSR__CALL_ENQUEUED_LOCAL_SIZE, (int)dim), "");
        most = LLVMBuildAdd(x->b, most, query(x, TSR__CALL_LOCAL_SIZE, (int)dim), "");
        most = LLVMBuildAdd(x->b, most, query(x, TSR__CALL_GLOBAL_OFFSET, (int)dim), "");
        require(x, LLVMBuildICmp(x->b, LLVMIntULE, most, tsr__i64(x->r.l, MOST_OF_64_BITS), ""));
        return LLVMBuildSub(x->b, most, one, "");
    default:
        return NULL;
    }
}

static LLVMValueRef most_of(struct range_checks *x, LLVMValueRef v, bool is_signed, int depth);

/* Is a signed number not negative, if it is as `most_of` requires? */
static bool is_natural(const struct range_checks *x, LLVMValueRef v, int depth)
{
    int64_t c;
    if (v == x->counter)
        return tsr__constant_int(tsr__incoming_from(v, x->r.before), &c) && c >= 0 && LLVMGetNSW(x->next);
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
        return is_natural(x, LLVMGetOperand(v, 0), depth);
    case LLVMAdd:
    case LLVMOr:
    case LLVMMul:
    case LLVMShl:
        return is_natural(x, LLVMGetOperand(v, 0), depth) && is_natural(x, LLVMGetOperand(v, 1), depth);
    default:
        return false;
    }
}

static LLVMValueRef checked_sum(struct range_checks *x, LLVMValueRef sum, bool may_wrap)
{
    if (may_wrap)
        require(x, LLVMBuildICmp(x->b, LLVMIntSLE, sum, tsr__i64(x->r.l, INT32_MAX), ""));
    return sum;
}

static LLVMValueRef most_of_operation(struct range_checks *x, LLVMValueRef v, bool is_signed, int depth)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef first = LLVMGetOperand(v, 0), second = LLVMGetOperand(v, 1), a, b;
    int64_t c = 0;
    const bool by_constant = tsr__constant_int(second, &c) && c >= 0 && c < 1 << 16;
    /* A signed sum of 32 bits that may wrap is right if it is not too large, as one part is not negative. */
    const bool may_wrap = is_signed && LLVMTypeOf(v) != i64(x) && (op == LLVMAdd || op == LLVMMul || op == LLVMShl) && !LLVMGetNSW(v);
    if (may_wrap && !is_natural(x, first, depth) && (op != LLVMAdd || !is_natural(x, second, depth)))
        return NULL;
    switch (op) {
    case LLVMAdd:
    case LLVMOr:
        if (op == LLVMOr && !LLVMGetIsDisjoint(v))
            return NULL;
        a = most_of(x, first, is_signed, depth);
        b = a ? most_of(x, second, is_signed, depth) : NULL;
        return b ? checked_sum(x, LLVMBuildAdd(x->b, a, b, ""), may_wrap) : NULL;
    case LLVMMul:
    case LLVMShl:
        if (!by_constant || (op == LLVMShl && c > 16) || !(a = most_of(x, first, is_signed, depth)))
            return NULL;
        return checked_sum(x, LLVMBuildMul(x->b, a, tsr__i64(x->r.l, op == LLVMShl ? UINT64_C(1) << c : (uint64_t)c), ""), may_wrap);
    case LLVMLShr:
    case LLVMUDiv:
        if (!by_constant || !c || (op == LLVMLShr && c > 16) || (is_signed && !is_natural(x, first, depth)) ||
            !(a = most_of(x, first, is_signed, depth)))
            return NULL;
        return LLVMBuildSDiv(x->b, a, tsr__i64(x->r.l, op == LLVMLShr ? UINT64_C(1) << c : (uint64_t)c), "");
    case LLVMAnd: /* a mask of the upper bits leaves no more than there is */
        if (c < 0)
            return most_of(x, first, is_signed, depth);
        return by_constant ? tsr__i64(x->r.l, (uint64_t)c) : NULL;
    case LLVMURem:
        return by_constant && c ? tsr__i64(x->r.l, (uint64_t)c - 1) : NULL;
    default:
        return NULL;
    }
}

/* At least what the value is for any work-item of the group, in the round where the counter is `x->at`, as a number of 64 bits; of an
 * unsigned number, before anything wraps. NULL: not known. */
static LLVMValueRef most_of(struct range_checks *x, LLVMValueRef v, bool is_signed, int depth)
{
    LLVMValueRef a;
    if (is_same(x, v, MAX_DEPTH))
        return wide_same(x, v, is_signed);
    if (!depth--)
        return NULL;
    if (v == x->counter || v == x->next) {
        if (!is_signed) /* a counter that begins below zero is large there at first */
            require(x, LLVMBuildICmp(x->b, LLVMIntSGE, x->first, tsr__i64(x->r.l, 0), ""));
        return v == x->counter ? x->at : LLVMBuildAdd(x->b, x->at, x->step, "");
    }
    if (tsr__call_of(v) != TSR__CALL_NONE)
        return most_of_query(x, v);
    if (LLVMIsABinaryOperator(v))
        return most_of_operation(x, v, is_signed, depth);
    if (LLVMIsASExtInst(v))
        return is_signed ? most_of(x, LLVMGetOperand(v, 0), true, depth) : NULL;
    if (LLVMIsAZExtInst(v))
        return most_of(x, LLVMGetOperand(v, 0), false, depth);
    if (!LLVMIsATruncInst(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 32 || !(a = most_of(x, LLVMGetOperand(v, 0), false, depth)))
        return NULL;
    require(x, LLVMBuildICmp(x->b, LLVMIntULE, a, tsr__i64(x->r.l, is_signed ? INT32_MAX : UINT32_MAX), ""));
    return a;
}

/* Does the check hold in all rounds up to this one, for all work-items? NULL: not known. */
static LLVMValueRef holds(struct range_checks *x, const struct check *check)
{
    LLVMValueRef c = check->comparison;
    if (is_same(x, c, MAX_DEPTH)) {
        LLVMValueRef made = before_loop(x, c);
        return check->holds_if ? made : LLVMBuildNot(x->b, made, "");
    }
    LLVMIntPredicate how = LLVMGetICmpPredicate(c);
    LLVMValueRef left = LLVMGetOperand(c, 0), right = LLVMGetOperand(c, 1);
    how = check->holds_if ? how : tsr__opposite_of(how);
    if (!is_same(x, right, MAX_DEPTH)) {
        LLVMValueRef swapped = left;
        left = right;
        right = swapped;
        how = tsr__swapped(how);
    }
    const bool is_signed = how == LLVMIntSLT || how == LLVMIntSLE, less = how == LLVMIntSLT || how == LLVMIntULT;
    if ((!is_signed && !less && how != LLVMIntULE) || !is_same(x, right, MAX_DEPTH))
        return NULL;
    LLVMValueRef most = most_of(x, left, is_signed, MAX_DEPTH);
    return most ? LLVMBuildICmp(x->b, less ? LLVMIntSLT : LLVMIntSLE, most, wide_same(x, right, is_signed), "") : NULL;
}

/* Of all checks, in the round where the counter is this. NULL: one is not known. */
static LLVMValueRef all_hold(struct range_checks *x, LLVMValueRef at)
{
    LLVMValueRef all = x->sound = LLVMConstInt(LLVMInt1TypeInContext(x->r.l->context), 1, false);
    x->at = at;
    for (unsigned i = 0; i < x->check_count; i++) {
        LLVMValueRef one = holds(x, &x->checks[i]);
        if (!one)
            return NULL;
        all = both(x, all, LLVMBuildFreeze(x->b, one, "")); /* which the loop might not have computed */
    }
    return both(x, all, LLVMBuildFreeze(x->b, x->sound, ""));
}

/* ---- the checks of a loop
 * ------------------------------------------------------------------------------------------------------------------
 */

/* Adds the comparisons that make the condition `way`. False: there are others than such that all have to hold. */
static bool add_checks(struct range_checks *x, LLVMValueRef condition, bool way, int depth)
{
    LLVMValueRef a, b;
    if (LLVMIsAConstantInt(condition))
        return tsr__is_constant(condition, 0) != way;
    if (LLVMIsAICmpInst(condition)) {
        for (unsigned i = 0; i < x->check_count; i++)
            if (x->checks[i].comparison == condition && x->checks[i].holds_if == way)
                return true;
        if (x->check_count == MAX_CHECKS || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(condition, 0))) != LLVMIntegerTypeKind)
            return false;
        x->checks[x->check_count++] = (struct check){condition, way};
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

/* A branch around a block, or blocks, that nothing else leads to: the way into it is the one where all is inside. */
static bool add_branch(struct range_checks *x, const struct tsr__block *block)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const int inside = block->succ[0] == block->ipdom ? block->succ[1] : block->succ[0];
    if (block->succ[0] != block->ipdom && block->succ[1] != block->ipdom)
        return false;
    const bool way = LLVMGetSuccessor(block->terminator, 0) == cfg->blocks[inside].ref;
    if (x->choice_count == MAX_CHECKS || !add_checks(x, LLVMGetCondition(block->terminator), way, MAX_DEPTH))
        return false;
    x->choices[x->choice_count++] = (struct choice){block->terminator, way};
    return true;
}

/* Takes the choice if its checks are known to be ones of ranges. Else it stays in the loop. */
static void add_if_known(struct range_checks *x, LLVMValueRef inst, LLVMValueRef condition, bool way)
{
    const unsigned checks = x->check_count;
    bool known = add_checks(x, condition, way, MAX_DEPTH);
    x->at = x->first = tsr__i64(x->r.l, 0);
    x->sound = LLVMConstInt(LLVMInt1TypeInContext(x->r.l->context), 1, false);
    for (unsigned i = checks; known && i < x->check_count; i++)
        known = holds(x, &x->checks[i]); /* whose code goes unused */
    if (known)
        x->choices[x->choice_count++] = (struct choice){inst, way};
    else
        x->check_count = checks;
}

/* A zero instead of a number, but for the index of a next round where there is none: the loop goes on without it (unpipeline.c). */
static void add_select(struct range_checks *x, LLVMValueRef select)
{
    const bool way = LLVMIsNull(LLVMGetOperand(select, 2));
    LLVMTypeRef condition = LLVMTypeOf(LLVMGetOperand(select, 0));
    if (LLVMGetTypeKind(condition) == LLVMIntegerTypeKind && LLVMTypeOf(select) != condition && x->choice_count < MAX_CHECKS &&
        (way || LLVMIsNull(LLVMGetOperand(select, 1))) && !tsr__holds_where_it_goes_on(&x->r, LLVMGetOperand(select, 0)))
        add_if_known(x, select, LLVMGetOperand(select, 0), way);
}

/* A limit: the number where it is no more. */
static void add_minimum(struct range_checks *x, LLVMValueRef call)
{
    const char *name = tsr__name(tsr__callee(call));
    const bool is_signed = tsr__starts_with(name, "llvm.smin");
    if ((!is_signed && !tsr__starts_with(name, "llvm.umin")) || x->choice_count == MAX_CHECKS ||
        LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind || !is_same(x, LLVMGetOperand(call, 1), MAX_DEPTH))
        return;
    LLVMBuilderRef b = tsr__builder_before(x->r.l, call);
    LLVMValueRef less = LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "");
    LLVMDisposeBuilder(b);
    add_if_known(x, call, less, true);
}

/* True: the loop multiplies, and chooses only by checks of ranges, of which there are some, and whether it goes on. */
static bool find_checks(struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    bool products = false;
    for (int k = loop->begin; k < loop->end; k++) {
        const struct tsr__block *block = &cfg->blocks[k];
        if (block->loop != x->r.loop || !LLVMIsABranchInst(block->terminator))
            return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
            products = products || tsr__is_product(i);
            if (LLVMIsASelectInst(i))
                add_select(x, i);
            else if (tsr__callee(i))
                add_minimum(x, i);
        }
        if (block->succ_count == 2 && block->ref != x->r.latch &&
            !tsr__holds_where_it_goes_on(&x->r, LLVMGetCondition(block->terminator)) && !add_branch(x, block))
            return false;
    }
    return products && x->choice_count;
}

/* The counter that ends the loop: it grows by a constant, up to a bound. An unsigned one that may wrap does not, unless the bound is so
 * large that it could. */
static bool find_counter(struct range_checks *x, struct tsr__inequality *end)
{
    int64_t step;
    if (!x->r.goes_on_if || !tsr__inequality_of(x->r.goes_on, end) || !end->a || (end->b && !is_same(x, end->b, MAX_DEPTH)))
        return false;
    const bool of_next = LLVMIsABinaryOperator(end->a) && !end->is_signed && end->b && !end->distance;
    x->counter = of_next ? LLVMGetOperand(end->a, 0) : end->a;
    if (!LLVMIsAPHINode(x->counter) || LLVMGetInstructionParent(x->counter) != x->r.header ||
        !is_same(x, tsr__incoming_from(x->counter, x->r.before), MAX_DEPTH))
        return false;
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(x->counter));
    if (width != 32 && width != 64)
        return false;
    x->next = tsr__incoming_from(x->counter, x->r.latch);
    if (!LLVMIsABinaryOperator(x->next) || LLVMGetInstructionOpcode(x->next) != LLVMAdd || LLVMGetOperand(x->next, 0) != x->counter ||
        !tsr__constant_int(LLVMGetOperand(x->next, 1), &step) || step <= 0 || step > 1 << 16)
        return false;
    x->step = tsr__i64(x->r.l, (uint64_t)step);
    if (of_next && x->next != end->a)
        return false;
    if (of_next) {
        end->a = x->counter;
        end->distance = step;
    }
    return of_next || (end->is_signed ? LLVMGetNSW(x->next) : LLVMGetNUW(x->next));
}

/* ---- the copy
 * ------------------------------------------------------------------------------------------------------------------------------ */

static LLVMValueRef copied(const struct range_checks *x, LLVMValueRef v)
{
    LLVMValueRef copy = (LLVMValueRef)tsr__map_get(&x->copies, v);
    return copy ? copy : v;
}

static LLVMBasicBlockRef copied_block(const struct range_checks *x, LLVMBasicBlockRef block)
{
    return (LLVMBasicBlockRef)tsr__map_get(&x->copies, block);
}

/* Copies the loop's blocks, in front of it, with every choice made. Their branches out of the loop are missing. */
static void copy_loop(struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    LLVMContextRef context = x->r.l->context;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    x->copies = (struct tsr__map){.arena = x->copies.arena};
    for (int k = loop->begin; k < loop->end; k++)
        tsr__map_set(&x->copies, cfg->blocks[k].ref, (uintptr_t)LLVMInsertBasicBlockInContext(context, x->r.header, "inside"));
    for (int k = loop->begin; k < loop->end; k++) {
        LLVMPositionBuilderAtEnd(b, copied_block(x, cfg->blocks[k].ref));
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref); i != cfg->blocks[k].terminator; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef copy = LLVMIsAPHINode(i) ? LLVMBuildPhi(b, LLVMTypeOf(i), "") : LLVMInstructionClone(i);
            if (!LLVMIsAPHINode(i)) {
                for (int o = 0; o < LLVMGetNumOperands(i); o++)
                    LLVMSetOperand(copy, (unsigned)o, copied(x, LLVMGetOperand(i, (unsigned)o)));
                LLVMInsertIntoBuilder(b, copy);
            }
            tsr__map_set(&x->copies, i, (uintptr_t)copy);
        }
        for (unsigned s = 0; s < 2 && cfg->blocks[k].ref != x->r.latch; s++) {
            LLVMValueRef end = cfg->blocks[k].terminator;
            if (!LLVMIsConditional(end)) {
                LLVMBuildBr(b, copied_block(x, LLVMGetSuccessor(end, 0)));
                break;
            }
            if (s)
                LLVMBuildCondBr(b, copied(x, LLVMGetCondition(end)), copied_block(x, LLVMGetSuccessor(end, 0)),
                                copied_block(x, LLVMGetSuccessor(end, 1)));
        }
    }
    LLVMDisposeBuilder(b);
    for (int k = loop->begin; k < loop->end; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            for (unsigned e = 0; e < LLVMCountIncoming(i); e++) {
                LLVMValueRef v = copied(x, LLVMGetIncomingValue(i, e));
                LLVMBasicBlockRef from = copied_block(x, LLVMGetIncomingBlock(i, e));
                LLVMAddIncoming(copied(x, i), &v, from ? &from : &x->r.before, 1);
            }
    for (unsigned i = 0; i < x->choice_count; i++) {
        LLVMValueRef way = LLVMConstInt(LLVMInt1TypeInContext(context), x->choices[i].way, false);
        if (LLVMIsASelectInst(x->choices[i].inst))
            LLVMSetOperand(copied(x, x->choices[i].inst), 0, way);
        else if (LLVMIsACallInst(x->choices[i].inst))
            LLVMReplaceAllUsesWith(copied(x, x->choices[i].inst), copied(x, LLVMGetOperand(x->choices[i].inst, 0)));
        else
            LLVMSetCondition(LLVMGetBasicBlockTerminator(copied_block(x, LLVMGetInstructionParent(x->choices[i].inst))), way);
    }
}

/* What the value is where the copy and the loop meet. */
static LLVMValueRef joined(struct range_checks *x, LLVMBasicBlockRef rest, LLVMValueRef first, LLVMValueRef again)
{
    LLVMBasicBlockRef from[2] = {x->r.before, copied_block(x, x->r.latch)};
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(rest));
    LLVMValueRef phi = LLVMBuildPhi(x->b, LLVMTypeOf(again), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){first, copied(x, again)}, from, 2);
    return phi;
}

/* before → copy, as long as the counter is less than `stop`; then the loop, or what is behind it if the copy has run all rounds. */
static void join_copy(struct range_checks *x, LLVMValueRef stop, LLVMValueRef all, bool is_signed)
{
    struct tsr__compilation *l = x->r.l;
    LLVMBasicBlockRef rest = LLVMInsertBasicBlockInContext(l->context, x->r.header, "rest"), copy = copied_block(x, x->r.header);
    const LLVMIntPredicate less = is_signed ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(x->r.before), first = tsr__incoming_from(x->counter, x->r.before), next = NULL;
    struct tsr__map joins = {.arena = x->copies.arena};
    LLVMPositionBuilderBefore(x->b, enter);
    LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, less, first, stop, ""), copy, rest);
    LLVMInstructionEraseFromParent(enter);
    LLVMPositionBuilderAtEnd(x->b, copied_block(x, x->r.latch));
    LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, less, copied(x, x->next), stop, ""), copy, rest);
    LLVMPositionBuilderAtEnd(x->b, rest);
    LLVMBuildCondBr(x->b, all, x->r.behind, x->r.header);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->r.header); LLVMIsAPHINode(phi); phi = next) {
        LLVMValueRef again = tsr__incoming_from(phi, x->r.latch), begin = joined(x, rest, tsr__incoming_from(phi, x->r.before), again);
        tsr__map_set(&joins, again, (uintptr_t)begin);
        LLVMBuilderRef b = tsr__builder_before(l, phi);
        LLVMValueRef made = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
        LLVMDisposeBuilder(b);
        LLVMReplaceAllUsesWith(phi, made);
        LLVMAddIncoming(made, (LLVMValueRef[]){begin, again == phi ? made : again}, (LLVMBasicBlockRef[]){rest, x->r.latch}, 2);
        next = LLVMGetNextInstruction(phi);
        LLVMInstructionEraseFromParent(phi);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->r.behind); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef v = tsr__incoming_from(phi, x->r.latch);
        LLVMValueRef known = (LLVMValueRef)tsr__map_get(&joins, v);
        if (known || tsr__is_in_loop(x->r.cfg, v, x->r.loop))
            v = known ? known : joined(x, rest, LLVMGetPoison(LLVMTypeOf(v)), v);
        LLVMAddIncoming(phi, &v, &rest, 1);
    }
}

/* Is the product only added to, by products or in the next round, or used behind the loop? */
static bool is_sum_alone(const struct range_checks *x, LLVMValueRef product)
{
    for (LLVMUseRef use = LLVMGetFirstUse(product); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool phi = LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) == x->r.header;
        if (!phi && !tsr__is_product(user) && tsr__is_in_loop(x->r.cfg, user, x->r.loop))
            return false;
    }
    return true;
}

/* The loop's products move to the end of its round, where checks do not part them: so those of several sums make a tile. */
static void sink_products(struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    LLVMPositionBuilderBefore(x->b, tsr__after_phis(LLVMGetFirstInstruction(x->r.latch)));
    for (int k = loop->begin; k < loop->end; k++) {
        LLVMValueRef next = NULL;
        if (cfg->blocks[k].ref == x->r.latch || !tsr__dominates(cfg, k, loop->latch))
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref), site = NULL; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (tsr__is_product(i) && !is_sum_alone(x, i))
                return;
            if (tsr__is_product(i) && site) {
                LLVMInstructionRemoveFromParent(site);
                LLVMInsertIntoBuilder(x->b, site);
            }
            if (tsr__is_product(i)) {
                LLVMInstructionRemoveFromParent(i);
                LLVMInsertIntoBuilder(x->b, i);
            }
            site = tsr__call_of(i) == TSR__CALL_SITE ? i : NULL;
        }
    }
}

/* What `stop` is anyway, so that versioning knows a bound of unsigned indices: the bound of the loop, and a few steps. */
static LLVMValueRef at_most(struct range_checks *x, LLVMValueRef stop, const struct tsr__inequality *end)
{
    struct tsr__compilation *l = x->r.l;
    LLVMTypeRef type = LLVMTypeOf(stop);
    const unsigned umin = LLVMLookupIntrinsicID("llvm.umin", 9);
    const uint64_t more = 2 * LLVMConstIntGetZExtValue(x->step) - (uint64_t)end->distance;
    LLVMValueRef most = LLVMBuildAdd(x->b, before_loop(x, end->b), LLVMConstInt(type, more, false), "");
    return LLVMBuildCall2(x->b, LLVMIntrinsicGetType(l->context, umin, &type, 1), LLVMGetIntrinsicDeclaration(l->module, umin, &type, 1),
                          (LLVMValueRef[]){most, stop}, 2, "");
}

/* Tries the last round and the one before it, and splits the loop behind the one in which all checks hold. False: one is not known. */
static bool split(struct range_checks *x, const struct tsr__inequality *end)
{
    struct tsr__compilation *l = x->r.l;
    LLVMTypeRef type = LLVMTypeOf(x->counter);
    LLVMValueRef zero = tsr__i64(l, 0), bound = tsr__i64(l, (uint64_t)-end->distance);
    x->sound = LLVMConstInt(LLVMInt1TypeInContext(l->context), 1, false);
    LLVMValueRef first = x->first = wide_same(x, tsr__incoming_from(x->counter, x->r.before), end->is_signed);
    if (end->b)
        bound = LLVMBuildAdd(x->b, bound, wide_same(x, end->b, end->is_signed), "");
    if (!end->is_signed)
        require(x, LLVMBuildICmp(x->b, LLVMIntULT, bound, tsr__i64(x->r.l, type == i64(x) ? MOST_OF_64_BITS : UINT32_MAX - (1 << 17)), ""));
    LLVMValueRef sound = x->sound, way = LLVMBuildSub(x->b, bound, first, ""); /* to go, after the first round */
    way = LLVMBuildAdd(x->b, way, LLVMBuildSub(x->b, x->step, tsr__i64(l, 1), ""), "");
    way = LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntSGT, way, zero, ""), way, zero, "");
    way = LLVMBuildMul(x->b, LLVMBuildUDiv(x->b, way, x->step, ""), x->step, "");
    LLVMValueRef last = LLVMBuildAdd(x->b, first, way, ""), before_last = LLVMBuildSub(x->b, last, x->step, ""),
                 past = LLVMBuildAdd(x->b, last, x->step, "");
    if (type != i64(x)) /* where the counter ends must not wrap */
        sound = both(x, sound, LLVMBuildICmp(x->b, LLVMIntSLE, past, tsr__i64(l, end->is_signed ? INT32_MAX : UINT32_MAX), ""));
    LLVMValueRef all = all_hold(x, last), most = all ? all_hold(x, before_last) : NULL;
    if (!all || !most)
        return false;
    all = both(x, all, sound);
    most = both(x, most, sound);
    LLVMValueRef stop = LLVMBuildSelect(x->b, all, past, LLVMBuildSelect(x->b, most, last, first, ""), "");
    if (type != i64(x))
        stop = LLVMBuildTrunc(x->b, stop, type, "");
    if (!end->is_signed && end->b)
        stop = at_most(x, stop, end);
    copy_loop(x);
    join_copy(x, stop, all, end->is_signed);
    sink_products(x);
    return true;
}

static bool find_and_split(struct range_checks *x)
{
    struct tsr__inequality end;
    if (x->r.exiting != x->r.latch || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(x->r.before)) != 1 || !find_counter(x, &end) ||
        !find_checks(x))
        return false;
    LLVMValueRef at = x->r.goes_on;
    if (!split(x, &end)) {
        tsr__explain(x->r.l, at, "range checks", "stay",
                     "one of them compares what is not known to grow with the rounds and ids, or its bound is not the same for all");
        return false;
    }
    tsr__explain(x->r.l, at, "range checks", "left out", "in rounds in which all of them hold for all work-items of the group");
    return true;
}

/* `info`: of the kernel. */
static bool leave_out_checks(void *info, struct tsr__rounds *r)
{
    struct range_checks *x = tsr_arena_alloc(r->arena, sizeof *x);
    *x = (struct range_checks){.r = *r, .sub_group_size = tsr__sub_group_size(r->l, info), .copies.arena = r->arena};
    x->b = tsr__builder_before(r->l, LLVMGetBasicBlockTerminator(r->before));
    const bool changed = find_and_split(x);
    LLVMDisposeBuilder(x->b);
    return changed;
}

bool tsr__pass_range_checks(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr_kernel_info *info = &l->info->kernels[i];
        LLVMValueRef kernel = tsr__kernel(l, info);
        if (!tsr__multiplies_tiles(l, kernel))
            continue;
        if (!tsr__run_llvm_on(l, kernel, "lower-switch,loop-simplify,lcssa"))
            return false;
        if (tsr__change_loops(l, kernel, leave_out_checks, info) && !tsr__run_llvm_on(l, kernel, "simplifycfg,adce"))
            return false;
    }
    return true;
}
