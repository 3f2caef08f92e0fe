/* SPDX-License-Identifier: Apache-2.0
 * Keeps of the packet functions those that launches and the request want: a launch needs the one for full packets first, most need no
 * other, and half of LLVM's time goes into the other. Code of full packets calls the other function by an address in the work-group, which
 * the device has once that function's own code is there. A kernel none of whose packets can be full has the other function alone. */
#include "lanes/ir/costs.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/packet_kernel.h"
#include "tessera/item.h"

static bool has_tile_registers(const struct tsr__compilation *l)
{
    return tsr__tile_unit(l) == TSR__TILES_AMX || tsr__tile_unit(l) == TSR__TILES_MODEL;
}

/* Whether no launch has full packets: the required size in x leaves the rows of work-groups with others, and packets do not reach across
 * groups. */
static bool is_never_full(const struct tsr__compilation *l, const struct tsr_kernel_info *kernel)
{
    const uint32_t others = TSR_KERNEL_MIXED_GROUPS | TSR_KERNEL_GROUP_SIZE | TSR_KERNEL_ONE_LANE;
    return !(kernel->flags & others) && tsr_required_size(kernel, 0) % tsr__sub_group_size(l, kernel);
}

static void drop_whole(struct tsr__compilation *l, const struct tsr_kernel_info *kernel, LLVMValueRef partial)
{
    LLVMValueRef whole = tsr__whole_function(l, kernel);
    if (!whole)
        return;
    LLVMReplaceAllUsesWith(whole, partial);
    LLVMDeleteFunction(whole);
}

/* Both requests must give the kernel the same packets. So the kernel is compiled as it was asked for, and both bodies together are small
 * enough that the second request, which sees full packets no more, need not ask what it costs. Packets with tile registers share their
 * plan. */
static bool can_wait(struct tsr__compilation *l, uint32_t number, LLVMValueRef partial)
{
    uint64_t most = l->options->code_budget;
    return !l->retried && !(has_tile_registers(l) && tsr__has_mads(partial)) &&
           (!most || tsr__code_cost(l, LLVMGetNamedFunction(l->module, l->info->kernels[number].entry)) <= most);
}

static void drop_body(LLVMValueRef f)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef last;
        while ((last = LLVMGetLastInstruction(bb))) {
            if (LLVMGetTypeKind(LLVMTypeOf(last)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(last, LLVMGetUndef(LLVMTypeOf(last)));
            LLVMInstructionEraseFromParent(last);
        }
    }
    while (LLVMGetFirstBasicBlock(f))
        LLVMDeleteBasicBlock(LLVMGetFirstBasicBlock(f));
}

/* How arguments are passed depends on attributes of the call: structs by value, numbers of fewer than 32 bits. */
static void copy_attributes(struct tsr__compilation *l, LLVMValueRef f, LLVMValueRef call)
{
    for (LLVMAttributeIndex p = 1; p <= LLVMCountParams(f); p++) {
        unsigned count = LLVMGetAttributeCountAtIndex(f, p);
        LLVMAttributeRef *attributes = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *attributes);
        LLVMGetAttributesAtIndex(f, p, attributes);
        for (unsigned i = 0; i < count; i++)
            LLVMAddCallSiteAttribute(call, p, attributes[i]);
    }
}

/* The function only goes on to the one at the work-group's address. */
static void make_jump(struct tsr__compilation *l, LLVMValueRef f)
{
    unsigned n = LLVMCountParams(f);
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, n * sizeof *args);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    drop_body(f);
    tsr__set_fn_text(l, f, TSR__ELSEWHERE, "");
    LLVMGetParams(f, args);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(l->context, f, ""));
    LLVMValueRef group = tsr__load_fixed(l, b, tsr__ptr(l), args[n - 1], offsetof(struct tsr_item, group), 8);
    LLVMValueRef partial = tsr__load_fixed(l, b, tsr__ptr(l), group, offsetof(struct tsr_group, partial), 8);
    copy_attributes(l, f, LLVMBuildCall2(b, LLVMGlobalGetValueType(f), partial, args, n, ""));
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

/* A request for all bodies has both, each of which is what it would be by itself. */
static void leave_for_later(struct tsr__compilation *l, struct tsr_kernel_info *kernel, LLVMValueRef partial)
{
    if (l->options->bodies == TSR_BODIES_ALL) {
        tsr__set_fn_text(l, partial, TSR__MAY_WAIT, "");
        return;
    }
    make_jump(l, partial);
    kernel->flags |= TSR_KERNEL_PARTIAL_LATER;
}

/* Makes the function the kernel's entry, and forgets the former one. */
static bool make_entry(struct tsr__compilation *l, struct tsr_kernel_info *kernel, LLVMValueRef partial)
{
    LLVMValueRef entry = tsr__entry(l, kernel);
    if (!partial || !entry)
        return tsr__fail(l, "kernel %s has no packets that are not full", kernel->name);
    LLVMDeleteFunction(entry);
    LLVMSetLinkage(partial, LLVMExternalLinkage);
    kernel->entry = tsr_arena_format(l->arena, "%s", tsr__name(partial));
    return true;
}

bool tsr__pass_choose_bodies(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr_kernel_info *kernel = &l->info->kernels[i];
        LLVMValueRef partial = tsr__partial_function(l, kernel);
        if (l->options->bodies == TSR_BODIES_PARTIAL && !make_entry(l, kernel, partial))
            return false;
        if (l->options->bodies == TSR_BODIES_PARTIAL || !partial)
            continue;
        if (is_never_full(l, kernel))
            drop_whole(l, kernel, partial);
        else if (can_wait(l, i, partial))
            leave_for_later(l, kernel, partial);
    }
    return true;
}
