/* SPDX-License-Identifier: Apache-2.0
 * Loops over serialised lanes whose inner loop goes along the lane's row (prepare/along_rows.c) get vectors of LLVM's, along the row. */
#include "lanes/prepare/unroll.h"
#include "tessera/lanes.h"

bool tsr__pass_vectorise_rows(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    bool any = false;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsATerminatorInst(code[i]) && tsr__has_loop_hint(l, code[i], TSR_ALONG_ROW)) {
            tsr__set_loop_hint(l, code[i], "llvm.loop.vectorize.enable", 1);
            any = true;
        }
    return !any || tsr__run_llvm_on(l, function,
                                    "loop-vectorize<interleave-forced-only;vectorize-forced-only>,instcombine<no-verify-fixpoint>,"
                                    "loop-mssa(licm),simplifycfg");
}
