/* SPDX-License-Identifier: Apache-2.0
 * Vector loads and stores (OpenCL C 6.15.7), also of half. A pointer need be aligned to an element only. */
#include "half.h"

/* Loads may read constant memory too. */
#define EACH_STORE_SPACE(M, ...)                                                                                                           \
    M(global, ##__VA_ARGS__) M(local, ##__VA_ARGS__) M(private, ##__VA_ARGS__) M(__generic, ##__VA_ARGS__)
#define EACH_LOAD_SPACE(M, ...) EACH_STORE_SPACE(M, ##__VA_ARGS__) M(constant, ##__VA_ARGS__)

#define LOAD_N(N, S, T)                                                                                                              \
    T##N OVER vload##N(size_t offset, const S T *p)                                                                                        \
    {                                                                                                                                      \
        typedef T##N unaligned __attribute__((aligned(sizeof(T))));                                                                        \
        return *(const S unaligned *)(p + offset * N);                                                                                     \
    }
#define STORE_N(N, S, T)                                                                                                                   \
    void OVER vstore##N(T##N x, size_t offset, S T *p)                                                                                     \
    {                                                                                                                                      \
        typedef T##N unaligned __attribute__((aligned(sizeof(T))));                                                                        \
        *(S unaligned *)(p + offset * N) = x;                                                                                              \
    }
/* A vector of three has the size of four in memory, so its three elements are stored one by one. */
#define LOADS(S, T)                                                                                                                        \
    LOAD_N(2, S, T)                                                                                                                  \
    LOAD_N(4, S, T)                                                                                                                  \
    LOAD_N(8, S, T)                                                                                                                  \
    LOAD_N(16, S, T)                                                                                                                 \
    T##3 OVER vload3(size_t offset, const S T *p)                                                                                          \
    {                                                                                                                                      \
        p += offset * 3;                                                                                                                   \
        return (T##3)(p[0], p[1], p[2]);                                                                                                   \
    }
#define STORES(S, T)                                                                                                                       \
    STORE_N(2, S, T)                                                                                                                       \
    STORE_N(4, S, T)                                                                                                                       \
    STORE_N(8, S, T)                                                                                                                       \
    STORE_N(16, S, T)                                                                                                                      \
    void OVER vstore3(T##3 x, size_t offset, S T *p)                                                                                       \
    {                                                                                                                                      \
        p += offset * 3;                                                                                                                   \
        p[0] = x.x;                                                                                                                        \
        p[1] = x.y;                                                                                                                        \
        p[2] = x.z;                                                                                                                        \
    }
#define MEMORY(T) EACH_LOAD_SPACE(LOADS, T) EACH_STORE_SPACE(STORES, T)
MEMORY(char)
MEMORY(uchar)
MEMORY(short)
MEMORY(ushort)
MEMORY(int)
MEMORY(uint)
MEMORY(long)
MEMORY(ulong)
MEMORY(float)
MEMORY(double)
MEMORY(half)

#define LOAD_HALF_N(N, S, name, STRIDE)                                                                                                    \
    float##N OVER name(size_t offset, const S half *p)                                                                                     \
    {                                                                                                                                      \
        return CV##N(float, vload##N(0, p + offset * STRIDE));                                                                             \
    }
#define LOAD_HALF(S)                                                                                                                       \
    float OVER vload_half(size_t offset, const S half *p)                                                                                  \
    {                                                                                                                                      \
        return (float)p[offset];                                                                                                           \
    }                                                                                                                                      \
    float OVER vloada_half(size_t offset, const S half *p)                                                                                 \
    {                                                                                                                                      \
        return (float)p[offset];                                                                                                           \
    }                                                                                                                                      \
    LOAD_HALF_N(2, S, vload_half2, 2)                                                                                                      \
    LOAD_HALF_N(3, S, vload_half3, 3)                                                                                                      \
    LOAD_HALF_N(4, S, vload_half4, 4)                                                                                                      \
    LOAD_HALF_N(8, S, vload_half8, 8)                                                                                                      \
    LOAD_HALF_N(16, S, vload_half16, 16)                                                                                                   \
    LOAD_HALF_N(2, S, vloada_half2, 2)                                                                                                     \
    LOAD_HALF_N(3, S, vloada_half3, 4)                                                                                                     \
    LOAD_HALF_N(4, S, vloada_half4, 4)                                                                                                     \
    LOAD_HALF_N(8, S, vloada_half8, 8)                                                                                                     \
    LOAD_HALF_N(16, S, vloada_half16, 16)
EACH_LOAD_SPACE(LOAD_HALF)

#define STORE_HALF_N(N, S, T, name, STRIDE, MODE)                                                                                          \
    void OVER name(T##N x, size_t offset, S half *p)                                                                                       \
    {                                                                                                                                      \
        half##N r;                                                                                                                         \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = half_from(x[i], MODE);                                                        \
        vstore##N(r, 0, p + offset * STRIDE);                                                                                              \
    }
#define STORE_HALF(S, T, suffix, MODE)                                                                                                     \
    void OVER vstore_half##suffix(T x, size_t offset, S half *p)                                                                           \
    {                                                                                                                                      \
        p[offset] = half_from(x, MODE);                                                                                                  \
    }                                                                                                                                      \
    void OVER vstorea_half##suffix(T x, size_t offset, S half *p)                                                                          \
    {                                                                                                                                      \
        p[offset] = half_from(x, MODE);                                                                                                  \
    }                                                                                                                                      \
    STORE_HALF_N(2, S, T, vstore_half2##suffix, 2, MODE)                                                                                   \
    STORE_HALF_N(3, S, T, vstore_half3##suffix, 3, MODE)                                                                                   \
    STORE_HALF_N(4, S, T, vstore_half4##suffix, 4, MODE)                                                                                   \
    STORE_HALF_N(8, S, T, vstore_half8##suffix, 8, MODE)                                                                                   \
    STORE_HALF_N(16, S, T, vstore_half16##suffix, 16, MODE)                                                                                \
    STORE_HALF_N(2, S, T, vstorea_half2##suffix, 2, MODE)                                                                                  \
    STORE_HALF_N(3, S, T, vstorea_half3##suffix, 4, MODE)                                                                                  \
    STORE_HALF_N(4, S, T, vstorea_half4##suffix, 4, MODE)                                                                                  \
    STORE_HALF_N(8, S, T, vstorea_half8##suffix, 8, MODE)                                                                                  \
    STORE_HALF_N(16, S, T, vstorea_half16##suffix, 16, MODE)
#define STORE_HALF_MODES(S, T)                                                                                                             \
    STORE_HALF(S, T, , RTE)                                                                                                                \
    STORE_HALF(S, T, _rte, RTE)                                                                                                            \
    STORE_HALF(S, T, _rtz, RTZ)                                                                                                            \
    STORE_HALF(S, T, _rtp, RTP)                                                                                                            \
    STORE_HALF(S, T, _rtn, RTN)
EACH_STORE_SPACE(STORE_HALF_MODES, float)
EACH_STORE_SPACE(STORE_HALF_MODES, double)
