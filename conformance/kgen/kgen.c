/* SPDX-License-Identifier: Apache-2.0
 * Runs random kernels in two engines of the driver and compares all they write, bit for bit.
 *
 *   conformance_kgen [-n COUNT] [-s SEED] [-p KERNELS-PER-PROGRAM] [-j PROCESSES] [-t SECONDS] [-m PERCENT] [-r] [-v]
 *
 * The environment variable TESSERA_ENGINE, which the compiler reads at each build, chooses the engine. Kernels run in child processes: one
 * that crashes or hangs is reported like one with another result. -r reduces the kernels that differ before it prints them,
 * -v prints all kernels and runs none. -m says how many of 100 kernels have loops of matrix functions. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../host/host.h"
#include "generate.h"

enum { ENGINES = 2, MAX_PER_PROGRAM = 64, MAX_PROCESSES = 64, TELL_EACH = 100, SECONDS_PER_PROGRAM = 300, WRITTEN = 3, BUFFERS = 8 };
static const char *const engines[ENGINES] = {"reference", "lanes"};
static const char options[] = "-cl-std=CL3.0 -w";
static const char prologue[] = "#pragma OPENCL FP_CONTRACT OFF\n"
                               "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
                               "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                               "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                               "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
                               /* What a work-item has for itself is read and written with all types. */
                               "#define ANY(T) typedef T __attribute__((may_alias)) any_##T;\n"
                               "ANY(char) ANY(uchar) ANY(short) ANY(ushort) ANY(int) ANY(uint) ANY(long) ANY(ulong)\n";

/* What a child tells its parent, also when it dies. */
struct report {
    uint64_t seed; /* at work on: the first of the program's kernels, or the one that runs */
    int engine;
    enum { BUILDING, RUNNING, DONE } state;
    unsigned differences;
};

/* So many of 100 kernels have loops of matrix functions. */
static unsigned matrix_percent = 10;

static bool has_matrices(uint64_t seed)
{
    return kgen_random(&seed) % 100 < matrix_percent;
}

/* A set of kernels and their text; `dropped` goes to the only kernel of a single one. */
static char *make_program(uint64_t first, unsigned count, const bool *dropped, struct kgen_kernel *kernels)
{
    struct kgen_text text = {0};
    for (unsigned i = 0; i < count; i++)
        kernels[i] = kgen_generate(first + i, has_matrices(first + i), dropped, &text);
    char *source = malloc(sizeof prologue + text.length);
    REQUIRE(source, "out of memory");
    memcpy(source, prologue, sizeof prologue - 1);
    memcpy(source + sizeof prologue - 1, text.at, text.length + 1);
    free(text.at);
    return source;
}

static cl_program build_in(const struct session *s, const char *source, int engine)
{
    cl_int err;
    setenv("TESSERA_ENGINE", engines[engine], 1);
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &err);
    REQUIRE(program, "clCreateProgramWithSource: %d", err);
    err = clBuildProgram(program, 1, &s->device, options, NULL, NULL);
    if (err == CL_SUCCESS)
        return program;
    static char log[4000];
    clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "build in engine %s: %d\n%.3900s\n", engines[engine], err, log);
    clReleaseProgram(program);
    return NULL;
}

/* The memory that a kernel has written, in the order of a result. */
static size_t result_bytes(const struct kgen_kernel *k, size_t sizes[WRITTEN])
{
    sizes[0] = k->out_bytes;
    sizes[1] = k->acc_bytes;
    sizes[2] = k->has_matrices ? k->matrix_bytes[k->c_in_a ? 0 : 2] : 0;
    return sizes[0] + sizes[1] + sizes[2];
}

static void fill(unsigned char *at, size_t bytes, enum kgen_filling filling, uint64_t *state)
{
    static const uint16_t bf16[] = {0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040},
                          half[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
    const size_t size = filling == KGEN_BITS ? 1 : filling == KGEN_FLOAT ? 4 : 2;
    for (size_t i = 0; i + size <= bytes; i += size) {
        uint64_t any = kgen_random(state) >> 32;
        float number = (float)((int)(any % 7) - 3);
        const void *from = filling == KGEN_BITS    ? (const void *)&any
                           : filling == KGEN_FLOAT ? (const void *)&number
                           : filling == KGEN_BF16  ? &bf16[any % 7]
                                                   : &half[any % 7];
        memcpy(at + i, from, size);
    }
}

static cl_mem new_buffer(const struct session *s, size_t bytes, const void *from)
{
    cl_int err;
    cl_mem buffer = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, bytes, (void *)from, &err);
    REQUIRE(buffer, "clCreateBuffer of %zu bytes: %d", bytes, err);
    return buffer;
}

static cl_mem new_matrix(const struct session *s, const struct kgen_kernel *k, unsigned number, uint64_t *state)
{
    unsigned char *bytes = malloc(k->matrix_bytes[number]);
    REQUIRE(bytes, "out of memory");
    fill(bytes, k->matrix_bytes[number], k->filling[number], state);
    cl_mem made = new_buffer(s, k->matrix_bytes[number], bytes);
    free(bytes);
    return made;
}

static cl_int set_arguments(cl_kernel kernel, const struct kgen_kernel *k, const cl_mem *buffers)
{
    cl_int err = clSetKernelArg(kernel, 3, KGEN_LOCAL_WORDS * 4, NULL);
    for (cl_uint i = 0; i < 3; i++)
        err |= clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]);
    for (cl_uint i = 0; i < 4; i++)
        err |= clSetKernelArg(kernel, 4 + i, 4, &k->n[i]);
    for (cl_uint i = 0; k->has_matrices && i < 3; i++) {
        err |= clSetKernelArg(kernel, 8 + i, sizeof buffers[0], &buffers[i == 2 && k->c_in_a ? 3 : 3 + i]);
        err |= clSetKernelArg(kernel, 11 + i, 4, &k->pitch[i]);
    }
    cl_uint next = k->has_matrices ? 14 : 8;
    if (k->has_second)
        err |= clSetKernelArg(kernel, next++, sizeof buffers[0], &buffers[6]);
    if (k->has_constants)
        err |= clSetKernelArg(kernel, next++, sizeof buffers[0], &buffers[7]);
    return err;
}

/* A kernel with matrices, whose build takes long, runs several times: the first launch finds out what later ones know, the others have
 * other numbers, fewer work-groups, and rows of A and B that are closer to each other, or the same. */
static unsigned launches_of(const struct kgen_kernel *k)
{
    return k->has_matrices ? 6 : 1;
}

static struct kgen_kernel varied(const struct kgen_kernel *k, unsigned number)
{
    struct kgen_kernel other = *k;
    uint64_t state = k->seed + number;
    for (unsigned i = 0; i < 4 && number > 1; i++)
        other.n[i] = kgen_random(&state) >> 32 & 15;
    for (unsigned d = 0; d < 3 && number > 1 && number % 2; d++)
        other.global[d] = (1 + (kgen_random(&state) >> 32) % (k->global[d] / k->local[d])) * k->local[d];
    for (unsigned i = k->c_in_a; i < 2 && number > 3; i++)
        other.pitch[i] -= 4 * (int32_t)((kgen_random(&state) >> 32) % (unsigned)(k->pitch[i] / 4 + 1));
    return other;
}

static void fill_input(uint32_t in[KGEN_IN_WORDS], uint64_t *state)
{
    for (unsigned i = 0; i < KGEN_IN_WORDS; i++) {
        in[i] = (uint32_t)kgen_random(state);
        if (in[i] >> 28 < 8) /* many small numbers */
            in[i] &= 0xff;
    }
}

/* One launch; what it has written goes to `out`. */
static cl_int launch(const struct session *s, cl_kernel kernel, const struct kgen_kernel *k, unsigned char *out)
{
    uint32_t in[KGEN_IN_WORDS];
    uint64_t state = k->seed, second_state = ~k->seed;
    size_t sizes[WRITTEN], bytes = result_bytes(k, sizes);
    fill_input(in, &state);
    for (size_t i = 0; i < bytes / 4; i++)
        ((uint32_t *)out)[i] = (uint32_t)i * 2654435761u;
    cl_mem buffers[BUFFERS] = {new_buffer(s, sizeof in, in), new_buffer(s, sizes[0], out), new_buffer(s, sizes[1], out + sizes[0])};
    for (unsigned i = 0; k->has_matrices && i < 3; i++)
        buffers[3 + i] = new_matrix(s, k, i, &state);
    fill_input(in, &second_state);
    if (k->has_second)
        buffers[6] = new_buffer(s, sizeof in, in);
    if (k->has_constants)
        buffers[7] = new_buffer(s, KGEN_CONSTANT_WORDS * 4, in);
    const cl_mem written[WRITTEN] = {buffers[1], buffers[2], buffers[k->c_in_a ? 3 : 5]};
    cl_int err = set_arguments(kernel, k, buffers);
    err = err ? err : clEnqueueNDRangeKernel(s->queue, kernel, k->dim, k->offset, k->global, k->local, 0, NULL, NULL);
    for (unsigned i = 0; i < WRITTEN; out += sizes[i++])
        if (!err && sizes[i])
            err = clEnqueueReadBuffer(s->queue, written[i], CL_TRUE, 0, sizes[i], out, 0, NULL, NULL);
    for (int i = 0; i < BUFFERS; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    return err;
}

/* What all launches have written, one after the other. */
static unsigned char *run_kernel(const struct session *s, cl_program program, const struct kgen_kernel *k)
{
    size_t sizes[WRITTEN], bytes = result_bytes(k, sizes);
    unsigned char *out = malloc(launches_of(k) * bytes);
    REQUIRE(out, "out of memory");
    cl_int err;
    char name[32];
    snprintf(name, sizeof name, "k%llu", (unsigned long long)k->seed);
    cl_kernel kernel = clCreateKernel(program, name, &err);
    REQUIRE(kernel, "clCreateKernel %s: %d", name, err);
    for (unsigned i = 0; i < launches_of(k) && !err; i++) {
        const struct kgen_kernel this = varied(k, i);
        err = launch(s, kernel, &this, out + i * bytes);
    }
    clReleaseKernel(kernel);
    if (!err)
        return out;
    fprintf(stderr, "kernel %s: error %d\n", name, err);
    free(out);
    return NULL;
}

/* Prints where two results differ; answers whether they do. */
static bool compare(const struct kgen_kernel *k, const unsigned char *a, const unsigned char *b, bool print)
{
    static const char *const names[WRITTEN] = {"out", "acc", "C"};
    size_t sizes[WRITTEN], count = 0;
    if (!a || !b)
        return true;
    result_bytes(k, sizes);
    for (unsigned n = 0; n < launches_of(k) * WRITTEN; n++)
        for (size_t i = 0; i < sizes[n % WRITTEN]; i += 4, a += 4, b += 4)
            if (memcmp(a, b, 4) && ++count <= 6 && print)
                printf("  launch %u, %s at byte %zu: %s %08x, %s %08x\n", n / WRITTEN, names[n % WRITTEN], i, engines[0],
                       *(const uint32_t *)a, engines[1], *(const uint32_t *)b);
    if (count && print)
        printf("  %zu words differ\n", count);
    return count;
}

static void print_range(const struct kgen_kernel *k)
{
    printf("  dim %u, global %zu %zu %zu, local %zu %zu %zu, offset %zu %zu %zu, n %u %u %u %u\n", k->dim, k->global[0], k->global[1],
           k->global[2], k->local[0], k->local[1], k->local[2], k->offset[0], k->offset[1], k->offset[2], k->n[0], k->n[1], k->n[2],
           k->n[3]);
}

/* One program in both engines; the results of kernels [0, count). False: does not build. */
static bool run_program(const struct session *s, struct report *report, uint64_t first, unsigned count, const bool *dropped, bool print)
{
    struct kgen_kernel kernels[MAX_PER_PROGRAM];
    unsigned char *results[ENGINES][MAX_PER_PROGRAM];
    char *source = make_program(first, count, dropped, kernels);
    alarm(SECONDS_PER_PROGRAM);
    static const char *const ways[] = {"regions", "lanes", "sized", "sized"};
    setenv("TESSERA_GROUPS", ways[first / MAX_PER_PROGRAM % 4], 1);
    report->differences = 0;
    for (int e = 0; e < ENGINES; e++) {
        report->seed = first;
        report->engine = e;
        report->state = BUILDING;
        cl_program program = build_in(s, source, e);
        if (!program) {
            free(source);
            return false;
        }
        report->state = RUNNING;
        for (unsigned i = 0; i < count; i++) {
            report->seed = first + i;
            results[e][i] = run_kernel(s, program, &kernels[i]);
        }
        clReleaseProgram(program);
    }
    for (unsigned i = 0; i < count; i++) {
        if (compare(&kernels[i], results[0][i], results[1][i], false)) {
            report->differences++;
            if (print) {
                printf("seed %llu: results differ\n", (unsigned long long)kernels[i].seed);
                print_range(&kernels[i]);
                compare(&kernels[i], results[0][i], results[1][i], true);
                fflush(stdout);
            }
        }
        free(results[0][i]);
        free(results[1][i]);
    }
    free(source);
    report->state = DONE;
    return true;
}

/* Runs a program in a child, which writes what is wrong if `print`. */
static pid_t start_child(struct report *report, uint64_t first, unsigned count, const bool *dropped, bool print)
{
    fflush(stdout);
    memset(report, 0, sizeof *report);
    pid_t child = fork();
    REQUIRE(child >= 0, "fork");
    if (child)
        return child;
    if (!print)
        REQUIRE(freopen("/dev/null", "w", stderr), "/dev/null");
    struct session s = open_session();
    bool built = run_program(&s, report, first, count, dropped, print);
    fflush(stdout);
    _exit(!built || report->differences);
}

/* The same to its end. Answers whether all was well. */
static bool in_child(struct report *report, uint64_t first, unsigned count, const bool *dropped, bool print)
{
    int status;
    waitpid(start_child(report, first, count, dropped, print), &status, 0);
    if (WIFSIGNALED(status) && print)
        printf("seed %llu: %s in engine %s: signal %d (%s)\n", (unsigned long long)report->seed,
               report->state == BUILDING ? "build" : "run", engines[report->engine], WTERMSIG(status), strsignal(WTERMSIG(status)));
    return status == 0;
}

/* How a kernel fails, so that a reduction keeps to it. */
struct failure {
    int state, engine;
};

static bool still_fails(struct report *report, uint64_t seed, const bool *dropped, struct failure wanted)
{
    if (in_child(report, seed, 1, dropped, false))
        return false;
    return (int)report->state == wanted.state && (report->state == DONE || report->engine == wanted.engine);
}

/* Drops nodes in ever smaller runs as long as the kernel fails in the same way. */
static void reduce(struct report *report, uint64_t seed)
{
    struct kgen_kernel k;
    free(make_program(seed, 1, NULL, &k));
    bool *dropped = calloc(k.nodes + 1, sizeof *dropped), *attempt = calloc(k.nodes + 1, sizeof *attempt);
    REQUIRE(dropped && attempt, "out of memory");
    in_child(report, seed, 1, NULL, false);
    struct failure failure = {(int)report->state, report->engine};
    for (unsigned run = k.nodes / 2; run; run /= 2)
        for (unsigned at = 0; at < k.nodes; at += run) {
            unsigned changed = 0;
            memcpy(attempt, dropped, k.nodes);
            for (unsigned i = at; i < at + run && i < k.nodes; i++)
                changed += !attempt[i], attempt[i] = true;
            if (!changed)
                continue;
            if (still_fails(report, seed, attempt, failure))
                memcpy(dropped, attempt, k.nodes);
        }
    char *source = make_program(seed, 1, dropped, &k);
    printf("reduced:\n");
    in_child(report, seed, 1, dropped, true);
    printf("%s\n", source);
    free(source);
    free(dropped);
    free(attempt);
}

/* A failure among several kernels: which of them? */
static unsigned one_by_one(struct report *report, uint64_t first, unsigned count, bool reducing)
{
    unsigned failed = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        if (in_child(report, seed, 1, NULL, true))
            continue;
        failed++;
        struct kgen_kernel k;
        char *source = make_program(seed, 1, NULL, &k);
        if (report->state == BUILDING)
            printf("seed %llu: does not build in engine %s\n", (unsigned long long)seed, engines[report->engine]);
        if (reducing)
            reduce(report, seed);
        else
            printf("%s\n", source);
        fflush(stdout);
        free(source);
    }
    return failed;
}

struct settings {
    unsigned count, per_program, processes, seconds; /* seconds: starts no kernel later; 0: no limit */
    uint64_t seed;
    bool reducing, show;
};

static struct settings read_arguments(int argc, char **argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct settings set = {.count = 200, .per_program = 8, .processes = cpus > 0 ? (unsigned)cpus : 1, .seed = 1};
    for (int c; (c = getopt(argc, argv, "n:s:p:j:t:m:rv")) != -1;)
        switch (c) {
        case 'n':
            set.count = (unsigned)strtoul(optarg, NULL, 0);
            break;
        case 's':
            set.seed = strtoull(optarg, NULL, 0);
            break;
        case 'p':
            set.per_program = (unsigned)strtoul(optarg, NULL, 0);
            break;
        case 'j':
            set.processes = (unsigned)strtoul(optarg, NULL, 0);
            break;
        case 't':
            set.seconds = (unsigned)strtoul(optarg, NULL, 0);
            break;
        case 'm':
            matrix_percent = (unsigned)strtoul(optarg, NULL, 0);
            break;
        case 'r':
            set.reducing = true;
            break;
        case 'v':
            set.show = true;
            break;
        default:
            fprintf(stderr, "usage: %s [-n COUNT] [-s SEED] [-p KERNELS-PER-PROGRAM] [-j PROCESSES] [-t SECONDS] [-m PERCENT] [-r] [-v]\n",
                    argv[0]);
            exit(2);
        }
    set.per_program = set.per_program < 1 ? 1 : set.per_program > MAX_PER_PROGRAM ? MAX_PER_PROGRAM : set.per_program;
    set.processes = set.processes < 1 ? 1 : set.processes > MAX_PROCESSES ? MAX_PROCESSES : set.processes;
    return set;
}

int main(int argc, char **argv)
{
    struct settings set = read_arguments(argc, argv);
    struct kgen_kernel kernels[MAX_PER_PROGRAM];
    if (set.show) {
        for (unsigned done = 0; done < set.count; done++) {
            char *source = make_program(set.seed + done, 1, NULL, kernels);
            printf("%s", done ? source + sizeof prologue - 1 : source);
            free(source);
        }
        return 0;
    }
    setenv("TESSERA_CACHE", "0", 1);
    struct report *reports = mmap(NULL, (MAX_PROCESSES + 1) * sizeof *reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(reports != MAP_FAILED, "mmap");
    struct {
        pid_t child;
        uint64_t first;
        unsigned count;
    } at_work[MAX_PROCESSES] = {0};
    unsigned failed = 0, started = 0, running = 0, told = 0;
    time_t begin = time(NULL);
    while (started < set.count || running) {
        if (set.seconds && time(NULL) - begin >= (time_t)set.seconds) {
            set.count = started;
            if (!running)
                break;
        }
        if (started < set.count && running < set.processes) {
            unsigned i = 0;
            while (at_work[i].child)
                i++;
            at_work[i].first = set.seed + started;
            at_work[i].count = set.count - started < set.per_program ? set.count - started : set.per_program;
            at_work[i].child = start_child(&reports[i], at_work[i].first, at_work[i].count, NULL, false);
            started += at_work[i].count;
            running++;
            continue;
        }
        if (started / TELL_EACH > told) {
            told = started / TELL_EACH;
            printf("%u kernels started, %u differ so far\n", started, failed);
            fflush(stdout);
        }
        int status;
        pid_t ended = wait(&status);
        REQUIRE(ended > 0, "wait");
        for (unsigned i = 0; i < set.processes; i++) {
            if (at_work[i].child != ended)
                continue;
            at_work[i].child = 0;
            running--;
            if (status)
                failed += one_by_one(&reports[MAX_PROCESSES], at_work[i].first, at_work[i].count, set.reducing);
        }
    }
    printf("%u kernels from seed %llu: %u differ between the engines %s and %s\n", set.count, (unsigned long long)set.seed, failed,
           engines[0], engines[1]);
    return failed != 0;
}
