// SPDX-License-Identifier: Apache-2.0
// Links what is needed of a library, read lazily. Fills the gap that LLVMLinkModules2 has no flags.
#include "clc/service/link_shim.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

using namespace llvm;

bool tsr_link_needed(LLVMModuleRef module, const void *bitcode, size_t size)
{
    Module &into = *unwrap(module);
    MemoryBufferRef bytes(StringRef(static_cast<const char *>(bitcode), size), "built-in library");
    Expected<std::unique_ptr<Module>> library = getLazyBitcodeModule(bytes, into.getContext(), /*ShouldLazyLoadMetadata=*/true);
    if (!library) {
        std::string why = toString(library.takeError());
        into.getContext().diagnose(DiagnosticInfoGeneric("built-in library: " + why));
        return false;
    }
    return !Linker::linkModules(into, std::move(*library), Linker::Flags::LinkOnlyNeeded);
}
