// SPDX-License-Identifier: Apache-2.0
// kernel: clock
// global: 64
// local: 32
// needs: cl_khr_kernel_clock
// buffer: int 64 = 0
// buffer: ulong 6 = 0
// expect: 0 = 1

/* Each read of the clock shows a later time than the one before, whatever its scope; a loop between two reads stays between them. */
kernel void clock(global int *ok, global ulong *last)
{
    size_t i = get_global_id(0);
    ulong t[8];
    t[0] = clock_read_device();
    t[1] = clock_read_work_group();
    t[2] = clock_read_sub_group();
    t[3] = as_ulong(clock_read_hilo_device());
    t[4] = as_ulong(clock_read_hilo_work_group());
    t[5] = as_ulong(clock_read_hilo_sub_group());
    for (int k = 0; k < 100; k++)
        atomic_add((volatile global int *)&last[i % 6], 1);
    t[6] = clock_read_device();
    bool good = t[0] != 0 && t[6] - t[5] > 100;
    for (int k = 0; k < 6; k++)
        good = good && t[k + 1] > t[k];
    if (i & 1) /* where only some work-items are */
        good = good && clock_read_sub_group() > t[6];
    ok[i] = good;
}
