/* SPDX-License-Identifier: Apache-2.0
 * The linker in this process, from memory to memory. The gap: lld has no C API, and reads and writes files. */
#ifndef TESSERA_CLC_SERVICE_LLD_SHIM_H
#define TESSERA_CLC_SERVICE_LLD_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "tessera/base.h"

/* An input that is no file: what lld reads where its words say `name`. */
struct tsr_lld_input {
    const char *name;
    const void *data; /* aligned to 8 */
    size_t size;
};

/* Runs ld.lld with these words (words[0] is its name), of which the inputs are `inputs`; any name may stand after -o. The linked file goes
 * to `out`, what lld says to `log`. No file, pipe or thread is used, so that it works under any limit. One at a time. */
bool tsr_lld_link(const char *const *words, uint32_t count, const struct tsr_lld_input *inputs, uint32_t input_count, struct tsr_buf *out,
                  struct tsr_buf *log);
/* Forgets the link that runs in this thread, which is left in the middle. */
void tsr_lld_abandon(void);

#ifdef __cplusplus
}
#endif

#endif
