/* SPDX-License-Identifier: Apache-2.0
 * What the tests of command buffers share: the functions, which a program gets by name, and three kernels with two buffers. */
#ifndef TESSERA_ICD_TEST_COMMAND_BUFFER_H
#define TESSERA_ICD_TEST_COMMAND_BUFFER_H

#include "icd/test/cl_test.h"

static struct {
    clCreateCommandBufferKHR_fn create;
    clFinalizeCommandBufferKHR_fn finalize;
    clRetainCommandBufferKHR_fn retain;
    clReleaseCommandBufferKHR_fn release;
    clEnqueueCommandBufferKHR_fn enqueue;
    clGetCommandBufferInfoKHR_fn info;
    clCommandBarrierWithWaitListKHR_fn barrier;
    clCommandCopyBufferKHR_fn copy;
    clCommandCopyBufferRectKHR_fn copy_rect;
    clCommandFillBufferKHR_fn fill;
    clCommandFillImageKHR_fn fill_image;
    clCommandCopyImageKHR_fn copy_image;
    clCommandCopyImageToBufferKHR_fn image_to_buffer;
    clCommandCopyBufferToImageKHR_fn buffer_to_image;
    clCommandNDRangeKernelKHR_fn launch;
    clCommandSVMMemcpyKHR_fn svm_copy;
    clCommandSVMMemFillKHR_fn svm_fill;
    clUpdateMutableCommandsKHR_fn update;
    clGetMutableCommandInfoKHR_fn command_info;
} cb;

static CL_TEST_UNUSED int find_functions(void **state)
{
    (void)state;
    const struct test_function all[] = {
        {&cb.create, "clCreateCommandBufferKHR"},
        {&cb.finalize, "clFinalizeCommandBufferKHR"},
        {&cb.retain, "clRetainCommandBufferKHR"},
        {&cb.release, "clReleaseCommandBufferKHR"},
        {&cb.enqueue, "clEnqueueCommandBufferKHR"},
        {&cb.info, "clGetCommandBufferInfoKHR"},
        {&cb.barrier, "clCommandBarrierWithWaitListKHR"},
        {&cb.copy, "clCommandCopyBufferKHR"},
        {&cb.copy_rect, "clCommandCopyBufferRectKHR"},
        {&cb.fill, "clCommandFillBufferKHR"},
        {&cb.fill_image, "clCommandFillImageKHR"},
        {&cb.copy_image, "clCommandCopyImageKHR"},
        {&cb.image_to_buffer, "clCommandCopyImageToBufferKHR"},
        {&cb.buffer_to_image, "clCommandCopyBufferToImageKHR"},
        {&cb.launch, "clCommandNDRangeKernelKHR"},
        {&cb.svm_copy, "clCommandSVMMemcpyKHR"},
        {&cb.svm_fill, "clCommandSVMMemFillKHR"},
        {&cb.update, "clUpdateMutableCommandsKHR"},
        {&cb.command_info, "clGetMutableCommandInfoKHR"},
    };
    test_find_functions(all, sizeof all / sizeof *all);
    return 0;
}

static const char source[] = "kernel void add(global int *p, int x) { p[get_global_id(0)] += x; }\n"
                             "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n"
                             "kernel void ids(global int *p) { p[get_global_id(0)] = get_local_size(0) * 1000 + get_global_id(0); }\n";
enum { ITEMS = 64, BYTES = ITEMS * sizeof(cl_int) };

struct world {
    struct test_world w;
    cl_program program;
    cl_kernel add, twice, ids;
    cl_mem a, b;
};

static CL_TEST_UNUSED struct world begin(cl_command_queue_properties properties)
{
    struct world t = {.w = test_begin(properties)};
    t.program = test_build(t.w.context, t.w.device, source, "-cl-std=CL3.0");
    t.add = test_kernel(t.program, "add");
    t.twice = test_kernel(t.program, "twice");
    t.ids = test_kernel(t.program, "ids");
    t.a = test_buffer(t.w.context, CL_MEM_READ_WRITE, BYTES, NULL);
    t.b = test_buffer(t.w.context, CL_MEM_READ_WRITE, BYTES, NULL);
    CHECK(clSetKernelArg(t.twice, 0, sizeof t.a, &t.a));
    CHECK(clSetKernelArg(t.ids, 0, sizeof t.a, &t.a));
    return t;
}

static CL_TEST_UNUSED void end(struct world *t)
{
    CHECK(clFinish(t->w.queue));
    CHECK(clReleaseKernel(t->add));
    CHECK(clReleaseKernel(t->twice));
    CHECK(clReleaseKernel(t->ids));
    CHECK(clReleaseProgram(t->program));
    CHECK(clReleaseMemObject(t->a));
    CHECK(clReleaseMemObject(t->b));
    test_end(&t->w);
}

static CL_TEST_UNUSED cl_command_buffer_khr new_buffer(const struct world *t, cl_command_buffer_flags_khr flags)
{
    const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_command_buffer_khr buffer;
    CHECK_CREATE(buffer, cb.create(1, &t->w.queue, flags ? list : NULL, &err), CL_SUCCESS);
    return buffer;
}

static CL_TEST_UNUSED void set_add(const struct world *t, cl_mem mem, cl_int x)
{
    CHECK(clSetKernelArg(t->add, 0, sizeof mem, &mem));
    CHECK(clSetKernelArg(t->add, 1, sizeof x, &x));
}

static CL_TEST_UNUSED void expect(const struct world *t, cl_mem mem, cl_int first, cl_int step)
{
    cl_int got[ITEMS];
    CHECK(clEnqueueReadBuffer(t->w.queue, mem, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], first + i * step);
}

static const size_t items CL_TEST_UNUSED = ITEMS;
static const cl_int zero CL_TEST_UNUSED;

static CL_TEST_UNUSED cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer)
{
    cl_command_buffer_state_khr value;
    CHECK(cb.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof value, &value, NULL));
    return value;
}

#endif
