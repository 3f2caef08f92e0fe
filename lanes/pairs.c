/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose sub-groups work in pairs: a packet is a pair, with a sub-group in each half.
 *
 * Split matrix functions join the sub-groups 2j and 2j + 1. In one packet they meet without waiting, and what they make together is one
 * operation as wide as the packet (matrix.c). Sub-group functions keep to their halves. */
#include "pairs.h"

#include <string.h>

#include "matrix.h"

bool tsr__works_in_pairs(struct tsr__lanes *l, LLVMValueRef kernel)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, kernel, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        const struct tsr_matrix_builtin *f = callee ? tsr__mad_overload(l, callee) : NULL;
        if (f && f->form == TSR_MATRIX_SPLIT)
            return true;
    }
    return false;
}

/* ---- ids: what a work-item knows of its sub-group follows from its linear id --------------------------------------------------------- */

struct ids {
    struct tsr__lanes *l;
    LLVMBuilderRef b;
    uint32_t size; /* of a sub-group, a power of two */
};

static LLVMValueRef query(struct ids *q, const char *name, LLVMTypeRef result, int dim)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(q->l->context), type = LLVMFunctionType(result, &i32, dim >= 0, false);
    LLVMValueRef at = tsr__i32(q->l, (uint32_t)dim);
    return LLVMBuildCall2(q->b, type, tsr__declare(q->l, name, type), &at, dim >= 0, "");
}

static LLVMValueRef linear_id(struct ids *q)
{
    return query(q, "__tsr_linear_id", LLVMInt32TypeInContext(q->l->context), -1);
}

static LLVMValueRef work_items(struct ids *q, const char *size)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(q->l->context);
    LLVMValueRef all = query(q, size, i64, 0);
    for (int d = 1; d < 3; d++)
        all = LLVMBuildMul(q->b, all, query(q, size, i64, d), "");
    return LLVMBuildTrunc(q->b, all, LLVMInt32TypeInContext(q->l->context), "");
}

static LLVMValueRef divided(struct ids *q, LLVMValueRef x)
{
    return LLVMBuildLShr(q->b, x, tsr__i32(q->l, (uint32_t)__builtin_ctz(q->size)), "");
}

static LLVMValueRef lane(struct ids *q)
{
    return LLVMBuildAnd(q->b, linear_id(q), tsr__i32(q->l, q->size - 1), "");
}

static LLVMValueRef sub_group_id(struct ids *q)
{
    return divided(q, linear_id(q));
}

/* The last one may be smaller. */
static LLVMValueRef sub_group_size(struct ids *q)
{
    LLVMValueRef first = LLVMBuildAnd(q->b, linear_id(q), tsr__i32(q->l, ~(q->size - 1)), "");
    LLVMValueRef left = LLVMBuildSub(q->b, work_items(q, "__tsr_local_size"), first, ""), most = tsr__i32(q->l, q->size);
    return LLVMBuildSelect(q->b, LLVMBuildICmp(q->b, LLVMIntULT, left, most, ""), left, most, "");
}

static LLVMValueRef sub_groups_of(struct ids *q, const char *size)
{
    return divided(q, LLVMBuildAdd(q->b, work_items(q, size), tsr__i32(q->l, q->size - 1), ""));
}

static LLVMValueRef num_sub_groups(struct ids *q)
{
    return sub_groups_of(q, "__tsr_local_size");
}

static LLVMValueRef enqueued_num_sub_groups(struct ids *q)
{
    return sub_groups_of(q, "__tsr_enqueued_local_size");
}

void tsr__pair_ids(struct tsr__lanes *l, LLVMValueRef kernel, uint32_t sub_group_size_of_kernel)
{
    static const struct {
        const char *name;
        LLVMValueRef (*build)(struct ids *q);
    } own[] = {
        {"__tsr_lane", lane},
        {"__tsr_sub_group_id", sub_group_id},
        {"__tsr_sub_group_size", sub_group_size},
        {"__tsr_num_sub_groups", num_sub_groups},
        {"__tsr_enqueued_num_sub_groups", enqueued_num_sub_groups},
    };
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, kernel, &n);
    struct ids q = {.l = l, .size = sub_group_size_of_kernel};
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        for (size_t k = 0; callee && k < TSR_ARRAY_LEN(own); k++) {
            if (strcmp(tsr__name(callee), own[k].name) != 0)
                continue;
            q.b = tsr__builder_before(l, code[i]);
            LLVMReplaceAllUsesWith(code[i], own[k].build(&q));
            LLVMDisposeBuilder(q.b);
            LLVMInstructionEraseFromParent(code[i]);
            break;
        }
    }
}

/* ---- values of a packet of two sub-groups ---------------------------------------------------------------------------------------------
 */

LLVMValueRef tsr__by_half(struct tsr__simd *s, const LLVMValueRef *scalars)
{
    LLVMValueRef from[64], both = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalars[0]), 2));
    for (unsigned h = 0; h < 2; h++)
        both = LLVMBuildInsertElement(s->b, both, scalars[h], tsr__i32(s->l, h), "");
    for (unsigned i = 0; i < s->width; i++)
        from[i] = tsr__i32(s->l, i >= s->sub_group);
    return LLVMBuildShuffleVector(s->b, both, LLVMGetPoison(LLVMTypeOf(both)), LLVMConstVector(from, s->width), "");
}

LLVMValueRef tsr__joined_halves(struct tsr__simd *s, LLVMValueRef first, LLVMValueRef second)
{
    LLVMValueRef from[64];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = tsr__i32(s->l, i);
    return LLVMBuildShuffleVector(s->b, first, second, LLVMConstVector(from, s->width), "");
}

LLVMValueRef tsr__half(struct tsr__simd *s, LLVMValueRef x, unsigned half)
{
    LLVMValueRef from[64];
    for (unsigned i = 0; i < s->sub_group; i++)
        from[i] = tsr__i32(s->l, half * s->sub_group + i);
    return LLVMBuildShuffleVector(s->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(from, s->sub_group), "");
}
