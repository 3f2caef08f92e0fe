/* SPDX-License-Identifier: Apache-2.0
 * Types of numbers, and recipes: products of matrices as functions. A recipe is a program with the kernels gemm and gemm_beta0; the
 * latter is taken where beta is 0, and does not read C. Matrices lie by columns. */
#ifndef TINYTC_BUILDER_H
#define TINYTC_BUILDER_H

#include "tinytc/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TYPE(name of the language) */
#define TINYTC_NUMBERS(TYPE)                                                                                                               \
    TYPE(i8)                                                                                                                               \
    TYPE(i16)                                                                                                                              \
    TYPE(i32)                                                                                                                              \
    TYPE(i64)                                                                                                                              \
    TYPE(index)                                                                                                                            \
    TYPE(bf16)                                                                                                                             \
    TYPE(f16)                                                                                                                              \
    TYPE(f32)                                                                                                                              \
    TYPE(f64)                                                                                                                              \
    TYPE(c32)                                                                                                                              \
    TYPE(c64)
#define TINYTC_TYPE(name) TINYTC_EXPORT tinytc_status_t tinytc_##name##_type_get(tinytc_type_t *ty, tinytc_compiler_context_t ctx);
TINYTC_NUMBERS(TINYTC_TYPE)
#undef TINYTC_TYPE
TINYTC_EXPORT tinytc_status_t tinytc_type_get_compiler_context(const_tinytc_type_t ty, tinytc_compiler_context_t *ctx);

/* C := alpha op(A) op(B) + beta C for each matrix of a batch; ld and stride count elements, from column to column and from matrix to
 * matrix. */
TINYTC_EXPORT tinytc_status_t tinytc_recipe_small_gemm_batched_create(tinytc_recipe_t *recipe, const_tinytc_core_info_t info,
                                                                      tinytc_type_t number_ty, tinytc_transpose_t tA, tinytc_transpose_t tB,
                                                                      int64_t M, int64_t N, int64_t K, int64_t ldA, int64_t strideA,
                                                                      int64_t ldB, int64_t strideB, int64_t ldC, int64_t strideC);
TINYTC_EXPORT tinytc_status_t tinytc_recipe_small_gemm_batched_set_args(tinytc_recipe_handler_t handler, int64_t howmany, size_t alpha_size,
                                                                        const void *alpha_value, tinytc_mem_type_t A_type,
                                                                        const void *A_value, tinytc_mem_type_t B_type, const void *B_value,
                                                                        size_t beta_size, const void *beta_value, tinytc_mem_type_t C_type,
                                                                        const void *C_value);

/* C := alpha A B + beta C where A has many rows, which work-groups share out in blocks (0: a suggested size). M, and distances of columns
 * that are TINYTC_DYNAMIC, come with the arguments. Alignments are in bytes, 0: that of the elements. */
TINYTC_EXPORT tinytc_status_t tinytc_recipe_tall_and_skinny_create(tinytc_recipe_t *recipe, const_tinytc_core_info_t info,
                                                                   tinytc_type_t number_ty, int64_t N, int64_t K, int32_t M_block_size);
TINYTC_EXPORT tinytc_status_t tinytc_recipe_tall_and_skinny_create_specialized(tinytc_recipe_t *recipe, const_tinytc_core_info_t info,
                                                                               tinytc_type_t number_ty, int64_t M, int64_t N, int64_t K,
                                                                               int64_t ldA, int64_t ldB, int64_t ldC, int32_t alignA,
                                                                               int32_t alignB, int32_t alignC, int32_t M_block_size);
TINYTC_EXPORT tinytc_status_t tinytc_recipe_tall_and_skinny_suggest_block_size(const_tinytc_core_info_t info, int32_t *M_block_size);
TINYTC_EXPORT tinytc_status_t tinytc_recipe_tall_and_skinny_set_args(tinytc_recipe_handler_t handler, int64_t M, size_t alpha_size,
                                                                     const void *alpha_value, tinytc_mem_type_t A_type, const void *A_value,
                                                                     int64_t ldA, tinytc_mem_type_t B_type, const void *B_value,
                                                                     int64_t ldB, size_t beta_size, const void *beta_value,
                                                                     tinytc_mem_type_t C_type, const void *C_value, int64_t ldC);

/* What these hand out the caller releases. Several threads may ask the same recipe for its binary at once. */
TINYTC_EXPORT tinytc_status_t tinytc_recipe_get_prog(const_tinytc_recipe_t recipe, tinytc_prog_t *prg);
TINYTC_EXPORT tinytc_status_t tinytc_recipe_get_binary(const_tinytc_recipe_t recipe, tinytc_binary_t *bin);
TINYTC_EXPORT tinytc_status_t tinytc_recipe_handler_get_recipe(const_tinytc_recipe_handler_t handler, tinytc_recipe_t *recipe);

/* Tessera's own: C := alpha op(A) op(B) + beta C of any sizes, which come with the arguments. */
TINYTC_EXPORT tinytc_status_t tessera_recipe_gemm_create(tinytc_recipe_t *recipe, const_tinytc_core_info_t info, tinytc_type_t number_ty,
                                                         tinytc_transpose_t tA, tinytc_transpose_t tB);
TINYTC_EXPORT tinytc_status_t tessera_recipe_gemm_set_args(tinytc_recipe_handler_t handler, int64_t M, int64_t N, int64_t K,
                                                           size_t alpha_size, const void *alpha_value, tinytc_mem_type_t A_type,
                                                           const void *A_value, int64_t ldA, tinytc_mem_type_t B_type, const void *B_value,
                                                           int64_t ldB, size_t beta_size, const void *beta_value, tinytc_mem_type_t C_type,
                                                           const void *C_value, int64_t ldC);

#ifdef __cplusplus
}
#endif

#endif
