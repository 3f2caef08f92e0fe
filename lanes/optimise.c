/* SPDX-License-Identifier: Apache-2.0
 * LLVM's passes on the finished work-item or packet functions. */
#include "lanes.h"

/* For packets: their code is simplified already, and most of default<O2> looks for what is not there (loops to vectorise, arguments to
 * promote, …) at eight times the price. Scalar evolution's passes come with the code generator. */
static const char for_packets[] =
    "globaldce,cgscc(inline),"
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,dse,"
    "instcombine<no-verify-fixpoint>,adce,simplifycfg,loop-unroll<O2;no-peeling>,simplifycfg),globaldce";

bool tsr__pass_optimise(struct tsr__lanes *l)
{
    if (l->options->opt_level <= 0)
        return tsr__llvm(l, "globaldce,default<O0>");
    if (l->options->packets)
        return tsr__llvm(l, for_packets);
    /* The oracle does without LLVM's own vectorisers: the one for straight code has been seen to subtract wrongly (LLVM 22). */
    return tsr__llvm(l, "globaldce,default<O1>");
}
