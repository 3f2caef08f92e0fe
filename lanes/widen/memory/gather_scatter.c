/* SPDX-License-Identifier: Apache-2.0
 * Gathers and scatters. Small neighbouring components of a value travel as one integer: a uchar4 is one gather, not four. */
#include <string.h>

#include "lanes/widen/memory/access.h"
#include "lanes/widen/memory/fork.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/layout.h"
#include "tessera/item.h"

enum { WIDE_BYTES = 16 };

/* A whole register of SSE for each lane: fewer loads than gathers make, and shuffles of as many registers put the lanes in order. */
static bool is_wide(const struct tsr__access *a)
{
    return a->simple && a->scalar_bytes >= 4 && a->component_count * a->scalar_bytes == WIDE_BYTES;
}

bool tsr__has_gather(const struct tsr__widener *s, const struct tsr__access *a)
{
    return tsr__has(s->l, TSR_CPU_AVX512F) && (!a->simple || a->component_count * a->scalar_bytes % 4 == 0) &&
           !(is_wide(a) && LLVMIsALoadInst(a->inst));
}

/* The lanes that are not there get one place of their own, on the stack, so that all lanes can take part. */
static void place_of_inactive(struct tsr__widener *s, unsigned bits, LLVMValueRef *pointers)
{
    if (!s->mask)
        return;
    LLVMTypeRef pointer = LLVMGetElementType(LLVMTypeOf(*pointers));
    LLVMValueRef place = tsr__stack_slot(s, LLVMArrayType2(LLVMInt8TypeInContext(s->l->context), bits / 8), "nowhere");
    LLVMSetAlignment(place, bits / 8);
    LLVMContextRef context = s->l->context;
    LLVMSetMetadata(place, tsr__nowhere_kind(context), LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
    place = tsr__splat(s, LLVMBuildAddrSpaceCast(s->b, place, pointer, ""));
    *pointers = LLVMBuildSelect(s->b, s->mask, *pointers, place, "");
}

/* LLVM makes a branch for each lane of a masked access that the CPU has no instruction for: of bytes, and of all without AVX-512. */
static LLVMValueRef mask_or_place(struct tsr__widener *s, unsigned bits, LLVMValueRef *pointers)
{
    if (bits >= 32 && tsr__has(s->l, TSR_CPU_AVX512F))
        return tsr__mask_or_all(s, s->mask);
    place_of_inactive(s, bits, pointers);
    return tsr__mask_or_all(s, NULL);
}

static LLVMValueRef gather_scalars(struct tsr__widener *s, const struct tsr__access *a, LLVMTypeRef scalar, LLVMValueRef pointers,
                                   unsigned align)
{
    LLVMTypeRef type = tsr__vector_of(s, scalar), types[2] = {type, LLVMTypeOf(pointers)};
    LLVMValueRef mask = mask_or_place(s, (unsigned)LLVMSizeOfTypeInBits(s->layout, scalar), &pointers);
    LLVMValueRef args[3] = {pointers, mask, LLVMGetPoison(type)};
    LLVMValueRef call = tsr__intrinsic(s, "llvm.masked.gather", types, 2, args, 3);
    tsr__set_argument_align(s, call, 0, align);
    tsr__copy_alias_metadata(s, a, call);
    return LLVMBuildFreeze(s->b, call, "");
}

static void scatter_scalars(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
    LLVMValueRef mask = mask_or_place(s, (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(LLVMTypeOf(value))), &pointers);
    LLVMValueRef args[3] = {value, pointers, mask};
    LLVMValueRef call = tsr__intrinsic(s, "llvm.masked.scatter", types, 2, args, 3);
    tsr__set_argument_align(s, call, 1, align);
    tsr__copy_alias_metadata(s, a, call);
}

static LLVMValueRef offset_pointers(struct tsr__widener *s, LLVMValueRef pointers, uint64_t offset)
{
    if (!offset)
        return pointers;
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), offset, false);
    return LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), pointers, &by, 1, "");
}

/* How many parts travel together. */
static unsigned packed_parts(const struct tsr__access *a)
{
    for (unsigned bytes = 8; a->simple && bytes > a->scalar_bytes; bytes /= 2)
        if (a->component_count % (bytes / a->scalar_bytes) == 0)
            return bytes / a->scalar_bytes;
    return 1;
}

/* Of `count` rows of as many scalars, in each quarter or half of a register or in all of it, the columns. */
static void transpose_rows(struct tsr__widener *s, LLVMValueRef *rows, unsigned count, unsigned lanes)
{
    for (unsigned half = count / 2; half; half /= 2)
        for (unsigned i = 0; i < count; i++) {
            if (i & half)
                continue;
            LLVMValueRef x = rows[i], y = rows[i + half];
            for (unsigned upper = 0; upper < 2; upper++) {
                int from[TSR_MAX_GROUP_LANES];
                for (unsigned k = 0; k < lanes; k++) {
                    /* Scalar k of the block of `count`: from x and y in turn. */
                    unsigned in = k % count, at = k - in + in / 2 + upper * (count / 2);
                    from[k] = (int)(in % 2 ? lanes + at : at);
                }
                rows[upper ? i + half : i] = tsr__shuffle(s, x, y, from, lanes);
            }
        }
}

static void gather_wide(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    unsigned count = a->component_count, parts = tsr__has(s->l, TSR_CPU_AVX512F) ? 4 : tsr__has(s->l, TSR_CPU_AVX2) ? 2 : 1;
    while (parts > 1 && parts * count > s->width)
        parts /= 2;
    unsigned lanes = parts * count;
    LLVMTypeRef type = LLVMVectorType(a->scalar, count);
    LLVMValueRef pieces[4][TSR_MAX_GROUP_LANES];
    place_of_inactive(s, 8 * WIDE_BYTES, &pointers);
    for (unsigned turn = 0; turn < s->width / lanes; turn++) {
        LLVMValueRef rows[4];
        for (unsigned r = 0; r < count; r++) {
            LLVMValueRef part[4];
            for (unsigned p = 0; p < parts; p++) {
                LLVMValueRef lane = tsr__i32(s->l, turn * lanes + p * count + r);
                part[p] = LLVMBuildLoad2(s->b, type, LLVMBuildExtractElement(s->b, pointers, lane, ""), "");
                LLVMSetAlignment(part[p], a->align);
                tsr__copy_alias_metadata(s, a, part[p]);
            }
            rows[r] = tsr__concat_vectors(s, part, parts, count);
        }
        transpose_rows(s, rows, count, lanes);
        for (unsigned r = 0; r < count; r++)
            pieces[r][turn] = rows[r];
    }
    for (unsigned i = 0; i < count; i++)
        components[i] = LLVMBuildFreeze(s->b, tsr__concat_vectors(s, pieces[i], s->width / lanes, lanes), "");
}

void tsr__gather(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    unsigned each = packed_parts(a);
    if (is_wide(a)) {
        gather_wide(s, a, pointers, components);
        return;
    }
    for (unsigned i = 0; i < a->component_count; i += each) {
        uint64_t offset = tsr__component_offset(s, a->type, (int)i);
        LLVMTypeRef scalar = a->each > 1 ? a->scalar : tsr__component_type(a->type, (int)i);
        LLVMTypeRef piece = each > 1 ? LLVMIntTypeInContext(s->l->context, 8 * each * a->scalar_bytes) : scalar;
        LLVMValueRef made = gather_scalars(s, a, piece, offset_pointers(s, pointers, offset), tsr__align_at(a->align, offset));
        if (each > 1)
            tsr__unpack(s, made, scalar, each, components + i);
        else
            components[i] = made;
    }
}

static void scatter(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    unsigned each = packed_parts(a);
    for (unsigned i = 0; i < a->component_count; i += each) {
        uint64_t offset = tsr__component_offset(s, a->type, (int)i);
        LLVMValueRef piece = each > 1 ? tsr__pack(s, components + i, each) : components[i];
        scatter_scalars(s, a, piece, offset_pointers(s, pointers, offset), tsr__align_at(a->align, offset));
    }
}

/* Where a packet is a work-group, lanes may be rows, which are a store each if all are there (after/split_gathers.c). */
void tsr__scatter(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    if (!s->mask || s->function_mask || !s->shapes.packet.is_group || tsr__has(s->l, TSR_CPU_AVX512F)) {
        scatter(s, a, pointers, components);
        return;
    }
    struct tsr__widener unmasked = *s;
    unmasked.mask = NULL;
    struct tsr__fork f = tsr__fork_on(s, tsr__all_lanes(s, s->mask));
    scatter(&unmasked, a, pointers, components);
    tsr__fork_way_ends(s, &f, f.other);
    scatter(s, a, pointers, components);
    tsr__fork_way_ends(s, &f, f.after);
}
