/* SPDX-License-Identifier: Apache-2.0
 * Whether CPUs can be split along a domain, read from /sys for a CPU or two: device queries ask this, and hwloc would take milliseconds
 * to read the whole machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/internal.h"

enum { FILE_LIMIT = 64 << 10, MAX_CACHES = 16, MAX_NODES = 1024 };

static char *read_text(const char *path)
{
    unsigned char *text;
    size_t size;
    return tsr_file_read(path, FILE_LIMIT, &text, &size) ? NULL : (char *)text;
}

/* "0-3,8-11\n" */
static void parse_list(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    while (*text >= '0' && *text <= '9') {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET(i, set);
        text = *end == ',' ? end + 1 : end;
    }
}

static bool read_list(const char *path, cpu_set_t *set)
{
    char *text = read_text(path);
    if (text)
        parse_list(text, set);
    tsr_free(text);
    return text != NULL;
}

static enum tsr__domain_found find_cache(const char *root, unsigned cpu, unsigned level, cpu_set_t *set)
{
    char path[256];
    for (unsigned i = 0; i < MAX_CACHES; i++) {
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/level", root, cpu, i);
        char *text = read_text(path);
        if (!text)
            return i ? TSR__DOMAIN_NONE : TSR__DOMAIN_UNKNOWN;
        bool wanted = strtoul(text, NULL, 10) == level;
        tsr_free(text);
        if (!wanted)
            continue;
        if (level == 1) { /* only in the first-level cache instructions have a cache of their own */
            snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/type", root, cpu, i);
            text = read_text(path);
            wanted = text && strncmp(text, "Instruction", 11) != 0;
            tsr_free(text);
            if (!wanted)
                continue;
        }
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", root, cpu, i);
        return read_list(path, set) ? TSR__DOMAIN_FOUND : TSR__DOMAIN_UNKNOWN;
    }
    return TSR__DOMAIN_NONE;
}

static enum tsr__domain_found find_node(const char *root, unsigned cpu, cpu_set_t *set)
{
    char path[256];
    cpu_set_t nodes; /* the list has the same form */
    snprintf(path, sizeof path, "%s/sys/devices/system/node/online", root);
    if (!read_list(path, &nodes))
        return TSR__DOMAIN_UNKNOWN;
    for (unsigned i = 0; i < MAX_NODES && i < CPU_SETSIZE; i++) {
        snprintf(path, sizeof path, "%s/sys/devices/system/node/node%u/cpulist", root, i);
        if (CPU_ISSET(i, &nodes) && read_list(path, set) && CPU_ISSET(cpu, set))
            return TSR__DOMAIN_FOUND;
    }
    return TSR__DOMAIN_NONE;
}

enum tsr__domain_found tsr__domain_of(const char *root, unsigned cpu, enum tsr_domain domain, cpu_set_t *set)
{
    switch (domain) {
    case TSR_DOMAIN_NUMA:
        return find_node(root, cpu, set);
    case TSR_DOMAIN_L4:
        return find_cache(root, cpu, 4, set);
    case TSR_DOMAIN_L3:
        return find_cache(root, cpu, 3, set);
    case TSR_DOMAIN_L2:
        return find_cache(root, cpu, 2, set);
    case TSR_DOMAIN_L1:
        return find_cache(root, cpu, 1, set);
    case TSR_DOMAIN_COUNT:
        break;
    }
    return TSR__DOMAIN_NONE;
}

/* Counts the domains of the CPUs in *count and stops at `enough`. UNKNOWN: /sys does not tell. */
static enum tsr__domain_found walk(const char *root, const cpu_set_t *cpus, enum tsr_domain domain, unsigned enough, cpu_set_t *parts,
                                   unsigned max, unsigned *count)
{
    *count = 0;
    cpu_set_t left = *cpus;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && *count < enough; cpu++) {
        cpu_set_t set;
        if (!CPU_ISSET(cpu, &left))
            continue;
        switch (tsr__domain_of(root, cpu, domain, &set)) {
        case TSR__DOMAIN_UNKNOWN:
            return TSR__DOMAIN_UNKNOWN;
        case TSR__DOMAIN_NONE: /* some cores may have the cache, others not */
            CPU_CLR(cpu, &left);
            break;
        case TSR__DOMAIN_FOUND:
            CPU_AND(&set, &set, &left);
            CPU_XOR(&left, &left, &set);
            if (*count < max)
                parts[*count] = set;
            ++*count;
            break;
        }
    }
    return *count ? TSR__DOMAIN_FOUND : TSR__DOMAIN_NONE;
}

unsigned tsr__domain_split(const char *root, const cpu_set_t *cpus, enum tsr_domain domain, cpu_set_t *parts, unsigned max)
{
    unsigned count;
    return walk(root, cpus, domain, CPU_SETSIZE, parts, max, &count) == TSR__DOMAIN_FOUND ? count : 0;
}

enum tsr__domain_found tsr__domain_splits(const char *root, const cpu_set_t *cpus, enum tsr_domain domain)
{
    unsigned count;
    enum tsr__domain_found found = walk(root, cpus, domain, 2, NULL, 0, &count);
    return found == TSR__DOMAIN_FOUND && count < 2 ? TSR__DOMAIN_NONE : found;
}
