/* SPDX-License-Identifier: Apache-2.0
 * From an instruction to the function that makes its value, and what is the same for all of them: the type of the result, and decorations.
 */
#include "clc/spirv/reader.h"

#include <stdlib.h>

static const struct line {
    uint32_t opcode;
    tsr__emit_fn *emit;
    int argument;
} lines[] = {
#define TSR_SPIRV_EMIT(op, function, argument) {TSR__Op##op, tsr__emit_##function, argument},
#include "clc/spirv/emit.def"
#undef TSR_SPIRV_EMIT
};

enum { OPCODES = 1 << 13 };

/* By opcode, the line plus 1. */
static const uint16_t line_of[OPCODES] = {
#define TSR_SPIRV_EMIT(op, function, argument) [TSR__Op##op] = __COUNTER__ + 1,
#include "clc/spirv/emit.def"
#undef TSR_SPIRV_EMIT
};

/* FPFastMathMode has the bits NotNaN 1, NotInf 2, NSZ 4, AllowRecip 8, Fast 16; SPV_INTEL_fp_fast_math_mode and SPV_KHR_float_controls2 add
 * AllowContract 0x10000 and AllowReassoc 0x20000. */
static void set_fast_math(LLVMValueRef value, uint32_t mode)
{
    static const struct {
        uint32_t bit;
        LLVMFastMathFlags flags;
    } bits[] = {
        {1, LLVMFastMathNoNaNs},
        {2, LLVMFastMathNoInfs},
        {4, LLVMFastMathNoSignedZeros},
        {8, LLVMFastMathAllowReciprocal},
        {16, LLVMFastMathAll},
        {0x10000, LLVMFastMathAllowContract},
        {0x20000, LLVMFastMathAllowReassoc},
    };
    LLVMFastMathFlags flags = LLVMFastMathNone;
    for (size_t i = 0; i < TSR_ARRAY_LEN(bits); i++)
        if (mode & bits[i].bit)
            flags |= bits[i].flags;
    LLVMSetFastMathFlags(value, flags);
}

static bool wraps(LLVMOpcode opcode)
{
    return opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl;
}

static void apply_decorations(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return;
    for (const struct tsr__decoration *d = r->ids[in->result].decorations; d; d = d->next) {
        if (d->number == TSR__DecorationFPFastMathMode && d->count && LLVMCanValueUseFastMathFlags(value))
            set_fast_math(value, d->operand[0]);
        if (d->number == TSR__DecorationNoSignedWrap && wraps(LLVMGetInstructionOpcode(value)))
            LLVMSetNSW(value, true);
        if (d->number == TSR__DecorationNoUnsignedWrap && wraps(LLVMGetInstructionOpcode(value)))
            LLVMSetNUW(value, true);
    }
}

void tsr__spirv_emit(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct line *line = in->op->number < OPCODES && line_of[in->op->number] ? &lines[line_of[in->op->number] - 1] : NULL;
    if (!line)
        tsr__spirv_fail(r, in, "this driver does not know it as an instruction of a function");
    const struct tsr__type *type = in->type ? tsr__spirv_result_type(r, in) : NULL;
    LLVMValueRef value = line->emit(r, in, line->argument);
    if (!in->result)
        return;
    struct tsr__id *id = &r->ids[in->result];
    id->type = (struct tsr__type *)type;
    if (type->kind == TSR__VOID)
        return;
    if (!value || LLVMTypeOf(value) != type->llvm)
        tsr__spirv_fail(r, in, "its operands do not fit the type of its result");
    apply_decorations(r, in, value);
    id->value = value;
}
