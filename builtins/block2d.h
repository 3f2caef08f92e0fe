/* SPDX-License-Identifier: Apache-2.0
 * 2D blocks: collectives like those of collective.h. block2d_items.cl says what each work-item gets and gives, which is how the reference
 * engine runs them. Packets move whole rows: lanes/matrix/lower_block2d.c. */
#ifndef TESSERA_BUILTINS_BLOCK2D_H
#define TESSERA_BUILTINS_BLOCK2D_H

#include "collective.h"
#include "tessera/block2d.h"

/* The values of a work-item: more than the vectors of OpenCL C hold. */
#define VALUES_1(T) T
#define VALUES_2(T) T##2
#define VALUES_4(T) T##4
#define VALUES_8(T) T##8
#define VALUES_16(T) T##16
#define VALUES_32(T) T##32
#define VALUES_64(T) T##64
#define VALUES_128(T) T##128
typedef uchar uchar32 __attribute__((ext_vector_type(32)));
typedef uchar uchar64 __attribute__((ext_vector_type(64)));
typedef uchar uchar128 __attribute__((ext_vector_type(128)));
typedef ushort ushort32 __attribute__((ext_vector_type(32)));
typedef ushort ushort64 __attribute__((ext_vector_type(64)));
typedef uint uint32 __attribute__((ext_vector_type(32)));

/* A matrix in memory: width and pitch in bytes; as long as builtins/tessera-cooperative-matrix.h may want them. */
#define REGION const global void *base, long width, long height, long pitch
#define IN_REGION base, width, height, pitch

#define READ_VALUES(T, n)                                                                                                                  \
    VALUES_##n(T) MEETS_APART __tsr_block2d_read_##T##n(REGION, int x, int y, uint layout, uint bits, uint rows, uint columns, uint blocks)
#define EACH_READ(M)                                                                                                                       \
    M(uchar, 32) M(uchar, 64) M(uchar, 128)                                                                                                \
    M(ushort, 1) M(ushort, 2) M(ushort, 4) M(ushort, 8) M(ushort, 16) M(ushort, 32) M(ushort, 64)                                          \
    M(uint, 1) M(uint, 2) M(uint, 4) M(uint, 8) M(uint, 16) M(uint, 32)

/* `present`: number of work-items in the sub-group, for packets. */
#define WRITE_VALUES(T, n)                                                                                                                 \
    void MEETS_APART __tsr_block2d_write_##T##n(REGION, int x, int y, uint bits, uint present, VALUES_##n(T) values)
#define EACH_WRITE(M)                                                                                                                      \
    M(uchar, 1) M(uchar, 2) M(uchar, 4) M(uchar, 8)                                                                                        \
    M(ushort, 1) M(ushort, 2) M(ushort, 4) M(ushort, 8)                                                                                    \
    M(uint, 1) M(uint, 2) M(uint, 4) M(uint, 8)

#define DECLARE_READ(T, n) READ_VALUES(T, n);
#define DECLARE_WRITE(T, n) WRITE_VALUES(T, n);
EACH_READ(DECLARE_READ)
EACH_WRITE(DECLARE_WRITE)
#undef DECLARE_READ
#undef DECLARE_WRITE

/* Fetches `rows` rows of `bytes` bytes, from byte x on, into the cache. */
void MEETS_APART __tsr_block2d_prefetch(REGION, int x, int y, uint rows, uint bytes);

#endif
