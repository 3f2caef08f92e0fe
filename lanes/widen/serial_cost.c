/* SPDX-License-Identifier: Apache-2.0
 * The cost model of divergent loops: rounds of the packet against serialised lanes.
 *
 * If the rounds are mostly gathers, all lanes are serialised from the first round on: one row of a sparse matrix takes less time by
 * itself than a packet's gathers do for each lane. Else only the last lanes are: lists and trees differ in length, and a round with
 * gathers costs as much for one lane as for all; also if there are other such loops in it. If the loop writes memory in an order that
 * others may rely on, as lanes of a sub-group that step together do, only the very last lane is serialised: all other lanes have left the
 * loop by then, so the order of effects is unchanged. Loops that all lanes leave together may be mostly gathers, too, and then lanes are
 * treated as if they left when they like. */
#include "lanes/widen/memory/access.h"
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/lane_waits.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/unroll.h"
#include "lanes/widen/serial_loop.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "tessera/lanes.h"

/* ---- what may be copied ---- */

static bool may_be_serialised(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall: /* primitives and collectives speak of the packet */
        return tsr__callee(inst) && LLVMGetIntrinsicID(tsr__callee(inst));
    case LLVMAlloca:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMFence:
        return false;
    default:
        return true;
    }
}

/* A phi behind the loop whose slot has lane 0's value, as no one lane can write it. */
static bool has_affine_phi(const struct tsr__widener *s, int block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[block].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        struct tsr__shape shape = tsr__shape_of(&s->shapes, i);
        if (!tsr__is_varying(shape) && !tsr__is_uniform(shape))
            return true;
    }
    return false;
}

/* Whether other lanes may see when it happens. Volatile and atomic loads may wait for what another lane does. `apart`: lanes are work-items
 * that know of no others, so that what they do to global memory comes in any order. */
static bool depends_on_lane_order(LLVMValueRef inst, bool apart)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return !tsr__is_plain_access(inst);
    case LLVMStore: {
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 1)));
        return space != TSR__PRIVATE_SPACE && !(apart && space == TSR__GLOBAL_SPACE && tsr__is_plain_access(inst));
    }
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return !apart || LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) != TSR__GLOBAL_SPACE;
    case LLVMCall:
        return tsr__starts_with(tsr__name(tsr__callee(inst)), "llvm.mem");
    default:
        return false;
    }
}

/* ---- what a round costs ---- */

struct round {
    unsigned packet, lane; /* in tenths of a cycle */
    unsigned gathers;
};

/* How many gathers a load is, or scatters a store; 0: the lanes lie side by side, or may do so. */
static unsigned gather_count(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef pointer = tsr__accessed_pointer(inst);
    LLVMTypeRef type = tsr__accessed_type(inst);
    int64_t bytes = (int64_t)LLVMABISizeOfType(s->layout, type);
    struct tsr__shape shape = tsr__shape_of(&s->shapes, pointer);
    struct tsr__address a;
    if (!bytes || tsr__is_uniform(shape))
        return 0;
    int64_t component = (int64_t)LLVMABISizeOfType(s->layout, tsr__component_type(type, 0));
    if (!tsr__is_varying(shape) && shape.stride >= -component && shape.stride <= component * TSR__SHORT_STRIDE)
        return 0;
    if (tsr__is_varying(shape) && tsr__address_of(s, pointer, &a) && tsr__speculated_stride(s, &a) == bytes)
        return 0;
    int64_t most = tsr__has(s->l, TSR_CPU_AVX512F) ? 8 : 16;
    return (unsigned)((bytes + most - 1) / most);
}

static unsigned gather_cost(const struct tsr__widener *s, LLVMValueRef access)
{
    const bool fast = tsr__has(s->l, TSR_CPU_AVX512F) && !tsr__has(s->l, TSR_CPU_SLOW_GATHERS);
    if (LLVMABISizeOfType(s->layout, tsr__accessed_type(access)) % 4)
        return fast && LLVMIsALoadInst(access) ? TSR__GATHER_PART_COST : TSR__GATHER_SMALL_COST;
    if (!tsr__has(s->l, TSR_CPU_AVX512F))
        return TSR__GATHER_NONE_COST;
    return fast ? TSR__GATHER_COST : TSR__GATHER_SLOW_COST;
}

/* Registers of the packet that an instruction writes. */
static unsigned registers_written(const struct tsr__widener *s, LLVMValueRef inst)
{
    unsigned bits = tsr__has(s->l, TSR_CPU_AVX512F) ? 512 : tsr__has(s->l, TSR_CPU_AVX2) ? 256 : 128;
    LLVMTypeRef type = LLVMTypeOf(inst);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind || tsr__is_uniform(tsr__shape_of(&s->shapes, inst)))
        return 1;
    unsigned all = s->width * 8 * (unsigned)LLVMABISizeOfType(s->layout, type);
    return (all + bits - 1) / bits;
}

static void add_round_cost(struct tsr__widener *s, LLVMValueRef inst, struct round *round)
{
    unsigned gathers = 0;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMPHI:
    case LLVMBr:
    case LLVMGetElementPtr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMFreeze:
        return; /* part of something else, mostly */
    case LLVMFDiv:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        round->lane += TSR__DIVISION_COST;
        round->packet += TSR__DIVISION_COST * registers_written(s, inst);
        return;
    case LLVMLoad:
    case LLVMStore:
        gathers = gather_count(s, inst);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        if (!tsr__is_varying(tsr__shape_of(&s->shapes, LLVMGetOperand(inst, 0))))
            break; /* one for all lanes, or places side by side */
        round->lane += TSR__ATOMIC_COST;
        round->packet += (TSR__ATOMIC_COST + TSR__ATOMIC_LANE_COST) * s->width;
        round->gathers++;
        return;
    default:
        break;
    }
    round->lane += TSR__OPERATION_COST;
    round->gathers += gathers;
    round->packet += gathers ? gathers * s->width * gather_cost(s, inst) : TSR__REGISTER_COST * registers_written(s, inst);
}

/* Whether lanes part in the block, to meet again in the same round. */
static bool parts_within(const struct tsr__widener *s, const struct tsr__loop *loop, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    if (!s->shapes.divergent_branch[block])
        return false;
    for (int k = 0; k < b->succ_count; k++)
        if (b->succ[k] < loop->begin || b->succ[k] >= loop->end || tsr__back_edge(block, b->succ[k]))
            return false;
    return true;
}

/* ---- whether the lanes' ways depend on what they find ---- */

enum { FOUND = 1, CARRIED = 2 }; /* made of what a gather brought; … in an earlier round */

static unsigned marks_of(const struct tsr__map *marks, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? (unsigned)tsr__map_get(marks, v) : 0;
}

static unsigned new_marks(struct tsr__widener *s, const struct tsr__loop *loop, const struct tsr__map *marks, LLVMValueRef inst,
                          unsigned parting)
{
    unsigned found = 0;
    for (int k = 0; k < LLVMGetNumOperands(inst); k++)
        found |= marks_of(marks, LLVMGetOperand(inst, (unsigned)k));
    if (LLVMIsALoadInst(inst) && tsr__is_varying(tsr__shape_of(&s->shapes, inst)))
        found |= FOUND;
    if (!LLVMIsAPHINode(inst))
        return found;
    bool is_header = tsr__cfg_number(&s->cfg, LLVMGetInstructionParent(inst)) == loop->header;
    return is_header ? found & FOUND ? found | CARRIED : found : found | parting;
}

/* A walk through a list or a tree: each gather waits for the one of the round before. A lane by itself would wait as long as all of them.
 */
static bool is_chase(struct tsr__widener *s, const struct tsr__loop *loop)
{
    struct tsr__map marks = {.arena = s->arena};
    unsigned parting = 0; /* what decides which way lanes go within a round */
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = loop->begin; b < loop->end; b++) {
            const struct tsr__block *block = &s->cfg.blocks[b];
            for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
                unsigned found = new_marks(s, loop, &marks, i, parting);
                if (found == marks_of(&marks, i))
                    continue;
                tsr__map_set(&marks, i, found);
                changed = true;
            }
            if (parts_within(s, loop, b))
                parting |= marks_of(&marks, LLVMGetCondition(block->terminator));
        }
    }
    for (int b = loop->begin; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) && marks_of(&marks, LLVMGetOperand(i, 0)) & CARRIED)
                return true;
    return false;
}

/* ---- the decision ---- */

enum { MOST_QUICK = 4 }; /* operations from round to round: a row's four elements are added up one after the other */

/* Is the next round's value of the header's phi made of this one's by a few quick operations on integers? */
static bool goes_on_quickly(LLVMValueRef phi, LLVMValueRef next, unsigned most)
{
    if (next == phi || !most || !LLVMIsAInstruction(next))
        return next == phi;
    LLVMValueRef first = LLVMGetNumOperands(next) ? LLVMGetOperand(next, 0) : NULL;
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMGetElementPtr:
        return goes_on_quickly(phi, first, most - 1);
    case LLVMSelect:
        return goes_on_quickly(phi, LLVMGetOperand(next, 1), most - 1) && goes_on_quickly(phi, LLVMGetOperand(next, 2), most - 1);
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMAnd:
    case LLVMXor:
        return goes_on_quickly(phi, first, most - 1) || goes_on_quickly(phi, LLVMGetOperand(next, 1), most - 1);
    default:
        return false;
    }
}

/* Vectors of each lane are loads, stores and shuffles, not gathers. (row_vectors.c) */
static bool has_wide_access(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetTypeKind(tsr__accessed_type(i)) == LLVMVectorTypeKind)
            return true;
    return false;
}

/* A loop that all lanes leave together, and whose rounds wait for nothing that the ones before compute: what lanes by themselves would do
 * one after the other is then done at once as far as the CPU can. */
static bool may_part(const struct tsr__widener *s, int number)
{
    const struct tsr__loop *loop = &s->cfg.loops[number];
    if (s->shapes.divergent_loop[number] || loop->latch == TSR__NONE ||
        tsr__has_loop_hint(s->l, s->cfg.blocks[loop->latch].terminator, TSR_ROW_REST))
        return false;
    for (int b = loop->begin; b < loop->end; b++)
        if (s->cfg.blocks[b].loop != number || has_wide_access(s->cfg.blocks[b].ref))
            return false;
    LLVMBasicBlockRef latch = s->cfg.blocks[loop->latch].ref;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[loop->header].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        if (!goes_on_quickly(i, tsr__incoming_from(i, latch), MOST_QUICK))
            return false;
    return true;
}

/* Are its rounds vectors once a lane goes by itself? (along_rows.c) */
bool tsr__goes_along_row(const struct tsr__widener *s, const struct tsr__loop *loop)
{
    return loop->latch != TSR__NONE && tsr__has_loop_hint(s->l, s->cfg.blocks[loop->latch].terminator, TSR_ALONG_ROW);
}

/* `apart`: see depends_on_lane_order(). */
static struct tsr__serial_choice choose_for_loop(struct tsr__widener *s, int number, bool masked, bool apart)
{
    const struct tsr__loop *loop = &s->cfg.loops[number];
    struct round round = {.lane = TSR__ROUND_COST};
    struct tsr__serial_choice never = {0};
    bool ordered = false, has_inner = false; /* a loop in it that lanes leave in different rounds, too */
    int count = 0;
    if (loop->latch == TSR__NONE)
        return never;
    for (int b = loop->begin; b < loop->end; b++) {
        const struct tsr__block *block = &s->cfg.blocks[b];
        has_inner = has_inner || (block->loop != number && s->shapes.divergent_loop[block->loop]);
        for (int k = 0; k < block->succ_count; k++)
            if (!tsr__in_loop(&s->cfg, block->succ[k], number) && has_affine_phi(s, block->succ[k]))
                return never;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
            if (!may_be_serialised(i) || ++count > TSR__SERIAL_MAX_CODE)
                return never;
            ordered = ordered || depends_on_lane_order(i, apart);
            add_round_cost(s, i, &round);
        }
        if (parts_within(s, loop, b))
            round.lane += TSR__MISTAKE_COST;
    }
    struct tsr__serial_choice solo = {.gathers = round.gathers, .packet = round.packet / 10, .lane = (round.lane + 5) / 10};
    if (!round.gathers)
        return never;
    ordered = ordered || tsr__loop_looks(&s->cfg, number, s->arena);
    bool less = round.lane * s->width * TSR__SERIAL_LANES / 16 < round.packet || tsr__goes_along_row(s, loop);
    if (!ordered && !has_inner && less && !is_chase(s, loop))
        solo.lanes = s->width;
    else if (!masked) /* of partial packets there are few */
        solo.lanes = ordered ? 1 : s->width / TSR__LAST_LANES;
    return solo;
}

void tsr__choose_serial_loops(struct tsr__widener *s, bool masked)
{
    bool apart = tsr__group_visibility(s->l, s->from) < TSR__SEES_SUB_GROUPS;
    s->serial = tsr_arena_alloc(s->arena, ((size_t)s->cfg.loop_count + 1) * sizeof *s->serial);
    for (int i = 0; i < s->cfg.loop_count; i++)
        if (may_part(s, i) && choose_for_loop(s, i, masked, apart).lanes == s->width)
            tsr__shapes_part_loop(&s->shapes, i, s->arena);
    for (int i = 0; i < s->cfg.loop_count; i++)
        if (s->shapes.divergent_loop[i])
            s->serial[i] = choose_for_loop(s, i, masked, apart);
}

int tsr__serial_loop_around(const struct tsr__widener *s, int block)
{
    int loop = s->cfg.blocks[block].loop;
    while (loop != TSR__NONE && s->serial[loop].lanes < s->width)
        loop = s->cfg.loops[loop].parent;
    return loop;
}
