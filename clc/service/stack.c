/* SPDX-License-Identifier: Apache-2.0
 * A stack that is large enough for a compiler, whatever the limit of the process is: clang recurses as deeply as programs nest. */
#include "clc/service/service.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { GUARD = TSR_PAGE };

static const size_t sizes[] = {(size_t)64 << 20, (size_t)16 << 20, (size_t)4 << 20};

/* For the start of a context, which takes no pointers. */
static _Thread_local struct {
    void (*function)(void *);
    void *data;
} entered;

static void enter(void)
{
    entered.function(entered.data);
}

bool tsr__has_room(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at != MAP_FAILED && !munmap(at, size);
}

bool tsr__run_on_stack(struct tsr__stack *stack, void (*function)(void *), void *data)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(sizes) && !stack->low; i++) {
        if (!tsr__has_room(2 * sizes[i]))
            continue;
        void *low = mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (low == MAP_FAILED)
            continue;
        mprotect(low, GUARD, PROT_NONE);
        *stack = (struct tsr__stack){low, sizes[i]};
    }
    ucontext_t here, there;
    if (!stack->low || getcontext(&there))
        return false;
    there.uc_stack.ss_sp = stack->low;
    there.uc_stack.ss_size = stack->size;
    there.uc_link = &here;
    entered.function = function;
    entered.data = data;
    makecontext(&there, enter, 0);
    return !swapcontext(&here, &there);
}
