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
    TSR_ARG_IMAGE,   /* 8 bytes: the address of a struct tsr_image_desc. */
    TSR_ARG_PIPE,    /* 8 bytes: the address of a struct tsr_pipe */
    TSR_ARG_QUEUE,   /* 8 bytes: the address of a struct tsr_device_queue (tessera/device.h) */
};

struct tsr_arg_info {
    const char *name;      /* NULL of a program that does not tell, such as SPIR-V without names */
    const char *type_name; /* likewise */
    enum tsr_arg_kind kind;
    uint32_t address_qualifier, access_qualifier; /* CL_KERNEL_ARG_ADDRESS_*, CL_KERNEL_ARG_ACCESS_* */
    uint64_t type_qualifier;                      /* CL_KERNEL_ARG_TYPE_* bits */
    uint32_t size, align;                         /* of the value; pointers and local: 8, 8. align ≤ TSR_MAX_ALIGN */
    uint32_t offset;                              /* in the argument block */
    uint32_t pointee_align;                       /* of what a pointer or local argument points to; 1 if unknown */
    uint32_t nontemporal_bytes;                   /* bytes that a work-item writes to it, past the caches if the launch says so */
    uint32_t image_type;                          /* of an image: CL_MEM_OBJECT_IMAGE*; 0 if unknown */
    bool image_depth;                             /* of such an image: it is one of CL_DEPTH, others are not */
};

/* Arguments past these are never written past the caches, and nothing is known of their memory. */
enum { TSR_SIZED_ARGUMENTS = 32 };

enum tsr_kernel_flags {
#define TSR_KERNEL_FLAG(NAME, bit, text) TSR_KERNEL_##NAME = (int)(UINT32_C(1) << (bit)),
#include "tessera/kernel_flags.def"
#undef TSR_KERNEL_FLAG
};

/* The sum of the bits is what they are together. */
#define TSR_KERNEL_FLAG(NAME, bit, text) +(UINT64_C(1) << (bit))
_Static_assert((0
#include "tessera/kernel_flags.def"
#undef TSR_KERNEL_FLAG
#define TSR_KERNEL_FLAG(NAME, bit, text) | TSR_KERNEL_##NAME
                ) == (UINT32_C(0)
#include "tessera/kernel_flags.def"
                          ),
               "each bit of tsr_kernel_info.flags is that of one flag");
#undef TSR_KERNEL_FLAG

/* How a launch runs a kernel. The fields of struct tsr_item that a call of the entry is given depend on it. There is a drawing in
 * docs/engine.md, "Forms of a launch". A *runner* is a work-item, or with TSR_KERNEL_PACKETS a packet. */
enum tsr_form {
    TSR_FORM_RUNNERS, /* a call runs a runner, one after the other on the worker's stack */
    TSR_FORM_FIBERS,  /* a call runs a runner; all of a group run on stacks of their own, which switch at barriers and exchanges */
    TSR_FORM_ROWS,    /* a call runs the full packets of a box of work-groups, row by row; other calls run partial packets */
    TSR_FORM_BOXES,   /* the same, in boxes of work-items that may cut work-groups: chosen by the device for a launch */
    TSR_FORM_REGIONS, /* a call runs all packets of work-groups that follow each other in x, from barrier to barrier */
};
/* Never BOXES. */
static inline enum tsr_form tsr_form_of(uint32_t flags)
{
    if (flags & TSR_KERNEL_FIBERS)
        return flags & TSR_KERNEL_BARRIER_REGIONS ? TSR_FORM_REGIONS : TSR_FORM_FIBERS;
    return flags & TSR_KERNEL_PACKET_LOOP ? TSR_FORM_ROWS : TSR_FORM_RUNNERS;
}

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
    uint64_t device_stack_bytes;  /* what the device's functions that it calls need beyond the slack */
    uint32_t groups_at_once;      /* work-groups of one work-item that a thread runs side by side if it has so many; 0: it does not */
    uint32_t column_rows;         /* rows to run before the next packet, as they read the same cache lines or run side by side; 0: any */
    uint32_t asked_arguments;     /* a bit for each about whose memory the code asks: `alone` and `small` of struct tsr_group */
    uint32_t alone_arguments;     /* a bit for each that shares its memory with no other one in launches that this code is for */
    uint32_t tile_shapes;         /* enum tsr_tile_shapes: of the registers that a kernel with TSR_KERNEL_AMX_TILES uses */
};

/* Sub-groups of so many work-items: the one rule behind queries, launches and code. Only the last may have fewer than `size`. */
static inline uint64_t tsr_sub_group_count(uint64_t items, uint32_t size)
{
    return (items + size - 1) / size;
}

/* Work-items that a packet of a kernel with TSR_KERNEL_PACKETS has: a sub-group, the pair of sub-groups that split matrix functions join,
 * or one. Of other kernels: S. */
static inline uint32_t tsr_packet_width(const struct tsr_kernel_info *kernel)
{
    if (!(kernel->flags & TSR_KERNEL_PACKETS))
        return kernel->sub_group_size;
    return kernel->flags & TSR_KERNEL_ONE_LANE          ? 1
           : kernel->flags & TSR_KERNEL_SUB_GROUP_PAIRS ? 2 * kernel->sub_group_size
                                                        : kernel->sub_group_size;
}

/* The dimension that lanes of the kernel's packets follow, with which x is exchanged in code and launches. */
static inline unsigned tsr_lane_dimension(uint32_t flags)
{
    return flags & TSR_KERNEL_LANES_IN_Y ? 1 : flags & TSR_KERNEL_LANES_IN_Z ? 2 : 0;
}
/* The place of a dimension where x and `with` are exchanged. */
static inline unsigned tsr_exchanged_dimension(unsigned with, unsigned dimension)
{
    return dimension == 0 ? with : dimension == with ? 0 : dimension;
}
/* The local size that the kernel requires in this dimension of its code; 0: none. */
static inline uint64_t tsr_required_size(const struct tsr_kernel_info *kernel, unsigned dimension)
{
    return kernel->reqd_local_size[tsr_exchanged_dimension(tsr_lane_dimension(kernel->flags), dimension)];
}

/* The one dimension in which work-groups of this size have more than one work-item; 0: x, or there are several or none. Lanes that follow
 * it are the same sub-groups as before, in the same order. */
static inline unsigned tsr_column_dimension(const uint64_t size[3])
{
    return size[0] != 1 ? 0 : size[1] > 1 && size[2] == 1 ? 1 : size[1] == 1 && size[2] > 1 ? 2 : 0;
}

/* The codes of a kernel for launches of work-groups of some size: the usual one, several groups as lanes of a packet, code for this size
 * alone; and, for ranges that are narrow in the dimension that lanes follow, and for work-groups that are columns, those whose lanes follow
 * another one. */
enum tsr_group_code {
    TSR_GROUPS_USUAL,
    TSR_GROUPS_AS_LANES,
    TSR_GROUPS_OF_SIZE,
    TSR_GROUPS_IN_X,
    TSR_GROUPS_IN_Y,
    TSR_GROUPS_IN_Z,
    TSR_GROUP_CODES
};

/* Can work-groups of the kernel have code of their own? It has local memory or barriers; without these it has packets of many groups
 * anyway. */
static inline bool tsr_groups_may_be_lanes(uint32_t flags)
{
    const uint32_t has = TSR_KERNEL_PACKETS | TSR_KERNEL_IGNORES_SUB_GROUPS,
                   lacks = TSR_KERNEL_MIXED_GROUPS | TSR_KERNEL_ONE_LANE | TSR_KERNEL_ENQUEUES | TSR_KERNEL_WAITS_FOR_GROUPS;
    return (flags & (has | lacks)) == has;
}

/* Can the lanes of its packets follow any dimension? Other reasons against that only the compiler sees. */
static inline bool tsr_lanes_may_follow(uint32_t flags)
{
    const uint32_t lacks = TSR_KERNEL_GROUP_LANES | TSR_KERNEL_ONE_LANE | TSR_KERNEL_ENQUEUES | TSR_KERNEL_WAITS_FOR_GROUPS;
    return (flags & (TSR_KERNEL_MIXED_GROUPS | lacks)) == TSR_KERNEL_MIXED_GROUPS;
}

/* Can they follow work-groups that are columns, of a kernel with sub-groups? */
static inline bool tsr_lanes_may_follow_columns(uint32_t flags)
{
    const uint32_t lacks = TSR_KERNEL_IGNORES_SUB_GROUPS | TSR_KERNEL_MIXED_GROUPS | TSR_KERNEL_ONE_LANE | TSR_KERNEL_ENQUEUES |
                           TSR_KERNEL_LANES_IN_Y | TSR_KERNEL_LANES_IN_Z | TSR_KERNEL_WAITS_FOR_GROUPS;
    return (flags & (TSR_KERNEL_PACKETS | lacks)) == TSR_KERNEL_PACKETS;
}

/* Can code for one size of its work-groups, and arguments that share no memory, read matrices where copies in local memory come from? */
static inline bool tsr_may_be_unstaged(uint32_t flags)
{
    const uint32_t has = TSR_KERNEL_PACKETS | TSR_KERNEL_STAGES, lacks = TSR_KERNEL_ENQUEUES | TSR_KERNEL_WAITS_FOR_GROUPS;
    return (flags & (has | lacks)) == has;
}

/* Can a launch of the kernel have one of the other codes? */
static inline bool tsr_has_group_codes(uint32_t flags)
{
    return tsr_groups_may_be_lanes(flags) || tsr_lanes_may_follow(flags) || tsr_lanes_may_follow_columns(flags) ||
           tsr_may_be_unstaged(flags);
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
    const void *code;                /* packed bitcode (clc/service/pack.c) or ELF; points into the image */
    size_t code_size;
    const void *partial; /* the image of the code for packets that are not full, of an executable of one kernel; size 0: not in the image */
    size_t partial_size;
    const void *module; /* of an executable, if it is the whole program: its packed bitcode, to make code for another CPU */
    size_t module_size;
    bool other_build; /* after tsr_image_read: another build of the compiler has made it, so its code is of no use */
};

/* The kernels of an executable are sorted by name; kernel_count if there is none of this name. */
static inline uint32_t tsr_find_kernel(const struct tsr_program_info *info, const char *name)
{
    uint32_t low = 0, high = info->kernel_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, info->kernels[middle].name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return info->kernel_count;
}

/* Can a device with this target use the image? */
static inline bool tsr_image_fits(const struct tsr_program_info *info, const struct tsr_target *target)
{
    bool same_compiler = !info->other_build || info->kind != TSR_IMAGE_EXECUTABLE; /* bitcode of others can be read */
    return same_compiler && !strcmp(info->triple, target->triple) && !(info->cpu_features & ~target->features);
}

/* Should the code of the executable be made anew for *target? It cannot be used, or it was made for a CPU with fewer features. */
static inline bool tsr_image_should_move(const struct tsr_program_info *info, const struct tsr_target *target)
{
    uint64_t ignored = target->doubtful | TSR_CPU_ADVICE;
    return info->module_size && !strcmp(info->triple, target->triple) &&
           (info->other_build || ((info->cpu_features ^ target->features) & ~ignored));
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
 * XXH3-128 of all that follows, then target, features needed, kind, kernels, code and module. (clc/common/image.c) */

/* Appends the image of `info`. Failure: buf->failed. */
void tsr_image_write(const struct tsr_program_info *info, struct tsr_buf *buf);
/* Reads an image strictly. All strings and arrays live in `arena`, code in `data`, which must outlive the result.
 * DAMAGED: anything malformed. MISMATCH: another format version. Whether a device can use it: tsr_image_fits. */
enum tsr_status tsr_image_read(const void *data, size_t size, struct tsr_arena *arena, struct tsr_program_info *info);

#endif
