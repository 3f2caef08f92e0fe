/* SPDX-License-Identifier: Apache-2.0
 * The table of tile products: which AMX instruction, or function of the device, computes a matrix function. */
#include "lanes/matrix/matrix.h"
#include "lanes/ir/match.h"

/* Bytes are widened where there is no VNNI; AVX-VNNI has no functions of the device. */
static bool is_usable(const struct tsr__compilation *l, enum tsr__tile_unit unit, const struct tsr__tile_product *x)
{
    if (unit == TSR__TILES_NONE)
        return false;
    if (unit != TSR__TILES_VECTORS)
        return x->instruction && (unit != TSR__TILES_AMX || tsr__has(l, x->feature));
    if (x->number < TSR_TILE_BF16)
        return tsr__has(l, TSR_CPU_AVX512VNNI) || !tsr__has(l, TSR_CPU_AVXVNNI);
    return x->instruction || tsr__has(l, x->feature);
}

const struct tsr__tile_product *tsr__tile_product(const struct tsr__compilation *l, enum tsr__tile_unit unit,
                                                  const struct tsr_matrix_builtin *f)
{
    static const struct tsr__tile_product products[] = {
        {TSR_ELEMENT_S8, TSR_ELEMENT_S8, TSR_CPU_AMX_INT8, "llvm.x86.tdpbssd", TSR_TILE_S8S8},
        {TSR_ELEMENT_S8, TSR_ELEMENT_U8, TSR_CPU_AMX_INT8, "llvm.x86.tdpbsud", TSR_TILE_S8U8},
        {TSR_ELEMENT_U8, TSR_ELEMENT_S8, TSR_CPU_AMX_INT8, "llvm.x86.tdpbusd", TSR_TILE_U8S8},
        {TSR_ELEMENT_U8, TSR_ELEMENT_U8, TSR_CPU_AMX_INT8, "llvm.x86.tdpbuud", TSR_TILE_U8U8},
        {TSR_ELEMENT_BF16, TSR_ELEMENT_BF16, TSR_CPU_BF16_PAIRS, NULL, TSR_TILE_BF16_PAIRS},
        {TSR_ELEMENT_BF16, TSR_ELEMENT_BF16, TSR_CPU_AMX_BF16, "llvm.x86.tdpbf16ps", TSR_TILE_BF16},
        {TSR_ELEMENT_F16, TSR_ELEMENT_F16, TSR_CPU_AMX_FP16, "llvm.x86.tdpfp16ps", TSR_TILE_F16},
        {TSR_ELEMENT_TF32, TSR_ELEMENT_TF32, TSR_CPU_TILES_VECTORS, NULL, TSR_TILE_TF32},
    };
    bool words = f->ec == TSR_ELEMENT_S32 || f->ec == TSR_ELEMENT_F32;
    for (size_t i = 0; words && i < TSR_ARRAY_LEN(products); i++)
        if (products[i].a == f->ea && products[i].b == f->eb && is_usable(l, unit, &products[i]))
            return &products[i];
    return NULL;
}

enum tsr__tile_unit tsr__tile_unit_of(const struct tsr__compilation *l, LLVMValueRef function)
{
    const enum tsr__tile_unit unit = tsr__why_without_tiles(l, function) ? TSR__TILES_NONE : tsr__tile_unit(l);
    bool by_vectors = false;
    struct tsr__mad mad;
    for (LLVMValueRef i = unit == TSR__TILES_AMX ? tsr__first(function) : NULL; i; i = tsr__next(i)) {
        if (!tsr__mad_read(i, &mad))
            continue;
        if (tsr__tile_product(l, TSR__TILES_AMX, mad.f))
            return TSR__TILES_AMX;
        by_vectors = by_vectors || tsr__tile_product(l, TSR__TILES_VECTORS, mad.f);
    }
    return by_vectors ? TSR__TILES_VECTORS : unit;
}
