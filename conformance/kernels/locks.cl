// SPDX-License-Identifier: Apache-2.0
// kernel: locks
// global: 96
// local: 48
// local: 7
// buffer: int 8 = 0
// buffer: int 8 = 0
// expect: 1 = 96 192 288 384 480 96 96 0

/* Work-items that wait for each other: each waits behind a loop for nobody, so that those that are still in it get the lock. A work-group
 * of 7 leaves some out at the end. */
#define LOCKED(lock, write)                                                                                                                \
    write;                                                                                                                                 \
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                                                 \
    lock

kernel void locks(global int *lock, global int *sum)
{
    local int own, tickets[2];
    volatile global int *v = lock;
    if (get_local_id(0) == 0)
        own = tickets[0] = tickets[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    while (atomic_xchg(&v[0], 1))
        ;
    LOCKED(atomic_xchg(&v[0], 0), sum[0] += 1);

    while (atomic_cmpxchg(&v[1], 0, 1) != 0)
        ;
    LOCKED(v[1] = 0, sum[1] += 2);

    for (int k = 0; k < 3; k++)
        for (bool done = false; !done;)
            if (atomic_cmpxchg(&v[2], 0, 1) == 0) {
                LOCKED(atomic_xchg(&v[2], 0), sum[2] += 1);
                done = true;
            }

    int turn = atomic_inc(&v[3]);
    while (atomic_or(&v[4], 0) != turn)
        ;
    LOCKED(atomic_inc(&v[4]), sum[3] += 4);

    for (int none = 0;; none = 0)
        if (atomic_compare_exchange_weak_explicit((volatile global atomic_int *)&v[5], &none, 1, memory_order_acquire, memory_order_relaxed,
                                                  memory_scope_device)) {
            sum[4] += 5;
            atomic_store_explicit((volatile global atomic_int *)&v[5], 0, memory_order_release, memory_scope_device);
            break;
        }

    while (atomic_xchg(&own, 1))
        ;
    LOCKED(atomic_xchg(&own, 0), tickets[0]++);
    turn = atomic_inc(&tickets[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(&sum[5], tickets[0]);
    if (turn == 0)
        atomic_add(&sum[6], tickets[1]);
}
