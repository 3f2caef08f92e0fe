/* SPDX-License-Identifier: Apache-2.0
 * cl_khr_unified_svm: types and their capabilities, memory of each type, what is told of it, and each error. */
#include "cl_test.h"

static struct {
    clSVMAllocWithPropertiesKHR_fn alloc;
    clSVMFreeWithPropertiesKHR_fn release;
    clGetSVMPointerInfoKHR_fn info;
    clGetSVMSuggestedTypeIndexKHR_fn suggest;
} svm;
static struct test_world w;
enum { MOST_TYPES = 16, SIZE = 1000 };
static cl_svm_capabilities_khr types[MOST_TYPES];
static cl_uint type_count;

static int begin(void **state)
{
    (void)state;
    const struct test_function all[] = {
        {&svm.alloc, "clSVMAllocWithPropertiesKHR"},
        {&svm.release, "clSVMFreeWithPropertiesKHR"},
        {&svm.info, "clGetSVMPointerInfoKHR"},
        {&svm.suggest, "clGetSVMSuggestedTypeIndexKHR"},
    };
    test_find_functions(all, sizeof all / sizeof *all);
    w = test_begin(0);
    size_t size;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, sizeof types, types, &size));
    type_count = (cl_uint)(size / sizeof *types);
    CHECK_THAT(type_count > 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    test_end(&w);
    return 0;
}

static void capabilities(void **state)
{
    (void)state;
    cl_svm_capabilities_khr of_platform[MOST_TYPES];
    size_t size;
    CHECK(clGetPlatformInfo(test_platform(), CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, sizeof of_platform, of_platform, &size));
    assert_int_equal(size, type_count * sizeof *types);
    for (cl_uint i = 0; i < type_count; i++) {
        assert_int_equal(of_platform[i] & ~types[i], 0);
        /* What the specification says of owners. */
        if (types[i] & CL_SVM_CAPABILITY_DEVICE_OWNED_KHR)
            CHECK_THAT(!(types[i] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR));
        if (types[i] & CL_SVM_CAPABILITY_HOST_OWNED_KHR)
            CHECK_THAT(types[i] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR && types[i] & CL_SVM_CAPABILITY_HOST_READ_KHR);
    }
}

static cl_uint suggested(cl_svm_capabilities_khr required, cl_svm_capabilities_khr desired, const cl_svm_alloc_properties_khr *list)
{
    cl_uint type = 77;
    CHECK(svm.suggest(w.context, required, desired, list, 0, &type));
    if (type != CL_UINT_MAX)
        CHECK_THAT(type < type_count && (types[type] & required) == required);
    return type;
}

static void suggestions(void **state)
{
    (void)state;
    const cl_svm_alloc_properties_khr of_device[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_ulong)(uintptr_t)w.device, 0};
    const cl_svm_alloc_properties_khr twice[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 8, CL_SVM_ALLOC_ALIGNMENT_KHR, 8, 0};
    for (cl_uint i = 0; i < type_count; i++)
        CHECK_THAT(suggested(types[i], 0, of_device) != CL_UINT_MAX);
    assert_int_equal(suggested(0, 0, NULL), 0);
    assert_int_equal(suggested(CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, 0, NULL), CL_UINT_MAX);
    assert_int_equal(suggested(~(cl_svm_capabilities_khr)0, 0, of_device), CL_UINT_MAX);
    CHECK_THAT(types[suggested(0, CL_SVM_CAPABILITY_HOST_OWNED_KHR, NULL)] & CL_SVM_CAPABILITY_HOST_OWNED_KHR);
    CHECK_THAT(types[suggested(CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR, 0, NULL)] & CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR);
    cl_uint type;
    CHECK_CODE(svm.suggest(NULL, 0, 0, NULL, 0, &type), CL_INVALID_CONTEXT);
    CHECK_CODE(svm.suggest(w.context, 0, 0, NULL, 0, NULL), CL_INVALID_VALUE);
    CHECK_CODE(svm.suggest(w.context, 0, 0, twice, 0, &type), CL_INVALID_PROPERTY);
}

/* A kernel, the host, commands and clSVMFree use memory of every type. */
static void used(void **state)
{
    (void)state;
    const cl_svm_alloc_properties_khr list[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 64, CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
                                                (cl_ulong)(uintptr_t)w.device, 0};
    cl_program program = test_build(w.context, w.device, "kernel void k(global int *p) { p[get_global_id(0)] += 3; }", "");
    cl_kernel kernel = test_kernel(program, "k");
    const size_t count = SIZE / sizeof(cl_int);
    const cl_bool yes = CL_TRUE;
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof yes, &yes));
    CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 1, &yes), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < type_count; i++) {
        const cl_int four = 4;
        cl_int *memory;
        CHECK_CREATE(memory, svm.alloc(w.context, list, i, SIZE, &err), CL_SUCCESS);
        CHECK_THAT((uintptr_t)memory % 64 == 0);
        CHECK(clSetKernelArgSVMPointer(kernel, 0, memory));
        CHECK(clEnqueueSVMMemFill(w.queue, memory, &four, sizeof four, SIZE, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
        CHECK(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, memory, SIZE, 0, NULL, NULL));
        for (size_t k = 0; k < count; k++)
            assert_int_equal(memory[k], 7);
        CHECK(clEnqueueSVMUnmap(w.queue, memory, 0, NULL, NULL));
        CHECK(clFinish(w.queue));
        if (i % 2)
            CHECK(svm.release(w.context, NULL, 0, memory));
        else
            clSVMFree(w.context, memory);
        CHECK_CODE(svm.release(w.context, NULL, 0, memory), CL_INVALID_VALUE);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clEnqueueSVMMemcpy(w.queue, CL_TRUE, NULL, NULL, 0, 0, NULL, NULL));
    const void *nothing[] = {NULL};
    const size_t none[] = {0}, one[] = {1};
    CHECK(clEnqueueSVMMigrateMem(w.queue, 1, nothing, NULL, 0, 0, NULL, NULL));
    CHECK(clEnqueueSVMMigrateMem(w.queue, 1, nothing, none, 0, 0, NULL, NULL));
    CHECK_CODE(clEnqueueSVMMigrateMem(w.queue, 1, nothing, one, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueSVMMemcpy(w.queue, CL_TRUE, NULL, NULL, 1, 0, NULL, NULL), CL_INVALID_VALUE);
}

#define TELLS(device, pointer, name, type, wanted)                                                                                         \
    do {                                                                                                                                   \
        type told;                                                                                                                         \
        CHECK(svm.info(w.context, device, pointer, name, sizeof told, &told, NULL));                                                       \
        CHECK_THAT(told == (wanted));                                                                                                      \
    } while (0)

static void told(void **state)
{
    (void)state;
    const cl_svm_alloc_properties_khr list[] = {CL_SVM_ALLOC_ACCESS_FLAGS_KHR, CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR,
                                                CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_ulong)(uintptr_t)w.device, 0};
    cl_svm_alloc_properties_khr back[8];
    size_t size;
    cl_uint type = type_count - 1;
    char *memory, *plain = clSVMAlloc(w.context, 0, SIZE, 0), local = 0;
    CHECK_CREATE(memory, svm.alloc(w.context, list, type, SIZE, &err), CL_SUCCESS);
    for (size_t at = 0; at < SIZE; at += SIZE - 1) {
        TELLS(NULL, memory + at, CL_SVM_INFO_TYPE_INDEX_KHR, cl_uint, type);
        TELLS(NULL, memory + at, CL_SVM_INFO_CAPABILITIES_KHR, cl_svm_capabilities_khr, types[type]);
        TELLS(w.device, memory + at, CL_SVM_INFO_CAPABILITIES_KHR, cl_svm_capabilities_khr, types[type]);
        TELLS(NULL, memory + at, CL_SVM_INFO_ACCESS_FLAGS_KHR, cl_svm_alloc_access_flags_khr, CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR);
        TELLS(NULL, memory + at, CL_SVM_INFO_BASE_PTR_KHR, void *, memory);
        TELLS(NULL, memory + at, CL_SVM_INFO_SIZE_KHR, size_t, SIZE);
        TELLS(NULL, memory + at, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, cl_device_id, w.device);
    }
    CHECK(svm.info(w.context, NULL, memory, CL_SVM_INFO_PROPERTIES_KHR, sizeof back, back, &size));
    assert_int_equal(size, sizeof list);
    assert_memory_equal(back, list, sizeof list);
    TELLS(NULL, plain, CL_SVM_INFO_TYPE_INDEX_KHR, cl_uint, 0);
    TELLS(NULL, plain, CL_SVM_INFO_CAPABILITIES_KHR, cl_svm_capabilities_khr, types[0]);
    CHECK(svm.info(w.context, NULL, plain, CL_SVM_INFO_PROPERTIES_KHR, sizeof back, back, &size));
    assert_int_equal(size, 0);
    TELLS(NULL, &local, CL_SVM_INFO_TYPE_INDEX_KHR, cl_uint, CL_UINT_MAX);
    TELLS(NULL, &local, CL_SVM_INFO_CAPABILITIES_KHR, cl_svm_capabilities_khr, 0);
    TELLS(NULL, &local, CL_SVM_INFO_BASE_PTR_KHR, void *, NULL);
    TELLS(NULL, &local, CL_SVM_INFO_SIZE_KHR, size_t, 0);
    TELLS(NULL, &local, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, cl_device_id, NULL);
    CHECK_CODE(svm.info(NULL, NULL, memory, CL_SVM_INFO_SIZE_KHR, 0, NULL, &size), CL_INVALID_CONTEXT);
    CHECK_CODE(svm.info(w.context, (cl_device_id)w.context, memory, CL_SVM_INFO_SIZE_KHR, 0, NULL, &size), CL_INVALID_DEVICE);
    CHECK_CODE(svm.info(w.context, NULL, memory, CL_MEM_SIZE, 0, NULL, &size), CL_INVALID_VALUE);
    CHECK_CODE(svm.info(w.context, NULL, memory, CL_SVM_INFO_SIZE_KHR, 1, back, NULL), CL_INVALID_VALUE);
    clSVMFree(w.context, plain);
    CHECK(svm.release(w.context, NULL, 0, memory));
}

static void errors(void **state)
{
    (void)state;
    struct test_world other = test_begin(0);
    const cl_ulong device = (cl_ulong)(uintptr_t)w.device;
    cl_uint owned = suggested(CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, 0,
                              (const cl_svm_alloc_properties_khr[]){CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, device, 0});
    const struct {
        cl_svm_alloc_properties_khr list[5];
        cl_uint type;
        cl_int code;
    } cases[] = {
        {{0}, 0, CL_SUCCESS},
        {{0}, owned, CL_INVALID_PROPERTY},
        {{0}, type_count, CL_INVALID_VALUE},
        {{CL_SVM_ALLOC_ALIGNMENT_KHR, 128}, 0, CL_SUCCESS},
        {{CL_SVM_ALLOC_ALIGNMENT_KHR, 0}, 0, CL_SUCCESS},
        {{CL_SVM_ALLOC_ALIGNMENT_KHR, 256}, 0, CL_INVALID_PROPERTY},
        {{CL_SVM_ALLOC_ALIGNMENT_KHR, 3}, 0, CL_INVALID_PROPERTY},
        {{CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 1 << 2}, 0, CL_INVALID_PROPERTY},
        {{CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_ulong)(uintptr_t)w.context}, 0, CL_INVALID_PROPERTY},
        {{CL_SVM_ALLOC_ALIGNMENT_KHR, 8, CL_SVM_ALLOC_ALIGNMENT_KHR, 8}, 0, CL_INVALID_PROPERTY},
        {{CL_MEM_SIZE, 8}, 0, CL_INVALID_PROPERTY},
    };
    void *memory;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CREATE(memory, svm.alloc(w.context, cases[i].list, cases[i].type, SIZE, &err), cases[i].code);
        CHECK(svm.release(w.context, NULL, 0, memory));
    }
    CHECK_CREATE(memory, svm.alloc(NULL, NULL, 0, SIZE, &err), CL_INVALID_CONTEXT);
    cl_int code = 1;
    CHECK_THAT(!svm.alloc(w.context, NULL, 0, 0, &code) && code == CL_SUCCESS); /* nothing is allocated, and that is no error */
    CHECK_THAT(!clSVMAlloc(w.context, 0, 0, 0));
    const cl_svm_free_properties_khr unknown[] = {CL_MEM_SIZE, 1, 0}, empty[] = {0};
    CHECK(svm.release(w.context, empty, 0, NULL));
    CHECK_CODE(svm.release(NULL, NULL, 0, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(svm.release(w.context, unknown, 0, NULL), CL_INVALID_PROPERTY);
    CHECK_CODE(svm.release(w.context, NULL, 1, NULL), CL_INVALID_VALUE);
    CHECK_CODE(svm.release(w.context, NULL, 0, &code), CL_INVALID_VALUE);
    /* Memory that is left goes with its context. */
    CHECK_CREATE(memory, svm.alloc(other.context, empty, 0, SIZE, &err), CL_SUCCESS);
    CHECK_CODE(svm.release(w.context, NULL, 0, memory), CL_INVALID_VALUE);
    test_end(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities), cmocka_unit_test(suggestions), cmocka_unit_test(used),
        cmocka_unit_test(told),         cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
