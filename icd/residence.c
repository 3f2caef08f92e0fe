/* SPDX-License-Identifier: Apache-2.0
 * Where the bytes of a buffer are, in contexts with a device that has memory of its own: on the host, and in an allocation for each such
 * device, made when a command first needs it.
 *
 * The buffer is cut into segments; each knows the places that have its bytes as they are. A command makes its buffers valid at its own
 * place when it begins to run, and the other places stale where it may write. Commands that conflict are ordered by events, as OpenCL
 * asks; those that write to different sub-buffers may run at the same time on different devices, which is why segments are kept and not
 * one state for the whole buffer. */
#include <string.h>

#include "icd/mem.h"

enum { HOST = 0, MOST_PLACES = 32 };

struct segment {
    uint64_t begin; /* the segment ends where the next one begins, or the buffer ends */
    uint32_t valid; /* a bit for each place with valid bytes; none: the contents are undefined */
};

struct tsr__residence {
    pthread_mutex_t lock;
    uint64_t size;
    struct segment *segments; /* sorted by `begin`; the first begins at 0 */
    size_t count, room;
    unsigned places; /* the host, then the devices; the host alone if all of these reach its memory */
    bool shared;
    struct {
        const struct _cl_device_id *device; /* a root device */
        uint64_t address;                   /* 0: nothing allocated yet */
    } at[];
};

static const struct _cl_device_id *root_of(const struct _cl_device_id *device)
{
    while (device->parent)
        device = device->parent;
    return device;
}

static unsigned find_place(const struct tsr__residence *r, const struct _cl_device_id *device)
{
    unsigned place = HOST;
    if (r->shared || !device || !device->caps->own_memory)
        return place;
    device = root_of(device);
    for (place = 1; place < r->places && r->at[place].device != device; place++)
        ;
    return place;
}

struct tsr__residence *tsr__residence_new(const struct _cl_context *context, size_t size, bool filled, const void *shared)
{
    struct tsr__residence *r = tsr_calloc(1, sizeof *r + (context->device_count + 1) * sizeof r->at[0]);
    struct segment *segments = tsr_calloc(4, sizeof *segments);
    if (!r || !segments) {
        tsr_free(r);
        tsr_free(segments);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    r->size = size;
    r->segments = segments;
    r->count = 1;
    r->room = 4;
    segments[0].valid = filled ? 1u << HOST : 0;
    r->places = 1;
    r->shared = shared;
    r->at[HOST].address = (uint64_t)(uintptr_t)shared;
    for (cl_uint i = 0; i < context->device_count && r->places < MOST_PLACES && !shared; i++) {
        const struct _cl_device_id *device = context->devices[i];
        if (device->caps->own_memory && find_place(r, device) == r->places)
            r->at[r->places++].device = root_of(device);
    }
    return r;
}

void tsr__residence_free(struct tsr__residence *r)
{
    if (!r)
        return;
    for (unsigned i = 1; i < r->places; i++)
        if (r->at[i].address)
            r->at[i].device->ops->memory_free(r->at[i].device->impl, r->at[i].address);
    pthread_mutex_destroy(&r->lock);
    tsr_free(r->segments);
    tsr_free(r);
}

static cl_int code_of(enum tsr_status status)
{
    return status == TSR_OK ? CL_SUCCESS : status == TSR_NO_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
}

/* Allocates the whole buffer at the place of a device, unless that has been done. */
static cl_int allocate_at(struct tsr__residence *r, unsigned place)
{
    const struct _cl_device_id *device = r->at[place].device;
    return r->at[place].address ? CL_SUCCESS : code_of(device->ops->memory_allocate(device->impl, r->size, &r->at[place].address));
}

cl_int tsr__residence_allocate(struct tsr__residence *r)
{
    cl_int err = CL_SUCCESS;
    for (unsigned place = 1; place < r->places && err == CL_SUCCESS; place++)
        err = allocate_at(r, place);
    return err;
}

uint64_t tsr__mem_address(const struct _cl_mem *root, const struct _cl_device_id *device)
{
    unsigned place = root->residence ? find_place(root->residence, device) : HOST;
    return place == HOST ? (uint64_t)(uintptr_t)root->data : root->residence->at[place].address;
}

/* ---- segments, under the lock ---------------------------------------------------------------------------------------------------------
 */

static uint64_t segment_end(const struct tsr__residence *r, size_t index)
{
    return index + 1 < r->count ? r->segments[index + 1].begin : r->size;
}

/* The segment that begins at `at`; cuts one if there is none. There is room for it. `at` may be the end of the buffer. */
static size_t cut(struct tsr__residence *r, uint64_t at)
{
    size_t i = 0;
    while (i < r->count && r->segments[i].begin < at)
        i++;
    if (at == r->size || (i < r->count && r->segments[i].begin == at))
        return i;
    memmove(r->segments + i + 1, r->segments + i, (r->count - i) * sizeof *r->segments);
    r->segments[i] = (struct segment){at, r->segments[i - 1].valid};
    r->count++;
    return i;
}

static bool make_room(struct tsr__residence *r)
{
    if (r->count + 2 <= r->room)
        return true;
    struct segment *more = tsr_realloc(r->segments, 2 * r->room * sizeof *more);
    if (!more)
        return false;
    r->segments = more;
    r->room *= 2;
    return true;
}

static void merge(struct tsr__residence *r)
{
    size_t kept = 0;
    for (size_t i = 1; i < r->count; i++)
        if (r->segments[i].valid != r->segments[kept].valid)
            r->segments[++kept] = r->segments[i];
    r->count = kept + 1;
}

/* ---- moving ---------------------------------------------------------------------------------------------------------------------------
 */

/* Makes the segment valid at the place. Bytes of another device are copied by way of the host, which then has them, too. */
static cl_int fetch(struct tsr__residence *r, unsigned char *data, size_t index, unsigned place)
{
    struct segment *s = &r->segments[index];
    uint64_t size = segment_end(r, index) - s->begin;
    enum tsr_status status = TSR_OK;
    if (s->valid && !(s->valid & 1u << HOST)) {
        unsigned from = (unsigned)__builtin_ctz(s->valid);
        const struct _cl_device_id *device = r->at[from].device;
        status = device->ops->memory_read(device->impl, data + s->begin, r->at[from].address + s->begin, size);
        if (status == TSR_OK)
            s->valid |= 1u << HOST;
    }
    if (s->valid && place != HOST && status == TSR_OK) {
        const struct _cl_device_id *device = r->at[place].device;
        status = device->ops->memory_write(device->impl, r->at[place].address + s->begin, data + s->begin, size);
    }
    if (status == TSR_OK)
        s->valid |= 1u << place;
    return code_of(status);
}

/* Makes [offset, offset + size) of the root buffer valid at the place of the device (NULL: of the host). */
static cl_int acquire(struct tsr__residence *r, unsigned char *data, const struct _cl_device_id *device, uint64_t offset, uint64_t size,
                      unsigned access, uint64_t *address)
{
    unsigned place = find_place(r, device);
    if (place >= r->places)
        return CL_OUT_OF_RESOURCES;
    cl_int err = place == HOST ? CL_SUCCESS : allocate_at(r, place);
    if (err != CL_SUCCESS)
        return err;
    *address = r->at[place].address + offset;
    if (!make_room(r))
        return CL_OUT_OF_HOST_MEMORY;
    size_t first = cut(r, offset), end = cut(r, offset + size);
    for (size_t i = first; i < end && err == CL_SUCCESS; i++) {
        if (access & TSR__READS && !(r->segments[i].valid & 1u << place))
            err = fetch(r, data, i, place);
        if (access & TSR__WRITES && err == CL_SUCCESS)
            r->segments[i].valid = 1u << place;
    }
    merge(r);
    return err;
}

/* ---- what a command uses ---------------------------------------------------------------------------------------------------------- */

enum { FIRST_ROOM = 4 };

static cl_int nothing(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)command, (void)worker, (void)begin, (void)end;
    return CL_SUCCESS;
}

bool tsr__command_uses(struct _cl_event *command, struct _cl_mem *mem, size_t offset, size_t size, unsigned access)
{
    if (!tsr__mem_root(mem)->residence)
        return true;
    struct tsr__uses *uses = command->uses;
    if (!uses || uses->count == uses->room) {
        cl_uint room = uses ? 2 * uses->room : FIRST_ROOM;
        struct tsr__uses *more = tsr_realloc(uses, sizeof *more + room * sizeof more->list[0]);
        if (!more)
            return false;
        if (!uses) {
            memset(more, 0, sizeof *more);
            pthread_mutex_init(&more->lock, NULL);
        }
        more->room = room;
        command->uses = uses = more;
    }
    tsr__hold(mem);
    uses->list[uses->count++] =
        (struct tsr__use){.mem = mem, .offset = offset, .size = size, .access = access, .argument = TSR__NO_ARGUMENT};
    if (!command->task.units) { /* a command with nothing to run has to begin, too, so that its uses are made valid */
        command->task.units = 1;
        command->execute = nothing;
    }
    return true;
}

void tsr__uses_free(struct _cl_event *command)
{
    struct tsr__uses *uses = command->uses;
    command->uses = NULL;
    for (cl_uint i = 0; i < uses->count; i++)
        tsr__drop(uses->list[i].mem);
    pthread_mutex_destroy(&uses->lock);
    tsr_free(uses);
}

static cl_int make_ready(struct tsr__uses *uses, const struct _cl_device_id *device)
{
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < uses->count && err == CL_SUCCESS; i++) {
        struct tsr__use *use = &uses->list[i];
        struct _cl_mem *root = tsr__mem_root(use->mem);
        pthread_mutex_lock(&root->residence->lock);
        err = acquire(root->residence, root->data, use->access & TSR__ON_HOST ? NULL : device,
                      (uint64_t)(use->mem->data - root->data) + use->offset, use->size, use->access, &use->address);
        pthread_mutex_unlock(&root->residence->lock);
    }
    return err;
}

/* Several threads may begin with a command: the first does this, the others wait. */
cl_int tsr__uses_ready(struct _cl_event *command)
{
    struct tsr__uses *uses = command->uses;
    pthread_mutex_lock(&uses->lock);
    bool first = !uses->ready;
    if (first)
        uses->err = make_ready(uses, command->queue->device);
    uses->ready = true;
    cl_int err = uses->err;
    pthread_mutex_unlock(&uses->lock);
    if (first && err == CL_MEM_OBJECT_ALLOCATION_FAILURE) /* the application may never ask the event for its status */
        tsr__error(command->context, err, __func__, "memory_allocate", "the device has no memory left for a buffer that a command uses");
    else if (first && err != CL_SUCCESS)
        tsr__error(command->context, err, __func__, "acquire", "a buffer that a command uses cannot be brought to its device");
    return err;
}
