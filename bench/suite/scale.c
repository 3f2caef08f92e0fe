/* SPDX-License-Identifier: Apache-2.0
 * How kernels that are bound by arithmetic gain from threads: Tessera on 1, 2, 4 … of them, and what plain C gets from as many CPUs. */
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench.h"
#include "suite.h"

enum { COUNTS = 12, TURNS = 3, PEAK_ROUNDS = 10, MOST_THREADS = 1024 };

/* What children tell. */
struct shared {
    double least[COUNTS]; /* milliseconds, or 0 */
    atomic_int here;
    double rate[MOST_THREADS];
};

/* GFLOP/s of processes that begin together, one on each of so many CPUs: all of them, and as if each were as slow as the slowest, which is
 * what work in equal parts gets. */
struct peaks {
    double sum, equal;
};

static struct peaks peak_of(struct shared *shared, int threads)
{
    struct peaks peaks = {0, INFINITY};
    atomic_store(&shared->here, 0);
    for (int i = 0; i < threads; i++) {
        shared->rate[i] = 0;
        if (fork() == 0) {
            suite_pin(threads);
            atomic_fetch_add(&shared->here, 1);
            while (atomic_load(&shared->here) < threads)
                sched_yield();
            double rates[PEAK_ROUNDS];
            for (int round = 0; round < PEAK_ROUNDS; round++)
                rates[round] = suite_peak();
            shared->rate[i] = bench_median(rates, PEAK_ROUNDS);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    for (int i = 0; i < threads; i++) {
        peaks.sum += shared->rate[i];
        peaks.equal = fmin(peaks.equal, threads * shared->rate[i]);
    }
    return peaks;
}

/* A row of the table, in a process of its own, whose memory goes with it. Thread counts take turns, and the best of each counts. */
static void measure(const struct suite_entry *entry, const int *counts, int n, struct suite_settings settings, struct suite_result *result,
                    struct shared *shared)
{
    struct suite_case *c = suite_describe(entry, &settings);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < n; i++) {
            settings.threads = counts[i];
            suite_run_in_child(entry, c, &settings, result);
            if (result->driver[0].state != SUITE_RIGHT)
                _exit(1);
            for (int round = 0; round < result->rounds; round++) {
                double ms = result->driver[0].us[round] / 1e3;
                if (shared->least[i] <= 0 || ms < shared->least[i])
                    shared->least[i] = ms;
            }
        }
    _exit(0);
}

int suite_scale(const char *names, int most, struct suite_settings settings, struct suite_result *result)
{
    int counts[COUNTS], n = 0, rows = 0, bad = 0;
    cpu_set_t mask;
    struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || sched_getaffinity(0, sizeof(mask), &mask))
        return 1;
    if (!most || most > CPU_COUNT(&mask))
        most = CPU_COUNT(&mask);
    for (int threads = 1; threads < most && n < COUNTS - 1; threads *= 2)
        counts[n++] = threads;
    counts[n++] = most;
    settings.only = "Tessera";
    settings.scale = most;
    printf("%-18s", "ms, minimum");
    for (int i = 0; i < n; i++)
        printf(" %8d %s", counts[i], counts[i] == 1 ? "CPU " : "CPUs");
    printf("   1 / %d\n", most);
    double product = 0;
    for (int row = 0; row < suite_entry_count; row++) {
        if (!suite_entries[row].compute || !suite_selected(names, suite_entries[row].name))
            continue;
        for (int i = 0; i < n; i++)
            shared->least[i] = 0;
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            measure(&suite_entries[row], counts, n, settings, result, shared);
        printf("%-18s", suite_entries[row].name);
        if (child < 0 || waitpid(child, &status, 0) != child || status) {
            printf(" no right result  %s\n", result->note);
            bad++;
            continue;
        }
        for (int i = 0; i < n; i++)
            printf(" %13.3f", shared->least[i]);
        printf("  %6.2f\n", shared->least[0] / shared->least[n - 1]);
        fflush(stdout);
        product += log(shared->least[0] / shared->least[n - 1]);
        rows++;
    }
    if (rows)
        printf("geometric mean %.2f over %d kernels\n", exp(product / rows), rows);
    struct peaks peaks[COUNTS];
    for (int i = 0; i < n; i++)
        peaks[i] = peak_of(shared, counts[i]);
    printf("%-18s", "C, GFLOP/s");
    for (int i = 0; i < n; i++)
        printf(" %13.1f", peaks[i].sum);
    printf("  %6.2f\n%-18s", peaks[n - 1].sum / peaks[0].sum, "C, equal parts");
    for (int i = 0; i < n; i++)
        printf(" %13.1f", peaks[i].equal);
    printf("  %6.2f\n", peaks[n - 1].equal / peaks[0].equal);
    return bad || !rows;
}
