/* SPDX-License-Identifier: Apache-2.0
 * Tests of mapping: pointers, counts, flags, order, overlap, errors. */
#include "icd/test/cl_test.h"

static cl_uint map_count(cl_mem mem)
{
    cl_uint count = 99;
    CHECK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static void test_map(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    static unsigned char host[512];
    cl_mem buffer = test_buffer(w.context, CL_MEM_USE_HOST_PTR, sizeof host, host);
    cl_mem own = test_buffer(w.context, CL_MEM_ALLOC_HOST_PTR, 512, NULL);
    unsigned char seven = 7, *pointer, *second;
    cl_int err = 1;
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &seven, 1, 0, 512, 0, NULL, NULL));
    pointer = clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 100, 50, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK_THAT(pointer == host + 100 && pointer[49] == 7); /* derived from host_ptr */
    CHECK_THAT(map_count(buffer) == 1);
    second = clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 100, 50, 0, NULL, NULL, &err);
    CHECK_THAT(second == pointer && map_count(buffer) == 2);
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, NULL));
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(map_count(buffer) == 0);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, NULL), CL_INVALID_VALUE);

    /* Written on the host, read by a command; events tell the commands' types. */
    cl_event events[2];
    cl_command_type type;
    pointer = clEnqueueMapBuffer(w.queue, own, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 512, 0, NULL, &events[0], &err);
    CHECK(err);
    CHECK_THAT((uintptr_t)pointer % 128 == 0);
    CHECK(clWaitForEvents(1, &events[0]));
    for (int i = 0; i < 512; i++)
        pointer[i] = (unsigned char)i;
    CHECK(clEnqueueUnmapMemObject(w.queue, own, pointer, 0, NULL, &events[1]));
    CHECK(clEnqueueCopyBuffer(w.queue, own, buffer, 0, 0, 512, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    if (!test_unified(w.device))
        test_update_host(w.queue, buffer);
    CHECK_THAT(host[3] == 3 && host[300] == 300 - 256);
    CHECK(clGetEventInfo(events[0], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_MAP_BUFFER);
    CHECK(clGetEventInfo(events[1], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_UNMAP_MEM_OBJECT);
    CHECK(clReleaseEvent(events[0]));
    CHECK(clReleaseEvent(events[1]));

    /* Released while mapped, with and without errcode_ret. */
    CHECK_THAT(clEnqueueMapBuffer(w.queue, own, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, NULL));
    CHECK(clReleaseMemObject(own));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

/* Regions mapped for writing may not meet, in the buffer or in its parts. */
static void test_overlap(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem buffer = test_buffer(w.context, 0, 512, NULL), part;
    cl_buffer_region region = {128, 256};
    CHECK_CREATE(part, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
    unsigned char *a, *b, *c;
    CHECK_CREATE(a, clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_WRITE, 100, 100, 0, NULL, NULL, &err), CL_SUCCESS);
    CHECK_CREATE(b, clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_WRITE, 199, 10, 0, NULL, NULL, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(b, clEnqueueMapBuffer(w.queue, part, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 256, 0, NULL, NULL, &err),
                 CL_INVALID_OPERATION);
    CHECK_CREATE(b, clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 512, 0, NULL, NULL, &err), CL_SUCCESS);
    CHECK_CREATE(c, clEnqueueMapBuffer(w.queue, part, CL_TRUE, CL_MAP_WRITE, 72, 100, 0, NULL, NULL, &err), CL_SUCCESS);
    CHECK_THAT(c == b + 200 && map_count(part) == 1 && map_count(buffer) == 2);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, buffer, c, 0, NULL, NULL), CL_INVALID_VALUE); /* mapped from the part */
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, part, a, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, a, 0, NULL, NULL));
    CHECK_CREATE(a, clEnqueueMapBuffer(w.queue, buffer, CL_FALSE, CL_MAP_WRITE, 100, 100, 0, NULL, NULL, &err), CL_SUCCESS);
    CHECK(clEnqueueUnmapMemObject(w.queue, part, c, 0, NULL, NULL));
    CHECK(clReleaseMemObject(part));
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, a, 0, NULL, NULL));
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, b, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(map_count(buffer) == 0);

    /* A map that fails leaves nothing mapped; unmapped before its command ends, nothing is lost or freed twice. */
    cl_event gate, mapped;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK_CREATE(a, clEnqueueMapBuffer(w.queue, buffer, CL_FALSE, CL_MAP_WRITE, 0, 512, 1, &gate, &mapped, &err), CL_SUCCESS);
    CHECK_CREATE(b, clEnqueueMapBuffer(w.queue, buffer, CL_FALSE, CL_MAP_READ, 0, 512, 1, &gate, NULL, &err), CL_SUCCESS);
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, b, 0, NULL, NULL));
    CHECK_THAT(map_count(buffer) == 1);
    CHECK(clSetUserEventStatus(gate, -9));
    CHECK_CODE(clWaitForEvents(1, &mapped), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clFinish(w.queue));
    CHECK_THAT(map_count(buffer) == 0);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(mapped));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

/* Out of order, the wait lists decide: what the host writes between map and unmap is seen by a copy behind the unmap. */
static void test_out_of_order(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem buffer = test_buffer(w.context, 0, 4096, NULL), copy = test_buffer(w.context, 0, 4096, NULL);
    for (int round = 0; round < 50; round++) {
        cl_event mapped, unmapped, copied;
        cl_int *pointer, back[1024];
        CHECK_CREATE(pointer, clEnqueueMapBuffer(w.queue, buffer, CL_FALSE, CL_MAP_WRITE, 0, 4096, 0, NULL, &mapped, &err), CL_SUCCESS);
        CHECK(clWaitForEvents(1, &mapped));
        for (int i = 0; i < 1024; i++)
            pointer[i] = round + i;
        CHECK(clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, &unmapped));
        CHECK(clEnqueueCopyBuffer(w.queue, buffer, copy, 0, 0, 4096, 1, &unmapped, &copied));
        CHECK(clEnqueueReadBuffer(w.queue, copy, CL_TRUE, 0, 4096, back, 1, &copied, NULL));
        CHECK_THAT(back[0] == round && back[1023] == round + 1023);
        CHECK(clReleaseEvent(mapped));
        CHECK(clReleaseEvent(unmapped));
        CHECK(clReleaseEvent(copied));
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(copy));
    test_end(&w);
}

static void test_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_context other = test_context(w.device);
    cl_mem a = test_buffer(w.context, 0, 128, NULL), foreign = test_buffer(other, 0, 128, NULL);
    cl_mem write_only = test_buffer(w.context, CL_MEM_HOST_WRITE_ONLY, 128, NULL);
    cl_mem read_only = test_buffer(w.context, CL_MEM_HOST_READ_ONLY, 128, NULL);
    cl_mem no_access = test_buffer(w.context, CL_MEM_HOST_NO_ACCESS, 128, NULL);
    const cl_map_flags invalidate = CL_MAP_WRITE_INVALIDATE_REGION;
    const struct {
        cl_command_queue queue;
        cl_mem mem;
        cl_map_flags flags;
        size_t offset, size;
        cl_uint wait_count;
        cl_int code;
    } cases[] = {
        {NULL, a, CL_MAP_READ, 0, 1, 0, CL_INVALID_COMMAND_QUEUE},
        {w.queue, NULL, CL_MAP_READ, 0, 1, 0, CL_INVALID_MEM_OBJECT},
        {w.queue, foreign, CL_MAP_READ, 0, 1, 0, CL_INVALID_CONTEXT},
        {w.queue, a, CL_MAP_READ, 1, 128, 0, CL_INVALID_VALUE},
        {w.queue, a, CL_MAP_READ, SIZE_MAX, 1, 0, CL_INVALID_VALUE},
        {w.queue, a, CL_MAP_READ, 0, 0, 0, CL_INVALID_VALUE},
        {w.queue, a, 1 << 10, 0, 1, 0, CL_INVALID_VALUE},
        {w.queue, a, CL_MAP_READ | invalidate, 0, 1, 0, CL_INVALID_VALUE},
        {w.queue, a, CL_MAP_WRITE | invalidate, 0, 1, 0, CL_INVALID_VALUE},
        {w.queue, a, CL_MAP_READ, 0, 1, 1, CL_INVALID_EVENT_WAIT_LIST},
        {w.queue, write_only, CL_MAP_READ, 0, 1, 0, CL_INVALID_OPERATION},
        {w.queue, write_only, CL_MAP_WRITE, 0, 1, 0, CL_SUCCESS},
        {w.queue, read_only, CL_MAP_WRITE, 0, 1, 0, CL_INVALID_OPERATION},
        {w.queue, read_only, invalidate, 0, 1, 0, CL_INVALID_OPERATION},
        {w.queue, read_only, CL_MAP_READ, 0, 1, 0, CL_SUCCESS},
        {w.queue, no_access, CL_MAP_READ, 0, 1, 0, CL_INVALID_OPERATION},
        {w.queue, no_access, CL_MAP_WRITE, 0, 1, 0, CL_INVALID_OPERATION},
    };
    unsigned char *pointer;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CREATE(pointer,
                     clEnqueueMapBuffer(cases[i].queue, cases[i].mem, CL_TRUE, cases[i].flags, cases[i].offset, cases[i].size,
                                        cases[i].wait_count, NULL, NULL, &err),
                     cases[i].code);
        if (pointer)
            CHECK(clEnqueueUnmapMemObject(w.queue, cases[i].mem, pointer, 0, NULL, NULL));
    }
    CHECK_CREATE(pointer, clEnqueueMapBuffer(w.queue, a, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &err), CL_SUCCESS);
    CHECK_CODE(clEnqueueUnmapMemObject(NULL, a, pointer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, NULL, pointer, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, foreign, pointer, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, a, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, a, pointer + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueUnmapMemObject(w.queue, a, pointer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clEnqueueUnmapMemObject(w.queue, a, pointer, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    cl_mem all[] = {a, foreign, write_only, read_only, no_access};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(clReleaseMemObject(all[i]));
    CHECK(clReleaseContext(other));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
