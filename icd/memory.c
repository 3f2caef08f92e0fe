/* SPDX-License-Identifier: Apache-2.0
 * The host's memory behind buffers and SVM allocations. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "icd/mem.h"

/* Where in a page a large object begins. A load seems to a CPU to depend on an earlier store whose address has the same twelve low bits,
 * and kernels walk through several objects at one pace: so no two of eight in a row begin less than 512 bytes apart. */
static size_t place_in_page(void)
{
    static atomic_uint count;
    unsigned n = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return TSR_MEM_ALIGN + n * 5 % 8 * 512 + n / 8 % 4 * TSR_MEM_ALIGN;
}

unsigned char *tsr__mem_allocate(size_t size)
{
    enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };
    /* Large ones by pages: few pages of theirs are shared with other data, and freeing them gives the pages back. Rows of a matrix lie on
     * as many pages, far more than the CPU keeps translations for; with huge pages they do not. */
    bool large = size >= TSR__PAGED_OBJECT, huge = size >= TSR__HUGE_OBJECT;
    size_t before = large ? place_in_page() : TSR_MEM_ALIGN;
    unsigned char *memory = size + before > size ? tsr_aligned(huge ? HUGE_PAGE : large ? PAGE : TSR_MEM_ALIGN, size + before) : NULL;
    if (!memory)
        return NULL;
    if (huge)
        madvise(memory, size + before, MADV_HUGEPAGE); /* a kernel without them refuses, which does no harm */
    memory += before;
    memcpy(memory - sizeof before, &before, sizeof before);
    return memory;
}

void tsr__mem_free(unsigned char *memory)
{
    size_t before;
    if (!memory)
        return;
    memcpy(&before, memory - sizeof before, sizeof before);
    tsr_free(memory - before);
}
