/* SPDX-License-Identifier: Apache-2.0
 * Barrier regions: work-item loops with continuations.
 *
 * Regions: packets that meet at barriers run in one call, without a stack each.
 *
 * An exchange among the work-group is a barrier, too (group_exchange.c). The packet function is cut behind each barrier. Every packet runs
 * up to its next barrier, puts what it still needs into its context, and the next packet goes on; when all are there, the first one goes on
 * behind the barrier. Whoever comes from where is decided by a number, so barriers may stand in loops and branches in any way. Packets that
 * end a round at different barriers are in illegal divergence. */
#include <string.h>

#include "lanes/after/prefetch.h"
#include "lanes/after/unswitch_rounds.h"
#include "lanes/analysis/group_visibility.h"
#include "lanes/groups/group_exchange.h"
#include "lanes/groups/lone_packets.h"
#include "lanes/groups/packet_loop.h"
#include "lanes/groups/barrier_liveness.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/ir/match.h"
#include "tessera/item.h"

enum {
    TURNS = 3,
    HEADER_BYTES = 8, /* the call site where the packet waits, 0 = it has returned */
    MAX_DEPTH = 4,    /* instructions, one upon the other, that are made again rather than kept */
};

/* The packets of a function: full ones, sub-groups in linear order, parts of rows, or parts of a group of known size. */
enum region_packets { PACKETS_FULL, PACKETS_DENSE, PACKETS_OF_ROWS, PACKETS_LINEAR };

/* A barrier: the last thing in its block but for the branch. */
struct stop {
    LLVMValueRef call;
    LLVMBasicBlockRef before, behind;
    uint32_t site;
    bool exchanges;
};

struct cut {
    struct tsr__packet_loop r; /* first: what packet_loop.c knows of the loops */
    struct tsr_arena *arena;
    struct stop *stops;
    unsigned stop_count;
    struct tsr__barrier_liveness slots;
    uint64_t bytes;          /* of a context */
    uint64_t exchange_bytes; /* of the largest exchange, for each packet */
    enum region_packets kind;
    struct tsr__group_size known;
    bool *tells_where; /* by stop, and for the return: packets that set out together may not all end their round there */
    bool may_part;     /* … anywhere */
    bool multiplies;   /* matrices, in tiles */
    bool asks_lanes;   /* some block asks the device whether all lanes came: it reads the call site */
    LLVMBasicBlockRef arrive;
    LLVMValueRef next, traded;       /* phis of `arrive`: where the packet goes on, and whether it waits at an exchange */
    LLVMValueRef frame;              /* its context */
    LLVMValueRef packet, packets;    /* its number, and how many there are */
    LLVMValueRef own_area, all_area; /* of the next exchange, of the one before */
};

/* ---- cutting ---- */

static void redirect_branches(LLVMValueRef f, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        for (unsigned i = 0; t && i < LLVMGetNumSuccessors(t); i++)
            if (LLVMGetSuccessor(t, i) == from)
                LLVMSetSuccessor(t, i, to);
    }
}

/* What stands up to the barrier moves into a block of its own before the rest, so that phis further on need not change. */
static void split_at_barrier(struct cut *c, struct stop *stop)
{
    LLVMContextRef context = c->r.l->context;
    LLVMBasicBlockRef rest = LLVMGetInstructionParent(stop->call);
    stop->before = LLVMInsertBasicBlockInContext(context, rest, "before");
    redirect_branches(c->r.f, rest, stop->before);
    LLVMPositionBuilderAtEnd(c->r.b, stop->before);
    for (LLVMValueRef i; (i = LLVMGetFirstInstruction(rest)) != NULL;) {
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(c->r.b, i);
        if (tsr__call_of(i) == TSR__CALL_SITE && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            stop->site = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
        if (i == stop->call)
            break;
    }
    LLVMBuildBr(c->r.b, rest);
}

static bool is_query(LLVMValueRef inst)
{
    return tsr__is_query(tsr__call_of(inst)) && (LLVMGetNumArgOperands(inst) == 0 || LLVMIsAConstantInt(LLVMGetOperand(inst, 0)));
}

/* What a few instructions make of queries, constants and arguments. */
static bool is_cheap(LLVMValueRef v, int depth)
{
    if (LLVMIsAConstant(v) || LLVMIsAArgument(v) || is_query(v))
        return true;
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFreeze: /* copies have one value if it is not poison, which queries are not */
        return is_query(LLVMGetOperand(v, 0));
    case LLVMICmp:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMGetElementPtr:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            if (!is_cheap(LLVMGetOperand(v, (unsigned)i), depth - 1))
                return false;
        return true;
    default:
        return false;
    }
}

/* To ask again costs less than to carry the answer past a barrier. */
static void requery_id(struct cut *c, LLVMValueRef query)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(query);
    size_t count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(query); use; use = LLVMGetNextUse(use))
        count++;
    LLVMValueRef *users = tsr_arena_alloc(c->arena, (count + 1) * sizeof *users);
    count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(query); use; use = LLVMGetNextUse(use))
        users[count++] = LLVMGetUser(use);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < LLVMGetNumOperands(users[i]); k++) {
            if (LLVMGetOperand(users[i], (unsigned)k) != query)
                continue;
            bool phi = LLVMIsAPHINode(users[i]);
            LLVMBasicBlockRef at = phi ? LLVMGetIncomingBlock(users[i], (unsigned)k) : LLVMGetInstructionParent(users[i]);
            if (at == block)
                continue;
            LLVMPositionBuilderBefore(c->r.b, phi ? LLVMGetBasicBlockTerminator(at) : users[i]);
            LLVMValueRef copy = LLVMInstructionClone(query);
            LLVMInsertIntoBuilder(c->r.b, copy);
            LLVMSetOperand(users[i], (unsigned)k, copy);
        }
}

/* ---- the rounds ---- */

static LLVMBasicBlockRef append_block(struct cut *c, const char *name)
{
    return LLVMAppendBasicBlockInContext(c->r.l->context, c->r.f, name);
}

static LLVMValueRef build_phi(struct cut *c, LLVMTypeRef type, LLVMValueRef first, LLVMBasicBlockRef from)
{
    LLVMValueRef made = LLVMBuildPhi(c->r.b, type, "");
    LLVMAddIncoming(made, &first, &from, 1);
    return made;
}

/* Where a round may end that comes to `at`. True: not all packets need end it at the same place. */
static bool ends_from(struct cut *c, LLVMBasicBlockRef at, bool *seen, bool *ends)
{
    uintptr_t block = tsr__map_get(&c->slots.block_of, at), stop = tsr__map_get(&c->slots.stop_at, at);
    if (!block || seen[block - 1])
        return false;
    seen[block - 1] = true;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(at);
    if (stop || LLVMIsAReturnInst(t)) {
        ends[stop ? stop - 1 : c->stop_count] = true;
        return c->slots.parted[block - 1];
    }
    bool parted = false;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        parted |= ends_from(c, LLVMGetSuccessor(t, i), seen, ends);
    return parted;
}

/* A store less for each packet: one that hits the cache, between stores that miss it, takes as long as those. */
static void find_ends(struct cut *c, LLVMBasicBlockRef begin)
{
    size_t room = c->stop_count + 1;
    c->tells_where = tsr_arena_alloc(c->arena, room);
    for (unsigned k = 0; k <= c->stop_count; k++) {
        bool *seen = tsr_arena_alloc(c->arena, c->slots.block_count + 1), *ends = tsr_arena_alloc(c->arena, room);
        size_t count = 0;
        bool parted = ends_from(c, k < c->stop_count ? c->stops[k].behind : begin, seen, ends);
        for (size_t e = 0; e < room; e++)
            count += ends[e];
        parted = parted && count > 1;
        c->may_part = c->may_part || parted;
        for (size_t e = 0; e < room; e++)
            c->tells_where[e] = c->tells_where[e] || (ends[e] && parted);
    }
}

/* From the builder's place: the packet stops here; `end` is the stop, or the return. */
static void end_region(struct cut *c, uint32_t end)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->r.b);
    LLVMValueRef next = tsr__i32(c->r.l, end + 1);
    LLVMValueRef traded = LLVMConstInt(LLVMInt1TypeInContext(c->r.l->context), end < c->stop_count && c->stops[end].exchanges, false);
    LLVMAddIncoming(c->next, &next, &from, 1);
    LLVMAddIncoming(c->traded, &traded, &from, 1);
    if (c->multiplies)
        tsr__packet_mark_build(c->r.l, c->r.b, end < c->stop_count ? TSR__PACKET_PAUSES : TSR__PACKET_RETURNS);
    if (c->tells_where[end])
        LLVMSetAlignment(LLVMBuildStore(c->r.b, tsr__i32(c->r.l, end < c->stop_count ? c->stops[end].site : 0), c->frame), 4);
    LLVMBuildBr(c->r.b, c->arrive);
}

/* From the builder's place: registers go to the context, or come back from it; those of the group are kept beside it. */
static void move_slots(struct cut *c, const uint64_t *set, bool save)
{
    for (size_t k = 0; k < c->slots.count; k++) {
        const struct tsr__slot *slot = &c->slots.all[k];
        if (!tsr__slot_set_has(set, k) || (!slot->offset && !slot->now))
            continue;
        LLVMValueRef kept = slot->now && save ? slot->later : slot->now;
        if (!kept)
            kept = tsr__at_offset(c->r.l, c->r.b, c->frame, slot->offset);
        LLVMValueRef v = LLVMBuildLoad2(c->r.b, slot->type, save ? slot->alloca : kept, "");
        LLVMBuildStore(c->r.b, v, save ? kept : slot->alloca);
    }
}

/* A packet that goes on along the edge from `from` to `append_block` brings back what is in `set`, as late as all ways from there allow:
 * behind the last barrier of a loop only the way out of the loop needs the sums. */
static void reload_slots(struct cut *c, LLVMBasicBlockRef from, LLVMBasicBlockRef to, uint64_t *set)
{
    const struct tsr__barrier_liveness *s = &c->slots;
    size_t b = tsr__map_number(&s->block_of, to);
    if (s->preds[b] != 1) {
        LLVMBasicBlockRef edge = append_block(c, "back");
        LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
            if (LLVMGetSuccessor(t, i) == to)
                LLVMSetSuccessor(t, i, edge);
        LLVMPositionBuilderAtEnd(c->r.b, edge);
        move_slots(c, set, false);
        LLVMBuildBr(c->r.b, to);
        return;
    }
    uint64_t *now = tsr_arena_alloc(c->arena, s->words * sizeof *now), *later = tsr_arena_alloc(c->arena, s->words * sizeof *later);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(to);
    unsigned variants = tsr__map_get(&s->stop_at, to) ? 0 : LLVMGetNumSuccessors(t);
    LLVMBasicBlockRef *next = tsr_arena_alloc(c->arena, (variants + 1) * sizeof *next);
    for (unsigned i = 0; i < variants; i++)
        next[i] = LLVMGetSuccessor(t, i);
    for (size_t w = 0; w < s->words; w++) {
        uint64_t everywhere = UINT64_MAX;
        for (unsigned i = 0; i < variants; i++)
            everywhere &= s->needed[tsr__map_number(&s->block_of, next[i])][w];
        now[w] = set[w] & (s->used[b][w] | everywhere);
        set[w] &= ~now[w];
    }
    LLVMPositionBuilderBefore(c->r.b, LLVMGetFirstInstruction(to));
    move_slots(c, now, false);
    for (unsigned i = 0; i < variants; i++) {
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again = again || next[k] == next[i];
        uint64_t any = 0;
        for (size_t w = 0; w < s->words; w++)
            any |= later[w] = set[w] & s->needed[tsr__map_number(&s->block_of, next[i])][w];
        if (any && !again)
            reload_slots(c, to, next[i], later);
    }
}

/* A stack slot that stays as it is from one packet to the next: a register in the end. */
static LLVMValueRef slot_of_all_packets(struct cut *c, LLVMValueRef size)
{
    LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(c->r.l->context), LLVMConstIntGetZExtValue(size));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->r.b), start = LLVMGetEntryBasicBlock(c->r.f);
    LLVMPositionBuilderBefore(c->r.b, LLVMGetFirstInstruction(start));
    LLVMValueRef slot = LLVMBuildAlloca(c->r.b, bytes, "so_far");
    LLVMSetAlignment(slot, 8);
    LLVMPositionBuilderAtEnd(c->r.b, here);
    return slot;
}

/* What group_exchange.c left. The first 64 packets have a bit in the mask. */
static LLVMValueRef known_of_exchange(struct cut *c, LLVMValueRef inst)
{
    LLVMBuilderRef b = c->r.b;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c->r.l->context), i64 = LLVMInt64TypeInContext(c->r.l->context);
    enum tsr__engine_call call = tsr__call_of(inst);
    if (call == TSR__CALL_OWN_SLOT) {
        LLVMValueRef at = LLVMBuildNUWMul(b, c->packet, LLVMBuildZExt(b, LLVMGetOperand(inst, 0), i64, ""), "");
        return LLVMBuildInBoundsGEP2(b, i8, c->own_area, &at, 1, "");
    }
    if (call == TSR__CALL_SO_FAR)
        return slot_of_all_packets(c, LLVMGetOperand(inst, 0));
    if (call == TSR__CALL_ALL_SLOTS)
        return c->all_area;
    if (call != TSR__CALL_ALL_PRESENT)
        return NULL;
    LLVMValueRef few = LLVMBuildICmp(b, LLVMIntULT, c->packets, tsr__i64(c->r.l, 64), "");
    LLVMValueRef bit = LLVMBuildShl(b, tsr__i64(c->r.l, 1), LLVMBuildAnd(b, c->packets, tsr__i64(c->r.l, 63), ""), "");
    return LLVMBuildSelect(b, few, LLVMBuildSub(b, bit, tsr__i64(c->r.l, 1), ""), LLVMConstAllOnes(i64), "");
}

/* Three areas behind the contexts take turns, since what an exchange gave stays valid during the next: then one is written by packets that
 * are ahead, one read by others, and of a third, the result before, somebody may still know. */
static void find_areas(struct cut *c, LLVMValueRef contexts, LLVMValueRef turn)
{
    struct tsr__compilation *l = c->r.l;
    LLVMBuilderRef b = c->r.b;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(l->context);
    LLVMValueRef zero = tsr__i64(l, 0), bytes = LLVMBuildNUWMul(b, c->packets, tsr__i64(l, c->exchange_bytes), "");
    LLVMValueRef behind = LLVMBuildNUWMul(b, c->packets, tsr__i64(l, c->bytes), "");
    LLVMValueRef before = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, turn, zero, ""), tsr__i64(l, TURNS - 1),
                                          LLVMBuildSub(b, turn, tsr__i64(l, 1), ""), "");
    LLVMValueRef own = LLVMBuildAdd(b, behind, LLVMBuildMul(b, turn, bytes, ""), "");
    LLVMValueRef all = LLVMBuildAdd(b, behind, LLVMBuildMul(b, before, bytes, ""), "");
    c->own_area = LLVMBuildInBoundsGEP2(b, i8, contexts, &own, 1, "");
    c->all_area = LLVMBuildInBoundsGEP2(b, i8, contexts, &all, 1, "");
}

/* The local ids of a sub-group that is not whole stand in memory. */
static void find_ids(struct cut *c, LLVMValueRef ids)
{
    struct tsr__packet_loop *r = &c->r;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(r->l->context), i32 = LLVMInt32TypeInContext(r->l->context);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->l->context);
    const uint64_t row = TSR_MAX_LANES * sizeof(uint32_t);
    LLVMValueRef at = LLVMBuildNUWMul(r->b, c->packet, tsr__i64(r->l, 3 * row), "");
    LLVMValueRef first = LLVMBuildInBoundsGEP2(r->b, i8, ids, &at, 1, "");
    for (int d = 0; d < 3; d++) {
        r->ids[d] = tsr__at_offset(r->l, r->b, first, (uint64_t)d * row);
        r->local[d] = LLVMBuildZExt(r->b, tsr__load_fixed(r->l, r->b, i32, r->ids[d], 0, 4), i64, "");
    }
}

static void rewrite_id(struct cut *c, LLVMValueRef inst)
{
    LLVMPositionBuilderBefore(c->r.b, inst);
    if (LLVMIsAReturnInst(inst)) {
        end_region(c, c->stop_count);
        LLVMInstructionEraseFromParent(inst);
        return;
    }
    if (tsr__call_of(inst) == TSR__CALL_SITE && !c->asks_lanes) {
        LLVMInstructionEraseFromParent(inst);
        return;
    }
    LLVMValueRef made = tsr__packet_loop_known(&c->r, inst);
    if (!made)
        made = known_of_exchange(c, inst);
    if (!made)
        return;
    LLVMReplaceAllUsesWith(inst, made);
    LLVMInstructionEraseFromParent(inst);
}

/* ---- the code around the regions ---- */

/*
 *                  start                      what holds for all groups
 *                    |
 *            +---> group                      a loop over the groups of the row
 *            |       |
 *            |   dispatch <---------------+   the packet's ids, its context, and a switch on where it goes on
 *            |    |  |  |                 |
 *            |   regions                  |   the kernel's code, from a barrier to the next
 *            |    |  |  |                 |
 *            |    arrive                  |   is this the barrier at which the first packet of the round waits?
 *            |    |     |                 |
 *            |    |    advance -----------+   the next packet of the round
 *            |  round                     |
 *            |    |    |                  |
 *            | apart  agreed              |   apart: packets wait at different barriers, which is reported
 *            |         |    |             |
 *            |         |   again ---------+   the first packet goes on behind the barrier
 *            +------- last                    all packets have returned
 */
struct dispatch {
    LLVMValueRef contexts, ids, groups, pitch, base[3], size[3], items; /* of `start` */
    struct tsr__counted_loop group;
    LLVMValueRef base_x;
    LLVMBasicBlockRef dispatch, again, advance, round, agreed, apart, last;
    /* Phis of `dispatch`: where all packets go on, where the first one waits (0: none does yet), whether others wait elsewhere, which area
     * an exchange takes, and the local ids of the packet's first lane. */
    LLVMValueRef state, expected, mixed, turn, id[3];
    LLVMValueRef choice; /* the switch */
    LLVMValueRef where, mixed_now, packet_next, next_id[3], next_turn;
};

/* What holds for all groups, at the end of `start`. */
static void find_groups(struct cut *c, struct dispatch *d, LLVMBasicBlockRef start)
{
    struct tsr__compilation *l = c->r.l;
    struct tsr__packet_loop *r = &c->r;
    LLVMPositionBuilderAtEnd(r->b, start);
    d->contexts = tsr__packet_loop_query(r, TSR__CALL_CONTEXTS, -1);
    d->groups = tsr__packet_loop_query(r, TSR__CALL_ROW_GROUPS, 0);
    d->pitch = tsr__packet_loop_query(r, TSR__CALL_ENQUEUED_LOCAL_SIZE, 0);
    for (int k = 0; k < 3; k++) {
        d->base[k] = tsr__packet_loop_query(r, TSR__CALL_GLOBAL_ID, k);
        d->size[k] = c->known.items ? tsr__i64(l, c->known.size[k]) : tsr__packet_loop_query(r, TSR__CALL_LOCAL_SIZE, k);
        r->group[k] = tsr__packet_loop_query(r, TSR__CALL_GROUP_ID, k);
    }
    bool dense = c->kind == PACKETS_DENSE, of_rows = c->kind == PACKETS_OF_ROWS;
    d->ids = dense ? tsr__packet_loop_query(r, TSR__CALL_PACKET_IDS, 0) : NULL;
    LLVMValueRef rows = LLVMBuildNUWMul(r->b, d->size[1], d->size[2], "");
    d->items = LLVMBuildNUWMul(r->b, d->size[0], rows, "");
    c->packets = LLVMBuildNUWAdd(r->b, of_rows ? d->size[0] : d->items, tsr__i64(l, r->width - 1), "");
    c->packets = LLVMBuildLShr(r->b, c->packets, tsr__i64(l, (uint64_t)__builtin_ctz(r->width)), "");
    if (of_rows)
        c->packets = LLVMBuildNUWMul(r->b, c->packets, rows, "");
}

static void open_group_loop(struct cut *c, struct dispatch *d)
{
    struct tsr__packet_loop *r = &c->r;
    d->group = tsr__counted_loop_open(r, "group", tsr__i64(r->l, 0));
    r->group[0] = LLVMBuildNUWAdd(r->b, r->group[0], d->group.phi, "");
    d->base_x = LLVMBuildNUWAdd(r->b, d->base[0], LLVMBuildNUWMul(r->b, d->pitch, d->group.phi, ""), "");
    d->dispatch = append_block(c, "dispatch");
    d->again = append_block(c, "again");
    d->advance = append_block(c, "advance");
    d->round = append_block(c, "round");
    d->agreed = append_block(c, "agreed");
    d->apart = append_block(c, "apart");
    d->last = append_block(c, "last");
    c->arrive = append_block(c, "arrive");
    LLVMBuildBr(r->b, d->dispatch);
}

/* The packet's ids and lanes. */
static void find_packet(struct cut *c, struct dispatch *d)
{
    struct tsr__packet_loop *r = &c->r;
    LLVMValueRef item = LLVMBuildNUWMul(r->b, c->packet, tsr__i64(r->l, r->width), "");
    if (c->kind == PACKETS_OF_ROWS) {
        item = LLVMBuildNUWAdd(r->b, LLVMBuildNUWMul(r->b, d->id[2], d->size[1], ""), d->id[1], "");
        item = LLVMBuildNUWAdd(r->b, LLVMBuildNUWMul(r->b, item, d->size[0], ""), d->id[0], "");
        r->lanes = tsr__packet_lanes(r->l, r->b, LLVMBuildSub(r->b, d->size[0], d->id[0], ""), r->width);
    } else if (c->kind == PACKETS_DENSE) {
        find_ids(c, d->ids);
        r->lanes = tsr__packet_lanes(r->l, r->b, LLVMBuildSub(r->b, d->items, item, ""), r->width);
    } else if (c->kind == PACKETS_LINEAR) {
        r->lanes = tsr__packet_lanes(r->l, r->b, LLVMBuildSub(r->b, d->items, item, ""), r->width);
    }
    r->global[0] = LLVMBuildNUWAdd(r->b, d->base_x, r->local[0], "");
    r->global[1] = LLVMBuildNUWAdd(r->b, d->base[1], r->local[1], "");
    r->global[2] = LLVMBuildNUWAdd(r->b, d->base[2], r->local[2], "");
    r->linear = LLVMBuildTrunc(r->b, item, LLVMInt32TypeInContext(r->l->context), "");
}

/* The packet's context takes the place of the stack slots that are kept across barriers. */
static void find_frame(struct cut *c, struct dispatch *d)
{
    struct tsr__packet_loop *r = &c->r;
    LLVMValueRef at = LLVMBuildNUWMul(r->b, c->packet, tsr__i64(r->l, c->bytes), "");
    c->frame = LLVMBuildInBoundsGEP2(r->b, LLVMInt8TypeInContext(r->l->context), d->contexts, &at, 1, "frame");
    for (size_t k = 0; k < c->slots.count; k++)
        if (!c->slots.all[k].plain) {
            LLVMReplaceAllUsesWith(c->slots.all[k].alloca, tsr__at_offset(r->l, r->b, c->frame, c->slots.all[k].offset));
            LLVMInstructionEraseFromParent(c->slots.all[k].alloca);
        }
}

static void dispatch_packet(struct cut *c, struct dispatch *d, LLVMBasicBlockRef start, LLVMBasicBlockRef begin)
{
    struct tsr__packet_loop *r = &c->r;
    LLVMContextRef context = r->l->context;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(context), i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    LLVMValueRef zero = tsr__i64(r->l, 0), none = tsr__i32(r->l, 0);
    LLVMBasicBlockRef before = d->group.head;
    LLVMPositionBuilderAtEnd(r->b, d->dispatch);
    d->state = build_phi(c, i32, none, before);
    d->expected = build_phi(c, i32, none, before);
    d->mixed = build_phi(c, i1, LLVMConstNull(i1), before);
    d->turn = build_phi(c, i64, zero, before);
    c->packet = build_phi(c, i64, zero, before);
    for (int k = 0; k < 3; k++)
        r->local[k] = d->id[k] = build_phi(c, i64, zero, before);
    if (c->exchange_bytes)
        find_areas(c, d->contexts, d->turn);
    find_packet(c, d);
    find_frame(c, d);
    tsr__packet_loop_reset_slots(r, start);
    d->choice = LLVMBuildSwitch(r->b, d->state, begin, c->stop_count);
}

/* Behind a region: does the packet wait where the first packet of the round does? */
static void arrive(struct cut *c, struct dispatch *d)
{
    LLVMBuilderRef b = c->r.b;
    LLVMContextRef context = c->r.l->context;
    LLVMPositionBuilderAtEnd(b, c->arrive);
    c->next = LLVMBuildPhi(b, LLVMInt32TypeInContext(context), "next");
    c->traded = LLVMBuildPhi(b, LLVMInt1TypeInContext(context), "traded");
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, c->packet, tsr__i64(c->r.l, 0), "");
    d->where = c->may_part ? LLVMBuildSelect(b, is_first, c->next, d->expected, "") : c->next;
    LLVMValueRef differs = LLVMBuildICmp(b, LLVMIntNE, c->next, d->where, "");
    d->mixed_now = LLVMBuildOr(b, d->mixed, differs, "");
    d->packet_next = LLVMBuildNUWAdd(b, c->packet, tsr__i64(c->r.l, 1), "");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, d->packet_next, c->packets, "");
    tsr__mark_rounds(c->r.l, LLVMBuildCondBr(b, more, d->advance, d->round));
}

/* The local ids of the next packet of a round. */
static void advance(struct cut *c, struct dispatch *d)
{
    LLVMBuilderRef b = c->r.b;
    LLVMValueRef zero = tsr__i64(c->r.l, 0), one = tsr__i64(c->r.l, 1);
    LLVMPositionBuilderAtEnd(b, d->advance);
    d->next_id[0] = LLVMBuildNUWAdd(b, d->id[0], tsr__i64(c->r.l, c->r.width), "");
    d->next_id[1] = d->id[1];
    d->next_id[2] = d->id[2];
    for (int k = 0; k < 2; k++) {
        LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntUGE, d->next_id[k], d->size[k], "");
        d->next_id[k] = LLVMBuildSelect(b, wraps, zero, d->next_id[k], "");
        d->next_id[k + 1] = LLVMBuildSelect(b, wraps, LLVMBuildNUWAdd(b, d->id[k + 1], one, ""), d->id[k + 1], "");
    }
    LLVMBuildBr(b, d->dispatch);
}

/* At the end of a round: illegal divergence, the end of the group, or another round. */
static void agree(struct cut *c, struct dispatch *d)
{
    struct tsr__compilation *l = c->r.l;
    LLVMBuilderRef b = c->r.b;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMPositionBuilderAtEnd(b, d->round);
    LLVMBuildCondBr(b, d->mixed_now, d->apart, d->agreed);
    LLVMPositionBuilderAtEnd(b, d->apart);
    LLVMTypeRef report = LLVMFunctionType(LLVMVoidTypeInContext(l->context), &i64, 1, false);
    LLVMValueRef bytes = tsr__i64(l, c->bytes);
    tsr__call(l, b, tsr__declare_call(l, TSR__CALL_BARRIER_MISMATCH, report), &bytes, 1);
    LLVMBuildRetVoid(b);
    LLVMPositionBuilderAtEnd(b, d->agreed);
    LLVMValueRef done = LLVMBuildICmp(b, LLVMIntEQ, d->where, tsr__i32(l, c->stop_count + 1), "");
    LLVMBuildCondBr(b, done, d->last, d->again);
    LLVMPositionBuilderAtEnd(b, d->again);
    d->next_turn = LLVMBuildNUWAdd(b, d->turn, LLVMBuildZExt(b, c->traded, i64, ""), "");
    LLVMValueRef is_over = LLVMBuildICmp(b, LLVMIntEQ, d->next_turn, tsr__i64(l, TURNS), "");
    d->next_turn = LLVMBuildSelect(b, is_over, tsr__i64(l, 0), d->next_turn, "");
    LLVMBuildBr(b, d->dispatch);
}

/* What the phis of `dispatch` get for the next packet of the round, and for the first packet of the next round. */
static void go_round(struct cut *c, struct dispatch *d)
{
    LLVMValueRef zero = tsr__i64(c->r.l, 0), none = tsr__i32(c->r.l, 0), no = LLVMConstNull(LLVMInt1TypeInContext(c->r.l->context));
    LLVMBasicBlockRef both[2] = {d->advance, d->again};
    LLVMAddIncoming(d->state, (LLVMValueRef[]){d->state, d->where}, both, 2);
    LLVMAddIncoming(d->expected, (LLVMValueRef[]){d->where, none}, both, 2);
    LLVMAddIncoming(d->mixed, (LLVMValueRef[]){d->mixed_now, no}, both, 2);
    LLVMAddIncoming(c->packet, (LLVMValueRef[]){d->packet_next, zero}, both, 2);
    LLVMAddIncoming(d->turn, (LLVMValueRef[]){d->turn, d->next_turn}, both, 2);
    for (int k = 0; k < 3; k++)
        LLVMAddIncoming(d->id[k], (LLVMValueRef[]){d->next_id[k], zero}, both, 2);
}

static void copy_slot(struct cut *c, LLVMBasicBlockRef block, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef to)
{
    LLVMPositionBuilderBefore(c->r.b, LLVMGetBasicBlockTerminator(block));
    LLVMBuildStore(c->r.b, from ? LLVMBuildLoad2(c->r.b, type, from, "") : LLVMGetPoison(type), to);
}

/* A shared slot that crosses barriers: a packet begins with what the round before left, and what it leaves is for the next round. */
static void share_slots(struct cut *c, struct dispatch *d, LLVMBasicBlockRef start)
{
    for (size_t k = 0; k < c->slots.count; k++) {
        struct tsr__slot *slot = &c->slots.all[k];
        if (!slot->shared || !tsr__slot_set_has(c->slots.kept, k))
            continue;
        LLVMPositionBuilderBefore(c->r.b, LLVMGetFirstInstruction(start));
        slot->now = LLVMBuildAlloca(c->r.b, slot->type, "now");
        slot->later = LLVMBuildAlloca(c->r.b, slot->type, "later");
        copy_slot(c, d->group.head, slot->type, NULL, slot->now);
        copy_slot(c, d->dispatch, slot->type, slot->now, slot->later);
        copy_slot(c, d->again, slot->type, slot->later, slot->now);
    }
}

/* Regions end at `arrive`, begin at `dispatch`, and keep in the context what later ones need. */
static void connect_regions(struct cut *c, struct dispatch *d)
{
    for (unsigned k = 0; k < c->slots.loop_count; k++) {
        LLVMBasicBlockRef entry = c->slots.loops[k].entry;
        LLVMPositionBuilderBefore(c->r.b, LLVMGetBasicBlockTerminator(entry));
        move_slots(c, c->slots.saves[tsr__map_number(&c->slots.block_of, entry)], true);
    }
    for (unsigned k = 0; k < c->stop_count; k++) {
        struct stop *stop = &c->stops[k];
        LLVMPositionBuilderAtEnd(c->r.b, stop->before);
        move_slots(c, c->slots.saves[tsr__map_number(&c->slots.block_of, stop->before)], true);
        end_region(c, k);
        LLVMAddCase(d->choice, tsr__i32(c->r.l, k + 1), stop->behind);
    }
    for (unsigned k = 0; k < c->stop_count; k++) {
        LLVMBasicBlockRef behind = c->stops[k].behind;
        if (c->multiplies) {
            LLVMPositionBuilderBefore(c->r.b, tsr__after_phis(LLVMGetFirstInstruction(behind)));
            tsr__packet_mark_build(c->r.l, c->r.b, TSR__PACKET_RESUMES);
        }
        reload_slots(c, d->dispatch, behind, c->slots.needed[tsr__map_number(&c->slots.block_of, behind)]);
    }
}

static void build_dispatch(struct cut *c, LLVMBasicBlockRef start, LLVMBasicBlockRef begin)
{
    struct dispatch d;
    find_groups(c, &d, start);
    open_group_loop(c, &d);
    dispatch_packet(c, &d, start, begin);
    arrive(c, &d);
    advance(c, &d);
    agree(c, &d);
    go_round(c, &d);
    share_slots(c, &d, start);
    LLVMPositionBuilderAtEnd(c->r.b, d.last);
    tsr__counted_loop_close(&c->r, d.group, tsr__i64(c->r.l, 1), d.groups);
    LLVMBuildRetVoid(c->r.b);
    connect_regions(c, &d);
}

/* Barriers, in the order of the code. */
static void find_stops(struct cut *c)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(c->r.l, c->r.f, &n);
    c->stops = tsr_arena_alloc(c->arena, (n + 1) * sizeof *c->stops);
    for (size_t i = 0; i < n; i++) {
        c->asks_lanes = c->asks_lanes || tsr__call_of(code[i]) == TSR__CALL_DIVERGENT_BARRIER;
        if (tsr__call_of(code[i]) != TSR__CALL_BARRIER)
            continue;
        LLVMValueRef flags = LLVMGetOperand(code[i], 1);
        bool exchanges = tsr__is_constant(flags, TSR__EXCHANGE_FENCE);
        c->stops[c->stop_count++] = (struct stop){.call = code[i], .exchanges = exchanges};
    }
}

/* Exchanges become barriers; false if one cannot. */
static bool cut_exchanges(struct cut *c)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(c->r.l, c->r.f, &n);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            if (tsr__call_of(code[i]) != TSR__CALL_EXCHANGE)
                continue;
            if (pass == 0 && !tsr__is_lowerable_exchange(code[i]))
                return false;
            if (pass)
                tsr__lower_group_exchange(c->r.l, code[i]);
        }
    return true;
}

static void measure_exchanges(struct cut *c)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(c->r.l, c->r.f, &n);
    for (size_t i = 0; i < n; i++) {
        if (tsr__call_of(code[i]) != TSR__CALL_OWN_SLOT)
            continue;
        uint64_t bytes = (LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0)) + TSR_CACHE_LINE - 1) / TSR_CACHE_LINE * TSR_CACHE_LINE;
        c->exchange_bytes = bytes > c->exchange_bytes ? bytes : c->exchange_bytes;
    }
}

/* Splits a packet function. False: not this one. The memory for each packet becomes no less than it was. */
static bool split_at_barriers(struct tsr__compilation *l, const struct tsr__packet_kernel *kernel, LLVMValueRef f,
                              enum region_packets packets)
{
    struct tsr_arena arena = {0};
    struct cut c = {.r = {.l = l, .f = f, .width = kernel->packet.width}, .arena = &arena, .kind = packets, .known = kernel->group};
    if (!cut_exchanges(&c)) {
        tsr_arena_free(&arena);
        return false;
    }
    measure_exchanges(&c);
    c.r.b = LLVMCreateBuilderInContext(l->context);
    bool good = tsr__run_llvm_on(l, c.r.f, "sroa,early-cse,adce");
    if (good) {
        tsr__prefetch_next_round(l, f);
        find_stops(&c);
    }
    for (unsigned k = 0; good && k < c.stop_count; k++)
        split_at_barrier(&c, &c.stops[k]);
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count);
    for (size_t i = count; good && i-- > 0;) /* what is made of a query before the query */
        if (is_cheap(code[i], MAX_DEPTH))
            requery_id(&c, code[i]);
    good = good && tsr__run_llvm_on(l, c.r.f, "reg2mem");
    if (good) {
        LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(f);
        LLVMValueRef into = LLVMGetBasicBlockTerminator(start);
        LLVMBasicBlockRef begin = LLVMGetSuccessor(into, 0);
        for (unsigned k = 0; k < c.stop_count; k++)
            c.stops[k].behind = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(c.stops[k].before), 0);
        struct tsr__barrier_point *stops = tsr_arena_alloc(&arena, (c.stop_count + 1) * sizeof *stops);
        for (unsigned k = 0; k < c.stop_count; k++)
            stops[k] = (struct tsr__barrier_point){c.stops[k].before, c.stops[k].behind};
        c.slots = (struct tsr__barrier_liveness){.function = f, .arena = &arena, .stops = stops, .stop_count = c.stop_count};
        tsr__barrier_liveness_find(&c.slots, start);
        c.bytes = tsr__barrier_spill_layout(&c.slots, LLVMGetModuleDataLayout(l->module), HEADER_BYTES);
        c.bytes = (c.bytes + TSR_MAX_ALIGN - 1) & ~(uint64_t)(TSR_MAX_ALIGN - 1);
        find_ends(&c, begin);
        LLVMInstructionEraseFromParent(into);
        for (unsigned k = 0; k < c.stop_count; k++) {
            LLVMInstructionEraseFromParent(LLVMGetNextInstruction(c.stops[k].call));
            LLVMInstructionEraseFromParent(c.stops[k].call);
        }
        code = tsr__instructions(l, f, &count);
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (!LLVMIsAAllocaInst(code[i]))
                code[kept++] = code[i];
        c.multiplies = tsr__tile_unit(l) && tsr__has_mads(f);
        build_dispatch(&c, start, begin);
        for (size_t i = 0; i < kept; i++)
            rewrite_id(&c, code[i]);
        uint64_t bytes = c.bytes + TURNS * c.exchange_bytes;
        kernel->info->context_bytes = bytes > kernel->info->context_bytes ? bytes : kernel->info->context_bytes;
    }
    LLVMDisposeBuilder(c.r.b);
    tsr_arena_free(&arena);
    return good;
}

/* `restrict` is a promise about one work-item. A packet function with regions runs all of a work-group, and where a barrier lets work-items
 * see what others wrote, it may have been written through another pointer. Without a fence for global memory they see none of it. */
static void restrict_ends_at_barriers(struct tsr__compilation *l, LLVMValueRef packet)
{
    enum { GLOBAL_FENCE = 2 };
    bool global = false;
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, packet, &n);
    for (size_t i = 0; i < n && !global; i++) {
        if (tsr__call_of(code[i]) != TSR__CALL_BARRIER)
            continue;
        LLVMValueRef flags = LLVMGetOperand(code[i], 1);
        global = !LLVMIsAConstantInt(flags) || (LLVMConstIntGetZExtValue(flags) & GLOBAL_FENCE);
    }
    for (unsigned p = 0; p < LLVMCountParams(packet); p++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(packet, p));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && (global || LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE))
            LLVMRemoveEnumAttributeAtIndex(packet, p + 1, tsr__attr_kind("noalias"));
    }
}

bool tsr__pass_barrier_regions(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_kernel_info *info = k->info;
    if (!k->whole || !tsr__has_barrier(l, k->whole))
        return true;
    restrict_ends_at_barriers(l, k->whole);
    if (k->partial)
        restrict_ends_at_barriers(l, k->partial);
    if (k->wrapping)
        restrict_ends_at_barriers(l, k->wrapping);
    static const enum region_packets known[] = {
        [TSR__LINEAR_PACKETS] = PACKETS_LINEAR, [TSR__ROW_PARTS] = PACKETS_FULL, [TSR__ROW_PACKETS] = PACKETS_OF_ROWS};
    if (!split_at_barriers(l, k, k->whole, k->group.items ? known[k->group.packets] : PACKETS_FULL))
        return true;
    info->flags |= TSR_KERNEL_BARRIER_REGIONS;
    bool rows = tsr__group_visibility(l, k->item) < TSR__SEES_SUB_GROUPS;
    if ((k->wrapping && !split_at_barriers(l, k, k->wrapping, PACKETS_FULL)) ||
        (k->partial && !split_at_barriers(l, k, k->partial, rows ? PACKETS_OF_ROWS : PACKETS_DENSE)))
        return tsr__fail(l, "kernel %s: packets that are not full cannot be split at barriers", info->name);
    if (k->lone_partial)
        tsr__lone_packets_join(l, k);
    return true;
}
