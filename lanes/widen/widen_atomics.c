/* SPDX-License-Identifier: Apache-2.0
 * Atomic operations in a packet.
 *
 * If all lanes update one place, there is one atomic update with the folded value of the lanes: that is one of the orders in which the
 * lanes may run, and each lane's old value follows from it. Exchanges pass values between lanes in registers and update once. If each
 * lane has a place of its own, the updates follow each other in lane order, unless the places are side by side (widen_atomic_rows.c). */
#include "lanes/widen/memory/access.h"
#include "lanes/ir/explain.h"
#include "lanes/widen/reduce_scan.h"
#include "lanes/ir/layout.h"

static const char *operation_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: /* takes away the sum */
        return "add";
    case LLVMAtomicRMWBinOpAnd:
        return "and";
    case LLVMAtomicRMWBinOpOr:
        return "or";
    case LLVMAtomicRMWBinOpXor:
        return "xor";
    case LLVMAtomicRMWBinOpMin:
    case LLVMAtomicRMWBinOpUMin:
        return "min";
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpUMax:
        return "max";
    default:
        return NULL;
    }
}

static LLVMValueRef count_bits(struct tsr__widener *s, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return tsr__build_intrinsic(s->l, s->b, "llvm.ctpop", &type, 1, &x, 1);
}

/* Active lanes, and active lanes below each, as numbers of a type. */
static LLVMValueRef count_active_lanes(struct tsr__widener *s, LLVMTypeRef type)
{
    return LLVMBuildIntCast2(s->b, count_bits(s, tsr__mask_bits(s, s->mask)), type, false, "");
}

static LLVMValueRef active_lanes_below(struct tsr__widener *s, LLVMTypeRef type)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef below[TSR__MAX_ELEMENTS], bits = LLVMBuildIntCast2(s->b, tsr__mask_bits(s, s->mask), i32, false, "");
    for (unsigned i = 0; i < s->width; i++)
        below[i] = tsr__i32(s->l, (uint32_t)((UINT64_C(1) << i) - 1));
    bits = LLVMBuildAnd(s->b, tsr__splat(s, bits), LLVMConstVector(below, s->width), "");
    return LLVMBuildIntCast2(s->b, count_bits(s, bits), tsr__vector_of(s, type), false, "");
}

static LLVMValueRef lane_of(struct tsr__widener *s, LLVMValueRef vector, unsigned lane)
{
    return LLVMBuildExtractElement(s->b, vector, tsr__i32(s->l, lane), "");
}

/* The first active lane gets what was there, each other one what the one before it brought. */
static void widen_exchange(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(s->l->context);
    LLVMValueRef v = tsr__component_of(s, LLVMGetOperand(inst, 1), 0), bits = s->mask ? tsr__mask_bits(s, s->mask) : NULL, last = NULL;
    LLVMValueRef active[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++) {
        active[i] = bits ? LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, bits, LLVMConstInt(LLVMTypeOf(bits), i, false), ""), i1, "") : NULL;
        LLVMValueRef own = lane_of(s, v, i);
        last = last && bits ? LLVMBuildSelect(s->b, active[i], own, last, "") : own;
    }
    LLVMValueRef one = LLVMInstructionClone(inst);
    LLVMSetOperand(one, 0, tsr__scalar_of(s, LLVMGetOperand(inst, 0)));
    LLVMSetOperand(one, 1, last);
    LLVMInsertIntoBuilder(s->b, one);
    if (!LLVMGetFirstUse(inst))
        return;
    LLVMValueRef old = LLVMGetPoison(tsr__vector_of(s, LLVMTypeOf(inst))), there = one;
    for (unsigned i = 0; i < s->width; i++) {
        old = LLVMBuildInsertElement(s->b, old, there, tsr__i32(s->l, i), "");
        LLVMValueRef own = lane_of(s, v, i);
        there = bits ? LLVMBuildSelect(s->b, active[i], own, there, "") : own;
    }
    tsr__set_component(s, inst, 0, old);
}

/* What is there is read; it goes through the lanes one after the other, and what is left of it is put there, if nobody came between. If
 * no lane found what it expected, nothing need be put. */
static void compare_exchange(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMValueRef place = tsr__scalar_of(s, LLVMGetOperand(inst, 0));
    LLVMValueRef expected = LLVMBuildFreeze(s->b, tsr__component_of(s, LLVMGetOperand(inst, 1), 0), "");
    LLVMValueRef wanted = tsr__component_of(s, LLVMGetOperand(inst, 2), 0);
    if (s->mask) /* absent lanes change nothing, whatever they find */
        wanted = tsr__blend(s, s->mask, wanted, expected);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(expected));
    LLVMValueRef read = LLVMBuildLoad2(s->b, type, place, "");
    LLVMSetOrdering(read, LLVMGetCmpXchgFailureOrdering(inst));
    LLVMSetAtomicSyncScopeID(read, LLVMGetAtomicSyncScopeID(inst));
    LLVMSetAlignment(read, LLVMGetAlignment(inst));
    LLVMBasicBlockRef start = LLVMGetInsertBlock(s->b), together = LLVMAppendBasicBlockInContext(c, s->to, "together");
    LLVMBasicBlockRef put = LLVMAppendBasicBlockInContext(c, s->to, "put"), done = LLVMAppendBasicBlockInContext(c, s->to, "");
    LLVMBuildBr(s->b, together);

    LLVMPositionBuilderAtEnd(s->b, together);
    LLVMValueRef first = LLVMBuildPhi(s->b, type, ""), there = first, old = LLVMGetPoison(LLVMTypeOf(expected));
    for (unsigned i = 0; i < s->width; i++) {
        old = LLVMBuildInsertElement(s->b, old, there, tsr__i32(s->l, i), "");
        LLVMValueRef hits = LLVMBuildICmp(s->b, LLVMIntEQ, there, lane_of(s, expected, i), "");
        there = LLVMBuildSelect(s->b, hits, lane_of(s, wanted, i), there, "");
    }
    LLVMValueRef hit = LLVMBuildICmp(s->b, LLVMIntEQ, old, expected, "");
    LLVMBuildCondBr(s->b, tsr__any_lane(s, s->mask ? tsr__mask_and(s, s->mask, hit) : hit), put, done);

    LLVMPositionBuilderAtEnd(s->b, put);
    LLVMValueRef one = LLVMInstructionClone(inst);
    LLVMSetOperand(one, 0, place);
    LLVMSetOperand(one, 1, first);
    LLVMSetOperand(one, 2, there);
    LLVMInsertIntoBuilder(s->b, one);
    LLVMValueRef now = LLVMBuildExtractValue(s->b, one, 0, "");
    LLVMBuildCondBr(s->b, LLVMBuildExtractValue(s->b, one, 1, ""), done, together);
    LLVMAddIncoming(first, &read, &start, 1);
    LLVMAddIncoming(first, &now, &put, 1);

    LLVMPositionBuilderAtEnd(s->b, done);
    tsr__set_component(s, inst, 0, old);
    tsr__set_component(s, inst, 1, hit);
}

/* ---- each lane in its own place ---- */

/* A lane's number in a term of an address, as 64 bits. A vector register is left in words of 64 bits, and shifts take those apart: that is
 * cheaper than lane by lane, or whole pointers. */
static LLVMValueRef index_of_lane(struct tsr__widener *s, const struct tsr__term *t, unsigned lane)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    LLVMValueRef v = tsr__component_of(s, t->value, 0);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(t->value)), at = lane * bits % 64;
    bool is_signed = t->extension == TSR__EXT_SIGNED;
    if ((bits != 8 && bits != 16 && bits != 32) || s->width * bits < 64) {
        v = lane_of(s, v, lane);
        return bits >= 64 ? v : is_signed ? LLVMBuildSExt(s->b, v, i64, "") : LLVMBuildZExt(s->b, v, i64, "");
    }
    v = lane_of(s, LLVMBuildBitCast(s->b, v, LLVMVectorType(i64, s->width * bits / 64), ""), lane * bits / 64);
    if (is_signed)
        return LLVMBuildAShr(s->b, LLVMBuildShl(s->b, v, tsr__i64(s->l, 64 - bits - at), ""), tsr__i64(s->l, 64 - bits), "");
    return LLVMBuildAnd(s->b, LLVMBuildLShr(s->b, v, tsr__i64(s->l, at), ""), tsr__i64(s->l, (UINT64_C(1) << bits) - 1), "");
}

static LLVMValueRef place_of_lane(struct tsr__widener *s, const struct tsr__address *a, LLVMValueRef base, unsigned lane)
{
    for (int i = a->first_varying; i < a->count; i++) {
        LLVMValueRef scale = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), (uint64_t)a->terms[i].scale, true);
        LLVMValueRef bytes = LLVMBuildMul(s->b, index_of_lane(s, &a->terms[i], lane), scale, "");
        base = tsr__plus_bytes(s->l, s->b, base, bytes);
    }
    return base;
}

static unsigned operand_count(LLVMValueRef inst)
{
    return LLVMIsAAtomicCmpXchgInst(inst) ? 3 : 2;
}

/* All lanes, without a look at who is there. */
static void update_one_place(struct tsr__widener *s, LLVMValueRef inst, const struct tsr__address *a, LLVMValueRef base, LLVMValueRef *old)
{
    int components = tsr__component_count(LLVMTypeOf(inst));
    for (int k = 0; k < components; k++)
        old[k] = LLVMGetPoison(tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), k)));
    for (unsigned i = 0; i < s->width; i++) {
        LLVMValueRef one = LLVMInstructionClone(inst);
        LLVMSetOperand(one, 0, place_of_lane(s, a, base, i));
        for (unsigned k = 1; k < operand_count(inst); k++) {
            LLVMValueRef v = LLVMGetOperand(inst, k);
            LLVMSetOperand(one, k,
                           tsr__is_uniform(tsr__shape_here(s, v)) ? tsr__scalar_of(s, v) : lane_of(s, tsr__component_of(s, v, 0), i));
        }
        LLVMInsertIntoBuilder(s->b, one);
        for (int k = 0; k < components; k++)
            old[k] = LLVMBuildInsertElement(s->b, old[k], tsr__extract_component(s, one, k), tsr__i32(s->l, i), "");
    }
}

/* What both ways of update_each read has to be there before they part. */
static void prepare_operands(struct tsr__widener *s, LLVMValueRef inst, const struct tsr__address *a)
{
    for (int i = a->first_varying; i < a->count; i++)
        tsr__component_of(s, a->terms[i].value, 0);
    for (unsigned k = 0; k < operand_count(inst); k++) {
        LLVMValueRef v = LLVMGetOperand(inst, k);
        if (tsr__is_uniform(tsr__shape_here(s, v)))
            tsr__scalar_of(s, v);
        else
            tsr__component_of(s, v, 0);
    }
}

/* All lanes in a row if all are there. False: the address is not known well enough for that, or there are too many updates for a copy of
 * each for every lane. */
static bool update_each_place(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    struct tsr__address a;
    if (s->function_mask || s->atomics > TSR__ROW_ATOMICS || !tsr__address_of(s, LLVMGetOperand(inst, 0), &a))
        return false;
    int components = tsr__component_count(LLVMTypeOf(inst));
    LLVMValueRef old[2], base = tsr__address_base(s, &a);
    prepare_operands(s, inst, &a);
    if (!s->mask) {
        tsr__explain_serialised(s->l, inst);
        update_one_place(s, inst, &a, base, old);
        for (int k = 0; k < components; k++)
            tsr__set_component(s, inst, k, old[k]);
        return true;
    }
    LLVMBasicBlockRef all = LLVMAppendBasicBlockInContext(c, s->to, "all"), some = LLVMAppendBasicBlockInContext(c, s->to, "some");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c, s->to, ""), some_end;
    LLVMValueRef bits = tsr__mask_bits(s, s->mask);
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), ""), all, some);
    LLVMPositionBuilderAtEnd(s->b, all);
    update_one_place(s, inst, &a, base, old);
    LLVMBuildBr(s->b, done);
    LLVMPositionBuilderAtEnd(s->b, some);
    tsr__emit_lane_loop(s, inst);
    some_end = LLVMGetInsertBlock(s->b);
    LLVMBuildBr(s->b, done);
    LLVMPositionBuilderAtEnd(s->b, done);
    for (int k = 0; k < components; k++) {
        LLVMValueRef met = LLVMBuildPhi(s->b, LLVMTypeOf(old[k]), ""), found = tsr__component_of(s, inst, k);
        LLVMAddIncoming(met, &old[k], &all, 1);
        LLVMAddIncoming(met, &found, &some_end, 1);
        old[k] = met;
    }
    for (int k = 0; k < components; k++)
        tsr__set_component(s, inst, k, old[k]);
    return true;
}

bool tsr__widen_atomic(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    if (opcode == LLVMFence) { /* the lanes are one thread */
        LLVMInsertIntoBuilder(s->b, LLVMInstructionClone(inst));
        return true;
    }
    if (opcode != LLVMAtomicRMW && opcode != LLVMAtomicCmpXchg)
        return false;
    LLVMValueRef pointer = LLVMGetOperand(inst, 0);
    if (!tsr__is_uniform(tsr__shape_here(s, pointer)))
        return tsr__widen_atomic_row(s, inst) || update_each_place(s, inst);
    if (opcode == LLVMAtomicCmpXchg || LLVMGetAtomicRMWBinOp(inst) == LLVMAtomicRMWBinOpXchg) {
        tsr__explain(s->l, inst, "atomic", "one", "exchange after the lanes' own in registers");
        (opcode == LLVMAtomicCmpXchg ? compare_exchange : widen_exchange)(s, inst);
        return true;
    }
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    if (!operation_of(op))
        return false;
    tsr__explain(s->l, inst, "atomic", "one", "of what the lanes' values fold into");
    LLVMValueRef v = LLVMGetOperand(inst, 1);
    LLVMTypeRef type = LLVMTypeOf(inst);
    struct tsr__reduction f = tsr__reduction_make(operation_of(op), type, op == LLVMAtomicRMWBinOpUMin || op == LLVMAtomicRMWBinOpUMax);
    bool counts = (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub) && tsr__is_uniform(tsr__shape_here(s, v));
    LLVMValueRef filled = counts ? NULL : tsr__fill_absent_lanes(s, &f, v);
    LLVMValueRef all =
        counts ? LLVMBuildMul(s->b, tsr__scalar_of(s, v), count_active_lanes(s, type), "") : tsr__reduce_lanes(s, &f, filled);
    LLVMValueRef one = LLVMInstructionClone(inst);
    LLVMSetOperand(one, 0, tsr__scalar_of(s, pointer));
    LLVMSetOperand(one, 1, all);
    LLVMInsertIntoBuilder(s->b, one);
    if (!LLVMGetFirstUse(inst))
        return true;
    LLVMValueRef below =
        counts ? LLVMBuildMul(s->b, tsr__component_of(s, v, 0), active_lanes_below(s, type), "") : tsr__scan_exclusive(s, &f, filled);
    LLVMValueRef old = tsr__splat(s, one);
    tsr__set_component(s, inst, 0, op == LLVMAtomicRMWBinOpSub ? LLVMBuildSub(s->b, old, below, "") : tsr__reduce_pair(s, &f, old, below));
    return true;
}
