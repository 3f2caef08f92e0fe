/* SPDX-License-Identifier: Apache-2.0
 * What code is compiled for: a device says it, the request carries it, the compiler looks it up in its table of targets, the image repeats
 * it. */
#ifndef TESSERA_TARGET_H
#define TESSERA_TARGET_H

#include "tessera/base.h"

/* The targets that clc/service/answer.c has. */
#define TSR_TRIPLE_X86_64 "x86_64-unknown-linux-gnu"
#define TSR_TRIPLE_SPIRV64 "spirv64-unknown-unknown" /* the code is that of tessera/il_code.h, for the compiler of a device's driver */

enum tsr_engine {
    TSR_ENGINE_ANY,        /* the one that TESSERA_ENGINE names, by default the vector engine */
    TSR_ENGINE_LANES,      /* the vector engine: a work-item in each lane of a vector register */
    TSR_ENGINE_REFERENCE,  /* a work-item at a time */
    TSR_ENGINE_GROUPS,     /* LANES, and work-groups with barriers or local memory are so small that a packet has several of them */
    TSR_ENGINE_GROUP_SIZE, /* LANES, and work-groups with barriers or local memory have the size `group_size` in all launches */
    TSR_ENGINE_LANES_IN_X, /* LANES, and lanes follow x in all kernels … */
    TSR_ENGINE_LANES_IN_Y, /* … or y, where the kernel cannot tell */
    TSR_ENGINE_LANES_IN_Z,
};

/* What a request for the code of kernels wants of those that run in packets. */
enum tsr_bodies {
    TSR_BODIES_ALL,
    TSR_BODIES_FULL,    /* full packets: of small kernels others are left out, which then have the flag TSR_KERNEL_PARTIAL_LATER */
    TSR_BODIES_PARTIAL, /* those others, of kernels with this flag: the entry is the function for one packet, or box of packets */
};

struct tsr_target {
    const char *triple; /* as LLVM writes it */
    /* What the code may use. x86-64: bits of enum tsr_cpu_feature. SPIR-V: the sub-group size of the device's matrix units, 8 or 16, with
     * bits of enum tsr_il_units; 0: there are none. */
    uint64_t features;
    uint64_t doubtful; /* of these, what the device may turn out to lack: see tsr_device_ops.compile_again. The compiler does not see it */
    enum tsr_engine engine;
    uint32_t group_size[3];          /* with TSR_ENGINE_GROUP_SIZE; else 0 */
    uint32_t default_sub_group_size; /* of kernels that ask for none */
    uint32_t sub_group_sizes;        /* the sum of those that a kernel may have; 0: any of 8, 16, 32 */
    /* "-D…" and "-cl-ext=…" words that state the device's extensions and OpenCL C features: tsr_clc_macros. */
    const char *macros;
};

/* What matrix units of a device that takes SPIR-V have. */
enum tsr_il_units {
    TSR_IL_SIZES = 8 | 16,
    TSR_IL_PAIRS = 1 << 5, /* two sub-groups share an operand */
    TSR_IL_INT4 = 1 << 6,
    TSR_IL_INT8 = 1 << 7,
    TSR_IL_FP16 = 1 << 8,
    TSR_IL_BF16 = 1 << 9,
    TSR_IL_TF32 = 1 << 10,
};

/* Every line of tessera/ext.def has a number, and a device the set of those that it has. */
enum tsr_ext {
#define TSR_EXT(name, major, minor, patch, by) TSR_HAS_##name,
#define TSR_FEATURE(name, by) TSR_HAS_##name,
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
    TSR_EXT_COUNT
};

struct tsr_ext_set {
    bool has[TSR_EXT_COUNT];
};

#endif
