// SPDX-License-Identifier: Apache-2.0
// kernel: moves
// global: 150
// local: 75
// local: 64
// needs: cl_intel_subgroups_char
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// needs: cl_khr_fp64
// needs: cl_khr_subgroup_rotate
// buffer: int 150 = 0
// expect: 0 = 0
// options: -cl-std=CL3.0 -DW=8 -DT=char
// options: -cl-std=CL3.0 -DW=32 -DT=uchar
// options: -cl-std=CL3.0 -DW=16 -DT=short
// options: -cl-std=CL3.0 -DW=32 -DT=ushort
// options: -cl-std=CL3.0 -DW=16 -DT=int
// options: -cl-std=CL3.0 -DW=32 -DT=uint
// options: -cl-std=CL3.0 -DW=16 -DT=long
// options: -cl-std=CL3.0 -DW=32 -DT=ulong
// options: -cl-std=CL3.0 -DW=16 -DT=half -DFLOAT
// options: -cl-std=CL3.0 -DW=8 -DT=float -DFLOAT
// options: -cl-std=CL3.0 -DW=8 -DT=double -DFLOAT
// options: -cl-std=CL3.0 -DW=8 -DT=int -DPAIR
// options: -cl-std=CL3.0 -DW=8 -DT=char -DPAIR
// options: -cl-std=CL3.0 -DW=8 -DT=double -DFLOAT -DPAIR

/* Values of other lanes by constant, uniform and varying numbers, in full sub-groups, in the rest of the group of 75, and by some of the
 * lanes. A bit of the result stands for a function that answered wrong. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define VALUE(i) (T)((i) * 3 - 20)
#define VECTOR(i) (VEC)(VALUE(i), VALUE((i) + 100), VALUE((i) + 50), (T)(i))
#define CAT_(T, N) T##N
#define CAT(T, N) CAT_(T, N)
#define VEC CAT(T, 4)
#define WRONG(bit, condition) wrong |= (condition) ? 0 : 1 << (bit)
#define THERE(i) ((uint)(i) < (uint)n && lanes >> (i) & 1)

int moves_by(uint lanes, int l, int n, int u)
{
    int wrong = 0, p = (l * 5 + u) % W, first = (int)popcount((lanes & -lanes) - 1);
    T x = VALUE(l), y;
    y = sub_group_shuffle(x, (uint)p);
    WRONG(0, !THERE(p) || y == VALUE(p));
    y = sub_group_shuffle(x, (uint)u);
    WRONG(0, !THERE(u) || y == VALUE(u));
    y = sub_group_shuffle_xor(x, 5u);
    WRONG(1, !THERE(l ^ 5) || y == VALUE(l ^ 5));
    y = sub_group_shuffle_xor(x, (uint)u);
    WRONG(1, !THERE(l ^ u) || y == VALUE(l ^ u));
    y = sub_group_shuffle_up(x, 3u);
    WRONG(2, !THERE(l - 3) || y == VALUE(l - 3));
    y = sub_group_shuffle_up(x, (uint)u);
    WRONG(2, !THERE(l - u) || y == VALUE(l - u));
    y = sub_group_shuffle_down(x, 1u);
    WRONG(3, !THERE(l + 1) || y == VALUE(l + 1));
    y = sub_group_shuffle_down(x, (uint)u);
    WRONG(3, !THERE(l + u) || y == VALUE(l + u));
    y = sub_group_rotate(x, 3);
    WRONG(4, !THERE((l + 3) % W) || y == VALUE((l + 3) % W));
    y = sub_group_rotate(x, u);
    WRONG(4, !THERE((l + u) % W) || y == VALUE((l + u) % W));
    y = sub_group_clustered_rotate(x, u, 4);
    p = l / 4 * 4 + (l + u) % 4;
    WRONG(5, !THERE(p) || y == VALUE(p));
    WRONG(6, sub_group_broadcast_first(x) == VALUE(first));
    WRONG(7, sub_group_non_uniform_broadcast(x, (uint)first) == VALUE(first));
    WRONG(7, all(sub_group_non_uniform_broadcast(VECTOR(l), (uint)first) == VECTOR(first)));
    WRONG(8, sub_group_non_uniform_all_equal((T)u) && sub_group_non_uniform_all_equal(x) == (popcount(lanes) == 1));
    y = intel_sub_group_shuffle(x, (uint)p);
    WRONG(9, !THERE(p) || y == VALUE(p));
    y = intel_sub_group_shuffle_xor(x, 2u);
    WRONG(10, !THERE(l ^ 2) || y == VALUE(l ^ 2));
    y = intel_sub_group_shuffle_down(x, (T)(x + 1), (uint)u);
    WRONG(11, !THERE((l + u) % W) || y == (l + u < W ? VALUE(l + u) : (T)(VALUE(l + u - W) + 1)));
    y = intel_sub_group_shuffle_up((T)(x + 1), x, 3u);
    WRONG(12, !THERE((l + W - 3) % W) || y == (l >= 3 ? VALUE(l - 3) : (T)(VALUE(l + W - 3) + 1)));
    return wrong;
}

/* With PAIR, packets are of two sub-groups. */
#ifdef PAIR
#define START intel_sub_group_i8_i8_split_matrix_mad_k32(0, (int8)0, (int2)0).x
#else
#define START 0
#endif

__attribute__((intel_reqd_sub_group_size(W))) kernel void moves(global int *result)
{
    int l = (int)get_sub_group_local_id(), n = (int)get_sub_group_size(), u = (int)get_group_id(0) * 2 + 3;
    uint lanes = ~0u >> (32 - n);
    int wrong = START;
    for (int i = 0; i < 3; i++) {
        uint those = lanes & (i == 0 ? ~0u : i == 1 ? 0x92492492u : 0x60u);
        if (those >> l & 1)
            wrong |= moves_by(those, l, n, u) << (i ? 15 : 0);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE); /* no round catches up with another */
    }
    WRONG(13, sub_group_broadcast(VALUE(l), 2u) == VALUE(2) && sub_group_broadcast(VALUE(l), (uint)(n - 1)) == VALUE(n - 1));
    WRONG(14, all(sub_group_broadcast(VECTOR(l), (uint)(u % n)) == VECTOR(u % n)));
    result[get_global_id(0)] = wrong;
}
