/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of lanes side by side, reversed or interleaved. Chooses the way to mask them. */
#include "lanes/widen/memory/access.h"
#include "lanes/widen/memory/fork.h"

struct tsr__fork tsr__fork_on(struct tsr__widener *s, LLVMValueRef condition)
{
    LLVMContextRef c = s->l->context;
    struct tsr__fork f = {LLVMAppendBasicBlockInContext(c, s->to, "straight"), LLVMAppendBasicBlockInContext(c, s->to, "other"),
                          LLVMAppendBasicBlockInContext(c, s->to, "")};
    LLVMBuildCondBr(s->b, condition, f.straight, f.other);
    LLVMPositionBuilderAtEnd(s->b, f.straight);
    return f;
}

LLVMBasicBlockRef tsr__fork_way_ends(struct tsr__widener *s, const struct tsr__fork *f, LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(s->b);
    LLVMBuildBr(s->b, f->after);
    LLVMPositionBuilderAtEnd(s->b, next);
    return end;
}

LLVMValueRef tsr__fork_phi(struct tsr__widener *s, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y, LLVMBasicBlockRef from_y)
{
    LLVMValueRef both = LLVMBuildPhi(s->b, LLVMTypeOf(x), "");
    LLVMAddIncoming(both, &x, &from_x, 1);
    LLVMAddIncoming(both, &y, &from_y, 1);
    return both;
}

/* AMD's CPUs fetch nothing ahead of AVX2's masked loads, so that a stream from memory takes 1.7 times as long: they are for packets in
 * which not all lanes are there. */
static void load_tested(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    LLVMValueRef others[TSR__MAX_STRIDE];
    struct tsr__widener unmasked = *s;
    unmasked.mask = NULL;
    struct tsr__fork f = tsr__fork_on(s, tsr__all_lanes(s, s->mask));
    tsr__direct_load(&unmasked, a, p, components);
    LLVMBasicBlockRef straight = tsr__fork_way_ends(s, &f, f.other);
    tsr__direct_load(s, a, p, others);
    LLVMBasicBlockRef masked = tsr__fork_way_ends(s, &f, f.after);
    for (unsigned i = 0; i < TSR__MAX_STRIDE; i++)
        if (a->members >> i & 1)
            components[i] = tsr__fork_phi(s, components[i], straight, others[i], masked);
}

/* A load of lanes side by side; `p` is lane 0's address. */
void tsr__contiguous_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (tsr__is_blended(s, a))
        tsr__blended_load(s, a, p, components);
    else if (tsr__needs_mask_emulation(s, a))
        tsr__emulated_load(s, a, p, components);
    else if (s->mask && !s->function_mask && !tsr__has(s->l, TSR_CPU_AVX512F))
        load_tested(s, a, p, components);
    else
        tsr__direct_load(s, a, p, components);
}

/* AVX2's masked stores take AMD's CPUs a dozen cycles each: they are for packets in which not all lanes are there. */
static void store_tested(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    struct tsr__widener unmasked = *s;
    unmasked.mask = NULL;
    struct tsr__fork f = tsr__fork_on(s, tsr__all_lanes(s, s->mask));
    tsr__direct_store(&unmasked, a, p, components);
    tsr__fork_way_ends(s, &f, f.other);
    tsr__direct_store(s, a, p, components);
    tsr__fork_way_ends(s, &f, f.after);
}

void tsr__contiguous_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (tsr__is_blended(s, a))
        tsr__blended_store(s, a, p, components);
    else if (tsr__needs_mask_emulation(s, a))
        tsr__emulated_store(s, a, p, components);
    else if (s->mask && !tsr__has(s->l, TSR_CPU_AVX512F))
        store_tested(s, a, p, components);
    else
        tsr__direct_store(s, a, p, components);
}
