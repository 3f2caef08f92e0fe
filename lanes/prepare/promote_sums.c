/* SPDX-License-Identifier: Apache-2.0
 * Numbers in memory that a loop reads and writes in each round, `sum[i] += …`.
 *
 * Each round would wait until the CPU has forwarded the last round's store. So the loop carries the number from round to round. It is still
 * stored, as other loads of the loop may read it, unless they can be seen not to: then only the last round's number is, behind the loop. */
#include <llvm-c/DebugInfo.h>

#include "lanes/prepare/packet_kernel.h"
#include "lanes/prepare/loop_motion.h"

#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/write_only.h"

/* Bytes of memory, from a constant distance behind a pointer on. */
struct place {
    LLVMValueRef base;
    int64_t offset, bytes;
};

struct loop {
    struct tsr__compilation *l;
    const struct tsr__packet_kernel *k;
    struct tsr__loop_of of;
    LLVMBasicBlockRef block, before, behind; /* of one block; `behind` NULL: it can be reached in another way */
};

static LLVMValueRef pointer_of(LLVMValueRef access)
{
    return LLVMGetOperand(access, LLVMIsALoadInst(access) ? 0 : 1);
}

static LLVMTypeRef type_of(LLVMValueRef access)
{
    return LLVMTypeOf(LLVMIsALoadInst(access) ? access : LLVMGetOperand(access, 0));
}

static struct place place_of(const struct loop *loop, LLVMValueRef access)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(loop->l->module);
    struct place place = {pointer_of(access), 0, (int64_t)LLVMStoreSizeOfType(layout, type_of(access))};
    while (LLVMIsAGetElementPtrInst(place.base)) {
        int64_t offset = 0;
        struct tsr__gep_index index;
        struct tsr__gep_walk walk = tsr__gep_walk(layout, place.base);
        while (tsr__gep_next(&walk, &index)) {
            if (!index.is_constant)
                return place;
            offset += index.offset;
        }
        place.offset += offset;
        place.base = LLVMGetOperand(place.base, 0);
    }
    return place;
}

static bool is_restrict(const struct loop *loop, int parameter)
{
    return LLVMGetEnumAttributeAtIndex(loop->k->kernel, (LLVMAttributeIndex)parameter + 1, tsr__attr_kind("noalias"));
}

static bool are_apart(const struct loop *loop, LLVMValueRef x, LLVMValueRef y)
{
    struct place a = place_of(loop, x), b = place_of(loop, y);
    if (a.base == b.base)
        return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
    if (!(tsr__space_bit(pointer_of(x)) & tsr__space_bit(pointer_of(y))))
        return true;
    int p = tsr__parameter_of(a.base), q = tsr__parameter_of(b.base);
    return p >= 0 && q >= 0 && p != q && (is_restrict(loop, p) || is_restrict(loop, q));
}

static bool is_same(const struct loop *loop, LLVMValueRef x, LLVMValueRef y)
{
    struct place a = place_of(loop, x), b = place_of(loop, y);
    return a.base == b.base && a.offset == b.offset && type_of(x) == type_of(y);
}

static bool is_plain(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

enum fate { LEFT, CARRIED, MOVED };

/* What can become of a store: the loop reads what it has stored, and nothing else changes it. */
static enum fate find_fate(const struct loop *loop, LLVMValueRef store)
{
    bool reads = false, alone = loop->behind != NULL;
    enum { DEPTH = 5 };
    if (!is_plain(store) || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer_of(store))) == TSR__PRIVATE_SPACE ||
        !tsr__can_hoist(&loop->of, pointer_of(store), DEPTH))
        return LEFT;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->block); i; i = LLVMGetNextInstruction(i)) {
        bool loads = LLVMIsALoadInst(i), stores = LLVMIsAStoreInst(i);
        if (i == store || (!loads && !stores && !tsr__spaces_written(i)))
            continue;
        if ((!loads && !stores) || !is_plain(i))
            return LEFT;
        if (loads && is_same(loop, i, store))
            reads = true;
        else if (!are_apart(loop, i, store)) {
            if (stores)
                return LEFT;
            alone = false;
        }
    }
    return !reads ? LEFT : alone ? MOVED : CARRIED;
}

/* To before an instruction, with the source line that it has. */
static void move_before(LLVMBuilderRef b, LLVMValueRef inst, LLVMValueRef before)
{
    LLVMMetadataRef line = LLVMInstructionGetDebugLoc(inst);
    LLVMInstructionRemoveFromParent(inst);
    LLVMPositionBuilderBefore(b, before);
    LLVMInsertIntoBuilder(b, inst);
    LLVMInstructionSetDebugLoc(inst, line);
}

/* The loads of the place get the number that was stored last. */
static void carry(const struct loop *loop, LLVMBuilderRef b, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), first = NULL, phi = NULL;
    bool behind_store = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        behind_store = behind_store || i == store;
        if (!LLVMIsALoadInst(i) || !is_same(loop, i, store))
            continue;
        if (!phi && !behind_store) {
            LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(loop->block));
            phi = LLVMBuildPhi(b, LLVMTypeOf(i), "");
            first = i;
        }
        LLVMReplaceAllUsesWith(i, behind_store ? value : phi);
        if (i != first)
            LLVMInstructionEraseFromParent(i);
    }
    if (!phi)
        return;
    value = LLVMGetOperand(store, 0); /* that may have been such a load */
    LLVMSetOperand(first, 0, pointer_of(store));
    move_before(b, first, LLVMGetBasicBlockTerminator(loop->before));
    LLVMAddIncoming(phi, (LLVMValueRef[]){first, value}, (LLVMBasicBlockRef[]){loop->before, loop->block}, 2);
}

static void promote(const struct loop *loop, LLVMBuilderRef b, LLVMValueRef store)
{
    enum fate fate = find_fate(loop, store);
    if (fate == LEFT)
        return;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop->before));
    tsr__hoist(&loop->of, b, pointer_of(store));
    carry(loop, b, store);
    if (fate == MOVED)
        move_before(b, store, tsr__after_phis(LLVMGetFirstInstruction(loop->behind)));
}

static LLVMValueRef next_store(LLVMValueRef from)
{
    while (from && !LLVMIsAStoreInst(from))
        from = LLVMGetNextInstruction(from);
    return from;
}

static void promote_in(const struct loop *loop, LLVMBuilderRef b)
{
    for (LLVMValueRef store = next_store(LLVMGetFirstInstruction(loop->block)), next; store; store = next) {
        next = next_store(LLVMGetNextInstruction(store)); /* no other store moves or ends meanwhile */
        promote(loop, b, store);
    }
}

/* The block behind a loop of one block, if nothing else leads there; else NULL. */
static LLVMBasicBlockRef block_behind(const struct tsr__cfg *cfg, int header)
{
    const struct tsr__block *block = &cfg->blocks[header];
    for (int i = 0; i < block->succ_count; i++)
        if (block->succ[i] != header && cfg->blocks[block->succ[i]].pred_count == 1)
            return cfg->blocks[block->succ[i]].ref;
    return NULL;
}

bool tsr__pass_promote_sums(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    int loops = tsr__cfg_make(&cfg, k->item, &arena) ? cfg.loop_count : 0;
    for (int i = 0; i < loops; i++) {
        int before = tsr__preheader_of(&cfg, &cfg.loops[i]), header = cfg.loops[i].header;
        if (before == TSR__NONE || cfg.loops[i].end - cfg.loops[i].begin != 1)
            continue;
        struct loop loop = {.l = l,
                            .k = k,
                            .of = {&cfg, i},
                            .block = cfg.blocks[header].ref,
                            .before = cfg.blocks[before].ref,
                            .behind = block_behind(&cfg, header)};
        promote_in(&loop, b);
    }
    LLVMDisposeBuilder(b);
    tsr_arena_free(&arena);
    return true;
}
