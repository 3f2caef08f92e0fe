// SPDX-License-Identifier: Apache-2.0
// kernel: wide_records
// global: 96
// local: 32
// local: 16
// buffer: uchar 3072 = i*7+i/32
// buffer: uchar 3072 = 0
// buffer: uchar 3072 = 0
// buffer: uint 1 = 95
// expect: 1 = (i*7+i/32)&255
// expect: 2 = (i*7+i/32)&255

/* Records of as many numbers as an access may have: side by side, and where a comparison has to tell. */
typedef uchar record __attribute__((ext_vector_type(32)));

__attribute__((intel_reqd_sub_group_size(16)))
kernel void wide_records(global const record *in, global record *out, global record *again, global const uint *last)
{
    uint i = (uint)get_global_id(0);
    out[i] = in[i];
    again[i] = in[min(i, last[0])];
}
