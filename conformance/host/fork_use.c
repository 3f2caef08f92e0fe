/* SPDX-License-Identifier: Apache-2.0
 * fork() after use, as Python's multiprocessing does it: the child builds and runs on the context that it inherited, and on one of its own;
 * the parent goes on. Nothing may hang: the test runner's time limit says so. */
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static void use(const struct session *s, int factor)
{
    enum { N = 4096 };
    static cl_int data[N];
    char body[64];
    snprintf(body, sizeof body, "out[i] = (int)i * %d;", factor);
    run_on_ints(s, body, data, N);
    for (int i = 0; i < N; i++)
        REQUIRE(data[i] == i * factor, "element %d is %d", i, data[i]);
}

static void wait_for(pid_t child, const char *what)
{
    int status;
    REQUIRE(waitpid(child, &status, 0) == child, "waitpid");
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with status %x", what, status);
}

int main(void)
{
    struct session s = open_session();
    use(&s, 2);
    for (int round = 0; round < 3; round++) {
        pid_t child = fork();
        REQUIRE(child >= 0, "fork");
        if (child == 0) {
            alarm(60);
            use(&s, 10 + round); /* the inherited context */
            struct session own = open_session();
            use(&own, 20 + round);
            close_session(&own);
            pid_t grandchild = fork();
            if (grandchild == 0) {
                use(&s, 30 + round);
                exit(0); /* runs atexit handlers with the driver's state of the grandparent */
            }
            wait_for(grandchild, "grandchild");
            close_session(&s);
            exit(0);
        }
        use(&s, 40 + round); /* at the same time as the child */
        wait_for(child, "child");
    }
    use(&s, 3);
    close_session(&s);
    puts("parent and children worked");
    return 0;
}
