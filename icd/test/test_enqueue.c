/* SPDX-License-Identifier: Apache-2.0
 * Device-side enqueue: on-device queues, what the host may do with them, and kernels that enqueue kernels. */
#include "icd/test/program_fixture.h"

#include "tessera/enqueue.h"

#define ERRORS                                                                                                                             \
    "kernel void errors(queue_t q, global int *out, ulong many) {\n"                                                                       \
    "    void (^none)(void) = ^{ out[99] = 1; };\n"                                                                                        \
    "    void (^one)(local void *) = ^(local void *a) { out[99] = 1; };\n"                                                                 \
    "    queue_t null = CLK_NULL_QUEUE;\n"                                                                                                 \
    "    clk_event_t bad = CLK_NULL_EVENT, e;\n"                                                                                           \
    "    size_t sizes[3] = {1, 1, 1}, groups[3] = {1, 0, 1};\n"                                                                            \
    "    out[0] = enqueue_kernel(null, 0, ndrange_1D(1), none);\n"                                                                         \
    "    out[1] = enqueue_kernel(q, 7, ndrange_1D(1), none);\n"                                                                            \
    "    out[2] = enqueue_kernel(q, 0, ndrange_1D(many, many), none);\n"                                                                   \
    "    out[3] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &bad, 0, none);\n"                                                                \
    "    out[4] = enqueue_kernel(q, 0, ndrange_1D(1), 0, &bad, 0, none);\n"                                                                \
    "    out[5] = enqueue_kernel(q, 0, ndrange_1D(1), 1, 0, &e, none);\n"                                                                  \
    "    out[6] = enqueue_kernel(q, 0, ndrange_1D(1), one, 0u);\n"                                                                         \
    "    out[7] = enqueue_kernel(q, 0, ndrange_1D(1), one, (ulong)1 << 40);\n"                                                             \
    "    out[8] = enqueue_kernel(q, 0, ndrange_2D(sizes, groups), none);\n"                                                                \
    "    out[9] = enqueue_marker(null, 1, &bad, &e);\n"                                                                                    \
    "    out[10] = enqueue_marker(q, 1, &bad, &e);\n"                                                                                      \
    "    out[11] = enqueue_kernel(q, 0, ndrange_1D(0), none);\n"                                                                           \
    "    out[12] = get_default_queue() == null; out[13] = q == null;\n"                                                                    \
    "    release_event(bad); retain_event(bad); set_user_event_status(bad, 0);\n"                                                          \
    "}\n"

static const char source[] =
    "void fill(queue_t q, global int *out, int n) {\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), ^{ out[get_global_id(0)] = 7 * (int)get_global_id(0); });\n"
    "}\n"
    "kernel void basic(queue_t q, global int *out, int n) { if (get_global_id(0) == 0) fill(q, out, n); }\n"
    "kernel void each(global int *out, int flags) {\n"
    "    int id = get_global_id(0);\n"
    "    size_t one = 1;\n"
    "    int err = enqueue_kernel(get_default_queue(), flags, ndrange_1D(one), ^{ out[id] += id + 1; });\n"
    "    if (err != CLK_SUCCESS) out[id] = err;\n"
    "}\n"
    "kernel void with_barrier(global int *out) {\n"
    "    local int sum;\n"
    "    int id = get_global_id(0), lid = get_local_id(0);\n"
    "    if (lid == 0) sum = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_add(&sum, id);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int got = sum;\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ out[id] = got; });\n"
    "}\n"
    "void descend(global int *out, int depth) {\n"
    "    atomic_inc(out);\n"
    "    if (depth) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ descend(out, depth - 1); });\n"
    "}\n"
    "kernel void deep(global int *out, int depth) { descend(out, depth); }\n"
    "void descend_named(global int *out, int depth) {\n"
    "    clk_event_t e;\n"
    "    atomic_inc(out);\n"
    "    int err = depth ? enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, 0, &e, ^{ descend_named(out, depth - 1); }) : 1;\n"
    "    if (err) out[1] = err; else release_event(e);\n"
    "}\n"
    "kernel void deep_named(global int *out, int depth) { descend_named(out, depth); }\n"
    "kernel void many_events(global int *out, int n) {\n"
    "    for (int i = 0; i < n; i++) out[0] += is_valid_event(create_user_event());\n"
    "}\n"
    "void branch(global int *out, int depth) {\n"
    "    atomic_inc(out);\n"
    "    if (depth) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2, 1), ^{ branch(out, depth - 1); });\n"
    "}\n"
    "kernel void wide(global int *out, int depth) { branch(out, depth); }\n"
    "kernel void all_of_local_memory(queue_t q, global int *out, ulong most) {\n"
    "    void (^two)(local void *, local void *) = ^(local void *a, local void *b) {\n"
    "        local char *x = (local char *)a, *y = (local char *)b;\n"
    "        x[0] = 1; y[0] = 2; y[most - 2] = 3;\n"
    "        out[2] = x[0] + y[0] + y[most - 2];\n"
    "    };\n"
    "    out[0] = enqueue_kernel(q, 0, ndrange_1D(1), two, 1u, (uint)most);\n"
    "    out[1] = enqueue_kernel(q, 0, ndrange_1D(1), two, 1u, (uint)most - 1);\n"
    "}\n"
    "kernel void locals(global int *out) {\n"
    "    void (^sum)(local void *, local void *) = ^(local void *a, local void *b) {\n"
    "        local int *x = (local int *)a; local long *y = (local long *)b;\n"
    "        int id = get_local_id(0);\n"
    "        x[id] = id; y[id] = 100 * id;\n"
    "        work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        int other = (id + 1) % get_local_size(0);\n"
    "        out[get_global_id(0)] = x[other] + (int)y[other];\n"
    "    };\n"
    "    ndrange_t range = ndrange_1D(64, 16);\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, sum, (uint)(16 * sizeof(int)), 16 * sizeof(long));\n"
    "}\n"
    "kernel void chain(global int *out) {\n" /* events in an order that the wait lists make */
    "    clk_event_t user = create_user_event(), a, b, marker;\n"
    "    int err = 0;\n"
    "    out[0] = 1;\n"
    "    err |= enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, &a, ^{ out[0] = out[0] * 3; });\n"
    "    err |= enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &a, &b, ^{ out[0] = out[0] + 5; });\n"
    "    clk_event_t both[2] = {a, b};\n"
    "    err |= enqueue_marker(get_default_queue(), 2, both, &marker);\n"
    "    err |= enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &marker, 0, ^{ out[0] = out[0] * 10; });\n"
    "    out[1] = err; out[2] = is_valid_event(a) && is_valid_event(marker) && !is_valid_event(CLK_NULL_EVENT);\n"
    "    retain_event(a); release_event(a);\n"
    "    release_event(a); release_event(b); release_event(marker);\n"
    "    out[3] = is_valid_event(a);\n"
    "    set_user_event_status(user, CL_COMPLETE);\n"
    "    release_event(user);\n"
    "}\n"
    "kernel void failed(global int *out) {\n"
    "    clk_event_t user = create_user_event(), a;\n"
    "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, &a, ^{ out[0] = 1; });\n"
    "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &a, 0, ^{ out[1] = 1; });\n"
    "    set_user_event_status(user, -7);\n"
    "    release_event(user); release_event(a);\n"
    "}\n"
    "kernel void forgotten(global int *out) {\n" /* a user event that nobody can set any more */
    "    clk_event_t user = create_user_event();\n"
    "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, 0, ^{ out[0] = 1; });\n"
    "    release_event(user);\n"
    "}\n"
    "kernel void leaky(global int *out) {\n"
    "    clk_event_t e;\n"
    "    out[get_global_id(0)] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, 0, &e, ^{ });\n"
    "}\n"
    "kernel void fills_queue(queue_t q, global int *out, int n) {\n"
    "    int done = 0, full = 0;\n"
    "    clk_event_t user = create_user_event();\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        int err = enqueue_kernel(q, 0, ndrange_1D(1), 1, &user, 0, ^{ atomic_inc(out); });\n"
    "        done += err == CLK_SUCCESS; full += err == CLK_DEVICE_QUEUE_FULL;\n"
    "    }\n"
    "    set_user_event_status(user, CL_COMPLETE); release_event(user);\n"
    "    out[1] = done; out[2] = full;\n"
    "}\n"
    "kernel void asks(global uint *out) {\n"
    "    size_t sizes[2] = {100, 10}, groups[2] = {20, 5};\n"
    "    out[0] = get_kernel_work_group_size(^{ out[9] = 1; });\n"
    "    out[1] = get_kernel_preferred_work_group_size_multiple(^{ out[9] = 1; });\n"
    "#if __OPENCL_C_VERSION__ >= 300\n"
    "    out[2] = get_kernel_sub_group_count_for_ndrange(ndrange_2D(sizes, groups), ^{ out[9] = 1; });\n"
    "    out[3] = get_kernel_max_sub_group_size_for_ndrange(ndrange_2D(sizes, groups), ^{ out[9] = 1; });\n"
    "    out[4] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(3, 3), ^{ out[9] = 1; });\n"
    "#endif\n"
    "}\n"
    "kernel void ranges(global int *out) {\n" /* offsets, and what work-items of the child see */
    "    size_t offset[3] = {1, 2, 3}, size[3] = {4, 3, 2}, group[3] = {2, 3, 1};\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_3D(offset, size, group), ^{\n"
    "        int x = get_global_id(0) - 1, y = get_global_id(1) - 2, z = get_global_id(2) - 3;\n"
    "        out[x + 4 * (y + 3 * z)] = get_local_size(0) + 10 * get_num_groups(0) + 100 * get_work_dim() + 1000 * get_global_offset(2);\n"
    "    });\n"
    "}\n"
    "kernel void profiled(queue_t q, global ulong *times, global int *out) {\n"
    "    clk_event_t e;\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, 0, &e, ^{\n"
    "        for (int i = 0; i < 1000; i++) out[i] = i;\n"
    "        enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ for (int i = 0; i < 100000; i++) atomic_inc(out); });\n"
    "    });\n"
    "    capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, times);\n"
    "    release_event(e);\n"
    "}\n" ERRORS "kernel void called(global int *out) {\n" /* blocks that are only called */
    "    int x = 5;\n"
    "    int (^twice)(int) = ^(int a) { return 2 * a + x; };\n"
    "    out[0] = twice(4);\n"
    "}\n";

static cl_command_queue device_queue(cl_context context, cl_device_id device, cl_uint size, cl_command_queue_properties more)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more,
                                  size ? CL_QUEUE_SIZE : 0, size, 0};
    cl_command_queue queue;
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, device, list, &err), CL_SUCCESS);
    return queue;
}

static cl_command_queue default_queue;

static int begin(void **state)
{
    (void)state;
    begin_with(source, "-cl-std=CL3.0 -g"); /* -g: exact errors */
    default_queue = device_queue(w.context, w.device, 0, CL_QUEUE_ON_DEVICE_DEFAULT);
    return 0;
}

static int finish(void **state)
{
    CHECK(clReleaseCommandQueue(default_queue));
    return end(state);
}

enum { INTS = 4096 };

/* Runs the kernel, whose arguments but `out_index` are set, on a range, and reads the numbers. */
static void run(cl_kernel kernel, cl_uint out_index, size_t items, size_t group, cl_int out[INTS])
{
    cl_mem buffer;
    memset(out, 0, INTS * sizeof *out);
    CHECK_CREATE(buffer, clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, INTS * sizeof *out, out, &err), CL_SUCCESS);
    CHECK(clSetKernelArg(kernel, out_index, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, group ? &group : NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, INTS * sizeof *out, out, 0, NULL, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

static void told(void **state)
{
    (void)state;
    cl_uint number;
    cl_command_queue_properties flags;
    cl_command_queue found, other;
    CHECK(clGetCommandQueueInfo(default_queue, CL_QUEUE_SIZE, sizeof number, &number, NULL));
    assert_int_equal(number, TSR_ENQUEUE_PREFERRED_BYTES);
    CHECK(clGetCommandQueueInfo(default_queue, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL));
    CHECK_THAT(flags & CL_QUEUE_ON_DEVICE_DEFAULT && flags & CL_QUEUE_ON_DEVICE);
    CHECK(clGetCommandQueueInfo(w.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
    CHECK_THAT(found == default_queue);
    CHECK_CODE(clGetCommandQueueInfo(w.queue, CL_QUEUE_SIZE, sizeof number, &number, NULL), CL_INVALID_COMMAND_QUEUE);
    other = device_queue(w.context, w.device, 65536, 0);
    CHECK(clGetCommandQueueInfo(other, CL_QUEUE_SIZE, sizeof number, &number, NULL));
    assert_int_equal(number, 65536);
    cl_context context;
    CHECK(clGetCommandQueueInfo(other, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    CHECK_THAT(context == w.context);
    cl_queue_properties list[5];
    size_t size;
    CHECK(clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &size));
    CHECK_THAT(size == sizeof list && list[2] == CL_QUEUE_SIZE && list[3] == 65536 && !list[4]);
    /* There is one default queue for a device; asking for it again gives the same. */
    found = device_queue(w.context, w.device, 0, CL_QUEUE_ON_DEVICE_DEFAULT);
    CHECK_THAT(found == default_queue);
    CHECK(clReleaseCommandQueue(found));
    CHECK(clSetDefaultDeviceCommandQueue(w.context, w.device, other));
    CHECK(clGetCommandQueueInfo(w.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
    CHECK_THAT(found == other);
    CHECK(clReleaseCommandQueue(other)); /* the application has no default queue now */
    CHECK(clGetCommandQueueInfo(w.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
    CHECK_THAT(!found);
    CHECK(clSetDefaultDeviceCommandQueue(w.context, w.device, default_queue));
    CHECK(clRetainCommandQueue(default_queue));
    CHECK(clGetCommandQueueInfo(default_queue, CL_QUEUE_REFERENCE_COUNT, sizeof number, &number, NULL));
    assert_int_equal(number, 2);
    CHECK(clReleaseCommandQueue(default_queue));
}

static void refused(void **state)
{
    (void)state;
    cl_int number = 1;
    cl_event event;
    cl_mem buffer = test_buffer(w.context, 0, sizeof number, NULL);
    cl_kernel kernel = test_kernel(program, "called"), basic = test_kernel(program, "basic");
    const size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    /* Commands of the host. */
    CHECK_CODE(clEnqueueNDRangeKernel(default_queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueWriteBuffer(default_queue, buffer, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueMarkerWithWaitList(default_queue, 0, NULL, &event), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clFinish(default_queue), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clFlush(default_queue), CL_INVALID_COMMAND_QUEUE);
    /* Arguments. */
    CHECK_CODE(clSetKernelArg(basic, 0, 4, &default_queue), CL_INVALID_ARG_SIZE);
    CHECK_CODE(clSetKernelArg(basic, 0, sizeof default_queue, NULL), CL_INVALID_DEVICE_QUEUE);
    CHECK_CODE(clSetKernelArg(basic, 0, sizeof w.queue, &w.queue), CL_INVALID_DEVICE_QUEUE);
    CHECK_CODE(clSetKernelArg(basic, 0, sizeof buffer, &buffer), CL_INVALID_DEVICE_QUEUE);
    CHECK_CODE(clSetKernelArg(basic, 1, sizeof default_queue, &default_queue), CL_INVALID_MEM_OBJECT);
    cl_context context = test_context(w.device);
    cl_command_queue other = device_queue(context, w.device, 0, 0);
    CHECK_CODE(clSetKernelArg(basic, 0, sizeof other, &other), CL_INVALID_DEVICE_QUEUE);
    CHECK_CODE(clSetDefaultDeviceCommandQueue(w.context, w.device, other), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clSetDefaultDeviceCommandQueue(w.context, w.device, w.queue), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clSetDefaultDeviceCommandQueue(w.context, w.device, NULL), CL_INVALID_COMMAND_QUEUE);
    /* Properties. */
    static const cl_queue_properties device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl_queue_properties large[] = {CL_QUEUE_PROPERTIES, device, CL_QUEUE_SIZE, (cl_queue_properties)TSR_ENQUEUE_MOST_BYTES + 1, 0};
    CHECK_CREATE(other, clCreateCommandQueueWithProperties(w.context, w.device, large, &err), CL_INVALID_QUEUE_PROPERTIES);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(basic));
}

/* The host does not see the kernels of blocks. */
static void blocks_are_hidden(void **state)
{
    (void)state;
    static char names[4096];
    cl_kernel kernels[64], none;
    cl_uint count;
    size_t number;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL));
    CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    CHECK_THAT(!strstr(names, "block_invoke") && strstr(names, "basic") && names[0] != ';');
    CHECK(clCreateKernelsInProgram(program, 64, kernels, &count));
    assert_int_equal(count, number);
    while (count)
        CHECK(clReleaseKernel(kernels[--count]));
    CHECK_CREATE(none, clCreateKernel(program, "__fill_block_invoke_kernel", &err), CL_INVALID_KERNEL_NAME);
}

static void all_forms(void **state)
{
    (void)state;
    static cl_int out[INTS];
    cl_kernel kernel = test_kernel(program, "basic");
    cl_int n = 1000;
    CHECK(clSetKernelArg(kernel, 0, sizeof default_queue, &default_queue));
    CHECK(clSetKernelArg(kernel, 2, sizeof n, &n));
    run(kernel, 1, 3, 0, out);
    for (int i = 0; i < INTS; i++)
        assert_int_equal(out[i], i < n ? 7 * i : 0);
    for (cl_int flags = 0; flags < 3; flags++)
        for (size_t group = 0; group < 65; group += 32) {
            kernel = test_kernel(program, "each");
            CHECK(clSetKernelArg(kernel, 1, sizeof flags, &flags));
            run(kernel, 0, 3001, group, out);
            for (int i = 0; i < INTS; i++)
                assert_int_equal(out[i], i < 3001 ? i + 1 : 0);
        }
    run(test_kernel(program, "with_barrier"), 0, 200, 50, out);
    for (int i = 0; i < 200; i++)
        assert_int_equal(out[i], 50 * (i / 50 * 50) + 49 * 25);
    run(test_kernel(program, "locals"), 0, 1, 0, out);
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 101 * ((i + 1) % 16));
    run(test_kernel(program, "ranges"), 0, 1, 0, out);
    for (int i = 0; i < 25; i++)
        assert_int_equal(out[i], i < 24 ? 3322 : 0);
    run(test_kernel(program, "called"), 0, 1, 0, out);
    assert_int_equal(out[0], 13);
}

static void nesting(void **state)
{
    (void)state;
    static cl_int out[INTS];
    cl_kernel kernel = test_kernel(program, "deep");
    cl_int depth = 20000;
    CHECK(clSetKernelArg(kernel, 1, sizeof depth, &depth));
    run(kernel, 0, 1, 0, out);
    assert_int_equal(out[0], depth + 1);
    kernel = test_kernel(program, "wide");
    depth = 10;
    CHECK(clSetKernelArg(kernel, 1, sizeof depth, &depth));
    run(kernel, 0, 2, 1, out);
    assert_int_equal(out[0], (2 << (depth + 1)) - 2);
}

/* A kernel that enqueues itself again and again: as long as it likes in constant memory if it asks for no events, and otherwise until the
 * queue is full. */
static void without_end(void **state)
{
    (void)state;
    static cl_int out[INTS];
    const cl_int depth = 300000;
    cl_command_queue queue = device_queue(w.context, w.device, 65536, 0);
    CHECK(clSetDefaultDeviceCommandQueue(w.context, w.device, queue));
    cl_kernel kernel = test_kernel(program, "deep");
    CHECK(clSetKernelArg(kernel, 1, sizeof depth, &depth));
    const long before = test_resident_kib();
    run(kernel, 0, 1, 0, out);
    assert_int_equal(out[0], depth + 1);
    CHECK_THAT(CL_TEST_SANITIZED || test_resident_kib() < before + 20000);
    for (int round = 0; round < 2; round++) { /* what has ended leaves the queue empty */
        kernel = test_kernel(program, "deep_named");
        CHECK(clSetKernelArg(kernel, 1, sizeof depth, &depth));
        run(kernel, 0, 1, 0, out);
        CHECK_THAT(out[0] > 10 && out[0] < 1000);
        assert_int_equal(out[1], TSR_ENQUEUE_QUEUE_FULL);
    }
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clSetDefaultDeviceCommandQueue(w.context, w.device, default_queue));
}

static void events(void **state)
{
    (void)state;
    static cl_int out[INTS];
    run(test_kernel(program, "chain"), 0, 1, 0, out);
    assert_int_equal(out[0], 80);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], 1);
    assert_int_equal(out[3], 0);
    run(test_kernel(program, "failed"), 0, 1, 0, out);
    CHECK_THAT(!out[0] && !out[1]);
    run(test_kernel(program, "forgotten"), 0, 1, 0, out);
    assert_int_equal(out[0], 0);
}

/* Events that nobody releases: as many as the queue can have, and no more until the queue is gone. */
static void events_run_out(void **state)
{
    (void)state;
    static cl_int out[INTS];
    cl_command_queue queue = device_queue(w.context, w.device, 0, 0);
    CHECK(clSetDefaultDeviceCommandQueue(w.context, w.device, queue));
    for (int round = 0; round < TSR_ENQUEUE_EVENTS / INTS; round++) {
        run(test_kernel(program, "leaky"), 0, INTS, 0, out);
        for (int i = 0; i < INTS; i++)
            assert_int_equal(out[i], 0);
    }
    run(test_kernel(program, "leaky"), 0, 1, 0, out);
    assert_int_equal(out[0], TSR_ENQUEUE_NO_EVENT);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clSetDefaultDeviceCommandQueue(w.context, w.device, default_queue));
    run(test_kernel(program, "leaky"), 0, 1, 0, out);
    assert_int_equal(out[0], 0);
}

static void errors(void **state)
{
    (void)state;
    static const cl_int expected[] = {-102, -101, -160, -57, -57, -57, -51, -5, -160, -102, -57, 0, 0, 0};
    static cl_int out[INTS];
    cl_kernel kernel = test_kernel(program, "errors");
    cl_ulong many = 1 << 20;
    CHECK(clSetKernelArg(kernel, 0, sizeof default_queue, &default_queue));
    CHECK(clSetKernelArg(kernel, 2, sizeof many, &many));
    run(kernel, 1, 1, 0, out);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (out[i] != expected[i])
            fail_msg("case %zu answers %d, expected %d", i, out[i], expected[i]);
    assert_int_equal(out[99], 0);
    /* Without -g there is one error. */
    cl_program plain = test_build(w.context, w.device, ERRORS, "-cl-std=CL2.0");
    kernel = test_kernel(plain, "errors");
    CHECK(clSetKernelArg(kernel, 0, sizeof default_queue, &default_queue));
    CHECK(clSetKernelArg(kernel, 2, sizeof many, &many));
    run(kernel, 1, 1, 0, out);
    for (size_t i = 0; i < 11; i++)
        assert_int_equal(out[i], TSR_ENQUEUE_FAILURE);
    CHECK(clReleaseProgram(plain));
}

/* The gaps that align local arguments do not count. */
static void all_of_local_memory(void **state)
{
    (void)state;
    static cl_int out[INTS];
    cl_ulong most = 0;
    cl_kernel kernel = test_kernel(program, "all_of_local_memory");
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
    CHECK(clSetKernelArg(kernel, 0, sizeof default_queue, &default_queue));
    CHECK(clSetKernelArg(kernel, 2, sizeof most, &most));
    run(kernel, 1, 1, 0, out);
    assert_int_equal(out[0], CL_OUT_OF_RESOURCES);
    assert_int_equal(out[1], CL_SUCCESS);
    assert_int_equal(out[2], 1 + 2 + 3);
}

static void full_queue(void **state)
{
    (void)state;
    static cl_int out[INTS];
    cl_int n = 500;
    cl_command_queue queue = device_queue(w.context, w.device, 65536, 0);
    for (int round = 0; round < 2; round++) { /* what has run leaves the queue empty */
        cl_kernel kernel = test_kernel(program, "fills_queue");
        CHECK(clSetKernelArg(kernel, 0, sizeof queue, &queue));
        CHECK(clSetKernelArg(kernel, 2, sizeof n, &n));
        run(kernel, 1, 1, 0, out);
        CHECK_THAT(out[1] > 10 && out[2] > 10 && out[1] + out[2] == n);
        assert_int_equal(out[0], out[1]);
    }
    CHECK(clReleaseCommandQueue(queue));
}

static void without_default(void **state)
{
    (void)state;
    static cl_int out[INTS];
    cl_int flags = 0;
    cl_context context = test_context(w.device);
    cl_command_queue queue = test_queue(context, w.device, 0);
    cl_program own = test_build(context, w.device, source, "-cl-std=CL3.0 -g");
    cl_kernel kernel = test_kernel(own, "each");
    cl_mem buffer = test_buffer(context, 0, 64, NULL);
    const size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof flags, &flags));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_int_equal(out[0], TSR_ENQUEUE_INVALID_QUEUE);
    CHECK(clReleaseKernel(kernel));
    const cl_int many = TSR_ENQUEUE_EVENTS + 100, zero = 0; /* user events that are in no queue */
    kernel = test_kernel(own, "many_events");
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof many, &many));
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 4, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_int_equal(out[0], TSR_ENQUEUE_EVENTS);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(own));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

static void queries(void **state)
{
    (void)state;
    static cl_int out[INTS];
    size_t most;
    run(test_kernel(program, "asks"), 0, 1, 0, out);
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    assert_int_equal(out[0], most);
    CHECK_THAT(out[1] == 8 || out[1] == 16 || out[1] == 32);
    assert_int_equal(out[2], (100 + out[1] - 1) / out[1]);
    assert_int_equal(out[3], out[1]);
    assert_int_equal(out[4], 3);
}

/* The queue and everything else may be released while kernels are still to be enqueued. */
static void released_in_flight(void **state)
{
    (void)state;
    static cl_int out[INTS];
    for (int round = 0; round < 20; round++) {
        cl_context context = test_context(w.device);
        cl_command_queue queue = test_queue(context, w.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        cl_command_queue on_device = device_queue(context, w.device, 0, CL_QUEUE_ON_DEVICE_DEFAULT);
        cl_program own = test_build(context, w.device, source, "-cl-std=CL3.0 -g");
        cl_kernel kernel = test_kernel(own, "wide");
        cl_mem buffer;
        cl_int depth = 5;
        cl_event gate, event;
        const size_t two = 2;
        memset(out, 0, 64);
        CHECK_CREATE(buffer, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, out, &err), CL_SUCCESS);
        CHECK_CREATE(gate, clCreateUserEvent(context, &err), CL_SUCCESS);
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        CHECK(clSetKernelArg(kernel, 1, sizeof depth, &depth));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &two, &(size_t){1}, 1, &gate, &event));
        CHECK(clReleaseCommandQueue(on_device));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(own));
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseCommandQueue(queue));
        CHECK(clReleaseContext(context));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clWaitForEvents(1, &event));
        assert_int_equal(out[0], (2 << (depth + 1)) - 2);
        CHECK(clReleaseEvent(gate));
        CHECK(clReleaseEvent(event));
    }
}

/* Two objects whose static functions, and so their blocks, have the same names; and the binary of what is linked. */
static void linked(void **state)
{
    (void)state;
    static cl_int out[INTS];
    static const char *const texts[] = {
        "static void put(global int *out) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 10; }); }\n"
        "kernel void first(global int *out) { put(out); }\n",
        "static void put(global int *out) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 20; }); }\n"
        "kernel void second(global int *out) { put(out); }\n",
    };
    cl_program parts[2], whole, copy;
    for (int i = 0; i < 2; i++) {
        CHECK_CREATE(parts[i], clCreateProgramWithSource(w.context, 1, (const char **)(uintptr_t)&texts[i], NULL, &err), CL_SUCCESS);
        CHECK(clCompileProgram(parts[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    }
    CHECK_CREATE(whole, clLinkProgram(w.context, 0, NULL, "", 2, parts, NULL, NULL, &err), CL_SUCCESS);
    run(test_kernel(whole, "first"), 0, 1, 0, out);
    assert_int_equal(out[0], 10);
    run(test_kernel(whole, "second"), 0, 1, 0, out);
    assert_int_equal(out[0], 20);
    size_t size;
    CHECK(clGetProgramInfo(whole, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    CHECK(clGetProgramInfo(whole, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    CHECK_CREATE(copy, clCreateProgramWithBinary(w.context, 1, &w.device, &size, (const unsigned char **)&binary, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(copy, 0, NULL, "", NULL, NULL));
    run(test_kernel(copy, "second"), 0, 1, 0, out);
    assert_int_equal(out[0], 20);
    free(binary);
    CHECK(clReleaseProgram(copy));
    CHECK(clReleaseProgram(whole));
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
}

/* Blocks of a program that was built for uniform work-groups. */
static void uniform_groups(void **state)
{
    (void)state;
    static cl_int out[INTS];
    static const char text[] = "kernel void k(global int *out) {\n"
                               "    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(10, 4), ^{ out[2] = 1; });\n"
                               "    out[1] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(8, 4), ^{ out[3] = 1; });\n"
                               "}\n";
    for (int uniform = 0; uniform < 2; uniform++) {
        cl_program own =
            test_build(w.context, w.device, text, uniform ? "-cl-std=CL3.0 -g -cl-uniform-work-group-size" : "-cl-std=CL3.0 -g");
        run(test_kernel(own, "k"), 0, 1, 0, out);
        assert_int_equal(out[0], uniform ? TSR_ENQUEUE_INVALID_RANGE : 0);
        assert_int_equal(out[2], !uniform);
        assert_int_equal(out[1], 0);
        assert_int_equal(out[3], 1);
        CHECK(clReleaseProgram(own));
    }
}

/* A launch that fails, deep below that of the host, fails it. */
static void failing_child(void **state)
{
    (void)state;
    static const char text[] = "kernel void k(global int *out) {\n"
                               "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{\n"
                               "        enqueue_kernel(get_default_queue(), 0, ndrange_1D(32, 32), ^{\n"
                               "            if (get_local_id(0) < 20) barrier(CLK_LOCAL_MEM_FENCE); else out[get_local_id(0)] = 1;\n"
                               "        });\n"
                               "    });\n"
                               "}\n";
    cl_program own = test_build(w.context, w.device, text, "-cl-std=CL3.0");
    cl_kernel kernel = test_kernel(own, "k");
    cl_mem buffer = test_buffer(w.context, 0, 256, NULL);
    cl_event event;
    cl_int status;
    const size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_OUT_OF_RESOURCES);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(own));
}

/* The event of the host's launch covers what the kernel has enqueued. */
static void profiles(void **state)
{
    (void)state;
    cl_command_queue queue = test_queue(w.context, w.device, CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue on_device = device_queue(w.context, w.device, 0, CL_QUEUE_PROFILING_ENABLE);
    cl_kernel kernel = test_kernel(program, "profiled");
    cl_mem times = test_buffer(w.context, 0, 16, NULL), out = test_buffer(w.context, 0, INTS * sizeof(cl_int), NULL);
    cl_ulong start, ended, complete, got[2] = {0};
    cl_event event;
    const size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof on_device, &on_device));
    CHECK(clSetKernelArg(kernel, 1, sizeof times, &times));
    CHECK(clSetKernelArg(kernel, 2, sizeof out, &out));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE, sizeof complete, &complete, NULL));
    CHECK(clEnqueueReadBuffer(queue, times, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK_THAT(start <= ended && ended < complete);
    CHECK_THAT(got[0] && got[0] < got[1] && got[1] <= complete - ended);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(times));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseCommandQueue(on_device));
    CHECK(clReleaseCommandQueue(queue));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told),           cmocka_unit_test(refused),         cmocka_unit_test(blocks_are_hidden),
        cmocka_unit_test(all_forms),      cmocka_unit_test(nesting),         cmocka_unit_test(without_end),
        cmocka_unit_test(events),         cmocka_unit_test(errors),          cmocka_unit_test(all_of_local_memory),
        cmocka_unit_test(events_run_out), cmocka_unit_test(full_queue),      cmocka_unit_test(queries),
        cmocka_unit_test(profiles),       cmocka_unit_test(without_default), cmocka_unit_test(released_in_flight),
        cmocka_unit_test(linked),         cmocka_unit_test(uniform_groups),  cmocka_unit_test(failing_child),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
