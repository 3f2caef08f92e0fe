/* SPDX-License-Identifier: Apache-2.0
 * From an instruction to the function that makes its value, and what is the same for all of them: the type of the result, and decorations.
 */
#include "clc/spirv/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
 * AllowContract 0x10000 and AllowReassoc 0x20000, and the latter AllowTransform 0x40000, which allows all that real numbers do. */
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
        {0x40000, LLVMFastMathAllowContract | LLVMFastMathAllowReassoc | LLVMFastMathAllowReciprocal},
    };
    LLVMFastMathFlags flags = LLVMFastMathNone;
    for (size_t i = 0; i < TSR_ARRAY_LEN(bits); i++)
        if (mode & bits[i].bit)
            flags |= bits[i].flags;
    LLVMSetFastMathFlags(value, flags);
}

/* ---- modes of entry points ---- */

/* The mode that the entry point gives to instructions of the type; 0: none. */
static uint32_t default_mode(struct tsr__reader *r, const struct tsr__entry_point *e, LLVMTypeRef type)
{
    for (const struct tsr__mode *m = r->modes[e->function]; m; m = m->next)
        if (m->number == TSR__ModeFPFastMathDefault && r->ids[m->operand[0]].type->llvm == type)
            return (uint32_t)LLVMConstIntGetZExtValue(r->ids[m->operand[1]].value);
    return 0;
}

static void check_default(struct tsr__reader *r, const struct tsr__entry_point *e, const struct tsr__mode *m)
{
    bool ids = m->ids && m->count == 2 && m->operand[0] < r->bound && m->operand[1] < r->bound;
    const struct tsr__id *type = ids ? &r->ids[m->operand[0]] : NULL, *mode = ids ? &r->ids[m->operand[1]] : NULL;
    if (!ids || !type->type || (type->inst && type->inst->type) || type->type->kind != TSR__FLOAT || !mode->value ||
        !LLVMIsAConstantInt(mode->value) || (mode->inst->op->number != TSR__OpConstant && mode->inst->op->number != TSR__OpConstantNull))
        tsr__spirv_fail(r, r->ids[e->function].inst, "FPFastMathDefault of '%.100s' takes a type of floats and a constant integer",
                        e->name);
}

/* Functions are made once for all entry points, so an instruction may do what each of them allows. */
void tsr__spirv_fast_math(struct tsr__reader *r)
{
    for (const struct tsr__entry_point *e = r->modes ? r->entry_points : NULL; e; e = e->next)
        for (const struct tsr__mode *m = e->function < r->bound ? r->modes[e->function] : NULL; m; m = m->next)
            if (m->number == TSR__ModeFPFastMathDefault)
                check_default(r, e, m);
    const struct tsr__entry_point *first = r->entry_points;
    for (const struct tsr__mode *m = r->modes && first && first->function < r->bound ? r->modes[first->function] : NULL; m; m = m->next) {
        if (m->number != TSR__ModeFPFastMathDefault)
            continue;
        struct tsr__fast_math *f = tsr_arena_alloc(&r->arena, sizeof *f);
        f->type = r->ids[m->operand[0]].type->llvm;
        f->mode = UINT32_MAX;
        for (const struct tsr__entry_point *e = first; e; e = e->next)
            f->mode &= e->function < r->bound ? default_mode(r, e, f->type) : 0;
        f->next = r->fast_math;
        r->fast_math = f;
    }
}

/* The modes of the types of the result and of the operands. */
static uint32_t usual_mode(const struct tsr__reader *r, LLVMValueRef value)
{
    uint32_t mode = 0;
    for (const struct tsr__fast_math *f = r->fast_math; f; f = f->next) {
        bool of_type = tsr__scalar(LLVMTypeOf(value)) == f->type;
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
            of_type |= tsr__scalar(LLVMTypeOf(LLVMGetOperand(value, i))) == f->type;
        mode |= of_type ? f->mode : 0;
    }
    return mode;
}

/* ---- bfloat16 ---- */

/* Instructions that may have operands and results of bfloat16 (SPV_KHR_bfloat16, "Universal Validation Rules"). */
static bool may_have_bfloat16(uint32_t opcode)
{
    static const uint16_t allowed[] = {
        TSR__OpLoad,
        TSR__OpStore,
        TSR__OpFunctionCall,
        TSR__OpConvertFToU,
        TSR__OpConvertFToS,
        TSR__OpConvertSToF,
        TSR__OpConvertUToF,
        TSR__OpFConvert,
        TSR__OpBitcast,
        TSR__OpVectorExtractDynamic,
        TSR__OpVectorInsertDynamic,
        TSR__OpVectorShuffle,
        TSR__OpCompositeConstruct,
        TSR__OpCompositeExtract,
        TSR__OpCompositeInsert,
        TSR__OpCopyObject,
        TSR__OpCopyLogical,
        TSR__OpCooperativeMatrixConstructCheckedINTEL,
        TSR__OpDot,
        TSR__OpSelect,
    };
    return tsr__is_one_of(opcode, allowed, TSR_ARRAY_LEN(allowed));
}

/* Bfloat16 and integers of 4 bits are wider integers for LLVM, so that only their type tells that the instruction may not have them. */
static void check_types(struct tsr__reader *r, const struct tsr__inst *in, bool (*is_one)(const struct tsr__type *type),
                        const char *message)
{
    bool has = in->type && is_one(r->ids[in->type].type);
    uint32_t operand = 0;
    for (const char *p = in->op->operands; *p && operand < in->count; p++) {
        if (*p == 'T' || *p == 'R')
            continue;
        do {
            const struct tsr__id *id = *p == 'I' && in->operand[operand] < r->bound ? &r->ids[in->operand[operand]] : NULL;
            has |= id && id->inst && id->inst->type && is_one(r->ids[id->inst->type].type);
            operand++;
        } while (p[1] == '*' && operand < in->count);
        p += p[1] == '*' || p[1] == '?';
    }
    if (has)
        tsr__spirv_fail(r, in, "%s", message);
}

/* ---- values ---- */

static bool wraps(LLVMOpcode opcode)
{
    return opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl;
}

static void apply_decorations(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef value)
{
    bool decorated = false;
    if (!LLVMIsAInstruction(value))
        return;
    for (const struct tsr__decoration *d = r->ids[in->result].decorations; d; d = d->next) {
        if (d->number == TSR__DecorationFPFastMathMode && d->count && LLVMCanValueUseFastMathFlags(value)) {
            set_fast_math(value, d->operand[0]);
            decorated = true;
        }
        if (d->number == TSR__DecorationNoSignedWrap && wraps(LLVMGetInstructionOpcode(value)))
            LLVMSetNSW(value, true);
        if (d->number == TSR__DecorationNoUnsignedWrap && wraps(LLVMGetInstructionOpcode(value)))
            LLVMSetNUW(value, true);
    }
    if (!decorated && r->fast_math && LLVMCanValueUseFastMathFlags(value) && !LLVMIsACallInst(value))
        set_fast_math(value, usual_mode(r, value));
}

/* SPV_INTEL_fp_max_error: nothing is done for an error that the device keeps to. */
static void check_error(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__decoration *d = tsr__spirv_decoration(r, in->result, TSR__DecorationFPMaxError, -1);
    float most;
    if (!d || !d->count)
        return;
    memcpy(&most, d->operand, sizeof most);
    float promised = tsr__spirv_promised_error(r, in);
    if (promised <= most)
        return;
    if (promised < HUGE_VALF)
        tsr__spirv_fail(r, in, "an error of at most %g units in the last place; the device promises %g", (double)most, (double)promised);
    tsr__spirv_fail(r, in, "an error of at most %g units in the last place; the device promises none", (double)most);
}

LLVMValueRef tsr__spirv_emit_value(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct line *line = in->op->number < OPCODES && line_of[in->op->number] ? &lines[line_of[in->op->number] - 1] : NULL;
    if (!line)
        tsr__spirv_fail(r, in, "this driver does not know it as an instruction of a function");
    if (r->has_bfloat16 && !may_have_bfloat16(in->op->number))
        check_types(r, in, tsr__is_bfloat16, "bfloat16 can be stored, converted, chosen and multiplied by OpDot, nothing else");
    if (r->has_int4 && !tsr__int4_allows(in->op->number))
        check_types(r, in, tsr__is_int4,
                    "integers of 4 bits can be stored, converted and chosen, and matrices of them multiplied, nothing else");
    if (in->result && r->ids[in->result].decorations)
        check_error(r, in);
    LLVMValueRef value = line->emit(r, in, line->argument);
    if (!in->result)
        return NULL;
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind == TSR__VOID)
        return NULL;
    if (!value || LLVMTypeOf(value) != type->llvm)
        tsr__spirv_fail(r, in, "its operands do not fit the type of its result");
    apply_decorations(r, in, value);
    return value;
}

void tsr__spirv_emit(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef value = tsr__spirv_emit_value(r, in);
    if (!in->result)
        return;
    r->ids[in->result].type = (struct tsr__type *)tsr__spirv_result_type(r, in);
    r->ids[in->result].value = value;
}
