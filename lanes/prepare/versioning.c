/* SPDX-License-Identifier: Apache-2.0
 * Loop versioning by range analysis: a body for launches in which no 32-bit index wraps.
 *
 * OpenCL lets sums of a `uint` wrap. So once a 32-bit index is extended to 64 bits, the distance of two rows, or even of two lanes, is
 * unknown. But each launch knows its arguments and its range, and these bound the index. A kernel with matrix functions gets two full
 * bodies: one for launches in which no index can wrap, where the indices are marked so, and one for all others.
 *
 * The bounds are code, not numbers as in analysis/range.c: only the launch knows them, and each operation adds an instruction and
 * perhaps a condition.
 *
 * Nor is a number of all work-items the same for a packet once it is divided by the packet's width, unless rows of the range are whole
 * packets, and the number is not negative. That the launch knows, too: the first body has such sizes as multiples of the width, and divides
 * without signs. */
#include "lanes/prepare/versioning.h"

#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/cfg.h"
#include "lanes/ir/match.h"
#include "lanes/analysis/polynomial.h"
#include "lanes/ir/mad_op.h"

enum { MAX_DEPTH = 24, LEAST_MASK = 1 << 24 /* that tells less of a number than what it is made of */ };

/* An operation that is marked as one that does not wrap. */
struct mark {
    struct mark *next;
    LLVMValueRef operation;
};

struct bounds {
    struct tsr__compilation *l;
    LLVMBuilderRef b; /* in the kernel */
    LLVMValueRef kernel;
    struct tsr__map known; /* value → struct bound * */
    struct tsr__map seen;  /* what was marked → bit per extension */
    LLVMValueRef fits;     /* no bound so far is too large; NULL: none could be */
    struct mark *marks;
};

/* Of an unsigned number: an i64 below 2^32 if `fits`, which may be NULL: always. NULL: there is none. */
struct bound {
    LLVMValueRef most, fits;
};

static LLVMTypeRef i64(const struct bounds *x)
{
    return LLVMInt64TypeInContext(x->l->context);
}

static LLVMValueRef upper_bound(struct bounds *x, LLVMValueRef v, int depth);

static void require_fit(struct bounds *x, LLVMValueRef fits)
{
    x->fits = x->fits && fits ? LLVMBuildAnd(x->b, x->fits, fits, "") : fits ? fits : x->fits;
}

/* The bound, once it is known to be below the limit. */
static LLVMValueRef require_below(struct bounds *x, LLVMValueRef bound, uint64_t limit)
{
    if (LLVMIsAConstantInt(bound) && LLVMConstIntGetZExtValue(bound) < limit)
        return bound;
    require_fit(x, LLVMBuildICmp(x->b, LLVMIntULT, bound, tsr__i64(x->l, limit), ""));
    return bound;
}

static LLVMValueRef fit_to_32_bits(struct bounds *x, LLVMValueRef bound)
{
    return require_below(x, bound, UINT64_C(1) << 32);
}

static LLVMValueRef larger_bound(struct bounds *x, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntUGT, a, b, ""), a, b, "");
}

/* ---- what bounds a number ---- */

/* The sum of one or two numbers of the range, in the dimension that `call` names; NULL if that is no constant. */
static LLVMValueRef sum_of_queries(struct bounds *x, LLVMValueRef call, enum tsr__engine_call first, enum tsr__engine_call second)
{
    LLVMValueRef dim = LLVMGetOperand(call, 0);
    if (!LLVMIsAConstantInt(dim))
        return NULL;
    int d = (int)LLVMConstIntGetZExtValue(dim);
    LLVMValueRef sum = fit_to_32_bits(x, tsr__build_query(x->l, x->b, first, d));
    if (second != TSR__CALL_NONE)
        sum = LLVMBuildAdd(x->b, sum, fit_to_32_bits(x, tsr__build_query(x->l, x->b, second, d)), "");
    return fit_to_32_bits(x, sum);
}

static LLVMValueRef upper_bound_of_query(struct bounds *x, LLVMValueRef inst)
{
    enum tsr__engine_call call = tsr__call_of(inst);
    LLVMValueRef known = NULL;
    switch (call) {
    case TSR__CALL_GROUP_ID:
    case TSR__CALL_NUM_GROUPS:
        return sum_of_queries(x, inst, TSR__CALL_NUM_GROUPS, TSR__CALL_NONE);
    case TSR__CALL_GLOBAL_ID:
        return sum_of_queries(x, inst, TSR__CALL_GLOBAL_SIZE, TSR__CALL_GLOBAL_OFFSET);
    case TSR__CALL_GLOBAL_SIZE:
    case TSR__CALL_GLOBAL_OFFSET:
        return sum_of_queries(x, inst, call, TSR__CALL_NONE);
    case TSR__CALL_LOCAL_ID:
    case TSR__CALL_LOCAL_SIZE:
    case TSR__CALL_ENQUEUED_LOCAL_SIZE:
        known = sum_of_queries(x, inst, TSR__CALL_ENQUEUED_LOCAL_SIZE, TSR__CALL_NONE);
        break;
    case TSR__CALL_SUB_GROUP_ID:
    case TSR__CALL_NUM_SUB_GROUPS:
    case TSR__CALL_ENQUEUED_NUM_SUB_GROUPS:
        return LLVMBuildZExt(x->b, tsr__build_query(x->l, x->b, TSR__CALL_ENQUEUED_NUM_SUB_GROUPS, -1), i64(x), "");
    default:
        break;
    }
    return known ? known : tsr__call_info(call)->small ? tsr__i64(x->l, TSR_WORK_GROUP_BOUND - 1) : NULL;
}

static LLVMValueRef upper_bound_of_call(struct bounds *x, LLVMValueRef call, int depth)
{
    LLVMValueRef callee = tsr__callee(call);
    const char *name = callee ? tsr__name(callee) : "";
    bool least = tsr__starts_with(name, "llvm.umin."), most = tsr__starts_with(name, "llvm.umax.");
    if (!least && !most)
        return upper_bound_of_query(x, call);
    LLVMValueRef a = upper_bound(x, LLVMGetOperand(call, 0), depth), b = upper_bound(x, LLVMGetOperand(call, 1), depth);
    if (least)
        return a ? a : b;
    return a && b ? larger_bound(x, a, b) : NULL;
}

/* The number that is no smaller as a number with a sign: that of `n - 1`. */
static LLVMValueRef without_decrease(LLVMValueRef v)
{
    while (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetNSW(v) &&
           LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) < 0)
        v = LLVMGetOperand(v, 0);
    return v;
}

/* A number to which each round adds, in a loop whose rounds another counter counts, by a constant. */
static LLVMValueRef upper_bound_beside(struct bounds *x, LLVMValueRef phi, unsigned latch, LLVMValueRef tested, int depth)
{
    LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
    LLVMValueRef next = LLVMGetIncomingValue(phi, latch), counter = tested, of_counter = NULL;
    if (LLVMIsABinaryOperator(tested) && LLVMGetInstructionOpcode(tested) == LLVMAdd)
        counter = LLVMGetOperand(tested, 0);
    if (!LLVMIsAPHINode(counter) || LLVMGetInstructionParent(counter) != header || counter == phi)
        return NULL;
    of_counter = tsr__incoming_from(counter, LLVMGetIncomingBlock(phi, latch));
    if (!LLVMIsABinaryOperator(of_counter) || LLVMGetInstructionOpcode(of_counter) != LLVMAdd || LLVMGetOperand(of_counter, 0) != counter ||
        !LLVMIsAConstantInt(LLVMGetOperand(of_counter, 1)) || LLVMConstIntGetSExtValue(LLVMGetOperand(of_counter, 1)) <= 0)
        return NULL;
    LLVMValueRef by = tsr__i64(x->l, LLVMConstIntGetZExtValue(LLVMGetOperand(of_counter, 1))), rounds = upper_bound(x, counter, depth),
                 step = upper_bound(x, LLVMGetOperand(next, 1), depth), start = upper_bound(x, LLVMGetIncomingValue(phi, !latch), depth);
    if (!rounds || !step || !start)
        return NULL;
    rounds = LLVMBuildAdd(x->b, LLVMBuildUDiv(x->b, rounds, by, ""), tsr__i64(x->l, 1), ""); /* a counter may begin above zero */
    LLVMValueRef grows = fit_to_32_bits(x, LLVMBuildMul(x->b, rounds, step, ""));
    return fit_to_32_bits(x, LLVMBuildAdd(x->b, start, grows, ""));
}

/* A counter: the loop goes round again only if the counter, or what it becomes, is below a limit, or at it. It starts below its start's
 * bound; so it never exceeds that or the limit by more than a step. */
static LLVMValueRef upper_bound_of_counter(struct bounds *x, LLVMValueRef phi, unsigned latch, int depth)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, latch);
    LLVMValueRef next = LLVMGetIncomingValue(phi, latch), end = LLVMGetBasicBlockTerminator(from);
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi ||
        LLVMGetNumSuccessors(end) != 2 || !LLVMIsABranchInst(end) || !LLVMIsAICmpInst(LLVMGetCondition(end)))
        return NULL;
    LLVMValueRef test = LLVMGetCondition(end), limit = LLVMGetOperand(test, 1);
    const bool goes_on_if = LLVMGetSuccessor(end, 0) == LLVMGetInstructionParent(phi);
    bool counts = LLVMGetOperand(test, 0) == next || LLVMGetOperand(test, 0) == phi, is_signed = false;
    if (!counts)
        return upper_bound_beside(x, phi, latch, LLVMGetOperand(test, 0), depth);
    if (LLVMGetSuccessor(end, !goes_on_if) != LLVMGetInstructionParent(phi) ||
        LLVMGetSuccessor(end, goes_on_if) == LLVMGetInstructionParent(phi))
        return NULL;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    switch (goes_on_if ? predicate : tsr__opposite_of(predicate)) {
    case LLVMIntSLT:
    case LLVMIntSLE:
        is_signed = true;
        break;
    case LLVMIntULT:
    case LLVMIntULE:
    case LLVMIntEQ: /* LLVM's test of a loop of two rounds */
        break;
    default:
        return NULL;
    }
    LLVMValueRef step = upper_bound(x, LLVMGetOperand(next, 1), depth), start = upper_bound(x, LLVMGetIncomingValue(phi, !latch), depth);
    limit = upper_bound(x, is_signed ? without_decrease(limit) : limit, depth);
    if (!step || !start || !limit)
        return NULL;
    /* That it does not wrap in the comparison's sense, either. */
    return require_below(x, LLVMBuildAdd(x->b, larger_bound(x, start, limit), step, ""), UINT64_C(1) << (is_signed ? 31 : 32));
}

static LLVMValueRef upper_bound_of_phi(struct bounds *x, LLVMValueRef phi, int depth)
{
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < 2 && LLVMCountIncoming(phi) == 2; i++) {
        LLVMValueRef counter = upper_bound_of_counter(x, phi, i, depth);
        if (counter)
            return counter;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef one = upper_bound(x, LLVMGetIncomingValue(phi, i), depth);
        if (!one)
            return NULL;
        all = all ? larger_bound(x, all, one) : one;
    }
    return all;
}

/* A negative constant is a large number. */
static bool is_small_constant(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 && LLVMConstIntGetSExtValue(v) >= 0;
}

static LLVMValueRef lower_bound(struct bounds *x, LLVMValueRef v, int depth);

static LLVMValueRef lower_bound_of_call(struct bounds *x, LLVMValueRef call, int depth)
{
    const char *name = tsr__callee(call) ? tsr__name(tsr__callee(call)) : "";
    const enum tsr__engine_call query = tsr__call_of(call);
    const bool most = tsr__starts_with(name, "llvm.umax.");
    if (most || tsr__starts_with(name, "llvm.umin.")) {
        LLVMValueRef a = lower_bound(x, LLVMGetOperand(call, 0), depth), b = lower_bound(x, LLVMGetOperand(call, 1), depth);
        return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntUGT, a, b, ""), most ? a : b, most ? b : a, "");
    }
    const bool of_launch = query == TSR__CALL_NUM_GROUPS || query == TSR__CALL_GLOBAL_SIZE;
    LLVMValueRef size = of_launch ? sum_of_queries(x, call, query, TSR__CALL_NONE) : NULL;
    return size ? size : tsr__i64(x->l, 0);
}

/* Of a number of which no part wraps, as its upper bound tells. */
static LLVMValueRef lower_bound(struct bounds *x, LLVMValueRef v, int depth)
{
    LLVMValueRef zero = tsr__i64(x->l, 0), a, b;
    if (LLVMIsAArgument(v) || LLVMIsAConstantInt(v) || tsr__is_part_of_argument(v)) {
        a = upper_bound(x, v, depth);
        return a ? a : zero;
    }
    if (!depth || !LLVMIsAInstruction(v))
        return zero;
    if (LLVMIsACallInst(v))
        return lower_bound_of_call(x, v, depth - 1);
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMFreeze && op != LLVMZExt && op != LLVMTrunc && op != LLVMAdd && op != LLVMMul && op != LLVMShl && op != LLVMLShr &&
        op != LLVMUDiv)
        return zero;
    a = lower_bound(x, LLVMGetOperand(v, 0), depth - 1);
    if (op == LLVMFreeze || op == LLVMZExt || (op == LLVMTrunc && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 32))
        return a;
    if (op == LLVMTrunc || LLVMGetIntTypeWidth(LLVMTypeOf(v)) < 32)
        return zero;
    b = LLVMGetOperand(v, 1);
    if (op == LLVMShl || op == LLVMLShr) {
        if (!is_small_constant(b) || LLVMConstIntGetZExtValue(b) >= 32)
            return zero;
        return LLVMBuildBinOp(x->b, op, a, tsr__i64(x->l, LLVMConstIntGetZExtValue(b)), "");
    }
    b = op == LLVMUDiv ? upper_bound(x, b, depth - 1) : lower_bound(x, b, depth - 1);
    if (!b)
        return zero;
    return LLVMBuildBinOp(x->b, op, a, op == LLVMUDiv ? larger_bound(x, b, tsr__i64(x->l, 1)) : b, "");
}

/* Of a number less a constant, `n / 16 - 1`, where the launch tells that it is no smaller than that; NULL: it is another sum. */
static LLVMValueRef upper_bound_of_decrease(struct bounds *x, LLVMValueRef v, int depth)
{
    LLVMValueRef of = LLVMGetOperand(v, 0), by = LLVMGetOperand(v, 1);
    if (LLVMGetInstructionOpcode(v) != LLVMAdd || !LLVMIsAConstantInt(by) || LLVMConstIntGetSExtValue(by) >= 0 ||
        LLVMConstIntGetSExtValue(by) < INT32_MIN)
        return NULL;
    LLVMValueRef bound = upper_bound(x, of, depth), less = tsr__i64(x->l, (uint64_t)-LLVMConstIntGetSExtValue(by));
    if (!bound)
        return NULL;
    require_fit(x, LLVMBuildICmp(x->b, LLVMIntUGE, lower_bound(x, of, depth), less, ""));
    return LLVMBuildSub(x->b, bound, less, "");
}

/* Of a work-item's number in the range, from zero on; NULL: it is another difference. */
static LLVMValueRef upper_bound_in_range(struct bounds *x, LLVMValueRef v)
{
    LLVMValueRef id = LLVMGetOperand(v, 0), offset = LLVMGetOperand(v, 1);
    const bool counts = LLVMGetInstructionOpcode(v) == LLVMSub && tsr__call_of(id) == TSR__CALL_GLOBAL_ID &&
                        tsr__call_of(offset) == TSR__CALL_GLOBAL_OFFSET && LLVMGetOperand(id, 0) == LLVMGetOperand(offset, 0);
    return counts ? sum_of_queries(x, id, TSR__CALL_GLOBAL_SIZE, TSR__CALL_NONE) : NULL;
}

static LLVMValueRef upper_bound_of_operation(struct bounds *x, LLVMValueRef v, int depth)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef second = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL, a, b;
    if (op == LLVMSub && (a = upper_bound_in_range(x, v)) != NULL)
        return a;
    if (op == LLVMAnd && is_small_constant(second) && LLVMConstIntGetZExtValue(second) < LEAST_MASK)
        return tsr__i64(x->l, LLVMConstIntGetZExtValue(second));
    if (op == LLVMURem && is_small_constant(second) && !LLVMIsNull(second))
        return fit_to_32_bits(x, tsr__i64(x->l, LLVMConstIntGetZExtValue(second) - 1));
    if ((a = upper_bound_of_decrease(x, v, depth)) != NULL)
        return a;
    a = upper_bound(x, LLVMGetOperand(v, op == LLVMSelect), depth);
    if (!a)
        return NULL;
    if (op == LLVMSExt || op == LLVMSDiv || op == LLVMAShr || op == LLVMSRem) /* what they do without signs */
        a = require_below(x, a, UINT64_C(1) << (LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) - 1));
    switch (op) {
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
    case LLVMAnd: /* what LLVM leaves of shifts to the right and to the left has such a mask */
        return a;
    case LLVMSExt:
        return a;
    case LLVMLShr:
    case LLVMAShr:
        return is_small_constant(second) && LLVMConstIntGetZExtValue(second) < 64
                   ? LLVMBuildLShr(x->b, a, tsr__i64(x->l, LLVMConstIntGetZExtValue(second)), "")
                   : a;
    case LLVMUDiv:
    case LLVMSDiv:
        return is_small_constant(second) && !LLVMIsNull(second)
                   ? LLVMBuildUDiv(x->b, a, tsr__i64(x->l, LLVMConstIntGetZExtValue(second)), "")
               : op == LLVMUDiv ? a
                                : NULL;
    case LLVMURem:
    case LLVMSRem:
        return a;
    case LLVMShl:
        return is_small_constant(second) && LLVMConstIntGetZExtValue(second) < 32
                   ? fit_to_32_bits(x, LLVMBuildShl(x->b, a, tsr__i64(x->l, LLVMConstIntGetZExtValue(second)), ""))
                   : NULL;
    default:
        break;
    }
    b = upper_bound(x, LLVMGetOperand(v, 1 + (op == LLVMSelect)), depth);
    if (!b)
        return NULL;
    switch (op) {
    case LLVMSelect:
        return larger_bound(x, a, b);
    case LLVMAdd:
    case LLVMOr: /* at most the sum */
    case LLVMXor:
        return fit_to_32_bits(x, LLVMBuildAdd(x->b, a, b, ""));
    case LLVMMul:
        return fit_to_32_bits(x, LLVMBuildMul(x->b, a, b, ""));
    default:
        return NULL;
    }
}

/* Of an argument of the kernel, or a part of one, or an address in it: the same where the launch is looked at. */
static LLVMValueRef of_launch(struct bounds *x, LLVMValueRef v)
{
    if (LLVMIsAConstant(v))
        return v;
    if (LLVMIsAArgument(v)) {
        unsigned n = 0;
        while (LLVMGetParam(LLVMGetParamParent(v), n) != v)
            n++;
        return LLVMGetParam(x->kernel, n);
    }
    LLVMValueRef made = LLVMInstructionClone(v);
    LLVMSetOperand(made, 0, of_launch(x, LLVMGetOperand(v, 0)));
    LLVMInsertIntoBuilder(x->b, made);
    return made;
}

static LLVMValueRef new_bound(struct bounds *x, LLVMValueRef v, int depth)
{
    if (LLVMIsAConstantInt(v))
        return is_small_constant(v) && LLVMConstIntGetZExtValue(v) >> 32 == 0 ? tsr__i64(x->l, LLVMConstIntGetZExtValue(v)) : NULL;
    if (LLVMIsAArgument(v) || tsr__is_part_of_argument(v))
        return fit_to_32_bits(x, LLVMBuildIntCast2(x->b, of_launch(x, v), i64(x), false, ""));
    if (!LLVMIsAInstruction(v))
        return NULL;
    if (LLVMIsAPHINode(v))
        return upper_bound_of_phi(x, v, depth);
    if (LLVMIsACallInst(v))
        return upper_bound_of_call(x, v, depth);
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsASelectInst(v) || LLVMIsAFreezeInst(v)
               ? upper_bound_of_operation(x, v, depth)
               : NULL;
}

/* Of an unsigned number, or NULL. It is right if `fits` holds from then on. */
static LLVMValueRef upper_bound(struct bounds *x, LLVMValueRef v, int depth)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 || LLVMGetIntTypeWidth(type) < 8 || !depth)
        return NULL;
    struct bound *known = (struct bound *)tsr__map_get(&x->known, v);
    if (!known) {
        LLVMValueRef fits = x->fits;
        known = tsr_arena_alloc(&x->l->scratch, sizeof *known);
        *known = (struct bound){0};
        tsr__map_set(&x->known, v, (uintptr_t)known); /* none while it is being looked at */
        x->fits = NULL;
        known->most = new_bound(x, v, depth - 1);
        known->fits = x->fits;
        x->fits = fits;
    }
    if (known->most)
        require_fit(x, known->fits);
    return known->most;
}

/* ---- what is marked ---- */

/* A sum with a negative number, which wraps without signs where the result is none. */
static bool is_decrease(LLVMValueRef sum)
{
    return LLVMIsAConstantInt(LLVMGetOperand(sum, 1)) && LLVMConstIntGetSExtValue(LLVMGetOperand(sum, 1)) < 0;
}

static bool may_wrap_extended(LLVMValueRef v, enum tsr__extension extension)
{
    if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 32)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
        return !tsr__is_exact(v, extension) && !is_decrease(v);
    case LLVMMul:
    case LLVMShl:
        return !tsr__is_exact(v, extension);
    default:
        return false;
    }
}

/* The metadata of a marked operation, an i32: the flags that it had before, or what it stands for. */
enum { HAD_NSW = 1, HAD_NUW = 2, IS_OPERAND = 4, IS_DIVISION = 8, IS_REST = 16 };

static unsigned mark_kind(struct tsr__compilation *l)
{
    static const char name[] = "tessera.no_wrap";
    return LLVMGetMDKindIDInContext(l->context, name, sizeof name - 1);
}

bool tsr__is_marked_no_wrap(struct tsr__compilation *l, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetMetadata(v, mark_kind(l));
}

static void set_mark(struct bounds *x, LLVMValueRef v, unsigned had)
{
    LLVMMetadataRef flags = LLVMValueAsMetadata(tsr__i32(x->l, had));
    LLVMSetMetadata(v, mark_kind(x->l), LLVMMetadataAsValue(x->l->context, LLVMMDNodeInContext2(x->l->context, &flags, 1)));
}

static void mark_operation(struct bounds *x, LLVMValueRef v)
{
    struct mark *one = tsr_arena_alloc(&x->l->scratch, sizeof *one);
    *one = (struct mark){.next = x->marks, .operation = v};
    x->marks = one;
    if (!tsr__is_marked_no_wrap(x->l, v))
        set_mark(x, v, (LLVMGetNSW(v) ? HAD_NSW : 0) | (LLVMGetNUW(v) ? HAD_NUW : 0));
}

/* Marks the operations that the number is made of, unless they are known to be exact. `extension`: how it is extended. */
static void mark_no_wrap(struct bounds *x, LLVMValueRef v, enum tsr__extension extension, int depth)
{
    uintptr_t seen = tsr__map_get(&x->seen, v), bit = (uintptr_t)1 << extension;
    if (!depth || seen & bit || !(LLVMIsABinaryOperator(v) || LLVMIsAPHINode(v)) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return;
    tsr__map_set(&x->seen, v, seen | bit);
    for (unsigned i = 0; LLVMIsAPHINode(v) && i < LLVMCountIncoming(v); i++)
        mark_no_wrap(x, LLVMGetIncomingValue(v, i), extension, depth - 1);
    if (LLVMIsAPHINode(v))
        return;
    LLVMValueRef bound = may_wrap_extended(v, extension) ? upper_bound(x, v, MAX_DEPTH) : NULL;
    if (bound) {
        mark_operation(x, v);
        LLVMSetNUW(v, true);
        if (extension == TSR__EXT_SIGNED) {
            require_below(x, bound, UINT64_C(1) << 31);
            LLVMSetNSW(v, true);
        }
    }
    for (int i = 0; i < 2; i++)
        mark_no_wrap(x, LLVMGetOperand(v, (unsigned)i), extension, depth - 1);
}

/* ---- what it is good for ---- */

enum { NEAR = 8 };

struct address {
    LLVMValueRef pointer;
    struct tsr__polynomial before, after; /* anything is marked */
};

/* Of what is read and written. */
static size_t addresses_in(struct tsr__compilation *l, LLVMValueRef *code, size_t count, struct address **all)
{
    size_t n = 0;
    *all = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof **all);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef pointer = LLVMIsALoadInst(code[i])                                   ? LLVMGetOperand(code[i], 0)
                               : LLVMIsAStoreInst(code[i])                                ? LLVMGetOperand(code[i], 1)
                               : tsr__call_of(code[i]) && LLVMGetNumOperands(code[i]) > 1 ? LLVMGetOperand(code[i], 0)
                                                                                          : NULL;
        if (pointer && LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind)
            (*all)[n++] = (struct address){.pointer = pointer, .before = tsr__polynomial_of(l, pointer)};
    }
    return n;
}

/* The distance between two places of one buffer. */
static bool is_distance(const struct tsr__polynomial *x)
{
    for (unsigned i = 0; x->valid && i < x->count; i++)
        for (int k = 0; k < TSR__MAX_FACTORS; k++) {
            LLVMValueRef factor = x->terms[i].factors[k].value;
            if (factor && LLVMGetTypeKind(LLVMTypeOf(factor)) == LLVMPointerTypeKind)
                return false;
        }
    return x->valid;
}

static bool is_behind_entry(LLVMValueRef v)
{
    LLVMBasicBlockRef block = LLVMIsAInstruction(v) ? LLVMGetInstructionParent(v) : NULL;
    return block && block != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
}

/* Is the number a sum with a lane's own number in it? */
static bool counts_lanes(LLVMValueRef v, unsigned depth)
{
    enum tsr__engine_call call = tsr__call_of(v);
    if (call == TSR__CALL_LANE || call == TSR__CALL_LOCAL_ID || call == TSR__CALL_GLOBAL_ID)
        return true;
    const bool goes_on = depth && (LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAFreezeInst(v));
    for (int i = 0; goes_on && i < LLVMGetNumOperands(v); i++)
        if (counts_lanes(LLVMGetOperand(v, (unsigned)i), depth - 1))
            return true;
    return false;
}

static bool has_factor(const struct tsr__polynomial *x, LLVMValueRef v)
{
    for (unsigned i = 0; x->valid && i < x->count; i++)
        for (int k = 0; k < TSR__MAX_FACTORS; k++)
            if (x->terms[i].factors[k].value == v)
                return true;
    return false;
}

/* With the marks: is more known of the distance of rows, from round to round of a loop, or of lanes in a loop? Another sum that is one to
 * all of a kernel's addresses is not worth a body. */
static bool marks_help(const struct bounds *x, struct address *all, size_t count)
{
    enum { DEPTH = 4 };
    for (const struct mark *one = x->marks; one; one = one->next) {
        if (is_behind_entry(one->operation))
            return true;
        for (size_t i = 0; i < count && counts_lanes(one->operation, DEPTH); i++)
            if (is_behind_entry(all[i].pointer) && has_factor(&all[i].before, one->operation))
                return true;
    }
    for (size_t i = 0; i < count; i++) {
        all[i].after = tsr__polynomial_of(x->l, all[i].pointer);
        for (size_t k = i > NEAR ? i - NEAR : 0; k < i; k++) {
            struct tsr__polynomial before = tsr__polynomial_minus(&all[i].before, &all[k].before);
            struct tsr__polynomial after = tsr__polynomial_minus(&all[i].after, &all[k].after);
            if (is_distance(&after) && (!before.valid || after.count < before.count))
                return true;
        }
    }
    return false;
}

/* Marks operations of the work-item's function. Answers whether operations on 2D blocks are among those that gain by it. */
static bool mark_indices(struct bounds *x, LLVMValueRef *code, size_t count)
{
    bool joins = false; /* 2D blocks that lie beside each other */
    for (size_t i = 0; i < count; i++) {
        bool is_block2d = tsr__is_block2d(tsr__call_of(code[i]));
        bool is_signed = LLVMIsASExtInst(code[i]) != NULL;
        if (LLVMIsAPHINode(code[i])) /* of counters LLVM wants to know, too, to count rounds */
            mark_no_wrap(x, code[i], TSR__EXT_ZERO, MAX_DEPTH);
        for (int k = 0; is_block2d && k < LLVMGetNumOperands(code[i]); k++)
            mark_no_wrap(x, LLVMGetOperand(code[i], (unsigned)k), TSR__EXT_SIGNED, MAX_DEPTH);
        joins = joins || (x->marks && is_block2d);
        LLVMTypeRef type = LLVMTypeOf(code[i]);
        if ((is_signed || LLVMIsAZExtInst(code[i])) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64)
            mark_no_wrap(x, LLVMGetOperand(code[i], 0), is_signed || LLVMGetNNeg(code[i]) ? TSR__EXT_SIGNED : TSR__EXT_ZERO, MAX_DEPTH);
    }
    return joins;
}

/* Does it ask for this number of the range in x? */
static bool is_size_of_row(LLVMValueRef query, enum tsr__engine_call call)
{
    return tsr__call_of(query) == call && tsr__is_constant(LLVMGetOperand(query, 0), 0);
}

/* Are rows of the range whole packets in launches of the first body? Then so are the sizes that it computes with. */
static bool expect_whole_rows(struct bounds *x, const struct tsr__packet *packet, LLVMValueRef *code, size_t count)
{
    bool counts_rows = false;
    for (size_t i = 0; i < count; i++)
        counts_rows = counts_rows || is_size_of_row(code[i], TSR__CALL_GLOBAL_SIZE);
    if (!counts_rows || !packet->whole_rows || packet->in_group)
        return false;
    for (size_t i = 0; i < count; i++) {
        const bool offset = is_size_of_row(code[i], TSR__CALL_GLOBAL_OFFSET);
        if (!offset && !is_size_of_row(code[i], TSR__CALL_GLOBAL_SIZE))
            continue;
        LLVMValueRef size = tsr__build_query(x->l, x->b, offset ? TSR__CALL_GLOBAL_OFFSET : TSR__CALL_GLOBAL_SIZE, 0),
                     rest = LLVMBuildAnd(x->b, size, tsr__i64(x->l, packet->width - 1), "");
        require_fit(x, LLVMBuildIsNull(x->b, rest, ""));
        LLVMBuilderRef b = tsr__builder_before(x->l, LLVMGetNextInstruction(code[i]));
        LLVMValueRef multiple = LLVMBuildAnd(b, code[i], LLVMConstInt(i64(x), ~(uint64_t)(packet->width - 1), false), "");
        LLVMDisposeBuilder(b);
        LLVMReplaceAllUsesWith(code[i], multiple);
        LLVMSetOperand(multiple, 0, code[i]);
        set_mark(x, multiple, IS_OPERAND);
    }
    return true;
}

/* The shift by which `division` divides by a constant that is a power of two; 0: it is no such thing, or divides by one. */
static unsigned shift_of(LLVMValueRef division)
{
    const LLVMOpcode op = LLVMIsABinaryOperator(division) ? LLVMGetInstructionOpcode(division) : LLVMCall;
    LLVMValueRef by = op == LLVMSDiv || op == LLVMSRem ? LLVMGetOperand(division, 1) : NULL;
    if (!by || !is_small_constant(by) || LLVMIsNull(by))
        return 0;
    const uint64_t n = LLVMConstIntGetZExtValue(by);
    return n & (n - 1) ? 0 : (unsigned)__builtin_ctzll(n);
}

/* Divides lanes' numbers, which are not negative in launches of the first body, by shifts and masks. */
static bool divide_without_signs(struct bounds *x, LLVMValueRef *code, size_t count)
{
    enum { DEPTH = 8 };
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const unsigned shift = shift_of(code[i]);
        LLVMTypeRef type = LLVMTypeOf(code[i]);
        LLVMValueRef v = shift ? LLVMGetOperand(code[i], 0) : NULL, bound;
        if (!v || !counts_lanes(v, DEPTH) || !(bound = upper_bound(x, v, MAX_DEPTH)))
            continue;
        require_below(x, bound, UINT64_C(1) << (LLVMGetIntTypeWidth(type) > 32 ? 32 : LLVMGetIntTypeWidth(type) - 1));
        LLVMBuilderRef b = tsr__builder_before(x->l, code[i]);
        const bool divides = LLVMGetInstructionOpcode(code[i]) == LLVMSDiv;
        LLVMValueRef made = divides ? LLVMBuildLShr(b, v, LLVMConstInt(type, shift, false), "")
                                    : LLVMBuildAnd(b, v, LLVMConstInt(type, (UINT64_C(1) << shift) - 1, false), "");
        LLVMDisposeBuilder(b);
        LLVMReplaceAllUsesWith(code[i], made);
        set_mark(x, made, divides ? IS_DIVISION : IS_REST);
        any = true;
    }
    for (size_t i = 0; i < count && any; i++)
        if (shift_of(code[i]) && !LLVMGetFirstUse(code[i])) {
            LLVMInstructionEraseFromParent(code[i]);
            code[i] = LLVMGetUndef(i64(x));
        }
    return any;
}

/* Lets the kernel choose between its two functions for full packets, by `fits`, which `start` computes. */
static void choose_by_fit(struct tsr__compilation *l, const struct tsr__packet_kernel *k, LLVMBasicBlockRef start, LLVMValueRef fits)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(k->kernel), slow = tsr__packet_call_block(l, k->kernel, k->wrapping);
    if (!k->partial) { /* all packets are full: `entry` calls the function for them */
        LLVMPositionBuilderAtEnd(b, start);
        LLVMBuildCondBr(b, fits, entry, slow);
        LLVMMoveBasicBlockBefore(start, entry);
        LLVMDisposeBuilder(b);
        return;
    }
    LLVMBasicBlockRef choice = LLVMAppendBasicBlockInContext(l->context, k->kernel, "");
    LLVMValueRef by_packet = LLVMGetBasicBlockTerminator(entry);
    LLVMPositionBuilderAtEnd(b, choice);
    LLVMBuildCondBr(b, fits, LLVMGetSuccessor(by_packet, 0), slow);
    LLVMSetSuccessor(by_packet, 0, choice);
    LLVMPositionBuilderAtEnd(b, start);
    for (LLVMValueRef i; (i = LLVMGetFirstInstruction(entry)) != NULL;) {
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
    }
    LLVMMoveBasicBlockBefore(start, entry);
    LLVMDeleteBasicBlock(entry);
    LLVMDisposeBuilder(b);
}

bool tsr__pass_versioning(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    size_t count;
    struct address *addresses;
    if (!k->wrapping)
        return true;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    struct bounds x = {.l = l, .kernel = k->kernel, .known = {.arena = &l->scratch}, .seen = {.arena = &l->scratch}};
    size_t address_count = addresses_in(l, code, count, &addresses);
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(l->context, k->kernel, "");
    x.b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(x.b, start);
    bool joins = mark_indices(&x, code, count), divides = divide_without_signs(&x, code, count),
         rows = expect_whole_rows(&x, &k->packet, code, count); /* last: what it makes has no bounds */
    LLVMDisposeBuilder(x.b);
    if (joins || divides || rows || marks_help(&x, addresses, address_count)) {
        choose_by_fit(l, k, start, x.fits ? x.fits : LLVMConstInt(LLVMInt1TypeInContext(l->context), 1, false));
    } else {
        tsr__drop_no_wrap_marks(l, k->item);
        LLVMDeleteBasicBlock(start);
        LLVMDeleteFunction(k->wrapping);
    }
    return true;
}

/* What a marked operation stands for; NULL: itself. */
static LLVMValueRef restored(struct tsr__compilation *l, LLVMValueRef v, uint64_t had)
{
    LLVMValueRef of = LLVMGetOperand(v, 0), made = had & IS_OPERAND ? of : NULL;
    if (!(had & (IS_DIVISION | IS_REST)))
        return made;
    LLVMBuilderRef b = tsr__builder_before(l, v);
    const uint64_t by = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    made = had & IS_DIVISION ? LLVMBuildSDiv(b, of, LLVMConstInt(LLVMTypeOf(v), UINT64_C(1) << by, false), "")
                             : LLVMBuildSRem(b, of, LLVMConstInt(LLVMTypeOf(v), by + 1, false), "");
    LLVMDisposeBuilder(b);
    return made;
}

static void remove_marks(struct tsr__compilation *l, LLVMValueRef function, bool restore_flags)
{
    size_t count;
    unsigned kind = mark_kind(l);
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef mark = LLVMGetMetadata(code[i], kind), flags;
        if (!mark)
            continue;
        LLVMGetMDNodeOperands(mark, &flags);
        uint64_t had = LLVMConstIntGetZExtValue(flags);
        LLVMSetMetadata(code[i], kind, NULL);
        LLVMValueRef before = restore_flags ? restored(l, code[i], had) : NULL;
        if (before) {
            LLVMReplaceAllUsesWith(code[i], before);
            LLVMInstructionEraseFromParent(code[i]);
        }
        if (!restore_flags || before)
            continue;
        LLVMSetNSW(code[i], had & HAD_NSW);
        LLVMSetNUW(code[i], had & HAD_NUW);
    }
}

void tsr__drop_no_wrap_marks(struct tsr__compilation *l, LLVMValueRef function)
{
    remove_marks(l, function, true);
}

void tsr__forget_no_wrap_marks(struct tsr__compilation *l, LLVMValueRef function)
{
    remove_marks(l, function, false);
}
