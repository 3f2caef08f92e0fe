/* SPDX-License-Identifier: Apache-2.0
 * Handles, constants and enumerations of the C interface to the tensor language. Names and numbers are those of the Tiny Tensor Compiler
 * 0.4, so that its C clients compile; docs/tensor.md says what of it there is. */
#ifndef TINYTC_TYPES_H
#define TINYTC_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define TINYTC_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

#define TINYTC_DYNAMIC INT64_MIN /* a size or stride that is an argument */

/* STATUS(name, number, text) */
#define TINYTC_STATUSES(STATUS)                                                                                                            \
    STATUS(success, 0x0, "Success")                                                                                                        \
    STATUS(bad_alloc, 0x1, "There is not enough memory")                                                                                   \
    STATUS(invalid_arguments, 0x2, "An argument of the function is not valid")                                                             \
    STATUS(out_of_range, 0x3, "A number is out of range")                                                                                  \
    STATUS(runtime_error, 0x4, "The compiler could not be run")                                                                            \
    STATUS(internal_compiler_error, 0x5, "The compiler has a bug")                                                                         \
    STATUS(unsupported_subgroup_size, 0x6, "The device has no sub-groups of this size")                                                    \
    STATUS(unsupported_work_group_size, 0x7, "The device has no work-groups of this size")                                                 \
    STATUS(compilation_error, 0x8, "The program cannot be compiled")                                                                       \
    STATUS(file_io_error, 0x9, "A file cannot be read or written")                                                                         \
    STATUS(parse_error, 0xa, "The text is no valid program")                                                                               \
    STATUS(unavailable_extension, 0xb, "The device lacks an extension")                                                                    \
    STATUS(unsupported_backend, 0xc, "There is no such backend")                                                                           \
    STATUS(invalid_kernel_arguments, 0xd, "An argument of the kernel is not valid")                                                        \
    STATUS(unsupported_device, 0xe, "The device is not supported")                                                                         \
    STATUS(invalid_core_info, 0xf, "The description of the device is not valid")                                                           \
    STATUS(unknown_pass_name, 0x10, "There is no pass of this name")                                                                       \
    STATUS(not_implemented, 0x11, "This is not there yet")                                                                                 \
    STATUS(compute_runtime_error, 0x12, "OpenCL reported an error")                                                                        \
    STATUS(unknown, 0x7fffffff, "Unknown status")

typedef enum {
#define TINYTC_STATUS(name, number, text) tinytc_status_##name = number,
    TINYTC_STATUSES(TINYTC_STATUS)
#undef TINYTC_STATUS
} tinytc_status_t;

typedef enum { tinytc_transpose_N = 0, tinytc_transpose_T = 1 } tinytc_transpose_t;
typedef enum { tinytc_bundle_format_spirv = 0, tinytc_bundle_format_native = 1 } tinytc_bundle_format_t;
typedef enum { tinytc_optflag_unsafe_fp_math = 0 } tinytc_optflag_t;
typedef enum { tinytc_mem_type_buffer = 0, tinytc_mem_type_usm_pointer = 1, tinytc_mem_type_svm_pointer = 2 } tinytc_mem_type_t;
typedef enum { tinytc_support_level_none = 0, tinytc_support_level_basic = 1, tinytc_support_level_tuned = 2 } tinytc_support_level_t;
typedef enum { tinytc_core_feature_flag_large_register_file = 1 } tinytc_core_feature_flag_t;
typedef enum {
    tinytc_intel_gpu_architecture_tgl = 0x03000000,
    tinytc_intel_gpu_architecture_pvc = 0x030f0000,
    tinytc_intel_gpu_architecture_bmg = 0x05004000,
} tinytc_intel_gpu_architecture_t;
typedef uint32_t tinytc_core_feature_flags_t;
typedef uint8_t tinytc_bool_t;

/* Objects are counted: _release gives one up, _retain keeps it for one more. What a _get function gives stays with its owner. */
#define TINYTC_OBJECT(name)                                                                                                                \
    typedef struct tinytc_##name *tinytc_##name##_t;                                                                                       \
    typedef const struct tinytc_##name *const_tinytc_##name##_t;                                                                           \
    TINYTC_EXPORT tinytc_status_t tinytc_##name##_release(tinytc_##name##_t object);                                                       \
    TINYTC_EXPORT tinytc_status_t tinytc_##name##_retain(tinytc_##name##_t object);
TINYTC_OBJECT(compiler_context)
TINYTC_OBJECT(core_info)
TINYTC_OBJECT(prog)
TINYTC_OBJECT(binary)
TINYTC_OBJECT(recipe)
TINYTC_OBJECT(recipe_handler)
#undef TINYTC_OBJECT

/* Types of numbers live as long as their context. */
typedef struct tinytc_type *tinytc_type_t;
typedef const struct tinytc_type *const_tinytc_type_t;

/* Lines and columns count from 1; the end lies behind the last column. */
typedef struct tinytc_position {
    int32_t source_id, line, column;
} tinytc_position_t;
typedef struct tinytc_location {
    tinytc_position_t begin, end;
} tinytc_location_t;
typedef void (*tinytc_error_reporter_t)(char const *what, const tinytc_location_t *location, void *user_data);

#ifdef __cplusplus
}
#endif

#endif
