/* SPDX-License-Identifier: Apache-2.0
 * What a kernel of the suite is: buffers, launches, and what the buffers hold afterwards.
 *
 * Each case has a file kernels/<name>.cl and a function suite_case_<name>() that describes it once; run.c then does the same with every
 * driver. A case's plain C results are computed without regard to speed. */
#ifndef TESSERA_BENCH_SUITE_H
#define TESSERA_BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { SUITE_BUFFERS = 12, SUITE_LAUNCHES = 160, SUITE_ARGS = 12, SUITE_EXPECTS = 3, SUITE_ROUNDS = 101, SUITE_DRIVERS = 8 };

struct suite_buffer {
    const void *data; /* what it holds before each run */
    size_t bytes;
    bool changes; /* written by the kernels and read before: filled anew before each run */
};

struct suite_arg {
    int buffer; /* or -1 */
    size_t size;
    bool local;
    union {
        int32_t i;
        float f;
    } value;
};

struct suite_launch {
    const char *kernel;
    int dims, args;
    size_t global[3], local[3];
    struct suite_arg arg[SUITE_ARGS];
};

/* Floats may differ by `tolerance` of the largest expected value; a share of the elements may differ at will (a pixel at an edge). */
struct suite_expect {
    int buffer;
    size_t count;
    const float *floats; /* or NULL, and then */
    const void *bytes;   /* `count` bytes */
    float tolerance, share;
};

struct suite_case {
    const char *options;   /* of the build; default -cl-std=CL1.2 */
    const char *extension; /* that a driver must have for it, or NULL */
    bool quick;            /* asked of the function: small sizes */
    size_t local;          /* likewise: work-groups of so many, or 0 */
    size_t width;          /* likewise: numbers in a vector of `real` or `word`, or 1 */
    int threads;           /* likewise: work for so many threads, some tens of ms for each, of which the beginning is compared; or 0 */
    double flops;          /* of one run, if the rate is worth telling */
    struct suite_buffer buffer[SUITE_BUFFERS];
    struct suite_launch launch[SUITE_LAUNCHES];
    struct suite_expect expect[SUITE_EXPECTS];
    int buffers, launches, expects;
};

/* How many times as large as usual: `each` for every thread, if the case is to be scaled, else once. And the root of that, rounded up. */
size_t suite_times(const struct suite_case *c, size_t each);
size_t suite_times_root(const struct suite_case *c, size_t each);
/* The size of work-groups: `own` if none is asked for. */
size_t suite_local(const struct suite_case *c, size_t own);
/* A buffer that holds `data` at first, or zeros for NULL; its number. */
int suite_input(struct suite_case *c, const void *data, size_t bytes);
int suite_output(struct suite_case *c, size_t bytes);
int suite_inout(struct suite_case *c, const void *data, size_t bytes);
/* The next launch. `args`: a letter for each argument, b (number of a buffer, int), i (int), f (double), l (bytes of local memory, size_t).
 */
void suite_launch(struct suite_case *c, const char *kernel, int dims, const size_t *global, const size_t *local, const char *args, ...);
void suite_expect_floats(struct suite_case *c, int buffer, const float *values, size_t count, float tolerance, float share);
void suite_expect_bytes(struct suite_case *c, int buffer, const void *values, size_t bytes, float share);

/* Memory and numbers for cases; nothing is freed before the process ends. */
void *suite_alloc(size_t bytes);
uint32_t suite_random(void);
float *suite_random_floats(size_t count, float low, float high);

#define SUITE_SIZE(...) ((const size_t[]){__VA_ARGS__})

#define SUITE_CASE(name, rate, compute, local, vectors) void suite_case_##name(struct suite_case *c);
#include "cases.def"
#undef SUITE_CASE

struct suite_entry {
    const char *name;
    void (*describe)(struct suite_case *c);
    bool rate;    /* tell GFLOP/s and the share of the machine's peak */
    bool compute; /* bound by arithmetic: two threads should take half the time */
    bool local;   /* may have work-groups of any size */
    bool vectors; /* may be built with vectors of `real` and `word` */
};
extern const struct suite_entry suite_entries[];
extern const int suite_entry_count;

/* run.c: one case with every driver. The result lies in memory that the parent shares, so that it outlives a driver's crash. */
enum suite_state { SUITE_UNTRIED, SUITE_RIGHT, SUITE_WRONG, SUITE_UNBUILT, SUITE_CRASHED, SUITE_LACKING, SUITE_EXCLUDED };
struct suite_result {
    int drivers, current, rounds;
    double flops;
    double peak[SUITE_ROUNDS]; /* GFLOP/s of the machine, in each round */
    struct {
        char name[40];
        enum suite_state state;
        double build_us;
        double us[SUITE_ROUNDS];
    } driver[SUITE_DRIVERS];
    char note[400];
};
struct suite_settings {
    bool quick;
    bool cpu_time; /* count the CPU time of the process: other processes matter less */
    int threads, rounds;
    size_t local, width; /* work-groups of so many, or 0: each kernel's own; numbers in a vector */
    const char *only;    /* a driver whose name contains this, or NULL for all */
    int seconds;         /* for one driver to verify a case or to run a round */
    int scale;           /* the most threads, if cases are to be scaled for so many, or 0 */
};
struct suite_case *suite_describe(const struct suite_entry *entry, const struct suite_settings *settings);
void suite_run(const struct suite_entry *entry, struct suite_case *c, const struct suite_settings *settings, struct suite_result *result);
/* Leaves this process the first CPUs of those that it may use, on as many cores as there are. */
void suite_pin(int threads);

/* peak.c: fp32 multiply-adds of one thread, GFLOP/s. */
double suite_peak(void);

/* scale.c: a table of the kernels that are bound by arithmetic on 1, 2, 4 … `most` threads. `names`: these only, or NULL for all. */
bool suite_selected(const char *names, const char *name);
int suite_scale(const char *names, int most, struct suite_settings settings, struct suite_result *result);
/* main.c: runs a case in children until one comes to its end; whom one died with is left out by the next. `c`: NULL lets each describe it.
 */
void suite_run_in_child(const struct suite_entry *entry, struct suite_case *c, const struct suite_settings *settings,
                        struct suite_result *result);

#endif
