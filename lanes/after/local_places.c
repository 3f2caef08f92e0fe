/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/after/local_places.h"
#include "lanes/after/lane_access.h"
#include "lanes/after/lane_offsets.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

enum { MAX_ACCESSES = 2000, MAX_ARGUMENTS = 32, MAX_DEPTH = 12 /* address computations behind each other */ };

struct search {
    struct tsr__lane_scalars *c;
    struct tsr__compilation *l;
    LLVMTargetDataRef layout;
    LLVMValueRef base;                    /* a load of where the group's local memory begins */
    LLVMValueRef argument[MAX_ARGUMENTS]; /* loads of where arguments begin behind that */
    size_t arguments;
    struct tsr__map seen;
    struct tsr__local_accesses *found;
};

/* Strips constant distances; answers their sum. */
static LLVMValueRef strip(struct search *s, LLVMValueRef pointer, int64_t *offset)
{
    for (*offset = 0; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        struct tsr__gep_index index;
        int64_t sum = 0;
        for (struct tsr__gep_walk walk = tsr__gep_walk(s->layout, pointer); tsr__gep_next(&walk, &index); sum += index.offset)
            if (!index.is_constant)
                return pointer;
        *offset += sum;
    }
    return pointer;
}

/* Do two loads that no store can change read the same place? */
static bool is_same_load(struct search *s, LLVMValueRef a, LLVMValueRef b)
{
    int64_t of_a, of_b;
    if (a == b)
        return true;
    if (!tsr__is_fixed_load(s->l, a) || !tsr__is_fixed_load(s->l, b))
        return false;
    a = strip(s, LLVMGetOperand(a, 0), &of_a);
    b = strip(s, LLVMGetOperand(b, 0), &of_b);
    return of_a == of_b && is_same_load(s, a, b);
}

/* Do two loads that no store can change read places of one structure? Then they are the same or others for sure. */
static bool is_beside(struct search *s, LLVMValueRef a, LLVMValueRef b)
{
    int64_t of_a, of_b;
    return is_same_load(s, strip(s, LLVMGetOperand(a, 0), &of_a), strip(s, LLVMGetOperand(b, 0), &of_b));
}

/* The number of the object that begins at the base plus this number; 0: none, it is no argument. */
static size_t find_argument(struct search *s, LLVMValueRef begin)
{
    if (!tsr__is_fixed_load(s->l, begin) || !LLVMGetMetadata(begin, tsr__local_argument_kind(s->l->context)))
        return 0;
    for (size_t i = 0; i < s->arguments; i++) {
        if (is_same_load(s, begin, s->argument[i]))
            return i + 1;
        if (!is_beside(s, begin, s->argument[i]))
            return 0;
    }
    if (s->arguments == MAX_ARGUMENTS)
        return 0;
    s->argument[s->arguments++] = begin;
    return s->arguments;
}

/* An address of bytes whose one index, a scalar, is where an argument begins. */
static size_t argument_of(struct search *s, LLVMValueRef gep)
{
    if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetNumOperands(gep) != 2 || tsr__is_vector(gep) ||
        !tsr__is_fixed_load(s->l, LLVMGetOperand(gep, 0)) || LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(gep)) != 1)
        return 0;
    return find_argument(s, LLVMGetOperand(gep, 1));
}

static bool is_local(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(tsr__element_type(LLVMTypeOf(pointer))) == TSR__LOCAL_SPACE;
}

/* The object and the place in it of a scalar pointer. */
static bool find_place(struct search *s, LLVMValueRef pointer, size_t *object, int64_t *offset)
{
    pointer = strip(s, pointer, offset);
    *object = argument_of(s, pointer);
    return is_same_load(s, *object ? LLVMGetOperand(pointer, 0) : pointer, s->base);
}

static bool add(struct search *s, struct tsr__local_access *a)
{
    a->from = INT64_MAX;
    a->to = INT64_MIN;
    for (unsigned i = 0; i < (a->lanes ? a->lanes : 1); i++) {
        if (a->at[i] == TSR__NO_PLACE)
            continue;
        a->from = a->at[i] < a->from ? a->at[i] : a->from;
        a->to = a->at[i] + a->bytes > a->to ? a->at[i] + a->bytes : a->to;
    }
    s->found->access[s->found->count++] = *a;
    return a->from < a->to;
}

static bool add_plain(struct search *s, LLVMValueRef inst)
{
    const bool load = LLVMIsALoadInst(inst);
    LLVMValueRef pointer = LLVMGetOperand(inst, load ? 0 : 1);
    LLVMTypeRef type = LLVMTypeOf(load ? inst : LLVMGetOperand(inst, 0)), element = tsr__element_type(type);
    const LLVMTypeKind kind = LLVMGetTypeKind(element);
    struct tsr__local_access a = {.inst = inst, .load = load, .element = element};
    int64_t first;
    if (LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic || kind == LLVMPointerTypeKind ||
        kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || !tsr__fills_its_bytes(s->layout, element) ||
        !find_place(s, pointer, &a.object, &first))
        return false;
    a.lanes = tsr__is_vector_type(type) ? LLVMGetVectorSize(type) : 0;
    a.bytes = (int64_t)LLVMABISizeOfType(s->layout, element);
    if (a.lanes > TSR__MAX_ELEMENTS)
        return false;
    a.at = tsr_arena_alloc(&s->l->scratch, (a.lanes ? a.lanes : 1) * sizeof *a.at);
    for (unsigned i = 0; i < (a.lanes ? a.lanes : 1); i++)
        a.at[i] = first + i * a.bytes;
    return add(s, &a);
}

static bool add_masked(struct search *s, LLVMValueRef call)
{
    struct tsr__lane_access of;
    if (!tsr__read_lane_access(s->layout, call, &of) || LLVMGetTypeKind(of.element) == LLVMPointerTypeKind)
        return false;
    struct tsr__local_access a = {
        .inst = call, .mask = of.mask, .load = of.load, .element = of.element, .lanes = of.lanes, .bytes = of.bytes};
    struct tsr__lane_offsets o = {.lanes = of.lanes, .in_row = of.lanes};
    unsigned lane = 0;
    int64_t first;
    while (lane < of.lanes && !of.active[lane])
        lane++;
    if (lane == of.lanes)
        return false;
    if (of.side_by_side)
        for (unsigned i = 0; i < of.lanes; i++)
            o.at[i] = i * of.bytes;
    else if (!tsr__find_lane_offsets(of.pointers, &o))
        return false;
    if (!find_place(s, of.side_by_side ? of.pointers : tsr__lane_scalar(s->c, of.pointers, lane), &a.object, &first))
        return false;
    first -= of.side_by_side ? 0 : o.at[lane];
    a.at = tsr_arena_alloc(&s->l->scratch, of.lanes * sizeof *a.at);
    for (unsigned i = 0; i < of.lanes; i++)
        a.at[i] = of.active[i] ? first + o.at[i] : TSR__NO_PLACE;
    return add(s, &a);
}

/* Follows an address, or a vector of some, to all accesses by it. False: it may get elsewhere. */
static bool follow(struct search *s, LLVMValueRef pointer, int depth)
{
    if (!depth)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool is_first = LLVMGetOperand(user, 0) == pointer;
        if (!tsr__map_add(&s->seen, user))
            continue;
        if (s->found->count == MAX_ACCESSES)
            return false;
        if (LLVMIsAGetElementPtrInst(user) || LLVMIsAInsertElementInst(user) || LLVMIsAShuffleVectorInst(user)) {
            if (!follow(s, user, depth - 1))
                return false;
        } else if (LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && !is_first)) {
            if (!add_plain(s, user))
                return false;
        } else if (!add_masked(s, user)) {
            return false;
        }
    }
    return true;
}

bool tsr__find_local_accesses(struct tsr__lane_scalars *c, LLVMValueRef function, struct tsr__local_accesses *found)
{
    struct tsr__compilation *l = c->l;
    struct search s = {.c = c, .l = l, .layout = LLVMGetModuleDataLayout(l->module), .seen = {.arena = &l->scratch}, .found = found};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    *found = (struct tsr__local_accesses){.access = tsr_arena_alloc(&l->scratch, MAX_ACCESSES * sizeof *found->access)};
    for (size_t i = 0; i < count; i++) {
        if (!tsr__is_fixed_load(l, code[i]) || LLVMGetTypeKind(LLVMTypeOf(code[i])) != LLVMPointerTypeKind || !is_local(code[i]))
            continue;
        s.base = s.base ? s.base : code[i];
        if (!is_same_load(&s, code[i], s.base) || !follow(&s, code[i], MAX_DEPTH))
            return false;
    }
    return found->count > 0;
}
