/* SPDX-License-Identifier: Apache-2.0
 * The engine that turns work-item functions into machine code, as the compiler process calls it. (lanes/)
 *
 * Order of calls for one executable: clang's module (or all linked objects) → tsr_lanes_mark → link the built-in library into it →
 * tsr_lanes_run → link the object into a shared object with hidden default (`ld.lld -shared`; nothing else is needed: undefined symbols are
 * only memcpy and the like). */
#ifndef TESSERA_LANES_H
#define TESSERA_LANES_H

#include "tessera/program.h"

struct LLVMOpaqueModule; /* *LLVMModuleRef */
struct LLVMOpaqueValue;  /* *LLVMValueRef */

struct tsr_lanes_options {
    uint64_t cpu_features;           /* bits of enum tsr_cpu_feature that the code may use */
    uint32_t default_sub_group_size; /* for kernels without a required size */
    int opt_level;                   /* 0 (-cl-opt-disable) … 3 */
    bool packets;                    /* the vector engine: one call of an entry runs a sub-group */
    bool group_lanes;                /* packets: in kernels that use work-groups but no sub-groups, each lane is a small work-group */
    /* packets, if not 0: launches have work-groups of this size alone, and kernels that use work-groups but no sub-groups are compiled for
     * it. */
    uint32_t group_size[3];
    unsigned lanes_in;       /* packets: 1, 2, 3: lanes follow x, y, z where the kernel cannot tell; 0: as it accesses memory */
    enum tsr_bodies bodies;  /* packets: which of them get code */
    bool check;              /* packets look whether all their lanes reach the functions that all must reach */
    bool debug;              /* built with -g: frame pointers stay */
    bool denorms_are_zero;   /* -cl-denorms-are-zero */
    uint64_t code_budget;    /* what packets of a kernel may cost the code generator, in registers written; 0: anything */
    struct tsr_buf *log;     /* NULL, or gets lines about what was not done as asked */
    struct tsr_buf *explain; /* NULL, or gets a report of what became of each kernel */
    bool explain_json;       /* as JSON objects, one in a line */
    struct tsr_buf *times;   /* NULL, or gets a line for each pass: how long it took */
    const char *dump_dir;    /* NULL, or where numbered text files of the module go, one after each pass */
};

/* Hint for a loop, beside LLVM's own in the metadata llvm.loop, with a number: packets make one round of so many when nothing else will be
 * done to their code, which may be all rounds. With llvm.loop.unroll.disable beside it nothing is unrolled before. */
#define TSR_UNROLL_LATE "tessera.unroll.late"
/* A loop in which each lane by itself goes along a row of memory, with vectors. (along_rows.c) */
#define TSR_ALONG_ROW "tessera.along.row"
/* A loop of few rounds, as those that a loop of four rounds in one leaves over: it gets no such loop, and lanes stay together.
 * (row_vectors.c) */
#define TSR_ROW_REST "tessera.row.rest"

/* Marks what the user's program defines, so that call sites of built-ins in it can be told from those inside the library.
 * Call it before the built-in library is linked in. */
void tsr_lanes_mark(struct LLVMOpaqueModule *module);

/* Lays out the argument block of a kernel, of which `function` has kernel->arg_count parameters: fills kind, size, align, offset and
 * pointee_align of each argument, and args_size. opaque_images: images and samplers have types of their own, else those of pointers and
 * numbers. False: a type that the device does not have, which *why names (malloc'd). */
bool tsr_lanes_lay_out(struct LLVMOpaqueValue *function, struct tsr_kernel_info *kernel, bool opaque_images, char **why);

/* Compiles the module, which it changes and leaves useless, to an ELF object appended to `object`.
 *
 * On entry info->kernels has one record per kernel function of the module with name, attributes, arg_count and what the front end's
 * metadata says (names, type names, qualifiers, required and hinted sizes, reqd_sub_group_size). The engine fills the rest: entry, kind,
 * size, align, offset and pointee_align of each argument, args_size, flags, sub_group_size, local_bytes, context_bytes, private_bytes,
 * info->global_bytes and info->cpu_features. Strings are allocated in `arena`.
 *
 * False: *why has text for the build log (malloc'd), which names the kernel or function. One module at a time per LLVM context; the
 * diagnostic handler of the context is used. The X86 target is initialised by the engine. */
bool tsr_lanes_run(struct LLVMOpaqueModule *module, const struct tsr_lanes_options *options, struct tsr_arena *arena,
                   struct tsr_program_info *info, struct tsr_buf *object, char **why);

#endif
