// SPDX-License-Identifier: Apache-2.0
// kernel: doors
// global: 512
// local: 64
// buffer: int 512 = (i*37+11)&1023
// buffer: int 4 = i+1
// buffer: int 512 = 0
// expect: 2 = 1

/* Loops with two entries, which work-items of a sub-group take differently: what is the same for all in a round is not what they have on
 * the way to the other entry. The same loops with one entry say what is right. */
kernel void doors(global const int *in, global const int *few, global int *ok)
{
    int i = get_global_id(0), x = in[i], y = in[i ^ 5], rounds = few[0];

    int a = x, t = 0; /* left by a varying number of rounds */
    if (x & 1)
        goto second;
first:
    a += t * 3;
second:
    a ^= y;
    if (++t < (a & 7))
        goto first;

    int v = few[2], u = 0; /* left by a uniform one */
    if (x & 2)
        goto lower;
upper:
    v = 1;
    if (few[1] > 9)
        goto out;
lower:
    v += u;
    if (++u < rounds)
        goto upper;
out:;

    int b = x, s = 0;
    for (bool skip = x & 1;; skip = false) {
        b += skip ? 0 : s * 3;
        b ^= y;
        if (++s >= (b & 7))
            break;
    }
    ok[i] = a == b && t == s && v == (x & 2 ? 3 : 1) && u == 1;
}
