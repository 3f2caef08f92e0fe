// SPDX-License-Identifier: Apache-2.0
// kernel: folds
// global: 150
// local: 75
// local: 64
// local: 24
// needs: cl_khr_subgroup_clustered_reduce
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// needs: cl_khr_fp64
// buffer: int 150 = 0
// expect: 0 = 0
// options: -cl-std=CL3.0 -DW=8 -DT=char -DC=2
// options: -cl-std=CL3.0 -DW=16 -DT=uchar -DC=16
// options: -cl-std=CL3.0 -DW=32 -DT=short -DC=8
// options: -cl-std=CL3.0 -DW=16 -DT=ushort -DC=1
// options: -cl-std=CL3.0 -DW=16 -DT=int -DC=4
// options: -cl-std=CL3.0 -DW=8 -DT=uint -DC=8
// options: -cl-std=CL3.0 -DW=32 -DT=long -DC=32
// options: -cl-std=CL3.0 -DW=8 -DT=ulong -DC=2
// options: -cl-std=CL3.0 -DW=16 -DT=half -DFLOAT -DC=4
// options: -cl-std=CL3.0 -DW=32 -DT=float -DFLOAT -DC=16
// options: -cl-std=CL3.0 -DW=8 -DT=double -DFLOAT -DC=8
// options: -cl-std=CL3.0 -DW=8 -DT=uint -DC=8 -DPAIR
// options: -cl-std=CL3.0 -DW=8 -DT=float -DFLOAT -DC=4 -DPAIR
// options: -cl-std=CL3.0 -DW=8 -DT=short -DC=2 -DPAIR

/* Reductions and scans of every kind against loops, in full sub-groups, in the rest of the group of 75, and by some of the lanes. What a
 * lane brings is known to all. A bit of the result stands for a function that answered wrong. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* For floats such that no order rounds. */
#ifdef FLOAT
#define VALUE(i, s) (T)((s) % 2 ? (i) % 3 == 0 ? 2 : (i) % 3 == 1 ? 0.5 : -1 : ((i) * 7 + (s)) % 11 - 4)
#else
#define VALUE(i, s) (T)(((i) * 7 + (s)) * 0x9e3779b97f4a7c15ul >> 40)
#endif
#ifdef FLOAT
#define OP_add(a, b) (T)((a) + (b))
#define OP_mul(a, b) (T)((a) * (b))
#else /* without a sign, as C does not define what overflows */
#define UNSIGNED(a, op, b) (sizeof(T) == 8 ? (T)((ulong)(a)op(ulong)(b)) : (T)((uint)(a)op(uint)(b)))
#define OP_add(a, b) UNSIGNED(a, +, b)
#define OP_mul(a, b) UNSIGNED(a, *, b)
#endif
#define OP_min(a, b) ((b) < (a) ? (b) : (a))
#define OP_max(a, b) ((a) < (b) ? (b) : (a))
#define OP_and(a, b) (T)((a) & (b))
#define OP_or(a, b) (T)((a) | (b))
#define OP_xor(a, b) (T)((a) ^ (b))

/* What a fold may start from that x takes part in. */
#define START_add(x) (T)0
#define START_mul(x) (T)1
#define START_min(x) (x)
#define START_max(x) (x)
#define START_and(x) (x)
#define START_or(x) (x)
#define START_xor(x) (T)0

/* The neutral element x leaves every value as it is. */
#define NEUTRAL(OP, x) (OP_##OP((x), VALUE(0, 4)) == VALUE(0, 4) && OP_##OP((x), VALUE(5, 6)) == VALUE(5, 6))
#define WRONG(bit, condition) wrong |= (condition) ? 0 : 1 << (bit)
#define CHECK(OP, SEED, F, bit)                                                                                                            \
    {                                                                                                                                      \
        T x = VALUE(l, SEED), e = F##_scan_exclusive_##OP(x), first = VALUE((int)popcount((lanes & -lanes) - 1), SEED);                    \
        T all = START_##OP(x), up_to = START_##OP(x), below = START_##OP(first), near = START_##OP(x);                                     \
        for (int i = 0; i < n; i++) {                                                                                                      \
            if (!(lanes >> i & 1))                                                                                                         \
                continue;                                                                                                                  \
            T v = VALUE(i, SEED);                                                                                                          \
            all = OP_##OP(all, v);                                                                                                         \
            up_to = i <= l ? OP_##OP(up_to, v) : up_to;                                                                                    \
            below = i < l ? OP_##OP(below, v) : below;                                                                                     \
            near = i / C == l / C ? OP_##OP(near, v) : near;                                                                               \
        }                                                                                                                                  \
        WRONG(bit, F##_reduce_##OP(x) == all && F##_scan_inclusive_##OP(x) == up_to);                                                      \
        WRONG(bit, lanes & ((1u << l) - 1) ? e == below : NEUTRAL(OP, e));                                                                 \
        WRONG(bit, sub_group_clustered_reduce_##OP(x, C) == near);                                                                         \
    }

int non_uniform(uint lanes, int l, int n)
{
    int wrong = 0;
    CHECK(add, 2, sub_group_non_uniform, 3)
    CHECK(mul, 1, sub_group_non_uniform, 4)
    CHECK(min, 4, sub_group_non_uniform, 5)
    CHECK(max, 6, sub_group_non_uniform, 6)
#ifndef FLOAT
    CHECK(and, 8, sub_group_non_uniform, 7)
    CHECK(or, 10, sub_group_non_uniform, 8)
    CHECK(xor, 12, sub_group_non_uniform, 9)
#endif
    return wrong;
}

/* With PAIR, packets are of two sub-groups. */
#ifdef PAIR
#define START intel_sub_group_i8_i8_split_matrix_mad_k32(0, (int8)0, (int2)0).x
#else
#define START 0
#endif

__attribute__((intel_reqd_sub_group_size(W))) kernel void folds(global int *result)
{
    int l = (int)get_sub_group_local_id(), n = (int)get_sub_group_size(), wrong = START;
    uint lanes = ~0u >> (32 - n);
    CHECK(add, 2, sub_group, 0)
    CHECK(min, 4, sub_group, 1)
    CHECK(max, 6, sub_group, 2)
    for (int i = 0; i < 4; i++) {
        uint those = lanes & (i == 0 ? ~0u : i == 1 ? 0x92492492u : i == 2 ? 0x60u : 0xfe000081u);
        if (those >> l & 1)
            wrong |= non_uniform(those, l, n) << (i ? 7 : 0);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE); /* no round catches up with another */
    }
    result[get_global_id(0)] = wrong;
}
