/* SPDX-License-Identifier: Apache-2.0
 * Uniformity and stride analysis: a lattice of shapes, and a transfer function for each opcode.
 *
 * Shapes of values and divergence of control flow (divergence.c), found together: a divergent branch makes phis varying, a varying
 * condition makes branches divergent. Values start at NONE and only rise, so the search ends. */
#include "lanes/analysis/shape.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/ir/layout.h"

#include <string.h>

struct search {
    struct tsr__shapes *shapes;
    const struct tsr__cfg *cfg;
    struct tsr_arena *arena;
    LLVMValueRef *list; /* instructions, in compact order of their blocks */
    int *block_of;      /* by value number */
    int count;
    /* Lanes that the rules speak of, and their distance: all of the packet, those of either sub-group, or the first ones of the two. */
    unsigned lanes, pitch;
};

/* ---- small shapes ---- */

static const struct tsr__shape varying = {.kind = TSR__SHAPE_VARYING};

static struct tsr__shape uniform_shape(unsigned align)
{
    return (struct tsr__shape){.kind = TSR__SHAPE_AFFINE, .nsw = true, .nuw = true, .align = (uint8_t)(align > 63 ? 63 : align)};
}

static struct tsr__shape affine_shape(int64_t stride, unsigned align, bool nsw, bool nuw)
{
    if (stride == 0)
        return uniform_shape(align);
    return (struct tsr__shape){
        .kind = TSR__SHAPE_AFFINE, .nsw = nsw, .nuw = nuw, .align = (uint8_t)(align > 63 ? 63 : align), .stride = stride};
}

/* An affine number of `bits` bits; adds what follows from the alignment: a packet whose span is at most 2^align, and which starts at a
 * multiple of it, crosses no power of two that matters. */
static struct tsr__shape affine_number(const struct search *s, int64_t stride, unsigned align, bool nsw, bool nuw, unsigned bits)
{
    struct tsr__shape shape = affine_shape(stride, align, nsw, nuw);
    unsigned limit = align < bits - 1 ? align : bits - 1;
    if (stride > 0 && stride <= INT64_MAX / 64 && (uint64_t)stride * s->lanes <= UINT64_C(1) << limit)
        shape.nsw = shape.nuw = true;
    return shape;
}

static unsigned log2_of(uint64_t v)
{
    return v ? (unsigned)__builtin_ctzll(v) : 63;
}

static unsigned min_align(struct tsr__shape a, struct tsr__shape b)
{
    return a.align < b.align ? a.align : b.align;
}

static bool same_shape(struct tsr__shape a, struct tsr__shape b)
{
    return a.kind == b.kind && a.varying_bits == b.varying_bits && a.stride == b.stride && a.align == b.align && a.nsw == b.nsw &&
           a.nuw == b.nuw && a.halves == b.halves && a.distance_known == b.distance_known && a.apart == b.apart &&
           a.distance_align == b.distance_align && a.distance_nsw == b.distance_nsw && a.distance_nuw == b.distance_nuw;
}

/* A number whose lanes differ in these bits only. */
static struct tsr__shape varying_bits_of(uint64_t bits)
{
    return bits ? (struct tsr__shape){.kind = TSR__SHAPE_VARYING, .varying_bits = bits} : uniform_shape(0);
}

/* The least shape that covers both. */
static struct tsr__shape join_shapes(struct tsr__shape a, struct tsr__shape b)
{
    if (a.kind == TSR__SHAPE_NONE)
        return b;
    if (b.kind == TSR__SHAPE_NONE)
        return a;
    if (tsr__is_varying(a) && tsr__is_varying(b) && a.varying_bits == b.varying_bits)
        return (struct tsr__shape){.kind = TSR__SHAPE_VARYING, .varying_bits = a.varying_bits};
    if (tsr__is_varying(a) || tsr__is_varying(b) || a.stride != b.stride)
        return varying;
    return affine_shape(a.stride, min_align(a, b), a.nsw && b.nsw, a.nuw && b.nuw);
}

/* The shape in either half of the packet. */
static struct tsr__shape half_shape(const struct search *s, struct tsr__shape a)
{
    if (a.halves)
        return affine_shape(a.stride, a.align, a.nsw, a.nuw);
    unsigned apart = log2_of((uint64_t)a.stride) + log2_of(s->shapes->packet.sub_group);
    if (a.stride && a.align > apart)
        a.align = (uint8_t)apart;
    return a;
}

/* The shape over the first lanes of the two halves. */
static struct tsr__shape in_firsts(const struct search *s, struct tsr__shape a)
{
    if (a.halves)
        return a.distance_known ? affine_shape(a.apart, a.distance_align, a.distance_nsw, a.distance_nuw) : varying;
    return __builtin_mul_overflow(a.stride, (int64_t)s->shapes->packet.sub_group, &a.stride) ? varying : a;
}

/* The shape of a value that has these in each half and over their first lanes. */
static struct tsr__shape of_halves(struct tsr__shape half, struct tsr__shape firsts)
{
    if (half.kind != TSR__SHAPE_AFFINE)
        return half;
    half.kind = TSR__SHAPE_VARYING;
    half.halves = true;
    if (firsts.kind == TSR__SHAPE_AFFINE) {
        half.distance_known = true;
        half.apart = firsts.stride;
        half.distance_align = firsts.align;
        half.distance_nsw = firsts.nsw;
        half.distance_nuw = firsts.nuw;
    }
    return half;
}

/* The least shape that covers both, halves included. */
static struct tsr__shape join_with_halves(const struct search *s, struct tsr__shape a, struct tsr__shape b)
{
    if (a.kind == TSR__SHAPE_NONE || b.kind == TSR__SHAPE_NONE || !(a.halves || b.halves))
        return join_shapes(a, b);
    return of_halves(join_shapes(half_shape(s, a), half_shape(s, b)), join_shapes(in_firsts(s, a), in_firsts(s, b)));
}

/* ---- lookup ---- */

struct tsr__shape tsr__shape_of(const struct tsr__shapes *shapes, LLVMValueRef value)
{
    uintptr_t number = tsr__map_get(&shapes->index, value);
    if (number)
        return shapes->values[number - 1];
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        return uniform_shape(log2_of(LLVMConstIntGetZExtValue(value)));
    if (LLVMIsAGlobalVariable(value))
        return uniform_shape(log2_of(LLVMGetAlignment(value) ? LLVMGetAlignment(value) : 1));
    return uniform_shape(LLVMIsAConstantPointerNull(value) ? 63 : 0);
}

bool tsr__leaves_divergent_loop(const struct tsr__shapes *shapes, int defined_in, int used_in)
{
    for (int l = shapes->cfg->blocks[defined_in].loop; l != TSR__NONE && !tsr__in_loop(shapes->cfg, used_in, l);
         l = shapes->cfg->loops[l].parent)
        if (shapes->divergent_loop[l])
            return true;
    return false;
}

/* An operand as the instruction numbered `user` sees it. */
static struct tsr__shape operand_shape(const struct search *s, int user, LLVMValueRef value)
{
    uintptr_t number = tsr__map_get(&s->shapes->index, value);
    if (number && s->block_of[number - 1] != TSR__NONE && tsr__leaves_divergent_loop(s->shapes, s->block_of[number - 1], s->block_of[user]))
        return varying;
    struct tsr__shape shape = tsr__shape_of(s->shapes, value);
    if (s->lanes == s->shapes->packet.width)
        return shape.halves ? varying : shape;
    return s->pitch == 1 ? half_shape(s, shape) : in_firsts(s, shape);
}

/* ---- transfer functions ---- */

/* uniform if every operand is, else varying; NONE while an operand is unknown. */
static struct tsr__shape uniform_or_varying(const struct search *s, int user, LLVMValueRef inst)
{
    struct tsr__shape result = uniform_shape(0);
    int operands = LLVMGetNumOperands(inst);
    for (int i = 0; i < operands; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
        if (LLVMValueIsBasicBlock(v) || LLVMIsAFunction(v))
            continue;
        struct tsr__shape o = operand_shape(s, user, v);
        if (o.kind == TSR__SHAPE_NONE)
            return o;
        if (!tsr__is_uniform(o))
            result = varying;
    }
    return result;
}

/* The result of an instruction on affine numbers. Its flags speak of lanes that the program runs; the rule is applied from lane 0, which
 * need not be one of them. Unsigned numbers often lie close to where they wrap, so that lane 0 must not lie beyond the others:
 * `first_least` says whether the operation is one that grows with its operands. Signed ones are taken not to lie within a packet of the
 * smallest. */
static struct tsr__shape affine_result(const struct search *s, LLVMValueRef inst, int64_t stride, unsigned align, bool nsw, bool nuw,
                                       bool first_least)
{
    return affine_number(s, stride, align, nsw, nuw && (first_least ? stride >= 0 : stride <= 0), LLVMGetIntTypeWidth(LLVMTypeOf(inst)));
}

static struct tsr__shape scale_shape(const struct search *s, LLVMValueRef inst, struct tsr__shape a, int64_t factor, bool nsw, bool nuw)
{
    int64_t stride;
    if (__builtin_mul_overflow(a.stride, factor, &stride))
        return varying;
    return affine_result(s, inst, stride, a.align + log2_of((uint64_t)factor), nsw && a.nsw, nuw && a.nuw && factor >= 0, true);
}

/* The lanes of a rising affine number differ in their lowest bits only, which are zero in lane 0: how many those are, or 64 if that is not
 * so. Then bit operations that leave these bits alone, or touch nothing else, need no carry. */
static unsigned free_bits(const struct search *s, struct tsr__shape a, unsigned bits)
{
    int64_t span;
    if (a.stride <= 0 || __builtin_mul_overflow(a.stride, (int64_t)s->lanes - 1, &span))
        return 64;
    unsigned needed = 64 - (unsigned)__builtin_clzll((uint64_t)span);
    return needed <= a.align && needed < bits ? needed : 64;
}

/* and, or, xor of an affine number and a uniform one. */
static struct tsr__shape transfer_bitwise(struct search const *s, LLVMValueRef inst, LLVMOpcode op, struct tsr__shape a, LLVMValueRef mask,
                                          struct tsr__shape b)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(inst)), low = free_bits(s, a, bits);
    int64_t c;
    bool constant = tsr__constant_int(mask, &c);
    if (op == LLVMXor && constant && c == -1) /* -1 - a */
        return affine_result(s, inst, -a.stride, 0, a.nsw, a.nuw, false);
    if (low == 64)
        return varying;
    bool zeros = b.align >= low;                                                       /* below the lanes' bits */
    uint64_t ones = (UINT64_C(1) << low) - ((uint64_t)a.stride & -(uint64_t)a.stride); /* the lanes' bits */
    if (op != LLVMAnd && zeros)
        return affine_shape(a.stride, min_align(a, b), true, true);
    if (op == LLVMOr && constant && !((uint64_t)c & ones))
        return affine_shape(a.stride, min_align(a, b), true, true);
    if (op == LLVMOr && constant && ((uint64_t)c & ones) == ones) /* set in all lanes */
        return uniform_shape(min_align(a, b));
    if (op != LLVMAnd)
        return varying;
    if (zeros)
        return uniform_shape(a.align > b.align ? a.align : b.align);
    if (!constant || (((uint64_t)c & ones) != ones && ((uint64_t)c & ones)))
        return varying;
    return (uint64_t)c & ones ? affine_shape(a.stride, a.align, true, true) : uniform_shape(a.align);
}

static struct tsr__shape shifted_right(const struct search *s, LLVMValueRef inst, struct tsr__shape a, unsigned by)
{
    unsigned low = free_bits(s, a, LLVMGetIntTypeWidth(LLVMTypeOf(inst)));
    unsigned align = a.align > by ? a.align - by : 0;
    if (low == 64)
        return varying;
    if (by >= low)
        return uniform_shape(align);
    return a.stride % (INT64_C(1) << by) == 0 ? affine_shape(a.stride >> by, align, true, true)
                                              : varying_bits_of(((UINT64_C(1) << low) - 1) >> by);
}

static uint64_t all_bits(LLVMTypeRef type)
{
    return UINT64_MAX >> (64 - LLVMGetIntTypeWidth(type));
}

/* A number that is loose in a few bits, and a uniform one. */
static struct tsr__shape loose_bits(LLVMValueRef inst, LLVMOpcode op, struct tsr__shape a, LLVMValueRef right, struct tsr__shape b)
{
    int64_t c;
    bool constant = tsr__constant_int(right, &c), shifts = constant && c >= 0 && c < 64;
    switch (op) {
    case LLVMAnd:
        return varying_bits_of(a.varying_bits & (constant ? (uint64_t)c : UINT64_MAX << b.align));
    case LLVMOr:
        return varying_bits_of(constant ? a.varying_bits & ~(uint64_t)c : a.varying_bits);
    case LLVMXor:
        return varying_bits_of(a.varying_bits);
    case LLVMShl:
        return shifts ? varying_bits_of(a.varying_bits << c & all_bits(LLVMTypeOf(inst))) : varying;
    case LLVMLShr:
        return shifts ? varying_bits_of(a.varying_bits >> c) : varying;
    default:
        return varying;
    }
}

/* (x >> n) & mask, as LLVM writes a multiple of x >> more: the number of a sub-group of 8, times 4, is linear_id >> 1 & -4. */
static struct tsr__shape masked_shift(const struct search *s, int user, LLVMValueRef inst)
{
    LLVMValueRef shift = LLVMGetOperand(inst, 0), right = LLVMGetOperand(inst, 1);
    int64_t by, mask;
    if (!LLVMIsAInstruction(shift) || LLVMGetInstructionOpcode(shift) != LLVMLShr || !tsr__constant_int(LLVMGetOperand(shift, 1), &by) ||
        !tsr__constant_int(right, &mask) || by < 0 || mask == 0 || LLVMGetIntTypeWidth(LLVMTypeOf(inst)) > 64)
        return varying;
    const int zeros = __builtin_ctzll((uint64_t)mask);
    struct tsr__shape x = operand_shape(s, user, LLVMGetOperand(shift, 0));
    if (!zeros || by + zeros >= 63 || x.kind == TSR__SHAPE_NONE || tsr__is_varying(x) || tsr__is_uniform(x))
        return x.kind == TSR__SHAPE_NONE ? x : varying;
    x = shifted_right(s, shift, x, (unsigned)(by + zeros));
    if (tsr__is_varying(x))
        return varying;
    if (!tsr__is_uniform(x))
        x = transfer_bitwise(s, inst, LLVMAnd, x, LLVMConstInt(LLVMTypeOf(inst), (uint64_t)mask >> zeros, false), uniform_shape(0));
    return tsr__is_varying(x) ? varying : scale_shape(s, inst, x, INT64_C(1) << zeros, false, true);
}

static struct tsr__shape transfer_arithmetic(const struct search *s, int user, LLVMValueRef inst, LLVMOpcode op)
{
    LLVMValueRef left = LLVMGetOperand(inst, 0), right = LLVMGetOperand(inst, 1);
    struct tsr__shape a = operand_shape(s, user, left), b = operand_shape(s, user, right);
    if (a.kind == TSR__SHAPE_NONE || b.kind == TSR__SHAPE_NONE)
        return (struct tsr__shape){0};
    if (tsr__is_sum(inst) && s->shapes->packet.mixed && tsr__is_global_id_sum(&s->shapes->packet, inst))
        return affine_shape(s->pitch, 0, false, false);
    if (op == LLVMAnd && tsr__is_varying(a)) {
        struct tsr__shape multiple = masked_shift(s, user, inst);
        if (!tsr__is_varying(multiple))
            return multiple;
    }
    if (a.varying_bits && tsr__is_uniform(b))
        return loose_bits(inst, op, a, right, b);
    if (tsr__is_varying(a) || tsr__is_varying(b))
        return varying;
    LLVMTypeRef type = LLVMTypeOf(inst);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)
        return uniform_or_varying(s, user, inst);
    bool wraps_ok = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    bool nsw = wraps_ok && LLVMGetNSW(inst), nuw = wraps_ok && LLVMGetNUW(inst);
    int64_t c;
    switch (op) {
    case LLVMOr:
    case LLVMXor:
    case LLVMAnd:
        if (tsr__is_uniform(a) && tsr__is_uniform(b))
            return uniform_shape(op == LLVMAnd && a.align > b.align ? a.align : op == LLVMAnd ? b.align : min_align(a, b));
        if (op != LLVMOr || !LLVMGetIsDisjoint(inst))
            return tsr__is_uniform(b)   ? transfer_bitwise(s, inst, op, a, right, b)
                   : tsr__is_uniform(a) ? transfer_bitwise(s, inst, op, b, left, a)
                                        : varying;
        nsw = nuw = true; /* an addition that never carries */
        /* fall through */
    case LLVMAdd:
        return affine_result(s, inst, a.stride + b.stride, min_align(a, b), nsw && a.nsw && b.nsw, nuw && a.nuw && b.nuw, true);
    case LLVMSub:
        return affine_result(s, inst, a.stride - b.stride, min_align(a, b), nsw && a.nsw && b.nsw, nuw && a.nuw && b.nuw, false);
    case LLVMMul:
        if (tsr__is_uniform(a) && tsr__is_uniform(b))
            return uniform_shape(a.align + b.align);
        if (tsr__constant_int(right, &c))
            return scale_shape(s, inst, a, c, nsw, nuw);
        return tsr__constant_int(left, &c) ? scale_shape(s, inst, b, c, nsw, nuw) : varying;
    case LLVMShl:
        if (tsr__constant_int(right, &c) && c >= 0 && c < 62)
            return scale_shape(s, inst, a, INT64_C(1) << c, nsw, nuw);
        return uniform_or_varying(s, user, inst);
    case LLVMLShr:
    case LLVMAShr:
        if (!tsr__constant_int(right, &c) || c < 0 || c >= 63)
            return uniform_or_varying(s, user, inst);
        return tsr__is_uniform(a) ? uniform_shape(a.align > c ? a.align - (unsigned)c : 0) : shifted_right(s, inst, a, (unsigned)c);
    default:
        return uniform_or_varying(s, user, inst);
    }
}

/* Whether lanes that differ in their lowest `low` bits only, zero in lane 0, are all on the same side of a uniform bound. */
static bool on_one_side(LLVMIntPredicate predicate, LLVMValueRef bound, struct tsr__shape shape, unsigned low)
{
    uint64_t ones = (UINT64_C(1) << low) - 1;
    int64_t c;
    switch (predicate) {
    case LLVMIntSLT:
    case LLVMIntULT:
    case LLVMIntSGE:
    case LLVMIntUGE:
        return shape.align >= low;
    case LLVMIntSGT:
    case LLVMIntUGT:
    case LLVMIntSLE:
    case LLVMIntULE:
        return tsr__constant_int(bound, &c) && ((uint64_t)c & ones) == ones;
    default:
        return false;
    }
}

static LLVMIntPredicate mirror_predicate(LLVMIntPredicate predicate)
{
    static const LLVMIntPredicate pairs[][2] = {
        {LLVMIntSLT, LLVMIntSGT}, {LLVMIntULT, LLVMIntUGT}, {LLVMIntSLE, LLVMIntSGE}, {LLVMIntULE, LLVMIntUGE}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(pairs); i++)
        for (int k = 0; k < 2; k++)
            if (predicate == pairs[i][k])
                return pairs[i][!k];
    return predicate;
}

/* Numbers or addresses as far apart from lane to lane, `p < end` where both began at the lane's own element: one answer for all. */
static bool compare_alike(LLVMIntPredicate predicate, struct tsr__shape a, struct tsr__shape b)
{
    if (a.kind != TSR__SHAPE_AFFINE || b.kind != TSR__SHAPE_AFFINE || a.stride != b.stride)
        return false;
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE)
        return true;
    return predicate >= LLVMIntSGT ? a.nsw && b.nsw : a.nuw && b.nuw;
}

/* A loop over a tile, `for (e = lane; e < N; e += 256)`, is one that the lanes leave together if N is a multiple of the width. */
static struct tsr__shape transfer_comparison(const struct search *s, int user, LLVMValueRef inst)
{
    LLVMValueRef left = LLVMGetOperand(inst, 0), right = LLVMGetOperand(inst, 1);
    struct tsr__shape a = operand_shape(s, user, left), b = operand_shape(s, user, right);
    if (compare_alike(LLVMGetICmpPredicate(inst), a, b))
        return uniform_shape(0);
    if (LLVMGetTypeKind(LLVMTypeOf(left)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(left)) > 64 ||
        a.kind != TSR__SHAPE_AFFINE || b.kind != TSR__SHAPE_AFFINE || tsr__is_uniform(a) == tsr__is_uniform(b))
        return uniform_or_varying(s, user, inst);
    bool swap = tsr__is_uniform(a);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(inst);
    unsigned low = free_bits(s, swap ? b : a, LLVMGetIntTypeWidth(LLVMTypeOf(left)));
    bool together = low != 64 && on_one_side(swap ? mirror_predicate(predicate) : predicate, swap ? left : right, swap ? a : b, low);
    return together ? uniform_shape(0) : varying;
}

static struct tsr__shape transfer_cast(const struct search *s, int user, LLVMValueRef inst, LLVMOpcode op)
{
    struct tsr__shape a = operand_shape(s, user, LLVMGetOperand(inst, 0));
    if (a.varying_bits && op == LLVMTrunc)
        return varying_bits_of(a.varying_bits & all_bits(LLVMTypeOf(inst)));
    if (a.varying_bits && (op == LLVMZExt || (op == LLVMSExt && a.varying_bits < all_bits(LLVMTypeOf(LLVMGetOperand(inst, 0))) / 2)))
        return varying_bits_of(a.varying_bits);
    if (tsr__is_varying(a))
        return varying;
    if (a.kind != TSR__SHAPE_AFFINE)
        return a;
    switch (op) {
    case LLVMTrunc:
        if (tsr__is_uniform(a))
            return uniform_shape(a.align);
        return LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(inst)) >= 16
                   ? affine_number(s, a.stride, a.align, false, false, LLVMGetIntTypeWidth(LLVMTypeOf(inst)))
                   : varying;
    case LLVMSExt:
        return tsr__is_uniform(a) || a.nsw ? affine_shape(a.stride, a.align, true, false) : varying;
    case LLVMZExt:
        if (tsr__is_uniform(a) || a.nuw)
            return affine_shape(a.stride, a.align, true, true);
        return LLVMGetNNeg(inst) && a.nsw ? affine_shape(a.stride, a.align, true, false) : varying; /* lane 0 may be negative */
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMPointerTypeKind)
            return a;
        return tsr__is_uniform(a) ? a : varying;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return a; /* 64 bits on both sides */
    default:
        return tsr__is_uniform(a) ? uniform_shape(0) : varying;
    }
}

static struct tsr__shape transfer_gep(const struct search *s, int user, LLVMValueRef inst, LLVMTargetDataRef layout)
{
    struct tsr__shape sum = operand_shape(s, user, LLVMGetOperand(inst, 0));
    if (sum.kind != TSR__SHAPE_AFFINE || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMPointerTypeKind)
        return sum.kind == TSR__SHAPE_NONE ? sum : uniform_or_varying(s, user, inst);
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(layout, inst); tsr__gep_next(&walk, &index);) {
        struct tsr__shape o = operand_shape(s, user, index.value);
        int64_t step;
        if (o.kind != TSR__SHAPE_AFFINE)
            return o;
        if (index.is_field) {
            sum.align = (uint8_t)min_align(sum, uniform_shape(log2_of((uint64_t)index.offset)));
            continue;
        }
        if (!tsr__is_uniform(o) && index.extension == TSR__EXT_SIGNED && !o.nsw)
            return varying;
        if (__builtin_mul_overflow(o.stride, index.bytes, &step))
            return varying;
        sum = affine_shape(sum.stride + step, min_align(sum, uniform_shape(o.align + log2_of((uint64_t)index.bytes))), true, true);
    }
    return sum;
}

static struct tsr__shape transfer_phi(const struct search *s, int user, LLVMValueRef inst)
{
    struct tsr__shape result = {0};
    unsigned count = LLVMCountIncoming(inst);
    LLVMValueRef only = NULL;
    bool one = true;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef v = LLVMGetIncomingValue(inst, i);
        if (v != inst && !LLVMIsUndef(v)) {
            one = one && (!only || only == v);
            only = v;
        }
        result = join_shapes(result, operand_shape(s, user, v));
    }
    if (s->shapes->divergent_join[s->block_of[user]] && !one && result.kind != TSR__SHAPE_NONE)
        return varying;
    return tsr__is_varying(result) ? varying : result; /* lanes that do not come by keep what they had */
}

static struct tsr__shape transfer_collective(const struct search *s, int user, LLVMValueRef inst, enum tsr__collective_result result)
{
    bool one = s->lanes == s->shapes->packet.sub_group;
    switch (result) {
    case TSR__RESULT_UNIFORM:
        return one ? uniform_shape(0) : varying;
    case TSR__RESULT_GROUP:
        return uniform_shape(0);
    case TSR__RESULT_BY_VALUE:
        if (s->pitch > 1)
            return operand_shape(s, user, LLVMGetOperand(inst, 0));
        return one ? uniform_shape(0) : uniform_or_varying(s, user, inst);
    case TSR__RESULT_BY_LANE: {
        struct tsr__shape x = operand_shape(s, user, LLVMGetOperand(inst, 1)), lane = operand_shape(s, user, LLVMGetOperand(inst, 2));
        if (x.kind == TSR__SHAPE_NONE || lane.kind == TSR__SHAPE_NONE)
            return (struct tsr__shape){0};
        return tsr__is_uniform(x) || (one && tsr__is_uniform(lane)) ? uniform_shape(0) : varying;
    }
    case TSR__RESULT_BY_CLUSTER: {
        int64_t cluster;
        return one && tsr__constant_int(LLVMGetOperand(inst, 2), &cluster) && cluster >= s->lanes ? uniform_shape(0) : varying;
    }
    default:
        return varying;
    }
}

static struct tsr__shape transfer_primitive(const struct search *s, int user, enum tsr__engine_call call, LLVMValueRef inst)
{
    struct tsr__packet packet = s->shapes->packet;
    unsigned row = log2_of((uint64_t)s->lanes * s->pitch);
    int64_t dim = -1;
    bool has_dim = LLVMGetNumArgOperands(inst) == 1 && tsr__constant_int(LLVMGetArgOperand(inst, 0), &dim);
    if (LLVMGetNumArgOperands(inst) == 1) {
        struct tsr__shape o = operand_shape(s, user, LLVMGetArgOperand(inst, 0));
        if (!tsr__is_uniform(o))
            return o.kind == TSR__SHAPE_NONE ? o : varying;
    }
    bool in_x = packet.whole_rows && has_dim && dim == 0;
    bool mixed_x = packet.mixed && (in_x || !has_dim);
    switch (call) {
    case TSR__CALL_LANE:
        return affine_shape(s->pitch, 63, true, true);
    case TSR__CALL_LINEAR_ID:
        return mixed_x ? varying : affine_shape(s->pitch, packet.in_group ? 0 : row, true, true);
    case TSR__CALL_GROUP_ID:
        return mixed_x ? varying : uniform_shape(0);
    case TSR__CALL_LOCAL_ID:
    case TSR__CALL_GLOBAL_ID: {
        bool global = call == TSR__CALL_GLOBAL_ID;
        if (!packet.whole_rows || !has_dim || (mixed_x && !global))
            return varying;
        return dim == 0 ? affine_shape(s->pitch, global && packet.in_group ? 0 : row, true, true) : uniform_shape(0);
    }
    case TSR__CALL_LOCAL_SIZE:
    case TSR__CALL_ENQUEUED_LOCAL_SIZE:
        return uniform_shape(in_x && !packet.mixed && !packet.in_group ? row : 0);
    default: /* the same for the work-group or the sub-group */
        return uniform_shape(0);
    }
}

static struct tsr__shape transfer_call(const struct search *s, int user, LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    if (!callee)
        return varying;
    enum tsr__engine_call call = tsr__call_of_function(callee);
    if (tsr__is_collective(call))
        return transfer_collective(s, user, inst, tsr__call_info(call)->result);
    if (call != TSR__CALL_NONE)
        return transfer_primitive(s, user, call, inst);
    return LLVMGetIntrinsicID(callee) || tsr__math_op(callee) || tsr__is_marked_outlined(callee) ? uniform_or_varying(s, user, inst)
                                                                                                 : varying;
}

static struct tsr__shape transfer_opcode(const struct search *s, int user, LLVMValueRef inst, LLVMTargetDataRef layout)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return transfer_arithmetic(s, user, inst, op);
    case LLVMTrunc:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return transfer_cast(s, user, inst, op);
    case LLVMGetElementPtr:
        return transfer_gep(s, user, inst, layout);
    case LLVMICmp:
        return transfer_comparison(s, user, inst);
    case LLVMPHI:
        return transfer_phi(s, user, inst);
    case LLVMSelect: {
        struct tsr__shape c = operand_shape(s, user, LLVMGetOperand(inst, 0));
        struct tsr__shape m = join_shapes(operand_shape(s, user, LLVMGetOperand(inst, 1)), operand_shape(s, user, LLVMGetOperand(inst, 2)));
        if (c.kind == TSR__SHAPE_NONE || m.kind == TSR__SHAPE_NONE)
            return (struct tsr__shape){0};
        return tsr__is_uniform(c) ? m : varying;
    }
    case LLVMFreeze:
        return operand_shape(s, user, LLVMGetOperand(inst, 0));
    case LLVMLoad: {
        struct tsr__shape p = operand_shape(s, user, LLVMGetOperand(inst, 0));
        return p.kind == TSR__SHAPE_NONE ? p : tsr__is_uniform(p) ? uniform_shape(0) : varying;
    }
    case LLVMAlloca: /* one copy for each lane, side by side */
        if (tsr__is_soa_array(inst))
            return uniform_shape(log2_of(LLVMGetAlignment(inst)));
        return affine_shape((int64_t)tsr__alloca_pitch(layout, inst) * s->pitch, log2_of(LLVMGetAlignment(inst)), true, true);
    case LLVMCall:
        return transfer_call(s, user, inst);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return varying; /* each lane makes its own access and gets its own answer */
    default:
        return uniform_or_varying(s, user, inst);
    }
}

static struct tsr__shape transfer_instruction(struct search *s, int user, LLVMValueRef inst, LLVMTargetDataRef layout)
{
    struct tsr__packet packet = s->shapes->packet;
    struct tsr__shape shape = transfer_opcode(s, user, inst, layout), firsts = {0};
    if (!tsr__is_varying(shape) || packet.sub_group == packet.width)
        return shape;
    struct tsr__shape half;
    s->lanes = packet.sub_group;
    half = transfer_opcode(s, user, inst, layout);
    if (half.kind == TSR__SHAPE_AFFINE) {
        s->lanes = packet.width / packet.sub_group;
        s->pitch = packet.sub_group;
        firsts = transfer_opcode(s, user, inst, layout);
        s->pitch = 1;
    }
    s->lanes = packet.width;
    return half.kind == TSR__SHAPE_VARYING ? shape : of_halves(half, firsts);
}

/* ---- the search ---- */

static void collect_values(struct search *s)
{
    struct tsr__shapes *shapes = s->shapes;
    size_t room = LLVMCountParams(s->cfg->function);
    for (int b = 0; b < s->cfg->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            room++;
    s->list = tsr_arena_alloc(s->arena, (room + 1) * sizeof *s->list);
    s->block_of = tsr_arena_alloc(s->arena, (room + 1) * sizeof *s->block_of);
    shapes->values = tsr_arena_alloc(s->arena, (room + 1) * sizeof *shapes->values);
    for (unsigned p = 0; p < LLVMCountParams(s->cfg->function); p++) {
        LLVMValueRef v = LLVMGetParam(s->cfg->function, p);
        s->block_of[s->count] = TSR__NONE;
        shapes->values[s->count] = uniform_shape(0);
        s->list[s->count++] = v;
        tsr__map_set(&shapes->index, v, (uintptr_t)s->count);
    }
    for (int b = 0; b < s->cfg->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            s->block_of[s->count] = b;
            s->list[s->count++] = i;
            tsr__map_set(&shapes->index, i, (uintptr_t)s->count);
        }
}

static void find_shapes(struct tsr__shapes *shapes, struct tsr_arena *arena)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    struct search s = {.shapes = shapes, .cfg = cfg, .arena = arena, .lanes = shapes->packet.width, .pitch = 1};
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(cfg->function));
    collect_values(&s);
    bool changed;
    do {
        changed = false;
        for (int i = 0; i < s.count; i++) {
            LLVMValueRef v = s.list[i];
            if (s.block_of[i] == TSR__NONE || same_shape(shapes->values[i], varying))
                continue;
            /* The old value takes part, so that shapes only rise. */
            struct tsr__shape new = join_with_halves(&s, shapes->values[i], transfer_instruction(&s, i, v, layout));
            if (!same_shape(new, shapes->values[i])) {
                shapes->values[i] = new;
                changed = true;
            }
        }
        for (int b = 0; b < cfg->block_count; b++) {
            LLVMValueRef t = cfg->blocks[b].terminator;
            if (cfg->blocks[b].succ_count < 2)
                continue;
            uintptr_t number = tsr__map_get(&shapes->index, t);
            struct tsr__shape c = operand_shape(&s, (int)number - 1, LLVMGetOperand(t, 0));
            if (c.kind != TSR__SHAPE_NONE && !tsr__is_uniform(c) && tsr__mark_divergent(shapes, b, arena))
                changed = true;
        }
    } while (changed);
}

void tsr__shapes_find(struct tsr__shapes *shapes, const struct tsr__cfg *cfg, struct tsr__packet packet, struct tsr_arena *arena)
{
    size_t blocks = (size_t)cfg->block_count + 1;
    *shapes = (struct tsr__shapes){.cfg = cfg, .packet = packet, .index = {.arena = arena}};
    shapes->divergent_branch = tsr_arena_alloc(arena, blocks);
    shapes->divergent_join = tsr_arena_alloc(arena, blocks);
    shapes->partial = tsr_arena_alloc(arena, blocks);
    shapes->divergent_loop = tsr_arena_alloc(arena, (size_t)cfg->loop_count + 1);
    find_shapes(shapes, arena);
}

void tsr__shapes_part_loop(struct tsr__shapes *shapes, int loop, struct tsr_arena *arena)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    for (int b = cfg->loops[loop].begin; b < cfg->loops[loop].end; b++)
        for (int k = 0; k < cfg->blocks[b].succ_count; k++)
            if (!tsr__in_loop(cfg, cfg->blocks[b].succ[k], loop))
                tsr__mark_divergent(shapes, b, arena);
    find_shapes(shapes, arena);
}

/* ---- dump ---- */

static void print_value(const struct tsr__shapes *shapes, LLVMValueRef v, struct tsr_buf *out)
{
    struct tsr__shape shape = tsr__shape_of(shapes, v);
    char *text = LLVMPrintValueToString(v);
    if (shape.kind == TSR__SHAPE_NONE)
        tsr_buf_printf(out, "  unreached        %s\n", text);
    else if (shape.halves && shape.distance_known)
        tsr_buf_printf(out, "  halves %-4lld %lld apart %s\n", (long long)shape.stride, (long long)shape.apart, text);
    else if (shape.halves)
        tsr_buf_printf(out, "  halves %-4lld %s\n", (long long)shape.stride, text);
    else if (tsr__is_varying(shape))
        tsr_buf_printf(out, "  varying          %s\n", text);
    else if (tsr__is_uniform(shape))
        tsr_buf_printf(out, "  uniform          %s\n", text);
    else
        tsr_buf_printf(out, "  affine %-4lld%s%s %s\n", (long long)shape.stride, shape.nsw ? " s" : "  ", shape.nuw ? " u" : "  ", text);
    LLVMDisposeMessage(text);
}

void tsr__shapes_print(const struct tsr__shapes *shapes, struct tsr_buf *out)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    tsr_buf_printf(out, "function %s, width %u%s\n", tsr__name(cfg->function), shapes->packet.width,
                   shapes->packet.whole_rows ? ", whole rows" : "");
    for (int b = 0; b < cfg->block_count; b++) {
        const struct tsr__block *block = &cfg->blocks[b];
        tsr_buf_printf(out, "block %d %s%s%s%s", b, LLVMGetBasicBlockName(block->ref), shapes->partial[b] ? " partial" : "",
                       shapes->divergent_join[b] ? " join" : "", shapes->divergent_branch[b] ? " diverges" : "");
        if (block->loop != TSR__NONE)
            tsr_buf_printf(out, " loop %d%s", block->loop, shapes->divergent_loop[block->loop] ? " divergent" : "");
        tsr_buf_printf(out, "\n");
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                print_value(shapes, i, out);
    }
}
