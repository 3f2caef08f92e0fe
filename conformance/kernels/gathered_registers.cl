// SPDX-License-Identifier: Apache-2.0
// kernel: moved
// global: 77
// local: 77
// local: 7
// edge-buffer: char 1232 = i%101 - 50
// edge-buffer: short 1232 = i%101 - 50
// edge-buffer: int 1232 = i%101 - 50
// edge-buffer: long 616 = i%101 - 50
// edge-buffer: char 1232 = 0
// edge-buffer: short 616 = 0
// edge-buffer: short 1232 = 0
// edge-buffer: int 616 = 0
// edge-buffer: int 1232 = 0
// edge-buffer: long 308 = 0
// edge-buffer: long 616 = 0
// expect: 4 = (i/16*6%77%3 != 0)*((i/16*30%77*16 + i%16)%101 - 50)
// expect: 5 = (i/8*6%77%3 != 0)*((i/8*30%77*8 + i%8)%101 - 50)
// expect: 6 = (i/16*6%77%3 != 0)*((i/16*30%77*16 + i%16)%101 - 50)
// expect: 7 = (i/8*6%77%3 != 0)*((i/8*30%77*8 + i%8)%101 - 50)
// expect: 8 = (i/16*6%77%3 != 0)*((i/16*30%77*16 + i%16)%101 - 50)
// expect: 9 = (i/4*6%77%3 != 0)*((i/4*30%77*4 + i%4)%101 - 50)
// expect: 10 = (i/8*6%77%3 != 0)*((i/8*30%77*8 + i%8)%101 - 50)

// Values of 16, 32 and 64 bytes from and to places that only the lanes know, some of which take no part and have places far outside.
kernel void moved(global const char *c, global const short *s, global const int *i, global const long *l,
                 global char *c16, global short *s8, global short *s16, global int *i8, global int *i16, global long *l4, global long *l8)
{
    const size_t g = get_global_id(0), far = g % 3 ? 0 : 1ul << 40, from = g * 5 % 77 + far, to = g * 13 % 77 + far;
    if (g % 3) {
        vstore16(vload16(from, c), to, c16);
        vstore8(vload8(from, s), to, s8);
        vstore16(vload16(from, s), to, s16);
        vstore8(vload8(from, i), to, i8);
        vstore16(vload16(from, i), to, i16);
        vstore4(vload4(from, l), to, l4);
        vstore8(vload8(from, l), to, l8);
    }
}
