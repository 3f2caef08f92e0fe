/* SPDX-License-Identifier: Apache-2.0
 * Accumulators that a loop keeps apart, and whose sum alone is used behind it, become one:
 *
 *     for (k …) { even = mad(a[k], b[k], even);  odd = mad(a[k + 1], b[k + 1], odd); }    sum = even + odd;
 *
 * On a GPU the products of such a loop need not wait for each other. Here one accumulator takes half of the registers, and the device
 * stores it without the packets. Sums of numbers with a fraction are rounded in another order so: they stay unless the program allows that.
 */
#include <string.h>

#include "lanes/ir/blocks.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/matrix.h"

enum { MOST_SUMS = 64, MOST_PRODUCTS = 16 };

/* An accumulator that goes round: phis, the operations that add to it, and what the last one makes. */
struct sum {
    unsigned m, count;
    LLVMValueRef phis[TSR__MAX_M], rows[TSR__MAX_M];
    LLVMValueRef calls[MOST_PRODUCTS];
};

/* The only user of the value, or NULL: there are none or several. */
static LLVMValueRef only_user(LLVMValueRef v)
{
    return tsr__use_count(v) == 1 ? LLVMGetUser(LLVMGetFirstUse(v)) : NULL;
}

/* An addition whose order does not matter, or may be changed. */
static bool is_free_addition(LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v))
        return false;
    return LLVMGetInstructionOpcode(v) == LLVMAdd ||
           (LLVMGetInstructionOpcode(v) == LLVMFAdd && LLVMGetFastMathFlags(v) & LLVMFastMathAllowReassoc);
}

static bool begins(LLVMBasicBlockRef loop, const struct tsr__mad *mad, struct sum *s)
{
    *s = (struct sum){.m = mad->f->m, .count = 1, .calls = {mad->call}};
    for (unsigned i = 0; i < s->m; i++) {
        LLVMValueRef phi = s->phis[i] = tsr__mad_c(mad, i);
        if (!LLVMIsAPHINode(phi) || !tsr__is_in_block(phi, loop) || LLVMCountIncoming(phi) != 2 || only_user(phi) != mad->call)
            return false;
    }
    return true;
}

static bool goes_round(LLVMBasicBlockRef loop, const struct sum *s)
{
    for (unsigned i = 0; i < s->m; i++)
        if (tsr__incoming_from(s->phis[i], loop) != s->rows[i])
            return false;
    return true;
}

/* The operation of the same function that adds to these rows, and is their only user; or NULL. */
static LLVMValueRef next_product(LLVMBasicBlockRef loop, const struct sum *s, const struct tsr__mad *mad)
{
    struct tsr__mad next;
    LLVMValueRef call = only_user(s->rows[0]);
    if (!call || !tsr__is_in_block(call, loop) || !tsr__mad_read(call, &next) || next.f != mad->f || next.lanes != mad->lanes)
        return NULL;
    for (unsigned i = 0; i < s->m; i++)
        if (only_user(s->rows[i]) != call || tsr__mad_c(&next, i) != s->rows[i])
            return NULL;
    return call;
}

/* Finds the accumulator that the operation is the first one to add to. */
static bool find_sum(LLVMBasicBlockRef loop, LLVMValueRef call, struct sum *s)
{
    struct tsr__mad mad;
    if (!tsr__mad_read(call, &mad) || !begins(loop, &mad, s))
        return false;
    while (tsr__mad_results(&mad, s->rows)) {
        if (goes_round(loop, s))
            return true;
        LLVMValueRef next = s->count < MOST_PRODUCTS ? next_product(loop, s, &mad) : NULL;
        if (!next)
            return false;
        s->calls[s->count++] = next;
        tsr__mad_read(next, &mad);
    }
    return false;
}

/* The addition behind the loop that is the only user of the row but for the phi, or NULL. */
static LLVMValueRef addition_of(LLVMBasicBlockRef loop, const struct sum *s, unsigned row)
{
    LLVMValueRef found = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(s->rows[row]); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (user == s->phis[row])
            continue;
        if (found || tsr__is_in_block(user, loop) || !is_free_addition(user))
            return NULL;
        found = user;
    }
    return found;
}

/* Are the sums used by nothing but additions of both? */
static bool are_added(LLVMBasicBlockRef loop, const struct sum *x, const struct sum *y)
{
    struct tsr__mad first, second;
    if (x->m != y->m || !tsr__mad_read(x->calls[0], &first) || !tsr__mad_read(y->calls[0], &second) || first.f != second.f ||
        first.lanes != second.lanes || x->count + y->count > MOST_PRODUCTS)
        return false;
    for (unsigned i = 0; i < x->m; i++) {
        LLVMValueRef add = addition_of(loop, x, i);
        if (!add || add != addition_of(loop, y, i))
            return false;
    }
    return true;
}

static bool begins_with_zero(LLVMBasicBlockRef loop, const struct sum *s)
{
    for (unsigned i = 0; i < s->m; i++)
        if (!LLVMIsNull(LLVMGetIncomingValue(s->phis[i], LLVMGetIncomingBlock(s->phis[i], 0) == loop)))
            return false;
    return true;
}

static bool has_call(const struct sum *s, LLVMValueRef call)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->calls[i] == call)
            return true;
    return false;
}

/* The products of both, in the order in which they stand, add to the first one's accumulator. */
static void join(struct tsr__compilation *l, LLVMBasicBlockRef loop, const struct sum *x, const struct sum *y)
{
    LLVMValueRef rows[TSR__MAX_M], additions[TSR__MAX_M];
    struct tsr__mad mad;
    for (unsigned i = 0; i < x->m; i++)
        additions[i] = addition_of(loop, x, i);
    memcpy(rows, x->phis, sizeof rows);
    for (LLVMValueRef call = LLVMGetFirstInstruction(loop); call; call = LLVMGetNextInstruction(call)) {
        if ((!has_call(x, call) && !has_call(y, call)) || !tsr__mad_read(call, &mad))
            continue;
        LLVMBuilderRef b = tsr__builder_before(l, LLVMGetNextInstruction(call));
        for (unsigned i = 0; i < x->m; i++) {
            LLVMSetOperand(call, mad.a_count + TSR__WORDS + i, rows[i]);
            rows[i] = LLVMBuildExtractValue(b, call, i, "");
        }
        LLVMDisposeBuilder(b);
    }
    for (unsigned i = 0; i < x->m; i++) {
        LLVMReplaceAllUsesWith(additions[i], rows[i]);
        LLVMInstructionEraseFromParent(additions[i]);
        LLVMReplaceAllUsesWith(x->rows[i], rows[i]);
        LLVMReplaceAllUsesWith(y->phis[i], LLVMGetPoison(LLVMTypeOf(y->phis[i])));
        LLVMInstructionEraseFromParent(y->phis[i]);
    }
}

/* The rows that nobody reads any more. */
static void drop_unused(const struct sum *s)
{
    for (unsigned k = 0; k < s->count; k++)
        for (LLVMUseRef use = LLVMGetFirstUse(s->calls[k]); use;) {
            LLVMValueRef row = LLVMGetUser(use);
            use = LLVMGetNextUse(use);
            if (!LLVMGetFirstUse(row))
                LLVMInstructionEraseFromParent(row);
        }
}

static bool join_any(struct tsr__compilation *l, LLVMBasicBlockRef loop)
{
    struct sum *sums = tsr_arena_alloc(&l->scratch, MOST_SUMS * sizeof *sums);
    unsigned count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); i && count < MOST_SUMS; i = LLVMGetNextInstruction(i))
        count += find_sum(loop, i, &sums[count]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++)
            if (i != k && begins_with_zero(loop, &sums[k]) && are_added(loop, &sums[i], &sums[k])) {
                join(l, loop, &sums[i], &sums[k]);
                drop_unused(&sums[i]);
                drop_unused(&sums[k]);
                return true;
            }
    return false;
}

bool tsr__pass_join_sums(struct tsr__compilation *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        while (tsr__exit_of_loop(b) && join_any(l, b))
            ;
    return true;
}
