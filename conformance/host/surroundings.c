/* SPDX-License-Identifier: Apache-2.0
 * Applications that leave a driver little: limits, closed descriptors, system-call filters, no /proc, more rights than their user. Builds
 * and launches work there, and what is the application's stays as it was. Each case is a process of its own; without arguments, all cases
 * run. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum { SKIPPED = 77, NOBODY = 65534 };

/* Builds a program that no cache has, runs it, and compares. */
static void use_session(const struct session *s, int number)
{
    enum { N = 1024 };
    cl_int data[N] = {0};
    char body[300];
    /* A table of addresses, which whoever loads the code has to fill in. */
    snprintf(body, sizeof body,
             "constant int low[2] = {3, 4}; constant int *constant tables[2] = {low, low + 1};"
             "out[i] = (int)i + %d + %d + *tables[i & 1] - 3 - (int)(i & 1);",
             (int)getpid(), number);
    run_on_ints(s, body, data, N);
    for (int i = 0; i < N; i++)
        REQUIRE(data[i] == i + getpid() + number, "element %d is %d", i, data[i]);
}

static void use(void)
{
    struct session s = open_session();
    use_session(&s, 1);
    use_session(&s, 2);
    close_session(&s);
}

static int wait_for(pid_t child)
{
    int status;
    REQUIRE(waitpid(child, &status, 0) == child, "waitpid: %s", strerror(errno));
    return status;
}

/* ---- descriptors ---- */

enum { OWN = 40, FIRST = 3 };

/* The application closes all descriptors from 3 on and opens its own, as daemons do. Then it builds, and its own are untouched. */
static void close_and_use(bool sockets)
{
    struct session s = open_session();
    use_session(&s, 1);
    for (int fd = FIRST; fd < 256; fd++)
        close(fd);
    int own[OWN], peers[OWN];
    struct stat before[OWN], after;
    for (int i = 0; i < OWN; i++) {
        int pair[2] = {-1, -1};
        if (sockets) {
            REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "%s", strerror(errno));
            peers[i] = fcntl(pair[1], F_DUPFD, 300);
            close(pair[1]);
        } else {
            char path[] = "/tmp/tessera-host-XXXXXX";
            pair[0] = mkstemp(path);
            unlink(path);
        }
        own[i] = pair[0];
        REQUIRE(own[i] >= 0 && own[i] < 256 && !fstat(own[i], &before[i]), "own descriptor %d", own[i]);
    }
    use_session(&s, 2);
    close_session(&s);
    for (int i = 0; i < OWN; i++) {
        char byte;
        REQUIRE(!fstat(own[i], &after) && after.st_ino == before[i].st_ino && after.st_dev == before[i].st_dev, "descriptor %d", own[i]);
        if (sockets)
            REQUIRE(recv(peers[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN, "descriptor %d was written to", own[i]);
        else
            REQUIRE(!after.st_size && !lseek(own[i], 0, SEEK_CUR), "descriptor %d was written to", own[i]);
    }
}

static void closed_then_sockets(void)
{
    close_and_use(true);
}

static void closed_then_files(void)
{
    close_and_use(false);
}

static void no_standard_streams(void)
{
    int error = fcntl(2, F_DUPFD_CLOEXEC, 100);
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    use();
    for (int fd = 0; fd < 3; fd++)
        REQUIRE(fcntl(fd, F_GETFD) < 0, "the driver keeps descriptor %d", fd);
    dup2(error, 2);
}

/* ---- limits ---- */

static void limit(__rlimit_resource_t what, rlim_t value)
{
    struct rlimit r = {value, value};
    REQUIRE(!setrlimit(what, &r), "setrlimit: %s", strerror(errno));
}

static bool works_under(__rlimit_resource_t what, rlim_t bytes)
{
    pid_t child = fork();
    if (!child) {
        limit(what, bytes);
        struct session s = open_session();
        const char *source = "kernel void k(global int *out) { out[get_global_id(0)] = 7; }";
        cl_int err;
        cl_program program = clCreateProgramWithSource(s.context, 1, &source, NULL, &err);
        REQUIRE(program, "clCreateProgramWithSource: %d", err);
        if (clBuildProgram(program, 1, &s.device, "", NULL, NULL)) {
            static char log[65536];
            clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
            REQUIRE(*log && !strstr(log, "install") && !strstr(log, "TESSERA_CC_MEMORY"), "a log that does not help:\n%s", log);
            _exit(SKIPPED);
        }
        _exit(0);
    }
    int status = wait_for(child);
    REQUIRE(!status || (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED), "%llu bytes: status %x", (unsigned long long)bytes, status);
    return !status;
}

/* What is enough for a build is enough when there is more. */
static void little_memory(void)
{
    enum { MIB = 1 << 20 };
    bool worked = false;
    for (rlim_t bytes = 96 * MIB; bytes <= 256 * MIB; bytes += 8 * MIB) {
        const bool works = works_under(RLIMIT_AS, bytes);
        REQUIRE(works || !worked, "less than %llu bytes of address space were enough", (unsigned long long)bytes);
        worked |= works;
    }
    REQUIRE(worked && works_under(RLIMIT_DATA, 32 * MIB), "nothing is enough");
}

static void file_limit(void)
{
    setenv("TESSERA_CACHE", "1", 1); /* in the folder of this run */
    limit(RLIMIT_FSIZE, 0);
    use();
}

static void file_limit_later(void)
{
    setenv("TESSERA_CACHE", "1", 1);
    struct session s = open_session();
    use_session(&s, 1);
    limit(RLIMIT_FSIZE, 0);
    use_session(&s, 2);
    close_session(&s);
}

/* A stack is what the limit says from the next exec on. */
static void with_stack(rlim_t bytes)
{
    limit(RLIMIT_STACK, bytes);
    execl("/proc/self/exe", "surroundings", "use", NULL);
    REQUIRE(0, "exec: %s", strerror(errno));
}

static void small_stack(void)
{
    with_stack(64 << 10);
}

static void huge_stack(void)
{
    with_stack((rlim_t)20 << 30);
}

static void huge_stack_inprocess(void)
{
    setenv("TESSERA_CC_MODE", "inprocess", 1);
    with_stack((rlim_t)100 << 30);
}

static void no_processes_left(void)
{
    if (setgid(NOBODY) || setuid(NOBODY))
        exit(SKIPPED);
    limit(RLIMIT_NPROC, 0);
    use();
}

/* ---- filters of system calls ---- */

/* From now on these calls (a list that ends in -1) give the answer. */
static void filter(unsigned answer, const int *calls)
{
    struct sock_filter code[32];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (; *calls >= 0; calls++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)*calls, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(SKIPPED);
}
#define FILTER(answer, ...) filter(answer, (const int[]){__VA_ARGS__, -1})
#define REFUSE(code) (SECCOMP_RET_ERRNO | (code))

static void no_clone(void)
{
    FILTER(REFUSE(EPERM), SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_execveat, SYS_socketpair);
    use();
}

static void no_clone_for_now(void)
{
    FILTER(REFUSE(EAGAIN), SYS_clone, SYS_clone3);
    use();
}

static void exec_kills(void)
{
    FILTER(SECCOMP_RET_KILL_PROCESS, SYS_execve);
    use();
}

static void no_memory_files(void)
{
    FILTER(REFUSE(EPERM), SYS_memfd_create);
    use();
}

static void nothing_opens_later(void)
{
    struct session s = open_session();
    use_session(&s, 1);
    FILTER(REFUSE(EACCES), SYS_open, SYS_openat, SYS_openat2);
    use_session(&s, 2);
    close_session(&s);
}

/* ---- namespaces and rights ---- */

static void no_proc(void)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/proc", "tmpfs", 0, NULL))
        exit(SKIPPED);
    use();
}

/* A child of the application lives on while compilers come and go, and is the application's to wait for. */
static void use_beside_a_child(void)
{
    pid_t child = fork();
    if (!child) {
        pause();
        _exit(1);
    }
    use();
    REQUIRE(!kill(child, SIGTERM), "the child is gone");
    int status = wait_for(child);
    REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "the child ended with %x", status);
}

static void subreaper(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    use_beside_a_child();
}

static void init_of_namespace(void)
{
    if (unshare(CLONE_NEWPID))
        exit(SKIPPED);
    pid_t init = fork();
    if (!init) {
        use_beside_a_child();
        exit(0);
    }
    exit(wait_for(init) != 0);
}

static void children_ignored(void)
{
    signal(SIGCHLD, SIG_IGN);
    use();
    REQUIRE(signal(SIGCHLD, SIG_DFL) == SIG_IGN, "the handler of SIGCHLD has changed");
}

/* A set-uid program does not write where its caller's environment says, and it builds. */
static void set_uid(void)
{
    char folder[] = "/tmp/tessera-host-XXXXXX", command[200], path[100];
    if (geteuid() || !mkdtemp(folder))
        exit(SKIPPED);
    snprintf(command, sizeof command,
             "cd %s && chmod 755 . && cp /proc/%d/exe plain && cp plain program && chmod 4755 program && mkdir -m 700 own", folder,
             (int)getpid());
    REQUIRE(!system(command), "%s", command);
    int status[2];
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (!child) {
            static const char *const variables[] = {"LOG_FILE", "TRACE", "KEEP_CODE", "CACHE_DIR"};
            for (size_t k = 0; i && k < sizeof variables / sizeof variables[0]; k++) {
                char name[40];
                snprintf(name, sizeof name, "TESSERA_%s", variables[k]);
                snprintf(path, sizeof path, "%s/own/%s", folder, k == 2 ? "" : variables[k]);
                setenv(name, path, 1);
            }
            setenv("TESSERA_DEBUG", "all", 1);
            setenv("TESSERA_CACHE", i ? "1" : "0", 1);
            (void)!freopen("/dev/null", "w", stderr);
            snprintf(path, sizeof path, "%s/%s", folder, i ? "program" : "plain");
            if (!setgid(NOBODY) && !setuid(NOBODY))
                execl(path, "surroundings", "use", NULL);
            _exit(SKIPPED);
        }
        status[i] = wait_for(child);
    }
    snprintf(path, sizeof path, "%s/own", folder);
    bool untouched = !rmdir(path);
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
    if (status[0]) /* nobody cannot read this build, or nothing is set-uid here */
        exit(SKIPPED);
    REQUIRE(untouched, "the program wrote into the folder of its owner");
    REQUIRE(!status[1], "the program ended with %x", status[1]);
}

/* ---- fork, death ---- */

static void *build_on(void *data)
{
    struct session s = open_session();
    for (int i = 0; !atomic_load((_Atomic bool *)data); i++)
        use_session(&s, i);
    close_session(&s);
    return NULL;
}

/* Children of a process whose other threads build, load and unload at that moment use OpenCL anew. */
static void fork_while_others_build(void)
{
    enum { THREADS = 3, CHILDREN = 12 };
    static _Atomic bool stop;
    pthread_t threads[THREADS];
    cl_uint platforms;
    /* In a child of fork the loader ocl-icd waits for ever for a thread that was in its own start. */
    REQUIRE(!clGetPlatformIDs(0, NULL, &platforms), "clGetPlatformIDs");
    for (int i = 0; i < THREADS; i++)
        REQUIRE(!pthread_create(&threads[i], NULL, build_on, &stop), "pthread_create");
    for (int i = 0; i < CHILDREN; i++) {
        usleep((unsigned)(500 * (i % 8)));
        pid_t child = fork();
        if (!child) {
            alarm(10);
            struct session s = open_session();
            use_session(&s, 1);
            _exit(0);
        }
        int status = wait_for(child);
        REQUIRE(!status, "child %d ended with %x", i, status);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

struct cancelled {
    struct session session;
    int first; /* number of the first program */
};

static void *build_until_cancelled(void *data)
{
    const struct cancelled *c = data;
    for (int i = 0;; i++) {
        use_session(&c->session, c->first + i);
        pthread_testcancel();
    }
    return NULL;
}

/* Reached in clFinish, in the thread that waits, or in another. */
static void CL_CALLBACK may_be_cancelled(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_testcancel();
}

static void *wait_until_cancelled(void *data)
{
    const struct session *s = &((const struct cancelled *)data)->session;
    for (;;) {
        cl_event event;
        REQUIRE(!clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &event), "clEnqueueMarkerWithWaitList");
        REQUIRE(!clSetEventCallback(event, CL_COMPLETE, may_be_cancelled, NULL), "clSetEventCallback");
        REQUIRE(!clFinish(s->queue), "clFinish");
        REQUIRE(!clReleaseEvent(event), "clReleaseEvent");
        pthread_testcancel();
    }
    return NULL;
}

/* A thread that is cancelled in a call leaves nothing behind for which later calls of others wait. */
static void cancelled_threads(void)
{
    enum { ROUNDS = 24 };
    struct cancelled c = {open_session(), 0};
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        void *end;
        c.first = 1000 * (i + 1);
        REQUIRE(!pthread_create(&thread, NULL, i % 2 ? wait_until_cancelled : build_until_cancelled, &c), "pthread_create");
        usleep((unsigned)(i % 2 ? 200 * i : 5000 * i));
        REQUIRE(!pthread_cancel(thread) && !pthread_join(thread, &end) && end == PTHREAD_CANCELED, "round %d", i);
        use_session(&c.session, i);
    }
    close_session(&c.session);
}

/* Takes the compiler some ten seconds. */
static void build_for_long(void)
{
    enum { TERMS = 40000, TERM = 64 };
    char *source = malloc(TERMS * TERM), *at = source;
    at += sprintf(at, "kernel void k(global float *a) { float x = a[0];\n");
    for (int i = 0; i < TERMS - 10; i++)
        at += snprintf(at, TERM, "x = sin(x * %d) + pow(x, a[%d]);\n", i, i);
    strcpy(at, "a[0] = x; }");
    struct session s = open_session();
    use_session(&s, 1);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(s.context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &s.device, "", NULL, NULL);
}

static int children(void)
{
    char path[64];
    int count = 0, pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    REQUIRE(file, "%s", path);
    while (fscanf(file, "%d", &pid) == 1)
        count++;
    fclose(file);
    return count;
}

/* The application is killed while it builds. The compiler ends at once, even if a child that knows nothing of the driver holds its socket.
 */
static void killed_while_it_builds(void)
{
    int ends[2];
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* compilers whose application ends become children of this process */
    REQUIRE(!pipe(ends), "pipe");
    pid_t host = fork(), holder = 0;
    if (!host) {
        struct session s = open_session();
        use_session(&s, 1);
        holder = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* no handler of fork runs */
        while (!holder)
            pause();
        (void)!write(ends[1], &holder, sizeof holder);
        build_for_long();
        _exit(0);
    }
    REQUIRE(read(ends[0], &holder, sizeof holder) == sizeof holder, "the application ended");
    usleep(400000);
    kill(host, SIGKILL);
    wait_for(host);
    /* The holder is a child of ours now, and the compiler until it ends. */
    int left = 2;
    for (int i = 0; i < 100 && left > 1; i++) {
        usleep(10000);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        left = children();
    }
    kill(holder, SIGKILL);
    REQUIRE(left == 1, "a compiler lives a second after its application");
}
/* ---- all of them ---- */

static const struct {
    const char *name;
    void (*run)(void);
    bool plain; /* not under a sanitizer: its shadow, its threads, its allocator or its own files are in the way */
} cases[] = {
#define CASE(name) {#name, name, false}
#define PLAIN(name) {#name, name, true}
    CASE(use),
    CASE(closed_then_sockets),
    CASE(closed_then_files),
    CASE(no_standard_streams),
    CASE(file_limit),
    CASE(file_limit_later),
    PLAIN(little_memory),
    PLAIN(small_stack),
    PLAIN(huge_stack),
    PLAIN(huge_stack_inprocess),
    PLAIN(no_processes_left),
    PLAIN(no_clone),
    PLAIN(no_clone_for_now),
    CASE(exec_kills),
    CASE(no_memory_files),
    PLAIN(nothing_opens_later),
    PLAIN(no_proc),
    CASE(subreaper),
    CASE(init_of_namespace),
    CASE(children_ignored),
    PLAIN(set_uid),
    PLAIN(fork_while_others_build),
    CASE(cancelled_threads),
    CASE(killed_while_it_builds),
};
enum { CASES = sizeof cases / sizeof cases[0] };

static int run_all(bool sanitized)
{
    int failed = 0;
    for (int i = 0; i < CASES; i++) {
        if (sanitized && cases[i].plain)
            continue;
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        pid_t child = fork();
        if (!child) {
            alarm(40);
            execl("/proc/self/exe", "surroundings", cases[i].name, NULL);
            _exit(1);
        }
        int status = wait_for(child);
        clock_gettime(CLOCK_MONOTONIC, &end);
        bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
        printf("%-24s %s, %.2f s\n", cases[i].name,
               skipped  ? "not possible here"
               : status ? "FAILED"
                        : "good",
               (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
        if (status && !skipped)
            printf("    status %x\n", status);
        failed += status && !skipped;
    }
    return failed != 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 2 || !*argv[1] || !strcmp(argv[1], "--sanitized")) {
        char folder[] = "/tmp/tessera-host-XXXXXX", command[60];
        REQUIRE(mkdtemp(folder), "mkdtemp");
        setenv("TESSERA_CACHE_DIR", folder, 1);
        setenv("TESSERA_CACHE", "0", 1);
        setenv("TESSERA_CC_TIMEOUT", "20", 1); /* the specified limit is not waited for */
        int failed = run_all(argc > 1 && *argv[1]);
        snprintf(command, sizeof command, "rm -r %s", folder);
        (void)!system(command);
        return failed;
    }
    for (int i = 0; i < CASES; i++)
        if (!strcmp(argv[1], cases[i].name)) {
            cases[i].run();
            return 0;
        }
    return 2;
}
