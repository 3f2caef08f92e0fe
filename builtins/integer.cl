/* SPDX-License-Identifier: Apache-2.0
 * Integer functions (OpenCL C 6.15.3), extended bit operations and the 4x8 dot products. */
#include "library.h"

/* Functions whose code is the same for every integer type. T: type, U: unsigned twin. */
#define COMMON(N, T, U)                                                                                                                    \
    T##N PURE add_sat(T##N x, T##N y)                                                                                                      \
    {                                                                                                                                      \
        return __builtin_elementwise_add_sat(x, y);                                                                                        \
    }                                                                                                                                      \
    T##N PURE sub_sat(T##N x, T##N y)                                                                                                      \
    {                                                                                                                                      \
        return __builtin_elementwise_sub_sat(x, y);                                                                                        \
    }                                                                                                                                      \
    T##N PURE hadd(T##N x, T##N y)                                                                                                         \
    {                                                                                                                                      \
        return (T##N)((x >> (T)1) + (y >> (T)1) + (x & y & (T)1));                                                                         \
    }                                                                                                                                      \
    T##N PURE rhadd(T##N x, T##N y)                                                                                                        \
    {                                                                                                                                      \
        return (T##N)((x >> (T)1) + (y >> (T)1) + ((x | y) & (T)1));                                                                       \
    }                                                                                                                                      \
    T##N PURE clz(T##N x)                                                                                                                  \
    {                                                                                                                                      \
        return __builtin_elementwise_clzg(x, (T##N)(sizeof(T) * 8));                                                                       \
    }                                                                                                                                      \
    T##N PURE ctz(T##N x)                                                                                                                  \
    {                                                                                                                                      \
        return __builtin_elementwise_ctzg(x, (T##N)(sizeof(T) * 8));                                                                       \
    }                                                                                                                                      \
    T##N PURE popcount(T##N x)                                                                                                             \
    {                                                                                                                                      \
        return __builtin_elementwise_popcount(x);                                                                                          \
    }                                                                                                                                      \
    T##N PURE rotate(T##N x, T##N y)                                                                                                       \
    {                                                                                                                                      \
        return __builtin_elementwise_fshl(x, x, y);                                                                                        \
    }                                                                                                                                      \
    T##N PURE min(T##N x, T##N y)                                                                                                          \
    {                                                                                                                                      \
        return __builtin_elementwise_min(x, y);                                                                                            \
    }                                                                                                                                      \
    T##N PURE max(T##N x, T##N y)                                                                                                          \
    {                                                                                                                                      \
        return __builtin_elementwise_max(x, y);                                                                                            \
    }                                                                                                                                      \
    T##N PURE clamp(T##N x, T##N lo, T##N hi)                                                                                              \
    {                                                                                                                                      \
        return __builtin_elementwise_min(__builtin_elementwise_max(x, lo), hi);                                                            \
    }                                                                                                                                      \
    T##N PURE mad_hi(T##N x, T##N y, T##N z)                                                                                               \
    {                                                                                                                                      \
        return (T##N)(mul_hi(x, y) + z);                                                                                                   \
    }                                                                                                                                      \
    U##N PURE abs_diff(T##N x, T##N y)                                                                                                     \
    {                                                                                                                                      \
        T##N hi = __builtin_elementwise_max(x, y), lo = __builtin_elementwise_min(x, y);                                                   \
        return (U##N)(AS(U, N, hi) - AS(U, N, lo));                                                                                        \
    }

#define WITH_SCALAR(N, T, U)                                                                                                               \
    T##N PURE min(T##N x, T y)                                                                                                             \
    {                                                                                                                                      \
        return __builtin_elementwise_min(x, (T##N)y);                                                                                      \
    }                                                                                                                                      \
    T##N PURE max(T##N x, T y)                                                                                                             \
    {                                                                                                                                      \
        return __builtin_elementwise_max(x, (T##N)y);                                                                                      \
    }                                                                                                                                      \
    T##N PURE clamp(T##N x, T lo, T hi)                                                                                                    \
    {                                                                                                                                      \
        return __builtin_elementwise_min(__builtin_elementwise_max(x, (T##N)lo), (T##N)hi);                                                \
    }

#define ABS_SIGNED(N, T, U)                                                                                                                \
    U##N PURE abs(T##N x)                                                                                                                  \
    {                                                                                                                                      \
        T##N r = __builtin_elementwise_abs(x);                                                                                             \
        return AS(U, N, r);                                                                                                                \
    }
#define ABS_UNSIGNED(N, T, U)                                                                                                              \
    T##N PURE abs(T##N x)                                                                                                                  \
    {                                                                                                                                      \
        return x;                                                                                                                          \
    }

/* W is twice as wide as T. */
#define WIDENED(N, T, W, BITS, LOWEST, HIGHEST)                                                                                            \
    T##N PURE mul_hi(T##N x, T##N y)                                                                                                       \
    {                                                                                                                                      \
        W##N p = (W##N)(CV##N(W, x) * CV##N(W, y)) >> (W)BITS;                                                                             \
        return CV##N(T, p);                                                                                                                \
    }                                                                                                                                      \
    T##N PURE mad_sat(T##N x, T##N y, T##N z)                                                                                              \
    {                                                                                                                                      \
        W##N s = (W##N)(CV##N(W, x) * CV##N(W, y) + CV##N(W, z));                                                                          \
        s = __builtin_elementwise_min(__builtin_elementwise_max(s, (W##N)(W)LOWEST), (W##N)(W)HIGHEST);                                    \
        return CV##N(T, s);                                                                                                                \
    }

/* The high half of a 64-bit product, from 32-bit halves. */
#define MUL_HI_64(N)                                                                                                                       \
    ulong##N PURE mul_hi(ulong##N x, ulong##N y)                                                                                           \
    {                                                                                                                                      \
        ulong##N xl = x & 0xffffffffUL, xh = x >> 32UL, yl = y & 0xffffffffUL, yh = y >> 32UL;                                             \
        ulong##N middle = xh * yl + (xl * yl >> 32UL);                                                                                     \
        ulong##N low = xl * yh + (middle & 0xffffffffUL);                                                                                  \
        return xh * yh + (middle >> 32UL) + (low >> 32UL);                                                                                 \
    }                                                                                                                                      \
    long##N PURE mul_hi(long##N x, long##N y)                                                                                              \
    {                                                                                                                                      \
        ulong##N h = mul_hi(AS(ulong, N, x), AS(ulong, N, y));                                                                             \
        return AS(long, N, h) - ((x >> 63L) & y) - ((y >> 63L) & x);                                                                       \
    }

EACH_WIDTH(WIDENED, char, short, 8, SCHAR_MIN, SCHAR_MAX)
EACH_WIDTH(WIDENED, uchar, ushort, 8, 0, UCHAR_MAX)
EACH_WIDTH(WIDENED, short, int, 16, SHRT_MIN, SHRT_MAX)
EACH_WIDTH(WIDENED, ushort, uint, 16, 0, USHRT_MAX)
EACH_WIDTH(WIDENED, int, long, 32, INT_MIN, INT_MAX)
EACH_WIDTH(WIDENED, uint, ulong, 32, 0, UINT_MAX)
EACH_WIDTH(MUL_HI_64)

/* Two 64-bit words: the sum of the 128-bit product and z, clamped. */
ulong PURE mad_sat(ulong x, ulong y, ulong z)
{
    ulong low = x * y;
    return mul_hi(x, y) != 0 || low + z < low ? ULONG_MAX : low + z;
}

long PURE mad_sat(long x, long y, long z)
{
    ulong low = (ulong)x * (ulong)y;
    ulong sum = low + (ulong)z;
    long high = mul_hi(x, y) + (z >> 63) + (sum < low);
    if (high == (long)sum >> 63)
        return (long)sum;
    return high < 0 ? LONG_MIN : LONG_MAX;
}
EACH_VECTOR(SPLIT3, ulong, mad_sat, ulong, ulong, ulong)
EACH_VECTOR(SPLIT3, long, mad_sat, long, long, long)

#define INTEGER(T, U, ABS)                                                                                                                 \
    EACH_WIDTH(COMMON, T, U)                                                                                                               \
    EACH_VECTOR(WITH_SCALAR, T, U)                                                                                                         \
    EACH_WIDTH(ABS, T, U)

INTEGER(char, uchar, ABS_SIGNED)
INTEGER(uchar, uchar, ABS_UNSIGNED)
INTEGER(short, ushort, ABS_SIGNED)
INTEGER(ushort, ushort, ABS_UNSIGNED)
INTEGER(int, uint, ABS_SIGNED)
INTEGER(uint, uint, ABS_UNSIGNED)
INTEGER(long, ulong, ABS_SIGNED)
INTEGER(ulong, ulong, ABS_UNSIGNED)

#define UPSAMPLE(N, T, U, W, UW, BITS)                                                                                                     \
    W##N PURE upsample(T##N high, U##N low)                                                                                                \
    {                                                                                                                                      \
        return (W##N)(CV##N(W, high) << (W)BITS) | CV##N(W, low);                                                                          \
    }                                                                                                                                      \
    UW##N PURE upsample(U##N high, U##N low)                                                                                               \
    {                                                                                                                                      \
        return (UW##N)(CV##N(UW, high) << (UW)BITS) | CV##N(UW, low);                                                                      \
    }
EACH_WIDTH(UPSAMPLE, char, uchar, short, ushort, 8)
EACH_WIDTH(UPSAMPLE, short, ushort, int, uint, 16)
EACH_WIDTH(UPSAMPLE, int, uint, long, ulong, 32)

/* 24-bit forms. What they are for operands of more bits is left to us: the product of all bits, which keeps indices made of them sums of
 * products. */
#define LOW_24(N)                                                                                                                          \
    uint##N PURE mul24(uint##N x, uint##N y)                                                                                               \
    {                                                                                                                                      \
        return x * y;                                                                                                                      \
    }                                                                                                                                      \
    int##N PURE mul24(int##N x, int##N y)                                                                                                  \
    {                                                                                                                                      \
        return AS(int, N, AS(uint, N, x) * AS(uint, N, y));                                                                                \
    }                                                                                                                                      \
    int##N PURE mad24(int##N x, int##N y, int##N z)                                                                                        \
    {                                                                                                                                      \
        return mul24(x, y) + z;                                                                                                            \
    }                                                                                                                                      \
    uint##N PURE mad24(uint##N x, uint##N y, uint##N z)                                                                                    \
    {                                                                                                                                      \
        return mul24(x, y) + z;                                                                                                            \
    }
EACH_WIDTH(LOW_24)

/* cl_khr_extended_bit_ops. A field of no bits, and a field of all bits, are legal: shifts are split so that none reaches the type's width. */
#define BIT_OPS(N, T, U, S, BITS)                                                                                                          \
    T##N PURE bitfield_insert(T##N base, T##N insert, uint offset, uint count)                                                             \
    {                                                                                                                                      \
        U ones = count >= BITS ? (U)~(U)0 : (U)(((U)1 << count) - 1);                                                                      \
        U mask = offset >= BITS ? (U)0 : (U)(ones << offset);                                                                              \
        U##N b = AS(U, N, base), i = AS(U, N, insert);                                                                                     \
        U##N moved = (U##N)(i << (U##N)(U)(offset & (BITS - 1)));                                                                          \
        U##N r = (b & (U##N)(U)~mask) | (moved & (U##N)mask);                                                                              \
        return AS(T, N, r);                                                                                                                \
    }                                                                                                                                      \
    S##N PURE bitfield_extract_signed(T##N base, uint offset, uint count)                                                                  \
    {                                                                                                                                      \
        if (count == 0)                                                                                                                    \
            return (S##N)(S)0;                                                                                                             \
        U##N left = (U##N)(AS(U, N, base) << (U##N)(U)((BITS - offset - count) & (BITS - 1)));                                             \
        return (S##N)(AS(S, N, left) >> (S##N)(S)(BITS - count));                                                                          \
    }                                                                                                                                      \
    U##N PURE bitfield_extract_unsigned(T##N base, uint offset, uint count)                                                                \
    {                                                                                                                                      \
        if (count == 0)                                                                                                                    \
            return (U##N)(U)0;                                                                                                             \
        U##N left = (U##N)(AS(U, N, base) << (U##N)(U)((BITS - offset - count) & (BITS - 1)));                                             \
        return (U##N)(left >> (U##N)(U)(BITS - count));                                                                                    \
    }                                                                                                                                      \
    T##N PURE bit_reverse(T##N x)                                                                                                          \
    {                                                                                                                                      \
        return __builtin_elementwise_bitreverse(x);                                                                                        \
    }
EACH_WIDTH(BIT_OPS, char, uchar, char, 8)
EACH_WIDTH(BIT_OPS, uchar, uchar, char, 8)
EACH_WIDTH(BIT_OPS, short, ushort, short, 16)
EACH_WIDTH(BIT_OPS, ushort, ushort, short, 16)
EACH_WIDTH(BIT_OPS, int, uint, int, 32)
EACH_WIDTH(BIT_OPS, uint, uint, int, 32)
EACH_WIDTH(BIT_OPS, long, ulong, long, 64)
EACH_WIDTH(BIT_OPS, ulong, ulong, long, 64)

/* Integer dot product of four 8-bit pairs (OpenCL C 6.15.3.1), separate and packed in a word. */
#define DOT(R, A, B, suffix)                                                                                                               \
    R PURE dot(A##4 a, B##4 b)                                                                                                             \
    {                                                                                                                                      \
        return (R)a.x * (R)b.x + (R)a.y * (R)b.y + (R)a.z * (R)b.z + (R)a.w * (R)b.w;                                                      \
    }                                                                                                                                      \
    R PURE dot_acc_sat(A##4 a, B##4 b, R c)                                                                                                \
    {                                                                                                                                      \
        return add_sat(dot(a, b), c);                                                                                                      \
    }                                                                                                                                      \
    R PURE dot_4x8packed_##suffix(uint a, uint b)                                                                                          \
    {                                                                                                                                      \
        return dot(__builtin_astype(a, A##4), __builtin_astype(b, B##4));                                                                  \
    }                                                                                                                                      \
    R PURE dot_acc_sat_4x8packed_##suffix(uint a, uint b, R c)                                                                             \
    {                                                                                                                                      \
        return add_sat(dot_4x8packed_##suffix(a, b), c);                                                                                   \
    }
DOT(uint, uchar, uchar, uu_uint)
DOT(int, char, char, ss_int)
DOT(int, char, uchar, su_int)
DOT(int, uchar, char, us_int)

/* For products of matrices in the tensor language (tensor/llvm/gemm_dot.c, gemm_blocks.c): sums that wrap, and two products of bfloat16 in
 * the order of VDPBF16PS. */
int PURE tessera_dot_add_us(uint a, uint b, int c)
{
    return (int)((uint)dot_4x8packed_us_int(a, b) + (uint)c);
}

int PURE tessera_dot_add_i16(uint a, uint b, int c)
{
    int low = (short)a * (short)b, high = ((int)a >> 16) * ((int)b >> 16);
    return (int)((uint)low + (uint)high + (uint)c);
}

float PURE tessera_dot_add_bf16(uint a, uint b, float c)
{
    c = __builtin_fmaf(__builtin_astype(a & 0xffff0000, float), __builtin_astype(b & 0xffff0000, float), c);
    return __builtin_fmaf(__builtin_astype(a << 16, float), __builtin_astype(b << 16, float), c);
}
