/* SPDX-License-Identifier: Apache-2.0
 * Sub-devices: every scheme, what they report, their counts, and wrong requests. */
#include "icd/test/cl_test.h"

static cl_uint units_of(cl_device_id device)
{
    cl_uint units, slices;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NUM_SLICES_INTEL, sizeof(slices), &slices, NULL));
    assert_int_equal(slices, units);
    return units;
}

static cl_uint references(cl_device_id device)
{
    cl_uint count;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof(count), &count, NULL));
    return count;
}

static void check_partition(cl_device_id device, const cl_device_partition_property *expected, size_t words)
{
    cl_device_partition_property list[64];
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, sizeof(list), list, &size));
    assert_int_equal(size, words * sizeof(*list));
    assert_memory_equal(list, expected, size);
}

static int need_two_units(void **state)
{
    (void)state;
    return units_of(test_device()) < 2;
}
#define NEED_TWO_UNITS()                                                                                                                   \
    if (need_two_units(NULL)) {                                                                                                            \
        print_message("skipped: this process has one CPU\n");                                                                              \
        skip();                                                                                                                            \
    }

static void equally(void **state)
{
    (void)state;
    NEED_TWO_UNITS();
    cl_device_id root = test_device(), parts[1024], parent;
    cl_uint all = units_of(root), count = 0;
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, all / 2, 0};
    CHECK(clCreateSubDevices(root, list, 0, NULL, &count));
    assert_int_equal(count, all / (all / 2));
    CHECK(clCreateSubDevices(root, list, 1024, parts, NULL));
    for (cl_uint i = 0; i < count; i++) {
        assert_int_equal(units_of(parts[i]), all / 2);
        assert_int_equal(references(parts[i]), 1);
        CHECK(clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
        CHECK_THAT(parent == root);
        check_partition(parts[i], list, 3);
    }
    CHECK(clGetDeviceInfo(root, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
    CHECK_THAT(!parent);
    check_partition(root, NULL, 0);
    /* Sub-devices over different CPUs are different devices. */
    cl_uchar one[CL_UUID_SIZE], two[CL_UUID_SIZE];
    CHECK(clGetDeviceInfo(parts[0], CL_DEVICE_UUID, sizeof(one), one, NULL));
    CHECK(clGetDeviceInfo(parts[1], CL_DEVICE_UUID, sizeof(two), two, NULL));
    CHECK_THAT(memcmp(one, two, sizeof(one)) != 0);

    CHECK(clRetainDevice(parts[0]));
    assert_int_equal(references(parts[0]), 2);
    CHECK(clReleaseDevice(parts[0]));
    for (cl_uint i = 0; i < count; i++)
        CHECK(clReleaseDevice(parts[i]));
    assert_int_equal(references(root), 1);
}

static void by_counts(void **state)
{
    (void)state;
    NEED_TWO_UNITS();
    cl_device_id root = test_device(), parts[2];
    cl_uint all = units_of(root), count = 0;
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, all - 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    CHECK(clCreateSubDevices(root, list, 2, parts, &count));
    assert_int_equal(count, 2);
    assert_int_equal(units_of(parts[0]), all - 1);
    assert_int_equal(units_of(parts[1]), 1);
    check_partition(parts[1], list, 5);
    /* A part of one compute unit goes no further. */
    cl_device_partition_property again[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}, types[4];
    size_t size;
    CHECK_CODE(clCreateSubDevices(parts[1], again, 0, NULL, NULL), CL_DEVICE_PARTITION_FAILED);
    CHECK(clGetDeviceInfo(parts[1], CL_DEVICE_PARTITION_PROPERTIES, sizeof(types), types, &size));
    CHECK_THAT(size == sizeof(*types) && !types[0]);
    /* Not all units need be used. */
    cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id single;
    CHECK(clCreateSubDevices(root, one, 1, &single, &count));
    assert_int_equal(count, 1);
    CHECK(clReleaseDevice(single));
    CHECK(clReleaseDevice(parts[0]));
    CHECK(clReleaseDevice(parts[1]));
}

static void by_domain(void **state)
{
    (void)state;
    cl_device_id root = test_device();
    cl_device_affinity_domain supported;
    CHECK(clGetDeviceInfo(root, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof(supported), &supported, NULL));
    const cl_device_affinity_domain all[] = {CL_DEVICE_AFFINITY_DOMAIN_NUMA,     CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
                                             CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                                             CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, (cl_device_partition_property)all[i], 0};
        cl_device_id parts[1024];
        cl_uint count = 0, units = 0;
        if (!(supported & all[i])) {
            CHECK_CODE(clCreateSubDevices(root, list, 1024, parts, &count), CL_INVALID_VALUE);
            continue;
        }
        CHECK(clCreateSubDevices(root, list, 1024, parts, &count));
        CHECK_THAT(count >= 2);
        for (cl_uint p = 0; p < count; p++) {
            units += units_of(parts[p]);
            cl_device_partition_property type[3];
            CHECK(clGetDeviceInfo(parts[p], CL_DEVICE_PARTITION_TYPE, sizeof(type), type, NULL));
            CHECK_THAT(type[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && !type[2]);
            if (all[i] == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) /* tells which it was: the outermost */
                CHECK_THAT(((cl_device_affinity_domain)type[1] & supported) && type[1] != CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
            else
                CHECK_THAT(type[1] == list[1]);
            /* Within one domain there is no second one of the kind. */
            if (all[i] != CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE)
                CHECK_CODE(clCreateSubDevices(parts[p], list, 0, NULL, NULL), CL_DEVICE_PARTITION_FAILED);
        }
        assert_int_equal(units, units_of(root));
        for (cl_uint p = 0; p < count; p++)
            CHECK(clReleaseDevice(parts[p]));
    }
}

static void wrong_requests(void **state)
{
    (void)state;
    NEED_TWO_UNITS();
    cl_device_id root = test_device(), parts[4] = {NULL};
    cl_uint all = units_of(root), count = 77;
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0, 0};
    CHECK_CODE(clCreateSubDevices(NULL, list, 0, NULL, &count), CL_INVALID_DEVICE);
    CHECK_CODE(clCreateSubDevices(root, NULL, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_CODE(clCreateSubDevices(root, list, 1, parts, &count), CL_INVALID_VALUE); /* too little room */
    CHECK_THAT(count == 77 && !parts[0]);
    list[1] = 0;
    CHECK_CODE(clCreateSubDevices(root, list, 0, NULL, &count), CL_INVALID_VALUE);
    list[1] = all;
    CHECK_CODE(clCreateSubDevices(root, list, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
    list[1] = all + 1;
    CHECK_CODE(clCreateSubDevices(root, list, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    list[1] = 1;
    list[2] = CL_DEVICE_PARTITION_BY_COUNTS; /* two schemes */
    CHECK_CODE(clCreateSubDevices(root, list, 0, NULL, &count), CL_INVALID_VALUE);
    list[0] = -1;
    CHECK_CODE(clCreateSubDevices(root, list, 0, NULL, &count), CL_INVALID_VALUE);
    cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0};
    CHECK_CODE(clCreateSubDevices(root, counts, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    counts[1] = all + 1;
    CHECK_CODE(clCreateSubDevices(root, counts, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    counts[1] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
    CHECK_CODE(clCreateSubDevices(root, counts, 0, NULL, &count), CL_INVALID_VALUE);
    cl_device_partition_property domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 3, 0};
    CHECK_CODE(clCreateSubDevices(root, domain, 0, NULL, &count), CL_INVALID_VALUE);
}

/* A context over sub-devices keeps them, and they keep their parents. */
static void life(void **state)
{
    (void)state;
    NEED_TWO_UNITS();
    cl_device_id parts[2];
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    CHECK(clCreateSubDevices(test_device(), list, 2, parts, NULL));
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 2, parts, NULL, NULL, &err), CL_SUCCESS);
    CHECK(clReleaseDevice(parts[0]));
    CHECK(clReleaseDevice(parts[1]));
    CHECK_CODE(clReleaseDevice(parts[1]), CL_INVALID_DEVICE); /* the context's hold is not the application's */
    cl_device_id devices[2];
    CHECK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(devices), devices, NULL));
    CHECK_THAT(devices[0] == parts[0] && devices[1] == parts[1]);
    assert_int_equal(units_of(devices[1]), 1);
    CHECK(clRetainDevice(devices[1])); /* what a query gives out can be kept */
    CHECK(clReleaseContext(context));
    assert_int_equal(units_of(devices[1]), 1);
    CHECK(clReleaseDevice(devices[1]));
}

/* "If a program binary has not been built for a sub-device, the program binary associated with the parent device will be used." */
static void programs_of_the_parent(void **state)
{
    (void)state;
    NEED_TWO_UNITS();
    cl_device_id devices[3] = {test_device()};
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    CHECK(clCreateSubDevices(devices[0], list, 2, devices + 1, NULL));
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem mem;
    CHECK_CREATE(context, clCreateContext(NULL, 3, devices, NULL, NULL, &err), CL_SUCCESS);
    cl_program program = test_build(context, devices[0], "kernel void seven(global int *out) { *out = 7; }", "");
    cl_build_status status = CL_BUILD_NONE;
    CHECK(clGetProgramBuildInfo(program, devices[2], CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    assert_int_equal(status, CL_BUILD_SUCCESS);
    size_t sizes[3];
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL));
    CHECK_THAT(sizes[0] && sizes[1] == sizes[0] && sizes[2] == sizes[0]);

    CHECK_CREATE(kernel, clCreateKernel(program, "seven", &err), CL_SUCCESS);
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, devices[2], NULL, &err), CL_SUCCESS);
    CHECK_CREATE(mem, clCreateBuffer(context, 0, sizeof(cl_int), NULL, &err), CL_SUCCESS);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    size_t one = 1;
    cl_int out = 0;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
    assert_int_equal(out, 7);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    CHECK(clReleaseDevice(devices[1]));
    CHECK(clReleaseDevice(devices[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equally),        cmocka_unit_test(by_counts), cmocka_unit_test(by_domain),
        cmocka_unit_test(wrong_requests), cmocka_unit_test(life),      cmocka_unit_test(programs_of_the_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
