/* SPDX-License-Identifier: Apache-2.0
 * Tests of buffers: creation, sub-buffers, queries, read, write, copy, fill, migrate, destructors. */
#include <pthread.h>

#include "icd/test/cl_test.h"

enum { ALIGN = 128 };

static void test_create(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    cl_ulong max = 0;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    static unsigned char host[256];
    const cl_mem_flags use = CL_MEM_USE_HOST_PTR, alloc = CL_MEM_ALLOC_HOST_PTR, copy = CL_MEM_COPY_HOST_PTR;
    const struct {
        cl_mem_flags flags;
        size_t size;
        void *host;
        cl_int code;
    } cases[] = {
        {0, 1, NULL, CL_SUCCESS},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 64, NULL, CL_SUCCESS},
        {CL_MEM_READ_ONLY | use, 256, host, CL_SUCCESS},
        {CL_MEM_WRITE_ONLY | alloc | copy, 256, host, CL_SUCCESS},
        {copy | CL_MEM_HOST_READ_ONLY, 256, host, CL_SUCCESS},
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, CL_INVALID_VALUE},
        {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, NULL, CL_INVALID_VALUE},
        {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 64, NULL, CL_INVALID_VALUE},
        {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64, NULL, CL_INVALID_VALUE},
        {use | alloc, 64, host, CL_INVALID_VALUE},
        {use | copy, 64, host, CL_INVALID_VALUE},
        {CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, NULL, CL_INVALID_VALUE},
        {CL_MEM_KERNEL_READ_AND_WRITE, 64, NULL, CL_INVALID_VALUE},
        {(cl_mem_flags)1 << 40, 64, NULL, CL_INVALID_VALUE},
        {0, 0, NULL, CL_INVALID_BUFFER_SIZE},
        {0, max + 1, NULL, CL_INVALID_BUFFER_SIZE},
        {use, 64, NULL, CL_INVALID_HOST_PTR},
        {copy, 64, NULL, CL_INVALID_HOST_PTR},
        {0, 64, host, CL_INVALID_HOST_PTR},
        {alloc, 64, host, CL_INVALID_HOST_PTR},
    };
    cl_mem mem;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CREATE(mem, clCreateBuffer(context, cases[i].flags, cases[i].size, cases[i].host, &err), cases[i].code);
        if (mem)
            CHECK(clReleaseMemObject(mem));
    }
    CHECK_CREATE(mem, clCreateBuffer(NULL, 0, 64, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_THAT(!clCreateBuffer(NULL, 0, 64, NULL, NULL));

    const cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
    CHECK_CREATE(mem, clCreateBufferWithProperties(context, unknown, 0, 64, NULL, &err), CL_INVALID_PROPERTY);
    CHECK_CREATE(mem, clCreateBufferWithProperties(context, none, 0, 64, NULL, &err), CL_SUCCESS);
    cl_mem_properties list[4] = {1};
    size_t size;
    CHECK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, sizeof list, list, &size));
    CHECK_THAT(size == sizeof *list && list[0] == 0);
    CHECK(clReleaseMemObject(mem));

    /* The largest possible: its pages come when they are touched, so that either answer is quick; neither is a crash. */
    cl_int err;
    mem = clCreateBuffer(context, 0, max, NULL, &err);
    CHECK_THAT(mem ? err == CL_SUCCESS : err == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    if (mem)
        CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseContext(context));
}

/* Small buffers in the host's memory are zeros at first, whatever the heap had there. */
static void test_new_memory(void **state)
{
    (void)state;
    enum { BUFFERS = 64, SIZE = 777 };
    cl_device_id device = test_device();
    if (!test_unified(device))
        skip();
    cl_context context = test_context(device);
    cl_command_queue queue = test_queue(context, device, 0);
    for (int round = 0; round < 2; round++) { /* the second one gets what the first one has filled */
        cl_mem buffers[BUFFERS];
        for (int i = 0; i < BUFFERS; i++) {
            unsigned char bytes[SIZE];
            const cl_uint ones = UINT32_MAX;
            CHECK_CREATE(buffers[i], clCreateBuffer(context, 0, SIZE, NULL, &err), CL_SUCCESS);
            CHECK(clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
            for (int k = 0; k < SIZE; k++)
                CHECK_THAT(!bytes[k]);
            CHECK(clEnqueueFillBuffer(queue, buffers[i], &ones, 1, 0, SIZE, 0, NULL, NULL));
        }
        CHECK(clFinish(queue));
        for (int i = 0; i < BUFFERS; i++)
            CHECK(clReleaseMemObject(buffers[i]));
    }
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

static void test_sub_buffer(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_context context = w.context;
    static unsigned char host[1024];
    cl_mem sub, deeper, buffer = test_buffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY, sizeof host, host);
    cl_mem read_only = test_buffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 1024, NULL);
    cl_mem write_only = test_buffer(context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, 1024, NULL);
    const struct {
        cl_mem parent;
        cl_mem_flags flags;
        cl_buffer_region region;
        cl_int code;
    } cases[] = {
        {buffer, 0, {0, 1}, CL_SUCCESS},
        {buffer, CL_MEM_READ_ONLY, {ALIGN, 1024 - ALIGN}, CL_SUCCESS},
        {buffer, 0, {0, 1025}, CL_INVALID_VALUE},
        {buffer, 0, {ALIGN, 1024}, CL_INVALID_VALUE},
        {buffer, 0, {SIZE_MAX - ALIGN + 1, ALIGN}, CL_INVALID_VALUE},
        {buffer, 0, {0, 0}, CL_INVALID_BUFFER_SIZE},
        {buffer, 0, {1, 64}, CL_MISALIGNED_SUB_BUFFER_OFFSET},
        {buffer, 0, {ALIGN / 2, 64}, CL_MISALIGNED_SUB_BUFFER_OFFSET},
        {buffer, CL_MEM_USE_HOST_PTR, {0, 64}, CL_INVALID_VALUE},
        {buffer, CL_MEM_ALLOC_HOST_PTR, {0, 64}, CL_INVALID_VALUE},
        {buffer, CL_MEM_COPY_HOST_PTR, {0, 64}, CL_INVALID_VALUE},
        {buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, {0, 64}, CL_INVALID_VALUE},
        {buffer, CL_MEM_HOST_WRITE_ONLY, {0, 64}, CL_INVALID_VALUE},
        {read_only, CL_MEM_READ_WRITE, {0, 64}, CL_INVALID_VALUE},
        {read_only, CL_MEM_WRITE_ONLY, {0, 64}, CL_INVALID_VALUE},
        {read_only, CL_MEM_HOST_READ_ONLY, {0, 64}, CL_INVALID_VALUE},
        {read_only, CL_MEM_HOST_NO_ACCESS, {0, 64}, CL_SUCCESS},
        {write_only, CL_MEM_READ_WRITE, {0, 64}, CL_INVALID_VALUE},
        {write_only, CL_MEM_READ_ONLY, {0, 64}, CL_INVALID_VALUE},
        {write_only, CL_MEM_HOST_READ_ONLY, {0, 64}, CL_INVALID_VALUE},
        {write_only, CL_MEM_HOST_WRITE_ONLY, {0, 64}, CL_INVALID_VALUE},
        {write_only, CL_MEM_WRITE_ONLY, {0, 64}, CL_SUCCESS},
        {(cl_mem)context, 0, {0, 64}, CL_INVALID_MEM_OBJECT},
        {NULL, 0, {0, 64}, CL_INVALID_MEM_OBJECT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CREATE(sub, clCreateSubBuffer(cases[i].parent, cases[i].flags, CL_BUFFER_CREATE_TYPE_REGION, &cases[i].region, &err),
                     cases[i].code);
        if (sub)
            CHECK(clReleaseMemObject(sub));
    }
    cl_buffer_region region = {2 * ALIGN, 300};
    CHECK_CREATE(sub, clCreateSubBuffer(buffer, 0, 0x7777, &region, &err), CL_INVALID_VALUE);
    CHECK_CREATE(sub, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err), CL_INVALID_VALUE);

    CHECK_CREATE(sub, clCreateSubBuffer(buffer, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
    CHECK_CREATE(deeper, clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_INVALID_MEM_OBJECT);
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size, offset;
    void *pointer;
    cl_mem parent;
    CHECK(clGetMemObjectInfo(sub, CL_MEM_TYPE, sizeof type, &type, NULL));
    CHECK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK(clGetMemObjectInfo(sub, CL_MEM_SIZE, sizeof size, &size, NULL));
    CHECK(clGetMemObjectInfo(sub, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    CHECK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    CHECK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    CHECK_THAT(type == CL_MEM_OBJECT_BUFFER && size == 300 && offset == 2 * ALIGN && parent == buffer);
    CHECK_THAT(pointer == host + 2 * ALIGN);
    CHECK_THAT(flags == (CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_USE_HOST_PTR));

    /* The parent lives as long as its part does; commands act on the same bytes. */
    CHECK(clReleaseMemObject(buffer));
    unsigned char back[300];
    for (int i = 0; i < 1024; i++)
        host[i] = (unsigned char)i;
    CHECK(clEnqueueReadBuffer(w.queue, sub, CL_TRUE, 0, 300, back, 0, NULL, NULL));
    CHECK_THAT(!memcmp(back, host + 2 * ALIGN, 300));
    CHECK_CODE(clEnqueueReadBuffer(w.queue, sub, CL_TRUE, 1, 300, back, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueWriteBuffer(w.queue, sub, CL_TRUE, 0, 300, back, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseMemObject(sub));
    CHECK(clReleaseMemObject(read_only));
    CHECK(clReleaseMemObject(write_only));
    test_end(&w);
}

static void test_info(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem buffer = test_buffer(w.context, CL_MEM_ALLOC_HOST_PTR, 100, NULL), parent = buffer;
    cl_mem_flags flags;
    size_t size;
    void *pointer = &size;
    cl_uint count = 9;
    cl_context context;
    cl_bool svm = 9;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK_THAT(flags == (CL_MEM_ALLOC_HOST_PTR | CL_MEM_READ_WRITE));
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    CHECK_THAT(size == 100);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    CHECK_THAT(!pointer);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    CHECK_THAT(!parent);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof size, &size, NULL));
    CHECK_THAT(size == 0);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    CHECK_THAT(context == w.context);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK_THAT(count == 0);
    CHECK(clRetainMemObject(buffer));
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_THAT(count == 2);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof svm, &svm, NULL));
    CHECK_THAT(svm == CL_FALSE);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, NULL, &size));
    CHECK_THAT(size == 0);
    CHECK_CODE(clGetMemObjectInfo(buffer, 0x7777, sizeof size, &size, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetMemObjectInfo(buffer, CL_MEM_SIZE, 1, &size, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clReleaseMemObject((cl_mem)w.queue), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

static void test_transfer_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue q = w.queue;
    cl_context other = test_context(w.device);
    unsigned char host[128], pattern[256] = {0};
    cl_mem a = test_buffer(w.context, 0, 128, NULL), b = test_buffer(w.context, 0, 128, NULL), foreign = test_buffer(other, 0, 128, NULL);
    cl_mem write_only = test_buffer(w.context, CL_MEM_HOST_WRITE_ONLY, 128, NULL);
    cl_mem read_only = test_buffer(w.context, CL_MEM_HOST_READ_ONLY, 128, NULL);
    cl_mem no_access = test_buffer(w.context, CL_MEM_HOST_NO_ACCESS, 128, NULL);
    cl_event event;
    CHECK_CREATE(event, clCreateUserEvent(w.context, &err), CL_SUCCESS);

#define BOTH(code, queue, buffer, offset, size, pointer, count, list)                                                                      \
    CHECK_CODE(clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, size, pointer, count, list, NULL), code);                              \
    CHECK_CODE(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, size, pointer, count, list, NULL), code)
    BOTH(CL_INVALID_COMMAND_QUEUE, NULL, a, 0, 1, host, 0, NULL);
    BOTH(CL_INVALID_MEM_OBJECT, q, NULL, 0, 1, host, 0, NULL);
    BOTH(CL_INVALID_MEM_OBJECT, q, (cl_mem)q, 0, 1, host, 0, NULL);
    BOTH(CL_INVALID_CONTEXT, q, foreign, 0, 1, host, 0, NULL);
    BOTH(CL_INVALID_VALUE, q, a, 1, 128, host, 0, NULL);
    BOTH(CL_INVALID_VALUE, q, a, 129, 0, host, 0, NULL);
    BOTH(CL_INVALID_VALUE, q, a, SIZE_MAX, 2, host, 0, NULL);
    BOTH(CL_INVALID_VALUE, q, a, 2, SIZE_MAX, host, 0, NULL);
    BOTH(CL_INVALID_VALUE, q, a, 0, 1, NULL, 0, NULL);
    BOTH(CL_INVALID_EVENT_WAIT_LIST, q, a, 0, 1, host, 1, NULL);
    BOTH(CL_INVALID_EVENT_WAIT_LIST, q, a, 0, 1, host, 0, &event);
    BOTH(CL_INVALID_OPERATION, q, no_access, 0, 1, host, 0, NULL);
    BOTH(CL_SUCCESS, q, a, 128, 0, host, 0, NULL);
    CHECK_CODE(clEnqueueReadBuffer(q, write_only, CL_TRUE, 0, 1, host, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clEnqueueWriteBuffer(q, write_only, CL_TRUE, 0, 1, host, 0, NULL, NULL));
    CHECK_CODE(clEnqueueWriteBuffer(q, read_only, CL_TRUE, 0, 1, host, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clEnqueueReadBuffer(q, read_only, CL_TRUE, 0, 1, host, 0, NULL, NULL));

    CHECK_CODE(clEnqueueCopyBuffer(NULL, a, b, 0, 0, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueCopyBuffer(q, NULL, b, 0, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, NULL, 0, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, foreign, 0, 0, 1, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, b, 1, 0, 128, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, b, 0, 1, 128, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, b, 0, 0, 1, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, a, 0, 63, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, a, 63, 0, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueCopyBuffer(q, a, a, 5, 5, 1, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK(clEnqueueCopyBuffer(q, a, a, 0, 64, 64, 0, NULL, NULL));

    CHECK_CODE(clEnqueueFillBuffer(NULL, a, pattern, 1, 0, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueFillBuffer(q, NULL, pattern, 1, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueFillBuffer(q, foreign, pattern, 1, 0, 1, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 1, 1, 128, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, NULL, 1, 0, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 0, 0, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 256, 0, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 4, 2, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 4, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueFillBuffer(q, a, pattern, 4, 0, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);

    cl_mem several[] = {a, b}, mixed[] = {a, foreign}, broken[] = {a, NULL};
    CHECK_CODE(clEnqueueMigrateMemObjects(NULL, 2, several, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueMigrateMemObjects(q, 0, several, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueMigrateMemObjects(q, 2, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueMigrateMemObjects(q, 2, broken, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueMigrateMemObjects(q, 2, mixed, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueMigrateMemObjects(q, 2, several, 1 << 10, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueMigrateMemObjects(q, 2, several, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_event migrated;
    cl_command_type type;
    CHECK(clEnqueueMigrateMemObjects(q, 2, several, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
                                     &migrated));
    CHECK(clGetEventInfo(migrated, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_MIGRATE_MEM_OBJECTS);
    CHECK(clWaitForEvents(1, &migrated));
    CHECK(clReleaseEvent(migrated));

    CHECK(clReleaseEvent(event));
    cl_mem all[] = {a, b, foreign, write_only, read_only, no_access};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(clReleaseMemObject(all[i]));
    CHECK(clReleaseContext(other));
    test_end(&w);
}

/* Every size around the pieces into which work is split, against plain C. */
static void test_transfers(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    enum { MAX = 3 * 65536 + 777 };
    const size_t sizes[] = {1, 2, 127, 4096, 65535, 65536, 65537, 131072, MAX};
    unsigned char *data = malloc(MAX), *back = malloc(MAX), *expected = malloc(MAX);
    for (size_t i = 0; i < MAX; i++)
        data[i] = (unsigned char)(i * 7 + (i >> 9));
    cl_mem a = test_buffer(w.context, 0, MAX, NULL), b = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, MAX, data);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t size = sizes[s], offset = (MAX - size) / 2;
        memset(expected, 0xee, MAX);
        CHECK(clEnqueueWriteBuffer(w.queue, a, CL_FALSE, 0, MAX, expected, 0, NULL, NULL));
        CHECK(clEnqueueCopyBuffer(w.queue, b, a, 0, offset, size, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, a, CL_TRUE, 0, MAX, back, 0, NULL, NULL));
        memcpy(expected + offset, data, size);
        CHECK_THAT(!memcmp(back, expected, MAX));
    }
    for (size_t pattern = 1; pattern <= 128; pattern *= 2) {
        size_t offset = 128, size = (MAX - 128) / 128 * 128;
        memset(expected, 0x11, MAX);
        CHECK(clEnqueueWriteBuffer(w.queue, a, CL_TRUE, 0, MAX, expected, 0, NULL, NULL));
        unsigned char copy[128];
        memcpy(copy, data, pattern);
        CHECK(clEnqueueFillBuffer(w.queue, a, copy, pattern, offset, size, 0, NULL, NULL));
        memset(copy, 0, sizeof copy); /* the pattern may be reused at once */
        CHECK(clEnqueueReadBuffer(w.queue, a, CL_TRUE, 0, MAX, back, 0, NULL, NULL));
        for (size_t i = 0; i < size; i++)
            expected[offset + i] = data[i % pattern];
        CHECK_THAT(!memcmp(back, expected, MAX));
    }
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    free(data);
    free(back);
    free(expected);
    test_end(&w);
}

/* Large ones go past the caches: no byte may be missing at odd ends. */
static void test_large(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const size_t size = (9 << 20) + 12345, offset = 77;
    unsigned char *data = malloc(size), *back = malloc(size);
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(i * 31 + (i >> 11));
    cl_mem buffer = test_buffer(w.context, 0, size + 1024, NULL);
    CHECK(clEnqueueWriteBuffer(w.queue, buffer, CL_FALSE, offset, size, data, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, offset, size, back, 0, NULL, NULL));
    CHECK_THAT(!memcmp(data, back, size));
    const size_t fill = (9 << 20) + 8 * 101;
    CHECK(clEnqueueFillBuffer(w.queue, buffer, data, 8, 8, fill, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 8, size, back, 0, NULL, NULL));
    for (size_t i = 0; i < fill; i++)
        if (back[i] != data[i % 8])
            fail_msg("byte %zu of the fill is %u", i, back[i]);
    CHECK_THAT(!memcmp(back + fill, data + fill + 8 - offset, size - fill - 8));
    free(data);
    free(back);
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

/* CL_MEM_USE_HOST_PTR: the pointer itself is the memory. */
static void test_host_pointer(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    unsigned char host[256] = {1, 2, 3}, three = 3;
    cl_mem buffer = test_buffer(w.context, CL_MEM_USE_HOST_PTR, sizeof host, host);
    void *pointer;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    CHECK_THAT(pointer == host);
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &three, 1, 10, 20, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    if (!test_unified(w.device))
        test_update_host(w.queue, buffer);
    CHECK_THAT(host[2] == 3 && host[9] == 0 && host[10] == 3 && host[29] == 3 && host[30] == 0);
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL)); /* onto itself */
    CHECK_THAT(host[10] == 3);

    /* Parts of one buffer overlap each other. */
    cl_buffer_region low = {0, 128}, high = {128, 128};
    cl_mem a, b, c;
    CHECK_CREATE(a, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &err), CL_SUCCESS);
    CHECK_CREATE(b, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &err), CL_SUCCESS);
    CHECK_CREATE(c, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &err), CL_SUCCESS);
    CHECK(clEnqueueCopyBuffer(w.queue, a, b, 0, 0, 128, 0, NULL, NULL));
    CHECK_CODE(clEnqueueCopyBuffer(w.queue, a, c, 0, 1, 100, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK(clFinish(w.queue));
    if (!test_unified(w.device))
        test_update_host(w.queue, buffer);
    CHECK_THAT(host[128] == 1 && host[130] == 3);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(c));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

static char order[8];

static void CL_CALLBACK destroyed(cl_mem mem, void *user_data)
{
    (void)mem;
    strcat(order, user_data);
}

static void test_destructors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    char names[3][2] = {"a", "b", "c"};
    CHECK_CODE(clSetMemObjectDestructorCallback(NULL, destroyed, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clSetMemObjectDestructorCallback(buffer, NULL, NULL), CL_INVALID_VALUE);
    for (int i = 0; i < 3; i++)
        CHECK(clSetMemObjectDestructorCallback(buffer, destroyed, names[i]));
    cl_event gate;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    unsigned char zero = 0;
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &zero, 1, 0, 64, 1, &gate, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK_THAT(!order[0]); /* a command still uses it */
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(w.queue));
    CHECK_THAT(!strcmp(order, "cba"));
    CHECK(clReleaseEvent(gate));
    test_end(&w);
}

static void CL_CALLBACK keep(cl_mem mem, void *user_data)
{
    (void)user_data;
    CHECK_CODE(clReleaseMemObject(mem), CL_INVALID_MEM_OBJECT);
    CHECK(clRetainMemObject(mem));
}

enum { CHAIN = 20000 };
static cl_mem chain[CHAIN];
static int chain_ended;

static void CL_CALLBACK release_the_next(cl_mem mem, void *user_data)
{
    (void)user_data;
    CHECK_THAT(mem == chain[chain_ended]);
    if (++chain_ended < CHAIN)
        CHECK(clReleaseMemObject(chain[chain_ended]));
}

static void *release_the_first(void *unused)
{
    CHECK(clReleaseMemObject(chain[0]));
    return unused;
}

/* Buffers that release each other in their callbacks, in a thread whose stack is too small for so many calls. */
static void test_chain_of_destructors(void **state)
{
    (void)state;
    pthread_attr_t small;
    pthread_t thread;
    cl_context context = test_context(test_device());
    for (int i = 0; i < CHAIN; i++) {
        chain[i] = test_buffer(context, 0, 16, NULL);
        CHECK(clSetMemObjectDestructorCallback(chain[i], release_the_next, NULL));
    }
    CHECK_THAT(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, 256 << 10));
    CHECK_THAT(!pthread_create(&thread, &small, release_the_first, NULL) && !pthread_join(thread, NULL));
    pthread_attr_destroy(&small);
    CHECK_THAT(chain_ended == CHAIN);
    CHECK(clReleaseContext(context));
}

/* A callback that retains the object keeps it, with its contents. */
static void test_kept_by_a_destructor(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    unsigned char bytes[64] = {1, 2, 3}, read[64] = {0};
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
    CHECK(clSetMemObjectDestructorCallback(buffer, keep, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
    CHECK_THAT(!memcmp(bytes, read, sizeof read));
    *order = 0;
    CHECK(clSetMemObjectDestructorCallback(buffer, destroyed, "z"));
    CHECK(clReleaseMemObject(buffer));
    CHECK_THAT(!strcmp(order, "z"));
    test_end(&w);
}

/* cl_ext_immutable_memory_objects: nothing writes such an object. */
static void test_immutable(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_int data[32] = {1, 2, 3}, got[32] = {0}, zero = 0, code;
    cl_mem mem, part, other = test_buffer(w.context, 0, sizeof data, NULL);
    const cl_mem_flags wrong[] = {0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE,
                                  CL_MEM_COPY_HOST_PTR | CL_MEM_WRITE_ONLY, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_CREATE(mem, clCreateBuffer(w.context, CL_MEM_IMMUTABLE_EXT | wrong[i], sizeof data, i > 1 ? data : NULL, &err),
                     CL_INVALID_VALUE);
    cl_program program =
        test_build(w.context, w.device, "kernel void k(global int *a, constant int *b, const global int *c) { *a = *b + *c; }", NULL);
    cl_kernel kernel = test_kernel(program, "k");
    for (int uses = 0; uses < 2; uses++) {
        const cl_mem_flags flags = CL_MEM_IMMUTABLE_EXT | (uses ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY);
        const size_t origin[3] = {0}, region[3] = {4, 4, 1};
        cl_mem_flags all;
        mem = test_buffer(w.context, flags, sizeof data, data);
        CHECK(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof all, &all, NULL));
        assert_int_equal(all, flags);
        cl_buffer_region half = {0, sizeof data / 2};
        CHECK_CREATE(part, clCreateSubBuffer(mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err), CL_INVALID_VALUE);
        CHECK_CREATE(part, clCreateSubBuffer(mem, CL_MEM_HOST_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &half, &err), CL_INVALID_VALUE);
        CHECK_CREATE(part, clCreateSubBuffer(mem, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &half, &err), CL_SUCCESS);
        cl_mem both[] = {mem, part};
        for (int i = 0; i < 2; i++) {
            CHECK_CODE(clEnqueueWriteBuffer(w.queue, both[i], CL_TRUE, 0, 4, &zero, 0, NULL, NULL), CL_INVALID_OPERATION);
            CHECK_CODE(clEnqueueWriteBufferRect(w.queue, both[i], CL_TRUE, origin, origin, region, 0, 0, 0, 0, got, 0, NULL, NULL),
                       CL_INVALID_OPERATION);
            CHECK_CODE(clEnqueueCopyBuffer(w.queue, other, both[i], 0, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
            CHECK_CODE(clEnqueueCopyBufferRect(w.queue, other, both[i], origin, origin, region, 0, 0, 0, 0, 0, NULL, NULL),
                       CL_INVALID_OPERATION);
            CHECK_CODE(clEnqueueFillBuffer(w.queue, both[i], &zero, 4, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
            CHECK_THAT(!clEnqueueMapBuffer(w.queue, both[i], CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &code));
            assert_int_equal(code, CL_INVALID_OPERATION);
            CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(cl_mem), &both[i]), CL_INVALID_ARG_VALUE);
            CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &other));
            CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &both[i]));
            CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &both[i]));
            const size_t one = 1;
            CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(w.queue, other, CL_TRUE, 0, 4, got, 0, NULL, NULL));
            assert_int_equal(got[0], 2);
            CHECK(clEnqueueCopyBuffer(w.queue, both[i], other, 0, 0, 8, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(w.queue, both[i], CL_TRUE, 0, sizeof data / 2, got, 0, NULL, NULL));
            assert_memory_equal(got, data, sizeof data / 2);
        }
        CHECK(clReleaseMemObject(part));
        CHECK(clReleaseMemObject(mem));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(other));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_immutable),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_new_memory),
        cmocka_unit_test(test_sub_buffer),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_host_pointer),
        cmocka_unit_test(test_transfer_errors),
        cmocka_unit_test(test_destructors),
        cmocka_unit_test(test_chain_of_destructors),
        cmocka_unit_test(test_kept_by_a_destructor),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
