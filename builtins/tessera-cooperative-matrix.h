/* SPDX-License-Identifier: Apache-2.0
 * cl_tessera_cooperative_matrix (docs/matrix.md): matrices that a sub-group of 16 holds together, for OpenCL C programs. They lie over
 * the work-items as the operands of Intel's matrix functions do, and a product is calls of these. Loads and stores are those of
 * clc/spirv/matrix_memory.c: one of a whole word in each work-item for each row, which the tile passes look for.
 *
 * The compiler process defines the macro for programs that mention these names (clc/service/front.c). */
#if defined(TESSERA_DECLARE_COOPERATIVE_MATRIX) && defined(cl_tessera_cooperative_matrix)
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define TESSERA_MATRIX_ROW_MAJOR 0
#define TESSERA_MATRIX_COLUMN_MAJOR 1
#define TESSERA_MATRIX_PACKED 2

/* ---- types: the elements of a work-item, in blocks of what one matrix function takes ---- */

typedef struct {
    char16 block[4];
} tessera_matrix_a_char;
typedef struct {
    uchar16 block[4];
} tessera_matrix_a_uchar;
typedef struct {
    ushort8 block[4];
} tessera_matrix_a_bfloat16;
typedef struct {
    char16 block[4];
} tessera_matrix_b_char;
typedef struct {
    uchar16 block[4];
} tessera_matrix_b_uchar;
typedef struct {
    ushort16 block[2];
} tessera_matrix_b_bfloat16;
typedef struct {
    int8 block[2];
} tessera_matrix_int;
typedef struct {
    float8 block[2];
} tessera_matrix_float;
#ifdef cl_khr_fp16
typedef struct {
    half8 block[4];
} tessera_matrix_a_half;
typedef struct {
    half16 block[2];
} tessera_matrix_b_half;
#endif

#define TSR__OVER __attribute__((overloadable, convergent))
/* Without debug information their code has the line of the call, which reports name. */
#define TSR__INLINE inline __attribute__((overloadable, always_inline, nodebug))

uint __attribute__((overloadable)) get_sub_group_local_id(void);
int8 TSR__OVER intel_sub_group_i8_i8_matrix_mad_k32(short8, int8, int8);
int8 TSR__OVER intel_sub_group_i8_u8_matrix_mad_k32(short8, uint8, int8);
int8 TSR__OVER intel_sub_group_u8_i8_matrix_mad_k32(ushort8, int8, int8);
int8 TSR__OVER intel_sub_group_u8_u8_matrix_mad_k32(ushort8, uint8, int8);
float8 TSR__OVER intel_sub_group_bf16_bf16_matrix_mad_k16(short8, int8, float8);
float8 TSR__OVER intel_sub_group_f16_f16_matrix_mad_k16(short8, int8, float8);

/* ---- blocks in memory: p is the matrix, s the bytes from one row, or column, to the next ---- */

/* Memory is aligned as an element is. */
typedef char tsr__byte __attribute__((may_alias));
typedef short tsr__short __attribute__((aligned(1), may_alias));
typedef int tsr__int __attribute__((aligned(1), may_alias));
typedef char8 tsr__char8 __attribute__((aligned(1), may_alias));
typedef short8 tsr__short8 __attribute__((aligned(1), may_alias));
typedef int8 tsr__int8 __attribute__((aligned(1), may_alias));

#define TSR__AT(AS, T, offset) (*(AS T *)(p + (offset)))
#define TSR__FROM(AS, T, i) TSR__AT(const AS, T, (i) * s)
#define TSR__FROM_8(AS, T, i)                                                                                                              \
    TSR__FROM(AS, T, i), TSR__FROM(AS, T, i + 1), TSR__FROM(AS, T, i + 2), TSR__FROM(AS, T, i + 3), TSR__FROM(AS, T, i + 4),               \
        TSR__FROM(AS, T, i + 5), TSR__FROM(AS, T, i + 6), TSR__FROM(AS, T, i + 7)
#define TSR__TO(AS, T, i, value) (TSR__AT(AS, T, (i) * s) = (value));
#define TSR__TO_8(AS, T, i, v)                                                                                                             \
    TSR__TO(AS, T, i, v.s0)                                                                                                                \
    TSR__TO(AS, T, i + 1, v.s1)                                                                                                            \
    TSR__TO(AS, T, i + 2, v.s2)                                                                                                            \
    TSR__TO(AS, T, i + 3, v.s3)                                                                                                            \
    TSR__TO(AS, T, i + 4, v.s4)                                                                                                            \
    TSR__TO(AS, T, i + 5, v.s5) TSR__TO(AS, T, i + 6, v.s6) TSR__TO(AS, T, i + 7, v.s7)

/* Words of the work-item in eight rows, in 16 rows of bytes. */
#define TSR__ROWS(AS)                                                                                                                      \
    TSR__INLINE short8 tsr__rows_2(const AS uchar *p, size_t s)                                                                            \
    {                                                                                                                                      \
        return (short8)(TSR__FROM_8(AS, tsr__short, 0));                                                                                   \
    }                                                                                                                                      \
    TSR__INLINE int8 tsr__rows_4(const AS uchar *p, size_t s)                                                                              \
    {                                                                                                                                      \
        return (int8)(TSR__FROM_8(AS, tsr__int, 0));                                                                                       \
    }                                                                                                                                      \
    TSR__INLINE char16 tsr__rows_1(const AS uchar *p, size_t s)                                                                            \
    {                                                                                                                                      \
        return (char16)(TSR__FROM_8(AS, tsr__byte, 0), TSR__FROM_8(AS, tsr__byte, 8));                                                     \
    }                                                                                                                                      \
    TSR__INLINE void tsr__put_rows_2(AS uchar *p, size_t s, short8 v)                                                                      \
    {                                                                                                                                      \
        TSR__TO_8(AS, tsr__short, 0, v)                                                                                                    \
    }                                                                                                                                      \
    TSR__INLINE void tsr__put_rows_4(AS uchar *p, size_t s, int8 v)                                                                        \
    {                                                                                                                                      \
        TSR__TO_8(AS, tsr__int, 0, v)                                                                                                      \
    }                                                                                                                                      \
    TSR__INLINE void tsr__put_rows_1(AS uchar *p, size_t s, char16 v)                                                                      \
    {                                                                                                                                      \
        TSR__TO_8(AS, tsr__byte, 0, v.lo)                                                                                                  \
        TSR__TO_8(AS, tsr__byte, 8, v.hi)                                                                                                  \
    }

/* Block i of a matrix whose elements have 1, 2 or 4 bytes, as the name ends: of A rows 8 · (i % 2) and bytes 32 · (i / 2) of these, of B bytes
 * 32 · i of the columns, of an accumulator rows 8 · i. */
#define TSR__BLOCKS(AS)                                                                                                                    \
    TSR__INLINE short8 tsr__load_a_1(const AS uchar *p, uint layout, size_t s, uint i)                                                     \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i % 2 * 8, column = i / 2 * 32 + 2 * lane;                                           \
        if (layout != TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            return tsr__rows_2(p + row * s + column, s);                                                                                   \
        char8 even = TSR__AT(const AS, tsr__char8, column *s + row), odd = TSR__AT(const AS, tsr__char8, (column + 1) * s + row);          \
        return as_short8((char16)(even.s0, odd.s0, even.s1, odd.s1, even.s2, odd.s2, even.s3, odd.s3, even.s4, odd.s4, even.s5, odd.s5,    \
                                  even.s6, odd.s6, even.s7, odd.s7));                                                                      \
    }                                                                                                                                      \
    TSR__INLINE short8 tsr__load_a_2(const AS uchar *p, uint layout, size_t s, uint i)                                                     \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i % 2 * 8, column = i / 2 * 16 + lane;                                               \
        if (layout != TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            return tsr__rows_2(p + row * s + 2 * column, s);                                                                               \
        return TSR__AT(const AS, tsr__short8, column *s + 2 * row);                                                                        \
    }                                                                                                                                      \
    TSR__INLINE int8 tsr__load_b_1(const AS uchar *p, uint layout, size_t s, uint i)                                                       \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i * 32;                                                                              \
        if (layout == TESSERA_MATRIX_PACKED)                                                                                               \
            return tsr__rows_4(p + row / 4 * s + 4 * lane, s);                                                                             \
        if (layout == TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            return TSR__AT(const AS, tsr__int8, lane *s + row);                                                                            \
        return (int8)(as_int4(tsr__rows_1(p + row * s + lane, s)), as_int4(tsr__rows_1(p + (row + 16) * s + lane, s)));                    \
    }                                                                                                                                      \
    TSR__INLINE int8 tsr__load_b_2(const AS uchar *p, uint layout, size_t s, uint i)                                                       \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i * 16;                                                                              \
        if (layout == TESSERA_MATRIX_PACKED)                                                                                               \
            return tsr__rows_4(p + row / 2 * s + 4 * lane, s);                                                                             \
        if (layout == TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            return TSR__AT(const AS, tsr__int8, lane *s + 2 * row);                                                                        \
        return (int8)(as_int4(tsr__rows_2(p + row * s + 2 * lane, s)), as_int4(tsr__rows_2(p + (row + 8) * s + 2 * lane, s)));             \
    }                                                                                                                                      \
    TSR__INLINE int8 tsr__load_c_4(const AS uchar *p, uint layout, size_t s, uint i)                                                       \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i * 8;                                                                               \
        if (layout != TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            return tsr__rows_4(p + row * s + 4 * lane, s);                                                                                 \
        return TSR__AT(const AS, tsr__int8, lane *s + 4 * row);                                                                            \
    }                                                                                                                                      \
    TSR__INLINE void tsr__store_a_1(AS uchar *p, uint layout, size_t s, uint i, short8 v)                                                  \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i % 2 * 8, column = i / 2 * 32 + 2 * lane;                                           \
        if (layout != TESSERA_MATRIX_COLUMN_MAJOR) {                                                                                       \
            tsr__put_rows_2(p + row * s + column, s, v);                                                                                   \
        } else {                                                                                                                           \
            TSR__AT(AS, tsr__char8, column *s + row) = as_char16(v).even;                                                                  \
            TSR__AT(AS, tsr__char8, (column + 1) * s + row) = as_char16(v).odd;                                                            \
        }                                                                                                                                  \
    }                                                                                                                                      \
    TSR__INLINE void tsr__store_a_2(AS uchar *p, uint layout, size_t s, uint i, short8 v)                                                  \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i % 2 * 8, column = i / 2 * 16 + lane;                                               \
        if (layout != TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            tsr__put_rows_2(p + row * s + 2 * column, s, v);                                                                               \
        else                                                                                                                               \
            TSR__AT(AS, tsr__short8, column *s + 2 * row) = v;                                                                             \
    }                                                                                                                                      \
    TSR__INLINE void tsr__store_b_1(AS uchar *p, uint layout, size_t s, uint i, int8 v)                                                    \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i * 32;                                                                              \
        if (layout == TESSERA_MATRIX_PACKED) {                                                                                             \
            tsr__put_rows_4(p + row / 4 * s + 4 * lane, s, v);                                                                             \
        } else if (layout == TESSERA_MATRIX_COLUMN_MAJOR) {                                                                                \
            TSR__AT(AS, tsr__int8, lane *s + row) = v;                                                                                     \
        } else {                                                                                                                           \
            tsr__put_rows_1(p + row * s + lane, s, as_char16(v.lo));                                                                       \
            tsr__put_rows_1(p + (row + 16) * s + lane, s, as_char16(v.hi));                                                                \
        }                                                                                                                                  \
    }                                                                                                                                      \
    TSR__INLINE void tsr__store_b_2(AS uchar *p, uint layout, size_t s, uint i, int8 v)                                                    \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i * 16;                                                                              \
        if (layout == TESSERA_MATRIX_PACKED) {                                                                                             \
            tsr__put_rows_4(p + row / 2 * s + 4 * lane, s, v);                                                                             \
        } else if (layout == TESSERA_MATRIX_COLUMN_MAJOR) {                                                                                \
            TSR__AT(AS, tsr__int8, lane *s + 2 * row) = v;                                                                                 \
        } else {                                                                                                                           \
            tsr__put_rows_2(p + row * s + 2 * lane, s, as_short8(v.lo));                                                                   \
            tsr__put_rows_2(p + (row + 8) * s + 2 * lane, s, as_short8(v.hi));                                                             \
        }                                                                                                                                  \
    }                                                                                                                                      \
    TSR__INLINE void tsr__store_c_4(AS uchar *p, uint layout, size_t s, uint i, int8 v)                                                    \
    {                                                                                                                                      \
        size_t lane = get_sub_group_local_id(), row = i * 8;                                                                               \
        if (layout != TESSERA_MATRIX_COLUMN_MAJOR)                                                                                         \
            tsr__put_rows_4(p + row * s + 4 * lane, s, v);                                                                                 \
        else                                                                                                                               \
            TSR__AT(AS, tsr__int8, lane *s + 4 * row) = v;                                                                                 \
    }

/* ---- a block of a matrix as the matrix functions take it, and back ---- */

#define TSR__GET_a_1(m, i) as_short8(m.block[i])
#define TSR__GET_a_2(m, i) as_short8(m.block[i])
#define TSR__GET_b_1(m, i) ((int8)(as_int4(m.block[2 * (i)]), as_int4(m.block[2 * (i) + 1])))
#define TSR__GET_b_2(m, i) as_int8(m.block[i])
#define TSR__GET_c_4(m, i) as_int8(m.block[i])
#define TSR__SET_a_1(m, V, i, v) m->block[i] = as_##V(v);
#define TSR__SET_a_2(m, V, i, v) m->block[i] = as_##V(v);
#define TSR__SET_b_1(m, V, i, v)                                                                                                           \
    {                                                                                                                                      \
        int8 words = v;                                                                                                                    \
        m->block[2 * (i)] = as_##V(words.lo);                                                                                              \
        m->block[2 * (i) + 1] = as_##V(words.hi);                                                                                          \
    }
#define TSR__SET_b_2(m, V, i, v) m->block[i] = as_##V(v);
#define TSR__SET_c_4(m, V, i, v) m->block[i] = as_##V(v);
#define TSR__EACH_a(STEP, V, size) STEP(a, V, size, 0) STEP(a, V, size, 1) STEP(a, V, size, 2) STEP(a, V, size, 3)
#define TSR__EACH_b(STEP, V, size) STEP(b, V, size, 0) STEP(b, V, size, 1)
#define TSR__EACH_c(STEP, V, size) STEP(c, V, size, 0) STEP(c, V, size, 1)

/* Row and column of element i; it is in the column of the work-item but for A. */
#define TSR__COORDINATE_a_1(i, lane) ((uint2)((i) / 16 % 2 * 8 + (i) % 16 / 2, (i) / 32 * 32 + 2 * (lane) + (i) % 2))
#define TSR__COORDINATE_a_2(i, lane) ((uint2)((i) / 8 % 2 * 8 + (i) % 8, (i) / 16 * 16 + (lane)))
#define TSR__COORDINATE_b_1(i, lane) ((uint2)(i, lane))
#define TSR__COORDINATE_b_2(i, lane) ((uint2)(i, lane))
#define TSR__COORDINATE_c_4(i, lane) ((uint2)(i, lane))

/* ---- the functions ---- */

/* use: a, b, c; size: bytes of an element, of type E, of which V is the vector of a block. */

#define TSR__LAYOUT                                                                                                                        \
    __attribute__((diagnose_if(layout > TESSERA_MATRIX_PACKED, "a matrix lies by rows, 0, by columns, 1, or packed, 2", "error")))

#define TSR__LOAD(use, V, size, i) TSR__SET_##use##_##size(m, V, i, tsr__load_##use##_##size(bytes, layout, size * stride, i))
#define TSR__STORE(use, V, size, i) tsr__store_##use##_##size(bytes, layout, size * stride, i, TSR__GET_##use##_##size(m, i));
#define TSR__PLAIN_TRANSFERS(AS, M, E, V, use, size)                                                                                       \
    TSR__INLINE void tessera_matrix_load(private M *m, const AS E *p, uint layout, size_t stride) TSR__LAYOUT                              \
    {                                                                                                                                      \
        const AS uchar *bytes = (const AS uchar *)p;                                                                                       \
        TSR__EACH_##use(TSR__LOAD, V, size)                                                                                                \
    }                                                                                                                                      \
    TSR__INLINE void tessera_matrix_store(M m, AS E *p, uint layout, size_t stride) TSR__LAYOUT                                            \
    {                                                                                                                                      \
        AS uchar *bytes = (AS uchar *)p;                                                                                                   \
        TSR__EACH_##use(TSR__STORE, V, size)                                                                                               \
    }

#define TSR__PLAIN_ELEMENTS(M, E, V, use, size)                                                                                            \
    TSR__INLINE void tessera_matrix_fill(private M *m, E x)                                                                                \
    {                                                                                                                                      \
        for (uint i = 0; i < sizeof(M) / sizeof(V); i++)                                                                                   \
            m->block[i] = (V)(x);                                                                                                          \
    }                                                                                                                                      \
    TSR__INLINE uint tessera_matrix_length(M m)                                                                                            \
    {                                                                                                                                      \
        return sizeof(M) / sizeof(E);                                                                                                      \
    }                                                                                                                                      \
    TSR__INLINE uint2 tessera_matrix_coordinate(M m, uint i)                                                                               \
    {                                                                                                                                      \
        uint lane = get_sub_group_local_id();                                                                                              \
        return TSR__COORDINATE_##use##_##size(i, lane);                                                                                    \
    }                                                                                                                                      \
    TSR__INLINE E tessera_matrix_get(M m, uint i)                                                                                          \
    {                                                                                                                                      \
        return ((private const E *)m.block)[i];                                                                                            \
    }                                                                                                                                      \
    TSR__INLINE void tessera_matrix_set(private M *m, uint i, E x)                                                                         \
    {                                                                                                                                      \
        ((private E *)m->block)[i] = x;                                                                                                    \
    }

/* ---- windows of memory that a matrix may reach beyond ---- */

/* For programs that mention these functions alone, as they take milliseconds to read. */

#ifdef TESSERA_DECLARE_CHECKED_COOPERATIVE_MATRIX
/* Rows and columns. */
#define TSR__HEIGHT_a(size) 16
#define TSR__HEIGHT_b(size) (64 / size)
#define TSR__HEIGHT_c(size) 16
#define TSR__WIDTH_a(size) (64 / size)
#define TSR__WIDTH_b(size) 16
#define TSR__WIDTH_c(size) 16
/* Rows that lie side by side in a word of the packed layout. */
#define TSR__IN_WORD_a(size) 1
#define TSR__IN_WORD_b(size) (4 / size)
#define TSR__IN_WORD_c(size) 1

/* Line (.x) and element in the line (.y) of memory in which an element lies, and the same of a matrix as a whole: how many. */
TSR__INLINE uint2 tsr__place(uint2 at, uint layout, uint in_word)
{
    uint2 packed = (uint2)(at.x / in_word, at.y * in_word + at.x % in_word);
    return layout == TESSERA_MATRIX_COLUMN_MAJOR ? at.yx : layout == TESSERA_MATRIX_PACKED ? packed : at;
}
TSR__INLINE bool tsr__is_inside(uint height, uint width, uint layout, uint in_word, int x, int y, uint lines, uint elements)
{
    uint2 all = tsr__place((uint2)(height, width), layout, in_word);
    return x >= 0 && y >= 0 && (long)x + all.x <= lines && (long)y + all.y <= elements;
}

#ifdef TESSERA_BLOCK2D_PRIMITIVES
/* Matrices in global memory whose lines are rows are 2D blocks (builtins/block2d.h): no element is looked at by itself, and the device runs
 * loops over K with those of other work-groups, whatever lies outside. */
typedef ushort tsr__ushort32 __attribute__((ext_vector_type(32)));
#ifdef __cplusplus
extern "C" {
#endif
#define TSR__REGION const global void *base, long width, long height, long pitch, int x, int y
#define TSR__BLOCK uint layout, uint bits, uint rows, uint columns, uint blocks
tsr__ushort32 __attribute__((convergent)) __tsr_block2d_read_ushort32(TSR__REGION, TSR__BLOCK);
uint16 __attribute__((convergent)) __tsr_block2d_read_uint16(TSR__REGION, TSR__BLOCK);
void __attribute__((convergent)) __tsr_block2d_write_uint8(TSR__REGION, uint bits, uint present, uint8 values);
#undef TSR__REGION
#undef TSR__BLOCK
#ifdef __cplusplus
}
#endif
uint __attribute__((overloadable)) get_sub_group_size(void);

/* The window of elements of `size` bytes, and where a block begins in it: element `at` of line x. */
#define TSR__WINDOW(size, at) p, (long)width * size, height, (long)(size * stride), at, x

#define TSR__READ_a(V, size)                                                                                                               \
    if (layout != TESSERA_MATRIX_COLUMN_MAJOR) {                                                                                           \
        tsr__ushort32 v = __tsr_block2d_read_ushort32(TSR__WINDOW(size, y), 0, 8 * size, 16, 32 / size, 2);                                \
        m->block[0] = as_##V(v.lo.lo);                                                                                                     \
        m->block[1] = as_##V(v.lo.hi);                                                                                                     \
        m->block[2] = as_##V(v.hi.lo);                                                                                                     \
        m->block[3] = as_##V(v.hi.hi);                                                                                                     \
        return;                                                                                                                            \
    }
#define TSR__READ_b(V, size)                                                                                                               \
    if (layout == TESSERA_MATRIX_ROW_MAJOR || (layout == TESSERA_MATRIX_PACKED && y % (4 / size) == 0 && width % (4 / size) == 0)) {       \
        uint16 v = layout == TESSERA_MATRIX_ROW_MAJOR                                                                                      \
                       ? __tsr_block2d_read_uint16(TSR__WINDOW(size, y), 1, 8 * size, 64 / size, 16, 1)                                    \
                       : __tsr_block2d_read_uint16(TSR__WINDOW(size, y / (4 / size)), 0, 32, 16, 16, 1);                                   \
        int8 lower = as_int8(v.lo), upper = as_int8(v.hi);                                                                                 \
        TSR__SET_b_##size(m, V, 0, lower) TSR__SET_b_##size(m, V, 1, upper)                                                                \
        return;                                                                                                                            \
    }
#define TSR__READ_c(V, size)                                                                                                               \
    if (layout != TESSERA_MATRIX_COLUMN_MAJOR) {                                                                                           \
        uint16 v = __tsr_block2d_read_uint16(TSR__WINDOW(size, y), 0, 32, 16, 16, 1);                                                      \
        m->block[0] = as_##V(v.lo);                                                                                                        \
        m->block[1] = as_##V(v.hi);                                                                                                        \
        return;                                                                                                                            \
    }
#define TSR__WRITE_a(size)
#define TSR__WRITE_b(size)
#define TSR__WRITE_c(size)                                                                                                                 \
    if (layout != TESSERA_MATRIX_COLUMN_MAJOR) {                                                                                           \
        __tsr_block2d_write_uint8(TSR__WINDOW(size, y), 32, get_sub_group_size(), as_uint8(m.block[0]));                                   \
        x = (int)((uint)x + 8);                                                                                                            \
        __tsr_block2d_write_uint8(TSR__WINDOW(size, y), 32, get_sub_group_size(), as_uint8(m.block[1]));                                   \
        return;                                                                                                                            \
    }
#define TSR__READ_global(V, use, size) TSR__READ_##use(V, size)
#define TSR__WRITE_global(use, size) TSR__WRITE_##use(size)
#else
#define TSR__READ_global(V, use, size)
#define TSR__WRITE_global(use, size)
#endif
#define TSR__READ_local(V, use, size)
#define TSR__READ_generic(V, use, size)
#define TSR__WRITE_local(use, size)
#define TSR__WRITE_generic(use, size)

#define TSR__CHECKED(AS, M, E, V, use, size)                                                                                               \
    TSR__INLINE void tessera_matrix_load_checked(private M *m, const AS E *p, int x, int y, uint layout, uint height, uint width,          \
                                                 size_t stride) TSR__LAYOUT                                                                \
    {                                                                                                                                      \
        TSR__READ_##AS(V, use, size)                                                                                                       \
        if (tsr__is_inside(TSR__HEIGHT_##use(size), TSR__WIDTH_##use(size), layout, TSR__IN_WORD_##use(size), x, y, height, width)) {      \
            tessera_matrix_load(m, p + x * stride + y, layout, stride);                                                                    \
            return;                                                                                                                        \
        }                                                                                                                                  \
        uint lane = get_sub_group_local_id();                                                                                              \
        __attribute__((opencl_unroll_hint)) for (uint i = 0; i < sizeof(M) / sizeof(E); i++)                                               \
        {                                                                                                                                  \
            uint2 at = tsr__place(TSR__COORDINATE_##use##_##size(i, lane), layout, TSR__IN_WORD_##use(size)) + (uint2)(x, y);              \
            ((private E *)m->block)[i] = at.x < height && at.y < width ? p[at.x * stride + at.y] : (E)0;                                   \
        }                                                                                                                                  \
    }                                                                                                                                      \
    TSR__INLINE void tessera_matrix_store_checked(M m, AS E *p, int x, int y, uint layout, uint height, uint width, size_t stride)         \
        TSR__LAYOUT                                                                                                                        \
    {                                                                                                                                      \
        TSR__WRITE_##AS(use, size)                                                                                                         \
        if (tsr__is_inside(TSR__HEIGHT_##use(size), TSR__WIDTH_##use(size), layout, TSR__IN_WORD_##use(size), x, y, height, width)) {      \
            tessera_matrix_store(m, p + x * stride + y, layout, stride);                                                                   \
            return;                                                                                                                        \
        }                                                                                                                                  \
        uint lane = get_sub_group_local_id();                                                                                              \
        __attribute__((opencl_unroll_hint)) for (uint i = 0; i < sizeof(M) / sizeof(E); i++)                                               \
        {                                                                                                                                  \
            uint2 at = tsr__place(TSR__COORDINATE_##use##_##size(i, lane), layout, TSR__IN_WORD_##use(size)) + (uint2)(x, y);              \
            if (at.x < height && at.y < width)                                                                                             \
                p[at.x * stride + at.y] = ((private const E *)m.block)[i];                                                                 \
        }                                                                                                                                  \
    }

#define TSR__CHECKED_FILL(M, E, V, use, size)                                                                                              \
    TSR__INLINE void tessera_matrix_fill_checked(private M *m, int x, int y, uint height, uint width, E value)                             \
    {                                                                                                                                      \
        uint lane = get_sub_group_local_id();                                                                                              \
        __attribute__((opencl_unroll_hint)) for (uint i = 0; i < sizeof(M) / sizeof(E); i++)                                               \
        {                                                                                                                                  \
            uint2 at = TSR__COORDINATE_##use##_##size(i, lane) + (uint2)(x, y);                                                            \
            ((private E *)m->block)[i] = at.x < height && at.y < width ? value : (E)0;                                                     \
        }                                                                                                                                  \
    }
#else
#define TSR__CHECKED(AS, M, E, V, use, size)
#define TSR__CHECKED_FILL(M, E, V, use, size)
#endif

/* D = A·B + C, 64 bytes of K; va, vb: types of A and B as the function takes them. */
#define TSR__PRODUCT(function, A, B, C, va, vb, size)                                                                                      \
    TSR__INLINE C tessera_matrix_multiply_add(A a, B b, C c)                                                                               \
    {                                                                                                                                      \
        C d;                                                                                                                               \
        d.block[0] = function(as_##va(TSR__GET_a_##size(a, 0)), as_##vb(TSR__GET_b_##size(b, 0)), c.block[0]);                             \
        d.block[1] = function(as_##va(TSR__GET_a_##size(a, 1)), as_##vb(TSR__GET_b_##size(b, 0)), c.block[1]);                             \
        d.block[0] = function(as_##va(TSR__GET_a_##size(a, 2)), as_##vb(TSR__GET_b_##size(b, 1)), d.block[0]);                             \
        d.block[1] = function(as_##va(TSR__GET_a_##size(a, 3)), as_##vb(TSR__GET_b_##size(b, 1)), d.block[1]);                             \
        return d;                                                                                                                          \
    }

#define TSR__ELEMENTS(M, E, V, use, size) TSR__PLAIN_ELEMENTS(M, E, V, use, size) TSR__CHECKED_FILL(M, E, V, use, size)
#define TSR__TRANSFERS(AS, M, E, V, use, size) TSR__PLAIN_TRANSFERS(AS, M, E, V, use, size) TSR__CHECKED(AS, M, E, V, use, size)

/* Programs keep bfloat16 as ushort, as intel_convert_bfloat16_as_ushort has it, or as short, as the matrix functions do. */
#define TSR__IN_SPACE(AS)                                                                                                                  \
    TSR__ROWS(AS)                                                                                                                          \
    TSR__BLOCKS(AS)                                                                                                                        \
    TSR__TRANSFERS(AS, tessera_matrix_a_char, char, char16, a, 1)                                                                          \
    TSR__TRANSFERS(AS, tessera_matrix_a_uchar, uchar, uchar16, a, 1)                                                                       \
    TSR__TRANSFERS(AS, tessera_matrix_a_bfloat16, ushort, ushort8, a, 2)                                                                   \
    TSR__TRANSFERS(AS, tessera_matrix_a_bfloat16, short, ushort8, a, 2)                                                                    \
    TSR__TRANSFERS(AS, tessera_matrix_b_char, char, char16, b, 1)                                                                          \
    TSR__TRANSFERS(AS, tessera_matrix_b_uchar, uchar, uchar16, b, 1)                                                                       \
    TSR__TRANSFERS(AS, tessera_matrix_b_bfloat16, ushort, ushort16, b, 2)                                                                  \
    TSR__TRANSFERS(AS, tessera_matrix_b_bfloat16, short, ushort16, b, 2)                                                                   \
    TSR__TRANSFERS(AS, tessera_matrix_int, int, int8, c, 4)                                                                                \
    TSR__TRANSFERS(AS, tessera_matrix_float, float, float8, c, 4)                                                                          \
    TSR__HALF_IN_SPACE(AS)

#ifdef cl_khr_fp16
#define TSR__HALF_IN_SPACE(AS)                                                                                                             \
    TSR__TRANSFERS(AS, tessera_matrix_a_half, half, half8, a, 2)                                                                           \
    TSR__TRANSFERS(AS, tessera_matrix_b_half, half, half16, b, 2)
#else
#define TSR__HALF_IN_SPACE(AS)
#endif

TSR__IN_SPACE(global)
TSR__IN_SPACE(local)
#ifdef __opencl_c_generic_address_space
TSR__IN_SPACE(generic)
#endif

TSR__ELEMENTS(tessera_matrix_a_char, char, char16, a, 1)
TSR__ELEMENTS(tessera_matrix_a_uchar, uchar, uchar16, a, 1)
TSR__ELEMENTS(tessera_matrix_a_bfloat16, ushort, ushort8, a, 2)
TSR__ELEMENTS(tessera_matrix_b_char, char, char16, b, 1)
TSR__ELEMENTS(tessera_matrix_b_uchar, uchar, uchar16, b, 1)
TSR__ELEMENTS(tessera_matrix_b_bfloat16, ushort, ushort16, b, 2)
TSR__ELEMENTS(tessera_matrix_int, int, int8, c, 4)
TSR__ELEMENTS(tessera_matrix_float, float, float8, c, 4)

TSR__PRODUCT(intel_sub_group_i8_i8_matrix_mad_k32, tessera_matrix_a_char, tessera_matrix_b_char, tessera_matrix_int, short8, int8, 1)
TSR__PRODUCT(intel_sub_group_i8_u8_matrix_mad_k32, tessera_matrix_a_char, tessera_matrix_b_uchar, tessera_matrix_int, short8, uint8, 1)
TSR__PRODUCT(intel_sub_group_u8_i8_matrix_mad_k32, tessera_matrix_a_uchar, tessera_matrix_b_char, tessera_matrix_int, ushort8, int8, 1)
TSR__PRODUCT(intel_sub_group_u8_u8_matrix_mad_k32, tessera_matrix_a_uchar, tessera_matrix_b_uchar, tessera_matrix_int, ushort8, uint8, 1)
TSR__PRODUCT(intel_sub_group_bf16_bf16_matrix_mad_k16, tessera_matrix_a_bfloat16, tessera_matrix_b_bfloat16, tessera_matrix_float, short8,
             int8, 2)
#ifdef cl_khr_fp16
TSR__ELEMENTS(tessera_matrix_a_half, half, half8, a, 2)
TSR__ELEMENTS(tessera_matrix_b_half, half, half16, b, 2)
TSR__PRODUCT(intel_sub_group_f16_f16_matrix_mad_k16, tessera_matrix_a_half, tessera_matrix_b_half, tessera_matrix_float, short8, int8, 2)
#endif

#undef TSR__AT
#undef TSR__BLOCKS
#undef TSR__CHECKED
#undef TSR__CHECKED_FILL
#undef TSR__COORDINATE_a_1
#undef TSR__COORDINATE_a_2
#undef TSR__COORDINATE_b_1
#undef TSR__COORDINATE_b_2
#undef TSR__COORDINATE_c_4
#undef TSR__EACH_a
#undef TSR__EACH_b
#undef TSR__EACH_c
#undef TSR__ELEMENTS
#undef TSR__FROM
#undef TSR__FROM_8
#undef TSR__GET_a_1
#undef TSR__GET_a_2
#undef TSR__GET_b_1
#undef TSR__GET_b_2
#undef TSR__GET_c_4
#undef TSR__HALF_IN_SPACE
#undef TSR__HEIGHT_a
#undef TSR__HEIGHT_b
#undef TSR__HEIGHT_c
#undef TSR__INLINE
#undef TSR__IN_SPACE
#undef TSR__IN_WORD_a
#undef TSR__IN_WORD_b
#undef TSR__IN_WORD_c
#undef TSR__LAYOUT
#undef TSR__LOAD
#undef TSR__OVER
#undef TSR__PLAIN_ELEMENTS
#undef TSR__PLAIN_TRANSFERS
#undef TSR__PRODUCT
#undef TSR__READ_a
#undef TSR__READ_b
#undef TSR__READ_c
#undef TSR__READ_generic
#undef TSR__READ_global
#undef TSR__READ_local
#undef TSR__ROWS
#undef TSR__SET_a_1
#undef TSR__SET_a_2
#undef TSR__SET_b_1
#undef TSR__SET_b_2
#undef TSR__SET_c_4
#undef TSR__STORE
#undef TSR__TO
#undef TSR__TO_8
#undef TSR__TRANSFERS
#undef TSR__WIDTH_a
#undef TSR__WIDTH_b
#undef TSR__WIDTH_c
#undef TSR__WINDOW
#undef TSR__WRITE_a
#undef TSR__WRITE_b
#undef TSR__WRITE_c
#undef TSR__WRITE_generic
#undef TSR__WRITE_global
#undef TSR__WRITE_local
#endif
