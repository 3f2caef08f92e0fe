/* SPDX-License-Identifier: Apache-2.0
 * Loops in which lanes walk along rows: `for (j …) s += a[id * n + j]`.
 *
 * Each round gathers one element from every lane's row, the next round its neighbour. So each lane's cache line must stay until the lane
 * has been through it. Rows whose distance is a multiple of 4 KiB, as in matrices of 1024 columns, all share one set of the first cache,
 * which has eight ways: sixteen lanes drive out each other's lines in every round. Eight lanes fill a register of AVX2, and as each gather
 * takes longer than the operations that wait for it, a second register in the packet would gain nothing. */
#include "lanes/analysis/row_walks.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

enum { MAX_DEPTH = 12 };

/* A loop of one block. */
struct walk {
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef loop;
};

/* What is added to the value from round to round, wrapping aside; false: not a constant that is plain to see. */
static bool find_step(const struct walk *w, LLVMValueRef v, int depth, int64_t *step);

static bool step_of_gep(const struct walk *w, LLVMValueRef gep, int depth, int64_t *step)
{
    struct tsr__gep_index index;
    if (!find_step(w, LLVMGetOperand(gep, 0), depth, step))
        return false;
    for (struct tsr__gep_walk walk = tsr__gep_walk(w->layout, gep); tsr__gep_next(&walk, &index);) {
        int64_t of_index = 0;
        if (!index.is_constant && !find_step(w, index.value, depth, &of_index))
            return false;
        *step += of_index * (index.is_constant ? 1 : index.bytes);
    }
    return true;
}

static bool step_of_phi(const struct walk *w, LLVMValueRef phi, int64_t *step)
{
    LLVMValueRef next = tsr__incoming_from(phi, w->loop);
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionParent(next) != w->loop || LLVMGetOperand(next, 0) != phi)
        return false;
    if (LLVMIsAGetElementPtrInst(next)) {
        struct tsr__gep_index index;
        struct tsr__gep_walk walk = tsr__gep_walk(w->layout, next);
        bool one = tsr__gep_next(&walk, &index) && index.is_constant;
        *step = one ? index.offset : 0;
        return one && !tsr__gep_next(&walk, &index);
    }
    return LLVMGetInstructionOpcode(next) == LLVMAdd && tsr__constant_int(LLVMGetOperand(next, 1), step);
}

static bool find_step(const struct walk *w, LLVMValueRef v, int depth, int64_t *step)
{
    int64_t other = 0, factor;
    *step = 0;
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != w->loop)
        return true;
    if (!depth)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        return step_of_phi(w, v, step);
    case LLVMGetElementPtr:
        return step_of_gep(w, v, depth - 1, step);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        return find_step(w, LLVMGetOperand(v, 0), depth - 1, step);
    case LLVMAdd:
    case LLVMOr: /* of bits that are not there */
    case LLVMSub:
        if (!find_step(w, LLVMGetOperand(v, 0), depth - 1, step) || !find_step(w, LLVMGetOperand(v, 1), depth - 1, &other))
            return false;
        *step += LLVMGetInstructionOpcode(v) == LLVMSub ? -other : other;
        return true;
    case LLVMMul:
    case LLVMShl:
        if (!find_step(w, LLVMGetOperand(v, 0), depth - 1, step) || !find_step(w, LLVMGetOperand(v, 1), depth - 1, &other) || other)
            return false;
        if (!*step)
            return true;
        if (!tsr__constant_int(LLVMGetOperand(v, 1), &factor) || factor < 0 || factor > 31)
            return false;
        *step *= LLVMGetInstructionOpcode(v) == LLVMShl ? INT64_C(1) << factor : factor;
        return true;
    default:
        return false;
    }
}

/* Does each lane go along a row of its own, staying in a cache line for some rounds? */
static bool walks_row(const struct walk *w, const struct tsr__shapes *shapes, LLVMValueRef inst)
{
    int64_t step;
    LLVMValueRef pointer = LLVMGetOperand(inst, LLVMIsALoadInst(inst) ? 0 : 1);
    struct tsr__shape shape = tsr__shape_of(shapes, pointer);
    int64_t far = TSR__ROW_STEP;
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == TSR__PRIVATE_SPACE ||
        (!tsr__is_varying(shape) && shape.stride < far && shape.stride > -far))
        return false;
    return find_step(w, pointer, MAX_DEPTH, &step) && step && step <= TSR__ROW_STEP && step >= -TSR__ROW_STEP;
}

bool tsr__has_row_walks(struct tsr__compilation *l, const struct tsr__shapes *shapes)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    for (int i = 0; i < cfg->loop_count; i++) {
        const struct tsr__loop *loop = &cfg->loops[i];
        struct walk walk = {LLVMGetModuleDataLayout(l->module), cfg->blocks[loop->header].ref};
        if (loop->end - loop->begin != 1 || shapes->divergent_loop[i])
            continue;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(walk.loop); inst; inst = LLVMGetNextInstruction(inst))
            if ((LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) && walks_row(&walk, shapes, inst))
                return true;
    }
    return false;
}
