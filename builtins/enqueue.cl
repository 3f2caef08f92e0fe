/* SPDX-License-Identifier: Apache-2.0
 * Device-side enqueue (OpenCL C 6.15.15), under the names that clang calls. Queues and events are numbers here, as in the program once
 * clc/service/plain_types.c has been there. */
#include "library.h"
#include "tessera/enqueue.h"

typedef ulong queue_number;
typedef ulong event_number;

INLINE int ask(private struct tsr_enqueue *e)
{
    __tsr_enqueue(e);
    return e->result;
}

/* ---- enqueue_kernel ---- */

INLINE int enqueue(queue_number queue, uint flags, private struct tsr_enqueue_range *range, uint wait_count, generic event_number *wait_list,
                   generic event_number *event, generic void *block, generic void *literal, uint literal_size, uint size_count,
                   private ulong *sizes)
{
    struct tsr_enqueue e = {.what = TSR_ENQUEUE_KERNEL,
                            .queue = queue,
                            .flags = flags,
                            .range = range,
                            .wait_count = wait_count,
                            .wait_list = wait_list,
                            .event_out = event,
                            .block = block,
                            .literal = literal,
                            .literal_size = literal_size,
                            .size_count = size_count,
                            .sizes = sizes};
    return ask(&e);
}

/* clang's literals begin with their size. */
INLINE uint bytes_of(generic void *literal)
{
    return *(generic uint *)literal;
}

int __enqueue_kernel_basic(queue_number queue, uint flags, private struct tsr_enqueue_range *range, generic void *block,
                           generic void *literal)
{
    return enqueue(queue, flags, range, 0, 0, 0, block, literal, bytes_of(literal), 0, 0);
}

int __enqueue_kernel_basic_events(queue_number queue, uint flags, private struct tsr_enqueue_range *range, uint wait_count,
                                  generic event_number *wait_list, generic event_number *event, generic void *block, generic void *literal)
{
    return enqueue(queue, flags, range, wait_count, wait_list, event, block, literal, bytes_of(literal), 0, 0);
}

int __enqueue_kernel_varargs(queue_number queue, uint flags, private struct tsr_enqueue_range *range, generic void *block,
                             generic void *literal, uint size_count, private ulong *sizes)
{
    return enqueue(queue, flags, range, 0, 0, 0, block, literal, bytes_of(literal), size_count, sizes);
}

int __enqueue_kernel_events_varargs(queue_number queue, uint flags, private struct tsr_enqueue_range *range, uint wait_count,
                                    generic event_number *wait_list, generic event_number *event, generic void *block,
                                    generic void *literal, uint size_count, private ulong *sizes)
{
    return enqueue(queue, flags, range, wait_count, wait_list, event, block, literal, bytes_of(literal), size_count, sizes);
}

/* For the reader of SPIR-V, where what a block captures is any memory. */
int tessera_enqueue_block(queue_number queue, uint flags, private struct tsr_enqueue_range *range, uint wait_count,
                          generic event_number *wait_list, generic event_number *event, generic void *block, generic void *literal,
                          uint literal_size, uint size_count, private ulong *sizes)
{
    return enqueue(queue, flags, range, wait_count, wait_list, event, block, literal, literal_size, size_count, sizes);
}

int enqueue_marker(queue_number queue, uint wait_count, const generic event_number *wait_list,
                   generic event_number *event) __asm__("_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_");
int enqueue_marker(queue_number queue, uint wait_count, const generic event_number *wait_list, generic event_number *event)
{
    struct tsr_enqueue e = {
        .what = TSR_ENQUEUE_MARKER, .queue = queue, .wait_count = wait_count, .wait_list = wait_list, .event_out = event};
    return ask(&e);
}

queue_number default_queue(void) __asm__("_Z17get_default_queuev");
queue_number default_queue(void)
{
    return __tsr_default_queue();
}

/* ---- queries of blocks ---- */

INLINE uint query(uint what, private struct tsr_enqueue_range *range, generic void *block, uint value)
{
    struct tsr_enqueue e = {.what = what, .range = range, .block = block, .value = value};
    return (uint)ask(&e);
}

uint __get_kernel_work_group_size_impl(generic void *block, generic void *literal)
{
    return query(TSR_ENQUEUE_GROUP_SIZE, 0, block, 0);
}

uint __get_kernel_preferred_work_group_size_multiple_impl(generic void *block, generic void *literal)
{
    return query(TSR_ENQUEUE_GROUP_MULTIPLE, 0, block, 0);
}

uint __get_kernel_sub_group_count_for_ndrange_impl(private struct tsr_enqueue_range *range, generic void *block, generic void *literal)
{
    return query(TSR_ENQUEUE_SUB_GROUP_COUNT, range, block, 0);
}

uint __get_kernel_max_sub_group_size_for_ndrange_impl(private struct tsr_enqueue_range *range, generic void *block, generic void *literal)
{
    return query(TSR_ENQUEUE_SUB_GROUP_SIZE, range, block, 0);
}

/* These are instructions of SPIR-V alone. */
uint tessera_block_sub_groups(generic void *block)
{
    return query(TSR_ENQUEUE_MAX_SUB_GROUPS, 0, block, 0);
}

uint tessera_block_size_of_sub_groups(generic void *block, uint count)
{
    return query(TSR_ENQUEUE_SIZE_OF_SUB_GROUPS, 0, block, count);
}

/* ---- events ---- */

INLINE int ask_of_event(uint what, event_number event, uint value, generic ulong *profile)
{
    struct tsr_enqueue e = {.what = what, .event = event, .value = value, .profile = profile};
    return ask(&e);
}

void retain(event_number event) __asm__("_Z12retain_event12ocl_clkevent");
void retain(event_number event)
{
    ask_of_event(TSR_ENQUEUE_RETAIN, event, 0, 0);
}

void release(event_number event) __asm__("_Z13release_event12ocl_clkevent");
void release(event_number event)
{
    ask_of_event(TSR_ENQUEUE_RELEASE, event, 0, 0);
}

/* CLK_NULL_QUEUE and CLK_NULL_EVENT: tessera-intel.h. */
queue_number __attribute__((const)) tessera_null_queue(void)
{
    return 0;
}

event_number __attribute__((const)) tessera_null_event(void)
{
    return ~(event_number)0;
}

event_number user_event(void) __asm__("_Z17create_user_eventv");
event_number user_event(void)
{
    struct tsr_enqueue e = {.what = TSR_ENQUEUE_USER_EVENT};
    ask(&e);
    return e.event;
}

bool is_valid(event_number event) __asm__("_Z14is_valid_event12ocl_clkevent");
bool is_valid(event_number event)
{
    return ask_of_event(TSR_ENQUEUE_IS_VALID, event, 0, 0) != 0;
}

void set_status(event_number event, int status) __asm__("_Z21set_user_event_status12ocl_clkeventi");
void set_status(event_number event, int status)
{
    ask_of_event(TSR_ENQUEUE_SET_STATUS, event, (uint)status, 0);
}

void capture(event_number event, int name, global void *value) __asm__("_Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v");
void capture(event_number event, int name, global void *value)
{
    ask_of_event(TSR_ENQUEUE_PROFILE, event, (uint)name, (global ulong *)value);
}

/* ---- ranges: an ndrange_t ---- */

typedef struct tsr_enqueue_range range_t;

INLINE range_t range_of(uint dim, const private size_t *offset, const private size_t *global_size, const private size_t *local_size)
{
    range_t r = {.dim = dim};
    for (uint d = 0; d < 3; d++) {
        bool there = d < dim;
        r.offset[d] = there && offset ? offset[d] : 0;
        r.items[d] = there ? global_size[d] : 1;
        r.group[d] = local_size ? there ? local_size[d] : 1 : 0;
    }
    return r;
}

range_t OVER ndrange_1D(size_t global_size)
{
    return range_of(1, 0, &global_size, 0);
}
range_t OVER ndrange_1D(size_t global_size, size_t local_size)
{
    return range_of(1, 0, &global_size, &local_size);
}
range_t OVER ndrange_1D(size_t offset, size_t global_size, size_t local_size)
{
    return range_of(1, &offset, &global_size, &local_size);
}

#define RANGES(name, dim)                                                                                                                  \
    range_t OVER name(const private size_t *global_size)                                                                                   \
    {                                                                                                                                      \
        return range_of(dim, 0, global_size, 0);                                                                                           \
    }                                                                                                                                      \
    range_t OVER name(const private size_t *global_size, const private size_t *local_size)                                                 \
    {                                                                                                                                      \
        return range_of(dim, 0, global_size, local_size);                                                                                  \
    }                                                                                                                                      \
    range_t OVER name(const private size_t *offset, const private size_t *global_size, const private size_t *local_size)                   \
    {                                                                                                                                      \
        return range_of(dim, offset, global_size, local_size);                                                                             \
    }
RANGES(ndrange_2D, 2)
RANGES(ndrange_3D, 3)
