// SPDX-License-Identifier: Apache-2.0
// kernel: swizzled_vectors
// global: 203
// options: -cl-std=CL3.0 -DT=uchar -DU=uchar -DN=8
// options: -cl-std=CL3.0 -DT=char -DU=uchar -DN=8
// options: -cl-std=CL3.0 -DT=uchar -DU=uchar -DN=4
// options: -cl-std=CL3.0 -DT=uchar -DU=uchar -DN=16
// options: -cl-std=CL3.0 -DT=short -DU=ushort -DN=4
// options: -cl-std=CL3.0 -DT=ushort -DU=ushort -DN=8
// options: -cl-std=CL3.0 -DT=half -DU=ushort -DN=4
// options: -cl-std=CL3.0 -DT=half -DU=ushort -DN=8
// options: -cl-std=CL3.0 -DT=int -DU=uint -DN=4
// options: -cl-std=CL3.0 -DT=int -DU=uint -DN=8
// options: -cl-std=CL3.0 -DT=uint -DU=uint -DN=16
// options: -cl-std=CL3.0 -DT=float -DU=uint -DN=4
// options: -cl-std=CL3.0 -DT=float -DU=uint -DN=8
// options: -cl-std=CL3.0 -DT=double -DU=ulong -DN=4
// options: -cl-std=CL3.0 -DT=long -DU=ulong -DN=8
// buffer: uint 3264 = (i*40503^(i<<7))&1073692671
// buffer: uint 6496 = 0
// buffer: int 203 = 0
// expect: 2 = 1

/* Vectors whose components change places, are computed with each other, are all that is written of them, or are chosen by numbers, as vectors and component by component: numbers
 * that are volatile are accessed one by one. Their bits are finite numbers of every type. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
#define JOIN(x, y) x##y
#define NAME(x, y) JOIN(x, y)
#define V NAME(T, N)
#define REVERSED NAME(REVERSED_, N)
#define REVERSED_4 s3210
#define REVERSED_8 s76543210
#define REVERSED_16 sfedcba9876543210
#define NEIGHBOURS NAME(NEIGHBOURS_, N)
#define NEIGHBOURS_4 s1032
#define NEIGHBOURS_8 s10325476
#define NEIGHBOURS_16 s1032547698badcfe

kernel void swizzled_vectors(global const uint *in, global uint *out, global int *good)
{
    int i = get_global_id(0);
    global const V *from = (global const V *)in + i;
    global V *to = (global V *)out + 2 * i;
    V x = from[0], y = from[1], z = x;
    z.even = x.odd * x.even;
    z.s3 = y.s2 * y.s2;
    to[0] = x.REVERSED + y.NEIGHBOURS;
    to[1] = z;

    volatile global const T *a = (volatile global const T *)in + i * N, *b = (volatile global const T *)out + 2 * i * N;
    int all = 1;
    for (int k = 0; k < N; k++) {
        T sum = a[N - 1 - k] + a[N + (k ^ 1)], own = k == 3 ? a[N + 2] * a[N + 2] : k & 1 ? a[k] : a[k] * a[k + 1];
        all &= b[k] == sum && b[N + k] == own;
    }
    /* Of a vector that is read from two, one component is left out. */
    V w = (V)(x.lo, y.hi);
    w.s1 = 0;
    to[0] = w;
    for (int k = 0; k < N; k++)
        all &= b[k] == (k == 1 ? (T)0 : a[k < N / 2 ? k : N + k]);
    /* Components that numbers choose, of one and of two vectors. */
    NAME(U, N) numbers = ((global const NAME(U, N) *)in)[i + 1];
    volatile global const U *c = (volatile global const U *)in + (i + 1) * N;
    to[0] = shuffle(x, numbers);
    to[1] = shuffle2(x, y, numbers);
    for (int k = 0; k < N; k++)
        all &= b[k] == a[c[k] & (N - 1)] && b[N + k] == a[c[k] & (2 * N - 1)];
    good[i] = all;
}
