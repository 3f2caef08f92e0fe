/* SPDX-License-Identifier: Apache-2.0
 * Tests of shared virtual memory: allocation, commands, buffers over it, errors. */
#include <stdatomic.h>
#include <time.h>

#include "icd/test/cl_test.h"

static void test_allocate(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    cl_device_svm_capabilities has = 0;
    cl_ulong max;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    CHECK_THAT(has & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    CHECK_THAT(has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER || !test_unified(device));
    bool has_fine = has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER, atomics = CL_MEM_SVM_ATOMICS;
    const struct {
        cl_svm_mem_flags flags;
        size_t size;
        cl_uint alignment;
        bool works;
    } cases[] = {
        {0, 1, 0, true},
        {CL_MEM_READ_WRITE, 100, 1, true},
        {CL_MEM_READ_ONLY | fine, 100000, 64, has_fine},
        {CL_MEM_WRITE_ONLY, 1 << 20, 128, true},
        {fine | atomics, 64, 0, has & CL_DEVICE_SVM_ATOMICS},
        {atomics, 64, 0, false},
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0, false},
        {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0, false},
        {CL_MEM_USE_HOST_PTR, 64, 0, false},
        {(cl_svm_mem_flags)1 << 40, 64, 0, false},
        {0, 0, 0, false},
        {0, max + 1, 0, false},
        {0, 64, 3, false},
        {0, 64, 256, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *pointer = clSVMAlloc(context, cases[i].flags, cases[i].size, cases[i].alignment);
        CHECK_THAT(!!pointer == cases[i].works);
        CHECK_THAT((uintptr_t)pointer % (cases[i].alignment ? cases[i].alignment : 128) == 0);
        if (pointer)
            memset(pointer, 1, cases[i].size);
        clSVMFree(context, pointer);
    }
    CHECK_THAT(!clSVMAlloc(NULL, 0, 64, 0));
    int local;
    clSVMFree(context, NULL);
    clSVMFree(NULL, NULL);
    clSVMFree(context, &local); /* not ours: ignored */
    CHECK(clReleaseContext(context));
}

static void test_commands(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    enum { SIZE = 200000 };
    unsigned char *a = clSVMAlloc(w.context, 0, SIZE, 0), *b = clSVMAlloc(w.context, 0, SIZE, 0), on_host[64];
    CHECK_THAT(a && b);
    unsigned pattern = 0x01020304;
    CHECK(clEnqueueSVMMemFill(w.queue, a, &pattern, sizeof pattern, SIZE, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(w.queue, CL_FALSE, b, a, SIZE, 0, NULL, NULL));
    CHECK(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, b, SIZE, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++)
        CHECK_THAT(b[i] == 4 - i % 4);
    b[5] = 99;
    CHECK(clEnqueueSVMUnmap(w.queue, b, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(w.queue, CL_TRUE, on_host, b, sizeof on_host, 0, NULL, NULL)); /* ordinary memory takes part */
    CHECK_THAT(on_host[4] == 4 && on_host[5] == 99);
    CHECK(clEnqueueSVMMemcpy(w.queue, CL_TRUE, b, b + 100, 100, 0, NULL, NULL));

    cl_event events[7];
    const void *pointers[] = {a, b + 10, a};
    const size_t sizes[] = {SIZE, SIZE - 10, 0};
    CHECK(clEnqueueSVMMigrateMem(w.queue, 3, pointers, sizes, 0, 0, NULL, &events[0]));
    CHECK(clEnqueueSVMMigrateMem(w.queue, 3, pointers, NULL, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &events[1]));
    CHECK(clEnqueueSVMMemFill(w.queue, a, &pattern, 1, 1, 0, NULL, &events[2]));
    CHECK(clEnqueueSVMMemcpy(w.queue, CL_FALSE, a, b, 1, 0, NULL, &events[3]));
    CHECK(clEnqueueSVMMap(w.queue, CL_FALSE, CL_MAP_READ, a, 1, 0, NULL, &events[4]));
    CHECK(clEnqueueSVMUnmap(w.queue, a, 0, NULL, &events[5]));
    void *both[] = {a, b};
    CHECK(clEnqueueSVMFree(w.queue, 2, both, NULL, NULL, 0, NULL, &events[6]));
    both[0] = both[1] = NULL; /* the list may be reused at once */
    CHECK(clFinish(w.queue));
    const cl_command_type types[] = {CL_COMMAND_SVM_MIGRATE_MEM, CL_COMMAND_SVM_MIGRATE_MEM, CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MEMCPY,
                                     CL_COMMAND_SVM_MAP,         CL_COMMAND_SVM_UNMAP,       CL_COMMAND_SVM_FREE};
    for (int i = 0; i < 7; i++) {
        cl_command_type type;
        CHECK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        CHECK_THAT(type == types[i]);
        CHECK(clReleaseEvent(events[i]));
    }
    /* Freed: no longer in the context's list. */
    const void *gone[] = {a};
    CHECK_CODE(clEnqueueSVMMigrateMem(w.queue, 1, gone, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    test_end(&w);
}

struct freed {
    cl_command_queue queue;
    cl_uint count;
    void *pointers[2];
    atomic_int calls;
    cl_context context;
};

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void *pointers[], void *user_data)
{
    struct freed *freed = user_data;
    freed->queue = queue;
    freed->count = count;
    for (cl_uint i = 0; i < count; i++) {
        freed->pointers[i] = pointers[i];
        clSVMFree(freed->context, pointers[i]);
    }
    atomic_fetch_add(&freed->calls, 1);
}

static void test_free_callback(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    struct freed freed = {.context = w.context};
    void *pointers[] = {clSVMAlloc(w.context, 0, 64, 0), clSVMAlloc(w.context, 0, 64, 0)}, *copy[] = {pointers[0], pointers[1]};
    cl_event gate;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clEnqueueSVMFree(w.queue, 2, pointers, free_them, &freed, 1, &gate, NULL));
    pointers[0] = NULL;
    CHECK_THAT(atomic_load(&freed.calls) == 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(w.queue));
    CHECK_THAT(atomic_load(&freed.calls) == 1 && freed.queue == w.queue && freed.count == 2);
    CHECK_THAT(freed.pointers[0] == copy[0] && freed.pointers[1] == copy[1]);
    CHECK(clReleaseEvent(gate));
    test_end(&w);
}

static void test_buffer_over_svm(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    unsigned char *pointer = clSVMAlloc(w.context, 0, 1024, 0), two = 2;
    cl_mem mem, part;
    CHECK_CREATE(mem, clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, 1025, pointer, &err), CL_INVALID_BUFFER_SIZE);
    CHECK_CREATE(mem, clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, 1025, pointer, &err), CL_INVALID_BUFFER_SIZE);
    const struct {
        void *host;
        cl_mem_flags flags;
        cl_bool uses;
    } cases[] = {
        {pointer, CL_MEM_USE_HOST_PTR, CL_TRUE}, {pointer + 512, CL_MEM_USE_HOST_PTR, CL_TRUE}, {pointer, CL_MEM_COPY_HOST_PTR, CL_FALSE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mem = test_buffer(w.context, cases[i].flags, 512, cases[i].host);
        cl_bool uses = 9;
        CHECK(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
        CHECK_THAT(uses == cases[i].uses);
        CHECK(clReleaseMemObject(mem));
    }
    mem = test_buffer(w.context, CL_MEM_USE_HOST_PTR, 1024, pointer);
    cl_buffer_region region = {128, 128};
    CHECK_CREATE(part, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
    cl_bool uses = 9;
    CHECK(clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    CHECK_THAT(uses == CL_TRUE);
    CHECK(clEnqueueFillBuffer(w.queue, part, &two, 1, 0, 128, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(pointer[128] == 2 && pointer[255] == 2);
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(mem));
    clSVMFree(w.context, pointer);
    test_end(&w);
}

static void test_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue q = w.queue;
    unsigned char *p = clSVMAlloc(w.context, 0, 1024, 0), pattern[256] = {0}, *nothing = NULL;
    void *list[] = {p};
    const void *inside[] = {p}, *outside[] = {pattern};
    const size_t fits[] = {1024}, exceeds[] = {1025};
    cl_event gate;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);

    CHECK_CODE(clEnqueueSVMFree(NULL, 1, list, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueSVMFree(q, 0, list, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMFree(q, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMFree(q, 1, list, NULL, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clEnqueueSVMFree(q, 0, NULL, NULL, NULL, 0, NULL, NULL));

    CHECK_CODE(clEnqueueSVMMemcpy(NULL, CL_TRUE, p, pattern, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, NULL, pattern, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, p, nothing, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, p, p + 63, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, p + 63, p, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_FALSE, p, pattern, 1, 0, &gate, NULL), CL_INVALID_EVENT_WAIT_LIST);

    CHECK_CODE(clEnqueueSVMMemFill(NULL, p, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, NULL, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p + 2, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, pattern, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, pattern, 3, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, pattern, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, pattern, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, pattern, 4, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);

    /* Past the end of an allocation, or of the address space. */
    unsigned char *host = malloc(2048);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, p, host, 1025, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, host, p + 1000, 25, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clEnqueueSVMMemcpy(q, CL_TRUE, host, p + 1000, 24, 0, NULL, NULL));
    CHECK_CODE(clEnqueueSVMMemcpy(q, CL_TRUE, host, pattern, SIZE_MAX, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, p, pattern, 4, 1028, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemFill(q, host, pattern, 4, SIZE_MAX - 3, 0, NULL, NULL), CL_INVALID_VALUE);
    free(host);

    CHECK_CODE(clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, p, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, NULL, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMap(q, CL_TRUE, 1 << 10, p, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, p, 1, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueSVMUnmap(NULL, p, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueSVMUnmap(q, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMUnmap(q, p, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);

    CHECK_CODE(clEnqueueSVMMigrateMem(NULL, 1, inside, NULL, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueSVMMigrateMem(q, 0, inside, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMigrateMem(q, 1, NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMigrateMem(q, 1, inside, NULL, 1 << 10, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMigrateMem(q, 1, inside, exceeds, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMigrateMem(q, 1, outside, fits, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMigrateMem(q, 1, inside, fits, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clEnqueueSVMMigrateMem(q, 1, inside, fits, 0, 0, NULL, NULL));

    CHECK(clReleaseEvent(gate));
    CHECK(clFinish(q));
    clSVMFree(w.context, p);
    test_end(&w);
}

/* Many allocations, freed in another order: each stays findable until it goes. */
static void test_many(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    enum { COUNT = 500 };
    void *all[COUNT];
    for (int i = 0; i < COUNT; i++) {
        all[i] = clSVMAlloc(w.context, 0, 100 + (size_t)i, 0);
        CHECK_THAT(all[i]);
    }
    for (int step = 0; step < COUNT; step++) {
        int i = step * 7 % COUNT; /* 7 and COUNT have no common factor */
        const void *last[] = {(char *)all[i] + 99 + i}, *behind[] = {(char *)all[i] + 100 + i};
        const size_t one[] = {1};
        CHECK(clEnqueueSVMMigrateMem(w.queue, 1, last, one, 0, 0, NULL, NULL));
        CHECK_CODE(clEnqueueSVMMigrateMem(w.queue, 1, behind, one, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK(clFinish(w.queue)); /* clSVMFree does not wait for commands */
        clSVMFree(w.context, all[i]);
        CHECK_CODE(clEnqueueSVMMigrateMem(w.queue, 1, last, one, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    }
    test_end(&w);
}

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Freeing one of a hundred thousand takes no longer than freeing one of a few; and those that are left are still known. */
static void test_very_many(void **state)
{
    (void)state;
    const char *devices = getenv("TESSERA_DEVICES");
    if (devices && !strcmp(devices, "gpu"))
        skip(); /* the driver of a GPU has a list of its own */
    struct test_world w = test_begin(0);
    enum { COUNT = 100000, PART = 2000, STEP = 7919 };
    char **all = calloc(COUNT, sizeof *all);
    CHECK_THAT(all);
    for (int i = 0; i < COUNT; i++)
        CHECK_THAT((all[i] = clSVMAlloc(w.context, 0, 64, 0)));
    for (int i = 0; i < PART; i++) { /* in the middle of the list */
        int at = (int)((long)i * STEP % COUNT);
        clSVMFree(w.context, all[at]);
        CHECK_THAT((all[at] = clSVMAlloc(w.context, 0, 64 + (size_t)(i % 5) * 64, 0)));
    }
    double begin = thread_seconds(), first = 0, last = 0;
    for (int i = 0; i < COUNT; i++) {
        if (i == PART)
            first = thread_seconds() - begin;
        if (i == COUNT - PART)
            last = thread_seconds();
        if (i % 1000 == 500) {
            const void *inside[] = {all[(long)i * STEP % COUNT] + 63};
            CHECK(clEnqueueSVMMigrateMem(w.queue, 1, inside, NULL, 0, 0, NULL, NULL));
            CHECK(clFinish(w.queue));
        }
        clSVMFree(w.context, all[(long)i * STEP % COUNT]);
    }
    last = thread_seconds() - last;
    if (first > 10 * last)
        fail_msg("%d of %d are freed in %.1f us each, the last ones in %.1f us", PART, COUNT, first * 1e6 / PART, last * 1e6 / PART);
    free(all);
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocate),  cmocka_unit_test(test_commands), cmocka_unit_test(test_free_callback),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_many),     cmocka_unit_test(test_buffer_over_svm),
        cmocka_unit_test(test_very_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
