/* SPDX-License-Identifier: Apache-2.0
 * In kernels with matrix functions, numbers that a counter's bound keeps from wrapping are marked so.
 *
 * OpenCL lets numbers without a sign wrap, so of `uint k` a loop `k < n / 16` tells no pass that k + 2 is greater than k. But the test that
 * lets a round begin bounds the counter in it, and what is known of the bound itself may leave room for what the round adds. */
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/rounds.h"

enum { DEPTH = 6 /* instructions of a bound */ };

static uint64_t low_bits(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The greatest number without a sign that it may be. */
static uint64_t most_of(LLVMValueRef v, int depth)
{
    const uint64_t all = low_bits(LLVMGetIntTypeWidth(LLVMTypeOf(v)));
    if (LLVMIsAConstantInt(v))
        return LLVMConstIntGetZExtValue(v);
    if (!depth || (!LLVMIsABinaryOperator(v) && !LLVMIsAZExtInst(v)))
        return all;
    if (LLVMIsAZExtInst(v))
        return most_of(LLVMGetOperand(v, 0), depth - 1);
    LLVMValueRef by = LLVMGetOperand(v, 1);
    const uint64_t n = LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLShr:
        return n < 64 ? most_of(LLVMGetOperand(v, 0), depth - 1) >> n : all;
    case LLVMUDiv:
        return n ? most_of(LLVMGetOperand(v, 0), depth - 1) / n : all;
    case LLVMURem:
        return n ? n - 1 : all;
    case LLVMAnd:
        return least(most_of(LLVMGetOperand(v, 0), depth - 1), most_of(by, depth - 1));
    default:
        return all;
    }
}

/* Marks the result of the operation with a constant on a number up to `most`, if that leaves it room. */
static bool mark(LLVMValueRef operation, uint64_t most)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(operation);
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(operation));
    const uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(operation, 1)), all = low_bits(width);
    uint64_t result;
    if ((op == LLVMShl && n >= width) ||
        (op == LLVMAdd ? __builtin_add_overflow(most, n, &result)
                       : __builtin_mul_overflow(most, op == LLVMShl ? UINT64_C(1) << n : n, &result)) ||
        result > all || (LLVMGetNUW(operation) && (LLVMGetNSW(operation) || result > all >> 1)))
        return false;
    LLVMSetNUW(operation, true);
    if (result <= all >> 1)
        LLVMSetNSW(operation, true);
    return true;
}

static bool mark_counter(void *context, struct tsr__rounds *r)
{
    struct tsr__inequality q;
    if (r->exiting != r->header || !tsr__inequality_of(r->goes_on, &q) || q.is_signed)
        return false;
    if (!r->goes_on_if)
        q = (struct tsr__inequality){q.b, q.a, -q.distance - 1, false};
    if (!q.a || !LLVMIsAPHINode(q.a) || LLVMGetInstructionParent(q.a) != r->header)
        return false;
    /* In a round counter + distance < bound, where the sum does not wrap. */
    const uint64_t bound = q.b ? most_of(q.b, DEPTH) : 0, above = q.distance < 0 ? (uint64_t)-q.distance : 0,
                   below = q.distance > 0 ? (uint64_t)q.distance + 1 : 1;
    uint64_t most;
    if (__builtin_add_overflow(bound, above, &most) || most < below)
        return false;
    most = least(most - below, low_bits(LLVMGetIntTypeWidth(LLVMTypeOf(q.a))));
    bool any = false;
    for (LLVMUseRef use = LLVMGetFirstUse(q.a); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const LLVMOpcode op = LLVMIsABinaryOperator(user) ? LLVMGetInstructionOpcode(user) : LLVMCall;
        if ((op == LLVMAdd || op == LLVMMul || op == LLVMShl) && LLVMGetOperand(user, 0) == q.a &&
            LLVMIsAConstantInt(LLVMGetOperand(user, 1)) && LLVMGetInstructionParent(user) != r->header &&
            tsr__is_in_loop(r->cfg, user, r->loop))
            any = mark(user, most) || any;
    }
    (void)context;
    return any;
}

bool tsr__pass_exact_counters(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (tsr__multiplies_tiles(l, kernel))
            tsr__change_loops(l, kernel, mark_counter, NULL);
    }
    return true;
}
