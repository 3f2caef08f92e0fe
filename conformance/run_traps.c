/* SPDX-License-Identifier: Apache-2.0
 * Runs kernels in which vectorisers have gone wrong, in both engines of the driver and with work-groups of several sizes, and compares what
 * they write: run_traps FILE.cl... Every kernel of a file has the parameters (global const int *in, global int *out, int n).
 *
 * Both buffers end where memory ends, or begin where it begins; a kernel that leaves them ends the process. They have WORDS numbers each,
 * and n is five less than the work-items, or, if the kernel's name ends with two or three numbers, so many bytes for each of n work-items:
 * _I_O, or _I_O_LESS with LESS bytes less at the end of `in`, for kernels that do not read all of the last element. `in` of a kernel whose
 * name begins with "null" may not be read at all. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/host.h"

enum { WORDS = 4096, PAGE = 4096, ENGINES = 2, MAX_KERNELS = 256, MANY = 2048, FEW = 150 };
static const char *const engines[ENGINES] = {"reference", "lanes"};
static const size_t locals[] = {1, 3, 15, 16, 17, 35, 64};

/* One launch, as the handler of signals tells it. */
static struct launch {
    char name[128];
    size_t local, items;
    bool at_begin;
    int engine;
} now;

static void tell(FILE *to, const char *what)
{
    fprintf(to, "%s: %s, %zu work-items in groups of %zu, memory %s\n", now.name, what, now.items, now.local,
            now.at_begin ? "begins there" : "ends there");
}

static void on_fault(int number)
{
    (void)number;
    tell(stderr, now.engine ? "engine lanes leaves its buffers" : "engine reference leaves its buffers");
    _exit(1);
}

struct memory {
    unsigned char *at, *mapped;
    size_t bytes, mapped_bytes;
};

static struct memory take(size_t bytes, bool at_begin, bool closed)
{
    struct memory m = {.bytes = bytes, .mapped_bytes = (bytes + PAGE - 1) / PAGE * PAGE + 2 * PAGE};
    m.mapped = mmap(NULL, m.mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(m.mapped != MAP_FAILED, "no memory");
    if (!closed)
        REQUIRE(!mprotect(m.mapped + PAGE, m.mapped_bytes - 2 * PAGE, PROT_READ | PROT_WRITE), "mprotect");
    m.at = at_begin ? m.mapped + PAGE : m.mapped + m.mapped_bytes - PAGE - bytes;
    return m;
}

static cl_int run(const struct session *s, cl_kernel kernel, const struct memory *in, const struct memory *out, cl_int n)
{
    cl_int err, status = CL_SUCCESS;
    cl_event event;
    cl_mem from = clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, in->bytes, in->at, &err);
    REQUIRE(from, "clCreateBuffer: %d", err);
    cl_mem to = clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, out->bytes, out->at, &err);
    REQUIRE(to, "clCreateBuffer: %d", err);
    err = clSetKernelArg(kernel, 0, sizeof from, &from);
    err |= clSetKernelArg(kernel, 1, sizeof to, &to);
    err |= clSetKernelArg(kernel, 2, sizeof n, &n);
    err = err ? err : clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &now.items, &now.local, 0, NULL, &event);
    if (!err) {
        clFinish(s->queue);
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        clReleaseEvent(event);
    }
    void *mapped = err ? NULL : clEnqueueMapBuffer(s->queue, to, CL_TRUE, CL_MAP_READ, 0, out->bytes, 0, NULL, NULL, &err);
    if (mapped)
        clEnqueueUnmapMemObject(s->queue, to, mapped, 0, NULL, NULL);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    return err ? err : status;
}

/* Numbers below 1024, or bytes. */
static void fill(const struct memory *in, bool bytes)
{
    for (size_t i = 0; bytes && i < in->bytes; i++)
        in->at[i] = (unsigned char)((i * 37 + (i >> 5) * 11) % 251);
    for (size_t i = 0; !bytes && i < WORDS; i++)
        ((cl_int *)(void *)in->at)[i] = (cl_int)((i * 7919 + (i >> 3) * 31) & 1023);
}

/* Both engines' results of one launch; whether they are the same. */
static bool agree(const struct session *s, cl_kernel kernels[ENGINES])
{
    struct memory out[ENGINES];
    size_t each_in = 0, each_out = 0, less = 0;
    const char *numbers = strchr(now.name, '_');
    bool sized = numbers && sscanf(numbers, "_%zu_%zu_%zu", &each_in, &each_out, &less) >= 2;
    now.items = (sized ? FEW : MANY) / now.local * now.local;
    cl_int n = (cl_int)now.items - (now.items > 10 ? 5 : 0);
    bool closed = !strncmp(now.name, "null", 4), same = true;
    for (now.engine = 0; now.engine < ENGINES; now.engine++) {
        struct memory in = take(sized ? (size_t)n * each_in - less : WORDS * sizeof(cl_int), now.at_begin, closed);
        out[now.engine] = take(sized ? (size_t)n * each_out : WORDS * sizeof(cl_int), now.at_begin, false);
        memset(out[now.engine].at, 0x5a, out[now.engine].bytes);
        if (!closed)
            fill(&in, sized);
        cl_int err = run(s, kernels[now.engine], &in, &out[now.engine], n);
        if (err) {
            tell(stdout, err > 0 ? "did not end" : "error");
            same = false;
        }
        munmap(in.mapped, in.mapped_bytes);
    }
    if (memcmp(out[0].at, out[1].at, out[0].bytes) != 0) {
        size_t at = 0;
        while (out[0].at[at] == out[1].at[at])
            at++;
        tell(stdout, "the engines differ");
        printf("  at byte %zu: %s %02x, %s %02x\n", at, engines[0], out[0].at[at], engines[1], out[1].at[at]);
        same = false;
    }
    for (int e = 0; e < ENGINES; e++)
        munmap(out[e].mapped, out[e].mapped_bytes);
    return same;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file, "cannot read %s", path);
    static char text[1 << 18];
    size_t size = fread(text, 1, sizeof text - 1, file);
    REQUIRE(size < sizeof text - 1, "%s is too long", path);
    text[size] = 0;
    fclose(file);
    return text;
}

static unsigned run_file(const struct session *s, const char *path)
{
    const char *source = read_file(path);
    cl_program programs[ENGINES];
    cl_kernel kernels[ENGINES][MAX_KERNELS];
    cl_uint count = 0;
    unsigned wrong = 0;
    for (int e = 0; e < ENGINES; e++) { /* the compiler reads the variable for each program, and for each kernel made later */
        setenv("TESSERA_ENGINE", engines[e], 1);
        programs[e] = build(s, source, "-cl-std=CL3.0 -w");
        cl_int err = clCreateKernelsInProgram(programs[e], MAX_KERNELS, kernels[e], &count);
        REQUIRE(!err, "clCreateKernelsInProgram: %d", err);
    }
    for (cl_uint k = 0; k < count; k++) {
        cl_kernel both[ENGINES] = {kernels[0][k], kernels[1][k]};
        clGetKernelInfo(both[0], CL_KERNEL_FUNCTION_NAME, sizeof now.name, now.name, NULL);
        for (size_t l = 0; l < sizeof locals / sizeof *locals; l++)
            for (int side = 0; side < 2; side++) {
                now.local = locals[l];
                now.at_begin = side;
                wrong += !agree(s, both);
            }
        clReleaseKernel(both[0]);
        clReleaseKernel(both[1]);
    }
    for (int e = 0; e < ENGINES; e++)
        clReleaseProgram(programs[e]);
    printf("%s: %u kernels\n", path, count);
    return wrong;
}

int main(int argc, char **argv)
{
    struct session s = open_session();
    unsigned wrong = 0;
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    for (int i = 1; i < argc; i++)
        wrong += run_file(&s, argv[i]);
    close_session(&s);
    return wrong != 0;
}
