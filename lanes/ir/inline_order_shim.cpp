// SPDX-License-Identifier: Apache-2.0
// The gap: LLVM's C API appends functions to a module, and moves none.
#include "lanes/ir/inline_order_shim.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

void tsr__move_before(LLVMValueRef function, LLVMValueRef other)
{
    auto *f = llvm::cast<llvm::Function>(llvm::unwrap(function)), *next = llvm::cast<llvm::Function>(llvm::unwrap(other));
    auto &functions = f->getParent()->getFunctionList();
    functions.splice(next->getIterator(), functions, f->getIterator());
}
