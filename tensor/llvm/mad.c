/* SPDX-License-Identifier: Apache-2.0
 * Calls of the matrix functions (docs/matrix.md) for sub-groups of 16. They compute columns of C from the transposed product: what they
 * call B is a row of our A in each work-item, and a row of what they call A is a column of our B, 32 bytes that lie over the work-items. */
#include "tensor/llvm/emit.h"

#include <stdio.h>

enum { ROW_BYTES = 32, WORD_BYTES = 4 };

uint32_t tsr__te_mad_depth(enum tsr__t_number number)
{
    return ROW_BYTES / tsr__t_numbers[number].bytes;
}

bool tsr__te_has_mad(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum)
{
    if (e->func->info.sub_group_size != TSR__TE_MAD_LANES || a != b)
        return false;
    return a == TSR__T_I8 ? sum == TSR__T_I32 : (a == TSR__T_BF16 || a == TSR__T_F16) && sum == TSR__T_F32;
}

static LLVMValueRef bits_of(struct tsr__te *e, LLVMValueRef number)
{
    bool is_half = LLVMGetTypeKind(LLVMTypeOf(number)) == LLVMHalfTypeKind;
    return is_half ? LLVMBuildBitCast(e->builder, number, LLVMInt16TypeInContext(e->context), "") : number;
}

LLVMValueRef tsr__te_mad_row(struct tsr__te *e, const LLVMValueRef *numbers, uint32_t count)
{
    LLVMValueRef bits[ROW_BYTES];
    for (uint32_t i = 0; i < count; i++)
        bits[i] = bits_of(e, numbers[i]);
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(e->context), ROW_BYTES / WORD_BYTES);
    return LLVMBuildBitCast(e->builder, tsr__te_vector(e, bits, count), words, "");
}

LLVMValueRef tsr__te_mad_part(struct tsr__te *e, const LLVMValueRef *numbers, uint32_t count)
{
    LLVMValueRef bits[] = {bits_of(e, numbers[0]), count > 1 ? bits_of(e, numbers[1]) : NULL};
    return LLVMBuildBitCast(e->builder, tsr__te_vector(e, bits, count), LLVMInt16TypeInContext(e->context), "");
}

void tsr__te_mad(struct tsr__te *e, enum tsr__t_number number, const LLVMValueRef *parts, LLVMValueRef row, LLVMValueRef *sums,
                 uint32_t count)
{
    const char *name = number == TSR__T_I8    ? "intel_sub_group_i8_i8_matrix_mad_k32"
                       : number == TSR__T_F16 ? "intel_sub_group_f16_f16_matrix_mad_k16"
                                              : "intel_sub_group_bf16_bf16_matrix_mad_k16";
    const char *sum = number == TSR__T_I8 ? "i" : "f";
    char codes[32];
    for (uint32_t at = 0, some; at < count; at += some) {
        uint32_t left = count - at;
        some = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        LLVMValueRef args[] = {tsr__te_vector(e, parts + at, some), row, tsr__te_vector(e, sums + at, some)};
        if (some == 1)
            snprintf(codes, sizeof codes, "sDv8_i%s", sum);
        else if (some == 8 && number == TSR__T_I8) /* the type of the sums is the one of the row */
            snprintf(codes, sizeof codes, "Dv8_sDv8_iS0_");
        else
            snprintf(codes, sizeof codes, "Dv%u_sDv8_iDv%u_%s", some, some, sum);
        LLVMValueRef made = tsr__te_call(e, name, codes, LLVMTypeOf(args[2]), args, 3);
        for (uint32_t i = 0; i < some; i++)
            sums[at + i] = some == 1 ? made : LLVMBuildExtractElement(e->builder, made, tsr__te_i32(e, i), "");
    }
}
