/* SPDX-License-Identifier: Apache-2.0
 * Variables: of the module, of functions, and those that stand for built-ins (SPIR-V specification, OpVariable and "BuiltIn"). */
#include "clc/spirv/reader.h"

#include <string.h>

/* ---- built-ins ---- */

/* A built-in's value is what a function of OpenCL C gives: of one dimension in each element, or of none. */
static const struct builtin {
    uint32_t number;
    bool dimensions;
    const char *function;
    unsigned width; /* of what the function returns */
} builtins[] = {
    {24, true, "get_num_groups", 64},
    {25, true, "get_local_size", 64},
    {26, true, "get_group_id", 64},
    {27, true, "get_local_id", 64},
    {28, true, "get_global_id", 64},
    {29, false, "get_local_linear_id", 64},
    {30, false, "get_work_dim", 32},
    {31, true, "get_global_size", 64},
    {32, true, "get_enqueued_local_size", 64},
    {33, true, "get_global_offset", 64},
    {34, false, "get_global_linear_id", 64},
    {36, false, "get_sub_group_size", 32},
    {37, false, "get_max_sub_group_size", 32},
    {38, false, "get_num_sub_groups", 32},
    {39, false, "get_enqueued_num_sub_groups", 32},
    {40, false, "get_sub_group_id", 32},
    {41, false, "get_sub_group_local_id", 32},
    {4416, false, "get_sub_group_eq_mask", 0},
    {4417, false, "get_sub_group_ge_mask", 0},
    {4418, false, "get_sub_group_gt_mask", 0},
    {4419, false, "get_sub_group_le_mask", 0},
    {4420, false, "get_sub_group_lt_mask", 0},
};

static const struct builtin *find_builtin(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id)
{
    const struct tsr__decoration *d = tsr__spirv_decoration(r, id, TSR__DecorationBuiltIn, -1);
    for (size_t i = 0; d->count && i < TSR_ARRAY_LEN(builtins); i++)
        if (builtins[i].number == d->operand[0])
            return &builtins[i];
    tsr__spirv_fail(r, in, "built-in %u is none of OpenCL's", d->count ? d->operand[0] : 0);
}

static LLVMValueRef call_builtin(struct tsr__reader *r, const struct builtin *b, LLVMTypeRef result, unsigned dimension)
{
    struct tsr__arg arg = {.value = tsr__u32(r, dimension), .sign = TSR__UNSIGNED};
    LLVMTypeRef own = b->width ? LLVMIntTypeInContext(r->context, b->width) : LLVMVectorType(tsr__i32(r), 4);
    LLVMValueRef value = tsr__spirv_call(r, b->function, own, &arg, b->dimensions, TSR__PURE);
    return own == result ? value : LLVMBuildIntCast2(r->builder, value, result, false, "");
}

/* The value in the type of the variable. */
static LLVMValueRef builtin_value(struct tsr__reader *r, const struct tsr__inst *in, const struct builtin *b, LLVMTypeRef type)
{
    if (!tsr__is_int(type) || (!b->width && (!tsr__is_vector(type) || LLVMGetVectorSize(type) != 4)))
        tsr__spirv_fail(r, in, "a variable of %s cannot have this type", b->function);
    if (!b->dimensions || !tsr__is_vector(type)) {
        if (b->width && tsr__is_vector(type))
            tsr__spirv_fail(r, in, "a variable of %s cannot be a vector", b->function);
        if (!b->width && tsr__scalar(type) != tsr__i32(r))
            tsr__spirv_fail(r, in, "a variable of %s has elements of 32 bits", b->function);
        return call_builtin(r, b, type, 0);
    }
    LLVMValueRef value = LLVMGetUndef(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef element = i < 3 ? call_builtin(r, b, tsr__scalar(type), i) : LLVMConstNull(tsr__scalar(type));
        value = LLVMBuildInsertElement(r->builder, value, element, tsr__u32(r, i), "");
    }
    return value;
}

/* What is stored in a variable: what the type of the pointer says, or where that says nothing, an operand. */
static const struct tsr__type *stored_type(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *pointer = tsr__spirv_result_type(r, in), *type = pointer->element;
    if (in->op->number == TSR__OpUntypedVariableKHR)
        type = in->count > 1 ? tsr__spirv_type(r, in, 1) : NULL;
    if (!type || !type->llvm || !LLVMTypeIsSized(type->llvm))
        tsr__spirv_fail(r, in, "the type of the variable has no size");
    return type;
}

/* The operand that is the initial value. */
static uint32_t initial_operand(const struct tsr__inst *in)
{
    return in->op->number == TSR__OpUntypedVariableKHR ? 2 : 1;
}

/* In each function that uses it the variable is a copy on the stack, filled when the function begins: LLVM turns the loads into what is
 * stored and drops the dimensions that nobody reads. */
LLVMValueRef tsr__spirv_builtin_variable(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id)
{
    const struct builtin *b = find_builtin(r, in, id);
    const struct tsr__type *type = r->ids[id].type;
    if (!r->body.inst || !type)
        tsr__spirv_fail(r, in, "built-in %u is not used in a function", id);
    LLVMTypeRef stored = stored_type(r, r->ids[id].inst)->llvm;
    LLVMBuilderRef here = r->builder;
    r->builder = r->body.entry;
    r->body.entry = here; /* after an error both are disposed of, each once */
    LLVMValueRef value = builtin_value(r, in, b, stored), place = LLVMBuildAlloca(r->builder, stored, "");
    LLVMBuildStore(r->builder, value, place);
    if (LLVMTypeOf(place) != type->llvm)
        place = LLVMBuildAddrSpaceCast(r->builder, place, type->llvm, "");
    r->body.entry = r->builder;
    r->builder = here;
    struct tsr__builtin_use *use = tsr_arena_alloc(&r->arena, sizeof *use);
    use->variable = id;
    use->next = r->body.builtins;
    r->body.builtins = use;
    return r->ids[id].value = place;
}

/* ---- other variables ---- */

static void set_alignment(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef variable)
{
    const struct tsr__decoration *d = tsr__spirv_decoration(r, in->result, TSR__DecorationAlignment, -1);
    enum { MOST = 4096 };
    if (!d || !d->count)
        return;
    uint32_t bytes = d->operand[0];
    if (bytes == 0 || (bytes & (bytes - 1)) != 0 || bytes > MOST)
        tsr__spirv_fail(r, in, "an alignment of %u bytes: it has to be a power of two, at most %d", bytes, MOST);
    if (bytes > LLVMGetAlignment(variable))
        LLVMSetAlignment(variable, bytes);
}

static void set_linkage(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef variable)
{
    uint32_t linkage = 0;
    const char *name = tsr__spirv_linked_name(r, in, &linkage);
    LLVMSetLinkage(variable, LLVMInternalLinkage);
    if (!name)
        return;
    LLVMSetValueName2(variable, name, strlen(name));
    switch (linkage) {
    case TSR__LinkageImport:
        LLVMSetInitializer(variable, NULL);
        LLVMSetLinkage(variable, LLVMExternalLinkage);
        break;
    case TSR__LinkageLinkOnceODR:
        LLVMSetLinkage(variable, LLVMWeakODRLinkage);
        break;
    default:
        LLVMSetLinkage(variable, LLVMExternalLinkage);
        break;
    }
}

/* What stands for the variable is made in each function: tsr__spirv_builtin_variable. */
static bool is_builtin(struct tsr__reader *r, const struct tsr__inst *in)
{
    return tsr__spirv_decoration(r, in->result, TSR__DecorationBuiltIn, -1) != NULL;
}

static void make_global(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type *pointer)
{
    LLVMTypeRef type = stored_type(r, in)->llvm;
    LLVMValueRef initial = in->count > initial_operand(in) ? tsr__spirv_value(r, in, initial_operand(in)) : NULL;
    if (initial && (!LLVMIsConstant(initial) || LLVMTypeOf(initial) != type))
        tsr__spirv_fail(r, in, "the initializer is no constant of the type of the variable");
    bool local = pointer->storage == TSR__StorageWorkgroup;
    const char *name = r->ids[in->result].name;
    unsigned space = tsr__spirv_address_space(r, in, pointer->storage);
    if (space == 0)
        tsr__spirv_fail(r, in, "a variable of storage class %u has to be in a function", pointer->storage);
    LLVMValueRef variable = LLVMAddGlobalInAddressSpace(r->module, type, name ? name : "", space);
    LLVMSetInitializer(variable, local ? LLVMGetUndef(type) : initial ? initial : LLVMConstNull(type));
    if (pointer->storage == TSR__StorageUniformConstant || tsr__spirv_decoration(r, in->result, TSR__DecorationConstant, -1))
        LLVMSetGlobalConstant(variable, true);
    LLVMSetAlignment(variable, LLVMABIAlignmentOfType(r->layout, type));
    set_alignment(r, in, variable);
    set_linkage(r, in, variable);
    r->ids[in->result].value = variable;
}

static void make_local(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *stored = stored_type(r, in);
    LLVMTypeRef type = stored->llvm;
    LLVMValueRef variable = LLVMBuildAlloca(r->body.entry, type, r->ids[in->result].name ? r->ids[in->result].name : "");
    set_alignment(r, in, variable);
    r->ids[in->result].value = variable;
    if (in->count <= initial_operand(in))
        return;
    LLVMValueRef initial = tsr__spirv_value(r, in, initial_operand(in));
    if (LLVMTypeOf(initial) != type)
        tsr__spirv_fail(r, in, "the initializer is not of the type of the variable");
    tsr__spirv_store(r, stored, initial, variable, LLVMGetAlignment(variable), false);
}

bool tsr__spirv_make_variable(struct tsr__reader *r, const struct tsr__inst *in)
{
    if (in->op->number != TSR__OpVariable && in->op->number != TSR__OpUntypedVariableKHR)
        return false;
    const struct tsr__type *pointer = tsr__spirv_result_type(r, in);
    if (pointer->kind != TSR__POINTER || !pointer->element != (in->op->number == TSR__OpUntypedVariableKHR) ||
        in->operand[0] != pointer->storage)
        tsr__spirv_fail(r, in, "its type has to be a pointer of storage class %u", in->operand[0]);
    r->ids[in->result].type = (struct tsr__type *)pointer;
    bool local = pointer->storage == TSR__StorageFunction;
    if (local != (r->body.inst != NULL))
        tsr__spirv_fail(r, in, "a variable of storage class %u %s", pointer->storage, local ? "outside of a function" : "in a function");
    if (is_builtin(r, in)) {
        if (local)
            tsr__spirv_fail(r, in, "a built-in in a function");
        return true;
    }
    if (local)
        make_local(r, in);
    else
        make_global(r, in, pointer);
    return true;
}
