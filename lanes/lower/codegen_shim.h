/* SPDX-License-Identifier: Apache-2.0
 * Settings of LLVM's code generator for which there is only a command line option, the same for all of the process. */
#ifndef TESSERA_LANES_LOWER_CODEGEN_SHIM_H
#define TESSERA_LANES_LOWER_CODEGEN_SHIM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of functions of many blocks the register allocator looks at no more than a tenth of the edges that it usually does for where to keep one
 * register. Nobody may generate code at the same time. */
void tsr__for_many_blocks(bool on);

/* For large functions the code generator leaves constants and what is computed from them in loops, and makes several jump tables of a large
 * switch. Of functions that run a work-item at a time (`alone`) it does not try to do without copies from register to register, either: it
 * looks at all blocks in which a register lives for each of them. Nobody may generate code at the same time. */
void tsr__for_large_functions(bool on, bool alone);

/* Instructions of a block stay in their order, more or less: the scheduler does not make several chains of operations, which stand side by
 * side, one after the other, for the registers that this saves. Nobody may generate code at the same time. */
void tsr__for_several_chains(bool on);

#ifdef __cplusplus
}
#endif

#endif
