// SPDX-License-Identifier: Apache-2.0
// kernel: many
// global: 128
// local: 64
// buffer: int 128 = 0
// buffer: int 128 = 0
// buffer: int 2 = 0
// expect: 0 = 80
// expect: 1 = (((i & 63)*55 & 63)%3 != 0)*80
// expect: 2 = 202240

#define TIMES_4(code) code code code code
#define TIMES_80(code) TIMES_4(TIMES_4(code code code code code))

// So many atomic updates that none has a copy for each lane: of lanes that are all there, and of some. In each step every lane has a place of
// its own; each place gives the numbers from 0 to 79 in some order of the lanes.
kernel void many(global int *all, global int *some, global int *sums)
{
    local int a[64], b[64], sum;
    int i = get_local_id(0), place = i, seen = 0;
    a[i] = b[i] = 0;
    if (i == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    TIMES_80(place = place * 5 + 1 & 63; seen += atomic_add(&a[place], 1); if (i % 3) atomic_inc(&b[i * 7 & 63]);)
    atomic_add(&sum, seen);
    barrier(CLK_LOCAL_MEM_FENCE);
    all[get_global_id(0)] = a[i];
    some[get_global_id(0)] = b[i];
    if (i == 0)
        sums[get_group_id(0)] = sum;
}
