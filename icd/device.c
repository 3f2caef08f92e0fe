/* SPDX-License-Identifier: Apache-2.0
 * Root devices and the device queries, which come from icd/info_device.def. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "clc/common/build_id.h"
#include "icd/command_buffer.h"
#include "icd/image.h"
#include "tessera/enqueue.h"
#include "tessera/pipe.h"

static_assert(sizeof(size_t) == sizeof(uint64_t), "caps keep sizes as uint64_t");

static_assert(TSR_DEVICE_CPU == CL_DEVICE_TYPE_CPU && TSR_DEVICE_GPU == CL_DEVICE_TYPE_GPU &&
                  TSR_DEVICE_ACCELERATOR == CL_DEVICE_TYPE_ACCELERATOR && TSR_DEVICE_CUSTOM == CL_DEVICE_TYPE_CUSTOM,
              "caps->type is a number of OpenCL");
static_assert(TSR_OBJECT_IMAGE1D == CL_MEM_OBJECT_IMAGE1D && TSR_OBJECT_IMAGE1D_ARRAY == CL_MEM_OBJECT_IMAGE1D_ARRAY &&
                  TSR_OBJECT_IMAGE1D_BUFFER == CL_MEM_OBJECT_IMAGE1D_BUFFER && TSR_OBJECT_IMAGE2D == CL_MEM_OBJECT_IMAGE2D &&
                  TSR_OBJECT_IMAGE2D_ARRAY == CL_MEM_OBJECT_IMAGE2D_ARRAY && TSR_OBJECT_IMAGE3D == CL_MEM_OBJECT_IMAGE3D,
              "a device keeps OpenCL's numbers");
static_assert(TSR_SVM_COARSE_GRAIN_BUFFER == CL_DEVICE_SVM_COARSE_GRAIN_BUFFER &&
                  TSR_SVM_FINE_GRAIN_BUFFER == CL_DEVICE_SVM_FINE_GRAIN_BUFFER &&
                  TSR_SVM_FINE_GRAIN_SYSTEM == CL_DEVICE_SVM_FINE_GRAIN_SYSTEM && TSR_SVM_ATOMICS == CL_DEVICE_SVM_ATOMICS,
              "caps->svm has bits of OpenCL");
static_assert(TSR_USM_ACCESS == CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL && TSR_USM_ATOMIC == CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL &&
                  TSR_USM_CONCURRENT == CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL &&
                  TSR_USM_CONCURRENT_ATOMIC == CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL,
              "caps->usm has bits of OpenCL");

TSR_API cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries, cl_device_id *devices,
                                          cl_uint *num_devices)
{
    /* "CL_INVALID_PLATFORM if platform is not a valid platform." A NULL platform means the only one. */
    RETURN_IF(NULL, platform && platform != tsr__platform(), CL_INVALID_PLATFORM, "the platform is none of Tessera's");
    cl_int err = tsr__check_device_type(device_type, __func__);
    if (err)
        return err;
    /* "CL_INVALID_VALUE if num_entries is equal to zero and devices is not NULL or if both num_devices and devices are NULL." */
    RETURN_IF(NULL, !num_entries && devices, CL_INVALID_VALUE, "num_entries is 0, but devices is not NULL");
    RETURN_IF(NULL, !num_devices && !devices, CL_INVALID_VALUE, "devices and num_devices are both NULL");

    struct _cl_device_id *found[TSR__MOST_ROOTS];
    unsigned count = tsr__devices_of_type(device_type, found);
    if (num_devices)
        *num_devices = count;
    RETURN_IF(NULL, !count, CL_DEVICE_NOT_FOUND, "no device of this type");
    if (devices)
        memcpy(devices, found, (count < num_entries ? count : num_entries) * sizeof(*found));
    return CL_SUCCESS;
}

/* "If device is a root level device … the device reference count remains unchanged." */
TSR_API cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    RETURN_IF(NULL, !tsr__valid(device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "the device is not valid");
    return device->parent ? tsr__api_retain(device, TSR_TAG_DEVICE, CL_INVALID_DEVICE) : CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    RETURN_IF(NULL, !tsr__valid(device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "the device is not valid");
    return device->parent ? tsr__api_release(device, TSR_TAG_DEVICE, CL_INVALID_DEVICE) : CL_SUCCESS;
}

/* ---- queries ---- */

/* Versions that the compiler takes in -cl-std. */
static cl_int c_versions(struct _cl_device_id *d, struct tsr_info_out out)
{
    cl_name_version list[8] = {{0}};
    size_t count = 0;
    for (uint32_t i = 0; tsr_clc_c_version(i); i++) {
        unsigned version = tsr_clc_c_version(i);
        if (tsr_clc_takes_version(d->macros, version))
            list[count++] = (cl_name_version){CL_MAKE_VERSION(version / 100, version / 10 % 10, 0), "OpenCL C"};
    }
    return tsr__info_bytes(out, list, count * sizeof *list);
}

static const cl_semaphore_type_khr semaphore_types[] = {CL_SEMAPHORE_TYPE_BINARY_KHR};

static const cl_external_memory_handle_type_khr import_types[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

static const char il_version[] = ""
#define TSR_SPIRV_VERSION(major, minor) " SPIR-V_" #major "." #minor
#include "tessera/spirv.def"
    ;
static const cl_name_version il_versions[] = {
#define TSR_SPIRV_VERSION(major, minor) {CL_MAKE_VERSION(major, minor, 0), "SPIR-V"},
#include "tessera/spirv.def"
};
static const char *const spirv_sets[] = {
#define TSR_SPIRV_SET(name) name,
#include "tessera/spirv.def"
};
static const char *const spirv_extensions[] = {
#define TSR_SPIRV_EXTENSION(name) #name,
#include "tessera/spirv.def"
};
/* The capabilities of SPIR-V that the device has: those of images and of pipes where it has these. */
static cl_int spirv_capabilities(struct _cl_device_id *d, struct tsr_info_out out)
{
    const bool *has = d->caps->extensions.has;
    const struct {
        cl_uint number;
        bool there;
    } all[] = {
#define TSR_SPIRV_IMAGE_CAPABILITY(name, number, feature) {number, d->caps->images && has[TSR_HAS_##feature]},
#define TSR_SPIRV_PIPE_CAPABILITY(name, number) {number, has[TSR_HAS___opencl_c_pipes]},
#define TSR_SPIRV_CAPABILITY(name, number) {number, true},
#include "tessera/spirv.def"
    };
    cl_uint list[TSR_ARRAY_LEN(all)];
    size_t count = 0;
    for (size_t i = 0; i < TSR_ARRAY_LEN(all) && d->caps->spirv; i++)
        if (all[i].there)
            list[count++] = all[i].number;
    return tsr__info_bytes(out, list, count * sizeof *list);
}

/* The version contains a part of the build id: programs that cache binaries, pyopencl for one, tell drivers apart by this text, and a
 * binary of another build is refused. */
static cl_int driver_version(struct _cl_device_id *d, struct tsr_info_out out)
{
    char version[sizeof(TSR_VERSION "+00000000")];
    const unsigned char *id = tsr_clc_build_id;
    const char *text = tsr_env(TSR_ENV_DRIVER_VERSION);
    (void)d;
    snprintf(version, sizeof(version), TSR_VERSION "+%02x%02x%02x%02x", id[0], id[1], id[2], id[3]);
    return tsr__info_str(out, text ? text : version);
}

static uint32_t default_sub_group_size(const struct _cl_device_id *d)
{
    struct tsr_target target;
    d->ops->target(d->impl, &target);
    return target.default_sub_group_size;
}

/* Elements of a register, or of the longest vector of OpenCL C. */
static cl_uint native_width(const struct tsr_device_caps *caps, unsigned element_bits)
{
    enum { LONGEST = 16 };
    unsigned elements = caps->vector_bits / element_bits;
    return elements < LONGEST ? elements : LONGEST;
}

static cl_device_atomic_capabilities atomic_capabilities(const struct _cl_device_id *d)
{
    cl_device_atomic_capabilities capabilities = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    static const struct {
        enum tsr_ext feature;
        cl_device_atomic_capabilities bit;
    } optional[] = {
        {TSR_HAS___opencl_c_atomic_order_acq_rel, CL_DEVICE_ATOMIC_ORDER_ACQ_REL},
        {TSR_HAS___opencl_c_atomic_order_seq_cst, CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
        {TSR_HAS___opencl_c_atomic_scope_device, CL_DEVICE_ATOMIC_SCOPE_DEVICE},
        {TSR_HAS___opencl_c_atomic_scope_all_devices, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(optional); i++)
        if (d->caps->extensions.has[optional[i].feature])
            capabilities |= optional[i].bit;
    return capabilities;
}

static cl_int dot_acceleration(struct _cl_device_id *d, struct tsr_info_out out)
{
    cl_bool fast = d->caps->fast_dot_products ? CL_TRUE : CL_FALSE;
    cl_device_integer_dot_product_acceleration_properties_khr all = {fast, fast, fast, fast, fast, fast};
    return tsr__info_bytes(out, &all, sizeof all);
}

#define USM(access) (EXTENSION(cl_intel_unified_shared_memory) ? c->access : 0)

static cl_int uuid(struct tsr_info_out out, const char *kind, const char *text, const void *more, size_t size)
{
    struct tsr_hasher *hasher = tsr_hasher_new();
    RETURN_IF(NULL, !hasher, CL_OUT_OF_HOST_MEMORY, "no memory to hash %s", kind);
    tsr_hasher_add_str(hasher, kind);
    tsr_hasher_add_str(hasher, text);
    tsr_hasher_add(hasher, more, size);
    struct tsr_hash hash = tsr_hasher_end(hasher);
    cl_uchar bytes[CL_UUID_SIZE];
    memcpy(bytes, &hash.lo, 8);
    memcpy(bytes + 8, &hash.hi, 8);
    return tsr__info_bytes(out, bytes, sizeof(bytes));
}

/* "Each entry … zero, indicating that the SVM type is not supported by this device": without the extension there are no entries. */
static cl_int svm_types(struct _cl_device_id *d, struct tsr_info_out out)
{
    return d->caps->extensions.has[TSR_HAS_cl_khr_unified_svm] ? tsr__svm_types(out) : tsr__info_bytes(out, NULL, 0);
}

static cl_int device_uuid(struct _cl_device_id *d, struct tsr_info_out out)
{
    size_t size;
    const void *identity = d->ops->identity(d->impl, &size);
    return uuid(out, "Tessera device", d->ops->name, identity, size);
}

static cl_int driver_uuid(struct _cl_device_id *d, struct tsr_info_out out)
{
    (void)d;
    return uuid(out, "Tessera driver", TSR_VERSION, NULL, 0);
}

static cl_int sub_group_sizes(struct _cl_device_id *d, struct tsr_info_out out)
{
    size_t sizes[TSR_ARRAY_LEN(d->caps->sub_group_sizes)];
    for (uint32_t i = 0; i < d->caps->sub_group_size_count; i++)
        sizes[i] = d->caps->sub_group_sizes[i];
    return tsr__info_bytes(out, sizes, d->caps->sub_group_size_count * sizeof(*sizes));
}

/* "If the device cannot be partitioned (i.e. there is no partitioning scheme supported by the device that will return at least two
 * sub-devices), a value of 0 will be returned." */
static cl_int partition_properties(struct _cl_device_id *d, struct tsr_info_out out)
{
    const cl_device_partition_property none[] = {0};
    const cl_device_partition_property all[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS,
                                                CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};
    if (!tsr__most_parts(d))
        return tsr__info_bytes(out, none, sizeof(none));
    return tsr__info_bytes(out, all, tsr__affinity_domains(d) ? sizeof(all) : sizeof(all) - sizeof(*all));
}

static cl_device_kernel_clock_capabilities_khr clock_capabilities(const struct _cl_device_id *d)
{
    const bool *has = d->caps->extensions.has;
    return (has[TSR_HAS___opencl_c_kernel_clock_scope_device] ? CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR : 0) |
           (has[TSR_HAS___opencl_c_kernel_clock_scope_work_group] ? CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR : 0) |
           (has[TSR_HAS___opencl_c_kernel_clock_scope_sub_group] ? CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR : 0);
}

static const cl_device_matrix_combination_tessera matrix_combinations[] = {
#define TSR_COMBINATION(max_m, max_n, max_k, m, n, k, a, b, c, d)                                                                          \
    {max_m, max_n, max_k, m, n, k, CL_MATRIX_##a##_TESSERA, CL_MATRIX_##b##_TESSERA, CL_MATRIX_##c##_TESSERA, CL_MATRIX_##d##_TESSERA},
#include "icd/matrix_combinations.def"
#undef TSR_COMBINATION
};

/* Those of the last lines are for sub-groups of 8. */
static size_t combination_count(const struct tsr_device_caps *caps)
{
    size_t count = TSR_ARRAY_LEN(matrix_combinations);
    bool eight = false;
    for (uint32_t i = 0; i < caps->sub_group_size_count; i++)
        eight |= caps->sub_group_sizes[i] == 8;
    while (!eight && count && matrix_combinations[count - 1].n == 8)
        count--;
    return count;
}

#define FEATURE(name) c->extensions.has[TSR_HAS___opencl_c_##name]
#define EXTENSION(name) c->extensions.has[TSR_HAS_##name]
/* A limit of images: 0 on devices without them. */
#define IMAGES(limit) (c->images ? (limit) : 0)
/* What is said of pipes: 0 on devices without them. */
#define ENQUEUE(value) (c->device_queues ? (value) : 0)
#define PIPES(value) (c->extensions.has[TSR_HAS___opencl_c_pipes] ? (value) : 0)

TSR_API cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
                                           size_t *param_value_size_ret)
{
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    RETURN_IF(NULL, !tsr__valid(device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "the device is not valid");
    struct _cl_device_id *d = device;
    const struct tsr_device_caps *c = d->caps;
    switch (param_name) {
#define TSR_INFO(query, type, ...)                                                                                                         \
    case query:                                                                                                                            \
        return tsr__info_value(out, type, __VA_ARGS__);
#define TSR_INFO_TEXT(query, expression)                                                                                                   \
    case query:                                                                                                                            \
        return tsr__info_str(out, expression);
#define TSR_INFO_LIST(query, pointer, count)                                                                                               \
    case query:                                                                                                                            \
        return tsr__info_bytes(out, pointer, (count) * sizeof(*(pointer)));
#define TSR_INFO_CALL(query, function)                                                                                                     \
    case query:                                                                                                                            \
        return function(d, out);
#include "icd/info_device.def"
#undef TSR_INFO
#undef TSR_INFO_TEXT
#undef TSR_INFO_LIST
#undef TSR_INFO_CALL
    default:
        return tsr__error(NULL, CL_INVALID_VALUE, __func__, "param_name", "no device query 0x%x", param_name);
    }
}
