/* SPDX-License-Identifier: Apache-2.0
 * The library's collectives (builtins/collective.h) in a packet: shuffles, ballots, reductions and scans between the lanes of registers. */
#include <string.h>

#include "lanes/widen/reduce_scan.h"
#include "lanes/prepare/sub_group_pairs.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/layout.h"
#include "tessera/item.h"

static bool is_result_uniform(struct tsr__widener *s, LLVMValueRef inst)
{
    return tsr__is_uniform(tsr__shape_of(&s->shapes, inst));
}

/* A part whose lanes others read: one that is not there may hold poison. */
static LLVMValueRef freeze_component(struct tsr__widener *s, LLVMValueRef v, int component)
{
    LLVMValueRef x = tsr__component_of(s, v, component);
    return s->mask ? LLVMBuildFreeze(s->b, x, "") : x;
}

/* The lane of the packet that has this number in the sub-group of the one that asks. */
static LLVMValueRef lane_of_packet(struct tsr__widener *s, LLVMValueRef index)
{
    LLVMValueRef first[TSR__MAX_ELEMENTS];
    if (!tsr__is_pair(s))
        return index;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(index));
    for (unsigned i = 0; i < s->width; i++)
        first[i] = LLVMConstInt(type, i & s->sub_group, false);
    index = LLVMBuildAnd(s->b, index, tsr__splat(s, LLVMConstInt(type, s->sub_group - 1, false)), "");
    return LLVMBuildOr(s->b, index, LLVMConstVector(first, s->width), "");
}

static void widen_shuffle(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef x = LLVMGetOperand(inst, 1), lane = LLVMGetOperand(inst, 2);
    if (!is_result_uniform(s, inst)) {
        LLVMValueRef index = lane_of_packet(s, tsr__component_of(s, lane, 0));
        for (int i = 0; i < tsr__component_count(LLVMTypeOf(inst)); i++)
            tsr__set_component(s, inst, i, tsr__permute_lanes(s, freeze_component(s, x, i), index));
        return;
    }
    if (tsr__is_uniform(tsr__shape_here(s, x))) {
        tsr__set_scalar(s, inst, tsr__scalar_of(s, x));
        return;
    }
    LLVMValueRef index = tsr__splat(s, tsr__scalar_of(s, lane)), made = LLVMGetPoison(LLVMTypeOf(inst));
    for (int i = 0; i < tsr__component_count(LLVMTypeOf(inst)); i++) {
        LLVMValueRef all = tsr__permute_lanes(s, freeze_component(s, x, i), index);
        made = tsr__insert_component(s, made, i, LLVMBuildExtractElement(s->b, all, tsr__i32(s->l, 0), ""));
        tsr__set_component(s, inst, i, all);
    }
    tsr__set_scalar(s, inst, made);
}

/* Of an i32 with a bit for each lane of a pair. */
static LLVMValueRef bits_of_half(struct tsr__widener *s, LLVMValueRef bits, unsigned half)
{
    bits = LLVMBuildLShr(s->b, bits, tsr__i32(s->l, half * s->sub_group), "");
    return LLVMBuildAnd(s->b, bits, tsr__i32(s->l, (1u << s->sub_group) - 1), "");
}

static void widen_ballot(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef predicate = tsr__component_of(s, LLVMGetOperand(inst, 1), 0);
    LLVMValueRef yes = LLVMBuildICmp(s->b, LLVMIntNE, predicate, LLVMConstNull(LLVMTypeOf(predicate)), "");
    LLVMValueRef bits = LLVMBuildIntCast2(s->b, tsr__mask_bits(s, tsr__mask_and(s, s->mask, yes)), LLVMTypeOf(inst), false, "");
    if (!tsr__is_pair(s)) {
        tsr__set_scalar(s, inst, bits);
        return;
    }
    LLVMValueRef both[2];
    for (unsigned h = 0; h < 2; h++)
        both[h] = bits_of_half(s, bits, h);
    tsr__set_component(s, inst, 0, tsr__splat_halves(s, both));
}

/* The operation and type that the end of a collective's name says: "…_add_int". */
static struct tsr__reduction reduction_of(LLVMValueRef inst)
{
    const char *name = tsr__name(tsr__callee(inst)), *type = strrchr(name, '_'), *operation = type;
    while (operation[-1] != '_')
        operation--;
    return tsr__reduction_make(operation, LLVMTypeOf(inst), type[1] == 'u');
}

/* Each lane gets what its cluster makes: partners whose numbers differ in one bit fold their values, the lower lane's first. */
static LLVMValueRef reduce_clusters(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x, LLVMValueRef cluster)
{
    for (unsigned d = s->sub_group / 2; d; d /= 2) {
        unsigned low[TSR__MAX_ELEMENTS], high[TSR__MAX_ELEMENTS];
        for (unsigned i = 0; i < s->width; i++) {
            low[i] = i & ~d;
            high[i] = i | d;
        }
        LLVMValueRef distance = tsr__splat(s, tsr__i32(s->l, d)), within = LLVMBuildICmp(s->b, LLVMIntULT, distance, cluster, "");
        if (LLVMIsNull(within))
            continue;
        LLVMValueRef folded = tsr__reduce_pair(s, f, tsr__pick_elements(s->l, s->b, x, NULL, low, s->width),
                                               tsr__pick_elements(s->l, s->b, x, NULL, high, s->width));
        x = LLVMBuildSelect(s->b, within, folded, x, "");
    }
    return x;
}

static void widen_reduce(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__reduction f = reduction_of(inst);
    LLVMValueRef x = tsr__fill_absent_lanes(s, &f, LLVMGetOperand(inst, 1));
    if (!is_result_uniform(s, inst)) {
        tsr__set_component(s, inst, 0, reduce_clusters(s, &f, x, tsr__component_of(s, LLVMGetOperand(inst, 2), 0)));
        return;
    }
    tsr__set_scalar(s, inst, tsr__reduce_lanes(s, &f, x));
}

static void widen_scan_inclusive(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__reduction f = reduction_of(inst);
    tsr__set_component(s, inst, 0, tsr__scan_inclusive(s, &f, tsr__fill_absent_lanes(s, &f, LLVMGetOperand(inst, 1))));
}

static void widen_scan_exclusive(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__reduction f = reduction_of(inst);
    tsr__set_component(s, inst, 0, tsr__scan_exclusive(s, &f, tsr__fill_absent_lanes(s, &f, LLVMGetOperand(inst, 1))));
}

/* What an active lane has, as the program promises that all have the same. Lane 0 is there unless lanes have parted. */
static LLVMValueRef value_of_any_lane(struct tsr__widener *s, LLVMValueRef v)
{
    if (tsr__is_uniform(tsr__shape_here(s, v)))
        return tsr__scalar_of(s, v);
    LLVMValueRef lane = s->mask == s->function_mask ? tsr__i32(s->l, 0) : tsr__first_lane(s, tsr__mask_bits(s, s->mask));
    return LLVMBuildExtractElement(s->b, tsr__component_of(s, v, 0), lane, "");
}

/* What an active lane of either half of a pair has. Of one without active lanes it is what the first lane has. */
static void value_of_any_lane_in_halves(struct tsr__widener *s, LLVMValueRef v, LLVMValueRef *values)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef component = tsr__component_of(s, v, 0);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef lane = tsr__i32(s->l, h * s->sub_group);
        if (s->mask != s->function_mask) {
            LLVMValueRef bits = bits_of_half(s, LLVMBuildIntCast2(s->b, tsr__mask_bits(s, s->mask), i32, false, ""), h);
            LLVMValueRef none = LLVMBuildICmp(s->b, LLVMIntEQ, bits, LLVMConstNull(i32), "");
            bits = LLVMBuildSelect(s->b, none, tsr__i32(s->l, 1), bits, "");
            lane = LLVMBuildAdd(s->b, lane, tsr__first_lane(s, bits), "");
        }
        values[h] = LLVMBuildExtractElement(s->b, component, lane, "");
    }
}

static void widen_same(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef both[2];
    if (is_result_uniform(s, inst)) {
        tsr__set_scalar(s, inst, value_of_any_lane(s, LLVMGetOperand(inst, 0)));
        return;
    }
    value_of_any_lane_in_halves(s, LLVMGetOperand(inst, 0), both);
    tsr__set_component(s, inst, 0, tsr__splat_halves(s, both));
}

/* A pair brings two values at once, so that those of all sub-groups lie in their order. */
static LLVMValueRef values_of_pair(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef *size)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c), i64 = LLVMInt64TypeInContext(c);
    uint64_t bytes = LLVMConstIntGetZExtValue(*size);
    LLVMValueRef both[2], slots = tsr__stack_slot(s, LLVMArrayType2(i8, 2 * bytes), "slots");
    LLVMSetAlignment(slots, 64);
    value_of_any_lane_in_halves(s, LLVMGetOperand(inst, 0), both);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef at = LLVMConstInt(i64, h * bytes, false);
        LLVMBuildMemCpy(s->b, LLVMBuildGEP2(s->b, i8, slots, &at, 1, ""), 1, both[h], 1, LLVMConstInt(i64, bytes, false));
    }
    *size = LLVMConstInt(LLVMTypeOf(*size), 2 * bytes, false);
    return LLVMBuildAddrSpaceCast(s->b, slots, LLVMTypeOf(LLVMGetOperand(inst, 0)), "");
}

static void widen_exchange_uniform(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), ptr = LLVMTypeOf(inst), types[5] = {i32, i32, ptr, i32, ptr};
    LLVMTypeRef type = LLVMFunctionType(ptr, types, 5, false);
    LLVMValueRef size = tsr__scalar_of(s, LLVMGetOperand(inst, 1));
    LLVMValueRef value = tsr__is_pair(s) ? values_of_pair(s, inst, &size) : value_of_any_lane(s, LLVMGetOperand(inst, 0));
    LLVMValueRef args[5] = {tsr__i32(s->l, TSR_SCOPE_WORK_GROUP), tsr__i32(s->l, TSR_EXCHANGE_ALL), value, size,
                            LLVMBuildAddrSpaceCast(s->b, tsr__stack_slot(s, LLVMInt64TypeInContext(c), "mask"), ptr, "")};
    tsr__set_scalar(s, inst, tsr__call(s->l, s->b, tsr__declare_call(s->l, TSR__CALL_EXCHANGE, type), args, 5));
}

/* Packets store their running totals in the order in which they run, so the last packet's is the total of the work-group. */
static void widen_total(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__compilation *l = s->l;
    struct tsr__reduction f = reduction_of(inst);
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMValueRef count = LLVMGetOperand(inst, 0), own[2], none = tsr__i32(l, 0), one = tsr__i32(l, 1);
    unsigned halves = tsr__is_pair(s) ? 2 : 1, bytes = (unsigned)LLVMABISizeOfType(s->layout, type);
    if (halves == 1 || tsr__is_uniform(tsr__shape_here(s, LLVMGetOperand(inst, 1))))
        own[0] = own[1] = value_of_any_lane(s, LLVMGetOperand(inst, 1));
    else
        value_of_any_lane_in_halves(s, LLVMGetOperand(inst, 1), own);
    LLVMValueRef slot = tsr__exchange_own_slot(l, s->b, tsr__i32(l, halves * bytes));
    LLVMValueRef packet = tsr__build_query(l, s->b, TSR__CALL_SUB_GROUP_ID, -1);
    LLVMValueRef first = LLVMBuildICmp(s->b, LLVMIntEQ, packet, none, "");
    LLVMValueRef so_far = tsr__exchange_so_far(l, s->b, tsr__i32(l, bytes));
    LLVMValueRef before = LLVMBuildLoad2(s->b, type, so_far, "");
    LLVMValueRef sum = LLVMBuildSelect(s->b, first, tsr__reduction_identity(&f), before, "");
    for (unsigned h = 0; h < halves; h++) {
        LLVMValueRef at = tsr__i32(l, h);
        sum = tsr__reduce_pair(s, &f, sum, LLVMBuildFreeze(s->b, own[h], ""));
        LLVMBuildStore(s->b, sum, LLVMBuildGEP2(s->b, type, slot, &at, 1, ""));
    }
    LLVMBuildStore(s->b, sum, so_far);
    LLVMValueRef all = tsr__exchange_all_slots(l, s->b), results[2];
    bool uniform = is_result_uniform(s, inst);
    for (unsigned h = 0; h < (uniform ? 1 : halves); h++) {
        LLVMValueRef n = uniform ? tsr__scalar_of(s, count)
                                 : LLVMBuildExtractElement(s->b, tsr__component_of(s, count, 0), tsr__i32(l, h * s->sub_group), "");
        LLVMValueRef nobody = LLVMBuildICmp(s->b, LLVMIntEQ, n, none, ""), last = LLVMBuildSub(s->b, n, one, "");
        last = LLVMBuildSelect(s->b, nobody, none, last, "");
        LLVMValueRef found = LLVMBuildLoad2(s->b, type, LLVMBuildGEP2(s->b, type, all, &last, 1, ""), "");
        results[h] = LLVMBuildSelect(s->b, nobody, tsr__reduction_identity(&f), found, "");
    }
    if (uniform)
        tsr__set_scalar(s, inst, results[0]);
    else
        tsr__set_component(s, inst, 0, tsr__splat_halves(s, results));
}

static void widen_uniform_stride(struct tsr__widener *s, LLVMValueRef inst)
{
    tsr__set_scalar(s, inst, LLVMConstInt(LLVMTypeOf(inst), 1, false));
}

/* Prefetches of a pair: one for either half. Other operations need sub-groups of 16, which do not work in pairs. */
static void prefetch_in_halves(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef operands[2][TSR__MAX_ELEMENTS];
    unsigned count = LLVMGetNumArgOperands(inst);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, i), both[2];
        if (tsr__is_uniform(tsr__shape_here(s, v)))
            both[0] = both[1] = tsr__scalar_of(s, v);
        else
            value_of_any_lane_in_halves(s, v, both);
        for (unsigned h = 0; h < 2; h++)
            operands[h][i] = both[h];
    }
    for (unsigned h = 0; h < 2; h++)
        tsr__block2d_build(s->l, s->b, tsr__name(tsr__callee(inst)), LLVMTypeOf(inst), operands[h], count);
}

/* An operation on a 2D block, for the pass `lower_block2d`: its last argument, if it writes, and its result, if it reads, are values of a
 * lane. */
static void widen_block2d(struct tsr__widener *s, LLVMValueRef inst)
{
    enum tsr__engine_call call = tsr__call_of(inst);
    unsigned args = LLVMGetNumArgOperands(inst), uniform = args - (call == TSR__CALL_BLOCK2D_WRITE), count = 0;
    int values = call == TSR__CALL_BLOCK2D_READ ? tsr__component_count(LLVMTypeOf(inst)) : 0;
    LLVMValueRef operands[TSR__MAX_ELEMENTS], last = LLVMGetOperand(inst, args - 1);
    LLVMTypeRef result = LLVMTypeOf(inst);
    int written = uniform < args ? tsr__component_count(LLVMTypeOf(last)) : 0;
    TSR__REQUIRE(uniform + (unsigned)written <= TSR__MAX_ELEMENTS);
    if (tsr__is_pair(s)) {
        prefetch_in_halves(s, inst);
        return;
    }
    for (unsigned i = 0; i < uniform; i++)
        operands[count++] = value_of_any_lane(s, LLVMGetOperand(inst, i));
    for (int i = 0; i < written; i++)
        operands[count++] = freeze_component(s, last, i);
    if (values) {
        LLVMTypeRef *types = tsr_arena_alloc(s->arena, (size_t)values * sizeof *types);
        for (int i = 0; i < values; i++)
            types[i] = tsr__vector_of(s, tsr__component_type(result, i));
        result = LLVMStructTypeInContext(s->l->context, types, (unsigned)values, false);
    }
    LLVMValueRef made = tsr__block2d_build(s->l, s->b, tsr__name(tsr__callee(inst)), result, operands, count);
    for (int i = 0; i < values; i++)
        tsr__set_component(s, inst, i, LLVMBuildExtractValue(s->b, made, (unsigned)i, ""));
}

/* ---- which they are ---- */

bool tsr__widen_collective(struct tsr__widener *s, LLVMValueRef inst, enum tsr__engine_call call)
{
    static void (*const build[TSR__CALL_COUNT])(struct tsr__widener *s, LLVMValueRef inst) = {
#define widen_block2d_read widen_block2d
#define widen_block2d_write widen_block2d
#define widen_block2d_prefetch widen_block2d
#define TSR_COLLECTIVE(NAME, name, result) [TSR__CALL_##NAME] = widen_##name,
#include "lanes/ir/engine_calls.def"
    };
    if (build[call])
        build[call](s, inst);
    return build[call] != NULL;
}
