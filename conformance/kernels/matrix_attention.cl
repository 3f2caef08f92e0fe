// SPDX-License-Identifier: Apache-2.0
// kernel: attention
// global: 48
// local: 16
// buffer: ushort 1536 = 16256 + (i*7/5%2)*128
// edge-buffer: ushort 6144 = 16256 + (i*3/7%2)*128
// edge-buffer: ushort 6144 = 16256 + (i*5/11%2)*128
// buffer: int 1536 = 0
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D M=4
// options: -cl-std=CL3.0 -D WRITES
// options: -cl-std=CL3.0 -D DEEP=16
// options: -cl-std=CL3.0 -D DEEP=48 -D ROWS_AGAIN
// expect: 3 = 1

/* Products of a few steps in straight code, as attention has them: scores of 32 keys, of which numbers are made that are A of the next
 * products, whose sums are scaled in each round. K lies by columns, V by rows. All numbers are small integers. */
#ifndef M
#define M 8
#endif
#ifndef DEEP
#define DEEP 64
#endif
#define JOIN(x, y) x##y
#define VECTOR(type, n) JOIN(type, n)
enum { KEYS = 96, WIDE = 64 };
typedef VECTOR(short, M) a_part;
typedef VECTOR(float, M) sums;

static float number(ushort x)
{
    return as_float((uint)x << 16);
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void attention(global const ushort *q, global const ushort *k, global const ushort *v, global int *ok)
{
    const int lane = get_sub_group_local_id(), row = get_group_id(0) * 8;
    a_part x[DEEP / 16];
    for (int d = 0; d < DEEP / 16; d++)
        for (int i = 0; i < M; i++)
            ((private short *)&x[d])[i] = q[(row + i) * WIDE + d * 16 + lane];
    sums all[WIDE / 16] = {0};
    for (int j = 0; j < KEYS; j += 32) {
        sums s[2] = {0, 0};
        a_part p[2];
        for (int d = 0; d < DEEP / 16; d++)
            for (int h = 0; h < 2; h++)
                s[h] = intel_sub_group_bf16_bf16_matrix_mad_k16(x[d], as_int8(vload8(0, (global const uint *)(k + (j + h * 16 + lane) * WIDE + d * 16))), s[h]);
#ifdef WRITES
        ok[row * WIDE + lane] = (int)s[0].s0;
#endif
        for (int h = 0; h < 2; h++)
            p[h] = VECTOR(as_short, M)(VECTOR(convert_ushort, M)(VECTOR(as_uint, M)(VECTOR(convert_float, M)(VECTOR(convert_int, M)(s[h]) & 3)) >> 16));
        for (int d = 0; d < WIDE / 16; d++) {
            int8 y[2];
            all[d] = all[d] * (sums)(2);
            for (int h = 0; h < 2; h++) {
                for (int i = 0; i < 8; i++)
                    y[h][i] = as_int((ushort2)(v[(j + h * 16 + 2 * i) * WIDE + d * 16 + lane], v[(j + h * 16 + 2 * i + 1) * WIDE + d * 16 + lane]));
                all[d] = intel_sub_group_bf16_bf16_matrix_mad_k16(p[h], y[h], all[d]);
            }
#ifdef ROWS_AGAIN
            all[d] += intel_sub_group_bf16_bf16_matrix_mad_k16(p[1], y[0], (sums)(0));
#endif
        }
    }
    for (int i = 0; i < 8; i++)
        for (int d = 0; d < WIDE / 16; d++) {
            float wanted = 0;
            for (int j = 0; j < KEYS; j++) {
                float s = 0;
                for (int e = 0; e < DEEP; e++)
                    s += number(q[(row + i) * WIDE + e]) * number(k[j * WIDE + e]);
                wanted = j % 32 ? wanted : 2 * wanted;
                s = (int)s & 3;
                wanted += s * number(v[j * WIDE + d * 16 + lane]);
#ifdef ROWS_AGAIN
                wanted += j % 32 < 16 ? 0 : s * number(v[(j - 16) * WIDE + d * 16 + lane]);
#endif
            }
            ok[(row + i) * WIDE + d * 16 + lane] = i >= M || ((private float *)&all[d])[i] == wanted;
        }
}
