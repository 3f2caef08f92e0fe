/* SPDX-License-Identifier: Apache-2.0
 * clEnqueueNDRangeKernel: shapes, offsets, non-uniform groups, and every error code. */
#include "cl_test.h"

static const char *const source =
    "__kernel void ids(__global uint *out, uint width, uint height)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "    size_t z = get_global_id(2) - get_global_offset(2);\n"
    "    out[(z * height + y) * width + x] += (uint)(1 + get_global_offset(0) + 10 * get_global_offset(1));\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global uint *out) { out[0] = (uint)get_local_size(1); }\n"
    "__kernel void with_local(__global uint *out, __local uint *box) { box[get_local_id(0)] = 3; out[0] = box[0]; }\n"
    "__kernel void shape(__global uint *out)\n"
    "{ if (get_global_id(0) == 0) { out[0] = (uint)get_local_size(0); out[1] = (uint)get_num_groups(0); out[2] = get_work_dim(); } }\n";

static struct test_world w;
static cl_program program;
static cl_kernel ids;
/* By name: a loader of OpenCL 3.0 does not export the function. */
static cl_int(CL_API_CALL *suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);

static int begin(void **state)
{
    (void)state;
    w = test_begin(0);
    program = test_build(w.context, w.device, source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    ids = test_kernel(program, "ids");
    *(void **)&suggest = clGetExtensionFunctionAddressForPlatform(test_platform(), "clGetKernelSuggestedLocalWorkSizeKHR");
    assert_non_null(suggest);
    return 0;
}

static int end(void **state)
{
    (void)state;
    CHECK(clReleaseKernel(ids));
    CHECK(clReleaseProgram(program));
    test_end(&w);
    return 0;
}

static void every_work_item_runs_once(void **state)
{
    (void)state;
    static const struct {
        cl_uint dim;
        size_t global[3], local[3], offset[3];
    } cases[] = {
        {1, {1, 1, 1}, {0}, {0}},           {1, {1000, 1, 1}, {0}, {0}},       {1, {1000, 1, 1}, {10, 1, 1}, {0}},
        {1, {1000, 1, 1}, {64, 1, 1}, {0}}, {1, {7, 1, 1}, {64, 1, 1}, {0}},   {2, {33, 17, 1}, {8, 4, 1}, {0}},
        {2, {33, 17, 1}, {0}, {5, 3, 0}},   {3, {5, 6, 7}, {2, 3, 4}, {0}},    {3, {5, 6, 7}, {0}, {1, 2, 3}},
        {3, {1, 1, 100}, {1, 1, 9}, {0}},   {2, {16, 16, 1}, {16, 1, 1}, {0}}, {1, {100000, 1, 1}, {0}, {7, 0, 0}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t total = cases[i].global[0] * cases[i].global[1] * cases[i].global[2];
        cl_uint *out = calloc(total, sizeof(*out)), width = (cl_uint)cases[i].global[0], height = (cl_uint)cases[i].global[1];
        cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, total * sizeof(*out), out);
        CHECK(clSetKernelArg(ids, 0, sizeof(buffer), &buffer));
        CHECK(clSetKernelArg(ids, 1, sizeof(width), &width));
        CHECK(clSetKernelArg(ids, 2, sizeof(height), &height));
        CHECK(clEnqueueNDRangeKernel(w.queue, ids, cases[i].dim, cases[i].offset, cases[i].global,
                                     cases[i].local[0] ? cases[i].local : NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, total * sizeof(*out), out, 0, NULL, NULL));
        for (size_t j = 0; j < total; j++)
            if (out[j] != 1 + cases[i].offset[0] + 10 * cases[i].offset[1])
                fail_msg("case %zu: work-item %zu wrote %u", i, j, out[j]);
        CHECK(clReleaseMemObject(buffer));
        free(out);
    }
}

static void errors_have_their_codes(void **state)
{
    (void)state;
    cl_kernel fresh = test_kernel(program, "ids");
    cl_mem buffer = test_buffer(w.context, 0, 4096, NULL);
    cl_uint width = 8, height = 1;
    size_t global[3] = {8, 1, 1}, local[3] = {8, 1, 1}, max[3], most;
    CHECK_CODE(clEnqueueNDRangeKernel(NULL, fresh, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, NULL, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK(clSetKernelArg(fresh, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(fresh, 2, sizeof(height), &height));
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK(clSetKernelArg(fresh, 1, sizeof(width), &width));
    cl_context other = test_context(w.device);
    cl_command_queue foreign = test_queue(other, w.device, 0);
    CHECK_CODE(clEnqueueNDRangeKernel(foreign, fresh, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_event foreign_event;
    CHECK_CREATE(foreign_event, clCreateUserEvent(other, &err), CL_SUCCESS);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, NULL, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    CHECK(clSetUserEventStatus(foreign_event, CL_COMPLETE));
    CHECK(clReleaseEvent(foreign_event));
    CHECK(clReleaseCommandQueue(foreign));
    CHECK(clReleaseContext(other));
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 0, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 4, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    size_t last = SIZE_MAX, huge[3] = {SIZE_MAX, SIZE_MAX, 2};
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, &last, global, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 3, NULL, huge, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(max), max, NULL));
    CHECK(clGetKernelWorkGroupInfo(fresh, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL));
    local[0] = max[0] + 1;
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, local, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
    local[0] = most;
    local[1] = 2;
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 2, NULL, global, local, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    local[0] = 0;
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, local, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    cl_event event = NULL;
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, NULL, 0, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fresh, 1, NULL, global, NULL, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(fresh));
}

static void a_required_size_is_kept(void **state)
{
    (void)state;
    cl_kernel fixed = test_kernel(program, "fixed");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    CHECK(clSetKernelArg(fixed, 0, sizeof(buffer), &buffer));
    size_t global[2] = {8, 4}, wrong[2] = {2, 4}, right[2] = {4, 2}, one = 1;
    cl_uint value;
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fixed, 2, NULL, global, wrong, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, fixed, 1, NULL, &one, &one, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_CODE(clEnqueueTask(w.queue, fixed, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    CHECK(clEnqueueNDRangeKernel(w.queue, fixed, 2, NULL, global, right, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(w.queue, fixed, 2, NULL, global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    assert_int_equal(value, 2);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(fixed));
}

static void uniform_programs_refuse_a_remainder(void **state)
{
    (void)state;
    static const char *const options[] = {"-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-std=CL1.2", "-cl-std=CL3.0"};
    for (int i = 0; i < 3; i++) {
        cl_program uniform = test_build(w.context, w.device, "__kernel void shape(__global uint *out) { out[0] = 1; }", options[i]);
        cl_kernel kernel = test_kernel(uniform, "shape");
        cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
        CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
        size_t global = 10, local = 4, divisor = 5;
        CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                   i < 2 ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &divisor, 0, NULL, NULL));
        CHECK(clFinish(w.queue));
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(uniform));
    }
}

static void nothing_to_do_succeeds(void **state)
{
    (void)state;
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    cl_uint one = 1;
    size_t zero[3] = {4, 0, 4};
    CHECK(clSetKernelArg(ids, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(ids, 1, sizeof(one), &one));
    CHECK(clSetKernelArg(ids, 2, sizeof(one), &one));
    for (int i = 0; i < 2; i++) {
        cl_event event;
        cl_command_type type;
        CHECK(clEnqueueNDRangeKernel(w.queue, ids, 3, NULL, i ? zero : NULL, NULL, 0, NULL, &event));
        CHECK(clWaitForEvents(1, &event));
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        assert_int_equal(type, CL_COMMAND_NDRANGE_KERNEL);
        CHECK(clReleaseEvent(event));
    }
    CHECK(clReleaseMemObject(buffer));
}

static int told; /* how often */

static void CL_CALLBACK count_message(const char *message, const void *private_info, size_t cb, void *text)
{
    (void)private_info, (void)cb;
    told += strstr(message, text) != NULL;
}

static void too_much_local_memory_is_told(void **state)
{
    (void)state;
    cl_context context;
    static char text[] = "bytes of local memory, the device has";
    CHECK_CREATE(context, clCreateContext(NULL, 1, &w.device, count_message, text, &err), CL_SUCCESS);
    cl_command_queue queue = test_queue(context, w.device, 0);
    cl_program own = test_build(context, w.device, source, "-cl-std=CL3.0");
    cl_kernel kernel = test_kernel(own, "with_local");
    cl_mem buffer = test_buffer(context, 0, 64, NULL);
    cl_ulong bytes;
    size_t one = 1;
    cl_uint value = 0;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 1, bytes + 1, NULL));
    CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(told, 1);
    CHECK_CODE(suggest(queue, kernel, 1, NULL, &one, &one), CL_OUT_OF_RESOURCES);
    assert_int_equal(told, 2);
    CHECK(clSetKernelArg(kernel, 1, bytes, NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    assert_int_equal(value, 3);
    assert_int_equal(told, 2);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(own));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

static void the_suggested_size_is_the_one_taken(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "shape");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    size_t sizes[] = {1, 7, 64, 1000, 4096, 100003}, suggested, zero = 0;
    CHECK_CODE(suggest(w.queue, kernel, 1, NULL, sizes, &suggested), CL_INVALID_KERNEL_ARGS);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        cl_uint shape[3];
        CHECK(suggest(w.queue, kernel, 1, NULL, &sizes[i], &suggested));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &sizes[i], NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof(shape), shape, 0, NULL, NULL));
        CHECK_THAT(suggested >= 1);
        assert_int_equal(shape[0], suggested);
        assert_int_equal(shape[1], (sizes[i] + suggested - 1) / suggested);
        assert_int_equal(shape[2], 1);
    }
    CHECK_CODE(suggest(NULL, kernel, 1, NULL, sizes, &suggested), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(suggest(w.queue, NULL, 1, NULL, sizes, &suggested), CL_INVALID_KERNEL);
    CHECK_CODE(suggest(w.queue, kernel, 0, NULL, sizes, &suggested), CL_INVALID_WORK_DIMENSION);
    CHECK_CODE(suggest(w.queue, kernel, 1, NULL, NULL, &suggested), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK_CODE(suggest(w.queue, kernel, 1, NULL, &zero, &suggested), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK_CODE(suggest(w.queue, kernel, 1, NULL, sizes, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

static void a_task_is_one_work_item(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "shape");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    cl_uint shape[3];
    cl_event event;
    cl_command_type type;
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clEnqueueTask(w.queue, kernel, 0, NULL, &event));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_TASK);
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof(shape), shape, 1, &event, NULL));
    assert_int_equal(shape[0], 1);
    assert_int_equal(shape[1], 1);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

static void many_launches_all_run(void **state)
{
    (void)state;
    cl_uint zero = 0, value, one = 1;
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(zero), &zero);
    size_t global = 1;
    CHECK(clSetKernelArg(ids, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(ids, 1, sizeof(one), &one));
    CHECK(clSetKernelArg(ids, 2, sizeof(one), &one));
    for (int i = 0; i < 20000; i++)
        CHECK(clEnqueueNDRangeKernel(w.queue, ids, 1, NULL, &global, &global, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    assert_int_equal(value, 20000);
    CHECK(clReleaseMemObject(buffer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_work_item_runs_once),
        cmocka_unit_test(errors_have_their_codes),
        cmocka_unit_test(a_required_size_is_kept),
        cmocka_unit_test(uniform_programs_refuse_a_remainder),
        cmocka_unit_test(nothing_to_do_succeeds),
        cmocka_unit_test(too_much_local_memory_is_told),
        cmocka_unit_test(the_suggested_size_is_the_one_taken),
        cmocka_unit_test(a_task_is_one_work_item),
        cmocka_unit_test(many_launches_all_run),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
