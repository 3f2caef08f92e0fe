/* SPDX-License-Identifier: Apache-2.0
 * The digits, the trained network, its packed form for the kernels, and the same network in plain C. */
#ifndef DIGITS_NETWORK_H
#define DIGITS_NETWORK_H

#include <stdint.h>

enum { PIXELS = 64, CLASSES = 10, MAX_LAYERS = 8 };

struct digits {
    int count;       /* samples */
    int padded;      /* rounded up to a multiple of 8; the pixels of the samples that were added are zero */
    uint8_t *pixels; /* padded * PIXELS, 0 to 16 */
    uint8_t *labels; /* count */
};

/* A layer of either network; outputs are padded to a multiple of 16 with zero weights. */
struct layer {
    int inputs, outputs;
    int multiplier; /* of the int8 layer's sums, see train.py */
    int8_t *int8;   /* inputs * outputs, row by row */
    uint16_t *bf16;
    int32_t *int8_bias;
    float *bf16_bias;
};

struct network {
    int count;
    struct layer layers[MAX_LAYERS];
};

/* The loaders end the program with a message if the file is not what it should be. */
void digits_load(struct digits *d, const char *path);
void network_load(struct network *net, const char *path);
char *text_load(const char *path, long *size);
void *must_alloc(size_t count, size_t size);

/* B as the matrix functions want it: word (k / P) * outputs + n holds P = 4 (int8) or 2 (bfloat16) weights, of inputs k to k + P - 1. */
void layer_pack_int8(const struct layer *l, int32_t *words);
void layer_pack_bf16(const struct layer *l, int32_t *words);

/* Sums of the last layer for one sample, in plain C: the integers are what the kernels must give, exactly. */
void network_plain_int8(const struct network *net, const uint8_t *pixels, int32_t *out);
void network_plain_bf16(const struct network *net, const uint8_t *pixels, double *out);

uint16_t bf16_of(float x);

#endif
