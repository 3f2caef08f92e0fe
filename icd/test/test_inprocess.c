/* SPDX-License-Identifier: Apache-2.0
 * The compiler as a library: by TESSERA_CC_MODE, and by itself where no process may be started (a seccomp filter on execve). Each case is a
 * process of its own, as a filter cannot be taken back. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

enum { BUILT = 0, NO_COMPILER = 2, FAILED = 3 };

static bool forbid_processes(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Builds and runs a program; the way it went is the exit status. */
static int build_and_run(void)
{
    const char *source = "__kernel void a(__global int *p) { p[0] = 42; }", *broken = "int broken = ;";
    cl_int err, value = 0;
    size_t one = 1;
    struct test_world w = test_begin(0);
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &err);
    err = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    if (err == CL_COMPILER_NOT_AVAILABLE)
        return NO_COMPILER;
    if (err != CL_SUCCESS)
        return FAILED;
    cl_kernel kernel = test_kernel(program, "a");
    cl_mem buffer = test_buffer(w.context, 0, sizeof(value), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    cl_program bad = clCreateProgramWithSource(w.context, 1, &broken, NULL, &err);
    err = clBuildProgram(bad, 0, NULL, NULL, NULL, NULL);
    return value == 42 && err == CL_BUILD_PROGRAM_FAILURE ? BUILT : FAILED;
}

/* True if the compiler's library is in this process. */
static bool library_is_mapped(void)
{
    char line[600];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        found |= strstr(line, "libtessera-cc.so") != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static int in_a_process(const char *mode, bool forbidden, bool expect_library)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (mode)
            setenv("TESSERA_CC_MODE", mode, 1);
        if (forbidden && !forbid_processes())
            _exit(77);
        int result = build_and_run();
        _exit(library_is_mapped() == expect_library ? result : 99);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        fail_msg("killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == 77)
        skip(); /* no seccomp here */
    return WEXITSTATUS(status);
}

/* The library is not instrumented, and is not tried in one process with a sanitizer's runtime. */
static void skip_if_sanitized(void)
{
    if (CL_TEST_SANITIZED) {
        print_message("the library is not loaded under this sanitizer\n");
        skip();
    }
}

static void a_process_is_the_rule(void **state)
{
    (void)state;
    assert_int_equal(in_a_process(NULL, false, false), BUILT);
}

static void the_mode_asks_for_the_library(void **state)
{
    (void)state;
    skip_if_sanitized();
    assert_int_equal(in_a_process("inprocess", false, true), BUILT);
}

static void the_library_steps_in_where_processes_are_forbidden(void **state)
{
    (void)state;
    skip_if_sanitized();
    assert_int_equal(in_a_process(NULL, true, true), BUILT);
}

static void the_mode_can_insist_on_a_process(void **state)
{
    (void)state;
    assert_int_equal(in_a_process("process", true, false), NO_COMPILER);
}

int main(void)
{
    setenv("TESSERA_CACHE", "0", 1);
    unsetenv("TESSERA_CC_MODE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_the_rule),
        cmocka_unit_test(the_mode_asks_for_the_library),
        cmocka_unit_test(the_library_steps_in_where_processes_are_forbidden),
        cmocka_unit_test(the_mode_can_insist_on_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
