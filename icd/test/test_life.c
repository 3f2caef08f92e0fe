/* SPDX-License-Identifier: Apache-2.0
 * The driver in the life of a process: no thread until there is work, nothing at exit, callable while the process ends, and after fork. */
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

static unsigned threads(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    CHECK_THAT(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static bool mapped(const char *part)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    CHECK_THAT(maps);
    while (!found && fgets(line, sizeof(line), maps))
        found = strstr(line, part) != NULL;
    fclose(maps);
    return found;
}

static void enumerate(void)
{
    char value[32768];
    cl_device_id device = test_device();
    for (cl_device_info query = 0x1000; query < 0x1100; query++)
        clGetDeviceInfo(device, query, sizeof(value), value, NULL);
}

static void looking_costs_nothing(void **state)
{
    (void)state;
    assert_int_equal(threads(), 1);
    enumerate();
    assert_int_equal(threads(), 1);
    CHECK_THAT(mapped("libtessera") && !mapped("LLVM") && !mapped("libclang"));
}

/* Runs this program again, so that it ends for itself; `how` names a function below. */
static void run_again(const char *how)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    CHECK_THAT(length > 0);
    self[length] = 0;
    fflush(NULL);
    pid_t child = fork();
    CHECK_THAT(child >= 0);
    if (!child) {
        alarm(20);
        execl(self, self, how, (char *)NULL);
        _exit(127);
    }
    int status;
    CHECK_THAT(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 42)
        fail_msg("%s: wait status 0x%x, expected exit code 42", how, (unsigned)status);
}

static struct test_world world;
static cl_mem buffer;
static cl_event event;
static const char *ending = "";

static void make_objects(void)
{
    static int data[1024];
    world = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer = test_buffer(world.context, CL_MEM_READ_WRITE, sizeof(data), NULL);
    CHECK(clEnqueueWriteBuffer(world.queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, &event));
}

static void release_objects(void)
{
    cl_int err = clReleaseEvent(event) | clReleaseMemObject(buffer) | clReleaseCommandQueue(world.queue) | clReleaseContext(world.context);
    cl_uint count;
    err |= clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    _exit(err ? 1 : 42);
}

/* As a static destructor of C++: after the handlers of atexit. */
__attribute__((destructor)) static void destructor(void)
{
    if (!strcmp(ending, "destructor"))
        release_objects();
}

static void exit_with_handler(void)
{
    atexit(release_objects); /* registered before the driver is loaded, so called after everything that was registered later */
    make_objects();
    exit(1);
}

static void exit_with_destructor(void)
{
    ending = "destructor";
    make_objects();
    exit(1);
}

static void exit_with_all_alive(void)
{
    make_objects();
    for (int i = 0; i < 100; i++) /* some of it still queued */
        CHECK(clEnqueueFillBuffer(world.queue, buffer, &i, sizeof(i), 0, 4096, 0, NULL, NULL));
    exit(42);
}

static void ends(void **state)
{
    (void)state;
    run_again("handler");
    run_again("destructor");
    run_again("alive");
}

/* A child of fork can use what it inherited, and make objects of its own. */
static void forks(void **state)
{
    (void)state;
    if (TSR_TSAN) {
        print_message("ThreadSanitizer starts no threads in a child, and takes the parent's for the child's\n");
        skip();
    }
    make_objects();
    fflush(NULL);
    pid_t child = fork();
    CHECK_THAT(child >= 0);
    if (!child) {
        alarm(20);
        enumerate();
        int pattern = 7, got = 0;
        cl_int err = clEnqueueFillBuffer(world.queue, buffer, &pattern, sizeof(pattern), 0, 64, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(world.queue, buffer, CL_TRUE, 0, sizeof(got), &got, 0, NULL, NULL);
        cl_device_id device = test_device();
        cl_int made;
        cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &made);
        err |= made | clReleaseContext(own);
        _exit(err ? 1 : 42);
    }
    int status;
    CHECK_THAT(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(buffer));
    test_end(&world);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "handler"))
        exit_with_handler();
    if (!strcmp(how, "destructor"))
        exit_with_destructor();
    if (!strcmp(how, "alive"))
        exit_with_all_alive();
    if (!strcmp(how, "look")) { /* for test/startup.sh */
        enumerate();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_costs_nothing), /* first: nothing has been done in this process yet */
        cmocka_unit_test(ends),
        cmocka_unit_test(forks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
