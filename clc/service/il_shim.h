/* SPDX-License-Identifier: Apache-2.0
 * What LLVM's C API lacks for SPIR-V: the extensions that its writer may use, and functions with one more parameter. */
#ifndef TESSERA_CLC_SERVICE_IL_SHIM_H
#define TESSERA_CLC_SERVICE_IL_SHIM_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "+name,+name": for the target machines that are made until the next call. One thread at a time. */
void tsr_il_allow(const char *extensions);

/* The function that takes the place of this one, which nothing calls: the same with a parameter of the type behind the others. */
LLVMValueRef tsr_il_add_parameter(LLVMValueRef function, LLVMTypeRef type);

#ifdef __cplusplus
}
#endif

#endif
