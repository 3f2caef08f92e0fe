/* SPDX-License-Identifier: Apache-2.0
 * MADW in packets: 32 × 32 + 32 bits in 64, by halves (include/tessera/madw.def).
 *
 * Vector multipliers take the lower halves of 64-bit elements. So the products of even lanes and of odd lanes are computed separately,
 * each in place, and the halves of the sums are put together at the end: no value crosses lanes. An unsigned product corrects to a
 * signed one in the upper half alone, with 32-bit instructions: for each negative operand the other operand is subtracted. */
#include "lanes/widen/widen_madw.h"
#include "lanes/ir/calls.h"

#include <string.h>

enum { SIGNED_A = 1, SIGNED_B = 2, SIGNED_C = 4 }; /* the last argument of the function for the upper half */

static bool is_high(LLVMValueRef call)
{
    return strcmp(tsr__name(tsr__callee(call)), TSR__MADW_HIGH) == 0;
}

/* The other half of the same numbers' sum, if the block has it: the two are made at once. */
static LLVMValueRef find_other_half(LLVMValueRef call)
{
    LLVMValueRef a = LLVMGetOperand(call, 0);
    for (LLVMUseRef use = LLVMGetFirstUse(a); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user) && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(call) && tsr__callee(user) &&
            tsr__is_madw(tsr__callee(user)) && is_high(user) != is_high(call) && LLVMGetOperand(user, 0) == a &&
            LLVMGetOperand(user, 1) == LLVMGetOperand(call, 1) && LLVMGetOperand(user, 2) == LLVMGetOperand(call, 2))
            return user;
    }
    return NULL;
}

struct sums {
    struct tsr__widener *s;
    LLVMTypeRef words, pairs; /* of all lanes; of 64 bits */
    bool is_signed;           /* the product */
};

static LLVMValueRef shift_by(struct sums *m, LLVMOpcode op, LLVMValueRef x, uint64_t constant)
{
    return LLVMBuildBinOp(m->s->b, op, x, tsr__splat_number(LLVMTypeOf(x), constant), "");
}

/* The even or odd lanes, each in 64 bits. */
static LLVMValueRef even_or_odd_lanes(struct sums *m, LLVMValueRef words, bool odd, bool is_signed)
{
    LLVMValueRef x = LLVMBuildBitCast(m->s->b, words, m->pairs, "");
    if (!is_signed)
        return odd ? shift_by(m, LLVMLShr, x, 32) : shift_by(m, LLVMAnd, x, UINT32_MAX);
    return shift_by(m, LLVMAShr, odd ? x : shift_by(m, LLVMShl, x, 32), 32);
}

static LLVMValueRef sum_products(struct sums *m, const LLVMValueRef *v, bool odd)
{
    LLVMBuilderRef b = m->s->b;
    LLVMValueRef product =
        LLVMBuildMul(b, even_or_odd_lanes(m, v[0], odd, m->is_signed), even_or_odd_lanes(m, v[1], odd, m->is_signed), "");
    return LLVMBuildBitCast(b, LLVMBuildAdd(b, product, even_or_odd_lanes(m, v[2], odd, false), ""), m->words, "");
}

/* `other` where `v` is negative. */
static LLVMValueRef if_negative(struct sums *m, LLVMValueRef v, LLVMValueRef other)
{
    return LLVMBuildAnd(m->s->b, shift_by(m, LLVMAShr, v, 31), other, "");
}

static LLVMValueRef signs_put_right(struct sums *m, LLVMValueRef high, const LLVMValueRef *v, uint64_t signs)
{
    LLVMBuilderRef b = m->s->b;
    if (signs & SIGNED_A && !m->is_signed)
        high = LLVMBuildSub(b, high, if_negative(m, v[0], v[1]), "");
    if (signs & SIGNED_B && !m->is_signed)
        high = LLVMBuildSub(b, high, if_negative(m, v[1], v[0]), "");
    if (signs & SIGNED_C)
        high = LLVMBuildAdd(b, high, shift_by(m, LLVMAShr, v[2], 31), "");
    return high;
}

/* One of the halves, from the sums of the even and of the odd lanes. */
static LLVMValueRef merge_even_odd(struct sums *m, LLVMValueRef even, LLVMValueRef odd, unsigned high)
{
    struct tsr__widener *s = m->s;
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = i / 2 * 2 + high + i % 2 * s->width;
    return tsr__pick_elements(s->l, s->b, even, odd, from, s->width);
}

void tsr__widen_madw(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMValueRef v[3], other = find_other_half(inst), low = is_high(inst) ? other : inst, high = is_high(inst) ? inst : other;
    const struct tsr__value *own = tsr__value(s, inst);
    if (own->current == s->block && own->components[0])
        return; /* came with the other one */
    for (unsigned i = 0; i < 3; i++)
        v[i] = tsr__component_of(s, LLVMGetOperand(inst, i), 0);
    if (!high) {
        tsr__set_component(s, low, 0, LLVMBuildAdd(s->b, LLVMBuildMul(s->b, v[0], v[1], ""), v[2], ""));
        return;
    }
    uint64_t signs = LLVMConstIntGetZExtValue(LLVMGetOperand(high, 3));
    struct sums m = {.s = s,
                     .words = tsr__vector_of(s, LLVMInt32TypeInContext(c)),
                     .pairs = LLVMVectorType(LLVMInt64TypeInContext(c), s->width / 2),
                     .is_signed = (signs & (SIGNED_A | SIGNED_B)) == (SIGNED_A | SIGNED_B)};
    /* Of absent lanes a poisoned one must not spoil its neighbour. */
    for (unsigned i = 0; i < 3 && s->mask; i++)
        v[i] = LLVMBuildFreeze(s->b, v[i], "");
    LLVMValueRef even = sum_products(&m, v, false), odd = sum_products(&m, v, true);
    tsr__set_component(s, high, 0, signs_put_right(&m, merge_even_odd(&m, even, odd, true), v, signs));
    if (low)
        tsr__set_component(s, low, 0, merge_even_odd(&m, even, odd, false));
}
