/* SPDX-License-Identifier: Apache-2.0
 * Predicates on values, and walks over instructions. */
#ifndef TESSERA_LANES_IR_MATCH_H
#define TESSERA_LANES_IR_MATCH_H

#include "lanes/ir/ir.h"

/* The value of a constant integer of at most 64 bits, its sign extended. */
static inline bool tsr__constant_int(LLVMValueRef v, int64_t *value)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *value = LLVMConstIntGetSExtValue(v);
    return true;
}

/* The number that is in each element of a constant vector, its sign extended. */
static inline bool tsr__same_number(LLVMValueRef v, int64_t *number)
{
    LLVMValueRef first = LLVMIsAConstant(v) ? LLVMGetAggregateElement(v, 0) : NULL;
    for (unsigned i = 1; first && i < LLVMGetVectorSize(LLVMTypeOf(v)); i++)
        if (LLVMGetAggregateElement(v, i) != first)
            return false;
    return first && tsr__constant_int(first, number);
}

/* Is it the constant `number`, without a sign? */
static inline bool tsr__is_constant(LLVMValueRef v, uint64_t number)
{
    return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 && LLVMConstIntGetZExtValue(v) == number;
}

/* Is it a division of integers, or a remainder, that may trap? */
static inline bool tsr__may_trap(LLVMValueRef inst)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem)
        return false;
    LLVMValueRef divisor = LLVMGetOperand(inst, 1);
    return !LLVMIsAConstantInt(divisor) || LLVMIsNull(divisor) || divisor == LLVMConstAllOnes(LLVMTypeOf(divisor));
}

static inline bool tsr__is_vector_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static inline bool tsr__is_vector(LLVMValueRef v)
{
    return tsr__is_vector_type(LLVMTypeOf(v));
}

/* Of halves, or vectors of them: the same of floats; else NULL. */
static inline LLVMTypeRef tsr__floats_of_halves(LLVMTypeRef type)
{
    const bool vector = tsr__is_vector_type(type);
    if (LLVMGetTypeKind(vector ? LLVMGetElementType(type) : type) != LLVMHalfTypeKind)
        return NULL;
    LLVMTypeRef number = LLVMFloatTypeInContext(LLVMGetTypeContext(type));
    return vector ? LLVMVectorType(number, LLVMGetVectorSize(type)) : number;
}

static inline bool tsr__is_in_block(LLVMValueRef v, LLVMBasicBlockRef block)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == block;
}

/* Its user, if it has one alone; else NULL. */
static inline LLVMValueRef tsr__only_user(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

/* How often it is used, by all users together. */
static inline size_t tsr__use_count(LLVMValueRef v)
{
    size_t count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        count++;
    return count;
}

/* The first edge from the block by which the phi gets a value; the number of the phi's edges if there is none. */
static inline unsigned tsr__edge_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    unsigned edge = 0, count = LLVMCountIncoming(phi);
    while (edge < count && LLVMGetIncomingBlock(phi, edge) != block)
        edge++;
    return edge;
}

/* How many of the lower bits of the integer are zero for sure, whatever wraps around: 32 at most. (ir.c) */
unsigned tsr__zero_bits(LLVMValueRef integer);

/* What the phi gets from the block; NULL: there is no such edge. */
static inline LLVMValueRef tsr__incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    unsigned edge = tsr__edge_from(phi, block);
    return edge < LLVMCountIncoming(phi) ? LLVMGetIncomingValue(phi, edge) : NULL;
}

/* Is it a sum of integers, or an OR of bits that are disjoint, as LLVM writes sums that never carry? */
static inline bool tsr__is_sum(LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v))
        return false;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    return opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(v));
}

/* Is it an AND, OR or XOR? */
static inline bool tsr__is_logic(LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    return opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor;
}

/* Is the load or store neither volatile nor atomic? */
static inline bool tsr__is_plain_access(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

/* A load, store or update that is atomic, or a volatile one? */
static inline bool tsr__is_atomic(LLVMValueRef inst)
{
    bool access = LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst);
    return LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst) || (access && !tsr__is_plain_access(inst));
}

/* Where the load, store or update is. */
static inline LLVMValueRef tsr__place_of(LLVMValueRef access)
{
    return LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
}

static inline bool tsr__is_plain_load(LLVMValueRef v)
{
    return LLVMIsALoadInst(v) && tsr__is_plain_access(v);
}

/* In a kernel: is it a part of a structure that it gets by value? Nothing writes there, as a kernel that may has a copy. */
static inline bool tsr__is_part_of_argument(LLVMValueRef v)
{
    LLVMValueRef from = tsr__is_plain_load(v) ? LLVMGetOperand(v, 0) : NULL;
    while (from && LLVMIsAGetElementPtrInst(from)) {
        for (unsigned i = 1; i <= LLVMGetNumIndices(from); i++)
            if (!LLVMIsAConstantInt(LLVMGetOperand(from, i)))
                return false;
        from = LLVMGetOperand(from, 0);
    }
    return from && LLVMIsAArgument(from) && LLVMGetPointerAddressSpace(LLVMTypeOf(from)) == TSR__PRIVATE_SPACE;
}

static inline bool tsr__is_plain_store(LLVMValueRef v)
{
    return LLVMIsAStoreInst(v) && tsr__is_plain_access(v);
}

/* A store, a fence, or an atomic update? */
static inline bool tsr__stores_or_orders(LLVMValueRef inst)
{
    return LLVMIsAStoreInst(inst) || LLVMIsAFenceInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
}

/* Of a load or store. */
static inline LLVMValueRef tsr__accessed_pointer(LLVMValueRef access)
{
    return LLVMGetOperand(access, LLVMIsALoadInst(access) ? 0 : 1);
}

/* What a load reads, or a store writes. */
static inline LLVMTypeRef tsr__accessed_type(LLVMValueRef access)
{
    return LLVMTypeOf(LLVMIsALoadInst(access) ? access : LLVMGetOperand(access, 0));
}

/* Is it an address in this space, also where it is a cast of one? */
static inline bool tsr__points_into(LLVMValueRef pointer, unsigned space)
{
    while (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != space) {
        if (!LLVMIsAAddrSpaceCastInst(pointer) && !LLVMIsAGetElementPtrInst(pointer))
            return false;
        pointer = LLVMGetOperand(pointer, 0);
    }
    return true;
}

static inline LLVMValueRef tsr__first_from(LLVMBasicBlockRef block)
{
    LLVMValueRef first = NULL;
    while (block && (first = LLVMGetFirstInstruction(block)) == NULL)
        block = LLVMGetNextBasicBlock(block);
    return first;
}

/* The instructions of a function that does not change meanwhile, block by block: for (i = tsr__first(f); i; i = tsr__next(i)). Where it
 * changes, tsr__instructions takes a snapshot. */
static inline LLVMValueRef tsr__first(LLVMValueRef function)
{
    return tsr__first_from(LLVMGetFirstBasicBlock(function));
}

static inline LLVMValueRef tsr__next(LLVMValueRef instruction)
{
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    return next ? next : tsr__first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction)));
}

#endif
