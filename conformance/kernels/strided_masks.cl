// SPDX-License-Identifier: Apache-2.0
// kernel: strided_masks
// global: 192
// local: 64
// local: 48
// needs: 8
// buffer: uchar 192 = i*7
// buffer: uint 1536 = i
// buffer: uchar 1 = 12
// expect: 1 = i-(i%8==7)*(((i/8*7-11)&255)!=0)*(i%2*2-1)

/* The mask of a comparison of bytes, spread over wider records: parts of a mask, filled up with lanes that are off. */
__attribute__((intel_reqd_sub_group_size(8)))
kernel void strided_masks(global const uchar *in, global uint *words, global const uchar *few)
{
    size_t i = get_global_id(0);
    if ((uchar)(few[0] - in[i]) != (uchar)1)
        (words + i * 8)[7] ^= 1;
}
