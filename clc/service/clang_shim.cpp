// SPDX-License-Identifier: Apache-2.0
// Runs clang in memory: source and injected headers from the request, other headers from the disk. Fills the gap that clang has no C API
// that ends in an LLVM module, and none for a virtual file system.
#include "clc/service/clang_shim.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/FileManager.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace
{

const char virtual_dir[] = "/.tessera"; // where source and injected headers are; shadows the disk
const size_t largest_file = 256u << 20;
const size_t largest_log = 4u << 20;

// Appends to a tsr_buf, up to a limit: a macro bomb must not fill the memory with diagnostics.
class LogStream : public raw_ostream
{
  public:
    explicit LogStream(struct tsr_buf *buf) : raw_ostream(/*unbuffered=*/true), log(buf) {}

  private:
    struct tsr_buf *log;
    uint64_t position = 0;
    void write_impl(const char *data, size_t size) override
    {
        if (position < largest_log && position + size >= largest_log)
            tsr_buf_printf(log, "\n… (the rest of the log is left out)\n");
        position += size;
        if (position < largest_log)
            tsr_buf_bytes(log, data, size);
    }
    uint64_t current_pos() const override { return position; }
};

// Everything that was looked up on the disk, by absolute path, with what was found. clang asks for a file and for its folder before it goes
// on to the next place, so this decides which file an #include means, and what __has_include answers.
class Lookups
{
  public:
    // Looks, and notes what was found. Anything but READ.
    enum tsr_wire_found look(const std::string &name, struct stat &st)
    {
        enum tsr_wire_found found = tsr_wire_look(name.c_str(), &st);
        unstable |= found == TSR_WIRE_UNKNOWN;
        note(name, {found, st.st_dev, st.st_ino, {}});
        return found;
    }
    void read(const std::string &name, const struct stat &st, struct tsr_hash hash)
    {
        note(name, {TSR_WIRE_READ, st.st_dev, st.st_ino, hash});
    }
    // There, but it could not be read: that may change without a trace.
    void unreadable() { unstable = true; }

    void take(struct tsr_clang_files *files) const
    {
        std::map<std::pair<dev_t, ino_t>, uint32_t> first;
        files->at = static_cast<struct tsr_wire_file *>(tsr_calloc(all.size() + 1, sizeof *files->at));
        for (const auto &[name, what] : all) {
            char *path = files->at ? tsr_strdup(name.c_str()) : nullptr;
            if (!path)
                break;
            uint32_t index = files->count++;
            uint32_t same_as = what.inode ? first.try_emplace({what.device, what.inode}, index).first->second : index;
            files->at[index] = {path, what.found, same_as, what.hash};
        }
        files->volatile_ |= unstable || files->count < all.size();
    }

  private:
    struct Found {
        enum tsr_wire_found found;
        dev_t device;
        ino_t inode;
        struct tsr_hash hash;
    };
    std::map<std::string, Found> all;
    bool unstable = false;

    void note(const std::string &name, const Found &now)
    {
        auto [entry, added] = all.try_emplace(name, now);
        Found &before = entry->second;
        if (added)
            return;
        auto is_file = [](const Found &f) { return f.found == TSR_WIRE_PRESENT || f.found == TSR_WIRE_READ; };
        bool same = before.found == now.found || (is_file(before) && is_file(now));
        unstable |= !same || before.device != now.device || before.inode != now.inode; // somebody changes it right now
        if (now.found == TSR_WIRE_READ) {
            unstable |= before.found == TSR_WIRE_READ && memcmp(&before.hash, &now.hash, sizeof now.hash);
            before = now;
        }
    }
};

class DiskFile : public vfs::File
{
  public:
    DiskFile(vfs::Status file_status, std::unique_ptr<MemoryBuffer> bytes) : state(std::move(file_status)), content(std::move(bytes)) {}
    ErrorOr<vfs::Status> status() override { return state; }
    ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &, int64_t, bool, bool) override { return std::move(content); }
    std::error_code close() override { return {}; }

  private:
    vfs::Status state;
    std::unique_ptr<MemoryBuffer> content;
};

std::error_code last_error()
{
    return std::error_code(errno, std::generic_category());
}

// Virtual folder first, then regular files of the disk, noted among the lookups. Devices, FIFOs and the like are not there: opening one
// could wait for ever or never end.
class SourceFileSystem : public vfs::FileSystem
{
  public:
    SourceFileSystem(IntrusiveRefCntPtr<vfs::InMemoryFileSystem> virtual_files, bool with_absolute_names, Lookups &disk_lookups)
        : memory(std::move(virtual_files)), has_absolute_names(with_absolute_names), lookups(disk_lookups)
    {
    }

    ErrorOr<vfs::Status> status(const Twine &path) override
    {
        std::string name = absolute(path);
        if (is_virtual(name))
            return memory->status(name);
        struct stat st;
        enum tsr_wire_found found = lookups.look(name, st);
        if (found == TSR_WIRE_ABSENT)
            return std::make_error_code(std::errc::no_such_file_or_directory); // clang goes on to the next folder
        if (found != TSR_WIRE_FOLDER && found != TSR_WIRE_PRESENT)
            return std::make_error_code(std::errc::permission_denied);
        return convert(path.str(), st);
    }

    ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const Twine &path) override
    {
        std::string name = absolute(path);
        if (is_virtual(name))
            return memory->openFileForRead(name);
        // What is no file is not opened: the other end of a FIFO would notice.
        auto there = status(path);
        if (!there)
            return there.getError();
        if (there->isDirectory())
            return std::make_error_code(std::errc::is_a_directory);
        int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0) {
            std::error_code error = last_error();
            lookups.unreadable();
            return error;
        }
        auto file = read_regular(fd, path.str(), name);
        ::close(fd);
        if (!file)
            lookups.unreadable();
        return file;
    }

    vfs::directory_iterator dir_begin(const Twine &, std::error_code &error) override
    {
        error = std::make_error_code(std::errc::function_not_supported);
        return {};
    }
    std::error_code setCurrentWorkingDirectory(const Twine &) override { return {}; }
    ErrorOr<std::string> getCurrentWorkingDirectory() const override { return std::string(virtual_dir); }

  private:
    IntrusiveRefCntPtr<vfs::InMemoryFileSystem> memory;
    bool has_absolute_names; // headers of the request that are not in the virtual folder
    Lookups &lookups;

    static std::string absolute(const Twine &path)
    {
        SmallString<256> name;
        path.toVector(name);
        if (!sys::path::is_absolute(name)) {
            SmallString<256> joined(virtual_dir);
            sys::path::append(joined, name);
            name = joined;
        }
        return std::string(name);
    }
    bool is_virtual(const std::string &name) const
    {
        const size_t n = sizeof virtual_dir - 1;
        return (!name.compare(0, n, virtual_dir) && (name.size() == n || name[n] == '/')) || (has_absolute_names && memory->exists(name));
    }
    static vfs::Status convert(const std::string &name, const struct stat &st)
    {
        auto type = S_ISDIR(st.st_mode) ? sys::fs::file_type::directory_file : sys::fs::file_type::regular_file;
        return vfs::Status(name, sys::fs::UniqueID(st.st_dev, st.st_ino), sys::toTimePoint(st.st_mtime), st.st_uid, st.st_gid,
                           (uint64_t)st.st_size, type, static_cast<sys::fs::perms>(st.st_mode & 07777));
    }
    ErrorOr<std::unique_ptr<vfs::File>> read_regular(int fd, const std::string &shown, const std::string &name)
    {
        struct stat st;
        if (fstat(fd, &st))
            return last_error();
        if (!S_ISREG(st.st_mode))
            return std::make_error_code(std::errc::permission_denied);
        if ((size_t)st.st_size > largest_file)
            return std::make_error_code(std::errc::file_too_large);
        auto buffer = WritableMemoryBuffer::getNewUninitMemBuffer((size_t)st.st_size, name);
        if (!buffer)
            return std::make_error_code(std::errc::not_enough_memory);
        size_t have = 0;
        while (have < (size_t)st.st_size) {
            ssize_t got = ::read(fd, buffer->getBufferStart() + have, (size_t)st.st_size - have);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return got ? last_error() : std::make_error_code(std::errc::io_error);
            have += (size_t)got;
        }
        lookups.read(name, st, tsr_hash_bytes(buffer->getBufferStart(), have));
        return std::make_unique<DiskFile>(convert(shown, st), std::move(buffer));
    }
};

// Notes uses of __DATE__, __TIME__ and __TIMESTAMP__.
class ClockWatch : public clang::PPCallbacks
{
  public:
    explicit ClockWatch(bool &flag) : seen(flag) {}
    void MacroExpands(const clang::Token &token, const clang::MacroDefinition &, clang::SourceRange, const clang::MacroArgs *) override
    {
        StringRef name = token.getIdentifierInfo() ? token.getIdentifierInfo()->getName() : StringRef();
        if (name == "__DATE__" || name == "__TIME__" || name == "__TIMESTAMP__")
            seen = true;
    }

  private:
    bool &seen;
};

// Lets #pragma OPENCL EXTENSION name the device's extensions: clang warns of those that it does not know, that need no pragma, or that
// came later than the version of OpenCL C.
class OfferedExtensions : public clang::PPCallbacks
{
  public:
    explicit OfferedExtensions(clang::DiagnosticsEngine &engine) : diagnostics(engine) {}
    void PragmaOpenCLExtension(clang::SourceLocation at, const clang::IdentifierInfo *name, clang::SourceLocation end, unsigned) override
    {
        if (!tsr_clc_offers_extension(name->getName().str().c_str()))
            return;
        diagnostics.pushMappings(at);
        diagnostics.setSeverity(clang::diag::warn_pragma_unknown_extension, clang::diag::Severity::Ignored, at);
        diagnostics.setSeverity(clang::diag::warn_pragma_unsupported_extension, clang::diag::Severity::Ignored, at);
        diagnostics.popMappings(end);
    }

  private:
    clang::DiagnosticsEngine &diagnostics;
};

// Adds what a user of OpenCL C cannot know of clang's words.
class Printer : public clang::TextDiagnosticPrinter
{
  public:
    Printer(raw_ostream &stream, clang::DiagnosticOptions &options) : TextDiagnosticPrinter(stream, options), out(stream) {}
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override
    {
        TextDiagnosticPrinter::HandleDiagnostic(level, info);
        if (info.getID() == clang::diag::err_gnu_inline_asm_disabled)
            out << no_assembly << "\n";
    }
    static constexpr const char no_assembly[] = "inline assembly is not part of OpenCL C";

  private:
    raw_ostream &out;
};

// Declares a function that is called without a declaration, as C did before 1999: clang does so for C, with a warning, and never for
// OpenCL.
class ImplicitFunctions : public clang::ExternalSemaSource
{
  public:
    explicit ImplicitFunctions(bool (*elsewhere)(const char *)) : declared_elsewhere(elsewhere) {}
    void InitializeSema(clang::Sema &given) override { sema = &given; }
    void ForgetSema() override { sema = nullptr; }

    bool LookupUnqualified(clang::LookupResult &result, clang::Scope *scope) override
    {
        const clang::IdentifierInfo *name = result.getLookupName().getAsIdentifierInfo();
        if (!sema || busy || !name || result.getLookupKind() != clang::Sema::LookupOrdinaryName || result.isForRedeclaration() || !scope ||
            !scope->getFnParent() || !is_called(result.getNameLoc()) || is_declared_elsewhere(*name, result.getNameLoc()))
            return false;
        if (name->getName() == "asm") {
            clang::DiagnosticsEngine &engine = sema->getDiagnostics();
            engine.Report(result.getNameLoc(), engine.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << Printer::no_assembly;
            return false;
        }
        busy = true;
        result.addDecl(declare(*name, result.getNameLoc()));
        result.resolveKind();
        busy = false;
        return true;
    }

  private:
    clang::Sema *sema = nullptr;
    bool (*declared_elsewhere)(const char *);
    bool busy = false;

    // A built-in function, which some lookups leave out, or one of tessera-opencl.h.
    bool is_declared_elsewhere(const clang::IdentifierInfo &name, clang::SourceLocation at) const
    {
        clang::LookupResult built_in(*sema, &name, at, clang::Sema::LookupOrdinaryName);
        built_in.suppressDiagnostics();
        return name.getName().starts_with("__builtin_") || sema->LookupBuiltin(built_in) ||
               declared_elsewhere(name.getName().str().c_str());
    }
    // A parenthesis follows, in the text or behind the macro that made the name.
    bool is_called(clang::SourceLocation at) const
    {
        const clang::SourceManager &sources = sema->getSourceManager();
        for (clang::SourceLocation place : {sources.getSpellingLoc(at), at}) {
            auto next = clang::Lexer::findNextToken(place, sources, sema->getLangOpts());
            if (next && next->is(clang::tok::l_paren))
                return true;
        }
        return false;
    }
    clang::FunctionDecl *declare(const clang::IdentifierInfo &name, clang::SourceLocation at) const
    {
        clang::ASTContext &context = sema->getASTContext();
        clang::FunctionType::ExtInfo info(context.getDefaultCallingConvention(false, false));
        clang::QualType type = context.getFunctionNoProtoType(context.IntTy, info);
        sema->Diag(at, clang::diag::ext_implicit_function_decl_c99) << &name;
        clang::Sema::ContextRAII outside(*sema, context.getTranslationUnitDecl());
        auto *function = clang::FunctionDecl::Create(context, context.getTranslationUnitDecl(), at, at, &name, type,
                                                     context.getTrivialTypeSourceInfo(type, at), clang::SC_None);
        function->setImplicit();
        sema->PushOnScopeChains(function, sema->TUScope, /*AddToContext=*/true);
        return function;
    }
};

class CompileAction : public clang::EmitLLVMOnlyAction
{
  public:
    CompileAction(LLVMContext *context, bool &clock_seen) : EmitLLVMOnlyAction(context), seen(clock_seen) {}

  protected:
    bool BeginSourceFileAction(clang::CompilerInstance &instance) override
    {
        instance.getPreprocessor().addPPCallbacks(std::make_unique<ClockWatch>(seen));
        instance.getPreprocessor().addPPCallbacks(std::make_unique<OfferedExtensions>(instance.getDiagnostics()));
        return EmitLLVMOnlyAction::BeginSourceFileAction(instance);
    }

  private:
    bool &seen;
};

std::unique_ptr<MemoryBuffer> view(const struct tsr_clc_text &text, StringRef name)
{
    return MemoryBuffer::getMemBufferCopy(StringRef(text.data ? text.data : "", text.size), name);
}

// clang says "of address space N" in the location of every variable of a SPIR target. Here there is one address space, and gdb reads no
// such location.
void drop_address_spaces(Module &module)
{
    for (Function &function : module)
        for (Instruction &instruction : instructions(function))
            for (DbgVariableRecord &variable : filterDbgVars(instruction.getDbgRecordRange())) {
                ArrayRef<uint64_t> words = variable.getExpression()->getElements();
                size_t n = words.size();
                if (n >= 4 && words[n - 4] == dwarf::DW_OP_constu && words[n - 2] == dwarf::DW_OP_swap &&
                    words[n - 1] == dwarf::DW_OP_xderef)
                    variable.setExpression(DIExpression::get(module.getContext(), words.drop_back(4)));
            }
}

} // namespace

LLVMModuleRef tsr_clang_compile(const struct tsr_clang_input *input, LLVMContextRef context, struct tsr_clang_files *files,
                                struct tsr_buf *log)
{
    *files = {};
    Lookups lookups;
    auto memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
    bool absolute_names = false;
    for (uint32_t i = 0; i < input->header_count; i++) {
        const char *name = input->headers[i].name;
        bool absolute = sys::path::is_absolute(name);
        absolute_names |= absolute;
        memory->addFile(absolute ? Twine(name) : Twine(virtual_dir) + "/" + name, 0, view(input->headers[i], name));
    }
    memory->addFile(Twine(virtual_dir) + "/.exists", 0, MemoryBuffer::getMemBuffer(""));
    auto file_system = makeIntrusiveRefCnt<SourceFileSystem>(memory, absolute_names, lookups);

    LogStream stream(log);
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    clang::DiagnosticOptions &options = invocation->getDiagnosticOpts();
    Printer printer(stream, options);
    auto early = clang::CompilerInstance::createDiagnostics(*file_system, options, &printer, /*ShouldOwnClient=*/false);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, ArrayRef<const char *>(input->words, input->word_count), *early))
        return nullptr;
    auto source = view(input->source, "input.cl");
    invocation->getFrontendOpts().Inputs = {clang::FrontendInputFile(source->getMemBufferRef(), clang::InputKind(clang::Language::OpenCL))};

    clang::CompilerInstance instance(invocation);
    instance.setVirtualFileSystem(file_system);
    instance.createDiagnostics(&printer, /*ShouldOwnClient=*/false);
    instance.setVerboseOutputStream(stream);
    if (!invocation->getLangOpts().OpenCLCPlusPlus) // which has no such functions, and templates whose names are found later
        instance.setExternalSemaSource(llvm::makeIntrusiveRefCnt<ImplicitFunctions>(input->declared_elsewhere));
    CompileAction action(unwrap(context), files->volatile_);
    bool done = instance.ExecuteAction(action);
    lookups.take(files);
    std::unique_ptr<Module> module = done ? action.takeModule() : nullptr;
    if (module && invocation->getCodeGenOpts().getDebugInfo() > codegenoptions::DebugLineTablesOnly)
        drop_address_spaces(*module);
    return wrap(module.release());
}

void tsr_clang_files_free(struct tsr_clang_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        tsr_free(const_cast<char *>(files->at[i].path));
    tsr_free(files->at);
    *files = {};
}

char *tsr_clang_demangle(const char *name)
{
    return strdup(demangle(name).c_str());
}
