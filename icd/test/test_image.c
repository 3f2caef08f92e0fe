/* SPDX-License-Identifier: Apache-2.0
 * Images: creation with each error, formats, queries, images in buffers and in images, pitches of the host's memory, samplers. */
#include <float.h>

#include "icd/test/image.h"

enum { MOST_2D = 16384, MOST_3D = 2048, MOST_LAYERS = 2048 };

/* ---- creation ---- */

static void format_pairs(void **state)
{
    (void)state;
    static const struct {
        cl_image_format format;
        cl_int code;
    } cases[] = {
        {{CL_RGBA, CL_UNORM_INT8}, CL_SUCCESS},
        {{CL_RGB, CL_UNORM_SHORT_565}, CL_SUCCESS},
        {{CL_RGB, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_RGBA, CL_UNORM_SHORT_565}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_BGRA, CL_UNORM_INT16}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_INTENSITY, CL_SIGNED_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_sRGBA, CL_UNORM_INT16}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_DEPTH, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_RGBA, 0}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_RGBA, CL_SNORM_INT8 + 32}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{0, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_Rx, CL_UNORM_INT8}, CL_IMAGE_FORMAT_NOT_SUPPORTED},
        {{CL_RGBx, CL_UNORM_SHORT_555}, CL_IMAGE_FORMAT_NOT_SUPPORTED},
        {{CL_sRGB, CL_UNORM_INT8}, CL_IMAGE_FORMAT_NOT_SUPPORTED},
    };
    struct test_world w = test_begin(0);
    const size_t extent[3] = {4, 4, 4};
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, extent);
    cl_mem image;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool listed = image_has_format(w.context, CL_MEM_OBJECT_IMAGE2D, cases[i].format);
        cl_int code = cases[i].code == CL_SUCCESS && !listed ? CL_IMAGE_FORMAT_NOT_SUPPORTED : cases[i].code;
        CHECK_CREATE(image, clCreateImage(w.context, 0, &cases[i].format, &desc, NULL, &err), code);
        if (image)
            CHECK(clReleaseMemObject(image));
    }
    CHECK_CREATE(image, clCreateImage(w.context, 0, NULL, &desc, NULL, &err), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, NULL, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    test_end(&w);
}

/* Every format of the list can be made, those that must be there are, read-write lists are shorter, depth images are 2D. */
static void lists_of_formats(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    bool depths = test_has_extension(w.device, "cl_khr_depth_images");
    for (size_t t = 0; t < IMAGE_TYPES; t++) {
        cl_image_format formats[128], both[128];
        cl_uint count, both_count;
        cl_mem_object_type type = image_types[t];
        CHECK(clGetSupportedImageFormats(w.context, CL_MEM_READ_WRITE, type, 128, formats, &count));
        CHECK(clGetSupportedImageFormats(w.context, CL_MEM_KERNEL_READ_AND_WRITE, type, 128, both, &both_count));
        CHECK_THAT(count > (depths ? 60 : 10) && count <= 128 && both_count < count);
        CHECK_THAT(image_has_format(w.context, type, rgba8) &&
                   image_has_format(w.context, type, (cl_image_format){CL_BGRA, CL_UNORM_INT8}));
        formats[1] = (cl_image_format){0};
        CHECK(clGetSupportedImageFormats(w.context, CL_MEM_READ_ONLY, type, 1, formats, NULL));
        CHECK_THAT(!formats[1].image_channel_order);
        CHECK(clGetSupportedImageFormats(w.context, CL_MEM_WRITE_ONLY, type, 128, formats, &count));
        bool depth = false;
        for (cl_uint i = 0; i < count; i++) {
            struct picture p = picture_make(w.context, type, formats[i], 3, 3, 3);
            picture_check(w.queue, &p, "made");
            picture_free(&p);
            depth |= formats[i].image_channel_order == CL_DEPTH;
        }
        CHECK_THAT(depth == (depths && (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)));
    }
    cl_image_format one;
    CHECK_CODE(clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 1, &one, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clGetSupportedImageFormats(w.context, 1u << 20, CL_MEM_OBJECT_IMAGE2D, 1, &one, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetSupportedImageFormats(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 1, &one, NULL),
               CL_INVALID_VALUE);
    CHECK_CODE(clGetSupportedImageFormats(w.context, 0, CL_MEM_OBJECT_BUFFER, 1, &one, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetSupportedImageFormats(w.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &one, NULL), CL_INVALID_VALUE);
    test_end(&w);
}

/* Both sides of each limit, which are those that the device reports. */
static void sizes(void **state)
{
    (void)state;
    static const cl_image_format r8 = {CL_R, CL_UNORM_INT8};
    static const struct {
        cl_mem_object_type type;
        size_t x, y, z;
        cl_int code;
    } cases[] = {
        {CL_MEM_OBJECT_IMAGE1D, MOST_2D, 1, 1, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE1D, MOST_2D + 1, 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE1D, 0, 1, 1, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_OBJECT_IMAGE1D, SIZE_MAX, 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, MOST_LAYERS, 1, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, MOST_LAYERS + 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 0, 1, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_OBJECT_IMAGE2D, MOST_2D, 1, 1, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE2D, 1, MOST_2D, 1, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE2D, MOST_2D + 1, 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE2D, 1, MOST_2D + 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE2D, 1, 0, 1, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 1, 1, MOST_LAYERS, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 1, 1, MOST_LAYERS + 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE3D, MOST_3D, 1, 1, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE3D, 1, MOST_3D, MOST_3D, CL_SUCCESS},
        {CL_MEM_OBJECT_IMAGE3D, MOST_3D + 1, 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE3D, 1, MOST_3D + 1, 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE3D, 1, 1, MOST_3D + 1, CL_INVALID_IMAGE_SIZE},
        {CL_MEM_OBJECT_IMAGE3D, 1, 1, 0, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_OBJECT_BUFFER, 1, 1, 1, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, 1, 1, CL_INVALID_IMAGE_DESCRIPTOR}, /* without a buffer */
    };
    struct test_world w = test_begin(0);
    cl_mem image;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_image_desc desc = image_desc(cases[i].type, (const size_t[3]){cases[i].x, cases[i].y, cases[i].z});
        CHECK_CREATE(image, clCreateImage(w.context, 0, &r8, &desc, NULL, &err), cases[i].code);
        if (image)
            CHECK(clReleaseMemObject(image));
    }
    /* 2^31 pixels, and fewer; nothing is read of the pointer. */
    for (size_t y = 1023; y <= 1024; y++) {
        unsigned char pointer;
        cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE3D, (const size_t[3]){1024, y, 2048});
        CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_USE_HOST_PTR, &r8, &desc, &pointer, &err),
                     y == 1024 ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS);
        if (image)
            CHECK(clReleaseMemObject(image));
        desc.image_height = 1024;
        CHECK_CREATE(image, clCreateImage(w.context, 0, &r8, &desc, NULL, &err), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    static const struct {
        cl_device_info query;
        size_t value;
    } limits[] = {{CL_DEVICE_IMAGE2D_MAX_WIDTH, MOST_2D}, {CL_DEVICE_IMAGE2D_MAX_HEIGHT, MOST_2D},
                  {CL_DEVICE_IMAGE3D_MAX_WIDTH, MOST_3D}, {CL_DEVICE_IMAGE3D_MAX_HEIGHT, MOST_3D},
                  {CL_DEVICE_IMAGE3D_MAX_DEPTH, MOST_3D}, {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, MOST_LAYERS}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t value;
        CHECK(clGetDeviceInfo(w.device, limits[i].query, sizeof value, &value, NULL));
        CHECK_THAT(value == limits[i].value);
    }
    test_end(&w);
}

/* Pitches, flags, pointers, properties. */
static void refusals(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    unsigned char host[4096] = {0};
    cl_mem image;
    const size_t extent[3] = {5, 4, 3};
    static const struct {
        cl_mem_object_type type;
        size_t row, slice;
        bool good;
    } pitches[] = {
        {CL_MEM_OBJECT_IMAGE1D, 20, 0, true},
        {CL_MEM_OBJECT_IMAGE1D, 16, 0, false},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 24, 24, true},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 24, 20, false},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 0, 40, true},
        {CL_MEM_OBJECT_IMAGE2D, 20, 0, true},
        {CL_MEM_OBJECT_IMAGE2D, 19, 0, false},
        {CL_MEM_OBJECT_IMAGE2D, 21, 0, false},
        {CL_MEM_OBJECT_IMAGE2D, 24, 0, true},
        {CL_MEM_OBJECT_IMAGE3D, 24, 96, true},
        {CL_MEM_OBJECT_IMAGE3D, 24, 72, false},
        {CL_MEM_OBJECT_IMAGE3D, 24, 100, false},
        {CL_MEM_OBJECT_IMAGE3D, 24, 120, true},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 0, 80, true},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 0, 60, false},
        {CL_MEM_OBJECT_IMAGE3D, 0, 100, true},
        {CL_MEM_OBJECT_IMAGE2D, SIZE_MAX - 3, 0, false},
        {CL_MEM_OBJECT_IMAGE3D, 20, SIZE_MAX / 20 * 20, false},
    };
    for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
        cl_image_desc desc = image_desc(pitches[i].type, extent);
        desc.image_row_pitch = pitches[i].row;
        desc.image_slice_pitch = pitches[i].slice;
        cl_int code = pitches[i].good ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
        CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_USE_HOST_PTR, &rgba8, &desc, host, &err), code);
        if (image)
            CHECK(clReleaseMemObject(image));
        CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    }
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, extent);
    const cl_mem_properties none[] = {0}, some[] = {1, 1, 0};
    CHECK_CREATE(image, clCreateImage(NULL, 0, &rgba8, &desc, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(image, clCreateImageWithProperties(w.context, some, 0, &rgba8, &desc, NULL, &err), CL_INVALID_PROPERTY);
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &desc, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_KERNEL_READ_AND_WRITE, &rgba8, &desc, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, NULL, &err), CL_INVALID_HOST_PTR);
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, host, &err), CL_INVALID_HOST_PTR);
    desc.num_samples = 1;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    desc.num_samples = 0;
    desc.num_mip_levels = 2;
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, host, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_CREATE(image, clCreateImage2D(w.context, 0, &rgba8, 0, 1, 0, NULL, &err), CL_INVALID_IMAGE_SIZE);
    CHECK_CREATE(image, clCreateImage2D(w.context, CL_MEM_USE_HOST_PTR, &rgba8, 2, 1, 4, host, &err), CL_INVALID_IMAGE_SIZE);
    CHECK_CREATE(image, clCreateImage3D(w.context, 0, &rgba8, 2, 2, 0, 0, 0, NULL, &err), CL_INVALID_IMAGE_SIZE);
    CHECK_CREATE(image, clCreateImage3D(w.context, CL_MEM_USE_HOST_PTR, &rgba8, 2, 2, 2, 8, 16, host, &err), CL_SUCCESS);
    CHECK(clReleaseMemObject(image));
    desc.num_mip_levels = 0;
    CHECK_CREATE(image, clCreateImageWithProperties(w.context, none, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
    cl_mem_properties properties[4];
    size_t bytes;
    CHECK(clGetMemObjectInfo(image, CL_MEM_PROPERTIES, sizeof properties, properties, &bytes));
    CHECK_THAT(bytes == sizeof *properties && !properties[0]);
    CHECK(clReleaseMemObject(image));
    test_end(&w);
}

/* ---- queries ---- */

static size_t size_of(cl_mem image, cl_image_info name)
{
    size_t value = 12345;
    CHECK(clGetImageInfo(image, name, sizeof value, &value, NULL));
    return value;
}

static void queries(void **state)
{
    (void)state;
    static const struct {
        cl_mem_object_type type;
        size_t height, depth, layers, slice_pitch, bytes;
    } cases[] = {
        {CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0, 20},   {CL_MEM_OBJECT_IMAGE1D_ARRAY, 0, 0, 4, 20, 80},
        {CL_MEM_OBJECT_IMAGE2D, 4, 0, 0, 0, 80},   {CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 0, 3, 80, 240},
        {CL_MEM_OBJECT_IMAGE3D, 4, 3, 0, 80, 240},
    };
    struct test_world w = test_begin(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct picture p = picture_make(w.context, cases[i].type, rgba8, 5, 4, 3);
        CHECK_THAT(size_of(p.mem, CL_IMAGE_WIDTH) == 5 && size_of(p.mem, CL_IMAGE_HEIGHT) == cases[i].height);
        CHECK_THAT(size_of(p.mem, CL_IMAGE_DEPTH) == cases[i].depth && size_of(p.mem, CL_IMAGE_ARRAY_SIZE) == cases[i].layers);
        CHECK_THAT(size_of(p.mem, CL_IMAGE_ROW_PITCH) == 20 && size_of(p.mem, CL_IMAGE_SLICE_PITCH) == cases[i].slice_pitch);
        CHECK_THAT(size_of(p.mem, CL_IMAGE_ELEMENT_SIZE) == 4);
        cl_image_format format;
        CHECK(clGetImageInfo(p.mem, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
        CHECK_THAT(!memcmp(&format, &rgba8, sizeof format));
        cl_uint number = 9;
        CHECK(clGetImageInfo(p.mem, CL_IMAGE_NUM_MIP_LEVELS, sizeof number, &number, NULL));
        CHECK_THAT(number == 0);
        CHECK_CODE(clGetImageInfo(p.mem, CL_IMAGE_NUM_SAMPLES, sizeof number - 1, &number, NULL), CL_INVALID_VALUE);
        cl_mem none = p.mem;
        CHECK(clGetImageInfo(p.mem, CL_IMAGE_BUFFER, sizeof none, &none, NULL));
        CHECK_THAT(!none);
        CHECK_CODE(clGetImageInfo(p.mem, CL_MEM_TYPE, sizeof number, &number, NULL), CL_INVALID_VALUE);
        cl_mem_object_type type;
        size_t bytes;
        CHECK(clGetMemObjectInfo(p.mem, CL_MEM_TYPE, sizeof type, &type, NULL));
        CHECK(clGetMemObjectInfo(p.mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
        CHECK_THAT(type == cases[i].type && bytes == cases[i].bytes);
        picture_free(&p);
    }
    cl_mem buffer = test_buffer(w.context, 0, 16, NULL);
    CHECK_CODE(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

static cl_int requirement(cl_context context, const cl_image_format *format, const cl_image_desc *desc, cl_uint name, size_t room,
                          void *value)
{
    typedef cl_int(CL_API_CALL * function)(cl_context, const cl_mem_properties *, cl_mem_flags, const cl_image_format *,
                                           const cl_image_desc *, cl_uint, size_t, void *, size_t *);
    function call = (function)(uintptr_t)clGetExtensionFunctionAddressForPlatform(test_platform(), "clGetImageRequirementsInfoEXT");
    CHECK_THAT(call);
    return call(context, NULL, 0, format, desc, name, room, value, NULL);
}

/* cl_ext_image_requirements_info */
static void requirements(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const size_t extent[3] = {5, 4, 3};
    size_t bytes;
    cl_uint most;
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE3D, extent);
    CHECK(requirement(w.context, &rgba8, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof bytes, &bytes));
    CHECK_THAT(bytes == 240);
    const cl_image_desc of_buffer = image_desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, extent); /* asked before the buffer is made */
    CHECK(requirement(w.context, &rgba8, &of_buffer, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof bytes, &bytes));
    CHECK_THAT(bytes == 20);
    for (cl_uint name = CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT; name <= CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT; name++) {
        CHECK(requirement(w.context, &rgba8, &desc, name, sizeof bytes, &bytes));
        CHECK_THAT(bytes == 4);
    }
    CHECK(requirement(w.context, NULL, &desc, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, sizeof most, &most));
    CHECK_THAT(most == MOST_3D);
    CHECK_CODE(requirement(w.context, NULL, &desc, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, sizeof most, &most),
               CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_CODE(requirement(w.context, NULL, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof bytes, &bytes), CL_INVALID_VALUE);
    CHECK_CODE(requirement(w.context, &rgba8, NULL, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof bytes, &bytes), CL_INVALID_VALUE);
    CHECK_CODE(requirement(w.context, &rgba8, &desc, CL_IMAGE_WIDTH, sizeof bytes, &bytes), CL_INVALID_VALUE);
    CHECK_CODE(requirement(NULL, &rgba8, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof bytes, &bytes), CL_INVALID_CONTEXT);
    test_end(&w);
}

/* ---- memory of others ---- */

/* An image with pitches in the host's memory, between guard pages: pixels alone are touched. */
static void memory_of_the_host(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const size_t extent[3] = {5, 4, 3}, row = 24, slice = 120, bytes = 2 * slice + 3 * row + 20;
    for (int copied = 0; copied < 2; copied++) {
        struct guarded g = guarded_make(bytes);
        size_t at = guarded_place(&g, true, 0, bytes);
        cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE3D, extent);
        desc.image_row_pitch = row;
        desc.image_slice_pitch = slice;
        cl_mem image;
        CHECK_CREATE(image,
                     clCreateImage(w.context, copied ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR, &rgba8, &desc, g.bytes + at, &err),
                     CL_SUCCESS);
        unsigned char now[240];
        const size_t zero[3] = {0};
        CHECK(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, extent, 0, 0, now, 0, NULL, NULL));
        for (size_t z = 0; z < 3; z++)
            for (size_t y = 0; y < 4; y++)
                CHECK_THAT(!memcmp(now + z * 80 + y * 20, g.model + at + z * slice + y * row, 20));
        CHECK_THAT(size_of(image, CL_IMAGE_ROW_PITCH) == (copied ? 20 : row));
        void *host;
        CHECK(clGetMemObjectInfo(image, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
        CHECK_THAT(host == (copied ? NULL : g.bytes + at));
        const float red[4] = {1, 0, 0, 0};
        CHECK(clEnqueueFillImage(w.queue, image, red, zero, extent, 0, NULL, NULL));
        image_see(w.queue, image, extent);
        for (size_t i = 0; i < 60 && !copied; i++)
            memcpy(g.model + at + i / 20 * slice + i / 5 % 4 * row + i % 5 * 4, (unsigned char[]){255, 0, 0, 0}, 4);
        guarded_check(&g, at, bytes, true, "filled");
        CHECK(clReleaseMemObject(image));
        guarded_free(&g);
    }
    test_end(&w);
}

/* The elements of a 1D array lie a slice pitch apart, which may be more than the row pitch. */
static void an_array_with_gaps(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    unsigned char host[3 * 48], now[3 * 20];
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)i;
    const size_t extent[3] = {5, 3, 1}, zero[3] = {0};
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, extent);
    desc.image_row_pitch = 24;
    desc.image_slice_pitch = 48;
    cl_mem image;
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_USE_HOST_PTR, &rgba8, &desc, host, &err), CL_SUCCESS);
    CHECK(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, extent, 0, 0, now, 0, NULL, NULL));
    for (size_t i = 0; i < 3; i++)
        CHECK_THAT(!memcmp(now + i * 20, host + i * 48, 20));
    CHECK(clReleaseMemObject(image));
    test_end(&w);
}

/* Images of every type in a buffer and in a sub-buffer share its bytes. */
static void images_in_buffers(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    enum { BYTES = 1024, PART = 128 };
    unsigned char host[BYTES], now[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(i * 7);
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, BYTES, host), part, image;
    const cl_buffer_region where = {PART, BYTES - PART};
    CHECK_CREATE(part, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &where, &err), CL_SUCCESS);
    const size_t zero[3] = {0};
    for (size_t t = 0; t < IMAGE_TYPES; t++) {
        size_t extent[3], bytes;
        image_extent(image_types[t], 5, 4, 3, extent);
        cl_image_desc desc = image_desc(image_types[t], extent);
        desc.mem_object = part;
        CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_READ_ONLY, &rgba8, &desc, NULL, &err), CL_SUCCESS);
        bytes = extent[0] * extent[1] * extent[2] * 4;
        CHECK(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, extent, 0, 0, now, 0, NULL, NULL));
        CHECK_THAT(!memcmp(now, host + PART, bytes));
        host[PART + bytes - 1] ^= 0xff;
        CHECK(clEnqueueWriteImage(w.queue, image, CL_TRUE, zero, extent, 0, 0, host + PART, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, BYTES, now, 0, NULL, NULL));
        CHECK_THAT(!memcmp(now, host, BYTES));
        cl_mem parent;
        size_t offset;
        CHECK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
        CHECK_THAT(parent == part);
        CHECK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
        CHECK_THAT(parent == part);
        CHECK(clGetMemObjectInfo(image, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
        CHECK_THAT(offset == 0);
        CHECK(clReleaseMemObject(image));
        desc.image_width = 1 + (BYTES - PART) / 4 / extent[1] / extent[2]; /* the first that does not fit */
        CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_SIZE);
        desc.image_width--;
        CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
        CHECK(clReleaseMemObject(image));
    }
    /* The image keeps the buffer's memory. */
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, (const size_t[3]){4, 4, 1});
    desc.mem_object = part;
    desc.image_row_pitch = 32;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clEnqueueReadImage(w.queue, image, CL_TRUE, (const size_t[3]){0, 3, 0}, (const size_t[3]){4, 1, 1}, 0, 0, now, 0, NULL, NULL));
    CHECK_THAT(!memcmp(now, host + PART + 96, 16));
    CHECK(clReleaseMemObject(image));
    test_end(&w);
}

static void refusals_in_buffers(void **state)
{
    (void)state;
    struct test_world w = test_begin(0), other = test_begin(0);
    _Alignas(16) unsigned char host[256];
    cl_mem image, buffer = test_buffer(w.context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 200, host + 1);
    cl_mem aligned = test_buffer(w.context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, 256, NULL);
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, (const size_t[3]){4, 4, 1});
    desc.mem_object = buffer;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.mem_object = aligned;
    CHECK_CREATE(image, clCreateImage(other.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_READ_ONLY, &rgba8, &desc, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_HOST_READ_ONLY, &rgba8, &desc, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_ALLOC_HOST_PTR, &rgba8, &desc, NULL, &err), CL_INVALID_VALUE);
    desc.image_row_pitch = 17;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.image_row_pitch = 12;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    desc.image_row_pitch = 64;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
    cl_mem_flags flags;
    CHECK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK_THAT(flags == (CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS));
    const size_t zero[3] = {0}, one[3] = {1, 1, 1};
    CHECK_CODE(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(clEnqueueWriteImage(w.queue, image, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL), CL_INVALID_OPERATION);
    /* An image is no buffer, and 3D images lie in buffers only. */
    cl_image_desc in_image = image_desc(CL_MEM_OBJECT_IMAGE3D, one);
    in_image.mem_object = image;
    cl_mem wrong;
    CHECK_CREATE(wrong, clCreateImage(w.context, 0, &rgba8, &in_image, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_CREATE(wrong, clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &err), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueReadBuffer(w.queue, image, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(aligned));
    test_end(&other);
    test_end(&w);
}

/* The same pixels with another channel order. */
static void images_in_images(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    struct picture p = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, rgba8, 6, 5, 1);
    static const struct {
        cl_image_format format;
        size_t width;
        cl_int code;
    } cases[] = {
        {{CL_sRGBA, CL_UNORM_INT8}, 6, CL_SUCCESS},
        {{CL_RGBA, CL_UNORM_INT8}, 6, CL_SUCCESS},
        {{CL_BGRA, CL_UNORM_INT8}, 6, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_RGBA, CL_SNORM_INT8}, 6, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {{CL_sRGBA, CL_UNORM_INT8}, 5, CL_INVALID_IMAGE_DESCRIPTOR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, (const size_t[3]){cases[i].width, 5, 1});
        desc.mem_object = p.mem;
        struct picture view = p;
        bool listed = image_has_format(w.context, CL_MEM_OBJECT_IMAGE2D, cases[i].format);
        CHECK_CREATE(view.mem, clCreateImage(w.context, 0, &cases[i].format, &desc, NULL, &err),
                     listed ? cases[i].code : CL_IMAGE_FORMAT_NOT_SUPPORTED);
        if (!view.mem)
            continue;
        picture_check(w.queue, &view, "view");
        const size_t zero[3] = {0}, one[3] = {1, 1, 1};
        CHECK(clEnqueueFillImage(w.queue, view.mem, &(float[4]){1, 1, 1, 1}, zero, one, 0, NULL, NULL));
        memset(p.model, 255, 4);
        picture_check(w.queue, &p, "written through the view");
        CHECK(clReleaseMemObject(view.mem));
    }
    picture_free(&p);
    test_end(&w);
}

/* ---- commands that are wrong ---- */

static void wrong_commands(void **state)
{
    (void)state;
    struct test_world w = test_begin(0), other = test_begin(0);
    unsigned char host[4096];
    const size_t zero[3] = {0}, one[3] = {1, 1, 1};
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    size_t row;
    cl_int err;
    for (size_t t = 0; t < IMAGE_TYPES; t++) {
        struct picture p = picture_make(w.context, image_types[t], rgba8, 5, 4, 3);
        for (int i = 0; i < 3; i++) {
            size_t region[3] = {1, 1, 1}, origin[3] = {0};
            region[i] = p.extent[i] + 1;
            CHECK_CODE(clEnqueueReadImage(w.queue, p.mem, CL_TRUE, zero, region, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
            region[i] = 0;
            CHECK_CODE(clEnqueueWriteImage(w.queue, p.mem, CL_TRUE, zero, region, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
            origin[i] = p.extent[i];
            CHECK_CODE(clEnqueueFillImage(w.queue, p.mem, host, origin, one, 0, NULL, NULL), CL_INVALID_VALUE);
            origin[i] = SIZE_MAX;
            CHECK_CODE(clEnqueueCopyImage(w.queue, p.mem, p.mem, origin, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
        }
        bool slices = p.extent[2] > 1 || image_types[t] == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        CHECK_CODE(clEnqueueReadImage(w.queue, p.mem, CL_TRUE, zero, p.extent, 19, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueReadImage(w.queue, p.mem, CL_TRUE, zero, p.extent, 20, slices ? 19 : 400, host, 0, NULL, NULL),
                   CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueReadImage(w.queue, p.mem, CL_TRUE, zero, one, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        clEnqueueMapImage(w.queue, p.mem, CL_TRUE, CL_MAP_READ, zero, one, NULL, &row, 0, NULL, NULL, &err);
        CHECK_THAT(err == CL_INVALID_VALUE);
        clEnqueueMapImage(w.queue, p.mem, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL, 0, NULL, NULL, &err);
        CHECK_THAT(err == (slices ? CL_INVALID_VALUE : CL_SUCCESS));
        clEnqueueMapImage(w.queue, p.mem, CL_TRUE, 64, zero, one, &row, &row, 0, NULL, NULL, &err);
        CHECK_THAT(err == CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueFillImage(w.queue, p.mem, NULL, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueFillImage(other.queue, p.mem, host, zero, one, 0, NULL, NULL), CL_INVALID_CONTEXT);
        CHECK_CODE(clEnqueueFillImage(w.queue, buffer, host, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        CHECK_CODE(clEnqueueFillImage(NULL, p.mem, host, zero, one, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        CHECK_CODE(clEnqueueFillImage(w.queue, p.mem, host, NULL, one, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clEnqueueFillImage(w.queue, p.mem, host, zero, one, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_CODE(clEnqueueCopyImageToBuffer(w.queue, p.mem, p.mem, zero, one, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        CHECK(clEnqueueMigrateMemObjects(w.queue, 1, &p.mem, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
        picture_check(w.queue, &p, "after wrong commands");
        picture_free(&p);
    }
    CHECK(clReleaseMemObject(buffer));
    test_end(&other);
    test_end(&w);
}

static cl_event ended_with;
static void CL_CALLBACK note_end(cl_mem mem, void *data)
{
    (void)mem;
    *(int *)data += 1;
}

/* A command keeps its image; its event says what it is; the callback comes at the end. */
static void life(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    struct picture p = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, rgba8, 8, 8, 1);
    int ends = 0;
    cl_event gate;
    cl_command_type type;
    const size_t zero[3] = {0};
    unsigned char now[256];
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetMemObjectDestructorCallback(p.mem, note_end, &ends));
    CHECK(clEnqueueReadImage(w.queue, p.mem, CL_FALSE, zero, p.extent, 0, 0, now, 1, &gate, &ended_with));
    CHECK(clReleaseMemObject(p.mem));
    CHECK(clGetEventInfo(ended_with, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_READ_IMAGE && ends == 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &ended_with));
    CHECK_THAT(!memcmp(now, p.model, sizeof now));
    CHECK(clReleaseEvent(ended_with));
    CHECK(clReleaseEvent(gate));
    CHECK(clFinish(w.queue));
    CHECK_THAT(ends == 1);
    free(p.model);
    test_end(&w);
}

/* ---- samplers ---- */

static void samplers(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_sampler sampler;
    for (cl_uint addressing = CL_ADDRESS_NONE; addressing <= CL_ADDRESS_MIRRORED_REPEAT; addressing++)
        for (cl_uint filter = CL_FILTER_NEAREST; filter <= CL_FILTER_LINEAR; filter++) {
            cl_uint value = 0;
            cl_bool normalized = 9;
            size_t bytes = 1;
            CHECK_CREATE(sampler, clCreateSampler(w.context, CL_TRUE, addressing, filter, &err), CL_SUCCESS);
            CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof value, &value, NULL));
            CHECK_THAT(value == addressing);
            CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof value, &value, NULL));
            CHECK_THAT(value == filter);
            CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
            CHECK_THAT(normalized == CL_TRUE);
            CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &bytes));
            CHECK_THAT(bytes == 0);
            CHECK(clRetainSampler(sampler));
            CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof value, &value, NULL));
            CHECK_THAT(value == 2);
            CHECK(clReleaseSampler(sampler));
            CHECK(clReleaseSampler(sampler));
        }
    CHECK_CREATE(sampler, clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(sampler, clCreateSampler(w.context, 2, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err), CL_INVALID_VALUE);
    CHECK_CREATE(sampler, clCreateSampler(w.context, 0, CL_ADDRESS_NONE - 1, CL_FILTER_NEAREST, &err), CL_INVALID_VALUE);
    CHECK_CREATE(sampler, clCreateSampler(w.context, 0, CL_ADDRESS_MIRRORED_REPEAT + 1, CL_FILTER_NEAREST, &err), CL_INVALID_VALUE);
    CHECK_CREATE(sampler, clCreateSampler(w.context, 0, CL_ADDRESS_NONE, CL_FILTER_LINEAR + 1, &err), CL_INVALID_VALUE);
    test_end(&w);
}

static void sampler_properties(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_sampler sampler;
    static const cl_sampler_properties good[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_FILTER_LINEAR,
                                                 0};
    static const cl_sampler_properties plain[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    static const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    static const cl_sampler_properties unknown[] = {CL_SAMPLER_CONTEXT, 0, 0},
                                       wide[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR | 1ull << 32, 0};
    cl_sampler_properties kept[8];
    size_t bytes;
    cl_uint value;
    float most;
    bool mipmaps = test_has_extension(w.device, "cl_khr_mipmap_image");
    if (!mipmaps)
        CHECK_CREATE(sampler, clCreateSamplerWithProperties(w.context, good, &err), CL_INVALID_VALUE);
    const cl_sampler_properties *had = mipmaps ? good : plain;
    size_t had_bytes = mipmaps ? sizeof good : sizeof plain;
    CHECK_CREATE(sampler, clCreateSamplerWithProperties(w.context, had, &err), CL_SUCCESS);
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof kept, kept, &bytes));
    CHECK_THAT(bytes == had_bytes && !memcmp(kept, had, had_bytes));
    CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof value, &value, NULL));
    CHECK_THAT(value == CL_ADDRESS_CLAMP);
    if (mipmaps) {
        CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof value, &value, NULL));
        CHECK_THAT(value == CL_FILTER_LINEAR);
        CHECK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof most, &most, NULL));
        CHECK_THAT(most == FLT_MAX);
    } else {
        CHECK_CODE(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof most, &most, NULL), CL_INVALID_VALUE);
    }
    CHECK_CODE(clGetSamplerInfo(sampler, CL_IMAGE_WIDTH, sizeof value, &value, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, 1, &value, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseSampler(sampler));
    CHECK_CODE(clGetSamplerInfo(NULL, CL_SAMPLER_FILTER_MODE, 0, NULL, NULL), CL_INVALID_SAMPLER);
    CHECK_CREATE(sampler, clCreateSamplerWithProperties(w.context, twice, &err), CL_INVALID_VALUE);
    CHECK_CREATE(sampler, clCreateSamplerWithProperties(w.context, unknown, &err), CL_INVALID_VALUE);
    CHECK_CREATE(sampler, clCreateSamplerWithProperties(w.context, wide, &err), CL_INVALID_VALUE);
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_pairs),
        cmocka_unit_test(lists_of_formats),
        cmocka_unit_test(sizes),
        cmocka_unit_test(refusals),
        cmocka_unit_test(queries),
        cmocka_unit_test(requirements),
        cmocka_unit_test(memory_of_the_host),
        cmocka_unit_test(an_array_with_gaps),
        cmocka_unit_test(images_in_buffers),
        cmocka_unit_test(refusals_in_buffers),
        cmocka_unit_test(images_in_images),
        cmocka_unit_test(wrong_commands),
        cmocka_unit_test(life),
        cmocka_unit_test(samplers),
        cmocka_unit_test(sampler_properties),
    };
    return IMAGE_RUN(tests, NULL, NULL);
}
