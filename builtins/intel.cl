/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_subgroups with its char, short and long forms, local block reads and writes, and cl_intel_bfloat16_conversions. */
#include "collective.h"

#define SHUFFLE(N, T)                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle(T##N x, uint lane)                                                                             \
    {                                                                                                                                      \
        return __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, x, lane);                                                                         \
    }                                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle_xor(T##N x, uint bits)                                                                         \
    {                                                                                                                                      \
        return __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, x, __tsr_lane() ^ bits);                                                          \
    }                                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle_down(T##N current, T##N next, uint delta)                                                      \
    {                                                                                                                                      \
        uint from = __tsr_lane() + delta;                                                                                                  \
        T##N a = __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, current, from), b = __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, next, from);      \
        return from < __tsr_max_sub_group_size() ? a : b;                                                                                  \
    }                                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle_up(T##N previous, T##N current, uint delta)                                                    \
    {                                                                                                                                      \
        uint lane = __tsr_lane(), from = lane - delta;                                                                                     \
        T##N a = __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, previous, from), b = __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, current, from);  \
        return lane < delta ? a : b;                                                                                                       \
    }
EACH_WIDTH(SHUFFLE, char)
EACH_WIDTH(SHUFFLE, uchar)
EACH_WIDTH(SHUFFLE, short)
EACH_WIDTH(SHUFFLE, ushort)
EACH_WIDTH(SHUFFLE, int)
EACH_WIDTH(SHUFFLE, uint)
EACH_WIDTH(SHUFFLE, float)
SHUFFLE(, long)
SHUFFLE(, ulong)
SHUFFLE(, half)
SHUFFLE(, double)

#define BROADCAST(N, T)                                                                                                                    \
    T##N CONVERGENT intel_sub_group_broadcast(T##N x, uint lane)                                                                           \
    {                                                                                                                                      \
        return __tsr_shuffle_##T##N(TSR_EXCHANGE_ALL, x, lane);                                                                            \
    }
#define BROADCASTS(T) BROADCAST(, T) BROADCAST(2, T) BROADCAST(3, T) BROADCAST(4, T) BROADCAST(8, T)
EACH_NARROW_INT(BROADCASTS)

#define ARITHMETIC(T, OP)                                                                                                                  \
    T CONVERGENT intel_sub_group_reduce_##OP(T x)                                                                                          \
    {                                                                                                                                      \
        return __tsr_reduce_##OP##_##T(TSR_EXCHANGE_ALL, x, SUB_GROUP);                                                                    \
    }                                                                                                                                      \
    T CONVERGENT intel_sub_group_scan_inclusive_##OP(T x)                                                                                  \
    {                                                                                                                                      \
        return __tsr_scan_inclusive_##OP##_##T(TSR_EXCHANGE_ALL, x);                                                                       \
    }                                                                                                                                      \
    T CONVERGENT intel_sub_group_scan_exclusive_##OP(T x)                                                                                  \
    {                                                                                                                                      \
        return __tsr_scan_exclusive_##OP##_##T(TSR_EXCHANGE_ALL, x);                                                                       \
    }
EACH_NARROW_INT(ARITHMETIC, add)
EACH_NARROW_INT(ARITHMETIC, min)
EACH_NARROW_INT(ARITHMETIC, max)

/* Element i of a lane lies i sub-group sizes after the lane's first: each work-item reads its own, so nothing is exchanged. */
#define OWN(S, T, p) ((S T *)__tsr_same_##S(p) + __tsr_lane())
#define BLOCK(S, N, T, suffix)                                                                                                             \
    T##N CONVERGENT intel_sub_group_block_read##suffix##N(const S T *p)                                                                    \
    {                                                                                                                                      \
        T##N r;                                                                                                                            \
        uint size = __tsr_max_sub_group_size();                                                                                            \
        const S T *own = OWN(S, T, p);                                                                                                     \
        _Pragma("unroll") for (uint i = 0; i < N; i++) r[i] = own[i * size];                                                               \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    void CONVERGENT intel_sub_group_block_write##suffix##N(S T *p, T##N x)                                                                 \
    {                                                                                                                                      \
        uint size = __tsr_max_sub_group_size();                                                                                            \
        S T *own = OWN(S, T, p);                                                                                                           \
        _Pragma("unroll") for (uint i = 0; i < N; i++) own[i * size] = x[i];                                                               \
    }
#define BLOCK_1(S, T, suffix)                                                                                                              \
    T CONVERGENT intel_sub_group_block_read##suffix(const S T *p)                                                                          \
    {                                                                                                                                      \
        return *OWN(S, T, p);                                                                                                            \
    }                                                                                                                                      \
    void CONVERGENT intel_sub_group_block_write##suffix(S T *p, T x)                                                                       \
    {                                                                                                                                      \
        *OWN(S, T, p) = x;                                                                                                               \
    }
#define BLOCKS(S, T, suffix) BLOCK_1(S, T, suffix) BLOCK(S, 2, T, suffix) BLOCK(S, 4, T, suffix) BLOCK(S, 8, T, suffix)
#define BLOCKS_IN(S)                                                                                                                       \
    BLOCKS(S, uint, )                                                                                                                      \
    BLOCKS(S, uint, _ui)                                                                                                                   \
    BLOCKS(S, ushort, _us)                                                                                                                 \
    BLOCK(S, 16, ushort, _us)                                                                                                              \
    BLOCKS(S, uchar, _uc)                                                                                                                  \
    BLOCK(S, 16, uchar, _uc)                                                                                                               \
    BLOCKS(S, ulong, _ul)
BLOCKS_IN(global)
BLOCKS_IN(local)

/* bfloat16 is the upper half of a float: nearest even, and a NaN stays one. Both are computed, so that there is no branch. */
ushort PURE intel_convert_bfloat16_as_ushort(float x)
{
    uint u = __builtin_astype(x, uint), nan = u >> 16 | 0x40, rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (ushort)(x != x ? nan : rounded);
}

float PURE intel_convert_as_bfloat16_float(ushort x)
{
    return __builtin_astype((uint)x << 16, float);
}

#define BFLOAT16(N)                                                                                                                        \
    ushort##N PURE intel_convert_bfloat16##N##_as_ushort##N(float##N x)                                                                    \
    {                                                                                                                                      \
        ushort##N r;                                                                                                                       \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = intel_convert_bfloat16_as_ushort(x[i]);                                       \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    float##N PURE intel_convert_as_bfloat16##N##_float##N(ushort##N x)                                                                     \
    {                                                                                                                                      \
        uint##N u = CV##N(uint, x) << 16;                                                                                                  \
        return AS(float, N, u);                                                                                                            \
    }
EACH_VECTOR(BFLOAT16)
