/* SPDX-License-Identifier: Apache-2.0
 * Pipes (OpenCL C 6.15.14), under the names that clang calls. A reservation is the number of its packets in the upper 32 bits and its first
 * slot in the lower ones; 0 is none. Nothing here waits for another work-item but the functions of work-groups and sub-groups. */
#include "collective.h"
#include "tessera/pipe.h"

typedef global struct tsr_pipe *pipe_p;

enum { WRITE = 0, READ = 1 }; /* the state in which a slot has to be */

ulong CONVERGENT work_group_broadcast(ulong value, size_t item);
ulong CONVERGENT sub_group_broadcast(ulong value, uint lane);
void CONVERGENT work_group_barrier(cl_mem_fence_flags flags);
void CONVERGENT sub_group_barrier(cl_mem_fence_flags flags);

INLINE bool all_are_free(pipe_p p, ulong first, uint count, uint access)
{
    uint slot = (uint)(first % p->max_packets), state = (uint)(first / p->max_packets) * 2 + access;
    for (uint i = 0; i < count; i++) {
        if (__atomic_load_n(&p->state[slot], __ATOMIC_ACQUIRE) != state)
            return false;
        if (++slot == p->max_packets) {
            slot = 0;
            state += 2;
        }
    }
    return true;
}

/* The counter moves only when all slots are free, and then they belong to whoever has moved it. */
INLINE ulong reserve(pipe_p p, uint count, uint access)
{
    global ulong *counter = access == READ ? &p->read : &p->written;
    ulong first = __atomic_load_n(counter, __ATOMIC_ACQUIRE), reservation = 0;
    bool open = count != 0 && count <= p->max_packets;
    while (open) {
        ulong wanted = first;
        if (!all_are_free(p, first, count, access)) {
            /* Another one may have taken the slots since the counter was read. */
            first = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
            open = first != wanted;
        } else if (__atomic_compare_exchange_n(counter, &first, wanted + count, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            reservation = (ulong)count << 32 | wanted % p->max_packets;
            open = false;
        }
    }
    if (access == READ && reservation)
        __atomic_fetch_sub(&p->waiting, count, __ATOMIC_RELAXED);
    return reservation;
}

INLINE void commit(pipe_p p, ulong reservation, uint access)
{
    uint slot = (uint)reservation, count = (uint)(reservation >> 32);
    if (access == WRITE && count)
        __atomic_fetch_add(&p->waiting, count, __ATOMIC_RELAXED); /* first, as a reader takes it away again */
    for (uint i = 0; i < count; i++) {
        __atomic_store_n(&p->state[slot], __atomic_load_n(&p->state[slot], __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE); /* nobody else writes it */
        slot = slot + 1 == p->max_packets ? 0 : slot + 1;
    }
}

/* Types that may lie anywhere: packets follow each other without gaps. */
typedef ulong __attribute__((aligned(1))) loose_ulong;
typedef uint __attribute__((aligned(1))) loose_uint;

#define COPY_PACKET(T)                                                                                                                     \
    for (uint i = 0; i < size / sizeof(T); i++)                                                                                            \
    ((generic T *)to)[i] = ((const generic T *)from)[i]

INLINE void copy_packet(generic void *to, const generic void *from, uint size)
{
    if (size % sizeof(ulong) == 0)
        COPY_PACKET(loose_ulong);
    else if (size % sizeof(uint) == 0)
        COPY_PACKET(loose_uint);
    else
        COPY_PACKET(uchar);
}

INLINE global uchar *packet_at(pipe_p p, ulong reservation, uint index)
{
    ulong slot = (reservation & UINT_MAX) + index;
    slot -= slot >= p->max_packets ? p->max_packets : 0;
    return (global uchar *)p + p->packets + slot * p->packet_bytes;
}

/* A packet of a type that the pipe was not made for, and one that is not of the reservation, are refused. */
INLINE bool fits(pipe_p p, ulong reservation, uint index, uint size)
{
    return index < (uint)(reservation >> 32) && size == p->packet_bytes;
}

int __read_pipe_4(pipe_p p, ulong reservation, uint index, generic void *to, uint size, uint align)
{
    if (!fits(p, reservation, index, size))
        return -1;
    copy_packet(to, packet_at(p, reservation, index), size);
    return 0;
}

int __write_pipe_4(pipe_p p, ulong reservation, uint index, const generic void *from, uint size, uint align)
{
    if (!fits(p, reservation, index, size))
        return -1;
    copy_packet(packet_at(p, reservation, index), from, size);
    return 0;
}

int __read_pipe_2(pipe_p p, generic void *to, uint size, uint align)
{
    ulong reservation = size == p->packet_bytes ? reserve(p, 1, READ) : 0;
    if (!reservation)
        return -1;
    copy_packet(to, packet_at(p, reservation, 0), size);
    commit(p, reservation, READ);
    return 0;
}

int __write_pipe_2(pipe_p p, const generic void *from, uint size, uint align)
{
    ulong reservation = size == p->packet_bytes ? reserve(p, 1, WRITE) : 0;
    if (!reservation)
        return -1;
    copy_packet(packet_at(p, reservation, 0), from, size);
    commit(p, reservation, WRITE);
    return 0;
}

/* The first work-item reserves and commits for all: when all have come to the commit, their packets are copied. */
#define RESERVATIONS(name, ACCESS)                                                                                                         \
    ulong __reserve_##name##_pipe(pipe_p p, uint count, uint size, uint align)                                                          \
    {                                                                                                                                      \
        return reserve(p, count, ACCESS);                                                                                               \
    }                                                                                                                                      \
    void __commit_##name##_pipe(pipe_p p, ulong reservation, uint size, uint align)                                                     \
    {                                                                                                                                      \
        commit(p, reservation, ACCESS);                                                                                                 \
    }                                                                                                                                      \
    ulong MEETS __work_group_reserve_##name##_pipe(pipe_p p, uint count, uint size, uint align)                                         \
    {                                                                                                                                      \
        return work_group_broadcast(__tsr_linear_id() == 0 ? reserve(p, count, ACCESS) : 0, 0);                                         \
    }                                                                                                                                      \
    void MEETS __work_group_commit_##name##_pipe(pipe_p p, ulong reservation, uint size, uint align)                                    \
    {                                                                                                                                      \
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);                                                                                          \
        if (__tsr_linear_id() == 0)                                                                                                        \
            commit(p, reservation, ACCESS);                                                                                             \
    }                                                                                                                                      \
    ulong MEETS __sub_group_reserve_##name##_pipe(pipe_p p, uint count, uint size, uint align)                                          \
    {                                                                                                                                      \
        return sub_group_broadcast(__tsr_lane() == 0 ? reserve(p, count, ACCESS) : 0, 0);                                               \
    }                                                                                                                                      \
    void MEETS __sub_group_commit_##name##_pipe(pipe_p p, ulong reservation, uint size, uint align)                                     \
    {                                                                                                                                      \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);                                                                                           \
        if (__tsr_lane() == 0)                                                                                                             \
            commit(p, reservation, ACCESS);                                                                                             \
    }
RESERVATIONS(read, READ)
RESERVATIONS(write, WRITE)

#define QUESTIONS(access)                                                                                                                  \
    uint __get_pipe_num_packets_##access(pipe_p p, uint size, uint align)                                                               \
    {                                                                                                                                      \
        return __atomic_load_n(&p->waiting, __ATOMIC_ACQUIRE);                                                                          \
    }                                                                                                                                      \
    uint __get_pipe_max_packets_##access(pipe_p p, uint size, uint align)                                                               \
    {                                                                                                                                      \
        return p->max_packets;                                                                                                          \
    }
QUESTIONS(ro)
QUESTIONS(wo)

/* reserve_id_t is a number in programs (clc/service/plain_types.c), so the overload is made under its mangled name. */
bool is_valid(ulong reservation) __asm__("_Z19is_valid_reserve_id13ocl_reserveid");
bool is_valid(ulong reservation)
{
    return reservation != 0;
}
