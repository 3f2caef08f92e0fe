/* SPDX-License-Identifier: Apache-2.0
 * What LLVM knows of the bits of a number. */
#ifndef TESSERA_LANES_IR_KNOWN_BITS_SHIM_H
#define TESSERA_LANES_IR_KNOWN_BITS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Are these bits of the integer zero wherever the instruction is reached? */
bool tsr__bits_are_zero(LLVMValueRef integer, uint64_t bits, LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif

#endif
