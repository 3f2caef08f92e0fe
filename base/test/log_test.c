/* SPDX-License-Identifier: Apache-2.0
 * Log: groups, line form, long lines, many threads, unknown group names. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tessera/base.h"

static char log_path[] = "/tmp/tessera-log-test-XXXXXX";

/* Lines since the last call; each is checked to be whole. */
static unsigned lines_now(char *last, size_t size)
{
    FILE *log = fopen(log_path, "r");
    assert_non_null(log);
    char line[4096];
    unsigned count = 0;
    while (fgets(line, sizeof line, log)) {
        assert_int_equal(line[strlen(line) - 1], '\n');
        assert_memory_equal(line, "tessera[", 8);
        snprintf(last, size, "%s", line);
        count++;
    }
    fclose(log);
    assert_int_equal(truncate(log_path, 0), 0);
    return count;
}

static void groups(void **state)
{
    (void)state;
    char last[4096] = "";
    assert_true(tsr_log_on(TSR_LOG_ERR));
    assert_true(tsr_log_on(TSR_LOG_SCHED));
    assert_false(tsr_log_on(TSR_LOG_WARN));
    assert_int_equal(lines_now(last, sizeof last), 1); /* about the unknown group */
    assert_non_null(strstr(last, "no group 'nonsense'"));
    errno = EDOM;
    tsr_log(TSR_LOG_WARN, "not %s", "seen");
    tsr_log(TSR_LOG_SCHED, "seen %d", 5);
    assert_int_equal(errno, EDOM);
    assert_int_equal(lines_now(last, sizeof last), 1);
    assert_non_null(strstr(last, "] sched: seen 5\n"));
}

static void long_lines(void **state)
{
    (void)state;
    char big[5000], last[4096];
    memset(big, 'x', sizeof big);
    for (size_t n = 1900; n < 2100; n++) {
        tsr_log(TSR_LOG_ERR, "%.*s", (int)n, big);
        assert_int_equal(lines_now(last, sizeof last), 1);
        assert_true(strlen(last) <= 2048);
    }
    tsr_log(TSR_LOG_ERR, "%.*s", 5000, big);
    assert_int_equal(lines_now(last, sizeof last), 1);
    assert_string_equal(last + strlen(last) - 5, "x...\n");
}

/* Of any length, and without a group. */
static void text(void **state)
{
    (void)state;
    char big[5001], last[5001] = "";
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    big[sizeof big - 2] = '\n';
    tsr_log_text(big);
    FILE *log = fopen(log_path, "r");
    assert_non_null(log);
    assert_non_null(fgets(last, sizeof last, log));
    fclose(log);
    assert_string_equal(last, big);
    assert_int_equal(truncate(log_path, 0), 0);
}

static void *writer(void *unused)
{
    for (int i = 0; i < 200; i++)
        tsr_log(TSR_LOG_ERR, "line %d", i);
    return unused;
}

static void threads(void **state)
{
    (void)state;
    pthread_t t[4];
    char last[4096];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, writer, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(lines_now(last, sizeof last), 800);
}

/* The place of the log is looked at for each line. A FIFO that nobody reads is none, and one that is read gets all of it. */
static void fifo(void **state)
{
    (void)state;
    enum { LINES = 2000 /* more than a pipe holds */ };
    assert_int_equal(unlink(log_path), 0);
    assert_int_equal(mkfifo(log_path, 0600), 0);
    int error = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY);
    dup2(none, STDERR_FILENO);
    tsr_log(TSR_LOG_ERR, "to standard error");
    dup2(error, STDERR_FILENO);
    close(error);
    close(none);
    pid_t child = fork();
    if (!child) {
        int fd = open(log_path, O_RDONLY);
        size_t lines = 0;
        char text[4096];
        for (ssize_t got; lines < LINES && (got = read(fd, text, sizeof text)) >= 0;) {
            for (ssize_t i = 0; i < got; i++)
                lines += text[i] == '\n';
            usleep(got ? 100 : 1000); /* it is slow, and waits where no writer is */
        }
        _exit(0);
    }
    int fd;
    while ((fd = open(log_path, O_WRONLY | O_NONBLOCK)) < 0) /* until the reader is there */
        usleep(1000);
    for (int i = 0; i < LINES; i++)
        tsr_log(TSR_LOG_ERR, "%060d", i);
    close(fd);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    alarm(60);
    int fd = mkstemp(log_path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("TESSERA_LOG_FILE", log_path, 1);
    setenv("TESSERA_DEBUG", "err,nonsense,,Sched", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(long_lines), cmocka_unit_test(text),
                                       cmocka_unit_test(threads), cmocka_unit_test(fifo)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
