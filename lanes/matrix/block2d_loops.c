/* SPDX-License-Identifier: Apache-2.0
 * A second way through loops over K whose products take their operands from 2D blocks.
 *
 * The device runs a whole loop together with those of other work-groups (tiles/tile_loops.c) if the loop is one basic block whose
 * operands are rows of tiles in memory. Reads of 2D blocks have a way of their own for blocks that cross an edge of their matrix, so they
 * are several basic blocks. So such a loop, with all that follows up to the end of the packet, is made twice. One is lowered as any
 * other code (lower_block2d.c). In the other one reads are plain loads, whatever lies where; a placeholder says of each address in which
 * matrix it is. The pass `tiles` keeps this one only if the device gets all of its products: the device looks for edges itself. */
#include <string.h>

#include "lanes/ir/blocks.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/block2d.h"
#include "lanes/prepare/unroll.h"

enum { MOST_BLOCKS = 512, MOST_INSTRUCTIONS = 16384 }; /* that are made twice; comparisons around all stores of 32 x 64 are 256 blocks */

struct copy {
    struct tsr__compilation *l;
    LLVMValueRef function;
    LLVMBuilderRef b;
    LLVMBasicBlockRef loop, end;           /* `end`: where the packet ends */
    LLVMBasicBlockRef first, before;       /* where the blocks begin, and the one block from which they are entered */
    LLVMBasicBlockRef blocks[MOST_BLOCKS]; /* the loop, those around it, and what follows up to `end` */
    size_t count, instructions;
    struct tsr__map number; /* block → number + 1 */
    struct tsr__map copies; /* block or instruction → its copy */
};

/* ---- placeholders ---- */

static LLVMValueRef build_place(struct tsr__blocks2d *o, const struct tsr__block2d_region *r)
{
    LLVMTypeRef ptr = LLVMTypeOf(r->base), i64 = LLVMInt64TypeInContext(o->l->context),
                types[] = {[TSR__PLACE_ADDRESS] = ptr, [TSR__PLACE_BASE] = ptr, [TSR__PLACE_WIDTH] = i64, [TSR__PLACE_HEIGHT] = i64,
                           [TSR__PLACE_PITCH] = i64,   [TSR__PLACE_X] = i64,    [TSR__PLACE_Y] = i64};
    LLVMValueRef args[] = {[TSR__PLACE_ADDRESS] = tsr__block2d_row(o, r->base, r->pitch, r->y, r->x),
                           [TSR__PLACE_BASE] = r->base,
                           [TSR__PLACE_WIDTH] = r->width,
                           [TSR__PLACE_HEIGHT] = r->height,
                           [TSR__PLACE_PITCH] = r->pitch,
                           [TSR__PLACE_X] = r->x,
                           [TSR__PLACE_Y] = r->y};
    LLVMTypeRef type = LLVMFunctionType(ptr, types, TSR_ARRAY_LEN(types), false);
    LLVMValueRef f = tsr__declare_pure(o->l, TSR__BLOCK2D_PLACE, type);
    return LLVMBuildCall2(o->b, type, f, args, TSR_ARRAY_LEN(args), "");
}

/* ---- which loops ---- */

/* Is the value, or what the loop computes of it, A or B of products, and nothing else? */
static bool is_operand_only(LLVMValueRef v, struct tsr__map *seen)
{
    struct tsr__mad mad;
    if (!tsr__map_add(seen, v))
        return true;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool other_form =
            LLVMGetInstructionParent(user) == LLVMGetInstructionParent(v) && (tsr__is_pure(user) || tsr__nibbles_of(user, NULL));
        if (other_form ? !is_operand_only(user, seen) : !tsr__mad_read(user, &mad))
            return false;
        for (unsigned i = 0; !other_form && i < mad.f->m; i++)
            if (tsr__mad_c(&mad, i) == v)
                return false;
    }
    return true;
}

static bool gives_operands(struct tsr__compilation *l, LLVMValueRef read)
{
    struct tsr__map seen = {.arena = &l->scratch};
    LLVMTypeRef value = LLVMStructGetTypeAtIndex(LLVMTypeOf(read), 0);
    if (LLVMGetTypeKind(value) != LLVMVectorTypeKind || LLVMGetVectorSize(value) != TSR_BLOCK2D_LANES)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(read); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAExtractValueInst(user) || LLVMGetInstructionParent(user) != LLVMGetInstructionParent(read) ||
            !is_operand_only(user, &seen))
            return false;
    }
    return true;
}

static bool is_candidate(struct tsr__compilation *l, enum tsr__tile_unit unit, LLVMBasicBlockRef loop)
{
    bool reads = false, multiplies = false;
    if (!tsr__exit_of_loop(loop))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad mad;
        bool read = tsr__is_block2d_operation(i, "read");
        multiplies = multiplies || (tsr__mad_read(i, &mad) && tsr__tile_product(l, unit, mad.f));
        reads = reads || read;
        if (tsr__stores_or_orders(i) || tsr__is_block2d_operation(i, "write") || (read && !gives_operands(l, i)))
            return false;
    }
    return reads && multiplies;
}

/* ---- what is made twice ---- */

static bool has_products(LLVMBasicBlockRef block)
{
    struct tsr__mad mad;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (tsr__mad_read(i, &mad))
            return true;
    return false;
}

/* Adds the block and what follows up to the packet's end. False: it is too much, or there are more products, or the packet does not end
 * behind it. */
static bool add_blocks(struct copy *x, LLVMBasicBlockRef block)
{
    LLVMValueRef end = tsr__packet_mark_in(block, TSR__PACKET_ENDS);
    if (block == x->end || tsr__map_get(&x->number, block))
        return true;
    if (end && LLVMGetFirstInstruction(block) == end) {
        bool first = !x->end;
        x->end = block;
        return first;
    }
    if (end) {
        return add_blocks(x, tsr__split_block(x->l, block, end));
    }
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        x->instructions++;
    if (x->count == MOST_BLOCKS || x->instructions > MOST_INSTRUCTIONS || !LLVMIsABranchInst(last) ||
        (block != x->loop && has_products(block)))
        return false;
    x->blocks[x->count++] = block;
    tsr__map_set(&x->number, block, x->count);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        if (!add_blocks(x, LLVMGetSuccessor(last, i)))
            return false;
    return true;
}

/* The blocks from which the packet can still come to the loop: the loop, and those of loops around it. */
static void find_around(const struct copy *x, struct tsr__map *around)
{
    tsr__map_set(around, x->loop, 1);
    for (bool any = true; any;) {
        any = false;
        for (size_t n = 0; n < x->count; n++) {
            LLVMValueRef last = LLVMGetBasicBlockTerminator(x->blocks[n]);
            for (unsigned i = 0; i < LLVMGetNumSuccessors(last) && !tsr__map_get(around, x->blocks[n]); i++)
                if (tsr__map_get(around, LLVMGetSuccessor(last, i))) {
                    tsr__map_set(around, x->blocks[n], 1);
                    any = true;
                }
        }
    }
}

/* Finds where these are entered; ways from elsewhere to what follows the loop lead to no copy. False: in several places, or not from a
 * block that leads nowhere else. */
static bool find_entry(struct copy *x)
{
    struct tsr__map around = {.arena = &x->l->scratch};
    find_around(x, &around);
    x->first = x->before = NULL;
    for (size_t n = 0; n < x->count; n++)
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(x->blocks[n])); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!tsr__map_get(&around, x->blocks[n]) || !LLVMIsATerminatorInst(user) ||
                tsr__map_get(&x->number, LLVMGetInstructionParent(user)))
                continue;
            if (x->first || LLVMGetNumSuccessors(user) != 1)
                return false;
            x->first = x->blocks[n];
            x->before = LLVMGetInstructionParent(user);
        }
    return x->first;
}

/* Does nothing outside use a value of these blocks? */
static bool are_closed(const struct copy *x)
{
    for (size_t n = 0; n < x->count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(x->blocks[n]); i; i = LLVMGetNextInstruction(i))
            for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
                if (!tsr__map_get(&x->number, LLVMGetInstructionParent(LLVMGetUser(use))))
                    return false;
    return true;
}

/* ---- the copy ---- */

static void lower_read(struct copy *x, LLVMValueRef read)
{
    struct tsr__blocks2d o = {.l = x->l, .b = x->b, .whole_words = true};
    struct tsr__block2d_area area = {.call = read};
    struct tsr__block2d_read part = {.call = read, .area = &area};
    LLVMTypeRef all = LLVMTypeOf(read);
    unsigned count = LLVMCountStructElementTypes(all);
    LLVMValueRef *values = tsr_arena_alloc(&x->l->scratch, count * sizeof *values);
    LLVMPositionBuilderBefore(x->b, read);
    area.region = tsr__block2d_region_of_read(&o, read);
    area.first = build_place(&o, &area.region);
    area.pitch = area.region.pitch;
    tsr__block2d_values(&o, &part, LLVMStructGetTypeAtIndex(all, 0), count, values);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(read)) != NULL;) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(user, values[*LLVMGetIndices(user)]);
        LLVMInstructionEraseFromParent(user);
    }
    LLVMInstructionEraseFromParent(read);
}

static void lower_reads(struct copy *x, LLVMBasicBlockRef loop)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (tsr__is_block2d_operation(i, "prefetch"))
            LLVMInstructionEraseFromParent(i);
        if (!tsr__is_block2d_operation(i, "read"))
            continue;
        while (LLVMIsAExtractValueInst(next) && LLVMGetOperand(next, 0) == i) /* erased with the read */
            next = LLVMGetNextInstruction(next);
        lower_read(x, i);
    }
}

/* Which of the two runs is known once the pass `tiles` has looked at the copy. */
static void choose_way(struct copy *x, unsigned number)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->l->context), type = LLVMFunctionType(LLVMInt1TypeInContext(x->l->context), &i32, 1, false);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(x->before), args[] = {tsr__i32(x->l, number)};
    LLVMPositionBuilderBefore(x->b, end);
    LLVMValueRef shares = LLVMBuildCall2(x->b, type, tsr__declare_pure(x->l, TSR__BLOCK2D_SHARES, type), args, 1, "");
    LLVMBuildCondBr(x->b, shares, tsr__copy_of_block(&x->copies, x->first), x->first);
    LLVMInstructionEraseFromParent(end);
}

static void make_copy(struct copy *x, unsigned number)
{
    LLVMContextRef c = x->l->context;
    tsr__copy_blocks(x->l, x->blocks, x->count, x->first, NULL, "", &x->copies);
    choose_way(x, number);
    lower_reads(x, tsr__copy_of_block(&x->copies, x->loop));
    LLVMValueRef latch = LLVMGetBasicBlockTerminator(tsr__copy_of_block(&x->copies, x->loop));
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(c, "llvm.loop", 9), NULL);
    tsr__set_loop_hint(x->l, latch, "llvm.loop.unroll.disable", 0);
}

bool tsr__block2d_loops(struct tsr__compilation *l, LLVMValueRef function)
{
    const enum tsr__tile_unit unit = tsr__tile_unit_of(l, function);
    unsigned made = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        if (!is_candidate(l, unit, b))
            continue;
        struct copy x = {.l = l, .function = function, .b = LLVMCreateBuilderInContext(l->context), .loop = b};
        x.number.arena = x.copies.arena = &l->scratch;
        if (add_blocks(&x, b) && x.end && find_entry(&x) && are_closed(&x))
            make_copy(&x, ++made);
        LLVMDisposeBuilder(x.b);
    }
    return made;
}
