/* SPDX-License-Identifier: Apache-2.0
 * Dumps the module as text after a pass, and verifies it. */
#include "lanes/ir/ir.h"

#include <stdio.h>

#include <llvm-c/Analysis.h>

bool tsr__dump_module(struct tsr__compilation *l, const char *name)
{
    char path[4096];
    char *message = NULL;
    snprintf(path, sizeof path, "%s/%s.ll", l->options->dump_dir, name);
    if (!LLVMPrintModuleToFile(l->module, path, &message))
        return true;
    tsr__fail(l, "cannot write %s: %s", path, message);
    LLVMDisposeMessage(message);
    return false;
}

bool tsr__verify_and_dump(struct tsr__compilation *l, const char *name)
{
    if (l->options->dump_dir && !tsr__dump_module(l, name))
        return false;
    if (!l->verify)
        return true;
    char *message = NULL;
    bool broken = LLVMVerifyModule(l->module, LLVMReturnStatusAction, &message);
    if (broken)
        tsr__fail(l, "internal error: '%s' is invalid code: %s", name, message);
    LLVMDisposeMessage(message);
    return !broken;
}
