/* SPDX-License-Identifier: Apache-2.0
 * Runs kernels in which vectorisers have gone wrong, in both engines of the driver and with work-groups of several sizes, and compares what
 * they write: run_traps FILE.cl... Every kernel of a file has the parameters (global const int *in, global int *out, int n).
 *
 * Both buffers end where memory ends, or begin where it begins; a kernel that leaves them ends the process. They have WORDS numbers each,
 * and n is five less than the work-items, or, if the kernel's name ends with two or three numbers, so many bytes for each of n work-items:
 * _I_O, or _I_O_LESS with LESS bytes less at the end of `in`, for kernels that do not read all of the last element. `in` of a kernel whose
 * name begins with "null" may not be read at all; where the device has memory of its own, the driver may read it to bring it there. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "host/edge.h"

enum { WORDS = 4096, ENGINES = 2, MAX_KERNELS = 256, MANY = 2048, FEW = 150 };
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

static cl_int run(const struct session *s, cl_kernel kernel, const struct region *in, const struct region *out, cl_int n)
{
    cl_int err, status = CL_SUCCESS;
    cl_event event;
    cl_mem from = clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, in->bytes, in->data, &err);
    REQUIRE(from, "clCreateBuffer: %d", err);
    cl_mem to = clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, out->bytes, out->data, &err);
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
static void fill(const struct region *in, bool bytes)
{
    for (size_t i = 0; bytes && i < in->bytes; i++)
        in->data[i] = (unsigned char)((i * 37 + (i >> 5) * 11) % 251);
    for (size_t i = 0; !bytes && i < WORDS; i++)
        ((cl_int *)(void *)in->data)[i] = (cl_int)((i * 7919 + (i >> 3) * 31) & 1023);
}

/* Whether the device works in the host's memory. */
static bool shares_memory(const struct session *s)
{
    cl_bool shares = CL_FALSE;
    cl_int err = clGetDeviceInfo(s->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shares, &shares, NULL);
    REQUIRE(!err, "clGetDeviceInfo: %d", err);
    return shares;
}

/* Both engines' results of one launch; whether they are the same. */
static bool agree(const struct session *s, cl_kernel kernels[ENGINES])
{
    struct region out[ENGINES];
    size_t each_in = 0, each_out = 0, less = 0;
    const char *numbers = strchr(now.name, '_');
    bool sized = numbers && sscanf(numbers, "_%zu_%zu_%zu", &each_in, &each_out, &less) >= 2;
    now.items = (sized ? FEW : MANY) / now.local * now.local;
    cl_int n = (cl_int)now.items - (now.items > 10 ? 5 : 0);
    bool unread = !strncmp(now.name, "null", 4), same = true;
    for (now.engine = 0; now.engine < ENGINES; now.engine++) {
        struct region in =
            region_for(sized ? (size_t)n * each_in - less : WORDS * sizeof(cl_int), now.at_begin, unread && shares_memory(s));
        out[now.engine] = region_for(sized ? (size_t)n * each_out : WORDS * sizeof(cl_int), now.at_begin, false);
        memset(out[now.engine].data, 0x5a, out[now.engine].bytes);
        if (!unread)
            fill(&in, sized);
        cl_int err = run(s, kernels[now.engine], &in, &out[now.engine], n);
        if (err) {
            tell(stdout, err > 0 ? "did not end" : "error");
            same = false;
        }
        release(&in);
    }
    if (memcmp(out[0].data, out[1].data, out[0].bytes) != 0) {
        size_t at = 0;
        while (out[0].data[at] == out[1].data[at])
            at++;
        tell(stdout, "the engines differ");
        printf("  at byte %zu: %s %02x, %s %02x\n", at, engines[0], out[0].data[at], engines[1], out[1].data[at]);
        same = false;
    }
    for (int e = 0; e < ENGINES; e++)
        release(&out[e]);
    return same;
}

static unsigned run_file(const struct session *s, const char *path)
{
    char *source = read_file(path);
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
    free(source);
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
