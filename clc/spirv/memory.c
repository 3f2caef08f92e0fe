/* SPDX-License-Identifier: Apache-2.0
 * Loads, stores, copies and addresses (SPIR-V specification 3.52.8). */
#include "clc/spirv/matrix.h"

#include <string.h>

/* Memory operands: what the mask at an operand says, with its parameters. */
struct access {
    bool is_volatile, nontemporal;
    unsigned alignment; /* 0: that of the type */
    uint32_t next;      /* the operand after them */
};

static struct access read_access(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    struct access a = {.next = operand};
    if (operand >= in->count)
        return a;
    uint32_t mask = in->operand[operand], extensions = mask >> 3;
    a.is_volatile = mask & TSR__MemoryVolatile;
    a.nontemporal = mask & TSR__MemoryNontemporal;
    a.next++;
    if (mask & TSR__MemoryAligned) {
        uint32_t bytes = tsr__spirv_word(r, in, a.next++);
        enum { MOST = 1 << 20 };
        if (bytes == 0 || (bytes & (bytes - 1)) != 0)
            tsr__spirv_fail(r, in, "an alignment of %u bytes is no power of two", bytes);
        a.alignment = bytes < MOST ? bytes : MOST;
    }
    a.next += (uint32_t)__builtin_popcount(extensions); /* each has one parameter, of which a CPU makes nothing */
    return a;
}

static void apply_access(struct tsr__reader *r, LLVMValueRef made, const struct access *a, LLVMTypeRef type)
{
    LLVMSetVolatile(made, a->is_volatile);
    LLVMSetAlignment(made, a->alignment ? a->alignment : LLVMABIAlignmentOfType(r->layout, type));
    if (!a->nontemporal)
        return;
    LLVMMetadataRef one = LLVMValueAsMetadata(tsr__u32(r, 1));
    LLVMSetMetadata(made, LLVMGetMDKindIDInContext(r->context, "nontemporal", strlen("nontemporal")),
                    LLVMMetadataAsValue(r->context, LLVMMDNodeInContext2(r->context, &one, 1)));
}

/* A pointer, and what it points to. */
static LLVMValueRef pointer_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, const struct tsr__type **pointee)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    const struct tsr__type *type = tsr__spirv_type_of(r, in, operand);
    if (type->kind != TSR__POINTER)
        tsr__spirv_fail(r, in, "operand %u has to be a pointer", operand + 1);
    *pointee = type->element;
    return value;
}

/* ---- values of many elements ---- */

/* LLVM takes each element of an array or struct that is a value for itself, in a time that grows with the square of their number. So large
 * ones stay in memory: the value is a marked load of a place on the stack that is written once, before the load. What knows the mark uses
 * the place, and a load that nothing else uses is removed. */

/* Adds the scalars of a value of the type. False: some have no place in memory of their own: truth values, and elements of matrices. */
static bool count_scalars(const struct tsr__type *type, uint64_t *count)
{
    uint64_t inner = 0;
    bool good = true;
    switch (type->kind) {
    case TSR__BOOL:
    case TSR__MATRIX:
        return false;
    case TSR__ARRAY:
    case TSR__VECTOR:
        good = count_scalars(type->element, &inner);
        inner = inner > UINT32_MAX ? inner : inner * type->count;
        break;
    case TSR__STRUCT:
        for (uint32_t i = 0; i < type->count && good; i++)
            good = count_scalars(type->members[i], &inner);
        break;
    default:
        inner = 1;
        break;
    }
    *count = inner > UINT32_MAX ? inner : *count + inner;
    return good;
}

bool tsr__spirv_is_large(const struct tsr__type *type)
{
    enum { MOST = 64 };
    uint64_t count = 0;
    return count_scalars(type, &count) && count > MOST;
}

static unsigned mark(struct tsr__reader *r)
{
    return LLVMGetMDKindIDInContext(r->context, "tsr.in_place", strlen("tsr.in_place"));
}

LLVMValueRef tsr__spirv_new_place(struct tsr__reader *r, const struct tsr__type *type)
{
    return LLVMBuildAlloca(r->body.entry, type->llvm, "");
}

LLVMValueRef tsr__spirv_in_place(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef place, unsigned alignment)
{
    LLVMValueRef value = LLVMBuildLoad2(r->builder, type->llvm, place, "");
    LLVMSetAlignment(value, alignment);
    LLVMSetMetadata(value, mark(r), LLVMMetadataAsValue(r->context, LLVMMDNodeInContext2(r->context, NULL, 0)));
    struct tsr__large *large = tsr_arena_alloc(&r->arena, sizeof *large);
    *large = (struct tsr__large){value, r->body.large};
    return (r->body.large = large)->value;
}

void tsr__spirv_drop_unused(struct tsr__reader *r)
{
    for (const struct tsr__large *large = r->body.large; large; large = large->next)
        if (!LLVMGetFirstUse(large->value))
            LLVMInstructionEraseFromParent(large->value);
}

LLVMValueRef tsr__spirv_place(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value)
{
    if (LLVMIsALoadInst(value))
        return LLVMGetMetadata(value, mark(r)) ? LLVMGetOperand(value, 0) : NULL;
    if (!LLVMIsConstant(value) || !tsr__spirv_is_large(type))
        return NULL;
    LLVMValueRef constant =
        LLVMAddGlobalInAddressSpace(r->module, type->llvm, "", tsr__spirv_address_space(r, NULL, TSR__StorageUniformConstant));
    LLVMSetInitializer(constant, value);
    LLVMSetGlobalConstant(constant, true);
    LLVMSetLinkage(constant, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(constant, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(constant, LLVMABIAlignmentOfType(r->layout, type->llvm));
    return constant;
}

static void make_volatile(struct tsr__reader *r, LLVMValueRef transfer, bool is_volatile)
{
    if (is_volatile)
        LLVMSetOperand(transfer, 3, LLVMConstInt(LLVMInt1TypeInContext(r->context), 1, false));
}

static void copy_place(struct tsr__reader *r, LLVMTypeRef type, LLVMValueRef to, unsigned to_alignment, LLVMValueRef from,
                       unsigned from_alignment, bool is_volatile)
{
    LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(r->context), LLVMABISizeOfType(r->layout, type), false);
    make_volatile(r, LLVMBuildMemCpy(r->builder, to, to_alignment, from, from_alignment, size), is_volatile);
}

void tsr__spirv_store(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value, LLVMValueRef to, unsigned alignment,
                      bool is_volatile)
{
    LLVMValueRef place;
    bool large = tsr__spirv_is_large(type);
    alignment = alignment ? alignment : LLVMABIAlignmentOfType(r->layout, type->llvm);
    if (large && LLVMIsUndef(value))
        return;
    if (large && LLVMIsConstant(value) && LLVMIsNull(value)) {
        LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(r->context), 0, false);
        LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(r->context), LLVMABISizeOfType(r->layout, type->llvm), false);
        make_volatile(r, LLVMBuildMemSet(r->builder, to, zero, size, alignment), is_volatile);
    } else if ((place = tsr__spirv_place(r, type, value))) {
        copy_place(r, type->llvm, to, alignment, place, LLVMGetAlignment(LLVMIsALoadInst(value) ? value : place), is_volatile);
    } else {
        LLVMValueRef made = LLVMBuildStore(r->builder, value, to);
        LLVMSetVolatile(made, is_volatile);
        LLVMSetAlignment(made, alignment);
    }
}

/* ---- loads and stores ---- */

LLVMValueRef tsr__emit_load(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *pointee, *type = tsr__spirv_result_type(r, in);
    LLVMValueRef pointer = pointer_operand(r, in, 0, &pointee);
    if ((pointee && pointee != type) || !LLVMTypeIsSized(type->llvm))
        tsr__spirv_fail(r, in, "the pointer does not point to the type of the result");
    struct access a = read_access(r, in, 1);
    if (tsr__spirv_is_large(type)) {
        LLVMValueRef place = tsr__spirv_new_place(r, type);
        unsigned own = LLVMABIAlignmentOfType(r->layout, type->llvm);
        copy_place(r, type->llvm, place, own, pointer, a.alignment ? a.alignment : own, a.is_volatile);
        return tsr__spirv_in_place(r, type, place, own);
    }
    LLVMValueRef made = LLVMBuildLoad2(r->builder, type->llvm, pointer, "");
    apply_access(r, made, &a, type->llvm);
    return made;
}

LLVMValueRef tsr__emit_store(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *pointee;
    LLVMValueRef pointer = pointer_operand(r, in, 0, &pointee), value = tsr__spirv_value(r, in, 1);
    if (pointee && pointee->llvm != LLVMTypeOf(value))
        tsr__spirv_fail(r, in, "the pointer does not point to the type of the object");
    struct access a = read_access(r, in, 2);
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 1);
    if (tsr__spirv_is_large(type)) {
        tsr__spirv_store(r, type, value, pointer, a.alignment, a.is_volatile);
        return NULL;
    }
    LLVMValueRef made = LLVMBuildStore(r->builder, value, pointer);
    apply_access(r, made, &a, LLVMTypeOf(value));
    return NULL;
}

static void build_copy(struct tsr__reader *r, LLVMValueRef to, LLVMValueRef from, LLVMValueRef size, const struct access *a,
                       const struct access *b, unsigned alignment)
{
    LLVMValueRef made =
        LLVMBuildMemCpy(r->builder, to, a->alignment ? a->alignment : alignment, from, b->alignment ? b->alignment : alignment, size);
    make_volatile(r, made, a->is_volatile || b->is_volatile);
}

/* One set of memory operands counts for both sides, two for target and source. */
static void two_accesses(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, struct access a[2])
{
    a[0] = a[1] = read_access(r, in, operand);
    if (a[0].next < in->count)
        a[1] = read_access(r, in, a[0].next);
}

LLVMValueRef tsr__emit_copy_memory(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *to, *from;
    struct access a[2];
    LLVMValueRef target = pointer_operand(r, in, 0, &to), source = pointer_operand(r, in, 1, &from);
    const struct tsr__type *type = to ? to : from;
    if (!type || (to && from && to != from) || !type->llvm || !LLVMTypeIsSized(type->llvm))
        tsr__spirv_fail(r, in, "its pointers have to point to one type, which has a size");
    two_accesses(r, in, 2, a);
    LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(r->context), LLVMABISizeOfType(r->layout, type->llvm), false);
    build_copy(r, target, source, size, &a[0], &a[1], LLVMABIAlignmentOfType(r->layout, type->llvm));
    return NULL;
}

LLVMValueRef tsr__emit_copy_memory_sized(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *to, *from;
    struct access a[2];
    LLVMValueRef target = pointer_operand(r, in, 0, &to), source = pointer_operand(r, in, 1, &from), size = tsr__spirv_value(r, in, 2);
    if (LLVMGetTypeKind(LLVMTypeOf(size)) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "the size has to be an integer");
    two_accesses(r, in, 3, a);
    size = LLVMBuildIntCast2(r->builder, size, LLVMInt64TypeInContext(r->context), false, "");
    build_copy(r, target, source, size, &a[0], &a[1], 1);
    return NULL;
}

/* ---- addresses ---- */

/* Indices count with their sign, so they have the width of an address. Members of structs are constants of 32 bits. */
static LLVMValueRef chain_index(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, const struct tsr__type **type)
{
    if (*type && (*type)->kind == TSR__STRUCT) {
        uint64_t member = tsr__spirv_constant(r, in, operand, "the number of a member");
        if (member >= (*type)->count)
            tsr__spirv_fail(r, in, "there is no member %llu", (unsigned long long)member);
        *type = (*type)->members[member];
        return tsr__u32(r, (uint32_t)member);
    }
    if (!*type || ((*type)->kind != TSR__ARRAY && (*type)->kind != TSR__VECTOR))
        tsr__spirv_fail(r, in, "index %u goes into what has no members", operand);
    if (tsr__is_int4_vector(*type))
        tsr__spirv_fail(r, in, "a component of a vector of integers of 4 bits has no address");
    LLVMValueRef index = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "an index has to be an integer");
    *type = (*type)->element;
    return LLVMBuildIntCast2(r->builder, index, LLVMInt64TypeInContext(r->context), true, "");
}

/* LLVM's writer of SPIR-V puts a pointer to bytes where an initial value holds the address of a part of a variable. */
static bool may_point_to(const struct tsr__type *pointer, const struct tsr__type *type)
{
    const struct tsr__type *to = pointer->element;
    return !to || to == type || (to->kind == TSR__INT && LLVMGetIntTypeWidth(to->llvm) == 8 && !to->is_int4);
}

LLVMValueRef tsr__emit_access_chain(struct tsr__reader *r, const struct tsr__inst *in, int flags)
{
    const struct tsr__type *base_type, *type;
    uint32_t count = 0, operand = flags & TSR__UNTYPED ? 1 : 0;
    LLVMValueRef base = pointer_operand(r, in, operand++, &base_type);
    if (flags & TSR__UNTYPED) /* the type of the base is an operand of its own, in front of it */
        base_type = tsr__spirv_type(r, in, 0);
    if (!base_type || !base_type->llvm || !LLVMTypeIsSized(base_type->llvm))
        tsr__spirv_fail(r, in, "the base does not point to a type with a size");
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef *indices = tsr_arena_alloc(&r->arena, (in->count + 1) * sizeof *indices);
    indices[count++] = LLVMConstInt(i64, 0, false);
    if (flags & TSR__POINTER_INDEX) {
        LLVMValueRef element = tsr__spirv_value(r, in, operand++);
        if (LLVMGetTypeKind(LLVMTypeOf(element)) != LLVMIntegerTypeKind)
            tsr__spirv_fail(r, in, "an index has to be an integer");
        indices[0] = LLVMBuildIntCast2(r->builder, element, i64, true, "");
    }
    type = base_type;
    for (; operand < in->count && type->kind != TSR__MATRIX; operand++)
        indices[count++] = chain_index(r, in, operand, &type);
    LLVMValueRef element = operand < in->count ? tsr__spirv_value(r, in, operand) : NULL; /* of a matrix */
    if (element && (operand + 1 < in->count || LLVMGetTypeKind(LLVMTypeOf(element)) != LLVMIntegerTypeKind))
        tsr__spirv_fail(r, in, "a matrix has one index, an integer");
    const struct tsr__matrix *matrix = element ? type->matrix : NULL;
    type = element ? type->element : type;
    const struct tsr__type *result = tsr__spirv_result_type(r, in);
    if (result->kind != TSR__POINTER || (flags & TSR__UNTYPED ? result->element != NULL : !may_point_to(result, type)))
        tsr__spirv_fail(r, in,
                        flags & TSR__UNTYPED ? "its result has to be an untyped pointer" : "its result does not point to the member");
    LLVMValueRef made = flags & TSR__IN_BOUNDS ? LLVMBuildInBoundsGEP2(r->builder, base_type->llvm, base, indices, count, "")
                                               : LLVMBuildGEP2(r->builder, base_type->llvm, base, indices, count, "");
    return element ? tsr__matrix_element(r, matrix, made, element) : made;
}

LLVMValueRef tsr__emit_pointer_difference(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *a_type, *b_type;
    LLVMValueRef a = pointer_operand(r, in, 0, &a_type), b = pointer_operand(r, in, 1, &b_type);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context), to = tsr__spirv_result_type(r, in)->llvm;
    bool sized = !a_type || (a_type->llvm && LLVMTypeIsSized(a_type->llvm));
    if (a_type != b_type || !sized || LLVMGetTypeKind(to) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "it takes two pointers to one type, which has a size");
    LLVMValueRef bytes = LLVMBuildSub(r->builder, LLVMBuildPtrToInt(r->builder, a, i64, ""), LLVMBuildPtrToInt(r->builder, b, i64, ""), "");
    uint64_t size = a_type ? LLVMABISizeOfType(r->layout, a_type->llvm) : 1; /* untyped pointers count bytes */
    LLVMValueRef elements = LLVMBuildExactSDiv(r->builder, bytes, LLVMConstInt(i64, size ? size : 1, false), "");
    return LLVMBuildIntCast2(r->builder, elements, to, true, "");
}

LLVMValueRef tsr__emit_size_of(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type;
    pointer_operand(r, in, 0, &type);
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm;
    if (!type || !type->llvm || !LLVMTypeIsSized(type->llvm) || LLVMGetTypeKind(to) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "the pointer does not point to a type with a size");
    return LLVMConstInt(to, LLVMABISizeOfType(r->layout, type->llvm), false);
}

LLVMValueRef tsr__emit_lifetime(struct tsr__reader *r, const struct tsr__inst *in, int end)
{
    const struct tsr__type *type;
    LLVMValueRef pointer = pointer_operand(r, in, 0, &type);
    if (LLVMIsAAllocaInst(pointer)) /* what the intrinsic takes */
        tsr__spirv_call_intrinsic(r, end ? "llvm.lifetime.end" : "llvm.lifetime.start", LLVMTypeOf(pointer), &pointer, 1);
    return NULL;
}

/* A hint, of which there is no function for pointers without a type. */
LLVMValueRef tsr__emit_prefetch(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type;
    pointer_operand(r, in, 0, &type);
    if (tsr__spirv_type_of(r, in, 0)->storage != TSR__StorageCrossWorkgroup || tsr__spirv_type_of(r, in, 1)->kind != TSR__INT)
        tsr__spirv_fail(r, in, "it takes a pointer to CrossWorkgroup memory and a number of bytes");
    return NULL;
}
