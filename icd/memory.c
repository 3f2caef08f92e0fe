/* SPDX-License-Identifier: Apache-2.0
 * The host's memory behind buffers and SVM allocations. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "icd/mem.h"

/* Offset in its page at which a large object begins. To a CPU, a load depends on an earlier store whose address has the same twelve low
 * bits, and kernels walk through several objects at the same pace. So of eight objects in a row no two begin less than 512 bytes apart. */
static size_t place_in_page(void)
{
    static atomic_uint count;
    unsigned n = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return TSR_MAX_ALIGN + n * 5 % 8 * 512 + n / 8 % 4 * TSR_MAX_ALIGN;
}

unsigned char *tsr__mem_allocate(size_t size)
{
    enum { HUGE_PAGE = 2 << 20 };
    /* Large objects have pages of their own: few pages are shared with other data, and freeing the object gives the pages back. Huge pages,
     * because the rows of a matrix lie on more pages than the CPU keeps translations for. */
    bool large = size >= TSR__PAGED_OBJECT, huge = size >= TSR__HUGE_OBJECT;
    size_t before = large ? place_in_page() : TSR_MAX_ALIGN;
    unsigned char *memory = size + before > size ? tsr_aligned(huge ? HUGE_PAGE : large ? TSR_PAGE : TSR_MAX_ALIGN, size + before) : NULL;
    if (!memory)
        return NULL;
    if (huge)
        madvise(memory, size + before, MADV_HUGEPAGE); /* a kernel without huge pages refuses, which does no harm */
    memory += before;
    memcpy(memory - sizeof before, &before, sizeof before);
    /* Small objects come from the process's heap. New memory of a GPU is zeros, and programs written there read some of it before they
     * have written it. */
    if (!large)
        memset(memory, 0, size);
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
