/* SPDX-License-Identifier: Apache-2.0
 * The objects behind the OpenCL handles, and the idiom of every entry point. Private to icd/.
 *
 * An exported function checks its arguments in the order of the specification's error list and calls; the work is done by tsr__* functions.
 *
 * Object life: every handle has two counts. `api` is what clRetain and clRelease touch; `holds` counts every other reference (a queued
 * command holds its kernel, a context its devices), plus one for "api > 0". A handle whose api count is zero can no longer be released,
 * yet lives until the last hold is dropped, and until then a query may give it out and clRetain make it the application's again. */
#ifndef TESSERA_ICD_H
#define TESSERA_ICD_H

#include <pthread.h>
#include <stdatomic.h>

#include "CL/tessera_cl.h" /* the OpenCL headers plus what the installed ones lack */
#include "tessera/clc.h"
#include "tessera/device.h"

/* ---- object header (icd/object.c) ---- */

enum tsr_tag {
    TSR_TAG_PLATFORM = 0x54505431,
    TSR_TAG_DEVICE,
    TSR_TAG_CONTEXT,
    TSR_TAG_QUEUE,
    TSR_TAG_MEM,
    TSR_TAG_SAMPLER,
    TSR_TAG_PROGRAM,
    TSR_TAG_KERNEL,
    TSR_TAG_EVENT,
    TSR_TAG_COMMAND_BUFFER,
    TSR_TAG_RECORDED_COMMAND,
    TSR_TAG_SEMAPHORE,
    TSR_TAG_DEVICE_QUEUE,
};

struct tsr_object {
    const void *dispatch; /* cl_khr_icd: the dispatch table must come first */
    void *dispatch_data;  /* cl_khr_icd 2.0: the loader's */
    enum tsr_tag tag;     /* cleared when the object dies */
    _Atomic int32_t api, holds, watches;
    void (*destroy)(struct tsr_object *);
};

/* The dispatch table (icd/dispatch.c). */
extern const void *const tsr__dispatch[];
/* The function of this name, or NULL; those of extensions that the driver lacks only if `absent_too`. */
void *tsr__function_by_name(const char *name, bool absent_too);

/* Sets the header of a zeroed object: api = 1, holds = 1. */
void tsr__object_init(struct tsr_object *object, enum tsr_tag tag, void (*destroy)(struct tsr_object *));
/* True if the handle is a live object of this kind. NULL and foreign readable memory answer false. */
bool tsr__valid(const void *handle, enum tsr_tag tag);
void tsr__hold(void *object);
void tsr__drop(void *object);
/* Memory objects, samplers and on-device queues only: while it is watched, the header of a dead object stays readable. */
void tsr__watch(void *object);
void tsr__unwatch(void *object);
/* Holds an object whose header is readable, as it is watched or in a list that it leaves when it dies; false if it is dead. */
bool tsr__hold_alive(void *object);
/* The end of a function that creates: hands out the code, and the object; if there is an error, drops the object (may be NULL) and answers
 * NULL. */
void *tsr__created(void *object, cl_int err, cl_int *errcode_ret);
/* clRetain*, clRelease*: CL_SUCCESS or `invalid`. */
cl_int tsr__api_retain(void *object, enum tsr_tag tag, cl_int invalid);
cl_int tsr__api_release(void *object, enum tsr_tag tag, cl_int invalid);

/* Locks of objects of which there are many: an object has one of its kind's table (icd/object.c). Under a kernel's lock the context's and
 * those of memory objects may be taken, under the others none. */
extern struct tsr_fork_table tsr__event_locks, tsr__semaphore_locks, tsr__mem_locks, tsr__kernel_locks;
void tsr__lock_tables_ready(void); /* before the first of these objects is made */

/* A list of objects that do not hold each other, under a lock of the owner. An object leaves it before its memory is freed. (icd/object.c)
 */
struct tsr__link {
    struct tsr__link *next, **at; /* what points to this one */
};
void tsr__link_enter(struct tsr__link **list, struct tsr__link *link);
void tsr__link_leave(struct tsr__link *link);

/* ---- errors (icd/error.c) ---- */

/* Reports an error: log group ERR (function, condition, message) and the context's notify callback if `context` is not NULL. Answers
 * `code`. */
cl_int tsr__error(struct _cl_context *context, cl_int code, const char *function, const char *condition, const char *format, ...)
    TSR_PRINTF_LIKE(5, 6);

/* The one error idiom. In a function with `cl_int err` and a label `fail` that frees in reverse order: if the condition holds, reports and
 * goes there. */
#define FAIL_IF(context, condition, code, ...)                                                                                             \
    do {                                                                                                                                   \
        if (condition) {                                                                                                                   \
            err = tsr__error(context, code, __func__, #condition, __VA_ARGS__);                                                            \
            goto fail;                                                                                                                     \
        }                                                                                                                                  \
    } while (0)
/* The same for functions that hold nothing yet. */
#define RETURN_IF(context, condition, code, ...)                                                                                           \
    do {                                                                                                                                   \
        if (condition)                                                                                                                     \
            return tsr__error(context, code, __func__, #condition, __VA_ARGS__);                                                           \
    } while (0)

#define TSR_API __attribute__((visibility("default")))

/* ---- information queries (icd/info.c) ---- */

/* Writes one value by the rules of all clGet*Info functions: `value` may be NULL, a size that is too small is CL_INVALID_VALUE, and the
 * size is always given. */
struct tsr_info_out {
    size_t room;
    void *value;
    size_t *size_ret;
};
cl_int tsr__info_bytes(struct tsr_info_out out, const void *data, size_t size);
cl_int tsr__info_str(struct tsr_info_out out, const char *text); /* NULL counts as "" */
#define tsr__info_value(out, type, expression) tsr__info_bytes(out, &(type){expression}, sizeof(type))
/* A copy (tsr_malloc'd) of a list of properties, for the query that answers it as it was given. `words`: with the final zero. NULL stays
 * NULL, with a count of 0. False: out of memory, and *kept is NULL. */
bool tsr__keep_properties(const cl_properties *list, size_t words, cl_properties **kept, size_t *count);

/* ---- objects ---- */

struct _cl_platform_id {
    struct tsr_object base;
};

/* Root devices are static and never die; sub-devices are counted. */
struct _cl_device_id {
    struct tsr_object base;
    struct tsr_device *impl; /* the device of its folder; a sub-device owns it */
    const struct tsr_device_ops *ops;
    const struct tsr_device_caps *caps;
    const struct tsr__extensions *extensions;
    const char *macros;                      /* tsr_target.macros */
    struct _cl_device_id *parent;            /* held; NULL for a root device */
    _Atomic uint64_t domains;                /* tsr__affinity_domains, with TSR__DOMAINS_KNOWN once it has been asked */
    cl_device_partition_property *partition; /* of a sub-device: the list, zero-terminated */
    size_t partition_count;                  /* words with the final zero */
};

struct tsr_destructor { /* clSetContextDestructorCallback and the like: called in reverse order of registration */
    struct tsr_destructor *next;
    void(CL_CALLBACK *context_ends)(cl_context, void *); /* one of the two */
    void(CL_CALLBACK *mem_ends)(cl_mem, void *);
    void *user_data;
    /* While its object waits for its callbacks: the object, its list, and the first callback of the next one. See tsr__run_destructors. */
    struct tsr_object *object;
    _Atomic(struct tsr_destructor *) *list;
    struct tsr_destructor *later;
};

struct _cl_context {
    struct tsr_object base;
    cl_uint device_count;
    struct _cl_device_id **devices; /* held */
    bool own_memory; /* a device has memory of its own: buffers have a residence, and commands list the buffers that they use */
    cl_context_properties *properties; /* as given, zero-terminated; NULL if none was given */
    size_t property_count;
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_data;
    pthread_mutex_t lock;             /* allocations, queues, addressed */
    struct tsr_fork_mutex fork_waits; /* for `lock` */
    _Atomic(struct tsr_destructor *) destructors;
    unsigned svm_caps;                /* what SVM some device has, bits of enum tsr_svm */
    struct _cl_device_id *usm_device; /* the first with SVM and memory of its own, whose driver makes what all devices reach; or NULL */
    bool usm_split;                   /* another such device does not reach that memory */
    struct tsr__allocation_block **allocations; /* icd/allocation.c: of SVM and USM, by address */
    size_t allocation_block_count, allocation_block_room;
    struct tsr__link *queues;
    struct tsr__link *device_queues;
    struct tsr__link *addressed; /* buffers whose addresses the application knows */
};

struct _cl_command_queue {
    struct tsr_object base;
    struct _cl_context *context;  /* held */
    struct _cl_device_id *device; /* held */
    struct tsr_pool *pool;
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* as given, zero-terminated; NULL if none */
    size_t property_count;
    pthread_mutex_t lock;             /* taken by threads that enqueue: fence, gather, spare */
    struct tsr_fork_mutex fork_waits; /* for `lock` */
    /* The command that the next one is ordered after: in-order the last command, out-of-order the last barrier. Held; NULL once it is
     * complete. */
    _Atomic(struct _cl_event *) fence;
    /* Out-of-order: a task that is not submitted yet and ordered after every command enqueued since the gather task before it. The next
     * marker or barrier without a wait list, or clFinish, submits it; it frees itself. NULL if nothing was enqueued. */
    struct tsr_task *gather;
    struct _cl_event *spare;              /* memory of dead events, for the next ones */
    _Atomic(struct _cl_event *) returned; /* likewise, returned by other threads */
    _Atomic uint32_t returned_count;
    struct tsr__link link; /* in the context's list */
    /* Of a command buffer: what would be submitted is left in `captured` instead. */
    bool captures;
    struct _cl_event *captured;
};

/* An event is its command: one allocation. User events have no queue. icd/event.c, icd/command.c */
struct _cl_event {
    struct tsr_object base;
    struct tsr_task task;
    struct _cl_context *context;     /* held by user events; commands hold it through the queue */
    struct _cl_command_queue *queue; /* held; NULL for user events */
    struct _cl_event *next_spare;
    uint32_t payload_lines; /* behind the struct, of TSR_CACHE_LINE bytes */
    cl_command_type type;
    _Atomic cl_int status;                   /* CL_QUEUED … CL_COMPLETE or negative */
    cl_int result;                           /* the status that it ends with; set before cleanup is called */
    cl_ulong queued_ns;                      /* if task.timed */
    uint64_t device_start_ns, device_end_ns; /* likewise, as the device says; 0: it does not */
    const void *caller;                      /* the thread that calls callbacks (icd/event.c); of several, the first one. NULL: none does */
    _Atomic(struct tsr__event_callback *) callbacks;
    /* The command: what to run and how to clean up. `payload` follows the struct in memory.
     * execute: units [begin, end) of task.units, as tsr_task.run; CL_SUCCESS or the negative code that the event ends with. */
    cl_int (*execute)(struct _cl_event *event, struct tsr_worker *worker, uint64_t begin, uint64_t end);
    void (*cleanup)(struct _cl_event *event); /* drops what the payload holds; may be NULL. Before the event is seen as complete */
    struct tsr__uses *uses;                   /* NULL unless a device of the context has own memory. icd/residence.c */
    _Alignas(16) unsigned char payload[];
};

struct _cl_mem {
    struct tsr_object base;
    struct _cl_context *context; /* held */
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    unsigned char *data;              /* the host's side of the memory */
    struct tsr__residence *residence; /* of a root object, if the context has devices with own memory. icd/residence.c */
    void *host_ptr;                   /* as given */
    struct tsr__image *image;         /* of an image: icd/image.h. NULL: a buffer */
    struct tsr__import *import;       /* of a root object in memory of another API: icd/external.c */
    bool owns_data, uses_svm;
    struct _cl_mem *parent; /* held: of a sub-buffer, or of an image in the memory of a buffer or an image */
    size_t origin;          /* of a sub-buffer */
    cl_mem_properties *properties;
    size_t property_count;
    cl_uint map_count; /* this and `mappings`: under the lock of the root object */
    struct tsr__mapping *mappings;
    _Atomic(struct tsr_destructor *) destructors;
    bool addressed;        /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, of a root buffer: each device has one address for it */
    struct tsr__link link; /* of such a buffer: in the context's list */
};

struct _cl_sampler {
    struct tsr_object base;
    struct _cl_context *context; /* held */
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter, mip_filter;
    float lod_min, lod_max;
    cl_sampler_properties *properties;
    size_t property_count;
};

/* Machine code of an executable or of one of its kernels, or the bitcode that stands for it. */
struct tsr_code {
    unsigned char *image;
    size_t image_size;
    struct tsr_arena arena; /* of info */
    struct tsr_program_info info;
    _Atomic(struct tsr_module *) module; /* loaded when first needed */
    bool busy;                           /* a thread makes this code; the program's `coded` is signalled when it has ended */
    bool told;                           /* of a kernel: a call has answered with `failed` */
    uint32_t objects, wanted;            /* of a kernel: objects of it that have not been destroyed; those of them that are wanted */
    bool expected;                       /* of a kernel: its objects are likely to be wanted soon */
    cl_int failed;                       /* of a kernel: the compiler has failed on it alone */
    bool alone; /* the compiler failed on a request with this kernel and others: the next one is for it alone. Of a group code: it failed */
    struct tsr_code *with; /* of a kernel: the one whose image contains its code; NULL: its own image does */
};

/* Code of a kernel for some launches. (icd/group_lanes.c) */
struct tsr__group_code {
    struct tsr__group_code *next;
    uint32_t kernel; /* its number */
    enum tsr_group_code which;
    uint32_t size[3]; /* of the work-groups, where it is for one size */
    struct tsr_code code;
};

/* The build of a program for one device. */
struct tsr_build {
    struct _cl_device_id *device; /* not held: the context holds it */
    cl_build_status status;
    cl_program_binary_type kind;
    bool moved; /* the image is a binary of another CPU or version: the next build makes its code anew */
    char *options, *log;
    struct tsr_environment *environment; /* as it was when the build began: for all code of the program */
    struct tsr_code code;                /* image of the compiler */
    /* TSR_IMAGE_PROGRAM: the code of each kernel, parallel to code.info.kernels, and the code of all kernels for CL_PROGRAM_BINARIES;
     * without an image: not needed so far (icd/kernel_code.c). */
    struct tsr_code *kernels, whole;
    struct tsr_code
        *partials; /* the same for packets that are not full, of kernels with TSR_KERNEL_PARTIAL_LATER; NULL: no launch had any */
    uint32_t coded, partials_wanted;     /* kernels that have code; launches that have waited for code of partial packets */
    struct tsr__group_code *group_codes; /* made for launches so far, the newest first */
};

struct _cl_program {
    struct tsr_object base;
    struct _cl_context *context; /* held */
    cl_uint build_count;
    struct tsr_build *builds; /* one per associated device */
    char *source;
    size_t source_size;
    unsigned char *il; /* SPIR-V as it was given */
    size_t il_size;
    struct tsr__spec_value *spec_values; /* of specialisation constants, by id; guarded by the lock. icd/il.c */
    uint32_t spec_count;
    enum { TSR_FROM_SOURCE, TSR_FROM_BINARY, TSR_FROM_IL, TSR_FROM_LINK } origin;
    pthread_mutex_t lock;             /* builds */
    struct tsr_fork_mutex fork_waits; /* for `lock` */
    pthread_cond_t coded;             /* signalled when a tsr_code is not busy any more */
    cl_uint kernel_count;             /* attached kernels forbid a rebuild */
    cl_uint making;                   /* threads in the background that make code of kernels; a rebuild waits for them */
    bool wanting;                     /* in the list of programs for these threads, which its lock guards (icd/kernel_code.c) */
    struct _cl_program *next_wanting;
};

/* A kernel on a device. */
struct tsr__kernel_on {
    const struct tsr_kernel_info *declared;        /* what is known before there is code; NULL: the kernel does not exist on the device */
    _Atomic(const struct tsr_kernel_info *) coded; /* in `code`; NULL: ask tsr__kernel_coded() */
    struct tsr_code *code;
};

struct _cl_kernel {
    struct tsr_object base;
    struct _cl_program *program; /* held */
    cl_uint build_count;         /* entries of `on`, which is parallel to program->builds */
    struct tsr__kernel_on *on;
    const struct tsr_kernel_info *info;         /* the first that is not NULL: names and arguments are the same in all */
    _Atomic bool wanted;                        /* a launch is to be expected: an argument has been set, or there is none */
    unsigned char *args;                        /* argument block */
    struct tsr__arg_state *states;              /* per argument: set or not, memory object (watched), local size */
    cl_uint unset_count, object_count;          /* arguments not set yet; arguments that are objects */
    cl_uint svm_count;                          /* that are pointers of SVM or USM */
    cl_mem_device_address_ext *device_pointers; /* CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT */
    size_t device_pointer_count;
    unsigned indirect, svm_listed, usm_listed; /* what else it reaches, by clSetKernelExecInfo: bits 1 << enum tsr_usm */
    /* Of the local arguments: offset of the first in local memory, and bytes of those that are set, with the gaps that align them and
     * without. The device has room for the gaps beyond what it says to have. */
    uint64_t local_begin, local_bytes, local_sizes;
};

/* ---- shared between the files of icd/ ---- */

struct _cl_platform_id *tsr__platform(void); /* icd/object.c */

/* Every name of tessera/ext.def with a blank or a zero behind it. */
enum {
    TSR__EXT_NAME_BYTES = 0
#define TSR_EXT(name, major, minor, patch, by) +sizeof(#name)
#define TSR_FEATURE(name, by)
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
};

/* The extensions and OpenCL C features of a device, in the forms that the queries give (icd/ext.c). */
struct tsr__extensions {
    char names[TSR__EXT_NAME_BYTES]; /* separated by blanks */
    cl_name_version list[TSR_EXT_COUNT], features[TSR_EXT_COUNT];
    size_t count, feature_count;
};
/* `all` is zeroed. */
void tsr__extensions_fill(const struct tsr_ext_set *set, struct tsr__extensions *all);

/* Root devices of the platform, static (icd/devices.c). */
enum { TSR__MOST_ROOTS = 16 };
unsigned tsr__root_devices(struct _cl_device_id ***devices);
/* Whether the device can still be used. */
static inline bool tsr__available(const struct _cl_device_id *device)
{
    return !device->ops->available || device->ops->available(device->impl);
}
/* CL_SUCCESS or CL_INVALID_DEVICE_TYPE. */
cl_int tsr__check_device_type(cl_device_type type, const char *function);
/* The root devices of the type, in `devices`, which has TSR__MOST_ROOTS entries. */
unsigned tsr__devices_of_type(cl_device_type type, struct _cl_device_id **devices);
/* Sub-devices that the device can be split into; 0: it cannot (icd/subdevice.c). */
cl_uint tsr__most_parts(const struct _cl_device_id *device);
#define TSR__DOMAINS_KNOWN (UINT64_C(1) << 63)
/* The domains along which the device can be split in at least two; 0 if none (icd/subdevice.c). */
cl_device_affinity_domain tsr__affinity_domains(struct _cl_device_id *device);
bool tsr__context_has(const struct _cl_context *context, const struct _cl_device_id *device);

/* Wait list rules shared by every enqueue (icd/check.c): CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT. */
cl_int tsr__check_wait_list(struct _cl_context *context, cl_uint count, const cl_event *list);

/* A new command of a queue with `payload` zeroed bytes behind it (icd/command.c). NULL: out of memory. Freed by tsr__command_abandon or,
 * after submission, by itself. The caller fills execute, cleanup, task.units (1 at first; 0: nothing to run) and task.unit_cost. */
struct _cl_event *tsr__command_new(struct _cl_command_queue *queue, cl_command_type type, size_t payload);
void tsr__command_abandon(struct _cl_event *command);
/* The command, or NULL: something that it needs is missing, and it is gone. */
struct _cl_event *tsr__command_if(struct _cl_event *command, bool complete);
/* Orders the command after the wait list and the queue's rules, submits it, hands out *event (retained for the caller) if asked, waits if
 * `blocking`. Consumes the command whatever happens; on an error *event is NULL or as it was. */
cl_int tsr__command_submit(struct _cl_event *command, cl_uint wait_count, const cl_event *wait_list, cl_event *event, bool blocking);
/* The same for commands that take one place in the queue of the last: the first is ordered after the wait list and the queue's rules, the
 * last is what later commands are ordered after, and *event. The caller has put those in between, of any queue of the device, after the
 * first and before the last. */
cl_int tsr__commands_submit(struct _cl_event *const *commands, size_t count, cl_uint wait_count, const cl_event *wait_list, cl_event *event,
                            bool blocking);
/* Before they are submitted: they will run nothing and end with CL_OUT_OF_HOST_MEMORY. */
void tsr__commands_spoil(struct _cl_event *const *commands, size_t count);
/* A queue of no application. NULL: out of memory. (icd/queue.c) */
struct _cl_command_queue *tsr__queue_new(struct _cl_context *context, struct _cl_device_id *device, cl_command_queue_properties flags);
/* A user event. NULL: out of memory, which the caller reports, so this may be called under a lock. (icd/event.c) */
struct _cl_event *tsr__user_event_new(struct _cl_context *context);
/* Blocks until the event is complete; the caller keeps it alive. *status gets what it ended with. CL_INVALID_OPERATION from a callback. */
cl_int tsr__event_wait(struct _cl_event *event, cl_int *status);
/* Reports a call that would block in a callback or native kernel: CL_INVALID_OPERATION. (icd/event.c) */
cl_int tsr__blocking_in_callback(struct _cl_context *context, const char *function);
/* Steps of an event's life, with the callbacks that are due. */
void tsr__event_advance(struct _cl_event *event, cl_int status);
/* The command that the queue's next command will be ordered after, held for the caller; NULL: none. */
struct _cl_event *tsr__queue_fence(struct _cl_command_queue *queue);
/* In the child of a fork: what the queue's next command would be ordered after is the parent's and never ends here. */
void tsr__queue_forget(struct tsr_fork_mutex *fork_waits);
/* Waits for what has been enqueued so far in every queue of the context. CL_OUT_OF_HOST_MEMORY, CL_INVALID_OPERATION from a callback.
 * (icd/queue.c) */
cl_int tsr__context_finish(struct _cl_context *context);
/* Frees the memory that the queue keeps for its next commands, when the queue dies. */
void tsr__queue_discard(struct _cl_command_queue *queue);

/* ---- buffers of commands (icd/residence.c) ---- */

/* In contexts with devices that have memory of their own. */

/* WRITES alone: the command overwrites the range, so its old bytes need not be fetched. */
enum tsr__access { TSR__READS = 1, TSR__WRITES = 2, TSR__ON_HOST = 4 };
/* Before the command is submitted: adds a range of a buffer to the command's uses. When the command begins, the range is made valid on the
 * queue's device, or on the host. Holds the buffer. False: out of memory. Does nothing in contexts without own memory. On a device with own
 * memory an image is one whole: the range is all of it. */
bool tsr__command_uses(struct _cl_event *command, struct _cl_mem *mem, size_t offset, size_t size, unsigned access);
/* The addressed buffer that has this byte on the device, held; NULL: none. (icd/buffer.c) */
struct _cl_mem *tsr__mem_at(struct _cl_context *context, const struct _cl_device_id *device, uint64_t address);
enum { TSR__NO_ARGUMENT = UINT32_MAX };
/* The uses of a command, in the order of the calls. */
struct tsr__uses {
    pthread_mutex_t lock;
    bool ready;
    cl_int err;
    cl_uint count, room;
    struct tsr__use {
        struct _cl_mem *mem; /* held */
        uint64_t offset, size;
        unsigned access;
        uint32_t argument; /* set by the caller: index of the kernel's argument, whose address it becomes; at first TSR__NO_ARGUMENT */
        uint64_t address;  /* while the command runs: of the range, on the device; there of an image: its device's image */
    } list[];
};
/* For icd/command.c: makes all ranges valid, once; CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
cl_int tsr__uses_ready(struct _cl_event *command);
void tsr__uses_free(struct _cl_event *command); /* only if it has uses */

/* ---- memory that the application knows by its pointer (icd/allocation.c) ---- */

enum tsr__allocation_kind {
    TSR__SVM = 1,
    TSR__USM_HOST = 2,
    TSR__USM_DEVICE = 4,
    TSR__USM_SHARED = 8,
    TSR__USM = TSR__USM_HOST | TSR__USM_DEVICE | TSR__USM_SHARED,
};
struct tsr__allocation {
    unsigned char *base;
    size_t size;
    enum tsr__allocation_kind kind;
    struct _cl_device_id *device;   /* one of the context's; NULL: of no device */
    cl_mem_alloc_flags_intel flags; /* of USM, as given */
    bool fine;                      /* of SVM: CL_MEM_SVM_FINE_GRAIN_BUFFER */
    /* Of SVM that clSVMAllocWithPropertiesKHR has allocated: the number of its type, its access flags, and the list of properties, which is
     * the allocation's own, with its length in words. */
    cl_uint type;
    cl_bitfield access;
    cl_ulong *properties;
    size_t property_count;
    /* Set by tsr__allocate: the device whose driver made it, and as what; NULL: it is ordinary memory of the process. */
    const struct _cl_device_id *maker;
    enum tsr_usm made_as;
};
/* The answer to CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR of devices that have cl_khr_unified_svm, and to that of the platform. */
cl_int tsr__svm_types(struct tsr_info_out out);
/* Memory of wanted.size bytes, aligned to TSR_MAX_ALIGN, with an entry in the context's list. NULL: none left. If the context is
 * usm_split, only memory for one device can be had. */
void *tsr__allocate(struct _cl_context *context, struct tsr__allocation wanted);
/* Whether the pointer lies in an allocation of one of the kinds (bits), which *found then describes. */
bool tsr__allocation_find(struct _cl_context *context, const void *pointer, unsigned kinds, struct tsr__allocation *found);
/* The device to whose memory the pointer leads, where the host cannot go; NULL: the host can. */
const struct _cl_device_id *tsr__memory_owner(struct _cl_context *context, const void *pointer);
/* The kinds of memory that these pointers lead to, bits 1 << enum tsr_usm; what a device reaches anyway counts as none. */
unsigned tsr__memory_kinds(struct _cl_context *context, const void *const *pointers, size_t count);
static inline size_t tsr__allocation_left(const struct tsr__allocation *allocation, const void *pointer)
{
    return allocation->size - (size_t)((const unsigned char *)pointer - allocation->base);
}
/* Frees the allocation that begins there. False: the list has none of these kinds. */
bool tsr__allocation_free(struct _cl_context *context, void *base, unsigned kinds);
/* Frees all, when the context dies: nobody can do so after it. */
void tsr__allocations_free_all(struct _cl_context *context);

/* Calls the callbacks when the last hold has been dropped. False: one of them has retained the object, or made an object that holds it, so
 * that it lives on; or this is done in a callback of another object, after whose callbacks this one's are called and it is destroyed. So
 * callbacks that release the next object of a long list need no stack. */
bool tsr__run_destructors(_Atomic(struct tsr_destructor *) *list, struct tsr_object *object);
/* CL_OUT_OF_HOST_MEMORY or CL_SUCCESS. */
cl_int tsr__add_destructor(struct _cl_context *context, _Atomic(struct tsr_destructor *) *list, struct tsr_destructor destructor);

#endif
