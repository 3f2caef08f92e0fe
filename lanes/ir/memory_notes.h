/* SPDX-License-Identifier: Apache-2.0
 * What is known of a masked access, for the plain accesses that it becomes. */
#ifndef TESSERA_LANES_IR_MEMORY_NOTES_H
#define TESSERA_LANES_IR_MEMORY_NOTES_H

#include "lanes/ir/ir.h"

/* The alignment that the call promises for a pointer, in bytes; of a vector of pointers, for each. */
static inline unsigned tsr__argument_align(LLVMValueRef call, unsigned argument)
{
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, tsr__attr_kind("align"));
    return attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
}

/* Gives the access `to` the metadata of `from`. */
static inline void tsr__copy_notes(LLVMValueRef from, LLVMValueRef to)
{
    size_t count;
    LLVMValueMetadataEntry *notes = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);
    for (size_t i = 0; i < count; i++)
        LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(notes, (unsigned)i),
                        LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(from)), LLVMValueMetadataEntriesGetMetadata(notes, (unsigned)i)));
    LLVMDisposeValueMetadataEntries(notes);
}

/* Gives the load or store `to` the alignment, and the metadata of `from`. */
static inline void tsr__copy_memory_notes(LLVMValueRef from, LLVMValueRef to, unsigned align)
{
    tsr__copy_notes(from, to);
    LLVMSetAlignment(to, align);
}

#endif
