/* SPDX-License-Identifier: Apache-2.0
 * Atomic instructions and memory barriers (SPIR-V specification 3.52.18 and 3.52.20). Every scope is one on a CPU, and all orders of a
 * read-modify-write cost the same, so they are sequentially consistent, as in builtins/atomics.cl. */
#include "clc/spirv/reader.h"

static LLVMValueRef pointer_operand(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef pointer = tsr__spirv_value(r, in, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
        tsr__spirv_fail(r, in, "its first operand has to be a pointer");
    return pointer;
}

/* A number of a type of which there are atomic operations. */
static LLVMTypeRef atomic_type(struct tsr__reader *r, const struct tsr__inst *in, LLVMTypeRef type)
{
    unsigned width = tsr__is_int(type) || tsr__is_float(type) ? (unsigned)LLVMSizeOfTypeInBits(r->layout, type) : 0;
    if (tsr__is_vector(type) || (width != 16 && width != 32 && width != 64) || (width == 16 && tsr__is_int(type)))
        tsr__spirv_fail(r, in, "atomic operations work on numbers of 32 and 64 bits, and on half");
    return type;
}

static LLVMValueRef value_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    atomic_type(r, in, LLVMTypeOf(value));
    if (in->type && LLVMTypeOf(value) != tsr__spirv_result_type(r, in)->llvm)
        tsr__spirv_fail(r, in, "the value is not of the type of the result");
    return value;
}

LLVMValueRef tsr__emit_atomic_load(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMTypeRef type = atomic_type(r, in, tsr__spirv_result_type(r, in)->llvm);
    LLVMValueRef made = LLVMBuildLoad2(r->builder, type, pointer_operand(r, in), "");
    LLVMSetOrdering(made, LLVMAtomicOrderingSequentiallyConsistent);
    LLVMSetAlignment(made, LLVMABIAlignmentOfType(r->layout, type));
    return made;
}

/* A store has a cheaper form, which is taken when the order is known to allow it. */
LLVMValueRef tsr__emit_atomic_store(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef value = value_operand(r, in, 3), semantics = tsr__spirv_value(r, in, 2);
    LLVMValueRef made = LLVMBuildStore(r->builder, value, pointer_operand(r, in));
    bool weaker = LLVMIsAConstantInt(semantics) && !(LLVMConstIntGetZExtValue(semantics) & TSR__SemanticsSequentiallyConsistent);
    LLVMSetOrdering(made, weaker ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingSequentiallyConsistent);
    LLVMSetAlignment(made, LLVMABIAlignmentOfType(r->layout, LLVMTypeOf(value)));
    return NULL;
}

static LLVMValueRef update(struct tsr__reader *r, const struct tsr__inst *in, int operation, LLVMValueRef value)
{
    return LLVMBuildAtomicRMW(r->builder, (LLVMAtomicRMWBinOp)operation, pointer_operand(r, in), value,
                              LLVMAtomicOrderingSequentiallyConsistent, false);
}

LLVMValueRef tsr__emit_atomic_update(struct tsr__reader *r, const struct tsr__inst *in, int operation)
{
    LLVMValueRef value = value_operand(r, in, 3);
    if (operation != LLVMAtomicRMWBinOpXchg && !tsr__is_int(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "the value has to be an integer");
    return update(r, in, operation, value);
}

LLVMValueRef tsr__emit_atomic_count(struct tsr__reader *r, const struct tsr__inst *in, int operation)
{
    LLVMTypeRef type = atomic_type(r, in, tsr__spirv_result_type(r, in)->llvm);
    if (!tsr__is_int(type))
        tsr__spirv_fail(r, in, "it counts integers");
    return update(r, in, operation, LLVMConstInt(type, 1, false));
}

/* By the function of OpenCL C, since there is no instruction for half. */
LLVMValueRef tsr__emit_atomic_float(struct tsr__reader *r, const struct tsr__inst *in, int operation)
{
    LLVMValueRef value = value_operand(r, in, 3);
    if (!tsr__is_float(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "the value has to be a float");
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMHalfTypeKind)
        return update(r, in, operation, value);
    static const char *const names[] = {"add", "min", "max"};
    LLVMValueRef args[] = {pointer_operand(r, in), value};
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(args[0]));
    int which = operation == LLVMAtomicRMWBinOpFAdd ? 0 : operation == LLVMAtomicRMWBinOpFMin ? 1 : 2;
    const char *name = tsr_arena_format(&r->arena, "_Z16atomic_fetch_%sPU3AS%uVU7_AtomicDhDh", names[which], space);
    return tsr__spirv_call_plain(r, name, LLVMTypeOf(value), args, 2, 0);
}

LLVMValueRef tsr__emit_atomic_compare_exchange(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef desired = value_operand(r, in, 4), expected = value_operand(r, in, 5);
    if (!tsr__is_int(LLVMTypeOf(desired)))
        tsr__spirv_fail(r, in, "the value has to be an integer");
    LLVMValueRef made = LLVMBuildAtomicCmpXchg(r->builder, pointer_operand(r, in), expected, desired,
                                               LLVMAtomicOrderingSequentiallyConsistent, LLVMAtomicOrderingSequentiallyConsistent, false);
    return LLVMBuildExtractValue(r->builder, made, 0, "");
}

/* A flag is an integer of 32 bits. */
LLVMValueRef tsr__emit_atomic_flag_set(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef old = update(r, in, LLVMAtomicRMWBinOpXchg, tsr__u32(r, 1));
    return LLVMBuildICmp(r->builder, LLVMIntNE, old, tsr__u32(r, 0), "");
}

LLVMValueRef tsr__emit_atomic_flag_clear(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef made = LLVMBuildStore(r->builder, tsr__u32(r, 0), pointer_operand(r, in));
    LLVMSetOrdering(made, LLVMAtomicOrderingSequentiallyConsistent);
    LLVMSetAlignment(made, 4);
    return NULL;
}

LLVMValueRef tsr__emit_memory_barrier(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    tsr__spirv_value(r, in, 1);
    LLVMBuildFence(r->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
    return NULL;
}
