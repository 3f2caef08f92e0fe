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
    static const char *const pipelines[] = {"globaldce,default<O0>", "globaldce,default<O1>", "globaldce,default<O2>",
                                            "globaldce,default<O3>"};
    int level = l->options->opt_level;
    if (l->options->packets && level > 0)
        return tsr__llvm(l, for_packets);
    return tsr__llvm(l, pipelines[level < 0 ? 0 : level > 3 ? 3 : level]);
}
