/* SPDX-License-Identifier: Apache-2.0
 * Reductions over all lanes of several vectors by the same operation, as of the rows of a block of scores, halve these vectors together.
 *
 * A reduction adds, or compares, the lower and the upper half of a vector until one element is left (widen/reduce_scan.c), and has few
 * elements in a register for most of that. Here the halves of two vectors meet in one register at each step, so that eight reductions of
 * sixteen lanes take eight operations in place of 32. Each element is combined with the same others, in the same order. */
#include "lanes/ir/explain.h"
#include "lanes/ir/ir.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { MOST_LANES = 64, REGISTER_PART = 16 /* bytes within which shuffles are cheap */ };

struct reduction {
    LLVMValueRef input, result; /* <n x T>, and the last operation, <1 x T> */
    unsigned lanes, input_at, result_at;
};

struct joining {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    struct tsr__map at; /* instruction of the block → its number, from 1 on */
};

/* Vectors that hold `rows` reductions, each with as many elements in a row. */
struct joint {
    LLVMValueRef v;
    unsigned rows, row[MOST_LANES]; /* which reduction each run of elements belongs to */
};

/* ---- what a reduction is ---- */

/* The halves' operation: a binary operator, or an intrinsic of two operands. */
static bool is_operation(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || (tsr__callee(v) && LLVMGetIntrinsicID(tsr__callee(v)) && LLVMGetNumArgOperands(v) == 2);
}

static bool same_operation(LLVMValueRef v, LLVMValueRef w)
{
    if (LLVMGetInstructionOpcode(v) != LLVMGetInstructionOpcode(w) ||
        LLVMGetElementType(LLVMTypeOf(v)) != LLVMGetElementType(LLVMTypeOf(w)))
        return false;
    if (LLVMIsACallInst(v) && LLVMGetIntrinsicID(tsr__callee(v)) != LLVMGetIntrinsicID(tsr__callee(w)))
        return false;
    return !LLVMCanValueUseFastMathFlags(v) || LLVMGetFastMathFlags(v) == LLVMGetFastMathFlags(w);
}

/* The vector twice as long of which `v` is elements `first` to `first + count - 1`, or NULL. */
static LLVMValueRef half_of(LLVMValueRef v, unsigned first, unsigned count)
{
    const bool is = tsr__picks_every(v, first, 1) && LLVMGetNumMaskElements(v) == count &&
                    LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0))) == 2 * count;
    return is ? LLVMGetOperand(v, 0) : NULL;
}

static bool has_two_uses(LLVMValueRef v)
{
    LLVMUseRef first = LLVMGetFirstUse(v), second = first ? LLVMGetNextUse(first) : NULL;
    return second && !LLVMGetNextUse(second);
}

/* The vector whose halves the operation combines; NULL: it does something else. */
static LLVMValueRef halved(LLVMValueRef v)
{
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMValueRef lower = half_of(LLVMGetOperand(v, 0), 0, count), upper = half_of(LLVMGetOperand(v, 1), count, count);
    bool alone = tsr__only_user(LLVMGetOperand(v, 0)) && tsr__only_user(LLVMGetOperand(v, 1));
    return alone && lower == upper ? lower : NULL;
}

static bool is_vector_operation(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind && is_operation(v);
}

static unsigned number_of(const struct joining *j, LLVMValueRef v, LLVMBasicBlockRef block)
{
    return tsr__is_in_block(v, block) ? (unsigned)tsr__map_get(&j->at, v) : 0;
}

/* The reduction that ends with `v`. */
static bool find_reduction(const struct joining *j, LLVMValueRef v, struct reduction *r)
{
    if (!is_vector_operation(v) || LLVMGetVectorSize(LLVMTypeOf(v)) != 1 || !LLVMGetFirstUse(v))
        return false;
    LLVMValueRef x = halved(v), before = x;
    while (before && is_vector_operation(x) && same_operation(x, v) && has_two_uses(x) && (before = halved(x)))
        x = before;
    if (!x)
        return false;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(v);
    *r = (struct reduction){.input = x, .result = v, .lanes = LLVMGetVectorSize(LLVMTypeOf(x))};
    r->input_at = number_of(j, x, block);
    r->result_at = number_of(j, v, block);
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(x)));
    return r->lanes >= 4 && r->lanes <= MOST_LANES &&
           (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMIntegerTypeKind);
}

/* ---- joint steps ---- */

static LLVMValueRef apply(struct joining *j, LLVMValueRef like, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef made;
    if (LLVMIsACallInst(like)) {
        LLVMTypeRef type = LLVMTypeOf(a);
        unsigned id = LLVMGetIntrinsicID(tsr__callee(like));
        made = LLVMBuildCall2(j->b, LLVMIntrinsicGetType(j->l->context, id, &type, 1),
                              LLVMGetIntrinsicDeclaration(j->l->module, id, &type, 1), (LLVMValueRef[]){a, b}, 2, "");
    } else
        made = LLVMBuildBinOp(j->b, LLVMGetInstructionOpcode(like), a, b, "");
    if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(like))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(like));
    return made;
}

/* Two vectors become one with the rows of both. Runs that fill a part of a register follow each other; of smaller ones each part has those
 * of x and then those of y, so that no shuffle crosses parts. */
static struct joint join_pair(struct joining *j, const struct reduction *like, const struct joint *x, const struct joint *y)
{
    const unsigned lanes = like->lanes, run = lanes / x->rows, half = run / 2;
    const unsigned bytes = (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(j->l->module), LLVMGetElementType(LLVMTypeOf(like->input)));
    const unsigned part = run * bytes > REGISTER_PART || lanes * bytes < REGISTER_PART ? lanes : REGISTER_PART / bytes;
    const unsigned in_part = part / run; /* rows */
    struct joint made = {.rows = 2 * x->rows};
    unsigned from[2][MOST_LANES], n = 0;
    for (unsigned p = 0; p < lanes / part; p++)
        for (unsigned which = 0; which < 2; which++)
            for (unsigned i = 0; i < in_part; i++, n++) {
                made.row[n] = (which ? y : x)->row[p * in_part + i];
                for (unsigned k = 0; k < run; k++)
                    from[k >= half][n * half + k % half] = which * lanes + (p * in_part + i) * run + k;
            }
    made.v = apply(j, like->result, tsr__pick_elements(j->l, j->b, x->v, y->v, from[0], lanes),
                   tsr__pick_elements(j->l, j->b, x->v, y->v, from[1], lanes));
    return made;
}

/* The last steps, within one vector: its halves, run by run; the last one sorts the rows. */
static LLVMValueRef finish(struct joining *j, const struct reduction *like, const struct joint *all)
{
    LLVMValueRef v = all->v;
    for (unsigned run = like->lanes / all->rows; run > 1; run /= 2) {
        unsigned from[2][MOST_LANES];
        for (unsigned i = 0; i < all->rows; i++) {
            const unsigned to = run == 2 ? all->row[i] : i;
            for (unsigned k = 0; k < run; k++)
                from[k >= run / 2][to * (run / 2) + k % (run / 2)] = i * run + k;
        }
        const unsigned count = all->rows * run / 2;
        v = apply(j, like->result, tsr__pick_elements(j->l, j->b, v, NULL, from[0], count),
                  tsr__pick_elements(j->l, j->b, v, NULL, from[1], count));
    }
    return v;
}

/* Sorts rows where no step within a vector did. */
static LLVMValueRef sorted(struct joining *j, const struct reduction *like, const struct joint *all, LLVMValueRef v)
{
    unsigned from[MOST_LANES];
    if (all->rows < like->lanes)
        return v;
    for (unsigned i = 0; i < all->rows; i++)
        from[all->row[i]] = i;
    return tsr__pick_elements(j->l, j->b, v, NULL, from, all->rows);
}

/* Joins `count` reductions, a power of two, whose inputs are all there where the first one ends. */
static void join(struct joining *j, const struct reduction *const *r, unsigned count)
{
    struct joint all[MOST_LANES];
    LLVMPositionBuilderBefore(j->b, r[0]->result);
    for (unsigned i = 0; i < count; i++)
        all[i] = (struct joint){.v = r[i]->input, .rows = 1, .row = {i}};
    for (unsigned n = count; n > 1; n /= 2)
        for (unsigned i = 0; i < n / 2; i++)
            all[i] = join_pair(j, r[0], &all[2 * i], &all[2 * i + 1]);
    LLVMValueRef v = sorted(j, r[0], &all[0], finish(j, r[0], &all[0]));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef own = tsr__pick_elements(j->l, j->b, v, NULL, &i, 1);
        LLVMReplaceAllUsesWith(r[i]->result, own);
    }
}

/* ---- the pass ---- */

static unsigned power_of_two(unsigned count)
{
    while (count & (count - 1))
        count &= count - 1;
    return count;
}

/* Joins the reduction with later ones that are like it; those are marked as done by a NULL. */
static void join_with_others(struct joining *j, struct reduction **all, size_t count)
{
    const struct reduction *group[MOST_LANES];
    size_t place[MOST_LANES];
    unsigned n = 0;
    for (size_t i = 0; i < count && n < all[0]->lanes; i++)
        if (all[i] && all[i]->lanes == all[0]->lanes && same_operation(all[i]->result, all[0]->result) &&
            all[i]->input_at < all[0]->result_at) {
            place[n] = i;
            group[n++] = all[i];
        }
    n = power_of_two(n);
    if (n < 2)
        return;
    tsr__explain(j->l, all[0]->result, "reduction", "joint", "%u reductions of %u lanes halve their vectors together", n, all[0]->lanes);
    join(j, group, n);
    for (unsigned i = 0; i < n; i++)
        all[place[i]] = NULL;
}

static void join_in_block(struct joining *j, LLVMBasicBlockRef block)
{
    size_t count = 0, reductions = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        tsr__map_set(&j->at, i, ++count);
    struct reduction **all = tsr_arena_alloc(&j->l->scratch, (count + 1) * sizeof *all), found;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (find_reduction(j, i, &found)) {
            all[reductions] = tsr_arena_alloc(&j->l->scratch, sizeof found);
            *all[reductions++] = found;
        }
    for (size_t i = 0; i + 1 < reductions; i++)
        if (all[i])
            join_with_others(j, all + i, reductions - i);
}

bool tsr__pass_join_reductions(struct tsr__compilation *l, LLVMValueRef function)
{
    struct joining j = {.l = l, .b = LLVMCreateBuilderInContext(l->context), .at = {.arena = &l->scratch}};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        join_in_block(&j, block);
    LLVMDisposeBuilder(j.b);
    return tsr__run_llvm_on(l, function, "dce");
}
