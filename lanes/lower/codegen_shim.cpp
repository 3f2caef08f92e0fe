// SPDX-License-Identifier: Apache-2.0
// Sets options of LLVM's command line. The gap: LLVM's C API can only parse a command line, once, and ends the process on an error.
#include "lanes/lower/codegen_shim.h"

#include <limits>

#include <llvm/Support/CommandLine.h>

using namespace llvm;

namespace
{
template <typename T> void set(const char *name, T value)
{
    auto &options = cl::getRegisteredOptions();
    auto found = options.find(name);
    if (found != options.end())
        static_cast<cl::opt<T> *>(found->second)->setValue(value);
}
} // namespace

void tsr__for_many_blocks(bool on)
{
    constexpr unsigned long usual = 10000, small = 1000;
    set("grow-region-complexity-budget", on ? small : usual);
}

void tsr__for_large_functions(bool on, bool alone)
{
    constexpr unsigned most_ways = 128;
    set("disable-machine-licm", on);
    set("disable-postra-machine-licm", on);
    set("join-liveintervals", !(on && alone));
    set("max-jump-table-size", on ? most_ways : std::numeric_limits<unsigned>::max());
}

void tsr__for_several_chains(bool on)
{
    set("misched-regpressure", !on);
}
