/* SPDX-License-Identifier: Apache-2.0
 * The set of compiler processes: at most as many as there are CPUs, kept for the next request. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

enum { BUILDS_OF_ONE_WORKER = 500 }; /* then a fresh process takes over, so that what leaks in a compiler stays small */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct tsr__worker *idle;
    struct tsr__worker *alive; /* all of them */
    unsigned count;
} workers = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0};

static void before_fork(void)
{
    pthread_mutex_lock(&workers.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&workers.lock);
}

/* The processes serve the parent: if two processes used one socket, each would get answers of the other. */
static void after_fork_in_child(void)
{
    while (workers.alive) {
        struct tsr__worker *next = workers.alive->next_alive;
        tsr__worker_forget(workers.alive);
        workers.alive = next;
    }
    workers.idle = NULL;
    workers.count = 0;
    pthread_cond_init(&workers.returned, NULL);
    pthread_mutex_unlock(&workers.lock);
}

static void watch_forks(void)
{
    static struct tsr_fork_hooks hooks = {before_fork, after_fork_in_parent, after_fork_in_child, NULL};
    tsr_fork_watch(&hooks);
}

static unsigned most_workers(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus < 2 ? 2 : (unsigned)cpus;
}

/* The lock is held. */
static void add_alive(struct tsr__worker *worker)
{
    worker->prev_alive = NULL;
    worker->next_alive = workers.alive;
    if (workers.alive)
        workers.alive->prev_alive = worker;
    workers.alive = worker;
}

void tsr__workers_retire(struct tsr__worker *worker, bool kill_it)
{
    tsr_no_fork_begin(); /* a child must not inherit the descriptors of a worker that is not in the set any more */
    pthread_mutex_lock(&workers.lock);
    if (worker->prev_alive)
        worker->prev_alive->next_alive = worker->next_alive;
    else
        workers.alive = worker->next_alive;
    if (worker->next_alive)
        worker->next_alive->prev_alive = worker->prev_alive;
    workers.count--;
    pthread_cond_signal(&workers.returned);
    pthread_mutex_unlock(&workers.lock);
    tsr__worker_end(worker, kill_it);
    tsr_no_fork_end();
}

void tsr__workers_give_back(struct tsr__worker *worker)
{
    if (worker->builds >= BUILDS_OF_ONE_WORKER) {
        tsr__workers_retire(worker, false);
        return;
    }
    pthread_mutex_lock(&workers.lock);
    worker->next = workers.idle;
    workers.idle = worker;
    pthread_cond_signal(&workers.returned);
    pthread_mutex_unlock(&workers.lock);
}

/* Starts a worker and adds it to the set. The caller has counted it. */
static struct tsr__worker *start_counted(enum tsr_status *status, char **why)
{
    struct tsr__worker *worker = NULL;
    tsr_no_fork_begin(); /* a child must not inherit the descriptors of a worker that is not in the set yet */
    *status = tsr__worker_start(&worker, why);
    pthread_mutex_lock(&workers.lock);
    if (worker) {
        add_alive(worker);
    } else {
        workers.count--;
        pthread_cond_signal(&workers.returned);
    }
    pthread_mutex_unlock(&workers.lock);
    tsr_no_fork_end();
    return worker;
}

struct tsr__worker *tsr__workers_take(bool *used, enum tsr_status *status, char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    struct tsr_hash environment = tsr__environment_hash();
    unsigned most = most_workers();
    for (;;) {
        pthread_mutex_lock(&workers.lock);
        while (!workers.idle && workers.count >= most)
            pthread_cond_wait(&workers.returned, &workers.lock);
        struct tsr__worker *worker = workers.idle;
        if (worker)
            workers.idle = worker->next;
        else
            workers.count++;
        pthread_mutex_unlock(&workers.lock);
        if (!worker) {
            *used = false;
            return start_counted(status, why);
        }
        if (!tsr__worker_is_gone(worker) && !memcmp(&worker->environment, &environment, sizeof(environment))) {
            *used = true;
            *status = TSR_OK;
            return worker;
        }
        tsr__workers_retire(worker, false);
    }
}

void tsr_clc_warm_up(void)
{
    if (tsr_clc_is_library())
        return;
    pthread_mutex_lock(&workers.lock);
    bool have = workers.count != 0;
    pthread_mutex_unlock(&workers.lock);
    if (have)
        return;
    bool used;
    enum tsr_status status;
    char *why = NULL;
    struct tsr_environment *copy = tsr_environment_copy(); /* as in a build */
    const struct tsr_environment *before = tsr_environment_use(copy);
    struct tsr__worker *worker = tsr__workers_take(&used, &status, &why);
    tsr_environment_use(before);
    tsr_environment_free(copy);
    if (worker)
        tsr__workers_give_back(worker);
    else
        tsr_log(TSR_LOG_COMPILE, "no compiler process started ahead: %s", why ? why : tsr_status_text(status));
    tsr_free(why);
}

void tsr_clc_unload(void)
{
    for (;;) {
        pthread_mutex_lock(&workers.lock);
        struct tsr__worker *worker = workers.idle;
        if (worker)
            workers.idle = worker->next;
        pthread_mutex_unlock(&workers.lock);
        if (!worker)
            return;
        tsr__workers_retire(worker, false);
    }
}
