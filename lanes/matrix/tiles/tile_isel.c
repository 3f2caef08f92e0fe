/* SPDX-License-Identifier: Apache-2.0
 * Instruction selection for tiles.
 *
 * Makes single AMX instructions, or calls of the device's functions that stand for them where the CPU has no AMX (tiles then lie on the
 * stack). */
#include <string.h>

#include "lanes/after/nontemporal.h"
#include "lanes/ir/calls.h"
#include "lanes/matrix/tiles/tiles.h"

enum { TILE = TSR_TILE_ROWS * TSR_TILE_ROW_BYTES };

void tsr__tiles_select(struct tsr__tiles *t, struct tsr__live_range *life)
{
    const struct tsr__web *first = life->block->webs[0][0];
    t->life = life;
    t->chunk = 4 * first->lanes;
    t->rows = life->block->rows * first->m;
}

/* ---- instructions, or calls of the device ---- */

static LLVMValueRef register_number(struct tsr__tiles *t, int number)
{
    return LLVMConstInt(LLVMInt8TypeInContext(t->l->context), (unsigned)number, false);
}

LLVMValueRef tsr__tile_call(struct tsr__tiles *t, LLVMTypeRef result, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[5];
    args[0] = tsr__item_of(t->webs.function);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    return LLVMBuildCall2(t->b, type, tsr__declare(t->l, name, type), args, count, "");
}

LLVMValueRef tsr__tile_slot(struct tsr__tiles *t, int number)
{
    if (!t->slots[number]) {
        LLVMTypeRef i8 = LLVMInt8TypeInContext(t->l->context);
        t->slots[number] = LLVMBuildAlloca(t->entry, LLVMArrayType2(i8, TSR_TILE_OPERAND_BYTES), "slot");
        LLVMSetAlignment(t->slots[number], TSR_TILE_ROW_BYTES);
        tsr__map_set(&t->buffers, t->slots[number], 1);
    }
    return t->slots[number];
}

unsigned tsr__tile_product_bits(const struct tsr__tiles *t, const struct tsr__tile_product *product)
{
    unsigned unit = t->unit == TSR__TILES_MODEL ? TSR_TILE_IN_MODEL : t->unit == TSR__TILES_AMX ? TSR_TILE_IN_AMX : 0u;
    return product->number | unit;
}

/* Tiles in memory go through a register where there are any, and in their model. */
static bool goes_through_scratch(const struct tsr__tiles *t, int number)
{
    return number >= TSR_TILE_COUNT && t->unit != TSR__TILES_VECTORS;
}

static void fetch_to_scratch(struct tsr__tiles *t, int number)
{
    tsr__tile_fetch(t, TSR__SCRATCH_TILE, tsr__tile_slot(t, number));
}

static void put_from_scratch(struct tsr__tiles *t, int number)
{
    tsr__tile_put(t, TSR__SCRATCH_TILE, tsr__tile_slot(t, number));
}

void tsr__tile_zero(struct tsr__tiles *t, int number)
{
    LLVMValueRef args[1] = {register_number(t, number)};
    if (t->unit == TSR__TILES_AMX && !goes_through_scratch(t, number))
        tsr__build_intrinsic(t->l, t->b, "llvm.x86.tilezero", NULL, 0, args, 1);
    else
        LLVMBuildMemSet(t->b, tsr__tile_slot(t, number), LLVMConstNull(LLVMInt8TypeInContext(t->l->context)),
                        tsr__i64(t->l, t->rows * TSR_TILE_ROW_BYTES), TSR_TILE_ROW_BYTES);
}

static LLVMValueRef how_of(struct tsr__tiles *t, const struct tsr__source *s)
{
    return tsr__i32(t->l, tsr__tile_product_bits(t, s->product) | (s->is_b ? TSR_TILE_IS_B : 0u) | (s->half ? TSR_TILE_HALF_K : 0u) |
                              (t->shapes == TSR_TILE_SHAPES_EIGHT_ROWS && !s->is_b ? TSR_TILE_EIGHT_ROWS : 0u));
}

void tsr__tile_load(struct tsr__tiles *t, int to, LLVMValueRef from, LLVMValueRef stride, const struct tsr__source *operand)
{
    if (goes_through_scratch(t, to)) {
        tsr__tile_load(t, TSR__SCRATCH_TILE, from, stride, operand);
        put_from_scratch(t, to);
        return;
    }
    LLVMValueRef memory = LLVMBuildAddrSpaceCast(t->b, from, tsr__ptr(t->l), ""), row = tsr__i64(t->l, TSR_TILE_ROW_BYTES);
    if (t->unit == TSR__TILES_AMX) {
        LLVMValueRef args[3] = {register_number(t, to), memory, stride};
        tsr__build_intrinsic(t->l, t->b, "llvm.x86.tileloadd64", NULL, 0, args, 3);
    } else if (operand->product) {
        LLVMValueRef args[5] = {NULL, tsr__tile_slot(t, to), memory, stride, how_of(t, operand)};
        tsr__tile_call(t, LLVMVoidTypeInContext(t->l->context), TSR__RT_PREFIX "tile_operand", args, 5);
    } else {
        LLVMValueRef args[5] = {NULL, tsr__tile_slot(t, to), row, memory, stride};
        tsr__tile_call(t, LLVMVoidTypeInContext(t->l->context), TSR__RT_PREFIX "tile_move", args, 5);
    }
}

void tsr__tile_store(struct tsr__tiles *t, int from, LLVMValueRef to, LLVMValueRef stride)
{
    if (goes_through_scratch(t, from)) {
        fetch_to_scratch(t, from);
        from = TSR__SCRATCH_TILE;
    }
    LLVMValueRef memory = LLVMBuildAddrSpaceCast(t->b, to, tsr__ptr(t->l), ""), row = tsr__i64(t->l, TSR_TILE_ROW_BYTES);
    if (t->unit == TSR__TILES_AMX) {
        LLVMValueRef args[3] = {register_number(t, from), memory, stride};
        tsr__build_intrinsic(t->l, t->b, "llvm.x86.tilestored64", NULL, 0, args, 3);
    } else {
        LLVMValueRef args[5] = {NULL, memory, stride, tsr__tile_slot(t, from), row};
        tsr__tile_call(t, LLVMVoidTypeInContext(t->l->context), TSR__RT_PREFIX "tile_move", args, 5);
    }
}

void tsr__tile_fetch(struct tsr__tiles *t, int to, LLVMValueRef from)
{
    tsr__tile_load(t, to, from, tsr__i64(t->l, TSR_TILE_ROW_BYTES), &(struct tsr__source){0});
}

void tsr__tile_put(struct tsr__tiles *t, int from, LLVMValueRef to)
{
    tsr__tile_store(t, from, to, tsr__i64(t->l, TSR_TILE_ROW_BYTES));
}

void tsr__tile_multiply(struct tsr__tiles *t, const struct tsr__source *operand, int to, int a, int b)
{
    if (goes_through_scratch(t, to)) {
        fetch_to_scratch(t, to);
        tsr__tile_multiply(t, operand, TSR__SCRATCH_TILE, a, b);
        put_from_scratch(t, to);
        return;
    }
    if (t->unit == TSR__TILES_AMX) {
        LLVMValueRef args[3] = {register_number(t, to), register_number(t, a), register_number(t, b)};
        tsr__build_intrinsic(t->l, t->b, operand->product->instruction, NULL, 0, args, 3);
    } else {
        LLVMValueRef args[5] = {NULL, tsr__tile_slot(t, to), tsr__tile_slot(t, a), tsr__tile_slot(t, b), how_of(t, operand)};
        tsr__tile_call(t, LLVMVoidTypeInContext(t->l->context), TSR__RT_PREFIX "tile_multiply", args, 5);
    }
}

bool tsr__is_marker(LLVMValueRef function)
{
    return tsr__is_packet_mark(function) || tsr__starts_with(tsr__name(function), TSR__BLOCK2D_PLACEHOLDER) ||
           tsr__starts_with(tsr__name(function), TSR__NIBBLES);
}

bool tsr__clobbers_tiles(LLVMValueRef inst)
{
    struct tsr__mad mad;
    if (!LLVMIsACallInst(inst) || tsr__mad_read(inst, &mad))
        return false;
    LLVMValueRef callee = tsr__callee(inst);
    return !callee ||
           (!LLVMGetIntrinsicID(callee) && !tsr__starts_with(tsr__name(callee), TSR__RT_PREFIX "tile_") && !tsr__is_marker(callee));
}

/* ---- on the stack ---- */

LLVMValueRef tsr__tile_buffer(struct tsr__tiles *t, bool zero)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(t->l->context);
    LLVMValueRef made = LLVMBuildAlloca(t->entry, LLVMArrayType2(i8, TILE), "tile");
    LLVMSetAlignment(made, TSR_TILE_ROW_BYTES);
    tsr__map_set(&t->buffers, made, 1);
    if (zero)
        LLVMBuildMemSet(t->entry, made, LLVMConstNull(i8), tsr__i64(t->l, TILE), TSR_TILE_ROW_BYTES);
    return made;
}

LLVMValueRef tsr__tile_on_stack(struct tsr__tiles *t, int number)
{
    if (t->unit != TSR__TILES_AMX || number >= TSR_TILE_COUNT)
        return tsr__tile_slot(t, number);
    LLVMValueRef memory = tsr__tile_buffer(t, false);
    tsr__tile_put(t, number, memory);
    return memory;
}

LLVMValueRef tsr__tile_nontemporal_flag(struct tsr__tiles *t, int argument)
{
    return tsr__nontemporal_flag(t->l, t->entry, tsr__item_of(t->webs.function), argument);
}

void tsr__tile_vectors(struct tsr__tiles *t, LLVMTypeRef type, struct tsr__unpacked *made)
{
    LLVMValueRef memory = tsr__tile_on_stack(t, t->life->accumulator);
    for (unsigned r = 0; r < t->rows; r++)
        for (unsigned c = 0; c < t->life->block->columns; c++) {
            LLVMValueRef at = tsr__at_offset(t->l, t->b, memory, r * TSR_TILE_ROW_BYTES + c * t->chunk);
            made->rows[r][c] = LLVMBuildLoad2(t->b, type, at, "");
            LLVMSetAlignment(made->rows[r][c], t->chunk);
        }
}
