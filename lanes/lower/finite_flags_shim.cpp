// SPDX-License-Identifier: Apache-2.0
// Fast-math flags. The gap: LLVM's C API adds flags to those of an instruction, and takes none away.
#include "lanes/lower/finite_flags_shim.h"

#include <llvm/IR/Instruction.h>

void tsr__clear_finite_flags(LLVMValueRef inst)
{
    auto *instruction = llvm::cast<llvm::Instruction>(llvm::unwrap(inst));
    instruction->setHasNoNaNs(false);
    instruction->setHasNoInfs(false);
}
