/* SPDX-License-Identifier: Apache-2.0
 * GPUs over the stand-in driver: what contexts with several devices do, and what becomes of a program whose GPU fails. */
#include "icd/test/gpu.h"

/* ---- several devices ---- */

/* Kernels on all devices in turn, each after the event of the one before it, on one buffer. */
static void devices_take_turns(void)
{
    struct world w = begin(CL_DEVICE_TYPE_ALL);
    assert_true(w.count >= 2);
    build(&w);
    cl_kernel add = test_kernel(w.program, "add");
    static cl_int host[COUNT];
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    cl_event last = NULL;
    int sum = 0;
    for (cl_uint i = 0; i < 3 * w.count; i++) {
        cl_event event;
        sum += 1 << i;
        CHECK(enqueue_add(&w, i % w.count, add, buffer, 1 << i, last, &event));
        if (last)
            CHECK(clReleaseEvent(last));
        last = event;
    }
    CHECK(clEnqueueReadBuffer(w.queues[0], buffer, CL_TRUE, 0, sizeof host, host, 1, &last, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(host[i], sum);
    CHECK(clReleaseEvent(last));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

/* Sizes and numbers of groups, and local memory, on both sides of what the local size divides. */
static void uneven_ranges(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    cl_kernel kernel = test_kernel(w.program, "groups");
    static const size_t globals[] = {1, 63, 64, 65, 127, 128, 1000};
    size_t local = 64, offset = 7;
    for (size_t g = 0; g < sizeof globals / sizeof *globals; g++) {
        cl_uint out[1000];
        cl_mem buffer = test_buffer(w.context, 0, sizeof out, NULL);
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        CHECK(clSetKernelArg(kernel, 1, local * sizeof(int), NULL));
        CHECK(clEnqueueNDRangeKernel(w.queues[0], kernel, 1, &offset, &globals[g], &local, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queues[0], buffer, CL_TRUE, 0, globals[g] * sizeof *out, out, 0, NULL, NULL));
        for (size_t i = 0; i < globals[g]; i++)
            assert_int_equal(out[i], i + (globals[g] + local - 1) / local * 100000);
        CHECK(clReleaseMemObject(buffer));
    }
    CHECK(clReleaseKernel(kernel));
    end(&w);
}

/* Fills with patterns of all sizes, also those that the copy engine does not know. */
static void fills(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    enum { BYTES = 300 * 1024 };
    static unsigned char host[BYTES], pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (unsigned char)(i * 7 + 1);
    cl_mem buffer = test_buffer(w.context, 0, BYTES, NULL);
    for (size_t size = 1; size <= 128; size *= 2) {
        size_t offset = size, bytes = (BYTES - 2 * size) / size * size;
        CHECK(clEnqueueFillBuffer(w.queues[0], buffer, pattern, size, offset, bytes, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queues[0], buffer, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(host[offset + i], pattern[i % size]);
    }
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

/* The clock of kernels begins anew during the case. */
static void times(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    cl_kernel add = test_kernel(w.program, "add");
    cl_mem buffer = test_buffer(w.context, 0, COUNT * sizeof(cl_int), NULL);
    for (int round = 0; round < 20; round++) {
        cl_event event;
        cl_ulong at[4];
        CHECK(enqueue_add(&w, 0, add, buffer, 1, NULL, &event));
        assert_int_equal(status_of(event), CL_COMPLETE);
        for (cl_uint i = 0; i < 4; i++)
            CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof at[i], &at[i], NULL));
        for (int i = 0; i < 3; i++)
            assert_true(at[i] <= at[i + 1]);
        assert_true(at[3] - at[0] < 10000000000u);
        CHECK(clReleaseEvent(event));
    }
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

/* ---- failures ---- */

/* A launch loses the device, or hangs until the driver gives up. */
static void the_device_is_lost(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    cl_kernel add = test_kernel(w.program, "add");
    cl_mem buffer = test_buffer(w.context, 0, COUNT * sizeof(cl_int), NULL);
    cl_event events[3];
    cl_int host, err = CL_SUCCESS;
    CHECK(enqueue_add(&w, 0, add, buffer, 1, NULL, &events[0]));
    assert_int_equal(status_of(events[0]), CL_COMPLETE);
    CHECK(enqueue_add(&w, 0, add, buffer, 1, NULL, &events[1]));
    CHECK(enqueue_add(&w, 0, add, buffer, 1, NULL, &events[2])); /* a failed command does not stop its queue */
    assert_int_equal(status_of(events[1]), CL_OUT_OF_RESOURCES);
    assert_int_equal(status_of(events[2]), CL_OUT_OF_RESOURCES);
    assert_true(was_told("the device was lost"));
    CHECK_CODE(clEnqueueReadBuffer(w.queues[0], buffer, CL_TRUE, 0, sizeof host, &host, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    cl_bool available = CL_TRUE;
    CHECK(clGetDeviceInfo(w.devices[0], CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    assert_int_equal(available, CL_FALSE);
    assert_null(clCreateContext(NULL, 1, w.devices, NULL, NULL, &err));
    assert_int_equal(err, CL_DEVICE_NOT_AVAILABLE);
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseEvent(events[i]));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

static void the_device_has_no_memory(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    cl_mem buffer = test_buffer(w.context, 0, 8 << 20, NULL);
    cl_int zero = 0;
    cl_event event;
    CHECK(clEnqueueFillBuffer(w.queues[0], buffer, &zero, sizeof zero, 0, 8 << 20, 0, NULL, &event));
    assert_int_equal(status_of(event), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_true(was_told("no memory left"));
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

static void the_driver_refuses_a_launch(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    cl_kernel add = test_kernel(w.program, "add");
    cl_mem buffer = test_buffer(w.context, 0, COUNT * sizeof(cl_int), NULL);
    cl_int failed = 0;
    for (int i = 0; i < 3; i++) { /* one of them is refused; those before and behind it run */
        cl_event event;
        CHECK(enqueue_add(&w, 0, add, buffer, 1, NULL, &event));
        failed += status_of(event) == CL_OUT_OF_RESOURCES;
        CHECK(clReleaseEvent(event));
    }
    assert_int_equal(failed, 1);
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

static void the_driver_builds_nothing(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    char log[4096] = "";
    CHECK_CREATE(w.program, clCreateProgramWithSource(w.context, 1, (const char **)&source, NULL, &err), CL_SUCCESS);
    CHECK_CODE(clBuildProgram(w.program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clGetProgramBuildInfo(w.program, w.devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_true(strlen(log) > 10);
    end(&w);
}

/* A program from its binary: with the driver's machine code, or, if the driver does not take that, with the SPIR-V beside it. */
static void binaries(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    size_t size;
    CHECK(clGetProgramInfo(w.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    CHECK(clGetProgramInfo(w.program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program copy;
    CHECK_CREATE(copy, clCreateProgramWithBinary(w.context, 1, w.devices, &size, (const unsigned char **)&binary, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(copy, 0, NULL, NULL, NULL, NULL));
    static cl_int host[COUNT];
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    cl_kernel add = test_kernel(copy, "add");
    CHECK(enqueue_add(&w, 0, add, buffer, 5, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queues[0], buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    assert_int_equal(host[COUNT - 1], 5);
    free(binary);
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseProgram(copy));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

static void fill_an_image(const struct world *w, cl_uint value)
{
    const cl_image_format bytes4 = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
    const size_t zero[3] = {0}, all[3] = {64, 64, 1}, one[3] = {1, 1, 1};
    unsigned char pixel[4];
    cl_mem image;
    CHECK_CREATE(image, clCreateImage(w->context, 0, &bytes4, &desc, NULL, &err), CL_SUCCESS);
    CHECK(clEnqueueFillImage(w->queues[0], image, (const cl_uint[4]){value, value, value, value}, zero, all, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(w->queues[0], image, CL_TRUE, zero, one, 0, 0, pixel, 0, NULL, NULL));
    assert_int_equal(pixel[3], value);
    CHECK(clReleaseMemObject(image));
}

/* Builds, runs and releases: memory does not grow. ICD_GPU_ROUNDS: another number of rounds. */
static void many_programs(void)
{
    enum { FEW = 50, MOST_MORE = 2048 };
    const char *wanted = getenv("ICD_GPU_ROUNDS");
    int rounds = wanted ? atoi(wanted) : 300;
    long before = 0;
    alarm(60 + (unsigned)rounds);
    for (int round = 0; round < rounds; round++) {
        struct world w = begin(CL_DEVICE_TYPE_GPU);
        cl_int host = 0;
        build(&w);
        cl_kernel add = test_kernel(w.program, "add");
        cl_mem buffer = test_buffer(w.context, 0, COUNT * sizeof(cl_int), NULL);
        CHECK(clEnqueueFillBuffer(w.queues[0], buffer, &host, sizeof host, 0, COUNT * sizeof host, 0, NULL, NULL));
        CHECK(enqueue_add(&w, 0, add, buffer, round, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queues[0], buffer, CL_TRUE, 0, sizeof host, &host, 0, NULL, NULL));
        assert_int_equal(host, round);
        fill_an_image(&w, (cl_uint)round % 256);
        CHECK(clReleaseKernel(add));
        CHECK(clReleaseMemObject(buffer));
        end(&w);
        if (round == FEW)
            before = test_resident_kib();
    }
    const long grown = test_resident_kib() - before;
    if (wanted)
        print_message("%d rounds: %ld KiB more than after %d\n", rounds, grown, FEW);
    assert_true(CL_TEST_SANITIZED || rounds <= FEW || grown < MOST_MORE);
}

/* A child of fork is told that the device is lost, and does not hang. */
static void a_forked_child(void)
{
    if (TSR_TSAN) /* the stand-in's handler of fork() has its locks before the driver's handler takes its own: base/fork_test */
        return;
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    cl_kernel add = test_kernel(w.program, "add");
    cl_mem buffer = test_buffer(w.context, 0, COUNT * sizeof(cl_int), NULL);
    cl_event event;
    CHECK(enqueue_add(&w, 0, add, buffer, 1, NULL, &event));
    assert_int_equal(status_of(event), CL_COMPLETE);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        cl_int zero = 0, err = CL_SUCCESS;
        bool refused = clEnqueueWriteBuffer(w.queues[0], buffer, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL) == CL_OUT_OF_RESOURCES;
        cl_context context = clCreateContext(NULL, 1, w.devices, NULL, NULL, &err);
        _exit(refused && !context && err == CL_DEVICE_NOT_AVAILABLE ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(buffer));
    end(&w);
}

static void no_gpu(void)
{
    cl_uint count = 9;
    CHECK_CODE(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_GPU, 0, NULL, &count), CL_DEVICE_NOT_FOUND);
    CHECK(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    assert_int_equal(count, 1);
}

static void gpu_first(void)
{
    cl_device_id device;
    cl_device_type type;
    CHECK(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    assert_true(type & CL_DEVICE_TYPE_GPU);
}

/* ---- the cases ---- */

static const struct test_case cases[] = {
    {"cpu_and_gpu", devices_take_turns, {"STANDIN_DEVICES=dg2"}},
    {"two_gpus", devices_take_turns, {"STANDIN_DEVICES=dg2,bmg", "TESSERA_DEVICES=gpu"}},
    {"cpu_and_two_gpus", devices_take_turns, {"STANDIN_DEVICES=dg2,dg2"}},
    {"lists_in_any_order", devices_take_turns, {"STANDIN_ORDER=reversed"}},
    {"uneven_ranges", uneven_ranges, {"STANDIN_DEVICES=dg2"}},
    {"fills", fills, {"STANDIN_DEVICES=dg2"}},
    {"fills_without_a_copy_engine", fills, {"STANDIN_DEVICES=tgl"}},
    {"times", times, {"STANDIN_DEVICES=dg2"}},
    {"times_of_a_clock_that_wraps", times, {"STANDIN_FAULT=timestamp=2000"}},
    {"slow_events", times, {"STANDIN_FAULT=event=5"}},
    {"a_lost_device", the_device_is_lost, {"STANDIN_FAULT=lost=2"}},
    {"a_launch_that_hangs", the_device_is_lost, {"STANDIN_FAULT=hang=2"}},
    {"no_device_memory", the_device_has_no_memory, {"STANDIN_FAULT=memory=4000000"}},
    {"a_refused_launch", the_driver_refuses_a_launch, {"STANDIN_FAULT=submit=2"}},
    {"a_failed_build", the_driver_builds_nothing, {"STANDIN_FAULT=build", "TESSERA_CACHE=0"}},
    {"a_failed_build_below_layers", the_driver_builds_nothing, {"STANDIN_FAULT=build", "TESSERA_CACHE=0", "ZE_ENABLE_LOADER_INTERCEPT=1"}},
    {"below_the_validation_layer", devices_take_turns, {"ZE_ENABLE_VALIDATION_LAYER=1", "ZE_ENABLE_PARAMETER_VALIDATION=1"}},
    {"binaries", binaries, {"STANDIN_DEVICES=dg2"}},
    {"binaries_of_another_driver", binaries, {"STANDIN_FAULT=native"}},
    {"many_programs", many_programs, {"STANDIN_DEVICES=dg2"}},
    {"a_forked_child", a_forked_child, {"STANDIN_DEVICES=dg2"}},
    {"cpu_only", no_gpu, {"TESSERA_DEVICES=cpu"}},
    {"without_a_loader", no_gpu, {"TESSERA_LEVEL_ZERO=/nowhere/libze_loader.so.1"}},
    {"an_unknown_kind_is_ignored", devices_take_turns, {"TESSERA_DEVICES=cpu,abacus"}},
    {"gpu_first", gpu_first, {"TESSERA_DEVICES=gpu,cpu"}},
};

int main(int count, char **words)
{
    return run_gpu_cases(count, words, cases, sizeof cases / sizeof *cases);
}
