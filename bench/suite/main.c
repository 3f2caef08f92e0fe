/* SPDX-License-Identifier: Apache-2.0
 * The kernel suite: each kernel with every driver in turn, ratios against the better of the others, geometric mean and worst.
 *
 *   bench_suite [-k NAME,…] [-d DRIVER] [-r ROUNDS] [-t THREADS] [-l SIZE] [-w WIDTH] [-s] [-c] [-q] [-v]
 *     -k  only these kernels           -d  only drivers whose name contains this
 *     -t  CPUs to run on (default 1)   -s  instead: Tessera with 1, 2, 4 … threads, -t at most, and sizes to go with that
 *     -l  work-groups of SIZE work-items in one dimension, for the kernels that may have any
 *     -w  vectors of WIDTH numbers (4, 8 or 16) in place of numbers, for the kernels that know how
 *     -q  only verify, small sizes     -v  also minimum and median of each driver, and its build
 *     -c  count the process's CPU time in place of time, for a busy machine; on one CPU only
 *
 * Every kernel runs in a process of its own, so that a driver that crashes or hangs costs only its own column. */
#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench.h"
#include "suite.h"

#define SUITE_CASE(name, rate, compute, local, vectors) {#name, suite_case_##name, rate, compute, local, vectors},
const struct suite_entry suite_entries[] = {
#include "cases.def"
};
#undef SUITE_CASE
const int suite_entry_count = (int)(sizeof(suite_entries) / sizeof(*suite_entries));

void suite_run_in_child(const struct suite_entry *entry, struct suite_case *c, const struct suite_settings *settings,
                        struct suite_result *result)
{
    memset(result, 0, sizeof(*result));
    for (int attempt = 0; attempt <= SUITE_DRIVERS; attempt++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            suite_run(entry, c ? c : suite_describe(entry, settings), settings, result);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("bench_suite");
            exit(1);
        }
        if (WIFEXITED(status) && !WEXITSTATUS(status))
            return;
        int current = result->current;
        snprintf(result->note, sizeof(result->note), "%s %s", result->driver[current].name,
                 WIFEXITED(status)             ? "fails"
                 : WTERMSIG(status) == SIGALRM ? "takes too long"
                                               : strsignal(WTERMSIG(status)));
        for (int i = 0; i < result->drivers; i++)
            if (result->driver[i].state == SUITE_RIGHT || result->driver[i].state == SUITE_WRONG)
                result->driver[i].state = SUITE_UNTRIED;
        result->driver[current].state = SUITE_CRASHED;
    }
}

static const char *state_name(enum suite_state state)
{
    static const char *const names[] = {"-", "right", "WRONG", "no build", "CRASH", "lacks it", ""};
    return names[state];
}

static double median_of_ratios(const double *above, const double *below, int rounds)
{
    double ratios[SUITE_ROUNDS];
    for (int i = 0; i < rounds; i++)
        ratios[i] = above[i] / below[i];
    return bench_median(ratios, rounds);
}

static double median_of(const double *values, int count)
{
    double copy[SUITE_ROUNDS];
    memcpy(copy, values, (size_t)count * sizeof(*copy));
    return bench_median(copy, count);
}

static double minimum_of(const double *values, int count)
{
    double least = values[0];
    for (int i = 1; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

static void print_head(const struct suite_result *result)
{
    printf("%-18s", "ms, median");
    for (int i = 0; i < result->drivers; i++)
        if (result->driver[i].state != SUITE_EXCLUDED)
            printf(" %12.12s", result->driver[i].name);
    printf("   better/ours\n");
}

/* A line of the table; answers the ratio against the better peer, or 0. */
static double print_row(const struct suite_entry *entry, const struct suite_result *result, bool verbose)
{
    double ratio = 0, best = INFINITY;
    bool ours = result->driver[0].state == SUITE_RIGHT;
    printf("%-18s", entry->name);
    for (int i = 0; i < result->drivers; i++) {
        if (result->driver[i].state == SUITE_EXCLUDED)
            continue;
        if (result->driver[i].state != SUITE_RIGHT) {
            printf(" %12s", state_name(result->driver[i].state));
            continue;
        }
        double median = median_of(result->driver[i].us, result->rounds);
        printf(" %12.3f", median / 1e3);
        if (i && ours && median < best) {
            best = median;
            ratio = median_of_ratios(result->driver[i].us, result->driver[0].us, result->rounds);
        }
    }
    if (ratio > 0)
        printf("  %9.2f", ratio);
    else
        printf("  %9s", "");
    if (entry->rate && result->flops > 0 && ours) {
        double share[SUITE_ROUNDS];
        for (int i = 0; i < result->rounds; i++)
            share[i] = result->flops / result->driver[0].us[i] / 1e3 / result->peak[i];
        printf("  %.1f GFLOP/s, %.0f %% of the peak of %.1f", result->flops / median_of(result->driver[0].us, result->rounds) / 1e3,
               100 * bench_median(share, result->rounds), median_of(result->peak, result->rounds));
    }
    if (result->note[0])
        printf("  (%.*s)", (int)strcspn(result->note, "\n"), result->note);
    printf("\n");
    for (int i = 0; verbose && i < result->drivers; i++)
        if (result->driver[i].state == SUITE_RIGHT)
            printf("    %-30.30s min %10.3f  median %10.3f  build %10.3f\n", result->driver[i].name,
                   minimum_of(result->driver[i].us, result->rounds) / 1e3, median_of(result->driver[i].us, result->rounds) / 1e3,
                   result->driver[i].build_us / 1e3);
    fflush(stdout);
    return ratio;
}

bool suite_selected(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    return !list;
}

struct wanted {
    struct suite_settings settings;
    const char *list;
    bool scale, verbose, chosen;
};

/* False: the options make no sense. */
static bool read_options(int argc, char **argv, struct wanted *wanted)
{
    struct suite_settings *s = &wanted->settings;
    for (int option; (option = getopt(argc, argv, "k:d:r:t:l:w:scqv")) >= 0;) {
        switch (option) {
        case 'k':
            wanted->list = optarg;
            break;
        case 'd':
            s->only = optarg;
            wanted->chosen = true;
            break;
        case 'r':
            s->rounds = atoi(optarg);
            break;
        case 't':
            s->threads = atoi(optarg);
            break;
        case 'l':
            s->local = (size_t)atoi(optarg);
            break;
        case 'w':
            s->width = (size_t)atoi(optarg);
            break;
        case 's':
            wanted->scale = true;
            break;
        case 'c':
            s->cpu_time = true;
            break;
        case 'q':
            s->quick = true;
            break;
        case 'v':
            wanted->verbose = true;
            break;
        default:
            return false;
        }
    }
    bool width = s->width == 1 || s->width == 4 || s->width == 8 || s->width == 16;
    /* The CPU time of threads that are running elsewhere is not up to date. */
    bool times = !s->cpu_time || (!wanted->scale && s->threads <= 1);
    return s->rounds >= 1 && s->rounds <= SUITE_ROUNDS && s->threads >= 0 && width && times;
}

/* Whether the kernel is wanted, and can be had as the options say. */
static bool is_wanted(const struct wanted *wanted, const struct suite_entry *entry)
{
    return suite_selected(wanted->list, entry->name) && (!wanted->settings.local || entry->local) &&
           (wanted->settings.width == 1 || entry->vectors);
}

int main(int argc, char **argv)
{
    struct wanted wanted = {.settings = {.rounds = 7, .seconds = 60, .width = 1}};
    if (!read_options(argc, argv, &wanted))
        return 2;
    struct suite_settings settings = wanted.settings;
    bool chosen = wanted.chosen;
    if (settings.quick) {
        settings.rounds = settings.threads = 0;
        settings.only = chosen ? settings.only : "Tessera";
    }
    struct suite_result *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return 1;
    if (wanted.scale)
        return suite_scale(wanted.list, settings.threads, settings, result);
    if (!settings.threads && !settings.quick)
        settings.threads = 1;

    double product = 0, worst = INFINITY;
    const char *worst_name = "";
    int compared = 0, bad = 0, ran = 0;
    for (int i = 0; i < suite_entry_count; i++) {
        if (!is_wanted(&wanted, &suite_entries[i]))
            continue;
        suite_run_in_child(&suite_entries[i], NULL, &settings, result);
        enum suite_state state = result->driver[0].state;
        bool right = state == SUITE_RIGHT || state == SUITE_LACKING || (state == SUITE_EXCLUDED && chosen);
        bad += !right;
        if (settings.quick) {
            printf("%-18s %s%s%s\n", suite_entries[i].name, state_name(state), right ? "" : "  ", result->note);
            ran++;
            continue;
        }
        if (!ran++)
            print_head(result);
        double ratio = print_row(&suite_entries[i], result, wanted.verbose);
        if (ratio > 0) {
            product += log(ratio);
            compared++;
            worst_name = ratio < worst ? suite_entries[i].name : worst_name;
            worst = ratio < worst ? ratio : worst;
        }
    }
    if (compared)
        printf("geometric mean %.2f over %d kernels, worst %.2f (%s)\n", exp(product / compared), compared, worst, worst_name);
    if (bad)
        printf("%d kernels without a right result\n", bad);
    return bad || !ran;
}
