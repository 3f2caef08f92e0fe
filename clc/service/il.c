/* SPDX-License-Identifier: Apache-2.0
 * Code for devices whose driver compiles SPIR-V: what the module says of kernels, and the module in SPIR-V by LLVM's back end. Functions of
 * OpenCL C stay calls of their names: the back end makes instructions of most, and the driver knows the rest. */
#include "clc/service/service.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdatomic.h>
#include <string.h>

#include "clc/service/il_shim.h"
#include "tessera/lanes.h"

/* ---- kernels ---- */

/* A kernel of which matrix functions need sub-groups of a size requires that size, which the driver would else choose itself. */
static bool settle_sub_groups(LLVMValueRef function, struct tsr_kernel_info *kernel, const struct tsr_target *target, struct tsr_buf *log)
{
    static const char required[] = "intel_reqd_sub_group_size";
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    uint32_t size = kernel->reqd_sub_group_size ? kernel->reqd_sub_group_size : kernel->sub_group_size;
    if (size && target->sub_group_sizes && !(target->sub_group_sizes & size)) {
        tsr_buf_printf(log, "error: kernel '%s' %s sub-groups of %u, which this device does not have\n", kernel->name,
                       kernel->reqd_sub_group_size ? "requires" : "calls functions for", size);
        return false;
    }
    if (size && !kernel->reqd_sub_group_size) {
        LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), size, false));
        LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(context, required, sizeof required - 1),
                              LLVMMDNodeInContext2(context, &number, 1));
    }
    kernel->sub_group_size = size ? size : target->default_sub_group_size; /* as far as the driver does not say more */
    return true;
}

bool tsr__il_describe(LLVMModuleRef module, const struct tsr_target *target, struct tsr_program_info *info, struct tsr_buf *log)
{
    bool good = true;
    for (uint32_t i = 0; i < info->kernel_count && good; i++) {
        struct tsr_kernel_info *kernel = &info->kernels[i];
        LLVMValueRef function = LLVMGetNamedFunction(module, kernel->name);
        char *why = NULL;
        kernel->entry = kernel->name;
        good = tsr_lanes_lay_out(function, kernel, strstr(target->macros, "__opencl_c_images"), &why);
        if (!good)
            tsr_buf_printf(log, "error: %s\n", why ? why : "out of memory");
        tsr_free(why);
        good = good && settle_sub_groups(function, kernel, target, log);
    }
    return good;
}

/* ---- inlining ---- */

static void set_attribute(LLVMValueRef function, const char *name, bool on)
{
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMRemoveEnumAttributeAtIndex(function, at, kind);
    if (on)
        LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, 0));
}

void tsr__il_mark_inline(LLVMValueRef function)
{
    set_attribute(function, "noinline", false);
    set_attribute(function, "optnone", false);
    set_attribute(function, "alwaysinline", true);
}

static bool run_passes(LLVMModuleRef module, const char *passes, struct tsr_buf *log)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    tsr_buf_printf(log, "error: %s\n", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

bool tsr__il_inline(LLVMModuleRef module, struct tsr_buf *log)
{
    return run_passes(module, "always-inline,globaldce", log);
}

/* ---- values that LLVM's writer lacks ---- */

/* Kernels have vectors of 2, 3, 4, 8 and 16 components. */
static bool is_odd(LLVMTypeRef type)
{
    unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
    return n > 16 || (n > 4 && n & (n - 1));
}

static bool has_odd_vectors(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
                if (is_odd(LLVMTypeOf(v)))
                    return true;
                for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
                    if (is_odd(LLVMTypeOf(LLVMGetOperand(v, (unsigned)i))))
                        return true;
            }
    return false;
}

/* Steps over such vectors in memory become steps over arrays. */
static void step_over_arrays(LLVMModuleRef module, LLVMValueRef gep, LLVMBuilderRef builder)
{
    enum { MOST = 8 };
    LLVMTypeRef vector = LLVMGetGEPSourceElementType(gep);
    LLVMTypeRef array = LLVMArrayType2(LLVMGetElementType(vector), LLVMGetVectorSize(vector));
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    unsigned count = LLVMGetNumIndices(gep);
    if (count > MOST || LLVMABISizeOfType(layout, array) != LLVMABISizeOfType(layout, vector))
        return;
    LLVMValueRef indices[MOST];
    for (unsigned i = 0; i < count; i++)
        indices[i] = LLVMGetOperand(gep, i + 1);
    LLVMPositionBuilderBefore(builder, gep);
    LLVMReplaceAllUsesWith(gep, LLVMBuildGEP2(builder, array, LLVMGetOperand(gep, 0), indices, count, ""));
    LLVMInstructionEraseFromParent(gep);
}

static void step_over_all_arrays(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v; v = next) {
                next = LLVMGetNextInstruction(v);
                if (LLVMIsAGetElementPtrInst(v) && is_odd(LLVMGetGEPSourceElementType(v)))
                    step_over_arrays(module, v, builder);
            }
    LLVMDisposeBuilder(builder);
}

static bool takes_arrays(LLVMValueRef function)
{
    bool found = LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function))) == LLVMArrayTypeKind;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        found |= LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) == LLVMArrayTypeKind;
    return found;
}

/* Matrices of our reader of SPIR-V are arrays, and functions take them as arguments. */
static bool split_matrices(LLVMModuleRef module, struct tsr_buf *log)
{
    if (!tsr__il_has_arrays(module))
        return true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && takes_arrays(f))
            tsr__il_mark_inline(f);
    return run_passes(module, "always-inline,globaldce,function(sroa)", log) && tsr__il_split_arrays(module, log) &&
           run_passes(module, "function(sroa,dce)", log);
}

bool tsr__il_split_values(LLVMModuleRef module, struct tsr_buf *log)
{
    if (!split_matrices(module, log))
        return false;
    if (!has_odd_vectors(module))
        return true;
    if (!run_passes(module, "function(sroa,scalarizer<load-store>,dce)", log))
        return false;
    step_over_all_arrays(module);
    return true;
}

/* ---- SPIR-V ---- */

static const char extensions[] =
#define TSR_IL_EXTENSION(name) ",+" #name
#include "clc/service/il_extensions.def"
#undef TSR_IL_EXTENSION
    ;

static LLVMTargetMachineRef make_machine(bool any_extension, struct tsr_buf *log)
{
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(TSR_TRIPLE_SPIRV64, &target, &message)) {
        tsr_buf_printf(log, "error: %s\n", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    /* With that extension the back end writes FPFastMathDefault without the capability that it belongs to. */
    tsr_il_allow(any_extension ? "all,-SPV_KHR_float_controls2" : extensions + 1);
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelNone); /* the driver's compiler optimises */
    LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(target, TSR_TRIPLE_SPIRV64, options);
    LLVMDisposeTargetMachineOptions(options);
    return machine;
}

/* The back end writes an alignment of 128 bytes as a byte with a sign. */
static void mend_alignments(unsigned char *module, size_t size)
{
    enum { HEADER_WORDS = 5, OP_DECORATE = 71, ALIGNMENT = 44, WRONG = -128, RIGHT = 128 };
    uint32_t words[4];
    for (size_t at = HEADER_WORDS * sizeof *words; at + sizeof words <= size; at += (words[0] >> 16) * sizeof *words) {
        memcpy(words, module + at, sizeof words);
        if ((words[0] & 0xffff) == OP_DECORATE && words[2] == ALIGNMENT && words[3] == (uint32_t)WRONG) {
            words[3] = RIGHT;
            memcpy(module + at, words, sizeof words);
        }
    }
}

/* LLVM 22's back end keeps numbers of blocks in a static variable, by the address of their function, and takes them for those of a later
 * module whose function has the same address. So a process writes one module, and is replaced. */
static atomic_bool has_written;

bool tsr__il_ends_process(void)
{
    return atomic_load(&has_written);
}

bool tsr__il_write(LLVMModuleRef module, bool any_extension, struct tsr_buf *spirv, struct tsr_buf *log)
{
    if (atomic_exchange(&has_written, true)) {
        tsr_buf_printf(
            log, "error: LLVM's back end can make SPIR-V once in a process, and has made it in this one; the driver starts a process for "
                 "each, unless TESSERA_CC_MODE=inprocess forbids that or no process can be started\n");
        return false;
    }
    LLVMTargetMachineRef machine = make_machine(any_extension, log);
    if (!machine)
        return false;
    char *message = NULL;
    LLVMMemoryBufferRef bytes = NULL;
    LLVMSetTarget(module, TSR_TRIPLE_SPIRV64);
    tsr__il_mend_images(module);
    bool constant_formats = tsr__il_mend_formats(module);
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &bytes);
    if (failed)
        tsr_buf_printf(log, "error: no SPIR-V can be made of the program: %s\n", message);
    else
        tsr_buf_bytes(spirv, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    if (!failed && !spirv->failed)
        mend_alignments(spirv->data, spirv->size);
    if (!failed && !spirv->failed)
        tsr__il_mend_orders(spirv);
    if (!failed && !spirv->failed && !any_extension && constant_formats)
        tsr__il_forget_printf_extension(spirv);
    if (message)
        LLVMDisposeMessage(message);
    if (bytes)
        LLVMDisposeMemoryBuffer(bytes);
    LLVMDisposeTargetMachine(machine);
    return !failed;
}

void tsr__il_copy(const struct tsr_clc_text *module, struct tsr_buf *spirv)
{
    uint32_t word;
    memcpy(&word, module->data, sizeof word);
    bool swapped = word != TSR_SPIRV_MAGIC;
    for (size_t at = 0; at + sizeof word <= module->size; at += sizeof word) {
        memcpy(&word, module->data + at, sizeof word);
        tsr_buf_u32(spirv, swapped ? __builtin_bswap32(word) : word);
    }
}
