/* SPDX-License-Identifier: Apache-2.0
 * Tests of cl_ext_buffer_device_address: buffers with addresses that the application knows, as arguments of kernels and within buffers. */
#include "icd/test/program_fixture.h"

enum { COUNT = 256, BYTES = COUNT * sizeof(cl_int) };

static const char source[] = "kernel void add(global int *p, int by) { p[get_global_id(0)] += by; }\n"
                             "struct node { global struct node *next; int value; };\n"
                             "kernel void walk(global int *sum, global struct node *node) {\n"
                             "    *sum = 0;\n"
                             "    for (; node; node = node->next) *sum += node->value++;\n"
                             "}\n"
                             "kernel void locals(local int *l, global int *p) { *p = *l; }\n";
struct node {
    cl_mem_device_address_ext next;
    cl_int value;
};

static clSetKernelArgDevicePointerEXT_fn set_pointer;

static int begin(void **state)
{
    (void)state;
    set_pointer =
        (clSetKernelArgDevicePointerEXT_fn)clGetExtensionFunctionAddressForPlatform(test_platform(), "clSetKernelArgDevicePointerEXT");
    CHECK_THAT(set_pointer);
    return begin_with(source, "");
}

static cl_mem addressed(cl_mem_flags flags, size_t size, void *host)
{
    const cl_mem_properties properties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    cl_mem mem;
    CHECK_CREATE(mem, clCreateBufferWithProperties(w.context, properties, flags, size, host, &err), CL_SUCCESS);
    return mem;
}

static cl_mem_device_address_ext address_of(cl_mem mem)
{
    cl_mem_device_address_ext address = 0;
    CHECK(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, NULL));
    CHECK_THAT(address && address % 128 == 0);
    return address;
}

static void test_properties(void **state)
{
    (void)state;
    const struct {
        cl_mem_properties list[5];
        cl_int code;
    } cases[] = {{{CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE}, CL_SUCCESS},
                 {{CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE}, CL_SUCCESS},
                 {{0}, CL_SUCCESS},
                 {{CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2}, CL_INVALID_PROPERTY},
                 {{CL_MEM_DEVICE_ADDRESS_EXT, CL_TRUE}, CL_INVALID_PROPERTY},
                 {{CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE}, CL_INVALID_PROPERTY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_mem mem;
        cl_mem_properties list[5];
        cl_mem_device_address_ext address;
        size_t size, words = cases[i].list[0] ? 3 : 1;
        CHECK_CREATE(mem, clCreateBufferWithProperties(w.context, cases[i].list, 0, BYTES, NULL, &err), cases[i].code);
        if (!mem)
            continue;
        CHECK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, sizeof list, list, &size));
        CHECK_THAT(size == words * sizeof *list && !memcmp(list, cases[i].list, size));
        CHECK_CODE(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, NULL),
                   cases[i].list[1] ? CL_SUCCESS : CL_INVALID_OPERATION);
        CHECK(clReleaseMemObject(mem));
    }
    cl_mem mem = addressed(CL_MEM_READ_ONLY, 2 * BYTES, NULL), part;
    cl_mem_device_address_ext address;
    cl_buffer_region region = {BYTES, BYTES};
    CHECK_CREATE(part, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
    CHECK_THAT(address_of(part) == address_of(mem) + BYTES);
    CHECK_CODE(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address - 1, &address, NULL), CL_INVALID_VALUE);
    cl_bool has_images;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (has_images) {
        const cl_image_format format = {CL_R, CL_SIGNED_INT32};
        const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = COUNT, .mem_object = part};
        cl_mem image;
        CHECK_CREATE(image, clCreateImage(w.context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err), CL_SUCCESS);
        CHECK_THAT(address_of(image) == address_of(part));
        CHECK(clReleaseMemObject(image));
    }
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(mem));
}

/* By its address, from the middle on, and by its handle: it is the same memory, and stays where it is. */
static void test_argument(void **state)
{
    (void)state;
    cl_int values[COUNT], one = 1;
    for (int i = 0; i < COUNT; i++)
        values[i] = 10 * i;
    cl_mem mem = addressed(CL_MEM_COPY_HOST_PTR, BYTES, values);
    cl_mem_device_address_ext address = address_of(mem);
    cl_kernel add = test_kernel(program, "add"), locals = test_kernel(program, "locals"), clone;
    const size_t half = COUNT / 2, all = COUNT;
    CHECK(set_pointer(add, 0, address + BYTES / 2));
    CHECK(clSetKernelArg(add, 1, sizeof one, &one));
    CHECK_CREATE(clone, clCloneKernel(add, &err), CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(w.queue, add, 1, NULL, &half, NULL, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(w.queue, clone, 1, NULL, &half, NULL, 0, NULL, NULL));
    CHECK(clSetKernelArg(add, 0, sizeof mem, &mem));
    CHECK(clEnqueueNDRangeKernel(w.queue, add, 1, NULL, &all, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], 10 * i + 1 + (i < COUNT / 2 ? 0 : 2));
    /* What the host writes, the next launch sees. */
    memset(values, 0, sizeof values);
    CHECK(clEnqueueWriteBuffer(w.queue, mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(w.queue, clone, 1, NULL, &half, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    CHECK_THAT(values[COUNT / 2 - 1] == 0 && values[COUNT / 2] == 1 && values[COUNT - 1] == 1 && address_of(mem) == address);

    CHECK_CODE(set_pointer(NULL, 0, address), CL_INVALID_KERNEL);
    CHECK_CODE(set_pointer(add, 2, address), CL_INVALID_ARG_INDEX);
    CHECK_CODE(set_pointer(add, 1, address), CL_INVALID_ARG_INDEX);
    CHECK_CODE(set_pointer(locals, 0, address), CL_INVALID_ARG_INDEX);
    CHECK(set_pointer(add, 0, 0));
    CHECK(set_pointer(add, 0, 1)); /* legal as long as no kernel follows it */
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseKernel(locals));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(mem));
}

/* A list over three buffers, of which the kernel's arguments name one. */
static void test_indirect(void **state)
{
    (void)state;
    cl_mem nodes[3], sum = test_buffer(w.context, 0, sizeof(cl_int), NULL);
    cl_mem_device_address_ext addresses[3] = {0};
    for (int i = 0; i < 3; i++) {
        struct node node[2] = {{0, 1000}, {i ? addresses[i - 1] : 0, 1 << i}};
        nodes[i] = addressed(CL_MEM_COPY_HOST_PTR, sizeof node, node);
        addresses[i] = address_of(nodes[i]) + sizeof *node;
    }
    cl_kernel walk = test_kernel(program, "walk"), clone;
    const size_t one = 1;
    cl_int result;
    CHECK_CODE(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof addresses, addresses), CL_INVALID_KERNEL);
    CHECK_CODE(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof addresses - 1, addresses), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof addresses, NULL), CL_INVALID_VALUE);
    CHECK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof addresses, addresses));
    CHECK(clSetKernelArg(walk, 0, sizeof sum, &sum));
    CHECK(set_pointer(walk, 1, addresses[2]));
    CHECK_CREATE(clone, clCloneKernel(walk, &err), CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(w.queue, walk, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, sum, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    assert_int_equal(result, 1 + 2 + 4);
    /* The host changes one of them; what the kernel wrote into the others is kept. */
    cl_int value = 100;
    CHECK(clEnqueueWriteBuffer(w.queue, nodes[0], CL_TRUE, sizeof(struct node) + 8, sizeof value, &value, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(w.queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, sum, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    assert_int_equal(result, 100 + 3 + 5);
    CHECK(clEnqueueReadBuffer(w.queue, nodes[0], CL_TRUE, sizeof(struct node) + 8, sizeof value, &value, 0, NULL, NULL));
    assert_int_equal(value, 101);
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseKernel(walk));
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(nodes[i]));
    CHECK(clReleaseMemObject(sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_properties), cmocka_unit_test(test_argument), cmocka_unit_test(test_indirect)};
    return cmocka_run_group_tests(tests, begin, end);
}
