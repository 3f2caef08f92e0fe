/* SPDX-License-Identifier: Apache-2.0
 * Helpers for vectors with one element per lane: shuffles, packing, intrinsics. */
#include "lanes/analysis/packet_support.h"
#include "lanes/widen/memory/access.h"
#include "lanes/ir/layout.h"

#include <string.h>

LLVMTypeRef tsr__vector_of(struct tsr__widener *s, LLVMTypeRef scalar)
{
    return LLVMVectorType(scalar, s->width);
}

/* A half of memory that is made a float by an instruction. */
static bool is_widened_half(struct tsr__widener *s, LLVMValueRef v)
{
    if (!LLVMIsAFPExtInst(v) || !LLVMIsALoadInst(LLVMGetOperand(v, 0)) || !tsr__has(s->l, TSR_CPU_F16C))
        return false;
    return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMHalfTypeKind;
}

LLVMValueRef tsr__splat(struct tsr__widener *s, LLVMValueRef scalar)
{
    LLVMTypeRef type = tsr__vector_of(s, LLVMTypeOf(scalar));
    if (is_widened_half(s, scalar)) /* the load broadcasts then; alone, a half would go into a register that has to be ready before */
        return LLVMBuildFPExt(s->b, tsr__splat(s, LLVMGetOperand(scalar, 0)), type, "");
    if (LLVMIsPoison(scalar))
        return LLVMGetPoison(type);
    if (LLVMIsAConstant(scalar))
        return tsr__splat_constant(type, scalar);
    return tsr__splat_scalar(s->l, s->b, scalar, s->width);
}

LLVMValueRef tsr__iota(struct tsr__widener *s, LLVMTypeRef integer, int64_t step)
{
    LLVMValueRef all[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++)
        all[i] = LLVMConstInt(integer, (uint64_t)((int64_t)i * step), true);
    return LLVMConstVector(all, s->width);
}

/* Pairs of vectors are joined until all is one, then put in order, with `count` elements for each lane; a power of two. */
LLVMValueRef tsr__interleave_vectors(struct tsr__widener *s, LLVMValueRef *components, unsigned count)
{
    LLVMValueRef joined[TSR__MAX_ELEMENTS];
    TSR__REQUIRE(count <= TSR__MAX_ELEMENTS);
    unsigned span = s->width * count, *from = tsr_arena_alloc(s->arena, span * sizeof *from);
    for (unsigned i = 0; i < count; i++)
        joined[i] = components[i];
    for (unsigned i = 0; i < span; i++)
        from[i] = i % count * s->width + i / count;
    return tsr__pick_elements(s->l, s->b, tsr__join_lanes(s->l, s->b, joined, count), NULL, from, span);
}

void tsr__unpack(struct tsr__widener *s, LLVMValueRef packed, LLVMTypeRef scalar, unsigned each, LLVMValueRef *components)
{
    LLVMValueRef all = LLVMBuildBitCast(s->b, packed, LLVMVectorType(scalar, s->width * each), "");
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < each; i++) {
        for (unsigned lane = 0; lane < s->width; lane++)
            from[lane] = lane * each + i;
        components[i] = tsr__pick_elements(s->l, s->b, all, NULL, from, s->width);
    }
}

enum { WORD_BYTES = 4 };

bool tsr__is_loaded_word(struct tsr__widener *s, const LLVMValueRef *pieces, unsigned count, unsigned bits)
{
    if (s->width * 4 < 64 || count * bits != 32 || !tsr__has(s->l, bits == 8 ? TSR_CPU_AVX512VBMI : TSR_CPU_AVX512BW) ||
        tsr__multiplies_tiles(s->l, s->from))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!LLVMIsALoadInst(pieces[i]))
            return false;
    return true;
}

LLVMValueRef tsr__pack(struct tsr__widener *s, LLVMValueRef *components, unsigned each)
{
    LLVMContextRef c = s->l->context;
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(LLVMTypeOf(components[0])));
    LLVMTypeRef type = tsr__vector_of(s, LLVMIntTypeInContext(c, each * bits)), own = tsr__vector_of(s, LLVMIntTypeInContext(c, bits));
    if (each * bits > 32)
        return LLVMBuildBitCast(s->b, tsr__interleave_vectors(s, components, each), type, "");
    bool loaded = each > 1 && tsr__is_loaded_word(s, components, each, bits);
    LLVMValueRef made = NULL, pieces[WORD_BYTES];
    /* A component that nothing has written must not spoil the others. */
    for (unsigned i = 0; i < each; i++)
        pieces[i] = LLVMBuildFreeze(s->b, LLVMBuildBitCast(s->b, components[i], own, ""), "");
    if (loaded)
        return LLVMBuildBitCast(s->b, tsr__interleave_vectors(s, pieces, each), type, "");
    /* Shifts, since what is stored has often just been made narrow. */
    for (unsigned i = 0; i < each; i++) {
        LLVMValueRef piece = LLVMBuildZExt(s->b, pieces[i], type, "");
        LLVMValueRef by = tsr__splat(s, LLVMConstInt(LLVMGetElementType(type), i * bits, false));
        piece = i ? LLVMBuildShl(s->b, piece, by, "") : piece;
        made = made ? LLVMBuildOr(s->b, made, piece, "") : piece;
    }
    return made;
}

/* Bytes from the start of a value in memory to its scalar number `component`. */
uint64_t tsr__component_offset(struct tsr__widener *s, LLVMTypeRef type, int component)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return (uint64_t)component * LLVMABISizeOfType(s->layout, LLVMGetElementType(type));
    case LLVMArrayTypeKind: {
        LLVMTypeRef element = LLVMGetElementType(type);
        int count = tsr__component_count(element);
        return (uint64_t)(component / count) * LLVMABISizeOfType(s->layout, element) + tsr__component_offset(s, element, component % count);
    }
    case LLVMStructTypeKind:
        for (unsigned i = 0;; i++) {
            LLVMTypeRef field = LLVMStructGetTypeAtIndex(type, i);
            int count = tsr__component_count(field);
            if (component < count)
                return LLVMOffsetOfElement(s->layout, type, i) + tsr__component_offset(s, field, component);
            component -= count;
        }
    default:
        return 0;
    }
}

LLVMValueRef tsr__splat_halves(struct tsr__widener *s, const LLVMValueRef *scalars)
{
    unsigned from[TSR__MAX_ELEMENTS];
    LLVMValueRef both = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalars[0]), 2));
    for (unsigned h = 0; h < 2; h++)
        both = LLVMBuildInsertElement(s->b, both, scalars[h], tsr__i32(s->l, h), "");
    for (unsigned i = 0; i < s->width; i++)
        from[i] = i >= s->sub_group;
    return tsr__pick_elements(s->l, s->b, both, NULL, from, s->width);
}

LLVMValueRef tsr__half_of(struct tsr__widener *s, LLVMValueRef x, unsigned half)
{
    return tsr__take_lanes(s->l, s->b, x, NULL, half * s->sub_group, s->sub_group);
}
