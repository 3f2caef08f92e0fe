/* SPDX-License-Identifier: Apache-2.0
 * Whether CPUs can be split, on this machine beside hwloc's answer and on made-up ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/internal.h"

static cpu_set_t range(unsigned begin, unsigned end)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (unsigned i = begin; i < end; i++)
        CPU_SET(i, &cpus);
    return cpus;
}

static void as_hwloc(void **state)
{
    (void)state;
    cpu_set_t all = *tsr_cpus_allowed();
    for (int domain = 0; domain < TSR_DOMAIN_COUNT; domain++)
        assert_int_equal(tsr_topology_splits(&all, (enum tsr_domain)domain),
                         tsr_topology_split(&all, (enum tsr_domain)domain, NULL, 0) > 1);
    for (int domain = 0; domain < TSR_DOMAIN_COUNT; domain++) { /* and where there is no hwloc, the same parts */
        cpu_set_t ours[64], theirs[64];
        unsigned count = tsr_topology_split(&all, (enum tsr_domain)domain, theirs, 64);
        assert_int_equal(tsr__domain_split("", &all, (enum tsr_domain)domain, ours, 64), count);
        assert_memory_equal(ours, theirs, (count < 64 ? count : 64) * sizeof *ours);
    }
    cpu_set_t none = range(0, 0);
    assert_false(tsr_topology_splits(&none, TSR_DOMAIN_L1));
    assert_false(tsr_topology_splits(&all, TSR_DOMAIN_COUNT));
}

static char root[] = "/tmp/tsr_domain_XXXXXX";

static void put(const char *path, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "f=%s/sys/devices/system/%s; mkdir -p \"${f%%/*}\" && printf '%s\\n' > \"$f\"", root, path, text);
    assert_int_equal(system(command), 0);
}

static void cache(unsigned cpu, unsigned index, const char *level, const char *type, const char *shared)
{
    char path[128];
    const char *const names[] = {"level", "type", "shared_cpu_list"}, *const values[] = {level, type, shared};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "cpu/cpu%u/cache/index%u/%s", cpu, index, names[i]);
        put(path, values[i]);
    }
}

/* CPUs 0-3 share one third-level cache, pairs share the second; CPU 4 has neither; node 0 has 0,2, node 1 the rest. */
static int build(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    for (unsigned cpu = 0; cpu < 5; cpu++) {
        char self[8];
        snprintf(self, sizeof self, "%u", cpu);
        cache(cpu, 0, "1", "Instruction", "0-4"); /* not what is asked for, though of that level */
        cache(cpu, 1, "1", "Data", self);
        if (cpu < 4) {
            cache(cpu, 2, "2", "Unified", cpu < 2 ? "0-1" : "2-3");
            cache(cpu, 3, "3", "Unified", "0-3");
        }
    }
    put("node/online", "0-1");
    put("node/node0/cpulist", "0,2");
    put("node/node1/cpulist", "1,3-4");
    return 0;
}

static int drop(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void made_up(void **state)
{
    (void)state;
    cpu_set_t all = range(0, 5), pair = range(0, 2), first = range(0, 1), beyond = range(3, 5), set;
    assert_int_equal(tsr__domain_splits(root, &all, TSR_DOMAIN_NUMA), TSR__DOMAIN_FOUND);
    assert_int_equal(tsr__domain_splits(root, &pair, TSR_DOMAIN_NUMA), TSR__DOMAIN_FOUND);
    assert_int_equal(tsr__domain_splits(root, &beyond, TSR_DOMAIN_NUMA), TSR__DOMAIN_NONE);
    assert_int_equal(tsr__domain_splits(root, &all, TSR_DOMAIN_L4), TSR__DOMAIN_NONE);
    assert_int_equal(tsr__domain_splits(root, &all, TSR_DOMAIN_L3), TSR__DOMAIN_NONE); /* one cache; CPU 4 has none */
    assert_int_equal(tsr__domain_splits(root, &all, TSR_DOMAIN_L2), TSR__DOMAIN_FOUND);
    assert_int_equal(tsr__domain_splits(root, &pair, TSR_DOMAIN_L2), TSR__DOMAIN_NONE);
    assert_int_equal(tsr__domain_splits(root, &pair, TSR_DOMAIN_L1), TSR__DOMAIN_FOUND);
    assert_int_equal(tsr__domain_splits(root, &first, TSR_DOMAIN_L1), TSR__DOMAIN_NONE);
    assert_int_equal(tsr__domain_of(root, 2, TSR_DOMAIN_L3, &set), TSR__DOMAIN_FOUND);
    cpu_set_t four = range(0, 4), parts[2], last = range(2, 4);
    assert_int_equal(tsr__domain_split(root, &all, TSR_DOMAIN_L2, parts, 2), 2);
    assert_true(CPU_EQUAL(&parts[0], &pair) && CPU_EQUAL(&parts[1], &last));
    assert_int_equal(tsr__domain_split(root, &all, TSR_DOMAIN_L4, parts, 2), 0);
    assert_true(CPU_EQUAL(&set, &four));
    assert_int_equal(tsr__domain_of(root, 7, TSR_DOMAIN_L3, &set), TSR__DOMAIN_UNKNOWN);
    assert_int_equal(tsr__domain_splits("/nowhere", &all, TSR_DOMAIN_NUMA), TSR__DOMAIN_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_hwloc),
        cmocka_unit_test_setup_teardown(made_up, build, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
