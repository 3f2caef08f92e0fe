/* SPDX-License-Identifier: Apache-2.0
 * Memory: addresses, stack variables, loads and stores by how the lanes' addresses lie to each other.
 *
 * A masked load's result is frozen: LLVM 22's InstCombine folds select(mask, load, y) into a masked load at the place of the select, which
 * may stand behind a store to the same memory. A frozen load it leaves alone. */
#include <string.h>

#include "lanes/widen/memory/access.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/widen/memory/interleave.h"

uint64_t tsr__alloca_pitch(LLVMTargetDataRef layout, LLVMValueRef alloca)
{
    uint64_t size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(alloca)), align = LLVMGetAlignment(alloca);
    return align ? (size + align - 1) / align * align : size;
}

/* ---- calls of masked intrinsics -------------------------------------------------------------------------------------------------------
 */

LLVMValueRef tsr__intrinsic(struct tsr__widener *s, const char *name, LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
                            unsigned count)
{
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, LLVMLookupIntrinsicID(name, strlen(name)), types, type_count);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

void tsr__set_argument_align(struct tsr__widener *s, LLVMValueRef call, unsigned argument, unsigned align)
{
    LLVMAddCallSiteAttribute(call, argument + 1, tsr__int_attr(s->l, "align", align ? align : 1));
}

void tsr__copy_alias_metadata(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef made)
{
    static const char *const kinds[] = {"tbaa", "alias.scope", "noalias", "invariant.load"};
    LLVMContextRef c = s->l->context;
    if (a->copied)
        return;
    for (size_t i = 0; i < TSR_ARRAY_LEN(kinds); i++) {
        unsigned kind = LLVMGetMDKindIDInContext(c, kinds[i], (unsigned)strlen(kinds[i]));
        LLVMValueRef node = LLVMGetMetadata(a->inst, kind);
        for (unsigned k = 0; k < a->joined; k++)
            if (LLVMGetMetadata(a->all[k], kind) != node)
                node = NULL;
        if (node)
            LLVMSetMetadata(made, kind, node);
    }
    if (LLVMIsALoadInst(a->inst) && LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer)) == TSR__CONSTANT_SPACE) {
        LLVMMetadataRef empty = LLVMMDNodeInContext2(c, NULL, 0);
        LLVMSetMetadata(made, LLVMGetMDKindIDInContext(c, "invariant.load", 14), LLVMMetadataAsValue(c, empty));
    }
}

LLVMValueRef tsr__masked_load(struct tsr__widener *s, const struct tsr__access *a, LLVMTypeRef type, LLVMValueRef p, LLVMValueRef mask)
{
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(s->b, type, p, "");
        LLVMSetAlignment(load, a->align);
        tsr__copy_alias_metadata(s, a, load);
        return load;
    }
    LLVMTypeRef types[2] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[3] = {p, mask, LLVMGetPoison(type)};
    LLVMValueRef call = tsr__intrinsic(s, "llvm.masked.load", types, 2, args, 3);
    tsr__set_argument_align(s, call, 0, a->align);
    tsr__copy_alias_metadata(s, a, call);
    return LLVMBuildFreeze(s->b, call, "");
}

void tsr__masked_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef p, LLVMValueRef mask)
{
    LLVMValueRef made;
    if (mask) {
        LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(p)};
        LLVMValueRef args[3] = {value, p, mask};
        made = tsr__intrinsic(s, "llvm.masked.store", types, 2, args, 3);
        tsr__set_argument_align(s, made, 1, a->align);
    } else {
        made = LLVMBuildStore(s->b, value, p);
        LLVMSetAlignment(made, a->align);
        tsr__mark_nontemporal(s, a, made);
    }
    tsr__copy_alias_metadata(s, a, made);
}

/* ---- shuffles ------------------------------------------------------------------------------------------------------------------------ */

LLVMValueRef tsr__shuffle(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, const int *from, unsigned count)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef *indices = tsr_arena_alloc(s->arena, count * sizeof *indices);
    for (unsigned i = 0; i < count; i++)
        indices[i] = from[i] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from[i], false);
    return LLVMBuildShuffleVector(s->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(indices, count), "");
}

static LLVMValueRef reverse_lanes(struct tsr__widener *s, LLVMValueRef v)
{
    int from[64];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = (int)(s->width - 1 - i);
    return tsr__shuffle(s, v, NULL, from, s->width);
}

/* ---- how an access lies -------------------------------------------------------------------------------------------------------------- */

static struct tsr__access classify_as(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type,
                                      struct tsr__shape shape)
{
    unsigned align = LLVMGetAlignment(inst);
    struct tsr__access a = {.inst = inst,
                            .class = TSR__ACCESS_GATHERED,
                            .pointer = pointer,
                            .type = type,
                            .component_count = (unsigned)tsr__component_count(type),
                            .align = align};
    a.scalar = tsr__component_type(type, 0);
    a.scalar_bytes = (unsigned)LLVMABISizeOfType(s->layout, a.scalar);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    a.simple = kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && LLVMSizeOfTypeInBits(s->layout, a.scalar) == 8 * a.scalar_bytes;
    a.each = 1;
    if (shape.kind == TSR__SHAPE_AFFINE && shape.stride == 0) {
        a.class = TSR__ACCESS_UNIFORM;
        return a;
    }
    unsigned bytes = a.component_count * a.scalar_bytes;
    if (a.simple && a.component_count > 1 && (bytes == 2 || bytes == 4 || bytes == 8)) {
        a.each = a.component_count;
        a.component_count = 1;
        a.scalar = LLVMIntTypeInContext(s->l->context, 8 * bytes);
        a.scalar_bytes = bytes;
    }
    if (shape.kind != TSR__SHAPE_AFFINE)
        return a;
    /* The instruction's alignment is that of the lanes which the program runs; lane 0 need not be one. */
    uint64_t stride = (uint64_t)shape.stride, even = stride & (~stride + 1);
    if (a.align > even)
        a.align = (unsigned)even;
    if (!a.simple)
        return a;
    int64_t step = shape.stride / a.scalar_bytes;
    if (shape.stride % a.scalar_bytes || step < -1 || step > TSR__MAX_STRIDE || (step < a.component_count && step != -1) ||
        (step < 0 && a.component_count > 1))
        return a;
    a.step = step < 0 ? 1 : (unsigned)step;
    a.members = (UINT32_C(1) << a.component_count) - 1;
    if (a.step == 1)
        a.class = step < 0 ? TSR__ACCESS_REVERSED : TSR__ACCESS_CONSECUTIVE;
    else if (a.step <= TSR__SHORT_STRIDE || 2 * a.component_count >= a.step)
        a.class = TSR__ACCESS_INTERLEAVED;
    return a;
}

static struct tsr__access classify_access(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type)
{
    return classify_as(s, inst, pointer, type, tsr__shape_here(s, pointer));
}

/* Pairs of vectors are joined until all is one, then put in order, with `count` elements for each lane; a power of two. */
static LLVMValueRef interleave_vectors(struct tsr__widener *s, LLVMValueRef *components, unsigned count)
{
    LLVMValueRef joined[64];
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
    int from[64];
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
        return LLVMBuildBitCast(s->b, interleave_vectors(s, components, each), type, "");
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

/* ---- loads --------------------------------------------------------------------------------------------------------------------------- */

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

static LLVMValueRef last_lane_pointer(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef first)
{
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), (uint64_t)-(int64_t)((s->width - 1) * a->scalar_bytes), true);
    return LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), first, &by, 1, "");
}

struct fork {
    LLVMBasicBlockRef straight, other, after;
};

/* Two ways on: the builder stands at the first of them. Nothing that is noted for the block may be made before they meet. */
static struct fork fork_on(struct tsr__widener *s, LLVMValueRef condition)
{
    LLVMContextRef c = s->l->context;
    struct fork f = {LLVMAppendBasicBlockInContext(c, s->to, "straight"), LLVMAppendBasicBlockInContext(c, s->to, "other"),
                     LLVMAppendBasicBlockInContext(c, s->to, "")};
    LLVMBuildCondBr(s->b, condition, f.straight, f.other);
    LLVMPositionBuilderAtEnd(s->b, f.straight);
    return f;
}

/* Ends one way; the builder goes to `next`. Answers where the way ended: an access may have blocks of its own. */
static LLVMBasicBlockRef way_ends(struct tsr__widener *s, const struct fork *f, LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(s->b);
    LLVMBuildBr(s->b, f->after);
    LLVMPositionBuilderAtEnd(s->b, next);
    return end;
}

/* What came by one of two ways. */
static LLVMValueRef phi_of_two(struct tsr__widener *s, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y, LLVMBasicBlockRef from_y)
{
    LLVMValueRef both = LLVMBuildPhi(s->b, LLVMTypeOf(x), "");
    LLVMAddIncoming(both, &x, &from_x, 1);
    LLVMAddIncoming(both, &y, &from_y, 1);
    return both;
}

static void load_lanes(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (a->class == TSR__ACCESS_CONSECUTIVE) {
        components[0] = tsr__masked_load(s, a, tsr__vector_of(s, a->scalar), p, s->mask);
    } else if (a->class == TSR__ACCESS_REVERSED) {
        LLVMValueRef mask = s->mask ? reverse_lanes(s, s->mask) : NULL;
        components[0] = reverse_lanes(s, tsr__masked_load(s, a, tsr__vector_of(s, a->scalar), last_lane_pointer(s, a, p), mask));
    } else {
        tsr__interleaved_load(s, a, p, components);
    }
}

/* AMD's CPUs fetch nothing ahead of AVX2's masked loads, so that a stream from memory takes 1.7 times as long: they are for packets in
 * which not all lanes are there. */
static void load_tested(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    LLVMValueRef others[TSR__MAX_STRIDE];
    struct tsr__widener unmasked = *s;
    unmasked.mask = NULL;
    struct fork f = fork_on(s, tsr__all_lanes(s, s->mask));
    load_lanes(&unmasked, a, p, components);
    LLVMBasicBlockRef straight = way_ends(s, &f, f.other);
    load_lanes(s, a, p, others);
    LLVMBasicBlockRef masked = way_ends(s, &f, f.after);
    for (unsigned i = 0; i < TSR__MAX_STRIDE; i++)
        if (a->members >> i & 1)
            components[i] = phi_of_two(s, components[i], straight, others[i], masked);
}

/* A load of lanes side by side; `p` is lane 0's address. */
void tsr__contiguous_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (tsr__is_blended(s, a))
        tsr__blended_load(s, a, p, components);
    else if (tsr__needs_mask_emulation(s, a))
        tsr__emulated_load(s, a, p, components);
    else if (s->mask && !s->function_mask && !tsr__has(s->l, TSR_CPU_AVX512F))
        load_tested(s, a, p, components);
    else
        load_lanes(s, a, p, components);
}

static void store_lanes(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (a->class == TSR__ACCESS_CONSECUTIVE)
        tsr__masked_store(s, a, components[0], p, s->mask);
    else if (a->class == TSR__ACCESS_REVERSED)
        tsr__masked_store(s, a, reverse_lanes(s, components[0]), last_lane_pointer(s, a, p), s->mask ? reverse_lanes(s, s->mask) : NULL);
    else
        tsr__interleaved_store(s, a, p, components);
}

/* AVX2's masked stores take AMD's CPUs a dozen cycles each: they are for packets in which not all lanes are there. */
static void store_tested(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    struct tsr__widener unmasked = *s;
    unmasked.mask = NULL;
    struct fork f = fork_on(s, tsr__all_lanes(s, s->mask));
    store_lanes(&unmasked, a, p, components);
    way_ends(s, &f, f.other);
    store_lanes(s, a, p, components);
    way_ends(s, &f, f.after);
}

void tsr__contiguous_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (tsr__is_blended(s, a))
        tsr__blended_store(s, a, p, components);
    else if (tsr__needs_mask_emulation(s, a))
        tsr__emulated_store(s, a, p, components);
    else if (s->mask && !tsr__has(s->l, TSR_CPU_AVX512F))
        store_tested(s, a, p, components);
    else
        store_lanes(s, a, p, components);
}

/* ---- accesses of a pair of sub-groups, each of which has its lanes side by side --------------------------------------------------------
 */

/* Either half's first address. */
static void half_pointers(struct tsr__widener *s, LLVMValueRef pointer, LLVMValueRef *first)
{
    struct tsr__address address;
    bool is_sum = tsr__address_of(s, pointer, &address);
    LLVMValueRef base = is_sum ? tsr__address_base(s, &address) : NULL;
    for (unsigned h = 0; h < 2; h++)
        first[h] = is_sum ? tsr__address_of_lane(s, &address, base, h * s->sub_group)
                          : LLVMBuildExtractElement(s->b, tsr__component_of(s, pointer, 0), tsr__i32(s->l, h * s->sub_group), "");
}

/* The access as either half makes it, the lanes of one half for what makes it, and either half's first address; or, where all lanes lie
 * side by side after all, those of the packet. False: it would not be better than for the packet. Lanes that are not there could not give
 * an address. */
static bool access_in_halves(struct tsr__widener *s, const struct tsr__access *a, struct tsr__widener *half, struct tsr__access *own,
                             LLVMValueRef first[2])
{
    struct tsr__shape shape = tsr__shape_here(s, a->pointer);
    if (!shape.halves || s->mask)
        return false;
    shape.kind = TSR__SHAPE_AFFINE;
    *half = *s;
    if (!shape.stride || !shape.distance_known || shape.apart != shape.stride * (int64_t)s->sub_group)
        half->width = s->sub_group;
    *own = classify_as(half, a->inst, a->pointer, a->type, shape);
    if (own->class == TSR__ACCESS_GATHERED || (own->class == TSR__ACCESS_UNIFORM && !LLVMIsALoadInst(a->inst)))
        return false;
    tsr__explain_access(s, own, false);
    half_pointers(s, a->pointer, first);
    return true;
}

void tsr__set_loaded_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    if (a->each > 1)
        tsr__unpack(s, components[0], tsr__component_type(a->type, 0), a->each, components);
    for (unsigned i = 0; i < a->component_count * a->each; i++)
        tsr__set_component(s, a->inst, (int)i, components[i]);
}

static bool load_halves(struct tsr__widener *s, const struct tsr__access *a)
{
    struct tsr__widener half;
    struct tsr__access own;
    LLVMValueRef first[2];
    if (!access_in_halves(s, a, &half, &own, first))
        return false;
    if (half.width == s->width) {
        LLVMValueRef *all = tsr_arena_alloc(s->arena, own.component_count * own.each * sizeof *all);
        tsr__contiguous_load(s, &own, first[0], all);
        tsr__set_loaded_components(s, &own, all);
        return true;
    }
    LLVMValueRef *both = tsr_arena_alloc(s->arena, 2 * own.component_count * sizeof *both);
    LLVMValueRef *components = tsr_arena_alloc(s->arena, own.component_count * own.each * sizeof *components);
    for (unsigned h = 0; h < 2; h++) {
        if (own.class != TSR__ACCESS_UNIFORM) {
            tsr__contiguous_load(&half, &own, first[h], both + h * own.component_count);
            continue;
        }
        LLVMValueRef copy = LLVMInstructionClone(a->inst);
        LLVMSetOperand(copy, 0, first[h]);
        LLVMInsertIntoBuilder(s->b, copy);
        tsr__copy_alias_metadata(s, &own, copy);
        for (unsigned i = 0; i < own.component_count; i++)
            both[h * own.component_count + i] = tsr__extract_component(s, copy, (int)i);
    }
    for (unsigned i = 0; i < own.component_count; i++) {
        LLVMValueRef pair[2] = {both[i], both[own.component_count + i]};
        components[i] = own.class == TSR__ACCESS_UNIFORM ? tsr__splat_halves(s, pair) : tsr__join_halves(s, pair[0], pair[1]);
    }
    tsr__set_loaded_components(s, &own, components);
    return true;
}

static bool store_halves(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    struct tsr__widener half;
    struct tsr__access own;
    LLVMValueRef first[2];
    if (!access_in_halves(s, a, &half, &own, first))
        return false;
    if (half.width == s->width) {
        tsr__contiguous_store(s, &own, first[0], components);
        return true;
    }
    LLVMValueRef *its = tsr_arena_alloc(s->arena, own.component_count * sizeof *its);
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned i = 0; i < own.component_count; i++)
            its[i] = tsr__half_of(s, components[i], h);
        tsr__contiguous_store(&half, &own, first[h], its);
    }
    return true;
}

/* ---- accesses whose lanes may lie side by side, but not for sure ------------------------------------------------------------------------
 */

/* What the access is if its hope comes true: false if that would not help. */
static bool hoped_access(struct tsr__widener *s, const struct tsr__access *a, const struct tsr__address *address, struct tsr__access *hoped)
{
    *hoped = *a;
    if (!a->simple || a->component_count > TSR__MAX_STRIDE ||
        tsr__speculated_stride(s, address) != (int64_t)a->component_count * a->scalar_bytes)
        return false;
    hoped->class = a->component_count == 1 ? TSR__ACCESS_CONSECUTIVE : TSR__ACCESS_INTERLEAVED;
    hoped->step = a->component_count;
    hoped->members = (UINT32_C(1) << a->component_count) - 1;
    return true;
}

static void scattered_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    struct tsr__address address;
    struct tsr__access hoped;
    bool is_sum = tsr__address_of(s, a->pointer, &address), hopes = is_sum && hoped_access(s, a, &address, &hoped);
    tsr__explain_access(s, a, hopes);
    if (!is_sum) {
        tsr__gather(s, a, tsr__component_of(s, a->pointer, 0), components);
        return;
    }
    if (!hopes) {
        tsr__gather(s, a, tsr__address_lanes(s, &address, tsr__has_gather(s, a)), components);
        return;
    }
    LLVMValueRef first, yes = tsr__stride_test(s, &address, &first);
    LLVMValueRef *others = tsr_arena_alloc(s->arena, a->component_count * sizeof *others);
    struct fork f = fork_on(s, yes);
    tsr__contiguous_load(s, &hoped, first, components);
    LLVMBasicBlockRef straight = way_ends(s, &f, f.other);
    tsr__gather(s, a, tsr__address_lanes(s, &address, tsr__has_gather(s, a)), others);
    LLVMBasicBlockRef scattered = way_ends(s, &f, f.after);
    for (unsigned i = 0; i < a->component_count; i++)
        components[i] = phi_of_two(s, components[i], straight, others[i], scattered);
}

static void scattered_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    struct tsr__address address;
    struct tsr__access hoped;
    bool is_sum = tsr__address_of(s, a->pointer, &address), hopes = is_sum && hoped_access(s, a, &address, &hoped);
    tsr__explain_access(s, a, hopes);
    if (!is_sum) {
        tsr__scatter(s, a, tsr__component_of(s, a->pointer, 0), components);
        return;
    }
    if (!hopes) {
        tsr__scatter(s, a, tsr__address_lanes(s, &address, false), components);
        return;
    }
    LLVMValueRef first, yes = tsr__stride_test(s, &address, &first);
    struct fork f = fork_on(s, yes);
    tsr__contiguous_store(s, &hoped, first, components);
    way_ends(s, &f, f.other);
    tsr__scatter(s, a, tsr__address_lanes(s, &address, false), components);
    way_ends(s, &f, f.after);
}

bool tsr__may_interleave(struct tsr__widener *s, LLVMValueRef inst, struct tsr__access *a)
{
    bool load = LLVMIsALoadInst(inst) != NULL;
    if (LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
        return false;
    *a = classify_access(s, inst, LLVMGetOperand(inst, load ? 0 : 1), LLVMTypeOf(load ? inst : LLVMGetOperand(inst, 0)));
    return a->step > a->component_count;
}

static void widen_load(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__access a = classify_access(s, inst, LLVMGetOperand(inst, 0), LLVMTypeOf(inst));
    struct tsr__interleave_group *record = tsr__interleave_group_of(s, &a);
    if (record) {
        tsr__interleave_group_load(s, record);
        return;
    }
    if (a.class != TSR__ACCESS_GATHERED)
        tsr__explain_access(s, &a, false);
    LLVMValueRef *components = tsr_arena_alloc(s->arena, a.component_count * a.each * sizeof *components);
    if (a.class == TSR__ACCESS_UNIFORM) {
        LLVMValueRef copy = LLVMInstructionClone(inst);
        LLVMSetOperand(copy, 0, tsr__scalar_of(s, a.pointer));
        LLVMInsertIntoBuilder(s->b, copy);
        tsr__copy_alias_metadata(s, &a, copy);
        if (!tsr__is_varying(tsr__shape_of(&s->shapes, inst))) {
            tsr__set_scalar(s, inst, copy);
            return;
        }
        for (unsigned i = 0; i < a.component_count; i++)
            components[i] = tsr__splat(s, tsr__extract_component(s, copy, (int)i));
    } else if (a.class == TSR__ACCESS_GATHERED) {
        if (load_halves(s, &a))
            return;
        scattered_load(s, &a, components);
    } else {
        tsr__contiguous_load(s, &a, tsr__scalar_of(s, a.pointer), components);
    }
    tsr__set_loaded_components(s, &a, components);
}

/* ---- stores -------------------------------------------------------------------------------------------------------------------------- */

/* All lanes write to one place: the last of them wins. */
static void store_uniform(struct tsr__widener *s, LLVMValueRef inst, const struct tsr__access *a)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), value;
    if (tsr__is_uniform(tsr__shape_here(s, v))) {
        value = tsr__scalar_of(s, v);
    } else {
        LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
        LLVMValueRef last = LLVMConstInt(i32, s->width - 1, false);
        if (s->mask) {
            LLVMTypeRef bits_type = LLVMIntTypeInContext(s->l->context, s->width);
            LLVMValueRef args[2] = {tsr__mask_bits(s, s->mask), LLVMConstInt(LLVMInt1TypeInContext(s->l->context), 0, false)};
            LLVMValueRef zeros = tsr__intrinsic(s, "llvm.ctlz", &bits_type, 1, args, 2);
            zeros = s->width < 32 ? LLVMBuildZExt(s->b, zeros, i32, "") : s->width > 32 ? LLVMBuildTrunc(s->b, zeros, i32, "") : zeros;
            last = LLVMBuildSub(s->b, last, zeros, "");
        }
        value = LLVMGetPoison(a->type);
        for (unsigned i = 0; i < a->component_count; i++)
            value = tsr__insert_component(s, value, (int)i, LLVMBuildExtractElement(s->b, tsr__component_of(s, v, (int)i), last, ""));
    }
    LLVMValueRef copy = LLVMInstructionClone(inst);
    LLVMSetOperand(copy, 0, value);
    LLVMSetOperand(copy, 1, tsr__scalar_of(s, a->pointer));
    LLVMInsertIntoBuilder(s->b, copy);
}

/* `components` has room for the scalars that travel together. */
void tsr__stored_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    for (unsigned i = 0; i < a->component_count * a->each; i++)
        components[i] = tsr__component_of(s, LLVMGetOperand(a->inst, 0), (int)i);
    if (a->each > 1)
        components[0] = tsr__pack(s, components, a->each);
}

static void widen_store(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    struct tsr__access a = classify_access(s, inst, LLVMGetOperand(inst, 1), LLVMTypeOf(v));
    struct tsr__interleave_group *record = tsr__interleave_group_of(s, &a);
    if (record) {
        tsr__interleave_group_store(s, record, inst);
        return;
    }
    if (a.class != TSR__ACCESS_GATHERED)
        tsr__explain_access(s, &a, false);
    if (a.class == TSR__ACCESS_UNIFORM) {
        store_uniform(s, inst, &a);
        return;
    }
    LLVMValueRef *components = tsr_arena_alloc(s->arena, a.component_count * a.each * sizeof *components);
    tsr__stored_components(s, &a, components);
    if (a.class != TSR__ACCESS_GATHERED)
        tsr__contiguous_store(s, &a, tsr__scalar_of(s, a.pointer), components);
    else if (!store_halves(s, &a, components))
        scattered_store(s, &a, components);
}

/* ---- addresses
 * ----------------------------------------------------------------------------------------------------------------------------------------
 */

/* One array with a copy for every lane, side by side, or what the lanes have in common. */
static void stack_variable(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMTypeRef bytes = LLVMGetAllocatedType(inst);
    if (!tsr__is_soa_array(inst))
        bytes = LLVMArrayType2(LLVMInt8TypeInContext(s->l->context), tsr__alloca_pitch(s->layout, inst) * s->width);
    LLVMValueRef made = LLVMBuildAlloca(s->allocas, bytes, LLVMGetValueName(inst));
    LLVMSetAlignment(made, LLVMGetAlignment(inst) > 64 ? LLVMGetAlignment(inst) : 64);
    tsr__set_scalar(s, inst, made);
}

static void widen_address(struct tsr__widener *s, LLVMValueRef inst)
{
    int operands = LLVMGetNumOperands(inst);
    LLVMValueRef *args = tsr_arena_alloc(s->arena, (size_t)operands * sizeof *args);
    bool varying = tsr__is_varying(tsr__shape_of(&s->shapes, inst));
    for (int i = 0; i < operands; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
        /* Uniform operands stay scalar, so that a gather can take a scalar base. */
        bool scalar = !varying || (tsr__is_uniform(tsr__shape_here(s, v)) && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind);
        args[i] = scalar ? tsr__scalar_of(s, v) : tsr__component_of(s, v, 0);
    }
    unsigned flags = tsr__is_uniform(tsr__shape_of(&s->shapes, inst)) && !s->mask ? LLVMGEPGetNoWrapFlags(inst) : 0;
    LLVMValueRef made =
        LLVMBuildGEPWithNoWrapFlags(s->b, LLVMGetGEPSourceElementType(inst), args[0], args + 1, (unsigned)operands - 1, "", flags);
    if (!varying)
        tsr__set_scalar(s, inst, made);
    else if (LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMVectorTypeKind)
        tsr__set_component(s, inst, 0, made);
    else
        tsr__set_component(s, inst, 0, tsr__splat(s, made));
}

void tsr__prepare_access(struct tsr__widener *s, LLVMValueRef inst)
{
    if (LLVMIsALoadInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst))
        tsr__address_prepare(s, LLVMGetOperand(inst, 0));
    else if (LLVMIsAStoreInst(inst))
        tsr__address_prepare(s, LLVMGetOperand(inst, 1));
}

bool tsr__widen_memory(struct tsr__widener *s, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAlloca:
        stack_variable(s, inst);
        return true;
    case LLVMGetElementPtr:
        if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind)
            return false;
        widen_address(s, inst);
        return true;
    case LLVMLoad:
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic && !tsr__is_uniform(tsr__shape_here(s, LLVMGetOperand(inst, 0))))
            return false; /* lane by lane */
        widen_load(s, inst);
        return true;
    case LLVMStore:
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
            return false;
        widen_store(s, inst);
        return true;
    default:
        return false;
    }
}
