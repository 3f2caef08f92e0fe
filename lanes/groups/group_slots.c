/* SPDX-License-Identifier: Apache-2.0
 * Slots in which all packets of a work-group have the same value wherever they wait: the counter of a loop of barriers, its bound, what a
 * reduction of the work-group gave. The group keeps one value of such a slot in a register, and no packet stores it to its context.
 *
 * Packets that meet at each barrier go the same way where branches depend on such values alone. So a slot is shared if each store to it has
 * a value made of constants, arguments, numbers of the group and shared slots, and stands in a block to which all packets come equally
 * often. The search starts with all slots and drops those of which that is not so. */
#include "lanes/groups/barrier_liveness.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/cfg.h"

struct search {
    struct tsr__barrier_liveness *s;
    struct tsr__cfg cfg;
    struct tsr__map differs; /* instructions whose results packets may not have in common */
    int *stack;              /* of blocks, for packets_part_at() */
    unsigned *seen, walks;   /* per block: the last walk that came there; how many there were */
    bool changed;
};

static bool differs(const struct search *f, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && tsr__map_get(&f->differs, v);
}

static bool has_differing_operand(const struct search *f, LLVMValueRef inst)
{
    for (int k = 0; k < LLVMGetNumOperands(inst); k++)
        if (differs(f, LLVMGetOperand(inst, (unsigned)k)))
            return true;
    return false;
}

/* The area of an exchange is not written while packets may read it. */
static bool reads_exchange(LLVMValueRef load)
{
    LLVMValueRef p = LLVMGetOperand(load, 0);
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
        p = LLVMGetOperand(p, 0);
    return tsr__call_of(p) == TSR__CALL_ALL_SLOTS;
}

static bool load_differs(const struct search *f, LLVMValueRef load)
{
    size_t slot = tsr__map_get(&f->s->number, LLVMGetOperand(load, 0));
    if (slot)
        return !f->s->all[slot - 1].shared;
    return LLVMGetVolatile(load) || !reads_exchange(load) || has_differing_operand(f, load);
}

static bool holds_pointers(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* Numbers of the group are the same for all packets, and so are operations that access no memory. */
static bool call_differs(const struct search *f, LLVMValueRef call)
{
    enum tsr__engine_call known = tsr__call_of(call);
    enum tsr__call_how how = tsr__call_info(known)->how;
    if (known == TSR__CALL_ALL_SLOTS || known == TSR__CALL_ALL_PRESENT)
        return false;
    bool operation = tsr__callee(call) && LLVMGetIntrinsicID(tsr__callee(call)) && LLVMGetNumArgOperands(call);
    for (unsigned i = 0; operation && i < LLVMGetNumArgOperands(call); i++)
        operation = !holds_pointers(LLVMTypeOf(LLVMGetOperand(call, i)));
    bool number = known != TSR__CALL_NONE && (how == TSR__HOW_GROUP || how == TSR__HOW_GROUP_DIM);
    return (!number && !operation) || has_differing_operand(f, call);
}

/* A frozen value counts as different: if it is undefined, each packet may have another one, and must keep its own. */
static bool result_differs(const struct search *f, LLVMValueRef inst)
{
    if (LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst) || LLVMIsACmpInst(inst))
        return has_differing_operand(f, inst);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return load_differs(f, inst);
    case LLVMCall:
        return call_differs(f, inst);
    case LLVMFNeg:
    case LLVMSelect:
    case LLVMGetElementPtr:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
        return has_differing_operand(f, inst);
    default:
        return true;
    }
}

/* Packets part at the end of the block, and meet again where all ways from there come together. */
static void packets_part_at(struct search *f, int block)
{
    const struct tsr__cfg *cfg = &f->cfg;
    int depth = 0;
    f->walks++;
    f->stack[depth++] = block;
    while (depth) {
        const struct tsr__block *from = &cfg->blocks[f->stack[--depth]];
        for (int k = 0; k < from->succ_count; k++) {
            int to = from->succ[k];
            if (to == cfg->blocks[block].ipdom || f->seen[to] == f->walks)
                continue;
            f->seen[to] = f->walks;
            f->stack[depth++] = to;
            bool *parted = &f->s->parted[tsr__map_number(&f->s->block_of, cfg->blocks[to].ref)];
            f->changed = f->changed || !*parted;
            *parted = true;
        }
    }
}

static void look_at_store(struct search *f, LLVMValueRef store, bool parted)
{
    size_t slot = tsr__map_get(&f->s->number, LLVMGetOperand(store, 1));
    if (!slot || !f->s->all[slot - 1].shared || (!parted && !differs(f, LLVMGetOperand(store, 0))))
        return;
    f->s->all[slot - 1].shared = false;
    f->changed = true;
}

static void look_at_block(struct search *f, int number)
{
    const struct tsr__block *block = &f->cfg.blocks[number];
    bool parted = f->s->parted[tsr__map_number(&f->s->block_of, block->ref)];
    for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAStoreInst(i)) {
            look_at_store(f, i, parted);
        } else if (i == block->terminator) {
            if (block->succ_count > 1 && !tsr__map_get(&f->differs, i) && differs(f, LLVMGetCondition(i))) {
                tsr__map_set(&f->differs, i, 1);
                packets_part_at(f, number);
            }
        } else if (!tsr__map_get(&f->differs, i) && result_differs(f, i)) {
            tsr__map_set(&f->differs, i, 1);
            f->changed = true;
        }
    }
}

void tsr__find_shared_slots(struct tsr__barrier_liveness *s)
{
    struct search f = {.s = s, .differs = {.arena = s->arena}};
    s->parted = tsr_arena_alloc(s->arena, s->block_count * sizeof *s->parted);
    bool known = tsr__cfg_make(&f.cfg, s->function, s->arena);
    for (size_t b = 0; b < s->block_count; b++)
        s->parted[b] = !known;
    for (size_t k = 0; k < s->count; k++)
        s->all[k].shared = known && s->all[k].plain;
    size_t blocks = known ? (size_t)f.cfg.block_count + 1 : 1;
    f.stack = tsr_arena_alloc(s->arena, blocks * sizeof *f.stack);
    f.seen = tsr_arena_alloc(s->arena, blocks * sizeof *f.seen);
    for (f.changed = known; f.changed;) {
        f.changed = false;
        for (int b = 0; b < f.cfg.block_count; b++)
            look_at_block(&f, b);
    }
}
