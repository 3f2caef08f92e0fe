/* SPDX-License-Identifier: Apache-2.0
 * A convolution layer of a quantised network: 64 channels in, 64 out, 3 × 3, uint8 by int8. usage: convolution [SIZE]
 *
 * SIZE is the width and height of the image. convolution.cl says how the kernel sees a product of matrices in it. The result must be that
 * of plain C, byte for byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/host.h"

enum { CHANNELS = 64, OUTPUTS = 64, TAPS = 9, ZERO = 7 /* what stands for zero */ };
enum { PANEL = 16, PANELS = 2, PIXELS = 16, ROWS = 2, ROUNDS = 10 };

struct layer {
    int size, stride; /* of the image; pixels in a row with the border */
    uint8_t *in;
    int8_t weights[OUTPUTS][TAPS][CHANNELS];
    uint32_t packed[OUTPUTS * TAPS * CHANNELS / 4];
    int32_t bias[OUTPUTS], multiplier[OUTPUTS];
};

static void fill(struct layer *l, int size)
{
    l->size = size;
    l->stride = size + 2;
    l->in = must_alloc((size_t)l->stride * (size_t)l->stride * CHANNELS);
    memset(l->in, ZERO, (size_t)l->stride * (size_t)l->stride * CHANNELS);
    for (int y = 0; y < size; y++)
        for (int i = 0; i < size * CHANNELS; i++)
            l->in[((size_t)(y + 1) * (size_t)l->stride + 1) * CHANNELS + (size_t)i] = (uint8_t)random_bits();
    for (int o = 0; o < OUTPUTS; o++) {
        int sum = 0;
        for (int tap = 0; tap < TAPS; tap++)
            for (int c = 0; c < CHANNELS; c++) {
                int8_t w = (int8_t)random_bits();
                l->weights[o][tap][c] = w;
                sum += w;
                size_t word = (((size_t)(o / PANEL) * TAPS + (size_t)tap) * CHANNELS / 4 + (size_t)c / 4) * PANEL + (size_t)(o % PANEL);
                l->packed[word] |= (uint32_t)(uint8_t)w << 8 * (c % 4);
            }
        l->bias[o] = (int32_t)(random_bits() % 200000) - 100000 - ZERO * sum;
        l->multiplier[o] = (int32_t)(1500000 + random_bits() % 1500000); /* about a thousandth */
    }
}

/* An output of one pixel. */
static uint8_t plain(const struct layer *l, int x, int y, int o)
{
    int32_t sum = l->bias[o];
    for (int tap = 0; tap < TAPS; tap++) {
        const uint8_t *pixel = l->in + ((size_t)(y + tap / 3) * (size_t)l->stride + (size_t)(x + tap % 3)) * CHANNELS;
        for (int c = 0; c < CHANNELS; c++)
            sum += pixel[c] * l->weights[o][tap][c];
    }
    int64_t scaled = (((int64_t)sum * l->multiplier[o] >> 32) + 1) >> 1;
    return (uint8_t)(scaled < 0 ? 0 : scaled > 255 ? 255 : scaled);
}

int main(int argc, char **argv)
{
    static const char *const needed[] = {"cl_intel_subgroup_matrix_multiply_accumulate",
                                         "cl_intel_required_subgroup_size",
                                         "cl_intel_subgroups",
                                         "cl_intel_subgroups_short",
                                         "cl_intel_subgroups_char",
                                         NULL};
    static struct layer layer;
    struct host host;
    int size = size_argument(argc, argv, 64, PIXELS), outputs = OUTPUTS;
    size_t pixels = (size_t)size * (size_t)size, in_bytes = (size_t)(size + 2) * (size_t)(size + 2) * CHANNELS;

    fill(&layer, size);
    host_open(&host, needed);
    cl_program program = host_build(&host, "convolution/convolution.cl", "-cl-std=CL3.0");
    cl_mem in = host_buffer(&host, in_bytes, layer.in), weights = host_buffer(&host, sizeof(layer.packed), layer.packed);
    cl_mem bias = host_buffer(&host, sizeof(layer.bias), layer.bias);
    cl_mem multiplier = host_buffer(&host, sizeof(layer.multiplier), layer.multiplier);
    cl_mem out = host_buffer(&host, pixels * OUTPUTS, NULL);
    uint8_t *result = must_alloc(pixels * OUTPUTS);
    const size_t global[3] = {(size_t)size / PIXELS * 16, (size_t)size / ROWS, OUTPUTS / PANEL / PANELS}, local[3] = {16, 1, 1};
    const struct argument arguments[] = {ARGUMENT(in),  ARGUMENT(weights), ARGUMENT(bias), ARGUMENT(multiplier),
                                         ARGUMENT(out), ARGUMENT(size),    ARGUMENT(size), ARGUMENT(outputs)};
    double seconds = host_run(&host, program, "convolution", arguments, 8, 3, global, local, ROUNDS);
    host_read(&host, out, pixels * OUTPUTS, result);

    size_t wrong = 0, saturated = 0;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            for (int o = 0; o < OUTPUTS; o++) {
                uint8_t got = result[((size_t)y * (size_t)size + (size_t)x) * OUTPUTS + (size_t)o];
                wrong += got != plain(&layer, x, y, o);
                saturated += got == 0 || got == 255;
            }
    printf("%d x %d pixels, %d channels, %d outputs: %.3f ms, %.1f Gop/s\n", size, size, CHANNELS, OUTPUTS, seconds * 1e3,
           2.0 * (double)pixels * TAPS * CHANNELS * OUTPUTS / seconds * 1e-9);
    printf("%zu of %zu results differ from plain C; %.0f %% are at an end of the range\n", wrong, pixels * OUTPUTS,
           100.0 * (double)saturated / (double)(pixels * OUTPUTS));

    cl_mem buffers[] = {in, weights, bias, multiplier, out};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        clReleaseMemObject(buffers[i]);
    clReleaseProgram(program);
    host_close(&host);
    free(layer.in);
    free(result);
    return wrong != 0;
}
