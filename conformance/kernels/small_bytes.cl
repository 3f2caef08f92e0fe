// SPDX-License-Identifier: Apache-2.0
// kernel: bytes
// global: 77
// local: 77
// local: 7
// local: 1
// buffer: uchar 77 = (i*31)&255
// buffer: char 77 = i*3-100
// buffer: uchar 77 = 0
// expect: 2 = ((((i*31)&255)>200)*255+(((i*31)&255)<=200)*(((i*31)&255)+55))^((1-(i&1))*(i%5))

/* Nothing but bytes: sub-groups may be wider than others. */
kernel void bytes(global const uchar *a, global const char *b, global uchar *out)
{
    size_t i = get_global_id(0);
    uchar x = add_sat(a[i], (uchar)55), y = 0;
    if (b[i] & 1) {
        out[i] = x;
        return;
    }
    for (size_t k = 0; k < i % 5; k++)
        y++;
    out[i] = x ^ y;
}
