/* SPDX-License-Identifier: Apache-2.0
 * Register pressure: how many vector registers a packet would have in use at a time. */
#include "lanes/analysis/pressure.h"

bool tsr__any_type(LLVMTypeRef type)
{
    (void)type;
    return true;
}

unsigned tsr__cpu_registers(const struct tsr__compilation *l)
{
    return tsr__has(l, TSR_CPU_AVX512F) ? 32 : 16;
}

uint64_t tsr__packet_registers(const struct tsr__compilation *l, LLVMTypeRef type, unsigned width)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned count = is_vector ? LLVMGetVectorSize(type) : 1;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    if (kind == LLVMVoidTypeKind || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return 0;
    return count * tsr__vector_registers(l, LLVMVectorType(element, width));
}

/* Code in compact order, in which a value is in use from one place to another. */
struct places {
    const struct tsr__cfg *cfg;
    struct tsr__map of; /* instruction → place + 1 */
    size_t *end_of;     /* by block: the place behind it */
    int64_t *change;    /* by place: registers that are in use from there on, less those that no longer are */
    size_t count;
};

/* The place up to which the value must last for one use of it. A loop that it came to from outside needs it in each round. */
static size_t last_place(const struct places *p, int defined_in, LLVMValueRef user, LLVMValueRef v)
{
    int at = tsr__cfg_number(p->cfg, LLVMGetInstructionParent(user));
    size_t place = tsr__map_get(&p->of, user);
    if (LLVMIsAPHINode(user))
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++) {
            int from = tsr__cfg_number(p->cfg, LLVMGetIncomingBlock(user, k));
            if (LLVMGetIncomingValue(user, k) != v || from == TSR__NONE)
                continue;
            place = p->end_of[from] > place ? p->end_of[from] : place;
            at = from;
        }
    if (at == TSR__NONE)
        return 0;
    for (int loop = p->cfg->blocks[at].loop; loop != TSR__NONE && !tsr__in_loop(p->cfg, defined_in, loop);
         loop = p->cfg->loops[loop].parent) {
        size_t end = p->end_of[p->cfg->loops[loop].end - 1];
        place = end > place ? end : place;
    }
    return place;
}

static void number_places(struct places *p, struct tsr_arena *arena)
{
    p->end_of = tsr_arena_alloc(arena, ((size_t)p->cfg->block_count + 1) * sizeof *p->end_of);
    for (int b = 0; b < p->cfg->block_count; b++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(p->cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            tsr__map_set(&p->of, i, ++p->count);
        p->end_of[b] = p->count;
    }
    p->change = tsr_arena_alloc(arena, (p->count + 2) * sizeof *p->change);
}

/* Registers that the value takes in a packet, or in a work-item alone, whose scalars take none. */
static uint64_t registers_of(const struct tsr__compilation *l, const struct tsr__shapes *shapes, LLVMTypeRef type, bool alone)
{
    if (!alone)
        return tsr__packet_registers(l, type, shapes->packet.width);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? tsr__vector_registers(l, type) : 0;
}

static uint64_t most_in_use(const struct tsr__compilation *l, const struct tsr__shapes *shapes, bool alone,
                            bool (*counts)(LLVMTypeRef type), struct tsr_arena *arena)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    struct places p = {.cfg = cfg, .of = {.arena = arena}};
    number_places(&p, arena);
    for (int b = 0; b < cfg->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            if (!tsr__is_varying(tsr__shape_of(shapes, i)) || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind ||
                !counts(LLVMTypeOf(i)))
                continue;
            size_t from = tsr__map_get(&p.of, i), to = from;
            for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
                size_t place = last_place(&p, b, LLVMGetUser(use), i);
                to = place > to ? place : to;
            }
            int64_t registers = (int64_t)registers_of(l, shapes, LLVMTypeOf(i), alone);
            p.change[from] += registers;
            p.change[to] -= registers;
        }
    int64_t now = 0, most = 0;
    for (size_t k = 0; k <= p.count; k++) {
        now += p.change[k];
        most = now > most ? now : most;
    }
    return (uint64_t)most;
}

uint64_t tsr__registers_in_use(const struct tsr__compilation *l, const struct tsr__shapes *shapes, bool (*counts)(LLVMTypeRef type),
                               struct tsr_arena *arena)
{
    return most_in_use(l, shapes, false, counts, arena);
}

uint64_t tsr__item_registers_in_use(const struct tsr__compilation *l, const struct tsr__shapes *shapes, struct tsr_arena *arena)
{
    return most_in_use(l, shapes, true, tsr__any_type, arena);
}
