/* SPDX-License-Identifier: Apache-2.0
 * Unrolling of the loops over serialised lanes that serial_loop.c makes: several lanes in one round. */
#include <string.h>

#include "lanes/prepare/unroll.h"
#include "lanes/ir/costs.h"

static unsigned kind_of_mark(struct tsr__compilation *l)
{
    static const char name[] = "tessera.turns";
    return LLVMGetMDKindIDInContext(l->context, name, (unsigned)strlen(name));
}

void tsr__mark_serial_unroll(struct tsr__compilation *l, LLVMValueRef branch)
{
    LLVMMetadataRef empty = LLVMMDNodeInContext2(l->context, NULL, 0);
    LLVMSetMetadata(branch, kind_of_mark(l), LLVMMetadataAsValue(l->context, empty));
}

/* Loops over lanes go through several lanes in a round. */
bool tsr__pass_serial_unroll(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    bool any = false;
    unsigned kind = kind_of_mark(l);
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsATerminatorInst(code[i]) && LLVMGetMetadata(code[i], kind)) {
            LLVMSetMetadata(code[i], kind, NULL);
            tsr__set_loop_hint(l, code[i], "llvm.loop.unroll.count", TSR__SERIAL_UNROLL);
            any = true;
        }
    /* The lanes' counters get the width of addresses. The code generator does that as well, but has no registers to spare for all turns. */
    return !any || tsr__run_llvm_on(l, function, "loop-simplify,lcssa,loop(indvars)");
}
