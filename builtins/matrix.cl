/* SPDX-License-Identifier: Apache-2.0
 * The matrix functions, the conversions to tf32 and MADW (docs/matrix.md), one definition per line of their tables. */
#include "library.h"
#include "tessera/matrix_math.h"

/* ---- matrix functions: share the rows of A, then each work-item makes its own column of D ---- */

#define SCOPE_N8 TSR_SCOPE_SUB_GROUP
#define SCOPE_N16 TSR_SCOPE_SUB_GROUP
#define SCOPE_TF32 TSR_SCOPE_SUB_GROUP
#define SCOPE_SPLIT TSR_SCOPE_PAIR

#define TSR_MATRIX(name, form, n, m, k, ta, tb, tc, ea, eb, ec)                                                                            \
    tc __attribute__((overloadable, convergent)) name(ta a, tb b, tc acc)                                                                  \
    {                                                                                                                                      \
        ulong present;                                                                                                                     \
        const void *slots = __tsr_exchange(SCOPE_##form, TSR_EXCHANGE_ALL, &a, sizeof(a), &present);                                       \
        tsr_matrix_column(TSR_MATRIX_##form, m, TSR_ELEMENT_##ea, TSR_ELEMENT_##eb, TSR_ELEMENT_##ec, slots, (const tsr_word *)&b, &acc);  \
        return acc;                                                                                                                        \
    }
#include "tessera/matrix.def"
#undef TSR_MATRIX

/* ---- conversion to tf32 ---- */

float PURE intel_convert_tfloat32_as_float(float x)
{
    return tsr_tf32_of_float(x);
}
#define CONVERT(N)                                                                                                                         \
    float##N PURE intel_convert_tfloat32##N##_as_float##N(float##N x)                                                                      \
    {                                                                                                                                      \
        _Pragma("unroll") for (int i = 0; i < N; i++) x[i] = tsr_tf32_of_float(x[i]);                                                      \
        return x;                                                                                                                          \
    }
EACH_VECTOR(CONVERT)

/* ---- MADW ---- */

/* The halves of src0·src1 + src2; bit i of `signs` says whether source i is signed, which the lower half does not care for. The vector engine
 * has instructions for calls of these (lanes/widen/widen_madw.c). */
__attribute__((const, noinline)) uint tessera_madw_low_word(uint a, uint b, uint c)
{
    return a * b + c;
}

__attribute__((const, noinline)) uint tessera_madw_high_word(uint a, uint b, uint c, uint signs)
{
    return (uint)(tsr_madw(a, signs & 1, b, signs & 2, c, signs & 4) >> 32);
}

/* The half of `count` results that starts at bit `shift`. */
INLINE void madw(uint count, uint shift, const void *s0, bool signed0, const void *s1, bool signed1, const void *s2, bool signed2,
                 void *out)
{
    _Pragma("unroll") for (uint i = 0; i < count; i++)
    {
        uint a = ((const uint *)s0)[i], b = ((const uint *)s1)[i], c = ((const uint *)s2)[i];
        ((uint *)out)[i] =
            shift ? tessera_madw_high_word(a, b, c, (uint)signed0 | (uint)signed1 << 1 | (uint)signed2 << 2) : tessera_madw_low_word(a, b, c);
    }
}

/* OpenCL's rule of select(): a scalar predicate is true if it is not zero, a component of a vector if its top bit is set. */
INLINE void choose(uint count, const void *predicate, const void *old, void *out)
{
    _Pragma("unroll") for (uint i = 0; i < count; i++)
    {
        int p = ((const int *)predicate)[i];
        if (!(count == 1 ? p != 0 : p < 0))
            ((uint *)out)[i] = ((const uint *)old)[i];
    }
}

#define HALF(name, shift, u, p, t0, t1, t2, g0, g1, g2)                                                                                    \
    u PURE name(t0 src0, t1 src1, t2 src2)                                                                                                 \
    {                                                                                                                                      \
        u out;                                                                                                                             \
        madw(sizeof(u) / 4, shift, &src0, g0, &src1, g1, &src2, g2, &out);                                                                 \
        return out;                                                                                                                        \
    }                                                                                                                                      \
    u PURE name##_masked(u old, p predicate, t0 src0, t1 src1, t2 src2)                                                                    \
    {                                                                                                                                      \
        u out = name(src0, src1, src2);                                                                                                    \
        choose(sizeof(u) / 4, &predicate, &old, &out);                                                                                     \
        return out;                                                                                                                        \
    }
#define TSR_MADW(u, p, t0, t1, t2, g0, g1, g2)                                                                                             \
    HALF(tessera_madw_lo, 0, u, p, t0, t1, t2, g0, g1, g2)                                                                                 \
    HALF(tessera_madw_hi, 32, u, p, t0, t1, t2, g0, g1, g2)                                                                                \
    HALF(tessera_madw_hi_zext, 32, u, p, t0, t1, t2, g0, g1, false)
#include "tessera/madw.def"
#undef TSR_MADW
