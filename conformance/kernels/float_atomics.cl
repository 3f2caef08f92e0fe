// SPDX-License-Identifier: Apache-2.0
// kernel: updates
// options: -cl-std=CL3.0
// global: 512
// local: 64
// needs: cl_khr_fp64
// buffer: float 4 = 0 0 1000 -1000
// buffer: double 4 = 0 0 1000 -1000
// buffer: ushort 4 = 0 0 25552 58320
// buffer: int 512 = 0
// expect: 0 = 130816 -130816 -3 508
// expect: 1 = 130816 -130816 -3 508
// expect: 2 = 24576 57344 49664 24560
// expect: 3 = 1
// needs: cl_ext_float_atomics

/* Additions that are exact in any order, extremes, and the same in local memory, in each of the three types. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define UPDATE(T, AT, sum, difference, low, high, value, extreme)                                                                          \
    atomic_fetch_add_explicit((volatile AT atomic_##T *)sum, value, memory_order_relaxed, memory_scope_device);                            \
    atomic_fetch_sub_explicit((volatile AT atomic_##T *)difference, value, memory_order_relaxed, memory_scope_device);                     \
    atomic_fetch_min((volatile AT atomic_##T *)low, extreme);                                                                              \
    atomic_fetch_max((volatile AT atomic_##T *)high, extreme);
#define LOCALLY(T, l, value, extreme)                                                                                                      \
    local T l[4];                                                                                                                          \
    if (first) {                                                                                                                           \
        atomic_store((volatile local atomic_##T *)&l[0], (T)0);                                                                            \
        atomic_store((volatile local atomic_##T *)&l[1], (T)0);                                                                            \
        atomic_store((volatile local atomic_##T *)&l[2], (T)1000);                                                                         \
        atomic_store((volatile local atomic_##T *)&l[3], (T)-1000);                                                                        \
    }                                                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                                          \
    UPDATE(T, local, &l[0], &l[1], &l[2], &l[3], value, extreme)                                                                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                                          \
    good = good && l[0] == (T)64 && l[1] == (T)-64 && l[2] == (T)-3 && l[3] == (T)60;

kernel void updates(global float *f, global double *d, global ushort *bits, global int *ok)
{
    int id = (int)get_global_id(0), lane = (int)get_local_id(0);
    bool first = lane == 0, good = true;
    global half *h = (global half *)bits;
    UPDATE(float, global, &f[0], &f[1], &f[2], &f[3], (float)id, (float)(id - 3))
    UPDATE(double, global, &d[0], &d[1], &d[2], &d[3], (double)id, (double)(id - 3))
    UPDATE(half, global, &h[0], &h[1], &h[2], &h[3], (half)1, (half)(id - 3))
    LOCALLY(float, lf, 1.0f, (float)(lane - 3))
    LOCALLY(double, ld, 1.0, (double)(lane - 3))
    LOCALLY(half, lh, (half)1, (half)(lane - 3))
    ok[id] = good;
}
