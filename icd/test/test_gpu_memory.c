/* SPDX-License-Identifier: Apache-2.0
 * GPUs over the stand-in driver: memory that is known by its address, of several devices and drivers. */
#include "icd/test/gpu.h"
#include "icd/test/usm.h"

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

/* ---- the cases ---- */

static const struct test_case cases[] = {
    {"memory_by_address", memory_by_address, {"STANDIN_DEVICES=dg2", "STANDIN_LEAKS=report"}},
    {"memory_by_address_of_two_gpus", memory_by_address, {"STANDIN_DEVICES=dg2,bmg", "TESSERA_DEVICES=gpu"}},
    {"indirect_access", indirect_access, {"STANDIN_DEVICES=dg2", "TESSERA_DEVICES=gpu"}},
    {"buffers_over_memory_by_address", buffers_over_memory_by_address, {"STANDIN_DEVICES=dg2,bmg"}},
    {"drivers_that_share_nothing", drivers_that_share_nothing, {"ZE_ENABLE_ALT_DRIVERS=" STANDIN "," STANDIN}},
    {"no_memory_by_address", no_memory_by_address, {"STANDIN_FAULT=memory=4000000"}},
};

int main(int count, char **words)
{
    return run_gpu_cases(count, words, cases, sizeof cases / sizeof *cases);
}
