// SPDX-License-Identifier: Apache-2.0
// kernel: sums
// global: 77
// local: 77
// local: 7
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D CASE=1
// options: -cl-std=CL3.0 -D CASE=2
// options: -cl-std=CL3.0 -D CASE=3
// options: -cl-std=CL3.0 -D CASE=4
// options: -cl-std=CL3.0 -D CASE=5
// options: -cl-std=CL3.0 -D CASE=6
// options: -cl-std=CL3.0 -D CASE=7
// edge-buffer: int 924 = i*7+3
// edge-buffer: int 924 = i*7+3
// edge-buffer: int 16 = i*i+1
// edge-buffer: int 77 = 0
// expect: 3 = 1

/* A number in memory that each round of a loop reads and writes, while other accesses of the loop may meet it, or may not: the same as with
 * volatile memory, in which every access is made. */
#ifndef CASE
#define CASE 0
#endif

typedef struct {
    int a, b, c[10];
} record;

#define LOOP(name, memory, other)                                                                                                          \
    void name(global memory *row, global const int *in, local memory *mine, int rounds)                                                    \
    {                                                                                                                                      \
        for (int k = 0; k < rounds; k++) {                                                                                                 \
            other                                                                                                                          \
        }                                                                                                                                  \
    }
#if CASE == 0 /* nothing meets it, or so it seems */
#define OTHER row[2] += in[k] * 3;
#elif CASE == 1 /* what is added is in the same row, the sum among it */
#define OTHER row[2] = row[2] * 3 + row[k];
#elif CASE == 2 /* another store may change it */
#define OTHER row[2] += in[k], row[k] ^= 5;
#elif CASE == 3 /* it is read again, and in part */
#define OTHER row[2] += in[k], row[3] = row[2] + ((global const uchar *)row)[9] + ((global const uchar *)row)[8];
#elif CASE == 4 /* it is written in part */
#define OTHER row[2] += in[k], ((global uchar *)row)[9] += 3;
#elif CASE == 5 /* local memory */
#define OTHER mine[0] += row[k], row[3] += mine[0];
#elif CASE == 6 /* a way on which it is not written */
#define OTHER if (in[k] & 2) continue; row[2] += in[k]; if (row[2] & 64) break;
#else /* fields */
#define OTHER ((global record *)row)->a += in[k], ((global record *)row)->b += ((global record *)row)->a, ((global record *)row)->c[k % 10] += 1;
#endif

LOOP(plain, int, OTHER)
#define int volatile int
#define record volatile record
LOOP(slow, int, OTHER)
#undef int
#undef record

kernel void sums(global int *x, global int *y, global const int *in, global int *ok)
{
    local int a[77], b[77];
    int i = get_global_id(0), l = get_local_id(0), rounds = i * 5 % 12;
    a[l] = b[l] = i;
    plain(x + i * 12, in, a + l, rounds);
    slow(y + i * 12, in, b + l, rounds);
    int good = a[l] == b[l];
    for (int k = 0; k < 12; k++)
        good &= x[i * 12 + k] == y[i * 12 + k];
    ok[i] = good;
}
