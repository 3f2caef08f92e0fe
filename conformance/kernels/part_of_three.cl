// SPDX-License-Identifier: Apache-2.0
// kernel: part_of_three
// global: 40
// buffer: int 40 = 0 1 2 3 4 5 6 7
// buffer: int 40 = -1
// buffer: int 40 = -1
// expect: 1 = 0 11 143 550 1860 5911 18043 54770
// expect: 2 = 0 110 341 1144 3444 10465 31408 94370

/* Two numbers that lie beside each other take turns, and so do the two one place further on: the second of the first pair is the first of the
 * other one, so no two of the three can be exchanged. */
kernel void part_of_three(global const int *rounds, global int *up, global int *down)
{
    int i = get_global_id(0), a[3], b[3], sum = 0, sum_down = 0, turn = 0;
    a[0] = b[0] = 1;
    a[1] = b[1] = 10;
    a[2] = b[2] = 100;
    for (int k = 0; k < rounds[i]; k++) {
        a[k & 1] += a[(k & 1) + 1];
        sum = sum * 3 + a[k & 1];
        b[2 - turn] += b[1 - turn];
        sum_down = sum_down * 3 + b[2 - turn];
        turn ^= 1;
    }
    up[i] = sum;
    down[i] = sum_down;
}
