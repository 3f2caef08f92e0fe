/* SPDX-License-Identifier: Apache-2.0
 * Limits of containers, read from made-up trees of /proc and /sys: both versions, nested, without limit, malformed, missing. */
#include <ftw.h>
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

#define V2_MOUNT "31 24 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_CPU "32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_MEMORY "33 24 0:29 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
#define ROOT_MOUNT "24 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
#define MEMINFO {"/proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n"}
#define RAM (UINT64_C(16384) << 10)

static const struct tree {
    const char *what;
    struct {
        const char *path, *text;
    } files[10];
    unsigned cpus;
    uint64_t memory;
} trees[] = {
    {"nothing at all", {{0}}, 0, 0},
    {"no groups", {MEMINFO}, 0, RAM},
    {"v2, own group",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", ROOT_MOUNT V2_MOUNT},
      {"/sys/fs/cgroup/job/cpu.max", "150000 100000\n"},
      {"/sys/fs/cgroup/job/memory.max", "1048576\n"}},
     2,
     1048576},
    {"v2, whole CPUs stay whole",
     {{"/proc/self/cgroup", "0::/job\n"}, {"/proc/self/mountinfo", V2_MOUNT}, {"/sys/fs/cgroup/job/cpu.max", "300000 100000\n"}},
     3,
     0},
    {"v2, less than a CPU",
     {{"/proc/self/cgroup", "0::/job\n"}, {"/proc/self/mountinfo", V2_MOUNT}, {"/sys/fs/cgroup/job/cpu.max", "1000 100000\n"}},
     1,
     0},
    {"v2, no limit",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/job/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/job/memory.max", "max\n"}},
     0,
     RAM},
    {"v2, the lowest level counts",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/a/b/c\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"},
      {"/sys/fs/cgroup/a/cpu.max", "500000 100000\n"},
      {"/sys/fs/cgroup/a/memory.max", "4194304\n"},
      {"/sys/fs/cgroup/a/b/c/memory.max", "8388608\n"}},
     4,
     4194304},
    {"v2, own namespace: limits at the mount",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/cpu.max", "200000 100000\n"},
      {"/sys/fs/cgroup/memory.max", "2097152\n"}},
     2,
     2097152},
    {"v2, host path, container's mount",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/docker/1234/sub\n"},
      {"/proc/self/mountinfo", "31 24 0:27 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup rw\n"},
      {"/sys/fs/cgroup/cpu.max", "700000 100000\n"},
      {"/sys/fs/cgroup/sub/cpu.max", "600000 100000\n"}},
     6,
     RAM},
    {"v2, group outside of the mount",
     {{"/proc/self/cgroup", "0::/../other\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/cpu.max", "100000 100000\n"},
      {"/sys/fs/other/cpu.max", "900000 100000\n"}},
     1,
     0},
    {"v2, a name that only begins alike",
     {{"/proc/self/cgroup", "0::/docker/12345\n"},
      {"/proc/self/mountinfo", "31 24 0:27 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup rw\n"},
      {"/sys/fs/cgroup/5/cpu.max", "900000 100000\n"},
      {"/sys/fs/cgroup/cpu.max", "800000 100000\n"}},
     8,
     0},
    {"v2, missing folders on the way",
     {MEMINFO, {"/proc/self/cgroup", "0::/gone/away\n"}, {"/proc/self/mountinfo", V2_MOUNT}, {"/sys/fs/cgroup/memory.max", "1024\n"}},
     0,
     1024},
    {"v2, blanks in the mount point",
     {{"/proc/self/cgroup", "0::/x\n"},
      {"/proc/self/mountinfo", "31 24 0:27 / /sys/my\\040groups rw - cgroup2 c rw\n"},
      {"/sys/my groups/x/cpu.max", "500000 100000\n"}},
     5,
     0},
    {"v2, malformed",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/job/cpu.max", "lots of them\n"},
      {"/sys/fs/cgroup/job/memory.max", "-5\n"}},
     0,
     RAM},
    {"v2, zero period, huge number",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/job/cpu.max", "100 0\n"},
      {"/sys/fs/cgroup/job/memory.max", "99999999999999999999999\n"}},
     0,
     RAM},
    {"v2, empty files",
     {MEMINFO,
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", V2_MOUNT},
      {"/sys/fs/cgroup/job/cpu.max", ""},
      {"/sys/fs/cgroup/job/memory.max", ""}},
     0,
     RAM},
    {"v1",
     {MEMINFO,
      {"/proc/self/cgroup", "9:name=systemd:/\n4:memory:/job\n1:cpuacct,cpu:/job\n0::/\n"},
      {"/proc/self/mountinfo", ROOT_MOUNT V1_CPU V1_MEMORY},
      {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "524288\n"}},
     3,
     524288},
    {"v1, no limit",
     {MEMINFO,
      {"/proc/self/cgroup", "4:memory:/\n1:cpu,cpuacct:/\n"},
      {"/proc/self/mountinfo", V1_CPU V1_MEMORY},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
     0,
     RAM},
    {"v1, nested",
     {MEMINFO,
      {"/proc/self/cgroup", "4:memory:/a/b\n1:cpu,cpuacct:/a/b\n"},
      {"/proc/self/mountinfo", V1_CPU V1_MEMORY},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "50000\n"},
      {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096\n"},
      {"/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "8192\n"}},
     2,
     4096},
    {"v1, malformed and without a period",
     {MEMINFO,
      {"/proc/self/cgroup", "4:memory:/\n1:cpu,cpuacct:/\n"},
      {"/proc/self/mountinfo", V1_CPU V1_MEMORY},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "x\n"}},
     0,
     RAM},
    {"both: v1 for memory, v2 for the CPU",
     {MEMINFO,
      {"/proc/self/cgroup", "4:memory:/m\n0::/c\n"},
      {"/proc/self/mountinfo", V1_MEMORY "34 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "65536\n"},
      {"/sys/fs/cgroup/unified/c/cpu.max", "100001 100000\n"}},
     2,
     65536},
    {"a controller whose name only begins alike",
     {{"/proc/self/cgroup", "1:cpuset:/s\n2:cpuacct:/s\n"},
      {"/proc/self/mountinfo", "32 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuset\n"},
      {"/sys/fs/cgroup/cpu/s/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/s/cpu.cfs_period_us", "100000\n"}},
     0,
     0},
    {"garbage in /proc",
     {MEMINFO, {"/proc/self/cgroup", "\n:\n::\n0:\n0::\nx"}, {"/proc/self/mountinfo", "\n - \na b - c\n - cgroup2 x y\nz\n"}},
     0,
     RAM},
};

static char root[] = "/tmp/tessera-limits-test-XXXXXX";

static void put(const char *path, const char *text)
{
    char whole[512];
    assert_true((size_t)snprintf(whole, sizeof whole, "%s%s", root, path) < sizeof whole);
    char *slash = strrchr(whole, '/');
    *slash = 0;
    assert_int_equal(tsr_dir_make(whole), TSR_OK);
    *slash = '/';
    assert_int_equal(tsr_file_write_atomic(whole, text, strlen(text)), TSR_OK);
}

static int delete_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type;
    return ftw->level ? remove(path) : 0;
}

static void clear_tree(void)
{
    nftw(root, delete_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void made_up_trees(void **state)
{
    (void)state;
    for (unsigned t = 0; t < TSR_ARRAY_LEN(trees); t++) {
        for (unsigned f = 0; f < 10 && trees[t].files[f].path; f++)
            put(trees[t].files[f].path, trees[t].files[f].text);
        struct tsr__limits limits;
        tsr__limits_read(root, &limits);
        if (limits.cpus != trees[t].cpus || limits.memory != trees[t].memory)
            print_error("%s: %u CPUs, %llu bytes\n", trees[t].what, limits.cpus, (unsigned long long)limits.memory);
        assert_int_equal(limits.cpus, trees[t].cpus);
        assert_int_equal(limits.memory, trees[t].memory);
        clear_tree();
    }
}

static void allocation_fails(void **state)
{
    (void)state;
    const struct tree *nested = &trees[6];
    assert_string_equal(nested->what, "v2, the lowest level counts");
    for (unsigned f = 0; f < 10 && nested->files[f].path; f++)
        put(nested->files[f].path, nested->files[f].text);
    struct tsr__limits limits = {0};
    long long n = 1;
    for (; limits.cpus != nested->cpus || limits.memory != nested->memory; n++) {
        tsr_fail_alloc(n);
        tsr__limits_read(root, &limits);
        tsr_fail_alloc(0);
        assert_true(n < 1000);
    }
    assert_true(n > 10);
    clear_tree();
}

static void which_cpus(void **state)
{
    (void)state;
    /* Two cores of two threads: 0 and 2, 1 and 3. */
    put("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
    put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3\n");
    put("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n");
    put("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n");
    static const unsigned expected[5] = {0, 0x1, 0x3, 0x7, 0xf};
    for (unsigned count = 1; count <= 4; count++) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        for (unsigned i = 0; i < 4; i++)
            CPU_SET(i, &cpus);
        tsr__cpus_keep(root, &cpus, count);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(CPU_ISSET(i, &cpus) != 0, expected[count] >> i & 1);
    }
    put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (unsigned i = 0; i < 4; i++)
        CPU_SET(i, &cpus);
    put("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2-3\n");
    put("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "2-3\n");
    tsr__cpus_keep(root, &cpus, 2);
    assert_true(CPU_ISSET(0, &cpus) && CPU_ISSET(2, &cpus) && CPU_COUNT(&cpus) == 2);
    clear_tree();
}

static void this_machine(void **state)
{
    (void)state;
    uint64_t bytes = tsr_memory_limit();
    assert_true(bytes > 1 << 20);
    assert_true(bytes <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_up_trees), cmocka_unit_test(allocation_fails), cmocka_unit_test(which_cpus),
                                       cmocka_unit_test(this_machine)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clear_tree();
    return failed || rmdir(root);
}
