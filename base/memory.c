/* SPDX-License-Identifier: Apache-2.0
 * Heap memory that can be made to fail on purpose, so that every failure path can be tested. */
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* How many more allocations succeed: UNREAD before the first one, NEVER without injected failures. */
#define UNREAD LLONG_MIN
#define NEVER LLONG_MAX
static _Atomic long long left = UNREAD;

void tsr_fail_alloc(long long n)
{
    atomic_store(&left, n > 0 ? n - 1 : NEVER);
}

static bool fails(void)
{
    long long now = atomic_load_explicit(&left, memory_order_relaxed);
    if (now == UNREAD) {
        long long n = tsr_env_int_or(TSR_ENV_FAIL_ALLOC, 0, 1, LLONG_MAX);
        atomic_compare_exchange_strong(&left, &now, n > 0 ? n - 1 : NEVER);
        now = atomic_load(&left);
    }
    if (now == NEVER)
        return false;
    while (now > 0)
        if (atomic_compare_exchange_weak(&left, &now, now - 1))
            return false;
    return true;
}

void *tsr_malloc(size_t size)
{
    return fails() ? NULL : malloc(size ? size : 1);
}

void *tsr_calloc(size_t count, size_t size)
{
    return fails() ? NULL : count && size ? calloc(count, size) : calloc(1, 1);
}

void *tsr_realloc(void *p, size_t size)
{
    return fails() ? NULL : realloc(p, size ? size : 1);
}

void *tsr_aligned(size_t align, size_t size)
{
    void *p;
    if (align < sizeof(void *))
        align = sizeof(void *);
    return !fails() && !posix_memalign(&p, align, size ? size : 1) ? p : NULL;
}

char *tsr_strdup(const char *s)
{
    return tsr_strndup(s, strlen(s));
}

char *tsr_strndup(const char *s, size_t n)
{
    n = strnlen(s, n);
    char *copy = tsr_malloc(n + 1);
    if (copy) {
        memcpy(copy, s, n);
        copy[n] = 0;
    }
    return copy;
}

char *tsr_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : tsr_malloc((size_t)size + 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)size + 1, format, args);
        va_end(args);
    }
    return text;
}

void tsr_free(void *p)
{
    free(p);
}
