/* SPDX-License-Identifier: Apache-2.0
 * Rows and columns of a number that counts the elements of all work-items, `(id + 128 * i) / 16` and `% 16`, as sums of parts of the id and
 * of the counter: id / 16 + 8 * i, and id % 16. */
#include "lanes/prepare/staged_indices.h"

#include "lanes/ir/match.h"

struct split {
    const struct tsr__unstage *u;
    LLVMBuilderRef b;
    struct tsr__map highs[64]; /* by how many bits are shifted out: number → what is left of it */
    struct tsr__map lows[64];  /* … number → these bits */
};

/* The bits of the number from this one on, or those below. One value for all that ask, where the number is. */
static LLVMValueRef part_of(struct split *s, LLVMValueRef v, unsigned bits, bool high)
{
    struct tsr__map *map = high ? &s->highs[bits] : &s->lows[bits];
    LLVMValueRef made = (LLVMValueRef)tsr__map_get(map, v);
    if (made)
        return made;
    LLVMPositionBuilderBefore(s->b, tsr__after_phis(LLVMGetNextInstruction(v)));
    made = high ? LLVMBuildLShr(s->b, v, LLVMConstInt(LLVMTypeOf(v), bits, false), "")
                : LLVMBuildAnd(s->b, v, LLVMConstInt(LLVMTypeOf(v), (UINT64_C(1) << bits) - 1, false), "");
    map->arena = s->u->arena;
    tsr__map_set(map, v, (uintptr_t)made);
    return made;
}

/* By which power of two the operation divides, or takes the rest; -1: it does neither. */
static int bits_of_divisor(LLVMValueRef v, bool *quotient)
{
    int64_t n;
    int bits = 0;
    if (!LLVMIsABinaryOperator(v) || !tsr__constant_int(LLVMGetOperand(v, 1), &n) || n <= 0)
        return -1;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    *quotient = op == LLVMLShr || op == LLVMUDiv;
    if (op == LLVMLShr)
        return n < 32 ? (int)n : -1;
    if (op != LLVMUDiv && op != LLVMURem && op != LLVMAnd)
        return -1;
    n += op == LLVMAnd;
    while (bits < 32 && INT64_C(1) << bits < n)
        bits++;
    return bits < 32 && INT64_C(1) << bits == n ? bits : -1;
}

/* The form with parts instead of numbers of which a multiple goes over the divisor. False: that does not help. */
static bool split_terms(struct split *s, const struct tsr__form *sum, int64_t by, struct tsr__form *made)
{
    *made = (struct tsr__form){.constant = sum->constant};
    for (unsigned i = 0; i < sum->count; i++) {
        const int64_t factor = sum->terms[i].factor, rounds = by % factor ? 0 : by / factor, most = sum->terms[i].most;
        LLVMValueRef v = sum->terms[i].value;
        struct tsr__form part = tsr__form_of_value(v, most);
        unsigned bits = 0;
        while (rounds > INT64_C(1) << bits)
            bits++;
        if (factor % by && rounds != INT64_C(1) << bits)
            return false;
        if (factor % by && most >= rounds) {
            if (!LLVMIsAInstruction(v))
                return false;
            part = tsr__form_of_value(part_of(s, v, bits, true), most >> bits);
            if (!tsr__form_add(made, &part, by))
                return false;
            part = tsr__form_of_value(part_of(s, v, bits, false), rounds - 1);
        }
        if (!tsr__form_add(made, &part, factor))
            return false;
    }
    return true;
}

/* LLVM forgets that bits are disjoint where it joins more than two numbers. */
static void mark_sum(const struct tsr__unstage *u, LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMOr || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct tsr__form low;
        const unsigned bits = tsr__zero_bits(LLVMGetOperand(v, 1 - i));
        if (bits && tsr__sum_of_place(u, v, LLVMGetOperand(v, i), &low) && tsr__form_most(&low) < INT64_C(1) << bits)
            LLVMSetIsDisjoint(v, true);
    }
}

/* LLVM makes (x | y) ^ c of (x ^ c) | y, where x says which buffer is meant. */
static void move_xor(const struct tsr__unstage *u, LLVMValueRef v)
{
    int64_t c;
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMXor || !tsr__constant_int(LLVMGetOperand(v, 1), &c) || c <= 0)
        return;
    LLVMValueRef sum = LLVMGetOperand(v, 0);
    for (unsigned i = 0; i < 2 && LLVMIsABinaryOperator(sum) && LLVMGetInstructionOpcode(sum) == LLVMOr && tsr__is_sum(sum); i++) {
        struct tsr__form low;
        if (!tsr__sum_of_place(u, v, LLVMGetOperand(sum, i), &low) || tsr__form_most(&low) >= (c & -c))
            continue;
        LLVMBuilderRef b = tsr__builder_before(u->code.l, v);
        LLVMValueRef buffer = LLVMBuildXor(b, LLVMGetOperand(sum, 1 - i), LLVMGetOperand(v, 1), "");
        LLVMValueRef made = LLVMBuildOr(b, buffer, LLVMGetOperand(sum, i), "");
        if (LLVMIsABinaryOperator(made))
            LLVMSetIsDisjoint(made, true);
        LLVMReplaceAllUsesWith(v, made);
        LLVMDisposeBuilder(b);
        return;
    }
}

/* A counter that is below a bound where a round begins does not wrap as one is added to it. */
static void mark_counters(const struct tsr__unstage *u)
{
    for (int k = 0; k < u->cfg.loop_count; k++) {
        const struct tsr__block *header = &u->cfg.blocks[u->cfg.loops[k].header];
        LLVMValueRef end = LLVMIsABranchInst(header->terminator) && header->succ_count == 2 ? LLVMGetCondition(header->terminator) : NULL;
        if (!end || !LLVMIsAICmpInst(end) || LLVMGetICmpPredicate(end) != LLVMIntULT)
            continue;
        LLVMValueRef phi = LLVMGetOperand(end, 0);
        const int body = tsr__cfg_number(&u->cfg, LLVMGetSuccessor(header->terminator, 0));
        if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != header->ref || u->cfg.blocks[body].pred_count != 1)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef next = LLVMGetUser(use);
            const int block = LLVMIsABinaryOperator(next) ? tsr__block_of(u, next) : TSR__NONE;
            if (block != TSR__NONE && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
                tsr__is_constant(LLVMGetOperand(next, 1), 1) && tsr__dominates(&u->cfg, body, block))
                LLVMSetNUW(next, true);
        }
    }
}

void tsr__split_indices(const struct tsr__unstage *u, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(u->code.l, kernel, &count);
    struct split *s = tsr_arena_alloc(u->arena, sizeof *s);
    *s = (struct split){.u = u, .b = LLVMCreateBuilderInContext(u->code.l->context)};
    mark_counters(u);
    for (size_t i = 0; i < count; i++) {
        bool quotient;
        const int bits = bits_of_divisor(code[i], &quotient);
        struct tsr__form sum, made, result;
        mark_sum(u, code[i]);
        move_xor(u, code[i]);
        if (bits <= 0 || !tsr__sum_of_place(u, code[i], LLVMGetOperand(code[i], 0), &sum) ||
            !split_terms(s, &sum, INT64_C(1) << bits, &made) ||
            !(quotient ? tsr__form_divide(&made, INT64_C(1) << bits, &result) : tsr__form_modulo(&made, INT64_C(1) << bits, &result)))
            continue;
        LLVMPositionBuilderBefore(s->b, code[i]);
        LLVMReplaceAllUsesWith(code[i], tsr__form_build(u->code.l, s->b, &result, LLVMTypeOf(code[i])));
        LLVMInstructionEraseFromParent(code[i]);
    }
    LLVMDisposeBuilder(s->b);
}
