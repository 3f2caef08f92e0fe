/* SPDX-License-Identifier: Apache-2.0
 * Unrolling of loops that were marked when packets were made: those over serialised lanes (serial_loop.c), several lanes in one round, and
 * those whose program asks for it. */
#include "lanes/prepare/unroll.h"
#include "tessera/lanes.h"

bool tsr__pass_late_unroll(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    bool any = false;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        unsigned rounds = LLVMIsATerminatorInst(code[i]) ? tsr__loop_hint_number(l, code[i], TSR_UNROLL_LATE) : 0;
        if (rounds)
            tsr__set_loop_hint(l, code[i], "llvm.loop.unroll.count", rounds);
        any |= rounds != 0;
    }
    /* The lanes' counters get the width of addresses. The code generator does that as well, but has no registers to spare for all turns. */
    return !any || tsr__run_llvm_on(l, function, "loop-simplify,lcssa,loop(indvars)");
}
