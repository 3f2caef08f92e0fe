// SPDX-License-Identifier: Apache-2.0
// kernel: collectives
// global: 30 4
// local: 15 2
// needs: __opencl_c_work_group_collective_functions
// needs: cl_khr_fp64
// buffer: int 120 = 0
// expect: 0 = 1

/* Groups of 30 work-items, which no sub-group size divides. */
kernel void collectives(global int *ok)
{
    int l = (int)get_local_linear_id(), n = 30;
    int good = work_group_reduce_add(l) == n * (n - 1) / 2;
    good &= work_group_scan_inclusive_add(l) == l * (l + 1) / 2;
    good &= work_group_scan_exclusive_add(l) == l * (l - 1) / 2;
    good &= work_group_reduce_min(l - 5) == -5 && work_group_reduce_max((long)l << 40) == 29L << 40;
    good &= work_group_scan_exclusive_max((uint)l) == (l ? l - 1 : 0) && work_group_scan_inclusive_min(100 - l) == 100 - l;
    good &= work_group_broadcast(l, 7, 1) == 22 && work_group_broadcast((double)l, 14, 0) == 14;
    good &= work_group_all(1) && !work_group_all(l != 17) && work_group_any(l == 29) && !work_group_any(0);
    good &= work_group_reduce_add(0.5f) == 15 && work_group_scan_exclusive_min(1.0f) == (l ? 1.0f : INFINITY);
    ok[get_global_linear_id()] = good;
}
