/* SPDX-License-Identifier: Apache-2.0
 * Where allocas lie in local memory: each gets the first gap that is free from the instruction itself to the last use of it or of a view.
 */
#include "tensor/llvm/emit.h"

#include <stdlib.h>

enum { MOST_BYTES = 1 << 24 };

struct slot {
    uint32_t value, born, last, offset, size;
};

struct layout {
    struct slot *slots;
    uint32_t count, room, now;
    uint32_t *root; /* of a value: 1 + the slot that it is a view of */
};

static void count_slots(const struct tsr__t_inst *inst, void *data)
{
    ((struct layout *)data)->room += inst->op == TSR__T_ALLOCA;
}

static void add_slot(struct layout *l, const struct tsr__t_inst *inst)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    int64_t bytes = tsr__t_numbers[type->number].bytes;
    if (type->order)
        bytes *= type->stride[type->order - 1] * type->shape[type->order - 1];
    bytes = bytes ? bytes : 1; /* an empty one has an address too */
    l->slots[l->count++] = (struct slot){.value = inst->results[0]->index, .born = l->now, .last = l->now, .size = (uint32_t)bytes};
    l->root[inst->results[0]->index] = l->count;
}

static void walk(struct layout *l, const struct tsr__t_region *region)
{
    for (const struct tsr__t_inst *i = region->first; i; i = i->next) {
        uint32_t began = ++l->now;
        for (uint32_t k = 0; k < i->operand_count; k++)
            if (l->root[i->operands[k]->index])
                l->slots[l->root[i->operands[k]->index] - 1].last = l->now;
        bool view = i->op == TSR__T_EXPAND || i->op == TSR__T_FUSE || i->op == TSR__T_SUBVIEW;
        if (view)
            l->root[i->results[0]->index] = l->root[i->operands[0]->index];
        if (i->op == TSR__T_ALLOCA)
            add_slot(l, i);
        for (int r = 0; r < 2; r++)
            if (i->regions[r])
                walk(l, i->regions[r]);
        if (!i->regions[0])
            continue;
        l->now++; /* a use in a loop counts until the loop's end */
        for (uint32_t s = 0; s < l->count; s++)
            if (l->slots[s].last >= began)
                l->slots[s].last = l->now;
    }
}

static uint32_t round_up(uint32_t bytes)
{
    return (bytes + TSR__T_LOCAL_ALIGNMENT - 1) / TSR__T_LOCAL_ALIGNMENT * TSR__T_LOCAL_ALIGNMENT;
}

/* The lowest place where no other slot that lives at the same time is; only slots before it have a place. */
static void place(struct layout *l, uint32_t number)
{
    struct slot *own = &l->slots[number];
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < number; i++) {
            const struct slot *other = &l->slots[i];
            bool together = other->born <= own->last && own->born <= other->last;
            if (together && own->offset < other->offset + other->size && other->offset < own->offset + own->size) {
                own->offset = round_up(other->offset + other->size);
                moved = true;
            }
        }
    }
}

uint32_t tsr__te_layout(const struct tsr__t_func *func, struct tsr_arena *arena, uint32_t *local_offset)
{
    struct layout l = {.root = tsr_arena_alloc(arena, func->value_count * sizeof *l.root + 1)};
    uint32_t bytes = 0;
    tsr__t_visit(func->body, count_slots, &l);
    l.slots = tsr_arena_alloc(arena, (l.room + 1) * sizeof *l.slots);
    walk(&l, func->body);
    for (uint32_t i = 0; i < l.count; i++) {
        place(&l, i);
        if (l.slots[i].offset > MOST_BYTES)
            return TSR__TE_TOO_MUCH;
        local_offset[l.slots[i].value] = l.slots[i].offset;
        if (l.slots[i].offset + l.slots[i].size > bytes)
            bytes = l.slots[i].offset + l.slots[i].size;
    }
    return bytes;
}
