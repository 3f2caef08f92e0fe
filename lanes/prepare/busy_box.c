/* SPDX-License-Identifier: Apache-2.0
 * The part of the range in which work-items do anything.
 *
 * Many kernels begin with a comparison of ids, `if (x < w && y < h)`, as ranges are rounded up, or as each launch of a chain has less to do
 * than the one before. Where the other side is computed from arguments alone, the kernel's entry can tell, before the launch begins, in
 * which box of work-items all such comparisons hold: the device runs that box. The comparisons stay in the code, so the box may have
 * work-items too many. They are taken for ids below TSR_INT_IDS, which fit into an `int`. */
#include "lanes/analysis/group_visibility.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/packet_kernel.h"
#include "tessera/item.h"

enum { MOST_CONDITIONS = 16, MOST_COPIED = 64, MOST_SCALE = 1 << 16 };

/* What must hold wherever a work-item does anything: the condition, or its opposite. */
struct condition {
    LLVMValueRef value;
    bool opposite;
};

struct search {
    struct tsr__compilation *l;
    struct tsr__packet_kernel *k;
    LLVMBuilderRef b;       /* in the kernel, where its entry answers */
    struct tsr__map copies; /* values of the item function → their copies there */
    unsigned copied;
    LLVMValueRef from[3], to[3]; /* the box so far; NULL: as the device gave it */
};

/* ---- conditions ---- */

static bool is_pure(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != LLVMGetBasicBlockTerminator(block); i = LLVMGetNextInstruction(i))
        if (tsr__has_effect(i))
            return false;
    return true;
}

static LLVMBasicBlockRef only_successor(LLVMBasicBlockRef block)
{
    LLVMValueRef t = LLVMGetBasicBlockTerminator(block);
    return LLVMIsABranchInst(t) && !LLVMIsConditional(t) ? LLVMGetSuccessor(t, 0) : NULL;
}

/* Does a work-item that comes to the block end without having done anything? */
static bool ends_idle(LLVMBasicBlockRef block)
{
    for (int steps = 0; block && steps < 4 && is_pure(block); steps++) {
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block)))
            return true;
        block = only_successor(block);
    }
    return false;
}

static bool has_one_predecessor(LLVMBasicBlockRef block)
{
    unsigned count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
        count += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
    return count == 1;
}

/* Takes a conjunction apart. */
static unsigned add_condition(struct condition *all, unsigned count, struct condition c)
{
    int64_t bits;
    if (LLVMIsAInstruction(c.value) && LLVMGetInstructionOpcode(c.value) == LLVMXor &&
        tsr__constant_int(LLVMGetOperand(c.value, 1), &bits) && bits == -1)
        return add_condition(all, count, (struct condition){LLVMGetOperand(c.value, 0), !c.opposite});
    LLVMOpcode joins = c.opposite ? LLVMOr : LLVMAnd;
    if (LLVMIsAInstruction(c.value) && LLVMGetInstructionOpcode(c.value) == joins) {
        count = add_condition(all, count, (struct condition){LLVMGetOperand(c.value, 0), c.opposite});
        return add_condition(all, count, (struct condition){LLVMGetOperand(c.value, 1), c.opposite});
    }
    /* a && b is select(a, b, false), a || b is select(a, true, b) */
    if (LLVMIsASelectInst(c.value) && tsr__is_constant(LLVMGetOperand(c.value, c.opposite ? 1 : 2), c.opposite)) {
        count = add_condition(all, count, (struct condition){LLVMGetOperand(c.value, 0), c.opposite});
        return add_condition(all, count, (struct condition){LLVMGetOperand(c.value, c.opposite ? 2 : 1), c.opposite});
    }
    if (LLVMIsAICmpInst(c.value) && count < MOST_CONDITIONS)
        all[count++] = c;
    return count;
}

/* Follows the work-items that go on, from the kernel's first block. */
static unsigned find_conditions(LLVMValueRef item, struct condition *all)
{
    unsigned count = 0;
    for (LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(item); is_pure(block);) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(block);
        LLVMBasicBlockRef next = only_successor(block);
        if (!next && LLVMIsABranchInst(t)) {
            bool second_ends = ends_idle(LLVMGetSuccessor(t, 1)), first_ends = ends_idle(LLVMGetSuccessor(t, 0));
            if (first_ends == second_ends)
                break;
            count = add_condition(all, count, (struct condition){LLVMGetCondition(t), first_ends});
            next = LLVMGetSuccessor(t, first_ends ? 1 : 0);
        }
        if (!next || !has_one_predecessor(next))
            break;
        block = next;
    }
    return count;
}

/* ---- numbers that are the same for all work-items ---- */

static bool is_range_query(enum tsr__engine_call call)
{
    enum tsr__call_how how = tsr__call_info(call)->how;
    return tsr__is_primitive(call) && tsr__call_info(call)->sees == TSR__SEES_RANGE && call != TSR__CALL_GLOBAL_ID &&
           (how == TSR__HOW_GROUP_DIM || how == TSR__HOW_GROUP);
}

static LLVMValueRef copy_of(struct search *s, LLVMValueRef v);

static LLVMValueRef copy_call(struct search *s, LLVMValueRef call)
{
    int64_t dim = -1;
    LLVMValueRef callee = tsr__callee(call), args[2];
    if (is_range_query(tsr__call_of(call)))
        return LLVMGetNumArgOperands(call) && !tsr__constant_int(LLVMGetArgOperand(call, 0), &dim)
                   ? NULL
                   : tsr__build_query(s->l, s->b, tsr__call_of(call), (int)dim);
    if (!callee || !tsr__is_extreme(callee))
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (!(args[i] = copy_of(s, LLVMGetArgOperand(call, i))))
            return NULL;
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(callee), callee, args, 2, "");
}

/* A division stays where its divisor is known not to be zero. */
static bool may_copy(LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    bool divides = opcode == LLVMUDiv || opcode == LLVMSDiv || opcode == LLVMURem || opcode == LLVMSRem;
    int64_t divisor;
    return !divides || (tsr__constant_int(LLVMGetOperand(inst, 1), &divisor) && divisor != 0 && divisor != -1);
}

/* Without promises about results (nsw, exact …): the copy is computed in every launch. */
static LLVMValueRef copy_instruction(struct search *s, LLVMValueRef inst)
{
    LLVMValueRef operands[3];
    int count = LLVMGetNumOperands(inst);
    if (LLVMIsACallInst(inst))
        return copy_call(s, inst);
    bool binary = LLVMIsABinaryOperator(inst) && may_copy(inst),
         cast = LLVMIsATruncInst(inst) || LLVMIsASExtInst(inst) || LLVMIsAZExtInst(inst);
    if (!binary && !cast && !LLVMIsAICmpInst(inst) && !LLVMIsASelectInst(inst))
        return NULL;
    for (int i = 0; i < count; i++)
        if (!(operands[i] = copy_of(s, LLVMGetOperand(inst, (unsigned)i))))
            return NULL;
    if (binary)
        return LLVMBuildBinOp(s->b, LLVMGetInstructionOpcode(inst), operands[0], operands[1], "");
    if (cast)
        return LLVMBuildCast(s->b, LLVMGetInstructionOpcode(inst), operands[0], LLVMTypeOf(inst), "");
    return LLVMIsAICmpInst(inst) ? LLVMBuildICmp(s->b, LLVMGetICmpPredicate(inst), operands[0], operands[1], "")
                                 : LLVMBuildSelect(s->b, operands[0], operands[1], operands[2], "");
}

/* The same number where the entry answers; NULL: it is not the same for all work-items, or not known before the launch. */
static LLVMValueRef copy_of(struct search *s, LLVMValueRef v)
{
    LLVMValueRef copy = NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return NULL;
    if (LLVMIsAConstantInt(v))
        return v;
    for (unsigned i = 0; i < LLVMCountParams(s->k->item); i++)
        if (LLVMGetParam(s->k->item, i) == v)
            return LLVMGetParam(s->k->kernel, i);
    if (!LLVMIsAInstruction(v))
        return NULL;
    if ((copy = (LLVMValueRef)tsr__map_get(&s->copies, v)) == NULL && s->copied++ < MOST_COPIED) {
        copy = copy_instruction(s, v);
        if (copy)
            tsr__map_set(&s->copies, v, (uintptr_t)copy);
    }
    return copy;
}

/* ---- a comparison ---- */

/* A sum with an id, or a multiple of one. */
struct side {
    int dim;
    int64_t scale;        /* of the id */
    LLVMValueRef exact;   /* what is added, of 64 bits; NULL: nothing */
    LLVMValueRef wrapped; /* … in sums of 32 bits, of so many */
    bool is_exact;        /* no sum of the source wraps */
};

static LLVMValueRef extend(struct search *s, LLVMValueRef v)
{
    return LLVMBuildSExt(s->b, v, LLVMInt64TypeInContext(s->l->context), "");
}

/* Is the number of 64 bits far from where a sum with an id could wrap? */
static bool is_bounded(LLVMValueRef v)
{
    int64_t constant;
    if (tsr__constant_int(v, &constant))
        return constant >= INT32_MIN && constant <= INT32_MAX;
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) <= 32;
    return tsr__call_of(v) == TSR__CALL_GLOBAL_SIZE || tsr__call_of(v) == TSR__CALL_GLOBAL_OFFSET;
}

static LLVMValueRef sum_of(struct search *s, LLVMValueRef sum, LLVMValueRef v, bool negative)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v));
    if (negative)
        return LLVMBuildSub(s->b, sum ? sum : zero, v, "");
    return sum ? LLVMBuildAdd(s->b, sum, v, "") : v;
}

/* The number by which it multiplies its first operand; 0: it does not. */
static int64_t factor_of(LLVMValueRef v)
{
    int64_t factor;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    if ((opcode != LLVMMul && opcode != LLVMShl) || !tsr__constant_int(LLVMGetOperand(v, 1), &factor) || factor <= 0)
        return 0;
    return opcode == LLVMMul ? factor : factor < 16 ? INT64_C(1) << factor : 0;
}

static bool is_sum(LLVMValueRef v)
{
    return tsr__is_sum(v) || LLVMGetInstructionOpcode(v) == LLVMSub;
}

/* Takes apart a sum with one id, from the outside. */
static bool read_side(struct search *s, LLVMValueRef v, struct side *side)
{
    int64_t dim;
    *side = (struct side){.is_exact = true, .scale = 1};
    for (int steps = 0; steps < 8 && LLVMIsAInstruction(v); steps++) {
        if (tsr__call_of(v) == TSR__CALL_GLOBAL_ID) {
            side->dim = tsr__constant_int(LLVMGetOperand(v, 0), &dim) ? (int)dim : -1;
            return side->dim >= 0 && side->dim < 3;
        }
        LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
        if (opcode == LLVMTrunc || opcode == LLVMSExt || opcode == LLVMZExt) {
            /* Of an id, or to 64 bits of a sum of 32 that is what it would be there. */
            if (bits < 32 || (opcode == LLVMTrunc && tsr__call_of(LLVMGetOperand(v, 0)) != TSR__CALL_GLOBAL_ID))
                return false;
            v = LLVMGetOperand(v, 0);
            if (opcode == LLVMZExt && !LLVMIsATruncInst(v) && tsr__call_of(v) != TSR__CALL_GLOBAL_ID)
                return false;
            continue;
        }
        if (bits != 32 && bits != 64)
            return false;
        int64_t factor = factor_of(v);
        if (factor) {
            if (factor > MOST_SCALE / side->scale)
                return false;
            side->scale *= factor;
            side->is_exact = side->is_exact && (bits == 64 || LLVMGetNSW(v));
            v = LLVMGetOperand(v, 0);
            continue;
        }
        if (!is_sum(v))
            return false;
        LLVMValueRef first = LLVMGetOperand(v, 0), second = LLVMGetOperand(v, 1), added = copy_of(s, second);
        LLVMValueRef rest = first, source = second;
        if (!added && opcode != LLVMSub) {
            added = copy_of(s, first);
            rest = second, source = first;
        }
        if (!added || (bits == 64 && !is_bounded(source)))
            return false;
        side->is_exact = side->is_exact && (bits == 64 || opcode == LLVMOr || LLVMGetNSW(v));
        LLVMValueRef scaled = bits == 64 ? added : extend(s, added);
        if (side->scale > 1)
            scaled = LLVMBuildMul(s->b, scaled, tsr__i64(s->l, (uint64_t)side->scale), "");
        side->exact = sum_of(s, side->exact, scaled, opcode == LLVMSub);
        if (bits == 32)
            side->wrapped = sum_of(s, side->wrapped, added, opcode == LLVMSub);
        v = rest;
    }
    return false;
}

static LLVMValueRef select_extreme(struct search *s, LLVMIntPredicate wins, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(s->b, LLVMBuildICmp(s->b, wins, a, b, ""), a, b, "");
}

/* What holds from the number on holds from here on of the ids. */
static void begin_at(struct search *s, const struct side *side, LLVMValueRef from)
{
    int dim = side->dim;
    if (side->scale > 1)
        from = LLVMBuildSDiv(s->b, from, tsr__i64(s->l, (uint64_t)side->scale), "");
    s->from[dim] = s->from[dim] ? select_extreme(s, LLVMIntSGT, s->from[dim], from) : from;
}

static void end_at(struct search *s, const struct side *side, LLVMValueRef to)
{
    int dim = side->dim;
    if (side->scale > 1) {
        to = LLVMBuildAdd(s->b, to, tsr__i64(s->l, (uint64_t)side->scale - 1), "");
        to = LLVMBuildSDiv(s->b, to, tsr__i64(s->l, (uint64_t)side->scale), "");
    }
    s->to[dim] = s->to[dim] ? select_extreme(s, LLVMIntSLT, s->to[dim], to) : to;
}

/* id + added < bound, id + added >= bound and so on, in exact numbers. As unsigned numbers, where bound is not negative: 0 <= id + added <
 * bound; nothing is known of larger ones, nor where the bound is. */
static void take_comparison(struct search *s, const struct side *side, LLVMIntPredicate how, LLVMValueRef added, LLVMValueRef bound)
{
    LLVMValueRef zero = tsr__i64(s->l, 0), one = tsr__i64(s->l, 1), far = tsr__i64(s->l, INT64_MAX / 4);
    LLVMValueRef at = added ? LLVMBuildSub(s->b, bound, added, "") : bound, behind = LLVMBuildAdd(s->b, at, one, "");
    LLVMValueRef first = added ? LLVMBuildSub(s->b, zero, added, "") : zero;
    LLVMValueRef large = LLVMBuildICmp(s->b, LLVMIntSLT, bound, zero, "");
    switch (how) {
    case LLVMIntEQ:
        begin_at(s, side, at);
        end_at(s, side, behind);
        break;
    case LLVMIntSLT:
    case LLVMIntSLE:
        end_at(s, side, how == LLVMIntSLT ? at : behind);
        break;
    case LLVMIntSGT:
    case LLVMIntSGE:
        begin_at(s, side, how == LLVMIntSGE ? at : behind);
        break;
    case LLVMIntULT:
    case LLVMIntULE:
        begin_at(s, side, LLVMBuildSelect(s->b, large, zero, first, ""));
        end_at(s, side, LLVMBuildSelect(s->b, large, far, how == LLVMIntULT ? at : behind, ""));
        break;
    case LLVMIntUGT:
    case LLVMIntUGE: /* also where id + added is negative */
        if (added)
            large = LLVMBuildOr(s->b, large, LLVMBuildICmp(s->b, LLVMIntSLT, added, zero, ""), "");
        begin_at(s, side, LLVMBuildSelect(s->b, large, zero, how == LLVMIntUGE ? at : behind, ""));
        break;
    default:
        break;
    }
}

static bool is_unsigned(LLVMIntPredicate how)
{
    return how == LLVMIntUGT || how == LLVMIntUGE || how == LLVMIntULT || how == LLVMIntULE;
}

/* A bound of 64 bits may be any number; ids are far below those at which it ends. */
static LLVMValueRef clamp(struct search *s, LLVMValueRef bound)
{
    LLVMValueRef far = tsr__i64(s->l, INT64_MAX / 4), low = tsr__i64(s->l, (uint64_t)(INT64_MIN / 4));
    return select_extreme(s, LLVMIntSGT, select_extreme(s, LLVMIntSLT, bound, far), low);
}

static void read_condition(struct search *s, struct condition c)
{
    LLVMIntPredicate how = c.opposite ? tsr__opposite_of(LLVMGetICmpPredicate(c.value)) : LLVMGetICmpPredicate(c.value);
    LLVMValueRef ids = LLVMGetOperand(c.value, 0), other = LLVMGetOperand(c.value, 1), bound = copy_of(s, other);
    if (!bound) {
        bound = copy_of(s, ids);
        ids = other;
        how = tsr__swapped(how);
    }
    if (!bound || how == LLVMIntNE || LLVMGetTypeKind(LLVMTypeOf(ids)) != LLVMIntegerTypeKind)
        return;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(ids));
    struct side side;
    if ((bits != 32 && bits != 64) || !read_side(s, ids, &side))
        return;
    bool narrow = bits == 32;
    LLVMValueRef added = side.exact;
    if (narrow && is_unsigned(how) && side.wrapped &&
        side.scale == 1) /* the sum of 32 bits is the same in one of the two halves of unsigned numbers */
        added = extend(s, side.wrapped);
    else if (!side.is_exact)
        return;
    take_comparison(s, &side, how, added, narrow ? extend(s, bound) : clamp(s, bound));
}

/* ---- the answer ---- */

static void store_end(struct search *s, LLVMValueRef box, size_t offset, LLVMIntPredicate wins, LLVMValueRef value)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    LLVMValueRef at = tsr__at_offset(s->l, s->b, box, offset);
    LLVMBuildStore(s->b, select_extreme(s, wins, LLVMBuildLoad2(s->b, i64, at, ""), value), at);
}

bool tsr__pass_busy_box(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct condition conditions[MOST_CONDITIONS];
    unsigned count = tsr__group_visibility(l, k->item) == TSR__SEES_RANGE ? find_conditions(k->item, conditions) : 0;
    if (!count)
        return true;
    LLVMBasicBlockRef before = LLVMGetEntryBasicBlock(k->kernel);
    LLVMBasicBlockRef answer = LLVMInsertBasicBlockInContext(l->context, before, "answer");
    struct search s = {.l = l, .k = k, .b = LLVMCreateBuilderInContext(l->context), .copies = {.arena = &l->scratch}};
    LLVMPositionBuilderAtEnd(s.b, answer);
    for (unsigned i = 0; i < count; i++)
        read_condition(&s, conditions[i]);
    bool found = false;
    for (int d = 0; d < 3; d++)
        found = found || s.from[d] || s.to[d];
    if (!found) {
        LLVMDeleteBasicBlock(answer);
        LLVMDisposeBuilder(s.b);
        return true;
    }
    LLVMBasicBlockRef ask = LLVMInsertBasicBlockInContext(l->context, answer, "ask");
    LLVMPositionBuilderAtEnd(s.b, ask);
    LLVMValueRef box = tsr__build_query(l, s.b, TSR__CALL_BUSY, -1);
    LLVMBuildCondBr(s.b, LLVMBuildIsNull(s.b, box, ""), before, answer);
    LLVMPositionBuilderAtEnd(s.b, answer);
    for (size_t d = 0; d < 3; d++) {
        if (s.from[d])
            store_end(&s, box, offsetof(struct tsr_box, from) + d * sizeof(int64_t), LLVMIntSGT, s.from[d]);
        if (s.to[d])
            store_end(&s, box, offsetof(struct tsr_box, to) + d * sizeof(int64_t), LLVMIntSLT, s.to[d]);
    }
    LLVMBuildRetVoid(s.b);
    LLVMDisposeBuilder(s.b);
    k->info->flags |= TSR_KERNEL_BUSY_BOX;
    tsr__explain(l, k->kernel, "range", "bounded",
                 "only the part of a range runs in which the comparisons of ids hold that it begins with");
    return true;
}
