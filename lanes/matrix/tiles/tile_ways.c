/* SPDX-License-Identifier: Apache-2.0
 * Loops that are made twice (lanes/matrix/block2d_loops.c): which of both stays. */
#include "lanes/ir/calls.h"
#include "lanes/matrix/tiles/tiles.h"

bool tsr__has_two_ways(LLVMValueRef function)
{
    return tsr__call_in(function, TSR__BLOCK2D_SHARES);
}

bool tsr__has_places(LLVMValueRef function)
{
    return tsr__call_in(function, TSR__BLOCK2D_PLACE);
}

/* Do packets run twice for all loops whose sums are to stay apart? */
static bool keeps_sums_apart(const struct tsr__tiles *t)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->webs.function); b; b = LLVMGetNextBasicBlock(b))
        if (tsr__sums_apart(b) && (!tsr__map_get(&t->twice, b) || !tsr__tile_loops_make_all(t, b)))
            return false;
    return true;
}

bool tsr__takes_device_way(const struct tsr__tiles *t)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(t->l, t->webs.function, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsALoadInst(code[i]) && tsr__tile_place(LLVMGetOperand(code[i], 0)) &&
            !tsr__tile_loops_make_all(t, LLVMGetInstructionParent(code[i])))
            return false;
    return keeps_sums_apart(t);
}

bool tsr__choose_way(struct tsr__compilation *l, LLVMValueRef function, bool of_device)
{
    for (LLVMValueRef call; (call = tsr__call_in(function, TSR__BLOCK2D_SHARES)) != NULL;) {
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), of_device, false));
        LLVMInstructionEraseFromParent(call);
    }
    return tsr__run_llvm_on(l, function, "simplifycfg");
}

/* Does anything but arithmetic and shuffles whose results nobody uses depend on it? */
static bool is_used(LLVMValueRef v, struct tsr__map *seen)
{
    if (!tsr__map_add(seen, v))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if ((!tsr__is_pure(user) && !tsr__nibbles_of(user, NULL)) || is_used(user, seen))
            return true;
    }
    return false;
}

/* Would a load from the address run? */
static bool is_loaded(LLVMValueRef address, struct tsr__map *seen)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) ? is_used(user, seen) : LLVMIsAGetElementPtrInst(user) && is_loaded(user, seen))
            return true;
    }
    return false;
}

bool tsr__drop_places(struct tsr__compilation *l)
{
    LLVMValueRef function = LLVMGetNamedFunction(l->module, TSR__BLOCK2D_PLACE);
    for (LLVMUseRef use; function && (use = LLVMGetFirstUse(function)) != NULL;) {
        LLVMValueRef call = LLVMGetUser(use);
        struct tsr__map seen = {.arena = &l->scratch};
        if (is_loaded(call, &seen))
            return tsr__fail(l, "internal error: a loop over 2D blocks is not the device's");
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, TSR__PLACE_ADDRESS));
        LLVMInstructionEraseFromParent(call);
    }
    return true;
}
