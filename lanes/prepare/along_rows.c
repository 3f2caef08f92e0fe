/* SPDX-License-Identifier: Apache-2.0
 * Loops in which each lane goes along a row of its own, and that are faster if each lane goes by itself and vectors lie along the row:
 *
 *     for (k = 0; k < n; k++) count += s[id * n + k] == c;          for (k = 0; k < n; k++) b[id * n + k] = a[id * n + k] + 1;
 *
 * All that the loop reads and writes lies side by side from round to round, and no round waits for what another one computes, but for sums
 * of integers. The pass marks them; lanes are serialised there (widen/serial_cost.c), and LLVM's vectoriser sees the rows
 * (after/vectorise_rows.c). */
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/row_walks.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/block_loop.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/prepare/unroll.h"
#include "tessera/lanes.h"

enum {
    MOST_CODE = 40,   /* instructions of a loop */
    LEAST_ROUNDS = 32 /* that are worth vectors of LLVM's, which take several at once */
};

static bool is_number(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) >= 8;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    default:
        return false;
    }
}

/* 1: along the row; 0: of memory that all lanes share; -1: neither. */
static int place_of(struct tsr__compilation *l, const struct tsr__shapes *shapes, LLVMBasicBlockRef loop, LLVMValueRef access)
{
    struct tsr__row_walk walk;
    LLVMTypeRef type = tsr__accessed_type(access);
    if (!is_number(type) || !tsr__is_plain_access(access))
        return -1;
    if (tsr__walks_row(l, shapes, loop, access, &walk))
        return walk.step == (int64_t)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(l->module), type) ? 1 : -1;
    return LLVMIsALoadInst(access) && tsr__is_uniform(tsr__shape_of(shapes, tsr__accessed_pointer(access))) ? 0 : -1;
}

static bool is_quick(LLVMValueRef inst)
{
    static const char *const known[] = {"llvm.abs.",  "llvm.umin.", "llvm.umax.",    "llvm.smin.",   "llvm.smax.",   "llvm.fshl.",
                                        "llvm.fabs.", "llvm.fma.",  "llvm.fmuladd.", "llvm.minnum.", "llvm.maxnum.", "llvm.ctpop."};
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMFRem:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return false;
    case LLVMCall:
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (tsr__callee(inst) && tsr__starts_with(tsr__name(tsr__callee(inst)), known[i]))
                return true;
        return false;
    default:
        return LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVectorTypeKind;
    }
}

/* A counter, or a sum of integers that nothing in the loop reads. */
static bool is_sum(LLVMValueRef phi, LLVMBasicBlockRef loop)
{
    LLVMValueRef next = tsr__incoming_from(phi, loop);
    if (LLVMIsAGetElementPtrInst(next))
        return LLVMGetOperand(next, 0) == phi;
    if (!LLVMIsABinaryOperator(next) || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(next);
    bool adds = op == LLVMAdd || op == LLVMOr || op == LLVMAnd || op == LLVMXor || op == LLVMSub;
    return adds && (LLVMGetOperand(next, 0) == phi || (op != LLVMSub && LLVMGetOperand(next, 1) == phi));
}

/* ---- how many rounds ---- */

/* The comparison at the loop's end, `k + step < n`. */
struct end {
    LLVMValueRef compare, start, n;
    unsigned counter; /* which operand is `k + step` */
};

static bool find_end(const struct tsr__block_loop *loop, struct end *end)
{
    int64_t step;
    end->compare = LLVMGetCondition(LLVMGetBasicBlockTerminator(loop->block));
    for (end->counter = 0; LLVMIsAICmpInst(end->compare) && end->counter < 2; end->counter++) {
        LLVMValueRef next = LLVMGetOperand(end->compare, end->counter), phi = LLVMIsABinaryOperator(next) ? LLVMGetOperand(next, 0) : NULL;
        end->n = LLVMGetOperand(end->compare, !end->counter);
        bool is_own = !LLVMIsAInstruction(end->n) || LLVMGetInstructionParent(end->n) != loop->block;
        if (is_own && phi && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMIsAPHINode(phi) &&
            LLVMGetInstructionParent(phi) == loop->block && tsr__incoming_from(phi, loop->block) == next &&
            tsr__constant_int(LLVMGetOperand(next, 1), &step) && (step == 1 || step == -1)) {
            end->start = tsr__incoming_from(phi, loop->before);
            return true;
        }
    }
    return false;
}

static LLVMValueRef frozen(LLVMBuilderRef b, LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) ? v : LLVMBuildFreeze(b, v, "");
}

/* Before the loop: whether it goes on behind so many rounds. If a number wraps, the answer may be wrong, but either loop is right. */
static LLVMValueRef is_long(LLVMBuilderRef b, const struct tsr__block_loop *loop, const struct end *end)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(loop->block), next = LLVMGetOperand(end->compare, end->counter);
    LLVMTypeRef type = LLVMTypeOf(end->start);
    LLVMValueRef far = LLVMBuildMul(b, LLVMGetOperand(next, 1), LLVMConstInt(type, LEAST_ROUNDS, false), ""), operands[2];
    operands[end->counter] = LLVMBuildAdd(b, frozen(b, end->start), far, "");
    operands[!end->counter] = frozen(b, end->n);
    LLVMIntPredicate how = LLVMGetICmpPredicate(end->compare);
    if (how == LLVMIntEQ || how == LLVMIntNE) { /* `k + 1 != n` is k + 1 < n */
        bool goes_on = (how == LLVMIntNE) == (LLVMGetSuccessor(branch, 0) == loop->block),
             up = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1)) > 0;
        return goes_on ? LLVMBuildICmp(b, (end->counter == 0) == up ? LLVMIntSLT : LLVMIntSGT, operands[0], operands[1], "") : NULL;
    }
    LLVMValueRef made = LLVMBuildICmp(b, how, operands[0], operands[1], "");
    return LLVMGetSuccessor(branch, 0) == loop->block ? made : LLVMBuildNot(b, made, "");
}

/* ---- the loops ---- */

static bool is_row_loop(struct tsr__compilation *l, const struct tsr__shapes *shapes, int number, struct tsr__block_loop *loop)
{
    unsigned rows = 0, size = 0;
    struct end end;
    if (shapes->divergent_loop[number] || !tsr__block_loop_find(shapes->cfg, number, loop) || !loop->behind || !find_end(loop, &end))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->block); i; i = LLVMGetNextInstruction(i)) {
        bool access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
        int place = access ? place_of(l, shapes, loop->block, i) : 0;
        if (place < 0 || ++size > MOST_CODE || !is_quick(i) || (LLVMIsAPHINode(i) && !is_sum(i, loop->block)))
            return false;
        rows += place > 0;
    }
    return rows;
}

/* Short rows stay as they are, in a loop of their own. */
static void mark(struct tsr__compilation *l, LLVMBuilderRef b, struct tsr__block_loop *loop, struct tsr_arena *arena)
{
    struct end end;
    LLVMBasicBlockRef before = loop->before;
    find_end(loop, &end);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop->before));
    LLVMValueRef far = is_long(b, loop, &end);
    if (!far || (LLVMIsAConstantInt(far) && !LLVMConstIntGetZExtValue(far)))
        return;
    LLVMBasicBlockRef along = loop->block;
    if (!LLVMIsAConstantInt(far)) {
        tsr__version_loop(l, b, loop, LLVMBuildNot(b, far, ""), arena);
        along = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(before), 1);
    }
    tsr__set_loop_hint(l, LLVMGetBasicBlockTerminator(along), TSR_ALONG_ROW, 0);
}

bool tsr__pass_along_rows(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    bool apart = k->packet.width > 1 && tsr__group_visibility(l, k->item) < TSR__SEES_SUB_GROUPS;
    if (apart && tsr__cfg_make(&cfg, k->item, &arena) && cfg.loop_count) {
        struct tsr__block_loop *loops = tsr_arena_alloc(&arena, (size_t)cfg.loop_count * sizeof *loops);
        LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
        unsigned count = 0;
        tsr__shapes_find(&shapes, &cfg, k->packet, &arena);
        for (int i = 0; i < cfg.loop_count; i++)
            count += is_row_loop(l, &shapes, i, &loops[count]);
        for (unsigned i = 0; i < count; i++)
            mark(l, b, &loops[i], &arena);
        LLVMDisposeBuilder(b);
    }
    tsr_arena_free(&arena);
    return true;
}
