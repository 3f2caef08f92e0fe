// SPDX-License-Identifier: Apache-2.0
// kernel: lists
// global: 512
// local: 64
// buffer: int 512 = (i*7+3)&511
// buffer: int 512 = ((i*37)&127)*((i%5)+1)/4
// buffer: int 512 = 0
// expect: 2 = 1

/* Walks of different lengths through a list, with two ways out; a few work-items of each sub-group go on long after the others. The same
 * walk without memory says what is right. */
kernel void lists(global const int *next, global const int *steps, global int *ok)
{
    int i = get_global_id(0), at = i, last = -1, why = 0, k;
    long sum = 0;
    float4 parts = 0;
    for (k = 0; k < steps[i]; k++) {
        last = at;
        at = next[at];
        if (at % 61 == 7) {
            why = at;
            break;
        }
        if (at & 1)
            sum += at;
        else
            parts.xz += (float2)(at, 1);
        parts.w = at;
    }
    int a = i, l = -1, w = 0, j;
    long s = 0;
    float4 p = 0;
    for (j = 0; j < ((i * 37) & 127) * ((i % 5) + 1) / 4; j++) {
        l = a;
        a = (a * 7 + 3) & 511;
        if (a % 61 == 7) {
            w = a;
            break;
        }
        if (a & 1)
            s += a;
        else
            p.xz += (float2)(a, 1);
        p.w = a;
    }
    ok[i] = at == a && last == l && why == w && sum == s && k == j && all(parts == p);
}
