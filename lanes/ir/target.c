/* SPDX-License-Identifier: Apache-2.0
 * Facts about the target CPU: the number of vector registers that a type takes, and the unit that multiplies tiles. */
#include "lanes/ir/ir.h"

unsigned tsr__element_bits(const struct tsr__compilation *l, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) > 1 ? LLVMGetIntTypeWidth(type) : tsr__has(l, TSR_CPU_AVX512F) ? 1 : 8;
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

uint64_t tsr__vector_registers(const struct tsr__compilation *l, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 1;
    uint64_t bits = (uint64_t)LLVMGetVectorSize(type) * tsr__element_bits(l, LLVMGetElementType(type));
    uint64_t size = tsr__has(l, TSR_CPU_AVX512F) ? 512 : tsr__has(l, TSR_CPU_AVX2) ? 256 : 128;
    return (bits + size - 1) / size;
}

const char *tsr__why_without_tiles(const struct tsr__compilation *l, LLVMValueRef function)
{
    uint32_t kernel;
    return l->without_tiles && tsr__kernel_of_code(l, tsr__name(function), &kernel) ? l->without_tiles[kernel] : NULL;
}

enum tsr__tile_unit tsr__tile_unit(const struct tsr__compilation *l)
{
    return tsr__has(l, TSR_CPU_AMX_TILE)        ? TSR__TILES_AMX
           : tsr__has(l, TSR_CPU_TILES_MODEL)   ? TSR__TILES_MODEL
           : tsr__has(l, TSR_CPU_TILES_VECTORS) ? TSR__TILES_VECTORS
                                                : TSR__TILES_NONE;
}
