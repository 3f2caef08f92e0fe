// SPDX-License-Identifier: Apache-2.0
// kernel: beside
// global: 64
// local: 16
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// options: -cl-std=CL3.0
// buffer: uchar 128 = i*7+i/5
// buffer: int 64 = 0
// expect: 1 = 3

/* Bytes of unaligned vectors, shuffled to words that are updates' values, in a kernel with split functions: over the lanes of a packet
 * these are vectors of more elements than any other value has. */
int word(global const uchar *p)
{
    uchar16 x = vload16(0, p), z = vload16(0, p + 16);
    z.s0123 = x.s0123;
    z.s89a = x.s012;
    int4 w = as_int4(z);
    return w.x ^ w.y * 3 ^ w.z * 5 ^ w.w * 7;
}

int byte_after_byte(global const uchar *p)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        uint w = 0;
        for (int j = 0; j < 4; j++)
            w |= (uint)p[i == 0 ? j : i == 2 && j < 3 ? j : 16 + 4 * i + j] << 8 * j;
        sum ^= (int)w * (i ? 2 * i + 1 : 1);
    }
    return sum;
}

__attribute__((intel_reqd_sub_group_size(8))) kernel void beside(global const uchar *in, global int *ok)
{
    int i = (int)get_global_id(0);
    int2 d = intel_sub_group_i8_i8_split_matrix_mad_k32(0x01010101, (int8)0x01010101, (int2)(0, i));
    atomic_add(&ok[i], word(in + i));
    atomic_sub(&ok[i], byte_after_byte(in + i));
    atomic_add(&ok[i], (d.x == 32) | (d.y == 32 + i) << 1);
}
