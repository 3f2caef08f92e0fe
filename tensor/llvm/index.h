/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic on sizes and indices, which are i64 and do not overflow. A size that is known is a constant. */
#ifndef TESSERA_TENSOR_LLVM_INDEX_H
#define TESSERA_TENSOR_LLVM_INDEX_H

#include "tensor/llvm/emit.h"

static inline LLVMValueRef add(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWAdd(e->builder, a, b, "");
}

static inline LLVMValueRef plus(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b ? add(e, a, tsr__te_i64(e, b)) : a;
}

static inline LLVMValueRef minus(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWSub(e->builder, a, b, "");
}

static inline LLVMValueRef mul(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWMul(e->builder, a, b, "");
}

static inline LLVMValueRef times(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b == 1 ? a : mul(e, a, tsr__te_i64(e, b));
}

static inline LLVMValueRef divided(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b == 1 ? a : LLVMBuildUDiv(e->builder, a, tsr__te_i64(e, b), "");
}

/* The largest multiple of `unit` that is not above the size. */
static inline LLVMValueRef round_down(struct tsr__te *e, LLVMValueRef size, uint32_t unit)
{
    return times(e, LLVMBuildSDiv(e->builder, size, tsr__te_i64(e, unit), ""), unit);
}

static inline uint32_t round_up(uint32_t size, uint32_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static inline LLVMValueRef less(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->builder, LLVMIntSLT, a, b, "");
}

static inline LLVMValueRef at_most(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->builder, LLVMIntSLE, a, b, "");
}

static inline LLVMValueRef both(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(e->builder, a, b, "");
}

static inline LLVMValueRef choose(struct tsr__te *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}

static inline LLVMValueRef minimum(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return choose(e, less(e, a, b), a, b);
}

static inline bool is_known_below(LLVMValueRef size, int64_t limit)
{
    return tsr__te_known(size) >= 0 && tsr__te_known(size) < limit;
}

#endif
