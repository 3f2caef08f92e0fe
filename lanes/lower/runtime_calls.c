/* SPDX-License-Identifier: Apache-2.0
 * After the optimiser: notes what each kernel still asks of the device, and makes the placeholders calls through struct tsr_rt. */
#include <stdlib.h>
#include <string.h>

#include "tessera/item.h"

#include "lanes/ir/match.h"

static const struct {
    const char *name;
    size_t offset;
    uint32_t flags; /* of the kernels that reach it */
    uint32_t stack; /* bytes that it needs, if these are many */
} functions[] = {
    {TSR__RT_PREFIX "barrier", offsetof(struct tsr_rt, barrier), TSR_KERNEL_FIBERS, 0},
    {TSR__RT_PREFIX "exchange", offsetof(struct tsr_rt, exchange), TSR_KERNEL_FIBERS, 0},
    {TSR__RT_PREFIX "barrier_mismatch", offsetof(struct tsr_rt, barrier_mismatch), 0, 0},
    {TSR__RT_PREFIX "divergent_barrier", offsetof(struct tsr_rt, divergent_barrier), 0, 0},
    {TSR__RT_PREFIX "print", offsetof(struct tsr_rt, print), TSR_KERNEL_PRINTF, 0},
    {TSR__RT_PREFIX "address_space", offsetof(struct tsr_rt, address_space), TSR_KERNEL_ASKS_SPACES, 0},
    {TSR__RT_PREFIX "enqueue", offsetof(struct tsr_rt, enqueue), TSR_KERNEL_ENQUEUES, 0},
    {TSR__RT_PREFIX "tile_move", offsetof(struct tsr_rt, tile_move), 0, TSR_TILE_STACK_BYTES},
    {TSR__RT_PREFIX "tile_operand", offsetof(struct tsr_rt, tile_operand), 0, TSR_TILE_STACK_BYTES},
    {TSR__RT_PREFIX "tile_multiply", offsetof(struct tsr_rt, tile_multiply), 0, TSR_TILE_STACK_BYTES},
    {TSR__RT_PREFIX "tile_loop", offsetof(struct tsr_rt, tile_loop), 0, TSR_TILE_STACK_BYTES},
    {TSR__RT_PREFIX "tile_first", offsetof(struct tsr_rt, tile_first), 0, TSR_TILE_STACK_BYTES},
    {TSR__RT_PREFIX "tile_pack", offsetof(struct tsr_rt, tile_pack), 0, TSR_TILE_STACK_BYTES},
    {TSR__RT_PREFIX "matrix_product", offsetof(struct tsr_rt, matrix_product), 0, TSR_TILE_STACK_BYTES},
};

/* A barrier or exchange whose scope, its second argument, is a pair of sub-groups. */
static bool is_of_pairs(LLVMValueRef call)
{
    LLVMValueRef scope = LLVMGetNumArgOperands(call) > 1 ? LLVMGetOperand(call, 1) : NULL;
    return scope && tsr__is_constant(scope, TSR_SCOPE_PAIR);
}

/* Has the CPU what multiplies tiles so? */
static bool has_product(const struct tsr__compilation *l, int64_t how)
{
    const int64_t product = how & TSR_TILE_PRODUCT;
    return tsr__has(l, product == TSR_TILE_BF16 ? TSR_CPU_AMX_BF16 : product == TSR_TILE_F16 ? TSR_CPU_AMX_FP16 : TSR_CPU_AMX_INT8);
}

/* What a product of matrices asks of the kernel that makes it. Who wrote it chose the unit for another CPU, if this one lacks it: then the
 * model makes it, whose bits are the same. */
static uint32_t flags_of_product(const struct tsr__compilation *l, LLVMValueRef call)
{
    int64_t how;
    const unsigned last = (unsigned)LLVMGetNumArgOperands(call) - 1;
    if (strcmp(tsr__name(tsr__callee(call)), TSR__RT_PREFIX "matrix_product") != 0 || !tsr__constant_int(LLVMGetOperand(call, last), &how))
        return 0;
    if (how & TSR_TILE_IN_AMX && !has_product(l, how)) {
        how = (how & ~(int64_t)TSR_TILE_IN_AMX) | TSR_TILE_IN_MODEL;
        LLVMSetOperand(call, last, LLVMConstInt(LLVMTypeOf(LLVMGetOperand(call, last)), (uint64_t)how, false));
    }
    return (how & TSR_TILE_IN_AMX ? TSR_KERNEL_AMX_TILES : 0) | (how & TSR_TILE_MAY_WAIT ? TSR_KERNEL_SHARES_OPERANDS : 0);
}

static void lower_runtime_call(struct tsr__compilation *l, LLVMValueRef call, size_t offset)
{
    LLVMTypeRef ptr = tsr__ptr(l), type = LLVMGetCalledFunctionType(call);
    LLVMBuilderRef b = tsr__builder_before(l, call);
    LLVMValueRef group = tsr__load_fixed(l, b, ptr, LLVMGetOperand(call, 0), offsetof(struct tsr_item, group), 8);
    LLVMValueRef rt = tsr__load_fixed(l, b, ptr, group, offsetof(struct tsr_group, rt), 8);
    LLVMValueRef function = tsr__load_fixed(l, b, ptr, rt, offset, 8);
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, n * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < n; i++)
        args[i] = LLVMGetOperand(call, i);
    LLVMValueRef made = LLVMBuildCall2(b, type, function, args, n, "");
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
}

struct visit {
    struct tsr__compilation *l;
    struct tsr__map flags;  /* function → flags + 1, of what it calls itself */
    struct tsr__map stacks; /* function → bytes that these need */
    struct tsr__map seen;   /* function → kernel + 1 that came by last */
    uint32_t kernel;
    uint64_t stack;       /* most bytes that what the kernel calls needs */
    uint32_t tile_shapes; /* of what the kernel calls, all of which has the same */
};

static uint32_t flags_of(struct visit *v, LLVMValueRef f)
{
    if (tsr__map_get(&v->seen, f) == v->kernel + 1)
        return 0;
    tsr__map_set(&v->seen, f, v->kernel + 1);
    uint32_t flags = (uint32_t)tsr__map_get(&v->flags, f);
    const uint64_t stack = tsr__map_get(&v->stacks, f);
    v->stack = stack > v->stack ? stack : v->stack;
    if (tsr__has_text_attr(f, TSR__TILES))
        flags |= TSR_KERNEL_AMX_TILES;
    const char *shapes = tsr__fn_text(v->l, f, TSR__TILE_SHAPES);
    v->tile_shapes = shapes ? (uint32_t)atoi(shapes) : v->tile_shapes;
    if (tsr__has_text_attr(f, TSR__SHARES))
        flags |= TSR_KERNEL_SHARES_OPERANDS;
    if (tsr__has_text_attr(f, TSR__TWICE))
        flags |= TSR_KERNEL_RUNS_TWICE;
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i)) {
        LLVMValueRef callee = tsr__callee(i);
        if (callee && !LLVMIsDeclaration(callee))
            flags |= flags_of(v, callee);
    }
    return flags;
}

bool tsr__pass_runtime_calls(struct tsr__compilation *l)
{
    struct visit v = {.l = l, .flags = {.arena = &l->scratch}, .stacks = {.arena = &l->scratch}, .seen = {.arena = &l->scratch}};
    for (size_t k = 0; k < TSR_ARRAY_LEN(functions); k++) {
        LLVMValueRef placeholder = LLVMGetNamedFunction(l->module, functions[k].name);
        if (!placeholder)
            continue;
        LLVMUseRef use;
        while ((use = LLVMGetFirstUse(placeholder)) != NULL) {
            LLVMValueRef call = LLVMGetUser(use);
            if (tsr__callee(call) != placeholder)
                return tsr__fail(l, "internal error: the address of %s is taken", functions[k].name);
            LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
            uint32_t flags = functions[k].flags;
            if (flags & TSR_KERNEL_FIBERS && is_of_pairs(call))
                flags |= TSR_KERNEL_SUB_GROUP_PAIRS;
            flags |= flags_of_product(l, call);
            tsr__map_set(&v.flags, f, tsr__map_get(&v.flags, f) | flags);
            if (functions[k].stack > tsr__map_get(&v.stacks, f))
                tsr__map_set(&v.stacks, f, functions[k].stack);
            lower_runtime_call(l, call, functions[k].offset);
        }
        LLVMDeleteFunction(placeholder);
    }
    for (v.kernel = 0; v.kernel < l->info->kernel_count; v.kernel++) {
        struct tsr_kernel_info *kernel = &l->info->kernels[v.kernel];
        kernel->flags &= ~(uint32_t)(TSR_KERNEL_FIBERS | TSR_KERNEL_PRINTF | TSR_KERNEL_AMX_TILES | TSR_KERNEL_SHARES_OPERANDS |
                                     TSR_KERNEL_RUNS_TWICE | TSR_KERNEL_ASKS_SPACES | TSR_KERNEL_ENQUEUES | TSR_KERNEL_TELLS_ERRORS);
        LLVMValueRef entry = tsr__entry(l, kernel);
        if (!entry)
            return false;
        v.stack = v.tile_shapes = 0;
        kernel->flags |= flags_of(&v, entry);
        kernel->device_stack_bytes = v.stack;
        kernel->tile_shapes = v.tile_shapes;
        if (kernel->flags & TSR_KERNEL_BARRIER_REGIONS) /* they need their contexts even if no barrier is left */
            kernel->flags |= TSR_KERNEL_FIBERS;
        if (kernel->flags & TSR_KERNEL_ENQUEUES && l->options->debug)
            kernel->flags |= TSR_KERNEL_TELLS_ERRORS;
        if (l->options->denorms_are_zero)
            kernel->flags |= TSR_KERNEL_DENORMS_ZERO;
    }
    return true;
}
