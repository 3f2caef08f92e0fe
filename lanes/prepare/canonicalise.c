/* SPDX-License-Identifier: Apache-2.0
 * The canonical form of an item function before it is widened: one return, no switches, reducible loops with one latch. */
#include "lanes/ir/cfg.h"

static const char canonical[] = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,early-cse,simplifycfg)";
static const char no_switches[] = "function(lower-switch)";
static const char loops_in_form[] = "function(mergereturn,loop-simplify,loop(loop-rotate),loop-simplify,instcombine<no-verify-fixpoint>,"
                                    "simplifycfg<no-switch-range-to-icmp>,lower-switch,mergereturn,loop-simplify,early-cse<memssa>,adce)";
/* Between the two, where a loop has several entries. LLVM 22 loses the values of a block that has edges to two entries of a loop, so each
 * edge gets a block of its own. */
static const char one_entry[] = "lower-switch,break-crit-edges,fix-irreducible";

/* LLVM compares each branch of a lowered switch with all that dominate it, as often as it combines instructions. A large switch stays one
 * until instructions have been combined. */
static bool has_large_switch(struct tsr__compilation *l)
{
    enum { LARGE = 128 };
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++)
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(functions[i]); bb; bb = LLVMGetNextBasicBlock(bb))
            if (LLVMIsASwitchInst(LLVMGetBasicBlockTerminator(bb)) && LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(bb)) > LARGE)
                return true;
    return false;
}

static bool make_reducible(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr__cfg cfg;
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (!tsr__cfg_make(&cfg, kernel, &l->scratch) && !tsr__run_llvm_on(l, kernel, one_entry))
            return false;
    }
    return true;
}

bool tsr__pass_canonicalise(struct tsr__compilation *l)
{
    return tsr__run_llvm(l, canonical) && (has_large_switch(l) || tsr__run_llvm(l, no_switches)) && make_reducible(l) &&
           tsr__run_llvm(l, loops_in_form);
}
