/* SPDX-License-Identifier: Apache-2.0
 * The compiler as a library: loaded as the driver loads it, it answers, also to several threads at once, and exports two functions. */
#include "clc/common/wire.h"
#include "tessera/program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static __typeof__(tsr_cc_answer) *answer;
static __typeof__(tsr_cc_free) *release;
static void *handle;

static char outcome_log[400];

/* Builds a kernel; the outcome, or -1 if the answer is none. */
static int build(const char *source)
{
    struct tsr_wire_request request = {.request = {.source = {NULL, source, strlen(source)},
                                                   .target = {.triple = TSR_TRIPLE_X86_64,
                                                              .features = tsr_cpu()->features,
                                                              .default_sub_group_size = 16,
                                                              .macros = tsr_clc_all_macros()}}};
    struct tsr_buf buf = {0};
    tsr_wire_write_request(&request, &buf);
    size_t size;
    unsigned char *bytes = answer(buf.data, buf.size, &size);
    tsr_buf_free(&buf);
    struct tsr_arena arena = {0};
    struct tsr_wire_result result;
    struct tsr_program_info info;
    int outcome = bytes && tsr_wire_read_result(bytes, size, &arena, &result) == TSR_OK ? (int)result.outcome : -1;
    if (outcome == TSR_CLC_DONE && (tsr_image_read(result.image, result.image_size, &arena, &info) != TSR_OK || info.kernel_count != 1))
        outcome = -1;
    if (outcome > TSR_CLC_DONE)
        snprintf(outcome_log, sizeof outcome_log, "%s", result.log);
    tsr_arena_free(&arena);
    release(bytes);
    return outcome;
}

static void load(void **state)
{
    (void)state;
    handle = dlopen(TESSERA_CC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    *(void **)&answer = dlsym(handle, "tsr_cc_answer");
    *(void **)&release = dlsym(handle, "tsr_cc_free");
    assert_non_null(answer);
    assert_non_null(release);
    assert_null(dlsym(handle, "LLVMContextCreate"));
}

static void answers(void **state)
{
    (void)state;
    assert_int_equal(build("kernel void k(global int *p) { *p = 1; }"), TSR_CLC_DONE);
    assert_int_equal(build("kernel void k(global int *p) { *p = x; }"), TSR_CLC_FAILED);
}

static void *many(void *data)
{
    int *good = data;
    for (int i = 0; i < 5; i++)
        *good += build("kernel void k(global float *p) { *p = exp(*p); }") == TSR_CLC_DONE;
    return NULL;
}

static void several_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int good[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], 5);
    }
}

/* ---- memory that runs out ---- */

static const char program[] = "float f(global const float *a, int i) { return a[i & 15] * exp(a[i]); }\n"
                              "kernel void k(global const float *a, global float *o, int n)\n"
                              "{\n"
                              "    int g = get_global_id(0);\n"
                              "    local float t[64];\n"
                              "    t[get_local_id(0)] = f(a, g);\n"
                              "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "    for (int i = 0; i < n; i++)\n"
                              "        o[g] += t[i & 63] * a[i];\n"
                              "}\n";
enum { BUILT = 0, WITHOUT_MEMORY = 3, WRONG = 4 };

/* True if there was no memory, and the answer, if there was memory for one, says so. */
static bool runs_out(void)
{
    outcome_log[0] = 0;
    int outcome = build(program);
    return outcome == -1 || (outcome == TSR_CLC_NO_MEMORY && strstr(outcome_log, "out of memory"));
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != BUILT && WEXITSTATUS(status) != WITHOUT_MEMORY))
        return WRONG;
    return WEXITSTATUS(status);
}

/* Each allocation of the library fails in turn, with all after it, in a process of its own; the process goes on. */
static void each_allocation_fails(void **state)
{
    (void)state;
    tsr_fail_alloc(0); /* the test's own do not */
    int failed = 0;
    for (int n = 1;; n++) {
        char text[16];
        snprintf(text, sizeof text, "%d", n);
        pid_t child = fork();
        if (child == 0) {
            setenv("TESSERA_FAIL_ALLOC", text, 1);
            if (build(program) == TSR_CLC_DONE)
                _exit(BUILT);
            _exit(runs_out() && runs_out() ? WITHOUT_MEMORY : WRONG);
        }
        int status = status_of(child);
        if (status == WRONG)
            fail_msg("allocation %d fails, and the process with it", n);
        if (status == BUILT)
            break;
        failed++;
    }
    assert_true(failed > 10);
}

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%lu", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The process has little room: LLVM's allocations fail. With room again it builds again. */
static void little_room(void **state)
{
    (void)state;
    int built = 0, failed = 0;
    static const size_t rooms[] = {0, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 112 << 20};
    for (size_t r = 0; r < TSR_ARRAY_LEN(rooms); r++) {
        size_t room = rooms[r];
        pid_t child = fork();
        if (child == 0) {
            struct rlimit limit;
            if (build(program) != TSR_CLC_DONE || getrlimit(RLIMIT_AS, &limit))
                _exit(WRONG);
            struct rlimit tight = {address_space() + room, limit.rlim_max};
            setrlimit(RLIMIT_AS, &tight);
            bool out = true;
            for (int i = 0; i < 4 && out; i++) /* what is lost adds up */
                out = build(program) == TSR_CLC_DONE;
            out = !out;
            setrlimit(RLIMIT_AS, &limit);
            _exit(build(program) != TSR_CLC_DONE ? WRONG : out ? WITHOUT_MEMORY : BUILT);
        }
        int status = status_of(child);
        if (status == WRONG)
            fail_msg("%zu MiB of room, and the process does not go on", room >> 20);
        built += status == BUILT;
        failed += status == WITHOUT_MEMORY;
    }
    assert_true(built > 0);
    assert_true(failed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(load), cmocka_unit_test(each_allocation_fails), cmocka_unit_test(little_room),
                                       cmocka_unit_test(answers), cmocka_unit_test(several_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
