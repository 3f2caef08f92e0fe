/* SPDX-License-Identifier: Apache-2.0
 * Fibers: stacks with guard pages in one mapping per worker, and the change from one to another. */
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "device-amx/cpu.h"
#include "tessera/sanitizer.h"

#if TSR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if TSR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum {
    PAGE = TSR_PAGE,
    /* Tops of the stacks are spread over a page: at equal offsets all work-items would use the same lines of the first-level cache. */
    COLOUR_STEP = 192,
    /* Room above the kernel's frames: for the device's own functions, and SIGNAL_BYTES and a signal frame for a signal handler of the
     * application. */
    OWN_BYTES = 2048,
    SIGNAL_BYTES = 16384,
    PARKED = 64,
    /* Each guard page costs the process two of the 65,530 mappings that Linux allows; stacks beyond this number have none. */
    MAX_GUARDS = 12288,
    KEEP_BYTES = 256 << 20,
};

struct tsr__stacks {
    char *base;
    size_t mapped, stride, count;
    bool guarded;
#if TSR_TSAN
    void *tsan[];
#endif
};

/* In assembly: fiber_switch.S. */
void tsr__switch(void **save, void *to);
void tsr__fiber_entry(void);

/* Stacks kept for the next group of the same worker. An array and no list, so it needs no lock, and a child forked at any moment can use
 * it. */
static _Atomic(struct tsr__stacks *) parked[PARKED];
static _Atomic int guards;

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

size_t tsr__stack_bytes(uint64_t private_bytes)
{
    return round_up(private_bytes + OWN_BYTES, PAGE) + PAGE;
}

static void unmap(struct tsr__stacks *stacks)
{
    if (!stacks)
        return;
#if TSR_TSAN
    for (size_t i = 0; i < stacks->count; i++) {
        if (stacks->tsan[i])
            __tsan_destroy_fiber(stacks->tsan[i]);
    }
#endif
    munmap(stacks->base, stacks->mapped);
    if (stacks->guarded)
        atomic_fetch_sub(&guards, (int)stacks->count);
    tsr_free(stacks);
}

static struct tsr__stacks *map(size_t count, size_t stride)
{
    if (stride > SIZE_MAX / 2 / count)
        return NULL;
#if TSR_TSAN
    struct tsr__stacks *stacks = tsr_calloc(1, sizeof *stacks + count * sizeof(void *));
#else
    struct tsr__stacks *stacks = tsr_calloc(1, sizeof *stacks);
#endif
    if (!stacks)
        return NULL;
    stacks->count = count;
    stacks->stride = stride;
    stacks->mapped = count * stride;
    stacks->base = mmap(NULL, stacks->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stacks->base == MAP_FAILED) {
        tsr_free(stacks);
        return NULL;
    }
    /* No huge pages: each stack touches a few small pages of its own. */
    madvise(stacks->base, stacks->mapped, MADV_NOHUGEPAGE);
    if (atomic_fetch_add(&guards, (int)count) + (int)count > MAX_GUARDS) {
        atomic_fetch_sub(&guards, (int)count);
        return stacks;
    }
    stacks->guarded = true;
    for (size_t i = 0; i < count; i++) {
        if (mprotect(stacks->base + i * stride, PAGE, PROT_NONE))
            break;
    }
    return stacks;
}

struct tsr__stacks *tsr__stacks_take(unsigned hint, size_t count, size_t bytes)
{
    size_t signal_frame = getauxval(AT_MINSIGSTKSZ);
    /* guard, room for signals, the frames, room for the colours */
    size_t stride = PAGE + round_up(bytes + OWN_BYTES + SIGNAL_BYTES + signal_frame, PAGE) + PAGE;
    struct tsr__stacks *stacks = atomic_exchange(&parked[hint % PARKED], NULL);
    if (stacks && stacks->count >= count && stacks->stride >= stride)
        return stacks;
    if (stacks && stacks->count > count && stacks->stride < 2 * stride)
        count = stacks->count;
    unmap(stacks);
    return map(count, stride);
}

void tsr__stacks_give_back(unsigned hint, struct tsr__stacks *stacks)
{
    if (!stacks)
        return;
    if (stacks->mapped > KEEP_BYTES)
        unmap(stacks);
    else
        unmap(atomic_exchange(&parked[hint % PARKED], stacks));
}

const void *tsr__stacks_memory(const struct tsr__stacks *stacks, size_t *size)
{
    *size = stacks->mapped;
    return stacks->base;
}

void tsr__fiber_make(struct tsr__stacks *stacks, size_t index, struct tsr__fiber *fiber, void (*start)(void *), void *argument)
{
    assert(index < stacks->count);
    char *low = stacks->base + index * stacks->stride + PAGE, *high = stacks->base + (index + 1) * stacks->stride;
    fiber->low = low;
    fiber->size = (size_t)(high - low);
    fiber->sanitizer = NULL;
#if TSR_ASAN
    __asan_unpoison_memory_region(low, fiber->size);
#endif
#if TSR_TSAN
    /* A new one each time: frames that the last function never returned from would stay in ThreadSanitizer's list of calls until that
     * overflows. */
    if (stacks->tsan[index])
        __tsan_destroy_fiber(stacks->tsan[index]);
    stacks->tsan[index] = __tsan_create_fiber(0);
    fiber->sanitizer = stacks->tsan[index];
#endif
    uintptr_t top = ((uintptr_t)high - index * COLOUR_STEP % PAGE) & ~(uintptr_t)(TSR_MAX_ALIGN - 1);
    void **sp = (void **)top - 7;
    assert((char *)sp > low);
    sp[0] = NULL;                     /* r15 */
    sp[1] = NULL;                     /* r14 */
    sp[2] = (void *)(uintptr_t)start; /* r13 */
    sp[3] = argument;                 /* r12 */
    sp[4] = NULL;                     /* rbx */
    sp[5] = NULL;                     /* rbp */
    sp[6] = (void *)(uintptr_t)tsr__fiber_entry;
    fiber->sp = sp;
}

void tsr__fiber_worker(struct tsr__fiber *worker)
{
    memset(worker, 0, sizeof *worker);
#if TSR_TSAN
    worker->sanitizer = __tsan_get_current_fiber();
#endif
}

void tsr__fiber_switch(struct tsr__fiber *from, struct tsr__fiber *to)
{
#if TSR_ASAN
    __sanitizer_start_switch_fiber(&from->sanitizer, to->low, to->size);
#endif
#if TSR_TSAN
    __tsan_switch_to_fiber(to->sanitizer, 0);
#endif
    tsr__switch(&from->sp, to->sp);
#if TSR_ASAN
    __sanitizer_finish_switch_fiber(from->sanitizer, NULL, NULL);
#endif
}

void tsr__fiber_started(struct tsr__fiber *from)
{
#if TSR_ASAN
    __sanitizer_finish_switch_fiber(NULL, (const void **)&from->low, &from->size);
#endif
    (void)from;
}

/* Its variable must lie on the fiber's own stack: AddressSanitizer's substitute is gone once the fiber has said that it ends. */
__attribute__((no_sanitize_address)) void tsr__fiber_end(struct tsr__fiber *to)
{
    void *nowhere;
#if TSR_ASAN
    __sanitizer_start_switch_fiber(NULL, to->low, to->size);
#endif
#if TSR_TSAN
    __tsan_switch_to_fiber(to->sanitizer, 0);
#endif
    tsr__switch(&nowhere, to->sp);
    __builtin_unreachable();
}
