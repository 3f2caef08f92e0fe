/* SPDX-License-Identifier: Apache-2.0
 * What the files of base/ and their tests share and no other folder sees. */
#ifndef TSR_BASE_INTERNAL_H
#define TSR_BASE_INTERNAL_H

#include "tessera/base.h"

/* A line of tessera/env.def (env.c). */
struct tsr__env_variable {
    const char *name, *values, *default_value;
    enum { TSR__ENV_ANYBODY, TSR__ENV_OWNER } obeys;
};
extern const struct tsr__env_variable tsr__env_variables[TSR_ENV_COUNT];

/* (environment.c) */
struct tsr_environment {
    char **lines; /* NAME=VALUE, ended by NULL; their text lies behind them */
};

/* What CPU detection reads: tests replace it to play any machine. */
struct tsr__cpu_source {
    /* regs: EAX, EBX, ECX, EDX. Zeroes for a leaf that the CPU does not have. */
    void (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
    uint64_t (*xcr0)(void); /* called only if the operating system has enabled XGETBV */
};

/* Detection without the cache of tsr_cpu. */
void tsr__cpu_detect(struct tsr_cpu *cpu, const struct tsr__cpu_source *source, enum tsr_cpu_level cap);

/* ---- prim_linux.c: what only the kernel or the instruction set can tell ---- */

void tsr__cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
uint64_t tsr__xcr0(void);
bool tsr__request_tile_data(void);

#endif
