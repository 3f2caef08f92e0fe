// SPDX-License-Identifier: Apache-2.0
// kernel: rows
// global: 77
// local: 77
// local: 7
// options: -cl-std=CL3.0 -D CASE=0
// options: -cl-std=CL3.0 -D CASE=1
// options: -cl-std=CL3.0 -D CASE=2
// options: -cl-std=CL3.0 -D CASE=3
// options: -cl-std=CL3.0 -D CASE=4
// options: -cl-std=CL3.0 -D CASE=5
// options: -cl-std=CL3.0 -D CASE=6
// options: -cl-std=CL3.0 -D CASE=7
// options: -cl-std=CL3.0 -D CASE=8
// options: -cl-std=CL3.0 -D CASE=9
// options: -cl-std=CL3.0 -D CASE=10
// options: -cl-std=CL3.0 -D CASE=11
// options: -cl-std=CL3.0 -D CASE=12
// options: -cl-std=CL3.0 -D CASE=13
// options: -cl-std=CL3.0 -D CASE=14
// options: -cl-std=CL3.0 -D CASE=15
// options: -cl-std=CL3.0 -D CASE=16
// options: -cl-std=CL3.0 -D CASE=17
// options: -cl-std=CL3.0 -D CASE=18
// options: -cl-std=CL3.0 -D CASE=19
// options: -cl-std=CL3.0 -D CASE=20
// options: -cl-std=CL3.0 -D CASE=0 -D T=double
// options: -cl-std=CL3.0 -D CASE=6 -D T=double
// options: -cl-std=CL3.0 -D CASE=7 -D T=double
// options: -cl-std=CL3.0 -D CASE=9 -D T=double
// options: -cl-std=CL3.0 -D CASE=12 -D T=double
// options: -cl-std=CL3.0 -D CASE=14 -D T=double
// options: -cl-std=CL3.0 -D CASE=16 -D T=double
// options: -cl-std=CL3.0 -D CASE=17 -D T=double
// edge-buffer: int 2002 = i*7%29+1
// edge-buffer: int 2002 = i*7%29+1
// edge-buffer: int 2002 = i*5%23+1
// edge-buffer: int 2002 = i*5%23+1
// buffer: as 0
// buffer: as 1
// edge-buffer: int 77 = 0
// expect: 6 = 1

/* Loops in which each lane goes along a row of its own, as they are written, and the same with volatile memory, in which every access is made
 * where it stands. Rows end where memory ends. */
#ifndef T
#define T int
#endif
#define WIDTH (26 / (int)(sizeof(T) / 4))

#if CASE == 0 /* sums */
#define ROWS for (int k = 0; k < n; k++) sum += a[i * WIDTH + k];
#elif CASE == 1 /* with indices that might wrap */
#define ROWS for (uint k = 0; k < (uint)n; k++) sum += a[(uint)i * (uint)WIDTH + k];
#elif CASE == 2
#define ROWS for (ushort k = 0; k < (ushort)n; k++) sum += a[i * WIDTH + k];
#elif CASE == 3
#define ROWS for (size_t k = 1; k <= (size_t)n; k++) sum = sum * 3 + a[i * WIDTH + k - 1];
#elif CASE == 4 /* by pointers */
#define ROWS for (global MEMORY *p = a + i * WIDTH, *e = p + n; p < e; p++) sum += *p * 3;
#elif CASE == 5
#define ROWS for (global MEMORY *p = a + i * WIDTH, *e = p + n; p != e;) sum = sum * 3 + *p++;
#elif CASE == 6 /* from where the row begins to where it ends */
#define ROWS for (int k = i * n; k < (i + 1) * n; k++) sum += a[k];
#elif CASE == 7
#define ROWS for (int k = i * WIDTH + 1, e = i * WIDTH + n; k < e; k++) sum += a[k] * a[k - 1];
#elif CASE == 8 /* ends that differ from lane to lane */
#define ROWS for (int k = 0; k < i % (n + 1); k++) sum += a[i * WIDTH + k];
#elif CASE == 9 /* what is written */
#define ROWS for (int k = 0; k < n; k++) a[i * WIDTH + k] *= 3, sum += a[i * WIDTH + k];
#elif CASE == 10
#define ROWS for (int k = 0; k < n; k++) b[i * WIDTH + k] = a[i * WIDTH + k] * 3;
#elif CASE == 11 /* to the same memory through another argument, further on */
#define ROWS for (int k = 0; k + 1 < n; k++) again[i * WIDTH + k + 1] = a[i * WIDTH + k] * 3;
#elif CASE == 12 /* sums in memory */
#define ROWS for (int k = 0; k < n; k++) b[i * WIDTH] += a[i * WIDTH + k];
#elif CASE == 13 /* in the same memory */
#define ROWS for (int k = 0; k < n; k++) again[i * WIDTH + 2] += a[i * WIDTH + k];
#elif CASE == 14 /* several */
#define ROWS for (int k = 0; k < n; k++) b[i * WIDTH] += a[i * WIDTH + k], b[i * WIDTH + 1] += a[i * WIDTH + k] * b[i * WIDTH + 2];
#elif CASE == 15 /* several, of which one changes what the other adds */
#define ROWS for (int k = 0; k < n; k++) again[i * WIDTH + 3] += a[i * WIDTH + k], b[i * WIDTH] += again[i * WIDTH + 3];
#elif CASE == 16 /* two numbers of the row in a round, and further ones */
#define ROWS for (int k = 0; k < n - 1; k++) sum = sum * 3 + a[i * WIDTH + k] * a[i * WIDTH + k + 1];
#elif CASE == 17 /* backwards, and by two */
#define ROWS for (int k = n; k-- > 0;) sum = sum * 3 + a[i * WIDTH + k]; for (int k = 0; k < n; k += 2) sum += a[i * WIDTH + k];
#elif CASE == 18 /* until something is found: nothing may be read ahead of it */
#define ROWS for (int k = 0; k < n && (sum & 7) != 3; k++) sum += a[i * WIDTH + k]; for (int k = 0; a[i * WIDTH + k] != 5 && k < n - 1; k++) sum++;
#elif CASE == 19 /* read again */
#define ROWS for (int k = 0; k < n; k++) a[i * WIDTH + k] *= 3, b[i * WIDTH + k] = sum, sum += a[i * WIDTH + k];
#else /* a round uses what the last one had */
#define ROWS T last = 1; for (int k = 0; k < n; k++) { sum += last * k; last = a[i * WIDTH + k]; } sum += last;
#endif

/* Numbers that are no numbers are the same here. */
int same(T a, T b)
{
    return a == b || (a != a && b != b);
}

#define MEMORY T
T plain(global T *a, global T *b, global T *again, int i, int n)
{
    T sum = 0;
    ROWS
    return sum;
}
#undef MEMORY
#define MEMORY volatile T
T slow(global volatile T *a, global volatile T *b, global volatile T *again, int i, int n)
{
    T sum = 0;
    ROWS
    return sum;
}

kernel void rows(global T *x, global T *y, global T *bx, global T *by, global T *again_x, global T *again_y, global int *ok)
{
    int i = get_global_id(0), good = 1;
    for (int n = 0; n <= WIDTH; n += n < 9 ? 1 : 4) {
        T a = plain(x, bx, again_x, i, n), b = slow(y, by, again_y, i, n);
        good &= same(a, b);
    }
    for (int k = 0; k < WIDTH; k++)
        good &= same(x[i * WIDTH + k], y[i * WIDTH + k]) && same(bx[i * WIDTH + k], by[i * WIDTH + k]);
    ok[i] = good;
}
