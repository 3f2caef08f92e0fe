/* SPDX-License-Identifier: Apache-2.0
 * The service as a library, for hosts that must not start processes: libtessera-cc.so. */
#include "clc/service/service.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

/* clang recurses; the caller's thread may have little. Address space may be short. */
static const size_t stack_sizes[] = {(size_t)64 << 20, (size_t)16 << 20};

struct call {
    const void *request;
    size_t size;
    struct tsr_buf answer;
};

static void work(void *data)
{
    struct call *call = data;
    tsr__answer_bytes(call->request, call->size, &call->answer);
}

/* The dynamic linker's lock: what runs in the constructor of a library that is being loaded has it. A thread takes it when it uses
 * thread-local variables of C++ or looks for its own file. */
static void wait_for_linker(void)
{
    Dl_info info;
    dladdr((const void *)wait_for_linker, &info);
}

/* A thread of its own, and the thread that waits for it. The last of the two frees this. */
struct helper {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { BEGINS, WORKS, LEFT } state;
    struct call *call;
};

static void free_helper(struct helper *helper)
{
    pthread_cond_destroy(&helper->changed);
    pthread_mutex_destroy(&helper->lock);
    tsr_free(helper);
}

static void *thread_work(void *data)
{
    struct helper *helper = data;
    wait_for_linker();
    pthread_mutex_lock(&helper->lock);
    const bool left = helper->state == LEFT;
    if (!left)
        helper->state = WORKS;
    pthread_cond_signal(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
    if (left)
        free_helper(helper);
    else
        work(helper->call);
    return NULL;
}

/* Waits until the thread has had the linker's lock. False: it does not get it, as the caller has it, and is left to itself. */
static bool thread_begins(struct helper *helper)
{
    enum { WAIT_NS = 50000000 };
    struct timespec deadline;
    pthread_mutex_lock(&helper->lock);
    for (int i = 0; i < 2 && helper->state == BEGINS; i++) {
        if (i) { /* does another thread have it? This waits for that one. */
            pthread_mutex_unlock(&helper->lock);
            wait_for_linker();
            pthread_mutex_lock(&helper->lock);
        }
        clock_gettime(CLOCK_MONOTONIC, &deadline);
        deadline.tv_sec += (deadline.tv_nsec + WAIT_NS) / 1000000000;
        deadline.tv_nsec = (deadline.tv_nsec + WAIT_NS) % 1000000000;
        while (helper->state == BEGINS && !pthread_cond_clockwait(&helper->changed, &helper->lock, CLOCK_MONOTONIC, &deadline))
            ;
    }
    const bool begins = helper->state == WORKS;
    if (!begins)
        helper->state = LEFT;
    pthread_mutex_unlock(&helper->lock);
    return begins;
}

/* A thread of its own: its stack is one that the host's garbage collector or profiler does not take for the caller's, and no signal handler
 * of the host runs on it. */
static bool work_in_thread(struct call *call)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all;
    bool started = false;
    struct helper *helper = tsr_calloc(1, sizeof *helper);
    if (!helper || pthread_attr_init(&attr)) {
        tsr_free(helper);
        return false;
    }
    *helper = (struct helper){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, BEGINS, call};
    sigfillset(&all);
    pthread_attr_setsigmask_np(&attr, &all);
    for (size_t i = 0; i < TSR_ARRAY_LEN(stack_sizes) && !started; i++)
        started = tsr__has_room(2 * stack_sizes[i]) && !pthread_attr_setstacksize(&attr, stack_sizes[i]) &&
                  !pthread_create(&thread, &attr, thread_work, helper);
    pthread_attr_destroy(&attr);
    if (started && !thread_begins(helper)) {
        pthread_detach(thread);
        return false;
    }
    if (started)
        pthread_join(thread, NULL);
    free_helper(helper);
    return started;
}

/* Where threads are forbidden, there are too many, or they would wait for the caller. One at a time, and always at the same place: clang
 * measures how deep it is from there.
 */
static bool work_in_caller(struct call *call)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct tsr__stack stack;
    pthread_mutex_lock(&lock);
    bool done = tsr__run_on_stack(&stack, work, call);
    pthread_mutex_unlock(&lock);
    return done;
}

/* In the place of libc's, for all code of this library: no destructor of LLVM's static objects is registered. When the process ends, those
 * of a library that is loaded later run first, and the application may build programs in one of its own after them. */
int __cxa_atexit(void (*destructor)(void *), void *object, void *library);
int __cxa_atexit(void (*destructor)(void *), void *object, void *library)
{
    (void)destructor, (void)object, (void)library;
    return 0;
}

__attribute__((visibility("default"))) unsigned char *tsr_cc_answer(const void *request, size_t size, size_t *answer_size)
{
    struct call call = {.request = request, .size = size};
    if (!work_in_thread(&call) && !work_in_caller(&call))
        return NULL;
    if (call.answer.failed) {
        tsr_buf_free(&call.answer);
        return NULL;
    }
    *answer_size = call.answer.size;
    return call.answer.data;
}

__attribute__((visibility("default"))) void tsr_cc_free(void *answer)
{
    tsr_free(answer);
}
