/* SPDX-License-Identifier: Apache-2.0
 * Operands that go to tiles by way of the stack get there early.
 *
 * A tile load waits until the stores to its rows have left the processor's queue, as tiles are not forwarded from there. So vectors are
 * stored where they are made, in front of the loop if that is where they come from, and the device packs B as early in its basic block as
 * memory allows. The code in between then takes the time in which a tile load would wait. */
#include "lanes/ir/cfg.h"
#include "lanes/matrix/tiles/tiles.h"

/* A store to a buffer that has one tile load, or the call that packs B into it. */
struct tsr__moved {
    struct tsr__moved *next;
    LLVMValueRef inst;
};

void tsr__tile_note_early(struct tsr__tiles *t, LLVMValueRef inst)
{
    struct tsr__moved *x = tsr_arena_alloc(&t->l->scratch, sizeof *x);
    *x = (struct tsr__moved){t->early, inst};
    t->early = x;
}

/* ---- vectors ---- */

/* Is `from` outside of the innermost loop around `to`? */
static bool is_in_front_of_loop(const struct tsr__cfg *cfg, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const int x = tsr__cfg_number(cfg, from), y = tsr__cfg_number(cfg, to);
    return x != TSR__NONE && y != TSR__NONE && cfg->blocks[y].loop != TSR__NONE && !tsr__in_loop(cfg, x, cfg->blocks[y].loop);
}

static void store_early(struct tsr__tiles *t, const struct tsr__cfg *cfg, LLVMValueRef store)
{
    LLVMValueRef v = LLVMGetOperand(store, 0);
    if (!LLVMIsAInstruction(v) || LLVMIsATerminatorInst(v))
        return;
    LLVMBasicBlockRef from = LLVMGetInstructionParent(v), to = LLVMGetInstructionParent(store);
    LLVMValueRef address = LLVMGetOperand(store, 1);
    if (from != to && !is_in_front_of_loop(cfg, from, to))
        return;
    LLVMValueRef point = tsr__after_phis(LLVMGetNextInstruction(v));
    if (point == store)
        return;
    tsr__move_instruction(t->b, store, point);
    if (!LLVMIsAAllocaInst(address)) { /* a constant distance behind one */
        LLVMValueRef copy = LLVMInstructionClone(address);
        LLVMPositionBuilderBefore(t->b, store);
        LLVMInsertIntoBuilder(t->b, copy);
        LLVMSetOperand(store, 1, copy);
    }
}

/* ---- packing ---- */

/* Is the value of another block than this, or among these instructions of it? */
static bool is_there(LLVMValueRef v, LLVMBasicBlockRef block, const struct tsr__map *before)
{
    return !LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != block || tsr__map_get(before, v);
}

/* Can the instructions of the block that make the value, but for those in front, be moved to where these end? Adds them to `made`. */
static bool can_come(LLVMValueRef v, LLVMBasicBlockRef block, const struct tsr__map *before, struct tsr__map *made)
{
    enum { MOST = 256 };
    if (is_there(v, block, before) || tsr__map_get(made, v))
        return true;
    if (made->count > MOST || LLVMIsAPHINode(v) || !tsr__is_pure(v) || tsr__may_trap(v))
        return false;
    tsr__map_set(made, v, 1);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!can_come(LLVMGetOperand(v, (unsigned)i), block, before, made))
            return false;
    return true;
}

/* Moves the instruction, and those of its block that it needs, in front of `*point`, which it may be. */
static void bring(struct tsr__tiles *t, LLVMValueRef v, LLVMValueRef *point, struct tsr__map *before)
{
    if (is_there(v, LLVMGetInstructionParent(*point), before))
        return;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        bring(t, LLVMGetOperand(v, (unsigned)i), point, before);
    tsr__map_set(before, v, 1);
    if (v == *point)
        *point = LLVMGetNextInstruction(v);
    else
        tsr__move_instruction(t->b, v, *point);
}

/* May memory be different behind the instruction, as it writes or as it waits for others? */
static bool changes_memory(const struct tsr__tiles *t, LLVMValueRef inst)
{
    return tsr__tile_may_write(t, inst) || (LLVMIsALoadInst(inst) && !tsr__is_plain_load(inst));
}

/* Behind what may write to memory, and behind what was packed earlier. */
static void pack_early(struct tsr__tiles *t, LLVMValueRef call)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
    struct tsr__map before = {.arena = &t->l->scratch}, made = {.arena = &t->l->scratch};
    LLVMValueRef point = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != call; i = LLVMGetNextInstruction(i))
        if (LLVMIsAPHINode(i) || changes_memory(t, i) || tsr__map_get(&t->packed, i))
            point = i;
    point = point ? LLVMGetNextInstruction(point) : LLVMGetFirstInstruction(block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != point; i = LLVMGetNextInstruction(i))
        tsr__map_set(&before, i, 1);
    tsr__map_set(&t->packed, call, 1);
    for (int i = 0; i < LLVMGetNumOperands(call); i++)
        if (!can_come(LLVMGetOperand(call, (unsigned)i), block, &before, &made))
            return;
    bring(t, call, &point, &before);
}

void tsr__tile_move_early(struct tsr__tiles *t)
{
    struct tsr__cfg cfg;
    struct tsr__moved *list = NULL;
    if (!t->early || !tsr__cfg_make(&cfg, t->webs.function, &t->l->scratch))
        return;
    for (struct tsr__moved *x = t->early, *next; x; x = next) { /* in the order of the program */
        next = x->next;
        x->next = list;
        list = x;
    }
    for (; list; list = list->next) {
        if (LLVMIsAStoreInst(list->inst))
            store_early(t, &cfg, list->inst);
        else
            pack_early(t, list->inst);
    }
}
