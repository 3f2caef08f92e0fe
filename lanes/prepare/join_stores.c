/* SPDX-License-Identifier: Apache-2.0
 * Stores of numbers that lie side by side in memory, and that lanes would scatter, become stores of vectors, in kernels with matrix
 * functions: each lane's part of a matrix that lies by columns is eight rows of its column, which is one store for the lane, not eight.
 * The rows of a column behind these are in the same cache lines, so they are best stored next. */
#include "lanes/analysis/packet_support.h"
#include "lanes/analysis/polynomial.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/packet_kernel.h"

enum { WIDEST = 8, LEAST = 4 /* numbers of a vector */, BYTES = 4 /* of a number */, MOST = 128 /* stores that follow each other */ };

/* A store, and where it goes. */
struct narrow {
    LLVMValueRef store;
    struct tsr__polynomial at;
};

struct joining {
    struct tsr__compilation *l;
    struct tsr_kernel_info *info;
    const struct tsr__shapes *shapes;
    struct narrow *list; /* with nothing between them that accesses memory */
    size_t count;
};

/* Do lanes store to columns of their own, so that neighbours have no line in common? */
static bool are_columns(const struct joining *j, LLVMValueRef to)
{
    const struct tsr__shape shape = tsr__shape_of(j->shapes, to);
    return LLVMGetPointerAddressSpace(LLVMTypeOf(to)) == TSR__GLOBAL_SPACE &&
           (tsr__is_varying(shape) ||
            (shape.kind == TSR__SHAPE_AFFINE && (shape.stride <= -TSR_CACHE_LINE || shape.stride >= TSR_CACHE_LINE)));
}

static bool is_narrow(const struct joining *j, LLVMValueRef inst)
{
    if (!tsr__is_plain_store(inst))
        return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
    LLVMValueRef to = LLVMGetOperand(inst, 1);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return (kind == LLVMFloatTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8 * BYTES)) && are_columns(j, to);
}

/* Do the stores from this one on fill a vector, in any order? in_order: the store of each element. */
static bool fill_vector(const struct narrow *n, size_t count, LLVMValueRef *in_order)
{
    int64_t least = 0, at[WIDEST];
    for (size_t i = 0; i < count; i++) {
        const struct tsr__polynomial from = tsr__polynomial_minus(&n[i].at, &n->at);
        if (!from.valid || from.count || LLVMTypeOf(LLVMGetOperand(n[i].store, 0)) != LLVMTypeOf(LLVMGetOperand(n->store, 0)))
            return false;
        at[i] = from.constant;
        least = at[i] < least ? at[i] : least;
        in_order[i] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t element = (at[i] - least) / BYTES;
        if ((at[i] - least) % BYTES || element >= (int64_t)count || in_order[element])
            return false;
        in_order[element] = n[i].store;
    }
    return true;
}

/* Notes that lanes store parts of columns. */
static void note_columns(struct joining *j)
{
    j->info->column_rows = TSR_CACHE_LINE / BYTES;
}

static void join(struct joining *j, LLVMValueRef last, LLVMValueRef const *in_order, size_t count)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(last, 0));
    LLVMBuilderRef b = tsr__builder_before(j->l, last);
    note_columns(j);
    LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(type, (unsigned)count));
    tsr__explain(j->l, last, "store", "words", "%zu stores side by side are one of a vector", count);
    for (size_t i = 0; i < count; i++)
        vector = LLVMBuildInsertElement(b, vector, LLVMGetOperand(in_order[i], 0), tsr__i64(j->l, i), "");
    LLVMValueRef made = LLVMBuildStore(b, vector, LLVMGetOperand(in_order[0], 1));
    LLVMSetAlignment(made, LLVMGetAlignment(in_order[0]));
    for (size_t i = 0; i < count; i++)
        LLVMInstructionEraseFromParent(in_order[i]);
    LLVMDisposeBuilder(b);
}

static void join_list(struct joining *j)
{
    LLVMValueRef in_order[WIDEST];
    for (size_t i = 0, taken; i < j->count; i += taken) {
        taken = WIDEST;
        while (taken >= LEAST && (i + taken > j->count || !fill_vector(&j->list[i], taken, in_order)))
            taken /= 2;
        if (taken >= LEAST)
            join(j, j->list[i + taken - 1].store, in_order, taken);
        else
            taken = 1;
    }
    j->count = 0;
}

static bool is_vector_of_column(const struct joining *j, LLVMValueRef inst)
{
    return tsr__is_plain_store(inst) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LLVMVectorTypeKind &&
           are_columns(j, LLVMGetOperand(inst, 1));
}

static bool multiplies(LLVMValueRef item)
{
    for (LLVMValueRef i = tsr__first(item); i; i = tsr__next(i))
        if (tsr__is_product(i))
            return true;
    return false;
}

bool tsr__pass_join_stores(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    if (!multiplies(k->item) || !tsr__cfg_make(&cfg, k->item, &l->scratch))
        return true;
    tsr__shapes_find(&shapes, &cfg, k->packet, &l->scratch);
    struct joining j = {.l = l, .info = k->info, .shapes = &shapes, .list = tsr_arena_alloc(&l->scratch, MOST * sizeof *j.list)};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_vector_of_column(&j, code[i]))
            note_columns(&j);
        if (is_narrow(&j, code[i])) {
            if (j.count == MOST)
                join_list(&j);
            j.list[j.count++] = (struct narrow){code[i], tsr__polynomial_of(l, LLVMGetOperand(code[i], 1))};
        } else if (LLVMIsATerminatorInst(code[i]) || LLVMIsALoadInst(code[i]) || tsr__may_write(code[i]) ||
                   (LLVMIsACallInst(code[i]) && !tsr__is_pure(code[i])))
            join_list(&j);
    }
    join_list(&j);
    return true;
}
