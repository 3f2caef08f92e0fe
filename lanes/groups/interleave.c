/* SPDX-License-Identifier: Apache-2.0
 * Several packets of one work-item in one. A work-item whose own vectors fill registers is one chain of operations, in which each waits for
 * the one before; several side by side are several chains. The loops run a fixed number of a row at once, and what is left over one by one.
 */
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/lane_waits.h"
#include "lanes/groups/interleaved_code.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/group_lanes.h"
#include "lanes/prepare/lane_dimension.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/prepare/unroll.h"

#include <string.h>

/* The loops. A row has the work-items of all groups that lie side by side in x, or in y. */
struct rows {
    unsigned along;                                                                /* 0: x, 1: y */
    struct tsr__packet_loop r, of[TSR_MOST_INTERLEAVED + 1];                       /* the last one: of the work-item behind them */
    LLVMValueRef base[3], size[3], pitch[3], groups[3], first_group[3];            /* size[0]: of a row of the box */
    LLVMValueRef group_at[TSR_MOST_INTERLEAVED + 1], at[TSR_MOST_INTERLEAVED + 1]; /* by work-item: places in the row */
    LLVMValueRef row, pitch_linear; /* linear id of the row's first work-item, and the distance of the next ones */
    LLVMValueRef choice;            /* the branch with which a round begins */
};

static void ask_for_box(struct rows *s)
{
    for (int d = 0; d < 3; d++) {
        s->base[d] = tsr__packet_loop_query(&s->r, TSR__CALL_GLOBAL_ID, d);
        s->size[d] = d ? tsr__packet_loop_query(&s->r, TSR__CALL_LOCAL_SIZE, d) : tsr__packet_loop_query(&s->r, TSR__CALL_ROW_COLUMNS, -1);
        s->pitch[d] = tsr__packet_loop_query(&s->r, TSR__CALL_ENQUEUED_LOCAL_SIZE, d);
        s->groups[d] = tsr__packet_loop_query(&s->r, TSR__CALL_ROW_GROUPS, d);
        s->first_group[d] = tsr__packet_loop_query(&s->r, TSR__CALL_GROUP_ID, d);
    }
}

/* The ids of the work-item at its places. */
static void set_ids(struct rows *s, unsigned k)
{
    struct tsr__packet_loop *r = &s->of[k];
    LLVMBuilderRef b = s->r.b;
    *r = s->r;
    r->lane = tsr__i32(s->r.l, k);
    unsigned d = s->along;
    r->group[d] = LLVMBuildNUWAdd(b, s->first_group[d], s->group_at[k], "");
    r->local[d] = s->at[k];
    r->global[d] = LLVMBuildNUWAdd(b, s->base[d], LLVMBuildNUWMul(b, s->pitch[d], s->group_at[k], ""), "");
    r->global[d] = LLVMBuildNUWAdd(b, r->global[d], s->at[k], "");
    LLVMValueRef linear = LLVMBuildNUWAdd(b, s->row, LLVMBuildNUWMul(b, s->at[k], s->pitch_linear, ""), "");
    r->linear = LLVMBuildTrunc(b, linear, LLVMInt32TypeInContext(s->r.l->context), "");
}

/* The place behind that of the work-item. */
static void step(struct rows *s, unsigned k)
{
    LLVMBuilderRef b = s->r.b;
    LLVMValueRef next = LLVMBuildNUWAdd(b, s->at[k], tsr__i64(s->r.l, 1), "");
    LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntEQ, next, s->size[s->along], "");
    s->at[k + 1] = LLVMBuildSelect(b, wraps, tsr__i64(s->r.l, 0), next, "");
    s->group_at[k + 1] = LLVMBuildNUWAdd(b, s->group_at[k], LLVMBuildZExt(b, wraps, LLVMInt64TypeInContext(s->r.l->context), ""), "");
}

/* What goes from round to round of the loop over a row. */
enum { LEFT, GROUP, AT, LONE, CARRIED }; /* LONE: the number that run alone before several are tried again */

static LLVMBasicBlockRef new_block(struct rows *s, const char *name)
{
    return LLVMAppendBasicBlockInContext(s->r.l->context, s->r.f, name);
}

/* The end of a round; `ends`: the blocks in which several, and one alone, have ended. */
static void close_row(struct rows *s, unsigned count, LLVMValueRef carried[CARRIED], LLVMBasicBlockRef head, LLVMBasicBlockRef ends[2],
                      LLVMValueRef lone)
{
    LLVMBuilderRef b = s->r.b;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->r.l->context);
    LLVMBasicBlockRef latch = new_block(s, ""), out = new_block(s, "");
    LLVMValueRef zero = tsr__i64(s->r.l, 0), one = tsr__i64(s->r.l, 1), next[CARRIED];
    LLVMPositionBuilderAtEnd(b, ends[0]);
    LLVMBuildBr(b, latch);
    LLVMPositionBuilderAtEnd(b, ends[1]);
    LLVMValueRef lone_left = LLVMBuildSub(b, lone, LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntNE, lone, zero, ""), i64, ""), "");
    LLVMBuildBr(b, latch);
    LLVMPositionBuilderAtEnd(b, latch);
    LLVMValueRef ways[CARRIED][2] = {[LEFT] = {tsr__i64(s->r.l, count), one},
                                     [GROUP] = {s->group_at[count], s->group_at[1]},
                                     [AT] = {s->at[count], s->at[1]},
                                     [LONE] = {zero, lone_left}};
    for (int n = 0; n < CARRIED; n++) {
        next[n] = LLVMBuildPhi(b, i64, "");
        LLVMAddIncoming(next[n], ways[n], ends, 2);
    }
    next[LEFT] = LLVMBuildNUWSub(b, carried[LEFT], next[LEFT], "");
    for (int n = 0; n < CARRIED; n++)
        LLVMAddIncoming(carried[n], &next[n], &latch, 1);
    LLVMValueRef again = LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, next[LEFT], zero, ""), head, out);
    tsr__set_loop_hint(s->r.l, again, "llvm.loop.unroll.disable", 0);
    LLVMPositionBuilderAtEnd(b, out);
}

/* The loop over a row's work-items, whose rounds run one from the block `item` on, or several. Where these give up, as many go alone. */
static void build_row(struct rows *s, const struct tsr__interleave_plan *plan, LLVMBasicBlockRef item, LLVMBasicBlockRef item_end)
{
    struct tsr__compilation *l = s->r.l;
    LLVMBuilderRef b = s->r.b;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef zero = tsr__i64(l, 0), count = tsr__i64(l, plan->count), carried[CARRIED];
    LLVMValueRef first[CARRIED] = {
        [LEFT] = LLVMBuildNUWMul(b, s->groups[s->along], s->size[s->along], ""), [GROUP] = zero, [AT] = zero, [LONE] = zero};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), head = new_block(s, "items"), give_up = new_block(s, "give_up"),
                      alone = new_block(s, "alone"), end = new_block(s, "");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    for (int n = 0; n < CARRIED; n++) {
        carried[n] = LLVMBuildPhi(b, i64, "");
        LLVMAddIncoming(carried[n], &first[n], &before, 1);
    }
    s->group_at[0] = carried[GROUP];
    s->at[0] = carried[AT];
    for (unsigned k = 0; k < plan->count; k++) {
        set_ids(s, k);
        step(s, k);
    }
    struct tsr__interleaving i = {.l = l,
                                  .plan = plan,
                                  .b = LLVMCreateBuilderInContext(l->context),
                                  .allocas = tsr__builder_at_entry(l, s->r.f),
                                  .of = s->of,
                                  .alone = give_up,
                                  .end = end};
    LLVMBasicBlockRef together = tsr__interleaved_code(&i);
    LLVMDisposeBuilder(i.b);
    LLVMDisposeBuilder(i.allocas);
    LLVMValueRef enough = LLVMBuildICmp(b, LLVMIntUGE, carried[LEFT], count, ""),
                 none = LLVMBuildICmp(b, LLVMIntEQ, carried[LONE], zero, "");
    s->choice = LLVMBuildCondBr(b, LLVMBuildAnd(b, enough, none, ""), together, alone);
    LLVMPositionBuilderAtEnd(b, give_up);
    LLVMBuildBr(b, alone);
    LLVMPositionBuilderAtEnd(b, alone);
    LLVMValueRef lone = LLVMBuildPhi(b, i64, "lone"), lone_ways[] = {carried[LONE], count};
    LLVMBasicBlockRef ways[] = {head, give_up};
    LLVMAddIncoming(lone, lone_ways, ways, 2);
    LLVMBuildBr(b, item);
    close_row(s, plan->count, carried, head, (LLVMBasicBlockRef[]){end, item_end}, lone);
}

static void close_loop(struct rows *s, struct tsr__counted_loop loop, LLVMValueRef end)
{
    LLVMValueRef again = tsr__counted_loop_close(&s->r, loop, tsr__i64(s->r.l, 1), end);
    tsr__set_loop_hint(s->r.l, again, "llvm.loop.unroll.disable", 0);
}

static void build_loops(struct tsr__compilation *l, LLVMValueRef f, const struct tsr__interleave_plan *plan)
{
    struct rows s = {.r = {.l = l, .f = f, .width = 1, .b = LLVMCreateBuilderInContext(l->context), .lanes = tsr__i32(l, 1)},
                     .along = plan->along};
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(f), alone = tsr__packet_loop_begin(&s.r),
                      end_alone = LLVMAppendBasicBlockInContext(l->context, f, "end");
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count), zero = tsr__i64(l, 0);
    static const char *const names[3] = {"group", "group_row", "group_plane"}, *const item_names[3] = {"x", "y", "z"};
    struct tsr__counted_loop group[3], item[3];
    const unsigned across = 1 - s.along;
    ask_for_box(&s);
    for (unsigned d = 3; d-- > 0;) {
        if (d == s.along)
            continue;
        group[d] = tsr__counted_loop_open(&s.r, names[d], zero);
        s.r.group[d] = LLVMBuildNUWAdd(s.r.b, s.first_group[d], group[d].phi, "");
        s.base[d] = LLVMBuildNUWAdd(s.r.b, s.base[d], LLVMBuildNUWMul(s.r.b, s.pitch[d], group[d].phi, ""), "");
    }
    for (unsigned d = 3; d-- > 0;) {
        if (d == s.along)
            continue;
        item[d] = tsr__counted_loop_open(&s.r, item_names[d], zero);
        s.r.local[d] = item[d].phi;
        s.r.global[d] = LLVMBuildNUWAdd(s.r.b, s.base[d], item[d].phi, "");
    }
    LLVMValueRef plane = LLVMBuildNUWMul(s.r.b, LLVMBuildNUWMul(s.r.b, item[2].phi, s.size[1], ""), s.size[0], "");
    LLVMValueRef pitches[2] = {tsr__i64(l, 1), s.size[0]};
    s.row = LLVMBuildNUWAdd(s.r.b, plane, LLVMBuildNUWMul(s.r.b, item[across].phi, pitches[across], ""), "");
    s.pitch_linear = pitches[s.along];
    build_row(&s, plan, alone, end_alone);
    close_loop(&s, item[across], s.size[across]);
    close_loop(&s, item[2], s.size[2]);
    close_loop(&s, group[across], s.groups[across]);
    close_loop(&s, group[2], s.groups[2]);
    LLVMBuildRetVoid(s.r.b);
    for (size_t i = 0; i < count; i++)
        if (LLVMGetInstructionParent(code[i]) != start)
            tsr__packet_loop_rewrite(&s.of[0], code[i], end_alone);
    tsr__packet_loop_promote_slots(l, f);
    LLVMPositionBuilderBefore(s.r.b, s.choice);
    tsr__packet_loop_reset_slots(&s.r, start);
    LLVMDisposeBuilder(s.r.b);
}

/* They may run in any order, and none needs what another one does; each of several groups of one has local memory of its own. */
static bool may_interleave(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    if (k->packet.width != 1 || l->options->check)
        return false;
    enum tsr__visibility most = k->group.items == 1 ? TSR__SEES_GROUPS : TSR__SEES_NUMBERS;
    return k->group.items <= 1 && tsr__group_visibility(l, k->whole) <= most && !tsr__lanes_wait_for_lanes(l, k->whole, 2);
}

/* The work-item's number among those at a time says where its group's local memory is. */
static void part_local_memory(struct tsr__compilation *l, LLVMValueRef f)
{
    LLVMBasicBlockRef item = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(f)), 0);
    LLVMBuilderRef b = tsr__builder_before(l, LLVMGetFirstInstruction(item));
    LLVMValueRef lane = LLVMBuildZExt(b, tsr__build_query(l, b, TSR__CALL_LANE, -1), LLVMInt64TypeInContext(l->context), "");
    tsr__move_local_memory(l, b, f, LLVMBuildNUWMul(b, lane, tsr__build_query(l, b, TSR__CALL_LOCAL_PITCH, -1), ""));
    LLVMDisposeBuilder(b);
}

static void forget_numbers(struct tsr__compilation *l, LLVMValueRef f)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count);
    for (size_t i = 0; i < count; i++)
        if (tsr__call_of(code[i]) == TSR__CALL_LANE) {
            LLVMReplaceAllUsesWith(code[i], tsr__i32(l, 0));
            LLVMInstructionEraseFromParent(code[i]);
        }
}

static bool asks_for_y(struct tsr__compilation *l, LLVMValueRef f)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count);
    int64_t dim;
    for (size_t i = 0; i < count; i++)
        if (tsr__asks_for_dimension(code[i]) && tsr__constant_int(LLVMGetOperand(code[i], 0), &dim) && dim == 1)
            return true;
    return false;
}

/* How many, and of a row in x or in y: where those in y read the same vectors in each round, these are read once. */
static void choose_rows(struct tsr__compilation *l, const struct tsr__packet_kernel *k, struct tsr__interleave_plan *plan)
{
    if (!k->group.items && plan->cfg.loop_count && asks_for_y(l, k->whole)) {
        struct tsr__interleave_plan in_y = {.along = 1};
        tsr__exchange_dimensions(l, k->whole, 1);
        bool possible = tsr__interleave_plan(l, &in_y, k->whole, 2);
        tsr__exchange_dimensions(l, k->whole, 1);
        if (possible && tsr__interleave_reads_less(l, &in_y, plan))
            *plan = in_y;
    }
    plan->count = tsr__interleave_count(l, plan);
}

bool tsr__pass_interleave(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr__interleave_plan plan = {.count = 1};
    if (!may_interleave(l, k))
        return true;
    if (k->group.items)
        part_local_memory(l, k->whole);
    if (tsr__interleave_plan(l, &plan, k->whole, 2))
        choose_rows(l, k, &plan);
    if (plan.count == 1) {
        forget_numbers(l, k->whole);
        return true;
    }
    if (k->group.items)
        k->info->groups_at_once = plan.count;
    if (plan.along)
        k->info->column_rows = TSR_CACHE_LINE; /* the most */
    build_loops(l, k->whole, &plan);
    tsr__set_fn_text(l, k->whole, TSR__INTERLEAVED, "");
    LLVMGetOrInsertNamedMetadata(l->module, TSR__INTERLEAVED, strlen(TSR__INTERLEAVED));
    tsr__explain(l, k->kernel, "packets", "side by side", "%u work-items of a %s at a time, since one would wait for its own results",
                 plan.count, plan.along ? "column" : "row");
    return true;
}
