/* SPDX-License-Identifier: Apache-2.0
 * The order of a module's functions. */
#ifndef TESSERA_LANES_IR_INLINE_ORDER_SHIM_H
#define TESSERA_LANES_IR_INLINE_ORDER_SHIM_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Moves the function to the place before `other`, of the same module. */
void tsr__move_before(LLVMValueRef function, LLVMValueRef other);

#ifdef __cplusplus
}
#endif

#endif
