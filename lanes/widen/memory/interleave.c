/* SPDX-License-Identifier: Apache-2.0
 * Interleaved access groups (arrays of structures, AoS).
 *
 * Joins strided accesses of neighbouring fields, `p[i].x` and `p[i].y`. The loads of a block are made where the first of them stands,
 * the stores where the last stands. No access moves past another that it may alias. */
#include "lanes/widen/memory/interleave.h"

#include "lanes/ir/explain.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

enum { FAR = 200, MAX_MET = 32 }; /* instructions to look at; accesses between that are kept in mind */

/* What is known of where an access goes. */
struct place {
    LLVMValueRef pointer;
    struct tsr__address address;
    int64_t stride; /* 0: not known */
    uint64_t bytes;
    bool alone; /* apart from those of other arguments (prepare/apart_records.c) */
};

static struct place position_of(struct tsr__widener *s, LLVMValueRef inst)
{
    bool load = LLVMIsALoadInst(inst) != NULL;
    struct place p = {.pointer = LLVMGetOperand(inst, load ? 0 : 1)};
    LLVMTypeRef type = LLVMTypeOf(load ? inst : LLVMGetOperand(inst, 0));
    struct tsr__shape shape = tsr__shape_here(s, p.pointer);
    p.bytes = LLVMStoreSizeOfType(s->layout, type);
    p.alone = LLVMGetMetadata(inst, tsr__alone_kind(s->l->context)) != NULL;
    if (shape.kind == TSR__SHAPE_AFFINE)
        p.stride = shape.stride;
    tsr__address_sum(s, p.pointer, &p.address);
    return p;
}

/* Whether the two differ by a constant, and by how many bytes. */
static bool differ_by(const struct place *x, const struct place *y, int64_t *bytes)
{
    const struct tsr__address *a = &x->address, *b = &y->address;
    if (!a->base || a->base != b->base || a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++) {
        bool found = false;
        for (int k = 0; k < b->count && !found; k++)
            found = a->terms[i].value == b->terms[k].value && a->terms[i].extension == b->terms[k].extension &&
                    a->terms[i].scale == b->terms[k].scale;
        if (!found)
            return false;
    }
    *bytes = b->offset - a->offset;
    return true;
}

/* The packet function has the kernel's promises. */
static bool is_restrict(const struct tsr__widener *s, LLVMValueRef v)
{
    for (unsigned p = 0; p < LLVMCountParams(s->from); p++)
        if (LLVMGetParam(s->from, p) == v)
            return LLVMGetEnumAttributeAtIndex(s->to, p + 1, tsr__attr_kind("noalias")) != NULL;
    return false;
}

/* Whether a store to one of them may change what the other is, in any lane. */
static bool may_alias(const struct tsr__widener *s, const struct place *x, const struct place *y)
{
    LLVMValueRef a = x->address.base, b = y->address.base;
    unsigned space_a = LLVMGetPointerAddressSpace(LLVMTypeOf(x->pointer)), space_b = LLVMGetPointerAddressSpace(LLVMTypeOf(y->pointer));
    int64_t apart;
    if (space_a != space_b && space_a <= TSR__LOCAL_SPACE && space_b <= TSR__LOCAL_SPACE)
        return false;
    if (differ_by(x, y, &apart) && x->stride > 0 && x->stride == y->stride) {
        uint64_t behind = (uint64_t)(((apart % x->stride) + x->stride) % x->stride);
        return behind < x->bytes || behind + y->bytes > (uint64_t)x->stride;
    }
    bool known = a && b && (LLVMIsAArgument(a) || LLVMIsAAllocaInst(a) || LLVMIsAGlobalVariable(a)) &&
                 (LLVMIsAArgument(b) || LLVMIsAAllocaInst(b) || LLVMIsAGlobalVariable(b));
    bool alone = known && x->alone && y->alone && LLVMIsAArgument(a) && LLVMIsAArgument(b);
    return !known || a == b || !(alone || is_restrict(s, a) || is_restrict(s, b));
}

static bool harmless_call(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    if (!callee)
        return false;
    if (LLVMGetIntrinsicID(callee))
        return !tsr__starts_with(tsr__name(callee), "llvm.mem");
    return tsr__touches_no_memory(callee);
}

/* A plain load or store. */
static bool is_plain_access(LLVMValueRef inst)
{
    return (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) && tsr__is_plain_access(inst);
}

/* Nothing can be moved past it. */
static bool is_barrier_to_motion(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMStore:
        return !is_plain_access(inst);
    case LLVMCall:
        return !harmless_call(inst);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return true;
    default:
        return LLVMIsATerminatorInst(inst) != NULL;
    }
}

/* ---- records ---- */

/* Adds an access to the record that the first one began, if it is one of a field. `low` and `high` are the record's ends in bytes. */
static bool add_field(struct tsr__interleave_group *r, const struct tsr__access *a, const struct place *first, const struct place *p,
                      int64_t *low, int64_t *high)
{
    int64_t at, bytes = (int64_t)a->component_count * a->scalar_bytes;
    const struct tsr__access *own = &r->fields[0].access;
    if (r->count == TSR__MAX_STRIDE || !a->step || a->step != own->step || a->scalar_bytes != own->scalar_bytes ||
        !differ_by(first, p, &at) || at % a->scalar_bytes)
        return false;
    bool pointers = LLVMGetTypeKind(a->scalar) == LLVMPointerTypeKind || LLVMGetTypeKind(own->scalar) == LLVMPointerTypeKind;
    if (a->scalar != own->scalar && pointers)
        return false;
    int64_t from = at < *low ? at : *low, to = at + bytes > *high ? at + bytes : *high;
    if (to - from > p->stride)
        return false;
    for (unsigned i = 0; i < r->count && !LLVMIsALoadInst(a->inst); i++) {
        const struct tsr__interleave_member *f = &r->fields[i];
        if (at < f->at + (int64_t)f->access.component_count * a->scalar_bytes && f->at < at + bytes)
            return false; /* written twice: in order */
    }
    *low = from;
    *high = to;
    r->fields[r->count++] = (struct tsr__interleave_member){.access = *a, .at = at};
    return true;
}

/* Looks for the fields that can be loaded or stored with the first. */
static void find_fields(struct tsr__widener *s, struct tsr__interleave_group *r)
{
    LLVMValueRef first_inst = r->fields[0].access.inst, inst = first_inst;
    bool load = LLVMIsALoadInst(first_inst) != NULL;
    struct place first = position_of(s, first_inst), met[MAX_MET], own[TSR__MAX_STRIDE] = {first};
    int64_t low = 0, high = (int64_t)r->fields[0].access.component_count * r->fields[0].access.scalar_bytes;
    unsigned met_count = 0;
    /* Stores that stand before the first load but are made later. */
    for (const struct tsr__interleave_group *w = s->waiting; w && load; w = w->next)
        for (unsigned i = 0; i < w->count; i++) {
            if (met_count == MAX_MET)
                return;
            met[met_count++] = position_of(s, w->fields[i].access.inst);
        }
    for (unsigned far = 0; far < FAR && (inst = LLVMGetNextInstruction(inst)) != NULL && !is_barrier_to_motion(inst); far++) {
        if (!LLVMIsALoadInst(inst) && !LLVMIsAStoreInst(inst))
            continue;
        struct place p = position_of(s, inst);
        bool same_kind = load == (LLVMIsALoadInst(inst) != NULL), meets = false;
        struct tsr__access a;
        if (same_kind && !tsr__map_get(&s->records, inst) && tsr__may_interleave(s, inst, &a)) {
            for (unsigned i = 0; i < met_count && load; i++)
                meets = meets || may_alias(s, &met[i], &p);
            if (!meets && add_field(r, &a, &first, &p, &low, &high)) {
                own[r->count - 1] = p;
                continue;
            }
        }
        /* A load may not go up past a store that meets it, nor a store down past what meets it. */
        if (!load) {
            for (unsigned i = 0; i < r->count; i++)
                meets = meets || may_alias(s, &own[i], &p);
            if (meets)
                return;
        } else if (!same_kind) {
            if (met_count == MAX_MET)
                return;
            met[met_count++] = p;
        }
    }
}

/* The access of all fields, for one that fits all: NULL if it would not pay. */
static void settle_access(struct tsr__widener *s, struct tsr__interleave_group *r)
{
    int64_t low = 0;
    struct tsr__access *all = &r->all;
    for (unsigned i = 0; i < r->count; i++)
        low = r->fields[i].at < low ? r->fields[i].at : low;
    *all = r->fields[0].access;
    all->class = TSR__ACCESS_INTERLEAVED;
    all->members = 0;
    all->joined = r->count;
    all->all = r->insts;
    for (unsigned i = 0; i < r->count; i++) {
        struct tsr__interleave_member *f = &r->fields[i];
        f->at -= low;
        f->member = (unsigned)f->at / all->scalar_bytes;
        all->members |= ((UINT32_C(1) << f->access.component_count) - 1) << f->member;
        if (!f->at)
            all->align = f->access.align;
        if (f->access.scalar != all->scalar)
            all->scalar = LLVMIntTypeInContext(s->l->context, 8 * all->scalar_bytes);
        r->insts[i] = f->access.inst;
    }
}

struct tsr__interleave_group *tsr__interleave_group_of(struct tsr__widener *s, const struct tsr__access *a)
{
    struct tsr__interleave_group *known = (struct tsr__interleave_group *)tsr__map_get(&s->records, a->inst);
    struct tsr__access first;
    if (known || !tsr__may_interleave(s, a->inst, &first))
        return known;
    struct tsr__interleave_group *r = tsr_arena_alloc(s->arena, sizeof *r);
    *r = (struct tsr__interleave_group){.fields = {{.access = first}}, .count = 1};
    find_fields(s, r);
    settle_access(s, r);
    unsigned members = (unsigned)__builtin_popcount(r->all.members);
    if (r->count == 1 || (first.step > TSR__SHORT_STRIDE && 2 * members < first.step))
        return NULL;
    for (unsigned i = 0; i < r->count; i++)
        tsr__map_set(&s->records, r->insts[i], (uintptr_t)r);
    if (LLVMIsAStoreInst(a->inst)) {
        r->next = s->waiting;
        s->waiting = r;
    }
    return r;
}

/* The address of the record in which `inst` is a field. */
static LLVMValueRef start_of(struct tsr__widener *s, const struct tsr__interleave_group *r, LLVMValueRef inst)
{
    unsigned i = 0;
    while (r->insts[i] != inst)
        i++;
    LLVMValueRef p = tsr__scalar_of(s, r->fields[i].access.pointer), by = tsr__i64(s->l, (uint64_t)-r->fields[i].at);
    return r->fields[i].at ? tsr__plus_bytes(s->l, s->b, p, by) : p;
}

static void explain_group(struct tsr__widener *s, const struct tsr__interleave_group *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        struct tsr__access a = r->all;
        a.inst = r->fields[i].access.inst;
        a.type = r->fields[i].access.type;
        tsr__explain_access(s, &a, false);
    }
}

static LLVMValueRef cast_elements(struct tsr__widener *s, LLVMValueRef vector, LLVMTypeRef scalar)
{
    return LLVMBuildBitCast(s->b, vector, tsr__vector_of(s, scalar), "");
}

void tsr__interleave_group_load(struct tsr__widener *s, struct tsr__interleave_group *r)
{
    LLVMValueRef components[TSR__MAX_STRIDE], its[TSR__MAX_STRIDE];
    if (r->made)
        return;
    r->made = true;
    explain_group(s, r);
    tsr__contiguous_load(s, &r->all, start_of(s, r, r->insts[0]), components);
    for (unsigned i = 0; i < r->count; i++) {
        const struct tsr__interleave_member *f = &r->fields[i];
        for (unsigned k = 0; k < f->access.component_count; k++)
            its[k] = cast_elements(s, components[f->member + k], f->access.scalar);
        tsr__set_loaded_components(s, &f->access, its);
    }
}

void tsr__interleave_group_store(struct tsr__widener *s, struct tsr__interleave_group *r, LLVMValueRef inst)
{
    LLVMValueRef components[TSR__MAX_STRIDE], its[TSR__MAX_STRIDE];
    if (inst != r->insts[r->count - 1])
        return;
    explain_group(s, r);
    for (unsigned i = 0; i < r->count; i++) {
        const struct tsr__interleave_member *f = &r->fields[i];
        tsr__stored_components(s, &f->access, its);
        for (unsigned k = 0; k < f->access.component_count; k++)
            components[f->member + k] = cast_elements(s, its[k], r->all.scalar);
    }
    tsr__contiguous_store(s, &r->all, start_of(s, r, inst), components);
    struct tsr__interleave_group **at = &s->waiting;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
}
