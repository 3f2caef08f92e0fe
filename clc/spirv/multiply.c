/* SPDX-License-Identifier: Apache-2.0
 * OpSubgroupMatrixMultiplyAccumulateINTEL (SPV_INTEL_subgroup_matrix_multiply_accumulate): calls of the functions of
 * cl_intel_subgroup_matrix_multiply_accumulate, which lay matrices over a sub-group in the same way (docs/matrix.md). */
#include "clc/spirv/reader.h"

#include "tessera/matrix.h"

/* The matrix operands that stand for the elements of each matrix. */
static uint32_t operands_of(const struct tsr_matrix_builtin *f)
{
    enum { SIGNED = 1, C_AND_RESULT_BFLOAT16 = 0xc };
    static const uint32_t packed[] = {
        [TSR_ELEMENT_S4] = 0x40 | SIGNED, [TSR_ELEMENT_U4] = 0x40,   [TSR_ELEMENT_S8] = 0x10 | SIGNED, [TSR_ELEMENT_U8] = 0x10,
        [TSR_ELEMENT_BF16] = 0x1000,      [TSR_ELEMENT_F16] = 0x400, [TSR_ELEMENT_TF32] = 0x100,
    };
    uint32_t operands = packed[f->ea] | packed[f->eb] << 1; /* each bit of A is followed by that of B */
    return operands | (f->ec == TSR_ELEMENT_BF16 ? C_AND_RESULT_BFLOAT16 : 0);
}

static bool has_types(struct tsr__reader *r, const struct tsr_matrix_builtin *f, const LLVMValueRef values[3])
{
    const char *const types[] = {f->a, f->b, f->c};
    for (int i = 0; i < 3; i++)
        if (LLVMTypeOf(values[i]) != tsr__spirv_c_type(r, types[i], NULL))
            return false;
    return true;
}

/* The function for these operands. */
static const struct tsr_matrix_builtin *find(struct tsr__reader *r, const struct tsr__inst *in, uint64_t k, uint32_t operands,
                                             const LLVMValueRef values[3])
{
    const struct tsr_matrix_builtin *like = NULL;
    for (size_t i = 0; i < tsr_matrix_builtin_count; i++) {
        const struct tsr_matrix_builtin *f = &tsr_matrix_builtins[i];
        if (f->form == TSR_MATRIX_SPLIT || f->k != k || operands_of(f) != operands)
            continue;
        if (has_types(r, f, values))
            return f;
        like = f;
    }
    if (like)
        tsr__spirv_fail(r, in, "A, B and C do not have the types of %s for any number of rows; docs/matrix.md lists them", like->name);
    tsr__spirv_fail(r, in, "the device has no product with K = %llu and the matrix operands 0x%x; docs/matrix.md lists those it has",
                    (unsigned long long)k, operands);
}

LLVMValueRef tsr__emit_multiply_accumulate(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    uint64_t k = tsr__spirv_constant(r, in, 0, "K");
    if (LLVMTypeOf(tsr__spirv_value(r, in, 0)) != tsr__i32(r))
        tsr__spirv_fail(r, in, "K has to be an integer of 32 bits");
    LLVMValueRef values[] = {tsr__spirv_value(r, in, 1), tsr__spirv_value(r, in, 2), tsr__spirv_value(r, in, 3)};
    if (LLVMTypeOf(values[2]) != tsr__spirv_result_type(r, in)->llvm)
        tsr__spirv_fail(r, in, "C has to be of the type of the result");
    const struct tsr_matrix_builtin *f = find(r, in, k, in->count > 4 ? in->operand[4] : 0, values);
    char name[TSR_MATRIX_TEXT];
    tsr_matrix_mangle(f, name);
    return tsr__spirv_call_plain(r, name, LLVMTypeOf(values[2]), values, 3, TSR__MEETS);
}
