/* SPDX-License-Identifier: Apache-2.0
 * Tests that commands which move bytes write all that is theirs and nothing else. Source and destination lie between guard pages, mostly
 * right beside one, and every byte around them is compared with a plain model. Sizes and alignments are those around each entry of
 * icd/transfer.def. `icd_transfer long` also reads large buffers to every alignment with every length of the last piece. */
#include "icd/test/guarded.h"
#include "icd/test/usm.h"
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

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SMALL_AREA = TSR__HUGE_OBJECT + 2 * TSR__UNIT_BYTES, LARGE_AREA = TSR__STREAM_BYTES + 4 * TSR__UNIT_BYTES };

static bool thorough; /* `icd_transfer long` */
static unsigned turn; /* what each case does differently from the one before */
static struct test_world world;
static cl_command_queue queues[2]; /* in-order, out-of-order */
static struct guarded small[2], large[2];

static int begin(void **state)
{
    (void)state;
    usm_load();
    world = test_begin(0);
    queues[0] = world.queue;
    queues[1] = test_queue(world.context, world.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < 2; i++) {
        small[i] = guarded_make(SMALL_AREA);
        large[i] = guarded_make(LARGE_AREA);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        guarded_free(&small[i]);
        guarded_free(&large[i]);
    }
    CHECK(clFinish(queues[1]));
    CHECK(clReleaseCommandQueue(queues[1]));
    test_end(&world);
    return 0;
}

/* ---- buffers over guarded memory ---- */

/* What of the memory the buffer is: the region alone, all of it, or the region is a sub-buffer. */
enum cover { EXACT, INNER, SUB, COVERS };

struct view {
    cl_mem mem, parent;
    size_t offset; /* of the region in the buffer */
};

static struct view view_open(const struct guarded *g, size_t at, size_t size, enum cover cover)
{
    struct view v = {0};
    if (cover == INNER) {
        v.mem = test_buffer(world.context, CL_MEM_USE_HOST_PTR, g->size, g->bytes);
        v.offset = at;
    } else if (cover == EXACT) {
        v.mem = test_buffer(world.context, CL_MEM_USE_HOST_PTR, size, g->bytes + at);
    } else {
        enum { ORIGIN = 1024 }; /* a multiple of every CL_DEVICE_MEM_BASE_ADDR_ALIGN */
        cl_buffer_region region = {at >= ORIGIN ? ORIGIN : 0, size};
        v.parent = test_buffer(world.context, CL_MEM_USE_HOST_PTR, region.origin + size, g->bytes + at - region.origin);
        CHECK_CREATE(v.mem, clCreateSubBuffer(v.parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
    }
    return v;
}

static void view_close(const struct view *v)
{
    CHECK(clReleaseMemObject(v->mem));
    if (v->parent)
        CHECK(clReleaseMemObject(v->parent));
}

/* Waits for the command in one of the ways that there are. */
static void wait_for(cl_command_queue queue, cl_event event)
{
    if (event) {
        CHECK(clWaitForEvents(1, &event));
        CHECK(clReleaseEvent(event));
    } else {
        CHECK(clFinish(queue));
    }
}

/* ---- copies of one run of bytes ---- */

enum op { READ, WRITE, COPY, SVM_COPY, USM_COPY, READ_RECT, WRITE_RECT, COPY_RECT, OPS };
static const char *const op_names[] = {"read", "write", "copy", "SVM copy", "USM copy", "read of a box", "write of a box", "copy of a box"};

static void enqueue_copy(enum op op, cl_command_queue queue, cl_bool blocking, const struct view *to, unsigned char *to_host,
                         const struct view *from, unsigned char *from_host, size_t size, cl_event *event)
{
    const size_t to_origin[3] = {to->offset, 0, 0}, from_origin[3] = {from->offset, 0, 0}, zero[3] = {0}, region[3] = {size, 1, 1};
    switch (op) {
    case READ:
        CHECK(clEnqueueReadBuffer(queue, from->mem, blocking, from->offset, size, to_host, 0, NULL, event));
        break;
    case WRITE:
        CHECK(clEnqueueWriteBuffer(queue, to->mem, blocking, to->offset, size, from_host, 0, NULL, event));
        break;
    case COPY:
        CHECK(clEnqueueCopyBuffer(queue, from->mem, to->mem, from->offset, to->offset, size, 0, NULL, event));
        break;
    case SVM_COPY:
        CHECK(clEnqueueSVMMemcpy(queue, blocking, to_host, from_host, size, 0, NULL, event));
        break;
    case USM_COPY:
        CHECK(usm_clEnqueueMemcpyINTEL(queue, blocking, to_host, from_host, size, 0, NULL, event));
        break;
    case READ_RECT:
        CHECK(clEnqueueReadBufferRect(queue, from->mem, blocking, from_origin, zero, region, 0, 0, 0, 0, to_host, 0, NULL, event));
        break;
    case WRITE_RECT:
        CHECK(clEnqueueWriteBufferRect(queue, to->mem, blocking, to_origin, zero, region, 0, 0, 0, 0, from_host, 0, NULL, event));
        break;
    default:
        CHECK(clEnqueueCopyBufferRect(queue, from->mem, to->mem, from_origin, to_origin, region, 0, 0, 0, 0, 0, NULL, event));
        break;
    }
}

static void try_copy(enum op op, struct guarded *to, size_t to_at, struct guarded *from, size_t from_at, size_t size)
{
    unsigned how = turn++;
    cl_command_queue queue = queues[how % 2];
    cl_event event = NULL;
    struct view to_view = view_open(to, to_at, size, how % COVERS), from_view = view_open(from, from_at, size, how / 2 % COVERS);
    guarded_spoil(to, to_at, size);
    enqueue_copy(op, queue, how % 5 < 2, &to_view, to->bytes + to_at, &from_view, from->bytes + from_at, size, how % 4 < 2 ? &event : NULL);
    wait_for(queue, event);
    view_close(&to_view);
    view_close(&from_view);
    memcpy(to->model + to_at, from->model + from_at, size);
    guarded_check(to, to_at, size, false, op_names[op]);
    guarded_check(from, from_at, size, false, op_names[op]);
}

static void check_all(void)
{
    for (int i = 0; i < 2; i++) {
        guarded_check(&small[i], 0, 0, true, "all");
        guarded_check(&large[i], 0, 0, true, "all");
    }
}

/* Calls for sizes just below, at, and behind every threshold that is not above `most`. */
static void for_sizes(size_t most, void (*call)(size_t size))
{
    static const int beside[] = {-1, 0, 1, 8, TSR__STREAM_LINE - 1, TSR__STREAM_LINE + 1};
    for (size_t i = 0; i < COUNT(thresholds); i++)
        for (size_t k = 0; k < COUNT(beside) && thresholds[i] <= most; k++)
            call(thresholds[i] + (size_t)beside[k]);
}

static const size_t shifts[] = {0, 1, 8, 16, 33, TSR__STREAM_LINE - 1};

static void copy_small(size_t size)
{
    for (enum op op = 0; op < OPS; op++)
        for (unsigned k = 0; k < 2; k++) {
            size_t to_shift = shifts[guarded_below(COUNT(shifts))], from_shift = shifts[guarded_below(COUNT(shifts))];
            try_copy(op, &small[k], guarded_place(&small[k], op % 2 == k, to_shift, size), &small[!k],
                     guarded_place(&small[!k], op / 2 % 2 == k, from_shift, size), size);
        }
}

static void test_small(void **state)
{
    (void)state;
    for (size_t size = 1; size <= (thorough ? 300 : 20); size++)
        copy_small(size);
    for_sizes(TSR__HUGE_OBJECT, copy_small);
    check_all();
}

/* The destination begins `shift` bytes behind a line boundary, and the last piece of the copy has `tail` bytes. */
static void copy_large(enum op op, size_t shift, size_t tail)
{
    unsigned k = turn % 2;
    size_t size = TSR__STREAM_BYTES + tail, at = guarded_place(&large[k], true, 0, size);
    at -= (at + TSR__STREAM_LINE - shift) % TSR__STREAM_LINE;
    try_copy(op, &large[k], at, &large[!k], guarded_place(&large[!k], turn % 4 < 2, guarded_below(200), size), size);
}

static void test_large(void **state)
{
    (void)state;
    static const int tails[] = {-1, 0, 1, 8, 15, TSR__STREAM_LINE - 1, TSR__STREAM_LINE, TSR__UNIT_BYTES - 1, TSR__UNIT_BYTES + 8};
    enum op op = 0;
    for (size_t i = 0; i < COUNT(tails); i++)
        for (size_t k = 0; k < COUNT(shifts); k++, op = (op + 1) % OPS)
            copy_large(op, shifts[k], (size_t)tails[i]);
    /* Right before the guard page, with every length of the last piece that leaves it shorter than the way to a line boundary. */
    for (size_t tail = 1; tail < TSR__STREAM_LINE; tail += thorough ? 1 : 9)
        try_copy(READ, &large[0], guarded_place(&large[0], true, 0, TSR__STREAM_BYTES + tail), &large[1], 0, TSR__STREAM_BYTES + tail);
    for (size_t tail = 0; thorough && tail <= TSR__STREAM_LINE; tail++)
        for (size_t shift = 0; shift < TSR__STREAM_LINE; shift++)
            copy_large(READ, shift, tail);
    check_all();
}

/* ---- fills ---- */

enum filler { BUFFER, SVM, USM };

/* `size` is rounded up to a multiple of the pattern. */
static void try_fill(struct guarded *g, enum filler filler, bool at_end, size_t shift, size_t size, size_t pattern_size)
{
    unsigned how = turn++;
    cl_command_queue queue = queues[how % 2];
    cl_event event = NULL, *out = how % 4 < 2 ? &event : NULL;
    unsigned char pattern[TSR__MOST_PATTERN];
    for (size_t i = 0; i < pattern_size; i++)
        pattern[i] = (unsigned char)guarded_below(256);
    size = (size + pattern_size - 1) / pattern_size * pattern_size;
    if (filler != BUFFER) /* its address must be a multiple of the pattern */
        shift = shift / pattern_size * pattern_size;
    size_t at = guarded_place(g, at_end, shift, size);
    guarded_spoil(g, at, size);
    if (filler != BUFFER) {
        clEnqueueMemFillINTEL_fn fill = filler == SVM ? clEnqueueSVMMemFill : usm_clEnqueueMemFillINTEL;
        CHECK(fill(queue, g->bytes + at, pattern, pattern_size, size, 0, NULL, out));
        wait_for(queue, event);
    } else {
        struct view v = view_open(g, at, size, at % pattern_size ? how % 2 ? EXACT : SUB : how % COVERS);
        CHECK(clEnqueueFillBuffer(queue, v.mem, pattern, pattern_size, v.offset, size, 0, NULL, out));
        wait_for(queue, event);
        view_close(&v);
    }
    for (size_t i = 0; i < size; i += pattern_size)
        memcpy(g->model + at + i, pattern, pattern_size);
    guarded_check(g, at, size, false, filler == SVM ? "SVM fill" : filler == USM ? "USM fill" : "fill");
}

static void fill_small(size_t size)
{
    for (size_t pattern = 1; pattern <= TSR__MOST_PATTERN; pattern *= 2)
        for (enum filler filler = BUFFER; filler <= USM; filler++)
            try_fill(&small[turn % 2], filler, turn / 2 % 2, shifts[guarded_below(COUNT(shifts))], size, pattern);
}

static void test_fill(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 4; size++)
        fill_small(size);
    for_sizes(TSR__HUGE_OBJECT, fill_small);
    for (size_t pattern = 1; pattern <= TSR__MOST_PATTERN; pattern *= 2) {
        try_fill(&large[0], turn % 2 ? SVM : USM, turn / 2 % 2, 0, TSR__STREAM_BYTES + pattern, pattern);
        for (size_t k = 0; k < COUNT(shifts); k += 2)
            try_fill(&large[1], BUFFER, k == 0, shifts[k], TSR__STREAM_BYTES + shifts[k], pattern);
        for (size_t shift = 0; thorough && shift < TSR__STREAM_LINE; shift += 5)
            for (size_t tail = 0; tail <= TSR__STREAM_LINE; tail += pattern)
                try_fill(&large[turn % 2], BUFFER, turn % 3 == 0, shift, TSR__STREAM_BYTES + tail, pattern);
    }
    check_all();
}

/* ---- boxes ---- */

struct pitches {
    size_t row, slice;
};

static size_t span(const size_t region[3], struct pitches p)
{
    return (region[2] - 1) * p.slice + (region[1] - 1) * p.row + region[0];
}

/* Boxes that end with their memory; `skip` rows lie between two slices. */
static void try_box(enum op op, struct guarded *to, struct guarded *from, const size_t region[3], size_t to_row, size_t from_row,
                    size_t skip)
{
    struct pitches to_pitch = {to_row, (region[1] + skip) * to_row}, from_pitch = {from_row, region[1] * from_row};
    size_t to_size = span(region, to_pitch), from_size = span(region, from_pitch);
    size_t to_at = guarded_place(to, true, 0, to_size), from_at = guarded_place(from, turn % 2, 0, from_size);
    unsigned how = turn++;
    cl_command_queue queue = queues[how % 2];
    struct view to_view = view_open(to, to_at, to_size, how % 3 ? EXACT : SUB), from_view = view_open(from, from_at, from_size, EXACT);
    const size_t zero[3] = {0};
    guarded_spoil(to, to_at, to_size);
    if (op == READ_RECT)
        CHECK(clEnqueueReadBufferRect(queue, from_view.mem, how % 5 < 2, zero, zero, region, from_pitch.row, from_pitch.slice, to_pitch.row,
                                      to_pitch.slice, to->bytes + to_at, 0, NULL, NULL));
    else if (op == WRITE_RECT)
        CHECK(clEnqueueWriteBufferRect(queue, to_view.mem, how % 5 < 2, zero, zero, region, to_pitch.row, to_pitch.slice, from_pitch.row,
                                       from_pitch.slice, from->bytes + from_at, 0, NULL, NULL));
    else
        CHECK(clEnqueueCopyBufferRect(queue, from_view.mem, to_view.mem, zero, zero, region, from_pitch.row, from_pitch.slice, to_pitch.row,
                                      to_pitch.slice, 0, NULL, NULL));
    CHECK(clFinish(queue));
    view_close(&to_view);
    view_close(&from_view);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(to->model + to_at + z * to_pitch.slice + y * to_pitch.row,
                   from->model + from_at + z * from_pitch.slice + y * from_pitch.row, region[0]);
    guarded_check(to, to_at, to_size, false, op_names[op]);
    guarded_check(from, from_at, from_size, false, op_names[op]);
}

static void box_small(size_t width)
{
    for (size_t rows = 1; rows <= 3; rows++)
        for (size_t slices = 1; slices <= 2; slices++) {
            const size_t region[3] = {width, rows, slices};
            size_t to_row = width + turn % 3 * 31, from_row = width + turn / 3 % 2 * 65;
            try_box(READ_RECT + turn % 3, &small[turn % 2], &small[!(turn % 2)], region, to_row, from_row, turn / 2 % 2);
        }
}

static void test_box(void **state)
{
    (void)state;
    for (size_t width = 1; width <= 4; width++)
        box_small(width);
    for_sizes(TSR__UNIT_BYTES, box_small);
    /* Rows that touch are one copy past the caches; others go row by row. */
    const size_t row = 4097, region[3] = {row, TSR__STREAM_BYTES / row + 1, 1};
    for (enum op op = READ_RECT; op <= COPY_RECT; op++) {
        try_box(op, &large[0], &large[1], region, row, row, 0);
        try_box(op, &large[1], &large[0], region, row + 1, row, 0);
    }
    check_all();
}

/* ---- memory of buffers ---- */

/* A buffer of its own memory, made as a copy of the source; through a second one, at an offset, to the destination. */
static void through_own(size_t size)
{
    bool big = size > TSR__HUGE_OBJECT + 2 * TSR__STREAM_LINE;
    struct guarded *from = big ? &large[0] : &small[0], *to = big ? &large[1] : &small[1];
    size_t from_at = guarded_place(from, turn % 2, 0, size), to_at = guarded_place(to, true, 0, size), shift = shifts[turn % COUNT(shifts)];
    cl_command_queue queue = queues[0];
    cl_mem copied = test_buffer(world.context, CL_MEM_COPY_HOST_PTR, size, from->bytes + from_at);
    cl_mem other = test_buffer(world.context, 0, size + shift, NULL);
    turn++;
    guarded_spoil(to, to_at, size);
    CHECK(clEnqueueCopyBuffer(queue, copied, other, 0, shift, size, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, shift, size, to->bytes + to_at, 0, NULL, NULL));
    memcpy(to->model + to_at, from->model + from_at, size);
    guarded_check(to, to_at, size, false, "copied memory");
    guarded_check(from, from_at, size, false, "copied memory");
    CHECK(clReleaseMemObject(copied));
    CHECK(clReleaseMemObject(other));
}

static void test_own(void **state)
{
    (void)state;
    for_sizes(TSR__STREAM_BYTES, through_own);
    check_all();
}

/* Images as large as the buffers that workers share the copying of, and one smaller. */
static void test_own_images(void **state)
{
    enum { WIDTH = 512, HEIGHT = TSR__HUGE_OBJECT / (4 * WIDTH), LAYERS = 2 };
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    (void)state;
    for (size_t height = HEIGHT / LAYERS - 1; height <= HEIGHT / LAYERS; height++) {
        const cl_image_desc desc = {
            .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = WIDTH, .image_height = height, .image_array_size = LAYERS};
        const size_t zero[3] = {0}, region[3] = {WIDTH, height, LAYERS}, size = 4 * WIDTH * height * LAYERS;
        struct guarded *from = &small[0], *to = &small[1];
        size_t from_at = guarded_place(from, true, 0, size), to_at = guarded_place(to, true, 0, size);
        cl_mem image;
        CHECK_CREATE(image, clCreateImage(world.context, CL_MEM_COPY_HOST_PTR, &format, &desc, from->bytes + from_at, &err), CL_SUCCESS);
        guarded_spoil(to, to_at, size);
        CHECK(clEnqueueReadImage(queues[0], image, CL_TRUE, zero, region, 0, 0, to->bytes + to_at, 0, NULL, NULL));
        memcpy(to->model + to_at, from->model + from_at, size);
        guarded_check(to, to_at, size, false, "copied image");
        CHECK(clReleaseMemObject(image));
    }
    check_all();
}

/* Where no thread may wait. */
static void CL_CALLBACK make_copy(cl_event event, cl_int status, void *made)
{
    cl_int err;
    (void)event, (void)status;
    *(cl_mem *)made = clCreateBuffer(world.context, CL_MEM_COPY_HOST_PTR, TSR__HUGE_OBJECT, small[0].bytes, &err);
}

static void test_own_in_a_callback(void **state)
{
    (void)state;
    cl_mem made = NULL;
    cl_event event;
    CHECK(clEnqueueMarkerWithWaitList(queues[0], 0, NULL, &event));
    CHECK(clSetEventCallback(event, CL_COMPLETE, make_copy, &made));
    CHECK(clFinish(queues[0]));
    CHECK_THAT(made);
    guarded_spoil(&small[1], 0, TSR__HUGE_OBJECT);
    CHECK(clEnqueueReadBuffer(queues[0], made, CL_TRUE, 0, TSR__HUGE_OBJECT, small[1].bytes, 0, NULL, NULL));
    memcpy(small[1].model, small[0].model, TSR__HUGE_OBJECT);
    guarded_check(&small[1], 0, TSR__HUGE_OBJECT, false, "copied memory");
    CHECK(clReleaseMemObject(made));
    CHECK(clReleaseEvent(event));
}

static void map_one(size_t size)
{
    for (enum cover cover = 0; cover < COVERS; cover++) {
        struct guarded *g = &small[turn++ % 2];
        size_t at = guarded_place(g, turn % 3, shifts[turn % COUNT(shifts)], size);
        cl_command_queue queue = queues[turn % 2];
        struct view v = view_open(g, at, size, cover);
        unsigned char *mapped;
        CHECK_CREATE(mapped, clEnqueueMapBuffer(queue, v.mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, v.offset, size, 0, NULL, NULL, &err),
                     CL_SUCCESS);
        CHECK_THAT(mapped == g->bytes + at && !memcmp(mapped, g->model + at, size));
        guarded_spoil(g, at, size);
        CHECK(clEnqueueUnmapMemObject(queue, v.mem, mapped, 0, NULL, NULL));
        CHECK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, g->bytes + at, size, 0, NULL, NULL));
        CHECK(clEnqueueSVMUnmap(queue, g->bytes + at, 0, NULL, NULL));
        CHECK(clFinish(queue));
        view_close(&v);
        guarded_check(g, at, size, false, "map");
    }
}

static void test_map(void **state)
{
    (void)state;
    for_sizes(TSR__UNIT_BYTES, map_one);
    check_all();
}

/* ---- what is refused ---- */

static void overlap_one(size_t size)
{
    struct guarded *g = 2 * size <= small[0].size ? &small[0] : &large[0];
    if (2 * size > g->size)
        return;
    struct view v = view_open(g, 0, g->size, EXACT);
    size_t last = g->size - size;
    CHECK_CODE(clEnqueueCopyBuffer(queues[0], v.mem, v.mem, 0, size - 1, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueCopyBuffer(queues[0], v.mem, v.mem, last, last - size + 1, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueSVMMemcpy(queues[0], CL_TRUE, g->bytes + size - 1, g->bytes, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueSVMMemcpy(queues[0], CL_TRUE, g->bytes, g->bytes + size - 1, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(queues[0], CL_TRUE, g->bytes + size - 1, g->bytes, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(queues[0], CL_TRUE, g->bytes, g->bytes + size - 1, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    /* Regions that touch do not overlap. */
    guarded_spoil(g, 0, size);
    CHECK(clEnqueueCopyBuffer(queues[0], v.mem, v.mem, last, last - size, size, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(queues[0], CL_TRUE, g->bytes + size, g->bytes, size, 0, NULL, NULL));
    memmove(g->model + last - size, g->model + last, size);
    memmove(g->model + size, g->model, size);
    guarded_check(g, 0, size, true, "regions that touch");
    view_close(&v);
}

static void test_overlap(void **state)
{
    (void)state;
    for_sizes(TSR__UNIT_BYTES, overlap_one);
    overlap_one(LARGE_AREA / 2);
}

/* Offsets and sizes whose sum or product passes the largest size_t, or the end of the buffer by a byte. */
static void test_refused(void **state)
{
    (void)state;
    struct guarded *g = &small[0];
    const size_t n = g->size, half = SIZE_MAX / 2 + 1;
    const size_t ranges[][2] = {{n, 1},        {n - 1, 2},         {n + 1, 0},         {0, n + 1},
                                {SIZE_MAX, 1}, {SIZE_MAX - 7, 16}, {16, SIZE_MAX - 7}, {SIZE_MAX, SIZE_MAX},
                                {half, half},  {8, half},          {half, 8}};
    struct view v = view_open(g, 0, n, EXACT), other = view_open(&small[1], 0, small[1].size, EXACT);
    unsigned char *host = large[0].bytes, one = 1;
    cl_command_queue q = queues[0];
    for (size_t i = 0; i < COUNT(ranges); i++) {
        size_t offset = ranges[i][0], size = ranges[i][1];
        void *mapped;
        CHECK_CODE(clEnqueueReadBuffer(q, v.mem, CL_TRUE, offset, size, host, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueWriteBuffer(q, v.mem, CL_TRUE, offset, size, host, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueCopyBuffer(q, v.mem, other.mem, offset, 0, size, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueCopyBuffer(q, other.mem, v.mem, 0, offset, size, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueFillBuffer(q, v.mem, &one, 1, offset, size, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CREATE(mapped, clEnqueueMapBuffer(q, v.mem, CL_TRUE, CL_MAP_READ, offset, size, 0, NULL, NULL, &err), CL_INVALID_VALUE);
        cl_buffer_region region = {offset, size};
        cl_mem sub;
        CHECK_CREATE(sub, clCreateSubBuffer(v.mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_INVALID_VALUE);
    }
    const struct {
        size_t origin[3], region[3];
        struct pitches pitch;
    } boxes[] = {
        {{1, 0, 0}, {n, 1, 1}, {0, 0}},
        {{SIZE_MAX, 0, 0}, {1, 1, 1}, {0, 0}},
        {{SIZE_MAX, 1, 0}, {1, 1, 1}, {0, 0}},
        {{0, 1, 0}, {16, 1, 1}, {SIZE_MAX - 7, 0}},
        {{0, 2, 0}, {16, 1, 1}, {half, 0}},
        {{0, 0, 2}, {16, 1, 1}, {16, half}},
        {{0, 0, 0}, {16, 3, 1}, {half, 0}},
        {{0, 0, 0}, {16, 1, 3}, {16, half}},
        {{0, 0, 0}, {1, half, 3}, {0, 0}},
        {{0, 0, 0}, {1, half, 1}, {2, 0}},
        {{0, 0, 0}, {half, 2, 1}, {0, 0}},
        {{0, 0, 0}, {(size_t)1 << 32, (size_t)1 << 31, 2}, {0, 0}},
        {{0, 0, 0}, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, {0, 0}},
        {{half, half, half}, {16, 1, 1}, {0, 0}},
    };
    const size_t zero[3] = {0};
    for (size_t i = 0; i < COUNT(boxes); i++) {
        const size_t *origin = boxes[i].origin, *region = boxes[i].region, row = boxes[i].pitch.row, slice = boxes[i].pitch.slice;
        CHECK_CODE(clEnqueueReadBufferRect(q, v.mem, CL_TRUE, origin, zero, region, row, slice, 0, 0, host, 0, NULL, NULL),
                   CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueWriteBufferRect(q, v.mem, CL_TRUE, origin, zero, region, row, slice, 0, 0, host, 0, NULL, NULL),
                   CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueCopyBufferRect(q, v.mem, other.mem, origin, zero, region, row, slice, 0, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueCopyBufferRect(q, other.mem, v.mem, zero, origin, region, 0, 0, row, slice, 0, NULL, NULL), CL_INVALID_VALUE);
    }
    view_close(&v);
    view_close(&other);
    check_all();
}

/* ---- kernels ---- */

static cl_kernel kernels[2]; /* elements of 1 and of 4 bytes */

static void launch(size_t bytes)
{
    for (unsigned k = 0; k < 2; k++) {
        size_t step = k ? 4 : 1, items = bytes / step, size = items * step;
        struct guarded *to = &small[turn++ % 2], *from = &small[turn % 2];
        size_t to_at = guarded_place(to, turn % 3, shifts[turn % COUNT(shifts)] / step * step, size);
        size_t from_at = guarded_place(from, turn % 4 < 2, shifts[turn / 2 % COUNT(shifts)] / step * step, size);
        if (!items)
            continue;
        struct view to_view = view_open(to, to_at, size, EXACT), from_view = view_open(from, from_at, size, EXACT);
        CHECK(clSetKernelArg(kernels[k], 0, sizeof(cl_mem), &to_view.mem));
        CHECK(clSetKernelArg(kernels[k], 1, sizeof(cl_mem), &from_view.mem));
        CHECK(clEnqueueNDRangeKernel(queues[0], kernels[k], 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clFinish(queues[0]));
        for (size_t i = 0; i < size; i++)
            to->model[to_at + i] = from->model[from_at + i] ^ 0x55;
        guarded_check(to, to_at, size, false, "kernel");
        guarded_check(from, from_at, size, false, "kernel");
        view_close(&to_view);
        view_close(&from_view);
    }
}

/* What a kernel writes with one statement goes past the caches where TESSERA_STREAM says so: a run of this test has it at 1. */
static void test_kernel_writes(void **state)
{
    (void)state;
    cl_program program = test_build(world.context, world.device,
                                    "kernel void bytes(global uchar *to, global const uchar *from)\n"
                                    "{ size_t i = get_global_id(0); to[i] = from[i] ^ 0x55; }\n"
                                    "kernel void words(global uint *to, global const uint *from)\n"
                                    "{ size_t i = get_global_id(0); to[i] = from[i] ^ 0x55555555; }\n",
                                    NULL);
    kernels[0] = test_kernel(program, "bytes");
    kernels[1] = test_kernel(program, "words");
    for (size_t bytes = 1; bytes < (thorough ? 1000 : 70); bytes++)
        launch(bytes);
    for_sizes(TSR__HUGE_OBJECT, launch);
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseKernel(kernels[i]));
    CHECK(clReleaseProgram(program));
    check_all();
}

int main(int argc, char **argv)
{
    thorough = argc > 1 && !strcmp(argv[1], "long");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_own_images),
        cmocka_unit_test(test_own_in_a_callback),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_kernel_writes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
