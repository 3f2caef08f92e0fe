/* SPDX-License-Identifier: Apache-2.0
 * The compiler process under faults: its jail, requests that are none, death, hang-ups, little memory. */
#include "clc/service/test/service_test.h"

static pid_t child_of(pid_t parent)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    return (pid_t)atoi(text);
}

static void in_jail(void **state)
{
    (void)state;
    check("kernel void k() {}\n", "", TSR_CLC_DONE, NULL);
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/%d/status", (int)child_of(compiler));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    int found = 0;
    while (fgets(text, sizeof text, f))
        found += !strcmp(text, "NoNewPrivs:\t1\n") || !strcmp(text, "Seccomp:\t2\n");
    fclose(f);
    assert_int_equal(found, 2);
}

static void nonsense_request(void **state)
{
    (void)state;
    uint32_t kind;
    unsigned char *bytes;
    size_t size;
    struct tsr_arena arena = {0};
    struct tsr_wire_result result;
    assert_int_equal(tsr_wire_send(line, TSR_WIRE_REQUEST, "nonsense", 8, UINT64_MAX), TSR_OK);
    assert_int_equal(tsr_wire_receive(line, &kind, &bytes, &size, UINT64_MAX), TSR_OK);
    assert_int_equal(tsr_wire_read_result(bytes, size, &arena, &result), TSR_OK);
    assert_int_equal(result.outcome, TSR_CLC_FAILED);
    tsr_arena_free(&arena);
    tsr_free(bytes);
    check("kernel void k() {}\n", "", TSR_CLC_DONE, NULL); /* and it goes on */
}

static void death(void **state)
{
    (void)state;
    check("kernel void k() {}\n", "", TSR_CLC_DONE, NULL);
    kill(child_of(compiler), SIGKILL);
    uint32_t kind;
    unsigned char *bytes;
    size_t size;
    assert_int_equal(tsr_wire_receive(line, &kind, &bytes, &size, tsr_now_ns() + 10000000000u), TSR_OK);
    assert_int_equal(kind, TSR_WIRE_DIED);
    struct tsr_reader r = tsr_reader_over(bytes, size);
    int status = (int)tsr_read_u32(&r);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    tsr_free(bytes);
    stop();
    start();
}

/* The driver hangs up: both processes end, also one that is stopped in the middle of something. */
static void hang_up(void **state)
{
    (void)state;
    check("kernel void k() {}\n", "", TSR_CLC_DONE, NULL);
    pid_t child = child_of(compiler);
    kill(child, SIGSTOP);
    int status = stop();
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(kill(child, 0), -1);
    start();
    status = stop();
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    start();
}

/* A compiler with little memory answers, whatever it has done by then, and a new one takes the next request. */
static void little_memory(void **state)
{
    (void)state;
    int built = 0, without = 0;
    for (int mib = 32; mib <= 256; mib += mib < 160 ? 8 : 32) {
        char text[16];
        snprintf(text, sizeof text, "%dM", mib);
        stop();
        setenv("TESSERA_CC_MEMORY", text, 1);
        start();
        struct answer answer = compile(TSR_CLC_BUILD, vadd, "");
        built += answer.result.outcome == TSR_CLC_DONE;
        without += answer.result.outcome == TSR_CLC_NO_MEMORY;
        if (answer.result.outcome != TSR_CLC_DONE)
            expect(&answer, TSR_CLC_NO_MEMORY, "out of memory: the compiler may have");
        if (answer.result.outcome == TSR_CLC_NO_MEMORY)
            assert_non_null(strstr(answer.result.log, "raise TESSERA_CC_MEMORY"));
        end(&answer);
    }
    unsetenv("TESSERA_CC_MEMORY");
    stop();
    start();
    check(vadd, "", TSR_CLC_DONE, NULL);
    assert_true(built > 0);
    assert_true(without > 0);
}

/* An allocation of the compiler's own fails, and all after it: reading the request, arenas, the answer. */
static void failing_allocations(void **state)
{
    (void)state;
    static const int numbers[] = {1, 2, 3, 5, 9, 17};
    tsr_fail_alloc(0); /* not this program's */
    for (size_t i = 0; i < TSR_ARRAY_LEN(numbers); i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", numbers[i]);
        stop();
        setenv("TESSERA_FAIL_ALLOC", text, 1);
        start();
        unsetenv("TESSERA_FAIL_ALLOC");
        check(vadd, "", TSR_CLC_NO_MEMORY, "out of memory");
    }
    stop();
    start();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_jail), cmocka_unit_test(nonsense_request), cmocka_unit_test(death),
        cmocka_unit_test(hang_up), cmocka_unit_test(little_memory),    cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
