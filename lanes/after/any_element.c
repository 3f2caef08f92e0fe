/* SPDX-License-Identifier: Apache-2.0
 * Comparisons of elements that are joined by "or", and signs of elements, become one comparison of vectors. A program that asks whether any
 * element of its own vectors matches writes it element by element, and LLVM's code generator takes each element out of its register. */
#include "lanes/ir/costs.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

#include <string.h>

enum { MOST_LEAVES = 128 };

/* A comparison of an element with the same element of another vector, or with a number. */
struct leaf {
    LLVMValueRef compare, vector, other; /* vector NULL: something else */
    LLVMIntPredicate predicate;
    bool other_is_vector, joined;
    unsigned element;
};

struct tree {
    struct leaf leaf[MOST_LEAVES];
    unsigned count;
};

/* a | b, also where b counts only if a is false. */
static bool is_or(LLVMValueRef v, LLVMValueRef operands[2])
{
    if (LLVMTypeOf(v) != LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v))))
        return false;
    if (LLVMIsASelectInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) == 1) {
        operands[0] = LLVMGetOperand(v, 0);
        operands[1] = LLVMGetOperand(v, 2);
        return LLVMTypeOf(operands[0]) == LLVMTypeOf(v);
    }
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMOr)
        return false;
    operands[0] = LLVMGetOperand(v, 0);
    operands[1] = LLVMGetOperand(v, 1);
    return true;
}

/* An "or" that is no operand of another one alone. */
static bool is_root(LLVMValueRef v)
{
    LLVMValueRef operands[2];
    if (!is_or(v, operands))
        return false;
    LLVMValueRef user = tsr__only_user(v);
    return !user || !is_or(user, operands);
}

/* The vector and number of an element that is taken out, or NULL. */
static LLVMValueRef vector_of(LLVMValueRef v, unsigned *element)
{
    if (!LLVMIsAExtractElementInst(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return NULL;
    LLVMValueRef vector = LLVMGetOperand(v, 0);
    uint64_t number = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind || number >= LLVMGetVectorSize(LLVMTypeOf(vector)))
        return NULL;
    *element = (unsigned)number;
    return vector;
}

static struct leaf read_leaf(LLVMValueRef v)
{
    struct leaf leaf = {.compare = v};
    if (!LLVMIsAICmpInst(v) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) != LLVMIntegerTypeKind)
        return leaf;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    unsigned other = 0;
    leaf.predicate = LLVMGetICmpPredicate(v);
    leaf.vector = vector_of(a, &leaf.element);
    if (!leaf.vector && (leaf.predicate == LLVMIntEQ || leaf.predicate == LLVMIntNE)) {
        leaf.vector = vector_of(b, &leaf.element);
        b = a;
    }
    leaf.other = leaf.vector ? vector_of(b, &other) : NULL;
    leaf.other_is_vector = leaf.other && other == leaf.element && LLVMTypeOf(leaf.other) == LLVMTypeOf(leaf.vector);
    if (!leaf.other_is_vector)
        leaf.other = b;
    return leaf;
}

static bool collect(struct tree *t, LLVMValueRef v, bool root)
{
    LLVMValueRef operands[2];
    if (is_or(v, operands) && (root || tsr__only_user(v)))
        return collect(t, operands[0], false) && collect(t, operands[1], false);
    if (t->count == MOST_LEAVES)
        return false;
    t->leaf[t->count++] = read_leaf(v);
    return true;
}

static bool go_together(const struct leaf *a, const struct leaf *b)
{
    return a->vector && b->vector == a->vector && b->other == a->other && b->predicate == a->predicate &&
           b->other_is_vector == a->other_is_vector;
}

/* Whether any element of those that go with this leaf matches. NULL: they are too few. */
static LLVMValueRef join(struct tsr__compilation *l, LLVMBuilderRef b, struct tree *t, struct leaf *first)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(l->context);
    unsigned elements = LLVMGetVectorSize(LLVMTypeOf(first->vector)), count = 0;
    LLVMValueRef wanted[TSR__MAX_ELEMENTS];
    if (elements > TSR__MAX_ELEMENTS)
        return NULL;
    for (unsigned i = 0; i < elements; i++)
        wanted[i] = LLVMConstNull(i1);
    for (struct leaf *leaf = first; leaf < t->leaf + t->count; leaf++)
        if (go_together(first, leaf)) {
            count += LLVMIsNull(wanted[leaf->element]); /* an element may be compared twice */
            wanted[leaf->element] = LLVMConstAllOnes(i1);
        }
    if (count < TSR__ANY_ELEMENT_LEAST)
        return NULL;
    for (struct leaf *leaf = first; leaf < t->leaf + t->count; leaf++)
        leaf->joined = leaf->joined || go_together(first, leaf);
    LLVMValueRef other = first->other_is_vector ? first->other : tsr__splat_scalar(l, b, first->other, elements);
    /* A comparison behind one that holds may be poison. */
    LLVMValueRef matches = LLVMBuildFreeze(b, LLVMBuildICmp(b, first->predicate, first->vector, other, ""), "");
    if (count < elements)
        matches = LLVMBuildAnd(b, matches, LLVMConstVector(wanted, elements), "");
    LLVMTypeRef bits = LLVMIntTypeInContext(l->context, elements);
    return LLVMBuildICmp(b, LLVMIntNE, LLVMBuildBitCast(b, matches, bits, ""), LLVMConstNull(bits), "");
}

static void join_root(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef root)
{
    struct tree tree = {0}, *t = &tree;
    LLVMValueRef made = NULL, yes = LLVMConstAllOnes(LLVMInt1TypeInContext(l->context));
    if (!collect(t, root, true))
        return;
    LLVMPositionBuilderBefore(b, root);
    for (struct leaf *leaf = t->leaf; leaf < t->leaf + t->count; leaf++) {
        LLVMValueRef any = leaf->vector && !leaf->joined ? join(l, b, t, leaf) : NULL;
        if (any)
            made = made ? LLVMBuildOr(b, made, any, "") : any;
    }
    if (!made)
        return;
    for (struct leaf *leaf = t->leaf; leaf < t->leaf + t->count; leaf++)
        if (!leaf->joined)
            made = LLVMBuildSelect(b, made, yes, leaf->compare, "");
    LLVMReplaceAllUsesWith(root, made); /* what nothing uses any more goes in a later pass */
}

static bool is_minus_one(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == -1;
}

/* Whether the sign of any element is set, or of all: any() and all() of the library combine the elements and look at one sign. */
static void join_signs(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef compare)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    LLVMValueRef reduced = LLVMGetOperand(compare, 0), limit = LLVMGetOperand(compare, 1);
    bool set = predicate == LLVMIntSLT && LLVMIsNull(limit), clear = predicate == LLVMIntSGT && is_minus_one(limit);
    const char *name = (set || clear) && tsr__callee(reduced) ? tsr__name(tsr__callee(reduced)) : "";
    bool any = tsr__starts_with(name, "llvm.vector.reduce.or."), all = tsr__starts_with(name, "llvm.vector.reduce.and.");
    if (!any && !all)
        return;
    LLVMValueRef vector = LLVMGetOperand(reduced, 0);
    unsigned elements = LLVMGetVectorSize(LLVMTypeOf(vector));
    if (elements < TSR__ANY_ELEMENT_LEAST)
        return;
    LLVMTypeRef bits = LLVMIntTypeInContext(l->context, elements);
    LLVMPositionBuilderBefore(b, compare);
    LLVMValueRef signs = LLVMBuildICmp(b, LLVMIntSLT, vector, LLVMConstNull(LLVMTypeOf(vector)), "");
    LLVMValueRef edge = any ? LLVMConstNull(bits) : LLVMConstAllOnes(bits); /* none of them, or all */
    LLVMValueRef made = LLVMBuildICmp(b, any == set ? LLVMIntNE : LLVMIntEQ, LLVMBuildBitCast(b, signs, bits, ""), edge, "");
    LLVMReplaceAllUsesWith(compare, made);
}

bool tsr__pass_any_element(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < count; i++) {
        if (is_root(code[i]))
            join_root(l, b, code[i]);
        if (LLVMIsAICmpInst(code[i]))
            join_signs(l, b, code[i]);
    }
    LLVMDisposeBuilder(b);
    return true;
}
