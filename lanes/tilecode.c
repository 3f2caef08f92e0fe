/* SPDX-License-Identifier: Apache-2.0
 * Single instructions of AMX, and tiles on the stack. */
#include <string.h>

#include "tiles.h"

enum { TILE = TSR__TILE_ROWS * TSR__TILE_BYTES };

void tsr__tiles_focus(struct tsr__tiles *t, struct tsr__life *life)
{
    const struct tsr__web *first = life->block->webs[0][0];
    t->life = life;
    t->chunk = 4 * first->lanes;
    t->rows = life->block->rows * first->m;
}

LLVMValueRef tsr__tile_number(struct tsr__tiles *t, int number)
{
    return LLVMConstInt(LLVMInt8TypeInContext(t->l->context), (unsigned)number, false);
}

LLVMValueRef tsr__tile_op(struct tsr__tiles *t, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(t->l->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    return LLVMBuildCall2(t->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

LLVMValueRef tsr__tile_buffer(struct tsr__tiles *t, bool zero)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(t->l->context);
    LLVMValueRef made = LLVMBuildAlloca(t->entry, LLVMArrayType2(i8, TILE), "tile");
    LLVMSetAlignment(made, TSR__TILE_BYTES);
    tsr__map_set(&t->buffers, made, 1);
    if (zero)
        LLVMBuildMemSet(t->entry, made, LLVMConstNull(i8), tsr__i64(t->l, TILE), TSR__TILE_BYTES);
    return made;
}

void tsr__tile_load(struct tsr__tiles *t, int to, LLVMValueRef from, LLVMValueRef stride)
{
    LLVMValueRef args[3] = {tsr__tile_number(t, to), LLVMBuildAddrSpaceCast(t->b, from, tsr__ptr(t->l), ""), stride};
    tsr__tile_op(t, "llvm.x86.tileloadd64", args, 3);
}

void tsr__tile_store(struct tsr__tiles *t, int from, LLVMValueRef to, LLVMValueRef stride)
{
    LLVMValueRef args[3] = {tsr__tile_number(t, from), LLVMBuildAddrSpaceCast(t->b, to, tsr__ptr(t->l), ""), stride};
    tsr__tile_op(t, "llvm.x86.tilestored64", args, 3);
}

void tsr__tile_vectors(struct tsr__tiles *t, LLVMTypeRef type, struct tsr__unpacked *made)
{
    LLVMValueRef memory = tsr__tile_buffer(t, false);
    tsr__tile_store(t, t->life->accumulator, memory, tsr__i64(t->l, TSR__TILE_BYTES));
    for (unsigned r = 0; r < t->rows; r++)
        for (unsigned c = 0; c < t->life->block->columns; c++) {
            LLVMValueRef at = tsr__at_offset(t->l, t->b, memory, r * TSR__TILE_BYTES + c * t->chunk);
            made->rows[r][c] = LLVMBuildLoad2(t->b, type, at, "");
            LLVMSetAlignment(made->rows[r][c], t->chunk);
        }
}

bool tsr__leaves(LLVMValueRef inst)
{
    struct tsr__mad mad;
    if (!LLVMIsACallInst(inst) || tsr__mad_read(inst, &mad))
        return false;
    LLVMValueRef callee = tsr__callee(inst);
    return !callee || !LLVMGetIntrinsicID(callee);
}
