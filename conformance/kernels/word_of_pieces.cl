// SPDX-License-Identifier: Apache-2.0
// kernel: words
// global: 70
// local: 1
// local: 7
// local: 35
// local: 70
// buffer: char 400 = (i * 37) % 251
// buffer: short 200 = (i * 12347) % 65521
// buffer: int 280 = 0
// buffer: char 280 = 0
// buffer: short 140 = 0
// expect: 0 = (i * 37) % 251
// expect: 2 = 1
// expect: 3 = ((i / 4 + i % 4 * 100) * 37) % 251
// expect: 4 = ((i / 2 + i % 2 * 100) * 12347) % 65521

/* Words of bytes and of shorts that lie apart, made as vectors, and what shifts make of the same; and such words stored. */
kernel void words(global const char *bytes, global const short *shorts, global int *out, global char4 *of_bytes, global short2 *of_shorts)
{
    size_t i = get_global_id(0);
    const global char *b = bytes + i;
    const global short *s = shorts + i;
    int word = as_int((char4)(b[0], b[100], b[200], b[300])), pair = as_int((short2)(s[0], s[100]));
    int2 two = as_int2((char8)(b[0], b[1], b[2], b[3], b[100], b[101], b[102], b[103]));
    uint shifted = (uint)(uchar)b[0] | (uint)(uchar)b[100] << 8 | (uint)(uchar)b[200] << 16 | (uint)(uchar)b[300] << 24;
    uint beside = (uint)(uchar)b[100] | (uint)(uchar)b[101] << 8 | (uint)(uchar)b[102] << 16 | (uint)(uchar)b[103] << 24;
    uint low = (uint)(uchar)b[0] | (uint)(uchar)b[1] << 8 | (uint)(uchar)b[2] << 16 | (uint)(uchar)b[3] << 24;
    of_bytes[i] = (char4)(b[0], b[100], b[200], b[300]);
    of_shorts[i] = (short2)(s[0], s[100]);
    out[4 * i] = word == (int)shifted;
    out[4 * i + 1] = pair == (int)((uint)(ushort)s[0] | (uint)(ushort)s[100] << 16);
    out[4 * i + 2] = two.x == (int)low;
    out[4 * i + 3] = two.y == (int)beside;
}
