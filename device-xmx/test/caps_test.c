/* SPDX-License-Identifier: Apache-2.0
 * What the device reports for GPUs of different kinds and drivers of different ages, over a loader for tests; and without a loader. Each
 * case runs in a process of its own, as devices are found once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device-xmx/xmx.h"

#define CHECK(condition) ((condition) ? (void)0 : failed(#condition, __LINE__))

static void failed(const char *what, int line)
{
    fprintf(stderr, "caps_test.c:%d: %s\n", line, what);
    _exit(1);
}

/* Runs `check` in a child, with the loader at `path` and the GPU of that name. */
static void in_child(const char *path, const char *gpu, void (*check)(const struct tsr__xmx_device *device))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("TESSERA_LEVEL_ZERO", path, 1);
        setenv("FAKE_GPU", gpu, 1);
        struct tsr_device **list;
        unsigned count = tsr_xmx_device.roots(&list);
        check(count ? tsr__xmx(list[0]) : NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void is_absent(const struct tsr__xmx_device *device)
{
    CHECK(!device);
}

static bool has(const struct tsr__xmx_device *device, enum tsr_ext ext)
{
    return device->caps.extensions.has[ext];
}

static void lacks_matrices(const struct tsr__xmx_device *device)
{
    CHECK(device && !device->units.simd && !device->caps.dpas);
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate));
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate_tf32));
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_split_matrix_multiply_accumulate));
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_2d_block_io));
}

static void is_narrow(const struct tsr__xmx_device *device)
{
    CHECK(device && device->units.simd == 8 && device->caps.dpas);
    CHECK(has(device, TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate));
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate_tf32));
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_2d_block_io));
}

static void is_dg2(const struct tsr__xmx_device *device)
{
    is_narrow(device);
    CHECK(has(device, TSR_HAS_cl_intel_subgroup_split_matrix_multiply_accumulate));
    CHECK(!has(device, TSR_HAS_cl_khr_fp64) && has(device, TSR_HAS_cl_khr_fp16));
}

static void is_arrow_lake(const struct tsr__xmx_device *device)
{
    is_narrow(device);
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_split_matrix_multiply_accumulate));
}

static void is_wide(const struct tsr__xmx_device *device)
{
    CHECK(device && device->units.simd == 16 && device->caps.dpas);
    CHECK(has(device, TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate));
    CHECK(has(device, TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate_tf32));
    CHECK(has(device, TSR_HAS_cl_intel_subgroup_2d_block_io));
    CHECK(!has(device, TSR_HAS_cl_intel_subgroup_split_matrix_multiply_accumulate));
    CHECK(device->caps.sub_group_sizes[0] == 16 && device->caps.sub_group_size_count == 2);
}

static void matrix_units(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        void (*check)(const struct tsr__xmx_device *device);
    } cases[] = {
        {"dg2", is_dg2},
        {"dg2_2022", is_dg2},
        {"dg2_dot", is_dg2},
        {"pvc", is_wide},
        {"pvc_2022", is_wide},
        {"bmg", is_wide},
        {"bmg_no_dot", is_wide},
        {"mtl", lacks_matrices},
        {"mtl_dot", lacks_matrices},
        {"arl_h", is_arrow_lake},
        {"tgl_2022", lacks_matrices},
        {"api_1_0", lacks_matrices},
        {"future", lacks_matrices},
        {"future_dot", is_wide},
        {"foreign", lacks_matrices},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        print_message("%s\n", cases[i].gpu);
        in_child(FAKE_LOADER, cases[i].gpu, cases[i].check);
    }
}

static void numbers_of_dg2(const struct tsr__xmx_device *device)
{
    const struct tsr_device_caps *c = device->base.caps;
    CHECK(c->type == TSR_DEVICE_GPU && !strcmp(c->name, "Fake dg2") && c->vendor_id == 0x8086 && c->device_id == 0x56a0);
    CHECK(c->ip_version == TSR_ZE_IP(12, 55, 8));
    CHECK(c->compute_units == 8 * 4 * 16 && c->eu_threads == 8 && device->base.compute_units == c->compute_units);
    CHECK(c->global_memory == 16ull << 30 && c->max_allocation == 4ull << 30 && c->local_memory == 64 << 10 && c->own_local_memory);
    CHECK(c->max_work_group_size == 1024 && c->max_sub_groups == 128 && c->max_parameter_bytes == 2048);
    CHECK(c->global_cache == 8 << 20 && c->global_cache_line && c->own_memory && c->spirv);
    CHECK(c->svm == TSR_SVM_COARSE_GRAIN_BUFFER && has(device, TSR_HAS_cl_intel_unified_shared_memory));
    CHECK(c->usm[TSR_USM_HOST] == 3 && c->usm[TSR_USM_DEVICE] == 3 && c->usm[TSR_USM_SHARED] == 3 && c->usm_cross == 1 && !c->usm_system);
    CHECK(c->single_config == 0xbf); /* correctly rounded division has another bit in OpenCL */
    CHECK(c->half_config == 0x27 && c->double_config == 0);
    CHECK(has(device, TSR_HAS___opencl_c_ext_fp32_local_atomic_min_max) && has(device, TSR_HAS_cl_ext_float_atomics));
    CHECK(has(device, TSR_HAS___opencl_c_ext_fp16_global_atomic_load_store) && !has(device, TSR_HAS___opencl_c_ext_fp16_global_atomic_add));
    CHECK(device->compute_group == 0 && device->copy_group == 1 && device->copy_fill == 1);
    CHECK(device->ns_per_tick > 52.0 && device->ns_per_tick < 52.1 && device->kernel_clock_bits == 32);
    size_t size;
    CHECK(tsr_xmx_device.identity(&device->base, &size) && size == ZE_MAX_DEVICE_UUID_SIZE);
}

/* The numbers of a driver by whose words host and kernels may use memory at the same time, but for atomics. */
static void shares_at_once(const struct tsr__xmx_device *device)
{
    CHECK(device->caps.svm == (TSR_SVM_COARSE_GRAIN_BUFFER | TSR_SVM_FINE_GRAIN_BUFFER | TSR_SVM_FINE_GRAIN_SYSTEM));
    CHECK(device->caps.usm_system == 5 && !has(device, TSR_HAS___opencl_c_atomic_scope_all_devices));
}

static void shares_atomics(const struct tsr__xmx_device *device)
{
    CHECK(device->caps.svm == (TSR_SVM_COARSE_GRAIN_BUFFER | TSR_SVM_FINE_GRAIN_BUFFER | TSR_SVM_ATOMICS));
    CHECK(has(device, TSR_HAS___opencl_c_atomic_scope_all_devices));
}

/* Of a driver that lacks one of the three kinds, and of one that does not tell. */
static void shares_nothing(const struct tsr__xmx_device *device)
{
    CHECK(device && !device->caps.svm && !has(device, TSR_HAS_cl_intel_unified_shared_memory) && !device->caps.usm[TSR_USM_DEVICE]);
}

static void memory_that_is_shared(void **state)
{
    (void)state;
    in_child(FAKE_LOADER, "pvc", shares_at_once);
    in_child(FAKE_LOADER, "tgl_2022", shares_atomics);
    in_child(FAKE_LOADER, "foreign", shares_nothing);
    in_child(FAKE_LOADER, "api_1_0", shares_nothing);
}

static void clock_of_api_1_0(const struct tsr__xmx_device *device)
{
    CHECK(device && device->ns_per_tick == 83 && !has(device, TSR_HAS_cl_ext_float_atomics));
}

static void numbers(void **state)
{
    (void)state;
    in_child(FAKE_LOADER, "dg2", numbers_of_dg2);
    in_child(FAKE_LOADER, "api_1_0", clock_of_api_1_0);
}

static bool has_format(const struct tsr__xmx_device *device, uint32_t order, uint32_t type)
{
    return tsr_xmx_device.image_format(&device->base, tsr_image_find_format(order, type));
}

static void has_images(const struct tsr__xmx_device *device)
{
    enum { R = 0x10B0, A = 0x10B1, RGBA = 0x10B5, BGRA = 0x10B6, SNORM_INT16 = 0x10D1, UNORM_INT8 = 0x10D2, FLOAT = 0x10DE };
    const struct tsr_image_limits *limits = &device->caps.image;
    CHECK(device->caps.images && has(device, TSR_HAS___opencl_c_images) && !has(device, TSR_HAS___opencl_c_read_write_images));
    CHECK(limits->side_2d == 16384 && limits->side_3d == 2048 && limits->layers == 2048 && limits->buffer == 65536);
    CHECK(limits->read_args == 128 && limits->write_args == 64 && limits->read_write_args == 0 && limits->samplers == 16);
    CHECK(has_format(device, RGBA, UNORM_INT8) && has_format(device, BGRA, UNORM_INT8) && has_format(device, R, FLOAT));
    CHECK(!has_format(device, R, SNORM_INT16)); /* which the driver refuses */
    CHECK(!has_format(device, A, UNORM_INT8));  /* which Level Zero has not */
}

static void lacks_images(const struct tsr__xmx_device *device)
{
    CHECK(device && !device->caps.images && !has(device, TSR_HAS___opencl_c_images) && !has(device, TSR_HAS_cl_khr_3d_image_writes));
}

/* With the variable that asks for it: images of a buffer are as wide as 1D images. */
static void has_shorter_images(const struct tsr__xmx_device *device)
{
    CHECK(device->caps.images && device->line_images && device->caps.image.buffer == 16384);
}

/* Images are reported if all that the full profile asks for is there. */
static void images(void **state)
{
    (void)state;
    static const char *const lacking[] = {"pvc",           "images_width", "images_read_args", "images_write_args", "images_samplers",
                                          "images_buffer", "images_bgra",  "images_halves",    "images_filters",    "images_lines"};
    in_child(FAKE_LOADER, "dg2", has_images);
    for (size_t i = 0; i < TSR_ARRAY_LEN(lacking); i++) {
        print_message("%s\n", lacking[i]);
        in_child(FAKE_LOADER, lacking[i], lacks_images);
    }
    setenv("TESSERA_GPU_IMAGES", "1", 1);
    in_child(FAKE_LOADER, "images_lines", has_shorter_images);
    in_child(FAKE_LOADER, "images_bgra", lacks_images);
    unsetenv("TESSERA_GPU_IMAGES");
}

static void what_is_no_gpu_is_not_listed(void **state)
{
    (void)state;
    in_child(FAKE_LOADER, "npu", is_absent);
    in_child(FAKE_LOADER, "no_spirv", is_absent);
    in_child(FAKE_LOADER, "nothing", is_absent);
}

static void without_a_loader(void **state)
{
    (void)state;
    in_child("/nowhere/libze_loader.so.1", "dg2", is_absent);
    in_child(LACKING_LOADER, "dg2", is_absent);
    in_child(__FILE__, "dg2", is_absent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_units),          cmocka_unit_test(numbers),
        cmocka_unit_test(memory_that_is_shared), cmocka_unit_test(what_is_no_gpu_is_not_listed),
        cmocka_unit_test(without_a_loader),      cmocka_unit_test(images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
