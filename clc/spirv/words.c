/* SPDX-License-Identifier: Apache-2.0
 * Takes a module apart into instructions, and checks each against the grammar: that the opcode is known, the operands are there, and ids
 * are below the bound (SPIR-V specification 2.3, "Physical Layout of a SPIR-V Module and Instruction"). */
#include "clc/spirv/reader.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = TSR_SPIRV_HEADER / 4, MOST_IDS = 0x3fffff };

static const struct tsr__op ops[] = {
#define TSR_SPIRV_OP(name, number, operands) {number, #name, operands},
#include "spirv_grammar.inc"
};

/* Other forms that instructions of the same number have. */
static const struct tsr__op forms[] = {
#define TSR_SPIRV_FORM(name, number, operands) {number, #name, operands},
#include "spirv_grammar.inc"
};

static int by_number(const void *key, const void *element)
{
    uint32_t a = *(const uint32_t *)key, b = ((const struct tsr__op *)element)->number;
    return (a > b) - (a < b);
}

const struct tsr__op *tsr__spirv_op(uint32_t number)
{
    return bsearch(&number, ops, TSR_ARRAY_LEN(ops), sizeof ops[0], by_number);
}

/* ---- the words ---- */

static void load_words(struct tsr__reader *r)
{
    const struct tsr_spirv_input *in = r->input;
    const char *wrong = tsr_spirv_check(in->data, in->size);
    if (wrong)
        tsr__spirv_fail(r, NULL, "%s", wrong);
    if (in->size / 4 > UINT32_MAX / 4)
        tsr__spirv_fail(r, NULL, "a module of %zu bytes is too large", in->size);
    r->word_count = (uint32_t)(in->size / 4);
    uint32_t *words = tsr_arena_alloc(&r->arena, in->size);
    memcpy(words, in->data, in->size);
    bool swapped = words[0] != TSR_SPIRV_MAGIC;
    for (uint32_t i = 0; swapped && i < r->word_count; i++)
        words[i] = __builtin_bswap32(words[i]);
    r->words = words;
    r->bound = words[3];
    if (r->bound == 0 || r->bound > MOST_IDS + 1)
        tsr__spirv_fail(r, NULL, "the bound of ids is %u; it may be 1 to %d", r->bound, MOST_IDS + 1);
    r->ids = tsr_calloc((size_t)r->bound + TSR__SPARE_IDS, sizeof *r->ids);
    if (!r->ids)
        tsr__spirv_fail(r, NULL, "no memory for %u ids", r->bound);
}

/* ---- one instruction ---- */

/* Words of the text that begins there, 0 if it does not end before `end`. */
static uint32_t text_words(const uint32_t *at, const uint32_t *end)
{
    for (const uint32_t *p = at; p < end; p++)
        if (!(*p & 0xff) || !(*p & 0xff00) || !(*p & 0xff0000) || !(*p & 0xff000000))
            return (uint32_t)(p - at) + 1;
    return 0;
}

static void check_id(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id)
{
    if (id == 0 || id >= r->bound)
        tsr__spirv_fail(r, in, "id %u is not below the bound, %u", id, r->bound);
}

/* Checks the words of the operand that the letter stands for; how many there are. */
static uint32_t check_operand(struct tsr__reader *r, const struct tsr__inst *in, char letter, const uint32_t *at, const uint32_t *end)
{
    uint32_t left = (uint32_t)(end - at), size = 1;
    switch (letter) {
    case 'I':
        check_id(r, in, *at);
        break;
    case 'S':
        size = text_words(at, end);
        if (!size)
            tsr__spirv_fail(r, in, "the text has no end");
        break;
    case 'N':
    case 'W':
    case 'M':
    case 'X':
    case 'O':
        size = left; /* the rest depends on types and values, on the set of an extended instruction, on the opcode */
        break;
    case 'p':
        size = left; /* a literal has the width of the selector */
        break;
    case 'q':
    case 'r':
        if (left < 2)
            tsr__spirv_fail(r, in, "half of a pair of operands is missing");
        check_id(r, in, at[0]);
        if (letter == 'r')
            check_id(r, in, at[1]);
        size = 2;
        break;
    default:
        break;
    }
    return size;
}

static void check_operands(struct tsr__reader *r, struct tsr__inst *in, const uint32_t *at, const uint32_t *end)
{
    for (const char *p = in->op->operands; *p; p++) {
        bool any = p[1] == '*', optional = any || p[1] == '?';
        if (at == end && !optional)
            tsr__spirv_fail(r, in, "operands are missing");
        if (*p == 'T' || *p == 'R') {
            check_id(r, in, *at);
            *(*p == 'T' ? &in->type : &in->result) = *at;
            in->operand = ++at;
            continue;
        }
        if (at < end)
            at += check_operand(r, in, *p, at, end);
        while (any && at < end)
            at += check_operand(r, in, *p, at, end);
        p += optional;
    }
    if (at != end)
        tsr__spirv_fail(r, in, "it has %u words too many", (uint32_t)(end - at));
}

static void define(struct tsr__reader *r, const struct tsr__inst *in)
{
    struct tsr__id *id = &r->ids[in->result];
    if (id->inst)
        tsr__spirv_fail(r, in, "id %u is defined a second time; the first is at word %u", in->result, id->inst->at);
    id->inst = in;
}

/* tsr_spirv_check has seen that the last one ends with the module. */
static uint32_t count_instructions(struct tsr__reader *r)
{
    uint32_t count = 0;
    for (uint32_t at = HEADER_WORDS; at < r->word_count; at += r->words[at] >> 16)
        count++;
    return count;
}

/* Whether instructions are those of the draft of SPV_INTEL_joint_matrix, whose loads and stores have a scope: its type has an opcode of its
 * own. */
static bool has_draft(const struct tsr__reader *r)
{
    for (uint32_t at = HEADER_WORDS; at < r->word_count; at += r->words[at] >> 16)
        if ((r->words[at] & 0xffff) == TSR__OpTypeJointMatrixDraftINTEL)
            return true;
    return false;
}

/* The form that an instruction of `size` words has in this module. */
static const struct tsr__op *form_of(const struct tsr__reader *r, const struct tsr__op *op, uint32_t size)
{
    enum { LONGEST_SHORT_PREFETCH = 7 };
    bool draft = (op->number == TSR__OpJointMatrixLoadINTEL || op->number == TSR__OpJointMatrixStoreINTEL) && r->is_draft;
    bool at_coordinates = op->number == TSR__OpCooperativeMatrixPrefetchINTEL && size > LONGEST_SHORT_PREFETCH;
    for (size_t i = 0; i < TSR_ARRAY_LEN(forms) && (draft || at_coordinates); i++)
        if (forms[i].number == op->number)
            return &forms[i];
    return op;
}

/* Composites of more parts than an instruction has words go on in further instructions (SPV_INTEL_long_composites); 0: this one does not.
 */
static uint32_t continuation_of(uint32_t opcode)
{
    switch (opcode) {
    case TSR__OpTypeStruct:
        return TSR__OpTypeStructContinuedINTEL;
    case TSR__OpConstantComposite:
        return TSR__OpConstantCompositeContinuedINTEL;
    case TSR__OpSpecConstantComposite:
        return TSR__OpSpecConstantCompositeContinuedINTEL;
    case TSR__OpCompositeConstruct:
        return TSR__OpCompositeConstructContinuedINTEL;
    default:
        return 0;
    }
}

/* Gives the instruction the operands of those that continue it. Where the next one begins. */
static uint32_t join_continuations(struct tsr__reader *r, struct tsr__inst *in, uint32_t at)
{
    uint32_t opcode = continuation_of(in->op->number), end = at, count = in->count;
    for (; opcode && end < r->word_count && (r->words[end] & 0xffff) == opcode; end += r->words[end] >> 16)
        count += (r->words[end] >> 16) - 1;
    if (end == at)
        return at;
    uint32_t *all = tsr_arena_alloc(&r->arena, (size_t)(count + 1) * sizeof *all);
    memcpy(all, in->operand, in->count * sizeof *all);
    uint32_t *to = all + in->count;
    for (uint32_t size; at < end; at += size) {
        struct tsr__inst more = {.op = tsr__spirv_op(opcode), .at = at, .operand = r->words + at + 1};
        size = r->words[at] >> 16;
        check_operands(r, &more, more.operand, r->words + at + size);
        memcpy(to, more.operand, (size - 1) * sizeof *to);
        to += size - 1;
    }
    in->operand = all;
    in->count = count;
    return end;
}

void tsr__spirv_split(struct tsr__reader *r)
{
    load_words(r);
    r->is_draft = has_draft(r);
    r->inst_count = count_instructions(r);
    r->insts = tsr_arena_alloc(&r->arena, (r->inst_count + 1) * sizeof *r->insts);
    uint32_t at = HEADER_WORDS, count = 0;
    while (at < r->word_count) {
        struct tsr__inst *in = &r->insts[count++];
        uint32_t size = r->words[at] >> 16;
        in->op = tsr__spirv_op(r->words[at] & 0xffff);
        if (!in->op)
            tsr__spirv_fail(r, NULL, "word %u: opcode %u is not known", at, r->words[at] & 0xffff);
        in->op = form_of(r, in->op, size);
        in->at = at;
        in->operand = r->words + at + 1;
        check_operands(r, in, in->operand, r->words + at + size);
        in->count = (uint32_t)(r->words + at + size - in->operand);
        if (in->result)
            define(r, in);
        at = join_continuations(r, in, at + size);
    }
    r->inst_count = count;
}

/* ---- operands ---- */

uint32_t tsr__spirv_word(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    if (operand >= in->count)
        tsr__spirv_fail(r, in, "operand %u is missing", operand + 1);
    return in->operand[operand];
}

const char *tsr__spirv_text(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, uint32_t *words)
{
    const uint32_t *at = in->operand + operand;
    uint32_t size = operand < in->count ? text_words(at, in->operand + in->count) : 0;
    if (!size)
        tsr__spirv_fail(r, in, "operand %u is no text", operand + 1);
    if (words)
        *words = size;
    return (const char *)at; /* the first character is in the lowest byte of the word, as the machine has it in memory */
}

struct tsr__id *tsr__spirv_id(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    uint32_t id = tsr__spirv_word(r, in, operand);
    check_id(r, in, id);
    return &r->ids[id];
}

/* The type that the id is, not that of a value. */
static struct tsr__type *as_type(struct tsr__reader *r, const struct tsr__inst *in, uint32_t number)
{
    const struct tsr__id *id = &r->ids[number];
    if (!id->type || (id->inst && id->inst->type))
        tsr__spirv_fail(r, in, "id %u is no type, or it is declared later", number);
    return id->type;
}

struct tsr__type *tsr__spirv_type(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    tsr__spirv_id(r, in, operand);
    return as_type(r, in, in->operand[operand]);
}

const struct tsr__type *tsr__spirv_result_type(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = as_type(r, in, in->type);
    if (!type->llvm)
        tsr__spirv_fail(r, in, "the type, id %u, is not complete", in->type);
    return type;
}

LLVMValueRef tsr__spirv_value(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    struct tsr__id *id = tsr__spirv_id(r, in, operand);
    uint32_t number = in->operand[operand];
    if (!id->value && r->body.missing)
        return r->body.missing(r, in, number);
    if (!id->value)
        tsr__spirv_fail(r, in, "id %u has no value here", number);
    return id->value;
}

const struct tsr__type *tsr__spirv_type_of(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    const struct tsr__id *id = tsr__spirv_id(r, in, operand);
    if (!id->inst || !id->inst->type)
        tsr__spirv_fail(r, in, "id %u is no value", in->operand[operand]);
    return id->type ? id->type : tsr__spirv_result_type(r, id->inst);
}

uint64_t tsr__spirv_constant(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, const char *what)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1) {
        if (LLVMIsNull(value) && tsr__is_int(LLVMTypeOf(value)) && LLVMGetIntTypeWidth(tsr__scalar(LLVMTypeOf(value))) > 1)
            return 0;
        tsr__spirv_fail(r, in, "%s has to be a constant integer", what);
    }
    return LLVMConstIntGetZExtValue(value);
}
