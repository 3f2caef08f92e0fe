/* SPDX-License-Identifier: Apache-2.0
 * Atomic updates of places side by side in global memory, four or two lanes at a time.
 *
 * CMPXCHG16B compares and exchanges 16 aligned bytes at once. It takes little longer than the update of one place, so a row of places is
 * updated in such chunks, by a loop that tries until no other thread has changed the chunk in between. Places in a chunk that no active
 * lane updates keep their value: the CPU writes it back in the same atomic step, so no thread can tell. They lie in the page of a place
 * that is updated, so they are there. A chunk without an active lane is not touched. */
#include "lanes/widen/memory/access.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/unroll.h"
#include "lanes/widen/memory/fork.h"

enum { CHUNK_BYTES = 16 };

/* The lanes' vector, or what is the same in all of them. */
struct operand {
    LLVMValueRef same; /* as a vector of a chunk */
    LLVMValueRef slot; /* else: memory that has the lanes in order, behind room for a chunk, and before room for one */
};

struct row {
    struct tsr__widener *s;
    LLVMValueRef inst;
    LLVMTypeRef values, bits;  /* of a chunk: as vectors of the type of a place, and of integers */
    unsigned bytes, count;     /* of a place; places in a chunk */
    struct operand given[2];   /* the value; or what is expected, and what is wanted */
    LLVMValueRef old_slot;     /* NULL: nobody asks what was there */
    LLVMValueRef first, aside; /* the first chunk's address; lane 0's distance from it in bytes */
};

/* ---- operations ---- */

static const char *intrinsic_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpMax:
        return "llvm.smax";
    case LLVMAtomicRMWBinOpMin:
        return "llvm.smin";
    case LLVMAtomicRMWBinOpUMax:
        return "llvm.umax";
    case LLVMAtomicRMWBinOpUMin:
        return "llvm.umin";
    case LLVMAtomicRMWBinOpFMax: /* these two as LLVM computes them for one place */
        return "llvm.maxnum";
    case LLVMAtomicRMWBinOpFMin:
        return "llvm.minnum";
    default:
        return NULL;
    }
}

static LLVMOpcode opcode_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
        return LLVMAdd;
    case LLVMAtomicRMWBinOpSub:
        return LLVMSub;
    case LLVMAtomicRMWBinOpAnd:
        return LLVMAnd;
    case LLVMAtomicRMWBinOpOr:
        return LLVMOr;
    case LLVMAtomicRMWBinOpXor:
        return LLVMXor;
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMFAdd;
    case LLVMAtomicRMWBinOpFSub:
        return LLVMFSub;
    default:
        return 0;
    }
}

/* Operands but for the address. */
static unsigned given_count(LLVMValueRef inst)
{
    return LLVMIsAAtomicCmpXchgInst(inst) ? 2 : 1;
}

static bool has_operation(LLVMValueRef inst)
{
    if (LLVMIsAAtomicCmpXchgInst(inst))
        return true;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    return op == LLVMAtomicRMWBinOpXchg || opcode_of(op) || intrinsic_of(op);
}

/* What becomes of a chunk, whose places all have an active lane. */
static LLVMValueRef updated(struct row *r, LLVMValueRef old, const LLVMValueRef *given)
{
    LLVMBuilderRef b = r->s->b;
    if (LLVMIsAAtomicCmpXchgInst(r->inst))
        return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, old, given[0], ""), given[1], old, "");
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(r->inst);
    if (op == LLVMAtomicRMWBinOpXchg)
        return given[0];
    if (opcode_of(op))
        return LLVMBuildBinOp(b, opcode_of(op), old, given[0], "");
    return tsr__build_intrinsic(r->s->l, r->s->b, intrinsic_of(op), &r->values, 1, (LLVMValueRef[]){old, given[0]}, 2);
}

/* ---- lanes in memory ---- */

/* Chunks begin and end between lanes, before the first and behind the last. */
static LLVMValueRef make_slot(struct row *r)
{
    struct tsr__widener *s = r->s;
    uint64_t bytes = s->width * r->bytes + 2 * CHUNK_BYTES;
    LLVMValueRef slot = tsr__stack_slot(s, LLVMArrayType2(LLVMInt8TypeInContext(s->l->context), bytes), "row");
    LLVMSetAlignment(slot, CHUNK_BYTES);
    return slot;
}

static LLVMValueRef lanes_in(struct row *r, LLVMValueRef slot)
{
    return tsr__plus_bytes(r->s->l, r->s->b, slot, tsr__i64(r->s->l, CHUNK_BYTES));
}

static struct operand take_operand(struct row *r, LLVMValueRef v)
{
    struct tsr__widener *s = r->s;
    struct operand taken = {0};
    if (tsr__is_uniform(tsr__shape_here(s, v))) {
        taken.same = tsr__splat_scalar(s->l, s->b, tsr__scalar_of(s, v), r->count);
        return taken;
    }
    taken.slot = make_slot(r);
    LLVMSetAlignment(LLVMBuildStore(s->b, tsr__component_of(s, v, 0), lanes_in(r, taken.slot)), CHUNK_BYTES);
    return taken;
}

/* Those of the chunk that is `at` bytes behind the first one. */
static LLVMValueRef place_in_slot(struct row *r, LLVMValueRef slot, LLVMValueRef at)
{
    return tsr__plus_bytes(r->s->l, r->s->b, lanes_in(r, slot), LLVMBuildSub(r->s->b, at, r->aside, ""));
}

static LLVMValueRef operand_at(struct row *r, const struct operand *o, LLVMValueRef at)
{
    if (o->same)
        return o->same;
    LLVMValueRef load = LLVMBuildLoad2(r->s->b, r->values, place_in_slot(r, o->slot, at), "");
    LLVMSetAlignment(load, r->bytes);
    return load;
}

/* ---- a chunk ---- */

/* The chunk as it may be: it is compared again, so either half may be newer. Two registers are what CMPXCHG16B takes, and no CPU has to
 * have an atomic load of 16 bytes. */
static LLVMValueRef peek(struct row *r, LLVMValueRef place)
{
    struct tsr__widener *s = r->s;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context), i128 = LLVMIntTypeInContext(s->l->context, 8 * CHUNK_BYTES);
    LLVMValueRef half[2];
    for (unsigned i = 0; i < 2; i++) {
        half[i] = LLVMBuildLoad2(s->b, i64, tsr__plus_bytes(r->s->l, r->s->b, place, tsr__i64(s->l, 8 * i)), "");
        LLVMSetOrdering(half[i], LLVMAtomicOrderingMonotonic);
        LLVMSetAlignment(half[i], 8);
    }
    LLVMValueRef high = LLVMBuildShl(s->b, LLVMBuildZExt(s->b, half[1], i128, ""), LLVMConstInt(i128, 64, false), "");
    return LLVMBuildOr(s->b, LLVMBuildZExt(s->b, half[0], i128, ""), high, "");
}

/* Tries until it is done, then goes to `next`. `lanes`: a bit for each place whose lane is active. */
static void update_chunk(struct row *r, LLVMValueRef at, LLVMValueRef lanes, LLVMBasicBlockRef next)
{
    struct tsr__widener *s = r->s;
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i128 = LLVMIntTypeInContext(c, 8 * CHUNK_BYTES);
    /* Made of a number, as it reaches beyond what the pointer may be known to point to. */
    LLVMValueRef place =
        LLVMBuildIntToPtr(s->b, LLVMBuildAdd(s->b, r->first, at, ""), LLVMPointerTypeInContext(c, TSR__GLOBAL_SPACE), "chunk");
    LLVMValueRef given[2];
    for (unsigned k = 0; k < given_count(r->inst); k++)
        given[k] = operand_at(r, &r->given[k], at);
    LLVMValueRef active = LLVMBuildBitCast(s->b, lanes, LLVMVectorType(LLVMInt1TypeInContext(c), r->count), "");
    LLVMValueRef peeked = peek(r, place);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), try = LLVMAppendBasicBlockInContext(c, s->to, "try");
    LLVMBasicBlockRef done = r->old_slot ? LLVMAppendBasicBlockInContext(c, s->to, "") : next;
    LLVMBuildBr(s->b, try);

    LLVMPositionBuilderAtEnd(s->b, try);
    LLVMValueRef seen = LLVMBuildPhi(s->b, i128, "seen"), old = LLVMBuildBitCast(s->b, seen, r->bits, "");
    LLVMValueRef made = updated(r, LLVMBuildBitCast(s->b, old, r->values, ""), given);
    made = LLVMBuildSelect(s->b, active, LLVMBuildBitCast(s->b, made, r->bits, ""), old, "");
    bool is_exchange = LLVMIsAAtomicCmpXchgInst(r->inst) != NULL;
    LLVMAtomicOrdering order = is_exchange ? LLVMGetCmpXchgSuccessOrdering(r->inst) : LLVMGetOrdering(r->inst);
    LLVMAtomicOrdering failure = is_exchange ? LLVMGetCmpXchgFailureOrdering(r->inst) : LLVMAtomicOrderingMonotonic;
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(s->b, place, seen, LLVMBuildBitCast(s->b, made, i128, ""), order, failure, false);
    LLVMSetAlignment(pair, CHUNK_BYTES);
    LLVMSetAtomicSyncScopeID(pair, LLVMGetAtomicSyncScopeID(r->inst));
    LLVMSetVolatile(pair, LLVMGetVolatile(r->inst));
    LLVMValueRef now = LLVMBuildExtractValue(s->b, pair, 0, "");
    LLVMBuildCondBr(s->b, LLVMBuildExtractValue(s->b, pair, 1, ""), done, try);
    LLVMAddIncoming(seen, &peeked, &before, 1);
    LLVMAddIncoming(seen, &now, &try, 1);
    if (!r->old_slot)
        return;
    LLVMPositionBuilderAtEnd(s->b, done);
    LLVMSetAlignment(LLVMBuildStore(s->b, old, place_in_slot(r, r->old_slot, at)), r->bytes);
    LLVMBuildBr(s->b, next);
}

/* All chunks in which a lane is active. */
static void update_chunks(struct row *r)
{
    struct tsr__widener *s = r->s;
    LLVMContextRef c = s->l->context;
    unsigned most = s->width + r->count - 1; /* lanes, behind places of the first chunk that have none */
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c), set = LLVMIntTypeInContext(c, most <= 32 ? 32 : most <= 64 ? 64 : 128);
    LLVMValueRef places = LLVMBuildUDiv(s->b, r->aside, tsr__i64(s->l, r->bytes), ""), zero = tsr__i64(s->l, 0);
    LLVMValueRef all = LLVMBuildZExt(s->b, tsr__mask_bits(s, s->mask), set, "");
    all = LLVMBuildShl(s->b, all, LLVMBuildIntCast2(s->b, places, set, false, ""), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), chunk = LLVMAppendBasicBlockInContext(c, s->to, "chunk");
    LLVMBasicBlockRef update = LLVMAppendBasicBlockInContext(c, s->to, ""), next = LLVMAppendBasicBlockInContext(c, s->to, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(c, s->to, "row.done");
    LLVMBuildBr(s->b, chunk);

    LLVMPositionBuilderAtEnd(s->b, chunk);
    LLVMValueRef at = LLVMBuildPhi(s->b, i64, "at"), left = LLVMBuildPhi(s->b, set, "left");
    LLVMValueRef lanes = LLVMBuildTrunc(s->b, left, LLVMIntTypeInContext(c, r->count), "");
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntNE, lanes, LLVMConstNull(LLVMTypeOf(lanes)), ""), update, next);

    LLVMPositionBuilderAtEnd(s->b, update);
    update_chunk(r, at, lanes, next);

    LLVMPositionBuilderAtEnd(s->b, next);
    LLVMValueRef rest = LLVMBuildLShr(s->b, left, LLVMConstInt(set, r->count, false), "");
    LLVMValueRef further = LLVMBuildAdd(s->b, at, tsr__i64(s->l, CHUNK_BYTES), "");
    LLVMValueRef again = LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, rest, LLVMConstNull(set), ""), after, chunk);
    tsr__set_loop_hint(s->l, again, "llvm.loop.unroll.disable", 0); /* what takes the time is CMPXCHG16B */
    LLVMAddIncoming(at, &zero, &before, 1);
    LLVMAddIncoming(at, &further, &next, 1);
    LLVMAddIncoming(left, &all, &before, 1);
    LLVMAddIncoming(left, &rest, &next, 1);
    LLVMPositionBuilderAtEnd(s->b, after);
}

/* ---- a row ---- */

/* `first`: the address of lane 0. What was there goes to `found`, and whether it was what was expected, if anybody asks. */
static void update_row(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef first, LLVMValueRef *found)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    struct row r = {.s = s, .inst = a->inst, .bytes = a->scalar_bytes, .count = CHUNK_BYTES / a->scalar_bytes};
    r.values = LLVMVectorType(a->type, r.count);
    r.bits = LLVMVectorType(LLVMIntTypeInContext(s->l->context, 8 * r.bytes), r.count);
    for (unsigned k = 0; k < given_count(a->inst); k++)
        r.given[k] = take_operand(&r, LLVMGetOperand(a->inst, k + 1));
    LLVMValueRef address = LLVMBuildPtrToInt(s->b, first, i64, "");
    r.aside = LLVMBuildAnd(s->b, address, tsr__i64(s->l, CHUNK_BYTES - 1), "aside");
    r.first = LLVMBuildSub(s->b, address, r.aside, "");
    r.old_slot = LLVMGetFirstUse(a->inst) ? make_slot(&r) : NULL;
    update_chunks(&r);
    if (!r.old_slot)
        return;
    found[0] = LLVMBuildLoad2(s->b, tsr__vector_of(s, a->type), lanes_in(&r, r.old_slot), "");
    LLVMSetAlignment(found[0], CHUNK_BYTES);
    found[1] = LLVMIsAAtomicCmpXchgInst(a->inst)
                   ? LLVMBuildICmp(s->b, LLVMIntEQ, found[0], tsr__component_of(s, LLVMGetOperand(a->inst, 1), 0), "")
                   : NULL;
}

static void set_found(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef *found)
{
    for (int k = 0; LLVMGetFirstUse(inst) && k < tsr__component_count(LLVMTypeOf(inst)); k++)
        tsr__set_component(s, inst, k, found[k]);
}

/* Whether the places are side by side if lanes turn out to lie so. */
static bool may_be_row(struct tsr__widener *s, const struct tsr__access *a, struct tsr__address *address)
{
    return tsr__address_of(s, a->pointer, address) && tsr__speculated_stride(s, address) == a->scalar_bytes;
}

/* A row if the test at run time says so, else lane by lane. */
static void update_tested(struct tsr__widener *s, const struct tsr__access *a, const struct tsr__address *address)
{
    LLVMValueRef first, found[2] = {NULL}, alone[2];
    for (unsigned k = 0; k <= given_count(a->inst); k++) { /* what both ways read */
        LLVMValueRef v = LLVMGetOperand(a->inst, k);
        if (tsr__is_uniform(tsr__shape_here(s, v)))
            tsr__scalar_of(s, v);
        tsr__component_of(s, v, 0);
    }
    struct tsr__fork f = tsr__fork_on(s, tsr__stride_test(s, address, &first));
    update_row(s, a, first, found);
    LLVMBasicBlockRef row = tsr__fork_way_ends(s, &f, f.other);
    size_t notes = tsr__explain_count(s->l);
    LLVMValueRef mask = s->mask;
    s->mask = tsr__mask_or_all(s, mask); /* a loop also if all are there: a copy for each would be most of the code */
    tsr__emit_lane_loop(s, a->inst);
    s->mask = mask;
    tsr__explain_forget(s->l, notes);
    int components = LLVMGetFirstUse(a->inst) ? tsr__component_count(LLVMTypeOf(a->inst)) : 0;
    for (int k = 0; k < components; k++)
        alone[k] = tsr__component_of(s, a->inst, k);
    LLVMBasicBlockRef lane_by_lane = tsr__fork_way_ends(s, &f, f.after);
    for (int k = 0; k < components; k++)
        found[k] = tsr__fork_phi(s, found[k], row, alone[k], lane_by_lane);
    set_found(s, a->inst, found);
}

static bool has_type(const struct tsr__access *a)
{
    LLVMTypeKind kind = LLVMGetTypeKind(a->type);
    return (kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) &&
           (a->scalar_bytes == 4 || a->scalar_bytes == 8) && LLVMGetAlignment(a->inst) >= a->scalar_bytes;
}

bool tsr__widen_atomic_row(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__access a = tsr__classify_access(s, inst, LLVMGetOperand(inst, 0), LLVMTypeOf(LLVMGetOperand(inst, 1)));
    struct tsr__address address;
    if (!has_type(&a) || !has_operation(inst) || s->width * a.scalar_bytes < CHUNK_BYTES || !tsr__has(s->l, TSR_CPU_CX16) ||
        !tsr__points_into(a.pointer, TSR__GLOBAL_SPACE))
        return false;
    bool is_row = a.class == TSR__ACCESS_CONSECUTIVE;
    if (!is_row && !may_be_row(s, &a, &address))
        return false;
    tsr__explain(s->l, inst, "atomic", is_row ? "consecutive" : "consecutive?", "%s, %u lanes at once%s", tsr__type_text(s->l, a.type),
                 CHUNK_BYTES / a.scalar_bytes, is_row ? "" : ": tested at run time; lane by lane where it is not");
    LLVMValueRef found[2];
    if (is_row) {
        update_row(s, &a, tsr__scalar_of(s, a.pointer), found);
        set_found(s, inst, found);
    } else {
        update_tested(s, &a, &address);
    }
    return true;
}
