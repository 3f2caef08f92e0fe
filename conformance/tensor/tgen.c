/* SPDX-License-Identifier: Apache-2.0
 * conformance_tensor [-n COUNT] [-s SEED] [-j PROCESSES] [-v]: random programs in the tensor language, in the interpreter and in both
 * engines of the driver. What differs is printed with its seed, and how far it has come every 50 programs. TESSERA_ENGINE, which the
 * compiler reads at each build, chooses the engine. LLVM's passes take far longer than the reference engine's own, and are of no interest
 * there, so three of four programs are built for it without them. */
#include "generate.h"

#include "../host/host.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const engines[] = {"lanes", "reference"};

enum { MOST_GROUPS = 3, MOST_SIZES = 2 * MOST_MODES + 2, MOST_PROCESSES = 256, REPORTED = 50, OPTIMISED_OF = 4 };

/* One program: its memory as it was, and as the interpreter left it. */
struct run {
    struct generated g;
    uint64_t seed;
    void *before[MOST_BUFFERS], *after[MOST_BUFFERS], *got;
    int64_t sizes[MOST_BUFFERS][MOST_SIZES];
};

/* A parameter that is a group: the pointers, and for each size that the memref's type leaves open the one of each pointer. Work-groups have
 * parts of one memory. */
struct group {
    void *pointers[MOST_GROUPS];
    int64_t sizes[MOST_SIZES][MOST_GROUPS];
};

/* ---- memory ---- */

static void put_number(const char *type, char *memory, size_t k, int value)
{
    float f = (float)value;
    double d = value, pair[2] = {value, 0};
    float single_pair[2] = {f, 0};
    _Float16 h = (_Float16)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    int64_t i = value;
    uint16_t b = (uint16_t)(bits >> 16);
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } forms[] = {{"i8", &i, 1},  {"i16", &i, 2}, {"i32", &i, 4}, {"i64", &i, 8},          {"bf16", &b, 2},
                 {"f16", &h, 2}, {"f32", &f, 4}, {"f64", &d, 8}, {"c32", single_pair, 8}, {"c64", pair, 16}};
    for (size_t n = 0; n < TSR_ARRAY_LEN(forms); n++)
        if (!strcmp(type, forms[n].name))
            memcpy(memory + k * forms[n].size, forms[n].data, forms[n].size);
}

/* Zeros that differ in their signs alone are the same: the order of additions decides about them. */
static bool same_memory(const char *type, const void *a, const void *b, size_t bytes)
{
    bool wide = !strcmp(type, "f64") || !strcmp(type, "c64"), single = !strcmp(type, "f32") || !strcmp(type, "c32");
    bool half = !strcmp(type, "f16") || !strcmp(type, "bf16");
    size_t size = wide ? 8 : single ? 4 : half ? 2 : 1;
    if (!memcmp(a, b, bytes))
        return true;
    for (size_t i = 0; i < bytes; i += size) {
        uint64_t x = 0, y = 0, sign = (uint64_t)1 << (8 * size - 1);
        memcpy(&x, (const char *)a + i, size);
        memcpy(&y, (const char *)b + i, size);
        if (x != y && !(size > 1 && !((x | y) & ~sign)))
            return false;
    }
    return true;
}

static void make_memory(struct run *r)
{
    size_t most = 1;
    for (uint32_t i = 0; i < r->g.buffer_count; i++) {
        const struct buffer *b = &r->g.buffers[i];
        r->before[i] = calloc(1, b->bytes);
        r->after[i] = malloc(b->bytes);
        for (size_t k = 0; k < b->elements; k++)
            put_number(b->type, r->before[i], k, initial_value(r->seed, i, k));
        memcpy(r->after[i], r->before[i], b->bytes);
        most = b->bytes > most ? b->bytes : most;
    }
    r->got = malloc(most);
}

/* The sizes and strides that the memref's type leaves open, in the order of the arguments. */
static uint32_t open_sizes(const struct buffer *b, int64_t *sizes)
{
    uint32_t count = 0, modes = b->order + !b->group;
    bool known = true;
    for (uint32_t i = 0; i < modes; i++)
        if (b->open[i])
            sizes[count++] = b->shape[i];
    if (b->first_open)
        sizes[count++] = b->stride[0];
    for (uint32_t i = 1; i < modes; i++) {
        known &= !b->open[i - 1] && !b->strided;
        if (!known)
            sizes[count++] = b->stride[i];
    }
    return count;
}

/* The numbers that follow the pointers and sizes of a group. */
static uint32_t open_numbers(const struct buffer *b, int64_t *numbers)
{
    uint32_t count = 0;
    if (b->group && b->open[b->order])
        numbers[count++] = b->shape[b->order];
    if (b->offset_open)
        numbers[count++] = b->offset;
    return count;
}

/* Fills a group whose elements lie in `memory`; returns how many sizes each has. */
static uint32_t fill_group(const struct buffer *b, char *memory, struct group *group)
{
    int64_t sizes[MOST_SIZES];
    size_t distance = (size_t)b->stride[b->order] * (b->bytes / b->elements);
    uint32_t open = open_sizes(b, sizes);
    for (int64_t i = 0; i < b->shape[b->order]; i++) {
        group->pointers[i] = memory + (size_t)i * distance;
        for (uint32_t k = 0; k < open; k++)
            group->sizes[k][i] = sizes[k];
    }
    return open;
}

/* ---- runs ---- */

static bool interpret(struct run *r)
{
    const void *arguments[MOST_BUFFERS * (MOST_SIZES + 3)], *pointers[MOST_BUFFERS][MOST_SIZES + 1];
    struct group of[MOST_BUFFERS];
    uint64_t groups[] = {1, 1, r->g.groups};
    uint32_t count = 0;
    const char *why = NULL;
    struct tsr_tensor_program *p = tsr_tensor_parse(r->g.text, strlen(r->g.text), "random", &tsr_tensor_cpu_target);
    struct tsr_buf out = {0};
    tsr_tensor_print_diagnostics(p, &out);
    if (out.size) {
        fprintf(stderr, "%.*s\n", (int)out.size, (char *)out.data);
        return false;
    }
    for (uint32_t i = 0; i < r->g.buffer_count; i++) {
        const struct buffer *b = &r->g.buffers[i];
        uint32_t open = b->group ? fill_group(b, r->after[i], &of[i]) : 0;
        pointers[i][0] = b->group ? (void *)of[i].pointers : r->after[i];
        for (uint32_t k = 0; k < open; k++)
            pointers[i][k + 1] = of[i].sizes[k];
        for (uint32_t k = 0; k <= open; k++)
            arguments[count++] = &pointers[i][k];
        open = b->group ? open_numbers(b, r->sizes[i]) : open_sizes(b, r->sizes[i]);
        for (uint32_t k = 0; k < open; k++)
            arguments[count++] = &r->sizes[i][k];
    }
    bool good = count == tsr_tensor_function(p, 0)->argument_count;
    if (!good)
        fprintf(stderr, "%u arguments, not %u\n", count, tsr_tensor_function(p, 0)->argument_count);
    good = good && tsr_tensor_interpret(p, 0, arguments, groups, &why) == TSR_OK;
    if (why)
        fprintf(stderr, "interpreter: %s\n", why);
    tsr_tensor_free(p);
    return good;
}

static bool fail(const char *what, cl_int error)
{
    fprintf(stderr, "%s: error %d\n", what, error);
    return false;
}

static cl_program build_text(const struct session *h, const struct run *r, const char *options)
{
    cl_int error;
    const char *text = r->g.text;
    cl_program program = clCreateProgramWithSource(h->context, 1, &text, NULL, &error);
    error = clBuildProgram(program, 1, &h->device, options, NULL, NULL);
    if (!error)
        return program;
    char log[4096] = "";
    clGetProgramBuildInfo(program, h->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    fail("clBuildProgram", error);
    clReleaseProgram(program);
    return NULL;
}

/* What a kernel gets as one parameter: a buffer, or shared memory for a group. */
struct argument {
    cl_mem buffer;
    char *memory;
    struct group *group;
};

static cl_int set_argument(const struct session *h, struct run *r, cl_kernel kernel, uint32_t i, struct argument *to, cl_uint *next)
{
    const struct buffer *b = &r->g.buffers[i];
    cl_int error = 0;
    if (b->group) {
        to->memory = clSVMAlloc(h->context, CL_MEM_READ_WRITE, b->bytes, 0);
        to->group = clSVMAlloc(h->context, CL_MEM_READ_WRITE, sizeof *to->group, 0);
        if (!to->memory || !to->group)
            return CL_OUT_OF_RESOURCES;
        memcpy(to->memory, r->before[i], b->bytes);
        uint32_t open = fill_group(b, to->memory, to->group);
        error |= clSetKernelArgSVMPointer(kernel, (*next)++, to->group->pointers);
        for (uint32_t k = 0; k < open; k++)
            error |= clSetKernelArgSVMPointer(kernel, (*next)++, to->group->sizes[k]);
    } else {
        to->buffer = clCreateBuffer(h->context, CL_MEM_COPY_HOST_PTR, b->bytes, r->before[i], &error);
        error |= clSetKernelArg(kernel, (*next)++, sizeof(cl_mem), &to->buffer);
    }
    uint32_t open = b->group ? open_numbers(b, r->sizes[i]) : open_sizes(b, r->sizes[i]);
    for (uint32_t k = 0; k < open; k++)
        error |= clSetKernelArg(kernel, (*next)++, sizeof(int64_t), &r->sizes[i][k]);
    return error;
}

static cl_int tell_indirect(struct run *r, cl_kernel kernel, const struct argument *arguments)
{
    const void *indirect[MOST_BUFFERS];
    size_t count = 0;
    for (uint32_t i = 0; i < r->g.buffer_count; i++)
        if (arguments[i].memory)
            indirect[count++] = arguments[i].memory;
    return count ? clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, count * sizeof *indirect, indirect) : CL_SUCCESS;
}

static bool compare(const struct session *h, struct run *r, const struct argument *arguments)
{
    for (uint32_t i = 0; i < r->g.buffer_count; i++) {
        const struct buffer *b = &r->g.buffers[i];
        cl_int error = 0;
        if (b->group)
            memcpy(r->got, arguments[i].memory, b->bytes);
        else
            error = clEnqueueReadBuffer(h->queue, arguments[i].buffer, CL_TRUE, 0, b->bytes, r->got, 0, NULL, NULL);
        if (error)
            return fail("clEnqueueReadBuffer", error);
        if (!same_memory(b->type, r->got, r->after[i], b->bytes)) {
            fprintf(stderr, "buffer %u differs\n", i);
            return false;
        }
    }
    return true;
}

static void release_arguments(const struct session *h, const struct run *r, const struct argument *arguments)
{
    for (uint32_t i = 0; i < r->g.buffer_count; i++) {
        if (arguments[i].buffer)
            clReleaseMemObject(arguments[i].buffer);
        clSVMFree(h->context, arguments[i].memory);
        clSVMFree(h->context, arguments[i].group);
    }
}

static bool launch(const struct session *h, struct run *r, const char *options)
{
    cl_int error = 0;
    struct argument arguments[MOST_BUFFERS] = {0};
    cl_program program = build_text(h, r, options);
    if (!program)
        return false;
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_uint next = 0;
    for (uint32_t i = 0; i < r->g.buffer_count; i++)
        error |= set_argument(h, r, kernel, i, &arguments[i], &next);
    error |= tell_indirect(r, kernel, arguments);
    size_t local[3] = {0}, global[3];
    error |= clGetKernelWorkGroupInfo(kernel, h->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL);
    if (!error && r->g.local[0] && (local[0] != r->g.local[0] || local[1] != r->g.local[1]))
        error = CL_INVALID_WORK_GROUP_SIZE; /* the text says another one */
    memcpy(global, local, sizeof global);
    global[2] = r->g.groups;
    if (!error)
        error = clEnqueueNDRangeKernel(h->queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
    if (!error)
        error = clFinish(h->queue);
    bool good = error ? fail("launch", error) : compare(h, r, arguments);
    release_arguments(h, r, arguments);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return good;
}

static bool run_seed(const struct session *h, uint64_t seed, bool verbose)
{
    struct run r = {.seed = seed};
    generate(seed, &r.g);
    if (verbose)
        fprintf(stderr, "; seed %llu\n%s", (unsigned long long)seed, r.g.text);
    make_memory(&r);
    bool good = interpret(&r);
    for (size_t e = 0; good && e < TSR_ARRAY_LEN(engines); e++) {
        const char *options = e && seed % OPTIMISED_OF ? "-cl-opt-disable" : "";
        setenv("TESSERA_ENGINE", engines[e], 1);
        good = launch(h, &r, options);
        if (!good)
            fprintf(stderr, "engine %s %s\n", engines[e], options);
    }
    if (!good)
        fprintf(stderr, "; seed %llu\n%s\n", (unsigned long long)seed, r.g.text);
    for (uint32_t i = 0; i < r.g.buffer_count; i++) {
        free(r.before[i]);
        free(r.after[i]);
    }
    free(r.got);
    tsr_free(r.g.text);
    return good;
}

/* ---- processes ---- */

/* What the processes share: which programs are taken and done, and the one that each process has. */
struct progress {
    unsigned long long count, seed;
    atomic_ullong taken, done, bad;
    atomic_ullong own[MOST_PROCESSES];
    struct timespec began;
    bool verbose;
};

static void report(const struct progress *p, unsigned long long done)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%llu programs, %llu differ, %.0f s; the last has seed %llu\n", done, atomic_load(&p->bad),
           (double)(now.tv_sec - p->began.tv_sec) + (double)(now.tv_nsec - p->began.tv_nsec) * 1e-9, p->seed + atomic_load(&p->taken) - 1);
    fflush(stdout);
}

static void run_programs(struct progress *p, uint32_t process)
{
    struct session h = open_session();
    unsigned long long number = atomic_fetch_add(&p->taken, 1);
    for (; number < p->count; number = atomic_fetch_add(&p->taken, 1)) {
        atomic_store(&p->own[process], p->seed + number);
        if (!run_seed(&h, p->seed + number, p->verbose))
            atomic_fetch_add(&p->bad, 1);
        unsigned long long done = atomic_fetch_add(&p->done, 1) + 1;
        if (done % REPORTED == 0 && done < p->count)
            report(p, done);
    }
    atomic_fetch_sub(&p->taken, 1);
    close_session(&h);
}

static pid_t start_process(struct progress *p, uint32_t process)
{
    pid_t id = fork();
    if (id)
        return id;
    run_programs(p, process);
    exit(0);
}

/* A process that a signal ends has failed at its program, and another one goes on. */
static void run_processes(struct progress *p, uint32_t count)
{
    pid_t ids[MOST_PROCESSES];
    setenv("TESSERA_THREADS", "2", 0); /* for each process */
    for (uint32_t i = 0; i < count; i++)
        ids[i] = start_process(p, i);
    for (uint32_t i = 0; i < count; i++) {
        int status = 0;
        while (ids[i] > 0 && waitpid(ids[i], &status, 0) == ids[i] && status) {
            fprintf(stderr, "a process ended with status %x in the program of seed %llu\n", (unsigned)status, atomic_load(&p->own[i]));
            atomic_fetch_add(&p->bad, 1);
            atomic_fetch_add(&p->done, 1);
            ids[i] = WIFSIGNALED(status) ? start_process(p, i) : -1;
        }
    }
}

int main(int argc, char **argv)
{
    struct progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned long long processes = 1;
    if (p == MAP_FAILED)
        return 1;
    p->count = 100;
    p->seed = 1;
    clock_gettime(CLOCK_MONOTONIC, &p->began);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") && i + 1 < argc)
            p->count = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            p->seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-j") && i + 1 < argc)
            processes = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-v"))
            p->verbose = true;
        else
            return fail(argv[i], CL_INVALID_VALUE), 2;
    }
    if (processes > 1)
        run_processes(p, processes < MOST_PROCESSES ? (uint32_t)processes : MOST_PROCESSES);
    else
        run_programs(p, 0);
    report(p, atomic_load(&p->done));
    return atomic_load(&p->bad) != 0;
}
