/* SPDX-License-Identifier: Apache-2.0
 * Instructions at which work-items meet: barriers, copies by a work-group, votes, reductions, moves between the lanes of a sub-group
 * (SPIR-V specification 3.52.20, 3.52.21 and 3.52.24). They are functions of OpenCL C. */
#include "clc/spirv/reader.h"

#include <stdio.h>
#include <string.h>

enum { CLK_LOCAL = 1, CLK_GLOBAL = 2 };

/* The scope at an operand: WORK_GROUP or SUB_GROUP. */
uint32_t tsr__spirv_execution_scope(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    uint64_t scope = tsr__spirv_constant(r, in, operand, "the scope");
    if (scope != TSR__ScopeWorkgroup && scope != TSR__ScopeSubgroup)
        tsr__spirv_fail(r, in, "execution scope %llu: it can be Workgroup, 2, or Subgroup, 3", (unsigned long long)scope);
    return (uint32_t)scope;
}

static LLVMTypeRef truth(struct tsr__reader *r)
{
    return LLVMInt1TypeInContext(r->context);
}

static LLVMValueRef truth_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMTypeOf(value) != truth(r))
        tsr__spirv_fail(r, in, "operand %u has to be a truth value", operand + 1);
    return LLVMBuildZExt(r->builder, value, tsr__i32(r), "");
}

static LLVMValueRef is_true(struct tsr__reader *r, LLVMValueRef value)
{
    return LLVMBuildICmp(r->builder, LLVMIntNE, value, tsr__u32(r, 0), "");
}

/* An integer operand with 32 bits. */
static LLVMValueRef lane_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "operand %u has to be an integer", operand + 1);
    return LLVMBuildIntCast2(r->builder, value, tsr__i32(r), false, "");
}

static bool is_number(LLVMTypeRef type)
{
    return tsr__is_int(type) || tsr__is_float(type);
}

/* ---- barriers ---- */

/* Calls barrier or sub_group_barrier for the scope at the first operand and the semantics at the third. */
static void barrier(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef semantics = tsr__spirv_value(r, in, 2);
    uint64_t bits = LLVMIsAConstantInt(semantics) ? LLVMConstIntGetZExtValue(semantics) : UINT64_MAX;
    uint32_t flags = (bits & TSR__SemanticsWorkgroupMemory ? CLK_LOCAL : 0) | (bits & TSR__SemanticsCrossWorkgroupMemory ? CLK_GLOBAL : 0);
    bool sub_group = tsr__spirv_execution_scope(r, in, 0) == TSR__ScopeSubgroup;
    struct tsr__arg arg = {.value = tsr__u32(r, flags), .sign = TSR__UNSIGNED};
    tsr__spirv_call(r, sub_group ? "sub_group_barrier" : "barrier", LLVMVoidTypeInContext(r->context), &arg, 1, TSR__MEETS);
}

LLVMValueRef tsr__emit_control_barrier(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    barrier(r, in);
    return NULL;
}

/* Work-items need not wait when they arrive, so the second half alone is the barrier. */
LLVMValueRef tsr__emit_split_barrier(struct tsr__reader *r, const struct tsr__inst *in, int wait)
{
    tsr__spirv_execution_scope(r, in, 0);
    if (wait)
        barrier(r, in);
    else
        LLVMBuildFence(r->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
    return NULL;
}

/* ---- copies by a work-group ---- */

static struct tsr__arg pointer_argument(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, bool is_const)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, operand);
    if (type->kind != TSR__POINTER || !type->element || !is_number(type->element->llvm))
        tsr__spirv_fail(r, in, "operand %u has to point to numbers or vectors of them", operand + 1);
    return (struct tsr__arg){.value = tsr__spirv_value(r, in, operand), .pointee = type->element->llvm, .is_const = is_const};
}

LLVMValueRef tsr__emit_async_copy(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMTypeRef size = LLVMInt64TypeInContext(r->context);
    if (tsr__spirv_execution_scope(r, in, 0) != TSR__ScopeWorkgroup)
        tsr__spirv_fail(r, in, "only a work-group copies");
    LLVMValueRef count = tsr__spirv_value(r, in, 3), stride = tsr__spirv_value(r, in, 4), event = tsr__spirv_value(r, in, 5);
    if (!tsr__is_int(LLVMTypeOf(count)) || !tsr__is_int(LLVMTypeOf(stride)) || LLVMTypeOf(event) != tsr__spirv_result_type(r, in)->llvm)
        tsr__spirv_fail(r, in, "number and stride have to be integers, and then comes an event");
    struct tsr__arg args[5] = {pointer_argument(r, in, 1, false), pointer_argument(r, in, 2, true)};
    unsigned n = 2;
    bool strided = !LLVMIsAConstantInt(stride) || LLVMConstIntGetZExtValue(stride) != 1;
    args[n++] = (struct tsr__arg){.value = LLVMBuildIntCast2(r->builder, count, size, false, ""), .sign = TSR__UNSIGNED};
    if (strided)
        args[n++] = (struct tsr__arg){.value = LLVMBuildIntCast2(r->builder, stride, size, false, ""), .sign = TSR__UNSIGNED};
    args[n++] = (struct tsr__arg){.value = event, .is_event = true};
    return tsr__spirv_call(r, strided ? "async_work_group_strided_copy" : "async_work_group_copy", LLVMTypeOf(event), args, n, 0);
}

/* As a copy of integers, or of vectors of them, of that size; the stride is in bytes. */
LLVMValueRef tsr__emit_async_copy_untyped(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    static const struct {
        uint64_t bytes;
        const char *type;
    } elements[] = {{1, "uchar"},   {2, "ushort"},  {4, "uint"},    {8, "ulong"},
                    {16, "ulong2"}, {32, "ulong4"}, {64, "ulong8"}, {128, "ulong16"}};
    LLVMTypeRef size = LLVMInt64TypeInContext(r->context);
    uint64_t bytes = tsr__spirv_constant(r, in, 3, "the size of an element");
    size_t which = 0;
    while (which < TSR_ARRAY_LEN(elements) && elements[which].bytes != bytes)
        which++;
    if (which == TSR_ARRAY_LEN(elements))
        tsr__spirv_fail(r, in, "elements of %llu bytes: they have to have a power of two of bytes, at most 128", (unsigned long long)bytes);
    LLVMValueRef count = tsr__spirv_value(r, in, 4), stride = tsr__spirv_value(r, in, 5), event = tsr__spirv_value(r, in, 6);
    const struct tsr__type *to = tsr__spirv_type_of(r, in, 1), *from = tsr__spirv_type_of(r, in, 2);
    if (tsr__spirv_execution_scope(r, in, 0) != TSR__ScopeWorkgroup || to->kind != TSR__POINTER || from->kind != TSR__POINTER ||
        LLVMTypeOf(count) != size || LLVMTypeOf(stride) != size || LLVMTypeOf(event) != tsr__spirv_result_type(r, in)->llvm)
        tsr__spirv_fail(r, in, "it takes the scope Workgroup, two pointers, number and stride with 64 bits, and an event");
    struct tsr__arg args[5] = {{.value = tsr__spirv_value(r, in, 1)}, {.value = tsr__spirv_value(r, in, 2), .is_const = true}};
    for (int i = 0; i < 2; i++)
        args[i].pointee = tsr__spirv_c_type(r, elements[which].type, &args[i].sign);
    args[2] = (struct tsr__arg){.value = count, .sign = TSR__UNSIGNED};
    args[3] = (struct tsr__arg){.value = LLVMBuildUDiv(r->builder, stride, LLVMConstInt(size, bytes, false), ""), .sign = TSR__UNSIGNED};
    args[4] = (struct tsr__arg){.value = event, .is_event = true};
    return tsr__spirv_call(r, "async_work_group_strided_copy", LLVMTypeOf(event), args, 5, 0);
}

LLVMValueRef tsr__emit_wait_events(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 2);
    if (tsr__spirv_execution_scope(r, in, 0) != TSR__ScopeWorkgroup || type->kind != TSR__POINTER || !type->element ||
        type->element->kind != TSR__EVENT)
        tsr__spirv_fail(r, in, "it takes the scope Workgroup and a pointer to events");
    struct tsr__arg args[] = {{.value = lane_operand(r, in, 1)},
                              {.value = tsr__spirv_value(r, in, 2), .pointee = type->element->llvm, .is_event = true}};
    tsr__spirv_call(r, "wait_group_events", LLVMVoidTypeInContext(r->context), args, 2, TSR__MEETS);
    return NULL;
}

/* ---- reductions and scans ---- */

struct operation {
    uint32_t opcode[3]; /* Group…, Group…KHR, GroupNonUniform… */
    const char *name;
    enum tsr__sign sign;
};

#define TSR__GROUP(op) TSR__OpGroup##op
#define TSR__LANES(op) TSR__OpGroupNonUniform##op
static const struct operation operations[] = {
    {{TSR__GROUP(IAdd), TSR__LANES(IAdd)}, "add", TSR__SIGNED},
    {{TSR__GROUP(FAdd), TSR__LANES(FAdd)}, "add", TSR__SIGNED},
    {{TSR__GROUP(IMulKHR), TSR__LANES(IMul)}, "mul", TSR__SIGNED},
    {{TSR__GROUP(FMulKHR), TSR__LANES(FMul)}, "mul", TSR__SIGNED},
    {{TSR__GROUP(SMin), TSR__LANES(SMin)}, "min", TSR__SIGNED},
    {{TSR__GROUP(UMin), TSR__LANES(UMin)}, "min", TSR__UNSIGNED},
    {{TSR__GROUP(FMin), TSR__LANES(FMin)}, "min", TSR__SIGNED},
    {{TSR__GROUP(SMax), TSR__LANES(SMax)}, "max", TSR__SIGNED},
    {{TSR__GROUP(UMax), TSR__LANES(UMax)}, "max", TSR__UNSIGNED},
    {{TSR__GROUP(FMax), TSR__LANES(FMax)}, "max", TSR__SIGNED},
    {{TSR__GROUP(BitwiseAndKHR), TSR__LANES(BitwiseAnd)}, "and", TSR__SIGNED},
    {{TSR__GROUP(BitwiseOrKHR), TSR__LANES(BitwiseOr)}, "or", TSR__SIGNED},
    {{TSR__GROUP(BitwiseXorKHR), TSR__LANES(BitwiseXor)}, "xor", TSR__SIGNED},
    {{TSR__GROUP(LogicalAndKHR), TSR__LANES(LogicalAnd)}, "logical_and", TSR__SIGNED},
    {{TSR__GROUP(LogicalOrKHR), TSR__LANES(LogicalOr)}, "logical_or", TSR__SIGNED},
    {{TSR__GROUP(LogicalXorKHR), TSR__LANES(LogicalXor)}, "logical_xor", TSR__SIGNED},
};
#undef TSR__GROUP
#undef TSR__LANES

static const struct operation *find_operation(uint32_t opcode)
{
    const struct operation *o = operations;
    while (o->opcode[0] != opcode && o->opcode[1] != opcode)
        o++;
    return o;
}

/* The name without the operation; NULL: this group does not have that form. */
static const char *collective_prefix(uint32_t scope, bool non_uniform, uint32_t form)
{
    static const char *const forms[] = {"reduce", "scan_inclusive", "scan_exclusive"};
    static char text[4][3][48];
    unsigned which = non_uniform ? 2 : scope == TSR__ScopeSubgroup;
    static const char *const groups[] = {"work_group", "sub_group", "sub_group_non_uniform"};
    if (form >= TSR_ARRAY_LEN(forms))
        return form == 3 && non_uniform ? "sub_group_clustered_reduce" : NULL;
    snprintf(text[which][form], sizeof text[0][0], "%s_%s", groups[which], forms[form]);
    return text[which][form];
}

/* The value as the function takes it: truth values as int; the library's work-group functions know no narrow integers, so those are
 * extended, which changes neither sums nor comparisons. */
static LLVMValueRef widen_operand(struct tsr__reader *r, LLVMValueRef value, const struct operation *o, bool work_group)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (type == truth(r))
        return LLVMBuildZExt(r->builder, value, tsr__i32(r), "");
    if (work_group && tsr__is_int(type) && LLVMGetIntTypeWidth(type) < 32)
        return LLVMBuildIntCast2(r->builder, value, tsr__i32(r), o->sign == TSR__SIGNED, "");
    return value;
}

LLVMValueRef tsr__emit_group_arithmetic(struct tsr__reader *r, const struct tsr__inst *in, int non_uniform)
{
    const struct operation *o = find_operation(in->op->number);
    uint32_t scope = tsr__spirv_execution_scope(r, in, 0), form = tsr__spirv_word(r, in, 1);
    LLVMValueRef value = tsr__spirv_value(r, in, 2);
    LLVMTypeRef type = LLVMTypeOf(value);
    bool logical = type == truth(r), is_float = tsr__is_float(type);
    bool every = scope == TSR__ScopeSubgroup && !non_uniform && o->opcode[0] >= TSR__OpGroupIMulKHR;
    const char *prefix = collective_prefix(scope, non_uniform || every, form); /* OpenCL C has no uniform form of these for sub-groups */
    if (!prefix || (non_uniform && scope != TSR__ScopeSubgroup) || (every && form == 3))
        tsr__spirv_fail(r, in, "group operation %u at scope %u is none of the device's", form, scope);
    if (logical != !strncmp(o->name, "logical", strlen("logical")) || is_float != (strchr(in->op->name, 'F') != NULL) ||
        tsr__is_vector(type) || !is_number(type))
        tsr__spirv_fail(r, in, "it does not take a value of this type");
    const char *name = tsr_arena_format(&r->arena, "%s_%s", prefix, o->name);
    struct tsr__arg args[] = {{.value = widen_operand(r, value, o, scope == TSR__ScopeWorkgroup), .sign = o->sign},
                              {.value = form == 3 ? lane_operand(r, in, 3) : NULL, .sign = TSR__UNSIGNED}};
    LLVMValueRef made = tsr__spirv_call(r, name, LLVMTypeOf(args[0].value), args, form == 3 ? 2 : 1, TSR__MEETS);
    if (logical)
        return is_true(r, made);
    return tsr__is_int(type) ? LLVMBuildIntCast2(r->builder, made, type, false, "") : made;
}

/* ---- votes and ballots ---- */

LLVMValueRef tsr__emit_group_vote(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    bool sub_group = tsr__spirv_execution_scope(r, in, 0) == TSR__ScopeSubgroup;
    const char *name =
        tsr_arena_format(&r->arena, "%s_%s", sub_group ? "sub_group" : "work_group", opcode == TSR__OpGroupAll ? "all" : "any");
    struct tsr__arg arg = {.value = truth_operand(r, in, 1)};
    return is_true(r, tsr__spirv_call(r, name, tsr__i32(r), &arg, 1, TSR__MEETS));
}

LLVMValueRef tsr__emit_elect(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_execution_scope(r, in, 0);
    return is_true(r, tsr__spirv_call(r, "sub_group_elect", tsr__i32(r), NULL, 0, TSR__MEETS));
}

LLVMValueRef tsr__emit_lane_vote(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_execution_scope(r, in, 0);
    bool all = in->op->number == TSR__OpGroupNonUniformAll;
    struct tsr__arg arg = {.value = truth_operand(r, in, 1)};
    return is_true(r,
                   tsr__spirv_call(r, all ? "sub_group_non_uniform_all" : "sub_group_non_uniform_any", tsr__i32(r), &arg, 1, TSR__MEETS));
}

/* One element after the other: vectors are equal where all of their elements are. */
LLVMValueRef tsr__emit_all_equal(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_execution_scope(r, in, 0);
    LLVMValueRef value = tsr__spirv_value(r, in, 1), all = NULL;
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!is_number(type))
        tsr__spirv_fail(r, in, "it takes numbers, truth values and vectors of them");
    unsigned count = tsr__is_vector(type) ? LLVMGetVectorSize(type) : 1;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef element = tsr__is_vector(type) ? LLVMBuildExtractElement(r->builder, value, tsr__u32(r, i), "") : value;
        if (LLVMTypeOf(element) == truth(r))
            element = LLVMBuildZExt(r->builder, element, tsr__i32(r), "");
        struct tsr__arg arg = {.value = element};
        LLVMValueRef one = is_true(r, tsr__spirv_call(r, "sub_group_non_uniform_all_equal", tsr__i32(r), &arg, 1, TSR__MEETS));
        all = all ? LLVMBuildAnd(r->builder, all, one, "") : one;
    }
    return all;
}

static LLVMTypeRef ballot_type(struct tsr__reader *r)
{
    return LLVMVectorType(tsr__i32(r), 4);
}

static struct tsr__arg ballot_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMTypeOf(value) != ballot_type(r))
        tsr__spirv_fail(r, in, "a ballot is a vector of four integers of 32 bits");
    return (struct tsr__arg){.value = value, .sign = TSR__UNSIGNED};
}

LLVMValueRef tsr__emit_ballot(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_execution_scope(r, in, 0);
    struct tsr__arg arg = {.value = truth_operand(r, in, 1)};
    return tsr__spirv_call(r, "sub_group_ballot", ballot_type(r), &arg, 1, TSR__MEETS);
}

LLVMValueRef tsr__emit_inverse_ballot(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_execution_scope(r, in, 0);
    struct tsr__arg arg = ballot_operand(r, in, 1);
    return is_true(r, tsr__spirv_call(r, "sub_group_inverse_ballot", tsr__i32(r), &arg, 1, TSR__PURE));
}

LLVMValueRef tsr__emit_ballot_bit(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_execution_scope(r, in, 0);
    struct tsr__arg args[] = {ballot_operand(r, in, 1), {.value = lane_operand(r, in, 2), .sign = TSR__UNSIGNED}};
    return is_true(r, tsr__spirv_call(r, "sub_group_ballot_bit_extract", tsr__i32(r), args, 2, TSR__PURE));
}

static LLVMValueRef ballot_number(struct tsr__reader *r, const struct tsr__inst *in, const char *name, uint32_t operand)
{
    tsr__spirv_execution_scope(r, in, 0);
    struct tsr__arg arg = ballot_operand(r, in, operand);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "its result has to be an integer");
    return LLVMBuildIntCast2(r->builder, tsr__spirv_call(r, name, tsr__i32(r), &arg, 1, TSR__PURE), type, false, "");
}

LLVMValueRef tsr__emit_ballot_count(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    static const char *const names[] = {"sub_group_ballot_bit_count", "sub_group_ballot_inclusive_scan", "sub_group_ballot_exclusive_scan"};
    uint32_t form = tsr__spirv_word(r, in, 1);
    if (form >= TSR_ARRAY_LEN(names))
        tsr__spirv_fail(r, in, "group operation %u is none of this instruction's", form);
    return ballot_number(r, in, names[form], 2);
}

LLVMValueRef tsr__emit_ballot_find(struct tsr__reader *r, const struct tsr__inst *in, int highest)
{
    return ballot_number(r, in, highest ? "sub_group_ballot_find_msb" : "sub_group_ballot_find_lsb", 1);
}

/* ---- values of other work-items ---- */

/* Calls the function for each element of the value; `rest` are the arguments after it. */
static LLVMValueRef each_element(struct tsr__reader *r, const struct tsr__inst *in, const char *name, LLVMValueRef value,
                                 const struct tsr__arg *rest, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!is_number(type))
        tsr__spirv_fail(r, in, "it takes numbers, truth values and vectors of them");
    struct tsr__arg args[4];
    memcpy(args + 1, rest, count * sizeof *rest);
    bool is_truth = tsr__scalar(type) == truth(r);
    LLVMValueRef made = LLVMGetUndef(type);
    for (unsigned i = 0; i < (tsr__is_vector(type) ? LLVMGetVectorSize(type) : 1); i++) {
        LLVMValueRef element = tsr__is_vector(type) ? LLVMBuildExtractElement(r->builder, value, tsr__u32(r, i), "") : value;
        if (is_truth)
            element = LLVMBuildZExt(r->builder, element, tsr__i32(r), "");
        args[0] = (struct tsr__arg){.value = element};
        element = tsr__spirv_call(r, name, LLVMTypeOf(element), args, count + 1, TSR__MEETS);
        if (is_truth)
            element = is_true(r, element);
        if (!tsr__is_vector(type))
            return element;
        made = LLVMBuildInsertElement(r->builder, made, element, tsr__u32(r, i), "");
    }
    return made;
}

/* Of a work-group, each element with as many ids as there are dimensions in LocalId. */
LLVMValueRef tsr__emit_group_broadcast(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef value = tsr__spirv_value(r, in, 1), id = tsr__spirv_value(r, in, 2);
    bool sub_group = tsr__spirv_execution_scope(r, in, 0) == TSR__ScopeSubgroup, vector = tsr__is_vector(LLVMTypeOf(id));
    unsigned dimensions = vector ? LLVMGetVectorSize(LLVMTypeOf(id)) : 1;
    if (!tsr__is_int(LLVMTypeOf(id)) || dimensions > 3 || (sub_group && vector))
        tsr__spirv_fail(r, in, "LocalId has to be an integer, or for a work-group a vector of two or three");
    struct tsr__arg ids[3];
    LLVMTypeRef width = sub_group ? tsr__i32(r) : LLVMInt64TypeInContext(r->context);
    for (unsigned i = 0; i < dimensions; i++) {
        LLVMValueRef one = vector ? LLVMBuildExtractElement(r->builder, id, tsr__u32(r, i), "") : id;
        ids[i] = (struct tsr__arg){.value = LLVMBuildIntCast2(r->builder, one, width, false, ""), .sign = TSR__UNSIGNED};
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    bool narrow = !sub_group && tsr__is_int(type) && LLVMGetIntTypeWidth(tsr__scalar(type)) < 32;
    if (narrow)
        value = LLVMBuildZExt(r->builder, value, tsr__with_scalar(type, tsr__i32(r)), "");
    LLVMValueRef made = each_element(r, in, sub_group ? "sub_group_broadcast" : "work_group_broadcast", value, ids, dimensions);
    return narrow ? LLVMBuildTrunc(r->builder, made, type, "") : made;
}

LLVMValueRef tsr__emit_lane_move(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    static const struct {
        uint32_t opcode;
        const char *name;
    } moves[] = {
        {TSR__OpGroupNonUniformBroadcast, "sub_group_non_uniform_broadcast"},
        {TSR__OpGroupNonUniformBroadcastFirst, "sub_group_broadcast_first"},
        {TSR__OpGroupNonUniformShuffle, "sub_group_shuffle"},
        {TSR__OpGroupNonUniformShuffleXor, "sub_group_shuffle_xor"},
        {TSR__OpGroupNonUniformShuffleUp, "sub_group_shuffle_up"},
        {TSR__OpGroupNonUniformShuffleDown, "sub_group_shuffle_down"},
        {TSR__OpGroupNonUniformRotateKHR, "sub_group_rotate"},
    };
    size_t which = 0;
    while (moves[which].opcode != in->op->number)
        which++;
    tsr__spirv_execution_scope(r, in, 0);
    bool rotates = in->op->number == TSR__OpGroupNonUniformRotateKHR;
    struct tsr__arg rest[2];
    unsigned count = 0;
    if (in->op->number != TSR__OpGroupNonUniformBroadcastFirst)
        rest[count++] = (struct tsr__arg){.value = lane_operand(r, in, 2), .sign = rotates ? TSR__SIGNED : TSR__UNSIGNED};
    if (rotates && in->count > 3)
        rest[count++] = (struct tsr__arg){.value = lane_operand(r, in, 3), .sign = TSR__UNSIGNED};
    return each_element(r, in, count == 2 ? "sub_group_clustered_rotate" : moves[which].name, tsr__spirv_value(r, in, 1), rest, count);
}

/* ---- SPV_INTEL_subgroups ---- */

/* Truth values as int. Vectors go in one call where there is one, else element by element. */
LLVMValueRef tsr__emit_intel_shuffle(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    uint32_t op = in->op->number;
    const char *name = op == TSR__OpSubgroupShuffleINTEL       ? "intel_sub_group_shuffle"
                       : op == TSR__OpSubgroupShuffleXorINTEL  ? "intel_sub_group_shuffle_xor"
                       : op == TSR__OpSubgroupShuffleDownINTEL ? "intel_sub_group_shuffle_down"
                                                               : "intel_sub_group_shuffle_up";
    unsigned values = in->count - 1;
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm, scalar = tsr__scalar(type);
    struct tsr__arg whole[3], args[3];
    for (uint32_t i = 0; i < values; i++) {
        whole[i] = (struct tsr__arg){.value = tsr__spirv_value(r, in, i)};
        if (LLVMTypeOf(whole[i].value) != type || !is_number(type))
            tsr__spirv_fail(r, in, "operand %u is not of the type of the result", i + 1);
        if (scalar == truth(r))
            whole[i].value = LLVMBuildZExt(r->builder, whole[i].value, tsr__with_scalar(type, tsr__i32(r)), "");
    }
    LLVMTypeRef moved = LLVMTypeOf(whole[0].value);
    LLVMTypeKind kind = LLVMGetTypeKind(tsr__scalar(moved));
    bool at_once =
        !tsr__is_vector(moved) || kind == LLVMFloatTypeKind || (tsr__is_int(moved) && LLVMGetIntTypeWidth(tsr__scalar(moved)) <= 32);
    whole[values] = args[values] = (struct tsr__arg){.value = lane_operand(r, in, values), .sign = TSR__UNSIGNED};
    LLVMValueRef made = at_once ? tsr__spirv_call(r, name, moved, whole, values + 1, TSR__MEETS) : LLVMGetUndef(moved);
    for (unsigned e = 0; !at_once && e < LLVMGetVectorSize(moved); e++) {
        for (unsigned i = 0; i < values; i++)
            args[i] = (struct tsr__arg){.value = LLVMBuildExtractElement(r->builder, whole[i].value, tsr__u32(r, e), "")};
        LLVMValueRef element = tsr__spirv_call(r, name, tsr__scalar(moved), args, values + 1, TSR__MEETS);
        made = LLVMBuildInsertElement(r->builder, made, element, tsr__u32(r, e), "");
    }
    return scalar == truth(r) ? LLVMBuildICmp(r->builder, LLVMIntNE, made, LLVMConstNull(moved), "") : made;
}

const char *tsr__block_name(struct tsr__reader *r, const struct tsr__inst *in, const char *verb, LLVMTypeRef type)
{
    static const char *const suffixes[] = {"_uc", "_us", "", "_ul"};
    if (!is_number(type) || tsr__scalar(type) == truth(r))
        tsr__spirv_fail(r, in, "a block consists of numbers");
    unsigned elements = tsr__is_vector(type) ? LLVMGetVectorSize(type) : 1;
    unsigned most = LLVMSizeOfTypeInBits(r->layout, tsr__scalar(type)) <= 16 ? 16 : 8;
    if (elements == 3 || elements > most)
        tsr__spirv_fail(r, in, "a block of this type has 1, 2, 4, 8%s elements for each work-item, not %u", most == 16 ? " or 16" : "",
                        elements);
    int log = __builtin_ctz((unsigned)LLVMSizeOfTypeInBits(r->layout, tsr__scalar(type))) - 3;
    const char *count = tsr__is_vector(type) ? tsr_arena_format(&r->arena, "%u", LLVMGetVectorSize(type)) : "";
    return tsr_arena_format(&r->arena, "intel_sub_group_block_%s%s%s", verb, suffixes[log], count);
}

LLVMTypeRef tsr__int_like(struct tsr__reader *r, LLVMTypeRef type)
{
    return tsr__with_scalar(type, LLVMIntTypeInContext(r->context, (unsigned)LLVMSizeOfTypeInBits(r->layout, tsr__scalar(type))));
}

/* `type`: of the numbers. What the pointer points to may be any number: writers that know pointers without types alone make one up. */
static struct tsr__arg block_pointer(struct tsr__reader *r, const struct tsr__inst *in, LLVMTypeRef type, bool is_const)
{
    const struct tsr__type *pointer = tsr__spirv_type_of(r, in, 0);
    if (pointer->kind != TSR__POINTER || (pointer->storage != TSR__StorageCrossWorkgroup && pointer->storage != TSR__StorageWorkgroup))
        tsr__spirv_fail(r, in, "its first operand has to be a pointer to CrossWorkgroup or Workgroup memory");
    if (pointer->element && pointer->element->kind != TSR__INT && pointer->element->kind != TSR__FLOAT)
        tsr__spirv_fail(r, in, "its first operand has to point to numbers");
    return (struct tsr__arg){
        .value = tsr__spirv_value(r, in, 0), .sign = TSR__UNSIGNED, .pointee = tsr__scalar(type), .is_const = is_const};
}

LLVMValueRef tsr__emit_intel_block_read(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    const char *name = tsr__block_name(r, in, "read", type);
    struct tsr__arg arg = block_pointer(r, in, tsr__int_like(r, type), true);
    LLVMValueRef made = tsr__spirv_call(r, name, tsr__int_like(r, type), &arg, 1, TSR__MEETS);
    return LLVMBuildBitCast(r->builder, made, type, "");
}

LLVMValueRef tsr__emit_intel_block_write(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef data = tsr__spirv_value(r, in, 1);
    const char *name = tsr__block_name(r, in, "write", LLVMTypeOf(data));
    LLVMTypeRef type = tsr__int_like(r, LLVMTypeOf(data));
    struct tsr__arg args[] = {block_pointer(r, in, type, false),
                              {.value = LLVMBuildBitCast(r->builder, data, type, ""), .sign = TSR__UNSIGNED}};
    tsr__spirv_call(r, name, LLVMVoidTypeInContext(r->context), args, 2, TSR__MEETS);
    return NULL;
}

/* ---- SPV_KHR_shader_clock ---- */

LLVMValueRef tsr__emit_read_clock(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    static const char *const names[] = {[TSR__ScopeDevice] = "clock_read_device",
                                        [TSR__ScopeWorkgroup] = "clock_read_work_group",
                                        [TSR__ScopeSubgroup] = "clock_read_sub_group"};
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm, i64 = LLVMInt64TypeInContext(r->context);
    uint64_t scope = tsr__spirv_constant(r, in, 0, "the scope");
    if (scope >= TSR_ARRAY_LEN(names) || !names[scope])
        tsr__spirv_fail(r, in, "scope %llu: it can be Device, 1, Workgroup, 2, or Subgroup, 3", (unsigned long long)scope);
    if (type != i64 && type != LLVMVectorType(tsr__i32(r), 2))
        tsr__spirv_fail(r, in, "its result has to be an integer of 64 bits or a vector of two of 32");
    return LLVMBuildBitCast(r->builder, tsr__spirv_call(r, names[scope], i64, NULL, 0, 0), type, "");
}
