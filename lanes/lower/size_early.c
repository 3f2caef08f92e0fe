/* SPDX-License-Identifier: Apache-2.0
 * Too much code, before it is made: by inlining, and for LLVM's passes, some of whose time grows with the square of the code. */
#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"

bool tsr__pass_size_early(struct tsr__compilation *l)
{
    tsr__retry_costly_kernels(l, TSR__EARLY_BUDGETS * l->options->code_budget);
    return true;
}

/* ---- inlining ---- */

/* A kernel in a packet has all that it calls inlined, which may be exponential: a() calls b() twice, b() calls c() twice, and so on. Where
 * work-items part counts more: some of LLVM's passes take time that grows with the square of the branches in a function. */
struct sizes {
    struct tsr__compilation *packets; /* in which matrix functions become operations; NULL: they are inlined as well */
    struct tsr__map of;               /* function → what it counts + 1 */
    uint64_t most;
    bool weighted; /* branches count as packets make of them */
};

/* The weight of an instruction that is no call. */
static uint64_t count_of(const struct sizes *sizes, LLVMValueRef inst)
{
    if (!sizes->weighted)
        return 1;
    if (LLVMIsASwitchInst(inst))
        return (uint64_t)TSR__INLINED_WAY * LLVMGetNumSuccessors(inst);
    return LLVMIsABranchInst(inst) && LLVMIsConditional(inst) ? TSR__INLINED_BRANCH : 1;
}

/* Packets have operations or functions for it. Those that may be outlined are no longer than TSR__OUTLINED_CALLS where they are not. */
static bool stays_call(struct sizes *sizes, LLVMValueRef f)
{
    struct tsr__compilation *l = sizes->packets;
    return l && (tsr__mad_overload(l, f) || tsr__is_cold(f) || tsr__may_outline(f));
}

/* What `f` counts once all that it calls is inlined, or some number above `most`. */
static uint64_t inlined_size(struct sizes *sizes, LLVMValueRef f)
{
    uint64_t known = tsr__map_get(&sizes->of, f), size = 0;
    if (known)
        return known - 1;
    if (LLVMIsDeclaration(f) || tsr__is_collective(tsr__call_of_function(f)) || stays_call(sizes, f))
        return 1;
    tsr__map_set(&sizes->of, f, sizes->most + 2); /* of a recursion that clang has let through */
    for (LLVMValueRef i = tsr__first(f); i && size <= sizes->most; i = tsr__next(i)) {
        LLVMValueRef callee = tsr__callee(i);
        size += callee ? inlined_size(sizes, callee) : count_of(sizes, i);
    }
    tsr__map_set(&sizes->of, f, size + 1);
    return size;
}

/* 0 in the budget: any number. */
static uint64_t most_inlined(const struct tsr__compilation *l)
{
    return l->variants && l->options->code_budget ? l->options->code_budget / TSR__INLINED_PART : UINT64_MAX - 2;
}

static void mark_reached(struct tsr__map *reached, LLVMValueRef f)
{
    if (LLVMIsDeclaration(f) || tsr__map_get(reached, f))
        return;
    tsr__map_set(reached, f, 1);
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i))
        if (tsr__callee(i))
            mark_reached(reached, tsr__callee(i));
}

/* What is to be inlined for another kernel's sake stays a call in `f`, if it is more than a few instructions. They count without weights:
 * `f` runs a work-item at a time, where a branch is one instruction. */
static void keep_calls(struct tsr__compilation *l, LLVMValueRef f, struct sizes *sizes, const struct tsr__map *elsewhere)
{
    LLVMAttributeRef noinline = LLVMCreateEnumAttribute(l->context, tsr__attr_kind("noinline"), 0);
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i)) {
        LLVMValueRef callee = tsr__callee(i);
        if (callee && tsr__map_get(elsewhere, callee) && inlined_size(sizes, callee) > TSR__INLINED_FEW)
            LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, noinline);
    }
}

/* A work-item at a time may call. */
static void run_alone(struct tsr__compilation *l, uint32_t kernel)
{
    if (l->variants[kernel] == TSR__VARIANT_REFERENCE)
        return;
    l->variants[kernel] = TSR__VARIANT_REFERENCE;
    if (l->options->log)
        tsr_buf_printf(
            l->options->log,
            "note: kernel %s: with all that it calls it has more than %llu instructions, of which a branch counts as %d, a way of "
            "a switch as %d: a work-item at a time\n",
            l->info->kernels[kernel].name, (unsigned long long)most_inlined(l), TSR__INLINED_BRANCH, TSR__INLINED_WAY);
}

struct tsr__map tsr__inlined_functions(struct tsr__compilation *l)
{
    struct sizes sizes = {.packets = l, .of = {.arena = &l->scratch}, .most = most_inlined(l), .weighted = true};
    struct sizes plain = {.of = {.arena = &l->scratch}, .most = TSR__INLINED_FEW};
    struct tsr__map reached = {.arena = &l->scratch};
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[k]);
        if (inlined_size(&sizes, kernel) > sizes.most)
            run_alone(l, k);
        if (!l->variants || l->variants[k] != TSR__VARIANT_REFERENCE)
            mark_reached(&reached, kernel);
    }
    for (size_t i = 0; i < count; i++)
        if (!tsr__map_get(&reached, functions[i]))
            keep_calls(l, functions[i], &plain, &reached);
    return reached;
}
