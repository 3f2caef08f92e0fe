/* SPDX-License-Identifier: Apache-2.0
 * What lanes do together: operations that fold the values of many lanes into one, and permutations of registers. */
#ifndef TESSERA_LANES_WIDEN_REDUCE_SCAN_H
#define TESSERA_LANES_WIDEN_REDUCE_SCAN_H

#include "lanes/widen/widener.h"

enum { TSR__MAX_LANES = 64 };

/* ---- folds (reduce_scan.c)
 * ---------------------------------------------------------------------------------------------------------------- */

/* An operation on one type: add, mul, min, max, and, or, xor. */
struct tsr__fold {
    const struct tsr__operation_of_web *op;
    LLVMTypeRef type;
    bool is_float, is_unsigned;
};

struct tsr__fold tsr__fold_make(const char *operation, LLVMTypeRef type, bool is_unsigned);
LLVMValueRef tsr__fold_neutral(const struct tsr__fold *f);
LLVMValueRef tsr__fold_two(struct tsr__simd *s, const struct tsr__fold *f, LLVMValueRef a, LLVMValueRef b);
/* The values of an operand, with neutral elements in the lanes that are not there. */
LLVMValueRef tsr__fold_filled(struct tsr__simd *s, const struct tsr__fold *f, LLVMValueRef v);
/* All lanes of a vector, as a scalar; each with all below; all below each, where the first lane has the neutral element. The order is that
 * of builtins/collective.cl. */
LLVMValueRef tsr__fold_all(struct tsr__simd *s, const struct tsr__fold *f, LLVMValueRef x);
LLVMValueRef tsr__fold_up_to(struct tsr__simd *s, const struct tsr__fold *f, LLVMValueRef x);
LLVMValueRef tsr__fold_below(struct tsr__simd *s, const struct tsr__fold *f, LLVMValueRef x);

/* ---- permutations (permute.c) -------------------------------------------------------------------------------------------------------- */

/* Lane i of the result is lane from[i] of x, or of y from its number of lanes on (NULL: there is none). */
LLVMValueRef tsr__pick(struct tsr__simd *s, LLVMValueRef x, LLVMValueRef y, const unsigned *from, unsigned count);
LLVMValueRef tsr__slice(struct tsr__simd *s, LLVMValueRef x, unsigned first, unsigned count);
/* Lane i of the result is lane index[i] of x, modulo the width; index is a vector of i32. */
LLVMValueRef tsr__permute(struct tsr__simd *s, LLVMValueRef x, LLVMValueRef index);

#endif
