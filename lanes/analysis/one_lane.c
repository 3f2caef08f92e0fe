/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose packets are one work-item: those whose work-items wait for each other at locks, and those that compute with vectors of
 * their own that fill the CPU's registers, or read and write such vectors along rows of their own.
 *
 * A packet of sixteen takes a uint16 apart into sixteen registers, so a few values fill all registers there are. One work-item after the
 * other keeps each in one register and reads it with one load; what it computes of scalars takes as many instructions as a packet's lanes.
 */
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/lane_waits.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/analysis/pressure.h"
#include "lanes/analysis/row_walks.h"
#include "lanes/analysis/shape.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/lane_registers.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

/* The type that says how much an instruction does. */
static LLVMTypeRef data_type(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMStore:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMTrunc:
    case LLVMFPTrunc:
        return LLVMTypeOf(LLVMGetOperand(inst, 0));
    default:
        return LLVMTypeOf(inst);
    }
}

static bool is_access(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst);
}

/* What makes one vector of values, or takes one apart, is nothing to packets. */
static bool is_shuffle(LLVMValueRef inst)
{
    return LLVMIsAInsertElementInst(inst) || LLVMIsAExtractElementInst(inst) || LLVMIsAShuffleVectorInst(inst);
}

/* An element whose number is no constant: packets compare the number with each. */
static bool is_choice(LLVMValueRef inst)
{
    return (LLVMIsAExtractElementInst(inst) && !LLVMIsAConstantInt(LLVMGetOperand(inst, 1))) ||
           (LLVMIsAInsertElementInst(inst) && !LLVMIsAConstantInt(LLVMGetOperand(inst, 2)));
}

static bool is_free(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    return LLVMIsAPHINode(inst) || LLVMIsAAllocaInst(inst) || LLVMIsABitCastInst(inst) || LLVMIsAFreezeInst(inst) ||
           tsr__call_of(inst) != TSR__CALL_NONE ||
           (callee && (tsr__starts_with(tsr__name(callee), "llvm.lifetime.") || tsr__starts_with(tsr__name(callee), "llvm.assume")));
}

/* ---- costs: quarters of a vector instruction ---- */

static uint64_t cost_of_registers(uint64_t registers)
{
    return registers * TSR__ONE_LANE_VECTOR;
}

/* Instructions for each register of the result. */
static uint64_t instructions(const struct tsr__compilation *l, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    bool bytes =
        LLVMGetInstructionOpcode(inst) == LLVMMul && tsr__element_bits(l, tsr__is_vector_type(type) ? LLVMGetElementType(type) : type) == 8;
    return bytes ? TSR__ONE_LANE_BYTES : 1;
}

/* Of what a packet does for all of its work-items. */
static uint64_t packet_cost(const struct tsr__compilation *l, const struct tsr__shapes *shapes, LLVMValueRef inst, bool spills)
{
    LLVMTypeRef type = data_type(inst);
    unsigned width = shapes->packet.width, count = tsr__is_vector_type(type) ? LLVMGetVectorSize(type) : 1;
    LLVMValueRef decides = LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 1) : LLVMIsALoadInst(inst) ? LLVMGetOperand(inst, 0) : inst;
    struct tsr__shape shape = tsr__shape_of(shapes, decides);
    if (is_access(inst) ? tsr__is_uniform(shape) : !tsr__is_varying(shape))
        return tsr__is_vector_type(type) ? cost_of_registers(tsr__vector_registers(l, type)) : 1;
    if (is_choice(inst)) {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
        return cost_of_registers(2 * LLVMGetVectorSize(from) * tsr__packet_registers(l, LLVMGetElementType(from), width));
    }
    if (is_shuffle(inst) && tsr__is_vector_type(LLVMTypeOf(LLVMGetOperand(inst, 0))))
        return 0;
    uint64_t registers = tsr__packet_registers(l, type, width);
    if (!registers)
        return 1;
    if (is_access(inst) && tsr__is_varying(shape))
        return cost_of_registers((uint64_t)width * count);
    for (unsigned n = is_access(inst) ? count : 1; n > 1; n /= 2) /* shuffles between the order of memory and that of lanes */
        registers += count;
    return cost_of_registers(registers * (instructions(l, inst) + (spills ? TSR__ONE_LANE_SPILL : 0)));
}

/* A scalar of a floating-point type takes the units that vectors do. */
static bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static uint64_t item_cost(const struct tsr__compilation *l, LLVMValueRef inst)
{
    LLVMTypeRef type = data_type(inst);
    if (tsr__is_vector_type(type))
        return LLVMIsAInsertElementInst(inst) ? 1 : cost_of_registers(tsr__vector_registers(l, type) * instructions(l, inst));
    return is_float(type) && !is_access(inst) && !is_shuffle(inst) ? cost_of_registers(1) : 1;
}

static bool has_long_vectors(struct tsr__compilation *l, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMTypeRef type = data_type(code[i]);
        unsigned elements = tsr__is_vector_type(type) ? LLVMGetVectorSize(type) : 0;
        if (elements >= TSR__ONE_LANE_ELEMENTS ||
            (elements && elements * tsr__element_bits(l, LLVMGetElementType(type)) >= TSR__ONE_LANE_BITS))
            return true;
    }
    return false;
}

static bool is_whole_register(struct tsr__compilation *l, LLVMTypeRef type)
{
    return tsr__is_vector_type(type) && LLVMGetVectorSize(type) * tsr__element_bits(l, LLVMGetElementType(type)) == 8 * TSR__REGISTER_BYTES;
}

/* Does each lane go along a row of its own, in all accesses of the loop of one block, of registers of SSE in some? A packet would take each
 * apart, and put it together again. */
static bool walks_with_registers(struct tsr__compilation *l, const struct tsr__shapes *shapes, const struct tsr__loop *loop)
{
    LLVMBasicBlockRef block = shapes->cfg->blocks[loop->header].ref;
    struct tsr__row_walk walk;
    bool any = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (!is_access(i) || tsr__is_uniform(tsr__shape_of(shapes, tsr__accessed_pointer(i))))
            continue;
        if (!tsr__walks_row(l, shapes, block, i, &walk))
            return false;
        any = any || is_whole_register(l, tsr__accessed_type(i));
    }
    return any;
}

static bool has_register_rows(struct tsr__compilation *l, const struct tsr__shapes *shapes)
{
    const struct tsr__cfg *cfg = shapes->cfg;
    for (int i = 0; i < cfg->loop_count; i++)
        if (cfg->loops[i].end - cfg->loops[i].begin == 1 && !shapes->divergent_loop[i] && walks_with_registers(l, shapes, &cfg->loops[i]))
            return true;
    return false;
}

/* Whether a packet's work-items, one after the other, take less than the packet, in a kernel that has long vectors or rows of shorter ones.
 */
static bool is_cheaper(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    uint64_t packet = 0, items = 0;
    const bool long_vectors = has_long_vectors(l, kernel);
    if (tsr__cfg_make(&cfg, kernel, &arena)) {
        tsr__shapes_find(&shapes, &cfg, (struct tsr__packet){.width = width, .sub_group = width, .whole_rows = true}, &arena);
        if (!long_vectors && !has_register_rows(l, &shapes)) {
            tsr_arena_free(&arena);
            return false;
        }
        bool spills = tsr__registers_in_use(l, &shapes, tsr__any_type, &arena) > tsr__cpu_registers(l);
        for (int b = 0; b < cfg.block_count; b++) {
            int depth = cfg.blocks[b].loop == TSR__NONE ? 0 : cfg.loops[cfg.blocks[b].loop].depth;
            unsigned shift = TSR__LOOP_ROUNDS_LOG2 * (unsigned)(depth < 8 ? depth : 8);
            for (LLVMValueRef i = LLVMGetFirstInstruction(cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
                if (is_free(i))
                    continue;
                packet += packet_cost(l, &shapes, i, spills) << shift;
                items += (item_cost(l, i) * width) << shift;
            }
        }
    }
    tsr_arena_free(&arena);
    return items < packet;
}

/* The kernel knows nothing of sub-groups, and packets have no operation for what it calls. */
static bool may_run_alone(struct tsr__compilation *l, LLVMValueRef kernel, const struct tsr_kernel_info *info)
{
    if (info->reqd_sub_group_size || tsr__group_visibility(l, kernel) >= TSR__SEES_SUB_GROUPS)
        return false;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        if (callee && (tsr__is_madw(callee) || tsr__is_dot(l, callee) || tsr__is_image(callee)))
            return false;
    }
    return true;
}

static const char *reason(struct tsr__compilation *l, uint32_t number)
{
    const struct tsr_kernel_info *info = &l->info->kernels[number];
    LLVMValueRef kernel = tsr__kernel(l, info);
    const uint64_t *size = info->reqd_local_size;
    if ((l->variants && l->variants[number] >= TSR__VARIANT_REFERENCE) || !may_run_alone(l, kernel, info))
        return NULL;
    if (tsr__lanes_wait_for_lanes(l, kernel, tsr__sub_group_size(l, info)))
        return "they wait for each other";
    bool alone = size[0] == 1 && size[1] == 1 && size[2] == 1;
    if (alone && tsr__group_visibility(l, kernel) == TSR__SEES_GROUPS)
        return "its work-groups have one";
    return is_cheaper(l, kernel, tsr__sub_group_size(l, info)) ? "its own vectors fill the registers" : NULL;
}

bool tsr__pass_one_lane(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        const char *why = reason(l, i);
        if (!why)
            continue;
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        tsr__set_fn_text(l, kernel, TSR__ONE_LANE, "");
        tsr__explain(l, kernel, "packets", "one item", "a work-item at a time, since %s", why);
    }
    return true;
}
