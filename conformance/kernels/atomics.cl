// SPDX-License-Identifier: Apache-2.0
// kernel: counts
// global: 256
// local: 64
// buffer: int 8 = 0 0 1000 0 0 0 0 7
// buffer: long 2 = 0
// buffer: int 256 = 0
// expect: 0 = 256 32640 0 255 0xff 256 256 7
// expect: 1 = 32640 256
// expect: 2 = 1

/* Both generations of atomics, on global and local memory, 32 and 64 bits. */
kernel void counts(global int *r, global long *wide, global int *ok)
{
    local atomic_int shared;
    local int old;
    int id = (int)get_global_id(0);
    if (get_local_id(0) == 0) {
        atomic_init(&shared, 0);
        old = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&shared, 1);
    atomic_inc(&old);
    atomic_inc(&r[0]);
    atomic_add(&r[1], id);
    atomic_min(&r[2], id);
    atomic_max(&r[3], id);
    atomic_fetch_or_explicit((volatile global atomic_int *)&r[4], id, memory_order_relaxed, memory_scope_device);
    volatile global atomic_int *counter = (volatile global atomic_int *)&r[5];
    int expected = atomic_load_explicit(counter, memory_order_acquire);
    while (!atomic_compare_exchange_strong(counter, &expected, expected + 1))
        ;
    int seen = r[6];
    for (int found; (found = atomic_cmpxchg(&r[6], seen, seen + 1)) != seen;)
        seen = found;
    atom_add(&wide[0], (long)id);
    atomic_fetch_add((volatile global atomic_long *)&wide[1], 1L);
    barrier(CLK_LOCAL_MEM_FENCE);
    ok[id] = atomic_load(&shared) == 64 && atomic_xchg(&r[7], 7) == 7 && old == 64;
}
