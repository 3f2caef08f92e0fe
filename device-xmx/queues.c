/* SPDX-License-Identifier: Apache-2.0
 * Queues: immediate command lists, each with a thread that waits for what was appended and reports its end.
 *
 * icd/ gives a launch to the device when all that it depends on has ended, so launches need no order among themselves, and any queue will
 * do. A thread waits for the jobs of its queue in their order, so a short launch should not stand behind a long one: each goes to the queue
 * with the fewest jobs, and a further queue is only begun when all others have some. */
#include <signal.h>

#include "device-xmx/queues.h"

enum { QUEUES = 4 };

struct tsr__xmx_queue {
    struct tsr__xmx_device *device;
    pthread_mutex_t lock;
    pthread_cond_t more;
    ze_command_list_handle_t list; /* NULL: not begun */
    struct tsr__xmx_job *first, **last;
    _Atomic unsigned jobs; /* changed under the lock */
};

struct tsr__xmx_queues {
    struct tsr__xmx_queue queues[QUEUES];
};

ze_command_list_handle_t tsr__xmx_list_new(struct tsr__xmx_device *device, uint32_t group, enum tsr_status *status)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = group,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                    .priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
    ze_command_list_handle_t list = NULL;
    ze_context_handle_t context = tsr__xmx_context(device, status);
    if (context)
        *status = tsr__xmx_judge(device, tsr__ze.CommandListCreateImmediate(context, device->handle, &desc, &list),
                                 "zeCommandListCreateImmediate");
    return *status == TSR_OK ? list : NULL;
}

/* ---- the threads ---- */

static void end_job(struct tsr__xmx_queue *queue, struct tsr__xmx_job *job)
{
    enum tsr_status status = TSR_OK;
    for (unsigned i = 0; i < job->event_count && status == TSR_OK; i++)
        status = tsr__xmx_event_wait(queue->device, job->events[i]);
    pthread_mutex_lock(&queue->lock);
    queue->first = job->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->jobs--;
    pthread_mutex_unlock(&queue->lock);
    job->ended(job, status);
}

static void *watch(void *data)
{
    struct tsr__xmx_queue *queue = data;
    for (;;) {
        pthread_mutex_lock(&queue->lock);
        while (!queue->first)
            pthread_cond_wait(&queue->more, &queue->lock);
        struct tsr__xmx_job *job = queue->first;
        pthread_mutex_unlock(&queue->lock);
        end_job(queue, job);
    }
    return NULL;
}

/* A detached thread that no signal of the application reaches. */
static bool start_thread(struct tsr__xmx_queue *queue)
{
    enum { STACK = 1 << 20 }; /* callbacks of events run on it */
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all;
    if (pthread_attr_init(&attr))
        return false;
    sigfillset(&all);
    pthread_attr_setsigmask_np(&attr, &all);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    bool started = !pthread_create(&thread, &attr, watch, queue);
    pthread_attr_destroy(&attr);
    return started;
}

/* Makes the list and the thread of a queue, whose lock is held. */
static enum tsr_status begin(struct tsr__xmx_queue *queue)
{
    enum tsr_status status;
    ze_command_list_handle_t list = tsr__xmx_list_new(queue->device, queue->device->compute_group, &status);
    if (!list)
        return status;
    if (!start_thread(queue)) {
        tsr__ze.CommandListDestroy(list);
        return TSR_NO_MEMORY;
    }
    queue->list = list;
    return TSR_OK;
}

/* ---- queues ---- */

static struct tsr__xmx_queues *queues_of(struct tsr__xmx_device *device)
{
    struct tsr__xmx_queues *all = atomic_load_explicit(&device->queues, memory_order_acquire);
    if (all)
        return all;
    pthread_mutex_lock(&device->lock);
    all = atomic_load_explicit(&device->queues, memory_order_relaxed);
    if (!all && (all = tsr_calloc(1, sizeof *all))) {
        for (unsigned i = 0; i < QUEUES; i++) {
            struct tsr__xmx_queue *queue = &all->queues[i];
            queue->device = device;
            queue->last = &queue->first;
            pthread_mutex_init(&queue->lock, NULL);
            pthread_cond_init(&queue->more, NULL);
        }
        atomic_store_explicit(&device->queues, all, memory_order_release);
    }
    pthread_mutex_unlock(&device->lock);
    return all;
}

/* The first queue with the fewest jobs: those that were begun come first. */
static struct tsr__xmx_queue *choose(struct tsr__xmx_queues *all)
{
    struct tsr__xmx_queue *best = &all->queues[0];
    for (unsigned i = 1; i < QUEUES; i++)
        if (atomic_load_explicit(&all->queues[i].jobs, memory_order_relaxed) < atomic_load_explicit(&best->jobs, memory_order_relaxed))
            best = &all->queues[i];
    return best;
}

struct tsr__xmx_queue *tsr__xmx_queue_enter(struct tsr__xmx_device *device, enum tsr_status *status)
{
    struct tsr__xmx_queues *all = queues_of(device);
    *status = TSR_NO_MEMORY;
    if (!all)
        return NULL;
    struct tsr__xmx_queue *queue = choose(all);
    pthread_mutex_lock(&queue->lock);
    *status = queue->list ? TSR_OK : begin(queue);
    if (*status == TSR_OK)
        return queue;
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

ze_command_list_handle_t tsr__xmx_queue_list(const struct tsr__xmx_queue *queue)
{
    return queue->list;
}

void tsr__xmx_queue_leave(struct tsr__xmx_queue *queue, struct tsr__xmx_job *job)
{
    if (job) {
        job->next = NULL;
        *queue->last = job;
        queue->last = &job->next;
        queue->jobs++;
        pthread_cond_signal(&queue->more);
    }
    pthread_mutex_unlock(&queue->lock);
}
