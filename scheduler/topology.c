/* SPDX-License-Identifier: Apache-2.0
 * Which CPUs and how much memory there are for this process, and how the CPUs group. hwloc is loaded for the last question only. */
#include <dlfcn.h>
#include <hwloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scheduler/internal.h"

/* ---- CPUs ---- */

static cpu_set_t inherited, allowed;
static struct tsr__limits limits; /* read once: reading these files takes longer than the rest of a device query */
static bool pinned;

/* The mask of the calling thread; of machines with more CPUs than a cpu_set_t has bits, the first ones. */
static void read_affinity(cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    for (size_t bits = CPU_SETSIZE; bits <= CPU_SETSIZE * 64; bits *= 2) {
        cpu_set_t *large = CPU_ALLOC(bits);
        size_t size = CPU_ALLOC_SIZE(bits);
        bool read = large && !sched_getaffinity(0, size, large);
        for (size_t i = 0; read && i < CPU_SETSIZE; i++)
            if (CPU_ISSET_S(i, size, large))
                CPU_SET(i, cpus);
        CPU_FREE(large);
        if (read)
            break;
    }
    if (!CPU_COUNT(cpus))
        CPU_SET(0, cpus);
}

/* Whether the CPU is not the first of its core: such CPUs come after the first ones of all cores. */
static bool second_of_core(const char *root, unsigned cpu)
{
    char path[256];
    unsigned char *text;
    size_t size;
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", root, cpu);
    if (length >= (int)sizeof path || tsr_file_read(path, 4096, &text, &size))
        return false;
    unsigned long first = strtoul((char *)text, NULL, 10);
    tsr_free(text);
    return first != cpu;
}

void tsr__cpus_keep(const char *root, cpu_set_t *cpus, unsigned count)
{
    cpu_set_t kept;
    CPU_ZERO(&kept);
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < CPU_SETSIZE && count; i++)
            if (CPU_ISSET(i, cpus) && !CPU_ISSET(i, &kept) && (round || !second_of_core(root, i))) {
                CPU_SET(i, &kept);
                count--;
            }
    *cpus = kept;
}

static void find_allowed(void)
{
    read_affinity(&inherited);
    allowed = inherited;
    unsigned all = (unsigned)CPU_COUNT(&allowed);
    tsr__limits_read("", &limits);
    unsigned count = (unsigned)tsr_env_int_or(TSR_ENV_THREADS, 0, 1, CPU_SETSIZE);
    const char *why = count ? "TESSERA_THREADS" : "cgroup quota";
    if (!count)
        count = limits.cpus;
    bool cut = count && count < all;
    if (cut)
        tsr__cpus_keep("", &allowed, count);
    /* A quota names no CPUs: many containers that all bind their threads to the first few would share just those. */
    pinned = tsr_env_bool_or(TSR_ENV_PIN, !cut);
    tsr_log(TSR_LOG_SCHED, "%d of %u CPUs%s%s", CPU_COUNT(&allowed), all, cut ? ", by " : "", cut ? why : "");
}

static void need_allowed(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_allowed);
}

const cpu_set_t *tsr_cpus_allowed(void)
{
    need_allowed();
    return &allowed;
}

const cpu_set_t *tsr__cpus_inherited(void)
{
    need_allowed();
    return &inherited;
}

bool tsr__cpus_pinned(void)
{
    need_allowed();
    return pinned;
}

unsigned tsr_cpu_count(const cpu_set_t *cpus)
{
    return (unsigned)CPU_COUNT(cpus);
}

/* ---- memory ---- */

uint64_t tsr_memory_limit(void)
{
    need_allowed();
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (limits.memory && limits.memory < bytes)
        bytes = limits.memory;
    struct rlimit space;
    if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY && space.rlim_cur < bytes)
        bytes = space.rlim_cur;
    return bytes;
}

/* ---- domains ---- */

/* hwloc is opened when it is needed: loading it with its own libraries takes a third of a millisecond, which every program that only
 * lists devices would pay. */
#define HWLOC_FUNCTIONS(use)                                                                                                               \
    use(bitmap_next) use(get_obj_by_depth) use(get_type_depth) use(topology_destroy) use(topology_init) use(topology_load)                 \
        use(topology_set_components) use(topology_set_icache_types_filter) use(topology_set_io_types_filter) use(topology_set_type_filter)

static struct {
#define USE(name) __typeof__(&hwloc_##name) name;
    HWLOC_FUNCTIONS(USE)
#undef USE
} hw;

static bool open_hwloc(void)
{
    if (tsr_is_privileged()) /* hwloc loads plug-ins that its environment variables name */
        return false;
    tsr_no_fork_begin();
    void *library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
#define USE(name) &&(*(void **)&hw.name = dlsym(library, "hwloc_" #name)) != NULL
    bool complete = library HWLOC_FUNCTIONS(USE);
#undef USE
    tsr_no_fork_end();
    return complete;
}

static hwloc_topology_t topology; /* NULL: could not be loaded */

static void load_topology(void)
{
    /* Without devices, and without the plug-ins for them: one of those would enumerate OpenCL platforms and so call us. */
    static const char *const unwanted[] = {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl", "pci"};
    uint64_t start = tsr_now_ns();
    if (!open_hwloc()) {
        tsr_log(TSR_LOG_SCHED, "no hwloc, the topology comes from /sys");
        return;
    }
    if (hw.topology_init(&topology)) {
        topology = NULL;
        return;
    }
    for (unsigned i = 0; i < TSR_ARRAY_LEN(unwanted); i++)
        hw.topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, unwanted[i]);
    hw.topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hw.topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hw.topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hw.topology_load(topology)) {
        hw.topology_destroy(topology);
        topology = NULL;
    }
    tsr_log(TSR_LOG_SCHED, "topology %s in %llu us", topology ? "loaded" : "could not be loaded",
            (unsigned long long)((tsr_now_ns() - start) / 1000));
}

unsigned tsr_topology_split(const cpu_set_t *cpus, enum tsr_domain domain, cpu_set_t *parts, unsigned max)
{
    static const hwloc_obj_type_t types[TSR_DOMAIN_COUNT] = {
        [TSR_DOMAIN_NUMA] = HWLOC_OBJ_NUMANODE, [TSR_DOMAIN_L4] = HWLOC_OBJ_L4CACHE, [TSR_DOMAIN_L3] = HWLOC_OBJ_L3CACHE,
        [TSR_DOMAIN_L2] = HWLOC_OBJ_L2CACHE,    [TSR_DOMAIN_L1] = HWLOC_OBJ_L1CACHE,
    };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_topology);
    if ((unsigned)domain >= TSR_DOMAIN_COUNT)
        return 0;
    if (!topology)
        return tsr__domain_split("", cpus, domain, parts, max);
    unsigned count = 0;
    cpu_set_t taken;
    CPU_ZERO(&taken);
    int depth = hw.get_type_depth(topology, types[domain]);
    hwloc_obj_t object;
    for (unsigned i = 0; (object = hw.get_obj_by_depth(topology, depth, i)); i++) {
        cpu_set_t part;
        CPU_ZERO(&part);
        for (int cpu = -1; (cpu = hw.bitmap_next(object->cpuset, cpu)) >= 0 && cpu < CPU_SETSIZE;)
            CPU_SET((unsigned)cpu, &part);
        CPU_AND(&part, &part, cpus);
        /* Memory without CPUs, or a second kind of memory of the same CPUs, is no domain of its own. */
        cpu_set_t again;
        CPU_AND(&again, &part, &taken);
        if (!CPU_COUNT(&part) || CPU_COUNT(&again))
            continue;
        CPU_OR(&taken, &taken, &part);
        if (count < max)
            parts[count] = part;
        count++;
    }
    return count;
}

bool tsr_topology_splits(const cpu_set_t *cpus, enum tsr_domain domain)
{
    /* Variables that make hwloc see another machine. */
    static const char *const elsewhere[] = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(elsewhere); i++)
        if (getenv(elsewhere[i]))
            return tsr_topology_split(cpus, domain, NULL, 0) > 1;
    enum tsr__domain_found found = tsr__domain_splits("", cpus, domain);
    return found == TSR__DOMAIN_UNKNOWN ? tsr_topology_split(cpus, domain, NULL, 0) > 1 : found == TSR__DOMAIN_FOUND;
}
