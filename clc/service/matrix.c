/* SPDX-License-Identifier: Apache-2.0
 * Finds the matrix functions that each kernel reaches and holds them against the kernel's sub-group size. */
#include "clc/service/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct overload {
    const char *name, *args[3];
    uint32_t n;
};

static const struct overload overloads[] = {
#define TSR_MATRIX(name, form, n, m, k, a, b, c, ea, eb, ec) {#name, {#a, #b, #c}, n},
#include "tessera/matrix.def"
#undef TSR_MATRIX
};

enum { LONGEST_NAME = 128 };

/* Itanium mangling of one OpenCL type, with `seen` vector types before it as substitutions. */
static void mangle_type(const char *type, const char *seen[3], unsigned *seen_count, char *out)
{
    static const struct {
        const char *word, *code;
    } scalars[] = {{"int", "i"}, {"uint", "j"}, {"short", "s"}, {"ushort", "t"}, {"float", "f"}, {"half", "Dh"}};
    size_t letters = strcspn(type, "0123456789");
    const char *code = "?";
    for (size_t i = 0; i < TSR_ARRAY_LEN(scalars); i++)
        if (strlen(scalars[i].word) == letters && !strncmp(type, scalars[i].word, letters))
            code = scalars[i].code;
    if (!type[letters]) {
        strcat(out, code);
        return;
    }
    for (unsigned i = 0; i < *seen_count; i++) {
        if (!strcmp(seen[i], type)) {
            strcat(out, i ? "S0_" : "S_");
            return;
        }
    }
    seen[(*seen_count)++] = type;
    sprintf(out + strlen(out), "Dv%s_%s", type + letters, code);
}

static void mangle(const struct overload *o, char out[LONGEST_NAME])
{
    const char *seen[3];
    unsigned seen_count = 0;
    snprintf(out, LONGEST_NAME, "_Z%zu%s", strlen(o->name), o->name);
    for (int i = 0; i < 3; i++)
        mangle_type(o->args[i], seen, &seen_count, out);
}

static const struct overload *find_overload(const char *mangled)
{
    if (!strstr(mangled, "_matrix_mad_"))
        return NULL;
    for (size_t i = 0; i < TSR_ARRAY_LEN(overloads); i++) {
        char name[LONGEST_NAME];
        mangle(&overloads[i], name);
        if (!strcmp(name, mangled))
            return &overloads[i];
    }
    return NULL;
}

/* Functions reached from a kernel, each once. */
struct walk {
    LLVMValueRef *functions;
    uint32_t count, capacity;
    /* first call of a function for sub-groups of 8 and of 16 */
    LLVMValueRef call[2];
    const struct overload *overload[2];
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
    const struct overload *o = find_overload(name);
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
                       kernel->name, walk->overload[1]->name, walk->overload[1]->args[0], walk->overload[0]->name);
        return false;
    }
    int which = walk->call[1] != NULL;
    const struct overload *o = walk->overload[which];
    if (!o)
        return true;
    if (kernel->reqd_sub_group_size && kernel->reqd_sub_group_size != o->n) {
        put_error(log, walk->call[which]);
        tsr_buf_printf(log,
                       "%s with a first argument of type %s requires sub-group size %u, but kernel '%s' has "
                       "intel_reqd_sub_group_size(%u)\n",
                       o->name, o->args[0], o->n, kernel->name, kernel->reqd_sub_group_size);
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
