/* SPDX-License-Identifier: Apache-2.0
 * Tiles of B that the device packs for a packet, and may keep for others that read the same (device-amx/tiles_kept.c), as keys and values
 * in attention. Nothing may write to their rows while the launch runs: all that the kernel writes to goes by other arguments, and the
 * launch says that these are alone in their memory. */
#include "lanes/ir/calls.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tile_slices.h"
#include "lanes/matrix/tiles/tiles.h"
#include "tessera/item.h"

/* Calls that write to where their argument of this number points, or -1 to no memory, of functions that already have tiles. */
static const struct writer {
    const char *name;
    int to;
} writers[] = {
    {"llvm.masked.store.", 1},
    {"llvm.masked.scatter.", 1},
    {"llvm.x86.tilestored64", 1},
    {"llvm.x86.tile", -1},
    {"llvm.x86.tdp", -1},
    {TSR__RT_PREFIX "tile_move", 1},
    {TSR__RT_PREFIX "tile_operand", 1},
    {TSR__RT_PREFIX "tile_multiply", 1},
    {TSR__RT_PREFIX "tile_pack", 1},
    {"llvm.memset.", 0},
    {"llvm.memcpy.", 0},
};

static const struct writer *writer_of(LLVMValueRef inst)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(writers); i++)
        if (tsr__calls(inst, writers[i].name))
            return &writers[i];
    return NULL;
}

/* Where the instruction writes, if it writes to one place, or to places behind one. */
static LLVMValueRef written_pointer(LLVMValueRef inst)
{
    const struct writer *w = writer_of(inst);
    if (w)
        return LLVMGetOperand(inst, (unsigned)w->to);
    if (LLVMIsAStoreInst(inst))
        return LLVMGetOperand(inst, 1);
    return LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst) ? LLVMGetOperand(inst, 0) : NULL;
}

static bool writes_nothing(LLVMValueRef inst)
{
    struct tsr__mad mad;
    const struct writer *w = writer_of(inst);
    LLVMValueRef callee = LLVMIsACallInst(inst) ? tsr__callee(inst) : NULL;
    return !tsr__may_write(inst) || tsr__mad_read(inst, &mad) || (callee && (tsr__is_hint(callee) || tsr__is_marker(callee))) ||
           (w && w->to < 0);
}

/* Is it a variable, or in what the device says of the work-item and its group? */
static bool is_private(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (LLVMIsAAllocaInst(pointer))
        return true;
    LLVMBasicBlockRef block = LLVMIsAInstruction(pointer) ? LLVMGetInstructionParent(pointer) : NULL;
    if (LLVMIsALoadInst(pointer)) /* the group's */
        pointer = LLVMGetOperand(pointer, 0);
    LLVMValueRef function = block ? LLVMGetBasicBlockParent(block) : LLVMIsAArgument(pointer) ? LLVMGetParamParent(pointer) : NULL;
    return function && pointer == tsr__item_of(function);
}

static bool note_all_written(struct tsr__tiles *t, struct tsr__map *seen, LLVMValueRef function);

/* Notes what the instruction writes to. False: that is not known. */
static bool note_written(struct tsr__tiles *t, struct tsr__map *seen, LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? tsr__callee(inst) : NULL;
    if (writes_nothing(inst))
        return true;
    if (callee && !LLVMIsDeclaration(callee))
        return note_all_written(t, seen, callee);
    LLVMValueRef pointer = written_pointer(inst);
    if (!pointer || is_private(pointer))
        return pointer;
    const int argument = tsr__argument_of_address(t->l, pointer);
    if (argument >= 0)
        t->written |= UINT32_C(1) << argument;
    return argument >= 0;
}

static bool note_all_written(struct tsr__tiles *t, struct tsr__map *seen, LLVMValueRef function)
{
    bool known = true;
    if (tsr__map_get(seen, function))
        return true;
    tsr__map_set(seen, function, 1);
    for (LLVMValueRef i = tsr__first(function); i && known; i = tsr__next(i))
        known = note_written(t, seen, i);
    return known;
}

void tsr__tile_keeps_find(struct tsr__tiles *t, size_t multiplies)
{
    struct tsr__map seen = {.arena = &t->l->scratch};
    /* Each packs one tile, at most, before the next one is loaded. */
    t->may_keep = multiplies < TSR_TILE_KEPT && note_all_written(t, &seen, t->webs.function);
}

LLVMValueRef tsr__tile_keeps(struct tsr__tiles *t, LLVMValueRef from)
{
    const int argument = t->may_keep ? tsr__argument_of_address(t->l, from) : -1;
    if (argument < 0 || t->written >> argument & 1)
        return tsr__i32(t->l, 0);
    if (t->keeps)
        return t->keeps;
    for (int i = 0; i < TSR_SIZED_ARGUMENTS; i++)
        if (t->written >> i & 1)
            tsr__ask_alone(t->l, t->webs.function, i);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(t->l->context);
    LLVMValueRef group =
        tsr__load_fixed(t->l, t->entry, tsr__ptr(t->l), tsr__item_of(t->webs.function), offsetof(struct tsr_item, group), 8);
    LLVMValueRef alone = tsr__load_fixed(t->l, t->entry, i64, group, offsetof(struct tsr_group, alone), 8);
    LLVMValueRef missing = LLVMBuildAnd(t->entry, LLVMBuildNot(t->entry, alone, ""), tsr__i64(t->l, t->written), "");
    t->keeps = LLVMBuildSelect(t->entry, LLVMBuildIsNull(t->entry, missing, ""), tsr__i32(t->l, TSR_TILE_KEEPS), tsr__i32(t->l, 0), "");
    return t->keeps;
}
