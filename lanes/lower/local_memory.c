/* SPDX-License-Identifier: Apache-2.0
 * Local variables (globals of address space 3) become offsets into the group's local memory.
 *
 * Kernels that share a function with local variables share one layout, so that a variable has one offset in the whole module. */
#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum {
    MOST_PRIVATE_BYTES = 1 << 30, /* of a function, for a work-item */
};
#define MOST_BYTES (UINT64_C(1) << 62) /* of a layout: what is larger counts as this */

struct variable {
    LLVMValueRef global;
    uint64_t size, offset;
    unsigned align;
    size_t owner; /* index of the first kernel of its layout, or SIZE_MAX */
};

struct locals {
    struct tsr__compilation *l;
    struct variable *variables;
    size_t count;
    struct tsr__map index;    /* global → index + 1 */
    struct tsr__map constant; /* constant → 1: holds a local variable, 2: does not */
    LLVMValueRef base;        /* the primitive local_base */
};

/* ---- rewriting ---- */

static bool holds_variable(struct locals *s, LLVMValueRef value)
{
    if (tsr__map_get(&s->index, value))
        return true;
    if (!LLVMIsAConstantExpr(value) && !LLVMIsAConstantVector(value) && !LLVMIsAConstantStruct(value) && !LLVMIsAConstantArray(value))
        return false;
    uintptr_t known = tsr__map_get(&s->constant, value);
    if (known)
        return known == 1;
    bool holds = false;
    for (int i = 0; i < LLVMGetNumOperands(value) && !holds; i++)
        holds = holds_variable(s, LLVMGetOperand(value, (unsigned)i));
    tsr__map_set(&s->constant, value, holds ? 1 : 2);
    return holds;
}

/* Instructions that compute what a constant over local variables says; NULL if that is no constant that clang makes. */
static LLVMValueRef compute_constant(struct locals *s, LLVMBuilderRef b, LLVMValueRef value)
{
    struct tsr__compilation *l = s->l;
    uintptr_t index = tsr__map_get(&s->index, value);
    if (index) {
        const struct variable *v = &s->variables[index - 1];
        LLVMValueRef array = tsr__local_array_placeholder(l, b, LLVMGlobalGetValueType(v->global), v->offset);
        return array ? array : tsr__at_offset(l, b, tsr__call(l, b, s->base, NULL, 0), v->offset);
    }
    if (!holds_variable(s, value))
        return value;
    int n = LLVMGetNumOperands(value);
    LLVMValueRef *operands = tsr_arena_alloc(&l->scratch, (size_t)n * sizeof(LLVMValueRef));
    for (int i = 0; i < n; i++) {
        operands[i] = compute_constant(s, b, LLVMGetOperand(value, (unsigned)i));
        if (!operands[i])
            return NULL;
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMIsAConstantVector(value)) {
        LLVMValueRef made = LLVMGetPoison(type);
        for (int i = 0; i < n; i++)
            made = LLVMBuildInsertElement(b, made, operands[i], tsr__i32(l, (uint32_t)i), "");
        return made;
    }
    if (!LLVMIsAConstantExpr(value)) {
        LLVMValueRef made = LLVMGetPoison(type);
        for (int i = 0; i < n; i++)
            made = LLVMBuildInsertValue(b, made, operands[i], (unsigned)i, "");
        return made;
    }
    LLVMOpcode op = LLVMGetConstOpcode(value);
    switch (op) {
    case LLVMGetElementPtr:
        return LLVMBuildGEPWithNoWrapFlags(b, LLVMGetGEPSourceElementType(value), operands[0], operands + 1, (unsigned)n - 1, "",
                                           LLVMGEPGetNoWrapFlags(value));
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
        return LLVMBuildCast(b, op, operands[0], type, "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        return LLVMBuildBinOp(b, op, operands[0], operands[1], "");
    default:
        return NULL;
    }
}

static bool rewrite_function(struct locals *s, LLVMValueRef f)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(s->l, f, &n);
    for (size_t i = 0; i < n; i++) {
        int operands = LLVMGetNumOperands(code[i]);
        for (int k = 0; k < operands; k++) {
            LLVMValueRef operand = LLVMGetOperand(code[i], (unsigned)k);
            if (!operand || !LLVMIsConstant(operand) || !holds_variable(s, operand))
                continue;
            LLVMValueRef at = code[i];
            if (LLVMIsAPHINode(code[i]))
                at = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(code[i], (unsigned)k));
            LLVMBuilderRef b = tsr__builder_before(s->l, at);
            LLVMValueRef made = compute_constant(s, b, operand);
            LLVMDisposeBuilder(b);
            if (!made)
                return tsr__fail(s->l, "'%s': unknown form of address of a local variable", tsr__name(f));
            if (!LLVMIsAPHINode(code[i])) {
                LLVMSetOperand(code[i], (unsigned)k, made);
                continue;
            }
            /* All entries of one predecessor must have the same value. */
            for (int j = k; j < operands; j++) {
                if (LLVMGetIncomingBlock(code[i], (unsigned)j) == LLVMGetIncomingBlock(code[i], (unsigned)k))
                    LLVMSetOperand(code[i], (unsigned)j, made);
            }
        }
    }
    return true;
}

/* ---- layout ---- */

static size_t find_root(size_t *parent, size_t k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

struct walk {
    struct locals *s;
    struct tsr__map seen; /* function → kernel + 1 that saw it last */
    size_t kernel;
    size_t *parent;
};

static void visit_value(struct walk *w, LLVMValueRef value)
{
    if (!holds_variable(w->s, value))
        return;
    uintptr_t index = tsr__map_get(&w->s->index, value);
    if (index) {
        struct variable *v = &w->s->variables[index - 1];
        if (v->owner == SIZE_MAX)
            v->owner = w->kernel;
        else
            w->parent[find_root(w->parent, w->kernel)] = find_root(w->parent, v->owner);
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        visit_value(w, LLVMGetOperand(value, (unsigned)i));
}

static void visit_function(struct walk *w, LLVMValueRef f)
{
    if (tsr__map_get(&w->seen, f) == w->kernel + 1)
        return;
    tsr__map_set(&w->seen, f, w->kernel + 1);
    size_t n;
    LLVMValueRef *code = tsr__instructions(w->s->l, f, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        if (callee && !LLVMIsDeclaration(callee))
            visit_function(w, callee);
        for (int k = 0; k < LLVMGetNumOperands(code[i]); k++) {
            LLVMValueRef operand = LLVMGetOperand(code[i], (unsigned)k);
            if (operand && LLVMIsConstant(operand))
                visit_value(w, operand);
        }
    }
}

static bool lay_out(struct locals *s)
{
    struct tsr__compilation *l = s->l;
    struct tsr_program_info *info = l->info;
    struct walk w = {.s = s, .seen = {.arena = &l->scratch}};
    w.parent = tsr_arena_alloc(&l->scratch, info->kernel_count * sizeof *w.parent);
    for (size_t k = 0; k < info->kernel_count; k++)
        w.parent[k] = k;
    for (w.kernel = 0; w.kernel < info->kernel_count; w.kernel++) {
        LLVMValueRef f = tsr__kernel(l, &info->kernels[w.kernel]);
        if (!f)
            return tsr__fail(l, "there is no kernel '%s' in the module", info->kernels[w.kernel].name);
        visit_function(&w, f);
    }
    uint64_t *sizes = tsr_arena_alloc(&l->scratch, info->kernel_count * sizeof *sizes);
    for (size_t i = 0; i < s->count; i++) {
        struct variable *v = &s->variables[i];
        if (v->owner == SIZE_MAX)
            continue;
        uint64_t *size = &sizes[find_root(w.parent, v->owner)];
        v->offset = (*size + v->align - 1) & ~(uint64_t)(v->align - 1);
        /* No sum wraps and looks small: a launch says that the device has less. */
        *size = v->size < MOST_BYTES - v->offset ? v->offset + v->size : MOST_BYTES;
    }
    for (size_t k = 0; k < info->kernel_count; k++)
        info->kernels[k].local_bytes = sizes[find_root(w.parent, k)];
    return true;
}

/* Private variables of a packet take as many bytes for each lane. Sums of the bytes of a frame wrap in LLVM, and offsets in it have 32
 * bits. */
static bool check_private(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    static const char body[] = "__clang_ocl_kern_imp_"; /* what clang calls the body of a kernel that is called as a function */
    const char *name = tsr__name(function);
    uint64_t sum = 0;
    name += tsr__starts_with(name, body) ? sizeof body - 1 : 0;
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i)) {
        uint64_t bytes = LLVMIsAAllocaInst(i) ? LLVMABISizeOfType(layout, LLVMGetAllocatedType(i)) : 0;
        if (bytes > MOST_PRIVATE_BYTES - sum)
            return tsr__fail(l, "the private variables of function '%s' take more than %d bytes", name, MOST_PRIVATE_BYTES);
        sum += bytes;
    }
    return true;
}

bool tsr__pass_local_memory(struct tsr__compilation *l)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    size_t global_count, function_count;
    LLVMValueRef *globals = tsr__globals(l, &global_count), *functions = tsr__defined_functions(l, &function_count);
    for (size_t k = 0; k < function_count; k++)
        if (!check_private(l, functions[k]))
            return false;
    struct locals s = {.l = l, .index = {.arena = &l->scratch}, .constant = {.arena = &l->scratch}};
    s.variables = tsr_arena_alloc(&l->scratch, global_count * sizeof *s.variables);
    for (size_t i = 0; i < global_count; i++) {
        LLVMTypeRef type = LLVMGlobalGetValueType(globals[i]);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(globals[i])) != TSR__LOCAL_SPACE)
            continue;
        struct variable *v = &s.variables[s.count++];
        *v = (struct variable){.global = globals[i], .size = LLVMABISizeOfType(layout, type), .owner = SIZE_MAX};
        unsigned natural = LLVMABIAlignmentOfType(layout, type), stated = LLVMGetAlignment(globals[i]);
        v->align = stated > natural ? stated : natural;
        if (v->align > TSR_MAX_ALIGN)
            return tsr__fail(l, "local variable '%s' wants an alignment of %u bytes; at most %d are there", tsr__name(globals[i]), v->align,
                             TSR_MAX_ALIGN);
        tsr__map_set(&s.index, globals[i], s.count);
    }
    if (!lay_out(&s))
        return false;
    if (!s.count)
        return true;
    LLVMTypeRef base_type = LLVMFunctionType(LLVMPointerTypeInContext(l->context, TSR__LOCAL_SPACE), NULL, 0, false);
    s.base = tsr__declare_call(l, TSR__CALL_LOCAL_BASE, base_type);
    for (size_t k = 0; k < function_count; k++) {
        if (!rewrite_function(&s, functions[k]))
            return false;
    }
    for (size_t i = 0; i < s.count; i++) {
        /* What is left are uses by debug information and by constants that nothing uses any more. */
        LLVMReplaceAllUsesWith(s.variables[i].global, LLVMGetPoison(LLVMTypeOf(s.variables[i].global)));
        LLVMDeleteGlobal(s.variables[i].global);
    }
    return true;
}
