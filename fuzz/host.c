/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the driver's surroundings: `fuzz_host SECONDS FINDINGS [FILE…]`. A process of its own plays each sequence of steps (or those of
 * the files): it builds and runs, closes descriptors that it does not know, opens some, sets limits, forks, kills compilers. What is its
 * own must stay as it is; results are right, or a refusal has a code and a reason; and no step takes long. Not libFuzzer: it is one
 * process. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "fuzz/fuzz.h"
#include "fuzz/watch.h"

enum { MOST_OWN = 64, MOST_CHILDREN = 8, STEPS = 24 };
static const struct fuzz_limits limits_of_sequence = {.step = 20, .whole = 60};

/* ---- what belongs to the application ---- */

static struct {
    int number, peer; /* peer: the other end of a socket; -1: a file */
    struct tsr_fd is;
} own[MOST_OWN];
static unsigned owned;
static pid_t children[MOST_CHILDREN];
static unsigned child_count;
static bool limited, disturbed; /* a refusal is allowed: by a limit, or as compilers were killed */
static pthread_t thread;        /* builds as well */
static bool running;

static bool is_own(int number)
{
    for (unsigned i = 0; i < owned; i++)
        if (own[i].number == number || own[i].peer == number)
            return true;
    return false;
}

static void add_own(bool is_socket)
{
    int pair[2] = {-1, -1};
    if (owned == MOST_OWN)
        return;
    if (is_socket) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
            return; /* the limit of descriptors */
    } else {
        char path[] = "/tmp/tessera-fuzz-host-XXXXXX";
        pair[0] = mkstemp(path);
        if (pair[0] < 0)
            return;
        unlink(path);
    }
    own[owned].number = pair[0];
    own[owned].peer = pair[1];
    own[owned++].is = tsr_fd_keep(pair[0]);
}

static void check_own(void)
{
    for (unsigned i = 0; i < owned; i++) {
        struct stat st;
        char byte;
        FUZZ_CHECK(tsr_fd_is_ours(&own[i].is));
        if (own[i].peer >= 0)
            FUZZ_CHECK(recv(own[i].peer, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
        else
            FUZZ_CHECK(!fstat(own[i].number, &st) && !st.st_size);
    }
    for (unsigned i = 0; i < child_count; i++)
        FUZZ_CHECK(waitpid(children[i], NULL, WNOHANG) == 0);
}

/* ---- builds ---- */

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void open_session(void)
{
    cl_int err = 0;
    FUZZ_CHECK(!clGetPlatformIDs(1, &platform, NULL) && !clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    FUZZ_CHECK(context && !err);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    FUZZ_CHECK(queue && !err);
}

/* Whether this is how a build may fail when something is short. */
static void check_refusal(cl_program program, cl_int err)
{
    size_t size = 0;
    FUZZ_CHECK(limited || disturbed);
    FUZZ_CHECK(err == CL_BUILD_PROGRAM_FAILURE || err == CL_COMPILER_NOT_AVAILABLE || err == CL_OUT_OF_HOST_MEMORY ||
               err == CL_OUT_OF_RESOURCES);
    if (err == CL_BUILD_PROGRAM_FAILURE)
        FUZZ_CHECK(!clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) && size > 1);
}

static void run(cl_program program, int number)
{
    enum { N = 256 };
    cl_int err, data[N];
    size_t count = N;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    FUZZ_CHECK(kernel);
    cl_mem buffer = clCreateBuffer(context, 0, sizeof data, NULL, &err);
    FUZZ_CHECK(buffer && !err);
    FUZZ_CHECK(!clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    FUZZ_CHECK(!err || (limited && err == CL_OUT_OF_RESOURCES));
    if (!err) {
        FUZZ_CHECK(!clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            FUZZ_CHECK(data[i] == i + number);
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

static void build_and_run(int number)
{
    char text[160];
    const char *source = text;
    cl_int err;
    snprintf(text, sizeof text, "kernel void k(global int *o) { o[get_global_id(0)] = get_global_id(0) + %d; } /* %d */", number,
             (int)getpid());
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    FUZZ_CHECK(program);
    err = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (err)
        check_refusal(program, err);
    else
        run(program, number);
    clReleaseProgram(program);
}

static void *build_in_thread(void *data)
{
    (void)data;
    for (int i = 0; i < 3; i++)
        build_and_run(1000 + i);
    return NULL;
}

/* ---- steps ---- */

static void close_unknown(void)
{
    for (int fd = 3; fd < 256; fd++)
        if (!is_own(fd))
            close(fd);
}

static void set_limit(struct fuzz_bytes *bytes)
{
    static const struct {
        __rlimit_resource_t what;
        rlim_t values[4];
    } limits[] = {{RLIMIT_FSIZE, {0, 1, 4096, RLIM_INFINITY}},
                  {RLIMIT_NOFILE, {3, 8, 20, 1024}},
                  {RLIMIT_STACK, {64 << 10, 1 << 20, (rlim_t)20 << 30, 8 << 20}},
                  {RLIMIT_NPROC, {0, 1, 50, RLIM_INFINITY}}};
    unsigned which = fuzz_below(bytes, TSR_ARRAY_LEN(limits));
    struct rlimit limit;
    getrlimit(limits[which].what, &limit);
    limit.rlim_cur = limits[which].values[fuzz_below(bytes, 4)];
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    setrlimit(limits[which].what, &limit);
    limited = true;
}

static void lift_limits(void)
{
    static const __rlimit_resource_t all[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_NPROC};
    for (size_t i = 0; i < TSR_ARRAY_LEN(all); i++) {
        struct rlimit limit;
        getrlimit(all[i], &limit);
        limit.rlim_cur = all[i] == RLIMIT_STACK ? 8 << 20 : limit.rlim_max;
        setrlimit(all[i], &limit);
    }
    limited = false;
}

static void fork_and_build(void)
{
    pid_t child = fork();
    if (!child) {
        child_count = 0;      /* the parent's */
        disturbed |= running; /* the compiler library may have been in use */
        build_and_run(5);
        open_session();
        build_and_run(6);
        _exit(0);
    }
    build_and_run(7);
    int status = 0;
    FUZZ_CHECK(child < 0 || (waitpid(child, &status, 0) == child && !status));
}

static void add_child(void)
{
    pid_t child = child_count < MOST_CHILDREN ? fork() : -1;
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    if (child > 0)
        children[child_count++] = child;
}

/* All children that are not known: compilers, as this process is a subreaper. */
static void kill_compilers(void)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    while (file && fscanf(file, "%d", &pid) == 1) {
        bool known = false;
        for (unsigned i = 0; i < child_count; i++)
            known |= children[i] == pid;
        if (!known)
            kill(pid, SIGKILL);
    }
    if (file)
        fclose(file);
}

static void step(struct fuzz_bytes *bytes)
{
    switch (fuzz_below(bytes, 14)) {
    case 0:
    case 1:
    case 2:
        build_and_run((int)fuzz_byte(bytes));
        break;
    case 3:
        if (running) /* the session is the thread's, too */
            break;
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
        open_session();
        break;
    case 4:
        if (!running) /* it would close what the thread has just opened */
            close_unknown();
        break;
    case 5:
        for (unsigned count = fuzz_below(bytes, 12); count; count--)
            add_own(fuzz_byte(bytes) & 1);
        break;
    case 6:
        set_limit(bytes);
        break;
    case 7:
        if (!running)
            lift_limits();
        break;
    case 8:
        fork_and_build();
        break;
    case 9:
        disturbed = true;
        kill_compilers();
        break;
    case 10:
        (void)!chdir(fuzz_byte(bytes) & 1 ? "/" : "/tmp");
        break;
    case 11: {
        int fd = (int)fuzz_below(bytes, 2); /* standard error tells what is found */
        if (!is_own(fd))
            close(fd);
        break;
    }
    case 12:
        add_child();
        break;
    case 13:
        if (running)
            pthread_join(thread, NULL);
        running = !running && !pthread_create(&thread, NULL, build_in_thread, NULL);
        break;
    }
    if (running && bytes->left < 2) {
        pthread_join(thread, NULL);
        running = false;
    }
}

static void play(const uint8_t *data, size_t size, volatile unsigned *steps)
{
    struct fuzz_bytes bytes = {data, size};
    unsigned mode = fuzz_byte(&bytes);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (mode & 1)
        setenv("TESSERA_CC_MODE", "inprocess", 1);
    if (mode & 2)
        signal(SIGCHLD, SIG_IGN), signal(SIGCHLD, SIG_DFL);
    setenv("TESSERA_CACHE", mode & 4 ? "1" : "0", 1);
    open_session();
    while (bytes.left) {
        step(&bytes);
        check_own();
        ++*steps;
    }
    for (unsigned i = 0; i < child_count; i++)
        kill(children[i], SIGKILL);
    _exit(0);
}

/* True if nothing was found. */
static bool try_sequence(const uint8_t *data, size_t size, const char *findings)
{
    volatile unsigned *steps = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FUZZ_CHECK(steps != MAP_FAILED);
    pid_t child = fork();
    if (!child)
        play(data, size, steps);
    FUZZ_CHECK(child > 0);
    int status = fuzz_watch(child, steps, limits_of_sequence);
    munmap((void *)steps, sizeof *steps);
    if (!status)
        return true;
    struct tsr_hash hash = tsr_hash_bytes(data, size);
    char name[33], *path;
    tsr_hash_hex(hash, name);
    path = tsr_format("%s/host-%s", findings, name);
    fprintf(stderr, "status %x: %s\n", status, path);
    tsr_file_write_atomic(path, data, size);
    tsr_free(path);
    return false;
}

int main(int argc, char **argv)
{
    bool good = true;
    if (argc < 3) {
        fprintf(stderr, "usage: fuzz_host SECONDS FINDINGS [FILE...]\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        unsigned char *data;
        size_t size;
        FUZZ_CHECK(tsr_file_read(argv[i], 1 << 16, &data, &size) == TSR_OK);
        good &= try_sequence(data, size, argv[2]);
        tsr_free(data);
    }
    uint64_t seed = tsr_now_ns(), end = tsr_now_ns() + (uint64_t)atoll(argv[1]) * UINT64_C(1000000000);
    unsigned played = 0;
    for (; tsr_now_ns() < end; played++) {
        uint8_t bytes[3 * STEPS];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (uint8_t)(seed >> 56);
        }
        good &= try_sequence(bytes, sizeof bytes, argv[2]);
    }
    printf("%u sequences\n", played);
    return !good;
}
