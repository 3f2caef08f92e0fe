/* SPDX-License-Identifier: Apache-2.0
 * The product by cooperative matrices, in Tessera and in the other OpenCL drivers: one process for each driver, which makes the same
 * problem and answers with times. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench.h"
#include "gemm.h"

extern const uint32_t gemm_module_int8[], gemm_module_bf16[], gemm_modules_end[]; /* coop.S */

enum { SUB_GROUP = 16, BLOCK = 32, PACKED_CAPABILITY = 6434 };

/* The kernel's forms: sub-groups of a work-group, one under the other. */
static const size_t forms[] = {1, 4};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* The parent asks for a problem, or with size 0 for a run of each form; the answer is a time, or one of these. */
struct request {
    enum gemm_type type;
    int size;
    bool tiled;
};
static const double READY = 0, REFUSED = INFINITY, WRONG = -1;

static struct peer {
    pid_t process;
    int channel; /* -1: it ended */
    char name[40];
} peers[GEMM_PEERS];
static int peer_count;

/* In the driver's process. */
struct server {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem a, b, c;
    struct request of;
    const char *name;
    bool verbose;
};

/* A driver may know the packed layout and yet refuse the capability, as Intel's does; so it is tried without, too. */
static size_t drop_packed(uint32_t *words, size_t count)
{
    for (size_t i = 5; i < count; i += words[i] >> 16)
        if (words[i] == (2u << 16 | 17) && words[i + 1] == PACKED_CAPABILITY) {
            memmove(words + i, words + i + 2, (count - i - 2) * sizeof(*words));
            return count - 2;
        }
    return count;
}

static cl_kernel build_module(const struct server *s, const uint32_t *words, size_t count)
{
    cl_int status;
    cl_program program = clCreateProgramWithIL(s->context, words, count * sizeof(*words), &status);
    cl_kernel kernel = NULL;
    if (status == CL_SUCCESS)
        status = clBuildProgram(program, 1, &s->device, "", NULL, NULL);
    if (s->verbose) {
        static char log[65536];
        if (program)
            clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s: %s\n%s\n", s->name, status == CL_SUCCESS ? "built" : program ? "not built" : "takes no SPIR-V", log);
    }
    if (status == CL_SUCCESS)
        kernel = clCreateKernel(program, "gemm", &status);
    if (program)
        clReleaseProgram(program);
    return kernel;
}

static cl_kernel build(const struct server *s)
{
    const uint32_t *from = s->of.type == GEMM_BF16 ? gemm_module_bf16 : gemm_module_int8,
                   *end = s->of.type == GEMM_BF16 ? gemm_modules_end : gemm_module_bf16;
    size_t count = (size_t)(end - from);
    uint32_t *words = malloc(count * sizeof(*words));
    if (!words)
        abort();
    memcpy(words, from, count * sizeof(*words));
    cl_kernel kernel = build_module(s, words, count);
    if (!kernel)
        kernel = build_module(s, words, drop_packed(words, count));
    free(words);
    return kernel;
}

static cl_mem buffer(const struct server *s, void *data, size_t bytes)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(s->context, data ? CL_MEM_COPY_HOST_PTR : 0, bytes, data, &status);
    BENCH_CHECK(status);
    return memory;
}

static void run_form(const struct server *s, size_t group)
{
    cl_ulong n = (cl_ulong)s->of.size, deep = (cl_ulong)(GEMM_TILE_BYTES / gemm_element_bytes(s->of.type));
    cl_ulong rows[] = {n, deep, n, deep * BLOCK, deep * BLOCK / GEMM_TILE, deep},
             tiles[] = {n, deep * GEMM_TILE, deep, deep * GEMM_TILE, deep, n * GEMM_TILE};
    size_t global[2] = {n / BLOCK * SUB_GROUP, n / BLOCK}, local[2] = {SUB_GROUP, group};
    BENCH_CHECK(clSetKernelArg(s->kernel, 0, sizeof(cl_mem), &s->a));
    BENCH_CHECK(clSetKernelArg(s->kernel, 1, sizeof(cl_mem), &s->b));
    BENCH_CHECK(clSetKernelArg(s->kernel, 2, sizeof(cl_mem), &s->c));
    for (cl_uint i = 0; i < 6; i++)
        BENCH_CHECK(clSetKernelArg(s->kernel, 3 + i, sizeof(cl_ulong), s->of.tiled ? &tiles[i] : &rows[i]));
    BENCH_CHECK(clEnqueueNDRangeKernel(s->queue, s->kernel, 2, NULL, global, local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(s->queue));
}

static void release(struct server *s)
{
    if (!s->kernel)
        return;
    cl_mem memory[] = {s->a, s->b, s->c};
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(memory[i]);
    clReleaseKernel(s->kernel);
    s->kernel = NULL;
}

static double prepare(struct server *s, const struct request *r)
{
    double answer = READY;
    release(s);
    s->of = *r;
    if (r->size % (4 * BLOCK) || !(s->kernel = build(s)))
        return REFUSED;
    struct gemm_problem p = gemm_make_problem(r->type, 1, (struct gemm_size){r->size, r->size, r->size});
    size_t count = (size_t)r->size * (size_t)r->size, bytes = count * (size_t)gemm_element_bytes(r->type);
    gemm_pack(&p, r->tiled ? GEMM_TILE : BLOCK);
    if (r->tiled)
        gemm_pack_rows(&p);
    s->a = buffer(s, r->tiled ? p.packed_a : p.a, bytes);
    s->b = buffer(s, p.packed, bytes);
    s->c = buffer(s, NULL, 4 * count);
    for (int i = 0; i < FORMS; i++) {
        static const cl_int nothing = -1;
        BENCH_CHECK(clEnqueueFillBuffer(s->queue, s->c, &nothing, sizeof(nothing), 0, 4 * count, 0, NULL, NULL));
        run_form(s, forms[i]);
        BENCH_CHECK(clEnqueueReadBuffer(s->queue, s->c, CL_TRUE, 0, 4 * count, p.c, 0, NULL, NULL));
        if (!gemm_is_right(&p))
            answer = WRONG;
    }
    gemm_free_problem(&p);
    return answer;
}

static double run(const struct server *s)
{
    double best = REFUSED;
    for (int i = 0; s->kernel && i < FORMS; i++) {
        double start = gemm_now_us();
        run_form(s, forms[i]);
        best = fmin(best, gemm_now_us() - start);
    }
    return best;
}

/* The first driver is Tessera, as a peer of its own matrix functions; if there is no such driver, it says nothing and ends. */
static void serve(int index, int channel, bool verbose)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    struct server s = {.verbose = verbose};
    struct request request;
    cl_int status;
    if (index >= bench_drivers(drivers))
        return;
    if (index == 0)
        snprintf(drivers[0].name, sizeof drivers[0].name, "coop. mat.");
    s.name = drivers[index].name;
    s.device = drivers[index].device;
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    BENCH_CHECK(status);
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    BENCH_CHECK(status);
    for (ssize_t size = send(channel, s.name, sizeof(drivers[index].name), MSG_NOSIGNAL); size > 0;) {
        size = recv(channel, &request, sizeof(request), 0);
        double answer = size <= 0 ? 0 : request.size ? prepare(&s, &request) : run(&s);
        if (size > 0)
            size = send(channel, &answer, sizeof(answer), MSG_NOSIGNAL);
    }
}

int gemm_peers_start(bool verbose)
{
    for (peer_count = 0; peer_count < GEMM_PEERS; peer_count++) {
        struct peer *p = &peers[peer_count];
        int channel[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, channel) || (p->process = fork()) < 0) {
            perror("cannot start a process");
            exit(1);
        }
        if (!p->process) {
            for (int i = 0; i < peer_count; i++)
                close(peers[i].channel);
            close(channel[0]);
            serve(peer_count, channel[1], verbose);
            _exit(0); /* what the drivers do at the end does not matter */
        }
        close(channel[1]);
        p->channel = channel[0];
        if (recv(p->channel, p->name, sizeof(p->name), 0) <= 0) {
            close(p->channel);
            waitpid(p->process, NULL, 0);
            break;
        }
    }
    return peer_count;
}

const char *gemm_peer_name(int peer)
{
    return peers[peer].name;
}

static double ask(struct peer *p, const struct request *request)
{
    double answer = REFUSED;
    if (p->channel < 0 || (send(p->channel, request, sizeof(*request), MSG_NOSIGNAL) > 0 &&
                           recv(p->channel, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer)))
        return answer;
    int status;
    close(p->channel);
    p->channel = -1;
    waitpid(p->process, &status, 0);
    fprintf(stderr, "%s ended: %s\n", p->name, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
    return REFUSED;
}

void gemm_peers_prepare(const struct gemm_problem *problem)
{
    struct request request = {problem->type, gemm_is_square(problem) ? problem->size.rows : 0, problem->tiled};
    if (!request.size)
        return;
    for (int i = 0; i < peer_count; i++)
        if (problem->count == 1 && ask(&peers[i], &request) == WRONG)
            fprintf(stderr, "%s: WRONG results\n", peers[i].name);
}

double gemm_peer_run(int peer)
{
    struct request request = {.size = 0};
    return ask(&peers[peer], &request);
}

void gemm_peers_stop(void)
{
    for (int i = 0; i < peer_count; i++)
        if (peers[i].channel >= 0) {
            close(peers[i].channel);
            waitpid(peers[i].process, NULL, 0);
        }
}
