/* SPDX-License-Identifier: Apache-2.0
 * Vectors, arrays and structs as values (SPIR-V specification 3.52.12). */
#include "clc/spirv/matrix.h"

static LLVMValueRef vector_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (!tsr__is_vector(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "operand %u has to be a vector", operand + 1);
    return value;
}

static LLVMValueRef index_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "the index has to be an integer");
    return value;
}

LLVMValueRef tsr__emit_extract_dynamic(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 0);
    if (type->kind == TSR__MATRIX)
        return tsr__matrix_extract(r, in, type->matrix, tsr__spirv_value(r, in, 0), index_operand(r, in, 1));
    if (tsr__is_int4_vector(type))
        return tsr__int4_get(r, tsr__spirv_value(r, in, 0), index_operand(r, in, 1));
    return LLVMBuildExtractElement(r->builder, vector_operand(r, in, 0), index_operand(r, in, 1), "");
}

LLVMValueRef tsr__emit_insert_dynamic(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 0);
    if (type->kind == TSR__MATRIX)
        return tsr__matrix_insert(r, in, type->matrix, tsr__spirv_value(r, in, 0), tsr__spirv_value(r, in, 1), index_operand(r, in, 2));
    if (tsr__is_int4_vector(type) && tsr__spirv_type_of(r, in, 1) != type->element)
        tsr__spirv_fail(r, in, "the component is not of the type of the elements");
    if (tsr__is_int4_vector(type))
        return tsr__int4_put(r, tsr__spirv_value(r, in, 0), tsr__spirv_value(r, in, 1), index_operand(r, in, 2));
    LLVMValueRef vector = vector_operand(r, in, 0), element = tsr__spirv_value(r, in, 1);
    if (LLVMTypeOf(element) != LLVMGetElementType(LLVMTypeOf(vector)))
        tsr__spirv_fail(r, in, "the component is not of the type of the elements");
    return LLVMBuildInsertElement(r->builder, vector, element, index_operand(r, in, 2), "");
}

/* The two vectors may have different lengths, which LLVM's instruction cannot take. */
static LLVMValueRef shuffle_elements(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef result = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(a)), in->count - 2);
    LLVMValueRef made = LLVMGetUndef(result);
    uint32_t first = LLVMGetVectorSize(LLVMTypeOf(a));
    for (uint32_t i = 2; i < in->count; i++) {
        uint32_t from = in->operand[i];
        if (from == UINT32_MAX)
            continue;
        LLVMValueRef element = from < first ? LLVMBuildExtractElement(r->builder, a, tsr__u32(r, from), "")
                                            : LLVMBuildExtractElement(r->builder, b, tsr__u32(r, from - first), "");
        made = LLVMBuildInsertElement(r->builder, made, element, tsr__u32(r, i - 2), "");
    }
    return made;
}

LLVMValueRef tsr__emit_shuffle(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *own = tsr__spirv_result_type(r, in);
    bool packed =
        tsr__is_int4_vector(own) && tsr__is_int4_vector(tsr__spirv_type_of(r, in, 0)) && tsr__is_int4_vector(tsr__spirv_type_of(r, in, 1));
    LLVMValueRef a = packed ? tsr__int4_unpack(r, tsr__spirv_type_of(r, in, 0), tsr__spirv_value(r, in, 0)) : vector_operand(r, in, 0);
    LLVMValueRef b = packed ? tsr__int4_unpack(r, tsr__spirv_type_of(r, in, 1), tsr__spirv_value(r, in, 1)) : vector_operand(r, in, 1),
                 mask[16];
    LLVMTypeRef result = packed ? tsr__int4_bytes(r, own) : own->llvm;
    uint32_t total = LLVMGetVectorSize(LLVMTypeOf(a)) + LLVMGetVectorSize(LLVMTypeOf(b)), count = in->count - 2;
    if (!tsr__is_vector(result) || LLVMGetVectorSize(result) != count || count > TSR_ARRAY_LEN(mask) ||
        LLVMGetElementType(LLVMTypeOf(a)) != LLVMGetElementType(result) || LLVMGetElementType(LLVMTypeOf(b)) != LLVMGetElementType(result))
        tsr__spirv_fail(r, in, "the elements of operands and result are of different types or numbers");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = in->operand[i + 2];
        if (from >= total && from != UINT32_MAX)
            tsr__spirv_fail(r, in, "component %u of vectors with %u", from, total);
        mask[i] = from == UINT32_MAX ? LLVMGetUndef(tsr__i32(r)) : tsr__u32(r, from);
    }
    LLVMValueRef made = LLVMTypeOf(a) != LLVMTypeOf(b) ? shuffle_elements(r, in, a, b)
                                                       : LLVMBuildShuffleVector(r->builder, a, b, LLVMConstVector(mask, count), "");
    return packed ? tsr__int4_pack(r, own, made) : made;
}

/* ---- construction ---- */

/* Constituents are elements, or vectors of some of them. */
static LLVMValueRef construct_vector(struct tsr__reader *r, const struct tsr__inst *in, LLVMTypeRef type)
{
    LLVMValueRef made = LLVMGetUndef(type);
    uint32_t filled = 0, size = LLVMGetVectorSize(type);
    for (uint32_t i = 0; i < in->count; i++) {
        LLVMValueRef part = tsr__spirv_value(r, in, i);
        LLVMTypeRef part_type = LLVMTypeOf(part);
        uint32_t parts = tsr__is_vector(part_type) ? LLVMGetVectorSize(part_type) : 1;
        if (tsr__scalar(part_type) != LLVMGetElementType(type) || parts > size - filled)
            tsr__spirv_fail(r, in, "constituent %u does not fit the vector", i + 1);
        for (uint32_t k = 0; k < parts; k++) {
            LLVMValueRef element = tsr__is_vector(part_type) ? LLVMBuildExtractElement(r->builder, part, tsr__u32(r, k), "") : part;
            made = LLVMBuildInsertElement(r->builder, made, element, tsr__u32(r, filled++), "");
        }
    }
    if (filled != size)
        tsr__spirv_fail(r, in, "the constituents are %u elements, the vector has %u", filled, size);
    return made;
}

/* The same of integers of 4 bits. */
static LLVMValueRef construct_packed(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type *type)
{
    LLVMValueRef made = LLVMConstNull(type->llvm);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        const struct tsr__type *own = tsr__spirv_type_of(r, in, i);
        LLVMValueRef part = tsr__spirv_value(r, in, i);
        uint32_t parts = own->kind == TSR__VECTOR ? own->count : 1;
        if (!tsr__is_int4(own) || own->kind == TSR__MATRIX || parts > type->count - filled)
            tsr__spirv_fail(r, in, "constituent %u does not fit the vector", i + 1);
        for (uint32_t k = 0; k < parts; k++)
            made = tsr__int4_put(r, made, tsr__is_int4_vector(own) ? tsr__int4_get(r, part, tsr__u32(r, k)) : part, tsr__u32(r, filled++));
    }
    if (filled != type->count)
        tsr__spirv_fail(r, in, "the constituents are %u elements, the vector has %u", filled, type->count);
    return made;
}

static const struct tsr__type *member_type(const struct tsr__type *type, uint32_t index)
{
    return type->kind == TSR__STRUCT ? type->members[index] : type->element;
}

LLVMValueRef tsr__emit_construct(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind == TSR__VECTOR)
        return tsr__is_int4_vector(type) ? construct_packed(r, in, type) : construct_vector(r, in, type->llvm);
    if (type->kind == TSR__MATRIX)
        return tsr__matrix_construct(r, in);
    if ((type->kind != TSR__ARRAY && type->kind != TSR__STRUCT) || in->count != type->count)
        tsr__spirv_fail(r, in, "its type is no composite with %u members", in->count);
    bool large = tsr__spirv_is_large(type);
    LLVMValueRef made = LLVMGetUndef(type->llvm), place = large ? tsr__spirv_new_place(r, type) : NULL;
    for (uint32_t i = 0; i < in->count; i++) {
        LLVMValueRef part = tsr__spirv_value(r, in, i);
        if (LLVMTypeOf(part) != member_type(type, i)->llvm)
            tsr__spirv_fail(r, in, "constituent %u is not of the type of the member", i + 1);
        if (large)
            tsr__spirv_store(r, member_type(type, i), part, LLVMBuildStructGEP2(r->builder, type->llvm, place, i, ""), 1, false);
        else
            made = LLVMBuildInsertValue(r->builder, made, part, i, "");
    }
    return large ? tsr__spirv_in_place(r, type, place, LLVMABIAlignmentOfType(r->layout, type->llvm)) : made;
}

/* ---- extraction and insertion ---- */

/* The type of member `index`. */
static const struct tsr__type *part_type(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type *type, uint32_t index)
{
    bool composite = type->kind == TSR__VECTOR || type->kind == TSR__ARRAY || type->kind == TSR__STRUCT;
    if (type->kind == TSR__MATRIX ? index >= type->matrix->slots : !composite || index >= type->count)
        tsr__spirv_fail(r, in, "there is no member %u", index);
    return type->kind == TSR__STRUCT ? type->members[index] : type->element;
}

static LLVMValueRef take(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value, uint32_t index)
{
    if (type->kind == TSR__MATRIX)
        return tsr__matrix_get(r, type->matrix, value, index, 1);
    if (tsr__is_int4_vector(type))
        return tsr__int4_get(r, value, tsr__u32(r, index));
    if (type->kind == TSR__VECTOR)
        return LLVMBuildExtractElement(r->builder, value, tsr__u32(r, index), "");
    return LLVMBuildExtractValue(r->builder, value, index, "");
}

/* The address of the part that the indices from operand `first` on lead to, of a value that lies in memory; *type becomes that of the part.
 */
static LLVMValueRef part_place(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type **type, LLVMValueRef place,
                               uint32_t first)
{
    uint32_t count = 0;
    LLVMTypeRef whole = (*type)->llvm;
    LLVMValueRef *indices = tsr_arena_alloc(&r->arena, (in->count + 1) * sizeof *indices);
    indices[count++] = tsr__u32(r, 0);
    for (uint32_t i = first; i < in->count; i++) {
        if (tsr__is_int4_vector(*type))
            tsr__spirv_fail(r, in, "this driver takes no component of a vector of integers of 4 bits in so large a composite");
        *type = part_type(r, in, *type, in->operand[i]);
        indices[count++] = tsr__u32(r, in->operand[i]);
    }
    return LLVMBuildInBoundsGEP2(r->builder, whole, place, indices, count, "");
}

/* Aligned as a member of a packed struct is, in the worst case. */
static LLVMValueRef load_part(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef place)
{
    if (tsr__spirv_is_large(type))
        return tsr__spirv_in_place(r, type, place, 1);
    LLVMValueRef part = LLVMBuildLoad2(r->builder, type->llvm, place, "");
    LLVMSetAlignment(part, 1);
    return part;
}

/* A copy of a value that lies in memory, with the part replaced. */
static LLVMValueRef put_in_place(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type *type, LLVMValueRef value,
                                 LLVMValueRef part)
{
    const struct tsr__type *inner = type;
    LLVMValueRef place = tsr__spirv_new_place(r, type), at = part_place(r, in, &inner, place, 2);
    if (inner->llvm != LLVMTypeOf(part))
        tsr__spirv_fail(r, in, "the object is not of the type of the member");
    tsr__spirv_store(r, type, value, place, 0, false);
    tsr__spirv_store(r, inner, part, at, 1, false);
    return tsr__spirv_in_place(r, type, place, LLVMABIAlignmentOfType(r->layout, type->llvm));
}

LLVMValueRef tsr__emit_extract(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef value = tsr__spirv_value(r, in, 0), place;
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 0);
    if (in->count > 1 && !LLVMIsConstant(value) && (place = tsr__spirv_place(r, type, value))) {
        place = part_place(r, in, &type, place, 1);
        return load_part(r, type, place);
    }
    for (uint32_t i = 1; i < in->count; i++) {
        const struct tsr__type *part = part_type(r, in, type, in->operand[i]);
        value = take(r, type, value, in->operand[i]);
        type = part;
    }
    return value;
}

/* `value` with the part at the indices from operand `i` on replaced. */
static LLVMValueRef put(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type *type, LLVMValueRef value,
                        LLVMValueRef part, uint32_t i)
{
    if (i == in->count) {
        if (type->llvm != LLVMTypeOf(part))
            tsr__spirv_fail(r, in, "the object is not of the type of the member");
        return part;
    }
    uint32_t index = in->operand[i];
    const struct tsr__type *inner_type = part_type(r, in, type, index);
    LLVMValueRef old = i + 1 == in->count ? NULL : take(r, type, value, index);
    LLVMValueRef inner = put(r, in, inner_type, old, part, i + 1);
    if (type->kind == TSR__MATRIX)
        return tsr__matrix_put(r, type->matrix, value, index, inner);
    if (tsr__is_int4_vector(type))
        return tsr__int4_put(r, value, inner, tsr__u32(r, index));
    if (type->kind == TSR__VECTOR)
        return LLVMBuildInsertElement(r->builder, value, inner, tsr__u32(r, index), "");
    return LLVMBuildInsertValue(r->builder, value, inner, index, "");
}

LLVMValueRef tsr__emit_insert(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    enum { DEEPEST = 255 };
    LLVMValueRef object = tsr__spirv_value(r, in, 0), composite = tsr__spirv_value(r, in, 1);
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 1);
    if (in->count > DEEPEST)
        tsr__spirv_fail(r, in, "it has more than %d indices", DEEPEST - 2);
    if (in->count > 2 && tsr__spirv_is_large(type))
        return put_in_place(r, in, type, composite, object);
    return put(r, in, type, composite, object, 2);
}

LLVMValueRef tsr__emit_copy(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return tsr__spirv_value(r, in, 0);
}

/* The same members in a type that is declared apart. */
static LLVMValueRef convert_members(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef value, const struct tsr__type *from,
                                    const struct tsr__type *to)
{
    if (from->llvm == to->llvm)
        return value;
    if (from->kind != to->kind || from->count != to->count || (to->kind != TSR__ARRAY && to->kind != TSR__STRUCT))
        tsr__spirv_fail(r, in, "its types do not match");
    LLVMValueRef made = LLVMGetUndef(to->llvm);
    for (uint32_t i = 0; i < to->count; i++) {
        bool is_struct = to->kind == TSR__STRUCT;
        LLVMValueRef part = convert_members(r, in, LLVMBuildExtractValue(r->builder, value, i, ""),
                                            is_struct ? from->members[i] : from->element, is_struct ? to->members[i] : to->element);
        made = LLVMBuildInsertValue(r->builder, made, part, i, "");
    }
    return made;
}

LLVMValueRef tsr__emit_copy_logical(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return convert_members(r, in, tsr__spirv_value(r, in, 0), tsr__spirv_type_of(r, in, 0), tsr__spirv_result_type(r, in));
}
