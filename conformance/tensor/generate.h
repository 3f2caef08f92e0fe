/* SPDX-License-Identifier: Apache-2.0
 * Random programs in the tensor language, and the memory that they are run with. */
#ifndef TESSERA_CONFORMANCE_TENSOR_GENERATE_H
#define TESSERA_CONFORMANCE_TENSOR_GENERATE_H

#include "tessera/tensor.h"

enum { MOST_BUFFERS = 6, MOST_MODES = 3 };

/* A parameter: a memref whose last mode is that of the work-groups, or a group with a memref for each of these. Strides are those of packed
 * memory, but for a gap behind each column, or between the numbers of one. */
struct buffer {
    char type[8];
    bool open[MOST_MODES + 1]; /* '?' in the type */
    bool strided, first_open;  /* the type lists strides, which are '?', the first one only if it is open */
    bool group, offset_open;
    uint32_t order; /* without the mode of the work-groups */
    int64_t shape[MOST_MODES + 1], stride[MOST_MODES + 1];
    int64_t offset; /* of a group, in elements */
    size_t elements, bytes;
};

struct generated {
    char *text; /* malloc'd */
    struct buffer buffers[MOST_BUFFERS];
    uint32_t buffer_count;
    uint32_t groups;
    uint32_t local[2]; /* work-group size that the function requires; 0: it names none */
};

/* All numbers are small integers in whatever type they are, so that no order of additions makes a difference. The parameters are the
 * buffers. */
void generate(uint64_t seed, struct generated *g);
/* Number k of a buffer as it is at the start. */
int initial_value(uint64_t seed, uint32_t buffer, size_t k);

#endif
