/* SPDX-License-Identifier: Apache-2.0
 * What a launch knows of its arguments' memory, and the compiler cannot know. Some loops are made twice: as fast as they can be for
 * arguments that are alone in their memory, or whose memory is small, and for any. */
#include <string.h>

#include "device-amx/cpu.h"

void tsr__note_memory(struct tsr_group *group, const struct tsr_kernel_info *kernel, const void *args, const struct tsr_arg_memory *memory)
{
    uint64_t alone = 0;
    bool all_known = true;
    if (!kernel->asked_arguments || !memory)
        return;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        uint64_t pointer;
        if (kernel->args[i].kind != TSR_ARG_POINTER)
            continue;
        memcpy(&pointer, (const char *)args + kernel->args[i].offset, sizeof pointer);
        if (!pointer)
            continue;
        if (i >= TSR_SIZED_ARGUMENTS || !memory[i].bytes) {
            all_known = false; /* it may reach anything */
            continue;
        }
        alone |= UINT64_C(1) << i;
        group->small |= memory[i].bytes < TSR_SMALL_MEMORY ? UINT64_C(1) << i : 0;
        for (uint32_t k = 0; k < i; k++)
            if (memory[k].bytes && tsr__overlap(&memory[i], &memory[k]))
                alone &= ~(UINT64_C(1) << i | UINT64_C(1) << k);
    }
    group->alone = all_known ? alone : 0;
}
