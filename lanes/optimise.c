/* SPDX-License-Identifier: Apache-2.0
 * Lists of LLVM's passes that run on work-item functions and on packet functions. */
#include "lanes/ir/ir.h"
#include "lanes/ir/match.h"

/* A function that is called once, and not too large: LLVM inlines it in any case, but would first find out what that costs. */
static bool is_inlined_anyway(LLVMValueRef function)
{
    enum { MOST = 2000 };
    unsigned instructions = 0;
    LLVMUseRef use = LLVMGetFirstUse(function);
    bool once = use && !LLVMGetNextUse(use) && tsr__callee(LLVMGetUser(use)) == function && LLVMGetLinkage(function) == LLVMInternalLinkage;
    for (LLVMValueRef i = once ? tsr__first(function) : NULL; i && instructions <= MOST; i = tsr__next(i))
        instructions++;
    return once && instructions <= MOST &&
           !LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("noinline"));
}

/* For packets: their code is simplified already, and most of default<O2> looks for what is not there (loops to vectorise, arguments to
 * promote, …) at eight times the price. Scalar evolution's passes come with the code generator. */
bool tsr__pass_simplify(struct tsr__compilation *l)
{
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++)
        if (is_inlined_anyway(functions[i]))
            tsr__add_fn_attr(l, functions[i], "alwaysinline");
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
    /* The oracle does without what LLVM's default pipeline has for vectors and for loads of loops (loop_load, straight_code). */
    return tsr__run_llvm(
        l, "globaldce,thinlto-pre-link<O1>,function(loop-unroll<O1>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg),"
           "globaldce");
}
