// SPDX-License-Identifier: Apache-2.0
// kernel: column_sums
// global: 32 12
// local: 16 1
// edge-buffer: uchar 12288 = i*5+i/64*3
// edge-buffer: char 8192 = i*7+i/32
// buffer: int 3072 = 0
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D BLOCKS=2
// options: -cl-std=CL3.0 -D BLOCKS=3
// options: -cl-std=CL3.0 -D TWO
// options: -cl-std=CL3.0 -D B=uchar
// options: -cl-std=CL3.0 -D BEGIN=lane
// options: -cl-std=CL3.0 -D LOOKS
// options: -cl-std=CL3.0 -D HALF_OF_B
// options: -cl-std=CL3.0 -D TWICE
// expect: 2 = 1

/* Sums of the columns of B in the loop over K, for a zero point of A. BEGIN: they begin with other numbers; LOOKS: each round looks at them;
 * HALF_OF_B and TWICE: it is not the columns that are summed. TWO products in a round. */
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef B
#define B char
#endif
#ifndef BEGIN
#define BEGIN 0
#endif
#define JOIN(x, y) x##y
#define VECTOR(type, n) JOIN(type, n)
#ifdef TWO
enum { STEP = 64 };
#else
enum { STEP = 32 };
#endif
enum { DEEP = 256, COLUMNS = 32, HIGH = 96 };
int8 __attribute__((overloadable)) product(ushort8 x, char4 kind, int8 y, int8 s)
{
    return intel_sub_group_u8_i8_matrix_mad_k32(x, y, s);
}
int8 __attribute__((overloadable)) product(ushort8 x, uchar4 kind, int8 y, int8 s)
{
    return intel_sub_group_u8_u8_matrix_mad_k32(x, as_uint8(y), s);
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void column_sums(global const uchar *a, global const B *b, global int *ok)
{
    const int lane = get_sub_group_local_id(), row = get_group_id(1) * 8 * BLOCKS % (HIGH / (8 * BLOCKS) * 8 * BLOCKS), column = get_group_id(0) * 16 + lane;
    int8 s[BLOCKS];
    int sums = BEGIN, looks = 0;
    for (int i = 0; i < BLOCKS; i++)
        s[i] = 0;
    for (int k = 0; k < DEEP / 2; k += STEP)
        for (int h = 0; h < STEP; h += 32) {
            int8 y;
            for (int i = 0; i < 8; i++) {
                y[i] = ((global const int *)b)[((k + h) / 4 + i) * COLUMNS + column];
                const VECTOR(B, 4) v = VECTOR(as_, VECTOR(B, 4))(y[i]);
#ifdef HALF_OF_B
                if (i < 4)
#endif
                    sums += v.x + v.y + v.z + v.w;
#ifdef TWICE
                sums += i == 3 ? v.x + v.y + v.z + v.w : 0;
#endif
            }
#ifdef LOOKS
            looks ^= sums;
#endif
            for (int t = 0; t < BLOCKS; t++) {
                ushort8 x;
                for (int i = 0; i < 8; i++)
                    x[i] = ((global const ushort *)a)[(row + t * 8 + i) * (DEEP / 4) + (k + h) / 2 + lane];
                s[t] = product(x, (VECTOR(B, 4))(0), y, s[t]);
            }
        }
    int all = BEGIN, seen = 0;
    for (int k = 0; k < DEEP / 2; k++) {
        const int v = b[(k / 4 * COLUMNS + column) * 4 + k % 4];
#ifdef HALF_OF_B
        all += k % 32 < 16 ? v : 0;
#else
        all += v;
#endif
#ifdef TWICE
        all += k % 32 / 4 == 3 ? v : 0;
#endif
#ifdef LOOKS
        seen ^= k % 32 == 31 ? all : 0;
#endif
    }
    for (int t = 0; t < BLOCKS; t++)
        for (int i = 0; i < 8; i++) {
            int wanted = -3 * all;
            for (int k = 0; k < DEEP / 2; k++)
                wanted += a[(row + t * 8 + i) * (DEEP / 2) + k] * b[(k / 4 * COLUMNS + column) * 4 + k % 4];
            ok[(row + t * 8 + i) * COLUMNS + column] = s[t][i] - 3 * sums == wanted && looks == seen;
        }
}
