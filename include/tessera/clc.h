/* SPDX-License-Identifier: Apache-2.0
 * The compiler as the driver sees it: a request goes to a compiler process (tessera-cc), an image or a log comes back. */
#ifndef TESSERA_CLC_H
#define TESSERA_CLC_H

#include "tessera/spirv.h"
#include "tessera/target.h"

enum tsr_clc_op {
    TSR_CLC_BUILD,   /* source → executable */
    TSR_CLC_COMPILE, /* source → object */
    TSR_CLC_LINK,    /* objects and libraries → executable, or library with -create-library */
    TSR_CLC_CODE,    /* TSR_IMAGE_PROGRAM → executable with one of its kernels, or with all */
};

/* OPENCL_C: or the tensor language, which the compiler recognises by its first tokens. */
enum tsr_clc_language { TSR_CLC_OPENCL_C, TSR_CLC_SPIRV };

struct tsr_clc_text {
    const char *name; /* header name as the source includes it; NULL for the source */
    const char *data;
    size_t size;
};

struct tsr_clc_input {
    const void *data; /* image */
    size_t size;
};

struct tsr_clc_request {
    enum tsr_clc_op op;
    enum tsr_clc_language language; /* of the source */
    struct tsr_clc_text source;
    uint32_t header_count;
    const struct tsr_clc_text *headers;
    uint32_t spec_count; /* SPIR-V: specialisation constants that do not have their default value, in the order of ids, each once */
    const struct tsr_spirv_constant *spec_constants;
    uint32_t input_count; /* LINK; CODE: 1 */
    const struct tsr_clc_input *inputs;
    const char *kernel;     /* CODE: name, NULL for all kernels; with kernel_count, those that follow it in the order of names, too */
    uint32_t kernel_count;  /* CODE: how many of them; 0 counts as 1 */
    enum tsr_bodies bodies; /* CODE of kernels; by_kernel: of a program with one kernel */
    bool by_kernel;         /* BUILD, LINK: the answer may be a TSR_IMAGE_PROGRAM, to save work for kernels that are never created */
    bool without_code;      /* BUILD, LINK: the answer is a TSR_IMAGE_PROGRAM in any case */
    const char *options;    /* as the application gave them; NULL is "" */
    struct tsr_target target;
};

enum tsr_clc_outcome {
    TSR_CLC_DONE,
    TSR_CLC_FAILED,          /* the log says why: errors in the source, or the compiler process ran too long */
    TSR_CLC_INVALID_OPTIONS, /* the log names the option */
    TSR_CLC_UNAVAILABLE,     /* no compiler: file missing, cannot spawn; the log says which */
    TSR_CLC_NO_MEMORY,       /* of the compiler, then the log says so; or of this process, then there is no log */
    TSR_CLC_DIED,            /* the compiler process crashed; the log says how, and of which kernel. No compiler answers this. */
};

struct tsr_clc_result {
    enum tsr_clc_outcome outcome;
    char *log;            /* text with a final zero; NULL only with NO_MEMORY */
    unsigned char *image; /* DONE only */
    size_t image_size;
};

/* Runs a request to its end, through the disk cache. Blocks; any thread; several at once run in several compiler processes. */
void tsr_clc_run(const struct tsr_clc_request *request, struct tsr_clc_result *result);
void tsr_clc_result_free(struct tsr_clc_result *result);
/* The disk cache for results that a device's own compiler makes of an image (icd/finish.c). `key`: bytes that differ for different results.
 * find: false if there is no such entry; *result is then unchanged. keep: for results that are DONE; does nothing if there is no cache. */
bool tsr_clc_find(const void *key, size_t size, struct tsr_clc_result *result);
void tsr_clc_keep(const void *key, size_t size, const struct tsr_clc_result *result);
/* Whether no process is to be started: the compiler is loaded as a library, which reads the environment of the process. (environment.c) */
bool tsr_clc_is_library(void);
/* Starts one compiler process in the background, so that the first build need not wait for it. Returns at once, never fails. */
void tsr_clc_warm_up(void);
/* Lets the compiler processes go that have nothing to do. A later build starts new ones. */
void tsr_clc_unload(void);
/* Room for the words of every line of tessera/ext.def. */
enum {
    TSR_CLC_MACROS_BYTES = sizeof "-cl-ext=-all -D__OPENCL_VERSION__=310 -DCL_VERSION_3_1=310"
#define TSR_EXT(name, major, minor, patch, by) +sizeof(" -cl-ext=+" #name)
#define TSR_FEATURE(name, by) +sizeof(" -cl-ext=+" #name)
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
};
/* The words for tsr_target.macros, for these extensions and OpenCL C features, and the version of OpenCL. The two that follow are for all
 * of tessera/ext.def: static text, and whether it is an extension there. (clc/common/macros.c) */
void tsr_clc_macros(const struct tsr_ext_set *set, char words[TSR_CLC_MACROS_BYTES]);
const char *tsr_clc_all_macros(void);
bool tsr_clc_offers_extension(const char *name);
/* Whether a device with these extensions and features is one of OpenCL 3.1 (OpenCL API specification, "Required Extensions"). */
bool tsr_clc_is_3_1(const struct tsr_ext_set *set);
/* Versions of OpenCL C in the order of -cl-std, as 120: 0-based; 0 past the end. (clc/common/options.c) */
unsigned tsr_clc_c_version(uint32_t index);
/* Whether a device with these words compiles this version: 2.0 has features that 3.0 makes optional. */
bool tsr_clc_takes_version(const char *words, unsigned c_version);
/* TESSERA_EXPLAIN: whether builds report what became of each kernel. (clc/common/options.c) */
enum tsr_clc_explain { TSR_CLC_EXPLAIN_NOT, TSR_CLC_EXPLAIN_TEXT, TSR_CLC_EXPLAIN_JSON };
enum tsr_clc_explain tsr_clc_explain(void);
/* Parses options without compiling. NULL if they are fine, else malloc'd text that names the offending one. (clc/common/options.c) */
char *tsr_clc_check_options(enum tsr_clc_op op, enum tsr_clc_language language, const char *options);

#endif
