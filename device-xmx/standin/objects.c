/* SPDX-License-Identifier: Apache-2.0
 * Handles. A handle is a place in a table, the number of the object that has it, and its kind: so a freed handle is known as such for ever,
 * and one of another kind or driver as well. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device-xmx/standin/standin.h"

static const char *const kind_names[] = {
    "nothing",
#define TSR_KIND(NAME, text) text,
#include "device-xmx/standin/objects.def"
#undef TSR_KIND
};

enum { KIND_BITS = 8, PLACE_BITS = 24 };

static struct {
    pthread_mutex_t lock;
    struct tsr__object **places;
    uint32_t room, *free, free_count;
    uint32_t number; /* of the next object */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .number = 1};

static enum tsr__kind kind_of(uintptr_t handle)
{
    return (enum tsr__kind)(handle & ((1u << KIND_BITS) - 1));
}

static uint32_t place_of(uintptr_t handle)
{
    return handle >> KIND_BITS & ((1u << PLACE_BITS) - 1);
}

/* Doubles the table. */
static bool grow(void)
{
    uint32_t room = table.room ? table.room * 2 : 64;
    if (room > 1u << PLACE_BITS)
        return false;
    struct tsr__object **places = tsr_realloc(table.places, room * sizeof(struct tsr__object *));
    if (places)
        table.places = places;
    uint32_t *free_places = tsr_realloc(table.free, room * sizeof *free_places);
    if (free_places)
        table.free = free_places;
    if (!places || !free_places)
        return false;
    for (uint32_t place = room; place-- > table.room;) {
        table.places[place] = NULL;
        table.free[table.free_count++] = place;
    }
    table.room = room;
    return true;
}

pthread_mutex_t *tsr__standin_objects_lock(void)
{
    return &table.lock;
}

bool tsr__standin_add(void *added, enum tsr__kind kind, void *owner)
{
    struct tsr__object *object = added;
    pthread_mutex_lock(&table.lock);
    bool good = table.free_count || grow();
    if (good) {
        uint32_t place = table.free[--table.free_count];
        object->kind = kind;
        object->owner = owner;
        object->handle = (uintptr_t)table.number++ << (PLACE_BITS + KIND_BITS) | (uintptr_t)place << KIND_BITS | kind;
        table.places[place] = object;
        if (object->owner)
            object->owner->children++;
    }
    pthread_mutex_unlock(&table.lock);
    return good;
}

void tsr__standin_remove(void *removed)
{
    struct tsr__object *object = removed;
    pthread_mutex_lock(&table.lock);
    uint32_t place = place_of(object->handle);
    table.places[place] = NULL;
    table.free[table.free_count++] = place;
    if (object->owner)
        object->owner->children--;
    pthread_mutex_unlock(&table.lock);
}

unsigned tsr__standin_children(const void *object)
{
    pthread_mutex_lock(&table.lock);
    unsigned children = ((const struct tsr__object *)object)->children;
    pthread_mutex_unlock(&table.lock);
    return children;
}

void *tsr__standin_look(enum tsr__kind kind, const void *handle)
{
    uintptr_t wanted = (uintptr_t)handle;
    pthread_mutex_lock(&table.lock);
    uint32_t place = place_of(wanted);
    struct tsr__object *object = place < table.room ? table.places[place] : NULL;
    if (object && (object->handle != wanted || object->kind != kind))
        object = NULL;
    pthread_mutex_unlock(&table.lock);
    return object;
}

void *tsr__standin_find(enum tsr__kind kind, const void *handle, const char *function)
{
    void *object = tsr__standin_look(kind, handle);
    if (!object && handle) {
        enum tsr__kind is = kind_of((uintptr_t)handle);
        tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is %s%s, not a live %s", handle,
                            is != kind && is < TSR__KIND_COUNT ? "a handle of the kind " : "no live handle",
                            is != kind && is < TSR__KIND_COUNT ? kind_names[is] : "", kind_names[kind]);
    } else if (!object) {
        tsr__standin_refuse(function, ZE_RESULT_ERROR_INVALID_NULL_HANDLE, "the handle of a %s is NULL", kind_names[kind]);
    }
    return object;
}

static bool is_below(const struct tsr__object *object, const void *owner)
{
    for (const struct tsr__object *at = object->owner; at; at = at->owner)
        if (at == owner)
            return true;
    return false;
}

bool tsr__standin_report_leaks(const void *owner)
{
    enum tsr__leaks leaks = tsr__standin_settings()->leaks;
    unsigned counts[TSR__KIND_COUNT] = {0};
    bool any = false;
    pthread_mutex_lock(&table.lock);
    for (uint32_t place = 0; place < table.room; place++) {
        const struct tsr__object *object = table.places[place];
        if (!object || !is_below(object, owner))
            continue;
        any = true;
        counts[object->kind]++;
    }
    pthread_mutex_unlock(&table.lock);
    if (!any || leaks == TSR__LEAKS_NO)
        return any;
    fprintf(stderr, "stand-in: when the context is destroyed, there still live:");
    for (unsigned kind = 0; kind < TSR__KIND_COUNT; kind++)
        if (counts[kind])
            fprintf(stderr, " %u x %s", counts[kind], kind_names[kind]);
    fprintf(stderr, "\n");
    if (leaks == TSR__LEAKS_ABORT)
        abort();
    return true;
}

/* ---- refusals ---- */

static void report(const char *function, ze_result_t result, const char *format, va_list args, bool fatal)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    tsr_log(TSR_LOG_ERR, "stand-in: %s: 0x%x: %s", function, (unsigned)result, text);
    if (!fatal)
        return;
    fprintf(stderr, "stand-in: %s: 0x%x: %s\n", function, (unsigned)result, text);
    abort();
}

ze_result_t tsr__standin_refuse(const char *function, ze_result_t result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(function, result, format, args, false);
    va_end(args);
    return result;
}

ze_result_t tsr__standin_misuse(const char *function, ze_result_t result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(function, result, format, args, tsr__standin_settings()->strict != TSR__STRICT_NOT);
    va_end(args);
    return result;
}

void tsr__standin_forgive(const char *function, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(function, ZE_RESULT_SUCCESS, format, args, tsr__standin_settings()->strict == TSR__STRICT_ALL);
    va_end(args);
}

void *tsr__standin_chained(const void *first, ze_structure_type_t type)
{
    const ze_base_desc_t *at = first; /* the head that all structs share */
    while (at && at->stype != type)
        at = at->pNext;
    return (void *)(uintptr_t)at;
}
