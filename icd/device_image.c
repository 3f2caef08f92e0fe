/* SPDX-License-Identifier: Apache-2.0
 * Commands on images, on queues of devices with memory of their own: the counterpart of icd/enqueue_image.c over the device's functions. A
 * device fills no images, so fills are written from the host. */
#include <string.h>

#include "icd/image.h"

enum { STAGE = 256 << 10 /* bytes of pixels that a fill writes at once, if a row is not longer */ };

struct device_image {
    struct tsr_image_part part, from_part; /* the second one: of a copy */
    struct tsr_image_rows rows;            /* in a buffer, the address is made when the command runs */
    bool in_buffer;
    cl_uint image, other; /* indices of the uses: what is read comes first, as it may lie in the object that is written */
    uint32_t pixel_bytes;
    unsigned char pixel[TSR__MOST_PIXEL]; /* of a fill */
};

static struct device_image *payload_of(struct _cl_event *command)
{
    return (struct device_image *)(void *)command->payload;
}

static uint64_t address_of(const struct _cl_event *command, cl_uint use)
{
    return command->uses->list[use].address;
}

static struct tsr_image_rows rows_of(const struct _cl_event *command, const struct device_image *d)
{
    struct tsr_image_rows rows = d->rows;
    if (d->in_buffer)
        rows.address = address_of(command, d->other);
    return rows;
}

/* ---- what runs ---- */

static cl_int read_image(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct device_image *d = payload_of(command);
    const struct _cl_device_id *device = command->queue->device;
    struct tsr_image_rows rows = rows_of(command, d);
    return tsr__code_of_transfer(device->ops->image_read(device->impl, &rows, address_of(command, d->image), &d->part));
}

static cl_int write_image(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct device_image *d = payload_of(command);
    const struct _cl_device_id *device = command->queue->device;
    struct tsr_image_rows rows = rows_of(command, d);
    return tsr__code_of_transfer(device->ops->image_write(device->impl, address_of(command, d->image), &d->part, &rows));
}

static cl_int copy_image(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct device_image *d = payload_of(command);
    const struct _cl_device_id *device = command->queue->device;
    return tsr__code_of_transfer(
        device->ops->image_copy(device->impl, address_of(command, d->image), &d->part, address_of(command, d->other), &d->from_part));
}

/* Writes the region with rows that lie one behind the other in `stage`, as many at once as it has. */
static enum tsr_status fill_rows(struct _cl_event *command, const unsigned char *stage, uint64_t row, uint64_t room)
{
    const struct device_image *d = payload_of(command);
    const struct _cl_device_id *device = command->queue->device;
    const uint64_t *origin = d->part.origin, *region = d->part.region;
    const struct tsr_image_rows rows = {(uint64_t)(uintptr_t)stage, row, row * room};
    enum tsr_status status = TSR_OK;
    for (uint64_t z = 0; z < region[2]; z++)
        for (uint64_t y = 0; y < region[1] && status == TSR_OK; y += room) {
            uint64_t left = region[1] - y;
            const struct tsr_image_part part = {{origin[0], origin[1] + y, origin[2] + z}, {region[0], left < room ? left : room, 1}};
            status = device->ops->image_write(device->impl, address_of(command, d->image), &part, &rows);
        }
    return status;
}

static cl_int fill_image(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct device_image *d = payload_of(command);
    uint64_t row = d->part.region[0] * d->pixel_bytes, room = row < STAGE ? STAGE / row : 1;
    if (room > d->part.region[1])
        room = d->part.region[1];
    unsigned char *stage = tsr_malloc(row * room);
    if (!stage)
        return CL_OUT_OF_HOST_MEMORY;
    for (uint64_t at = 0; at < row * room; at += d->pixel_bytes)
        memcpy(stage + at, d->pixel, d->pixel_bytes);
    enum tsr_status status = fill_rows(command, stage, row, room);
    tsr_free(stage);
    return tsr__code_of_transfer(status);
}

/* ---- commands ---- */

static struct tsr_image_part part_of(const struct tsr__part *part)
{
    struct tsr_image_part copy;
    for (unsigned d = 0; d < 3; d++) {
        copy.origin[d] = part->origin[d];
        copy.region[d] = part->region[d];
    }
    return copy;
}

/* What a command that writes the part does to the image. All of it, without gaps between rows: its old pixels need not be brought. */
static unsigned access_of_write(const struct _cl_mem *image, const struct tsr__part *part)
{
    size_t bytes = part->region[0] * part->region[1] * part->region[2] * image->image->desc.pixel_bytes;
    return bytes == image->size ? TSR__WRITES : TSR__READS | TSR__WRITES;
}

static struct _cl_event *command_new(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *image,
                                     const struct tsr__part *part,
                                     cl_int (*execute)(struct _cl_event *, struct tsr_worker *, uint64_t, uint64_t))
{
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct device_image));
    if (!command)
        return NULL;
    *payload_of(command) = (struct device_image){.part = part_of(part), .pixel_bytes = image->image->desc.pixel_bytes};
    command->execute = execute;
    command->task.units = 1;
    return command;
}

/* Notes where the box is. False: out of memory. */
static bool use_rows(struct _cl_event *command, const struct tsr__box *box, bool writes)
{
    struct device_image *d = payload_of(command);
    d->rows = (struct tsr_image_rows){(uint64_t)(uintptr_t)box->start, box->row_pitch, box->slice_pitch};
    d->in_buffer = box->mem;
    if (!box->mem)
        return true;
    d->other = writes;
    size_t bytes = d->part.region[0] * d->part.region[1] * d->part.region[2] * d->pixel_bytes; /* there are no gaps in a buffer */
    return tsr__command_uses(command, box->mem, (size_t)(box->start - box->mem->data), bytes, writes ? TSR__WRITES : TSR__READS);
}

struct _cl_event *tsr__device_read_image(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *image,
                                         const struct tsr__part *part, const struct tsr__box *to)
{
    struct _cl_event *command = command_new(queue, type, image, part, read_image);
    return command ? tsr__command_if(command, tsr__command_uses(command, image, 0, image->size, TSR__READS) && use_rows(command, to, true))
                   : NULL;
}

struct _cl_event *tsr__device_write_image(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *image,
                                          const struct tsr__part *part, const struct tsr__box *from)
{
    struct _cl_event *command = command_new(queue, type, image, part, write_image);
    if (!command)
        return NULL;
    payload_of(command)->image = from->mem != NULL;
    return tsr__command_if(command, use_rows(command, from, false) &&
                                        tsr__command_uses(command, image, 0, image->size, access_of_write(image, part)));
}

struct _cl_event *tsr__device_fill_image(struct _cl_command_queue *queue, struct _cl_mem *image, const struct tsr__part *part,
                                         const unsigned char pixel[TSR__MOST_PIXEL])
{
    struct _cl_event *command = command_new(queue, CL_COMMAND_FILL_IMAGE, image, part, fill_image);
    if (!command)
        return NULL;
    memcpy(payload_of(command)->pixel, pixel, TSR__MOST_PIXEL);
    return tsr__command_if(command, tsr__command_uses(command, image, 0, image->size, access_of_write(image, part)));
}

struct _cl_event *tsr__device_copy_image(struct _cl_command_queue *queue, struct _cl_mem *to, const struct tsr__part *to_part,
                                         struct _cl_mem *from, const struct tsr__part *from_part)
{
    struct _cl_event *command = command_new(queue, CL_COMMAND_COPY_IMAGE, to, to_part, copy_image);
    if (!command)
        return NULL;
    payload_of(command)->from_part = part_of(from_part);
    payload_of(command)->image = 1;
    return tsr__command_if(
        command, tsr__command_uses(command, from, 0, from->size, TSR__READS) &&
                     tsr__command_uses(command, to, 0, to->size, to == from ? TSR__READS | TSR__WRITES : access_of_write(to, to_part)));
}
