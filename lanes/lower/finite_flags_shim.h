/* SPDX-License-Identifier: Apache-2.0
 * Clears the flags by which an instruction has finite operands and results. */
#ifndef TESSERA_LANES_LOWER_FINITE_FLAGS_SHIM_H
#define TESSERA_LANES_LOWER_FINITE_FLAGS_SHIM_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of an instruction that may have fast-math flags: `nnan` and `ninf` are gone. */
void tsr__clear_finite_flags(LLVMValueRef inst);

#ifdef __cplusplus
}
#endif

#endif
