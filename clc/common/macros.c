/* SPDX-License-Identifier: Apache-2.0
 * The words that tell the compiler which extensions and features a device has, made from tessera/ext.def. */
#include "tessera/clc.h"

#include <string.h>

/* clang's own names go through -cl-ext, so that its type checks follow; a -D serves where clang has never heard of the name. */
#define WORD_CLANG(name) " -cl-ext=+" #name
#define WORD_MACRO(name) " -D" #name "=1"
#define WORD_HOST(name)
#define WORD_QUIET(name) WORD_MACRO(name)

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
}

const char *tsr_clc_all_macros(void)
{
#define TSR_EXT(name, major, minor, patch, by) WORD_##by(name)
#define TSR_FEATURE(name, by) WORD_##by(name)
    return "-cl-ext=-all"
#include "tessera/ext.def"
        ;
#undef TSR_EXT
#undef TSR_FEATURE
}

bool tsr_clc_has_2_0(const char *words)
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
