/* SPDX-License-Identifier: Apache-2.0
 * Reads, writes, copies, fills and maps of images of every type, compared with a model of the pixels, byte for byte; the host's memory lies
 * between guard pages. */
#include <math.h>

#include "icd/test/image.h"

static const cl_image_format formats[] = {
    {CL_R, CL_UNORM_INT8}, {CL_RG, CL_UNORM_INT8}, {CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_HALF_FLOAT}, {CL_RGBA, CL_UNSIGNED_INT32}};

static void skip_without(struct test_world *w, const char *extension)
{
    if (test_has_extension(w->device, extension))
        return;
    test_end(w);
    skip();
}

struct part {
    size_t origin[3], region[3];
};

/* All of the image, its last pixel, or anything. */
static struct part any_part(const struct picture *p, unsigned round)
{
    struct part part;
    for (int i = 0; i < 3; i++) {
        part.region[i] = round == 0 ? p->extent[i] : round == 1 ? 1 : 1 + guarded_below(p->extent[i]);
        part.origin[i] = round == 1 ? p->extent[i] - 1 : guarded_below(p->extent[i] - part.region[i] + 1);
    }
    return part;
}

/* How a part lies in the host's memory. */
struct layout {
    size_t row_pitch, slice_pitch; /* as given to the command: 0 stands for the next two */
    size_t row, slice, bytes;
};

static struct layout any_layout(const struct picture *p, const struct part *part, unsigned round)
{
    bool array1d = p->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = array1d || p->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || p->type == CL_MEM_OBJECT_IMAGE3D;
    struct layout l = {.row = part->region[0] * p->pixel};
    if (round % 3)
        l.row = l.row_pitch = l.row + guarded_below(3) * p->pixel;
    l.slice = array1d ? l.row : l.row * part->region[1];
    if (slices && round % 3 == 2)
        l.slice = l.slice_pitch = l.slice + guarded_below(4) * l.row;
    size_t rows = array1d ? 1 : part->region[1], count = array1d ? part->region[1] : part->region[2];
    l.bytes = (count - 1) * l.slice + (rows - 1) * l.row + part->region[0] * p->pixel;
    if (array1d)
        l.row = l.slice;
    return l;
}

/* Copies rows between the part in the model and memory with these pitches. */
static void move(const struct picture *p, const struct part *part, unsigned char *memory, size_t row, size_t slice, bool to_model)
{
    for (size_t z = 0; z < part->region[2]; z++)
        for (size_t y = 0; y < part->region[1]; y++) {
            unsigned char *in_model = picture_at(p, part->origin[0], part->origin[1] + y, part->origin[2] + z);
            unsigned char *there = memory + z * slice + y * row;
            memcpy(to_model ? in_model : there, to_model ? there : in_model, part->region[0] * p->pixel);
        }
}

static void for_each_picture(void (*body)(const struct test_world *w, struct picture *p, unsigned round))
{
    struct test_world w = test_begin(0);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t t = 0; t < IMAGE_TYPES; t++) {
            struct picture p = picture_make(w.context, image_types[t], formats[f], 1 + guarded_below(70), 1 + guarded_below(9), 5);
            for (unsigned round = 0; round < 8; round++)
                body(&w, &p, round);
            picture_check(w.queue, &p, "at the end");
            picture_free(&p);
        }
    test_end(&w);
}

static void read_one(const struct test_world *w, struct picture *p, unsigned round)
{
    struct part part = any_part(p, round);
    struct layout l = any_layout(p, &part, round);
    struct guarded host = guarded_make(l.bytes);
    size_t at = guarded_place(&host, round & 1, 0, l.bytes);
    move(p, &part, host.model + at, l.row, l.slice, false);
    CHECK(clEnqueueReadImage(w->queue, p->mem, CL_TRUE, part.origin, part.region, l.row_pitch, l.slice_pitch, host.bytes + at, 0, NULL,
                             NULL));
    guarded_check(&host, at, l.bytes, true, "read");
    guarded_free(&host);
}

static void write_one(const struct test_world *w, struct picture *p, unsigned round)
{
    struct part part = any_part(p, round);
    struct layout l = any_layout(p, &part, round);
    struct guarded host = guarded_make(l.bytes);
    size_t at = guarded_place(&host, round & 1, 0, l.bytes);
    CHECK(clEnqueueWriteImage(w->queue, p->mem, CL_TRUE, part.origin, part.region, l.row_pitch, l.slice_pitch, host.bytes + at, 0, NULL,
                              NULL));
    move(p, &part, host.bytes + at, l.row, l.slice, true);
    picture_check(w->queue, p, "written");
    guarded_check(&host, at, l.bytes, true, "write");
    guarded_free(&host);
}

static void buffer_one(const struct test_world *w, struct picture *p, unsigned round)
{
    struct part part = any_part(p, round);
    size_t row = part.region[0] * p->pixel, slice = row * part.region[1], bytes = slice * part.region[2], offset = guarded_below(40);
    struct guarded host = guarded_make(offset + bytes);
    size_t at = guarded_place(&host, true, 0, offset + bytes);
    cl_mem buffer = test_buffer(w->context, CL_MEM_USE_HOST_PTR, offset + bytes, host.bytes + at);
    move(p, &part, host.model + at + offset, row, slice, false);
    CHECK(clEnqueueCopyImageToBuffer(w->queue, p->mem, buffer, part.origin, part.region, offset, 0, NULL, NULL));
    image_see_buffer(w->queue, buffer, offset + bytes);
    guarded_check(&host, at, offset + bytes, true, "image to buffer");
    CHECK_CODE(clEnqueueCopyImageToBuffer(w->queue, p->mem, buffer, part.origin, part.region, offset + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueCopyBufferToImage(w->queue, buffer, p->mem, offset + 1, part.origin, part.region, 0, NULL, NULL), CL_INVALID_VALUE);
    part = any_part(p, 2);
    for (int i = 0; i < 3; i++) /* as large as what the buffer has, at another place */
        part.region[i] = 1 + guarded_below(part.region[i]);
    if (part.region[0] * p->pixel * part.region[1] * part.region[2] <= bytes) {
        row = part.region[0] * p->pixel;
        CHECK(clEnqueueCopyBufferToImage(w->queue, buffer, p->mem, offset, part.origin, part.region, 0, NULL, NULL));
        move(p, &part, host.bytes + at + offset, row, row * part.region[1], true);
        picture_check(w->queue, p, "buffer to image");
    }
    CHECK(clReleaseMemObject(buffer));
    guarded_free(&host);
}

static void map_one(const struct test_world *w, struct picture *p, unsigned round)
{
    struct part part = any_part(p, round);
    size_t row = 1, slice = 1, image_row, image_slice;
    cl_int err;
    cl_map_flags flags = round % 3 == 0 ? CL_MAP_READ | CL_MAP_WRITE : round % 3 == 1 ? CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
    unsigned char *pointer =
        clEnqueueMapImage(w->queue, p->mem, CL_TRUE, flags, part.origin, part.region, &row, &slice, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK(clGetImageInfo(p->mem, CL_IMAGE_ROW_PITCH, sizeof image_row, &image_row, NULL));
    CHECK(clGetImageInfo(p->mem, CL_IMAGE_SLICE_PITCH, sizeof image_slice, &image_slice, NULL));
    CHECK_THAT(row == image_row && slice == image_slice);
    size_t step = p->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
    for (size_t z = 0; z < part.region[2]; z++)
        for (size_t y = 0; y < part.region[1]; y++) {
            unsigned char *there = pointer + z * slice + y * step;
            if (flags & CL_MAP_READ)
                CHECK_THAT(
                    !memcmp(there, picture_at(p, part.origin[0], part.origin[1] + y, part.origin[2] + z), part.region[0] * p->pixel));
            for (size_t i = 0; i < part.region[0] * p->pixel; i++)
                there[i] = (unsigned char)guarded_below(256);
        }
    move(p, &part, pointer, step, slice, true);
    CHECK(clEnqueueUnmapMemObject(w->queue, p->mem, pointer, 0, NULL, NULL));
    picture_check(w->queue, p, "mapped");
}

static void reads(void **state)
{
    (void)state;
    for_each_picture(read_one);
}

static void writes(void **state)
{
    (void)state;
    for_each_picture(write_one);
}

static void to_and_from_buffers(void **state)
{
    (void)state;
    for_each_picture(buffer_one);
}

static void maps(void **state)
{
    (void)state;
    for_each_picture(map_one);
}

/* Every type to every type. */
static void copies(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    for (size_t a = 0; a < IMAGE_TYPES; a++)
        for (size_t b = 0; b < IMAGE_TYPES; b++) {
            cl_image_format format = formats[(a + b) % 5];
            struct picture from = picture_make(w.context, image_types[a], format, 30, 7, 4);
            struct picture to = picture_make(w.context, image_types[b], format, 23, 9, 3);
            for (unsigned round = 0; round < 4; round++) {
                struct part source, target;
                for (int i = 0; i < 3; i++) {
                    size_t most = from.extent[i] < to.extent[i] ? from.extent[i] : to.extent[i];
                    source.region[i] = target.region[i] = round ? 1 + guarded_below(most) : most;
                    source.origin[i] = guarded_below(from.extent[i] - source.region[i] + 1);
                    target.origin[i] = guarded_below(to.extent[i] - target.region[i] + 1);
                }
                CHECK(clEnqueueCopyImage(w.queue, from.mem, to.mem, source.origin, target.origin, source.region, 0, NULL, NULL));
                for (size_t z = 0; z < source.region[2]; z++)
                    for (size_t y = 0; y < source.region[1]; y++)
                        memcpy(picture_at(&to, target.origin[0], target.origin[1] + y, target.origin[2] + z),
                               picture_at(&from, source.origin[0], source.origin[1] + y, source.origin[2] + z),
                               source.region[0] * from.pixel);
                picture_check(w.queue, &to, "copied");
            }
            picture_check(w.queue, &from, "copied from");
            picture_free(&from);
            picture_free(&to);
        }
    test_end(&w);
}

/* Parts of an image from `a` and from `b` on: whether a copy and two mappings for writing are refused. */
static void check_parts(const struct test_world *w, const struct picture *p, const size_t a[3], const size_t b[3], const size_t region[3],
                        bool overlap)
{
    size_t row, slice;
    void *first, *second;
    CHECK_CODE(clEnqueueCopyImage(w->queue, p->mem, p->mem, a, b, region, 0, NULL, NULL), overlap ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    CHECK_CREATE(first, clEnqueueMapImage(w->queue, p->mem, CL_TRUE, CL_MAP_WRITE, a, region, &row, &slice, 0, NULL, NULL, &err),
                 CL_SUCCESS);
    CHECK_CREATE(second, clEnqueueMapImage(w->queue, p->mem, CL_TRUE, CL_MAP_WRITE, b, region, &row, &slice, 0, NULL, NULL, &err),
                 overlap ? CL_INVALID_OPERATION : CL_SUCCESS);
    CHECK(clEnqueueUnmapMemObject(w->queue, p->mem, first, 0, NULL, NULL));
    if (second)
        CHECK(clEnqueueUnmapMemObject(w->queue, p->mem, second, 0, NULL, NULL));
}

/* Parts of one image that touch each other do not overlap, parts with one pixel in common do, whichever comes first. */
static void parts_that_overlap(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    for (size_t t = 0; t < IMAGE_TYPES; t++) {
        struct picture p = picture_make(w.context, image_types[t], rgba8, 16, 8, 4);
        size_t zero[3] = {0}, region[3] = {4, 3, 2}, within[3];
        for (int i = 0; i < 3; i++) {
            if (p.extent[i] == 1)
                region[i] = 1;
            within[i] = region[i] - 1;
        }
        for (int i = 0; i < 3; i++) {
            size_t beside[3] = {0};
            beside[i] = region[i];
            if (p.extent[i] > 1) {
                check_parts(&w, &p, zero, beside, region, false);
                check_parts(&w, &p, beside, zero, region, false);
            }
        }
        check_parts(&w, &p, zero, within, region, true);
        check_parts(&w, &p, within, zero, region, true);
        picture_free(&p);
    }
    test_end(&w);
}

static void copies_of_other_formats(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    struct picture other = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_BGRA, CL_UNORM_INT8}, 16, 8, 1);
    struct picture p = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, rgba8, 16, 8, 1);
    const size_t zero[3] = {0}, one[3] = {1, 1, 1};
    CHECK_CODE(clEnqueueCopyImage(w.queue, p.mem, other.mem, zero, zero, one, 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
    picture_free(&other);
    picture_free(&p);
    test_end(&w);
}

/* Regions that are mapped for writing may not have a pixel in common; columns of the same rows have none. */
static void maps_that_overlap(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    struct picture p = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, rgba8, 16, 8, 1);
    const size_t left[3] = {0}, right[3] = {8, 0, 0}, across[3] = {7, 2, 0}, region[3] = {8, 8, 1}, one[3] = {2, 1, 1};
    size_t row;
    cl_int err;
    void *a = clEnqueueMapImage(w.queue, p.mem, CL_TRUE, CL_MAP_WRITE, left, region, &row, NULL, 0, NULL, NULL, &err);
    CHECK(err);
    void *b = clEnqueueMapImage(w.queue, p.mem, CL_TRUE, CL_MAP_WRITE, right, region, &row, NULL, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK_THAT((unsigned char *)b == (unsigned char *)a + 8 * p.pixel);
    void *c = clEnqueueMapImage(w.queue, p.mem, CL_TRUE, CL_MAP_WRITE, across, one, &row, NULL, 0, NULL, NULL, &err);
    CHECK_THAT(!c && err == CL_INVALID_OPERATION);
    c = clEnqueueMapImage(w.queue, p.mem, CL_TRUE, CL_MAP_READ, across, one, &row, NULL, 0, NULL, NULL, &err);
    CHECK(err);
    cl_uint count;
    CHECK(clGetMemObjectInfo(p.mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK_THAT(count == 3);
    CHECK(clEnqueueUnmapMemObject(w.queue, p.mem, a, 0, NULL, NULL));
    CHECK(clEnqueueUnmapMemObject(w.queue, p.mem, b, 0, NULL, NULL));
    CHECK(clEnqueueUnmapMemObject(w.queue, p.mem, c, 0, NULL, NULL));
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, p.mem, c, 0, NULL, NULL), CL_INVALID_VALUE);
    picture_check(w.queue, &p, "mapped and not written");
    picture_free(&p);
    test_end(&w);
}

/* ---- fills ---- */

struct fill {
    cl_image_format format;
    union {
        float f[4];
        cl_int i[4];
        cl_uint u[4];
    } color;
    unsigned char pixel[16];
};

/* Pixels by hand: rounding to nearest even, both ends of each range, order of the channels. */
static const struct fill fills[] = {
    {{CL_RGBA, CL_UNORM_INT8}, {.f = {0, 1, 0.5f, 2}}, {0, 255, 128, 255}},
    {{CL_RGBA, CL_UNORM_INT8}, {.f = {-1, 1.5f / 255, 2.5f / 255, NAN}}, {0, 2, 2, 0}},
    {{CL_BGRA, CL_UNORM_INT8}, {.f = {1, 0, 0.2f, 0}}, {51, 0, 255, 0}},
    {{CL_ARGB, CL_UNORM_INT8}, {.f = {1, 0, 0.2f, 0.4f}}, {102, 255, 0, 51}},
    {{CL_ABGR, CL_UNORM_INT8}, {.f = {1, 0, 0.2f, 0.4f}}, {102, 51, 0, 255}},
    {{CL_A, CL_UNORM_INT8}, {.f = {0, 0, 0, 1}}, {255}},
    {{CL_RA, CL_UNORM_INT8}, {.f = {1, 0, 0, 0.2f}}, {255, 51}},
    {{CL_LUMINANCE, CL_UNORM_INT8}, {.f = {0.2f, 1, 1, 1}}, {51}},
    {{CL_R, CL_SNORM_INT8}, {.f = {-1}}, {0x81}},
    {{CL_R, CL_SNORM_INT8}, {.f = {-2}}, {0x80}},
    {{CL_RG, CL_SNORM_INT16}, {.f = {1, -0.5f}}, {0xff, 0x7f, 0x00, 0xc0}}, /* -16383.5 is a tie: to the even -16384 */
    {{CL_R, CL_UNORM_INT16}, {.f = {1}}, {0xff, 0xff}},
    {{CL_R, CL_HALF_FLOAT}, {.f = {1.5f}}, {0x00, 0x3e}},
    {{CL_R, CL_HALF_FLOAT}, {.f = {1 + 0x1p-11f}}, {0x00, 0x3c}}, /* a tie */
    {{CL_R, CL_HALF_FLOAT}, {.f = {0x1p-24f}}, {0x01, 0x00}},
    {{CL_R, CL_HALF_FLOAT}, {.f = {1e6f}}, {0x00, 0x7c}},
    {{CL_R, CL_FLOAT}, {.f = {1}}, {0, 0, 0x80, 0x3f}},
    {{CL_RGB, CL_UNORM_SHORT_565}, {.f = {1, 0.5f, 0}}, {0x00, 0xfc}}, /* 31.5 is a tie: to the even 32 */
    {{CL_RGB, CL_UNORM_SHORT_555}, {.f = {0, 1, 1}}, {0xff, 0x03}},
    {{CL_RGB, CL_UNORM_INT_101010}, {.f = {1, 0, 2}}, {0xff, 0x03, 0xf0, 0x3f}},
    {{CL_RGBA, CL_UNORM_INT_101010_2}, {.f = {1, 0, 0, 1}}, {0x03, 0x00, 0xc0, 0xff}},
    {{CL_RGBA, CL_SIGNED_INT8}, {.i = {-129, 128, -1, 5}}, {0x80, 0x7f, 0xff, 5}},
    {{CL_RG, CL_SIGNED_INT16}, {.i = {-32769, 32768}}, {0x00, 0x80, 0xff, 0x7f}},
    {{CL_R, CL_SIGNED_INT32}, {.i = {-2}}, {0xfe, 0xff, 0xff, 0xff}},
    {{CL_RG, CL_UNSIGNED_INT8}, {.u = {256, 255}}, {255, 255}},
    {{CL_R, CL_UNSIGNED_INT16}, {.u = {0xffffffff}}, {0xff, 0xff}},
    {{CL_R, CL_UNSIGNED_INT32}, {.u = {0x12345678}}, {0x78, 0x56, 0x34, 0x12}},
    {{CL_sRGBA, CL_UNORM_INT8}, {.f = {0.5f, 0.001f, 1, 0.5f}}, {188, 3, 255, 128}},
    {{CL_sBGRA, CL_UNORM_INT8}, {.f = {0, -1, 0.2140411f, 0}}, {127, 0, 0, 0}},
    {{CL_DEPTH, CL_FLOAT}, {.f = {0.25f}}, {0, 0, 0x80, 0x3e}},
    {{CL_DEPTH, CL_UNORM_INT16}, {.f = {1}}, {0xff, 0xff}},
};

static void fill_one(const struct test_world *w, const struct fill *fill, cl_mem_object_type type, size_t width)
{
    struct picture p = picture_make(w->context, type, fill->format, width, 5, 3);
    for (unsigned round = 0; round < 3; round++) {
        struct part part = any_part(&p, round);
        CHECK(clEnqueueFillImage(w->queue, p.mem, &fill->color, part.origin, part.region, 0, NULL, NULL));
        for (size_t z = 0; z < part.region[2]; z++)
            for (size_t y = 0; y < part.region[1]; y++)
                for (size_t x = 0; x < part.region[0]; x++)
                    memcpy(picture_at(&p, part.origin[0] + x, part.origin[1] + y, part.origin[2] + z), fill->pixel, p.pixel);
        picture_check(w->queue, &p, "filled");
    }
    picture_free(&p);
}

static void fills_of_each_format(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
        if (image_has_format(w.context, CL_MEM_OBJECT_IMAGE2D, fills[i].format))
            fill_one(&w, &fills[i], CL_MEM_OBJECT_IMAGE2D, 19);
    for (size_t t = 0; t < IMAGE_TYPES; t++)
        fill_one(&w, &fills[0], image_types[t], 33);
    /* Rows around the block that fills are made of. */
    for (size_t width = 255; width <= 257; width++)
        fill_one(&w, &(struct fill){{CL_RGBA, CL_UNSIGNED_INT32}, {.u = {1, 2, 3, 4}}, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4}},
                 CL_MEM_OBJECT_IMAGE2D_ARRAY, width);
    test_end(&w);
}

/* The colour of a depth image is one float: the bytes behind it may not be there. */
static void a_depth_color_is_one_float(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    skip_without(&w, "cl_khr_depth_images");
    struct picture p = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_DEPTH, CL_FLOAT}, 4, 4, 1);
    struct guarded g = guarded_make(4);
    float depth = 0.5f;
    size_t at = guarded_place(&g, true, 0, sizeof depth);
    memcpy(g.bytes + at, &depth, sizeof depth);
    const size_t origin[3] = {0};
    CHECK(clEnqueueFillImage(w.queue, p.mem, g.bytes + at, origin, p.extent, 0, NULL, NULL));
    for (size_t i = 0; i < 16; i++)
        memcpy(p.model + i * sizeof depth, &depth, sizeof depth);
    picture_check(w.queue, &p, "filled");
    guarded_free(&g);
    picture_free(&p);
    test_end(&w);
}

/* ---- mipmaps ---- */

static void levels(void **state)
{
    (void)state;
    enum { LEVELS = 5 };
    struct test_world w = test_begin(0);
    skip_without(&w, "cl_khr_mipmap_image");
    for (size_t t = 0; t < IMAGE_TYPES; t++) {
        size_t extent[3];
        image_extent(image_types[t], 13, 6, 5, extent);
        cl_image_desc desc = image_desc(image_types[t], extent);
        bool array = image_types[t] == CL_MEM_OBJECT_IMAGE1D_ARRAY || image_types[t] == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        unsigned coordinates = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
        cl_mem image;
        desc.num_mip_levels = 17;
        CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
        if (image_types[t] == CL_MEM_OBJECT_IMAGE1D_BUFFER)
            continue;
        desc.num_mip_levels = LEVELS; /* 13 6 3 1 1 */
        CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
        unsigned char colors[LEVELS][13 * 6 * 5 * 4], now[sizeof colors[0]];
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t l = 0; l < LEVELS; l++) {
                size_t origin[4] = {0}, region[3];
                for (unsigned i = 0; i < 3; i++)
                    region[i] = array && i == coordinates - 1 ? extent[i] : extent[i] >> l ? extent[i] >> l : 1;
                origin[coordinates] = l;
                size_t bytes = region[0] * region[1] * region[2] * 4;
                if (pass) {
                    CHECK(clEnqueueReadImage(w.queue, image, CL_TRUE, origin, region, 0, 0, now, 0, NULL, NULL));
                    CHECK_THAT(!memcmp(now, colors[l], bytes));
                    region[0]++;
                    CHECK_CODE(clEnqueueReadImage(w.queue, image, CL_TRUE, origin, region, 0, 0, now, 0, NULL, NULL), CL_INVALID_VALUE);
                    continue;
                }
                for (size_t i = 0; i < bytes; i++)
                    colors[l][i] = (unsigned char)guarded_below(256);
                CHECK(clEnqueueWriteImage(w.queue, image, CL_TRUE, origin, region, 0, 0, colors[l], 0, NULL, NULL));
                origin[coordinates] = LEVELS;
                CHECK_CODE(clEnqueueReadImage(w.queue, image, CL_TRUE, origin, region, 0, 0, now, 0, NULL, NULL), CL_INVALID_VALUE);
            }
        CHECK(clReleaseMemObject(image));
    }
    test_end(&w);
}

/* ---- command buffers ---- */

/* Recorded: a fill of a depth image, whose colour is one float, and a copy from level to level. */
static void recorded(void **state)
{
    (void)state;
    clCreateCommandBufferKHR_fn create = (clCreateCommandBufferKHR_fn)(uintptr_t)test_extension_function("clCreateCommandBufferKHR");
    clCommandFillImageKHR_fn fill = (clCommandFillImageKHR_fn)(uintptr_t)test_extension_function("clCommandFillImageKHR");
    clCommandCopyImageKHR_fn copy = (clCommandCopyImageKHR_fn)(uintptr_t)test_extension_function("clCommandCopyImageKHR");
    clFinalizeCommandBufferKHR_fn finalize =
        (clFinalizeCommandBufferKHR_fn)(uintptr_t)test_extension_function("clFinalizeCommandBufferKHR");
    clEnqueueCommandBufferKHR_fn enqueue = (clEnqueueCommandBufferKHR_fn)(uintptr_t)test_extension_function("clEnqueueCommandBufferKHR");
    clReleaseCommandBufferKHR_fn release = (clReleaseCommandBufferKHR_fn)(uintptr_t)test_extension_function("clReleaseCommandBufferKHR");
    struct test_world w = test_begin(0);
    skip_without(&w, "cl_khr_mipmap_image");
    struct picture depth = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_DEPTH, CL_FLOAT}, 4, 4, 1);
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE3D, (const size_t[3]){8, 4, 2});
    desc.num_mip_levels = 3;
    cl_mem mips;
    CHECK_CREATE(mips, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
    struct guarded g = guarded_make(4);
    size_t at = guarded_place(&g, true, 0, sizeof(float));
    const float half = 0.5f;
    memcpy(g.bytes + at, &half, sizeof half);
    const size_t zero[3] = {0}, first[4] = {0, 0, 0, 0}, third[4] = {0, 0, 0, 2}, region[3] = {2, 1, 1};
    unsigned char pixels[8] = {1, 2, 3, 4, 5, 6, 7, 8}, now[8];
    CHECK(clEnqueueWriteImage(w.queue, mips, CL_TRUE, third, region, 0, 0, pixels, 0, NULL, NULL));
    cl_command_buffer_khr buffer;
    CHECK_CREATE(buffer, create(1, &w.queue, NULL, &err), CL_SUCCESS);
    CHECK(fill(buffer, NULL, NULL, depth.mem, g.bytes + at, zero, depth.extent, 0, NULL, NULL, NULL));
    CHECK(copy(buffer, NULL, NULL, mips, mips, third, first, region, 0, NULL, NULL, NULL));
    CHECK(finalize(buffer));
    CHECK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(w.queue, mips, CL_TRUE, first, region, 0, 0, now, 0, NULL, NULL));
    CHECK_THAT(!memcmp(now, pixels, sizeof now));
    for (size_t i = 0; i < 16; i++)
        memcpy(depth.model + i * sizeof half, &half, sizeof half);
    picture_check(w.queue, &depth, "filled by a command buffer");
    CHECK(release(buffer));
    guarded_free(&g);
    picture_free(&depth);
    CHECK(clReleaseMemObject(mips));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(writes),
        cmocka_unit_test(to_and_from_buffers),
        cmocka_unit_test(maps),
        cmocka_unit_test(copies),
        cmocka_unit_test(parts_that_overlap),
        cmocka_unit_test(copies_of_other_formats),
        cmocka_unit_test(maps_that_overlap),
        cmocka_unit_test(fills_of_each_format),
        cmocka_unit_test(a_depth_color_is_one_float),
        cmocka_unit_test(levels),
        cmocka_unit_test(recorded),
    };
    return IMAGE_RUN(tests, NULL, NULL);
}
