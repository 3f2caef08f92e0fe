/* SPDX-License-Identifier: Apache-2.0
 * fork() while other threads are in calls on the same objects: the child, which has none of these threads, uses the objects as well. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "icd/test/command_buffer.h"

static struct {
    struct world world;
    cl_event complete;
    cl_semaphore_khr semaphore;
    cl_command_buffer_khr recorded;
} shared;

static clGetSemaphoreInfoKHR_fn semaphore_info;

/* ---- calls ---- */

static void set_argument(void)
{
    CHECK(clSetKernelArg(shared.world.twice, 0, sizeof shared.world.a, &shared.world.a));
}

static void clone_kernel(void)
{
    cl_kernel kernel;
    CHECK_CREATE(kernel, clCloneKernel(shared.world.twice, &err), CL_SUCCESS);
    CHECK(clReleaseKernel(kernel));
}

static void map(void)
{
    cl_int err;
    void *pointer = clEnqueueMapBuffer(shared.world.w.queue, shared.world.a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK(clEnqueueUnmapMemObject(shared.world.w.queue, shared.world.a, pointer, 0, NULL, NULL));
}

static void CL_CALLBACK nothing(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
}

static void add_callback(void)
{
    CHECK(clSetEventCallback(shared.complete, CL_COMPLETE, nothing, NULL));
}

static void ask_semaphore(void)
{
    cl_semaphore_payload_khr payload;
    CHECK(semaphore_info(shared.semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
}

static void replay(void)
{
    CHECK(cb.enqueue(0, NULL, shared.recorded, 0, NULL, NULL));
    CHECK(clFinish(shared.world.w.queue));
}

/* ---- threads and children ---- */

static _Atomic bool stop;

static void *call_until_stopped(void *call)
{
    while (!atomic_load(&stop))
        ((void (*)(void))(uintptr_t)call)();
    return NULL;
}

static void fork_beside(void (*call)(void))
{
    enum { THREADS = 3, CHILDREN = 40, CALLS = 20 };
    pthread_t threads[THREADS];
    atomic_store(&stop, false);
    for (int i = 0; i < THREADS; i++)
        CHECK_THAT(!pthread_create(&threads[i], NULL, call_until_stopped, (void *)(uintptr_t)call));
    int failed = 0;
    for (int i = 0; i < CHILDREN && !failed; i++) {
        pid_t child = fork();
        if (!child) {
            alarm(20);
            for (int c = 0; c < CALLS; c++)
                call();
            _exit(0);
        }
        int status = -1;
        CHECK_THAT(child > 0 && waitpid(child, &status, 0) == child);
        failed = status;
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (failed)
        fail_msg("a child ended with status 0x%x", failed);
}

static void children_use_what_threads_use(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*call)(void);
    } calls[] = {{"set_argument", set_argument}, {"clone_kernel", clone_kernel},   {"map", map},
                 {"add_callback", add_callback}, {"ask_semaphore", ask_semaphore}, {"replay", replay}};
    if (TSR_TSAN) /* a child may not start threads */
        skip();
    clCreateSemaphoreWithPropertiesKHR_fn create;
    clReleaseSemaphoreKHR_fn release;
    const struct test_function functions[] = {
        {&create, "clCreateSemaphoreWithPropertiesKHR"}, {&release, "clReleaseSemaphoreKHR"}, {&semaphore_info, "clGetSemaphoreInfoKHR"}};
    test_find_functions(functions, sizeof functions / sizeof *functions);
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    shared.world = begin(0);
    CHECK(clEnqueueMarkerWithWaitList(shared.world.w.queue, 0, NULL, &shared.complete));
    CHECK(clFinish(shared.world.w.queue));
    CHECK_CREATE(shared.semaphore, create(shared.world.w.context, binary, &err), CL_SUCCESS);
    shared.recorded = new_buffer(&shared.world, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    CHECK(cb.fill(shared.recorded, NULL, NULL, shared.world.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL, NULL));
    CHECK(cb.finalize(shared.recorded));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        print_message("%s\n", calls[i].name);
        fork_beside(calls[i].call);
    }
    CHECK(cb.release(shared.recorded));
    CHECK(release(shared.semaphore));
    CHECK(clReleaseEvent(shared.complete));
    end(&shared.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(children_use_what_threads_use)};
    return cmocka_run_group_tests(tests, find_functions, NULL);
}
