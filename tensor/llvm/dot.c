/* SPDX-License-Identifier: Apache-2.0
 * Which units multiply words and tiles; and dot products of words: four bytes, or two numbers of 16 bits, that follow each other in K, as
 * an operand of 32 bits each. */
#include "tensor/llvm/emit.h"

enum { SIGNS = 0x80 * 0x01010101u }; /* of four bytes */

enum tsr__te_dot tsr__te_dot_of(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum)
{
    return e->one_sub_group ? tsr__te_coop_dot_of(e, a, b, sum) : TSR__TE_NO_DOT;
}

bool tsr__te_has_tiles(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum)
{
    if (!e->unit.tiles || !e->one_sub_group || a != b)
        return false;
    return a == TSR__T_I8 ? sum == TSR__T_I32 : (a == TSR__T_BF16 || (a == TSR__T_F16 && e->unit.tiles_of_f16)) && sum == TSR__T_F32;
}

enum tsr__te_dot tsr__te_coop_dot_of(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum)
{
    const struct tsr_tensor_unit *u = &e->unit;
    if (a != b)
        return TSR__TE_NO_DOT;
    if (a == TSR__T_I8 && sum == TSR__T_I32 && u->dots_of_bytes)
        return TSR__TE_DOT_BYTES;
    if (a == TSR__T_I16 && sum == TSR__T_I32 && u->dots_of_i16)
        return TSR__TE_DOT_I16;
    return a == TSR__T_BF16 && sum == TSR__T_F32 && u->dots_of_bf16 ? TSR__TE_DOT_BF16 : TSR__TE_NO_DOT;
}

bool tsr__te_has_pairs(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum)
{
    return e->unit.pairs && a == b && sum == TSR__T_I32 && a != TSR__T_I32;
}

LLVMValueRef tsr__te_load_word(struct tsr__te *e, LLVMValueRef address, uint32_t align)
{
    LLVMValueRef word = LLVMBuildLoad2(e->builder, LLVMInt32TypeInContext(e->context), address, "");
    LLVMSetAlignment(word, align);
    return word;
}

LLVMValueRef tsr__te_dot_add(struct tsr__te *e, enum tsr__te_dot dot, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    LLVMValueRef bytes[] = {b, a, sum}, pairs[] = {a, b, sum};
    if (dot == TSR__TE_DOT_BYTES)
        return tsr__te_call(e, "tessera_dot_add_us", "jji", LLVMTypeOf(sum), bytes, 3);
    return dot == TSR__TE_DOT_I16 ? tsr__te_call(e, "tessera_dot_add_i16", "jji", LLVMTypeOf(sum), pairs, 3)
                                  : tsr__te_call(e, "tessera_dot_add_bf16", "jjf", LLVMTypeOf(sum), pairs, 3);
}

LLVMValueRef tsr__te_make_unsigned(struct tsr__te *e, LLVMValueRef bytes)
{
    return LLVMBuildXor(e->builder, bytes, tsr__te_i32(e, SIGNS), "");
}

LLVMValueRef tsr__te_add_excess(struct tsr__te *e, LLVMValueRef a, LLVMValueRef sum)
{
    return tsr__te_dot_add(e, TSR__TE_DOT_BYTES, a, tsr__te_i32(e, SIGNS), sum);
}

LLVMValueRef tsr__te_vector(struct tsr__te *e, const LLVMValueRef *numbers, uint32_t count)
{
    if (count == 1)
        return numbers[0];
    LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(numbers[0]), count));
    for (uint32_t i = 0; i < count; i++)
        vector = LLVMBuildInsertElement(e->builder, vector, numbers[i], tsr__te_i32(e, i), "");
    return vector;
}

LLVMValueRef tsr__te_word(struct tsr__te *e, const LLVMValueRef *parts, uint32_t count)
{
    return LLVMBuildBitCast(e->builder, tsr__te_vector(e, parts, count), LLVMInt32TypeInContext(e->context), "");
}
