/* SPDX-License-Identifier: Apache-2.0
 * Memory layout of types: the offset of each scalar in a type, and the copies of a stack variable, one for each lane. */
#ifndef TESSERA_LANES_IR_LAYOUT_H
#define TESSERA_LANES_IR_LAYOUT_H

#include "lanes/ir/ir.h"

/* The *components* of a type are its scalars, in the order in which they lie in memory. */
int tsr__component_count(LLVMTypeRef type);
LLVMTypeRef tsr__component_type(LLVMTypeRef type, int component);

/* The member of an aggregate that holds scalar `*component`, whose number in that member is left there. */
unsigned tsr__member_of(LLVMTypeRef type, int *component);
/* Do elements of a vector of this type lie where those of an array do? Not those of i1 and of i24, which LLVM makes of parts of variables.
 */
bool tsr__fills_its_bytes(LLVMTargetDataRef layout, LLVMTypeRef element);
/* The alignment `offset` bytes further on. */
unsigned tsr__align_at(unsigned align, uint64_t offset);
/* Bytes from one lane's copy of a stack variable to the next lane's. */
uint64_t tsr__alloca_pitch(LLVMTargetDataRef layout, LLVMValueRef alloca);

/* Metadata of a stack variable that all lanes have in common, and of the call by which each finds its part. */
unsigned tsr__soa_array_kind(LLVMContextRef context);
/* Metadata of the place of lanes that are not there (gather_scatter.c): nobody reads what is stored to it. */
unsigned tsr__nowhere_kind(LLVMContextRef context);
/* Is it the address of such a place, or a splat of that address? */
bool tsr__is_nowhere(LLVMValueRef pointers);
/* Metadata of an access that meets none of another argument's memory that has it, too (apart_records.c). */
unsigned tsr__alone_kind(LLVMContextRef context);
/* Metadata of the load of where an argument's local memory begins behind that of the group (entry.c). */
unsigned tsr__local_argument_kind(LLVMContextRef context);
/* A stack variable that the lanes have in common, or that call. (soa_arrays.c) */
bool tsr__is_soa_array(LLVMValueRef inst);

#endif
