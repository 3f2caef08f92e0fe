/* SPDX-License-Identifier: Apache-2.0
 * The code of an executable for a device whose driver compiles SPIR-V: made by clc/service, completed by the device with what its driver
 * makes of it. (base/il_code.c) */
#ifndef TESSERA_IL_CODE_H
#define TESSERA_IL_CODE_H

#include "tessera/spirv.h"

struct tsr_il_code {
    const void *spirv; /* words in the byte order of the host */
    size_t spirv_size;
    uint32_t constant_count; /* specialisation constants that do not have their default value */
    struct tsr_spirv_constant *constants;
    bool unoptimised; /* -cl-opt-disable */
    bool debug;       /* -g */
    /* What the driver made of it, and the text that names this driver: of use for the same driver alone. NULL and 0: nothing yet. */
    const char *native_key;
    const void *native;
    size_t native_size;
};

/* The value behind the arguments of a kernel with TSR_KERNEL_RANGE_ARGUMENT, as such a range may run as several launches: what the range is
 * as a whole, and where the launch is in it. A vector of 16 numbers for the kernel. Dimensions that the range lacks: sizes 1, the rest 0.
 */
struct tsr_il_range {
    uint64_t global_size[3], global_offset[3], num_groups[3];
    uint64_t first_group[3]; /* numbers of the launch's first group */
    uint64_t local_size[3];  /* as it was enqueued */
    uint64_t unused;
};

/* Appends the byte form. Failure: buf->failed. */
void tsr_il_code_write(const struct tsr_il_code *code, struct tsr_buf *buf);
/* Reads it back, strictly; texts and bytes point into `data`, the array of constants lives in `arena`. DAMAGED or NO_MEMORY. */
enum tsr_status tsr_il_code_read(const void *data, size_t size, struct tsr_arena *arena, struct tsr_il_code *code);

#endif
