// SPDX-License-Identifier: Apache-2.0
// The largest less the smallest of nine neighbours, in bytes; the border is black.
kernel void morphology(global const uchar *restrict in, global uchar *restrict out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
    uchar high = 0, low = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        high = low = in[at];
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                uchar v = in[at + dy * width + dx];
                high = max(high, v);
                low = min(low, v);
            }
    }
    out[at] = high - low;
}
