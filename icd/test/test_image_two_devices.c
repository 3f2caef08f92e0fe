/* SPDX-License-Identifier: Apache-2.0
 * Images in contexts with a device that has none, and has memory of its own: icd/test/remote_device.c. */
#include "icd/test/image.h"

enum { CPU, REMOTE, BYTES = 256 };

static cl_device_id devices[2];
static cl_context context;
static cl_command_queue queues[2];

static int begin(void **state)
{
    (void)state;
    CHECK(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    CHECK_CREATE(context, clCreateContext(NULL, 2, devices, test_notify, NULL, &err), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        queues[i] = test_queue(context, devices[i], 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    CHECK(clReleaseContext(context));
    return 0;
}

static void a_context_without_images(void **state)
{
    (void)state;
    cl_context without = test_context(devices[REMOTE]);
    const size_t extent[3] = {4, 4, 1};
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, extent);
    cl_mem image;
    cl_sampler sampler;
    cl_uint count = 9;
    cl_bool images = CL_TRUE;
    CHECK_CREATE(image, clCreateImage(without, 0, &rgba8, &desc, NULL, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(sampler, clCreateSampler(without, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err), CL_INVALID_OPERATION);
    CHECK(clGetSupportedImageFormats(without, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    CHECK_THAT(count == 0);
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    CHECK_THAT(!images);
    CHECK(clGetDeviceInfo(devices[CPU], CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    CHECK_THAT(images);
    size_t width = 9;
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof width, &width, NULL));
    CHECK_THAT(width == 0);
    CHECK(clReleaseContext(without));
}

static void a_queue_without_images(void **state)
{
    (void)state;
    struct picture p = picture_make(context, CL_MEM_OBJECT_IMAGE2D, rgba8, 4, 4, 1);
    const size_t zero[3] = {0};
    unsigned char now[64];
    size_t row;
    cl_int err;
    CHECK_CODE(clEnqueueReadImage(queues[REMOTE], p.mem, CL_TRUE, zero, p.extent, 0, 0, now, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(clEnqueueFillImage(queues[REMOTE], p.mem, now, zero, p.extent, 0, NULL, NULL), CL_INVALID_OPERATION);
    clEnqueueMapImage(queues[REMOTE], p.mem, CL_TRUE, CL_MAP_READ, zero, p.extent, &row, NULL, 0, NULL, NULL, &err);
    CHECK_THAT(err == CL_INVALID_OPERATION);
    picture_check(queues[CPU], &p, "in a context with two devices");
    CHECK(clEnqueueMigrateMemObjects(queues[REMOTE], 1, &p.mem, 0, 0, NULL, NULL));
    CHECK(clFinish(queues[REMOTE]));
    picture_free(&p);
}

/* What the remote device writes into a buffer is seen through an image in it, and the other way round; what the image does not have
 * stays. */
static void an_image_in_a_buffer_that_moves(void **state)
{
    (void)state;
    unsigned char host[BYTES], now[BYTES];
    const cl_buffer_region where = {128, 128};
    cl_mem buffer = test_buffer(context, 0, BYTES, NULL), part, image;
    CHECK_CREATE(part, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &where, &err), CL_SUCCESS);
    const size_t extent[3] = {3, 4, 1}, zero[3] = {0};
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, extent);
    desc.mem_object = part;
    desc.image_row_pitch = 16; /* a gap of a pixel */
    CHECK_CREATE(image, clCreateImage(context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
    for (unsigned char round = 1; round < 5; round++) {
        for (size_t i = 0; i < BYTES; i++)
            host[i] = (unsigned char)(i + round);
        CHECK(clEnqueueWriteBuffer(queues[REMOTE], buffer, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
        CHECK(clEnqueueReadImage(queues[CPU], image, CL_TRUE, zero, extent, 16, 0, now, 0, NULL, NULL));
        for (size_t y = 0; y < 4; y++)
            CHECK_THAT(!memcmp(now + 16 * y, host + 128 + 16 * y, 12));
        CHECK(clEnqueueWriteBuffer(queues[REMOTE], buffer, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
        if (round & 1) {
            CHECK(clEnqueueFillImage(queues[CPU], image, (float[4]){1, 1, 1, 1}, zero, extent, 0, NULL, NULL));
        } else {
            size_t row;
            cl_int err;
            unsigned char *pointer = clEnqueueMapImage(queues[CPU], image, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, zero, extent, &row,
                                                       NULL, 0, NULL, NULL, &err);
            CHECK(err);
            for (size_t y = 0; y < 4; y++)
                memset(pointer + y * row, 255, 12);
            CHECK(clEnqueueUnmapMemObject(queues[CPU], image, pointer, 0, NULL, NULL));
        }
        CHECK(clFinish(queues[CPU]));
        for (size_t y = 0; y < 4; y++)
            memset(host + 128 + 16 * y, 255, 12);
        CHECK(clEnqueueReadBuffer(queues[REMOTE], buffer, CL_TRUE, 0, BYTES, now, 0, NULL, NULL));
        CHECK_THAT(!memcmp(now, host, BYTES));
    }
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(buffer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_without_images),
        cmocka_unit_test(a_queue_without_images),
        cmocka_unit_test(an_image_in_a_buffer_that_moves),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
