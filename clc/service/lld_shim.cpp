// SPDX-License-Identifier: Apache-2.0
// Calls lld's ELF linker, and keeps the targets out that it names but we do not use. Fills the gap that lld has no C API.
#include "clc/service/lld_shim.h"

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

LLD_HAS_DRIVER(elf)

// lld initialises every target of LLVM's build for link-time optimisation, which we never ask for. These definitions come before the
// archives, so that the targets' code stays out. X86 is renamed: its own definitions are wanted.
#define LLVMInitializeX86Target tsr_unused_target
#define LLVMInitializeX86TargetInfo tsr_unused_target_info
#define LLVMInitializeX86TargetMC tsr_unused_target_mc
#define LLVMInitializeX86AsmPrinter tsr_unused_asm_printer
#define LLVMInitializeX86AsmParser tsr_unused_asm_parser
#define LLVMInitializeX86Disassembler tsr_unused_disassembler
extern "C" {
#define LLVM_TARGET(name)                                                                                                                  \
    void LLVMInitialize##name##Target() {}                                                                                                 \
    void LLVMInitialize##name##TargetInfo() {}                                                                                             \
    void LLVMInitialize##name##TargetMC() {}
#include <llvm/Config/Targets.def>
#define LLVM_ASM_PRINTER(name)                                                                                                             \
    void LLVMInitialize##name##AsmPrinter() {}
#include <llvm/Config/AsmPrinters.def>
#define LLVM_ASM_PARSER(name)                                                                                                              \
    void LLVMInitialize##name##AsmParser() {}
#include <llvm/Config/AsmParsers.def>
#define LLVM_DISASSEMBLER(name)                                                                                                            \
    void LLVMInitialize##name##Disassembler() {}
#include <llvm/Config/Disassemblers.def>
}

// Likewise Polly, which Debian's LLVM names as an extension of every pipeline.
llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}

bool tsr_lld_link(const char *const *words, uint32_t count, struct tsr_buf *log)
{
    std::string said;
    llvm::raw_string_ostream stream(said);
    bool done = lld::elf::link(llvm::ArrayRef<const char *>(words, count), stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
    lld::CommonLinkerContext::destroy();
    tsr_buf_bytes(log, said.data(), said.size());
    return done;
}
