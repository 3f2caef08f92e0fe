/* SPDX-License-Identifier: Apache-2.0
 * Operands that a loop over K computes: numbers that it converts, scales or unpacks before they are multiplied, or that lie in memory by no
 * rule that the device knows.
 *
 * All instructions of the loop that an operand depends on, its *slice*, become a function, which the device calls where it packs the
 * operand: once for all work-groups that have the same one. The function gets the number of a step, and the values that the slice takes
 * from outside of the loop, which the packet stores; operands whose values are the same bytes are the same. Counters of the loop become
 * their first number and as many times the distance as there were rounds. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/matrix/tiles/tile_slices.h"
#include "lanes/prepare/staged_places.h"

enum {
    MOST_INSTRUCTIONS = 16384,
    MOST_VALUES = 128,
    MOST_COUNTERS = 16,
    MOST_DEPTH = 256, /* of expressions */
};

/* A value from outside of the loop. */
struct taken {
    LLVMValueRef value;
    uint64_t bytes, offset;
};

/* A phi that gets the same distance in each round: bytes of a pointer. */
struct counter {
    LLVMValueRef phi, begin, distance;
    bool down;
    uint64_t unit; /* bytes of one, of a pointer; else 0 */
};

struct tsr__slice {
    struct tsr__compilation *l;
    const struct tsr__webs *webs;
    LLVMBasicBlockRef loop;
    const struct tsr__source **sources; /* of each tile, those of all products of a round */
    unsigned tiles, depth;
    struct taken taken[MOST_VALUES];
    struct counter counters[MOST_COUNTERS];
    unsigned taken_count, counter_count, instructions;
    uint64_t bytes;
    struct tsr__map seen; /* value → 1 */
    uint64_t arguments;   /* of the kernel by which it reads: a bit for each */
    bool reads_others;    /* it reads global memory by others, too */
};

/* ---- where addresses come from ---- */

/* Follows the address through phis that all lead to one argument. */
static int argument_below(struct tsr__compilation *l, LLVMValueRef v, struct tsr__map *seen)
{
    enum { ANY = -2 };
    while (LLVMIsAGetElementPtrInst(v) || LLVMIsAAddrSpaceCastInst(v))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAPHINode(v))
        return tsr__kernel_argument_of(l, v);
    if (tsr__map_get(seen, v))
        return ANY;
    tsr__map_set(seen, v, 1);
    int all = ANY;
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
        const int one = argument_below(l, LLVMGetIncomingValue(v, i), seen);
        if (one != ANY && all != ANY && one != all)
            return -1;
        all = one == ANY ? all : one;
    }
    return all;
}

int tsr__argument_of_address(struct tsr__compilation *l, LLVMValueRef address)
{
    struct tsr__map seen = {.arena = &l->scratch};
    const int argument = argument_below(l, address, &seen);
    return argument < TSR_SIZED_ARGUMENTS ? argument : -1;
}

void tsr__ask_alone(struct tsr__compilation *l, LLVMValueRef function, int argument)
{
    tsr__kernel_of_function(l, function)->asked_arguments |= UINT32_C(1) << argument;
}

bool tsr__slice_begins_in_memory(const struct tsr__slice *s)
{
    for (unsigned i = 0; i < s->counter_count; i++) {
        LLVMValueRef v = s->counters[i].begin;
        while (LLVMIsACastInst(v) || (tsr__is_sum(v) && LLVMIsAConstant(LLVMGetOperand(v, 1))) || LLVMIsAFreezeInst(v))
            v = LLVMGetOperand(v, 0);
        if (LLVMIsALoadInst(v))
            return true;
    }
    return false;
}

bool tsr__slice_is_apart(const struct tsr__slice *s, int argument)
{
    return argument >= 0 && !s->reads_others && !(s->arguments >> argument & 1);
}

/* ---- what belongs to a slice ---- */

static bool is_number_or_pointer(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(tsr__element_type(type))) {
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    default:
        return false;
    }
}

/* Takes a value from outside of the loop, but no accumulator, whose vectors will be gone. Its bytes in memory are to have no holes. */
static bool take(struct tsr__slice *s, LLVMValueRef v)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(s->l->module);
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMIsConstant(v) || tsr__map_get(&s->seen, v))
        return true;
    tsr__map_set(&s->seen, v, 1);
    if (s->taken_count == MOST_VALUES || !is_number_or_pointer(type) || LLVMIsAExtractValueInst(v) || tsr__web_of_user(s->webs, v))
        return false;
    const uint64_t bytes = LLVMStoreSizeOfType(layout, type), bits = LLVMSizeOfTypeInBits(layout, type);
    if ((bytes * 8 != bits && bits != 1) || (bytes & (bytes - 1)))
        return false;
    unsigned at = s->taken_count++; /* larger ones come first, so that none lies across a multiple of its size */
    for (; at > 0 && s->taken[at - 1].bytes < bytes; at--)
        s->taken[at] = s->taken[at - 1];
    s->taken[at] = (struct taken){.value = v, .bytes = bytes};
    s->bytes += bytes;
    return s->bytes <= TSR_TILE_VALUE_BYTES - sizeof(uint64_t);
}

static bool is_in_loop(const struct tsr__slice *s, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == s->loop;
}

static bool add_counter(struct tsr__slice *s, LLVMValueRef phi)
{
    if (s->counter_count == MOST_COUNTERS || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == s->loop;
    struct counter c = {.phi = phi, .begin = LLVMGetIncomingValue(phi, !back)};
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    if (!LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2)
        return false;
    const bool second = LLVMGetOperand(next, 1) == phi;
    if (LLVMGetOperand(next, second) != phi)
        return false;
    c.distance = LLVMGetOperand(next, !second);
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMAdd:
        break;
    case LLVMSub:
        c.down = true;
        if (second)
            return false;
        break;
    case LLVMGetElementPtr:
        c.unit = LLVMABISizeOfType(LLVMGetModuleDataLayout(s->l->module), LLVMGetGEPSourceElementType(next));
        if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMPointerTypeKind || LLVMGetTypeKind(LLVMTypeOf(c.distance)) != LLVMIntegerTypeKind)
            return false;
        break;
    default:
        return false;
    }
    if (is_in_loop(s, c.distance) || is_in_loop(s, c.begin))
        return false;
    s->counters[s->counter_count++] = c;
    return take(s, c.begin) && take(s, c.distance);
}

/* Of a load from a 2D block (block2d_loops.c): by how many rows and bytes it is behind the place. False: by no constant number. */
static bool find_in_block(struct tsr__compilation *l, LLVMValueRef load, LLVMValueRef place, int64_t *row, int64_t *byte)
{
    const struct tsr__polynomial at = tsr__polynomial_of(l, LLVMGetOperand(load, 0)), origin = tsr__polynomial_of(l, place),
                                 pitch = tsr__polynomial_of(l, LLVMGetOperand(place, TSR__PLACE_PITCH)),
                                 from = tsr__polynomial_minus(&at, &origin);
    return tsr__polynomial_divide(&from, &pitch, row, byte);
}

static bool add_value(struct tsr__slice *s, LLVMValueRef v, int depth);

/* The vector as which the load is done under a mask: of words, if it is one of words, which lie within the matrix or outside of it; else of
 * bytes. */
static LLVMTypeRef masked_type(struct tsr__compilation *l, LLVMTypeRef type)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    const uint64_t bytes = LLVMStoreSizeOfType(layout, type);
    const bool words = LLVMStoreSizeOfType(layout, tsr__element_type(type)) == sizeof(uint32_t);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(l->context), i32 = LLVMInt32TypeInContext(l->context);
    return LLVMVectorType(words ? i32 : i8, (unsigned)(words ? bytes / sizeof(uint32_t) : bytes));
}

/* Adds what tells which elements of the load lie within the matrix; others are zeros. False: the CPU has no such masks. */
static bool add_matrix(struct tsr__slice *s, LLVMValueRef load, LLVMValueRef place, int depth)
{
    int64_t row, byte;
    LLVMTypeRef masked = masked_type(s->l, LLVMTypeOf(load));
    const bool of_bytes = LLVMGetIntTypeWidth(LLVMGetElementType(masked)) == 8;
    if ((of_bytes && !tsr__has(s->l, TSR_CPU_AVX512BW)) || LLVMGetVectorSize(masked) > TSR_TILE_ROW_BYTES ||
        !find_in_block(s->l, load, place, &row, &byte))
        return false;
    for (unsigned i = TSR__PLACE_WIDTH; i <= TSR__PLACE_Y; i++)
        if (!add_value(s, LLVMGetOperand(place, i), depth))
            return false;
    return true;
}

/* Notes through which argument the slice reads. False: it must not read there at another time or place. */
static bool note_read(struct tsr__slice *s, LLVMValueRef pointer)
{
    LLVMValueRef place = tsr__tile_place(pointer);
    pointer = place ? LLVMGetOperand(place, TSR__PLACE_BASE) : pointer;
    const unsigned space = tsr__space_of(pointer);
    if (space != TSR__GLOBAL_SPACE && space != TSR__CONSTANT_SPACE)
        return false;
    if (space == TSR__CONSTANT_SPACE)
        return true;
    const int argument = tsr__argument_of_address(s->l, pointer);
    if (argument < 0)
        s->reads_others = true;
    else
        s->arguments |= UINT64_C(1) << argument;
    return true;
}

/* The place of a 2D block from which is loaded, or NULL. */
static LLVMValueRef place_of_load(LLVMValueRef v)
{
    return tsr__is_plain_load(v) ? tsr__tile_place(LLVMGetOperand(v, 0)) : NULL;
}

/* May the instruction be done elsewhere, for the same operands? */
static bool can_move(struct tsr__slice *s, LLVMValueRef inst, int depth)
{
    struct tsr__mad mad;
    LLVMValueRef callee = LLVMIsACallInst(inst) ? tsr__callee(inst) : NULL, place = place_of_load(inst);
    if (tsr__is_plain_load(inst))
        return tsr__is_fixed_load(s->l, inst) ||
               (note_read(s, LLVMGetOperand(inst, 0)) && (!place || add_matrix(s, inst, place, depth - 1)));
    if (tsr__calls(inst, "llvm.masked.load.") || tsr__calls(inst, "llvm.masked.gather."))
        return note_read(s, LLVMGetOperand(inst, 0));
    return tsr__is_pure(inst) || tsr__nibbles_of(inst, NULL) ||
           (callee && !tsr__mad_read(inst, &mad) && !tsr__is_marker(callee) && tsr__touches_no_memory(callee));
}

/* Adds all that a value depends on. */
static bool add_value(struct tsr__slice *s, LLVMValueRef v, int depth)
{
    if (!is_in_loop(s, v))
        return take(s, v);
    if (tsr__map_get(&s->seen, v))
        return true;
    tsr__map_set(&s->seen, v, 1);
    if (LLVMIsAPHINode(v))
        return add_counter(s, v);
    if (v == tsr__tile_place(v))
        return depth && add_value(s, LLVMGetOperand(v, TSR__PLACE_ADDRESS), depth - 1);
    if (!depth || ++s->instructions > MOST_INSTRUCTIONS || !can_move(s, v, depth))
        return false;
    const unsigned operands = (unsigned)LLVMGetNumOperands(v) - (LLVMIsACallInst(v) ? 1 : 0); /* not the function that is called */
    for (unsigned i = 0; i < operands; i++)
        if (!add_value(s, LLVMGetOperand(v, i), depth - 1))
            return false;
    return true;
}

static bool add_source(struct tsr__slice *s, const struct tsr__source *source)
{
    for (unsigned i = 0; i < source->rows * source->chunks; i++)
        if (LLVMStoreSizeOfType(LLVMGetModuleDataLayout(s->l->module), LLVMTypeOf(source->from[i])) != source->chunk_bytes ||
            !add_value(s, source->from[i], MOST_DEPTH))
            return false;
    return true;
}

struct tsr__slice *tsr__slice_find(const struct tsr__webs *w, LLVMBasicBlockRef loop, const struct tsr__source *const *sources,
                                   unsigned tiles, unsigned depth)
{
    struct tsr__compilation *l = w->l;
    struct tsr__slice *s = tsr_arena_alloc(&l->scratch, sizeof *s);
    *s = (struct tsr__slice){.l = l,
                             .webs = w,
                             .loop = loop,
                             .sources = tsr_arena_alloc(&l->scratch, tiles * sizeof *s->sources),
                             .tiles = tiles,
                             .depth = depth,
                             .seen = {.arena = &l->scratch}};
    memcpy(s->sources, sources, tiles * sizeof *sources);
    for (unsigned i = 0; i < tiles * depth; i++)
        if (!add_source(s, &sources[i / depth][i % depth]))
            return NULL;
    uint64_t at = 0;
    for (unsigned i = 0; i < s->taken_count; at += s->taken[i++].bytes)
        s->taken[i].offset = at;
    return s;
}

/* ---- values ---- */

uint64_t tsr__slice_bytes(const struct tsr__slice *s)
{
    return (s->bytes + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t);
}

void tsr__slice_store_values(const struct tsr__slice *s, LLVMBuilderRef b, LLVMValueRef to)
{
    LLVMBuildStore(b, tsr__i64(s->l, 0), tsr__at_offset(s->l, b, to, tsr__slice_bytes(s) - sizeof(uint64_t)));
    for (unsigned i = 0; i < s->taken_count; i++)
        LLVMBuildStore(b, s->taken[i].value, tsr__at_offset(s->l, b, to, s->taken[i].offset));
}

/* ---- the function ---- */

enum parameter { VALUES, FIRST, STEPS, TILE, TO, STRIDE, NEXT, PARAMETERS };

struct code {
    const struct tsr__slice *s;
    LLVMValueRef function;
    LLVMBuilderRef b;
    struct tsr__map taken; /* value from outside → that value here */
    struct tsr__map made;  /* instruction of the loop → its copy for the current tile and step */
    LLVMValueRef round;
};

static LLVMBasicBlockRef add_block(const struct code *c)
{
    return LLVMAppendBasicBlockInContext(c->s->l->context, c->function, "");
}

static void load_values(struct code *c)
{
    for (unsigned i = 0; i < c->s->taken_count; i++) {
        const struct taken *v = &c->s->taken[i];
        LLVMValueRef from = tsr__at_offset(c->s->l, c->b, LLVMGetParam(c->function, VALUES), v->offset);
        LLVMValueRef loaded = LLVMBuildLoad2(c->b, LLVMTypeOf(v->value), from, "");
        LLVMSetAlignment(loaded, 1);
        tsr__map_set(&c->taken, v->value, (uintptr_t)loaded);
    }
}

static LLVMValueRef outside(const struct code *c, LLVMValueRef v)
{
    return LLVMIsConstant(v) ? v : (LLVMValueRef)tsr__map_get(&c->taken, v);
}

/* The number of the round as one of this type. */
static LLVMValueRef round_as(const struct code *c, LLVMTypeRef type)
{
    LLVMTypeRef element = tsr__element_type(type);
    LLVMValueRef number = LLVMBuildIntCast2(c->b, c->round, element, false, "");
    return element == type ? number : tsr__splat_scalar(c->s->l, c->b, number, LLVMGetVectorSize(type));
}

static LLVMValueRef count_on(const struct code *c, LLVMValueRef phi)
{
    const struct counter *of = c->s->counters;
    while (of->phi != phi)
        of++;
    LLVMValueRef begin = outside(c, of->begin), distance = outside(c, of->distance);
    if (of->unit) {
        LLVMTypeRef i64 = LLVMInt64TypeInContext(c->s->l->context);
        LLVMValueRef far = LLVMBuildMul(c->b, LLVMBuildIntCast2(c->b, distance, i64, true, ""), tsr__i64(c->s->l, of->unit), "");
        far = LLVMBuildMul(c->b, far, c->round, "");
        return tsr__plus_bytes(c->s->l, c->b, begin, far);
    }
    LLVMValueRef far = LLVMBuildMul(c->b, distance, round_as(c, LLVMTypeOf(phi)), "");
    return of->down ? LLVMBuildSub(c->b, begin, far, "") : LLVMBuildAdd(c->b, begin, far, "");
}

static LLVMValueRef value_of(struct code *c, LLVMValueRef v);

/* Bytes, but no less than 0 and no more than the vector has, as a number of its elements in each of them. */
static LLVMValueRef elements_in(struct code *c, LLVMValueRef bytes, LLVMTypeRef vector)
{
    struct tsr__compilation *l = c->s->l;
    LLVMTypeRef i64 = LLVMTypeOf(bytes), element = LLVMGetElementType(vector);
    const unsigned count = LLVMGetVectorSize(vector), size = LLVMGetIntTypeWidth(element) / 8;
    LLVMValueRef least[] = {bytes, tsr__i64(l, 0)}, limit = tsr__build_intrinsic(l, c->b, "llvm.smax", &i64, 1, least, 2);
    LLVMValueRef most[] = {limit, tsr__i64(l, count * size)};
    LLVMValueRef number = LLVMBuildUDiv(c->b, tsr__build_intrinsic(l, c->b, "llvm.smin", &i64, 1, most, 2), tsr__i64(l, size), "");
    return tsr__splat_scalar(l, c->b, LLVMBuildTrunc(c->b, number, element, ""), count);
}

/* A load from a 2D block: of the elements that lie within its matrix, and zeros. */
static LLVMValueRef load_within(struct code *c, LLVMValueRef load, LLVMValueRef place)
{
    struct tsr__compilation *l = c->s->l;
    LLVMTypeRef type = masked_type(l, LLVMTypeOf(load)), types[2] = {type};
    LLVMValueRef numbers[TSR_TILE_ROW_BYTES], of[TSR__PLACE_Y + 1];
    const unsigned count = LLVMGetVectorSize(type);
    int64_t row = 0, byte = 0;
    find_in_block(l, load, place, &row, &byte);
    for (unsigned i = TSR__PLACE_WIDTH; i <= TSR__PLACE_Y; i++)
        of[i] = value_of(c, LLVMGetOperand(place, i));
    for (unsigned i = 0; i < count; i++)
        numbers[i] = LLVMConstInt(LLVMGetElementType(type), i, false);
    LLVMValueRef x = LLVMBuildAdd(c->b, of[TSR__PLACE_X], tsr__i64(l, (uint64_t)byte), ""),
                 y = LLVMBuildAdd(c->b, of[TSR__PLACE_Y], tsr__i64(l, (uint64_t)row), ""), none = tsr__i64(l, 0),
                 inside = LLVMBuildAnd(c->b, LLVMBuildICmp(c->b, LLVMIntSGE, y, none, ""),
                                       LLVMBuildICmp(c->b, LLVMIntSLT, y, of[TSR__PLACE_HEIGHT], ""), ""),
                 end = LLVMBuildSelect(c->b, inside, LLVMBuildSub(c->b, of[TSR__PLACE_WIDTH], x, ""), none, "");
    LLVMValueRef first = elements_in(c, LLVMBuildNeg(c->b, x, ""), type), behind = elements_in(c, end, type),
                 number = LLVMConstVector(numbers, count), pointer = value_of(c, LLVMGetOperand(load, 0)),
                 args[] = {pointer,
                           LLVMBuildAnd(c->b, LLVMBuildICmp(c->b, LLVMIntUGE, number, first, ""),
                                        LLVMBuildICmp(c->b, LLVMIntULT, number, behind, ""), ""),
                           LLVMConstNull(type)};
    types[1] = LLVMTypeOf(pointer);
    return LLVMBuildBitCast(c->b, tsr__build_intrinsic(l, c->b, "llvm.masked.load", types, 2, args, 3), LLVMTypeOf(load), "");
}

static LLVMValueRef value_of(struct code *c, LLVMValueRef v)
{
    if (!is_in_loop(c->s, v))
        return outside(c, v);
    LLVMValueRef made = (LLVMValueRef)tsr__map_get(&c->made, v);
    if (made)
        return made;
    if (LLVMIsAPHINode(v)) {
        made = count_on(c, v);
    } else if (v == tsr__tile_place(v)) {
        made = value_of(c, LLVMGetOperand(v, TSR__PLACE_ADDRESS));
    } else if (place_of_load(v)) {
        made = load_within(c, v, place_of_load(v));
    } else {
        const unsigned operands = (unsigned)LLVMGetNumOperands(v) - (LLVMIsACallInst(v) ? 1 : 0);
        made = LLVMInstructionClone(v);
        LLVMInstructionSetDebugLoc(made, NULL);
        for (unsigned i = 0; i < operands; i++)
            LLVMSetOperand(made, i, value_of(c, LLVMGetOperand(v, i)));
        LLVMInsertIntoBuilder(c->b, made);
    }
    tsr__map_set(&c->made, v, (uintptr_t)made);
    return made;
}

/* Stores the vectors of one tile of the current round. */
static void store_tile(struct code *c, const struct tsr__source *source, LLVMValueRef to)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c->s->l->context);
    LLVMValueRef row = to, stride = LLVMGetParam(c->function, STRIDE);
    c->made = (struct tsr__map){.arena = &c->s->l->scratch};
    for (unsigned i = 0; i < source->rows * source->chunks; i++) {
        if (i && i % source->chunks == 0)
            row = LLVMBuildGEP2(c->b, i8, row, &stride, 1, "");
        LLVMValueRef v = value_of(c, source->from[i]), at = tsr__at_offset(c->s->l, c->b, row, i % source->chunks * source->chunk_bytes);
        LLVMSetAlignment(LLVMBuildStore(c->b, v, at), 1);
    }
}

/* All steps of one tile, in a loop. */
static void build_tile(struct code *c, unsigned tile, LLVMBasicBlockRef entry)
{
    struct tsr__compilation *l = c->s->l;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef first = LLVMGetParam(c->function, FIRST), steps = LLVMGetParam(c->function, STEPS);
    LLVMBasicBlockRef loop = add_block(c), next = add_block(c), end = add_block(c), from[2] = {entry, next};
    LLVMPositionBuilderAtEnd(c->b, loop);
    LLVMValueRef i = LLVMBuildPhi(c->b, i64, ""), far = LLVMBuildMul(c->b, i, LLVMGetParam(c->function, NEXT), "");
    LLVMValueRef to = tsr__plus_bytes(l, c->b, LLVMGetParam(c->function, TO), far);
    LLVMValueRef step = LLVMBuildAdd(c->b, first, i, ""), depth = tsr__i64(l, c->s->depth);
    c->round = c->s->depth == 1 ? step : LLVMBuildUDiv(c->b, step, depth, "");
    if (c->s->depth == 1) {
        store_tile(c, c->s->sources[tile], to);
        LLVMBuildBr(c->b, next);
    } else {
        LLVMValueRef choice = LLVMBuildSwitch(c->b, LLVMBuildURem(c->b, step, depth, ""), next, c->s->depth);
        for (unsigned d = 0; d < c->s->depth; d++) {
            LLVMBasicBlockRef product = add_block(c);
            LLVMAddCase(choice, tsr__i64(l, d), product);
            LLVMPositionBuilderAtEnd(c->b, product);
            store_tile(c, &c->s->sources[tile][d], to);
            LLVMBuildBr(c->b, next);
        }
    }
    LLVMPositionBuilderAtEnd(c->b, next);
    LLVMValueRef more = LLVMBuildAdd(c->b, i, tsr__i64(l, 1), ""), numbers[2] = {tsr__i64(l, 0), more};
    LLVMAddIncoming(i, numbers, from, 2);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntULT, more, steps, ""), loop, end);
    LLVMPositionBuilderAtEnd(c->b, end);
    LLVMBuildRetVoid(c->b);
    LLVMPositionBuilderAtEnd(c->b, entry);
}

static LLVMValueRef declare(const struct tsr__slice *s)
{
    struct tsr__compilation *l = s->l;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context), ptr = tsr__ptr(l);
    LLVMTypeRef types[PARAMETERS] = {ptr, i64, i64, LLVMInt32TypeInContext(l->context), ptr, i64, i64};
    const char *name = tsr_arena_format(&l->scratch, "%s.operand", tsr__name(LLVMGetBasicBlockParent(s->loop)));
    LLVMValueRef f = LLVMAddFunction(l->module, name, LLVMFunctionType(LLVMVoidTypeInContext(l->context), types, PARAMETERS, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    tsr__add_fn_attr(l, f, "nounwind");
    tsr__set_target(l, f);
    return f;
}

LLVMValueRef tsr__slice_function(struct tsr__slice *s)
{
    struct tsr__compilation *l = s->l;
    struct code c = {.s = s, .function = declare(s), .taken = {.arena = &l->scratch}};
    LLVMBasicBlockRef entry = add_block(&c), nothing = add_block(&c);
    c.b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(c.b, nothing);
    LLVMBuildUnreachable(c.b);
    LLVMPositionBuilderAtEnd(c.b, entry);
    load_values(&c);
    LLVMBasicBlockRef *tiles = tsr_arena_alloc(&l->scratch, s->tiles * sizeof(LLVMBasicBlockRef));
    for (unsigned i = 0; i < s->tiles; i++) {
        tiles[i] = LLVMGetLastBasicBlock(c.function);
        build_tile(&c, i, entry);
        tiles[i] = LLVMGetNextBasicBlock(tiles[i]);
    }
    LLVMValueRef choice = LLVMBuildSwitch(c.b, LLVMGetParam(c.function, TILE), nothing, s->tiles);
    for (unsigned i = 0; i < s->tiles; i++)
        LLVMAddCase(choice, tsr__i32(l, i), tiles[i]);
    LLVMDisposeBuilder(c.b);
    return c.function;
}
