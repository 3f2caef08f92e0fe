// SPDX-License-Identifier: Apache-2.0
// kernel: one_place
// global: 250
// local: 50
// buffer: int 16 = 0 0 0 0 -1 0 0 1000 -1000 0 0 0 0 0 0 0
// buffer: long 2 = 0
// buffer: int 250 = 0
// expect: 0 = 250 125 -375 255 -256 127 6 -20 60 250 0 0 0 0 0 0
// expect: 1 = 31125 -250
// expect: 2 = 1

/* Work-items that update one place: as if one came after the other, whether or not they look at the old value. The last sub-group is not full. */
kernel void one_place(global int *r, global long *wide, global int *ok)
{
    local int taken[51], next, least;
    int id = (int)get_global_id(0), l = (int)get_local_id(0), good = 1;
    taken[l] = 0;
    if (l == 0) {
        next = 0;
        least = 100;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&r[0]);
    if (l % 2)
        atomic_inc(&r[1]);
    else
        atomic_sub(&r[2], 3);
    atomic_or(&r[3], id);
    atomic_and(&r[4], ~id);
    if (id < 128)
        atomic_xor(&r[5], id == 0 ? 127 : id);
    atomic_xor(&r[6], id % 3 == 0 ? 2 * (id & 1) : id % 3 == 1 && id < 4 ? 6 : 0);
    atomic_min(&r[7], 229 - id);
    atomic_max(&r[8], l % 10 == 3 ? l + 7 : l == 49 ? 60 : -5000);
    atom_add(&wide[0], (long)id);
    atom_dec(&wide[1]);
    /* Every old value comes once. */
    int ticket = atomic_inc(&next);
    atomic_inc(&taken[ticket]);
    int before = atomic_min(&least, 90 - ticket);
    good &= before > 90 - 49 || ticket < 49;
    barrier(CLK_LOCAL_MEM_FENCE);
    good &= next == 50 && taken[l] == 1 && least == 90 - 49;
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Sizes of unlike parts: each part lies in one piece. */
    if (l == 0)
        next = 0;
    taken[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int size = l % 3, first = atomic_add(&next, size);
    for (int i = 0; i < size; i++)
        atomic_inc(&taken[first + i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    good &= next == 49 && (l == 49 || taken[l] == 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    int down = atomic_sub(&next, size);
    good &= down >= size && down <= 49;
    atomic_add(&r[9], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    ok[id] = good && next == 0;
}
