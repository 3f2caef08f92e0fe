/* SPDX-License-Identifier: Apache-2.0
 * LLVM's own pipeline at the level that the build options ask for. */
#include "lanes.h"

bool tsr__pass_optimise(struct tsr__lanes *l)
{
    static const char *const pipelines[] = {"globaldce,default<O0>", "globaldce,default<O1>", "globaldce,default<O2>",
                                            "globaldce,default<O3>"};
    int level = l->options->opt_level;
    return tsr__llvm(l, pipelines[level < 0 ? 0 : level > 3 ? 3 : level]);
}
