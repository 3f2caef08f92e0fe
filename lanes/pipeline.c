/* SPDX-License-Identifier: Apache-2.0
 * The engine's passes in their order, and the two calls that the compiler process makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "lanes/ir/explain.h"

const struct tsr__pass tsr__passes[] = {
#define TSR_PASS(name, text) {#name, tsr__pass_##name},
#include "lanes/passes.def"
#undef TSR_PASS
};
const size_t tsr__pass_count = TSR_ARRAY_LEN(tsr__passes);

void tsr_lanes_mark(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMAttributeRef mark = LLVMCreateStringAttribute(context, TSR__USER, strlen(TSR__USER), "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
    }
}

bool tsr__run_pass(struct tsr__compilation *l, const struct tsr__pass *pass, unsigned number)
{
    uint64_t began = l->options->times ? tsr_now_ns() : 0;
    l->pass_name = tsr_arena_format(&l->scratch, "%02u-%s", number, pass->name);
    bool good = pass->run(l);
    if (l->options->times)
        tsr_buf_printf(l->options->times, "  %-16s %7.2f ms\n", pass->name, (double)(tsr_now_ns() - began) / 1e6);
    return good && tsr__verify_and_dump(l, l->pass_name);
}

/* What "vectorise" and those behind it change, as it was before. */
struct kept {
    size_t pass;
    LLVMModuleRef module;
    struct tsr_kernel_info *kernels;
    size_t notes;
};

static void take_snapshot(struct tsr__compilation *l, struct kept *kept, size_t pass)
{
    size_t bytes = l->info->kernel_count * sizeof *kept->kernels;
    kept->pass = pass;
    kept->module = LLVMCloneModule(l->module);
    kept->notes = tsr__explain_count(l);
    if (!kept->kernels)
        kept->kernels = tsr_arena_alloc(&l->scratch, bytes + 1);
    if (!l->variants)
        l->variants = tsr_arena_alloc(&l->scratch, (l->info->kernel_count + 1) * sizeof *l->variants);
    memcpy(kept->kernels, l->info->kernels, bytes);
}

static void restore_snapshot(struct tsr__compilation *l, struct kept *kept, LLVMModuleRef callers)
{
    if (l->module != callers)
        LLVMDisposeModule(l->module);
    l->module = kept->module;
    kept->module = NULL;
    memcpy(l->info->kernels, kept->kernels, l->info->kernel_count * sizeof *kept->kernels);
    tsr__explain_forget(l, kept->notes);
    LLVMDisposeTargetMachine(l->machine);
    l->machine = NULL;
    l->retry = false;
}

/* The module that this leaves is the caller's or one to dispose of. */
static bool run_all(struct tsr__compilation *l)
{
    struct kept kept = {0};
    LLVMModuleRef callers = l->module;
    bool good = true, counts = l->options->packets && l->options->code_budget;
    for (size_t i = 0; good && i < tsr__pass_count; i++) {
        if (counts && tsr__passes[i].run == tsr__pass_vectorise)
            take_snapshot(l, &kept, i);
        good = tsr__run_pass(l, &tsr__passes[i], (unsigned)i + 1);
        if (good && l->retry) {
            restore_snapshot(l, &kept, callers);
            i = kept.pass - 1;
        }
    }
    if (kept.module)
        LLVMDisposeModule(kept.module);
    return good;
}

bool tsr_lanes_run(LLVMModuleRef module, const struct tsr_lanes_options *options, struct tsr_arena *arena, struct tsr_program_info *info,
                   struct tsr_buf *object, char **why)
{
    struct tsr__compilation l = {
        .module = module, .context = LLVMGetModuleContext(module), .options = options, .arena = arena, .info = info, .object = object};
#ifndef NDEBUG
    l.verify = true;
#endif
    tsr__explain_begin(&l);
    bool good = !options->dump_dir || tsr__dump_module(&l, "00-input");
    good = good && run_all(&l);
    if (good && object->failed)
        good = tsr__fail(&l, "out of memory");
    if (good)
        tsr__explain_print(&l);
    if (l.module != module)
        LLVMDisposeModule(l.module);
    if (l.machine)
        LLVMDisposeTargetMachine(l.machine);
    tsr_arena_free(&l.scratch);
    if (!good)
        *why = l.why;
    else
        tsr_free(l.why);
    return good;
}
