/* SPDX-License-Identifier: Apache-2.0
 * Commands that move bytes: copies, boxes, fills. API rules are checked by the callers. */
#include <emmintrin.h>
#include <string.h>

#include "icd/mem.h"

/* For unit_cost only: bytes that one thread moves in a nanosecond, and the cost of starting a piece. */
enum { BYTES_PER_NS = 8, PIECE_NS = 5 };

_Static_assert(TSR__UNIT_BYTES % TSR__MOST_PATTERN == 0 && TSR__FILL_BLOCK % TSR__MOST_PATTERN == 0,
               "units and blocks begin with a whole pattern");
_Static_assert(!(TSR__FILL_BLOCK & (TSR__FILL_BLOCK - 1)), "a block is filled by doubling");

struct transfer {
    struct _cl_mem *mems[2]; /* held; may be NULL */
    unsigned char *to;
    const unsigned char *from;
    size_t size; /* linear: of the transfer; box: of a row */
    size_t to_row, to_slice, from_row, from_slice, rows;
    size_t pattern_size;
    _Alignas(16) unsigned char pattern[TSR__MOST_PATTERN];
};

static struct transfer *transfer_of(struct _cl_event *command)
{
    return (struct transfer *)command->payload;
}

static void transfer_cleanup(struct _cl_event *command)
{
    struct transfer *t = transfer_of(command);
    for (size_t i = 0; i < TSR_ARRAY_LEN(t->mems); i++)
        if (t->mems[i])
            tsr__drop(t->mems[i]);
}

/* Only fills have a pattern, so other commands leave that part of the payload out. */
static struct _cl_event *transfer_new(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *a, struct _cl_mem *b,
                                      size_t pattern_size)
{
    struct _cl_event *command = tsr__command_new(queue, type, offsetof(struct transfer, pattern) + pattern_size);
    if (!command)
        return NULL;
    struct transfer *t = transfer_of(command);
    t->mems[0] = a;
    t->mems[1] = b;
    for (size_t i = 0; i < TSR_ARRAY_LEN(t->mems); i++)
        if (t->mems[i])
            tsr__hold(t->mems[i]);
    command->cleanup = transfer_cleanup;
    return command;
}

/* Adds the ranges of the buffers to the command's uses, in contexts with devices that have memory of their own. NULL: out of memory, and
 * the command is gone. A box leaves the bytes between its rows as they are. */
static struct _cl_event *with_uses(struct _cl_event *command, size_t to_bytes, size_t from_bytes, bool gaps)
{
    const struct transfer *t = transfer_of(command);
    struct _cl_mem *to = t->mems[0], *from = t->mems[1];
    unsigned written = gaps ? TSR__READS | TSR__WRITES : TSR__WRITES;
    bool noted =
        !command->task.units || ((!from || tsr__command_uses(command, from, (size_t)(t->from - from->data), from_bytes, TSR__READS)) &&
                                 (!to || tsr__command_uses(command, to, (size_t)(t->to - to->data), to_bytes, written)));
    return tsr__command_if(command, noted);
}

/* ---- linear ---- */

static void set_linear_units(struct tsr_task *task, size_t size)
{
    task->units = size / TSR__UNIT_BYTES + (size % TSR__UNIT_BYTES != 0);
    task->unit_cost = (size < TSR__UNIT_BYTES ? size : TSR__UNIT_BYTES) / BYTES_PER_NS + PIECE_NS;
}

static size_t linear_end(const struct transfer *t, uint64_t unit_end)
{
    return unit_end > t->size / TSR__UNIT_BYTES ? t->size : unit_end * TSR__UNIT_BYTES;
}

static void stream_line(unsigned char *to, const unsigned char *from)
{
    const __m128i *source = (const __m128i *)from;
    __m128i *target = (__m128i *)to;
    __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
}

/* memcpy with non-temporal stores; to be followed by _mm_sfence. These write full lines of the destination only: the bytes before the first
 * line boundary and behind the last one are copied with ordinary stores, and so is a copy that ends before the first boundary. */
static void stream_copy(unsigned char *to, const unsigned char *from, size_t size)
{
    enum { LINE = TSR__STREAM_LINE, PAGE = TSR_PAGE, AHEAD = 2 * LINE };
    size_t at = -(uintptr_t)to % LINE;
    if (at > size)
        at = size;
    memcpy(to, from, at);
    for (; size - at >= TSR__STREAM_PAGES; at += TSR__STREAM_PAGES)
        for (size_t i = at; i < at + PAGE; i += LINE)
            for (size_t page = 0; page < TSR__STREAM_PAGES; page += PAGE) {
                _mm_prefetch((const char *)from + i + page + AHEAD, _MM_HINT_T0);
                stream_line(to + i + page, from + i + page);
            }
    for (; size - at >= LINE; at += LINE)
        stream_line(to + at, from + at);
    memcpy(to + at, from + at, size - at);
}

static void copy_units(const struct transfer *t, uint64_t begin, uint64_t end)
{
    size_t at = begin * TSR__UNIT_BYTES, size = linear_end(t, end) - at;
    if (t->to == t->from) /* the host's pointer may be the buffer's own memory */
        return;
    if (t->size >= TSR__STREAM_BYTES)
        stream_copy(t->to + at, t->from + at, size);
    else
        memmove(t->to + at, t->from + at, size);
    _mm_sfence();
}

static cl_int copy_execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker;
    copy_units(transfer_of(command), begin, end);
    return CL_SUCCESS;
}

struct _cl_event *tsr__copy_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *to_mem, void *to,
                                    struct _cl_mem *from_mem, const void *from, size_t size)
{
    if (tsr__moved_by_device(queue))
        return tsr__device_box_command(queue, type, (struct tsr__box){.mem = to_mem, .start = to},
                                       (struct tsr__box){.mem = from_mem, .start = (unsigned char *)from}, (const size_t[3]){size, 1, 1});
    struct _cl_event *command = transfer_new(queue, type, to_mem, from_mem, 0);
    if (!command)
        return NULL;
    struct transfer *t = transfer_of(command);
    t->to = to;
    t->from = from;
    t->size = size;
    command->execute = copy_execute;
    set_linear_units(&command->task, size);
    return queue->context->own_memory ? with_uses(command, size, size, false) : command;
}

static cl_int fill_execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker;
    const struct transfer *t = transfer_of(command);
    size_t at = begin * TSR__UNIT_BYTES, size = linear_end(t, end) - at;
    unsigned char *to = t->to + at;
    if (t->pattern_size == 1) {
        memset(to, t->pattern[0], size);
        return CL_SUCCESS;
    }
    /* Each unit begins with a full pattern. A block of patterns stays in the cache and is copied again and again. It is filled by doubling:
     * sizes of patterns are powers of two, as its own is. */
    unsigned char block[TSR__FILL_BLOCK];
    memcpy(block, t->pattern, t->pattern_size);
    for (size_t filled = t->pattern_size; filled < sizeof block && filled < size; filled *= 2)
        memcpy(block + filled, block, filled);
    for (size_t done = 0; done < size; done += sizeof block) {
        size_t piece = size - done < sizeof block ? size - done : sizeof block;
        if (t->size >= TSR__STREAM_BYTES)
            stream_copy(to + done, block, piece);
        else
            memcpy(to + done, block, piece);
    }
    _mm_sfence();
    return CL_SUCCESS;
}

struct _cl_event *tsr__fill_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem, void *to, size_t size,
                                    const void *pattern, size_t pattern_size)
{
    if (tsr__moved_by_device(queue))
        return tsr__device_fill_command(queue, type, mem, to, size, pattern, pattern_size);
    struct _cl_event *command = transfer_new(queue, type, mem, NULL, pattern_size);
    if (!command)
        return NULL;
    struct transfer *t = transfer_of(command);
    t->to = to;
    t->size = size;
    t->pattern_size = pattern_size;
    memcpy(t->pattern, pattern, pattern_size);
    command->execute = fill_execute;
    set_linear_units(&command->task, size);
    return queue->context->own_memory ? with_uses(command, size, 0, false) : command;
}

/* ---- boxes ---- */

static cl_int box_execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker;
    const struct transfer *t = transfer_of(command);
    for (uint64_t unit = begin; unit < end; unit++) {
        size_t z = unit / t->rows, y = unit % t->rows;
        unsigned char *to = t->to + z * t->to_slice + y * t->to_row;
        const unsigned char *from = t->from + z * t->from_slice + y * t->from_row;
        if (to != from)
            memmove(to, from, t->size);
    }
    return CL_SUCCESS;
}

/* Rows without gaps between them become one longer row, and slices likewise. `shape`: width in bytes, rows, slices. True: one row is left.
 */
static bool join(const struct tsr__box *to, const struct tsr__box *from, size_t shape[3])
{
    if (shape[1] > 1 && (to->row_pitch != shape[0] || from->row_pitch != shape[0]))
        return false;
    shape[0] *= shape[1];
    shape[1] = 1;
    if (shape[2] > 1 && (to->slice_pitch != shape[0] || from->slice_pitch != shape[0]))
        return false;
    shape[0] *= shape[2];
    shape[2] = 1;
    return true;
}

static size_t box_bytes(const struct tsr__box *box, const size_t shape[3])
{
    return (shape[2] - 1) * box->slice_pitch + (shape[1] - 1) * box->row_pitch + shape[0];
}

/* The rest of a new command over boxes, whose units are rows. A fill, which has one box, gives it twice. As with_uses. */
static struct _cl_event *set_box(struct _cl_event *command, cl_int (*execute)(struct _cl_event *, struct tsr_worker *, uint64_t, uint64_t),
                                 const struct tsr__box *to, const struct tsr__box *from, const size_t shape[3])
{
    struct transfer *t = transfer_of(command);
    t->to = to->start;
    t->to_row = to->row_pitch;
    t->to_slice = to->slice_pitch;
    t->from = from->start;
    t->from_row = from->row_pitch;
    t->from_slice = from->slice_pitch;
    t->size = shape[0];
    t->rows = shape[1];
    command->execute = execute;
    command->task.units = (uint64_t)shape[1] * shape[2];
    command->task.unit_cost = shape[0] / BYTES_PER_NS + PIECE_NS;
    return command->context->own_memory ? with_uses(command, box_bytes(to, shape), box_bytes(from, shape), true) : command;
}

struct _cl_event *tsr__box_command(struct _cl_command_queue *queue, cl_command_type type, struct tsr__box to, struct tsr__box from,
                                   const size_t region[3])
{
    if (tsr__moved_by_device(queue))
        return tsr__device_box_command(queue, type, to, from, region);
    size_t shape[3] = {region[0], region[1], region[2]};
    if (join(&to, &from, shape))
        return tsr__copy_command(queue, type, to.mem, to.start, from.mem, from.start, shape[0]);
    struct _cl_event *command = transfer_new(queue, type, to.mem, from.mem, 0);
    return command ? set_box(command, box_execute, &to, &from, shape) : NULL;
}

/* The row begins with whole patterns and is filled by doubling. */
static cl_int fill_box_execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker;
    const struct transfer *t = transfer_of(command);
    for (uint64_t unit = begin; unit < end; unit++) {
        unsigned char *to = t->to + unit / t->rows * t->to_slice + unit % t->rows * t->to_row;
        memcpy(to, t->pattern, t->pattern_size);
        for (size_t done = t->pattern_size; done < t->size;) {
            size_t piece = done < TSR__FILL_BLOCK ? done : TSR__FILL_BLOCK;
            if (piece > t->size - done)
                piece = t->size - done;
            memcpy(to + done, to, piece);
            done += piece;
        }
    }
    return CL_SUCCESS;
}

struct _cl_event *tsr__fill_box_command(struct _cl_command_queue *queue, cl_command_type type, struct tsr__box to, const size_t region[3],
                                        const void *pattern, size_t pattern_size)
{
    size_t shape[3] = {region[0], region[1], region[2]};
    if (join(&to, &to, shape))
        return tsr__fill_command(queue, type, to.mem, to.start, shape[0], pattern, pattern_size);
    struct _cl_event *command = transfer_new(queue, type, to.mem, NULL, pattern_size);
    if (!command)
        return NULL;
    struct transfer *t = transfer_of(command);
    t->pattern_size = pattern_size;
    memcpy(t->pattern, pattern, pattern_size);
    return set_box(command, fill_box_execute, &to, &to, shape);
}

/* ---- what a new object begins with ---- */

struct contents {
    struct tsr_task task;
    struct transfer transfer;
};

static int contents_run(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker;
    copy_units(&TSR_CONTAINER_OF(task, struct contents, task)->transfer, begin, end);
    return 0;
}

void tsr__take_contents(struct _cl_context *context, void *to, const void *from, size_t size)
{
    const struct _cl_device_id *device = context->devices[0];
    bool shared = size >= TSR__HUGE_OBJECT && !context->own_memory && !tsr_in_callback();
    struct tsr_pool *pool = shared ? device->ops->pool(device->impl) : NULL;
    if (!pool) {
        memcpy(to, from, size);
        return;
    }
    struct contents contents = {.task.run = contents_run, .task.label = "contents", .transfer = {.to = to, .from = from, .size = size}};
    set_linear_units(&contents.task, size);
    tsr_task_init(&contents.task, pool);
    tsr_task_submit(&contents.task);
    tsr_task_wait(&contents.task, NULL);
}

/* ---- nothing ---- */

struct _cl_event *tsr__empty_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem)
{
    struct _cl_event *command = transfer_new(queue, type, mem, NULL, 0);
    if (command)
        command->task.units = 0;
    return command;
}

cl_int tsr__submit_or_report(const char *function, struct _cl_command_queue *queue, struct _cl_event *command, cl_uint wait_count,
                             const cl_event *wait_list, cl_event *event, bool blocking)
{
    if (!command)
        return tsr__error(queue->context, CL_OUT_OF_HOST_MEMORY, function, "command", "no memory for a command");
    /* A command that is enqueued runs even if nobody can wait for it, and would use the host's memory after the call. */
    if (blocking && tsr_in_callback()) {
        command->result = CL_INVALID_OPERATION; /* for its cleanup */
        tsr__command_abandon(command);
        return tsr__blocking_in_callback(queue->context, function);
    }
    return tsr__command_submit(command, wait_count, wait_list, event, blocking);
}
