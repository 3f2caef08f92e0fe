/* SPDX-License-Identifier: Apache-2.0
 * Vectors each of whose elements is one of another vector, chosen by the same element of a third one, `shuffle(x, mask)`: LLVM's code
 * generator has the CPU's instruction if the numbers are elements of a vector as they are, and goes through memory if each is masked by
 * itself. So the mask is applied to all of them before. No pass of LLVM comes behind that would undo it. */
#include "lanes/ir/ir.h"
#include "lanes/ir/shuffles.h"

struct choice {
    LLVMValueRef from, numbers, mask; /* the vectors, and a constant */
    LLVMTypeRef index;
};

static bool is_element(LLVMValueRef v, unsigned number)
{
    return LLVMIsAExtractElementInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) == number;
}

/* from[numbers[i] & mask] */
static bool read_choice(LLVMValueRef v, unsigned i, struct choice *c)
{
    if (!v || !LLVMIsAExtractElementInst(v))
        return false;
    LLVMValueRef index = LLVMGetOperand(v, 1), bits = LLVMIsAZExtInst(index) ? LLVMGetOperand(index, 0) : index;
    if (!LLVMIsABinaryOperator(bits) || LLVMGetInstructionOpcode(bits) != LLVMAnd || !LLVMIsAConstantInt(LLVMGetOperand(bits, 1)) ||
        !is_element(LLVMGetOperand(bits, 0), i))
        return false;
    *c = (struct choice){LLVMGetOperand(v, 0), LLVMGetOperand(LLVMGetOperand(bits, 0), 0), LLVMGetOperand(bits, 1), LLVMTypeOf(index)};
    return true;
}

/* The elements that insertions put together, in a vector of no other: false if some are missing, or one is inserted into another vector as
 * well. */
static bool find_elements(LLVMValueRef v, unsigned count, LLVMValueRef *elements)
{
    unsigned found = 0;
    for (; LLVMIsAInsertElementInst(v) && found < count; v = LLVMGetOperand(v, 0)) {
        LLVMValueRef at = LLVMGetOperand(v, 2);
        if (!LLVMIsAConstantInt(at) || LLVMConstIntGetZExtValue(at) >= count)
            return false;
        LLVMValueRef *element = &elements[LLVMConstIntGetZExtValue(at)];
        found += *element == NULL;
        *element = *element ? *element : LLVMGetOperand(v, 1);
    }
    return found == count;
}

static bool mask_before(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef last)
{
    LLVMTypeRef type = LLVMTypeOf(last);
    unsigned count = LLVMGetVectorSize(type);
    LLVMValueRef elements[TSR__MAX_ELEMENTS] = {0};
    struct choice first, c;
    if (count > TSR__MAX_ELEMENTS || !find_elements(last, count, elements) || !read_choice(elements[0], 0, &first) ||
        LLVMTypeOf(first.from) != type || LLVMGetVectorSize(LLVMTypeOf(first.numbers)) != count)
        return false;
    for (unsigned i = 1; i < count; i++)
        if (!read_choice(elements[i], i, &c) || c.from != first.from || c.numbers != first.numbers || c.mask != first.mask ||
            c.index != first.index)
            return false;
    LLVMPositionBuilderBefore(b, last);
    LLVMValueRef all = LLVMBuildAnd(b, first.numbers, tsr__splat_constant(LLVMTypeOf(first.numbers), first.mask), ""),
                 made = LLVMGetPoison(type);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef number = LLVMBuildZExtOrBitCast(b, LLVMBuildExtractElement(b, all, tsr__i32(l, i), ""), first.index, "");
        made = LLVMBuildInsertElement(b, made, LLVMBuildExtractElement(b, first.from, number, ""), tsr__i32(l, i), "");
    }
    LLVMReplaceAllUsesWith(last, made);
    return true;
}

bool tsr__pass_variable_shuffles(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    bool any = false;
    for (size_t i = count; i-- > 0;) /* the last insertion first */
        if (LLVMIsAInsertElementInst(code[i]) && LLVMGetFirstUse(code[i]))
            any = mask_before(l, b, code[i]) || any;
    LLVMDisposeBuilder(b);
    return !any || tsr__run_llvm_on(l, function, "dce");
}
