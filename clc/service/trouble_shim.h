/* SPDX-License-Identifier: Apache-2.0
 * Who is told when memory ends, or LLVM gives up. The gap: LLVM's C API has the second handler alone, and C none of C++'s operator new. */
#ifndef TESSERA_CLC_SERVICE_TROUBLE_SHIM_H
#define TESSERA_CLC_SERVICE_TROUBLE_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Called by the thread that has the trouble. If they return, the process ends. */
struct tsr_trouble_handlers {
    void (*no_memory)(void);
    void (*fatal)(const char *reason);
};
/* For the whole process; more than once does no harm. Any thread. `handlers` stays. */
void tsr_trouble_listen(const struct tsr_trouble_handlers *handlers);

#ifdef __cplusplus
}
#endif

#endif
