/* SPDX-License-Identifier: Apache-2.0
 * Helpers for vectors with one element per lane: shuffles, packing, intrinsics. */
#include "lanes/widen/memory/access.h"
#include "lanes/ir/layout.h"

#include <string.h>

LLVMTypeRef tsr__vector_of(struct tsr__widener *s, LLVMTypeRef scalar)
{
    return LLVMVectorType(scalar, s->width);
}

LLVMValueRef tsr__splat(struct tsr__widener *s, LLVMValueRef scalar)
{
    LLVMTypeRef type = tsr__vector_of(s, LLVMTypeOf(scalar));
    if (LLVMIsPoison(scalar))
        return LLVMGetPoison(type);
    if (LLVMIsAConstant(scalar))
        return tsr__splat_constant(type, scalar);
    LLVMValueRef first = LLVMBuildInsertElement(s->b, LLVMGetPoison(type), scalar, tsr__i32(s->l, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(s->l->context), s->width));
    return LLVMBuildShuffleVector(s->b, first, LLVMGetPoison(type), zeros, "");
}

LLVMValueRef tsr__iota(struct tsr__widener *s, LLVMTypeRef integer, int64_t step)
{
    LLVMValueRef all[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++)
        all[i] = LLVMConstInt(integer, (uint64_t)((int64_t)i * step), true);
    return LLVMConstVector(all, s->width);
}

LLVMValueRef tsr__intrinsic(struct tsr__widener *s, const char *name, LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
                            unsigned count)
{
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, LLVMLookupIntrinsicID(name, strlen(name)), types, type_count);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

LLVMValueRef tsr__shuffle(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, const int *from, unsigned count)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef *indices = tsr_arena_alloc(s->arena, count * sizeof *indices);
    for (unsigned i = 0; i < count; i++)
        indices[i] = from[i] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from[i], false);
    return LLVMBuildShuffleVector(s->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(indices, count), "");
}

/* Pairs of vectors are joined until all is one, then put in order, with `count` elements for each lane; a power of two. */
LLVMValueRef tsr__interleave_vectors(struct tsr__widener *s, LLVMValueRef *components, unsigned count)
{
    LLVMValueRef joined[TSR__MAX_ELEMENTS];
    TSR__REQUIRE(count <= TSR__MAX_ELEMENTS);
    unsigned span = s->width * count;
    int *from = tsr_arena_alloc(s->arena, span * sizeof *from);
    for (unsigned i = 0; i < count; i++)
        joined[i] = components[i];
    for (unsigned n = count, width = s->width; n > 1; n /= 2, width *= 2) {
        for (unsigned i = 0; i < 2 * width; i++)
            from[i] = (int)i;
        for (unsigned i = 0; i < n / 2; i++)
            joined[i] = tsr__shuffle(s, joined[2 * i], joined[2 * i + 1], from, 2 * width);
    }
    for (unsigned i = 0; i < span; i++)
        from[i] = (int)(i % count * s->width + i / count);
    return tsr__shuffle(s, joined[0], NULL, from, span);
}

void tsr__unpack(struct tsr__widener *s, LLVMValueRef packed, LLVMTypeRef scalar, unsigned each, LLVMValueRef *components)
{
    LLVMValueRef all = LLVMBuildBitCast(s->b, packed, LLVMVectorType(scalar, s->width * each), "");
    int from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < each; i++) {
        for (unsigned lane = 0; lane < s->width; lane++)
            from[lane] = (int)(lane * each + i);
        components[i] = tsr__shuffle(s, all, NULL, from, s->width);
    }
}

LLVMValueRef tsr__pack(struct tsr__widener *s, LLVMValueRef *components, unsigned each)
{
    LLVMContextRef c = s->l->context;
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(LLVMTypeOf(components[0])));
    LLVMTypeRef type = tsr__vector_of(s, LLVMIntTypeInContext(c, each * bits)), own = tsr__vector_of(s, LLVMIntTypeInContext(c, bits));
    if (each * bits > 32)
        return LLVMBuildBitCast(s->b, tsr__interleave_vectors(s, components, each), type, "");
    /* Shifts, since what is stored has often just been made narrow. */
    LLVMValueRef made = NULL;
    for (unsigned i = 0; i < each; i++) {
        /* A component that nothing has written must not spoil the others. */
        LLVMValueRef piece = LLVMBuildFreeze(s->b, LLVMBuildBitCast(s->b, components[i], own, ""), "");
        piece = LLVMBuildZExt(s->b, piece, type, "");
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

LLVMValueRef tsr__every_nth(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, unsigned from, unsigned step, unsigned count)
{
    int at[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < count; i++)
        at[i] = (int)(from + i * step);
    return tsr__shuffle(s, x, y, at, count);
}

LLVMValueRef tsr__concat_vectors(struct tsr__widener *s, LLVMValueRef *pieces, unsigned count, unsigned lanes)
{
    for (; count > 1; count /= 2, lanes *= 2)
        for (unsigned i = 0; i < count / 2; i++)
            pieces[i] = tsr__every_nth(s, pieces[2 * i], pieces[2 * i + 1], 0, 1, 2 * lanes);
    return pieces[0];
}

LLVMValueRef tsr__splat_halves(struct tsr__widener *s, const LLVMValueRef *scalars)
{
    LLVMValueRef from[TSR__MAX_ELEMENTS], both = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalars[0]), 2));
    for (unsigned h = 0; h < 2; h++)
        both = LLVMBuildInsertElement(s->b, both, scalars[h], tsr__i32(s->l, h), "");
    for (unsigned i = 0; i < s->width; i++)
        from[i] = tsr__i32(s->l, i >= s->sub_group);
    return LLVMBuildShuffleVector(s->b, both, LLVMGetPoison(LLVMTypeOf(both)), LLVMConstVector(from, s->width), "");
}

LLVMValueRef tsr__join_halves(struct tsr__widener *s, LLVMValueRef first, LLVMValueRef second)
{
    LLVMValueRef from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = tsr__i32(s->l, i);
    return LLVMBuildShuffleVector(s->b, first, second, LLVMConstVector(from, s->width), "");
}

LLVMValueRef tsr__half_of(struct tsr__widener *s, LLVMValueRef x, unsigned half)
{
    LLVMValueRef from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->sub_group; i++)
        from[i] = tsr__i32(s->l, half * s->sub_group + i);
    return LLVMBuildShuffleVector(s->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(from, s->sub_group), "");
}
