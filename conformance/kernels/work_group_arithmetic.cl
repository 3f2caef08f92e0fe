// SPDX-License-Identifier: Apache-2.0
// kernel: folds
// global: 15 10
// local: 15 5
// needs: cl_khr_fp64
// needs: cl_khr_work_group_uniform_arithmetic
// options: -cl-std=CL3.0 -DW=8 -DT=int
// options: -cl-std=CL3.0 -DW=16 -DT=uint
// options: -cl-std=CL3.0 -DW=32 -DT=long
// options: -cl-std=CL3.0 -DW=8 -DT=ulong
// options: -cl-std=CL3.0 -DW=16 -DT=half -DFLOAT
// options: -cl-std=CL3.0 -DW=8 -DT=float -DFLOAT
// options: -cl-std=CL3.0 -DW=32 -DT=float -DFLOAT
// options: -cl-std=CL3.0 -DW=16 -DT=double -DFLOAT
// buffer: int 150 = 0
// expect: 0 = 0

/* Reductions, scans and broadcasts of the work-group against loops: 75 work-items, so the last sub-group is not full. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* For floats such that no order rounds. */
#ifdef FLOAT
#define VALUE(i, s) (T)((s) % 2 ? (i) % 3 == 0 ? 2 : (i) % 3 == 1 ? 0.5 : -1 : ((i) * 7 + (s)) % 11 - 4)
#else
#define VALUE(i, s) (T)(((i) * 7 + (s)) * 0x9e3779b97f4a7c15ul >> 20)
#endif
#define OP_add(a, b) (T)((a) + (b))
#define OP_mul(a, b) (T)((a) * (b))
#define OP_min(a, b) ((b) < (a) ? (b) : (a))
#define OP_max(a, b) ((a) < (b) ? (b) : (a))
#define OP_and(a, b) (T)((a) & (b))
#define OP_or(a, b) (T)((a) | (b))
#define OP_xor(a, b) (T)((a) ^ (b))
#define NEUTRAL(OP, x) (OP_##OP((x), VALUE(0, 4)) == VALUE(0, 4) && OP_##OP((x), VALUE(5, 6)) == VALUE(5, 6))
#define WRONG(bit, condition) wrong |= (condition) ? 0 : 1 << (bit)
#define CHECK(OP, SEED, bit)                                                                                                               \
    {                                                                                                                                      \
        T x = VALUE(l, SEED), all = VALUE(0, SEED), before = all, e = work_group_scan_exclusive_##OP(x);                                   \
        for (int i = 1; i < n; i++) {                                                                                                      \
            before = i == l ? all : before;                                                                                                \
            all = OP_##OP(all, VALUE(i, SEED));                                                                                            \
        }                                                                                                                                  \
        WRONG(bit, work_group_reduce_##OP(x) == all);                                                                                      \
        WRONG(bit, work_group_scan_inclusive_##OP(x) == (l ? OP_##OP(before, x) : x));                                                     \
        WRONG(bit, l ? e == before : NEUTRAL(OP, e));                                                                                      \
    }

__attribute__((intel_reqd_sub_group_size(W))) kernel void folds(global int *result)
{
    int l = (int)get_local_linear_id(), n = 75, wrong = 0, g = (int)get_group_id(1);
    CHECK(add, 2, 0)
    CHECK(mul, 1, 1)
    CHECK(min, 4, 2)
    CHECK(max, 6, 3)
#ifndef FLOAT
    CHECK(and, 8, 4)
    CHECK(or, 10, 5)
    CHECK(xor, 12, 6)
#endif
    WRONG(7, work_group_broadcast(VALUE(l, 4), 14, 4) == VALUE(74, 4) && work_group_broadcast(VALUE(l, 4), g + 2, 1) == VALUE(g + 17, 4));
    int yes = 0, before = 0, no_before = 0;
    for (int i = 0; i < n; i++) {
        before += i < l && i % 5 == g;
        no_before += i < l && i % 5 != g;
        yes += i % 5 == g;
    }
    int own = l % 5 == g ? 4 : 0;
    WRONG(8, work_group_reduce_logical_or(own) && !work_group_reduce_logical_and(own) && work_group_reduce_logical_xor(own) == yes % 2);
    WRONG(8, work_group_reduce_logical_and(l + 1) && !work_group_reduce_logical_or(l - l));
    WRONG(9, work_group_scan_exclusive_logical_or(own) == (before > 0) && work_group_scan_exclusive_logical_and(own) == !no_before);
    WRONG(9, work_group_scan_exclusive_logical_xor(own) == before % 2);
    before += own != 0;
    no_before += own == 0;
    WRONG(10, work_group_scan_inclusive_logical_or(own) == (before > 0) && work_group_scan_inclusive_logical_and(own) == !no_before);
    WRONG(10, work_group_scan_inclusive_logical_xor(own) == before % 2);
    WRONG(11, work_group_all(l < n) && !work_group_all(l != 70) && work_group_any(l == 70) && !work_group_any(l > n));
    result[get_global_linear_id()] = wrong;
}
