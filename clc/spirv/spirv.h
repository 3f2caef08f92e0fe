/* SPDX-License-Identifier: Apache-2.0
 * The SPIR-V reader: a binary module in, an LLVM module out, in the form that clang gives an OpenCL C source (SPIR-V 1.6 specification and
 * the OpenCL SPIR-V environment specification). */
#ifndef TESSERA_CLC_SPIRV_H
#define TESSERA_CLC_SPIRV_H

#include "tessera/base.h"
#include "tessera/spirv.h"

#include <llvm-c/Core.h>

struct tsr_spirv_input {
    const void *data;                           /* a module, of either byte order, at any alignment */
    size_t size;                                /* bytes */
    const struct tsr_spirv_constant *constants; /* values for specialisation constants; what the module lacks is ignored */
    uint32_t constant_count;
    bool images, pipes; /* the device has them */
    bool lines;         /* the module gets debug locations, where this one has lines */
};

/* As clang has them for spir64. */
extern const char tsr_spirv_triple[], tsr_spirv_data_layout[];

/* The module, for spir64; all calls of built-in functions go by the names that they have in OpenCL C. NULL: the log says why, with the
 * offset of the word that is at fault. Memory that ends leaves through tsr_arena_on_failure. One context at a time for each thread. */
LLVMModuleRef tsr_spirv_read(const struct tsr_spirv_input *input, LLVMContextRef context, struct tsr_buf *log);

#endif
