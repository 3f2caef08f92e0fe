/* SPDX-License-Identifier: Apache-2.0
 * Compiler processes: answers, deaths, time limits, forks, and that the application sees nothing of them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client_test.h"

enum { SKIPPED = 77 };

static void an_answer_comes_with_its_log(void **state)
{
    (void)state;
    expect("anything", TSR_CLC_DONE, "warning: kept with the image");
    expect("fail", TSR_CLC_FAILED, "error: no");
}

static void a_death_is_a_failed_build_that_names_the_signal(void **state)
{
    (void)state;
    expect("die 9", TSR_CLC_FAILED, "SIGKILL");
    expect("die 11", TSR_CLC_DIED, "SIGSEGV");
    expect("die 6", TSR_CLC_DIED, "famous last words");
    expect("die 6", TSR_CLC_DIED, "before the code of kernels"); /* it dies as well when that is left out */
    expect("exit 3", TSR_CLC_FAILED, "exit status 3");
    expect("anything", TSR_CLC_DONE, "");
}

static bool ends_soon(pid_t pid)
{
    for (int i = 0; i < 200; i++) {
        if (kill(pid, 0) && errno == ESRCH)
            return true;
        char path[64], line[256] = "";
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "r");
        if (!file || !fgets(line, sizeof(line), file) || strstr(line, ") Z ")) { /* a zombie of an init that is slow to reap */
            if (file)
                fclose(file);
            return true;
        }
        fclose(file);
        usleep(10000);
    }
    return false;
}

static void a_stopped_compiler_is_killed_at_the_limit(void **state)
{
    (void)state;
    char *pid = image_of("pid");
    setenv("TESSERA_CC_TIMEOUT", "1", 1);
    uint64_t start = tsr_now_ns();
    expect("die 19", TSR_CLC_FAILED, "TESSERA_CC_TIMEOUT"); /* SIGSTOP */
    assert_true(tsr_now_ns() - start < 3000000000u);
    assert_true(ends_soon(atoi(pid)));
    tsr_free(pid);
    unsetenv("TESSERA_CC_TIMEOUT");
    expect("anything", TSR_CLC_DONE, "");
}

static void garbage_is_a_failed_build(void **state)
{
    (void)state;
    setenv("TESSERA_CC_TIMEOUT", "5", 1);
    expect("garbage", TSR_CLC_FAILED, "TESSERA_CC");
    expect("nonsense", TSR_CLC_FAILED, "makes no sense");
    expect("huge", TSR_CLC_FAILED, "TESSERA_CC");
    expect("anything", TSR_CLC_DONE, "");
}

static void write_script(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
}

static void a_strange_program_in_its_place_is_reported(void **state)
{
    (void)state;
    char path[100];
    snprintf(path, sizeof(path), "%s/cc", scratch);
    setenv("TESSERA_CC", path, 1);
    expect("x", TSR_CLC_UNAVAILABLE, path); /* no such file */
    write_script(path, "#!/bin/sh\necho no license; exit 1\n");
    expect("x", TSR_CLC_FAILED, "no license");
    write_script(path, "#!/bin/sh\nprintf 'this is no frame at all, by no means' >&0; sleep 5\n");
    setenv("TESSERA_CC_TIMEOUT", "3", 1);
    expect("x", TSR_CLC_FAILED, "Is TESSERA_CC another program?");
    write_script(path, "#!/does/not/exist\n");
    expect("x", TSR_CLC_UNAVAILABLE, path);
    assert_int_equal(chmod(path, 0644), 0);
    expect("x", TSR_CLC_UNAVAILABLE, path);
}

static void one_that_dies_while_idle_is_replaced(void **state)
{
    (void)state;
    char *pid = image_of("pid");
    kill(atoi(pid), SIGKILL);
    assert_true(ends_soon(atoi(pid)));
    char *second = image_of("pid");
    assert_string_not_equal(pid, second);
    tsr_free(pid);
    tsr_free(second);
}

static void *let_go_on(void *pid)
{
    usleep(200000);
    kill(*(pid_t *)pid, SIGCONT);
    return NULL;
}

/* The news of the death comes when the next request is under way. */
static void one_whose_death_shows_late_is_replaced(void **state)
{
    (void)state;
    char *pid = image_of("pid"), path[64];
    pid_t watcher = 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %*s %*c %d", &watcher), 1);
    fclose(file);
    kill(watcher, SIGSTOP);
    kill(atoi(pid), SIGKILL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, let_go_on, &watcher), 0);
    char *second = image_of("pid");
    assert_string_not_equal(pid, second);
    pthread_join(thread, NULL);
    tsr_free(pid);
    tsr_free(second);
}

static void a_program_and_a_header_of_32_mib_arrive(void **state)
{
    (void)state;
    size_t size = 33 << 20;
    char *source = tsr_malloc(size), *header = tsr_malloc(size);
    for (size_t i = 0; i < size; i++) {
        source[i] = (char)(' ' + i % 91);
        header[i] = (char)(' ' + i % 89);
    }
    struct tsr_clc_text text = {"h.h", header, size};
    struct tsr_clc_request request = request_for("");
    request.source.data = source;
    request.source.size = size;
    request.headers = &text;
    request.header_count = 1;
    struct tsr_clc_result result;
    tsr_clc_run(&request, &result);
    assert_int_equal(result.outcome, TSR_CLC_DONE);
    struct tsr_hash expected[2] = {tsr_hash_bytes(source, size), tsr_hash_bytes(header, size)};
    assert_memory_equal(result.image, expected, sizeof(expected));
    tsr_clc_result_free(&result);
    tsr_free(source);
    tsr_free(header);
}

static volatile sig_atomic_t child_signals;
static void on_child(int signal_number)
{
    (void)signal_number;
    child_signals++;
}

static void the_application_has_no_child(void **state)
{
    (void)state;
    signal(SIGCHLD, on_child);
    child_signals = 0;
    expect("anything", TSR_CLC_DONE, "");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    expect("die 9", TSR_CLC_FAILED, "SIGKILL");
    tsr_clc_unload();
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(child_signals, 0);
    signal(SIGCHLD, SIG_DFL);
}

static void it_inherits_no_descriptor(void **state)
{
    (void)state;
    int leak = open("/dev/null", O_RDONLY); /* not close-on-exec */
    int high = fcntl(leak, F_DUPFD, 500);
    char *list = image_of("descriptors");
    assert_string_equal(list, "0 1 2 ");
    tsr_free(list);
    close(leak);
    close(high);
}

static void it_starts_without_standard_streams(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        struct tsr_clc_result result = run("descriptors");
        _exit(result.outcome == TSR_CLC_DONE && !memcmp(result.image, "0 1 2 ", 6) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_child_of_a_fork_has_compilers_of_its_own(void **state)
{
    (void)state;
    char *ours = image_of("pid");
    pid_t child = fork();
    if (child == 0) {
        char *theirs = image_of("pid");
        for (int i = 0; i < 20; i++)
            expect("anything", TSR_CLC_DONE, "");
        _exit(strcmp(ours, theirs) ? 0 : 1);
    }
    for (int i = 0; i < 20; i++) {
        char *again = image_of("pid");
        assert_string_equal(ours, again);
        tsr_free(again);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tsr_free(ours);
}

static void *build_many(void *data)
{
    for (int i = 0; i < 30; i++) {
        char source[64];
        snprintf(source, sizeof(source), "thread %d build %d", *(int *)data, i);
        struct tsr_clc_result result = run(source);
        struct tsr_hash expected = tsr_hash_bytes(source, strlen(source));
        bool good = result.outcome == TSR_CLC_DONE && !memcmp(result.image, &expected, sizeof(expected));
        tsr_clc_result_free(&result);
        if (!good)
            return (void *)1;
    }
    return NULL;
}

static void many_threads_get_their_own_answers(void **state)
{
    (void)state;
    pthread_t threads[8];
    int numbers[8];
    for (int i = 0; i < 8; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, build_many, &numbers[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static void it_sees_variables_as_they_are_at_the_build(void **state)
{
    (void)state;
    setenv("TESSERA_CPU", "sse2", 1);
    char *first = image_of("environment TESSERA_CPU");
    assert_string_equal(first, "sse2");
    setenv("TESSERA_CPU", "avx2", 1);
    char *second = image_of("environment TESSERA_CPU");
    assert_string_equal(second, "avx2");
    unsetenv("TESSERA_CPU");
    tsr_free(first);
    tsr_free(second);
}

/* Libraries that the application runs with, as a sanitizer's runtime or a tracer, are for the application alone. */
static void it_runs_without_preloaded_libraries(void **state)
{
    (void)state;
    static const char *const variables[] = {"LD_PRELOAD", "LD_AUDIT"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(variables); i++) {
        char source[40];
        snprintf(source, sizeof source, "environment %s", variables[i]);
        tsr_clc_unload(); /* the next compiler starts with the variable */
        setenv(variables[i], "libm.so.6", 1);
        char *seen = image_of(source);
        unsetenv(variables[i]);
        assert_string_equal(seen, "unset");
        tsr_free(seen);
    }
    tsr_clc_unload();
}

static void unloading_ends_the_idle_ones(void **state)
{
    (void)state;
    char *pid = image_of("pid");
    tsr_clc_unload();
    assert_true(ends_soon(atoi(pid)));
    tsr_free(pid);
}

static void the_directory_is_told_only_if_files_may_be_read(void **state)
{
    (void)state;
    char *with = image_of("#include <x.h>"), *without = image_of("no such word");
    char here[1000];
    assert_non_null(getcwd(here, sizeof(here)));
    assert_non_null(strstr(with + sizeof(struct tsr_hash), here));
    assert_null(strstr(without + sizeof(struct tsr_hash), here));
    tsr_free(with);
    tsr_free(without);
}

/* Number of sockets that this process has open. */
static int sockets(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        struct stat st;
        count += !fstat(fd, &st) && S_ISSOCK(st.st_mode);
    }
    return count;
}

/* As soon as the compiler, which takes its time, has made the file. */
static void *close_in_the_middle(void *path)
{
    while (access(path, F_OK))
        usleep(1000);
    for (int fd = 3; fd < 256; fd++) {
        struct stat st;
        int pair[2];
        if (!fstat(fd, &st) && S_ISSOCK(st.st_mode)) { /* the number is another socket's from now on */
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
            assert_int_equal(dup2(pair[0], fd), fd);
            close(pair[0]);
            return (void *)(uintptr_t)pair[1];
        }
    }
    return NULL;
}

static void a_socket_that_is_closed_during_a_build_is_left_alone(void **state)
{
    (void)state;
    if (TSR_TSAN) {
        print_message("ThreadSanitizer reports what this test is about: a thread that closes a descriptor which another one uses\n");
        skip();
    }
    pthread_t thread;
    void *peer;
    char path[100], source[120], byte;
    struct stat st;
    tsr_clc_unload();
    snprintf(path, sizeof(path), "%s/waiting", scratch);
    snprintf(source, sizeof(source), "wait %s", path);
    assert_int_equal(pthread_create(&thread, NULL, close_in_the_middle, path), 0);
    uint64_t begin = tsr_now_ns();
    expect(source, TSR_CLC_DONE, ""); /* by another compiler, which finds the file and does not wait */
    assert_true(tsr_now_ns() - begin < 10000000000u);
    pthread_join(thread, &peer);
    int end = (int)(uintptr_t)peer;
    assert_true(end > 0);
    assert_int_equal(recv(end, &byte, 1, MSG_DONTWAIT), -1); /* nothing came, and it is open */
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(fstat(end, &st), 0);
    tsr_clc_unload();
    assert_int_equal(recv(end, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    for (int fd = 3; fd < 256; fd++)
        if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
            close(fd);
}

static atomic_int fstat_fails_at; /* the call on a socket that fails, counted from 1; 0: none does */

/* In the place of the C library's. */
int fstat(int fd, struct stat *st)
{
    if (syscall(SYS_fstat, fd, st))
        return -1;
    int at = S_ISSOCK(st->st_mode) ? atomic_load(&fstat_fails_at) : 0;
    if (!at || atomic_fetch_sub(&fstat_fails_at, 1) != 1)
        return 0;
    errno = ENOMEM;
    return -1;
}

/* The compiler, which has a part of the request or none, is not waited for. */
static void a_socket_that_cannot_be_looked_at_once_costs_a_compiler(void **state)
{
    (void)state;
    for (int at = 1; at <= 6; at++) {
        expect("anything", TSR_CLC_DONE, "");
        uint64_t begin = tsr_now_ns();
        atomic_store(&fstat_fails_at, at);
        expect("other", TSR_CLC_DONE, "");
        atomic_store(&fstat_fails_at, 0);
        assert_true(tsr_now_ns() - begin < 10000000000u);
    }
}

/* A child of ours that has this number; 0: not to be had, as only root can ask for one. */
static pid_t child_with_number(pid_t wanted)
{
    for (int i = 0; i < 200; i++) {
        FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");
        bool asked = file && fprintf(file, "%d", (int)wanted - 1) > 0;
        if (!file || fclose(file) || !asked)
            return 0;
        pid_t child = fork();
        if (!child)
            for (;;)
                pause();
        if (child == wanted)
            return child;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return 0;
}

static void a_child_with_the_number_of_a_dead_compiler_lives_on(void **state)
{
    (void)state;
    char *pid = image_of("pid"), path[64];
    pid_t watcher = 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %*s %*c %d", &watcher), 1);
    fclose(file);
    tsr_free(pid);
    kill(watcher, SIGKILL);
    for (int i = 0; i < 500 && !kill(watcher, 0); i++)
        usleep(10000);
    pid_t child = child_with_number(watcher);
    if (!child)
        skip();
    expect("anything", TSR_CLC_DONE, "");
    tsr_clc_unload();
    int status;
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
}

static _Atomic bool stop;
static void *start_and_end(void *data)
{
    (void)data;
    while (!atomic_load(&stop)) {
        expect("anything", TSR_CLC_DONE, "");
        tsr_clc_unload();
    }
    return NULL;
}

static void a_child_inherits_no_socket_of_a_compiler(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, start_and_end, NULL), 0);
    for (int i = 0; i < 150; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(sockets());
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

static void without_the_library_the_mode_inprocess_says_so(void **state)
{
    (void)state;
    setenv("TESSERA_CC_MODE", "inprocess", 1);
    expect("x", TSR_CLC_UNAVAILABLE, "error: no compiler.");
}

/* Runs the test in a child. False: it could not be run here. */
static bool in_child(int (*test)(void))
{
    pid_t child = fork();
    if (child == 0)
        _exit(test());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(status == 0 || WEXITSTATUS(status) == SKIPPED);
    return status == 0;
}

/* 0, or 1 with the log: whether there is no compiler, and the log has the text. */
static int is_unavailable(const char *log_has)
{
    struct tsr_clc_result result = run("anything");
    if (result.outcome == TSR_CLC_UNAVAILABLE && strstr(result.log, log_has))
        return 0;
    fprintf(stderr, "outcome %d, not \"%s\", but: %s\n", result.outcome, log_has, result.log ? result.log : "(no log)");
    return 1;
}

static int without_memory_files(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {TSR_ARRAY_LEN(code), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return SKIPPED;
    return is_unavailable("No file in memory for the output of the compiler process: Operation not permitted.");
}

static int without_descriptors(void)
{
    struct rlimit limit = {4, 4}; /* so 3 is the only one above the standard streams, which this process closes */
    close(0);
    close(1);
    for (int fd = 3; fd < 100; fd++)
        close(fd);
    if (setrlimit(RLIMIT_NOFILE, &limit))
        return SKIPPED;
    return is_unavailable("No descriptor above the standard streams for the compiler process: Too many open files.");
}

/* The program itself goes by argv[0], so without /proc nothing tells its folder. */
static int without_a_known_folder(void)
{
    char exe[4096];
    ssize_t size = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (size < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/proc", "tmpfs", 0, NULL))
        return SKIPPED;
    exe[size] = 0;
    unsetenv("TESSERA_CC");
    unsetenv("TESSERA_CC_MODE");
    execl(exe, "relative", "folder", NULL);
    return 2;
}

/* The log says what could not be had, and it is not called a lack of memory. */
static void what_is_missing_for_a_process_is_named(void **state)
{
    (void)state;
    setenv("TESSERA_CC_MODE", "process", 1);
    bool all = in_child(without_memory_files);
    all &= in_child(without_descriptors);
    all &= in_child(without_a_known_folder);
    if (!all)
        skip();
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) { /* started by without_a_known_folder */
        setenv("TESSERA_CACHE", "0", 1);
        syscall(SYS_exit_group, is_unavailable("cannot be found out")); /* no search for leaks, which needs /proc */
    }
#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(an_answer_comes_with_its_log),
        CASE(a_death_is_a_failed_build_that_names_the_signal),
        CASE(a_stopped_compiler_is_killed_at_the_limit),
        CASE(garbage_is_a_failed_build),
        CASE(a_strange_program_in_its_place_is_reported),
        CASE(one_that_dies_while_idle_is_replaced),
        CASE(one_whose_death_shows_late_is_replaced),
        CASE(a_program_and_a_header_of_32_mib_arrive),
        CASE(the_application_has_no_child),
        CASE(it_inherits_no_descriptor),
        CASE(it_starts_without_standard_streams),
        CASE(a_child_of_a_fork_has_compilers_of_its_own),
        CASE(many_threads_get_their_own_answers),
        CASE(it_sees_variables_as_they_are_at_the_build),
        CASE(it_runs_without_preloaded_libraries),
        CASE(unloading_ends_the_idle_ones),
        CASE(the_directory_is_told_only_if_files_may_be_read),
        CASE(a_socket_that_is_closed_during_a_build_is_left_alone),
        CASE(a_socket_that_cannot_be_looked_at_once_costs_a_compiler),
        CASE(a_child_with_the_number_of_a_dead_compiler_lives_on),
        CASE(a_child_inherits_no_socket_of_a_compiler),
        CASE(without_the_library_the_mode_inprocess_says_so),
        CASE(what_is_missing_for_a_process_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
