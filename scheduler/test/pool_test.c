/* SPDX-License-Identifier: Apache-2.0
 * Pools: one for each set, no thread before it is needed, what the threads look like, the trace. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/internal.h"

static char trace_path[] = "/tmp/tessera-pool-test-XXXXXX";

/* Threads of this process whose name begins with "tessera-". A sanitizer has a thread of its own. */
static unsigned workers(char (*paths)[64])
{
    DIR *d = opendir("/proc/self/task");
    assert_non_null(d);
    unsigned count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f && fgets(name, sizeof name, f) && !strncmp(name, "tessera-", 8)) {
            if (paths && count < 64)
                snprintf(paths[count], 64, "/proc/self/task/%.20s/status", e->d_name);
            count++;
        }
        if (f)
            fclose(f);
    }
    closedir(d);
    return count;
}

static int nothing(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    return 0;
}

static int slow(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    usleep(2000);
    return 0;
}

static void same_set_same_pool(void **state)
{
    (void)state;
    const cpu_set_t *all = tsr_cpus_allowed();
    struct tsr_pool *pool = tsr_pool_get(all);
    assert_non_null(pool);
    assert_ptr_equal(pool, tsr_pool_get(all));
    assert_int_equal(tsr_pool_width(pool), tsr_cpu_count(all));
    cpu_set_t one, none;
    CPU_ZERO(&none);
    CPU_ZERO(&one);
    for (unsigned i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, all))
            CPU_SET(i, &one);
    assert_null(tsr_pool_get(&none));
    if (CPU_COUNT(all) > 1) {
        tsr_fail_alloc(1);
        struct tsr_pool *failed = tsr_pool_get(&one);
        tsr_fail_alloc(0);
        assert_null(failed);
        struct tsr_pool *small = tsr_pool_get(&one);
        assert_non_null(small);
        assert_ptr_not_equal(small, pool);
        assert_int_equal(tsr_pool_width(small), 1);
    }
}

static void threads_when_needed(void **state)
{
    (void)state;
    struct tsr_pool *pool = tsr_pool_get(tsr_cpus_allowed());
    for (unsigned i = 0; i < 100; i++) {
        struct tsr_task task = {.run = nothing, .units = 1, .unit_cost = 100, .label = "a \"small\" one"};
        tsr_task_init(&task, pool);
        tsr_task_submit(&task);
        assert_int_equal(tsr_task_wait(&task, NULL), TSR_OK);
    }
    tsr_pool_flush(pool);
    assert_int_equal(workers(NULL), 0); /* small work is the waiting thread's */
    struct tsr_task task = {.run = slow, .units = 64, .unit_cost = 2000000, .label = "large"};
    tsr_task_init(&task, pool);
    tsr_task_submit(&task);
    tsr_pool_flush(pool);
    assert_int_equal(tsr_task_wait(&task, NULL), TSR_OK);
    unsigned count = workers(NULL);
    assert_in_range(count, 1, tsr_pool_width(pool));
}

static void what_threads_are_like(void **state)
{
    (void)state;
    char paths[64][64];
    unsigned count = workers(paths);
    assert_true(count);
    for (unsigned i = 0; i < count && i < 64; i++) {
        unsigned char *text;
        size_t size;
        assert_int_equal(tsr_file_read(paths[i], 1 << 16, &text, &size), TSR_OK);
        const char *blocked = strstr((char *)text, "SigBlk:"), *cpus = strstr((char *)text, "Cpus_allowed_list:");
        assert_true(blocked && cpus);
        /* All but SIGKILL, SIGSTOP and the two that libc keeps for itself. */
        unsigned long long mask = strtoull(blocked + 7, NULL, 16);
        assert_int_equal(mask | 1ull << 8 | 1ull << 18 | 3ull << 31, ~0ull);
        if (tsr__cpus_pinned()) {
            char *end;
            unsigned long cpu = strtoul(cpus + 18, &end, 10);
            assert_int_equal(*end, '\n'); /* just one */
            assert_true(CPU_ISSET(cpu, tsr__cpus_inherited()));
        }
        tsr_free(text);
    }
}

static void trace(void **state)
{
    (void)state;
    tsr__trace_flush();
    FILE *f = fopen(trace_path, "r");
    assert_non_null(f);
    char line[1024];
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "[\n");
    unsigned small = 0, large = 0;
    uint64_t units = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned long long begin, end;
        assert_memory_equal(line, "{\"name\":\"", 9);
        assert_string_equal(line + strlen(line) - 4, "}},\n");
        small += strstr(line, "\"a small one\"") != NULL; /* quotes are left out */
        if (strstr(line, "\"large\"")) {
            large++;
            assert_int_equal(sscanf(strstr(line, "\"begin\""), "\"begin\":%llu,\"end\":%llu", &begin, &end), 2);
            units += end - begin;
        }
    }
    fclose(f);
    assert_int_equal(small, 100);
    assert_true(large > 1);
    assert_int_equal(units, 64);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Threads look for the next task of a chain for a short time, and then take no CPU time at all. */
static void idle_threads_sleep(void **state)
{
    (void)state;
    enum { CHAIN = 20 };
    static struct tsr_task tasks[CHAIN];
    struct tsr_pool *pool = tsr_pool_get(tsr_cpus_allowed());
    for (unsigned i = 0; i < CHAIN; i++) {
        tasks[i] = (struct tsr_task){.run = nothing, .units = 64, .unit_cost = 2000};
        tsr_task_init(&tasks[i], pool);
        assert_int_equal(i ? tsr_task_after(&tasks[i], &tasks[i - 1], false) : TSR_OK, TSR_OK);
        tsr_task_submit(&tasks[i]);
    }
    assert_int_equal(tsr_task_wait(&tasks[CHAIN - 1], NULL), TSR_OK);
    double spent = 1;
    for (unsigned tries = 0; tries < 20 && spent > 0.002; tries++) { /* a busy machine gives the threads their time late */
        double start = cpu_seconds();
        usleep(50000);
        spent = cpu_seconds() - start;
    }
    assert_true(spent <= 0.002);
}

int main(void)
{
    int fd = mkstemp(trace_path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("TESSERA_TRACE", trace_path, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_set_same_pool), cmocka_unit_test(threads_when_needed),
                                       cmocka_unit_test(what_threads_are_like), cmocka_unit_test(trace),
                                       cmocka_unit_test(idle_threads_sleep)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(trace_path);
    return failed;
}
