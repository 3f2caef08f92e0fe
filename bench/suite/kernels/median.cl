// SPDX-License-Identifier: Apache-2.0
// Median of 5 x 5 pixels: the window in a private array, sorted as far as the middle.
kernel void median(global const uchar *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    uchar window[25];
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            window[dy * 5 + dx] = in[clamp(y + dy - 2, 0, height - 1) * width + clamp(x + dx - 2, 0, width - 1)];
    for (int i = 0; i < 13; i++)
        for (int j = i + 1; j < 25; j++) {
            uchar low = min(window[i], window[j]);
            window[j] = max(window[i], window[j]);
            window[i] = low;
        }
    out[y * width + x] = window[12];
}
