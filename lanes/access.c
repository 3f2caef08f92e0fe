/* SPDX-License-Identifier: Apache-2.0
 * Memory: addresses, stack variables, loads and stores by how the lanes' addresses lie to each other.
 *
 * A masked load's result is frozen: LLVM 22's InstCombine folds select(mask, load, y) into a masked load at the place of the select, which
 * may stand behind a store to the same memory. A frozen load it leaves alone. */
#include <string.h>

#include "simd.h"

enum { MAX_GROUP = 8 }; /* elements from one lane to the next, up to which a strided access is one wide access and shuffles */

uint64_t tsr__alloca_pitch(LLVMTargetDataRef layout, LLVMValueRef alloca)
{
    uint64_t size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(alloca)), align = LLVMGetAlignment(alloca);
    return align ? (size + align - 1) / align * align : size;
}

/* ---- calls of masked intrinsics -------------------------------------------------------------------------------------------------------
 */

static LLVMValueRef intrinsic(struct tsr__simd *s, const char *name, LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
                              unsigned count)
{
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, LLVMLookupIntrinsicID(name, strlen(name)), types, type_count);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

static void align_argument(struct tsr__simd *s, LLVMValueRef call, unsigned argument, unsigned align)
{
    LLVMAddCallSiteAttribute(call, argument + 1, tsr__int_attr(s->l, "align", align ? align : 1));
}

static LLVMValueRef masked_load(struct tsr__simd *s, LLVMTypeRef type, LLVMValueRef p, LLVMValueRef mask, unsigned align)
{
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(s->b, type, p, "");
        LLVMSetAlignment(load, align);
        return load;
    }
    LLVMTypeRef types[2] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[3] = {p, mask, LLVMGetPoison(type)};
    LLVMValueRef call = intrinsic(s, "llvm.masked.load", types, 2, args, 3);
    align_argument(s, call, 0, align);
    return LLVMBuildFreeze(s->b, call, "");
}

static void masked_store(struct tsr__simd *s, LLVMValueRef value, LLVMValueRef p, LLVMValueRef mask, unsigned align)
{
    if (!mask) {
        LLVMSetAlignment(LLVMBuildStore(s->b, value, p), align);
        return;
    }
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(p)};
    LLVMValueRef args[3] = {value, p, mask};
    align_argument(s, intrinsic(s, "llvm.masked.store", types, 2, args, 3), 1, align);
}

static LLVMValueRef gather(struct tsr__simd *s, LLVMTypeRef type, LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef types[2] = {type, LLVMTypeOf(pointers)};
    LLVMValueRef args[3] = {pointers, tsr__mask_or_all(s, s->mask), LLVMGetPoison(type)};
    LLVMValueRef call = intrinsic(s, "llvm.masked.gather", types, 2, args, 3);
    align_argument(s, call, 0, align);
    return LLVMBuildFreeze(s->b, call, "");
}

static void scatter(struct tsr__simd *s, LLVMValueRef value, LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
    LLVMValueRef args[3] = {value, pointers, tsr__mask_or_all(s, s->mask)};
    align_argument(s, intrinsic(s, "llvm.masked.scatter", types, 2, args, 3), 1, align);
}

/* ---- shuffles
 * ------------------------------------------------------------------------------------------------------------------------------ */

static LLVMValueRef shuffle(struct tsr__simd *s, LLVMValueRef x, LLVMValueRef y, const int *from, unsigned count)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef *indices = tsr_arena_alloc(s->arena, count * sizeof *indices);
    for (unsigned i = 0; i < count; i++)
        indices[i] = from[i] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from[i], false);
    return LLVMBuildShuffleVector(s->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(indices, count), "");
}

static LLVMValueRef reversed(struct tsr__simd *s, LLVMValueRef v)
{
    int from[64];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = (int)(s->width - 1 - i);
    return shuffle(s, v, NULL, from, s->width);
}

/* ---- how an access lies
 * --------------------------------------------------------------------------------------------------------------------- */

enum access_class { ACCESS_UNIFORM, ACCESS_CONSECUTIVE, ACCESS_REVERSED, ACCESS_GROUP, ACCESS_SCATTERED };

struct access {
    enum access_class class;
    LLVMValueRef pointer;
    LLVMTypeRef type, scalar;
    unsigned parts, align, scalar_bytes;
    unsigned step; /* GROUP: scalars from one lane to the next */
};

static struct access classify(struct tsr__simd *s, LLVMValueRef pointer, LLVMTypeRef type, unsigned align)
{
    struct access a = {
        .class = ACCESS_SCATTERED, .pointer = pointer, .type = type, .parts = (unsigned)tsr__part_count(type), .align = align};
    struct tsr__shape shape = tsr__seen(s, pointer);
    a.scalar = tsr__part_type(type, 0);
    a.scalar_bytes = (unsigned)LLVMABISizeOfType(s->layout, a.scalar);
    if (shape.kind != TSR__SHAPE_AFFINE)
        return a;
    if (shape.stride == 0) {
        a.class = ACCESS_UNIFORM;
        return a;
    }
    /* The instruction's alignment is that of the lanes which the program runs; lane 0 need not be one. */
    uint64_t stride = (uint64_t)shape.stride, even = stride & (~stride + 1);
    if (a.align > even)
        a.align = (unsigned)even;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool simple =
        kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && LLVMSizeOfTypeInBits(s->layout, a.scalar) == 8 * a.scalar_bytes;
    if (!simple)
        return a;
    if (a.parts == 1 && shape.stride == (int64_t)a.scalar_bytes) {
        a.class = ACCESS_CONSECUTIVE;
    } else if (a.parts == 1 && shape.stride == -(int64_t)a.scalar_bytes) {
        a.class = ACCESS_REVERSED;
    } else if (shape.stride > 0 && shape.stride % a.scalar_bytes == 0 && shape.stride / a.scalar_bytes <= MAX_GROUP &&
               shape.stride / a.scalar_bytes >= a.parts) {
        a.class = ACCESS_GROUP;
        a.step = (unsigned)(shape.stride / a.scalar_bytes);
    }
    return a;
}

/* A group access spans `step` scalars for each lane but the last, which has only its own. */
static unsigned group_span(const struct tsr__simd *s, const struct access *a)
{
    return (s->width - 1) * a->step + a->parts;
}

/* Mask of a group access: the scalars of active lanes, without the gaps. NULL if there are no gaps and all lanes are active. */
static LLVMValueRef group_mask(struct tsr__simd *s, const struct access *a)
{
    if (!s->mask && a->step == a->parts)
        return NULL;
    unsigned span = group_span(s, a);
    int *from = tsr_arena_alloc(s->arena, span * sizeof *from);
    for (unsigned i = 0; i < span; i++)
        from[i] = i % a->step < a->parts ? (int)(i / a->step) : (int)s->width;
    return shuffle(s, tsr__mask_or_all(s, s->mask), LLVMConstNull(tsr__mask_type(s)), from, span);
}

/* ---- loads
 * -------------------------------------------------------------------------------------------------------------------------------------- */

/* Bytes from the start of a value in memory to its scalar number `part`. */
static uint64_t part_offset(struct tsr__simd *s, LLVMTypeRef type, int part)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return (uint64_t)part * LLVMABISizeOfType(s->layout, LLVMGetElementType(type));
    case LLVMArrayTypeKind: {
        LLVMTypeRef element = LLVMGetElementType(type);
        int count = tsr__part_count(element);
        return (uint64_t)(part / count) * LLVMABISizeOfType(s->layout, element) + part_offset(s, element, part % count);
    }
    case LLVMStructTypeKind:
        for (unsigned i = 0;; i++) {
            LLVMTypeRef field = LLVMStructGetTypeAtIndex(type, i);
            int count = tsr__part_count(field);
            if (part < count)
                return LLVMOffsetOfElement(s->layout, type, i) + part_offset(s, field, part);
            part -= count;
        }
    default:
        return 0;
    }
}

static LLVMValueRef offset_pointers(struct tsr__simd *s, LLVMValueRef pointers, uint64_t offset)
{
    if (!offset)
        return pointers;
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), offset, false);
    return LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), pointers, &by, 1, "");
}

static unsigned align_at(unsigned align, uint64_t offset)
{
    while (align > 1 && offset % align)
        align /= 2;
    return align ? align : 1;
}

static void load(struct tsr__simd *s, LLVMValueRef inst)
{
    struct access a = classify(s, LLVMGetOperand(inst, 0), LLVMTypeOf(inst), LLVMGetAlignment(inst));
    switch (a.class) {
    case ACCESS_UNIFORM: {
        LLVMValueRef copy = LLVMInstructionClone(inst);
        LLVMSetOperand(copy, 0, tsr__whole(s, a.pointer));
        LLVMInsertIntoBuilder(s->b, copy);
        if (!tsr__is_varying(tsr__shape_of(&s->shapes, inst)))
            tsr__set_whole(s, inst, copy);
        else
            for (unsigned i = 0; i < a.parts; i++)
                tsr__set_part(s, inst, (int)i, tsr__splat(s, tsr__get_scalar(s, copy, (int)i)));
        return;
    }
    case ACCESS_CONSECUTIVE:
        tsr__set_part(s, inst, 0, masked_load(s, tsr__vector(s, a.scalar), tsr__whole(s, a.pointer), s->mask, a.align));
        return;
    case ACCESS_REVERSED: {
        LLVMValueRef first =
            LLVMConstInt(LLVMInt64TypeInContext(s->l->context), (uint64_t)-(int64_t)((s->width - 1) * a.scalar_bytes), true);
        LLVMValueRef p = LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), tsr__whole(s, a.pointer), &first, 1, "");
        LLVMValueRef mask = s->mask ? reversed(s, s->mask) : NULL;
        tsr__set_part(s, inst, 0, reversed(s, masked_load(s, tsr__vector(s, a.scalar), p, mask, a.align)));
        return;
    }
    case ACCESS_GROUP: {
        unsigned span = group_span(s, &a);
        LLVMValueRef all = masked_load(s, LLVMVectorType(a.scalar, span), tsr__whole(s, a.pointer), group_mask(s, &a), a.align);
        int from[64];
        for (unsigned i = 0; i < a.parts; i++) {
            for (unsigned lane = 0; lane < s->width; lane++)
                from[lane] = (int)(lane * a.step + i);
            tsr__set_part(s, inst, (int)i, shuffle(s, all, NULL, from, s->width));
        }
        return;
    }
    case ACCESS_SCATTERED: {
        LLVMValueRef pointers = tsr__part(s, a.pointer, 0);
        for (unsigned i = 0; i < a.parts; i++) {
            uint64_t offset = part_offset(s, a.type, (int)i);
            LLVMTypeRef scalar = tsr__part_type(a.type, (int)i);
            tsr__set_part(s, inst, (int)i,
                          gather(s, tsr__vector(s, scalar), offset_pointers(s, pointers, offset), align_at(a.align, offset)));
        }
        return;
    }
    }
}

/* ---- stores
 * -------------------------------------------------------------------------------------------------------------------------------------- */

/* All lanes write to one place: the last of them wins. */
static void store_uniform(struct tsr__simd *s, LLVMValueRef inst, const struct access *a)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), value;
    if (tsr__is_uniform(tsr__seen(s, v))) {
        value = tsr__whole(s, v);
    } else {
        LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
        LLVMValueRef last = LLVMConstInt(i32, s->width - 1, false);
        if (s->mask) {
            LLVMTypeRef bits_type = LLVMIntTypeInContext(s->l->context, s->width);
            LLVMValueRef args[2] = {tsr__mask_bits(s, s->mask), LLVMConstInt(LLVMInt1TypeInContext(s->l->context), 0, false)};
            LLVMValueRef zeros = intrinsic(s, "llvm.ctlz", &bits_type, 1, args, 2);
            zeros = s->width < 32 ? LLVMBuildZExt(s->b, zeros, i32, "") : s->width > 32 ? LLVMBuildTrunc(s->b, zeros, i32, "") : zeros;
            last = LLVMBuildSub(s->b, last, zeros, "");
        }
        value = LLVMGetPoison(a->type);
        for (unsigned i = 0; i < a->parts; i++)
            value = tsr__put_scalar(s, value, (int)i, LLVMBuildExtractElement(s->b, tsr__part(s, v, (int)i), last, ""));
    }
    LLVMValueRef copy = LLVMInstructionClone(inst);
    LLVMSetOperand(copy, 0, value);
    LLVMSetOperand(copy, 1, tsr__whole(s, a->pointer));
    LLVMInsertIntoBuilder(s->b, copy);
}

/* The parts side by side as they lie in memory: pairs of vectors are joined until all is one, then put in order. */
static LLVMValueRef interleave(struct tsr__simd *s, LLVMValueRef v, const struct access *a)
{
    unsigned count = 1;
    while (count < a->parts)
        count *= 2;
    LLVMValueRef joined[64];
    for (unsigned i = 0; i < count; i++)
        joined[i] = i < a->parts ? tsr__part(s, v, (int)i) : LLVMGetPoison(tsr__vector(s, a->scalar));
    for (unsigned width = s->width; count > 1; count /= 2, width *= 2) {
        int *from = tsr_arena_alloc(s->arena, 2 * width * sizeof *from);
        for (unsigned i = 0; i < 2 * width; i++)
            from[i] = (int)i;
        for (unsigned i = 0; i < count / 2; i++)
            joined[i] = shuffle(s, joined[2 * i], joined[2 * i + 1], from, 2 * width);
    }
    unsigned span = group_span(s, a);
    int *from = tsr_arena_alloc(s->arena, span * sizeof *from);
    for (unsigned i = 0; i < span; i++)
        from[i] = i % a->step < a->parts ? (int)(i % a->step * s->width + i / a->step) : -1;
    return shuffle(s, joined[0], NULL, from, span);
}

static void store(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    struct access a = classify(s, LLVMGetOperand(inst, 1), LLVMTypeOf(v), LLVMGetAlignment(inst));
    switch (a.class) {
    case ACCESS_UNIFORM:
        store_uniform(s, inst, &a);
        return;
    case ACCESS_CONSECUTIVE:
        masked_store(s, tsr__part(s, v, 0), tsr__whole(s, a.pointer), s->mask, a.align);
        return;
    case ACCESS_REVERSED: {
        LLVMValueRef first =
            LLVMConstInt(LLVMInt64TypeInContext(s->l->context), (uint64_t)-(int64_t)((s->width - 1) * a.scalar_bytes), true);
        LLVMValueRef p = LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), tsr__whole(s, a.pointer), &first, 1, "");
        masked_store(s, reversed(s, tsr__part(s, v, 0)), p, s->mask ? reversed(s, s->mask) : NULL, a.align);
        return;
    }
    case ACCESS_GROUP:
        masked_store(s, interleave(s, v, &a), tsr__whole(s, a.pointer), group_mask(s, &a), a.align);
        return;
    case ACCESS_SCATTERED: {
        LLVMValueRef pointers = tsr__part(s, a.pointer, 0);
        for (unsigned i = 0; i < a.parts; i++) {
            uint64_t offset = part_offset(s, a.type, (int)i);
            scatter(s, tsr__part(s, v, (int)i), offset_pointers(s, pointers, offset), align_at(a.align, offset));
        }
        return;
    }
    }
}

/* ---- addresses
 * ----------------------------------------------------------------------------------------------------------------------------------------
 */

/* One array with a copy for every lane, side by side. */
static void stack_variable(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(s->l->context), tsr__alloca_pitch(s->layout, inst) * s->width);
    LLVMValueRef made = LLVMBuildAlloca(s->homes, bytes, LLVMGetValueName(inst));
    LLVMSetAlignment(made, LLVMGetAlignment(inst) > 64 ? LLVMGetAlignment(inst) : 64);
    tsr__set_whole(s, inst, made);
}

static void address(struct tsr__simd *s, LLVMValueRef inst)
{
    int operands = LLVMGetNumOperands(inst);
    LLVMValueRef *args = tsr_arena_alloc(s->arena, (size_t)operands * sizeof *args);
    bool varying = tsr__is_varying(tsr__shape_of(&s->shapes, inst));
    for (int i = 0; i < operands; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
        /* Uniform operands stay scalar, so that a gather can take a scalar base. */
        bool scalar = !varying || (tsr__is_uniform(tsr__seen(s, v)) && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind);
        args[i] = scalar ? tsr__whole(s, v) : tsr__part(s, v, 0);
    }
    unsigned flags = tsr__is_uniform(tsr__shape_of(&s->shapes, inst)) && !s->mask ? LLVMGEPGetNoWrapFlags(inst) : 0;
    LLVMValueRef made =
        LLVMBuildGEPWithNoWrapFlags(s->b, LLVMGetGEPSourceElementType(inst), args[0], args + 1, (unsigned)operands - 1, "", flags);
    if (!varying)
        tsr__set_whole(s, inst, made);
    else if (LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMVectorTypeKind)
        tsr__set_part(s, inst, 0, made);
    else
        tsr__set_part(s, inst, 0, tsr__splat(s, made));
}

bool tsr__widen_memory(struct tsr__simd *s, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAlloca:
        stack_variable(s, inst);
        return true;
    case LLVMGetElementPtr:
        if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind)
            return false;
        address(s, inst);
        return true;
    case LLVMLoad:
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic && !tsr__is_uniform(tsr__seen(s, LLVMGetOperand(inst, 0))))
            return false; /* lane by lane */
        load(s, inst);
        return true;
    case LLVMStore:
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
            return false;
        store(s, inst);
        return true;
    default:
        return false;
    }
}
