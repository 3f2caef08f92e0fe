/* SPDX-License-Identifier: Apache-2.0
 * Permutations of the lanes of a register: by constant patterns, which are shuffles of LLVM's, and by values, for which some CPUs have
 * an instruction. */
#include <string.h>

#include "lanes/widen/reduce_scan.h"

/* Instructions that permute the elements of one register, or of two, by those of another. They look at the low bits of an index only. */
static const struct permute {
    unsigned bits, lanes;
    enum tsr_cpu_feature needs[2];
    const char *one, *two; /* sources */
} permutes[] = {
    {8, 32, {TSR_CPU_AVX512VBMI, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.qi.256", NULL},
    {8, 16, {TSR_CPU_AVX512VBMI, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.qi.128", NULL},
    {16, 32, {TSR_CPU_AVX512BW, TSR_CPU_AVX512BW}, "llvm.x86.avx512.permvar.hi.512", NULL},
    {16, 16, {TSR_CPU_AVX512BW, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.hi.256", NULL},
    {16, 8, {TSR_CPU_AVX512BW, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.hi.128", NULL},
    {32, 16, {TSR_CPU_AVX512F, TSR_CPU_AVX512F}, "llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"},
    {32, 8, {TSR_CPU_AVX2, TSR_CPU_AVX2}, "llvm.x86.avx2.permd", NULL},
    {64, 8, {TSR_CPU_AVX512F, TSR_CPU_AVX512F}, "llvm.x86.avx512.permvar.di.512", "llvm.x86.avx512.vpermi2var.q.512"},
};

/* For elements of at least `bits` bits: one that permutes a packet at once, else one for pieces of it. */
static const struct permute *permute_for(const struct tsr__widener *s, unsigned bits)
{
    uint64_t features = s->l->options->cpu_features;
    const struct permute *pieces = NULL;
    for (size_t i = 0; i < TSR_ARRAY_LEN(permutes); i++) {
        const struct permute *p = &permutes[i];
        if (p->bits < bits || p->lanes > s->width || !(features >> p->needs[0] & features >> p->needs[1] & 1))
            continue;
        if (p->lanes == s->width)
            return p;
        pieces = pieces ? pieces : p;
    }
    return pieces;
}

/* One register of the result: looks up `index` in the `count` registers of the source. */
static LLVMValueRef look_up(struct tsr__widener *s, const struct permute *p, const LLVMValueRef *source, unsigned count, LLVMValueRef index)
{
    LLVMValueRef found[TSR__MAX_ELEMENTS];
    LLVMTypeRef type = LLVMTypeOf(index);
    unsigned pairs = count > 1 && p->two ? 2 : 1, reach = p->lanes * pairs; /* indices that one instruction tells apart */
    for (unsigned i = 0; i < count / pairs; i++) {
        LLVMValueRef one[2] = {source[i], index}, two[3] = {source[2 * i], index, source[2 * i + 1 < count ? 2 * i + 1 : 0]};
        found[i] = pairs == 2 ? tsr__build_intrinsic(s->l, s->b, p->two, NULL, 0, two, 3)
                              : tsr__build_intrinsic(s->l, s->b, p->one, NULL, 0, one, 2);
    }
    for (count /= pairs; count > 1; count /= 2, reach *= 2) {
        LLVMValueRef bits[TSR__MAX_ELEMENTS];
        for (unsigned i = 0; i < p->lanes; i++)
            bits[i] = LLVMConstInt(LLVMGetElementType(type), reach, false);
        LLVMValueRef bit = LLVMConstVector(bits, p->lanes);
        LLVMValueRef upper = LLVMBuildICmp(s->b, LLVMIntNE, LLVMBuildAnd(s->b, index, bit, ""), LLVMConstNull(type), "");
        for (unsigned i = 0; i < count / 2; i++)
            found[i] = LLVMBuildSelect(s->b, upper, found[2 * i + 1], found[2 * i], "");
    }
    return found[0];
}

/* Integers of a packet by `index`, with what the CPU has for it. */
static LLVMValueRef permute_by(struct tsr__widener *s, const struct permute *p, LLVMValueRef x, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(x), wide = tsr__vector_of(s, LLVMIntTypeInContext(s->l->context, p->bits));
    unsigned count = s->width / p->lanes;
    LLVMValueRef source[TSR__MAX_ELEMENTS], made[TSR__MAX_ELEMENTS];
    x = LLVMBuildZExt(s->b, x, wide, "");
    index = LLVMBuildIntCast2(s->b, index, wide, false, "");
    for (unsigned i = 0; i < count; i++)
        source[i] = tsr__take_lanes(s->l, s->b, x, NULL, i * p->lanes, p->lanes);
    for (unsigned i = 0; i < count; i++)
        made[i] = look_up(s, p, source, count, tsr__take_lanes(s->l, s->b, index, NULL, i * p->lanes, p->lanes));
    return LLVMBuildTrunc(s->b, tsr__join_lanes(s->l, s->b, made, count), type, "");
}

static bool is_constant_vector(struct tsr__widener *s, LLVMValueRef v)
{
    for (unsigned i = 0; i < s->width; i++) {
        LLVMValueRef element = LLVMIsAConstant(v) ? LLVMGetAggregateElement(v, i) : NULL;
        if (!element || !LLVMIsAConstantInt(element))
            return false;
    }
    return true;
}

LLVMValueRef tsr__permute_lanes(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef index)
{
    if (is_constant_vector(s, index)) {
        unsigned from[TSR__MAX_ELEMENTS];
        for (unsigned i = 0; i < s->width; i++)
            from[i] = (unsigned)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(index, i)) & (s->width - 1);
        return tsr__pick_elements(s->l, s->b, x, NULL, from, s->width);
    }
    LLVMTypeRef type = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(s->l->context);
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(type));
    LLVMTypeRef integers = tsr__vector_of(s, LLVMIntTypeInContext(s->l->context, bits));
    LLVMValueRef number = LLVMBuildBitCast(s->b, x, integers, "");
    const struct permute *p = permute_for(s, bits);
    if (p)
        return LLVMBuildBitCast(s->b, permute_by(s, p, number, index), type, "");
    if (bits == 64 && permute_for(s, 32)) {
        LLVMTypeRef halves = tsr__vector_of(s, i32);
        LLVMValueRef by_32 = tsr__splat(s, LLVMConstInt(LLVMGetElementType(integers), 32, false));
        LLVMValueRef low = LLVMBuildTrunc(s->b, number, halves, ""), high = LLVMBuildLShr(s->b, number, by_32, "");
        low = tsr__permute_lanes(s, low, index);
        high = tsr__permute_lanes(s, LLVMBuildTrunc(s->b, high, halves, ""), index);
        high = LLVMBuildShl(s->b, LLVMBuildZExt(s->b, high, integers, ""), by_32, "");
        return LLVMBuildBitCast(s->b, LLVMBuildOr(s->b, high, LLVMBuildZExt(s->b, low, integers, ""), ""), type, "");
    }
    LLVMValueRef made = LLVMGetPoison(type);
    for (unsigned i = 0; i < s->width; i++) {
        LLVMValueRef lane = LLVMBuildExtractElement(s->b, index, tsr__i32(s->l, i), "");
        lane = LLVMBuildAnd(s->b, lane, tsr__i32(s->l, s->width - 1), "");
        made = LLVMBuildInsertElement(s->b, made, LLVMBuildExtractElement(s->b, x, lane, ""), tsr__i32(s->l, i), "");
    }
    return made;
}
