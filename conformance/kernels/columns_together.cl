// SPDX-License-Identifier: Apache-2.0
// kernel: columns_together
// global: 5 37 2
// offset: 2 1 0
// local: 1 1 1
// local: 5 1 2
// local: 1 37 1
// local: 3 16 1
// local: 2 6 2
// buffer: int 4096 = i*7%23-9
// buffer: float 8192 = i*5%19-8
// buffer: int 370 = 0
// buffer: int 370 = 0
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D PART
// options: -cl-std=CL3.0 -D NUMBERS
// expect: 2 = 3
// expect: 3 = i+1

/* A product whose work-items in a column read the same vectors, and those in a row do not: several of a column may run at a time. With PART some
 * rows have fewer rounds, and leave early; with NUMBERS its place in its group must be that of its ids. */
kernel void columns_together(global const int *a, global const float16 *b, global int *ok, global int *at)
{
    int x = get_global_id(0) - 2, y = get_global_id(1) - 1, z = get_global_id(2), rounds = 11, i = (z * 37 + y) * 5 + x;
#ifdef PART
    rounds -= y % 3 * 4;
#endif
    float16 sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += (float)a[(z * 37 + y) * 11 + k] * b[k * 7 + x];
    int16 again = 0;
    for (int k = rounds; k-- > 0;)
        again += convert_int16(b[k * 7 + x]) * a[(z * 37 + y) * 11 + k];
    ok[i] = all(convert_int16(sum) == again) ? 3 : again.s0 + 1000;
#ifdef NUMBERS
    if (get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1) != y || get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) != x)
        ok[i] = -1;
#endif
    at[i] = i + 1;
}
