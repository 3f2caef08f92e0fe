/* SPDX-License-Identifier: Apache-2.0
 * GPUs over the stand-in driver: what contexts with several devices do, and what becomes of a program whose GPU fails. Each case runs in a
 * process of its own, with the variables that the stand-in reads. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/usm.h"

enum { COUNT = 4096 };

static const char *const source =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void scale(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] = 2 * a[i]; }\n"
    "kernel void groups(global uint *out, local int *box)\n"
    "{\n"
    "    box[get_local_id(0)] = (int)get_local_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    size_t first = get_group_id(0) * get_enqueued_local_size(0);\n"
    "    out[get_global_id(0) - get_global_offset(0)] = (uint)(first + (size_t)box[get_local_id(0)] + get_num_groups(0) * 100000);\n"
    "}\n";

/* ---- the world of a case ---- */

static char notes[65536]; /* what the context's callback was told, by several threads */
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK note(const char *message, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    pthread_mutex_lock(&notes_lock);
    strncat(notes, message, sizeof notes - strlen(notes) - 2);
    strcat(notes, "\n");
    pthread_mutex_unlock(&notes_lock);
}

static bool was_told(const char *words)
{
    pthread_mutex_lock(&notes_lock);
    bool found = strstr(notes, words);
    pthread_mutex_unlock(&notes_lock);
    return found;
}

struct world {
    cl_device_id devices[4];
    cl_uint count;
    cl_context context;
    cl_command_queue queues[4];
    cl_program program;
};

static struct world begin(cl_device_type type)
{
    struct world w = {0};
    CHECK(clGetDeviceIDs(test_platform(), type, 4, w.devices, &w.count));
    CHECK_CREATE(w.context, clCreateContext(NULL, w.count, w.devices, note, NULL, &err), CL_SUCCESS);
    for (cl_uint i = 0; i < w.count; i++)
        w.queues[i] = test_queue(w.context, w.devices[i], CL_QUEUE_PROFILING_ENABLE);
    return w;
}

static void build(struct world *w)
{
    CHECK_CREATE(w->program, clCreateProgramWithSource(w->context, 1, (const char **)&source, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(w->program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}

static void end(struct world *w)
{
    for (cl_uint i = 0; i < w->count; i++) {
        clFinish(w->queues[i]);
        CHECK(clReleaseCommandQueue(w->queues[i]));
    }
    if (w->program)
        CHECK(clReleaseProgram(w->program));
    CHECK(clReleaseContext(w->context));
}

static cl_int enqueue_add(struct world *w, cl_uint queue, cl_kernel kernel, cl_mem buffer, cl_int n, cl_event wait, cl_event *event)
{
    size_t global = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof n, &n));
    return clEnqueueNDRangeKernel(w->queues[queue], kernel, 1, NULL, &global, NULL, wait ? 1 : 0, wait ? &wait : NULL, event);
}

static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    clWaitForEvents(1, &event);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

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

/* Memory of each kind, used by every device, and moved by every queue, also by those of devices that do not reach it. */
static void memory_by_address(void)
{
    struct world w = begin(CL_DEVICE_TYPE_ALL);
    assert_true(w.count >= 2);
    build(&w);
    usm_load();
    cl_kernel add = test_kernel(w.program, "add");
    enum { KINDS = 6, BYTES = COUNT * sizeof(cl_int) };
    cl_int *memory[KINDS], host[COUNT], five = 5;
    const size_t global = COUNT;
    CHECK_CREATE(memory[0], usm_clHostMemAllocINTEL(w.context, NULL, BYTES, 0, &err), CL_SUCCESS);
    CHECK_CREATE(memory[1], usm_clSharedMemAllocINTEL(w.context, NULL, NULL, BYTES, 0, &err), CL_SUCCESS);
    CHECK_CREATE(memory[2], usm_clSharedMemAllocINTEL(w.context, w.devices[0], NULL, BYTES, 0, &err), CL_SUCCESS);
    assert_non_null(memory[3] = clSVMAlloc(w.context, 0, BYTES, 0));
    CHECK_CREATE(memory[4], usm_clDeviceMemAllocINTEL(w.context, w.devices[0], NULL, BYTES, 0, &err), CL_SUCCESS);
    CHECK_CREATE(memory[5], usm_clDeviceMemAllocINTEL(w.context, w.devices[w.count - 1], NULL, BYTES, 0, &err), CL_SUCCESS);
    for (cl_uint q = 0; q < w.count; q++) {
        /* 7 everywhere, by way of all kinds; then each device adds 5 to what all of them reach. */
        CHECK(usm_clEnqueueMemFillINTEL(w.queues[q], memory[KINDS - 1], &(cl_int){7}, sizeof(cl_int), BYTES, 0, NULL, NULL));
        for (int k = KINDS - 1; k > 0; k--)
            CHECK(usm_clEnqueueMemcpyINTEL(w.queues[q], CL_FALSE, memory[k - 1], memory[k], BYTES, 0, NULL, NULL));
        CHECK(clFinish(w.queues[q]));
        for (cl_uint d = 0; d < w.count; d++) {
            for (int k = 0; k < 4; k++) {
                CHECK(usm_clSetKernelArgMemPointerINTEL(add, 0, memory[k]));
                CHECK(clSetKernelArg(add, 1, sizeof five, &five));
                CHECK(clEnqueueNDRangeKernel(w.queues[d], add, 1, NULL, &global, NULL, 0, NULL, NULL));
            }
            CHECK(clFinish(w.queues[d]));
        }
        for (int k = 0; k < KINDS; k++) {
            CHECK(usm_clEnqueueMemcpyINTEL(w.queues[q], CL_TRUE, host, memory[k], BYTES, 0, NULL, NULL));
            for (int i = 0; i < COUNT; i++)
                assert_int_equal(host[i], k < 4 ? 7 + 5 * (int)w.count : 7);
        }
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(memory[k][COUNT - 1], 7 + 5 * (int)w.count); /* the host reaches these */
    for (int k = 0; k < KINDS; k++)
        CHECK_CODE(usm_clMemFreeINTEL(w.context, memory[k]), k == 3 ? CL_INVALID_VALUE : CL_SUCCESS);
    clSVMFree(w.context, memory[3]);
    CHECK(clReleaseKernel(add));
    end(&w);
}

/* What a kernel may reach besides its arguments is what its launches tell the driver, each of its own. */
static void indirect_access(void)
{
    enum { HOST = 1, SHARED = 2, POINTERS = 4, SVM = 8 };
    static const struct {
        unsigned told;
        const char *log;
    } ways[] = {{0, "indirect access: device"},
                {HOST, "indirect access: host device"},
                {SHARED, "indirect access: device shared"},
                {HOST | SHARED, "indirect access: host device shared"},
                {POINTERS, "indirect access: host device shared"},
                {SVM, "indirect access: device shared"}};
    char path[] = "/tmp/tessera_gpu_XXXXXX", text[65536] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    setenv("TESSERA_LOG_FILE", path, 1);
    setenv("TESSERA_DEBUG", "device", 1);
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    build(&w);
    usm_load();
    void *pointers[2], *svm;
    CHECK_CREATE(pointers[0], usm_clHostMemAllocINTEL(w.context, NULL, 64, 0, &err), CL_SUCCESS);
    CHECK_CREATE(pointers[1], usm_clSharedMemAllocINTEL(w.context, w.devices[0], NULL, 64, 0, &err), CL_SUCCESS);
    assert_non_null(svm = clSVMAlloc(w.context, 0, 64, 0));
    cl_mem buffer;
    CHECK_CREATE(buffer, clCreateBuffer(w.context, 0, COUNT * sizeof(cl_int), NULL, &err), CL_SUCCESS);
    cl_kernel kernels[sizeof ways / sizeof *ways];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cl_bool host = ways[i].told & HOST ? CL_TRUE : CL_FALSE, shared = ways[i].told & SHARED ? CL_TRUE : CL_FALSE;
        kernels[i] = test_kernel(w.program, "add");
        CHECK(clSetKernelExecInfo(kernels[i], CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof host, &host));
        CHECK(clSetKernelExecInfo(kernels[i], CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof shared, &shared));
        if (ways[i].told & POINTERS)
            CHECK(clSetKernelExecInfo(kernels[i], CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof pointers, pointers));
        if (ways[i].told & SVM)
            CHECK(clSetKernelExecInfo(kernels[i], CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof svm, &svm));
        CHECK(enqueue_add(&w, 0, kernels[i], buffer, 1, NULL, NULL));
    }
    CHECK(clFinish(w.queues[0]));
    assert_true(read(file, text, sizeof text - 1) > 0);
    const char *at = text;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        at = strstr(at, "indirect access:");
        assert_non_null(at);
        size_t length = strcspn(at, "\n");
        if (length != strlen(ways[i].log) || strncmp(at, ways[i].log, length) != 0)
            fail_msg("launch %zu: '%.*s', not '%s'", i, (int)length, at, ways[i].log);
        at += length;
        CHECK(clReleaseKernel(kernels[i]));
    }
    CHECK(clReleaseMemObject(buffer));
    for (int i = 0; i < 2; i++)
        CHECK(usm_clMemFreeINTEL(w.context, pointers[i]));
    clSVMFree(w.context, svm);
    end(&w);
    close(file);
    unlink(path);
}

/* A buffer over memory that all devices reach is that memory; over memory that the host cannot touch there is none. */
static void buffers_over_memory_by_address(void)
{
    struct world w = begin(CL_DEVICE_TYPE_ALL);
    build(&w);
    usm_load();
    cl_kernel add = test_kernel(w.program, "add");
    cl_int *svm = clSVMAlloc(w.context, 0, COUNT * sizeof(cl_int), 0), sum = 0, *closed;
    memset(svm, 0, COUNT * sizeof(cl_int));
    cl_mem buffer = test_buffer(w.context, CL_MEM_USE_HOST_PTR, COUNT * sizeof(cl_int), svm), none;
    for (cl_uint d = 0; d < w.count; d++) {
        sum += 1 << d;
        CHECK(enqueue_add(&w, d, add, buffer, 1 << d, NULL, NULL));
        CHECK(clFinish(w.queues[d]));
        assert_int_equal(svm[0], sum);
        svm[COUNT - 1]++;
    }
    CHECK(clEnqueueFillBuffer(w.queues[w.count - 1], buffer, &sum, sizeof sum, 0, 64, 0, NULL, NULL));
    CHECK(clFinish(w.queues[w.count - 1]));
    assert_int_equal(svm[15], sum);
    assert_int_equal(svm[COUNT - 1], sum + (cl_int)w.count);
    CHECK(clReleaseMemObject(buffer));
    clSVMFree(w.context, svm);
    CHECK_CREATE(closed, usm_clDeviceMemAllocINTEL(w.context, w.devices[w.count - 1], NULL, 64, 0, &err), CL_SUCCESS);
    CHECK_CREATE(none, clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, 64, closed, &err), CL_INVALID_HOST_PTR);
    CHECK_CREATE(none, clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, 64, closed, &err), CL_INVALID_HOST_PTR);
    CHECK(usm_clMemFreeINTEL(w.context, closed));
    CHECK(clReleaseKernel(add));
    end(&w);
}

/* Two drivers reach no memory of each other, and no program is let believe so. */
static void drivers_that_share_nothing(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    assert_int_equal(w.count, 2);
    usm_load();
    void *memory;
    CHECK_CREATE(memory, usm_clHostMemAllocINTEL(w.context, NULL, 64, 0, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(memory, usm_clSharedMemAllocINTEL(w.context, NULL, NULL, 64, 0, &err), CL_INVALID_OPERATION);
    assert_null(clSVMAlloc(w.context, 0, 64, 0));
    assert_true(was_told("share no memory"));
    for (cl_uint d = 0; d < 2; d++) {
        CHECK_CREATE(memory, usm_clDeviceMemAllocINTEL(w.context, w.devices[d], NULL, 64, 0, &err), CL_SUCCESS);
        CHECK(usm_clMemFreeINTEL(w.context, memory));
    }
    end(&w);
}

static void no_memory_by_address(void)
{
    struct world w = begin(CL_DEVICE_TYPE_GPU);
    usm_load();
    void *memory;
    CHECK_CREATE(memory, usm_clHostMemAllocINTEL(w.context, NULL, 8 << 20, 0, &err), CL_OUT_OF_HOST_MEMORY);
    CHECK_CREATE(memory, usm_clDeviceMemAllocINTEL(w.context, w.devices[0], NULL, 8 << 20, 0, &err), CL_OUT_OF_RESOURCES);
    CHECK_CREATE(memory, usm_clSharedMemAllocINTEL(w.context, NULL, NULL, 8 << 20, 0, &err), CL_OUT_OF_RESOURCES);
    assert_null(clSVMAlloc(w.context, 0, 8 << 20, 0));
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

/* Builds, runs and releases: memory does not grow. ICD_GPU_ROUNDS: another number of rounds. */
static const cl_image_format bytes4 = {CL_RGBA, CL_UNSIGNED_INT8};

static void fill_an_image(const struct world *w, cl_uint value)
{
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

/* ---- images ---- */

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

static const struct test_case {
    const char *name;
    void (*run)(void);
    const char *variables[3];
} cases[] = {
    {"cpu_and_gpu", devices_take_turns, {"STANDIN_DEVICES=dg2"}},
    {"two_gpus", devices_take_turns, {"STANDIN_DEVICES=dg2,bmg", "TESSERA_DEVICES=gpu"}},
    {"cpu_and_two_gpus", devices_take_turns, {"STANDIN_DEVICES=dg2,dg2"}},
    {"lists_in_any_order", devices_take_turns, {"STANDIN_ORDER=reversed"}},
    {"memory_by_address", memory_by_address, {"STANDIN_DEVICES=dg2", "STANDIN_LEAKS=report"}},
    {"memory_by_address_of_two_gpus", memory_by_address, {"STANDIN_DEVICES=dg2,bmg", "TESSERA_DEVICES=gpu"}},
    {"indirect_access", indirect_access, {"STANDIN_DEVICES=dg2", "TESSERA_DEVICES=gpu"}},
    {"buffers_over_memory_by_address", buffers_over_memory_by_address, {"STANDIN_DEVICES=dg2,bmg"}},
    {"drivers_that_share_nothing", drivers_that_share_nothing, {"ZE_ENABLE_ALT_DRIVERS=" STANDIN "," STANDIN}},
    {"no_memory_by_address", no_memory_by_address, {"STANDIN_FAULT=memory=4000000"}},
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

static const struct test_case *chosen;

static void run_chosen(void **state)
{
    (void)state;
    chosen->run();
}

static void each_in_a_process(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *const words[] = {(char *)"icd_gpu", (char *)cases[i].name, NULL};
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            for (unsigned v = 0; v < 3 && cases[i].variables[v]; v++)
                putenv((char *)cases[i].variables[v]);
            execv("/proc/self/exe", words);
            _exit(127);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            print_error("%s: status 0x%x\n", cases[i].name, status);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

int main(int count, char **words)
{
    if (count > 1) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (!strcmp(cases[i].name, words[1]))
                chosen = &cases[i];
        alarm(30);
        const struct CMUnitTest one[] = {{words[1], run_chosen, NULL, NULL, NULL}};
        return !chosen || cmocka_run_group_tests(one, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_in_a_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
