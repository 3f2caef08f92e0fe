/* SPDX-License-Identifier: Apache-2.0
 * Linking of modules. The gap: LLVM's C API links whole modules only, and cannot take just what is needed. */
#ifndef TESSERA_CLC_SERVICE_LINK_SHIM_H
#define TESSERA_CLC_SERVICE_LINK_SHIM_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds those definitions of the bitcode to `module` that it, or what was added, refers to; reads the bodies of these alone.
 * False: told through the diagnostic handler of the context. */
bool tsr_link_needed(LLVMModuleRef module, const void *bitcode, size_t size);

#ifdef __cplusplus
}
#endif

#endif
