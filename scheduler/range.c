/* SPDX-License-Identifier: Apache-2.0
 * Ranges of units: each worker begins with its own part, the same one at each launch, and then helps with the parts of others. */
#include "scheduler/internal.h"

struct tsr__range *tsr__range_new(unsigned width)
{
    struct tsr__range *range = tsr_aligned(_Alignof(struct tsr__range), sizeof *range + width * sizeof range->part[0]);
    if (range)
        *range = (struct tsr__range){0};
    return range;
}

void tsr__range_split(struct tsr__range *range, unsigned parts, uint64_t units)
{
    assert(parts);
    uint64_t each = units / parts, more = units % parts, at = 0;
    range->parts = parts;
    for (unsigned i = 0; i < parts; i++) {
        atomic_store_explicit(&range->part[i].next, at, memory_order_relaxed);
        at += each + (i < more);
        range->part[i].end = at;
    }
    assert(at == units);
}

bool tsr__range_take(_Atomic uint64_t *next, uint64_t end, struct tsr__step step, unsigned share, uint64_t *begin, uint64_t *stop)
{
    TSR__POINT();
    assert(share && step.most);
    uint64_t at = atomic_load_explicit(next, memory_order_relaxed);
    for (;;) {
        if (at >= end)
            return false;
        uint64_t size = (end - at - 1) / share + 1;
        size = size > step.least ? size : step.least;
        size = size < step.most ? size : step.most;
        if (size > end - at || end - at - size < step.least) /* nothing smaller than the least step remains */
            size = end - at;
        TSR__POINT();
        if (atomic_compare_exchange_weak_explicit(next, &at, at + size, memory_order_relaxed, memory_order_relaxed)) {
            *begin = at;
            *stop = at + size;
            return true;
        }
    }
}
