/* SPDX-License-Identifier: Apache-2.0
 * Memory instructions of the packet function: address computations, stack variables, and loads and stores, by the class of the access
 * (enum tsr__access_class). */
#include <string.h>

#include "lanes/widen/memory/access.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/widen/memory/interleave.h"
#include "lanes/widen/memory/fork.h"
#include "lanes/ir/layout.h"

/* ---- loads ---- */

/* ---- accesses of a pair of sub-groups, each of which has its lanes side by side ---- */

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
    *own = tsr__classify_as(half, a->inst, a->pointer, a->type, shape);
    if (own->class == TSR__ACCESS_GATHERED || (own->class == TSR__ACCESS_UNIFORM && !LLVMIsALoadInst(a->inst)))
        return false;
    tsr__explain_access(s, own, false);
    half_pointers(s, a->pointer, first);
    return true;
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
        components[i] = own.class == TSR__ACCESS_UNIFORM ? tsr__splat_halves(s, pair) : tsr__concat_pair(s->l, s->b, pair[0], pair[1]);
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

/* ---- accesses whose lanes may lie side by side, but not for sure ---- */

/* What the access is if the lanes lie side by side; false if that would not help. */
static bool speculated_access(struct tsr__widener *s, const struct tsr__access *a, const struct tsr__address *address,
                              struct tsr__access *speculated)
{
    *speculated = *a;
    if (!a->simple || a->component_count > TSR__MAX_STRIDE)
        return false;
    const int64_t stride = tsr__speculated_stride(s, address), step = stride / (int64_t)a->scalar_bytes;
    if (stride % (int64_t)a->scalar_bytes || step < a->component_count || (step > a->component_count && step > TSR__SHORT_STRIDE))
        return false;
    speculated->class = step == 1 ? TSR__ACCESS_CONSECUTIVE : TSR__ACCESS_INTERLEAVED;
    speculated->step = (unsigned)step;
    speculated->members = (UINT32_C(1) << a->component_count) - 1;
    return true;
}

/* A gather or scatter. If `test` holds at run time the access is `speculated`, at `first`; NULL: there is nothing to test. */
struct scattered {
    bool is_sum; /* the pointer is the address */
    struct tsr__address address;
    LLVMValueRef test, first;
    struct tsr__access speculated;
};

static struct scattered prepare_scattered(struct tsr__widener *s, const struct tsr__access *a)
{
    struct scattered x = {0};
    x.is_sum = tsr__address_of(s, a->pointer, &x.address);
    bool speculates = x.is_sum && speculated_access(s, a, &x.address, &x.speculated);
    tsr__explain_access(s, a, speculates);
    if (speculates)
        x.test = tsr__stride_test(s, &x.address, &x.first);
    return x;
}

static LLVMValueRef scattered_pointers(struct tsr__widener *s, const struct tsr__access *a, const struct scattered *x, bool gathers)
{
    return x->is_sum ? tsr__address_lanes(s, &x->address, gathers) : tsr__component_of(s, a->pointer, 0);
}

static void scattered_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    struct scattered x = prepare_scattered(s, a);
    bool gathers = tsr__has_gather(s, a);
    if (!x.test) {
        tsr__gather(s, a, scattered_pointers(s, a, &x, gathers), components);
        return;
    }
    LLVMValueRef *others = tsr_arena_alloc(s->arena, a->component_count * sizeof *others);
    struct tsr__fork f = tsr__fork_on(s, x.test);
    tsr__contiguous_load(s, &x.speculated, x.first, components);
    LLVMBasicBlockRef straight = tsr__fork_way_ends(s, &f, f.other);
    tsr__gather(s, a, scattered_pointers(s, a, &x, gathers), others);
    LLVMBasicBlockRef scattered = tsr__fork_way_ends(s, &f, f.after);
    for (unsigned i = 0; i < a->component_count; i++)
        components[i] = tsr__fork_phi(s, components[i], straight, others[i], scattered);
}

static void scattered_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components)
{
    struct scattered x = prepare_scattered(s, a);
    if (!x.test) {
        tsr__scatter(s, a, scattered_pointers(s, a, &x, false), components);
        return;
    }
    struct tsr__fork f = tsr__fork_on(s, x.test);
    tsr__contiguous_store(s, &x.speculated, x.first, components);
    tsr__fork_way_ends(s, &f, f.other);
    tsr__scatter(s, a, scattered_pointers(s, a, &x, false), components);
    tsr__fork_way_ends(s, &f, f.after);
}

static void widen_load(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__access a = tsr__classify_access(s, inst, LLVMGetOperand(inst, 0), LLVMTypeOf(inst));
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

/* ---- stores ---- */

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
            LLVMValueRef zeros = tsr__build_intrinsic(s->l, s->b, "llvm.ctlz", &bits_type, 1, args, 2);
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

static void widen_store(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    struct tsr__access a = tsr__classify_access(s, inst, LLVMGetOperand(inst, 1), LLVMTypeOf(v));
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

/* ---- addresses ---- */

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

static void prepare_access(struct tsr__widener *s, LLVMValueRef inst)
{
    bool updates = LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
    s->atomics += updates;
    if (LLVMIsALoadInst(inst) || updates)
        tsr__address_prepare(s, LLVMGetOperand(inst, 0));
    else if (LLVMIsAStoreInst(inst))
        tsr__address_prepare(s, LLVMGetOperand(inst, 1));
}

void tsr__prepare_accesses(struct tsr__widener *s)
{
    for (s->block = 0; s->block < s->cfg.block_count; s->block++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(s->cfg.blocks[s->block].ref); v; v = LLVMGetNextInstruction(v))
            prepare_access(s, v);
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
