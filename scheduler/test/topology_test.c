/* SPDX-License-Identifier: Apache-2.0
 * Domains of a made-up machine, of which this process has some CPUs only; affinity, thread count and address space of this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/internal.h"
#include "tessera/sanitizer.h"

static cpu_set_t range(unsigned begin, unsigned end)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (unsigned i = begin; i < end; i++)
        CPU_SET(i, &cpus);
    return cpus;
}

static bool same(const cpu_set_t *a, cpu_set_t b)
{
    return CPU_EQUAL(a, &b);
}

static void domains(void **state)
{
    (void)state;
    cpu_set_t parts[16], all = range(0, 16);
    assert_int_equal(tsr_topology_split(&all, TSR_DOMAIN_NUMA, parts, 16), 2);
    assert_true(same(&parts[0], range(0, 8)) && same(&parts[1], range(8, 16)));
    assert_int_equal(tsr_topology_split(&all, TSR_DOMAIN_L3, parts, 16), 4);
    assert_true(same(&parts[1], range(4, 8)));
    assert_int_equal(tsr_topology_split(&all, TSR_DOMAIN_L2, parts, 16), 8);
    assert_true(same(&parts[7], range(14, 16)));
    assert_int_equal(tsr_topology_split(&all, TSR_DOMAIN_L4, parts, 16), 0);
    assert_int_equal(tsr_topology_split(&all, TSR_DOMAIN_L1, parts, 16), 0);
    assert_int_equal(tsr_topology_split(&all, TSR_DOMAIN_COUNT, parts, 16), 0);
}

static void some_cpus(void **state)
{
    (void)state;
    cpu_set_t parts[16], some = range(3, 10);
    assert_int_equal(tsr_topology_split(&some, TSR_DOMAIN_NUMA, parts, 16), 2);
    assert_true(same(&parts[0], range(3, 8)) && same(&parts[1], range(8, 10)));
    assert_int_equal(tsr_topology_split(&some, TSR_DOMAIN_L3, parts, 16), 3);
    parts[1] = range(0, 1);
    assert_int_equal(tsr_topology_split(&some, TSR_DOMAIN_L3, parts, 1), 3); /* more than fit are counted, not written */
    assert_true(same(&parts[0], range(3, 4)) && same(&parts[1], range(0, 1)));
    cpu_set_t none = range(0, 0), beyond = range(100, 110);
    assert_int_equal(tsr_topology_split(&none, TSR_DOMAIN_NUMA, parts, 16), 0);
    assert_int_equal(tsr_topology_split(&beyond, TSR_DOMAIN_NUMA, parts, 16), 0);
}

/* In a process of its own, since the answer is kept. */
static int in_child(int (*body)(void))
{
    pid_t pid = fork();
    if (!pid)
        _exit(body());
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int one_cpu_mask(void)
{
    cpu_set_t mask, one;
    if (sched_getaffinity(0, sizeof mask, &mask))
        return 1;
    unsigned last = 0;
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mask))
            last = i;
    one = range(last, last + 1);
    if (sched_setaffinity(0, sizeof one, &one))
        return 2;
    return CPU_EQUAL(tsr_cpus_allowed(), &one) && tsr_cpu_count(tsr_cpus_allowed()) == 1 ? 0 : 3;
}

static int one_thread(void)
{
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    setenv("TESSERA_THREADS", "1", 1);
    if (tsr_cpu_count(tsr_cpus_allowed()) != 1 || !CPU_EQUAL(tsr__cpus_inherited(), &mask))
        return 1;
    return tsr__cpus_pinned() == (CPU_COUNT(&mask) == 1) ? 0 : 2; /* no binding where CPUs are left out */
}

static int malformed_threads(void)
{
    setenv("TESSERA_THREADS", "many", 1);
    setenv("TESSERA_PIN", "perhaps", 1);
    return tsr_cpu_count(tsr_cpus_allowed()) >= 1 ? 0 : 1;
}

static int address_space(void)
{
    if (TSR_ASAN || TSR_TSAN)
        return 0; /* these need a terabyte of addresses */
    struct rlimit limit = {.rlim_cur = 256 << 20, .rlim_max = 256 << 20};
    return setrlimit(RLIMIT_AS, &limit) || tsr_memory_limit() > 256 << 20;
}

static void this_process(void **state)
{
    (void)state;
    assert_int_equal(in_child(one_cpu_mask), 0);
    assert_int_equal(in_child(one_thread), 0);
    assert_int_equal(in_child(malformed_threads), 0);
    assert_int_equal(in_child(address_space), 0);
}

int main(void)
{
    setenv("HWLOC_SYNTHETIC", "NUMANode:2 L3Cache:2 L2Cache:2 Core:1 PU:2", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(this_process), cmocka_unit_test(domains), cmocka_unit_test(some_cpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
