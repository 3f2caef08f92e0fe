/* SPDX-License-Identifier: Apache-2.0
 * The matrix functions over nothing but shuffles of a sub-group, for GPUs whose matrix units lack them: tessera_il_<name>. The compiler puts
 * them in the place of calls (clc/service/il_units.c). There is none for pairs of sub-groups: only a unit lets two of them meet. */
#include "library.h"
#include "tessera/matrix_math.h"

#define CONVERGENT __attribute__((overloadable, convergent))

/* The driver's. */
uint CONVERGENT intel_sub_group_shuffle(uint value, uint lane);
ushort CONVERGENT intel_sub_group_shuffle(ushort value, uint lane);
uint PURE get_sub_group_size(void);

/* What lane `lane` has; 0 if there is no such lane in the last sub-group of the work-group. */
#define FROM_LANE(T)                                                                                                                       \
    INLINE T CONVERGENT from_lane(T value, uint lane)                                                                                      \
    {                                                                                                                                      \
        T there = intel_sub_group_shuffle(value, lane);                                                                                    \
        return lane < get_sub_group_size() ? there : (T)0;                                                                                 \
    }
FROM_LANE(uint)
FROM_LANE(ushort)

/* Word j of row r of A, of which `a` is the component of this lane that has a part of the row. */
INLINE uint CONVERGENT a_word(enum tsr_matrix_form form, const void *a, uint m, uint r, uint j)
{
    switch (form) {
    case TSR_MATRIX_N8:
        return from_lane(((const tsr_word *)a)[r], j);
    case TSR_MATRIX_N16: {
        ushort part = ((const tsr_half_word *)a)[r];
        return from_lane(part, 2 * j) | (uint)from_lane(part, 2 * j + 1) << 16;
    }
    default:
        return from_lane(((const tsr_word *)a)[m > 1 ? r / 2 : 0], 8 * (r & 1) + j);
    }
}

/* As tsr_matrix_number; every such GPU converts halves. */
INLINE float number(enum tsr_element e, uint word, uint p)
{
    return e == TSR_ELEMENT_F16 ? (float)__builtin_astype((ushort)(word >> 16 * p), half) : tsr_matrix_number(e, word, p);
}

/* A row of A times the column of B in this lane, as tsr_matrix_row_integer and tsr_matrix_row_number have it. */
INLINE uint CONVERGENT row_integer(enum tsr_matrix_form form, uint m, enum tsr_element ea, enum tsr_element eb, const void *a, uint r,
                                   uint8 b, uint acc)
{
    uint per_word = ea == TSR_ELEMENT_S4 || ea == TSR_ELEMENT_U4 ? 8 : 4;
    _Pragma("nounroll") for (uint j = 0; j < 8; j++)
    {
        uint word = a_word(form, a, m, r, j), column = b[j];
        _Pragma("unroll") for (uint p = 0; p < per_word; p++) acc +=
            (uint)(tsr_matrix_integer(ea, word, p) * tsr_matrix_integer(eb, column, p));
    }
    return acc;
}

INLINE float CONVERGENT row_number(enum tsr_matrix_form form, uint m, enum tsr_element e, const void *a, uint r, uint8 b, float acc)
{
    uint per_word = e == TSR_ELEMENT_TF32 ? 1 : 2;
    _Pragma("nounroll") for (uint j = 0; j < 8; j++)
    {
        uint word = a_word(form, a, m, r, j), column = b[j];
        _Pragma("unroll") for (uint p = 0; p < per_word; p++) acc =
            __builtin_fmaf(number(e, word, p), number(e, column, p), acc);
    }
    return acc;
}

INLINE void CONVERGENT column(enum tsr_matrix_form form, uint m, enum tsr_element ea, enum tsr_element eb, enum tsr_element ec,
                              const void *a, uint8 b, void *acc)
{
    tsr_word *words = (tsr_word *)acc;
    tsr_half_word *halves = (tsr_half_word *)acc;
    _Pragma("unroll") for (uint r = 0; r < m; r++)
    {
        if (ec == TSR_ELEMENT_S32)
            words[r] = row_integer(form, m, ea, eb, a, r, b, words[r]);
        else if (ec == TSR_ELEMENT_F32)
            words[r] = tsr_bits_of_float(row_number(form, m, ea, a, r, b, tsr_float_of_bits(words[r])));
        else if (ec == TSR_ELEMENT_BF16)
            halves[r] = tsr_bf16_of_float(row_number(form, m, ea, a, r, b, tsr_float_of_bf16(halves[r])));
        else
            halves[r] = tsr_f16_of_float(row_number(form, m, ea, a, r, b, tsr_float_of_f16(halves[r])));
    }
}

#define FORM_N8(name, m, ta, tb, tc, ea, eb, ec)                                                                                           \
    tc CONVERGENT tessera_il_##name(ta a, tb b, tc acc)                                                                                    \
    {                                                                                                                                      \
        column(TSR_MATRIX_N8, m, TSR_ELEMENT_##ea, TSR_ELEMENT_##eb, TSR_ELEMENT_##ec, &a, __builtin_astype(b, uint8), &acc);              \
        return acc;                                                                                                                        \
    }
#define FORM_N16(name, m, ta, tb, tc, ea, eb, ec)                                                                                          \
    tc CONVERGENT tessera_il_##name(ta a, tb b, tc acc)                                                                                    \
    {                                                                                                                                      \
        column(TSR_MATRIX_N16, m, TSR_ELEMENT_##ea, TSR_ELEMENT_##eb, TSR_ELEMENT_##ec, &a, __builtin_astype(b, uint8), &acc);             \
        return acc;                                                                                                                        \
    }
#define FORM_TF32(name, m, ta, tb, tc, ea, eb, ec)                                                                                         \
    tc CONVERGENT tessera_il_##name(ta a, tb b, tc acc)                                                                                    \
    {                                                                                                                                      \
        column(TSR_MATRIX_TF32, m, TSR_ELEMENT_##ea, TSR_ELEMENT_##eb, TSR_ELEMENT_##ec, &a, __builtin_astype(b, uint8), &acc);            \
        return acc;                                                                                                                        \
    }
#define FORM_SPLIT(...)
#define TSR_MATRIX(name, form, n, m, k, ta, tb, tc, ea, eb, ec) FORM_##form(name, m, ta, tb, tc, ea, eb, ec)
#include "tessera/matrix.def"
#undef TSR_MATRIX
