/* SPDX-License-Identifier: Apache-2.0
 * Contexts, types of numbers, descriptions of devices, and numbers of 16 bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/api/object.h"
#include "tensor/interp.h"

enum { GENERIC_REGISTER_SPACE = 2048, GPU_GROUP = 1024, DEFAULT_ALIGNMENT = 128 };

char const *tinytc_status_to_string(tinytc_status_t status)
{
    switch (status) {
#define TINYTC_STATUS(name, number, text)                                                                                                  \
    case tinytc_status_##name:                                                                                                             \
        return text;
        TINYTC_STATUSES(TINYTC_STATUS)
#undef TINYTC_STATUS
    }
    return "Unknown status";
}

void tinytc_string_destroy(char *str)
{
    free(str);
}

/* ---- numbers ---- */

static uint16_t to_bits(enum tsr__t_number type, float x)
{
    uint16_t bits;
    tsr__ti_write(type, &bits, tsr__ti_convert((struct tsr__ti_number){.re = (double)x}, TSR__T_F32, type));
    return bits;
}

uint16_t tinytc_f32_to_bf16_as_ui16(float x)
{
    return to_bits(TSR__T_BF16, x);
}

float tinytc_bf16_as_ui16_to_f32(uint16_t x)
{
    return (float)tsr__ti_read(TSR__T_BF16, &x).re;
}

uint16_t tinytc_f32_to_f16_as_ui16(float x)
{
    return to_bits(TSR__T_F16, x);
}

float tinytc_f16_as_ui16_to_f32(uint16_t x)
{
    return (float)tsr__ti_read(TSR__T_F16, &x).re;
}

/* ---- contexts ---- */

tinytc_status_t tinytc_compiler_context_create(tinytc_compiler_context_t *ctx)
{
    if (!ctx)
        return tinytc_status_invalid_arguments;
    struct tinytc_compiler_context *made = calloc(1, sizeof *made);
    if (!made)
        return tinytc_status_bad_alloc;
    made->references = 1;
    made->level = 2;
    for (int i = 0; i < TSR__T_NUMBERS; i++)
        made->types[i] = (struct tinytc_type){made, (enum tsr__t_number)i};
    *ctx = made;
    return tinytc_status_success;
}

tinytc_status_t tinytc_compiler_context_retain(tinytc_compiler_context_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    atomic_fetch_add(&object->references, 1);
    return tinytc_status_success;
}

tinytc_status_t tinytc_compiler_context_release(tinytc_compiler_context_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    if (atomic_fetch_sub(&object->references, 1) == 1)
        free(object);
    return tinytc_status_success;
}

tinytc_status_t tinytc_compiler_context_set_error_reporter(tinytc_compiler_context_t ctx, tinytc_error_reporter_t reporter, void *user_data)
{
    if (!ctx)
        return tinytc_status_invalid_arguments;
    ctx->reporter = reporter;
    ctx->user_data = user_data;
    return tinytc_status_success;
}

/* Without a flag nothing is less safe: what the flag would allow is not done. */
tinytc_status_t tinytc_compiler_context_set_optimization_flag(tinytc_compiler_context_t ctx, tinytc_optflag_t flag, int32_t state)
{
    (void)state;
    return ctx && flag == tinytc_optflag_unsafe_fp_math ? tinytc_status_success : tinytc_status_invalid_arguments;
}

tinytc_status_t tinytc_compiler_context_set_optimization_level(tinytc_compiler_context_t ctx, int32_t level)
{
    if (!ctx || level < 0)
        return tinytc_status_invalid_arguments;
    ctx->level = level;
    return tinytc_status_success;
}

void tsr__ta_report(struct tinytc_compiler_context *context, const char *what, const struct tinytc_location *location)
{
    if (context->reporter)
        context->reporter(what, location, context->user_data);
    else
        fprintf(stderr, "%s\n", what);
}

#define TYPE_GET(name, number)                                                                                                             \
    tinytc_status_t tinytc_##name##_type_get(tinytc_type_t *ty, tinytc_compiler_context_t ctx)                                             \
    {                                                                                                                                      \
        if (!ty || !ctx)                                                                                                                   \
            return tinytc_status_invalid_arguments;                                                                                        \
        *ty = &ctx->types[TSR__T_##number];                                                                                                \
        return tinytc_status_success;                                                                                                      \
    }
TYPE_GET(i8, I8)
TYPE_GET(i16, I16)
TYPE_GET(i32, I32)
TYPE_GET(i64, I64)
TYPE_GET(index, INDEX)
TYPE_GET(bf16, BF16)
TYPE_GET(f16, F16)
TYPE_GET(f32, F32)
TYPE_GET(f64, F64)
TYPE_GET(c32, C32)
TYPE_GET(c64, C64)

tinytc_status_t tinytc_type_get_compiler_context(const_tinytc_type_t ty, tinytc_compiler_context_t *ctx)
{
    if (!ty || !ctx)
        return tinytc_status_invalid_arguments;
    *ctx = ty->context;
    return tinytc_status_success;
}

/* ---- devices ---- */

tinytc_status_t tinytc_core_info_generic_create(tinytc_core_info_t *info, int32_t register_space, int32_t max_work_group_size,
                                                size_t sgs_size, int32_t const *sgs)
{
    if (!info || !sgs)
        return tinytc_status_invalid_arguments;
    struct tinytc_core_info *made = calloc(1, sizeof *made);
    if (!made)
        return tinytc_status_bad_alloc;
    bool good = max_work_group_size > 0 && sgs_size && sgs_size <= TSR_ARRAY_LEN(made->sub_group_sizes);
    for (size_t i = 0; good && i < sgs_size; i++) {
        made->sub_group_sizes[i] = sgs[i];
        good = sgs[i] > 0;
    }
    if (!good) {
        free(made);
        return tinytc_status_invalid_core_info;
    }
    made->references = 1;
    made->register_space = register_space;
    made->max_work_group_size = max_work_group_size;
    made->count = sgs_size;
    made->alignment = DEFAULT_ALIGNMENT;
    *info = made;
    return tinytc_status_success;
}

static const struct {
    const char *name;
    tinytc_intel_gpu_architecture_t arch;
    int32_t register_space;
    int32_t sizes[3];
    size_t count;
} gpus[] = {
    {"tgl", tinytc_intel_gpu_architecture_tgl, 4096, {8, 16, 32}, 3},
    {"pvc", tinytc_intel_gpu_architecture_pvc, 8192, {16, 32}, 2},
    {"bmg", tinytc_intel_gpu_architecture_bmg, 8192, {16, 32}, 2},
};

static tinytc_status_t create_gpu(tinytc_core_info_t *info, size_t i)
{
    if (i == TSR_ARRAY_LEN(gpus))
        return tinytc_status_unsupported_device;
    return tinytc_core_info_generic_create(info, gpus[i].register_space, GPU_GROUP, gpus[i].count, gpus[i].sizes);
}

tinytc_status_t tinytc_core_info_intel_create_from_arch(tinytc_core_info_t *info, tinytc_intel_gpu_architecture_t arch)
{
    size_t i = 0;
    while (i < TSR_ARRAY_LEN(gpus) && gpus[i].arch != arch)
        i++;
    return create_gpu(info, i);
}

tinytc_status_t tinytc_core_info_intel_create_from_name(tinytc_core_info_t *info, char const *name)
{
    size_t i = 0;
    if (!name)
        return tinytc_status_invalid_arguments;
    while (i < TSR_ARRAY_LEN(gpus) && strcmp(gpus[i].name, name) != 0)
        i++;
    return create_gpu(info, i);
}

tinytc_status_t tinytc_core_info_retain(tinytc_core_info_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    atomic_fetch_add(&object->references, 1);
    return tinytc_status_success;
}

tinytc_status_t tinytc_core_info_release(tinytc_core_info_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    if (atomic_fetch_sub(&object->references, 1) == 1)
        free(object);
    return tinytc_status_success;
}

tinytc_status_t tinytc_core_info_get_subgroup_sizes(const_tinytc_core_info_t info, size_t *sgs_size, int32_t const **sgs)
{
    if (!info || !sgs_size || !sgs)
        return tinytc_status_invalid_arguments;
    *sgs_size = info->count;
    *sgs = info->sub_group_sizes;
    return tinytc_status_success;
}

#define CORE_INFO_GET(noun, type, field)                                                                                                   \
    tinytc_status_t tinytc_core_info_get_##noun(const_tinytc_core_info_t info, type *result)                                               \
    {                                                                                                                                      \
        if (!info || !result)                                                                                                              \
            return tinytc_status_invalid_arguments;                                                                                        \
        *result = info->field;                                                                                                             \
        return tinytc_status_success;                                                                                                      \
    }
CORE_INFO_GET(register_space, int32_t, register_space)
CORE_INFO_GET(core_features, tinytc_core_feature_flags_t, features)
CORE_INFO_GET(default_alignment, int32_t, alignment)

tinytc_status_t tinytc_core_info_set_core_features(tinytc_core_info_t info, tinytc_core_feature_flags_t flags)
{
    if (!info || flags & ~(tinytc_core_feature_flags_t)tinytc_core_feature_flag_large_register_file)
        return tinytc_status_invalid_arguments;
    info->features = flags;
    return tinytc_status_success;
}

tinytc_status_t tinytc_core_info_set_default_alignment(tinytc_core_info_t info, int32_t alignment)
{
    if (!info || alignment < 1 || alignment & (alignment - 1))
        return tinytc_status_invalid_arguments;
    info->alignment = alignment;
    return tinytc_status_success;
}
