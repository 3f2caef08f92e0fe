/* SPDX-License-Identifier: Apache-2.0
 * Runs the passes of passes.def in order, with retries; and the two entry points of the engine that the compiler process calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "lanes/ir/explain.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/widen/widener.h"

const struct tsr__pass tsr__passes[] = {
#define TSR_PASS(run_on, of_engine, at_retry, of_name, text)                                                                               \
    {.name = #of_name, .run_on = tsr__pass_##of_name, .engine = TSR__PASS_##of_engine, .retry = TSR__RETRY_##at_retry},
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

/* Does the pass serve the engine that the module is compiled for? See passes.def. */
static bool pass_applies(const struct tsr__compilation *l, const struct tsr__pass *pass)
{
    bool packets = l->options->packets && !tsr__all_run_as_reference(l);
    switch (pass->engine) {
    case TSR__PASS_VECTOR:
        return l->options->packets;
    case TSR__PASS_PACKETS:
        return packets;
    case TSR__PASS_ITEMS:
        return !packets;
    default:
        return true;
    }
}

static bool run_on_functions(struct tsr__compilation *l, const struct tsr__pass *pass)
{
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++)
        if (!pass->function(l, functions[i]))
            return false;
    return true;
}

static bool run_on_kernels(struct tsr__compilation *l, const struct tsr__pass *pass)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr__packet_kernel kernel;
        if (tsr__packet_kernel_find(l, &l->info->kernels[i], &kernel) && !pass->kernel(l, &kernel))
            return false;
    }
    return true;
}

bool tsr__run_pass(struct tsr__compilation *l, const struct tsr__pass *pass, unsigned number)
{
    if (!pass_applies(l, pass))
        return true;
    uint64_t began = l->options->times ? tsr_now_ns() : 0;
    l->pass_name = tsr_arena_format(&l->scratch, "%02u-%s", number, pass->name);
    bool good = pass->module ? pass->module(l) : pass->function ? run_on_functions(l, pass) : run_on_kernels(l, pass);
    if (l->options->times)
        tsr_buf_printf(l->options->times, "  %-19s %7.2f ms\n", pass->name, (double)(tsr_now_ns() - began) / 1e6);
    return good && tsr__verify_and_dump(l, l->pass_name);
}

size_t tsr__find_pass(const char *name)
{
    size_t i = 0;
    while (i < tsr__pass_count && strcmp(tsr__passes[i].name, name) != 0)
        i++;
    return i;
}

bool tsr__run_passes(struct tsr__compilation *l, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (!tsr__run_pass(l, &tsr__passes[i], (unsigned)i + 1))
            return false;
    return true;
}

/* What the passes from the start of a retry on change, as it was before. */
struct snapshot {
    size_t pass;
    LLVMModuleRef module;
    struct tsr_kernel_info *kernels;
    size_t notes;
};

static void take_snapshot(struct tsr__compilation *l, struct snapshot *snapshot, size_t pass)
{
    size_t bytes = l->info->kernel_count * sizeof *snapshot->kernels;
    snapshot->pass = pass;
    snapshot->module = LLVMCloneModule(l->module);
    snapshot->notes = tsr__explain_count(l);
    if (!snapshot->kernels)
        snapshot->kernels = tsr_arena_alloc(&l->scratch, bytes + 1);
    if (!l->variants)
        l->variants = tsr_arena_alloc(&l->scratch, (l->info->kernel_count + 1) * sizeof *l->variants);
    if (!l->without_tiles)
        l->without_tiles = tsr_arena_alloc(&l->scratch, (l->info->kernel_count + 1) * sizeof *l->without_tiles);
    memcpy(snapshot->kernels, l->info->kernels, bytes);
}

static void restore_snapshot(struct tsr__compilation *l, struct snapshot *snapshot, LLVMModuleRef callers)
{
    if (l->module != callers)
        LLVMDisposeModule(l->module);
    l->module = snapshot->module;
    snapshot->module = NULL;
    for (uint32_t i = 0; i < l->info->kernel_count; i++) { /* without tiles, passes do not look for what other code may do without */
        snapshot->kernels[i].flags |= l->info->kernels[i].flags & TSR_KERNEL_STAGES;
        l->info->kernels[i] = snapshot->kernels[i];
    }
    tsr__explain_forget(l, snapshot->notes);
    LLVMDisposeTargetMachine(l->machine);
    l->machine = NULL;
    l->retry = false;
    l->retried = true;
}

bool tsr__run_pipeline(struct tsr__compilation *l)
{
    struct snapshot snapshot = {0};
    LLVMModuleRef callers = l->module;
    bool good = true, counts = l->options->packets && l->options->code_budget;
    for (size_t i = 0; good && i < tsr__pass_count; i++) {
        if (counts && tsr__passes[i].retry == TSR__RETRY_START)
            take_snapshot(l, &snapshot, i);
        good = tsr__run_pass(l, &tsr__passes[i], (unsigned)i + 1);
        if (good && l->retry) {
            restore_snapshot(l, &snapshot, callers);
            i = snapshot.pass - 1;
        }
    }
    if (snapshot.module)
        LLVMDisposeModule(snapshot.module);
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
    good = good && tsr__run_pipeline(&l);
    if (good && object->failed)
        good = tsr__fail(&l, "out of memory");
    if (good)
        tsr__explain_print(&l);
    tsr__debug_info_end(&l); /* that a pass failed before */
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
