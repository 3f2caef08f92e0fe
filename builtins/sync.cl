/* SPDX-License-Identifier: Apache-2.0
 * Barriers and fences (OpenCL C 6.15.8, 6.15.9, 6.15.12.6), asynchronous copies (6.15.11), those of boxes, and address space queries
 * (6.15.10). */
#include "library.h"

INLINE void fence(void)
{
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void OVER __attribute__((convergent)) barrier(cl_mem_fence_flags flags)
{
    __tsr_barrier(TSR_SCOPE_WORK_GROUP, flags);
}

void OVER __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags)
{
    __tsr_barrier(TSR_SCOPE_WORK_GROUP, flags);
}

/* Memory is the same for every scope, so the scope needs nothing more. */
void OVER __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __tsr_barrier(TSR_SCOPE_WORK_GROUP, flags);
}

void OVER __attribute__((convergent)) sub_group_barrier(cl_mem_fence_flags flags)
{
    __tsr_barrier(TSR_SCOPE_SUB_GROUP, flags);
}

void OVER __attribute__((convergent)) sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __tsr_barrier(TSR_SCOPE_SUB_GROUP, flags);
}

void OVER mem_fence(cl_mem_fence_flags flags)
{
    fence();
}

void OVER read_mem_fence(cl_mem_fence_flags flags)
{
    fence();
}

void OVER write_mem_fence(cl_mem_fence_flags flags)
{
    fence();
}

void OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    if (order != memory_order_relaxed)
        fence();
}

/* Each work-item copies a share; the wait is a barrier, after which all shares are there. */
INLINE size_t group_items(void)
{
    return __tsr_local_size(0) * __tsr_local_size(1) * __tsr_local_size(2);
}

#define COPY(N, T)                                                                                                                         \
    event_t OVER async_work_group_copy(local T##N *to, const global T##N *from, size_t count, event_t event)                               \
    {                                                                                                                                      \
        for (size_t i = __tsr_linear_id(), step = group_items(); i < count; i += step)                                                     \
            to[i] = from[i];                                                                                                               \
        return event;                                                                                                                      \
    }                                                                                                                                      \
    event_t OVER async_work_group_copy(global T##N *to, const local T##N *from, size_t count, event_t event)                               \
    {                                                                                                                                      \
        for (size_t i = __tsr_linear_id(), step = group_items(); i < count; i += step)                                                     \
            to[i] = from[i];                                                                                                               \
        return event;                                                                                                                      \
    }                                                                                                                                      \
    event_t OVER async_work_group_strided_copy(local T##N *to, const global T##N *from, size_t count, size_t stride, event_t event)        \
    {                                                                                                                                      \
        for (size_t i = __tsr_linear_id(), step = group_items(); i < count; i += step)                                                     \
            to[i] = from[i * stride];                                                                                                      \
        return event;                                                                                                                      \
    }                                                                                                                                      \
    event_t OVER async_work_group_strided_copy(global T##N *to, const local T##N *from, size_t count, size_t stride, event_t event)        \
    {                                                                                                                                      \
        for (size_t i = __tsr_linear_id(), step = group_items(); i < count; i += step)                                                     \
            to[i * stride] = from[i];                                                                                                      \
        return event;                                                                                                                      \
    }                                                                                                                                      \
    void OVER prefetch(const global T##N *p, size_t count)                                                                                 \
    {                                                                                                                                      \
        __builtin_prefetch((const void *)p);                                                                                               \
    }
EACH_WIDTH(COPY, char)
EACH_WIDTH(COPY, uchar)
EACH_WIDTH(COPY, short)
EACH_WIDTH(COPY, ushort)
EACH_WIDTH(COPY, int)
EACH_WIDTH(COPY, uint)
EACH_WIDTH(COPY, long)
EACH_WIDTH(COPY, ulong)
EACH_WIDTH(COPY, float)
EACH_WIDTH(COPY, double)
EACH_WIDTH(COPY, half)

/* cl_khr_extended_async_copies: boxes of lines of planes. Offsets, lengths and areas count elements of `size` bytes. Each work-item copies
 * every n-th piece of the box, of eight bytes where all lines allow that; x, y and z are its place, and step along by n without a
 * division. */
struct box {
    ulong line, lines, planes;      /* bytes, lines, planes */
    ulong to_line, to_plane;        /* bytes from one to the next */
    ulong from_line, from_plane;
};

/* A quotient of numbers of work-items and a length, and the remainder: of larger lengths the quotient is 0. Floats are exact for them, and
 * lanes have no instruction that divides integers. */
struct split {
    uint quotient, rest;
};
INLINE struct split split_by(uint items, ulong length)
{
    enum { MORE_THAN_ITEMS = 1 << 22 };
    uint by = (uint)(length < MORE_THAN_ITEMS ? length : MORE_THAN_ITEMS), quotient = (uint)((float)items / (float)by);
    quotient -= quotient * by > items;
    return (struct split){quotient, items - quotient * by};
}

#define COPY_PIECES(name, TO, FROM, T)                                                                                                     \
    INLINE void name(TO uchar *to, const FROM uchar *from, struct box b)                                                                   \
    {                                                                                                                                      \
        ulong width = b.line / sizeof(T);                                                                                                  \
        struct split step = split_by((uint)group_items(), width), steps = split_by(step.quotient, b.lines);                                \
        struct split own = split_by(__tsr_linear_id(), width), rows = split_by(own.quotient, b.lines);                                     \
        ulong x = own.rest, y = rows.rest, z = rows.quotient;                                                                              \
        while (z < b.planes) {                                                                                                             \
            *(TO T *)(to + z * b.to_plane + y * b.to_line + x * sizeof(T)) =                                                               \
                *(const FROM T *)(from + z * b.from_plane + y * b.from_line + x * sizeof(T));                                              \
            x += step.rest;                                                                                                                \
            bool next_line = x >= width;                                                                                                   \
            x -= next_line ? width : 0;                                                                                                    \
            y += steps.rest + next_line;                                                                                                   \
            bool next_plane = y >= b.lines;                                                                                                \
            y -= next_plane ? b.lines : 0;                                                                                                 \
            z += steps.quotient + next_plane;                                                                                              \
        }                                                                                                                                  \
    }
#define COPY_BOX(TO, FROM)                                                                                                                 \
    COPY_PIECES(copy_bytes_to_##TO, TO, FROM, uchar)                                                                                       \
    COPY_PIECES(copy_longs_to_##TO, TO, FROM, ulong)                                                                                       \
    INLINE void copy_box_to_##TO(TO uchar *to, const FROM uchar *from, struct box b)                                                       \
    {                                                                                                                                      \
        ulong all = (ulong)to | (ulong)from | b.line | b.to_line | b.to_plane | b.from_line | b.from_plane;                                \
        if (!b.line || !b.lines)                                                                                                           \
            return;                                                                                                                        \
        if (all % sizeof(ulong))                                                                                                           \
            copy_bytes_to_##TO(to, from, b);                                                                                               \
        else                                                                                                                               \
            copy_longs_to_##TO(to, from, b);                                                                                               \
    }                                                                                                                                      \
    event_t OVER async_work_group_copy_2D2D(TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t size,         \
                                            size_t line, size_t lines, size_t from_line, size_t to_line, event_t event)                    \
    {                                                                                                                                      \
        struct box b = {line * size, lines, 1, to_line * size, 0, from_line * size, 0};                                                    \
        copy_box_to_##TO((TO uchar *)to + to_offset * size, (const FROM uchar *)from + from_offset * size, b);                             \
        return event;                                                                                                                      \
    }                                                                                                                                      \
    event_t OVER async_work_group_copy_3D3D(TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t size,         \
                                            size_t line, size_t lines, size_t planes, size_t from_line, size_t from_plane,                 \
                                            size_t to_line, size_t to_plane, event_t event)                                                \
    {                                                                                                                                      \
        struct box b = {line * size, lines, planes, to_line * size, to_plane * size, from_line * size, from_plane * size};                 \
        copy_box_to_##TO((TO uchar *)to + to_offset * size, (const FROM uchar *)from + from_offset * size, b);                             \
        return event;                                                                                                                      \
    }
COPY_BOX(local, global)
COPY_BOX(global, local)

void OVER __attribute__((convergent)) wait_group_events(int count, __generic event_t *events)
{
    __tsr_barrier(TSR_SCOPE_WORK_GROUP, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

void OVER __attribute__((convergent)) wait_group_events(int count, event_t private *events)
{
    __tsr_barrier(TSR_SCOPE_WORK_GROUP, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* The address space that a generic pointer points to, as the engine tells it. A pointer into another space converts to null. */
#define TO(name, S, SPACE)                                                                                                                 \
    S void *name(__generic void *p)                                                                                                        \
    {                                                                                                                                      \
        return __tsr_address_space(p) == SPACE ? (S void *)(ulong)p : (S void *)0;                                                         \
    }
TO(__to_global, global, TSR_SPACE_GLOBAL)
TO(__to_local, local, TSR_SPACE_LOCAL)
TO(__to_private, private, TSR_SPACE_PRIVATE)

cl_mem_fence_flags OVER get_fence(const __generic void *p)
{
    return __tsr_address_space(p) == TSR_SPACE_LOCAL ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

cl_mem_fence_flags OVER get_fence(__generic void *p)
{
    return get_fence((const __generic void *)p);
}
