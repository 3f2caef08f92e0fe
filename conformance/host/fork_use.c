/* SPDX-License-Identifier: Apache-2.0
 * fork() after use, as Python's multiprocessing does it: the child builds and runs on the context that it inherited, and on one of its own;
 * the parent goes on. The same while other threads of the parent are in calls on what the child inherits. Nothing may hang: the test
 * runner's time limit says so. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* ---- threads of the parent are in calls on the same objects ---- */

static _Atomic bool stop;

struct shared {
    struct session s;
    cl_mem buffer;
};

static void *enqueue_on(void *data)
{
    struct shared *shared = data;
    char bytes[64] = "";
    while (!atomic_load(&stop)) {
        clEnqueueMarkerWithWaitList(shared->s.queue, 0, NULL, NULL);
        clEnqueueWriteBuffer(shared->s.queue, shared->buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
        clSVMFree(shared->s.context, clSVMAlloc(shared->s.context, CL_MEM_READ_WRITE, 64, 0));
    }
    return NULL;
}

/* The child uses the queue and the context that it inherited. */
static void fork_while_others_enqueue(cl_command_queue_properties flags)
{
    enum { THREADS = 3, CHILDREN = 60 };
    cl_int err;
    struct shared shared = {.s = open_session()};
    clReleaseCommandQueue(shared.s.queue);
    shared.s.queue =
        clCreateCommandQueueWithProperties(shared.s.context, shared.s.device, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, flags, 0}, &err);
    REQUIRE(shared.s.queue, "clCreateCommandQueueWithProperties: %d", err);
    shared.buffer = clCreateBuffer(shared.s.context, 0, 64, NULL, &err);
    REQUIRE(shared.buffer, "clCreateBuffer: %d", err);
    pthread_t threads[THREADS];
    atomic_store(&stop, false);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(!pthread_create(&threads[i], NULL, enqueue_on, &shared), "pthread_create");
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        REQUIRE(child >= 0, "fork");
        if (child == 0) {
            alarm(20);
            char bytes[64] = "";
            REQUIRE(!clEnqueueWriteBuffer(shared.s.queue, shared.buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL), "write");
            REQUIRE(!clEnqueueMarkerWithWaitList(shared.s.queue, 0, NULL, NULL) && !clFinish(shared.s.queue), "finish");
            clSVMFree(shared.s.context, clSVMAlloc(shared.s.context, CL_MEM_READ_WRITE, 64, 0));
            _exit(0);
        }
        wait_for(child, "child of a process whose threads enqueue");
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    clReleaseMemObject(shared.buffer);
    close_session(&shared.s);
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
    fork_while_others_enqueue(0);
    fork_while_others_enqueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    puts("parent and children worked");
    return 0;
}
