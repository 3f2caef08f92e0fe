/* SPDX-License-Identifier: Apache-2.0
 * Joins modules: objects and libraries with each other, and the built-in library with the program. */
#include "clc/service/service.h"

#include "clc/service/clang_shim.h"
#include "clc/service/link_shim.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

static const char options_name[] = "tsr.options";

/* What LLVM says of an error goes into the log. */
static void put_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    tsr_buf_printf(data, "error: %s\n", text);
    LLVMDisposeMessage(text);
}

struct handler {
    LLVMContextRef context;
    LLVMDiagnosticHandler before;
    void *before_data;
};

static struct handler listen(LLVMContextRef context, struct tsr_buf *log)
{
    struct handler h = {context, LLVMContextGetDiagnosticHandler(context), LLVMContextGetDiagnosticContext(context)};
    LLVMContextSetDiagnosticHandler(context, put_diagnostic, log);
    return h;
}

static void unlisten(struct handler h)
{
    LLVMContextSetDiagnosticHandler(h.context, h.before, h.before_data);
}

LLVMModuleRef tsr__link_parse(const void *bitcode, size_t size, LLVMContextRef context, struct tsr_buf *log)
{
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "object");
    LLVMModuleRef module = NULL;
    struct handler h = listen(context, log);
    LLVMBool failed = LLVMParseBitcodeInContext2(context, bytes, &module);
    unlisten(h);
    LLVMDisposeMemoryBuffer(bytes);
    return failed ? NULL : module;
}

bool tsr__link_add(LLVMModuleRef module, LLVMModuleRef source, struct tsr_buf *log)
{
    struct handler h = listen(LLVMGetModuleContext(module), log);
    LLVMBool failed = LLVMLinkModules2(module, source);
    unlisten(h);
    return !failed;
}

void tsr__link_note_options(LLVMModuleRef module, const struct tsr_clc_options *options)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef set = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), options->set, false));
    LLVMAddNamedMetadataOperand(module, options_name, LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &set, 1)));
}

uint64_t tsr__link_noted_options(LLVMModuleRef module)
{
    uint64_t set = 0;
    unsigned count = LLVMGetNamedMetadataNumOperands(module, options_name);
    LLVMValueRef *nodes = count ? tsr_calloc(count, sizeof *nodes) : NULL;
    if (nodes)
        LLVMGetNamedMetadataOperands(module, options_name, nodes);
    for (unsigned i = 0; nodes && i < count; i++) {
        LLVMValueRef word = NULL;
        if (LLVMGetMDNodeNumOperands(nodes[i]) == 1)
            LLVMGetMDNodeOperands(nodes[i], &word);
        if (word && LLVMIsAConstantInt(word))
            set |= LLVMConstIntGetZExtValue(word);
    }
    tsr_free(nodes);
    return set;
}

/* Names that the engine knows or that the shared object finds in libc. */
static bool is_provided(const char *name)
{
    static const char *const names[] = {"printf", "memcpy", "memmove", "memset", "memcmp"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "llvm.", 5) || !strncmp(name, "__tsr_", 6);
}

/* The function that contains the use, NULL if none does. */
static LLVMValueRef user_function(LLVMValueRef value, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user))
            return LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        LLVMValueRef found = depth && LLVMIsAConstant(user) ? user_function(user, depth - 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* clang gives a kernel's body a function of its own. */
char *tsr__source_name(LLVMValueRef function)
{
    static const char body[] = TSR_CLC_KERNEL_BODY;
    size_t size;
    const char *name = LLVMGetValueName2(function, &size);
    return tsr_clang_demangle(strncmp(name, body, sizeof body - 1) ? name : name + sizeof body - 1);
}

static void put_undefined(LLVMValueRef symbol, struct tsr_buf *log)
{
    char *name = tsr__source_name(symbol);
    LLVMValueRef user = user_function(symbol, 4);
    char *where = user ? tsr__source_name(user) : NULL;
    tsr_buf_printf(log, "error: undefined reference to '%s'%s%s%s\n", name ? name : "?", where ? " in '" : "", where ? where : "",
                   where ? "'" : "");
    free(where);
    free(name);
}

/* clang's function that makes a sampler of its constant: LLVM's writer of SPIR-V makes a constant of SPIR-V of it. */
static bool makes_sampler(const char *name)
{
    return !strcmp(name, "__translate_sampler_initializer");
}

/* `parts`: functions of the built-in library count as defined. */
static bool check_defined(LLVMModuleRef module, const struct tsr__parts *parts, struct tsr_buf *log)
{
    bool good = true;
    size_t size;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || is_provided(LLVMGetValueName2(f, &size)))
            continue;
        const char *name = LLVMGetValueName2(f, &size);
        if (parts && (makes_sampler(name) || tsr__shelf_has(parts->builtins, name)))
            continue;
        put_undefined(f, log);
        good = false;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        if (!LLVMIsDeclaration(g) || !LLVMGetFirstUse(g))
            continue;
        put_undefined(g, log);
        good = false;
    }
    return good;
}

static void internalise(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !tsr__cc_is_kernel(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage)
            LLVMSetLinkage(g, LLVMInternalLinkage);
}

static bool remove_unused(LLVMModuleRef module, struct tsr_buf *log)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "globaldce", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *text = LLVMGetErrorMessage(error);
        tsr_buf_printf(log, "error: %s\n", text);
        LLVMDisposeErrorMessage(text);
    }
    return !error;
}

const char *tsr__mangled_name(const char *mangled, size_t *length)
{
    char *name;
    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    *length = strtoul(mangled + 2, &name, 10);
    return *length && *length <= strlen(name) ? name : NULL;
}

void tsr__link_relax(LLVMModuleRef module, const struct tsr_clc_options *options, const struct tsr__parts *parts)
{
    static const char prefix[] = "__tsr_relaxed_";
    if (!tsr_clc_option_set(options, TSR_CLC_OPTION_FAST_MATH) && !tsr_clc_option_set(options, TSR_CLC_OPTION_UNSAFE_MATH))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t size;
        const char *mangled = LLVMGetValueName2(f, &size);
        size_t length;
        const char *name = LLVMIsDeclaration(f) ? tsr__mangled_name(mangled, &length) : NULL;
        char *relaxed = name ? tsr_format("_Z%zu%s%s", length + strlen(prefix), prefix, name) : NULL;
        if (!relaxed)
            continue;
        if (tsr__shelf_has(parts->builtins, relaxed))
            LLVMSetValueName2(f, relaxed, strlen(relaxed));
        tsr_free(relaxed);
    }
}

bool tsr__link_builtins(LLVMModuleRef module, const struct tsr__parts *parts, struct tsr_buf *log)
{
    struct handler h = listen(LLVMGetModuleContext(module), log);
    bool good = tsr__shelf_link(module, parts->builtins, NULL);
    unlisten(h);
    if (!good)
        return false;
    internalise(module);
    return remove_unused(module, log) && check_defined(module, NULL, log);
}

bool tsr__link_check(LLVMModuleRef module, const struct tsr__parts *parts, struct tsr_buf *log)
{
    internalise(module);
    return remove_unused(module, log) && check_defined(module, parts, log);
}

LLVMModuleRef tsr__link_take(const void *bitcode, size_t size, const struct tsr_kernel_info *kernels, uint32_t count,
                             LLVMContextRef context, struct tsr_buf *log)
{
    if (!kernels)
        return tsr__link_parse(bitcode, size, context, log);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("program", context);
    /* A declaration makes the link take the kernel; the definition brings its type. */
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    for (uint32_t i = 0; i < count; i++)
        LLVMAddFunction(module, kernels[i].name, type);
    struct handler h = listen(context, log);
    bool good = tsr_link_needed(module, bitcode, size);
    unlisten(h);
    if (good)
        return module;
    LLVMDisposeModule(module);
    return NULL;
}

static bool is_variable(LLVMValueRef global)
{
    enum { GLOBAL_SPACE = 1 };
    return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == GLOBAL_SPACE && !LLVMIsGlobalConstant(global);
}

bool tsr__link_has_variables(LLVMModuleRef module)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (is_variable(g))
            return true;
    return false;
}

uint64_t tsr__link_variable_bytes(LLVMModuleRef module)
{
    uint64_t bytes = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (is_variable(g))
            bytes += LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGlobalGetValueType(g));
    return bytes;
}
