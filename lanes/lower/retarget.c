/* SPDX-License-Identifier: Apache-2.0
 * From SPIR to x86-64. Address spaces 1 to 4 stay: x86 treats all below 256 as one flat space, and null is zero in each. */
#include <stdio.h>
#include <string.h>

#include "tessera/item.h"

#include "lanes/ir/ir.h"

const char tsr__triple[] = "x86_64-unknown-linux-gnu";

bool tsr__make_machine(struct tsr__compilation *l, int level)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    char *message = NULL;
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(tsr__triple, &target, &message)) {
        tsr__fail(l, "this LLVM has no target %s: %s", tsr__triple, message);
        LLVMDisposeMessage(message);
        return false;
    }
    tsr_cpu_llvm_features(l->options->cpu_features, l->features, sizeof l->features);
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, "x86-64");
    LLVMTargetMachineOptionsSetFeatures(options, l->features);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, level <= 0   ? LLVMCodeGenLevelNone
                                                        : level == 1 ? LLVMCodeGenLevelLess
                                                                     : LLVMCodeGenLevelDefault);
    l->machine = LLVMCreateTargetMachineWithOptions(target, tsr__triple, options);
    LLVMDisposeTargetMachineOptions(options);
    if (!l->machine)
        return tsr__fail(l, "LLVM made no code generator for %s", tsr__triple);
    return true;
}

static void retarget_calls(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++) {
        if (LLVMIsACallInst(code[i]))
            LLVMSetInstructionCallConv(code[i], LLVMCCallConv);
    }
}

/* A name of the program must not be taken for a function of libc, neither by the optimiser nor by the linker. */
static void rename_apart(struct tsr__compilation *l, LLVMValueRef value)
{
    const char *name = tsr__name(value);
    if (*name && !strchr(name, '.') && !tsr__starts_with(name, "_Z")) {
        const char *made = tsr_arena_format(&l->scratch, "%s.cl", name);
        LLVMSetValueName2(value, made, strlen(made));
    }
}

static void hide_symbol(struct tsr__compilation *l, LLVMValueRef value)
{
    rename_apart(l, value);
    LLVMSetVisibility(value, LLVMDefaultVisibility);
    LLVMSetLinkage(value, LLVMInternalLinkage);
}

static bool is_entry(LLVMValueRef function)
{
    size_t length, suffix = strlen(TSR__ENTRY_SUFFIX);
    const char *name = LLVMGetValueName2(function, &length);
    return length > suffix && !strcmp(name + length - suffix, TSR__ENTRY_SUFFIX);
}

void tsr__set_target(struct tsr__compilation *l, LLVMValueRef f)
{
    /* The same features everywhere, or vectors would be passed in different registers. */
    tsr__set_fn_text(l, f, "target-cpu", "x86-64");
    tsr__set_fn_text(l, f, "tune-cpu", "generic");
    tsr__set_fn_text(l, f, "target-features", l->features);
    tsr__set_fn_text(l, f, "frame-pointer", l->options->debug ? "all" : "none");
    tsr__set_fn_text(l, f, "no-builtins", "");
    /* The code generator then tells every frame's size: see emit.c. */
    tsr__set_fn_text(l, f, "warn-stack-size", "0");
}

static void retarget_function(struct tsr__compilation *l, LLVMValueRef f)
{
    static const char *const dropped[] = {"uwtable", "ssp", "sspstrong", "sspreq"};
    LLVMSetFunctionCallConv(f, LLVMCCallConv);
    for (size_t i = 0; i < TSR_ARRAY_LEN(dropped); i++)
        tsr__drop_fn_attr(f, dropped[i]);
    tsr__set_target(l, f);
}

bool tsr__pass_retarget(struct tsr__compilation *l)
{
    if (!tsr__make_machine(l, l->options->opt_level))
        return false;
    LLVMSetTarget(l->module, tsr__triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(l->machine);
    LLVMSetModuleDataLayout(l->module, layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) {
            if (!LLVMGetIntrinsicID(f))
                LLVMSetFunctionCallConv(f, LLVMCCallConv);
            continue;
        }
        retarget_function(l, f);
        retarget_calls(l, f);
        if (!is_entry(f))
            hide_symbol(l, f);
    }
    l->info->global_bytes = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        if (tsr__starts_with(tsr__name(g), "llvm.") || !strcmp(tsr__name(g), TSR_SITES_SYMBOL) || LLVMIsDeclaration(g))
            continue;
        if (!LLVMIsGlobalConstant(g))
            l->info->global_bytes += LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g));
        hide_symbol(l, g);
    }
    LLVMDisposeTargetData(layout);
    l->info->cpu_features = l->options->cpu_features & ~TSR_CPU_ADVICE;
    return true;
}
