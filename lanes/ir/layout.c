/* SPDX-License-Identifier: Apache-2.0
 * Memory layout of types: the offset of each scalar in a type, and the copies of a stack variable, one for each lane. */
#include "lanes/ir/layout.h"

int tsr__component_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
        return 0;
    case LLVMVectorTypeKind:
        return (int)LLVMGetVectorSize(type);
    case LLVMArrayTypeKind:
        return (int)LLVMGetArrayLength2(type) * tsr__component_count(LLVMGetElementType(type));
    case LLVMStructTypeKind: {
        int count = 0;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            count += tsr__component_count(LLVMStructGetTypeAtIndex(type, i));
        return count;
    }
    default:
        return 1;
    }
}

unsigned tsr__member_of(LLVMTypeRef type, int *component)
{
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
        int count = tsr__component_count(LLVMGetElementType(type));
        unsigned index = (unsigned)(*component / count);
        *component %= count;
        return index;
    }
    for (unsigned i = 0;; i++) {
        int count = tsr__component_count(LLVMStructGetTypeAtIndex(type, i));
        if (*component < count)
            return i;
        *component -= count;
    }
}

LLVMTypeRef tsr__component_type(LLVMTypeRef type, int component)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMGetElementType(type);
    case LLVMArrayTypeKind:
        return tsr__component_type(LLVMGetElementType(type), component % tsr__component_count(LLVMGetElementType(type)));
    case LLVMStructTypeKind:
        for (unsigned i = 0;; i++) {
            LLVMTypeRef field = LLVMStructGetTypeAtIndex(type, i);
            int count = tsr__component_count(field);
            if (component < count)
                return tsr__component_type(field, component);
            component -= count;
        }
    default:
        return type;
    }
}

unsigned tsr__align_at(unsigned align, uint64_t offset)
{
    while (align > 1 && offset % align)
        align /= 2;
    return align ? align : 1;
}

bool tsr__fills_its_bytes(LLVMTargetDataRef layout, LLVMTypeRef element)
{
    return LLVMSizeOfTypeInBits(layout, element) == 8 * LLVMABISizeOfType(layout, element);
}

uint64_t tsr__alloca_pitch(LLVMTargetDataRef layout, LLVMValueRef alloca)
{
    uint64_t size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(alloca)), align = LLVMGetAlignment(alloca);
    return align ? (size + align - 1) / align * align : size;
}

static unsigned kind_named(LLVMContextRef c, const char *name)
{
    return LLVMGetMDKindIDInContext(c, name, (unsigned)strlen(name));
}

unsigned tsr__soa_array_kind(LLVMContextRef c)
{
    return kind_named(c, "tessera.packet");
}

unsigned tsr__nowhere_kind(LLVMContextRef c)
{
    return kind_named(c, "tessera.nowhere");
}

unsigned tsr__alone_kind(LLVMContextRef c)
{
    return kind_named(c, "tessera.alone");
}

unsigned tsr__local_argument_kind(LLVMContextRef c)
{
    return kind_named(c, "tessera.local_argument");
}

bool tsr__is_nowhere(LLVMValueRef pointers)
{
    LLVMValueRef at = pointers;
    while (LLVMIsAShuffleVectorInst(at))
        at = LLVMGetOperand(at, 0);
    if (LLVMIsAInsertElementInst(at))
        at = LLVMGetOperand(at, 1);
    while (LLVMIsAAddrSpaceCastInst(at))
        at = LLVMGetOperand(at, 0);
    return LLVMIsAAllocaInst(at) && LLVMGetMetadata(at, tsr__nowhere_kind(LLVMGetTypeContext(LLVMTypeOf(at))));
}

bool tsr__is_soa_array(LLVMValueRef alloca)
{
    return LLVMGetMetadata(alloca, tsr__soa_array_kind(LLVMGetTypeContext(LLVMTypeOf(alloca)))) != NULL;
}
