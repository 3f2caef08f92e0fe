/* SPDX-License-Identifier: Apache-2.0
 * Several packets of one work-item in one. A work-item whose own vectors fill registers is one chain of operations, in which each waits for
 * the one before; several side by side are several chains. The loops run a fixed number of a row at once, and what is left over one by one.
 */
#include "lanes/analysis/group_visibility.h"
#include "lanes/analysis/lane_waits.h"
#include "lanes/groups/interleaved_code.h"
#include "lanes/ir/explain.h"
#include "lanes/prepare/group_lanes.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/prepare/unroll.h"

#include <string.h>

/* The loops. A row has the work-items of all groups that lie side by side in x. */
struct rows {
    struct tsr__packet_loop r, of[TSR_MOST_INTERLEAVED + 1]; /* the last one: of the work-item behind them */
    LLVMValueRef base[3], size[3], pitch[3], groups[3], first_group[3], columns;
    LLVMValueRef group_at[TSR_MOST_INTERLEAVED + 1], x_at[TSR_MOST_INTERLEAVED + 1]; /* by work-item: places in the row */
    LLVMValueRef row;                                                                /* linear id of the row's first work-item */
    LLVMValueRef choice;                                                             /* the branch with which a round begins */
};

static void ask_for_box(struct rows *s)
{
    s->columns = tsr__packet_loop_query(&s->r, TSR__CALL_ROW_COLUMNS, -1);
    for (int d = 0; d < 3; d++) {
        s->base[d] = tsr__packet_loop_query(&s->r, TSR__CALL_GLOBAL_ID, d);
        s->size[d] = tsr__packet_loop_query(&s->r, TSR__CALL_LOCAL_SIZE, d);
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
    r->group[0] = LLVMBuildNUWAdd(b, s->first_group[0], s->group_at[k], "");
    r->local[0] = s->x_at[k];
    r->global[0] = LLVMBuildNUWAdd(b, s->base[0], LLVMBuildNUWMul(b, s->pitch[0], s->group_at[k], ""), "");
    r->global[0] = LLVMBuildNUWAdd(b, r->global[0], s->x_at[k], "");
    r->linear = LLVMBuildTrunc(b, LLVMBuildNUWAdd(b, s->row, s->x_at[k], ""), LLVMInt32TypeInContext(s->r.l->context), "");
}

/* The place behind that of the work-item. */
static void step(struct rows *s, unsigned k)
{
    LLVMBuilderRef b = s->r.b;
    LLVMValueRef next = LLVMBuildNUWAdd(b, s->x_at[k], tsr__i64(s->r.l, 1), "");
    LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntEQ, next, s->columns, "");
    s->x_at[k + 1] = LLVMBuildSelect(b, wraps, tsr__i64(s->r.l, 0), next, "");
    s->group_at[k + 1] = LLVMBuildNUWAdd(b, s->group_at[k], LLVMBuildZExt(b, wraps, LLVMInt64TypeInContext(s->r.l->context), ""), "");
}

/* What goes from round to round of the loop over a row. */
enum { LEFT, GROUP, X, LONE, CARRIED }; /* LONE: the number that run alone before several are tried again */

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
                                     [X] = {s->x_at[count], s->x_at[1]},
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
    LLVMValueRef first[CARRIED] = {[LEFT] = LLVMBuildNUWMul(b, s->groups[0], s->columns, ""), [GROUP] = zero, [X] = zero, [LONE] = zero};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), head = new_block(s, "items"), give_up = new_block(s, "give_up"),
                      alone = new_block(s, "alone"), end = new_block(s, "");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    for (int n = 0; n < CARRIED; n++) {
        carried[n] = LLVMBuildPhi(b, i64, "");
        LLVMAddIncoming(carried[n], &first[n], &before, 1);
    }
    s->group_at[0] = carried[GROUP];
    s->x_at[0] = carried[X];
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
    struct rows s = {.r = {.l = l, .f = f, .width = 1, .b = LLVMCreateBuilderInContext(l->context), .lanes = tsr__i32(l, 1)}};
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(f), alone = tsr__packet_loop_begin(&s.r),
                      end_alone = LLVMAppendBasicBlockInContext(l->context, f, "end");
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count), zero = tsr__i64(l, 0);
    static const char *const names[3] = {"", "group_row", "group_plane"};
    struct tsr__counted_loop group[3], y, z;
    ask_for_box(&s);
    for (int d = 2; d > 0; d--) {
        group[d] = tsr__counted_loop_open(&s.r, names[d], zero);
        s.r.group[d] = LLVMBuildNUWAdd(s.r.b, s.first_group[d], group[d].phi, "");
        s.base[d] = LLVMBuildNUWAdd(s.r.b, s.base[d], LLVMBuildNUWMul(s.r.b, s.pitch[d], group[d].phi, ""), "");
    }
    z = tsr__counted_loop_open(&s.r, "z", zero);
    s.r.local[2] = z.phi;
    s.r.global[2] = LLVMBuildNUWAdd(s.r.b, s.base[2], z.phi, "");
    LLVMValueRef plane = LLVMBuildNUWMul(s.r.b, z.phi, s.size[1], "");
    y = tsr__counted_loop_open(&s.r, "y", zero);
    s.r.local[1] = y.phi;
    s.r.global[1] = LLVMBuildNUWAdd(s.r.b, s.base[1], y.phi, "");
    s.row = LLVMBuildNUWMul(s.r.b, LLVMBuildNUWAdd(s.r.b, plane, y.phi, ""), s.columns, "");
    build_row(&s, plan, alone, end_alone);
    close_loop(&s, y, s.size[1]);
    close_loop(&s, z, s.size[2]);
    for (int d = 1; d < 3; d++)
        close_loop(&s, group[d], s.groups[d]);
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

bool tsr__pass_interleave(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr__interleave_plan plan = {.count = 1};
    if (!may_interleave(l, k))
        return true;
    if (k->group.items)
        part_local_memory(l, k->whole);
    if (tsr__interleave_plan(l, &plan, k->whole, 2))
        plan.count = tsr__interleave_count(l, &plan);
    if (plan.count == 1) {
        forget_numbers(l, k->whole);
        return true;
    }
    if (k->group.items)
        k->info->groups_at_once = plan.count;
    build_loops(l, k->whole, &plan);
    tsr__set_fn_text(l, k->whole, TSR__INTERLEAVED, "");
    LLVMGetOrInsertNamedMetadata(l->module, TSR__INTERLEAVED, strlen(TSR__INTERLEAVED));
    tsr__explain(l, k->kernel, "packets", "side by side", "%u work-items at a time, since one would wait for its own results", plan.count);
    return true;
}
