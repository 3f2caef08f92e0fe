/* SPDX-License-Identifier: Apache-2.0
 * Loops in which lanes walk along rows: `for (j …) s += a[id * n + j]`.
 *
 * Each round gathers one element from every lane's row, the next round its neighbour. So each lane's cache line must stay until the lane
 * has been through it. Rows whose distance is a multiple of 4 KiB, as in matrices of 1024 columns, all share one set of the first cache,
 * which has eight ways: sixteen lanes drive out each other's lines in every round. Eight lanes fill a register of AVX2, and as each gather
 * takes longer than the operations that wait for it, a second register in the packet would gain nothing. */
#include "lanes/analysis/row_walks.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/write_only.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "tessera/item.h"

enum { MAX_DEPTH = 12 };

/* A loop of one block. */
struct walk {
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef loop;
    bool exact;   /* no index wraps */
    bool in_word; /* … but for operations on 32 bits */
};

/* What is added to the value from round to round, wrapping aside; false: not a constant that is plain to see. */
static bool find_step(struct walk *w, LLVMValueRef v, enum tsr__extension extension, int depth, int64_t *step);

static bool is_word(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 32;
}

/* The value, which changes from round to round, may wrap before it is extended. */
static void note_wrapping(struct walk *w, LLVMValueRef v)
{
    w->exact = false;
    w->in_word = w->in_word && is_word(v);
}

static void note_extension(struct walk *w, LLVMValueRef v, enum tsr__extension extension)
{
    if (extension != TSR__EXT_NONE && !tsr__is_exact(v, extension))
        note_wrapping(w, v);
}

/* `for (uint k = 0; k < n; k++)` does not wrap, whatever n is. */
static bool stays_below_end(const struct walk *w, LLVMValueRef phi, LLVMValueRef next)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(w->loop), test = LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
    LLVMValueRef first = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == w->loop);
    if (!test || !LLVMIsAICmpInst(test) || !LLVMIsAConstantInt(first) || LLVMConstIntGetSExtValue(first) == -1 ||
        !tsr__is_constant(LLVMGetOperand(next, 1), 1))
        return false;
    unsigned side = LLVMGetOperand(test, 0) != next;
    LLVMValueRef limit = LLVMGetOperand(test, !side);
    return LLVMGetOperand(test, side) == next && tsr__holds_on_way(end, w->loop, side) == LLVMIntULT &&
           !(LLVMIsAInstruction(limit) && LLVMGetInstructionParent(limit) == w->loop);
}

static bool step_of_gep(struct walk *w, LLVMValueRef gep, int depth, int64_t *step)
{
    struct tsr__gep_index index;
    if (!find_step(w, LLVMGetOperand(gep, 0), TSR__EXT_NONE, depth, step))
        return false;
    for (struct tsr__gep_walk walk = tsr__gep_walk(w->layout, gep); tsr__gep_next(&walk, &index);) {
        int64_t of_index = 0;
        if (!index.is_constant && !find_step(w, index.value, index.extension, depth, &of_index))
            return false;
        *step += of_index * (index.is_constant ? 1 : index.bytes);
    }
    return true;
}

static bool step_of_phi(struct walk *w, LLVMValueRef phi, enum tsr__extension extension, int64_t *step)
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
    if (extension != TSR__EXT_ZERO || !stays_below_end(w, phi, next))
        note_extension(w, next, extension);
    return LLVMGetInstructionOpcode(next) == LLVMAdd && tsr__constant_int(LLVMGetOperand(next, 1), step);
}

static bool step_of_product(struct walk *w, LLVMValueRef v, enum tsr__extension extension, int depth, int64_t *step)
{
    int64_t other = 0, factor;
    if (!find_step(w, LLVMGetOperand(v, 0), extension, depth, step) || !find_step(w, LLVMGetOperand(v, 1), extension, depth, &other) ||
        other)
        return false;
    if (!*step)
        return true;
    if (!tsr__constant_int(LLVMGetOperand(v, 1), &factor) || factor < 0 || factor > 31)
        return false;
    *step *= LLVMGetInstructionOpcode(v) == LLVMShl ? INT64_C(1) << factor : factor;
    note_extension(w, v, extension);
    return true;
}

static bool step_of_sum(struct walk *w, LLVMValueRef v, enum tsr__extension extension, int depth, int64_t *step)
{
    int64_t other = 0;
    if (!find_step(w, LLVMGetOperand(v, 0), extension, depth, step) || !find_step(w, LLVMGetOperand(v, 1), extension, depth, &other))
        return false;
    if (!*step && !other)
        return true;
    *step += LLVMGetInstructionOpcode(v) == LLVMSub ? -other : other;
    if (LLVMGetInstructionOpcode(v) != LLVMOr)
        note_extension(w, v, extension);
    else if (!LLVMGetIsDisjoint(v))
        w->exact = w->in_word = false;
    return true;
}

static bool find_step(struct walk *w, LLVMValueRef v, enum tsr__extension extension, int depth, int64_t *step)
{
    *step = 0;
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != w->loop)
        return true;
    if (!depth)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        return step_of_phi(w, v, extension, step);
    case LLVMGetElementPtr:
        return step_of_gep(w, v, depth - 1, step);
    case LLVMTrunc:
        if (!find_step(w, LLVMGetOperand(v, 0), TSR__EXT_NONE, depth - 1, step))
            return false;
        if (*step)
            note_wrapping(w, v);
        return true;
    case LLVMSExt:
        return find_step(w, LLVMGetOperand(v, 0), TSR__EXT_SIGNED, depth - 1, step);
    case LLVMZExt:
        return find_step(w, LLVMGetOperand(v, 0), TSR__EXT_ZERO, depth - 1, step);
    case LLVMAdd:
    case LLVMOr: /* of bits that are not there */
    case LLVMSub:
        return step_of_sum(w, v, extension, depth - 1, step);
    case LLVMMul:
    case LLVMShl:
        return step_of_product(w, v, extension, depth - 1, step);
    default:
        return false;
    }
}

/* The parameter whose memory the address would leave, if that is small, before an index of 32 bits wraps; -1: there is none. The pointer is
 * the parameter and one such index, and constants: if it wraps within the next rounds, it is close to 2^32, or 2^31 if it is signed. */
static int parameter_within(const struct walk *w, LLVMValueRef pointer)
{
    const int64_t most = (int64_t)TSR_SMALL_MEMORY / 2;
    struct tsr__gep_index index, variable = {0};
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0))
        for (struct tsr__gep_walk walk = tsr__gep_walk(w->layout, pointer); tsr__gep_next(&walk, &index);) {
            if (index.is_constant ? index.offset > most || index.offset < -most : variable.value != NULL)
                return -1;
            variable = index.is_constant ? variable : index;
        }
    LLVMValueRef v = variable.value;
    bool is_zero = v && LLVMIsAZExtInst(v), is_signed = v && LLVMIsASExtInst(v);
    bool fits = w->in_word && LLVMIsAArgument(pointer) && (is_zero || is_signed) && is_word(LLVMGetOperand(v, 0)) &&
                variable.bytes >= 1 + is_signed;
    int parameter = fits ? tsr__parameter_of(pointer) : -1;
    return parameter < TSR_SIZED_ARGUMENTS ? parameter : -1;
}

bool tsr__walks_row(struct tsr__compilation *l, const struct tsr__shapes *shapes, LLVMBasicBlockRef loop, LLVMValueRef access,
                    struct tsr__row_walk *walk)
{
    struct walk w = {LLVMGetModuleDataLayout(l->module), loop, true, true};
    LLVMValueRef pointer = tsr__accessed_pointer(access);
    struct tsr__shape shape = tsr__shape_of(shapes, pointer);
    int64_t far = TSR__ROW_STEP;
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == TSR__PRIVATE_SPACE ||
        (!tsr__is_varying(shape) && shape.stride < far && shape.stride > -far) ||
        !find_step(&w, pointer, TSR__EXT_NONE, MAX_DEPTH, &walk->step))
        return false;
    walk->exact = w.exact;
    walk->within = w.exact ? -1 : parameter_within(&w, pointer);
    return walk->step && walk->step <= TSR__ROW_STEP && walk->step >= -TSR__ROW_STEP;
}

bool tsr__has_row_walks(struct tsr__compilation *l, const struct tsr__shapes *shapes)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    for (int i = 0; i < cfg->loop_count; i++) {
        const struct tsr__loop *loop = &cfg->loops[i];
        LLVMBasicBlockRef block = cfg->blocks[loop->header].ref;
        struct tsr__row_walk walk;
        if (loop->end - loop->begin != 1 || shapes->divergent_loop[i])
            continue;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
            if ((LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) && tsr__walks_row(l, shapes, block, inst, &walk))
                return true;
    }
    return false;
}
