// SPDX-License-Identifier: Apache-2.0
// kernel: lower_words
// global: 64
// local: 16
// needs: 8
// buffer: ulong 64 = i*4294967296*3 + i
// buffer: uint 512 = 77
// expect: 1 = 77 + (i%8==3)*(i/8-77)

/* The lower halves of long numbers go to one word of eight each: what lies behind it stays. */
__attribute__((intel_reqd_sub_group_size(8)))
kernel void lower_words(global const ulong *in, global uint *out)
{
    size_t i = get_global_id(0);
    out[i * 8 + 3] = (uint)in[i];
}
