/* SPDX-License-Identifier: Apache-2.0
 * An allocator to be preloaded, as jemalloc and tcmalloc are: its memory is not libc's, and memory that is not its own it does not take. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Nothing is used twice. */
static const size_t room = (size_t)64 << 30;
static char *_Atomic base;
static _Atomic size_t used;

struct head {
    size_t size;
    char padding[8];
};

static void *take(size_t align, size_t size)
{
    char *at = atomic_load(&base);
    if (!at) {
        at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        char *none = NULL;
        if (at == MAP_FAILED)
            abort();
        if (!atomic_compare_exchange_strong(&base, &none, at)) {
            munmap(at, room);
            at = none;
        }
    }
    align = align < 16 ? 16 : align;
    size_t need = size + align + sizeof(struct head);
    if (size > room / 2)
        return NULL;
    size_t offset = atomic_fetch_add(&used, need);
    if (offset + need > room)
        abort();
    uintptr_t result = ((uintptr_t)at + offset + sizeof(struct head) + align - 1) / align * align;
    ((struct head *)result)[-1].size = size;
    return (void *)result;
}

static struct head *head_of(void *p)
{
    static const char words[] = "memory of another allocator\n";
    char *at = atomic_load(&base);
    if (!at || (char *)p < at || (char *)p >= at + room) {
        (void)!write(2, words, sizeof words - 1);
        abort();
    }
    return (struct head *)p - 1;
}

void free(void *p)
{
    if (p)
        head_of(p);
}

void *malloc(size_t size)
{
    return take(16, size);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : take(16, bytes); /* fresh memory is zero */
}

void *realloc(void *p, size_t size)
{
    void *to = take(16, size);
    if (p && to)
        memcpy(to, p, head_of(p)->size < size ? head_of(p)->size : size);
    return to;
}

void *reallocarray(void *p, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t size)
{
    return take(align, size);
}

void *memalign(size_t align, size_t size)
{
    return take(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
    *p = take(align, size);
    return *p ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *p)
{
    return p ? head_of(p)->size : 0;
}
