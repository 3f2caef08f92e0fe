/* SPDX-License-Identifier: Apache-2.0
 * The build options of OpenCL programs, parsed strictly and once for host and compiler process. */
#ifndef TESSERA_CLC_COMMON_OPTIONS_H
#define TESSERA_CLC_COMMON_OPTIONS_H

#include "tessera/clc.h"

enum tsr_clc_option {
#define TSR_OPTION(name, word, takers, clang) TSR_CLC_OPTION_##name,
#include "clc/common/options.def"
#undef TSR_OPTION
    TSR_CLC_OPTION_COUNT
};

struct tsr_clc_options {
    uint64_t set;         /* bit per enum tsr_clc_option */
    unsigned c_version;   /* 100, 110, 120, 200, 300, 310; without -cl-std the highest 1.x; not for C++ */
    const char *cxx_name; /* of C++ for OpenCL the version as -cl-std has it, which is static text; NULL: the source is OpenCL C */
    uint32_t word_count;
    char **words; /* "-DNAME=VALUE", "-Ifolder" and "-Wname", unquoted, in the order given */
};

static inline bool tsr_clc_option_set(const struct tsr_clc_options *options, enum tsr_clc_option option)
{
    return options->set >> option & 1;
}

/* Parses what the application gave (`text` may be NULL). For SPIR-V, "these options are ignored" of the preprocessor, of the version of
 * OpenCL C and of warnings, whatever their values. INVALID: *why is malloc'd text that names the offending word. NO_MEMORY: *why is
 * NULL. Any thread. OpenCL API specification, "Compiler Options". */
enum tsr_status tsr_clc_options_parse(enum tsr_clc_op op, enum tsr_clc_language language, const char *text, struct tsr_clc_options *options,
                                      char **why);
void tsr_clc_options_free(struct tsr_clc_options *options);
/* clang's words for an option, with spaces between them, NULL if it has none. */
const char *tsr_clc_option_clang(enum tsr_clc_option option);

struct tsr_clc_words {
    char **at;
    uint32_t count;
    char *text; /* where they lie */
};
/* Splits text at white space. Single and double quotes group; a backslash before a quote, a backslash or a space takes it literally.
 * OK, INVALID (a quote without its end), NO_MEMORY. */
enum tsr_status tsr_clc_words_split(const char *text, struct tsr_clc_words *words);
void tsr_clc_words_free(struct tsr_clc_words *words);

#endif
