// SPDX-License-Identifier: Apache-2.0
// Sets the option --spirv-ext of LLVM. Fills the gap that the target machine has no parameter for it, and that the parser of command lines,
// which lld calls as well, would change every other option.
#include "clc/service/il_shim.h"

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
