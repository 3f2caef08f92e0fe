/* SPDX-License-Identifier: Apache-2.0
 * Calls in the packet function: primitives become what they are for a packet; calls that have no vector form run lane by lane. */
#include <string.h>

#include "lanes/widen/widen_dot.h"
#include "lanes/widen/widen_outlined.h"
#include "lanes/widen/widen_madw.h"
#include "lanes/widen/widen_math.h"
#include "lanes/ir/mad_op.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/widen/widener.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "tessera/item.h"

static bool retires_lane(const char *name)
{
    return tsr__starts_with(name, "llvm.lifetime.") || tsr__starts_with(name, "llvm.dbg.") || tsr__starts_with(name, "llvm.assume") ||
           tsr__starts_with(name, "llvm.experimental.noalias.") || tsr__starts_with(name, "llvm.invariant.");
}

static void clone_call(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef copy = LLVMInstructionClone(inst);
    for (int i = 0; i + 1 < LLVMGetNumOperands(inst); i++)
        LLVMSetOperand(copy, (unsigned)i, tsr__scalar_of(s, LLVMGetOperand(inst, (unsigned)i)));
    LLVMInsertIntoBuilder(s->b, copy);
    if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind)
        tsr__set_scalar(s, inst, copy);
}

/* ---- who came ---- */

/* Of a pair of sub-groups, the lanes of those from which any came. */
static LLVMValueRef lanes_concerned(struct tsr__widener *s, LLVMValueRef here, LLVMValueRef all)
{
    LLVMTypeRef i64 = LLVMTypeOf(here);
    LLVMValueRef none = LLVMConstNull(i64), sum = none;
    for (unsigned h = 0; h < s->width / s->sub_group; h++) {
        LLVMValueRef half = LLVMConstInt(i64, ((UINT64_C(1) << s->sub_group) - 1) << h * s->sub_group, false);
        LLVMValueRef any = LLVMBuildICmp(s->b, LLVMIntNE, LLVMBuildAnd(s->b, here, half, ""), none, "");
        sum = LLVMBuildOr(s->b, sum, LLVMBuildSelect(s->b, any, LLVMBuildAnd(s->b, all, half, ""), none, ""), "");
    }
    return sum;
}

/* Where lanes have parted, the device looks whether all of them came, or all of the sub-group. */
static void require_all_lanes(struct tsr__widener *s, bool of_packet)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(s->l->context), (LLVMTypeRef[]){i64, i64}, 2, false);
    if (s->mask == s->function_mask)
        return;
    LLVMValueRef bits[2] = {tsr__mask_bits(s, s->mask), tsr__mask_bits(s, s->function_mask)};
    for (int i = 0; i < 2; i++)
        bits[i] = LLVMBuildZExt(s->b, bits[i], i64, "");
    if (tsr__is_pair(s) && !of_packet)
        bits[1] = lanes_concerned(s, bits[0], bits[1]);
    tsr__call(s->l, s->b, tsr__declare_call(s->l, TSR__CALL_DIVERGENT_BARRIER, type), bits, 2);
}

/* A call at which every work-item of its scope must arrive. A whole work-group waits there for each other, so it is always looked at.
 * Within a sub-group those who are there can do without the others, and programs may get away with it: only a checking build looks. */
static void report_missing_lanes(struct tsr__widener *s, LLVMValueRef inst, enum tsr__engine_call call)
{
    LLVMValueRef callee = tsr__callee(inst), first = LLVMGetOperand(inst, 0);
    bool exchange = call == TSR__CALL_EXCHANGE && tsr__is_constant(LLVMGetOperand(inst, 1), TSR_EXCHANGE_ALL);
    bool waits = exchange || call == TSR__CALL_BARRIER;
    bool group = call == TSR__CALL_EXCHANGE_UNIFORM || call == TSR__CALL_TOTAL || (waits && !tsr__is_constant(first, TSR_SCOPE_SUB_GROUP));
    if (s->shapes.packet.mixed)
        return; /* lanes of other work-groups may be elsewhere */
    bool collective = tsr__is_collective(call) && tsr__is_constant(first, TSR_EXCHANGE_ALL); /* whose mode comes first */
    const struct tsr_matrix_builtin *matrix = tsr__mad_overload(s->l, callee);
    if (group || (s->l->options->check && (waits || collective || matrix)))
        require_all_lanes(s, group || (matrix && matrix->form == TSR_MATRIX_SPLIT));
}

/* ---- primitives ---- */

/* Vector of what each lane has at `pointers`, in bytes, as the exchange's slots; absent lanes' slots are zero. The slots are an array of
 * the call site: a packet moves in step, so nobody is still reading what the last round left there. */
static LLVMValueRef fill_slots(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c), i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef value = LLVMGetOperand(inst, 2);
    uint64_t size = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3));
    LLVMValueRef slots = tsr__stack_slot(s, LLVMArrayType2(i8, size * s->width), "slots");
    LLVMSetAlignment(slots, 64);
    if (s->mask)
        LLVMBuildMemSet(s->b, slots, LLVMConstNull(i8), LLVMConstInt(i64, size * s->width, false), 64);
    for (unsigned lane = 0; lane < s->width; lane++) {
        LLVMValueRef at = LLVMConstInt(i64, lane * size, false);
        LLVMValueRef to = LLVMBuildGEP2(s->b, i8, slots, &at, 1, "");
        LLVMValueRef from = LLVMBuildExtractElement(s->b, tsr__component_of(s, value, 0), tsr__i32(s->l, lane), "");
        LLVMValueRef bytes = LLVMConstInt(i64, size, false);
        if (s->mask) {
            LLVMValueRef here = LLVMBuildExtractElement(s->b, s->mask, tsr__i32(s->l, lane), "");
            bytes = LLVMBuildSelect(s->b, here, bytes, LLVMConstNull(i64), "");
        }
        LLVMBuildMemCpy(s->b, to, 1, from, 1, bytes);
    }
    return slots;
}

static void exchange_in_packet(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    LLVMValueRef mask_pointer = LLVMGetOperand(inst, 4), slots = fill_slots(s, inst);
    LLVMValueRef bits = tsr__mask_bits(s, s->mask);
    if (s->width < 64)
        bits = LLVMBuildZExt(s->b, bits, i64, "");
    for (unsigned lane = 0; lane < s->width; lane++) {
        LLVMValueRef to = LLVMBuildExtractElement(s->b, tsr__component_of(s, mask_pointer, 0), tsr__i32(s->l, lane), "");
        LLVMBuildStore(s->b, bits, to);
    }
    tsr__set_scalar(s, inst, LLVMBuildAddrSpaceCast(s->b, slots, LLVMTypeOf(inst), ""));
}

/* The packet brings the values of all its lanes at once, so the slots that come back are in the order of linear ids. */
static void exchange_in_group(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    LLVMValueRef mask = tsr__stack_slot(s, i64, "mask");
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3)) * s->width;
    LLVMValueRef slots = fill_slots(s, inst), copy = LLVMInstructionClone(inst);
    LLVMSetOperand(copy, 2, LLVMBuildAddrSpaceCast(s->b, slots, LLVMTypeOf(LLVMGetOperand(inst, 2)), ""));
    LLVMSetOperand(copy, 3, tsr__i32(s->l, (uint32_t)bytes));
    LLVMSetOperand(copy, 4, LLVMBuildAddrSpaceCast(s->b, mask, LLVMTypeOf(LLVMGetOperand(inst, 4)), ""));
    LLVMInsertIntoBuilder(s->b, copy);
    tsr__set_scalar(s, inst, copy);
}

/* Local ids in x of lanes that lie in one row of the range, and of which work-group each is, counted from lane 0's. */
static void mixed_ids(struct tsr__widener *s, LLVMValueRef *local, LLVMValueRef *group)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), ints = tsr__vector_of(s, i32), floats = tsr__vector_of(s, LLVMFloatTypeInContext(c));
    LLVMValueRef iota = tsr__iota(s, i32, 1);
    LLVMValueRef pitch = tsr__build_query(s->l, s->allocas, TSR__CALL_ENQUEUED_LOCAL_SIZE, 0);
    pitch = LLVMBuildTrunc(s->allocas, pitch, i32, "");
    pitch = tsr__splat_scalar(s->l, s->allocas, pitch, s->width);
    /* The quotients of numbers so small are right, as floats. */
    LLVMValueRef groups =
        LLVMBuildFDiv(s->allocas, LLVMBuildUIToFP(s->allocas, iota, floats, ""), LLVMBuildUIToFP(s->allocas, pitch, floats, ""), "");
    groups = LLVMBuildFPToUI(s->allocas, groups, ints, "");
    LLVMValueRef ids = LLVMBuildSub(s->allocas, iota, LLVMBuildMul(s->allocas, groups, pitch, ""), "");

    LLVMValueRef first = tsr__build_query(s->l, s->b, TSR__CALL_LOCAL_ID, 0);
    LLVMValueRef sum = LLVMBuildAdd(s->b, ids, tsr__splat(s, LLVMBuildTrunc(s->b, first, i32, "")), "");
    LLVMValueRef wraps = LLVMBuildICmp(s->b, LLVMIntUGE, sum, pitch, "");
    *local = LLVMBuildSub(s->b, sum, LLVMBuildSelect(s->b, wraps, pitch, LLVMConstNull(ints), ""), "");
    *group = LLVMBuildAdd(s->b, groups, LLVMBuildZExt(s->b, wraps, ints, ""), "");
}

/* A query of one dimension, which is a constant, for every lane. */
static LLVMValueRef query_of_dimension(struct tsr__widener *s, LLVMValueRef inst, enum tsr__engine_call call, uint32_t number)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context), type = LLVMTypeOf(inst);
    LLVMTypeRef query = LLVMGlobalGetValueType(LLVMGetCalledValue(inst));
    LLVMValueRef dim = tsr__i32(s->l, number), first = LLVMBuildCall2(s->b, query, LLVMGetCalledValue(inst), &dim, 1, "");
    bool global = call == TSR__CALL_GLOBAL_ID, local = call == TSR__CALL_LOCAL_ID, group = call == TSR__CALL_GROUP_ID;
    if (s->shapes.packet.mixed && number == 0 && (local || group)) {
        LLVMValueRef ids, groups;
        mixed_ids(s, &ids, &groups);
        LLVMValueRef wide = LLVMBuildZExt(s->b, local ? ids : groups, tsr__vector_of(s, type), "");
        return local ? wide : LLVMBuildAdd(s->b, tsr__splat(s, first), wide, "");
    }
    if (!global && !local)
        return tsr__splat(s, first);
    if (s->shapes.packet.whole_rows)
        return LLVMBuildAdd(s->b, tsr__splat(s, first), tsr__iota(s, type, number == 0), "");
    /* Rows end within the packet: the device has written down the local ids of all lanes. */
    LLVMValueRef ids = tsr__build_query(s->l, s->b, TSR__CALL_PACKET_IDS, (int)number);
    ids = LLVMBuildLoad2(s->b, tsr__vector_of(s, i32), ids, "");
    LLVMSetAlignment(ids, 4);
    ids = LLVMBuildZExt(s->b, ids, tsr__vector_of(s, type), "");
    if (!global)
        return ids;
    LLVMValueRef first_local = tsr__build_query(s->l, s->b, TSR__CALL_LOCAL_ID, (int)number);
    return LLVMBuildAdd(s->b, ids, tsr__splat(s, LLVMBuildSub(s->b, first, first_local, "")), "");
}

/* The local linear id goes along with the local id in x. */
static LLVMValueRef mixed_linear_id(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef local, group;
    LLVMValueRef first = tsr__build_query(s->l, s->b, TSR__CALL_LOCAL_ID, 0);
    LLVMValueRef linear = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(LLVMGetCalledValue(inst)), LLVMGetCalledValue(inst), NULL, 0, "");
    mixed_ids(s, &local, &group);
    return LLVMBuildAdd(s->b, local, tsr__splat(s, LLVMBuildSub(s->b, linear, LLVMBuildTrunc(s->b, first, i32, ""), "")), "");
}

static void varying_query(struct tsr__widener *s, LLVMValueRef inst, enum tsr__engine_call call)
{
    if (call == TSR__CALL_LINEAR_ID) {
        tsr__set_component(s, inst, 0, mixed_linear_id(s, inst));
        return;
    }
    LLVMValueRef dim = LLVMGetOperand(inst, 0);
    if (LLVMIsAConstantInt(dim)) {
        tsr__set_component(s, inst, 0, query_of_dimension(s, inst, call, (uint32_t)LLVMConstIntGetZExtValue(dim)));
        return;
    }
    LLVMValueRef dims = tsr__component_of(s, dim, 0), made = query_of_dimension(s, inst, call, 2);
    for (uint32_t d = 2; d-- > 0;) {
        LLVMValueRef is = LLVMBuildICmp(s->b, LLVMIntEQ, dims, tsr__splat(s, tsr__i32(s->l, d)), "");
        made = LLVMBuildSelect(s->b, is, query_of_dimension(s, inst, call, d), made, "");
    }
    tsr__set_component(s, inst, 0, made);
}

static bool widen_primitive(struct tsr__widener *s, LLVMValueRef inst, enum tsr__engine_call call)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    bool is_varying = tsr__is_varying(tsr__shape_of(&s->shapes, inst));
    if (call == TSR__CALL_LANE)
        tsr__set_scalar(s, inst, LLVMConstNull(type));
    else if (call == TSR__CALL_SUB_GROUP_SIZE && !s->function_mask)
        tsr__set_scalar(s, inst, LLVMConstInt(type, s->width, false));
    else if (!is_varying)
        clone_call(s, inst);
    else if (call == TSR__CALL_ADDRESS_SPACE)
        return false; /* lane by lane */
    else
        varying_query(s, inst, call);
    return true;
}

/* ---- matrix functions ---- */

/* The vectors of A, B and C, and the rows of D. */
struct matrices {
    LLVMValueRef a[TSR__MAX_M], b[TSR__WORDS], c[TSR__MAX_M], d[TSR__MAX_M];
    unsigned a_count;
};

static void build_operation(struct tsr__widener *s, const struct tsr_matrix_builtin *f, unsigned lanes, struct matrices *m)
{
    LLVMValueRef operands[3 * TSR__MAX_M];
    unsigned count = 0;
    for (unsigned i = 0; i < m->a_count; i++)
        operands[count++] = m->a[i];
    for (unsigned i = 0; i < TSR__WORDS; i++)
        operands[count++] = m->b[i];
    for (unsigned i = 0; i < f->m; i++)
        operands[count++] = m->c[i];
    LLVMValueRef d = tsr__mad_build(s->l, s->b, f, lanes, operands, count);
    for (unsigned i = 0; i < f->m; i++)
        m->d[i] = LLVMBuildExtractValue(s->b, d, i, "");
}

/* The pair's A is one matrix: the rows of the first sub-group, then those of the second. A row of 32 bytes lies over 8 lanes here, and over
 * 16 in the operation that the packet has. */
static void split_operation(struct tsr__widener *s, const struct tsr_matrix_builtin *f, struct matrices *m)
{
    LLVMTypeRef row = tsr__vector_of(s, LLVMInt16TypeInContext(s->l->context));
    LLVMValueRef halves[TSR__MAX_M / 2];
    unsigned each = m->a_count;
    memcpy(halves, m->a, each * sizeof *halves);
    m->a_count = 2 * each;
    for (unsigned i = 0; i < m->a_count; i++)
        m->a[i] = LLVMBuildBitCast(s->b, tsr__half_of(s, halves[i % each], i / each), row, "");
    build_operation(s, f, s->width, m);
}

/* Each of the two sub-groups has its own A. */
static void two_operations(struct tsr__widener *s, const struct tsr_matrix_builtin *f, struct matrices *m)
{
    struct matrices half[2];
    for (unsigned h = 0; h < 2; h++) {
        half[h].a_count = m->a_count;
        for (unsigned i = 0; i < m->a_count; i++)
            half[h].a[i] = tsr__half_of(s, m->a[i], h);
        for (unsigned i = 0; i < TSR__WORDS; i++)
            half[h].b[i] = tsr__half_of(s, m->b[i], h);
        for (unsigned i = 0; i < f->m; i++)
            half[h].c[i] = tsr__half_of(s, m->c[i], h);
        build_operation(s, f, s->sub_group, &half[h]);
    }
    for (unsigned i = 0; i < f->m; i++)
        m->d[i] = tsr__concat_pair(s->l, s->b, half[0].d[i], half[1].d[i]);
}

/* Absent work-items count as if their part of A were zero. */
static void matrix_function(struct tsr__widener *s, LLVMValueRef inst, const struct tsr_matrix_builtin *f)
{
    LLVMValueRef a = LLVMGetOperand(inst, 0), b = LLVMGetOperand(inst, 1), c = LLVMGetOperand(inst, 2);
    LLVMTypeRef word = tsr__vector_of(s, LLVMInt32TypeInContext(s->l->context));
    struct matrices m = {.a_count = (unsigned)tsr__component_count(LLVMTypeOf(a))};
    for (unsigned i = 0; i < m.a_count; i++) {
        LLVMValueRef component = tsr__component_of(s, a, (int)i);
        m.a[i] = s->mask ? LLVMBuildSelect(s->b, s->mask, component, LLVMConstNull(LLVMTypeOf(component)), "") : component;
    }
    for (int i = 0; i < TSR__WORDS; i++)
        m.b[i] = LLVMBuildBitCast(s->b, tsr__component_of(s, b, i), word, "");
    for (int i = 0; i < f->m; i++)
        m.c[i] = tsr__component_of(s, c, i);
    if (f->form == TSR_MATRIX_SPLIT)
        split_operation(s, f, &m);
    else if (tsr__is_pair(s))
        two_operations(s, f, &m);
    else
        build_operation(s, f, s->width, &m);
    for (int i = 0; i < f->m; i++)
        tsr__set_component(s, inst, i, m.d[i]);
}

/* Is the call that a site's number stands before one at which a packet meets nobody? */
static bool site_of_matrix_function(struct tsr__widener *s, LLVMValueRef inst)
{
    while ((inst = LLVMGetNextInstruction(inst)) != NULL)
        if (LLVMIsACallInst(inst))
            return tsr__callee(inst) && tsr__mad_overload(s->l, tsr__callee(inst));
    return false;
}

bool tsr__widen_call(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    if (!callee)
        return false;
    enum tsr__engine_call call = tsr__call_of_function(callee);
    bool uniform_in = true;
    for (int i = 0; i + 1 < LLVMGetNumOperands(inst); i++)
        uniform_in = uniform_in && !tsr__is_varying(tsr__shape_here(s, LLVMGetOperand(inst, (unsigned)i))) &&
                     tsr__is_uniform(tsr__shape_here(s, LLVMGetOperand(inst, (unsigned)i)));
    report_missing_lanes(s, inst, call);
    if (retires_lane(tsr__name(callee)) || tsr__widen_collective(s, inst, call))
        return true;
    if (call == TSR__CALL_EXCHANGE) {
        if (tsr__is_constant(LLVMGetOperand(inst, 0), TSR_SCOPE_SUB_GROUP))
            exchange_in_packet(s, inst);
        else
            exchange_in_group(s, inst);
        return true;
    }
    if (call == TSR__CALL_BARRIER) {
        /* The lanes of a sub-group are always together, and so are those of a work-group that a packet has as a whole. */
        if (!tsr__is_constant(LLVMGetOperand(inst, 0), TSR_SCOPE_SUB_GROUP) && !s->shapes.packet.mixed && !s->shapes.packet.is_group)
            clone_call(s, inst);
        return true;
    }
    if (call == TSR__CALL_SITE && !s->l->options->check && site_of_matrix_function(s, inst))
        return true;
    if (call == TSR__CALL_PRINT || call == TSR__CALL_ENQUEUE || call == TSR__CALL_MATRIX_PRODUCT)
        return false; /* lane by lane */
    if (call != TSR__CALL_NONE)
        return widen_primitive(s, inst, call);
    const struct tsr_matrix_builtin *f = tsr__mad_overload(s->l, callee);
    if (f) {
        matrix_function(s, inst, f);
        return true;
    }
    if (tsr__is_madw(callee)) {
        tsr__widen_madw(s, inst);
        return true;
    }
    if (tsr__is_dot(s->l, callee)) {
        tsr__widen_dot(s, inst);
        return true;
    }
    if (tsr__is_image(callee))
        return tsr__widen_outlined(s, inst);
    unsigned id = LLVMGetIntrinsicID(callee);
    const struct tsr__math_op *math = tsr__math_op(callee);
    const bool outlined = tsr__is_marked_outlined(callee);
    if (!id && !math && !outlined)
        return false;
    const bool result = LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind && !tsr__is_varying(tsr__shape_of(&s->shapes, inst));
    if (uniform_in && (result || tsr__starts_with(tsr__name(callee), "llvm.prefetch"))) {
        clone_call(s, inst);
        return true;
    }
    if (outlined)
        return tsr__widen_outlined(s, inst);
    return math ? tsr__widen_math(s, inst, math) : tsr__widen_intrinsic(s, inst, id);
}
