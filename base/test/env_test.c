/* SPDX-License-Identifier: Apache-2.0
 * Environment: values in every form, malformed ones fall back and are told once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tessera/base.h"
#include "tessera/sanitizer.h"

/* FAIL_ALLOC stands for any variable: the parsers do not care. tsr_fail_alloc(0) has switched its own effect off. */
#define VARIABLE "TESSERA_FAIL_ALLOC"
static const enum tsr_env_name variable = TSR_ENV_FAIL_ALLOC;
static char log_path[] = "/tmp/tessera-env-test-XXXXXX";

static void integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long value;
    } cases[] = {{"5", 5},
                 {"-3", -3},
                 {" 7 ", 7},
                 {"0x10", 16},
                 {"", 99},
                 {"abc", 99},
                 {"5x", 99},
                 {"1e3", 99},
                 {"101", 99},
                 {"-11", 99},
                 {"999999999999999999999", 99}};
    for (unsigned i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        setenv(VARIABLE, cases[i].text, 1);
        assert_int_equal(tsr_env_int_or(variable, 99, -10, 100), cases[i].value);
    }
    unsetenv(VARIABLE);
    assert_int_equal(tsr_env_int_or(variable, 99, -10, 100), 99);
    assert_null(tsr_env(variable));
    setenv(VARIABLE, "", 1);
    assert_null(tsr_env(variable));
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {{"0", 0},
                 {"12", 12},
                 {"4K", 4096},
                 {"3m", 3 << 20},
                 {"2G", UINT64_C(2) << 30},
                 {"4 K", 99},
                 {"K", 99},
                 {"-1", 99},
                 {"1KB", 99},
                 {"0x10K", 16384},
                 {"99999999999999999999", 99},
                 {"17179869184G", 99},
                 {"17179869183G", UINT64_C(17179869183) << 30}};
    for (unsigned i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        setenv(VARIABLE, cases[i].text, 1);
        assert_int_equal(tsr_env_size_or(variable, 99), cases[i].value);
    }
}

static void words(void **state)
{
    (void)state;
    static const char *const yes[] = {"1", "yes", "ON", "True"}, *const no[] = {"0", "No", "off", "false"};
    for (unsigned i = 0; i < 4; i++) {
        setenv(VARIABLE, yes[i], 1);
        assert_true(tsr_env_bool_or(variable, false));
        setenv(VARIABLE, no[i], 1);
        assert_false(tsr_env_bool_or(variable, true));
    }
    setenv(VARIABLE, "maybe", 1);
    assert_true(tsr_env_bool_or(variable, true));
    assert_false(tsr_env_bool_or(variable, false));
    static const char *const modes[] = {"0", "json", "1"}; /* 0 is the default */
    setenv("TESSERA_EXPLAIN", "Json", 1);
    assert_int_equal(tsr_env_choice(TSR_ENV_EXPLAIN, modes, 3), 1);
    setenv("TESSERA_EXPLAIN", "blue", 1);
    assert_int_equal(tsr_env_choice(TSR_ENV_EXPLAIN, modes, 3), 0);
    unsetenv("TESSERA_EXPLAIN");
    assert_int_equal(tsr_env_choice(TSR_ENV_EXPLAIN, modes + 1, 2), 0);
}

/* Each default of the table has the form that the table names: the functions parse it at each call. */
static void defaults(void **state)
{
    (void)state;
    static const struct {
        enum tsr_env_name name;
        const char *variable, *values, *standard;
    } rows[] = {
#define TSR_ENV(name, obeys, side, values, default_value, text) {TSR_ENV_##name, "TESSERA_" #name, values, default_value},
#include "tessera/env.def"
#undef TSR_ENV
    };
    char in_bars[100], choice[100];
    for (unsigned i = 0; i < TSR_ARRAY_LEN(rows); i++) {
        const char *standard = rows[i].standard;
        unsetenv(rows[i].variable);
        if (!*standard || *standard == '(')
            continue;
        assert_string_equal(tsr_env_text(rows[i].name), standard);
        if (!strcmp(rows[i].values, "0|1")) {
            assert_true(!strcmp(standard, "0") || !strcmp(standard, "1"));
            assert_int_equal(tsr_env_bool(rows[i].name), *standard == '1');
        } else if (strchr(rows[i].values, '|')) {
            snprintf(in_bars, sizeof in_bars, "|%s|", rows[i].values);
            snprintf(choice, sizeof choice, "|%s|", standard);
            assert_non_null(strstr(in_bars, choice));
        } else if (!strncmp(rows[i].values, "bytes", 5)) {
            assert_int_not_equal(tsr_env_size(rows[i].name), 0);
        } else if (strcmp(rows[i].values, "text") != 0) {
            assert_int_equal(tsr_env_int(rows[i].name, 1, INT64_MAX), atoll(standard));
        }
    }
    assert_int_equal(tsr_env_size(TSR_ENV_CC_MEMORY), UINT64_C(8) << 30);
    setenv("TESSERA_CC_MEMORY", "much", 1);
    assert_int_equal(tsr_env_size(TSR_ENV_CC_MEMORY), UINT64_C(8) << 30);
    unsetenv("TESSERA_CC_MEMORY");
}

static void one_complaint(void **state)
{
    (void)state;
    char text[4096] = "";
    FILE *log = fopen(log_path, "r");
    assert_non_null(log);
    text[fread(text, 1, sizeof text - 1, log)] = 0;
    fclose(log);
    /* Many malformed values of the same variable were read above. */
    const char *first = strstr(text, VARIABLE "=abc is ignored");
    assert_non_null(first);
    assert_null(strstr(strchr(first, '\n'), VARIABLE));
    assert_non_null(strstr(text, "TESSERA_EXPLAIN=blue is ignored: unknown word; accepted: 0|1|json"));
}

/* ---- an environment that another thread changes ---- */

static _Atomic bool stop;

static void *changer(void *unused)
{
    enum { NAMES = 300, LONGEST = 500 };
    char name[16], value[LONGEST + 1];
    memset(value, 'v', sizeof value - 1);
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        value[LONGEST] = 0;
        snprintf(name, sizeof name, "CHANGES_%u", i * 7 % NAMES);
        setenv(name, value + i * 31 % LONGEST, 1);
        snprintf(name, sizeof name, "CHANGES_%u", i * 11 % NAMES);
        unsetenv(name);
    }
    return unused;
}

static void changing(void **state)
{
    (void)state;
    if (TSR_ASAN || TSR_TSAN) { /* which report that a list is read that has been replaced */
        skip();
    }
    enum { COPIES = 20000 };
    pthread_t thread;
    setenv("CHANGES_NOT", "constant", 1);
    assert_int_equal(pthread_create(&thread, NULL, changer, NULL), 0);
    for (int i = 0; i < COPIES; i++) {
        struct tsr_environment *copy = tsr_environment_copy();
        assert_non_null(copy);
        const struct tsr_environment *before = tsr_environment_use(copy);
        const char *value = tsr_getenv("CHANGES_NOT");
        assert_true(!value || !strcmp(value, "constant")); /* a line that moves may be missed */
        for (char **line = tsr_environ(); *line; line++)
            assert_non_null(strchr(*line, '='));
        tsr_environment_use(before);
        tsr_environment_free(copy);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

int main(void)
{
    int fd = mkstemp(log_path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("TESSERA_LOG_FILE", log_path, 1);
    setenv("TESSERA_DEBUG", "warn", 1);
    tsr_fail_alloc(0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers), cmocka_unit_test(sizes),         cmocka_unit_test(words),
                                       cmocka_unit_test(defaults), cmocka_unit_test(one_complaint), cmocka_unit_test(changing)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
