// SPDX-License-Identifier: Apache-2.0
// Sets the handlers of operator new, of LLVM's allocations and of LLVM's fatal errors.
#include "clc/service/trouble_shim.h"

#include <llvm/Support/ErrorHandling.h>

#include <cstdlib>
#include <mutex>
#include <new>

static const struct tsr_trouble_handlers *handlers;

// operator new asks again after its handler has returned.
static void no_memory()
{
    handlers->no_memory();
    llvm::report_bad_alloc_error("out of memory");
}

static void no_memory_of_llvm(void *, const char *, bool)
{
    handlers->no_memory();
    std::abort();
}

static void fatal(void *, const char *reason, bool)
{
    handlers->fatal(reason);
}

void tsr_trouble_listen(const struct tsr_trouble_handlers *given)
{
    static std::once_flag once;
    std::call_once(once, [given] {
        handlers = given;
        std::set_new_handler(no_memory);
        llvm::install_bad_alloc_error_handler(no_memory_of_llvm, nullptr);
        llvm::install_fatal_error_handler(fatal, nullptr);
    });
}
