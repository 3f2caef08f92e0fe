// SPDX-License-Identifier: Apache-2.0
// kernel: moved_vectors
// global: 203
// local: 203
// local: 7
// buffer: uchar 1640 = i*29+3
// buffer: uchar 2440 = 1
// buffer: int 203 = 0
// expect: 2 = 31

/* Vectors that a work-item moves and computes nothing with: where it is inside, from elsewhere, through a loop, exchanged, in a record;
 * odd places, a last element of its own. */
typedef struct {
    uchar4 colour;
    short2 at;
} pixel;

kernel void moved_vectors(global const uchar *in, global uchar *out, global int *ok)
{
    int i = get_global_id(0), n = get_global_size(0), good = 0, from = i * 53 % 240 - 20;
    global const uchar4 *colours = (global const uchar4 *)(in + 1);
    uchar4 p = (uchar4)(0, 0, 0, 255);
    if (from >= 0 && from < n)
        p = colours[from];
    vstore4(p, i, out + 1624);
    uchar4 want = from >= 0 && from < n ? (uchar4)(in[4 * from + 1], in[4 * from + 2], in[4 * from + 3], in[4 * from + 4])
                                        : (uchar4)(0, 0, 0, 255);
    good |= all(vload4(i, out + 1624) == want);

    global const char8 *longs = (global const char8 *)in;
    char8 last = longs[0];
    int at = 0;
    for (int k = 0; k < i % 9; k++)
        if (in[i + k] & 1) {
            last = longs[k + i % 5];
            at = k + i % 5;
        }
    ((global char8 *)out)[i] = last;
    int same = 1;
    for (int k = 0; k < 8; k++)
        same &= out[8 * i + k] == in[8 * at + k];
    good |= same << 1;

    global pixel *pixels = (global pixel *)out;
    pixel x = ((global const pixel *)in)[(i * 7) % n];
    pixels[i].colour = x.colour;
    pixels[i].at = (i & 3) == 2 ? (short2)(-1, 7) : x.at;
    good |= (out[8 * i + 3] == in[8 * (i * 7 % n) + 3] && out[8 * i + 5] == ((i & 3) == 2 ? 255 : in[8 * (i * 7 % n) + 5])) << 2;

    global float2 *halves = (global float2 *)out;
    float2 f = vload2(i, (global const float *)in), none = 0;
    halves[i] = in[i] > 100 ? f : none;
    good |= (as_uchar8(halves[i]).s5 == (in[i] > 100 ? in[8 * i + 5] : 0)) << 3;

    ushort2 a = ((global ushort2 *)out)[2 * i], b = ((global ushort2 *)out)[2 * i + 1];
    if (i % 3) {
        ((global ushort2 *)out)[2 * i] = b;
        ((global ushort2 *)out)[2 * i + 1] = a;
    }
    good |= (out[8 * i + (i % 3 ? 1 : 5)] == (in[i] > 100 ? in[8 * i + 5] : 0)) << 4;
    ok[i] = good;
}
