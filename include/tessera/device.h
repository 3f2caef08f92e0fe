/* SPDX-License-Identifier: Apache-2.0
 * What a device is to icd/: a table of facts and a table of functions. A device folder has one `struct tsr_device_ops`, and a line in
 * icd/devices.def. Numbers of OpenCL are stored as plain integers.
 *
 * Two kinds of devices fit behind it. One runs its kernels on threads of the host, in the host's memory: launch_run, no memory functions.
 * The other has a queue of its own, which runs what it is given: launch_submit; and if caps->own_memory, buffers have an allocation there,
 * which icd/ keeps up to date with the memory functions. Sizes are in bytes. Unless it says otherwise, a function may be called by any
 * thread, by several at once, and must not wait for a command of OpenCL. */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include "tessera/image_desc.h"
#include "tessera/program.h"
#include "tessera/scheduler.h"
#include "tessera/target.h"

enum tsr_device_type { /* CL_DEVICE_TYPE_* */
                       TSR_DEVICE_CPU = 2,
                       TSR_DEVICE_GPU = 4,
                       TSR_DEVICE_ACCELERATOR = 8,
                       TSR_DEVICE_CUSTOM = 16,
};

enum tsr_svm { /* CL_DEVICE_SVM_* */
               TSR_SVM_COARSE_GRAIN_BUFFER = 1,
               TSR_SVM_FINE_GRAIN_BUFFER = 2,
               TSR_SVM_FINE_GRAIN_SYSTEM = 4,
               TSR_SVM_ATOMICS = 8,
};

/* Kinds of memory with the same address in kernels and on the host: those of cl_intel_unified_shared_memory. SVM allocations are SHARED or
 * HOST. */
enum tsr_usm {
    TSR_USM_HOST,   /* memory of the host, which kernels access in place */
    TSR_USM_DEVICE, /* memory of the device; if the device has memory of its own, the host cannot access it */
    TSR_USM_SHARED, /* migrates to where it is used */
    TSR_USM_COUNT
};
enum tsr_usm_access { /* CL_UNIFIED_SHARED_MEMORY_*_INTEL */
                      TSR_USM_ACCESS = 1,
                      TSR_USM_ATOMIC = 2,
                      TSR_USM_CONCURRENT = 4,
                      TSR_USM_CONCURRENT_ATOMIC = 8,
                      TSR_USM_ALL = 15,
};

/* A request for an allocation of such memory. */
struct tsr_usm_request {
    enum tsr_usm kind;
    uint64_t size;
    bool any_device;     /* SHARED: it belongs to no device */
    bool write_combined; /* hints */
    bool begins_on_device, begins_on_host;
};

/* What a device can have of images, in pixels; all 0 without images. */
struct tsr_image_limits {
    uint64_t side_2d; /* width and height of 2D images, width of 1D ones */
    uint64_t side_3d; /* width, height, depth */
    uint64_t layers;
    uint64_t buffer;                                           /* width of 1D images of a buffer */
    uint32_t read_args, write_args, read_write_args, samplers; /* of a kernel */
};

enum tsr_image_object { /* CL_MEM_OBJECT_IMAGE* */
                        TSR_OBJECT_IMAGE2D = 0x10F1,
                        TSR_OBJECT_IMAGE3D = 0x10F2,
                        TSR_OBJECT_IMAGE2D_ARRAY = 0x10F3,
                        TSR_OBJECT_IMAGE1D = 0x10F4,
                        TSR_OBJECT_IMAGE1D_ARRAY = 0x10F5,
                        TSR_OBJECT_IMAGE1D_BUFFER = 0x10F6,
};

/* An image of a device with memory of its own. */
struct tsr_image_shape {
    enum tsr_image_object type;
    const struct tsr_image_format *format;
    uint64_t width, height, depth, layers; /* 1 where the image has no such size */
    bool written;                          /* kernels may write it */
};

/* A box of pixels, with coordinates as OpenCL's commands have them: the second one of a 1D array, and the third one of a 2D array, is the
 * layer. 0 and 1 in directions that the image does not have. */
struct tsr_image_part {
    uint64_t origin[3], region[3];
};

/* Where such a box lies in memory, of the host or of the device: bytes from one row to the next (in a 1D array: from layer to layer), and
 * from slice to slice. */
struct tsr_image_rows {
    uint64_t address, row_pitch, slice_pitch;
};

/* Facts that the device queries answer from (icd/info_device.def names the query for each). Filled without starting a thread. */
struct tsr_device_caps {
    enum tsr_device_type type;
    const char *name, *vendor;
    uint32_t vendor_id;
    uint32_t device_id, ip_version;               /* cl_intel_device_attribute_query, as the next line */
    uint32_t slices, sub_slices, eus, eu_threads; /* each in one of the last; slices 0: one for each compute unit */
    bool dp4a, dpas;                              /* CL_DEVICE_FEATURE_CAPABILITIES_INTEL */
    uint32_t compute_units;
    uint32_t clock_mhz;
    uint64_t global_memory, max_allocation, local_memory, constant_buffer;
    bool own_local_memory; /* CL_DEVICE_LOCAL_MEM_TYPE is CL_LOCAL */
    uint64_t global_cache, global_cache_line;
    uint32_t max_work_group_size;
    uint64_t max_work_item_sizes[3];
    uint32_t sub_group_sizes[8], sub_group_size_count;
    uint32_t max_sub_groups;
    uint32_t vector_bits; /* of the registers in which kernels keep vectors of their own */
    uint64_t max_parameter_bytes;
    uint64_t printf_buffer;
    uint64_t max_global_variable;
    uint64_t half_config, single_config, double_config;    /* CL_FP_*; of half and double where the device has the extension */
    uint64_t half_atomics, single_atomics, double_atomics; /* cl_ext_float_atomics */
    bool fast_dot_products; /* CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_*: all of them, or none */
    bool native_kernels;    /* clEnqueueNativeKernel */
    bool own_memory;        /* kernels cannot use the host's memory; needs the memory functions */
    unsigned svm;           /* bits of enum tsr_svm; cl_intel_unified_shared_memory needs some; with own memory it needs usm_allocate */
    unsigned usm[TSR_USM_COUNT], usm_cross, usm_system; /* bits of enum tsr_usm_access, of cl_intel_unified_shared_memory: each kind; SHARED
                                                           of another device; memory of the process */
    const void *usm_domain; /* with own memory: devices with the same one reach each other's HOST and SHARED memory */
    bool ends_in_order;     /* commands of an out-of-order queue that wait for no event end in the order in which they came */
    bool device_queues;     /* kernels enqueue kernels; limits are those of tessera/enqueue.h */
    bool spirv;             /* clCreateProgramWithIL */
    bool images;            /* the device has images and samplers; `extensions` says which kinds; with own memory it needs image_make */
    struct tsr_image_limits image;
    struct tsr_ext_set extensions;
};

/* A device as its folder knows it: a root device, or a part of one. The folder's own struct begins with it. */
struct tsr_device {
    const struct tsr_device_ops *ops;
    const struct tsr_device_caps *caps; /* of the root device: static storage */
    uint32_t compute_units;
};

struct tsr_ndrange {
    uint32_t dim;
    uint64_t offset[3], global[3], local[3]; /* unused dimensions: 0, 1, 1 */
};

struct tsr_device_queue; /* where kernels enqueue kernels */
struct tsr_module;       /* a program's code, loaded */
struct tsr_launch;       /* one kernel with its arguments and range, ready to run */

/* Memory that a pointer among a kernel's arguments may reach: its buffer, or the allocation that it points into. bytes 0: nobody knows. */
struct tsr_arg_memory {
    uint64_t begin, bytes;
};

struct tsr_loaded_kernel {
    struct tsr_module *module;
    const struct tsr_kernel_info *info;
};

struct tsr_device_ops {
    const char *name; /* for the log */

    /* ---- what there is ---- */

    /* The root devices of the folder, in *devices: an array in static storage, the same at each call. 0: this machine has none. Starts no
     * thread, and costs microseconds if there is none. */
    unsigned (*roots)(struct tsr_device ***devices);
    /* Bytes that tell the device from others and are the same in every process: what CL_DEVICE_UUID_KHR is made of. Static storage, or
     * within the device. */
    const void *(*identity)(const struct tsr_device *device, size_t *size);
    /* The threads that run commands of the device's queues: all of them (launch_run), or their host side (copies, launch_submit). Never
     * destroyed. NULL: out of memory. */
    struct tsr_pool *(*pool)(const struct tsr_device *device);

    /* Whether the device can still be used: not once it has been lost. NULL: always. */
    bool (*available)(const struct tsr_device *device);

    /* ---- parts (clCreateSubDevices). All of these are NULL if the device cannot be split. ---- */

    /* Whether a split along this affinity domain gives at least two parts. */
    bool (*splits)(const struct tsr_device *device, enum tsr_domain domain);
    /* A part for each number of compute units, none of them shared. The sum is at most device->compute_units. False: out of memory, and
     * nothing was made. */
    bool (*split_by_counts)(const struct tsr_device *device, const uint32_t *counts, unsigned count, struct tsr_device **parts);
    /* The number of parts along the domain; below 2: there is no such domain. With `parts`, which has room for that many, they are made;
     * 0: out of memory, and nothing was made. */
    unsigned (*split_by_domain)(const struct tsr_device *device, enum tsr_domain domain, struct tsr_device **parts);
    void (*part_free)(struct tsr_device *part);

    /* ---- compilation ---- */

    /* What programs are compiled for; everything but the macros, which icd/ makes of caps->extensions. */
    void (*target)(const struct tsr_device *device, struct tsr_target *target);
    /* Asked with each program that has been compiled for a target with doubtful features; NULL if there are none. True: the device cannot
     * run it, but could run what is compiled for *target, which has been changed: the compiler is asked once more. */
    bool (*compile_again)(const struct tsr_device *device, const struct tsr_program_info *info, struct tsr_target *target);

    /* Asked with each executable image that the compiler has made; both are NULL if the image is final. finish: makes code of info->code,
     * which is appended to `code`, and may correct what `info` says of kernels. *log gets malloc'd text for the build log, or NULL.
     * INVALID: the code cannot be made, and the log says why. finish_key: text for the key of the disk cache, which differs wherever
     * `finish` would make different code; malloc'd. NULL: out of memory. */
    enum tsr_status (*finish)(const struct tsr_device *device, struct tsr_program_info *info, struct tsr_buf *code, char **log);
    char *(*finish_key)(const struct tsr_device *device);

    /* Loads an executable image; each load has program-scope variables of its own. *why gets malloc'd text on failure. */
    enum tsr_status (*module_load)(const struct tsr_device *device, const struct tsr_program_info *info, struct tsr_module **module,
                                   char **why);
    void (*module_unload)(struct tsr_module *module);

    /* ---- memory ---- */

    /* Of devices with caps->own_memory, else NULL. An address is what a kernel sees; 0 is none. All of these have done their work when they
     * return. OK, NO_MEMORY, or IO: the device has failed. */

    /* Memory aligned to TSR_MAX_ALIGN bytes, contents undefined. */
    enum tsr_status (*memory_allocate)(const struct tsr_device *device, uint64_t size, uint64_t *address);
    void (*memory_free)(const struct tsr_device *device, uint64_t address);
    /* From the host, to the host, within the device; ranges do not overlap, and each lies in one allocation. With usm_allocate, memory_copy
     * and memory_fill take every address that the host or the device reaches, memory of the process only to copy. */
    enum tsr_status (*memory_write)(const struct tsr_device *device, uint64_t to, const void *from, uint64_t size);
    enum tsr_status (*memory_read)(const struct tsr_device *device, void *to, uint64_t from, uint64_t size);
    enum tsr_status (*memory_copy)(const struct tsr_device *device, uint64_t to, uint64_t from, uint64_t size);
    /* pattern_size: a power of two up to TSR_MAX_ALIGN, which divides size. */
    enum tsr_status (*memory_fill)(const struct tsr_device *device, uint64_t to, uint64_t size, const void *pattern, uint64_t pattern_size);

    /* Memory that kernels and the program know by the same address, aligned to TSR_MAX_ALIGN, contents undefined; memory_free frees it.
     * Needed for caps->svm with own memory, else NULL, as the next one. */
    enum tsr_status (*usm_allocate)(const struct tsr_device *device, const struct tsr_usm_request *request, void **pointer);
    /* A hint that the device will use this part of a SHARED allocation. */
    enum tsr_status (*usm_prefetch)(const struct tsr_device *device, const void *pointer, uint64_t size);

    /* ---- images ---- */

    /* Of devices with caps->images and caps->own_memory, else NULL. The results are those of memory functions. */

    /* Whether the device has images of this format, of the type that the format is for. */
    bool (*image_format)(const struct tsr_device *device, const struct tsr_image_format *format);
    /* An image of one level with undefined contents. *image gets what launch_bind takes, never 0. */
    enum tsr_status (*image_make)(const struct tsr_device *device, const struct tsr_image_shape *shape, uint64_t *image);
    void (*image_free)(const struct tsr_device *device, uint64_t image);
    enum tsr_status (*image_write)(const struct tsr_device *device, uint64_t to, const struct tsr_image_part *part,
                                   const struct tsr_image_rows *from);
    enum tsr_status (*image_read)(const struct tsr_device *device, const struct tsr_image_rows *to, uint64_t from,
                                  const struct tsr_image_part *part);
    /* Between images of the same format; the regions have the same size, and do not overlap. */
    enum tsr_status (*image_copy)(const struct tsr_device *device, uint64_t to, const struct tsr_image_part *to_part, uint64_t from,
                                  const struct tsr_image_part *from_part);

    /* ---- launches ---- */

    /* Largest work-group that the kernel can have with local arguments of so many bytes, gaps not counted (stack and local memory
     * considered); 0: not even one work-item. */
    uint64_t (*max_work_group)(const struct tsr_device *device, const struct tsr_kernel_info *kernel, uint64_t local_argument_sizes);
    /* A good local size for the range (local_size NULL in clEnqueueNDRangeKernel, clGetKernelSuggestedLocalWorkSize). */
    void (*suggest_local_size)(const struct tsr_device *device, const struct tsr_kernel_info *kernel, struct tsr_ndrange *range);
    /* Asked with each launch of a kernel for which tsr_has_group_codes(); all NULL if the device has no such code. group_codes: a bit
     * for each code (enum tsr_group_code) that this range could run with. wanted_group_codes: which of those that are `missing` should be
     * compiled now. choose_group_code: which of the codes that are not NULL the launch runs with; `memory` is that of its arguments, where
     * a code is for such as share none, else NULL. */
    unsigned (*group_codes)(const struct tsr_loaded_kernel *kernel, const struct tsr_ndrange *range, uint64_t local_argument_bytes);
    unsigned (*wanted_group_codes)(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES], const struct tsr_ndrange *range,
                                   unsigned missing);
    enum tsr_group_code (*choose_group_code)(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES], const struct tsr_ndrange *range,
                                             const void *args, const struct tsr_arg_memory *memory);

    /* Asked with each launch of a kernel with TSR_KERNEL_PARTIAL_LATER, which the compiler makes if the device has these. needs_partial:
     * the launch has packets that are not full, and the kernel's code for them has not been joined yet. join_partial: this is it. */
    bool (*needs_partial)(const struct tsr_loaded_kernel *kernel, const struct tsr_ndrange *range);
    void (*join_partial)(const struct tsr_loaded_kernel *kernel, const struct tsr_loaded_kernel *partial);

    /* Makes a launch. `args` is the filled argument block (copied), local_argument_bytes the memory behind the static local variables, gaps
     * included. `memory`: what each of the first TSR_SIZED_ARGUMENTS may reach; NULL: nobody knows. With own memory, the buffers among the
     * arguments are bound later. NULL: out of memory. */
    struct tsr_launch *(*launch_make)(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                      const void *args, uint64_t local_argument_bytes, const struct tsr_arg_memory *memory);
    /* With own memory, else NULL: the pointer or image argument with this index is this address or image. Before the launch is submitted.
     */
    void (*launch_bind)(struct tsr_launch *launch, uint32_t argument, uint64_t address);
    /* With usm_allocate, else NULL: the launch may reach any memory of these kinds, bits 1 << enum tsr_usm, besides its arguments. Before
     * it is submitted. */
    void (*launch_reaches)(struct tsr_launch *launch, unsigned kinds);
    /* Units (work-groups) of the launch and their rough cost in nanoseconds, 0: unknown. For launch_run. */
    uint64_t (*launch_units)(const struct tsr_launch *launch, uint64_t *unit_cost);
    /* Runs work-groups [begin, end) in linear order. 0, or negative: the launch failed (out of memory, illegal divergence). NULL if the
     * device has a queue of its own. */
    int (*launch_run)(struct tsr_launch *launch, struct tsr_worker *worker, uint64_t begin, uint64_t end);
    /* Gives the launch to the device's own queue and returns without waiting. When all of it has run, `ended` is called once, by any
     * thread, under no lock, with 0 or a negative status as launch_run's. Negative: it could not be submitted, and `ended` is not called.
     * Where launch_run is there as well, it takes the launches for which launch_enqueues has been called; `ended` then means the commands,
     * too, that they have enqueued. */
    int (*launch_submit)(struct tsr_launch *launch, void (*ended)(void *data, int status), void *data);
    /* Device-side enqueue, of devices with caps->device_queues; else NULL, as the functions on device queues. Before the launch of a kernel
     * with TSR_KERNEL_ENQUEUES is submitted. The queues among its arguments and `default_queue`, which may be NULL, live until it has
     * ended. False: out of memory. */
    bool (*launch_enqueues)(struct tsr_launch *launch, const struct tsr_device *device, struct tsr_device_queue *default_queue);
    struct tsr_device_queue *(*device_queue_make)(const struct tsr_device *device, uint64_t size, bool timed); /* NULL: out of memory */
    void (*device_queue_free)(struct tsr_device_queue *queue);
    /* After `ended`: when the launch began and ended on the device, by tsr_now_ns(). False: the device does not tell. NULL: it never does.
     */
    bool (*launch_times)(const struct tsr_launch *launch, uint64_t *start_ns, uint64_t *end_ns);
    /* After the last unit, or if it never ran: writes out what printf collected, learns the cost of a unit, frees the launch. *why, if not
     * NULL, gets malloc'd text if it failed. */
    void (*launch_end)(struct tsr_launch *launch, char **why);
};

#endif
