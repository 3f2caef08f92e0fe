/* SPDX-License-Identifier: Apache-2.0
 * Device-side enqueue. Each command is a task of the scheduler, so no thread waits for another one, and nothing here calls itself, however
 * deep kernels enqueue kernels. */
#include <string.h>

#include "device-amx/enqueue.h"

enum { MOST_ARGUMENT_WORDS = TSR_MAX_PARAMETER_BYTES / 8 };

/* ---- life ---- */

static void run_released(struct tsr_task *task)
{
    tsr__command_drop(TSR_CONTAINER_OF(task, struct tsr__command, run));
}

static void end_released(struct tsr_task *task)
{
    tsr__command_drop(TSR_CONTAINER_OF(task, struct tsr__command, end));
}

static void end_done(struct tsr_task *task, int status)
{
    (void)status;
    if (task->timed)
        tsr__event_complete(TSR_CONTAINER_OF(task, struct tsr__command, end));
}

/* Something that the command waits for has ended: its own work, or a command that it has enqueued. */
static void close_command(struct tsr__command *command)
{
    while (command && atomic_fetch_sub_explicit(&command->open, 1, memory_order_acq_rel) == 1) {
        struct tsr__command *parent = command->parent;
        int status = atomic_load(&command->status);
        if (command->queue)
            atomic_fetch_sub(&command->queue->bytes, command->bytes);
        if (parent)
            tsr_task_finish(&command->end, status);
        else
            command->ended(command->data, status);
        command = parent;
    }
}

/* The host is told of a launch that has failed by the launch from which it descends. */
static void end_launch(struct tsr__command *command, int status)
{
    struct tsr__command *root = command->root;
    char *why = NULL;
    tsr__launch_end(command->launch, &why);
    command->launch = NULL;
    if (status < 0 && status != TSR_TASK_BLOCKED_BY_FAILURE) {
        atomic_store(&root->status, status);
        tsr__launch_fail(root->launch, why);
    } else {
        tsr_free(why);
    }
}

static void run_done(struct tsr_task *task, int status)
{
    struct tsr__command *command = TSR_CONTAINER_OF(task, struct tsr__command, run);
    if (status < 0)
        atomic_store(&command->status, status);
    if (command->kind == TSR__COMMAND_ROOT)
        tsr__print_flush(&command->launch->sink); /* before what its commands print */
    else if (command->launch)
        end_launch(command, status);
    close_command(command);
}

static int run_units(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    return tsr__launch_run(TSR_CONTAINER_OF(task, struct tsr__command, run)->launch, worker, begin, end);
}

/* A command with room for a block literal of `literal` bytes. NULL: out of memory. */
static struct tsr__command *command_new(enum tsr__command_kind kind, struct tsr_pool *pool, bool timed, size_t literal)
{
    size_t size = (sizeof(struct tsr__command) + literal + TSR_MAX_ALIGN - 1) / TSR_MAX_ALIGN * TSR_MAX_ALIGN;
    struct tsr__command *command = tsr_aligned(TSR_MAX_ALIGN, size);
    if (!command)
        return NULL;
    memset(command, 0, sizeof *command);
    command->kind = kind;
    atomic_init(&command->open, 1);
    atomic_init(&command->holds, 1);
    command->run.run = run_units;
    command->run.done = run_done;
    command->run.released = run_released;
    command->run.timed = timed;
    command->run.label = "enqueued";
    tsr_task_init(&command->run, pool);
    command->end.done = end_done;
    command->end.released = end_released;
    command->end.external = true;
    command->end.timed = timed;
    tsr_task_init(&command->end, NULL);
    return command;
}

/* ---- the launch of the host ---- */

int tsr__launch_submit(struct tsr_launch *launch, void (*ended)(void *data, int status), void *data)
{
    struct tsr__command *command = launch->command;
    command->ended = ended;
    command->data = data;
    command->run.units = tsr__launch_units(launch, &command->run.unit_cost);
    atomic_fetch_add(&command->holds, 1);
    tsr_task_submit(&command->run);
    return 0;
}

bool tsr__launch_times(const struct tsr_launch *launch, uint64_t *start_ns, uint64_t *end_ns)
{
    *start_ns = launch->command->run.start_ns;
    *end_ns = launch->command->run.end_ns;
    return true;
}

/* ---- queues ---- */

struct tsr_device_queue *tsr__device_queue_make(const struct tsr_device *device, uint64_t size, bool timed)
{
    struct tsr_pool *pool = device->ops->pool(device);
    struct tsr_device_queue *queue = pool ? tsr_calloc(1, sizeof *queue) : NULL;
    if (queue) {
        queue->device = device;
        queue->pool = pool;
        queue->size = size;
        queue->timed = timed;
    }
    return queue;
}

void tsr__device_queue_free(struct tsr_device_queue *queue)
{
    tsr__events_forget(queue);
    tsr_free(queue);
}

/* ---- what a command needs ---- */

/* Takes the bytes of a command from the queue. */
static bool take_bytes(struct tsr_device_queue *queue, uint64_t bytes)
{
    uint64_t taken = atomic_load(&queue->bytes);
    do {
        if (bytes > queue->size || taken > queue->size - bytes)
            return false;
    } while (!atomic_compare_exchange_weak(&queue->bytes, &taken, taken + bytes));
    return true;
}

/* The kernel of the block in the program of the launch; NULL: none. */
static const struct tsr_kernel_info *find_block(const struct tsr_launch *launch, const char *name)
{
    const struct tsr_program_info info = {.kernels = (struct tsr_kernel_info *)(uintptr_t)launch->module->kernels,
                                          .kernel_count = launch->module->kernel_count};
    uint32_t index = name ? tsr_find_kernel(&info, name) : info.kernel_count;
    return index < info.kernel_count ? &info.kernels[index] : NULL;
}

/* Reads an ndrange_t: *range, and whether it is empty. */
static int read_range(const struct tsr_enqueue_range *from, const struct tsr_device *device, const struct tsr_kernel_info *kernel,
                      uint64_t local_sizes, struct tsr_ndrange *range, bool *empty)
{
    *range = (struct tsr_ndrange){.dim = from->dim, .global = {1, 1, 1}, .local = {1, 1, 1}};
    *empty = false;
    if (from->dim < 1 || from->dim > 3)
        return TSR_ENQUEUE_INVALID_RANGE;
    uint64_t items = 1, total = 1, end;
    bool chosen = from->group[0];
    for (uint32_t d = 0; d < from->dim; d++) {
        range->offset[d] = from->offset[d];
        range->global[d] = from->items[d];
        range->local[d] = from->group[d];
        *empty |= !from->items[d];
        if (chosen != (from->group[d] != 0) || __builtin_add_overflow(from->offset[d], from->items[d], &end) ||
            __builtin_mul_overflow(total, from->items[d] ? from->items[d] : 1, &total) ||
            __builtin_mul_overflow(items, from->group[d], &items))
            return TSR_ENQUEUE_INVALID_RANGE;
    }
    if (*empty)
        return TSR_ENQUEUE_SUCCESS;
    if (!chosen) {
        device->ops->suggest_local_size(device, kernel, range);
        return TSR_ENQUEUE_SUCCESS;
    }
    for (uint32_t d = 0; d < 3; d++) {
        bool uneven = kernel->flags & TSR_KERNEL_UNIFORM_GROUPS && range->global[d] % range->local[d];
        if (uneven || range->local[d] > device->caps->max_work_item_sizes[d] ||
            (kernel->reqd_local_size[0] && range->local[d] != kernel->reqd_local_size[d]))
            return TSR_ENQUEUE_INVALID_RANGE;
    }
    return items <= device->ops->max_work_group(device, kernel, local_sizes) ? TSR_ENQUEUE_SUCCESS : TSR_ENQUEUE_INVALID_RANGE;
}

/* Bytes of local arguments, with the gaps that align them and without. */
struct local_arguments {
    uint64_t bytes, sizes;
};

/* Fills the argument block of the kernel of a block: the literal, then its local arguments. */
static int read_arguments(const struct tsr_enqueue *request, const struct tsr_device *device, const struct tsr_kernel_info *kernel,
                          const void *literal, uint64_t *block, struct local_arguments *local)
{
    uint64_t begin = tsr_local_round(kernel->local_bytes), at = begin, most = device->caps->local_memory;
    *local = (struct local_arguments){0};
    if (kernel->arg_count != 1 + request->size_count || kernel->args_size > MOST_ARGUMENT_WORDS * sizeof *block)
        return TSR_ENQUEUE_FAILURE;
    block[kernel->args[0].offset / sizeof *block] = (uintptr_t)literal;
    for (uint32_t i = 0; i < request->size_count; i++) {
        uint64_t size = request->sizes[i];
        if (!size)
            return TSR_ENQUEUE_INVALID_ARG_SIZE;
        if (size > most || local->sizes + size > most)
            return TSR_ENQUEUE_OUT_OF_RESOURCES;
        block[kernel->args[1 + i].offset / sizeof *block] = at;
        at += tsr_local_round(size);
        local->sizes += size;
    }
    local->bytes = at - begin;
    return kernel->local_bytes <= most && local->sizes <= most - kernel->local_bytes ? TSR_ENQUEUE_SUCCESS : TSR_ENQUEUE_OUT_OF_RESOURCES;
}

/* Copies the block's literal and makes the launch of its kernel. An empty range has none. */
static int make_launch(struct tsr__command *command, const struct tsr__command *parent, const struct tsr_kernel_info *kernel,
                       const struct tsr_enqueue *request)
{
    const struct tsr_device *device = command->device;
    uint64_t block[MOST_ARGUMENT_WORDS] = {0};
    struct local_arguments local;
    struct tsr_ndrange range;
    bool empty;
    int err = read_arguments(request, device, kernel, command->literal, block, &local);
    if (!err)
        err = read_range(request->range, device, kernel, local.sizes, &range, &empty);
    if (err || empty)
        return err;
    memcpy(command->literal, request->literal, request->literal_size);
    command->launch = tsr__launch_make(parent->launch->module, kernel, &range, block, local.bytes, NULL);
    if (!command->launch)
        return TSR_ENQUEUE_OUT_OF_RESOURCES;
    command->launch->command = command;
    command->launch->enqueuer = parent->launch->enqueuer;
    command->launch->group.default_queue = (uintptr_t)command->default_queue;
    command->run.units = tsr__launch_units(command->launch, &command->run.unit_cost);
    return TSR_ENQUEUE_SUCCESS;
}

/* Orders the command after the events of the list, whose failure spreads. */
static int wait_for(struct tsr__command *command, const struct tsr_enqueue *request)
{
    int err = !request->wait_count == !request->wait_list ? TSR_ENQUEUE_SUCCESS : TSR_ENQUEUE_INVALID_WAIT_LIST;
    for (uint32_t i = 0; i < request->wait_count && !err; i++) {
        struct tsr__command *earlier = tsr__event_find(request->wait_list[i]);
        if (!earlier)
            err = TSR_ENQUEUE_INVALID_WAIT_LIST;
        else if (tsr_task_after(&command->run, &earlier->end, true) != TSR_OK)
            err = TSR_ENQUEUE_OUT_OF_RESOURCES;
        if (earlier)
            tsr__command_drop(earlier);
    }
    return err;
}

/* ---- enqueue ---- */

/* Hands the command to the scheduler. The command may have ended when this returns. */
static void submit(struct tsr__run *run, struct tsr__command *command, uint32_t flags)
{
    if (run->flushes && run->flushes != command->queue->pool)
        tsr_pool_flush(run->flushes);
    run->flushes = command->queue->pool;
    if (flags == TSR_ENQUEUE_WAIT_GROUP) {
        command->next = run->enqueued;
        run->enqueued = command;
    } else {
        tsr_task_submit(&command->run);
    }
}

static void submit_enqueued(struct tsr__run *run)
{
    for (struct tsr__command *command = run->enqueued, *next; command; command = next) {
        next = command->next;
        tsr_task_submit(&command->run);
    }
    run->enqueued = NULL;
    if (run->flushes)
        tsr_pool_flush(run->flushes);
}

/* A command that is wrong in some way. Others may be ordered before it already, so it ends as a task, with nothing to run. */
static void abandon(struct tsr__command *command)
{
    if (command->launch)
        tsr__launch_end(command->launch, NULL);
    command->launch = NULL;
    command->run.units = 0;
    tsr_task_submit(&command->run);
}

/* A parent without an event is freed as soon as it has run, as no wait list can name it: its children become children of the nearest
 * ancestor with an event, or of the root. So a kernel that enqueues itself for ever does not take ever more memory. */
static void fill(struct tsr__command *command, struct tsr__command *parent, struct tsr_device_queue *queue)
{
    command->parent = parent->parent && !parent->named ? parent->parent : parent;
    command->root = parent->root;
    command->device = queue->device;
    command->default_queue = parent->default_queue;
    command->queue = queue;
    atomic_store(&command->holds, 2); /* of the two tasks */
    atomic_fetch_add(&command->parent->open, 1);
    tsr_task_submit(&command->end);
}

static int enqueue(struct tsr__run *run, const struct tsr_enqueue *request)
{
    struct tsr__command *parent = run->launch->command;
    struct tsr_device_queue *queue = (struct tsr_device_queue *)(uintptr_t)request->queue;
    bool marker = request->what == TSR_ENQUEUE_MARKER;
    if (!queue)
        return TSR_ENQUEUE_INVALID_QUEUE;
    const struct tsr_kernel_info *kernel = marker ? NULL : find_block(run->launch, request->block);
    if ((!marker && !kernel) || request->flags > TSR_ENQUEUE_WAIT_GROUP)
        return TSR_ENQUEUE_FAILURE;
    if (marker && !request->wait_count)
        return TSR_ENQUEUE_INVALID_WAIT_LIST;
    uint32_t literal = request->literal_size;
    uint64_t bytes = sizeof(struct tsr__command) + literal + (marker ? 0 : sizeof(struct tsr_launch) + kernel->args_size);
    if (!take_bytes(queue, bytes))
        return TSR_ENQUEUE_QUEUE_FULL;
    struct tsr__command *command = command_new(marker ? TSR__COMMAND_MARKER : TSR__COMMAND_KERNEL, queue->pool, queue->timed, literal);
    if (!command) {
        atomic_fetch_sub(&queue->bytes, bytes);
        return TSR_ENQUEUE_OUT_OF_RESOURCES;
    }
    fill(command, parent, queue);
    command->bytes = bytes;
    int err = marker ? TSR_ENQUEUE_SUCCESS : make_launch(command, parent, kernel, request);
    if (!err)
        err = wait_for(command, request);
    if (!err && request->flags == TSR_ENQUEUE_WAIT_KERNEL && tsr_task_after(&command->run, &parent->run, true) != TSR_OK)
        err = TSR_ENQUEUE_OUT_OF_RESOURCES;
    uint64_t event = !err && request->event_out ? tsr__event_new(command, queue) : 0;
    if (!err && request->event_out && !event)
        err = TSR_ENQUEUE_NO_EVENT;
    if (err) {
        abandon(command);
        return err;
    }
    command->named = event;
    if (event)
        *request->event_out = event;
    submit(run, command, request->flags);
    return TSR_ENQUEUE_SUCCESS;
}

/* ---- user events, queries ---- */

static uint64_t user_event(const struct tsr__command *parent)
{
    struct tsr__command *command = command_new(TSR__COMMAND_USER, NULL, false, 0);
    if (!command)
        return 0;
    uint64_t event = tsr__event_new(command, parent->default_queue);
    if (event)
        tsr_task_submit(&command->end);
    else
        tsr__command_drop(command);
    return event;
}

static int set_status(uint64_t event, int status)
{
    struct tsr__command *command = tsr__event_find(event);
    if (command && command->kind == TSR__COMMAND_USER && status <= 0)
        tsr__user_event_set(command, status);
    if (command)
        tsr__command_drop(command);
    return 0;
}

static int capture(uint64_t event, uint64_t *times)
{
    struct tsr__command *command = tsr__event_find(event);
    if (command) {
        tsr__event_capture(command, times);
        tsr__command_drop(command);
    }
    return 0;
}

static int is_valid(uint64_t event)
{
    struct tsr__command *command = tsr__event_find(event);
    if (command)
        tsr__command_drop(command);
    return command != NULL;
}

/* The answer to a query of a block; 0 if it has none. */
static uint64_t ask_block(const struct tsr__run *run, const struct tsr_enqueue *request)
{
    const struct tsr_device *device = run->launch->command->device;
    const struct tsr_kernel_info *kernel = find_block(run->launch, request->block);
    struct tsr_ndrange range;
    bool empty;
    if (!kernel)
        return 0;
    if (request->what == TSR_ENQUEUE_GROUP_SIZE)
        return device->ops->max_work_group(device, kernel, 0);
    if (request->what == TSR_ENQUEUE_GROUP_MULTIPLE)
        return kernel->sub_group_size;
    if (request->what >= TSR_ENQUEUE_MAX_SUB_GROUPS) {
        uint64_t most = device->ops->max_work_group(device, kernel, 0), items = (uint64_t)request->value * kernel->sub_group_size;
        return request->what == TSR_ENQUEUE_MAX_SUB_GROUPS ? tsr_sub_group_count(most, kernel->sub_group_size) : items <= most ? items : 0;
    }
    if (read_range(request->range, device, kernel, 0, &range, &empty) || empty)
        return 0;
    uint64_t items = range.local[0] * range.local[1] * range.local[2];
    if (request->what == TSR_ENQUEUE_SUB_GROUP_COUNT)
        return tsr_sub_group_count(items, kernel->sub_group_size);
    return items < kernel->sub_group_size ? items : kernel->sub_group_size;
}

static int answer(struct tsr__run *run, struct tsr_enqueue *request)
{
    int err;
    switch (request->what) {
    case TSR_ENQUEUE_KERNEL:
    case TSR_ENQUEUE_MARKER:
        err = enqueue(run, request);
        return !err || run->launch->flags & TSR_KERNEL_TELLS_ERRORS ? err : TSR_ENQUEUE_FAILURE;
    case TSR_ENQUEUE_RETAIN:
        tsr__event_retain(request->event);
        return 0;
    case TSR_ENQUEUE_RELEASE:
        tsr__event_release(request->event);
        return 0;
    case TSR_ENQUEUE_USER_EVENT:
        request->event = user_event(run->launch->command);
        return 0;
    case TSR_ENQUEUE_IS_VALID:
        return is_valid(request->event);
    case TSR_ENQUEUE_SET_STATUS:
        return set_status(request->event, (int)request->value);
    case TSR_ENQUEUE_PROFILE:
        return capture(request->event, request->profile);
    default:
        return (int)ask_block(run, request);
    }
}

static void forget(struct tsr_launch *launch)
{
    if (launch->command->kind == TSR__COMMAND_ROOT)
        tsr__command_drop(launch->command);
}

static const struct tsr__enqueuer enqueuer = {answer, submit_enqueued, forget};

bool tsr__launch_enqueues(struct tsr_launch *launch, const struct tsr_device *device, struct tsr_device_queue *default_queue)
{
    struct tsr_pool *pool = device->ops->pool(device);
    struct tsr__command *command = pool ? command_new(TSR__COMMAND_ROOT, pool, true, 0) : NULL;
    if (!command)
        return false;
    command->root = command;
    command->device = device;
    command->default_queue = default_queue;
    command->launch = launch;
    launch->command = command;
    launch->enqueuer = &enqueuer;
    launch->group.default_queue = (uintptr_t)default_queue;
    return true;
}
