// SPDX-License-Identifier: Apache-2.0
// kernel: struct_copy
// global: 40
// local: 8
// needs: 8
// buffer: int 40 = i
// buffer: int 40 = 0
// expect: 1 = i*10

/* A branch that nobody takes has nothing in it but the copy of a struct. */
struct odd {
    char c[3];
    int i[3];
};
__attribute__((intel_reqd_sub_group_size(8)))
kernel void struct_copy(global const int *in, global int *out)
{
    int n = in[get_global_id(0)];
    struct odd one = {{1, 2, 3}, {n, n + 1, n + 2}}, all[4];
    for (int k = 0; k < 4; k++) {
        all[k] = one;
        all[k].i[n & 1] += k;
        all[k].c[n % 3] = k;
    }
    if (n < 0)
        one = all[n & 3];
    out[n] = 10 * one.i[0] + one.c[0] - 1;
}
