/* SPDX-License-Identifier: Apache-2.0
 * Pipes (SPIR-V specification 3.52.23). A pipe is the address of a struct tsr_pipe, a reservation a number of 64 bits, as plain_types.c of
 * the compiler makes them of clang's. The functions of the library are those that clang calls. */
#include "clc/spirv/reader.h"

bool tsr__pipe_make_type(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type)
{
    if (in->op->number == TSR__OpTypeReserveId) {
        type->kind = TSR__RESERVATION;
        type->llvm = LLVMInt64TypeInContext(r->context);
        return true;
    }
    type->kind = TSR__PIPE;
    type->llvm = LLVMPointerTypeInContext(r->context, 1);
    type->access = in->operand[0];
    if (type->access > 1)
        tsr__spirv_fail(r, in, "a pipe is read or written: its access qualifier is 0 or 1");
    return true;
}

/* An instruction that becomes a call: its operands from `first` on. */
struct use {
    LLVMValueRef args[6];
    unsigned count;
};

static void add_pipe(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, struct use *use)
{
    if (tsr__spirv_type_of(r, in, operand)->kind != TSR__PIPE)
        tsr__spirv_fail(r, in, "operand %u has to be a pipe", operand + 1);
    use->args[use->count++] = tsr__spirv_value(r, in, operand);
}

static void add_reservation(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, struct use *use)
{
    if (tsr__spirv_type_of(r, in, operand)->kind != TSR__RESERVATION)
        tsr__spirv_fail(r, in, "operand %u has to be a reservation", operand + 1);
    use->args[use->count++] = tsr__spirv_value(r, in, operand);
}

static void add_number(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, struct use *use)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || tsr__spirv_type_of(r, in, operand)->kind != TSR__INT)
        tsr__spirv_fail(r, in, "operand %u has to be an integer", operand + 1);
    use->args[use->count++] = LLVMBuildIntCast2(r->builder, value, tsr__i32(r), false, "");
}

static void add_pointer(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, struct use *use)
{
    if (tsr__spirv_type_of(r, in, operand)->kind != TSR__POINTER)
        tsr__spirv_fail(r, in, "operand %u has to be a pointer to a packet", operand + 1);
    LLVMTypeRef generic = LLVMPointerTypeInContext(r->context, 4);
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    use->args[use->count++] = LLVMTypeOf(value) == generic ? value : LLVMBuildAddrSpaceCast(r->builder, value, generic, "");
}

/* The size and the alignment of packets, the last two operands. */
static void add_packet(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, struct use *use)
{
    add_number(r, in, operand, use);
    add_number(r, in, operand + 1, use);
}

/* An integer of the width that the instruction's result has. */
static LLVMValueRef answer(struct tsr__reader *r, const struct tsr__inst *in, const char *name, struct use *use, bool is_signed)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__INT)
        tsr__spirv_fail(r, in, "its result has to be an integer");
    LLVMValueRef value = tsr__spirv_call_plain(r, name, tsr__i32(r), use->args, use->count, 0);
    return LLVMBuildIntCast2(r->builder, value, type->llvm, is_signed, "");
}

LLVMValueRef tsr__emit_pipe_packet(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    struct use use = {0};
    add_pipe(r, in, 0, &use);
    add_pointer(r, in, 1, &use);
    add_packet(r, in, 2, &use);
    return answer(r, in, argument ? "__write_pipe_2" : "__read_pipe_2", &use, true);
}

LLVMValueRef tsr__emit_pipe_reserved(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    struct use use = {0};
    add_pipe(r, in, 0, &use);
    add_reservation(r, in, 1, &use);
    add_number(r, in, 2, &use);
    add_pointer(r, in, 3, &use);
    add_packet(r, in, 4, &use);
    return answer(r, in, argument ? "__write_pipe_4" : "__read_pipe_4", &use, true);
}

LLVMValueRef tsr__emit_pipe_question(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    struct use use = {0};
    add_pipe(r, in, 0, &use);
    add_packet(r, in, 1, &use);
    return answer(r, in, argument ? "__get_pipe_max_packets_ro" : "__get_pipe_num_packets_ro", &use, false);
}

LLVMValueRef tsr__emit_pipe_is_valid(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct use use = {0};
    add_reservation(r, in, 0, &use);
    if (tsr__spirv_result_type(r, in)->kind != TSR__BOOL)
        tsr__spirv_fail(r, in, "its result has to be a truth value");
    return LLVMBuildIsNotNull(r->builder, use.args[0], "");
}

/* The functions by scope: a work-item, a work-group, a sub-group; then reading and writing. */
enum { ITEM, GROUP, SUB_GROUP };

/* Those of groups have their scope first. */
static int scope_of(struct tsr__reader *r, const struct tsr__inst *in, bool groups)
{
    if (!groups)
        return ITEM;
    return tsr__spirv_execution_scope(r, in, 0) == TSR__ScopeWorkgroup ? GROUP : SUB_GROUP;
}

LLVMValueRef tsr__emit_pipe_reserve(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    static const char *const names[][2] = {{"__reserve_read_pipe", "__reserve_write_pipe"},
                                           {"__work_group_reserve_read_pipe", "__work_group_reserve_write_pipe"},
                                           {"__sub_group_reserve_read_pipe", "__sub_group_reserve_write_pipe"}};
    bool groups = argument & TSR__PIPE_OF_GROUPS;
    int scope = scope_of(r, in, groups);
    struct use use = {0};
    add_pipe(r, in, groups, &use);
    add_number(r, in, groups + 1u, &use);
    add_packet(r, in, groups + 2u, &use);
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__RESERVATION)
        tsr__spirv_fail(r, in, "its result has to be a reservation");
    return tsr__spirv_call_plain(r, names[scope][argument & TSR__PIPE_WRITES], type->llvm, use.args, use.count, groups ? TSR__MEETS : 0);
}

LLVMValueRef tsr__emit_pipe_commit(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    static const char *const names[][2] = {{"__commit_read_pipe", "__commit_write_pipe"},
                                           {"__work_group_commit_read_pipe", "__work_group_commit_write_pipe"},
                                           {"__sub_group_commit_read_pipe", "__sub_group_commit_write_pipe"}};
    bool groups = argument & TSR__PIPE_OF_GROUPS;
    int scope = scope_of(r, in, groups);
    struct use use = {0};
    add_pipe(r, in, groups, &use);
    add_reservation(r, in, groups + 1u, &use);
    add_packet(r, in, groups + 2u, &use);
    tsr__spirv_call_plain(r, names[scope][argument & TSR__PIPE_WRITES], LLVMVoidTypeInContext(r->context), use.args, use.count,
                          groups ? TSR__MEETS : 0);
    return NULL;
}
