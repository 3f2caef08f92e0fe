/* SPDX-License-Identifier: Apache-2.0
 * Indices as sums of multiples of bounded numbers. */
#include "lanes/analysis/linear_form.h"

#include "lanes/ir/match.h"

enum {
    DEPTH = 16,     /* instructions from an index to its parts */
    MOST_BITS = 40, /* of a sum */
};
#define MOST (INT64_C(1) << MOST_BITS)

int64_t tsr__form_most(const struct tsr__form *form)
{
    int64_t most = form->constant;
    for (unsigned i = 0; i < form->count; i++)
        most += form->terms[i].factor * form->terms[i].most;
    return most;
}

static bool add_term(struct tsr__form *form, LLVMValueRef value, int64_t factor, int64_t most)
{
    unsigned i = 0;
    while (i < form->count && form->terms[i].value != value)
        i++;
    if (i == TSR__FORM_TERMS)
        return false;
    if (i == form->count) {
        form->terms[form->count].value = value;
        form->terms[form->count].factor = 0;
        form->terms[form->count++].most = most;
    }
    form->terms[i].factor += factor;
    return factor < MOST && most < MOST / factor;
}

bool tsr__form_add(struct tsr__form *form, const struct tsr__form *other, int64_t factor)
{
    if (factor <= 0 || factor >= MOST || other->constant >= MOST / factor)
        return factor == 0;
    form->constant += factor * other->constant;
    for (unsigned i = 0; i < other->count; i++)
        if (other->terms[i].factor >= MOST / factor ||
            !add_term(form, other->terms[i].value, factor * other->terms[i].factor, other->terms[i].most))
            return false;
    return tsr__form_most(form) < MOST;
}

struct tsr__form tsr__form_of_value(LLVMValueRef v, int64_t most)
{
    struct tsr__form form = {.count = 1};
    form.terms[0].value = v;
    form.terms[0].factor = 1;
    form.terms[0].most = most;
    return form;
}

/* Splits off what is a multiple of `by` for sure; the rest is less than `by`. */
static bool split(const struct tsr__form *form, int64_t by, struct tsr__form *quotient, struct tsr__form *rest)
{
    *quotient = (struct tsr__form){.constant = form->constant / by};
    *rest = (struct tsr__form){.constant = form->constant % by};
    for (unsigned i = 0; i < form->count; i++) {
        const bool multiple = form->terms[i].factor % by == 0;
        struct tsr__form *to = multiple ? quotient : rest;
        to->terms[to->count] = form->terms[i];
        to->terms[to->count++].factor /= multiple ? by : 1;
    }
    return tsr__form_most(rest) < by;
}

bool tsr__form_divide(const struct tsr__form *form, int64_t by, struct tsr__form *quotient)
{
    struct tsr__form rest;
    return split(form, by, quotient, &rest);
}

bool tsr__form_modulo(const struct tsr__form *form, int64_t by, struct tsr__form *rest)
{
    struct tsr__form quotient;
    return split(form, by, &quotient, rest);
}

static bool is_power_of_two(int64_t n)
{
    return n > 0 && !(n & (n - 1));
}

static bool find_form(LLVMValueRef v, tsr__leaf_form *leaf, void *context, int depth, struct tsr__form *form);

/* Of an operation whose operands have forms. False: it is another one. */
static bool form_of_operation(LLVMValueRef v, tsr__leaf_form *leaf, void *context, int depth, struct tsr__form *form)
{
    struct tsr__form a, b;
    int64_t n = 0, low;
    if (!depth || !LLVMIsAInstruction(v) || LLVMIsACallInst(v) || LLVMIsAPHINode(v) || !LLVMGetNumOperands(v))
        return false;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef second = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    const bool by_constant = second && tsr__constant_int(second, &n) && n >= 0;
    *form = (struct tsr__form){0};
    switch (op) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, form);
    case LLVMOr:
    case LLVMAdd:
        return (op == LLVMAdd || LLVMGetIsDisjoint(v)) && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) &&
               find_form(second, leaf, context, depth - 1, &b) && tsr__form_add(form, &a, 1) && tsr__form_add(form, &b, 1);
    case LLVMShl:
        return by_constant && n < MOST_BITS && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) &&
               tsr__form_add(form, &a, INT64_C(1) << n);
    case LLVMMul:
        return by_constant && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) && tsr__form_add(form, &a, n);
    case LLVMLShr:
        return by_constant && n < MOST_BITS && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) &&
               tsr__form_divide(&a, INT64_C(1) << n, form);
    case LLVMUDiv:
        return by_constant && n && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) && tsr__form_divide(&a, n, form);
    case LLVMAnd: /* of bits side by side */
        low = n & -n;
        return by_constant && n && is_power_of_two(n / low + 1) && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) &&
               tsr__form_divide(&a, low, &b) && tsr__form_modulo(&b, n / low + 1, &a) && tsr__form_add(form, &a, low);
    case LLVMURem:
        return by_constant && n && find_form(LLVMGetOperand(v, 0), leaf, context, depth - 1, &a) && tsr__form_modulo(&a, n, form);
    default:
        return false;
    }
}

static bool find_form(LLVMValueRef v, tsr__leaf_form *leaf, void *context, int depth, struct tsr__form *form)
{
    const LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)
        return false;
    *form = (struct tsr__form){0};
    if (tsr__constant_int(v, &form->constant))
        return form->constant >= 0 && form->constant < MOST;
    if (!form_of_operation(v, leaf, context, depth, form) && !leaf(context, v, form))
        return false;
    const unsigned bits = LLVMGetIntTypeWidth(type) - 1;
    return tsr__form_most(form) < INT64_C(1) << (bits < MOST_BITS ? bits : MOST_BITS);
}

bool tsr__form_of(LLVMValueRef v, tsr__leaf_form *leaf, void *context, struct tsr__form *form)
{
    return find_form(v, leaf, context, DEPTH, form);
}

static LLVMValueRef without_wrap(LLVMValueRef v)
{
    LLVMSetNSW(v, true);
    LLVMSetNUW(v, true);
    return v;
}

LLVMValueRef tsr__form_build(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__form *form, LLVMTypeRef type)
{
    LLVMValueRef sum = NULL;
    const unsigned width = LLVMGetIntTypeWidth(type);
    const bool fits = width < 64 && tsr__form_most(form) < INT64_C(1) << (width - 1);
    LLVMTypeRef of = fits ? type : LLVMInt64TypeInContext(l->context); /* so that what is computed of it sees its parts */
    for (unsigned i = 0; i < form->count; i++) {
        LLVMValueRef v = LLVMBuildIntCast2(b, form->terms[i].value, of, false, "");
        if (form->terms[i].factor != 1)
            v = without_wrap(LLVMBuildMul(b, v, LLVMConstInt(of, (uint64_t)form->terms[i].factor, false), ""));
        sum = sum ? without_wrap(LLVMBuildAdd(b, sum, v, "")) : v;
    }
    LLVMValueRef constant = LLVMConstInt(of, (uint64_t)form->constant, false);
    sum = !sum ? constant : form->constant ? without_wrap(LLVMBuildAdd(b, sum, constant, "")) : sum;
    return LLVMBuildIntCast2(b, sum, type, false, "");
}
