/* SPDX-License-Identifier: Apache-2.0
 * Declares the sub-group functions of Intel's extensions, their bfloat16 conversions, and what clang's table of built-ins lacks. Included
 * ahead of every OpenCL C program, so: short, and nothing without its extension. */
#ifdef TESSERA_DECLARE_GROUPS /* clc/service/front.c: the program mentions a name that looks like these */
#define TSR__CONVERGENT __attribute__((overloadable, convergent))

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#ifdef cl_intel_subgroups
#define TSR__SHUFFLE(T)                                                                                                                    \
    T TSR__CONVERGENT intel_sub_group_shuffle(T, uint);                                                                                    \
    T TSR__CONVERGENT intel_sub_group_shuffle_xor(T, uint);                                                                                \
    T TSR__CONVERGENT intel_sub_group_shuffle_down(T, T, uint);                                                                            \
    T TSR__CONVERGENT intel_sub_group_shuffle_up(T, T, uint);
#define TSR__SHUFFLES(T) TSR__SHUFFLE(T) TSR__SHUFFLE(T##2) TSR__SHUFFLE(T##3) TSR__SHUFFLE(T##4) TSR__SHUFFLE(T##8) TSR__SHUFFLE(T##16)
#define TSR__BLOCK(S, T, V, suffix)                                                                                                        \
    V TSR__CONVERGENT intel_sub_group_block_read##suffix(const S T *);                                                                     \
    void TSR__CONVERGENT intel_sub_group_block_write##suffix(S T *, V);
#define TSR__BLOCKS(S, T, suffix)                                                                                                          \
    TSR__BLOCK(S, T, T, suffix)                                                                                                            \
    TSR__BLOCK(S, T, T##2, suffix##2)                                                                                                      \
    TSR__BLOCK(S, T, T##4, suffix##4)                                                                                                      \
    TSR__BLOCK(S, T, T##8, suffix##8)
#define TSR__PREFETCH(T, suffix) void TSR__CONVERGENT intel_sub_group_block_prefetch##suffix(const global T *);
#define TSR__PREFETCHES(T, suffix)                                                                                                         \
    TSR__PREFETCH(T, suffix) TSR__PREFETCH(T, suffix##2) TSR__PREFETCH(T, suffix##4) TSR__PREFETCH(T, suffix##8)
#define TSR__ARITHMETIC(T)                                                                                                                 \
    T TSR__CONVERGENT intel_sub_group_broadcast(T, uint);                                                                                  \
    T##2 TSR__CONVERGENT intel_sub_group_broadcast(T##2, uint);                                                                            \
    T##3 TSR__CONVERGENT intel_sub_group_broadcast(T##3, uint);                                                                            \
    T##4 TSR__CONVERGENT intel_sub_group_broadcast(T##4, uint);                                                                            \
    T##8 TSR__CONVERGENT intel_sub_group_broadcast(T##8, uint);                                                                            \
    T TSR__CONVERGENT intel_sub_group_reduce_add(T);                                                                                       \
    T TSR__CONVERGENT intel_sub_group_reduce_min(T);                                                                                       \
    T TSR__CONVERGENT intel_sub_group_reduce_max(T);                                                                                       \
    T TSR__CONVERGENT intel_sub_group_scan_exclusive_add(T);                                                                               \
    T TSR__CONVERGENT intel_sub_group_scan_exclusive_min(T);                                                                               \
    T TSR__CONVERGENT intel_sub_group_scan_exclusive_max(T);                                                                               \
    T TSR__CONVERGENT intel_sub_group_scan_inclusive_add(T);                                                                               \
    T TSR__CONVERGENT intel_sub_group_scan_inclusive_min(T);                                                                               \
    T TSR__CONVERGENT intel_sub_group_scan_inclusive_max(T);
TSR__SHUFFLES(int)
TSR__SHUFFLES(uint)
TSR__SHUFFLES(float)
TSR__SHUFFLE(long)
TSR__SHUFFLE(ulong)
#ifdef cl_khr_fp16
TSR__SHUFFLE(half)
#endif
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
TSR__SHUFFLE(double)
#endif
TSR__BLOCKS(global, uint, )
#if defined(cl_intel_subgroups_char) || defined(cl_intel_subgroups_short) || defined(cl_intel_subgroups_long)
TSR__BLOCKS(global, uint, _ui)
#endif
#ifdef cl_intel_subgroups_char
TSR__SHUFFLES(char)
TSR__SHUFFLES(uchar)
TSR__ARITHMETIC(char)
TSR__ARITHMETIC(uchar)
TSR__BLOCKS(global, uchar, _uc)
TSR__BLOCK(global, uchar, uchar16, _uc16)
#endif
#ifdef cl_intel_subgroups_short
TSR__SHUFFLES(short)
TSR__SHUFFLES(ushort)
TSR__ARITHMETIC(short)
TSR__ARITHMETIC(ushort)
TSR__BLOCKS(global, ushort, _us)
TSR__BLOCK(global, ushort, ushort16, _us16)
#endif
#ifdef cl_intel_subgroups_long
TSR__BLOCKS(global, ulong, _ul)
#endif
#ifdef cl_intel_subgroup_local_block_io
TSR__BLOCKS(local, uint, )
TSR__BLOCKS(local, uint, _ui)
#ifdef cl_intel_subgroups_char
TSR__BLOCKS(local, uchar, _uc)
TSR__BLOCK(local, uchar, uchar16, _uc16)
#endif
#ifdef cl_intel_subgroups_short
TSR__BLOCKS(local, ushort, _us)
TSR__BLOCK(local, ushort, ushort16, _us16)
#endif
#ifdef cl_intel_subgroups_long
TSR__BLOCKS(local, ulong, _ul)
#endif
#endif
#ifdef __IMAGE_SUPPORT__
#if (defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200) && defined(__opencl_c_read_write_images)
#define TSR__IMAGE_BLOCK_BOTH(V, suffix)                                                                                                   \
    V TSR__CONVERGENT intel_sub_group_block_read##suffix(read_write image2d_t, int2);                                                      \
    void TSR__CONVERGENT intel_sub_group_block_write##suffix(read_write image2d_t, int2, V);
#else
#define TSR__IMAGE_BLOCK_BOTH(V, suffix)
#endif
#define TSR__IMAGE_BLOCK(V, suffix)                                                                                                        \
    V TSR__CONVERGENT intel_sub_group_block_read##suffix(read_only image2d_t, int2);                                                       \
    void TSR__CONVERGENT intel_sub_group_block_write##suffix(write_only image2d_t, int2, V);                                               \
    TSR__IMAGE_BLOCK_BOTH(V, suffix)
#define TSR__IMAGE_BLOCKS(T, suffix)                                                                                                       \
    TSR__IMAGE_BLOCK(T, suffix)                                                                                                            \
    TSR__IMAGE_BLOCK(T##2, suffix##2)                                                                                                      \
    TSR__IMAGE_BLOCK(T##4, suffix##4)                                                                                                      \
    TSR__IMAGE_BLOCK(T##8, suffix##8)
TSR__IMAGE_BLOCKS(uint, )
#if defined(cl_intel_subgroups_char) || defined(cl_intel_subgroups_short) || defined(cl_intel_subgroups_long)
TSR__IMAGE_BLOCKS(uint, _ui)
#endif
#ifdef cl_intel_subgroups_char
TSR__IMAGE_BLOCKS(uchar, _uc)
TSR__IMAGE_BLOCK(uchar16, _uc16)
#endif
#ifdef cl_intel_subgroups_short
TSR__IMAGE_BLOCKS(ushort, _us)
TSR__IMAGE_BLOCK(ushort16, _us16)
#endif
#ifdef cl_intel_subgroups_long
TSR__IMAGE_BLOCKS(ulong, _ul)
#endif
#undef TSR__IMAGE_BLOCK_BOTH
#undef TSR__IMAGE_BLOCK
#undef TSR__IMAGE_BLOCKS
#endif
#ifdef cl_intel_subgroup_buffer_prefetch
TSR__PREFETCHES(uint, _ui)
#ifdef cl_intel_subgroups_char
TSR__PREFETCHES(uchar, _uc)
TSR__PREFETCH(uchar, _uc16)
#endif
#ifdef cl_intel_subgroups_short
TSR__PREFETCHES(ushort, _us)
TSR__PREFETCH(ushort, _us16)
#endif
#ifdef cl_intel_subgroups_long
TSR__PREFETCHES(ulong, _ul)
#endif
#endif
#undef TSR__SHUFFLE
#undef TSR__SHUFFLES
#undef TSR__BLOCK
#undef TSR__BLOCKS
#undef TSR__PREFETCH
#undef TSR__PREFETCHES
#undef TSR__ARITHMETIC
#endif

#ifdef cl_khr_extended_async_copies
#define TSR__ASYNC_BOX(TO, FROM)                                                                                                           \
    event_t TSR__CONVERGENT async_work_group_copy_2D2D(TO void *, size_t, const FROM void *, size_t, size_t, size_t, size_t, size_t,       \
                                                       size_t, event_t);                                                                   \
    event_t TSR__CONVERGENT async_work_group_copy_3D3D(TO void *, size_t, const FROM void *, size_t, size_t, size_t, size_t, size_t,       \
                                                       size_t, size_t, size_t, size_t, event_t);
TSR__ASYNC_BOX(local, global)
TSR__ASYNC_BOX(global, local)
#undef TSR__ASYNC_BOX
#endif

#ifdef cl_intel_bfloat16_conversions
#define TSR__BFLOAT16(N)                                                                                                                   \
    ushort##N __attribute__((overloadable, const)) intel_convert_bfloat16##N##_as_ushort##N(float##N);                                     \
    float##N __attribute__((overloadable, const)) intel_convert_as_bfloat16##N##_float##N(ushort##N);
TSR__BFLOAT16()
TSR__BFLOAT16(2)
TSR__BFLOAT16(3)
TSR__BFLOAT16(4)
TSR__BFLOAT16(8)
TSR__BFLOAT16(16)
#undef TSR__BFLOAT16
#endif

#ifdef cl_khr_work_group_uniform_arithmetic
#define TSR__COLLECTIVE(T, OP)                                                                                                             \
    T TSR__CONVERGENT work_group_reduce_##OP(T);                                                                                           \
    T TSR__CONVERGENT work_group_scan_exclusive_##OP(T);                                                                                   \
    T TSR__CONVERGENT work_group_scan_inclusive_##OP(T);
#define TSR__COLLECTIVES(T)                                                                                                                \
    TSR__COLLECTIVE(T, mul)                                                                                                                \
    TSR__COLLECTIVE(T, and)                                                                                                                \
    TSR__COLLECTIVE(T, or)                                                                                                                 \
    TSR__COLLECTIVE(T, xor)
TSR__COLLECTIVES(int)
TSR__COLLECTIVES(uint)
TSR__COLLECTIVES(long)
TSR__COLLECTIVES(ulong)
TSR__COLLECTIVE(float, mul)
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
TSR__COLLECTIVE(double, mul)
#endif
#ifdef cl_khr_fp16
TSR__COLLECTIVE(half, mul)
#endif
TSR__COLLECTIVE(int, logical_and)
TSR__COLLECTIVE(int, logical_or)
TSR__COLLECTIVE(int, logical_xor)
#undef TSR__COLLECTIVE
#undef TSR__COLLECTIVES
#endif

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#undef TSR__CONVERGENT
#endif

#ifdef TESSERA_DECLARE_ALIGNED_HALF /* for one element: clang's table has the vectors alone */
#define TSR__LOAD(S) float __attribute__((overloadable, pure)) vloada_half(size_t, const S half *);
#define TSR__STORE(S, T, mode) void __attribute__((overloadable)) vstorea_half##mode(T, size_t, S half *);
#define TSR__STORES(S, T)                                                                                                                  \
    TSR__STORE(S, T, ) TSR__STORE(S, T, _rte) TSR__STORE(S, T, _rtz) TSR__STORE(S, T, _rtp) TSR__STORE(S, T, _rtn)
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#define TSR__MEMORY(S) TSR__LOAD(S) TSR__STORES(S, float) TSR__STORES(S, double)
#else
#define TSR__MEMORY(S) TSR__LOAD(S) TSR__STORES(S, float)
#endif
TSR__LOAD(constant)
TSR__MEMORY(global)
TSR__MEMORY(local)
TSR__MEMORY(private)
#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)
TSR__MEMORY(__generic)
#endif
#undef TSR__LOAD
#undef TSR__STORE
#undef TSR__STORES
#undef TSR__MEMORY
#endif

#if defined(__opencl_c_device_enqueue) && defined(CLK_NULL_EVENT)
/* clang crashes on its own definitions, numbers as an event and as a queue. */
clk_event_t __attribute__((const)) tessera_null_event(void);
queue_t __attribute__((const)) tessera_null_queue(void);
#undef CLK_NULL_EVENT
#undef CLK_NULL_QUEUE
#define CLK_NULL_EVENT tessera_null_event()
#define CLK_NULL_QUEUE tessera_null_queue()
#endif
