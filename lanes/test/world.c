/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <llvm-c/IRReader.h>

#include "world.h"

void setup(struct world *w, const char *text)
{
    memset(w, 0, sizeof *w);
    w->context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    if (LLVMParseIRInContext(w->context, buffer, &module, &message))
        fail_msg("%s", message);
    w->options = (struct tsr_lanes_options){.cpu_features = 0, .default_sub_group_size = 16, .opt_level = 2};
    w->info.kernels = tsr_arena_alloc(&w->arena, 8 * sizeof *w->info.kernels);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        if (!tsr__starts_with(tsr__name(f), "_Z")) {
            LLVMAttributeRef mark = LLVMCreateStringAttribute(w->context, TSR__USER, strlen(TSR__USER), "", 0);
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
        }
        if (!tsr__is_kernel(f))
            continue;
        struct tsr_kernel_info *k = &w->info.kernels[w->info.kernel_count++];
        k->name = tsr_arena_format(&w->arena, "%s", tsr__name(f));
        k->arg_count = LLVMCountParams(f);
        k->args = tsr_arena_alloc(&w->arena, k->arg_count * sizeof *k->args);
    }
    w->l = (struct tsr__compilation){.module = module,
                                     .context = w->context,
                                     .options = &w->options,
                                     .arena = &w->arena,
                                     .info = &w->info,
                                     .object = &w->object,
                                     .verify = true};
}

void teardown(struct world *w)
{
    if (w->l.machine)
        LLVMDisposeTargetMachine(w->l.machine);
    LLVMDisposeModule(w->l.module);
    LLVMContextDispose(w->context);
    tsr_arena_free(&w->l.scratch);
    tsr_arena_free(&w->arena);
    tsr_buf_free(&w->object);
    tsr_free(w->l.why);
}

bool try_passes(struct world *w, const char *first, const char *last)
{
    bool on = !first;
    for (size_t i = 0; i < tsr__pass_count; i++) {
        on = on || !strcmp(tsr__passes[i].name, first);
        if (on && !tsr__run_pass(&w->l, &tsr__passes[i], (unsigned)i))
            return false;
        if (last && !strcmp(tsr__passes[i].name, last))
            break;
    }
    return true;
}

void passes(struct world *w, const char *first, const char *last)
{
    if (!try_passes(w, first, last))
        fail_msg("%s", w->l.why);
}

unsigned count_calls(struct world *w, const char *function, const char *callee)
{
    size_t n;
    unsigned calls = 0;
    LLVMValueRef f = LLVMGetNamedFunction(w->l.module, function);
    assert_non_null(f);
    LLVMValueRef *code = tsr__instructions(&w->l, f, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef called = tsr__callee(code[i]);
        calls += called && !strcmp(tsr__name(called), callee);
    }
    return calls;
}

bool says(LLVMValueRef value, const char *words)
{
    char *text = LLVMPrintValueToString(value);
    bool found = strstr(text, words) != NULL;
    LLVMDisposeMessage(text);
    return found;
}

LLVMValueRef function(struct world *w, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(w->l.module, name);
    if (!f)
        fail_msg("no function %s", name);
    return f;
}
