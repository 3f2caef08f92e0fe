/* SPDX-License-Identifier: Apache-2.0
 * Several threads make random calls on objects that they share: queues, buffers, events, programs, kernels and command buffers appear,
 * are used and are released in any order. A thread takes a reference before it uses an object, as OpenCL asks. No call fails but where a
 * command that it waits for has failed, or a program has kernels or is being built; each thread comes to its end, and so does the
 * context. */
#include <pthread.h>
#include <stdatomic.h>

#include "icd/test/command_buffer.h"

enum { THREADS = 4, SLOTS = 8, MEMORY = 4096 };

enum kind { QUEUE, BUFFER, EVENT, USER_EVENT, PROGRAM, KERNEL, COMMANDS, KINDS };

static cl_int retain(enum kind kind, void *object)
{
    switch (kind) {
    case QUEUE:
        return clRetainCommandQueue(object);
    case BUFFER:
        return clRetainMemObject(object);
    case PROGRAM:
        return clRetainProgram(object);
    case KERNEL:
        return clRetainKernel(object);
    case COMMANDS:
        return cb.retain(object);
    default:
        return clRetainEvent(object);
    }
}

/* Nobody else may be able to end a user event. */
static cl_int release(enum kind kind, void *object)
{
    switch (kind) {
    case QUEUE:
        return clReleaseCommandQueue(object);
    case BUFFER:
        return clReleaseMemObject(object);
    case PROGRAM:
        return clReleaseProgram(object);
    case KERNEL:
        return clReleaseKernel(object);
    case COMMANDS:
        return cb.release(object);
    case USER_EVENT:
        clSetUserEventStatus(object, CL_COMPLETE);
        return clReleaseEvent(object);
    default:
        return clReleaseEvent(object);
    }
}

static struct {
    cl_device_id device;
    cl_context context;
    pthread_mutex_t lock; /* slots */
    void *slots[KINDS][SLOTS];
    atomic_bool ended, context_ended;
    atomic_int wrong; /* the last code that no call may have; 0: none had one */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void check(cl_int code)
{
    if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && code != CL_INVALID_PROGRAM_EXECUTABLE &&
        code != CL_INVALID_OPERATION)
        atomic_store(&shared.wrong, code);
}

struct thread {
    uint64_t state;
    void *used[KINDS]; /* held during a step; NULL: the slot was empty */
};

static uint32_t dice(struct thread *t, uint32_t sides)
{
    t->state = t->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(t->state >> 33) % sides;
}

static void *take(struct thread *t, enum kind kind)
{
    pthread_mutex_lock(&shared.lock);
    void *object = shared.slots[kind][dice(t, SLOTS)];
    if (object)
        check(retain(kind, object));
    pthread_mutex_unlock(&shared.lock);
    return object;
}

/* Puts the object, whose reference it takes over, in the place of another one. */
static void put(struct thread *t, enum kind kind, void *object)
{
    pthread_mutex_lock(&shared.lock);
    void **slot = &shared.slots[kind][dice(t, SLOTS)], *old = *slot;
    *slot = object;
    pthread_mutex_unlock(&shared.lock);
    if (old)
        check(release(kind, old));
}

/* ---- steps ---- */

static void CL_CALLBACK ask(cl_event event, cl_int status, void *unused)
{
    cl_int now;
    (void)status, (void)unused;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
}

static void CL_CALLBACK free_memory(cl_event event, cl_int status, void *memory)
{
    (void)event, (void)status;
    free(memory);
}

static void CL_CALLBACK built(cl_program program, void *unused)
{
    cl_build_status status;
    (void)unused;
    check(clGetProgramBuildInfo(program, shared.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
}

static void new_queue(struct thread *t)
{
    const cl_command_queue_properties flags[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE};
    put(t, QUEUE, test_queue(shared.context, shared.device, flags[dice(t, 3)]));
}

static void new_program(struct thread *t)
{
    char text[200];
    const char *list = text;
    cl_int err;
    snprintf(text, sizeof text, "kernel void k(global int *p, int n) { p[get_global_id(0)] = n + %u; } kernel void other(global int *p) {}",
             dice(t, 8));
    cl_program program = clCreateProgramWithSource(shared.context, 1, &list, NULL, &err);
    check(err);
    check(clBuildProgram(program, 1, &shared.device, dice(t, 2) ? "" : "-DA", dice(t, 2) ? built : NULL, NULL));
    put(t, PROGRAM, program);
}

static void use_program(struct thread *t)
{
    cl_program program = t->used[PROGRAM];
    cl_int err;
    if (!program)
        return;
    if (!dice(t, 4))
        check(clBuildProgram(program, 1, &shared.device, "-DB", built, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    check(err);
    if (kernel)
        put(t, KERNEL, kernel);
}

/* A launch on a buffer of its own. The slots' kernels are cloned under the lock: two threads may not use a kernel at once. */
static void launch(struct thread *t, cl_event *event)
{
    cl_int err, n = 1;
    pthread_mutex_lock(&shared.lock);
    cl_kernel one = shared.slots[KERNEL][dice(t, SLOTS)], kernel = one ? clCloneKernel(one, &err) : NULL;
    pthread_mutex_unlock(&shared.lock);
    if (!kernel)
        return;
    cl_mem own = clCreateBuffer(shared.context, 0, MEMORY, NULL, &err);
    check(err);
    check(clSetKernelArg(kernel, 0, sizeof own, &own));
    check(clSetKernelArg(kernel, 1, sizeof n, &n));
    const cl_event *wait = (cl_event *)&t->used[EVENT];
    check(clEnqueueNDRangeKernel(t->used[QUEUE], kernel, 1, NULL, &items, NULL, !!*wait, *wait ? wait : NULL, event));
    check(clReleaseMemObject(own));
    check(clReleaseKernel(kernel));
}

/* Into memory that a callback frees. */
static void read_buffer(struct thread *t, cl_event *event)
{
    void *memory = malloc(MEMORY);
    const cl_event *wait = (cl_event *)&t->used[EVENT];
    cl_int code = clEnqueueReadBuffer(t->used[QUEUE], t->used[BUFFER], CL_FALSE, 0, MEMORY, memory, !!*wait, *wait ? wait : NULL, event);
    check(code);
    if (code == CL_SUCCESS)
        check(clSetEventCallback(*event, CL_COMPLETE, free_memory, memory));
    else
        free(memory);
}

static void fill_svm(struct thread *t, cl_event *event)
{
    void *memory = clSVMAlloc(shared.context, 0, MEMORY, 0);
    cl_event filled;
    if (!memory)
        return;
    check(clEnqueueSVMMemFill(t->used[QUEUE], memory, &zero, sizeof zero, MEMORY, 0, NULL, &filled));
    check(clEnqueueSVMFree(t->used[QUEUE], 1, &memory, NULL, NULL, 1, &filled, event));
    check(clReleaseEvent(filled));
}

static void new_commands(struct thread *t)
{
    const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_int err;
    cl_command_queue queue = t->used[QUEUE];
    cl_command_buffer_khr commands = cb.create(1, &queue, list, &err);
    check(err);
    check(cb.barrier(commands, NULL, NULL, 0, NULL, NULL, NULL));
    if (dice(t, 4))
        check(cb.finalize(commands));
    put(t, COMMANDS, commands);
}

/* A command on the queue and the buffer of this step; *event may stay NULL. */
static void enqueue(struct thread *t, uint32_t which, cl_event *event)
{
    cl_command_queue queue = t->used[QUEUE];
    const cl_event *wait = (cl_event *)&t->used[EVENT];
    cl_uint count = *wait != NULL;
    switch (which) {
    case 0:
        check(clEnqueueMarkerWithWaitList(queue, count, count ? wait : NULL, event));
        return;
    case 1:
        check(clEnqueueBarrierWithWaitList(queue, count, count ? wait : NULL, event));
        return;
    case 2:
        read_buffer(t, event);
        return;
    case 3:
        fill_svm(t, event);
        return;
    case 4:
        new_commands(t);
        return;
    case 5:
        if (t->used[COMMANDS])
            check(cb.enqueue(0, NULL, t->used[COMMANDS], count, count ? wait : NULL, event));
        return;
    case 6:
        check(clFlush(queue));
        return;
    case 7:
        check(dice(t, 8) ? CL_SUCCESS : clFinish(queue));
        return;
    default:
        launch(t, event);
    }
}

static void use_event(struct thread *t)
{
    cl_event event = t->used[EVENT];
    cl_ulong ns;
    if (!event)
        return;
    check(clSetEventCallback(event, (cl_int)dice(t, 3), ask, NULL));
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL); /* not every queue has it */
}

static void new_user_event(struct thread *t)
{
    cl_int err;
    cl_event event = clCreateUserEvent(shared.context, &err);
    check(err);
    check(clRetainEvent(event));
    put(t, USER_EVENT, event);
    put(t, EVENT, event);
}

static void step(struct thread *t)
{
    cl_event event = NULL;
    for (int kind = 0; kind < KINDS; kind++)
        t->used[kind] = take(t, kind);
    uint32_t what = dice(t, 20);
    if (what == 0 || !t->used[QUEUE])
        new_queue(t);
    else if (what == 1 || !t->used[BUFFER])
        put(t, BUFFER, test_buffer(shared.context, 0, MEMORY, NULL));
    else if (what == 2)
        new_program(t);
    else if (what == 3)
        use_program(t);
    else if (what == 4)
        use_event(t);
    else if (what == 5)
        new_user_event(t);
    else if (what == 6 && t->used[USER_EVENT])
        clSetUserEventStatus(t->used[USER_EVENT], dice(t, 8) ? CL_COMPLETE : -1); /* another thread may have done so */
    else if (what == 7)
        check(clUnloadPlatformCompiler(test_platform()));
    else
        enqueue(t, what - 8, &event);
    if (event)
        put(t, EVENT, event);
    for (int kind = 0; kind < KINDS; kind++)
        if (t->used[kind])
            check(kind == USER_EVENT ? clReleaseEvent(t->used[kind]) : release(kind, t->used[kind]));
}

static void *work(void *argument)
{
    struct thread *t = argument;
    for (int i = 0; i < (CL_TEST_SANITIZED ? 1000 : 4000); i++)
        step(t);
    return NULL;
}

/* Ends user events, for which others may wait. */
static void *end_user_events(void *argument)
{
    struct thread *t = argument;
    while (!atomic_load(&shared.ended)) {
        cl_event event = take(t, USER_EVENT);
        if (event) {
            clSetUserEventStatus(event, CL_COMPLETE);
            check(clReleaseEvent(event));
        }
        usleep(100);
    }
    return NULL;
}

static void CL_CALLBACK note_end(cl_context context, void *unused)
{
    (void)context, (void)unused;
    atomic_store(&shared.context_ended, true);
}

static void shared_objects(void **state)
{
    (void)state;
    pthread_t threads[THREADS], ender;
    struct thread own[THREADS + 1];
    shared.device = test_device();
    shared.context = test_context(shared.device);
    CHECK(clSetContextDestructorCallback(shared.context, note_end, NULL));
    for (int i = 0; i <= THREADS; i++) {
        own[i] = (struct thread){.state = (uint64_t)i + 1};
        assert_int_equal(pthread_create(i < THREADS ? &threads[i] : &ender, NULL, i < THREADS ? work : end_user_events, &own[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&shared.ended, true);
    pthread_join(ender, NULL);
    for (int kind = KINDS; kind-- > 0;)
        for (int i = 0; i < SLOTS; i++)
            if (kind == USER_EVENT && shared.slots[kind][i])
                check(release(kind, shared.slots[kind][i]));
    for (int i = 0; i < SLOTS; i++)
        if (shared.slots[QUEUE][i])
            check(clFinish(shared.slots[QUEUE][i]));
    for (int kind = KINDS; kind-- > 0;)
        for (int i = 0; i < SLOTS; i++)
            if (kind != USER_EVENT && shared.slots[kind][i])
                check(release(kind, shared.slots[kind][i]));
    assert_int_equal(atomic_load(&shared.wrong), 0);
    CHECK(clReleaseContext(shared.context));
    for (int i = 0; i < 5000 && !atomic_load(&shared.context_ended); i++) /* the last commands end on other threads */
        usleep(1000);
    assert_true(atomic_load(&shared.context_ended));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared_objects)};
    return cmocka_run_group_tests(tests, find_functions, NULL);
}
