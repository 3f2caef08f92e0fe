/* SPDX-License-Identifier: Apache-2.0
 * Records of arguments that may share memory: `o[i].x = a[i].x * s; o[i].y = a[i].y * s`.
 *
 * Fields of a record are read and written together (widen/memory/interleave.c) unless a store between them may change what is read. A store
 * through one argument may as long as the other argument may lie there, and programs hardly ever say `restrict`. A block of the item
 * function in which that keeps fields apart gets a copy: the launch says whether the arguments share memory, and the accesses of the block
 * for launches in which they do not are marked. */
#include "lanes/analysis/write_only.h"
#include "lanes/ir/blocks.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/apart.h"

enum { MOST_ACCESSES = 64 };

struct block {
    struct tsr__compilation *l;
    const struct tsr__packet_kernel *k;
    LLVMBasicBlockRef at;
    LLVMValueRef accesses[MOST_ACCESSES]; /* in the order in which they stand */
    bool strided[MOST_ACCESSES];
    unsigned count;
};

static bool may_be_copied(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    if (!LLVMIsACallInst(inst))
        return !tsr__is_atomic(inst) && !LLVMIsAFenceInst(inst);
    if (tsr__is_query(tsr__call_of(inst)))
        return true;
    if (!callee || LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, tsr__attr_kind("convergent")))
        return false;
    return LLVMGetIntrinsicID(callee) ? !tsr__starts_with(tsr__name(callee), "llvm.mem") : tsr__touches_no_memory(callee);
}

/* Do lanes access fields of records that follow each other? */
static bool is_strided(const struct tsr__shapes *shapes, LLVMTargetDataRef layout, LLVMValueRef access)
{
    struct tsr__shape shape = tsr__shape_of(shapes, tsr__accessed_pointer(access));
    const int64_t bytes = (int64_t)LLVMStoreSizeOfType(layout, tsr__accessed_type(access));
    const int64_t scalar = (int64_t)LLVMStoreSizeOfType(layout, tsr__component_type(tsr__accessed_type(access), 0));
    return !tsr__is_varying(shape) && shape.stride > bytes && shape.stride <= TSR__MAX_STRIDE * scalar;
}

static bool read_block(struct block *b, const struct tsr__shapes *shapes)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(b->l->module);
    unsigned code = 0;
    bool any = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b->at); i; i = LLVMGetNextInstruction(i)) {
        if (code++ == TSR__APART_MAX_CODE || !may_be_copied(i) || (LLVMIsAAllocaInst(i) && b->count))
            return false;
        if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
            continue;
        if (b->count == MOST_ACCESSES)
            return false;
        b->strided[b->count] = is_strided(shapes, layout, i);
        any = any || b->strided[b->count];
        b->accesses[b->count++] = i;
    }
    return any;
}

/* The arguments that have to be alone so that accesses by different ones are apart; 0: it would not help, or cannot be asked for all. */
static uint32_t find_arguments(struct block *b)
{
    struct tsr__apart apart = {.l = b->l, .k = b->k, .may_ask = true};
    bool helps = false;
    for (unsigned i = 0; i < b->count; i++)
        for (unsigned k = i + 1; k < b->count; k++) {
            const uint32_t before = apart.assumed;
            apart.assumed = 0;
            int p = tsr__parameter_of(tsr__accessed_pointer(b->accesses[i])), q = tsr__parameter_of(tsr__accessed_pointer(b->accesses[k]));
            const bool stores = LLVMIsAStoreInst(b->accesses[i]), meet = stores || LLVMIsAStoreInst(b->accesses[k]);
            if (meet && p >= 0 && q >= 0 && p != q && !tsr__are_apart(&apart, b->accesses[i], b->accesses[k]))
                return 0;
            helps = helps || (apart.assumed && stores && (b->strided[i] || b->strided[k]));
            apart.assumed |= before;
        }
    return helps ? apart.assumed : 0;
}

/* A user of the value outside of its block, and not `phi`; NULL: there is none. */
static LLVMValueRef user_outside(LLVMValueRef v, LLVMBasicBlockRef block, LLVMValueRef phi)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != phi && !tsr__is_in_block(LLVMGetUser(use), block))
            return LLVMGetUser(use);
    return NULL;
}

/* What is computed in the block, or in its copy, is used behind both. */
static void join(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMBasicBlockRef copy, LLVMBasicBlockRef behind,
                 const struct tsr__map *copies)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (!user_outside(i, block, NULL))
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(behind));
        LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(i), "");
        for (LLVMValueRef user; (user = user_outside(i, block, phi));)
            for (int k = 0; k < LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, (unsigned)k) == i)
                    LLVMSetOperand(user, (unsigned)k, phi);
        LLVMAddIncoming(phi, (LLVMValueRef[]){i, tsr__copy_of(copies, i)}, (LLVMBasicBlockRef[]){block, copy}, 2);
    }
    LLVMDisposeBuilder(b);
}

static LLVMValueRef first_code(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* The block becomes one for launches in which the arguments are alone; a copy is what it was. */
static void make_copy(struct block *block, uint32_t arguments)
{
    struct tsr__compilation *l = block->l;
    struct tsr__map copies = {.arena = &l->scratch};
    LLVMBasicBlockRef behind = block->at, alone = tsr__split_block(l, behind, LLVMGetBasicBlockTerminator(behind)),
                      before = tsr__split_block(l, alone, first_code(alone));
    tsr__copy_blocks(l, &alone, 1, alone, behind, "shared", &copies);
    LLVMBasicBlockRef shared = tsr__copy_of_block(&copies, alone);
    join(l, alone, shared, behind, &copies);
    LLVMValueRef way = LLVMGetBasicBlockTerminator(before);
    LLVMBuilderRef b = tsr__builder_before(l, way);
    LLVMBuildCondBr(b, tsr__ask_launch(l, block->k, b, TSR__CALL_ALONE, arguments), alone, shared);
    LLVMDisposeBuilder(b);
    LLVMInstructionEraseFromParent(way);
    LLVMValueRef nothing = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0));
    for (unsigned i = 0; i < block->count; i++)
        LLVMSetMetadata(block->accesses[i], tsr__alone_kind(l->context), nothing);
    tsr__explain(l, block->accesses[0], "records", "alone", "a version for launches whose arguments share no memory");
}

bool tsr__pass_apart_records(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    if (k->packet.width == 1 || !tsr__cfg_make(&cfg, k->item, &l->scratch))
        return true;
    tsr__shapes_find(&shapes, &cfg, k->packet, &l->scratch);
    struct block *blocks = tsr_arena_alloc(&l->scratch, (size_t)cfg.block_count * sizeof *blocks);
    uint32_t *arguments = tsr_arena_alloc(&l->scratch, (size_t)cfg.block_count * sizeof *arguments);
    for (int i = 0; i < cfg.block_count; i++) { /* a loop of several blocks could no longer be run lane by lane */
        blocks[i] = (struct block){.l = l, .k = k, .at = cfg.blocks[i].ref};
        arguments[i] = cfg.blocks[i].loop == TSR__NONE && read_block(&blocks[i], &shapes) ? find_arguments(&blocks[i]) : 0;
    }
    for (int i = 0; i < cfg.block_count; i++)
        if (arguments[i])
            make_copy(&blocks[i], arguments[i]);
    return true;
}
