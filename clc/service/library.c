/* SPDX-License-Identifier: Apache-2.0
 * The service as a library, for hosts that must not start processes: libtessera-cc.so. */
#include "clc/service/service.h"

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

static void *thread_work(void *data)
{
    work(data);
    return NULL;
}

/* A thread of its own: its stack is one that the host's garbage collector or profiler does not take for the caller's, and no signal handler
 * of the host runs on it. */
static bool work_in_thread(struct call *call)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all;
    bool started = false;
    if (pthread_attr_init(&attr))
        return false;
    sigfillset(&all);
    pthread_attr_setsigmask_np(&attr, &all);
    for (size_t i = 0; i < TSR_ARRAY_LEN(stack_sizes) && !started; i++)
        started = !pthread_attr_setstacksize(&attr, stack_sizes[i]) && !pthread_create(&thread, &attr, thread_work, call);
    pthread_attr_destroy(&attr);
    if (started)
        pthread_join(thread, NULL);
    return started;
}

/* Where threads are forbidden or there are too many. One at a time, and always at the same place: clang measures how deep it is from there.
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
