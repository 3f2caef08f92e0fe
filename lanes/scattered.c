/* SPDX-License-Identifier: Apache-2.0
 * Gathers and scatters. Neighbouring small parts of a value travel as one integer: a uchar4 is one gather, not four. */
#include <string.h>

#include "access.h"
#include "matrix.h"

bool tsr__has_gather(const struct tsr__simd *s, const struct tsr__access *a)
{
    return tsr__has(s->l, TSR_CPU_AVX512F) && (!a->simple || a->parts * a->scalar_bytes % 4 == 0);
}

/* LLVM makes a branch for each lane of a masked access that the CPU has no instruction for, as of bytes. The lanes that are not there have
 * one place of their own instead, on the stack; then all lanes take part. */
static LLVMValueRef mask_or_place(struct tsr__simd *s, unsigned bits, LLVMValueRef *pointers)
{
    if (!s->mask || bits >= 32)
        return tsr__mask_or_all(s, s->mask);
    LLVMTypeRef pointer = LLVMGetElementType(LLVMTypeOf(*pointers));
    LLVMValueRef place = tsr__home(s, LLVMArrayType2(LLVMInt8TypeInContext(s->l->context), bits / 8), "nowhere");
    LLVMSetAlignment(place, bits / 8);
    place = tsr__splat(s, LLVMBuildAddrSpaceCast(s->b, place, pointer, ""));
    *pointers = LLVMBuildSelect(s->b, s->mask, *pointers, place, "");
    return tsr__mask_or_all(s, NULL);
}

static LLVMValueRef gather(struct tsr__simd *s, const struct tsr__access *a, LLVMTypeRef scalar, LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef type = tsr__vector(s, scalar), types[2] = {type, LLVMTypeOf(pointers)};
    LLVMValueRef mask = mask_or_place(s, (unsigned)LLVMSizeOfTypeInBits(s->layout, scalar), &pointers);
    LLVMValueRef args[3] = {pointers, mask, LLVMGetPoison(type)};
    LLVMValueRef call = tsr__intrinsic(s, "llvm.masked.gather", types, 2, args, 3);
    tsr__align_argument(s, call, 0, align);
    tsr__note_aliases(s, a, call);
    return LLVMBuildFreeze(s->b, call, "");
}

static void scatter(struct tsr__simd *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
    LLVMValueRef mask = mask_or_place(s, (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(LLVMTypeOf(value))), &pointers);
    LLVMValueRef args[3] = {value, pointers, mask};
    LLVMValueRef call = tsr__intrinsic(s, "llvm.masked.scatter", types, 2, args, 3);
    tsr__align_argument(s, call, 1, align);
    tsr__note_aliases(s, a, call);
}

static LLVMValueRef offset_pointers(struct tsr__simd *s, LLVMValueRef pointers, uint64_t offset)
{
    if (!offset)
        return pointers;
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), offset, false);
    return LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), pointers, &by, 1, "");
}

unsigned tsr__align_at(unsigned align, uint64_t offset)
{
    while (align > 1 && offset % align)
        align /= 2;
    return align ? align : 1;
}

/* How many parts travel together. */
static unsigned together(const struct tsr__access *a)
{
    for (unsigned bytes = 8; a->simple && bytes > a->scalar_bytes; bytes /= 2)
        if (a->parts % (bytes / a->scalar_bytes) == 0)
            return bytes / a->scalar_bytes;
    return 1;
}

void tsr__gather(struct tsr__simd *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *parts)
{
    unsigned each = together(a);
    for (unsigned i = 0; i < a->parts; i += each) {
        uint64_t offset = tsr__part_offset(s, a->type, (int)i);
        LLVMTypeRef scalar = a->each > 1 ? a->scalar : tsr__part_type(a->type, (int)i);
        LLVMTypeRef piece = each > 1 ? LLVMIntTypeInContext(s->l->context, 8 * each * a->scalar_bytes) : scalar;
        LLVMValueRef made = gather(s, a, piece, offset_pointers(s, pointers, offset), tsr__align_at(a->align, offset));
        if (each > 1)
            tsr__unpack(s, made, scalar, each, parts + i);
        else
            parts[i] = made;
    }
}

void tsr__scatter(struct tsr__simd *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *parts)
{
    unsigned each = together(a);
    for (unsigned i = 0; i < a->parts; i += each) {
        uint64_t offset = tsr__part_offset(s, a->type, (int)i);
        LLVMValueRef piece = each > 1 ? tsr__pack(s, parts + i, each) : parts[i];
        scatter(s, a, piece, offset_pointers(s, pointers, offset), tsr__align_at(a->align, offset));
    }
}
