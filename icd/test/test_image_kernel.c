/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers as arguments of kernels: each error, what a kernel sees of an image, and who keeps it. */
#include "icd/test/image.h"
#include "icd/test/program_fixture.h"

static const char source[] = "kernel void sizes2d(read_only image2d_t i, global int *out) {\n"
                             "    out[0] = get_image_width(i); out[1] = get_image_height(i); out[2] = get_image_channel_order(i);\n"
                             "    out[3] = get_image_channel_data_type(i);\n"
                             "}\n"
                             "kernel void invert(read_only image2d_t from, write_only image2d_t to, sampler_t s) {\n"
                             "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "    write_imagef(to, at, 1.0f - read_imagef(from, s, at));\n"
                             "}\n"
                             "#ifdef __opencl_c_read_write_images\n"
                             "#define BOTH read_write\n"
                             "#else\n"
                             "#define BOTH write_only\n"
                             "#endif\n"
                             "#ifdef cl_khr_depth_images\n"
                             "#define DEPTH image2d_depth_t\n"
                             "#else\n"
                             "#define DEPTH image3d_t\n"
                             "#endif\n"
                             "kernel void both(BOTH image2d_t i) {}\n"
                             "kernel void array(read_only image2d_array_t i, read_only DEPTH d, read_only image1d_buffer_t b) {}\n";

static int begin(void **state)
{
    (void)state;
    return begin_with(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
}

static cl_mem image_of(cl_mem_flags flags, cl_mem_object_type type, cl_image_format format)
{
    cl_image_desc desc = image_desc(type, (const size_t[3]){4, 3, type == CL_MEM_OBJECT_IMAGE2D ? 1 : 2});
    cl_mem image;
    CHECK_CREATE(image, clCreateImage(w.context, flags, &format, &desc, NULL, &err), CL_SUCCESS);
    return image;
}

static void errors(void **state)
{
    (void)state;
    cl_kernel invert = test_kernel(program, "invert"), both = test_kernel(program, "both"), array = test_kernel(program, "array");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL), any = image_of(0, CL_MEM_OBJECT_IMAGE2D, rgba8);
    cl_mem read = image_of(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, rgba8),
           write = image_of(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, rgba8);
    cl_mem layers = image_of(0, CL_MEM_OBJECT_IMAGE2D_ARRAY, rgba8), solid = image_of(0, CL_MEM_OBJECT_IMAGE3D, rgba8);
    bool depths = test_has_extension(w.device, "cl_khr_depth_images");
    cl_uint both_args;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof both_args, &both_args, NULL));
    cl_mem depth =
        depths ? image_of(0, CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_DEPTH, CL_FLOAT}) : image_of(0, CL_MEM_OBJECT_IMAGE3D, rgba8);
    cl_sampler sampler;
    CHECK_CREATE(sampler, clCreateSampler(w.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err), CL_SUCCESS);
    struct test_world other = test_begin(0);
    cl_sampler foreign;
    CHECK_CREATE(foreign, clCreateSampler(other.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err), CL_SUCCESS);
    void *sampler_as_mem = sampler, *none = NULL;
    const struct {
        cl_kernel kernel;
        cl_uint index;
        size_t size;
        const void *value;
        cl_int code;
    } cases[] = {
        {invert, 0, sizeof any, &any, CL_SUCCESS},
        {invert, 0, sizeof any, &read, CL_SUCCESS},
        {invert, 0, sizeof any, &write, CL_INVALID_ARG_VALUE},
        {invert, 0, sizeof any, &buffer, CL_INVALID_MEM_OBJECT},
        {invert, 0, sizeof any, &sampler_as_mem, CL_INVALID_MEM_OBJECT},
        {invert, 0, sizeof any, &none, CL_INVALID_MEM_OBJECT},
        {invert, 0, sizeof any, NULL, CL_INVALID_MEM_OBJECT},
        {invert, 0, sizeof any - 1, &any, CL_INVALID_ARG_SIZE},
        {invert, 0, sizeof any, &solid, CL_INVALID_MEM_OBJECT},
        {invert, 0, sizeof any, &layers, CL_INVALID_MEM_OBJECT},
        {invert, 0, sizeof any, &depth, CL_INVALID_MEM_OBJECT},
        {invert, 1, sizeof any, &write, CL_SUCCESS},
        {invert, 1, sizeof any, &read, CL_INVALID_ARG_VALUE},
        {both, 0, sizeof any, &any, CL_SUCCESS},
        {both, 0, sizeof any, &read, CL_INVALID_ARG_VALUE},
        {both, 0, sizeof any, &write, both_args ? CL_INVALID_ARG_VALUE : CL_SUCCESS},
        {array, 0, sizeof any, &layers, CL_SUCCESS},
        {array, 0, sizeof any, &any, CL_INVALID_MEM_OBJECT},
        {array, 1, sizeof any, &depth, CL_SUCCESS},
        {array, 1, sizeof any, &any, CL_INVALID_MEM_OBJECT},
        {array, 2, sizeof any, &any, CL_INVALID_MEM_OBJECT},
        {array, 3, sizeof any, &any, CL_INVALID_ARG_INDEX},
        {invert, 2, sizeof sampler, &sampler, CL_SUCCESS},
        {invert, 2, sizeof sampler, &foreign, CL_INVALID_SAMPLER},
        {invert, 2, sizeof sampler, &any, CL_INVALID_SAMPLER},
        {invert, 2, sizeof sampler, NULL, CL_INVALID_SAMPLER},
        {invert, 2, sizeof sampler, &none, CL_INVALID_SAMPLER},
        {invert, 2, sizeof sampler + 1, &sampler, CL_INVALID_ARG_SIZE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_int code = clSetKernelArg(cases[i].kernel, cases[i].index, cases[i].size, cases[i].value);
        if (code != cases[i].code)
            fail_msg("case %zu answers %d, expected %d", i, code, cases[i].code);
    }
    CHECK(clReleaseSampler(foreign));
    test_end(&other);
    CHECK(clReleaseSampler(sampler));
    cl_mem all[] = {buffer, any, read, write, layers, solid, depth};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(clReleaseMemObject(all[i]));
    CHECK(clReleaseKernel(invert));
    CHECK(clReleaseKernel(both));
    CHECK(clReleaseKernel(array));
}

static void information(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "invert");
    static const struct {
        const char *type;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_address_qualifier address;
    } args[] = {{"image2d_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL},
                {"image2d_t", CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL},
                {"sampler_t", CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ADDRESS_PRIVATE}};
    for (cl_uint i = 0; i < 3; i++) {
        char type[32];
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_address_qualifier address;
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
        CHECK_THAT(!strcmp(type, args[i].type) && access == args[i].access && address == args[i].address);
    }
    CHECK(clReleaseKernel(kernel));
}

/* The launch keeps images and samplers that the application has released. */
static void launches(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "invert");
    struct picture p = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, rgba8, 37, 11, 1),
                   out = picture_make(w.context, CL_MEM_OBJECT_IMAGE2D, rgba8, 37, 11, 1);
    cl_sampler sampler;
    cl_event gate;
    CHECK_CREATE(sampler, clCreateSampler(w.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err), CL_SUCCESS);
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetKernelArg(kernel, 0, sizeof p.mem, &p.mem));
    CHECK(clSetKernelArg(kernel, 1, sizeof out.mem, &out.mem));
    CHECK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    const size_t global[2] = {37, 11};
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 2, NULL, global, NULL, 1, &gate, NULL));
    for (size_t i = 0; i < 37 * 11 * 4; i++)
        out.model[i] = (unsigned char)(255 - p.model[i]);
    picture_free(&p);
    CHECK(clReleaseSampler(sampler));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clReleaseEvent(gate));
    picture_check(w.queue, &out, "inverted");
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    picture_free(&out);
    CHECK(clReleaseKernel(kernel));
}

/* What a kernel is told of an image with pitches, in a buffer, and as a view. */
static void descriptions(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "sizes2d");
    cl_mem out = test_buffer(w.context, 0, 16, NULL), memory = test_buffer(w.context, 0, 1024, NULL), image, view;
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, (const size_t[3]){7, 5, 1});
    desc.mem_object = memory;
    desc.image_row_pitch = 64;
    CHECK_CREATE(image, clCreateImage(w.context, 0, &rgba8, &desc, NULL, &err), CL_SUCCESS);
    desc.mem_object = image;
    const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
    bool srgbs = image_has_format(w.context, CL_MEM_OBJECT_IMAGE2D, srgb);
    CHECK_CREATE(view, clCreateImage(w.context, 0, srgbs ? &srgb : &rgba8, &desc, NULL, &err), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        cl_mem which = i ? view : image;
        const size_t one = 1;
        cl_int seen[4], expected[4] = {7, 5, i && srgbs ? CL_sRGBA : CL_RGBA, CL_UNORM_INT8};
        CHECK(clSetKernelArg(kernel, 0, sizeof which, &which));
        CHECK(clSetKernelArg(kernel, 1, sizeof out, &out));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
        CHECK_THAT(!memcmp(seen, expected, sizeof seen));
    }
    CHECK(clReleaseMemObject(view));
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(memory));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors),
        cmocka_unit_test(information),
        cmocka_unit_test(launches),
        cmocka_unit_test(descriptions),
    };
    return IMAGE_RUN(tests, begin, end);
}
