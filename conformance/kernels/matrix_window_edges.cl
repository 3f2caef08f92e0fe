// SPDX-License-Identifier: Apache-2.0
// kernel: window_edges
// global: 32 18
// local: 16 1
// edge-buffer: char 13440 = i*5+i/64*3
// edge-buffer: char 27648 = i*7+i/32
// buffer: int 4480 = 0
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D CHANNELS=32
// options: -cl-std=CL3.0 -D LINES
// options: -cl-std=CL3.0 -D SOME
// expect: 2 = 1

/* A window of 3 x 3 over an image of 14 x 10 bytes with comparisons at its edges, by loops around the one over K. Each place has an odd number
 * of halves of a step of K. LINES: places outside of all rows are left out, so that work-groups have other numbers of parts. SOME: the window
 * begins where the work-group says. */
#ifndef CHANNELS
#define CHANNELS 96
#endif
enum { WIDE = 14, HIGH = 10, COLUMNS = 32 };

__attribute__((intel_reqd_sub_group_size(16)))
kernel void window_edges(global const char *image, global const char *weights, global int *ok)
{
    const int lane = get_sub_group_local_id(), first = get_global_id(1) * 8, column = get_group_id(0) * 16;
#ifdef SOME
    const int top = get_global_id(1) % 3 - 1;
#else
    const int top = -1;
#endif
    const int channels = get_num_groups(0) * (CHANNELS / 2);
    int8 sum = 0;
    for (int y = top; y <= 1; y++) {
#ifdef LINES
        if ((first + 7) / WIDE + y < 0 || first / WIDE + y >= HIGH)
            continue;
#endif
        for (int x = -1; x <= 1; x++)
            for (int k = 0; k < channels; k += 32) {
                short8 a;
                int8 b;
                for (int r = 0; r < 8; r++) {
                    const int at = first + r, h = at / WIDE + y, w = at % WIDE + x;
                    a[r] = at < WIDE * HIGH && h >= 0 && h < HIGH && w >= 0 && w < WIDE ? *(global const short *)(image + (h * WIDE + w) * channels + k + lane * 2) : (short)0;
                    b[r] = *(global const int *)(weights + (((y * 3 + x + 4) * channels + k) / 4 + r) * COLUMNS * 4 + (column + lane) * 4);
                }
                sum = intel_sub_group_i8_i8_matrix_mad_k32(a, b, sum);
            }
    }
    for (int r = 0; r < 8; r++) {
        const int at = first + r;
        int wanted = 0;
        for (int y = top; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                const int h = at / WIDE + y, w = at % WIDE + x;
                for (int k = 0; k < channels && h >= 0 && h < HIGH && w >= 0 && w < WIDE; k++)
                    wanted += image[(h * WIDE + w) * channels + k] * weights[(((y * 3 + x + 4) * channels + k) / 4 * COLUMNS + column + lane) * 4 + k % 4];
            }
        if (at < WIDE * HIGH)
            ok[at * COLUMNS + column + lane] = sum[r] == wanted;
    }
}
