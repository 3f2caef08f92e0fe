/* SPDX-License-Identifier: Apache-2.0
 * The loop over remainder packets, for kernels that know their work-groups by number only: a packet takes work-items that lie side by side
 * in a row of the range, whichever groups they are in. For other kernels the device calls the function for other packets once for each
 * remainder. */
#include "lanes/groups/packet_loop.h"

#include "lanes/analysis/group_visibility.h"
#include "lanes/prepare/packet_kernel.h"

/* The local id of lane 0 in one dimension and the number of its work-group, which go on together. */
struct place {
    LLVMValueRef local, group;
};

static LLVMValueRef loop_counter(struct tsr__packet_loop *r, LLVMValueRef first, LLVMBasicBlockRef from)
{
    LLVMValueRef made = LLVMBuildPhi(r->b, LLVMTypeOf(first), "");
    LLVMAddIncoming(made, &first, &from, 1);
    return made;
}

/* Right behind the opening of a loop. */
static void begin_places(struct tsr__packet_loop *r, struct tsr__counted_loop loop, struct place first, int dim)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(loop.phi, 0);
    r->local[dim] = loop_counter(r, first.local, from);
    r->group[dim] = loop_counter(r, first.group, from);
}

/* Right before its end: `step` is how far a round goes. */
static void next_places(struct tsr__packet_loop *r, struct place step, LLVMValueRef pitch, int dim)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(r->b);
    LLVMValueRef local = LLVMBuildAdd(r->b, r->local[dim], step.local, "");
    LLVMValueRef wraps = LLVMBuildICmp(r->b, LLVMIntUGE, local, pitch, "");
    local = LLVMBuildSelect(r->b, wraps, LLVMBuildSub(r->b, local, pitch, ""), local, "");
    LLVMValueRef group = LLVMBuildAdd(r->b, r->group[dim], step.group, "");
    group = LLVMBuildAdd(r->b, group, LLVMBuildZExt(r->b, wraps, LLVMTypeOf(group), ""), "");
    LLVMAddIncoming(r->local[dim], &local, &latch, 1);
    LLVMAddIncoming(r->group[dim], &group, &latch, 1);
}

static void build_loop(struct tsr__compilation *l, LLVMValueRef f, unsigned width)
{
    struct tsr__packet_loop r = {.l = l, .f = f, .width = width, .b = LLVMCreateBuilderInContext(l->context)};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(f), end = LLVMAppendBasicBlockInContext(l->context, f, "end"),
                      begin = tsr__packet_loop_begin(&r);
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count);

    LLVMValueRef zero = tsr__i64(l, 0), one = tsr__i64(l, 1), across = tsr__i64(l, width), base[3], pitch[3], size[2];
    struct place first[3], step[3];
    for (int d = 0; d < 3; d++) {
        base[d] = tsr__packet_loop_query(&r, TSR__CALL_GLOBAL_ID, d);
        pitch[d] = tsr__packet_loop_query(&r, TSR__CALL_ENQUEUED_LOCAL_SIZE, d);
        first[d] = (struct place){tsr__packet_loop_query(&r, TSR__CALL_LOCAL_ID, d), tsr__packet_loop_query(&r, TSR__CALL_GROUP_ID, d)};
        step[d] = (struct place){one, zero};
    }
    for (int d = 0; d < 2; d++)
        size[d] = tsr__packet_loop_query(&r, TSR__CALL_LOCAL_SIZE, d);
    step[0] = (struct place){LLVMBuildURem(r.b, across, pitch[0], ""), LLVMBuildUDiv(r.b, across, pitch[0], "")};
    LLVMValueRef columns = tsr__packet_loop_query(&r, TSR__CALL_ROW_COLUMNS, -1), head = tsr__packet_loop_query(&r, TSR__CALL_ROW_HEAD, -1);
    LLVMValueRef rows = tsr__packet_loop_query(&r, TSR__CALL_BOX_ROWS, -1), planes = tsr__packet_loop_query(&r, TSR__CALL_BOX_PLANES, -1);
    r.items = LLVMBuildTrunc(r.b, LLVMBuildSub(r.b, columns, head, ""), i32, "");

    struct tsr__counted_loop z = tsr__counted_loop_open(&r, "z", zero);
    begin_places(&r, z, first[2], 2);
    r.global[2] = LLVMBuildAdd(r.b, base[2], z.phi, "");
    LLVMValueRef plane = LLVMBuildMul(r.b, r.local[2], size[1], "");
    struct tsr__counted_loop y = tsr__counted_loop_open(&r, "y", zero);
    begin_places(&r, y, first[1], 1);
    r.global[1] = LLVMBuildAdd(r.b, base[1], y.phi, "");
    LLVMValueRef row = LLVMBuildMul(r.b, LLVMBuildAdd(r.b, plane, r.local[1], ""), size[0], "");
    struct tsr__counted_loop x = tsr__counted_loop_open(&r, "x", zero);
    begin_places(&r, x, first[0], 0);
    r.global[0] = LLVMBuildAdd(r.b, base[0], x.phi, "");
    r.linear = LLVMBuildTrunc(r.b, LLVMBuildAdd(r.b, row, r.local[0], ""), i32, "");
    r.at = LLVMBuildTrunc(r.b, LLVMBuildSub(r.b, x.phi, head, ""), i32, "");
    tsr__packet_loop_reset_slots(&r, start);
    LLVMBuildBr(r.b, begin);

    LLVMPositionBuilderAtEnd(r.b, end);
    next_places(&r, step[0], pitch[0], 0);
    tsr__counted_loop_close(&r, x, across, columns);
    next_places(&r, step[1], pitch[1], 1);
    tsr__counted_loop_close(&r, y, one, rows);
    next_places(&r, step[2], pitch[2], 2);
    tsr__counted_loop_close(&r, z, one, planes);
    LLVMBuildRetVoid(r.b);

    for (size_t i = 0; i < count; i++)
        tsr__packet_loop_rewrite(&r, code[i], end);
    LLVMDisposeBuilder(r.b);
}

bool tsr__pass_mixed_loop(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    if (!k->whole || (k->partial && tsr__group_visibility(l, k->item) < TSR__SEES_SUB_GROUPS && !tsr__has_barrier(l, k->whole)))
        build_loop(l, k->partial, k->packet.width);
    return true;
}
