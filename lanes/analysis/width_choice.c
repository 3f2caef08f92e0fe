/* SPDX-License-Identifier: Apache-2.0
 * Packet width, the vectorisation factor: a cost heuristic for packets that are wider or narrower than the default, which the device
 * chooses (tsr_target.default_sub_group_size). tsr__sub_group_size in ir/ir.c has the last word.
 *
 * Kernels that run in wider packets, unless they can tell: those whose data have 8 or 16 bits, as sixteen bytes fill a quarter of a
 * register, and those whose code is a chain, as a packet of two registers is two chains, of which one goes on while the other waits for a
 * result. In narrower ones run, with AVX2, those whose lanes go along rows, and those whose doubles would not fit into the registers. */
#include "lanes/analysis/width_choice.h"
#include "lanes/ir/costs.h"

#include <string.h>

#include "lanes/ir/cfg.h"
#include "lanes/ir/calls.h"
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/pressure.h"
#include "lanes/analysis/row_walks.h"
#include "lanes/ir/explain.h"

static unsigned data_bits(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
        return 16;
    default:
        return 64;
    }
}

static bool is_small(LLVMTypeRef type)
{
    return data_bits(type) <= 16;
}

/* Numbers that are made of ids and constants may be large: they are addresses and counters mostly. */
static bool keeps_small(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return is_small(LLVMTypeOf(inst));
    case LLVMStore:
        return is_small(LLVMTypeOf(LLVMGetOperand(inst, 0)));
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPExt:
    case LLVMUIToFP:
    case LLVMSIToFP: {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
        return !is_small(from) || data_bits(from) == 1 || is_small(LLVMTypeOf(inst));
    }
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMFPTrunc:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return false;
    default:
        return true;
    }
}

bool tsr__may_choose_width(struct tsr__compilation *l, uint32_t number)
{
    const struct tsr_kernel_info *info = &l->info->kernels[number];
    LLVMValueRef kernel = tsr__kernel(l, info);
    if (info->reqd_sub_group_size || (l->variants && l->variants[number] != TSR__VARIANT_AS_ASKED) ||
        tsr__sub_group_size(l, info) >= TSR__WIDE_LANES || tsr__group_visibility(l, kernel) > TSR__SEES_NUMBERS)
        return false;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        if (tsr__call_of(code[i]) == TSR__CALL_MAX_SUB_GROUP_SIZE)
            return false;
    }
    return true;
}

/* Of simplified code: all that is read, written and computed of it has 8 or 16 bits. */
static bool has_small_data(struct tsr__compilation *l, LLVMValueRef kernel)
{
    bool stores = false;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        if (!keeps_small(code[i]))
            return false;
        stores = stores || LLVMIsAStoreInst(code[i]);
    }
    return stores;
}

/* Registers of 16 lanes for the numbers that go from round to round. */
static uint64_t carried_registers(struct tsr__compilation *l, LLVMBasicBlockRef header)
{
    enum { LANES = 16 };
    uint64_t sum = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(header); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMTypeRef type = LLVMTypeOf(i);
        unsigned count = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            type = LLVMGetElementType(type);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind != LLVMPointerTypeKind && kind != LLVMStructTypeKind &&
            kind != LLVMArrayTypeKind) /* LLVM has taken apart what is a record */
            sum += tsr__vector_registers(l, LLVMVectorType(type, count * LANES));
    }
    return sum;
}

/* Is the block more than the CPU looks ahead, with little in it that does not wait for what stands in front of it? */
static bool is_chain(struct tsr__compilation *l, LLVMBasicBlockRef block)
{
    struct tsr__map depths = {.arena = &l->scratch};
    uintptr_t count = 0, deepest = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i), count++) {
        uintptr_t depth = 0;
        for (int k = 0; !LLVMIsAPHINode(i) && k < LLVMGetNumOperands(i); k++) {
            uintptr_t of_operand = tsr__map_get(&depths, LLVMGetOperand(i, (unsigned)k));
            depth = of_operand > depth ? of_operand : depth;
        }
        tsr__map_set(&depths, i, depth + 1);
        deepest = depth + 1 > deepest ? depth + 1 : deepest;
    }
    return count >= TSR__CHAIN_CODE && count < TSR__CHAIN_BESIDE * deepest;
}

/* Of code in its last form: a packet of one register would wait for its own results most of the time, and two registers for each number
 * are there. */
static bool is_latency_bound(struct tsr__compilation *l, LLVMValueRef kernel)
{
    struct tsr__cfg cfg;
    if (!tsr__has(l, TSR_CPU_AVX512F) || !tsr__cfg_make(&cfg, kernel, &l->scratch))
        return false;
    bool waits = cfg.loop_count > 0;
    for (int i = 0; i < cfg.loop_count; i++)
        if (carried_registers(l, cfg.blocks[cfg.loops[i].header].ref) > TSR__WIDE_MAX_CARRIED)
            return false;
    for (int b = 0; b < cfg.block_count && !waits; b++)
        waits = is_chain(l, cfg.blocks[b].ref);
    return waits;
}

static void use_width(struct tsr__compilation *l, uint32_t number, enum tsr__variant width, const char *why)
{
    LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[number]);
    bool wide = width == TSR__VARIANT_WIDE;
    if (!l->variants)
        l->variants = tsr_arena_alloc(&l->scratch, (l->info->kernel_count + 1) * sizeof *l->variants);
    l->variants[number] = width;
    tsr__set_fn_text(l, kernel, wide ? TSR__WIDE_PACKETS : TSR__NARROW_PACKETS, "");
    tsr__explain(l, kernel, "sub-group", wide ? "wider" : "narrower", "%d lanes, since %s", wide ? TSR__WIDE_LANES : TSR__NARROW_LANES,
                 why);
}

/* Of work-groups that it sees, a kernel may have some that do not fill wider packets. */
static bool may_widen(struct tsr__compilation *l, LLVMValueRef kernel)
{
    return tsr__has_text_attr(kernel, TSR__ANY_WIDTH) && tsr__group_visibility(l, kernel) == TSR__SEES_RANGE;
}

bool tsr__pass_widen_small_data(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (may_widen(l, kernel) && has_small_data(l, kernel))
            use_width(l, i, TSR__VARIANT_WIDE, "all data have 8 or 16 bits");
    }
    return true;
}

bool tsr__pass_widen_latency_bound(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (may_widen(l, kernel) && tsr__sub_group_size(l, &l->info->kernels[i]) < TSR__WIDE_LANES && is_latency_bound(l, kernel))
            use_width(l, i, TSR__VARIANT_WIDE, "a register alone would wait for its own results");
    }
    return true;
}

static bool is_double(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* Why packets of TSR__NARROW_LANES would be faster, or NULL. */
static const char *reason_for_narrow(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width)
{
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    if (!tsr__cfg_make(&cfg, kernel, &l->scratch))
        return NULL;
    tsr__shapes_find(&shapes, &cfg, (struct tsr__packet){.width = width, .sub_group = width, .whole_rows = true}, &l->scratch);
    if (tsr__has_row_walks(l, &shapes))
        return "its lanes go along rows of their own";
    return tsr__registers_in_use(l, &shapes, is_double, &l->scratch) > tsr__cpu_registers(l) ? "its doubles fill the registers" : NULL;
}

bool tsr__pass_narrow_packets(struct tsr__compilation *l)
{
    bool one_register = tsr__has(l, TSR_CPU_AVX2) && !tsr__has(l, TSR_CPU_AVX512F); /* for so many numbers of 32 bits */
    for (uint32_t i = 0; one_register && i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        unsigned width = tsr__sub_group_size(l, &l->info->kernels[i]);
        bool may = tsr__has_text_attr(kernel, TSR__ANY_WIDTH) && width > TSR__NARROW_LANES && width < TSR__WIDE_LANES;
        const char *why = may ? reason_for_narrow(l, kernel, width) : NULL;
        if (why)
            use_width(l, i, TSR__VARIANT_NARROW, why);
    }
    return true;
}
