/* SPDX-License-Identifier: Apache-2.0
 * The words that tell the compiler which extensions and features a device has, made from tessera/ext.def. */
#include "tessera/clc.h"

#include <string.h>

/* clang's own names go through -cl-ext, so that its type checks follow; a -D serves where clang has never heard of the name. */
#define WORD_CLANG(name) " -cl-ext=+" #name
#define WORD_MACRO(name) " -D" #name "=1"
#define WORD_HOST(name)
#define WORD_QUIET(name) WORD_MACRO(name)

#define WORDS_3_0 " -D__OPENCL_VERSION__=300"
#define WORD_3_1 " -DCL_VERSION_3_1=310"
#define WORDS_3_1 " -D__OPENCL_VERSION__=310" WORD_3_1

bool tsr_clc_is_3_1(const struct tsr_ext_set *set)
{
    static const int required[] = {
        TSR_HAS_cl_khr_device_uuid,      TSR_HAS_cl_khr_extended_bit_ops,          TSR_HAS_cl_khr_integer_dot_product,
        TSR_HAS_cl_khr_spirv_queries,    TSR_HAS_cl_khr_subgroup_extended_types,   TSR_HAS_cl_khr_subgroup_rotate,
        TSR_HAS_cl_khr_subgroup_shuffle, TSR_HAS_cl_khr_subgroup_shuffle_relative, TSR_HAS_cl_khr_suggested_local_work_size,
        TSR_HAS___opencl_c_subgroups,
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(required); i++)
        if (!set->has[required[i]])
            return false;
    return true;
}

void tsr_clc_macros(const struct tsr_ext_set *set, char words[TSR_CLC_MACROS_BYTES])
{
    static const char *const of[] = {
#define TSR_EXT(name, major, minor, patch, by) "" WORD_##by(name),
#define TSR_FEATURE(name, by) "" WORD_##by(name),
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
    };
    char *end = stpcpy(words, "-cl-ext=-all");
    for (unsigned i = 0; i < TSR_EXT_COUNT; i++)
        if (set->has[i])
            end = stpcpy(end, of[i]);
    strcpy(end, tsr_clc_is_3_1(set) ? WORDS_3_1 : WORDS_3_0);
}

const char *tsr_clc_all_macros(void)
{
#define TSR_EXT(name, major, minor, patch, by) WORD_##by(name)
#define TSR_FEATURE(name, by) WORD_##by(name)
    return "-cl-ext=-all" WORDS_3_1
#include "tessera/ext.def"
        ;
#undef TSR_EXT
#undef TSR_FEATURE
}

/* All features that OpenCL C 2.0 has and 3.0 makes optional (OpenCL C specification, "Features"). */
static bool has_2_0(const char *words)
{
    static const char *const features[] = {
        "__opencl_c_atomic_order_acq_rel",
        "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_device",
        "__opencl_c_device_enqueue",
        "__opencl_c_generic_address_space",
        "__opencl_c_pipes",
        "__opencl_c_program_scope_global_variables",
        "__opencl_c_read_write_images",
        "__opencl_c_work_group_collective_functions",
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(features); i++)
        if (!strstr(words, features[i]))
            return false;
    return true;
}

bool tsr_clc_takes_version(const char *words, unsigned c_version)
{
    return c_version == 200 ? has_2_0(words) : c_version == 310 ? strstr(words, WORD_3_1) != NULL : true;
}

bool tsr_clc_offers_extension(const char *name)
{
    static const char *const names[] = {
#define TSR_EXT(name, major, minor, patch, by) #name,
#define TSR_FEATURE(name, by)
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}
