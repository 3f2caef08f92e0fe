/* SPDX-License-Identifier: Apache-2.0
 * The matrix operation of a packet: the widener makes it, tiles and lower_mad choose instructions for it. */
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "tsr.mad"

const struct tsr_matrix_builtin *tsr__mad_overload(struct tsr__compilation *l, LLVMValueRef function)
{
    const struct tsr_matrix_builtin *f = tsr_matrix_find(tsr__name(function));
    if (!f)
        return NULL;
    bool integers = f->ec == TSR_ELEMENT_S32;
    bool halves = f->ea == TSR_ELEMENT_F16;
    if (!integers && (!tsr__has(l, TSR_CPU_FMA) || (halves && !tsr__has(l, TSR_CPU_F16C))))
        return NULL;
    return f;
}

const char *tsr__mad_origin(const struct tsr__mad *mad)
{
    return mad->called == mad->f                   ? ""
           : mad->called->form == TSR_MATRIX_SPLIT ? ", a pair of sub-groups"
                                                   : ", of 4-bit numbers unpacked to bytes";
}

/* The overload for sub-groups of 16 with the same matrices. */
static const struct tsr_matrix_builtin *unsplit_overload(const struct tsr_matrix_builtin *split)
{
    const struct tsr_matrix_builtin *f = tsr_matrix_builtins;
    while (f->form != TSR_MATRIX_N16 || f->m != split->m || f->k != split->k || f->ea != split->ea || f->eb != split->eb ||
           f->ec != split->ec)
        f++;
    return f;
}

/* ---- 4-bit numbers ---- */

/* There is no instruction for them. Unpacked to bytes they are two operations: one for the lower halves of all bytes, those with even k,
 * one for the upper ones. */

static bool has_nibbles(enum tsr_element e)
{
    return e == TSR_ELEMENT_S4 || e == TSR_ELEMENT_U4;
}

/* The overload for bytes with as many vectors. Where no number has a sign, B's count as signed bytes, which spares VNNI a correction. */
static const struct tsr_matrix_builtin *of_bytes(const struct tsr_matrix_builtin *f)
{
    enum tsr_element a = f->ea == TSR_ELEMENT_S4 ? TSR_ELEMENT_S8 : TSR_ELEMENT_U8;
    enum tsr_element b = f->eb == TSR_ELEMENT_S4 || a == TSR_ELEMENT_U8 ? TSR_ELEMENT_S8 : TSR_ELEMENT_U8;
    const struct tsr_matrix_builtin *g = tsr_matrix_builtins;
    while (g->form != f->form || g->m != f->m || g->ea != a || g->eb != b)
        g++;
    return g;
}

/* One half of all bytes, as numbers with or without a sign: a call, by the name of which it is told. */
static LLVMValueRef unpack_nibbles(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, enum tsr_element e, bool upper)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    const char *name =
        tsr_arena_format(&l->scratch, TSR__NIBBLES "%s.%s.v%ui%u", upper ? "upper" : "lower", e == TSR_ELEMENT_S4 ? "i4" : "u4",
                         LLVMGetVectorSize(type), LLVMGetIntTypeWidth(LLVMGetElementType(type)));
    LLVMTypeRef function_type = LLVMFunctionType(type, &type, 1, false);
    return LLVMBuildCall2(b, function_type, tsr__declare_pure(l, name, function_type), &x, 1, "");
}

LLVMValueRef tsr__nibbles_of(LLVMValueRef v, bool *upper)
{
    LLVMValueRef callee = tsr__callee(v);
    if (!callee || !tsr__starts_with(tsr__name(callee), TSR__NIBBLES))
        return NULL;
    if (upper)
        *upper = tsr__starts_with(tsr__name(callee), TSR__NIBBLES "upper");
    return LLVMGetOperand(v, 0);
}

void tsr__nibbles_lower(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        bool upper;
        LLVMValueRef x = tsr__nibbles_of(code[i], &upper);
        if (!x)
            continue;
        LLVMBuilderRef b = tsr__builder_before(l, code[i]);
        LLVMTypeRef type = LLVMTypeOf(x);
        const unsigned size = LLVMGetVectorSize(type) * LLVMGetIntTypeWidth(LLVMGetElementType(type)) / 8;
        LLVMTypeRef bytes = LLVMVectorType(LLVMInt8TypeInContext(l->context), size);
        LLVMValueRef sign = tsr__splat_number(bytes, 8);
        x = LLVMBuildBitCast(b, x, bytes, "");
        x = upper ? LLVMBuildLShr(b, x, tsr__splat_number(bytes, 4), "") : LLVMBuildAnd(b, x, tsr__splat_number(bytes, 15), "");
        if (strstr(tsr__name(tsr__callee(code[i])), ".i4."))
            x = LLVMBuildSub(b, LLVMBuildXor(b, x, sign, ""), sign, "");
        LLVMReplaceAllUsesWith(code[i], LLVMBuildBitCast(b, x, type, ""));
        LLVMInstructionEraseFromParent(code[i]);
        LLVMDisposeBuilder(b);
    }
}

static LLVMValueRef build_operation(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr_matrix_builtin *f,
                                    const struct tsr_matrix_builtin *called, unsigned lanes, LLVMValueRef *operands, unsigned count);

static LLVMValueRef build_of_nibbles(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr_matrix_builtin *f, unsigned lanes,
                                     LLVMValueRef *operands, unsigned count)
{
    unsigned a_count = count - TSR__WORDS - f->m;
    LLVMValueRef *of_half = tsr_arena_alloc(&l->scratch, count * sizeof *of_half), made = NULL;
    for (unsigned i = 0; i < count; i++)
        of_half[i] = operands[i];
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < a_count + TSR__WORDS; i++)
            of_half[i] = unpack_nibbles(l, b, operands[i], i < a_count ? f->ea : f->eb, half);
        for (unsigned i = 0; i < f->m && half; i++)
            of_half[a_count + TSR__WORDS + i] = LLVMBuildExtractValue(b, made, i, "");
        made = build_operation(l, b, of_bytes(f), f, lanes, of_half, count);
    }
    return made;
}

/* ---- the operation ---- */

static LLVMValueRef build_operation(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr_matrix_builtin *f,
                                    const struct tsr_matrix_builtin *called, unsigned lanes, LLVMValueRef *operands, unsigned count)
{
    LLVMTypeRef *types = tsr_arena_alloc(&l->scratch, (count + f->m) * sizeof *types), *rows = types + count;
    const char *name =
        tsr_arena_format(&l->scratch, PREFIX "%u.%td.%td.%s", lanes, f - tsr_matrix_builtins, called - tsr_matrix_builtins, called->name);

    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(operands[i]);
    for (unsigned i = 0; i < f->m; i++)
        rows[i] = types[count - 1];
    LLVMTypeRef type = LLVMFunctionType(LLVMStructTypeInContext(l->context, rows, f->m, false), types, count, false);
    return LLVMBuildCall2(b, type, tsr__declare_pure(l, name, type), operands, count, "");
}

LLVMValueRef tsr__mad_build(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr_matrix_builtin *f, unsigned lanes,
                            LLVMValueRef *operands, unsigned count)
{
    if (has_nibbles(f->ea))
        return build_of_nibbles(l, b, f, lanes, operands, count);
    return build_operation(l, b, f->form == TSR_MATRIX_SPLIT ? unsplit_overload(f) : f, f, lanes, operands, count);
}

static const struct {
    enum tsr__packet_mark kind;
    const char *name;
} marks[] = {{TSR__PACKET_ENDS, "tsr.packet_end"},
             {TSR__PACKET_RETURNS, "tsr.packet_return"},
             {TSR__PACKET_PAUSES, "tsr.packet_pause"},
             {TSR__PACKET_RESUMES, "tsr.packet_resume"}};

void tsr__packet_mark_build(struct tsr__compilation *l, LLVMBuilderRef b, enum tsr__packet_mark kind)
{
    size_t i = 0;
    while (marks[i].kind != kind)
        i++;
    /* It may read and write all memory: stores stay in front of it, and what a packet has stored is loaded again by the next one, which
     * then does not depend on the code of this one. */
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), NULL, 0, false);
    LLVMBuildCall2(b, type, tsr__declare_returning(l, marks[i].name, type), NULL, 0, "");
}

bool tsr__mad_read(LLVMValueRef instruction, struct tsr__mad *mad)
{
    LLVMValueRef callee = tsr__callee(instruction);
    if (!callee || !tsr__starts_with(tsr__name(callee), PREFIX))
        return false;
    char *rest;
    mad->call = instruction;
    mad->lanes = (unsigned)strtoul(tsr__name(callee) + strlen(PREFIX), &rest, 10);
    mad->f = &tsr_matrix_builtins[strtoul(rest + 1, &rest, 10)];
    mad->called = &tsr_matrix_builtins[strtoul(rest + 1, NULL, 10)];
    mad->a_count = LLVMGetNumArgOperands(instruction) - TSR__WORDS - mad->f->m;
    return true;
}

void tsr__mad_replace(struct tsr__compilation *l, const struct tsr__mad *mad, LLVMValueRef *rows)
{
    LLVMBuilderRef b = tsr__builder_before(l, mad->call);
    LLVMValueRef all = NULL; /* for users other than extractvalue */
    for (LLVMUseRef use; (use = LLVMGetFirstUse(mad->call)) != NULL;) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMGetInstructionOpcode(user) == LLVMExtractValue) {
            LLVMReplaceAllUsesWith(user, rows[*LLVMGetIndices(user)]);
            LLVMInstructionEraseFromParent(user);
            continue;
        }
        all = LLVMGetPoison(LLVMTypeOf(mad->call));
        for (unsigned i = 0; i < mad->f->m; i++)
            all = LLVMBuildInsertValue(b, all, rows[i], i, "");
        LLVMReplaceAllUsesWith(mad->call, all);
    }
    LLVMDisposeBuilder(b);
    LLVMInstructionEraseFromParent(mad->call);
}

static unsigned note_kind(struct tsr__compilation *l)
{
    return LLVMGetMDKindIDInContext(l->context, "tsr.tiles", 9);
}

void tsr__mad_note(struct tsr__compilation *l, LLVMValueRef call, const char *why)
{
    LLVMMetadataRef text = LLVMMDStringInContext2(l->context, why, strlen(why));
    LLVMSetMetadata(call, note_kind(l), LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, &text, 1)));
}

const char *tsr__mad_why(struct tsr__compilation *l, LLVMValueRef call)
{
    LLVMValueRef node = LLVMGetMetadata(call, note_kind(l)), text;
    unsigned length;
    if (!node)
        return NULL;
    LLVMGetMDNodeOperands(node, &text);
    return LLVMGetMDString(text, &length);
}

bool tsr__has_mads(LLVMValueRef function)
{
    struct tsr__mad mad;
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i))
        if (tsr__mad_read(i, &mad))
            return true;
    return false;
}

/* 0: it is none of them. */
static unsigned kind_of_mark(LLVMValueRef function)
{
    for (size_t i = 0; function && i < TSR_ARRAY_LEN(marks); i++)
        if (!strcmp(tsr__name(function), marks[i].name))
            return marks[i].kind;
    return 0;
}

bool tsr__is_packet_mark(LLVMValueRef function)
{
    return kind_of_mark(function);
}

LLVMValueRef tsr__packet_mark_in(LLVMBasicBlockRef block, unsigned kinds)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && kind_of_mark(tsr__callee(i)) & kinds)
            return i;
    return NULL;
}

void tsr__packet_marks_drop(struct tsr__compilation *l)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(marks); i++) {
        LLVMValueRef function = LLVMGetNamedFunction(l->module, marks[i].name);
        for (LLVMUseRef use; function && (use = LLVMGetFirstUse(function)) != NULL;)
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
        if (function)
            LLVMDeleteFunction(function);
    }
}

bool tsr__mad_results(const struct tsr__mad *mad, LLVMValueRef *rows)
{
    memset(rows, 0, TSR__MAX_M * sizeof *rows);
    for (LLVMUseRef use = LLVMGetFirstUse(mad->call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAExtractValueInst(user) || rows[*LLVMGetIndices(user)])
            return false;
        rows[*LLVMGetIndices(user)] = user;
    }
    for (unsigned i = 0; i < mad->f->m; i++)
        if (!rows[i])
            return false;
    return true;
}

bool tsr__mads_share(const struct tsr__mad *a, const struct tsr__mad *b, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        if (LLVMGetOperand(a->call, i) != LLVMGetOperand(b->call, i))
            return false;
    return true;
}
