// SPDX-License-Identifier: Apache-2.0
// kernel: gathered
// global: 77
// local: 77
// local: 7
// edge-buffer: int 80 = i
// edge-buffer: long 40 = i*5
// buffer: int 77 = (i%3 == 0)*(0 - 1000000000) + (i%3 != 0)*((i*7)%20)
// buffer: int 77 = 0
// buffer: int 77 = 0
// expect: 3 = (i%3 != 0)*(((i*7)%20)*4544 + 3245)
// expect: 4 = ((i*11)%20)*4544 + 3245

int sum(int4 v, long2 u)
{
    return v.x + v.y * 10 + v.z * 100 + v.w * 1000 + (int)(u.x * 3 + u.y * 7);
}

// Records of 16 bytes at places that only the lanes know: a load for each lane. Lanes that take no part have indices far outside.
kernel void gathered(global const int4 *m, global const long2 *w, global const int *x, global int *some, global int *all)
{
    int i = get_global_id(0), j = x[i], k = i * 11 % 20;
    if (j >= 0)
        some[i] = sum(m[j], w[j]);
    all[i] = sum(m[k], w[k]);
}
