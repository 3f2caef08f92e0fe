/* SPDX-License-Identifier: Apache-2.0
 * The linker in this process. The gap: lld has no C API. */
#ifndef TESSERA_CLC_SERVICE_LLD_SHIM_H
#define TESSERA_CLC_SERVICE_LLD_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "tessera/base.h"

/* Runs ld.lld with these words (words[0] is its name). What it says goes to `log`. One at a time. */
bool tsr_lld_link(const char *const *words, uint32_t count, struct tsr_buf *log);

#ifdef __cplusplus
}
#endif

#endif
