/* SPDX-License-Identifier: Apache-2.0
 * OpenCL C to LLVM IR. The gap: clang has no C API that ends in an LLVM module. */
#ifndef TESSERA_CLC_SERVICE_CLANG_SHIM_H
#define TESSERA_CLC_SERVICE_CLANG_SHIM_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "clc/common/wire.h"

struct tsr_clang_input {
    const char *const *words; /* of clang -cc1 */
    uint32_t word_count;
    struct tsr_clc_text source; /* named input.cl in diagnostics */
    uint32_t header_count;      /* headers by name, which win over the disk's */
    const struct tsr_clc_text *headers;
    /* Whether the name of a function is declared by words that are not given: then a call without a declaration is an error. */
    bool (*declared_elsewhere)(const char *name);
};

/* Files and folders of the disk that were looked up. The names live as long as the list, which tsr_clang_files_free ends. */
struct tsr_clang_files {
    struct tsr_wire_file *at;
    uint32_t count;
    bool volatile_; /* another run may give something else: the source asked for the time or the date, or a file could not be read */
};

/* Makes a spir64 module in `context`. NULL: errors in the source, told in `log`; the log gets warnings as well. */
LLVMModuleRef tsr_clang_compile(const struct tsr_clang_input *input, LLVMContextRef context, struct tsr_clang_files *files,
                                struct tsr_buf *log);
void tsr_clang_files_free(struct tsr_clang_files *files);
/* Names for messages: "foo(int, float)" for "_Z3fooif"; a copy of the name if it is no such name. Release with free. */
char *tsr_clang_demangle(const char *name);

#ifdef __cplusplus
}
#endif

#endif
