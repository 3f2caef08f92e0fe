/* SPDX-License-Identifier: Apache-2.0
 * Where the bytes of a buffer or image are, in contexts with a device that has memory of its own: on the host, in an allocation for each
 * such device, and for each image in an image of each such device; these are made when a command first needs them. An image of a device
 * has its pixels from the host alone, all of them at once, and gives them to the host alone.
 *
 * The buffer is cut into segments; each knows the places that have its bytes as they are. A command makes its buffers valid at its own
 * place when it begins to run, and the other places stale where it may write. Commands that conflict are ordered by events, as OpenCL
 * asks; those that write to different sub-buffers may run at the same time on different devices, which is why segments are kept and not
 * one state for the whole buffer. */
#include <string.h>

#include "icd/image.h"

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
    unsigned places; /* the host, then the devices, unless all of these reach the host's memory, then images */
    bool shared;
    struct place {
        const struct _cl_device_id *device; /* a root device; NULL: of the host, or free for an image */
        uint64_t address;                   /* 0: nothing allocated yet */
        const struct _cl_mem *image;        /* NULL: the bytes; else `address` is an image of the device, with this one's pixels */
    } at[MOST_PLACES];
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
    for (place = 1; place < r->places && (r->at[place].device != device || r->at[place].image); place++)
        ;
    return place;
}

/* The place of the image on the device, which is made if there is none; r->places if there is no room. */
static unsigned find_image(struct tsr__residence *r, const struct _cl_device_id *device, const struct _cl_mem *image)
{
    unsigned vacant = r->places;
    device = root_of(device);
    for (unsigned place = 1; place < r->places; place++) {
        if (r->at[place].device == device && r->at[place].image == image)
            return place;
        if (!r->at[place].device)
            vacant = place;
    }
    if (vacant == MOST_PLACES)
        return r->places;
    r->at[vacant] = (struct place){.device = device, .image = image};
    r->places += vacant == r->places;
    return vacant;
}

struct tsr__residence *tsr__residence_new(const struct _cl_context *context, size_t size, bool filled, const void *shared)
{
    struct tsr__residence *r = tsr_calloc(1, sizeof *r);
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

static void free_place(const struct place *place)
{
    const struct _cl_device_id *device = place->device;
    if (place->address && place->image)
        device->ops->image_free(device->impl, place->address);
    else if (place->address)
        device->ops->memory_free(device->impl, place->address);
}

void tsr__residence_free(struct tsr__residence *r)
{
    if (!r)
        return;
    for (unsigned i = 1; i < r->places; i++)
        free_place(&r->at[i]);
    pthread_mutex_destroy(&r->lock);
    tsr_free(r->segments);
    tsr_free(r);
}

static cl_int code_of(enum tsr_status status)
{
    return status == TSR_OK ? CL_SUCCESS : status == TSR_NO_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
}

static enum tsr_status make_image(const struct _cl_device_id *device, const struct _cl_mem *mem, uint64_t *made)
{
    const struct tsr__image *image = mem->image;
    const struct tsr_image_level *level = &image->desc.level[0];
    const struct tsr_image_shape shape = {
        .type = image->kind->type,
        .format = image->format,
        .width = level->width,
        .height = level->height,
        .depth = level->depth,
        .layers = image->desc.array_size,
        .written = !(mem->flags & CL_MEM_READ_ONLY),
    };
    return device->ops->image_make(device->impl, &shape, made);
}

/* Allocates the whole buffer at the place of a device, or makes the image there, unless that has been done. */
static cl_int allocate_at(struct tsr__residence *r, unsigned place)
{
    struct place *at = &r->at[place];
    if (at->address)
        return CL_SUCCESS;
    return code_of(at->image ? make_image(at->device, at->image, &at->address)
                             : at->device->ops->memory_allocate(at->device->impl, r->size, &at->address));
}

cl_int tsr__residence_allocate(struct tsr__residence *r)
{
    cl_int err = CL_SUCCESS;
    for (unsigned place = 1; place < r->places && err == CL_SUCCESS; place++)
        if (r->at[place].device && !r->at[place].image)
            err = allocate_at(r, place);
    return err;
}

uint64_t tsr__mem_address(const struct _cl_mem *root, const struct _cl_device_id *device)
{
    unsigned place = root->residence ? find_place(root->residence, device) : HOST;
    return place == HOST ? (uint64_t)(uintptr_t)root->data : root->residence->at[place].address;
}

/* ---- segments, under the lock ---- */

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

/* ---- moving ---- */

/* Where an image begins among the bytes of the root object. */
static uint64_t begin_of(const struct _cl_mem *image, const unsigned char *data)
{
    return (uint64_t)(image->data - data);
}

/* All of an image, and the rows of its pixels from this byte on. */
static struct tsr_image_part whole_image(const struct _cl_mem *image, const unsigned char *begin, struct tsr_image_rows *rows)
{
    struct tsr_image_part part = {0};
    size_t extent[3], strides[2];
    tsr__image_extent(image->image, 0, extent);
    tsr__image_strides(image->image, 0, strides);
    for (unsigned d = 0; d < 3; d++)
        part.region[d] = extent[d];
    *rows = (struct tsr_image_rows){(uint64_t)(uintptr_t)begin, strides[0], strides[1]};
    return part;
}

/* Bytes from the first pixel to the end of the last: the memory of an application need not have more. */
static uint64_t bytes_of_pixels(const struct tsr__image *image)
{
    size_t extent[3], strides[2];
    tsr__image_extent(image, 0, extent);
    tsr__image_strides(image, 0, strides);
    return (extent[2] - 1) * strides[1] + (extent[1] - 1) * strides[0] + extent[0] * image->desc.pixel_bytes;
}

/* Brings the segment to the host from a device's image, which gives all of its pixels: other segments of it may be newer on the host. */
static enum tsr_status image_to_host(const struct tsr__residence *r, unsigned char *data, size_t index, unsigned place)
{
    const struct place *at = &r->at[place];
    uint64_t begin = begin_of(at->image, data), from = r->segments[index].begin, end = segment_end(r, index);
    uint64_t size = bytes_of_pixels(at->image->image);
    if (from >= begin + size)
        return TSR_OK; /* behind the last pixel */
    if (end > begin + size)
        end = begin + size;
    bool all = from == begin && end == begin + size;
    unsigned char *bytes = all ? data + begin : tsr_malloc(size);
    if (!bytes)
        return TSR_NO_MEMORY;
    if (!all)
        memcpy(bytes, data + begin, size); /* what lies between rows stays */
    struct tsr_image_rows rows;
    struct tsr_image_part part = whole_image(at->image, bytes, &rows);
    enum tsr_status status = at->device->ops->image_read(at->device->impl, &rows, at->address, &part);
    if (status == TSR_OK && !all)
        memcpy(data + from, bytes + (from - begin), end - from);
    if (!all)
        tsr_free(bytes);
    return status;
}

/* Makes the segment valid on the host. */
static enum tsr_status fetch_to_host(struct tsr__residence *r, unsigned char *data, size_t index)
{
    struct segment *s = &r->segments[index];
    if (!s->valid || s->valid & 1u << HOST)
        return TSR_OK;
    unsigned from = (unsigned)__builtin_ctz(s->valid);
    const struct place *at = &r->at[from];
    enum tsr_status status = at->image ? image_to_host(r, data, index, from)
                                       : at->device->ops->memory_read(at->device->impl, data + s->begin, at->address + s->begin,
                                                                      segment_end(r, index) - s->begin);
    if (status == TSR_OK)
        s->valid |= 1u << HOST;
    return status;
}

/* Makes the segment valid at the place. Bytes of another device are copied by way of the host, which then has them, too. */
static enum tsr_status fetch(struct tsr__residence *r, unsigned char *data, size_t index, unsigned place)
{
    struct segment *s = &r->segments[index];
    const struct place *at = &r->at[place];
    enum tsr_status status = fetch_to_host(r, data, index);
    if (s->valid && place != HOST && status == TSR_OK)
        status = at->device->ops->memory_write(at->device->impl, at->address + s->begin, data + s->begin, segment_end(r, index) - s->begin);
    if (status == TSR_OK)
        s->valid |= 1u << place;
    return status;
}

/* Makes all segments of an image, [first, end), valid in a device's image. */
static enum tsr_status fetch_image(struct tsr__residence *r, unsigned char *data, size_t first, size_t end, unsigned place)
{
    const struct place *at = &r->at[place];
    enum tsr_status status = TSR_OK;
    bool lacks = false, defined = false;
    for (size_t i = first; i < end; i++) {
        lacks |= !(r->segments[i].valid & 1u << place);
        defined |= r->segments[i].valid != 0;
    }
    if (!lacks)
        return TSR_OK;
    for (size_t i = first; i < end && status == TSR_OK; i++)
        status = fetch_to_host(r, data, i);
    if (defined && status == TSR_OK) {
        struct tsr_image_rows rows;
        struct tsr_image_part part = whole_image(at->image, at->image->data, &rows);
        status = at->device->ops->image_write(at->device->impl, at->address, &part, &rows);
    }
    for (size_t i = first; i < end && status == TSR_OK; i++)
        r->segments[i].valid |= 1u << place;
    return status;
}

/* What a command uses of the root object, and where. */
struct range {
    unsigned place;
    uint64_t begin, end;
    unsigned access;
};

static cl_int acquire(struct tsr__residence *r, unsigned char *data, const struct range *range, uint64_t *address)
{
    unsigned place = range->place;
    if (place >= r->places)
        return CL_OUT_OF_RESOURCES;
    cl_int err = place == HOST ? CL_SUCCESS : allocate_at(r, place);
    if (err != CL_SUCCESS)
        return err;
    bool of_image = r->at[place].image;
    *address = r->at[place].address + (of_image ? 0 : range->begin);
    if (!make_room(r))
        return CL_OUT_OF_HOST_MEMORY;
    size_t first = cut(r, range->begin), end = cut(r, range->end);
    enum tsr_status status = of_image && range->access & TSR__READS ? fetch_image(r, data, first, end, place) : TSR_OK;
    for (size_t i = first; i < end && status == TSR_OK; i++) {
        if (range->access & TSR__READS && !(r->segments[i].valid & 1u << place))
            status = fetch(r, data, i, place);
        if (range->access & TSR__WRITES && status == TSR_OK)
            r->segments[i].valid = 1u << place;
    }
    merge(r);
    return code_of(status);
}

void tsr__residence_forget(struct _cl_mem *image)
{
    struct _cl_mem *root = tsr__mem_root(image);
    struct tsr__residence *r = root->residence;
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    for (unsigned place = 1; place < r->places; place++) {
        if (r->at[place].image != image)
            continue;
        enum tsr_status status = TSR_OK;
        for (size_t i = 0; i < r->count; i++) {
            if (r->segments[i].valid == 1u << place && status == TSR_OK)
                status = fetch_to_host(r, root->data, i);
            r->segments[i].valid &= ~(1u << place);
        }
        if (status != TSR_OK)
            tsr__error(image->context, code_of(status), "clReleaseMemObject", "image_read",
                       "what kernels wrote to an image cannot be brought to the object that it lies in");
        free_place(&r->at[place]);
        r->at[place] = (struct place){0};
    }
    merge(r);
    pthread_mutex_unlock(&r->lock);
}

/* ---- what a command uses ---- */

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

/* The lock of the residence is held. */
static struct range range_of(const struct tsr__use *use, const struct _cl_device_id *device)
{
    struct _cl_mem *root = tsr__mem_root(use->mem);
    uint64_t begin = (uint64_t)(use->mem->data - root->data);
    bool on_host = use->access & TSR__ON_HOST || !device->caps->own_memory;
    if (use->mem->image && !on_host)
        return (struct range){find_image(root->residence, device, use->mem), begin, begin + use->mem->size, use->access};
    return (struct range){find_place(root->residence, on_host ? NULL : device), begin + use->offset, begin + use->offset + use->size,
                          use->access};
}

static cl_int make_ready(struct tsr__uses *uses, const struct _cl_device_id *device)
{
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < uses->count && err == CL_SUCCESS; i++) {
        struct tsr__use *use = &uses->list[i];
        struct _cl_mem *root = tsr__mem_root(use->mem);
        pthread_mutex_lock(&root->residence->lock);
        struct range range = range_of(use, device);
        err = acquire(root->residence, root->data, &range, &use->address);
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
