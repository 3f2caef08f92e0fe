/* SPDX-License-Identifier: Apache-2.0
 * Functions: their declarations, then their bodies instruction by instruction. */
#include "clc/spirv/reader.h"

#include <string.h>

enum { SPIR_FUNC = 75 }; /* calling convention */

static void add_attribute(struct tsr__reader *r, LLVMValueRef function, unsigned index, const char *name, LLVMTypeRef type)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, index,
                            type ? LLVMCreateTypeAttribute(r->context, kind, type) : LLVMCreateEnumAttribute(r->context, kind, 0));
}

/* ---- declarations ---- */

static void add_parameter_attributes(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef function, unsigned index,
                                     const struct tsr__type *type)
{
    bool pointer = type->kind == TSR__POINTER;
    for (const struct tsr__decoration *d = r->ids[in->result].decorations; d; d = d->next) {
        if (d->number == TSR__DecorationAlignment && d->count && pointer && d->operand[0] && !(d->operand[0] & (d->operand[0] - 1)))
            LLVMSetParamAlignment(LLVMGetParam(function, index - 1), d->operand[0]);
        if (d->number != TSR__DecorationFuncParamAttr || !d->count)
            continue;
        switch (d->operand[0]) {
        case TSR__AttrZext:
        case TSR__AttrSext:
            if (type->kind == TSR__INT || type->kind == TSR__BOOL)
                add_attribute(r, function, index, d->operand[0] == TSR__AttrZext ? "zeroext" : "signext", NULL);
            break;
        case TSR__AttrByVal:
        case TSR__AttrSret:
            if (!pointer || !type->element || !type->element->llvm || !LLVMTypeIsSized(type->element->llvm))
                tsr__spirv_fail(r, in, "only a pointer to a type with a size can be ByVal or Sret");
            add_attribute(r, function, index, d->operand[0] == TSR__AttrByVal ? "byval" : "sret", type->element->llvm);
            break;
        case TSR__AttrNoAlias:
            if (pointer)
                add_attribute(r, function, index, "noalias", NULL);
            break;
        case TSR__AttrNoWrite:
            if (pointer)
                add_attribute(r, function, index, "readonly", NULL);
            break;
        default: /* hints */
            break;
        }
    }
}

/* Others link what was made for the first of several sub-group sizes. */
static void set_linkage(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef function)
{
    uint32_t linkage = 0;
    const char *name = tsr__spirv_linked_name(r, in, &linkage);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    if (!name || tsr__matrix_again(r))
        return;
    LLVMSetLinkage(function, linkage == TSR__LinkageLinkOnceODR ? LLVMWeakODRLinkage : LLVMExternalLinkage);
    LLVMValueRef same = LLVMGetNamedFunction(r->module, name);
    if (same && same != function)
        tsr__spirv_fail(r, in, "there are two functions '%.100s'", name);
    LLVMSetValueName2(function, name, strlen(name));
}

static void declare(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_type(r, in, 1);
    if (type->kind != TSR__FUNCTION || tsr__spirv_result_type(r, in) != type->element)
        tsr__spirv_fail(r, in, "its type and that of its result do not fit");
    const char *name = r->ids[in->result].name;
    LLVMValueRef function = LLVMAddFunction(r->module, "", type->llvm);
    LLVMSetFunctionCallConv(function, SPIR_FUNC);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    if (name && *name && !tsr__spirv_decoration(r, in->result, TSR__DecorationLinkageAttributes, -1) &&
        !LLVMGetNamedFunction(r->module, name))
        LLVMSetValueName2(function, name, strlen(name));
    set_linkage(r, in, function);
    static const char *const always[] = {"convergent", "nounwind"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(always); i++)
        add_attribute(r, function, (unsigned)LLVMAttributeFunctionIndex, always[i], NULL);
    uint32_t control = in->operand[0];
    if (control & TSR__FunctionInline)
        add_attribute(r, function, (unsigned)LLVMAttributeFunctionIndex, "alwaysinline", NULL);
    else if (control & TSR__FunctionDontInline)
        add_attribute(r, function, (unsigned)LLVMAttributeFunctionIndex, "noinline", NULL);
    struct tsr__id *id = &r->ids[in->result];
    id->value = function;
    id->type = (struct tsr__type *)type;
}

static const struct tsr__inst *next(struct tsr__reader *r, uint32_t i, uint32_t opcode)
{
    return i < r->inst_count && r->insts[i].op->number == opcode ? &r->insts[i] : NULL;
}

/* Declares the function with its parameters. The index of what follows. */
static uint32_t declare_whole(struct tsr__reader *r, uint32_t i)
{
    const struct tsr__inst *in = &r->insts[i++], *p;
    declare(r, in);
    const struct tsr__type *type = r->ids[in->result].type;
    LLVMValueRef function = r->ids[in->result].value;
    for (uint32_t n = 0; n < type->count; n++) {
        while (next(r, i, TSR__OpLine) || next(r, i, TSR__OpNoLine))
            i++;
        p = next(r, i++, TSR__OpFunctionParameter);
        if (!p || tsr__spirv_result_type(r, p) != type->members[n])
            tsr__spirv_fail(r, p ? p : in, "parameter %u is missing, or its type is not that of the function's type", n + 1);
        struct tsr__id *id = &r->ids[p->result];
        id->value = LLVMGetParam(function, n);
        id->type = (struct tsr__type *)type->members[n];
        if (id->name)
            LLVMSetValueName2(id->value, id->name, strlen(id->name));
        add_parameter_attributes(r, p, function, n + 1, type->members[n]);
    }
    return i;
}

/* ---- bodies ---- */

static void begin_block(struct tsr__reader *r, const struct tsr__inst *in)
{
    if (r->body.block)
        tsr__spirv_fail(r, in, "the block before it has no end");
    r->body.block = r->ids[in->result].block;
    r->body.after_phis = NULL;
    LLVMPositionBuilderAtEnd(r->builder, r->body.block);
}

static bool is_line(const struct tsr__inst *in)
{
    return in->op->number == TSR__OpLine || in->op->number == TSR__OpNoLine;
}

static bool has_no_semantics(const struct tsr__reader *r, const struct tsr__inst *in)
{
    return in->op->number == TSR__OpExtInst && r->ids[in->operand[0]].import >= TSR__NO_SEMANTICS;
}

static void make_instruction(struct tsr__reader *r, const struct tsr__inst *in)
{
    if (in->op->number == TSR__OpLabel) {
        begin_block(r, in);
        return;
    }
    if (in->op->number == TSR__OpNop || tsr__spirv_line(r, in) || has_no_semantics(r, in))
        return;
    if (!r->body.block)
        tsr__spirv_fail(r, in, "it stands in no block");
    if (in->op->number == TSR__OpUndef)
        tsr__spirv_make_constant(r, in);
    else if (!tsr__spirv_control(r, in) && !tsr__spirv_make_variable(r, in) && !tsr__matrix_elementwise(r, in))
        tsr__spirv_emit(r, in);
}

/* What stands for a value of this function that is made further on, until it is: some producers do not put a block before those that it
 * dominates. */
static LLVMValueRef later_value(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id)
{
    for (const struct tsr__later *known = r->body.later; known; known = known->next)
        if (known->id == id)
            return known->placeholder;
    const struct tsr__type *type = tsr__spirv_result_type(r, r->ids[id].inst);
    if (type->kind == TSR__VOID || type->kind == TSR__FUNCTION)
        tsr__spirv_fail(r, in, "id %u has no value", id);
    struct tsr__later *later = tsr_arena_alloc(&r->arena, sizeof *later);
    later->id = id;
    later->placeholder = LLVMBuildFreeze(r->body.entry, LLVMGetUndef(type->llvm), "");
    later->next = r->body.later;
    r->body.later = later;
    r->body.later_count++;
    return later->placeholder;
}

static LLVMValueRef missing_value(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id)
{
    const struct tsr__inst *made = r->ids[id].inst;
    bool variable = made && (made->op->number == TSR__OpVariable || made->op->number == TSR__OpUntypedVariableKHR);
    if (variable && tsr__spirv_decoration(r, id, TSR__DecorationBuiltIn, -1))
        return tsr__spirv_builtin_variable(r, in, id);
    if (!made || !made->type || made < r->body.inst || made > r->body.end)
        tsr__spirv_fail(r, in, "id %u has no value here", id);
    return later_value(r, in, id);
}

/* A copy of a value that is made further on is that value's placeholder, until both are there. */
static LLVMValueRef made_value(struct tsr__reader *r, uint32_t id)
{
    LLVMValueRef value = r->ids[id].value;
    const struct tsr__later *later = r->body.later;
    for (uint32_t steps = 0; value && later; steps++) { /* each placeholder once, unless they are copies of each other */
        for (later = r->body.later; later && later->placeholder != value; later = later->next)
            continue;
        if (steps > r->body.later_count)
            tsr__spirv_fail(r, r->ids[id].inst, "it is a copy of itself");
        value = later ? r->ids[later->id].value : value;
    }
    return value;
}

static void replace_placeholders(struct tsr__reader *r)
{
    struct tsr__later *later;
    for (later = r->body.later; later; later = later->next) {
        later->value = made_value(r, later->id);
        if (!later->value || LLVMTypeOf(later->value) != LLVMTypeOf(later->placeholder))
            tsr__spirv_fail(r, r->ids[later->id].inst, "it is used and has no value");
    }
    for (later = r->body.later; later; later = later->next) {
        LLVMReplaceAllUsesWith(later->placeholder, later->value);
        LLVMInstructionEraseFromParent(later->placeholder);
    }
}

/* Variables come before a jump to the first block of the module, so that they are in the entry block wherever the module has them. */
static void open_body(struct tsr__reader *r, const struct tsr__inst *in, uint32_t first, uint32_t last)
{
    LLVMValueRef function = r->ids[in->result].value;
    r->body = (struct tsr__body){.inst = in, .end = &r->insts[last], .missing = missing_value, .function = function};
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(r->context, function, "entry"), start = NULL;
    for (uint32_t i = first; i < last; i++) {
        if (r->insts[i].op->number != TSR__OpLabel)
            continue;
        LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(r->context, function, "");
        r->ids[r->insts[i].result].block = block;
        start = start ? start : block;
    }
    if (!start)
        tsr__spirv_fail(r, in, "it has no block");
    r->body.entry = LLVMCreateBuilderInContext(r->context);
    LLVMPositionBuilderAtEnd(r->body.entry, entry);
    LLVMPositionBuilderBefore(r->body.entry, LLVMBuildBr(r->body.entry, start));
    tsr__spirv_function_lines(r, in, function, r->body.entry);
}

static void make_body(struct tsr__reader *r, const struct tsr__inst *in, uint32_t first, uint32_t last)
{
    if (first == last)
        return; /* a declaration */
    open_body(r, in, first, last);
    for (uint32_t i = first; i < last; i++)
        make_instruction(r, &r->insts[i]);
    if (r->body.block)
        tsr__spirv_fail(r, &r->insts[last - 1], "the last block of the function has no end");
    tsr__spirv_finish_phis(r, first, last);
    replace_placeholders(r);
    tsr__spirv_end_function_lines(r);
    tsr__spirv_drop_unused(r);
    for (const struct tsr__builtin_use *use = r->body.builtins; use; use = use->next)
        r->ids[use->variable].value = NULL;
    for (uint32_t i = first; i < last; i++) { /* what a function defines is not there for the next */
        struct tsr__id *id = &r->ids[r->insts[i].result];
        id->block = NULL;
        id->value = NULL;
    }
    LLVMDisposeBuilder(r->body.entry);
    r->body = (struct tsr__body){0};
}

static bool is_definition(const struct tsr__extent *e)
{
    return e->first < e->last;
}

static void check_linkage(struct tsr__reader *r, const struct tsr__extent *e)
{
    LLVMLinkage linkage = LLVMGetLinkage(r->ids[e->function->result].value);
    if (!is_definition(e) && linkage != LLVMExternalLinkage)
        tsr__spirv_fail(r, e->function, "it has no body and is not imported");
}

static void make_entry_points(struct tsr__reader *r)
{
    for (const struct tsr__entry_point *e = r->entry_points; e; e = e->next) {
        const struct tsr__id *id = &r->ids[e->function];
        if (e->function >= r->bound || !id->inst || id->inst->op->number != TSR__OpFunction)
            tsr__spirv_fail(r, NULL, "entry point '%.100s' is no function", e->name);
        if (!tsr__matrix_belongs(r, e->function))
            continue;
        if (LLVMIsDeclaration(id->value))
            tsr__spirv_fail(r, NULL, "entry point '%.100s' is no function that the module defines", e->name);
        tsr__spirv_kernel(r, id->value, id->inst, e->name);
    }
}

/* Finds where all functions begin and end, and declares those that are to be made. */
static void declare_all(struct tsr__reader *r, uint32_t first)
{
    r->functions = tsr_arena_alloc(&r->arena, (r->inst_count - first + 1) * sizeof *r->functions);
    for (uint32_t i = first; i < r->inst_count;) {
        const struct tsr__inst *in = &r->insts[i];
        if (is_line(in) || in->op->number == TSR__OpNop || has_no_semantics(r, in)) {
            i++;
            continue;
        }
        if (in->op->number != TSR__OpFunction)
            tsr__spirv_fail(r, in, "it stands between functions");
        struct tsr__extent *e = &r->functions[r->function_count++];
        e->function = in;
        e->first = i = declare_whole(r, i);
        while (i < r->inst_count && r->insts[i].op->number != TSR__OpFunctionEnd && r->insts[i].op->number != TSR__OpFunction)
            i++;
        if (!next(r, i, TSR__OpFunctionEnd))
            tsr__spirv_fail(r, in, "OpFunctionEnd is missing");
        e->last = i++;
        while (e->first < e->last && r->insts[e->first].op->number != TSR__OpLabel && is_line(&r->insts[e->first]))
            e->first++;
        check_linkage(r, e);
    }
}

static void make_bodies(struct tsr__reader *r)
{
    for (const struct tsr__extent *e = r->functions; e < r->functions + r->function_count; e++)
        if (tsr__matrix_belongs(r, e->function->result))
            make_body(r, e->function, e->first, e->last);
    make_entry_points(r);
}

/* An entry point for another sub-group size than the first: its declaration goes, until that size comes. */
static void drop_declaration(struct tsr__reader *r, const struct tsr__extent *e)
{
    struct tsr__id *id = &r->ids[e->function->result];
    if (LLVMGetFirstUse(id->value))
        tsr__spirv_fail(r, e->function,
                        "a function calls this entry point, which requires another sub-group size than others with matrices");
    LLVMDeleteFunction(id->value);
    id->value = NULL;
}

void tsr__spirv_functions(struct tsr__reader *r, uint32_t first)
{
    declare_all(r, first);
    tsr__spirv_fast_math(r);
    make_bodies(r);
    for (const struct tsr__extent *e = r->functions; e < r->functions + r->function_count; e++)
        if (!tsr__matrix_belongs(r, e->function->result))
            drop_declaration(r, e);
}

void tsr__spirv_functions_again(struct tsr__reader *r)
{
    for (const struct tsr__extent *e = r->functions; e < r->functions + r->function_count; e++)
        if (tsr__matrix_belongs(r, e->function->result)) {
            if (!is_definition(e))
                tsr__spirv_fail(r, e->function, "kernels that require different sub-group sizes cannot import a function with matrices");
            declare_whole(r, (uint32_t)(e->function - r->insts));
        }
    make_bodies(r);
}
