/* SPDX-License-Identifier: Apache-2.0
 * What the matrix functions compute, as C17 and as OpenCL C at once: the built-in library and the reference in base/matrix.c share it.
 * docs/matrix.md states the layouts and the arithmetic; sections named here are of that page. */
#ifndef TESSERA_MATRIX_MATH_H
#define TESSERA_MATRIX_MATH_H

#ifndef __OPENCL_C_VERSION__
#include <stdbool.h>
#endif

/* Arguments are read and written as words of bits, whatever their type is. */
typedef unsigned __attribute__((may_alias)) tsr_word;
typedef unsigned short __attribute__((may_alias)) tsr_half_word;

/* Elements of a matrix. */
enum tsr_element {
    TSR_ELEMENT_S4,
    TSR_ELEMENT_U4,
    TSR_ELEMENT_S8,
    TSR_ELEMENT_U8,
    TSR_ELEMENT_S32,
    TSR_ELEMENT_BF16,
    TSR_ELEMENT_F16,
    TSR_ELEMENT_TF32,
    TSR_ELEMENT_F32,
};

/* How the rows of A lie over the lanes. */
enum tsr_matrix_form {
    TSR_MATRIX_N8,    /* 32 bits of each row in each of 8 lanes */
    TSR_MATRIX_N16,   /* 16 bits of each row in each of 16 lanes */
    TSR_MATRIX_TF32,  /* even rows in lanes 0 to 7, odd rows in lanes 8 to 15 */
    TSR_MATRIX_SPLIT, /* 32 bits in each of 8 lanes; the lower rows in the even sub-group of the pair, the upper rows in the odd one */
};

/* ---- numbers ---- */

union tsr_float_bits {
    float value;
    unsigned bits;
};

static inline float tsr_float_of_bits(unsigned bits)
{
    union tsr_float_bits u;
    u.bits = bits;
    return u.value;
}

static inline unsigned tsr_bits_of_float(float value)
{
    union tsr_float_bits u;
    u.value = value;
    return u.bits;
}

static inline bool tsr_bits_are_nan(unsigned bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* Drops the low `count` bits of a finite or infinite magnitude, to nearest, ties to even; a carry moves on into the exponent. */
static inline unsigned tsr_round_off(unsigned bits, unsigned count)
{
    return bits + ((1u << (count - 1)) - 1) + (bits >> count & 1);
}

static inline unsigned short tsr_bf16_of_float(float value)
{
    unsigned bits = tsr_bits_of_float(value);
    return (unsigned short)((tsr_bits_are_nan(bits) ? bits | 0x400000u : tsr_round_off(bits, 16)) >> 16);
}

static inline float tsr_float_of_bf16(unsigned bits)
{
    return tsr_float_of_bits(bits << 16);
}

static inline unsigned short tsr_f16_of_float(float value)
{
    unsigned bits = tsr_bits_of_float(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;

    if (magnitude > 0x7f800000u)
        return (unsigned short)(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
    if (magnitude >= 0x47800000u) /* 2^16 and above */
        return (unsigned short)(sign | 0x7c00u);
    if (magnitude >= 0x38800000u) /* normal in half: 2^-14 and above; rounding up from 65504 ends at infinity by itself */
        return (unsigned short)(sign | ((tsr_round_off(magnitude, 13) >> 13) - (112u << 10)));
    if (magnitude <= 0x33000000u) /* at most half of the smallest denormal, 2^-24: the tie goes to even, zero */
        return (unsigned short)sign;
    unsigned drop = 126u - (magnitude >> 23), significand = (magnitude & 0x7fffffu) | 0x800000u;
    return (unsigned short)(sign | tsr_round_off(significand, drop) >> drop);
}

static inline float tsr_float_of_f16(unsigned half_bits)
{
    unsigned sign = (half_bits & 0x8000u) << 16, exponent = half_bits >> 10 & 31u, fraction = half_bits & 0x3ffu;

    if (exponent == 31)
        return tsr_float_of_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) /* the product with a power of two is exact */
        return tsr_float_of_bits(sign | tsr_bits_of_float((float)fraction * 0x1p-24f));
    return tsr_float_of_bits(sign | (exponent + 112u) << 23 | fraction << 13);
}

/* An operand as the matrix unit reads it: the low 13 bits do not count. A NaN stays one even if its payload lay there. */
static inline float tsr_tf32_operand(unsigned bits)
{
    return tsr_float_of_bits((tsr_bits_are_nan(bits) ? bits | 0x400000u : bits) & 0xffffe000u);
}

/* intel_convert_tfloat32_as_float: to nearest, ties to even. */
static inline float tsr_tf32_of_float(float value)
{
    unsigned bits = tsr_bits_of_float(value), nan = bits | 0x400000u, rounded = tsr_round_off(bits, 13);
    return tsr_float_of_bits((tsr_bits_are_nan(bits) ? nan : rounded) & 0xffffe000u);
}

/* ---- one column of D = A·B + C ---- */

/* 32-bit word j of row r of A. `slots` holds the argument a of every lane one after the other, of both sub-groups for SPLIT. */
static inline unsigned tsr_matrix_a_word(enum tsr_matrix_form form, unsigned m, const void *slots, unsigned r, unsigned j)
{
    const tsr_word *words = (const tsr_word *)slots;
    const tsr_half_word *halves = (const tsr_half_word *)slots;
    unsigned half_m = m > 1 ? m / 2 : 1;

    switch (form) {
    case TSR_MATRIX_N8:
        return words[j * m + r];
    case TSR_MATRIX_N16:
        return halves[2 * j * m + r] | (unsigned)halves[(2 * j + 1) * m + r] << 16;
    case TSR_MATRIX_TF32:
        return words[(8 * (r & 1) + j) * half_m + r / 2];
    default:
        return words[(8 * (r / half_m) + j) * half_m + r % half_m];
    }
}

/* Element p of a word that holds 4-bit or 8-bit integers. */
static inline int tsr_matrix_integer(enum tsr_element element, unsigned word, unsigned p)
{
    switch (element) {
    case TSR_ELEMENT_S4:
        return (int)((word >> 4 * p & 15u) ^ 8u) - 8;
    case TSR_ELEMENT_U4:
        return (int)(word >> 4 * p & 15u);
    case TSR_ELEMENT_S8:
        return (int)((word >> 8 * p & 255u) ^ 128u) - 128;
    default:
        return (int)(word >> 8 * p & 255u);
    }
}

/* Element p of a word that holds numbers with a fraction. */
static inline float tsr_matrix_number(enum tsr_element element, unsigned word, unsigned p)
{
    switch (element) {
    case TSR_ELEMENT_BF16:
        return tsr_float_of_bf16(word >> 16 * p & 0xffffu);
    case TSR_ELEMENT_F16:
        return tsr_float_of_f16(word >> 16 * p & 0xffffu);
    default:
        return tsr_tf32_operand(word);
    }
}

/* Adds one row of A times one column of B (eight words). Modulo 2^32, so the order is of no matter. */
static inline unsigned tsr_matrix_row_integer(enum tsr_matrix_form form, unsigned m, enum tsr_element ea, enum tsr_element eb,
                                              const void *slots, unsigned r, const tsr_word *b, unsigned acc)
{
    unsigned per_word = ea == TSR_ELEMENT_S4 || ea == TSR_ELEMENT_U4 ? 8 : 4;

    for (unsigned j = 0; j < 8; j++) {
        unsigned word = tsr_matrix_a_word(form, m, slots, r, j);
        for (unsigned p = 0; p < per_word; p++)
            acc += (unsigned)(tsr_matrix_integer(ea, word, p) * tsr_matrix_integer(eb, b[j], p));
    }
    return acc;
}

/* The same with a fraction: one fused multiply-add per k, in the order of k, from acc on (the strict arithmetic of "Floating point"). */
static inline float tsr_matrix_row_number(enum tsr_matrix_form form, unsigned m, enum tsr_element e, const void *slots, unsigned r,
                                          const tsr_word *b, float acc)
{
    unsigned per_word = e == TSR_ELEMENT_TF32 ? 1 : 2;

    for (unsigned j = 0; j < 8; j++) {
        unsigned word = tsr_matrix_a_word(form, m, slots, r, j);
        for (unsigned p = 0; p < per_word; p++)
            acc = __builtin_fmaf(tsr_matrix_number(e, word, p), tsr_matrix_number(e, b[j], p), acc);
    }
    return acc;
}

/* The column of one lane: `b` is its eight words, `acc` its m elements of C, which become those of D. */
static inline void tsr_matrix_column(enum tsr_matrix_form form, unsigned m, enum tsr_element ea, enum tsr_element eb, enum tsr_element ec,
                                     const void *slots, const tsr_word *b, void *acc)
{
    tsr_word *words = (tsr_word *)acc;
    tsr_half_word *halves = (tsr_half_word *)acc;

    for (unsigned r = 0; r < m; r++) {
        switch (ec) {
        case TSR_ELEMENT_S32:
            words[r] = tsr_matrix_row_integer(form, m, ea, eb, slots, r, b, words[r]);
            break;
        case TSR_ELEMENT_F32:
            words[r] = tsr_bits_of_float(tsr_matrix_row_number(form, m, ea, slots, r, b, tsr_float_of_bits(words[r])));
            break;
        case TSR_ELEMENT_BF16:
            halves[r] = tsr_bf16_of_float(tsr_matrix_row_number(form, m, ea, slots, r, b, tsr_float_of_bf16(halves[r])));
            break;
        default:
            halves[r] = tsr_f16_of_float(tsr_matrix_row_number(form, m, ea, slots, r, b, tsr_float_of_f16(halves[r])));
            break;
        }
    }
}

/* ---- MADW ---- */

/* A 32-bit operand in 64 bits, by the sign of its type. */
static inline unsigned long tsr_madw_extend(unsigned bits, bool is_signed)
{
    return is_signed ? (unsigned long)(long)(int)bits : bits;
}

/* src0·src1 + src2 modulo 2^64. */
static inline unsigned long tsr_madw(unsigned src0, bool signed0, unsigned src1, bool signed1, unsigned src2, bool signed2)
{
    return tsr_madw_extend(src0, signed0) * tsr_madw_extend(src1, signed1) + tsr_madw_extend(src2, signed2);
}

#endif
