/* SPDX-License-Identifier: Apache-2.0
 * Numbers in memory that a loop reads and writes in each round, `sum[i] += …`.
 *
 * Each round would wait until the CPU has forwarded the last round's store. So the loop carries the number from round to round. It is still
 * stored, as other loads of the loop may read it, unless they can be seen not to: then only the last round's number is, behind the loop.
 *
 * Where they would read it only if two arguments shared memory, there are two loops: the launch knows which of them runs. */
#include <llvm-c/DebugInfo.h>

#include "lanes/prepare/apart.h"
#include "lanes/prepare/block_loop.h"

#include "lanes/ir/match.h"

struct loop {
    struct tsr__block_loop at;
    struct tsr__apart apart;
};

enum fate { LEFT, CARRIED, MOVED };

/* What can become of a store: the loop reads what it has stored, and nothing else changes it. */
static enum fate find_fate(struct loop *loop, LLVMValueRef store)
{
    struct tsr__apart *apart = &loop->apart;
    bool reads = false, alone = loop->at.behind != NULL;
    enum { DEPTH = 5 };
    if (!tsr__is_plain_access(store) || LLVMGetPointerAddressSpace(LLVMTypeOf(tsr__accessed_pointer(store))) == TSR__PRIVATE_SPACE ||
        !tsr__can_hoist(&loop->at.of, tsr__accessed_pointer(store), DEPTH))
        return LEFT;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->at.block); i; i = LLVMGetNextInstruction(i)) {
        bool loads = LLVMIsALoadInst(i), stores = LLVMIsAStoreInst(i);
        if (i == store || (!loads && !stores && !tsr__spaces_written(i)))
            continue;
        if ((!loads && !stores) || !tsr__is_plain_access(i))
            return LEFT;
        if (loads && tsr__are_same(apart, i, store))
            reads = true;
        else if (!tsr__are_apart(apart, i, store)) {
            if (stores)
                return LEFT;
            alone = false;
        }
    }
    return alone && (reads || apart->may_ask) ? MOVED : reads ? CARRIED : LEFT;
}

/* The loads of the place get the number that was stored last. */
static void carry(struct loop *loop, LLVMBuilderRef b, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), first = NULL, phi = NULL;
    bool behind_store = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->at.block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        behind_store = behind_store || i == store;
        if (!LLVMIsALoadInst(i) || !tsr__are_same(&loop->apart, i, store))
            continue;
        if (!phi && !behind_store) {
            LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(loop->at.block));
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
    LLVMSetOperand(first, 0, tsr__accessed_pointer(store));
    tsr__move_instruction(b, first, LLVMGetBasicBlockTerminator(loop->at.before));
    LLVMAddIncoming(phi, (LLVMValueRef[]){first, value}, (LLVMBasicBlockRef[]){loop->at.before, loop->at.block}, 2);
}

static void promote(struct loop *loop, LLVMBuilderRef b, LLVMValueRef store)
{
    enum fate fate = find_fate(loop, store);
    if (fate == LEFT)
        return;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop->at.before));
    tsr__hoist(&loop->at.of, b, tsr__accessed_pointer(store));
    carry(loop, b, store);
    if (fate == MOVED)
        tsr__move_instruction(b, store, tsr__after_phis(LLVMGetFirstInstruction(loop->at.behind)));
}

static LLVMValueRef next_store(LLVMValueRef from)
{
    while (from && !LLVMIsAStoreInst(from))
        from = LLVMGetNextInstruction(from);
    return from;
}

static void promote_in(struct loop *loop, LLVMBuilderRef b)
{
    for (LLVMValueRef store = next_store(LLVMGetFirstInstruction(loop->at.block)), next; store; store = next) {
        next = next_store(LLVMGetNextInstruction(store)); /* no other store moves or ends meanwhile */
        promote(loop, b, store);
    }
}

/* The arguments that have to be alone so that more stores move behind the loop; 0: none would. */
static uint32_t find_arguments(struct loop *loop)
{
    uint32_t arguments = 0;
    for (LLVMValueRef store = next_store(LLVMGetFirstInstruction(loop->at.block)); store;
         store = next_store(LLVMGetNextInstruction(store))) {
        loop->apart.assumed = 0;
        if (find_fate(loop, store) == MOVED)
            arguments |= loop->apart.assumed;
    }
    return arguments;
}

/* The loop becomes one for launches in which the arguments are alone; a copy is what it was. */
static void promote_alone(struct loop *loop, LLVMBuilderRef b, struct tsr_arena *arena)
{
    loop->apart.may_ask = true;
    uint32_t arguments = find_arguments(loop);
    if (!arguments)
        return;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop->at.before));
    LLVMValueRef alone = tsr__ask_launch(loop->apart.l, loop->apart.k, b, TSR__CALL_ALONE, arguments);
    tsr__version_loop(loop->apart.l, b, &loop->at, alone, arena);
    promote_in(loop, b);
}

bool tsr__pass_promote_sums(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    int loops = tsr__cfg_make(&cfg, k->item, &arena) ? cfg.loop_count : 0;
    for (int i = 0; i < loops; i++) {
        struct loop loop = {.apart = {.l = l, .k = k}};
        if (!tsr__block_loop_find(&cfg, i, &loop.at))
            continue;
        promote_in(&loop, b);
        promote_alone(&loop, b, &arena);
    }
    LLVMDisposeBuilder(b);
    tsr_arena_free(&arena);
    return true;
}
