// SPDX-License-Identifier: Apache-2.0
// kernel: records
// global: 96
// local: 96
// local: 16
// local: 12
// local: 1
// needs: cl_khr_fp64
// edge-buffer: float 288 = i
// edge-buffer: float 288 = i*5
// edge-buffer: uchar 288 = i&255
// edge-buffer: short 190 = i*3
// edge-buffer: double 761 = i
// edge-buffer: float 768 = i*2
// edge-buffer: uint 1152 = i
// edge-buffer: int 1 = 0
// buffer: int 96 = 0
// expect: 1 = (i%3==0)*(i+2)+(i%3==1)*(i*5)-(i%3==2)
// expect: 2 = (i%3==0)*((i+2)&255)+(i%3==1)*((i*2)&255)+(i%3==2)*((i-2)&255)
// expect: 5 = (i%8==0)*(i*4+4)+(i%8==1)*(i*2-4)+(i%8>1)*(i*2-(i/8%3==0)*(i%8==6)*(i*4+8))
// expect: 8 = 1

/* Fields of records: some of them or all, of different sizes, read and written in place, the last record without its end. What lies between
 * them and what lies behind them is nobody's business. */
struct three {
    float x, y, z;
};

kernel void records(global const struct three *restrict in, global struct three *restrict out, global uchar *pixels, global short *ends,
                    global const double *wide, global float *eight, global const uint *twelve, global const int *zero, global int *ok)
{
    size_t i = get_global_id(0);
    int n = i, good = 1;
    out[i].x = in[i].z;
    out[i].z = in[i].x - in[i].y;

    uchar red = pixels[3 * i];
    pixels[3 * i] = pixels[3 * i + 2];
    pixels[3 * i + 1] *= 2;
    pixels[3 * i + 2] = red;

    /* Every second one, from the first to the last but one. */
    short odd = i < 95 ? ends[2 * i] + ends[2 * i + 1] : 0;
    good &= odd == (short)(i < 95 ? 12 * i + 3 : 0);
    good &= wide[8 * i] == 8 * i;
    good &= wide[8 * (95 - i)] == 8 * (95 - i);

    /* The store in the middle meets the loads on both sides. */
    global float *same = eight + *zero;
    float first = eight[8 * i], second = eight[8 * i + 1];
    same[8 * i] = first + second + 2;
    good &= eight[8 * i] == 32 * n + 4 && eight[8 * i + 1] == 16 * n + 2;
    same[8 * i + 1] = first - 2;
    good &= eight[8 * i + 1] == 16 * n - 2;
    if (i % 3 == 0)
        eight[8 * i + 6] = -eight[8 * i + 5] + eight[8 * i + 2] - eight[8 * i + 7];

    uint sum = 0;
    for (uint k = 0; k < 12; k++)
        sum += twelve[12 * i + k] * (k + 1);
    good &= sum == 12 * i * 78 + 572;
    ok[i] = good;
}
