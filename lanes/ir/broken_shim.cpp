// SPDX-License-Identifier: Apache-2.0
// A mistake of the compiler's own, reported as LLVM reports its own. The gap: LLVM's C API can install a handler of fatal errors, not call
// it.
#include "lanes/ir/broken_shim.h"

#include <llvm/Support/ErrorHandling.h>

void tsr__broken(const char *what)
{
    llvm::report_fatal_error(what, false);
}
