/* SPDX-License-Identifier: Apache-2.0
 * Tests of native kernels, and of what devices may lack: images, samplers. */
#include "icd/test/cl_test.h"

struct args {
    int *numbers, *nothing;
    int count, factor;
};

static void CL_CALLBACK multiply(void *data)
{
    struct args *args = data;
    for (int i = 0; i < args->count; i++)
        args->numbers[i] *= args->nothing ? 0 : args->factor;
}

static int calls;

static void CL_CALLBACK count_call(void *data)
{
    calls += data ? 100 : 1;
}

static void test_native(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    int numbers[4] = {1, 2, 3, 4}, back[4];
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    struct args args = {.count = 4, .factor = 10};
    cl_mem mems[] = {buffer, NULL};
    const void *places[] = {&args.numbers, &args.nothing};
    cl_event event;
    cl_command_type type;
    CHECK(clEnqueueNativeKernel(w.queue, multiply, &args, sizeof args, 2, mems, places, 0, NULL, &event));
    memset(&args, 0, sizeof args); /* a copy was made */
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof back, back, 1, &event, NULL));
    CHECK_THAT(back[0] == 10 && back[3] == 40);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_NATIVE_KERNEL);
    CHECK(clReleaseEvent(event));
    CHECK(clEnqueueNativeKernel(w.queue, count_call, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(calls == 1);

    cl_context other = test_context(w.device);
    cl_mem foreign = test_buffer(other, 0, 16, NULL), bad[] = {(cl_mem)other, NULL}, from_other[] = {foreign, NULL};
    const void *outside[] = {&args.numbers, (char *)&args + sizeof args - 4}, *before[] = {(void *)((uintptr_t)&args - 8), &args.nothing};
    cl_command_queue q = w.queue;
    CHECK_CODE(clEnqueueNativeKernel(NULL, multiply, &args, sizeof args, 2, mems, places, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueNativeKernel(q, NULL, &args, sizeof args, 2, mems, places, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, NULL, sizeof args, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, NULL, 0, 2, mems, places, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, NULL, places, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, mems, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 0, mems, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 0, NULL, places, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, mems, outside, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, mems, before, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, 4, 2, mems, places, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, bad, places, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, from_other, places, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueNativeKernel(q, multiply, &args, sizeof args, 2, mems, places, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clReleaseMemObject(foreign));
    CHECK(clReleaseContext(other));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

static void test_images(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_context context = w.context;
    cl_bool support = CL_TRUE;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_IMAGE_SUPPORT, sizeof support, &support, NULL));
    CHECK_THAT(support == CL_FALSE); /* the rest of this test says what follows from that */
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image;
    CHECK_CREATE(image, clCreateImage(NULL, 0, &format, &desc, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(image, clCreateImage(context, 0, &format, &desc, NULL, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(image, clCreateImageWithProperties(context, NULL, 0, &format, &desc, NULL, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(image, clCreateImage2D(context, 0, &format, 4, 4, 0, NULL, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(image, clCreateImage3D(context, 0, &format, 4, 4, 4, 0, 0, NULL, &err), CL_INVALID_OPERATION);
    cl_uint count = 9;
    cl_image_format formats[2];
    CHECK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 2, formats, &count));
    CHECK_THAT(count == 0);
    CHECK(clGetSupportedImageFormats(context, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE3D, 0, NULL, NULL));
    CHECK_CODE(clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_CONTEXT);
    CHECK_CODE(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_CODE(clGetSupportedImageFormats(context, (cl_mem_flags)1 << 40, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_CODE(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, formats, &count), CL_INVALID_VALUE);

    cl_mem b = test_buffer(context, 0, 64, NULL);
    cl_command_queue q = w.queue;
    const size_t zero[3] = {0}, one[3] = {1, 1, 1};
    size_t pitch;
    unsigned char data[64];
    CHECK_CODE(clGetImageInfo(b, CL_IMAGE_WIDTH, sizeof pitch, &pitch, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueReadImage(q, b, CL_TRUE, zero, one, 0, 0, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueWriteImage(q, b, CL_TRUE, zero, one, 0, 0, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueFillImage(q, b, data, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueCopyImage(q, b, b, zero, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueCopyImageToBuffer(q, b, b, zero, one, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueCopyBufferToImage(q, b, b, 0, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    void *mapped;
    CHECK_CREATE(mapped, clEnqueueMapImage(q, b, CL_TRUE, CL_MAP_READ, zero, one, &pitch, NULL, 0, NULL, NULL, &err),
                 CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueReadImage(NULL, b, CL_TRUE, zero, one, 0, 0, data, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);

    cl_sampler sampler;
    const cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, 0};
    CHECK_CREATE(sampler, clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(sampler, clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(sampler, clCreateSamplerWithProperties(context, list, &err), CL_INVALID_OPERATION);
    CHECK_CODE(clRetainSampler(NULL), CL_INVALID_SAMPLER);
    CHECK_CODE(clReleaseSampler((cl_sampler)b), CL_INVALID_SAMPLER);
    CHECK_CODE(clGetSamplerInfo((cl_sampler)b, CL_SAMPLER_CONTEXT, 0, NULL, NULL), CL_INVALID_SAMPLER);

    CHECK(clReleaseMemObject(b));
    test_end(&w);
}

int main(void)
{
    setenv("TESSERA_IMAGES", "0", 1); /* icd_image has the device with images */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_native), cmocka_unit_test(test_images)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
