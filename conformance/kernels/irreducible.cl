// SPDX-License-Identifier: Apache-2.0
// kernel: doors
// global: 512
// local: 64
// buffer: int 512 = (i*37+11)&1023
// buffer: int 4 = i+1
// buffer: int 512 = 0
// expect: 2 = 1

/* Loops with two and three entries, which work-items of a sub-group take differently: what is the same for all in a round is not what they have on
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

    int p = 0, q = 0; /* three entries, and blocks that lead to two of them */
    switch (x % 3) {
    case 0:
        goto red;
    case 1:
        goto green;
    default:
        goto blue;
    }
red:
    p += 1;
    if (++q > 20)
        goto done;
    if (p & y & 1)
        goto blue;
green:
    p += 7;
    if (++q > 20)
        goto done;
    if (p & 4)
        goto red;
blue:
    p ^= x;
    if (++q > 20)
        goto done;
    if (p & 2)
        goto green;
    goto red;
done:;

    int r = 0;
    for (int o = 0, at = x % 3; o < 21; o++) {
        r = at == 0 ? r + 1 : at == 1 ? r + 7 : r ^ x;
        at = at == 0 ? (r & y & 1 ? 2 : 1) : at == 1 ? (r & 4 ? 0 : 2) : (r & 2 ? 1 : 0);
    }
    int b = x, s = 0;
    for (bool skip = x & 1;; skip = false) {
        b += skip ? 0 : s * 3;
        b ^= y;
        if (++s >= (b & 7))
            break;
    }
    ok[i] = a == b && t == s && v == (x & 2 ? 3 : 1) && u == 1 && p == r && q == 21;
}
