/* SPDX-License-Identifier: Apache-2.0
 * Commands that move bytes, on queues of devices with memory of their own: the counterpart of icd/transfer.c over the device's functions.
 * */
#include <string.h>

#include "icd/mem.h"

/* One end of a transfer: a place in a buffer, or memory of the host. */
struct end {
    bool in_buffer;
    cl_uint use;            /* index of the buffer in the command's uses */
    uintptr_t host, offset; /* address; in a buffer 0: the first byte that the command uses */
    size_t row_pitch, slice_pitch;
};

struct device_transfer {
    struct end to, from;
    size_t width, rows, slices;
    size_t pattern_size;
    unsigned char pattern[TSR__MOST_PATTERN];
};

static struct device_transfer *transfer_of(struct _cl_event *command)
{
    return (struct device_transfer *)(void *)command->payload;
}

static uint64_t address_of(const struct _cl_event *command, const struct end *end)
{
    return end->in_buffer ? command->uses->list[end->use].address : end->host;
}

static enum tsr_status move_row(const struct _cl_device_id *device, const struct device_transfer *t, uint64_t to, uint64_t from)
{
    const struct tsr_device_ops *ops = device->ops;
    if (t->to.in_buffer && t->from.in_buffer)
        return ops->memory_copy(device->impl, to, from, t->width);
    if (t->to.in_buffer)
        return ops->memory_write(device->impl, to, (const void *)(uintptr_t)from, t->width);
    if (t->from.in_buffer)
        return ops->memory_read(device->impl, (void *)(uintptr_t)to, from, t->width);
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, t->width);
    return TSR_OK;
}

static cl_int move(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct device_transfer *t = transfer_of(command);
    uint64_t to = address_of(command, &t->to), from = address_of(command, &t->from);
    enum tsr_status status = TSR_OK;
    for (size_t z = 0; z < t->slices; z++)
        for (size_t y = 0; y < t->rows && status == TSR_OK; y++)
            status = move_row(command->queue->device, t, to + z * t->to.slice_pitch + y * t->to.row_pitch,
                              from + z * t->from.slice_pitch + y * t->from.row_pitch);
    return tsr__code_of_transfer(status);
}

static cl_int fill(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct device_transfer *t = transfer_of(command);
    const struct _cl_device_id *device = command->queue->device;
    return tsr__code_of_transfer(
        device->ops->memory_fill(device->impl, command->uses->list[t->to.use].address, t->width, t->pattern, t->pattern_size));
}

/* Bytes from the first byte of a box to the end of its last. */
static size_t extent(const struct end *end, const struct device_transfer *t)
{
    return (t->slices - 1) * end->slice_pitch + (t->rows - 1) * end->row_pitch + t->width;
}

/* Adds the buffer, if there is one, to the command's uses. */
static bool note(struct _cl_event *command, struct end *end, struct _cl_mem *mem, bool writes, cl_uint *uses)
{
    const struct device_transfer *t = transfer_of(command);
    size_t bytes = extent(end, t);
    /* A box leaves the bytes between its rows as they are. */
    unsigned access = !writes ? TSR__READS : bytes == t->width * t->rows * t->slices ? TSR__WRITES : TSR__READS | TSR__WRITES;
    end->in_buffer = mem;
    end->use = *uses;
    *uses += mem != NULL;
    return !mem || tsr__command_uses(command, mem, end->host - (uintptr_t)mem->data, bytes, access);
}

struct _cl_event *tsr__device_box_command(struct _cl_command_queue *queue, cl_command_type type, struct tsr__box to, struct tsr__box from,
                                          const size_t region[3])
{
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct device_transfer));
    if (!command)
        return NULL;
    struct device_transfer *t = transfer_of(command);
    cl_uint uses = 0;
    t->to = (struct end){.host = (uintptr_t)to.start, .row_pitch = to.row_pitch, .slice_pitch = to.slice_pitch};
    t->from = (struct end){.host = (uintptr_t)from.start, .row_pitch = from.row_pitch, .slice_pitch = from.slice_pitch};
    t->width = region[0];
    t->rows = region[1];
    t->slices = region[2];
    command->execute = move;
    command->task.units = region[0] != 0;
    return tsr__command_if(command,
                           !region[0] || (note(command, &t->from, from.mem, false, &uses) && note(command, &t->to, to.mem, true, &uses)));
}

struct _cl_event *tsr__device_fill_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem, void *to,
                                           size_t size, const void *pattern, size_t pattern_size)
{
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct device_transfer));
    if (!command)
        return NULL;
    struct device_transfer *t = transfer_of(command);
    cl_uint uses = 0;
    t->to = (struct end){.host = (uintptr_t)to};
    t->width = size;
    t->rows = t->slices = 1;
    t->pattern_size = pattern_size;
    memcpy(t->pattern, pattern, pattern_size);
    command->execute = fill;
    command->task.units = size != 0;
    return tsr__command_if(command, !size || note(command, &t->to, mem, true, &uses));
}
