// SPDX-License-Identifier: Apache-2.0
// kernel: long_block
// global: 37
// local: 5
// buffer: int 14800 = i
// buffer: int 14800 = i%11
// buffer: int 1 = 3
// expect: 0 = i + 3*(i%11 + i/37)

/* 1200 accesses to memory in a block, which is cut before machine code is made of it. */
#define ONE(n) p[(n) * 37] += q[(n) * 37] + (n);
#define TEN(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
#define HUNDRED(n) TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)
kernel void long_block(global volatile int *p, global const volatile int *q, global const int *rounds)
{
    p += get_global_id(0);
    q += get_global_id(0);
    for (int i = 0; i < *rounds; i++) {
        HUNDRED(0)
        HUNDRED(100)
        HUNDRED(200)
        HUNDRED(300)
    }
}
