/* SPDX-License-Identifier: Apache-2.0
 * The API's fuzzer: what commands that move bytes leave behind. A few of them in a row, ordered by events, between two regions of memory,
 * whose sizes are mostly near those in icd/transfer.def. AddressSanitizer forbids all memory around the regions meanwhile; after that
 * regions and surroundings are compared with a plain model. */
#include <sanitizer/asan_interface.h>

#include "fuzz/api.h"
#include "tessera/abi.h"

#define SIZE(name, bytes) name = bytes,
enum {
#include "icd/transfer.def"
};
#undef SIZE
#define SIZE(name, bytes) bytes,
static const size_t thresholds[] = {
#include "icd/transfer.def"
};
#undef SIZE

enum { AREA = TSR__STREAM_BYTES + 4 * TSR__UNIT_BYTES, SELDOM = 1 << 20, AROUND = 4096, ORIGIN = 1024 };

/* Two areas of memory, and what each should hold; a region of each is in use. An area is larger than any region by far. */
static _Alignas(4096) unsigned char memory[2][AREA], model[2][AREA];
static struct region {
    unsigned char *at, *model;
    size_t size;
} regions[2];
static cl_context context;
static cl_command_queue queue;
static cl_event last; /* every command waits for the one before it */

void fuzz_begin_bytes(void)
{
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < AREA; k++)
            memory[i][k] = model[i][k] = (unsigned char)(k * 2654435761u >> (13 + i));
}

/* Most are small, as the large ones take a thousand times as long. */
static size_t size_near_threshold(void)
{
    size_t near = thresholds[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(thresholds))];
    if (near >= SELDOM && !fuzz_odds(4))
        near = TSR__STREAM_LINE;
    size_t more = near < TSR__UNIT_BYTES ? near / 2 : TSR__UNIT_BYTES / 2;
    size_t size = near + (fuzz_odds(3) ? more : 0) + fuzz_below(&fuzz_in, 131);
    return size > 65 ? size - 65 : 1;
}

static void choose_region(unsigned i, size_t size)
{
    size_t at = fuzz_below(&fuzz_in, 256) + (fuzz_odds(4) ? ORIGIN : 0);
    regions[i] = (struct region){memory[i] + at, model[i] + at, size};
    /* Other bytes than before, so that what a command does not write is noticed. */
    for (size_t k = 0; k < size; k += k < AROUND || size - k < AROUND ? 1 : 67) {
        regions[i].at[k] ^= 0xff;
        regions[i].model[k] ^= 0xff;
    }
    __asan_poison_memory_region(memory[i], AREA);
    __asan_unpoison_memory_region(regions[i].at, size);
}

static void check_region(unsigned i)
{
    struct region *r = &regions[i];
    size_t at = (size_t)(r->at - memory[i]), begin = at < AROUND ? 0 : at - AROUND;
    size_t end = AREA - at - r->size < AROUND ? AREA : at + r->size + AROUND;
    __asan_unpoison_memory_region(memory[i], AREA);
    FUZZ_CHECK(!memcmp(memory[i] + begin, model[i] + begin, end - begin));
}

/* ---- buffers over a region ---- */

struct view {
    cl_mem mem, parent;
    size_t offset;
};

/* The region as a buffer, part of a buffer with the bytes before it, or a sub-buffer. */
static struct view open_view(const struct region *r)
{
    struct view v = {0};
    cl_int err;
    unsigned char *area = r == &regions[0] ? memory[0] : memory[1];
    size_t before = (size_t)(r->at - area);
    unsigned how = fuzz_below(&fuzz_in, 3);
    if (how == 0) {
        v.mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, r->size, r->at, &err);
    } else if (how == 1) {
        v.offset = before;
        v.mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, before + r->size, area, &err);
    } else {
        cl_buffer_region part = {before >= ORIGIN ? ORIGIN : 0, r->size};
        v.parent = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, part.origin + r->size, r->at - part.origin, &err);
        FUZZ_CHECK(v.parent && !err);
        v.mem = clCreateSubBuffer(v.parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
    }
    FUZZ_CHECK(v.mem && !err);
    return v;
}

static void close_view(const struct view *v)
{
    FUZZ_CHECK(!clReleaseMemObject(v->mem));
    if (v->parent)
        FUZZ_CHECK(!clReleaseMemObject(v->parent));
}

/* ---- commands ---- */

/* The wait list of the next command, and its event as the one to wait for. */
#define CHAIN(call, ...)                                                                                                                   \
    do {                                                                                                                                   \
        cl_event next = NULL;                                                                                                              \
        FUZZ_CHECK(!call(__VA_ARGS__, last ? 1 : 0, last ? &last : NULL, &next));                                                          \
        if (last)                                                                                                                          \
            FUZZ_CHECK(!clReleaseEvent(last));                                                                                             \
        last = next;                                                                                                                       \
    } while (0)

static void copy_bytes(struct region *to, struct region *from)
{
    size_t most = to->size < from->size ? to->size : from->size, size = fuzz_odds(2) ? most : most - fuzz_below(&fuzz_in, 200) % most;
    size_t a = to->size - size, b = from->size - size; /* to the end of both */
    bool blocking = fuzz_odds(4);
    unsigned how = fuzz_below(&fuzz_in, 5);
    struct view t = open_view(to), f = open_view(from);
    if (how == 0) {
        CHAIN(clEnqueueReadBuffer, queue, f.mem, blocking, f.offset + b, size, to->at + a);
    } else if (how == 1) {
        CHAIN(clEnqueueWriteBuffer, queue, t.mem, blocking, t.offset + a, size, from->at + b);
    } else if (how == 2) {
        CHAIN(clEnqueueCopyBuffer, queue, f.mem, t.mem, f.offset + b, t.offset + a, size);
    } else if (how == 3) {
        CHAIN(clEnqueueSVMMemcpy, queue, blocking, to->at + a, from->at + b, size);
    } else { /* through memory of the driver's own */
        cl_int err;
        size_t shift = fuzz_below(&fuzz_in, 64);
        cl_mem own = clCreateBuffer(context, 0, size + shift, NULL, &err);
        FUZZ_CHECK(own && !err);
        CHAIN(clEnqueueCopyBuffer, queue, f.mem, own, f.offset + b, shift, size);
        CHAIN(clEnqueueReadBuffer, queue, own, blocking, shift, size, to->at + a);
        FUZZ_CHECK(!clReleaseMemObject(own));
    }
    memcpy(to->model + a, from->model + b, size);
    close_view(&t);
    close_view(&f);
}

static void fill_bytes(struct region *to)
{
    size_t unit = (size_t)1 << fuzz_below(&fuzz_in, 8), size = to->size / unit * unit;
    const unsigned char *pattern = fuzz_pattern + fuzz_below(&fuzz_in, 128);
    bool svm = fuzz_odds(3);
    size_t at = svm ? -(uintptr_t)to->at % unit : 0;
    if (at + unit > to->size)
        return;
    size = (to->size - at) / unit * unit;
    if (svm) {
        CHAIN(clEnqueueSVMMemFill, queue, to->at + at, pattern, unit, size);
    } else {
        struct view t = open_view(to);
        at = -t.offset % unit;
        size = at < to->size ? (to->size - at) / unit * unit : 0;
        if (size)
            CHAIN(clEnqueueFillBuffer, queue, t.mem, pattern, unit, t.offset + at, size);
        close_view(&t);
    }
    for (size_t i = 0; i < size; i += unit)
        memcpy(to->model + at + i, pattern, unit);
}

/* Pitches for a box of this width in so many rows and slices; false: it does not fit. */
static bool pitches_for(const size_t region[3], size_t room, size_t pitch[2])
{
    pitch[0] = region[0] + (fuzz_odds(2) ? fuzz_below(&fuzz_in, 70) : 0);
    pitch[1] = pitch[0] * (region[1] + fuzz_below(&fuzz_in, 3));
    return (region[2] - 1) * pitch[1] + (region[1] - 1) * pitch[0] + region[0] <= room;
}

static void copy_box(struct region *to, struct region *from)
{
    size_t region[3] = {1, 1 + fuzz_below(&fuzz_in, 5), 1 + fuzz_below(&fuzz_in, 3)}, a[2], b[2];
    size_t least = to->size < from->size ? to->size : from->size, zero[3] = {0};
    region[0] = least / (region[1] * region[2]);
    region[0] = region[0] > 1 ? region[0] - fuzz_below(&fuzz_in, 100) % region[0] : 1;
    if (!pitches_for(region, to->size, a) || !pitches_for(region, from->size, b))
        return;
    bool blocking = fuzz_odds(4);
    struct view t = open_view(to), f = open_view(from);
    size_t t_origin[3] = {t.offset % a[0], t.offset / a[0] % (a[1] / a[0]), t.offset / a[1]};
    size_t f_origin[3] = {f.offset % b[0], f.offset / b[0] % (b[1] / b[0]), f.offset / b[1]};
    switch (fuzz_below(&fuzz_in, 3)) {
    case 0:
        CHAIN(clEnqueueReadBufferRect, queue, f.mem, blocking, f_origin, zero, region, b[0], b[1], a[0], a[1], to->at);
        break;
    case 1:
        CHAIN(clEnqueueWriteBufferRect, queue, t.mem, blocking, t_origin, zero, region, a[0], a[1], b[0], b[1], from->at);
        break;
    default:
        CHAIN(clEnqueueCopyBufferRect, queue, f.mem, t.mem, f_origin, t_origin, region, b[0], b[1], a[0], a[1]);
        break;
    }
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(to->model + z * a[1] + y * a[0], from->model + z * b[1] + y * b[0], region[0]);
    close_view(&t);
    close_view(&f);
}

static void map_bytes(struct region *to)
{
    cl_int err;
    struct view t = open_view(to);
    unsigned char *at =
        clEnqueueMapBuffer(queue, t.mem, CL_TRUE, CL_MAP_WRITE, t.offset, to->size, last ? 1 : 0, last ? &last : NULL, NULL, &err);
    FUZZ_CHECK(at == to->at && !err);
    to->model[0] = at[0] ^= 1;
    to->model[to->size - 1] = at[to->size - 1] ^= 2;
    CHAIN(clEnqueueUnmapMemObject, queue, t.mem, at);
    close_view(&t);
}

void fuzz_call_bytes(void)
{
    cl_int status = CL_QUEUED;
    queue = fuzz_pick(QUEUE);
    if (!fuzz_slot_of(QUEUE, queue))
        return;
    FUZZ_CHECK(!clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    fuzz_settle();
    size_t size = size_near_threshold();
    choose_region(0, size);
    choose_region(1, fuzz_odds(2) ? size : size > 40 ? size - fuzz_below(&fuzz_in, 40) : 1);
    for (unsigned count = 1 + fuzz_below(&fuzz_in, size < SELDOM ? 6 : 2); count; count--) {
        unsigned i = fuzz_below(&fuzz_in, 2);
        switch (fuzz_below(&fuzz_in, 5)) {
        case 0:
            copy_box(&regions[i], &regions[!i]);
            break;
        case 1:
            fill_bytes(&regions[i]);
            break;
        case 2:
            map_bytes(&regions[i]);
            break;
        default:
            copy_bytes(&regions[i], &regions[!i]);
            break;
        }
    }
    if (last) {
        FUZZ_CHECK(!clWaitForEvents(1, &last));
        FUZZ_CHECK(!clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) && status == CL_COMPLETE);
        FUZZ_CHECK(!clReleaseEvent(last));
    }
    last = NULL;
    check_region(0);
    check_region(1);
}
