/* SPDX-License-Identifier: Apache-2.0
 * What the fuzzers share: bytes as decisions, and seeds. */
#ifndef TESSERA_FUZZ_H
#define TESSERA_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/base.h"

/* The test of an oracle: stops as a crash does, so that libFuzzer keeps the input. */
#define FUZZ_CHECK(condition)                                                                                                              \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                                      \
            abort();                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

/* The input as a row of small decisions; zeros when it is used up. */
struct fuzz_bytes {
    const unsigned char *at;
    size_t left;
};

static inline unsigned fuzz_byte(struct fuzz_bytes *bytes)
{
    return bytes->left ? (bytes->left--, *bytes->at++) : 0;
}
static inline unsigned fuzz_below(struct fuzz_bytes *bytes, unsigned limit)
{
    unsigned value = fuzz_byte(bytes);
    if (limit > 256)
        value |= fuzz_byte(bytes) << 8;
    return value % limit;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Appends the seed of this index; false: there is none. Each fuzzer has its own. `--seeds FOLDER` writes them there. */
bool fuzz_seed(unsigned index, struct tsr_buf *seed);
/* Called once before the first input. */
void fuzz_begin(void);

#endif
