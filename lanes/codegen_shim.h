/* SPDX-License-Identifier: Apache-2.0
 * Settings of LLVM's code generator for which there is only a command line option, the same for all of the process. */
#ifndef TESSERA_LANES_CODEGEN_SHIM_H
#define TESSERA_LANES_CODEGEN_SHIM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the code generator moves constants and what is computed from them out of loops. It is looked at while the code generator's passes
 * are put together. Nobody may do that at the same time. */
void tsr__machine_licm(bool on);

#ifdef __cplusplus
}
#endif

#endif
