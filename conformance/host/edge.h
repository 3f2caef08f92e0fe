/* SPDX-License-Identifier: Apache-2.0
 * What programs share that run files of kernels: the text, and buffers at the edge of memory. */
#ifndef TESSERA_CONFORMANCE_EDGE_H
#define TESSERA_CONFORMANCE_EDGE_H

#include <stdbool.h>
#include <sys/mman.h>

#include "host.h"

/* To be freed. */
static inline char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    REQUIRE(f, "%s cannot be read", path);
    REQUIRE(!fseek(f, 0, SEEK_END), "%s", path);
    long size = ftell(f);
    REQUIRE(size >= 0, "%s", path);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    REQUIRE(text && fread(text, 1, (size_t)size, f) == (size_t)size, "%s", path);
    fclose(f);
    return text;
}

/* Memory between two pages that nobody may touch. */
struct region {
    unsigned char *at, *data;
    size_t size, bytes;
};

/* The data end where the memory does, or begin where it does. `closed`: nobody may touch them, either. */
static inline struct region region_for(size_t bytes, bool at_begin, bool closed)
{
    enum { PAGE = 4096 };
    size_t pages = (bytes + PAGE - 1) / PAGE;
    struct region r = {.size = (pages + 2) * PAGE, .bytes = bytes};
    r.at = mmap(NULL, r.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(r.at != MAP_FAILED && (closed || !mprotect(r.at + PAGE, pages * PAGE, PROT_READ | PROT_WRITE)), "out of memory");
    r.data = at_begin ? r.at + PAGE : r.at + (pages + 1) * PAGE - bytes;
    return r;
}

static inline void release(struct region *r)
{
    munmap(r->at, r->size);
}

#endif
