/* SPDX-License-Identifier: Apache-2.0
 * What a launch knows of its arguments' memory, and the compiler cannot know. Some loops are made twice: as fast as they can be for
 * arguments that are alone in their memory, or whose memory is small, and for any. */
#include <string.h>

#include "device-amx/cpu.h"

static uint64_t pointer_of(const struct tsr_kernel_info *kernel, const void *args, uint32_t i)
{
    uint64_t pointer = 0;
    if (kernel->args[i].kind == TSR_ARG_POINTER)
        memcpy(&pointer, (const char *)args + kernel->args[i].offset, sizeof pointer);
    return pointer;
}

uint64_t tsr__alone_arguments(const struct tsr_kernel_info *kernel, const void *args, const struct tsr_arg_memory *memory)
{
    uint64_t alone = 0;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (!pointer_of(kernel, args, i))
            continue;
        if (i >= TSR_SIZED_ARGUMENTS || !memory[i].bytes)
            return 0; /* it may reach anything */
        alone |= UINT64_C(1) << i;
        for (uint32_t k = 0; k < i; k++)
            if (memory[k].bytes && tsr__overlap(&memory[i], &memory[k]))
                alone &= ~(UINT64_C(1) << i | UINT64_C(1) << k);
    }
    return alone;
}

void tsr__note_memory(struct tsr_group *group, const struct tsr_kernel_info *kernel, const void *args, const struct tsr_arg_memory *memory)
{
    if (!kernel->asked_arguments || !memory)
        return;
    for (uint32_t i = 0; i < kernel->arg_count && i < TSR_SIZED_ARGUMENTS; i++)
        if (pointer_of(kernel, args, i) && memory[i].bytes && memory[i].bytes < TSR_SMALL_MEMORY)
            group->small |= UINT64_C(1) << i;
    group->alone = tsr__alone_arguments(kernel, args, memory);
}
