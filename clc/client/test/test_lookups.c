/* SPDX-License-Identifier: Apache-2.0
 * Files that builds look up: a result is taken from the cache as long as the same is found under every path, and looking never hangs. */
#include <fcntl.h>

#include "client_test.h"

static int begin_cached(void **state)
{
    static char folder[100];
    begin(state);
    snprintf(folder, sizeof(folder), "%s/cache", scratch);
    setenv("TESSERA_CACHE", "1", 1);
    setenv("TESSERA_CACHE_DIR", folder, 1);
    return chdir(scratch);
}

static int end_cached(void **state)
{
    return chdir("/") || end(state);
}

static void shell(const char *command)
{
    if (system(command))
        fail_msg("%s failed", command);
}

static void every_change_is_noticed(void **state)
{
    static const struct {
        const char *what; /* the compiler does with "x", and "y" or "x/y" */
        const char *before, *change;
        bool hit;
    } cases[] = {
        {"read", "", ":", true},
        {"read", "", "touch x", false},
        {"read", "", "mkdir x", false},
        {"read", "", "touch z && ln -s z x", false},
        {"read", "", "mkfifo x", true}, /* is not there for a compiler */
        {"read", "", "ln -s nowhere x", true},
        {"read", "", "mkdir x && touch x/y", false},
        {"read", "touch x", ":", true},
        {"read", "touch x", "rm x", false},
        {"read", "echo 1 > x", "echo 2 > x", false},
        {"read", "echo 1 > x", "echo 1 > z && mv z x", true},
        {"read", "echo 1 > x", "echo 1 > z && ln -sf z x", true},
        {"read", "echo 1 > x", "echo 2 > z && ln -sf z x", false},
        {"read", "touch x", "rm x && mkdir x", false},
        {"read", "touch x", "rm x && mkfifo x", false},
        {"read", "touch x", "ln -sf /dev/zero x", false},
        {"read", "touch x", "ln -sf /dev/tty x", false},
        {"read", "touch x", "rm x && ln -s x x", false},
        {"read", "echo > z && ln -s z x", "rm z", false},
        {"stat", "echo 1 > x", "echo 2 > x", true},
        {"stat", "echo 1 > x", "rm x", false},
        {"stat", "echo 1 > x", "rm x && mkdir x", false},
        {"stat", "mkdir x", ":", true},
        {"stat", "mkdir x", "touch x/z", true},
        {"stat", "mkdir x", "touch x/y", false},
        {"stat", "mkdir x", "rmdir x", false},
        {"stat", "mkdir x", "rmdir x && touch x", false},
        {"stat", "mkdir x", "mv x z && ln -s z x", true},
        /* One file under two names is included once by #pragma once, and one folder is searched once. */
        {"read", "touch x && ln x y", ":", true},
        {"read", "touch x && ln x y", "rm y && touch y", false},
        {"read", "touch x && ln -s x y", "rm y && touch y", false},
        {"read", "touch x y", "ln -f x y", false},
        {"read", "touch x && ln x y", "touch z && ln -f z x && ln -f z y", true},
        {"stat", "mkdir x && ln -s x y", ":", true},
        {"stat", "mkdir x && ln -s x y", "rm y && mkdir y", false},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        end_cached(state);
        begin_cached(state);
        shell(*cases[i].before ? cases[i].before : ":");
        char source[300];
        snprintf(source, sizeof(source), "%s %s/x %s/x/y %s/y", cases[i].what, scratch, scratch, scratch);
        expect(source, TSR_CLC_DONE, "");
        expect(source, TSR_CLC_DONE, "");
        assert_int_equal(runs(), 1);
        shell(cases[i].change);
        expect(source, TSR_CLC_DONE, "");
        if (runs() != (cases[i].hit ? 1 : 2))
            fail_msg("%s, then %s: %s", cases[i].before, cases[i].change, cases[i].hit ? "a miss" : "a hit");
        expect(source, TSR_CLC_DONE, ""); /* what was built anew is a hit again */
        assert_int_equal(runs(), cases[i].hit ? 1 : 2);
    }
}

int main(void)
{
    alarm(60); /* for what hangs */
#define CASE(function) cmocka_unit_test_setup_teardown(function, begin_cached, end_cached)
    const struct CMUnitTest tests[] = {
        CASE(every_change_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
