/* SPDX-License-Identifier: Apache-2.0
 * What the files of the CPU device share: loaded programs, launches, fibers, barriers, printed text. Private to device-amx/. */
#ifndef TESSERA_CPU_H
#define TESSERA_CPU_H

#include <assert.h>
#include <stdatomic.h>

#include "device-amx/caps.h"
#include "tessera/device.h"
#include "tessera/item.h"

extern const struct tsr_device_ops tsr_cpu_device;

/* Status of a failed launch; the numbers of OpenCL's event status. */
enum { TSR__OUT_OF_RESOURCES = -5 };

/* Slots of tsr_worker_scratch. */
enum tsr__scratch {
    TSR__SCRATCH_LOCAL,
    TSR__SCRATCH_ITEMS,
    TSR__SCRATCH_CONTEXTS,
    TSR__SCRATCH_SHARE,
    TSR__SCRATCH_TWICE,
    TSR__SCRATCH_PRODUCT,
    TSR__SCRATCH_KEPT,
    TSR__SCRATCH_COUNT
};
_Static_assert(TSR__SCRATCH_COUNT <= TSR_SCRATCH_SLOTS, "a worker has no scratch memory for this slot");

/* ---- elf.c ---- */

/* A program that was loaded without the dynamic linker. The tables are offsets from the base. */
struct tsr__elf {
    char *base; /* NULL: none */
    uint64_t size, symbols, strings, string_size, hash;
};

/* Checks that the code is complete: the headers and all that they name lie within it. NULL, or why it cannot be loaded (static text). */
const char *tsr__elf_load(struct tsr__elf *elf, const void *code);
/* NULL: there is none. */
void *tsr__elf_symbol(const struct tsr__elf *elf, const char *name);
void tsr__elf_unload(struct tsr__elf *elf);

/* ---- parts.c ---- */

struct tsr__cpu_device {
    struct tsr_device base;
    struct {
        char brand[sizeof(((struct tsr_cpu *)0)->brand)];
        cpu_set_t cpus; /* where its kernels run */
    } identity;
};

/* Makes `device` the device of these CPUs. */
void tsr__cpu_set(struct tsr__cpu_device *device, const struct tsr_device_ops *ops, const cpu_set_t *cpus);
/* As struct tsr_device_ops says. */
const void *tsr__cpu_identity(const struct tsr_device *device, size_t *size);
struct tsr_pool *tsr__cpu_pool(const struct tsr_device *device);
bool tsr__cpu_splits(const struct tsr_device *device, enum tsr_domain domain);
bool tsr__cpu_split_by_counts(const struct tsr_device *device, const uint32_t *counts, unsigned count, struct tsr_device **parts);
unsigned tsr__cpu_split_by_domain(const struct tsr_device *device, enum tsr_domain domain, struct tsr_device **parts);
void tsr__cpu_part_free(struct tsr_device *part);

/* ---- module.c ---- */

/* What launches of work-groups of one size have taken. */
struct tsr__size_record {
    _Atomic uint64_t least_ps; /* picoseconds for a work-item, of the fastest launch */
    _Atomic uint64_t launches; /* how many there were */
    _Atomic uint64_t usual_ns; /* what launches have taken that could have had code of their own */
};

enum { TSR__SIZE_RECORDS = 31 };

struct tsr__entry {
    void (*run)(struct tsr_item *item);
    char *name;                           /* of the kernel */
    _Atomic uint64_t item_ps;             /* learned cost of a work-item in picoseconds, 0 = unknown */
    _Atomic(struct tsr_module *) partial; /* with TSR_KERNEL_PARTIAL_LATER: the kernel's other code, once it is there (partial.c) */
    struct tsr__size_record sizes[TSR__SIZE_RECORDS]; /* where there are several codes to choose from (group_lanes.c) */
    /* Of loops over K that waited (tiles_share.c), 0 = unknown: columns of C, rows of C, bytes of K, packets of a row of work-items whose
     * parts of C lie under each other, packets of a row that have parts of K for the same C, sums of a loop
     * that stay apart, bytes of K of a column of B once it is packed. */
    _Atomic uint32_t loop_size[7];
    _Atomic uint32_t repeats_loops; /* not 0: packets of a launch came to such loops more than once (TSR_TILE_IN_ORDER) */
    /* Work-groups of the last launch, in x in the upper half and in y in the lower, if its packets may run twice and noted nothing in their
     * first passes; else 0 (tiles_twice.c). */
    _Atomic uint64_t idle_launch;
    _Atomic bool notes_all_groups; /* what a few groups noted did not tell what the others came to (tiles_samples.c) */
};

#define TSR__LOOPS_DO_NOT_WAIT UINT32_MAX /* in loop_size: it did not pay */

/* TESSERA_GROUPS, in the order of its words. */
enum tsr__group_way { TSR__GROUPS_BY_TIME, TSR__GROUPS_AS_LANES, TSR__GROUPS_OF_SIZE, TSR__GROUPS_IN_REGIONS };

struct tsr_module {
    void *handle; /* dlopen; NULL: in `elf` */
    struct tsr__elf elf;
    const struct tsr_kernel_info *kernels; /* as given at load; they live as long as the module */
    uint32_t kernel_count;
    const char *sites;             /* table of sites in the code, or NULL */
    enum tsr__group_way group_way; /* as the variable was when the module was loaded */
    struct tsr__entry entries[];
};

enum tsr_status tsr__module_load(const struct tsr_program_info *info, struct tsr_module **module, char **why);
void tsr__module_unload(struct tsr_module *module);
/* The entry of a kernel of this module; NULL if it is of another one. */
struct tsr__entry *tsr__module_entry(struct tsr_module *module, const struct tsr_kernel_info *kernel);

/* ---- fiber.c ---- */

/* A stack and the function that runs on it. The worker's own stack is one too. */
struct tsr__fiber {
    void *sp; /* while the fiber does not run */
    char *low;
    size_t size;
    void *sanitizer; /* ASan: saved fake stack; TSan: its fiber */
};

/* Stacks of one size in one mapping. */
struct tsr__stacks;

/* Stacks for `count` fibers that need `bytes` each; those of an earlier group if they are large enough. `hint`: index of the worker that
 * asks. NULL: out of memory. */
struct tsr__stacks *tsr__stacks_take(unsigned hint, size_t count, size_t bytes);
void tsr__stacks_give_back(unsigned hint, struct tsr__stacks *stacks);
/* The mapping. */
const void *tsr__stacks_memory(const struct tsr__stacks *stacks, size_t *size);
/* Memory that one fiber takes, its guard page and what the device adds included; for limits. */
size_t tsr__stack_bytes(uint64_t private_bytes);
/* Makes stack `index` ready to call start(argument); start must not return. */
void tsr__fiber_make(struct tsr__stacks *stacks, size_t index, struct tsr__fiber *fiber, void (*start)(void *), void *argument);
/* Describes the stack that runs now. */
void tsr__fiber_worker(struct tsr__fiber *worker);
/* Goes from the running fiber to another. */
void tsr__fiber_switch(struct tsr__fiber *from, struct tsr__fiber *to);
/* The first call on a new fiber; `from` is the worker's. */
void tsr__fiber_started(struct tsr__fiber *from);
/* The last call on a fiber: does not return. */
_Noreturn void tsr__fiber_end(struct tsr__fiber *to);

/* ---- print.c ---- */

/* Printed text of a launch; each range of work-groups adds its own. */
struct tsr_print_sink {
    _Atomic(struct tsr__print_piece *) pieces;
    _Atomic uint64_t bytes;
};
/* Appends what one printf says. */
void tsr__print(struct tsr_buf *text, const char *format, const unsigned char *args);
/* Gives the text of a range that begins at work-group `order` to the sink; the buffer is empty afterwards. */
void tsr__print_add(struct tsr_print_sink *sink, uint64_t order, struct tsr_buf *text);
/* Writes all text to standard output in the order of work-groups. */
void tsr__print_flush(struct tsr_print_sink *sink);

/* ---- launch.c ---- */

static inline uint64_t tsr__divide_up(uint64_t a, uint64_t b)
{
    return a <= b ? a != 0 : a / b + (a % b != 0);
}

static inline uint64_t tsr__least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct tsr__run;

/* What enqueue.c does for a launch. */
struct tsr__enqueuer {
    /* Handles the request of a work-item of the run, on a stack with some KiB of room; returns what the work-item gets. */
    int (*answer)(struct tsr__run *run, struct tsr_enqueue *request);
    /* Submits what the run's work-groups have enqueued, once they have ended. */
    void (*submit)(struct tsr__run *run);
    /* Called before the launch is freed. */
    void (*forget)(struct tsr_launch *launch);
};

/* A range, or the part of it in which work-items do anything, cut into boxes of work-items. In each dimension the smaller work-groups at
 * the end have boxes of their own. */
struct tsr__boxes {
    uint64_t begin[3], end[3]; /* of the part, counted from the first work-item of the range */
    uint64_t size[3], count[3];
};

/* A range cut into blocks of work-groups, of size[0] x size[1] but at the ends. */
struct tsr__blocks {
    uint64_t size[3], count[3];
    uint64_t launch; /* a number of its own for each launch of a kernel whose loops may wait, with or without blocks */
};

struct tsr_launch {
    struct tsr_module *module;
    struct tsr__entry *entry;
    uint32_t flags; /* of the kernel */
    uint64_t private_bytes, device_stack_bytes, context_bytes, local_bytes;
    uint64_t groups, group_items; /* how many work-groups or boxes there are; work-items of a full one */
    uint64_t unit_groups;         /* work-groups of a unit of the task, the last of which may have fewer */
    enum tsr_form form;
    uint32_t column_rows;         /* as the kernel's */
    uint32_t tile_shapes;         /* likewise */
    struct tsr__boxes boxes;      /* of BOXES: `groups` counts these; of others the part is the range */
    struct tsr__blocks blocks;    /* of ROWS, unless count[0] is 0: `groups` counts these */
    struct tsr_group group;       /* fields that are the same for all work-groups of the launch */
    struct tsr__command *command; /* with TSR_KERNEL_ENQUEUES, and of blocks (enqueue.h); else NULL, as the next */
    const struct tsr__enqueuer *enqueuer;
    /* Written by every thread after each of its steps: away from what the threads read. */
    _Alignas(2 * TSR_CACHE_LINE) _Atomic uint64_t ns, groups_done;
    /* Its work-groups have no operands in common: their loops over K do not wait. */
    _Alignas(2 * TSR_CACHE_LINE) _Atomic bool shares_nothing;
    _Atomic bool notes_loops;            /* the first passes of its packets note something */
    _Atomic(char *) why;                 /* text of the first failure */
    _Atomic(struct tsr__space *) spaces; /* stacks and local memory of all its workers, with TSR_KERNEL_ASKS_SPACES (spaces.c) */
    struct tsr_print_sink sink;
    _Alignas(TSR_MAX_ALIGN) unsigned char args[];
};

struct tsr_launch *tsr__launch_make(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                    const void *args, uint64_t local_argument_bytes, const struct tsr_arg_memory *memory);
uint64_t tsr__launch_units(const struct tsr_launch *launch, uint64_t *unit_cost);
int tsr__launch_run(struct tsr_launch *launch, struct tsr_worker *worker, uint64_t begin, uint64_t end);
void tsr__launch_end(struct tsr_launch *launch, char **why);
/* Notes why the launch failed; the first reason stays. `why` is malloc'd and consumed; NULL means "out of memory". Answers the status. */
int tsr__launch_fail(struct tsr_launch *launch, char *why);

/* ---- spaces.c ---- */

/* Notes that private or local memory of the launch's work-items lies there, if its kernel asks for that. False: out of memory. */
bool tsr__space_add(struct tsr_launch *launch, const void *memory, size_t size, enum tsr_space space);
void tsr__spaces_free(struct tsr_launch *launch);
/* What struct tsr_rt promises of address_space. */
uint32_t tsr__space_of(struct tsr_item *item, const void *pointer);

/* ---- enqueue.c ---- */

/* Those of tsr_device_ops. */
struct tsr_device_queue *tsr__device_queue_make(const struct tsr_device *device, uint64_t size, bool timed);
void tsr__device_queue_free(struct tsr_device_queue *queue);
bool tsr__launch_enqueues(struct tsr_launch *launch, const struct tsr_device *device, struct tsr_device_queue *default_queue);
int tsr__launch_submit(struct tsr_launch *launch, void (*ended)(void *data, int status), void *data);
bool tsr__launch_times(const struct tsr_launch *launch, uint64_t *start_ns, uint64_t *end_ns);

/* ---- run.c, packets.c ---- */

/* The number of packets of a work-group of this size. The number of lanes of a packet of the run's work-group. */
uint32_t tsr__packets_of(uint32_t flags, uint32_t width, const uint64_t size[3]);
uint32_t tsr__packet_lanes(const struct tsr__run *run, uint32_t packet);
/* The range as the kernel's code sees it: lanes follow x. */
struct tsr_ndrange tsr__range_of_lanes(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range);
/* Do its work-groups wait for each other, and can each have a thread of its own? */
bool tsr__groups_have_threads(const struct tsr_launch *launch);
/* Whether the rows of all work-groups start at multiples of the sub-group size, in local ids and, if the kernel reads them, in global ids.
 */
bool tsr__packets_in_rows(const struct tsr_launch *launch);
/* Writes the local ids of all lanes of the group's packets, unless run->ids holds those of a group of the same size. */
void tsr__packets_write_ids(struct tsr__run *run);
/* Runs full packets in one call: `columns` columns of a box of work-groups, from the work-item with this local id on. */
void tsr__packets_rows(struct tsr__run *run, const uint64_t local_id[3], uint64_t columns, const uint64_t groups[3]);
/* Runs the run's work-group, and of the ones that follow it in x as many as can run in the same call of a launch of the
 * form REGIONS, `most` in all. Answers how many. */
uint64_t tsr__packets_in_regions(struct tsr__run *run, uint64_t most);
/* Runs work-groups of a launch of the form ROWS. */
void tsr__packets_run(struct tsr__run *run, uint64_t begin, uint64_t end);

/* Kernels with more private memory run on a stack of their own: the thread may be the application's. */
enum { TSR__WORKER_STACK_BYTES = 16384 };

/* Do the ids of `count` work-items from `first` on, in one dimension, fit into an int? */
static inline bool tsr__ids_are_ints(uint64_t first, uint64_t count)
{
    return first < TSR_INT_IDS && count <= TSR_INT_IDS - first;
}

/* ---- boxes.c ---- */

/* Cuts the launch's range into boxes if these are better units than work-groups: the form is BOXES then. False: they are not. */
bool tsr__boxes_cut(struct tsr_launch *launch);
void tsr__boxes_run(struct tsr__run *run, uint64_t begin, uint64_t end);
/* Runs the work-group of the run, in one call of a kernel with TSR_KERNEL_PACKET_LOOP and TSR_KERNEL_IGNORES_SUB_GROUPS. */
void tsr__boxes_group(struct tsr__run *run);

/* ---- blocks.c ---- */

/* Do packets that run twice take the work-groups of a block column by column? */
static inline bool tsr__goes_down_columns(const struct tsr_launch *launch)
{
    return launch->column_rows && launch->form == TSR_FORM_ROWS;
}

/* Cuts the range of a kernel with TSR_KERNEL_SHARES_OPERANDS into blocks if it consists of full groups of full packets. */
void tsr__blocks_cut(struct tsr_launch *launch);
void tsr__blocks_run(struct tsr__run *run, uint64_t begin, uint64_t end);

/* ---- arg_memory.c ---- */

static inline bool tsr__overlap(const struct tsr_arg_memory *x, const struct tsr_arg_memory *y)
{
    return x->begin < y->begin + y->bytes && y->begin < x->begin + x->bytes;
}
/* A bit for each argument that shares its memory with no other one, as far as that is known. `memory`: as for launch_make. */
uint64_t tsr__alone_arguments(const struct tsr_kernel_info *kernel, const void *args, const struct tsr_arg_memory *memory);
/* Notes in the group what the kernel's code asks about the memory of its arguments, if it does. */
void tsr__note_memory(struct tsr_group *group, const struct tsr_kernel_info *kernel, const void *args, const struct tsr_arg_memory *memory);

/* ---- nontemporal.c ---- */

/* Bytes of last-level cache for launches on so many cores (0: unknown). `shown`: what the CPU tells. A virtual machine may see the host's
 * whole cache, but not how many others share it: it has something between what servers have for its cores and all, and the geometric
 * mean is the least number of times wrong. */
uint64_t tsr__nontemporal_cache(uint64_t shown, uint64_t cores);

/* A bit for each argument that the launch is to write past the caches. `memory`: as for launch_make. */
uint64_t tsr__nontemporal_choose(const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                 const struct tsr_arg_memory *memory);

/* ---- group_lanes.c ---- */

/* Those of tsr_device_ops. */
unsigned tsr__group_codes(const struct tsr_loaded_kernel *kernel, const struct tsr_ndrange *range, uint64_t local_argument_bytes);
unsigned tsr__wanted_group_codes(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES], const struct tsr_ndrange *range,
                                 unsigned missing);
enum tsr_group_code tsr__choose_group_code(const struct tsr_loaded_kernel *const codes[TSR_GROUP_CODES], const struct tsr_ndrange *range,
                                           const void *args, const struct tsr_arg_memory *memory);
/* A launch of work-groups of this size has taken `item_ps` picoseconds for each work-item. */
void tsr__group_codes_learn(struct tsr__entry *entry, const uint64_t local[3], uint64_t item_ps);
/* Local memory for the groups of a packet, of a launch with TSR_KERNEL_GROUP_LANES, or of groups of one that run side by side. */
void tsr__group_lanes_lay_out(struct tsr_launch *launch);

/* ---- partial.c ---- */

/* tsr_device_ops.needs_partial, join_partial. */
bool tsr__needs_partial(const struct tsr_loaded_kernel *kernel, const struct tsr_ndrange *range);
void tsr__join_partial(const struct tsr_loaded_kernel *kernel, const struct tsr_loaded_kernel *partial);
/* Takes the code for packets that are not full, if it is there, for a launch that has its entry, flags and private_bytes. */
void tsr__partial_take(struct tsr_launch *launch);

/* ---- rendezvous.c ---- */

struct tsr__result; /* values that an exchange has collected, a slot for each participant */

enum tsr__item_state { TSR__READY, TSR__WAITS, TSR__PRINTS, TSR__ENQUEUES, TSR__RETURNED };

struct tsr__work_item {
    struct tsr_item item; /* first: a pointer to one is a pointer to the other */
    struct tsr__run *run;
    struct tsr__fiber fiber;
    enum tsr__item_state state;
    bool started;
    /* While it waits: for an exchange, or a barrier, of these work-items. */
    bool exchanges;
    uint32_t scope, mode, size;
    const void *value;
    /* While it prints. */
    const char *format;
    const unsigned char *print_args;
    struct tsr_enqueue *request; /* while it enqueues */
    /* Results of its last two exchanges of each scope: the caller may still read them. */
    struct tsr__result *kept[3][2];
};

/* A range of work-groups being run by one worker. */
struct tsr__run {
    struct tsr_group group;
    struct tsr_launch *launch;
    struct tsr_buf text;     /* printed */
    int status;              /* negative: give up */
    bool direct;             /* work-items run one after the other on one stack */
    unsigned char *contexts; /* what packets keep at barriers, with TSR_KERNEL_BARRIER_REGIONS */
    size_t contexts_bytes;
    uint64_t number, in_row; /* of this group in the order in which groups run; how many groups from this one on follow each other in x */
    uint32_t count;          /* work-items of this group */
    uint32_t unit;           /* entries of `items` for each sub-group: its work-items, or 1 if one call of the kernel runs the sub-group */
    uint32_t runners;        /* entries of `items` in this group */
    uint32_t alive;          /* entries of `items` that have not returned */
    uint32_t *arrived;       /* entries that wait in mode ALL: a counter for each sub-group, for each pair, and for the group */
    struct tsr__work_item *items;
    uint32_t (*ids)[3][TSR_MAX_LANES]; /* local ids of the lanes of each packet of a group */
    uint64_t ids_size[3];              /* of that group */
    struct tsr__stacks *stacks;
    struct tsr__fiber worker;
    struct tsr__result *spare;     /* results that no work-item keeps, to be used again */
    bool exchanged;                /* some work-item of this group keeps a result */
    struct tsr_worker *seat;       /* whose scratch memory it uses */
    struct tsr__command *enqueued; /* by its work-groups, to be submitted when they have ended */
    struct tsr_pool *flushes;      /* where they have enqueued something; NULL: nowhere */
    bool shares;                   /* loops over K may wait for those of other work-groups */
    enum tsr__pass { TSR__ONLY_PASS, TSR__FIRST_PASS, TSR__SECOND_PASS } pass; /* of packets that run twice */
    struct tsr__tile_twice *twice;                                             /* their loops (tiles_twice.c); NULL: there were none yet */
    struct tsr__tile_share *share; /* those that wait (tiles_share.c); NULL: there were none yet */
    struct tsr__kept_tiles *kept;  /* of B, packed (tiles_kept.c); NULL: there were none yet */
};

extern const struct tsr_rt tsr__rt;

/* Sets run->group to the work-group with this number, or to the one that comes `count` later: in the same row, unless `count` is 1. (run.c)
 * */
void tsr__group_set(struct tsr__run *run, uint64_t number);
void tsr__group_next(struct tsr__run *run, uint64_t count);
/* The id of the work-group that runs as number `number`, for kernels that use tiles; *in_row: how many groups from it on follow each other
 * in x. (group_order.c) */
void tsr__group_order_find(const uint64_t num_groups[3], uint64_t number, uint64_t id[3], uint64_t *in_row);
/* Calls `visit` for each runner of the group: each work-item, or the first of each sub-group; the item has its local ids. `one`: all share
 * run->items[0]; else each has its own. */
void tsr__visit_runners(struct tsr__run *run, bool one, void (*visit)(struct tsr__work_item *));
/* 32-bit counters that run->arrived needs for groups of at most `items` work-items. */
size_t tsr__rendezvous_words(const struct tsr_group *group, uint64_t items);
/* Runs the work-group of run->group with a fiber for each runner. */
void tsr__rendezvous_run(struct tsr__run *run);
/* Gives back the exchange results that the first `items` runners of the group keep. */
void tsr__rendezvous_forget(struct tsr__run *run, uint32_t items);
void tsr__rendezvous_end(struct tsr__run *run);

#endif
