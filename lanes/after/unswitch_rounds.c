/* SPDX-License-Identifier: Apache-2.0
 * Barrier regions whose packets ask in each turn where to go on, though all of a round go on at the same place: LLVM makes loops over the
 * packets of their own of short regions. */
#include <string.h>

#include "lanes/after/unswitch_rounds.h"
#include "lanes/ir/costs.h"

static unsigned kind_of_mark(struct tsr__compilation *l)
{
    static const char name[] = "tessera.rounds";
    return LLVMGetMDKindIDInContext(l->context, name, (unsigned)strlen(name));
}

void tsr__mark_rounds(struct tsr__compilation *l, LLVMValueRef branch)
{
    LLVMMetadataRef empty = LLVMMDNodeInContext2(l->context, NULL, 0);
    LLVMSetMetadata(branch, kind_of_mark(l), LLVMMetadataAsValue(l->context, empty));
}

bool tsr__ends_in_rounds(struct tsr__compilation *l, LLVMBasicBlockRef block)
{
    LLVMValueRef t = LLVMGetBasicBlockTerminator(block);
    return t && LLVMGetMetadata(t, kind_of_mark(l));
}

/* LLVM weighs what it copies; a switch of more ways it would copy for each of them. */
bool tsr__pass_unswitch_rounds(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    tsr__instructions(l, function, &count);
    bool marked = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
        marked = marked || tsr__ends_in_rounds(l, bb);
    if (!marked || count > TSR__UNSWITCH_MAX_CODE)
        return true;
    return tsr__run_llvm_on(l, function, "loop-simplify,lcssa,loop-mssa(simple-loop-unswitch<nontrivial>,licm),simplifycfg,early-cse");
}
