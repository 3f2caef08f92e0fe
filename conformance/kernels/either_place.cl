// SPDX-License-Identifier: Apache-2.0
// kernel: either_place
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-opt-disable
// global: 40
// local: 20
// buffer: int 100 = -1
// buffer: int 100 = i*i%7 - 3
// buffer: int 16 = 10 + i
// buffer: int 16 = 50 + i
// expect: 0 = (i*i%7 == 4)*(43 + i%4) + (i*i%7 != 4)*200

/* Each work-item reads from one of two places that all have in common, or from a row of one of them: both places count, whichever type is read,
 * also in the last round, in which some work-items are missing. */
kernel void either_place(global int *out, global const int *choice, global const int *a, global const int *b)
{
    global const short *short_a = (global const short *)a, *short_b = (global const short *)b;
    global const char *char_a = (global const char *)a, *char_b = (global const char *)b;
    global const long *long_a = (global const long *)a, *long_b = (global const long *)b;
    for (int i = get_global_id(0); i < 100; i += get_global_size(0)) {
        bool is_a = choice[i] > 0;
        int sum = is_a ? a[i % 4] : b[0];
        sum += is_a ? short_a[0] : short_b[0];
        sum += is_a ? char_a[4] : char_b[0];
        sum += (int)(is_a ? long_a[1] : long_b[0]);
        out[i] = sum;
    }
}
