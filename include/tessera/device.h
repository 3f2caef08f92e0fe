/* SPDX-License-Identifier: Apache-2.0
 * What a device is to icd/: a table of facts and a table of functions. */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include "tessera/program.h"
#include "tessera/scheduler.h"

/* Facts that the device queries answer from (icd/info_device.def names the query for each). Filled without starting a thread. */
struct tsr_device_caps {
    const char *name, *vendor, *extensions_note;
    uint32_t vendor_id;
    uint32_t compute_units;
    uint32_t clock_mhz;
    uint64_t global_memory, max_allocation, local_memory, constant_buffer;
    uint64_t global_cache, global_cache_line;
    uint32_t max_work_group_size;
    uint64_t max_work_item_sizes[3];
    uint32_t vector_bits; /* native vector width in bits */
    uint32_t sub_group_sizes[8], sub_group_size_count;
    uint32_t max_sub_groups;
    uint64_t max_parameter_bytes;
    uint64_t printf_buffer;
    uint64_t max_global_variable;
    bool fp64, fp16;
};

struct tsr_ndrange {
    uint32_t dim;
    uint64_t offset[3], global[3], local[3]; /* unused dimensions: 0, 1, 1 */
};

/* Where a launch's printf text goes: the device appends whole work-item outputs, the owner writes them out when the command ends. */
struct tsr_print_sink; /* device-amx/print.c */

struct tsr_module; /* a program's code, loaded */
struct tsr_launch; /* one kernel with its arguments and range, ready to run */

struct tsr_device_ops {
    const char *name; /* "cpu" */

    /* Facts of the root device. Static storage, the same at each call. */
    const struct tsr_device_caps *(*caps)(void);

    /* Loads an executable image; each load has program-scope variables of its own. *why gets malloc'd text on failure. Any thread. */
    enum tsr_status (*module_load)(const struct tsr_program_info *info, struct tsr_module **module, char **why);
    void (*module_unload)(struct tsr_module *module);

    /* Largest work-group that the kernel can have with so much dynamic local memory (stack and local memory considered). */
    uint64_t (*max_work_group)(const struct tsr_kernel_info *kernel, uint64_t local_argument_bytes);
    /* A good local size for the range (local_size NULL in clEnqueueNDRangeKernel, clGetKernelSuggestedLocalWorkSize). */
    void (*suggest_local_size)(const struct tsr_kernel_info *kernel, struct tsr_ndrange *range, unsigned width);

    /* Makes a launch. `args` is the filled argument block (copied), local_argument_bytes the memory behind the static local variables.
     * `arg_bytes`: how much memory each of the first TSR_SIZED_ARGUMENTS is known to point to; NULL: nobody knows. NULL: out of memory. */
    struct tsr_launch *(*launch_make)(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                      const void *args, uint64_t local_argument_bytes, const uint64_t *arg_bytes);
    /* Units (work-groups) of the launch and their rough cost, for the task. */
    uint64_t (*launch_units)(const struct tsr_launch *launch, uint64_t *unit_cost);
    /* Runs work-groups [begin, end) in linear order. 0, or negative: the launch failed (out of memory, illegal divergence). */
    int (*launch_run)(struct tsr_launch *launch, struct tsr_worker *worker, uint64_t begin, uint64_t end);
    /* After the last unit: writes out what printf collected, learns the cost of a unit. *why, if not NULL, gets malloc'd text if it failed.
     */
    void (*launch_end)(struct tsr_launch *launch, char **why);
};

extern const struct tsr_device_ops tsr_cpu_device;

#endif
