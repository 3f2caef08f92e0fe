/* SPDX-License-Identifier: Apache-2.0
 * Types (SPIR-V specification 3.52.6). */
#include "clc/spirv/reader.h"

#include <string.h>

static struct tsr__type *new_type(struct tsr__reader *r, const struct tsr__inst *in, enum tsr__kind kind, LLVMTypeRef llvm)
{
    struct tsr__id *id = &r->ids[in->result];
    if (!id->type) /* else OpTypeForwardPointer has made it */
        id->type = tsr_arena_alloc(&r->arena, sizeof *id->type);
    id->type->kind = kind;
    id->type->llvm = llvm;
    return id->type;
}

unsigned tsr__spirv_address_space(struct tsr__reader *r, const struct tsr__inst *in, uint32_t storage)
{
    switch (storage) {
    case TSR__StorageFunction:
    case TSR__StoragePrivate:
    case TSR__StorageInput:
        return 0;
    case TSR__StorageCrossWorkgroup:
        return 1;
    case TSR__StorageUniformConstant:
        return 2;
    case TSR__StorageWorkgroup:
        return 3;
    case TSR__StorageGeneric:
        return 4;
    default:
        tsr__spirv_fail(r, in, "storage class %u is none of OpenCL's", storage);
    }
}

static void make_int(struct tsr__reader *r, const struct tsr__inst *in)
{
    uint32_t width = in->operand[0];
    if (width != 4 && width != 8 && width != 16 && width != 32 && width != 64)
        tsr__spirv_fail(r, in, "the device has integers of 4, 8, 16, 32 and 64 bits, not of %u", width);
    struct tsr__type *type = new_type(r, in, TSR__INT, LLVMIntTypeInContext(r->context, width == 4 ? 8 : width));
    type->is_signed = in->operand[1] != 0;
    type->is_int4 = width == 4;
    r->has_int4 |= type->is_int4;
}

static void make_float(struct tsr__reader *r, const struct tsr__inst *in)
{
    uint32_t width = in->operand[0];
    if (width == 16 && in->count == 2 && in->operand[1] == TSR__EncodingBFloat16) {
        new_type(r, in, TSR__FLOAT, LLVMInt16TypeInContext(r->context))->is_bfloat16 = true;
        r->has_bfloat16 = true;
        return;
    }
    LLVMTypeRef llvm = width == 16   ? LLVMHalfTypeInContext(r->context)
                       : width == 32 ? LLVMFloatTypeInContext(r->context)
                       : width == 64 ? LLVMDoubleTypeInContext(r->context)
                                     : NULL;
    if (!llvm || in->count > 1)
        tsr__spirv_fail(r, in, "the device has no such floating-point numbers of %u bits", width);
    new_type(r, in, TSR__FLOAT, llvm);
}

static void make_vector(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *element = tsr__spirv_type(r, in, 0);
    uint32_t count = in->operand[1];
    if (element->kind != TSR__INT && element->kind != TSR__FLOAT && element->kind != TSR__BOOL)
        tsr__spirv_fail(r, in, "its elements have to be numbers or truth values");
    if (count != 2 && count != 3 && count != 4 && count != 8 && count != 16)
        tsr__spirv_fail(r, in, "vectors have 2, 3, 4, 8 or 16 elements, not %u", count);
    struct tsr__type *type =
        new_type(r, in, TSR__VECTOR, element->is_int4 ? tsr__int4_vector(r, count) : LLVMVectorType(element->llvm, count));
    type->element = element;
    type->count = count;
}

/* A type of which there can be variables and members. */
static const struct tsr__type *stored_type(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    const struct tsr__type *type = tsr__spirv_type(r, in, operand);
    if (!type->llvm || !LLVMTypeIsSized(type->llvm))
        tsr__spirv_fail(r, in, "id %u has no size", in->operand[operand]);
    return type;
}

static void make_array(struct tsr__reader *r, const struct tsr__inst *in)
{
    enum { MOST_BYTES = 0x7fffffff };
    const struct tsr__type *element = stored_type(r, in, 0);
    uint64_t count = tsr__spirv_constant(r, in, 1, "the length of an array");
    uint64_t size = LLVMABISizeOfType(r->layout, element->llvm);
    if (count == 0 || (size && count > MOST_BYTES / size))
        tsr__spirv_fail(r, in, "an array of %llu elements of %llu bytes: it must have at least one, and less than 2 GiB",
                        (unsigned long long)count, (unsigned long long)size);
    struct tsr__type *type = new_type(r, in, TSR__ARRAY, LLVMArrayType2(element->llvm, count));
    type->element = element;
    type->count = (uint32_t)count;
}

static void make_struct(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMTypeRef *members = tsr_arena_alloc(&r->arena, (in->count + 1) * sizeof *members);
    const struct tsr__type **types = tsr_arena_alloc(&r->arena, (in->count + 1) * sizeof(struct tsr__type *));
    for (uint32_t i = 0; i < in->count; i++) {
        types[i] = stored_type(r, in, i);
        members[i] = types[i]->llvm;
    }
    const char *name = r->ids[in->result].name;
    bool packed = tsr__spirv_decoration(r, in->result, TSR__DecorationCPacked, -1) != NULL;
    LLVMTypeRef llvm = LLVMStructCreateNamed(r->context, name ? name : "struct");
    LLVMStructSetBody(llvm, members, in->count, packed);
    struct tsr__type *type = new_type(r, in, TSR__STRUCT, llvm);
    type->count = in->count;
    type->members = types;
}

static void make_pointer(struct tsr__reader *r, const struct tsr__inst *in)
{
    uint32_t storage = in->operand[0];
    const struct tsr__type *element = tsr__spirv_type(r, in, 1);
    if (element->is_int4 && storage != TSR__StorageFunction && storage != TSR__StoragePrivate)
        tsr__spirv_fail(r, in, "an integer of 4 bits lies in memory of storage class Function or Private only; vectors lie anywhere");
    struct tsr__type *type = new_type(r, in, TSR__POINTER, LLVMPointerTypeInContext(r->context, tsr__spirv_address_space(r, in, storage)));
    type->storage = storage;
    type->element = element;
}

static void make_untyped_pointer(struct tsr__reader *r, const struct tsr__inst *in)
{
    unsigned space = tsr__spirv_address_space(r, in, in->operand[0]);
    new_type(r, in, TSR__POINTER, LLVMPointerTypeInContext(r->context, space))->storage = in->operand[0];
}

static void forward_pointer(struct tsr__reader *r, const struct tsr__inst *in)
{
    struct tsr__id *id = tsr__spirv_id(r, in, 0);
    if (id->type || !id->inst || id->inst->op->number != TSR__OpTypePointer)
        tsr__spirv_fail(r, in, "id %u is no pointer that follows", in->operand[0]);
    id->type = tsr_arena_alloc(&r->arena, sizeof *id->type);
    id->type->kind = TSR__POINTER;
    id->type->storage = in->operand[1];
    id->type->llvm = LLVMPointerTypeInContext(r->context, tsr__spirv_address_space(r, in, in->operand[1]));
}

static void make_function_type(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *result = tsr__spirv_type(r, in, 0);
    uint32_t count = in->count - 1;
    LLVMTypeRef *parameters = tsr_arena_alloc(&r->arena, (count + 1) * sizeof *parameters);
    const struct tsr__type **types = tsr_arena_alloc(&r->arena, (count + 1) * sizeof(struct tsr__type *));
    for (uint32_t i = 0; i < count; i++) {
        types[i] = stored_type(r, in, i + 1);
        parameters[i] = types[i]->llvm;
    }
    if (result->kind != TSR__VOID && (!result->llvm || !LLVMTypeIsSized(result->llvm)))
        tsr__spirv_fail(r, in, "id %u cannot be returned", in->operand[0]);
    struct tsr__type *type = new_type(r, in, TSR__FUNCTION, LLVMFunctionType(result->llvm, parameters, count, false));
    type->element = result;
    type->count = count;
    type->members = types;
}

bool tsr__spirv_make_type(struct tsr__reader *r, const struct tsr__inst *in)
{
    switch (in->op->number) {
    case TSR__OpTypeVoid:
        new_type(r, in, TSR__VOID, LLVMVoidTypeInContext(r->context));
        return true;
    case TSR__OpTypeBool:
        new_type(r, in, TSR__BOOL, LLVMInt1TypeInContext(r->context));
        return true;
    case TSR__OpTypeInt:
        make_int(r, in);
        return true;
    case TSR__OpTypeFloat:
        make_float(r, in);
        return true;
    case TSR__OpTypeVector:
        make_vector(r, in);
        return true;
    case TSR__OpTypeArray:
        make_array(r, in);
        return true;
    case TSR__OpTypeStruct:
        make_struct(r, in);
        return true;
    case TSR__OpTypeOpaque:
        new_type(r, in, TSR__OPAQUE, LLVMStructCreateNamed(r->context, tsr__spirv_text(r, in, 0, NULL)));
        return true;
    case TSR__OpTypePointer:
        make_pointer(r, in);
        return true;
    case TSR__OpTypeUntypedPointerKHR:
        make_untyped_pointer(r, in);
        return true;
    case TSR__OpTypeForwardPointer:
        forward_pointer(r, in);
        return true;
    case TSR__OpTypeFunction:
        make_function_type(r, in);
        return true;
    case TSR__OpTypeImage:
    case TSR__OpTypeSampler:
    case TSR__OpTypeSampledImage:
        return tsr__image_make_type(r, in, new_type(r, in, TSR__VOID, NULL));
    case TSR__OpTypePipe:
    case TSR__OpTypeReserveId:
        return tsr__pipe_make_type(r, in, new_type(r, in, TSR__VOID, NULL));
    case TSR__OpTypeQueue:
    case TSR__OpTypeDeviceEvent:
        tsr__enqueue_make_type(r, in, new_type(r, in, TSR__VOID, NULL));
        return true;
    case TSR__OpTypeEvent: /* a plain pointer, as plain_types.c of the compiler makes of clang's */
        new_type(r, in, TSR__EVENT, LLVMPointerTypeInContext(r->context, 0));
        return true;
    default:
        return tsr__matrix_make_type(r, in);
    }
}
