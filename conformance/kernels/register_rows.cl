// SPDX-License-Identifier: Apache-2.0
// kernel: register_rows
// global: 48
// local: 16
// local: 8
// local: 1
// buffer: uint 9216 = i*2654435761>>7
// buffer: uchar 9216 = i*13
// buffer: uint 9216 = 0
// buffer: int 48 = 0
// expect: 3 = 3

/* Each work-item goes along a row of its own, in vectors of four: sums of all before, read back. */
kernel void register_rows(global const uint4 *in, global const uchar4 *pixels, global uint4 *out, global int *ok)
{
    int row = get_global_id(0), good = 0;
    uint4 sum = 0;
    for (int k = 0; k < 48; k++) {
        sum += in[row * 48 + k] + convert_uint4(pixels[row * 48 + k]);
        out[row * 48 + k] = sum;
    }
    uint4 before = 0;
    int same = 1;
    for (int k = 0; k < 48; k++) {
        uint4 now = out[row * 48 + k];
        same &= all(now - before == in[row * 48 + k] + convert_uint4(pixels[row * 48 + k]));
        before = now;
    }
    ok[row] = same | (all(before == sum) ? 2 : 0);
}
