/* SPDX-License-Identifier: Apache-2.0
 * Tests of unified shared memory: allocations and what is told of them, kernels, commands, frees, errors. That fills and copies write what
 * is theirs and nothing else is a matter of icd/test/test_transfer.c. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "icd/test/usm.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int load(void **state)
{
    (void)state;
    usm_load();
    return 0;
}

/* ---- allocation ---- */

enum kind { HOST, DEVICE, SHARED, SHARED_BY_ALL, KINDS };

static void *allocate(const struct test_world *w, enum kind kind, const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
                      cl_int *err)
{
    switch (kind) {
    case HOST:
        return usm_clHostMemAllocINTEL(w->context, properties, size, alignment, err);
    case DEVICE:
        return usm_clDeviceMemAllocINTEL(w->context, w->device, properties, size, alignment, err);
    default:
        return usm_clSharedMemAllocINTEL(w->context, kind == SHARED ? w->device : NULL, properties, size, alignment, err);
    }
}

static void *good(const struct test_world *w, enum kind kind, size_t size)
{
    void *pointer;
    CHECK_CREATE(pointer, allocate(w, kind, NULL, size, 0, &err), CL_SUCCESS);
    return pointer;
}

/* Whether the host may touch it: not memory of a device that has some of its own. */
static bool is_open(const struct test_world *w, enum kind kind)
{
    return kind != DEVICE || test_unified(w->device);
}

/* Writes and reads memory of any kind. */
static void put(const struct test_world *w, void *to, const void *from, size_t size)
{
    CHECK(usm_clEnqueueMemcpyINTEL(w->queue, CL_TRUE, to, from, size, 0, NULL, NULL));
}

static void expect_info(cl_context context, const void *pointer, cl_unified_shared_memory_type_intel type, const void *base, size_t size,
                        cl_device_id device, cl_mem_alloc_flags_intel flags)
{
    cl_unified_shared_memory_type_intel has_type = 0;
    void *has_base = &has_type;
    size_t has_size = 99, bytes = 0;
    cl_device_id has_device = (cl_device_id)&has_type;
    cl_mem_alloc_flags_intel has_flags = 99;
#define QUERY(name, value)                                                                                                                 \
    CHECK(usm_clGetMemAllocInfoINTEL(context, pointer, name, sizeof value, &value, &bytes));                                               \
    CHECK_THAT(bytes == sizeof value)
    QUERY(CL_MEM_ALLOC_TYPE_INTEL, has_type);
    QUERY(CL_MEM_ALLOC_BASE_PTR_INTEL, has_base);
    QUERY(CL_MEM_ALLOC_SIZE_INTEL, has_size);
    QUERY(CL_MEM_ALLOC_DEVICE_INTEL, has_device);
    QUERY(CL_MEM_ALLOC_FLAGS_INTEL, has_flags);
#undef QUERY
    assert_int_equal(has_type, type);
    CHECK_THAT(has_base == base);
    assert_int_equal(has_size, size);
    CHECK_THAT(has_device == device);
    assert_int_equal(has_flags, flags);
}

static void test_allocate(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_ulong most;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    enum { ON_DEVICE = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, ON_HOST = CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL };
    const struct {
        cl_mem_properties_intel properties[5];
        size_t size;
        cl_uint alignment;
        cl_int code[2]; /* not shared, shared */
    } cases[] = {
        {{0}, 1, 0, {0, 0}},
        {{0}, 100, 1, {0, 0}},
        {{0}, 100000, 64, {0, 0}},
        {{0}, 3 << 20, 128, {0, 0}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, 0}, 64, 0, {0, 0}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL}, 64, 0, {0, 0}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, ON_DEVICE}, 64, 0, {CL_INVALID_PROPERTY, 0}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, ON_HOST}, 64, 0, {CL_INVALID_PROPERTY, 0}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, ON_HOST | ON_DEVICE}, 64, 0, {CL_INVALID_PROPERTY, CL_INVALID_PROPERTY}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, 8}, 64, 0, {CL_INVALID_PROPERTY, CL_INVALID_PROPERTY}},
        {{CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0}, 64, 0, {CL_INVALID_PROPERTY, CL_INVALID_PROPERTY}},
        {{CL_MEM_ALLOC_BUFFER_LOCATION_INTEL, 0}, 64, 0, {CL_INVALID_PROPERTY, CL_INVALID_PROPERTY}},
        {{0}, 64, 3, {CL_INVALID_VALUE, CL_INVALID_VALUE}},
        {{0}, 64, 256, {CL_INVALID_VALUE, CL_INVALID_VALUE}},
        {{0}, 0, 0, {CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE}},
        {{0}, most + 1, 0, {CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE}},
        {{0}, SIZE_MAX, 0, {CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE}},
    };
    const cl_unified_shared_memory_type_intel types[KINDS] = {CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL, CL_MEM_TYPE_SHARED_INTEL,
                                                              CL_MEM_TYPE_SHARED_INTEL};
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < COUNT(cases); i++) {
            unsigned char *pointer;
            cl_device_id device = kind == DEVICE || kind == SHARED ? w.device : NULL;
            size_t size = cases[i].size;
            CHECK_CREATE(pointer, allocate(&w, kind, cases[i].properties[0] ? cases[i].properties : NULL, size, cases[i].alignment, &err),
                         cases[i].code[kind >= SHARED]);
            if (!pointer)
                continue;
            CHECK_THAT((uintptr_t)pointer % (cases[i].alignment ? cases[i].alignment : 128) == 0);
            if (is_open(&w, kind))
                memset(pointer, 1, size);
            expect_info(w.context, pointer, types[kind], pointer, size, device, cases[i].properties[1]);
            expect_info(w.context, pointer + size - 1, types[kind], pointer, size, device, cases[i].properties[1]);
            expect_info(w.context, pointer + size, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
            expect_info(w.context, pointer - 1, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
            CHECK(usm_clMemFreeINTEL(w.context, pointer));
            expect_info(w.context, pointer, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
        }
    void *none;
    cl_device_id no_device = (cl_device_id)w.queue;
    CHECK_CREATE(none, usm_clHostMemAllocINTEL(NULL, NULL, 64, 0, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(none, usm_clDeviceMemAllocINTEL(NULL, w.device, NULL, 64, 0, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(none, usm_clSharedMemAllocINTEL(NULL, w.device, NULL, 64, 0, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(none, usm_clDeviceMemAllocINTEL(w.context, NULL, NULL, 64, 0, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(none, usm_clDeviceMemAllocINTEL(w.context, no_device, NULL, 64, 0, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(none, usm_clSharedMemAllocINTEL(w.context, no_device, NULL, 64, 0, &err), CL_INVALID_DEVICE);
    CHECK_THAT(!usm_clHostMemAllocINTEL(w.context, NULL, 0, 0, NULL)); /* the code is not asked for */
    test_end(&w);
}

static void test_info(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    char *pointer = good(&w, HOST, 64), *svm = clSVMAlloc(w.context, 0, 64, 0), local;
    cl_unified_shared_memory_type_intel type;
    size_t size = 0;
    CHECK_CODE(usm_clGetMemAllocInfoINTEL(NULL, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(usm_clGetMemAllocInfoINTEL(w.context, pointer, CL_MEM_SIZE, sizeof type, &type, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clGetMemAllocInfoINTEL(w.context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type - 1, &type, NULL), CL_INVALID_VALUE);
    CHECK(usm_clGetMemAllocInfoINTEL(w.context, pointer, CL_MEM_ALLOC_TYPE_INTEL, 0, NULL, &size));
    CHECK_THAT(size == sizeof type);
    const void *unknown[] = {NULL, &local, svm, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < COUNT(unknown); i++)
        expect_info(w.context, unknown[i], CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    /* Another context does not know it. */
    cl_context other = test_context(w.device);
    expect_info(other, pointer, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    CHECK_CODE(usm_clMemFreeINTEL(other, pointer), CL_INVALID_VALUE);
    CHECK(clReleaseContext(other));
    /* A buffer over such memory is none over SVM, and must not exceed the allocation. */
    cl_mem mem;
    cl_bool uses_svm = 9;
    CHECK_CREATE(mem, clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, 65, pointer, &err), CL_INVALID_BUFFER_SIZE);
    mem = test_buffer(w.context, CL_MEM_USE_HOST_PTR, 32, pointer + 32);
    CHECK(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof uses_svm, &uses_svm, NULL));
    CHECK_THAT(uses_svm == CL_FALSE);
    CHECK(clReleaseMemObject(mem));
    clSVMFree(w.context, svm);
    CHECK(usm_clMemFreeINTEL(w.context, pointer));
    test_end(&w);
}

/* ---- frees ---- */

static void test_frees(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const clMemFreeINTEL_fn frees[] = {usm_clMemFreeINTEL, usm_clMemBlockingFreeINTEL};
    char *svm = clSVMAlloc(w.context, 0, 64, 0), local;
    for (size_t i = 0; i < COUNT(frees); i++) {
        char *pointer = good(&w, (enum kind)i, 64);
        CHECK_CODE(frees[i](NULL, pointer), CL_INVALID_CONTEXT);
        CHECK_CODE(frees[i](w.context, pointer + 1), CL_INVALID_VALUE);
        CHECK_CODE(frees[i](w.context, &local), CL_INVALID_VALUE);
        CHECK_CODE(frees[i](w.context, svm), CL_INVALID_VALUE);
        clSVMFree(w.context, pointer); /* not SVM: ignored */
        CHECK(frees[i](w.context, pointer));
        CHECK_CODE(frees[i](w.context, pointer), CL_INVALID_VALUE);
        CHECK(frees[i](w.context, NULL));
    }
    clSVMFree(w.context, svm);
    test_end(&w);
}

struct freeing {
    cl_context context;
    void *pointer;
    atomic_int ended;
};

static void *free_it(void *data)
{
    struct freeing *freeing = data;
    cl_int err = usm_clMemBlockingFreeINTEL(freeing->context, freeing->pointer);
    atomic_store(&freeing->ended, err == CL_SUCCESS ? 1 : -1);
    return NULL;
}

/* A blocking free waits for the commands of every queue, also of those that the application has released. */
static void blocking_free(cl_command_queue_properties properties, bool release)
{
    struct test_world w = test_begin(0);
    cl_command_queue queue = test_queue(w.context, w.device, properties);
    struct freeing freeing = {.context = w.context, .pointer = good(&w, DEVICE, 4096)};
    char *result = good(&w, HOST, 4096);
    cl_event gate;
    pthread_t thread;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(usm_clEnqueueMemsetINTEL(queue, freeing.pointer, 7, 4096, 1, &gate, NULL));
    cl_event filled;
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &filled));
    CHECK(usm_clEnqueueMemcpyINTEL(queue, CL_FALSE, result, freeing.pointer, 4096, 1, &filled, NULL));
    CHECK(clReleaseEvent(filled));
    if (release)
        CHECK(clReleaseCommandQueue(queue));
    CHECK_THAT(!pthread_create(&thread, NULL, free_it, &freeing));
    usleep(20000);
    CHECK_THAT(!atomic_load(&freeing.ended));
    expect_info(w.context, freeing.pointer, CL_MEM_TYPE_DEVICE_INTEL, freeing.pointer, 4096, w.device, 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_THAT(!pthread_join(thread, NULL) && atomic_load(&freeing.ended) == 1);
    CHECK_THAT(result[0] == 7 && result[4095] == 7);
    expect_info(w.context, freeing.pointer, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    CHECK(clReleaseEvent(gate));
    if (!release)
        CHECK(clReleaseCommandQueue(queue));
    CHECK(usm_clMemBlockingFreeINTEL(w.context, result));
    test_end(&w);
}

static void test_blocking_free(void **state)
{
    (void)state;
    blocking_free(0, false);
    blocking_free(0, true);
    blocking_free(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false);
    blocking_free(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, true);
}

/* What is left when its context dies is freed with it, and not before its commands have run. */
static void test_left(void **state)
{
    (void)state;
    enum { SIZE = 64 << 20 }; /* malloc gives so much pages of its own, which it returns at once */
    struct test_world w = test_begin(0);
    char *usm = good(&w, SHARED, SIZE), *svm = clSVMAlloc(w.context, 0, SIZE, 0), copy[64] = "";
    char *pages[] = {(char *)((uintptr_t)usm + SIZE / 2 & ~(uintptr_t)4095), (char *)((uintptr_t)svm + SIZE / 2 & ~(uintptr_t)4095)};
    cl_event gate, copied;
    CHECK_THAT(svm);
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(usm_clEnqueueMemsetINTEL(w.queue, usm, 5, SIZE, 1, &gate, NULL));
    CHECK(usm_clEnqueueMemcpyINTEL(w.queue, CL_FALSE, copy, usm + SIZE - sizeof copy, sizeof copy, 0, NULL, &copied));
    CHECK(clReleaseCommandQueue(w.queue));
    CHECK(clReleaseContext(w.context));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &copied));
    CHECK_THAT(copy[0] == 5 && copy[63] == 5);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(copied));
    for (size_t i = 0; i < COUNT(pages) && !CL_TEST_SANITIZED; i++) {
        int tries = 1000; /* the thread that ran the copy may be about to drop the last hold */
        while (!msync(pages[i], 4096, MS_ASYNC) && tries--)
            usleep(1000);
        CHECK_THAT(tries >= 0 && errno == ENOMEM);
    }
}

/* ---- kernels ---- */

static const char source[] =
    "kernel void add(global int *to, global const int *from, int n) { size_t i = get_global_id(0); to[i] += from[i] + n; }\n"
    "struct node { global struct node *next; int value; };\n"
    "kernel void walk(global int *sum, global struct node *global *first) {\n"
    "    int all = 0;\n"
    "    for (global struct node *node = *first; node; node = node->next) all += node->value++;\n"
    "    *sum = all;\n"
    "}\n"
    "kernel void count(global volatile atomic_int *counter, local int *unused) { atomic_fetch_add(counter, 1); }\n";

static void test_kernels(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    enum { N = 1000 };
    const size_t items = N;
    cl_program program = test_build(w.context, w.device, source, "-cl-std=CL3.0");
    cl_kernel add = test_kernel(program, "add");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        int *to = good(&w, kind, 2 * N * sizeof(int)), *from = good(&w, (enum kind)((kind + 1) % KINDS), 2 * N * sizeof(int)),
            n = (int)kind;
        int host_to[2 * N], host_from[2 * N];
        for (int i = 0; i < 2 * N; i++) {
            host_to[i] = 1000 * i;
            host_from[i] = i;
        }
        put(&w, to, host_to, sizeof host_to);
        put(&w, from, host_from, sizeof host_from);
        /* From the middle of one allocation to the middle of the other. */
        CHECK(usm_clSetKernelArgMemPointerINTEL(add, 0, to + N / 2));
        CHECK(usm_clSetKernelArgMemPointerINTEL(add, 1, from + N));
        CHECK(clSetKernelArg(add, 2, sizeof n, &n));
        CHECK(clEnqueueNDRangeKernel(w.queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clFinish(w.queue));
        put(&w, host_to, to, sizeof host_to);
        put(&w, host_from, from, sizeof host_from);
        for (int i = 0; i < 2 * N; i++)
            CHECK_THAT(host_to[i] == 1000 * i + (i >= N / 2 && i < N / 2 + N ? i + N / 2 + n : 0) && host_from[i] == i);
        CHECK(usm_clMemFreeINTEL(w.context, to));
        CHECK(usm_clMemFreeINTEL(w.context, from));
    }
    cl_kernel count = test_kernel(program, "count");
    CHECK_CODE(usm_clSetKernelArgMemPointerINTEL(NULL, 0, NULL), CL_INVALID_KERNEL);
    CHECK_CODE(usm_clSetKernelArgMemPointerINTEL(add, 3, NULL), CL_INVALID_ARG_INDEX);
    CHECK_CODE(usm_clSetKernelArgMemPointerINTEL(add, 2, &add), CL_INVALID_ARG_VALUE);
    CHECK_CODE(usm_clSetKernelArgMemPointerINTEL(count, 1, &add), CL_INVALID_ARG_VALUE); /* local memory */
    CHECK(usm_clSetKernelArgMemPointerINTEL(add, 0, NULL));
    CHECK(usm_clSetKernelArgMemPointerINTEL(add, 0, (void *)1)); /* any pointer is valid as long as no kernel follows it */
    CHECK(clReleaseKernel(add));

    int *counter = good(&w, SHARED, sizeof(int));
    *counter = 5;
    CHECK(usm_clSetKernelArgMemPointerINTEL(count, 0, counter));
    CHECK(clSetKernelArg(count, 1, 4, NULL));
    CHECK(clEnqueueNDRangeKernel(w.queue, count, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(*counter == 5 + N);
    CHECK(usm_clMemFreeINTEL(w.context, counter));
    CHECK(clReleaseKernel(count));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

struct node {
    struct node *next;
    cl_int value;
};

/* A kernel follows pointers that lie in a buffer, and in allocations of every kind. */
static void test_indirect(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device, source, "-cl-std=CL3.0");
    cl_kernel walk = test_kernel(program, "walk");
    struct node *nodes[KINDS] = {NULL};
    for (enum kind kind = 0; kind < KINDS; kind++) {
        nodes[kind] = good(&w, kind, 3 * sizeof(struct node));
        put(&w, &nodes[kind][1], &(struct node){kind ? &nodes[kind - 1][1] : NULL, 10 << kind}, sizeof(struct node));
    }
    struct node *first = &nodes[KINDS - 1][1];
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof first, &first);
    cl_int *sum = good(&w, HOST, sizeof *sum);
    const cl_kernel_exec_info flags[] = {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                         CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL};
    const cl_bool yes = CL_TRUE, no = CL_FALSE, neither = 2;
    for (size_t i = 0; i < COUNT(flags); i++) {
        CHECK_CODE(clSetKernelExecInfo(NULL, flags[i], sizeof yes, &yes), CL_INVALID_KERNEL);
        CHECK_CODE(clSetKernelExecInfo(walk, flags[i], sizeof yes + 1, &yes), CL_INVALID_VALUE);
        CHECK_CODE(clSetKernelExecInfo(walk, flags[i], sizeof yes, NULL), CL_INVALID_VALUE);
        CHECK_CODE(clSetKernelExecInfo(walk, flags[i], sizeof neither, &neither), CL_INVALID_VALUE);
        CHECK(clSetKernelExecInfo(walk, flags[i], sizeof no, &no));
        CHECK(clSetKernelExecInfo(walk, flags[i], sizeof yes, &yes));
    }
    CHECK_CODE(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof nodes - 1, nodes), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof nodes, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(walk, 0x4205, sizeof yes, &yes), CL_INVALID_VALUE);
    CHECK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof nodes, nodes));
    cl_kernel clone;
    CHECK(usm_clSetKernelArgMemPointerINTEL(walk, 0, sum));
    CHECK(clSetKernelArg(walk, 1, sizeof buffer, &buffer));
    CHECK_CREATE(clone, clCloneKernel(walk, &err), CL_SUCCESS);
    const size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(w.queue, walk, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    assert_int_equal(*sum, 10 + 20 + 40 + 80);
    CHECK(clEnqueueNDRangeKernel(w.queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    assert_int_equal(*sum, 11 + 21 + 41 + 81);
    for (enum kind kind = 0; kind < KINDS; kind++)
        CHECK(usm_clMemBlockingFreeINTEL(w.context, nodes[kind]));
    CHECK(usm_clMemFreeINTEL(w.context, sum));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseKernel(walk));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* ---- commands ---- */

static void test_commands(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    enum { SIZE = 200000, EVENTS = 5 };
    unsigned char *a = good(&w, DEVICE, SIZE), *b = good(&w, SHARED, SIZE), on_host[SIZE / 2], some[1002];
    const cl_uint pattern = 0x01020304;
    cl_event gate, events[EVENTS];
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(usm_clEnqueueMemsetINTEL(w.queue, a, 0, SIZE, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    if (is_open(&w, DEVICE))
        CHECK_THAT(a[0] == 0 && a[SIZE - 1] == 0);
    /* A chain over wait lists, since the queue is out-of-order; nothing begins before the gate. */
    CHECK(usm_clEnqueueMigrateMemINTEL(w.queue, b, SIZE, 0, 1, &gate, &events[0]));
    CHECK(usm_clEnqueueMemAdviseINTEL(w.queue, b, SIZE, 1, 1, &events[0], &events[1]));
    CHECK(usm_clEnqueueMemFillINTEL(w.queue, a, &pattern, sizeof pattern, SIZE, 1, &events[1], &events[2]));
    CHECK(usm_clEnqueueMemcpyINTEL(w.queue, CL_FALSE, b, a, SIZE, 1, &events[2], &events[3]));
    CHECK(usm_clEnqueueMemsetINTEL(w.queue, b + 4, 0x1ff, 4, 1, &events[3], &events[4]));
    usleep(1000);
    put(&w, some, a, 4);
    CHECK_THAT(some[0] == 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    /* To memory of the host, and back to the middle. */
    CHECK(usm_clEnqueueMemcpyINTEL(w.queue, CL_TRUE, on_host, b, sizeof on_host, 1, &events[4], NULL));
    for (size_t i = 0; i < sizeof on_host; i++)
        CHECK_THAT(on_host[i] == (i / 4 == 1 ? 255 : 4 - i % 4));
    memset(on_host, 9, sizeof on_host);
    CHECK(usm_clEnqueueMemcpyINTEL(w.queue, CL_TRUE, a + 1000, on_host, 1000, 0, NULL, NULL));
    put(&w, some, a + 999, sizeof some);
    CHECK_THAT(some[0] == 1 && some[1] == 9 && some[1000] == 9 && some[1001] == 4);
    const cl_command_type types[EVENTS] = {CL_COMMAND_MIGRATEMEM_INTEL, CL_COMMAND_MEMADVISE_INTEL, CL_COMMAND_MEMFILL_INTEL,
                                           CL_COMMAND_MEMCPY_INTEL, CL_COMMAND_MEMFILL_INTEL};
    for (int i = 0; i < EVENTS; i++) {
        cl_command_type type;
        CHECK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        assert_int_equal(type, types[i]);
        CHECK(clReleaseEvent(events[i]));
    }
    CHECK(clReleaseEvent(gate));
    CHECK(usm_clMemFreeINTEL(w.context, a));
    CHECK(usm_clMemFreeINTEL(w.context, b));
    test_end(&w);
}

static void test_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue q = w.queue;
    unsigned char *p = good(&w, SHARED, 1024), pattern[256] = {0};
    cl_context other = test_context(w.device);
    cl_event gate, foreign;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK_CREATE(foreign, clCreateUserEvent(other, &err), CL_SUCCESS);
    const struct { /* the same for every command */
        cl_command_queue queue;
        cl_uint count;
        const cl_event *list;
        cl_int code;
    } common[] = {{NULL, 0, NULL, CL_INVALID_COMMAND_QUEUE},
                  {q, 1, NULL, CL_INVALID_EVENT_WAIT_LIST},
                  {q, 0, &gate, CL_INVALID_EVENT_WAIT_LIST},
                  {q, 1, (cl_event[]){NULL}, CL_INVALID_EVENT_WAIT_LIST},
                  {q, 1, &foreign, CL_INVALID_CONTEXT}};
    for (size_t i = 0; i < COUNT(common); i++) {
        cl_command_queue queue = common[i].queue;
        cl_uint n = common[i].count;
        const cl_event *list = common[i].list;
        cl_int code = common[i].code;
        CHECK_CODE(usm_clEnqueueMemFillINTEL(queue, p, pattern, 4, 4, n, list, NULL), code);
        CHECK_CODE(usm_clEnqueueMemsetINTEL(queue, p, 0, 4, n, list, NULL), code);
        CHECK_CODE(usm_clEnqueueMemcpyINTEL(queue, CL_TRUE, p, pattern, 4, n, list, NULL), code);
        CHECK_CODE(usm_clEnqueueMigrateMemINTEL(queue, p, 4, 0, n, list, NULL), code);
        CHECK_CODE(usm_clEnqueueMemAdviseINTEL(queue, p, 4, 0, n, list, NULL), code);
    }
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, NULL, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p + 2, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p, pattern, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p, pattern, 3, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p, pattern, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p, pattern, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemsetINTEL(q, NULL, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, NULL, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p, p + 63, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p + 63, p, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p, p, 1, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p + 64, p, 64, 0, NULL, NULL));
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, pattern, p + 1000, 25, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemsetINTEL(q, p, 0, 1025, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMemFillINTEL(q, p, pattern, 4, SIZE_MAX - 3, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(usm_clEnqueueMigrateMemINTEL(q, p, 4, 1 << 10, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(usm_clEnqueueMigrateMemINTEL(q, p, 4, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    /* Nothing to do is no error. */
    CHECK(usm_clEnqueueMemFillINTEL(q, p, pattern, 4, 0, 0, NULL, NULL));
    CHECK(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p, pattern, 0, 0, NULL, NULL));
    /* The event that it waits for fails. */
    CHECK(clSetUserEventStatus(gate, -1));
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(q, CL_TRUE, p, pattern, 4, 1, &gate, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clSetUserEventStatus(foreign, CL_COMPLETE));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(foreign));
    CHECK(clReleaseContext(other));
    CHECK(usm_clMemFreeINTEL(w.context, p));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocate), cmocka_unit_test(test_info),          cmocka_unit_test(test_frees),
        cmocka_unit_test(test_left),     cmocka_unit_test(test_blocking_free), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_indirect), cmocka_unit_test(test_commands),      cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
