// SPDX-License-Identifier: Apache-2.0
// kernel: one_place
// global: 250
// local: 50
// buffer: int 8 = 0
// buffer: long 2 = 0
// buffer: int 250 = 0
// buffer: int 250 = 0
// expect: 0 = 250 5 1245 0 0 1 500 0
// expect: 1 = 15625 0
// expect: 2 = 1
// expect: 3 = 1

/* Work-items that exchange what is in one place, as if one came after the other. The last sub-group is not full. */
kernel void one_place(global int *r, global long *wide, global int *tickets, global int *ok)
{
    local int next, chain, came[51], taken[50];
    int id = (int)get_global_id(0), l = (int)get_local_id(0), good = 1;
    came[l] = taken[l] = 0;
    if (l == 0)
        next = came[50] = 0, chain = 50;
    barrier(CLK_LOCAL_MEM_FENCE);

    int old = 0, now;
    while ((now = atomic_cmpxchg(&r[0], old, old + 1)) != old)
        old = now;
    atomic_inc(&tickets[old]);
    if (id % 2) {
        long before = 0, found;
        while ((found = atom_cmpxchg(&wide[0], before, before + id)) != before)
            before = found;
    }
    /* One work-item finds the first value, one comparison comes true, none does. */
    atomic_add(&r[2], atomic_xchg(&r[1], 5));
    if (atomic_cmpxchg(&r[4], 0, id % 2 ? 0 : 7) == 0)
        atomic_cmpxchg(&r[4], 7, 0);
    if (atomic_cmpxchg(&r[7], id + 1, 9) != 0)
        good = 0;
    int one = atomic_cmpxchg(&r[5], 0, 1);
    atomic_add(&r[6], one == 0 ? 251 : one);

    /* Every ticket is taken once, every value of the chain comes back once or lies there. */
    old = 0;
    while (!atomic_compare_exchange_weak_explicit((volatile local atomic_int *)&next, &old, old + 1, memory_order_relaxed,
                                                  memory_order_relaxed, memory_scope_work_group))
        ;
    atomic_inc(&taken[old]);
    if (l % 3)
        atomic_inc(&came[atomic_xchg(&chain, l)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    good &= next == 50 && taken[l] == 1 && came[50] == 1 && chain % 3 && came[l] == (l % 3 && l != chain);
    ok[id] = good;
}
