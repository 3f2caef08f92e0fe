/* SPDX-License-Identifier: Apache-2.0
 * A host that carries and exports an LLVM of another version, as Julia- or Halide-like programs do: the driver must neither disturb it nor
 * be disturbed. Run once with the compiler in its own process and once with it inside this one. */
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>

#include "host.h"

/* Uses the host's LLVM: parses a module and counts its functions. */
static unsigned host_llvm_works(void)
{
    static const char text[] = "define i32 @f() { ret i32 1 }\ndefine i32 @g() { ret i32 2 }\n";
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "host");
    LLVMModuleRef module;
    char *message = NULL;
    REQUIRE(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
    unsigned count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count++;
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return count;
}

int main(void)
{
    const char *arguments[] = {"host", "-print-after=none"};
    LLVMParseCommandLineOptions(2, arguments, NULL);
    REQUIRE(host_llvm_works() == 2, "before the driver");
    struct session s = open_session();
    cl_int data[64] = {0};
    run_on_ints(&s, "out[i] = (int)i * 3;", data, 64);
    for (int i = 0; i < 64; i++)
        REQUIRE(data[i] == 3 * i, "element %d is %d", i, data[i]);
    REQUIRE(host_llvm_works() == 2, "after a build");
    close_session(&s);
    puts("host and driver kept apart");
    return 0;
}
