/* SPDX-License-Identifier: Apache-2.0
 * A library that builds and runs a program as it is loaded, while the dynamic linker's lock is held, and as it is unloaded. */
#include <unistd.h>

#include "host.h"

static void use(int number)
{
    enum { N = 64 };
    cl_int data[N] = {0};
    char body[64];
    snprintf(body, sizeof body, "out[i] = (int)i + %d;", (int)getpid() + number);
    struct session s = open_session();
    run_on_ints(&s, body, data, N);
    close_session(&s);
    REQUIRE(data[N - 1] == N - 1 + getpid() + number, "the last element is %d", data[N - 1]);
}

__attribute__((constructor)) static void begin(void)
{
    alarm(40); /* for what waits for ever */
    use(1);
}

__attribute__((destructor)) static void end(void)
{
    use(2);
}
