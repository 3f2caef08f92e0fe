/* SPDX-License-Identifier: Apache-2.0
 * Device-side enqueue (SPIR-V specification, "Device-Side Enqueue Instructions"). Queues and events are numbers of 64 bits, as
 * plain_types.c of the compiler makes them of clang's. Of each function that is enqueued a kernel is made, as clang does of blocks;
 * tsr__name_blocks gives it a name in place of its address. */
#include "clc/spirv/reader.h"

enum { SPIR_KERNEL = 76, GENERIC = 4, MOST_LOCALS = 64 };

void tsr__enqueue_make_type(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type)
{
    type->kind = in->op->number == TSR__OpTypeQueue ? TSR__QUEUE : TSR__DEVICE_EVENT;
    type->llvm = LLVMInt64TypeInContext(r->context);
}

/* ---- operands ---- */

static LLVMValueRef take(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, enum tsr__kind kind, const char *what)
{
    if (tsr__spirv_type_of(r, in, operand)->kind != kind)
        tsr__spirv_fail(r, in, "operand %u has to be %s", operand + 1, what);
    return tsr__spirv_value(r, in, operand);
}

static LLVMValueRef queue(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    return take(r, in, operand, TSR__QUEUE, "a queue");
}

static LLVMValueRef event(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    return take(r, in, operand, TSR__DEVICE_EVENT, "an event of the device");
}

static LLVMValueRef number(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, LLVMTypeRef type)
{
    return LLVMBuildIntCast2(r->builder, take(r, in, operand, TSR__INT, "an integer"), type, false, "");
}

static LLVMValueRef in_space(struct tsr__reader *r, LLVMValueRef pointer, unsigned space)
{
    LLVMTypeRef type = LLVMPointerTypeInContext(r->context, space);
    return LLVMTypeOf(pointer) == type ? pointer : LLVMBuildAddrSpaceCast(r->builder, pointer, type, "");
}

static LLVMValueRef pointer(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    return in_space(r, take(r, in, operand, TSR__POINTER, "a pointer"), GENERIC);
}

/* A range: the struct, or a pointer to it, as older translators have it. */
static LLVMValueRef range(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, operand);
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (type->kind == TSR__POINTER && LLVMGetPointerAddressSpace(type->llvm) == 0)
        return value;
    if (type->kind != TSR__STRUCT)
        tsr__spirv_fail(r, in, "operand %u has to be a range of OpBuildNDRange", operand + 1);
    LLVMValueRef place = LLVMBuildAlloca(r->body.entry, type->llvm, "");
    LLVMBuildStore(r->builder, value, place);
    return place;
}

/* ---- ranges ---- */

static bool is_range(const struct tsr__reader *r, const struct tsr__type *type)
{
    bool good = type->kind == TSR__STRUCT && type->count == 4 && type->members[0]->kind == TSR__INT &&
                LLVMSizeOfTypeInBits(r->layout, type->members[0]->llvm) == 32;
    for (uint32_t i = 1; i < 4 && good; i++) {
        const struct tsr__type *sizes = type->members[i];
        good = sizes->kind == TSR__ARRAY && sizes->count == 3 && sizes->element->kind == TSR__INT &&
               LLVMSizeOfTypeInBits(r->layout, sizes->element->llvm) == 64;
    }
    return good;
}

/* The sizes of a range: a number, or an array of two or three. Of dimensions that are not there, `missing`. */
static LLVMValueRef sizes(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, uint32_t dim, uint64_t missing)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, operand);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef given = tsr__spirv_value(r, in, operand), made = LLVMGetUndef(LLVMArrayType2(i64, 3));
    bool array = type->kind == TSR__ARRAY && type->element->kind == TSR__INT;
    if (!array && type->kind != TSR__INT)
        tsr__spirv_fail(r, in, "operand %u has to be an integer or an array of integers", operand + 1);
    /* A constant zero says that nothing is given, whatever the dimensions are. */
    uint32_t there = array ? type->count : LLVMIsNull(given) ? 0 : 1;
    if (there > 3 || (there && there != dim))
        tsr__spirv_fail(r, in, "operand %u has %u dimensions, and the range %u", operand + 1, there, dim);
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef size = d >= there ? LLVMConstInt(i64, d < dim ? 0 : missing, false)
                            : array    ? LLVMBuildExtractValue(r->builder, given, d, "")
                                       : given;
        made = LLVMBuildInsertValue(r->builder, made, LLVMBuildIntCast2(r->builder, size, i64, false, ""), d, "");
    }
    return made;
}

LLVMValueRef tsr__emit_enqueue_range(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type = tsr__spirv_result_type(r, in), *global = tsr__spirv_type_of(r, in, 0);
    if (!is_range(r, type))
        tsr__spirv_fail(r, in, "its result has to be a struct of an integer of 32 bits and three arrays of three integers of 64 bits");
    uint32_t dim = global->kind == TSR__ARRAY ? global->count : 1;
    LLVMValueRef made = LLVMBuildInsertValue(r->builder, LLVMGetUndef(type->llvm), tsr__u32(r, dim), 0, "");
    made = LLVMBuildInsertValue(r->builder, made, sizes(r, in, 2, dim, 0), 1, "");
    made = LLVMBuildInsertValue(r->builder, made, sizes(r, in, 0, dim, 1), 2, "");
    return LLVMBuildInsertValue(r->builder, made, sizes(r, in, 1, dim, 0), 3, "");
}

/* ---- blocks ---- */

/* The address of a kernel that calls the function, made at its first use. */
static LLVMValueRef kernel_of(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    const struct tsr__id *id = tsr__spirv_id(r, in, operand);
    if (!id->inst || id->inst->op->number != TSR__OpFunction || !id->value)
        tsr__spirv_fail(r, in, "operand %u has to be a function", operand + 1);
    const struct tsr__type *type = id->type;
    bool good = type->element->kind == TSR__VOID && type->count >= 1 && type->members[0]->kind == TSR__POINTER;
    for (uint32_t i = 1; i < type->count && good; i++)
        good = type->members[i]->kind == TSR__POINTER && type->members[i]->storage == TSR__StorageWorkgroup;
    if (!good)
        tsr__spirv_fail(r, in, "the function takes a pointer, then pointers to Workgroup memory, and returns nothing");
    const char *name = tsr_arena_format(&r->arena, "__spirv_block_%u", in->operand[operand]);
    LLVMValueRef kernel = LLVMGetNamedFunction(r->module, name);
    if (!kernel) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder);
        kernel = LLVMAddFunction(r->module, name, type->llvm);
        LLVMSetFunctionCallConv(kernel, SPIR_KERNEL);
        unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
        LLVMAddAttributeAtIndex(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(r->context, nounwind, 0));
        LLVMBuilderRef b = LLVMCreateBuilderInContext(r->context);
        LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(r->context, kernel, "entry"));
        LLVMValueRef *arguments = tsr_arena_alloc(&r->arena, type->count * sizeof *arguments);
        LLVMGetParams(kernel, arguments);
        LLVMValueRef call = LLVMBuildCall2(b, type->llvm, id->value, arguments, type->count, "");
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(id->value));
        LLVMBuildRetVoid(b);
        LLVMDisposeBuilder(b);
        LLVMPositionBuilderAtEnd(r->builder, here);
    }
    return LLVMConstAddrSpaceCast(kernel, LLVMPointerTypeInContext(r->context, GENERIC));
}

/* The sizes of local arguments, from this operand on, in an array; numbers, or pointers to them, as older translators have it. */
static LLVMValueRef local_sizes(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, uint32_t *count)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    *count = in->count - operand;
    if (*count > MOST_LOCALS)
        tsr__spirv_fail(r, in, "%u local arguments; at most %d are possible", *count, MOST_LOCALS);
    LLVMValueRef place = LLVMBuildAlloca(r->body.entry, LLVMArrayType2(i64, *count ? *count : 1), "");
    for (uint32_t i = 0; i < *count; i++) {
        const struct tsr__type *type = tsr__spirv_type_of(r, in, operand + i);
        LLVMValueRef size = tsr__spirv_value(r, in, operand + i), at = LLVMConstInt(i64, i, false);
        if (type->kind == TSR__POINTER && type->element && type->element->kind == TSR__INT)
            size = LLVMBuildLoad2(r->builder, type->element->llvm, size, "");
        else if (type->kind != TSR__INT)
            tsr__spirv_fail(r, in, "operand %u has to be an integer", operand + i + 1);
        LLVMBuildStore(r->builder, LLVMBuildIntCast2(r->builder, size, i64, false, ""),
                       LLVMBuildInBoundsGEP2(r->builder, i64, place, &at, 1, ""));
    }
    return place;
}

/* ---- instructions ---- */

static LLVMValueRef answer(struct tsr__reader *r, const struct tsr__inst *in, const char *name, const LLVMValueRef *args, unsigned count)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__INT)
        tsr__spirv_fail(r, in, "its result has to be an integer");
    return LLVMBuildIntCast2(r->builder, tsr__spirv_call_plain(r, name, tsr__i32(r), args, count, 0), type->llvm, true, "");
}

LLVMValueRef tsr__emit_enqueue_kernel(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    uint32_t count;
    LLVMValueRef locals = local_sizes(r, in, 10, &count), block = kernel_of(r, in, 6);
    LLVMValueRef args[] = {queue(r, in, 0),
                           number(r, in, 1, tsr__i32(r)),
                           range(r, in, 2),
                           number(r, in, 3, tsr__i32(r)),
                           pointer(r, in, 4),
                           pointer(r, in, 5),
                           block,
                           pointer(r, in, 7),
                           number(r, in, 8, tsr__i32(r)),
                           tsr__u32(r, count),
                           locals};
    return answer(r, in, "tessera_enqueue_block", args, TSR_ARRAY_LEN(args));
}

LLVMValueRef tsr__emit_enqueue_marker(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef args[] = {queue(r, in, 0), number(r, in, 1, tsr__i32(r)), pointer(r, in, 2), pointer(r, in, 3)};
    return answer(r, in, "_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_", args, TSR_ARRAY_LEN(args));
}

/* argument: enum tsr__block_query. */
LLVMValueRef tsr__emit_enqueue_query(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    static const char *const names[] = {
        [TSR__BLOCK_GROUP_SIZE] = "__get_kernel_work_group_size_impl",
        [TSR__BLOCK_GROUP_MULTIPLE] = "__get_kernel_preferred_work_group_size_multiple_impl",
        [TSR__BLOCK_SUB_GROUP_COUNT] = "__get_kernel_sub_group_count_for_ndrange_impl",
        [TSR__BLOCK_SUB_GROUP_SIZE] = "__get_kernel_max_sub_group_size_for_ndrange_impl",
    };
    LLVMValueRef args[3];
    unsigned count = 0;
    if (argument >= TSR__BLOCK_SUB_GROUP_COUNT)
        args[count++] = range(r, in, 0);
    uint32_t invoke = count;
    args[count++] = kernel_of(r, in, invoke);
    args[count++] = pointer(r, in, invoke + 1);
    return answer(r, in, names[argument], args, count);
}

LLVMValueRef tsr__emit_enqueue_sub_groups(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    bool sized = argument == TSR__BLOCK_SIZE_OF_SUB_GROUPS;
    LLVMValueRef args[2] = {kernel_of(r, in, sized)};
    if (sized)
        args[1] = number(r, in, 0, tsr__i32(r));
    return answer(r, in, sized ? "tessera_block_size_of_sub_groups" : "tessera_block_sub_groups", args, sized + 1);
}

/* argument: enum tsr__event_use. */
LLVMValueRef tsr__emit_enqueue_event(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(r->context);
    LLVMValueRef args[3] = {event(r, in, 0)};
    switch (argument) {
    case TSR__EVENT_RETAIN:
        tsr__spirv_call_plain(r, "_Z12retain_event12ocl_clkevent", none, args, 1, 0);
        return NULL;
    case TSR__EVENT_RELEASE:
        tsr__spirv_call_plain(r, "_Z13release_event12ocl_clkevent", none, args, 1, 0);
        return NULL;
    case TSR__EVENT_SET:
        args[1] = number(r, in, 1, tsr__i32(r));
        tsr__spirv_call_plain(r, "_Z21set_user_event_status12ocl_clkeventi", none, args, 2, 0);
        return NULL;
    case TSR__EVENT_PROFILE:
        args[1] = number(r, in, 1, tsr__i32(r));
        args[2] = in_space(r, take(r, in, 2, TSR__POINTER, "a pointer"), 1);
        tsr__spirv_call_plain(r, "_Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v", none, args, 3, 0);
        return NULL;
    default:
        if (tsr__spirv_result_type(r, in)->kind != TSR__BOOL)
            tsr__spirv_fail(r, in, "its result has to be a truth value");
        return tsr__spirv_call_plain(r, "_Z14is_valid_event12ocl_clkevent", LLVMInt1TypeInContext(r->context), args, 1, 0);
    }
}

/* argument: whether it makes an event; else it is OpGetDefaultQueue. */
LLVMValueRef tsr__emit_enqueue_new(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != (argument ? TSR__DEVICE_EVENT : TSR__QUEUE))
        tsr__spirv_fail(r, in, "its result has to be %s", argument ? "an event of the device" : "a queue");
    return tsr__spirv_call_plain(r, argument ? "_Z17create_user_eventv" : "_Z17get_default_queuev", type->llvm, NULL, 0, 0);
}
