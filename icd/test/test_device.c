/* SPDX-License-Identifier: Apache-2.0
 * The device queries: each one of the table keeps the size rules, and the values keep the minima and consistency that OpenCL demands. */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

/* The table's own expressions are not looked at: only names, and sizes where they are fixed. */
static const struct {
    const char *name;
    cl_device_info query;
    size_t size; /* 0: any multiple of `unit` */
    size_t unit;
} queries[] = {
#define TSR_INFO(query, type, ...) {#query, query, sizeof(type), 1},
#define TSR_INFO_TEXT(query, text) {#query, query, 0, 1},
#define TSR_INFO_LIST(query, pointer, count) {#query, query, 0, 1},
#define TSR_INFO_CALL(query, function) {#query, query, 0, 1},
#include "icd/info_device.def"
};

static void every_query_keeps_the_size_rules(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        size_t size = 12345;
        static unsigned char value[32768], again[32768];
        print_message("%s\n", queries[i].name);
        CHECK(clGetDeviceInfo(device, queries[i].query, 0, NULL, &size));
        CHECK_THAT(size < sizeof(value) && (!queries[i].size || size == queries[i].size));
        if (size)
            CHECK_CODE(clGetDeviceInfo(device, queries[i].query, size - 1, value, NULL), CL_INVALID_VALUE);
        memset(value, 0xa5, sizeof(value));
        CHECK(clGetDeviceInfo(device, queries[i].query, size, value, NULL));
        CHECK_THAT(value[size] == 0xa5);
        size_t size_again = 12345;
        CHECK(clGetDeviceInfo(device, queries[i].query, sizeof(again), again, &size_again));
        CHECK_THAT(size_again == size && !memcmp(value, again, size));
        CHECK(clGetDeviceInfo(device, queries[i].query, 0, NULL, NULL));
        for (size_t j = 0; j < i; j++)
            CHECK_THAT(queries[i].query != queries[j].query);
    }
}

static void wrong_queries(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    char value[64];
    CHECK_CODE(clGetDeviceInfo(device, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetDeviceInfo(device, 0x7fffffff, sizeof(value), value, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof(value), value, NULL), CL_INVALID_DEVICE);
    CHECK_CODE(clGetDeviceInfo((cl_device_id)test_platform(), CL_DEVICE_NAME, sizeof(value), value, NULL), CL_INVALID_DEVICE);
    /* Of an extension that the driver lacks. */
    CHECK_CODE(clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(value), value, NULL), CL_INVALID_VALUE);
}

static void enumeration(void **state)
{
    (void)state;
    cl_platform_id platform = test_platform();
    cl_device_id devices[4] = {NULL};
    cl_uint count = 99;
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, devices, &count));
    assert_int_equal(count, 1);
    CHECK_THAT(devices[0] && !devices[1]);
    devices[0] = NULL;
    CHECK(clGetDeviceIDs(platform, ~(cl_device_type)0, 4, devices, &count)); /* CL_DEVICE_TYPE_ALL as a signed int, which Java passes */
    assert_int_equal(count, 1);
    CHECK_THAT(devices[0] && !devices[1]);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count));
    assert_int_equal(count, 1);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, 1, devices, NULL));
    CHECK_CODE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, devices, &count), CL_DEVICE_NOT_FOUND);
    assert_int_equal(count, 0);
    CHECK_CODE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM, 1, devices, NULL), CL_DEVICE_NOT_FOUND);
    CHECK_CODE(clGetDeviceIDs(platform, 0, 1, devices, NULL), CL_INVALID_DEVICE_TYPE);
    CHECK_CODE(clGetDeviceIDs(platform, 1 << 5, 1, devices, NULL), CL_INVALID_DEVICE_TYPE);
    CHECK_CODE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, devices, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL), CL_INVALID_VALUE);
    /* "the device reference count remains unchanged" */
    cl_uint references;
    CHECK(clRetainDevice(devices[0]));
    CHECK(clGetDeviceInfo(devices[0], CL_DEVICE_REFERENCE_COUNT, sizeof(references), &references, NULL));
    assert_int_equal(references, 1);
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseDevice(devices[0]));
    CHECK(clGetDeviceInfo(devices[0], CL_DEVICE_REFERENCE_COUNT, sizeof(references), &references, NULL));
    assert_int_equal(references, 1);
    CHECK_CODE(clRetainDevice(NULL), CL_INVALID_DEVICE);
    CHECK_CODE(clReleaseDevice(NULL), CL_INVALID_DEVICE);
}

static cl_ulong number(cl_device_info query)
{
    cl_ulong value = 0; /* little endian: shorter values fill the low bytes */
    CHECK(clGetDeviceInfo(test_device(), query, sizeof(value), &value, NULL));
    return value;
}

static const char *text(cl_device_info query)
{
    static char value[16384];
    CHECK(clGetDeviceInfo(test_device(), query, sizeof(value), value, NULL));
    return value;
}

/* OpenCL 3.0 unified specification, table "Device queries": what a full-profile device has at least. */
static void minima(void **state)
{
    (void)state;
    static const struct {
        cl_device_info query;
        cl_ulong least;
    } least[] = {
        {CL_DEVICE_MAX_COMPUTE_UNITS, 1},
        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, 1},
        {CL_DEVICE_MAX_PARAMETER_SIZE, 1024},
        {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10},
        {CL_DEVICE_MAX_CONSTANT_ARGS, 8},
        {CL_DEVICE_LOCAL_MEM_SIZE, 32 << 10},
        {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8 * sizeof(cl_long16)},
        {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, sizeof(cl_long16)},
        {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 16},
        {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 64 << 10},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4},
        {CL_DEVICE_MAX_NUM_SUB_GROUPS, 1},
        {CL_DEVICE_VENDOR_ID, 1},
    };
    for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
        if (number(least[i].query) < least[i].least)
            fail_msg("query 0x%x answers %llu, at least %llu is demanded", least[i].query, (unsigned long long)number(least[i].query),
                     (unsigned long long)least[i].least);
    cl_ulong memory = number(CL_DEVICE_GLOBAL_MEM_SIZE), allocation = number(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    cl_ulong quarter = memory / 4 < 1u << 30 ? memory / 4 : 1u << 30;
    CHECK_THAT(allocation <= memory && allocation >= (quarter > 32u << 20 ? quarter : 32u << 20));
    assert_int_equal(number(CL_DEVICE_ADDRESS_BITS), 64);
    CHECK_THAT((number(CL_DEVICE_SINGLE_FP_CONFIG) & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN)) == (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN));
    CHECK_THAT(number(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL);
    CHECK_THAT(number(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE);
    CHECK_THAT(number(CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU);
    size_t sizes[3];
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, NULL));
    CHECK_THAT(sizes[0] >= 1 && sizes[1] >= 1 && sizes[2] >= 1);
    assert_string_equal(text(CL_DEVICE_VERSION), "OpenCL 3.1 Tessera"); /* and no "0.1.0", in which programs find an OpenCL 1.0 */
    CHECK_THAT(!strncmp(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 1.2 ", 13));
    CHECK_THAT(*text(CL_DEVICE_NAME) && *text(CL_DEVICE_VENDOR) && *text(CL_DRIVER_VERSION));
    CHECK_THAT(strchr(text(CL_DRIVER_VERSION), '+') && strlen(strchr(text(CL_DRIVER_VERSION), '+')) == 9); /* … and the build */
    assert_string_equal(text(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED), "");
}

static bool has_feature(const char *name)
{
    cl_name_version list[128];
    size_t size;
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_OPENCL_C_FEATURES, sizeof(list), list, &size));
    for (size_t i = 0; i < size / sizeof(*list); i++)
        if (!strcmp(list[i].name, name))
            return true;
    return false;
}

static bool has_extension(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text(CL_DEVICE_EXTENSIONS), name); at; at = strstr(at + 1, name))
        if (at[length] == ' ' || !at[length])
            return true;
    return false;
}

/* Whether the system lists this feature of the CPU. */
static bool cpu_has(const char *feature)
{
    static char text[16384];
    FILE *file = fopen("/proc/cpuinfo", "r");
    CHECK_THAT(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strstr(text, feature);
}

/* OpenCL 3.1 unified specification, "Required Extensions" and the queries of languages. */
static void version_3_1(void **state)
{
    (void)state;
    static const char *const required[] = {
        "cl_khr_device_uuid",      "cl_khr_extended_bit_ops",          "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries",    "cl_khr_subgroup_extended_types",   "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size",
    };
    static const cl_version versions[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
                                          CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(3, 1, 0)};
    cl_name_version list[16];
    size_t size;
    assert_int_equal(number(CL_DEVICE_NUMERIC_VERSION), CL_MAKE_VERSION(3, 1, 0));
    for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
        if (!has_extension(required[i]))
            fail_msg("a device of OpenCL 3.1 has %s", required[i]);
    CHECK_THAT(number(CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0);
    CHECK_THAT(number(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES) & CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED);
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size));
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        bool found = false;
        for (size_t k = 0; k < size / sizeof(*list); k++)
            found |= list[k].version == versions[i];
        CHECK_THAT(found);
    }
    for (char il[16] = "SPIR-V_1.0"; il[9] <= '4'; il[9]++)
        CHECK_THAT(strstr(text(CL_DEVICE_IL_VERSION), il));
}

/* What a program would conclude from one query must not be denied by another. */
static void consistency(void **state)
{
    (void)state;
    cl_ulong atomics = number(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
    assert_int_equal(!!(atomics & CL_DEVICE_ATOMIC_ORDER_ACQ_REL), has_feature("__opencl_c_atomic_order_acq_rel"));
    assert_int_equal(!!(atomics & CL_DEVICE_ATOMIC_ORDER_SEQ_CST), has_feature("__opencl_c_atomic_order_seq_cst"));
    assert_int_equal(!!(atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE), has_feature("__opencl_c_atomic_scope_device"));
    assert_int_equal(!!(atomics & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES), has_feature("__opencl_c_atomic_scope_all_devices"));
    CHECK_THAT((atomics & number(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES)) == atomics);
    assert_int_equal(number(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT), has_feature("__opencl_c_generic_address_space"));
    cl_ulong clocks =
        CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;
    assert_int_equal(number(CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR), has_feature("__opencl_c_kernel_clock_scope_device") ? clocks : 0);
    assert_int_equal(has_extension("cl_khr_kernel_clock"), has_feature("__opencl_c_kernel_clock_scope_sub_group"));
    assert_int_equal(number(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT), has_feature("__opencl_c_work_group_collective_functions"));
    assert_int_equal(number(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0, has_feature("__opencl_c_subgroups"));
    assert_int_equal(number(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) != 0, has_feature("__opencl_c_program_scope_global_variables"));
    assert_int_equal(number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0, has_feature("__opencl_c_fp64"));
    assert_int_equal(number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0, has_extension("cl_khr_fp64"));
    assert_int_equal(number(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) != 0, has_extension("cl_khr_fp64"));
    assert_int_equal(number(CL_DEVICE_HALF_FP_CONFIG) != 0, has_extension("cl_khr_fp16"));
    assert_int_equal(number(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) != 0, has_extension("cl_khr_fp16"));
    assert_int_equal(number(CL_DEVICE_IMAGE_SUPPORT), has_feature("__opencl_c_images"));
    assert_int_equal(number(CL_DEVICE_PIPE_SUPPORT), has_feature("__opencl_c_pipes"));
    assert_int_equal(number(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0, has_feature("__opencl_c_device_enqueue"));
    CHECK_THAT(has_feature("__opencl_c_int64")); /* of the full profile */
    /* "must return CL_TRUE for devices that support the cl_khr_subgroups extension" */
    CHECK_THAT(number(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS) || !has_extension("cl_khr_subgroups"));
    CHECK_THAT(!(number(CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_ATOMICS) || (atomics & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES));
    /* Work-items fill the registers, so programs should not write vectors for that; those that read native widths are told what fills a
     * register, in vectors of OpenCL C. */
    cl_ulong bits = cpu_has("avx512f") ? 512 : cpu_has("avx2") ? 256 : 128;
    static const struct {
        cl_device_info preferred, native;
        cl_ulong element_bits;
    } widths[] = {
#define WIDTH(type, bits) {CL_DEVICE_PREFERRED_VECTOR_WIDTH_##type, CL_DEVICE_NATIVE_VECTOR_WIDTH_##type, bits}
        WIDTH(CHAR, 8), WIDTH(SHORT, 16), WIDTH(INT, 32), WIDTH(LONG, 64), WIDTH(FLOAT, 32), WIDTH(DOUBLE, 64), WIDTH(HALF, 16),
#undef WIDTH
    };
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
        assert_int_equal(number(widths[i].preferred), 1);
        cl_ulong elements = bits / widths[i].element_bits;
        assert_int_equal(number(widths[i].native), elements < 16 ? elements : 16);
    }
    /* SYCL reads the first of these as the generation of the CPU. A device has as many slices as compute units. */
    assert_int_equal(number(CL_DEVICE_IP_VERSION_INTEL), cpu_has("amx_fp16") ? 9 : cpu_has("amx_int8") ? 8 : 0);
    assert_int_equal(number(CL_DEVICE_FEATURE_CAPABILITIES_INTEL), CL_DEVICE_FEATURE_FLAG_DP4A_INTEL | CL_DEVICE_FEATURE_FLAG_DPAS_INTEL);
    assert_int_equal(number(CL_DEVICE_NUM_SLICES_INTEL) * number(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL) *
                         number(CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL),
                     number(CL_DEVICE_MAX_COMPUTE_UNITS));
    CHECK_THAT(number(CL_DEVICE_NUM_THREADS_PER_EU_INTEL) == 1 && number(CL_DEVICE_ID_INTEL));

    size_t size, sizes[8];
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &size));
    assert_int_equal(size, 3 * sizeof(*sizes));
    CHECK_THAT(sizes[0] == 8 && sizes[1] == 16 && sizes[2] == 32);
    CHECK_THAT(number(CL_DEVICE_MAX_NUM_SUB_GROUPS) * 8 >= number(CL_DEVICE_MAX_WORK_GROUP_SIZE));
    size_t multiple = number(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    CHECK_THAT(multiple == 8 || multiple == 16 || multiple == 32);
}

/* Each combination of matrices stands once, and gives either the size or the largest size of each side. That they work is tested in
 * conformance/matrix/joint_test.c. */
static void matrix_combinations(void **state)
{
    (void)state;
    static cl_device_matrix_combination_tessera all[64];
    size_t bytes;
    bool tiles = false;
    CHECK_THAT(strstr(text(CL_DEVICE_EXTENSIONS), "cl_tessera_cooperative_matrix"));
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_MATRIX_COMBINATIONS_TESSERA, sizeof(all), all, &bytes));
    CHECK_THAT(bytes && bytes % sizeof(*all) == 0);
    for (size_t i = 0; i < bytes / sizeof(*all); i++) {
        const cl_device_matrix_combination_tessera *c = &all[i];
        CHECK_THAT(!c->m != !c->max_m && !c->n != !c->max_n && !c->k != !c->max_k);
        CHECK_THAT(c->a && c->b && c->c && c->d);
        for (size_t j = 0; j < i; j++)
            CHECK_THAT(memcmp(c, &all[j], sizeof(*c)) != 0);
        tiles |= c->max_m == 16 && c->max_n == 16 && c->max_k == 64 && c->a == CL_MATRIX_UINT8_TESSERA && c->b == CL_MATRIX_INT8_TESSERA;
    }
    CHECK_THAT(tiles);
}

/* LibreOffice reads these into buffers of so many bytes, and does not take a device whose answers are longer. */
static void answers_fit_into_buffers_of_programs(void **state)
{
    (void)state;
    CHECK_THAT(strlen(text(CL_DEVICE_EXTENSIONS)) < 2048);
    CHECK_THAT(strlen(text(CL_DEVICE_NAME)) < 64);
}

/* Runs `body` in a process of its own, before any OpenCL call: such a choice is made once in a process. */
static void in_child(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    CHECK_THAT(child >= 0);
    if (!child) {
        alarm(20);
        body();
        fflush(NULL);
        _exit(0);
    }
    int status;
    CHECK_THAT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#define IN_CHILD(condition)                                                                                                                \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "not true in the child: %s\n", #condition);                                                                    \
            _exit(1);                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

static void on_one_cpu(void)
{
    cpu_set_t cpus, one;
    IN_CHILD(!sched_getaffinity(0, sizeof(cpus), &cpus));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &cpus))
            CPU_SET(i, &one);
    IN_CHILD(!sched_setaffinity(0, sizeof(one), &one));
    IN_CHILD(number(CL_DEVICE_MAX_COMPUTE_UNITS) == 1);
    IN_CHILD(number(CL_DEVICE_PARTITION_MAX_SUB_DEVICES) == 0);
    IN_CHILD(number(CL_DEVICE_PARTITION_AFFINITY_DOMAIN) == 0);
    cl_device_partition_property types[4] = {1, 1, 1, 1};
    size_t size;
    IN_CHILD(!clGetDeviceInfo(test_device(), CL_DEVICE_PARTITION_PROPERTIES, sizeof(types), types, &size));
    IN_CHILD(size == sizeof(*types) && !types[0]);
    cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    IN_CHILD(clCreateSubDevices(test_device(), counts, 0, NULL, NULL) == CL_DEVICE_PARTITION_FAILED);
    cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    IN_CHILD(clCreateSubDevices(test_device(), equally, 0, NULL, NULL) == CL_DEVICE_PARTITION_FAILED);
}

static void with_other_names(void)
{
    setenv("TESSERA_VENDOR_ID", "0x1234", 1);
    setenv("TESSERA_IP_VERSION", "10", 1);
    setenv("TESSERA_PLATFORM_NAME", "Some Platform", 1);
    setenv("TESSERA_DEVICE_NAME", "Some Graphics", 1);
    setenv("TESSERA_DEVICE_VENDOR", "Some Corporation", 1);
    setenv("TESSERA_DRIVER_VERSION", "99.1", 1);
    char name[64];
    IN_CHILD(number(CL_DEVICE_VENDOR_ID) == 0x1234);
    IN_CHILD(number(CL_DEVICE_IP_VERSION_INTEL) == 10);
    IN_CHILD(!strcmp(text(CL_DEVICE_NAME), "Some Graphics"));
    IN_CHILD(!strcmp(text(CL_DEVICE_VENDOR), "Some Corporation"));
    IN_CHILD(!strcmp(text(CL_DRIVER_VERSION), "99.1"));
    IN_CHILD(!clGetPlatformInfo(test_platform(), CL_PLATFORM_NAME, sizeof(name), name, NULL) && !strcmp(name, "Some Platform"));
}

static void as_gpu(void)
{
    setenv("TESSERA_DEVICE_TYPE", "gpu", 1);
    cl_device_id device;
    IN_CHILD(number(CL_DEVICE_TYPE) == CL_DEVICE_TYPE_GPU);
    IN_CHILD(!clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_GPU, 1, &device, NULL) && device == test_device());
    IN_CHILD(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_DEVICE_NOT_FOUND);
    cl_context context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, NULL, NULL);
    const char *source = "kernel void k(global int *p) { *p = 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    IN_CHILD(program && !clBuildProgram(program, 0, NULL, "", NULL, NULL));
    clReleaseProgram(program);
    clReleaseContext(context);
}

static size_t sub_group_size_of(cl_program program, const char *name)
{
    size_t size = 0, local = 64;
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    IN_CHILD(kernel);
    IN_CHILD(!clGetKernelSubGroupInfo(kernel, test_device(), CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(local), &local, sizeof(size),
                                      &size, NULL));
    clReleaseKernel(kernel);
    return size;
}

/* The list begins with `smallest`. A kernel that requires 8 gets it all the same; one that requires nothing gets a size of the list. */
static void expect_sub_group_sizes(const char *value, size_t smallest, size_t usual)
{
    setenv("TESSERA_SUB_GROUP_SIZE", value, 1);
    size_t sizes[8], size;
    IN_CHILD(!clGetDeviceInfo(test_device(), CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &size));
    size_t count = smallest == 8 ? 3 : smallest == 16 ? 2 : 1;
    IN_CHILD(size == count * sizeof(*sizes) && sizes[0] == smallest && sizes[count - 1] == 32);
    IN_CHILD(number(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) == usual);
    IN_CHILD(number(CL_DEVICE_MAX_NUM_SUB_GROUPS) * 8 >= number(CL_DEVICE_MAX_WORK_GROUP_SIZE));

    const char *source =
        "kernel void any(global uint *out) { out[get_global_id(0)] = get_sub_group_size(); }\n"
        "__attribute__((intel_reqd_sub_group_size(8))) kernel void eight(global uint *out) { *out = get_sub_group_size(); }";
    cl_context context = clCreateContext(NULL, 1, (cl_device_id[]){test_device()}, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    IN_CHILD(program && !clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    IN_CHILD(sub_group_size_of(program, "any") == usual);
    IN_CHILD(sub_group_size_of(program, "eight") == 8);
    clReleaseProgram(program);
    clReleaseContext(context);
}

/* The device says of itself what the GPU would, and the GPU's kernels run on it. */
static void expect_persona(const char *word, const char *name, cl_version ip, size_t smallest, const char *has, const char *lacks,
                           const char *source)
{
    setenv("TESSERA_PERSONA", word, 1);
    size_t sizes[8], size, items[3], most = strcmp(word, "tgl") ? 1024 : 512;
    IN_CHILD(strstr(text(CL_DEVICE_NAME), name) && !strcmp(text(CL_DEVICE_VENDOR), "Intel(R) Corporation"));
    IN_CHILD(number(CL_DEVICE_VENDOR_ID) == 0x8086 && number(CL_DEVICE_IP_VERSION_INTEL) == ip);
    IN_CHILD(!clGetDeviceInfo(test_device(), CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &size));
    IN_CHILD(sizes[0] == smallest && sizes[size / sizeof(*sizes) - 1] == 32);
    IN_CHILD(!clGetDeviceInfo(test_device(), CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(items), items, NULL));
    IN_CHILD(number(CL_DEVICE_MAX_WORK_GROUP_SIZE) == most && items[0] == most && items[1] == most && items[2] == most);
    IN_CHILD(number(CL_DEVICE_MAX_NUM_SUB_GROUPS) == most / 8);
    IN_CHILD(strstr(text(CL_DEVICE_EXTENSIONS), has));
    IN_CHILD(!strstr(text(CL_DEVICE_EXTENSIONS), lacks));
    cl_context context = clCreateContext(NULL, 1, (cl_device_id[]){test_device()}, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    IN_CHILD(program && !clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -Werror", NULL, NULL));
    IN_CHILD(sub_group_size_of(program, "k") == smallest);
    clReleaseProgram(program);
    clReleaseContext(context);
}

#define PERSONA_KERNEL(size, lacks, body)                                                                                                  \
    "#ifdef " lacks "\n#error it lacks " lacks "\n#endif\n"                                                                                \
    "__attribute__((intel_reqd_sub_group_size(" size "))) kernel void k(global int *p) { " body " }\n"

static void as_dg2(void)
{
    expect_persona("dg2", "A770", 12 << 22 | 55 << 14 | 8, 8, "cl_intel_subgroup_split_matrix_multiply_accumulate", "cl_khr_fp64",
                   PERSONA_KERNEL("8", "cl_khr_fp64", "*p = intel_sub_group_i8_i8_split_matrix_mad_k32((int2)1, (int8)1, (int4)1).x;"));
    IN_CHILD(number(CL_DEVICE_DOUBLE_FP_CONFIG) == 0 && number(CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT) == 0);
}

/* Who waits for the last of several commands of an out-of-order queue waits for all of them, as a GPU has it. */
static void expect_order(void)
{
    const char *source = "kernel void slow(global int *p) { int x = *p; for (int i = 0; i < 20000000; i++) x = x * 3 + i; *p = x; }\n"
                         "kernel void quick(global int *p) { p[1] = 1; }\n";
    const cl_queue_properties loose[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_device_id device = test_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, loose, NULL);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 8, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    IN_CHILD(queue && memory && program && !clBuildProgram(program, 0, NULL, "", NULL, NULL));
    const char *names[] = {"slow", "quick"};
    cl_event events[2];
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], NULL);
        IN_CHILD(!clSetKernelArg(kernel, 0, sizeof(memory), &memory));
        IN_CHILD(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &events[i]));
        clReleaseKernel(kernel);
    }
    cl_int status;
    IN_CHILD(!clWaitForEvents(1, &events[1]));
    IN_CHILD(!clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL) && status == CL_COMPLETE);
    clReleaseEvent(events[0]);
    clReleaseEvent(events[1]);
    clReleaseMemObject(memory);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* Without matrix units. */
static void as_tgl(void)
{
    expect_persona("tgl", "Xe Graphics", 12 << 22, 8, "cl_intel_subgroups_short", "cl_intel_subgroup_matrix_multiply_accumulate",
                   PERSONA_KERNEL("8", "cl_intel_subgroup_matrix_multiply_accumulate", "*p = sub_group_broadcast(*p, 3);"));
    IN_CHILD(number(CL_DEVICE_FEATURE_CAPABILITIES_INTEL) == CL_DEVICE_FEATURE_FLAG_DP4A_INTEL);
    expect_order();
}

static void as_bmg(void)
{
    static const char split[] = "cl_intel_subgroup_split_matrix_multiply_accumulate";
    expect_persona("bmg", "B580", 20 << 22 | 1 << 14, 16, "cl_intel_subgroup_2d_block_io", split,
                   PERSONA_KERNEL("16", "cl_intel_subgroup_split_matrix_multiply_accumulate",
                                  "*p = intel_sub_group_i8_i8_matrix_mad_k32((short4)1, (int8)1, (int4)1).x;"));
}

/* What a variable of its own says goes before. */
static void as_pvc_with_another_name(void)
{
    setenv("TESSERA_DEVICE_NAME", "Some Graphics", 1);
    setenv("TESSERA_SUB_GROUP_SIZE", "32", 1);
    expect_persona("pvc", "Some Graphics", 12 << 22 | 60 << 14 | 7, 32, "cl_intel_subgroup_matrix_multiply_accumulate_tf32", "split",
                   PERSONA_KERNEL("32", "cl_intel_subgroup_split_matrix_multiply_accumulate", "*p = 1;"));
}

static void from_sub_groups_of_8(void)
{
    expect_sub_group_sizes("8", 8, 16);
}

static void from_sub_groups_of_16(void)
{
    expect_sub_group_sizes("16", 16, 16);
}

static void from_sub_groups_of_32(void)
{
    expect_sub_group_sizes("32", 32, 32);
}

/* No such size: ignored, as if the variable were not set. */
static void from_sub_groups_of_12(void)
{
    expect_sub_group_sizes("12", 8, 16);
}

static void smallest_sub_groups(void **state)
{
    (void)state;
    in_child(from_sub_groups_of_8);
    in_child(from_sub_groups_of_16);
    in_child(as_tgl);
    in_child(as_dg2);
    in_child(as_bmg);
    in_child(as_pvc_with_another_name);
    in_child(from_sub_groups_of_32);
    in_child(from_sub_groups_of_12);
}

static void one_cpu(void **state)
{
    (void)state;
    in_child(on_one_cpu);
}

static void other_names(void **state)
{
    (void)state;
    in_child(as_gpu);
    in_child(with_other_names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cpu), /* these three while this process has made no OpenCL call */
        cmocka_unit_test(other_names),   cmocka_unit_test(smallest_sub_groups), cmocka_unit_test(every_query_keeps_the_size_rules),
        cmocka_unit_test(wrong_queries), cmocka_unit_test(enumeration),         cmocka_unit_test(minima),
        cmocka_unit_test(consistency),   cmocka_unit_test(matrix_combinations), cmocka_unit_test(answers_fit_into_buffers_of_programs),
        cmocka_unit_test(version_3_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
