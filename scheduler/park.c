/* SPDX-License-Identifier: Apache-2.0
 * Threads and sleep: the only file of the scheduler that calls the kernel. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scheduler/internal.h"

void tsr__futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* The word may be gone by now, if its owner saw the new value early. The kernel takes any address, and an extra wake-up does no harm. */
void tsr__futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void tsr__relax(unsigned pauses)
{
    for (unsigned i = 0; i < pauses; i++)
        __builtin_ia32_pause();
}

int tsr__cpu(void)
{
    return sched_getcpu();
}

void tsr__yield(void)
{
    sched_yield();
}

struct start {
    void (*body)(void *);
    void *argument;
    char name[16];
};

static void *thread_main(void *pointer)
{
    struct start start = *(struct start *)pointer;
    tsr_free(pointer);
    pthread_setname_np(pthread_self(), start.name);
    start.body(start.argument);
    return NULL;
}

static int create(struct start *start, const cpu_set_t *cpus)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    size_t stack = (size_t)tsr_env_size(TSR_ENV_STACK);
    const size_t least = (size_t)PTHREAD_STACK_MIN + 65536;
    if (stack < least)
        stack = least;
    pthread_attr_setstacksize(&attributes, (stack + 4095) & ~(size_t)4095);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (cpus)
        pthread_attr_setaffinity_np(&attributes, sizeof *cpus, cpus);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, thread_main, start);
    pthread_attr_destroy(&attributes);
    return error;
}

bool tsr__thread_start(void (*body)(void *), void *argument, const char *name, const cpu_set_t *cpus)
{
    struct start *start = tsr_calloc(1, sizeof *start);
    if (!start)
        return false;
    start->body = body;
    start->argument = argument;
    for (unsigned i = 0; i + 1 < sizeof start->name && name[i]; i++)
        start->name[i] = name[i];
    /* Signals are for the application's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = create(start, cpus);
    if (error == EINVAL && cpus) /* the CPU has gone, or the mask of the container has changed */
        error = create(start, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        tsr_log(TSR_LOG_WARN, "cannot start %s (error %d): waiting threads do the work", name, error);
        tsr_free(start);
    }
    return !error;
}

struct tsr__self *tsr__self(void)
{
    static _Thread_local struct tsr__self self;
    return &self;
}
