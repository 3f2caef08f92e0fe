// SPDX-License-Identifier: Apache-2.0
// kernel: high_product
// global: 64
// local: 64
// buffer: short 64 = i*500-16000
// buffer: short 64 = 300-i*10
// buffer: short 64 = 0
// expect: 2 = 0-((i<32)&(i<30))-((i>32)&(i>30))

/* The upper half of a product of numbers that are small: its sign, whatever the shift. */
kernel void high_product(global const short *a, global const short *b, global short *out)
{
    size_t i = get_global_id(0);
    out[i] = (short)mul_hi((int)a[i], (int)b[i]);
}
