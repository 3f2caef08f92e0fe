/* SPDX-License-Identifier: Apache-2.0
 * Gathers in which lanes read the same places: only different ones are read. Where a work-group of known size is a packet, what depends on
 * x alone is the same in every row, and what depends on y alone the same in all of a row. That follows from how the addresses are computed,
 * whatever wraps on the way. */
#include "lanes/after/lane_offsets.h"
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { LEAST_ROW = 4, MAX_DEPTH = 64 };

/* Rows of `in_row` lanes each: all rows are alike, or all lanes of a row are. */
struct pattern {
    unsigned lanes, in_row;
    bool rows_alike;
};

static unsigned different(const struct pattern *p)
{
    return p->rows_alike ? p->in_row : p->lanes / p->in_row;
}

/* Which of the different ones a lane is. */
static unsigned number_of(const struct pattern *p, unsigned lane)
{
    return p->rows_alike ? lane % p->in_row : lane / p->in_row;
}

/* A lane that has it: the first, then others. */
static unsigned lane_of(const struct pattern *p, unsigned number, unsigned repetition)
{
    return p->rows_alike ? repetition * p->in_row + number : number * p->in_row + repetition;
}

/* ---- does it repeat? ---- */

struct query {
    struct pattern pattern;
    struct tsr__map seen; /* values that repeat, if all others that were looked at do */
};

static bool repeats(struct query *q, LLVMValueRef v, int depth);

static bool constant_repeats(const struct pattern *p, LLVMValueRef v)
{
    for (unsigned i = 0; i < p->lanes; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(v, i);
        if (!element || element != LLVMGetAggregateElement(v, lane_of(p, number_of(p, i), 0)))
            return false;
    }
    return true;
}

static bool shuffle_repeats(const struct pattern *p, LLVMValueRef v)
{
    for (unsigned i = 0; i < p->lanes; i++) {
        unsigned from = tsr__shuffle_number(v, i);
        if (from == TSR__NO_ELEMENT || from != tsr__shuffle_number(v, lane_of(p, number_of(p, i), 0)))
            return false;
    }
    return true;
}

/* Does it compute each lane from the same lane of its operands? */
static bool is_by_lane(LLVMValueRef v)
{
    static const char *const names[] = {"llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax.", "llvm.abs.", "llvm.masked.gather."};
    if (LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) || LLVMIsASelectInst(v) || LLVMIsAGetElementPtrInst(v) ||
        LLVMIsAFreezeInst(v))
        return !LLVMIsABitCastInst(v);
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        if (tsr__calls(v, names[i]))
            return true;
    return false;
}

static bool repeats(struct query *q, LLVMValueRef v, int depth)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return true;
    if (LLVMGetVectorSize(LLVMTypeOf(v)) != q->pattern.lanes)
        return false;
    if (LLVMIsAConstant(v))
        return LLVMIsPoison(v) || constant_repeats(&q->pattern, v);
    if (!LLVMIsAInstruction(v) || !depth)
        return false;
    if (tsr__map_get(&q->seen, v))
        return true;
    tsr__map_set(&q->seen, v, 1);
    if (LLVMIsAShuffleVectorInst(v))
        return shuffle_repeats(&q->pattern, v);
    if (LLVMIsAPHINode(v)) {
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            if (!repeats(q, LLVMGetIncomingValue(v, i), depth - 1))
                return false;
        return true;
    }
    if (!is_by_lane(v))
        return false;
    int operands = LLVMIsACallInst(v) ? (int)LLVMGetNumArgOperands(v) : LLVMGetNumOperands(v);
    for (int i = 0; i < operands; i++)
        if (!repeats(q, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

/* The pattern with the fewest different lanes. */
static bool find_pattern(struct tsr__compilation *l, LLVMValueRef pointers, struct pattern *best)
{
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(pointers));
    *best = (struct pattern){.lanes = lanes, .in_row = 1};
    if (lanes > TSR__MAX_ELEMENTS || lanes & (lanes - 1))
        return false;
    for (unsigned in_row = LEAST_ROW; in_row < lanes; in_row *= 2)
        for (int alike = 0; alike < 2; alike++) {
            struct query q = {.pattern = {lanes, in_row, alike}, .seen = {.arena = &l->scratch}};
            if (different(&q.pattern) < different(best) && repeats(&q, pointers, MAX_DEPTH))
                *best = q.pattern;
        }
    return best->in_row > 1;
}

/* ---- the gather ---- */

static LLVMValueRef take(struct tsr__lane_scalars *c, const struct pattern *p, LLVMValueRef v, unsigned repetition)
{
    unsigned lanes[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < different(p); i++)
        lanes[i] = lane_of(p, i, repetition);
    return tsr__pick_elements(c->l, c->b, v, NULL, lanes, different(p));
}

/* What some lane wants is read. */
static LLVMValueRef narrow_mask(struct tsr__lane_scalars *c, const struct pattern *p, LLVMValueRef mask)
{
    LLVMValueRef narrow = take(c, p, mask, 0);
    for (unsigned i = 1; i < p->lanes / different(p); i++)
        narrow = LLVMBuildOr(c->b, narrow, take(c, p, mask, i), "");
    return narrow;
}

static LLVMValueRef load_each(struct tsr__lane_scalars *c, const struct pattern *p, LLVMValueRef call)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(call));
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(element, different(p)));
    for (unsigned i = 0; i < different(p); i++) {
        LLVMValueRef at = tsr__lane_scalar(c, LLVMGetOperand(call, 0), lane_of(p, i, 0));
        LLVMPositionBuilderBefore(c->b, call);
        LLVMValueRef number = LLVMBuildLoad2(c->b, element, at, "");
        tsr__copy_memory_notes(call, number, tsr__argument_align(call, 0));
        all = LLVMBuildInsertElement(c->b, all, number, tsr__i32(c->l, i), "");
    }
    return all;
}

/* Of the addresses in `pointers`; lanes that are not in `sent`, if there is one, read from a place of their own. */
static LLVMValueRef gather_each(struct tsr__lane_scalars *c, const struct pattern *p, LLVMValueRef call, LLVMValueRef pointers,
                                LLVMValueRef sent)
{
    LLVMValueRef args[3] = {take(c, p, pointers, 0), narrow_mask(c, p, LLVMGetOperand(call, 1))};
    if (sent)
        args[0] = LLVMBuildSelect(c->b, narrow_mask(c, p, sent), args[0], take(c, p, LLVMGetOperand(LLVMGetOperand(call, 0), 2), 0), "");
    LLVMTypeRef types[2] = {LLVMVectorType(LLVMGetElementType(LLVMTypeOf(call)), different(p)), LLVMTypeOf(args[0])};
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(c->l->module, LLVMGetIntrinsicID(tsr__callee(call)), types, 2);
    args[2] = LLVMGetPoison(types[0]);
    LLVMValueRef made = LLVMBuildCall2(c->b, LLVMGlobalGetValueType(function), function, args, 3, "");
    LLVMAddCallSiteAttribute(made, 1, tsr__int_attr(c->l, "align", tsr__argument_align(call, 0)));
    tsr__copy_notes(call, made);
    return made;
}

static void replace(struct tsr__lane_scalars *c, LLVMValueRef call)
{
    struct pattern p;
    int64_t bit;
    LLVMValueRef sent, pointers = tsr__addresses_behind(LLVMGetOperand(call, 0), &sent);
    if (!LLVMIsPoison(LLVMGetOperand(call, 2)) || !find_pattern(c->l, pointers, &p))
        return;
    tsr__explain(c->l, call, "load", "repeated", "%u of %u lanes are different", different(&p), p.lanes);
    LLVMPositionBuilderBefore(c->b, call);
    bool all = !sent && tsr__same_number(LLVMGetOperand(call, 1), &bit) && bit;
    LLVMValueRef numbers = all ? load_each(c, &p, call) : gather_each(c, &p, call, pointers, sent);
    unsigned lanes[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < p.lanes; i++)
        lanes[i] = number_of(&p, i);
    LLVMReplaceAllUsesWith(call, tsr__pick_elements(c->l, c->b, numbers, NULL, lanes, p.lanes));
    LLVMInstructionEraseFromParent(call);
}

bool tsr__pass_repeat_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct tsr__lane_scalars c;
    tsr__lane_scalars_begin(&c, l);
    for (size_t i = 0; i < count; i++)
        if (tsr__calls(code[i], "llvm.masked.gather."))
            replace(&c, code[i]);
    tsr__lane_scalars_end(&c);
    return true;
}
