// SPDX-License-Identifier: Apache-2.0
// The gap: LLVM's C API has no analysis of known bits.
#include "lanes/ir/known_bits_shim.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DomConditionCache.h>
#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

bool tsr__bits_are_zero(LLVMValueRef integer, uint64_t bits, LLVMValueRef instruction)
{
    auto *at = llvm::cast<llvm::Instruction>(llvm::unwrap(instruction));
    llvm::Function *function = at->getFunction();
    llvm::DominatorTree tree(*function);
    llvm::AssumptionCache assumptions(*function);
    llvm::DomConditionCache conditions;
    for (llvm::BasicBlock &block : *function)
        if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator()); branch && branch->isConditional())
            conditions.registerBranch(branch);
    const llvm::SimplifyQuery query(function->getDataLayout(), nullptr, &tree, &assumptions, at, true, true, &conditions);
    const llvm::KnownBits known = llvm::computeKnownBits(llvm::unwrap(integer), query);
    return (known.Zero.getZExtValue() & bits) == bits;
}
