/* SPDX-License-Identifier: Apache-2.0
 * What the packets of a kernel cost LLVM's passes and the code generator. Their time grows faster than the code, so a kernel that costs
 * too much goes back to become narrower packets, and after that work-items one by one. The measure is the same on every machine: a time
 * limit would not be. */
#include "lanes/ir/ir.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/match.h"
#include "lanes/lower/outline_gathers.h"

static uint64_t cost_of(const struct tsr__compilation *l, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMExtractElement:
    case LLVMInsertElement:
        return 1;
    case LLVMCall:
        return tsr__vector_registers(l, LLVMTypeOf(inst)) + (uint64_t)tsr__emulated_lanes(l, inst) * TSR__EMULATED_LANE;
    case LLVMStore:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMTrunc:
    case LLVMFPTrunc:
        return tsr__vector_registers(l, LLVMTypeOf(LLVMGetOperand(inst, 0)));
    default:
        return tsr__vector_registers(l, LLVMTypeOf(inst));
    }
}

struct visit {
    struct tsr__compilation *l;
    struct tsr__map seen;
};

static bool is_home(LLVMValueRef inst)
{
    return LLVMIsAAllocaInst(inst) && LLVMGetTypeKind(LLVMGetAllocatedType(inst)) != LLVMArrayTypeKind;
}

/* Of a function and what it calls that this visit has not seen. */
static uint64_t cost_from(struct visit *v, LLVMValueRef f)
{
    uint64_t sum = 0, slots = 0;
    if (LLVMIsDeclaration(f) || tsr__map_get(&v->seen, f) || tsr__has_text_attr(f, TSR__MAY_WAIT))
        return 0;
    tsr__map_set(&v->seen, f, 1);
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i)) {
        LLVMValueRef callee = tsr__callee(i);
        sum += cost_of(v->l, i) + (callee ? cost_from(v, callee) : 0);
        slots += is_home(i);
    }
    return sum + slots * LLVMCountBasicBlocks(f) / TSR__SLOT_BLOCKS;
}

uint64_t tsr__code_cost(struct tsr__compilation *l, LLVMValueRef function)
{
    struct visit v = {.l = l, .seen = {.arena = &l->scratch}};
    return cost_from(&v, function);
}

/* False: it runs one work-item at a time already. */
static bool retry_narrower(struct tsr__compilation *l, uint32_t number, uint64_t cost, uint64_t most)
{
    const struct tsr_kernel_info *kernel = &l->info->kernels[number];
    if (!(kernel->flags & TSR_KERNEL_PACKETS))
        return false;
    enum tsr__variant before = l->variants[number];
    const char *wrapping = tsr_arena_format(&l->scratch, "%s." TSR__WRAPPING, kernel->name);
    bool fewer = before < TSR__VARIANT_UNVERSIONED && (before == TSR__VARIANT_WIDE || LLVMGetNamedFunction(l->module, wrapping));
    bool narrow = !fewer && before < TSR__VARIANT_NARROW && tsr__sub_group_size(l, kernel) > TSR__NARROW_LANES &&
                  !kernel->reqd_sub_group_size && cost <= most * tsr__sub_group_size(l, kernel) / TSR__NARROW_LANES;
    l->variants[number] = fewer ? TSR__VARIANT_UNVERSIONED : narrow ? TSR__VARIANT_NARROW : TSR__VARIANT_REFERENCE;
    if (l->options->log)
        tsr_buf_printf(l->options->log, "note: kernel %s: packets of %u would be too much code (%llu of %llu): %s\n", kernel->name,
                       kernel->sub_group_size, (unsigned long long)cost, (unsigned long long)most,
                       fewer    ? before == TSR__VARIANT_WIDE ? "they get as wide as others"
                                                              : "indices that may wrap are not looked at beforehand"
                       : narrow ? "sub-groups get smaller"
                                : "a work-item at a time");
    return true;
}

/* Of a kernel. The body for indices that wrap, one too many for most kernels, counts by itself. */
static uint64_t kernel_cost(struct tsr__compilation *l, const struct tsr_kernel_info *kernel)
{
    struct visit v = {.l = l, .seen = {.arena = &l->scratch}}, other = v;
    LLVMValueRef wrapping = LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "%s." TSR__WRAPPING, kernel->name));
    const uint64_t alone = wrapping ? cost_from(&other, wrapping) : 0;
    if (wrapping)
        tsr__map_set(&v.seen, wrapping, 1);
    const uint64_t rest = cost_from(&v, LLVMGetNamedFunction(l->module, kernel->entry));
    return rest > alone ? rest : alone;
}

void tsr__retry_costly_kernels(struct tsr__compilation *l, uint64_t most)
{
    for (uint32_t k = 0; most && l->variants && k < l->info->kernel_count; k++) {
        const uint64_t cost = kernel_cost(l, &l->info->kernels[k]);
        if (cost > most && retry_narrower(l, k, cost, most))
            l->retry = true;
    }
}

static void outline_from(struct visit *v, LLVMValueRef f)
{
    if (LLVMIsDeclaration(f) || tsr__map_get(&v->seen, f))
        return;
    tsr__map_set(&v->seen, f, 1);
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i))
        if (tsr__callee(i))
            outline_from(v, tsr__callee(i));
    tsr__outline_gathers(v->l, f);
}

/* In the functions for packets of kernels that would be too much code. */
static void outline_gathers(struct tsr__compilation *l)
{
    const uint64_t most = l->options->code_budget;
    for (uint32_t k = 0; most && k < l->info->kernel_count; k++) {
        const struct tsr_kernel_info *kernel = &l->info->kernels[k];
        if (kernel->flags & TSR_KERNEL_PACKETS && kernel_cost(l, kernel) > most)
            outline_from(&(struct visit){.l = l, .seen = {.arena = &l->scratch}}, LLVMGetNamedFunction(l->module, kernel->entry));
    }
}

bool tsr__pass_size_late(struct tsr__compilation *l)
{
    outline_gathers(l);
    tsr__retry_costly_kernels(l, l->options->code_budget);
    return true;
}
