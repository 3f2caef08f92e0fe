/* SPDX-License-Identifier: Apache-2.0
 * Gathers and scatters. Small neighbouring components of a value travel as one integer: a uchar4 is one gather, not four; values of whole
 * registers of SSE are gathers of 16 bytes, and stores of each lane. */
#include <string.h>

#include "lanes/widen/memory/access.h"
#include "lanes/widen/memory/fork.h"
#include "lanes/ir/lane_registers.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/mad_op.h"
#include "tessera/item.h"

/* Fewer loads than gathers make, and shuffles of as many registers put the lanes in order (after/register_gathers.c). */
bool tsr__moves_registers(const struct tsr__access *a)
{
    return a->simple && a->component_count * a->scalar_bytes % TSR__REGISTER_BYTES == 0;
}

bool tsr__has_gather(const struct tsr__widener *s, const struct tsr__access *a)
{
    return tsr__has(s->l, TSR_CPU_AVX512F) && (!a->simple || a->component_count * a->scalar_bytes % 4 == 0) && !tsr__moves_registers(a);
}

/* The lanes that are not there get one place of their own, on the stack, so that all lanes can take part. What they read of numbers with a
 * fraction is zero: what a stack holds, as half of an address, may be denormal, and arithmetic with it takes a hundred times as long. */
static void place_of_inactive(struct tsr__widener *s, unsigned bits, bool clear, LLVMValueRef *pointers)
{
    if (!s->mask)
        return;
    LLVMTypeRef pointer = LLVMGetElementType(LLVMTypeOf(*pointers)), bytes = LLVMInt8TypeInContext(s->l->context);
    LLVMValueRef place = tsr__stack_slot(s, LLVMArrayType2(bytes, bits / 8), "nowhere");
    unsigned align = 1;
    while (align < bits / 8)
        align *= 2;
    LLVMSetAlignment(place, align);
    LLVMContextRef context = s->l->context;
    LLVMSetMetadata(place, tsr__nowhere_kind(context), LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
    if (clear)
        LLVMBuildMemSet(s->b, place, LLVMConstNull(bytes), LLVMConstInt(LLVMInt64TypeInContext(context), bits / 8, false), align);
    place = tsr__splat(s, LLVMBuildAddrSpaceCast(s->b, place, pointer, ""));
    *pointers = LLVMBuildSelect(s->b, s->mask, *pointers, place, "");
}

static bool has_fraction(LLVMTypeRef scalar)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(scalar);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
}

/* LLVM makes a branch for each lane of a masked access that the CPU has no instruction for: of bytes, and of all without AVX-512. */
static LLVMValueRef mask_or_place(struct tsr__widener *s, unsigned bits, bool clear, LLVMValueRef *pointers)
{
    if (bits >= 32 && bits <= 64 && tsr__has(s->l, TSR_CPU_AVX512F))
        return tsr__mask_or_all(s, s->mask);
    place_of_inactive(s, bits, clear, pointers);
    return tsr__mask_or_all(s, NULL);
}

static LLVMValueRef gather_scalars(struct tsr__widener *s, const struct tsr__access *a, LLVMTypeRef scalar, bool fraction,
                                   LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef type = tsr__vector_of(s, scalar), types[2] = {type, LLVMTypeOf(pointers)};
    LLVMValueRef mask = mask_or_place(s, (unsigned)LLVMSizeOfTypeInBits(s->layout, scalar), fraction, &pointers);
    LLVMValueRef args[3] = {pointers, mask, LLVMGetPoison(type)};
    LLVMValueRef call = tsr__build_intrinsic(s->l, s->b, "llvm.masked.gather", types, 2, args, 3);
    tsr__set_argument_align(s, call, 0, align);
    tsr__copy_alias_metadata(s, a, call);
    return LLVMBuildFreeze(s->b, call, "");
}

static void scatter_scalars(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef pointers, unsigned align)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
    LLVMValueRef mask =
        mask_or_place(s, (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(LLVMTypeOf(value))), false, &pointers);
    LLVMValueRef args[3] = {value, pointers, mask};
    LLVMValueRef call = tsr__build_intrinsic(s->l, s->b, "llvm.masked.scatter", types, 2, args, 3);
    tsr__set_argument_align(s, call, 1, align);
    tsr__copy_alias_metadata(s, a, call);
}

static LLVMValueRef offset_pointers(struct tsr__widener *s, LLVMValueRef pointers, uint64_t offset)
{
    if (!offset)
        return pointers;
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), offset, false);
    return tsr__plus_bytes(s->l, s->b, pointers, by);
}

/* How many parts travel together. */
static unsigned packed_parts(const struct tsr__access *a)
{
    for (unsigned bytes = tsr__moves_registers(a) ? TSR__REGISTER_BYTES : 8; a->simple && bytes > a->scalar_bytes; bytes /= 2)
        if (a->component_count % (bytes / a->scalar_bytes) == 0)
            return bytes / a->scalar_bytes;
    return 1;
}

/* 16 bytes of each lane, to `at` in its value. */
static void store_registers(struct tsr__widener *s, const struct tsr__access *a, const struct tsr__lane_registers *r,
                            struct tsr__lane_pointers *lanes, LLVMValueRef pointers, unsigned at, LLVMValueRef *components)
{
    for (unsigned turn = 0; turn < s->width / r->lanes; turn++) {
        LLVMValueRef registers[4];
        for (unsigned i = 0; i < r->count; i++)
            registers[i] = tsr__take_lanes(s->l, s->b, components[i], NULL, turn * r->lanes, r->lanes);
        tsr__transpose_registers(s->l, r, s->b, registers);
        for (unsigned i = 0; i < r->count; i++)
            for (unsigned p = 0; p < r->parts; p++) {
                LLVMValueRef to = offset_pointers(s, tsr__pointer_of_lane(lanes, pointers, tsr__lane_of_part(r, turn, i, p)), at);
                LLVMValueRef store = LLVMBuildStore(s->b, tsr__take_lanes(s->l, s->b, registers[i], NULL, p * r->count, r->count), to);
                LLVMSetAlignment(store, tsr__align_at(a->align, at));
                tsr__copy_alias_metadata(s, a, store);
            }
    }
}

static void scatter_registers(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    const unsigned bytes = a->component_count * a->scalar_bytes, each = a->scalar_bytes < 4 ? 4 / a->scalar_bytes : 1;
    const struct tsr__lane_registers r = tsr__lane_registers(s->l, each * a->scalar_bytes, s->width);
    struct tsr__lane_pointers lanes;
    tsr__lane_pointers_begin(&lanes, s->l, s->b);
    place_of_inactive(s, 8 * bytes, false, &pointers);
    for (unsigned at = 0; at < bytes; at += TSR__REGISTER_BYTES) {
        LLVMValueRef made[TSR__REGISTER_BYTES / 4];
        for (unsigned i = 0; i < r.count; i++, components += each)
            made[i] = each > 1 ? tsr__pack(s, components, each) : *components;
        store_registers(s, a, &r, &lanes, pointers, at, made);
    }
}

void tsr__gather(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    unsigned each = packed_parts(a);
    for (unsigned i = 0; i < a->component_count; i += each) {
        uint64_t offset = tsr__component_offset(s, a->type, (int)i);
        LLVMTypeRef scalar = a->each > 1 ? a->scalar : tsr__component_type(a->type, (int)i);
        LLVMTypeRef piece = each > 1 ? LLVMIntTypeInContext(s->l->context, 8 * each * a->scalar_bytes) : scalar;
        LLVMValueRef made =
            gather_scalars(s, a, piece, has_fraction(scalar), offset_pointers(s, pointers, offset), tsr__align_at(a->align, offset));
        if (each > 1)
            tsr__unpack(s, made, scalar, each, components + i);
        else
            components[i] = made;
    }
}

static void scatter(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components)
{
    unsigned each = packed_parts(a);
    if (tsr__moves_registers(a) && s->width >= TSR__REGISTER_BYTES / 4) { /* enough lanes for whole registers of scalars */
        scatter_registers(s, a, pointers, components);
        return;
    }
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
