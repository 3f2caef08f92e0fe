/* SPDX-License-Identifier: Apache-2.0
 * Lists of LLVM's passes that run on work-item functions and on packet functions. */
#include "lanes/ir/ir.h"

/* For packets: their code is simplified already, and most of default<O2> looks for what is not there (loops to vectorise, arguments to
 * promote, …) at eight times the price. Scalar evolution's passes come with the code generator. */
bool tsr__pass_simplify(struct tsr__compilation *l)
{
    return tsr__run_llvm(l, "globaldce,cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg)");
}

bool tsr__pass_combine(struct tsr__compilation *l)
{
    return tsr__run_llvm(l, "function(instcombine<no-verify-fixpoint>,simplifycfg)");
}

bool tsr__pass_hoist_and_number(struct tsr__compilation *l)
{
    return tsr__run_llvm(l, "function(loop-mssa(licm),gvn,dse,instcombine<no-verify-fixpoint>,adce,simplifycfg)");
}

bool tsr__pass_unroll_loops(struct tsr__compilation *l)
{
    return tsr__run_llvm(l, "function(loop-unroll<O2;no-peeling>,simplifycfg),globaldce");
}

bool tsr__pass_optimise(struct tsr__compilation *l)
{
    if (l->options->opt_level <= 0)
        return tsr__run_llvm(l, "globaldce,default<O0>");
    /* The oracle does without LLVM's own vectorisers: the one for straight code has been seen to subtract wrongly (LLVM 22). */
    return tsr__run_llvm(l, "globaldce,default<O1>");
}
