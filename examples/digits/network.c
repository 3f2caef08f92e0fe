/* SPDX-License-Identifier: Apache-2.0
 * Files of the digits example, and its network in plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

void *must_alloc(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

char *text_load(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (*size = ftell(file)) < 0)
        fail(path, "cannot be read");
    char *text = must_alloc((size_t)*size + 1, 1);
    rewind(file);
    if (fread(text, 1, (size_t)*size, file) != (size_t)*size)
        fail(path, "cannot be read");
    fclose(file);
    return text;
}

/* Each line: 64 pixels from 0 to 16, then the digit. */
void digits_load(struct digits *d, const char *path)
{
    long size;
    char *text = text_load(path, &size), *at = text;

    d->count = 0;
    for (const char *p = text; *p; p++)
        d->count += *p == '\n';
    d->padded = (d->count + 7) / 8 * 8;
    d->pixels = must_alloc((size_t)d->padded, PIXELS);
    d->labels = must_alloc((size_t)d->count, 1);
    for (int i = 0; i < d->count; i++) {
        for (int j = 0; j <= PIXELS; j++) {
            char *end;
            long v = strtol(at, &end, 10);
            if (end == at || v < 0 || v > 16 || *end != (j < PIXELS ? ',' : '\n'))
                fail(path, "a line is not 64 pixels (0 to 16) and a digit");
            if (j < PIXELS)
                d->pixels[i * PIXELS + j] = (uint8_t)v;
            else
                d->labels[i] = (uint8_t)v;
            at = end + 1;
        }
    }
    free(text);
}

/* ---- weights ---- */

struct input {
    const char *path;
    const unsigned char *at, *end;
};

static const unsigned char *take(struct input *in, size_t size)
{
    const unsigned char *p = in->at;
    if ((size_t)(in->end - in->at) < size)
        fail(in->path, "ends too early");
    in->at += size;
    return p;
}

static int32_t take_int(struct input *in)
{
    const unsigned char *p = take(in, 4);
    return (int32_t)(p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24);
}

/* Rows of `used` elements into rows of `outputs`. */
static void take_rows(struct input *in, void *to, int rows, int used, int outputs, size_t size)
{
    for (int r = 0; r < rows; r++)
        memcpy((char *)to + (size_t)r * (size_t)outputs * size, take(in, (size_t)used * size), (size_t)used * size);
}

void network_load(struct network *net, const char *path)
{
    long size;
    char *text = text_load(path, &size);
    struct input in = {path, (unsigned char *)text, (unsigned char *)text + size};
    int inputs = PIXELS;

    if (memcmp(take(&in, 8), "TSRDIGIT", 8) != 0)
        fail(path, "is not a file of weights");
    net->count = take_int(&in);
    if (net->count < 1 || net->count > MAX_LAYERS)
        fail(path, "has a strange number of layers");
    for (int i = 0; i < net->count; i++) {
        struct layer *l = &net->layers[i];
        l->inputs = take_int(&in);
        int used = take_int(&in);
        l->multiplier = take_int(&in);
        if (l->inputs != inputs || l->inputs % 32 || used < 1 || used > 4096)
            fail(path, "has layers that do not fit together");
        l->outputs = (used + 15) / 16 * 16;
        size_t weights = (size_t)l->inputs * (size_t)l->outputs, outputs = (size_t)l->outputs;
        l->int8 = must_alloc(weights, sizeof(*l->int8));
        l->bf16 = must_alloc(weights, sizeof(*l->bf16));
        l->int8_bias = must_alloc(outputs, sizeof(*l->int8_bias));
        l->bf16_bias = must_alloc(outputs, sizeof(*l->bf16_bias));
        take_rows(&in, l->int8, l->inputs, used, l->outputs, sizeof(*l->int8));
        take_rows(&in, l->int8_bias, 1, used, l->outputs, sizeof(*l->int8_bias));
        take_rows(&in, l->bf16, l->inputs, used, l->outputs, sizeof(*l->bf16));
        take_rows(&in, l->bf16_bias, 1, used, l->outputs, sizeof(*l->bf16_bias));
        inputs = l->outputs;
        if (i == net->count - 1 && used != CLASSES)
            fail(path, "does not end in ten classes");
    }
    free(text);
}

void layer_pack_int8(const struct layer *l, int32_t *words)
{
    for (int k = 0; k < l->inputs; k++)
        for (int n = 0; n < l->outputs; n++)
            ((int8_t *)words)[(k / 4 * l->outputs + n) * 4 + k % 4] = l->int8[k * l->outputs + n];
}

void layer_pack_bf16(const struct layer *l, int32_t *words)
{
    for (int k = 0; k < l->inputs; k++)
        for (int n = 0; n < l->outputs; n++)
            ((uint16_t *)words)[(k / 2 * l->outputs + n) * 2 + k % 2] = l->bf16[k * l->outputs + n];
}

/* ---- plain C ---- */

void network_plain_int8(const struct network *net, const uint8_t *pixels, int32_t *out)
{
    int8_t x[4096], y[4096];

    for (int i = 0; i < PIXELS; i++)
        x[i] = (int8_t)pixels[i];
    for (const struct layer *l = net->layers; l < net->layers + net->count; l++) {
        for (int n = 0; n < l->outputs; n++) {
            int32_t sum = l->int8_bias[n];
            for (int k = 0; k < l->inputs; k++)
                sum += x[k] * l->int8[k * l->outputs + n];
            if (l + 1 == net->layers + net->count) {
                out[n] = sum;
                continue;
            }
            int64_t scaled = ((int64_t)sum * l->multiplier + (1 << 23)) >> 24;
            y[n] = (int8_t)(scaled < 0 ? 0 : scaled > 127 ? 127 : scaled);
        }
        memcpy(x, y, (size_t)l->outputs);
    }
}

uint16_t bf16_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float of_bf16(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Sums in double: what the kernels' float sums stand for. */
void network_plain_bf16(const struct network *net, const uint8_t *pixels, double *out)
{
    float x[4096], y[4096];

    for (int i = 0; i < PIXELS; i++)
        x[i] = pixels[i] / 16.0f;
    for (const struct layer *l = net->layers; l < net->layers + net->count; l++) {
        for (int n = 0; n < l->outputs; n++) {
            double sum = l->bf16_bias[n];
            for (int k = 0; k < l->inputs; k++)
                sum += (double)x[k] * (double)of_bf16(l->bf16[k * l->outputs + n]);
            if (l + 1 == net->layers + net->count)
                out[n] = sum;
            else
                y[n] = of_bf16(bf16_of(fmaxf((float)sum, 0)));
        }
        memcpy(x, y, (size_t)l->outputs * sizeof(*x));
    }
}
