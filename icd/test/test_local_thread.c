/* SPDX-License-Identifier: Apache-2.0
 * Tests of cl_intel_exec_by_local_thread: queues whose commands run on the thread that enqueues them, before the call returns. */
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

#define HERE CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL

static const char source[] = "kernel void add(global int *a, int n) { for (int i = 0; i < 200; i++) a[get_global_id(0)] += n; }";
enum { ITEMS = 1 << 16, THREADS = 8, ROUNDS = 200 };

/* The driver's worker threads in this process. */
static unsigned workers(void)
{
    unsigned count = 0;
    DIR *threads = opendir("/proc/self/task");
    CHECK_THAT(threads != NULL);
    for (const struct dirent *entry; (entry = readdir(threads));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (file) {
            count += fgets(name, sizeof name, file) && !strncmp(name, "tessera-", 8);
            fclose(file);
        }
    }
    closedir(threads);
    return count;
}

/* The first test: no other one has started workers yet. */
static void test_kernels_start_no_worker(void **state)
{
    (void)state;
    struct test_world w = test_begin(HERE);
    cl_program program = test_build(w.context, w.device, source, "");
    cl_kernel kernel = test_kernel(program, "add");
    static int data[ITEMS];
    const size_t items = ITEMS;
    cl_mem buffer = test_buffer(w.context, CL_MEM_USE_HOST_PTR, sizeof data, data);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 1; round <= 4; round++) {
        cl_event event;
        cl_int status = CL_QUEUED;
        CHECK(clSetKernelArg(kernel, 1, sizeof round, &(int){1}));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK_THAT(status == CL_COMPLETE && data[0] == 200 * round && data[ITEMS - 1] == 200 * round);
        CHECK(clReleaseEvent(event));
    }
    CHECK_THAT(workers() == 0);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

struct call {
    pthread_t caller;
    int *wrong, *count;
};

static void CL_CALLBACK compare_threads(void *data)
{
    const struct call *call = data;
    *call->wrong += !pthread_equal(call->caller, pthread_self());
    ++*call->count;
}

static void *enqueue_many(void *queue)
{
    int wrong = 0, count = 0;
    struct call call = {pthread_self(), &wrong, &count};
    for (int i = 0; i < ROUNDS; i++)
        if (clEnqueueNativeKernel(queue, compare_threads, &call, sizeof call, 0, NULL, NULL, 0, NULL, NULL) || count != i + 1)
            return "a command has not run when its call returned";
    return wrong ? "another thread has run a command" : NULL;
}

static void with_threads(cl_command_queue_properties properties)
{
    struct test_world w = test_begin(properties);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_THAT(!pthread_create(&threads[i], NULL, enqueue_many, w.queue));
    for (int i = 0; i < ROUNDS; i++)
        CHECK(clFinish(w.queue)); /* this thread waits, and runs nothing */
    const char *trouble = NULL;
    for (int i = 0; i < THREADS; i++) {
        void *said;
        pthread_join(threads[i], &said);
        trouble = trouble ? trouble : said;
    }
    if (trouble)
        fail_msg("%s", trouble);
    test_end(&w);
}

static void test_threads(void **state)
{
    (void)state;
    with_threads(HERE);
    with_threads(HERE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    with_threads(HERE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
}

static void *set_later(void *event)
{
    usleep(20000);
    return (void *)(intptr_t)clSetUserEventStatus(event, CL_COMPLETE);
}

static void test_waits(void **state)
{
    (void)state;
    struct test_world w = test_begin(HERE);
    cl_command_queue other = test_queue(w.context, w.device, 0);
    cl_event user, before, event;
    int wrong = 0, count = 0;
    struct call call = {pthread_self(), &wrong, &count};
    pthread_t thread;
    /* The call waits for an event that another thread sets. */
    CHECK_CREATE(user, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK_THAT(!pthread_create(&thread, NULL, set_later, user));
    CHECK(clEnqueueNativeKernel(w.queue, compare_threads, &call, sizeof call, 0, NULL, NULL, 1, &user, NULL));
    CHECK_THAT(count == 1 && !wrong);
    pthread_join(thread, NULL);
    CHECK(clReleaseEvent(user));
    /* … and for a command of another queue, which nobody has flushed. */
    int other_wrong = 0;
    struct call elsewhere = {pthread_self(), &other_wrong, &count};
    CHECK(clEnqueueNativeKernel(other, compare_threads, &elsewhere, sizeof elsewhere, 0, NULL, NULL, 0, NULL, &before));
    CHECK(clEnqueueNativeKernel(w.queue, compare_threads, &call, sizeof call, 0, NULL, NULL, 1, &before, NULL));
    CHECK_THAT(count == 3 && !wrong);
    CHECK(clReleaseEvent(before));
    /* A failure is the command's, not the call's. */
    cl_int status = CL_QUEUED;
    CHECK_CREATE(user, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetUserEventStatus(user, -7));
    CHECK(clEnqueueNativeKernel(w.queue, compare_threads, &call, sizeof call, 0, NULL, NULL, 1, &user, &event));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK_THAT(status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && count == 3);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(user));
    /* Commands of other queues wait for those of this one, and of both together. */
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 0, NULL, &event));
    CHECK(clEnqueueNativeKernel(other, compare_threads, &elsewhere, sizeof elsewhere, 0, NULL, NULL, 1, &event, NULL));
    CHECK(clFinish(other));
    CHECK_THAT(count == 4);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseCommandQueue(other));
    test_end(&w);
}

struct chain {
    cl_command_queue queue;
    struct call call;
    cl_int answer;
};

static void CL_CALLBACK enqueue_more(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    struct chain *chain = data;
    chain->answer = clEnqueueNativeKernel(chain->queue, compare_threads, &chain->call, sizeof chain->call, 0, NULL, NULL, 0, NULL, NULL);
}

/* In a callback no call may wait: the command is left to the device, and is done by clFinish at the latest. */
static void test_callback(void **state)
{
    (void)state;
    struct test_world w = test_begin(HERE);
    int wrong = 0, count = 0;
    struct chain chain = {w.queue, {pthread_self(), &wrong, &count}, -1};
    cl_event user;
    CHECK_CREATE(user, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetEventCallback(user, CL_COMPLETE, enqueue_more, &chain));
    CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    CHECK(chain.answer);
    CHECK(clFinish(w.queue));
    CHECK_THAT(count == 1);
    /* A later command waits for such a one. */
    CHECK(clReleaseEvent(user));
    CHECK_CREATE(user, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetEventCallback(user, CL_COMPLETE, enqueue_more, &chain));
    CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    CHECK(clEnqueueNativeKernel(w.queue, compare_threads, &chain.call, sizeof chain.call, 0, NULL, NULL, 0, NULL, NULL));
    CHECK_THAT(count == 3);
    CHECK(clReleaseEvent(user));
    test_end(&w);
}

static void test_properties(void **state)
{
    (void)state;
    struct test_world w = test_begin(HERE | CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue_properties got = 0;
    cl_command_queue queue;
    CHECK_THAT(test_has_extension(w.device, "cl_intel_exec_by_local_thread"));
    CHECK(clGetCommandQueueInfo(w.queue, CL_QUEUE_PROPERTIES, sizeof got, &got, NULL));
    CHECK_THAT(got == (HERE | CL_QUEUE_PROFILING_ENABLE));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof got, &got, NULL));
    CHECK_THAT(got & HERE);
    CHECK_CREATE(queue, clCreateCommandQueue(w.context, w.device, HERE, &err), CL_SUCCESS);
    CHECK(clReleaseCommandQueue(queue));
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES, HERE | CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(w.context, w.device, on_device, &err), CL_INVALID_VALUE);
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_start_no_worker),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
