/* SPDX-License-Identifier: Apache-2.0
 * LLVM's passes on the finished work-item or packet functions. */
#include "lanes/after/prefetch.h"
#include "lanes/after/loop_fission.h"
#include "lanes/matrix/tiles/tiles.h"
#include "lanes/prepare/unroll.h"

/* For packets: their code is simplified already, and most of default<O2> looks for what is not there (loops to vectorise, arguments to
 * promote, …) at eight times the price. Scalar evolution's passes come with the code generator. */
static const char for_packets[] = "globaldce,cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg)";
static const char combine[] = "function(instcombine<no-verify-fixpoint>,simplifycfg)";
static const char across_loops[] = "function(loop-mssa(licm),gvn,dse,instcombine<no-verify-fixpoint>,adce,simplifycfg)";
static const char unroll[] = "function(loop-unroll<O2;no-peeling>,simplifycfg),globaldce";

static bool optimise_packets(struct tsr__compilation *l)
{
    size_t count;
    bool parts = false;
    if (!tsr__run_llvm(l, for_packets))
        return false;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    tsr__widen_indices(l, functions, count);
    if (!tsr__run_llvm(l, combine))
        return false;
    tsr__widen_indices(l, functions, count);
    if (!tsr__run_llvm(l, across_loops))
        return false;
    for (size_t i = 0; i < count; i++) {
        tsr__prefetch_index_lists(l, functions[i]);
        parts |= tsr__fission_loops(l, functions[i]);
        tsr__mark_mad_unroll(l, functions[i]);
        if (!tsr__unroll_serial_loops(l, functions[i]))
            return false;
    }
    return (!parts || tsr__run_llvm(l, "function(adce)")) && tsr__run_llvm(l, unroll);
}

bool tsr__pass_optimise(struct tsr__compilation *l)
{
    if (l->options->opt_level <= 0)
        return tsr__run_llvm(l, "globaldce,default<O0>");
    if (l->options->packets && !tsr__all_run_as_reference(l))
        return optimise_packets(l);
    /* The oracle does without LLVM's own vectorisers: the one for straight code has been seen to subtract wrongly (LLVM 22). */
    return tsr__run_llvm(l, "globaldce,default<O1>");
}
