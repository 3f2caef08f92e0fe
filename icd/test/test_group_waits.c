/* SPDX-License-Identifier: Apache-2.0
 * Work-groups that wait for each other, of which there are as many as compute units. OpenCL promises them no progress, but programs for
 * GPUs rely on it. First, launches in which no group waits let the driver learn that the kernel takes little time, for which one thread is
 * enough. */
#include "cl_test.h"

#include <unistd.h>

#define HEAD "(volatile global uint *count, global uint *out, uint rounds)\n{\n    uint n = get_num_groups(0);\n"

static const char source[] = "uint look(volatile global uint *count) { return atomic_or(count, 0); }\n"

                             "kernel void by_atomics" HEAD "    for (uint round = 1; round <= rounds; round++) {\n"
                             "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "        if (get_local_id(0) == 0) {\n"
                             "            atomic_inc(count);\n"
                             "            uint seen = look(count);\n"
                             "            while (seen < n * round)\n"
                             "                seen = look(count);\n"
                             "        }\n"
                             "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "    }\n"
                             "    out[get_global_id(0)] += 1;\n"
                             "}\n"

                             "kernel void by_volatile_loads" HEAD "    for (uint round = 1; round <= rounds; round++) {\n"
                             "        if (get_local_id(0) == 0) {\n"
                             "            atomic_inc(count);\n"
                             "            while (*count < n * round)\n"
                             "                ;\n"
                             "        }\n"
                             "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "    }\n"
                             "    out[get_global_id(0)] += 1;\n"
                             "}\n"

                             "kernel void by_local_word" HEAD "    local uint all;\n"
                             "    for (uint round = 1; round <= rounds; round++) {\n"
                             "        if (get_local_id(0) == 0)\n"
                             "            atomic_inc(count);\n"
                             "        do {\n"
                             "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "            if (get_local_id(0) == 0)\n"
                             "                all = atomic_cmpxchg(count, ~0U, ~0U) >= n * round;\n"
                             "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "        } while (!all);\n"
                             "    }\n"
                             "    out[get_global_id(0)] += 1;\n"
                             "}\n"

                             /* No barriers: the last group sets the count for the others. */
                             "kernel void for_last" HEAD "    global atomic_uint *at = (global atomic_uint *)count;\n"
                             "    if (get_group_id(0) == n - 1)\n"
                             "        atomic_store_explicit(at, rounds, memory_order_release, memory_scope_device);\n"
                             "    else\n"
                             "        while (atomic_load_explicit(at, memory_order_acquire, memory_scope_device) < rounds)\n"
                             "            ;\n"
                             "    out[get_global_id(0)] += 1;\n"
                             "}\n";

enum { TIMES = 200, MOST_GROUPS = 64, MOST_ITEMS = 64 };

static struct test_world w;

static void run(const char *name, cl_uint groups, size_t local)
{
    cl_program program = test_build(w.context, w.device, source, "-cl-std=CL3.0");
    cl_kernel kernel = test_kernel(program, name);
    const size_t global = groups * local;
    cl_uint zero = 0, *out = calloc(global, sizeof *out);
    cl_mem count = test_buffer(w.context, 0, sizeof zero, NULL),
           sums = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, global * sizeof *out, out);
    CHECK(clSetKernelArg(kernel, 0, sizeof count, &count));
    CHECK(clSetKernelArg(kernel, 1, sizeof sums, &sums));
    for (int i = 0; i < 2 * TIMES; i++) {
        cl_uint rounds = i < TIMES ? 0 : 3;
        CHECK(clEnqueueFillBuffer(w.queue, count, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
        CHECK(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    CHECK(clEnqueueReadBuffer(w.queue, sums, CL_TRUE, 0, global * sizeof *out, out, 0, NULL, NULL));
    for (size_t i = 0; i < global; i++)
        if (out[i] != 2 * TIMES)
            fail_msg("%s: work-item %zu of groups of %zu has run %u times", name, i, local, out[i]);
    free(out);
    CHECK(clReleaseMemObject(sums));
    CHECK(clReleaseMemObject(count));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void groups_wait_for_groups(void **state)
{
    (void)state;
    static const char *const names[] = {"by_atomics", "by_volatile_loads", "by_local_word", "for_last"};
    static const size_t sizes[] = {MOST_ITEMS, 7, 1};
    cl_uint units;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            run(names[i], units < MOST_GROUPS ? units : MOST_GROUPS, sizes[k]);
}

static int begin(void **state)
{
    (void)state;
    w = test_begin(0);
    alarm(50); /* a wait for ever is a failure */
    return 0;
}

static int end(void **state)
{
    (void)state;
    test_end(&w);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_wait_for_groups)};
    return cmocka_run_group_tests(tests, begin, end);
}
