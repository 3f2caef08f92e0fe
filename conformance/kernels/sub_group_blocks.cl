// SPDX-License-Identifier: Apache-2.0
// kernel: blocks
// global: 128
// local: 64
// needs: cl_intel_subgroup_local_block_io
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// options: -cl-std=CL3.0 -DW=8 -DT=uchar -DF=_uc -DWIDE
// options: -cl-std=CL3.0 -DW=16 -DT=uchar -DF=_uc -DWIDE
// options: -cl-std=CL3.0 -DW=32 -DT=uchar -DF=_uc -DWIDE
// options: -cl-std=CL3.0 -DW=8 -DT=ushort -DF=_us -DWIDE
// options: -cl-std=CL3.0 -DW=16 -DT=ushort -DF=_us -DWIDE
// options: -cl-std=CL3.0 -DW=32 -DT=ushort -DF=_us -DWIDE
// options: -cl-std=CL3.0 -DW=8 -DT=uint -DF=_ui
// options: -cl-std=CL3.0 -DW=16 -DT=uint -DF=_ui
// options: -cl-std=CL3.0 -DW=32 -DT=uint -DF=_ui
// options: -cl-std=CL3.0 -DW=8 -DT=uint -DF=
// options: -cl-std=CL3.0 -DW=16 -DT=uint -DF=
// options: -cl-std=CL3.0 -DW=32 -DT=uint -DF=
// options: -cl-std=CL3.0 -DW=8 -DT=ulong -DF=_ul
// options: -cl-std=CL3.0 -DW=16 -DT=ulong -DF=_ul
// options: -cl-std=CL3.0 -DW=32 -DT=ulong -DF=_ul
// options: -cl-std=CL3.0 -DW=8 -DT=uint -DF=_ui -DPAIR
// options: -cl-std=CL3.0 -DW=8 -DT=ushort -DF=_us -DWIDE -DPAIR
// buffer: ulong 4096 = i*0x9e3779b97f4a7c15
// buffer: ulong 4096 = 0
// buffer: int 128 = 0
// expect: 2 = 0

/* Block reads and writes of every width, in global and in local memory: row i holds element i of each lane. */
#define CAT3_(a, b, c) a##b##c
#define CAT3(a, b, c) CAT3_(a, b, c)
#define READ(N, p) CAT3(intel_sub_group_block_read, F, N)(p)
#define WRITE(N, p, v) CAT3(intel_sub_group_block_write, F, N)(p, v)
#define CHECK(N, EACH)                                                                                                                     \
    {                                                                                                                                      \
        uint own = s * 16 * W;                                                                                                             \
        CAT3(T, N, ) v = READ(N, in + own), w = READ(N, copy + s % SUB_GROUPS * 16 * W);                                                   \
        EACH(SAME)                                                                                                                         \
        WRITE(N, out + own, v + (T)1);                                                                                                     \
        WRITE(N, there + s % SUB_GROUPS * 16 * W, v + (T)2);                                                                               \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                                     \
        EACH(WRITTEN)                                                                                                                      \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                                     \
    }
#define SAME(i, vi, wi) wrong |= vi != in[own + i * W + l] || wi != vi;
#define WRITTEN(i, vi, wi)                                                                                                                 \
    wrong |= out[own + i * W + l] != (T)(in[own + i * W + l] + 1) ||                                                           \
             there[s % SUB_GROUPS * 16 * W + i * W + l] != (T)(in[own + i * W + l] + 2);
#define EACH_1(M) M(0, v, w)
#define EACH_2(M) M(0, v.s0, w.s0) M(1, v.s1, w.s1)
#define EACH_4(M) EACH_2(M) M(2, v.s2, w.s2) M(3, v.s3, w.s3)
#define EACH_8(M) EACH_4(M) M(4, v.s4, w.s4) M(5, v.s5, w.s5) M(6, v.s6, w.s6) M(7, v.s7, w.s7)
#define EACH_16(M)                                                                                                                         \
    EACH_8(M) M(8, v.s8, w.s8) M(9, v.s9, w.s9) M(10, v.sa, w.sa) M(11, v.sb, w.sb)                                                        \
    M(12, v.sc, w.sc) M(13, v.sd, w.sd) M(14, v.se, w.se) M(15, v.sf, w.sf)
#define SUB_GROUPS (64 / W)

/* With PAIR, packets are of two sub-groups. */
#ifdef PAIR
#define START intel_sub_group_i8_i8_split_matrix_mad_k32(0, (int8)0, (int2)0).x
#else
#define START 0
#endif

__attribute__((intel_reqd_sub_group_size(W))) kernel void blocks(global T *in, global T *out, global int *result)
{
    local T copy[1024] __attribute__((aligned(16))), there[1024] __attribute__((aligned(16)));
    uint l = get_sub_group_local_id(), s = (uint)get_group_id(0) * SUB_GROUPS + get_sub_group_id();
    int wrong = START;
    for (uint i = (uint)get_local_id(0); i < 1024; i += 64) {
        copy[i] = in[get_group_id(0) * 1024 + i];
        there[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CHECK(, EACH_1)
    CHECK(2, EACH_2)
    CHECK(4, EACH_4)
    CHECK(8, EACH_8)
#ifdef WIDE
    CHECK(16, EACH_16)
#endif
    /* A pointer that a work-item's number takes part in, and which is the same for all. */
    global const T *p = in + (get_global_id(0) - l);
    wrong |= READ(, p) != in[get_global_id(0)];
    result[get_global_id(0)] = wrong;
}
