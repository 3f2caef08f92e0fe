/* SPDX-License-Identifier: Apache-2.0
 * What the files of the stand-in driver share. It is a Level Zero driver for tests: a loader opens it like a GPU's, it takes SPIR-V, and
 * runs it with the CPU device's engine. docs/xmx.md says what it is for.
 *
 * Functions of the API have their own names (zeDriverGet) and are static to the library; entries.def puts them into the loader's tables.
 * All objects, and the commands on their way, are guarded by one lock; commands run without it, on a thread for each device. */
#ifndef TESSERA_DEVICE_XMX_STANDIN_H
#define TESSERA_DEVICE_XMX_STANDIN_H

#include <level_zero/ze_api.h>
#include <stdatomic.h>

#include "tessera/clc.h"
#include "tessera/device.h"

/* ---- settings (settings.c; the table is settings.def) ---- */

enum tsr__setting {
#define TSR_SETTING(name, values, default_value, text) TSR__SETTING_##name,
#include "device-xmx/standin/settings.def"
#undef TSR_SETTING
    TSR__SETTING_COUNT
};

enum tsr__fault {
#define TSR_FAULT(name, number, text) TSR__FAULT_##name,
#include "device-xmx/standin/faults.def"
#undef TSR_FAULT
    TSR__FAULT_COUNT
};

enum tsr__strict { TSR__STRICT_NOT, TSR__STRICT_ALL, TSR__STRICT_AS_DRIVERS };
enum tsr__leaks { TSR__LEAKS_NO, TSR__LEAKS_REPORT, TSR__LEAKS_ABORT };

enum { TSR__MOST_DEVICES = 8, TSR__MOST_MISSING = 8 };

struct tsr__settings {
    unsigned device_count;
    const struct tsr__persona *devices[TSR__MOST_DEVICES];
    uint32_t api; /* ZE_MAKE_VERSION */
    bool closed_memory, reversed;
    enum tsr__strict strict;
    enum tsr__leaks leaks;
    bool faulty[TSR__FAULT_COUNT];
    uint64_t fault[TSR__FAULT_COUNT];       /* the number behind the fault's name, 0 if there is none */
    const char *missing[TSR__MOST_MISSING]; /* names of extensions */
    unsigned missing_count;
};

/* As the environment was at the first call. */
const struct tsr__settings *tsr__standin_settings(void);

/* ---- personas (personas.c) ---- */

struct tsr__queue_group {
    ze_command_queue_group_property_flags_t flags;
    uint32_t queues;
    size_t fill_pattern; /* largest pattern of a fill */
};

/* What a device says of itself, and what its kernels are compiled for. */
struct tsr__persona {
    const char *word; /* in STANDIN_DEVICES */
    const char *name;
    uint32_t device_id, ip_version;
    bool integrated, fp64, images;
    uint32_t sub_group_sizes[4]; /* up to the first 0 */
    uint32_t dp_caps, dpas_inputs, dpas_outputs;
    uint32_t slices, sub_slices, units, threads; /* sub-slices of a slice, execution units of a sub-slice, threads of a unit */
    uint32_t unit_width, clock_mhz;
    uint64_t timer_hz;
    uint32_t timestamp_bits, kernel_timestamp_bits;
    uint64_t memory, most_allocation;
    uint32_t local_memory, most_group;
    struct tsr__queue_group groups[3]; /* up to the first without queues */
};

/* NULL: there is no such persona. */
const struct tsr__persona *tsr__standin_persona(const char *word, size_t length);

/* ---- objects (objects.c; the table is objects.def) ---- */

enum tsr__kind {
    TSR__KIND_NONE,
#define TSR_KIND(NAME, text) TSR__KIND_##NAME,
#include "device-xmx/standin/objects.def"
#undef TSR_KIND
    TSR__KIND_COUNT
};

/* Each object begins with it. */
struct tsr__object {
    enum tsr__kind kind;
    uintptr_t handle; /* what the application has: never an address, never used again */
    struct tsr__object *owner;
    unsigned children; /* live objects of which it is the owner */
    unsigned pending;  /* submitted commands that use it */
};

/* Guards all that the objects hold, and the commands on their way. (wait.c) */
extern pthread_mutex_t tsr__standin_lock;

/* Gives a zeroed object (its struct begins with struct tsr__object) its handle. False: out of memory. */
bool tsr__standin_add(void *object, enum tsr__kind kind, void *owner);
/* The handle is invalid from here on. The caller frees the object. */
void tsr__standin_remove(void *object);
unsigned tsr__standin_children(const void *object);
/* The object, or NULL: not a live handle of this kind, which is reported as a misuse unless it is NULL. May be called under the lock. */
void *tsr__standin_find(enum tsr__kind kind, const void *handle, const char *function);
/* The same, reported by nobody. */
void *tsr__standin_look(enum tsr__kind kind, const void *handle);
/* Reports what lives on below the object, as STANDIN_LEAKS says. False: nothing does. */
bool tsr__standin_report_leaks(const void *owner);

/* Guards the handles; nothing else is taken under it. */
pthread_mutex_t *tsr__standin_objects_lock(void);

/* Refusals go to the log, group err. A misuse is an error that only a wrong program makes: with STANDIN_STRICT it ends the process. */
ze_result_t tsr__standin_refuse(const char *function, ze_result_t result, const char *format, ...) TSR_PRINTF_LIKE(3, 4);
ze_result_t tsr__standin_misuse(const char *function, ze_result_t result, const char *format, ...) TSR_PRINTF_LIKE(3, 4);

/* What is against the specification, but works with every driver: it goes on, or with STANDIN_STRICT=1 ends the process. */
void tsr__standin_forgive(const char *function, const char *format, ...) TSR_PRINTF_LIKE(2, 3);

#define REFUSE_IF(condition, result, ...)                                                                                                  \
    do {                                                                                                                                   \
        if (condition)                                                                                                                     \
            return tsr__standin_refuse(__func__, result, __VA_ARGS__);                                                                     \
    } while (0)
#define MISUSE_IF(condition, result, ...)                                                                                                  \
    do {                                                                                                                                   \
        if (condition)                                                                                                                     \
            return tsr__standin_misuse(__func__, result, __VA_ARGS__);                                                                     \
    } while (0)
#define NEED_POINTER(pointer) MISUSE_IF(!(pointer), ZE_RESULT_ERROR_INVALID_NULL_POINTER, #pointer " is NULL")
/* Declares `name`, the object of a handle of this kind, or leaves the function. */
#define FIND(KIND, type, name, object_handle)                                                                                              \
    struct type *name = tsr__standin_find(TSR__KIND_##KIND, object_handle, __func__);                                                      \
    if (!name)                                                                                                                             \
    return (object_handle) ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE
/* Structs of the application say what they are. */
#define CHECK_TYPE(pointer, wanted)                                                                                                        \
    do {                                                                                                                                   \
        NEED_POINTER(pointer);                                                                                                             \
        MISUSE_IF((pointer)->stype != (wanted), ZE_RESULT_ERROR_INVALID_ARGUMENT, #pointer "->stype is 0x%x, not " #wanted,                \
                  (unsigned)(pointer)->stype);                                                                                             \
    } while (0)
/* What others still belong to cannot be destroyed. */
#define CHECK_NO_CHILDREN(object)                                                                                                          \
    MISUSE_IF(tsr__standin_children(object), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "objects that belong to it are still alive")
#define HANDLE(type, object) ((type)((object)->base.handle))

/* Answers a query for a list: *count is how many are wanted, 0: how many there are. */
#define GIVE_LIST(count, have)                                                                                                             \
    do {                                                                                                                                   \
        if (!*(count) || *(count) > (have))                                                                                                \
            *(count) = (have);                                                                                                             \
    } while (0)

/* A struct of a chain by its type, NULL if there is none. */
void *tsr__standin_chained(const void *first, ze_structure_type_t type);

/* ---- driver and devices (driver.c, extensions.c, device.c) ---- */

struct tsr__driver {
    struct tsr__object base;
    unsigned device_count;
    struct tsr__device *devices[TSR__MOST_DEVICES];
};

struct tsr__device {
    struct tsr__object base;
    const struct tsr__persona *persona;
    struct tsr_device *cpu; /* what runs its kernels */
    char macros[TSR_CLC_MACROS_BYTES];
    uint64_t memory_used; /* bytes of its allocations */
    uint64_t launches;    /* so far */
    atomic_bool lost;
    /* its thread (engine.c) */
    struct tsr_list streams;
    pthread_cond_t work;
    bool started;
};

/* NULL before zeInit, or out of memory. */
struct tsr__driver *tsr__standin_driver(void);
bool tsr__standin_has_extension(const char *name);
/* NULL: out of memory. */
struct tsr__device *tsr__standin_device_new(struct tsr__driver *driver, const struct tsr__persona *persona);
/* Bytes of memory that the device says it has. */
uint64_t tsr__standin_memory_size(const struct tsr__device *device);
/* What zeDeviceGetImageProperties tells, and zeImageCreate keeps; 0 without images. */
ze_device_image_properties_t tsr__standin_image_limits(const struct tsr__device *device);
/* The device's clock, whole. */
uint64_t tsr__standin_ticks(const struct tsr__device *device, uint64_t ns);
#define CHECK_LOST(device)                                                                                                                 \
    REFUSE_IF(atomic_load_explicit(&(device)->lost, memory_order_relaxed), ZE_RESULT_ERROR_DEVICE_LOST, "the device is lost")

/* ---- contexts and memory (context.c, memory.c) ---- */

struct tsr__context {
    struct tsr__object base;
    unsigned device_count;
    struct tsr__device *devices[TSR__MOST_DEVICES];
};

static inline bool tsr__standin_context_has(const struct tsr__context *context, const struct tsr__device *device)
{
    for (unsigned i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return true;
    return false;
}

/* Whether one of its devices is lost. */
static inline bool tsr__standin_context_lost(const struct tsr__context *context)
{
    for (unsigned i = 0; i < context->device_count; i++)
        if (atomic_load(&context->devices[i]->lost))
            return true;
    return false;
}

struct tsr__allocation {
    struct tsr__object base; /* owner: the context */
    ze_memory_type_t type;
    struct tsr__device *device; /* NULL: of the host, or shared by all */
    unsigned char *begin;
    size_t size;
    void *map; /* with the closed pages around it */
    size_t map_size;
    unsigned users;    /* commands that run on it: device memory is open only for these */
    unsigned resident; /* zeContextMakeMemoryResident */
    bool dies;         /* the program has freed it: unknown from then on, and gone when the last command has ended */
};

/* The allocation that has the byte, or that ends before it; NULL: none. The lock is held. */
struct tsr__allocation *tsr__standin_allocation_at(const void *pointer);
/* Whether the device may use it. */
bool tsr__standin_reaches(const struct tsr__device *device, const struct tsr__allocation *allocation);
/* Opens the memory for a command, and closes it. The lock is held. */
void tsr__standin_open(struct tsr__allocation *allocation);
void tsr__standin_close(struct tsr__allocation *allocation);
/* Frees an allocation that `dies`, if no command uses it any more. The lock is held. */
void tsr__standin_let_go(struct tsr__allocation *allocation);
/* In a child of fork: closes all memory, since the commands that had opened it run in the parent only. The lock is held. */
void tsr__standin_close_all(void);
/* zeMemFree by another name. */
ze_result_t tsr__standin_free(const char *function, ze_context_handle_t context, void *pointer);
/* Calls back for each allocation that kernels of the device may use without having it as an argument: resident ones, and those of the types
 * (bits of ze_kernel_indirect_access_flags_t). The lock is held. */
void tsr__standin_each_indirect(const struct tsr__device *device, const struct tsr__context *context,
                                ze_kernel_indirect_access_flags_t flags, void (*call)(struct tsr__allocation *allocation, void *data),
                                void *data);

/* ---- images and samplers (image.c, image_copy.c) ---- */

struct tsr__image {
    struct tsr__object base; /* owner: the context */
    struct tsr__device *device;
    struct tsr__context *context;
    ze_image_type_t type;
    bool written;               /* kernels may write it */
    uint64_t extent[3];         /* in pixels; the layers are the second number of a 1D array, the third one of a 2D array */
    uint64_t pitches[2];        /* bytes from row to row, from slice to slice */
    unsigned char *pixels;      /* an allocation of the device */
    size_t size;                /* of this */
    struct tsr_image_desc desc; /* what the engine's kernels get as the argument */
};

struct tsr__sampler {
    struct tsr__object base; /* owner: the context */
    struct tsr__device *device;
    uint32_t word; /* tessera/sampler.def */
};

/* ---- modules and kernels (code.c, build.c, module.c, kernel.c) ---- */

/* Code of a program, shared by its module, kernels and submitted launches. */
struct tsr__code {
    atomic_uint holds;
    unsigned char *image;
    size_t image_size;
    struct tsr_arena arena;
    struct tsr_program_info info;
    struct tsr_module *module; /* NULL: an object, which is not linked */
    struct tsr__device *device;
};

/* Takes the image, also on failure. NULL: *why says why, malloc'd, or there is no memory. */
struct tsr__code *tsr__standin_code_new(struct tsr__device *device, unsigned char *image, size_t size, char **why);
void tsr__standin_code_drop(struct tsr__code *code);

struct tsr__module {
    struct tsr__object base; /* owner: the context */
    struct tsr__device *device;
    struct tsr__code *code;
};

/* Compiles or links; *log gets the text, malloc'd, NULL if there is no memory. (build.c) */
ze_result_t tsr__standin_build(struct tsr__device *device, const ze_module_desc_t *desc, struct tsr__code **code, char **log);
ze_result_t tsr__standin_link(struct tsr__device *device, uint32_t count, struct tsr__code *const *inputs, struct tsr__code **code,
                              char **log);

struct tsr__kernel {
    struct tsr__object base; /* owner: the module */
    struct tsr__module *module;
    const struct tsr_kernel_info *info;
    uint32_t group[3], offset[3];
    ze_kernel_indirect_access_flags_t indirect;
    unsigned char *args;
    uint64_t *local_sizes; /* of arguments in local memory */
    const void **images;   /* handles of arguments that are images */
    bool *set;
};

/* ---- commands (engine.c, wait.c) ---- */

/* A range of memory that a command uses. */
struct tsr__use {
    const void *pointer;
    size_t size;
    bool required; /* must be in an allocation; otherwise it may be memory of the host that Level Zero does not know */
};

/* What a list holds. It does not change, so a list may be executed again and again. */
struct tsr__command {
    struct tsr_list link; /* in a regular list */
    atomic_uint holds;
    const char *name; /* the function that appended it */
    struct tsr__context *context;
    bool barrier; /* what came before ends first, what comes later begins later */
    bool launch;
    uint32_t wait_count;
    ze_event_handle_t *waits, signal;
    bool resets; /* the event `signal`, in place of signalling it */
    uint32_t use_count;
    struct tsr__use *uses;
    ze_kernel_indirect_access_flags_t indirect;
    ze_kernel_handle_t kernel;
    /* Runs it, on the device's thread, without the lock. False: the device is lost. NULL: there is nothing to do. */
    bool (*run)(struct tsr__command *command, struct tsr__device *device);
    void (*free)(struct tsr__command *command); /* what its own struct holds */
};

/* Where commands wait for their turn: a queue, or an immediate list. */
struct tsr__stream {
    struct tsr_list link; /* in the device's list */
    struct tsr__device *device;
    struct tsr_list pending; /* struct tsr__submission */
    unsigned count;
    bool in_order;
};

void tsr__standin_stream_open(struct tsr__stream *stream, struct tsr__device *device, bool in_order);
void tsr__standin_stream_close(struct tsr__stream *stream);
/* A command with room for its own struct, of `bytes` in all, events and uses checked and copied. NULL: *result says why. */
void *tsr__standin_command_new(size_t bytes, const char *name, struct tsr__context *context, ze_event_handle_t signal, uint32_t wait_count,
                               const ze_event_handle_t *waits, uint32_t use_count, const struct tsr__use *uses, ze_result_t *result);
void tsr__standin_command_drop(struct tsr__command *command);
/* What a submission tells when the command has ended. Each may be NULL. */
struct tsr__tell {
    struct tsr__list *list;
    struct tsr__fence *fence;
    unsigned round; /* of the fence */
};
/* Puts the command at the end of the stream. The lock is held. */
ze_result_t tsr__standin_submit(struct tsr__stream *stream, struct tsr__command *command, struct tsr__tell tell);
/* Waits until `*pending` is 0 or until the device is lost; NOT_READY after timeout_ns, UINT64_MAX: never. The lock is held, and given up
 * meanwhile. */
ze_result_t tsr__standin_wait(const unsigned *pending, const struct tsr__device *device, uint64_t timeout_ns);
/* Tells the waiting threads of the application, and the devices, that something has changed. The lock is held. */
void tsr__standin_changed(void);
/* Waits for a change until then (CLOCK_MONOTONIC, UINT64_MAX: for ever). False: it is later. The lock is held, and given up meanwhile. */
bool tsr__standin_sleep(uint64_t until_ns);
uint64_t tsr__standin_deadline(uint64_t timeout_ns);
struct timespec tsr__standin_timespec(uint64_t ns);

/* ---- list.c, append.c, transfer.c, launch.c, queue.c, event.c ---- */

struct tsr__queue {
    struct tsr__object base; /* owner: the context */
    struct tsr__device *device;
    struct tsr__context *context;
    uint32_t ordinal;
    bool synchronous;
    struct tsr__stream stream;
};

struct tsr__list {
    struct tsr__object base; /* owner: the context; pending: submitted commands */
    struct tsr__device *device;
    struct tsr__context *context;
    uint32_t ordinal;
    bool immediate, synchronous, closed;
    struct tsr_list commands;  /* of a regular list */
    struct tsr__stream stream; /* of an immediate list */
};

/* Checks what an immediate list and a queue are made of. */
ze_result_t tsr__standin_check_queue(const char *function, const struct tsr__context *context, const struct tsr__device *device,
                                     const ze_command_queue_desc_t *desc);
/* Appends the command, which it takes, to the list; runs it, if the list is immediate. */
ze_result_t tsr__standin_append(struct tsr__list *list, struct tsr__command *command);
/* Whether the list's queues run kernels. */
bool tsr__standin_computes(const struct tsr__list *list);

/* API 1.6 */
ze_result_t ZE_APICALL zeCommandListHostSynchronize(ze_command_list_handle_t hCommandList, uint64_t timeout);

struct tsr__fence {
    struct tsr__object base; /* owner: the queue; pending: executions that will signal it */
    struct tsr__queue *queue;
    unsigned round; /* counts resets: an execution from before one does not signal the fence */
    bool used, signalled;
};

struct tsr__event_pool {
    struct tsr__object base; /* owner: the context */
    struct tsr__context *context;
    ze_event_pool_flags_t flags;
    uint32_t count;
    bool *taken;
};

struct tsr__event {
    struct tsr__object base; /* owner: the pool; pending: submitted commands that wait for it or signal it */
    struct tsr__event_pool *pool;
    uint32_t index;
    bool signalled;
    ze_kernel_timestamp_result_t times;
};

#endif
