/* SPDX-License-Identifier: Apache-2.0
 * Masked loads and stores of one vector, with the alias metadata of the program's access.
 *
 * The result of a masked load is frozen: LLVM 22's InstCombine folds select(mask, load, y) into a masked load at the place of the
 * select, even behind a store to the same memory. It does not fold a frozen load. */
#include "lanes/widen/memory/access.h"

#include <string.h>

#include "lanes/after/nontemporal.h"
#include "lanes/analysis/write_only.h"
#include "tessera/program.h"

void tsr__set_argument_align(struct tsr__widener *s, LLVMValueRef call, unsigned argument, unsigned align)
{
    LLVMAddCallSiteAttribute(call, argument + 1, tsr__int_attr(s->l, "align", align ? align : 1));
}

void tsr__copy_alias_metadata(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef made)
{
    static const char *const kinds[] = {"tbaa", "alias.scope", "noalias", "invariant.load"};
    LLVMContextRef c = s->l->context;
    if (a->copied)
        return;
    for (size_t i = 0; i < TSR_ARRAY_LEN(kinds); i++) {
        unsigned kind = LLVMGetMDKindIDInContext(c, kinds[i], (unsigned)strlen(kinds[i]));
        LLVMValueRef node = LLVMGetMetadata(a->inst, kind);
        for (unsigned k = 0; k < a->joined; k++)
            if (LLVMGetMetadata(a->all[k], kind) != node)
                node = NULL;
        if (node)
            LLVMSetMetadata(made, kind, node);
    }
    if (LLVMIsALoadInst(a->inst) && LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer)) == TSR__CONSTANT_SPACE) {
        LLVMMetadataRef empty = LLVMMDNodeInContext2(c, NULL, 0);
        LLVMSetMetadata(made, LLVMGetMDKindIDInContext(c, "invariant.load", 14), LLVMMetadataAsValue(c, empty));
    }
}

/* Marks a store of a vector without a mask, if it may go past the caches. */
static void mark_nontemporal(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef store)
{
    bool dense = a->class == TSR__ACCESS_CONSECUTIVE || (a->class == TSR__ACCESS_INTERLEAVED && a->step == a->component_count);
    if (!s->written_only || !dense || a->copied || s->cfg.blocks[s->block].loop != TSR__NONE || !LLVMIsAStoreInst(a->inst))
        return;
    int argument = tsr__parameter_of(LLVMGetOperand(a->inst, 1));
    uint64_t bytes = LLVMABISizeOfType(s->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    if (argument < 0 || argument >= TSR_SIZED_ARGUMENTS || !(s->written_only >> argument & 1) || bytes < TSR__NONTEMPORAL_MIN_BYTES ||
        bytes & (bytes - 1))
        return;
    tsr__mark_nontemporal(s->l, store, argument);
}

LLVMValueRef tsr__masked_load(struct tsr__widener *s, const struct tsr__access *a, LLVMTypeRef type, LLVMValueRef p, LLVMValueRef mask)
{
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(s->b, type, p, "");
        LLVMSetAlignment(load, a->align);
        tsr__copy_alias_metadata(s, a, load);
        return load;
    }
    LLVMTypeRef types[2] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[3] = {p, mask, LLVMGetPoison(type)};
    LLVMValueRef call = tsr__build_intrinsic(s->l, s->b, "llvm.masked.load", types, 2, args, 3);
    tsr__set_argument_align(s, call, 0, a->align);
    tsr__copy_alias_metadata(s, a, call);
    return LLVMBuildFreeze(s->b, call, "");
}

void tsr__masked_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef p, LLVMValueRef mask)
{
    LLVMValueRef made;
    if (mask) {
        LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(p)};
        LLVMValueRef args[3] = {value, p, mask};
        made = tsr__build_intrinsic(s->l, s->b, "llvm.masked.store", types, 2, args, 3);
        tsr__set_argument_align(s, made, 1, a->align);
    } else {
        made = LLVMBuildStore(s->b, value, p);
        LLVMSetAlignment(made, a->align);
        mark_nontemporal(s, a, made);
    }
    tsr__copy_alias_metadata(s, a, made);
}
