/* SPDX-License-Identifier: Apache-2.0
 * Indices as sums of multiples of numbers that are not negative, with a bound for each, so that they can be divided symbolically. */
#ifndef TESSERA_LANES_ANALYSIS_LINEAR_FORM_H
#define TESSERA_LANES_ANALYSIS_LINEAR_FORM_H

#include "lanes/ir/ir.h"

enum { TSR__FORM_TERMS = 12 };

/* constant + Σ factor · value: neither a factor nor a value is negative, and nothing wraps. */
struct tsr__form {
    int64_t constant;
    unsigned count;
    struct {
        LLVMValueRef value; /* an integer of at most 64 bits */
        int64_t factor, most;
    } terms[TSR__FORM_TERMS];
};

/* The form of a value that is no sum, multiple or part of others, or whose operands have none; false: it has none either. */
typedef bool tsr__leaf_form(void *context, LLVMValueRef value, struct tsr__form *form);

/* Of an integer; false: it has none, or may be too large for half of its type. */
bool tsr__form_of(LLVMValueRef v, tsr__leaf_form *leaf, void *context, struct tsr__form *form);
/* The form of one value that is at most so large. */
struct tsr__form tsr__form_of_value(LLVMValueRef v, int64_t most);
/* The most that it can be. */
int64_t tsr__form_most(const struct tsr__form *form);
/* form += factor · other; false: too long, or too large. */
bool tsr__form_add(struct tsr__form *form, const struct tsr__form *other, int64_t factor);
/* Quotient and rest by a constant, as far as terms and bounds tell them. */
bool tsr__form_divide(const struct tsr__form *form, int64_t by, struct tsr__form *quotient);
bool tsr__form_modulo(const struct tsr__form *form, int64_t by, struct tsr__form *rest);
/* Code for it. */
LLVMValueRef tsr__form_build(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__form *form, LLVMTypeRef type);

#endif
