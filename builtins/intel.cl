/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_subgroups with its char, short and long forms, local block reads and writes, and cl_intel_bfloat16_conversions. */
#include "collective.h"

#define SHUFFLE(N, T)                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle(T##N x, uint lane)                                                                             \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T##N, SUB_GROUP, ACTIVE, x, &mask)[LANE(lane)];                                                                      \
    }                                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle_xor(T##N x, uint bits)                                                                         \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T##N, SUB_GROUP, ACTIVE, x, &mask)[LANE(__tsr_lane() ^ bits)];                                                       \
    }                                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle_down(T##N current, T##N next, uint delta)                                                      \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        uint from = __tsr_lane() + delta;                                                                                                  \
        const T##N *a = SHARED(T##N, SUB_GROUP, ACTIVE, current, &mask);                                                                   \
        const T##N *b = SHARED(T##N, SUB_GROUP, ACTIVE, next, &mask);                                                                      \
        return from < __tsr_max_sub_group_size() ? a[LANE(from)] : b[LANE(from)];                                                          \
    }                                                                                                                                      \
    T##N CONVERGENT intel_sub_group_shuffle_up(T##N previous, T##N current, uint delta)                                                    \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        uint lane = __tsr_lane();                                                                                                          \
        const T##N *a = SHARED(T##N, SUB_GROUP, ACTIVE, previous, &mask);                                                                  \
        const T##N *b = SHARED(T##N, SUB_GROUP, ACTIVE, current, &mask);                                                                   \
        return lane < delta ? a[LANE(lane - delta)] : b[LANE(lane - delta)];                                                               \
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
        ulong mask;                                                                                                                        \
        return SHARED(T##N, SUB_GROUP, ALL, x, &mask)[LANE(lane)];                                                                         \
    }
#define BROADCASTS(T) BROADCAST(, T) BROADCAST(2, T) BROADCAST(3, T) BROADCAST(4, T) BROADCAST(8, T)
EACH_NARROW_INT(BROADCASTS)
EACH_NARROW_INT(SUB_GROUP_ARITHMETIC, intel_sub_group_)

/* Element i of a lane lies i sub-group sizes after the lane's first: each work-item reads its own, so nothing is exchanged. */
#define BLOCK(S, N, T, suffix)                                                                                                             \
    T##N CONVERGENT intel_sub_group_block_read##suffix##N(const S T *p)                                                                    \
    {                                                                                                                                      \
        T##N r;                                                                                                                            \
        uint size = __tsr_max_sub_group_size();                                                                                            \
        p += __tsr_lane();                                                                                                                 \
        _Pragma("unroll") for (uint i = 0; i < N; i++) r[i] = p[i * size];                                                                 \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    void CONVERGENT intel_sub_group_block_write##suffix##N(S T *p, T##N x)                                                                 \
    {                                                                                                                                      \
        uint size = __tsr_max_sub_group_size();                                                                                            \
        p += __tsr_lane();                                                                                                                 \
        _Pragma("unroll") for (uint i = 0; i < N; i++) p[i * size] = x[i];                                                                 \
    }
#define BLOCK_1(S, T, suffix)                                                                                                              \
    T CONVERGENT intel_sub_group_block_read##suffix(const S T *p)                                                                          \
    {                                                                                                                                      \
        return p[__tsr_lane()];                                                                                                            \
    }                                                                                                                                      \
    void CONVERGENT intel_sub_group_block_write##suffix(S T *p, T x)                                                                       \
    {                                                                                                                                      \
        p[__tsr_lane()] = x;                                                                                                               \
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

/* bfloat16 is the upper half of a float: nearest even, and a NaN stays one. */
ushort PURE intel_convert_bfloat16_as_ushort(float x)
{
    uint u = __builtin_astype(x, uint);
    return x != x ? (ushort)(u >> 16 | 0x40) : (ushort)((u + 0x7fff + (u >> 16 & 1)) >> 16);
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
