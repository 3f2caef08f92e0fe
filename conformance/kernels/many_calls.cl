// SPDX-License-Identifier: Apache-2.0
// kernel: many
// global: 64
// local: 16
// local: 12
// buffer: int 64 = 0
// expect: 0 = i*100+i%2*24+i/2%2*23+i/4%2*22+i/8%2*21+i/16%2*20+i/32%2*19+7

/* Each function calls the next one in two places: inlined, these are sixteen million. Another kernel of the same module calls the last of
 * them only, and they share a variable, so that they are compiled together. */
global int seven = 7;

int f0(int x, int y)
{
    return x + y;
}

#define F(n, m)                                                                                                                            \
    int f##n(int x, int y)                                                                                                                 \
    {                                                                                                                                      \
        if (y & 1)                                                                                                                         \
            x = f##m(x + n, y >> 1);                                                                                                       \
        else                                                                                                                               \
            x = f##m(x, y >> 1);                                                                                                           \
        return x;                                                                                                                          \
    }
F(1, 0) F(2, 1) F(3, 2) F(4, 3) F(5, 4) F(6, 5) F(7, 6) F(8, 7) F(9, 8) F(10, 9) F(11, 10) F(12, 11)
F(13, 12) F(14, 13) F(15, 14) F(16, 15) F(17, 16) F(18, 17) F(19, 18) F(20, 19) F(21, 20) F(22, 21) F(23, 22) F(24, 23)

kernel void few(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = f3(i, i) + seven;
}

kernel void many(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = f24(i * 100, i) + seven;
}
