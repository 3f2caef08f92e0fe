/* SPDX-License-Identifier: Apache-2.0
 * GPUs over the stand-in driver: what their tests have in common. Each case runs in a process of its own, with the variables that the
 * stand-in reads. */
#ifndef TESSERA_ICD_TEST_GPU_H
#define TESSERA_ICD_TEST_GPU_H

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

enum { COUNT = 4096 };

static CL_TEST_UNUSED const char *const source =
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

static CL_TEST_UNUSED bool was_told(const char *words)
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

static CL_TEST_UNUSED struct world begin(cl_device_type type)
{
    struct world w = {0};
    CHECK(clGetDeviceIDs(test_platform(), type, 4, w.devices, &w.count));
    CHECK_CREATE(w.context, clCreateContext(NULL, w.count, w.devices, note, NULL, &err), CL_SUCCESS);
    for (cl_uint i = 0; i < w.count; i++)
        w.queues[i] = test_queue(w.context, w.devices[i], CL_QUEUE_PROFILING_ENABLE);
    return w;
}

static CL_TEST_UNUSED void build(struct world *w)
{
    CHECK_CREATE(w->program, clCreateProgramWithSource(w->context, 1, (const char **)&source, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(w->program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}

static CL_TEST_UNUSED void end(struct world *w)
{
    for (cl_uint i = 0; i < w->count; i++) {
        clFinish(w->queues[i]);
        CHECK(clReleaseCommandQueue(w->queues[i]));
    }
    if (w->program)
        CHECK(clReleaseProgram(w->program));
    CHECK(clReleaseContext(w->context));
}

static CL_TEST_UNUSED cl_int enqueue_add(struct world *w, cl_uint queue, cl_kernel kernel, cl_mem buffer, cl_int n, cl_event wait,
                                         cl_event *event)
{
    size_t global = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof n, &n));
    return clEnqueueNDRangeKernel(w->queues[queue], kernel, 1, NULL, &global, NULL, wait ? 1 : 0, wait ? &wait : NULL, event);
}

static CL_TEST_UNUSED cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    clWaitForEvents(1, &event);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* ---- the cases ---- */

struct test_case {
    const char *name;
    void (*run)(void);
    const char *variables[3];
};

/* Each of them in a process. */
static int run_cases(const struct test_case *cases, size_t count)
{
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        char *const words[] = {(char *)"gpu", (char *)cases[i].name, NULL};
        pid_t pid = fork();
        CHECK_THAT(pid >= 0);
        if (pid == 0) {
            for (unsigned v = 0; v < 3 && cases[i].variables[v]; v++)
                putenv((char *)cases[i].variables[v]);
            execv("/proc/self/exe", words);
            _exit(127);
        }
        int status;
        CHECK_THAT(waitpid(pid, &status, 0) == pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            print_error("%s: status 0x%x\n", cases[i].name, status);
            failed++;
        }
    }
    return failed != 0;
}

static void run_case(void **state)
{
    const struct test_case *chosen = *state;
    chosen->run();
}

/* What main() does: all cases, or the one that the command line names. */
static int run_gpu_cases(int words_count, char **words, const struct test_case *cases, size_t count)
{
    if (words_count < 2)
        return run_cases(cases, count);
    struct CMUnitTest one[] = {{words[1], run_case, NULL, NULL, NULL}};
    for (size_t i = 0; i < count; i++)
        if (!strcmp(cases[i].name, words[1]))
            one[0].initial_state = (void *)(uintptr_t)&cases[i];
    alarm(30);
    return !one[0].initial_state || cmocka_run_group_tests(one, NULL, NULL);
}

#endif
