/* SPDX-License-Identifier: Apache-2.0
 * Symbolic addresses as polynomials: sums of products of values. A value that is not understood is a variable. */
#include "lanes/analysis/polynomial.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/known_bits_shim.h"
#include "lanes/ir/match.h"

#include <string.h>

enum { MAX_DEPTH = 24 };

static const struct tsr__polynomial too_long;

struct tsr__polynomial tsr__polynomial_constant(int64_t constant)
{
    return (struct tsr__polynomial){.valid = true, .constant = constant};
}

static struct tsr__polynomial leaf_polynomial(LLVMValueRef value, enum tsr__extension extension)
{
    struct tsr__polynomial r = {.valid = true, .count = 1};
    r.terms[0].coefficient = 1;
    r.terms[0].factors[0] = (struct tsr__factor){.value = value, .extension = extension};
    return r;
}

static bool same_factor(struct tsr__factor a, struct tsr__factor b)
{
    return a.value == b.value && a.extension == b.extension && a.width == b.width && a.cleared == b.cleared && a.shift == b.shift;
}

/* Are the products equal? The order of the factors does not count: no order by address is needed, so a kernel's code is the same in each
 * run of the compiler. */
static bool same_factors(const struct tsr__factor *a, const struct tsr__factor *b)
{
    unsigned taken = 0; /* of b */
    for (int i = 0; i < TSR__MAX_FACTORS; i++) {
        int k = 0;
        while (k < TSR__MAX_FACTORS && (taken >> k & 1 || !same_factor(a[i], b[k])))
            k++;
        if (k == TSR__MAX_FACTORS)
            return false;
        taken |= 1u << k;
    }
    return true;
}

/* a += coefficient · Π factors */
static void add_monomial(struct tsr__polynomial *a, int64_t coefficient, const struct tsr__factor *factors)
{
    unsigned i = 0;
    while (i < a->count && !same_factors(a->terms[i].factors, factors))
        i++;
    if (i == TSR__POLYNOMIAL_TERMS) {
        a->valid = false;
        return;
    }
    if (i == a->count) {
        a->count++;
        a->terms[i].coefficient = 0;
        memcpy(a->terms[i].factors, factors, sizeof a->terms[i].factors);
    }
    a->terms[i].coefficient = (int64_t)((uint64_t)a->terms[i].coefficient + (uint64_t)coefficient);
    if (!a->terms[i].coefficient)
        a->terms[i] = a->terms[--a->count];
}

static int64_t multiply_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static struct tsr__polynomial add_scaled(struct tsr__polynomial a, const struct tsr__polynomial *b, int64_t factor)
{
    if (!a.valid || !b->valid)
        return too_long;
    a.constant = (int64_t)((uint64_t)a.constant + (uint64_t)multiply_wrapping(b->constant, factor));
    for (unsigned i = 0; i < b->count && a.valid; i++)
        add_monomial(&a, multiply_wrapping(b->terms[i].coefficient, factor), b->terms[i].factors);
    return a;
}

/* Into `out`, the factors of a, then those of b; false: too many. */
static bool join_factors(const struct tsr__factor *a, const struct tsr__factor *b, struct tsr__factor *out)
{
    unsigned n = 0;
    memset(out, 0, TSR__MAX_FACTORS * sizeof *out);
    for (int i = 0; i < 2 * TSR__MAX_FACTORS; i++) {
        struct tsr__factor f = i < TSR__MAX_FACTORS ? a[i] : b[i - TSR__MAX_FACTORS];
        if (!f.value)
            continue;
        if (n == TSR__MAX_FACTORS)
            return false;
        out[n++] = f;
    }
    return true;
}

static struct tsr__polynomial multiply(const struct tsr__polynomial *a, const struct tsr__polynomial *b)
{
    if (!a->valid || !b->valid)
        return too_long;
    struct tsr__polynomial zero = tsr__polynomial_constant(0), r = add_scaled(zero, b, a->constant);
    struct tsr__polynomial scaled = *a;
    scaled.constant = 0;
    r = add_scaled(r, &scaled, b->constant);
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count && r.valid; k++) {
            struct tsr__factor factors[TSR__MAX_FACTORS];
            if (!join_factors(a->terms[i].factors, b->terms[k].factors, factors))
                return too_long;
            add_monomial(&r, multiply_wrapping(a->terms[i].coefficient, b->terms[k].coefficient), factors);
        }
    return r;
}

static struct tsr__polynomial polynomial_of_value(struct tsr__compilation *l, LLVMValueRef v, enum tsr__extension extension, int depth);

static struct tsr__polynomial polynomial_of_gep(struct tsr__compilation *l, LLVMValueRef v, int depth)
{
    struct tsr__polynomial r = polynomial_of_value(l, LLVMGetOperand(v, 0), TSR__EXT_NONE, depth - 1);
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(LLVMGetModuleDataLayout(l->module), v); tsr__gep_next(&walk, &index);) {
        struct tsr__polynomial step =
            index.is_constant ? tsr__polynomial_constant(index.offset) : polynomial_of_value(l, index.value, index.extension, depth - 1);
        r = add_scaled(r, &step, index.is_constant ? 1 : index.bytes);
    }
    return r;
}

/* a / 2^by, where that is known to leave no rest: if no summand but one can leave one, that one does not either. */
static struct tsr__polynomial shift_right_exact(struct tsr__polynomial a, unsigned by)
{
    int64_t unit = INT64_C(1) << by;
    bool divided = a.constant % unit == 0;
    a.constant /= unit;
    for (unsigned i = 0; i < a.count && a.valid; i++) {
        bool even = a.terms[i].coefficient % unit == 0;
        if (even) {
            a.terms[i].coefficient /= unit;
            continue;
        }
        if (!divided || a.terms[i].coefficient != 1 || a.terms[i].factors[1].value)
            return too_long;
        a.terms[i].factors[0].shift += by;
        divided = false;
    }
    return a;
}

/* The value without these bits: LLVM drops the masks that other instructions make unnecessary, (x & -2) | 1 is x | 1. So they are
 * looked for in what is multiplied. x & -2 is 2 * (x >> 1), as LLVM writes two rows of x / 2 as the former and one as the latter. */
static struct tsr__polynomial without_bits(LLVMValueRef v, struct tsr__polynomial a, enum tsr__extension extension, uint32_t bits)
{
    bool single = a.valid && !a.constant && a.count == 1 && !a.terms[0].factors[1].value;
    int64_t unit = single ? a.terms[0].coefficient : 0;
    uint64_t cleared = unit > 0 && !(unit & (unit - 1)) ? (bits / (uint64_t)unit) << a.terms[0].factors[0].shift : UINT64_MAX;
    if (cleared > INT32_MAX) {
        a = leaf_polynomial(v, extension);
        cleared = bits;
    }
    struct tsr__factor *f = &a.terms[0].factors[0];
    f->cleared |= (uint32_t)cleared;
    const unsigned low = (unsigned)__builtin_ctz(~f->cleared);
    if (low > f->shift) {
        a.terms[0].coefficient = multiply_wrapping(a.terms[0].coefficient, INT64_C(1) << (low - f->shift));
        f->shift = low;
    }
    return a;
}

static struct tsr__polynomial polynomial_of_parts(struct tsr__compilation *l, const struct tsr__parts *p, int depth)
{
    struct tsr__polynomial a = polynomial_of_value(l, p->first, p->extension, depth - 1), b, zero = tsr__polynomial_constant(0);
    switch (p->kind) {
    case TSR__PARTS_SUM:
        b = polynomial_of_value(l, p->second, p->extension, depth - 1);
        return add_scaled(a, &b, p->scale);
    case TSR__PARTS_MULTIPLE:
        return add_scaled(zero, &a, p->scale);
    case TSR__PARTS_PRODUCT:
        b = polynomial_of_value(l, p->second, p->extension, depth - 1);
        return multiply(&a, &b);
    case TSR__PARTS_BITS:
        a = without_bits(p->first, a, p->extension, p->cleared);
        a.constant = p->constant;
        return a;
    default: /* an extension */
        return a;
    }
}

/* What a phi gets by each edge, if that is the same by all, as where LLVM has moved a part of a sum to the ends of blocks. A value that
 * reaches all of the edges reaches the phi. */
static struct tsr__polynomial by_all_edges(struct tsr__compilation *l, LLVMValueRef phi, enum tsr__extension extension, int depth)
{
    enum { PRICE = 4 }; /* of a phi, since those of loops lead round */
    struct tsr__polynomial first = polynomial_of_value(l, LLVMGetIncomingValue(phi, 0), extension, depth / PRICE);
    for (unsigned i = 1; i < LLVMCountIncoming(phi) && first.valid; i++) {
        struct tsr__polynomial other = polynomial_of_value(l, LLVMGetIncomingValue(phi, i), extension, depth / PRICE);
        if (!tsr__polynomial_is_multiple(&other, &first, 1))
            return too_long;
    }
    return first;
}

/* The lower bits of an i64, extended. */
static struct tsr__polynomial low_bits(LLVMValueRef v, unsigned width, enum tsr__extension extension)
{
    struct tsr__polynomial r = leaf_polynomial(v, extension);
    r.terms[0].factors[0].width = width;
    return r;
}

/* How far to the left a value was shifted, or one value in front of each edge of a phi; 0: it was not. */
static unsigned shift_to_left(LLVMValueRef v)
{
    LLVMValueRef first = LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, 0) : v;
    if (!LLVMIsAInstruction(first) || LLVMGetInstructionOpcode(first) != LLVMShl)
        return 0;
    for (unsigned i = 1; v != first && i < LLVMCountIncoming(v); i++) {
        LLVMValueRef other = LLVMGetIncomingValue(v, i);
        if (!LLVMIsAInstruction(other) || LLVMGetInstructionOpcode(other) != LLVMShl ||
            LLVMGetOperand(other, 0) != LLVMGetOperand(first, 0) || LLVMGetOperand(other, 1) != LLVMGetOperand(first, 1))
            return 0;
    }
    return tsr__constant_shift(first);
}

static struct tsr__polynomial polynomial_of_right_shift(struct tsr__compilation *l, LLVMValueRef v, enum tsr__extension extension,
                                                        int depth)
{
    LLVMValueRef from = LLVMGetOperand(v, 0);
    enum tsr__extension as = LLVMGetInstructionOpcode(v) == LLVMLShr ? TSR__EXT_ZERO : TSR__EXT_SIGNED;
    struct tsr__polynomial zero = tsr__polynomial_constant(0);
    unsigned by = tsr__constant_shift(v), left = shift_to_left(from);
    if (left >= by && by && extension == TSR__EXT_NONE && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 && !tsr__is_split(from, as)) {
        LLVMValueRef shift = LLVMIsAPHINode(from) ? LLVMGetIncomingValue(from, 0) : from;
        struct tsr__polynomial low = low_bits(LLVMGetOperand(shift, 0), 64 - left, as); /* LLVM's way to extend half of an i64 */
        return add_scaled(zero, &low, INT64_C(1) << (left - by));
    }
    if (by > 30 || !by || (as == TSR__EXT_SIGNED && extension == TSR__EXT_ZERO))
        return too_long;
    struct tsr__polynomial whole = polynomial_of_value(l, from, as, depth - 1);
    if (!LLVMGetExact(v))
        whole = without_bits(from, whole, as, (UINT32_C(1) << by) - 1);
    return shift_right_exact(whole, by);
}

/* Without the lowest and the highest bits: LLVM leaves out of a mask for the lowest ones what it knows to be zero, as where a condition
 * in front has compared the number. */
static struct tsr__polynomial polynomial_of_mask(struct tsr__compilation *l, LLVMValueRef v, enum tsr__extension extension, int depth)
{
    LLVMValueRef x = LLVMGetOperand(v, 0), mask = LLVMGetOperand(v, 1);
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (!LLVMIsAConstantInt(mask) || (width != 32 && width != 64) || extension != (width == 64 ? TSR__EXT_NONE : TSR__EXT_ZERO))
        return too_long;
    const uint64_t left = LLVMConstIntGetZExtValue(mask), least = left & -left, above = left + least;
    if (least < 2 || least > INT32_MAX || above & (above - 1) || !tsr__bits_are_zero(x, -above << (64 - width) >> (64 - width), v))
        return too_long;
    return without_bits(x, polynomial_of_value(l, x, extension, depth - 1), extension, (uint32_t)least - 1);
}

static struct tsr__polynomial polynomial_of_value(struct tsr__compilation *l, LLVMValueRef v, enum tsr__extension extension, int depth)
{
    struct tsr__parts parts = tsr__parts_of(v, extension);
    if (parts.kind == TSR__PARTS_CONSTANT)
        return tsr__polynomial_constant(parts.constant);
    if (!depth || !LLVMIsAInstruction(v))
        return leaf_polynomial(v, extension);
    if (parts.kind != TSR__PARTS_NONE) {
        struct tsr__polynomial whole = polynomial_of_parts(l, &parts, depth);
        return whole.valid ? whole : leaf_polynomial(v, extension);
    }
    struct tsr__polynomial r = too_long;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
        r = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? polynomial_of_gep(l, v, depth) : too_long;
        break;
    case LLVMAddrSpaceCast: /* global memory has its address as generic memory, too */
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(v, 0))) == TSR__GLOBAL_SPACE)
            return polynomial_of_value(l, LLVMGetOperand(v, 0), extension, depth - 1);
        break;
    case LLVMPHI:
        r = by_all_edges(l, v, extension, depth);
        break;
    case LLVMLShr:
    case LLVMAShr:
        r = polynomial_of_right_shift(l, v, extension, depth);
        break;
    case LLVMAnd:
        r = polynomial_of_mask(l, v, extension, depth);
        break;
    case LLVMTrunc:
        if (extension != TSR__EXT_NONE && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) == 64)
            return low_bits(LLVMGetOperand(v, 0), LLVMGetIntTypeWidth(LLVMTypeOf(v)), extension);
        break;
    case LLVMCall:
        if (tsr__callee(v) && !strcmp(tsr__name(tsr__callee(v)), TSR__BLOCK2D_PLACE))
            return polynomial_of_value(l, LLVMGetOperand(v, TSR__PLACE_ADDRESS), extension, depth - 1);
        break;
    default:
        break;
    }
    return r.valid ? r : leaf_polynomial(v, extension);
}

struct tsr__polynomial tsr__polynomial_of(struct tsr__compilation *l, LLVMValueRef value)
{
    return polynomial_of_value(l, value, TSR__EXT_NONE, MAX_DEPTH);
}

struct tsr__polynomial tsr__polynomial_minus(const struct tsr__polynomial *a, const struct tsr__polynomial *b)
{
    return add_scaled(*a, b, -1);
}

bool tsr__polynomial_is_multiple(const struct tsr__polynomial *a, const struct tsr__polynomial *b, int64_t factor)
{
    struct tsr__polynomial rest = add_scaled(*a, b, -factor);
    return rest.valid && rest.constant == 0 && rest.count == 0;
}

bool tsr__polynomial_divide(const struct tsr__polynomial *a, const struct tsr__polynomial *b, int64_t *quotient, int64_t *rest)
{
    *quotient = 0;
    if (!a->valid || !b->valid)
        return false;
    if (!b->count) {
        if (b->constant <= 0)
            return false;
        *quotient = a->constant / b->constant - (a->constant % b->constant < 0);
    }
    for (unsigned i = 0; i < a->count && b->count; i++)
        if (same_factors(a->terms[i].factors, b->terms[0].factors))
            *quotient = a->terms[i].coefficient / b->terms[0].coefficient;
    struct tsr__polynomial left = add_scaled(*a, b, -*quotient);
    *rest = left.constant;
    return left.valid && !left.count;
}

static bool is_in(LLVMValueRef v, LLVMBasicBlockRef block)
{
    return v && tsr__is_in_block(v, block);
}

bool tsr__polynomial_varies(const struct tsr__polynomial *a, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < a->count; i++)
        for (int k = 0; k < TSR__MAX_FACTORS; k++)
            if (is_in(a->terms[i].factors[k].value, block))
                return true;
    return false;
}

/* The step of a counter of 64 bits that starts at a constant, or 0. It is so small that the counter takes years to wrap. */
static int64_t small_step(LLVMValueRef phi, LLVMBasicBlockRef loop)
{
    enum { SMALL = 1024 };
    LLVMValueRef next = tsr__incoming_from(phi, loop);
    if (LLVMCountIncoming(phi) != 2 || !LLVMIsABinaryOperator(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
        LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) || LLVMGetIntTypeWidth(LLVMTypeOf(phi)) != 64)
        return 0;
    LLVMValueRef start = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == loop);
    int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
    bool low = LLVMIsAConstantInt(start) && LLVMConstIntGetZExtValue(start) <= INT32_MAX;
    return low && step > 0 && step <= SMALL ? step : 0;
}

/* What is added to the factor from round to round. */
static struct tsr__polynomial factor_step(struct tsr__compilation *l, struct tsr__factor f, LLVMBasicBlockRef loop)
{
    if (!LLVMIsAPHINode(f.value) || f.width)
        return too_long;
    struct tsr__polynomial next = polynomial_of_value(l, tsr__incoming_from(f.value, loop), f.extension, MAX_DEPTH),
                           now = leaf_polynomial(f.value, f.extension);
    struct tsr__polynomial step = add_scaled(next, &now, -1);
    int64_t small = LLVMGetTypeKind(LLVMTypeOf(f.value)) == LLVMIntegerTypeKind ? small_step(f.value, loop) : 0;
    if (small)
        step = tsr__polynomial_constant(small);
    int64_t unit = INT64_C(1) << f.shift;
    while (f.cleared >= unit)
        unit *= 2;
    if (unit > 1 && (step.count || step.constant % unit))
        return too_long;
    step.constant /= INT64_C(1) << f.shift;
    return step;
}

bool tsr__polynomial_step(struct tsr__compilation *l, const struct tsr__polynomial *a, LLVMBasicBlockRef loop, struct tsr__polynomial *step)
{
    *step = tsr__polynomial_constant(0);
    for (unsigned i = 0; i < a->count; i++) {
        struct tsr__polynomial grows = tsr__polynomial_constant(0), others = tsr__polynomial_constant(1);
        bool moves = false;
        for (int k = 0; k < TSR__MAX_FACTORS && a->terms[i].factors[k].value; k++) {
            struct tsr__factor f = a->terms[i].factors[k];
            struct tsr__polynomial alone = leaf_polynomial(f.value, f.extension);
            alone.terms[0].factors[0] = f;
            if (!is_in(f.value, loop)) {
                others = multiply(&others, &alone);
                continue;
            }
            if (moves)
                return false;
            moves = true;
            grows = factor_step(l, f, loop);
        }
        if (!moves)
            continue;
        grows = multiply(&grows, &others);
        *step = add_scaled(*step, &grows, a->terms[i].coefficient);
    }
    return step->valid && !tsr__polynomial_varies(step, loop);
}

static LLVMValueRef extended_low(struct tsr__compilation *l, LLVMBuilderRef b, struct tsr__factor f)
{
    LLVMValueRef unused = tsr__i64(l, 64 - f.width), up = LLVMBuildShl(b, f.value, unused, "");
    return f.extension == TSR__EXT_SIGNED ? LLVMBuildAShr(b, up, unused, "") : LLVMBuildLShr(b, up, unused, "");
}

LLVMValueRef tsr__polynomial_build(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__polynomial *linear)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef made = tsr__i64(l, (uint64_t)linear->constant);
    for (unsigned i = 0; i < linear->count; i++) {
        LLVMValueRef term = tsr__i64(l, (uint64_t)linear->terms[i].coefficient);
        for (int k = 0; k < TSR__MAX_FACTORS && linear->terms[i].factors[k].value; k++) {
            struct tsr__factor f = linear->terms[i].factors[k];
            LLVMValueRef x = f.value;
            if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMPointerTypeKind)
                x = LLVMBuildPtrToInt(b, x, i64, "");
            else if (f.width)
                x = extended_low(l, b, f);
            else if (f.extension != TSR__EXT_NONE)
                x = f.extension == TSR__EXT_SIGNED ? LLVMBuildSExt(b, x, i64, "") : LLVMBuildZExt(b, x, i64, "");
            if (f.cleared)
                x = LLVMBuildAnd(b, x, tsr__i64(l, ~(uint64_t)f.cleared), "");
            if (f.shift)
                x = f.extension == TSR__EXT_SIGNED ? LLVMBuildAShr(b, x, tsr__i64(l, f.shift), "")
                                                   : LLVMBuildLShr(b, x, tsr__i64(l, f.shift), "");
            term = LLVMBuildMul(b, term, x, "");
        }
        made = LLVMBuildAdd(b, made, term, "");
    }
    return made;
}
