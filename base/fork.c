/* SPDX-License-Identifier: Apache-2.0
 * fork() and the other threads: the child gets the memory as it is and no other thread. So a thread that is changing state of the whole
 * process makes fork() wait. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/internal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned inside;  /* sections that have begun and not ended */
static unsigned forking; /* threads that wait in fork() or are in it: no other thread begins a section */
static _Thread_local unsigned mine;
static _Thread_local int cancel; /* what tsr_no_cancel_begin has returned to the outermost section of this thread */
static struct tsr_fork_hooks *hooks;
static struct tsr_fork_mutex *mutexes;
static struct tsr_fork_table *tables;

enum {
    SECTIONS_SECONDS = 5, /* that fork() waits for all sections, and */
    MUTEXES_SECONDS = 1,  /* for all mutexes together */
};

static struct timespec seconds_from_now(int seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += seconds;
    return time;
}

/* Not for ever: a section may need the lock of a library whose own handler of fork() has run before and holds it. */
static void wait_for_sections(void)
{
    const struct timespec deadline = seconds_from_now(SECTIONS_SECONDS);
    while (inside > mine && !pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &deadline))
        ;
}

/* No thread locks a mutex of the table from now on, and those that have it locked end that. One mutex after the other: ThreadSanitizer, for
 * one, ends a process in which a thread holds 128. */
static void close_table(struct tsr_fork_table *table, const struct timespec *deadline)
{
    atomic_store(&table->closed, true);
    for (int i = 0; i < TSR_FORK_TABLE_SIZE; i++) {
        table->of[i].free = !pthread_mutex_clocklock(&table->of[i].mutex, CLOCK_MONOTONIC, deadline);
        if (table->of[i].free)
            pthread_mutex_unlock(&table->of[i].mutex);
    }
}

/* In the child, a thread that was about to see that the table is closed may have locked a mutex, and does not exist. */
static void open_table(struct tsr_fork_table *table, bool child)
{
    for (int i = 0; child && i < TSR_FORK_TABLE_SIZE; i++)
        if (table->of[i].free)
            pthread_mutex_init(&table->of[i].mutex, NULL);
    atomic_store(&table->closed, false);
}

void tsr_table_lock(struct tsr_fork_table *table, const void *object)
{
    pthread_mutex_t *mutex = tsr_table_mutex(table, object);
    pthread_mutex_lock(mutex);
    while (atomic_load_explicit(&table->closed, memory_order_relaxed)) {
        pthread_mutex_unlock(mutex);
        pthread_mutex_lock(&lock); /* which the thread that forks holds */
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(mutex);
    }
}

static void take_mutexes(void)
{
    const struct timespec deadline = seconds_from_now(MUTEXES_SECONDS);
    for (struct tsr_fork_table *table = tables; table; table = table->next)
        close_table(table, &deadline);
    for (struct tsr_fork_mutex *m = mutexes; m; m = m->next)
        m->taken = !pthread_mutex_clocklock(m->mutex, CLOCK_MONOTONIC, &deadline);
}

static void release_mutexes(bool child)
{
    for (struct tsr_fork_mutex *m = mutexes; m; m = m->next) {
        if (!m->taken)
            continue;
        if (child && m->in_child)
            m->in_child(m);
        pthread_mutex_unlock(m->mutex);
    }
    for (struct tsr_fork_table *table = tables; table; table = table->next)
        open_table(table, child);
}

/* A signal handler that interrupts a section of this thread may fork as well. */
static void before(void)
{
    pthread_mutex_lock(&lock);
    forking++;
    wait_for_sections();
    for (struct tsr_fork_hooks *h = hooks; h; h = h->next)
        if (h->before)
            h->before();
    take_mutexes();
}

static void in_parent(void)
{
    release_mutexes(false);
    for (struct tsr_fork_hooks *h = hooks; h; h = h->next)
        if (h->in_parent)
            h->in_parent();
    forking--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    pthread_cond_init(&changed, NULL); /* threads that wait for the lock do not exist in the child */
    inside = mine;
    forking = 0;
    release_mutexes(true);
    pthread_mutex_unlock(&lock);
    for (struct tsr_fork_hooks *h = hooks; h; h = h->next)
        if (h->in_child)
            h->in_child();
}

static void watch(void)
{
    pthread_atfork(before, in_parent, in_child);
}

static void watch_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

void tsr_fork_watch(struct tsr_fork_hooks *added)
{
    watch_once();
    pthread_mutex_lock(&lock);
    added->next = hooks;
    hooks = added;
    pthread_mutex_unlock(&lock);
}

void tsr_fork_mutex_add(struct tsr_fork_mutex *added)
{
    watch_once();
    pthread_mutex_lock(&lock);
    added->link = &mutexes;
    added->next = mutexes;
    if (mutexes)
        mutexes->link = &added->next;
    mutexes = added;
    pthread_mutex_unlock(&lock);
}

void tsr_fork_mutex_remove(struct tsr_fork_mutex *removed)
{
    pthread_mutex_lock(&lock);
    *removed->link = removed->next;
    if (removed->next)
        removed->next->link = removed->link;
    pthread_mutex_unlock(&lock);
}

void tsr_fork_table_add(struct tsr_fork_table *added)
{
    watch_once();
    for (int i = 0; i < TSR_FORK_TABLE_SIZE; i++)
        pthread_mutex_init(&added->of[i].mutex, NULL);
    pthread_mutex_lock(&lock);
    added->next = tables;
    tables = added;
    pthread_mutex_unlock(&lock);
}

int tsr_no_cancel_begin(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void tsr_no_cancel_end(int begun)
{
    pthread_setcancelstate(begun, NULL);
}

void tsr_no_fork_begin(void)
{
    watch_once();
    int begun = tsr_no_cancel_begin();
    pthread_mutex_lock(&lock);
    while (forking && !mine)
        pthread_cond_wait(&changed, &lock);
    inside++;
    if (!mine++)
        cancel = begun;
    pthread_mutex_unlock(&lock);
}

void tsr_no_fork_end(void)
{
    pthread_mutex_lock(&lock);
    bool last = !--mine;
    if (!--inside || forking)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (last)
        tsr_no_cancel_end(cancel);
}
