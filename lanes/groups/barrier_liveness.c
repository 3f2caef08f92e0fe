/* SPDX-License-Identifier: Apache-2.0
 * Liveness analysis across barriers, coalescing of copies, and spilling to the packet's context.
 *
 * Which stack slots cross barriers: what a packet must save at each, and what it needs back before the next.
 *
 * A loop's value goes through several slots, one for the phi and one for each value that comes around. Where these are copies that nobody
 * needs at the same time they are made one slot, or an accumulator would move from one to the other in each region, even if the region does
 * not touch it. */
#include "lanes/groups/barrier_liveness.h"

#include <stdlib.h>
#include <string.h>

#include "lanes/ir/cfg.h"
#include "lanes/ir/mad_op.h"

enum { MAX_COALESCED = 4096 /* slots in a function of which copies are looked for: the table grows with their square */ };

/* ---- sets ---- */

static uint64_t *new_set(const struct tsr__barrier_liveness *s)
{
    return tsr_arena_alloc(s->arena, s->words * sizeof(uint64_t));
}

static uint64_t **new_sets(const struct tsr__barrier_liveness *s, size_t count)
{
    uint64_t **sets = tsr_arena_alloc(s->arena, (count + 1) * sizeof *sets);
    for (size_t i = 0; i < count; i++)
        sets[i] = new_set(s);
    return sets;
}

static void set_add(uint64_t *set, size_t slot)
{
    set[slot / 64] |= UINT64_C(1) << (slot % 64);
}

static void set_remove(uint64_t *set, size_t slot)
{
    set[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

/* True if that changed the set. */
static bool set_union(const struct tsr__barrier_liveness *s, uint64_t *set, const uint64_t *more)
{
    uint64_t grown = 0;
    for (size_t w = 0; w < s->words; w++) {
        grown |= more[w] & ~set[w];
        set[w] |= more[w];
    }
    return grown != 0;
}

static bool sets_intersect(const struct tsr__barrier_liveness *s, const uint64_t *a, const uint64_t *b)
{
    for (size_t w = 0; w < s->words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}

/* ---- slots and blocks ---- */

static bool is_plain_slot(LLVMValueRef alloca, LLVMTypeRef type)
{
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool load = LLVMIsALoadInst(user) && LLVMTypeOf(user) == type;
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != alloca && LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
        if (!load && !store)
            return false;
    }
    return true;
}

/* The plain slot that an instruction loads from or stores to: its number + 1, or 0. */
static size_t accessed_slot(const struct tsr__barrier_liveness *s, LLVMValueRef inst, bool *store)
{
    *store = LLVMIsAStoreInst(inst) != NULL;
    if (!*store && !LLVMIsALoadInst(inst))
        return 0;
    size_t slot = tsr__map_get(&s->number, LLVMGetOperand(inst, *store));
    return slot && s->all[slot - 1].plain ? slot : 0;
}

static size_t block_number(const struct tsr__barrier_liveness *s, LLVMBasicBlockRef block)
{
    return tsr__map_number(&s->block_of, block);
}

static void look_at_block(struct tsr__barrier_liveness *s, size_t b)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
        bool store;
        size_t slot = accessed_slot(s, i, &store);
        if (slot && store)
            set_add(s->written[b], slot - 1);
        else if (slot && !tsr__slot_set_has(s->written[b], slot - 1))
            set_add(s->used[b], slot - 1);
    }
    LLVMValueRef t = LLVMGetBasicBlockTerminator(s->blocks[b]);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        s->preds[block_number(s, LLVMGetSuccessor(t, i))]++;
}

static void collect_accesses(struct tsr__barrier_liveness *s, LLVMBasicBlockRef first)
{
    size_t room = 1;
    for (LLVMValueRef i = LLVMGetFirstInstruction(first); i; i = LLVMGetNextInstruction(i))
        room++;
    s->all = tsr_arena_alloc(s->arena, room * sizeof *s->all);
    s->count = 0;
    s->number = (struct tsr__map){.arena = s->arena};
    for (LLVMValueRef i = LLVMGetFirstInstruction(first); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        LLVMTypeRef type = LLVMGetAllocatedType(i);
        s->all[s->count++] = (struct tsr__slot){.alloca = i, .type = type, .plain = is_plain_slot(i, type)};
        tsr__map_set(&s->number, i, s->count);
    }
    s->words = s->count / 64 + 1;
    s->used = new_sets(s, s->block_count);
    s->written = new_sets(s, s->block_count);
    s->preds = tsr_arena_alloc(s->arena, s->block_count * sizeof *s->preds);
    for (size_t b = 0; b < s->block_count; b++)
        look_at_block(s, b);
}

/* ---- loops with stops ---- */

/* The ways into loops with stops get blocks of their own. A value that the rounds bring along in the context is put there before the first,
 * or the first stop would have to save it in each round because the first round has it in a register. */
static void open_loops(struct tsr__barrier_liveness *s)
{
    struct tsr__cfg cfg;
    if (!tsr__cfg_make(&cfg, s->function, s->arena))
        return;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(s->function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    s->loops = tsr_arena_alloc(s->arena, ((size_t)cfg.loop_count + 1) * sizeof *s->loops);
    for (int l = 0; l < cfg.loop_count; l++) {
        struct tsr__barrier_loop loop = {.header = cfg.blocks[cfg.loops[l].header].ref};
        bool stops = false;
        for (int k = cfg.loops[l].begin; k < cfg.loops[l].end; k++)
            stops = stops || tsr__map_get(&s->stop_at, cfg.blocks[k].ref);
        if (!stops)
            continue;
        loop.entry = LLVMInsertBasicBlockInContext(context, loop.header, "enter");
        const struct tsr__block *header = &cfg.blocks[cfg.loops[l].header];
        for (int k = 0; k < header->pred_count; k++) {
            if (tsr__in_loop(&cfg, header->pred[k], l))
                continue;
            LLVMValueRef t = LLVMGetBasicBlockTerminator(cfg.blocks[header->pred[k]].ref);
            for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
                if (LLVMGetSuccessor(t, i) == loop.header)
                    LLVMSetSuccessor(t, i, loop.entry);
        }
        LLVMPositionBuilderAtEnd(b, loop.entry);
        LLVMBuildBr(b, loop.header);
        s->loops[s->loop_count++] = loop;
    }
    LLVMDisposeBuilder(b);
}

/* ---- searches ---- */

/* Numbers of the blocks such that, but for loops, each comes before its successors: searches that go by it, or back, need few rounds.
 * Blocks that are never reached come first. */
static void order_blocks(struct tsr__barrier_liveness *s)
{
    size_t *stack = tsr_arena_alloc(s->arena, (s->block_count + 1) * sizeof *stack), depth = 0, last = s->block_count, first = 0;
    unsigned *next = tsr_arena_alloc(s->arena, s->block_count * sizeof *next); /* successors that have been looked at, and 1 */
    s->order = tsr_arena_alloc(s->arena, s->block_count * sizeof *s->order);
    stack[depth++] = block_number(s, LLVMGetEntryBasicBlock(s->function));
    next[stack[0]] = 1;
    while (depth) {
        size_t b = stack[depth - 1];
        LLVMValueRef t = LLVMGetBasicBlockTerminator(s->blocks[b]);
        if (next[b] > LLVMGetNumSuccessors(t)) {
            s->order[--last] = b;
            depth--;
            continue;
        }
        size_t to = block_number(s, LLVMGetSuccessor(t, next[b]++ - 1));
        if (!next[to]) {
            next[to] = 1;
            stack[depth++] = to;
        }
    }
    for (size_t b = 0; b < s->block_count; b++)
        if (!next[b])
            s->order[first++] = b;
}

/* Slots that are read after a block starts before they are written. With `saves` (per block, or NULL), what is put into the context at its
 * end is read there, and the search ends at stops. */
static uint64_t **search_back(struct tsr__barrier_liveness *s, uint64_t **saves)
{
    uint64_t **in = new_sets(s, s->block_count), *set = new_set(s);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = s->block_count; n-- > 0;) {
            size_t b = s->order[n];
            bool ends = saves && tsr__map_get(&s->stop_at, s->blocks[b]);
            memset(set, 0, s->words * sizeof *set);
            LLVMValueRef t = LLVMGetBasicBlockTerminator(s->blocks[b]);
            if (saves)
                set_union(s, set, saves[b]);
            for (unsigned i = 0; i < LLVMGetNumSuccessors(t) && !ends; i++)
                set_union(s, set, in[block_number(s, LLVMGetSuccessor(t, i))]);
            for (size_t w = 0; w < s->words; w++)
                set[w] = (set[w] & ~s->written[b][w]) | s->used[b][w];
            changed |= set_union(s, in[b], set);
        }
    }
    return in;
}

/* What may have been written since it was last in the context, at the end of each block. */
static uint64_t **search_writes(struct tsr__barrier_liveness *s)
{
    uint64_t **in = new_sets(s, s->block_count), **out = new_sets(s, s->block_count);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = 0; n < s->block_count; n++) {
            size_t b = s->order[n];
            set_union(s, out[b], in[b]);
            set_union(s, out[b], s->written[b]);
            if (tsr__map_get(&s->stop_at, s->blocks[b]))
                continue;
            uint64_t *set = new_set(s);
            for (size_t w = 0; w < s->words; w++)
                set[w] = out[b][w] & ~s->saves[b][w];
            LLVMValueRef t = LLVMGetBasicBlockTerminator(s->blocks[b]);
            for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
                changed |= set_union(s, in[block_number(s, LLVMGetSuccessor(t, i))], set);
        }
    }
    return out;
}

/* Fills `saves`: at stops, what is live behind them and was written since the last; on the way into a loop, what would be saved at a stop
 * in it, unless the loop writes it between the last stop of a round and the next round. */
static void find_saves(struct tsr__barrier_liveness *s, uint64_t **live)
{
    uint64_t **at_stops = new_sets(s, s->block_count);
    s->saves = new_sets(s, s->block_count);
    for (unsigned k = 0; k < s->stop_count; k++)
        set_union(s, at_stops[block_number(s, s->stops[k].before)], live[block_number(s, s->stops[k].behind)]);
    uint64_t **used = s->used;
    s->used = new_sets(s, s->block_count);
    uint64_t **passing = search_back(s, at_stops);
    s->used = used;
    for (unsigned l = 0; l < s->loop_count; l++)
        set_union(s, s->saves[block_number(s, s->loops[l].entry)], passing[block_number(s, s->loops[l].header)]);
    uint64_t **dirty;
    for (bool changed = true; changed;) {
        changed = false;
        dirty = search_writes(s);
        for (size_t b = 0; b < s->block_count; b++) {
            if (tsr__map_get(&s->stop_at, s->blocks[b]))
                continue;
            LLVMValueRef t = LLVMGetBasicBlockTerminator(s->blocks[b]);
            for (unsigned l = 0; l < s->loop_count; l++) {
                uint64_t *early = s->saves[block_number(s, s->loops[l].entry)];
                for (unsigned i = 0; i < LLVMGetNumSuccessors(t) && s->loops[l].entry != s->blocks[b]; i++)
                    for (size_t w = 0; w < s->words && LLVMGetSuccessor(t, i) == s->loops[l].header; w++) {
                        changed |= (early[w] & dirty[b][w]) != 0;
                        early[w] &= ~dirty[b][w];
                    }
            }
        }
    }
    s->kept = new_set(s);
    for (unsigned k = 0; k < s->stop_count; k++)
        set_union(s, s->saves[block_number(s, s->stops[k].before)], live[block_number(s, s->stops[k].behind)]);
    for (size_t b = 0; b < s->block_count; b++) {
        for (size_t w = 0; w < s->words; w++)
            s->saves[b][w] &= dirty[b][w];
        set_union(s, s->kept, s->saves[b]);
    }
}

/* ---- copies ---- */

struct coalesce {
    struct tsr__barrier_liveness *s;
    uint64_t **against, **members; /* per class: slots that must stay apart from it; its own */
    size_t *class_of;
};

/* The slot whose value, as it is there, a store takes over: its number + 1, or 0. */
static size_t copied_from(const struct tsr__barrier_liveness *s, LLVMValueRef store)
{
    LLVMValueRef load = LLVMGetOperand(store, 0);
    bool is_store;
    size_t from =
        LLVMIsALoadInst(load) && LLVMGetInstructionParent(load) == LLVMGetInstructionParent(store) ? accessed_slot(s, load, &is_store) : 0;
    for (LLVMValueRef i = load; from && i != store; i = LLVMGetNextInstruction(i))
        if (accessed_slot(s, i, &is_store) == from && is_store)
            return 0;
    return from;
}

static void keep_apart(struct coalesce *c, size_t block, uint64_t *live)
{
    struct tsr__barrier_liveness *s = c->s;
    for (LLVMValueRef i = LLVMGetBasicBlockTerminator(s->blocks[block]); i; i = LLVMGetPreviousInstruction(i)) {
        bool store;
        size_t slot = accessed_slot(s, i, &store);
        if (!slot)
            continue;
        if (!store) {
            set_add(live, slot - 1);
            continue;
        }
        size_t from = copied_from(s, i);
        set_remove(live, slot - 1);
        for (size_t w = 0; w < s->words; w++)
            for (uint64_t left = live[w]; left; left &= left - 1) {
                size_t other = w * 64 + (size_t)__builtin_ctzll(left);
                if (other + 1 == from)
                    continue;
                set_add(c->against[slot - 1], other);
                set_add(c->against[other], slot - 1);
            }
    }
}

static void merge_copies(struct coalesce *c, size_t block)
{
    struct tsr__barrier_liveness *s = c->s;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->blocks[block]); i; i = LLVMGetNextInstruction(i)) {
        bool store;
        size_t to = accessed_slot(s, i, &store), from = to && store ? copied_from(s, i) : 0;
        if (!from || s->all[to - 1].type != s->all[from - 1].type)
            continue;
        size_t a = c->class_of[to - 1], b = c->class_of[from - 1];
        if (a == b || sets_intersect(s, c->against[a], c->members[b]))
            continue;
        set_union(s, c->against[a], c->against[b]);
        set_union(s, c->members[a], c->members[b]);
        for (size_t k = 0; k < s->count; k++)
            if (c->class_of[k] == b)
                c->class_of[k] = a;
    }
}

/* Drops stores of what is there already. */
static void drop_copies(struct tsr__barrier_liveness *s, size_t block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->blocks[block]), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        bool store;
        size_t to = accessed_slot(s, i, &store);
        if (!to || !store || copied_from(s, i) != to)
            continue;
        LLVMValueRef load = LLVMGetOperand(i, 0);
        LLVMInstructionEraseFromParent(i);
        if (!LLVMGetFirstUse(load))
            LLVMInstructionEraseFromParent(load);
    }
}

static void coalesce_slots(struct tsr__barrier_liveness *s, uint64_t **live)
{
    struct coalesce c = {.s = s, .against = new_sets(s, s->count), .members = new_sets(s, s->count)};
    c.class_of = tsr_arena_alloc(s->arena, (s->count + 1) * sizeof *c.class_of);
    for (size_t k = 0; k < s->count; k++) {
        c.class_of[k] = k;
        set_add(c.members[k], k);
    }
    uint64_t *set = new_set(s);
    for (size_t b = 0; b < s->block_count; b++) {
        memset(set, 0, s->words * sizeof *set);
        LLVMValueRef t = LLVMGetBasicBlockTerminator(s->blocks[b]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
            set_union(s, set, live[block_number(s, LLVMGetSuccessor(t, i))]);
        keep_apart(&c, b, set);
    }
    for (size_t b = 0; b < s->block_count; b++)
        merge_copies(&c, b);
    for (size_t k = 0; k < s->count; k++)
        if (c.class_of[k] != k) {
            LLVMReplaceAllUsesWith(s->all[k].alloca, s->all[c.class_of[k]].alloca);
            LLVMInstructionEraseFromParent(s->all[k].alloca);
        }
}

/* ---- all together ---- */

void tsr__barrier_liveness_find(struct tsr__barrier_liveness *s, LLVMBasicBlockRef first)
{
    s->block_of = s->stop_at = (struct tsr__map){.arena = s->arena};
    for (unsigned k = 0; k < s->stop_count; k++)
        tsr__map_set(&s->stop_at, s->stops[k].before, k + 1);
    open_loops(s);
    s->block_count = LLVMCountBasicBlocks(s->function);
    s->blocks = tsr_arena_alloc(s->arena, s->block_count * sizeof *s->blocks);
    LLVMGetBasicBlocks(s->function, s->blocks);
    for (size_t b = 0; b < s->block_count; b++)
        tsr__map_set(&s->block_of, s->blocks[b], b + 1);
    order_blocks(s);
    collect_accesses(s, first);
    uint64_t **live = search_back(s, NULL);
    if (s->count <= MAX_COALESCED) {
        coalesce_slots(s, live);
        collect_accesses(s, first);
        for (size_t b = 0; b < s->block_count; b++)
            drop_copies(s, b);
        collect_accesses(s, first);
        live = search_back(s, NULL);
    }
    tsr__find_shared_slots(s);
    find_saves(s, live);
    s->needed = search_back(s, s->saves);
    for (size_t b = 0; b < s->block_count; b++)
        set_union(s, s->used[b], s->saves[b]);
}

/* ---- the context ---- */

struct ranked {
    uint64_t rank;
    size_t slot;
};

static int compare_rows(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->slot > y->slot) - (x->slot < y->slot);
}

/* Ranks the slots to which the rows of the operation's result go; `number`: of all operations, from 1. */
static void rank_rows(const struct tsr__barrier_liveness *s, struct ranked *order, LLVMValueRef mad, uint64_t first_with_b, uint64_t number)
{
    for (LLVMUseRef use = LLVMGetFirstUse(mad); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef row = LLVMGetUser(use);
        for (LLVMUseRef u = LLVMIsAExtractValueInst(row) ? LLVMGetFirstUse(row) : NULL; u; u = LLVMGetNextUse(u)) {
            bool store;
            size_t slot = accessed_slot(s, LLVMGetUser(u), &store);
            if (slot && store && LLVMGetOperand(LLVMGetUser(u), 0) == row && !order[slot - 1].rank)
                order[slot - 1].rank = (first_with_b << 32 | number) * TSR__MAX_M + *LLVMGetIndices(row);
        }
    }
}

/* Accumulators of matrix operations come last and lie as in tiles: row after row, and those with the same B one after the other. */
static struct ranked *order_of(const struct tsr__barrier_liveness *s)
{
    struct ranked *order = tsr_arena_alloc(s->arena, (s->count + 1) * sizeof *order);
    struct tsr__map by_b = {.arena = s->arena};
    uint64_t number = 0;
    for (size_t k = 0; k < s->count; k++)
        order[k] = (struct ranked){0, k};
    for (size_t b = 0; b < s->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
            struct tsr__mad mad;
            if (!tsr__mad_read(i, &mad))
                continue;
            if (!tsr__map_get(&by_b, tsr__mad_b(&mad, 0)))
                tsr__map_set(&by_b, tsr__mad_b(&mad, 0), number + 1);
            rank_rows(s, order, i, tsr__map_get(&by_b, tsr__mad_b(&mad, 0)), ++number);
        }
    if (number)
        qsort(order, s->count, sizeof *order, compare_rows);
    return order;
}

uint64_t tsr__barrier_spill_layout(struct tsr__barrier_liveness *s, LLVMTargetDataRef layout, uint64_t bytes)
{
    const struct ranked *order = order_of(s);
    for (size_t n = 0; n < s->count; n++) {
        size_t k = order[n].slot;
        struct tsr__slot *slot = &s->all[k];
        if (slot->plain && (slot->shared || !tsr__slot_set_has(s->kept, k)))
            continue;
        uint64_t align = LLVMABIAlignmentOfType(layout, slot->type), stated = LLVMGetAlignment(slot->alloca);
        align = stated > align ? stated : align;
        slot->offset = (bytes + align - 1) & ~(align - 1);
        bytes = slot->offset + LLVMABISizeOfType(layout, slot->type);
    }
    return bytes;
}
