/* SPDX-License-Identifier: Apache-2.0
 * The loop over packets, the main loop of a vectorised kernel without barriers: one call of a packet function runs the full packets of
 * the rows of many work-groups, with ids in registers. The remainder of a row goes to the function for other packets (mixed_loop.c). */
#include "lanes/widen/widen_dot.h"
#include "lanes/widen/widen_madw.h"
#include "lanes/analysis/group_visibility.h"
#include "lanes/groups/packet_loop.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/prepare/unroll.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/cfg.h"
#include "lanes/ir/mad_op.h"
#include "tessera/item.h"

/* ---- the loops ---- */

LLVMValueRef tsr__packet_loop_query(struct tsr__packet_loop *r, enum tsr__engine_call call, int dim)
{
    return tsr__build_query(r->l, r->b, call, dim);
}

static LLVMBasicBlockRef append_loop_block(struct tsr__packet_loop *r, const char *name)
{
    return LLVMAppendBasicBlockInContext(r->l->context, r->f, name);
}

LLVMValueRef tsr__packet_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef left, unsigned width)
{
    LLVMValueRef most = tsr__i64(l, width), full = LLVMBuildICmp(b, LLVMIntUGE, left, most, "");
    return LLVMBuildTrunc(b, LLVMBuildSelect(b, full, most, left, ""), LLVMInt32TypeInContext(l->context), "");
}

LLVMBasicBlockRef tsr__packet_loop_begin(struct tsr__packet_loop *r)
{
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(r->f);
    LLVMValueRef into = LLVMGetBasicBlockTerminator(start);
    LLVMBasicBlockRef begin = LLVMGetSuccessor(into, 0);
    LLVMInstructionEraseFromParent(into);
    LLVMPositionBuilderAtEnd(r->b, start);
    return begin;
}

struct tsr__counted_loop tsr__counted_loop_open(struct tsr__packet_loop *r, const char *name, LLVMValueRef first)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->b);
    struct tsr__counted_loop loop = {append_loop_block(r, name), NULL};
    LLVMBuildBr(r->b, loop.head);
    LLVMPositionBuilderAtEnd(r->b, loop.head);
    loop.phi = LLVMBuildPhi(r->b, LLVMTypeOf(first), name);
    LLVMAddIncoming(loop.phi, &first, &before, 1);
    return loop;
}

LLVMValueRef tsr__counted_loop_close(struct tsr__packet_loop *r, struct tsr__counted_loop loop, LLVMValueRef step, LLVMValueRef end)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(r->b), out = append_loop_block(r, "");
    LLVMValueRef next = LLVMBuildNUWAdd(r->b, loop.phi, step, "");
    LLVMAddIncoming(loop.phi, &next, &latch, 1);
    LLVMValueRef again = LLVMBuildCondBr(r->b, LLVMBuildICmp(r->b, LLVMIntULT, next, end, ""), loop.head, out);
    LLVMPositionBuilderAtEnd(r->b, out);
    return again;
}

void tsr__packet_loop_reset_slots(struct tsr__packet_loop *r, LLVMBasicBlockRef start)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(start); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        LLVMTypeRef type = LLVMGetAllocatedType(i);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind)
            LLVMBuildStore(r->b, LLVMGetPoison(type), i);
    }
}

/* The one store to a slot that is only loaded besides, and whether that comes before every load. */
static LLVMValueRef only_store(const struct tsr__cfg *cfg, LLVMValueRef slot)
{
    LLVMValueRef store = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == slot && !store)
            store = user;
        else if (!LLVMIsALoadInst(user) || LLVMTypeOf(user) != LLVMGetAllocatedType(slot))
            return NULL;
    }
    int from = store ? tsr__cfg_number(cfg, LLVMGetInstructionParent(store)) : TSR__NONE;
    if (from == TSR__NONE || LLVMTypeOf(LLVMGetOperand(store, 0)) != LLVMGetAllocatedType(slot))
        return NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int at = tsr__cfg_number(cfg, LLVMGetInstructionParent(user));
        if (user != store && (at == TSR__NONE || at == from || !tsr__dominates(cfg, from, at)))
            return NULL;
    }
    return store;
}

void tsr__packet_loop_promote_slots(struct tsr__compilation *l, LLVMValueRef f)
{
    struct tsr__cfg cfg;
    size_t count, slots = 0;
    LLVMValueRef *code = tsr__instructions(l, f, &count);
    if (!tsr__cfg_make(&cfg, f, &l->scratch))
        return;
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAAllocaInst(code[i]))
            code[slots++] = code[i];
    for (size_t i = 0; i < slots; i++) {
        LLVMValueRef store = only_store(&cfg, code[i]), value = store ? LLVMGetOperand(store, 0) : NULL;
        if (!store)
            continue;
        LLVMInstructionEraseFromParent(store);
        for (LLVMUseRef use = LLVMGetFirstUse(code[i]); use; use = LLVMGetFirstUse(code[i])) {
            LLVMValueRef load = LLVMGetUser(use);
            LLVMReplaceAllUsesWith(load, value);
            LLVMInstructionEraseFromParent(load);
        }
        LLVMInstructionEraseFromParent(code[i]);
    }
}

static LLVMValueRef select_dimension(struct tsr__packet_loop *r, LLVMValueRef dim, LLVMValueRef *values)
{
    if (LLVMIsAConstantInt(dim) && LLVMConstIntGetZExtValue(dim) < 3)
        return values[LLVMConstIntGetZExtValue(dim)];
    LLVMValueRef result = values[2];
    for (uint32_t d = 2; d-- > 0;)
        result = LLVMBuildSelect(r->b, LLVMBuildICmp(r->b, LLVMIntEQ, dim, tsr__i32(r->l, d), ""), values[d], result, "");
    return result;
}

LLVMValueRef tsr__packet_loop_known(struct tsr__packet_loop *r, LLVMValueRef call)
{
    switch (tsr__call_of(call)) {
    case TSR__CALL_LOCAL_ID:
        return select_dimension(r, LLVMGetOperand(call, 0), r->local);
    case TSR__CALL_GLOBAL_ID:
        return select_dimension(r, LLVMGetOperand(call, 0), r->global);
    case TSR__CALL_LINEAR_ID:
        return r->linear;
    case TSR__CALL_SUB_GROUP_ID:
        return LLVMBuildLShr(r->b, r->linear, tsr__i32(r->l, (uint32_t)__builtin_ctz(r->width)), "");
    case TSR__CALL_GROUP_ID:
        return select_dimension(r, LLVMGetOperand(call, 0), r->group);
    case TSR__CALL_LANE:
        return r->lane;
    case TSR__CALL_PACKET_IDS:
        return r->ids[0] ? select_dimension(r, LLVMGetOperand(call, 0), r->ids) : NULL;
    case TSR__CALL_SUB_GROUP_SIZE:
        return r->lanes;
    case TSR__CALL_ROW_AT:
        return r->at;
    case TSR__CALL_ROW_ITEMS:
        return r->items;
    default:
        return NULL;
    }
}

void tsr__packet_loop_rewrite(struct tsr__packet_loop *r, LLVMValueRef inst, LLVMBasicBlockRef end)
{
    LLVMPositionBuilderBefore(r->b, inst);
    if (LLVMIsAReturnInst(inst)) {
        LLVMBuildBr(r->b, end);
    } else if (tsr__call_of(inst) != TSR__CALL_SITE || r->l->options->check) { /* sites are for those who meet or are looked at */
        LLVMValueRef made = tsr__packet_loop_known(r, inst);
        if (!made)
            return;
        LLVMReplaceAllUsesWith(inst, made);
    }
    LLVMInstructionEraseFromParent(inst);
}

static bool multiplies_matrices(LLVMValueRef const *code, size_t count)
{
    struct tsr__mad mad;
    for (size_t i = 0; i < count; i++)
        if (tsr__mad_read(code[i], &mad))
            return true;
    return false;
}

/* The packets of a work-group of known size, in linear order; the last may lack lanes. */
static struct tsr__counted_loop open_linear_loop(struct tsr__packet_loop *r, const LLVMValueRef base[3], uint32_t items)
{
    LLVMValueRef zero = tsr__i64(r->l, 0);
    struct tsr__counted_loop x = tsr__counted_loop_open(r, "x", zero);
    for (int d = 0; d < 3; d++) {
        r->local[d] = d ? zero : x.phi; /* of a group of one row; else the kernel has no use for them */
        r->global[d] = LLVMBuildNUWAdd(r->b, base[d], r->local[d], "");
    }
    r->linear = LLVMBuildTrunc(r->b, x.phi, LLVMInt32TypeInContext(r->l->context), "");
    r->lanes = tsr__packet_lanes(r->l, r->b, LLVMBuildSub(r->b, tsr__i64(r->l, items), x.phi, ""), r->width);
    return x;
}

/* Puts loops over packets, rows, planes and work-groups around a packet function. Every lane is there, or the size of groups is known. */
static void build_loop(struct tsr__compilation *l, LLVMValueRef f, unsigned width, struct tsr__group_size known)
{
    struct tsr__packet_loop r = {.l = l, .f = f, .width = width, .b = LLVMCreateBuilderInContext(l->context)};
    LLVMBasicBlockRef start = LLVMGetEntryBasicBlock(f), end = append_loop_block(&r, "end"), begin = tsr__packet_loop_begin(&r);
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, f, &count);

    static const char *const names[3] = {"group", "group_row", "group_plane"};
    LLVMValueRef zero = tsr__i64(l, 0), one = tsr__i64(l, 1), base[3], size[3], groups[3], pitch[3];
    LLVMValueRef columns = tsr__packet_loop_query(&r, TSR__CALL_ROW_COLUMNS, -1);
    columns = LLVMBuildAnd(r.b, columns, tsr__i64(l, -(uint64_t)width), ""); /* as it is, but LLVM gets to know that rows are whole */
    bool linear = known.items && known.packets == TSR__LINEAR_PACKETS;
    if (known.items)
        columns = tsr__i64(l, linear ? known.items : known.size[0]);
    struct tsr__counted_loop group[3], x, y, z;
    for (int d = 0; d < 3; d++) {
        base[d] = tsr__packet_loop_query(&r, TSR__CALL_GLOBAL_ID, d); /* of the first work-item */
        size[d] = tsr__packet_loop_query(&r, TSR__CALL_LOCAL_SIZE, d);
        pitch[d] = tsr__packet_loop_query(&r, TSR__CALL_ENQUEUED_LOCAL_SIZE, d);
        if (known.items)
            size[d] = pitch[d] = tsr__i64(l, known.size[d]);
        groups[d] = tsr__packet_loop_query(&r, TSR__CALL_ROW_GROUPS, d);
        r.group[d] = tsr__packet_loop_query(&r, TSR__CALL_GROUP_ID, d);
    }
    for (int d = 2; d >= 0; d--) {
        group[d] = tsr__counted_loop_open(&r, names[d], zero);
        r.group[d] = LLVMBuildNUWAdd(r.b, r.group[d], group[d].phi, "");
        base[d] = LLVMBuildNUWAdd(r.b, base[d], LLVMBuildNUWMul(r.b, pitch[d], group[d].phi, ""), "");
    }
    if (linear) {
        x = open_linear_loop(&r, base, known.items);
    } else {
        z = tsr__counted_loop_open(&r, "z", zero);
        r.global[2] = LLVMBuildNUWAdd(r.b, base[2], z.phi, "");
        LLVMValueRef plane = LLVMBuildNUWMul(r.b, z.phi, size[1], "");
        y = tsr__counted_loop_open(&r, "y", zero);
        r.global[1] = LLVMBuildNUWAdd(r.b, base[1], y.phi, "");
        LLVMValueRef row = LLVMBuildNUWMul(r.b, LLVMBuildNUWAdd(r.b, plane, y.phi, ""), columns, "");
        x = tsr__counted_loop_open(&r, "x", zero);
        r.global[0] = LLVMBuildNUWAdd(r.b, base[0], x.phi, "");
        r.linear = LLVMBuildTrunc(r.b, LLVMBuildNUWAdd(r.b, row, x.phi, ""), LLVMInt32TypeInContext(l->context), "");
        r.local[0] = x.phi, r.local[1] = y.phi, r.local[2] = z.phi;
    }
    tsr__packet_loop_reset_slots(&r, start);
    LLVMBuildBr(r.b, begin);

    LLVMPositionBuilderAtEnd(r.b, end);
    if (tsr__tile_unit(l) && multiplies_matrices(code, count))
        tsr__packet_mark_build(l, r.b, TSR__PACKET_ENDS);
    tsr__counted_loop_close(&r, x, tsr__i64(l, width), columns);
    if (!linear) {
        tsr__counted_loop_close(&r, y, one, size[1]);
        tsr__counted_loop_close(&r, z, one, size[2]);
    }
    for (int d = 0; d < 3; d++) {
        LLVMValueRef again = tsr__counted_loop_close(&r, group[d], one, groups[d]);
        if (d) /* LLVM would count all the code in it, to see whether it is little enough */
            tsr__set_loop_hint(l, again, "llvm.loop.unroll.disable", 0);
    }
    LLVMBuildRetVoid(r.b);

    for (size_t i = 0; i < count; i++)
        tsr__packet_loop_rewrite(&r, code[i], end);
    LLVMDisposeBuilder(r.b);
}

/* Where all packets are full, every work-group has the size that the kernel requires. */
static struct tsr__group_size known_size(const struct tsr__packet_kernel *k)
{
    struct tsr__group_size known = {.items = 1, .packets = TSR__ROW_PARTS};
    if (!(k->info->flags & TSR_KERNEL_FULL_PACKETS))
        return k->group;
    for (unsigned d = 0; d < 3; d++) {
        known.size[d] = (uint32_t)tsr_required_size(k->info, d);
        known.items *= known.size[d];
    }
    return known;
}

bool tsr__pass_packet_loop(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    if (k->lone)
        build_loop(l, k->lone, k->packet.width, (struct tsr__group_size){{k->packet.width, 1, 1}, k->packet.width, TSR__LINEAR_PACKETS});
    if (k->whole && tsr__has_barrier(l, k->whole))
        return true;
    k->info->flags |= TSR_KERNEL_PACKET_LOOP;
    if (!k->whole)
        return true;
    if (tsr__has_text_attr(k->whole, TSR__INTERLEAVED))
        return true;
    tsr__packet_loop_promote_slots(l, k->whole);
    build_loop(l, k->whole, k->packet.width, known_size(k));
    if (k->wrapping)
        build_loop(l, k->wrapping, k->packet.width, k->group);
    return true;
}
