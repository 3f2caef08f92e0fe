/* SPDX-License-Identifier: Apache-2.0
 * The object header: validity, the two reference counts, destructor callbacks. */
#include "icd/icd.h"

/* Initialised by the linker: enumerating platforms costs nothing. */
static struct _cl_platform_id platform = {
    .base = {.dispatch = tsr__dispatch, .tag = TSR_TAG_PLATFORM, .api = 1, .holds = 1},
};

struct _cl_platform_id *tsr__platform(void)
{
    return &platform;
}

struct tsr_fork_table tsr__event_locks, tsr__semaphore_locks, tsr__mem_locks, tsr__kernel_locks;

static void add_lock_tables(void)
{
    tsr_fork_table_add(&tsr__event_locks);
    tsr_fork_table_add(&tsr__semaphore_locks);
    tsr_fork_table_add(&tsr__mem_locks);
    tsr_fork_table_add(&tsr__kernel_locks);
}

void tsr__lock_tables_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_lock_tables);
}

static const char *tag_name(enum tsr_tag tag)
{
    static const char *const names[] = {"platform",         "device",    "context",        "queue", "memory",
                                        "sampler",          "program",   "kernel",         "event", "command buffer",
                                        "recorded command", "semaphore", "on-device queue"};
    unsigned index = (unsigned)tag - TSR_TAG_PLATFORM;
    return index < TSR_ARRAY_LEN(names) ? names[index] : "dead object";
}

static void log_counts(const struct tsr_object *object, const char *what)
{
    if (tsr_log_on(TSR_LOG_REFS))
        tsr_log(TSR_LOG_REFS, "%s %p %s: api %d, holds %d", tag_name(object->tag), (const void *)object, what, object->api, object->holds);
}

void tsr__object_init(struct tsr_object *object, enum tsr_tag tag, void (*destroy)(struct tsr_object *))
{
    object->dispatch = tsr__dispatch;
    object->dispatch_data = tsr__platform()->base.dispatch_data;
    object->tag = tag;
    object->destroy = destroy;
    atomic_init(&object->api, 1);
    atomic_init(&object->holds, 1);
    atomic_init(&object->watches, 1);
    log_counts(object, "made");
}

bool tsr__valid(const void *handle, enum tsr_tag tag)
{
    const struct tsr_object *object = handle;
    /* A stray pointer mostly is odd, or points to memory that does not begin with our table. */
    return object && (uintptr_t)object % _Alignof(struct tsr_object) == 0 && object->dispatch == tsr__dispatch && object->tag == tag;
}

void tsr__hold(void *object)
{
    atomic_fetch_add_explicit(&((struct tsr_object *)object)->holds, 1, memory_order_relaxed);
}

void tsr__drop(void *object)
{
    struct tsr_object *o = object;
    if (atomic_fetch_sub_explicit(&o->holds, 1, memory_order_acq_rel) != 1)
        return;
    log_counts(o, "dies");
    if (o->destroy)
        o->destroy(o);
}

void tsr__watch(void *object)
{
    atomic_fetch_add_explicit(&((struct tsr_object *)object)->watches, 1, memory_order_relaxed);
}

void tsr__unwatch(void *object)
{
    if (atomic_fetch_sub_explicit(&((struct tsr_object *)object)->watches, 1, memory_order_acq_rel) == 1)
        tsr_free(object);
}

bool tsr__hold_alive(void *object)
{
    struct tsr_object *o = object;
    int32_t count = atomic_load_explicit(&o->holds, memory_order_relaxed);
    do {
        if (count == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&o->holds, &count, count + 1, memory_order_acquire, memory_order_relaxed));
    return true;
}

cl_int tsr__api_retain(void *object, enum tsr_tag tag, cl_int invalid)
{
    struct tsr_object *o = object;
    if (!tsr__valid(o, tag))
        return tsr__error(NULL, invalid, __func__, "handle", "the %s to retain is not valid", tag_name(tag));
    /* The hold stays if the count was 0, as a query may give out a handle that only other objects hold; else it is dropped again. */
    tsr__hold(o);
    if (atomic_fetch_add_explicit(&o->api, 1, memory_order_relaxed) != 0)
        tsr__drop(o);
    log_counts(o, "retained");
    return CL_SUCCESS;
}

cl_int tsr__api_release(void *object, enum tsr_tag tag, cl_int invalid)
{
    struct tsr_object *o = object;
    if (!tsr__valid(o, tag))
        return tsr__error(NULL, invalid, __func__, "handle", "the %s to release is not valid", tag_name(tag));
    int32_t count = atomic_load_explicit(&o->api, memory_order_relaxed);
    do {
        if (count == 0)
            return tsr__error(NULL, invalid, __func__, "reference count is 0", "the %s was released already", tag_name(tag));
    } while (!atomic_compare_exchange_weak_explicit(&o->api, &count, count - 1, memory_order_acq_rel, memory_order_relaxed));
    log_counts(o, "released");
    if (count == 1)
        tsr__drop(o);
    return CL_SUCCESS;
}

void tsr__link_enter(struct tsr__link **list, struct tsr__link *link)
{
    link->at = list;
    link->next = *list;
    if (link->next)
        link->next->at = &link->next;
    *list = link;
}

void tsr__link_leave(struct tsr__link *link)
{
    *link->at = link->next;
    if (link->next)
        link->next->at = link->at;
}

void *tsr__created(void *object, cl_int err, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = err;
    if (err == CL_SUCCESS)
        return object;
    if (object)
        tsr__drop(object);
    return NULL;
}

cl_int tsr__add_destructor(struct _cl_context *context, _Atomic(struct tsr_destructor *) *list, struct tsr_destructor destructor)
{
    struct tsr_destructor *entry = tsr_malloc(sizeof(*entry));
    RETURN_IF(context, !entry, CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    *entry = destructor;
    entry->next = atomic_load(list);
    while (!atomic_compare_exchange_weak(list, &entry->next, entry))
        ;
    return CL_SUCCESS;
}

/* False: the object lives on. */
static bool run_callbacks(_Atomic(struct tsr_destructor *) *list, struct tsr_object *object)
{
    for (struct tsr_destructor *entry; (entry = atomic_load(list));) {
        atomic_store(list, entry->next);
        if (entry->context_ends)
            entry->context_ends((cl_context)object, entry->user_data);
        else
            entry->mem_ends((cl_mem)object, entry->user_data);
        tsr_free(entry);
    }
    return atomic_fetch_sub_explicit(&object->holds, 1, memory_order_acq_rel) == 1;
}

bool tsr__run_destructors(_Atomic(struct tsr_destructor *) *list, struct tsr_object *object)
{
    static _Thread_local struct tsr_destructor **end; /* while this thread calls callbacks: of the list of objects that die in them */
    struct tsr_destructor *entry = atomic_load(list), *waiting = NULL;
    if (!entry)
        return true;
    atomic_store_explicit(&object->holds, 1, memory_order_relaxed);
    if (end) {
        entry->object = object;
        entry->list = list;
        entry->later = NULL;
        *end = entry;
        end = &entry->later;
        return false;
    }
    int begun = tsr_no_cancel_begin();
    end = &waiting;
    bool dies = run_callbacks(list, object);
    while ((entry = waiting)) {
        struct tsr_object *other = entry->object;
        waiting = entry->later;
        if (!waiting)
            end = &waiting;
        if (run_callbacks(entry->list, other))
            other->destroy(other);
    }
    end = NULL;
    tsr_no_cancel_end(begun);
    return dies;
}
