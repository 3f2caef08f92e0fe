/* SPDX-License-Identifier: Apache-2.0
 * Chooses the arguments that a launch writes with non-temporal stores. An ordinary store reads the cache line first and writes it back
 * later; a non-temporal store only writes it. The next reader finds the data in memory and in no cache. So the launch must touch more than
 * the last-level cache holds, and write a good part of that. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "device-amx/costs.h"
#include "device-amx/cpu.h"

/* The root of low * high, rounded down. */
static uint64_t mean(uint64_t low, uint64_t high)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit /= 2)
        if ((root + bit) * (root + bit) <= low * high)
            root += bit;
    return root;
}

uint64_t tsr__nontemporal_cache(uint64_t shown, uint64_t cores)
{
    const uint64_t share = cores * TSR__CACHE_OF_A_CORE;
    return !share || share >= shown ? shown : mean(share, shown);
}

static uint64_t cache_bytes(void)
{
    const struct tsr_cpu *cpu = tsr_cpu();
    long here = sysconf(_SC_NPROCESSORS_CONF);
    if (!cpu->l3_size || here <= 0)
        return cpu->l3_size ? cpu->l3_size : cpu->l2_size;
    return tsr__nontemporal_cache(cpu->l3_size, ((uint64_t)here + cpu->core_threads - 1) / cpu->core_threads);
}

static uint64_t enough; /* bytes that a launch must touch; 0: no launch writes so */

static void find_enough(void)
{
    enough = tsr_env_size_or(TSR_ENV_STREAM, cache_bytes());
}

uint64_t tsr__nontemporal_choose(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range, const struct tsr_arg_memory *memory)
{
    uint64_t items = range->global[0] * range->global[1] * range->global[2], touched = 0, all = 0, streams = 0;
    uint64_t written[TSR_SIZED_ARGUMENTS] = {0};
    uint32_t count = kernel->arg_count < TSR_SIZED_ARGUMENTS ? kernel->arg_count : TSR_SIZED_ARGUMENTS;
    if (!memory || !(kernel->flags & TSR_KERNEL_NONTEMPORAL))
        return 0;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_enough);
    if (!enough)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tsr_arg_info *arg = &kernel->args[i];
        uint64_t most = items * arg->nontemporal_bytes;
        bool alone = true;
        if (!memory[i].bytes)
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (memory[k].bytes && tsr__overlap(&memory[i], &memory[k])) {
                alone = false;
                written[k] = 0; /* an argument that may be read, too */
            }
        touched += alone ? memory[i].bytes : 0;
        if (alone && range->local[0] * arg->nontemporal_bytes >= TSR_CACHE_LINE)
            written[i] = most < memory[i].bytes ? most : memory[i].bytes;
    }
    for (uint32_t i = 0; i < count; i++) {
        all += written[i];
        streams |= written[i] ? UINT64_C(1) << i : 0;
    }
    return touched > enough && all >= enough / TSR__NONTEMPORAL_PART ? streams : 0;
}
