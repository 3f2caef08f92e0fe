/* SPDX-License-Identifier: Apache-2.0
 * The device as a set of CPUs, which has a pool of workers, and its sub-devices. */
#include <string.h>

#include "device-amx/cpu.h"

static struct tsr__cpu_device *cpu_device(const struct tsr_device *device)
{
    return TSR_CONTAINER_OF(device, struct tsr__cpu_device, base);
}

void tsr__cpu_set(struct tsr__cpu_device *device, const struct tsr_device_ops *ops, const cpu_set_t *cpus)
{
    device->base = (struct tsr_device){.ops = ops, .caps = tsr__cpu_caps(), .compute_units = tsr_cpu_count(cpus)};
    device->identity.cpus = *cpus;
    memcpy(device->identity.brand, tsr_cpu()->brand, sizeof device->identity.brand);
}

/* The same CPUs of the same processor give the same identity in every process. */
const void *tsr__cpu_identity(const struct tsr_device *device, size_t *size)
{
    *size = sizeof cpu_device(device)->identity;
    return &cpu_device(device)->identity;
}

struct tsr_pool *tsr__cpu_pool(const struct tsr_device *device)
{
    return tsr_pool_get(&cpu_device(device)->identity.cpus);
}

bool tsr__cpu_splits(const struct tsr_device *device, enum tsr_domain domain)
{
    return tsr_topology_splits(&cpu_device(device)->identity.cpus, domain);
}

static void free_parts(struct tsr_device **parts, unsigned count)
{
    while (count)
        tsr__cpu_part_free(parts[--count]);
}

static bool make_part(const struct tsr_device *parent, const cpu_set_t *cpus, struct tsr_device **part)
{
    struct tsr__cpu_device *device = tsr_calloc(1, sizeof *device);
    if (!device)
        return false;
    tsr__cpu_set(device, parent->ops, cpus);
    *part = &device->base;
    return true;
}

/* Moves the next `count` CPUs after *next into *part. */
static void take(const cpu_set_t *from, int *next, uint32_t count, cpu_set_t *part)
{
    CPU_ZERO(part);
    for (; count && *next < CPU_SETSIZE; ++*next)
        if (CPU_ISSET(*next, from)) {
            CPU_SET(*next, part);
            count--;
        }
}

bool tsr__cpu_split_by_counts(const struct tsr_device *device, const uint32_t *counts, unsigned count, struct tsr_device **parts)
{
    int next = 0;
    for (unsigned i = 0; i < count; i++) {
        cpu_set_t cpus;
        take(&cpu_device(device)->identity.cpus, &next, counts[i], &cpus);
        if (!make_part(device, &cpus, &parts[i])) {
            free_parts(parts, i);
            return false;
        }
    }
    return true;
}

unsigned tsr__cpu_split_by_domain(const struct tsr_device *device, enum tsr_domain domain, struct tsr_device **parts)
{
    const cpu_set_t *cpus = &cpu_device(device)->identity.cpus;
    unsigned count = tsr_topology_split(cpus, domain, NULL, 0), made = 0;
    if (!parts)
        return count;
    cpu_set_t *sets = tsr_calloc(count, sizeof *sets);
    if (sets)
        tsr_topology_split(cpus, domain, sets, count);
    while (sets && made < count && make_part(device, &sets[made], &parts[made]))
        made++;
    tsr_free(sets);
    if (made == count)
        return count;
    free_parts(parts, made);
    return 0;
}

void tsr__cpu_part_free(struct tsr_device *part)
{
    tsr_free(cpu_device(part));
}
