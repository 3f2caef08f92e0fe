// SPDX-License-Identifier: Apache-2.0
// kernel: rows
// global: 500
// local: 50
// local: 20
// needs: cl_khr_fp64
// buffer: int 501 = ((i*i*7+i*3)&63)+i*24
// buffer: int 16384 = (i*37+11)&511
// buffer: uchar 16384 = (i*13+5)&255
// buffer: float 512 = (i*5+1)&127
// buffer: int 500 = 0
// expect: 4 = 127

/* Rows of different lengths, some of them empty: what each work-item reads lies where it alone looks, so loops over a row have nothing but
 * gathers. The same loops over what the buffers were made of say what is right. */
#define START(r) ((((r) * (r) * 7 + (r) * 3) & 63) + (r) * 24)
#define COLUMN(k) (((k) * 37 + 11) & 511)
#define BYTE(k) (((k) * 13 + 5) & 255)
#define X(c) ((float)(((c) * 5 + 1) & 127))

kernel void rows(global const int *start, global const int *column, global const uchar *bytes, global const float *x, global int *ok)
{
    int row = get_global_id(0), first = start[row], end = start[row + 1], right = 0;
    int f = START(row), e = START(row + 1);

    /* One way out; values that live on: a sum, the last column, the counter. */
    float sum = 0, s = 0;
    int last = -1, l = -1, k, j;
    for (k = first; k < end; k++)
        sum += x[last = column[k]] * 3;
    for (j = f; j < e; j++)
        s += X(l = COLUMN(j)) * 3;
    right |= sum == s && last == l && k == j;

    /* Three ways out, two of them for what is found, one of which leads elsewhere. */
    int why = 0, w = 0, place, p;
    for (place = first; place < end; place++) {
        if (column[place] % 61 == 7) {
            why = 1;
            break;
        }
        if (bytes[place] < 9)
            goto small;
    }
    why += 10;
    goto done;
small:
    why = place * 2;
done:
    for (p = f; p < e; p++) {
        if (COLUMN(p) % 61 == 7) {
            w = 1;
            break;
        }
        if (BYTE(p) < 9)
            goto its_small;
    }
    w += 10;
    goto its_done;
its_small:
    w = p * 2;
its_done:
    right |= (why == w && place == p) << 1;

    /* A text's number, byte by byte, and an end that only the text knows. */
    uint hash = 0, h = 0;
    for (k = first; k < end; k++)
        hash = hash * 31 + bytes[k];
    for (j = f; j < e; j++)
        h = h * 31 + BYTE(j);
    for (k = f; bytes[k] & 15; k++)
        ;
    for (j = f; BYTE(j) & 15; j++)
        ;
    right |= (hash == h && k == j) << 2;

    /* A private array that is written, and vectors. */
    int counts[8] = {0}, c[8] = {0};
    float4 parts = 0, q = 0;
    for (k = first; k < end; k++) {
        counts[bytes[k] & 7] += column[k];
        parts.xz += (float2)(x[column[k]], 1);
    }
    for (j = f; j < e; j++) {
        c[BYTE(j) & 7] += COLUMN(j);
        q.xz += (float2)(X(COLUMN(j)), 1);
    }
    int same = all(parts == q);
    for (j = 0; j < 8; j++)
        same &= counts[j] == c[j];
    right |= same << 3;

    /* Rows in rows, under a condition, with rounds left out. */
    double inner = 0, n = 0;
    if (row % 3)
        for (k = first; k < end && k < first + 5; k++) {
            if (bytes[k] & 1)
                continue;
            int other = column[k] % 500;
            for (int m = start[other]; m < start[other + 1]; m++)
                inner += x[column[m]] - row;
        }
    if (row % 3)
        for (j = f; j < e && j < f + 5; j++) {
            if (BYTE(j) & 1)
                continue;
            int other = COLUMN(j) % 500;
            for (int m = START(other); m < START(other + 1); m++)
                n += X(COLUMN(m)) - row;
        }
    right |= (inner == n) << 4;

    /* As many rounds for all, from different places. */
    int total = 0, t = 0;
    for (k = 0; k < 6; k++)
        total ^= column[first + k] + column[column[first + k] * 3];
    for (j = 0; j < 6; j++)
        t ^= COLUMN(f + j) + COLUMN(COLUMN(f + j) * 3);
    right |= (total == t) << 5;

    /* No lane without a round; in every other packet, that is. */
    int stop = first + 1 + row % 7, skip = row / 32 % 2 ? row % 3 : 0, seen = -1, z = -1;
    float each = 1, u = 1;
    for (k = first + skip * 4; k < stop; k++)
        each = each * 0.5f + x[seen = column[k]];
    for (j = f + skip * 4; j < f + 1 + row % 7; j++)
        u = u * 0.5f + X(z = COLUMN(j));
    right |= (each == u && seen == z && k == j) << 6;
    ok[row] = right;
}
