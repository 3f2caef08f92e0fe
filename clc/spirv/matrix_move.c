/* SPDX-License-Identifier: Apache-2.0
 * Elements that come from other work-items: matrices of one shape that lie differently, as those for another use do, or A with components
 * of another width; and the neighbours of elements. Each slot is put together of what other work-items have in theirs. */
#include "clc/spirv/matrix.h"

enum { NOWHERE = UINT16_MAX };

/* Where the elements of a matrix are in another one, by slot and work-item of the new one. */
struct places {
    const struct tsr__matrix *from, *to;
    uint32_t rows, columns;           /* from an element to the one that takes its place */
    uint16_t *slot;                   /* NOWHERE: the work-item has no such element */
    uint32_t *lane;                   /* own ones where there is no element */
    uint32_t *pattern, pattern_count; /* slots with the same row of work-items have the same number */
};

static bool same_places(const struct tsr__matrix *a, const struct tsr__matrix *b)
{
    return a->order == b->order && a->run == b->run && a->rows_at_once == b->rows_at_once;
}

static void number_pattern(struct places *p, uint32_t slot)
{
    size_t lanes = p->to->lanes;
    for (uint32_t i = 0; i < slot; i++)
        if (!memcmp(p->lane + i * lanes, p->lane + slot * lanes, lanes * sizeof *p->lane)) {
            p->pattern[slot] = p->pattern[i];
            return;
        }
    p->pattern[slot] = p->pattern_count++;
}

static void find_places(struct tsr__reader *r, struct places *p)
{
    uint32_t lanes = p->to->lanes, count = p->to->slots * lanes;
    p->slot = tsr_arena_alloc(&r->arena, count * sizeof *p->slot);
    p->lane = tsr_arena_alloc(&r->arena, count * sizeof *p->lane);
    p->pattern = tsr_arena_alloc(&r->arena, p->to->slots * sizeof *p->pattern);
    for (uint32_t i = 0; i < count; i++) {
        p->slot[i] = NOWHERE;
        p->lane[i] = i % lanes;
    }
    for (uint32_t row = p->rows; row < p->to->rows; row++)
        for (uint32_t column = p->columns; column < p->to->columns; column++) {
            uint32_t lane, slot, from_lane, from_slot;
            tsr__matrix_find(p->to, row - p->rows, column - p->columns, &lane, &slot);
            tsr__matrix_find(p->from, row, column, &from_lane, &from_slot);
            p->slot[slot * lanes + lane] = (uint16_t)from_slot;
            p->lane[slot * lanes + lane] = from_lane;
        }
    for (uint32_t slot = 0; slot < p->to->slots; slot++)
        number_pattern(p, slot);
}

/* The work-item that has the element of each work-item's slot, as a table in constant memory with a row for each pattern. */
static LLVMValueRef lane_table(struct tsr__reader *r, const struct places *p, const char *name)
{
    uint32_t lanes = p->to->lanes, count = p->pattern_count * lanes;
    LLVMValueRef *numbers = tsr_arena_alloc(&r->arena, count * sizeof(LLVMValueRef));
    for (uint32_t slot = 0; slot < p->to->slots; slot++)
        for (uint32_t l = 0; l < lanes; l++)
            numbers[p->pattern[slot] * lanes + l] = tsr__u32(r, p->lane[slot * lanes + l]);
    name = tsr_arena_format(&r->arena, "%s%u.%s.lanes", TSR_CLC_SPIRV_MATRIX, lanes, name);
    return tsr__constant_table(r, name, tsr__i32(r), numbers, count);
}

/* Bits of the work-items whose element is in that slot of the other matrix. */
static uint32_t takers(const struct places *p, uint32_t slot, uint32_t from_slot)
{
    uint32_t mask = 0;
    for (uint32_t l = 0; l < p->to->lanes; l++)
        if (p->slot[slot * p->to->lanes + l] == from_slot)
            mask |= 1u << l;
    return mask;
}

static bool has_own_elements(const struct places *p, uint32_t slot, uint32_t mask)
{
    for (uint32_t l = 0; l < p->to->lanes; l++)
        if (mask >> l & 1 && p->lane[slot * p->to->lanes + l] != l)
            return false;
    return true;
}

/* One slot: of each slot of the other matrix that has some of its elements, in the work-items that want them. */
static LLVMValueRef gather(struct tsr__reader *r, const struct places *p, uint32_t slot, LLVMValueRef value, LLVMValueRef lane,
                           LLVMValueRef from_lane)
{
    LLVMTypeRef type = p->from->component->llvm;
    LLVMValueRef made = NULL; /* until there is one */
    uint32_t done = 0;
    for (uint32_t l = 0; l < p->to->lanes; l++) {
        uint32_t from_slot = p->slot[slot * p->to->lanes + l], mask = from_slot == NOWHERE ? 0 : takers(p, slot, from_slot);
        if (!mask || done & mask)
            continue;
        done |= mask;
        LLVMValueRef part = tsr__matrix_get(r, p->from, value, from_slot, 1);
        struct tsr__arg args[] = {{.value = part, .sign = TSR__SIGNED}, {.value = from_lane, .sign = TSR__UNSIGNED}};
        if (!has_own_elements(p, slot, mask))
            part = tsr__spirv_call(r, "sub_group_shuffle", type, args, 2, TSR__MEETS);
        LLVMValueRef wants =
            LLVMBuildTrunc(r->builder, LLVMBuildLShr(r->builder, tsr__u32(r, mask), lane, ""), LLVMInt1TypeInContext(r->context), "");
        made = made ? LLVMBuildSelect(r->builder, wants, part, made, "") : part;
    }
    return made ? made : LLVMConstNull(type);
}

static LLVMValueRef make_move(struct tsr__reader *r, struct places *p, LLVMValueRef value, const char *name)
{
    uint32_t lanes = p->to->lanes;
    LLVMTypeRef i32 = tsr__i32(r);
    LLVMValueRef lane = LLVMBuildTrunc(r->builder, tsr__matrix_lane(r), i32, ""), made = LLVMConstNull(p->to->llvm);
    find_places(r, p);
    LLVMValueRef table = lane_table(r, p, name);
    LLVMValueRef *from = tsr_arena_alloc(&r->arena, p->pattern_count * sizeof(LLVMValueRef));
    for (uint32_t i = 0; i < p->pattern_count; i++) {
        LLVMValueRef at = LLVMBuildAdd(r->builder, lane, tsr__u32(r, i * lanes), "");
        from[i] = LLVMBuildLoad2(r->builder, i32, LLVMBuildGEP2(r->builder, i32, table, &at, 1, ""), "");
    }
    for (uint32_t slot = 0; slot < p->to->slots; slot++)
        made = tsr__matrix_put(r, p->to, made, slot, gather(r, p, slot, value, lane, from[p->pattern[slot]]));
    return made;
}

/* The same slots in other vectors. */
static LLVMValueRef regroup(struct tsr__reader *r, const struct tsr__matrix *from, const struct tsr__matrix *to, LLVMValueRef value)
{
    LLVMValueRef made = LLVMGetPoison(to->llvm);
    for (uint32_t v = 0; v < to->vector_count; v++)
        made = LLVMBuildInsertValue(r->builder, made, tsr__matrix_get(r, from, value, v * to->vector, to->vector), v, "");
    return made;
}

LLVMValueRef tsr__matrix_move(struct tsr__reader *r, const struct tsr__matrix *from, const struct tsr__matrix *to, LLVMValueRef value)
{
    if (same_places(from, to))
        return from->vector == to->vector ? value : regroup(r, from, to, value);
    struct places p = {.from = from, .to = to};
    struct tsr__helper h;
    const char *name = tsr_arena_format(&r->arena, "%s.moved.%s", from->name, to->name);
    if (tsr__helper_begin(r, &h, name, to->llvm, &from->llvm, 1))
        tsr__helper_end(r, &h, make_move(r, &p, LLVMGetParam(h.function, 0), name));
    return tsr__helper_call(r, &h, &value, 1);
}

LLVMValueRef tsr__matrix_shift(struct tsr__reader *r, const struct tsr__matrix *m, uint32_t rows, uint32_t columns, LLVMValueRef value)
{
    struct places p = {.from = m, .to = m, .rows = rows, .columns = columns};
    struct tsr__helper h;
    const char *name = tsr_arena_format(&r->arena, "%s.shifted.%u.%u", m->name, rows, columns);
    if (tsr__helper_begin(r, &h, name, m->llvm, &m->llvm, 1))
        tsr__helper_end(r, &h, make_move(r, &p, LLVMGetParam(h.function, 0), name));
    return tsr__helper_call(r, &h, &value, 1);
}
