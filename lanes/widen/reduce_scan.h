/* SPDX-License-Identifier: Apache-2.0
 * Reductions, scans and permutations over the lanes of registers. */
#ifndef TESSERA_LANES_WIDEN_REDUCE_SCAN_H
#define TESSERA_LANES_WIDEN_REDUCE_SCAN_H

#include "lanes/widen/widener.h"

/* ---- folds (reduce_scan.c) ---- */

/* An operation on one type: add, mul, min, max, and, or, xor. */
struct tsr__reduction {
    const struct tsr__reduction_op *op;
    LLVMTypeRef type;
    bool is_float, is_unsigned;
};

struct tsr__reduction tsr__reduction_make(const char *operation, LLVMTypeRef type, bool is_unsigned);
LLVMValueRef tsr__reduction_identity(const struct tsr__reduction *f);
LLVMValueRef tsr__reduce_pair(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef a, LLVMValueRef b);
/* The values of an operand, with neutral elements in the lanes that are not there. */
LLVMValueRef tsr__fill_absent_lanes(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef v);
/* All lanes of a vector, as a scalar; each with all below; all below each, where the first lane has the neutral element. The order is that
 * of builtins/collective.cl. */
LLVMValueRef tsr__reduce_lanes(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x);
LLVMValueRef tsr__scan_inclusive(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x);
LLVMValueRef tsr__scan_exclusive(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x);

/* ---- permutations (permute.c) ---- */

/* Lane i of the result is lane index[i] of x, modulo the width; index is a vector of i32. */
LLVMValueRef tsr__permute_lanes(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef index);

#endif
