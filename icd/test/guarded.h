/* SPDX-License-Identifier: Apache-2.0
 * Memory between two pages that nobody may touch, with a plain copy of what it should hold: for tests that compare every byte. */
#ifndef TESSERA_ICD_GUARDED_H
#define TESSERA_ICD_GUARDED_H

#include <sys/mman.h>

#include "icd/test/cl_test.h"

struct guarded {
    unsigned char *bytes, *model; /* the memory and what it should hold */
    size_t size;                  /* a multiple of a page: a guard page lies right before and right behind */
};

enum { GUARDED_PAGE = 4096 };

static unsigned guarded_seed = 12345;
static CL_TEST_UNUSED size_t guarded_below(size_t limit)
{
    guarded_seed = guarded_seed * 1664525u + 1013904223u;
    return (guarded_seed >> 8) % limit;
}

/* At least `size` bytes of noise. */
static CL_TEST_UNUSED struct guarded guarded_make(size_t size)
{
    struct guarded g = {.size = (size + GUARDED_PAGE - 1) / GUARDED_PAGE * GUARDED_PAGE};
    unsigned char *map = mmap(NULL, g.size + 2 * GUARDED_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_THAT(map != MAP_FAILED);
    g.bytes = map + GUARDED_PAGE;
    CHECK_THAT(!mprotect(g.bytes, g.size, PROT_READ | PROT_WRITE));
    g.model = malloc(g.size);
    CHECK_THAT(g.model);
    uint64_t state = guarded_seed++;
    for (size_t i = 0; i < g.size; i += sizeof state) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t noise = state ^ state >> 32;
        memcpy(g.bytes + i, &noise, sizeof noise);
    }
    memcpy(g.model, g.bytes, g.size);
    return g;
}

static CL_TEST_UNUSED void guarded_free(struct guarded *g)
{
    munmap(g->bytes - GUARDED_PAGE, g->size + 2 * GUARDED_PAGE);
    free(g->model);
}

/* Where `size` bytes begin that lie `shift` bytes behind the first guard page or before the second. */
static CL_TEST_UNUSED size_t guarded_place(const struct guarded *g, bool at_end, size_t shift, size_t size)
{
    return at_end ? g->size - shift - size : shift;
}

/* Changes bytes of a region in memory and model, so that a command that does not write them all is noticed. */
static CL_TEST_UNUSED void guarded_spoil(struct guarded *g, size_t at, size_t size)
{
    enum { STEP = 61, EDGE = 130 };
    for (size_t i = 0; i < size; i += i < EDGE || size - i <= EDGE ? 1 : size - i < EDGE + STEP ? size - i - EDGE : STEP) {
        g->model[at + i] ^= 0xff;
        g->bytes[at + i] ^= 0xff;
    }
}

/* Compares the region and what lies around it with the model; the rest of the memory too, if `all`. */
static CL_TEST_UNUSED void guarded_check(const struct guarded *g, size_t at, size_t size, bool all, const char *what)
{
    enum { AROUND = 1 << 17 };
    size_t begin = all || at < AROUND ? 0 : at - AROUND, end = all || g->size - at - size < AROUND ? g->size : at + size + AROUND;
    if (!memcmp(g->bytes + begin, g->model + begin, end - begin))
        return;
    size_t bad = begin;
    while (g->bytes[bad] == g->model[bad])
        bad++;
    fail_msg("%s: %zu bytes from %zu of %zu: byte %zd of them is %u, expected %u", what, size, at, g->size, (ssize_t)(bad - at),
             g->bytes[bad], g->model[bad]);
}

#endif
