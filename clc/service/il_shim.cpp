// SPDX-License-Identifier: Apache-2.0
// Sets the option --spirv-ext of LLVM, and makes functions of others. Fills the gaps that the target machine has no parameter for
// extensions, that the parser of command lines, which lld calls as well, would change every other option, and that LLVM's C API moves no
// body of a function with its metadata.
#include "clc/service/il_shim.h"

#include <llvm/IR/Function.h>
#include <llvm/Support/CommandLine.h>

void tsr_il_allow(const char *extensions)
{
    auto &options = llvm::cl::getRegisteredOptions();
    auto option = options.find("spirv-ext");
    if (option == options.end())
        return;
    option->second->reset();
    option->second->addOccurrence(0, "spirv-ext", extensions);
}

LLVMValueRef tsr_il_add_parameter(LLVMValueRef function, LLVMTypeRef type)
{
    auto *before = llvm::unwrap<llvm::Function>(function);
    std::vector<llvm::Type *> types(before->getFunctionType()->params());
    types.push_back(llvm::unwrap(type));
    auto *after = llvm::Function::Create(llvm::FunctionType::get(before->getReturnType(), types, false), before->getLinkage(), "",
                                         before->getParent());
    after->takeName(before);
    after->copyAttributesFrom(before);
    after->copyMetadata(before, 0);
    after->splice(after->begin(), before);
    for (auto &argument : before->args()) {
        auto *same = after->getArg(argument.getArgNo());
        same->takeName(&argument);
        argument.replaceAllUsesWith(same);
    }
    before->eraseFromParent();
    return llvm::wrap(after);
}
