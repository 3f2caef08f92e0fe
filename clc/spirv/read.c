/* SPDX-License-Identifier: Apache-2.0
 * A SPIR-V module from its first word to an LLVM module that has been verified. */
#include "clc/spirv/reader.h"

#include <llvm-c/Analysis.h>
#include <string.h>

const char tsr_spirv_triple[] = "spir64-unknown-unknown";
const char tsr_spirv_data_layout[] = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

static void verify(struct tsr__reader *r)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(r->module, LLVMReturnStatusAction, &message);
    if (broken) { /* what the checks of single instructions cannot see: dominance, phi operands */
        char *end = strchr(message, '\n');
        tsr_buf_printf(r->log, "error: SPIR-V: the module is not valid: %.*s\n", (int)(end ? end - message : (long)strlen(message)),
                       message);
    }
    LLVMDisposeMessage(message);
    if (broken)
        longjmp(r->out, 1);
}

static void add_versions(struct tsr__reader *r)
{
    static const char *const names[] = {"opencl.ocl.version", "opencl.spir.version"};
    LLVMMetadataRef numbers[] = {LLVMValueAsMetadata(tsr__u32(r, 3)), LLVMValueAsMetadata(tsr__u32(r, 0))};
    LLVMValueRef node = LLVMMetadataAsValue(r->context, LLVMMDNodeInContext2(r->context, numbers, 2));
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        LLVMAddNamedMetadataOperand(r->module, names[i], node);
}

static bool make_global(struct tsr__reader *r, const struct tsr__inst *in)
{
    return tsr__spirv_make_type(r, in) || tsr__spirv_make_constant(r, in) || tsr__spirv_make_variable(r, in);
}

/* Those before `end` that have to do with matrices, for another sub-group size. */
static void make_globals_again(struct tsr__reader *r, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        if (r->insts[i].result && r->of_matrices[r->insts[i].result])
            r->ids[r->insts[i].result].type = NULL;
    for (uint32_t i = 0; i < end; i++)
        if (r->insts[i].result && r->of_matrices[r->insts[i].result])
            make_global(r, &r->insts[i]);
}

static void read_module(struct tsr__reader *r)
{
    tsr__spirv_split(r);
    r->module = LLVMModuleCreateWithNameInContext("program", r->context);
    LLVMSetTarget(r->module, tsr_spirv_triple);
    LLVMSetDataLayout(r->module, tsr_spirv_data_layout);
    LLVMSetSourceFileName(r->module, "input.spv", strlen("input.spv"));
    r->layout = LLVMGetModuleDataLayout(r->module);
    r->builder = LLVMCreateBuilderInContext(r->context);
    uint32_t i = 0;
    for (; i < r->inst_count && r->insts[i].op->number != TSR__OpFunction; i++) {
        const struct tsr__inst *in = &r->insts[i];
        if (!tsr__spirv_section(r, in) && !make_global(r, in))
            tsr__spirv_fail(r, in, "it does not belong before the first function, or this driver does not know it");
    }
    tsr__spirv_begin_lines(r);
    tsr__spirv_functions(r, i);
    for (uint32_t size = 1; size < r->size_count; size++) {
        r->matrix_lanes = r->sizes[size];
        make_globals_again(r, i);
        tsr__spirv_functions_again(r);
    }
    tsr__spirv_end_lines(r);
    add_versions(r);
    verify(r);
}

LLVMModuleRef tsr_spirv_read(const struct tsr_spirv_input *input, LLVMContextRef context, struct tsr_buf *log)
{
    struct tsr_arena arena = {0};
    struct tsr__reader *r = tsr_arena_alloc(&arena, sizeof *r);
    r->input = input;
    r->log = log;
    r->context = context;
    bool good = setjmp(r->out) == 0;
    if (good)
        read_module(r);
    tsr__spirv_end_lines(r); /* of a module that was not read to the end */
    if (r->body.entry)
        LLVMDisposeBuilder(r->body.entry);
    if (r->builder)
        LLVMDisposeBuilder(r->builder);
    LLVMModuleRef module = r->module;
    if (!good && module) {
        LLVMDisposeModule(module);
        module = NULL;
    }
    tsr_free(r->ids);
    tsr_arena_free(&r->arena);
    tsr_arena_free(&arena);
    return module;
}
