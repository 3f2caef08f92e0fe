/* SPDX-License-Identifier: Apache-2.0
 * A quantised convolution, 3 × 3, of images in NHWC order: uint8 pixels, int8 weights, int32 sums, uint8 results.
 *
 * The channels of a pixel lie together, and so do the pixels of a row: 32 channels of 8 pixels side by side are eight rows of A as they lie
 * in memory. So the convolution is a sum of 9 · CHANNELS / 32 products of matrices for each block of the output, without any copy of
 * the image. A sub-group of 16 makes 2 rows of 16 pixels with 32 output channels each.
 *
 * The image has a border of one pixel all around, which holds the number that stands for zero (its zero point z). Real pixels are
 * s·(x - z): what z adds to each sum does not depend on the image and is in the bias already. */
enum { CHANNELS = 64, TAPS = 9, ROWS = 2, PIXELS = 16, PANELS = 2, PANEL = 16 /* output channels of a matrix function */ };

/* Weights: for each panel of 16 output channels, for each tap, for each four input channels, 16 words of four weights. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void convolution(global const uchar *restrict in, global const uint *restrict weights, global const int *restrict bias,
                        global const int *restrict multiplier, global uchar *restrict out, int width, int height, int outputs)
{
    int x = get_global_id(0) / PANEL * PIXELS, y = get_global_id(1) * ROWS, panel = get_global_id(2) * PANELS;
    int row = (width + 2) * CHANNELS; /* bytes in a row of the image with its border */
    in += (size_t)y * row + x * CHANNELS;
    weights += (size_t)panel * TAPS * (CHANNELS / 4) * PANEL;

    int8 sum[ROWS][PIXELS / 8][PANELS];
    for (int j = 0; j < PANELS; j++) {
        int start = as_int(intel_sub_group_block_read((global const uint *)bias + (panel + j) * PANEL));
        for (int i = 0; i < ROWS; i++)
            for (int h = 0; h < PIXELS / 8; h++)
                sum[i][h][j] = start;
    }

    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            global const uchar *tap = in + dy * row + dx * CHANNELS;
            global const uint *w = weights + (dy * 3 + dx) * (CHANNELS / 4) * PANEL;
#pragma unroll
            for (int c = 0; c < CHANNELS; c += 32) {
                ushort8 a[ROWS][PIXELS / 8];
                int8 b[PANELS];
                for (int i = 0; i < ROWS; i++)
                    for (int h = 0; h < PIXELS / 8; h++)
                        for (int r = 0; r < 8; r++)
                            a[i][h][r] =
                                intel_sub_group_block_read_us((global const ushort *)(tap + i * row + (h * 8 + r) * CHANNELS + c));
                for (int j = 0; j < PANELS; j++)
                    b[j] = as_int8(intel_sub_group_block_read8(w + (j * TAPS * (CHANNELS / 4) + c / 4) * PANEL));
                for (int i = 0; i < ROWS; i++)
                    for (int h = 0; h < PIXELS / 8; h++)
                        for (int j = 0; j < PANELS; j++)
                            sum[i][h][j] = intel_sub_group_u8_i8_matrix_mad_k32(a[i][h], b[j], sum[i][h][j]);
            }
        }
    }

    /* Each output channel has a scale of its own, in units of 2^-31; a ReLU comes for free, as results below 0 become 0. */
    for (int j = 0; j < PANELS; j++) {
        int by = as_int(intel_sub_group_block_read((global const uint *)multiplier + (panel + j) * PANEL));
        for (int i = 0; i < ROWS; i++)
            for (int h = 0; h < PIXELS / 8; h++)
                for (int r = 0; r < 8; r++) {
                    int scaled = mul_hi(sum[i][h][j][r], by) + 1 >> 1;
                    size_t pixel = (size_t)(y + i) * width + x + h * 8 + r;
                    intel_sub_group_block_write_uc(out + pixel * outputs + (panel + j) * PANEL, convert_uchar_sat(scaled));
                }
    }
}
