/* SPDX-License-Identifier: Apache-2.0
 * GPUs over the stand-in driver: images that several devices use, and those that a device or its driver lacks. */
#include "icd/test/gpu.h"

static const cl_image_format bytes4 = {CL_RGBA, CL_UNSIGNED_INT8};

static const char *const image_source =
    "kernel void brighter(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
    "{ int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1)); write_imageui(to, at, read_imageui(from, s, at) + 1); }\n"
    "kernel void add_to_row(write_only image1d_buffer_t to, read_only image1d_buffer_t from, uint n)\n"
    "{ int i = (int)get_global_id(0); write_imageui(to, i, read_imageui(from, i) + n); }\n"
    "kernel void add_to_bytes(global uchar *a) { a[get_global_id(0)]++; }\n"
    "constant sampler_t literal = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void from_layers(read_only image2d_array_t from, global uint4 *to)\n"
    "{ int i = (int)get_global_id(0); to[i] = read_imageui(from, literal, (int4)(i % 4, i / 4 % 3, i / 12, 0)); }\n";

enum { SIDE = 8, PIXELS = SIDE * SIDE, PIXEL = 4 };

static void build_images(struct world *w)
{
    CHECK_CREATE(w->program, clCreateProgramWithSource(w->context, 1, (const char **)&image_source, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(w->program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}

static cl_mem image_of(const struct world *w, cl_mem_flags flags, const cl_image_format *format, cl_image_desc desc, void *host)
{
    cl_mem image;
    CHECK_CREATE(image, clCreateImage(w->context, flags, format, &desc, host, &err), CL_SUCCESS);
    return image;
}

static cl_sampler nearest(const struct world *w)
{
    cl_sampler sampler;
    CHECK_CREATE(sampler, clCreateSampler(w->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err), CL_SUCCESS);
    return sampler;
}

/* Kernels on all devices in turn, from one image to another and back; the image is read by each queue, and in between it is mapped. */
static void images_take_turns(void)
{
    struct world w = begin(CL_DEVICE_TYPE_ALL);
    build_images(&w);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    unsigned char host[PIXELS * PIXEL], now[sizeof host];
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)i;
    cl_mem images[2] = {image_of(&w, CL_MEM_COPY_HOST_PTR, &bytes4, desc, host), image_of(&w, 0, &bytes4, desc, NULL)};
    cl_sampler sampler = nearest(&w);
    cl_kernel kernel = test_kernel(w.program, "brighter");
    const size_t global[2] = {SIDE, SIDE}, zero[3] = {0}, region[3] = {SIDE, SIDE, 1};
    for (cl_uint i = 0; i < 3 * w.count; i++) {
        cl_command_queue queue = w.queues[i % w.count];
        size_t row;
        cl_int err;
        CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[i & 1]));
        CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[~i & 1]));
        CHECK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
        CHECK(clFinish(queue));
        for (size_t b = 0; b < sizeof host; b++)
            host[b] += host[b] < 255;
        cl_command_queue other = w.queues[(i + 1) % w.count];
        CHECK(clEnqueueReadImage(other, images[~i & 1], CL_TRUE, zero, region, 0, 0, now, 0, NULL, NULL));
        assert_memory_equal(now, host, sizeof host);
        unsigned char *mapped = clEnqueueMapImage(other, images[~i & 1], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, (const size_t[3]){1, 1, 0},
                                                  (const size_t[3]){1, 1, 1}, &row, NULL, 0, NULL, NULL, &err);
        CHECK(err);
        assert_memory_equal(mapped, host + (SIDE + 1) * PIXEL, PIXEL);
        *mapped = host[(SIDE + 1) * PIXEL] = (unsigned char)(3 * i);
        CHECK(clEnqueueUnmapMemObject(other, images[~i & 1], mapped, 0, NULL, NULL));
        CHECK(clFinish(other));
    }
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseMemObject(images[i]));
    CHECK(clReleaseSampler(sampler));
    CHECK(clReleaseKernel(kernel));
    end(&w);
}

/* Images in one buffer, which kernels write as images and as bytes; between the rows of the second one the buffer stays as it is, and what
 * the first one wrote is there when it is gone. */
static void images_in_a_buffer(void)
{
    enum { BYTES = 1024, WIDTH = 100, AT = 512, ROW = 64 };
    struct world w = begin(CL_DEVICE_TYPE_ALL);
    build_images(&w);
    unsigned char host[BYTES], now[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(3 * i);
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, BYTES, host), part;
    const cl_buffer_region where = {AT, BYTES - AT};
    CHECK_CREATE(part, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &where, &err), CL_SUCCESS);
    cl_kernel row = test_kernel(w.program, "add_to_row"), bytes = test_kernel(w.program, "add_to_bytes");
    const cl_uint five = 5;
    for (cl_uint i = 0; i < 2 * w.count; i++) {
        cl_command_queue queue = w.queues[i % w.count];
        const size_t width = WIDTH, all = BYTES, zero[3] = {0}, region[3] = {3, 4, 1};
        cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = WIDTH, .mem_object = buffer};
        cl_mem from = image_of(&w, 0, &bytes4, line, NULL), to;
        line.mem_object = part;
        to = image_of(&w, 0, &bytes4, line, NULL);
        CHECK(clSetKernelArg(row, 0, sizeof to, &to));
        CHECK(clSetKernelArg(row, 1, sizeof from, &from));
        CHECK(clSetKernelArg(row, 2, sizeof five, &five));
        CHECK(clEnqueueNDRangeKernel(queue, row, 1, NULL, &width, NULL, 0, NULL, NULL));
        CHECK(clReleaseMemObject(from));
        CHECK(clReleaseMemObject(to));
        for (size_t b = 0; b < WIDTH * PIXEL; b++)
            host[AT + b] = (unsigned char)(host[b] + five > 255 ? 255 : host[b] + five);
        CHECK(clSetKernelArg(bytes, 0, sizeof buffer, &buffer));
        CHECK(clEnqueueNDRangeKernel(queue, bytes, 1, NULL, &all, NULL, 0, NULL, NULL));
        cl_mem box = image_of(
            &w, 0, &bytes4,
            (cl_image_desc){
                .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 4, .image_row_pitch = ROW, .mem_object = part},
            NULL);
        CHECK(clEnqueueFillImage(queue, box, (const cl_uint[4]){i, 2, 3, 4}, zero, region, 0, NULL, NULL));
        CHECK(clReleaseMemObject(box));
        for (size_t b = 0; b < BYTES; b++)
            host[b]++;
        for (size_t p = 0; p < 12; p++)
            memcpy(host + AT + p / 3 * ROW + p % 3 * PIXEL, (unsigned char[]){(unsigned char)i, 2, 3, 4}, PIXEL);
        CHECK(clFinish(queue));
        CHECK(clEnqueueReadBuffer(w.queues[(i + 1) % w.count], buffer, CL_TRUE, 0, BYTES, now, 0, NULL, NULL));
        assert_memory_equal(now, host, BYTES);
    }
    CHECK(clReleaseKernel(row));
    CHECK(clReleaseKernel(bytes));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

static void layers_and_a_literal_sampler(void)
{
    enum { W = 4, H = 3, LAYERS = 2, COUNT_OF_PIXELS = W * H * LAYERS };
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build_images(&w);
    unsigned char host[COUNT_OF_PIXELS * PIXEL];
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)(5 * i);
    cl_mem image = image_of(
        &w, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, &bytes4,
        (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = W, .image_height = H, .image_array_size = LAYERS}, host);
    cl_uint now[COUNT_OF_PIXELS * PIXEL];
    cl_mem out = test_buffer(w.context, 0, sizeof now, NULL);
    cl_kernel kernel = test_kernel(w.program, "from_layers");
    const size_t global = COUNT_OF_PIXELS;
    CHECK(clSetKernelArg(kernel, 0, sizeof image, &image));
    CHECK(clSetKernelArg(kernel, 1, sizeof out, &out));
    CHECK(clEnqueueNDRangeKernel(w.queues[0], kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queues[0], out, CL_TRUE, 0, sizeof now, now, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof host; i++)
        assert_int_equal(now[i], host[i]);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(image));
    end(&w);
}

/* The CPU has formats and mipmaps that the GPU lacks: the context has them, commands on the GPU's queue refuse them, and migration of such
 * an image leaves it where it is. */
static void images_of_the_cpu_alone(void)
{
    struct world w = begin(CL_DEVICE_TYPE_ALL);
    build_images(&w);
    static const cl_image_format luminance = {CL_LUMINANCE, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_image_desc levels = desc;
    levels.num_mip_levels = 2;
    cl_mem images[2] = {image_of(&w, 0, &luminance, desc, NULL), image_of(&w, 0, &bytes4, levels, NULL)};
    cl_sampler sampler = nearest(&w);
    cl_kernel kernel = test_kernel(w.program, "brighter");
    CHECK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    const size_t global[2] = {SIDE, SIDE}, zero[4] = {0}, region[3] = {SIDE, SIDE, 1};
    unsigned char bytes[PIXELS * PIXEL];
    enum { CPU, GPU };
    for (int i = 0; i < 2; i++) {
        CHECK(clEnqueueReadImage(w.queues[CPU], images[i], CL_TRUE, zero, region, 0, 0, bytes, 0, NULL, NULL));
        CHECK_CODE(clEnqueueReadImage(w.queues[GPU], images[i], CL_TRUE, zero, region, 0, 0, bytes, 0, NULL, NULL),
                   CL_IMAGE_FORMAT_NOT_SUPPORTED);
        CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[i]));
        CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[i]));
        CHECK_CODE(clEnqueueNDRangeKernel(w.queues[GPU], kernel, 2, NULL, global, NULL, 0, NULL, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
        CHECK(clEnqueueMigrateMemObjects(w.queues[GPU], 1, &images[i], 0, 0, NULL, NULL));
        CHECK(clFinish(w.queues[GPU]));
    }
    assert_true(was_told("the device of the queue has no 2D image of LUMINANCE UNORM_INT8"));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseMemObject(images[i]));
    CHECK(clReleaseSampler(sampler));
    CHECK(clReleaseKernel(kernel));
    end(&w);
}

/* A GPU without images, or whose driver has no formats that OpenCL asks for. */
static void no_images(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    cl_bool there = CL_TRUE;
    cl_mem image;
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    CHECK(clGetDeviceInfo(w.devices[0], CL_DEVICE_IMAGE_SUPPORT, sizeof there, &there, NULL));
    assert_false(there);
    CHECK_CREATE(image, clCreateImage(w.context, 0, &bytes4, &desc, NULL, &err), CL_INVALID_OPERATION);
    end(&w);
}

/* Formats that the driver does not have are not listed; images are there if OpenCL does not ask for these. */
static void fewer_formats(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    enum { MOST = 64 };
    cl_image_format formats[MOST];
    cl_uint count;
    CHECK(clGetSupportedImageFormats(w.context, 0, CL_MEM_OBJECT_IMAGE2D, MOST, formats, &count));
    assert_int_equal(count, 3 * 10 + 3); /* of R, RG and RGBA without two of twelve, and of BGRA without one of four */
    for (cl_uint i = 0; i < count; i++)
        assert_true(formats[i].image_channel_data_type != CL_SNORM_INT8 && formats[i].image_channel_data_type != CL_SNORM_INT16);
    end(&w);
}

static void no_memory_for_an_image(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2048, .image_height = 1024};
    cl_mem image = image_of(&w, 0, &bytes4, desc, NULL);
    cl_event event;
    CHECK(clEnqueueFillImage(w.queues[0], image, (const cl_uint[4]){0}, (const size_t[3]){0}, (const size_t[3]){2048, 1024, 1}, 0, NULL,
                             &event));
    assert_int_equal(status_of(event), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(image));
    end(&w);
}

/* ---- the cases ---- */

static const struct test_case cases[] = {
    {"images_of_cpu_and_gpu", images_take_turns, {"STANDIN_DEVICES=dg2"}},
    {"images_of_two_gpus", images_take_turns, {"STANDIN_DEVICES=dg2,bmg", "TESSERA_DEVICES=gpu"}},
    {"images_below_the_validation_layer", images_take_turns, {"ZE_ENABLE_VALIDATION_LAYER=1", "ZE_ENABLE_PARAMETER_VALIDATION=1"}},
    {"images_in_a_buffer", images_in_a_buffer, {"STANDIN_DEVICES=dg2"}},
    {"images_in_a_buffer_of_two_gpus", images_in_a_buffer, {"STANDIN_DEVICES=tgl,bmg", "TESSERA_DEVICES=gpu"}},
    {"layers_and_a_literal_sampler", layers_and_a_literal_sampler, {"STANDIN_DEVICES=bmg"}},
    {"images_of_the_cpu_alone", images_of_the_cpu_alone, {"STANDIN_DEVICES=dg2"}},
    {"a_gpu_without_images", no_images, {"STANDIN_DEVICES=pvc"}},
    {"a_driver_without_images", no_images, {"STANDIN_FAULT=images"}},
    {"a_driver_without_images_of_buffers", no_images, {"STANDIN_FAULT=lines"}},
    {"shorter_images_of_buffers", images_in_a_buffer, {"STANDIN_FAULT=lines", "TESSERA_GPU_IMAGES=1"}},
    {"fewer_formats", fewer_formats, {"STANDIN_FAULT=formats", "TESSERA_DEVICES=gpu"}},
    {"no_memory_for_an_image", no_memory_for_an_image, {"STANDIN_FAULT=memory=4000000"}},
};

int main(int count, char **words)
{
    return run_gpu_cases(count, words, cases, sizeof cases / sizeof *cases);
}
