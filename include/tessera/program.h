/* SPDX-License-Identifier: Apache-2.0
 * What a compiled program is, once: kernels, arguments, sizes, code. Made by clc/service and lanes, stored by the cache, answered from by
 * every query of icd/, run by device-amx. Numbers of OpenCL (CL_KERNEL_ARG_*) are stored as plain integers. */
#ifndef TESSERA_PROGRAM_H
#define TESSERA_PROGRAM_H

#include <string.h>

#include "tessera/abi.h"
#include "tessera/target.h"

enum tsr_arg_kind {
    TSR_ARG_VALUE,   /* `size` bytes copied into the argument block */
    TSR_ARG_POINTER, /* global or constant memory: 8 bytes, an address or 0 */
    TSR_ARG_LOCAL,   /* local memory: 8 bytes, the offset from the group's local memory base */
    TSR_ARG_SAMPLER, /* 4 bytes: the sampler's bit pattern */
    TSR_ARG_IMAGE,   /* 8 bytes: the address of a struct tsr_image. No device has images yet: a kernel that uses one does not build */
    TSR_ARG_PIPE,
    TSR_ARG_QUEUE,
};

struct tsr_arg_info {
    const char *name;      /* NULL unless the program was built with -cl-kernel-arg-info */
    const char *type_name; /* likewise */
    enum tsr_arg_kind kind;
    uint32_t address_qualifier, access_qualifier; /* CL_KERNEL_ARG_ADDRESS_*, CL_KERNEL_ARG_ACCESS_* */
    uint64_t type_qualifier;                      /* CL_KERNEL_ARG_TYPE_* bits */
    uint32_t size, align;                         /* of the value; pointers and local: 8, 8. align ≤ TSR_MAX_ALIGN */
    uint32_t offset;                              /* in the argument block */
    uint32_t pointee_align;                       /* of what a pointer or local argument points to; 1 if unknown */
    uint32_t nontemporal_bytes;                   /* bytes that a work-item writes to it, past the caches if the launch says so */
};

/* Arguments past these are never written past the caches. */
enum { TSR_SIZED_ARGUMENTS = 32 };

enum tsr_kernel_flags {
    TSR_KERNEL_FIBERS = 1,          /* has a barrier or exchange: work-items need stacks of their own */
    TSR_KERNEL_SUB_GROUP_PAIRS = 2, /* uses split matrix functions */
    TSR_KERNEL_PRINTF = 4,          /* calls printf */
    TSR_KERNEL_HAS_ARG_NAMES = 8,
    TSR_KERNEL_PACKETS = 64,          /* the entry runs a whole sub-group */
    TSR_KERNEL_PACKET_LOOP = 128,     /* or many, row by row and group by group: see struct tsr_item */
    TSR_KERNEL_BARRIER_REGIONS = 512, /* likewise, although packets meet: barriers of whole work-groups need no stacks */
    TSR_KERNEL_GLOBAL_IDS_ONLY = 256, /* with ROWS: sees no work-groups, so the device may cut the range as it likes */
    TSR_KERNEL_MIXED_GROUPS =
        2048, /* with ROWS: knows its groups by number only, so a packet that is not whole may have lanes of several */
    TSR_KERNEL_IGNORES_SUB_GROUPS = 4096, /* knows no sub-groups: a packet that is not whole is part of a row, not a sub-group */
    TSR_KERNEL_AMX_TILES = 1024,          /* uses AMX's tile registers, 16 rows of 64 bytes each */
    TSR_KERNEL_HALF_K_TILES = 16384,      /* with TILES: the last but one has rows of 32 bytes, the last has 8 rows */
    TSR_KERNEL_NONTEMPORAL = 8192,  /* some argument is written past the caches if the launch says so: `nontemporal_bytes` of it is not 0 */
    TSR_KERNEL_DENORMS_ZERO = 16,   /* built with -cl-denorms-are-zero: runs with FTZ and DAZ */
    TSR_KERNEL_UNIFORM_GROUPS = 32, /* local size must divide the global size: -cl-uniform-work-group-size, or OpenCL C before 2.0 */
};

struct tsr_kernel_info {
    const char *name;
    const char *attributes; /* text of CL_KERNEL_ATTRIBUTES, "" if none */
    const char *entry;      /* symbol in the code */
    uint32_t arg_count;
    struct tsr_arg_info *args;
    uint32_t args_size; /* bytes of the argument block, a multiple of 8; its alignment is TSR_MAX_ALIGN */
    uint32_t flags;
    uint64_t reqd_local_size[3];  /* 0 0 0 if none */
    uint64_t local_size_hint[3];  /* likewise */
    uint32_t reqd_sub_group_size; /* 0 if none */
    uint32_t sub_group_size;      /* S that the kernel was compiled for */
    uint64_t local_bytes;         /* static local variables; local arguments follow, each aligned to TSR_MAX_ALIGN */
    uint64_t context_bytes;       /* with TSR_KERNEL_BARRIER_REGIONS: what a packet keeps across barriers */
    uint64_t private_bytes;       /* upper estimate of the stack that one work-item needs, without slack */
};

/* Sub-groups of so many work-items: the one rule behind queries, launches and code. Only the last may have fewer than `size`. */
static inline uint64_t tsr_sub_group_count(uint64_t items, uint32_t size)
{
    return (items + size - 1) / size;
}

/* Bytes of static local variables, up to where local arguments begin. */
static inline uint64_t tsr_local_round(uint64_t bytes)
{
    return (bytes + TSR_MAX_ALIGN - 1) / TSR_MAX_ALIGN * TSR_MAX_ALIGN;
}

/* CL_DEVICE_MAX_PARAMETER_SIZE */
enum { TSR_MAX_PARAMETER_BYTES = 4096 };

enum tsr_image_kind {
    TSR_IMAGE_OBJECT = 1,     /* clCompileProgram: bitcode */
    TSR_IMAGE_LIBRARY = 2,    /* clLinkProgram -create-library: bitcode */
    TSR_IMAGE_EXECUTABLE = 3, /* an ELF shared object */
    TSR_IMAGE_PROGRAM = 4,    /* an executable whose kernels become code one by one, when first created: bitcode. Of its kernels only
                                 name and attributes are known. */
};

struct tsr_program_info {
    enum tsr_image_kind kind;
    const char *triple;    /* what it was compiled for: tsr_target.triple */
    uint64_t cpu_features; /* tsr_target.features that the code needs; 0 of bitcode */
    uint64_t global_bytes; /* program-scope variables in global memory; of a PROGRAM only whether there are any */
    uint32_t kernel_count;
    struct tsr_kernel_info *kernels; /* sorted by name */
    const void *code;                /* bitcode or ELF; points into the image */
    size_t code_size;
};

/* Can what was compiled for *target use the image? */
static inline bool tsr_image_fits(const struct tsr_program_info *info, const struct tsr_target *target)
{
    return !strcmp(info->triple, target->triple) && !(info->cpu_features & ~target->features);
}

/* Does one of the kernels need tsr_cpu_request_amx() before it runs? */
static inline bool tsr_uses_tiles(const struct tsr_program_info *info)
{
    for (uint32_t i = 0; i < info->kernel_count; i++)
        if (info->kernels[i].flags & TSR_KERNEL_AMX_TILES)
            return true;
    return false;
}

/* Image: the byte form, which is also what CL_PROGRAM_BINARIES gives. Layout: magic "TSRP", format version, build id of the compiler,
 * XXH3-128 of all that follows, then target, features needed, kind, kernels and code. (clc/common/image.c) */

/* Appends the image of `info`. Failure: buf->failed. */
void tsr_image_write(const struct tsr_program_info *info, struct tsr_buf *buf);
/* Reads an image strictly. All strings and arrays live in `arena`, code in `data`, which must outlive the result.
 * DAMAGED: anything malformed. MISMATCH: another format version or build. Whether a device can use it: tsr_image_fits. */
enum tsr_status tsr_image_read(const void *data, size_t size, struct tsr_arena *arena, struct tsr_program_info *info);

#endif
