/* SPDX-License-Identifier: Apache-2.0
 * Contexts, devices, programs and binaries of the tensor language. Every function but those of numbers returns a status; a pointer that
 * may not be NULL and is gives invalid_arguments. Objects may be used by any thread, one at a time each. */
#ifndef TINYTC_CORE_H
#define TINYTC_CORE_H

#include "tinytc/types.h"

#ifdef __cplusplus
extern "C" {
#endif

TINYTC_EXPORT char const *tinytc_status_to_string(tinytc_status_t status);
TINYTC_EXPORT void tinytc_string_destroy(char *str);

/* bf16 and f16 as their bits; rounded to nearest even. */
TINYTC_EXPORT uint16_t tinytc_f32_to_bf16_as_ui16(float x);
TINYTC_EXPORT float tinytc_bf16_as_ui16_to_f32(uint16_t x);
TINYTC_EXPORT uint16_t tinytc_f32_to_f16_as_ui16(float x);
TINYTC_EXPORT float tinytc_f16_as_ui16_to_f32(uint16_t x);

/* The reporter gets each error and each note with its place, and the lines of the text; without one they go to standard error. */
TINYTC_EXPORT tinytc_status_t tinytc_compiler_context_create(tinytc_compiler_context_t *ctx);
TINYTC_EXPORT tinytc_status_t tinytc_compiler_context_set_error_reporter(tinytc_compiler_context_t ctx, tinytc_error_reporter_t reporter,
                                                                         void *user_data);
TINYTC_EXPORT tinytc_status_t tinytc_compiler_context_set_optimization_flag(tinytc_compiler_context_t ctx, tinytc_optflag_t flag,
                                                                            int32_t state);
/* 0: programs are compiled with -cl-opt-disable. */
TINYTC_EXPORT tinytc_status_t tinytc_compiler_context_set_optimization_level(tinytc_compiler_context_t ctx, int32_t level);

/* What programs are checked against: sub-group sizes and the number of work-items that a work-group may have. The register space, in
 * bytes, is kept for those who ask. */
TINYTC_EXPORT tinytc_status_t tinytc_core_info_generic_create(tinytc_core_info_t *info, int32_t register_space, int32_t max_work_group_size,
                                                              size_t sgs_size, int32_t const *sgs);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_intel_create_from_arch(tinytc_core_info_t *info, tinytc_intel_gpu_architecture_t arch);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_intel_create_from_name(tinytc_core_info_t *info, char const *name);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_get_subgroup_sizes(const_tinytc_core_info_t info, size_t *sgs_size, int32_t const **sgs);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_get_register_space(const_tinytc_core_info_t info, int32_t *space);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_set_core_features(tinytc_core_info_t info, tinytc_core_feature_flags_t flags);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_get_core_features(const_tinytc_core_info_t info, tinytc_core_feature_flags_t *flags);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_get_default_alignment(const_tinytc_core_info_t info, int32_t *alignment);
TINYTC_EXPORT tinytc_status_t tinytc_core_info_set_default_alignment(tinytc_core_info_t info, int32_t alignment);

/* NULL for ctx: a context of the program's own. The text ends at its size or at the first zero. */
TINYTC_EXPORT tinytc_status_t tinytc_parse_file(tinytc_prog_t *prg, char const *filename, tinytc_compiler_context_t ctx);
TINYTC_EXPORT tinytc_status_t tinytc_parse_stdin(tinytc_prog_t *prg, tinytc_compiler_context_t ctx);
TINYTC_EXPORT tinytc_status_t tinytc_parse_string(tinytc_prog_t *prg, size_t source_size, char const *source,
                                                  tinytc_compiler_context_t ctx);
TINYTC_EXPORT tinytc_status_t tinytc_prog_get_compiler_context(const_tinytc_prog_t prg, tinytc_compiler_context_t *ctx);
/* In the spelling of the language's manual; dump writes to standard error. The string goes to tinytc_string_destroy. */
TINYTC_EXPORT tinytc_status_t tinytc_prog_dump(tinytc_prog_t prg);
TINYTC_EXPORT tinytc_status_t tinytc_prog_print_to_file(tinytc_prog_t prg, char const *filename);
TINYTC_EXPORT tinytc_status_t tinytc_prog_print_to_string(tinytc_prog_t prg, char **str);

/* A module in SPIR-V for any device that takes it. */
TINYTC_EXPORT tinytc_status_t tinytc_prog_compile_to_spirv_and_assemble(tinytc_binary_t *bin, tinytc_prog_t prg,
                                                                        const_tinytc_core_info_t info);
TINYTC_EXPORT tinytc_status_t tinytc_binary_create(tinytc_binary_t *bin, tinytc_compiler_context_t ctx, tinytc_bundle_format_t format,
                                                   size_t data_size, uint8_t const *data, tinytc_core_feature_flags_t core_features);
TINYTC_EXPORT tinytc_status_t tinytc_binary_get_compiler_context(const_tinytc_binary_t bin, tinytc_compiler_context_t *ctx);
TINYTC_EXPORT tinytc_status_t tinytc_binary_get_raw(const_tinytc_binary_t bin, tinytc_bundle_format_t *format, size_t *data_size,
                                                    uint8_t const **data);
TINYTC_EXPORT tinytc_status_t tinytc_binary_get_core_features(const_tinytc_binary_t bin, tinytc_core_feature_flags_t *core_features);

#ifdef __cplusplus
}
#endif

#endif
