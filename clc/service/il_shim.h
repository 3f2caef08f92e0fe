/* SPDX-License-Identifier: Apache-2.0
 * The extensions that LLVM's writer of SPIR-V may use. The gap: they are an option of LLVM's command line, which others reset. */
#ifndef TESSERA_CLC_SERVICE_IL_SHIM_H
#define TESSERA_CLC_SERVICE_IL_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* "+name,+name": for the target machines that are made until the next call. One thread at a time. */
void tsr_il_allow(const char *extensions);

#ifdef __cplusplus
}
#endif

#endif
