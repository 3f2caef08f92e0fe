// SPDX-License-Identifier: Apache-2.0
// Sets options of LLVM's command line. The gap: LLVM's C API can only parse a command line, once, and ends the process on an error.
#include "codegen_shim.h"

#include <llvm/Support/CommandLine.h>

using namespace llvm;

void tsr__machine_licm(bool on)
{
    auto &options = cl::getRegisteredOptions();
    for (const char *name : {"disable-machine-licm", "disable-postra-machine-licm"}) {
        auto found = options.find(name);
        if (found != options.end())
            static_cast<cl::opt<bool> *>(found->second)->setValue(!on);
    }
}
