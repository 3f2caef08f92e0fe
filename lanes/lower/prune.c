/* SPDX-License-Identifier: Apache-2.0
 * Drops what no kernel uses: most of the built-in library. */
#include "lanes/ir/ir.h"

bool tsr__pass_prune(struct tsr__compilation *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && !tsr__is_kernel(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        if (!LLVMIsDeclaration(g) && !tsr__starts_with(tsr__name(g), "llvm."))
            LLVMSetLinkage(g, LLVMInternalLinkage);
    }
    return tsr__run_llvm(l, "globaldce");
}
