/* SPDX-License-Identifier: Apache-2.0
 * The API's fuzzer: images, and the commands on them. */
#include "fuzz/api.h"

enum { SIDE = 16, PIXEL = 16, LEVELS = 4, ROW = SIDE * PIXEL, SLICES = SIDE * ROW, AREA = SIDE * SLICES };

static unsigned char host[AREA]; /* where transfers go: SIDE pixels of the largest format in each direction */
static unsigned char *host_pointers[32];
static unsigned host_pointer_count;

/* ---- images ---- */

/* Mostly small enough for a region of transfers. */
static size_t any_side(void)
{
    return fuzz_odds(16) ? fuzz_any_size() : 1 + fuzz_below(&fuzz_in, SIDE);
}

static cl_image_format any_format(void)
{
    static const cl_image_format common[] = {{CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_FLOAT},          {CL_R, CL_UNSIGNED_INT16},
                                             {CL_DEPTH, CL_FLOAT},     {CL_RGB, CL_UNORM_SHORT_565}, {CL_sRGBA, CL_UNORM_INT8}};
    if (fuzz_odds(2))
        return common[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(common))];
    return (cl_image_format){0x10B0 + fuzz_below(&fuzz_in, 20), 0x10D0 + fuzz_below(&fuzz_in, 17)};
}

/* Memory for CL_MEM_USE_HOST_PTR is never shared and freed with all else. It has room for AREA bytes, so other sizes have none. */
static void *host_pointer(cl_mem_flags flags, const cl_image_desc *desc)
{
    size_t depth = desc->image_depth > desc->image_array_size ? desc->image_depth : desc->image_array_size;
    if (!(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) || fuzz_odds(16))
        return fuzz_odds(32) ? host : NULL;
    if (desc->image_width > SIDE || desc->image_height > SIDE || depth > SIDE || desc->image_row_pitch > ROW ||
        desc->image_slice_pitch > SLICES || host_pointer_count == TSR_ARRAY_LEN(host_pointers))
        return NULL;
    return host_pointers[host_pointer_count++] = calloc(1, AREA);
}

void fuzz_call_image(void)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,       CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                               CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER};
    cl_image_format format = any_format();
    cl_image_desc desc = {.image_type =
                              fuzz_odds(16) ? 0x10F0 + fuzz_below(&fuzz_in, 8) : types[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(types))],
                          .image_width = any_side(),
                          .image_height = any_side(),
                          .image_depth = any_side(),
                          .image_array_size = any_side(),
                          .image_row_pitch = fuzz_odds(4) ? fuzz_any_size() : 0,
                          .image_slice_pitch = fuzz_odds(8) ? fuzz_any_size() : 0,
                          .num_mip_levels = fuzz_odds(4) ? fuzz_below(&fuzz_in, 7) : 0,
                          .num_samples = fuzz_odds(32) ? fuzz_byte(&fuzz_in) : 0,
                          .mem_object = fuzz_odds(3) ? fuzz_pick(MEM) : NULL};
    const cl_mem_properties list[] = {fuzz_odds(4) ? fuzz_any_size() : 0, fuzz_any_size(), 0};
    cl_mem_flags flags = fuzz_odds(8) ? fuzz_any_flags() : fuzz_below(&fuzz_in, 8) | (cl_mem_flags)(fuzz_below(&fuzz_in, 8) << 3);
    cl_context context = fuzz_pick(CONTEXT);
    cl_int err = 1;
    cl_mem mem;
    void *memory = desc.mem_object ? NULL : host_pointer(flags, &desc);
    if (memory == host) /* nobody keeps it */
        flags &= ~(cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    switch (fuzz_below(&fuzz_in, 8)) {
    case 0:
        mem = clCreateImage2D(context, flags, &format, desc.image_width, desc.image_height, desc.image_row_pitch, memory, &err);
        break;
    case 1:
        mem = clCreateImage3D(context, flags, &format, desc.image_width, desc.image_height, desc.image_depth, desc.image_row_pitch,
                              desc.image_slice_pitch, memory, &err);
        break;
    case 2:
        mem = clCreatePipe(context, flags & 7, fuzz_byte(&fuzz_in), fuzz_byte(&fuzz_in), NULL, &err);
        break;
    case 3:
        mem = clCreateImageWithProperties(context, fuzz_odds(2) ? NULL : list, flags, &format, &desc, memory, &err);
        break;
    default:
        mem = clCreateImage(context, flags, fuzz_odds(32) ? NULL : &format, fuzz_odds(32) ? NULL : &desc, memory, &err);
        break;
    }
    fuzz_keep_mem(mem, err);
}

/* ---- commands ---- */

/* A box whose numbers are mostly within an image; `level`: the number behind the others may be one of mipmaps. */
struct box {
    size_t origin[4], region[3];
};

static struct box any_box(void)
{
    struct box box = {.origin = {0}};
    for (int i = 0; i < 4; i++)
        box.origin[i] = fuzz_odds(32) ? fuzz_any_size() : fuzz_odds(2) ? fuzz_below(&fuzz_in, LEVELS) : 0;
    for (int i = 0; i < 3; i++)
        box.region[i] = fuzz_odds(32) ? fuzz_any_size() : 1 + (fuzz_odds(2) ? fuzz_below(&fuzz_in, SIDE) : 0);
    return box;
}

static bool fits_host(const struct box *box)
{
    return box->region[0] <= SIDE && box->region[1] <= SIDE && box->region[2] <= SIDE;
}

void fuzz_call_image_transfer(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_mem a = fuzz_pick(MEM), b = fuzz_pick(MEM);
    struct box box = any_box(), other = any_box();
    size_t row = fuzz_odds(2) ? 0 : fuzz_below(&fuzz_in, ROW + 1), slice = fuzz_odds(2) ? 0 : fuzz_below(&fuzz_in, SLICES + 1);
    bool blocking = fuzz_odds(4);
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    if (blocking)
        fuzz_settle();
    unsigned char *at = fuzz_odds(32) ? NULL : host;
    cl_int err;
    switch (fuzz_below(&fuzz_in, 6)) {
    case 0:
        if (!fits_host(&box))
            return;
        err = clEnqueueReadImage(queue, a, blocking, box.origin, box.region, row, slice, at, w.count, w.list, w.event);
        break;
    case 1:
        if (!fits_host(&box))
            return;
        err = clEnqueueWriteImage(queue, a, blocking, box.origin, box.region, row, slice, at, w.count, w.list, w.event);
        break;
    case 2:
        err = clEnqueueCopyImage(queue, a, b, box.origin, other.origin, box.region, w.count, w.list, w.event);
        break;
    case 3:
        err = clEnqueueCopyImageToBuffer(queue, a, b, box.origin, box.region, other.origin[0], w.count, w.list, w.event);
        break;
    case 4:
        err = clEnqueueCopyBufferToImage(queue, a, b, other.origin[0], box.origin, box.region, w.count, w.list, w.event);
        break;
    default:
        err = clEnqueueFillImage(queue, a, fuzz_odds(32) ? NULL : fuzz_pattern, box.origin, box.region, w.count, w.list, w.event);
        break;
    }
    fuzz_keep_event(w.out, err);
}

static void *map_image(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t *size, struct fuzz_wait *w,
                       cl_int *err)
{
    struct box box = any_box();
    size_t row = 0, slice = 0;
    *size = box.region[0]; /* a pixel has one byte at least */
    return clEnqueueMapImage(queue, mem, blocking, flags, box.origin, box.region, fuzz_odds(16) ? NULL : &row, fuzz_odds(4) ? NULL : &slice,
                             w->count, w->list, w->event, err);
}

void fuzz_call_image_map(void)
{
    fuzz_map_with(map_image);
}

void fuzz_images_end(void)
{
    while (host_pointer_count)
        free(host_pointers[--host_pointer_count]);
}
