// SPDX-License-Identifier: Apache-2.0
// Calls lld's ELF linker on memory in place of files, and keeps the targets out that it names but we do not use. Fills the gap that lld has
// no C API and takes paths only.
#include "clc/service/lld_shim.h"

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Support/FileOutputBuffer.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <new>
#include <string>

LLD_HAS_DRIVER(elf)

// lld initialises every target of LLVM's build for link-time optimisation, which we never ask for. These definitions come before the
// archives, so that the targets' code stays out. X86 and SPIRV are renamed: their own definitions are wanted.
#define LLVMInitializeX86Target tsr_unused_target
#define LLVMInitializeX86TargetInfo tsr_unused_target_info
#define LLVMInitializeX86TargetMC tsr_unused_target_mc
#define LLVMInitializeX86AsmPrinter tsr_unused_asm_printer
#define LLVMInitializeX86AsmParser tsr_unused_asm_parser
#define LLVMInitializeX86Disassembler tsr_unused_disassembler
#define LLVMInitializeSPIRVTarget tsr_unused_il_target
#define LLVMInitializeSPIRVTargetInfo tsr_unused_il_target_info
#define LLVMInitializeSPIRVTargetMC tsr_unused_il_target_mc
#define LLVMInitializeSPIRVAsmPrinter tsr_unused_il_asm_printer
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

namespace
{

// What a link reads and writes, while it runs in this thread.
struct LinkFiles {
    llvm::ArrayRef<tsr_lld_input> inputs;
    tsr_buf *out;
};
thread_local const LinkFiles *files;

class OutputInMemory final : public llvm::FileOutputBuffer
{
    std::unique_ptr<uint8_t[]> bytes;
    size_t size;

  public:
    OutputInMemory(llvm::StringRef path, size_t n) : FileOutputBuffer(path), bytes(new uint8_t[n]()), size(n) {}
    uint8_t *getBufferStart() const override { return bytes.get(); }
    uint8_t *getBufferEnd() const override { return bytes.get() + size; }
    size_t getBufferSize() const override { return size; }
    llvm::Error commit() override
    {
        tsr_buf_bytes(files->out, bytes.get(), size);
        return llvm::Error::success();
    }
};

} // namespace

// In place of LLVM's own, which writes a file: lld alone calls it.
llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>> llvm::FileOutputBuffer::create(StringRef path, size_t size, unsigned)
{
    if (!files)
        return createStringError("no link is running");
    return std::make_unique<OutputInMemory>(path, size);
}

// The linker's --wrap leads lld's calls of MemoryBuffer::getFile here (CMakeLists.txt), and __real_ to LLVM's own.
#define GET_FILE "_ZN4llvm12MemoryBuffer7getFileERKNS_5TwineEbbbSt8optionalINS_5AlignEE"
using FileOrError = llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>;
FileOrError tsr_real_get_file(const llvm::Twine &, bool, bool, bool, std::optional<llvm::Align>) __asm__("__real_" GET_FILE);
FileOrError tsr_get_file(const llvm::Twine &, bool, bool, bool, std::optional<llvm::Align>) __asm__("__wrap_" GET_FILE);

FileOrError tsr_get_file(const llvm::Twine &path, bool text, bool zero, bool is_volatile, std::optional<llvm::Align> align)
{
    if (!files)
        return tsr_real_get_file(path, text, zero, is_volatile, align);
    std::string name = path.str();
    for (const tsr_lld_input &input : files->inputs)
        if (name == input.name)
            return llvm::MemoryBuffer::getMemBuffer({static_cast<const char *>(input.data), input.size}, name, false);
    return std::make_error_code(std::errc::no_such_file_or_directory);
}

bool tsr_lld_link(const char *const *words, uint32_t count, const struct tsr_lld_input *inputs, uint32_t input_count, struct tsr_buf *out,
                  struct tsr_buf *log)
{
    std::string said;
    llvm::raw_string_ostream stream(said);
    LinkFiles of_this_link = {llvm::ArrayRef<tsr_lld_input>(inputs, input_count), out};
    files = &of_this_link;
    bool done = lld::elf::link(llvm::ArrayRef<const char *>(words, count), stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
    files = nullptr;
    lld::CommonLinkerContext::destroy();
    tsr_buf_bytes(log, said.data(), said.size());
    return done;
}

void tsr_lld_abandon(void)
{
    files = nullptr;
}
