/* SPDX-License-Identifier: Apache-2.0
 * One kernel with its arguments and range: made at enqueue, run range by range on the workers, ended when the last range is done. */
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "device-amx/costs.h"
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

enum {
    DRIVER_STACK_BYTES = 4096, /* between the frame that starts a range of work-groups and the kernel's first one */
    PRINT_STACK_BYTES = 65536,
    /* MXCSR: all exceptions masked, round to nearest; flush to zero and denormals are zero. */
    CONTROL = 0x1f80,
    CONTROL_DENORMS_ZERO = 0x8040,
};

_Static_assert(TSR_SCRATCH_ALIGN % TSR_MAX_ALIGN == 0, "a group's local memory and contexts lie in scratch memory");
_Static_assert(TSR_LOCAL_MARGIN % TSR_MAX_ALIGN == 0, "local memory begins behind its margin");

/* ---- life ---- */

struct tsr_launch *tsr__launch_make(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *given,
                                    const void *args, uint64_t local_argument_bytes, const struct tsr_arg_memory *memory)
{
    const struct tsr_ndrange exchanged = tsr__range_of_lanes(kernel, given), *range = &exchanged;
    struct tsr__entry *entry = tsr__module_entry(module, kernel);
    struct tsr_launch *launch = entry ? tsr_aligned(_Alignof(struct tsr_launch), sizeof *launch + kernel->args_size) : NULL;
    if (!launch)
        return NULL;
    memset(launch, 0, sizeof *launch);
    launch->module = module;
    launch->entry = entry;
    launch->flags = kernel->flags;
    launch->private_bytes = kernel->private_bytes;
    launch->device_stack_bytes = kernel->device_stack_bytes;
    tsr__partial_take(launch);
    launch->column_rows = kernel->column_rows;
    launch->tile_shapes = kernel->tile_shapes;
    launch->context_bytes = kernel->context_bytes;
    launch->local_bytes = tsr_local_round(kernel->local_bytes) + local_argument_bytes;
    launch->groups = launch->group_items = 1;
    struct tsr_group *group = &launch->group;
    for (int d = 0; d < 3; d++) {
        group->global_size[d] = range->global[d];
        group->global_offset[d] = range->offset[d];
        group->enqueued_local_size[d] = range->local[d];
        group->num_groups[d] = range->global[d] / range->local[d] + (range->global[d] % range->local[d] != 0);
        launch->groups *= group->num_groups[d];
        launch->group_items *= range->local[d];
    }
    group->work_dim = range->dim;
    /* A pair of sub-groups that runs as one packet counts as one sub-group here; the code derives its sub-group ids from linear ids. */
    group->sub_group_size = tsr_packet_width(kernel);
    group->enqueued_num_sub_groups = (uint32_t)tsr_sub_group_count(launch->group_items, group->sub_group_size);
    uint64_t sub_groups = tsr_sub_group_count(launch->group_items, kernel->sub_group_size);
    if (kernel->flags & TSR_KERNEL_SUB_GROUP_PAIRS && sub_groups % 2)
        tsr_log(
            TSR_LOG_WARN,
            "kernel '%s' uses split matrix functions in work-groups of %u sub-groups: the last has no partner, whose half of A counts as 0",
            kernel->name, (unsigned)sub_groups);
    const uint32_t lone_groups = TSR_KERNEL_GROUP_SIZE | TSR_KERNEL_ONE_LANE;
    if (kernel->flags & TSR_KERNEL_GROUP_LANES || ((kernel->flags & lone_groups) == lone_groups && launch->group_items == 1))
        tsr__group_lanes_lay_out(launch);
    /* The work-groups that the code runs side by side are a unit, if there are units enough for all threads. */
    launch->unit_groups =
        kernel->groups_at_once > 1 && launch->groups > (kernel->groups_at_once - 1) * (uint64_t)tsr__cpu_caps()->compute_units
            ? kernel->groups_at_once
            : 1;
    group->args = launch->args;
    if (kernel->args_size)
        memcpy(launch->args, args, kernel->args_size);
    launch->form = tsr__boxes_cut(launch) ? TSR_FORM_BOXES : tsr_form_of(launch->flags);
    tsr__blocks_cut(launch);
    group->rt = &tsr__rt;
    group->nontemporal = tsr__nontemporal_choose(kernel, range, memory);
    tsr__note_memory(group, kernel, args, memory);
    return launch;
}

uint64_t tsr__launch_units(const struct tsr_launch *launch, uint64_t *unit_cost)
{
    uint64_t ps = atomic_load_explicit(&launch->entry->item_ps, memory_order_relaxed);
    *unit_cost = ps ? (ps * launch->group_items * launch->unit_groups + 999) / 1000 : 0;
    if (tsr__groups_have_threads(launch) && *unit_cost < TSR__WAITING_GROUP_NS)
        *unit_cost = TSR__WAITING_GROUP_NS;
    return tsr__divide_up(launch->groups, launch->unit_groups);
}

void tsr__launch_end(struct tsr_launch *launch, char **why)
{
    if (launch->flags & TSR_KERNEL_PRINTF)
        tsr__print_flush(&launch->sink);
    uint64_t done = atomic_load(&launch->groups_done), ns = atomic_load(&launch->ns);
    char *text = atomic_load(&launch->why);
    if (done && !text) {
        /* In integers: the application's thread may trap on floats that are not exact.
         * The mean of the known cost and of this launch's. If two launches end at once, one of the two may be lost, which does no harm. */
        uint64_t now = (uint64_t)((unsigned __int128)ns * 1000 / ((unsigned __int128)done * launch->group_items)) + 1;
        uint64_t old = atomic_load_explicit(&launch->entry->item_ps, memory_order_relaxed);
        atomic_store_explicit(&launch->entry->item_ps, old ? (3 * old + now) / 4 : now, memory_order_relaxed);
        if (launch->flags & TSR_KERNEL_GROUP_LANES || tsr_has_group_codes(launch->flags))
            tsr__group_codes_learn(launch->entry, launch->group.enqueued_local_size, now);
    }
    if (why)
        *why = text;
    else
        tsr_free(text);
    tsr__spaces_free(launch);
    if (launch->enqueuer)
        launch->enqueuer->forget(launch);
    tsr_free(launch);
}

/* ---- work-groups ---- */

static void run_directly(struct tsr__work_item *w)
{
    w->run->launch->entry->run(&w->item);
}

struct loop {
    struct tsr__run *run;
    uint64_t begin, end;
};

static bool launch_has_blocks(const struct tsr_launch *launch)
{
    return launch->blocks.count[0];
}

static void run_groups_directly(struct loop *loop)
{
    if (loop->run->launch->form == TSR_FORM_BOXES) {
        tsr__boxes_run(loop->run, loop->begin, loop->end);
        return;
    }
    if (launch_has_blocks(loop->run->launch)) {
        tsr__blocks_run(loop->run, loop->begin, loop->end);
        return;
    }
    if (loop->run->launch->form == TSR_FORM_ROWS) {
        tsr__packets_run(loop->run, loop->begin, loop->end);
        return;
    }
    tsr__group_set(loop->run, loop->begin);
    for (uint64_t g = loop->begin; g < loop->end; g++, tsr__group_next(loop->run, 1))
        tsr__visit_runners(loop->run, true, run_directly);
}

static void loop_main(void *argument)
{
    struct loop *loop = argument;
    tsr__fiber_started(&loop->run->worker);
    run_groups_directly(loop);
    tsr__fiber_end(&loop->run->worker);
}

/* Stacks for the launch's work-items, which it knows as private memory. NULL: out of memory. */
static struct tsr__stacks *stacks_for(struct tsr_launch *launch, unsigned hint, size_t count, size_t bytes)
{
    struct tsr__stacks *stacks = tsr__stacks_take(hint, count, bytes);
    size_t size;
    const void *memory = stacks ? tsr__stacks_memory(stacks, &size) : NULL;
    if (stacks && !tsr__space_add(launch, memory, size, TSR_SPACE_PRIVATE)) {
        tsr__stacks_give_back(hint, stacks);
        return NULL;
    }
    return stacks;
}

/* The same on a stack of its own, for kernels with large private arrays. */
static int run_on_large_stack(struct tsr__run *run, struct loop *loop, unsigned hint)
{
    struct tsr__stacks *stacks = stacks_for(run->launch, hint, 1, run->launch->private_bytes + PRINT_STACK_BYTES);
    if (!stacks)
        return tsr__launch_fail(run->launch, tsr_format("kernel '%s' needs %lu bytes of private memory for each work-item: out of memory",
                                                        run->launch->entry->name, (unsigned long)run->launch->private_bytes));
    struct tsr__fiber fiber;
    tsr__fiber_make(stacks, 0, &fiber, loop_main, loop);
    tsr__fiber_switch(&run->worker, &fiber);
    tsr__stacks_give_back(hint, stacks);
    return 0;
}

/* Entries of tsr__run.items that a full group has. */
static size_t runners_of(const struct tsr_launch *launch)
{
    const struct tsr_group *group = &launch->group;
    return launch->flags & TSR_KERNEL_PACKETS ? tsr__packets_of(launch->flags, group->sub_group_size, group->enqueued_local_size)
                                              : launch->group_items;
}

static bool take_stacks(struct tsr__run *run, unsigned hint, size_t count, uint64_t bytes)
{
    struct tsr_launch *launch = run->launch;
    if (!run->stacks)
        run->stacks = stacks_for(launch, hint, count, bytes);
    if (!run->stacks)
        run->status =
            tsr__launch_fail(launch, tsr_format("kernel '%s' needs %lu stacks of %lu bytes for a work-group: out of memory",
                                                launch->entry->name, (unsigned long)count, (unsigned long)tsr__stack_bytes(bytes)));
    return run->stacks != NULL;
}

struct regions {
    struct tsr__run *run;
    uint64_t most, count;
};

static void regions_main(void *argument)
{
    struct regions *regions = argument;
    tsr__fiber_started(&regions->run->worker);
    regions->count = tsr__packets_in_regions(regions->run, regions->most);
    tsr__fiber_end(&regions->run->worker);
}

/* Runs work-groups of a kernel with barrier regions. Answers how many. */
static uint64_t run_in_regions(struct tsr__run *run, uint64_t most, unsigned hint)
{
    const struct tsr_launch *launch = run->launch;
    if (launch->private_bytes <= TSR__WORKER_STACK_BYTES)
        return tsr__packets_in_regions(run, most);
    struct regions regions = {run, most, 0};
    /* Text is formatted, requests are answered and tiles are multiplied on the packets' stack. */
    uint64_t print = launch->flags & (TSR_KERNEL_PRINTF | TSR_KERNEL_ENQUEUES) ? PRINT_STACK_BYTES : 0;
    if (take_stacks(run, hint, 1, launch->private_bytes + print + launch->device_stack_bytes)) {
        tsr__fiber_make(run->stacks, 0, &run->items->fiber, regions_main, &regions);
        tsr__fiber_switch(&run->worker, &run->items->fiber);
    }
    return regions.count;
}

/* Runs a work-group with a stack for each runner. */
static uint64_t run_on_stacks(struct tsr__run *run, unsigned hint)
{
    const struct tsr_launch *launch = run->launch;
    if (take_stacks(run, hint, runners_of(launch), launch->private_bytes + launch->device_stack_bytes)) {
        tsr__rendezvous_run(run);
        tsr__rendezvous_forget(run, run->runners);
    }
    return 1;
}

static int run_with_barriers(struct tsr__run *run, const struct loop *loop, unsigned hint)
{
    run->shares = run->direct;
    tsr__group_set(run, loop->begin);
    for (uint64_t g = loop->begin, count; g < loop->end && run->status == 0; g += count, tsr__group_next(run, count))
        count = run->direct ? run_in_regions(run, loop->end - g, hint) : run_on_stacks(run, hint);
    tsr__tile_loops_end(run);
    tsr__rendezvous_end(run);
    tsr__stacks_give_back(hint, run->stacks);
    return run->status;
}

/* Loads the tile configuration for as long as kernels run that use tiles. */
__attribute__((target("amx-tile"))) static void tiles_begin(enum tsr_tile_shapes shapes)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } config = {.palette = 1};
    _Static_assert(sizeof config == 64, "what the instruction reads");
    for (unsigned i = 0; i < TSR_TILE_COUNT; i++) {
        config.bytes[i] = tsr_tile_shape(shapes, i).bytes;
        config.rows[i] = tsr_tile_shape(shapes, i).rows;
    }
    _tile_loadconfig(&config);
}

__attribute__((target("amx-tile"))) static void tiles_end(void)
{
    _tile_release();
}

/* Local memory of the work-groups. False: out of memory. */
static bool prepare_local(struct tsr__run *run, struct tsr_worker *worker)
{
    struct tsr_launch *launch = run->launch;
    if (!launch->local_bytes) {
        run->group.local = launch->args; /* an address, for arguments of no bytes */
        return true;
    }
    unsigned char *room = tsr_worker_scratch(worker, TSR__SCRATCH_LOCAL, launch->local_bytes + 2 * TSR_LOCAL_MARGIN);
    assert((uintptr_t)room % TSR_MAX_ALIGN == 0);
    run->group.local = room ? room + TSR_LOCAL_MARGIN : NULL;
    return room != NULL;
}

/* Memory for the runners of a work-group: the work-items, ids_bytes of ids, and the counters of barriers, in this order in one piece; and
 * what the packets keep at barriers. False: out of memory. */
static bool prepare_runners(struct tsr__run *run, struct tsr_worker *worker, size_t runners, size_t ids_bytes)
{
    const struct tsr_launch *launch = run->launch;
    size_t item_bytes = runners * sizeof *run->items;
    size_t counter_bytes = tsr__rendezvous_words(&launch->group, launch->group_items) * sizeof *run->arrived;
    unsigned char *room = tsr_worker_scratch(worker, TSR__SCRATCH_ITEMS, item_bytes + ids_bytes + counter_bytes);
    if (!room)
        return false;
    run->items = memset(room, 0, item_bytes);
    run->ids = ids_bytes ? (void *)(room + item_bytes) : NULL;
    run->arrived = (uint32_t *)(room + item_bytes + ids_bytes);
    if (launch->form != TSR_FORM_REGIONS)
        return true;
    run->contexts_bytes = runners * launch->context_bytes;
    run->contexts = tsr_worker_scratch(worker, TSR__SCRATCH_CONTEXTS, run->contexts_bytes);
    assert((uintptr_t)run->contexts % TSR_MAX_ALIGN == 0);
    return run->contexts != NULL;
}

/* `only`: the work-item of a run that needs one. False: out of memory. */
static bool run_prepare(struct tsr__run *run, struct tsr_launch *launch, struct tsr_worker *worker, struct tsr__work_item *only)
{
    bool meet = launch->form == TSR_FORM_FIBERS || launch->form == TSR_FORM_REGIONS, packets = launch->flags & TSR_KERNEL_PACKETS;
    memset(run, 0, sizeof *run);
    run->group = launch->group;
    run->launch = launch;
    run->seat = worker;
    run->direct = launch->form != TSR_FORM_FIBERS;
    run->items = only;
    run->unit = packets ? 1 : run->group.sub_group_size;
    size_t runners = runners_of(launch);
    size_t ids_bytes = packets && !(launch->flags & TSR_KERNEL_IGNORES_SUB_GROUPS) ? runners * sizeof *run->ids : 0;
    if (!prepare_local(run, worker))
        return false;
    if (meet) {
        if (!prepare_runners(run, worker, runners, ids_bytes))
            return false;
    } else if (ids_bytes) {
        run->ids = tsr_worker_scratch(worker, TSR__SCRATCH_ITEMS, ids_bytes);
        if (!run->ids)
            return false;
    }
    tsr__fiber_worker(&run->worker);
    /* On the thread's own stack, `run` lies above the kernel's frames. */
    bool on_thread_stack = run->direct && launch->private_bytes <= TSR__WORKER_STACK_BYTES;
    const size_t most = on_thread_stack ? TSR__WORKER_STACK_BYTES + DRIVER_STACK_BYTES : 0;
    return tsr__space_add(launch, run->group.local, launch->local_bytes, TSR_SPACE_LOCAL) &&
           tsr__space_add(launch, run->contexts, run->contexts_bytes, TSR_SPACE_PRIVATE) &&
           tsr__space_add(launch, (const char *)run - most, most, TSR_SPACE_PRIVATE);
}

/* The groups [loop->begin, loop->end), with the floating-point control and the tile registers of kernels. */
static int run_groups(struct tsr__run *run, struct loop *loop, unsigned hint)
{
    const struct tsr_launch *launch = run->launch;
    unsigned saved = _mm_getcsr();
    int status = 0;
    _mm_setcsr(CONTROL | (launch->flags & TSR_KERNEL_DENORMS_ZERO ? CONTROL_DENORMS_ZERO : 0));
    if (launch->flags & TSR_KERNEL_AMX_TILES)
        tiles_begin(launch->tile_shapes);
    if (launch->flags & TSR_KERNEL_FIBERS && !launch_has_blocks(launch))
        status = run_with_barriers(run, loop, hint);
    else if (launch->private_bytes > TSR__WORKER_STACK_BYTES)
        status = run_on_large_stack(run, loop, hint);
    else
        run_groups_directly(loop);
    if (launch->flags & TSR_KERNEL_AMX_TILES)
        tiles_end();
    if (launch->group.nontemporal)
        _mm_sfence(); /* before anybody learns that these groups are done */
    _mm_setcsr(saved);
    return status;
}

int tsr__launch_run(struct tsr_launch *launch, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    assert(begin < end && end <= tsr__divide_up(launch->groups, launch->unit_groups));
    begin *= launch->unit_groups;
    end = tsr__least(end * launch->unit_groups, launch->groups);
    if (atomic_load(&launch->why))
        return TSR__OUT_OF_RESOURCES;
    struct tsr__work_item only;
    struct tsr__run run;
    if (!run_prepare(&run, launch, worker, &only))
        return tsr__launch_fail(launch, NULL);
    uint64_t start = tsr_now_ns();
    struct loop loop = {&run, begin, end};
    int status = run_groups(&run, &loop, worker->index);
    atomic_fetch_add_explicit(&launch->ns, tsr_now_ns() - start, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->groups_done, end - begin, memory_order_relaxed);
    if (run.flushes)
        launch->enqueuer->submit(&run);
    if (status == 0)
        status = run.status;
    if (run.text.failed && status == 0)
        status = tsr__launch_fail(launch, NULL);
    tsr__print_add(&launch->sink, begin, &run.text);
    return status;
}
