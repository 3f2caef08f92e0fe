/* SPDX-License-Identifier: Apache-2.0
 * Commands on their way: a thread for each device takes them from the device's streams, one at a time, when the events are signalled that
 * they wait for. A stream in order is one command after the other. In the others the commands between two barriers may run in any order;
 * STANDIN_ORDER=reversed runs the last one that can run, so that a missing barrier shows. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "device-xmx/standin/standin.h"

enum { NS_PER_MS = 1000000, HANG_NS = 300 * NS_PER_MS };

/* A command in a stream, with what its handles and pointers stood for when it was submitted. */
struct tsr__submission {
    struct tsr_list link;
    struct tsr__command *command; /* held */
    struct tsr__tell tell;
    struct tsr__event *signal;
    void *found[]; /* the events that it waits for, then its allocations, NULL for memory of the host */
};

static struct tsr__event *event_of(const struct tsr__submission *submission, uint32_t index)
{
    return submission->found[index];
}

static struct tsr__allocation *allocation_of(const struct tsr__submission *submission, uint32_t index)
{
    return submission->found[submission->command->wait_count + index];
}

/* ---- the thread of a device ---- */

static bool is_ready(const struct tsr__submission *submission)
{
    for (uint32_t i = 0; i < submission->command->wait_count; i++)
        if (!event_of(submission, i)->signalled)
            return false;
    return true;
}

/* The command of the stream that runs next; NULL: none can. */
static struct tsr__submission *choose(const struct tsr__stream *stream)
{
    struct tsr__submission *chosen = NULL;
    for (struct tsr_list *at = stream->pending.next; at != &stream->pending; at = at->next) {
        struct tsr__submission *submission = TSR_LIST_ITEM(at, struct tsr__submission, link);
        bool first = at == stream->pending.next;
        if (submission->command->barrier && !first)
            break;
        if (is_ready(submission))
            chosen = submission;
        if (submission->command->barrier || stream->in_order || !tsr__standin_settings()->reversed)
            break;
    }
    return chosen;
}

/* Takes the command out of its stream, and lets go of all that it used. */
static void end_command(struct tsr__stream *stream, struct tsr__submission *submission)
{
    struct tsr__command *command = submission->command;
    tsr_list_remove(&submission->link);
    stream->count--;
    for (uint32_t i = 0; i < command->wait_count; i++)
        event_of(submission, i)->base.pending--;
    if (submission->signal)
        submission->signal->base.pending--;
    for (uint32_t i = 0; i < command->use_count; i++) {
        struct tsr__allocation *allocation = allocation_of(submission, i);
        if (!allocation)
            continue;
        allocation->base.pending--;
        tsr__standin_let_go(allocation);
    }
    if (submission->tell.list)
        submission->tell.list->base.pending--;
    if (submission->tell.fence)
        submission->tell.fence->base.pending--;
    tsr__standin_command_drop(command);
    tsr_free(submission);
}

/* The device will never run what it has. Events and fences stay as they are. */
static void lose(struct tsr__device *device)
{
    tsr_log(TSR_LOG_ERR, "stand-in: the device %s is lost", device->persona->word);
    atomic_store(&device->lost, true);
    for (struct tsr_list *at = device->streams.next; at != &device->streams; at = at->next) {
        struct tsr__stream *stream = TSR_LIST_ITEM(at, struct tsr__stream, link);
        while (!tsr_list_empty(&stream->pending))
            end_command(stream, TSR_LIST_ITEM(stream->pending.next, struct tsr__submission, link));
    }
}

static void open_one(struct tsr__allocation *allocation, void *opened)
{
    struct tsr_buf *list = opened;
    tsr_buf_bytes(list, &allocation, sizeof allocation);
    if (list->failed)
        return;
    tsr__standin_open(allocation);
}

/* Opens what a kernel uses besides its arguments; `opened` gets a list of it. */
static void open_indirect(const struct tsr__submission *submission, const struct tsr__device *device, struct tsr_buf *opened)
{
    const struct tsr__command *command = submission->command;
    if (command->launch)
        tsr__standin_each_indirect(device, command->context, command->indirect, open_one, opened);
}

static void close_indirect(struct tsr_buf *opened)
{
    struct tsr__allocation *allocation;
    for (size_t at = 0; at < opened->size; at += sizeof allocation) {
        memcpy(&allocation, opened->data + at, sizeof allocation);
        tsr__standin_close(allocation);
        tsr__standin_let_go(allocation);
    }
    tsr_buf_free(opened);
}

static void each_use(const struct tsr__submission *submission, void (*call)(struct tsr__allocation *))
{
    for (uint32_t i = 0; i < submission->command->use_count; i++)
        if (allocation_of(submission, i))
            call(allocation_of(submission, i));
}

static void sleep_ns(uint64_t ns)
{
    struct timespec left = tsr__standin_timespec(ns);
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

/* The faults that come with a launch. False: the device is lost. */
static bool launch_faults(struct tsr__device *device)
{
    const struct tsr__settings *settings = tsr__standin_settings();
    uint64_t launch = ++device->launches;
    if (settings->faulty[TSR__FAULT_lost] && launch == settings->fault[TSR__FAULT_lost])
        return false;
    if (settings->faulty[TSR__FAULT_hang] && launch == settings->fault[TSR__FAULT_hang]) {
        sleep_ns(HANG_NS);
        return false;
    }
    return true;
}

static void signal_event(const struct tsr__submission *submission, const struct tsr__device *device, uint64_t begin_ns, uint64_t end_ns)
{
    struct tsr__event *event = submission->signal;
    uint64_t mask = ((uint64_t)1 << device->persona->kernel_timestamp_bits) - 1;
    if (event && event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP) {
        uint64_t begin = tsr__standin_ticks(device, begin_ns), end = tsr__standin_ticks(device, end_ns);
        end += end == begin; /* every command takes time; the Unified Runtime takes equal stamps for a clock that has wrapped */
        event->times.global = (ze_kernel_timestamp_data_t){begin & mask, end & mask};
        event->times.context = event->times.global;
    }
    if (event)
        event->signalled = !submission->command->resets;
    struct tsr__fence *fence = submission->tell.fence;
    if (fence && submission->tell.round == fence->round)
        fence->signalled = true;
}

/* Commands with nothing to do end together with the one before them: what ends a list is no later than its last event. */
static void end_marks(struct tsr__device *device, struct tsr__stream *stream)
{
    bool slow = tsr__standin_settings()->faulty[TSR__FAULT_event];
    for (struct tsr__submission *next; (next = choose(stream)) && !next->command->run && !(slow && next->command->signal);) {
        uint64_t now = tsr_now_ns();
        signal_event(next, device, now, now);
        end_command(stream, next);
    }
}

/* The lock is held, and given up while the command runs. */
static void run(struct tsr__device *device, struct tsr__stream *stream, struct tsr__submission *submission)
{
    struct tsr__command *command = submission->command;
    const struct tsr__settings *settings = tsr__standin_settings();
    struct tsr_buf opened = {0};
    each_use(submission, tsr__standin_open);
    open_indirect(submission, device, &opened);
    pthread_mutex_unlock(&tsr__standin_lock);
    uint64_t begin = tsr_now_ns();
    bool good = !opened.failed && (!command->launch || launch_faults(device)) && (!command->run || command->run(command, device));
    uint64_t end_ns = tsr_now_ns();
    if (settings->faulty[TSR__FAULT_event] && command->signal)
        sleep_ns(settings->fault[TSR__FAULT_event] * NS_PER_MS);
    pthread_mutex_lock(&tsr__standin_lock);
    close_indirect(&opened);
    each_use(submission, tsr__standin_close);
    if (good)
        signal_event(submission, device, begin, end_ns);
    end_command(stream, submission);
    if (good)
        end_marks(device, stream);
    else
        lose(device);
    tsr__standin_changed();
}

/* Runs a command of the first stream that has one ready; the stream is the last one then. False: there is none. */
static bool run_one(struct tsr__device *device)
{
    for (struct tsr_list *at = device->streams.next; at != &device->streams; at = at->next) {
        struct tsr__stream *stream = TSR_LIST_ITEM(at, struct tsr__stream, link);
        struct tsr__submission *submission = choose(stream);
        if (!submission)
            continue;
        tsr_list_remove(&stream->link);
        tsr_list_push(&device->streams, &stream->link);
        run(device, stream, submission);
        return true;
    }
    return false;
}

static void *device_main(void *data)
{
    struct tsr__device *device = data;
    pthread_setname_np(pthread_self(), "standin");
    pthread_mutex_lock(&tsr__standin_lock);
    for (;;)
        if (!run_one(device))
            pthread_cond_wait(&device->work, &tsr__standin_lock);
    return NULL;
}

/* False: no thread can be had. */
static bool start_thread(struct tsr__device *device)
{
    if (device->started)
        return true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    device->started = !pthread_create(&thread, NULL, device_main, device) && !pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return device->started;
}

/* ---- fork ---- */

/* The child has no thread of the device, and what the parent has on it stays there. For the child the device is lost. A thread that forks
 * in the handler of a signal may hold the locks itself: then the child can do no more than end. */
static void in_child(void)
{
    struct tsr__driver *driver = tsr__standin_driver();
    pthread_mutex_t *objects = tsr__standin_objects_lock();
    if (pthread_mutex_trylock(&tsr__standin_lock))
        return;
    if (!pthread_mutex_trylock(objects)) {
        pthread_mutex_unlock(objects);
        for (unsigned i = 0; i < driver->device_count; i++)
            if (driver->devices[i]->started)
                lose(driver->devices[i]);
        tsr__standin_close_all();
    }
    pthread_mutex_unlock(&tsr__standin_lock);
}

static void watch_forks(void)
{
    static struct tsr_fork_hooks hooks = {.in_child = in_child};
    static struct tsr_fork_mutex all = {.mutex = &tsr__standin_lock}, objects;
    objects.mutex = tsr__standin_objects_lock();
    tsr_fork_mutex_add(&objects); /* first, as it is taken under the other */
    tsr_fork_mutex_add(&all);
    tsr_fork_watch(&hooks);
}

/* ---- streams and submissions ---- */

void tsr__standin_stream_open(struct tsr__stream *stream, struct tsr__device *device, bool in_order)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    *stream = (struct tsr__stream){.device = device, .in_order = in_order};
    tsr_list_init(&stream->pending);
    pthread_mutex_lock(&tsr__standin_lock);
    tsr_list_push(&device->streams, &stream->link);
    pthread_mutex_unlock(&tsr__standin_lock);
}

void tsr__standin_stream_close(struct tsr__stream *stream)
{
    pthread_mutex_lock(&tsr__standin_lock);
    tsr_list_remove(&stream->link);
    pthread_mutex_unlock(&tsr__standin_lock);
}

/* Looks up what the command's handles and pointers stand for now. */
static ze_result_t resolve(struct tsr__submission *submission, const struct tsr__device *device)
{
    struct tsr__command *command = submission->command;
    const char *name = command->name;
    for (uint32_t i = 0; i < command->wait_count; i++) {
        submission->found[i] = tsr__standin_find(TSR__KIND_EVENT, command->waits[i], name);
        if (!submission->found[i])
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (command->signal && !(submission->signal = tsr__standin_find(TSR__KIND_EVENT, command->signal, name)))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (command->kernel && !tsr__standin_find(TSR__KIND_KERNEL, command->kernel, name))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < command->use_count; i++) {
        const struct tsr__use *use = &command->uses[i];
        struct tsr__allocation *allocation = tsr__standin_allocation_at(use->pointer);
        if (allocation && use->size > (size_t)(allocation->begin + allocation->size - (const unsigned char *)use->pointer))
            return tsr__standin_misuse(name, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%zu bytes at %p pass the end of their allocation",
                                       use->size, use->pointer);
        if (allocation && (allocation->base.owner != &command->context->base || !tsr__standin_reaches(device, allocation)))
            return tsr__standin_misuse(name, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is memory of another context or device", use->pointer);
        if (!allocation && use->required)
            return tsr__standin_misuse(name, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is in no allocation", use->pointer);
        submission->found[command->wait_count + i] = allocation;
    }
    return ZE_RESULT_SUCCESS;
}

static bool submit_fails(void)
{
    static uint64_t count;
    const struct tsr__settings *settings = tsr__standin_settings();
    return settings->faulty[TSR__FAULT_submit] && ++count == settings->fault[TSR__FAULT_submit];
}

ze_result_t tsr__standin_submit(struct tsr__stream *stream, struct tsr__command *command, struct tsr__tell tell)
{
    struct tsr__device *device = stream->device;
    if (atomic_load(&device->lost))
        return ZE_RESULT_ERROR_DEVICE_LOST;
    struct tsr__submission *submission =
        tsr_calloc(1, sizeof *submission + (command->wait_count + command->use_count) * sizeof submission->found[0]);
    if (!submission || submit_fails() || !start_thread(device)) {
        tsr_free(submission);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    submission->command = command;
    submission->tell = tell;
    ze_result_t result = resolve(submission, device);
    if (result) {
        tsr_free(submission);
        return result;
    }
    atomic_fetch_add(&command->holds, 1);
    for (uint32_t i = 0; i < command->wait_count; i++)
        event_of(submission, i)->base.pending++;
    for (uint32_t i = 0; i < command->use_count; i++)
        if (allocation_of(submission, i))
            allocation_of(submission, i)->base.pending++;
    if (submission->signal)
        submission->signal->base.pending++;
    if (tell.list)
        tell.list->base.pending++;
    if (tell.fence)
        tell.fence->base.pending++;
    tsr_list_push(&stream->pending, &submission->link);
    stream->count++;
    pthread_cond_signal(&device->work);
    return ZE_RESULT_SUCCESS;
}

/* ---- commands ---- */

void *tsr__standin_command_new(size_t bytes, const char *name, struct tsr__context *context, ze_event_handle_t signal, uint32_t wait_count,
                               const ze_event_handle_t *waits, uint32_t use_count, const struct tsr__use *uses, ze_result_t *result)
{
    *result = ZE_RESULT_SUCCESS;
    if (wait_count && !waits)
        *result = tsr__standin_misuse(name, ZE_RESULT_ERROR_INVALID_SIZE, "%u events at NULL", wait_count);
    for (uint32_t i = 0; i < wait_count && !*result; i++)
        if (!tsr__standin_find(TSR__KIND_EVENT, waits[i], name))
            *result = ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    if (!*result && signal && !tsr__standin_find(TSR__KIND_EVENT, signal, name))
        *result = ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    if (*result)
        return NULL;
    size_t head = (bytes + 15) / 16 * 16;
    struct tsr__command *command = tsr_calloc(1, head + wait_count * sizeof *waits + use_count * sizeof *uses);
    if (!command) {
        *result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    tsr_list_init(&command->link);
    atomic_init(&command->holds, 1);
    command->name = name;
    command->context = context;
    command->signal = signal;
    command->wait_count = wait_count;
    command->uses = (struct tsr__use *)(void *)((char *)command + head);
    command->use_count = use_count;
    command->waits = (ze_event_handle_t *)(void *)(command->uses + use_count);
    if (wait_count)
        memcpy(command->waits, waits, wait_count * sizeof *waits);
    if (use_count)
        memcpy(command->uses, uses, use_count * sizeof *uses);
    return command;
}

void tsr__standin_command_drop(struct tsr__command *command)
{
    if (atomic_fetch_sub(&command->holds, 1) != 1)
        return;
    if (command->free)
        command->free(command);
    tsr_free(command);
}
