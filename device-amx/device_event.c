/* SPDX-License-Identifier: Apache-2.0
 * Events of kernels (clk_event_t). An event is a number, so that any number that a kernel may have can be looked up: the place in a table
 * that the process has one of, counted from 1, and in the upper half how often the place has been used. */
#include <pthread.h>

#include "device-amx/enqueue.h"

enum { FIRST_ROOM = 256 };

struct place {
    struct tsr__command *command; /* held; NULL: the place is free */
    struct tsr_device_queue *owner;
    uint32_t use, references, next_free;
};

static struct {
    pthread_mutex_t lock;
    struct tsr_fork_mutex fork_waits;
    struct place *places;
    uint32_t count, room, first_free; /* first_free: counted from 1 */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Counts the user events of kernels without a default queue. */
static struct tsr_device_queue nobody;

static void watch_fork(void)
{
    table.fork_waits.mutex = &table.lock;
    tsr_fork_mutex_add(&table.fork_waits);
}

/* The place of the event, NULL if there is no such event. The lock is held. */
static struct place *place_of(uint64_t event)
{
    uint32_t number = (uint32_t)event;
    if (!number || number > table.count)
        return NULL;
    struct place *place = &table.places[number - 1];
    return place->command && place->use == event >> 32 ? place : NULL;
}

/* A free place, counted from 1; 0: no memory. The lock is held. */
static uint32_t take_place(void)
{
    uint32_t number = table.first_free;
    if (number) {
        table.first_free = table.places[number - 1].next_free;
        return number;
    }
    if (table.count == table.room) {
        uint32_t room = table.room ? 2 * table.room : FIRST_ROOM;
        struct place *places = tsr_realloc(table.places, room * sizeof *places);
        if (!places)
            return 0;
        table.places = places;
        table.room = room;
    }
    table.places[table.count] = (struct place){0};
    return ++table.count;
}

uint64_t tsr__event_new(struct tsr__command *command, struct tsr_device_queue *owner)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_fork);
    if (!owner)
        owner = &nobody;
    if (atomic_fetch_add(&owner->events, 1) >= TSR_ENQUEUE_EVENTS) {
        atomic_fetch_sub(&owner->events, 1);
        return 0;
    }
    pthread_mutex_lock(&table.lock);
    uint32_t number = take_place();
    uint64_t event = 0;
    if (number) {
        struct place *place = &table.places[number - 1];
        place->command = command;
        place->owner = owner;
        place->references = 1;
        event = (uint64_t)++place->use << 32 | number;
        atomic_fetch_add(&command->holds, 1);
    }
    pthread_mutex_unlock(&table.lock);
    if (!event)
        atomic_fetch_sub(&owner->events, 1);
    return event;
}

struct tsr__command *tsr__event_find(uint64_t event)
{
    pthread_mutex_lock(&table.lock);
    const struct place *place = place_of(event);
    struct tsr__command *command = place ? place->command : NULL;
    if (command)
        atomic_fetch_add(&command->holds, 1);
    pthread_mutex_unlock(&table.lock);
    return command;
}

void tsr__event_retain(uint64_t event)
{
    pthread_mutex_lock(&table.lock);
    struct place *place = place_of(event);
    if (place)
        place->references++;
    pthread_mutex_unlock(&table.lock);
}

/* Frees the place; the caller drops the command without the lock, which is held. */
static struct tsr__command *leave_place(struct place *place)
{
    struct tsr__command *command = place->command;
    atomic_fetch_sub(&place->owner->events, 1);
    place->command = NULL;
    place->next_free = table.first_free;
    table.first_free = (uint32_t)(place - table.places) + 1;
    return command;
}

void tsr__command_drop(struct tsr__command *command)
{
    if (atomic_fetch_sub_explicit(&command->holds, 1, memory_order_acq_rel) == 1)
        tsr_free(command);
}

void tsr__user_event_set(struct tsr__command *command, int status)
{
    if (!atomic_exchange(&command->set, true))
        tsr_task_finish(&command->end, status);
}

/* A command that nobody can name any more. Of a user event nobody can set the status then: what waits for it ends instead of waiting for
 * ever, as the launch of the host waits with it. */
static void give_up(struct tsr__command *command)
{
    if (command->kind == TSR__COMMAND_USER)
        tsr__user_event_set(command, TSR_TASK_BLOCKED_BY_FAILURE);
    tsr__command_drop(command);
}

void tsr__event_release(uint64_t event)
{
    pthread_mutex_lock(&table.lock);
    struct place *place = place_of(event);
    struct tsr__command *command = place && --place->references == 0 ? leave_place(place) : NULL;
    pthread_mutex_unlock(&table.lock);
    if (command)
        give_up(command);
}

void tsr__events_forget(const struct tsr_device_queue *owner)
{
    for (uint32_t i = 0;; i++) {
        pthread_mutex_lock(&table.lock);
        bool there = i < table.count;
        struct place *place = there ? &table.places[i] : NULL;
        struct tsr__command *command = place && place->command && place->owner == owner ? leave_place(place) : NULL;
        pthread_mutex_unlock(&table.lock);
        if (!there)
            return;
        if (command)
            give_up(command);
    }
}

/* ---- times ---- */

static void write_times(const struct tsr__command *command, uint64_t *times)
{
    times[0] = command->run.end_ns - command->run.start_ns;
    times[1] = command->end.end_ns - command->run.start_ns;
}

void tsr__event_capture(struct tsr__command *command, uint64_t *times)
{
    struct tsr__capture *capture = command->end.timed ? tsr_malloc(sizeof *capture) : NULL;
    if (!capture)
        return;
    pthread_mutex_lock(&table.lock);
    if (command->complete) {
        write_times(command, times);
    } else if (capture) {
        *capture = (struct tsr__capture){command->captures, times};
        command->captures = capture;
        capture = NULL;
    }
    pthread_mutex_unlock(&table.lock);
    tsr_free(capture);
}

void tsr__event_complete(struct tsr__command *command)
{
    pthread_mutex_lock(&table.lock);
    struct tsr__capture *captures = command->captures;
    command->captures = NULL;
    command->complete = true;
    for (const struct tsr__capture *c = captures; c; c = c->next)
        write_times(command, c->times);
    pthread_mutex_unlock(&table.lock);
    while (captures) {
        struct tsr__capture *next = captures->next;
        tsr_free(captures);
        captures = next;
    }
}
