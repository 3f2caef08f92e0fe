/* SPDX-License-Identifier: Apache-2.0
 * Memory that runs out in the driver at the n-th allocation, for every n until a whole program comes through: no crash, no hang, and an
 * error that says so. Each n is a process of its own: this program starts itself. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl_test.h"

static const char *const source = "__kernel void a(__global int *p, int x, __local int *box) { box[0] = x; p[0] = box[0]; }";

enum { WORKED = 0, REFUSED = 2, WRONG = 3 };

/* Only these may be answered when memory is short. A failed build may also be reported through the log. */
static int refused(cl_int code)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_PLATFORM_NOT_FOUND_KHR:
        return REFUSED;
    default:
        fprintf(stderr, "unexpected code %d\n", code);
        return WRONG;
    }
}

#define TRY(call)                                                                                                                          \
    do {                                                                                                                                   \
        cl_int code_ = (call);                                                                                                             \
        if (code_ != CL_SUCCESS) {                                                                                                         \
            fprintf(stderr, "%s: %d\n", #call, code_);                                                                                     \
            result = refused(code_);                                                                                                       \
            goto out;                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

/* An ordinary program that frees what it has got when something fails. */
static int child(void)
{
    int result = WORKED;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_program program = NULL, copy = NULL;
    cl_kernel kernel = NULL, clone = NULL;
    cl_mem buffer = NULL;
    cl_event event = NULL;
    cl_int status = CL_QUEUED;
    unsigned char *binary = NULL;
    cl_int err;
    size_t size = 0, one = 1;
    cl_int x = 77, value = 0;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    TRY(err);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    TRY(err);
    program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
    TRY(err);
    TRY(clBuildProgram(program, 0, NULL, "-DX", NULL, NULL));
    TRY(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    binary = malloc(size);
    TRY(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    copy = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &err);
    TRY(err);
    TRY(clBuildProgram(copy, 0, NULL, NULL, NULL, NULL));
    kernel = clCreateKernel(copy, "a", &err);
    TRY(err);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &err);
    TRY(err);
    TRY(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    TRY(clSetKernelArg(kernel, 1, sizeof(x), &x));
    TRY(clSetKernelArg(kernel, 2, 64, NULL));
    clone = clCloneKernel(kernel, &err);
    TRY(err);
    TRY(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &one, NULL, 0, NULL, &event));
    TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    /* A launch that fails says so through its event. */
    TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    TRY(status);
    if (value != x)
        result = WRONG;
out:
    if (event)
        clReleaseEvent(event);
    if (clone)
        clReleaseKernel(clone);
    if (kernel)
        clReleaseKernel(kernel);
    if (buffer)
        clReleaseMemObject(buffer);
    if (copy)
        clReleaseProgram(copy);
    if (program)
        clReleaseProgram(program);
    if (queue)
        clReleaseCommandQueue(queue);
    if (context)
        clReleaseContext(context);
    free(binary);
    return result;
}

static int run_with(int n)
{
    char number[20];
    snprintf(number, sizeof(number), "%d", n);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TESSERA_FAIL_ALLOC", number, 1);
        if (!getenv("CL_TEST_VERBOSE") && !freopen("/dev/null", "w", stderr))
            _exit(99);
        alarm(20);
        execl("/proc/self/exe", "icd_alloc", "child", NULL);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        fail_msg("allocation %d fails: killed by signal %d", n, WTERMSIG(status));
    int code = WEXITSTATUS(status);
    if (code != WORKED && code != REFUSED)
        fail_msg("allocation %d fails: the program ends with %d", n, code);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/tessera-alloc-XXXXXX", command[60];
    assert_non_null(mkdtemp(folder));
    setenv("TESSERA_CACHE_DIR", folder, 1);
    assert_int_equal(run_with(1000000), WORKED); /* fills the cache, so that the others are quick */
    int n = 1, refusals = 0;
    while (n < 1000 && run_with(n) != WORKED) {
        /* Each tenth goes all the way to the compiler. */
        if (n % 10 == 0) {
            setenv("TESSERA_CACHE", "0", 1);
            run_with(n);
            unsetenv("TESSERA_CACHE");
        }
        refusals++;
        n++;
    }
    print_message("%d allocations\n", n - 1);
    assert_true(refusals > 20 && n < 1000);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "child"))
        return child();
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
