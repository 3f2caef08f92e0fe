/* SPDX-License-Identifier: Apache-2.0
 * Control flow of the packet function: partial linearisation, after Moll and Hack.
 *
 * Blocks are built in compact order (cfg.h). A block that may run with some of the lanes only has a mask in a stack slot; each edge to
 * the block adds the lanes that take it. A uniform branch stays a branch. After a divergent branch both successors must run: the first
 * in compact order comes next, the other is *pending* and runs later. A divergent loop repeats while any lane wants another round; its
 * exits are pending until then. A block that accesses memory, is costly or unlikely, or leads to such blocks, is skipped if its mask is
 * empty. */
#include "lanes/widen/memory/access.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/prepare/unroll.h"
#include "lanes/widen/serial_loop.h"
#include "lanes/after/nontemporal.h"
#include "lanes/ir/layout.h"
#include "lanes/analysis/write_only.h"
#include "lanes/ir/match.h"

/* ---- which blocks need a test ---- */

/* Intrinsics are harmless but for copies of memory and traps, from which LLVM does not promise to come back. */
static bool call_may_hurt(LLVMValueRef callee)
{
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (callee && tsr__math_op(callee))
        return false;
    return !callee || !LLVMGetIntrinsicID(callee) || tsr__starts_with(tsr__name(callee), "llvm.mem") ||
           !LLVMGetEnumAttributeAtIndex(callee, at, tsr__attr_kind("willreturn"));
}

static bool may_hurt(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return true;
    case LLVMCall:
        return call_may_hurt(tsr__callee(inst));
    default:
        return false;
    }
}

/* Whether the branch that leads to the block, and it alone, can say if any lane takes it. */
static bool branch_knows(struct tsr__widener *s, int block, bool masked)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    int from = b->pred_count == 1 ? b->pred[0] : TSR__NONE;
    if (masked || from == TSR__NONE || s->shapes.partial[from] || !s->shapes.divergent_branch[from])
        return false;
    const struct tsr__block *f = &s->cfg.blocks[from];
    LLVMValueRef condition = f->succ_count == 2 ? LLVMGetCondition(f->terminator) : NULL;
    s->block = from;
    return condition && LLVMIsAInstruction(condition) && LLVMGetInstructionParent(condition) == f->ref && f->succ[0] != f->succ[1] &&
           tsr__can_compare_extreme_lane(s, condition, f->succ[1] == block);
}

static bool is_costly(const struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    if (b->loop != TSR__NONE && s->cfg.loops[b->loop].header == block)
        return true;
    if (b->succ_count > 1 && !s->shapes.divergent_branch[block])
        return true; /* its condition means nothing if no lane is here */
    int cost = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b->ref); i; i = LLVMGetNextInstruction(i)) {
        if (may_hurt(i))
            return true;
        cost++;
    }
    return cost > TSR__CHEAP_CODE;
}

/* Whether the source says so, with __builtin_expect, of the only way here. */
static bool is_unlikely(const struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    if (b->pred_count != 1)
        return false;
    const struct tsr__block *from = &s->cfg.blocks[b->pred[0]];
    LLVMValueRef weights = LLVMGetMetadata(from->terminator, LLVMGetMDKindIDInContext(s->l->context, "prof", 4)), parts[4];
    unsigned count = weights ? LLVMGetMDNodeNumOperands(weights) : 0;
    if (from->succ_count != 2 || count < 3 || count > sizeof parts / sizeof *parts)
        return false;
    LLVMGetMDNodeOperands(weights, parts); /* the last two are the numbers, in the order of the edges */
    unsigned long long other = LLVMConstIntGetZExtValue(parts[count - (from->succ[0] == block ? 1 : 2)]);
    return LLVMConstIntGetZExtValue(parts[count - (from->succ[0] == block ? 2 : 1)]) < other / 16;
}

/* Whether the block is skipped when no lane wants it: if it is unlikely or costly, or if a block that it dominates is skipped so, as one
 * test then serves for both. Successors have been asked before. */
static bool needs_test(const struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    bool needed = is_unlikely(s, block) || is_costly(s, block);
    for (int i = 0; i < b->succ_count && !needed; i++) {
        int next = b->succ[i];
        needed = s->cfg.blocks[next].idom == block && s->blocks[next].entry != s->blocks[next].body;
    }
    return needed && s->shapes.partial[block];
}

/* ---- going on ---- */

/* Branches to the first of the blocks in `wanted`; the others stay pending behind it. */
static void branch_to_first(struct tsr__widener *s, const struct tsr__block_list *wanted)
{
    struct tsr__widened_block *first = &s->blocks[wanted->block];
    first->pending = tsr__block_list_union(s->arena, first->pending, wanted->next);
    LLVMBuildBr(s->b, first->entry);
}

/* What an edge gives to the phis where it goes. */
struct edge {
    unsigned count;
    LLVMValueRef *values, *slots;
    bool *varying;
};

/* Reads all the values before any is written: a phi's value may be another phi's old one. */
static struct edge read_edge(struct tsr__widener *s, int from, int to)
{
    LLVMBasicBlockRef from_ref = s->cfg.blocks[from].ref;
    LLVMValueRef first = LLVMGetFirstInstruction(s->cfg.blocks[to].ref);
    unsigned room = 1;
    for (LLVMValueRef phi = first; LLVMGetInstructionOpcode(phi) == LLVMPHI; phi = LLVMGetNextInstruction(phi))
        room += (unsigned)tsr__value(s, phi)->component_count;
    struct edge edge = {0, tsr_arena_alloc(s->arena, room * sizeof *edge.values), tsr_arena_alloc(s->arena, room * sizeof *edge.slots),
                        tsr_arena_alloc(s->arena, room * sizeof *edge.varying)};
    for (LLVMValueRef phi = first; LLVMGetInstructionOpcode(phi) == LLVMPHI; phi = LLVMGetNextInstruction(phi)) {
        struct tsr__value *value = tsr__value(s, phi);
        LLVMValueRef incoming = tsr__incoming_from(phi, from_ref);
        if (LLVMIsUndef(incoming))
            continue; /* whatever is in the slot will do */
        bool varying = tsr__is_varying(value->shape);
        for (int i = 0; i < (varying ? value->component_count : 1); i++) {
            edge.varying[edge.count] = varying;
            edge.slots[edge.count] = varying ? value->components_in[i] : value->scalar_in;
            edge.values[edge.count++] = varying ? tsr__component_of(s, incoming, i) : tsr__scalar_of(s, incoming);
        }
    }
    return edge;
}

/* Whether lanes of an earlier edge may be waiting in the phis of `to`. The first edge need not care, and what lanes had that left a loop is
 * of no use in it: an exit has phis of its own, or the value outlives the loop in its stack slots. */
static bool others_wait(const struct tsr__widener *s, int from, int to)
{
    if (tsr__leaves_divergent_loop(&s->shapes, from, to))
        return true; /* each round */
    const struct tsr__block *b = &s->cfg.blocks[to];
    if (tsr__back_edge(from, to))
        return s->cfg.loops[b->loop].latch == TSR__NONE;
    for (int i = 0; i < b->pred_count; i++)
        if (b->pred[i] < from)
            return true;
    return false;
}

/* Adds the lanes of an edge to where it goes. With `blend`, lanes that are not among them keep what their phis have; with `maybe_empty`,
 * there need not be any lane, and then a uniform phi keeps what another edge gave it. */
static void emit_edge(struct tsr__widener *s, const struct edge *edge, int to, LLVMValueRef lanes, bool blend, bool maybe_empty)
{
    LLVMValueRef any = NULL;
    for (unsigned i = 0; i < edge->count; i++) {
        LLVMValueRef value = edge->values[i];
        if (!any && lanes && maybe_empty && !edge->varying[i])
            any = tsr__any_lane(s, lanes);
        LLVMValueRef condition = edge->varying[i] ? (blend ? lanes : NULL) : any;
        if (condition)
            value = tsr__blend(s, condition, value, LLVMBuildLoad2(s->b, LLVMTypeOf(value), edge->slots[i], ""));
        LLVMBuildStore(s->b, value, edge->slots[i]);
    }
    LLVMValueRef slot = s->blocks[to].mask_slot;
    if (slot) {
        LLVMValueRef old = LLVMBuildLoad2(s->b, tsr__mask_type(s), slot, "");
        LLVMBuildStore(s->b, LLVMBuildOr(s->b, old, tsr__mask_or_all(s, lanes), ""), slot);
    }
}

/* ---- terminators ---- */

/* Masks of the lanes for each successor of a conditional branch, in the order of the terminator's arms. */
static void arm_masks(struct tsr__widener *s, LLVMValueRef condition, LLVMValueRef masks[2])
{
    masks[0] = tsr__mask_and(s, s->mask, tsr__component_of(s, condition, 0));
    masks[1] = LLVMBuildXor(s->b, tsr__mask_or_all(s, s->mask), masks[0], "");
}

/* Some lane is in the block being built: it always runs with all that the function has, or a test stands before it. */
static bool surely_populated(const struct tsr__widener *s, int block)
{
    return !s->blocks[block].mask_slot || s->blocks[block].entry != s->blocks[block].body;
}

/* Another round of a divergent loop while any lane wants one; what is wanted behind it comes then. */
static void close_loop(struct tsr__widener *s, int number, const struct tsr__block_list *wanted)
{
    LLVMContextRef c = s->l->context;
    const struct tsr__widened_block *header = &s->blocks[s->cfg.loops[number].header];
    LLVMBasicBlockRef out = LLVMAppendBasicBlockInContext(c, s->to, "leave"), again = header->body;
    LLVMValueRef bits = tsr__mask_bits(s, LLVMBuildLoad2(s->b, tsr__mask_type(s), header->mask_slot, ""));
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(bits)), more = LLVMBuildICmp(s->b, LLVMIntNE, bits, none, "any");
    unsigned last = s->serial[number].lanes;
    if (last)
        again = LLVMAppendBasicBlockInContext(c, s->to, "again");
    LLVMBuildCondBr(s->b, more, again, out);
    if (last) {
        LLVMBasicBlockRef solo = LLVMAppendBasicBlockInContext(c, s->to, "solo");
        LLVMPositionBuilderAtEnd(s->b, again);
        LLVMTypeRef type = LLVMTypeOf(bits);
        LLVMValueRef count = tsr__build_intrinsic(s->l, s->b, "llvm.ctpop", &type, 1, &bits, 1);
        LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntUGT, count, LLVMConstInt(type, last, false), ""), header->body, solo);
        LLVMPositionBuilderAtEnd(s->b, solo);
        tsr__build_serial_loop(s, number, bits, out);
    }
    LLVMPositionBuilderAtEnd(s->b, out);
    LLVMBuildStore(s->b, LLVMConstNull(tsr__mask_type(s)), header->mask_slot); /* as it is */
    branch_to_first(s, wanted);
}

/* A divergent branch: each lane's mask bit goes to the successor that the lane takes, and the code for both successors follows in order. */
static void linear_branch(struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    const struct tsr__block_list *wanted = s->blocks[block].pending;
    int again = TSR__NONE; /* loop that goes round */
    LLVMValueRef masks[2] = {s->mask, s->mask};
    if (b->succ_count == 2)
        arm_masks(s, LLVMGetCondition(b->terminator), masks);
    for (int k = 0; k < b->succ_count; k++) {
        int to = b->succ[k];
        struct edge edge = read_edge(s, block, to);
        bool wait = others_wait(s, block, to);
        if (s->blocks[to].any_slot)
            LLVMBuildStore(s->b, tsr__compare_extreme_lane(s, LLVMGetCondition(b->terminator), k == 1), s->blocks[to].any_slot);
        emit_edge(s, &edge, to, masks[k], wait, wait && !tsr__back_edge(block, to) && (b->succ_count > 1 || !surely_populated(s, block)));
        if (tsr__back_edge(block, to))
            again = s->cfg.blocks[to].loop;
        else
            wanted = tsr__block_list_with(s->arena, wanted, to);
    }
    if (again == TSR__NONE)
        branch_to_first(s, wanted);
    else
        close_loop(s, again, wanted);
}

/* What the program says of a loop's code holds for packets, too. */
static void keep_loop_hint(struct tsr__widener *s, LLVMValueRef from, LLVMValueRef to)
{
    static const char hint[] = "llvm.loop.unroll.disable";
    unsigned rounds = tsr__loop_hint_number(s->l, from, TSR_UNROLL_LATE);
    if (rounds)
        tsr__set_loop_hint(s->l, to, TSR_UNROLL_LATE, rounds);
    else if (tsr__has_loop_hint(s->l, from, hint))
        tsr__set_loop_hint(s->l, to, hint, 0);
}

/* The lanes stay together. */
static void real_branch(struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    LLVMBasicBlockRef arms[2] = {0};
    struct edge edges[2];
    for (int k = 0; k < b->succ_count; k++)
        edges[k] = read_edge(s, block, b->succ[k]);
    if (b->succ_count == 2) {
        for (int k = 0; k < 2; k++)
            arms[k] = LLVMAppendBasicBlockInContext(s->l->context, s->to, "");
        LLVMBuildCondBr(s->b, tsr__scalar_of(s, LLVMGetCondition(b->terminator)), arms[0], arms[1]);
    }
    for (int k = 0; k < b->succ_count; k++) {
        int to = b->succ[k];
        if (arms[k])
            LLVMPositionBuilderAtEnd(s->b, arms[k]);
        bool wait = s->blocks[block].mask_slot && others_wait(s, block, to);
        emit_edge(s, &edges[k], to, s->mask, wait, wait && !surely_populated(s, block));
        if (tsr__back_edge(block, to))
            keep_loop_hint(s, b->terminator, LLVMBuildBr(s->b, s->blocks[to].body));
        else
            branch_to_first(s, tsr__block_list_with(s->arena, s->blocks[block].pending, to));
    }
}

static void leave_block(struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    tsr__debug_info_at(s, b->terminator);
    switch (LLVMGetInstructionOpcode(b->terminator)) {
    case LLVMRet:
        LLVMBuildRetVoid(s->b);
        return;
    case LLVMUnreachable: /* lanes that never come here must not suffer */
        if (s->blocks[block].pending)
            branch_to_first(s, s->blocks[block].pending);
        else
            LLVMBuildUnreachable(s->b);
        return;
    default:
        break;
    }
    bool linear = s->shapes.divergent_branch[block];
    for (int k = 0; k < b->succ_count; k++) {
        int to = b->succ[k];
        linear = linear || tsr__leaves_divergent_loop(&s->shapes, block, to);
        if (tsr__back_edge(block, to) && s->shapes.divergent_loop[s->cfg.blocks[to].loop])
            linear = true;
    }
    if (linear)
        linear_branch(s, block);
    else
        real_branch(s, block);
}

/* ---- a block ---- */

static void test_whether_needed(struct tsr__widener *s, int block)
{
    const struct tsr__block_list *wanted = s->blocks[block].pending;
    LLVMPositionBuilderAtEnd(s->b, s->blocks[block].entry);
    if (!wanted) { /* no other block is pending, so some lane is in this one */
        LLVMBuildBr(s->b, s->blocks[block].body);
        return;
    }
    LLVMBasicBlockRef skip = LLVMAppendBasicBlockInContext(s->l->context, s->to, "skip");
    LLVMValueRef any_slot = s->blocks[block].any_slot, any;
    if (any_slot)
        any = LLVMBuildLoad2(s->b, LLVMInt1TypeInContext(s->l->context), any_slot, "");
    else
        any = tsr__any_lane(s, LLVMBuildLoad2(s->b, tsr__mask_type(s), s->blocks[block].mask_slot, ""));
    LLVMBuildCondBr(s->b, any, s->blocks[block].body, skip);
    LLVMPositionBuilderAtEnd(s->b, skip);
    LLVMBuildStore(s->b, LLVMConstNull(tsr__mask_type(s)), s->blocks[block].mask_slot); /* so that LLVM knows */
    branch_to_first(s, wanted);
}

static void read_phi(struct tsr__widener *s, LLVMValueRef phi)
{
    struct tsr__value *value = tsr__value(s, phi);
    if (!tsr__is_varying(value->shape)) {
        tsr__set_scalar(s, phi, LLVMBuildLoad2(s->b, value->type, value->scalar_in, ""));
        return;
    }
    for (int i = 0; i < value->component_count; i++) {
        LLVMTypeRef type = tsr__vector_of(s, tsr__component_type(value->type, i));
        tsr__set_component(s, phi, i, LLVMBuildLoad2(s->b, type, value->components_in[i], ""));
    }
}

static void build_block(struct tsr__widener *s, int block)
{
    const struct tsr__block *b = &s->cfg.blocks[block];
    struct tsr__widened_block *to = &s->blocks[block];
    /* Exits of a divergent loop may have been taken in any earlier round. */
    if (b->loop != TSR__NONE && s->cfg.loops[b->loop].header == block && s->shapes.divergent_loop[b->loop])
        for (int i = s->cfg.loops[b->loop].begin; i < s->cfg.loops[b->loop].end; i++)
            for (int k = 0; k < s->cfg.blocks[i].succ_count; k++)
                if (!tsr__in_loop(&s->cfg, s->cfg.blocks[i].succ[k], b->loop))
                    to->pending = tsr__block_list_with(s->arena, to->pending, s->cfg.blocks[i].succ[k]);
    tsr__debug_info_at(s, LLVMGetFirstInstruction(b->ref));
    int alone = tsr__serial_loop_around(s, block);
    if (alone != TSR__NONE && s->cfg.loops[alone].header != block)
        return;
    if (to->entry != to->body)
        test_whether_needed(s, block);
    LLVMPositionBuilderAtEnd(s->b, to->body);
    s->block = block;
    s->mask = s->function_mask;
    if (to->mask_slot) {
        s->mask = LLVMBuildLoad2(s->b, tsr__mask_type(s), to->mask_slot, "mask");
        LLVMBuildStore(s->b, LLVMConstNull(tsr__mask_type(s)), to->mask_slot);
    }
    if (to->any_slot)
        LLVMBuildStore(s->b, LLVMConstNull(LLVMInt1TypeInContext(s->l->context)), to->any_slot);
    if (alone != TSR__NONE) {
        LLVMBasicBlockRef out = LLVMAppendBasicBlockInContext(s->l->context, s->to, "leave");
        tsr__build_serial_loop(s, alone, tsr__mask_bits(s, s->mask), out);
        LLVMPositionBuilderAtEnd(s->b, out);
        branch_to_first(s, s->blocks[block].pending);
        return;
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(b->ref); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsATerminatorInst(i))
            break;
        tsr__debug_info_at(s, i);
        if (LLVMGetInstructionOpcode(i) == LLVMPHI)
            read_phi(s, i);
        else if (!tsr__widen_arith(s, i) && !tsr__widen_memory(s, i) && !tsr__widen_call(s, i) && !tsr__widen_atomic(s, i))
            tsr__emit_lane_loop(s, i);
        if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
            tsr__store_to_slots(s, i);
    }
    leave_block(s, block);
}

/* ---- a function ---- */

/* Lanes that are there: as many as the work-group has, or the sub-group, or those of the row. */
static LLVMValueRef present_lanes(struct tsr__widener *s)
{
    if (s->shapes.packet.present)
        return tsr__first_lanes(s, s->shapes.packet.present);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    bool mixed = s->shapes.packet.mixed;
    enum tsr__engine_call size = mixed ? TSR__CALL_ROW_ITEMS : TSR__CALL_SUB_GROUP_SIZE;
    LLVMValueRef lanes = tsr__iota(s, i32, 1), count = tsr__build_query(s->l, s->b, size, -1);
    if (mixed) /* what stands before the row's first work-item wraps and is not less */
        lanes = LLVMBuildAdd(s->b, lanes, tsr__splat(s, tsr__build_query(s->l, s->b, TSR__CALL_ROW_AT, -1)), "");
    return LLVMBuildICmp(s->b, LLVMIntULT, lanes, tsr__splat(s, count), "present");
}

/* Fills `to`, which has the type of `from` and no body, with the code for a packet. False: the control flow cannot be done. */
bool tsr__widen_function(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef to, struct tsr__packet packet, bool masked)
{
    struct tsr_arena arena = {0};
    TSR__REQUIRE(packet.width >= 1 && packet.width <= TSR_MAX_GROUP_LANES && !(packet.width & (packet.width - 1)));
    struct tsr__widener s = {.l = l,
                             .arena = &arena,
                             .from = from,
                             .to = to,
                             .width = packet.width,
                             .sub_group = packet.sub_group,
                             .values = {.arena = &arena},
                             .records = {.arena = &arena},
                             .locations = {.arena = &arena}};
    s.layout = LLVMGetModuleDataLayout(l->module);
    if (!tsr__cfg_make(&s.cfg, from, &arena)) {
        tsr_arena_free(&arena);
        return false;
    }
    s.written_only = masked ? 0 : tsr__write_only_params(l, from);
    tsr__shapes_find(&s.shapes, &s.cfg, packet, &arena);
    tsr__choose_serial_loops(&s, masked);
    struct tsr__explain *explain = l->explain;
    if (masked)
        l->explain = NULL; /* the other body is the one that matters */
    tsr__explain_control_flow(&s);
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(l->context, to, "start");
    s.allocas = LLVMCreateBuilderInContext(l->context);
    s.b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(s.allocas, start);
    LLVMBasicBlockRef begin = LLVMAppendBasicBlockInContext(l->context, to, "begin");
    LLVMPositionBuilderAtEnd(s.b, begin);

    s.blocks = tsr_arena_alloc(&arena, (size_t)s.cfg.block_count * sizeof *s.blocks);
    for (int i = 0; i < s.cfg.block_count; i++) {
        struct tsr__widened_block *b = &s.blocks[i];
        int alone = tsr__serial_loop_around(&s, i);
        if (alone != TSR__NONE && s.cfg.loops[alone].header != i)
            continue; /* it has no code for the packet */
        const char *name = LLVMGetBasicBlockName(s.cfg.blocks[i].ref);
        b->body = LLVMAppendBasicBlockInContext(l->context, to, name);
        b->entry = b->body;
        if (s.shapes.partial[i]) {
            b->mask_slot = tsr__stack_slot(&s, tsr__mask_type(&s), "");
            LLVMBuildStore(s.b, LLVMConstNull(tsr__mask_type(&s)), b->mask_slot);
        }
    }
    tsr__values_prepare(&s);
    for (int i = s.cfg.block_count - 1; i >= 0; i--) {
        struct tsr__widened_block *b = &s.blocks[i];
        if (!b->body || !needs_test(&s, i))
            continue;
        b->entry = LLVMInsertBasicBlockInContext(l->context, b->body, "test");
        if (branch_knows(&s, i, masked)) {
            b->any_slot = tsr__stack_slot(&s, LLVMInt1TypeInContext(l->context), "");
            LLVMBuildStore(s.b, LLVMConstNull(LLVMInt1TypeInContext(l->context)), b->any_slot);
        }
    }
    tsr__prepare_accesses(&s);
    if (masked)
        s.function_mask = present_lanes(&s);
    LLVMBuildBr(s.b, s.blocks[0].entry);
    for (int i = 0; i < s.cfg.block_count; i++)
        build_block(&s, i);
    LLVMBuildBr(s.allocas, begin);
    LLVMDisposeBuilder(s.allocas);
    LLVMDisposeBuilder(s.b);
    tsr_arena_free(&arena);
    l->explain = explain;
    return true;
}
