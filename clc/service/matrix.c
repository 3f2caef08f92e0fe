/* SPDX-License-Identifier: Apache-2.0
 * Finds the matrix functions that each kernel reaches and holds them against the kernel's sub-group size. */
#include "clc/service/service.h"

#include <stdlib.h>

#include "tessera/matrix.h"

/* Functions reached from a kernel, each once. */
struct walk {
    LLVMValueRef *functions;
    uint32_t count, capacity;
    /* first call of a function for sub-groups of 8 and of 16 */
    LLVMValueRef call[2];
    const struct tsr_matrix_builtin *overload[2];
};

static void visit(struct walk *walk, LLVMValueRef function)
{
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->functions[i] == function)
            return;
    if (walk->count == walk->capacity) {
        walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
        walk->functions = tsr_realloc(walk->functions, walk->capacity * sizeof *walk->functions);
        if (!walk->functions)
            abort();
    }
    walk->functions[walk->count++] = function;
}

static void walk_call(struct walk *walk, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee))
        return;
    size_t size;
    const char *name = LLVMGetValueName2(callee, &size);
    const struct tsr_matrix_builtin *o = tsr_matrix_find(name);
    if (o && !walk->call[o->n == 16]) {
        walk->call[o->n == 16] = call;
        walk->overload[o->n == 16] = o;
    }
    if (!o && !LLVMIsDeclaration(callee))
        visit(walk, callee);
}

static void walk_from(struct walk *walk, LLVMValueRef kernel)
{
    visit(walk, kernel);
    for (uint32_t i = 0; i < walk->count; i++) /* the list grows meanwhile */
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(walk->functions[i]); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                if (LLVMGetInstructionOpcode(v) == LLVMCall)
                    walk_call(walk, v);
}

static void put_error(struct tsr_buf *log, LLVMValueRef call)
{
    unsigned line = LLVMGetDebugLocLine(call);
    if (line)
        tsr_buf_printf(log, "input.cl:%u: error: ", line);
    else
        tsr_buf_printf(log, "error: ");
}

static bool check_kernel(struct tsr_kernel_info *kernel, const struct walk *walk, struct tsr_buf *log)
{
    if (walk->call[0] && walk->call[1]) {
        put_error(log, walk->call[1]);
        tsr_buf_printf(log, "kernel '%s' calls %s for sub-groups of 16 (its first argument is %s), and %s for sub-groups of 8\n",
                       kernel->name, walk->overload[1]->name, walk->overload[1]->a, walk->overload[0]->name);
        return false;
    }
    int which = walk->call[1] != NULL;
    const struct tsr_matrix_builtin *o = walk->overload[which];
    if (!o)
        return true;
    if (kernel->reqd_sub_group_size && kernel->reqd_sub_group_size != o->n) {
        put_error(log, walk->call[which]);
        tsr_buf_printf(log,
                       "%s with a first argument of type %s requires sub-group size %u, but kernel '%s' has "
                       "intel_reqd_sub_group_size(%u)\n",
                       o->name, o->a, o->n, kernel->name, kernel->reqd_sub_group_size);
        return false;
    }
    kernel->sub_group_size = o->n;
    return true;
}

bool tsr__matrix_check(LLVMModuleRef module, struct tsr_program_info *info, struct tsr_buf *log)
{
    bool good = true;
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        struct walk walk = {0};
        walk_from(&walk, LLVMGetNamedFunction(module, info->kernels[i].name));
        good &= check_kernel(&info->kernels[i], &walk, log);
        tsr_free(walk.functions);
    }
    return good;
}
