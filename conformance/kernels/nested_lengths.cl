// SPDX-License-Identifier: Apache-2.0
// kernel: lookups
// global: 160
// local: 160
// local: 10
// buffer: int 160 = (i%16 == 5)*40 + i%3
// buffer: int 77 = 3
// buffer: int 160 = -1
// buffer: int 160 = -1
// buffer: int 160 = -1
// expect: 2 = (i%16 != 5)*(3*(i%3)*(i%3 - 1)/2) + (i%16 == 5)*315
// expect: 3 = (i%16 != 5)*(i%3) + (i%16 == 5)*15
// expect: 4 = (i%16 != 5)*(3*(i%3)) + (i%16 == 5)*45

// One of sixteen work-items goes round far longer, each time through a loop that ends where memory says: the last lane goes on by itself
// through both. It also leaves by another way.
kernel void lookups(global const int *lengths, global const int *data, global int *sums, global int *rounds, global int *steps)
{
    const int g = get_global_id(0);
    int sum = 0, all = 0, j;
    for (j = 0; j < lengths[g]; j++) {
        int t = 0;
        while (t < data[(g * 5 + j * 7 + t) % 77])
            t++;
        all += t;
        sum += t * j;
        if (sum > 300) {
            j++;
            break;
        }
    }
    sums[g] = sum;
    rounds[g] = j;
    steps[g] = all;
}
