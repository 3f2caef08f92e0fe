/* SPDX-License-Identifier: Apache-2.0
 * Which address space a pointer leads to: a stack, what packets keep at barriers, the local memory of a work-group; all else is global. */
#include "device-amx/cpu.h"

/* Memory of a worker of a launch. It stays in the launch's list until the end of the launch: a pointer may outlive the work-group that has
 * stored it for others. */
struct tsr__space {
    struct tsr__space *next;
    const char *low, *high;
    enum tsr_space space;
};

static const struct tsr__space *find(const struct tsr_launch *launch, const char *p)
{
    const struct tsr__space *s = atomic_load_explicit(&launch->spaces, memory_order_acquire);
    while (s && (p < s->low || p >= s->high))
        s = s->next;
    return s;
}

bool tsr__space_add(struct tsr_launch *launch, const void *memory, size_t size, enum tsr_space space)
{
    const char *low = memory, *high = low + size;
    if (!(launch->flags & TSR_KERNEL_ASKS_SPACES) || !size)
        return true;
    const struct tsr__space *known = find(launch, low);
    if (known && known->space == space && high <= known->high)
        return true;
    struct tsr__space *s = tsr_malloc(sizeof *s);
    if (!s)
        return false;
    *s = (struct tsr__space){atomic_load_explicit(&launch->spaces, memory_order_relaxed), low, high, space};
    while (!atomic_compare_exchange_weak_explicit(&launch->spaces, &s->next, s, memory_order_acq_rel, memory_order_relaxed))
        continue;
    return true;
}

void tsr__spaces_free(struct tsr_launch *launch)
{
    for (struct tsr__space *s = atomic_load(&launch->spaces), *next; s; s = next) {
        next = s->next;
        tsr_free(s);
    }
}

uint32_t tsr__space_of(struct tsr_item *item, const void *pointer)
{
    const struct tsr__space *s = find(((const struct tsr__work_item *)item)->run->launch, pointer);
    return s ? s->space : TSR_SPACE_GLOBAL;
}
