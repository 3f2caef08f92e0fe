/* SPDX-License-Identifier: Apache-2.0
 * Every allocation of a session with queues, buffers and events fails once, in a process of its own: each call answers with success or
 * with a code for missing memory, nothing crashes or hangs. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/usm.h"

extern char **environ;

enum { ALL_WELL = 0, WITHOUT_MEMORY = 3, WRONG = 4 };
static int outcome = ALL_WELL;

/* The device under test is the remote one: it has neither SVM nor USM nor images nor native kernels. */
static bool is_other(void)
{
    return getenv("CL_TEST_DEVICE");
}

/* … or a GPU, which has the first two. */
static bool is_gpu(void)
{
    const char *devices = getenv("TESSERA_DEVICES");
    return devices && !strcmp(devices, "gpu");
}

static bool is_cpu(void)
{
    return !is_other() && !is_gpu();
}

/* True if the call worked. */
static bool worked(cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return true;
    bool expected = code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    /* It has memory of its own, which a command takes when it runs. */
    expected |= !is_cpu() && code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    expected |= is_gpu() && code == CL_DEVICE_NOT_FOUND; /* its driver has no memory to tell of it */
    if (!expected)
        fprintf(stderr, "%s answers %d\n", call, code);
    if (!expected || outcome == ALL_WELL)
        outcome = expected ? WITHOUT_MEMORY : WRONG;
    return false;
}
#define TRY(call) worked(call, #call)

static void CL_CALLBACK nothing(void *data)
{
    (void)data;
}
static void CL_CALLBACK no_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
}
static void CL_CALLBACK no_mem(cl_mem mem, void *data)
{
    (void)mem, (void)data;
}

/* The commands touch different memory, and memory that stays: when the call that would order them or wait for them fails, they just run. */
static unsigned char boxes[256], results[256];

static void use_objects(cl_command_queue queue, cl_mem a, cl_mem b, cl_event gate)
{
    unsigned char data[64] = {0}, zero = 0;
    cl_event events[4] = {0};
    cl_int err;
    const size_t origin[3] = {0, 0, 0}, far[3] = {1024, 0, 0}, region[3] = {4, 4, 4};
    TRY(clEnqueueFillBuffer(queue, a, &zero, 1, 0, 256, 1, &gate, &events[0]));
    TRY(clEnqueueCopyBuffer(queue, a, b, 4096, 0, 256, 0, NULL, &events[1]));
    TRY(clEnqueueReadBufferRect(queue, b, CL_FALSE, far, origin, region, 8, 0, 0, 0, boxes, 0, NULL, NULL));
    TRY(clEnqueueMarkerWithWaitList(queue, 0, NULL, &events[2]));
    TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    if (is_cpu())
        TRY(clEnqueueNativeKernel(queue, nothing, data, sizeof data, 0, NULL, NULL, 0, NULL, &events[3]));
    void *pointer = clEnqueueMapBuffer(queue, a, CL_FALSE, CL_MAP_WRITE, 8192, 256, 0, NULL, NULL, &err);
    if (worked(err, "clEnqueueMapBuffer"))
        TRY(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
    if (events[1])
        TRY(clSetEventCallback(events[1], CL_COMPLETE, no_event, NULL));
    TRY(clSetMemObjectDestructorCallback(a, no_mem, NULL));
    TRY(clSetUserEventStatus(gate, CL_COMPLETE));
    TRY(clEnqueueReadBuffer(queue, b, CL_TRUE, 2048, 256, results, 0, NULL, NULL));
    TRY(clFinish(queue));
    for (int i = 0; i < 4; i++) {
        if (events[i])
            TRY(clWaitForEvents(1, &events[i]));
        if (events[i])
            TRY(clReleaseEvent(events[i]));
    }
}

/* A buffer with known addresses, and unified shared memory, which the remote device lacks. */
static void use_pointers(cl_platform_id platform, cl_context context, cl_command_queue queue)
{
    const cl_mem_properties properties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    cl_int err;
    cl_mem mem = clCreateBufferWithProperties(context, properties, 0, 4096, NULL, &err);
    if (worked(err, "clCreateBufferWithProperties"))
        TRY(clReleaseMemObject(mem));
    clHostMemAllocINTEL_fn allocate = (clHostMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
    clMemBlockingFreeINTEL_fn release =
        (clMemBlockingFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
    clEnqueueMemsetINTEL_fn set = (clEnqueueMemsetINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemsetINTEL");
    void *pointer = is_other() ? NULL : allocate(context, NULL, 4096, 0, &err);
    if (is_other() || !worked(err, "clHostMemAllocINTEL"))
        return;
    TRY(set(queue, pointer, 1, 4096, 0, NULL, NULL));
    TRY(release(context, pointer)); /* if it fails, the context frees it */
    if (!is_cpu())
        return;
    const cl_svm_alloc_properties_khr list[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 64, 0};
    pointer = ((clSVMAllocWithPropertiesKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clSVMAllocWithPropertiesKHR"))(
        context, list, 0, 4096, &err);
    if (worked(err, "clSVMAllocWithPropertiesKHR"))
        clSVMFree(context, pointer);
}

/* Images and samplers, which the CPU alone has. */
static void use_images(cl_context context, cl_command_queue queue)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 16};
    const cl_mem_properties none[] = {0};
    const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    const size_t origin[3] = {0}, region[3] = {8, 4, 1};
    const float color[4] = {1, 1, 1, 1};
    size_t row;
    cl_int err;
    cl_sampler sampler = clCreateSamplerWithProperties(context, list, &err);
    if (worked(err, "clCreateSamplerWithProperties"))
        TRY(clReleaseSampler(sampler));
    cl_mem pipe = clCreatePipe(context, 0, 8, 100, NULL, &err);
    if (worked(err, "clCreatePipe"))
        TRY(clReleaseMemObject(pipe));
    cl_mem image = clCreateImageWithProperties(context, none, 0, &format, &desc, NULL, &err);
    if (!worked(err, "clCreateImageWithProperties"))
        return;
    TRY(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
    void *pointer = clEnqueueMapImage(queue, image, CL_FALSE, CL_MAP_WRITE, origin, region, &row, NULL, 0, NULL, NULL, &err);
    if (worked(err, "clEnqueueMapImage"))
        TRY(clEnqueueUnmapMemObject(queue, image, pointer, 0, NULL, NULL));
    TRY(clReleaseMemObject(image));
}

#define FUNCTION(name) name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)

static struct {
    cl_semaphore_khr semaphore; /* NULL: none is there */
    clGetSemaphoreInfoKHR_fn info;
} asked;

/* The context's callback: what the application asks from there is answered. */
static void CL_CALLBACK ask(const char *message, const void *private_info, size_t cb, void *data)
{
    (void)message, (void)private_info, (void)cb, (void)data;
    cl_semaphore_payload_khr payload;
    if (asked.semaphore)
        TRY(asked.info(asked.semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
}

/* A signal before its wait, and a wait before its signal. */
static void use_semaphore(cl_platform_id platform, cl_context context, cl_device_id device)
{
    FUNCTION(clCreateSemaphoreWithPropertiesKHR);
    FUNCTION(clEnqueueSignalSemaphoresKHR);
    FUNCTION(clEnqueueWaitSemaphoresKHR);
    FUNCTION(clReleaseSemaphoreKHR);
    asked.info = (clGetSemaphoreInfoKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetSemaphoreInfoKHR");
    cl_int err;
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, out_of_order, &err);
    if (!worked(err, "clCreateCommandQueueWithProperties"))
        return;
    cl_semaphore_khr semaphore = asked.semaphore = clCreateSemaphoreWithPropertiesKHR(context, binary, &err);
    if (worked(err, "clCreateSemaphoreWithPropertiesKHR")) {
        TRY(clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
        TRY(clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
        TRY(clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
        TRY(clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL));
        asked.semaphore = NULL;
        TRY(clReleaseSemaphoreKHR(semaphore)); /* a wait whose signal had no memory ends with an error */
        TRY(clFinish(queue));
    }
    TRY(clReleaseCommandQueue(queue));
}

/* Recorded, changed and enqueued; the buffer stays, so what is enqueued can run after a later call has failed. */
static void use_command_buffer(cl_platform_id platform, cl_command_queue queue, cl_mem mem)
{
    FUNCTION(clCreateCommandBufferKHR);
    FUNCTION(clCommandFillBufferKHR);
    FUNCTION(clCommandBarrierWithWaitListKHR);
    FUNCTION(clFinalizeCommandBufferKHR);
    FUNCTION(clEnqueueCommandBufferKHR);
    FUNCTION(clReleaseCommandBufferKHR);
    cl_int err;
    cl_event event = NULL;
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    cl_command_buffer_khr buffer = clCreateCommandBufferKHR(1, &queue, properties, &err);
    if (!worked(err, "clCreateCommandBufferKHR"))
        return;
    const unsigned char zero = 0;
    for (unsigned i = 0; i < 4; i++)
        TRY(clCommandFillBufferKHR(buffer, NULL, NULL, mem, &zero, 1, 12288 + 64 * i, 64, 0, NULL, NULL, NULL));
    TRY(clCommandBarrierWithWaitListKHR(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    TRY(clFinalizeCommandBufferKHR(buffer));
    TRY(clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, &event));
    if (event)
        TRY(clWaitForEvents(1, &event));
    if (event)
        TRY(clReleaseEvent(event));
    TRY(clReleaseCommandBufferKHR(buffer));
}

static int session(void)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        return WITHOUT_MEMORY; /* the loader leaves a driver out that has no memory */
    cl_device_type type = is_other() ? CL_DEVICE_TYPE_ACCELERATOR : is_gpu() ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    if (!TRY(clGetDeviceIDs(platform, type, 1, &device, NULL)))
        return outcome;
    cl_int err;
    cl_context context = clCreateContext(NULL, 1, &device, ask, NULL, &err);
    if (!worked(err, "clCreateContext"))
        return outcome;
    for (int kind = 0; kind < 2; kind++) {
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, kind ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &err);
        bool made = worked(err, "clCreateCommandQueueWithProperties");
        cl_mem a = clCreateBuffer(context, 0, 16384, NULL, &err);
        made &= worked(err, "clCreateBuffer");
        cl_mem b = NULL;
        cl_buffer_region region = {0, 4096};
        if (a) {
            cl_mem parent = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 1 << 20, NULL, &err);
            if (worked(err, "clCreateBuffer")) {
                b = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
                worked(err, "clCreateSubBuffer");
                TRY(clReleaseMemObject(parent));
            }
        }
        cl_event gate = clCreateUserEvent(context, &err);
        made &= worked(err, "clCreateUserEvent");
        void *svm = is_other() ? NULL : clSVMAlloc(context, 0, 1000, 0);
        worked(svm || is_other() ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
        if (made && b)
            use_objects(queue, a, b, gate);
        if (queue && svm && TRY(clEnqueueSVMFree(queue, 1, &svm, NULL, NULL, 0, NULL, NULL)))
            svm = NULL;
        if (queue)
            use_pointers(platform, context, queue);
        if (queue && is_cpu())
            use_images(context, queue);
        if (queue && a)
            use_command_buffer(platform, queue, a);
        if (queue)
            TRY(clFinish(queue));
        clSVMFree(context, svm);
        if (gate)
            TRY(clReleaseEvent(gate));
        if (a)
            TRY(clReleaseMemObject(a));
        if (b)
            TRY(clReleaseMemObject(b));
        if (queue)
            TRY(clReleaseCommandQueue(queue));
    }
    use_semaphore(platform, context, device);
    TRY(clReleaseContext(context));
    return outcome;
}

static void test_each(void **state)
{
    (void)state;
    int failed = 0;
    for (int n = 1;; n++) {
        CHECK_THAT(n < 2000);
        char text[16], *arguments[] = {"icd_fail_alloc", "session", NULL};
        snprintf(text, sizeof text, "%d", n);
        setenv("TESSERA_FAIL_ALLOC", text, 1);
        pid_t child;
        int status;
        CHECK_THAT(!posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ));
        CHECK_THAT(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != ALL_WELL && WEXITSTATUS(status) != WITHOUT_MEMORY))
            fail_msg("when allocation %d fails, the process ends with status 0x%x", n, status);
        if (WEXITSTATUS(status) == ALL_WELL)
            break;
        failed++;
    }
    CHECK_THAT(failed > 20); /* there were that many allocations at least */
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "session")) {
        alarm(20);
        return session();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
